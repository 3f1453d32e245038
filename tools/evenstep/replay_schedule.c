/* SPDX-License-Identifier: Zlib
 *
 * The frames of a recording, one by one, and the slowest of them with what their time went on.
 */
#include "replay_list.h"

#include <inttypes.h>
#include <string.h>

static const char *gap_name(es_gap_kind kind)
{
    static const char *const names[] = {"none", "suspended", "blocked", "stopped", "clock back",
            "clock jump", "clock still", "unknown"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

static const char *source_name(es_shown_source source)
{
    switch (source) {
    case ES_SHOWN_PLANNED:
        return "planned";
    case ES_SHOWN_PRESENT_RETURN:
        return "present-return";
    case ES_SHOWN_FEEDBACK:
        return "feedback";
    default:
        return "virtual";
    }
}

void replay_schedule_begin(replay_list *list)
{
    replay_out *out = list->out;
    if (!out->json) {
        fprintf(out->file,
                "%s   frame       start   present      content  interval  ticks  alpha  "
                "gap%s\n",
                replay_style_on(out, REPLAY_DIM), replay_style_on(out, REPLAY_PLAIN));
    }
}

/* --- one frame -------------------------------------------------------------------------------- */

/* Written by hand: there are millions of them, and their texts are ours. */
static void write_frame(replay_out *out, const es_frame_report *report)
{
    const es_frame *frame = &report->frame;
    const struct {
        const char *key;
        int64_t value;
    } whole[] = {{"frame", frame->index}, {"start_ns", frame->start_ns},
            {"present_ns", frame->present_ns}, {"content_ns", frame->content_ns},
            {"interval_ns", frame->interval_ns}, {"previous_tick", frame->previous_tick},
            {"current_tick", frame->current_tick}, {"newest_tick", frame->newest_tick},
            {"ahead_ns", frame->ahead_ns}, {"ticks", frame->ticks}, {"late_ns", frame->late_ns},
            {"dropped_ns", frame->dropped_ns}, {"slow_motion_ns", frame->slow_motion_ns},
            {"stretched_ns", frame->stretched_ns}, {"debt_ns", frame->debt_ns},
            {"gap_ns", frame->gap.duration_ns}, {"gap_removed_ns", frame->gap.removed_ns},
            {"ready_ns", report->ready_ns}, {"submit_ns", report->submit_ns},
            {"shown_ns", report->shown_ns}, {"update_work_ns", report->update_work_ns},
            {"render_work_ns", report->render_work_ns}, {"series", report->series}};
    char alpha[REPLAY_NUMBER];
    uint64_t bits;
    memcpy(&bits, &frame->alpha, sizeof bits);
    replay_json_next(out);
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i) {
        fprintf(out->file, "%s\"%s\": %" PRId64, i > 0 ? ", " : "{", whole[i].key, whole[i].value);
    }
    fprintf(out->file, ", \"alpha\": %s, \"gap\": \"%s\", \"shown_by\": \"%s\"}",
            replay_format_json_number(alpha, ES_TYPE_F64, bits), gap_name(frame->gap.kind),
            source_name(report->source));
}

static void print_frame(replay_list *list, const es_frame_report *report)
{
    replay_out *out = list->out;
    const es_frame *frame = &report->frame;
    char start[REPLAY_NUMBER], content[REPLAY_NUMBER], interval[REPLAY_NUMBER];
    char present[REPLAY_NUMBER + 1] = "+"; /* a sign: it is from this frame's start */
    replay_format_ms(start, es_ns_sub(frame->start_ns, list->origin_ns));
    replay_format_ms(present + 1, es_ns_sub(frame->present_ns, frame->start_ns));
    replay_format_ms(content, frame->content_ns);
    replay_format_ms(interval, frame->interval_ns);
    fprintf(out->file, "%8" PRId64 "  %10s  %8s  %11s  %8s  %5" PRId32 "  %5.3f", frame->index,
            start, present[1] == '-' ? present + 1 : present, content,
            frame->interval_ns != 0 ? interval : "-", frame->ticks, frame->alpha);
    if (frame->gap.kind != ES_GAP_NONE) {
        fprintf(out->file, "  %s%s%s", replay_style_on(out, REPLAY_WARN), gap_name(frame->gap.kind),
                replay_style_on(out, REPLAY_PLAIN));
    }
    fputc('\n', out->file);
}

/* Keeps the slowest, sorted; of equals the first. */
static void keep_worst(replay_list *list, const es_frame_report *report, replay_interval interval)
{
    size_t at = list->worst_count;
    while (at > 0 && list->worst[at - 1].interval.ns < interval.ns) {
        at -= 1;
    }
    if (at == REPLAY_WORST) {
        return;
    }
    size_t moved = list->worst_count - at;
    if (list->worst_count == REPLAY_WORST) {
        moved -= 1;
    } else {
        list->worst_count += 1;
    }
    memmove(&list->worst[at + 1], &list->worst[at], moved * sizeof list->worst[0]);
    list->worst[at] = (replay_slow){*report, interval};
}

void replay_schedule_item(replay_list *list, const es_reader_item *item)
{
    es_frame_report report;
    if (item->kind == ES_RECORD_GAP
            || (item->damage != ES_DAMAGE_NONE && item->damage != ES_DAMAGE_REPEATED)) {
        replay_pace_break(&list->pace);
    }
    if (!es_reader_get_frame(item, &report)) {
        return;
    }
    if (!list->has_origin) {
        list->has_origin = true;
        list->origin_ns = report.frame.start_ns;
    }
    if (!replay_in_range(list, report.frame.current_tick)) {
        replay_pace_break(&list->pace);
        return;
    }
    replay_interval interval = replay_pace_add(&list->pace, &report);
    if (interval.known) {
        keep_worst(list, &report, interval);
    }
    list->printed += 1;
    if (list->out->json) {
        write_frame(list->out, &report);
    } else {
        print_frame(list, &report);
    }
}

/* --- the slowest ------------------------------------------------------------------------------ */

static void stutters_json(replay_list *list)
{
    json_t *worst = json_array();
    for (size_t i = 0; i < list->worst_count; ++i) {
        const replay_slow *slow = &list->worst[i];
        json_array_append_new(
                worst, json_pack("{s:I, s:I, s:s, s:I, s:I, s:I, s:s}", "frame",
                               (json_int_t)slow->report.frame.index, "interval_ns",
                               (json_int_t)slow->interval.ns, "by",
                               slow->interval.shown ? "screen" : "start", "intended_ns",
                               (json_int_t)slow->report.frame.interval_ns, "update_work_ns",
                               (json_int_t)slow->report.update_work_ns, "render_work_ns",
                               (json_int_t)slow->report.render_work_ns, "gap",
                               gap_name(slow->report.frame.gap.kind)));
    }
    json_t *stutters = json_pack(
            "{s:o, s:o}", "intervals", replay_json_count(list->pace.count), "worst", worst);
    if (list->pace.count > 0) {
        json_object_set_new(
                stutters, "median_ns", json_integer(replay_pace_quantile(&list->pace, 0.5)));
        json_object_set_new(
                stutters, "p99_ns", json_integer(replay_pace_quantile(&list->pace, 0.99)));
        json_object_set_new(
                stutters, "max_ns", json_integer(replay_pace_quantile(&list->pace, 1.0)));
    }
    replay_json_list_end(list->out);
    replay_json_member(list->out, "stutters", stutters);
}

static void print_slow(replay_list *list, const replay_slow *slow)
{
    replay_out *out = list->out;
    const es_frame *frame = &slow->report.frame;
    char at[REPLAY_NUMBER], interval[REPLAY_NUMBER], intended[REPLAY_NUMBER], update[REPLAY_NUMBER],
            render[REPLAY_NUMBER];
    replay_format_ms(at, es_ns_sub(frame->start_ns, list->origin_ns));
    replay_format_ms(interval, slow->interval.ns);
    replay_format_ms(intended, frame->interval_ns);
    replay_format_ms(update, slow->report.update_work_ns);
    replay_format_ms(render, slow->report.render_work_ns);
    fprintf(out->file, "%8" PRId64 "  %10s  %s%8s%s  %8s  %8s  %8s  %5" PRId32 "%s%s\n",
            frame->index, at, replay_style_on(out, REPLAY_BOLD), interval,
            replay_style_on(out, REPLAY_PLAIN), frame->interval_ns != 0 ? intended : "-", update,
            render, frame->ticks, frame->gap.kind != ES_GAP_NONE ? "  " : "",
            frame->gap.kind != ES_GAP_NONE ? gap_name(frame->gap.kind) : "");
}

void replay_schedule_end(replay_list *list)
{
    replay_out *out = list->out;
    char median[REPLAY_NUMBER], most[REPLAY_NUMBER];
    size_t by_screen = 0;
    replay_pace_sort(&list->pace);
    while (list->worst_count > 0 /* what is as long as most is no stutter */
            && list->worst[list->worst_count - 1].interval.ns
                       <= replay_pace_quantile(&list->pace, 0.5)) {
        list->worst_count -= 1;
    }
    out->is_short = out->is_short || list->pace.is_short;
    if (out->json) {
        stutters_json(list);
        return;
    }
    if (list->pace.count == 0) {
        return;
    }
    for (size_t i = 0; i < list->worst_count; ++i) {
        by_screen += list->worst[i].interval.shown;
    }
    if (list->worst_count == 0) {
        replay_heading(out, "stutters: none; %zu intervals of %s ms", list->pace.count,
                replay_format_ms(median, replay_pace_quantile(&list->pace, 0.5)));
        return;
    }
    replay_heading(out, "stutters: the longest of %zu intervals", list->pace.count);
    fprintf(out->file,
            "%s   frame       start  interval  intended    update    render  ticks  "
            "gap%s\n",
            replay_style_on(out, REPLAY_DIM), replay_style_on(out, REPLAY_PLAIN));
    for (size_t i = 0; i < list->worst_count; ++i) {
        print_slow(list, &list->worst[i]);
    }
    fprintf(out->file,
            "%s  Intervals from the frame before, by %s:\n"
            "  median %s, 99 %% up to %s. All in ms; starts from the first frame's,\n"
            "  present from its own frame's start.%s\n",
            replay_style_on(out, REPLAY_DIM),
            by_screen == list->worst_count ? "screen"
            : by_screen == 0               ? "start"
                                           : "screen, or else by start",
            replay_format_ms(median, replay_pace_quantile(&list->pace, 0.5)),
            replay_format_ms(most, replay_pace_quantile(&list->pace, 0.99)),
            replay_style_on(out, REPLAY_PLAIN));
}
