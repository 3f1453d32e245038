/* SPDX-License-Identifier: Zlib
 *
 * `evenstep measure`: how smooth the frames of a capture were, in two sentences and in figures.
 */
#include "json.h"
#include "svg.h"

#include "capture/measure.h"

#include <math.h>

enum { CAPTURES = 64 };

typedef struct measured {
    char name[512]; /* the path, in UTF-8 */
    lab_capture_info info;
    lab_figures figures;
} measured;

typedef struct measure_options {
    const char *paths[CAPTURES];
    size_t count;
    const char *column, *process, *svg;
    es_rate refresh;
    bool json;
} measure_options;

/* --- words ------------------------------------------------------------------------------------ */

static const char *const shown_names[] = {
        [LAB_CAPTURE_SHOWN_NONE] = "none: the file has frame times only",
        [LAB_CAPTURE_SHOWN_PRESENT_RETURN] = "the return of present: errors are an upper bound",
        [LAB_CAPTURE_SHOWN_REPORTED] = "as the system reported them",
};

static const char *const content_names[] = {
        [LAB_CAPTURE_CONTENT_NONE] = "none: the file cannot show animation errors",
        [LAB_CAPTURE_CONTENT_CPU_START] =
                "CPU start: a program that shows another instant is measured wrongly",
        [LAB_CAPTURE_CONTENT_TRUE] = "as the program reported it",
};

static const char *const refresh_names[] = {
        [LAB_CAPTURE_REFRESH_UNKNOWN] = "not found, or it varies",
        [LAB_CAPTURE_REFRESH_GIVEN] = "given",
        [LAB_CAPTURE_REFRESH_SCREEN] = "found in screen times",
        [LAB_CAPTURE_REFRESH_EVEN] = ("a whole multiple of it, or variable: nearly all frames were "
                                      "shown equally long; --refresh sets it"),
        [LAB_CAPTURE_REFRESH_COMPOSED] =
                "or a whole multiple of it: nearly all frames were shown equally long",
        [LAB_CAPTURE_REFRESH_TEARING] =
                "or variable: the program allows tearing; --refresh sets it",
        [LAB_CAPTURE_REFRESH_FRAMES] = "found in frame times: a frame limiter looks the same",
};

/* Names, what to change, and what the cause is seen by: the longest and the usual time of its stage;
 * where it turns, the usual one and the interval between frames shown, for ticks in ticks. */
static const struct {
    const char *name, *title, *change, *seen;
    bool turns;
    const char *at; /* in a frame */
} causes[LAB_CAUSES] = {
        [LAB_CAUSE_WAKE] = {"late-wake", "late wake-ups",
                "wait with a finer timer, or spin before the planned start",
                "up to %.3g ms late, usually %.3g", false, "%.3g ms late"},
        [LAB_CAUSE_CPU] = {"long-cpu", "long CPU",
                "spread the work of long frames, or move it to another thread",
                "up to %.3g ms, usually %.3g", false, "%.3g ms"},
        [LAB_CAUSE_GPU] = {"long-gpu", "long GPU", "draw less in long frames",
                "up to %.3g ms, usually %.3g", false, "%.3g ms"},
        [LAB_CAUSE_PRESENT] = {"present-blocked", "present blocked",
                "take content times from the display, not from a clock",
                "up to %.3g ms longer than the display needed, usually %.3g", false,
                "%.3g ms longer"},
        [LAB_CAUSE_BEAT] = {"beat", "beat of ticks and refreshes",
                "interpolate between ticks, or run ticks at the pace of the refreshes",
                "content moves by whole ticks of %.4g ms, %.3g per frame", true,
                "content moved by %.3g ms"},
        [LAB_CAUSE_TICKS] = {"no-interpolation", "missing interpolation",
                "interpolate between ticks",
                "content moves by whole ticks of %.4g ms, %.3g per frame", true,
                "content moved by %.3g ms"},
        [LAB_CAUSE_RATE] = {"rate", "a rate that does not fit the display",
                "pace frames at whole numbers of refreshes",
                "frames come every %.4g ms, and are shown every %.4g", true,
                "shown %.3g ms after the last"},
};

static const char *const findings[] = {"cannot-tell", "no", "yes"};

/* Without planned starts, waits are CPU time. */
static const char *title_of(const measured *m, size_t cause)
{
    bool timed = (m->info.has & (LAB_HAS_LATE | LAB_HAS_CPU_TIME)) != 0;
    return cause == LAB_CAUSE_CPU && !timed ? "long CPU or late wake-ups" : causes[cause].title;
}

/* The one that explains most; LAB_CAUSES: none. */
static size_t main_cause(const lab_figures *f)
{
    size_t most = LAB_CAUSES;
    for (size_t c = 0; c < LAB_CAUSES; ++c) {
        bool is_cause = f->causes[c].finding == LAB_IS_CAUSE;
        if (is_cause && (most == LAB_CAUSES || f->causes[c].share > f->causes[most].share)) {
            most = c;
        }
    }
    return most;
}

/* The refresh period, or T where it is not known: errors are compared with it. */
static double unit_of(const lab_figures *f)
{
    return f->refresh_ms > 0.0 ? f->refresh_ms : f->intended_ms;
}

/* Whether that is a refresh for certain. */
static bool is_display(const lab_figures *f)
{
    return f->refresh == LAB_CAPTURE_REFRESH_GIVEN || f->refresh == LAB_CAPTURE_REFRESH_SCREEN;
}

/* The grade of an error's 99th percentile. */
static size_t grade_of(double p99_ms, const lab_figures *f)
{
    double share = p99_ms / unit_of(f);
    return share < 0.1 ? 0 : share < 0.25 ? 1 : share < 0.5 ? 2 : 3;
}

/* Without what the rounding of numbers makes. */
static double above_noise(double ms)
{
    return ms < 1e-6 ? 0.0 : ms;
}

static void print_frames(const measured *m)
{
    static const char *const frames[] = {"evenly", "nearly evenly", "unevenly", "very unevenly"};
    const lab_figures *f = &m->figures;
    const lab_spread *i = &f->interval_error;
    printf("Frames %s %s: 99 %% of the intervals are within %.3g ms of %.4g ms",
            m->info.shown == LAB_CAPTURE_SHOWN_NONE ? "came" : "were shown",
            frames[grade_of(i->p99_ms, f)], above_noise(i->p99_ms), f->intended_ms);
    if (f->refreshes > 0 && is_display(f)) {
        printf(", and %zu of %zu refreshes repeated a frame", f->repeats, f->refreshes);
    }
    printf(".\n");
}

/* Two sentences. */
static void print_verdict(const measured *m)
{
    static const char *const motion[] = {
            "was smooth", "was nearly smooth", "was uneven", "was very uneven"};
    const lab_figures *f = &m->figures;
    const lab_spread *a = &f->animation_error;
    size_t cause = main_cause(f);
    if (a->count > 0) {
        printf("Motion %s: 99 %% of the animation errors are at most %.3g ms, %.0f %% of %s of "
               "%.4g ms.\n",
                motion[grade_of(a->p99_ms, f)], above_noise(a->p99_ms),
                100.0 * a->p99_ms / unit_of(f), is_display(f) ? "a refresh" : "the usual interval",
                unit_of(f));
    } else {
        printf("Whether motion was smooth cannot be measured: the file has no %s times.\n",
                m->info.shown == LAB_CAPTURE_SHOWN_NONE ? "screen" : "content");
    }
    if (cause < LAB_CAUSES) {
        printf("Main cause: %s, %.0f %% of the error; %s.\n", title_of(m, cause),
                100.0 * f->causes[cause].share, causes[cause].change);
    } else {
        print_frames(m);
    }
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_spread(const char *name, const lab_spread *s)
{
    if (s->count > 0) {
        printf("%-16s%9.3f%9.3f%9.3f%9.3f%9.3f%9.3f%9.3f%9.3f\n", name, s->mean_ms, s->bias_ms,
                s->rms_ms, s->p50_ms, s->p95_ms, s->p99_ms, s->p999_ms, s->max_ms);
    }
}

static void print_worst(const measured *m)
{
    const lab_figures *f = &m->figures;
    bool moves = f->animation_error.count > 0;
    printf("worst moments, by %s:\n", moves ? "animation error" : "interval");
    for (size_t i = 0; i < f->worst_count; ++i) {
        const lab_moment *w = &f->worst[i];
        printf("%11.3f s %8.3g ms, line %zu%s", w->at_ms / 1000.0, w->error_ms, w->line,
                w->finding == LAB_CANNOT_TELL   ? ": cannot tell"
                : w->finding == LAB_IS_NO_CAUSE ? ": no cause found"
                                                : "");
        if (w->finding == LAB_IS_CAUSE) {
            printf(": %s, ", title_of(m, w->cause));
            printf(causes[w->cause].at, w->cause_ms);
            if (!causes[w->cause].turns) {
                printf(", usually %.3g", f->causes[w->cause].usual_ms);
            }
        }
        printf("\n");
    }
}

static void print_causes(const measured *m)
{
    const lab_figures *f = &m->figures;
    for (size_t i = 0; i < LAB_CAUSES; ++i) {
        const lab_cause_figures *c = &f->causes[i];
        if (c->finding != LAB_IS_CAUSE) {
            continue;
        }
        printf("cause:         %s: %.0f %% of the error, p99 %.2g %s, %zu frames; ", title_of(m, i),
                100.0 * c->share, c->p99, is_display(f) ? "refreshes" : "intervals", c->count);
        double shown = i == LAB_CAUSE_RATE ? c->longest_ms : c->longest_ms / c->usual_ms;
        printf(causes[i].seen, causes[i].turns ? c->usual_ms : c->longest_ms,
                causes[i].turns ? shown : c->usual_ms);
        for (size_t l = 0; l < LAB_CAUSE_LINES && c->lines[l] > 0; ++l) {
            printf("%s %zu", l > 0 ? "," : "; worst lines", c->lines[l]);
        }
        printf("\n");
    }
    const char *before = "cannot tell:   ";
    for (size_t i = 0; i < LAB_CAUSES; ++i) {
        if (f->causes[i].finding == LAB_CANNOT_TELL) {
            printf("%s%s", before, causes[i].title);
            before = ", ";
        }
    }
    printf("%s", before[0] == ',' ? "\n" : "");
}

static void print_text(const measured *m)
{
    const lab_figures *f = &m->figures;
    const lab_capture_info *info = &m->info;
    print_verdict(m);
    printf("\n");
    if (main_cause(f) < LAB_CAUSES) {
        print_frames(m);
    }
    printf("%s: %s%s%s, %zu frames in %.2f s%s\n", m->name, info->format,
            info->process[0] != '\0' ? ", " : "", info->process, f->frames, f->seconds,
            info->is_cut ? "; the last row is cut off" : "");
    if (info->rows > info->used) {
        printf("left out:      %zu rows of other programs or swap chains\n",
                info->rows - info->used);
    }
    printf("screen times:  %s\n", shown_names[info->shown]);
    printf("content times: %s\n", content_names[info->content]);
    if (info->unread > 0) {
        printf("left out:      rows that cannot be read: %zu; the first: %s\n", info->unread,
                info->why.text);
    }
    if (f->refresh_ms > 0.0) {
        printf("refresh:       %.4g Hz, %s\n", 1000.0 / f->refresh_ms, refresh_names[f->refresh]);
    } else {
        printf("refresh:       %s\n", refresh_names[f->refresh]);
    }
    if (f->frames_per_second > 0.0) {
        printf("frame rate:    %.4g per second; slowest 1 %% of the frames: up to %.4g\n",
                f->frames_per_second, 1000.0 / f->frame_time.p99_ms);
    }
    if (info->shown != LAB_CAPTURE_SHOWN_NONE) {
        printf("not shown:     %zu frames have no screen time; %zu are generated\n", f->unseen,
                f->generated);
    }
    printf("\n%-16s%9s%9s%9s%9s%9s%9s%9s%9s\n", "ms", "mean", "bias", "rms", "p50", "p95", "p99",
            "p99.9", "max");
    print_spread("frame time", &f->frame_time);
    print_spread("interval error", &f->interval_error);
    print_spread("animation error", &f->animation_error);
    if (f->animation_error.count > 0) { /* 1.2 arc minutes per ms at 20 degrees per second */
        printf("\npursuit error:  %.3f ms away from even motion (RMS, windows of 250 ms)\n",
                f->pursuit_ms);
        printf("jumps:          %.1f animation errors over 25 ms per minute\n",
                f->seconds > 0.0 ? 60.0 * (double)f->jumps / f->seconds : 0.0);
        printf("on the retina:  99 %% of the errors are below %.1f arc minutes at 20 degrees per "
               "second\n\n",
                1.2 * f->animation_error.p99_ms);
    }
    print_worst(m);
    print_causes(m);
    printf("Percentiles of sizes, by nearest rank, %s. docs/measures.md defines the errors.\n",
            f->is_exact ? "exact" : "to 0.1 % of the value");
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *json_number(double value)
{
    return tool_json_rounded(value, 9);
}

static json_t *json_spread(const lab_spread *s)
{
    if (s->count == 0) {
        return json_null();
    }
    return json_pack("{sI so so so so so so so so}", "count", (json_int_t)s->count, "mean",
            json_number(s->mean_ms), "bias", json_number(s->bias_ms), "rms", json_number(s->rms_ms),
            "p50", json_number(s->p50_ms), "p95", json_number(s->p95_ms), "p99",
            json_number(s->p99_ms), "p999", json_number(s->p999_ms), "max", json_number(s->max_ms));
}

static json_t *json_causes(const lab_figures *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < LAB_CAUSES; ++i) {
        const lab_cause_figures *c = &f->causes[i];
        json_t *lines = json_array();
        for (size_t l = 0; l < LAB_CAUSE_LINES && c->lines[l] > 0; ++l) {
            json_array_append_new(lines, json_integer((json_int_t)c->lines[l]));
        }
        json_array_append_new(
                list, json_pack("{ss ss so so so sI so so so}", "cause", causes[i].name, "finding",
                              findings[c->finding], "share", json_number(c->share), "p99_refreshes",
                              json_number(c->p99), "max_refreshes", json_number(c->max), "frames",
                              (json_int_t)c->count, "usual_ms", json_number(c->usual_ms),
                              "longest_ms", json_number(c->longest_ms), "lines", lines));
    }
    return list;
}

static json_t *json_measured(const measured *m)
{
    static const char *const shown[] = {"none", "present-return", "reported"};
    static const char *const content[] = {"none", "cpu-start", "true"};
    static const char *const refresh[] = {"unknown", "given", "screen-times", "screen-times-even",
            "screen-times-even-composed", "screen-times-tearing", "frame-times"};
    const lab_figures *f = &m->figures;
    const lab_capture_info *info = &m->info;
    json_t *worst = json_array();
    for (size_t i = 0; i < f->worst_count; ++i) {
        const lab_moment *w = &f->worst[i];
        bool found = w->finding == LAB_IS_CAUSE;
        json_array_append_new(worst,
                json_pack("{sI so so ss ss? so}", "line", (json_int_t)w->line, "at_ms",
                        json_number(w->at_ms), "error_ms", json_number(w->error_ms), "finding",
                        findings[w->finding], "cause", found ? causes[w->cause].name : NULL,
                        "cause_ms", found ? json_number(w->cause_ms) : json_null()));
    }
    return json_pack("{ss ss ss sI sI sI ss? sb ss ss ss so so so so so sI sI sI sI so so so so sI "
                     "sb so so}",
            "file", m->name, "format", info->format, "process", info->process, "rows",
            (json_int_t)info->rows, "frames", (json_int_t)f->frames, "unread",
            (json_int_t)info->unread, "unread_first", info->unread > 0 ? info->why.text : NULL,
            "cut", info->is_cut, "screen_times", shown[info->shown], "content_times",
            content[info->content], "refresh_by", refresh[f->refresh], "refresh_ms",
            f->refresh_ms > 0.0 ? json_number(f->refresh_ms) : json_null(), "interval_ms",
            json_number(f->interval_ms), "intended_ms", json_number(f->intended_ms), "seconds",
            json_number(f->seconds), "frames_per_second", json_number(f->frames_per_second),
            "not_shown", (json_int_t)f->unseen, "generated", (json_int_t)f->generated, "refreshes",
            (json_int_t)f->refreshes, "repeats", (json_int_t)f->repeats, "frame_time_ms",
            json_spread(&f->frame_time), "interval_error_ms", json_spread(&f->interval_error),
            "animation_error_ms", json_spread(&f->animation_error), "pursuit_ms",
            f->animation_error.count > 0 ? json_number(f->pursuit_ms) : json_null(), "jumps",
            (json_int_t)f->jumps, "exact", f->is_exact, "worst", worst, "causes", json_causes(f));
}

/* --- SVG -------------------------------------------------------------------------------------- */

enum { SVG_WIDTH = 800, SVG_LEFT = 70, SVG_PLOT = 140 };

static void draw_plot(svg *drawing, const measured *m, const char *title, const float *values,
        double top, double mark_ms)
{
    const lab_figures *f = &m->figures;
    double most = mark_ms * 2.0;
    double width = SVG_WIDTH - SVG_LEFT - 20;
    for (size_t i = 0; i < f->graph_count; ++i) {
        most = fmax(most, (double)values[i]);
    }
    svg_text(drawing, "bold", SVG_LEFT, top - 8, "%s", title);
    svg_rect(drawing, "pane", SVG_LEFT, top, width, SVG_PLOT);
    svg_line(drawing, "grid", SVG_LEFT, top + SVG_PLOT * (1.0 - mark_ms / most), SVG_LEFT + width,
            top + SVG_PLOT * (1.0 - mark_ms / most));
    svg_text(drawing, "small soft end", SVG_LEFT - 6, top + 10, "%.3g ms", most);
    svg_text(drawing, "small soft end", SVG_LEFT - 6, top + SVG_PLOT * (1.0 - mark_ms / most) + 4,
            "%.3g ms", mark_ms);
    for (size_t i = 0; i < f->graph_count; ++i) {
        double height = SVG_PLOT * (double)values[i] / most;
        svg_rect(drawing, "bar", SVG_LEFT + width * (double)i / (double)f->graph_count,
                top + SVG_PLOT - height, width / (double)f->graph_count, height);
    }
    svg_text(drawing, "small soft", SVG_LEFT, top + SVG_PLOT + 14, "0 s");
    svg_text(drawing, "small soft end", SVG_LEFT + width, top + SVG_PLOT + 14, "%.4g s",
            f->graph_ms * (double)f->graph_count / 1000.0);
}

static bool write_svg(const measured *m, const char *path)
{
    svg drawing;
    const lab_figures *f = &m->figures;
    bool moves = f->animation_error.count > 0;
    if (!svg_open(&drawing, path, SVG_WIDTH, moves ? 440 : 240, m->name, ".bar{fill:#d1600a}\n")) {
        return false;
    }
    svg_text(&drawing, "big", 20, 28, "%s", m->name);
    draw_plot(&drawing, m, "Time between frames: the longest of each part", f->graph_interval, 62,
            f->intended_ms);
    if (moves) {
        draw_plot(&drawing, m, "Animation error: the largest of each part", f->graph_error, 262,
                f->intended_ms / 2.0);
    }
    return svg_close(&drawing);
}

/* --- running ---------------------------------------------------------------------------------- */

static bool parse_capture(const char *text, void *options)
{
    measure_options *o = options;
    bool fits = o->count < CAPTURES && text[0] != '\0';
    if (fits) {
        o->paths[o->count] = text;
        o->count += 1;
    }
    return fits;
}

static int parse_options(measure_options *o, int argc, char **argv)
{
    static const char summary[] =
            "Tells how smooth the frames of a real program were, from a capture of PresentMon, "
            "OCAT,\n"
            "FrameView, CapFrameX, MangoHud, Unreal, Fraps, Android's framestats, Metal's HUD or\n"
            "es_trace, a CSV file with frame times, or plain numbers in ms.\n\n"
            "examples:\n"
            "  evenstep measure game.csv\n"
            "  evenstep measure before.csv after.csv --json\n"
            "  evenstep measure all.csv --process game.exe --svg game.svg";
    const tool_option options[] = {
            {"", "FILE", parse_capture, o, "a capture, at most 64", NULL},
            {"process", "NAME", tool_parse_text, &o->process, "a program's name",
                    "the program (the one with the most rows)"},
            {"column", "NAME", tool_parse_text, &o->column, "a column's name",
                    "the column of the frame times, in ms (by format)"},
            {"refresh", "RATE", tool_parse_rate, &o->refresh, "a rate such as 59.94",
                    "the refresh rate of the display (found in the capture)"},
            {"json", NULL, NULL, &o->json, NULL, "print JSON instead of text"},
            {"svg", "FILE", tool_parse_text, &o->svg, "a file; - is stdout",
                    "draw errors and intervals over time; one capture only"},
    };
    return tool_options(
            "measure", summary, options, sizeof options / sizeof options[0], argc, argv);
}

static int measure_one(const measure_options *o, const char *path, measured *m)
{
    lab_capture_options options = {o->column, o->process, NULL};
    lab_capture_error error;
    double refresh_ms =
            o->refresh.numerator > 0 ? 1000.0 * o->refresh.denominator / o->refresh.numerator : 0.0;
    lab_capture *capture = lab_capture_open(path, &options, &error);
    es_result result = capture != NULL
                               ? lab_capture_measure(capture, refresh_ms, &m->figures, NULL, &error)
                               : ES_ERR_INVALID;
    if (result == ES_OK) {
        m->info = *lab_capture_get_info(capture);
        snprintf(m->name, sizeof m->name, "%s", path);
        lab_make_printable(m->name);
        tool_make_utf8(m->name);
        tool_make_utf8(m->info.process);
        tool_make_utf8(m->info.why.text);
    }
    lab_capture_close(capture);
    return result == ES_OK ? TOOL_OK : tool_fail("measure", "%s", error.text);
}

int tool_measure(int argc, char **argv)
{
    static measured m; /* large */
    measure_options o = {.count = 0};
    int status = parse_options(&o, argc, argv);
    if (status == TOOL_OK && o.count == 0) {
        status = tool_usage("measure", "no capture given");
    }
    if (status == TOOL_OK && o.svg != NULL && o.count > 1) {
        status = tool_usage("measure", "--svg is for one capture");
    }
    json_t *list = json_array();
    for (size_t i = 0; status == TOOL_OK && i < o.count; ++i) {
        status = measure_one(&o, o.paths[i], &m);
        if (status != TOOL_OK) {
            break;
        }
        if (o.json) {
            json_array_append_new(list, json_measured(&m));
        } else if (!tool_is_stdout(o.svg)) {
            printf("%s", i > 0 ? "\n" : "");
            print_text(&m);
        }
        if (o.svg != NULL && !write_svg(&m, o.svg)) {
            status = tool_failed_to_write("measure", o.svg);
        }
    }
    if (status == TOOL_OK && o.json
            && !tool_json_write(json_pack("{so}", "captures", json_incref(list)), "-")) {
        status = tool_failed_to_write("measure", "-");
    }
    json_decref(list);
    return status;
}
