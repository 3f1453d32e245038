/* SPDX-License-Identifier: Zlib
 *
 * demo_threads: the world's ticks, also on a thread of their own, by es_threads.
 *
 * The cost goes to the ticks by an atomic variable, events by es_input.
 * Neither thread waits for the other.
 */
#ifndef DEMO_THREADS_H
#define DEMO_THREADS_H

#include "evenstep/input.h"
#include "evenstep/threads.h"

#include "input.h"
#include "rule.h"

#include <stdatomic.h>

enum { DEMO_EVENTS_MAX = 2048 }; /* of one tick */

/* What a frame blends. */
typedef enum demo_pair {
    DEMO_PAIR_INTERPOLATED,
    DEMO_PAIR_CLAMPED,      /* its tick has not run: the newest */
    DEMO_PAIR_EXTRAPOLATED, /* its tick has not run, and is predicted */
    DEMO_PAIR_GAP,          /* one tick as it is */
    DEMO_PAIRS
} demo_pair;

/* What ticks need beside the world. It belongs to their thread. */
typedef struct demo_desk {
    es_input *input;
    es_input_event events[DEMO_EVENTS_MAX]; /* of a tick */
} demo_desk;

/** Runs a tick, on the thread of the desk. */
void demo_tick(demo_desk *desk, demo_scene *scene, const es_step *step);

/* The state of a tick, for the other thread. */
typedef struct demo_tick_state {
    demo_scene scene;
} demo_tick_state;

typedef struct demo_threads {
    es_threads *threads;
    es_threads_config config;
    es_view view;         /* of the frame that is being drawn */
    demo_tick_state last; /* after demo_threads_join */
    demo_desk *desk;      /* the side's; the ticks' while they run */
    es_clock clock;
    atomic_llong update_cost_ns; /* what ticks read */
    bool running;
    bool joined;
} demo_threads;

/** Starts the thread with the state of the loop's newest tick, which is copied. desk: lent until
 * demo_threads_join. false: no memory, or no thread. */
bool demo_threads_start(demo_threads *threads, const demo_rule *rule, es_loop *loop,
        const es_clock *clock, const demo_scene *scene, demo_desk *desk);

/** Another rule, between frames. false: no memory, or no thread. */
bool demo_threads_change(demo_threads *threads, const demo_rule *rule, es_loop *loop);

/** Ends the thread; its last state stays readable. */
void demo_threads_join(demo_threads *threads);

/** Ends the thread and frees all memory; {0} is accepted. */
void demo_threads_stop(demo_threads *threads);

/** Sets what each tick costs besides, from now on. */
void demo_threads_set(demo_threads *threads, int64_t update_cost_ns);

/** The newest tick that is there, or NULL. */
const demo_tick_state *demo_threads_newest(const demo_threads *threads);

demo_pair demo_threads_pair(const demo_threads *threads, const es_frame *frame);

/** Blends the frame's ticks into out, which holds the newest. */
void demo_threads_blend(
        const demo_threads *threads, const es_frame *frame, demo_way way, demo_scene *out);

#endif
