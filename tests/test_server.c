/* SPDX-License-Identifier: Zlib
 *
 * server: exact times for ten years; phases; order; a long tick; catch-up, pause and gaps; a heap
 * of loops that come and go at random, against a search; what the status counts.
 */
#include "manual_clock.h"
#include "test_support.h"

#include "schedule/schedule.h"

#define YEAR_S (INT64_C(365) * 86400 + 6 * 3600)

static es_manual_clock manual;

static es_server *server_with(int32_t loops_max, int64_t slack_ns)
{
    const es_server_config config = {
            .loops_max = loops_max, .slack_ns = slack_ns, .clock = es_manual_clock_get(&manual)};
    es_server *server = es_server_create(&config);
    assert_non_null(server);
    return server;
}

static es_server *new_server(int32_t loops_max)
{
    manual = (es_manual_clock){.now_ns = 5 * S};
    return server_with(loops_max, 0);
}

static int32_t add(es_server *server, es_rate rate)
{
    const es_server_loop config = {.tick_rate = rate};
    return es_server_add(server, &config);
}

/* floor(n * denominator * 1e9 / numerator), by long division */
static int64_t exact_ns(es_rate rate, int64_t n)
{
    int64_t result = 0, rest = 0;
    for (int bit = 40; bit >= 0; --bit) {
        const int64_t unit = (int64_t)rate.denominator * S;
        rest = 2 * rest + ((n >> bit & 1) != 0 ? unit % rate.numerator : 0);
        result = 2 * result + ((n >> bit & 1) != 0 ? unit / rate.numerator : 0)
                 + rest / rate.numerator;
        rest %= rate.numerator;
    }
    return result;
}

TEST(bad_configurations_are_refused)
{
    const es_clock clock = es_manual_clock_get(&manual);
    const struct {
        es_server_config config;
        const char *error;
    } bad[] = {
            {{.clock = clock}, "es_server_config.loops_max"},
            {{.loops_max = -1, .clock = clock}, "es_server_config.loops_max"},
            {{.loops_max = 1000001, .clock = clock}, "es_server_config.loops_max"},
            {{.loops_max = 1, .slack_ns = -1, .clock = clock}, "es_server_config.slack_ns"},
            {{.loops_max = 1, .slack_ns = S + 1, .clock = clock}, "es_server_config.slack_ns"},
            {{.loops_max = 1, .gap_ns = -1, .clock = clock}, "es_server_config.gap_ns"},
    };
    for_rows (i, bad) {
        assert_null(es_server_create(&bad[i].config));
        assert_memory_equal(es_get_error(), bad[i].error, strlen(bad[i].error));
    }
    assert_null(es_server_create(NULL));
    const es_server_loop loops[] = {{.tick_rate = {50, 0}}, {.tick_rate = {1000001, 1}},
            {.tick_rate = {0, 1}}, {.catch_up_max_ns = -1}};
    es_server *server = new_server(1);
    for_rows (i, loops) {
        assert_int_equal(es_server_add(server, &loops[i]), -1);
    }
    assert_int_equal(es_server_add(server, NULL), 0);
    assert_int_equal(es_server_get_status(server, 0).tick_rate.numerator, 60);
    assert_int_equal(es_server_add(server, NULL), -1); /* full */
    assert_false(es_server_set_rate(server, 0, (es_rate){0, 0}));
    assert_false(es_server_set_rate(server, 1, (es_rate){60, 1}));
    assert_true(es_server_remove(server, 0));
    assert_false(es_server_remove(server, 0));
    assert_false(es_server_set_paused(server, 0, true));
    assert_int_equal(es_server_add(server, NULL), 0);
    assert_int_equal(es_server_get_status(server, 7).tick_rate.numerator, 0);
    es_server_destroy(server);
    es_server_tick tick;
    assert_false(es_server_next(NULL, 0, &tick) || es_server_remove(NULL, 0));
    assert_true(es_server_due_ns(NULL) == INT64_MAX && es_server_add(NULL, NULL) == -1);
}

/* A clock that cannot wait, or that stands still while it waits. */
TEST(a_clock_need_not_wait)
{
    es_server_tick tick;
    es_clock clock = es_manual_clock_get(&manual);
    clock.wait_until = NULL;
    es_server_config config = {.loops_max = 1, .slack_ns = 1, .gap_ns = 2 * S, .clock = clock};
    es_server *server = es_server_create(&config);
    assert_int_equal(add(server, es_hz(1)), 0);
    assert_true(es_server_next(server, INT64_MAX, &tick));
    assert_false(es_server_next(server, INT64_MAX, &tick));
    manual.now_ns += 3 * S / 2; /* less than its gap */
    assert_true(es_server_next(server, INT64_MAX, &tick));
    assert_int_equal(tick.gap.kind, ES_GAP_NONE);
    es_server_destroy(server);
    config.clock = (es_clock){0}; /* the system's */
    server = es_server_create(&config);
    assert_int_equal(add(server, es_hz(1000)), 0);
    assert_true(es_server_next(server, INT64_MAX, &tick));
    assert_true(es_server_next(server, INT64_MAX, &tick));
    assert_int_equal(tick.step.index, 2);
    es_server_destroy(server);
}

/* Each tick of ten years at slow rates; at fast ones the first and last minutes. A pause lies
 * between, which moves no tick off its times. */
TEST(no_rate_drifts_in_ten_years)
{
    static const es_rate rates[] = {{1, 3600}, {1001, 3600000}, {7, 30000}, {20, 1}, {60, 1},
            {60000, 1001}, {128, 1}, {999999937, 7812500}};
    for_rows (i, rates) {
        es_server *server = new_server(1);
        es_server_tick tick;
        es_rate rate = rates[i];
        int32_t loop = add(server, rate);
        const int64_t start_ns = 5 * S - exact_ns(rate, 1), end_ns = 5 * S + 10 * YEAR_S * S;
        for (int64_t ticks = 1, slot = 1; manual.now_ns < end_ns; ++ticks, ++slot) {
            assert_true(es_server_next(server, INT64_MAX, &tick));
            assert_int_equal(tick.step.index, ticks);
            assert_int_equal(tick.step.time_ns, exact_ns(rate, ticks));
            assert_int_equal(tick.step.dt_ns, exact_ns(rate, ticks) - exact_ns(rate, ticks - 1));
            assert_int_equal(tick.step.due_ns, start_ns + exact_ns(rate, slot));
            assert_int_equal(tick.late_ns + tick.dropped + (int64_t)tick.gap.kind, 0);
            if (i > 2 && ticks == 5000) {
                assert_true(es_server_set_paused(server, loop, true));
                manual.now_ns = end_ns - 300 * S;
                assert_true(es_server_set_paused(server, loop, false));
                slot = es__rate_ns_to_events(rate, manual.now_ns - start_ns) - 1;
                assert_true(start_ns + exact_ns(rate, slot) < manual.now_ns);
            }
        }
        es_server_destroy(server);
    }
}

/* The first ticks of n loops of one rate lie within a period; the longest distance is below three
 * times the shortest, and below 2.2 times the mean. */
TEST(phases_are_spread)
{
    for (int32_t n = 2; n <= 400; n += 7) {
        double times[400];
        es_server *server = new_server(n);
        es_server_tick tick;
        for (int32_t i = 0; i < n; ++i) {
            assert_int_equal(add(server, es_hz(50)), i);
        }
        for (int32_t i = 0; i < n; ++i) {
            assert_true(es_server_next(server, INT64_MAX, &tick));
            assert_int_equal(tick.step.index, 1);
            times[i] = (double)(tick.step.due_ns - 5 * S);
            assert_true(times[i] >= (i > 0 ? times[i - 1] : 0.0) && times[i] < 20e6);
        }
        double longest = times[0] + 20e6 - times[n - 1], shortest = longest;
        for (int32_t i = 1; i < n; ++i) {
            longest = es__max_f64(longest, times[i] - times[i - 1]);
            shortest = es__min_f64(shortest, times[i] - times[i - 1]);
        }
        assert_true(longest < 2.7 * shortest && longest < 2.2 * 20e6 / n);
        es_server_destroy(server);
    }
}

/* Loops come, go, pause and change their rate at random, also in their own ticks: next returns the
 * one that a search finds. */
TEST(the_earliest_runs_first)
{
    enum { LOOPS = 60 };
    es_server *server = new_server(LOOPS);
    es_server_tick tick;
    uint64_t seed = 7;
    for (int32_t i = 0; i < LOOPS; ++i) {
        add(server, es_hz(20 + i));
    }
    for (int32_t n = 0; n < 200000; ++n) {
        int32_t first = -1;
        int64_t key_ns = INT64_MAX;
        int64_t now_ns = server->gap.time_ns + manual.now_ns - server->gap.clock_ns;
        for (int32_t i = 0; i < LOOPS; ++i) {
            const es__server_loop *loop = &server->loops[i];
            int64_t own_ns = server->places[i] < 0 ? INT64_MAX : loop->due_ns;
            if (own_ns != INT64_MAX && i != server->running) {
                own_ns = server->heap[server->places[i]].key_ns;
            } else if (own_ns != INT64_MAX
                       && now_ns - server->begun_ns > es__rate_period_ns(loop->rate)) {
                own_ns = es__max(own_ns, now_ns);
            }
            first = own_ns < key_ns ? i : first;
            key_ns = es__min(own_ns, key_ns);
        }
        assert_true(es_server_next(server, INT64_MAX, &tick));
        assert_int_equal(tick.loop, first);
        assert_true(tick.late_ns >= 0);
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        int32_t other = (int32_t)(seed >> 33) % LOOPS;
        switch (seed >> 60) {
        case 0:
            es_server_set_paused(server, other, true);
            break;
        case 1:
            es_server_set_paused(server, tick.loop, true);
            break;
        case 2:
        case 3:
            es_server_set_paused(server, other, false);
            break;
        case 4:
            es_server_remove(server, other);
            break;
        case 5:
            es_server_remove(server, tick.loop);
            break;
        case 6:
        case 7:
        case 8:
            add(server, es_hz(20 + other));
            break;
        case 9:
            es_server_set_rate(server, other, es_hz(20 + n % 50));
            break;
        case 10:
            es_server_set_rate(server, tick.loop, es_hz(20 + n % 50));
            break;
        default:
            break;
        }
        if (server->count == 0) {
            add(server, es_hz(30));
        }
        es_manual_clock_work(&manual, (int64_t)(seed >> 40 & 0xfffff) * (n % 64 == 0 ? 40 : 1));
    }
    es_server_destroy(server);
}

/* One tick of 100 ms among 200 loops: each other loop is late once by up to 100 ms, and from 10 ms
 * after its end on no tick is late. */
TEST(a_long_tick_delays_others_once)
{
    es_server *server = new_server(200);
    es_server_tick tick;
    int32_t delayed[200] = {0};
    int64_t end_ns = INT64_MAX, worst_ns = 0;
    for (int32_t i = 0; i < 200; ++i) {
        add(server, es_hz(20 + i % 100));
    }
    while (manual.now_ns < 9 * S && es_server_next(server, INT64_MAX, &tick)) {
        bool is_long = tick.loop == 77 && end_ns == INT64_MAX && manual.now_ns > 7 * S;
        assert_int_equal(tick.dropped, 0);
        worst_ns = es__max(worst_ns, tick.late_ns);
        delayed[tick.loop] += tick.late_ns > 50 * MS;
        assert_true(tick.late_ns < 100 * US || tick.step.begun_ns < es__ns_add(end_ns, 10 * MS));
        es_manual_clock_work(&manual, is_long ? 100 * MS : US);
        end_ns = is_long ? manual.now_ns : end_ns;
    }
    assert_true(worst_ns > 90 * MS && worst_ns <= 100 * MS);
    for (int32_t i = 0; i < 200; ++i) {
        assert_in_range(delayed[i], 0, 1 + 100 * (20 + i % 100) / 1000);
        /* nothing is lost */
        es_server_status status = es_server_get_status(server, i);
        assert_int_equal(status.dropped, 0);
        assert_in_range(status.tick, 4 * (20 + i % 100) - 1, 4 * (20 + i % 100) + 1);
    }
    es_server_destroy(server);
}

/* A loop whose ticks take longer than their period delays the others by one of its ticks at most,
 * and stays behind by catch_up_max_ns at most. */
TEST(an_overloaded_loop_leaves_the_others_time)
{
    es_server *server = new_server(10);
    es_server_tick tick;
    int64_t worst_ns = 0, dropped = 0, slow = 0;
    for (int32_t i = 0; i < 10; ++i) {
        add(server, es_hz(50));
    }
    while (manual.now_ns < 25 * S && es_server_next(server, INT64_MAX, &tick)) {
        bool overloaded = tick.loop == 3;
        assert_true(tick.late_ns <= 250 * MS);
        worst_ns = overloaded ? worst_ns : es__max(worst_ns, tick.late_ns);
        dropped += tick.dropped;
        slow += overloaded;
        assert_true(overloaded || tick.dropped == 0);
        es_manual_clock_work(&manual, overloaded ? 25 * MS : 10 * US);
    }
    assert_in_range(worst_ns, 20 * MS, 26 * MS);
    assert_int_equal(es_server_get_status(server, 3).dropped, dropped);
    assert_in_range(slow + dropped, 20 * 50 - 15, 20 * 50);
    assert_in_range(slow, 780, 800);
    es_server_destroy(server);
}

/* What is too late does not run, and later ticks keep their times. */
TEST(late_ticks_are_dropped_by_whole_periods)
{
    static const struct {
        int64_t max_ns, work_ns, dropped, late_ns;
    } rows[] = {/* ticks every 10 ms; the work begins with one */
            {0, 250 * MS, 0, 240 * MS}, {0, 260 * MS, 0, 250 * MS}, {0, 261 * MS, 1, 241 * MS},
            {1, 9 * MS, 0, 0}, {1, 19 * MS, 0, 9 * MS}, {1, 20 * MS, 1, 0}, {1, 35 * MS, 2, 5 * MS},
            {50 * MS, 60 * MS, 0, 50 * MS}, {50 * MS, 60 * MS + 1, 1, 40 * MS + 1},
            {25 * MS, 900 * MS, 87, 20 * MS}, {25 * MS, 5 * S, 497, 20 * MS}};
    for_rows (i, rows) {
        es_server *server = new_server(1);
        const es_server_loop config = {.tick_rate = {100, 1}, .catch_up_max_ns = rows[i].max_ns};
        es_server_tick tick;
        es_server_add(server, &config);
        assert_true(es_server_next(server, INT64_MAX, &tick));
        es_manual_clock_work(&manual, rows[i].work_ns);
        assert_true(es_server_next(server, INT64_MAX, &tick));
        assert_int_equal(tick.dropped, rows[i].dropped);
        assert_int_equal(tick.late_ns, rows[i].late_ns);
        assert_int_equal(tick.step.index, 2);
        assert_int_equal(tick.step.time_ns, 20 * MS);
        assert_int_equal(tick.step.due_ns, 5 * S + (1 + rows[i].dropped) * 10 * MS);
        es_server_destroy(server);
    }
}

/* A paused loop neither ticks nor catches up; its ticks stay on the same times. */
TEST(a_pause_is_not_caught_up)
{
    es_server *server = new_server(2);
    es_server_tick tick;
    int32_t loop = add(server, es_hz(100));
    for (int32_t i = 0; i < 3; ++i) {
        assert_true(es_server_next(server, INT64_MAX, &tick));
    }
    assert_true(es_server_set_paused(server, loop, true));
    assert_true(es_server_get_status(server, loop).paused);
    assert_false(es_server_next(server, INT64_MAX, &tick)); /* no loop runs */
    assert_int_equal(es_server_due_ns(server), INT64_MAX);
    assert_int_equal(manual.now_ns, 5 * S + 20 * MS);
    assert_false(es_server_next(server, 6 * S + 3 * MS, &tick));
    assert_int_equal(manual.now_ns, 6 * S + 3 * MS);
    assert_true(es_server_set_paused(server, loop, false));
    assert_true(es_server_set_paused(server, loop, false)); /* changes nothing */
    assert_int_equal(es_server_due_ns(server), 6 * S + 10 * MS);
    assert_true(es_server_next(server, INT64_MAX, &tick));
    assert_int_equal(tick.step.index, 4);
    assert_int_equal(tick.step.time_ns, 40 * MS);
    assert_int_equal(tick.late_ns + tick.dropped, 0);
    /* in its own tick, and back: it goes on as if nothing had happened */
    assert_true(es_server_set_paused(server, loop, true));
    assert_true(es_server_set_paused(server, loop, false));
    assert_true(es_server_next(server, INT64_MAX, &tick));
    assert_int_equal(tick.step.due_ns, 6 * S + 20 * MS);
    /* paused twice, and removed: others tick */
    assert_true(es_server_set_paused(server, loop, true));
    assert_true(es_server_set_paused(server, loop, true));
    assert_true(es_server_remove(server, loop));
    assert_int_equal(add(server, es_hz(100)), loop);
    assert_true(es_server_next(server, INT64_MAX, &tick));
    assert_int_equal(tick.step.index, 1);
    es_server_destroy(server);
}

/* A suspend, a stopped thread, and a clock that steps back or stands still: nothing is caught up,
 * and no figure has it. A long tick that worked is no gap. */
TEST(gaps_are_not_caught_up)
{
    static const struct {
        int64_t clock_ns, suspended_ns, cpu_ns;
        es_gap_kind kind;
        int64_t late_ns;
    } rows[] = {{8 * S, 8 * S, 0, ES_GAP_SUSPENDED, 0}, {0, 60 * S, 0, ES_GAP_SUSPENDED, 0},
            {3 * S, 0, 0, ES_GAP_STOPPED, 0}, {-7 * S, 0, 0, ES_GAP_CLOCK_BACK, 0},
            {900 * MS, 0, 900 * MS, ES_GAP_NONE, 250 * MS},
            {2 * S, 0, 2 * S, ES_GAP_NONE, 250 * MS}};
    for_rows (i, rows) {
        es_server *server = new_server(1);
        const es_server_loop config = {.tick_rate = {100, 1}};
        es_server_tick tick;
        es_server_add(server, &config);
        for (int32_t n = 0; n < 20; ++n) {
            assert_true(es_server_next(server, INT64_MAX, &tick));
        }
        manual.now_ns += rows[i].clock_ns;
        manual.suspended_ns += rows[i].suspended_ns;
        manual.cpu_ns += rows[i].cpu_ns;
        assert_true(es_server_next(server, INT64_MAX, &tick));
        for (int32_t n = 0; n < 10 && tick.gap.kind == ES_GAP_NONE && rows[i].kind != ES_GAP_NONE;
                ++n) { /* a suspend that the clock left out is seen within 50 ms */
            assert_true(es_server_next(server, INT64_MAX, &tick));
        }
        assert_int_equal(tick.gap.kind, rows[i].kind);
        assert_in_range(tick.late_ns, es__max(rows[i].late_ns - 10 * MS, 0), rows[i].late_ns);
        assert_int_equal(es_server_get_status(server, 0).late_ns, tick.late_ns);
        assert_int_equal(tick.dropped > 0, rows[i].kind == ES_GAP_NONE);
        es_server_destroy(server);
    }
}

/* Without a loop, or with paused ones alone, no leap of the clock makes a tick; loops then tick. */
TEST(no_leap_makes_a_tick_without_a_loop)
{
    static const int64_t leaps[] = {-4251728147889910487, 8133003426679256309, INT64_MAX, INT64_MIN,
            INT64_MAX, INT64_MIN, 0, INT64_MAX / 2};
    for (int paused = 0; paused < 2; ++paused) {
        manual = (es_manual_clock){.now_ns = leaps[0]};
        es_server *server = server_with(2, 0);
        es_server_tick tick;
        int32_t loop = paused ? add(server, (es_rate){60, 1}) : -1;
        es_server_set_paused(server, loop, true);
        for_rows (i, leaps) {
            manual.now_ns = leaps[i];
            assert_false(es_server_next(server, leaps[i], &tick));
            assert_false(es_server_next(server, INT64_MAX, &tick));
        }
        loop = paused ? loop : add(server, (es_rate){60, 1});
        es_server_set_paused(server, loop, false);
        int64_t until_ns = manual.now_ns + S;
        int ticks = 0;
        while (es_server_next(server, until_ns, &tick) && ticks < 100) {
            ticks += 1;
        }
        assert_in_range(ticks, 60, 61);
        es_server_destroy(server);
    }
}

/* A host that waits for sockets may do so until the next tick, however far that is. A time that has
 * passed bounds the ticks, also where the loops are always behind. */
TEST(a_host_waits_by_itself)
{
    es_server *server = new_server(2);
    es_server_tick tick;
    assert_false(es_server_next(server, manual.now_ns, &tick));
    manual.now_ns += 100 * S; /* without a loop nothing can be missed */
    int32_t loop = add(server, (es_rate){1, 100});
    assert_true(es_server_next(server, manual.now_ns, &tick));
    assert_false(es_server_next(server, manual.now_ns, &tick));
    assert_int_equal(es_server_due_ns(server), 205 * S);
    manual.now_ns = 205 * S;
    assert_true(es_server_next(server, manual.now_ns, &tick));
    assert_int_equal(tick.gap.kind, ES_GAP_NONE);
    assert_int_equal(tick.late_ns, 0);
    es_server_remove(server, loop);
    add(server, es_hz(100));
    int64_t until_ns = manual.now_ns + 20 * MS;
    int32_t ticks = 0;
    for (; ticks < 10 && es_server_next(server, until_ns, &tick); ++ticks) {
        es_manual_clock_work(&manual, 12 * MS);
    }
    assert_in_range(ticks, 1, 3);
    es_server_destroy(server);
}

static int64_t count_reading(void *readings)
{
    *(int *)readings += 1;
    return es_now_ns();
}

/* By the machine's own call, not by reading the clock again and again. 1 ns of slack is not the default. */
TEST(the_thread_sleeps_until_a_tick)
{
    int readings = 0;
    es_server_config config = {.loops_max = 1, .slack_ns = 1};
    if (!es_clock_system(&config.clock)) {
        skip();
    }
    config.clock.now_ns = count_reading;
    config.clock.user = &readings;
    es_server *server = es_server_create(&config);
    es_server_tick tick;
    assert_int_equal(server->slack_ns, 1);
    assert_int_equal(add(server, es_hz(50)), 0);
    int64_t begin_ns = es_now_ns();
    for (int i = 0; i < 2; ++i) {
        assert_true(es_server_next(server, INT64_MAX, &tick));
    }
    assert_true(es_now_ns() - begin_ns >= 15 * MS);
    assert_true(readings < 20);
    es_server_destroy(server);
}

TEST(a_rate_changes_at_the_last_tick)
{
    es_server *server = new_server(1);
    es_server_tick tick;
    int32_t loop = add(server, es_hz(100));
    for (int32_t i = 0; i < 5; ++i) {
        assert_true(es_server_next(server, INT64_MAX, &tick));
    }
    manual.now_ns += 5 * MS;
    assert_true(es_server_set_rate(server, loop, es_hz(30)));
    for (int32_t i = 1; i < 10; ++i) {
        assert_true(es_server_next(server, INT64_MAX, &tick));
        assert_int_equal(tick.step.index, 5 + i);
        assert_int_equal(tick.step.time_ns, 50 * MS + exact_ns(es_hz(30), i));
        assert_int_equal(tick.step.due_ns, 5 * S + 40 * MS + exact_ns(es_hz(30), i));
        assert_int_equal(tick.late_ns, 0);
    }
    es_server_destroy(server);
}

/* Slices of the work of three ticks: one begins late, one lasts long. */
TEST(the_status_counts_lateness_and_work)
{
    static const int64_t works_ns[] = {2 * MS, 13 * MS, MS};
    es_server *server = new_server(1);
    es_server_tick tick;
    int32_t loop = add(server, es_hz(100));
    for_rows (i, works_ns) {
        assert_true(es_server_next(server, INT64_MAX, &tick));
        es_manual_clock_work(&manual, works_ns[i]);
    }
    assert_false(es_server_next(server, manual.now_ns, &tick));
    es_server_status status = es_server_get_status(server, loop);
    assert_int_equal(status.tick, 3);
    assert_int_equal(status.late_ns, 3 * MS);
    assert_int_equal(status.late_max_ns, 3 * MS);
    assert_int_equal(status.busy_ns, 16 * MS);
    assert_int_equal(status.busy_max_ns, 13 * MS);
    es_server_destroy(server);
}
