/* SPDX-License-Identifier: Zlib
 *
 * lead: ticks beyond the ones that a frame shows, or one fewer. Against the rule said once more
 * without cleverness, at rates whose periods are fractions. Changes of the lead at random: fuzz/fuzz_loop.c.
 */
#include "test_game.h"

__extension__ typedef __int128 int128;

/* A game whose frames a host owns, so D is exactly what the test says; not opened yet. */
static void start(game *g, es_rate rate, int32_t lead_ticks)
{
    start_game(g, NULL);
    g->config.tick_rate = rate;
    g->config.lead_ticks = lead_ticks;
    g->config.pace = ES_PACE_ADAPTIVE; /* a host's times are taken as they are */
}

static void open_with(game *g, es_rate rate, int32_t lead_ticks)
{
    start(g, rate, lead_ticks);
    open_game(g);
}

static void run_at(game *g, int64_t now_ns)
{
    const es_frame *f = &g->frame;
    run_host_frame(g, now_ns, 0);
    assert_int_equal(f->newest_tick, g->step.index);
    assert_int_equal(f->newest_ns, g->step.time_ns);
    assert_true(f->current_tick <= f->newest_tick);
    assert_true(f->newest_tick - f->current_tick <= ES__LEAD_MAX);
    assert_int_equal(f->current_ns, g->times_ns[f->current_tick % GAME_STEPS]);
    assert_int_equal(f->previous_ns, g->times_ns[f->previous_tick % GAME_STEPS]);
    int64_t past_ns = f->content_ns - f->newest_ns;
    assert_int_equal(f->ahead_ns, past_ns > 0 ? past_ns : 0);
}

/* A frame at this time: its content, how many ticks it ran, its pair's newer tick, alpha, the newest
 * tick. */
static void expect(game *g, double at_ms, double content_ms, int32_t ticks, int64_t current_tick,
        double alpha, int64_t newest_tick)
{
    run_at(g, (int64_t)(at_ms * 1e6));
    const es_frame *f = &g->frame;
    if (f->content_ns != (int64_t)(content_ms * 1e6) || f->ticks != ticks
            || f->current_tick != current_tick || f->alpha != alpha
            || f->newest_tick != newest_tick) {
        fail_msg("at %g ms: content %g, %d ticks, current %lld, alpha %g, newest %lld", at_ms,
                (double)f->content_ns / 1e6, (int)f->ticks, (long long)f->current_tick, f->alpha,
                (long long)f->newest_tick);
    }
}

/* --- against the rule, said plainly ----------------------------------------------------------- */

static int64_t exact_ns(es_rate rate, int64_t n)
{
    return (int64_t)((int128)n * rate.denominator * ES_NS_PER_S / rate.numerator);
}

typedef struct rule {
    es_rate rate;
    int32_t lead;
    bool due;
    int32_t delay;
} rule;

static int64_t at_least(int64_t n, int64_t least)
{
    return n > least ? n : least;
}

/* A frame at this time since the first, and the tick that reaches it: the first with t(n) >= C, or
 * with t(n) > now where ticks are due. */
static void check_rule(const game *g, const rule *r, int64_t elapsed_ns, int64_t reached)
{
    const es_frame *f = &g->frame;
    int64_t current = at_least(reached - r->delay, 0);
    int64_t newest = at_least(reached - r->delay + r->lead, at_least(r->lead, 0));
    int64_t before_ns = exact_ns(r->rate, reached - 1);
    int64_t since_ns = elapsed_ns - before_ns;
    assert_int_equal(f->newest_tick, newest);
    assert_int_equal(f->newest_ns, exact_ns(r->rate, newest));
    assert_int_equal(f->current_tick, current < newest ? current : newest);
    if (current == 0) {
        assert_true(f->alpha == (r->due && r->lead >= 0 ? 0.0 : 1.0));
        return;
    }
    if (r->lead < 0) {
        assert_true(f->alpha == 1.0);
        assert_int_equal(f->ahead_ns, since_ns);
        return;
    }
    int64_t whole_ns = exact_ns(r->rate, reached) - before_ns;
    assert_true(f->alpha == (double)since_ns / (double)whole_ns);
    assert_int_equal(f->content_ns - f->previous_ns, since_ns);
    assert_int_equal(f->ahead_ns, 0);
}

static void run_rule(const rule *r, int64_t frames)
{
    static game g;
    test_random random = {5 + (uint64_t)r->lead};
    int64_t elapsed_ns = 0;
    int64_t reached = r->due ? 1 : 0;
    start(&g, r->rate, r->lead);
    g.config.alpha_below_one = r->due;
    g.config.delay_ticks = r->delay;
    g.config.ticks_max = 1000;
    g.config.catch_up_max_ns = 10 * ES_NS_PER_S;
    g.config.gap_ns = 10 * ES_NS_PER_S;
    g.config.pace = ES_PACE_ADAPTIVE;
    open_game(&g);
    for (int64_t i = 0; i < frames; ++i) {
        run_at(&g, 12345 + elapsed_ns);
        check_rule(&g, r, elapsed_ns, reached);
        if (random_below(&random, 8) == 0) { /* exactly at a tick, or 1 ns beside */
            int64_t next_ns = exact_ns(r->rate, reached + random_below(&random, 3));
            next_ns += random_below(&random, 3) - 1;
            elapsed_ns = next_ns > elapsed_ns + 1000 ? next_ns : elapsed_ns + 1000;
        } else {
            elapsed_ns += 1000 + random_below(&random, 50 * MS);
        }
        while (r->due ? exact_ns(r->rate, reached) <= elapsed_ns
                      : exact_ns(r->rate, reached) < elapsed_ns) {
            reached += 1;
        }
    }
}

TEST(the_rule_holds_at_any_rate)
{
    const es_rate rates[] = {es__rate_make(60000, 1001), es__rate_make(7, 3), es_hz(60),
            es__rate_make(999983, 7919)};
    for (int i = 0; i < 4; ++i) {
        for (int32_t lead = -1; lead <= ES__LEAD_MAX; ++lead) {
            rule r = {rates[i], lead, false, 0};
            run_rule(&r, (i < 2 ? 100000 : 10000) / TEST_SHARE);
            r.due = true;
            for (r.delay = 0; r.delay <= 8; r.delay += r.delay < 2 ? 1 : 3) {
                run_rule(&r, (i < 2 && r.delay == 1 ? 100000 : 10000) / TEST_SHARE);
            }
        }
    }
}

/* --- another lead while it runs --------------------------------------------------------------- */

TEST(set_lead_refuses)
{
    static game g;
    es_step step;
    open_with(&g, es_hz(100), 1);
    assert_true(es__loop_begin_host(&g.loop, 0, 0));
    assert_int_equal(set_lead(&g.loop, 2), ES_OK); /* before its first tick it may */
    assert_true(es_loop_tick(&g.loop, &step));
    assert_int_equal(set_lead(&g.loop, 0), ES_ERR_STATE);
    open_with(&g, es__rate_make(1, 40000), 2);
    assert_int_equal(/* over a day; as a configuration: test_config.c */
            set_tick_rate(&g.loop, es__rate_make(1, 50000)), ES_ERR_INVALID);
    assert_int_equal(set_lead(&g.loop, -1), ES_OK);
    assert_int_equal(set_tick_rate(&g.loop, es__rate_make(1, 50000)), ES_OK);
}

static void change_to(game *g, const char *name)
{
    es_loop_config config;
    assert_true(es_loop_preset(name, &config));
    config.tick_rate = es_hz(100);
    assert_int_equal(es__loop_reconfigure(&g->loop, &config, NULL), ES_OK);
}

/* Loops of one update per frame show the newest tick: content goes there. */
TEST(reconfiguring_ends_a_lead)
{
    static game g;
    open_with(&g, es_hz(100), 3);
    expect(&g, 0, 0, 3, 0, 1.0, 3);
    expect(&g, 25, 25, 3, 3, 0.5, 6);
    change_to(&g, "lockstep");
    expect(&g, 35, 70, 1, 7, 1.0, 7);
    expect(&g, 45, 80, 1, 8, 1.0, 8);
    change_to(&g, "adaptive");
    expect(&g, 48, 83, 1, 9, 0.3, 9);
    assert_int_equal(set_lead(&g.loop, -1), ES_OK);
    expect(&g, 56, 91, 0, 9, 1.0, 9);
    assert_int_equal(g.frame.ahead_ns, 1 * MS);
    change_to(&g, "lockstep");
    expect(&g, 66, 110, 2, 11, 1.0, 11);
    change_to(&g, "adaptive");
    assert_int_equal(set_lead(&g.loop, -1), ES_OK);
    expect(&g, 70, 114, 0, 11, 1.0, 11);
    change_to(&g, "variable");
    expect(&g, 75, 119, 1, 12, 1.0, 12); /* one step from 110 */
    assert_int_equal(g.step.dt_ns, 9 * MS);
    change_to(&g, "decoupled");
    es_loop_config config = es_loop_get_config(&g.loop);
    config.lead_ticks = 2;
    assert_int_equal(es__loop_reconfigure(&g.loop, &config, NULL), ES_OK);
    expect(&g, 80, 124, 3, 13, 0.5, 15);
}

/* --- what a bound leaves ---------------------------------------------------------------------- */

typedef struct outcome {
    int64_t content_ns;
    int64_t debt_ns;
    es_account account;
} outcome;

enum { OUTCOMES = 400 };

/* Hitches, a bound, slow and fast motion, a pause. */
static void collect(const es_loop_config *config, outcome *outcomes)
{
    static game g;
    test_random random = {17};
    int64_t now_ns = 0;
    memset(&g, 0, sizeof g);
    g.config = *config;
    open_game(&g);
    for (int i = 0; i < OUTCOMES; ++i) {
        const es__ratio fast = {5, 2};
        const es__ratio normal = {1, 1};
        run_at(&g, now_ns);
        memset(&outcomes[i], 0, sizeof outcomes[i]);
        outcomes[i].content_ns = g.frame.content_ns;
        outcomes[i].debt_ns = g.frame.account.debt_ns;
        outcomes[i].account = g.frame.account;
        now_ns += 3 * MS + random_below(&random, (random_below(&random, 9) == 0 ? 300 : 30) * MS);
        if (i % 50 == 20) {
            es__loop_set_scale(&g.loop, i % 100 == 20 ? fast : normal);
        }
        if (i % 70 == 50 || i % 70 == 55) {
            es_loop_set_paused(&g.loop, i % 70 == 50);
        }
    }
}

/* The lead decides which ticks have run, not what is shown: under every policy that leaves steps
 * alone, content and account are those of no lead. */
TEST(policies_show_the_same_with_any_lead)
{
    static outcome without[OUTCOMES];
    static outcome with[OUTCOMES];
    const es_catch_up policies[] = {
            ES_CATCH_UP_DROP, ES_CATCH_UP_SLOW, ES_CATCH_UP_SPREAD, ES_CATCH_UP_WAIT};
    for (int i = 0; i < 64; ++i) {
        es_loop_config config = {.pace = ES_PACE_ADAPTIVE};
        config.tick_rate = i % 8 < 4 ? es__rate_make(60000, 1001) : es_hz(100);
        config.catch_up = policies[i % 4];
        config.alpha_below_one = i / 8 % 2 == 1;
        config.delay_ticks = i / 16 % 2;
        config.ticks_max = 5;
        config.catch_up_max_ns = i / 32 == 1 ? 40 * MS : 0;
        collect(&config, without);
        for (config.lead_ticks = -1; config.lead_ticks <= ES__LEAD_MAX; ++config.lead_ticks) {
            collect(&config, with);
            for (int frame = 0; frame < OUTCOMES; ++frame) {
                assert_memory_equal(&with[frame], &without[frame], sizeof with[frame]);
            }
        }
    }
}

/* Four periods a frame and two ticks: steps of two periods keep up, however long the lead; what a
 * lead of shorter steps lacks at first is dropped once. */
TEST(stretched_steps_keep_up_with_any_lead)
{
    static game g;
    for (int i = 0; i < 24; ++i) {
        start(&g, es_hz(100), i % 6 - 1);
        g.config.catch_up = ES_CATCH_UP_STRETCH;
        g.config.alpha_below_one = i / 6 % 2 == 1;
        g.config.ticks_max = 2 + i / 12 * 3;
        int64_t frame_ns = 2 * g.config.ticks_max * 10 * MS;
        open_game(&g);
        for (int frame = 0; frame < 20; ++frame) {
            run_at(&g, frame * 10 * MS);
        }
        int64_t dropped_ns = g.frame.account.dropped_ns;
        for (int frame = 1; frame <= 100; ++frame) {
            run_at(&g, 20 * 10 * MS + frame * frame_ns);
            assert_true(g.step.dt_ns <= 40 * MS);
            if (frame > 10) {
                assert_true(g.frame.account.frame_dropped_ns <= 1);
                assert_true(g.step.dt_ns >= 20 * MS - 2 && g.step.dt_ns <= 20 * MS + 2);
            }
            if (g.config.lead_ticks >= 0) {
                assert_true(g.frame.newest_tick - g.frame.current_tick >= g.config.lead_ticks);
            } else {
                assert_true(g.frame.ahead_ns <= 10 * MS);
            }
        }
        int64_t late_ns = g.frame.account.dropped_ns - dropped_ns;
        assert_true(late_ns <= (g.config.lead_ticks + 2) * 30 * MS);
        /* where five ticks of up to 40 ms reach it, lead and all, not even the first load drops */
        assert_true(g.config.ticks_max < 5 || g.config.lead_ticks > 3 || late_ns <= 100);
    }
}

TEST(the_default_bound_has_room_for_the_lead)
{
    static game g;
    open_with(&g, es_hz(5), 4);
    expect(&g, 0, 0, 4, 0, 1.0, 4);
    expect(&g, 50, 50, 1, 1, 0.25, 5);
    assert_int_equal(g.frame.account.dropped_ns, 0);
    assert_int_equal(g.loop.ticker.ticks_max, 7);
    assert_int_equal(set_lead(&g.loop, 0), ES_OK);
    assert_int_equal(g.loop.ticker.ticks_max, 3);
}
