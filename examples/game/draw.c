/* CC0: copy freely. */
#include "draw.h"

#include <stdio.h>

enum { SIZE = TILE / PIXEL }; /* of a tile, in pixels */

/* The palette: a warm sky behind a cool land. */
#define SKY_TOP    0xFF241F4AU
#define SKY_MIDDLE 0xFF8A4680U
#define SKY_LOW    0xFFFFAE7AU
#define SUN        0xFFFFE7B8U
#define DIRT       0xFF533657U
#define DEEP       0xFF1F1834U
#define GRASS      0xFF5FD08AU
#define LEAF       0xFF2C8C70U
#define LIGHT      0xFFFFC58AU
#define INK        0xFF1A1330U
#define CREAM      0xFFFFF3DBU
#define TEAL       0xFF2FC4BEU
#define GOLD       0xFFFFD54FU
#define CORAL      0xFFFF5F6DU
#define VIOLET     0xFF8B6CFFU

/* One frame. */
typedef struct scene {
    paint *p;
    const view *v;
    const world *w;
    const es_frame *frame;
    float t;                      /* simulated time, in seconds */
    float left, top, right, base; /* of the screen, in the world */
} scene;

/* 0 to 1, always the same for a place: variety without state. */
static float noise(int x, int y)
{
    uint32_t n = (uint32_t)x * 0x9E3779B1U ^ (uint32_t)y * 0x85EBCA77U;
    n = (n ^ n >> 15) * 0x2C1B3C6DU;
    n = (n ^ n >> 12) * 0x297A2D39U;
    return (float)(n >> 8) / 16777216.0F;
}

/* --- between ticks: camera and particles -------------------------------------------------------- */

static es_pose2 camera_target(const world *w)
{
    const player *p = &w->player;
    const es_pose2 target = {
            (double)p->at.x / PIXEL + p->facing * 36.0, (double)p->at.y / PIXEL - 44.0, 0};
    return target;
}

void view_reset(view *v, const world *w, int64_t tick)
{
    static const view fresh = {.jumped_ns = -ES_NS_PER_S, .landed_ns = -ES_NS_PER_S, .random = 1};
    *v = fresh;
    v->camera.snap = 200; /* pixels in one tick: the player jumped there, and so does the camera */
    es_track2_snap(&v->camera, tick, camera_target(w));
}

static float random_part(view *v)
{
    v->random = v->random * 1664525U + 1013904223U;
    return (float)(v->random >> 8) / 16777216.0F;
}

static void burst(view *v, const happening *e, int64_t now_ns, int count, float speed, colour c)
{
    for (int i = 0; i < count; ++i) {
        float angle = 6.2831853F * random_part(v), fast = speed * (0.4F + 0.6F * random_part(v));
        particle *made = &v->particles[v->next_particle++ % PARTICLES];
        made->born_ns = now_ns;
        made->x = (float)e->x / PIXEL;
        made->y = (float)e->y / PIXEL - 2.0F;
        made->vx = fast * SDL_cosf(angle);
        made->vy = fast * SDL_sinf(angle) - speed * 0.5F;
        made->gravity = e->kind == TOOK ? 40.0F : 200.0F;
        made->life_s = 0.35F + 0.45F * random_part(v);
        made->size = 1.5F + 2.0F * random_part(v);
        made->c = mix(c, CREAM, 0.6F * random_part(v));
    }
}

static void start_particles(view *v, const happening *e, int64_t now_ns)
{
    static const struct {
        int count;
        float speed;
        colour c;
    } of[] = {[JUMPED] = {7, 34, 0xFFB9A3C9U},
            [LANDED] = {9, 40, 0xFFB9A3C9U},
            [TOOK] = {14, 70, GOLD},
            [STOMPED] = {18, 95, CORAL},
            [SPAWNED] = {10, 50, VIOLET},
            [HURT] = {20, 110, CORAL},
            [FINISHED] = {90, 160, TEAL}};
    burst(v, e, now_ns, of[e->kind].count, of[e->kind].speed, of[e->kind].c);
    if (e->kind == JUMPED || e->kind == STOMPED) {
        v->jumped_ns = now_ns;
    } else if (e->kind == LANDED) {
        v->landed_ns = now_ns;
    }
}

void view_tick(view *v, const world *w, const es_step *step)
{
    es_pose2 camera = v->camera.current, target = camera_target(w);
    double x = target.x - camera.x, y = target.y - camera.y;
    double share = x * x + y * y > 200 * 200 ? 1 : 1 - SDL_exp(-4.0 * step->dt_s);
    camera.x += share * x;
    camera.y += share * y;
    es_track2_set(&v->camera, step->index, camera);
    for (int i = 0; i < w->event_count; ++i) {
        start_particles(v, &w->events[i], step->time_ns);
    }
}

static float age_s(const scene *s, int64_t since_ns)
{
    return (float)((double)(s->frame->content_ns - since_ns) / ES_NS_PER_S);
}

/* Where each is follows from its age at the shown instant: smooth at every tick rate. */
static void draw_particles(const scene *s)
{
    for (int i = 0; i < PARTICLES; ++i) {
        const particle *a = &s->v->particles[i];
        float age = age_s(s, a->born_ns), rest = 1.0F - age / a->life_s;
        if (a->life_s > 0 && age >= 0 && rest > 0) {
            float size = a->size * rest + 0.5F;
            paint_rect(s->p, a->x + a->vx * age - size / 2,
                    a->y + a->vy * age + a->gravity * age * age / 2 - size / 2, size, size,
                    fade(a->c, rest), fade(a->c, rest));
        }
    }
}

/* --- behind the world --------------------------------------------------------------------------- */

static void draw_sky(const scene *s)
{
    float w = s->p->width;
    paint_origin(s->p, 0, 0);
    paint_rect(s->p, 0, 0, w, 110, SKY_TOP, SKY_MIDDLE);
    paint_rect(s->p, 0, 110, w, 90, SKY_MIDDLE, SKY_LOW);
    paint_rect(s->p, 0, 200, w, PAINT_HEIGHT - 200, SKY_LOW, SKY_LOW);
    for (int i = 0; i < 60; ++i) {
        float y = 90.0F * noise(i, 1),
              bright = (1.0F - y / 95.0F) * (0.7F + 0.3F * SDL_sinf(s->t + (float)i));
        float size = 0.7F + noise(i, 2);
        paint_rect(s->p, w * noise(i, 3), y, size, size, fade(CREAM, bright), fade(CREAM, bright));
    }
    float x = w * 0.68F - s->left * 0.02F, y = 128;
    for (int i = 0; i < 3; ++i) {
        float radius = 84.0F - 18.0F * (float)i;
        paint_ellipse(s->p, x, y, radius, radius, fade(SUN, 0.07F), fade(SUN, 0.07F));
    }
    paint_ellipse(s->p, x, y, 30, 30, SUN, 0xFFFFC08AU);
}

/* The height of hills at x, in pixels of the screen. */
static float hill(float x, float base, float high, int which)
{
    float wide = 0.006F + 0.004F * (float)which;
    return base
           - high
                     * (SDL_sinf(x * wide + (float)which) + 0.5F * SDL_sinf(x * wide * 2.3F)
                             + 0.18F * SDL_sinf(x * wide * 6.1F));
}

/* Hills that move by a part of the camera's motion; the nearest carry trees. */
static void draw_hills(const scene *s, float part, float base, float high, int which, colour c)
{
    const float step = 8.0F;
    const colour low = mix(c, SKY_LOW, 0.25F - 0.07F * (float)which);
    double left = (double)s->left * (double)part;
    base -= (s->top - 100.0F) * part * 0.6F;
    paint_origin(s->p, left, 0);
    float first = step * SDL_floorf((float)left / step);
    for (float x = first; x < (float)left + s->p->width; x += step) {
        const SDL_FPoint points[] = {{x, hill(x, base, high, which)},
                {x + step, hill(x + step, base, high, which)}, {x + step, PAINT_HEIGHT},
                {x, PAINT_HEIGHT}};
        paint_shape(s->p, points, 4, c, low);
    }
    for (int i = (int)(left / 20.0) - 2; which == 2 && i < (int)(left + s->p->width) / 20 + 2;
            ++i) {
        float x = 20.0F * ((float)i + 0.7F * noise(i, 5)), size = 14.0F + 16.0F * noise(i, 6);
        float y = hill(x, base, high, which) + 3.0F;
        for (int level = 0; level < 3 && noise(i, 7) < 0.75F; ++level) {
            float up = (float)level * size * 0.38F, half = size * (0.36F - 0.08F * (float)level);
            paint_triangle(s->p, x, y - up, half, size * 0.65F, c);
        }
    }
}

/* --- tiles -------------------------------------------------------------------------------------- */

static void draw_grass(const scene *s, float x, float y, int column)
{
    paint_rect(s->p, x, y, SIZE, 4, GRASS, LEAF);
    paint_rect(s->p, x, y, SIZE, 1, 0xFFB5F2A4U, 0xFFB5F2A4U);
    for (int i = 0; i < 4; ++i) {
        float at = x + 2.0F + 4.0F * (float)i, n = noise(column * 4 + i, 8);
        const SDL_FPoint down[] = {{at - 2, y + 4}, {at + 2, y + 4}, {at, y + 5.0F + 3.0F * n}};
        float bend = SDL_sinf(s->t * 1.7F + at * 0.3F);
        const SDL_FPoint up[] = {{at - 1, y}, {at + 1, y}, {at + bend, y - 1.0F - 3.0F * n}};
        paint_shape(s->p, down, 3, LEAF, LEAF);
        paint_shape(s->p, up, 3, GRASS, GRASS);
    }
    if (noise(column, 9) < 0.16F) {
        colour c = noise(column, 10) < 0.5F ? CORAL : CREAM;
        float bend = SDL_sinf(s->t * 1.7F + x * 0.3F);
        paint_rect(s->p, x + 7.5F, y - 6, 1, 6, LEAF, LEAF);
        paint_ellipse(s->p, x + 8 + bend * 0.5F, y - 7, 2.4F, 2.2F, c, c);
        paint_ellipse(s->p, x + 8 + bend * 0.5F, y - 7, 1, 1, GOLD, GOLD);
    }
}

static void draw_ground(const scene *s, int column, int row)
{
    float x = (float)(column * SIZE), y = (float)(row * SIZE);
    int depth = 0;
    while (depth < 6 && world_tile(s->w, column, row - depth - 1) == GROUND) {
        ++depth;
    }
    colour c = mix(DIRT, DEEP, (float)depth / 6.0F),
           below = mix(DIRT, DEEP, SDL_min((float)depth + 1, 6) / 6.0F);
    paint_rect(s->p, x, y, SIZE, SIZE, c, below);
    for (int i = 0; i < 2; ++i) {
        float n = noise(column * 2 + i, row), size = 2.0F + 4.0F * noise(row, column * 2 + i);
        if (n < 0.45F) {
            colour stone = mix(c, n < 0.22F ? LIGHT : DEEP, n < 0.22F ? 0.14F : 0.5F);
            paint_rect(s->p, x + 9.0F * n / 0.45F, y + 5.0F + 7.0F * (size - 2.0F) / 4.0F, size,
                    size * 0.6F, stone, stone);
        }
    }
    if (world_tile(s->w, column + 1, row) != GROUND) { /* lit by the sun, which is on the right */
        paint_rect(s->p, x + SIZE - 1.5F, y, 1.5F, SIZE, fade(LIGHT, 0.5F - 0.06F * (float)depth),
                fade(LIGHT, 0.44F - 0.06F * (float)depth));
    }
    if (world_tile(s->w, column - 1, row) != GROUND) {
        paint_rect(s->p, x, y, 3, SIZE, fade(DEEP, 0.5F), fade(DEEP, 0.5F));
    }
    if (depth == 0) {
        draw_grass(s, x, y, column);
    }
}

static void draw_board(const scene *s, int column, int row)
{
    float x = (float)(column * SIZE), y = (float)(row * SIZE);
    paint_rect(s->p, x, y, SIZE, 6, 0xFFC98552U, 0xFF7C4A4AU);
    paint_rect(s->p, x, y, SIZE, 1, 0xFFF6C182U, 0xFFF6C182U);
    paint_rect(s->p, x, y, 1, 6, 0xFF6A3D45U, 0xFF6A3D45U);
    paint_rect(s->p, x + 3, y + 2, 1, 1, 0xFF6A3D45U, 0xFF6A3D45U);
    if (world_tile(s->w, column - 1, row) != BOARD || world_tile(s->w, column + 1, row) != BOARD) {
        paint_rect(s->p, x + 6, y + 6, 4, 4, 0xFF6A3D45U, INK);
    }
}

static void draw_gem(const scene *s, float x, float y)
{
    float turn = SDL_cosf(s->t * 3.0F + x * 0.05F), half = 1.0F + 4.0F * SDL_fabsf(turn);
    y += 1.5F * SDL_sinf(s->t * 2.5F + x * 0.08F);
    paint_ellipse(s->p, x, y, 11, 11, fade(GOLD, 0.12F), fade(GOLD, 0.12F));
    const SDL_FPoint edge[] = {
            {x, y - 7.2F}, {x + half + 1.2F, y}, {x, y + 7.2F}, {x - half - 1.2F, y}};
    const SDL_FPoint all[] = {{x, y - 6}, {x + half, y}, {x, y + 6}, {x - half, y}};
    const SDL_FPoint lit[] = {{x, y - 6}, {x, y + 6}, {x - half, y}};
    paint_shape(s->p, edge, 4, INK, INK);
    paint_shape(s->p, all, 4, GOLD, 0xFFF08A3CU);
    paint_shape(s->p, lit, 3, 0xFFFFF2A8U, GOLD);
}

static void draw_nest(const scene *s, float x, float y)
{
    paint_ellipse(s->p, x, y, 15, 12, INK, INK);
    paint_ellipse(s->p, x, y, 13.5F, 10.5F, 0xFF6C5A86U, DEEP);
    paint_ellipse(s->p, x, y, 8, 7, INK, INK);
    float open = SDL_sinf(s->t * 1.3F + x) > -0.8F ? 1.2F : 0.2F;
    paint_ellipse(s->p, x - 2.5F, y - 3, 1.2F, open, CORAL, CORAL);
    paint_ellipse(s->p, x + 2.5F, y - 3, 1.2F, open, CORAL, CORAL);
}

static void draw_gate(const scene *s, float x, float y)
{
    paint_ellipse(s->p, x, y - 18, 40, 44, fade(TEAL, 0.08F), fade(TEAL, 0.08F));
    paint_ellipse(s->p, x, y - 20, 19, 25, INK, INK);
    paint_ellipse(s->p, x, y - 20, 17.5F, 23.5F, 0xFFCDBFE6U, 0xFF5E4F86U);
    for (int i = 0; i < 5; ++i) {
        float size =
                SDL_fmodf(1.0F + (float)i * 0.2F - s->t * 0.25F + SDL_floorf(s->t * 0.25F), 1.0F);
        colour c = mix(CREAM, TEAL, size);
        size = 1.0F - 0.18F * (float)i - 0.04F * SDL_sinf(s->t * 2.0F + (float)i);
        paint_ellipse(s->p, x, y - 20, 13.5F * size, 19.5F * size, c, mix(c, VIOLET, 0.5F));
    }
}

static void draw_tiles(const scene *s)
{
    int last_column = (int)s->right / SIZE, last_row = (int)s->base / SIZE;
    for (int row = (int)SDL_max(s->top, 0) / SIZE - 1; row <= last_row; ++row) {
        for (int column = (int)s->left / SIZE - 1; column <= last_column + 1; ++column) {
            float x = (float)(column * SIZE) + SIZE / 2.0F, y = (float)(row * SIZE);
            switch (world_tile(s->w, column, row)) {
            case GROUND:
                draw_ground(s, column, row);
                break;
            case BOARD:
                draw_board(s, column, row);
                break;
            case GEM:
                draw_gem(s, x, y + SIZE / 2.0F);
                break;
            case NEST:
                draw_nest(s, x, y + SIZE);
                break;
            case GATE:
                draw_gate(s, x, y + SIZE);
                break;
            default:
                break;
            }
        }
    }
}

/* --- who lives there ---------------------------------------------------------------------------- */

/* A body at its feet: how wide and high, and how far its top leans. */
typedef struct figure {
    const scene *s;
    float x, y, wide, high, lean;
} figure;

static void part(const figure *f, float x, float y, float rx, float ry, colour top, colour bottom)
{
    paint_ellipse(f->s->p, f->x + x * f->wide - y * f->lean, f->y + y * f->high, rx * f->wide,
            ry * f->high, top, bottom);
}

static void ear(const figure *f, float x, float y, float half, float h, colour c)
{
    paint_triangle(f->s->p, f->x + x * f->wide - y * f->lean, f->y + y * f->high, half, h, c);
}

static void draw_player(const scene *s)
{
    const player *p = &s->w->player;
    const es_pose2 at = es_track2_at(&p->track, s->frame);
    float jumped = age_s(s, s->v->jumped_ns), landed = age_s(s, s->v->landed_ns);
    float stretch = (jumped >= 0 ? 0.28F * SDL_expf(-7.0F * jumped) : 0)
                    - (landed >= 0 ? 0.30F * SDL_expf(-11.0F * landed) : 0);
    float side = (float)p->facing, stride = SDL_sinf((float)at.x * 0.22F);
    float swing = p->at.grounded ? stride : 0.6F;
    const figure f = {s, (float)at.x, (float)at.y, 1.0F - 0.7F * stretch, 1.0F + stretch,
            (float)at.angle * 1.6F};
    if (p->hurt > 0 && SDL_fmodf(s->t, 0.16F) < 0.06F) {
        return; /* it blinks */
    }
    for (int i = 0; i < 4; ++i) { /* the scarf */
        float back = 4.0F + 3.6F * (float)i,
              wave = SDL_sinf(s->t * 9.0F - (float)i) * (0.4F + 0.5F * (float)i);
        part(&f, -side * back, -9.5F + wave, 3.2F - 0.4F * (float)i, 2.2F - 0.2F * (float)i, TEAL,
                0xFF1B8E96U);
    }
    part(&f, -3.5F + 2.5F * swing, -1.5F, 3.4F, 2.6F, INK, INK);
    part(&f, 3.5F - 2.5F * swing, -1.5F, 3.4F, 2.6F, INK, INK);
    for (int i = 0; i < 2; ++i) {
        float x = i == 0 ? -4.2F : 4.2F;
        ear(&f, x, -13, 4.2F, 9.5F, INK);
        ear(&f, x, -13.5F, 2.8F, 7, i == 0 ? 0xFFF0DCC8U : CREAM);
        ear(&f, x, -13.5F, 1.4F, 4, CORAL);
    }
    part(&f, 0, -9.5F, 8.6F, 8.7F, INK, INK);
    part(&f, 0, -9.5F, 7.4F, 7.5F, CREAM, 0xFFE8B9A0U);
    part(&f, 0, -5.2F, 6.6F, 1.9F, TEAL, 0xFF1B8E96U);
    float open = SDL_fmodf(s->t, 2.7F) < 0.12F ? 0.3F : 2.1F;
    part(&f, side * 2.2F - 2.4F, -10.5F, 1.3F, open, INK, INK);
    part(&f, side * 2.2F + 2.4F, -10.5F, 1.3F, open, INK, INK);
    part(&f, side * 2.2F - 2.0F, -11.3F, 0.5F, 0.5F, CREAM, CREAM);
    part(&f, side * 2.2F + 2.8F, -11.3F, 0.5F, 0.5F, CREAM, CREAM);
}

static void draw_slime(const scene *s, const enemy *e, float x, float y)
{
    float wave = 0.08F * SDL_sinf(s->t * 7.0F + (float)e->home_x);
    const figure f = {s, x, y, e->flat ? 1.35F : 1.0F + wave, e->flat ? 0.35F : 1.0F - wave, 0};
    float side = (float)e->direction * 1.6F;
    part(&f, 0, -5.2F, 9.2F, 7.2F, INK, INK);
    part(&f, 0, -5.2F, 8.0F, 6.0F, 0xFFFF9A8AU, 0xFFC02F5CU);
    part(&f, -3.0F, -8.3F, 2.2F, 1.1F, 0xFFFFD9CEU, 0xFFFFD9CEU);
    for (int i = -1; i <= 1; i += 2) {
        part(&f, side + 2.6F * (float)i, -5.6F, 1.9F, 2.2F, CREAM, CREAM);
        part(&f, side * 1.4F + 2.6F * (float)i, -5.3F, 1.0F, 1.3F, INK, INK);
    }
}

static void draw_bat(const scene *s, const enemy *e, float x, float y)
{
    float flap = 6.0F * SDL_sinf(s->t * 15.0F + (float)e->home_x);
    const figure f = {s, x, y, e->flat ? 1.3F : 1, e->flat ? 0.4F : 1, 0};
    for (int i = -1; i <= 1; i += 2) {
        float side = (float)i;
        const SDL_FPoint edge[] = {{x + side * 3, y - 10}, {x + side * 17, y - 9 - flap},
                {x + side * 10, y - 1 - flap * 0.4F}, {x + side * 3, y - 3}};
        const SDL_FPoint wing[] = {{x + side * 3, y - 9}, {x + side * 15, y - 8 - flap},
                {x + side * 10, y - 2.4F - flap * 0.4F}, {x + side * 3, y - 4}};
        paint_shape(s->p, edge, 4, INK, INK);
        paint_shape(s->p, wing, 4, VIOLET, 0xFF4B3AA8U);
        ear(&f, side * 3.2F, -11, 2.6F, 5, INK);
    }
    part(&f, 0, -7, 6.4F, 6.2F, INK, INK);
    part(&f, 0, -7, 5.2F, 5, 0xFFB39BFFU, 0xFF5B45C0U);
    part(&f, -2, -7.6F, 1.3F, 1.5F, GOLD, GOLD);
    part(&f, 2, -7.6F, 1.3F, 1.5F, GOLD, GOLD);
}

static void draw_enemies(const scene *s)
{
    for (int32_t i = s->w->first; i != NONE; i = s->w->enemies[i].next) {
        const enemy *e = &s->w->enemies[i];
        const es_pose2 at = es_track2_at(&e->track, s->frame);
        if (at.x < (double)s->left - 24 || at.x > (double)s->right + 24) {
            continue;
        }
        if (e->kind == BAT) {
            draw_bat(s, e, (float)at.x, (float)at.y);
        } else {
            draw_slime(s, e, (float)at.x, (float)at.y);
        }
    }
}

/* Lights above the ground, and mist in the pits. */
static void draw_air(const scene *s)
{
    for (int i = (int)s->left / 24 - 2; i < (int)s->right / 24 + 2; ++i) {
        float x = 24.0F * (float)i + 20.0F * SDL_sinf(s->t * 0.5F + 6.0F * noise(i, 11));
        float y =
                90.0F + 200.0F * noise(i, 12) + 14.0F * SDL_sinf(s->t * 0.8F + 6.0F * noise(i, 13));
        float bright = 0.5F + 0.5F * SDL_sinf(s->t * 2.0F + 20.0F * noise(i, 14));
        paint_ellipse(s->p, x, y, 4, 4, fade(GOLD, 0.14F * bright), fade(GOLD, 0.14F * bright));
        paint_ellipse(s->p, x, y, 1, 1, fade(SUN, bright), fade(SUN, bright));
    }
    float low = (float)(ROWS * SIZE);
    paint_rect(s->p, s->left, low - 70, s->right - s->left, 70, fade(SKY_MIDDLE, 0),
            fade(SKY_TOP, 0.9F));
}

void draw_world(paint *p, const view *v, const world *w, const es_frame *frame)
{
    es_pose2 camera = es_track2_at(&v->camera, frame);
    double left = camera.x - (double)p->width / 2, top = camera.y - (double)PAINT_HEIGHT / 2;
    left = SDL_clamp(left, 0, COLUMNS * SIZE - (double)p->width);
    top = SDL_min(top, ROWS * SIZE - (double)PAINT_HEIGHT);
    scene s = {p, v, w, frame, (float)((double)frame->content_ns / ES_NS_PER_S), (float)left,
            (float)top, (float)left + p->width, (float)top + PAINT_HEIGHT};
    draw_sky(&s);
    draw_hills(&s, 0.15F, 168, 22, 0, 0xFF8D5590U);
    draw_hills(&s, 0.30F, 188, 20, 1, 0xFF5D3F7EU);
    draw_hills(&s, 0.50F, 214, 16, 2, 0xFF382A5CU);
    paint_origin(p, left, top);
    draw_tiles(&s);
    draw_enemies(&s);
    draw_player(&s);
    draw_particles(&s);
    draw_air(&s);
    paint_origin(p, 0, 0);
}

static void draw_heart(paint *p, float x, float y, colour c, float grow)
{
    const SDL_FPoint low[] = {
            {x - 5.6F - grow, y + 1}, {x + 5.6F + grow, y + 1}, {x, y + 7.0F + grow * 1.4F}};
    paint_ellipse(p, x - 2.8F, y, 3 + grow, 3 + grow, c, c);
    paint_ellipse(p, x + 2.8F, y, 3 + grow, 3 + grow, c, c);
    paint_shape(p, low, 3, c, c);
}

void draw_hud(paint *p, const world *w)
{
    char text[32];
    for (int i = 0; i < HEARTS; ++i) {
        float x = 16.0F + 16.0F * (float)i;
        draw_heart(p, x, 13, INK, 1.4F);
        draw_heart(p, x, 13, i < w->player.hearts ? CORAL : 0xFF4A3B63U, 0);
    }
    const SDL_FPoint gem[] = {{72, 8}, {77, 15}, {72, 22}, {67, 15}};
    paint_shape(p, gem, 4, GOLD, 0xFFF08A3CU);
    snprintf(text, sizeof text, "%d/%d", w->gems, w->gems_all);
    paint_text(p, 82, 11, 1, 0, CREAM, text);
    int seconds = w->ticks / w->rate;
    snprintf(text, sizeof text, "%d:%02d", seconds / 60, seconds % 60);
    paint_text(p, p->width - 12, 11, 1, 1, CREAM, text);
}
