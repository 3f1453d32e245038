/* SPDX-License-Identifier: Zlib
 *
 * rates: exact times and order over a million base ticks, against a count; alpha at random
 * instants, against exact fractions; changes of the base rate. In
 * loops: test_rates_history.c.
 */
#include "test_support.h"

#include "loop/ticker.h"
#include "schedule/schedule.h"

static const es_rate none = {0, 0};

TEST(bad_groups_are_refused)
{
    static const struct {
        es_rate_group group;
        const char *field;
    } bad[] = {
            {{.period = -1}, "period"},
            {{.period = ES__RATES_PERIOD_MAX + 1}, "period"},
            {{.period = 4, .phase = 4}, "phase"},
            {{.period = 4, .phase = -1}, "phase"},
            {{.period = 4, .rate = {1, 1}}, "rate"},
            {{.rate = {0, 0}}, "rate"},
            {{.period = 4, .rate = {0, 1}}, "rate"},
            {{.rate = {2000000, 1}}, "rate"},
            {{.rate = {10, 1}, .phase = 1}, "phase"},
            {{.period = 4, .lead_ticks = -2}, "lead_ticks"},
            {{.period = 4, .lead_ticks = 7}, "lead_ticks"},
            {{.rate = {10, 1}, .delay_ticks = -1}, "delay_ticks"},
            {{.rate = {10, 1}, .delay_ticks = 9}, "delay_ticks"},
    };
    es_rates rates;
    const es_rate_group good = {.period = 4};
    es__error error;
    for_rows (i, bad) {
        es_rate_group two[2] = {{.period = 1}, bad[i].group};
        assert_int_equal(es__rates_init(&rates, two, 2, es_hz(60), &error), ES_ERR_INVALID);
        assert_string_equal(error.field, bad[i].field);
        assert_non_null(error.reason);
        assert_int_equal(es__rates_init(&rates, two, 2, es_hz(60), NULL), ES_ERR_INVALID);
        assert_int_equal(es__rates_init(&rates, two, 1, es_hz(60), &error), ES_OK);
        assert_null(error.field);
    }
    const es_rates_config bad_counts[] = {{.count = 1, .base = es_hz(60)},
            {.groups = &good, .base = es_hz(60)},
            {.groups = &good, .count = 257, .base = es_hz(60)}};
    for_rows (i, bad_counts) {
        assert_null(es_rates_create(&bad_counts[i]));
        assert_non_null(strstr(es_get_error(), "count"));
    }
    es_rate_group many[ES__RATES_GROUPS_MAX];
    for_rows (i, many) {
        many[i] = good;
    }
    es_rates *most = es_rates_create(&(es_rates_config){many, ES__RATES_GROUPS_MAX, es_hz(60)});
    assert_non_null(most);
    es_rates_destroy(most);
    es_rate_group groups[2] = {{.period = 4, .lead_ticks = 7}, {.period = 4}};
    es_rates_config config = {groups, 2, es_hz(60)};
    assert_null(es_rates_create(&config));
    assert_non_null(strstr(es_get_error(), "es_rates_config.lead_ticks"));
    assert_null(es_rates_create(NULL));
    assert_int_equal(es__rates_init(&rates, &good, 1, none, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "base");
    assert_int_equal(es__rates_init(&rates, &good, 1, es_hz(1000001), &error), ES_ERR_INVALID);
}

TEST(bad_calls_are_refused)
{
    static const struct {
        int64_t tick, time_ns;
    } bad[] = {{-1, 0}, {1, 0}, {0, 1}, {2, -1}};
    es_rates rates;
    const es_rate_group good = {.period = 4};
    es_frame frame = {0};
    assert_int_equal(es__rates_init(&rates, &good, 1, es_hz(60), NULL), ES_OK);
    assert_false(es_rates_frame(&rates, 1, &frame, &frame));
    assert_false(es_rates_frame(&rates, -1, &frame, &frame));
    assert_false(es_rates_frame(NULL, 0, &frame, &frame));
    assert_false(es_rates_frame(&rates, 0, NULL, &frame));
    assert_false(es_rates_frame(&rates, 0, &frame, NULL));
    assert_int_equal(es__rates_newest(&rates, 1, 100), 0);
    assert_int_equal(es__rates_time_ns(&rates, -1, 100), 0);
    assert_int_equal(es__rates_time_ns(&rates, 1, 100), 0);
    assert_false(es_rates_rebase(&rates, 1, 1, none));
    for_rows (i, bad) {
        assert_false(es_rates_rebase(&rates, bad[i].tick, bad[i].time_ns, es_hz(60)));
    }
    assert_true(es_rates_rebase(&rates, 0, 0, es_hz(50)));
    assert_int_equal(es__rates_time_ns(&rates, 0, 1), 80 * MS);
}

/* Of a group with its own rate. */
TEST(before_the_first_tick_is_the_first)
{
    for (int32_t lead = -1; lead <= 0; ++lead) {
        es_rates rates;
        const es_rate_group group = {.rate = {10, 1}, .lead_ticks = lead};
        assert_int_equal(es__rates_init(&rates, &group, 1, es_hz(60), NULL), ES_OK);
        assert_int_equal(es__rates_newest(&rates, 0, -5), 0);
        assert_int_equal(es__rates_newest(&rates, 0, 0), 0);
        assert_int_equal(es__rates_newest(&rates, 0, 60), 10);
    }
}

/* --- the reference: everything counted along, nothing divided --------------------------------- */

/* Times of ticks one after the other: a period's whole nanoseconds are added, its rest carried. */
typedef struct counted {
    int64_t index;
    int64_t time_ns;
    uint64_t carried;
    es_rate rate;
    int64_t times; /* the period is so many of the rate's */
} counted;

static void count_on(counted *c)
{
    for (int64_t i = 0; i < c->times; ++i) {
        uint64_t dividend = (uint64_t)c->rate.denominator * 1000000000;
        c->carried += dividend % c->rate.numerator;
        c->time_ns += (int64_t)(dividend / c->rate.numerator);
        c->time_ns += c->carried >= c->rate.numerator;
        c->carried %= c->rate.numerator;
    }
    c->index += 1;
}

enum { GROUPS = 10, AHEAD = ES__RATES_LEAD_MAX + 4 };

typedef struct reference {
    const es_rate_group *group;
    counted start;           /* tick 0 */
    counted newest;          /* has run */
    int64_t times_ns[AHEAD]; /* of the last ticks, by index */
} reference;

static counted start_of(const es_rate_group *group, es_rate base)
{
    counted c = {0, 0, 0, group->rate, 1};
    if (group->period > 0) {
        counted at = {-1, 0, 0, base, group->phase};
        count_on(&at);
        c = at;
        c.times = group->period;
    }
    return c;
}

/* Whether the next tick is due at a base tick: by the text of the header. */
static bool is_due(const reference *r, int64_t base_ns)
{
    int64_t lead = r->group->lead_ticks;
    if (lead < 0) {
        counted next = r->newest;
        count_on(&next);
        return next.time_ns <= base_ns;
    }
    /* where the span begins of the tick that is to be there, lead ticks before this one */
    int64_t begins = r->newest.index - lead;
    return (begins <= 0 ? r->start.time_ns : r->times_ns[begins % AHEAD]) < base_ns;
}

static const es_rate_group mixed[GROUPS] = {
        {.period = 1},
        {.period = 2, .phase = 1},
        {.period = 12, .phase = 5},
        {.period = 12, .phase = 7, .lead_ticks = -1, .delay_ticks = 1},
        {.period = 7, .phase = 3, .lead_ticks = 1},
        {.period = 120, .phase = 119, .lead_ticks = 6, .delay_ticks = 2},
        {.rate = {25, 1}},
        {.rate = {60000, 1001}, .lead_ticks = -1, .delay_ticks = 1},
        {.rate = {1000, 3}, .lead_ticks = 2},
        {.rate = {1, 7}, .delay_ticks = 8},
};

static const es_rate_group ends[3] = {{.period = 12, .phase = 7, .lead_ticks = -1},
        {.rate = {25, 1}, .lead_ticks = -1}, {.rate = {7, 1}, .lead_ticks = -1}};

static double period_of(const es_rate_group *g, es_rate base)
{
    if (g->period == 0) {
        return (double)g->rate.denominator / (double)g->rate.numerator;
    }
    return (double)((uint64_t)base.denominator * (uint64_t)g->period) / (double)base.numerator;
}

/* Every tick of ten groups: which, in which order, when, and how long. */
TEST(a_million_base_ticks_are_exact)
{
    const es_rate bases[] = {{120, 1}, {60000, 1001}};
    for (int which = 0; which < (TEST_SANITIZED ? 1 : 2); ++which) {
        es_rate base = bases[which];
        static reference references[GROUPS];
        counted at = {0, 0, 0, base, 1};
        es_rates rates;
        int64_t steps = 0;
        assert_int_equal(es__rates_init(&rates, mixed, GROUPS, base, NULL), ES_OK);
        for (int g = 0; g < GROUPS; ++g) {
            references[g] = (reference){.group = &mixed[g], .start = start_of(&mixed[g], base)};
            references[g].newest = references[g].start;
            assert_int_equal(es__rates_time_ns(&rates, g, 0), references[g].newest.time_ns);
            assert_int_equal(es__rates_newest(&rates, g, 0), 0);
        }
        for (int64_t n = 1; n <= 1000000; ++n) {
            es_rates_run run;
            count_on(&at);
            run = (es_rates_run){0};
            for (int g = 0; g < GROUPS; ++g) {
                reference *r = &references[g];
                for (int32_t i = 0; is_due(r, at.time_ns); ++i) {
                    int64_t before_ns = r->newest.time_ns;
                    count_on(&r->newest);
                    r->times_ns[r->newest.index % AHEAD] = r->newest.time_ns;
                    assert_true(es_rates_next(&rates, n, &run));
                    assert_int_equal(run.group, g);
                    assert_int_equal(run.step.index, r->newest.index);
                    assert_int_equal(run.step.time_ns, r->newest.time_ns);
                    assert_int_equal(run.step.dt_ns, r->newest.time_ns - before_ns);
                    assert_int_equal(run.step.in_frame, i);
                    assert_true(run.step.dt_s == period_of(&mixed[g], base));
                    steps += 1;
                }
                if (n % 64 == 0) {
                    assert_int_equal(es__rates_newest(&rates, g, n), r->newest.index);
                }
            }
            assert_false(es_rates_next(&rates, n, &run));
            assert_false(es_rates_next(&rates, n, &run));
        }
        assert_true(steps > 2000000);
    }
}

/* Asked in any order, a base tick answers the same: so a seek needs nothing. */
TEST(base_ticks_can_be_queried_in_any_order)
{
    es_rates rates;
    test_random random = {23};
    assert_int_equal(es__rates_init(&rates, mixed, GROUPS, es_hz(120), NULL), ES_OK);
    for (int i = 0; i < 100000; ++i) {
        int64_t n = 1 + random_below(&random, i % 2 == 0 ? 2000 : INT64_C(40000000000));
        es_rates_run run;
        int64_t counts[GROUPS] = {0};
        run = (es_rates_run){0};
        while (es_rates_next(&rates, n, &run)) {
            counts[run.group] += 1;
            assert_int_equal(
                    run.step.index, es__rates_newest(&rates, run.group, n - 1) + counts[run.group]);
            assert_int_equal(
                    run.step.time_ns, es__rates_time_ns(&rates, run.group, run.step.index));
        }
        for (int g = 0; g < GROUPS; ++g) {
            int64_t newest = es__rates_newest(&rates, g, n);
            assert_int_equal(newest - es__rates_newest(&rates, g, n - 1), counts[g]);
        }
    }
    es_rates_run run;
    for (int64_t n = -3; n <= 0; ++n) {
        run = (es_rates_run){0};
        assert_false(es_rates_next(&rates, n, &run));
        assert_int_equal(es__rates_newest(&rates, 0, n), 0);
        assert_int_equal(es__rates_newest(&rates, 6, n), 0);
        assert_int_equal(es__rates_newest(&rates, 7, n), 0);
    }
    assert_true(es__rates_time_ns(&rates, 5, INT64_MAX) == INT64_MAX);
    assert_true(es__rates_newest(&rates, 5, INT64_MAX) > 0);
    assert_true(es__rates_time_ns(&rates, 9, INT64_MAX) == INT64_MAX);
}

/* Up to a nanosecond before it; and before tick 0, where base ticks older than all that is kept would be. */
TEST(a_tick_that_has_not_come_is_not_the_newest)
{
    const es_rate_group groups[] = {{.rate = {500000000, 4166667}, .lead_ticks = -1},
            {.rate = {25, 1}, .lead_ticks = 2}, {.rate = {25, 1}, .lead_ticks = -1}};
    es_rates rates;
    assert_int_equal(es__rates_init(&rates, groups, 3, es_hz(120), NULL), ES_OK);
    assert_int_equal(es__rates_time_ns(&rates, 0, 1), 8333334); /* base tick 1: 8333333 */
    assert_int_equal(es__rates_newest(&rates, 0, 1), 0);
    assert_int_equal(es__rates_newest(&rates, 0, 2), 1);
    assert_int_equal(es__rates_init(&rates, groups, 3, es_hz(1000), NULL), ES_OK);
    for (int64_t i = 1; i <= ES__RATES_BASES; ++i) { /* base tick 9 would be at 0 */
        assert_true(es_rates_rebase(&rates, 9 + i, i * 10 * MS, es_hz(100)));
    }
    for (int32_t g = 1; g < 3; ++g) {
        assert_int_equal(es__rates_newest(&rates, g, 1), 0);
        assert_int_equal(es__rates_newest(&rates, g, 9), 0);
        assert_int_equal(es__rates_newest(&rates, g, 10), g == 1 ? 3 : 0);
    }
}

TEST(sums_saturate_at_the_ends_of_int64)
{
    const es_rate_group groups[] = {{.period = 1, .lead_ticks = 6}, {.rate = {10, 1}},
            {.rate = {1, 65535}, .lead_ticks = -1, .delay_ticks = 8}};
    const int64_t far[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};
    es_rates rates;
    assert_int_equal(es__rates_init(&rates, groups, 3, es_hz(120), NULL), ES_OK);
    assert_true(es__rates_newest(&rates, 0, INT64_MAX) == INT64_MAX);
    for (int i = 0; i < 6 * 6 * 6; ++i) {
        row("case %d", i);
        es_frame frame = {.newest_tick = far[i % 6], .content_ns = far[i / 6 % 6]};
        frame.newest_ns = far[i / 36];
        frame.ticks = i % 2 == 0 ? INT32_MAX : INT32_MIN;
        for (int32_t g = 0; g < 3; ++g) {
            es_frame of;
            assert_true(es_rates_frame(&rates, g, &frame, &of));
            assert_true(of.alpha >= 0.0 && of.alpha <= 1.0);
            assert_true(of.ahead_ns >= 0 && of.current_tick <= of.newest_tick);
        }
    }
    es_rates_run run;
    for (int i = 0; i < 6; ++i) {
        run = (es_rates_run){0};
        while (es_rates_next(&rates, far[i], &run)) {
            assert_true(run.step.dt_ns >= 0);
        }
    }
}

/* --- alpha ------------------------------------------------------------------------------------ */

/* Where an instant lies between two ticks, from the fractions themselves and not from rounded
 * times: ((C - phase) * rate) - previous. */
static double exact_alpha(
        const es_rate_group *g, es_rate base, int64_t content_ns, int64_t previous)
{
    uint64_t num = g->period > 0 ? base.numerator : g->rate.numerator;
    uint64_t den =
            g->period > 0 ? (uint64_t)base.denominator * (uint64_t)g->period : g->rate.denominator;
    /* C in ticks of the group, from its tick 0: (C * num / (1e9 * den)) - phase / period */
    uint64_t unit = den * 1000000000;
    uint64_t since = (uint64_t)content_ns * num; /* < 2^63: below */
    double ticks = (double)(since / unit) - (double)previous;
    double rest = (double)(since % unit) / (double)unit;
    return ticks + rest - (g->period > 0 ? (double)g->phase / (double)g->period : 0.0);
}

static void check_frame(const es_rates *rates, int g, const es_frame *frame, es_rate base)
{
    const es_rate_group *group = &rates->groups[g];
    es_frame of;
    assert_true(es_rates_frame(rates, g, frame, &of));
    double period_ns = period_of(group, base) * 1e9;
    int64_t delayed_ns = frame->content_ns - of.content_ns;
    assert_true((double)delayed_ns >= period_ns * group->delay_ticks - 1.0);
    assert_true((double)delayed_ns <= period_ns * group->delay_ticks + 1e-3);
    assert_int_equal(of.newest_tick, es__rates_newest(rates, g, frame->newest_tick));
    assert_int_equal(of.newest_ns, es__rates_time_ns(rates, g, of.newest_tick));
    assert_int_equal(of.previous_ns, es__rates_time_ns(rates, g, of.previous_tick));
    assert_int_equal(of.current_ns, es__rates_time_ns(rates, g, of.current_tick));
    int64_t before = es__rates_newest(rates, g, frame->newest_tick - frame->ticks);
    assert_int_equal(of.ticks, of.newest_tick - before);
    assert_int_equal(of.index, frame->index);
    assert_int_equal(of.start_ns, frame->start_ns);
    assert_true(of.alpha > 0.0 && of.alpha <= 1.0);
    if (of.content_ns <= es__rates_time_ns(rates, g, 0) || of.newest_tick == 0) {
        assert_int_equal(of.current_tick, 0);
        assert_int_equal(of.previous_tick, 0);
        assert_true(of.alpha == 1.0);
        return;
    }
    assert_int_equal(of.previous_tick, of.current_tick - 1);
    assert_true(of.previous_ns < of.content_ns);
    assert_true(of.current_tick <= of.newest_tick);
    if (of.ahead_ns > 0) {
        assert_int_equal(of.ahead_ns, of.content_ns - of.newest_ns);
        assert_int_equal(of.current_tick, of.newest_tick);
        assert_true(of.alpha == 1.0);
        /* only where the tick that would bracket it has not come */
        assert_true(group->lead_ticks < group->delay_ticks - 1 || group->lead_ticks < 0);
        return;
    }
    assert_true(of.content_ns <= of.current_ns);
    double rounded =
            (double)(of.content_ns - of.previous_ns) / (double)(of.current_ns - of.previous_ns);
    assert_true(of.alpha == rounded);
    double exact = exact_alpha(group, base, of.content_ns, of.previous_tick);
    double off = of.alpha > exact ? of.alpha - exact : exact - of.alpha;
    assert_true(off <= 2.0 / period_ns + 1e-9);
}

TEST(alpha_is_exact_at_random_instants)
{
    const es_rate bases[] = {{120, 1}, {60000, 1001}};
    test_random random = {29};
    for (int which = 0; which < 2; ++which) {
        es_rate base = bases[which];
        es_rates rates;
        es_rates ahead; /* of what has run: without a delay, or with a lead of -1 in the loop */
        assert_int_equal(es__rates_init(&rates, mixed, GROUPS, base, NULL), ES_OK);
        assert_int_equal(es__rates_init(&ahead, ends, 3, base, NULL), ES_OK);
        for (int i = 0; i < 200000 / TEST_SHARE; ++i) {
            /* a frame as a loop gives them: the newest tick is the first at or after content */
            int64_t most_ns = i % 4 == 0 ? 10 * S : 8000 * S;
            es_frame frame = {.index = i, .start_ns = i};
            frame.content_ns = random_below(&random, most_ns);
            if (i % 8 == 0) {
                frame.content_ns = es_rate_time_ns(base, random_below(&random, 100000));
            }
            frame.newest_tick = es__rate_ns_to_events(base, frame.content_ns);
            frame.ticks = (int32_t)random_below(&random, 30);
            for (int g = 0; g < GROUPS; ++g) {
                check_frame(&rates, g, &frame, base);
            }
            for (int g = 0; g < 3; ++g) {
                check_frame(&ahead, g, &frame, base);
            }
        }
    }
}

/* --- changes of the base rate ----------------------------------------------------------------- */

/* Another base rate: groups that divide it follow, from the tick at which it changed; others keep
 * their own. */
TEST(a_new_base_rate_is_followed)
{
    static const es_rate_group groups[] = {{.period = 1}, {.period = 4}, {.rate = {10, 1}}};
    const es_rate base_rates[] = {{100, 1}, {60, 1}, {60000, 1001}, {240, 1}, {7, 3}, {1000, 1}};
    es__ticker ticker;
    es_rates rates;
    int64_t times_ns[200];
    es__ticker_init(&ticker, base_rates[0], 1000);
    assert_int_equal(es__rates_init(&rates, groups, 3, base_rates[0], NULL), ES_OK);
    for (int64_t n = 1; n < 120; ++n) {
        es_step step;
        es_rates_run run;
        es__ticker_open(&ticker);
        assert_true(es__ticker_next(&ticker, INT64_MAX, &step));
        times_ns[n] = step.time_ns;
        run = (es_rates_run){0};
        assert_true(es_rates_next(&rates, n, &run));
        assert_int_equal(run.step.time_ns, step.time_ns);
        assert_int_equal(run.step.dt_ns, step.dt_ns);
        assert_true(run.step.dt_s == step.dt_s);
        assert_int_equal(es__rates_newest(&rates, 2, n), (step.time_ns - 1) / (100 * MS) + 1);
        if (n % 20 == 0) { /* five times; four are remembered */
            es__ticker_set_rate(&ticker, base_rates[n / 20]);
            assert_true(es_rates_rebase(&rates, n, step.time_ns, base_rates[n / 20]));
        }
        for (int64_t back = n >= 100 ? 40 : n >= 80 ? 20 : 1; back <= n; ++back) {
            assert_int_equal(es__rates_time_ns(&rates, 0, back), times_ns[back]);
            es_frame frame = {.content_ns = times_ns[back] - 1, .newest_tick = n};
            es_frame of;
            es_rates_frame(&rates, 0, &frame, &of);
            assert_int_equal(of.current_tick, back);
            frame.content_ns = times_ns[back];
            es_rates_frame(&rates, 0, &frame, &of);
            assert_int_equal(of.current_tick, back);
        }
    }
}

/* Time never goes back, and a hole in it belongs to the tick after it. */
TEST(a_change_of_rate_may_leave_a_hole)
{
    static const es_rate_group groups[] = {{.period = 1}, {.period = 4}};
    es_rates rates;
    assert_int_equal(es__rates_init(&rates, groups, 2, es_hz(100), NULL), ES_OK);
    assert_false(es_rates_rebase(&rates, 6, 50 * MS, es_hz(50)));
    assert_true(es_rates_rebase(&rates, 6, 1000 * MS, es_hz(50)));
    assert_false(es_rates_rebase(&rates, 6, 999 * MS, es_hz(50)));
    assert_false(es_rates_rebase(&rates, 5, 1000 * MS, es_hz(50)));
    for (int64_t content_ns = 41 * MS; content_ns < 1100 * MS; content_ns += 7 * MS) {
        es_frame frame = {.content_ns = content_ns, .newest_tick = 100};
        es_frame of;
        assert_true(es_rates_frame(&rates, 1, &frame, &of));
        assert_true(of.previous_ns < content_ns && content_ns <= of.current_ns);
        assert_true(of.alpha > 0.0 && of.alpha <= 1.0);
    }
    /* a step over a change has the length of both parts */
    assert_int_equal(es__rates_init(&rates, groups, 2, es_hz(100), NULL), ES_OK);
    assert_true(es_rates_rebase(&rates, 6, 60 * MS, es_hz(50)));
    es_rates_run run;
    const double lengths[] = {0.04, 0.06, 0.08};
    for (int64_t n = 1; n <= 12; ++n) {
        run = (es_rates_run){0};
        while (es_rates_next(&rates, n, &run)) {
            if (run.group == 1) {
                assert_true(run.step.dt_s == lengths[n / 4]);
                assert_int_equal(run.step.dt_ns, (int64_t)(lengths[n / 4] * 1000) * MS);
            }
        }
    }
}

/* --- the object ------------------------------------------------------------------------------- */

TEST(groups_are_copied)
{
    es_rate_group groups[2] = {{.period = 4, .phase = 3}, {.period = 6}};
    es_rates *rates = es_rates_create(&(es_rates_config){groups, 2, es_hz(60)});
    assert_non_null(rates);
    groups[0].period = 1;
    assert_int_equal(es_rates_newest(rates, 0, 4, NULL), 1); /* begins at tick 3, runs at 4 */
    assert_int_equal(es_rates_newest(rates, 0, 3, NULL), 0);
    es_rates_destroy(rates);
}

TEST(the_newest_tick_has_a_time)
{
    const es_rate_group groups[2] = {{.period = 4, .phase = 2}, {.rate = {10, 1}}};
    es_rates *rates = es_rates_create(&(es_rates_config){groups, 2, es_hz(100)});
    int64_t time_ns;
    assert_int_equal(es_rates_newest(rates, 0, 0, &time_ns), 0);
    assert_int_equal(time_ns, 20 * MS);
    assert_int_equal(es_rates_newest(rates, 1, 35, &time_ns), 4);
    assert_int_equal(time_ns, 400 * MS);
    assert_true(es_rates_rebase(rates, 50, 500 * MS, es_hz(50)));
    assert_false(es_rates_rebase(rates, 40, 600 * MS, es_hz(50)));
    assert_non_null(strstr(es_get_error(), "es_rates_rebase"));
    assert_int_equal(es_rates_newest(rates, 2, 35, NULL), 0);
    es_rates_destroy(rates);
}

TEST(without_rates_nothing_happens)
{
    es_rates_run run = {0};
    int64_t time_ns = 5;
    es_rates_destroy(NULL);
    assert_false(es_rates_next(NULL, 1, &run) || es_rates_rebase(NULL, 1, 1, es_hz(60)));
    assert_true(es_rates_newest(NULL, 0, 9, &time_ns) == 0 && time_ns == 0);
    assert_int_equal(es_rates_history_ticks(NULL, 0, 0), 0);
}
