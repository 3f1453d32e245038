/* SPDX-License-Identifier: Zlib
 *
 * The lists of `evenstep replay`: one kind of record each. Each list is a walk of its own, so that
 * each stands in one piece; the first walk also adds up whether the recording is intact.
 */
#include "sum.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct list {
    replay_out *out;
    const replay_header *header;
    replay_range range;
    int64_t tick; /* of the last step */
    /* the open input */
    bool input_open;
    es_replay_item input;
    unsigned char *bytes;
    size_t done, capacity;
    /* the open snapshot */
    bool snapshot_open;
    es_replay_item snapshot;
    uint64_t snapshot_done, snapshot_parts, snapshot_offset, snapshot_bytes;
} list;

static bool in_range(const list *l, int64_t tick)
{
    return tick >= l->range.from && tick <= l->range.to;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static void end_input(list *l)
{
    if (l->input_open) {
        replay_list_row(l->out,
                json_pack("{s:I, s:I, s:o, s:b}", "tick", (json_int_t)l->input.step.index, "bytes",
                        (json_int_t)l->input.total, "hex", tool_json_hex(l->bytes, l->done),
                        "whole", (int)(l->done == l->input.total)));
    }
    l->input_open = false;
}

static void inputs_item(list *l, const es_replay_item *item)
{
    if (item->kind != ES_RECORD_INPUT) {
        end_input(l);
    }
    if ((item->kind != ES_RECORD_STEP && item->kind != ES_RECORD_INPUT) || item->total == 0
            || !in_range(l, item->step.index)) {
        return;
    }
    if (item->kind == ES_RECORD_STEP) {
        l->input_open = true;
        l->input = *item;
        l->done = 0;
    } else if (!l->input_open || item->part != l->done) {
        return; /* its beginning is not here */
    }
    if (l->done + item->size > l->capacity) {
        size_t capacity = 2 * (l->done + item->size);
        unsigned char *bytes = realloc(l->bytes, capacity);
        if (bytes == NULL) {
            l->out->failed = true;
            return;
        }
        l->bytes = bytes;
        l->capacity = capacity;
    }
    memcpy(l->bytes + l->done, item->bytes, item->size);
    l->done += item->size;
}

/* --- events and hashes ------------------------------------------------------------------------ */

static void events_item(list *l, const es_replay_item *item)
{
    if (item->kind == ES_RECORD_EVENT && in_range(l, item->step.index)) {
        replay_list_row(
                l->out, json_pack("{s:I, s:I, s:I, s:o}", "tick", (json_int_t)item->step.index,
                                "kind", (json_int_t)item->count, "bytes", (json_int_t)item->size,
                                "hex", tool_json_hex(item->bytes, item->size)));
    }
}

/* JSON has a row per tick; text one per hash, with what it covers. */
static void hashes_item(list *l, const es_replay_item *item)
{
    int64_t tick = item->step.index;
    if (item->kind != ES_RECORD_HASH || !in_range(l, tick)) {
        return;
    }
    json_t *values = json_array();
    for (size_t i = 0; i < item->count; ++i) {
        json_t *hash = tool_json_hash(replay_hash_at(item, i));
        if (l->out->json) {
            json_array_append_new(values, hash);
        } else {
            char *name = replay_hash_name(l->header, i, 0);
            replay_list_row(l->out, json_pack("{s:I, s:o, s:s}", "tick", (json_int_t)tick, "hash",
                                            hash, "of", name != NULL ? name : ""));
            free(name);
        }
    }
    if (l->out->json) {
        replay_list_row(
                l->out, json_pack("{s:I, s:O}", "tick", (json_int_t)tick, "hashes", values));
    }
    json_decref(values);
}

/* --- frames ----------------------------------------------------------------------------------- */

static void frames_item(list *l, const es_replay_item *item)
{
    const es_report *frame = item->frame;
    if (frame != NULL && in_range(l, frame->frame.current_tick)) {
        replay_list_row(l->out, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "frame",
                                        (json_int_t)frame->frame.index, "tick",
                                        (json_int_t)frame->frame.current_tick, "ticks",
                                        (json_int_t)frame->frame.ticks, "content_ns",
                                        (json_int_t)frame->frame.content_ns, "shown_ns",
                                        (json_int_t)frame->shown_ns, "update_work_ns",
                                        (json_int_t)frame->update_work_ns, "render_work_ns",
                                        (json_int_t)frame->render_work_ns));
    }
}

/* --- snapshots -------------------------------------------------------------------------------- */

static void end_snapshot(list *l)
{
    const es_replay_item *snapshot = &l->snapshot;
    if (l->snapshot_open && in_range(l, snapshot->step.index)) {
        replay_list_row(l->out, json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "tick",
                                        (json_int_t)snapshot->step.index, "time_ns",
                                        (json_int_t)snapshot->step.time_ns, "offset",
                                        tool_json_count(l->snapshot_offset), "bytes_in_file",
                                        tool_json_count(l->snapshot_bytes), "bytes",
                                        tool_json_count(snapshot->total), "records",
                                        tool_json_count(l->snapshot_parts), "whole",
                                        (int)(l->snapshot_done == snapshot->total)));
    }
    l->snapshot_open = false;
}

static void snapshots_item(list *l, const es_replay_item *item)
{
    if (item->kind != ES_RECORD_SNAPSHOT) {
        end_snapshot(l);
        return;
    }
    bool goes_on = l->snapshot_open && item->part == l->snapshot_done
                   && item->step.index == l->snapshot.step.index
                   && item->total == l->snapshot.total;
    if (!goes_on) {
        end_snapshot(l);
        l->snapshot_open = true;
        l->snapshot = *item;
        l->snapshot_offset = item->offset;
        l->snapshot_parts = l->snapshot_bytes = 0;
        l->snapshot_done = item->part > 0 ? UINT64_MAX : 0; /* without its beginning: never whole */
    }
    l->snapshot_done += goes_on || item->part == 0 ? item->size : 0;
    l->snapshot_parts += 1;
    l->snapshot_bytes += item->length;
    if (l->snapshot_done == item->total) {
        end_snapshot(l);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef struct kind_of_list {
    unsigned bit;
    const char *key;
    const char *const *columns;
    void (*item)(list *, const es_replay_item *);
} kind_of_list;

static const char *const input_columns[] = {"tick", "bytes", "whole", "hex", NULL};
static const char *const snapshot_columns[] = {
        "tick", "time_ns", "offset", "bytes_in_file", "bytes", "whole", NULL};
static const char *const event_columns[] = {"tick", "kind", "bytes", "hex", NULL};
static const char *const frame_columns[] = {"frame", "tick", "ticks", "content_ns", "shown_ns",
        "update_work_ns", "render_work_ns", NULL};
static const char *const hash_columns[] = {"tick", "hash", "of", NULL};

static const kind_of_list kinds[] = {
        {REPLAY_INPUTS, "inputs", input_columns, inputs_item},
        {REPLAY_SNAPSHOTS, "snapshots", snapshot_columns, snapshots_item},
        {REPLAY_EVENTS, "events", event_columns, events_item},
        {REPLAY_HASHES, "hashes", hash_columns, hashes_item},
        {REPLAY_FRAMES, "frames", frame_columns, frames_item},
};

/* A hole is between ticks: it is listed where the ticks before or after it are. */
static void note_hole(list *l, const es_replay_item *item)
{
    if (l->tick < l->range.from - (l->range.from > INT64_MIN) || l->tick > l->range.to) {
        return;
    }
    if (item->damage != ES_DAMAGE_NONE) {
        replay_note(l->out, "  -- damage at byte %" PRIu64 ", %" PRIu64 " bytes: %s --",
                item->offset, item->length, replay_damage_text(item));
    } else {
        replay_note(l->out, "  -- left out: ticks %" PRId64 " to %" PRId64 " --", item->step.index,
                replay_gap_end(item));
    }
}

static int show_list(list *l, replay_file *file, const kind_of_list *kind, replay_sum *sum)
{
    es_replay_item item;
    int status = TOOL_OK;
    replay_list_begin(l->out, kind->key, kind->columns);
    es_replay_seek_item(file->replay, NULL);
    while (replay_next(file, &item, &status)) {
        if (sum != NULL) {
            replay_sum_add(sum, &item);
        }
        if (item.kind == ES_RECORD_STEP) {
            l->tick = item.step.index;
        }
        kind->item(l, &item);
        if (item.damage != ES_DAMAGE_NONE || item.kind == ES_RECORD_GAP) {
            note_hole(l, &item);
        }
    }
    end_input(l);
    end_snapshot(l);
    replay_list_end(l->out);
    return status;
}

int replay_lists(replay_file *file, replay_out *out, unsigned lists, replay_range range)
{
    replay_sum sum = {.header = &file->header};
    bool first = true;
    int status = TOOL_OK;
    replay_out_begin(out);
    if (out->json) {
        replay_show_header(file, out);
    }
    for (size_t i = 0; status == TOOL_OK && i < sizeof kinds / sizeof kinds[0]; ++i) {
        if ((lists & kinds[i].bit) != 0) {
            list l = {.out = out, .header = &file->header, .range = range};
            status = show_list(&l, file, &kinds[i], first ? &sum : NULL);
            free(l.bytes);
            first = false;
        }
    }
    if (status != TOOL_OK) {
        return status;
    }
    replay_sum_finish(&sum);
    if (out->json) {
        replay_sum_show(&sum, out);
    } else if (replay_sum_status(&sum) != TOOL_OK) {
        replay_note(out, "\nThe recording is %s; without a list, `evenstep replay` shows where.",
                replay_sum_verdict(&sum));
    }
    replay_out_end(out);
    return replay_sum_status(&sum);
}
