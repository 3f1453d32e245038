/* SPDX-License-Identifier: Zlib
 *
 * Playing. Several places in one recording advance independently: ticks, frames and readings, each
 * looking for its own kinds of record. They stay near each other, so one window suffices.
 */
#include "playback_parts.h"

static bool is_last(const es_replay_item *item)
{
    return item->kind == ES_RECORD_NONE || item->kind == ES_RECORD_END;
}

/* The next record of this kind from a place on, which moves behind it. ES_ERR_STATE: there is none
 * before the recording's end; the place moves to the source's end, so that the next search costs
 * nothing. Else what the source fails with; es__playback_next will return it. holes: counts damage
 * in between; may be NULL. */
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
            play->failed = result;
            return result;
        }
        if (item->kind == kind) {
            *place = es__reader_at(&play->reader);
            return ES_OK;
        }
        if (is_last(item)) {
            *place = es__reader_at(&play->reader);
            place->offset = play->summary.bytes;
            return ES_ERR_STATE;
        }
    }
}

/* --- loading -------------------------------------------------------------------------------- */

static es_result load(es__playback *play, const es__playback_mark *from, void *state)
{
    es__reader_place behind;
    es_result result = es__playback_snapshot(play, from->place, play->scratch, &behind);
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
        play->compared = 0;
        play->compared_tick = INT64_MIN;
        play->frames = play->tape = (es__reader_place){0, 0};
        play->tape_taken = 0;
    }
    return result;
}

/* --- ticks ---------------------------------------------------------------------------------- */

/* The tick is damaged: looks for the first whole snapshot after it. */
static es_result find_resume(es__playback *play)
{
    es__playback_scan scan = es__playback_scan_from(play->ticks);
    es__playback_mark found;
    es_result result;
    play->resume = (es__playback_mark){.tick = INT64_MAX};
    while ((result = es__playback_scan_next(play, &scan, &found)) == ES_OK) {
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
            play->failed = result != ES_ERR_DAMAGED ? result : ES_OK;
            return result;
        }
        if (item.kind != ES_RECORD_INPUT || item.step.index != tick || item.part != done
                || item.total != total) {
            return ES_ERR_DAMAGED;
        }
        ES__ASSERT(done + item.size <= total && total <= play->config.input_max && item.size > 0,
                "%llu of %llu", (unsigned long long)done, (unsigned long long)total);
        memcpy(play->input + done, item.bytes, item.size);
        done += item.size;
    }
    return ES_OK;
}

/* No step is left behind damage: the end says whether the damage hid one. */
static es_result end_behind_damage(es__playback *play, es__reader_place place)
{
    const es__reader_summary *summary = &play->summary;
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
        return result == ES_ERR_STATE && holes > 0 ? end_behind_damage(play, place) : result;
    }
    if (play->tick == INT64_MAX || item.step.index != play->tick + 1) {
        return find_resume(play);
    }
    if (item.total > play->config.input_max) {
        return ES_ERR_SPACE;
    }
    es_step read = item.step;
    uint64_t total = item.total;
    ES__ASSERT(item.size <= total && total <= play->config.input_max, "%zu of %llu",
            (size_t)item.size, (unsigned long long)total);
    memcpy(play->input, item.bytes, item.size);
    result = read_rest(play, read.index, item.size, total);
    if (result != ES_OK) {
        return result == ES_ERR_DAMAGED ? find_resume(play) : result;
    }
    play->ticks = es__reader_at(&play->reader);
    ES__ASSERT_IS(read.index, ==, play->tick + 1);
    ES__ASSERT(play->ticks.offset > place.offset - ES__RECORD_OVERHEAD, "%llu",
            (unsigned long long)play->ticks.offset);
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
    if (es__playback_snapshot(play, place, play->scratch, &behind) != ES_OK) {
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
        es__reader_place next = es__reader_at(&play->reader);
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
        ES__ASSERT(play->compared > 0, "%llu", (unsigned long long)play->compared);
    }
    return same;
}

/* --- seeking -------------------------------------------------------------------------------- */

/* By the indices from the last one on: the place of the last snapshot that is not after a tick. It may
 * be damaged, or no place of one, as nothing that an index says is checked. */
static es_result find_place(es__playback *play, int64_t tick, es__reader_place *found)
{
    es__reader_place place = play->summary.index;
    int64_t best = INT64_MIN;
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
            } else if (entry.tick > best) {
                best = entry.tick;
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
    es__playback_scan scan = es__playback_scan_from(place);
    es__playback_mark found;
    es_result result;
    while ((result = es__playback_scan_next(play, &scan, &found)) == ES_OK && found.tick <= tick) {
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
    result = result == ES_OK ? load(play, &best, state) : result;
    if (result == ES_OK) {
        play->compared = 0;
        play->compared_tick = INT64_MIN;
    }
    return result;
}

/* --- frames, readings ----------------------------------------------------------------- */

bool es__playback_frame(es__playback *play, es_report *report)
{
    es_replay_item item;
    if (!play->loaded
            || playback_find(play, &play->frames, ES_RECORD_FRAME, &item, NULL) != ES_OK) {
        return false;
    }
    *report = *item.frame;
    return true;
}

bool es__playback_reading(es__playback *play, es__reading_kind *kind, int64_t *value_ns)
{
    es__reader_place place = play->tape;
    es_replay_item item;
    while (play->loaded && playback_find(play, &place, ES_RECORD_READINGS, &item, NULL) == ES_OK) {
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
    bool found = playback_find(play, &place, ES_RECORD_READINGS, &item, NULL) == ES_OK;
    return found ? es__reader_get_readings(&item).clock_has : 0;
}
