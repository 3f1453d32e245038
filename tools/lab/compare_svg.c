/* SPDX-License-Identifier: Zlib
 *
 * The strip. An object moves at constant speed, and each frame shows it where it was at the frame's
 * instant C. A frame stays on the screen until the next flip, so the object is seen on a staircase,
 * which should touch the straight line at every flip.
 *
 * A constant delay is no error: each row is shifted by its median D - C in the window. The object
 * crosses the strip several times, from bottom to top: one long flight would be too flat to see.
 */
#include "compare.h"

#include "figure.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>

static const char style[] =
        ".ideal{stroke:#57606a;stroke-width:1.2;stroke-dasharray:5 3;fill:none}\n"
        ".seen{stroke:#1f5f9e;stroke-width:1.8;fill:none}.off{fill:#f08a24}\n"
        ".edge{stroke:#ffffff;stroke-width:4}.zero{stroke:#8b949e;stroke-width:0.8}\n"
        "@media (prefers-color-scheme:dark){.ideal{stroke:#9da7b3}.seen{stroke:#79b8ff}"
        ".off{fill:#f08a24}.edge{stroke:#0d1117}.zero{stroke:#768390}}\n";

static const double left = 64.0;
static const double right = 24.0;
static const double top = 92.0;
static const double plot_width = 1000.0;
static const double title_height = 30.0;
static const double stairs_height = 124.0;
static const double bars_height = 46.0;
static const double row_gap = 20.0;
static const double title_x = 140.0; /* past the longest name */

enum { PASSES = 4 };

typedef struct strip {
    svg drawing;
    const compare_rows *rows;
    const lab_screen *screen;
    int64_t from_ns; /* the window, in screen time */
    int64_t end_ns;
    double speed;
    double off_max_ms; /* end of the scale of deviations, the same in all rows */
} strip;

/* One row's frames in the window. */
typedef struct visible {
    const lab_frame *frames;
    size_t first;
    size_t end;
    size_t count;     /* of all frames */
    int64_t shift_ns; /* median D - C */
} visible;

/* --- which moment ----------------------------------------------------------------------------- */

enum { BINS = 4096 };

/* Adds a loop's largest error in each bin of the run, as a share of its largest of all. */
static void add_errors(double *bins, const lab_result *result, int64_t bin_ns)
{
    static double worst[BINS];
    double largest_ns = result->measures.animation.max_ms * 1e6;
    memset(worst, 0, sizeof worst);
    for (size_t k = result->measured + 1; k < result->frame_count; ++k) {
        const lab_frame *frame = &result->frames[k];
        int64_t error_ns = (frame[0].content_ns - frame[-1].content_ns)
                           - (frame[0].shown_ns - frame[-1].shown_ns);
        int64_t bin = frame->shown_ns / bin_ns;
        double share = largest_ns > 0.0 ? fabs((double)error_ns) / largest_ns : 0.0;
        if (bin < BINS && share > worst[bin]) {
            worst[bin] = share;
        }
    }
    for (size_t i = 0; i < BINS; ++i) {
        bins[i] += worst[i];
    }
}

/* When most loops have their largest errors: a spike comes at the same time in all of them. */
static int64_t most_unusual_ns(const compare_rows *rows, int64_t span_ns)
{
    static double bins[BINS];
    int64_t end_ns = 1;
    size_t best = 0;
    for (size_t i = 0; i < rows->count; ++i) {
        const lab_result *result = &rows->items[i].result;
        if (rows->items[i].ran && result->frame_count > 0) {
            int64_t last_ns = result->frames[result->frame_count - 1].shown_ns;
            end_ns = last_ns > end_ns ? last_ns : end_ns;
        }
    }
    int64_t bin_ns = span_ns / 8 > end_ns / BINS ? span_ns / 8 : end_ns / BINS + 1;
    memset(bins, 0, sizeof bins);
    for (size_t i = 0; i < rows->count; ++i) {
        if (rows->items[i].ran) {
            add_errors(bins, &rows->items[i].result, bin_ns);
        }
    }
    for (size_t i = 1; i < BINS; ++i) {
        best = bins[i] > bins[best] ? i : best;
    }
    return (int64_t)best * bin_ns + bin_ns / 2;
}

/* --- frames in the window --------------------------------------------------------------------- */

static int64_t median_shift(const visible *v)
{
    size_t count = v->end - v->first;
    double *shifts = malloc((count + 1) * sizeof *shifts), median = 0.0;
    for (size_t i = 0; shifts != NULL && i < count; ++i) {
        const lab_frame *frame = &v->frames[v->first + i];
        shifts[i] = (double)(frame->shown_ns - frame->content_ns);
    }
    if (shifts != NULL && count > 0) {
        median = lab_select_nth(shifts, count, count / 2);
    }
    free(shifts);
    return (int64_t)median;
}

static visible find_visible(const strip *s, const lab_result *result)
{
    visible v = {.frames = result->frames, .count = result->frame_count};
    while (v.first + 1 < v.count && v.frames[v.first + 1].shown_ns <= s->from_ns) {
        v.first += 1;
    }
    v.end = v.first;
    while (v.end < v.count && v.frames[v.end].shown_ns < s->end_ns) {
        v.end += 1;
    }
    v.shift_ns = median_shift(&v);
    return v;
}

static int64_t deviation_ns(const visible *v, size_t i)
{
    return v->frames[i].content_ns + v->shift_ns - v->frames[i].shown_ns;
}

static int64_t visible_until(const strip *s, const visible *v, size_t i)
{
    return i + 1 < v->count && v->frames[i + 1].shown_ns < s->end_ns ? v->frames[i + 1].shown_ns
                                                                     : s->end_ns;
}

/* --- a row ------------------------------------------------------------------------------------ */

static double x_of(const strip *s, int64_t shown_ns)
{
    double share = (double)(shown_ns - s->from_ns) / (double)(s->end_ns - s->from_ns);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return left + plot_width * share;
}

/* Position is content time. In each pass the object starts again at the bottom. */
static double y_of(const strip *s, double y, int64_t position_ns, int pass)
{
    double pass_ns = (double)(s->end_ns - s->from_ns) / PASSES;
    double share = (double)(position_ns - s->from_ns) / pass_ns - pass;
    return y + stairs_height * (1.0 - share);
}

static int64_t pass_begin(const strip *s, int pass)
{
    return s->from_ns + (s->end_ns - s->from_ns) / PASSES * pass;
}

static void put_refreshes(strip *s, double y)
{
    int64_t at_ns = lab_screen_next_refresh(s->screen, s->from_ns, NULL);
    while (at_ns < s->end_ns) {
        if (lab_screen_mode(s->screen, at_ns) == LAB_MODE_FIXED) {
            svg_line(&s->drawing, "grid", x_of(s, at_ns), y, x_of(s, at_ns), y + stairs_height);
        }
        at_ns = lab_screen_next_refresh(s->screen, at_ns + 1, NULL);
    }
}

static void put_pass(strip *s, const visible *v, double y, int pass)
{
    double begin = x_of(s, pass_begin(s, pass));
    double end = x_of(s, pass_begin(s, pass + 1));
    svg_clip_begin(&s->drawing, begin, y, end - begin, stairs_height);
    for (size_t i = v->first; i < v->end; ++i) {
        double seen = y_of(s, y, v->frames[i].content_ns + v->shift_ns, pass);
        double should = y_of(s, y, v->frames[i].shown_ns, pass);
        double x = x_of(s, v->frames[i].shown_ns);
        svg_rect(&s->drawing, "off", x, seen < should ? seen : should,
                x_of(s, visible_until(s, v, i)) - x, fabs(seen - should));
    }
    svg_line(&s->drawing, "ideal", begin, y + stairs_height, end, y);
    svg_path_begin(&s->drawing, "seen");
    for (size_t i = v->first; i < v->end; ++i) {
        double seen = y_of(s, y, v->frames[i].content_ns + v->shift_ns, pass);
        double x = x_of(s, v->frames[i].shown_ns);
        svg_point(&s->drawing, x, seen);
        svg_point(&s->drawing, x_of(s, visible_until(s, v, i)), seen);
    }
    svg_path_end(&s->drawing);
    svg_clip_end(&s->drawing);
}

static void put_stairs(strip *s, const visible *v, double y)
{
    svg_rect(&s->drawing, "pane", left, y, plot_width, stairs_height);
    put_refreshes(s, y);
    for (int pass = 0; pass < PASSES; ++pass) {
        put_pass(s, v, y, pass);
        if (pass > 0) {
            double x = x_of(s, pass_begin(s, pass));
            svg_line(&s->drawing, "edge", x, y, x, y + stairs_height);
        }
    }
}

static void put_bars(strip *s, const visible *v, double y)
{
    double middle = y + bars_height / 2.0;
    double scale = (bars_height / 2.0 - 2.0) / s->off_max_ms;
    svg_rect(&s->drawing, "pane", left, y, plot_width, bars_height);
    svg_clip_begin(&s->drawing, left, y, plot_width, bars_height);
    for (size_t i = v->first; i < v->end; ++i) {
        double size = (double)deviation_ns(v, i) / 1e6 * scale;
        double x = x_of(s, v->frames[i].shown_ns);
        double width = x_of(s, visible_until(s, v, i)) - x;
        svg_rect(&s->drawing, "off", x, size > 0.0 ? middle - size : middle,
                width > 1.5 ? width - 0.7 : width, fabs(size));
    }
    svg_clip_end(&s->drawing);
    svg_line(&s->drawing, "zero", left, middle, left + plot_width, middle);
    double px = s->off_max_ms * s->speed / 1000.0;
    svg_text(&s->drawing, "small soft end", left - 6.0, y + 10.0, "+%.3g px", px);
    svg_text(&s->drawing, "small soft end", left - 6.0, y + bars_height - 2.0, "-%.3g px", px);
}

static void put_figures(strip *s, const lab_measures *m, double y)
{
    char error[32];
    char px[32];
    char lost[32];
    const figure *animation = figure_find("animation");
    figure_format(error, sizeof error, animation, m->animation.mean_abs_ms, false);
    figure_format(px, sizeof px, animation, m->animation.mean_abs_ms * s->speed / 1000.0, false);
    figure_format(lost, sizeof lost, figure_find("lost"), m->lost_ms, false);
    svg_text(&s->drawing, "end", left + plot_width, y + 20.0,
            "mean |e| %s ms = %s px \xc2\xb7 lost %s ms \xc2\xb7 missed refreshes %.2f %%", error,
            px, lost, 100.0 * m->missed_share);
}

static void put_row(strip *s, const compare_row *row, double y)
{
    svg_text(&s->drawing, "bold", left, y + 20.0, "%s", row->loop->name);
    svg_text(&s->drawing, "soft", left + title_x, y + 20.0, "%s", row->loop->title);
    if (!row->ran) {
        svg_text(&s->drawing, "soft end", left + plot_width, y + 20.0, "cannot run here");
        return;
    }
    visible v = find_visible(s, &row->result);
    put_figures(s, &row->result.measures, y);
    put_stairs(s, &v, y + title_height);
    put_bars(s, &v, y + title_height + stairs_height + 3.0);
}

/* --- all -------------------------------------------------------------------------------------- */

static double row_height(void)
{
    return title_height + stairs_height + 3.0 + bars_height + row_gap;
}

static void find_scale(strip *s)
{
    s->off_max_ms = 0.5; /* smaller deviations look small */
    for (size_t row = 0; row < s->rows->count; ++row) {
        if (!s->rows->items[row].ran) {
            continue;
        }
        visible v = find_visible(s, &s->rows->items[row].result);
        for (size_t i = v.first; i < v.end; ++i) {
            double size = fabs((double)deviation_ns(&v, i)) / 1e6;
            s->off_max_ms = size > s->off_max_ms ? size : s->off_max_ms;
        }
    }
    s->off_max_ms = s->off_max_ms > 50.0 ? 50.0 : s->off_max_ms;
}

static void put_axis(strip *s, double y)
{
    int64_t span_ms = (s->end_ns - s->from_ns) / ES_NS_PER_MS;
    int64_t step_ms = span_ms > 800 ? 100 : span_ms > 160 ? 20 : span_ms > 60 ? 10 : 5;
    int64_t at_ms = (s->from_ns / ES_NS_PER_MS / step_ms + 1) * step_ms;
    for (; at_ms * ES_NS_PER_MS < s->end_ns; at_ms += step_ms) {
        double x = x_of(s, at_ms * ES_NS_PER_MS);
        svg_line(&s->drawing, "line", x, y, x, y + 5.0);
        svg_text(&s->drawing, "small soft middle", x, y + 18.0, "%lld", (long long)at_ms);
    }
    svg_text(&s->drawing, "small soft end", left - 6.0, y + 18.0, "ms");
}

static void put_head(strip *s, const char *title)
{
    svg_text(&s->drawing, "big", left, 30.0, "Where a moving object is seen");
    double pass_ms = (double)(s->end_ns - s->from_ns) / PASSES / 1e6;
    svg_text(&s->drawing, "small soft", left, 50.0,
            "%s; the object moves at %g px/s and crosses the strip every %.4g ms", title, s->speed,
            pass_ms);
    double x = left;
    svg_line(&s->drawing, "seen", x, 70.0, x + 22.0, 70.0);
    svg_text(&s->drawing, "small", x + 28.0, 74.0, "seen: each frame stays until the next");
    svg_line(&s->drawing, "ideal", x + 290.0, 70.0, x + 312.0, 70.0);
    svg_text(&s->drawing, "small", x + 318.0, 74.0, "where it should be");
    svg_rect(&s->drawing, "off", x + 450.0, 64.0, 22.0, 11.0);
    svg_text(&s->drawing, "small", x + 478.0, 74.0,
            "how far off: ahead or behind; below each row on one scale");
}

bool compare_draw(
        const compare_rows *rows, const lab_screen *screen, const char *title, const char *path)
{
    strip s = {.rows = rows, .screen = screen, .speed = 1000.0};
    const int64_t span_ns = 250 * ES_NS_PER_MS;
    s.from_ns = most_unusual_ns(rows, span_ns) - span_ns / 3;
    s.from_ns = s.from_ns > 0 ? s.from_ns : 0;
    s.end_ns = s.from_ns + span_ns;
    find_scale(&s);
    double height = top + row_height() * (double)rows->count + 24.0;
    if (!svg_open(&s.drawing, path, left + plot_width + right, height, "evenstep compare", style)) {
        return false;
    }
    put_head(&s, title);
    for (size_t i = 0; i < rows->count; ++i) {
        put_row(&s, &rows->items[i], top + row_height() * (double)i);
    }
    put_axis(&s, top + row_height() * (double)rows->count - row_gap + 6.0);
    return svg_close(&s.drawing);
}
