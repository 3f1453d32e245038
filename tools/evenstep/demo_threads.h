/* SPDX-License-Identifier: Zlib
 *
 * demo_threads: the world's ticks on a thread of their own, by es_threaded, for one side.
 *
 * What the ticks look at goes to them by an exchange, a word per frame; what they have to tell
 * comes along with the states. So neither thread waits for the other, but for the lock of the
 * locked kind.
 */
#ifndef DEMO_THREADS_H
#define DEMO_THREADS_H

#include "evenstep/lock.h"
#include "evenstep/threaded.h"

#include "demo_choice.h"
#include "demo_report.h"
#include "demo_show.h"
#include "demo_tick.h"

/* What a side runs under. */
typedef struct demo_rule {
    const char *name; /* static */
    es_loop_config config;
    demo_way way; /* how it shows the instant between ticks */
} demo_rule;

enum { DEMO_HANDED = 64, DEMO_QUEUE = 2048 }; /* events kept with a tick; and in the queue */

/* What is handed over with each tick. */
typedef struct demo_tick_state {
    demo_scene scene;
    int64_t read_ns;           /* when the input in it was read */
    demo_thread_figures ticks; /* since the figures began anew ... */
    int64_t epoch;             /* ... for the so many-th time */
    demo_got got[DEMO_HANDED]; /* events of the last ticks, for a meter: a ring ... */
    int64_t got_count;         /* ... that so many were put into */
    int64_t events_lost;
    demo_job_figures job[DEMO_JOB_MODES];
    demo_recording recording;
} demo_tick_state;

typedef struct demo_threads {
    es_threaded threaded;
    es_threaded_frame shown; /* the frame that is being drawn */
    void *memory;
    es_mutex mutex; /* of the locked kind */
    bool has_mutex;
    es_exchange word;
    void *word_memory;
    demo_desk *desk; /* the side's; this thread's while it runs */
    es_input_queue queue;
    void *queue_memory;
    int64_t words; /* told so far */
    int64_t epoch;
    es_clock clock;
    bool running;
    bool joined;
} demo_threads;

/** Whether a threaded loop takes this; else error names the field. */
bool demo_threads_fit(const demo_rule *rule, es_error *error);

/** Starts the thread, which goes on from a tick of a world, at the place of what is in scene; not
 * one of this thread's own states. rule: as demo_choice_config made it. desk: lent until it is
 * stopped. false: no memory, or no thread to be had. */
bool demo_threads_start(demo_threads *threads, const demo_rule *rule, const es_clock *clock,
        const demo_scene *scene, int64_t tick, demo_desk *desk);

/** Another configuration or way, between frames. false: for that it must be started anew. */
bool demo_threads_change(demo_threads *threads, const demo_rule *rule);

/** Ends the thread; what it left behind can be looked at. */
void demo_threads_join(demo_threads *threads);

/** Ends the thread and gives everything back, events that wait to the desk; {0} is fine too. */
void demo_threads_stop(demo_threads *threads);

/** Says what ticks look at from now on, and what each costs besides. */
void demo_threads_tell(demo_threads *threads, const demo_now *now, int64_t update_cost_ns);

/** Hands an event over to the ticks. */
void demo_threads_push(demo_threads *threads, const es_input_event *event, int64_t now_ns);

/** The figures of the ticks begin anew. */
void demo_threads_remeasure(demo_threads *threads);

/** The world that the shown frame leads up to; NULL: there is none yet. */
const demo_tick_state *demo_threads_current(const demo_threads *threads);

/** The newest, or NULL. */
const demo_tick_state *demo_threads_newest(const demo_threads *threads);

/** Blends the shown frame's ticks; out holds the newest one before. */
void demo_threads_blend(const demo_threads *threads, demo_way way, demo_scene *out);

/** When the input in the shown picture was read: between its two ticks, as the picture is;
 * INT64_MIN: there is none yet. newest: it shows the newest tick as it is. */
int64_t demo_threads_input_ns(const demo_threads *threads, bool newest);

#endif
