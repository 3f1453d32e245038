/* SPDX-License-Identifier: Zlib */
#include "replay_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEX_AT = 20 };

bool replay_in_range(const replay_list *list, int64_t tick)
{
    return tick >= list->range.from && tick <= list->range.to;
}

static void columns(const replay_list *list, const char *text)
{
    fprintf(list->out->file, "%s%s%s\n", replay_style_on(list->out, REPLAY_DIM), text,
            replay_style_on(list->out, REPLAY_PLAIN));
}

/* A hole is between ticks: it is listed where the ticks before it are, or those after it. */
void replay_list_hole(replay_list *list, const es_reader_item *item)
{
    replay_out *out = list->out;
    replay_trouble trouble;
    es_reader_gap gap;
    if (out->json || list->tick < list->range.from - (list->range.from > INT64_MIN)
            || list->tick > list->range.to) {
        return;
    }
    fprintf(out->file, "  %s", replay_style_on(out, REPLAY_BAD));
    if (item->damage != ES_DAMAGE_NONE) {
        replay_describe_damage(item, &trouble);
        fprintf(out->file, "-- damage at byte %" PRIu64 ", %" PRIu64 " bytes: %s", trouble.offset,
                trouble.bytes, trouble.what);
    } else if (es_reader_get_gap(item, &gap)) {
        fprintf(out->file, "-- left out: ticks %" PRId64 " to %" PRId64, gap.first_tick,
                gap.last_tick);
    }
    fprintf(out->file, " --%s\n", replay_style_on(out, REPLAY_PLAIN));
}

/* --- inputs ----------------------------------------------------------------------------------- */

static void inputs_begin(replay_list *list)
{
    if (!list->out->json) {
        columns(list, "      tick   bytes  input");
    }
}

static void put_hex_digits(replay_list *list, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        fprintf(list->out->file, "%02x", bytes[i]);
    }
}

static void close_input(replay_list *list)
{
    if (!list->input_open) {
        return;
    }
    list->input_open = false;
    if (list->out->json) {
        fprintf(list->out->file, "\", \"whole\": %s}",
                list->input_done == list->input_total ? "true" : "false");
    } else if (list->input_done < list->input_total) {
        fprintf(list->out->file, "%*s-- %" PRIu64 " bytes are missing --\n", HEX_AT - 1, "",
                list->input_total - list->input_done);
    }
}

static void inputs_item(replay_list *list, const es_reader_item *item)
{
    es_reader_step step;
    if (item->kind != ES_RECORD_INPUT) {
        close_input(list);
    }
    if (!es_reader_get_step(item, &step) || step.total == 0
            || !replay_in_range(list, step.step.index)) {
        return;
    }
    if (item->kind == ES_RECORD_STEP) {
        list->printed += 1;
        list->input_open = true;
        list->input_done = 0;
        list->input_total = step.total;
        if (list->out->json) {
            replay_json_next(list->out);
            fprintf(list->out->file, "{\"tick\": %" PRId64 ", \"bytes\": %" PRIu32 ", \"hex\": \"",
                    step.step.index, step.total);
        } else {
            fprintf(list->out->file, "%10" PRId64 "  %6" PRIu32 "  ", step.step.index, step.total);
        }
    } else if (!list->input_open || step.offset != list->input_done) {
        return; /* its beginning is not there */
    } else if (!list->out->json) {
        fprintf(list->out->file, "%*s", HEX_AT, "");
    }
    list->input_done += step.size;
    if (list->out->json) {
        put_hex_digits(list, step.bytes, step.size);
    } else {
        replay_put_hex(list->out, step.bytes, step.size, HEX_AT);
    }
}

static void inputs_end(replay_list *list)
{
    close_input(list);
}

/* --- events ----------------------------------------------------------------------------------- */

static void events_begin(replay_list *list)
{
    if (!list->out->json) {
        columns(list, "      tick        kind   bytes  content");
    }
}

static void events_item(replay_list *list, const es_reader_item *item)
{
    es_reader_event event;
    if (!es_reader_get_event(item, &event) || !replay_in_range(list, event.tick)) {
        return;
    }
    list->printed += 1;
    if (list->out->json) {
        replay_json_next(list->out);
        fprintf(list->out->file,
                "{\"tick\": %" PRId64 ", \"kind\": %" PRIu32 ", \"bytes\": %zu, \"hex\": \"",
                event.tick, event.kind, event.size);
        put_hex_digits(list, event.bytes, event.size);
        fprintf(list->out->file, "\"}");
    } else {
        fprintf(list->out->file, "%10" PRId64 "  %10" PRIu32 "  %6zu  ", event.tick, event.kind,
                event.size);
        replay_put_hex(list->out, event.bytes, event.size, 32);
    }
}

/* --- hashes ----------------------------------------------------------------------------------- */

static void hashes_begin(replay_list *list)
{
    if (!list->out->json) {
        columns(list, "      tick  hash              of");
    }
}

static void print_hash(replay_list *list, const es_reader_hashes *hashes, size_t index)
{
    replay_out *out = list->out;
    char *name = replay_hash_name(list->header, index);
    if (index == 0) {
        fprintf(out->file, "%10" PRId64, hashes->tick);
    } else {
        fprintf(out->file, "%10s", "");
    }
    fprintf(out->file, "  %016" PRIx64 "  %s\n", es_reader_hash(hashes, index),
            name != NULL ? name : "");
    out->is_short = out->is_short || name == NULL;
    free(name);
}

static void hashes_item(replay_list *list, const es_reader_item *item)
{
    es_reader_hashes hashes;
    if (!es_reader_get_hashes(item, &hashes) || !replay_in_range(list, hashes.tick)) {
        return;
    }
    list->printed += 1;
    if (list->out->json) {
        replay_json_next(list->out);
        fprintf(list->out->file, "{\"tick\": %" PRId64 ", \"hashes\": [", hashes.tick);
    }
    for (size_t i = 0; i < hashes.count; ++i) {
        if (list->out->json) {
            fprintf(list->out->file, "%s\"%016" PRIx64 "\"", i > 0 ? ", " : "",
                    es_reader_hash(&hashes, i));
        } else {
            print_hash(list, &hashes, i);
        }
    }
    if (list->out->json) {
        fprintf(list->out->file, "]}");
    }
}

/* --- snapshots -------------------------------------------------------------------------------- */

static void snapshots_begin(replay_list *list)
{
    if (!list->out->json) {
        columns(list, "      tick       time, ms        offset      in file       state");
    }
}

static void close_snapshot(replay_list *list)
{
    if (!list->snapshot_open) {
        return;
    }
    list->snapshot_open = false;
    const es_reader_snapshot *snapshot = &list->snapshot;
    bool whole = list->snapshot_done == snapshot->total;
    char ms[REPLAY_NUMBER];
    if (!replay_in_range(list, snapshot->tick)) {
        return;
    }
    list->printed += 1;
    if (list->out->json) {
        replay_json_item(list->out,
                json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "tick", (json_int_t)snapshot->tick,
                        "time_ns", (json_int_t)snapshot->time_ns, "offset",
                        replay_json_count(list->snapshot_offset), "bytes_in_file",
                        replay_json_count(list->snapshot_bytes), "bytes",
                        replay_json_count(snapshot->total), "records",
                        replay_json_count(list->snapshot_parts), "whole", (int)whole));
        return;
    }
    fprintf(list->out->file, "%10" PRId64 "  %13s  %12" PRIu64 "  %11" PRIu64 "  %10" PRIu64 "%s\n",
            snapshot->tick, replay_format_ms(ms, snapshot->time_ns), list->snapshot_offset,
            list->snapshot_bytes, snapshot->total, whole ? "" : "  not whole");
}

static void snapshots_item(replay_list *list, const es_reader_item *item)
{
    es_reader_snapshot part;
    if (!es_reader_get_snapshot(item, &part)) {
        close_snapshot(list);
        return;
    }
    bool goes_on = list->snapshot_open && part.offset == list->snapshot_done
                   && part.tick == list->snapshot.tick && part.total == list->snapshot.total;
    if (!goes_on) {
        close_snapshot(list);
        list->snapshot_open = true;
        list->snapshot = part;
        list->snapshot_offset = item->offset;
        list->snapshot_done = list->snapshot_parts = list->snapshot_bytes = 0;
        if (part.offset > 0) {
            list->snapshot_done = UINT64_MAX; /* its beginning is not there: never whole */
        }
    }
    list->snapshot_done += goes_on || part.offset == 0 ? part.size : 0;
    list->snapshot_parts += 1;
    list->snapshot_bytes += item->bytes;
    if (list->snapshot_done == part.total) {
        close_snapshot(list);
    }
}

static void snapshots_end(replay_list *list)
{
    close_snapshot(list);
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef struct kind_of_list {
    unsigned bit;
    const char *key, *title;
    void (*begin)(replay_list *);
    void (*item)(replay_list *, const es_reader_item *);
    void (*end)(replay_list *);
} kind_of_list;

static const kind_of_list kinds[] = {
        {REPLAY_INPUTS, "inputs", "inputs", inputs_begin, inputs_item, inputs_end},
        {REPLAY_SCHEDULE, "schedule", "frames", replay_schedule_begin, replay_schedule_item,
                replay_schedule_end},
        {REPLAY_SNAPSHOTS, "snapshots", "snapshots", snapshots_begin, snapshots_item,
                snapshots_end},
        {REPLAY_EVENTS, "events", "events", events_begin, events_item, NULL},
        {REPLAY_HASHES, "hashes", "hashes", hashes_begin, hashes_item, NULL},
};

typedef struct listing {
    replay_list list;
    const kind_of_list *kind;
} listing;

static bool visit(void *user, const es_reader_item *item)
{
    listing *l = user;
    es_reader_step step;
    if (l->list.sum != NULL) {
        replay_sum_add(l->list.sum, item);
    }
    if (item->kind == ES_RECORD_STEP && es_reader_get_step(item, &step)) {
        l->list.tick = step.step.index;
    }
    l->kind->item(&l->list, item);
    if (item->damage != ES_DAMAGE_NONE || item->kind == ES_RECORD_GAP) {
        replay_list_hole(&l->list, item);
    }
    return true;
}

static int print_list(replay_file *file, replay_out *out, replay_range range, replay_sum *sum,
        const kind_of_list *kind)
{
    listing l = {.list = {.out = out, .header = &file->header, .range = range, .sum = sum},
            .kind = kind};
    if (out->json) {
        replay_json_list_begin(out, kind->key);
    } else {
        fprintf(out->file, "%s%s%s\n", replay_style_on(out, REPLAY_BOLD), kind->title,
                replay_style_on(out, REPLAY_PLAIN));
    }
    kind->begin(&l.list);
    int status = replay_walk(file, visit, &l, !out->json);
    if (status == TOOL_OK && kind->end != NULL) {
        kind->end(&l.list);
    }
    if (out->json && kind->bit != REPLAY_SCHEDULE) { /* that one goes on with a summary */
        replay_json_list_end(out);
    } else if (!out->json && l.list.printed == 0) {
        fprintf(out->file, "  none\n");
    }
    replay_pace_free(&l.list.pace);
    return status;
}

int replay_lists(replay_file *file, replay_out *out, unsigned lists, replay_range range)
{
    replay_sum sum = {.header = &file->header};
    bool first = true;
    int status = TOOL_OK;
    replay_begin(file, out);
    for (size_t i = 0; status == TOOL_OK && i < sizeof kinds / sizeof kinds[0]; ++i) {
        if ((lists & kinds[i].bit) == 0) {
            continue;
        }
        if (!first && !out->json) {
            fputc('\n', out->file);
        }
        status = print_list(file, out, range, first ? &sum : NULL, &kinds[i]);
        first = false;
    }
    replay_sum_finish(&sum);
    if (status == TOOL_OK) {
        status = replay_sum_status(&sum);
        replay_sum_warn(&sum, out);
        if (out->json) {
            replay_sum_json(&sum, out);
            replay_end(out);
        }
    }
    replay_pace_free(&sum.pace);
    return status;
}
