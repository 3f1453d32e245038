/* SPDX-License-Identifier: Zlib */
#include "demo_draw.h"

#include "demo_draw_live.h"

#include <math.h>
#include <stdio.h>

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
    PINK = 0xff8ad4,
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

/* The exact circles: one, or both where it jumps. */
static void draw_circles(cairo_t *cr, const demo_jumper *jumper)
{
    bool jumps = jumper->jump != DEMO_JUMP_OFF;
    for (int32_t place = 0; place < 2; ++place) {
        if (jumps || jumper->place == place) {
            double x = place == 0 ? DEMO_JUMPER_LEFT : DEMO_JUMPER_RIGHT;
            cairo_new_sub_path(cr);
            cairo_arc(cr, x, 0, DEMO_JUMPER_REACH, 0, TURN);
        }
    }
    set_colour_alpha(cr, TEXT_DIM, 0.75);
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
}

static void add_dot(cairo_t *cr, demo_point at, double radius)
{
    cairo_new_sub_path(cr);
    cairo_arc(cr, at.x, at.y, radius, 0, TURN);
}

/* On its way between its places: neither near one circle nor near the other. Predictions are no
 * circles either, but come closer. */
static bool is_astray(const demo_jumper *jumper, demo_point at)
{
    const double near = 20.0;
    double left = hypot(at.x - DEMO_JUMPER_LEFT, at.y) - DEMO_JUMPER_REACH;
    double right = hypot(at.x - DEMO_JUMPER_RIGHT, at.y) - DEMO_JUMPER_REACH;
    return jumper->jump == DEMO_JUMP_UNMARKED && fabs(left) > near && fabs(right) > near;
}

/* Dots that fade with age; those on a streak stay, in red. */
static void draw_ghosts(cairo_t *cr, const demo_jumper *jumper, const demo_trail *trail)
{
    const int shades = 6;
    const int each = DEMO_GHOSTS / shades;
    for (int shade = 0; shade < shades; ++shade) {
        for (int i = shade * each; i < (shade + 1) * each && i < trail->ghost_count; ++i) {
            if (!is_astray(jumper, trail->ghosts[i])) {
                add_dot(cr, trail->ghosts[i], 2.4);
            }
        }
        set_colour_alpha(cr, PINK, 1.0 - 0.13 * shade);
        cairo_fill(cr);
    }
    for (int i = 0; i < trail->ghost_count; ++i) {
        if (is_astray(jumper, trail->ghosts[i])) {
            add_dot(cr, trail->ghosts[i], 3.6);
        }
    }
    fill(cr, RED);
}

static void draw_jumper(
        cairo_t *cr, const demo_jumper *jumper, const demo_trail *trail, double middle_y)
{
    const demo_point at = {jumper->at[0], jumper->at[1]};
    cairo_save(cr);
    cairo_translate(cr, 0, middle_y);
    draw_circles(cr, jumper);
    draw_ghosts(cr, jumper, trail);
    add_dot(cr, at, DEMO_JUMPER_RADIUS);
    set_colour(cr, is_astray(jumper, at) ? RED : PINK);
    cairo_fill_preserve(cr);
    set_colour(cr, TEXT);
    cairo_set_line_width(cr, 2);
    cairo_stroke(cr);
    cairo_restore(cr);
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

/* The sky, moved up by so many pixels: whole ones, or cairo would have to filter it. */
static void draw_backdrop(demo_canvas *canvas, double up)
{
    cairo_t *cr = canvas->cairo;
    cairo_save(cr);
    cairo_identity_matrix(cr);
    cairo_set_source_surface(cr, canvas->sky, 0, -floor(up));
    cairo_set_operator(cr, CAIRO_OPERATOR_SOURCE);
    cairo_paint(cr);
    cairo_restore(cr);
}

static void draw_things(
        cairo_t *cr, const demo_scene *scene, const demo_live *live, demo_point pointer)
{
    draw_stars(cr, scene, 0.0, STAR_FAR);
    draw_stars(cr, scene, 0.5, STAR_NEAR);
    draw_skyline(cr, scene->scroll_x);
    demo_draw_map(cr, &scene->map, live);
    draw_wheel(cr, scene->wheel_angle);
    draw_houses(cr, scene->scroll_x);
    for (int i = 0; i < DEMO_BALLS; ++i) {
        draw_ball(cr, &scene->balls[i]);
    }
    draw_street(cr, scene->scroll_x);
    demo_draw_flight(cr, live->flight);
    demo_draw_flashes(cr, scene, live->flash_ms);
    draw_marker(cr, scene, pointer);
}

enum { JUMPER_Y = 148, JUMPER_HALF_Y = 358 }; /* between wheel and panel; below a half's label */

void demo_draw_scene(demo_canvas *canvas, const demo_scene *scene, const demo_trail *trail,
        const demo_live *live, demo_point pointer)
{
    cairo_save(canvas->cairo);
    cairo_reset_clip(canvas->cairo); /* the margins of a window of another shape, too */
    draw_backdrop(canvas, 0.0);
    cairo_restore(canvas->cairo);
    draw_things(canvas->cairo, scene, live, pointer);
    draw_jumper(canvas->cairo, &scene->jumper, trail, JUMPER_Y);
}

static void draw_trail(cairo_t *cr, const demo_trail *trail)
{
    const double longest = 220; /* not as far as the next pole */
    for (int i = 0; i < trail->count; ++i) {
        if (trail->scroll_x[0] - trail->scroll_x[i] > longest) {
            break;
        }
        double y = DEMO_GROUND + 16.0 + 3.0 * i;
        for (street at = street_at(trail->scroll_x[i], 1, 240); at.x < DEMO_WIDTH;
                street_next(&at)) {
            cairo_rectangle(cr, at.x + 2, y, 8, 2);
        }
    }
    fill(cr, CYAN);
}

void demo_draw_half(demo_canvas *canvas, int half, const demo_scene *scene, const demo_trail *trail,
        const demo_live *live, demo_point pointer)
{
    cairo_t *cr = canvas->cairo;
    double up = half == 0 ? DEMO_HALF : 0; /* the lower half lies where it does in the world */
    cairo_save(cr);
    cairo_rectangle(cr, 0, DEMO_HALF - up, DEMO_WIDTH, half == 0 ? DEMO_HALF : DEMO_HEIGHT);
    cairo_clip(cr);
    draw_backdrop(canvas, up * canvas->fit.scale);
    cairo_translate(cr, 0, -up);
    draw_things(cr, scene, live, pointer);
    draw_trail(cr, trail);
    draw_jumper(cr, &scene->jumper, trail, JUMPER_HALF_Y);
    cairo_restore(cr);
    if (half > 0) {
        cairo_rectangle(cr, 0, DEMO_HALF - 1.5, DEMO_WIDTH, 3);
        fill(cr, TEXT_DIM);
    }
}

/* --- the overlay ------------------------------------------------------------------------------ */

enum {
    PANEL_X = 664,
    PANEL_Y = 12,
    PANEL_WIDTH = 284,
    ROWS_HEIGHT = 256, /* of all figures, at most ... */
    ROW_HEIGHT = 15,   /* ... and of each */
    GUTTER = 36,       /* left of a graph, for its scale */
    BAR_WIDTH = 2,
    GRAPH_WIDTH = BAR_WIDTH * DEMO_HUD_BARS,
    INTERVALS_HEIGHT = 36,
    ERRORS_HEIGHT = 36,
    CAPTION_HEIGHT = 16,
    STRIP_HEIGHT = 62, /* of the label of a half: there is only sky behind */
    STRIP_GRAPH = 46,
    BAND_Y = 460
};

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

static void put_text_right(cairo_t *cr, double right, double y, int rgb, const char *text)
{
    put_text(cr, right - text_width(cr, text), y, rgb, text);
}

/* Many figures stand closer. */
static double row_height(const demo_hud *hud)
{
    return fmin(ROW_HEIGHT, (double)ROWS_HEIGHT / hud->figure_count);
}

static void draw_figures(cairo_t *cr, const demo_hud *hud, double y)
{
    set_font(cr, row_height(hud) < 13.0 ? 10 : 11, false);
    for (int i = 0; i < hud->figure_count; ++i) {
        const demo_hud_line *line = &hud->figures[i];
        double row_y = y + row_height(hud) * i;
        put_text(cr, PANEL_X + 12, row_y, TEXT_DIM, line->label);
        put_text_right(
                cr, PANEL_X + PANEL_WIDTH - 12, row_y, line->accent ? AMBER : TEXT, line->value);
    }
}

/* --- graphs ----------------------------------------------------------------------------------- */

/* Where a graph lies: its zero line and its unit. */
typedef struct graph {
    double x, top, height;
    double base_y; /* of 0 */
    double per_ms; /* world units */
} graph;

static graph graph_make(double x, double top, double height, double scale_ms, bool is_signed)
{
    double reach = is_signed ? height / 2.0 : height; /* from 0 to the edge */
    return (graph){x, top, height, top + reach, scale_ms > 0.0 ? reach / scale_ms : 0.0};
}

/* The newest bar is at the right. */
static double bar_x(const graph *at, const demo_hud_side *side, size_t i)
{
    return at->x + GRAPH_WIDTH - BAR_WIDTH * (double)(side->bar_count - i);
}

/* A value's place, kept inside. */
static double value_y(const graph *at, double ms)
{
    return fmax(at->top, fmin(at->top + at->height, at->base_y - ms * at->per_ms));
}

static void draw_frame(cairo_t *cr, const graph *at)
{
    cairo_rectangle(cr, at->x, at->top, GRAPH_WIDTH, at->height);
    set_colour_alpha(cr, KEYCAP, 0.45);
    cairo_fill(cr);
}

static void draw_scale(cairo_t *cr, const graph *at, double ms, const char *format)
{
    char label[16];
    double y = value_y(at, ms);
    snprintf(label, sizeof label, format, ms);
    set_font(cr, 9.5, false);
    put_text_right(cr, at->x - 4, y + 3.5, TEXT_DIM, label);
    cairo_rectangle(cr, at->x - 2, y - 0.5, 2, 1);
    fill(cr, TEXT_DIM);
}

static int bar_colour(const demo_hud_bar *bar)
{
    double share = bar->intended_ms > 0.0 ? bar->interval_ms / bar->intended_ms : 1.0;
    if (share > 1.5) {
        return RED;
    }
    return share > 1.1 || share < 0.9 ? AMBER : GREEN;
}

/* The bars of one colour are one path: a path per bar would take longer than the whole scene. */
static void draw_bars(cairo_t *cr, const graph *at, const demo_hud_side *side, int rgb)
{
    for (size_t i = 0; i < side->bar_count; ++i) {
        if (bar_colour(&side->bars[i]) == rgb) {
            double y = value_y(at, side->bars[i].interval_ms);
            cairo_rectangle(cr, bar_x(at, side, i), y, BAR_WIDTH - 0.5, at->base_y - y);
        }
    }
    fill(cr, rgb);
}

static void draw_intended(cairo_t *cr, const graph *at, const demo_hud_side *side)
{
    for (size_t i = 0; i < side->bar_count; ++i) {
        if (side->bars[i].intended_ms > 0.0) {
            double y = value_y(at, side->bars[i].intended_ms);
            cairo_rectangle(cr, bar_x(at, side, i), y - 0.5, BAR_WIDTH, 1);
        }
    }
    fill(cr, TEXT);
}

static void draw_intervals(cairo_t *cr, const demo_hud *hud, double y)
{
    const demo_hud_side *side = &hud->sides[0];
    double scale_ms = hud->interval_scale_ms;
    graph at = graph_make(PANEL_X + GUTTER, y, INTERVALS_HEIGHT, scale_ms, false);
    draw_frame(cr, &at);
    draw_bars(cr, &at, side, GREEN);
    draw_bars(cr, &at, side, AMBER);
    draw_bars(cr, &at, side, RED);
    draw_intended(cr, &at, side);
    draw_scale(cr, &at, scale_ms, "%.0f");
    draw_scale(cr, &at, 0.0, "%.0f");
}

/* Signed, from the zero line: above it the animation moved too far, below not far enough. */
static void draw_errors(
        cairo_t *cr, const demo_hud_side *side, double scale_ms, double x, double y, double height)
{
    graph at = graph_make(x, y, height, scale_ms, true);
    draw_frame(cr, &at);
    for (size_t i = 0; i < side->bar_count; ++i) {
        double error_y = value_y(&at, side->bars[i].error_ms);
        cairo_rectangle(cr, bar_x(&at, side, i), error_y, BAR_WIDTH - 0.5, at.base_y - error_y);
    }
    fill(cr, CYAN);
    cairo_rectangle(cr, at.x, at.base_y - 0.5, GRAPH_WIDTH, 1);
    fill(cr, TEXT);
    draw_scale(cr, &at, scale_ms, "%+.0f");
    draw_scale(cr, &at, 0.0, "%.0f");
    draw_scale(cr, &at, -scale_ms, "%.0f");
}

static void put_caption(cairo_t *cr, double y, const char *text)
{
    set_font(cr, 9.5, false);
    put_text(cr, PANEL_X + GUTTER, y + 12, TEXT_DIM, text);
}

/* --- panels ----------------------------------------------------------------------------------- */

static void draw_key(cairo_t *cr, const demo_hud_line *line, double x, double y)
{
    double cap_width = -6; /* a setting without a key */
    if (line->label == NULL) {
        return;
    }
    if (line->key != NULL) {
        set_font(cr, 11, true);
        cap_width = fmax(text_width(cr, line->key) + 11, 22);
        rounded_rectangle(cr, x, y, cap_width, 22);
        fill(cr, KEYCAP);
        put_text(cr, x + (cap_width - text_width(cr, line->key)) / 2, y + 15, TEXT, line->key);
    }
    set_font(cr, 10, false);
    put_text(cr, x + cap_width + 6, y + 9, TEXT_DIM, line->label);
    set_font(cr, 11, true);
    put_text(cr, x + cap_width + 6, y + 22, line->accent ? AMBER : TEXT, line->value);
}

/* Two rows; a column is as wide as its words need. */
static void draw_keys(cairo_t *cr, const demo_hud *hud)
{
    static const double columns[DEMO_HUD_KEYS / 2] = {
            22, 118, 256, 376, 458, 552, 644, 710, 784, 850};
    draw_panel(cr, 12, BAND_Y, DEMO_WIDTH - 24, DEMO_HEIGHT - BAND_Y - 8);
    for (int i = 0; i < DEMO_HUD_KEYS; ++i) {
        double row = i / (DEMO_HUD_KEYS / 2);
        draw_key(cr, &hud->keys[i], columns[i % (DEMO_HUD_KEYS / 2)], BAND_Y + 9 + 32 * row);
    }
}

static void draw_alpha(cairo_t *cr, double alpha, double y)
{
    cairo_rectangle(cr, PANEL_X + 12, y, PANEL_WIDTH - 24, 3);
    fill(cr, KEYCAP);
    cairo_rectangle(cr, PANEL_X + 12, y, (PANEL_WIDTH - 24) * alpha, 3);
    fill(cr, CYAN);
}

static void draw_side_panel(cairo_t *cr, const demo_hud *hud)
{
    const demo_hud_side *side = &hud->sides[0];
    const double figures_y = PANEL_Y + 68;
    const double alpha_y = figures_y - 7 + row_height(hud) * hud->figure_count;
    const double intervals_y = alpha_y + 12;
    const double errors_y = intervals_y + INTERVALS_HEIGHT + CAPTION_HEIGHT + 4;
    draw_panel(cr, PANEL_X, PANEL_Y, PANEL_WIDTH,
            errors_y + ERRORS_HEIGHT + CAPTION_HEIGHT - PANEL_Y + 2);
    set_font(cr, 14, true);
    put_text(cr, PANEL_X + 12, PANEL_Y + 21, TEXT, side->name);
    set_font(cr, 10.5, false);
    put_text(cr, PANEL_X + 12, PANEL_Y + 36, TEXT_DIM, side->rule);
    put_text(cr, PANEL_X + 12, PANEL_Y + 51, TEXT, side->shows);
    draw_figures(cr, hud, figures_y);
    draw_alpha(cr, hud->alpha, alpha_y);
    draw_intervals(cr, hud, intervals_y);
    put_caption(cr, intervals_y + INTERVALS_HEIGHT, "ms from frame to frame; line: as intended");
    draw_errors(cr, side, hud->error_scale_ms, PANEL_X + GUTTER, errors_y, ERRORS_HEIGHT);
    put_caption(cr, errors_y + ERRORS_HEIGHT, "animation error in ms, frame by frame");
}

/* The label of a half of a split view, along its upper edge. */
static void draw_strip(cairo_t *cr, const demo_hud *hud, int half)
{
    static const char *const says[DEMO_SIDES] = {"sets the pace", "the same pictures"};
    char text[80];
    const demo_hud_side *side = &hud->sides[half];
    const double y = half * DEMO_HALF + 6;
    const double graph_x = DEMO_WIDTH - 24 - GRAPH_WIDTH;
    draw_panel(cr, 12, y, DEMO_WIDTH - 24, STRIP_HEIGHT);
    set_font(cr, 16, true);
    put_text(cr, 28, y + 26, TEXT, side->name);
    put_text(cr, 360, y + 26, side->accent ? AMBER : GREEN, side->error);
    set_font(cr, 10.5, false);
    snprintf(text, sizeof text, "%s; %s", says[half], side->shows);
    put_text(cr, 28, y + 46, TEXT_DIM, text);
    put_text(cr, 360, y + 46, TEXT_DIM, "animation error, mean, at 600 px/s");
    draw_errors(cr, side, hud->error_scale_ms, graph_x, y + (STRIP_HEIGHT - STRIP_GRAPH) / 2.0,
            STRIP_GRAPH);
}

void demo_draw_hud(demo_canvas *canvas, const demo_hud *hud)
{
    cairo_t *cr = canvas->cairo;
    if (hud->side_count > 1) {
        draw_strip(cr, hud, 0);
        draw_strip(cr, hud, 1);
    } else {
        draw_side_panel(cr, hud);
    }
    draw_keys(cr, hud);
}
