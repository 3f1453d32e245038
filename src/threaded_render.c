/* SPDX-License-Identifier: Zlib
 *
 * The render half: a loop whose ticks are not its own. The plan of a frame is the loop's; what is
 * shown of it is decided here, when the frame starts, by the ticks that are there then.
 *
 * The loop also runs ticks, to nobody: they are where the real ones should be. They are kept in
 * step with those because the display asks how content lies between ticks.
 */
#include "evenstep/threaded.h"

#include "loop_parts.h"
#include "threaded_parts.h"

/* What a frame shows, in the making. */
typedef struct choice {
    es_threaded_status status;
    int64_t wanted_ns; /* C */
    int64_t shown_ns;
    int64_t moved_ns;
    int64_t given_ns; /* C gave way to the tick half */
    int32_t age;      /* of the pair's newer tick, in the view */
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

static const es__ticks_post *read_post(es_threaded *threaded)
{
    return es__newest_post(&threaded->from_ticks);
}

/* Whether the state that was sought last is yet to be shown. */
static bool is_sought(const es__ticks_post *post, uint32_t generation)
{
    return post != NULL && !es__generation_reached(generation, post->seek_generation);
}

/* Whether what is held is kept, as it has C in it. A pause goes on with what it shows; a frame that
 * is late does not lose its pair; and where another generation has begun, all of what was before it
 * is shown first. */
static bool is_kept(const es_threaded *threaded, const es__ticks_post *post, int64_t wanted_ns)
{
    const es_exchange_view *view = threaded->render.view;
    const es_loop *loop = &threaded->loop;
    if (view->count == 0 || wanted_ns > newest_of(view)->time_ns
            || is_sought(post, threaded->render.generation)) {
        return false;
    }
    bool late = loop->report.frame.late_ns > es_rate_period_ns(newest_of(view)->rate) / 2;
    bool cut = post != NULL && post->generation != newest_of(view)->generation;
    return loop->content.paused || late || cut;
}

/* --- where content goes ----------------------------------------------------------------------- */

/* C, as far as it may not go back. */
static int64_t content_now_ns(const es_threaded *threaded)
{
    const es_content *content = &threaded->loop.content;
    int64_t due_ns = es_content_due_at(content, content->last_present_ns);
    return es__larger(due_ns, threaded->render.shown_ns);
}

/* The frame shows this instant, and content goes on from it. */
static void move_content(es_threaded *threaded, choice *made, int64_t content_ns)
{
    es_content *content = &threaded->loop.content;
    int64_t sought_ns = content->sought_ns;
    es_content_place(content, content_ns);
    made->moved_ns = es_ns_sub(content->sought_ns, sought_ns);
    made->wanted_ns = content_ns;
    made->shown_ns = content_ns;
    made->status = ES_THREADED_GAP;
}

/* The tick half has dropped time: C is that much earlier. But never before what is on the screen:
 * where a pause or another speed came between, it was short of time that never was. */
static void give_way(es_threaded *threaded, choice *made)
{
    es_content *content = &threaded->loop.content;
    const es__ticks_post *post = read_post(threaded);
    if (post == NULL) {
        return;
    }
    int64_t dropped_ns = es_ns_sub(post->dropped_ns, threaded->render.dropped_ns);
    int64_t due_ns = es_content_due_at(content, content->last_present_ns);
    int64_t most_ns = es__not_negative(es_ns_sub(due_ns, threaded->render.shown_ns));
    made->given_ns = dropped_ns < most_ns ? dropped_ns : most_ns;
    threaded->render.dropped_ns = post->dropped_ns;
    es_content_drop(content, made->given_ns);
    made->wanted_ns = content_now_ns(threaded);
}

/* A state that was sought is shown as it is, but for the first of all where the picture is there
 * already. */
static bool show_sought(es_threaded *threaded, choice *made)
{
    es_threaded_render *render = &threaded->render;
    const es_exchange_view *view = render->view;
    const es__ticks_post *post = read_post(threaded);
    uint32_t generation = newest_of(view)->generation;
    bool arrived = is_sought(post, render->generation) && !is_sought(post, generation);
    bool first = render->generation == 0;
    if (!arrived) {
        return false;
    }
    render->dropped_ns = post->dropped_ns; /* of another time */
    int64_t oldest_ns = oldest_of(view)->time_ns;
    if (first && made->wanted_ns >= oldest_ns && made->wanted_ns <= newest_of(view)->time_ns) {
        return false;
    }
    move_content(threaded, made, oldest_ns);
    made->age = view->count - 1;
    return true;
}

/* C is before all ticks. By as much as these may run ahead of a frame that passes, as the tick half
 * waits for it: a late frame, a cut, the frame after one that aimed a refresh further. For more it
 * has gone on without the renderer. */
static void show_oldest(es_threaded *threaded, choice *made)
{
    const es_exchange_tick *oldest = oldest_of(threaded->render.view);
    int64_t short_ns = es_ns_sub(oldest->time_ns, made->wanted_ns);
    int64_t ahead_ns = es_rate_events_to_ns(oldest->rate, threaded->lead_ticks + 1);
    made->age = threaded->render.view->count - 1;
    if (short_ns > es__larger(ahead_ns, threaded->loop.report.frame.interval_ns) + 1) {
        move_content(threaded, made, oldest->time_ns);
    }
    made->shown_ns = oldest->time_ns;
    made->status = ES_THREADED_GAP;
}

static void show_newest(const es_threaded *threaded, choice *made)
{
    int64_t newest_ns = newest_of(threaded->render.view)->time_ns;
    int64_t most_ns = es_ns_add(newest_ns, threaded->ahead_max_ns);
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

static choice choose(es_threaded *threaded)
{
    choice made = {.wanted_ns = content_now_ns(threaded)};
    made.shown_ns = made.wanted_ns;
    if (!is_kept(threaded, read_post(threaded), made.wanted_ns)) {
        threaded->render.view = es_exchange_acquire(&threaded->states);
    }
    const es_exchange_view *view = threaded->render.view;
    if (view->count == 0) {
        made.status = ES_THREADED_EMPTY;
        return made;
    }
    if (show_sought(threaded, &made)) {
        return made;
    }
    give_way(threaded, &made);
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

static double alpha_between(
        const es_exchange_tick *previous, const es_exchange_tick *current, int64_t content_ns)
{
    if (content_ns >= current->time_ns) {
        return 1.0;
    }
    return (double)(content_ns - previous->time_ns)
           / (double)(current->time_ns - previous->time_ns);
}

/* The tick before the pair's newer one, if the picture is blended with it. */
static const es_exchange_tick *previous_of(const es_exchange_view *view, const choice *made)
{
    bool alone = made->age + 1 >= view->count;
    return view->ticks[alone ? made->age : made->age + 1];
}

static void fill_pair(es_threaded *threaded, es_frame *frame, const choice *made)
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
    frame->alpha = alpha_between(previous, current, made->shown_ns);
    frame->newest_tick = newest->index;
    frame->newest_ns = newest->time_ns;
    frame->ahead_ns = es__not_negative(es_ns_sub(made->shown_ns, newest->time_ns));
    int64_t more = es_ns_sub(newest->index, render->newest);
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

/* The loop has planned to show C. The account says where what is not shown has gone. */
static void amend_account(es_threaded *threaded, es_frame *frame, const choice *made)
{
    es_account *account = &frame->account;
    int64_t less_ns = es_ns_sub(frame->content_ns, made->shown_ns);
    int64_t elsewhere_ns = es_ns_sub(made->given_ns, made->moved_ns);
    account->held_ns = es_ns_add(account->held_ns, es_ns_sub(less_ns, elsewhere_ns));
    account->dropped_ns = es_ns_add(account->dropped_ns, made->given_ns);
    account->sought_ns = es_ns_add(account->sought_ns, made->moved_ns);
    frame->dropped_ns = es_ns_add(frame->dropped_ns, made->given_ns);
    frame->content_ns = made->shown_ns;
    threaded->loop.dropped_before_ns = account->dropped_ns;
    threaded->render.shown_ns = made->shown_ns;
    es_content_shown(&threaded->loop.content, made->shown_ns);
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

/* --- what the loop and the tick half are told ------------------------------------------------- */

static bool is_same_rate(es_rate a, es_rate b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

/* Where ticks change their rate or are others, the loop's own follow: they count from the tick that
 * is shown; to the nanosecond, once that has come to where the tick half counts from. */
static void follow_ticks(es_threaded *threaded, const choice *made)
{
    es_ticker *ticker = &threaded->loop.ticker;
    const es_exchange_tick *current = threaded->render.view->ticks[made->age];
    const es__ticks_post *post = read_post(threaded);
    bool countable = post != NULL && post->base_index <= current->index
                     && is_same_rate(post->rate, ticker->rate);
    bool same = ticker->index == current->index && ticker->time_ns == current->time_ns
                && (!countable || ticker->base_index == post->base_index);
    bool between = made->status == ES_THREADED_INTERPOLATED || made->status == ES_THREADED_GAP;
    if (same || !between) {
        return;
    }
    ticker->index = current->index;
    ticker->time_ns = current->time_ns;
    es_ticker_set_rate(ticker, ticker->rate);
    if (countable) {
        ticker->base_index = post->base_index;
        ticker->base_ns = post->base_ns;
    }
    es_ticker_seek(ticker, current->index);
}

/* Before a frame is planned: the rate of the ticks that the last picture lies between. */
static void follow_rate(es_threaded *threaded)
{
    const es_exchange_view *view = threaded->render.view;
    int64_t shown_ns = threaded->render.shown_ns;
    for (int32_t age = 0; age + 1 < view->count; ++age) {
        es_rate rate = view->ticks[age]->rate;
        bool between =
                view->ticks[age + 1]->time_ns <= shown_ns && shown_ns < view->ticks[age]->time_ns;
        if (between && !is_same_rate(rate, es_loop_tick_rate(&threaded->loop))) {
            es_loop_set_tick_rate(&threaded->loop, rate);
        }
    }
}

static void post_content(es_threaded *threaded, int64_t instant_ns)
{
    const es_content *content = &threaded->loop.content;
    const es_ratio none = {0, 1};
    es__render_post post = {
            .instant_ns = instant_ns,
            .content_ns = es_content_due_at(content, content->last_present_ns),
            .dropped_ns = threaded->render.dropped_ns,
            .present_ns = es_gap_filter_to_clock(&threaded->loop.gap, content->last_present_ns),
            .delay_ns = content->config.delay_ns,
            .scale = content->paused ? none : content->scale,
            .generation = threaded->render.generation,
    };
    es__post(&threaded->from_render, &threaded->render.posts, &post, sizeof post);
}

/* Between frames: the speed has changed, and the next frame may be long in coming. */
static void post_change(es_threaded *threaded)
{
    const es_loop *loop = &threaded->loop;
    if (loop->content.started && !es__ticks_are_running(loop)) {
        post_content(threaded, loop->clock.now_ns(loop->clock.user));
    }
}

/* --- the calls -------------------------------------------------------------------------------- */

static bool is_initialised(const es_threaded *threaded)
{
    return threaded != NULL && threaded->initialised;
}

es_result es_threaded_begin(es_threaded *threaded)
{
    return is_initialised(threaded) ? es_loop_begin(&threaded->loop) : ES_ERR_STATE;
}

es_result es_threaded_ready(es_threaded *threaded, es_threaded_frame *frame)
{
    if (!is_initialised(threaded) || threaded->loop.phase != ES_LOOP_TICKING) {
        return ES_ERR_STATE;
    }
    es_step step;
    es_loop *loop = &threaded->loop;
    follow_rate(threaded);
    while (es_loop_tick(loop, &step)) {
        /* nobody's */
    }
    es_loop_ready(loop, NULL);
    choice made = choose(threaded);
    amend_account(threaded, &loop->report.frame, &made);
    if (made.status == ES_THREADED_EMPTY) {
        clear_pair(&loop->report.frame);
    } else {
        fill_pair(threaded, &loop->report.frame, &made);
        follow_ticks(threaded, &made);
    }
    post_content(threaded, loop->report.frame.start_ns);
    if (frame != NULL) {
        fill(threaded, &made, frame);
    }
    return ES_OK;
}

es_result es_threaded_submit(es_threaded *threaded)
{
    return is_initialised(threaded) ? es_loop_submit(&threaded->loop) : ES_ERR_STATE;
}

es_result es_threaded_end(es_threaded *threaded)
{
    return is_initialised(threaded) ? es_loop_end(&threaded->loop) : ES_ERR_STATE;
}

es_result es_threaded_tell(es_threaded *threaded, const es_present_sample *sample)
{
    return is_initialised(threaded) ? es_loop_tell(&threaded->loop, sample) : ES_ERR_STATE;
}

const es_frame_report *es_threaded_report(const es_threaded *threaded)
{
    return is_initialised(threaded) ? es_loop_report(&threaded->loop) : NULL;
}

es_display_status es_threaded_display(const es_threaded *threaded)
{
    return es_loop_display(is_initialised(threaded) ? &threaded->loop : NULL);
}

void es_threaded_pause(es_threaded *threaded, bool paused)
{
    if (is_initialised(threaded) && paused != es_loop_is_paused(&threaded->loop)) {
        es_loop_pause(&threaded->loop, paused);
        post_change(threaded);
    }
}

es_result es_threaded_step_once(es_threaded *threaded)
{
    return is_initialised(threaded) ? es_loop_step_once(&threaded->loop) : ES_ERR_STATE;
}

es_result es_threaded_set_time_scale(es_threaded *threaded, es_ratio scale)
{
    if (!is_initialised(threaded)) {
        return ES_ERR_STATE;
    }
    es_result result = es_loop_set_time_scale(&threaded->loop, scale);
    if (result == ES_OK) {
        post_change(threaded);
    }
    return result;
}
