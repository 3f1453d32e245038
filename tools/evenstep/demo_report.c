/* SPDX-License-Identifier: Zlib */
#include "demo_report.h"

#include "demo_display.h"

#include "evenstep/version.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 864000 /* an hour at 240 Hz; untouched pages cost nothing */
#define RECENT_NS   (2 * ES_NS_PER_S)
#define REFRESH_NS  (250 * ES_NS_PER_MS) /* figures that change faster cannot be read */

#define ERROR_NOTED_MS     2.0    /* what an eye may notice: over 1 px at 600 px/s */
#define ERROR_SCALE_MIN_MS 2.0    /* in the graph, so that noise looks like noise */
#define SCALE_MAX_MS       1000.0 /* what is longer is a gap */

/* --- measuring -------------------------------------------------------------------------------- */

bool demo_stats_init(demo_stats *stats, const es_clock *clock, const es_feedback *feedback,
        const demo_counted *counted)
{
    stats->clock = *clock;
    stats->feedback = feedback;
    stats->counted = counted;
    stats->samples = calloc(SAMPLES_MAX, sizeof *stats->samples);
    bool ready = demo_seen_init(&stats->seen);
    if (!demo_delays_init(&stats->delays) || !ready || stats->samples == NULL) {
        return false;
    }
    demo_stats_restart(stats);
    return true;
}

void demo_stats_finish(demo_stats *stats)
{
    demo_seen_finish(&stats->seen);
    demo_delays_finish(&stats->delays);
    free(stats->samples);
    stats->samples = NULL;
}

void demo_stats_restart(demo_stats *stats)
{
    es_meter_init(&stats->meter, stats->samples, SAMPLES_MAX);
    stats->started_ns = stats->clock.now_ns(stats->clock.user);
    stats->cpu_started = clock();
    stats->recent_frames = 0;
    stats->summary = (es_meter_summary){0};
    stats->summary_ns = stats->started_ns;
    stats->slow_motion_ns = 0;
    stats->stretched_ns = 0;
    stats->ticks = (demo_thread_figures){0};
    memset(stats->statuses, 0, sizeof stats->statuses);
    stats->jumps = 0;
    stats->streaks = 0;
    stats->live_repeats = (demo_refreshes){0};
    stats->live_age_ms = 0.0;
    demo_seen_restart(&stats->seen);
    demo_delays_restart(&stats->delays, stats->started_ns);
}

/* The newest sample but `back`. */
static const es_meter_sample *sample_at(const demo_stats *stats, size_t back)
{
    const es_meter *meter = &stats->meter;
    return &meter->samples[(meter->next + meter->capacity - 1 - back) % meter->capacity];
}

/* The animation error of the frame that the meter has just taken in. */
static double newest_error_ms(const demo_stats *stats)
{
    const es_meter_sample *newest = sample_at(stats, 0);
    const es_meter_sample *before = sample_at(stats, 1);
    if (stats->meter.count < 2 || newest->series != before->series) {
        return 0.0;
    }
    return es_ns_to_ms(es_ns_sub(newest->content_ns, before->content_ns))
           - es_ns_to_ms(es_ns_sub(newest->shown_ns, before->shown_ns));
}

static void add_bar(demo_stats *stats, const es_frame_report *report, double error_ms)
{
    if (stats->shown_ns != 0) {
        demo_hud_bar *bar = &stats->bars[stats->bar_count % DEMO_HUD_BARS];
        bar->interval_ms = es_ns_to_ms(es_ns_sub(report->shown_ns, stats->shown_ns));
        bar->intended_ms = es_ns_to_ms(report->frame.interval_ns);
        bar->error_ms = error_ms;
        ++stats->bar_count;
    }
    stats->shown_ns = report->shown_ns;
}

void demo_stats_add(demo_stats *stats, const demo_picture *picture, bool counts)
{
    const es_frame_report *report = picture->report;
    if (!counts) {
        add_bar(stats, report, 0.0);
        return;
    }
    if (stats->meter.frames == 0 && stats->started_ns == 0) { /* a recording's clock stands there */
        stats->started_ns = report->frame.start_ns;           /* before its first reading */
    }
    es_meter_add(&stats->meter, report);
    demo_delays_frame(&stats->delays, &report->frame, report->shown_ns);
    stats->recent[stats->recent_frames % DEMO_RECENT] = *report;
    ++stats->recent_frames;
    stats->slow_motion_ns = es_ns_add(stats->slow_motion_ns, report->frame.slow_motion_ns);
    stats->stretched_ns = es_ns_add(stats->stretched_ns, report->frame.stretched_ns);
    add_bar(stats, report, newest_error_ms(stats));
    demo_seen_add(&stats->seen, picture, sample_at(stats, 0));
    if (picture->input_ns != INT64_MIN) {
        stats->live_age_ms = es_ns_to_ms(es_ns_sub(report->shown_ns, picture->input_ns));
    }
}

double demo_counted_period_ns(const demo_counted *counted)
{
    if (counted->first == 0 || counted->newest <= counted->first) {
        return 0.0;
    }
    double passed_ns = (double)es_ns_sub(counted->newest_ns, counted->first_ns);
    return passed_ns / (double)(counted->newest - counted->first);
}

double demo_stats_period_ns(const demo_stats *stats)
{
    es_feedback_status told = es_feedback_get_status(stats->feedback);
    if (told.period_ns > 0 && told.period_sure) {
        return (double)told.period_ns;
    }
    const demo_seen *seen = &stats->seen;
    return seen->follows && seen->status.period_ns > 0.0 ? seen->status.period_ns
                                                         : (double)told.period_ns;
}

double demo_stats_seconds(const demo_stats *stats)
{
    return es_ns_to_ms(stats->clock.now_ns(stats->clock.user) - stats->started_ns) / 1000.0;
}

void demo_stats_stop(demo_stats *stats)
{
    double cpu_s = (double)(clock() - stats->cpu_started) / (double)CLOCKS_PER_SEC;
    stats->seconds = demo_stats_seconds(stats);
    stats->cpu_share = stats->seconds > 0.0 ? cpu_s / stats->seconds : 0.0;
}

/* The frame `back` frames before the newest, or NULL. */
static const es_frame_report *recent_at(const demo_stats *stats, int64_t back)
{
    if (back >= DEMO_RECENT || back >= stats->recent_frames) {
        return NULL;
    }
    return &stats->recent[(stats->recent_frames - 1 - back) % DEMO_RECENT];
}

static void refresh_summary(demo_stats *stats)
{
    es_meter meter;
    es_meter_sample samples[DEMO_RECENT];
    double scratch[DEMO_RECENT];
    int64_t back = 0;
    es_meter_init(&meter, samples, DEMO_RECENT);
    for (const es_frame_report *at; (at = recent_at(stats, back)) != NULL; ++back) {
        if (recent_at(stats, 0)->shown_ns - at->shown_ns > RECENT_NS) {
            break;
        }
    }
    while (back > 0) {
        es_meter_add(&meter, recent_at(stats, --back));
    }
    es_meter_summarise(&meter, scratch, DEMO_RECENT, &stats->summary);
    double period_ns = demo_stats_period_ns(stats);
    stats->live_repeats = (demo_refreshes){0};
    if (period_ns > 0.0) {
        stats->live_repeats = demo_count_refreshes(&meter, period_ns);
    }
    demo_seen_refresh(&stats->seen);
    demo_delays_refresh(&stats->delays);
}

/* --- live figures ----------------------------------------------------------------------------- */

void demo_hud_put(demo_hud_line *line, const char *key, const char *label, bool accent,
        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    line->key = key;
    line->label = label;
    line->accent = accent;
    vsnprintf(line->value, sizeof line->value, format, arguments);
    va_end(arguments);
}

static const char *source_name(es_shown_source source)
{
    switch (source) {
    case ES_SHOWN_FEEDBACK:
        return "screen feedback";
    case ES_SHOWN_VIRTUAL:
        return "a virtual display";
    default:
        return "return of present";
    }
}

/* 1, 2, 5, 10, 20, 50, ... ms: a scale that changes seldom, and whose label is short. */
static double round_scale_ms(double ms)
{
    static const double factors[] = {2.0, 2.5, 2.0}; /* from 1 to 2 to 5 to 10 */
    double scale_ms = 1.0;
    for (int i = 0; scale_ms < ms && scale_ms < SCALE_MAX_MS; ++i) {
        scale_ms *= factors[i % 3];
    }
    return scale_ms;
}

static void show_bars(const demo_stats *stats, demo_hud_side *side, demo_hud *hud)
{
    int64_t oldest = stats->bar_count > DEMO_HUD_BARS ? stats->bar_count - DEMO_HUD_BARS : 0;
    double interval_ms_max = 0.0;
    double error_ms_max = ERROR_SCALE_MIN_MS;
    side->bar_count = 0;
    for (int64_t i = oldest; i < stats->bar_count; ++i) {
        demo_hud_bar bar = stats->bars[i % DEMO_HUD_BARS];
        side->bars[side->bar_count++] = bar;
        interval_ms_max = fmax(interval_ms_max, fmax(bar.interval_ms, bar.intended_ms));
        error_ms_max = fmax(error_ms_max, fabs(bar.error_ms));
    }
    hud->interval_scale_ms = fmax(hud->interval_scale_ms, round_scale_ms(interval_ms_max));
    hud->error_scale_ms = fmax(hud->error_scale_ms, round_scale_ms(error_ms_max));
}

static int digits_for(double ms)
{
    return ms < 10.0 ? 2 : ms < 100.0 ? 1 : 0;
}

void demo_stats_show_side(demo_stats *stats, demo_hud_side *side, demo_hud *hud)
{
    int64_t now_ns = stats->clock.now_ns(stats->clock.user);
    if (es_ns_sub(now_ns, stats->summary_ns) >= REFRESH_NS) {
        stats->summary_ns = now_ns;
        refresh_summary(stats);
    }
    double error_ms = stats->summary.animation.mean_abs_ms;
    snprintf(side->error, sizeof side->error, "%.*f ms = %.1f px", digits_for(error_ms), error_ms,
            error_ms / 1000.0 * DEMO_SPEED);
    side->accent = error_ms > ERROR_NOTED_MS;
    show_bars(stats, side, hud);
}

double demo_rate_hz(es_rate rate)
{
    return (double)rate.numerator / (double)rate.denominator;
}

demo_hud_line *demo_hud_figure(demo_hud *hud)
{
    return &hud->figures[hud->figure_count++];
}

static void put_error(demo_hud *hud, const char *label, const es_meter_error *error)
{
    int digits = digits_for(error->p99_ms);
    demo_hud_put(demo_hud_figure(hud), NULL, label, error->p99_ms > ERROR_NOTED_MS,
            "mean %.*f, p99 %.*f ms", digits, error->mean_abs_ms, digits, error->p99_ms);
}

/* Adds "12.0 dropped" to a text; nothing is said of what did not happen. */
static void add_time(char *text, size_t size, const char *what, int64_t ns)
{
    size_t used = strlen(text);
    if (ns > 1 || ns < -1) { /* 1 ns is rounding */
        snprintf(
                text + used, size - used, "%s%.1f %s", used > 0 ? ", " : "", es_ns_to_ms(ns), what);
    }
}

static void put_times(demo_hud *hud, const char *label, const char *times)
{
    if (times[0] != '\0') {
        demo_hud_put(demo_hud_figure(hud), NULL, label, true, "%s", times);
    }
}

/* What display time holds back to win it back is not lost, and has a line of its own. */
static void put_lost(const demo_stats *stats, const es_frame *frame, demo_hud *hud)
{
    char lost[64] = "";
    char now[64] = "";
    add_time(lost, sizeof lost, "dropped", stats->meter.dropped_ns);
    add_time(lost, sizeof lost, "lagged", stats->slow_motion_ns);
    add_time(lost, sizeof lost, "stretched", stats->stretched_ns);
    add_time(now, sizeof now, "held", es_ns_sub(frame->account.clamped_ns, frame->offset_ns));
    add_time(now, sizeof now, "in gaps", stats->meter.gaps_ns);
    if (lost[0] == '\0' && now[0] == '\0') {
        demo_hud_put(demo_hud_figure(hud), NULL, "time lost", false, "none");
    }
    put_times(hud, "time lost, ms", lost);
    put_times(hud, "time out, ms", now);
}

/* Pictures that are not between two ticks, and how late these begin. */
static void put_threads(const demo_stats *stats, demo_hud *hud)
{
    const int64_t *statuses = stats->statuses;
    int64_t others = statuses[ES_THREADED_HELD] + statuses[ES_THREADED_EXTRAPOLATED]
                     + statuses[ES_THREADED_GAP];
    demo_hud_put(demo_hud_figure(hud), NULL, "held, ahead, gap", others > 0, "%lld, %lld, %lld",
            (long long)statuses[ES_THREADED_HELD], (long long)statuses[ES_THREADED_EXTRAPOLATED],
            (long long)statuses[ES_THREADED_GAP]);
    demo_hud_put(demo_hud_figure(hud), NULL, "ticks late", stats->ticks.late > 0,
            "%lld, at most %.2f ms", (long long)stats->ticks.late,
            es_ns_to_ms(stats->ticks.late_ns_max));
}

void demo_stats_show_figures(const demo_stats *stats, const es_frame *frame, bool jumps,
        const demo_extra *extra, demo_hud *hud)
{
    const es_meter_summary *recent = &stats->summary;
    double fps = recent->interval_ms > 0.0 ? 1000.0 / recent->interval_ms : 0.0;
    double intended_ms = es_ns_to_ms(frame->interval_ns);
    hud->figure_count = 0;
    hud->alpha = frame->alpha;
    if (intended_ms > 0.0) {
        demo_hud_put(
                demo_hud_figure(hud), NULL, "frames", false, "%.1f fps, %.2f ms", fps, intended_ms);
    } else {
        demo_hud_put(demo_hud_figure(hud), NULL, "frames", false, "%.1f fps, as they come", fps);
    }
    put_error(hud, "interval error", &recent->interval);
    put_error(hud, "animation error", &recent->animation);
    demo_display_show(stats, frame, hud);
    demo_extra_show(extra, &stats->delays, hud);
    put_lost(stats, frame, hud);
    if (extra->threaded) {
        put_threads(stats, hud);
    }
    demo_hud_put(demo_hud_figure(hud), NULL, "measured against", false, "%s",
            source_name(stats->meter.source));
    demo_hud_put(demo_hud_figure(hud), NULL, "ticks and alpha", false, "%d   %.2f",
            (int)frame->ticks, frame->alpha);
    if (jumps) {
        demo_hud_put(demo_hud_figure(hud), NULL, "streaks", stats->streaks > 0,
                "%lld pictures in %lld jumps", (long long)stats->streaks, (long long)stats->jumps);
    }
}

/* --- at the end ------------------------------------------------------------------------------- */

typedef struct totals {
    es_meter_summary errors;
    double work_mean_ms;
} totals;

/* All figures 0 where there is nothing to compare, or no memory to do it in. */
static totals totals_of(const demo_stats *stats)
{
    totals all = {0};
    double *scratch = malloc((stats->meter.count + 1) * sizeof *scratch);
    if (scratch != NULL) {
        es_meter_summarise(&stats->meter, scratch, stats->meter.count, &all.errors);
    }
    free(scratch);
    if (stats->meter.frames > 0) {
        all.work_mean_ms = es_ns_to_ms(stats->meter.work_ns) / (double)stats->meter.frames;
    }
    return all;
}

static void print_error(FILE *out, const char *label, const es_meter_error *error, bool measured)
{
    if (!measured) {
        fprintf(out, "  %-18s not measured\n", label);
        return;
    }
    fprintf(out, "  %-18s mean %.3f  rms %.3f  p99 %.3f  max %.3f ms\n", label, error->mean_abs_ms,
            error->rms_ms, error->p99_ms, error->max_ms);
}

static const char *blending(bool blend)
{
    return blend ? "" : " without blending";
}

static void print_jumps(FILE *out, const demo_stats *stats, const demo_run *run)
{
    if (stats->jumps > 0) {
        fprintf(out, "  %-18s %s: %lld jumps, %lld pictures of the ball on its way\n", "teleport",
                run->jump, (long long)stats->jumps, (long long)stats->streaks);
    }
}

static void print_threads(FILE *out, const demo_stats *stats, const demo_run *run)
{
    const int64_t *statuses = stats->statuses;
    if (run->exchange != NULL) {
        fprintf(out, "  %-18s states %s; %lld pictures held, %lld extrapolated, %lld in gaps\n",
                "two threads", run->exchange, (long long)statuses[ES_THREADED_HELD],
                (long long)statuses[ES_THREADED_EXTRAPOLATED],
                (long long)statuses[ES_THREADED_GAP]);
        fprintf(out, "  %-18s ticks begun at most %.3f ms late; %lld of %lld over a period\n", "",
                es_ns_to_ms(stats->ticks.late_ns_max), (long long)stats->ticks.late,
                (long long)stats->ticks.ticks);
    }
}

static void print_split(FILE *out, const demo_run *run)
{
    if (run->split != NULL) {
        totals all = totals_of(run->compare);
        fprintf(out, "  %-18s %s%s, in the same frames\n", "lower half", run->split,
                blending(run->split_blend));
        print_error(out, "animation error", &all.errors.animation, all.errors.intervals > 0);
    }
}

static void print_files(FILE *out, const demo_run *run)
{
    if (run->screenshot != NULL) {
        fprintf(out, "  %-18s %s\n", "screenshot", run->screenshot);
    }
    if (run->report != NULL) {
        fprintf(out, "  %-18s %s\n", "report", run->report);
    }
}

static int64_t contradictions(const es_feedback_status *feedback)
{
    int64_t count = 0;
    for (int verdict = ES_FEEDBACK_UNKNOWN; verdict < ES_FEEDBACK_VERDICTS; ++verdict) {
        count += feedback->verdicts[verdict];
    }
    return count;
}

static void print_period(FILE *out, const es_feedback_status *feedback)
{
    if (feedback->period_ns > 0) {
        fprintf(out, "  %-18s %s%.3f Hz", "display", feedback->period_sure ? "" : "about ",
                1e9 / (double)feedback->period_ns);
        if (feedback->varies) {
            fprintf(out, ", varies");
        }
        if (feedback->announced_ns > 0) {
            fprintf(out, ", announced %.3f%s", 1e9 / (double)feedback->announced_ns,
                    feedback->announced_wrong ? ", which is wrong" : "");
        }
        fputc('\n', out);
    }
}

static void print_feedback(FILE *out, const demo_run *run)
{
    const es_feedback_status *feedback = &run->feedback;
    if (run->teller != NULL) {
        fprintf(out, "  %-18s %s: %s; %lld told, %lld never shown, %lld contradictory\n",
                "screen times", run->teller, es_feedback_state_name(feedback->state),
                (long long)feedback->verdicts[ES_FEEDBACK_TAKEN],
                (long long)feedback->verdicts[ES_FEEDBACK_DISCARDED],
                (long long)contradictions(feedback));
        if (run->teller_ended != NULL) {
            fprintf(out, "  %-18s (no more since: %s)\n", "", run->teller_ended);
        }
        print_period(out, feedback);
    }
    if (run->hidden_frames > 0) {
        fprintf(out, "  %-18s %lld, in no figure\n", "hidden frames",
                (long long)run->hidden_frames);
    }
}

void demo_stats_print(const demo_stats *stats, const demo_run *run, FILE *out)
{
    const es_meter *meter = &stats->meter;
    totals all = totals_of(stats);
    fprintf(out, "evenstep demo\n");
    fprintf(out, "  %-18s %s (%s)\n", "view", run->view, run->shows);
    fprintf(out, "  %-18s %s%s: pace %s, policy %s\n", "loop", run->loop, blending(run->blend),
            run->pace, run->policy);
    fprintf(out, "  %-18s %s, lead %d\n", "shows", run->show, (int)run->lead);
    fprintf(out, "  %-18s %.2f s, %lld frames", "ran", stats->seconds, (long long)meter->frames);
    if (all.errors.interval_ms > 0.0) {
        fprintf(out, ", %.2f per second", 1000.0 / all.errors.interval_ms);
    }
    fputc('\n', out);
    fprintf(out, "  %-18s %lld at %.10g per second, %d to %d per frame\n", "ticks",
            (long long)meter->ticks, demo_rate_hz(run->tick_rate), (int)meter->ticks_min,
            (int)meter->ticks_max);
    fprintf(out, "  %-18s %.3f ms intended, %.3f ms measured\n", "interval", all.errors.intended_ms,
            all.errors.interval_ms);
    bool measured = all.errors.intervals > 0;
    print_error(out, "interval error", &all.errors.interval, measured);
    print_error(out, "animation error", &all.errors.animation, measured);
    fprintf(out, "  %-18s %s, %zu pairs of frames\n", "measured against",
            source_name(meter->source), all.errors.intervals);
    if (meter->source == ES_SHOWN_PRESENT_RETURN) {
        fprintf(out, "  %-18s (with wake-up lateness, which nobody sees: an upper bound)\n", "");
    }
    print_feedback(out, run);
    demo_display_print(stats, out);
    fprintf(out, "  %-18s %.3f ms dropped, %.3f lagged, %.3f stretched\n", "time",
            es_ns_to_ms(meter->dropped_ns), es_ns_to_ms(stats->slow_motion_ns),
            es_ns_to_ms(stats->stretched_ns));
    fprintf(out, "  %-18s %lld, %.3f ms\n", "gaps", (long long)meter->gaps,
            es_ns_to_ms(meter->gaps_ns));
    fprintf(out, "  %-18s %.1f %%; work per frame: mean %.3f, max %.3f ms\n", "CPU",
            100.0 * stats->cpu_share, all.work_mean_ms, es_ns_to_ms(meter->work_ns_max));
    fprintf(out, "  %-18s %.3f ms after its time\n", "latest wake-up",
            es_ns_to_ms(meter->late_ns_max));
    print_threads(out, stats, run);
    print_jumps(out, stats, run);
    demo_extra_print(&run->extra, &stats->delays, out);
    print_split(out, run);
    print_files(out, run);
    demo_display_print_turns(run, out);
}

/* null: there were no two frames to compare. */
static json_t *error_json(const es_meter_error *error, bool measured)
{
    if (!measured) {
        return json_null();
    }
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "mean", error->mean_abs_ms, "bias",
            error->bias_ms, "median", error->median_ms, "rms", error->rms_ms, "p99", error->p99_ms,
            "max", error->max_ms);
}

static void set(json_t *root, const char *key, json_t *value)
{
    json_object_set_new(root, key, value);
}

static void set_ms(json_t *root, const char *key, int64_t ns)
{
    set(root, key, json_real(es_ns_to_ms(ns)));
}

static void set_run(json_t *root, const demo_stats *stats, const demo_run *run)
{
    char rate[32];
    snprintf(rate, sizeof rate, "%lu/%lu", (unsigned long)run->tick_rate.numerator,
            (unsigned long)run->tick_rate.denominator);
    set(root, "evenstep", json_string(es_version()));
    set(root, "view", json_string(run->view));
    set(root, "present", json_string(run->shows));
    set(root, "loop", json_string(run->loop));
    set(root, "pace", json_string(run->pace));
    set(root, "policy", json_string(run->policy));
    set(root, "interpolation", json_boolean(run->blend));
    set(root, "show", json_string(run->show));
    set(root, "lead_ticks", json_integer(run->lead));
    set(root, "teleport", json_string(run->jump));
    set(root, "jumps", json_integer(stats->jumps));
    set(root, "streaks", json_integer(stats->streaks));
    set(root, "seconds", json_real(stats->seconds));
    set(root, "frames", json_integer(stats->meter.frames));
    set(root, "ticks", json_integer(stats->meter.ticks));
    set(root, "tick_rate", json_string(rate));
}

static void set_errors(json_t *root, const demo_stats *stats, const es_meter_summary *errors)
{
    bool measured = errors->intervals > 0;
    set(root, "interval_ms", json_real(errors->intended_ms));
    set(root, "interval_measured_ms", json_real(errors->interval_ms));
    set(root, "interval_error_ms", error_json(&errors->interval, measured));
    json_t *animation = error_json(&errors->animation, measured);
    if (measured) {
        set(animation, "p90", json_real(demo_animation_spread(&stats->meter).p90));
    }
    set(root, "animation_error_ms", animation);
    set(root, "measured_against", json_string(source_name(stats->meter.source)));
    set(root, "compared_frames", json_integer((json_int_t)errors->intervals));
    set(root, "lost_ms", json_real(errors->lost_ms));
}

static void set_totals(json_t *root, const demo_stats *stats, const totals *all)
{
    const es_meter *meter = &stats->meter;
    const char *clock_text = stats->clock.description;
    set_ms(root, "dropped_ms", meter->dropped_ns);
    set_ms(root, "slow_motion_ms", stats->slow_motion_ns);
    set_ms(root, "stretched_ms", stats->stretched_ns);
    set(root, "gaps",
            json_pack("{s:I, s:f}", "count", (json_int_t)meter->gaps, "ms",
                    es_ns_to_ms(meter->gaps_ns)));
    set(root, "ticks_per_frame",
            json_pack("{s:i, s:i}", "min", (int)meter->ticks_min, "max", (int)meter->ticks_max));
    set_ms(root, "late_ms_max", meter->late_ns_max);
    set(root, "work_ms",
            json_pack("{s:f, s:f}", "mean", all->work_mean_ms, "max",
                    es_ns_to_ms(meter->work_ns_max)));
    set(root, "cpu_share", json_real(stats->cpu_share));
    set(root, "clock", json_string(clock_text != NULL ? clock_text : "unknown"));
}

/* null: nothing here tells screen times. */
static json_t *feedback_json(const demo_run *run)
{
    static const char *const keys[ES_FEEDBACK_VERDICTS] = {
            "taken", "discarded", "unknown", "repeated", "early", "future", "order", "sequence"};
    static const char *const grades[] = {"guessed", "software", "vsync", "hardware"};
    const es_feedback_status *feedback = &run->feedback;
    if (run->teller == NULL) {
        return json_null();
    }
    json_t *root = json_object(), *samples = json_object();
    for (int i = 0; i < ES_FEEDBACK_VERDICTS; ++i) {
        set(samples, keys[i], json_integer(feedback->verdicts[i]));
    }
    set(root, "by", json_string(run->teller));
    set(root, "state", json_string(es_feedback_state_name(feedback->state)));
    set(root, "ended", run->teller_ended != NULL ? json_string(run->teller_ended) : json_null());
    set(root, "samples", samples);
    set(root, "timed_out", json_integer(feedback->timed_out));
    set(root, "grade", json_string(grades[feedback->grade]));
    set_ms(root, "period_ms", feedback->period_ns);
    set(root, "period_sure", json_boolean(feedback->period_sure));
    set(root, "varies", json_boolean(feedback->varies));
    set_ms(root, "announced_ms", feedback->announced_ns);
    set(root, "announced_wrong", json_boolean(feedback->announced_wrong));
    return root;
}

/* null: everything ran on one thread. */
static json_t *threads_json(const demo_stats *stats, const demo_run *run)
{
    static const char *const keys[DEMO_THREADED_STATUSES] = {
            "interpolated", "held", "extrapolated", "gap", "empty"};
    if (run->exchange == NULL) {
        return json_null();
    }
    json_t *root = json_object(), *pictures = json_object();
    for (int i = 0; i < DEMO_THREADED_STATUSES; ++i) {
        set(pictures, keys[i], json_integer(stats->statuses[i]));
    }
    set(root, "exchange", json_string(run->exchange));
    set(root, "pictures", pictures);
    set(root, "ticks", json_integer(stats->ticks.ticks));
    set(root, "ticks_late", json_integer(stats->ticks.late));
    set_ms(root, "tick_late_ms_max", stats->ticks.late_ns_max);
    return root;
}

/* null: the view is not split. */
static void set_split(json_t *root, const demo_run *run)
{
    json_t *split = json_null();
    if (run->split != NULL) {
        totals all = totals_of(run->compare);
        split = json_object();
        set(split, "loop", json_string(run->split));
        set(split, "interpolation", json_boolean(run->split_blend));
        set(split, "show", json_string(run->split_show));
        set(split, "streaks", json_integer(run->compare->streaks));
        set(split, "animation_error_ms",
                error_json(&all.errors.animation, all.errors.intervals > 0));
        set(split, "lost_ms", json_real(all.errors.lost_ms));
    }
    set(root, "split", split);
}

static bool write_text(const char *text, const char *path)
{
    bool to_stdout = strcmp(path, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    bool written = fprintf(file, "%s\n", text) > 0 && fflush(file) == 0;
    return (to_stdout || fclose(file) == 0) && written;
}

bool demo_stats_write(const demo_stats *stats, const demo_run *run, const char *path)
{
    totals all = totals_of(stats);
    json_t *root = json_object();
    set_run(root, stats, run);
    set_errors(root, stats, &all.errors);
    set_totals(root, stats, &all);
    set(root, "screen_times", feedback_json(run));
    demo_display_json(root, stats);
    set(root, "turns", demo_display_turns_json(run));
    set(root, "threads", threads_json(stats, run));
    demo_extra_json(root, &run->extra, &stats->delays);
    set(root, "hidden_frames", json_integer(run->hidden_frames));
    set_split(root, run);
    errno = ENOMEM; /* jansson says only NULL */
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    bool written = text != NULL && write_text(text, path);
    free(text);
    json_decref(root);
    return written;
}
