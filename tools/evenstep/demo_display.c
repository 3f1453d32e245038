/* SPDX-License-Identifier: Zlib */
#include "demo_display.h"

#include <math.h>

/* What is farther from when it was expected than this is worth noticing. */
#define OFF_NOTED_MS 2.0

static bool is_locked(const demo_seen *seen)
{
    return seen->follows && seen->status.mode == ES_DISPLAY_LOCKED;
}

static bool by_feedback(const demo_seen *seen)
{
    return seen->source != ES_SHOWN_PRESENT_RETURN;
}

static const char *latency_name(const demo_seen *seen)
{
    return seen->low_latency ? "low" : "smooth";
}

static double percent_of(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* The refreshes that went by while this was measured. Where nothing tells how long one takes, it is
 * not known which pictures were repeated. */
static demo_refreshes refreshes_of(const demo_stats *stats, bool *known)
{
    double period_ns = demo_stats_period_ns(stats);
    *known = period_ns > 0.0;
    return demo_count_refreshes(&stats->meter, period_ns);
}

/* --- the overlay ------------------------------------------------------------------------------ */

static void show_lock(const demo_seen *seen, const es_frame *frame, demo_hud *hud)
{
    const es_display_status *status = &seen->status;
    bool locked = is_locked(seen);
    demo_hud_put(demo_hud_figure(hud), NULL, "display", seen->follows && !locked, "%s",
            demo_seen_state(seen));
    if (!locked) {
        return;
    }
    demo_hud_put(demo_hud_figure(hud), NULL, "refresh", false, "%.3f ms, %.2f Hz",
            status->period_ns / 1e6, 1e9 / status->period_ns);
    demo_hud_put(demo_hud_figure(hud), NULL, "queue, held", status->multiple > 1,
            status->single ? "%d deep, one waits" : "%d deep, %d refresh%s", (int)status->queue,
            (int)status->multiple, status->multiple > 1 ? "es" : "");
    demo_hud_put(demo_hud_figure(hud), NULL, "behind, won back",
            fabs(es_ns_to_ms(frame->offset_ns)) > OFF_NOTED_MS, "%.2f ms, %.3f now",
            es_ns_to_ms(frame->offset_ns), es_ns_to_ms(frame->slewed_ns));
    demo_hud_put(demo_hud_figure(hud), NULL, "missed refreshes", false, "%lld of %lld",
            (long long)status->missed, (long long)status->refreshes);
}

static void show_age(const demo_stats *stats, demo_hud *hud)
{
    char repeats[24] = "";
    if (stats->live_repeats.count > 0) {
        snprintf(repeats, sizeof repeats, ", %.1f %% twice",
                percent_of(stats->live_repeats.repeated, stats->live_repeats.count));
    }
    demo_hud_put(demo_hud_figure(hud), NULL, "input age", false, "%.1f ms%s", stats->live_age_ms,
            repeats);
}

void demo_display_show(const demo_stats *stats, const es_frame *frame, demo_hud *hud)
{
    const demo_seen *seen = &stats->seen;
    const demo_spread *live = &seen->live;
    show_lock(seen, frame, hud);
    demo_hud_put(demo_hud_figure(hud), NULL,
            by_feedback(seen) ? "seen - expected" : "returned - exp.",
            by_feedback(seen) && live->p90 > OFF_NOTED_MS, "mean %+.2f, p90 %.2f ms", live->bias,
            live->p90);
    show_age(stats, hud);
}

/* --- the summary ------------------------------------------------------------------------------ */

static void print_lock(FILE *out, const demo_seen *seen)
{
    const es_display_status *status = &seen->status;
    fprintf(out, "  %-18s %s", "display time", demo_seen_state(seen));
    if (seen->follows) {
        fprintf(out, ", latency %s", latency_name(seen));
    }
    if (is_locked(seen)) {
        fprintf(out, "\n  %-18s %.4f ms = %.3f Hz, queue %d, %d refresh%s per picture%s", "",
                status->period_ns / 1e6, 1e9 / status->period_ns, (int)status->queue,
                (int)status->multiple, status->multiple > 1 ? "es" : "",
                status->single  ? ", one picture waits"
                : status->paced ? ", present does not block"
                                : "");
        fprintf(out, "\n  %-18s %lld of %lld refreshes missed", "", (long long)status->missed,
                (long long)status->refreshes);
    }
    if (seen->locked_frames > 0) {
        fprintf(out, "\n  %-18s locked in %.1f %% of the frames, at %.4f ms on the mean", "",
                percent_of(seen->locked_frames, seen->frames), demo_seen_found_ns(seen) / 1e6);
    }
    if (seen->locks > 0) {
        fprintf(out, "\n  %-18s first locked after %.3f s", "",
                es_ns_to_ms(seen->lock_most_ns) / 1000.0);
    }
    fputc('\n', out);
}

static void print_spread(FILE *out, const char *label, const demo_spread *spread, bool is_signed)
{
    fprintf(out,
            is_signed ? "  %-18s mean %+.3f  p50 %.3f  p90 %.3f  p99 %.3f  max %.3f ms\n"
                      : "  %-18s mean %.3f  p50 %.3f  p90 %.3f  p99 %.3f  max %.3f ms\n",
            label, is_signed ? spread->bias : spread->mean, spread->p50, spread->p90, spread->p99,
            spread->max);
}

/* What is left of the animation error without the server's own clock. */
static void print_counted(const demo_stats *stats, FILE *out)
{
    double period_ns = demo_counted_period_ns(stats->counted);
    demo_spread error = demo_seen_counted(&stats->seen, period_ns);
    demo_spread stamps = demo_seen_stamps(&stats->seen, period_ns);
    if (error.count > 0) {
        print_spread(out, "by refresh count", &error, false);
        fprintf(out, "  %-18s (animation error where each refresh takes %.4f ms; the screen\n", "",
                period_ns / 1e6);
        fprintf(out, "  %-18s times are off that by p50 %.3f, p90 %.3f ms)\n", "", stamps.p50,
                stamps.p90);
    }
}

void demo_display_print(const demo_stats *stats, FILE *out)
{
    const demo_seen *seen = &stats->seen;
    demo_spread off = demo_seen_off(seen);
    demo_spread age = demo_seen_age(seen);
    bool known;
    demo_refreshes refreshes = refreshes_of(stats, &known);
    print_lock(out, seen);
    if (off.count > 0) {
        print_spread(out, by_feedback(seen) ? "seen - expected" : "returned - exp.", &off, true);
    }
    print_counted(stats, out);
    if (is_locked(seen)) {
        fprintf(out, "  %-18s %.3f ms at most; %.3f ms won back in all\n", "behind",
                es_ns_to_ms(seen->offset_most_ns), es_ns_to_ms(seen->won_back_ns));
    }
    if (age.count > 0) {
        print_spread(out, "input age", &age, false);
    }
    if (known) {
        fprintf(out, "  %-18s %lld of %lld refreshes showed a picture again: %.2f %%\n", "repeated",
                (long long)refreshes.repeated, (long long)refreshes.count,
                percent_of(refreshes.repeated, refreshes.count));
    }
}

void demo_display_print_turns(const demo_run *run, FILE *out)
{
    if (run->turn_count == 0) {
        return;
    }
    fprintf(out, "\n  in turns, each %.10g s, the first second of each left out:\n",
            es_ns_to_ms(run->every_ns) / 1000.0);
    fprintf(out, "  %-18s %8s %8s %9s %9s %9s %9s\n", "ms", "|e| p50", "p90", "counted", "p90",
            "input age", "repeated");
    for (int i = 0; i < run->turn_count; ++i) {
        const demo_stats *stats = run->turns[i].stats;
        demo_spread error = demo_animation_spread(&stats->meter);
        demo_spread age = demo_seen_age(&stats->seen);
        bool known;
        demo_refreshes refreshes = refreshes_of(stats, &known);
        demo_spread counted =
                demo_seen_counted(&stats->seen, demo_counted_period_ns(stats->counted));
        fprintf(out, "  %-18s %8.3f %8.3f", run->turns[i].loop, error.p50, error.p90);
        if (counted.count > 0) {
            fprintf(out, " %9.3f %9.3f", counted.p50, counted.p90);
        } else {
            fprintf(out, " %9s %9s", "-", "-");
        }
        fprintf(out, " %9.2f", age.mean);
        if (known) {
            fprintf(out, " %7.2f %%", percent_of(refreshes.repeated, refreshes.count));
        }
        fputc('\n', out);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void set(json_t *root, const char *key, json_t *value)
{
    json_object_set_new(root, key, value);
}

static json_t *spread_json(const demo_spread *spread)
{
    if (spread->count == 0) {
        return json_null();
    }
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "bias", spread->bias, "mean", spread->mean,
            "p50", spread->p50, "p90", spread->p90, "p99", spread->p99, "max", spread->max);
}

static void set_lock(json_t *root, const es_display_status *status)
{
    set(root, "period_ms", json_real(status->period_ns / 1e6));
    set(root, "hz", json_real(status->period_ns > 0.0 ? 1e9 / status->period_ns : 0.0));
    set(root, "uncertain_ms", json_real(es_ns_to_ms(status->uncertain_ns)));
    set(root, "queue", json_integer(status->queue));
    set(root, "refreshes_held", json_integer(status->multiple));
    set(root, "by", json_string(status->fed ? "screen times" : "return of present"));
    set(root, "present_blocks", json_boolean(!status->paced));
    set(root, "one_waits", json_boolean(status->single));
    set(root, "hidden_ms", json_real(es_ns_to_ms(status->hidden_ns)));
    set(root, "missed", json_integer(status->missed));
    set(root, "refreshes", json_integer(status->refreshes));
}

/* What the loop knows; the period is 0 where it is not locked. */
static json_t *display_json(const demo_seen *seen)
{
    json_t *root = json_object();
    set(root, "state", json_string(demo_seen_state(seen)));
    if (!seen->follows) {
        return root;
    }
    set(root, "latency", json_string(latency_name(seen)));
    set_lock(root, &seen->status);
    set(root, "found_period_ms",
            seen->locked_frames > 0 ? json_real(demo_seen_found_ns(seen) / 1e6) : json_null());
    set(root, "locked_share", json_real(percent_of(seen->locked_frames, seen->frames) / 100.0));
    set(root, "locks", json_integer(seen->status.locks));
    set(root, "locked_after_ms",
            seen->locks > 0 ? json_real(es_ns_to_ms(seen->lock_most_ns)) : json_null());
    set(root, "behind_ms_max", json_real(es_ns_to_ms(seen->offset_most_ns)));
    set(root, "won_back_ms", json_real(es_ns_to_ms(seen->won_back_ns)));
    return root;
}

static json_t *refreshes_json(const demo_stats *stats)
{
    bool known;
    demo_refreshes refreshes = refreshes_of(stats, &known);
    if (!known) {
        return json_null();
    }
    return json_pack("{s:I, s:I, s:f}", "refreshes", (json_int_t)refreshes.count, "times",
            (json_int_t)refreshes.repeated, "share",
            percent_of(refreshes.repeated, refreshes.count) / 100.0);
}

/* By the pictures alone: nothing that a loop or a server says goes into it. */
static json_t *delivered_json(const demo_stats *stats)
{
    demo_refreshes refreshes = demo_count_refreshes(&stats->meter, 0.0);
    if (refreshes.period_ns <= 0.0) {
        return json_null();
    }
    return json_pack("{s:f, s:f, s:I}", "period_ms", refreshes.period_ns / 1e6, "hz",
            1e9 / refreshes.period_ns, "refreshes", (json_int_t)refreshes.count);
}

void demo_display_json(json_t *root, const demo_stats *stats)
{
    const demo_seen *seen = &stats->seen;
    demo_spread off = demo_seen_off(seen);
    demo_spread age = demo_seen_age(seen);
    double period_ns = demo_counted_period_ns(stats->counted);
    demo_spread counted = demo_seen_counted(seen, period_ns);
    demo_spread stamps = demo_seen_stamps(seen, period_ns);
    set(root, "display", display_json(seen));
    set(root, "counted_period_ms", period_ns > 0.0 ? json_real(period_ns / 1e6) : json_null());
    set(root, "animation_error_counted_ms", spread_json(&counted));
    set(root, "stamps_off_ms", spread_json(&stamps));
    set(root, "seen_less_expected_ms", spread_json(&off));
    set(root, "input_age_ms", spread_json(&age));
    set(root, "repeated", refreshes_json(stats));
    set(root, "delivered", delivered_json(stats));
}

json_t *demo_display_turns_json(const demo_run *run)
{
    if (run->turn_count == 0) {
        return json_null();
    }
    json_t *turns = json_array();
    for (int i = 0; i < run->turn_count; ++i) {
        const demo_stats *stats = run->turns[i].stats;
        demo_spread error = demo_animation_spread(&stats->meter);
        json_t *turn = json_object();
        set(turn, "loop", json_string(run->turns[i].loop));
        set(turn, "frames", json_integer(stats->meter.frames));
        set(turn, "animation_error_ms", spread_json(&error));
        demo_display_json(turn, stats);
        json_array_append_new(turns, turn);
    }
    return turns;
}
