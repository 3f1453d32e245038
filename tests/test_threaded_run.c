/* SPDX-License-Identifier: Zlib
 *
 * threaded with its own update thread: what callbacks return, on either thread and at any time;
 * pauses, speeds and rates at any time; many starts and joins. Time is a number that both threads
 * advance when they wait, so all is as fast as the machine; runs differ, on purpose. A test that
 * hangs is killed.
 */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif
#include "evenstep/exchange.h"
#include "evenstep/threaded.h"

#include "threads/threaded_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <time.h>
#include <unistd.h>
#endif

#include "test_support.h"
#include "base/common.h"

#define MS ES_NS_PER_MS

/* Finds a thread that waits for ever, before ctest's limit. A busy machine takes some minutes. */
enum { WATCHDOG_S = 840 };

typedef enum place { START, UPDATE, INPUT, DRAW, PRESENT, REPORT, PLACES } place;

typedef struct world {
    int64_t tick;
    int64_t words[20]; /* all say which */
} world;

typedef struct game {
    es_threaded threaded;
    void *memory;
    _Atomic int64_t now_ns;
    _Atomic int64_t longest_wait_ns; /* of either thread */
    es_mutex mutex;
    bool has_mutex;
    /* which callback returns what */
    place place;
    int64_t call; /* at this call of it, counted from 1; 0: never */
    int status;
    /* each written by one thread */
    int64_t calls[PLACES];
    int64_t ended[2]; /* a callback of this thread has returned something */
    int64_t newest;
    const char *fault[2];
    es_threaded_frame shown;
    test_random random; /* of the render thread */
    bool meddles;
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

/* --- the callbacks ---------------------------------------------------------------------------- */

static void find_fault(game *g, int side, bool right, const char *what)
{
    if (!right && g->fault[side] == NULL) {
        g->fault[side] = what;
    }
}

static int answer(game *g, place at)
{
    int side = at >= INPUT;
    find_fault(g, side, g->ended[side] == 0, "called after its thread has ended");
    g->calls[at] += 1;
    if (at == g->place && g->calls[at] == g->call) {
        g->ended[side] = 1;
        return g->status;
    }
    return 0;
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

static int on_start(void *user, void *state)
{
    write_world(state, 0);
    return answer(user, START);
}

/* A failed update is not published. */
static int on_update(void *user, const es_threaded_tick *tick)
{
    game *g = user;
    const world *previous = tick->previous;
    find_fault(g, 0, tick->step.index == g->newest + 1, "not the tick after the newest");
    find_fault(g, 0, previous->tick == g->newest && is_whole(previous), "not the state before");
    write_world(tick->state, tick->step.index);
    int status = answer(g, UPDATE);
    if (status < 0) {
        ((world *)tick->state)->tick = -1;
    } else {
        g->newest = tick->step.index;
    }
    return status;
}

static void meddle(game *g)
{
    static const es_ratio scales[] = {{1, 1}, {1, 3}, {3, 1}, {0, 1}};
    static const es_rate rates[] = {{60, 1}, {1, 1}, {1000, 1}, {60000, 1001}};
    switch (random_below(&g->random, 8)) {
    case 0:
        es_threaded_pause(&g->threaded, !es_threaded_is_paused(&g->threaded));
        break;
    case 1:
        es_threaded_set_time_scale(&g->threaded, scales[random_below(&g->random, 4)]);
        break;
    case 2:
        es_threaded_ask_tick_rate(&g->threaded, rates[random_below(&g->random, 4)]);
        break;
    case 3:
        es_threaded_step_once(&g->threaded);
        break;
    default:
        break;
    }
}

static int on_input(void *user)
{
    game *g = user;
    if (g->meddles) {
        meddle(g);
    }
    return answer(user, INPUT);
}

static void check_shown(game *g, const es_threaded_frame *shown)
{
    const world *previous = shown->previous;
    const world *current = shown->current;
    g->shown = *shown;
    if (shown->status == ES_THREADED_EMPTY) {
        find_fault(g, 1, shown->frame.content_ns == 0, "content runs without a state");
        return;
    }
    find_fault(g, 1, is_whole(previous) && is_whole(current), "a torn state");
    find_fault(g, 1, current->tick == shown->frame.current_tick, "not the state that it says");
    find_fault(g, 1, current->tick - previous->tick <= 1, "not a pair");
}

static int on_draw(void *user, const es_threaded_frame *shown)
{
    check_shown(user, shown);
    return answer(user, DRAW);
}

static int on_present(void *user)
{
    return answer(user, PRESENT);
}

static int on_report(void *user, const es_report *report)
{
    game *g = user;
    find_fault(g, 1, report->frame.index == g->shown.frame.index, "another frame's report");
    return answer(user, REPORT);
}

static const es_threaded_callbacks all = {
        on_start, on_update, on_input, on_draw, on_present, on_report};

/* --- making it -------------------------------------------------------------------------------- */

/* config: what is not the same for all. */
static game *make_with(es_threaded_config config)
{
    game *g = calloc(1, sizeof *g);
    es_error error = {0};
    assert_non_null(g);
    config.loop.clock = (es_clock){.user = g, .now_ns = game_now, .wait_until = game_wait};
    config.loop.pace = ES_PACE_ADAPTIVE;
    config.state_size = sizeof(world);
    if (config.kind == ES_EXCHANGE_LOCKED) {
        g->has_mutex = es_mutex_init(&g->mutex) == ES_OK;
        config.lock = es_mutex_get(&g->mutex);
    }
    size_t size = es_threaded_memory_size(&config);
    g->memory = malloc(size);
    assert_non_null(g->memory);
    es_result result = es_threaded_init(&g->threaded, &config, g->memory, size, &error);
    if (result != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
    g->random = (test_random){1};
    return g;
}

static game *make(void)
{
    return make_with((es_threaded_config){0});
}

static void check_faults(const game *g)
{
    for (int side = 0; side < 2; ++side) {
        if (g->fault[side] != NULL) {
            fail_msg("%s: %s", side == 0 ? "ticks" : "frames", g->fault[side]);
        }
    }
}

static void drop(game *g)
{
    check_faults(g);
    if (g->has_mutex) {
        es_mutex_destroy(&g->mutex);
    }
    free(g->memory);
    free(g);
}

static void end_at(game *g, place at, int64_t call, int status)
{
    g->place = at;
    g->call = g->calls[at] + call;
    g->status = status;
    g->ended[0] = g->ended[1] = 0;
}

/* --- what callbacks return -------------------------------------------------------------------- */

TEST(a_callbacks_result_ends_both_threads)
{
    static const int64_t calls[] = {1, 2, 3, 40};
    static const int statuses[] = {-1, -77, 1, 1000};
    for (int at = START; at < PLACES; ++at) {
        for (size_t i = 0; i < 16; ++i) {
            int status = statuses[i % 4];
            int64_t call = at == START ? 1 : calls[i / 4];
            game *g = make();
            end_at(g, (place)at, call, status);
            int result = es_threaded_run(&g->threaded, &all, g);
            assert_int_equal(result, status > 0 ? 0 : status);
            assert_int_equal(g->calls[at], call);
            assert_int_equal(es_threaded_join(&g->threaded), ES_ERR_STATE);
            drop(g);
        }
    }
}

/* The next run goes on where the last one ended; a failed tick runs again. */
TEST(it_can_run_again)
{
    test_random random = {5};
    game *g = make();
    for (int i = 0; i < 300; ++i) {
        place at = (place)random_below(&random, PLACES);
        int status = random_below(&random, 2) == 0 ? 3 : -40 - i;
        int64_t newest = g->newest;
        int64_t content_ns = g->shown.frame.content_ns;
        at = at == START && g->calls[START] > 0 ? UPDATE : at;
        end_at(g, at, 1 + random_below(&random, 30), status);
        if (at == START) {
            g->call = 1;
        }
        assert_int_equal(es_threaded_run(&g->threaded, &all, g), status > 0 ? 0 : status);
        assert_true(g->newest >= newest);
        assert_true(g->shown.frame.content_ns >= content_ns);
        check_faults(g);
    }
    assert_true(g->newest > 100);
    assert_in_range(g->calls[START], 1, 10);
    drop(g);
}

TEST(a_failed_start_runs_again)
{
    game *g = make();
    for (int i = 0; i < 3; ++i) {
        end_at(g, START, 1, -4);
        assert_int_equal(es_threaded_run(&g->threaded, &all, g), -4);
        assert_true(g->calls[DRAW] == 0 || g->shown.status == ES_THREADED_EMPTY);
    }
    end_at(g, DRAW, 30, -5);
    assert_int_equal(es_threaded_run(&g->threaded, &all, g), -5);
    assert_int_equal(g->calls[START], 4);
    assert_int_equal(es_threaded_submit(&g->threaded), ES_ERR_STATE); /* no frame is open */
    assert_int_equal(es_threaded_end(&g->threaded), ES_ERR_STATE);
    drop(g);
}

static int both_update(void *user, const es_threaded_tick *tick)
{
    game *g = user;
    on_update(user, tick);
    g->newest -= 1; /* as it is not handed over */
    return -5;
}

static int both_draw(void *user, const es_threaded_frame *shown)
{
    game *g = user;
    on_draw(user, shown);
    const es__ticks_post *post = es__newest_post(&g->threaded.from_ticks);
    return post->ended ? -6 : 0;
}

/* Of two errors that of the frames. */
TEST(of_two_errors_one_counts)
{
    for (int i = 0; i < 50; ++i) {
        es_threaded_callbacks callbacks = all;
        game *g = make();
        callbacks.update = both_update;
        callbacks.draw = both_draw;
        int result = es_threaded_run(&g->threaded, &callbacks, g);
        assert_true(result == -6 || result == -5);
        drop(g);
    }
}

TEST(callbacks_may_be_left_out)
{
    void *place_of_state;
    es_threaded_callbacks few = {.update = on_update, .draw = on_draw};
    game *g = make();
    assert_int_equal(es_threaded_tick_seek(&g->threaded, 0, &place_of_state), ES_OK);
    assert_int_equal(es_threaded_run(&g->threaded, &few, g), ES_ERR_STATE); /* under way */
    write_world(place_of_state, 0);
    assert_int_equal(es_threaded_tick_end(&g->threaded), ES_OK);
    end_at(g, UPDATE, 50, -9);
    assert_int_equal(es_threaded_run(&g->threaded, &few, g), -9);
    assert_int_equal(g->newest, 49);
    few.draw = NULL;
    assert_int_equal(es_threaded_run(&g->threaded, &few, g), ES_ERR_INVALID);
    few = (es_threaded_callbacks){.draw = on_draw};
    assert_int_equal(es_threaded_run(&g->threaded, &few, g), ES_ERR_INVALID);
    assert_int_equal(es_threaded_run(&g->threaded, NULL, g), ES_ERR_INVALID);
    game *stateless = make();
    few = (es_threaded_callbacks){.update = on_update, .draw = on_draw};
    assert_int_equal(es_threaded_run(&stateless->threaded, &few, stateless), ES_ERR_INVALID);
    assert_int_equal(es_threaded_start(&stateless->threaded, &few, stateless), ES_ERR_INVALID);
    drop(stateless);
    assert_int_equal(es_threaded_start(&g->threaded, NULL, g), ES_ERR_INVALID);
    assert_int_equal(es_threaded_start(NULL, &all, g), ES_ERR_STATE);
    assert_int_equal(es_threaded_join(NULL), ES_ERR_STATE);
    drop(g);
}

/* --- a program that draws by itself ----------------------------------------------------------- */

static es_result draw_frame(game *g)
{
    es_threaded_frame shown;
    es_result result = es_threaded_begin(&g->threaded);
    if (result == ES_OK) {
        assert_int_equal(es_threaded_ready(&g->threaded, &shown), ES_OK);
        check_shown(g, &shown);
        assert_int_equal(es_threaded_submit(&g->threaded), ES_OK);
        assert_int_equal(es_threaded_end(&g->threaded), ES_OK);
    }
    return result;
}

TEST(begin_says_how_the_update_thread_ended)
{
    for (int status = -3; status <= 3; ++status) {
        if (status == 0) {
            continue;
        }
        game *g = make();
        es_result result = ES_OK;
        end_at(g, UPDATE, 30, status);
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_OK);
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_ERR_STATE);
        while (result == ES_OK) {
            result = draw_frame(g);
        }
        assert_int_equal(result, status < 0 ? status : ES_ERR_STATE);
        assert_int_equal(es_threaded_begin(&g->threaded), result);
        assert_int_equal(es_threaded_ready(&g->threaded, NULL), ES_ERR_STATE);
        assert_int_equal(es_threaded_join(&g->threaded), status < 0 ? status : ES_OK);
        assert_int_equal(g->calls[UPDATE], 30);
        assert_int_equal(g->newest, status < 0 ? 29 : 30);
        for (int i = 0; i < 20; ++i) { /* frames go on, and hold the newest tick */
            assert_int_equal(draw_frame(g), ES_OK);
        }
        assert_int_equal(g->shown.status, ES_THREADED_HELD);
        assert_int_equal(g->shown.frame.current_tick, g->newest);
        drop(g);
    }
}

/* --- many runs -------------------------------------------------------------------------------- */

/* The count, or the part of it that scripts/stress wants. */
static int divided(int count)
{
    const char *text = getenv("EVENSTEP_DIVIDE");
    long divide = text != NULL ? strtol(text, NULL, 10) : 1;
    return divide > 1 && divide < count ? (int)(count / divide) : count;
}

TEST(random_changes_break_nothing)
{
    for (uint64_t seed = 1; seed <= (uint64_t)divided(150 / TEST_SHARE); ++seed) {
        game *g = make_with((es_threaded_config){
                .kind = seed % 3 == 0 ? ES_EXCHANGE_LOCKED : ES_EXCHANGE_WAIT_FREE});
        g->random = (test_random){seed * 7919};
        g->meddles = true;
        for (int i = 0; i < 4; ++i) {
            place at = (place)(UPDATE + random_below(&g->random, PLACES - UPDATE));
            at = at == UPDATE ? DRAW : at; /* ticks may be paused when it ends */
            int status = random_below(&g->random, 2) == 0 ? 3 : -40 - i;
            end_at(g, at, 1 + random_below(&g->random, 200), status);
            assert_int_equal(es_threaded_run(&g->threaded, &all, g), status > 0 ? 0 : status);
        }
        drop(g);
    }
}

TEST(many_starts_and_joins)
{
    game *g = make();
    /* more of them where the machine is so slow that most are over before a tick */
    for (int i = divided(TEST_SANITIZED ? 2500 : 10000); i > 0 || g->newest <= 10; --i) {
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_OK);
        for (int64_t frames = random_below(&g->random, 4); frames > 0; --frames) {
            meddle(g);
            assert_int_equal(draw_frame(g), ES_OK);
        }
        assert_int_equal(es_threaded_join(&g->threaded), ES_OK);
        int64_t updates = g->calls[UPDATE];
        assert_int_equal(draw_frame(g), ES_OK); /* frames may go on */
        assert_int_equal(g->calls[UPDATE], updates);
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        game *g = make_with((es_threaded_config){.loop = {.tick_rate = cases[i].rate}});
        es_threaded_pause(&g->threaded, true);
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_OK);
        while (game_now(g) < 1000 * MS) {
            give_the_core_away();
        }
        assert_int_equal(es_threaded_join(&g->threaded), ES_OK);
        assert_in_range(atomic_load(&g->longest_wait_ns), cases[i].most_ns / 2, cases[i].most_ns);
        drop(g);
    }
}

TEST(a_clock_that_cannot_wait_is_refused)
{
    game *g = make();
    g->threaded.ticks.clock.wait_until = g->threaded.loop.clock.wait_until = NULL;
    assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_ERR_UNSUPPORTED);
    assert_int_equal(es_threaded_begin(&g->threaded), ES_ERR_UNSUPPORTED);
    drop(g);
}

static int start_watchdog(void **context)
{
    (void)context;
#ifndef _WIN32
    alarm(WATCHDOG_S);
#endif
    return 0;
}

TEST_MAIN("threaded_run", start_watchdog)
