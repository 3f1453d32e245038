/* CC0: copy freely. */
#include "draw.h"

#include <stdio.h>

enum { SIZE = TILE / PIXEL }; /* of a tile, in pixels */

/* One frame. */
typedef struct scene {
    const view *v;
    const world *w;
    const es_frame *frame;
    float t;                        /* the simulated time that it shows, in seconds */
    float left, top, right, bottom; /* of the screen, in the world */
} scene;

/* 0 to 1, always the same for a place: variety without state. */
static float noise(int x, int y)
{
    uint32_t n = (uint32_t)x * 0x9E3779B1U ^ (uint32_t)y * 0x85EBCA77U;
    n = (n ^ n >> 15) * 0x2C1B3C6DU;
    n = (n ^ n >> 12) * 0x297A2D39U;
    return (float)(n >> 8) / 16777216.0F;
}

/* It looks ahead to the right and left, and moves up and down where the player leaves the middle. */
void view_reset(view *v, const world *w, int64_t tick)
{
    const double at[3] = {(double)w->player.x / PIXEL, (double)w->player.y / PIXEL - 40};
    const es_camera camera = {.spring = {.half_life_s = 0.2},
            .ahead_s = {0.45, 0, 0},
            .zone = {0, 24, 0},
            .half_view = {v->camera.half_view[0], SCREEN_HEIGHT / 2, 0},
            .least = {0, -1000, 0},
            .most = {COLUMNS * SIZE, ROWS * SIZE, 0}};
    *v = (view){.camera = camera};
    es_camera_cut(&v->camera, tick, at);
}

void view_tick(view *v, const world *w, const es_step *step)
{
    static const colour colours[KINDS] = {DUST, DUST, GOLD, CORAL, CREAM};
    const double at[3] = {(double)w->player.x / PIXEL, (double)w->player.y / PIXEL - 40};
    for (int i = 0; i < 14 * w->event_count; ++i) {
        const happening *e = &w->events[i / 14];
        int n = v->next_particle++;
        float angle = 6.3F * noise(n, 0), fast = (e->kind <= LANDED ? 45 : 90) * noise(n, 1);
        const particle made = {step->time_ns, (float)e->x / PIXEL, (float)e->y / PIXEL - 2.0F,
                fast * SDL_cosf(angle), fast * SDL_sinf(angle) - 30.0F,
                mix(colours[e->kind], CREAM, 0.6F * noise(n, 2))};
        v->particles[n % 256] = made;
        v->happened_ns[e->kind] = step->time_ns;
        es_camera_shake(&v->camera, i % 14 == 0 && e->kind == HURT ? 5 : 0);
    }
    es_camera_follow(&v->camera, step->index, at, step->dt_s);
}

/* How long ago it was at the instant shown, in seconds; below 0: the frame is not there yet. */
static float age_of(const scene *s, int64_t since_ns)
{
    return (float)((double)(s->frame->content_ns - since_ns) / ES_NS_PER_S);
}

/* 1 when something happened, and less and less after it. */
static float recent(const scene *s, int kind, float how_fast)
{
    float age = age_of(s, s->v->happened_ns[kind]);
    return age >= 0 ? SDL_expf(-how_fast * age) : 0;
}

/* Where each is follows from its age: as smooth at every tick rate. */
static void draw_particles(const scene *s)
{
    for (int i = 0; i < 256; ++i) {
        const particle *a = &s->v->particles[i];
        float age = age_of(s, a->born_ns), rest = 1.0F - age / (0.4F + 0.4F * noise(i, 3));
        if (a->c != 0 && age >= 0 && rest > 0) {
            float size = 0.5F + 3.0F * rest, y = a->y + a->vy * age + 90.0F * age * age;
            paint_rect(a->x + a->vx * age, y, size, size, fade(a->c, rest), fade(a->c, rest));
        }
    }
}

static void draw_sky(const scene *s)
{
    float w = s->right - s->left, x = w * 0.68F - s->left * 0.02F;
    paint_rect(0, 0, w, 110, SKY_TOP, SKY_MIDDLE);
    paint_rect(0, 110, w, 130, SKY_MIDDLE, SKY_LOW);
    for (int i = 0; i < 60; ++i) {
        float y = 90.0F * noise(i, 1), size = 0.6F + noise(i, 2);
        colour c = fade(CREAM, (1.0F - y / 95.0F) * (0.7F + 0.3F * SDL_sinf(s->t + (float)i)));
        paint_rect(w * noise(i, 3), y, size, size, c, c);
    }
    paint_glow(x, 128, 130, fade(SUN, 0.55F));
    paint_ellipse(x, 128, 28, 28, SUN, 0xFFC08A);
}

/* The top of hills at x. */
static float hill(float x, float base, float high, float wide)
{
    float wave = SDL_sinf(x * wide + high) + 0.5F * SDL_sinf(x * wide * 2.3F);
    return base - high * (wave + 0.18F * SDL_sinf(x * wide * 6.1F));
}

/* Hills that move by a part of the camera's motion, with or without trees. */
static void draw_hills(const scene *s, float part, float base, float high, bool trees, colour c)
{
    const float step = 8.0F, wide = 0.005F + 0.015F * part;
    float left = s->left * part, right = left + s->right - s->left;
    base -= (s->top - 120.0F) * part * 0.5F;
    paint_origin((double)left, 0);
    for (float x = step * SDL_floorf(left / step); x < right; x += step) {
        const SDL_FPoint points[] = {{x, hill(x, base, high, wide)},
                {x + step, hill(x + step, base, high, wide)}, {x + step, 260}, {x, 260}};
        paint_shape(points, 4, c, mix(c, SKY_LOW, 0.25F - 0.4F * part));
    }
    for (int i = (int)left / 20 - 2; trees && i < (int)right / 20 + 2; ++i) {
        float x = 20.0F * ((float)i + 0.7F * noise(i, 5)), size = 14.0F + 18.0F * noise(i, 6);
        float y = hill(x, base, high, wide) + 3.0F;
        for (int level = 0; level < 3 && noise(i, 7) < 0.75F; ++level) {
            float n = (float)level;
            paint_kite(x, y - n * size * 0.38F, size * (0.36F - 0.08F * n), size * 0.65F, 0, c, c);
        }
    }
}

static void draw_grass(const scene *s, float x, float y, int column)
{
    paint_rect(x, y, SIZE, 4, GRASS, LEAF);
    paint_rect(x, y, SIZE, 1, 0xB5F2A4, 0xB5F2A4);
    for (int i = 0; i < 4; ++i) {
        float at = x + 2.0F + 4.0F * (float)i, n = noise(column * 4 + i, 8);
        const SDL_FPoint blade[] = {{at - 1, y}, {at + 1, y},
                {at + SDL_sinf(s->t * 1.7F + at * 0.3F), y - 1.0F - 3.0F * n}};
        paint_shape(blade, 3, GRASS, GRASS);
        paint_kite(at, y + 4, 2, -1.0F - 3.0F * n, 0, LEAF, LEAF);
    }
    if (noise(column, 9) < 0.16F) { /* a flower */
        paint_rect(x + 7.5F, y - 6, 1, 6, LEAF, LEAF);
        paint_ellipse(x + 8, y - 7, 2.4F, 2.2F, CORAL, GOLD);
    }
}

static void draw_ground(const scene *s, float x, float y, int column, int row)
{
    colour c = mix(DIRT, DEEP, (float)row / ROWS), below = mix(DIRT, DEEP, (float)(row + 1) / ROWS);
    paint_rect(x, y, SIZE, SIZE, c, below);
    for (int i = 0; i < 2; ++i) {
        float n = noise(column * 2 + i, row), size = 2.0F + 4.0F * noise(row, column * 2 + i);
        colour stone = mix(c, n < 0.22F ? LIGHT : DEEP, n < 0.22F ? 0.14F : 0.5F);
        if (n < 0.45F) {
            paint_rect(x + 20.0F * n, y + 3.0F + 1.7F * size, size, size * 0.6F, stone, stone);
        }
    }
    if (world_tile(s->w, column + 1, row) != GROUND) { /* the sun is on the right */
        paint_rect(x + SIZE - 1.5F, y, 1.5F, SIZE, mix(c, LIGHT, 0.4F), mix(below, LIGHT, 0.3F));
    }
    if (world_tile(s->w, column, row - 1) != GROUND) {
        draw_grass(s, x, y, column);
    }
}

static void draw_gem(const scene *s, float x, float y)
{
    float half = 1.0F + 4.0F * SDL_fabsf(SDL_cosf(s->t * 3.0F + x * 0.05F));
    y += 1.5F * SDL_sinf(s->t * 2.5F + x * 0.08F);
    paint_glow(x, y, 16, fade(GOLD, 0.4F));
    paint_kite(x, y, half + 1.2F, 7.2F, 7.2F, INK, INK);
    paint_kite(x, y, half, 6, 6, GOLD, AMBER);
    paint_kite(x - half * 0.25F, y - 0.8F, half * 0.5F, 3.4F, 3.4F, 0xFFF2A8, GOLD);
}

static void draw_gate(const scene *s, float x, float y)
{
    paint_glow(x, y - 20, 60, fade(TEAL, 0.5F));
    paint_ellipse(x, y - 20, 19, 25, INK, INK);
    paint_ellipse(x, y - 20, 17.5F, 23.5F, 0xCDBFE6, 0x5E4F86);
    for (int i = 4; i >= 0; --i) { /* rings that grow */
        float n = ((float)i + SDL_fmodf(s->t, 1.0F)) / 5.0F;
        paint_ellipse(x, y - 20, 14 * n, 20 * n, mix(CREAM, TEAL, n), mix(CREAM, LEAF, n));
    }
}

static void draw_tiles(const scene *s)
{
    for (int row = (int)s->top / SIZE - 1; row <= (int)s->bottom / SIZE + 1; ++row) {
        for (int column = (int)s->left / SIZE - 1; column <= (int)s->right / SIZE + 1; ++column) {
            float x = (float)(column * SIZE), y = (float)(row * SIZE);
            int32_t tile = world_tile(s->w, column, row);
            if (tile == GROUND) {
                draw_ground(s, x, y, column, row);
            } else if (tile == BOARD) {
                paint_rect(x, y, SIZE, 6, 0xC98552, 0x7C4A4A);
                paint_rect(x, y, SIZE, 1, 0xF6C182, 0xF6C182);
                paint_rect(x, y, 1, 6, WOOD, WOOD);
            } else if (tile == GEM) {
                draw_gem(s, x + 8, y + 8);
            } else if (tile == GATE) {
                draw_gate(s, x + 8, y + SIZE);
            }
        }
    }
}

static void draw_player(const scene *s)
{
    const es_pose2 at = es_track2_at(&s->w->track, s->frame);
    float x = (float)at.x, y = (float)at.y, side = (float)s->w->facing;
    float stretch = 0.28F * recent(s, JUMPED, 7) - 0.3F * recent(s, LANDED, 11);
    float swing = s->w->player.grounded ? 2.5F * SDL_sinf(x * 0.22F) : 1.5F;
    float open = SDL_fmodf(s->t, 2.7F) < 0.12F ? 0.3F : 2.1F;
    if (s->w->hurt > 0 && SDL_fmodf(s->t, 0.16F) < 0.06F) {
        return; /* it blinks */
    }
    paint_squash(x, y, 1.0F - 0.7F * stretch, 1.0F + stretch);
    for (float n = 0; n < 4; ++n) { /* the scarf */
        float wave = SDL_sinf(s->t * 9.0F - n) * (0.4F + 0.5F * n);
        paint_ellipse(x - side * (4 + 3.6F * n), y - 9.5F + wave, 3.2F - 0.4F * n, 2.2F - 0.2F * n,
                TEAL, LEAF);
    }
    for (float n = -1; n <= 1; n += 2) {
        paint_ellipse(x + n * (3.5F - swing), y - 1.5F, 3.4F, 2.6F, INK, INK);
        paint_kite(x + n * 4.2F, y - 13, 4.2F, 9.5F, 0, INK, INK);
        paint_kite(x + n * 4.2F, y - 13.5F, 2.8F, 7, 0, CREAM, CREAM);
        paint_kite(x + n * 4.2F, y - 13.5F, 1.4F, 4, 0, CORAL, CORAL);
    }
    paint_ellipse(x, y - 9.5F, 8.6F, 8.7F, INK, INK);
    paint_ellipse(x, y - 9.5F, 7.4F, 7.5F, CREAM, 0xE8B9A0);
    paint_ellipse(x, y - 5.2F, 6.6F, 1.9F, TEAL, LEAF);
    for (float n = -1; n <= 1; n += 2) {
        paint_ellipse(x + side * 2.2F + 2.4F * n, y - 10.5F, 1.3F, open, INK, INK);
        paint_ellipse(x + side * 2.2F + 2.4F * n + 0.4F, y - 11.3F, 0.5F, 0.5F, CREAM, CREAM);
    }
    paint_squash(0, 0, 1, 1);
}

static void draw_enemy(const scene *s, const enemy *e)
{
    const es_pose2 at = es_track2_at(&e->track, s->frame);
    float x = (float)at.x, y = (float)at.y, side = (float)e->direction * 1.6F;
    float wave = 0.08F * SDL_sinf(s->t * 7.0F + x * 0.1F);
    paint_squash(x, y, e->flat ? 1.35F : 1.0F + wave, e->flat ? 0.35F : 1.0F - wave);
    paint_ellipse(x, y - 5.2F, 9.2F, 7.2F, INK, INK);
    paint_ellipse(x, y - 5.2F, 8.0F, 6.0F, 0xFF9A8A, 0xC02F5C);
    paint_ellipse(x - 3, y - 8.3F, 2.2F, 1.1F, 0xFFD9CE, 0xFFD9CE);
    for (float n = -1; n <= 1; n += 2) {
        paint_ellipse(x + side + 2.6F * n, y - 5.6F, 1.9F, 2.2F, CREAM, CREAM);
        paint_ellipse(x + side * 1.4F + 2.6F * n, y - 5.3F, 1.0F, 1.3F, INK, INK);
    }
    paint_squash(0, 0, 1, 1);
}

/* Lights above the ground, and mist in the pits. */
static void draw_air(const scene *s)
{
    for (int i = (int)s->left / 24 - 2; i < (int)s->right / 24 + 2; ++i) {
        float x = 24.0F * (float)i + 20.0F * SDL_sinf(s->t * 0.5F + 6.0F * noise(i, 11));
        float y = 90.0F + 200.0F * noise(i, 12) + 14.0F * SDL_sinf(s->t * 0.8F + (float)i);
        float bright = 0.5F + 0.5F * SDL_sinf(s->t * 2.0F + 20.0F * noise(i, 14));
        paint_glow(x, y, 7, fade(GOLD, 0.5F * bright));
        paint_ellipse(x, y, 0.9F, 0.9F, fade(SUN, bright), fade(SUN, bright));
    }
    paint_rect(s->left, ROWS * SIZE - 70, s->right - s->left, 70, fade(SKY_MIDDLE, 0),
            fade(SKY_TOP, 0.9F));
}

void draw_world(const view *v, const world *w, const es_frame *frame, float width)
{
    double middle[3]; /* at the same instant as all else */
    es_camera_at(&v->camera, frame, middle);
    double left = middle[0] - (double)width / 2, top = middle[1] - (double)SCREEN_HEIGHT / 2;
    const scene s = {v, w, frame, (float)((double)frame->content_ns / ES_NS_PER_S), (float)left,
            (float)top, (float)left + width, (float)top + SCREEN_HEIGHT};
    draw_sky(&s);
    draw_hills(&s, 0.12F, 158, 20, false, 0x8D5590);
    draw_hills(&s, 0.28F, 182, 19, false, 0x5D3F7E);
    draw_hills(&s, 0.50F, 205, 14, true, 0x382A5C);
    paint_origin(left, top);
    draw_tiles(&s);
    for (int32_t i = w->first; i != NONE; i = w->enemies[i].next) {
        draw_enemy(&s, &w->enemies[i]);
    }
    draw_player(&s);
    draw_particles(&s);
    draw_air(&s);
    paint_origin(0, 0);
}

void draw_hud(const world *w)
{
    char text[32];
    for (int i = 0; i < HEARTS; ++i) {
        float x = 16.0F + 15.0F * (float)i;
        paint_kite(x, 15, 6.5F, 8, 8, INK, INK);
        colour c = i < w->hearts ? CORAL : DEEP;
        paint_kite(x, 15, 5, 6.5F, 6.5F, c, c);
    }
    paint_kite(72, 15, 5, 7, 7, GOLD, AMBER);
    snprintf(text, sizeof text, "%d/%d", (int)w->gems, (int)w->gems_all);
    paint_text(82, 11, 1, 0, CREAM, text);
}
