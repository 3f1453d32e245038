/* SPDX-License-Identifier: Zlib
 *
 * The render side. The plan of a frame is the loop's; what it shows is decided here, when drawing
 * begins, by the ticks that have run by then.
 */
#include "threads.h"

#include "loop/loop.h"

/* --- which ticks ------------------------------------------------------------------------------ */

static const es__exchange_tick *newest_of(const es__exchange_view *view)
{
    return view->ticks[0];
}

static const es__exchange_tick *oldest_of(const es__exchange_view *view)
{
    return view->ticks[view->count - 1];
}

/* Whether the view is kept, because it has C in it: a pause goes on with what it shows, and a late
 * frame does not lose its pair. */
static bool is_kept(const es_threads *threads, const es__ticks_post *post, int64_t wanted_ns)
{
    const es__exchange_view *view = threads->render.view;
    const es_loop *loop = threads->loop;
    if (wanted_ns > newest_of(view)->time_ns
            || !es__generation_reached(threads->render.post.generation, post->generation)) {
        return false; /* or the state of the last seek has not been shown yet */
    }
    bool late = loop->report.frame.late_ns > es__rate_period_ns(newest_of(view)->rate) / 2;
    return loop->content.paused || late;
}

/* --- where content goes ----------------------------------------------------------------------- */

/* C, which never goes back. */
static int64_t content_now_ns(const es_threads *threads)
{
    return es__max(es__loop_due_content_ns(threads->loop), threads->render.shown_ns);
}

/* Where the ticks are now, by their line; never past the newest. After a gap they are past C: they
 * went on. */
static int64_t ticks_content_ns(es_threads *threads)
{
    const es__threads_render *render = &threads->render;
    const es__ticks_post *post = es__newest_post(&threads->from_ticks);
    int64_t suspended_ns = post->counts_sleep ? render->suspended_ns : 0;
    const es__render_post line =
            es__line_after(&render->post, post->dropped_ns, post->slow_motion_ns, suspended_ns);
    int64_t content_ns = es__line_content_ns(&line, threads->loop->report.frame.start_ns);
    return es__min(content_ns, newest_of(render->view)->time_ns);
}

static void reanchor(es_threads *threads, es__shown *made, int64_t content_ns)
{
    made->reanchored_ns = es__loop_reanchor(threads->loop, content_ns);
    made->wanted_ns = content_ns;
}

/* How far C is past the last frame; below 0: before it. */
static int64_t content_past_ns(const es_threads *threads)
{
    return es__loop_due_content_ns(threads->loop) - threads->render.shown_ns;
}

/* The update thread has dropped time: C is earlier by that, but never before the last frame. A
 * pause or another speed may have come between, and the time was never missing. */
static void yield_dropped(es_threads *threads, es__shown *made, const es__ticks_post *post)
{
    int64_t dropped_ns = post->dropped_ns - threads->render.post.dropped_ns;
    threads->render.post.dropped_ns = post->dropped_ns;
    made->dropped_ns = es__min(dropped_ns, es__not_negative(content_past_ns(threads)));
    es__content_drop(&threads->loop->content, made->dropped_ns);
}

/* The cost of a tick that slow motion allows for. The dearest ticks are in time, too, so that no
 * frame waits; but those over 4/3 of the mean would slow the game for the sake of few. Where the mean
 * fits with 1/8 to spare, slow motion ends. */
static int64_t cost_to_allow_ns(const es__ticks_post *post, int64_t worth_ns)
{
    int64_t most_ns = es__min(post->cost_most_ns, post->cost_ns + post->cost_ns / 3);
    bool fits = post->cost_ns < worth_ns - worth_ns / 8;
    return fits ? post->cost_ns : es__max(post->cost_ns, most_ns);
}

/* The update thread cannot keep up. Content stops for the shortage and the lead, so that the next ticks
 * are in time. Then it slows to what ticks can do. */
static void slow_down(es_threads *threads, es__shown *made, const es__ticks_post *post)
{
    es__ratio scale = threads->loop->content.scale;
    int64_t slow_motion_ns = post->slow_motion_ns - threads->render.post.slow_motion_ns;
    int64_t lead_ns = es__rate_span_ns(post->rate, threads->lead_ticks);
    int64_t most_ns = es__not_negative(content_past_ns(threads) + lead_ns);
    int64_t worth_ns = 0, cost_ns = 0;
    threads->render.post.slow_motion_ns = post->slow_motion_ns;
    if (post->cost_ns > 0 && scale.numerator > 0) {
        worth_ns = es__ns_unscale(es__rate_period_ns(post->rate), scale);
        cost_ns = cost_to_allow_ns(post, worth_ns);
    }
    made->slow_motion_ns = es__min(slow_motion_ns, most_ns);
    es__loop_withhold(threads->loop, made->slow_motion_ns, worth_ns, cost_ns);
}

/* The first tick after es_threads_start may take a period, as all others. So content begins that far
 * before it needs the tick. */
static void put_back_at_start(es_threads *threads, es__shown *made)
{
    const es__exchange_tick *newest = newest_of(threads->render.view);
    int64_t period_ns = es__rate_period_ns(newest->rate);
    int64_t past_ns = es__loop_due_content_ns(threads->loop) - newest->time_ns + period_ns;
    made->slow_motion_ns = es__not_negative(es__min(past_ns, period_ns));
    es__content_slow_by(&threads->loop->content, made->slow_motion_ns);
    made->wanted_ns = content_now_ns(threads);
}

/* The state of a seek is shown as it is. Another seek may have been posted since. */
static bool show_sought(es_threads *threads, es__shown *made)
{
    es__threads_render *render = &threads->render;
    const es__exchange_view *view = render->view;
    const es__ticks_post *post = es__newest_post(&threads->from_ticks);
    if (es__generation_reached(render->post.generation, newest_of(view)->generation)) {
        return false;
    }
    render->post.dropped_ns = post->dropped_ns; /* of the time before the seek */
    render->post.slow_motion_ns = post->slow_motion_ns;
    made->wanted_ns = oldest_of(view)->time_ns;
    made->shown_ns = made->wanted_ns;
    made->moved_ns = es__loop_move(threads->loop, made->wanted_ns);
    made->status = ES__VIEW_GAP;
    made->age = view->count - 1;
    return true;
}

/* C is before all ticks. Ticks may run this far ahead of C after a late frame, or after a frame
 * that aimed a refresh further; then C waits. Further, they have gone on without frames. */
static void show_oldest(es_threads *threads, es__shown *made)
{
    const es__exchange_tick *oldest = oldest_of(threads->render.view);
    int64_t short_ns = oldest->time_ns - made->wanted_ns;
    int64_t ahead_ns = es__rate_span_ns(oldest->rate, threads->lead_ticks + 1);
    made->age = threads->render.view->count - 1;
    if (short_ns > es__max(ahead_ns, threads->loop->report.frame.interval_ns) + 1) {
        reanchor(threads, made, oldest->time_ns);
    }
    made->shown_ns = oldest->time_ns;
    made->status = ES__VIEW_GAP;
}

static void show_newest(const es_threads *threads, es__shown *made)
{
    int64_t newest_ns = newest_of(threads->render.view)->time_ns;
    int64_t most_ns = newest_ns + threads->config.ahead_max_ns;
    bool within = made->wanted_ns <= most_ns;
    made->status = within ? ES__VIEW_EXTRAPOLATED : ES__VIEW_HELD;
    made->shown_ns = within ? made->wanted_ns : most_ns;
    made->age = 0;
}

/* t(previous) < C <= t(current), by the ticks' own times. */
static void show_between(const es__exchange_view *view, es__shown *made)
{
    int32_t age = view->count - 1;
    while (age > 0 && view->ticks[age]->time_ns < made->wanted_ns) {
        age -= 1;
    }
    made->status = ES__VIEW_INTERPOLATED;
    made->shown_ns = made->wanted_ns;
    made->age = age;
}

#if ES__ASSERTS
/* What is shown lies in the view, where the status says; only a seek goes back. */
static void check_shown(const es_threads *threads, const es__shown *made)
{
    const es__exchange_view *view = threads->render.view;
    bool gap = made->status == ES__VIEW_GAP, between = made->status == ES__VIEW_INTERPOLATED;
    ES__ASSERT_IN(made->age, 0, view->count - 1);
    int64_t past_ns = made->shown_ns - view->ticks[made->age]->time_ns;
    ES__ASSERT(gap || made->shown_ns >= threads->render.shown_ns, made->shown_ns, made->status);
    ES__ASSERT(gap ? past_ns == 0 : made->shown_ns <= made->wanted_ns, past_ns);
    ES__ASSERT(gap || (between ? past_ns <= 0 : past_ns >= 0), past_ns, made->status);
    ES__ASSERT_IS(past_ns, <=, threads->config.ahead_max_ns);
    ES__ASSERT(made->dropped_ns >= 0 && made->slow_motion_ns >= 0, made->dropped_ns);
}
#endif

static es__shown choose(es_threads *threads)
{
    es__shown made = {.wanted_ns = content_now_ns(threads)};
    made.shown_ns = made.wanted_ns;
    if (!is_kept(threads, es__newest_post(&threads->from_ticks), made.wanted_ns)) {
        threads->render.view = es__exchange_acquire(&threads->states);
    }
    const es__exchange_view *view = threads->render.view;
    if (show_sought(threads, &made)) {
        return made;
    }
    if (threads->render.fresh) {
        put_back_at_start(threads, &made);
    } else {
        int64_t there_ns = ticks_content_ns(threads);
        const es__ticks_post *post = es__newest_post(&threads->from_ticks);
        yield_dropped(threads, &made, post);
        slow_down(threads, &made, post);
        made.wanted_ns = content_now_ns(threads);
        if (threads->loop->report.frame.gap.kind != ES_GAP_NONE && there_ns > made.wanted_ns) {
            reanchor(threads, &made, there_ns);
        }
    }
    if (made.wanted_ns > newest_of(view)->time_ns) {
        show_newest(threads, &made);
    } else if (made.wanted_ns < oldest_of(view)->time_ns) {
        show_oldest(threads, &made);
    } else {
        show_between(view, &made);
    }
    return made;
}

/* --- the hooks of the loop -------------------------------------------------------------------- */

/* The pair's older tick: the newer one itself if there is none before it. */
static int32_t previous_age(const es__exchange_view *view, int32_t age)
{
    return age + 1 < view->count ? age + 1 : age;
}

/* After a change of rate or a seek the loop's own ticks count from the tick shown. */
static void follow_ticks(es_threads *threads, const es__shown *made)
{
    const es__exchange_tick *current = threads->render.view->ticks[made->age];
    const es__ticks_post *post = es__newest_post(&threads->from_ticks);
    const es__ticker base = {
            .base_index = post->base_index, .base_ns = post->base_ns, .rate = post->rate};
    if (made->status == ES__VIEW_INTERPOLATED || made->status == ES__VIEW_GAP) {
        es__loop_follow_ticks(threads->loop, current->index, current->time_ns, &base);
    }
}

/* Before a frame is planned: the rate of the ticks around the last frame. The machine may sleep while
 * the loop waits for the start that is planned. */
void es__threads_before(void *user)
{
    es_threads *threads = user;
    const es__exchange_view *view = threads->render.view;
    int64_t shown_ns = threads->render.shown_ns;
    threads->render.suspended_ns = threads->loop->gap.since.suspended_ns;
    for (int32_t age = 0; age + 1 < view->count; ++age) {
        if (view->ticks[age + 1]->time_ns <= shown_ns && shown_ns < view->ticks[age]->time_ns) {
            es__loop_follow_rate(threads->loop, view->ticks[age]->rate);
        }
    }
}

void es__threads_planned(void *user)
{
    es_threads *threads = user;
    es_loop *loop = threads->loop;
    es__threads_render *render = &threads->render;
    es__shown made = choose(threads);
    ES__CHECK(check_shown(threads, &made));
    const es__exchange_view *view = render->view;
    const es__exchange_tick *newest = newest_of(view);
    const es__exchange_tick *current = view->ticks[made.age];
    const es__exchange_tick *previous = view->ticks[previous_age(view, made.age)];
    const es__loop_shown shown = {
            .content_ns = made.shown_ns,
            .dropped_ns = made.dropped_ns,
            .slow_motion_ns = made.slow_motion_ns,
            .moved_ns = made.moved_ns,
            .reanchored_ns = made.reanchored_ns,
            .previous_tick = previous->index,
            .previous_ns = previous->time_ns,
            .current_tick = current->index,
            .current_ns = current->time_ns,
            .newest_tick = newest->index,
            .newest_ns = newest->time_ns,
    };
    es__loop_show(loop, &shown);
    render->shown = made;
    render->shown_ns = made.shown_ns;
    render->post.generation = newest->generation;
    render->fresh = false;
    follow_ticks(threads, &made);
    bool anew = loop->report.frame.gap.kind != ES_GAP_NONE || loop->content.paused
                || made.dropped_ns != 0 || made.slow_motion_ns != 0 || made.moved_ns != 0
                || made.reanchored_ns != 0;
    es__draw_line(threads, loop->report.frame.start_ns, anew);
    es__post_content(threads);
}

bool es_threads_view(const es_threads *threads, es_view *view)
{
    if (threads == NULL || view == NULL || threads->render.fresh) {
        return es__fail(ES_ERR_STATE, "es_threads_view", NULL) == ES_OK;
    }
    const es__exchange_view *states = threads->render.view;
    const es__shown *shown = &threads->render.shown;
    *view = (es_view){
            .previous = states->states[previous_age(states, shown->age)],
            .current = states->states[shown->age],
            .late_ns = shown->status == ES__VIEW_GAP ? 0 : shown->wanted_ns - shown->shown_ns,
            .count = states->count,
    };
    for (int i = 0; i < ES_VIEW_TICKS; ++i) {
        view->states[i] = states->states[i];
        view->times_ns[i] = states->ticks[i]->time_ns;
    }
    return true;
}
