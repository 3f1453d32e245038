/* SPDX-License-Identifier: Zlib
 *
 * Both sides of es_threaded, stepped in virtual time: the update thread wakes late, takes its time,
 * and goes on while the renderer waits, draws or is blocked. Frames are compared with those of a
 * single-threaded loop, one tick behind, whose frames take the same times.
 */
#ifndef THREADED_SIM_H
#define THREADED_SIM_H

#include "frame_support.h"

#include "evenstep/threaded.h"
#include "manual_clock.h"
#include "loop/loop_parts.h"

#include <stdlib.h>
#include <string.h>

#define MS ES_NS_PER_MS

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

typedef struct sim {
    int64_t now_ns;
    es_threaded_config config;
    es_threaded threaded;
    void *memory;
    /* the update thread */
    spread late;
    spread cost;
    bool working;
    int64_t done_ns;
    int64_t jumps;
    int64_t begun; /* ticks */
    int64_t last_begun_ns;
    int64_t dropped_ns; /* of es_threaded_tick */
    es_threaded_tick tick;
    int64_t published_ns[TICKS_LOGGED]; /* by tick */
    int64_t newest;
    /* the renderer */
    spread draw;
    spread wake;        /* waits end late */
    int64_t refresh_ns; /* present blocks until the next; 0: not at all */
    int64_t block_ns;   /* the next present blocks this long */
    int64_t frames;
    int64_t first_present_ns;
    es_threaded_frame shown;
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
    if (s->working) {
        return s->done_ns;
    }
    int64_t due_ns = es_threaded_tick_due(&s->threaded);
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
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_OK);
    s->newest = s->tick.step.index;
    s->published_ns[s->newest % TICKS_LOGGED] = s->now_ns;
    s->working = false;
}

static inline void begin_tick(sim *s)
{
    int64_t due_ns = es_threaded_tick_due(&s->threaded);
    assert_true(es_threaded_tick_begin(&s->threaded, &s->tick));
    assert_int_equal(s->tick.late_ns, due_ns == INT64_MIN ? 0 : s->now_ns - due_ns);
    if (es_threaded_is_paused(&s->threaded)) { /* a single step is for now, or for the next frame */
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
    void *state;
    if (s->working) {
        s->now_ns = s->done_ns;
        end_tick(s);
    }
    s->jumps += 1;
    assert_int_equal(es_threaded_tick_seek(&s->threaded, tick, &state), ES_OK);
    *(world *)state = (world){tick, s->threaded.ticks.ticker.time_ns, s->jumps};
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_OK);
    s->newest = tick;
    s->published_ns[tick % TICKS_LOGGED] = s->now_ns;
}

/* --- the clock, and the renderer -------------------------------------------------------------- */

static inline int64_t sim_now(void *user)
{
    const sim *s = user;
    return s->now_ns;
}

static inline void sim_wait(void *user, int64_t deadline_ns)
{
    sim *s = user;
    advance(s, deadline_ns + of_spread(&s->wake, s->frames));
}

/* Before its first state. */
static inline sim *make_empty(const es_threaded_config *config, int64_t start_ns)
{
    sim *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->config = *config;
    s->now_ns = start_ns;
    s->config.state_size = sizeof(world);
    s->config.loop.clock.now_ns = sim_now;
    s->config.loop.clock.wait_until = sim_wait;
    s->config.loop.clock.user = s;
    es_error error = {0};
    size_t size = es_threaded_memory_size(&s->config);
    s->memory = malloc(size);
    assert_non_null(s->memory);
    es_result result = es_threaded_init(&s->threaded, &s->config, s->memory, size, &error);
    if (result != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
    s->draw.least_ns = 2 * MS;
    return s;
}

/* With the first state. */
static inline sim *make_with(const es_threaded_config *config, int64_t start_ns)
{
    sim *s = make_empty(config, start_ns);
    seek(s, 0);
    return s;
}

static inline es_threaded_config config_at(es_rate ticks, int64_t interval_ns)
{
    es_threaded_config config = {0};
    config.loop.tick_rate = ticks;
    config.loop.pace = ES_PACE_ADAPTIVE;
    config.loop.interval_ns = interval_ns;
    return config;
}

static inline sim *make(es_rate ticks, int64_t interval_ns)
{
    es_threaded_config config = config_at(ticks, interval_ns);
    return make_with(&config, 1000);
}

static inline void drop(sim *s)
{
    free(s->memory);
    free(s);
}

static inline int64_t present_ns(const sim *s, int64_t now_ns)
{
    if (s->block_ns > 0) {
        return now_ns + s->block_ns;
    }
    return s->refresh_ns > 0 ? (now_ns / s->refresh_ns + 1) * s->refresh_ns : now_ns;
}

/* The states are of the ticks that the frame says, and the account adds up. */
static inline void check_frame(sim *s)
{
    const es_threaded_frame *shown = &s->shown;
    const es_frame *frame = &shown->frame;
    const es_account *a = &frame->account;
    assert_account_adds_up(frame, s->first_present_ns);
    s->dropped_by_frames_ns += frame->account.frame_dropped_ns;
    s->slow_motion_by_frames_ns += frame->account.frame_slow_motion_ns;
    assert_int_equal(s->dropped_by_frames_ns, a->dropped_ns);
    assert_int_equal(s->slow_motion_by_frames_ns, a->slow_motion_ns);
    assert_int_equal(s->threaded.loop.content.last_content_ns, frame->content_ns);
    assert_true(frame->alpha >= 0.0 && frame->alpha <= 1.0);
    if (shown->status == ES_THREADED_EMPTY) {
        assert_null(shown->current);
        return;
    }
    const world *previous = shown->previous;
    const world *current = shown->current;
    assert_int_equal(previous->tick, frame->previous_tick);
    assert_int_equal(current->tick, frame->current_tick);
    assert_int_equal(previous->time_ns, frame->previous_ns);
    assert_int_equal(current->time_ns, frame->current_ns);
    assert_int_equal(previous->jumps, current->jumps);
    assert_ptr_equal(shown->view->states[shown->age], shown->current);
    assert_in_range(frame->current_tick - frame->previous_tick, 0, 1);
    assert_int_equal(shown->view->ticks[0]->index, frame->newest_tick);
    if (shown->status == ES_THREADED_INTERPOLATED) {
        assert_int_equal(shown->wanted_ns, frame->content_ns);
        assert_true(frame->previous_ns <= frame->content_ns);
        assert_true(frame->content_ns <= frame->current_ns);
    } else {
        assert_true(frame->alpha == 1.0);
    }
}

static inline void run_frame(sim *s)
{
    assert_int_equal(es_threaded_begin(&s->threaded), ES_OK);
    assert_int_equal(es_threaded_ready(&s->threaded, &s->shown), ES_OK);
    if (s->frames == 0) {
        s->first_present_ns = s->shown.frame.present_ns;
    }
    check_frame(s);
    advance(s, s->now_ns + of_spread(&s->draw, s->frames));
    assert_int_equal(es_threaded_submit(&s->threaded), ES_OK);
    advance(s, present_ns(s, s->now_ns));
    s->block_ns = 0;
    assert_int_equal(es_threaded_end(&s->threaded), ES_OK);
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
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    }
}

/* Until the next tick has begun, which takes cost_ns; those after it take after_ns. */
static inline void have_a_long_tick(sim *s, int64_t cost_ns, int64_t after_ns)
{
    s->cost.least_ns = cost_ns;
    for (int64_t begun = s->begun; s->begun == begun;) {
        advance(s, s->now_ns + MS);
    }
    s->cost.least_ns = after_ns;
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
    assert_true(es_loop_begin(&r->loop));
    while (es_loop_tick(&r->loop, &step)) {
    }
    assert_true(es_loop_wait(&r->loop, &r->frame));
    r->clock.now_ns += of_spread(&s->draw, s->frames);
    assert_true(es_loop_submit(&r->loop));
    r->clock.now_ns = present_ns(s, r->clock.now_ns);
    assert_true(es_loop_end(&r->loop));
}

static inline void assert_same_as_loop(sim *s, int frames)
{
    static reference r;
    int64_t ticks = 0;
    start_reference(&r, s);
    for (int i = 0; i < frames; ++i) {
        run_reference(&r, s);
        run_frame(s);
        ticks += s->shown.frame.ticks;
        assert_int_equal(ticks, s->shown.frame.newest_tick);
        if (s->shown.status != ES_THREADED_INTERPOLATED) {
            fail_msg("frame %d: status %d, C %lld, newest %lld", i, (int)s->shown.status,
                    (long long)s->shown.wanted_ns, (long long)s->shown.frame.newest_ns);
        }
        assert_same_frame(&s->shown.frame, &r.frame);
    }
}

/* --- a lock that counts its calls ------------------------------------------------------------- */

static inline void take_lock(void *user)
{
    int *held = user;
    assert_int_equal(*held % 2, 0);
    *held += 1;
}

static inline void give_lock(void *user)
{
    int *held = user;
    assert_int_equal(*held % 2, 1);
    *held += 1;
}

#endif
