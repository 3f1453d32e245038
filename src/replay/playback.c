/* SPDX-License-Identifier: Zlib
 *
 * Playing. Several places in one recording advance independently: ticks, frames and readings, each
 * looking for its own kinds of record. They stay near each other, so one window suffices.
 */
#include "evenstep/playback.h"

#include <string.h>

#include "playback_parts.h"
#include "record_parts.h"
#include "state_parts.h"

es_reader_summary es_playback_summary(const es_playback *play)
{
    return play->summary;
}

es_playback_fit es_playback_fit_get(const es_playback *play)
{
    return play->fit;
}

const es_divergence *es_playback_divergence(const es_playback *play)
{
    return &play->divergence;
}

int64_t es_playback_tick(const es_playback *play)
{
    return play->tick;
}

int64_t es_playback_resume_tick(const es_playback *play)
{
    return play->resume.tick;
}

es_playback_progress es_playback_progress_get(const es_playback *play)
{
    return play->progress;
}

static bool is_last(const es_reader_item *item)
{
    return item->kind == ES_RECORD_NONE || item->kind == ES_RECORD_END;
}

/* The next record of this kind from a place on, which moves behind it. ES_ERR_STATE: there is none
 * before the recording's end; the place moves to the source's end, so that the next search costs
 * nothing. Else what the source fails with; es_playback_next will return it. holes: counts damage
 * in between; may be NULL. */
static es_result playback_find(es_playback *play, es_reader_place *place, es_record_kind kind,
        es_reader_item *item, uint64_t *holes)
{
    if (place->offset > 0 && place->offset >= play->summary.bytes) {
        return ES_ERR_STATE;
    }
    es_reader_go(&play->reader, *place);
    for (;;) {
        es_result result = es_reader_next(&play->reader, item);
        if (result == ES_ERR_DAMAGED) {
            if (holes != NULL) {
                *holes += 1;
            }
            continue;
        }
        if (result != ES_OK) {
            play->failed = result;
            return result;
        }
        if (item->kind == kind) {
            *place = es_reader_at(&play->reader);
            return ES_OK;
        }
        if (is_last(item)) {
            *place = es_reader_at(&play->reader);
            place->offset = play->summary.bytes;
            return ES_ERR_STATE;
        }
    }
}

/* --- loading -------------------------------------------------------------------------------- */

static es_result load(es_playback *play, const es_playback_mark *from, void *state)
{
    es_reader_place behind;
    es_result result = es__playback_snapshot(play, from->place, play->scratch, &behind);
    if (result != ES_OK) {
        return result;
    }
    es__state_copy(&play->layout, state, play->scratch);
    play->tick = from->tick;
    play->ticks = behind;
    play->loaded = true;
    play->failed = ES_OK;
    play->resume = (es_playback_mark){.tick = INT64_MAX};
    play->divergence = (es_divergence){0};
    if (play->config.loaded != NULL) {
        play->config.loaded(play->config.user, state, play->tick);
    }
    return ES_OK;
}

es_result es_playback_start(es_playback *play, void *state)
{
    if (play == NULL || state == NULL) {
        return ES_ERR_INVALID;
    }
    if (play->start_hidden) {
        play->resume = play->marks[0];
        return ES_ERR_DAMAGED;
    }
    es_result result = load(play, &play->marks[0], state);
    if (result == ES_OK) {
        play->progress = (es_playback_progress){0};
        play->compared_tick = INT64_MIN;
        play->frames = play->tape = (es_reader_place){0, 0};
        play->tape_taken = 0;
    }
    return result;
}

/* --- ticks ---------------------------------------------------------------------------------- */

/* The tick is damaged: looks for the first whole snapshot after it, marked or not. */
static es_result find_resume(es_playback *play)
{
    es__playback_scan scan = es__playback_scan_from(play->ticks);
    es_playback_mark found;
    es_result result;
    play->resume = (es_playback_mark){.tick = INT64_MAX};
    while ((result = es__playback_scan_next(play, &scan, &found)) == ES_OK) {
        if (found.tick > play->tick) {
            play->resume = found;
            return ES_ERR_DAMAGED;
        }
    }
    return result == ES_ERR_STATE ? ES_ERR_DAMAGED : result;
}

/* The parts of an input behind its first one follow at once. */
static es_result read_rest(es_playback *play, int64_t tick, uint32_t done, uint32_t total)
{
    while (done < total) {
        es_reader_item item;
        es_reader_step part;
        es_result result = es_reader_next(&play->reader, &item);
        if (result != ES_OK) {
            play->failed = result != ES_ERR_DAMAGED ? result : ES_OK;
            return result;
        }
        if (item.kind != ES_RECORD_INPUT || !es_reader_get_step(&item, &part)
                || part.step.index != tick || part.offset != done || part.total != total) {
            return ES_ERR_DAMAGED;
        }
        memcpy(play->input + done, part.bytes, part.size);
        done += (uint32_t)part.size;
    }
    return ES_OK;
}

/* No step is left behind damage: the end says whether the damage hid one. */
static es_result end_behind_damage(es_playback *play, es_reader_place place, uint64_t holes)
{
    const es_reader_summary *summary = &play->summary;
    if (!summary->ended || summary->end.tick > play->tick) {
        return find_resume(play);
    }
    play->ticks = place;
    play->progress.holes += holes;
    return ES_ERR_STATE;
}

es_result es_playback_next(es_playback *play, es_step *step, const void **input, size_t *size)
{
    es_reader_item item;
    es_reader_step read;
    es_reader_place place = play->ticks;
    uint64_t holes = 0;
    if (!play->loaded || play->failed != ES_OK) {
        return play->failed != ES_OK ? play->failed : ES_ERR_STATE;
    }
    es_result result = playback_find(play, &place, ES_RECORD_STEP, &item, &holes);
    if (result != ES_OK) {
        return result == ES_ERR_STATE && holes > 0 ? end_behind_damage(play, place, holes) : result;
    }
    if (!es_reader_get_step(&item, &read) || read.step.index != play->tick + 1) {
        return find_resume(play);
    }
    if (read.total > play->config.input_max) {
        return ES_ERR_SPACE;
    }
    memcpy(play->input, read.bytes, read.size);
    result = read_rest(play, read.step.index, (uint32_t)read.size, read.total);
    if (result != ES_OK) {
        return result == ES_ERR_DAMAGED ? find_resume(play) : result;
    }
    play->ticks = es_reader_at(&play->reader);
    play->tick = read.step.index;
    play->progress.ticks += 1;
    play->progress.holes += holes;
    *step = read.step;
    *input = play->input;
    *size = read.total;
    return ES_OK;
}

/* --- checks --------------------------------------------------------------------------------- */

static bool check_hashes(es_playback *play, const void *state, const es_reader_hashes *hashes)
{
    const es_layout *layout = &play->layout;
    es_record_hashes level = play->run.hashes;
    es_divergence found = {0};
    for (size_t i = 0, index = 0; i < layout->field_count; ++i) {
        if (!es__record_hash_begins(layout, level, i)) {
            continue;
        }
        const es_field *field = &layout->fields[i];
        uint64_t computed = es__record_hash(layout, level, i, state);
        uint64_t recorded = es_reader_hash(hashes, index++);
        if (computed == recorded) {
            continue;
        }
        if (found.hashes++ == 0) {
            found.found = true;
            found.tick = play->tick;
            found.level = level;
            found.computed = computed;
            found.recorded = recorded;
            found.group = level == ES_RECORD_HASH_GROUPS ? field->group : 0;
            found.field = level == ES_RECORD_HASH_FIELDS ? field : NULL;
        }
    }
    if (found.found && !play->divergence.found) {
        play->divergence = found;
    }
    return !found.found;
}

/* A snapshot of this tick locates a difference, and finds one if there are no hashes. */
static bool check_snapshot(
        es_playback *play, const void *state, es_reader_place place, bool hashed, bool *compared)
{
    es_reader_place behind;
    es_state_difference difference;
    es_divergence *divergence = &play->divergence;
    if (hashed && (!divergence->found || divergence->located)) {
        return true; /* nothing new to find */
    }
    if (es__playback_snapshot(play, place, play->scratch, &behind) != ES_OK) {
        return true;
    }
    *compared = true;
    if (es__state_compare(&play->layout, state, play->scratch, &difference)) {
        return true;
    }
    if (!divergence->found) {
        *divergence =
                (es_divergence){.found = true, .tick = play->tick, .level = ES_RECORD_HASH_NONE};
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
bool es_playback_check(es_playback *play, const void *state)
{
    bool same = true, compared = false;
    for (es_reader_place at = play->ticks; play->loaded && play->failed == ES_OK;) {
        es_reader_item item;
        es_reader_hashes hashes;
        es_reader_snapshot part;
        es_reader_go(&play->reader, at);
        es_result result = es_reader_next(&play->reader, &item);
        es_reader_place next = es_reader_at(&play->reader);
        if (result != ES_OK && result != ES_ERR_DAMAGED) {
            play->failed = result;
        }
        if (result == ES_OK && (is_last(&item) || item.kind == ES_RECORD_STEP)) {
            break;
        }
        if (result == ES_OK && es_reader_get_hashes(&item, &hashes) && hashes.tick == play->tick
                && hashes.count == play->run.hash_count) {
            same = check_hashes(play, state, &hashes) && same;
            compared = true;
        } else if (result == ES_OK && es_reader_get_snapshot(&item, &part)
                   && part.tick == play->tick && part.offset == 0) {
            same = check_snapshot(play, state, at, compared, &compared) && same;
        }
        at = next;
    }
    if (compared && play->compared_tick != play->tick) {
        play->compared_tick = play->tick;
        play->progress.compared += 1;
    }
    return same;
}

/* Where to go back to if the update did not run the tick. */
typedef struct position {
    es_reader_place ticks;
    int64_t tick;
    es_playback_progress progress;
} position;

static position position_of(const es_playback *play)
{
    return (position){play->ticks, play->tick, play->progress};
}

static void go_back(es_playback *play, position before)
{
    play->ticks = before.ticks;
    play->tick = before.tick;
    play->progress = before.progress;
}

es_result es_playback_run(es_playback *play, void *state, int64_t tick, bool past_divergence)
{
    if (play == NULL || state == NULL || play->config.update == NULL) {
        return ES_ERR_INVALID;
    }
    if (!play->loaded) {
        return ES_ERR_STATE;
    }
    while (play->tick < tick) {
        es_step step;
        const void *input;
        size_t size;
        position before = position_of(play);
        es_result result = es_playback_next(play, &step, &input, &size);
        if (result == ES_ERR_STATE && tick == INT64_MAX) {
            break;
        }
        if (result != ES_OK) {
            return result;
        }
        int stop = play->config.update(play->config.user, state, &step, input, size);
        if (stop < 0) {
            go_back(play, before);
            return ES_ERR_REFUSED;
        }
        if (!es_playback_check(play, state) && !past_divergence) {
            return ES_ERR_RANGE;
        }
        if (stop > 0) {
            return ES_ERR_REFUSED;
        }
    }
    return play->divergence.found ? ES_ERR_RANGE : ES_OK;
}

/* Without an update only ticks of snapshots can be reached, of which not all have a mark. */
static es_result load_exactly(
        es_playback *play, const es_playback_mark *from, int64_t tick, void *state)
{
    es__playback_scan scan = es__playback_scan_from(from->place);
    es_playback_mark found = *from;
    es_result result = ES_OK;
    while (result == ES_OK && found.tick < tick) {
        result = es__playback_scan_next(play, &scan, &found);
    }
    if (result != ES_OK && result != ES_ERR_STATE) {
        return result;
    }
    return result == ES_OK && found.tick == tick ? load(play, &found, state) : ES_ERR_INVALID;
}

es_result es_playback_seek(es_playback *play, int64_t tick, void *state)
{
    size_t best = SIZE_MAX;
    if (play == NULL || state == NULL) {
        return ES_ERR_INVALID;
    }
    for (size_t i = 0; i < play->mark_count && play->marks[i].tick <= tick; ++i) {
        best = i;
    }
    if (best == SIZE_MAX || tick == INT64_MAX) {
        return tick == INT64_MAX ? ES_ERR_STATE : ES_ERR_RANGE;
    }
    play->progress = (es_playback_progress){0};
    play->compared_tick = INT64_MIN;
    if (play->config.update == NULL) {
        return load_exactly(play, &play->marks[best], tick, state);
    }
    es_result result = load(play, &play->marks[best], state);
    if (result == ES_OK && play->tick < tick) {
        result = es_playback_run(play, state, tick, false);
    }
    while (result == ES_ERR_DAMAGED && play->resume.tick <= tick) { /* from behind the damage */
        es_playback_mark resume = play->resume;
        result = load(play, &resume, state);
        if (result == ES_OK && play->tick < tick) {
            result = es_playback_run(play, state, tick, false);
        }
    }
    return result;
}

/* --- frames, readings ----------------------------------------------------------------- */

bool es_playback_frame(es_playback *play, es_report *report)
{
    es_reader_item item;
    return play->loaded && playback_find(play, &play->frames, ES_RECORD_FRAME, &item, NULL) == ES_OK
           && es_reader_get_frame(&item, report);
}

bool es__playback_reading(es_playback *play, es_reading_kind *kind, int64_t *value_ns)
{
    es_reader_place place = play->tape;
    es_reader_item item;
    es_reader_readings readings;
    while (play->loaded && playback_find(play, &place, ES_RECORD_READINGS, &item, NULL) == ES_OK) {
        bool there = es_reader_get_readings(&item, &readings);
        for (uint32_t i = 0; there && i <= play->tape_taken; ++i) {
            there = es__reader_next_reading(&readings, kind, value_ns);
        }
        if (there) { /* the next search begins at this record */
            play->tape = (es_reader_place){item.offset, item.sequence};
            play->tape_taken += 1;
            return true;
        }
        play->tape = place;
        play->tape_taken = 0;
    }
    play->tape = place;
    return false;
}

uint32_t es__playback_clock_has(es_playback *play)
{
    es_reader_place place = {0, 0};
    es_reader_item item;
    es_reader_readings readings = {0};
    if (playback_find(play, &place, ES_RECORD_READINGS, &item, NULL) == ES_OK) {
        (void)es_reader_get_readings(&item, &readings);
    }
    return readings.clock_has;
}
