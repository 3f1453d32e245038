/* SPDX-License-Identifier: Zlib */
#include "loop_config.h"

#define TICK_RATE_DEFAULT 60
#define TICK_RATE_MAX     1000000
/* 1/60 s, rounded down: just before tick n of a 60 Hz simulation, not just past it, where every
 * frame would need one tick more and show it at alpha 0. */
#define INTERVAL_DEFAULT_NS  INT64_C(16666666)
#define INTERVAL_LEAST_NS    (10 * ES_NS_PER_US)
#define INTERVAL_MOST_NS     (10 * ES_NS_PER_S)
#define INTERVAL_MAX_DEFAULT (50 * ES_NS_PER_MS) /* 20 fps: below, nobody speaks of motion */
#define TICKS_TIME_DEFAULT   (100 * ES_NS_PER_MS)
#define DELAY_TICKS_MAX      8.0
#define GAP_DEFAULT_NS       ES_NS_PER_S
#define GAP_LEAST_NS         ES_NS_PER_MS

static int64_t or_default(int64_t value, int64_t when_zero)
{
    return value != 0 ? value : when_zero;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t es__default_interval_max_ns(int64_t interval_ns)
{
    return larger(interval_ns, INTERVAL_MAX_DEFAULT);
}

static bool rate_is_unset(es_rate rate)
{
    return rate.numerator == 0 && rate.denominator == 0;
}

/* The config with every default written out. */
static es_loop_config resolve(const es_loop_config *config)
{
    es_loop_config full = *config;
    if (rate_is_unset(full.tick_rate)) {
        full.tick_rate = es_hz(TICK_RATE_DEFAULT);
    }
    full.interval_ns = or_default(full.interval_ns, INTERVAL_DEFAULT_NS);
    full.interval_min_ns = or_default(full.interval_min_ns, full.interval_ns);
    if (full.interval_max_ns == 0) {
        full.interval_max_ns = es__default_interval_max_ns(full.interval_ns);
    }
    if (full.gap_ns == 0) {
        full.gap_ns = larger(GAP_DEFAULT_NS, es_ns_add(full.interval_max_ns, full.interval_max_ns));
    }
    return full;
}

es_loop_config es_loop_config_default(void)
{
    es_loop_config config = {0};
    config.tick_rate = es_hz(TICK_RATE_DEFAULT);
    config.interval_ns = INTERVAL_DEFAULT_NS;
    return config;
}

bool es__interval_is_allowed(int64_t interval_ns)
{
    return interval_ns >= INTERVAL_LEAST_NS && interval_ns <= INTERVAL_MOST_NS;
}

bool es__tick_rate_is_allowed(es_rate rate)
{
    return es_rate_is_valid(rate)
           && (uint64_t)rate.numerator <= (uint64_t)rate.denominator * TICK_RATE_MAX;
}

int64_t es__default_ticks_time_ns(int64_t interval_max_ns)
{
    return larger(interval_max_ns, TICKS_TIME_DEFAULT);
}

int32_t es__default_ticks_max(es_rate rate, int64_t interval_max_ns, es_ratio scale)
{
    int64_t real_ns = es__default_ticks_time_ns(interval_max_ns);
    int64_t content_ns = es_ns_scale(real_ns, scale);
    int64_t ticks = larger(content_ns, real_ns) / es_rate_period_ns(rate) + 2;
    return ticks < ES_TICKS_MAX ? (int32_t)ticks : ES_TICKS_MAX;
}

int64_t es__delay_ns(es_rate rate, double delay_ticks)
{
    int64_t whole = (int64_t)delay_ticks;
    double part = delay_ticks - (double)whole;
    int64_t part_ns = (int64_t)(part * (double)es_rate_period_ns(rate) + 0.5);
    return es_ns_add(es_rate_events_to_ns(rate, whole), part_ns);
}

int64_t es__pacer_window_ns(es_rate rate)
{
    int64_t two_ticks_ns = es_rate_events_to_ns(rate, 2);
    if (two_ticks_ns < ES_NS_PER_S) {
        return ES_NS_PER_S;
    }
    return two_ticks_ns < 10 * ES_NS_PER_S ? two_ticks_ns : 10 * ES_NS_PER_S;
}

/* --- checking --------------------------------------------------------------------------------- */

static es_result refuse(es_error *error, const char *field, const char *reason)
{
    if (error != NULL) {
        error->field = field;
        error->reason = reason;
    }
    return ES_ERR_INVALID;
}

static bool outside(int64_t value, int64_t least, int64_t most)
{
    return value < least || value > most;
}

static es_result check_intervals(const es_loop_config *full, es_error *error)
{
    if (!es__interval_is_allowed(full->interval_ns)) {
        return refuse(error, "interval_ns", "must be from 10 us to 10 s, or 0 for 1/60 s");
    }
    if (outside(full->interval_min_ns, INTERVAL_LEAST_NS, full->interval_ns)) {
        return refuse(error, "interval_min_ns", "must be from 10 us to interval_ns, or 0");
    }
    if (outside(full->interval_max_ns, full->interval_ns, INTERVAL_MOST_NS)) {
        return refuse(error, "interval_max_ns", "must be from interval_ns to 10 s, or 0");
    }
    return ES_OK;
}

es_result es_loop_config_validate(const es_loop_config *config, es_error *error)
{
    if (error != NULL) {
        error->field = NULL;
        error->reason = NULL;
    }
    if (config == NULL) {
        return refuse(error, "config", "must not be NULL");
    }
    es_loop_config full = resolve(config);
    const es_clock *clock = &full.clock;
    if (clock->now_ns == NULL
            && (clock->wait_until != NULL || clock->suspended_ns != NULL
                    || clock->thread_cpu_ns != NULL)) {
        return refuse(error, "clock.now_ns", "must be set when any function of the clock is");
    }
    if (!es__tick_rate_is_allowed(full.tick_rate)) {
        return refuse(
                error, "tick_rate", "must be a valid rate of at most 1 000 000 ticks per second");
    }
    if (check_intervals(&full, error) != ES_OK) {
        return ES_ERR_INVALID;
    }
    if (outside(full.ticks_max, 0, ES_TICKS_MAX)) {
        return refuse(error, "ticks_max", "must be from 1 to 1 000 000, or 0");
    }
    if (!(full.delay_ticks >= 0.0 && full.delay_ticks <= DELAY_TICKS_MAX)) {
        return refuse(error, "delay_ticks", "must be from 0 to 8");
    }
    if (full.gap_ns < GAP_LEAST_NS || full.gap_ns <= full.interval_max_ns) {
        return refuse(error, "gap_ns", "must be at least 1 ms and over interval_max_ns, or 0");
    }
    return ES_OK;
}

es_result es_loop_init(es_loop *loop, const es_loop_config *config, es_error *error)
{
    static const es_loop_config defaults = {0};
    if (config == NULL) {
        config = &defaults;
    }
    es_result result = es_loop_config_validate(config, error);
    if (loop == NULL) {
        return refuse(error, "loop", "must not be NULL");
    }
    es_loop fresh = {0};
    *loop = fresh;
    if (result != ES_OK) {
        return result;
    }
    es_loop_config full = resolve(config);
    loop->clock = full.clock;
    if (loop->clock.now_ns == NULL) {
        es_clock_system(&loop->clock); /* without a platform it stays empty: host frames only */
    }
    loop->ticks_max_auto = full.ticks_max == 0;
    loop->ticks_time_ns = INT64_MAX;
    if (loop->ticks_max_auto) {
        const es_ratio normal = {1, 1};
        full.ticks_max = es__default_ticks_max(full.tick_rate, full.interval_max_ns, normal);
        loop->ticks_time_ns = es__default_ticks_time_ns(full.interval_max_ns);
    }
    es_pacer_config pacing = {0};
    pacing.interval_ns = full.interval_ns;
    pacing.interval_min_ns = full.interval_min_ns;
    pacing.interval_max_ns = full.interval_max_ns;
    pacing.window_ns = es__pacer_window_ns(full.tick_rate);
    pacing.delay_ns = es__delay_ns(full.tick_rate, full.delay_ticks);
    es_pacer_init(&loop->pacer, &pacing);
    es_ticker_init(&loop->ticker, full.tick_rate, full.ticks_max);
    loop->interval_max_auto = config->interval_max_ns == 0;
    loop->gap_ns = full.gap_ns;
    loop->delay_ticks = full.delay_ticks;
    loop->initialised = true;
    return ES_OK;
}
