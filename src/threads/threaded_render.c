/* SPDX-License-Identifier: Zlib
 *
 * The render thread. The plan of a frame is the loop's; what it shows is decided here, when the
 * frame starts, by the ticks that have run by then.
 *
 * The loop also runs ticks of its own, which nobody uses. They are kept in step with the real ones,
 * because display timing needs to know how content lies between ticks.
 */
#include "evenstep/threaded.h"

#include "base/common.h"
#include "loop/loop_parts.h"
#include "threaded_parts.h"
#include "loop/loop_parts.h"

/* What a frame shows. */
typedef struct choice {
    es_threaded_status status;
    int64_t wanted_ns; /* C */
    int64_t shown_ns;
    int64_t moved_ns;
    int64_t given_ns;       /* C yields to the update thread: dropped */
    int64_t slow_motion_ns; /* or withheld */
    int32_t age;            /* of the pair's newer tick, in the view */
} choice;

/* --- which ticks ------------------------------------------------------------------------------ */

static const es_exchange_tick *newest_of(const es_exchange_view *view)
{
    return view->ticks[0];
}

static const es_exchange_tick *oldest_of(const es_exchange_view *view)
{
    return view->ticks[view->count - 1];
}

static const es__ticks_post *render_read_post(es_threaded *threaded)
{
    return es__newest_post(&threaded->from_ticks);
}

/* Whether the state of the last seek has not been shown yet. */
static bool is_sought(const es__ticks_post *post, uint32_t generation)
{
    return post != NULL && !es__generation_reached(generation, post->generation);
}

/* Whether the view is kept, because it has C in it: a pause goes on with what it shows, and a late
 * frame does not lose its pair. */
static bool is_kept(const es_threaded *threaded, const es__ticks_post *post, int64_t wanted_ns)
{
    const es_exchange_view *view = threaded->render.view;
    const es_loop *loop = &threaded->loop;
    if (view->count == 0 || wanted_ns > newest_of(view)->time_ns
            || is_sought(post, threaded->render.generation)) {
        return false;
    }
    bool late = loop->report.frame.late_ns > es__rate_period_ns(newest_of(view)->rate) / 2;
    return loop->content.paused || late;
}

/* --- where content goes ----------------------------------------------------------------------- */

/* C, which never goes back. */
static int64_t content_now_ns(const es_threaded *threaded)
{
    const es_content *content = &threaded->loop.content;
    int64_t due_ns = es__content_unclamped_at(content, content->last_present_ns);
    return es__max(due_ns, threaded->render.shown_ns);
}

/* Shows this instant; content goes on from it. */
static void render_move_content(es_threaded *threaded, choice *made, int64_t content_ns)
{
    es_content *content = &threaded->loop.content;
    int64_t seeked_ns = content->seeked_ns;
    es__content_place(content, content_ns);
    made->moved_ns = es__ns_sub(content->seeked_ns, seeked_ns);
    made->wanted_ns = content_ns;
    made->shown_ns = content_ns;
    made->status = ES_THREADED_GAP;
}

/* How far C is past the last frame; below 0: before it. */
static int64_t content_past_ns(const es_threaded *threaded)
{
    const es_content *content = &threaded->loop.content;
    int64_t due_ns = es__content_unclamped_at(content, content->last_present_ns);
    return es__ns_sub(due_ns, threaded->render.shown_ns);
}

void es__return_to_shown(es_threaded *threaded)
{
    es__content_drop(&threaded->loop.content, content_past_ns(threaded)); /* below 0: nothing */
}

/* The update thread has dropped time: C is earlier by that, but never before the last frame. A
 * pause or another speed may have come between, and the time was never missing. */
static void render_yield(es_threaded *threaded, choice *made, const es__ticks_post *post)
{
    int64_t dropped_ns = es__ns_sub(post->dropped_ns, threaded->render.dropped_ns);
    threaded->render.dropped_ns = post->dropped_ns;
    made->given_ns = es__min(dropped_ns, es__not_negative(content_past_ns(threaded)));
    es__content_drop(&threaded->loop.content, made->given_ns);
}

/* The update thread cannot keep up. Content is withheld, by the lead more than it asks, so that the
 * ticks from here on are in time; meanwhile the frame stands. Then it slows to what ticks can
 * do. */
static void slow_down(es_threaded *threaded, choice *made, const es__ticks_post *post)
{
    es_content *content = &threaded->loop.content;
    int64_t slow_motion_ns = es__ns_sub(post->slow_motion_ns, threaded->render.slow_motion_ns);
    int64_t lead_ns = es_rate_time_ns(post->rate, threaded->lead_ticks);
    int64_t most_ns = es__not_negative(es__ns_add(content_past_ns(threaded), lead_ns));
    threaded->render.slow_motion_ns = post->slow_motion_ns;
    if (post->cost_ns > 0 && content->scale.numerator > 0) {
        int64_t worth_ns = es__real_ns(es__rate_period_ns(post->rate), content->scale);
        es__content_set_capacity(content, worth_ns, post->cost_ns);
    }
    made->slow_motion_ns = es__min(slow_motion_ns, most_ns);
    es__content_slow(content, content->last_present_ns, made->slow_motion_ns);
    es__content_apply_slow(content);
}

static void follow_shortage(es_threaded *threaded, choice *made)
{
    const es__ticks_post *post = render_read_post(threaded);
    if (post != NULL) {
        render_yield(threaded, made, post);
        slow_down(threaded, made, post);
        made->wanted_ns = content_now_ns(threaded);
    }
}

/* Whether C lies in the first ticks, and no frame has waited for them. */
static bool begins_well(const es_threaded *threaded, int64_t wanted_ns)
{
    const es_exchange_view *view = threaded->render.view;
    int64_t oldest_ns = oldest_of(view)->time_ns;
    int64_t most_ns = threaded->render.waited ? oldest_ns : newest_of(view)->time_ns;
    return threaded->render.generation == 0 && wanted_ns >= oldest_ns && wanted_ns <= most_ns;
}

/* The state of a seek is shown as it is. The first state of all is no gap. */
static bool show_sought(es_threaded *threaded, choice *made)
{
    es_threaded_render *render = &threaded->render;
    const es_exchange_view *view = render->view;
    const es__ticks_post *post = render_read_post(threaded);
    uint32_t generation = newest_of(view)->generation;
    bool first = render->generation == 0;
    if (!is_sought(post, render->generation) || is_sought(post, generation)) {
        return false;
    }
    render->dropped_ns = post->dropped_ns; /* of the time before the seek */
    render->slow_motion_ns = post->slow_motion_ns;
    if (begins_well(threaded, made->wanted_ns)) {
        return false;
    }
    render_move_content(threaded, made, oldest_of(view)->time_ns);
    made->status = first ? ES_THREADED_INTERPOLATED : ES_THREADED_GAP;
    made->age = view->count - 1;
    return true;
}

/* On a display a late frame leaves content behind, which is recovered little by little. Where
 * content was moved, there is that much less to recover: else it would end up ahead. */
static void forgive_offset(es_loop *loop, int64_t moved_ns)
{
    int64_t behind_ns = es__not_negative(loop->report.frame.account.offset_ns);
    int64_t forgiven_ns = moved_ns < behind_ns ? moved_ns : behind_ns;
    loop->display.removed_ns = es__ns_add(loop->display.removed_ns, forgiven_ns);
}

/* C is before all ticks. Ticks may run this far ahead of C after a late frame, or after a frame
 * that aimed a refresh further; then C waits. Further, they have gone on without frames. */
static void show_oldest(es_threaded *threaded, choice *made)
{
    const es_exchange_tick *oldest = oldest_of(threaded->render.view);
    int64_t short_ns = es__ns_sub(oldest->time_ns, made->wanted_ns);
    int64_t ahead_ns = es_rate_time_ns(oldest->rate, threaded->lead_ticks + 1);
    made->age = threaded->render.view->count - 1;
    if (short_ns > es__max(ahead_ns, threaded->loop.report.frame.interval_ns) + 1) {
        render_move_content(threaded, made, oldest->time_ns);
        forgive_offset(&threaded->loop, made->moved_ns);
    }
    made->shown_ns = oldest->time_ns;
    made->status = ES_THREADED_GAP;
}

static void show_newest(const es_threaded *threaded, choice *made)
{
    int64_t newest_ns = newest_of(threaded->render.view)->time_ns;
    int64_t most_ns = es__ns_add(newest_ns, threaded->render.ahead_max_ns);
    bool within = made->wanted_ns <= most_ns;
    made->status = within ? ES_THREADED_EXTRAPOLATED : ES_THREADED_HELD;
    made->shown_ns = within ? made->wanted_ns : most_ns;
    made->age = 0;
}

/* t(previous) < C <= t(current), by the ticks' own times. */
static void show_between(const es_exchange_view *view, choice *made)
{
    int32_t age = view->count - 1;
    while (age > 0 && view->ticks[age]->time_ns < made->wanted_ns) {
        age -= 1;
    }
    made->status = ES_THREADED_INTERPOLATED;
    made->shown_ns = made->wanted_ns;
    made->age = age;
}

/* Without a state content does not run: each frame is the first one. */
static void stand_at_start(es_threaded *threaded, choice *made)
{
    es_content *content = &threaded->loop.content;
    int64_t seeked_ns = content->seeked_ns;
    es__content_place(content, es__ns_sub(0, content->config.delay_ns));
    made->moved_ns = es__ns_sub(content->seeked_ns, seeked_ns);
    made->wanted_ns = 0;
    made->shown_ns = 0;
    made->status = ES_THREADED_EMPTY;
    threaded->render.waited = true;
}

static choice choose(es_threaded *threaded)
{
    choice made = {.wanted_ns = content_now_ns(threaded)};
    made.shown_ns = made.wanted_ns;
    if (!is_kept(threaded, render_read_post(threaded), made.wanted_ns)) {
        threaded->render.view = es__exchange_acquire(&threaded->states);
    }
    const es_exchange_view *view = threaded->render.view;
    if (view->count == 0) {
        stand_at_start(threaded, &made);
        return made;
    }
    if (show_sought(threaded, &made)) {
        return made;
    }
    follow_shortage(threaded, &made);
    if (made.wanted_ns > newest_of(view)->time_ns) {
        show_newest(threaded, &made);
    } else if (made.wanted_ns < oldest_of(view)->time_ns) {
        show_oldest(threaded, &made);
    } else {
        show_between(view, &made);
    }
    return made;
}

/* --- what the frame says ---------------------------------------------------------------------- */

static double render_alpha_between(
        const es_exchange_tick *previous, const es_exchange_tick *current, int64_t content_ns)
{
    if (content_ns >= current->time_ns) {
        return 1.0;
    }
    return (double)(content_ns - previous->time_ns)
           / (double)(current->time_ns - previous->time_ns);
}

/* The pair's older tick: the newer one itself if there is none before it. */
static const es_exchange_tick *previous_of(const es_exchange_view *view, const choice *made)
{
    bool alone = made->age + 1 >= view->count;
    return view->ticks[alone ? made->age : made->age + 1];
}

static void render_fill_pair(es_threaded *threaded, es_frame *frame, const choice *made)
{
    es_threaded_render *render = &threaded->render;
    const es_exchange_view *view = render->view;
    const es_exchange_tick *newest = newest_of(view);
    const es_exchange_tick *current = view->ticks[made->age];
    const es_exchange_tick *previous = previous_of(view, made);
    frame->previous_tick = previous->index;
    frame->current_tick = current->index;
    frame->previous_ns = previous->time_ns;
    frame->current_ns = current->time_ns;
    frame->alpha = render_alpha_between(previous, current, made->shown_ns);
    frame->newest_tick = newest->index;
    frame->newest_ns = newest->time_ns;
    frame->ahead_ns = es__not_negative(es__ns_sub(made->shown_ns, newest->time_ns));
    int64_t more = es__ns_sub(newest->index, render->newest);
    frame->ticks = more > 0 && more <= INT32_MAX ? (int32_t)more : 0;
    render->newest = newest->index;
    render->generation = newest->generation;
}

static void clear_pair(es_frame *frame)
{
    frame->previous_tick = frame->current_tick = frame->newest_tick = 0;
    frame->previous_ns = frame->current_ns = frame->newest_ns = 0;
    frame->alpha = 1.0;
    frame->ahead_ns = 0;
    frame->ticks = 0;
}

/* The loop has planned to show C. The account says why the frame shows something else. */
static void amend_account(es_threaded *threaded, es_frame *frame, const choice *made)
{
    es_account *account = &frame->account;
    int64_t less_ns = es__ns_sub(frame->content_ns, made->shown_ns);
    int64_t elsewhere_ns = es__ns_add(made->given_ns, made->slow_motion_ns);
    elsewhere_ns = es__ns_sub(elsewhere_ns, made->moved_ns);
    account->clamped_ns = es__ns_add(account->clamped_ns, es__ns_sub(less_ns, elsewhere_ns));
    account->dropped_ns = es__ns_add(account->dropped_ns, made->given_ns);
    account->slowed_ns = es__ns_add(account->slowed_ns, made->slow_motion_ns);
    account->slow_motion_ns = es__ns_add(account->slow_motion_ns, made->slow_motion_ns);
    account->seeked_ns = es__ns_add(account->seeked_ns, made->moved_ns);
    frame->account.frame_dropped_ns = es__ns_add(frame->account.frame_dropped_ns, made->given_ns);
    frame->account.frame_slow_motion_ns = es__ns_add(frame->account.frame_slow_motion_ns, made->slow_motion_ns);
    frame->content_ns = made->shown_ns;
    threaded->loop.dropped_before_ns = account->dropped_ns;
    threaded->loop.slow_motion_before_ns = account->slow_motion_ns;
    threaded->render.shown_ns = made->shown_ns;
    es__content_shown(&threaded->loop.content, made->shown_ns);
}

static void fill(const es_threaded *threaded, const choice *made, es_threaded_frame *frame)
{
    const es_exchange_view *view = threaded->render.view;
    *frame = (es_threaded_frame){
            .frame = threaded->loop.report.frame,
            .status = made->status,
            .wanted_ns = made->wanted_ns,
            .moved_ns = made->moved_ns,
            .view = view,
            .age = made->age,
    };
    if (view->count > 0) {
        bool alone = previous_of(view, made) == view->ticks[made->age];
        frame->current = view->states[made->age];
        frame->previous = view->states[alone ? made->age : made->age + 1];
    }
}

/* --- the loop follows the ticks --------------------------------------------------------------- */

/* After a change of rate or a seek the loop's own ticks count from the tick shown; once that is
 * past the base of the update thread's count, from that base, equal to the nanosecond. */
static void follow_ticks(es_threaded *threaded, const choice *made)
{
    es_ticker *ticker = &threaded->loop.ticker;
    const es_exchange_tick *current = threaded->render.view->ticks[made->age];
    const es__ticks_post *post = render_read_post(threaded);
    bool countable = post != NULL && post->base_index <= current->index
                     && es__is_same_rate(post->rate, ticker->rate);
    bool same = ticker->index == current->index && ticker->time_ns == current->time_ns
                && (!countable || ticker->base_index == post->base_index);
    bool between = made->status == ES_THREADED_INTERPOLATED || made->status == ES_THREADED_GAP;
    if (same || !between) {
        return;
    }
    ticker->index = current->index;
    ticker->time_ns = current->time_ns;
    es__ticker_set_rate(ticker, ticker->rate);
    if (countable) {
        ticker->base_index = post->base_index;
        ticker->base_ns = post->base_ns;
    }
    es__ticker_seek(ticker, current->index);
}

/* Before a frame is planned: the rate of the ticks around the last frame. */
static void follow_rate(es_threaded *threaded)
{
    const es_exchange_view *view = threaded->render.view;
    int64_t shown_ns = threaded->render.shown_ns;
    for (int32_t age = 0; age + 1 < view->count; ++age) {
        es_rate rate = view->ticks[age]->rate;
        bool between =
                view->ticks[age + 1]->time_ns <= shown_ns && shown_ns < view->ticks[age]->time_ns;
        if (between && !es__is_same_rate(rate, es__loop_tick_rate(&threaded->loop))) {
            es__loop_set_tick_rate(&threaded->loop, rate);
            threaded->render.tick_rate = rate;
        }
    }
}

/* --- the calls -------------------------------------------------------------------------------- */

/* What ended the update thread: ES_OK if nothing has. */
static es_result ticks_result(es_threaded *threaded)
{
    const es__ticks_post *post = threaded->render.running ? render_read_post(threaded) : NULL;
    if (post == NULL || !post->ended || post->status == 0) {
        return ES_OK;
    }
    return post->status < 0 ? (es_result)post->status : ES_ERR_STATE;
}

es_result es_threaded_begin(es_threaded *threaded)
{
    if (!es__is_threaded(threaded)) {
        return ES_ERR_STATE;
    }
    es_result result = ticks_result(threaded);
    return result == ES_OK && !es_loop_begin(&threaded->loop) ? ES_ERR_STATE : result;
}

/* Whether the lines of frames before do not extend to this frame. */
static bool is_off_line(const es_threaded *threaded, const choice *made)
{
    bool gap = threaded->loop.report.frame.gap.kind != ES_GAP_NONE;
    bool yielded = made->given_ns != 0 || made->slow_motion_ns != 0;
    return gap || yielded || made->moved_ns != 0 || threaded->loop.content.paused;
}

es_result es_threaded_ready(es_threaded *threaded, es_threaded_frame *frame)
{
    if (!es__is_threaded(threaded) || threaded->loop.phase != ES_LOOP_TICKING) {
        return ES_ERR_STATE;
    }
    es_step step;
    es_loop *loop = &threaded->loop;
    follow_rate(threaded);
    while (es_loop_tick(loop, &step)) {
        /* not run */
    }
    es_loop_wait(loop, NULL);
    choice made = choose(threaded);
    amend_account(threaded, &loop->report.frame, &made);
    if (made.status == ES_THREADED_EMPTY) {
        clear_pair(&loop->report.frame);
    } else {
        render_fill_pair(threaded, &loop->report.frame, &made);
        follow_ticks(threaded, &made);
    }
    threaded->render.fresh = false;
    es__draw_line(threaded, loop->report.frame.start_ns, is_off_line(threaded, &made));
    es__post_content(threaded);
    if (frame != NULL) {
        fill(threaded, &made, frame);
    }
    return ES_OK;
}

es_result es_threaded_submit(es_threaded *threaded)
{
    return es__is_threaded(threaded) && es_loop_submit(&threaded->loop) ? ES_OK : ES_ERR_STATE;
}

es_result es_threaded_end(es_threaded *threaded)
{
    return es__is_threaded(threaded) && es_loop_end(&threaded->loop) ? ES_OK : ES_ERR_STATE;
}

es_result es_threaded_presented(es_threaded *threaded, const es_present *sample)
{
    return es__is_threaded(threaded) ? (es_loop_presented(&threaded->loop, sample), ES_OK) : ES_ERR_STATE;
}

const es_report *es_threaded_report(const es_threaded *threaded)
{
    return es__is_threaded(threaded) ? es_loop_report(&threaded->loop) : NULL;
}

es_display es_threaded_display(const es_threaded *threaded)
{
    return es_loop_display(es__is_threaded(threaded) ? &threaded->loop : NULL);
}
