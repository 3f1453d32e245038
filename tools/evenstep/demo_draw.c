/* SPDX-License-Identifier: Zlib */
#include "demo_draw.h"

#include <math.h>

#define TURN 6.283185307179586

/* --- colours ---------------------------------------------------------------------------------- */

/* 0xRRGGBB. Cool and dark at the back; what the eye is to follow is light, with hard edges. */
enum {
    SKY_TOP = 0x0d1220,
    SKY_LOW = 0x27324f,
    STAR_FAR = 0x5c6a8a,
    STAR_NEAR = 0xdfe7f7,
    SKYLINE = 0x222e50,
    HOUSE = 0x121829,
    HOUSE_LIT = 0xf2c572,
    GROUND = 0x0b0f19,
    STRIPE = 0xe8ebf2,
    POLE = 0xf4f5f8,
    POLE_BAND = 0xd9534f,
    STEEL = 0x9fb0cf,
    AMBER = 0xf5b84b,
    CYAN = 0x5fd3e8,
    RED = 0xf0645f,
    GREEN = 0x7fd18b,
    PANEL = 0x0a0e18,
    PANEL_EDGE = 0x34405e,
    TEXT = 0xe9edf6,
    TEXT_DIM = 0x94a1be,
    KEYCAP = 0x28334e
};

static const int ball_colours[] = {0x5fd3e8, 0xf5b84b, 0x9d8df1, 0x7fd18b, 0xf0837f, 0xe9edf6};

static void set_colour_alpha(cairo_t *cr, int rgb, double alpha)
{
    cairo_set_source_rgba(cr, (double)(rgb >> 16 & 255) / 255.0, (double)(rgb >> 8 & 255) / 255.0,
            (double)(rgb & 255) / 255.0, alpha);
}

static void set_colour(cairo_t *cr, int rgb)
{
    set_colour_alpha(cr, rgb, 1.0);
}

static void fill(cairo_t *cr, int rgb)
{
    set_colour(cr, rgb);
    cairo_fill(cr);
}

/* --- the canvas ------------------------------------------------------------------------------- */

static void draw_sky(cairo_t *cr)
{
    cairo_pattern_t *sky = cairo_pattern_create_linear(0, 0, 0, DEMO_GROUND);
    cairo_pattern_add_color_stop_rgb(sky, 0, (SKY_TOP >> 16 & 255) / 255.0,
            (SKY_TOP >> 8 & 255) / 255.0, (SKY_TOP & 255) / 255.0);
    cairo_pattern_add_color_stop_rgb(sky, 1, (SKY_LOW >> 16 & 255) / 255.0,
            (SKY_LOW >> 8 & 255) / 255.0, (SKY_LOW & 255) / 255.0);
    cairo_set_source(cr, sky);
    cairo_paint(cr);
    cairo_pattern_destroy(sky);
    cairo_rectangle(cr, 0, DEMO_GROUND, DEMO_WIDTH, DEMO_HEIGHT - DEMO_GROUND);
    fill(cr, GROUND);
}

/* World coordinates from here on; nothing is drawn outside the world. */
static void use_world(cairo_t *cr, demo_fit fit)
{
    cairo_identity_matrix(cr);
    cairo_translate(cr, fit.x, fit.y);
    cairo_scale(cr, fit.scale, fit.scale);
    cairo_rectangle(cr, 0, 0, DEMO_WIDTH, fit.seen_height);
    cairo_clip(cr);
}

static void render_sky(demo_canvas *canvas)
{
    cairo_t *cr = cairo_create(canvas->sky);
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_paint(cr);
    use_world(cr, canvas->fit);
    draw_sky(cr);
    cairo_destroy(cr);
}

void demo_canvas_finish(demo_canvas *canvas)
{
    cairo_destroy(canvas->cairo);
    cairo_surface_destroy(canvas->sky);
    cairo_surface_destroy(canvas->image);
    *canvas = (demo_canvas){0};
}

bool demo_canvas_resize(demo_canvas *canvas, demo_fit fit)
{
    const demo_fit *old = &canvas->fit;
    if (canvas->cairo != NULL && old->width == fit.width && old->height == fit.height) {
        return true;
    }
    demo_canvas_finish(canvas);
    canvas->fit = fit;
    canvas->image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, fit.width, fit.height);
    canvas->sky = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, fit.width, fit.height);
    canvas->cairo = cairo_create(canvas->image);
    render_sky(canvas);
    use_world(canvas->cairo, canvas->fit);
    return cairo_status(canvas->cairo) == CAIRO_STATUS_SUCCESS
           && cairo_surface_status(canvas->sky) == CAIRO_STATUS_SUCCESS;
}

void demo_draw_flush(demo_canvas *canvas)
{
    cairo_surface_flush(canvas->image);
}

/* --- the world -------------------------------------------------------------------------------- */

/* One layer of the street: things `spacing` apart that pass at `speed` times the camera's. */
typedef struct street {
    double x; /* where the first visible thing is */
    double spacing;
    int64_t index; /* and which one it is: the street has no end and never repeats */
} street;

static street street_at(double scroll_x, double speed, double spacing)
{
    double along = scroll_x * speed;
    double first = floor(along / spacing) - 1.0; /* one more: things are wider than their place */
    return (street){.x = first * spacing - along, .spacing = spacing, .index = (int64_t)first};
}

static void street_next(street *at)
{
    at->x += at->spacing;
    ++at->index;
}

/* A number that belongs to a thing, the same whenever it is drawn: MurmurHash3's finaliser. */
static uint32_t thing_hash(int64_t index, uint32_t salt)
{
    uint32_t h = (uint32_t)index * 0x9e3779b1u + salt;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static double star_x(const demo_star *star)
{
    const double span = DEMO_WIDTH + 8.0;
    return DEMO_WIDTH + 4.0 - (star->x - span * floor(star->x / span));
}

static void draw_stars(cairo_t *cr, const demo_scene *scene, double from_depth, int rgb)
{
    for (int i = 0; i < DEMO_STARS; ++i) {
        const demo_star *star = &scene->stars[i];
        double depth = (double)star->depth;
        if (depth >= from_depth && depth < from_depth + 0.5) {
            double size = 1.0 + 1.4 * depth;
            cairo_rectangle(cr, star_x(star), (double)star->y, size, size);
        }
    }
    fill(cr, rgb);
}

static void draw_skyline(cairo_t *cr, double scroll_x)
{
    for (street at = street_at(scroll_x, 0.15, 64); at.x < DEMO_WIDTH; street_next(&at)) {
        double height = 70.0 + thing_hash(at.index, 1) % 110;
        cairo_rectangle(cr, at.x, DEMO_GROUND - height, 56, height);
    }
    fill(cr, SKYLINE);
}

static double house_height(int64_t index)
{
    return 62.0 + 22.0 * (thing_hash(index, 2) % 4);
}

static void house_windows(cairo_t *cr, double x, int64_t index)
{
    uint32_t lit = thing_hash(index, 3);
    int floors = (int)((house_height(index) - 14.0) / 22.0);
    for (int i = 0; i < floors * 4; ++i) {
        if (lit >> i % 32 & 1u) {
            double left = x + 14.0 + 24.0 * (i % 4);
            double top = DEMO_GROUND - house_height(index) + 12.0 + 22.0 * (double)(i / 4);
            cairo_rectangle(cr, left, top, 12, 12);
        }
    }
}

static void draw_houses(cairo_t *cr, double scroll_x)
{
    const double speed = 0.5;
    const double spacing = 156;
    for (street at = street_at(scroll_x, speed, spacing); at.x < DEMO_WIDTH; street_next(&at)) {
        cairo_rectangle(
                cr, at.x, DEMO_GROUND - house_height(at.index), 112, house_height(at.index));
    }
    fill(cr, HOUSE);
    for (street at = street_at(scroll_x, speed, spacing); at.x < DEMO_WIDTH; street_next(&at)) {
        house_windows(cr, at.x, at.index);
    }
    fill(cr, HOUSE_LIT);
}

/* The fastest layer, at the full 600 units per second: white against dark, edges upright. */
static void draw_street(cairo_t *cr, double scroll_x)
{
    for (street at = street_at(scroll_x, 1, 80); at.x < DEMO_WIDTH; street_next(&at)) {
        cairo_rectangle(cr, at.x, DEMO_GROUND, 40, 12);
    }
    fill(cr, STRIPE);
    for (street at = street_at(scroll_x, 1, 240); at.x < DEMO_WIDTH; street_next(&at)) {
        cairo_rectangle(cr, at.x, DEMO_GROUND - 100, 12, 148);
    }
    fill(cr, POLE);
    for (street at = street_at(scroll_x, 1, 240); at.x < DEMO_WIDTH; street_next(&at)) {
        cairo_rectangle(cr, at.x, DEMO_GROUND - 74, 12, 24);
        cairo_rectangle(cr, at.x, DEMO_GROUND - 26, 12, 24);
    }
    fill(cr, POLE_BAND);
}

static void wheel_spokes(cairo_t *cr, double angle, int first, int step)
{
    for (int i = first; i < 12; i += step) {
        double turned = angle + TURN * i / 12.0;
        cairo_move_to(cr, 14.0 * cos(turned), 14.0 * sin(turned));
        cairo_line_to(cr, 112.0 * cos(turned), 112.0 * sin(turned));
    }
    cairo_stroke(cr);
}

static void wheel_stand(cairo_t *cr)
{
    cairo_move_to(cr, -52, DEMO_GROUND - 190);
    cairo_line_to(cr, 0, 0);
    cairo_line_to(cr, 52, DEMO_GROUND - 190);
    cairo_set_line_width(cr, 7);
    set_colour(cr, KEYCAP);
    cairo_stroke(cr);
}

static void wheel_rims(cairo_t *cr)
{
    cairo_set_line_width(cr, 4);
    cairo_arc(cr, 0, 0, 112, 0, TURN);
    cairo_stroke(cr);
    cairo_set_line_width(cr, 2);
    cairo_arc(cr, 0, 0, 78, 0, TURN);
    cairo_stroke(cr);
}

static void draw_wheel(cairo_t *cr, double angle)
{
    cairo_save(cr);
    cairo_translate(cr, 190, 190);
    wheel_stand(cr);
    set_colour(cr, STEEL);
    wheel_rims(cr);
    wheel_spokes(cr, angle, 1, 1);
    set_colour(cr, AMBER); /* one spoke to follow */
    cairo_set_line_width(cr, 7);
    wheel_spokes(cr, angle, 0, 12);
    for (int i = 0; i < 12; ++i) {
        double turned = angle + TURN * i / 12.0;
        cairo_rectangle(cr, 112.0 * cos(turned) - 7, 112.0 * sin(turned) - 3, 14, 14);
    }
    fill(cr, CYAN);
    cairo_arc(cr, 0, 0, 14, 0, TURN);
    fill(cr, STEEL);
    cairo_restore(cr);
}

static void draw_ball(cairo_t *cr, const demo_ball *ball)
{
    int rgb = ball_colours[ball->bounces % (sizeof ball_colours / sizeof ball_colours[0])];
    cairo_arc(cr, (double)ball->x, (double)ball->y, (double)ball->radius, 0, TURN);
    set_colour(cr, rgb);
    cairo_fill_preserve(cr);
    set_colour_alpha(cr, 0xffffff, 0.75 * (double)ball->glow);
    cairo_fill(cr);
}

/* The ring has been eased by ticks; the crosshair is where the pointer is now. */
static void draw_marker(cairo_t *cr, const demo_scene *scene, demo_point pointer)
{
    cairo_set_line_width(cr, 4);
    cairo_arc(cr, scene->marker_x, scene->marker_y, 17, 0, TURN);
    set_colour(cr, CYAN);
    cairo_stroke(cr);
    cairo_rectangle(cr, pointer.x - 13, pointer.y - 0.75, 26, 1.5);
    cairo_rectangle(cr, pointer.x - 0.75, pointer.y - 13, 1.5, 26);
    fill(cr, 0xffffff);
}

static void draw_backdrop(demo_canvas *canvas)
{
    cairo_save(canvas->cairo);
    cairo_reset_clip(canvas->cairo);
    cairo_identity_matrix(canvas->cairo);
    cairo_set_source_surface(canvas->cairo, canvas->sky, 0, 0);
    cairo_set_operator(canvas->cairo, CAIRO_OPERATOR_SOURCE);
    cairo_paint(canvas->cairo);
    cairo_restore(canvas->cairo);
}

void demo_draw_scene(demo_canvas *canvas, const demo_scene *scene, demo_point pointer)
{
    cairo_t *cr = canvas->cairo;
    draw_backdrop(canvas);
    draw_stars(cr, scene, 0.0, STAR_FAR);
    draw_stars(cr, scene, 0.5, STAR_NEAR);
    draw_skyline(cr, scene->scroll_x);
    draw_wheel(cr, scene->wheel_angle);
    draw_houses(cr, scene->scroll_x);
    for (int i = 0; i < DEMO_BALLS; ++i) {
        draw_ball(cr, &scene->balls[i]);
    }
    draw_street(cr, scene->scroll_x);
    draw_marker(cr, scene, pointer);
}

/* --- the overlay ------------------------------------------------------------------------------ */

enum {
    PANEL_X = 664,
    PANEL_Y = 12,
    PANEL_WIDTH = 284,
    ROW_HEIGHT = 19,
    GRAPH_HEIGHT = 64,
    BAND_Y = 460,
    KEY_COLUMNS = 6
};

#define BAR_WIDTH ((PANEL_WIDTH - 24.0) / DEMO_HUD_BARS)

static void set_font(cairo_t *cr, double size, bool bold)
{
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
            bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

static double text_width(cairo_t *cr, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

static void put_text(cairo_t *cr, double x, double y, int rgb, const char *text)
{
    set_colour(cr, rgb);
    cairo_move_to(cr, x, y);
    cairo_show_text(cr, text);
}

static void rounded_rectangle(cairo_t *cr, double x, double y, double width, double height)
{
    const double radius = 5.0;
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + width - radius, y + radius, radius, -TURN / 4, 0);
    cairo_arc(cr, x + width - radius, y + height - radius, radius, 0, TURN / 4);
    cairo_arc(cr, x + radius, y + height - radius, radius, TURN / 4, TURN / 2);
    cairo_arc(cr, x + radius, y + radius, radius, TURN / 2, 3 * TURN / 4);
    cairo_close_path(cr);
}

static void draw_panel(cairo_t *cr, double x, double y, double width, double height)
{
    rounded_rectangle(cr, x, y, width, height);
    set_colour_alpha(cr, PANEL, 0.92);
    cairo_fill_preserve(cr);
    set_colour(cr, PANEL_EDGE);
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
}

static void draw_figures(cairo_t *cr, const demo_hud *hud)
{
    set_font(cr, 11.5, false);
    for (int i = 0; i < DEMO_HUD_FIGURES; ++i) {
        const demo_hud_line *line = &hud->figures[i];
        double y = PANEL_Y + 22.0 + ROW_HEIGHT * i;
        put_text(cr, PANEL_X + 12, y, TEXT_DIM, line->label);
        put_text(cr, PANEL_X + PANEL_WIDTH - 12 - text_width(cr, line->value), y,
                line->accent ? AMBER : TEXT, line->value);
    }
}

static int bar_colour(double interval_ms, double intended_ms)
{
    if (interval_ms > 1.5 * intended_ms) {
        return RED;
    }
    return interval_ms > 1.1 * intended_ms || interval_ms < 0.9 * intended_ms ? AMBER : GREEN;
}

static double bar_x(const demo_hud *hud, size_t i)
{
    return PANEL_X + PANEL_WIDTH - 12 - BAR_WIDTH * (double)(hud->bar_count - i);
}

/* The bars of one colour are one path: a path per bar would take longer than the whole scene. */
static void draw_bars(cairo_t *cr, const demo_hud *hud, int rgb, double base_y, double per_ms)
{
    for (size_t i = 0; i < hud->bar_count; ++i) {
        if (bar_colour(hud->bars[i].interval_ms, hud->bars[i].intended_ms) == rgb) {
            double height = fmin(hud->bars[i].interval_ms * per_ms, GRAPH_HEIGHT);
            cairo_rectangle(cr, bar_x(hud, i), base_y - height, BAR_WIDTH - 0.5, height);
        }
    }
    fill(cr, rgb);
}

static void draw_intended(cairo_t *cr, const demo_hud *hud, double base_y, double per_ms)
{
    for (size_t i = 0; i < hud->bar_count; ++i) {
        double height = hud->bars[i].intended_ms * per_ms;
        cairo_rectangle(cr, bar_x(hud, i), base_y - height - 0.5, BAR_WIDTH, 1);
    }
    fill(cr, TEXT);
}

static void draw_graph(cairo_t *cr, const demo_hud *hud, double base_y)
{
    double intended_ms_max = 1.0;
    for (size_t i = 0; i < hud->bar_count; ++i) {
        intended_ms_max = fmax(intended_ms_max, hud->bars[i].intended_ms);
    }
    double per_ms = GRAPH_HEIGHT / (1.8 * intended_ms_max); /* leaves room for what is late */
    draw_bars(cr, hud, GREEN, base_y, per_ms);
    draw_bars(cr, hud, AMBER, base_y, per_ms);
    draw_bars(cr, hud, RED, base_y, per_ms);
    draw_intended(cr, hud, base_y, per_ms);
    set_font(cr, 9.5, false);
    put_text(cr, PANEL_X + 12, base_y + 13, TEXT_DIM, "frame intervals, and as intended (line)");
}

static void draw_alpha(cairo_t *cr, double alpha, double y)
{
    cairo_rectangle(cr, PANEL_X + 12, y, PANEL_WIDTH - 24, 3);
    fill(cr, KEYCAP);
    cairo_rectangle(cr, PANEL_X + 12, y, (PANEL_WIDTH - 24) * alpha, 3);
    fill(cr, CYAN);
}

static void draw_key(cairo_t *cr, const demo_hud_line *line, double x, double y)
{
    set_font(cr, 11.5, true);
    double cap_width = fmax(text_width(cr, line->key) + 12, 24);
    rounded_rectangle(cr, x, y, cap_width, 22);
    fill(cr, KEYCAP);
    put_text(cr, x + (cap_width - text_width(cr, line->key)) / 2, y + 15, TEXT, line->key);
    set_font(cr, 10.5, false);
    put_text(cr, x + cap_width + 8, y + 9, TEXT_DIM, line->label);
    set_font(cr, 11.5, true);
    put_text(cr, x + cap_width + 8, y + 22, line->accent ? AMBER : TEXT, line->value);
}

static void draw_keys(cairo_t *cr, const demo_hud *hud)
{
    draw_panel(cr, 12, BAND_Y, DEMO_WIDTH - 24, DEMO_HEIGHT - BAND_Y - 8);
    for (int i = 0; i < DEMO_HUD_KEYS; ++i) {
        double column = i % KEY_COLUMNS;
        double row = i / KEY_COLUMNS;
        draw_key(cr, &hud->keys[i], 26 + 154 * column, BAND_Y + 9 + 32 * row);
    }
}

void demo_draw_hud(demo_canvas *canvas, const demo_hud *hud)
{
    cairo_t *cr = canvas->cairo;
    const double graph_y = PANEL_Y + 26.0 + ROW_HEIGHT * DEMO_HUD_FIGURES + GRAPH_HEIGHT;
    draw_panel(cr, PANEL_X, PANEL_Y, PANEL_WIDTH, graph_y + 22 - PANEL_Y);
    draw_figures(cr, hud);
    draw_alpha(cr, hud->alpha, PANEL_Y + 12.0 + ROW_HEIGHT * DEMO_HUD_FIGURES);
    draw_graph(cr, hud, graph_y);
    draw_keys(cr, hud);
}
