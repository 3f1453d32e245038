/* SPDX-License-Identifier: Zlib
 *
 * The README's picture: the example game under two loops, as an eye sees it that follows the player.
 * The lab runs both loops on one display: 60 Hz; presents return up to 3 ms late. A frame draws the world
 * at the instant that the loop chose. It is drawn where it falls on the retina: the view has moved on
 * evenly, by the time at which the frame is seen. So a player that shakes shook on the screen.
 *
 *   game_picture DIRECTORY        writes 00.bmp, 01.bmp ...; scripts/pictures makes docs/game.gif of them
 */
#include "examples/game/draw.h"

#include "lab/run.h"

#include <stdio.h>

enum { FRAMES = 42, RATE = 60, WIDTH = 640, HEIGHT = 240, GAP = 4 }; /* pixels */
enum { SCALE = 6, FINE = 3 }; /* pixels per pixel of the game; drawn larger, to be averaged */
enum { SPEED = 2 };           /* of the game: 300 of its pixels per second */
enum {
    BEGIN = 81,
    RUN_UP = RATE / 6
}; /* the column in which it begins; ticks before the first frame */
enum { TOP = 126, FEET = 161, AHEAD = 14 }; /* the part of the screen, in pixels of the game */

typedef struct half {
    const char *name;
    lab_result result;
    double lag_s; /* mean of screen time minus content time: a constant offset is not visible */
    world w;
    view v;
    es_step step;
} half;

static double seconds(const half *h, int frame, bool shown)
{
    const lab_frame *first = &h->result.frames[h->result.measured], *at = first + frame;
    return (double)(shown ? at->shown_ns - first->shown_ns : at->content_ns - first->content_ns)
           / 1e9;
}

static void tick(half *h)
{
    h->step.index += 1;
    h->step.time_ns = h->step.index * ES_NS_PER_S / RATE;
    world_update(&h->w, RIGHT, h->step.index);
    view_tick(&h->v, &h->w, &h->step);
}

static bool run(half *h, const char *loop)
{
    lab_setup setup = lab_setup_default();
    lab_refusal refusal;
    setup.loop = lab_loop_find(loop);
    setup.scenario = *lab_scenario_find("wake-1.5");
    setup.seed = 7;
    setup.duration_ns = 10 * ES_NS_PER_S; /* as `evenstep compare` */
    if (setup.loop == NULL || lab_run(&setup, &h->result, &refusal) != ES_OK) {
        return false;
    }
    for (int i = 0; i < FRAMES; ++i) {
        h->lag_s += (seconds(h, i, true) - seconds(h, i, false)) / FRAMES;
    }
    h->step.dt_s = 1.0 / RATE;
    world_load(&h->w, RATE);
    h->w.player.x = BEGIN * TILE;
    h->w.player.vx = RUN_SPEED;
    h->w.seen = BEGIN;
    world_snap(&h->w, 0);
    view_reset(&h->v, &h->w, 0);
    for (int i = 0; i < RUN_UP; ++i) {
        tick(h); /* it stands on the ground, and enemies come */
    }
    return true;
}

/* The name, the error, and a bar per frame: how far the player was from where the eye expected it. */
static void draw_error(const half *h, int frame)
{
    const double speed = SPEED * RUN_SPEED / PIXEL;
    double ms = h->result.measures.animation.mean_abs_ms;
    char text[64];
    snprintf(text, sizeof text, "%.1f MS, %.1f PX", ms, ms / 1e3 * speed * SCALE);
    paint_rect(0, TOP, 128, 6.5F, fade(INK, 0.8F), fade(INK, 0.8F));
    paint_text(1.5F, TOP + 1.5F, 0.5F, 0, CREAM, h->name);
    paint_text(79, TOP + 1.5F, 0.5F, 1, ms < 0.1 ? GRASS : GOLD, text);
    for (int i = 0; i <= frame; ++i) {
        double off = (seconds(h, i, false) - seconds(h, i, true) + h->lag_s) * speed;
        float high = SDL_max(0.4F, 4 * (float)SDL_fabs(off));
        paint_rect(
                81 + 0.6F * (float)i, TOP + 3.2F - (off > 0 ? high : 0), 0.45F, high, TEAL, TEAL);
    }
}

static void draw(SDL_Renderer *renderer, half *h, int frame)
{
    int64_t passed = (int64_t)((seconds(h, frame, false) + h->lag_s) * SPEED * 1e9);
    int64_t content_ns = RUN_UP * ES_NS_PER_S / RATE + passed;
    while (h->step.time_ns < content_ns) {
        tick(h);
    }
    es_frame shown = {.content_ns = content_ns,
            .current_tick = h->step.index,
            .newest_tick = h->step.index,
            .current_ns = h->step.time_ns,
            .newest_ns = h->step.time_ns,
            .previous_tick = h->step.index - 1,
            .previous_ns = h->step.time_ns - ES_NS_PER_S / RATE};
    shown.alpha = 1 - (double)(shown.current_ns - content_ns) * RATE / ES_NS_PER_S;
    double eye =
            BEGIN * TILE + RUN_SPEED * ((double)RUN_UP / RATE + SPEED * seconds(h, frame, true));
    view seen = h->v;
    es_camera_cut(&seen.camera, shown.current_tick,
            (const double[3]){eye / PIXEL + AHEAD, (ROWS - 8) * 16 + 120 - FEET});
    float width = paint_begin(renderer);
    draw_world(&seen, &h->w, &shown, width);
    draw_error(h, frame);
    paint_end();
}

int main(int argc, char **argv)
{
    static half halves[2] = {{.name = "ACCUMULATOR"}, {.name = "EVENSTEP"}};
    const SDL_Rect part = {0, TOP * SCALE * FINE, WIDTH * FINE, HEIGHT * FINE};
    SDL_Surface *full = SDL_CreateRGBSurfaceWithFormat(
            0, WIDTH * FINE, 240 * SCALE * FINE, 32, SDL_PIXELFORMAT_ARGB8888);
    SDL_Surface *both = SDL_CreateRGBSurfaceWithFormat(
            0, WIDTH * FINE, (2 * HEIGHT + GAP) * FINE, 32, SDL_PIXELFORMAT_ARGB8888);
    SDL_Renderer *renderer = full != NULL ? SDL_CreateSoftwareRenderer(full) : NULL;
    if (argc != 2 || both == NULL || renderer == NULL || !run(&halves[0], "gaffer")
            || !run(&halves[1], "auto")) {
        fprintf(stderr, "usage: game_picture DIRECTORY\n");
        return 2;
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (int i = 0; i < 2; ++i) {
            SDL_Rect to = {0, i * (HEIGHT + GAP) * FINE, 0, 0};
            draw(renderer, &halves[i], frame);
            SDL_RenderFlush(renderer);
            SDL_BlitSurface(full, &part, both, &to);
        }
        char path[4096];
        snprintf(path, sizeof path, "%s/%02d.bmp", argv[1], frame);
        if (SDL_SaveBMP(both, path) != 0) {
            fprintf(stderr, "%s: %s\n", path, SDL_GetError());
            return 1;
        }
    }
    return 0;
}
