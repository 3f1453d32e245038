/* SPDX-License-Identifier: Zlib
 *
 * What the render thread may change while both threads run. It posts the change at once, because
 * the next frame may be long in coming.
 */
#include "evenstep/threaded.h"

#include "loop/loop_config.h"
#include "loop/loop_parts.h"
#include "threaded_parts.h"

/* --- speed ------------------------------------------------------------------------------------ */

static bool can_post(const es_threaded *threaded)
{
    return threaded->loop.content.started && !es__ticks_are_running(&threaded->loop);
}

/* Resuming counts from now: the time since the last frame is not simulated. */
void es_threaded_pause(es_threaded *threaded, bool paused)
{
    if (es__is_threaded(threaded) && paused != es__loop_is_paused(&threaded->loop)) {
        const es_clock *clock = &threaded->loop.clock;
        es_loop_set_paused(&threaded->loop, paused);
        if (can_post(threaded)) {
            es__restart_line(threaded, clock->now_ns(clock->user));
            es__post_content(threaded);
        }
    }
}

bool es_threaded_is_paused(const es_threaded *threaded)
{
    return es__is_threaded(threaded) && es__loop_is_paused(&threaded->loop);
}

es_result es_threaded_step_once(es_threaded *threaded)
{
    return es__is_threaded(threaded) ? es_loop_step_once(&threaded->loop) ? ES_OK : ES_ERR_STATE : ES_ERR_STATE;
}

/* In force from the instant on the screen: the line bends there. */
es_result es_threaded_set_time_scale(es_threaded *threaded, es_ratio scale)
{
    if (!es__is_threaded(threaded)) {
        return ES_ERR_STATE;
    }
    es_result result = es__loop_set_scale(&threaded->loop, scale);
    if (result == ES_OK && can_post(threaded)) {
        es__restart_line(threaded, threaded->render.line_ns);
        es__post_content(threaded);
    }
    return result;
}

/* --- the tick rate and the configuration ------------------------------------------------------ */

static void ask_rate(es_threaded *threaded, es_rate rate)
{
    threaded->render.rate_asked = rate;
    threaded->render.tick_rate = rate;
    threaded->render.rates_asked += 1;
    es__post_content(threaded);
}

es_result es_threaded_ask_tick_rate(es_threaded *threaded, es_rate rate)
{
    if (!es__is_threaded(threaded)) {
        return ES_ERR_STATE;
    }
    if (!es__tick_rate_is_allowed(rate) || !es__lead_is_allowed(rate, threaded->lead_ticks)
            || !es__delay_is_allowed(rate, threaded->loop.delay_ticks)) {
        return ES_ERR_INVALID;
    }
    ask_rate(threaded, rate);
    return ES_OK;
}

static const char *fixed_field(const es_threaded_config *now, const es_threaded_config *wanted)
{
    if (wanted->lead_ticks != now->lead_ticks) {
        return "lead_ticks";
    }
    if (wanted->state_size != now->state_size) {
        return "state_size";
    }
    return wanted->kind != now->kind ? "kind" : NULL;
}

/* {0, 0} is the default. */
static es_rate rate_of(es_rate rate)
{
    return rate.numerator == 0 && rate.denominator == 0 ? es_hz(60) : rate;
}

static es_result check_change(
        const es_threaded *threaded, const es_threaded_config *config, es_error *error)
{
    if (!es__is_threaded(threaded) || es__ticks_are_running(&threaded->loop)) {
        return es__refuse_as(error, ES_ERR_STATE, NULL, NULL);
    }
    if (config == NULL) {
        return es__refuse(error, "config", "is NULL");
    }
    es_result result = es__threaded_check(config, error);
    if (result != ES_OK) {
        return result;
    }
    const char *field = fixed_field(&threaded->config, config);
    if (field != NULL) {
        return es__refuse(error, field, "cannot change after es_threaded_init");
    }
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

/* The loop's own ticks keep their rate: they follow the real ones, which follow the request. */
es_result es_threaded_reconfigure(
        es_threaded *threaded, const es_threaded_config *config, es_error *error)
{
    es_result result = check_change(threaded, config, error);
    if (result != ES_OK) {
        return result;
    }
    es_loop_config loop = es__threaded_loop_of(config);
    es_rate rate = rate_of(loop.tick_rate);
    loop.tick_rate = es__loop_tick_rate(&threaded->loop);
    result = es__loop_reconfigure(&threaded->loop, &loop, error);
    if (result != ES_OK) {
        return result;
    }
    threaded->render.ahead_max_ns = config->ahead_max_ns;
    threaded->render.lines = 0;
    ask_rate(threaded, rate);
    return ES_OK;
}

es_rate es_threaded_tick_rate(const es_threaded *threaded)
{
    const es_rate none = {0, 0};
    return es__is_threaded(threaded) ? threaded->render.tick_rate : none;
}
