/* SPDX-License-Identifier: Zlib
 *
 * The lab's dot plot: a row per scenario, a dot per loop, along a logarithmic scale of the first
 * measure. The first of our loops stands out; to the right of each row are its figure and the best
 * other loop's. Colours: Okabe and Ito's, which colour-blind eyes distinguish.
 */
#include "plan.h"

#include <ctype.h>
#include <math.h>

static const char style[] =
        ".num{font-size:13px}.wide{font-size:12px}\n"
        ".band{fill:#f6f8fa}.zero{fill:#eaf2fb}.our{fill:#0b63ce}.ours{fill:#0b63ce}\n"
        ".bound{stroke:#1f2328;stroke-width:2.4;fill:none}\n"
        ".c0{fill:#e69f00}.c1{fill:#d55e00}.c2{fill:#009e73}.c3{fill:#9d5cc4}.c4{fill:#8c6d4f}\n"
        ".c5{fill:#cc79a7}.c6{fill:#6b7785}.c7{fill:#a3a31a}\n"
        ".ring{fill-opacity:0.12;stroke-width:1.8}\n"
        ".ours.ring{stroke:#0b63ce}\n"
        ".c0.ring{stroke:#e69f00}.c1.ring{stroke:#d55e00}.c2.ring{stroke:#009e73}\n"
        ".c3.ring{stroke:#9d5cc4}.c4.ring{stroke:#8c6d4f}.c5.ring{stroke:#cc79a7}\n"
        ".c6.ring{stroke:#6b7785}.c7.ring{stroke:#a3a31a}\n"
        "@media (prefers-color-scheme:dark){.band{fill:#151b23}.zero{fill:#12233a}\n"
        ".our,.ours{fill:#58a6ff}.ours.ring{stroke:#58a6ff}.bound{stroke:#e6edf3}}\n";

static const double left = 316.0;
static const double plot_width = 470.0;
static const double gutter = 50.0; /* for values too small for the scale */
static const double numbers_width = 150.0;
static const double row_height = 58.0;
static const double radius = 5.0;
static const double our_radius = 7.0;

/* The scale: 0.01 to 100 % (0.001 to 10 ms, where errors are in ms). */
static const double decades = 4.0;

enum { COLOURS = 8, REFERENCE = -2, OURS = -1 };

typedef struct plot {
    svg drawing;
    const lab_plan *plan;
    const lab_outcome *outcome;
    const figure *f;
    double least;
    double top;
    size_t ours;             /* the loop that stands out; count: none */
    int colours[CHOICE_MAX]; /* of each loop */
} plot;

/* --- where and how ---------------------------------------------------------------------------- */

static double place_of(const plot *p, double value)
{
    double size = fabs(value);
    double from = left + gutter;
    if (size <= p->least) {
        return left + gutter / 2.0;
    }
    double share = log10(size / p->least) / decades;
    return from + (share < 1.0 ? share : 1.0) * (plot_width - gutter);
}

static void choose_colours(plot *p)
{
    int next = 0;
    p->ours = p->plan->loops.count;
    for (size_t i = 0; i < p->plan->loops.count; ++i) {
        lab_loop_kind kind = p->plan->loops.items[i]->kind;
        if (kind == LAB_LOOP_OURS && p->ours == p->plan->loops.count) {
            p->ours = i;
            p->colours[i] = OURS;
        } else if (kind == LAB_LOOP_REFERENCE) {
            p->colours[i] = REFERENCE;
        } else {
            p->colours[i] = next % COLOURS;
            next += 1;
        }
    }
}

static void put_mark(plot *p, size_t loop, double x, double y, bool is_ring)
{
    char classes[32];
    if (p->colours[loop] == REFERENCE) {
        svg_line(&p->drawing, "bound", x, y - 10.0, x, y + 10.0);
        return;
    }
    if (p->colours[loop] == OURS) {
        snprintf(classes, sizeof classes, "ours%s", is_ring ? " ring" : "");
    } else {
        snprintf(classes, sizeof classes, "c%d%s", p->colours[loop], is_ring ? " ring" : "");
    }
    svg_circle(&p->drawing, classes, x, y, p->colours[loop] == OURS ? our_radius : radius);
}

/* --- a row ------------------------------------------------------------------------------------ */

typedef struct dot {
    size_t loop;
    double x;
    double y;
} dot;

static double value_of(const plot *p, size_t loop, size_t scenario)
{
    return lab_value(p->outcome, p->f, loop, scenario);
}

static bool is_drawn(const plot *p, size_t loop, size_t scenario)
{
    return lab_outcome_at(p->outcome, loop, scenario)->runs > 0
           && !isnan(value_of(p, loop, scenario));
}

/* Dots that would overlap move up or down: 0, 1, -1, 2, -2 steps from the row's middle. */
static double free_place(const dot *dots, size_t count, double x, double middle)
{
    const double step = radius + our_radius;
    double most = row_height / 2.0 - radius;
    for (int turn = 0; turn < 5; ++turn) {
        double y = middle + step * (double)((turn + 1) / 2) * (turn % 2 == 1 ? 1.0 : -1.0);
        bool is_free = fabs(y - middle) <= most;
        for (size_t i = 0; i < count && is_free; ++i) {
            double near = dots[i].y == middle && i == 0 ? radius + our_radius : 2.0 * radius;
            is_free = hypot(dots[i].x - x, dots[i].y - y) >= near;
        }
        if (is_free) {
            return y;
        }
    }
    return middle;
}

static size_t place_dots(const plot *p, size_t scenario, double middle, dot *dots)
{
    size_t count = 0;
    size_t loops = p->plan->loops.count;
    if (p->ours < loops && is_drawn(p, p->ours, scenario)) {
        dots[count++] = (dot){p->ours, place_of(p, value_of(p, p->ours, scenario)), middle};
    }
    for (size_t i = 0; i < loops; ++i) {
        if (i != p->ours && p->colours[i] != REFERENCE && is_drawn(p, i, scenario)) {
            double x = place_of(p, value_of(p, i, scenario));
            dots[count] = (dot){i, x, free_place(dots, count, x, middle)};
            count += 1;
        }
    }
    return count;
}

static void put_numbers(plot *p, size_t scenario, double y)
{
    char text[32];
    double right = left + plot_width + numbers_width;
    const char *unit = figure_unit_name(p->f, true);
    size_t loops = p->plan->loops.count;
    if (p->ours == loops || !is_drawn(p, p->ours, scenario)) {
        return;
    }
    lab_format(p->outcome, p->f, p->ours, scenario, text, sizeof text);
    svg_text(&p->drawing, "num bold end our", right - 78.0, y + 5.0, "%s %s", text, unit);
    size_t best = lab_best_beside(p->outcome, p->f, p->ours, scenario);
    if (best == loops) {
        svg_text(&p->drawing, "num soft end", right, y + 5.0, "-");
    } else {
        lab_format(p->outcome, p->f, best, scenario, text, sizeof text);
        svg_text(&p->drawing, "num soft end", right, y + 5.0, "%s %s", text, unit);
    }
}

static void put_row(plot *p, size_t scenario)
{
    dot dots[CHOICE_MAX];
    double top = p->top + row_height * (double)scenario;
    double middle = top + row_height / 2.0;
    const lab_scenario *item = &p->plan->scenarios.items[scenario];
    svg_text(&p->drawing, "num bold end", left - 16.0, middle - 2.0, "%s", item->name);
    svg_text(&p->drawing, "small soft end", left - 16.0, middle + 13.0, "%s", item->title);
    size_t count = place_dots(p, scenario, middle, dots);
    for (size_t i = 0; i < p->plan->loops.count; ++i) {
        if (p->colours[i] == REFERENCE && is_drawn(p, i, scenario)) {
            put_mark(p, i, place_of(p, value_of(p, i, scenario)), middle, false);
        }
    }
    for (size_t i = count; i-- > 0;) { /* ours last: on top */
        bool loses = lab_loses_time(p->outcome, dots[i].loop, scenario);
        put_mark(p, dots[i].loop, dots[i].x, dots[i].y, loses);
    }
    put_numbers(p, scenario, middle);
}

/* --- around them ------------------------------------------------------------------------------ */

static size_t legend_rows(const lab_plan *plan)
{
    return (plan->loops.count + 2) / 2; /* two columns, and the rings */
}

static void put_legend(plot *p, double y)
{
    size_t rows = legend_rows(p->plan);
    size_t count = p->plan->loops.count;
    for (size_t i = 0; i <= count; ++i) {
        double x = 30.0 + 400.0 * (double)(i / rows);
        double at = y + 22.0 * (double)(i % rows);
        if (i == count) {
            svg_circle(&p->drawing, "c6 ring", x, at, radius);
            svg_text(&p->drawing, "wide soft", x + 16.0, at + 4.5,
                    "ring: loses over 20 ms in a run (the oracle: none)");
            continue;
        }
        put_mark(p, i, x, at, false);
        svg_text(&p->drawing, i == p->ours ? "wide bold our" : "wide", x + 16.0, at + 4.5, "%s",
                p->plan->loops.items[i]->title);
    }
}

/* An error as a distance: how far an object moves in that time. */
static void put_pixels(plot *p, double y)
{
    const double speed = 1000.0; /* px per s */
    const double refresh_ms = 1000.0 / 60.0;
    double unit_ms = refresh_ms / 100.0;
    for (int i = 0; i <= (int)decades; ++i) {
        double x = left + gutter + (plot_width - gutter) * (double)i / decades;
        double px = p->least * pow(10.0, (double)i) * unit_ms * speed / 1000.0;
        svg_text(&p->drawing, "small soft middle", x, y, "%.*f px",
                px < 0.0095 ? 3
                : px < 0.95 ? 2
                : px < 9.5  ? 1
                            : 0,
                px);
    }
    svg_text(&p->drawing, "small soft end", left - 16.0, y, "at %g px/s%s", speed, " on 60 Hz");
}

static void put_scale(plot *p, double bottom)
{
    const char *unit = figure_unit_name(p->f, true);
    svg_rect(&p->drawing, "zero", left, p->top, gutter, bottom - p->top);
    for (int i = 0; i <= (int)decades; ++i) {
        double x = left + gutter + (plot_width - gutter) * (double)i / decades;
        svg_line(&p->drawing, "thin", x, p->top, x, bottom);
        svg_text(&p->drawing, "middle soft", x, p->top - 9.0, "%g %s",
                p->least * pow(10.0, (double)i), unit);
    }
    svg_text(&p->drawing, "middle soft", left + gutter / 2.0 - 10.0, p->top - 9.0, "0");
    if (p->f->unit == FIGURE_ERROR) {
        put_pixels(p, bottom + 18.0);
    }
    double right = left + plot_width + numbers_width;
    if (p->ours < p->plan->loops.count) {
        svg_text(&p->drawing, "bold end our", right - 78.0, p->top - 9.0, "ours");
        svg_text(&p->drawing, "soft end", right, p->top - 9.0, "best other");
    }
}

static void put_bands(plot *p)
{
    double right = left + plot_width + numbers_width + 16.0;
    for (size_t i = 0; i < p->plan->scenarios.count; i += 2) {
        svg_rect(&p->drawing, "band", 0.0, p->top + row_height * (double)i, right, row_height);
    }
}

static void put_head(svg *drawing, const lab_plan *plan, const figure *f, const char *remark)
{
    char axes[512];
    lab_plan_describe(plan, axes, sizeof axes);
    svg_text(drawing, "big", 16.0, 30.0, "%c%s, in %s%s", toupper((unsigned char)f->title[0]),
            f->title + 1, figure_unit_name(f, true), remark);
    svg_text(drawing, "small soft", 16.0, 49.0, "%s; %g s each, seed %llu", axes,
            (double)plan->base.duration_ns / 1e9, (unsigned long long)plan->base.seed);
}

bool lab_draw_dots(const void *user, const char *path)
{
    const lab_outcome *outcome = user;
    const lab_plan *plan = outcome->plan;
    plot p = {.plan = plan, .outcome = outcome, .f = plan->figures.items[0]};
    p.least = 0.01;
    p.top = 78.0 + 22.0 * (double)legend_rows(plan) + 24.0;
    choose_colours(&p);
    double bottom = p.top + row_height * (double)plan->scenarios.count;
    double width = left + plot_width + numbers_width + 16.0;
    if (!svg_open(&p.drawing, path, width, bottom + 34.0, "evenstep lab", style)) {
        return false;
    }
    put_bands(&p);
    put_head(&p.drawing, plan, p.f,
            p.f->unit == FIGURE_ERROR ? " of a refresh: further left is smoother"
                                      : ": further left is better");
    put_legend(&p, 78.0);
    put_scale(&p, bottom);
    for (size_t i = 0; i < plan->scenarios.count; ++i) {
        put_row(&p, i);
    }
    return svg_close(&p.drawing);
}
