/* SPDX-License-Identifier: Zlib
 *
 * threaded: both halves stepped in virtual time. The thread of the ticks is simulated: it wakes
 * late, takes its time, and goes on while the renderer waits, draws or is blocked. What is shown is
 * held against a single-threaded loop, one tick behind, whose frames take the same times.
 */
#include "evenstep/threaded.h"

#include <stdlib.h>
#include <string.h>

#include "test_support.h"

#define MS ES_NS_PER_MS

enum { TICKS_LOGGED = 4096 };

typedef struct world {
    int64_t tick;
    int64_t time_ns;
    int64_t jumps; /* seeks and cuts before it */
} world;

/* What happens to the n-th of something, in ns. */
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
    /* the thread of the ticks */
    spread late;
    spread cost;
    bool working;
    bool cut_next;
    int64_t done_ns;
    int64_t jumps;
    int64_t begun; /* ticks */
    int64_t last_begun_ns;
    int64_t dropped_ns; /* as the ticks say */
    es_threaded_tick tick;
    int64_t published_ns[TICKS_LOGGED]; /* by tick */
    int64_t newest;
    /* the renderer */
    spread draw;
    spread wake;        /* waits end late */
    int64_t refresh_ns; /* present blocks until the next; 0: not at all */
    int64_t block_ns;   /* the next present blocks for so long */
    int64_t frames;
    int64_t first_present_ns;
    es_threaded_frame shown;
} sim;

static int64_t of_spread(const spread *of, int64_t number)
{
    test_random random = {of->seed * 77 + (uint64_t)number * 1000003 + 12345};
    random_u64(&random);
    random_u64(&random);
    return of->least_ns + (of->more_ns > 0 ? random_below(&random, of->more_ns) : 0);
}

/* --- the thread of the ticks ------------------------------------------------------------------ */

/* When it does something next. Waking counts from when the tick was due, or the thread was free. */
static int64_t next_event_ns(sim *s)
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

static void end_tick(sim *s)
{
    world *state = s->tick.state;
    *state = (world){s->tick.step.index, s->tick.step.time_ns, s->jumps};
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_OK);
    s->newest = s->tick.step.index;
    s->published_ns[s->newest % TICKS_LOGGED] = s->now_ns;
    s->working = false;
}

static void begin_tick(sim *s)
{
    int64_t due_ns = es_threaded_tick_due(&s->threaded);
    assert_true(es_threaded_tick_begin(&s->threaded, &s->tick));
    assert_int_equal(s->tick.late_ns, due_ns == INT64_MIN ? 0 : s->now_ns - due_ns);
    const world *previous = s->tick.previous;
    assert_int_equal(previous->tick, s->tick.step.index - 1);
    assert_int_equal(previous->time_ns, s->tick.step.time_ns - s->tick.step.dt_ns);
    s->dropped_ns += s->tick.dropped_ns;
    s->begun += 1;
    s->last_begun_ns = s->now_ns;
    s->working = true;
    s->done_ns = s->now_ns + of_spread(&s->cost, s->tick.step.index);
    if (s->cut_next) {
        assert_int_equal(es_threaded_tick_cut(&s->threaded), ES_OK);
        s->cut_next = false;
        s->jumps += 1;
    }
}

/* Lets time pass for both. */
static void advance(sim *s, int64_t to_ns)
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

static void seek(sim *s, int64_t tick)
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

static int64_t sim_now(void *user)
{
    const sim *s = user;
    return s->now_ns;
}

static void sim_wait(void *user, int64_t deadline_ns)
{
    sim *s = user;
    advance(s, deadline_ns + of_spread(&s->wake, s->frames));
}

static sim *make_with(const es_threaded_config *config, int64_t start_ns)
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

static es_threaded_config config_at(es_rate ticks, int64_t interval_ns)
{
    es_threaded_config config = {0};
    config.loop.tick_rate = ticks;
    config.loop.pace = ES_PACE_ADAPTIVE;
    config.loop.interval_ns = interval_ns;
    return config;
}

static sim *make(es_rate ticks, int64_t interval_ns)
{
    es_threaded_config config = config_at(ticks, interval_ns);
    sim *s = make_with(&config, 1000);
    seek(s, 0);
    return s;
}

static void drop(sim *s)
{
    free(s->memory);
    free(s);
}

static int64_t present_ns(const sim *s, int64_t now_ns)
{
    if (s->block_ns > 0) {
        return now_ns + s->block_ns;
    }
    return s->refresh_ns > 0 ? (now_ns / s->refresh_ns + 1) * s->refresh_ns : now_ns;
}

/* The picture is of the ticks that it says, and the account is even. */
static void check_frame(sim *s)
{
    const es_threaded_frame *shown = &s->shown;
    const es_frame *frame = &shown->frame;
    const es_account *a = &frame->account;
    int64_t due_ns = frame->present_ns - s->first_present_ns - a->dropped_ns - a->gaps_ns
                     - a->slowed_ns - a->held_ns - a->delay_ns + a->sought_ns;
    assert_int_equal(due_ns, frame->content_ns);
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

static void run_frame(sim *s)
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

static void run_frames(sim *s, int frames)
{
    for (int i = 0; i < frames; ++i) {
        run_frame(s);
    }
}

/* --- the loop that it is held against --------------------------------------------------------- */

typedef struct reference {
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
} reference;

static void start_reference(reference *r, const sim *s)
{
    es_loop_config config = s->config.loop;
    memset(r, 0, sizeof *r);
    r->clock.now_ns = s->now_ns;
    config.clock = es_manual_clock_get(&r->clock);
    config.clock.suspended_ns = NULL;
    config.clock.thread_cpu_ns = NULL;
    config.delay_ticks = 1.0;
    config.ticks_max = ES_TICKS_MAX;
    assert_int_equal(es_loop_init(&r->loop, &config, NULL), ES_OK);
}

/* A frame as long as the simulation's next one. */
static void run_reference(reference *r, const sim *s)
{
    es_step step;
    r->clock.wake_late_ns = of_spread(&s->wake, s->frames);
    assert_int_equal(es_loop_begin(&r->loop), ES_OK);
    while (es_loop_tick(&r->loop, &step)) {
    }
    assert_int_equal(es_loop_ready(&r->loop, &r->frame), ES_OK);
    r->clock.now_ns += of_spread(&s->draw, s->frames);
    assert_int_equal(es_loop_submit(&r->loop), ES_OK);
    r->clock.now_ns = present_ns(s, r->clock.now_ns);
    assert_int_equal(es_loop_end(&r->loop), ES_OK);
}

static void assert_same_picture(const es_frame *a, const es_frame *b)
{
    assert_int_equal(a->start_ns, b->start_ns);
    assert_int_equal(a->present_ns, b->present_ns);
    assert_int_equal(a->content_ns, b->content_ns);
    assert_int_equal(a->current_tick, b->current_tick);
    assert_int_equal(a->current_ns, b->current_ns);
    assert_int_equal(a->previous_tick, b->previous_tick);
    assert_int_equal(a->previous_ns, b->previous_ns);
    assert_true(a->alpha == b->alpha);
    assert_memory_equal(&a->account, &b->account, sizeof a->account);
}

static void assert_same_as_loop(sim *s, int frames)
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
        assert_same_picture(&s->shown.frame, &r.frame);
    }
}

/* --- the same pictures as a loop one tick behind ---------------------------------------------- */

static void pictures_are_those_of_a_loop(void **state)
{
    static const struct {
        es_rate rate;
        int64_t interval_ns;
    } cases[] = {{{60, 1}, 16666667}, {{60, 1}, 6944444}, {{60, 1}, 20 * MS}, {{30, 1}, 7 * MS},
            {{60000, 1001}, 16666667}, {{60, 1}, 100 * MS}, {{1000, 1}, 10 * MS},
            {{10, 1}, 16666667}, {{240, 1}, 16666667}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sim *s = make(cases[i].rate, cases[i].interval_ns);
        s->draw = (spread){MS, 3 * MS, i + 1};
        assert_same_as_loop(s, 1000);
        drop(s);
    }
}

static void lateness_within_the_lead_changes_no_picture(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        sim *s = make(es_hz(60), seed % 2 ? 16666667 : 6944444);
        s->late = (spread){0, 15 * MS, seed}; /* 0.9 periods */
        s->cost = (spread){100000, 1500000, seed + 100};
        s->draw = (spread){MS, 3 * MS, seed};
        assert_same_as_loop(s, 1000);
        drop(s);
    }
}

/* An update of 30 ms leaves a loop that draws in the same thread no time for 60 frames/s. */
static void slow_updates_change_no_picture(void **state)
{
    (void)state;
    sim *s = make(es_hz(30), 16666667);
    s->cost = (spread){30 * MS, 0, 1};
    assert_same_as_loop(s, 1000);
    drop(s);
}

/* A frame that begins late shows what was planned: its ticks have not gone. Where frames are
 * further apart than ticks they may have, after a period. */
static void late_frames_find_their_ticks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        bool slow = seed % 2 == 0;
        sim *s = make(es_hz(60), slow ? 50 * MS : 6944444);
        s->wake = (spread){0, slow ? 15 * MS : 40 * MS, seed};
        s->draw = (spread){100, 0, 1};
        assert_same_as_loop(s, 1000);
        drop(s);
    }
}

static sim *make_on_display(es_rate ticks, int64_t late_ns)
{
    es_threaded_config config = config_at(ticks, 0);
    config.loop.pace = ES_PACE_AUTO;
    sim *s = make_with(&config, 1000);
    seek(s, 0);
    s->refresh_ns = 16666667;
    s->draw = (spread){MS, 9 * MS, 7};
    s->late = (spread){0, late_ns, 7};
    return s;
}

/* On a display: starts are uneven, so the line wobbles, and the slack is less. */
static void pictures_on_a_display_are_those_of_a_loop(void **state)
{
    (void)state;
    for (uint32_t rate = 30; rate <= 60; rate += 15) {
        sim *s = make_on_display(es_hz(rate), 8 * MS);
        assert_same_as_loop(s, 3000);
        assert_int_not_equal(es_threaded_display(&s->threaded).mode, ES_DISPLAY_FREE);
        drop(s);
    }
}

/* With ticks shorter than a refresh a frame may ask for one further on than the lead: where it
 * finds that it will be seen a refresh later than the last, as in the trials by which the display
 * is found out. It says so; the frame after it, which does not, finds its pair. */
static void trials_hold_a_frame_each(void **state)
{
    static const uint32_t rates[] = {100, 144, 240, 480};
    static const int64_t refreshes_ns[] = {16666667, 8333333, 6944444};
    static reference r;
    (void)state;
    for (size_t i = 0; i < 12; ++i) {
        int held = 0;
        sim *s = make_on_display(es_hz(rates[i % 4]), 0);
        s->refresh_ns = refreshes_ns[i / 4];
        s->cost = (spread){100000, 0, 1};
        s->draw = (spread){(int64_t)(1 + i % 5) * MS, 0, 1};
        start_reference(&r, s);
        for (int j = 0; j < 2000; ++j) {
            run_reference(&r, s);
            run_frame(s);
            assert_int_equal(s->shown.wanted_ns, r.frame.content_ns);
            if (s->shown.status == ES_THREADED_INTERPOLATED) {
                assert_same_picture(&s->shown.frame, &r.frame);
            } else {
                assert_int_equal(s->shown.status, ES_THREADED_HELD);
                assert_in_range(j, 0, 60); /* in the first second */
                held += 1;
            }
        }
        assert_in_range(held, 0, 2);
        drop(s);
    }
}

/* Where ticks are far shorter, also what content wins back per frame is more than the lead. */
static void very_short_ticks_are_short_at_first(void **state)
{
    (void)state;
    int others = 0;
    sim *s = make_on_display(es_hz(1000), 0);
    for (int j = 0; j < 3000; ++j) {
        run_frame(s);
        others += s->shown.status != ES_THREADED_INTERPOLATED;
        assert_true(j < 60 || s->shown.status == ES_THREADED_INTERPOLATED);
    }
    assert_in_range(others, 1, 12);
    drop(s);
}

/* Frames that aim differently for good are followed. */
static void a_line_that_has_moved_is_followed(void **state)
{
    (void)state;
    sim *s = make(es_hz(240), 16666667);
    int64_t host_ns = 0;
    int others = 0;
    for (int i = 0; i < 200; ++i) {
        int64_t ahead_ns = i < 100 ? 10 * MS : 22 * MS; /* expected to be seen */
        ahead_ns = i == 50 ? 0 : i == 60 ? 22 * MS : ahead_ns;
        host_ns += 16666667;
        assert_true(es_threaded_begin_host(&s->threaded, host_ns, host_ns + ahead_ns));
        assert_int_equal(es_threaded_ready(&s->threaded, &s->shown), ES_OK);
        others += s->shown.status != ES_THREADED_INTERPOLATED;
        assert_true(i < 2 || i == 50 || i == 60 || i == 100 || i == 101
                    || s->shown.status == ES_THREADED_INTERPOLATED);
        assert_int_equal(es_threaded_end(&s->threaded), ES_OK);
        advance(s, s->now_ns + 16666667);
    }
    assert_in_range(others, 3, 5);
    drop(s);
}

/* What is asked for and not there is held at the newest tick that was: known from the schedule. */
static void what_is_late_is_held(void **state)
{
    static reference r;
    int held = 0;
    double error_ns = 0.0;
    double unavoidable_ns = 0.0;
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 26 * MS, 5}; /* 1.6 periods */
    s->cost = (spread){MS, MS, 6};
    start_reference(&r, s);
    int64_t last_ns[2] = {0, 0};
    for (int i = 0; i < 5000; ++i) {
        int64_t late_ns = 0;
        run_reference(&r, s);
        run_frame(s);
        const es_frame *shown = &s->shown.frame;
        int64_t asked = r.frame.current_tick;
        int64_t at_ns = shown->start_ns + shown->late_ns;
        bool there = asked <= s->newest && s->published_ns[asked % TICKS_LOGGED] <= at_ns;
        assert_int_equal(s->shown.wanted_ns, r.frame.content_ns);
        assert_int_equal(s->dropped_ns, 0);
        if (there) {
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_int_equal(shown->current_tick, asked);
            assert_int_equal(shown->content_ns, r.frame.content_ns);
            assert_true(shown->alpha == r.frame.alpha);
        } else {
            held += 1;
            assert_int_equal(s->shown.status, ES_THREADED_HELD);
            assert_int_equal(shown->content_ns, shown->newest_ns);
            assert_true(s->published_ns[(shown->newest_tick + 1) % TICKS_LOGGED] > at_ns
                        || s->newest == shown->newest_tick);
            late_ns = r.frame.content_ns - shown->newest_ns;
            assert_true(late_ns > 0);
        }
        if (i > 0) {
            double moved_ns = (double)(shown->content_ns - last_ns[0]);
            double meant_ns = (double)(shown->present_ns - last_ns[1]);
            double meant_by_loop_ns = (double)(r.frame.content_ns - last_ns[0]);
            error_ns += moved_ns > meant_ns ? moved_ns - meant_ns : meant_ns - moved_ns;
            double least_ns = meant_by_loop_ns - (double)late_ns - meant_ns;
            unavoidable_ns += least_ns > 0 ? least_ns : -least_ns;
        }
        last_ns[0] = shown->content_ns;
        last_ns[1] = shown->present_ns;
    }
    assert_in_range(held, 100, 2500);
    assert_true(error_ns == unavoidable_ns);
    drop(s);
}

/* --- a lead of two, and splines --------------------------------------------------------------- */

static void a_longer_lead_bears_more(void **state)
{
    (void)state;
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.lead_ticks = 2;
    sim *s = make_with(&config, 0);
    seek(s, 0);
    s->late = (spread){0, 30 * MS, 3};
    s->cost = (spread){MS, MS, 4};
    assert_same_as_loop(s, 1000);
    drop(s);
}

/* --- with a lock ------------------------------------------------------------------------------ */

static void take_lock(void *user)
{
    int *held = user;
    assert_int_equal(*held % 2, 0);
    *held += 1;
}

static void give_lock(void *user)
{
    int *held = user;
    assert_int_equal(*held % 2, 1);
    *held += 1;
}

static void the_locked_kind_shows_the_same(void **state)
{
    int held = 0;
    (void)state;
    es_threaded_config config = config_at(es_hz(60), 6944444);
    config.kind = ES_EXCHANGE_LOCKED;
    config.lock = (es_lock){.user = &held, .lock = take_lock, .unlock = give_lock};
    sim *s = make_with(&config, 0);
    seek(s, 0);
    s->late = (spread){0, 15 * MS, 3};
    s->cost = (spread){MS, 0, 4};
    assert_same_as_loop(s, 1000);
    assert_true(held > 2 * 400);
    assert_int_equal(held % 2, 0);
    drop(s);
}

/* --- slow renderers --------------------------------------------------------------------------- */

/* Ticks run at their own even rate, and not in bursts when a frame asks. */
static void ticks_are_even_beside_a_slow_renderer(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 100 * MS);
    run_frames(s, 5);
    int64_t begun = s->begun;
    for (int i = 0; i < 50; ++i) {
        int64_t before_ns = s->last_begun_ns;
        advance(s, s->now_ns + 1000000);
        if (s->last_begun_ns != before_ns) {
            assert_in_range(s->last_begun_ns - before_ns, 16666665, 16666669);
        }
    }
    assert_in_range(s->begun - begun, 2, 4);
    drop(s);
}

/* --- overload --------------------------------------------------------------------------------- */

/* Updates that take longer than their tick is worth: slow motion, as far as they need, and blended
 * pictures that move evenly. */
static void a_lasting_overload_becomes_slow_motion(void **state)
{
    static const int64_t costs_ns[] = {17500000, 20 * MS, 33333333, 100 * MS};
    (void)state;
    for (size_t i = 0; i < sizeof costs_ns / sizeof costs_ns[0]; ++i) {
        int64_t cost_ns = costs_ns[i];
        sim *s = make(es_hz(60), 16666667);
        s->cost = (spread){cost_ns, 0, 1};
        int64_t told_ns = 0;
        int held = 0;
        int held_since = 0; /* it was known */
        for (int j = 0; j < 3000; ++j) {
            int64_t last_ns = s->shown.frame.content_ns;
            run_frame(s);
            int64_t moved_ns = s->shown.frame.content_ns - last_ns;
            told_ns += s->shown.frame.lagged_ns;
            assert_int_equal(told_ns, s->shown.frame.account.lagged_ns);
            assert_int_equal(s->shown.moved_ns, 0);
            assert_true(moved_ns >= 0);
            held += s->shown.status != ES_THREADED_INTERPOLATED;
            held_since += told_ns > 0 && s->shown.status != ES_THREADED_INTERPOLATED;
            if (j < 200) {
                continue;
            }
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            /* 1/32 slower than they could be, at most */
            int64_t could_ns = 16666667 * INT64_C(16666667) / cost_ns;
            assert_in_range(moved_ns, could_ns - could_ns / 31, could_ns);
        }
        assert_in_range(held, 5, 30);
        assert_in_range(held_since, 0, 2);
        assert_in_range(s->dropped_ns, 0, 60 * MS);
        assert_int_equal(s->shown.frame.account.dropped_ns, s->dropped_ns);
        s->cost.least_ns = MS; /* it is over */
        run_frames(s, 700);
        for (int j = 0; j < 100; ++j) {
            int64_t last_ns = s->shown.frame.content_ns;
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_in_range(s->shown.frame.content_ns - last_ns, 16666667, 16666667);
            assert_int_equal(s->shown.frame.lagged_ns, 0);
        }
        drop(s);
    }
}

/* It comes back as slowly as a loop's, so that nobody sees it. */
static void slow_motion_ends_evenly(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    s->cost = (spread){50 * MS, 0, 1};
    run_frames(s, 300);
    s->cost.least_ns = MS;
    int64_t last_ns = 0;
    for (int i = 0; i < 600; ++i) {
        int64_t from_ns = s->shown.frame.content_ns;
        run_frame(s);
        int64_t moved_ns = s->shown.frame.content_ns - from_ns;
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_true(last_ns == 0 || moved_ns >= last_ns - 1);
        assert_true(last_ns == 0 || moved_ns <= last_ns + last_ns / 100);
        last_ns = moved_ns;
    }
    assert_int_equal(last_ns, 16666667);
    drop(s);
}

/* In fast motion a tick is worth less: what fits at normal speed may be too much. */
static void fast_motion_is_as_fast_as_ticks_are(void **state)
{
    const es_ratio four = {4, 1};
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    s->cost = (spread){8 * MS, 0, 1}; /* it does twice */
    assert_int_equal(es_threaded_set_time_scale(&s->threaded, four), ES_OK);
    run_frames(s, 300);
    for (int i = 0; i < 300; ++i) {
        int64_t last_ns = s->shown.frame.content_ns;
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_in_range(s->shown.frame.content_ns - last_ns, 33 * MS, 34700000);
    }
    const es_ratio normal = {1, 1};
    assert_int_equal(es_threaded_set_time_scale(&s->threaded, normal), ES_OK);
    for (int i = 0; i < 300; ++i) { /* what did not fit at four times the speed does now */
        int64_t last_ns = s->shown.frame.content_ns;
        run_frame(s);
        assert_int_equal(s->shown.frame.content_ns - last_ns, 16666667);
    }
    drop(s);
}

static void be_overloaded(sim *s)
{
    s->cost = (spread){33333333, 0, 1};
    run_frames(s, 100);
    assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    assert_true(s->shown.frame.account.lagged_ns > 0);
}

/* Costs that differ from tick to tick: their mean counts, so the speed is found at once. */
static void an_uneven_load_is_met_by_its_mean(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    s->cost = (spread){5 * MS, 40 * MS, 3};
    run_frames(s, 300);
    int64_t lagged_ns = s->threaded.ticks.lagged_ns;
    int64_t from_ns = s->shown.frame.content_ns;
    assert_true(lagged_ns > 0);
    run_frames(s, 3000);
    /* what chance heaps up: some 20 times in 50 s a picture stands for a tick or more */
    assert_in_range(s->threaded.ticks.lagged_ns - lagged_ns, 0, 1500 * MS);
    assert_in_range(s->shown.frame.content_ns - from_ns, 27000 * MS, 34000 * MS); /* of 50 s */
    drop(s);
}

/* What ticks fell short of while nobody drew was no time of the game's: it is not withheld. */
static void a_hidden_window_withholds_nothing(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    be_overloaded(s);
    s->cost.least_ns = 150 * MS;
    s->block_ns = 5000 * MS;
    int64_t lagged_ns = s->threaded.ticks.lagged_ns;
    run_frames(s, 2);
    assert_true(s->threaded.ticks.lagged_ns - lagged_ns > 200 * MS);
    s->cost.least_ns = 33333333;
    int64_t content_ns = s->shown.frame.content_ns;
    run_frames(s, 8);
    assert_true(s->shown.frame.content_ns > content_ns);
    drop(s);
}

/* Nor is what was withheld before a leap taken from the time after it. */
static void a_seek_ends_what_was_withheld(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    be_overloaded(s);
    s->cost.least_ns = 150 * MS;
    int64_t lagged_ns = s->threaded.ticks.lagged_ns;
    advance(s, s->now_ns + 900 * MS);
    assert_true(s->threaded.ticks.lagged_ns - lagged_ns > 100 * MS);
    s->cost.least_ns = MS;
    seek(s, 50);
    run_frame(s);
    assert_int_equal(s->shown.status, ES_THREADED_GAP);
    int64_t content_ns = s->shown.frame.content_ns;
    run_frame(s);
    assert_true(s->shown.frame.content_ns > content_ns);
    drop(s);
}

/* A tick now and then that takes long is made up, and slows nothing. */
static void single_hitches_slow_nothing(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    for (int i = 0; i < 50; ++i) {
        s->cost.least_ns = (40 + 2 * i) * MS; /* over half of behind_max, too */
        for (int64_t begun = s->begun; s->begun == begun;) {
            advance(s, s->now_ns + MS);
        }
        s->cost.least_ns = MS;
        run_frames(s, 30);
        assert_int_equal(s->shown.frame.account.lagged_ns, 0);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    }
    drop(s);
}

/* A single update of half a second: what is beyond 100 ms is lost, and then all is well again. */
static void a_hitch_is_over_soon(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    s->cost.least_ns = 500 * MS;
    for (int64_t begun = s->begun; s->begun == begun;) {
        advance(s, s->now_ns + MS);
    }
    s->cost.least_ns = MS;
    run_frames(s, 60);
    assert_in_range(s->dropped_ns, 300 * MS, 420 * MS);
    assert_int_equal(s->shown.frame.account.dropped_ns, s->dropped_ns);
    for (int i = 0; i < 100; ++i) {
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    }
    assert_in_range(s->shown.frame.newest_ns - s->shown.frame.content_ns, 0, 2 * 16666667);
    drop(s);
}

/* Time is withheld once, although the renderer learns of it after some ticks. */
static void overload_beside_a_slow_renderer_withholds_no_more(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 200 * MS);
    s->cost = (spread){33333333, 0, 1};
    run_frames(s, 20);
    assert_in_range(s->threaded.ticks.lagged_ns, 50 * MS, 100 * MS);
    int64_t newest = s->newest;
    int64_t from_ns = s->now_ns;
    run_frames(s, 150);
    assert_in_range(s->now_ns - from_ns, 29800 * MS, 30300 * MS);
    assert_in_range(s->newest - newest, 868, 900); /* of 900 that could run 1/32 less */
    int64_t content_ns = s->shown.frame.content_ns;
    for (int i = 0; i < 20; ++i) {
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_in_range(s->shown.frame.content_ns - content_ns, 96 * MS, 100 * MS);
        content_ns = s->shown.frame.content_ns;
    }
    drop(s);
}

/* What may be made up is real time. */
static void a_hitch_in_fast_motion(void **state)
{
    const es_ratio four = {4, 1};
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    assert_int_equal(es_threaded_set_time_scale(&s->threaded, four), ES_OK);
    run_frames(s, 100);
    assert_int_equal(s->dropped_ns, 0);
    s->cost.least_ns = 150 * MS;
    for (int64_t begun = s->begun; s->begun == begun;) {
        advance(s, s->now_ns + MS);
    }
    s->cost.least_ns = 0;
    run_frames(s, 60);
    assert_in_range(s->dropped_ns, 150 * MS, 220 * MS);
    drop(s);
}

/* Nobody draws for 5 s and a tick takes 3: content has stood since gap_ns; little is dropped. */
static void a_hidden_window_makes_no_overload(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    s->cost.least_ns = 3000 * MS;
    s->block_ns = 5000 * MS;
    for (int64_t begun = s->begun; s->begun == begun;) {
        advance(s, s->now_ns + MS);
    }
    s->cost.least_ns = 0;
    run_frames(s, 60);
    assert_in_range(s->dropped_ns, 850 * MS, 920 * MS);
    assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    drop(s);
}

/* --- pause, step, speed ----------------------------------------------------------------------- */

static void pause_once(sim *s, int64_t interval_ns)
{
    es_threaded_frame before = s->shown;
    es_threaded_pause(&s->threaded, true);
    int64_t begun = s->begun;
    for (int i = 0; i < 20; ++i) {
        run_frame(s);
        assert_int_equal(s->shown.status, before.status);
        assert_int_equal(s->shown.frame.content_ns, before.frame.content_ns);
        assert_int_equal(s->shown.frame.current_tick, before.frame.current_tick);
        assert_true(s->shown.frame.alpha == before.frame.alpha);
    }
    assert_in_range(s->begun - begun, 0, 1);
    assert_int_equal(es_threaded_tick_due(&s->threaded), INT64_MAX);
    es_threaded_pause(&s->threaded, false);
    int64_t last_ns = before.frame.content_ns;
    for (int i = 0; i < 30; ++i) {
        run_frame(s);
        assert_in_range(s->shown.wanted_ns - last_ns, 1, interval_ns + 1);
        last_ns = s->shown.wanted_ns;
        if (interval_ns < 16 * MS) { /* else it has paused with ticks that it did not show */
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        }
        assert_int_equal(s->shown.moved_ns, 0);
    }
    assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
}

static void a_pause_stops_both(void **state)
{
    (void)state;
    for (int64_t interval_ns = 7 * MS; interval_ns < 60 * MS; interval_ns += 10 * MS) {
        sim *s = make(es_hz(60), interval_ns);
        s->late = (spread){0, 16 * MS, 2};
        run_frames(s, 100);
        for (int i = 0; i < 20; ++i) {
            pause_once(s, interval_ns);
        }
        drop(s);
    }
}

/* Some frames come when a tick is late; many more run before the renderer comes again. */
static void a_pause_keeps_a_slow_picture(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 150 * MS);
    s->late = (spread){0, 16 * MS, 2};
    run_frames(s, 10);
    for (int i = 0; i < 100; ++i) {
        es_threaded_frame before = s->shown;
        advance(s, s->now_ns + 130 * MS);
        es_threaded_pause(&s->threaded, true);
        run_frames(s, 3);
        assert_int_equal(s->shown.status, before.status);
        assert_int_equal(s->shown.frame.content_ns, before.frame.content_ns);
        assert_int_equal(s->shown.frame.current_tick, before.frame.current_tick);
        es_threaded_pause(&s->threaded, false);
        run_frames(s, 5);
    }
    drop(s);
}

static void single_steps_show_one_tick_each(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    s->late = (spread){0, 10 * MS, 2};
    run_frames(s, 100);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(90)), ES_OK);
    run_frames(s, 101);
    assert_int_equal(es_threaded_step_once(&s->threaded), ES_ERR_STATE);
    es_threaded_pause(&s->threaded, true);
    run_frames(s, 3);
    int64_t tick = s->shown.frame.current_tick;
    for (int i = 1; i <= 20; ++i) {
        int64_t begun = s->begun;
        assert_int_equal(es_threaded_step_once(&s->threaded), ES_OK);
        run_frames(s, 3);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_int_equal(s->shown.frame.current_tick, tick + i);
        assert_true(s->shown.frame.alpha == 1.0);
        assert_int_equal(s->begun - begun, 1);
    }
    drop(s);
}

static void time_scale_is_followed(void **state)
{
    static const es_ratio scales[] = {{1, 4}, {4, 1}, {0, 1}, {1, 1}, {2, 3}};
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 50);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        assert_int_equal(es_threaded_set_time_scale(&s->threaded, scales[i]), ES_OK);
        run_frames(s, 10);
        int64_t from_ns = s->shown.frame.content_ns;
        for (int j = 0; j < 60; ++j) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        }
        int64_t meant_ns = es_ns_scale(60 * INT64_C(16666667), scales[i]);
        assert_in_range(s->shown.frame.content_ns - from_ns + 1, meant_ns, meant_ns + 2);
    }
    drop(s);
}

/* The first ns at which content is past the tick a lead before the newest. */
static void a_tick_is_due_when_content_gets_there(void **state)
{
    static const es_ratio scales[] = {{1, 1}, {2, 3}, {7, 5}, {1, 7}, {1000, 1}, {1, 1000}};
    (void)state;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        es_ratio scale = scales[i];
        sim *s = make((es_rate){60000, 1001}, 2 * MS);
        assert_int_equal(es_threaded_set_time_scale(&s->threaded, scale), ES_OK);
        for (int j = 0; j < 200; ++j) {
            run_frame(s);
            int64_t due_ns = es_threaded_tick_due(&s->threaded);
            if (s->shown.wanted_ns == 0 || due_ns == INT64_MAX) { /* delayed; over a second away */
                continue;
            }
            int64_t past_ns = es_rate_events_to_ns((es_rate){60000, 1001}, s->newest - 1) + 1;
            int64_t span_ns = due_ns - s->shown.frame.start_ns;
            assert_true(s->shown.wanted_ns + es_ns_scale(span_ns, scale) >= past_ns);
            assert_true(s->shown.wanted_ns + es_ns_scale(span_ns - 1, scale) < past_ns);
        }
        drop(s);
    }
}

/* --- tick rate -------------------------------------------------------------------------------- */

static void the_tick_rate_may_change(void **state)
{
    static const es_rate rates[] = {{120, 1}, {30, 1}, {60000, 1001}, {144, 1}, {60, 1}};
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 3 * MS, 9};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        if (s->working) {
            assert_int_equal(es_threaded_set_tick_rate(&s->threaded, rates[i]), ES_ERR_STATE);
            advance(s, s->done_ns);
        }
        assert_int_equal(es_threaded_set_tick_rate(&s->threaded, rates[i]), ES_OK);
        for (int j = 0; j < 300; ++j) {
            int64_t last_ns = s->shown.frame.content_ns;
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_int_equal(s->shown.frame.content_ns - last_ns, 6944444);
        }
        int64_t period_ns = es_rate_period_ns(rates[i]);
        assert_in_range(
                s->shown.frame.current_ns - s->shown.frame.previous_ns, period_ns, period_ns + 1);
        /* the render half's own ticks have found the real ones */
        assert_int_equal(s->threaded.loop.ticker.index, s->shown.frame.current_tick);
        assert_int_equal(s->threaded.loop.ticker.time_ns, s->shown.frame.current_ns);
        assert_in_range(s->shown.frame.account.delay_ns, period_ns, period_ns + 1);
    }
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(0)), ES_ERR_INVALID);
    drop(s);
}

/* --- gaps ------------------------------------------------------------------------------------- */

static void a_hidden_window_ends_in_a_gap(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    int64_t begun = s->begun;
    int64_t content_ns = s->shown.frame.content_ns;
    s->block_ns = 5000 * MS;
    run_frame(s);
    assert_in_range(s->begun - begun, 58, 64); /* for gap_ns and the lead */
    assert_int_equal(es_threaded_tick_due(&s->threaded), INT64_MAX);
    run_frame(s);
    const es_threaded_frame *shown = &s->shown;
    assert_int_equal(shown->status, ES_THREADED_GAP);
    assert_in_range(shown->frame.gap.removed_ns, 4900 * MS, 5000 * MS);
    assert_in_range(shown->moved_ns, 900 * MS, 1000 * MS);
    assert_in_range(shown->frame.content_ns - content_ns, 900 * MS, 1020 * MS);
    for (int i = 0; i < 100; ++i) {
        int64_t last_ns = s->shown.frame.content_ns;
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_in_range(s->shown.frame.content_ns - last_ns, 16666666, 16666668);
        assert_int_equal(s->shown.moved_ns, 0);
    }
    drop(s);
}

/* --- seeks and cuts --------------------------------------------------------------------------- */

static void a_seek_is_shown_and_goes_on(void **state)
{
    int64_t to[] = {10, 500, 0, 42, -1, -1, -2, -2};
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 10 * MS, 2};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof to / sizeof to[0]; ++i) {
        if (to[i] < 0) { /* one that C is in, or near */
            to[i] += s->shown.frame.current_tick;
        }
        seek(s, to[i]);
        int64_t jumps = s->jumps;
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_GAP);
        assert_int_equal(s->shown.frame.current_tick, to[i]);
        assert_int_equal(s->shown.frame.previous_tick, to[i]);
        assert_int_equal(s->shown.frame.content_ns, es_rate_events_to_ns(es_hz(60), to[i]));
        assert_int_equal(((const world *)s->shown.current)->jumps, jumps);
        for (int j = 0; j < 100 + (int)i; ++j) {
            int64_t last_ns = s->shown.frame.content_ns;
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_in_range(s->shown.frame.content_ns - last_ns, 6944443, 6944445);
        }
    }
    drop(s);
}

/* Until the state is there the old one is shown. */
static void a_seek_may_take_its_time(void **state)
{
    void *place;
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    run_frames(s, 100);
    while (s->working) {
        advance(s, s->done_ns);
    }
    int64_t newest = s->newest;
    assert_int_equal(es_threaded_tick_seek(&s->threaded, 1000, &place), ES_OK);
    s->working = true; /* the thread loads */
    s->done_ns = INT64_MAX;
    for (int i = 0; i < 30; ++i) {
        run_frame(s);
        assert_int_not_equal(s->shown.status, ES_THREADED_GAP);
        assert_in_range(s->shown.frame.current_tick, newest - 2, newest);
    }
    assert_int_equal(s->shown.status, ES_THREADED_HELD);
    s->jumps += 1;
    *(world *)place = (world){1000, es_rate_events_to_ns(es_hz(60), 1000), s->jumps};
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_OK);
    s->working = false;
    run_frame(s);
    assert_int_equal(s->shown.status, ES_THREADED_GAP);
    assert_int_equal(s->shown.frame.current_tick, 1000);
    assert_int_equal(s->dropped_ns, 0);
    drop(s);
}

/* What was dropped before a leap is not taken from the time after it. */
static void a_seek_ends_what_was_owed(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    s->late.least_ns = 500 * MS;
    advance(s, s->now_ns + 700 * MS);
    assert_true(s->dropped_ns > 300 * MS);
    s->late.least_ns = 0;
    seek(s, 50);
    run_frame(s);
    assert_int_equal(s->shown.status, ES_THREADED_GAP);
    run_frame(s);
    assert_int_equal(s->shown.frame.dropped_ns, 0);
    assert_int_equal(s->shown.frame.content_ns, 833333333 + 16666667);
    drop(s);
}

/* The last tick before it is shown to its end; then the first one after it, as it is. */
static void a_cut_is_not_blended_across(void **state)
{
    int gaps = 0;
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    run_frames(s, 100);
    for (int i = 0; i < 50; ++i) {
        s->cut_next = true;
        for (int j = 0; j < 60; ++j) {
            int64_t last_ns = s->shown.frame.content_ns;
            run_frame(s);
            assert_in_range(s->shown.frame.content_ns - last_ns, 0, 16666667 + 6944444);
            assert_int_equal(s->shown.moved_ns, 0);
            gaps += s->shown.status == ES_THREADED_GAP;
            assert_int_not_equal(s->shown.status, ES_THREADED_HELD);
        }
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    }
    assert_in_range(gaps, 50, 200);
    drop(s);
}

/* Content waits for it, however long it takes. */
static void before_the_first_state_there_is_nothing(void **state)
{
    (void)state;
    for (int delayed = 0; delayed < 2; ++delayed) {
        es_threaded_config config = config_at(es_hz(60), 16666667);
        config.delay_ticks = delayed ? 0.0 : ES_THREADED_NO_DELAY;
        sim *s = make_with(&config, 0);
        assert_int_equal(es_threaded_tick_due(&s->threaded), INT64_MAX);
        assert_false(es_threaded_tick_begin(&s->threaded, &s->tick));
        for (int i = 0; i < 30; ++i) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_EMPTY);
            assert_int_equal(s->shown.frame.content_ns, 0);
            assert_int_equal(s->shown.wanted_ns, 0);
        }
        seek(s, 0);
        for (int i = 0; i < 30; ++i) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_int_equal(s->shown.frame.content_ns, i * INT64_C(16666667));
            assert_int_equal(s->shown.moved_ns, i > 0 ? 0 : delayed ? -1 : -16666667);
        }
        assert_int_equal(s->dropped_ns, 0);
        drop(s);
    }
}

/* --- extrapolation ---------------------------------------------------------------------------- */

static void extrapolation_has_a_bound(void **state)
{
    int ahead = 0;
    int held = 0;
    (void)state;
    es_threaded_config config = config_at(es_hz(60), 6944444);
    config.ahead_max_ns = 8 * MS;
    sim *s = make_with(&config, 0);
    seek(s, 0);
    s->late = (spread){0, 40 * MS, 5};
    for (int i = 0; i < 3000; ++i) {
        int64_t last_ns = s->shown.frame.content_ns;
        run_frame(s);
        const es_frame *frame = &s->shown.frame;
        assert_true(frame->content_ns >= last_ns);
        if (s->shown.status == ES_THREADED_EXTRAPOLATED) {
            ahead += 1;
            assert_int_equal(frame->content_ns, s->shown.wanted_ns);
            assert_in_range(frame->ahead_ns, 1, 8 * MS);
        } else if (s->shown.status == ES_THREADED_HELD) {
            held += 1;
            assert_int_equal(frame->ahead_ns, 8 * MS);
        }
        assert_int_equal(frame->ahead_ns,
                frame->content_ns > frame->newest_ns ? frame->content_ns - frame->newest_ns : 0);
    }
    assert_in_range(ahead, 100, 2900);
    assert_in_range(held, 100, 2900);
    drop(s);
}

/* --- hosts, and changes ----------------------------------------------------------------------- */

/* The host's time has an origin of its own, and its callbacks come late. */
static void a_host_may_own_the_frames(void **state)
{
    (void)state;
    test_random random = {9};
    for (int predicted = 0; predicted < 2; ++predicted) {
        sim *s = make(es_hz(60), 16666667);
        int64_t host_ns = -77777 * MS;
        s->late = (spread){0, 8 * MS, 2};
        for (int i = 0; i < 500; ++i) {
            int64_t late_ns = random_below(&random, 5 * MS);
            int64_t content_ns = s->shown.frame.content_ns;
            advance(s, s->now_ns + late_ns);
            assert_true(es_threaded_begin_host(
                    &s->threaded, host_ns, predicted ? host_ns + 16666667 : 0));
            assert_int_equal(es_threaded_ready(&s->threaded, &s->shown), ES_OK);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_int_equal(s->shown.frame.start_ns, host_ns);
            if (i > 1) {
                assert_int_equal(s->shown.frame.content_ns - content_ns, 16666667);
            }
            assert_int_equal(
                    es_threaded_end_shown(&s->threaded, host_ns + 5, ES_SHOWN_VIRTUAL), ES_OK);
            assert_int_equal(es_threaded_report(&s->threaded)->shown_ns, host_ns + 5);
            assert_int_equal(es_threaded_report(&s->threaded)->source, ES_SHOWN_VIRTUAL);
            host_ns += 16666667;
            advance(s, s->now_ns + 16666667 - late_ns);
        }
        drop(s);
    }
}

static void what_may_be_changed_on_the_way(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    es_error error = {"left", "over"};
    run_frames(s, 100);
    es_threaded_config config = es_threaded_get_config(&s->threaded);
    assert_memory_equal(&config.loop.clock, &s->config.loop.clock, sizeof config.loop.clock);
    assert_int_equal(config.loop.tick_rate.numerator, 60);
    assert_int_equal(config.state_size, sizeof(world));
    /* as it is: nothing changes */
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, &error), ES_OK);
    assert_null(error.field);
    for (int i = 0; i < 50; ++i) {
        int64_t content_ns = s->shown.frame.content_ns;
        run_frame(s);
        assert_int_equal(s->shown.frame.content_ns - content_ns, 16666667);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
    }
    /* all that may */
    config.loop.interval_ns = 10 * MS;
    config.loop.tick_rate = es_hz(90);
    config.loop.gap_ns = 700 * MS;
    config.delay_ticks = 2.0;
    config.ahead_max_ns = 5 * MS;
    config.behind_max_ns = 60 * MS;
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, &error), ES_OK);
    assert_int_equal(es_threaded_tick_rate(&s->threaded).numerator, 90);
    assert_int_equal(es_loop_tick_rate(&s->threaded.loop).numerator, 60); /* its pictures' */
    run_frames(s, 50);
    assert_int_equal(es_loop_tick_rate(&s->threaded.loop).numerator, 90);
    for (int i = 0; i < 50; ++i) {
        int64_t content_ns = s->shown.frame.content_ns;
        run_frame(s);
        assert_int_equal(s->shown.frame.content_ns - content_ns, 10 * MS);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_in_range(s->shown.frame.account.delay_ns, 22222221, 22222223);
    }
    es_threaded_config now = es_threaded_get_config(&s->threaded);
    assert_int_equal(now.loop.interval_ns, 10 * MS);
    assert_int_equal(now.loop.tick_rate.numerator, 90);
    assert_int_equal(now.behind_max_ns, 60 * MS);
    assert_true(now.delay_ticks == 2.0);
    /* behind_max is the tick half's: a hitch of 300 ms loses what is beyond 60 */
    s->cost.least_ns = 300 * MS;
    for (int64_t begun = s->begun; s->begun == begun;) {
        advance(s, s->now_ns + MS);
    }
    s->cost.least_ns = 0;
    run_frames(s, 60);
    assert_in_range(s->dropped_ns, 215 * MS, 250 * MS);
    /* the line ends after gap_ns */
    int64_t begun = s->begun;
    advance(s, s->now_ns + 5000 * MS);
    assert_in_range(s->begun - begun, 60, 66);
    assert_int_equal(es_threaded_set_interval(&s->threaded, 20 * MS), ES_OK);
    assert_int_equal(es_threaded_set_interval(&s->threaded, 0), ES_ERR_INVALID);
    assert_int_equal(es_threaded_get_config(&s->threaded).loop.interval_ns, 20 * MS);
    drop(s);
}

static void what_may_not_be_changed_is_named(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    const es_threaded_config config = es_threaded_get_config(&s->threaded);
    es_threaded_config other = config;
    es_error error;
    es_threaded *threaded = &s->threaded;
    other.lead_ticks = 2;
    assert_int_equal(es_threaded_reconfigure(threaded, &other, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "lead_ticks");
    other = config;
    other.ticks = 3;
    assert_int_equal(es_threaded_reconfigure(threaded, &other, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "ticks");
    other = config;
    other.state_size += 1;
    assert_int_equal(es_threaded_reconfigure(threaded, &other, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "state_size");
    other = config;
    other.kind = ES_EXCHANGE_LOCKED;
    other.lock = (es_lock){.lock = take_lock, .unlock = give_lock};
    assert_int_equal(es_threaded_reconfigure(threaded, &other, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "kind");
    other = config;
    other.loop.catch_up = ES_CATCH_UP_SLOW;
    assert_int_equal(es_threaded_reconfigure(threaded, &other, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "catch_up");
    other = config;
    other.loop.interval_ns = -1;
    assert_int_equal(es_threaded_reconfigure(threaded, &other, NULL), ES_ERR_INVALID);
    assert_int_equal(es_threaded_reconfigure(threaded, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "config");
    assert_int_equal(es_threaded_reconfigure(NULL, &config, &error), ES_ERR_STATE);
    assert_null(error.field);
    drop(s);
}

static void a_rate_that_is_asked_for_comes_between_ticks(void **state)
{
    static const es_rate rates[] = {{120, 1}, {30, 1}, {60000, 1001}, {7, 1}, {60, 1}};
    (void)state;
    sim *s = make(es_hz(60), 6944444);
    s->late = (spread){0, 3 * MS, 9};
    s->cost = (spread){4 * MS, 0, 9};
    run_frames(s, 100);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(11)), ES_OK);
        assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, rates[i]), ES_OK);
        assert_int_equal(
                es_threaded_tick_rate(&s->threaded).numerator, (int64_t)rates[i].numerator);
        for (int j = 0; j < 300; ++j) {
            int64_t last_ns = s->shown.frame.content_ns;
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            assert_int_equal(s->shown.frame.content_ns - last_ns, 6944444);
        }
        int64_t period_ns = es_rate_period_ns(rates[i]);
        assert_in_range(
                s->shown.frame.current_ns - s->shown.frame.previous_ns, period_ns, period_ns + 1);
    }
    /* the tick half's own wish, later, counts; and is seen */
    advance(s, s->working ? s->done_ns : s->now_ns);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(20)), ES_OK);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(50)), ES_OK);
    run_frames(s, 100);
    assert_int_equal(es_threaded_tick_rate(&s->threaded).numerator, 50);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(0)), ES_ERR_INVALID);
    assert_int_equal(es_threaded_ask_tick_rate(NULL, es_hz(60)), ES_ERR_STATE);
    drop(s);
}

/* One that comes while a tick runs waits for its end; and what is too slow for a day's delay is
 * refused on either side. */
static void a_rate_waits_for_the_tick(void **state)
{
    (void)state;
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.delay_ticks = 8.0;
    sim *s = make_with(&config, 1000);
    seek(s, 0);
    s->cost = (spread){10 * MS, 0, 1};
    run_frames(s, 20);
    while (!s->working) {
        advance(s, next_event_ns(s));
    }
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(20)), ES_OK);
    es_threaded_tick_due(&s->threaded);
    assert_int_equal(s->threaded.ticks.ticker.rate.numerator, 60);
    advance(s, s->done_ns);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(30)), ES_OK);
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, es_hz(40)), ES_OK);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, es_hz(50)), ES_OK);
    es_threaded_tick_due(&s->threaded);
    assert_int_equal(s->threaded.ticks.ticker.rate.numerator, 50);
    const es_rate slow = {1, 6 * 3600};
    assert_int_equal(es_threaded_ask_tick_rate(&s->threaded, slow), ES_ERR_INVALID);
    assert_int_equal(es_threaded_set_tick_rate(&s->threaded, slow), ES_ERR_INVALID);
    drop(s);
}

/* A thread that is never run: its place is taken by the simulation. */
static bool note_start(void *user, void (*run)(void *argument), void *argument)
{
    (void)run;
    (void)argument;
    *(int *)user += 1;
    return true;
}

static void note_join(void *user)
{
    *(int *)user += 100;
}

static int no_update(void *user, const es_threaded_tick *tick)
{
    (void)user;
    (void)tick;
    return -1;
}

/* After a start the line stands until a frame comes, whatever time it is; then all is as ever. */
static void a_start_goes_on_from_the_picture(void **state)
{
    (void)state;
    int calls = 0;
    const es_threaded_callbacks callbacks = {.update = no_update};
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.thread = (es_threaded_thread){&calls, note_start, note_join};
    sim *s = make_with(&config, 1000);
    seek(s, 0);
    for (int i = 1; i <= 5; ++i) {
        assert_int_equal(es_threaded_start(&s->threaded, &callbacks, NULL), ES_OK);
        int64_t begun = s->begun;
        advance(s, s->now_ns + 400 * MS);
        assert_in_range(s->begun - begun, 0, 1);
        int64_t content_ns = s->shown.frame.content_ns;
        for (int j = 0; j < 100; ++j) {
            run_frame(s);
            assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
            if (i > 1) {
                assert_int_equal(s->shown.frame.content_ns - content_ns, 16666667);
            }
            content_ns = s->shown.frame.content_ns;
        }
        assert_int_equal(es_threaded_join(&s->threaded), ES_OK);
        assert_int_equal(calls, 101 * i);
        s->now_ns += 300 * MS;
    }
    drop(s);
}

/* Frames that go on without ticks hold the newest; at the next start nothing of that is owed. */
static void what_passes_between_a_stop_and_a_start_is_nobodys(void **state)
{
    (void)state;
    int calls = 0;
    const es_threaded_callbacks callbacks = {.update = no_update};
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.thread = (es_threaded_thread){&calls, note_start, note_join};
    sim *s = make_with(&config, 1000);
    seek(s, 0);
    assert_int_equal(es_threaded_start(&s->threaded, &callbacks, NULL), ES_OK);
    run_frames(s, 50);
    assert_int_equal(es_threaded_join(&s->threaded), ES_OK);
    s->working = true; /* nobody runs ticks */
    s->done_ns = INT64_MAX;
    run_frames(s, 300);
    assert_int_equal(s->shown.status, ES_THREADED_HELD);
    s->working = false;
    assert_int_equal(es_threaded_start(&s->threaded, &callbacks, NULL), ES_OK);
    int64_t begun = s->begun;
    for (int i = 0; i < 100; ++i) {
        int64_t content_ns = s->shown.frame.content_ns;
        run_frame(s);
        int64_t moved_ns = s->shown.frame.content_ns - content_ns;
        assert_in_range(moved_ns, i == 0 ? 0 : 16666667, 16666667); /* the first waits for a tick */
        assert_in_range(s->begun - begun, i, i + 3);
    }
    assert_int_equal(s->dropped_ns, 0);
    drop(s);
}

/* What the clock says when a pause ends counts, and not the last frame's. */
static void a_pause_without_frames_is_no_hurry(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    es_threaded_pause(&s->threaded, true);
    advance(s, s->now_ns + 800 * MS);
    int64_t begun = s->begun;
    es_threaded_pause(&s->threaded, false);
    assert_true(es_threaded_tick_due(&s->threaded) > s->now_ns - 16666667);
    run_frame(s);
    assert_in_range(s->begun - begun, 0, 3);
    drop(s);
}

/* The time that a state takes to load says nothing about ticks. */
static void loading_is_no_load(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    for (int i = 0; i < 8; ++i) {
        advance(s, s->now_ns + 40 * MS);
        int64_t costs = s->threaded.ticks.costs;
        seek(s, 100 * i);
        assert_int_equal(s->threaded.ticks.costs, costs);
    }
    drop(s);
}

/* What passed is left out; ticks that have run meanwhile are there. */
static void a_resync_leaves_time_out(void **state)
{
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    run_frames(s, 100);
    int64_t content_ns = s->shown.frame.content_ns;
    s->now_ns += 400 * MS; /* both threads load a level */
    assert_int_equal(es_threaded_resync(&s->threaded), ES_OK);
    run_frame(s);
    assert_int_equal(s->shown.wanted_ns - content_ns, 16666667);
    assert_in_range(s->shown.frame.account.slowed_ns, 380 * MS, 400 * MS);
    int64_t begun = s->begun;
    run_frames(s, 10);
    assert_in_range(s->begun - begun, 9, 11); /* nor did ticks run ahead */
    assert_int_equal(es_threaded_resync(NULL), ES_ERR_STATE);
    drop(s);
}

/* --- anything at any time --------------------------------------------------------------------- */

static int64_t pick(test_random *random, const int64_t *from, size_t count)
{
    return from[random_below(random, (int64_t)count)];
}

static void change_config(sim *s, test_random *random)
{
    es_threaded_config config = es_threaded_get_config(&s->threaded);
    config.delay_ticks = (double)random_below(random, 5) * 0.75;
    config.behind_max_ns = random_below(random, 3) * 40 * MS;
    config.loop.gap_ns = random_below(random, 3) * 700 * MS;
    assert_int_equal(es_threaded_reconfigure(&s->threaded, &config, NULL), ES_OK);
}

static void change_something(sim *s, test_random *random)
{
    static const es_rate rates[] = {{60, 1}, {30, 1}, {120, 1}, {60000, 1001}, {250, 1}, {7, 1}};
    static const es_ratio scales[] = {{1, 1}, {1, 3}, {3, 1}, {0, 1}, {20, 1}};
    switch (random_below(random, 11)) {
    case 8:
        es_threaded_ask_tick_rate(&s->threaded, rates[random_below(random, 6)]);
        break;
    case 9:
        es_threaded_resync(&s->threaded);
        break;
    case 10:
        change_config(s, random);
        break;
    case 0:
        es_threaded_pause(&s->threaded, random_below(random, 2) == 0);
        break;
    case 1:
        es_threaded_step_once(&s->threaded);
        break;
    case 2:
        es_threaded_set_time_scale(&s->threaded, scales[random_below(random, 5)]);
        break;
    case 3:
        es_threaded_set_tick_rate(&s->threaded, rates[random_below(random, 6)]);
        break;
    case 4:
        seek(s, random_below(random, 1000));
        break;
    case 5:
        s->cut_next = true;
        break;
    case 6:
        s->block_ns = random_below(random, 3000 * MS);
        break;
    default: {
        static const int64_t times[] = {0, MS, 5 * MS, 20 * MS, 90 * MS, 400 * MS};
        s->late = (spread){0, pick(random, times, 6) / 2, random_u64(random)};
        s->cost = (spread){0, pick(random, times, 6) / 2, random_u64(random)};
        s->draw = (spread){MS / 2, pick(random, times, 5), random_u64(random)};
    }
    }
}

/* Whatever came before, a second later all is as it should be. */
static void calm_down(sim *s, int64_t interval_ns)
{
    const es_ratio normal = {1, 1};
    s->late = (spread){0, 0, 1};
    s->cost = (spread){0, 0, 1};
    s->draw = (spread){100, 0, 1};
    s->cut_next = false;
    es_threaded_pause(&s->threaded, false);
    assert_int_equal(es_threaded_set_time_scale(&s->threaded, normal), ES_OK);
    run_frames(s, (int)(2000 * MS / interval_ns) + 10);
    for (int i = 0; i < 1000 && s->threaded.loop.content.slow.numerator != 1; ++i) {
        run_frame(s); /* out of slow motion */
    }
    run_frames(s, 10);
    for (int i = 0; i < 20; ++i) {
        es_threaded_frame last = s->shown;
        run_frame(s);
        assert_int_equal(s->shown.status, ES_THREADED_INTERPOLATED);
        assert_int_equal(s->shown.frame.content_ns - last.frame.content_ns,
                s->shown.frame.present_ns - last.frame.present_ns);
        assert_int_equal(s->shown.frame.account.held_ns, 0);
        assert_int_equal(s->threaded.loop.ticker.index, s->shown.frame.current_tick);
    }
}

static void anything_may_happen_at_any_time(void **state)
{
    static const int64_t intervals[] = {6944444, 16666667, 33333333, 50 * MS, 2 * MS};
    (void)state;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        test_random random = {seed * 7919};
        es_threaded_config config = config_at(es_hz(60), pick(&random, intervals, 5));
        config.lead_ticks = 1 + (int32_t)random_below(&random, 2);
        config.ahead_max_ns = random_below(&random, 2) * 8 * MS;
        sim *s = make_with(&config, random_below(&random, 1000 * MS));
        seek(s, 0);
        for (int i = 0; i < 60; ++i) {
            if (i % 20 == 19) {
                calm_down(s, config.loop.interval_ns);
            }
            change_something(s, &random);
            for (int64_t frames = random_below(&random, 20); frames > 0; --frames) {
                es_threaded_frame last = s->shown;
                run_frame(s);
                const es_threaded_frame *shown = &s->shown;
                bool moved_back = shown->frame.content_ns < last.frame.content_ns;
                assert_true(!moved_back || shown->status == ES_THREADED_GAP);
                bool first = s->frames == 1;
                assert_true(shown->moved_ns == 0 || shown->status == ES_THREADED_GAP || first);
                assert_true(shown->frame.account.dropped_ns <= s->dropped_ns);
                assert_true(
                        shown->frame.content_ns <= shown->frame.newest_ns + config.ahead_max_ns);
                if (shown->status != ES_THREADED_INTERPOLATED) {
                    continue;
                }
                bool newer = shown->frame.content_ns > shown->frame.previous_ns;
                assert_true(newer || shown->frame.previous_ns == shown->frame.current_ns
                            || shown->frame.alpha == 0.0);
            }
        }
        drop(s);
    }
}

/* --- what is refused -------------------------------------------------------------------------- */

static void assert_refused(const es_threaded_config *config, const char *field)
{
    static es_threaded threaded;
    static unsigned char memory[16384];
    es_error error = {0};
    es_result result = es_threaded_init(&threaded, config, memory, sizeof memory, &error);
    assert_int_equal(result, ES_ERR_INVALID);
    assert_string_equal(error.field, field);
    assert_int_equal(es_threaded_begin(&threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_due(&threaded), INT64_MAX);
}

#define REFUSED(member, value, field)                                                              \
    do {                                                                                           \
        es_threaded_config config = config_at(es_hz(60), 16666667);                                \
        config.state_size = 8;                                                                     \
        config.member = value;                                                                     \
        assert_refused(&config, field);                                                            \
    } while (0)

static void bad_configurations_are_refused(void **state)
{
    (void)state;
    REFUSED(state_size, 0, "state_size");
    REFUSED(lead_ticks, 3, "lead_ticks");
    REFUSED(lead_ticks, -1, "lead_ticks");
    REFUSED(ticks, 2, "ticks");
    REFUSED(ticks, 5, "ticks");
    REFUSED(delay_ticks, -0.5, "delay_ticks");
    REFUSED(delay_ticks, 8.5, "delay_ticks");
    REFUSED(behind_max_ns, -1, "behind_max_ns");
    REFUSED(ahead_max_ns, -1, "ahead_max_ns");
    REFUSED(ahead_max_ns, 2000 * MS, "ahead_max_ns");
    REFUSED(loop.step, ES_STEP_VARIABLE, "step");
    REFUSED(loop.catch_up, ES_CATCH_UP_SLOW, "catch_up");
    REFUSED(loop.alpha_below_one, true, "alpha_below_one");
    REFUSED(loop.ticks_max, 3, "ticks_max");
    REFUSED(loop.behind_max_ns, 3, "behind_max_ns");
    REFUSED(loop.delay_ticks, 1.0, "delay_ticks");
    REFUSED(loop.lead_ticks, 1, "lead_ticks");
    REFUSED(loop.interval_ns, -1, "interval_ns");
    REFUSED(kind, ES_EXCHANGE_LOCKED, "lock");
    es_threaded threaded;
    es_threaded_config config = config_at(es_hz(60), 16666667);
    config.state_size = 8;
    unsigned char memory[16384];
    es_error error = {0};
    size_t size = es_threaded_memory_size(&config);
    assert_in_range(size, 1, sizeof memory);
    assert_int_equal(es_threaded_init(&threaded, &config, memory, size, NULL), ES_OK);
    for (size_t less = 1; less <= size; less += 100) {
        assert_int_equal(
                es_threaded_init(&threaded, &config, memory, size - less, &error), ES_ERR_SPACE);
        assert_string_equal(error.field, "memory_size");
    }
    assert_int_equal(es_threaded_init(NULL, &config, memory, size, &error), ES_ERR_INVALID);
    assert_int_equal(es_threaded_init(&threaded, NULL, memory, size, &error), ES_ERR_INVALID);
    assert_int_equal(es_threaded_init(&threaded, &config, NULL, size, &error), ES_ERR_INVALID);
}

static void calls_out_of_order_are_refused(void **state)
{
    void *place;
    (void)state;
    sim *s = make(es_hz(60), 16666667);
    assert_int_equal(es_threaded_ready(&s->threaded, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_submit(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_end(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_end(&s->threaded), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_cut(&s->threaded), ES_ERR_STATE);
    assert_null(es_threaded_report(&s->threaded));
    assert_true(es_threaded_tick_begin(&s->threaded, &s->tick));
    es_threaded_tick again;
    assert_false(es_threaded_tick_begin(&s->threaded, &again));
    assert_int_equal(es_threaded_tick_seek(&s->threaded, 3, &place), ES_ERR_STATE);
    end_tick(s);
    assert_int_equal(es_threaded_tick_seek(&s->threaded, 3, NULL), ES_ERR_INVALID);
    assert_int_equal(es_threaded_tick_seek(&s->threaded, -1, &place), ES_ERR_RANGE);
    run_frame(s);
    assert_int_equal(es_threaded_begin(&s->threaded), ES_OK);
    assert_int_equal(es_threaded_ready(&s->threaded, NULL), ES_OK);
    assert_int_equal(es_threaded_ready(&s->threaded, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_begin(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_ready(NULL, NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_end(NULL), ES_ERR_STATE);
    assert_int_equal(es_threaded_tick_due(NULL), INT64_MAX);
    drop(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(pictures_are_those_of_a_loop),
            cmocka_unit_test(lateness_within_the_lead_changes_no_picture),
            cmocka_unit_test(late_frames_find_their_ticks),
            cmocka_unit_test(slow_updates_change_no_picture),
            cmocka_unit_test(pictures_on_a_display_are_those_of_a_loop),
            cmocka_unit_test(trials_hold_a_frame_each),
            cmocka_unit_test(very_short_ticks_are_short_at_first),
            cmocka_unit_test(a_line_that_has_moved_is_followed),
            cmocka_unit_test(a_host_may_own_the_frames),
            cmocka_unit_test(what_may_be_changed_on_the_way),
            cmocka_unit_test(a_rate_that_is_asked_for_comes_between_ticks),
            cmocka_unit_test(what_may_not_be_changed_is_named),
            cmocka_unit_test(a_rate_waits_for_the_tick),
            cmocka_unit_test(a_start_goes_on_from_the_picture),
            cmocka_unit_test(what_passes_between_a_stop_and_a_start_is_nobodys),
            cmocka_unit_test(a_pause_without_frames_is_no_hurry),
            cmocka_unit_test(loading_is_no_load),
            cmocka_unit_test(a_resync_leaves_time_out),
            cmocka_unit_test(what_is_late_is_held),
            cmocka_unit_test(a_longer_lead_bears_more),
            cmocka_unit_test(the_locked_kind_shows_the_same),
            cmocka_unit_test(ticks_are_even_beside_a_slow_renderer),
            cmocka_unit_test(a_lasting_overload_becomes_slow_motion),
            cmocka_unit_test(slow_motion_ends_evenly),
            cmocka_unit_test(fast_motion_is_as_fast_as_ticks_are),
            cmocka_unit_test(single_hitches_slow_nothing),
            cmocka_unit_test(an_uneven_load_is_met_by_its_mean),
            cmocka_unit_test(a_hidden_window_withholds_nothing),
            cmocka_unit_test(a_seek_ends_what_was_withheld),
            cmocka_unit_test(overload_beside_a_slow_renderer_withholds_no_more),
            cmocka_unit_test(a_hitch_is_over_soon),
            cmocka_unit_test(a_hitch_in_fast_motion),
            cmocka_unit_test(a_hidden_window_makes_no_overload),
            cmocka_unit_test(a_pause_stops_both),
            cmocka_unit_test(a_pause_keeps_a_slow_picture),
            cmocka_unit_test(single_steps_show_one_tick_each),
            cmocka_unit_test(time_scale_is_followed),
            cmocka_unit_test(a_tick_is_due_when_content_gets_there),
            cmocka_unit_test(the_tick_rate_may_change),
            cmocka_unit_test(a_hidden_window_ends_in_a_gap),
            cmocka_unit_test(a_seek_is_shown_and_goes_on),
            cmocka_unit_test(a_seek_may_take_its_time),
            cmocka_unit_test(a_seek_ends_what_was_owed),
            cmocka_unit_test(a_cut_is_not_blended_across),
            cmocka_unit_test(before_the_first_state_there_is_nothing),
            cmocka_unit_test(extrapolation_has_a_bound),
            cmocka_unit_test(anything_may_happen_at_any_time),
            cmocka_unit_test(bad_configurations_are_refused),
            cmocka_unit_test(calls_out_of_order_are_refused),
    };
    return cmocka_run_group_tests_name("threaded", tests, NULL, NULL);
}
