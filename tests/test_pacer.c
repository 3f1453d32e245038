/* SPDX-License-Identifier: Zlib
 *
 * pacer: the rule's edges, and that the interval never hunts.
 */
#include "test_game.h"

static es__pacer_config plain_config(void)
{
    es__pacer_config config = {0};
    config.interval_ns = 16 * MS;
    config.interval_min_ns = 16 * MS;
    config.interval_max_ns = 100 * MS;
    config.window_ns = ES_NS_PER_S;
    return config;
}

static es__plan frame_that(es__pacer *pacer, int64_t now_ns, int64_t work_ns, bool waited)
{
    es__plan plan;
    es__pacer_open(pacer, now_ns);
    es__work work = {work_ns, work_ns, waited}; /* no ticks: at the floor it is the same */
    es__pacer_replan(pacer, &work);
    es__pacer_move(pacer, now_ns);
    es__pacer_close(pacer, &work, &plan);
    return plan;
}

static es__plan frame(es__pacer *pacer, int64_t now_ns, int64_t work_ns)
{
    return frame_that(pacer, now_ns, work_ns, false);
}

/* After its first frame, at 0. */
static es__pacer started(void)
{
    es__pacer pacer;
    es__pacer_config config = plain_config();
    es__pacer_init(&pacer, &config);
    frame(&pacer, 0, 0);
    return pacer;
}

TEST(work_equal_to_the_interval_fits)
{
    es__pacer pacer = started();
    assert_int_equal(frame(&pacer, 16 * MS, 16 * MS).interval_ns, 16 * MS);
    es__plan longer = frame(&pacer, 33 * MS, 16 * MS + 1);
    assert_int_equal(longer.interval_ns, 16 * MS + 1 + 3200001); /* 6/5, rounded up */
    assert_int_equal(longer.start_ns, 16 * MS + longer.interval_ns);
}

/* Preempted or blocked, not working: twice in a row changes nothing, three times is a load. */
TEST(waiting_is_a_load_only_when_it_lasts)
{
    es__pacer pacer = started();
    for (int i = 0; i < 20; ++i) {
        int64_t now_ns = pacer.last_start_ns + 30 * MS;
        assert_int_equal(frame_that(&pacer, now_ns, 30 * MS, true).interval_ns, 16 * MS);
        now_ns = pacer.last_start_ns + 30 * MS;
        assert_int_equal(frame_that(&pacer, now_ns, 30 * MS, true).interval_ns, 16 * MS);
        now_ns = pacer.last_start_ns + 3 * MS;
        assert_int_equal(frame_that(&pacer, now_ns, 3 * MS, true).interval_ns, 16 * MS);
    }
    for (int i = 0; i < 3; ++i) {
        int64_t now_ns = pacer.last_start_ns + 30 * MS;
        int64_t interval_ns = frame_that(&pacer, now_ns, 30 * MS, true).interval_ns;
        assert_int_equal(interval_ns, (i < 2 ? 16 : 36) * MS);
    }
}

/* A user who allows a shorter interval gets it, after a window of spare time. Other paces keep theirs. */
TEST(it_shrinks_to_the_floor_and_to_the_work)
{
    static const struct {
        es_pace pace;
        int64_t work_ms, interval_ms;
    } rows[] = {{ES_PACE_ADAPTIVE, 1, 4}, {ES_PACE_ADAPTIVE, 5, 6}, {ES_PACE_FIXED, 1, 16}};
    for_rows (r, rows) {
        es__pacer pacer;
        es__pacer_config config = plain_config();
        es__plan plan = {0};
        config.interval_min_ns = 4 * MS;
        config.pace = rows[r].pace;
        es__pacer_init(&pacer, &config);
        for (int i = 0; i < 2000; ++i) {
            plan = frame(&pacer, plan.start_ns, rows[r].work_ms * MS);
            assert_true(
                    plan.interval_ns == 16 * MS || i * 16 >= 1000); /* not in the first window */
        }
        assert_int_equal(plan.interval_ns, rows[r].interval_ms * MS);
    }
}

/* Spare time counts from the frame that completes both: the window's time, and eight frames. */
TEST(a_window_ends_with_the_frame_that_completes_it)
{
    static const int64_t windows_ms[] = {8 * 16, 10 * 16, 1};
    static const int frames[] = {8, 10, 8};
    for_rows (r, windows_ms) {
        es__pacer pacer;
        es__pacer_config config = plain_config();
        config.interval_min_ns = 4 * MS;
        config.window_ns = windows_ms[r] * MS;
        es__pacer_init(&pacer, &config);
        es__plan plan = frame(&pacer, 0, MS);
        for (int i = 1; i <= frames[r]; ++i) {
            assert_int_equal(plan.interval_ns, 16 * MS);
            plan = frame(&pacer, plan.start_ns, MS);
        }
        assert_int_equal(plan.interval_ns, 16 * MS);
        assert_int_equal(pacer.interval_ns, 16 * MS - 16 * MS / 104);
    }
}

/* What a load needs is known to the loop: the interval grows to it, beyond its maximum, stays there
 * though shorter frames are the rule, and ends with it. */
TEST(the_interval_follows_a_load)
{
    es__pacer pacer = started();
    es__pacer_set_load(&pacer, 150 * MS);
    es__plan plan = frame(&pacer, 150 * MS, 150 * MS);
    assert_int_equal(plan.interval_ns, 150 * MS);
    plan = frame(&pacer, 350 * MS, 200 * MS); /* longer than the load: a stall */
    assert_int_equal(plan.interval_ns, 150 * MS);
    assert_int_equal(plan.start_ns, 350 * MS);
    for (int i = 0; i < 100; ++i) {
        plan = frame(&pacer, plan.start_ns + 60 * MS, 60 * MS);
        assert_int_equal(plan.interval_ns, 150 * MS);
    }
    es__pacer_set_load(&pacer, 110 * MS);
    plan = frame(&pacer, plan.start_ns + 60 * MS, 60 * MS);
    plan = frame(&pacer, plan.start_ns + 60 * MS, 60 * MS);
    assert_int_equal(plan.interval_ns, 110 * MS);
    es__pacer_set_load(&pacer, 0);
    frame(&pacer, plan.start_ns + 3 * MS, 3 * MS);
    assert_int_equal(frame(&pacer, plan.start_ns + 6 * MS, 3 * MS).interval_ns, 16 * MS);
    es__pacer_set_load(&pacer, 90 * MS); /* within the maximum it ends slowly, as ever */
    plan = frame(&pacer, pacer.last_start_ns + 90 * MS, 90 * MS);
    assert_int_equal(plan.interval_ns, 100 * MS);
    es__pacer_set_load(&pacer, 0);
    frame(&pacer, plan.start_ns + 3 * MS, 3 * MS);
    plan = frame(&pacer, plan.start_ns + 6 * MS, 3 * MS);
    assert_true(plan.interval_ns > 98 * MS);
    es__pacer_set_load(&pacer, 150 * MS);
    es__pacer_set_interval(&pacer, 16 * MS, 100 * MS); /* forgets it */
    plan = frame(&pacer, pacer.last_start_ns + 150 * MS, 150 * MS);
    assert_int_equal(plan.interval_ns, 16 * MS);
}

/* --- never hunting, through the whole loop ---------------------------------------------------- */

typedef struct costs {
    int64_t render_ns;
    int64_t update_ns;
    int64_t tick_ns;
    int64_t interval_ns;
    int64_t interval_min_ns;
    int64_t interval_max_ns; /* 0: the default */
} costs;

/* How often the interval changed in the second half of a run. */
typedef struct changes {
    int longer;
    int shorter;
} changes;

static changes changes_after_half(const costs *c, int frames)
{
    static game g;
    changes count = {0, 0};
    start_game(&g, "adaptive");
    g.config.tick_rate = es__rate_make(S, (uint64_t)c->tick_ns);
    g.config.interval_ns = c->interval_ns;
    g.config.interval_min_ns = c->interval_min_ns;
    g.config.interval_max_ns = c->interval_max_ns;
    g.update_ns = c->update_ns;
    g.render_ns = c->render_ns;
    open_game(&g);
    run_frames(&g, frames / 2 + 1);
    for (int i = frames / 2 + 1; i < frames; ++i) {
        run_frame(&g);
        count.longer += g.frame.interval_ns > g.before.interval_ns;
        count.shorter += g.frame.interval_ns < g.before.interval_ns;
    }
    return count;
}

/* Once it never lengthens again it cannot hunt: it can only settle. (It may settle late: where one
 * frame in 64 has a tick more and a window holds 62 frames, shrinking waits for one without.) */
static void check_settles(const costs *c, int frames)
{
    changes count = changes_after_half(c, frames);
    if (count.longer != 0) {
        fail_msg("render %lld update %lld tick %lld interval %lld min %lld: %d longer, %d shorter",
                (long long)c->render_ns, (long long)c->update_ns, (long long)c->tick_ns,
                (long long)c->interval_ns, (long long)c->interval_min_ns, count.longer,
                count.shorter);
    }
}

/* Constant costs of any size; rare frames with one tick more, where interval / tick lies just above a whole
 * number, which tempts a window to forget; and intervals so long that a window of time alone would hold one or
 * two frames. */
TEST(random_costs_settle)
{
    test_random random = {20261121};
    for (int i = 0; i < 800 / TEST_SHARE; ++i) {
        int64_t ticks = 1 + random_below(&random, 6);
        costs c = {.interval_ns = 16 * MS, .interval_min_ns = i % 8 < 4 ? 16 * MS : 2 * MS};
        c.render_ns = random_below(&random, 12 * MS);
        c.tick_ns = c.interval_ns / ticks - random_below(&random, 20000);
        if (i % 4 == 0) {
            c.interval_ns = 4 * MS + random_below(&random, 20 * MS);
            c.interval_min_ns = i % 8 == 0 ? c.interval_ns : c.interval_ns / 4;
            c.tick_ns = MS / 2 + random_below(&random, 100 * MS);
            c.render_ns = random_below(&random, 20 * MS);
        } else if (i % 4 == 1) {
            c = (costs){
                    .interval_ns = 600 * MS, .interval_min_ns = 50 * MS, .interval_max_ns = 10 * S};
            c.tick_ns = c.interval_ns / ticks - random_below(&random, 30 * MS);
            c.render_ns = random_below(&random, 300 * MS);
        }
        c.update_ns = random_below(&random, i % 4 == 1 ? c.tick_ns / 2 : c.tick_ns);
        check_settles(&c, i % 4 == 1 ? 8000 : 16000);
    }
}

TEST(just_under_the_interval_stays_for_a_million_frames)
{
    /* 3 and 4 ticks of 1 ms alternate: work 14.9 or 15.9 of 16 ms */
    const costs c = {11900000, 1000000, 5000000, 16000000, 16000000, 0};
    changes count = changes_after_half(&c, 1000000 / TEST_SHARE);
    assert_int_equal(count.longer, 0);
    assert_int_equal(count.shorter, 0);
    /* a tick every 3 s that does not fit: a window without one must not forget it */
    check_settles(&(costs){8 * MS, 12 * MS, 3000 * MS, 16 * MS, 16 * MS, 0}, 20000);
}
