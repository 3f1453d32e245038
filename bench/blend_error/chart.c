/* SPDX-License-Identifier: Zlib
 *
 * The error over time, with its bound: a row per motion, a column per way. All panes of a row have
 * one scale, so that they compare.
 */
#include "blend.h"

#include "svg.h"
#include "base/common.h"

#include <math.h>

static const char style[] =
        ".event{stroke:#cf222e;stroke-width:1.2;stroke-dasharray:2 3}\n"
        ".bound{stroke:#57606a;stroke-width:1.2;stroke-dasharray:5 3;fill:none}\n"
        ".error{stroke:#1f5f9e;stroke-width:1.8;fill:none}.under{fill:#1f5f9e;opacity:0.16}\n"
        "@media (prefers-color-scheme:dark){.event{stroke:#ff7b72}.bound{stroke:#9da7b3}"
        ".error{stroke:#79b8ff}.under{fill:#79b8ff}}\n";

static const double left = 74.0;
static const double right = 22.0;
static const double top = 84.0;
static const double pane_height = 150.0;
static const double heading = 26.0; /* above a row: its motion */
static const double caption = 36.0; /* above a pane: its way */
static const double footer = 40.0;
static const double column_gap = 16.0;

typedef struct chart {
    svg drawing;
    const blend_results *results;
    double pane_width;
    /* of the row */
    int64_t from_ns;
    int64_t until_ns;
    double scale; /* m at the top of a pane */
} chart;

/* A pane. */
typedef struct pane {
    const blend_result *result;
    double x;
    double y;
} pane;

static bool is_in_window(const chart *c, const blend_frame *frame)
{
    return frame->content_ns >= c->from_ns && frame->content_ns <= c->until_ns;
}

static double x_of(const chart *c, const pane *p, int64_t time_ns)
{
    return p->x
           + c->pane_width * (double)(time_ns - c->from_ns) / (double)(c->until_ns - c->from_ns);
}

static double y_of(const chart *c, const pane *p, double metres)
{
    double share = metres / c->scale;
    return p->y + pane_height * (1 - (share < 1 ? share : 1));
}

/* The largest error and bound of the drawn frames. */
static void find_largest(const chart *c, const blend_result *result, double *error, double *bound)
{
    for (size_t i = 0; i < result->frame_count; ++i) {
        const blend_frame *frame = &result->frames[i];
        if (is_in_window(c, frame)) {
            *error = fmax(*error, blend_error(frame));
            *bound = fmax(*bound, frame->bound);
        }
    }
}

/* The largest of the row, and a little more: a round number of mm. */
static void find_scale(chart *c, size_t row)
{
    static const double steps[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    double largest = 1e-6;
    for (size_t w = 0; w < c->results->way_count; ++w) {
        const blend_result *result = &c->results->items[row * c->results->way_count + w];
        find_largest(c, result, &largest, &largest);
    }
    double power = pow(10, floor(log10(largest)));
    size_t step = 0;
    while (step + 1 < sizeof steps / sizeof steps[0] && steps[step] * power < largest) {
        step += 1;
    }
    c->scale = steps[step] * power;
}

static void put_grid(chart *c, const pane *p, bool labels)
{
    int64_t period_ns = es__rate_period_ns(c->results->setup.tick_rate);
    blend_jump jumps[BLEND_JUMPS_MAX];
    svg_rect(&c->drawing, "pane", p->x, p->y, c->pane_width, pane_height);
    for (int64_t i = (c->from_ns + period_ns - 1) / period_ns; i * period_ns <= c->until_ns; ++i) {
        double x = x_of(c, p, i * period_ns);
        svg_line(&c->drawing, "grid", x, p->y, x, p->y + pane_height);
    }
    size_t count = blend_motion_jumps(p->result->motion, c->until_ns, jumps);
    for (size_t i = 0; i < count; ++i) {
        double x = x_of(c, p, jumps[i].at_ns);
        if (jumps[i].at_ns >= c->from_ns) {
            svg_line(&c->drawing, "event", x, p->y, x, p->y + pane_height);
        }
    }
    for (int i = 0; i < 2 && p->result->motion->silent; ++i) {
        double x = x_of(c, p, blend_silence_ns[i]);
        svg_line(&c->drawing, "event", x, p->y, x, p->y + pane_height);
    }
    for (int i = 0; labels && i <= 2; ++i) {
        char text[32];
        blend_format_length(text, sizeof text, c->scale * i / 2);
        double y = p->y + pane_height * (1 - i / 2.0) + (i == 2 ? 9 : 4 * i);
        svg_text(&c->drawing, "small soft end", p->x - 6, y, "%s", text);
    }
    svg_text(&c->drawing, "small soft", p->x, p->y + pane_height + 15, "%.4g s",
            (double)c->from_ns / 1e9);
    svg_text(&c->drawing, "small soft end", p->x + c->pane_width, p->y + pane_height + 15, "%.4g s",
            (double)c->until_ns / 1e9);
}

/* The bound or the error of frames[first] to frames[last - 1]. */
static void put_curve(chart *c, const pane *p, const char *which, size_t first, size_t last)
{
    svg_path_begin(&c->drawing, which);
    for (size_t i = first; i < last; ++i) {
        const blend_frame *frame = &p->result->frames[i];
        double value = which[0] == 'b' ? frame->bound : blend_error(frame);
        svg_point(&c->drawing, x_of(c, p, frame->content_ns), y_of(c, p, value));
    }
    svg_path_end(&c->drawing);
}

static void put_curves(chart *c, const pane *p)
{
    const blend_result *result = p->result;
    size_t first = 0, last = result->frame_count;
    while (first < last && !is_in_window(c, &result->frames[first])) {
        first += 1;
    }
    while (last > first && !is_in_window(c, &result->frames[last - 1])) {
        last -= 1;
    }
    if (last <= first) {
        return;
    }
    svg_path_begin(&c->drawing, "under");
    svg_point(&c->drawing, x_of(c, p, result->frames[first].content_ns), p->y + pane_height);
    for (size_t i = first; i < last; ++i) {
        svg_point(&c->drawing, x_of(c, p, result->frames[i].content_ns),
                y_of(c, p, blend_error(&result->frames[i])));
    }
    svg_point(&c->drawing, x_of(c, p, result->frames[last - 1].content_ns), p->y + pane_height);
    svg_path_close(&c->drawing);
    svg_path_end(&c->drawing);
    put_curve(c, p, "bound", first, last);
    put_curve(c, p, "error", first, last);
}

static void put_pane(chart *c, const pane *p, bool labels)
{
    char largest[32];
    char bound[32];
    double error_m = 0, bound_m = 0;
    find_largest(c, p->result, &error_m, &bound_m);
    blend_format_length(largest, sizeof largest, error_m);
    blend_format_length(bound, sizeof bound, bound_m);
    svg_text(&c->drawing, "bold", p->x, p->y - 20, "%s", p->result->way->name);
    svg_text(&c->drawing, "small soft", p->x, p->y - 6, "at most %s, bound %s", largest, bound);
    put_grid(c, p, labels);
    put_curves(c, p);
}

static double row_height(void)
{
    return heading + caption + pane_height + footer;
}

static void put_row(chart *c, size_t row)
{
    const blend_motion *motion = c->results->motions[row];
    double y = top + row_height() * (double)row;
    blend_window(&c->results->setup, motion, &c->from_ns, &c->until_ns);
    find_scale(c, row);
    svg_text(&c->drawing, "bold", left, y + 12, "%s", motion->name);
    svg_text(&c->drawing, "soft", left + 78, y + 12, "%s", motion->title);
    for (size_t w = 0; w < c->results->way_count; ++w) {
        pane p = {&c->results->items[row * c->results->way_count + w],
                left + (c->pane_width + column_gap) * (double)w, y + heading + caption};
        put_pane(c, &p, w == 0);
    }
}

static void put_head(chart *c)
{
    svg_text(&c->drawing, "big", left, 28, "How far from the truth a frame is");
    svg_text(&c->drawing, "small soft", left, 46, "%s", c->results->title);
    svg_line(&c->drawing, "error", left, 64, left + 22, 64);
    svg_text(&c->drawing, "small", left + 28, 68, "error");
    svg_line(&c->drawing, "bound", left + 74, 64, left + 96, 64);
    svg_text(&c->drawing, "small", left + 102, 68, "documented bound");
    svg_line(&c->drawing, "event", left + 224, 64, left + 246, 64);
    svg_text(&c->drawing, "small", left + 252, 68, "events; grey: ticks");
}

bool blend_draw(const void *user, const char *path)
{
    const blend_results *results = user;
    chart c = {.results = results};
    double columns = (double)results->way_count;
    c.pane_width = 1000 / columns - column_gap;
    c.pane_width = c.pane_width < 192 ? 192 : c.pane_width > 420 ? 420 : c.pane_width;
    double width = left + (c.pane_width + column_gap) * columns - column_gap + right;
    width = width < 640 ? 640 : width;
    double height = top + row_height() * (double)results->motion_count;
    if (!svg_open(&c.drawing, path, width, height, "Error of each way to show a motion", style)) {
        return false;
    }
    put_head(&c);
    for (size_t row = 0; row < results->motion_count; ++row) {
        put_row(&c, row);
    }
    return svg_close(&c.drawing);
}
