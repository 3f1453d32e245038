/* SPDX-License-Identifier: Zlib
 *
 * A capture as one page of HTML, to share: no scripts, and nothing from elsewhere.
 */
#include "measure.h"
#include "svg.h"

#include "lab/numbers.h"

#include <errno.h>
#include <math.h>

enum { AROUND = 10, FRAMES = 2 * AROUND, WIDE = 360, STEPS = 190, HIGH = 290 };

static const char style[] =
        ":root{color-scheme:light dark;--page:#fff;--pane:#f6f8fa;--ink:#1f2328;--soft:#59636e;"
        "--rule:#d8dee4;--bar:#d1600a;--even:#0969da;--good:#1a7f37;--so:#9a6700;--bad:#cf222e}\n"
        "@media(prefers-color-scheme:dark){:root{--page:#0d1117;--pane:#161b22;--ink:#e6edf3;"
        "--soft:#9da7b3;--rule:#30363d;--bar:#f0883e;--even:#58a6ff;--good:#3fb950;--so:#d29922;"
        "--bad:#f85149}}\n"
        "body{box-sizing:border-box;margin:0 auto;max-width:1120px;padding:28px 20px 40px;"
        "background:var(--page);color:var(--ink);font:16px/1.5 system-ui,'DejaVu "
        "Sans',sans-serif}\n"
        "h1{font-size:20px;margin:0;overflow-wrap:anywhere}h2{font-size:17px;margin:36px 0 12px}"
        "h3{font-size:15px;margin:14px 0 0}p{margin:4px 0}small,i{color:var(--soft);font-size:13px;"
        "line-height:1.4}\n"
        ".verdict{font-size:18px;margin:20px 0;padding:12px 18px;background:var(--pane);"
        "border-left:5px solid var(--good);border-radius:4px}.grade2{border-color:var(--so)}"
        ".grade3{border-color:var(--bad)}\n"
        ".tiles,.cards{display:grid;gap:12px;grid-template-columns:"
        "repeat(auto-fill,minmax(min(100%,330px),1fr))}"
        ".tiles{grid-template-columns:repeat(auto-fill,minmax(158px,1fr))}"
        "@media(min-width:1000px){.tiles{grid-template-columns:repeat(4,1fr)}}"
        ".cards>*,.tiles>*{background:var(--pane);border-radius:8px;padding:12px 16px}"
        ".cards h3{margin:0}.tiles small{display:block}"
        ".tiles b{display:block;font-size:25px;line-height:1.3}\n"
        "svg{display:block;width:100%;overflow:visible}text{fill:var(--soft);font-size:12px}"
        ".end{text-anchor:end}.graph,.marks,.ends{position:relative;margin:6px 0 0 64px}"
        ".graph svg{height:130px;background:var(--pane)}.graph i{position:absolute;right:100%;"
        "margin-right:8px;transform:translateY(-50%);white-space:nowrap;font-style:normal}"
        ".ends{display:flex;justify-content:space-between}.marks{height:40px}.marks a{"
        "position:absolute;transform:translateX(-50%);width:18px;border-radius:9px;"
        "background:var(--bad);color:var(--page);font:bold 12px/18px system-ui,sans-serif;"
        "text-align:center;text-decoration:none}\n"
        ".bar{fill:var(--bar)}.worst{fill:var(--bad)}.dot{fill:var(--ink)}.axis{stroke:var(--rule)}"
        ".even{stroke:var(--even);stroke-dasharray:5 4;vector-effect:non-scaling-stroke}"
        "path.stair,path.bad{stroke:var(--ink);stroke-width:1.8;fill:none}"
        "path.bad{stroke:var(--bad);stroke-width:4}\n"
        ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;white-space:nowrap;"
        "font-variant-numeric:tabular-nums}td,th{padding:7px 0 7px 14px;text-align:right;"
        "border-top:1px solid "
        "var(--rule)}td:first-child,th:first-child{padding:0;text-align:left}\n";

static void put(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    svg_escape(out, text);
    fputs(after, out);
}

/* --- the worst moments ------------------------------------------------------------------------ */

/* The frames around one. */
typedef struct shot {
    double shown_ms, content_ms, value_ms; /* value: animation error, or time since the last */
} shot;

typedef struct window {
    shot shots[FRAMES];
    size_t count, worst; /* worst: its place */
    bool is_open;
} window;

/* Finds the frames again. */
static bool collect(const measured *m, window *windows)
{
    lab_capture_error error;
    const lab_figures *f = &m->figures;
    bool moves = f->animation_error.count > 0, seen = m->info.shown != LAB_CAPTURE_SHOWN_NONE;
    shot ring[AROUND];
    size_t kept = 0;
    int32_t series = 0;
    measure_walk w = {.capture = lab_capture_open(m->path, &m->options, &error)};
    while (w.capture != NULL && measure_next(&w)) {
        double at_ms = seen ? w.frame.shown_ms : w.frame.present_ms;
        double value_ms = moves ? w.error_ms : w.interval_ms;
        if (seen ? !w.is_seen || (moves && isnan(w.frame.content_ms)) : isnan(value_ms)) {
            continue;
        }
        kept = w.frame.series != series ? 0 : kept;
        for (size_t i = 0; i < f->worst_count; ++i) {
            window *x = &windows[i];
            bool is_it = x->count == 0 && w.frame.line == f->worst[i].line
                         && fabs(at_ms - f->worst[i].at_ms) < 1e-9;
            x->is_open = is_it || (x->is_open && x->count < FRAMES && w.frame.series == series);
            for (size_t k = is_it && kept > AROUND ? kept - AROUND : 0; is_it && k < kept; ++k) {
                x->shots[x->count++] = ring[k % AROUND];
            }
            x->worst = is_it ? x->count : x->worst;
            if (x->is_open) {
                x->shots[x->count++] = (shot){at_ms, w.frame.content_ms, value_ms};
            }
        }
        series = w.frame.series;
        ring[kept++ % AROUND] = (shot){at_ms, w.frame.content_ms, value_ms};
    }
    lab_capture_close(w.capture);
    return w.capture != NULL;
}

/* Content over screen time: each frame is held until the next is shown. */
static void draw_steps(svg *d, const window *x)
{
    const shot *first = &x->shots[0], *last = &x->shots[x->count - 1];
    double low = first->content_ms, high = first->content_ms, offs[FRAMES];
    for (size_t i = 0; i < x->count; ++i) {
        low = fmin(low, x->shots[i].content_ms);
        high = fmax(high, x->shots[i].content_ms);
        offs[i] = x->shots[i].content_ms - x->shots[i].shown_ms;
    }
    double off = lab_select_nth(offs, x->count, x->count / 2); /* the even line's */
    low = fmin(low, first->shown_ms + off);
    high = fmax(high, last->shown_ms + off);
    double across = (WIDE - 8) / fmax(last->shown_ms - first->shown_ms, 1e-9);
    double up = (STEPS - 30) / fmax(high - low, 1e-9);
#define X(ms) (4 + across * ((ms)-first->shown_ms))
#define Y(ms) (STEPS - 8 - up * ((ms)-low))
    svg_line(d, "axis", 4, STEPS, WIDE - 4, STEPS);
    svg_line(d, "even", 4, Y(first->shown_ms + off), WIDE - 4, Y(last->shown_ms + off));
    svg_path_begin(d, "stair");
    for (size_t i = 0; i < x->count; ++i) {
        svg_point(d, X(x->shots[i].shown_ms), Y(x->shots[i > 0 ? i - 1 : 0].content_ms));
        svg_point(d, X(x->shots[i].shown_ms), Y(x->shots[i].content_ms));
    }
    svg_path_end(d);
    if (x->worst > 0) {
        const shot *w = &x->shots[x->worst];
        svg_path_begin(d, "bad");
        svg_point(d, X(w[-1].shown_ms), Y(w[-1].content_ms));
        svg_point(d, X(w->shown_ms), Y(w[-1].content_ms));
        svg_point(d, X(w->shown_ms), Y(w->content_ms));
        svg_path_end(d);
    }
    for (size_t i = 0; i < x->count; ++i) {
        svg_circle(d, "dot", X(x->shots[i].shown_ms), Y(x->shots[i].content_ms), 2.6);
    }
#undef X
#undef Y
    svg_text(d, "", 4, 12, "content: %.0f ms", high - low);
    svg_text(d, "end", WIDE - 4, STEPS - 7, "shown in %.0f ms", last->shown_ms - first->shown_ms);
}

/* A bar per frame. Errors above the middle: the motion was too far. */
static void draw_bars(svg *d, const window *x, bool moves, double top, double bottom)
{
    double most = 0.0, width = (double)(WIDE - 8) / FRAMES;
    double base = moves ? (top + bottom) / 2.0 : bottom;
    for (size_t i = 0; i < x->count; ++i) {
        most = fmax(most, fabs(x->shots[i].value_ms)); /* fmax: without NaN */
    }
    for (size_t i = 0; i < x->count; ++i) {
        double value = x->shots[i].value_ms;
        double size = (base - top) * (isnan(value) ? 0.0 : value) / fmax(most, 1e-9);
        svg_rect(d, i == x->worst ? "worst" : "bar", 4 + width * (double)i,
                size > 0.0 ? base - size : base, width - 3.0, fabs(size));
    }
    svg_line(d, "axis", 4, base, WIDE - 4, base);
    svg_text(d, "", 4, top - 6,
            moves ? "animation error of each frame, up to %.3g ms"
                  : "time of each frame, up to %.3g ms",
            most);
}

static void put_moments(FILE *out, const measured *m, const window *windows)
{
    const lab_figures *f = &m->figures;
    bool moves = f->animation_error.count > 0;
    char text[SENTENCE];
    fprintf(out,
            "<h2 id=\"worst\">The worst moments</h2>\n<p><small>%s</small></p>\n"
            "<div class=\"cards\">\n",
            moves ? "Each stair is 20 frames: where content was, over the time at which it was "
                    "shown. With even motion all dots are on the dashed line."
                  : "20 frames around each, by the time since the frame before.");
    for (size_t i = 0; i < f->worst_count; ++i) {
        const lab_moment *w = &f->worst[i];
        svg drawing = {.file = out};
        fprintf(out, "<div id=\"m%zu\"><h3>%zu. At %.3f s: %.3g ms</h3>\n<p>", i + 1, i + 1,
                w->at_ms / 1000.0, w->error_ms);
        put(out, "<small>", measure_say_moment(m, w, text), "");
        fprintf(out, "; line %zu</small></p>\n", w->line);
        int high = moves ? HIGH : 150;
        fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"frames around it\">\n",
                WIDE, high);
        if (moves && windows[i].count > 1) {
            draw_steps(&drawing, &windows[i]);
        }
        draw_bars(&drawing, &windows[i], moves, moves ? STEPS + 34 : 24, high - 4);
        fputs("</svg></div>\n", out);
    }
    fputs("</div>\n", out);
}

/* --- graphs ----------------------------------------------------------------------------------- */

static void put_graph(FILE *out, const lab_figures *f, const char *title, const float *values,
        const char *mark, double mark_ms)
{
    double most = 1.3 * mark_ms, length = f->graph_ms * (double)f->graph_count / 1000.0;
    for (size_t i = 0; i < f->graph_count; ++i) {
        most = fmax(most, (double)values[i]);
    }
    fprintf(out,
            "<h3>%s</h3>\n<div class=\"graph\"><i style=\"top:6px\">%.3g ms</i>"
            "<i style=\"top:%.1f%%\">%s</i><svg viewBox=\"0 0 %zu 100\" "
            "preserveAspectRatio=\"none\" "
            "role=\"img\" aria-label=\"%s over time\">\n<path class=\"bar\" d=\"",
            title, most, 100.0 - 100.0 * mark_ms / most, mark, f->graph_count, title);
    for (size_t i = 0; i < f->graph_count; ++i) {
        if (values[i] > 0.0F) {
            fprintf(out, "M%zu 100V%.1fh1V100", i, 100.0 - 100.0 * (double)values[i] / most);
        }
    }
    fprintf(out,
            "\"/>\n<line class=\"even\" x1=\"0\" x2=\"%zu\" y1=\"%.1f\" y2=\"%.1f\"/></svg></div>\n"
            "<div class=\"ends\"><small>0 s</small><small>%.4g s</small></div>\n",
            f->graph_count, 100.0 - 100.0 * mark_ms / most, 100.0 - 100.0 * mark_ms / most, length);
}

/* Numbers of the worst moments, those that would overlap in the next row. */
static void put_marks(FILE *out, const lab_figures *f)
{
    double place[LAB_WORST];
    fputs("<div class=\"marks\">", out);
    for (size_t i = 0; i < f->worst_count; ++i) {
        size_t row = 0;
        place[i] = 100.0 * f->worst[i].at_ms / (f->graph_ms * (double)f->graph_count);
        for (size_t k = 0; k < i; ++k) {
            row += fabs(place[k] - place[i]) < 6.0;
        }
        fprintf(out, "<a href=\"#m%zu\" style=\"left:%.1f%%;bottom:%zupx\">%zu</a>", i + 1,
                place[i], 2 + 20 * (row % 2), i + 1);
    }
    fputs("</div>\n", out);
}

static void put_graphs(FILE *out, const lab_figures *f)
{
    fputs("<h2>Over time</h2>\n", out);
    put_marks(out, f);
    if (f->animation_error.count > 0) {
        put_graph(out, f, "Animation error: the largest of each part", f->graph_error, "half of T",
                f->intended_ms / 2.0);
    }
    put_graph(out, f, "Time between frames: the longest of each part", f->graph_interval, "T",
            f->intended_ms);
}

/* --- figures ---------------------------------------------------------------------------------- */

static void put_spreads(FILE *out, const lab_figures *f)
{
    const char *names[3 + LAB_LATENCIES] = {"frame time", "interval error", "animation error"};
    const lab_spread *s[] = {&f->frame_time, &f->interval_error, &f->animation_error, f->latency,
            f->latency + 1, f->latency + 2, f->latency + 3};
    memcpy(names + 3, measure_latency_names, sizeof measure_latency_names);
    fputs("<h2>Distributions</h2>\n<div class=\"wide\">\n"
          "<table><tr><th>ms</th><th>mean</th><th>rms</th><th>p50</th><th>p95</th>"
          "<th>p99</th><th>p99.9</th><th>max</th><th>count</th></tr>\n",
            out);
    for (size_t i = 0; i < sizeof s / sizeof s[0]; ++i) {
        if (s[i]->count > 0) {
            fprintf(out,
                    "<tr><td>%s</td><td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%.3f</td>"
                    "<td>%.3f</td><td>%.3f</td><td>%.3f</td><td>%zu</td></tr>\n",
                    names[i], s[i]->mean_ms, s[i]->rms_ms, s[i]->p50_ms, s[i]->p95_ms, s[i]->p99_ms,
                    s[i]->p999_ms, s[i]->max_ms, s[i]->count);
        }
    }
    fputs("</table></div>\n", out);
}

static void put_tile(FILE *out, const char *name, double value, const char *unit,
        const char *format, double a, double b)
{
    char more[SENTENCE];
    snprintf(more, sizeof more, format, a, b);
    fprintf(out, "<div>%s<b>%.3g%s</b><small>%s</small></div>\n", name,
            fabs(value) < 1e-6 ? 0.0 : value, unit, more);
}

static void put_tiles(FILE *out, const measured *m)
{
    const lab_figures *f = &m->figures;
    const lab_spread *t = &f->frame_time;
    bool moves = f->animation_error.count > 0;
    double p99_ms = f->animation_error.p99_ms;
    char text[SENTENCE];
    fputs("<div class=\"tiles\">\n", out);
    if (t->count > 0) {
        put_tile(
                out, "Frame rate", f->frames_per_second, " /s", "%.3g ms per frame", t->bias_ms, 0);
        put_tile(out, "1 % low", 1000.0 / t->p99_ms, " /s",
                "of the 99th percentile; mean of the slowest 1 %%: %.3g", 1000.0 / t->top_1_ms, 0);
        put_tile(out, "0.1 % low", 1000.0 / t->p999_ms, " /s",
                "of the 99.9th percentile; mean of the slowest 0.1 %%: %.3g", 1000.0 / t->top_01_ms,
                0);
    }
    snprintf(text, sizeof text, "shown longer than intended; to Apple %s", measure_hitch_grade(f));
    put_tile(out, "Hitches", 1000.0 * f->hitch_ratio, " ms/s", text, 0, 0);
    if (moves) {
        put_tile(out, "Animation errors", p99_ms, " ms",
                "99 %% are at most this: %.2g arc minutes at %.3g degrees per second",
                measure_arc_minutes(m, p99_ms), m->speed);
        put_tile(out, "Pursuit error", f->pursuit_ms, " ms",
                "away from even motion: %.2g arc minutes; an eye resolves about 1",
                measure_arc_minutes(m, f->pursuit_ms), 0);
        put_tile(out, "Jumps", measure_jumps_per_minute(f), " /min",
                "animation errors over %.3g ms", LAB_JUMP_MS, 0);
    }
    put_tile(out, "Worst second", f->second_ms, " ms",
            moves ? "of animation errors, from %.1f s on" : "of hitch time, from %.1f s on",
            f->second_at_ms / 1000.0, 0);
    fputs("</div>\n", out);
}

/* --- the page --------------------------------------------------------------------------------- */

static void put_causes(FILE *out, const measured *m)
{
    char text[SENTENCE];
    size_t count = 0;
    for (size_t i = 0; i < LAB_CAUSES; ++i) {
        const lab_cause_figures *c = &m->figures.causes[i];
        if (c->finding != LAB_IS_CAUSE) {
            continue;
        }
        fputs(count++ == 0 ? "<h2>Causes</h2>\n<div class=\"cards\">\n" : "", out);
        put(out, "<div><h3>", measure_title(m, i), "</h3>");
        fprintf(out, "<small>%.0f %% of the error; ", 100.0 * c->share);
        put(out, "", measure_say_seen(m, i, text), "</small>");
        put(out, "<p>What to change: ", measure_causes[i].change, "</p></div>\n");
    }
    fputs(count > 0 ? "</div>\n" : "", out);
}

static void put_head(FILE *out, const measured *m)
{
    const lab_figures *f = &m->figures;
    const char *name = m->name; /* without folders, which may name the user */
    char text[SENTENCE];
    for (const char *c = name; *c != '\0'; ++c) {
        name = *c == '/' || *c == '\\' ? c + 1 : name;
    }
    put(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n<title>",
            name, "</title>\n<style>\n");
    fprintf(out, "%s</style></head><body>\n", style);
    put(out, "<h1>", m->info.process[0] != '\0' ? m->info.process : name, "</h1>\n");
    put(out, "<p><small>", name, "");
    put(out, ": ", m->info.format, "");
    fprintf(out, ", %zu frames in %.4g s</small></p>\n", f->frames, f->seconds);
    size_t grade = f->animation_error.count > 0 ? measure_grade(f->animation_error.p99_ms, f)
                                                : measure_grade(f->interval_error.p99_ms, f);
    fprintf(out, "<div class=\"verdict grade%zu\">", grade);
    put(out, "<p>", measure_say_motion(m, text), "</p>");
    if (measure_main_cause(f) < LAB_CAUSES) {
        put(out, "<p>", measure_say_main_cause(m, text), "</p>");
    }
    put(out, "<p>", measure_say_frames(m, text), "</p></div>\n");
}

static void put_foot(FILE *out, const measured *m)
{
    const lab_figures *f = &m->figures;
    put(out, "<h2>How it was measured</h2>\n<p><small>Screen times: ",
            measure_shown_name(m), ".<br/>");
    put(out, "Content times: ", measure_content_names[m->info.content], ".<br/>Refresh: ");
    if (f->refresh_ms > 0.0) {
        fprintf(out, "%.4g Hz, ", 1000.0 / f->refresh_ms);
    }
    put(out, "", measure_refresh_names[f->refresh], ". ");
    fprintf(out, "T, the intended interval, is %.4g ms.<br/>", f->intended_ms);
    put(out, "Made by evenstep measure ", tool_version(),
            "; docs/captures.md and docs/measures.md define the figures.</small></p>\n"
            "</body></html>\n");
}

bool measure_write_page(const void *user, const char *path)
{
    const measured *m = user;
    window windows[LAB_WORST] = {{.count = 0}};
    errno = EIO; /* it was read before */
    FILE *out = collect(m, windows) ? tool_open(path) : NULL;
    if (out == NULL) {
        return false;
    }
    put_head(out, m);
    put_tiles(out, m);
    put_graphs(out, &m->figures);
    put_moments(out, m, windows);
    put_causes(out, m);
    put_spreads(out, &m->figures);
    put_foot(out, m);
    return tool_close(out);
}
