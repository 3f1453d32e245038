/* SPDX-License-Identifier: Zlib
 *
 * How many ticks the history of a rate group needs. With as many as es_rates_history_ticks says,
 * every frame of a loop has its pair. With fewer, es_blend_frame never shows another pair. The
 * state is the time of its tick, so the blended state must be the instant of the content.
 */
#include "schedule/schedule.h"

#include "loop/loop.h"
#include "manual_clock.h"
#include "test_support.h"

#include "world/field.h"

enum { FRAMES = 20000, BASE = 60 };

static const es_field time_field[] = {
        {"time", ES_TYPE_F64, ES_BLEND_LINEAR, .count = 1, .stride = sizeof(double)}};
static const es_layout layout = {time_field, 1, sizeof(double)};

static const es_rate_group base_group = {.period = 1};

/* Of frames of a group in a loop. */
typedef struct outcome {
    int64_t right, refused, wrong;
    double worst_s; /* the largest distance from the content */
    int64_t unmatched;
} outcome;

typedef struct rig {
    es_manual_clock clock;
    es_loop loop;
    es_rates rates;
    es_history history;
    unsigned char memory[ES_HISTORY_TICKS_MAX * 64];
    test_random random;
} rig;

static void count_frame(rig *r, const es_frame *frame, outcome *out)
{
    es_frame of;
    double shown_s = -1.0;
    assert_true(es_rates_frame(&r->rates, 0, frame, &of));
    bool past_start = of.previous_tick > 0 && of.ahead_ns == 0;
    out->unmatched += past_start && !es_history_matches(&r->history, &of);
    if (!es_blend_frame(&layout, &r->history, &of, &shown_s)) {
        assert_false(es_history_matches(&r->history, &of));
        out->refused += 1;
        return;
    }
    if (memcmp(&r->rates.groups[0], &base_group, sizeof base_group) == 0
            && frame->current_tick > 0) {
        es_frame own = *frame; /* as frequent as the base: the base */
        assert_memory_equal(&own, &of, sizeof own);
    }
    double off_s = fabs(shown_s - (double)of.content_ns / 1e9);
    if (past_start) {
        out->worst_s = fmax(out->worst_s, off_s);
        out->wrong += off_s > 2e-9; /* a tick's time is rounded to a nanosecond */
        out->right += off_s <= 2e-9;
    }
}

static outcome run(const es_rate_group *group, int32_t lead_ticks, int32_t kept)
{
    static rig r;
    outcome out = {0};
    es_loop_config config = {.tick_rate = {BASE, 1},
            .pace = ES_PACE_ADAPTIVE,
            .interval_ns = ES_NS_PER_S / 73, /* frames come at every phase of a base tick */
            .lead_ticks = lead_ticks};
    memset(&r, 0, sizeof r);
    r.random.state = 7;
    config.clock = es_manual_clock_get(&r.clock);
    assert_int_equal(es__loop_init(&r.loop, &config, NULL), ES_OK);
    assert_int_equal(es__rates_init(&r.rates, group, 1, config.tick_rate, NULL), ES_OK);
    es__history_init(&r.history, r.memory, sizeof(double), kept);
    es_history_reset(&r.history, 0, es__rates_time_ns(&r.rates, 0, 0));
    *(double *)es_history_current(&r.history) = (double)es__rates_time_ns(&r.rates, 0, 0) / 1e9;
    es_history_reset(&r.history, 0, es__rates_time_ns(&r.rates, 0, 0));
    for (int i = 0; i < FRAMES / TEST_SHARE; ++i) {
        es_step step;
        es_frame frame;
        es_loop_begin(&r.loop);
        while (es_loop_tick(&r.loop, &step)) {
            es_rates_run due = {0};
            while (es_rates_next(&r.rates, step.index, &due)) {
                double *time_s = i % 2 == 0 ? es_history_push(&r.history, &due.step)
                                            : es_history_next(&r.history, &due.step);
                *time_s = (double)due.step.time_ns / 1e9;
            }
        }
        es_loop_wait(&r.loop, &frame);
        count_frame(&r, &frame, &out);
        es_manual_clock_work(&r.clock, random_below(&r.random, 14 * MS));
        es_loop_submit(&r.loop);
        es_loop_end(&r.loop);
    }
    return out;
}

typedef struct row {
    es_rate_group group;
    int32_t loop_lead, ticks;
    bool fewer_will_do; /* this loop does not come to the worst case */
} row;

static const row rows[] = {
        {{.period = 1}, 0, 2, true}, /* fewer than 2 there cannot be */
        {{.period = 4, .phase = 3}, 0, 2, true},
        {{.period = 1}, 2, 4, false},
        {{.period = 4}, 2, 3, false},
        {{.period = 2}, 3, 4, false},
        {{.period = 4, .lead_ticks = 1}, 0, 3, false},
        {{.period = 4, .delay_ticks = 2}, 0, 4, false},
        {{.period = 4, .lead_ticks = -1, .delay_ticks = 1}, 0, 3, false},
        {{.rate = {7, 1}}, 0, 3, false},
        {{.rate = {24000, 1001}}, 0, 3, false},
        {{.rate = {25, 1}}, 0, 3, false},
        {{.rate = {59, 1}}, 0, 3, false},
        {{.rate = {60, 1}}, 0, 3, true},
        {{.rate = {91, 1}}, 0, 4, false},
        {{.rate = {119, 1}}, 0, 4, false},
        {{.rate = {199, 1}}, 0, 6, false},
        {{.rate = {25, 1}, .lead_ticks = 1}, 0, 4, false},
        {{.rate = {25, 1}, .delay_ticks = 2}, 0, 5, false},
        {{.rate = {25, 1}, .lead_ticks = -1, .delay_ticks = 1}, 0, 4, true},
        {{.rate = {25, 1}}, 1, 3, false},
        {{.rate = {50, 1}}, 2, 5, false},
        {{.rate = {30, 1}}, 1, 3, true},
};

TEST(a_history_needs_as_many_ticks_as_it_says)
{
    for_rows (i, rows) {
        const row *r = &rows[i];
        es_rates rates;
        assert_int_equal(es__rates_init(&rates, &r->group, 1, es_hz(BASE), NULL), ES_OK);
        assert_int_equal(es_rates_history_ticks(&rates, 0, r->loop_lead), r->ticks);
        outcome enough = run(&r->group, r->loop_lead, r->ticks);
        assert_int_equal(enough.refused, 0);
        assert_int_equal(enough.wrong, 0);
        assert_int_equal(enough.unmatched, 0);
        assert_true(enough.right > FRAMES / TEST_SHARE / 2);
        if (!r->fewer_will_do) { /* frames whose pair is gone are refused, none shows another */
            outcome fewer = run(&r->group, r->loop_lead, r->ticks - 1);
            assert_true(fewer.unmatched > 0);
            assert_true(fewer.refused > 0);
            assert_int_equal(fewer.wrong, 0);
        }
    }
}

TEST(history_ticks_are_right_at_the_limits)
{
    static const es_rate_group groups[] = {{.rate = {1000000000, 1000}}, {.rate = {1, UINT32_MAX}},
            {.period = ES__RATES_PERIOD_MAX}};
    static const struct {
        es_rate base;
        int32_t lead_ticks;
        int32_t ticks[3];
    } cases[] = {
            {{1, 1}, 0, {1000002, 3, 2}},
            {{1, 1}, INT32_MIN, {1000002, 3, 2}},
            {{1, 1}, INT32_MAX, {1001000002, 3, 3}},
            {{1, UINT32_MAX}, 0, {INT32_MAX, 3, 2}},
            {{1000000000, 1000}, 6, {9, 3, 3}},
            {{999999999, UINT32_MAX}, 6, {30064774, 3, 3}},
    };
    for_rows (i, cases) {
        es_rates rates;
        assert_int_equal(es__rates_init(&rates, groups, 3, cases[i].base, NULL), ES_OK);
        for (int32_t g = 0; g < 3; ++g) {
            assert_int_equal(
                    es_rates_history_ticks(&rates, g, cases[i].lead_ticks), cases[i].ticks[g]);
        }
        assert_int_equal(es_rates_history_ticks(&rates, -1, 0), 0);
        assert_int_equal(es_rates_history_ticks(&rates, 3, 0), 0);
    }
}
