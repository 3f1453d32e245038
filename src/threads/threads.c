/* SPDX-License-Identifier: Zlib
 *
 * How threads are started and stopped, and the update thread. It does what a program would do with
 * the functions of the update side.
 *
 * The threads post to each other, so there is no lock and no atomic here. Nothing wakes the update
 * thread: it looks from time to time.
 */
#include "threads.h"

#include <string.h>

#include "loop/loop.h"
#include "platform/platform.h"

#define AHEAD_MOST_NS ES_NS_PER_S
#define LEAD_MOST     2

_Static_assert(sizeof((es_threads *)0)->handle >= ES__PLATFORM_THREAD_SIZE, "its bytes");
_Static_assert(ES_VIEW_TICKS == ES_EXCHANGE_TICKS_MAX, "a view has them all");

/* --- the configuration ------------------------------------------------------------------------ */

static es_result check_threads_config(
        const es_loop *loop, const es_threads_config *config, es__error *error)
{
    const es__rule rules[] = {
            {config->state_size == 0, "state_size", "must be at least 1"},
            {config->lead_ticks < 0 || config->lead_ticks > LEAD_MOST, "lead_ticks",
                    "must be 1 or 2, or 0 for 1"},
            {config->ahead_max_ns < 0 || config->ahead_max_ns > AHEAD_MOST_NS, "ahead_max_ns",
                    "must be from 0 to 1 s"},
    };
    es_result result = es__loop_check_threads(&loop->config, error);
    return result == ES_OK ? ES__REFUSE_BROKEN(error, rules) : result;
}

static es_result check_start(const es_loop *loop, const es_threads_config *config, es__error *error)
{
    if (!es__is_initialised(loop) || config == NULL) {
        return es__refuse(error, loop == NULL ? "loop" : "config", "must not be NULL");
    }
    if (loop->hooks != NULL || es__ticks_are_running(loop)) {
        return es__refuse_as(error, ES_ERR_STATE, "loop", "has threads, or runs its ticks");
    }
    const es_clock *clock = &loop->clock;
    if (clock->now_ns == NULL || (config->update != NULL && clock->wait_until == NULL)) {
        return es__refuse_as(error, ES_ERR_UNSUPPORTED, "loop", "has a clock that cannot wait");
    }
    return check_threads_config(loop, config, error);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* With four ticks and a lead of 1, a frame finds its pair when it is late by a period. */
static es_threads *allocate(const es_threads_config *config)
{
    const es__exchange_config states = {config->state_size, ES_EXCHANGE_TICKS_MAX};
    const es__exchange_config from_render = {.state_size = sizeof(es__render_post)};
    const es__exchange_config from_ticks = {.state_size = sizeof(es__ticks_post)};
    size_t states_size = es__exchange_memory_size(&states);
    size_t render_size = es__exchange_memory_size(&from_render);
    size_t ticks_size = es__exchange_memory_size(&from_ticks);
    size_t rest = sizeof(es_threads) + render_size + ticks_size;
    size_t size = states_size == 0 || states_size > SIZE_MAX - rest ? SIZE_MAX : states_size + rest;
    es_threads *threads = es__allocate(size);
    if (threads != NULL) {
        unsigned char *memory = (unsigned char *)(threads + 1);
        es__exchange_init(&threads->from_render, &from_render, memory);
        memory += render_size;
        es__exchange_init(&threads->from_ticks, &from_ticks, memory);
        memory += ticks_size;
        es__exchange_init(&threads->states, &states, memory);
    }
    return threads;
}

/* --- the thread ------------------------------------------------------------------------------- */

static void run_tick(es_threads *threads)
{
    const es_threads_config *config = &threads->config;
    es__tick tick;
    if (es__tick_begin(threads, &tick)) {
        config->update(config->user, tick.state, tick.previous, &tick.step);
        es__tick_end(threads);
    }
}

/* A call that came before the stop is taken by es__tick_due. */
static void run_thread(void *argument)
{
    es_threads *threads = argument;
    const es_clock *clock = &threads->ticks.clock;
    for (;;) {
        const es__render_post *post = es__newest_post(&threads->from_render);
        bool stop = post->stop;
        int64_t due_ns = es__tick_due(threads);
        if (stop) {
            return;
        }
        int64_t now_ns = clock->now_ns(clock->user);
        if (due_ns > now_ns) {
            clock->wait_until(clock->user, es__tick_look(threads, now_ns, due_ns));
        } else {
            run_tick(threads);
        }
    }
}

/* --- start ------------------------------------------------------------------------------------ */

static void post_stop(es_threads *threads)
{
    threads->render.post.stop = true;
    es__post_content(threads);
}

/* The thread ends, although it is joined later. */
static void on_destroyed(void *user)
{
    es_threads *threads = user;
    post_stop(threads);
    threads->loop = NULL;
}

const es__loop_hooks es__threads_hooks = {
        .before = es__threads_before,
        .planned = es__threads_planned,
        .speed = es__threads_speed,
        .rate = es__threads_rate,
        .destroyed = on_destroyed,
};

/* Ticks go on from the loop's. */
static void init_ticks(es_threads *threads)
{
    es__threads_ticks *ticks = &threads->ticks;
    const es_loop *loop = threads->loop;
    const void *first = threads->config.state;
    void *state = NULL;
    ticks->clock = loop->clock;
    ticks->ticker = loop->ticker;
    ticks->ticker.ticks_max = ES__TICKS_MAX;
    ticks->ticker.lead = threads->lead_ticks;
    es__tick_seek(threads, ticks->ticker.index, &state);
    if (first != NULL) {
        memcpy(state, first, threads->config.state_size);
    }
    es__tick_end(threads);
}

static void init_render(es_threads *threads)
{
    es__threads_render *render = &threads->render;
    const es_loop *loop = threads->loop;
    render->view = es__exchange_acquire(&threads->states);
    render->post.generation = threads->ticks.generation;
    render->shown_ns = loop->content.last_content_ns;
    render->post.rate = loop->ticker.rate;
    render->fresh = true;
    es__restart_line(threads, 0);
    es__post_content(threads);
}

es_threads *es_threads_start(es_loop *loop, const es_threads_config *config)
{
    es__error error = {NULL, NULL};
    es_result result = check_start(loop, config, &error);
    if (result != ES_OK) {
        es__fail(result, "es_threads_config", &error);
        return NULL;
    }
    es_threads *threads = allocate(config);
    if (threads == NULL) {
        return NULL;
    }
    threads->loop = loop;
    threads->config = *config;
    threads->lead_ticks = config->lead_ticks != 0 ? config->lead_ticks : 1;
    init_ticks(threads);
    init_render(threads);
    threads->render.running = config->update != NULL;
    if (threads->render.running /* before it attaches: without a thread the loop stays as it is */
            && !es__platform_thread_start(threads->handle, run_thread, threads)) {
        es__fail(ES_ERR_UNSUPPORTED, "es_threads_start", NULL);
        es__free(threads);
        return NULL;
    }
    es__loop_attach(loop, &es__threads_hooks, threads);
    return threads;
}

/* No frame has shown a seek, or the ticks went on without frames: content goes there. */
static bool is_elsewhere(const es_threads *threads, const es__ticker *ticks)
{
    const es_loop *loop = threads->loop;
    int64_t ahead_ns = ticks->time_ns - loop->content.last_content_ns;
    int64_t usual_ns = es__rate_span_ns(ticks->rate, threads->lead_ticks + 1);
    return threads->ticks.generation != threads->render.post.generation
           || ahead_ns > es__max(usual_ns, loop->report.frame.interval_ns) + 1;
}

void es_threads_stop(es_threads *threads, void *state)
{
    if (threads == NULL) {
        return;
    }
    if (threads->loop != NULL) {
        post_stop(threads);
    }
    if (threads->render.running) {
        es__platform_thread_join(threads->handle);
    }
    if (state != NULL) {
        const void *newest;
        es__exchange_begin(&threads->states, &newest);
        memcpy(state, newest, threads->config.state_size);
    }
    if (threads->loop != NULL) {
        es__ticker ticks = threads->ticks.ticker; /* a tick under way is left out */
        ticks.index = threads->states.writer.index;
        ticks.time_ns = threads->states.writer.time_ns;
        bool elsewhere = is_elsewhere(threads, &ticks);
        const es_loop_config config = es_loop_get_config(threads->loop);
        es__loop_detach(threads->loop, &ticks);
        if (elsewhere) {
            es_loop_seek(threads->loop, ticks.index);
        }
        if (threads->render.post.rates != threads->ticks.rates_taken) {
            es_loop_configure(threads->loop, &config);
        }
    }
    es__free(threads);
}

bool es_threads_call(es_threads *threads, es_threads_function *f, void *user)
{
    const es__error busy = {NULL, "the last call has not returned yet"};
    if (threads == NULL || f == NULL || threads->loop == NULL) {
        return es__fail(ES_ERR_INVALID, "es_threads_call", NULL) == ES_OK;
    }
    const es__ticks_post *post = es__newest_post(&threads->from_ticks);
    es__render_post *own = &threads->render.post;
    if (post->calls != own->calls) {
        return es__fail(ES_ERR_STATE, "es_threads_call", &busy) == ES_OK;
    }
    own->calls += 1;
    own->call = f;
    own->call_user = user;
    es__post_content(threads);
    return true;
}

/* --- the update side of a program ------------------------------------------------------------- */

int64_t es_threads_tick_due(es_threads *threads)
{
    if (threads == NULL) {
        return 0;
    }
    const es_clock *clock = &threads->ticks.clock;
    int64_t due_ns = es__tick_due(threads), now_ns = clock->now_ns(clock->user);
    return due_ns == INT64_MIN ? now_ns : es__tick_look(threads, now_ns, due_ns);
}

bool es_threads_tick_begin(es_threads *threads, es_step *step, void **state, const void **previous)
{
    es__tick tick;
    if (threads == NULL || step == NULL || state == NULL || threads->config.update != NULL
            || !es__tick_begin(threads, &tick)) {
        return false;
    }
    *step = tick.step;
    *state = tick.state;
    if (previous != NULL) {
        *previous = tick.previous;
    }
    return true;
}

bool es_threads_tick_end(es_threads *threads)
{
    bool mine = threads != NULL && threads->config.update == NULL;
    return es__fail_if(mine ? es__tick_end(threads) : ES_ERR_INVALID, "es_threads_tick_end", NULL);
}
