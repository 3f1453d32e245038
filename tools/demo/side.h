/* SPDX-License-Identifier: Zlib
 *
 * demo_side: one world under one loop, with its last ticks, the frame between them, and its
 * figures. The demo has one side, the split view two.
 *
 * A side runs its ticks on this thread, or by es_threads on another (demo_threads).
 */
#ifndef DEMO_SIDE_H
#define DEMO_SIDE_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"
#include "evenstep/world.h"

#include "draw.h"
#include "measure.h"
#include "threads.h"

#include "lab/numbers.h"

typedef struct demo_side {
    demo_rule rule;
    es_loop *loop;
    int64_t first_ns; /* when its first frame was expected to be seen */
    bool paused;
    demo_threads threads; /* in place of the history, while it runs */
    es_history *history;
    demo_desk desk; /* of the ticks, on whichever thread they run */
    demo_measure measure;
    es_frame frame; /* the one that is being drawn */
    demo_scene blended;
    const demo_scene *shown;   /* what the last frame drew */
    demo_trail trail;          /* places in the last frames */
    int64_t pairs[DEMO_PAIRS]; /* frames by demo_pair */
} demo_side;

/** Allocates. A side runs after demo_side_restart. false: no memory. */
bool demo_side_init(demo_side *side, const es_clock *clock);

/** Ends its ticks. What was drawn, and the newest tick, stay readable. */
void demo_side_join(demo_side *side);

/** Frees; {0} is accepted. */
void demo_side_finish(demo_side *side);

/** Starts from a tick of a world, between frames, with new figures. The rule is valid; scene may be
 * the side's own. false: no memory, or no thread. */
bool demo_side_restart(
        demo_side *side, const demo_rule *rule, const demo_scene *scene, int64_t tick);

/** Goes on from the instant on the screen under another rule, between frames, with new figures. The
 * rule is valid. false: it takes a restart. */
bool demo_side_change(demo_side *side, const demo_rule *rule);

/** The world at the newest tick. */
const demo_scene *demo_side_newest(const demo_side *side);

/* Its loop, on one thread or two. */
void demo_side_ready(demo_side *side);
void demo_side_end(demo_side *side);
void demo_side_pause(demo_side *side, bool paused);
void demo_side_set_speed(demo_side *side, lab_ratio speed);
es_rate demo_side_tick_rate(const demo_side *side); /* 60 where the configuration leaves it open */
bool demo_side_set_tick_rate(demo_side *side, es_rate rate); /* false: not for this loop */

void demo_side_update(demo_side *side, const es_step *step);

/** Finds out what to draw, from side->frame. */
void demo_side_look(demo_side *side);

/** Measures the frame that its loop has just ended, by the demo's number of it. */
void demo_side_presented(demo_side *side, int64_t frame, const es_report *shown);

/** Takes in a report of a screen time, and reports it to the loop. */
void demo_side_feedback(demo_side *side, es_present sample);

/** Starts the figures again with the next frame. */
void demo_side_remeasure(demo_side *side);

#endif
