/* SPDX-License-Identifier: Zlib
 *
 * display: the refresh is recognised as fixed, variable or none, and stays so. More is in
 * test_display_more.c and, with the whole loop, in test_display_loop.c.
 */
#include "test_scene.h"

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

TEST(a_fixed_refresh_never_varies)
{
    static const int64_t rates[] = {60000, 144000, 240000};
    static scene s;
    for (int i = 0; i < 3 * 4 * WEATHERS * LATENESSES * SEEDS; i += TEST_STEP) {
        const weather *w = &all_weather[i / 12 % WEATHERS];
        int64_t rate = rates[i % 3];
        int32_t depth = i / 3 % 4 + 1;
        set_up(&s, rate, depth, w->cost_percent);
        set_weather(&s, w);
        set_seed(&s, i);
        s.screen.late_ns = lateness_ns[i / 12 / WEATHERS % LATENESSES];
        if (3 * s.screen.late_ns > screen_period_ns(&s.screen)) {
            continue; /* which refresh a reading is of is then only known after a while */
        }
        open_display(&s);
        run_until(&s, 3 * S / 2);
        tally sum = count_until(&s, 15 * S);
        es_display_status status = status_of(&s);
        /* one that is late now and then is off itself; with depth 1 each spike is */
        bool often_off = sum.off * 8 > sum.frames;
        if (sum.varied || sum.locked < sum.frames || status.queue != depth || often_off) {
            fail_msg("%d mHz, depth %d, weather %d, late %d us: varied %d, locked %d of %d, "
                     "depth %d, off %d",
                    (int)rate, depth, i / 12 % WEATHERS, (int)(s.screen.late_ns / US), sum.varied,
                    (int)sum.locked, (int)sum.frames, status.queue, (int)sum.off);
        }
    }
}

/* By two frames that are submitted late on purpose. Behind a queue of three they do not suffice. */
TEST(a_refresh_that_varies_is_recognised)
{
    static const int64_t rates[] = {60000, 144000, 240000};
    static const int64_t costs[] = {30, 50, 70};
    static scene s;
    for (int i = 0; i < 3 * 2 * 3 * 2; ++i) {
        set_up(&s, rates[i % 3], i / 3 % 2 + 1, costs[i / 6 % 3]);
        s.screen.kind = SCREEN_VARIES;
        s.screen.late_ns = i < 18 ? 100 * US : 500 * US;
        open_display(&s);
        run_until(&s, 5 * S);
        if (!status_of(&s).varies) {
            fail_msg("%d mHz, depth %d, cost %d %%: not recognised", (int)rates[i % 3],
                    i / 3 % 2 + 1, (int)costs[i / 6 % 3]);
        }
    }
}

/* --- nothing blocks --------------------------------------------------------------------------- */

/* A program's own pace is as even as its costs: exactly, here. It may pass for a display's; frames
 * still come nearly as often as they can. */
TEST(an_even_pace_is_not_slowed_down)
{
    static const struct {
        int64_t cost_ns, call_ns;
    } paces[] = {{8333333, MS}, {833333, MS}, {8333333, 5 * MS}, {3333333, 16666 * US},
            {15 * MS, MS}, {5 * MS, 300 * US}, {8 * MS, 8 * MS}};
    static scene s;
    for (size_t i = 0; i < sizeof paces / sizeof paces[0]; ++i) {
        set_up(&s, 60000, 1, 0);
        s.screen.kind = SCREEN_NONE;
        s.screen.call_ns = paces[i].call_ns;
        s.load.cost_ns = paces[i].cost_ns;
        s.update_ns = 300 * US;
        open_display(&s);
        tally sum = count_until(&s, 100 * S);
        int64_t could = 100 * S / (paces[i].cost_ns + paces[i].call_ns);
        if (sum.frames * 100 < could * 95 || sum.changes > 0) {
            fail_msg("cost %d us, present %d us: %d frames of %d, %d changes",
                    (int)(paces[i].cost_ns / US), (int)(paces[i].call_ns / US), (int)sum.frames,
                    (int)could, (int)sum.changes);
        }
    }
}

/* --- several refreshes per frame -------------------------------------------------------------- */

/* Thirty frames per second on 60 Hz: with a queue nothing blocks any more, and the refreshes are
 * still to be known an hour later. */
TEST(a_swap_interval_stays_in_phase)
{
    static const struct {
        int64_t rate, interval_ns;
        int32_t refreshes;
    } wants[] = {{60000, 33333333, 2}, {144000, 16666666, 2}, {240000, 16666666, 4}};
    static scene s;
    for (int i = 0; i < 9; ++i) {
        set_up(&s, wants[i % 3].rate, i / 3 + 1, 50);
        s.config.interval_ns = wants[i % 3].interval_ns;
        open_display(&s);
        run_until(&s, 3 * S);
        tally sum = count_until(&s, 120 * S);
        if (sum.locked < sum.frames || sum.off > 0
                || status_of(&s).multiple != wants[i % 3].refreshes) {
            fail_msg("%d mHz, depth %d: locked %d of %d, off %d, by up to %d us, multiple "
                     "%d",
                    (int)wants[i % 3].rate, i / 3 + 1, (int)sum.locked, (int)sum.frames,
                    (int)sum.off, (int)(sum.off_most_ns / US), status_of(&s).multiple);
        }
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

TEST(times_may_be_anything)
{
    test_random random = {.state = 5};
    es_display display;
    for (int run = 0; run < 200; ++run) {
        es_display_config config = {0};
        config.refresh_ns = random_magnitude(&random) & INT64_MAX;
        config.interval_ns = random_magnitude(&random) & INT64_MAX;
        config.tick_ns = random_magnitude(&random) & INT64_MAX;
        config.queue = (int32_t)random_below(&random, 5);
        assert_int_equal(es__display_init(&display, &config), ES_OK);
        for (int frame = 0; frame < 300; ++frame) {
            es_display_plan plan;
            es_display_work work = {
                    random_magnitude(&random) & INT64_MAX, random_magnitude(&random) & INT64_MAX};
            es__display_begin_ns(&display, (int64_t)random_u64(&random));
            es__display_open(&display, (int64_t)random_u64(&random));
            es__display_expect(&display, (int64_t)random_u64(&random));
            es__display_close(&display, random_magnitude(&random), &plan);
            es__display_phase(&display, (int64_t)random_u64(&random));
            es__display_submitted(&display, (int64_t)random_u64(&random), &work);
            es__display_returned(&display, (int64_t)random_u64(&random));
            es__display_shown(&display, random_below(&random, 20), (int64_t)random_u64(&random));
            es__display_gap(&display, (int64_t)random_u64(&random), random_below(&random, 2) == 0);
        }
    }
}

TEST_MAIN("display", NULL)
