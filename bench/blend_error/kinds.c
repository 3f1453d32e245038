/* SPDX-License-Identifier: Zlib
 *
 * A drawing of the kinds: curves through the same six ticks, a scale by a constant ratio, and
 * colours as light. Every point is the library's.
 */
#include "evenstep/world.h"

#include "blend.h"

#include "svg.h"

#include "world/value_parts.h"

static const char style[] =
        ".limit{stroke:#c3cad1;stroke-width:1;stroke-dasharray:2 3}\n"
        ".chord{stroke:#b6bec7;stroke-width:1.2;fill:none}"
        ".curve{stroke:#1f5f9e;stroke-width:2.2;fill:none}"
        ".other{stroke:#d4700f;stroke-width:2.2;fill:none}\n"
        ".slope{stroke:#d4700f;stroke-width:1.6}.at{fill:#ffffff;stroke:#1f2328;stroke-width:1.4}"
        ".block{fill:#1f5f9e;opacity:0.8}.plain{fill:#d4700f;opacity:0.8}\n"
        "@media (prefers-color-scheme:dark){.limit{stroke:#444c56}"
        ".chord{stroke:#545d68}.curve{stroke:#79b8ff}.other{stroke:#f0a24a}.slope{stroke:#f0a24a}"
        ".at{fill:#0d1117;stroke:#e6edf3}.block{fill:#79b8ff}.plain{fill:#f0a24a}}\n";

enum { TICKS = 6, STEPS = 60, BLOCKS = 9, SHADES = 94 };

static const double left = 28.0;
static const double pane_width = 236.0;
static const double pane_height = 190.0;
static const double pane_gap = 16.0;
static const double panes_top = 92.0;
static const double second_top = 356.0;

/* A value and its speed per tick. */
typedef struct sample {
    double value;
    double speed;
} sample;

static const sample samples[TICKS] = {
        {0.05, 0}, {0, 0}, {0.2, 0.8}, {1, 0.1}, {0.95, -0.1}, {0.5, -0.5}};

/* --- curves ----------------------------------------------------------------------------------- */

/* The value of a field of this kind, some ticks after the first. */
static double shown_at(es_blend_kind kind, double ticks)
{
    es_field fields[] = {
            ES_FIELD(sample, value, ES_BLEND_LINEAR), ES_FIELD(sample, speed, ES_BLEND_STEP)};
    es_layout layout = ES_LAYOUT(sample, fields);
    es_blend_tick newest_first[TICKS];
    sample out = {0, 0};
    for (int i = 0; i < TICKS; ++i) {
        newest_first[i].state = &samples[TICKS - 1 - i];
        newest_first[i].time_ns = (TICKS - 1 - i) * ES_NS_PER_S; /* so speeds are per tick */
    }
    fields[0].blend = kind;
    fields[0].velocity = kind == ES_BLEND_HERMITE ? "speed" : NULL;
    es_blend_job job = {.layout = &layout,
            .ticks = newest_first,
            .tick_count = TICKS,
            .out = &out,
            .timed = true,
            .content_ns = (int64_t)(ticks * 1e9)};
    es__blend_run(&job, NULL);
    return out.value;
}

static double x_of(double x, double ticks)
{
    return x + 14 + (pane_width - 28) * ticks / (TICKS - 1);
}

static double y_of(double value)
{
    return panes_top + pane_height * (1 - (value + 0.25) / 1.5);
}

static void put_curve(svg *drawing, const char *colour, es_blend_kind kind, double x)
{
    svg_path_begin(drawing, colour);
    svg_point(drawing, x_of(x, 0), y_of(samples[0].value));
    for (int i = 1; i <= (TICKS - 1) * STEPS; ++i) {
        double ticks = (double)i / STEPS;
        svg_point(drawing, x_of(x, ticks), y_of(shown_at(kind, ticks)));
    }
    svg_path_end(drawing);
}

static void put_pane(svg *drawing, es_blend_kind kind, const char *name, const char *says, double x)
{
    svg_text(drawing, "bold", x, panes_top - 24, "%s", name);
    svg_text(drawing, "small soft", x, panes_top - 8, "%s", says);
    svg_rect(drawing, "pane", x, panes_top, pane_width, pane_height);
    svg_line(drawing, "limit", x, y_of(0), x + pane_width, y_of(0));
    svg_line(drawing, "limit", x, y_of(1), x + pane_width, y_of(1));
    put_curve(drawing, "chord", ES_BLEND_LINEAR, x);
    for (int i = 0; i < TICKS && kind == ES_BLEND_HERMITE; ++i) {
        double value = samples[i].value, part = samples[i].speed * 0.3;
        svg_line(drawing, "slope", x_of(x, i - 0.3), y_of(value - part), x_of(x, i + 0.3),
                y_of(value + part));
    }
    put_curve(drawing, "curve", kind, x);
    for (int i = 0; i < TICKS; ++i) {
        svg_circle(drawing, "at", x_of(x, i), y_of(samples[i].value), 3.6);
    }
}

static void put_panes(svg *drawing)
{
    static const struct {
        es_blend_kind kind;
        const char *name, *says;
    } panes[] = {{ES_BLEND_LINEAR, "linear", "straight lines; a corner at every tick"},
            {ES_BLEND_HERMITE, "hermite", "with the velocities given (orange)"},
            {ES_BLEND_CATMULL_ROM, "catmull-rom", "through four ticks; it may overshoot"},
            {ES_BLEND_MONOTONE, "monotone", "through four ticks; it never does"}};
    for (size_t i = 0; i < sizeof panes / sizeof panes[0]; ++i) {
        put_pane(drawing, panes[i].kind, panes[i].name, panes[i].says,
                left + (pane_width + pane_gap) * (double)i);
    }
}

/* --- a scale ---------------------------------------------------------------------------------- */

/* From 1 to 16. Each block should be as much larger than the one before it. */
static void put_scale(svg *drawing, double x, double y)
{
    static const double unit = 3.4;
    svg_text(drawing, "bold", x, y, "scale 1 to 16");
    for (int row = 0; row < 2; ++row) {
        double foot = y + 92 + row * 84.0, at = x;
        svg_text(drawing, "small soft", x, foot - 62, "%s",
                row == 0 ? "linear: it shoots up, then stalls"
                         : "log: by the same factor in every step");
        for (int i = 0; i < BLOCKS; ++i) {
            double alpha = (double)i / (BLOCKS - 1);
            double size =
                    unit * (row == 0 ? es__lerp_f64(1, 16, alpha) : es__ratio_f64(1, 16, alpha));
            svg_rect(drawing, row == 0 ? "plain" : "block", at, foot - size, size, size);
            at += size + 5;
        }
    }
}

/* --- colours ---------------------------------------------------------------------------------- */

static unsigned colour_of(const unsigned char rgb[3])
{
    return (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | (unsigned)rgb[2];
}

static void put_ramp(svg *drawing, const unsigned char from[3], const unsigned char to[3],
        bool light, double x, double y)
{
    const double width = 470;
    for (int i = 0; i < SHADES; ++i) {
        double alpha = (double)i / (SHADES - 1);
        unsigned char mixed[3];
        es__srgb_u8(from, to, 3, alpha, mixed);
        for (int c = 0; c < 3 && !light; ++c) {
            mixed[c] = (unsigned char)(es__lerp_f64(from[c], to[c], alpha) + 0.5);
        }
        svg_tile(drawing, colour_of(mixed), x + width * i / SHADES, y, width / SHADES + 0.8, 22);
    }
}

static void put_colours(svg *drawing, double x, double y)
{
    static const unsigned char red[3] = {255, 0, 0}, green[3] = {0, 190, 60};
    static const unsigned char black[3] = {0, 0, 0}, white[3] = {255, 255, 255};
    svg_text(drawing, "bold", x, y, "colours in sRGB bytes");
    svg_text(drawing, "small soft", x, y + 20, "linear: the bytes mixed as numbers");
    put_ramp(drawing, red, green, false, x, y + 26);
    svg_text(drawing, "small soft", x, y + 64, "srgb: as light adds up, without the dark middle");
    put_ramp(drawing, red, green, true, x, y + 70);
    svg_text(drawing, "small soft", x, y + 112, "linear, and srgb: half way is 128, and 188");
    put_ramp(drawing, black, white, false, x, y + 118);
    put_ramp(drawing, black, white, true, x, y + 142);
}

/* ---------------------------------------------------------------------------------------------- */

int blend_kinds(const char *svg_path)
{
    svg drawing;
    if (!svg_open(&drawing, svg_path, left * 2 + (pane_width + pane_gap) * 4 - pane_gap, 552,
                "The kinds of blending", style)) {
        return tool_failed_to_write(BLEND_COMMAND, svg_path);
    }
    svg_text(&drawing, "big", left, 30, "The same six ticks, blended by kind");
    put_panes(&drawing);
    svg_text(&drawing, "big", left, 322, "Scales and colours");
    put_scale(&drawing, left, second_top);
    put_colours(&drawing, left + (pane_width + pane_gap) * 2, second_top);
    return svg_close(&drawing) ? TOOL_OK : tool_failed_to_write(BLEND_COMMAND, svg_path);
}
