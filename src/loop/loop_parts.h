/* SPDX-License-Identifier: Zlib
 *
 * What the files of the loop share: loop.c (the calls of a frame), loop_steps.c (which step is
 * next, and what gives when there is no time for it), loop_change.c (changes on the way),
 * loop_config.c.
 */
#ifndef ES_LOOP_PARTS_H
#define ES_LOOP_PARTS_H

#include "evenstep/loop.h"

#include "content.h"
#include "display/display.h"
#include "gap.h"
#include "pacer.h"
#include "ticker.h"

static inline bool es__is_initialised(const es_loop *loop)
{
    return loop != NULL && loop->initialised;
}

/* From a frame's first tick until it is ready nothing may change. */
static inline bool es__ticks_are_running(const es_loop *loop)
{
    return (loop->phase == ES_LOOP_TICKING && loop->ticker.ticks > 0)
           || loop->phase == ES_LOOP_PLANNED;
}

static inline int64_t es__not_negative(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

/* es__content_at, and without the call where time passes as it is. */
static inline int64_t es__content_at_ns(const es_loop *loop, int64_t present_ns)
{
    const es_content *content = &loop->content;
    if (!content->usual) {
        return es__content_at(content, present_ns);
    }
    int64_t due_ns = es__content_usual_due_ns(content, present_ns);
    return due_ns > content->last_content_ns ? due_ns : content->last_content_ns;
}

/* What lies between the time that content follows and the time it is seen, for good: what display
 * time removed from the clock, and content that stays ahead of the screen. */
static inline int64_t es__apart_ns(const es_loop *loop)
{
    const es_display *display = &loop->display;
    return es_ns_add(display->removed_ns, display->plan.reanchored_ns);
}

/* The content time that the open plan would show. */
static inline int64_t es__content_now_ns(const es_loop *loop)
{
    return es__content_at_ns(loop, loop->pacer.present_ns);
}

/* With the accumulator's bracket (loop_steps.c). */
int64_t es__due_now_ns(const es_loop *loop);

/* What ticks must reach. */
static inline int64_t es__target_now_ns(const es_loop *loop)
{
    return loop->ticker.due ? es__due_now_ns(loop) : es__content_now_ns(loop);
}

/* Whether the newest tick is all that this target asks for: then no tick is missing. */
static inline bool es__is_reached(const es_loop *loop, int64_t target_ns)
{
    return loop->ticker.plain && loop->ticker.time_ns >= target_ns;
}

/* --- loop_steps.c ----------------------------------------------------------------------------- */

/* What a tick costs: of this frame's, else of the last that were run. */
int64_t es__tick_cost_ns(const es_loop *loop, int64_t now_ns);

/* The ticks fall short of the frame by so much: the catch-up policy. */
void es__give_way(es_loop *loop, int64_t debt_ns);

/* Of what is owed, as much as the frame can give: what ticks of a lead that has grown fall short of
 * the last frame is not content's. */
int64_t es__what_can_go(const es_loop *loop, int64_t debt_ns);

/* The frame's ticks are over: what they cost, and so what the machine can do. */
void es__note_ticks(es_loop *loop, int64_t now_ns);

/* While paused, a wanted single step moves content. */
void es__apply_single_step(es_loop *loop);

/* Further behind than catch_up_max_ns: the clock is moved up. Returns what the ticks must reach. */
int64_t es__limit_behind(es_loop *loop, int64_t target_ns);

/* Lockstep: takes away what a time scale rounded. */
void es__align_lockstep(es_loop *loop);

/* The next step, if one of another length than the period is due. */
bool es__next_stretched(es_loop *loop, int64_t now_ns, int64_t target_ns, es_step *step);
bool es__next_variable(es_loop *loop, es_step *step);

/* --- loop_change.c ---------------------------------------------------------------------------- */

/* Puts a pause and a time scale in force, if nothing hinders it. */
void es__apply_speed(es_loop *loop);

/* The same, where nothing may have changed. */
static inline void es__follow_speed(es_loop *loop)
{
    if (loop->paused != loop->content.paused || loop->scale_changed) {
        es__apply_speed(loop);
    }
}

#endif
