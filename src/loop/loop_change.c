/* SPDX-License-Identifier: Zlib
 *
 * Changes while a loop runs: speed, tick rate, policy, lead, place, or the configuration. A change
 * acts from the instant on the screen, and never between a frame's first tick and es_loop_wait.
 */
#include "display/present_free.h"
#include "loop.h"
#include "loop_config.h"

void es__apply_speed(es_loop *loop)
{
    if (es__ticks_are_running(loop)) {
        return;
    }
    if (loop->content.paused && !loop->requests.paused) {
        /* where no frame was shown during the pause, content does not leap */
        es__content_resync(&loop->content, es__resync_interval_ns(loop));
    }
    es__content_pause(&loop->content, loop->requests.paused);
    if (loop->requests.has_scale) {
        es__content_set_scale(&loop->content, loop->requests.scale);
        loop->requests.has_scale = false;
        es__update_bound(loop);
    }
}

void es_loop_set_paused(es_loop *loop, bool paused)
{
    if (!es__is_initialised(loop)) {
        return;
    }
    bool changes = paused != loop->requests.paused;
    loop->requests.paused = paused;
    if (!paused) {
        loop->requests.single_steps = 0;
    }
    es__apply_speed(loop);
    ES__ASSERT(es__ticks_are_running(loop) || loop->content.paused == paused, paused);
    if (changes && loop->hooks != NULL) {
        loop->hooks->speed(loop->hooks_user, true);
    }
}

bool es__loop_is_paused(const es_loop *loop)
{
    return es__is_initialised(loop) && loop->requests.paused;
}

bool es_loop_tick_once(es_loop *loop)
{
    if (!es__loop_is_paused(loop)) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_tick_once");
    }
    loop->requests.single_steps += loop->requests.single_steps < INT32_MAX;
    return true;
}

bool es_loop_set_speed(es_loop *loop, double speed)
{
    if (!es__is_initialised(loop) || !(speed >= 0.0 && speed <= 1000.0)) {
        return es__refuse_call(ES_ERR_INVALID, "es_loop_set_speed");
    }
    return es__loop_set_scale(loop, es__nearest_ratio(speed)) == ES_OK;
}

bool es__loop_may_follow(const es_loop *loop)
{
    return es__is_initialised(loop) && loop->hooks == NULL && loop->config.speed_change_max <= 0
           && loop->config.step == ES_STEP_FIXED && !es__ticks_are_running(loop);
}

bool es__loop_last_due(const es_loop *loop, int64_t *present_ns, int64_t *content_ns)
{
    const es__content *content = &loop->content;
    if (!content->started || content->paused) {
        return false;
    }
    *present_ns = loop->report.frame.present_ns;
    *content_ns = es__content_last_due_ns(content);
    return true;
}

int64_t es__loop_last_frame_ns(const es_loop *loop)
{
    return loop->report.frame.interval_ns;
}

void es__loop_jump(es_loop *loop, int64_t span_ns)
{
    const es__content *content = &loop->content;
    int64_t stands_ns =
            es__not_negative(content->last_content_ns - es__content_last_due_ns(content));
    int64_t most_ns =
            stands_ns + loop->rules.catch_up_max_ns / 2; /* ticks of more would be dropped */
    es__content_jump(&loop->content, es__min(span_ns, most_ns));
}

void es_loop_set_visible(es_loop *loop, bool visible)
{
    if (es__is_initialised(loop)) {
        loop->requests.visible = visible;
    }
}

void es__apply_visible(es_loop *loop)
{
    bool changes = loop->frame.visible != loop->requests.visible;
    loop->frame.visible = loop->requests.visible;
    if (changes || loop->display_lost) {
        es__restart_display(loop);
    }
}

void es__restart_display(es_loop *loop)
{
    int64_t interval_ns = es__resync_interval_ns(loop);
    if (loop->rules.uses_display) {
        es__display_config display = loop->display.config;
        int64_t known_ns = es__display_interval_ns(&loop->display);
        if (known_ns > 0) {
            display.refresh_ns = known_ns;
            interval_ns = loop->display.hold * known_ns;
        }
        es__display_restart(&loop->display, &display);
    }
    es__reanchor(loop, interval_ns);
    loop->display_lost = false;
    loop->presents.never_block = false;
    es__free_restart(&loop->presents.runs);
}

es_result es__loop_set_scale(es_loop *loop, es__ratio scale)
{
    if (!es__is_initialised(loop)) {
        return ES_ERR_STATE;
    }
    es__content probe = loop->content;
    es_result result = es__content_set_scale(&probe, scale);
    if (result == ES_OK) {
        loop->requests.scale = scale;
        loop->requests.has_scale = true;
        es__apply_speed(loop);
        ES__ASSERT(loop->requests.has_scale == es__ticks_are_running(loop), scale.numerator);
    }
    if (result == ES_OK && loop->hooks != NULL) {
        loop->hooks->speed(loop->hooks_user, false);
    }
    return result;
}

bool es_loop_resync(es_loop *loop)
{
    if (!es__is_initialised(loop) || es__ticks_are_running(loop)) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_resync");
    }
    es__content_resync(&loop->content, es__resync_interval_ns(loop));
    return true;
}

bool es_loop_seek(es_loop *loop, int64_t tick)
{
    const es__error threads = {NULL, "es_threads_call seeks while a thread runs the ticks"};
    if (!es__is_initialised(loop) || es__ticks_are_running(loop)) {
        return es__refuse_call(ES_ERR_STATE, "es_loop_seek");
    }
    if (loop->hooks != NULL) {
        return es__fail(ES_ERR_STATE, "es_loop_seek", &threads) == ES_OK;
    }
    es_result result = es__ticker_seek(&loop->ticker, tick);
    if (result != ES_OK) {
        return es__refuse_call(result, "es_loop_seek");
    }
    loop->frame.before_ticks_ns = loop->ticker.time_ns;
    es__content_seek(&loop->content, loop->ticker.time_ns, es__resync_interval_ns(loop));
    ES__ASSERT_IS(loop->ticker.index, ==, tick);
    return true;
}

bool es_loop_configure(es_loop *loop, const es_loop_config *config)
{
    es__error error = {NULL, NULL};
    es_result result = es__loop_reconfigure(loop, config, &error);
    return es__fail_if(result, "es_loop_config", &error);
}

es_loop_config es_loop_get_config(const es_loop *loop)
{
    es_loop_config none = {0};
    return es__is_initialised(loop) ? loop->config : none;
}
