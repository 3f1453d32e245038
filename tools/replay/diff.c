/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay FILE --diff OTHER`: two recordings side by side, tick by tick. Ticks that only
 * one of them has are counted; the others are compared in all that makes a run.
 */
#include "sum.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- a recording tick by tick ----------------------------------------------------------------- */

#define HASH_START UINT64_C(0xCBF29CE484222325)

/* All records of one tick. Or, where no step is recorded, a state alone: the start of the run, or
 * what follows a gap. */
typedef struct unit {
    int64_t tick;
    bool has_step;
    bool has_hole; /* damaged or left out in part: a missing record is no difference */
    es_step step;
    uint64_t input_size, input_done; /* as recorded, and as far as it is here */
    unsigned char *input;            /* its first input_kept bytes */
    size_t input_kept;
    uint64_t input_hash;
    uint64_t events, events_hash;
    uint64_t *hashes; /* hash_count of them */
    size_t hash_count;
    bool has_snapshot;    /* a whole one: */
    es_replay_item place; /* its first record */
    uint64_t state_hash;  /* of its packed bytes */
} unit;

typedef struct unit_reader {
    replay_file *file;
    unit now;
    uint64_t input_hash, events_hash, state_hash; /* so far */
    es_replay_item snapshot_place;                /* the first record of the last that began */
    uint64_t snapshots;                           /* whole ones so far */
    bool has_tick;
    int64_t last_tick;
    uint64_t ticks; /* with a step, so far */
    replay_sum sum; /* of all that was read: whether it is intact */
    int status;     /* TOOL_OK, or why there is no more */
} unit_reader;

/* FNV-1a of bytes that come in pieces. It only says that bytes are equal. */
static uint64_t hash_more(uint64_t hash, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* False: out of memory. input and hashes are to be freed in any case. */
static bool begin_units(unit_reader *units, replay_file *file)
{
    *units = (unit_reader){.file = file, .sum = {.header = &file->header}};
    units->now.input = malloc(ES_RECORD_SIZE_MAX);
    units->now.hashes = malloc(ES_RECORD_SIZE_MAX);
    es_replay_seek_item(file->replay, NULL);
    return units->now.input != NULL && units->now.hashes != NULL;
}

static void open_unit(unit_reader *units, int64_t tick)
{
    unit *now = &units->now;
    *now = (unit){.tick = tick, .input = now->input, .hashes = now->hashes};
    units->input_hash = units->events_hash = HASH_START;
}

/* The first record of an input is kept: for the first byte that differs. */
static void take_input(unit_reader *units, const es_replay_item *part)
{
    unit *now = &units->now;
    if (part->part != now->input_done || part->step.index != now->tick) {
        return;
    }
    if (part->part == 0) {
        memcpy(now->input, part->bytes, part->size);
        now->input_kept = part->size;
    }
    units->input_hash = hash_more(units->input_hash, part->bytes, part->size);
    now->input_done += part->size;
}

static void take_step(unit_reader *units, const es_replay_item *item)
{
    open_unit(units, item->step.index);
    units->now.has_step = true;
    units->now.step = item->step;
    units->now.input_size = item->total;
    take_input(units, item);
}

static void take_event(unit_reader *units, const es_replay_item *item)
{
    unsigned char head[8];
    if (item->step.index != units->now.tick) {
        return; /* its step is lost */
    }
    for (unsigned i = 0; i < 4; ++i) {
        head[i] = (unsigned char)(item->count >> (8 * i));
        head[4 + i] = (unsigned char)(item->size >> (8 * i));
    }
    units->events_hash = hash_more(units->events_hash, head, sizeof head);
    units->events_hash = hash_more(units->events_hash, item->bytes, item->size);
    units->now.events += 1;
}

static void take_hashes(unit_reader *units, const es_replay_item *item)
{
    if (item->step.index != units->now.tick) {
        return;
    }
    units->now.hash_count = (size_t)item->count;
    for (size_t i = 0; i < item->count; ++i) {
        units->now.hashes[i] = replay_hash_at(item, i);
    }
}

/* A snapshot may have several records; it counts where all of them are here. */
static void take_snapshot(unit_reader *units, const es_replay_item *item)
{
    if (item->kind != ES_RECORD_SNAPSHOT || item->total != units->file->header.packed_size) {
        return;
    }
    if (item->part == 0) {
        units->snapshot_place = *item;
        units->state_hash = HASH_START;
    }
    units->state_hash = hash_more(units->state_hash, item->bytes, item->size);
    if (units->sum.snapshots > units->snapshots && item->step.index == units->now.tick) {
        units->now.has_snapshot = true;
        units->now.place = units->snapshot_place;
        units->now.state_hash = units->state_hash;
    }
    units->snapshots = units->sum.snapshots;
}

static void take(unit_reader *units, const es_replay_item *item)
{
    if (item->damage != ES_DAMAGE_NONE || item->kind == ES_RECORD_GAP) {
        units->now.has_hole = true;
    } else if (item->kind == ES_RECORD_INPUT) {
        take_input(units, item);
    } else if (item->kind == ES_RECORD_EVENT) {
        take_event(units, item);
    } else if (item->kind == ES_RECORD_HASH) {
        take_hashes(units, item);
    }
    take_snapshot(units, item);
}

/* A step, or a state of another tick than the one at hand. */
static bool begins_unit(const es_replay_item *item, bool open, int64_t tick)
{
    return item->kind == ES_RECORD_STEP
           || (item->kind == ES_RECORD_SNAPSHOT && item->part == 0
                   && (!open || item->step.index != tick));
}

static void begin_unit(unit_reader *units, const es_replay_item *item)
{
    if (item->kind == ES_RECORD_STEP) {
        take_step(units, item);
    } else {
        open_unit(units, item->step.index);
    }
    take(units, item);
}

/* One unit, in the order of the file. The item that begins the next one is read again then. */
static bool read_unit(unit_reader *units)
{
    es_replay_item item;
    bool open = false;
    while (replay_next(units->file, &item, &units->status)) {
        bool begins = begins_unit(&item, open, units->now.tick);
        if (begins && open) {
            es_replay_seek_item(units->file->replay, &item);
            break;
        }
        replay_sum_add(&units->sum, &item);
        if (begins) {
            open = true;
            begin_unit(units, &item);
        } else if (open) {
            take(units, &item);
        }
    }
    if (open) {
        units->now.input_hash = units->input_hash;
        units->now.events_hash = units->events_hash;
    }
    return open && units->status == TOOL_OK;
}

/* The next tick, in now. False: there is none; see status. */
static bool next_unit(unit_reader *units)
{
    while (read_unit(units)) { /* units out of order are contradictions, which the sum counts */
        bool later = !units->has_tick || units->now.tick > units->last_tick;
        if (later) {
            units->has_tick = true;
            units->last_tick = units->now.tick;
            units->ticks += units->now.has_step;
            return true;
        }
    }
    return false;
}

/* --- the numbers of a snapshot ---------------------------------------------------------------- */

/* The numbers of a snapshot, read from the file one after the other. */
typedef struct number_reader {
    replay_file *file;
    const unsigned char *at;
    size_t left; /* of the current record */
} number_reader;

static bool next_part(number_reader *numbers)
{
    es_replay_item part;
    if (!es_replay_next_item(numbers->file->replay, &part) || part.kind != ES_RECORD_SNAPSHOT) {
        return false;
    }
    numbers->at = part.bytes;
    numbers->left = part.size;
    return true;
}

/* The next number as packed. False: it cannot be read any more. */
static bool next_number(number_reader *numbers, es_type type, uint64_t *bits)
{
    *bits = 0;
    for (unsigned i = 0; i < ES_TYPE_SIZE(type); ++i) { /* records end anywhere in a number */
        if (numbers->left == 0 && !next_part(numbers)) {
            return false;
        }
        *bits |= (uint64_t)*numbers->at++ << (8 * i);
        numbers->left -= 1;
    }
    return true;
}

/* --- two recordings --------------------------------------------------------------------------- */

/* In the order in which differences follow from each other. */
enum { INPUT, STEP, EVENTS, HASHES, STATE, ASPECTS };

static const char *const aspect_names[ASPECTS] = {"input", "step", "events", "hashes", "state"};

typedef struct aspect {
    uint64_t compared, differing; /* ticks */
    int64_t tick;                 /* the first that differs, and in what: */
    json_t *detail;
} aspect;

typedef struct diff {
    replay_file *files[2];
    unit_reader units[2];
    json_t *headers;               /* what differs in them */
    bool another_run;              /* some of that makes it another run */
    bool same_layout, same_hashes; /* whether states, and hashes, can be compared */
    aspect aspects[ASPECTS];
    es_replay_item states[2]; /* the first that differ */
    uint64_t both, only[2];   /* ticks */
} diff;

/* --- headers ---------------------------------------------------------------------------------- */

/* name: of a field or tag, or empty. */
static void differ_in_header(
        diff *d, bool another_run, const char *what, const char *name, const char *a, const char *b)
{
    char *escaped = tool_escape(name);
    json_array_append_new(
            d->headers, json_pack("{s:o, s:s, s:s, s:b}", "what",
                                json_sprintf("%s%s", what, escaped != NULL ? escaped : ""), "a", a,
                                "b", b, "another_run", (int)another_run));
    d->another_run = d->another_run || another_run;
    free(escaped);
}

static const replay_text *find(const replay_text *texts, size_t count, const replay_text *wanted)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(texts[i].name, wanted->name) == 0) {
            return &texts[i];
        }
    }
    return NULL;
}

/* Fields or tags by name. One that only one recording has counts where the other's header is whole:
 * else it may be lost. */
static void compare_texts(diff *d, const char *what, bool another_run,
        const replay_text *const texts[2], const size_t counts[2], const bool complete[2])
{
    static const replay_text none = {.text = "not there"};
    for (int i = 0; i < 2; ++i) {
        for (size_t k = 0; k < counts[i]; ++k) {
            const replay_text *mine = &texts[i][k];
            const replay_text *other = find(texts[1 - i], counts[1 - i], mine);
            bool same = other != NULL && strcmp(other->text, mine->text) == 0;
            if (same || (other != NULL ? i == 1 : !complete[1 - i])) {
                continue;
            }
            other = other != NULL ? other : &none;
            char *escaped[2] = {tool_escape(mine->text), tool_escape(other->text)};
            if (escaped[0] != NULL && escaped[1] != NULL) {
                differ_in_header(d, another_run, what, mine->name, escaped[i], escaped[1 - i]);
            }
            free(escaped[0]);
            free(escaped[1]);
        }
    }
}

static void compare_fields(diff *d)
{
    const replay_header *a = &d->files[0]->header, *b = &d->files[1]->header;
    size_t before = json_array_size(d->headers);
    compare_texts(d, "field ", true, (const replay_text *const[]){a->field_texts, b->field_texts},
            (const size_t[]){a->field_count, b->field_count},
            (const bool[]){a->is_whole, b->is_whole});
    d->same_layout = before == json_array_size(d->headers) && a->is_whole && b->is_whole;
    for (size_t i = 0; d->same_layout && i < a->field_count; ++i) {
        if (find(b->field_texts, b->field_count, &a->field_texts[i]) != &b->field_texts[i]) {
            d->same_layout = false;
            differ_in_header(d, true, "fields", "", "in one order", "in another");
        }
    }
}

static void compare_runs(diff *d)
{
    static const struct {
        const char *what;
        bool another_run;
    } parts[] = {{"tick rate", true}, {"seed", true}, {"library", false}, {"arithmetic", false},
            {"sin, pow and similar functions", false}, {"hashes", false}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    char texts[2][PARTS][REPLAY_NUMBER];
    for (int i = 0; i < 2; ++i) {
        const es_replay_run *run = &d->files[i]->header.run;
        const es_record_config *config = &run->config;
        if (config->tick_rate.numerator == 0) {
            snprintf(texts[i][0], REPLAY_NUMBER, "steps vary");
        } else {
            tool_format_rate(texts[i][0], config->tick_rate);
        }
        snprintf(texts[i][1], REPLAY_NUMBER, "%" PRIu64, config->seed);
        snprintf(texts[i][2], REPLAY_NUMBER, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, run->version[0],
                run->version[1], run->version[2]);
        snprintf(texts[i][3], REPLAY_NUMBER, "self-test %016" PRIx64, run->self_test[0]);
        snprintf(texts[i][4], REPLAY_NUMBER, "self-test %016" PRIx64, run->self_test[1]);
        snprintf(texts[i][5], REPLAY_NUMBER, "%s", replay_hashes_text(config->hashes));
    }
    for (size_t k = 0; k < PARTS; ++k) {
        if (strcmp(texts[0][k], texts[1][k]) != 0) {
            differ_in_header(d, parts[k].another_run, parts[k].what, "", texts[0][k], texts[1][k]);
        }
    }
}

static void compare_headers(diff *d)
{
    const replay_header *a = &d->files[0]->header, *b = &d->files[1]->header;
    if (!a->has_run || !b->has_run) {
        differ_in_header(d, false, "header", "", a->has_run ? "readable" : "damaged",
                b->has_run ? "readable" : "damaged");
        return;
    }
    compare_runs(d);
    compare_fields(d);
    /* tags are the program's own texts: they make no other run */
    compare_texts(d, "tag ", false, (const replay_text *const[]){a->tags, b->tags},
            (const size_t[]){a->tag_count, b->tag_count}, (const bool[]){true, true});
    d->same_hashes = d->same_layout && a->run.config.hashes == b->run.config.hashes
                     && a->run.config.hashes != ES_RECORD_HASH_NONE;
}

/* --- one tick --------------------------------------------------------------------------------- */

/* Counts a tick. True: it is the first that differs, and its detail is to be set. */
static bool count(aspect *of, int64_t tick, bool same)
{
    of->compared += 1;
    of->differing += !same;
    if (same || of->differing > 1) {
        return false;
    }
    of->tick = tick;
    return true;
}

static void compare_input(diff *d, const unit *a, const unit *b)
{
    size_t both = a->input_kept < b->input_kept ? a->input_kept : b->input_kept, at = 0;
    if (a->input_done < a->input_size || b->input_done < b->input_size) {
        return; /* a part of it is lost */
    }
    while (at < both && a->input[at] == b->input[at]) {
        at += 1;
    }
    bool same = a->input_size == b->input_size && a->input_hash == b->input_hash && at == both;
    bool at_known = at < both || a->input_kept == a->input_size || b->input_kept == b->input_size;
    if (count(&d->aspects[INPUT], a->tick, same)) {
        d->aspects[INPUT].detail = json_pack("{s:o, s:o, s:o}", "bytes_a",
                tool_json_count(a->input_size), "bytes_b", tool_json_count(b->input_size),
                "same_bytes", at_known ? tool_json_count(at) : json_null());
    }
}

/* What the update gets. Which frame ran a tick, and when, is no part of the run. */
static void compare_step(diff *d, const unit *a, const unit *b)
{
    uint64_t seconds[2];
    memcpy(&seconds[0], &a->step.dt_s, 8);
    memcpy(&seconds[1], &b->step.dt_s, 8);
    const struct {
        const char *name;
        es_type type;
        uint64_t a, b;
    } values[] = {{"time_ns", ES_TYPE_I64, (uint64_t)a->step.time_ns, (uint64_t)b->step.time_ns},
            {"dt_ns", ES_TYPE_I64, (uint64_t)a->step.dt_ns, (uint64_t)b->step.dt_ns},
            {"dt_s", ES_TYPE_F64, seconds[0], seconds[1]}};
    size_t i = 0;
    while (i < 3 && values[i].a == values[i].b) {
        i += 1;
    }
    if (count(&d->aspects[STEP], a->tick, i == 3)) {
        char texts[2][REPLAY_NUMBER];
        d->aspects[STEP].detail = json_pack("{s:s, s:s, s:s}", "value", values[i].name, "a",
                replay_format_number(texts[0], values[i].type, values[i].a), "b",
                replay_format_number(texts[1], values[i].type, values[i].b));
    }
}

static void compare_events(diff *d, const unit *a, const unit *b)
{
    bool same = a->events == b->events && a->events_hash == b->events_hash;
    if ((a->events == 0 && b->events == 0) || a->has_hole || b->has_hole) {
        return;
    }
    if (count(&d->aspects[EVENTS], a->tick, same)) {
        d->aspects[EVENTS].detail = json_pack("{s:o, s:o, s:n}", "a", tool_json_count(a->events),
                "b", tool_json_count(b->events), "same_bytes");
    }
}

static void compare_hashes(diff *d, const unit *a, const unit *b)
{
    size_t all = a->hash_count < b->hash_count ? a->hash_count : b->hash_count, different = 0;
    size_t at = 0;
    bool names = d->files[0]->header.run.config.hashes == ES_RECORD_HASH_NAMES;
    if (!d->same_hashes || all == 0) {
        return;
    }
    for (size_t i = all; i > 0; --i) {
        if (a->hashes[i - 1] != b->hashes[i - 1]) {
            different += 1;
            at = i > 1 || different == 1 || !names ? i - 1 : at; /* the first is of all */
        }
    }
    if (count(&d->aspects[HASHES], a->tick, different == 0)) {
        char *name = replay_hash_name(&d->files[0]->header, at, a->hashes[at] ^ b->hashes[at]);
        d->aspects[HASHES].detail =
                json_pack("{s:s, s:o, s:o, s:I, s:I}", "of", name != NULL ? name : "", "a",
                        tool_json_hash(a->hashes[at]), "b", tool_json_hash(b->hashes[at]), "hashes",
                        (json_int_t)different, "hashes_all", (json_int_t)all);
        free(name);
    }
}

static void compare_units(diff *d)
{
    const unit *a = &d->units[0].now, *b = &d->units[1].now;
    if (a->has_step && b->has_step) {
        d->both += 1;
        compare_input(d, a, b);
        compare_step(d, a, b);
        compare_events(d, a, b);
        compare_hashes(d, a, b);
    }
    if (d->same_layout && a->has_snapshot && b->has_snapshot
            && count(&d->aspects[STATE], a->tick, a->state_hash == b->state_hash)) {
        d->states[0] = a->place;
        d->states[1] = b->place;
    }
}

/* --- all ticks -------------------------------------------------------------------------------- */

static int compare_ticks(diff *d)
{
    unit_reader *a = &d->units[0], *b = &d->units[1];
    bool has_a = next_unit(a), has_b = next_unit(b);
    while (has_a || has_b) {
        bool take_a = has_a && (!has_b || a->now.tick <= b->now.tick);
        bool take_b = has_b && (!has_a || b->now.tick <= a->now.tick);
        if (take_a && take_b) {
            compare_units(d);
        }
        d->only[0] += take_a && a->now.has_step && !(take_b && b->now.has_step);
        d->only[1] += take_b && b->now.has_step && !(take_a && a->now.has_step);
        has_a = take_a ? next_unit(a) : has_a;
        has_b = take_b ? next_unit(b) : has_b;
    }
    replay_sum_finish(&a->sum);
    replay_sum_finish(&b->sum);
    return a->status != TOOL_OK ? a->status : b->status;
}

/* The first number that differs in two states, and how many do. */
static int find_number(diff *d)
{
    const replay_header *header = &d->files[0]->header;
    number_reader numbers[2];
    uint64_t differing = 0, bits[2];
    json_t *detail = json_object();
    d->aspects[STATE].detail = detail;
    for (int i = 0; i < 2; ++i) {
        numbers[i] = (number_reader){.file = d->files[i]};
        es_replay_seek_item(d->files[i]->replay, &d->states[i]);
    }
    for (size_t i = 0; i < header->field_count; ++i) {
        const replay_field *field = &header->fields[i];
        for (uint64_t n = 0; n < field->count * field->components; ++n) {
            for (int k = 0; k < 2; ++k) {
                if (!next_number(&numbers[k], field->type, &bits[k])) {
                    return replay_failed_to_read(d->files[k]->path, "it has changed meanwhile");
                }
            }
            if (bits[0] != bits[1] && differing++ == 0) {
                char texts[2][REPLAY_NUMBER];
                tool_json_set_text(detail, "field", header->field_texts[i].name);
                json_object_set_new(detail, "object", tool_json_count(n / field->components));
                json_object_set_new(detail, "component", tool_json_count(n % field->components));
                for (int k = 0; k < 2; ++k) {
                    replay_format_number(texts[k], field->type, bits[k]);
                    json_object_set_new(detail, k == 0 ? "a" : "b", json_string(texts[k]));
                }
            }
        }
    }
    json_object_set_new(detail, "numbers", tool_json_count(differing));
    return TOOL_OK;
}

/* --- the result ------------------------------------------------------------------------------- */

/* The first tick that differs in anything. False: there is none. */
static bool first_tick(const diff *d, int64_t *tick)
{
    bool found = false;
    for (int i = 0; i < ASPECTS; ++i) {
        const aspect *of = &d->aspects[i];
        if (of->differing > 0 && (!found || of->tick < *tick)) {
            found = true;
            *tick = of->tick;
        }
    }
    return found;
}

/* Nothing differs. A recording that is damaged or cut off may lack ticks. */
static bool is_same(const diff *d)
{
    int64_t tick;
    bool same = !first_tick(d, &tick) && !d->another_run;
    for (int i = 0; i < 2; ++i) {
        same = same && (d->only[i] == 0 || replay_sum_status(&d->units[1 - i].sum) != TOOL_OK);
    }
    return same;
}

static bool is_partial(const diff *d)
{
    return replay_sum_status(&d->units[0].sum) != TOOL_OK
           || replay_sum_status(&d->units[1].sum) != TOOL_OK;
}

static void note_verdict(const diff *d, replay_out *out)
{
    int64_t tick = 0;
    for (int i = 0; i < 2; ++i) {
        replay_note(out, "%c  %s: %" PRIu64 " ticks; %s", i == 0 ? 'A' : 'B', d->files[i]->path,
                d->units[i].ticks, replay_sum_verdict(&d->units[i].sum));
    }
    if (first_tick(d, &tick)) {
        replay_note(out, "\nThe first tick that differs: %" PRId64 ".", tick);
    } else if (d->both == 0 && !is_same(d)) {
        replay_note(out, "\nNo tick is in both.");
    } else {
        replay_note(out, "\nThe ticks that both have are equal%s%s.",
                d->another_run ? "; the headers differ" : "",
                d->only[0] + d->only[1] > 0 ? "; some ticks are in one only" : "");
    }
    if (is_partial(d)) {
        replay_note(out, "Not all of both can be read; `evenstep replay FILE` shows where.");
    }
}

static json_t *result_json(const diff *d)
{
    int64_t tick = 0;
    bool differ = first_tick(d, &tick);
    json_t *root = json_pack("{s:b, s:o, s:b, s:O, s:o, s:o, s:o}", "same", (int)is_same(d),
            "first_tick", differ ? json_integer(tick) : json_null(), "partial", (int)is_partial(d),
            "headers", d->headers, "ticks_both", tool_json_count(d->both), "ticks_only_a",
            tool_json_count(d->only[0]), "ticks_only_b", tool_json_count(d->only[1]));
    for (int i = 0; i < ASPECTS; ++i) {
        const aspect *of = &d->aspects[i];
        json_t *object = json_pack("{s:o, s:o}", "compared", tool_json_count(of->compared),
                "differing", tool_json_count(of->differing));
        if (of->differing > 0) {
            json_object_set_new(object, "first_tick", json_integer(of->tick));
            json_object_set(object, "first", of->detail);
        }
        json_object_set_new(root, aspect_names[i], object);
    }
    json_t *other = json_object();
    tool_json_set_text(other, "file", d->files[1]->path);
    json_object_set_new(root, "other", other);
    return root;
}

static int run(diff *d, replay_out *out)
{
    d->headers = json_array();
    if (!begin_units(&d->units[0], d->files[0]) || !begin_units(&d->units[1], d->files[1])
            || d->headers == NULL) {
        return replay_out_of_memory();
    }
    compare_headers(d);
    int status = compare_ticks(d);
    if (status == TOOL_OK && d->aspects[STATE].differing > 0) {
        status = find_number(d);
    }
    if (status != TOOL_OK) {
        return status;
    }
    note_verdict(d, out);
    replay_out_begin(out);
    if (out->json) {
        replay_show_header(d->files[0], out);
    }
    replay_out_member(out, "diff", result_json(d));
    replay_out_end(out);
    return !is_same(d) ? REPLAY_DIFFERS : is_partial(d) ? REPLAY_DAMAGED : TOOL_OK;
}

int replay_diff(replay_file *a, replay_file *b, replay_out *out)
{
    diff d = {.files = {a, b}};
    int status = run(&d, out);
    json_decref(d.headers);
    for (int i = 0; i < 2; ++i) {
        free(d.units[i].now.input);
        free(d.units[i].now.hashes);
    }
    for (int i = 0; i < ASPECTS; ++i) {
        json_decref(d.aspects[i].detail);
    }
    return status;
}
