/* SPDX-License-Identifier: Zlib
 *
 * The update thread is made, ended and joined. It does what a program would do with the functions
 * of the update side.
 *
 * Both threads end each other by their posts, so there is no lock and no atomic here. Nothing wakes
 * the update thread: it looks from time to time.
 */
#include "evenstep/threaded.h"

#include "loop/loop_parts.h"
#include "platform/platform.h"
#include "threaded_parts.h"
#include "loop/loop_parts.h"

_Static_assert(sizeof((es_threaded *)0)->handle >= ES__PLATFORM_THREAD_SIZE, "its bytes");

/* --- the thread ------------------------------------------------------------------------------- */

static bool is_asked_to_stop(es_threaded *threaded)
{
    const es__render_post *post = es__newest_post(&threaded->from_render);
    return post->stop;
}

static int give_first_state(es_threaded *threaded)
{
    es_threaded_ticks *ticks = &threaded->ticks;
    void *state = NULL;
    if (ticks->published || threaded->callbacks.start == NULL) {
        return 0;
    }
    es_result result = es_threaded_tick_seek(threaded, 0, &state);
    if (result != ES_OK) {
        return result;
    }
    int status = threaded->callbacks.start(threaded->user, state);
    if (status < 0) {
        ticks->begun = false; /* not published */
        ticks->seeking = false;
    } else {
        es_threaded_tick_end(threaded);
    }
    return status;
}

/* Until the tick is due, or it has to look again. */
static void threaded_wait_until(const es_threaded *threaded, int64_t now_ns, int64_t due_ns)
{
    const es_clock *clock = &threaded->ticks.clock;
    int64_t half_ns = es__rate_period_ns(threaded->ticks.ticker.rate) / 2;
    int64_t look_ns = es__max(es__min(half_ns, ES_THREADED_LOOK_NS), ES_THREADED_LOOK_LEAST_NS);
    clock->wait_until(clock->user, es__min(due_ns, es__ns_add(now_ns, look_ns)));
}

static int run_tick(es_threaded *threaded)
{
    const es_ticker before = threaded->ticks.ticker;
    es_threaded_tick tick;
    if (!es_threaded_tick_begin(threaded, &tick)) {
        return 0;
    }
    int status = threaded->callbacks.update(threaded->user, &tick);
    if (status < 0) {
        threaded->ticks.ticker = before; /* the next tick has its number and its time */
        threaded->ticks.begun = false;
    } else {
        es_threaded_tick_end(threaded);
    }
    return status;
}

static int run_until_end(es_threaded *threaded)
{
    const es_clock *clock = &threaded->ticks.clock;
    int status = give_first_state(threaded);
    while (status == 0 && !is_asked_to_stop(threaded)) {
        int64_t due_ns = es_threaded_tick_due(threaded);
        int64_t now_ns = clock->now_ns(clock->user);
        if (due_ns > now_ns) {
            threaded_wait_until(threaded, now_ns, due_ns);
        } else {
            status = run_tick(threaded);
        }
    }
    return status;
}

static void threaded_run_thread(void *argument)
{
    es_threaded *threaded = argument;
    threaded->ticks.status = run_until_end(threaded);
    threaded->ticks.ended = true;
    es__post_ticks(threaded);
}

/* --- from the render thread ------------------------------------------------------------------- */

/* The line stands until the first frame: the time since the last frame is not simulated, nor is
 * what frames have asked for since the update thread ended. */
static void post_start(es_threaded *threaded)
{
    threaded->render.stop = false;
    threaded->render.fresh = true;
    es__return_to_shown(threaded);
    es_loop_resync(&threaded->loop);
    es__restart_line(threaded, threaded->render.line_ns);
    es__post_content(threaded);
}

es_result es__threaded_prepare(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user)
{
    if (!es__is_threaded(threaded) || threaded->render.running || threaded->ticks.begun) {
        return ES_ERR_STATE;
    }
    if (callbacks == NULL || callbacks->update == NULL
            || (!threaded->ticks.published && callbacks->start == NULL)) {
        return ES_ERR_INVALID;
    }
    if (threaded->ticks.clock.wait_until == NULL) {
        return ES_ERR_UNSUPPORTED;
    }
    threaded->callbacks = *callbacks;
    threaded->user = user;
    threaded->ticks.status = 0;
    threaded->ticks.ended = false;
    post_start(threaded);
    es__post_ticks(threaded);
    return ES_OK;
}

es_result es_threaded_start(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user)
{
    es_result result = es__threaded_prepare(threaded, callbacks, user);
    if (result != ES_OK) {
        return result;
    }
    threaded->render.running =
            es__platform_thread_start(threaded->handle, threaded_run_thread, threaded);
    return threaded->render.running ? ES_OK : ES_ERR_UNSUPPORTED;
}

int es_threaded_join(es_threaded *threaded)
{
    if (!es__is_threaded(threaded) || !threaded->render.running) {
        return ES_ERR_STATE;
    }
    threaded->render.stop = true;
    es__post_content(threaded);
    es__platform_thread_join(threaded->handle);
    threaded->render.running = false;
    int status = threaded->ticks.status;
    return status > 0 ? ES_OK : status;
}

/* --- run -------------------------------------------------------------------------------------- */

static int threaded_run_frame(es_threaded *threaded)
{
    const es_threaded_callbacks *callbacks = &threaded->callbacks;
    void *user = threaded->user;
    es_threaded_frame frame;
    int status = callbacks->input != NULL ? callbacks->input(user) : 0;
    if (status == 0) {
        status = es_threaded_ready(threaded, &frame); /* unless a callback has called it */
    }
    if (status == 0) {
        status = callbacks->draw(user, &frame);
    }
    if (status == 0) {
        es_threaded_submit(threaded);
        status = callbacks->present != NULL ? callbacks->present(user) : 0;
    }
    if (status == 0) {
        es_threaded_end(threaded);
        status = callbacks->report != NULL ? callbacks->report(user, &threaded->loop.last) : 0;
    }
    return status;
}

static bool has_ended(es_threaded *threaded)
{
    const es__ticks_post *post = es__newest_post(&threaded->from_ticks);
    return post->ended;
}

/* Until either thread ends. es_threaded_join says how the update thread ended. */
static int run_frames(es_threaded *threaded)
{
    int status = 0;
    while (status == 0 && !has_ended(threaded)) {
        es_result result = es_threaded_begin(threaded);
        status = result == ES_OK ? threaded_run_frame(threaded) : 0;
    }
    threaded->loop.phase = ES_LOOP_CLOSED;
    return status;
}

int es_threaded_run(es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user)
{
    if (callbacks == NULL || callbacks->draw == NULL) {
        return ES_ERR_INVALID;
    }
    es_result result = es_threaded_start(threaded, callbacks, user);
    if (result != ES_OK) {
        return result;
    }
    int status = run_frames(threaded);
    int ticks_status = es_threaded_join(threaded);
    return status < 0 ? status : ticks_status;
}
