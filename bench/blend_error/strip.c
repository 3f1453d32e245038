/* SPDX-License-Identifier: Zlib
 *
 * The strip: where the object is in every frame, in one drawing, as under a
 * stroboscope. Even motion is an even row of dots.
 */
#include "blend.h"

#include "svg.h"

static const char style[] =
        ".pane{fill:#f6f8fa}.path{stroke:#c3cad1;stroke-width:1.2;fill:none}\n"
        ".dot{fill:#1f5f9e;opacity:0.55}.at{fill:none;stroke:#f08a24;stroke-width:1.6}\n"
        "@media (prefers-color-scheme:dark){.pane{fill:#161b22}.path{stroke:#444c56}"
        ".dot{fill:#79b8ff}}\n";

static const double left = 24.0;
static const double top = 96.0;
static const double strip_width = 960.0;
static const double height_max = 220.0;
static const double caption = 26.0;
static const double row_gap = 16.0;
static const double column_gap = 16.0;
static const double width_min = 240.0; /* of a caption */
static const double margin = 14.0;

typedef struct strip {
    svg drawing;
    const blend_results *results;
    const blend_setup *setup;
    /* of the motion */
    int64_t from_ns;
    int64_t until_ns;
    blend_vec low;
    blend_vec high;
    double scale; /* pixels per m */
    double width; /* of a pane */
    double height;
    size_t columns;
} strip;

static bool is_in_window(const strip *s, const blend_frame *frame)
{
    return frame->content_ns >= s->from_ns && frame->content_ns <= s->until_ns;
}

static void include(strip *s, blend_vec v)
{
    s->low.x = v.x < s->low.x ? v.x : s->low.x;
    s->low.y = v.y < s->low.y ? v.y : s->low.y;
    s->high.x = v.x > s->high.x ? v.x : s->high.x;
    s->high.y = v.y > s->high.y ? v.y : s->high.y;
}

/* One scale, at which all positions that any way shows fit. */
static void find_place(strip *s, size_t row)
{
    const blend_results *r = s->results;
    blend_window(s->setup, r->motions[row], &s->from_ns, &s->until_ns);
    s->low = s->high = r->motions[row]->truth(s->from_ns).at;
    for (size_t w = 0; w < r->way_count; ++w) {
        const blend_result *result = &r->items[row * r->way_count + w];
        for (size_t i = 0; i < result->frame_count; ++i) {
            if (is_in_window(s, &result->frames[i])) {
                include(s, result->frames[i].shown);
                include(s, result->frames[i].truth);
            }
        }
    }
    double wide = s->high.x - s->low.x, tall = s->high.y - s->low.y;
    double by_width = (strip_width - 2 * margin) / (wide > 0.1 ? wide : 0.1);
    double by_height = (height_max - 2 * margin) / (tall > 0.1 ? tall : 0.1);
    s->scale = by_width < by_height ? by_width : by_height;
    s->height = s->scale * tall + 2 * margin;
    s->width = s->scale * wide + 2 * margin;
    s->width = s->width < width_min ? width_min : s->width;
    s->columns = (size_t)((strip_width + column_gap) / (s->width + column_gap));
    s->columns = s->columns < 1 ? 1 : s->columns > r->way_count ? r->way_count : s->columns;
    s->width = (strip_width + column_gap) / (double)s->columns - column_gap;
}

static double x_of(const strip *s, double x, blend_vec v)
{
    double spare = s->width - 2 * margin - (s->high.x - s->low.x) * s->scale;
    return x + margin + spare / 2 + (v.x - s->low.x) * s->scale;
}

static double y_of(const strip *s, double y, blend_vec v)
{
    return y + margin + (s->high.y - v.y) * s->scale;
}

static void put_path(strip *s, const blend_result *result, double x, double y)
{
    svg_path_begin(&s->drawing, "path");
    for (size_t i = 0; i < result->frame_count; ++i) {
        const blend_frame *frame = &result->frames[i];
        if (is_in_window(s, frame)) {
            svg_point(&s->drawing, x_of(s, x, frame->truth), y_of(s, y, frame->truth));
        }
    }
    svg_path_end(&s->drawing);
}

static void put_strip(strip *s, const blend_result *result, double x, double y)
{
    char jump[32];
    blend_format_length(jump, sizeof jump, result->jump);
    svg_text(&s->drawing, "bold", x, y + 14, "%s", result->way->name);
    if (s->columns == 1) {
        svg_text(&s->drawing, "soft", x + 170, y + 14, "%s", result->way->title);
    }
    svg_text(&s->drawing, "small soft end", x + s->width, y + 14, "%s %s",
            s->columns == 1 ? "largest jump between two frames:" : "jump", jump);
    y += caption;
    svg_rect(&s->drawing, "pane", x, y, s->width, s->height);
    svg_clip_begin(&s->drawing, x, y, s->width, s->height);
    put_path(s, result, x, y);
    int64_t period_ns = es_rate_period_ns(s->setup->tick_rate);
    for (int64_t i = s->from_ns / period_ns; i * period_ns <= s->until_ns; ++i) {
        blend_vec at = result->motion->truth(i * period_ns).at;
        svg_circle(&s->drawing, "at", x_of(s, x, at), y_of(s, y, at), 7.5);
    }
    for (size_t i = 0; i < result->frame_count; ++i) {
        if (is_in_window(s, &result->frames[i])) {
            blend_vec at = result->frames[i].shown;
            svg_circle(&s->drawing, "dot", x_of(s, x, at), y_of(s, y, at), 4);
        }
    }
    svg_clip_end(&s->drawing);
}

static double motion_height(const strip *s)
{
    size_t rows = (s->results->way_count + s->columns - 1) / s->columns;
    return 30 + (caption + s->height + row_gap) * (double)rows;
}

static void put_head(strip *s, const char *title)
{
    svg_text(&s->drawing, "big", left, 30, "Where the object is in each frame");
    svg_text(&s->drawing, "small soft", left, 48, "%s", title);
    svg_circle(&s->drawing, "dot", left + 6, 68, 4);
    svg_text(&s->drawing, "small", left + 18, 72, "a frame (darker: several at one place)");
    svg_circle(&s->drawing, "at", left + 256, 68, 7.5);
    svg_text(&s->drawing, "small", left + 270, 72, "the simulation's ticks");
    svg_line(&s->drawing, "path", left + 410, 68, left + 432, 68);
    svg_text(&s->drawing, "small", left + 438, 72, "the true path");
}

bool blend_draw_strip(
        const blend_results *results, const blend_setup *setup, const char *title, const char *path)
{
    strip s = {.results = results, .setup = setup};
    double height = top;
    for (size_t row = 0; row < results->motion_count; ++row) {
        find_place(&s, row);
        height += motion_height(&s);
    }
    if (!svg_open(&s.drawing, path, left * 2 + strip_width, height,
                "Where an object is in each frame", style)) {
        return false;
    }
    put_head(&s, title);
    double y = top;
    for (size_t row = 0; row < results->motion_count; ++row) {
        find_place(&s, row);
        svg_text(&s.drawing, "bold", left, y + 14, "%s", results->motions[row]->name);
        svg_text(&s.drawing, "soft", left + 78, y + 14, "%s", results->motions[row]->title);
        for (size_t w = 0; w < results->way_count; ++w) {
            put_strip(&s, &results->items[row * results->way_count + w],
                    left + (s.width + column_gap) * (double)(w % s.columns),
                    y + 30 + (caption + s.height + row_gap) * (double)(w / s.columns));
        }
        y += motion_height(&s);
    }
    return svg_close(&s.drawing);
}
