/* SPDX-License-Identifier: Zlib
 *
 * display: against a small simulated display (test_screen.h), driven as the loop drives it. What
 * must hold at every frame, whatever happens: the plan adds up to the nanosecond, content never
 * goes back, and what is won back is bounded. The rest: is D the refresh at which the picture is
 * really seen?
 */
#include "test_screen.h"

#include "evenstep/display.h"

#include <string.h>

#define US ES_NS_PER_US
#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

/* D may be off by that much. */
#define NEAR_NS (200 * US)

typedef struct scene {
    es_display display;
    es_display_config config;
    screen screen;
    screen_load load;
    test_random random;
    int64_t now_ns;
    int64_t start_ns;     /* of the frame before */
    int64_t wake_late_ns; /* waits end up to this late, at random */
    int64_t update_ns;
    int64_t extra_ns; /* the next frame costs this more */
    int64_t free_ns;  /* what paces frames where the display does not */
    bool fed;
    int64_t feedback_late; /* in frames */
    int64_t feedback_noise_ns;
    int64_t told; /* frames */
    es_display_plan plan;
    bool any;
    int64_t flip_ns;        /* of the newest frame ... */
    int64_t off_ns;         /* ... and how far D was off it */
    int64_t shown_after_ns; /* from the flip before */
    int64_t moved_ns;       /* content, from the frame before */
    bool tested;            /* this frame was handed in late on purpose */
} scene;

static int64_t magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

/* A millihertz at a time: 59940 is 59.94 Hz. */
static void set_up(scene *s, int64_t millihertz, int32_t depth, int64_t cost_percent)
{
    memset(s, 0, sizeof *s);
    s->screen.rate = es_rate_make((uint64_t)millihertz, 1000);
    s->screen.depth = depth;
    s->screen.phase_ns = 3100 * US;
    s->screen.call_ns = 20 * US;
    s->screen.late_ns = 100 * US;
    s->screen.random.state = 77;
    s->random.state = 99;
    s->load.cost_ns = screen_period_ns(&s->screen) * cost_percent / 100;
    s->update_ns = s->load.cost_ns / 8;
    s->free_ns = 16666666;
}

static void set_seed(scene *s, int64_t seed)
{
    s->screen.random.state = 77 + (uint64_t)seed * 1234567;
    s->random.state = 99 + (uint64_t)seed * 7654321;
}

static void open_display(scene *s)
{
    assert_int_equal(es_display_init(&s->display, &s->config), ES_OK);
}

static int64_t woken(scene *s, int64_t until_ns)
{
    if (until_ns <= s->now_ns) {
        return s->now_ns;
    }
    return until_ns + (s->wake_late_ns > 0 ? random_below(&s->random, s->wake_late_ns + 1) : 0);
}

/* As the loop's follow_display. */
static void expect(scene *s)
{
    s->start_ns = s->start_ns > s->now_ns ? s->start_ns : s->now_ns;
    bool is_free = s->display.mode == ES_DISPLAY_FREE;
    es_display_expect(&s->display, is_free ? s->start_ns : s->now_ns);
    s->start_ns = is_free ? s->start_ns : s->now_ns;
}

static void check_plan(const scene *s, const es_display_plan *before)
{
    const es_display_plan *plan = &s->plan;
    assert_int_equal(plan->present_ns, plan->motion_ns + plan->offset_ns + plan->removed_ns);
    if (!s->any) {
        return;
    }
    int64_t passes_ns = plan->motion_ns - before->motion_ns - plan->slewed_ns;
    assert_true(plan->motion_ns >= before->motion_ns);
    if (magnitude(before->offset_ns) < 90 * MS && magnitude(plan->offset_ns) < 90 * MS) {
        assert_true(4 * magnitude(plan->slewed_ns) <= passes_ns + 4);
    }
}

static void tell(scene *s)
{
    const screen *seen = &s->screen;
    while (s->told < seen->frames - s->feedback_late
            && screen_flip_ns(seen, s->told) <= s->now_ns) {
        int64_t noise_ns = s->feedback_noise_ns;
        int64_t off_ns = noise_ns > 0 ? random_below(&s->random, 2 * noise_ns + 1) - noise_ns : 0;
        es_display_shown(
                &s->display, seen->frames - 1 - s->told, screen_flip_ns(seen, s->told) + off_ns);
        s->told += 1;
    }
}

static void run_frame(scene *s)
{
    es_display *display = &s->display;
    es_display_plan before = s->plan;
    s->now_ns = woken(s, es_display_begin_ns(display, s->now_ns));
    s->start_ns += s->free_ns;
    es_display_open(display, s->now_ns);
    expect(s);
    s->now_ns += s->update_ns;
    expect(s);
    es_display_close(display, s->free_ns, &s->plan);
    s->now_ns = woken(s, s->start_ns);
    es_display_work work = {s->update_ns, 0};
    work.render_ns = screen_cost_ns(&s->load, &s->random) - s->update_ns + s->extra_ns;
    s->extra_ns = 0;
    s->now_ns += work.render_ns;
    s->tested = display->mode == ES_DISPLAY_LOCKED && display->multiple == 1 && !display->is_loose
                && s->plan.submit_ns > s->now_ns;
    s->now_ns = woken(s, s->plan.submit_ns);
    es_display_submitted(display, s->now_ns, &work);
    int64_t flip_before_ns = s->flip_ns;
    s->now_ns = screen_present(&s->screen, s->now_ns);
    s->flip_ns = screen_flip_ns(&s->screen, s->screen.frames - 1);
    es_display_returned(display, s->now_ns);
    if (s->fed) {
        tell(s);
    }
    check_plan(s, &before);
    s->off_ns = s->plan.present_ns - s->flip_ns;
    s->shown_after_ns = s->flip_ns - flip_before_ns;
    s->moved_ns = s->plan.motion_ns - before.motion_ns;
    s->any = true;
}

static void run_until(scene *s, int64_t until_ns)
{
    while (s->now_ns < until_ns) {
        run_frame(s);
    }
}

/* What happened from now until an instant. */
typedef struct tally {
    int64_t frames;
    int64_t locked;
    int64_t off; /* frames whose D was off */
    int64_t off_most_ns;
    int64_t offset_most_ns;
    int64_t repeats;          /* refreshes without a new picture */
    int64_t changes;          /* of the multiple */
    int64_t changes_apart_ns; /* the least between two */
    bool varied;
} tally;

static tally count_until(scene *s, int64_t until_ns)
{
    tally sum = {0};
    int64_t repeats = s->screen.repeats;
    int64_t changed_ns = -1;
    sum.changes_apart_ns = INT64_MAX;
    while (s->now_ns < until_ns) {
        int32_t multiple = s->display.multiple;
        run_frame(s);
        sum.frames += 1;
        sum.varied = sum.varied || s->display.varies;
        if (s->display.mode == ES_DISPLAY_LOCKED) {
            int64_t off_ns = magnitude(s->off_ns);
            int64_t offset_ns = magnitude(s->plan.offset_ns + s->display.bias_ns);
            sum.locked += 1;
            sum.off += off_ns > NEAR_NS;
            sum.off_most_ns = off_ns > sum.off_most_ns ? off_ns : sum.off_most_ns;
            sum.offset_most_ns = offset_ns > sum.offset_most_ns ? offset_ns : sum.offset_most_ns;
        }
        if (s->display.multiple != multiple) {
            int64_t apart_ns = changed_ns >= 0 ? s->now_ns - changed_ns : INT64_MAX;
            sum.changes += 1;
            sum.changes_apart_ns =
                    apart_ns < sum.changes_apart_ns ? apart_ns : sum.changes_apart_ns;
            changed_ns = s->now_ns;
        }
    }
    sum.repeats = s->screen.repeats - repeats;
    return sum;
}

static es_display_status status_of(const scene *s)
{
    return es_display_get_status(&s->display, s->now_ns);
}

/* --- a fixed refresh is never one that varies ------------------------------------------------- */

typedef struct weather {
    int64_t cost_percent;
    int64_t spread_percent;
    int64_t spike_ns;
    int64_t spike_every;
    bool heavy;
} weather;

static void set_weather(scene *s, const weather *w)
{
    s->load.spread_ns = screen_period_ns(&s->screen) * w->spread_percent / 100;
    s->load.spike_ns = w->spike_ns;
    s->load.spike_every = w->spike_every;
    s->load.heavy = w->heavy;
}

static const weather all_weather[] = {{50, 0, 0, 0, false}, {50, 40, 0, 0, false},
        {60, 0, 30 * MS, 200, false}, {40, 0, 0, 0, true}, {70, 0, 9 * MS, 20, false}};
static const int64_t lateness_ns[] = {100 * US, 500 * US, 1500 * US};

enum { WEATHERS = 5, LATENESSES = 3, SEEDS = 3 };

static void a_fixed_refresh_never_varies(void **state)
{
    static const int64_t rates[] = {60000, 144000, 240000};
    static scene s;
    int wrong = 0;
    (void)state;
    for (int i = 0; i < 3 * 4 * WEATHERS * LATENESSES * SEEDS; ++i) {
        const weather *w = &all_weather[i / 12 % WEATHERS];
        int64_t rate = rates[i % 3];
        int32_t depth = i / 3 % 4 + 1;
        set_up(&s, rate, depth, w->cost_percent);
        set_weather(&s, w);
        set_seed(&s, i);
        s.screen.late_ns = lateness_ns[i / 12 / WEATHERS % LATENESSES];
        open_display(&s);
        run_until(&s, 3 * S / 2);
        tally sum = count_until(&s, 15 * S);
        es_display_status status = status_of(&s);
        /* one that is late now and then is off itself; with depth 1 each spike is */
        bool often_off = sum.off * 8 > sum.frames;
        if (sum.varied || sum.locked < sum.frames || status.queue != depth || often_off) {
            print_message("%d mHz, depth %d, weather %d, late %d us: varied %d, locked %d of %d, "
                          "depth %d, off %d\n",
                    (int)rate, depth, i / 12 % WEATHERS, (int)(s.screen.late_ns / US), sum.varied,
                    (int)sum.locked, (int)sum.frames, status.queue, (int)sum.off);
            wrong += 1;
        }
    }
    assert_int_equal(wrong, 0);
}

static void a_refresh_that_varies_is_recognised(void **state)
{
    static const int64_t rates[] = {60000, 144000, 240000};
    static const int64_t costs[] = {30, 50, 70};
    static scene s;
    int missed = 0;
    (void)state;
    for (int i = 0; i < 3 * 3 * 3 * 2; ++i) {
        set_up(&s, rates[i % 3], i / 3 % 3 + 1, costs[i / 9 % 3]);
        s.screen.kind = SCREEN_VARIES;
        s.screen.late_ns = i < 27 ? 100 * US : 500 * US;
        open_display(&s);
        run_until(&s, 5 * S);
        if (!status_of(&s).varies) {
            print_message("%d mHz, depth %d, cost %d %%: not recognised\n", (int)rates[i % 3],
                    i / 3 % 3 + 1, (int)costs[i / 9 % 3]);
            missed += 1;
        }
    }
    assert_int_equal(missed, 0);
}

/* --- nothing blocks --------------------------------------------------------------------------- */

/* A program's own pace is as even as its costs: exactly, here. */
static void an_even_pace_is_no_display(void **state)
{
    static const struct {
        int64_t cost_ns, call_ns;
    } paces[] = {{8333333, MS}, {833333, MS}, {8333333, 5 * MS}, {3333333, 16666 * US},
            {15 * MS, MS}, {5 * MS, 300 * US}, {5 * MS, 20 * US}, {8 * MS, 8 * MS}};
    static scene s;
    int taken = 0;
    (void)state;
    for (size_t i = 0; i < sizeof paces / sizeof paces[0]; ++i) {
        set_up(&s, 60000, 1, 0);
        s.screen.kind = SCREEN_NONE;
        s.screen.call_ns = paces[i].call_ns;
        s.load.cost_ns = paces[i].cost_ns;
        s.update_ns = 300 * US;
        open_display(&s);
        tally sum = count_until(&s, 100 * S);
        if (sum.locked * 100 > sum.frames) { /* for a moment, until it is tested */
            print_message("cost %d us, present %d us: %d of %d frames on a grid\n",
                    (int)(paces[i].cost_ns / US), (int)(paces[i].call_ns / US), (int)sum.locked,
                    (int)sum.frames);
            taken += 1;
        }
    }
    assert_int_equal(taken, 0);
}

/* --- several refreshes are held --------------------------------------------------------------- */

/* Thirty pictures per second on 60 Hz: with a queue nothing blocks any more, and the refreshes are
 * still to be known an hour later. */
static void what_is_held_stays_in_phase(void **state)
{
    static const struct {
        int64_t rate, interval_ns;
        int32_t refreshes;
    } wants[] = {{60000, 33333333, 2}, {144000, 16666666, 2}, {240000, 16666666, 4}};
    static scene s;
    int lost = 0;
    (void)state;
    for (int i = 0; i < 9; ++i) {
        set_up(&s, wants[i % 3].rate, i / 3 + 1, 50);
        s.config.interval_ns = wants[i % 3].interval_ns;
        open_display(&s);
        run_until(&s, 3 * S);
        tally sum = count_until(&s, 120 * S);
        if (sum.locked < sum.frames || sum.off > 0
                || status_of(&s).multiple != wants[i % 3].refreshes) {
            print_message("%d mHz, depth %d: locked %d of %d, off %d, by up to %d us, multiple "
                          "%d\n",
                    (int)wants[i % 3].rate, i / 3 + 1, (int)sum.locked, (int)sum.frames,
                    (int)sum.off, (int)(sum.off_most_ns / US), status_of(&s).multiple);
            lost += 1;
        }
    }
    assert_int_equal(lost, 0);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Any times at all. */
static void times_may_be_anything(void **state)
{
    test_random random = {.state = 5};
    es_display display;
    (void)state;
    for (int run = 0; run < 200; ++run) {
        es_display_config config = {0};
        config.refresh_ns = random_magnitude(&random) & INT64_MAX;
        config.interval_ns = random_magnitude(&random) & INT64_MAX;
        config.tick_ns = random_magnitude(&random) & INT64_MAX;
        config.queue = (int32_t)random_below(&random, 5);
        assert_int_equal(es_display_init(&display, &config), ES_OK);
        for (int frame = 0; frame < 300; ++frame) {
            es_display_plan plan;
            es_display_work work = {
                    random_magnitude(&random) & INT64_MAX, random_magnitude(&random) & INT64_MAX};
            es_display_begin_ns(&display, (int64_t)random_u64(&random));
            es_display_open(&display, (int64_t)random_u64(&random));
            es_display_expect(&display, (int64_t)random_u64(&random));
            es_display_close(&display, random_magnitude(&random), &plan);
            es_display_phase(&display, (int64_t)random_u64(&random));
            es_display_submitted(&display, (int64_t)random_u64(&random), &work);
            es_display_returned(&display, (int64_t)random_u64(&random));
            es_display_shown(&display, random_below(&random, 20), (int64_t)random_u64(&random));
            es_display_gap(&display, (int64_t)random_u64(&random), random_below(&random, 2) == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_fixed_refresh_never_varies),
            cmocka_unit_test(a_refresh_that_varies_is_recognised),
            cmocka_unit_test(an_even_pace_is_no_display),
            cmocka_unit_test(what_is_held_stays_in_phase),
            cmocka_unit_test(times_may_be_anything),
    };
    return cmocka_run_group_tests_name("display", tests, NULL, NULL);
}
