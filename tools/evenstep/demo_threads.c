/* SPDX-License-Identifier: Zlib */
#include "demo_threads.h"

#include "evenstep/exchange.h"
#include "evenstep/input.h"
#include "evenstep/threaded.h"
#include "evenstep/world.h"

#include "lab/numbers.h"

#include <stdlib.h>
#include <string.h>

/* With --show extrapolate a late tick is predicted for this long. */
#define AHEAD_MOST_NS (100 * ES_NS_PER_MS)

void demo_tick(
        demo_desk *desk, demo_scene *scene, const es_step *step, es_rate base, demo_job_mode job)
{
    demo_given *given = &desk->given;
    given->jump = DEMO_JUMP_OFF;
    given->job = job;
    given->apart = true;
    given->base = base;
    given->index = step->index;
    given->event_count = demo_input_take(desk->input, step, given->events);
    given->items = demo_job_run(&desk->job, &scene->task, &scene->map, job, step);
    demo_recorder_step(desk->recorder, step, given);
    demo_world_tick(scene, step, given);
    demo_recorder_tick(desk->recorder, scene);
}

/* --- the thread of the ticks ------------------------------------------------------------------ */

static void burn(const es_clock *clock, int64_t cost_ns)
{
    int64_t until_ns = ns_add(clock->now_ns(clock->user), cost_ns);
    while (cost_ns > 0 && clock->now_ns(clock->user) < until_ns) {
    }
}

static int update(void *user, const es_threaded_tick *tick)
{
    demo_threads *threads = user;
    demo_tick_state *state = tick->state;
    demo_desk *desk = threads->desk;
    const uint64_t rate = atomic_load(&threads->tick_rate);
    const es_rate base = {(uint32_t)(rate >> 32), (uint32_t)rate};
    const demo_job_mode job = (demo_job_mode)atomic_load(&threads->job);
    memcpy(state, tick->previous, sizeof *state);
    demo_tick(desk, &state->scene, &tick->step, base, job);
    burn(&threads->clock, atomic_load(&threads->update_cost_ns));
    return 0;
}

/* --- starting and ending ---------------------------------------------------------------------- */

static es_threaded_config config_of(const demo_rule *rule, es_mutex *mutex)
{
    const es_loop_config *config = &rule->config;
    es_threaded_config made = {.loop = *config, .state_size = sizeof(demo_tick_state)};
    made.delay_ticks = config->delay_ticks == 0.0 ? ES_THREADED_NO_DELAY : config->delay_ticks;
    made.lead_ticks = config->lead_ticks;
    made.loop.delay_ticks = 0.0;
    made.loop.lead_ticks = 0;
    made.ahead_max_ns = rule->way == DEMO_WAY_EXTRAPOLATE ? AHEAD_MOST_NS : 0;
    if (rule->locked) {
        made.kind = ES_EXCHANGE_LOCKED;
        made.lock = es_mutex_get(mutex);
    }
    return made;
}

static void put_first_state(demo_threads *threads, const demo_scene *scene, int64_t tick)
{
    void *state;
    es_threaded_tick_seek(&threads->threaded, tick, &state);
    demo_tick_state *first = state;
    *first = (demo_tick_state){.scene = *scene};
    es_rate rate = es_threaded_tick_rate(&threads->threaded);
    demo_scene_set_time(&first->scene, es_rate_time_ns(rate, tick));
    es_threaded_tick_end(&threads->threaded);
}

bool demo_threads_start(demo_threads *threads, const demo_rule *rule, const es_clock *clock,
        const demo_scene *scene, int64_t tick, demo_desk *desk)
{
    const es_threaded_callbacks callbacks = {.update = update};
    memset(threads, 0, sizeof *threads);
    threads->clock = *clock;
    threads->desk = desk;
    threads->has_mutex = es_mutex_init(&threads->mutex) == ES_OK;
    es_threaded_config made = config_of(rule, &threads->mutex);
    made.loop.clock = *clock;
    size_t size = es_threaded_memory_size(&made);
    threads->memory = malloc(size);
    if (threads->has_mutex
            && es_threaded_init(&threads->threaded, &made, threads->memory, size, NULL) == ES_OK) {
        demo_threads_set(threads, DEMO_JOB_OFF, 0);
        put_first_state(threads, scene, tick);
        threads->running = es_threaded_start(&threads->threaded, &callbacks, threads) == ES_OK;
    }
    return threads->running;
}

bool demo_threads_change(demo_threads *threads, const demo_rule *rule)
{
    es_threaded_config made = config_of(rule, &threads->mutex);
    return es_threaded_reconfigure(&threads->threaded, &made, NULL) == ES_OK;
}

void demo_threads_join(demo_threads *threads)
{
    if (threads->running && !threads->joined) {
        es_threaded_join(&threads->threaded);
        threads->joined = true;
    }
}

void demo_threads_stop(demo_threads *threads)
{
    demo_threads_join(threads);
    if (threads->has_mutex) {
        es_mutex_destroy(&threads->mutex);
    }
    free(threads->memory);
    memset(threads, 0, sizeof *threads);
}

/* --- from frame to frame ---------------------------------------------------------------------- */

void demo_threads_set(demo_threads *threads, demo_job_mode job, int64_t update_cost_ns)
{
    es_rate rate = es_threaded_tick_rate(&threads->threaded);
    atomic_store(&threads->job, (int)job);
    atomic_store(&threads->update_cost_ns, update_cost_ns);
    atomic_store(&threads->tick_rate, (uint64_t)rate.numerator << 32 | rate.denominator);
}

const demo_tick_state *demo_threads_newest(const demo_threads *threads)
{
    const es_exchange_view *view = threads->running ? threads->shown.view : NULL;
    return view != NULL && view->count > 0 ? view->states[0] : NULL;
}

void demo_threads_blend(const demo_threads *threads, demo_way way, demo_scene *out)
{
    const es_exchange_view *view = threads->shown.view;
    es_blend_tick ticks[ES_EXCHANGE_TICKS_MAX];
    for (int32_t age = 0; age < view->count; ++age) {
        const demo_tick_state *state = view->states[age];
        ticks[age] = (es_blend_tick){&state->scene, view->ticks[age]->time_ns};
    }
    es_blend_ticks(
            demo_way_layout(way), ticks, (size_t)view->count, threads->shown.frame.content_ns, out);
}
