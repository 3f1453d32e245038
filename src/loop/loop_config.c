/* SPDX-License-Identifier: Zlib */
#include "loop_config.h"

#include "base/common.h"
#include "loop.h"

#include <string.h>

#define THREADS_LEAD_MOST 2 /* the largest es_threads_config.lead_ticks */
#define TICK_RATE_DEFAULT 60
/* 1/60 s, rounded down: just before tick n of a 60 Hz simulation. Just past it every frame would
 * need one tick more and show it at alpha 0. */
#define INTERVAL_DEFAULT_NS  INT64_C(16666666)
#define INTERVAL_LEAST_NS    (10 * ES_NS_PER_US)
#define INTERVAL_MOST_NS     (10 * ES_NS_PER_S)
#define INTERVAL_MAX_DEFAULT (50 * ES_NS_PER_MS) /* 20 fps: below, frames do not look like motion */
#define TICKS_TIME_DEFAULT   (100 * ES_NS_PER_MS)
#define DELAY_TICKS_MAX      8.0
#define BEHIND_DEFAULT_NS    (250 * ES_NS_PER_MS)
#define BEHIND_SPREAD_NS     ES_NS_PER_S
/* Policy wait: a frame counts as at most 5/4 intervals. A limit of one interval would lose a little
 * at every late wake-up and never recover it. */
#define WAIT_SHARE          4
#define STEP_MAX_DEFAULT_NS ES_NS_PER_S
#define STEP_MOST_NS        (3600 * ES_NS_PER_S)
#define STEP_ABSURD_NS      ES_NS_PER_MS
#define DELAY_MOST_NS       (24 * 3600 * ES_NS_PER_S)
#define GAP_DEFAULT_NS      ES_NS_PER_S
#define GAP_LEAST_NS        ES_NS_PER_MS

static int64_t or_default(int64_t value, int64_t when_zero)
{
    return value != 0 ? value : when_zero;
}

int64_t es__known_interval_ns(int64_t interval_ns)
{
    return interval_ns > 0 ? interval_ns : INTERVAL_DEFAULT_NS;
}

/* Frames begin at once, but wait where presents provably do not block. */
static bool waits_if_free(const es_loop_config *config)
{
    return config->pace == ES_PACE_PRESENT;
}

static int64_t refresh_ns_of(const es_loop_config *config)
{
    return es__rate_period_ns(config->refresh);
}

static bool is_uncapped(const es_loop_config *config)
{
    return config->pace == ES_PACE_UNCAPPED || waits_if_free(config);
}

static int64_t default_interval_ns(const es_loop_config *full)
{
    if (is_uncapped(full)) {
        return 0;
    }
    if (full->step == ES_STEP_LOCKSTEP && es__rate_is_valid(full->tick_rate)) {
        int64_t period_ns = es__max(es__rate_period_ns(full->tick_rate), INTERVAL_LEAST_NS);
        return es__min(period_ns, INTERVAL_MOST_NS);
    }
    return INTERVAL_DEFAULT_NS;
}

/* Auto is adaptive until it knows the display. */
static bool is_adaptive(const es_loop_config *config)
{
    return !is_uncapped(config) && config->pace != ES_PACE_FIXED;
}

/* The config with every default filled in, except ticks_max and catch_up_max_ns. */
static es_loop_config resolve(const es_loop_config *config)
{
    es_loop_config full = *config;
    if (full.tick_rate.numerator == 0 && full.tick_rate.denominator == 0) {
        full.tick_rate = es_hz(TICK_RATE_DEFAULT);
    }
    full.interval_ns = or_default(full.interval_ns, default_interval_ns(&full));
    full.interval_min_ns = or_default(full.interval_min_ns, full.interval_ns);
    if (full.interval_max_ns == 0) {
        int64_t least_ns = is_adaptive(&full) ? INTERVAL_MAX_DEFAULT : 0;
        full.interval_max_ns = es__max(full.interval_ns, least_ns);
    }
    full.step_min_ns = or_default(full.step_min_ns, 1);
    full.step_max_ns = or_default(full.step_max_ns, STEP_MAX_DEFAULT_NS);
    full.step_absurd_ns = or_default(full.step_absurd_ns, STEP_ABSURD_NS);
    if (full.gap_ns == 0) {
        full.gap_ns =
                es__max(GAP_DEFAULT_NS, es__ns_add(full.interval_max_ns, full.interval_max_ns));
    }
    return full;
}

/* --- loops by name ---------------------------------------------------------------------------- */

typedef struct named_loop {
    const char *name;
    es_loop_config config;
} named_loop;

static const named_loop loops[] = {
        {"auto", {.pace = ES_PACE_AUTO}},
        {"low-latency", {.pace = ES_PACE_AUTO, .low_latency = true}},
        {"adaptive", {.pace = ES_PACE_ADAPTIVE}},
        {"lockstep", {.step = ES_STEP_LOCKSTEP, .pace = ES_PACE_FIXED}},
        {"variable", {.step = ES_STEP_VARIABLE, .pace = ES_PACE_PRESENT}},
        {"decoupled", {.pace = ES_PACE_PRESENT,
                              .alpha_below_one = true,
                              .delay_ticks = 1.0,
                              .catch_up_max_ns = ES_NS_PER_S}},
        {"max-frameskip", {.tick_rate = {50, 1}, .pace = ES_PACE_UNCAPPED, .ticks_max = 10}},
};

enum { LOOPS = sizeof loops / sizeof loops[0] };

bool es_loop_preset(const char *name, es_loop_config *config)
{
    for (size_t i = 0; i < LOOPS && name != NULL && config != NULL; ++i) {
        if (strcmp(name, loops[i].name) == 0) {
            *config = loops[i].config;
            return true;
        }
    }
    const es__error unknown = {"name",
            "is none of auto, low-latency, adaptive, lockstep, variable, "
            "decoupled, max-frameskip"};
    return es__fail(ES_ERR_INVALID, "es_loop_preset", &unknown) == ES_OK;
}

/* Fixed steps have all policies, variable ones drop and wait, lockstep only drop. */
static bool catch_up_is_allowed(es_step_kind step, es_catch_up policy)
{
    return step == ES_STEP_FIXED || policy == ES_CATCH_UP_DROP
           || (step == ES_STEP_VARIABLE && policy == ES_CATCH_UP_WAIT);
}

/* --- defaults that follow other fields -------------------------------------------------------- */

/* The default debt that a frame may have, in whole ticks. 250 ms is the bound of Fiedler's "Fix Your
 * Timestep!". */
static int64_t default_catch_up_max_ns(es_rate rate, es_catch_up policy, int64_t interval_max_ns)
{
    int64_t most_ns = policy == ES_CATCH_UP_SPREAD ? BEHIND_SPREAD_NS : BEHIND_DEFAULT_NS;
    most_ns = es__max(interval_max_ns, most_ns);
    int64_t ticks = es__rate_ns_to_events(rate, most_ns + 1) - 1; /* that end by then */
    ES__ASSERT(ticks < 1 || es__rate_span_ns(rate, ticks) <= most_ns, ticks, most_ns);
    ES__ASSERT(es__rate_span_ns(rate, ticks + 1) > most_ns, ticks, most_ns);
    return es__rate_span_ns(rate, es__max(ticks, 1));
}

/* The default bound on ticks: as many as that debt can be at this time scale, at least 2, and the
 * lead, which the first frame runs. 17 at 60 ticks/s, 250 ms and normal speed. */
static int32_t default_ticks_max(
        es_rate rate, int64_t catch_up_max_ns, es__ratio scale, int32_t lead_ticks)
{
    int64_t content_ns = es__ns_scale(catch_up_max_ns, scale);
    int64_t ticks = es__max(content_ns, catch_up_max_ns) / es__rate_period_ns(rate) + 2;
    ES__ASSERT((double)(ticks - 1) * (double)es__rate_period_ns(rate)
                       > (double)es__max(content_ns, catch_up_max_ns),
            ticks);
    ticks += es__max(lead_ticks, 0);
    return ticks < ES__TICKS_MAX ? (int32_t)ticks : ES__TICKS_MAX;
}

int64_t es__delay_ns(es_rate rate, double delay_ticks)
{
    int64_t whole = (int64_t)delay_ticks;
    double part = delay_ticks - (double)whole;
    int64_t part_ns = (int64_t)(part * (double)es__rate_period_ns(rate) + 0.5);
    int64_t delay_ns = es__rate_span_ns(rate, whole) + part_ns;
    ES__BEFORE(const double off_ns =
                       (double)delay_ns - delay_ticks * (double)es__rate_period_ns(rate));
    ES__CHECK(ES__ASSERT(
            !(delay_ticks >= 0 && delay_ticks <= 8) || (off_ns < 9.0 && off_ns > -9.0), delay_ns));
    return delay_ns;
}

/* Whether a delay or a lead is a day or less. */
static bool delay_is_allowed(es_rate rate, double delay_ticks)
{
    return es__delay_ns(rate, delay_ticks) <= DELAY_MOST_NS;
}

int64_t es__pacer_window_ns(es_rate rate)
{
    int64_t two_ticks_ns = es__rate_span_ns(rate, 2);
    if (two_ticks_ns < ES_NS_PER_S) {
        return ES_NS_PER_S;
    }
    return two_ticks_ns < 10 * ES_NS_PER_S ? two_ticks_ns : 10 * ES_NS_PER_S;
}

/* --- checking --------------------------------------------------------------------------------- */

static bool outside(int64_t value, int64_t least, int64_t most)
{
    return value < least || value > most;
}

static es_result check_intervals(
        const es_loop_config *given, const es_loop_config *full, es__error *error)
{
    const es__rule rules[] = {
            {outside(full->interval_ns, INTERVAL_LEAST_NS, INTERVAL_MOST_NS), "interval_ns",
                    "must be from 10 us to 10 s, or 0 for 1/60 s"},
            {outside(full->interval_min_ns, INTERVAL_LEAST_NS, full->interval_ns),
                    "interval_min_ns", "must be from 10 us to interval_ns, or 0"},
            {outside(full->interval_max_ns, full->interval_ns, INTERVAL_MOST_NS), "interval_max_ns",
                    "must be from interval_ns to 10 s, or 0"},
    };
    bool is_free = is_uncapped(given) && given->interval_ns == 0;
    return is_free ? ES_OK : ES__REFUSE_BROKEN(error, rules);
}

static es_result check_kinds(const es_loop_config *full, es__error *error)
{
    const es__rule rules[] = {
            {full->step < ES_STEP_FIXED || full->step > ES_STEP_LOCKSTEP, "step",
                    "must be one of es_step_kind"},
            {full->pace < ES_PACE_AUTO || full->pace > ES_PACE_UNCAPPED, "pace",
                    "must be one of es_pace"},
            {full->hold < ES_HOLD_AUTO || full->hold > ES_HOLD_NEVER, "hold",
                    "must be one of es_hold"},
            {full->targets < ES_TARGET_BALANCED || full->targets > ES_TARGET_EARLY, "targets",
                    "must be one of es_target_use"},
            {full->catch_up < ES_CATCH_UP_DROP || full->catch_up > ES_CATCH_UP_WAIT, "catch_up",
                    "must be one of es_catch_up"},
            {!catch_up_is_allowed(full->step, full->catch_up), "catch_up",
                    full->step == ES_STEP_VARIABLE
                            ? "variable steps can only drop or wait"
                            : "lockstep is a policy of its own: must be drop"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

static es_result check_display(const es_loop_config *given, es__error *error)
{
    const double change = given->speed_change_max, missed = given->missed_max;
    const bool follows = given->pace == ES_PACE_AUTO, frees = waits_if_free(given);
    const bool named = given->refresh.numerator != 0 || given->refresh.denominator != 0;
    if (frees && given->step == ES_STEP_LOCKSTEP) {
        return es__refuse(error, "pace", "must not be present in lockstep");
    }
    if (named && (!es__rate_is_valid(given->refresh) || refresh_ns_of(given) > ES_NS_PER_S)) {
        return es__refuse_rate(
                error, "refresh", given->refresh, "must be a rate from 1 Hz, such as es_hz(144)");
    }
    const es__rule rules[] = {
            {named && !follows && !frees, "refresh",
                    "must be {0, 0} unless the pace is auto or present"},
            {given->hold != ES_HOLD_AUTO && !follows, "hold",
                    "must be auto unless the pace is auto"},
            {given->targets != ES_TARGET_BALANCED && !follows, "targets",
                    "must be balanced unless the pace is auto"},
            {given->low_latency && !follows, "low_latency",
                    "must be false unless the pace is auto"},
            {change != 0.0 && !(follows && given->step == ES_STEP_FIXED), "speed_change_max",
                    "must be 0 unless the pace is auto and steps are fixed"},
            {!(change >= 0.0 && change <= 0.5), "speed_change_max", "must be from 0 to 0.5"},
            {missed != 0.0 && !(given->low_latency && missed >= 0.0001 && missed <= 0.5),
                    "missed_max", "must be from 0.0001 to 0.5, or 0; only low_latency"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

/* A field that would have no effect is refused. */
static es_result check_sense(const es_loop_config *given, es__error *error)
{
    const bool fixed = given->step == ES_STEP_FIXED, variable = given->step == ES_STEP_VARIABLE;
    const bool adaptive = is_adaptive(given);
    const int64_t most_ns = given->step_max_ns, absurd_ns = given->step_absurd_ns;
    const es__rule rules[] = {
            {!fixed && given->delay_ticks != 0.0, "delay_ticks",
                    "must be 0 unless steps are fixed"},
            {!fixed && given->lead_ticks != 0, "lead_ticks",
                    "must be 0 unless steps are fixed: one update per frame"},
            {!fixed && given->alpha_below_one, "alpha_below_one",
                    "must be false unless steps are fixed"},
            {!fixed && given->ticks_max != 0, "ticks_max",
                    "must be 0 unless steps are fixed: one update per frame"},
            {!fixed && given->catch_up_max_ns != 0, "catch_up_max_ns",
                    "must be 0 unless steps are fixed"},
            {!variable && most_ns != 0 && most_ns != STEP_MAX_DEFAULT_NS, "step_max_ns",
                    "must be 0 unless steps are variable"},
            {!variable && outside(given->step_min_ns, 0, 1), "step_min_ns",
                    "must be 0 unless steps are variable"},
            {!variable && absurd_ns != 0 && absurd_ns != STEP_ABSURD_NS, "step_absurd_ns",
                    "must be 0 unless steps are variable"},
            {!adaptive && given->interval_min_ns != 0, "interval_min_ns",
                    "must be 0 unless the pace is auto or adaptive"},
            {!adaptive && given->interval_max_ns != 0, "interval_max_ns",
                    "must be 0 unless the pace is auto or adaptive"},
    };
    es_result result = ES__REFUSE_BROKEN(error, rules);
    return result == ES_OK ? check_display(given, error) : result;
}

static es_result check_bounds(const es_loop_config *full, es__error *error)
{
    const bool delays = full->delay_ticks >= 0.0 && full->delay_ticks <= DELAY_TICKS_MAX;
    const es__rule rules[] = {
            {outside(full->ticks_max, 0, ES__TICKS_MAX), "ticks_max",
                    "must be from 1 to 1 000 000, or 0"},
            {outside(full->catch_up_max_ns, 0, STEP_MOST_NS), "catch_up_max_ns",
                    "must be from 1 ns to 1 h, or 0"},
            {!delays, "delay_ticks", "must be from 0 to 8"},
            {delays && !delay_is_allowed(full->tick_rate, full->delay_ticks), "delay_ticks",
                    "must be a day or less at this tick_rate"},
            {outside(full->lead_ticks, -1, ES__LEAD_MAX), "lead_ticks", "must be from -1 to 4"},
            {!delay_is_allowed(full->tick_rate, full->lead_ticks), "lead_ticks",
                    "must be a day or less at this tick_rate"},
            {outside(full->step_max_ns, 1, STEP_MOST_NS), "step_max_ns",
                    "must be from 1 ns to 1 h, or 0 for 1 s"},
            {outside(full->step_min_ns, 1, full->step_max_ns), "step_min_ns",
                    "must be from 1 ns to step_max_ns, or 0"},
            {outside(full->step_absurd_ns, 1, full->step_max_ns), "step_absurd_ns",
                    "must be from 1 ns to step_max_ns, or 0 for 1 ms"},
            {full->gap_ns < GAP_LEAST_NS || full->gap_ns <= full->interval_max_ns, "gap_ns",
                    "must be at least 1 ms and over interval_max_ns, or 0"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

es_result es__loop_config_validate(const es_loop_config *config, es__error *error)
{
    es__refuse_as(error, ES_OK, NULL, NULL);
    if (config == NULL) {
        return es__refuse(error, "config", "must not be NULL");
    }
    es_loop_config full = resolve(config);
    const es_clock *clock = &full.clock;
    if (clock->now_ns == NULL
            && (clock->wait_until != NULL || clock->suspended_ns != NULL
                    || clock->thread_cpu_ns != NULL)) {
        return es__refuse(error, "clock.now_ns", "must be set when any function of the clock is");
    }
    if (!es__rate_is_usable(full.tick_rate)) {
        return es__refuse_rate(error, "tick_rate", full.tick_rate,
                "must be a rate of at most 1 000 000 ticks per second, such as es_hz(60)");
    }
    if (check_kinds(&full, error) != ES_OK || check_sense(config, error) != ES_OK
            || check_intervals(config, &full, error) != ES_OK) {
        return ES_ERR_INVALID;
    }
    return check_bounds(&full, error);
}

/* The bounds on a frame's ticks; es__update_bound computes the automatic ones. */
static void set_bounds(es_loop *loop, es_loop_config *full)
{
    if (loop->hooks != NULL) {
        full->ticks_max = ES__TICKS_MAX;
    }
    loop->rules.catch_up_max_auto = full->catch_up_max_ns == 0;
    loop->rules.catch_up_max_ns = full->catch_up_max_ns;
    loop->rules.ticks_max_auto = full->ticks_max == 0;
    loop->rules.step_min_ns = full->step_min_ns;
    loop->rules.step_max_ns = full->step_max_ns;
    loop->rules.step_absurd_ns = full->step_absurd_ns;
    loop->rules.gap_ns = es__min(full->gap_ns, ES__TIME_MAX);
}

static es__pacer_config pacing_of(const es_loop_config *full)
{
    es_pace pace = is_uncapped(full) ? ES_PACE_UNCAPPED : full->pace;
    es__aim aim = full->pace == ES_PACE_PRESENT ? ES_AIM_BEGIN : ES_AIM_START;
    es__pacer_config pacing = {pace, aim, full->interval_ns, full->interval_min_ns,
            full->interval_max_ns, es__pacer_window_ns(full->tick_rate)};
    return pacing;
}

/* With an interval, frames keep to the nearest whole number of refreshes; else each refresh has
 * one. */
static es__display_config display_of(const es_loop_config *given, const es_loop_config *full)
{
    return (es__display_config){.refresh_ns = refresh_ns_of(full),
            .interval_ns = given->interval_ns,
            .interval_max_ns = full->interval_max_ns,
            .tick_ns = full->step == ES_STEP_FIXED ? es__rate_period_ns(full->tick_rate) : 0,
            .low_latency = full->low_latency,
            .hold_never = full->hold == ES_HOLD_NEVER,
            .missed_max = full->missed_max,
            .target_use = full->targets};
}

/* A loop of one tick per frame is paced by its ticks, not by a display. */
static bool follows_display(const es_loop_config *full)
{
    return full->pace == ES_PACE_AUTO && full->step != ES_STEP_LOCKSTEP;
}

static es__content_config contents_of(const es_loop_config *full)
{
    int64_t interval_ns = es__known_interval_ns(full->interval_ns);
    bool waits = full->catch_up == ES_CATCH_UP_WAIT;
    return (es__content_config){.delay_ns = es__delay_ns(full->tick_rate, full->delay_ticks),
            .frame_max_ns = waits ? interval_ns + interval_ns / WAIT_SHARE : 0,
            .spreads_debt = full->catch_up == ES_CATCH_UP_SPREAD,
            .slows = full->catch_up == ES_CATCH_UP_SLOW};
}

/* The loop's own fields, for es__loop_init and es__loop_reconfigure. */
static void set_kinds(es_loop *loop, const es_loop_config *given, const es_loop_config *full)
{
    int32_t whole_delay = (int32_t)full->delay_ticks;
    bool is_whole = (double)whole_delay == full->delay_ticks;
    es__ticker_set_accumulator(&loop->ticker, full->alpha_below_one, is_whole ? whole_delay : 0);
    loop->ticker.lead = full->lead_ticks;
    loop->ticker.ticks_max = full->ticks_max;
    loop->rules.step = full->step;
    loop->rules.catch_up = full->catch_up;
    loop->rules.delay_ticks = full->delay_ticks;
    loop->config = *given;
    loop->rules.interval_max_auto = given->interval_max_ns == 0;
    loop->rules.watches_presents = waits_if_free(full);
    loop->presents.interval_ns = full->interval_ns > 0 ? full->interval_ns : refresh_ns_of(full);
    loop->presents.interval_ns = es__known_interval_ns(loop->presents.interval_ns);
}

#if ES__ASSERTS
/* The loop goes by its configuration. */
static void check_rules(const es_loop *loop)
{
    const es_loop_config *c = &loop->config;
    const es__content_config *content = &loop->content.config;
    int64_t behind_ns = loop->rules.catch_up_max_ns, ticks_max = loop->ticker.ticks_max;
    ES__ASSERT(loop->rules.step == c->step && loop->rules.catch_up == c->catch_up, c->step);
    ES__ASSERT_IS(loop->ticker.lead, ==, c->lead_ticks);
    ES__ASSERT(c->catch_up_max_ns == 0 || behind_ns == c->catch_up_max_ns, behind_ns);
    ES__ASSERT(c->ticks_max == 0 || ticks_max == c->ticks_max || loop->hooks != NULL, ticks_max);
    ES__ASSERT(behind_ns >= 1 && ticks_max >= 1 && ticks_max <= ES__TICKS_MAX, ticks_max);
    ES__ASSERT_IS(
            loop->rules.uses_display, ==, c->pace == ES_PACE_AUTO && c->step != ES_STEP_LOCKSTEP);
    ES__ASSERT(content->delay_ns == es__delay_ns(loop->ticker.rate, c->delay_ticks)
                       && content->spreads_debt == (c->catch_up == ES_CATCH_UP_SPREAD)
                       && content->slows == (c->catch_up == ES_CATCH_UP_SLOW)
                       && (content->frame_max_ns > 0) == (c->catch_up == ES_CATCH_UP_WAIT),
            content->delay_ns, c->catch_up);
    ES__ASSERT_IS(loop->rules.step_max_ns, ==, or_default(c->step_max_ns, ES_NS_PER_S));
    ES__ASSERT_IS(loop->rules.step_min_ns, ==, or_default(c->step_min_ns, 1));
    ES__ASSERT_IS(loop->rules.step_absurd_ns, ==, or_default(c->step_absurd_ns, ES_NS_PER_MS));
}
#endif

void es__update_bound(es_loop *loop)
{
    const int64_t most_ns = loop->pacer.config.interval_max_ns;
    if (loop->rules.catch_up_max_auto) {
        loop->rules.catch_up_max_ns =
                default_catch_up_max_ns(loop->ticker.rate, loop->rules.catch_up, most_ns);
    }
    loop->rules.floor_ticks = es__ticks_in(
            loop->ticker.rate, loop->pacer.config.interval_min_ns, loop->content.scale);
    loop->rules.ticks_time_ns = es__max(most_ns, TICKS_TIME_DEFAULT);
    if (loop->rules.ticks_max_auto) {
        loop->ticker.ticks_max = default_ticks_max(loop->ticker.rate, loop->rules.catch_up_max_ns,
                loop->content.scale, loop->ticker.lead);
    }
    ES__CHECK(check_rules(loop));
}

es_result es__loop_init(es_loop *loop, const es_loop_config *config, es__error *error)
{
    static const es_loop_config defaults = {0};
    if (config == NULL) {
        config = &defaults;
    }
    es_result result = es__loop_config_validate(config, error);
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
    es__pacer_config pacing = pacing_of(&full);
    es__content_config contents = contents_of(&full);
    set_bounds(loop, &full);
    es__pacer_init(&loop->pacer, &pacing);
    es__content_init(&loop->content, &contents);
    es__ticker_init(&loop->ticker, full.tick_rate, full.ticks_max);
    es__display_config display = display_of(config, &full);
    es__display_init(&loop->display, &display);
    loop->rules.uses_display = follows_display(&full);
    set_kinds(loop, config, &full);
    es__update_bound(loop);
    loop->frame.visible = true;
    loop->requests.visible = true;
    loop->initialised = true;
    return ES_OK;
}

/* Frames come as before, whatever the rate of ticks. */
static bool paces_alike(const es_loop_config *a, const es_loop_config *b)
{
    return a->pace == b->pace && a->step == b->step && a->catch_up == b->catch_up
           && es__is_same_rate(a->refresh, b->refresh) && a->interval_ns == b->interval_ns
           && a->interval_min_ns == b->interval_min_ns && a->interval_max_ns == b->interval_max_ns;
}

/* Where frames come otherwise, the pacer starts anew, except for the start of the last frame. */
static void change_pacer(es_loop *loop, const es_loop_config *full)
{
    es__pacer *pacer = &loop->pacer;
    const es__pacer before = *pacer;
    const es_loop_config old = resolve(&loop->config);
    es__pacer_config pacing = pacing_of(full);
    if (paces_alike(&old, full)) {
        pacer->config.window_ns = pacing.window_ns;
        return;
    }
    loop->presents.never_block = false;
    loop->load.interval_ns = 0;
    loop->load.since_ns = 0;
    es__pacer_init(pacer, &pacing);
    pacer->started = before.started;
    pacer->last_start_ns = before.last_start_ns;
    pacer->start_ns = before.start_ns;
    pacer->present_ns = before.present_ns;
    pacer->host = before.host;
}

void es__reanchor(es_loop *loop, int64_t interval_ns)
{
    int64_t removed_ns = loop->display_plan.removed_ns;
    es__content *content = &loop->content;
    loop->totals.removed_first_ns = es__ns_sub(loop->totals.removed_first_ns, removed_ns);
    es__count_ns(&content->reanchored_ns, -removed_ns);
    loop->totals.leapt_before_ns = 0;
    loop->display_plan = (es__display_plan){0};
    es__content_reanchor(content, interval_ns);
}

/* The knowledge of the display stays while the loop follows it. */
static void change_display(es_loop *loop, const es_loop_config *given, const es_loop_config *full)
{
    es__display_config display = display_of(given, full);
    bool follows = follows_display(full);
    if (follows && loop->rules.uses_display) {
        es__display_reconfigure(&loop->display, &display);
    } else if (follows) {
        es__display_restart(&loop->display, &display);
    }
    if (follows != loop->rules.uses_display) {
        es__reanchor(loop, es__known_interval_ns(full->interval_ns));
    }
    loop->rules.uses_display = follows;
}

/* Loops of one update per frame show their newest tick; in lockstep content stands on a tick. */
static void show_newest_tick(es_loop *loop, const es_loop_config *full)
{
    const es__ticker *ticker = &loop->ticker;
    int64_t content_ns = loop->content.last_content_ns;
    int64_t shown_ns = ticker->time_ns;
    if (content_ns > shown_ns && full->step == ES_STEP_LOCKSTEP) {
        int64_t past_ns = content_ns - shown_ns;
        int64_t ticks = es__rate_ns_to_events(ticker->rate, past_ns); /* rounded up */
        shown_ns = es__ticker_time_ns(ticker, ticker->index + ticks);
    }
    if (loop->content.started && content_ns < shown_ns) {
        int64_t interval_ns = es__known_interval_ns(full->interval_ns);
        es__content_seek(&loop->content, shown_ns, interval_ns);
    }
}

es_result es__loop_check_threads(const es_loop_config *config, es__error *error)
{
    const char *const none = "must be 0 while es_threads runs the ticks";
    const es_rate rate = config->tick_rate;
    const es__rule rules[] = {
            {config->step != ES_STEP_FIXED, "step", none},
            {config->catch_up != ES_CATCH_UP_DROP, "catch_up", none},
            {config->alpha_below_one, "alpha_below_one", none},
            {config->ticks_max != 0, "ticks_max", none},
            {config->catch_up_max_ns != 0, "catch_up_max_ns", none},
            {config->lead_ticks != 0, "lead_ticks", none},
            {config->speed_change_max != 0.0, "speed_change_max", none},
            {rate.numerator > 0 && !delay_is_allowed(rate, THREADS_LEAD_MOST), "tick_rate",
                    "must have a tick in 12 hours with es_threads"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

es_result es__loop_reconfigure(es_loop *loop, const es_loop_config *config, es__error *error)
{
    if (!es__is_initialised(loop) || es__ticks_are_running(loop)) {
        return es__refuse_as(error, ES_ERR_STATE, NULL, NULL);
    }
    es_result result = es__loop_config_validate(config, error);
    if (result == ES_OK && loop->hooks != NULL) {
        result = es__loop_check_threads(config, error);
    }
    if (result != ES_OK) {
        return result;
    }
    es_loop_config full = resolve(config);
    es_rate tick_rate = full.tick_rate;
    if (loop->hooks != NULL) { /* the loop's ticks keep their rate until the real ones change */
        full.tick_rate = loop->ticker.rate;
    }
    es__content_config contents = contents_of(&full);
    set_bounds(loop, &full);
    change_pacer(loop, &full);
    change_display(loop, config, &full);
    es__content_reconfigure(&loop->content, &contents);
    if (!es__is_same_rate(loop->ticker.rate, full.tick_rate)) {
        es__ticker_set_rate(&loop->ticker, full.tick_rate);
    }
    es_clock clock = loop->config.clock;
    es_step_kind step = loop->rules.step;
    set_kinds(loop, config, &full);
    loop->config.clock = clock;
    if (full.step != step && full.step != ES_STEP_FIXED) {
        show_newest_tick(loop, &full);
    }
    es__update_bound(loop);
    if (loop->hooks != NULL) {
        loop->hooks->rate(loop->hooks_user, tick_rate);
    }
    return ES_OK;
}
