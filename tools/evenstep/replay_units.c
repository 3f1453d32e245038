/* SPDX-License-Identifier: Zlib */
#include "replay_units.h"

#include <stdlib.h>
#include <string.h>

bool replay_units_begin(replay_units *units, replay_file *file)
{
    *units = (replay_units){.file = file, .sum = {.header = &file->header}};
    units->now.input = malloc(ES_RECORD_SIZE_MAX);
    units->now.hashes = malloc(ES_RECORD_SIZE_MAX);
    replay_rewind(file);
    return units->now.input != NULL && units->now.hashes != NULL;
}

void replay_units_end(replay_units *units)
{
    free(units->now.input);
    free(units->now.hashes);
}

/* --- records ---------------------------------------------------------------------------------- */

static void open_unit(replay_units *units, int64_t tick)
{
    replay_unit *now = &units->now;
    *now = (replay_unit){.tick = tick, .input = now->input, .hashes = now->hashes};
    es_hash_begin(&units->input_hash, 0);
    es_hash_begin(&units->events_hash, 0);
}

/* The first record of an input is kept: for the first byte that differs. */
static void take_input(replay_units *units, const es_reader_step *part)
{
    replay_unit *now = &units->now;
    if (part->offset != now->input_done || part->step.index != now->tick) {
        return;
    }
    if (part->offset == 0) {
        memcpy(now->input, part->bytes, part->size);
        now->input_kept = part->size;
    }
    es_hash_add(&units->input_hash, part->bytes, part->size);
    now->input_done += part->size;
}

static void take_step(replay_units *units, const es_reader_item *item)
{
    es_reader_step step;
    (void)es_reader_get_step(item, &step);
    open_unit(units, step.step.index);
    units->now.has_step = true;
    units->now.step = step.step;
    units->now.input_size = step.total;
    take_input(units, &step);
}

static void take_event(replay_units *units, const es_reader_item *item)
{
    es_reader_event event;
    unsigned char head[8];
    (void)es_reader_get_event(item, &event);
    if (event.tick != units->now.tick) {
        return; /* its step is lost */
    }
    for (unsigned i = 0; i < 4; ++i) {
        head[i] = (unsigned char)(event.kind >> (8 * i));
        head[4 + i] = (unsigned char)(event.size >> (8 * i));
    }
    es_hash_add(&units->events_hash, head, sizeof head);
    es_hash_add(&units->events_hash, event.bytes, event.size);
    units->now.events += 1;
}

static void take_hashes(replay_units *units, const es_reader_item *item)
{
    es_reader_hashes hashes;
    (void)es_reader_get_hashes(item, &hashes);
    if (hashes.tick != units->now.tick) {
        return;
    }
    units->now.hash_count = hashes.count;
    for (size_t i = 0; i < hashes.count; ++i) {
        units->now.hashes[i] = es_reader_hash(&hashes, i);
    }
}

/* A snapshot may have several records; it counts where all of them are here. */
static void take_snapshot(replay_units *units, const es_reader_item *item)
{
    es_reader_snapshot part;
    if (!es_reader_get_snapshot(item, &part) || part.total != units->file->header.packed_size) {
        return;
    }
    if (part.offset == 0) {
        units->snapshot_place = (es_reader_place){item->offset, item->sequence};
        es_hash_begin(&units->state_hash, 0);
    }
    es_hash_add(&units->state_hash, part.bytes, part.size);
    if (units->sum.snapshots > units->snapshots && part.tick == units->now.tick) {
        units->now.has_snapshot = true;
        units->now.place = units->snapshot_place;
        units->now.state_hash = es_hash_value(&units->state_hash);
    }
    units->snapshots = units->sum.snapshots;
}

static void take(replay_units *units, const es_reader_item *item)
{
    es_reader_step part;
    if (item->damage != ES_DAMAGE_NONE || item->kind == ES_RECORD_GAP) {
        units->now.has_hole = true;
    } else if (item->kind == ES_RECORD_INPUT && es_reader_get_step(item, &part)) {
        take_input(units, &part);
    } else if (item->kind == ES_RECORD_EVENT) {
        take_event(units, item);
    } else if (item->kind == ES_RECORD_HASH) {
        take_hashes(units, item);
    }
    take_snapshot(units, item);
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* A step, or a state of another tick than the one at hand. */
static bool begins_unit(const es_reader_item *item, bool open, int64_t tick)
{
    es_reader_snapshot part;
    if (item->damage != ES_DAMAGE_NONE) {
        return false;
    }
    return item->kind == ES_RECORD_STEP
           || (es_reader_get_snapshot(item, &part) && part.offset == 0
                   && (!open || part.tick != tick));
}

static void begin_unit(replay_units *units, const es_reader_item *item)
{
    es_reader_snapshot part;
    if (item->kind == ES_RECORD_STEP) {
        take_step(units, item);
    } else if (es_reader_get_snapshot(item, &part)) {
        open_unit(units, part.tick);
    }
    take(units, item);
}

/* One unit, in the order of the file. The item that begins the next one is read again then. */
static bool read_unit(replay_units *units)
{
    es_reader *reader = &units->file->reader;
    es_reader_place place = es_reader_at(reader);
    es_reader_item item;
    bool open = false;
    for (; replay_next(units->file, &item, &units->status); place = es_reader_at(reader)) {
        bool begins = begins_unit(&item, open, units->now.tick);
        if (begins && open) {
            es_reader_go(reader, place);
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
        units->now.input_hash = es_hash_value(&units->input_hash);
        units->now.events_hash = es_hash_value(&units->events_hash);
    }
    return open && units->status == TOOL_OK;
}

bool replay_units_next(replay_units *units)
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

/* --- numbers ---------------------------------------------------------------------------------- */

void replay_numbers_begin(replay_numbers *numbers, replay_file *file, es_reader_place place)
{
    *numbers = (replay_numbers){.file = file};
    es_reader_go(&file->reader, place);
}

static bool next_part(replay_numbers *numbers)
{
    es_reader_item item;
    es_reader_snapshot part;
    if (es_reader_next(&numbers->file->reader, &item) != ES_OK
            || !es_reader_get_snapshot(&item, &part)) {
        return false;
    }
    numbers->at = part.bytes;
    numbers->left = part.size;
    return true;
}

bool replay_numbers_next(replay_numbers *numbers, es_type type, uint64_t *bits)
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
