/* SPDX-License-Identifier: Zlib
 *
 * demo_rates: groups of the world that may tick at rates of their own: sparks at 120 ticks per
 * second, birds at 10. Part of the recorded state; frames do not show them since 0.2.
 */
#ifndef DEMO_RATES_H
#define DEMO_RATES_H

#include "evenstep/schedule.h"

typedef enum demo_group { DEMO_GROUP_SPARKS = 0, DEMO_GROUP_BIRDS, DEMO_GROUPS } demo_group;

enum {
    DEMO_SPARKS = 32,
    DEMO_BIRDS = 7,
    DEMO_BURST = 8,       /* sparks of a click */
    DEMO_BURSTS = 4,      /* clicks of a tick of the world that have sparks */
    DEMO_GROUP_TICKS = 16 /* ticks of a group that are kept */
};

typedef struct demo_spark {
    float x, y, vx, vy;
    float life; /* from 1 down; 0: none */
} demo_spark;

typedef struct demo_bird {
    float x, y, vx, vy;
} demo_bird;

/* A tick of each group: a slot of a ring. */
typedef struct demo_sparks {
    int64_t tick;
    demo_spark each[DEMO_SPARKS];
} demo_sparks;

typedef struct demo_birds {
    int64_t tick;
    demo_bird each[DEMO_BIRDS];
} demo_birds;

/* {0}: the first tick starts it. */
typedef struct demo_groups {
    uint8_t apart; /* 1: at rates of their own. No bool: a forged file may have any byte here */
    uint8_t started;
    es_rate base; /* of the loop, since this tick and its time: */
    int64_t first_tick, first_ns;
    int64_t base_tick;           /* the newest */
    int64_t newest[DEMO_GROUPS]; /* tick */
    int64_t ran[DEMO_GROUPS];    /* ticks so far */
    demo_sparks sparks[DEMO_GROUP_TICKS];
    demo_birds birds[DEMO_GROUP_TICKS];
    float bursts[DEMO_BURSTS][2]; /* clicks that no tick of the sparks has had */
    int32_t burst_count;
    int32_t next_spark;
} demo_groups;

/** A click: makes sparks. */
void demo_groups_burst(demo_groups *groups, float x, float y);

/** Runs the ticks that are due at a tick of the world. base: the loop's tick rate; apart: at rates
 * of their own; x and y: the place that birds avoid. */
void demo_groups_tick(
        demo_groups *groups, const es_step *step, es_rate base, bool apart, float x, float y);

/** After the fields were read. false: they are not valid, and no tick may run. */
bool demo_groups_is_valid(const demo_groups *groups);

#endif
