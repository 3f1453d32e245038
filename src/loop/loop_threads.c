/* SPDX-License-Identifier: Zlib
 *
 * A loop whose ticks run on another thread (src/threads). It also runs ticks of its own, which
 * nobody uses. They are kept in step with the real ones, because display timing needs to know how
 * content lies between ticks.
 */
#include "loop.h"
#include "loop_config.h"

/* The loop's own ticks cost nothing, so a frame may have any number of them. */
void es__loop_attach(es_loop *loop, const es__loop_hooks *hooks, void *user)
{
    loop->hooks = hooks;
    loop->hooks_user = user;
    loop->load.works.count = 0;
    loop->load.tick_cost_ns = 0;
    loop->rules.ticks_max_auto = false;
    loop->ticker.ticks_max = ES__TICKS_MAX;
    if (loop->content.started) {
        es_loop_resync(loop);
    }
}

void es__loop_detach(es_loop *loop, const es__ticker *ticks)
{
    int64_t past_ns =
            es__loop_due_content_ns(loop) - es__not_negative(loop->content.last_content_ns);
    es__content_drop(&loop->content, past_ns); /* below 0: nothing */
    loop->config.tick_rate = ticks->rate;
    es__loop_follow_rate(loop, ticks->rate);
    es__loop_follow_ticks(loop, ticks->index, ticks->time_ns, ticks);
    es__ticker_seek(&loop->ticker, ticks->index); /* the program has no state before it */
    loop->hooks = NULL;
    loop->rules.ticks_max_auto = true;
    es__update_bound(loop);
    es_loop_resync(loop);
}

int64_t es__loop_due_content_ns(const es_loop *loop)
{
    return es__content_unclamped_at(&loop->content, loop->content.last_present_ns);
}

void es__loop_withhold(es_loop *loop, int64_t slow_motion_ns, int64_t worth_ns, int64_t cost_ns)
{
    es__content *content = &loop->content;
    if (cost_ns > 0) {
        es__content_set_capacity(content, worth_ns, cost_ns);
    }
    es__content_slow(content, content->last_present_ns, slow_motion_ns);
    es__content_slow_to_capacity(content);
    es__content_apply_slow(content);
}

int64_t es__loop_move(es_loop *loop, int64_t content_ns)
{
    int64_t seeked_ns = loop->content.seeked_ns;
    es__content_place(&loop->content, content_ns);
    return loop->content.seeked_ns - seeked_ns;
}

int64_t es__loop_reanchor(es_loop *loop, int64_t content_ns)
{
    es__content *content = &loop->content;
    int64_t moved_ns = es__loop_move(loop, content_ns);
    es__count_ns(&content->seeked_ns, -moved_ns);
    es__count_ns(&content->reanchored_ns, -moved_ns);
    /* On a display a late frame leaves content behind, which is recovered little by little. Where
     * content was moved, there is that much less to recover: else it would end up ahead. */
    int64_t behind_ns = es__not_negative(loop->report.frame.account.offset_ns);
    es__display_move(&loop->display, es__min(moved_ns, behind_ns));
    return moved_ns;
}

void es__loop_show(es_loop *loop, const es__loop_shown *shown)
{
    es_frame *frame = &loop->report.frame;
    es_account *account = &frame->account;
    ES__BEFORE(const es_frame before = *frame);
    int64_t less_ns = frame->content_ns - shown->content_ns;
    int64_t elsewhere_ns = shown->dropped_ns + shown->slow_motion_ns;
    elsewhere_ns -= (shown->moved_ns + shown->reanchored_ns);
    account->clamped_ns += less_ns - elsewhere_ns;
    account->dropped_ns += shown->dropped_ns;
    account->slowed_ns += shown->slow_motion_ns;
    account->slow_motion_ns += shown->slow_motion_ns;
    account->seeked_ns += shown->moved_ns;
    account->reanchored_ns -= shown->reanchored_ns;
    account->frame_dropped_ns += shown->dropped_ns;
    account->frame_slow_motion_ns += shown->slow_motion_ns;
    loop->totals.dropped_before_ns = account->dropped_ns;
    loop->totals.slow_motion_before_ns = account->slow_motion_ns;
    frame->content_ns = shown->content_ns;
    frame->previous_tick = shown->previous_tick;
    frame->current_tick = shown->current_tick;
    frame->previous_ns = shown->previous_ns;
    frame->current_ns = shown->current_ns;
    frame->newest_tick = shown->newest_tick;
    frame->newest_ns = shown->newest_ns;
    frame->ahead_ns = es__not_negative(shown->content_ns - shown->newest_ns);
    frame->alpha = 1.0;
    if (shown->content_ns < shown->current_ns) {
        frame->alpha = (double)(shown->content_ns - shown->previous_ns)
                       / (double)(shown->current_ns - shown->previous_ns);
    }
    loop->content.last_content_ns = shown->content_ns; /* content goes on from there */
    ES__CHECK(es__check_frame(loop, &before, true, INT64_MIN));
}

void es__loop_follow_ticks(es_loop *loop, int64_t index, int64_t time_ns, const es__ticker *base)
{
    es__ticker *ticker = &loop->ticker;
    bool countable =
            base != NULL && base->base_index <= index && es__is_same_rate(base->rate, ticker->rate);
    bool same = ticker->index == index && ticker->time_ns == time_ns
                && (!countable || ticker->base_index == base->base_index);
    if (same) {
        return;
    }
    ticker->index = index;
    ticker->time_ns = time_ns;
    es__ticker_set_rate(ticker, ticker->rate);
    if (countable) {
        ticker->base_index = base->base_index;
        ticker->base_ns = base->base_ns;
    }
    es__ticker_seek(ticker, index);
}

void es__loop_follow_rate(es_loop *loop, es_rate rate)
{
    es__content_config content = loop->content.config;
    es__display_config display = loop->display.config;
    if (es__is_same_rate(rate, loop->ticker.rate) || es__ticks_are_running(loop)) {
        return;
    }
    content.delay_ns = es__delay_ns(rate, loop->rules.delay_ticks);
    display.tick_ns = es__rate_period_ns(rate);
    es__content_reconfigure(&loop->content, &content);
    es__display_reconfigure(&loop->display, &display);
    es__ticker_set_rate(&loop->ticker, rate);
    loop->pacer.config.window_ns = es__pacer_window_ns(rate);
    es__update_bound(loop);
}
