/* SPDX-License-Identifier: Zlib
 *
 * The thread of the ticks: made, asked to end, waited for. What it does is what a program would do
 * with the tick half's calls.
 *
 * The two sides tell each other to end by the posts that they have anyhow, so this has no lock and
 * no atomic of its own. Nobody wakes the thread: where a wait is long it looks now and then.
 */
#include "evenstep/threaded.h"

#include "loop/loop_parts.h"
#include "platform/platform.h"
#include "threaded_parts.h"

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
        ticks->begun = false; /* nobody has seen anything of it */
        ticks->sought = false;
    } else {
        es_threaded_tick_end(threaded);
    }
    return status;
}

/* At most until it has to look again. */
static void threaded_wait_until(const es_threaded *threaded, int64_t now_ns, int64_t due_ns)
{
    const es_clock *clock = &threaded->ticks.clock;
    int64_t half_ns = es_rate_period_ns(threaded->ticks.ticker.rate) / 2;
    int64_t look_ns = half_ns < ES_THREADED_LOOK_NS ? half_ns : ES_THREADED_LOOK_NS;
    look_ns = es_ns_add(now_ns, es__larger(look_ns, ES_THREADED_LOOK_LEAST_NS));
    clock->wait_until(clock->user, due_ns < look_ns ? due_ns : look_ns);
}

/* A tick that failed has not been: its number and its time are the next one's, and it cut nothing.
 */
static void take_back_tick(es_threaded *threaded, const es_ticker *ticker, uint32_t generation)
{
    es_threaded_ticks *ticks = &threaded->ticks;
    ticks->ticker = *ticker;
    ticks->begun = false;
    if (ticks->generation != generation) {
        ticks->generation = generation;
        es__post_ticks(threaded);
    }
}

static int run_tick(es_threaded *threaded)
{
    const es_ticker before = threaded->ticks.ticker;
    const uint32_t generation = threaded->ticks.generation;
    es_threaded_tick tick;
    if (!es_threaded_tick_begin(threaded, &tick)) {
        return 0;
    }
    int status = threaded->callbacks.update(threaded->user, &tick);
    if (status < 0) {
        take_back_tick(threaded, &before, generation);
    } else {
        es_threaded_tick_end(threaded);
    }
    return status;
}

static int run_until_end(es_threaded *threaded)
{
    const es_threaded_callbacks *callbacks = &threaded->callbacks;
    const es_clock *clock = &threaded->ticks.clock;
    int status = give_first_state(threaded);
    while (status == 0 && !is_asked_to_stop(threaded)) {
        status = callbacks->between != NULL ? callbacks->between(threaded->user) : 0;
        if (status == 0 && threaded->ticks.begun) {
            status = ES_ERR_STATE; /* a seek without an end: no tick could ever begin */
        }
        if (status != 0) {
            break;
        }
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

/* --- from the other side ---------------------------------------------------------------------- */

static bool make_thread(es_threaded *threaded)
{
    const es_threaded_thread *own = &threaded->config.thread;
    if (own->start != NULL) {
        return own->start(own->user, threaded_run_thread, threaded);
    }
    return es__platform_thread_start(threaded->handle, threaded_run_thread, threaded);
}

static void wait_for_thread(es_threaded *threaded)
{
    const es_threaded_thread *own = &threaded->config.thread;
    if (own->join != NULL) {
        own->join(own->user);
    } else {
        es__platform_thread_join(threaded->handle);
    }
}

/* The line stands until the first frame: what has passed since the last one was not the game's, nor
 * what has since the ticks ended, if frames have gone on. */
static void post_start(es_threaded *threaded)
{
    threaded->render.stop = false;
    threaded->render.fresh = true;
    es__return_to_picture(threaded);
    es_loop_resync(&threaded->loop);
    es__restart_line(threaded, threaded->render.line_ns);
    es__post_content(threaded);
}

/* Or what gives it. */
static bool has_first_state(const es_threaded_ticks *ticks, const es_threaded_callbacks *callbacks)
{
    return ticks->published || callbacks->start != NULL || callbacks->between != NULL;
}

es_result es_threaded_start(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user)
{
    if (!es__is_threaded(threaded) || threaded->render.running || threaded->ticks.begun) {
        return ES_ERR_STATE;
    }
    if (callbacks == NULL || callbacks->update == NULL
            || !has_first_state(&threaded->ticks, callbacks)) {
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
    threaded->render.running = make_thread(threaded);
    return threaded->render.running ? ES_OK : ES_ERR_UNSUPPORTED;
}

es_result es_threaded_stop(es_threaded *threaded)
{
    if (!es__is_threaded(threaded) || !threaded->render.running) {
        return ES_ERR_STATE;
    }
    if (!threaded->render.stop) {
        threaded->render.stop = true;
        es__post_content(threaded);
    }
    return ES_OK;
}

int es_threaded_join(es_threaded *threaded)
{
    es_result result = es_threaded_stop(threaded);
    if (result != ES_OK) {
        return result;
    }
    wait_for_thread(threaded);
    threaded->render.running = false;
    int status = threaded->ticks.status;
    return status > 0 ? ES_OK : status;
}

bool es_threaded_is_running(es_threaded *threaded)
{
    if (!es__is_threaded(threaded) || !threaded->render.running) {
        return false;
    }
    const es__ticks_post *post = es__newest_post(&threaded->from_ticks);
    return !post->ended;
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

/* Until either side ends. What the ticks ended with comes from the join. */
static int run_frames(es_threaded *threaded)
{
    int status = 0;
    while (status == 0 && es_threaded_is_running(threaded)) {
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
