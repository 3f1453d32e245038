/* SPDX-License-Identifier: Zlib
 *
 * The whole loop on a simulated display (test_screen.h), under a clock that leaps and wakes late. At
 * every frame the account adds up to the nanosecond, and content goes back by a seek only. Changes in
 * any phase of a frame, and how long calls wait then: fuzz/fuzz_loop.c.
 */
#include "frame_support.h"
#include "manual_clock.h"
#include "test_screen.h"

#include "display/refresh.h"
#include "display/target.h"

#include <inttypes.h>

#define NEAR_NS (200 * US)

/* A clock reads true time and an error. */
typedef struct world {
    es_loop loop;
    es_loop_config config;
    screen screen;
    test_random random;
    int64_t true_ns;
    int64_t error_ns; /* of the clock */
    int64_t suspended_ns;
    int64_t cpu_ns;
    int64_t wake_late_ns;
    int64_t cost_ns;   /* of a frame ... */
    int64_t tick_ns;   /* ... of which a tick takes this */
    int64_t waited_ns; /* in the call under way */
    bool first;
    int64_t first_present_ns;
    int64_t content_ns;
    es_frame frame;
    int64_t extra_ns; /* the next drawing takes this more ... */
    int64_t stall_ns; /* ... and the next present */
    int64_t due_ns;   /* of the newest tick, from when it began */
    int64_t flip_ns;  /* true */
    int64_t off_ns;   /* D, on the clock, from the flip */
    int64_t shown_after_ns;
    int64_t moved_ns;
    int64_t told;                     /* frames */
    int64_t loop_index[SCREEN_FLIPS]; /* of the screen's newest frames */
} world;

static int64_t clock_now(void *user)
{
    const world *w = user;
    return w->true_ns + w->error_ns;
}

static void clock_wait(void *user, int64_t deadline_ns)
{
    world *w = user;
    int64_t left_ns = es__ns_sub(deadline_ns, clock_now(w));
    if (left_ns > 0) {
        left_ns += w->wake_late_ns > 0 ? random_below(&w->random, w->wake_late_ns + 1) : 0;
        w->waited_ns = es__ns_add(w->waited_ns, left_ns);
        w->true_ns = es__ns_add(w->true_ns, left_ns);
    }
}

static int64_t clock_suspended(void *user)
{
    return ((const world *)user)->suspended_ns;
}

static int64_t clock_cpu(void *user)
{
    return ((const world *)user)->cpu_ns;
}

static void spend(world *w, int64_t cost_ns)
{
    w->true_ns += cost_ns;
    w->cpu_ns += cost_ns;
}

static int64_t magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

static void set_load(world *w, int64_t cost_percent)
{
    w->cost_ns = screen_period_ns(&w->screen) * cost_percent / 100;
    w->tick_ns = w->cost_ns / 8;
}

static void set_up(world *w, int64_t millihertz, int32_t depth, int64_t cost_percent, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    test_setting("%d mHz, depth %d, work %d %%, seed %d;", (int)millihertz, (int)depth,
            (int)cost_percent, (int)seed);
    w->screen.rate = es__rate_make((uint64_t)millihertz, 1000);
    w->screen.depth = depth;
    w->screen.phase_ns = 3100 * US;
    w->screen.call_ns = 20 * US;
    w->screen.late_ns = 100 * US;
    w->screen.random.state = 77 + seed * 1234567;
    w->random.state = 99 + seed * 7654321;
    w->wake_late_ns = 60 * US;
    set_load(w, cost_percent);
    w->config.clock.now_ns = clock_now;
    w->config.clock.wait_until = clock_wait;
    w->config.clock.suspended_ns = clock_suspended;
    w->config.clock.thread_cpu_ns = clock_cpu;
    w->config.clock.user = w;
    w->first = true;
}

static void start(world *w)
{
    es__error error;
    if (es__loop_init(&w->loop, &w->config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
}

static es_display status_of(const world *w)
{
    return es_loop_get_display(&w->loop);
}

/* --- a frame ---------------------------------------------------------------------------------- */

static void check_account(world *w)
{
    const es_frame *frame = &w->frame;
    if (w->first) {
        w->first_present_ns = frame->present_ns;
        w->first = false;
    }
    assert_account_adds_up(frame, w->first_present_ns);
    assert_true(frame->content_ns >= w->content_ns);
    w->content_ns = frame->content_ns;
}

static void begin(world *w)
{
    w->waited_ns = 0;
    assert_true(es_loop_begin(&w->loop));
}

static void present(world *w)
{
    assert_true(es_loop_submit(&w->loop));
    int64_t flip_before_ns = w->flip_ns;
    w->true_ns = screen_present(&w->screen, w->true_ns) + w->stall_ns;
    w->stall_ns = 0;
    w->flip_ns = screen_flip_ns(&w->screen, w->screen.frames - 1);
    w->shown_after_ns = w->flip_ns - flip_before_ns;
    w->loop_index[(w->screen.frames - 1) % SCREEN_FLIPS] = w->frame.index;
    assert_true(es_loop_end(&w->loop));
    w->off_ns = w->frame.present_ns - (w->flip_ns + w->error_ns);
}

static void run_frame(world *w)
{
    int64_t content_ns = w->content_ns;
    es_step step;
    begin(w);
    while (es_loop_tick(&w->loop, &step)) {
        w->due_ns = step.due_ns - step.begun_ns;
        spend(w, w->tick_ns);
    }
    assert_true(es_loop_wait(&w->loop, &w->frame));
    spend(w, w->cost_ns > w->tick_ns ? w->cost_ns - w->tick_ns : 0);
    spend(w, w->extra_ns);
    w->extra_ns = 0;
    check_account(w);
    present(w);
    w->moved_ns = w->content_ns - content_ns;
}

static void run_until(world *w, int64_t until_ns)
{
    while (w->true_ns < until_ns) {
        run_frame(w);
    }
}

/* --- long ticks ------------------------------------------------------------------------------- */

/* Many refreshes in a tick: where content is in it is no reason to move it by more than a beat. */
TEST(content_keeps_time_with_long_ticks)
{
    static const es_rate rates[] = {{5, 1}, {1, 1}, {1, 60}};
    static world w;
    for_rows (i, rates) {
        set_up(&w, 144000, 2, 50, i);
        w.config.tick_rate = rates[i];
        start(&w);
        run_until(&w, 60 * S);
        int64_t clamped_ns = w.frame.account.clamped_ns;
        assert_in_range(clamped_ns + 10 * MS, 0, 20 * MS);
        run_until(&w, 180 * S);
        assert_in_range(w.frame.account.clamped_ns - clamped_ns + MS, 0, 2 * MS);
    }
}

/* --- readings --------------------------------------------------------------------------------- */

/* Eight readings tell a line, also where time was removed between them: of refreshes of at least 1 ms. */
TEST(readings_tell_a_line)
{
    static const int64_t periods_ns[] = {MS - 1, MS, 10 * MS, 40 * MS};
    for_rows (i, periods_ns) {
        es__refresh refresh;
        es__refresh_init(&refresh, 0);
        for (int k = 1; k <= 8; ++k) {
            int64_t removed_ns = k > 5 ? 300 * MS : 0;
            if (k == 6) {
                es__refresh_shift(&refresh, -removed_ns);
            }
            es__refresh_read(&refresh, S + k * periods_ns[i] - removed_ns, k, false);
            assert_int_equal(refresh.certain, k == 8 && periods_ns[i] >= MS);
        }
        es__refresh_read(&refresh, 700 * MS, 3, false); /* not later */
        assert_int_equal(refresh.recent, 8);
        refresh.certain = false;
        es__refresh_read(
                &refresh, 700 * MS + 9 * periods_ns[i], 3, false); /* numbered another way */
        assert_int_equal(refresh.recent, 1);
    }
}

TEST(a_line_lies_under_its_readings)
{
    static const int64_t late_us[] = {30, 0, 10, 20};
    es__refresh refresh;
    es__refresh_init(&refresh, 10 * MS);
    for (int k = 0; k < 4; ++k) {
        es__refresh_read(&refresh, S + k * 10 * MS + late_us[k] * US, k, false);
    }
    assert_true(refresh.certain);
    assert_int_equal(es__refresh_time_ns(&refresh, refresh.read_index), S + 30 * MS);
    es__refresh_announce(&refresh, 0); /* what was found stays */
    assert_true(refresh.certain && refresh.known_ns == 10e6);
    assert_true(es__refresh_time_ns(&refresh, INT64_MIN) < -S);
    assert_true(es__refresh_time_ns(&refresh, INT64_MAX) > 2 * S);
}

/* --- what interrupts -------------------------------------------------------------------------- */

typedef enum trouble {
    SLEPT_UNCOUNTED = 0, /* CLOCK_MONOTONIC */
    SLEPT_COUNTED,
    STALLED, /* the thread did not run */
    WORKED,
    LEAPT_AHEAD,
    LEAPT_BACK,
    STOPPED_LONG,
    LEAPT_FAR,
    TROUBLES
} trouble;

static const char *const trouble_names[TROUBLES] = {"slept, uncounted", "slept, counted", "stalled",
        "worked", "clock leapt ahead", "clock leapt back", "stopped for long", "clock leapt far"};

static void make_trouble(world *w, trouble kind, int64_t part)
{
    int64_t short_ns = 20 * MS + part * 83 * MS;
    int64_t long_ns = 30 * S + part * 1234567;
    bool slept = kind == SLEPT_UNCOUNTED || kind == SLEPT_COUNTED;
    w->true_ns += slept ? long_ns : 0;
    w->suspended_ns += slept ? long_ns : 0;
    w->error_ns -= kind == SLEPT_UNCOUNTED ? long_ns : 0;
    w->true_ns += kind == STALLED || kind == WORKED ? short_ns : 0;
    w->cpu_ns += kind == WORKED ? short_ns : 0;
    w->error_ns += kind == LEAPT_AHEAD ? short_ns : 0;
    w->error_ns -= kind == LEAPT_BACK ? short_ns : 0;
    w->true_ns += kind == STOPPED_LONG ? 5 * S + part * 1234567 : 0;
    w->error_ns += kind == LEAPT_FAR ? 5 * S : 0;
}

/* By how much offset_ns shrank in the frame. */
static int64_t slewed_ns(const world *w)
{
    return w->loop.frame.uses_display ? w->loop.display_plan.slewed_ns : 0;
}

/* Within 3 s D is a refresh again, by no more than one beside the true one where the queue could
 * not be asked. With low latency an empty queue blocks no present: there refreshes are looked for
 * every ten seconds. After a leap of the clock D may stay whole refreshes off, which is
 * invisible. Content is not far behind or ahead, and not slower or faster for long. */
static void it_goes_on_after(trouble kind, bool low_latency)
{
    static world w;
    static const int64_t rates[] = {60000, 144000, 60000, 75000};
    int64_t within_ns = low_latency ? 12 * S : 3 * S;
    for (int i = 0; i < 4 * 3 * 6; i += TEST_STEP) {
        set_up(&w, rates[i % 4], i / 4 % 3 + 1, 40, (uint64_t)i);
        w.config.low_latency = low_latency;
        start(&w);
        run_until(&w, 7 * S);
        make_trouble(&w, kind, i / 12 * 2);
        int64_t from_ns = w.true_ns, period_ns = screen_period_ns(&w.screen);
        int64_t off_ns = 0, offset_ns = 0, slewing_ns = 0, frames = 0, off = 0;
        while (w.true_ns < from_ns + within_ns + 7 * S) {
            run_frame(&w);
            offset_ns = magnitude(w.frame.account.offset_ns) > offset_ns
                                ? magnitude(w.frame.account.offset_ns)
                                : offset_ns;
            int64_t rest_ns = magnitude(w.off_ns) % period_ns;
            rest_ns = rest_ns > period_ns / 2 ? period_ns - rest_ns : rest_ns;
            bool leapt = kind == LEAPT_AHEAD || kind == LEAPT_FAR;
            bool far = !leapt && magnitude(w.off_ns) > 3 * period_ns / 2;
            bool is_off = rest_ns > period_ns / 8 || far;
            bool locked = w.loop.display.mode == ES_DISPLAY_BLOCKS;
            off_ns = !locked || is_off ? w.true_ns - from_ns : off_ns;
            frames += w.true_ns > from_ns + within_ns;
            off += w.true_ns > from_ns + within_ns && (!locked || is_off);
            slewing_ns += magnitude(slewed_ns(&w)) * 50 > period_ns ? period_ns : 0;
        }
        row("%s, low latency %d, off for %d ms", trouble_names[kind], low_latency,
                (int)(off_ns / MS));
        assert_at_most((double)off, (double)frames / 100);
        assert_at_most((double)offset_ns, 230e6);
        assert_at_most((double)slewing_ns, 1e9);
    }
}

/* Not tested: low latency after a clock has leapt ahead. In 11 of 72 cases D is off for more than 12 s,
 * as the wrong phase is seen at the second look only. */
TEST(interruptions_are_over_soon)
{
    for (int kind = 0; kind < TROUBLES; ++kind) {
        it_goes_on_after((trouble)kind, false);
        if (kind != LEAPT_AHEAD) {
            it_goes_on_after((trouble)kind, true);
        }
    }
}

/* Nothing moves for a while. Afterwards content goes on where it was, and each frame errs no more than
 * one of a settled loop. */
TEST(idle_time_is_no_time)
{
    static world w;
    static const int64_t rates[] = {60000, 144000, 75000};
    static const int64_t idle_ns[] = {3 * MS, 40 * MS, 400 * MS, 900 * MS, 5 * S, 60 * S, 7200 * S};
    for (int i = 0; i < 3 * 3 * 7; ++i) {
        row("idle for %d ms", (int)(idle_ns[i / 9] / MS));
        set_up(&w, rates[i % 3], i / 3 % 3 + 1, 40, (uint64_t)i);
        start(&w);
        run_until(&w, 7 * S);
        int64_t period_ns = screen_period_ns(&w.screen), gaps_ns = w.frame.account.gaps_ns;
        assert_true(es_loop_idle(&w.loop));
        w.true_ns += idle_ns[i / 9];
        w.suspended_ns += i % 2 == 0 ? idle_ns[i / 9] / 2 : 0;
        run_frame(&w);
        assert_in_range(w.moved_ns, period_ns / 2, 5 * period_ns / 2);
        assert_int_equal(w.frame.gap.kind, ES_GAP_NONE);
        assert_in_range(w.frame.account.gaps_ns - gaps_ns, 0, idle_ns[i / 9] + period_ns);
        for (int k = 0; k < 12; ++k) {
            run_frame(&w);
            assert_at_most(
                    (double)magnitude(w.moved_ns - w.shown_after_ns), 0.02 * (double)period_ns);
        }
    }
}

/* --- feedback --------------------------------------------------------------------------------- */

typedef enum feedback {
    EXACT = 0,
    NOISY,         /* by 0.3 ms */
    LATE,          /* eight frames */
    STOPS,         /* after 4 s */
    TWICE,         /* each is reported twice */
    STRANGERS,     /* of frames that never were, too */
    LYING,         /* the next refresh after it was submitted, queue or not */
    NONSENSE,      /* any time */
    SOME_NONSENSE, /* one in ten */
    AHEAD,         /* by 0.1 s: shown before it was submitted */
    BEHIND,        /* by 0.1 s */
    ANCIENT,       /* another clock */
    FUTURE,
    FEEDBACKS
} feedback;

static const char *const feedback_names[FEEDBACKS] = {"exact", "noisy", "eight frames late",
        "stops", "twice", "strangers", "lying", "nonsense", "some nonsense", "0.1 s early",
        "0.1 s late", "an old clock", "a later clock"};

static void tell_of(world *w, int64_t frame, int64_t shown_ns)
{
    es_present sample = {0};
    sample.frame = frame;
    sample.shown_ns = shown_ns;
    sample.reported_ns = frame % 2 == 0 ? clock_now(w) : 0;
    sample.grade = ES_PRESENT_HARDWARE;
    es_loop_presented(&w->loop, &sample);
}

/* True times on the clock of what was seen by now. */
static void tell_all(world *w, feedback kind)
{
    int64_t late = kind == LATE ? 8 : 0;
    test_random *random = &w->random;
    while (w->told < w->screen.frames - late && screen_flip_ns(&w->screen, w->told) <= w->true_ns) {
        int64_t frame = w->loop_index[w->told % SCREEN_FLIPS];
        int64_t shown_ns = screen_flip_ns(&w->screen, w->told) + w->error_ns;
        w->told += 1;
        if (kind == NOISY) {
            shown_ns += random_below(random, 600 * US + 1) - 300 * US;
        }
        shown_ns += kind == AHEAD ? -100 * MS : 0;
        shown_ns += kind == BEHIND ? 100 * MS : 0;
        shown_ns += kind == ANCIENT ? -1000 * S : 0;
        shown_ns += kind == FUTURE ? 1000 * S : 0;
        if (kind == NONSENSE || (kind == SOME_NONSENSE && random_below(random, 10) == 0)) {
            shown_ns = (int64_t)random_u64(random);
        }
        tell_of(w, frame, shown_ns);
        if (kind == TWICE) {
            tell_of(w, frame, shown_ns);
        }
        if (kind == STRANGERS) {
            tell_of(w, frame + 1 + random_below(random, 100), shown_ns);
            tell_of(w, -1 - random_below(random, 100), shown_ns);
            tell_of(w, (int64_t)random_u64(random), shown_ns);
        }
    }
}

static void tell(world *w, feedback kind)
{
    if (kind == LYING) {
        int64_t next = screen_after(&w->screen, w->true_ns);
        tell_of(w, w->frame.index, screen_refresh_ns(&w->screen, next) + w->error_ns);
    } else if (kind != STOPS || w->true_ns < 4 * S) {
        tell_all(w, kind);
    }
}

/* What no feedback may bring about: frames that are held although there is time, a wait without
 * end, content that goes back (check_account), D that is neither here nor there. */
TEST(feedback_is_used_or_survived)
{
    static const int64_t rates[] = {60000, 144000, 59940};
    static world w;
    for (int i = 0; i < FEEDBACKS * 3 * 3; ++i) {
        feedback kind = (feedback)(i % FEEDBACKS);
        set_up(&w, rates[i / FEEDBACKS % 3], i / FEEDBACKS / 3 + 1, 50, (uint64_t)i);
        w.wake_late_ns = 300 * US;
        start(&w);
        int64_t frames = 0, off = 0, held = 0, longest_ns = 0;
        int64_t period_ns = screen_period_ns(&w.screen);
        while (w.true_ns < 20 * S) {
            run_frame(&w);
            tell(&w, kind);
            longest_ns = w.waited_ns > longest_ns ? w.waited_ns : longest_ns;
            if (w.true_ns > 5 * S) {
                bool is_off = magnitude(w.off_ns) > (kind == NOISY ? 2 : 1) * NEAR_NS;
                frames += 1;
                off += w.loop.display.mode != ES_DISPLAY_BLOCKS || is_off;
                held += w.loop.display.hold > 1;
            }
        }
        row("%s: queue %d, fed %d", feedback_names[kind], status_of(&w).queue,
                status_of(&w).feedback);
        assert_int_equal(held, 0);
        assert_at_most((double)longest_ns, 5 * (double)period_ns);
        assert_at_most((double)magnitude(w.content_ns - w.true_ns), 500e6);
        assert_at_most((double)off, kind == LYING ? (double)frames : (double)frames / 100);
        assert_at_most((double)w.screen.repeats, kind == LYING ? HUGE_VAL : 8);
    }
}

/* Numbers of flips that are wrong by a minute plan no wait of a minute. */
TEST(no_wait_is_longer_than_frames_are_apart)
{
    static world w;
    set_up(&w, 60000, 2, 40, 1);
    w.config.low_latency = true;
    start(&w);
    run_until(&w, 3 * S);
    es__display_shown(&w.loop.display, 0, w.loop.gap.time_ns + 600 * MS);
    assert_false(status_of(&w).feedback);
    for (int i = 0; i < ES_DISPLAY_DISTANCES * ES_DISPLAY_FRAMES; ++i) {
        w.loop.display.flips[i / ES_DISPLAY_FRAMES].index[i % ES_DISPLAY_FRAMES] += 3600;
    }
    begin(&w);
    assert_in_range(w.waited_ns, 540 * MS, 560 * MS);
}

/* Counts of frames do not grow without end. */
TEST(what_is_counted_stays_small)
{
    static world w;
    for (int varies = 0; varies < 2; ++varies) {
        set_up(&w, 60000, 2, 40, 1);
        start(&w);
        es_loop_set_targets(&w.loop, &(es_targets){.times = true});
        for (int frame = 0; frame < 600; ++frame) {
            run_frame(&w);
            tell(&w, EXACT);
            es_present sample = {.frame = w.frame.index, .shown_ns = w.flip_ns, .variable = true};
            if (varies) {
                es_loop_presented(&w.loop, &sample);
            }
            assert_in_range(w.loop.display.target.frames, 0, 2 * ES_TARGET_FRAMES - 1);
            assert_in_range(w.loop.display.even.frames, 0, 2 * ES_EVEN_FRAMES - 1);
            assert_in_range(w.loop.display.refresh.recent, 0, 2 * ES_REFRESH_RECENT - 1);
        }
        assert_true(varies ? w.loop.display.even.frames >= ES_EVEN_FRAMES
                           : w.loop.display.target.frames >= ES_TARGET_FRAMES);
    }
}

/* A second at 1000 frames per s: what content erred without targets counts still. */
TEST(errors_without_targets_are_forgotten_slowly)
{
    static es__display display;
    es__display_init(&display, &(es__display_config){0});
    display.targets.times = true;
    display.frames = 1;
    display.target.since = 1000;
    display.target.error_ns = 1e6;
    for (int i = 0; i < 1000; ++i) {
        es__target_shown(&display, 0, S);
    }
    assert_near(display.target.error_ns, 1e6 * exp(-1000.0 / 1024), 500);
}

/* Of a host's frames; half of what was expected changes at once. */
TEST(the_cost_of_ticks_is_followed)
{
    static es__display display;
    const es__display_work work = {.update_ns = 8 * MS};
    es__display_init(&display, &(es__display_config){0});
    display.mode = ES_DISPLAY_HOST;
    es__display_submitted(&display, S, &work);
    assert_int_equal(display.update_ns, 4 * MS);
    for (int i = 0; i < 40; ++i) {
        es__display_submitted(&display, S, &work);
    }
    assert_near(display.update_ns, 8 * MS, US);
}

/* --- another rate ------------------------------------------------------------------------------ */

/* Half a second later D is there. Returns, screen times or the program (2, 3: low latency) tell of it. */
TEST(another_rate_is_taken_within_half_a_second)
{
    static const int64_t rates[3][4] = {{60000, 144000, 60000, 144000},
            {60000, 48000, 40000, 60000}, {60000, 59940, 60000, 59940}};
    static world w;
    for (int i = 0, told_by = 0; i < 3 * 4 * 3; told_by = ++i / 3 % 4) {
        set_up(&w, 60000, i / 12 + 1, 20, (uint64_t)i);
        w.config.low_latency = told_by == 3;
        start(&w);
        for (int k = 0; k < 4; ++k) {
            w.screen.rate = es__rate_make((uint64_t)rates[i % 3][k], 1000);
            int64_t passed_ns = es_rate_time_ns(w.screen.rate, w.screen.last_index);
            w.screen.phase_ns = w.screen.last_ns - passed_ns;
            w.config.refresh = told_by >= 2 ? w.screen.rate : w.config.refresh;
            assert_true(told_by < 2 || es_loop_configure(&w.loop, &w.config));
            int64_t off = 0, from_ns = w.true_ns, period_ns = screen_period_ns(&w.screen);
            for (; w.true_ns < from_ns + 5 * S; run_frame(&w)) {
                if (told_by == 1) {
                    tell(&w, EXACT);
                }
                int64_t rest_ns = (magnitude(w.off_ns) + period_ns / 8) % period_ns;
                off += w.true_ns > from_ns + (k == 0 ? 2 * S : S / 2) && rest_ns > period_ns / 4;
            }
            row("told by %d, change %d", told_by, k);
            assert_int_equal(off, 0);
        }
    }
}

/* --- late returns ----------------------------------------------------------------------------- */

/* Work and a late return take up to one refresh together, so returns fit a queue of one frame less,
 * too. By that queue a frame that ends just after a refresh is seen a refresh later, and content
 * jumps. The first frames tell the queue; a few runs still jump. */
TEST(late_returns_make_no_queue_shorter)
{
    static const int64_t rates[] = {60000, 75000, 144000};
    static world w;
    int jumped = 0, runs = 3 * 2 * 10;
    for (int i = 0; i < runs; ++i) {
        set_up(&w, rates[i % 3], i / 3 % 2 + 2, 58, (uint64_t)i);
        w.screen.late_ns = screen_period_ns(&w.screen) * 43 / 100;
        start(&w);
        run_until(&w, 2 * S);
        bool jumps = false;
        while (w.true_ns < 10 * S) {
            run_frame(&w);
            int64_t off_ns = magnitude(w.moved_ns - w.shown_after_ns);
            jumps = jumps || off_ns > screen_period_ns(&w.screen) / 2;
        }
        jumped += jumps;
        assert_int_equal(w.screen.repeats, 0);
    }
    assert_in_range(jumped, 0, runs / 20);
}

/* --- too much from the start ------------------------------------------------------------------ */

/* Twice or three times the rate may be announced that there is. While every frame takes longer than
 * those refreshes nothing speaks against them; when they are quick, they would come sooner if it
 * were so. Motion is even in either case. D may be whole refreshes off, which is invisible. */
TEST(announced_refreshes_that_are_not_there_are_given_up)
{
    static const int64_t rates[] = {60000, 75000, 48000};
    static world w;
    for (int i = 0; i < 3 * 2 * 3 * 2; ++i) {
        set_up(&w, rates[i % 3], 1 + i / 6 % 3, 130, (uint64_t)i);
        w.config.refresh =
                es__rate_make(S, (uint64_t)(screen_period_ns(&w.screen) / (2 + i / 3 % 2)));
        start(&w);
        run_until(&w, 5 * S);
        set_load(&w, 20 + 28 * (i / 18));
        run_until(&w, 11 * S);
        int64_t frames = 0, off = 0;
        while (w.true_ns < 14 * S) {
            run_frame(&w);
            frames += 1;
            off += magnitude(w.moved_ns - w.shown_after_ns) > NEAR_NS
                   || w.shown_after_ns > screen_period_ns(&w.screen) + MS;
        }
        row("%d times announced", 2 + i / 3 % 2);
        double ratio = w.loop.display.refresh.period_ns / (double)screen_period_ns(&w.screen);
        assert_at_most(fabs(ratio - 1), i < 18 ? 0.001 : HUGE_VAL);
        assert_at_most((double)off, (double)frames / (i < 18 ? 50 : 10));
    }
}

/* Slow work may have looked like a slow refresh. When presents do not wait any more, the timer keeps its
 * usual pace; an announced refresh is kept. */
TEST(a_slow_refresh_that_was_measured_slows_no_timer)
{
    static world w;
    for (int i = 0; i < 2; ++i) {
        set_up(&w, 20000, 2, 20, 1);
        w.config.refresh = i == 1 ? es_hz(20) : w.config.refresh;
        start(&w);
        run_until(&w, 8 * S);
        assert_int_equal(status_of(&w).mode, ES_DISPLAY_BLOCKS);
        w.screen.kind = SCREEN_NONE;
        set_load(&w, 2);
        run_until(&w, 10 * S);
        int64_t frames = 0;
        for (; w.true_ns < 11 * S; ++frames) {
            run_frame(&w);
        }
        assert_int_equal(status_of(&w).mode, ES_DISPLAY_FREE);
        assert_in_range(frames, i == 1 ? 19 : 59, i == 1 ? 21 : 61);
    }
}

/* Of the frames that were seen, with the display's count of refreshes. */
static void tell_counts(world *w)
{
    for (; w->told < w->screen.frames; w->told += 1) {
        int64_t shown_ns = screen_flip_ns(&w->screen, w->told);
        if (shown_ns > w->true_ns) {
            break;
        }
        es_present sample = {.frame = w->loop_index[w->told % SCREEN_FLIPS],
                .shown_ns = shown_ns + w->error_ns,
                .grade = ES_PRESENT_HARDWARE};
        sample.sequence = (uint64_t)w->screen.indices[w->told % SCREEN_FLIPS] + 1;
        if (w->told + 1 == w->screen.frames || screen_flip_ns(&w->screen, w->told + 1) > shown_ns) {
            es_loop_presented(&w->loop, &sample);
        }
    }
}

/* The estimate may be several refreshes long, while the display counts each. No clock has leapt. */
TEST(with_slow_work_a_count_tells_of_no_leap)
{
    static world w;
    for (int work_ms = 20; work_ms <= 80; work_ms += 5) {
        set_up(&w, 60000, 2, 0, 1);
        w.screen.kind = SCREEN_MAILBOX;
        w.screen.call_ns = 250 * US; /* a copy, which looks like a wait */
        start(&w);
        for (int frame = 0; frame < 1500; ++frame) {
            w.extra_ns = work_ms * MS + random_below(&w.random, 2 * MS);
            run_frame(&w);
            tell_counts(&w);
        }
        assert_int_equal(w.frame.account.gaps_ns, 0);
        double known = w.loop.display.refresh.known_ns / (double)screen_period_ns(&w.screen);
        assert_at_most(fabs(known - 1), 0.01); /* the count tells it */
    }
}

/* Mean animation error, if es_loop_presented is called within a frame or after it. */
static double error_with_screen_times(world *w, bool within)
{
    set_up(w, 60000, 2, 90, 1);
    int64_t cost_ns = w->cost_ns;
    double error_ns = 0.0;
    start(w);
    for (int frame = 0; frame < 2400; ++frame) {
        w->cost_ns = cost_ns / 2 + random_below(&w->random, cost_ns);
        int64_t content_ns = w->content_ns;
        es_step step;
        begin(w);
        while (es_loop_tick(&w->loop, &step)) {
            spend(w, w->tick_ns);
        }
        assert_true(es_loop_wait(&w->loop, &w->frame));
        if (within) {
            tell_counts(w);
        }
        spend(w, w->cost_ns);
        check_account(w);
        present(w);
        if (!within) {
            tell_counts(w);
        }
        int64_t moved_ns = w->content_ns - content_ns;
        error_ns += frame > 300 ? fabs((double)(moved_ns - w->shown_after_ns)) : 0.0;
    }
    return error_ns / 2100.0;
}

TEST(screen_times_may_come_within_a_frame)
{
    static world w;
    double after_ns = error_with_screen_times(&w, false);
    assert_at_most(error_with_screen_times(&w, true), 1.1 * after_ns);
}

/* A leap of the clock is removed where feedback counts the refreshes, and is time without. A stop stays a gap although the display counted meanwhile; a stall
 * of present is none. Also where content was just anchored anew. */
TEST(a_count_tells_of_a_leap)
{
    static const struct {
        int64_t leap_ms, stop_ms, stall_ms;
        int64_t gap_ms[2]; /* without a count, and with it */
    } rows[] = {
            {40, 0, 0, {0, 40}},
            {100, 0, 0, {0, 100}},
            {300, 0, 0, {0, 300}},
            {900, 0, 0, {0, 900}},
            {-60, 60, 0, {0, -60}},
            {0, 3000, 0, {3000, 3000}},
            {0, 0, 20, {0, 0}},
            {0, 0, 300, {0, 0}},
            {0, 0, 900, {0, 0}},
    };
    static const int64_t refresh_rates[] = {60000, 144000, 240000};
    static world w;
    for (int i = 0; i < 2 * 3 * 3 * 2 * (int)COUNT_OF(rows); i += TEST_STEP) {
        int at = i / 36, counts = i % 2, early = i / 18 % 2;
        bool leaps = rows[at].leap_ms != 0;
        set_up(&w, refresh_rates[i / 2 % 3], i / 6 % 3 + 1, 40, 1);
        row("rows[%d], counts %d, early %d", at, counts, early);
        start(&w);
        for (int frame = 0; frame < 1200; ++frame) {
            bool now = frame == (early && !leaps ? 2 + i % 5 : 600);
            w.extra_ns = early && frame < 2 ? 700 * MS : 0;
            w.error_ns += now ? rows[at].leap_ms * MS : 0;
            w.true_ns += now ? rows[at].stop_ms * MS : 0;
            w.stall_ns = now ? rows[at].stall_ms * MS : 0;
            run_frame(&w);
            if (counts) {
                tell_counts(&w);
            }
        }
        int64_t off_ns = w.frame.account.gaps_ns - rows[at].gap_ms[counts] * MS;
        assert_in_range(off_ns + 500000, 0, counts ? 1000000 : 500000);
    }
}

/* Two leaps of the clock, each too short for a jump, do not add up to one: content drifted by 275 ms. Of a long one the
 * loop drops all but 250 ms. */
TEST(leaps_of_the_clock_do_not_add_up)
{
    static const struct {
        int64_t leap_ms, leads_ms;
        int second;
    } rows[] = {{150, 30, 1200}, {240, 30, 1200}, {800, 260, 0}};
    static world w;
    for (int i = 0; i < 3 * (int)COUNT_OF(rows); ++i) {
        set_up(&w, 60000, i % 3 + 1, 40, 1);
        row("rows[%d]", i / 3);
        start(&w);
        int64_t led_ns = 0;
        for (int frame = 0; frame < 2400; ++frame) {
            w.error_ns +=
                    frame == 600 || frame == rows[i / 3].second ? rows[i / 3].leap_ms * MS : 0;
            run_frame(&w);
            tell_counts(&w);
            led_ns = frame == 550 ? w.content_ns - w.flip_ns : led_ns;
            assert_true(frame < 700 || frame - rows[i / 3].second < 100
                        || w.moved_ns > w.shown_after_ns * 8 / 10);
        }
        int64_t leads_ns = rows[i / 3].leads_ms * MS;
        assert_in_range(w.content_ns - w.flip_ns - led_ns + leads_ns, 0, 2 * leads_ns);
    }
}

/* Updates of 300 ms among the first frames: the time that is lost then is not counted again later. */
TEST(slow_first_updates_move_content_once)
{
    static world w;
    for (int i = 0; i < 24; ++i) {
        bool varies = i % 2 == 1;
        int from = i / 12 * 2, until = from == 0 ? 8 : 5;
        set_up(&w, 60000, i / 2 % 3 + 1, 20, 1);
        row("varies %d, most ticks %d, from frame %d", varies, i / 6 % 2, from);
        w.screen.kind = varies ? SCREEN_VARIES : SCREEN_FIFO;
        w.config.ticks_max = i / 6 % 2;
        start(&w);
        int64_t led_ns = 0;
        for (int frame = 0; frame < 400; ++frame) {
            w.tick_ns = frame >= from && frame < until ? 300 * MS : 200 * US;
            run_frame(&w);
            if (varies) {
                w.true_ns = es__max(w.true_ns, w.flip_ns);
                es_present sample = {.frame = w.frame.index,
                        .shown_ns = w.flip_ns,
                        .grade = ES_PRESENT_HARDWARE,
                        .variable = true};
                es_loop_presented(&w.loop, &sample);
            }
            assert_in_range(frame < until + 4 ? 0 : w.moved_ns, 0, 25 * MS);
            led_ns = frame == 20 ? w.content_ns - w.flip_ns : led_ns;
        }
        assert_in_range(w.content_ns - w.flip_ns - led_ns + 20 * MS, 0, 40 * MS);
    }
}

/* Where the refresh is known, a cap of 58 means each of 60 Hz: the queue fills again after long frames. */
TEST(a_cap_near_the_refresh_survives_stalls)
{
    static const struct {
        int64_t millihertz;
        int cap_hz, depth, percent;
    } rows[] = {{60000, 58, 2, 50}, {60000, 58, 3, 40}, {144000, 138, 2, 80}, {144000, 138, 4, 80}};
    static world w;
    for_rows (i, rows) {
        set_up(&w, rows[i].millihertz, rows[i].depth, rows[i].percent, 1);
        w.config.refresh = es_hz((double)rows[i].millihertz / 1000);
        start(&w);
        run_until(&w, 2 * S);
        es_loop_config config = es_loop_get_config(&w.loop);
        config.interval_ns = ES_NS_PER_S / rows[i].cap_hz;
        assert_int_equal(es__loop_reconfigure(&w.loop, &config, NULL), ES_OK);
        run_until(&w, 5 * S);
        w.extra_ns = screen_period_ns(&w.screen);
        run_until(&w, 6 * S);
        int64_t repeats = w.screen.repeats;
        for (int frame = 0; frame < 1800; ++frame) {
            w.extra_ns = frame % 30 == 29 ? screen_period_ns(&w.screen) * 6 / 5 : 0;
            run_frame(&w);
        }
        assert_int_equal(w.screen.repeats, repeats);
    }
}

/* Frames that take long, others that take less, and then usual ones: no mean counts a long frame again. */
TEST(content_is_even_after_long_frames)
{
    static const screen_kind kinds[] = {SCREEN_FIFO, SCREEN_VARIES, SCREEN_MAILBOX, SCREEN_NONE};
    static const struct {
        int frames;
        int64_t least_ms, most_ms, then_ms;
    } rows[] = {{2, 1200, 1200, 0}, {5, 1200, 1200, 0}, {60, 80, 240, 0}, {4, 400, 400, 80},
            {15, 300, 300, 200}};
    static world w;
    for (int i = 0; i < 4 * 2 * (int)COUNT_OF(rows); ++i) {
        int at = i / 8, until = 600 + rows[at].frames,
            then = rows[at].then_ms > 0 ? until + 30 : until;
        set_up(&w, 60000, 2, 60, 1);
        row("rows[%d], kind %d, counts %d", at, i % 4, i / 4 % 2);
        w.screen.kind = kinds[i % 4];
        start(&w);
        int64_t content_ns = 0, begin_ns = 0;
        for (int frame = 0; frame < 900; ++frame) {
            int64_t spread_ns = (rows[at].most_ms - rows[at].least_ms) * MS;
            int64_t long_ns = rows[at].least_ms * MS + random_below(&w.random, spread_ns + 1);
            w.extra_ns = frame < 600     ? 0
                         : frame < until ? long_ns
                         : frame < then  ? rows[at].then_ms * MS
                                         : 0;
            run_frame(&w);
            if (i / 4 % 2 == 1) {
                tell_counts(&w);
            }
            if (frame > until + 2 && frame < then) {
                assert_in_range(
                        w.moved_ns, rows[at].then_ms * MS * 3 / 4, rows[at].then_ms * MS * 3 / 2);
            }
            if (frame >= then + 60 && (frame - then) % 20 == 0) {
                double speed = (double)(w.content_ns - content_ns) / (double)(w.true_ns - begin_ns);
                assert_at_most(frame > then + 60 ? fabs(speed - 1.0) : 0.0, 0.1);
                content_ns = w.content_ns;
                begin_ns = w.true_ns;
            }
        }
    }
}

/* A frame that is begun twice has no screen time: what the first one would have moved is not counted. */
TEST(frames_that_are_begun_twice_are_judged_as_one)
{
    static world w;
    for (int load = 50; load <= 90; load += 40) {
        set_up(&w, 60000, 2, load, 1);
        start(&w);
        double error_ns = 0.0;
        for (int frame = 0; frame < 2000; ++frame) {
            if (frame % 2 == 1) {
                begin(&w);
            }
            run_frame(&w);
            tell_counts(&w);
            error_ns += frame >= 500 ? fabs((double)(w.moved_ns - w.shown_after_ns)) : 0.0;
        }
        assert_at_most(error_ns / 1500.0, 1e3);
    }
}

/* After slow first frames content stays ahead of the screen. A step is still due at about the time it
 * is run, and another loop goes on from there. */
TEST(what_was_anchored_anew_is_no_debt)
{
    static const int64_t refresh_rates[] = {60000, 144000, 240000};
    static world w;
    for (int i = 0; i < 2 * 3 * 3; ++i) {
        set_up(&w, refresh_rates[i % 3], i / 3 % 3 + 1, 25, 3);
        row("leaves %d", i / 9);
        start(&w);
        for (int frame = 0; frame < 3; ++frame) {
            w.extra_ns = 900 * MS;
            run_frame(&w);
        }
        run_until(&w, 5 * S);
        if (i / 9 > 0) {
            es_loop_config config = es_loop_get_config(&w.loop);
            config.pace = ES_PACE_ADAPTIVE;
            config.refresh = (es_rate){0, 0};
            assert_int_equal(es__loop_reconfigure(&w.loop, &config, NULL), ES_OK);
        }
        int64_t stood_ns = 0;
        while (w.true_ns < 8 * S) {
            run_frame(&w);
            stood_ns += w.moved_ns < w.shown_after_ns / 10 ? w.shown_after_ns : 0;
            assert_in_range(w.due_ns + 100 * MS, 0, 200 * MS);
        }
        assert_at_most((double)stood_ns, 100e6);
    }
}

/* Presents that never wait, and frame times whose best predictor changes: after slow first frames each of them
 * leads to the same content. */
TEST(slow_frames_leave_no_offset)
{
    es_manual_clock time = {0};
    const es_loop_config config = {.clock = es_manual_clock_get(&time)};
    es_loop *loop = es_loop_create(&config);
    test_random source = {3};
    int64_t least_ns = INT64_MAX, most_ns = INT64_MIN;
    for (es_frame frame = {0}; frame.index < 6000 && es_loop_next(loop, &frame);) {
        int64_t noise_us = frame.index / 100 % 3 == 0   ? (int64_t)random_below(&source, 30)
                           : frame.index / 100 % 3 == 1 ? frame.index % 2 * 1000
                                                        : (int64_t)random_below(&source, 1500);
        int64_t cost_us = frame.index < 10 ? 35000 : 1500 + noise_us;
        es_manual_clock_work(&time, cost_us * US / 5);
        assert_true(es_loop_submit(loop));
        es_manual_clock_work(&time, cost_us * US * 4 / 5);
        if (frame.index > 1000) {
            least_ns = es__min(least_ns, frame.content_ns - frame.present_ns);
            most_ns = es__max(most_ns, frame.content_ns - frame.present_ns);
        }
    }
    assert_at_most((double)(most_ns - least_ns), 15e6); /* 150e6 where each kept an offset */
    es_loop_destroy(loop);
}

TEST(a_line_tells_what_is_known)
{
    static world w;
    char text[160], cut[16];
    set_up(&w, 60000, 2, 40, 1);
    start(&w);
    assert_string_equal(
            es_loop_status(&w.loop, text, sizeof text), "display not known yet; no problem");
    run_until(&w, 4 * S);
    assert_string_equal(es_loop_status(&w.loop, text, sizeof text),
            "display 60.00 Hz, queue 2; 60.0 frames per s; no problem");
    assert_string_equal(es_loop_status(&w.loop, cut, sizeof cut), "display 60.00 H");
    assert_string_equal(es_loop_status(NULL, text, sizeof text), "no loop; no problem");
    assert_string_equal(es_loop_status(&w.loop, NULL, 9), "");
    assert_string_equal(es_loop_status(&w.loop, text, 0), "");
}

TEST(a_variable_refresh_that_is_reported_has_no_phase)
{
    static world w;
    set_up(&w, 60000, 2, 40, 1);
    start(&w);
    run_until(&w, 2 * S);
    assert_int_equal(status_of(&w).mode, ES_DISPLAY_BLOCKS);
    for (int frame = 0; frame < 200; ++frame) {
        es_present sample = {.frame = w.frame.index, .shown_ns = w.flip_ns, .variable = true};
        es_loop_presented(&w.loop, &sample);
        run_frame(&w);
        assert_int_equal(status_of(&w).mode, ES_DISPLAY_VARIABLE);
    }
    char text[160];
    assert_non_null(strstr(es_loop_status(&w.loop, text, sizeof text), ", screen times; "));
    es_loop_presented(&w.loop, NULL);
    run_until(&w, w.true_ns + S); /* nothing reports it any more */
    assert_int_equal(status_of(&w).mode, ES_DISPLAY_BLOCKS);
}
