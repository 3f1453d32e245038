/* SPDX-License-Identifier: Zlib */
#include "sum.h"
#include "lab/numbers.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- damage ----------------------------------------------------------------------------------- */

/* One place that is damaged or contradicts another. */
typedef struct trouble {
    uint64_t offset, bytes;
    uint32_t sequence; /* UINT32_MAX: behind the end, where records have no numbers */
    uint64_t missing;
    bool missing_known; /* no more than `missing` records are lost there */
    const char *kind;
} trouble;

static void show_trouble(const replay_sum *sum, const trouble *t, const char *what)
{
    if (sum->rows != REPLAY_TROUBLES) {
        return;
    }
    replay_list_row(sum->out,
            json_pack("{s:o, s:o, s:o, s:o, s:s, s:s}", "offset", tool_json_count(t->offset),
                    "bytes", tool_json_count(t->bytes), "record",
                    t->sequence == UINT32_MAX ? json_null() : json_integer(t->sequence), "missing",
                    t->missing_known ? tool_json_count(t->missing) : json_null(), "kind", t->kind,
                    "what", what));
}

static const char *kind_of(es_damage damage)
{
    static const char *const names[] = {
            "none", "cut", "head", "payload", "missing", "repeated", "content"};
    return (size_t)damage < sizeof names / sizeof names[0] ? names[damage] : "unknown";
}

const char *replay_damage_text(const es_replay_item *item)
{
    return item->offset == 0 ? "the first 16 bytes of the file are damaged" /* no record is there */
                             : es_damage_name(item->damage);
}

static void add_damage(replay_sum *sum, const es_replay_item *item)
{
    bool file_head = item->offset == 0;
    bool to_the_end =
            item->damage == ES_DAMAGE_CUT
            || (item->count == 0
                    && (item->damage == ES_DAMAGE_HEAD || item->damage == ES_DAMAGE_PAYLOAD));
    trouble t = {.offset = item->offset,
            .bytes = item->length,
            .sequence = item->sequence,
            .missing = sum->ended ? 0 : item->count,
            .missing_known = sum->ended || file_head || !to_the_end,
            .kind = file_head ? "file-head" : kind_of(item->damage)};
    sum->damages += 1;
    sum->damaged_bytes += t.bytes;
    sum->missing += t.missing;
    sum->cut_within = item->damage == ES_DAMAGE_CUT;
    if (item->damage != ES_DAMAGE_REPEATED) {
        sum->may_skip = true;
        sum->input_open = false;
        sum->snapshot_open = false;
    }
    show_trouble(
            sum, &t, sum->ended ? "bytes behind the recording's end" : replay_damage_text(item));
}

static void contradict(replay_sum *sum, uint64_t offset, uint32_t sequence, const char *format, ...)
        TOOL_PRINTF(4, 5);

static void contradict(replay_sum *sum, uint64_t offset, uint32_t sequence, const char *format, ...)
{
    char what[120];
    trouble t = {
            .offset = offset, .sequence = sequence, .missing_known = true, .kind = "contradiction"};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    sum->contradictions += 1;
    show_trouble(sum, &t, what);
}

/* --- records ---------------------------------------------------------------------------------- */

/* An input is over when something else follows. */
static void close_input(replay_sum *sum)
{
    if (sum->input_open && sum->input_done < sum->input.total) {
        contradict(sum, sum->input_offset, sum->input_sequence,
                "an input of %" PRIu64 " bytes, of which %" PRIu64 " are here", sum->input.total,
                sum->input_done);
    }
    sum->input_open = false;
}

static void add_step(replay_sum *sum, const es_replay_item *item)
{
    int64_t tick = item->step.index, last = sum->last_tick;
    bool follows = !sum->has_tick || (last < INT64_MAX && tick == last + 1);
    if (!follows && !(sum->may_skip && tick > last)) {
        contradict(sum, item->offset, item->sequence, "tick %" PRId64 " follows tick %" PRId64,
                tick, last);
    }
    sum->first_tick = sum->ticks == 0 ? tick : sum->first_tick;
    sum->last_tick = tick;
    sum->has_tick = true;
    sum->may_skip = false;
    sum->ticks += 1;
    sum->simulated_ns = ns_add(sum->simulated_ns, item->step.dt_ns);
    sum->input_ticks += item->total > 0;
    sum->input_bytes += item->size;
    sum->input_max = item->total > sum->input_max ? item->total : sum->input_max;
    sum->input_open = true;
    sum->input = *item;
    sum->input_done = item->size;
    sum->input_offset = item->offset;
    sum->input_sequence = item->sequence;
}

static void add_input(replay_sum *sum, const es_replay_item *item)
{
    sum->input_bytes += item->size;
    if (!sum->input_open) {
        return; /* its beginning is not there */
    }
    bool fits = item->step.index == sum->last_tick && item->total == sum->input.total
                && item->part == sum->input_done;
    if (!fits) {
        contradict(sum, item->offset, item->sequence,
                "a part of an input that does not go on with the one before");
        sum->input_open = false;
        return;
    }
    sum->input_done += item->size;
}

static void add_snapshot(replay_sum *sum, const es_replay_item *item)
{
    const replay_header *header = sum->header;
    if (header->has_run && item->total != header->run.packed_size) {
        contradict(sum, item->offset, item->sequence,
                "a snapshot of %" PRIu64 " bytes, where states have %" PRIu64, item->total,
                header->run.packed_size);
    }
    if (item->part == 0) {
        sum->snapshots_cut += sum->snapshot_open;
        sum->snapshot_open = true;
        sum->snapshot = *item;
        sum->snapshot_done = 0;
    }
    if (!sum->snapshot_open || item->part != sum->snapshot_done
            || item->step.index != sum->snapshot.step.index || item->total != sum->snapshot.total) {
        sum->snapshots_cut += sum->snapshot_open;
        sum->snapshot_open = false;
        return;
    }
    sum->snapshot_done += item->size;
    if (sum->snapshot_done == item->total) {
        sum->snapshot_open = false;
        sum->snapshots += 1;
    }
    if (!sum->has_tick) { /* the state that the run starts from: the next tick follows it */
        sum->has_tick = true;
        sum->last_tick = item->step.index;
    }
}

static void add_hash(replay_sum *sum, const es_replay_item *item)
{
    if (sum->header->has_run && item->count != sum->header->run.hash_count) {
        contradict(sum, item->offset, item->sequence, "%" PRIu64 " hashes, where each tick has %lu",
                item->count, (unsigned long)sum->header->run.hash_count);
    }
    if (sum->ticks > 0 && !sum->may_skip && item->step.index != sum->last_tick) {
        contradict(sum, item->offset, item->sequence,
                "hashes of tick %" PRId64 " after tick %" PRId64, item->step.index, sum->last_tick);
    }
}

/* A gap that goes on is recorded again, from its first tick on. */
static void add_gap(replay_sum *sum, const es_replay_item *item)
{
    int64_t first = item->step.index;
    if (sum->counts[ES_RECORD_GAP] > 1 && sum->gap_first == first) {
        sum->gap_ticks -= (uint64_t)sum->gap_last - (uint64_t)first + 1;
    }
    sum->gap_ticks += item->total;
    sum->gap_first = first;
    sum->gap_last = replay_gap_end(item);
    sum->may_skip = true;
    sum->input_open = false;
    if (sum->rows == REPLAY_GAPS) {
        replay_list_row(sum->out,
                json_pack("{s:o, s:I, s:I, s:o}", "offset", tool_json_count(item->offset),
                        "first_tick", (json_int_t)first, "last_tick", (json_int_t)sum->gap_last,
                        "records", tool_json_count(item->count)));
    }
}

static void add_end(replay_sum *sum, const es_replay_item *item)
{
    sum->end = *item->end;
    sum->end_tick = item->step.index;
    sum->ended = true;
    bool whole = sum->damages == 0 && sum->counts[ES_RECORD_GAP] == 0;
    if (whole && sum->end.steps != sum->ticks) {
        contradict(sum, item->offset, item->sequence,
                "the end says %" PRIu64 " ticks, here are %" PRIu64, sum->end.steps, sum->ticks);
    }
    if (whole && sum->end.frames != sum->counts[ES_RECORD_FRAME]) {
        contradict(sum, item->offset, item->sequence,
                "the end says %" PRIu64 " frames, here are %" PRIu64, sum->end.frames,
                sum->counts[ES_RECORD_FRAME]);
    }
}

void replay_sum_add(replay_sum *sum, const es_replay_item *item)
{
    static void (*const adders[REPLAY_KINDS])(replay_sum *, const es_replay_item *) = {
            [ES_RECORD_SNAPSHOT] = add_snapshot,
            [ES_RECORD_STEP] = add_step,
            [ES_RECORD_INPUT] = add_input,
            [ES_RECORD_HASH] = add_hash,
            [ES_RECORD_GAP] = add_gap,
            [ES_RECORD_END] = add_end};
    if (item->damage != ES_DAMAGE_NONE) {
        add_damage(sum, item);
        return;
    }
    size_t kind = (int)item->kind <= (int)ES_RECORD_END ? (size_t)item->kind : REPLAY_OTHER;
    if (item->kind != ES_RECORD_INPUT && item->kind != ES_RECORD_GAP) {
        close_input(sum);
    }
    if (item->kind != ES_RECORD_SNAPSHOT && sum->snapshot_open) {
        sum->snapshots_cut += 1;
        sum->snapshot_open = false;
    }
    if (sum->ended && sum->counts[ES_RECORD_END] > 0) {
        contradict(sum, item->offset, item->sequence, "a record after the end");
    }
    sum->records += 1;
    sum->counts[kind] += 1;
    sum->bytes[kind] += item->length;
    sum->readings += item->kind == ES_RECORD_READINGS ? item->count : 0;
    if (adders[kind] != NULL) {
        adders[kind](sum, item);
    }
}

/* The run and its fields against each other, where nothing is lost. */
static void check_fields(replay_sum *sum)
{
    const replay_header *header = sum->header;
    if (!header->has_run) {
        if (sum->records > 0) {
            contradict(sum, 16, 0, "the first record is no run");
        }
    } else if (header->field_count != header->run.field_count) {
        if (sum->ended
                || sum->counts[ES_RECORD_SNAPSHOT] > 0) { /* else cut off within the header */
            contradict(sum, 16, 0, "the run says %" PRIu32 " fields, here are %zu",
                    header->run.field_count, header->field_count);
        }
    } else {
        contradict(sum, 16, 0, "the run says states of %" PRIu64 " bytes, its fields make %" PRIu64,
                header->run.packed_size, header->packed_size);
    }
}

void replay_sum_finish(replay_sum *sum)
{
    sum->snapshots_cut += sum->snapshot_open;
    if (sum->damages == 0 && !sum->header->is_whole) {
        check_fields(sum);
    }
    if (sum->damages == 0 && sum->ended && sum->end.result == ES_OK && sum->snapshots == 0) {
        contradict(sum, 16, 0, "no whole snapshot: it cannot be played");
    }
}

int replay_sum_all(replay_sum *sum, replay_file *file)
{
    es_replay_item item;
    int status = TOOL_OK;
    es_replay_seek_item(file->replay, NULL);
    while (replay_next(file, &item, &status)) {
        replay_sum_add(sum, &item);
    }
    replay_sum_finish(sum);
    return status;
}

/* --- the verdict ------------------------------------------------------------------------------ */

int replay_sum_status(const replay_sum *sum)
{
    bool intact = sum->damages == 0 && sum->contradictions == 0 && sum->ended;
    return intact ? TOOL_OK : REPLAY_DAMAGED;
}

/* A file that ends within a record was cut off: nothing that was written is damaged. */
const char *replay_sum_verdict(const replay_sum *sum)
{
    uint64_t cut = !sum->ended && sum->cut_within ? 1 : 0;
    if (sum->damages > cut || sum->contradictions > 0) {
        return "damaged";
    }
    return !sum->ended ? "cut off" : sum->end.result != ES_OK ? "ended early" : "intact";
}

/* --- the totals ------------------------------------------------------------------------------- */

static const char *const kind_names[REPLAY_KINDS] = {"none", "run", "field", "tag", "snapshot",
        "step", "input", "hash", "frame", "readings", "event", "gap", "end", "other"};

static json_t *kinds_json(const replay_sum *sum)
{
    json_t *kinds = json_object();
    for (size_t kind = ES_RECORD_RUN; kind < REPLAY_KINDS; ++kind) {
        json_object_set_new(kinds, kind_names[kind],
                json_pack("{s:o, s:o}", "count", tool_json_count(sum->counts[kind]), "bytes",
                        tool_json_count(sum->bytes[kind])));
    }
    return kinds;
}

static json_t *totals_json(const replay_sum *sum)
{
    json_t *totals = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "ticks",
            tool_json_count(sum->ticks), "first_tick",
            sum->ticks > 0 ? json_integer(sum->first_tick) : json_null(), "last_tick",
            sum->ticks > 0 ? json_integer(sum->last_tick) : json_null(), "simulated_ns",
            json_integer(sum->simulated_ns), "frames",
            tool_json_count(sum->counts[ES_RECORD_FRAME]), "records", (json_int_t)sum->records,
            "snapshots", tool_json_count(sum->snapshots), "snapshots_cut",
            tool_json_count(sum->snapshots_cut), "readings", tool_json_count(sum->readings));
    json_object_set_new(totals, "input_bytes", tool_json_count(sum->input_bytes));
    json_object_set_new(totals, "input_ticks", tool_json_count(sum->input_ticks));
    json_object_set_new(totals, "input_max", tool_json_count(sum->input_max));
    json_object_set_new(totals, "events", tool_json_count(sum->counts[ES_RECORD_EVENT]));
    json_object_set_new(totals, "gaps", tool_json_count(sum->counts[ES_RECORD_GAP]));
    json_object_set_new(totals, "gap_ticks", tool_json_count(sum->gap_ticks));
    json_object_set_new(totals, "kinds", kinds_json(sum));
    return totals;
}

static json_t *end_json(const replay_sum *sum)
{
    if (!sum->ended) {
        return json_null();
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:s, s:s}", "tick", (json_int_t)sum->end_tick, "steps",
            tool_json_count(sum->end.steps), "frames", tool_json_count(sum->end.frames),
            "ticks_lost", tool_json_count(sum->end.ticks_lost), "result",
            tool_result_name(sum->end.result), "why", tool_result_text(sum->end.result));
}

void replay_sum_show(const replay_sum *sum, replay_out *out)
{
    replay_out_member(out, "totals", totals_json(sum));
    replay_out_member(out, "integrity",
            json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "verdict", replay_sum_verdict(sum),
                    "damages", tool_json_count(sum->damages), "damaged_bytes",
                    tool_json_count(sum->damaged_bytes), "missing_records",
                    tool_json_count(sum->missing), "contradictions",
                    tool_json_count(sum->contradictions), "end", end_json(sum)));
}
