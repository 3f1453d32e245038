/* SPDX-License-Identifier: Zlib
 *
 * `evenstep measure`: how smooth the frames of a capture were, in two sentences and in figures.
 */
#include "measure.h"
#include "json.h"

#include <math.h>

enum { CAPTURES = 64 };

typedef struct measure_options {
    const char *paths[CAPTURES];
    size_t count;
    lab_capture_options capture;
    es_rate refresh;
    double speed;
    bool json;
    tool_file files[3];
} measure_options;

static const char *const findings[] = {"cannot-tell", "no", "yes"};

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
    char text[SENTENCE];
    if (f->second_ms > 0.0) {
        printf("worst second:  from %.1f s on, with %.3g ms of %s\n", f->second_at_ms / 1000.0,
                f->second_ms, moves ? "animation errors" : "hitch time");
    }
    printf("worst moments, by %s:\n", moves ? "animation error" : "interval");
    for (size_t i = 0; i < f->worst_count; ++i) {
        const lab_moment *w = &f->worst[i];
        printf("%11.3f s %8.3g ms, line %zu: %s\n", w->at_ms / 1000.0, w->error_ms, w->line,
                measure_say_moment(m, w, text));
    }
}

static void print_causes(const measured *m)
{
    const lab_figures *f = &m->figures;
    char text[SENTENCE];
    for (size_t i = 0; i < LAB_CAUSES; ++i) {
        const lab_cause_figures *c = &f->causes[i];
        if (c->finding != LAB_IS_CAUSE) {
            continue;
        }
        printf("cause:         %s: %.0f %% of the error, p99 %.2g %s, %zu frames; ",
                measure_title(m, i), 100.0 * c->share, c->p99,
                measure_is_display(f) ? "refreshes" : "intervals", c->count);
        printf("%s", measure_say_seen(m, i, text));
        for (size_t l = 0; l < LAB_CAUSE_LINES && c->lines[l] > 0; ++l) {
            printf("%s %zu", l > 0 ? "," : "; worst lines", c->lines[l]);
        }
        printf("\n");
    }
    const char *before = "cannot tell:   ";
    for (size_t i = 0; i < LAB_CAUSES; ++i) {
        if (f->causes[i].finding == LAB_CANNOT_TELL) {
            printf("%s%s", before, measure_causes[i].title);
            before = ", ";
        }
    }
    printf("%s", before[0] == ',' ? "\n" : "");
}

static void print_rates(const lab_figures *f)
{
    if (f->frames_per_second > 0.0) {
        const lab_spread *t = &f->frame_time;
        printf("frame rate:    %.4g per second; 1 %% low: %.4g (99th percentile), %.4g (mean of "
               "the "
               "slowest 1 %%)\n%15s0.1 %% low: %.4g (99.9th percentile), %.4g (mean of the slowest "
               "0.1 %%)\n",
                f->frames_per_second, 1000.0 / t->p99_ms, 1000.0 / t->top_1_ms, "",
                1000.0 / t->p999_ms, 1000.0 / t->top_01_ms);
    }
    printf("hitches:       %.3g ms per second, %s (to Apple below 5 is good, from 10 on "
           "critical)\n",
            1000.0 * f->hitch_ratio, measure_hitch_grade(f));
    for (size_t i = 0; i < LAB_LATENCIES; ++i) {
        const lab_spread *l = &f->latency[i];
        if (l->count > 0) {
            printf("latency:       %s %.3g ms; p50 %.3g, p95 %.3g, p99 %.3g; %zu frames\n",
                    measure_latency_names[i], l->mean_ms, l->p50_ms, l->p95_ms, l->p99_ms,
                    l->count);
        }
    }
}

static void print_text(const measured *m)
{
    const lab_figures *f = &m->figures;
    const lab_capture_info *info = &m->info;
    char text[SENTENCE];
    bool has_cause = measure_main_cause(f) < LAB_CAUSES;
    printf("%s\n", measure_say_motion(m, text));
    printf("%s\n\n", has_cause ? measure_say_main_cause(m, text) : measure_say_frames(m, text));
    if (has_cause) {
        printf("%s\n", measure_say_frames(m, text));
    }
    printf("%s: %s%s%s, %zu frames in %.2f s%s\n", m->name, info->format,
            info->process[0] != '\0' ? ", " : "", info->process, f->frames, f->seconds,
            info->is_cut ? "; the last row is cut off" : "");
    if (info->rows > info->used) {
        printf("left out:      %zu rows of other programs or swap chains\n",
                info->rows - info->used);
    }
    printf("screen times:  %s\n", measure_shown_name(m));
    printf("content times: %s\n", measure_content_names[info->content]);
    if (info->unread > 0) {
        printf("left out:      rows that cannot be read: %zu; the first: %s\n", info->unread,
                info->why.text);
    }
    if (f->refresh_ms > 0.0) {
        printf("refresh:       %.4g Hz, %s\n", 1000.0 / f->refresh_ms,
                measure_refresh_names[f->refresh]);
    } else {
        printf("refresh:       %s\n", measure_refresh_names[f->refresh]);
    }
    print_rates(f);
    if (info->shown != LAB_CAPTURE_SHOWN_NONE) {
        printf("not shown:     %zu frames have no screen time; %zu are generated\n", f->unseen,
                f->generated);
    }
    printf("\n%-16s%9s%9s%9s%9s%9s%9s%9s%9s\n", "ms", "mean", "bias", "rms", "p50", "p95", "p99",
            "p99.9", "max");
    print_spread("frame time", &f->frame_time);
    print_spread("interval error", &f->interval_error);
    print_spread("animation error", &f->animation_error);
    printf("\n");
    if (f->animation_error.count > 0) {
        printf("pursuit error: %.3f ms away from even motion (RMS, windows of 250 ms)\n",
                f->pursuit_ms);
        printf("jumps:         %.1f animation errors over 25 ms per minute\n",
                measure_jumps_per_minute(f));
        printf("on the retina: animation error p99 %.1f arc minutes, pursuit error %.1f, at %.4g "
               "degrees per second; an eye resolves about 1\n\n",
                measure_arc_minutes(m, f->animation_error.p99_ms),
                measure_arc_minutes(m, f->pursuit_ms), m->speed);
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
        json_array_append_new(list,
                json_pack("{ss ss so so so sI so so so}", "cause", measure_causes[i].name,
                        "finding", findings[c->finding], "share", json_number(c->share),
                        "p99_refreshes", json_number(c->p99), "max_refreshes", json_number(c->max),
                        "frames", (json_int_t)c->count, "usual_ms", json_number(c->usual_ms),
                        "longest_ms", json_number(c->longest_ms), "lines", lines));
    }
    return list;
}

/* Figures of what an eye sees. */
static void add_seen(json_t *object, const measured *m)
{
    static const char *const names[LAB_LATENCIES] = {"click", "input", "instrumented", "pc"};
    const lab_figures *f = &m->figures;
    const lab_spread *t = &f->frame_time;
    bool moves = f->animation_error.count > 0, comes = t->count > 0;
    json_t *latency = json_object();
    for (size_t i = 0; i < LAB_LATENCIES; ++i) {
        json_object_set_new(latency, names[i], json_spread(&f->latency[i]));
    }
    json_object_update_new(object,
            json_pack("{so s{so so} s{so so} so s{so so ss} so}", "hitch_ms_per_s",
                    json_number(1000.0 * f->hitch_ratio), "low_1_percent", "by_percentile",
                    comes ? json_number(1000.0 / t->p99_ms) : json_null(), "by_mean",
                    comes ? json_number(1000.0 / t->top_1_ms) : json_null(), "low_01_percent",
                    "by_percentile", comes ? json_number(1000.0 / t->p999_ms) : json_null(),
                    "by_mean", comes ? json_number(1000.0 / t->top_01_ms) : json_null(),
                    "arc_minutes",
                    moves ? json_pack("{so so so}", "speed", json_number(m->speed), "animation_p99",
                            json_number(measure_arc_minutes(m, f->animation_error.p99_ms)),
                            "pursuit", json_number(measure_arc_minutes(m, f->pursuit_ms)))
                          : json_null(),
                    "worst_second", "at_ms", json_number(f->second_at_ms), "sum_ms",
                    json_number(f->second_ms), "of", moves ? "animation_error" : "hitches",
                    "latency_ms", latency));
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
                        findings[w->finding], "cause", found ? measure_causes[w->cause].name : NULL,
                        "cause_ms", found ? json_number(w->cause_ms) : json_null()));
    }
    json_t *object = json_pack(
            "{ss ss ss sI sI sI ss? sb ss ss ss so so so so so sI sI sI sI so so so so sI "
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
    add_seen(object, m);
    return object;
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
            "  evenstep measure all.csv --process game.exe --html game.html";
    const tool_option options[] = {
            {"", "FILE", parse_capture, o, "a capture, at most 64", NULL},
            {"process", "NAME", tool_parse_text, &o->capture.process, "a program's name",
                    "the program (the one with the most rows)"},
            {"column", "NAME", tool_parse_text, &o->capture.column, "a column's name",
                    "the column of the frame times, in ms (by format)"},
            {"refresh", "RATE", tool_parse_rate, &o->refresh, "a rate such as 59.94",
                    "the refresh rate of the display (found in the capture)"},
            {"json", NULL, NULL, &o->json, NULL, "print JSON instead of text"},
            {"speed", "DEGREES", tool_parse_positive, &o->speed, "degrees per second, such as 20",
                    "of the motion, for errors as angles (20)"},
            {"html", "FILE", tool_parse_text, &o->files[1].path, "a file; - is stdout",
                    "write a page with figures, graphs and causes; one capture only"},
            {"trace", "FILE", tool_parse_text, &o->files[2].path, "a file; - is stdout",
                    "write the frames as events for ui.perfetto.dev; one capture only"},
    };
    int status = tool_options(
            "measure", summary, options, sizeof options / sizeof options[0], argc, argv);
    o->files[0].path = o->json ? "-" : NULL;
    bool draws = o->files[1].path != NULL || o->files[2].path != NULL;
    return status != TOOL_OK       ? status
           : o->count == 0         ? tool_usage("measure", "no capture given")
           : draws && o->count > 1 ? tool_usage("measure", "--html and --trace are for one capture")
                                   : tool_check_stdout("measure", o->files, 3);
}

static int measure_one(const measure_options *o, const char *path, measured *m)
{
    lab_capture_error error;
    double refresh_ms =
            o->refresh.numerator > 0 ? 1000.0 * o->refresh.denominator / o->refresh.numerator : 0.0;
    lab_capture *capture = lab_capture_open(path, &o->capture, &error);
    es_result result = capture != NULL
                               ? lab_capture_measure(capture, refresh_ms, &m->figures, NULL, &error)
                               : ES_ERR_INVALID;
    if (result == ES_OK) {
        m->path = path;
        m->options = o->capture;
        m->speed = o->speed;
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
    measure_options o = {.speed = 20.0,
            .files = {{"json", NULL, NULL}, {"html", NULL, measure_write_page},
                    {"trace", NULL, measure_write_events}}};
    int status = parse_options(&o, argc, argv);
    json_t *list = json_array();
    for (size_t i = 0; status == TOOL_OK && i < o.count; ++i) {
        status = measure_one(&o, o.paths[i], &m);
        if (status != TOOL_OK) {
            break;
        }
        if (o.json) {
            json_array_append_new(list, json_measured(&m));
        } else if (tool_count_stdout(o.files, 3) == 0) {
            printf("%s", i > 0 ? "\n" : "");
            print_text(&m);
        }
        status = tool_write_files("measure", o.files + 1, 2, &m);
    }
    if (status == TOOL_OK && o.json
            && !tool_json_write(json_pack("{so}", "captures", json_incref(list)), "-")) {
        status = tool_failed_to_write("measure", "-");
    }
    json_decref(list);
    return status;
}
