/* SPDX-License-Identifier: Zlib */
#include "draw.h"

#include "lab/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TURN 6.283185307179586

/* Colours, 0xRRGGBB. Cool and dark at the back; what the eye follows is light, with hard edges. */
enum {
    AMBER = 0xf5b84b,
    CYAN = 0x5fd3e8,
    GREEN = 0x7fd18b,
    PANEL = 0x0a0e18,
    EDGE = 0x34405e,
    TEXT = 0xe9edf6,
    TEXT_DIM = 0x94a1be,
    KEYCAP = 0x28334e,
    SKY = 0x18213a,
    STAR = 0xb4bfd6,
    HOUSE = 0x121829,
    HOUSE_LIT = 0xf2c572,
    GROUND = 0x0b0f19,
    STRIPE = 0xe8ebf2,
    POLE = 0xf4f5f8,
    POLE_BAND = 0xd9534f,
    STEEL = 0x9fb0cf,
    PINK = 0xff8ad4
};

static const int ball_colours[] = {0x5fd3e8, 0xf5b84b, 0x9d8df1, 0x7fd18b, 0xf0837f, 0xe9edf6};

static void set_colour(cairo_t *cr, int rgb, double alpha)
{
    cairo_set_source_rgba(cr, (double)(rgb >> 16 & 255) / 255.0, (double)(rgb >> 8 & 255) / 255.0,
            (double)(rgb & 255) / 255.0, alpha);
}

static void fill(cairo_t *cr, int rgb)
{
    set_colour(cr, rgb, 1.0);
    cairo_fill(cr);
}

/* --- the canvas ------------------------------------------------------------------------------- */

void demo_canvas_finish(demo_canvas *canvas)
{
    cairo_destroy(canvas->cairo);
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
    canvas->cairo = cairo_create(canvas->image);
    set_colour(canvas->cairo, 0, 1.0);
    cairo_paint(canvas->cairo); /* the margins of a window of another shape */
    cairo_translate(canvas->cairo, fit.x, fit.y);
    cairo_scale(canvas->cairo, fit.scale, fit.scale);
    cairo_rectangle(canvas->cairo, 0, 0, DEMO_WIDTH, fit.seen_height);
    cairo_clip(canvas->cairo);
    return cairo_status(canvas->cairo) == CAIRO_STATUS_SUCCESS;
}

/* --- the world -------------------------------------------------------------------------------- */

/* The x of the first of the things that stand every `spacing` along a way without an end. */
static double street_x(double scroll_x, double spacing)
{
    return -spacing - fmod(scroll_x, spacing); /* one to the left: it may reach into the frame */
}

static double star_x(const demo_star *star)
{
    const double span = DEMO_WIDTH + 8.0;
    return DEMO_WIDTH + 4.0 - (star->x - span * floor(star->x / span));
}

static void draw_stars(cairo_t *cr, const demo_scene *scene)
{
    for (int i = 0; i < DEMO_STARS; ++i) {
        const demo_star *star = &scene->stars[i];
        double size = 1.0 + 1.4 * (double)star->depth;
        cairo_rectangle(cr, star_x(star), (double)star->y, size, size);
    }
    fill(cr, STAR);
}

/* They pass at half the camera's speed. */
static void draw_houses(cairo_t *cr, double scroll_x)
{
    const double spacing = 156, left = street_x(scroll_x / 2.0, spacing);
    for (double x = left; x < DEMO_WIDTH; x += spacing) {
        cairo_rectangle(cr, x, DEMO_GROUND - 128, 112, 128);
    }
    fill(cr, HOUSE);
    for (double x = left; x < DEMO_WIDTH; x += spacing) {
        for (int i = 0; i < 8; ++i) {
            cairo_rectangle(
                    cr, x + 14 + 24 * (i % 4), DEMO_GROUND - 112 + 44 * (double)(i / 4), 12, 12);
        }
    }
    fill(cr, HOUSE_LIT);
}

/* The fastest layer, at the full 600 units per second: white against dark, edges upright. */
static void draw_street(cairo_t *cr, double scroll_x)
{
    for (double x = street_x(scroll_x, 80); x < DEMO_WIDTH; x += 80) {
        cairo_rectangle(cr, x, DEMO_GROUND, 40, 12);
    }
    fill(cr, STRIPE);
    for (double x = street_x(scroll_x, 240); x < DEMO_WIDTH; x += 240) {
        cairo_rectangle(cr, x, DEMO_GROUND - 100, 12, 148);
    }
    fill(cr, POLE);
    for (double x = street_x(scroll_x, 240); x < DEMO_WIDTH; x += 240) {
        cairo_rectangle(cr, x, DEMO_GROUND - 74, 12, 24);
        cairo_rectangle(cr, x, DEMO_GROUND - 26, 12, 24);
    }
    fill(cr, POLE_BAND);
}

static void add_spoke(cairo_t *cr, double angle)
{
    cairo_move_to(cr, 14.0 * cos(angle), 14.0 * sin(angle));
    cairo_line_to(cr, 112.0 * cos(angle), 112.0 * sin(angle));
}

static void stroke(cairo_t *cr, int rgb, double width)
{
    set_colour(cr, rgb, 1.0);
    cairo_set_line_width(cr, width);
    cairo_stroke(cr);
}

static void draw_wheel(cairo_t *cr, double angle)
{
    cairo_save(cr);
    cairo_translate(cr, 190, 190);
    cairo_move_to(cr, -52, DEMO_GROUND - 190);
    cairo_line_to(cr, 0, 0);
    cairo_line_to(cr, 52, DEMO_GROUND - 190);
    stroke(cr, KEYCAP, 7);
    cairo_arc(cr, 0, 0, 112, 0, TURN);
    for (int i = 1; i < 12; ++i) {
        add_spoke(cr, angle + TURN * i / 12.0);
    }
    stroke(cr, STEEL, 3);
    add_spoke(cr, angle); /* one to follow */
    stroke(cr, AMBER, 7);
    for (int i = 0; i < 12; ++i) {
        double turned = angle + TURN * i / 12.0;
        cairo_rectangle(cr, 112.0 * cos(turned) - 7, 112.0 * sin(turned) - 3, 14, 14);
    }
    fill(cr, CYAN);
    cairo_restore(cr);
}

static void draw_ball(cairo_t *cr, const demo_ball *ball)
{
    int rgb = ball_colours[ball->bounces % (sizeof ball_colours / sizeof ball_colours[0])];
    cairo_arc(cr, (double)ball->x, (double)ball->y, (double)ball->radius, 0, TURN);
    set_colour(cr, rgb, 1.0);
    cairo_fill_preserve(cr);
    set_colour(cr, 0xffffff, 0.75 * (double)ball->glow);
    cairo_fill(cr);
}

static void add_dot(cairo_t *cr, demo_point at, double radius)
{
    cairo_new_sub_path(cr);
    cairo_arc(cr, at.x, at.y, radius, 0, TURN);
}

/* Blending is compared with the exact circle. */
static void draw_jumper(cairo_t *cr, const demo_jumper *jumper, double middle_y)
{
    double middle_x = DEMO_JUMPER_X;
    add_dot(cr, (demo_point){middle_x, middle_y}, DEMO_JUMPER_REACH);
    stroke(cr, TEXT_DIM, 0.75);
    add_dot(cr, (demo_point){jumper->at[0], middle_y + jumper->at[1]}, DEMO_JUMPER_RADIUS);
    fill(cr, PINK);
}

/* The ring has been eased by ticks; the crosshair is where the pointer is now. */
static void draw_marker(cairo_t *cr, const demo_scene *scene, demo_point pointer)
{
    cairo_arc(cr, scene->marker_x, scene->marker_y, 17, 0, TURN);
    stroke(cr, CYAN, 4);
    cairo_rectangle(cr, pointer.x - 13, pointer.y - 0.75, 26, 1.5);
    cairo_rectangle(cr, pointer.x - 0.75, pointer.y - 13, 1.5, 26);
    fill(cr, 0xffffff);
}

/* A growing ring for each click, from its tick on. */
static void draw_clicks(cairo_t *cr, const demo_scene *scene)
{
    const double ring_s = 0.9;
    for (int i = 0; i < DEMO_FLASHES; ++i) {
        const demo_flash *flash = &scene->flashes[i];
        double age_s = (double)ns_sub(scene->age_ns, flash->from_ns) / 1e9;
        if (flash->stamp_ns != 0 && age_s > 0.0 && age_s < ring_s) {
            demo_point at = {flash->x, flash->y};
            add_dot(cr, at, 9.0 + 62.0 * age_s + 9.0 * flash->before);
            stroke(cr, AMBER, 1.0 + 2.5 * (1.0 - age_s / ring_s));
        }
    }
}

/* --- frames ----------------------------------------------------------------------------------- */

/* jumper_y: of the middle of the jumper's circles. */
static void draw_things(cairo_t *cr, const demo_look *look, double jumper_y)
{
    const demo_scene *scene = look->scene;
    cairo_rectangle(cr, 0, 0, DEMO_WIDTH, DEMO_GROUND);
    fill(cr, SKY);
    cairo_rectangle(cr, 0, DEMO_GROUND, DEMO_WIDTH, DEMO_HEIGHT - DEMO_GROUND);
    fill(cr, GROUND);
    draw_stars(cr, scene);
    draw_wheel(cr, scene->wheel_angle);
    draw_houses(cr, scene->scroll_x);
    for (int i = 0; i < DEMO_BALLS; ++i) {
        draw_ball(cr, &scene->balls[i]);
    }
    draw_street(cr, scene->scroll_x);
    draw_jumper(cr, &scene->jumper, jumper_y);
    draw_clicks(cr, scene);
    draw_marker(cr, scene, look->pointer);
}

static void draw_trail(cairo_t *cr, const demo_trail *trail)
{
    const double longest = 220; /* not as far as the next pole */
    for (int i = 0; i < trail->count && trail->scroll_x[0] - trail->scroll_x[i] < longest; ++i) {
        double y = DEMO_GROUND + 16.0 + 3.0 * i;
        for (double x = street_x(trail->scroll_x[i], 240); x < DEMO_WIDTH; x += 240) {
            cairo_rectangle(cr, x + 2, y, 8, 2);
        }
    }
    fill(cr, CYAN);
}

void demo_draw_scene(demo_canvas *canvas, int half, const demo_look *look)
{
    cairo_t *cr = canvas->cairo;
    double up = half == 0 ? DEMO_HALF : 0; /* the lower half lies where it does in the world */
    cairo_save(cr);
    if (half >= 0) {
        cairo_rectangle(cr, 0, DEMO_HALF - up, DEMO_WIDTH, half == 0 ? DEMO_HALF : DEMO_HEIGHT);
        cairo_clip(cr);
        cairo_translate(cr, 0, -up);
    }
    draw_things(cr, look, half >= 0 ? 358 : 148); /* below a half's label; left of the panel */
    if (half >= 0) {
        draw_trail(cr, look->trail);
    }
    cairo_restore(cr);
}

/* --- the panel -------------------------------------------------------------------------------- */

enum {
    PANEL_X = 664,
    PANEL_Y = 12,
    PANEL_WIDTH = 284,
    PADDING = 12,
    ROW_HEIGHT = 18,
    GUTTER = 36, /* left of a graph, for its scale */
    BAR_WIDTH = 2,
    GRAPH_WIDTH = BAR_WIDTH * DEMO_ERRORS,
    GRAPH_HEIGHT = 60,
    STRIP_HEIGHT = 62, /* of the label of a half: only sky is behind it */
    STRIP_GRAPH = 46,
    BAND_Y = 460
};

/* --- text ------------------------------------------------------------------------------------- */

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
    set_colour(cr, rgb, 1.0);
    cairo_move_to(cr, x, y);
    cairo_show_text(cr, text);
}

static void put_text_right(cairo_t *cr, double right, double y, int rgb, const char *text)
{
    put_text(cr, right - text_width(cr, text), y, rgb, text);
}

static void draw_box(cairo_t *cr, double x, double y, double width, double height)
{
    cairo_rectangle(cr, x, y, width, height);
    set_colour(cr, PANEL, 0.92);
    cairo_fill_preserve(cr);
    stroke(cr, EDGE, 1);
}

/* The animation errors of the last frames, the newest at the right. Above the zero line the content
 * moved too far, below it not far enough. */
static void draw_errors(
        cairo_t *cr, const demo_panel *panel, int half, double x, double y, double height)
{
    char label[16];
    const demo_panel_side *side = &panel->sides[half];
    const double zero_y = y + height / 2.0, per_ms = height / 2.0 / panel->error_scale_ms;
    cairo_rectangle(cr, x, y, GRAPH_WIDTH, height);
    set_colour(cr, KEYCAP, 0.45);
    cairo_fill(cr);
    for (size_t i = 0; i < side->error_count; ++i) {
        double left = x + GRAPH_WIDTH - BAR_WIDTH * (double)(side->error_count - i);
        cairo_rectangle(cr, left, zero_y, BAR_WIDTH - 0.5, -side->errors_ms[i] * per_ms);
    }
    fill(cr, CYAN);
    cairo_rectangle(cr, x, zero_y - 0.5, GRAPH_WIDTH, 1);
    fill(cr, TEXT);
    set_font(cr, 9.5, false);
    snprintf(label, sizeof label, "%+.0f", panel->error_scale_ms);
    put_text_right(cr, x - 4, y + 8, TEXT_DIM, label);
    snprintf(label, sizeof label, "%+.0f", -panel->error_scale_ms);
    put_text_right(cr, x - 4, y + height, TEXT_DIM, label);
}

/* --- panels ----------------------------------------------------------------------------------- */

/* Each key is bold. */
static void draw_help(cairo_t *cr, const demo_panel *panel)
{
    draw_box(cr, 12, BAND_Y, DEMO_WIDTH - 24, DEMO_HEIGHT - BAND_Y - 12);
    for (int i = 0; i < DEMO_HELP; ++i) {
        double x = 28, y = BAND_Y + 27 + 24 * i;
        for (const char *at = panel->help[i]; *at != '\0'; at += strspn(at, " ")) {
            char key[16], label[32];
            int used = 0;
            if (sscanf(at, "%15[^ ] %31[^ ]%n", key, label, &used) < 2) {
                break;
            }
            at += used;
            set_font(cr, 12, true);
            put_text(cr, x, y, AMBER, key);
            x += text_width(cr, key) + 5;
            set_font(cr, 12, false);
            put_text(cr, x, y, TEXT, label);
            x += text_width(cr, label) + 16;
        }
    }
}

static void draw_side_panel(cairo_t *cr, const demo_panel *panel)
{
    const double right = PANEL_X + PANEL_WIDTH - PADDING;
    const double graph_y = PANEL_Y + 16 + ROW_HEIGHT * panel->line_count;
    draw_box(cr, PANEL_X, PANEL_Y, PANEL_WIDTH, graph_y + GRAPH_HEIGHT + 20 - PANEL_Y);
    for (int i = 0; i < panel->line_count; ++i) {
        const demo_line *line = &panel->lines[i];
        double y = PANEL_Y + 22 + ROW_HEIGHT * i;
        set_font(cr, i == 0 ? 13 : 11, i == 0); /* the first is the title */
        put_text(cr, PANEL_X + PADDING, y, i == 0 ? TEXT : TEXT_DIM, line->label);
        set_font(cr, 11, false);
        put_text_right(cr, right, y, line->accent ? AMBER : TEXT, line->value);
    }
    draw_errors(cr, panel, 0, PANEL_X + GUTTER, graph_y, GRAPH_HEIGHT);
    set_font(cr, 9.5, false);
    put_text(cr, PANEL_X + GUTTER, graph_y + GRAPH_HEIGHT + 13, TEXT_DIM,
            "animation error in ms, frame by frame");
}

/* The label of a half, along its upper edge. */
static void draw_strip(cairo_t *cr, const demo_panel *panel, int half)
{
    const demo_panel_side *side = &panel->sides[half];
    const double y = half * DEMO_HALF + 6, graph_x = DEMO_WIDTH - 24 - GRAPH_WIDTH;
    draw_box(cr, 12, y, DEMO_WIDTH - 24, STRIP_HEIGHT);
    set_font(cr, 16, true);
    put_text(cr, 28, y + 26, TEXT, side->name);
    put_text(cr, 360, y + 26, side->accent ? AMBER : GREEN, side->error);
    set_font(cr, 10.5, false);
    put_text(cr, 28, y + 46, TEXT_DIM, side->shows);
    put_text(cr, 360, y + 46, TEXT_DIM, "mean animation error, at 600 px/s");
    draw_errors(cr, panel, half, graph_x, y + (STRIP_HEIGHT - STRIP_GRAPH) / 2.0, STRIP_GRAPH);
}

void demo_draw_panel(demo_canvas *canvas, const demo_panel *panel)
{
    cairo_t *cr = canvas->cairo;
    if (panel->side_count > 1) {
        draw_strip(cr, panel, 0);
        draw_strip(cr, panel, 1);
    } else {
        draw_side_panel(cr, panel);
    }
    draw_help(cr, panel);
}
