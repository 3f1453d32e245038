/* SPDX-License-Identifier: Zlib
 *
 * Changes while a loop runs: speed, tick rate, policy, lead, place, or the configuration. A change
 * acts from the instant on the screen, and never between a frame's first tick and es_loop_ready.
 */
#include "loop_config.h"
#include "loop_parts.h"

/* Uncapped: a longer frame does not predict the next one. */
#define SPAN_MAX_NS (100 * ES_NS_PER_MS)

/* After a resync the time since the last frame counts as this. */
static int64_t resync_interval_ns(const es_loop *loop)
{
    if (loop->pacer.interval_ns == 0 && loop->span_ns > 0 && loop->span_ns < SPAN_MAX_NS) {
        return loop->span_ns; /* uncapped: as the last frame */
    }
    return es__known_interval_ns(loop->pacer.interval_ns);
}

void es__apply_speed(es_loop *loop)
{
    if (es__ticks_are_running(loop)) {
        return;
    }
    if (loop->content.paused && !loop->paused) {
        /* where no frame was shown during the pause, content does not leap */
        es__content_resync(&loop->content, resync_interval_ns(loop));
    }
    es__content_pause(&loop->content, loop->paused);
    if (loop->scale_changed) {
        es__content_set_scale(&loop->content, loop->scale);
        loop->scale_changed = false;
        es__update_bound(loop);
    }
}

void es_loop_pause(es_loop *loop, bool paused)
{
    if (!es__is_initialised(loop)) {
        return;
    }
    loop->paused = paused;
    if (!paused) {
        loop->single_steps = 0;
    }
    es__apply_speed(loop);
}

bool es_loop_is_paused(const es_loop *loop)
{
    return es__is_initialised(loop) && loop->paused;
}

es_result es_loop_step_once(es_loop *loop)
{
    if (!es_loop_is_paused(loop)) {
        return ES_ERR_STATE;
    }
    if (loop->single_steps < INT32_MAX) {
        loop->single_steps += 1;
    }
    return ES_OK;
}

es_result es_loop_set_time_scale(es_loop *loop, es_ratio scale)
{
    if (!es__is_initialised(loop)) {
        return ES_ERR_STATE;
    }
    es_content probe = loop->content;
    es_result result = es__content_set_scale(&probe, scale);
    if (result == ES_OK) {
        loop->scale = scale;
        loop->scale_changed = true;
        es__apply_speed(loop);
    }
    return result;
}

es_rate es_loop_tick_rate(const es_loop *loop)
{
    return loop->ticker.rate;
}

/* How far a new interval may grow: by default as ever; not at all if the old one could not. */
static int64_t interval_max_for(const es_loop *loop, int64_t interval_ns)
{
    const es_pacer_config *pacing = &loop->pacer.config;
    if (pacing->pace != ES_PACE_ADAPTIVE) {
        return interval_ns;
    }
    if (loop->interval_max_auto) {
        return es__default_interval_max_ns(interval_ns);
    }
    bool pinned = pacing->interval_max_ns == pacing->interval_ns;
    return pinned || pacing->interval_max_ns < interval_ns ? interval_ns : pacing->interval_max_ns;
}

/* Gives the content clock what depends on the tick rate, the interval and the policy. */
static void reconfigure_content(es_loop *loop)
{
    es_content_config config = loop->content.config;
    es_rate rate = loop->ticker.rate;
    int64_t interval_ns = es__known_interval_ns(loop->pacer.config.interval_ns);
    config.delay_ns = es__delay_ns(rate, loop->delay_ticks);
    es__set_catch_up(&config, loop->catch_up, interval_ns);
    es__content_reconfigure(&loop->content, &config);
}

es_result es_loop_set_tick_rate(es_loop *loop, es_rate rate)
{
    if (!es__is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    int64_t interval_ns = es__lockstep_interval_ns(rate);
    int64_t interval_max_ns = interval_max_for(loop, interval_ns);
    if (!es__tick_rate_is_allowed(rate) || !es__delay_is_allowed(rate, loop->delay_ticks)
            || !es__lead_is_allowed(rate, loop->ticker.lead)
            || (loop->interval_auto && interval_max_ns >= loop->gap_ns)) {
        return ES_ERR_INVALID;
    }
    loop->config.tick_rate = rate;
    es_display_config display = loop->display.config;
    display.tick_ns = loop->step == ES_STEP_FIXED ? es_rate_period_ns(rate) : 0;
    es__display_reconfigure(&loop->display, &display);
    es__ticker_set_rate(&loop->ticker, rate);
    es__pacer_set_window(&loop->pacer, es__pacer_window_ns(rate));
    if (loop->interval_auto) {
        es__pacer_set_interval(&loop->pacer, interval_ns, interval_max_ns);
    }
    reconfigure_content(loop);
    es__update_bound(loop);
    return ES_OK;
}

es_result es_loop_resync(es_loop *loop)
{
    if (!es__is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    es__content_resync(&loop->content, resync_interval_ns(loop));
    return ES_OK;
}

es_result es_loop_seek(es_loop *loop, int64_t tick)
{
    if (!es__is_initialised(loop) || es__ticks_are_running(loop)) {
        return ES_ERR_STATE;
    }
    es_result result = es__ticker_seek(&loop->ticker, tick);
    if (result == ES_OK) {
        es__content_seek(&loop->content, loop->ticker.time_ns, resync_interval_ns(loop));
    }
    return result;
}

es_loop_config es_loop_get_config(const es_loop *loop)
{
    es_loop_config none = {0};
    return es__is_initialised(loop) ? loop->config : none;
}
