/* SPDX-License-Identifier: Zlib
 *
 * What the files of the loop share: loop.c (the calls of a frame), loop_next.c (its first form),
 * loop_time.c (clocks and waiting), loop_steps.c (other steps than the next tick, catch-up policies), loop_change.c (changes while it
 * runs), loop_match.c (ticks that match refreshes), loop_threads.c (ticks on another thread),
 * loop_config.c.
 */
#ifndef ES_LOOP_H
#define ES_LOOP_H

#include "content.h"
#include "display/display.h"
#include "loop_config.h"
#include "loop_state.h"
#include "pacer.h"
#include "ticker.h"

#include <string.h>

/* es_frame.steps. */
typedef struct es__frame_steps {
    es_rate rate;    /* of ticks */
    int64_t step_ns; /* 0: updates are one period long; else their length: variable or stretched */
    int64_t base_tick; /* simulated time is counted from this tick */
    int64_t base_ns;   /* base_tick ended then */
    int64_t due_ns;    /* the newest tick's, as in es_step */
    double speed;      /* of content: 1 normal, 0 paused */
} es__frame_steps;

_Static_assert(sizeof(es__frame_steps) == sizeof(((es_frame *)0)->steps), "it fits");

static inline es__frame_steps es__frame_steps_of(const es_frame *frame)
{
    es__frame_steps steps;
    memcpy(&steps, frame->steps, sizeof steps);
    return steps;
}

static inline bool es__is_initialised(const es_loop *loop)
{
    return loop != NULL && loop->initialised;
}

/* From a frame's first tick until es_loop_wait changes are refused. */
static inline bool es__ticks_are_running(const es_loop *loop)
{
    return (loop->phase == ES_LOOP_TICKING && loop->ticker.ticks > 0)
           || loop->phase == ES_LOOP_PLANNED;
}

static inline int64_t es__not_negative(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

/* Uncapped: a longer frame does not predict the next one. */
#define ES__SPAN_MAX_NS (100 * ES_NS_PER_MS)

/* After a resync the time since the last frame counts as this. */
static inline int64_t es__resync_interval_ns(const es_loop *loop)
{
    if (loop->pacer.interval_ns == 0 && loop->before.span_ns > 0
            && loop->before.span_ns < ES__SPAN_MAX_NS) {
        return loop->before.span_ns; /* uncapped: as the last frame */
    }
    return es__known_interval_ns(loop->pacer.interval_ns);
}

/* The work between two readings of the work clock. A host's clock may step back. */
static inline int64_t es__work_since(int64_t begin_ns, int64_t now_ns)
{
    return es__not_negative(es__ns_between(begin_ns, now_ns));
}

/* The lasting offset between the time that content follows and the time it is seen: time that the
 * display found to be no time of the clock, and content that stays ahead of the screen. */
static inline int64_t es__lasting_offset_ns(const es_loop *loop)
{
    const es__display *display = &loop->display;
    return es__clamp_ns(display->removed_ns) + es__clamp_ns(display->plan.reanchored_ns);
}

/* The content time that the open plan would show. */
static inline int64_t es__content_now_ns(const es_loop *loop)
{
    return es__content_at(&loop->content, loop->pacer.present_ns);
}

/* After es__display_init: D is another one. Content goes on by one interval, and the account keeps the
 * leaps of the clock that the display found. */
void es__reanchor(es_loop *loop, int64_t interval_ns);

/* A filtered time on the loop's clock. */
static inline int64_t es__to_clock(const es_loop *loop, int64_t time_ns)
{
    return loop->frame.host ? time_ns : es__gap_filter_to_clock(&loop->gap, time_ns);
}

/* The frame's ticks, if they run on this thread. */
static inline int32_t es__own_ticks(const es_loop *loop)
{
    return loop->hooks != NULL ? 0 : loop->ticker.ticks;
}

/* A call is refused: sets es_get_error. Returns false. */
static inline bool es__refuse_call(es_result result, const char *call)
{
    return es__fail(result, call, NULL) == ES_OK;
}

/* --- loop_problem.c --------------------------------------------------------------------------- */

void es__problem_note(es_loop *loop, es__problem problem);

/* A frame begins: counts it, and judges the last second. */
void es__problem_frame(es_loop *loop, int64_t now_ns);

void es__problem_begun(es_loop *loop);

/* Present has returned. submitted: the program called es_loop_submit. */
void es__problem_returned(es_loop *loop, int64_t now_ns, bool submitted);

/* --- loop_config.c ---------------------------------------------------------------------------- */

/* ES_OK where es__loop_init would accept config. error: the first wrong field; may be NULL. */
es_result es__loop_config_validate(const es_loop_config *config, es__error *error);

/* Makes a loop in the caller's memory, of any content. config: copied; NULL: the default. error: the
 * first wrong field; may be NULL. */
es_result es__loop_init(es_loop *loop, const es_loop_config *config, es__error *error);

/* Fields that must be 0 where another thread runs the ticks. */
es_result es__loop_check_threads(const es_loop_config *config, es__error *error);

/* ES_ERR_STATE: ticks run. */
es_result es__loop_reconfigure(es_loop *loop, const es_loop_config *config, es__error *error);

/* --- loop.c ----------------------------------------------------------------------------------- */

/* Opens a frame of a host, at its time stamp. expected_present_ns: 0: not known. False: a frame cap leaves
 * this call out. */
bool es__loop_begin_host(es_loop *loop, int64_t start_ns, int64_t expected_present_ns);

/* The stepped form of es_loop_wait. */
bool es__loop_ready(es_loop *loop, es_frame *frame);

/* The plan is final, and drawing begins. frame: filled; may be NULL. */
void es__hand_out(es_loop *loop, es_frame *frame);

/* --- loop_time.c ------------------------------------------------------------------------------ */

/* A frame begins at this reading of the clock, or at a host's stamp. */
void es__take_first_reading(es_loop *loop, int64_t clock_ns);

/* A frame opens: reads the CPU time if the frame needs it, and how long the machine has slept. */
void es__read_other_clocks(es_loop *loop);

/* For work and reports: the filtered time now; in a host's frame the loop's own clock, which may
 * have another origin. */
int64_t es__read_work_clock(es_loop *loop);

/* Whether this thread spent less than half of the work on the CPU. CPU time is counted from the
 * begin of the frame before, whose rendering is part of the work. */
bool es__mostly_waited(const es_loop *loop, int64_t work_ns);

/* The time for which this frame waited without CPU time, as when drawing waits for a buffer. Only
 * where presents do not wait. */
int64_t es__drawing_idle_ns(const es_loop *loop, int64_t now_ns);

/* Waits until a filtered time; now_ns has just been read. Returns the time after it. */
int64_t es__wait_for(es_loop *loop, int64_t now_ns, int64_t until_ns);

/* until_ns, as display timing plans it, but within what frames are apart. */
int64_t es__bounded_ns(const es_loop *loop, int64_t now_ns, int64_t until_ns);

/* Whether interval_ns caps frames that display timing does not plan. */
bool es__is_capped(const es_loop *loop);

void es__wait_to_begin(es_loop *loop);

/* Present has returned, where display timing does not plan: looks for presents that never block. */
void es__check_if_free(es_loop *loop, int64_t now_ns);

/* --- loop_steps.c ----------------------------------------------------------------------------- */

/* The instant that ticks must reach. */
int64_t es__target_now_ns(const es_loop *loop);

/* The mean cost of this frame's ticks, else of the last frame that had ticks; in the first form of
 * recent frames. */
int64_t es__tick_cost_ns(const es_loop *loop, int64_t now_ns);

/* A timer decides when drawing starts. A display's frames start at once. */
static inline bool es__start_is_timed(const es_loop *loop)
{
    return !loop->pacer.host && loop->pacer.config.pace != ES_PACE_UNCAPPED;
}

/* First form with es_loop_wait: what the ticks of the open frame are expected to take; else 0. */
int64_t es__planned_ticks_ns(const es_loop *loop);

/* The ticks that count as drawing: those of the first form without es_loop_wait. */
int32_t es__drawn_ticks(const es_loop *loop);

/* The ticks fall short of the frame by debt_ns: applies the catch-up policy. */
void es__apply_catch_up(es_loop *loop, int64_t debt_ns);

/* The part of the debt that this frame's content can yield. Ticks of a lead that has grown may fall
 * short of the last frame; that is no debt of content. */
int64_t es__droppable_ns(const es_loop *loop, int64_t debt_ns);

/* The frame's ticks are over: records their cost, which tells what the machine can do. */
void es__record_tick_cost(es_loop *loop, int64_t now_ns);

/* The frame was submitted: remembers its work. */
es__display_work es__note_work(es_loop *loop);

/* While paused: a requested single step moves content. */
void es__apply_single_step(es_loop *loop);

/* Debt over catch_up_max_ns goes to the catch-up policy. Returns what ticks must reach. */
int64_t es__limit_debt(es_loop *loop, int64_t target_ns);

/* Lockstep: removes what a time scale rounded. */
void es__align_lockstep(es_loop *loop);

/* The next step, if one of another length than the period is due. */
bool es__next_stretched(es_loop *loop, int64_t now_ns, int64_t target_ns, es_step *step);
bool es__next_variable(es_loop *loop, es_step *step);

/* The real time since the last frame that counts: that of a variable step. */
int64_t es__elapsed_real_ns(const es_loop *loop);

/* --- loop_match.c ----------------------------------------------------------------------------- */

/* The frame that is being planned counts by refreshes where ticks match them, else by time. */
void es__match_refreshes(es_loop *loop);

/* --- loop_change.c ---------------------------------------------------------------------------- */

bool es__loop_is_paused(const es_loop *loop);

/* ES_ERR_INVALID: not 0/1 to 1000/1. */
es_result es__loop_set_scale(es_loop *loop, es__ratio scale);

/* For src/follow. Whether content may follow another clock; the last frame's D by the clock, and its C without
 * limits (false: none, or paused); its
 * intended length; content moves by this for good, forward by half of catch_up_max_ns at most. It is never
 * shown to go back. */
bool es__loop_may_follow(const es_loop *loop);
bool es__loop_last_due(const es_loop *loop, int64_t *present_ns, int64_t *content_ns);
int64_t es__loop_last_frame_ns(const es_loop *loop);
void es__loop_jump(es_loop *loop, int64_t span_ns);

/* Puts a requested pause and time scale in force, unless ticks are running. */
void es__apply_speed(es_loop *loop);

/* Before a frame: puts a change of visibility in force. After it, and after a gap without a frame that
 * waits to be seen, the display is looked at anew. */
void es__apply_visible(es_loop *loop);

/* Looks at the display anew. Content goes on by one interval. */
void es__restart_display(es_loop *loop);

/* --- loop_threads.c: for src/threads ---------------------------------------------------------- */

/* What a frame shows in place of the loop's plan, and the terms of the account for it. */
typedef struct es__loop_shown {
    int64_t content_ns;
    int64_t dropped_ns, slow_motion_ns, moved_ns, reanchored_ns;
    int64_t previous_tick, current_tick, previous_ns, current_ns; /* the pair */
    int64_t newest_tick, newest_ns;
} es__loop_shown;

/* From now on the frames have no ticks, and the hooks are called. Not while ticks run. */
void es__loop_attach(es_loop *loop, const es__loop_hooks *hooks, void *user);

/* The loop goes on by itself: content from the last frame, and ticks from the newest of these. */
void es__loop_detach(es_loop *loop, const es__ticker *ticks);

/* In the hook planned. C of the frame, without limits; what it shows. */
int64_t es__loop_due_content_ns(const es_loop *loop);
void es__loop_show(es_loop *loop, const es__loop_shown *shown);

/* Likewise: C is earlier by this, and slow motion begins. A tick is worth this much real time, and costs
 * cost_ns; 0: unknown. */
void es__loop_withhold(es_loop *loop, int64_t slow_motion_ns, int64_t worth_ns, int64_t cost_ns);

/* Likewise: the frame shows this instant, and content goes on from it; after a seek, or where the ticks
 * have gone on. Returns by how much it was moved. */
int64_t es__loop_move(es_loop *loop, int64_t content_ns);
int64_t es__loop_reanchor(es_loop *loop, int64_t content_ns);

/* The loop's own ticks count from this one; from the base of a ticker if the tick is past that:
 * equal to the nanosecond. */
void es__loop_follow_ticks(es_loop *loop, int64_t index, int64_t time_ns, const es__ticker *base);

/* In the hook before: the rate of the ticks around the last frame. */
void es__loop_follow_rate(es_loop *loop, es_rate rate);

#if ES__ASSERTS
/* What holds for every frame (loop.c). */
void es__check_frame(const es_loop *loop, const es_frame *before, bool follows, int64_t last_ns);
#endif

#endif
