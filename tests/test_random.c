/* SPDX-License-Identifier: Zlib
 *
 * Random frames through the whole loop, a million under each named loop, five million under random
 * combinations of all settings: random costs, stalls, gaps, clock faults, pauses, scales, steps, seeks,
 * rates, delays, hosts. How much time a frame may get: test_game_time.c. What must hold at each frame, to the
 * nanosecond: ticks come once and in order, at their exact times where they are of one length;
 * content never goes back but by a seek; the two ticks bracket it, alpha in the interval that the
 * loop promises; the lead has run, or content waits for it; no more ticks than the bound; and where
 * every nanosecond went is in the account.
 */
#include "frame_support.h"

#include "manual_clock.h"

enum {
    RUNS_MIXED = TEST_SANITIZED ? 40 : 500,
    RUNS_NAMED = TEST_SANITIZED ? 4 : 70,
    FRAMES_PER_RUN = 10000
};

typedef struct chaos {
    test_random random;
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;
    bool host;
    int64_t host_ns;
    int64_t refresh_ns; /* present waits for the next refresh; 0: it takes its time */
    int64_t first_present_ns;
    bool first;
    bool given_up; /* the frame before was */
    bool changed;  /* became another loop since: content may have leapt to a tick */
    bool any;      /* may become another loop on the way */
    int64_t tick;
    int64_t tick_ns;
    int64_t times_ns[64]; /* of the last ticks */
    int64_t first_tick;   /* 0, or where a seek led */
    es_rate rate;
    int64_t base_tick; /* since the last change of rate */
    int64_t base_ns;
    int64_t content_ns;
    int64_t cost_ns; /* typical cost of this run */
    es_loop_config config;
    es_account before;
} chaos;

static es_rate random_rate(chaos *c)
{
    const es_rate rates[] = {es_hz(60), es__rate_make(60000, 1001), es_hz(5), es_hz(240),
            es_hz(1000), es__rate_make(999983, 7919), es__rate_make(1, 3)};
    return rates[random_below(&c->random, 7)];
}

static bool is_fixed(const chaos *c)
{
    return c->config.step == ES_STEP_FIXED;
}

/* Bounds, intervals and a delay, where the kind of loop has them. */
static void vary(chaos *c)
{
    es_loop_config *config = &c->config;
    c->rate = random_rate(c);
    config->tick_rate = c->rate;
    if (config->pace < ES_PACE_PRESENT || chance(&c->random, 2)) {
        config->interval_ns = MS + random_below(&c->random, 40 * MS);
    }
    if (config->pace <= ES_PACE_ADAPTIVE && chance(&c->random, 2)) {
        config->interval_min_ns = config->interval_ns / 2;
    }
    if (is_fixed(c)) {
        config->ticks_max = (int32_t)random_below(&c->random, 12);
        config->catch_up_max_ns = chance(&c->random, 2) ? 0 : 1 + random_below(&c->random, 2 * S);
        config->delay_ticks = chance(&c->random, 2) ? (double)random_below(&c->random, 4)
                              : chance(&c->random, 2)
                                      ? (double)random_below(&c->random, 250) / 100.0
                                      : config->delay_ticks;
        config->lead_ticks = chance(&c->random, 2) ? 0 : (int32_t)random_below(&c->random, 6) - 1;
    }
}

static void any_config(chaos *c)
{
    c->config.step = (es_step_kind)random_below(&c->random, 3);
    int64_t paces = c->config.step == ES_STEP_LOCKSTEP ? 4 : 5;
    c->config.pace = (es_pace)random_below(&c->random, paces);
    if (paces == 4 && c->config.pace == ES_PACE_PRESENT) {
        c->config.pace = ES_PACE_UNCAPPED;
    }
    if (c->config.pace == ES_PACE_AUTO || c->config.pace == ES_PACE_PRESENT) {
        int64_t period_ns = chance(&c->random, 2) ? 0 : random_below(&c->random, 40 * MS);
        c->config.refresh = es__rate_from_period_ns(period_ns);
    }
    c->config.low_latency = c->config.pace == ES_PACE_AUTO && chance(&c->random, 3);
    if (is_fixed(c)) {
        c->config.catch_up = (es_catch_up)random_below(&c->random, 5);
        c->config.alpha_below_one = chance(&c->random, 2);
    } else if (c->config.step == ES_STEP_VARIABLE && chance(&c->random, 2)) {
        c->config.catch_up = ES_CATCH_UP_WAIT;
    }
}

/* name: of a loop, NULL: any combination. */
static void start(chaos *c, uint64_t seed, const char *name)
{
    memset(c, 0, sizeof *c);
    c->random.state = 1 + seed * UINT64_C(0x9e3779b97f4a7c15);
    if (name == NULL) {
        c->any = true;
        any_config(c);
    } else {
        assert_true(es_loop_preset(name, &c->config));
    }
    vary(c);
    c->config.clock = es_manual_clock_get(&c->clock);
    c->host = chance(&c->random, 3);
    c->refresh_ns = chance(&c->random, 2) ? 0 : 4 * MS + random_below(&c->random, 20 * MS);
    c->first = true;
    c->cost_ns = random_below(&c->random, 10 * MS);
    c->clock.now_ns = random_magnitude(&c->random) / 4;
    c->host_ns = c->clock.now_ns;
    es__error error;
    if (es__loop_init(&c->loop, &c->config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
}

/* Becomes any other loop; the ticks go on. */
static void change_loop(chaos *c)
{
    es_rate rate = c->config.tick_rate;
    es_loop_config before = c->config;
    es__error error;
    memset(&c->config, 0, sizeof c->config);
    any_config(c);
    vary(c);
    c->config.clock = before.clock;
    if (chance(&c->random, 2)) {
        c->config.tick_rate = rate;
    }
    c->rate = es__loop_tick_rate(&c->loop);
    c->changed = true;
    if (es__loop_reconfigure(&c->loop, &c->config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
    rate = c->config.tick_rate;
    if (rate.numerator != c->rate.numerator || rate.denominator != c->rate.denominator) {
        c->base_tick = c->tick;
        c->base_ns = c->tick_ns;
    }
    c->rate = rate;
}

/* Things that a person or a machine does between frames. */
static void disturb(chaos *c)
{
    int64_t what = random_below(&c->random, c->any ? 13 : 12);
    switch (what) {
    case 0:
        c->clock.now_ns -= random_below(&c->random, 10 * S);
        break;
    case 1:
        c->clock.now_ns += random_below(&c->random, 3600 * S);
        break;
    case 2:
        c->clock.suspended_ns += random_below(&c->random, 3600 * S);
        break;
    case 3:
        es_loop_set_paused(&c->loop, !es__loop_is_paused(&c->loop));
        break;
    case 4: {
        es__ratio scale = {(uint32_t)random_below(&c->random, chance(&c->random, 4) ? 400 : 9),
                1 + (uint32_t)random_below(&c->random, 7)};
        assert_int_equal(es__loop_set_scale(&c->loop, scale), ES_OK);
        break;
    }
    case 5: {
        es_rate before = c->rate;
        c->rate = random_rate(c);
        assert_int_equal(set_tick_rate(&c->loop, c->rate), ES_OK);
        if (!es__is_same_rate(before, c->rate)) {
            c->base_tick = c->tick;
            c->base_ns = c->tick_ns;
        }
        break;
    }
    case 6: {
        int64_t tick = c->base_tick + random_below(&c->random, 1000000);
        assert_true(es_loop_seek(&c->loop, tick));
        c->tick = tick;
        c->tick_ns = c->base_ns + es_rate_time_ns(c->rate, tick - c->base_tick);
        c->content_ns = c->tick_ns;
        c->times_ns[tick % 64] = c->tick_ns;
        c->first_tick = tick;
        break;
    }
    case 7:
        assert_true(es_loop_resync(&c->loop));
        break;
    case 8: {
        es_loop_config config = es_loop_get_config(&c->loop);
        config.interval_ns = MS + random_below(&c->random, 40 * MS);
        config.interval_min_ns = 0;
        assert_int_equal(es__loop_reconfigure(&c->loop, &config, NULL), ES_OK);
        break;
    }
    case 9:
    case 11: {
        es_loop_config config = es_loop_get_config(&c->loop);
        if (what == 9) {
            config.catch_up = (es_catch_up)random_below(&c->random, 5);
        } else {
            config.lead_ticks = (int32_t)random_below(&c->random, 6) - 1;
        }
        if (es__loop_reconfigure(&c->loop, &config, NULL) == ES_OK) {
            c->config.catch_up = config.catch_up;
            c->config.lead_ticks = config.lead_ticks;
        } else {
            assert_false(is_fixed(c));
        }
        break;
    }
    case 12:
        change_loop(c);
        break;
    default:
        es_loop_set_paused(&c->loop, true);
        es_loop_tick_once(&c->loop);
        break;
    }
}

static void begin(chaos *c)
{
    if (c->host) {
        c->host_ns += random_below(&c->random, 40 * MS);
        int64_t expected_ns =
                chance(&c->random, 3) ? 0 : c->host_ns + random_below(&c->random, 50 * MS);
        while (!es__loop_begin_host(&c->loop, c->host_ns, expected_ns)) { /* over a cap */
            assert_true(c->config.interval_ns > 0);
            c->host_ns += random_below(&c->random, 40 * MS);
        }
    } else {
        assert_true(es_loop_begin(&c->loop));
    }
}

/* A step of the usual length has its exact time; any other is where the later ones count from. */
static void check_step(chaos *c, const es_step *step)
{
    int64_t exact_ns = c->base_ns + es_rate_time_ns(c->rate, step->index - c->base_tick);
    bool variable = c->config.step == ES_STEP_VARIABLE;
    if (variable || step->time_ns != exact_ns) {
        assert_true(variable || c->config.catch_up == ES_CATCH_UP_STRETCH);
        assert_true(step->dt_s == (double)step->dt_ns / 1e9);
        c->base_tick = step->index;
        c->base_ns = step->time_ns;
    } else {
        assert_true(step->dt_s == es__rate_period_s(c->rate));
    }
    assert_int_equal(step->dt_ns, step->time_ns - c->tick_ns);
    assert_true(step->dt_ns > 0);
}

static void run_ticks(chaos *c)
{
    es_step step;
    int32_t ticks = 0;
    while (!chance(&c->random, 500)
            && es_loop_tick(&c->loop, &step)) { /* now and then it leaves early */
        c->tick += 1;
        assert_int_equal(step.index, c->tick);
        assert_int_equal(step.in_frame, ticks);
        check_step(c, &step);
        c->tick_ns = step.time_ns;
        c->times_ns[step.index % 64] = step.time_ns;
        ticks += 1;
        es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns / 2 + 1));
    }
    assert_true(c->config.ticks_max == 0 || ticks <= c->config.ticks_max);
    assert_true(c->config.step != ES_STEP_VARIABLE || ticks <= 1);
}

/* The pair is of ticks that have run, and so are those beyond it. Where they have not, because of a
 * bound or because the program left early, content has not moved. */
static void check_lead(const chaos *c)
{
    const es_frame *frame = &c->frame;
    int64_t lead = c->config.lead_ticks;
    int64_t beyond = frame->newest_tick - frame->current_tick;
    bool waits = frame->content_ns == c->content_ns || frame->current_tick == c->first_tick;
    assert_int_equal(frame->newest_tick, c->tick);
    assert_int_equal(frame->newest_ns, c->tick_ns);
    assert_int_equal(frame->current_ns, c->times_ns[frame->current_tick % 64]);
    assert_int_equal(frame->previous_ns, c->times_ns[frame->previous_tick % 64]);
    assert_int_equal(frame->previous_tick,
            frame->current_tick - (frame->current_tick > c->first_tick ? 1 : 0));
    assert_true(beyond >= 0 && beyond <= ES__LEAD_MAX);
    assert_true(frame->ticks == 0 || beyond <= (lead > 0 ? lead : 0));
    int64_t ahead_ns = frame->content_ns - frame->newest_ns;
    assert_int_equal(frame->ahead_ns, ahead_ns > 0 ? ahead_ns : 0);
    assert_true(ahead_ns <= 0 || beyond == 0);
    if (!c->given_up && !c->changed) {
        assert_true(beyond >= lead || waits);
        int64_t most_ns = lead < 0 ? es__rate_period_ns(c->rate) + 1 : 0;
        assert_true(frame->ahead_ns <= most_ns || frame->content_ns == c->content_ns);
    }
}

static void check(chaos *c)
{
    const es_frame *frame = &c->frame;
    const es_account *a = &frame->account;
    if (c->first) {
        c->first_present_ns = frame->present_ns;
        c->first = false;
    }
    assert_true(frame->content_ns >= c->content_ns);
    bool stands = c->any && frame->content_ns == c->content_ns; /* as before a change of loop */
    bool at_previous =
            frame->previous_ns == frame->content_ns && (c->config.alpha_below_one || stands);
    assert_true(frame->alpha >= 0.0 && frame->alpha <= 1.0);
    bool host_follows =
            c->loop.frame.host && c->loop.frame.uses_display; /* docs/notes/display-timing.md */
    assert_true(frame->alpha > 0.0 || at_previous || c->config.alpha_below_one || host_follows);
    bool past = c->config.lead_ticks < 0 && frame->current_tick == frame->newest_tick;
    assert_true(frame->alpha < 1.0 || !c->config.alpha_below_one || past);
    check_lead(c);
    assert_true(frame->content_ns <= frame->current_ns || frame->ahead_ns > 0);
    assert_true(frame->previous_ns < frame->content_ns || frame->previous_ns == frame->current_ns
                || at_previous || host_follows);
    if (!c->given_up) {
        assert_int_equal(frame->account.frame_dropped_ns, a->dropped_ns - c->before.dropped_ns);
        assert_int_equal(
                frame->account.frame_slow_motion_ns, a->slow_motion_ns - c->before.slow_motion_ns);
        assert_int_equal(
                frame->account.frame_stretched_ns, a->stretched_ns - c->before.stretched_ns);
    }
    assert_true(frame->account.frame_dropped_ns >= 0 && frame->account.frame_stretched_ns >= 0);
    c->before = *a;
    assert_account_adds_up(frame, c->first_present_ns);
    c->content_ns = frame->content_ns;
    c->changed = false;
}

/* On a display it returns after the next refresh. Feedback is reported, and sometimes true. */
static void present(chaos *c)
{
    int64_t took_ns = random_below(&c->random, chance(&c->random, 300) ? 5 * S : 5 * MS);
    if (c->refresh_ns > 0 && !chance(&c->random, 300)) {
        int64_t past_ns = c->clock.now_ns % c->refresh_ns;
        took_ns = c->refresh_ns - (past_ns < 0 ? past_ns + c->refresh_ns : past_ns);
        took_ns += random_below(&c->random, MS / 10);
    }
    c->clock.now_ns += took_ns;
    if (c->any && chance(&c->random, 20)) {
        es_present sample = {0};
        sample.frame = c->frame.index - random_below(&c->random, 40);
        sample.shown_ns =
                c->clock.now_ns - random_below(&c->random, chance(&c->random, 2) ? S : MS);
        sample.discarded = chance(&c->random, 10);
        sample.variable = chance(&c->random, 10);
        es_loop_presented(&c->loop, &sample);
    }
}

static void run_frame(chaos *c)
{
    bool disturbed =
            !c->given_up && chance(&c->random, 100); /* else its ticks still count as running */
    if (disturbed) {
        disturb(c);
    }
    bool stands = es__loop_is_paused(&c->loop) && c->loop.requests.single_steps == 0 && !disturbed;
    begin(c);
    if (chance(&c->random, 200)) {
        disturb(c); /* before the first tick it may */
        stands = false;
    }
    run_ticks(c);
    if (!c->first && chance(&c->random, 300)) {
        c->given_up = true;
        return; /* a frame that is given up */
    }
    c->clock.wake_late_ns = random_below(&c->random, 200000);
    assert_true(es_loop_wait(&c->loop, &c->frame));
    assert_true(!stands || c->given_up || c->frame.content_ns == c->content_ns);
    check(c);
    c->given_up = false;
    es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns + 1));
    if (chance(&c->random, 500)) {
        es_manual_clock_work(&c->clock, random_below(&c->random, 3 * S));
    }
    es_loop_submit(&c->loop);
    present(c);
    assert_true(es_loop_end(&c->loop));
}

static void run(chaos *c, int runs, const char *name)
{
    for (int i = 0; i < runs; ++i) {
        start(c, (uint64_t)i, name);
        for (int frame = 0; frame < FRAMES_PER_RUN; ++frame) {
            run_frame(c);
        }
    }
}

TEST(any_combination)
{
    static chaos c;
    run(&c, RUNS_MIXED, NULL);
}

TEST(every_named_loop)
{
    static chaos c;
    for (size_t i = 0; loop_name(i) != NULL; ++i) {
        run(&c, RUNS_NAMED, loop_name(i));
    }
}
