/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay FILE --diff OTHER`: two recordings gone through side by side, tick by tick.
 * Ticks that one of them lacks are counted; the others are compared by everything that makes a run.
 */
#include "replay_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- headers ---------------------------------------------------------------------------------- */

static const replay_field *find_field(const replay_header *header, const replay_field *wanted)
{
    for (size_t i = 0; i < header->field_count; ++i) {
        const replay_field *field = &header->fields[i];
        if (field->name_size == wanted->name_size
                && memcmp(field->name, wanted->name, wanted->name_size) == 0) {
            return field;
        }
    }
    return NULL;
}

static bool same_field(const replay_field *a, const replay_field *b)
{
    return a->type == b->type && a->group == b->group && a->count == b->count
           && a->components == b->components;
}

static void describe_field(char *text, size_t size, const replay_field *field)
{
    if (field == NULL) {
        snprintf(text, size, "not there");
    } else {
        snprintf(text, size, "%s x %" PRIu32 ", objects: %" PRIu64 ", group %" PRId32,
                replay_type_name(field->type), field->components, field->count, field->group);
    }
}

static bool tell_field(const replay_field *named, const replay_field *a, const replay_field *b,
        replay_tell_header *tell, void *user)
{
    char texts[2][96];
    char *name = replay_escape(named->name, named->name_size);
    char *what = name != NULL ? malloc(strlen(name) + sizeof "field ") : NULL;
    bool good = what != NULL;
    if (good) {
        (void)sprintf(what, "field %s", name);
        describe_field(texts[0], sizeof texts[0], a);
        describe_field(texts[1], sizeof texts[1], b);
        tell(user, what, texts[0], texts[1], true);
    }
    free(what);
    free(name);
    return good;
}

/* Fields of one that the other has otherwise, or not at all: unless that may be for damage. */
static bool compare_fields_of(replay_difference *d, int which, replay_tell_header *tell, void *user)
{
    const replay_header *mine = &d->files[which]->header, *other = &d->files[1 - which]->header;
    for (size_t i = 0; i < mine->field_count; ++i) {
        const replay_field *field = &mine->fields[i], *found = find_field(other, field);
        bool differs = found != NULL ? which == 0 && !same_field(field, found) : other->is_whole;
        if (!differs) {
            continue;
        }
        d->header_differences += 1;
        if (!tell_field(
                    field, which == 0 ? field : found, which == 0 ? found : field, tell, user)) {
            return false;
        }
    }
    return true;
}

static bool compare_fields(replay_difference *d, replay_tell_header *tell, void *user)
{
    const replay_header *a = &d->files[0]->header, *b = &d->files[1]->header;
    size_t told = d->header_differences;
    if (!compare_fields_of(d, 0, tell, user) || !compare_fields_of(d, 1, tell, user)) {
        return false;
    }
    d->same_layout = told == d->header_differences && a->is_whole && b->is_whole;
    for (size_t i = 0; d->same_layout && i < a->field_count; ++i) {
        if (find_field(b, &a->fields[i]) != &b->fields[i]) {
            d->header_differences += 1;
            d->same_layout = false;
            tell(user, "fields", "in one order", "in another", true);
        }
    }
    return true;
}

static void compare_runs(replay_difference *d, replay_tell_header *tell, void *user)
{
    static const char *const hashes[] = {"per group", "of the whole state", "per field", "none"};
    const es_reader_run *a = &d->files[0]->header.run, *b = &d->files[1]->header.run;
    char texts[2][REPLAY_NUMBER];
    if (a->tick_rate.numerator != b->tick_rate.numerator
            || a->tick_rate.denominator != b->tick_rate.denominator) {
        tool_format_rate(texts[0], a->tick_rate);
        tool_format_rate(texts[1], b->tick_rate);
        tell(user, "tick rate", a->tick_rate.numerator == 0 ? "steps vary" : texts[0],
                b->tick_rate.numerator == 0 ? "steps vary" : texts[1], true);
        d->header_differences += 1;
    }
    if (a->seed != b->seed) {
        snprintf(texts[0], sizeof texts[0], "%" PRIu64, a->seed);
        snprintf(texts[1], sizeof texts[1], "%" PRIu64, b->seed);
        tell(user, "seed", texts[0], texts[1], true);
        d->header_differences += 1;
    }
    if (memcmp(a->version, b->version, sizeof a->version) != 0) {
        for (int i = 0; i < 2; ++i) {
            const es_reader_run *run = i == 0 ? a : b;
            snprintf(texts[i], sizeof texts[i], "%" PRIu32 ".%" PRIu32 ".%" PRIu32, run->version[0],
                    run->version[1], run->version[2]);
        }
        tell(user, "library", texts[0], texts[1], false);
    }
    if (a->arithmetic != b->arithmetic || a->library != b->library) {
        tell(user, a->arithmetic != b->arithmetic ? "arithmetic" : "sin, pow ...", "one machine's",
                "another's", false);
    }
    if (a->hashes != b->hashes) {
        tell(user, "hashes", hashes[a->hashes], hashes[b->hashes], false);
    }
}

static const replay_tag *find_tag(const replay_header *header, const replay_tag *wanted)
{
    for (size_t i = 0; i < header->tag_count; ++i) {
        const replay_tag *tag = &header->tags[i];
        if (tag->name_size == wanted->name_size
                && memcmp(tag->name, wanted->name, wanted->name_size) == 0) {
            return tag;
        }
    }
    return NULL;
}

static char *tag_text(const replay_tag *tag)
{
    return tag != NULL ? replay_escape(tag->text, tag->text_size) : replay_escape("not there", 9);
}

/* named is one of a and b; the other may be NULL. */
static bool tell_tag(const replay_tag *named, const replay_tag *a, const replay_tag *b,
        replay_tell_header *tell, void *user)
{
    char *name = replay_escape(named->name, named->name_size);
    char *texts[2] = {tag_text(a), tag_text(b)};
    char *what = name != NULL ? malloc(strlen(name) + sizeof "tag ") : NULL;
    bool good = what != NULL && texts[0] != NULL && texts[1] != NULL;
    if (good) {
        (void)sprintf(what, "tag %s", name);
        tell(user, what, texts[0], texts[1], false);
    }
    free(what);
    free(name);
    free(texts[0]);
    free(texts[1]);
    return good;
}

/* Whoever recorded may say there what they like: it makes no other run. */
static bool compare_tags(
        const replay_header *a, const replay_header *b, replay_tell_header *tell, void *user)
{
    bool good = true;
    for (size_t i = 0; good && i < a->tag_count; ++i) {
        const replay_tag *mine = &a->tags[i], *other = find_tag(b, mine);
        bool same = other != NULL && other->text_size == mine->text_size
                    && memcmp(other->text, mine->text, mine->text_size) == 0;
        good = same || tell_tag(mine, mine, other, tell, user);
    }
    for (size_t i = 0; good && i < b->tag_count; ++i) {
        if (find_tag(a, &b->tags[i]) == NULL) {
            good = tell_tag(&b->tags[i], NULL, &b->tags[i], tell, user);
        }
    }
    return good;
}

bool replay_compare_headers(replay_difference *d, replay_tell_header *tell, void *user)
{
    const replay_header *a = &d->files[0]->header, *b = &d->files[1]->header;
    d->header_differences = 0;
    d->same_layout = d->same_hashes = false;
    if (!a->has_run || !b->has_run) {
        tell(user, "header", a->has_run ? "readable" : "damaged",
                b->has_run ? "readable" : "damaged", false);
        return true;
    }
    compare_runs(d, tell, user);
    if (!compare_fields(d, tell, user)) {
        return false;
    }
    d->same_hashes = d->same_layout && a->run.hashes == b->run.hashes
                     && a->run.hashes != ES_RECORD_HASH_NONE;
    return compare_tags(a, b, tell, user);
}

/* --- one tick --------------------------------------------------------------------------------- */

/* True: it is the first that differs, and the caller says in what. */
static bool differs(replay_first *first, int64_t tick)
{
    first->differing += 1;
    if (first->differing == 1) {
        first->tick = tick;
    }
    return first->differing == 1;
}

static void compare_input(replay_difference *d, const replay_unit *a, const replay_unit *b)
{
    replay_first *first = &d->first[REPLAY_INPUT];
    size_t both = a->input_kept < b->input_kept ? a->input_kept : b->input_kept, at = 0;
    if (a->input_done < a->input_size || b->input_done < b->input_size) {
        return; /* a part of it is lost */
    }
    first->compared += 1;
    while (at < both && a->input[at] == b->input[at]) {
        at += 1;
    }
    bool same = a->input_size == b->input_size && a->input_hash == b->input_hash && at == both;
    if (same || !differs(first, a->tick)) {
        return;
    }
    first->values[0] = a->input_size;
    first->values[1] = b->input_size;
    first->at = at;
    first->at_known = at < both || a->input_kept == a->input_size || b->input_kept == b->input_size;
    first->bytes[0] = at < a->input_kept ? a->input[at] : -1;
    first->bytes[1] = at < b->input_kept ? b->input[at] : -1;
}

/* What the update gets; when a frame ran it, and in which place, is no part of the run. */
static void compare_step(replay_difference *d, const replay_unit *a, const replay_unit *b)
{
    replay_first *first = &d->first[REPLAY_STEP];
    uint64_t seconds[2];
    memcpy(&seconds[0], &a->step.dt_s, 8);
    memcpy(&seconds[1], &b->step.dt_s, 8);
    const struct {
        const char *name;
        uint64_t values[2];
    } parts[] = {{"time_ns", {(uint64_t)a->step.time_ns, (uint64_t)b->step.time_ns}},
            {"dt_ns", {(uint64_t)a->step.dt_ns, (uint64_t)b->step.dt_ns}},
            {"dt_s", {seconds[0], seconds[1]}}};
    first->compared += 1;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (parts[i].values[0] != parts[i].values[1]) {
            if (differs(first, a->tick)) {
                first->what = parts[i].name;
                memcpy(first->values, parts[i].values, sizeof first->values);
            }
            return;
        }
    }
}

static void compare_events(replay_difference *d, const replay_unit *a, const replay_unit *b)
{
    replay_first *first = &d->first[REPLAY_EVENT];
    if ((a->events == 0 && b->events == 0) || a->has_hole || b->has_hole) {
        return;
    }
    first->compared += 1;
    if ((a->events != b->events || a->events_hash != b->events_hash) && differs(first, a->tick)) {
        first->values[0] = a->events;
        first->values[1] = b->events;
    }
}

static void compare_hashes(replay_difference *d, const replay_unit *a, const replay_unit *b)
{
    replay_first *first = &d->first[REPLAY_HASH];
    size_t count = a->hash_count < b->hash_count ? a->hash_count : b->hash_count, different = 0;
    size_t at = 0;
    if (!d->same_hashes || count == 0) {
        return;
    }
    first->compared += 1;
    for (size_t i = count; i > 0; --i) {
        if (a->hashes[i - 1] != b->hashes[i - 1]) {
            different += 1;
            at = i - 1;
        }
    }
    if (different > 0 && differs(first, a->tick)) {
        first->at = at;
        first->values[0] = a->hashes[at];
        first->values[1] = b->hashes[at];
        first->hashes = different;
        first->hashes_all = count;
    }
}

static void compare_states(replay_difference *d, const replay_unit *a, const replay_unit *b)
{
    replay_first *first = &d->first[REPLAY_STATE];
    if (!d->same_layout || !a->has_snapshot || !b->has_snapshot) {
        return;
    }
    first->compared += 1;
    if (a->snapshot.hash != b->snapshot.hash && differs(first, a->tick)) {
        first->snapshots[0] = a->snapshot;
        first->snapshots[1] = b->snapshot;
    }
}

static void compare_units(replay_difference *d)
{
    const replay_unit *a = &d->units[0].now, *b = &d->units[1].now;
    if (a->has_step && b->has_step) {
        d->both += 1;
        compare_input(d, a, b);
        compare_step(d, a, b);
        compare_events(d, a, b);
        compare_hashes(d, a, b);
    }
    compare_states(d, a, b);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void count_only(replay_difference *d, int which)
{
    const replay_unit *unit = &d->units[which].now;
    if (unit->has_step) {
        d->only_first[which] = d->only[which] == 0 ? unit->tick : d->only_first[which];
        d->only[which] += 1;
    }
}

static int worst_of(const replay_difference *d)
{
    int a = d->units[0].status, b = d->units[1].status;
    return a != TOOL_OK ? a : b;
}

static int compare_ticks(replay_difference *d)
{
    bool there[2] = {replay_units_next(&d->units[0]), replay_units_next(&d->units[1])};
    replay_bar_begin(d->files[0], false);
    while (there[0] || there[1]) {
        int64_t ticks[2] = {d->units[0].now.tick, d->units[1].now.tick};
        bool take[2] = {there[0] && (!there[1] || ticks[0] <= ticks[1]),
                there[1] && (!there[0] || ticks[1] <= ticks[0])};
        if (take[0] && take[1]) {
            bool steps[2] = {d->units[0].now.has_step, d->units[1].now.has_step};
            compare_units(d);
            if (steps[0] != steps[1]) {
                count_only(d, steps[0] ? 0 : 1);
            }
        } else {
            count_only(d, take[0] ? 0 : 1);
        }
        for (int i = 0; i < 2; ++i) {
            there[i] = take[i] ? replay_units_next(&d->units[i]) : there[i];
        }
        if ((d->both & 1023) == 0) {
            replay_bar_show(d->files[0]);
        }
    }
    replay_bar_end(d->files[0]);
    return worst_of(d);
}

/* Number by number, through both files: the first that differs, and how many do. */
static int find_number(replay_difference *d)
{
    const replay_header *header = &d->files[0]->header;
    replay_numbers numbers[2];
    for (int i = 0; i < 2; ++i) {
        replay_numbers_begin(&numbers[i], d->files[i], &d->first[REPLAY_STATE].snapshots[i]);
    }
    for (size_t i = 0; i < header->field_count; ++i) {
        const replay_field *field = &header->fields[i];
        for (uint64_t n = 0; n < field->count * field->components; ++n) {
            uint64_t bits[2];
            for (int k = 0; k < 2; ++k) {
                if (!replay_numbers_next(&numbers[k], field->type, &bits[k])) {
                    return replay_failed_to_read(d->files[k]->path, "it has changed meanwhile");
                }
            }
            if (bits[0] != bits[1] && d->number.differing++ == 0) {
                d->number.field = field;
                d->number.element = n / field->components;
                d->number.component = (uint32_t)(n % field->components);
                memcpy(d->number.bits, bits, sizeof bits);
            }
        }
    }
    return TOOL_OK;
}

bool replay_first_tick(const replay_difference *d, int64_t *tick)
{
    bool found = false;
    for (int i = 0; i < REPLAY_ASPECTS; ++i) {
        const replay_first *first = &d->first[i];
        if (first->differing > 0 && (!found || first->tick < *tick)) {
            found = true;
            *tick = first->tick;
        }
    }
    return found;
}

bool replay_is_partial(const replay_difference *d)
{
    return replay_sum_status(&d->units[0].sum) != TOOL_OK
           || replay_sum_status(&d->units[1].sum) != TOOL_OK;
}

bool replay_is_same(const replay_difference *d)
{
    int64_t tick;
    bool same = !replay_first_tick(d, &tick) && d->header_differences == 0;
    for (int i = 0; i < 2; ++i) { /* ticks of one, and the other is whole */
        same = same && (d->only[i] == 0 || replay_sum_status(&d->units[1 - i].sum) != TOOL_OK);
    }
    return same;
}

static void tell_nothing(void *user, const char *what, const char *a, const char *b, bool counts)
{
    (void)user, (void)what, (void)a, (void)b, (void)counts;
}

static int compare(replay_difference *d, replay_out *out)
{
    if (!replay_units_begin(&d->units[0], d->files[0])
            || !replay_units_begin(&d->units[1], d->files[1])
            || !replay_compare_headers(d, tell_nothing, NULL)) {
        return replay_out_of_memory();
    }
    int status = compare_ticks(d);
    replay_sum_finish(&d->units[0].sum);
    replay_sum_finish(&d->units[1].sum);
    if (status == TOOL_OK && d->first[REPLAY_STATE].differing > 0) {
        status = find_number(d);
    }
    if (status != TOOL_OK) {
        return status;
    }
    replay_tell_difference(d, out);
    return !replay_is_same(d) ? REPLAY_DIFFERS : replay_is_partial(d) ? REPLAY_DAMAGED : TOOL_OK;
}

int replay_diff(replay_file *a, replay_file *b, replay_out *out)
{
    replay_difference d = {.files = {a, b}};
    int status = compare(&d, out);
    for (int i = 0; i < 2; ++i) {
        replay_units_end(&d.units[i]);
    }
    return status;
}
