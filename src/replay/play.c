/* SPDX-License-Identifier: Zlib
 *
 * Playing. Several places in one recording advance independently: ticks, frames and readings, each
 * looking for its own kinds of record. They stay near each other, so one window suffices.
 */
#include "play.h"

#include "world/field.h"

enum { PLAYBACK_INPUT_MAX = 4096, PLAYBACK_ALIGNMENT = 64 };

/* --- memory --------------------------------------------------------------------------------- */

/* Bytes up to the next multiple of the alignment behind an array; SIZE_MAX: more than fits. */
static size_t playback_add(size_t at, size_t count, size_t size)
{
    size_t most = SIZE_MAX - PLAYBACK_ALIGNMENT;
    if (at > most || (size > 0 && count > (most - at) / size)) {
        return SIZE_MAX;
    }
    return (at + count * size + PLAYBACK_ALIGNMENT - 1) / PLAYBACK_ALIGNMENT * PLAYBACK_ALIGNMENT;
}

/* The arrays in a playback's memory, and where each ends. */
enum { FIELDS, WINDOW, SCRATCH, HASHES, INPUT, ARRAYS };

static void arrange(const es__playback_config *config, size_t ends[ARRAYS])
{
    size_t input = config->input_max != 0 ? config->input_max : PLAYBACK_INPUT_MAX;
    ends[FIELDS] = playback_add(0, config->layout->field_count, sizeof(es_field));
    ends[WINDOW] = playback_add(ends[FIELDS], ES_RECORD_SIZE_MAX, 1);
    ends[SCRATCH] = playback_add(ends[WINDOW], config->layout->state_size, 1);
    ends[HASHES] = playback_add(ends[SCRATCH], config->layout->field_count + 1, 8);
    ends[INPUT] = playback_add(ends[HASHES], input, 1);
}

size_t es__playback_memory_size(const es__playback_config *config)
{
    size_t ends[ARRAYS];
    arrange(config, ends);
    /* at any address */
    return ends[INPUT] > SIZE_MAX - PLAYBACK_ALIGNMENT ? 0 : ends[INPUT] + PLAYBACK_ALIGNMENT - 1;
}

/* Returns the reader's window. */
static unsigned char *divide(es__playback *play, const es__playback_config *config, void *memory)
{
    size_t skip =
            (PLAYBACK_ALIGNMENT - (uintptr_t)memory % PLAYBACK_ALIGNMENT) % PLAYBACK_ALIGNMENT;
    unsigned char *at = (unsigned char *)memory + skip;
    size_t ends[ARRAYS];
    arrange(config, ends);
    *play = (es__playback){.config = *config,
            .fields = (void *)at,
            .scratch = at + ends[WINDOW],
            .hashes = at + ends[SCRATCH],
            .input = at + ends[HASHES],
            .resume = {.tick = INT64_MAX}};
    play->config.input_max = config->input_max != 0 ? config->input_max : PLAYBACK_INPUT_MAX;
    memset(play->scratch, 0, config->layout->state_size);
    return at + ends[FIELDS];
}

/* --- the header ----------------------------------------------------------------------------- */

static es_result take_field(es__playback *play, const es_field *recorded, es__error *error)
{
    const es_field *mine = es__layout_find(play->config.layout, recorded->name);
    if (mine == NULL) {
        return es__refuse_as(error, ES_ERR_UNSUPPORTED, recorded->name,
                "is recorded, and the layout has no such field");
    }
    if (mine->type != recorded->type || es__components(mine) != recorded->components) {
        return es__refuse_as(error, ES_ERR_UNSUPPORTED, mine->name,
                "was recorded with another type or number of components");
    }
    if (mine->count != recorded->count) {
        return es__refuse_as(error, ES_ERR_UNSUPPORTED, mine->name,
                "was recorded for another number of objects");
    }
    if (es__layout_find(&play->layout, mine->name) != NULL) {
        return es__refuse_as(error, ES_ERR_DAMAGED, mine->name, "is recorded twice");
    }
    es_field *field = &play->fields[play->layout.field_count];
    *field = *mine;
    field->group = recorded->group; /* the recorded hashes are of these groups */
    play->layout.field_count += 1;
    return ES_OK;
}

/* The next record of the header, or of a copy of it. */
static es_result next_of_header(es__playback *play, bool copy, es_replay_item *item)
{
    es_replay_item original;
    es_result result = es__reader_next(&play->reader, item);
    while (result == ES_ERR_DAMAGED && item->count == 0 && item->damage != ES_DAMAGE_CUT) {
        result = es__reader_next(&play->reader, item); /* only the file's head is damaged */
    }
    if (result != ES_OK || !copy) {
        return result;
    }
    if (!es__reader_get_copy(&play->reader, item, &original)) {
        return ES_ERR_DAMAGED;
    }
    *item = original;
    return ES_OK;
}

/* The fields that follow the run. */
static es_result read_fields(es__playback *play, bool copy, es__error *error)
{
    es_replay_item item;
    play->layout = (es_layout){play->fields, 0, play->config.layout->state_size};
    for (uint32_t i = 0; i < play->run.field_count; ++i) {
        es_result result = next_of_header(play, copy, &item);
        if (result == ES_OK && item.kind != ES_RECORD_FIELD) {
            result = ES_ERR_DAMAGED;
        }
        if (result != ES_OK) {
            return es__refuse_as(error, result, "run", "is not followed by all of its fields");
        }
        result = take_field(play, item.field, error);
        if (result != ES_OK) {
            return result;
        }
    }
    if (play->run.packed_size != es__state_packed_size(&play->layout)
            || play->run.hash_count
                       != es__record_hash_count(&play->layout, play->run.config.hashes)) {
        return es__refuse_as(error, ES_ERR_DAMAGED, "run", "has other sizes than its fields");
    }
    return ES_OK;
}

/* The first whole copy of a damaged header. ES_ERR_STATE: there is none. */
static es_result read_copy(es__playback *play, es__error *error)
{
    es_replay_item item, original;
    es__reader_go(&play->reader, (es__reader_place){0, 0});
    for (;;) {
        es_result result = es__reader_next(&play->reader, &item);
        if (result == ES_ERR_DAMAGED) {
            continue;
        }
        if (result != ES_OK || item.kind == ES_RECORD_NONE) {
            return result != ES_OK ? es__refuse_as(error, result, "source", "cannot be read")
                                   : ES_ERR_STATE;
        }
        if (es__reader_get_copy(&play->reader, &item, &original)
                && original.kind == ES_RECORD_RUN) {
            play->run = *original.run;
            result = read_fields(play, true, error);
            if (result != ES_ERR_DAMAGED) {
                return result;
            }
        }
    }
}

static es_result read_header(es__playback *play, es__error *error)
{
    es_replay_item item;
    es_result result = next_of_header(play, false, &item);
    if (result == ES_OK && item.kind == ES_RECORD_RUN) {
        play->run = *item.run;
        result = read_fields(play, false, error);
    } else {
        result = result == ES_OK ? ES_ERR_DAMAGED : result;
        (void)es__refuse_as(error, result, "run", "is not the first record, or cannot be read");
    }
    if (result == ES_ERR_DAMAGED) {
        es__error of_copy; /* without one, error names what is wrong with the header itself */
        es_result copy = read_copy(play, &of_copy);
        if (copy != ES_OK && copy != ES_ERR_STATE) {
            return es__refuse_as(error, copy, of_copy.field, of_copy.reason);
        }
        result = copy == ES_OK ? ES_OK : ES_ERR_DAMAGED;
    }
    if (result != ES_OK) {
        return result;
    }
    es__state_self_test test = es__state_self_test_run();
    play->fit.arithmetic = test.arithmetic == play->run.self_test[0];
    play->fit.library = test.library == play->run.self_test[1];
    return ES_OK;
}

/* --- snapshots ------------------------------------------------------------------------------ */

/* A search for whole snapshots. */
typedef struct snapshot_scan {
    es__reader_place place;
    es__playback_mark open; /* the snapshot that is being read */
    uint64_t done;          /* bytes of it so far; UINT64_MAX: none is open */
    bool hidden;            /* damage may hide the start of the run */
} snapshot_scan;

/* Reads the whole snapshot that begins at a place into a state of the recording's layout. behind:
 * receives the place after it. */
static es_result read_state(
        es__playback *play, es__reader_place place, void *state, es__reader_place *behind)
{
    uint64_t done = 0;
    int64_t tick = 0;
    es__reader_go(&play->reader, place);
    while (done < play->run.packed_size) {
        es_replay_item item;
        es_result result = es__reader_next(&play->reader, &item);
        if (result != ES_OK) {
            return result;
        }
        if (item.kind != ES_RECORD_SNAPSHOT || item.part != done
                || item.total != play->run.packed_size || (done > 0 && item.step.index != tick)) {
            return ES_ERR_DAMAGED;
        }
        tick = item.step.index;
        done += es__state_unpack(&play->layout, state, item.part, item.bytes, item.size);
    }
    *behind = play->reader.place;
    return ES_OK;
}

static snapshot_scan scan_from(es__reader_place place)
{
    return (snapshot_scan){.place = place, .done = UINT64_MAX};
}

/* Whether this part completes the open snapshot. */
static bool is_completed(const es__playback *play, snapshot_scan *scan, const es_replay_item *part,
        es__reader_place place)
{
    if (part->part == 0) {
        scan->open = (es__playback_mark){part->step.index, part->step.time_ns, place};
        scan->done = 0;
    }
    if (part->total != play->run.packed_size || part->part != scan->done
            || part->step.index != scan->open.tick || part->step.index == INT64_MAX) {
        scan->done = UINT64_MAX; /* none is open */
        return false;
    }
    scan->done += part->size;
    return scan->done == part->total;
}

/* The next whole snapshot. ES_ERR_STATE: there is none. Else what the source fails with. */
static es_result scan_next(es__playback *play, snapshot_scan *scan, es__playback_mark *found)
{
    uint64_t header = 1 + (uint64_t)play->run.field_count + play->reader.tag_count;
    es__reader_go(&play->reader, scan->place);
    for (;;) {
        es_replay_item item;
        es__reader_place place = play->reader.place;
        es_result result = es__reader_next(&play->reader, &item);
        if (result == ES_OK && item.kind == ES_RECORD_NONE) {
            return ES_ERR_STATE;
        }
        if (result != ES_OK && result != ES_ERR_DAMAGED) {
            return result;
        }
        if (result == ES_OK && item.kind == ES_RECORD_SNAPSHOT) {
            if (is_completed(play, scan, &item, place)) {
                scan->place = play->reader.place;
                *found = scan->open;
                return ES_OK;
            }
            continue;
        }
        scan->done = UINT64_MAX;
        scan->hidden |= result == ES_OK ? item.kind == ES_RECORD_STEP
                                        : item.count > 0 && item.sequence + item.count > header;
    }
}

es_result es__playback_open(
        es__playback *play, const es__playback_config *config, void *memory, es__error *error)
{
    unsigned char *window = divide(play, config, memory);
    es_result result =
            es__reader_open(&play->reader, &config->stream, window, ES_RECORD_SIZE_MAX, error);
    if (result == ES_OK) {
        result = read_header(play, error);
    }
    if (result != ES_OK) {
        return result;
    }
    if (config->summary != NULL) {
        play->summary = *config->summary;
    } else {
        result = es__reader_outline(&play->reader, &play->summary);
    }
    snapshot_scan scan = scan_from((es__reader_place){0, 0});
    if (result == ES_OK) {
        result = scan_next(play, &scan, &play->first);
    }
    if (result == ES_ERR_STATE) {
        return es__refuse_as(error, ES_ERR_DAMAGED, "run", "is not followed by a whole snapshot");
    }
    if (result != ES_OK) {
        return es__refuse_as(error, result, "source", "cannot be read");
    }
    play->start_hidden = scan.hidden;
    play->tick = play->first.tick;
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

static bool is_last(const es_replay_item *item)
{
    return item->kind == ES_RECORD_NONE || item->kind == ES_RECORD_END;
}

/* The next record of this kind from a place on, which moves behind it. ES_ERR_STATE: there is none
 * before the recording's end; the place moves to the source's end, so that the next search costs
 * nothing. Else what the source fails with, and the place stays. holes: counts damage in between; may
 * be NULL. */
static es_result playback_find(es__playback *play, es__reader_place *place, es_record_kind kind,
        es_replay_item *item, uint64_t *holes)
{
    if (place->offset > 0 && place->offset >= play->summary.bytes) {
        return ES_ERR_STATE;
    }
    es__reader_go(&play->reader, *place);
    for (;;) {
        es_result result = es__reader_next(&play->reader, item);
        if (result == ES_ERR_DAMAGED) {
            if (holes != NULL) {
                *holes += 1;
            }
            continue;
        }
        if (result != ES_OK) {
            return result;
        }
        if (item->kind == kind) {
            *place = play->reader.place;
            return ES_OK;
        }
        if (is_last(item)) {
            *place = play->reader.place;
            place->offset = play->summary.bytes;
            return ES_ERR_STATE;
        }
    }
}

/* --- loading -------------------------------------------------------------------------------- */

static es_result load(es__playback *play, const es__playback_mark *from, void *state)
{
    es__reader_place behind;
    es_result result = read_state(play, from->place, play->scratch, &behind);
    if (result != ES_OK) {
        return result;
    }
    es__state_copy(&play->layout, state, play->scratch);
    play->tick = from->tick;
    play->ticks = behind;
    play->loaded = true;
    play->failed = ES_OK;
    play->resume = (es__playback_mark){.tick = INT64_MAX};
    play->divergence = (es__divergence){0};
    play->compared = 0;
    play->compared_tick = INT64_MIN;
    return ES_OK;
}

es_result es__playback_start(es__playback *play, void *state)
{
    if (play == NULL || state == NULL) {
        return ES_ERR_INVALID;
    }
    if (play->start_hidden) {
        play->resume = play->first;
        return ES_ERR_DAMAGED;
    }
    es_result result = load(play, &play->first, state);
    if (result == ES_OK) {
        play->frames = play->tape = (es__reader_place){0, 0};
        play->tape_taken = 0;
    }
    return result;
}

/* --- ticks ---------------------------------------------------------------------------------- */

/* The tick is damaged: looks for the first whole snapshot after it. */
static es_result find_resume(es__playback *play)
{
    snapshot_scan scan = scan_from(play->ticks);
    es__playback_mark found;
    es_result result;
    play->resume = (es__playback_mark){.tick = INT64_MAX};
    while ((result = scan_next(play, &scan, &found)) == ES_OK) {
        if (found.tick > play->tick) {
            play->resume = found;
            return ES_ERR_DAMAGED;
        }
    }
    return result == ES_ERR_STATE ? ES_ERR_DAMAGED : result;
}

/* The parts of an input behind its first one follow at once. */
static es_result read_rest(es__playback *play, int64_t tick, uint64_t done, uint64_t total)
{
    while (done < total) {
        es_replay_item item;
        es_result result = es__reader_next(&play->reader, &item);
        if (result != ES_OK) {
            return result;
        }
        if (item.kind != ES_RECORD_INPUT || item.step.index != tick || item.part != done
                || item.total != total) {
            return ES_ERR_DAMAGED;
        }
        ES__ASSERT(done + item.size <= total && total <= play->config.input_max && item.size > 0,
                done, total);
        memcpy(play->input + done, item.bytes, item.size);
        done += item.size;
    }
    return ES_OK;
}

/* No step is left. Behind damage the end says whether that hid one. Without damage there may be a gap,
 * with the state after it, and nothing more. */
static es_result end_of_steps(es__playback *play, es__reader_place place, uint64_t holes)
{
    const es__reader_summary *summary = &play->summary;
    if (holes == 0) {
        es_result result = find_resume(play);
        bool is_end = result == ES_ERR_DAMAGED && play->resume.tick == INT64_MAX;
        return is_end ? ES_ERR_STATE : result;
    }
    if (!summary->ended || summary->end_tick > play->tick) {
        return find_resume(play);
    }
    play->ticks = place;
    return ES_ERR_STATE;
}

es_result es__playback_next(es__playback *play, es_step *step, const void **input, size_t *size)
{
    es_replay_item item;
    es__reader_place place = play->ticks;
    uint64_t holes = 0;
    if (!play->loaded || play->failed != ES_OK) {
        return play->failed != ES_OK ? play->failed : ES_ERR_STATE;
    }
    es_result result = playback_find(play, &place, ES_RECORD_STEP, &item, &holes);
    if (result != ES_OK) {
        return result == ES_ERR_STATE ? end_of_steps(play, place, holes) : result;
    }
    if (play->tick == INT64_MAX || item.step.index != play->tick + 1) {
        return find_resume(play);
    }
    if (item.total > play->config.input_max) {
        return ES_ERR_SPACE;
    }
    es_step read = item.step;
    uint64_t total = item.total;
    memcpy(play->input, item.bytes, item.size);
    result = read_rest(play, read.index, item.size, total);
    if (result != ES_OK) {
        return result == ES_ERR_DAMAGED ? find_resume(play) : result;
    }
    play->ticks = play->reader.place;
    ES__ASSERT_IS(read.index, ==, play->tick + 1);
    play->tick = read.index;
    *step = read;
    *input = play->input;
    *size = (size_t)total;
    return ES_OK;
}

/* --- checks --------------------------------------------------------------------------------- */

static bool check_hashes(es__playback *play, const void *state, const es_replay_item *hashes)
{
    const es_layout *layout = &play->layout;
    es_record_hashes level = play->run.config.hashes;
    es__record_put_hashes(layout, level, state, play->hashes);
    if (memcmp(play->hashes, hashes->bytes, 8 * (size_t)play->run.hash_count) == 0) {
        return true;
    }
    if (!play->divergence.found) {
        const es_field *field = es__record_find_field(layout, level, play->hashes, hashes->bytes);
        play->divergence =
                (es__divergence){.found = true, .tick = play->tick, .level = level, .field = field};
        if (level == ES_RECORD_HASH_GROUPS) {
            play->divergence.group = field->group;
            play->divergence.field = NULL;
        }
    }
    return false;
}

/* A snapshot of this tick locates a difference, and finds one if there are no hashes. */
static bool check_snapshot(
        es__playback *play, const void *state, es__reader_place place, bool hashed, bool *compared)
{
    es__reader_place behind;
    es__state_difference difference;
    es__divergence *divergence = &play->divergence;
    if (hashed && (!divergence->found || divergence->located)) {
        return true; /* nothing new to find */
    }
    es_result result = read_state(play, place, play->scratch, &behind);
    if (result != ES_OK) {
        play->failed = result != ES_ERR_DAMAGED ? result : play->failed;
        return true;
    }
    *compared = true;
    if (es__state_compare(&play->layout, state, play->scratch, &difference)) {
        return true;
    }
    if (!divergence->found) {
        *divergence =
                (es__divergence){.found = true, .tick = play->tick, .level = ES_RECORD_HASH_NONE};
    }
    if (!divergence->located) {
        divergence->located = true;
        divergence->located_tick = play->tick;
        divergence->difference = difference;
        if (divergence->tick == play->tick) { /* a later one may differ in another field */
            divergence->field = difference.field;
        }
    }
    return false;
}

/* Looks at all records up to the next step, also behind damage. */
bool es__playback_check(es__playback *play, const void *state)
{
    bool same = true, compared = false;
    for (es__reader_place at = play->ticks; play->loaded && play->failed == ES_OK;) {
        es_replay_item item;
        es__reader_go(&play->reader, at);
        es_result result = es__reader_next(&play->reader, &item);
        es__reader_place next = play->reader.place;
        if (result != ES_OK && result != ES_ERR_DAMAGED) {
            play->failed = result;
        }
        if (result == ES_OK && (is_last(&item) || item.kind == ES_RECORD_STEP)) {
            break;
        }
        if (result == ES_OK && item.kind == ES_RECORD_HASH && item.step.index == play->tick
                && item.count == play->run.hash_count) {
            same = check_hashes(play, state, &item) && same;
            compared = true;
        } else if (result == ES_OK && item.kind == ES_RECORD_SNAPSHOT
                   && item.step.index == play->tick && item.part == 0) {
            same = check_snapshot(play, state, at, compared, &compared) && same;
        }
        at = next;
    }
    if (compared && play->compared_tick != play->tick) {
        play->compared_tick = play->tick;
        play->compared += 1;
    }
    return same;
}

/* --- seeking -------------------------------------------------------------------------------- */

/* By the indices from the last one on: the place of the last snapshot that is not after a tick. It may
 * be damaged, or no place of one, as nothing that an index says is checked. */
static es_result find_place(es__playback *play, int64_t tick, es__reader_place *found)
{
    es__reader_place place = play->summary.index;
    for (int steps = 0; steps <= ES__INDEX_MAX && place.offset > 0; ++steps) {
        es_replay_item item;
        es__reader_go(&play->reader, place);
        es_result result = es__reader_next(&play->reader, &item);
        place.offset = 0;
        if (result != ES_OK || item.kind != ES_RECORD_INDEX) {
            return result == ES_ERR_DAMAGED ? ES_OK : result;
        }
        for (size_t i = 0; i < item.count && place.offset == 0; ++i) {
            es__index_entry entry = es__reader_get_entry(&item, i);
            es__reader_place at = {entry.offset, entry.sequence};
            if (entry.tick > tick) {
                place = at; /* the index there has others between `found` and this one */
            } else {
                *found = at;
            }
        }
    }
    return ES_OK;
}

/* The last whole snapshot from a place on that is not after a tick; best->tick stays if there is none. */
static es_result find_snapshot(
        es__playback *play, es__reader_place place, int64_t tick, es__playback_mark *best)
{
    snapshot_scan scan = scan_from(place);
    es__playback_mark found;
    es_result result;
    while ((result = scan_next(play, &scan, &found)) == ES_OK && found.tick <= tick) {
        *best = found;
    }
    return result == ES_ERR_STATE ? ES_OK : result;
}

es_result es__playback_seek(es__playback *play, int64_t tick, void *state)
{
    es__playback_mark best = {.tick = INT64_MAX};
    if (play == NULL || state == NULL) {
        return ES_ERR_INVALID;
    }
    if (play->first.tick > tick) {
        return ES_ERR_RANGE;
    }
    es__reader_place place = play->first.place;
    es_result result = find_place(play, tick, &place);
    if (result == ES_OK) {
        result = find_snapshot(play, place, tick, &best);
    }
    if (result == ES_OK && best.tick == INT64_MAX) {
        result = find_snapshot(play, play->first.place, tick, &best);
    }
    return result == ES_OK ? load(play, &best, state) : result;
}

/* --- frames, readings ----------------------------------------------------------------- */

es_result es__playback_frame(es__playback *play, es_report *report)
{
    es_replay_item item;
    es_result result = play->loaded
                               ? playback_find(play, &play->frames, ES_RECORD_FRAME, &item, NULL)
                               : ES_ERR_STATE;
    if (result == ES_OK) {
        *report = *item.frame;
    }
    return result;
}

/* A clock has to answer: a failure is left for es__playback_next. */
static bool find_readings(es__playback *play, es__reader_place *place, es_replay_item *item)
{
    es_result result = playback_find(play, place, ES_RECORD_READINGS, item, NULL);
    if (result != ES_OK && result != ES_ERR_STATE) {
        play->failed = result;
    }
    return result == ES_OK;
}

bool es__playback_reading(es__playback *play, es__reading_kind *kind, int64_t *value_ns)
{
    es__reader_place place = play->tape;
    es_replay_item item;
    while (play->loaded && find_readings(play, &place, &item)) {
        es__reader_readings readings = es__reader_get_readings(&item);
        bool there = true;
        for (uint32_t i = 0; there && i <= play->tape_taken; ++i) {
            there = es__reader_next_reading(&readings, kind, value_ns);
        }
        if (there) { /* the next search begins at this record */
            play->tape = (es__reader_place){item.offset, item.sequence};
            play->tape_taken += 1;
            return true;
        }
        play->tape = place;
        play->tape_taken = 0;
    }
    play->tape = place;
    return false;
}

uint32_t es__playback_clock_has(es__playback *play)
{
    es__reader_place place = {0, 0};
    es_replay_item item;
    uint32_t has = 0;
    /* the first blocks may have values only */
    while (has == 0 && find_readings(play, &place, &item)) {
        has = es__reader_get_readings(&item).clock_has;
    }
    return has;
}
