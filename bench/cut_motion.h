/* SPDX-License-Identifier: Zlib
 *
 * Motion with known jumps, to see what es_jumped finds: for bench_cuts and tests/test_cuts.c. It was
 * written after the thresholds of src/world/cuts.c had been tuned on other motion.
 *
 * A length is about what an object moves in a tick: objects of a group differ by up to four times.
 */
#ifndef BENCH_CUT_MOTION_H
#define BENCH_CUT_MOTION_H

#include "bench.h"

#include <math.h>

typedef enum cut_kind {
    CUT_WALK = 0,
    CUT_BOUNCE,
    CUT_ORBIT,
    CUT_KNOCKED, /* walks, and is thrown back: 2 to 15 times as fast, slowing by 5 to 30 % per tick */
    CUT_TELEPORT, /* one of the first three that is put elsewhere every 500 ticks, 2 to 300 lengths away */
    CUT_REUSED, /* one of the first three whose number gets another object every 100 to 1500 ticks */
    CUT_KINDS
} cut_kind;

#define CUT_FIELD 500.0 /* they stay within this */

typedef struct cut_object {
    cut_kind kind, motion;
    double at[3];
    double way;  /* in this tick */
    double jump; /* how far it jumped in this tick, in its usual ways; 0: it did not */
    double usual; /* the mean way of its last 60 ticks in motion, or of its kind, if that is longer */
    /* the motion */
    double pace; /* lengths per tick at its usual speed */
    double speed[3], thrown[2], keeps;
    double goal[2], going, brakes;                  /* walking */
    double centre[3], radius, wobble, angle, turns; /* orbits */
    int64_t rest, life;
} cut_object;

static inline double cut_between(uint64_t *seed, double a, double b)
{
    return a + (b - a) * bench_random(seed);
}

/* A number whose logarithm is even. */
static inline double cut_scale(uint64_t *seed, double a, double b)
{
    return a * pow(b / a, bench_random(seed));
}

/* A circle around a circle, which speeds up and slows down. */
static inline void cut_orbit(cut_object *o)
{
    o->angle += o->pace / o->radius;
    const double small = o->wobble / o->turns;
    o->at[0] = o->centre[0] + o->radius * cos(o->angle) + small * cos(o->turns * o->angle);
    o->at[1] = o->centre[1] + o->radius * sin(o->angle) + small * sin(o->turns * o->angle);
    o->at[2] = o->wobble * sin(o->angle);
}

static inline void cut_begin(cut_object *o, cut_kind kind, uint64_t *seed)
{
    const double usual = o->usual;
    *o = (cut_object){.kind = kind, .motion = kind};
    if (kind > CUT_KNOCKED) {
        o->motion = (cut_kind)(3 * bench_random(seed));
    } else if (kind == CUT_KNOCKED) {
        o->motion = CUT_WALK;
    }
    o->pace = cut_scale(seed, 0.5, 2);
    o->usual = fmax(usual, o->pace);
    for (int i = 0; i < 2; ++i) {
        o->at[i] = cut_between(seed, 0, CUT_FIELD);
        o->goal[i] = cut_between(seed, 0, CUT_FIELD);
        o->speed[i] = cut_between(seed, -1, 1) * o->pace;
        o->centre[i] = o->at[i];
    }
    o->brakes = bench_random(seed) < 0.5 ? 1 : 0.15; /* half start and stop at once */
    o->radius = cut_between(seed, 8, 60);
    o->wobble = cut_between(seed, 0, 0.6) * o->radius;
    o->turns = floor(cut_between(seed, 2, 6));
    o->angle = cut_between(seed, 0, 6.28);
    o->life = (int64_t)cut_between(seed, 100, 1500);
    if (o->motion == CUT_ORBIT) {
        cut_orbit(o);
    }
}

/* Walls throw back. */
static inline void cut_wall(double *at, double *speed)
{
    if (*at < 0 || *at > CUT_FIELD) {
        *at = *at < 0 ? -*at : 2 * CUT_FIELD - *at;
        *speed *= -0.7;
    }
}

/* To a goal, then rests, then to another, sometimes running. */
static inline void cut_walk(cut_object *o, uint64_t *seed)
{
    const double x = o->goal[0] - o->at[0], y = o->goal[1] - o->at[1], far = hypot(x, y);
    double wanted = o->rest > 0 ? 0 : o->pace * (o->turns > 4 ? 2.2 : 1);
    o->rest -= o->rest > 0;
    if (o->rest == 0 && far < 4 * wanted) {
        o->rest = (int64_t)cut_between(seed, 10, 150);
        o->turns = cut_between(seed, 2, 6);
        for (int i = 0; i < 2; ++i) {
            o->goal[i] = cut_between(seed, 0, CUT_FIELD);
        }
    }
    o->going += (wanted - o->going) * o->brakes;
    o->angle += 0.3;
    const double step = o->going * (1 + 0.25 * sin(o->angle)) / fmax(far, 1e-9);
    o->at[0] += step * x + o->thrown[0];
    o->at[1] += step * y + o->thrown[1];
    o->at[2] = 0.3 * o->going * cos(o->angle); /* the gait */
    for (int i = 0; i < 2; ++i) {
        cut_wall(&o->at[i], &o->thrown[i]);
        o->thrown[i] = fabs(o->thrown[i]) > 0.01 ? o->thrown[i] * o->keeps : 0;
    }
    if (o->kind == CUT_KNOCKED && bench_random(seed) < 1.0 / 400) {
        const double to = cut_between(seed, 0, 6.28), fast = cut_between(seed, 2, 15) * o->pace;
        o->thrown[0] = fast * cos(to);
        o->thrown[1] = fast * sin(to);
        o->keeps = cut_between(seed, 0.7, 0.95);
    }
}

static inline void cut_bounce(cut_object *o, uint64_t *seed)
{
    o->speed[2] -= 0.015 * o->pace;
    for (int i = 0; i < 3; ++i) {
        o->at[i] += o->speed[i];
        if (i < 2) {
            cut_wall(&o->at[i], &o->speed[i]);
        }
    }
    if (o->at[2] < 0) {
        o->at[2] = -o->at[2];
        o->speed[2] *= -0.8;
        for (int i = 0; i < 3 && o->speed[2] < 0.2 * o->pace; ++i) { /* thrown again */
            o->speed[i] = cut_between(seed, i < 2 ? -0.8 : 0.6, 1.2) * o->pace;
        }
    }
}

static inline void cut_step(cut_object *o, uint64_t *seed)
{
    const double from[3] = {o->at[0], o->at[1], o->at[2]};
    bool jumps = false;
    if (o->motion == CUT_WALK) {
        cut_walk(o, seed);
    } else if (o->motion == CUT_BOUNCE) {
        cut_bounce(o, seed);
    } else {
        cut_orbit(o);
    }
    if (o->kind == CUT_TELEPORT && bench_random(seed) < 1.0 / 500) {
        double by[2] = {-CUT_FIELD, 0};
        while (fabs(o->at[0] + by[0] - CUT_FIELD / 2) > CUT_FIELD / 2
                || fabs(o->at[1] + by[1] - CUT_FIELD / 2) > CUT_FIELD / 2) {
            const double to = cut_between(seed, 0, 6.28);
            const double far = cut_scale(seed, 2, 300) * o->pace;
            by[0] = far * cos(to);
            by[1] = far * sin(to);
        }
        for (int i = 0; i < 2; ++i) {
            o->at[i] += by[i];
            o->centre[i] += by[i];
        }
        jumps = true;
    } else if (o->kind == CUT_REUSED && --o->life < 0) {
        cut_begin(o, CUT_REUSED, seed);
        jumps = true;
    }
    const double way = sqrt((o->at[0] - from[0]) * (o->at[0] - from[0])
                            + (o->at[1] - from[1]) * (o->at[1] - from[1])
                            + (o->at[2] - from[2]) * (o->at[2] - from[2]));
    o->way = way;
    o->jump = jumps ? way / o->usual : 0;
    if (!jumps && way > 0) {
        o->usual = fmax(o->usual + (way - o->usual) / 60, o->pace);
    }
}

/* --- what is found ---------------------------------------------------------------------------- */

enum { CUT_OBJECTS = 600, CUT_SIZES = 4, CUT_WARM_UP = 200 };

#define CUT_SHORTEST 3.0 /* six times the way of the slowest */

/* Jumps by their length: up to 4 usual ways, 8, 32, more. */
typedef struct cut_figures {
    int64_t jumps[CUT_SIZES], found[CUT_SIZES];
    int64_t ticks[CUT_KINDS],
            wrong[CUT_KINDS]; /* object ticks without a jump, and of these taken for one */
} cut_figures;

static inline void cut_count(cut_figures *f, const cut_object *o, double jump, bool found)
{
    if (jump > 0) {
        const int size = jump > 32 ? 3 : jump > 8 ? 2 : jump > 4 ? 1 : 0;
        f->jumps[size] += 1;
        f->found[size] += found;
    } else {
        f->ticks[o->kind] += 1;
        f->wrong[o->kind] += found;
    }
}

/* What es_jumped finds in this motion. object_ticks: after the warm-up. */
static inline cut_figures cut_run(
        uint64_t seed, int64_t object_ticks, const es_jumps *rule, bool lookahead)
{
    static cut_object objects[CUT_OBJECTS];

    float usual[CUT_OBJECTS] = {0};
    cut_figures figures = {{0}, {0}, {0}, {0}};
    for (int i = 0; i < CUT_OBJECTS; ++i) {
        objects[i].usual = 0;
        cut_begin(&objects[i], (cut_kind)(i % CUT_KINDS), &seed);
    }
    for (int64_t tick = -CUT_WARM_UP; tick < object_ticks / CUT_OBJECTS; ++tick) {
        for (int i = 0; i < CUT_OBJECTS; ++i) {
            cut_object *o = &objects[i];
            const double before = o->way, jump = o->jump;
            cut_step(o, &seed);
            const bool found = lookahead ? es_jumped(rule, &usual[i], before, o->way)
                                         : es_jumped(rule, &usual[i], o->way, -1);
            if (tick >= 0) {
                cut_count(&figures, o, lookahead ? jump : o->jump, found);
            }
        }
    }
    return figures;
}

#endif
