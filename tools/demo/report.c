/* SPDX-License-Identifier: Zlib
 *
 * The figures of demo_measure as a panel, as text for people, and as JSON.
 */
#include "choice.h"
#include "demo.h"
#include "tool.h"

#include "evenstep/evenstep.h"
#include "evenstep/input.h"
#include "evenstep/measure.h"
#include "evenstep/replay.h"

#include "lab/numbers.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LIVE_NS            (2 * ES_NS_PER_S) /* the panel's figures are of this time */
#define ERROR_NOTED_MS     2.0               /* over 1 px at 600 px/s: an eye may notice it */
#define ERROR_SCALE_MIN_MS 2.0               /* in the graph, so that noise looks like noise */
#define SCALE_MAX_MS       1000.0            /* more than this is a gap */

static const char *source_name(es_shown_source source)
{
    return source == ES_SHOWN_FEEDBACK ? "screen feedback" : "return of present";
}

/* The state of the refresh estimate in words. */
static const char *refresh_state(const demo_measure *measure)
{
    const es_display *status = &measure->display;
    if (!measure->follows) {
        return "not followed";
    }
    switch (status->mode) {
    case ES_DISPLAY_UNKNOWN:
        return "searching";
    case ES_DISPLAY_FREE:
        return "presents do not block";
    case ES_DISPLAY_BLOCKS:
        return status->feedback ? "known by feedback" : "known by presents";
    case ES_DISPLAY_VARIABLE:
        return "variable";
    case ES_DISPLAY_HOST:
        return "set by the host";
    }
    return "unknown";
}

/* --- lines ------------------------------------------------------------------------------------ */

__attribute__((format(printf, 4, 5))) static void put(
        demo_panel *panel, const char *label, bool accent, const char *format, ...)
{
    demo_line *line = &panel->lines[panel->line_count++];
    va_list arguments;
    va_start(arguments, format);
    line->label = label;
    line->accent = accent;
    vsnprintf(line->value, sizeof line->value, format, arguments);
    va_end(arguments);
}

static void put_load(const demo_settings *set, demo_panel *panel)
{
    char text[96] = "";
    double render_ms = ns_to_ms(set->render_cost_ns);
    double update_ms = ns_to_ms(set->update_cost_ns);
    if (render_ms > 0.0 || update_ms > 0.0) {
        tool_append(text, sizeof text, ", ", "%.4g ms/frame, %.4g/tick", render_ms, update_ms);
    }
    put(panel, "load", text[0] != '\0', "%s", text[0] != '\0' ? text : "none");
}

/* What runs. */
static void put_settings(const demo_state *demo, demo_panel *panel)
{
    char text[96] = "";
    const demo_side *side = &demo->sides[0];
    const es_loop_config *config = &side->rule.config;
    es_rate rate = demo_side_tick_rate(side);
    lab_ratio speed = demo_speeds[demo->set.speed];
    bool paused = side->paused;
    panel->line_count = 0;
    choice_add_cap(text, sizeof text, demo->set.choice.cap_ns);
    if (demo->set.choice.cap_ns > 0 && side->measure.display.frames_per_s > 0.0) {
        tool_append(text, sizeof text, ", ", "allows %.4g", side->measure.display.frames_per_s);
    }
    put(panel, side->rule.name, false, "policy %s%s", choice_policy_name((int)config->catch_up),
            text);
    text[0] = '\0';
    put(panel, "blending", side->rule.way == DEMO_WAY_NONE, "%s, delay %.4g",
            demo_way_name((size_t)side->rule.way), config->delay_ticks);
    if (speed.numerator != speed.denominator) {
        tool_append(text, sizeof text, ", ", "speed %.3g",
                (double)speed.numerator / (double)speed.denominator);
    }
    if (paused) {
        tool_append(text, sizeof text, ", ", "paused");
    }
    put(panel, "tick", text[0] != '\0', "%lld, %.4g per second%s%s", (long long)side->shown->tick,
            (double)rate.numerator / (double)rate.denominator, text[0] != '\0' ? ", " : "", text);
    put_load(&demo->set, panel);
}

static void put_refresh(const demo_measure *measure, const demo_span *span, demo_panel *panel)
{
    char text[96] = "";
    double period_ns = demo_measure_period_ns(measure);
    if (period_ns > 0.0) {
        tool_append(text, sizeof text, ", ", "%.2f Hz", 1e9 / period_ns);
    }
    tool_append(text, sizeof text, ", ", "%s", refresh_state(measure));
    put(panel, "refresh", false, "%s", text);
    if (span->refreshes > 0) {
        put(panel, "repeats", span->repeats > 0, "%.1f %% of refreshes",
                100.0 * (double)span->repeats / (double)span->refreshes);
    } else {
        put(panel, "repeats", false, "not known");
    }
}

static void put_lost_time(const demo_side *side, demo_panel *panel)
{
    char text[96] = "";
    const demo_measure *measure = &side->measure;
    const struct {
        const char *what;
        int64_t ns;
    } times[] = {{"dropped", measure->dropped_ns}, {"slow motion", measure->slow_motion_ns},
            {"stretched", measure->stretched_ns}, {"in gaps", measure->gaps_ns}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        if (times[i].ns > 1 || times[i].ns < -1) { /* 1 ns is rounding */
            tool_append(text, sizeof text, ", ", "%.1f %s", ns_to_ms(times[i].ns), times[i].what);
        }
    }
    if (side->pairs[DEMO_PAIR_CLAMPED] > 0) {
        tool_append(text, sizeof text, ", ", "%lld frames clamped",
                (long long)side->pairs[DEMO_PAIR_CLAMPED]);
    }
    put(panel, "lost time, ms", text[0] != '\0', "%s", text[0] != '\0' ? text : "none");
}

/* With put_settings ten lines at most: the panel's, and the summary's. */
static void put_figures(const demo_state *demo, int64_t since_ns, demo_panel *panel)
{
    const demo_side *side = &demo->sides[0];
    const demo_measure *measure = &side->measure;
    const es_input_status *input = &measure->input;
    demo_span span = demo_measure_span(measure, since_ns, demo_measure_period_ns(measure));
    double hz = span.seconds > 0.0 ? (double)span.pairs / span.seconds : 0.0;
    put(panel, "frames", false, "%.1f per second, longest %.1f ms", hz, span.longest_ms);
    put(panel, "animation error", span.error_most_ms > ERROR_NOTED_MS, "mean %.2f, most %.2f ms",
            span.error_ms, span.error_most_ms);
    put_refresh(measure, &span, panel);
    if (input->shown > 0) {
        put(panel, "input age", false, "mean %.1f, p95 %.1f ms", input->to_shows.mean_ms,
                input->to_shows.p95_ms);
    } else {
        put(panel, "input age", false, "no input yet");
    }
    put_lost_time(side, panel);
}

/* --- the panel -------------------------------------------------------------------------------- */

/* Keys and their meanings, two spaces between. */
static const char *const help[DEMO_HELP] = {
        "space pause  n step  s speed  +- rate  l loop  p policy  w blending  "
        "i on/off  d delay",
        "v split  c frame-cost  u tick-cost  r restart  h panel  q quit"};

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

static void show_errors(const demo_measure *measure, demo_panel_side *side, demo_panel *panel)
{
    int64_t count = measure->error_count < DEMO_ERRORS ? measure->error_count : DEMO_ERRORS;
    double most_ms = ERROR_SCALE_MIN_MS;
    side->error_count = (size_t)count;
    for (int64_t i = 0; i < count; ++i) {
        double error_ms = measure->errors_ms[(measure->error_count - count + i) % DEMO_ERRORS];
        side->errors_ms[i] = error_ms;
        most_ms = fmax(most_ms, fabs(error_ms));
    }
    panel->error_scale_ms = fmax(panel->error_scale_ms, round_scale_ms(most_ms));
}

static void show_side(const demo_side *side, bool first, demo_panel_side *out, demo_panel *panel)
{
    demo_span span = demo_measure_span(&side->measure, LIVE_NS, 0.0);
    snprintf(out->name, sizeof out->name, "%s", side->rule.name);
    snprintf(out->shows, sizeof out->shows, "%s; %s", first ? "sets the pace" : "the same frames",
            side->rule.way == DEMO_WAY_NONE ? "the newest tick, not blended"
                                            : demo_way_name((size_t)side->rule.way));
    snprintf(out->error, sizeof out->error, "%.2f ms = %.1f px", span.error_ms,
            span.error_ms / 1000.0 * DEMO_SPEED);
    out->accent = span.error_ms > ERROR_NOTED_MS;
    show_errors(&side->measure, out, panel);
}

void demo_fill_panel(demo_state *demo)
{
    demo_panel *panel = &demo->panel;
    demo_measure *measure = &demo->sides[0].measure;
    panel->error_scale_ms = 0.0;
    panel->side_count = demo->side_count;
    for (int i = 0; i < demo->side_count; ++i) {
        show_side(&demo->sides[i], i == 0, &panel->sides[i], panel);
    }
    int count = panel->line_count;
    put_settings(demo, panel);
    if (demo_measure_refresh(measure, false) || count == 0) {
        put_figures(demo, LIVE_NS, panel);
    } else {
        panel->line_count = count;
    }
    memcpy(panel->help, help, sizeof panel->help);
}

/* --- the summary ------------------------------------------------------------------------------ */

/* Names of drivers and files may hold controls. */
__attribute__((format(printf, 2, 3))) static void print(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tool_print(file, format, arguments);
    va_end(arguments);
}

static void print_line(FILE *file, const char *label, const char *value)
{
    if (value != NULL) {
        print(file, "  %-18s %s\n", label, value);
    }
}

static void print_system(FILE *file, const demo_state *demo)
{
    struct utsname system = {.sysname = "unknown"};
    (void)uname(&system);
    print(file, "  system             evenstep %s, %s %s %s, %ld processors\n", tool_version(),
            system.sysname, system.release, system.machine, sysconf(_SC_NPROCESSORS_ONLN));
    print_line(file, "driver", demo->view.driver != NULL ? demo->view.driver : "none");
}

static void print_feedback(FILE *file, const demo_state *demo)
{
    const demo_measure *measure = &demo->sides[0].measure;
    const char *ended = demo->view.reports_ended;
    if (demo->view.reports_by == NULL) {
        print_line(file, "feedback", "none: nothing reports when frames are seen");
        return;
    }
    print_line(file, "feedback by", demo->view.reports_by);
    print(file, "  feedback           %lld frames seen, %lld never, %lld refused%s%s\n",
            (long long)measure->taken, (long long)measure->discarded, (long long)measure->refused,
            ended != NULL ? "; ended: " : "", ended != NULL ? ended : "");
}

static void print_display(FILE *file, const demo_state *demo)
{
    static const char *const modes[] = {"not known whether they wait", "wait for refreshes",
            "return at once", "start a refresh (variable refresh rate)", "a host calls"};
    const es_display *display = &demo->sides[0].measure.display;
    char announced[32] = "none", queue[64] = "queue not known";
    if (demo->refresh_ns > 0) {
        snprintf(announced, sizeof announced, "%.3f Hz", 1e9 / (double)demo->refresh_ns);
    }
    if (display->queue > 0) {
        snprintf(queue, sizeof queue, "%d frames from submit to screen", (int)display->queue);
    }
    print_line(file, "announced refresh", announced);
    print(file, "  presents           %s, %s\n",
            demo->sides[0].measure.follows ? modes[display->mode]
                                           : "this loop does not follow the display",
            queue);
    print(file, "  missed refreshes   %lld, against the plan\n", (long long)display->missed);
    print_feedback(file, demo);
}

/* What a summary has no space for. */
static void print_rest(FILE *file, const demo_state *demo)
{
    const demo_measure *measure = &demo->sides[0].measure;
    const es_smoothness all = es_meter_smoothness(measure->meter);
    const char *problem = es_loop_problem(demo->sides[0].loop), *clock = measure->clock.description;
    print(file,
            "  99th percentile    animation error %.2f, interval error %.2f ms\n"
            "  work               mean %.2f, most %.2f ms: ticks and drawing of a frame\n"
            "  waits              at most %.3f ms late, %.*s\n"
            "  ticks per frame    %d to %d\n"
            "  gaps               %lld, %.1f ms\n"
            "  hidden frames      %lld, not measured\n"
            "  input              %lld events, %lld late for their tick, %lld lost\n",
            all.animation.p99_ms, all.interval.p99_ms,
            all.frames > 0 ? ns_to_ms(all.work_ns) / (double)all.frames : 0.0,
            ns_to_ms(all.work_ns_max), ns_to_ms(all.late_ns_max), (int)strcspn(clock, ";"), clock,
            (int)all.ticks_min, (int)all.ticks_max, (long long)all.gaps, ns_to_ms(all.gaps_ns),
            (long long)demo->hidden_frames, (long long)measure->input.events,
            (long long)measure->input.missed,
            (long long)(measure->input.lost + demo->input.dropped));
    print_line(file, "problem", problem != NULL ? problem : "none");
}

void demo_print(FILE *file, const demo_state *demo, const demo_options *options)
{
    demo_panel panel;
    const demo_measure *measure = &demo->sides[0].measure;
    es_smoothness summary = es_meter_smoothness(measure->meter);
    put_settings(demo, &panel);
    put_figures(demo, INT64_MAX, &panel);
    print(file, "evenstep demo: %s (%s), %.2f s, %lld frames, %lld ticks\n", demo->view.name,
            demo->view.shows, measure->seconds, (long long)summary.frames,
            (long long)summary.ticks);
    if (options == NULL) {
        print_system(file, demo);
    }
    print(file, "  loop               %s, %s\n", panel.lines[0].label, panel.lines[0].value);
    for (int i = 1; i < panel.line_count; ++i) {
        print_line(file, panel.lines[i].label, panel.lines[i].value);
    }
    print_line(file, "measured against", source_name(summary.source));
    if (options == NULL) {
        print_display(file, demo);
        print_rest(file, demo);
    } else {
        print_line(file, "screenshot", options->screenshot);
        print_line(file, "report", options->report);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void set(json_t *root, const char *key, json_t *value)
{
    json_object_set_new(root, key, value);
}

static void set_text(json_t *root, const char *key, const char *text)
{
    set(root, key, text != NULL ? json_string(text) : json_null());
}

static void set_count(json_t *root, const char *key, int64_t count)
{
    set(root, key, json_integer(count));
}

static void set_ms(json_t *root, const char *key, int64_t ns)
{
    set(root, key, json_real(ns_to_ms(ns)));
}

static json_t *error_json(const es_error_ms *error, bool measured)
{
    return measured ? json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "mean", error->mean_abs_ms,
                   "bias", error->bias_ms, "median", error->median_ms, "rms", error->rms_ms, "p99",
                   error->p99_ms, "max", error->max_ms)
                    : json_null();
}

/* All figures are 0 where there is nothing to compare, or no memory to do it in. */
static void set_run(json_t *root, const demo_state *demo)
{
    char rate[32];
    const demo_side *side = &demo->sides[0];
    es_rate tick_rate = demo_side_tick_rate(side);
    es_smoothness summary = es_meter_smoothness(side->measure.meter);
    snprintf(rate, sizeof rate, "%lu/%lu", (unsigned long)tick_rate.numerator,
            (unsigned long)tick_rate.denominator);
    set_text(root, "evenstep", tool_version());
    set_text(root, "view", demo->view.name);
    set_text(root, "present", demo->view.shows);
    set_text(root, "loop", side->rule.name);
    set_text(root, "policy", choice_policy_name((int)side->rule.config.catch_up));
    set_text(root, "show", demo_way_name((size_t)side->rule.way));
    set_count(root, "lead_ticks", side->rule.config.lead_ticks);
    set_text(root, "tick_rate", rate);
    set(root, "cap_hz", choice_cap_json(demo->set.choice.cap_ns));
    set(root, "seconds", json_real(side->measure.seconds));
    set_count(root, "frames", summary.frames);
    set_count(root, "hidden_frames", demo->hidden_frames);
    set_count(root, "ticks", summary.ticks);
}

static void set_figures(json_t *root, const demo_measure *measure)
{
    es_smoothness summary = es_meter_smoothness(measure->meter);
    bool measured = summary.intervals > 0;
    double work_ms = summary.frames > 0 ? ns_to_ms(summary.work_ns) / (double)summary.frames : 0.0;
    set(root, "interval_ms", json_real(summary.intended_ms));
    set(root, "interval_measured_ms", json_real(summary.interval_ms));
    set(root, "interval_error_ms", error_json(&summary.interval, measured));
    set(root, "animation_error_ms", error_json(&summary.animation, measured));
    set_text(root, "measured_against", source_name(summary.source));
    set_count(root, "compared_frames", (int64_t)summary.intervals);
    set(root, "lost_ms", json_real(summary.lost_ms));
    set_ms(root, "dropped_ms", summary.dropped_ns);
    set_ms(root, "slow_motion_ms", measure->slow_motion_ns);
    set_ms(root, "stretched_ms", measure->stretched_ns);
    set(root, "gaps",
            json_pack("{s:I, s:f}", "count", (json_int_t)summary.gaps, "ms",
                    ns_to_ms(summary.gaps_ns)));
    set(root, "ticks_per_frame",
            json_pack("{s:i, s:i}", "min", (int)summary.ticks_min, "max", (int)summary.ticks_max));
    set_ms(root, "late_ms_max", summary.late_ns_max);
    set_text(root, "clock", measure->clock.description);
    set(root, "work_ms",
            json_pack("{s:f, s:f}", "mean", work_ms, "max", ns_to_ms(summary.work_ns_max)));
}

static void set_display(json_t *root, const demo_measure *measure)
{
    demo_span span = demo_measure_span(measure, INT64_MAX, demo_measure_period_ns(measure));
    double period_ms = measure->follows ? measure->display.period_ns / 1e6 : 0.0;
    set(root, "display",
            json_pack("{s:s, s:f, s:o}", "state", refresh_state(measure), "period_ms", period_ms,
                    "frames_per_s", tool_json_rounded(measure->display.frames_per_s, 3)));
    set(root, "longest_frame_ms", json_real(span.longest_ms));
    set(root, "repeated",
            span.refreshes > 0 ? json_pack("{s:I, s:I, s:f}", "refreshes",
                    (json_int_t)span.refreshes, "times", (json_int_t)span.repeats, "share",
                    (double)span.repeats / (double)span.refreshes)
                               : json_null());
}

/* null: nothing reports screen times. */
static json_t *screen_times_json(const demo_state *demo)
{
    const demo_measure *measure = &demo->sides[0].measure;
    if (demo->view.reports_by == NULL) {
        return json_null();
    }
    json_t *root = json_object(), *samples = json_object();
    set_count(samples, "taken", measure->taken);
    set_count(samples, "discarded", measure->discarded);
    set_count(samples, "refused", measure->refused);
    set_text(root, "by", demo->view.reports_by);
    set_text(root, "ended", demo->view.reports_ended);
    set(root, "samples", samples);
    set_ms(root, "period_ms", (int64_t)demo_measure_period_ns(measure));
    return root;
}

static json_t *input_json(const demo_state *demo)
{
    const demo_side *side = &demo->sides[0];
    const demo_measure *measure = &side->measure;
    const es_input_status *input = &measure->input;
    const es_input_delay *delay = &input->to_shows;
    bool measured = input->shown > 0;
    json_t *root = json_object();
    int64_t seen = demo_side_newest(side)->presses;
    set_count(root, "events", input->events);
    set_count(root, "missed", input->missed);
    set_count(root, "shown", input->shown);
    set(root, "to_shows_ms",
            measured ? json_pack("{s:f, s:f, s:f, s:f}", "mean", delay->mean_ms, "p50",
                    delay->p50_ms, "p95", delay->p95_ms, "max", delay->max_ms)
                     : json_null());
    set_count(root, "clicks", demo->input.presses);
    set_count(root, "clicks_seen", seen);
    set_count(root, "lost", input->lost + demo->input.dropped);
    return root;
}

/* Where the time of this loop went, up to its last frame (es_account); null: there was none. */
static json_t *account_json(const demo_side *side)
{
    const es_report *last = es_loop_get_report(side->loop);
    if (last == NULL) {
        return json_null();
    }
    const es_frame *frame = &last->frame;
    const es_account *account = &frame->account;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "elapsed_ms",
            ns_to_ms(ns_sub(frame->present_ns, side->first_ns)), "content_ms",
            ns_to_ms(frame->content_ns), "dropped_ms", ns_to_ms(account->dropped_ns), "gaps_ms",
            ns_to_ms(account->gaps_ns), "slowed_ms", ns_to_ms(account->slowed_ns), "clamped_ms",
            ns_to_ms(account->clamped_ns), "delay_ms", ns_to_ms(account->delay_ns), "reanchored_ms",
            ns_to_ms(account->reanchored_ns), "seeked_ms", ns_to_ms(account->seeked_ns));
}

/* null: everything ran on one thread. */
static json_t *threads_json(const demo_side *side)
{
    const int64_t *pairs = side->pairs;
    if (!side->rule.threaded) {
        return json_null();
    }
    return json_pack("{s:{s:I, s:I, s:I, s:I}}", "frames", "interpolated",
            (json_int_t)pairs[DEMO_PAIR_INTERPOLATED], "clamped",
            (json_int_t)pairs[DEMO_PAIR_CLAMPED], "extrapolated",
            (json_int_t)pairs[DEMO_PAIR_EXTRAPOLATED], "gap", (json_int_t)pairs[DEMO_PAIR_GAP]);
}

/* null: the view is not split. */
static json_t *split_json(const demo_state *demo)
{
    const demo_side *side = &demo->sides[1];
    if (demo->side_count < 2) {
        return json_null();
    }
    es_smoothness summary = es_meter_smoothness(side->measure.meter);
    json_t *root = json_pack("{s:s, s:s, s:f}", "loop", side->rule.name, "show",
            demo_way_name((size_t)side->rule.way), "lost_ms", summary.lost_ms);
    set(root, "animation_error_ms", error_json(&summary.animation, summary.intervals > 0));
    return root;
}

static json_t *report_json(const demo_state *demo)
{
    const demo_side *side = &demo->sides[0];
    json_t *root = json_object();
    set_run(root, demo);
    set_figures(root, &side->measure);
    set_display(root, &side->measure);
    set(root, "account", account_json(side));
    set(root, "screen_times", screen_times_json(demo));
    set(root, "threads", threads_json(side));
    set(root, "input", input_json(demo));
    set(root, "split", split_json(demo));
    return root;
}

bool demo_write_report(demo_state *demo, const char *path)
{
    const char *end = strrchr(path, '.');
    if (end != NULL && strcmp(end, ".json") == 0) {
        return tool_json_write(report_json(demo), path);
    }
    FILE *file = tool_open(path);
    if (file == NULL) {
        return false;
    }
    demo_print(file, demo, NULL);
    return tool_close(file);
}
