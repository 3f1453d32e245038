/* SPDX-License-Identifier: Zlib
 *
 * demo_tick: all that one tick of the world does, on whichever thread it runs: finds out what it is
 * given, has that recorded, and moves the world on.
 */
#ifndef DEMO_TICK_H
#define DEMO_TICK_H

#include "demo_input.h"
#include "demo_job.h"
#include "demo_recorder.h"
#include "demo_scene.h"
#include "demo_world.h"

/* What a tick of the world looks at, besides its input. */
typedef struct demo_now {
    int64_t read_ns; /* when input was polled */
    demo_jump jump;
    demo_job_mode job;
    bool apart; /* groups tick at rates of their own */
} demo_now;

/* What ticks need beside the world, one after the other: it belongs to their thread. */
typedef struct demo_desk {
    demo_feed feed;
    demo_job job;
    demo_given given;        /* the last tick's */
    demo_recorder *recorder; /* NULL: nobody writes it down */
} demo_desk;

/** Runs a tick. base: the loop's tick rate. got: DEMO_GOT; receives events that are worth
 * measuring; returns how many. */
int demo_tick_run(demo_desk *desk, demo_scene *scene, const es_step *step, es_rate base,
        const demo_now *now, demo_got *got);

/** When the input that a tick sees was read: not after the instant that it stands for. */
int64_t demo_tick_read_ns(const es_step *step, const demo_now *now);

#endif
