/* SPDX-License-Identifier: Zlib
 *
 * Both sides of es_threads, stepped in virtual time: the update thread wakes late, takes its time,
 * and goes on while the renderer waits, draws or is blocked. Frames are compared with those of a
 * single-threaded loop, one tick behind, whose frames take the same times.
 */
#ifndef THREADS_SIM_H
#define THREADS_SIM_H

#include "evenstep/threads.h"

#include "frame_support.h"
#include "manual_clock.h"

#include "loop/loop.h"
#include "threads/threads.h"

#include <stdlib.h>
#include <string.h>

enum { TICKS_LOGGED = 4096 };

typedef struct world {
    int64_t tick;
    int64_t time_ns;
    int64_t jumps; /* seeks before it */
} world;

/* Times drawn at random, the n-th always the same. */
typedef struct spread {
    int64_t least_ns;
    int64_t more_ns; /* random, below this; 0: none */
    uint64_t seed;
} spread;

/* Of the loop and of its threads. */
typedef struct setting {
    es_loop_config loop;
    int32_t lead_ticks;
    int64_t ahead_max_ns;
    bool stop_without_frames;
} setting;

/* A frame, and what it shows. */
typedef struct shown_frame {
    es_frame frame;
    es__view_status status;
    int64_t wanted_ns;
    int64_t moved_ns;
    es_view view;
    const void *previous;
    const void *current;
} shown_frame;

typedef struct sim {
    int64_t now_ns;
    int64_t suspended_ns;
    setting config;
    es_loop *loop;
    es_threads *threads;
    /* the update thread */
    spread late;
    spread cost;
    bool working;
    int64_t done_ns;
    int64_t jumps;
    int64_t to;    /* of the next seek by a call */
    int64_t begun; /* ticks */
    int64_t last_begun_ns;
    int64_t dropped_ns; /* of es__tick */
    es__tick tick;
    int64_t published_ns[TICKS_LOGGED]; /* by tick */
    int64_t newest;
    /* the renderer */
    bool first_form; /* of a frame */
    spread draw;
    spread wake;        /* waits end late */
    int64_t refresh_ns; /* present blocks until the next; 0: not at all */
    int64_t block_ns;   /* the next present blocks this long */
    int64_t sleep_ns;   /* amid that, or after the next wait, the machine sleeps ... */
    bool counts_sleep;  /* ... and its clock goes on */
    int64_t asleep_ns;  /* it fell asleep then */
    int64_t frames;
    int64_t first_present_ns;
    shown_frame shown;
    int64_t dropped_by_frames_ns, slow_motion_by_frames_ns;
} sim;

static inline int64_t of_spread(const spread *of, int64_t number)
{
    test_random random = {of->seed * 77 + (uint64_t)number * 1000003 + 12345};
    random_u64(&random);
    random_u64(&random);
    return of->least_ns + (of->more_ns > 0 ? random_below(&random, of->more_ns) : 0);
}

/* --- the update thread ------------------------------------------------------------------------ */

/* When it does something next. Lateness counts from when the tick was due, or the thread was
 * free. */
static inline int64_t next_event_ns(sim *s)
{
    if (s->threads == NULL) {
        return INT64_MAX;
    }
    if (s->working) {
        return s->done_ns;
    }
    int64_t due_ns = es__tick_due(s->threads);
    if (due_ns == INT64_MAX) {
        return INT64_MAX;
    }
    due_ns = due_ns > 0 ? due_ns : 0;
    due_ns += of_spread(&s->late, s->newest + 1);
    return due_ns > s->now_ns ? due_ns : s->now_ns;
}

static inline void end_tick(sim *s)
{
    world *state = s->tick.state;
    *state = (world){s->tick.step.index, s->tick.step.time_ns, s->jumps};
    assert_int_equal(es__tick_end(s->threads), ES_OK);
    s->newest = s->tick.step.index;
    s->published_ns[s->newest % TICKS_LOGGED] = s->now_ns;
    s->working = false;
}

static inline void begin_tick(sim *s)
{
    int64_t due_ns = es__tick_due(s->threads);
    assert_true(es__tick_begin(s->threads, &s->tick));
    assert_int_equal(s->tick.late_ns, due_ns == INT64_MIN ? 0 : s->now_ns - due_ns);
    if (es__loop_is_paused(s->loop)) { /* a single step is for now, or for the next frame */
        assert_true(s->tick.step.due_ns >= s->now_ns);
    }
    const world *previous = s->tick.previous;
    assert_int_equal(previous->tick, s->tick.step.index - 1);
    assert_int_equal(previous->time_ns, s->tick.step.time_ns - s->tick.step.dt_ns);
    s->dropped_ns += s->tick.dropped_ns;
    s->begun += 1;
    s->last_begun_ns = s->now_ns;
    s->working = true;
    s->done_ns = s->now_ns + of_spread(&s->cost, s->tick.step.index);
}

/* Lets time pass for both threads. */
static inline void advance(sim *s, int64_t to_ns)
{
    for (int64_t at_ns = next_event_ns(s); at_ns <= to_ns; at_ns = next_event_ns(s)) {
        s->now_ns = at_ns;
        if (s->working) {
            end_tick(s);
        } else {
            begin_tick(s);
        }
    }
    if (to_ns > s->now_ns) {
        s->now_ns = to_ns;
    }
}

static inline void seek(sim *s, int64_t tick)
{
    void *state = NULL;
    if (s->working) {
        s->now_ns = s->done_ns;
        end_tick(s);
    }
    s->jumps += 1;
    assert_int_equal(es__tick_seek(s->threads, tick, &state), ES_OK);
    *(world *)state = (world){tick, s->threads->ticks.ticker.time_ns, s->jumps};
    assert_int_equal(es__tick_end(s->threads), ES_OK);
    s->newest = tick;
    s->published_ns[tick % TICKS_LOGGED] = s->now_ns;
}

/* --- the clock, and the renderer -------------------------------------------------------------- */

static inline int64_t sim_now(void *user)
{
    const sim *s = user;
    return s->now_ns;
}

static inline int64_t sim_suspended(void *user)
{
    const sim *s = user;
    return s->suspended_ns;
}

/* Returns by how much the clock has moved. */
static inline int64_t fall_asleep(sim *s)
{
    int64_t passed_ns = s->counts_sleep ? s->sleep_ns : 0;
    s->asleep_ns = s->sleep_ns > 0 ? s->now_ns : s->asleep_ns;
    s->suspended_ns += s->sleep_ns;
    s->now_ns += passed_ns;
    s->done_ns += passed_ns;
    s->sleep_ns = 0;
    return passed_ns;
}

static inline void sim_wait(void *user, int64_t deadline_ns)
{
    sim *s = user;
    advance(s, deadline_ns + of_spread(&s->wake, s->frames));
    if (s->block_ns == 0) {
        fall_asleep(s);
    }
}

static inline void start_threads(sim *s, const void *state)
{
    const es_threads_config config = {.state_size = sizeof(world),
            .state = state,
            .lead_ticks = s->config.lead_ticks,
            .ahead_max_ns = s->config.ahead_max_ns,
            .stop_without_frames = s->config.stop_without_frames};
    s->threads = es_threads_start(s->loop, &config);
    if (s->threads == NULL) {
        fail_msg("%s", es_get_error());
    }
    s->newest = s->threads->ticks.ticker.index;
    s->published_ns[s->newest % TICKS_LOGGED] = s->now_ns;
}

static inline sim *make_with(const setting *config, int64_t start_ns)
{
    sim *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->config = *config;
    s->now_ns = start_ns;
    s->config.loop.clock.now_ns = sim_now;
    s->config.loop.clock.wait_until = sim_wait;
    s->config.loop.clock.suspended_ns = sim_suspended;
    s->config.loop.clock.user = s;
    s->loop = es_loop_create(&s->config.loop);
    if (s->loop == NULL) {
        fail_msg("%s", es_get_error());
    }
    start_threads(s, NULL);
    s->draw.least_ns = 2 * MS;
    return s;
}

static inline setting config_at(es_rate ticks, int64_t interval_ns)
{
    setting config = {0};
    config.loop.tick_rate = ticks;
    config.loop.pace = ES_PACE_ADAPTIVE;
    config.loop.interval_ns = interval_ns;
    config.loop.delay_ticks = 1.0;
    return config;
}

static inline sim *make(es_rate ticks, int64_t interval_ns)
{
    setting config = config_at(ticks, interval_ns);
    return make_with(&config, 1000);
}

static inline void drop(sim *s)
{
    es_threads_stop(s->threads, NULL);
    es_loop_destroy(s->loop);
    free(s);
}

static inline bool ask_rate(sim *s, es_rate rate)
{
    es_loop_config config = es_loop_get_config(s->loop);
    config.tick_rate = rate;
    return es_loop_configure(s->loop, &config);
}

static inline int64_t present_ns(const sim *s, int64_t now_ns)
{
    if (s->block_ns > 0) {
        return now_ns + s->block_ns;
    }
    return s->refresh_ns > 0 ? (now_ns / s->refresh_ns + 1) * s->refresh_ns : now_ns;
}

static inline void present(sim *s)
{
    int64_t until_ns = present_ns(s, s->now_ns);
    advance(s, s->now_ns + s->block_ns / 2);
    until_ns += fall_asleep(s);
    advance(s, until_ns);
    s->block_ns = 0;
}

/* The states are of the ticks that the frame says, and the account adds up. */
static inline void check_frame(sim *s)
{
    const shown_frame *shown = &s->shown;
    const es_frame *frame = &shown->frame;
    const es_account *a = &frame->account;
    assert_account_adds_up(frame, s->first_present_ns);
    s->dropped_by_frames_ns += frame->account.frame_dropped_ns;
    s->slow_motion_by_frames_ns += frame->account.frame_slow_motion_ns;
    assert_int_equal(s->dropped_by_frames_ns, a->dropped_ns);
    assert_int_equal(s->slow_motion_by_frames_ns, a->slow_motion_ns);
    assert_int_equal(s->loop->content.last_content_ns, frame->content_ns);
    assert_true(frame->alpha >= 0.0 && frame->alpha <= 1.0);
    const world *previous = shown->previous;
    const world *current = shown->current;
    assert_int_equal(previous->tick, frame->previous_tick);
    assert_int_equal(current->tick, frame->current_tick);
    assert_int_equal(previous->time_ns, frame->previous_ns);
    assert_int_equal(current->time_ns, frame->current_ns);
    assert_int_equal(previous->jumps, current->jumps);
    const es_view *view = &shown->view;
    int64_t age = frame->newest_tick - frame->current_tick;
    assert_int_equal(frame->ticks, 0);
    assert_ptr_equal(view->states[age], shown->current);
    assert_int_equal(view->times_ns[age], frame->current_ns);
    assert_int_equal(((const world *)view->states[0])->tick, frame->newest_tick);
    assert_int_equal(view->late_ns,
            shown->status == ES__VIEW_GAP ? 0 : shown->wanted_ns - frame->content_ns);
    if (shown->status == ES__VIEW_INTERPOLATED) {
        assert_int_equal(shown->wanted_ns, frame->content_ns);
        assert_true(frame->previous_ns <= frame->content_ns);
        assert_true(frame->content_ns <= frame->current_ns);
    } else {
        assert_true(frame->alpha == 1.0);
    }
}

/* The stepped form reads the clock as often as the loop to compare with. */
static inline void run_frame(sim *s)
{
    es_step step;
    if (s->first_form) {
        assert_true(es_loop_next(s->loop, &s->shown.frame));
    } else {
        assert_true(es_loop_begin(s->loop));
        assert_false(es_loop_tick(s->loop, &step));
        assert_true(es_loop_wait(s->loop, &s->shown.frame));
    }
    const es__shown *shown = &s->threads->render.shown;
    assert_true(es_threads_view(s->threads, &s->shown.view));
    s->shown.status = shown->status;
    s->shown.wanted_ns = shown->wanted_ns;
    s->shown.moved_ns = shown->moved_ns;
    s->shown.previous = s->shown.view.previous;
    s->shown.current = s->shown.view.current;
    if (s->frames == 0) {
        s->first_present_ns = s->shown.frame.present_ns;
    }
    check_frame(s);
    advance(s, s->now_ns + of_spread(&s->draw, s->frames));
    assert_true(es_loop_submit(s->loop));
    present(s);
    assert_true(es_loop_end(s->loop));
    s->frames += 1;
}

static inline void run_frames(sim *s, int frames)
{
    for (int i = 0; i < frames; ++i) {
        run_frame(s);
    }
}

/* Returns how far content moves with the next frame. */
static inline int64_t run_frame_on(sim *s)
{
    int64_t last_ns = s->shown.frame.content_ns;
    run_frame(s);
    return s->shown.frame.content_ns - last_ns;
}

/* Interpolated frames, between which content moves by this much. */
static inline void run_evenly(sim *s, int frames, int64_t least_ns, int64_t most_ns)
{
    for (int i = 0; i < frames; ++i) {
        assert_in_range(run_frame_on(s), least_ns, most_ns);
        assert_int_equal(s->shown.status, ES__VIEW_INTERPOLATED);
    }
}

/* --- the loop to compare with ----------------------------------------------------------------- */

typedef struct reference {
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
} reference;

static inline void start_reference(reference *r, const sim *s)
{
    es_loop_config config = s->config.loop;
    memset(r, 0, sizeof *r);
    r->clock.now_ns = s->now_ns;
    config.clock = es_manual_clock_get(&r->clock);
    config.clock.suspended_ns = NULL;
    config.clock.thread_cpu_ns = NULL;
    config.delay_ticks = 1.0;
    config.ticks_max = ES__TICKS_MAX;
    assert_int_equal(es__loop_init(&r->loop, &config, NULL), ES_OK);
}

/* A frame as long as the next one of the simulation. */
static inline void run_reference(reference *r, const sim *s)
{
    es_step step;
    r->clock.wake_late_ns = of_spread(&s->wake, s->frames);
    if (s->first_form) {
        assert_true(es_loop_next(&r->loop, &r->frame));
    } else {
        assert_true(es_loop_begin(&r->loop));
        while (es_loop_tick(&r->loop, &step)) {
        }
        assert_true(es_loop_wait(&r->loop, &r->frame));
    }
    r->clock.now_ns += of_spread(&s->draw, s->frames);
    assert_true(es_loop_submit(&r->loop));
    r->clock.now_ns = present_ns(s, r->clock.now_ns);
    assert_true(es_loop_end(&r->loop));
}

static inline void assert_same_as_loop(sim *s, int frames)
{
    static reference r;
    start_reference(&r, s);
    for (int i = 0; i < frames; ++i) {
        run_reference(&r, s);
        run_frame(s);
        if (s->shown.status != ES__VIEW_INTERPOLATED) {
            fail_msg("frame %d: status %d, C %lld, newest %lld", i, (int)s->shown.status,
                    (long long)s->shown.wanted_ns, (long long)s->shown.frame.newest_ns);
        }
        assert_same_frame(&s->shown.frame, &r.frame);
    }
}

#endif
