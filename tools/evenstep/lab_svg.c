/* SPDX-License-Identifier: Zlib
 *
 * The lab's heat map: a row per loop, a column per scenario, coloured by the first measure. Blue to
 * orange over a pale middle: colour-blind eyes distinguish them, and the lightness shows the
 * distance from the middle.
 */
#include "lab_plan.h"

#include <math.h>
#include <string.h>

static const char style[] = ".dk{fill:#10161d}.lt{fill:#ffffff}.num{font-size:13px}"
                            ".sub{font-size:9.5px}.best{font-weight:bold}\n"
                            ".frame{fill:none;stroke:#10161d;stroke-width:1.6}\n"
                            "@media (prefers-color-scheme:dark){.dk{fill:#10161d}.lt{fill:#ffffff}"
                            ".frame{stroke:#f0f6fc}}\n";

static const double left = 150.0;
static const double top = 88.0;
static const double cell_width = 80.0;
static const double cell_height = 36.0;
static const double section_height = 26.0;

/* The scale: from good at 0.01 % (or 0.001 ms) to bad at 100 % (10 ms): four decades. */
static const double decades = 4.0;

typedef struct map {
    svg drawing;
    const lab_plan *plan;
    const lab_outcome *outcome;
    const figure *colour;
    const figure *beside; /* NULL: none */
    double least;         /* the good end of the scale */
    bool percent;
} map;

/* --- colour ----------------------------------------------------------------------------------- */

static unsigned mix(unsigned from, unsigned to, double share)
{
    unsigned mixed = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        double a = (double)(from >> shift & 0xFF);
        double b = (double)(to >> shift & 0xFF);
        mixed |= (unsigned)(a + (b - a) * share + 0.5) << shift;
    }
    return mixed;
}

/* 0: good, 1: bad. */
static unsigned colour_at(double place)
{
    static const unsigned stops[] = {0x1f5f9e, 0x6ea9d4, 0xf2ead8, 0xf2a44b, 0xb03a0e};
    double at = place < 0.0 ? 0.0 : place > 1.0 ? 4.0 : place * 4.0;
    int stop = at >= 4.0 ? 3 : (int)at;
    return mix(stops[stop], stops[stop + 1], at - stop);
}

static double place_of(const map *m, double value)
{
    double size = fabs(value);
    return size <= m->least ? 0.0 : log10(size / m->least) / decades;
}

static const char *ink_on(double place)
{
    return place < 0.12 || place > 0.93 ? "lt" : "dk";
}

/* --- cells ------------------------------------------------------------------------------------ */

static void put_cell(map *m, size_t loop, size_t scenario, double y)
{
    char text[32];
    char classes[32];
    double x = left + cell_width * (double)scenario;
    if (lab_outcome_at(m->outcome, loop, scenario)->runs == 0) {
        svg_text(&m->drawing, "faint middle", x + cell_width / 2.0, y + 22.0, "-");
        return;
    }
    double place = place_of(m, lab_value(m->outcome, m->colour, loop, scenario));
    svg_tile(&m->drawing, colour_at(place), x, y, cell_width - 2.0, cell_height - 2.0);
    bool is_best = lab_is_best(m->outcome, m->colour, loop, scenario);
    if (is_best) {
        svg_rect(&m->drawing, "frame", x + 1.5, y + 1.5, cell_width - 5.0, cell_height - 5.0);
    }
    double middle = x + cell_width / 2.0 - 1.0;
    lab_format(m->outcome, m->colour, loop, scenario, text, sizeof text);
    snprintf(classes, sizeof classes, "num middle %s%s", ink_on(place), is_best ? " best" : "");
    svg_text(&m->drawing, classes, middle, y + (m->beside != NULL ? 16.0 : 22.0), "%s", text);
    if (m->beside != NULL) {
        lab_format(m->outcome, m->beside, loop, scenario, text, sizeof text);
        snprintf(classes, sizeof classes, "sub middle %s", ink_on(place));
        svg_text(&m->drawing, classes, middle, y + 29.0, "%s %s %s", m->beside->heading, text,
                figure_unit_name(m->beside, m->percent));
    }
}

static double put_rows(map *m)
{
    double y = top;
    for (int kind = LAB_LOOP_OURS; kind <= LAB_LOOP_REFERENCE; ++kind) {
        bool titled = false;
        for (size_t loop = 0; loop < m->plan->loops.count; ++loop) {
            const lab_loop *item = m->plan->loops.items[loop];
            if ((int)item->kind != kind) {
                continue;
            }
            if (!titled) {
                svg_text(&m->drawing, "small bold soft", 16.0, y + section_height - 9.0, "%s",
                        choice_kind_name(item->kind));
                y += section_height;
                titled = true;
            }
            svg_text(&m->drawing, "end", left - 10.0, y + 21.0, "%s", item->name);
            for (size_t scenario = 0; scenario < m->plan->scenarios.count; ++scenario) {
                put_cell(m, loop, scenario, y);
            }
            y += cell_height;
        }
    }
    return y;
}

/* --- around them ------------------------------------------------------------------------------ */

static double height_of(const lab_plan *plan)
{
    bool kinds[3] = {false, false, false};
    double height = top + cell_height * (double)plan->loops.count + 70.0;
    for (size_t i = 0; i < plan->loops.count; ++i) {
        kinds[plan->loops.items[i]->kind] = true;
    }
    return height + section_height * (double)(kinds[0] + kinds[1] + kinds[2]);
}

static void put_legend(map *m, double y)
{
    enum { STEPS = 80 };
    const double width = 320.0;
    const char *unit = figure_unit_name(m->colour, m->percent);
    for (int i = 0; i < STEPS; ++i) {
        svg_tile(&m->drawing, colour_at(((double)i + 0.5) / STEPS),
                left + width * (double)i / STEPS, y, width / STEPS + 0.3, 12.0);
    }
    for (int i = 0; i <= (int)decades; ++i) {
        double x = left + width * (double)i / decades;
        svg_text(&m->drawing, "small soft middle", x, y + 26.0, "%g %s",
                m->least * pow(10.0, (double)i), unit);
    }
    svg_text(&m->drawing, "small soft", left + width + 30.0, y + 10.0,
            "framed: best of ours and peers on one core");
    svg_text(&m->drawing, "small soft", left + width + 30.0, y + 26.0,
            "references know what no program can know");
}

static void put_head(map *m)
{
    bool of_refresh = m->percent && m->colour->unit == FIGURE_ERROR;
    lab_draw_head(&m->drawing, m->plan, m->colour, of_refresh ? " of the refresh period" : "");
    if (m->beside != NULL) {
        svg_text(&m->drawing, "small soft", 16.0, 65.0, "below each: %s, in %s", m->beside->title,
                figure_unit_name(m->beside, m->percent));
    }
    for (size_t i = 0; i < m->plan->scenarios.count; ++i) {
        svg_text(&m->drawing, "middle", left + cell_width * ((double)i + 0.5) - 1.0, top + 14.0,
                "%s", m->plan->scenarios.items[i].name);
    }
}

bool lab_draw_map(const void *user, const char *path)
{
    const lab_outcome *outcome = user;
    const lab_plan *plan = outcome->plan;
    map m = {.plan = plan, .outcome = outcome, .percent = !plan->in_ms};
    m.colour = plan->figures.items[0];
    m.beside = plan->figures.count > 1 ? plan->figures.items[1] : NULL;
    bool in_percent = m.percent && m.colour->unit == FIGURE_ERROR;
    m.least = in_percent ? 0.01 : m.colour->unit == FIGURE_ERROR ? 0.001 : 0.01;
    double width = left + cell_width * (double)plan->scenarios.count + 20.0;
    width = width < 720.0 ? 720.0 : width;
    if (!svg_open(&m.drawing, path, width, height_of(plan), "evenstep lab", style)) {
        return false;
    }
    put_head(&m);
    put_legend(&m, put_rows(&m) + 22.0);
    return svg_close(&m.drawing);
}
