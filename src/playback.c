/* SPDX-License-Identifier: Zlib
 *
 * Playing: several places in one recording move on independently (ticks, events, frames, readings),
 * each looking for its own kinds of record. They stay near each other, so one window does for all.
 */
#include "evenstep/playback.h"

#include <string.h>

#include "playback_parts.h"

es_reader_run es_playback_run_info(const es_playback *play)
{
    return play->run;
}

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
    return play->resume_tick;
}

bool es__playback_find(es_playback *play, es_reader_place *place, es_record_kind kind,
        es_reader_item *item, bool *damaged)
{
    es_reader_go(&play->reader, *place);
    for (;;) {
        es_result result = es_reader_next(&play->reader, item);
        if (result == ES_ERR_DAMAGED) {
            if (damaged != NULL) {
                *damaged = true;
            }
            continue;
        }
        if (result != ES_OK || item->kind == ES_RECORD_NONE) {
            return false;
        }
        if (item->kind == kind) {
            *place = es_reader_at(&play->reader);
            return true;
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
    es_state_copy(&play->layout, state, play->scratch);
    play->tick = from->tick;
    play->ticks = behind;
    play->events = behind;
    play->loaded = true;
    play->resume_tick = INT64_MAX;
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
    es_result result = load(play, &play->marks[0], state);
    if (result == ES_OK) {
        play->frames = play->tape = (es_reader_place){0, 0};
        play->tape_taken = 0;
    }
    return result;
}

/* --- ticks ---------------------------------------------------------------------------------- */

static void find_resume_tick(es_playback *play)
{
    play->resume_tick = INT64_MAX;
    for (size_t i = 0; i < play->mark_count; ++i) {
        if (play->marks[i].tick > play->tick) {
            play->resume_tick = play->marks[i].tick;
            return;
        }
    }
}

/* The first part has been read into the buffer: the rest follows at once. */
static es_result read_rest(es_playback *play, int64_t tick, uint32_t done, uint32_t total)
{
    while (done < total) {
        es_reader_item item;
        es_reader_step part;
        es_result result = es_reader_next(&play->reader, &item);
        if (result != ES_OK) {
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

static es_result missing(es_playback *play)
{
    find_resume_tick(play);
    return ES_ERR_DAMAGED;
}

es_result es_playback_next(es_playback *play, es_step *step, const void **input, size_t *size)
{
    es_reader_item item;
    es_reader_step read;
    es_reader_place place = play->ticks;
    bool damage = false;
    if (!play->loaded) {
        return ES_ERR_STATE;
    }
    if (!es__playback_find(play, &place, ES_RECORD_STEP, &item, &damage)) {
        return damage ? missing(play) : ES_ERR_STATE;
    }
    if (!es_reader_get_step(&item, &read) || read.step.index != play->tick + 1) {
        return missing(play);
    }
    if (read.total > play->config.input_max) {
        return ES_ERR_SPACE;
    }
    memcpy(play->input, read.bytes, read.size);
    es_result result = read_rest(play, read.step.index, (uint32_t)read.size, read.total);
    if (result != ES_OK) {
        return result == ES_ERR_DAMAGED ? missing(play) : result;
    }
    play->ticks = es_reader_at(&play->reader);
    play->tick = read.step.index;
    *step = read.step;
    *input = play->input;
    *size = read.total;
    return ES_OK;
}

/* --- checks --------------------------------------------------------------------------------- */

static uint64_t hash_of(const es_playback *play, const void *state, size_t index)
{
    switch (play->run.hashes) {
    case ES_RECORD_HASH_WHOLE:
        return es_state_hash(&play->layout, state);
    case ES_RECORD_HASH_GROUPS:
        return es_state_hash_group(&play->layout, state, es_state_group(&play->layout, index));
    default:
        return es_state_hash_field(&play->layout.fields[index], state);
    }
}

static bool check_hashes(es_playback *play, const void *state, const es_reader_hashes *hashes)
{
    es_divergence found = {0};
    for (size_t i = 0; i < hashes->count && i < play->run.hash_count; ++i) {
        uint64_t computed = hash_of(play, state, i), recorded = es_reader_hash(hashes, i);
        if (computed == recorded) {
            continue;
        }
        if (found.hashes++ == 0) {
            found.found = true;
            found.tick = play->tick;
            found.level = play->run.hashes;
            found.computed = computed;
            found.recorded = recorded;
            if (found.level == ES_RECORD_HASH_GROUPS) {
                found.group = es_state_group(&play->layout, i);
            } else if (found.level == ES_RECORD_HASH_FIELDS) {
                found.field = &play->layout.fields[i];
            }
        }
    }
    if (found.found && !play->divergence.found) {
        play->divergence = found;
    }
    return !found.found;
}

static void locate(es_playback *play, const void *state, es_reader_place place)
{
    es_reader_place behind;
    es_divergence *divergence = &play->divergence;
    if (es__playback_snapshot(play, place, play->scratch, &behind) != ES_OK
            || es_state_compare(&play->layout, state, play->scratch, &divergence->difference)) {
        return;
    }
    divergence->located = true;
    divergence->located_tick = play->tick;
    divergence->field = divergence->difference.field;
}

/* A snapshot of this tick tells more than hashes, and is there also where no hashes are kept. */
static bool check_snapshot(es_playback *play, const void *state, es_reader_place place)
{
    es_reader_place behind;
    if (play->divergence.found) {
        if (!play->divergence.located) {
            locate(play, state, place);
        }
        return true; /* the hashes have told */
    }
    if (play->run.hash_count > 0) {
        return true;
    }
    if (es__playback_snapshot(play, place, play->scratch, &behind) != ES_OK
            || es_state_compare(&play->layout, state, play->scratch, NULL)) {
        return true;
    }
    play->divergence =
            (es_divergence){.found = true, .tick = play->tick, .level = ES_RECORD_HASH_NONE};
    locate(play, state, place);
    return false;
}

bool es_playback_check(es_playback *play, const void *state)
{
    bool same = true;
    for (es_reader_place at = play->ticks; play->loaded;) {
        es_reader_item item;
        es_reader_hashes hashes;
        es_reader_snapshot part;
        es_reader_go(&play->reader, at);
        es_result result = es_reader_next(&play->reader, &item);
        es_reader_place next = es_reader_at(&play->reader);
        if (result != ES_OK || item.kind == ES_RECORD_NONE || item.kind == ES_RECORD_STEP) {
            return same;
        }
        if (es_reader_get_hashes(&item, &hashes) && hashes.tick == play->tick) {
            same = check_hashes(play, state, &hashes);
        } else if (es_reader_get_snapshot(&item, &part) && part.tick == play->tick
                   && part.offset == 0) {
            same = check_snapshot(play, state, at) && same;
        }
        at = next;
    }
    return same;
}

es_result es_playback_run(es_playback *play, void *state, int64_t tick, bool past_divergence)
{
    if (play == NULL || state == NULL || play->config.update == NULL) {
        return ES_ERR_INVALID;
    }
    while (play->tick < tick) {
        es_step step;
        const void *input;
        size_t size;
        es_result result = es_playback_next(play, &step, &input, &size);
        if (result == ES_ERR_STATE && tick == INT64_MAX && play->loaded) {
            break;
        }
        if (result != ES_OK) {
            return result;
        }
        if (play->config.update(play->config.user, state, &step, input, size) != 0) {
            return ES_ERR_REFUSED;
        }
        if (!es_playback_check(play, state) && !past_divergence) {
            return ES_ERR_RANGE;
        }
    }
    return play->divergence.found ? ES_ERR_RANGE : ES_OK;
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
    if (best == SIZE_MAX) {
        return ES_ERR_RANGE;
    }
    if (play->marks[best].tick < tick && play->config.update == NULL) {
        return ES_ERR_INVALID;
    }
    es_result result = load(play, &play->marks[best], state);
    if (result != ES_OK || play->tick == tick) {
        return result;
    }
    return es_playback_run(play, state, tick, false);
}

/* --- events, frames, readings ----------------------------------------------------------------- */

bool es_playback_event(es_playback *play, int64_t tick, uint32_t kind, es_reader_event *event)
{
    es_reader_item item;
    es_reader_place place = play->events;
    while (play->loaded && es__playback_find(play, &place, ES_RECORD_EVENT, &item, NULL)) {
        if (!es_reader_get_event(&item, event) || event->tick > tick) {
            play->events = (es_reader_place){item.offset, item.sequence};
            return false;
        }
        play->events = place;
        if (event->tick == tick && event->kind == kind) {
            return true;
        }
    }
    return false;
}

bool es_playback_frame(es_playback *play, es_frame_report *report)
{
    es_reader_item item;
    return play->loaded && es__playback_find(play, &play->frames, ES_RECORD_FRAME, &item, NULL)
           && es_reader_get_frame(&item, report);
}

bool es_playback_reading(es_playback *play, es_reading_kind *kind, int64_t *value_ns)
{
    es_reader_place place = play->tape;
    es_reader_item item;
    es_reader_readings readings;
    while (play->loaded && es__playback_find(play, &place, ES_RECORD_READINGS, &item, NULL)) {
        bool there = es_reader_get_readings(&item, &readings);
        for (uint32_t i = 0; there && i <= play->tape_taken; ++i) {
            there = es_reader_next_reading(&readings, kind, value_ns);
        }
        if (there) { /* the next look begins at this record */
            play->tape = (es_reader_place){item.offset, item.sequence};
            play->tape_taken += 1;
            return true;
        }
        play->tape = place;
        play->tape_taken = 0;
    }
    return false;
}

uint32_t es_playback_clock_has(es_playback *play)
{
    es_reader_place place = {0, 0};
    es_reader_item item;
    es_reader_readings readings = {0};
    if (es__playback_find(play, &place, ES_RECORD_READINGS, &item, NULL)) {
        (void)es_reader_get_readings(&item, &readings);
    }
    return readings.clock_has;
}
