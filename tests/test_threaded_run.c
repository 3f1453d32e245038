/* SPDX-License-Identifier: Zlib
 *
 * threaded with a thread of its own: what callbacks return, on either side and at any time; stops,
 * pauses, speeds and rates at any time; starts and stops without end. Time is a number that both
 * threads move on when they wait, so all is as fast as the machine; and what happens when differs
 * from run to run, on purpose. A test that hangs is killed.
 */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif
#include "evenstep/threaded.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <time.h>
#include <unistd.h>
#endif

#include "test_support.h"

#define MS ES_NS_PER_MS

/* Whoever waits for the other side for ever is found by this, before ctest's limit; a machine that
 * is busy otherwise takes some minutes. */
enum { WATCHDOG_S = 840 };

typedef enum place { START, BETWEEN, UPDATE, INPUT, DRAW, PRESENT, REPORT, PLACES } place;

typedef struct world {
    int64_t tick;
    int64_t words[20]; /* all say which */
} world;

typedef struct game {
    es_threaded threaded;
    void *memory;
    _Atomic int64_t now_ns;
    _Atomic int64_t longest_wait_ns; /* of the thread of the ticks */
    /* what is to be returned, and where */
    place place;
    int64_t call; /* at this call of it, counted from 1; 0: never */
    int status;
    /* each written by one side */
    int64_t calls[PLACES];
    int64_t ended[2]; /* a callback of this side has returned something */
    int64_t newest;
    int64_t failed_tick;
    const char *fault[2];
    es_threaded_frame shown;
    test_random random; /* of the render side */
    bool meddles;
    bool cuts; /* each tick */
} game;

/* --- the clock -------------------------------------------------------------------------------- */

static int64_t game_now(void *user)
{
    return atomic_load(&((game *)user)->now_ns);
}

/* Now and then, by a short sleep. Beside busy processes sched_yield costs a time slice of each of
 * them, and Linux counts the rest of the own one as used. */
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
    while (now_ns < deadline_ns
            && !atomic_compare_exchange_weak(&g->now_ns, &now_ns, deadline_ns)) {
        /* the other side was faster */
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
    find_fault(g, side, g->ended[side] == 0, "called after its side has ended");
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

static int on_between(void *user)
{
    return answer(user, BETWEEN);
}

/* What fails halfway is not to be seen. */
static int on_update(void *user, const es_threaded_tick *tick)
{
    game *g = user;
    const world *previous = tick->previous;
    find_fault(g, 0, tick->step.index == g->newest + 1, "not the tick after the newest");
    find_fault(g, 0, previous->tick == g->newest && is_whole(previous), "not the state before");
    write_world(tick->state, tick->step.index);
    if (g->cuts) {
        es_threaded_tick_cut(&g->threaded);
    }
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
    switch (random_below(&g->random, 12)) {
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
    case 4:
        es_threaded_resync(&g->threaded);
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

static int on_report(void *user, const es_frame_report *report)
{
    game *g = user;
    find_fault(g, 1, report->frame.index == g->shown.frame.index, "another frame's report");
    return answer(user, REPORT);
}

static const es_threaded_callbacks all = {
        on_start, on_between, on_update, on_input, on_draw, on_present, on_report};

/* --- making it -------------------------------------------------------------------------------- */

static es_threaded_config config_of(game *g)
{
    es_threaded_config config = {0};
    config.loop.clock.now_ns = game_now;
    config.loop.clock.wait_until = game_wait;
    config.loop.clock.user = g;
    config.loop.pace = ES_PACE_ADAPTIVE;
    config.state_size = sizeof(world);
    return config;
}

static game *make_with(const es_threaded_config *config, game *g)
{
    size_t size = es_threaded_memory_size(config);
    es_error error = {0};
    g->memory = malloc(size);
    assert_non_null(g->memory);
    es_result result = es_threaded_init(&g->threaded, config, g->memory, size, &error);
    if (result != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
    g->random = (test_random){1};
    return g;
}

static game *make(void)
{
    game *g = calloc(1, sizeof *g);
    assert_non_null(g);
    es_threaded_config config = config_of(g);
    return make_with(&config, g);
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

static void what_a_callback_returns_ends_both(void **state)
{
    static const int64_t calls[] = {1, 2, 3, 40};
    static const int statuses[] = {-1, -77, 1, 1000};
    (void)state;
    for (int at = START; at < PLACES; ++at) {
        for (size_t i = 0; i < 16; ++i) {
            int status = statuses[i % 4];
            int64_t call = at == START ? 1 : calls[i / 4];
            game *g = make();
            end_at(g, (place)at, call, status);
            int result = es_threaded_run(&g->threaded, &all, g);
            assert_int_equal(result, status > 0 ? 0 : status);
            assert_int_equal(g->calls[at], call);
            assert_false(es_threaded_is_running(&g->threaded));
            assert_int_equal(es_threaded_join(&g->threaded), ES_ERR_STATE);
            drop(g);
        }
    }
}

/* It goes on where it was; a tick that failed is run again. */
static void it_can_run_again(void **state)
{
    (void)state;
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

/* Neither a start that failed nor a tick that did is in the way of the next. */
static void what_failed_has_not_been(void **state)
{
    (void)state;
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
    uint32_t generation = g->threaded.ticks.generation;
    for (int i = 0; i < 3; ++i) {
        g->cuts = true;
        end_at(g, UPDATE, 1, -6);
        assert_int_equal(es_threaded_run(&g->threaded, &all, g), -6);
        assert_int_equal(g->threaded.ticks.generation, generation);
        g->cuts = false;
        end_at(g, UPDATE, 5, 1);
        assert_int_equal(es_threaded_run(&g->threaded, &all, g), 0);
        assert_int_equal(g->threaded.ticks.generation, generation);
    }
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
    return es_threaded_is_running(&g->threaded) ? 0 : -6;
}

static int never_draw(void *user, const es_threaded_frame *shown)
{
    on_draw(user, shown);
    return 2; /* no error, at once */
}

/* Of two errors that of the side that draws; an error before a wish to stop. */
static void of_two_ends_an_error_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 50; ++i) {
        es_threaded_callbacks callbacks = all;
        game *g = make();
        callbacks.update = both_update;
        callbacks.draw = both_draw;
        int result = es_threaded_run(&g->threaded, &callbacks, g);
        assert_true(result == -6 || result == -5);
        callbacks.draw = never_draw;
        result = es_threaded_run(&g->threaded, &callbacks, g);
        assert_true(result == 0 || result == -5); /* the ticks may not have come so far */
        drop(g);
    }
}

/* Only what is required. */
static void callbacks_may_be_left_out(void **state)
{
    (void)state;
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
    assert_int_equal(es_threaded_stop(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_stop(&g->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_join(NULL), ES_ERR_STATE);
    assert_false(es_threaded_is_running(NULL));
    drop(g);
}

static int forgetful_between(void *user)
{
    game *g = user;
    void *place_of_state;
    if (g->calls[UPDATE] == 10) {
        assert_int_equal(es_threaded_tick_seek(&g->threaded, 100, &place_of_state), ES_OK);
        write_world(place_of_state, 100);
        g->newest = 100;
    }
    return 0;
}

/* Else nothing would ever go on, at full speed. It can be made good. */
static void a_seek_that_is_left_open_is_an_error(void **state)
{
    (void)state;
    game *g = make();
    es_threaded_callbacks callbacks = all;
    callbacks.between = forgetful_between;
    assert_int_equal(es_threaded_run(&g->threaded, &callbacks, g), ES_ERR_STATE);
    assert_int_equal(g->calls[UPDATE], 10);
    assert_int_equal(es_threaded_run(&g->threaded, &all, g), ES_ERR_STATE); /* still under way */
    assert_int_equal(es_threaded_tick_end(&g->threaded), ES_OK);
    end_at(g, UPDATE, 20, 1);
    assert_int_equal(es_threaded_run(&g->threaded, &all, g), ES_OK);
    assert_int_equal(g->newest, 120);
    drop(g);
}

static int hasty_input(void *user)
{
    game *g = user;
    es_threaded_frame shown;
    g->calls[INPUT] += 1;
    if (g->calls[INPUT] == 5) {
        assert_int_equal(es_threaded_ready(&g->threaded, &shown), ES_OK);
    }
    return 0;
}

/* The frame is open between input and report, and whose calls are made is known. */
static void a_frame_is_ready_once(void **state)
{
    (void)state;
    game *g = make();
    es_threaded_callbacks callbacks = all;
    callbacks.input = hasty_input;
    assert_int_equal(es_threaded_run(&g->threaded, &callbacks, g), ES_ERR_STATE);
    assert_int_equal(g->calls[DRAW], 4);
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

static void begin_tells_how_the_ticks_ended(void **state)
{
    (void)state;
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
        assert_false(es_threaded_begin_host(&g->threaded, 0, 0));
        assert_int_equal(es_threaded_ready(&g->threaded, NULL), ES_ERR_STATE);
        assert_false(es_threaded_is_running(&g->threaded));
        assert_int_equal(es_threaded_join(&g->threaded), status < 0 ? status : ES_OK);
        assert_int_equal(g->calls[UPDATE], 30);
        assert_int_equal(g->newest, status < 0 ? 29 : 30);
        for (int i = 0; i < 20; ++i) { /* frames go on, and hold it */
            assert_int_equal(draw_frame(g), ES_OK);
        }
        assert_int_equal(g->shown.status, ES_THREADED_HELD);
        assert_int_equal(g->shown.frame.current_tick, g->newest);
        drop(g);
    }
}

/* Asked to stop it does; frames may go on. */
static void a_stop_is_no_error(void **state)
{
    (void)state;
    game *g = make();
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_OK);
        for (int j = 0; j < i; ++j) {
            assert_int_equal(draw_frame(g), ES_OK);
        }
        assert_int_equal(es_threaded_stop(&g->threaded), ES_OK);
        assert_int_equal(es_threaded_stop(&g->threaded), ES_OK);
        while (es_threaded_is_running(&g->threaded)) {
            assert_int_equal(draw_frame(g), ES_OK);
        }
        assert_int_equal(draw_frame(g), ES_OK);
        assert_int_equal(es_threaded_join(&g->threaded), ES_OK);
        int64_t updates = g->calls[UPDATE];
        assert_int_equal(draw_frame(g), ES_OK);
        assert_int_equal(g->calls[UPDATE], updates);
    }
    assert_true(g->newest > 10);
    drop(g);
}

/* As long as nobody draws nothing runs but the lead: what passes is not the game's. */
static void it_stands_until_the_first_frame(void **state)
{
    (void)state;
    game *g = make();
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_OK);
        int64_t from_ns = game_now(g);
        while (game_now(g) < from_ns + 300 * MS) {
            give_the_core_away(); /* the ticks' waits move the time */
        }
        for (int j = 0; j < 10; ++j) {
            int64_t wanted_ns = g->shown.wanted_ns;
            assert_int_equal(draw_frame(g), ES_OK);
            if (j == 0) {
                assert_true(g->shown.wanted_ns - wanted_ns <= 51 * MS); /* an interval */
            }
        }
        assert_int_equal(es_threaded_join(&g->threaded), ES_OK);
        assert_int_equal(draw_frame(g), ES_OK); /* up to ticks that ran on before the join */
    }
    drop(g);
}

/* --- at any time ------------------------------------------------------------------------------ */

/* So many, or the part of it that scripts/stress wants where it runs this for a moment. */
static int divided(int count)
{
    const char *text = getenv("EVENSTEP_DIVIDE");
    long divide = text != NULL ? strtol(text, NULL, 10) : 1;
    return divide > 1 && divide < count ? (int)(count / divide) : count;
}

static void anything_may_happen_at_any_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)divided(150 / TEST_SHARE); ++seed) {
        game *g = make();
        g->random = (test_random){seed * 7919};
        g->meddles = true;
        for (int i = 0; i < 4; ++i) {
            place at = (place)(BETWEEN + random_below(&g->random, PLACES - BETWEEN));
            at = at == UPDATE ? DRAW : at; /* ticks may be paused when it ends */
            int status = random_below(&g->random, 2) == 0 ? 3 : -40 - i;
            end_at(g, at, 1 + random_below(&g->random, 200), status);
            assert_int_equal(es_threaded_run(&g->threaded, &all, g), status > 0 ? 0 : status);
        }
        drop(g);
    }
}

static void starts_and_stops_without_end(void **state)
{
    (void)state;
    game *g = make();
    /* more of them where the machine is so slow that most are over before a tick */
    for (int i = divided(TEST_SANITIZED ? 2500 : 10000); i > 0 || g->newest <= 10; --i) {
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_OK);
        for (int64_t frames = random_below(&g->random, 4); frames > 0; --frames) {
            meddle(g);
            assert_int_equal(draw_frame(g), ES_OK);
        }
        if (random_below(&g->random, 2) == 0) {
            assert_int_equal(es_threaded_stop(&g->threaded), ES_OK);
        }
        assert_int_equal(es_threaded_join(&g->threaded), ES_OK);
    }
    drop(g);
}

/* --- a stop is noticed ------------------------------------------------------------------------ */

/* The thread never waits longer than it says, paused or at one tick in a thousand seconds. */
static void watched_wait(void *user, int64_t deadline_ns)
{
    game *g = user;
    int64_t wait_ns = deadline_ns - game_now(g);
    if (wait_ns > atomic_load(&g->longest_wait_ns)) {
        atomic_store(&g->longest_wait_ns, wait_ns);
    }
    game_wait(user, deadline_ns);
}

static void a_long_wait_is_interrupted(void **state)
{
    static const struct {
        es_rate rate;
        int64_t most_ns;
    } cases[] = {{{1, 1000}, 10 * MS}, {{1, 1}, 10 * MS}, {{60, 1}, 8333334}, {{100000, 1}, MS}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        game *g = calloc(1, sizeof *g);
        assert_non_null(g);
        es_threaded_config config = config_of(g);
        config.loop.clock.wait_until = watched_wait;
        config.loop.tick_rate = cases[i].rate;
        make_with(&config, g);
        es_threaded_pause(&g->threaded, true);
        assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_OK);
        while (game_now(g) < 1000 * MS) {
            give_the_core_away();
        }
        assert_int_equal(es_threaded_join(&g->threaded), ES_OK);
        assert_in_range(atomic_load(&g->longest_wait_ns), cases[i].most_ns / 2, cases[i].most_ns);
        assert_in_range(g->calls[BETWEEN], 1000 * MS / cases[i].most_ns / 2, 1000000);
        drop(g);
    }
}

/* --- the program's own threads ---------------------------------------------------------------- */

typedef struct job {
    void (*run)(void *argument);
    void *argument;
    bool refuses;
    int starts;
    int joins;
} job;

static bool start_job(void *user, void (*run)(void *argument), void *argument)
{
    job *j = user;
    j->run = run;
    j->argument = argument;
    j->starts += 1;
    return !j->refuses;
}

/* As late as it may. */
static void join_job(void *user)
{
    job *j = user;
    j->joins += 1;
    j->run(j->argument);
}

static void threads_may_be_the_programs_own(void **state)
{
    (void)state;
    job own = {0};
    game *g = calloc(1, sizeof *g);
    assert_non_null(g);
    es_threaded_config config = config_of(g);
    config.thread = (es_threaded_thread){&own, start_job, join_job};
    make_with(&config, g);
    end_at(g, DRAW, 10, -8);
    assert_int_equal(es_threaded_run(&g->threaded, &all, g), -8);
    assert_int_equal(own.starts, 1);
    assert_int_equal(own.joins, 1);
    assert_int_equal(g->shown.status, ES_THREADED_EMPTY);
    assert_int_equal(g->calls[START], 1);
    own.refuses = true;
    assert_int_equal(es_threaded_run(&g->threaded, &all, g), ES_ERR_UNSUPPORTED);
    assert_int_equal(own.joins, 1);
    assert_false(es_threaded_is_running(&g->threaded));
    assert_int_equal(es_threaded_join(&g->threaded), ES_ERR_STATE);
    es_error error = {0};
    config.thread.join = NULL;
    assert_int_equal(es_threaded_init(&g->threaded, &config, g->memory,
                             es_threaded_memory_size(&config), &error),
            ES_ERR_INVALID);
    assert_string_equal(error.field, "thread");
    drop(g);
}

/* A host's clock need not wait; a thread's must. */
static void a_clock_that_cannot_wait_has_no_thread(void **state)
{
    (void)state;
    game *g = calloc(1, sizeof *g);
    assert_non_null(g);
    es_threaded_config config = config_of(g);
    config.loop.clock.wait_until = NULL;
    make_with(&config, g);
    assert_int_equal(es_threaded_start(&g->threaded, &all, g), ES_ERR_UNSUPPORTED);
    assert_int_equal(es_threaded_begin(&g->threaded), ES_ERR_UNSUPPORTED);
    assert_true(es_threaded_begin_host(&g->threaded, 1000, 0));
    drop(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(what_a_callback_returns_ends_both),
            cmocka_unit_test(it_can_run_again),
            cmocka_unit_test(what_failed_has_not_been),
            cmocka_unit_test(of_two_ends_an_error_counts),
            cmocka_unit_test(callbacks_may_be_left_out),
            cmocka_unit_test(a_seek_that_is_left_open_is_an_error),
            cmocka_unit_test(a_frame_is_ready_once),
            cmocka_unit_test(begin_tells_how_the_ticks_ended),
            cmocka_unit_test(a_stop_is_no_error),
            cmocka_unit_test(it_stands_until_the_first_frame),
            cmocka_unit_test(anything_may_happen_at_any_time),
            cmocka_unit_test(starts_and_stops_without_end),
            cmocka_unit_test(a_long_wait_is_interrupted),
            cmocka_unit_test(threads_may_be_the_programs_own),
            cmocka_unit_test(a_clock_that_cannot_wait_has_no_thread),
    };
#ifndef _WIN32
    alarm(WATCHDOG_S);
#endif
    return cmocka_run_group_tests_name("threaded_run", tests, NULL, NULL);
}
