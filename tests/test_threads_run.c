/* SPDX-License-Identifier: Zlib
 *
 * threads with an update thread: states are whole, adjacent, and those that the frame says; pauses,
 * speeds, rates and calls at any time; many starts and stops. Time is a number that both threads
 * advance when they wait, so all is as fast as the machine; runs differ, on purpose. A test that
 * hangs is killed.
 */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif
#include "evenstep/threads.h"

#include "threads/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <time.h>
#include <unistd.h>
#endif

#include "test_support.h"

/* Finds a thread that waits for ever, before ctest's limit. A busy machine takes some minutes. */
enum { WATCHDOG_S = 840 };

typedef struct world {
    int64_t tick;
    int64_t words[20]; /* all say which */
} world;

typedef struct game {
    es_loop *loop;
    es_threads *threads;
    _Atomic int64_t now_ns;
    _Atomic int64_t longest_wait_ns; /* of either thread */
    world state;                     /* at the last stop */
    /* each written by one thread */
    int64_t updates;
    int64_t newest;
    const char *fault[2];
    es_frame frame;
    es_view view;
    _Atomic int64_t called; /* functions of es_threads_call */
    int64_t to;             /* where the next one seeks to */
    test_random random;     /* of the render thread */
} game;

/* --- the clock -------------------------------------------------------------------------------- */

static int64_t game_now(void *user)
{
    return atomic_load(&((game *)user)->now_ns);
}

/* Now and then, by a short sleep: beside busy processes sched_yield costs a time slice of each. */
static void give_the_core_away(void)
{
#ifndef _WIN32
    static _Thread_local unsigned calls;
    if (++calls % 16 == 0) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
#endif
}

static void game_wait(void *user, int64_t deadline_ns)
{
    game *g = user;
    int64_t now_ns = atomic_load(&g->now_ns);
    if (deadline_ns - now_ns > atomic_load(&g->longest_wait_ns)) {
        atomic_store(&g->longest_wait_ns, deadline_ns - now_ns);
    }
    while (now_ns < deadline_ns
            && !atomic_compare_exchange_weak(&g->now_ns, &now_ns, deadline_ns)) {
        /* the other thread was faster */
    }
    give_the_core_away();
}

/* --- the ticks -------------------------------------------------------------------------------- */

static void find_fault(game *g, int side, bool right, const char *what)
{
    if (!right && g->fault[side] == NULL) {
        g->fault[side] = what;
    }
}

static void write_world(world *state, int64_t tick)
{
    state->tick = tick;
    for (size_t i = 0; i < sizeof state->words / sizeof state->words[0]; ++i) {
        state->words[i] = tick;
    }
}

static bool is_whole(const world *state)
{
    bool whole = true;
    for (size_t i = 0; i < sizeof state->words / sizeof state->words[0]; ++i) {
        whole = whole && state->words[i] == state->tick;
    }
    return whole;
}

static void on_update(void *user, void *state, const void *before, const es_step *step)
{
    game *g = user;
    const world *previous = before;
    find_fault(g, 0, step->index == g->newest + 1, "not the tick after the newest");
    find_fault(g, 0, previous->tick == g->newest && is_whole(previous), "not the state before");
    write_world(state, step->index);
    g->newest = step->index;
    g->updates += 1;
}

/* Seeks, unless to is negative. */
static bool on_call(void *user, void *state, int64_t *tick)
{
    game *g = user;
    world *newest = state;
    find_fault(g, 0, newest->tick == g->newest && is_whole(newest), "a call without the newest");
    find_fault(g, 0, *tick == g->newest, "a call with another tick");
    write_world(newest, g->to);
    *tick = g->to;
    g->newest = g->to >= 0 ? g->to : g->newest;
    atomic_fetch_add(&g->called, 1);
    return true;
}

/* --- the frames ------------------------------------------------------------------------------- */

/* Unless the last one has not returned: it reads where to seek. */
static bool call(game *g, int64_t to)
{
    const es__ticks_post *post = es__newest_post(&g->threads->from_ticks);
    if (post->calls != g->threads->render.post.calls) {
        return false;
    }
    g->to = to;
    assert_true(es_threads_call(g->threads, on_call, g));
    return true;
}

static void meddle(game *g)
{
    static const double speeds[] = {1.0, 1.0 / 3.0, 3.0, 0.0};
    static const es_rate rates[] = {{60, 1}, {1, 1}, {1000, 1}, {60000, 1001}};
    es_loop_config config = es_loop_get_config(g->loop);
    switch (random_below(&g->random, 8)) {
    case 0:
        es_loop_set_paused(g->loop, random_below(&g->random, 2) == 0);
        break;
    case 1:
        assert_true(es_loop_set_speed(g->loop, speeds[random_below(&g->random, 4)]));
        break;
    case 2:
        config.tick_rate = rates[random_below(&g->random, 4)];
        assert_true(es_loop_configure(g->loop, &config));
        break;
    case 3:
        es_loop_tick_once(g->loop);
        break;
    case 4:
        call(g, random_below(&g->random, 100) - 20);
        break;
    default:
        break;
    }
}

static void check_view(game *g)
{
    const es_view *view = &g->view;
    const world *previous = view->previous;
    const world *current = view->current;
    find_fault(g, 1, is_whole(previous) && is_whole(current), "a torn state");
    find_fault(g, 1, current->tick == g->frame.current_tick, "not the state that it says");
    find_fault(g, 1, current->tick - previous->tick <= 1, "not a pair");
    for (int i = 0; i < ES_VIEW_TICKS; ++i) {
        const world *state = view->states[i];
        int64_t age = i < view->count ? i : view->count - 1;
        find_fault(g, 1, is_whole(state), "a torn state behind the pair");
        find_fault(g, 1, state->tick == g->frame.newest_tick - age, "states are not adjacent");
    }
}

static void draw_frame(game *g)
{
    assert_true(es_loop_next(g->loop, &g->frame));
    assert_true(es_threads_view(g->threads, &g->view));
    check_view(g);
    assert_true(es_loop_submit(g->loop));
}

/* --- making it -------------------------------------------------------------------------------- */

static void start(game *g)
{
    const es_threads_config config = {
            .state_size = sizeof(world), .state = &g->state, .update = on_update, .user = g};
    g->newest = g->state.tick;
    g->threads = es_threads_start(g->loop, &config);
    if (g->threads == NULL) {
        fail_msg("%s", es_get_error());
    }
}

static void stop(game *g)
{
    es_threads_stop(g->threads, &g->state);
    g->threads = NULL;
    assert_true(is_whole(&g->state));
    assert_int_equal(g->state.tick, g->newest);
    for (int side = 0; side < 2; ++side) {
        if (g->fault[side] != NULL) {
            fail_msg("%s: %s", side == 0 ? "ticks" : "frames", g->fault[side]);
        }
    }
}

static game *make(es_rate tick_rate)
{
    game *g = calloc(1, sizeof *g);
    assert_non_null(g);
    es_loop_config config = {.tick_rate = tick_rate, .pace = ES_PACE_ADAPTIVE};
    config.clock = (es_clock){.user = g, .now_ns = game_now, .wait_until = game_wait};
    g->random = (test_random){1};
    g->loop = es_loop_create(&config);
    assert_non_null(g->loop);
    return g;
}

static void drop(game *g)
{
    es_loop_destroy(g->loop);
    free(g);
}

/* The count, or the part of it that scripts/stress wants. */
static int divided(int count)
{
    const char *text = getenv("EVENSTEP_DIVIDE");
    long divide = text != NULL ? strtol(text, NULL, 10) : 1;
    return divide > 1 && divide < count ? (int)(count / divide) : count;
}

/* --- many runs -------------------------------------------------------------------------------- */

TEST(random_changes_break_nothing)
{
    for (uint64_t seed = 1; seed <= (uint64_t)divided(150 / TEST_SHARE); ++seed) {
        game *g = make((es_rate){60, 1});
        g->random = (test_random){seed * 7919};
        for (int i = 0; i < 4; ++i) {
            start(g);
            for (int64_t frames = random_below(&g->random, 200); frames > 0; --frames) {
                meddle(g);
                draw_frame(g);
            }
            stop(g);
        }
        drop(g);
    }
}

TEST(many_starts_and_stops)
{
    game *g = make((es_rate){60, 1});
    int64_t called = 0;
    /* more of them where the machine is so slow that most are over before a tick */
    for (int i = divided(TEST_SANITIZED ? 2500 : 10000); i > 0 || g->updates <= 10; --i) {
        start(g);
        for (int64_t frames = random_below(&g->random, 4); frames > 0; --frames) {
            meddle(g);
            draw_frame(g);
        }
        if (i % 4 == 0) { /* a call is never lost */
            called = atomic_load(&g->called) + call(g, -1);
        }
        stop(g);
        assert_true(atomic_load(&g->called) >= called);
        int64_t updates = g->updates;
        es_frame frame;
        assert_true(es_loop_next(g->loop, &frame)); /* without threads */
        assert_int_equal(g->updates, updates);
        if (frame.ticks > 0) {
            assert_int_equal(es_frame_step(&frame, 0).index, g->state.tick + 1);
            write_world(&g->state, frame.newest_tick);
        }
    }
    drop(g);
}

/* --- waits ------------------------------------------------------------------------------------ */

/* Even paused, or at one tick in a thousand seconds, the update thread looks from time to time. */
TEST(no_wait_is_long)
{
    static const struct {
        es_rate rate;
        int64_t most_ns;
    } cases[] = {{{1, 1000}, 10 * MS}, {{1, 1}, 10 * MS}, {{60, 1}, 8333334}, {{100000, 1}, MS}};
    for_rows (i, cases) {
        game *g = make(cases[i].rate);
        es_loop_set_paused(g->loop, true);
        start(g);
        while (game_now(g) < 1000 * MS) {
            give_the_core_away();
        }
        stop(g);
        assert_in_range(atomic_load(&g->longest_wait_ns), cases[i].most_ns / 2, cases[i].most_ns);
        drop(g);
    }
}

TEST(a_call_comes_soon)
{
    game *g = make((es_rate){1, 1});
    es_loop_set_paused(g->loop, true);
    start(g);
    draw_frame(g);
    g->to = 44;
    assert_true(es_threads_call(g->threads, on_call, g));
    while (atomic_load(&g->called) == 0) {
        give_the_core_away();
    }
    while (g->frame.current_tick != 44) {
        draw_frame(g);
    }
    assert_ptr_equal(g->view.previous, g->view.current); /* whatever has run since */
    es_step step;
    void *place;
    assert_false(
            es_threads_tick_begin(g->threads, &step, &place, NULL)); /* it has its own thread */
    assert_false(es_threads_tick_end(g->threads));
    stop(g);
    drop(g);
}

TEST(a_clock_that_cannot_wait_is_refused)
{
    const es_threads_config config = {.state_size = sizeof(world), .update = on_update};
    game *g = make((es_rate){60, 1});
    es_loop_config made = es_loop_get_config(g->loop);
    made.clock.wait_until = NULL;
    es_loop *loop = es_loop_create(&made);
    assert_non_null(loop);
    assert_null(es_threads_start(loop, &config));
    es_loop_destroy(loop);
    drop(g);
}

/* The thread ends although nobody posts any more. */
TEST(a_loop_may_be_destroyed_first)
{
    for (int i = 0; i < 20; ++i) {
        game *g = make((es_rate){60, 1});
        start(g);
        draw_frame(g);
        es_loop_destroy(g->loop);
        g->loop = NULL;
        assert_false(es_threads_call(g->threads, on_call, g));
        stop(g);
        drop(g);
    }
}

static int start_watchdog(void **context)
{
    (void)context;
#ifndef _WIN32
    alarm(WATCHDOG_S);
#endif
    return 0;
}

TEST_SETUP(start_watchdog)
