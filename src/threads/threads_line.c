/* SPDX-License-Identifier: Zlib
 *
 * The line of content time that the update thread goes by: what content is at an instant, and how
 * fast it runs on. Each frame draws it anew and posts it.
 */
#include "loop/loop.h"
#include "threads.h"

#include <string.h>

/* The product, rounded until both terms fit 32 bits. */
static es__ratio product(es__ratio a, es__ratio b)
{
    uint64_t numerator = (uint64_t)a.numerator * b.numerator;
    uint64_t denominator = (uint64_t)a.denominator * b.denominator;
    while (numerator > UINT32_MAX || denominator > UINT32_MAX) {
        numerator /= 2;
        denominator /= 2;
    }
    return (es__ratio){(uint32_t)numerator, (uint32_t)denominator};
}

/* How fast the line runs without slow motion. */
static es__ratio user_scale(const es_threads *threads)
{
    const es__content *content = &threads->loop->content;
    bool stands = content->paused || !content->started || threads->render.fresh;
    return stands ? (es__ratio){0, 1} : content->scale;
}

static es__ratio line_scale(const es_threads *threads)
{
    return product(user_scale(threads), threads->loop->content.slow);
}

/* When the content of the line is seen, on the clock. */
static int64_t line_present_ns(const es_threads *threads)
{
    const es_loop *loop = threads->loop;
    int64_t present_ns = loop->content.last_present_ns;
    int64_t own_ns = es__loop_due_content_ns(loop);
    es__ratio scale = line_scale(threads);
    present_ns = loop->rules.uses_display ? present_ns + es__lasting_offset_ns(loop) : present_ns;
    present_ns = es__gap_filter_to_clock(&loop->gap, present_ns);
    if (scale.numerator == 0) {
        return present_ns;
    }
    int64_t later_ns = threads->render.post.content_ns - own_ns;
    return es__ns_add(present_ns, es__ns_unscale(later_ns, scale));
}

void es__post(es__exchange *exchange, int64_t *posts, const void *value, size_t size)
{
    *posts += 1;
    es__exchange_tick tick = {.index = *posts};
    memcpy(es__exchange_begin(exchange, NULL), value, size);
    es__exchange_publish(exchange, &tick);
}

void es__post_content(es_threads *threads)
{
    const es_loop *loop = threads->loop;
    es__render_post *post = &threads->render.post;
    post->present_ns = line_present_ns(threads);
    post->delay_ns = loop->content.config.delay_ns;
    post->span_max_ns = threads->config.stop_without_frames ? loop->rules.gap_ns : INT64_MAX;
    post->scale = line_scale(threads);
    post->user_scale = user_scale(threads);
    es__post(&threads->from_render, &threads->render.posts, post, sizeof *post);
}

void es__restart_line(es_threads *threads, int64_t instant_ns)
{
    es__render_post *post = &threads->render.post;
    post->instant_ns = instant_ns;
    post->content_ns = es__loop_due_content_ns(threads->loop);
    post->suspended_ns = threads->render.suspended_ns;
    threads->render.lines = 0;
}

es__render_post es__line_after(const es__render_post *post, int64_t dropped_ns,
        int64_t slow_motion_ns, int64_t suspended_ns)
{
    es__render_post line = *post;
    int64_t slept_ns = suspended_ns - post->suspended_ns;
    line.content_ns -= dropped_ns - post->dropped_ns + slow_motion_ns - post->slow_motion_ns;
    if (slept_ns >= ES__SUSPEND_MIN_NS) {
        line.instant_ns = es__ns_add(line.instant_ns, slept_ns);
        line.present_ns = es__ns_add(line.present_ns, slept_ns);
    }
    return line;
}

int64_t es__line_content_ns(const es__render_post *line, int64_t now_ns)
{
    int64_t span_ns = es__min(es__ns_between(line->instant_ns, now_ns), line->span_max_ns);
    return line->content_ns + es__ns_scale(span_ns, line->scale);
}

/* How far the ticks may be from the next frame's line. With more, that frame would find its pair
 * gone or not run yet. */
static int64_t off_line_max_ns(const es_threads *threads)
{
    es_rate rate = threads->loop->ticker.rate;
    int64_t spare = threads->states.ticks - threads->lead_ticks - 2;
    return spare > 0 ? es__rate_span_ns(rate, spare) : es__rate_period_ns(rate) / 4;
}

/* The middle one of three frames' content at this instant, with the lines before extended to it. */
static int64_t middle_content_ns(const es_threads *threads, int64_t instant_ns)
{
    const es__threads_render *render = &threads->render;
    es__ratio scale = line_scale(threads);
    int64_t a = render->post.content_ns, before_ns[2];
    for (int i = 0; i < 2; ++i) {
        int64_t since_ns = es__ns_scale(es__ns_between(render->lines_ns[i], instant_ns), scale);
        before_ns[i] = render->lines_content_ns[i] + since_ns;
    }
    return es__max(es__min(a, before_ns[0]), es__min(es__max(a, before_ns[0]), before_ns[1]));
}

/* A frame that aims a refresh further than those around it (a trial, a missed refresh) says nothing
 * about the next. Where ticks are shorter than that, they go by the middle one of three frames. */
void es__draw_line(es_threads *threads, int64_t instant_ns, bool anew)
{
    es__threads_render *render = &threads->render;
    int32_t before = anew ? 0 : render->lines;
    es__restart_line(threads, instant_ns);
    int64_t content_ns = render->post.content_ns;
    if (before == 2) {
        int64_t middle_ns = middle_content_ns(threads, instant_ns);
        int64_t off_ns = content_ns - middle_ns, most_ns = off_line_max_ns(threads);
        if (off_ns > most_ns || off_ns < -most_ns) {
            render->post.content_ns = middle_ns;
        }
    }
    render->lines_ns[1] = render->lines_ns[0];
    render->lines_content_ns[1] = render->lines_content_ns[0];
    render->lines_ns[0] = render->post.instant_ns;
    render->lines_content_ns[0] = content_ns; /* as the frame itself had it */
    render->lines = before < 2 ? before + 1 : 2;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* Posted at once, because the next frame may be long in coming. Resuming counts from now: the time
 * since the last frame is not simulated. Another speed is in force from the instant on the screen:
 * the line bends there. */
void es__threads_speed(void *user, bool paused)
{
    es_threads *threads = user;
    const es_loop *loop = threads->loop;
    const es_clock *clock = &loop->clock;
    if (loop->content.started && !es__ticks_are_running(loop)) {
        if (paused && clock->suspended_ns != NULL) {
            threads->render.suspended_ns = es__clamp_ns(clock->suspended_ns(clock->user));
        }
        int64_t from_ns = paused ? clock->now_ns(clock->user) : threads->render.post.instant_ns;
        es__restart_line(threads, from_ns);
        es__post_content(threads);
    }
}

void es__threads_rate(void *user, es_rate rate)
{
    es_threads *threads = user;
    es__threads_render *render = &threads->render;
    render->lines = 0;
    if (!es__is_same_rate(rate, render->post.rate)) {
        render->post.rate = rate;
        render->post.rates += 1;
    }
    es__post_content(threads);
}
