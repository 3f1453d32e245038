/* SPDX-License-Identifier: Zlib
 *
 * demo_side: one world under one loop, with its last ticks, the picture between them, and how
 * smooth that was. The demo has one side, the split view two.
 *
 * Not for: waiting, presenting, or the calls of a frame: demo.c makes those, where they can be read
 * in a row.
 */
#ifndef DEMO_SIDE_H
#define DEMO_SIDE_H

#include "evenstep/feedback.h"
#include "evenstep/history.h"
#include "evenstep/loop.h"
#include "evenstep/synctest.h"

#include "demo_delay.h"
#include "demo_draw.h"
#include "demo_extra.h"
#include "demo_report.h"
#include "demo_show.h"
#include "demo_threads.h"

/* Pictures that may still be told of: as many as the adapters keep count of at most. */
enum { DEMO_PICTURES = 1024 };

enum { DEMO_INPUTS = 64 }; /* ticks whose input is remembered: as many as a picture may lie back */

typedef struct demo_side {
    demo_rule rule;
    es_loop loop;
    demo_threads threads; /* in place of the loop and the history, where it runs */
    es_history history;
    void *history_memory;
    demo_scene blended;
    es_draw_check draw_check; /* in debug builds: that drawing leaves the world alone */
    unsigned char before_draw[sizeof(demo_scene) + 63];
    const demo_scene *shown;         /* what the last frame drew */
    demo_trail trail;                /* and where things were in the ones before, too */
    es_frame frame;                  /* the one that is being drawn */
    int64_t content_ns;              /* of the last frame, */
    int64_t moved_ns;                /* and how far it is from the one before */
    bool settled;                    /* past the first pictures, which a delay makes stand still */
    es_feedback feedback;            /* pictures whose screen time may still be told */
    int64_t pictures[DEMO_PICTURES]; /* the newest taken in, by number: a ring; -1: none, ... */
    int64_t frames[DEMO_PICTURES];   /* ... which frame of the loop each was, ... */
    int64_t read_ns[DEMO_PICTURES];  /* ... when the input in it was read, ... */
    uint64_t counts[DEMO_PICTURES];  /* ... and which refresh showed it, where that is told */
    demo_counted counted;
    int64_t next_picture;
    int64_t loops_first;           /* the first picture of this loop, whose frames count from 0 */
    int64_t inputs[DEMO_INPUTS];   /* when the input of each of the last ticks was read: a ring */
    int64_t counts_from;           /* the first picture that the figures are about */
    uint32_t breaks;               /* times that pictures were left out: never compared across */
    int64_t settles_ns;            /* the figures are about what is shown from then on */
    demo_desk desk;                /* of the ticks, on whichever thread they are */
    int64_t got_count;             /* events that another thread handed over, taken in */
    int64_t world_ticks;           /* while playing: by how much the world's ticks and times are */
    int64_t world_ns;              /* others than the loop's */
    demo_delay_log log;            /* of input, by setting */
    demo_flight flight;            /* what the picture shows of the groups, */
    double flash_ms[DEMO_FLASHES]; /* and of clicks: how long they took; below 0: not known */
    demo_job_mode job_mode;
    int64_t job_since_ns; /* frames count from then on */
    demo_worst worst[DEMO_JOB_MODES];
    int64_t shown_ns; /* of the last picture; INT64_MIN: none to compare with */
    demo_stats turns[DEMO_TURNS];
    demo_stats *stats; /* of the loop whose turn it is */
} demo_side;

/** Makes room; what it holds is told by demo_side_restart. false: no memory, or no clock. */
bool demo_side_init(demo_side *side, const es_clock *clock);

/** Gives everything back; {0} is fine too. */
void demo_side_finish(demo_side *side);

/** Starts from a tick of a world, between frames. The figures start anew. The configuration has
 * been validated; scene may be the side's own; pointer: where it is by now. false: no memory, or no
 * thread to be had. */
bool demo_side_restart(demo_side *side, const demo_rule *rule, const demo_scene *scene,
        int64_t tick, demo_point pointer);

/** Goes on from the instant on the screen under another rule, between frames. The figures start
 * anew. The configuration has been validated. false: only a restart can do that. */
bool demo_side_change(demo_side *side, const demo_rule *rule);

/** Lets the other of two loops have its turn, between frames, from the instant on the screen. The
 * figures of each go on; what is shown in the first second of a turn is in none. */
void demo_side_take_turn(demo_side *side, const demo_rule *rule, int turn);

/** Whether the next picture would show the newest tick, or pass it: where a restart, which can only
 * go on from whole ticks, makes nothing leap. True too while everything stands. */
bool demo_side_is_at_tick(const demo_side *side);

/** Where the pointer is as of the newest tick. */
demo_point demo_side_pointer(const demo_side *side);

/** The world at the tick that the picture leads up to, for a restart; at first, as it is. */
const demo_scene *demo_side_scene(const demo_side *side);

/* Its loop, on one thread or two. */
bool demo_side_is_paused(const demo_side *side);
void demo_side_pause(demo_side *side, bool paused);
void demo_side_step_once(demo_side *side);
void demo_side_set_speed(demo_side *side, es_ratio speed);
es_rate demo_side_tick_rate(const demo_side *side);
bool demo_side_set_tick_rate(demo_side *side, es_rate rate); /* false: not one for this loop */
void demo_side_submit(demo_side *side);
const es_frame_report *demo_side_report(const demo_side *side);

/** Something happened. now_ns: it was polled. */
void demo_side_push(demo_side *side, const es_input_event *event, int64_t now_ns);

/** What happened before now is not measured: there was a pause. */
void demo_side_forget_input(demo_side *side);

/** A job of this kind from now on. */
void demo_side_set_job(demo_side *side, demo_job_mode mode);

/** Lets the job use the time until the frame starts, before es_loop_ready; or, after the end, the
 * time until the next begins. */
void demo_side_idle_before(demo_side *side);
void demo_side_idle_after(demo_side *side);

/** What the overlay and the reports say of input, job and groups. */
demo_extra demo_side_extra(const demo_side *side);

/** Runs one tick of the world. */
void demo_side_update(demo_side *side, const es_step *step, const demo_now *now);

/* A world that is run elsewhere, for a step of the loop. */
typedef struct demo_played {
    const demo_scene *world;
    int64_t time_ns; /* its simulated time */
    int64_t index;   /* the number of its tick */
    double portal;   /* by how much the ticks before it are to be shifted */
} demo_played;

/** Takes in what a tick came to elsewhere. */
void demo_side_take(demo_side *side, const es_step *step, const demo_played *played);

/** Has the job run what it would at this tick. Returns the items since the tick before. */
int32_t demo_side_slot(demo_side *side, const es_step *step, demo_job_mode mode);

/** Goes to another tick, whose world was found elsewhere. */
void demo_side_go(demo_side *side, int64_t tick, const demo_played *played);

/** Tells the loop of a picture, as it was told when that was recorded. */
void demo_side_tell(demo_side *side, const es_present_sample *sample);

/** Works out what to draw, from side->frame. */
void demo_side_look(demo_side *side);

/** Around a frame's look and drawing, in debug builds: aborts where they changed a field of the
 * world, which only an update may, and says which. */
void demo_side_draw_begin(demo_side *side);
void demo_side_draw_end(demo_side *side);

/** Takes in the frame that its loop has just ended: the picture-th picture. */
void demo_side_presented(demo_side *side, int64_t picture);

/** Takes in what was told of a picture, if it was one of this side's: of the first, and of those
 * that were presented while nobody saw them, no side knows. The loop is told what is believed. */
void demo_side_told(demo_side *side, const es_present_sample *sample);

/** Measures the pictures whose screen times are known. waits: false where none are ever told. */
void demo_side_measure(demo_side *side, int64_t now_ns, bool waits);

/** Pictures were left out before this one. */
void demo_side_break(demo_side *side);

/** The figures start anew, with the next picture. */
void demo_side_remeasure(demo_side *side);

/** Changes the policy. false: not one for this loop. */
bool demo_side_set_policy(demo_side *side, es_catch_up policy);

/** Draws in another way, with the lead for that where the loop has one. The figures start anew.
 * false: it takes another rule (demo_side_change). */
bool demo_side_set_way(demo_side *side, demo_way way);

#endif
