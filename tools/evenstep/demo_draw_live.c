/* SPDX-License-Identifier: Zlib */
#include "demo_draw_live.h"

#include <stdio.h>

#define TURN      6.283185307179586
#define RING_S    0.9 /* how long a ring is seen, */
#define LABEL_S   1.8 /* and its label */
#define RING_FROM 9.0
#define RING_GROW 62.0
#define RING_GAP  9.0 /* between rings of one tick */

enum { MAP_X = 330, MAP_Y = 12, CELL_WIDTH = 5, CELL_HEIGHT = 4, BAR_HEIGHT = 3 };

static void set_colour(cairo_t *cr, int rgb, double alpha)
{
    cairo_set_source_rgba(cr, (double)(rgb >> 16 & 255) / 255.0, (double)(rgb >> 8 & 255) / 255.0,
            (double)(rgb & 255) / 255.0, alpha);
}

/* --- groups ----------------------------------------------------------------------------------- */

static void draw_bird(cairo_t *cr, const demo_bird *bird)
{
    double way = (double)bird->vx < 0.0 ? -1.0 : 1.0;
    double tilt = 0.06 * (double)bird->vy;
    double x = (double)bird->x, y = (double)bird->y;
    cairo_move_to(cr, x - 13.0 * way, y - 6.0 - tilt);
    cairo_line_to(cr, x + 4.0 * way, y + tilt);
    cairo_line_to(cr, x - 13.0 * way, y + 6.0 - tilt);
    cairo_line_to(cr, x - 8.0 * way, y - 0.5 * tilt);
    cairo_close_path(cr);
}

void demo_draw_flight(cairo_t *cr, const demo_flight *flight)
{
    for (int i = 0; i < DEMO_BIRDS; ++i) {
        draw_bird(cr, &flight->birds[i]);
    }
    set_colour(cr, 0x9fe0b8, 1.0);
    cairo_fill(cr);
    for (int i = 0; i < DEMO_SPARKS; ++i) {
        const demo_spark *spark = &flight->sparks[i];
        if (spark->life > 0.0f) {
            cairo_new_sub_path(cr);
            cairo_arc(cr, (double)spark->x, (double)spark->y, 0.8 + 2.2 * (double)spark->life, 0,
                    TURN);
        }
    }
    set_colour(cr, 0xf5b84b, 0.95);
    cairo_fill(cr);
}

/* --- clicks ----------------------------------------------------------------------------------- */

static void draw_label(cairo_t *cr, const demo_flash *flash, double delay_ms, double alpha)
{
    char text[24];
    double x = flash->x + 16.0, y = flash->y - 14.0 - 14.0 * flash->before;
    snprintf(text, sizeof text, "%.0f ms", delay_ms);
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cr, 12);
    cairo_move_to(cr, x, y);
    cairo_text_path(cr, text);
    set_colour(cr, 0x0a0e18, 0.85 * alpha);
    cairo_set_line_width(cr, 3);
    cairo_stroke_preserve(cr);
    set_colour(cr, 0xf5b84b, alpha);
    cairo_fill(cr);
}

void demo_draw_flashes(cairo_t *cr, const demo_scene *scene, const double *flash_ms)
{
    for (int i = 0; i < DEMO_FLASHES; ++i) {
        const demo_flash *flash = &scene->flashes[i];
        double age_s = (double)es_ns_sub(scene->age_ns, flash->from_ns) / 1e9;
        if (flash->stamp_ns == 0 || age_s <= 0.0 || age_s > LABEL_S) {
            continue; /* what a tick has that is past the picture is not in it */
        }
        double left = 1.0 - age_s / RING_S;
        if (left > 0.0) {
            cairo_new_sub_path(cr);
            cairo_arc(cr, flash->x, flash->y,
                    RING_FROM + RING_GROW * age_s + RING_GAP * flash->before, 0, TURN);
            set_colour(cr, 0xf5b84b, left);
            cairo_set_line_width(cr, 1.0 + 2.5 * left);
            cairo_stroke(cr);
        }
        if (flash_ms[i] >= 0.0) {
            draw_label(cr, flash, flash_ms[i], age_s < RING_S ? 1.0 : 2.0 - age_s / RING_S);
        }
    }
}

/* --- the job ---------------------------------------------------------------------------------- */

/* Dark where little can be seen from, teal where much; houses are darker. */
static uint32_t cell_colour(const demo_map *map, int cell)
{
    uint32_t seen = map->seen[cell];
    uint32_t light = map->haze[cell] > 127 ? 256u : 150u;
    uint32_t red = (18u + seen * 60u / 255u) * light >> 8;
    uint32_t green = (28u + seen * 175u / 255u) * light >> 8;
    uint32_t blue = (52u + seen * 150u / 255u) * light >> 8;
    return 0xff000000u | red << 16 | green << 8 | blue;
}

void demo_draw_map(cairo_t *cr, const demo_map *map, const demo_live *live)
{
    const double width = CELL_WIDTH * DEMO_MAP_WIDTH, height = CELL_HEIGHT * DEMO_MAP_HEIGHT;
    uint32_t pixels[DEMO_MAP_CELLS];
    if (live->job_mode == DEMO_JOB_OFF) {
        return;
    }
    for (int cell = 0; cell < DEMO_MAP_CELLS; ++cell) {
        pixels[cell] = map->version > 0 ? cell_colour(map, cell) : 0xff1a2338u;
    }
    cairo_surface_t *image = cairo_image_surface_create_for_data((unsigned char *)pixels,
            CAIRO_FORMAT_ARGB32, DEMO_MAP_WIDTH, DEMO_MAP_HEIGHT, 4 * DEMO_MAP_WIDTH);
    cairo_save(cr);
    cairo_translate(cr, MAP_X, MAP_Y);
    cairo_scale(cr, CELL_WIDTH, CELL_HEIGHT);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, DEMO_MAP_WIDTH, DEMO_MAP_HEIGHT);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
    cairo_rectangle(cr, MAP_X, MAP_Y + height + 2, width, BAR_HEIGHT);
    set_colour(cr, 0x28334e, 1.0);
    cairo_fill(cr);
    cairo_rectangle(cr, MAP_X, MAP_Y + height + 2, width * live->job_share, BAR_HEIGHT);
    set_colour(cr, 0x5fd3e8, 1.0);
    cairo_fill(cr);
    cairo_rectangle(cr, MAP_X - 0.5, MAP_Y - 0.5, width + 1, height + 1);
    set_colour(cr, 0x34405e, 1.0);
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
}
