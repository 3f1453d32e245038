/* SPDX-License-Identifier: Zlib */
#include "replay_sum.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- frames ----------------------------------------------------------------------------------- */

static replay_interval interval_between(const es_frame_report *last, const es_frame_report *report)
{
    bool both = last->source >= ES_SHOWN_PRESENT_RETURN && report->source >= ES_SHOWN_PRESENT_RETURN
                && last->series == report->series;
    replay_interval found = {true, both, es_ns_sub(report->frame.start_ns, last->frame.start_ns)};
    if (both) {
        found.ns = es_ns_sub(report->shown_ns, last->shown_ns);
    }
    return found;
}

replay_interval replay_pace_add(replay_pace *pace, const es_frame_report *report)
{
    replay_interval found = {false, false, 0};
    if (pace->has_last) {
        found = interval_between(&pace->last, report);
        if (pace->count == pace->room) {
            size_t room = pace->room > 0 ? 2 * pace->room : 1024;
            int64_t *grown = realloc(pace->intervals_ns, room * sizeof *grown);
            pace->is_short = pace->is_short || grown == NULL;
            pace->intervals_ns = grown != NULL ? grown : pace->intervals_ns;
            pace->room = grown != NULL ? room : pace->room;
        }
        if (pace->count < pace->room) {
            pace->intervals_ns[pace->count++] = found.ns;
        }
    }
    pace->last = *report;
    pace->has_last = true;
    return found;
}

void replay_pace_break(replay_pace *pace)
{
    pace->has_last = false;
}

static int by_size(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

void replay_pace_sort(replay_pace *pace)
{
    if (pace->count > 0) {
        qsort(pace->intervals_ns, pace->count, sizeof *pace->intervals_ns, by_size);
    }
}

int64_t replay_pace_quantile(const replay_pace *pace, double share)
{
    size_t index = (size_t)(share * (double)pace->count);
    return pace->intervals_ns[index < pace->count ? index : pace->count - 1];
}

void replay_pace_free(replay_pace *pace)
{
    free(pace->intervals_ns);
    *pace = (replay_pace){0};
}

/* --- what is wrong ---------------------------------------------------------------------------- */

static const char *kind_of(es_damage damage)
{
    static const char *const names[] = {
            "none", "cut", "head", "payload", "missing", "repeated", "content"};
    return (size_t)damage < sizeof names / sizeof names[0] ? names[damage] : "unknown";
}

void replay_describe_damage(const es_reader_item *item, replay_trouble *trouble)
{
    *trouble = (replay_trouble){.offset = item->offset,
            .bytes = item->bytes,
            .sequence = item->sequence,
            .missing = item->missing,
            .kind = kind_of(item->damage)};
    bool to_the_end =
            item->damage == ES_DAMAGE_CUT
            || (item->missing == 0
                    && (item->damage == ES_DAMAGE_HEAD || item->damage == ES_DAMAGE_PAYLOAD));
    trouble->missing_known = !to_the_end;
    if (item->offset == 0) { /* the walk's own: no record lies there */
        trouble->kind = "file-head";
        trouble->missing_known = true;
        snprintf(trouble->what, sizeof trouble->what, "the first 16 bytes of the file are damaged");
    } else {
        snprintf(trouble->what, sizeof trouble->what, "%s", es_damage_name(item->damage));
    }
}

static void add_damage(replay_sum *sum, const es_reader_item *item)
{
    replay_trouble trouble;
    replay_describe_damage(item, &trouble);
    if (sum->ended) { /* nothing of the recording is there */
        trouble.missing = 0;
        trouble.missing_known = true;
        snprintf(trouble.what, sizeof trouble.what, "bytes behind the recording's end");
    }
    sum->damages += 1;
    sum->damaged_bytes += trouble.bytes;
    sum->missing += trouble.missing;
    sum->missing_unknown = sum->missing_unknown || !trouble.missing_known;
    sum->cut_within = item->damage == ES_DAMAGE_CUT;
    if (item->damage != ES_DAMAGE_REPEATED) {
        sum->may_skip = true;
        sum->input_open = false;
        sum->snapshot_open = false;
        replay_pace_break(&sum->pace);
    }
    if (sum->tell != NULL) {
        sum->tell(sum->user, &trouble);
    }
}

static void contradict(replay_sum *sum, uint64_t offset, uint32_t sequence, const char *format, ...)
#if defined(__GNUC__)
        __attribute__((format(printf, 4, 5)))
#endif
        ;

static void contradict(replay_sum *sum, uint64_t offset, uint32_t sequence, const char *format, ...)
{
    replay_trouble trouble = {
            .offset = offset, .sequence = sequence, .missing_known = true, .kind = "contradiction"};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trouble.what, sizeof trouble.what, format, arguments);
    va_end(arguments);
    sum->contradictions += 1;
    if (sum->tell != NULL) {
        sum->tell(sum->user, &trouble);
    }
}

/* --- records ---------------------------------------------------------------------------------- */

/* A step whose input did not fit any more, before a recording that says it ended early. */
static bool is_given_up(const replay_sum *sum, const es_reader_item *next)
{
    es_reader_end end;
    return sum->input_open && sum->input_done < sum->input_total && next->kind == ES_RECORD_END
           && es_reader_get_end(next, &end) && end.result != ES_OK && end.steps + 1 == sum->ticks;
}

/* An input is over when something else follows. */
static void close_input(replay_sum *sum, const es_reader_item *next)
{
    if (is_given_up(sum, next)) {
        sum->ticks -= 1;
        sum->last_tick -= 1;
        sum->input_ticks -= 1;
        sum->input_open = false;
    }
    if (sum->input_open && sum->input_done < sum->input_total) {
        contradict(sum, sum->input_offset, sum->input_sequence,
                "an input of %" PRIu64 " bytes, of which %" PRIu64 " are here", sum->input_total,
                sum->input_done);
    }
    sum->input_open = false;
}

static void add_step(replay_sum *sum, const es_reader_item *item)
{
    es_reader_step step;
    (void)es_reader_get_step(item, &step);
    int64_t tick = step.step.index, last = sum->last_tick;
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
    sum->simulated_ns = es_ns_add(sum->simulated_ns, step.step.dt_ns);
    sum->last_ns = step.step.time_ns;
    sum->input_ticks += step.total > 0;
    sum->input_bytes += step.size;
    sum->input_max = step.total > sum->input_max ? step.total : sum->input_max;
    sum->input_open = true;
    sum->input_total = step.total;
    sum->input_done = step.size;
    sum->input_offset = item->offset;
    sum->input_sequence = item->sequence;
}

static void add_input(replay_sum *sum, const es_reader_item *item)
{
    es_reader_step part;
    (void)es_reader_get_step(item, &part);
    sum->input_bytes += part.size;
    if (!sum->input_open) {
        return; /* its beginning is not there */
    }
    bool fits = part.step.index == sum->last_tick && part.total == sum->input_total
                && part.offset == sum->input_done;
    if (!fits) {
        contradict(sum, item->offset, item->sequence,
                "a part of an input that does not go on with the one before");
        sum->input_open = false;
        return;
    }
    sum->input_done += part.size;
}

static void add_snapshot(replay_sum *sum, const es_reader_item *item)
{
    es_reader_snapshot part;
    (void)es_reader_get_snapshot(item, &part);
    const replay_header *header = sum->header;
    if (header->has_run && part.total != header->run.packed_size) {
        contradict(sum, item->offset, item->sequence,
                "a snapshot of %" PRIu64 " bytes, where states have %" PRIu64, part.total,
                header->run.packed_size);
    }
    if (part.offset == 0) {
        sum->snapshots_cut += sum->snapshot_open;
        sum->snapshot_open = true;
        sum->snapshot = part;
        sum->snapshot_done = 0;
    }
    if (!sum->snapshot_open || part.offset != sum->snapshot_done || part.tick != sum->snapshot.tick
            || part.total != sum->snapshot.total) {
        sum->snapshots_cut += sum->snapshot_open;
        sum->snapshot_open = false;
        return;
    }
    sum->snapshot_done += part.size;
    if (sum->snapshot_done == part.total) {
        sum->snapshot_open = false;
        sum->first_snapshot_tick = sum->snapshots == 0 ? part.tick : sum->first_snapshot_tick;
        sum->last_snapshot_tick = part.tick;
        sum->snapshots += 1;
    }
    if (!sum->has_tick) { /* the state that the run starts from: the next tick follows it */
        sum->has_tick = true;
        sum->last_tick = part.tick;
        sum->last_ns = part.time_ns;
    }
}

static void add_hash(replay_sum *sum, const es_reader_item *item)
{
    es_reader_hashes hashes;
    (void)es_reader_get_hashes(item, &hashes);
    if (sum->header->has_run && hashes.count != sum->header->run.hash_count) {
        contradict(sum, item->offset, item->sequence, "%zu hashes, where each tick has %lu",
                hashes.count, (unsigned long)sum->header->run.hash_count);
    }
    if (sum->ticks > 0 && !sum->may_skip && hashes.tick != sum->last_tick) {
        contradict(sum, item->offset, item->sequence,
                "hashes of tick %" PRId64 " after tick %" PRId64, hashes.tick, sum->last_tick);
    }
}

static void add_frame(replay_sum *sum, const es_reader_item *item)
{
    es_frame_report report;
    (void)es_reader_get_frame(item, &report);
    replay_interval interval = replay_pace_add(&sum->pace, &report);
    if (interval.known && interval.ns > sum->worst_ns) {
        sum->worst_ns = interval.ns;
        sum->worst_frame = report.frame.index;
    }
}

/* A gap that goes on is told again, from its first tick on. */
static void add_gap(replay_sum *sum, const es_reader_item *item)
{
    es_reader_gap gap;
    (void)es_reader_get_gap(item, &gap);
    uint64_t ticks = (uint64_t)gap.last_tick - (uint64_t)gap.first_tick + 1;
    if (sum->counts[ES_RECORD_GAP] > 1 && sum->gap.first_tick == gap.first_tick) {
        sum->gap_ticks -= (uint64_t)sum->gap.last_tick - (uint64_t)gap.first_tick + 1;
    }
    sum->gap_ticks += ticks;
    sum->gap = gap;
    sum->may_skip = true;
    sum->input_open = false;
    replay_pace_break(&sum->pace);
    if (sum->tell_gap != NULL) {
        sum->tell_gap(sum->user, &gap, item->offset);
    }
}

static void add_end(replay_sum *sum, const es_reader_item *item)
{
    (void)es_reader_get_end(item, &sum->end);
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

static void add_readings(replay_sum *sum, const es_reader_item *item)
{
    es_reader_readings readings;
    (void)es_reader_get_readings(item, &readings);
    sum->readings += readings.left;
}

static void add_event(replay_sum *sum, const es_reader_item *item)
{
    es_reader_event event;
    (void)es_reader_get_event(item, &event);
    sum->event_bytes += event.size;
}

void replay_sum_add(replay_sum *sum, const es_reader_item *item)
{
    static void (*const adders[REPLAY_KINDS])(replay_sum *, const es_reader_item *) = {
            [ES_RECORD_SNAPSHOT] = add_snapshot,
            [ES_RECORD_STEP] = add_step,
            [ES_RECORD_INPUT] = add_input,
            [ES_RECORD_HASH] = add_hash,
            [ES_RECORD_FRAME] = add_frame,
            [ES_RECORD_READINGS] = add_readings,
            [ES_RECORD_EVENT] = add_event,
            [ES_RECORD_GAP] = add_gap,
            [ES_RECORD_END] = add_end};
    sum->end_offset = item->offset + item->bytes;
    if (item->damage != ES_DAMAGE_NONE) {
        add_damage(sum, item);
        return;
    }
    size_t kind = (int)item->kind <= (int)ES_RECORD_END ? (size_t)item->kind : REPLAY_OTHER;
    if (item->kind != ES_RECORD_INPUT && item->kind != ES_RECORD_GAP) {
        close_input(sum, item);
    }
    if (item->kind != ES_RECORD_SNAPSHOT && sum->snapshot_open) {
        sum->snapshots_cut += 1;
        sum->snapshot_open = false;
    }
    if (sum->ended && sum->counts[ES_RECORD_END] > 0) {
        contradict(sum, item->offset, item->sequence, "a record after the end");
    }
    sum->records += 1;
    sum->records_bytes += item->bytes;
    sum->counts[kind] += 1;
    sum->bytes[kind] += item->bytes;
    if (adders[kind] != NULL) {
        adders[kind](sum, item);
    }
}

void replay_sum_finish(replay_sum *sum)
{
    const replay_header *header = sum->header;
    sum->snapshots_cut += sum->snapshot_open;
    if (sum->damages == 0 && !header->is_whole) {
        if (!header->has_run) {
            if (sum->records > 0) {
                contradict(sum, 16, 0, "the first record is no run");
            }
        } else if (header->field_count != header->run.field_count) {
            if (!replay_sum_is_cut(sum) || sum->counts[ES_RECORD_SNAPSHOT] > 0) {
                contradict(sum, 16, 0, "the run says %lu fields, here are %zu",
                        (unsigned long)header->run.field_count, header->field_count);
            }
        } else {
            contradict(sum, 16, 0,
                    "the run says states of %" PRIu64 " bytes, its fields make %" PRIu64,
                    header->run.packed_size, header->packed_size);
        }
    }
    if (sum->damages == 0 && sum->ended && sum->end.result == ES_OK && sum->snapshots == 0) {
        contradict(sum, 16, 0, "no whole snapshot: it cannot be played");
    }
    replay_pace_sort(&sum->pace);
}

/* --- the verdict ------------------------------------------------------------------------------ */

bool replay_sum_is_cut(const replay_sum *sum)
{
    return !sum->ended;
}

int replay_sum_status(const replay_sum *sum)
{
    bool intact = sum->damages == 0 && sum->contradictions == 0 && !replay_sum_is_cut(sum);
    return intact ? TOOL_OK : REPLAY_DAMAGED;
}

/* The file's end within a record is no more than being cut off: nothing that was written is bad. */
const char *replay_sum_verdict(const replay_sum *sum)
{
    uint64_t cut = replay_sum_is_cut(sum) && sum->cut_within ? 1 : 0;
    if (sum->damages > cut || sum->contradictions > 0) {
        return "damaged";
    }
    if (replay_sum_is_cut(sum)) {
        return "cut off";
    }
    return sum->end.result != ES_OK ? "ended early" : "intact";
}

void replay_sum_warn(const replay_sum *sum, replay_out *out)
{
    if (replay_sum_status(sum) == TOOL_OK || out->json) {
        return;
    }
    fprintf(out->file, "\n%sThe recording is %s%s; evenstep replay FILE tells where.\n",
            replay_style_on(out, REPLAY_BAD), replay_sum_verdict(sum),
            replay_style_on(out, REPLAY_PLAIN));
}

/* --- JSON ------------------------------------------------------------------------------------- */

json_t *replay_trouble_json(const replay_trouble *trouble)
{
    bool behind = trouble->sequence == UINT32_MAX; /* the end: there are no numbers */
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:s}", "offset", replay_json_count(trouble->offset),
            "bytes", replay_json_count(trouble->bytes), "record",
            behind ? json_null() : json_integer((json_int_t)trouble->sequence), "missing",
            trouble->missing_known ? json_integer((json_int_t)trouble->missing) : json_null(),
            "kind", trouble->kind, "what", trouble->what);
}

static json_t *kinds_json(const replay_sum *sum)
{
    json_t *kinds = json_object();
    for (size_t kind = ES_RECORD_RUN; kind < REPLAY_KINDS; ++kind) {
        const char *name =
                kind == REPLAY_OTHER ? "other" : es_record_kind_name((es_record_kind)kind);
        json_object_set_new(kinds, name,
                json_pack("{s:o, s:o}", "count", replay_json_count(sum->counts[kind]), "bytes",
                        replay_json_count(sum->bytes[kind])));
    }
    return kinds;
}

static json_t *totals_json(const replay_sum *sum)
{
    json_t *totals = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "ticks",
            replay_json_count(sum->ticks), "first_tick",
            sum->ticks > 0 ? json_integer(sum->first_tick) : json_null(), "last_tick",
            sum->ticks > 0 ? json_integer(sum->last_tick) : json_null(), "simulated_ns",
            json_integer(sum->simulated_ns), "frames",
            replay_json_count(sum->counts[ES_RECORD_FRAME]), "records", (json_int_t)sum->records,
            "snapshots", replay_json_count(sum->snapshots), "snapshots_cut",
            replay_json_count(sum->snapshots_cut), "readings", replay_json_count(sum->readings));
    json_object_set_new(totals, "input_bytes", replay_json_count(sum->input_bytes));
    json_object_set_new(totals, "input_ticks", replay_json_count(sum->input_ticks));
    json_object_set_new(totals, "input_max", replay_json_count(sum->input_max));
    json_object_set_new(totals, "events", replay_json_count(sum->counts[ES_RECORD_EVENT]));
    json_object_set_new(totals, "gaps", replay_json_count(sum->counts[ES_RECORD_GAP]));
    json_object_set_new(totals, "gap_ticks", replay_json_count(sum->gap_ticks));
    json_object_set_new(totals, "kinds", kinds_json(sum));
    return totals;
}

static json_t *end_json(const replay_sum *sum)
{
    if (!sum->ended) {
        return json_null();
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:s, s:s}", "tick", (json_int_t)sum->end.tick, "steps",
            replay_json_count(sum->end.steps), "frames", replay_json_count(sum->end.frames),
            "ticks_lost", replay_json_count(sum->end.ticks_lost), "result",
            es_result_name(sum->end.result), "why", es_result_message(sum->end.result));
}

void replay_sum_json(const replay_sum *sum, replay_out *out)
{
    replay_json_member(out, "totals", totals_json(sum));
    replay_json_member(out, "integrity",
            json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "verdict", replay_sum_verdict(sum),
                    "damages", replay_json_count(sum->damages), "damaged_bytes",
                    replay_json_count(sum->damaged_bytes), "missing_records",
                    replay_json_count(sum->missing), "contradictions",
                    replay_json_count(sum->contradictions), "end", end_json(sum)));
}
