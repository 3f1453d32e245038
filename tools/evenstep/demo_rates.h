/* SPDX-License-Identifier: Zlib
 *
 * demo_rates: what need not tick with the world: sparks at 120 ticks per second, and birds, which
 * decide where to fly, at 10; each drawn at its own alpha. Or both with the world, to compare.
 *
 * Their last ticks are part of the world, so they go where it goes: to another thread, and on when
 * the loop is another.
 */
#ifndef DEMO_RATES_H
#define DEMO_RATES_H

#include "evenstep/rates.h"

typedef enum demo_group { DEMO_GROUP_SPARKS = 0, DEMO_GROUP_BIRDS, DEMO_GROUPS } demo_group;

enum {
    DEMO_SPARKS = 32,
    DEMO_BIRDS = 7,
    DEMO_BURST = 8,       /* sparks of a click */
    DEMO_BURSTS = 4,      /* clicks of a tick of the world that have some */
    DEMO_GROUP_TICKS = 16 /* that are kept: at 4 of a group in one of the world's, which may lead
                             a picture by 2 and delay it by 1 */
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

/* {0}: to be started by the first tick. */
typedef struct demo_groups {
    es_rates rates; /* where they have rates of their own ... */
    uint8_t apart;  /* ... which this says: 1. No bool: a forged file may have any byte here */
    uint8_t started;
    es_rate base;                /* of the loop, as of the newest tick, ... */
    int64_t base_tick;           /* ... and which that was */
    int64_t newest[DEMO_GROUPS]; /* tick */
    int64_t ran[DEMO_GROUPS];    /* ticks so far */
    demo_sparks sparks[DEMO_GROUP_TICKS];
    demo_birds birds[DEMO_GROUP_TICKS];
    float bursts[DEMO_BURSTS][2]; /* clicks that no tick of the sparks has had */
    int32_t burst_count;
    int32_t next_spark;
} demo_groups;

/* What a picture shows of them. */
typedef struct demo_flight {
    demo_spark sparks[DEMO_SPARKS];
    demo_bird birds[DEMO_BIRDS];
    double alphas[DEMO_GROUPS];
} demo_flight;

/** What a click does. */
void demo_groups_burst(demo_groups *groups, float x, float y);

/** Runs what is due at a tick of the world. base: the loop's tick rate; apart: at rates of their
 * own; x and y: the birds are afraid of that place. */
void demo_groups_tick(
        demo_groups *groups, const es_step *step, es_rate base, bool apart, float x, float y);

/** What a frame of the world shows of the groups. newest: their newest ticks as they are. */
void demo_groups_look(
        const demo_groups *groups, const es_frame *frame, bool newest, demo_flight *out);

/** They were read from somewhere: makes anew what follows from the rest. false: they make no sense,
 * and no tick may be run. */
bool demo_groups_load(demo_groups *groups);

/** Ticks per second of a group. */
double demo_groups_hz(const demo_groups *groups, demo_group group);

#endif
