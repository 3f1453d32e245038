/* SPDX-License-Identifier: Zlib */
#include "demo_threads.h"

#include "evenstep/blend.h"

#include <stdlib.h>
#include <string.h>

/* A tick that is late is predicted for so long, where that is how things are shown. */
#define AHEAD_MOST_NS (100 * ES_NS_PER_MS)

/* What the thread that draws tells the ticks. */
typedef struct word {
    demo_now now;
    es_rate tick_rate;
    int64_t update_cost_ns;
    int64_t epoch;
} word;

/* --- the thread of the ticks ------------------------------------------------------------------ */

static void burn(const es_clock *clock, int64_t cost_ns)
{
    int64_t until_ns = es_ns_add(clock->now_ns(clock->user), cost_ns);
    while (cost_ns > 0 && clock->now_ns(clock->user) < until_ns) {
    }
}

static void count_tick(demo_tick_state *state, const es_threaded_tick *tick)
{
    demo_thread_figures *ticks = &state->ticks;
    ticks->ticks += 1;
    ticks->late += tick->late_ns > tick->step.dt_ns;
    ticks->late_ns_max = tick->late_ns > ticks->late_ns_max ? tick->late_ns : ticks->late_ns_max;
}

/* With the state, to the thread that measures: it alone knows when pictures are seen. */
static void hand_over(demo_tick_state *state, const demo_desk *desk, const demo_got *got, int count)
{
    for (int i = 0; i < count; ++i) {
        state->got[state->got_count++ % DEMO_HANDED] = got[i];
    }
    state->events_lost = desk->feed.ring.lost;
    memcpy(state->job, desk->job.figures, sizeof state->job);
    state->recording = demo_recorder_look(desk->recorder);
}

static int update(void *user, const es_threaded_tick *tick)
{
    demo_threads *threads = user;
    demo_tick_state *state = tick->state;
    const word *told = es_exchange_acquire(&threads->word)->states[0];
    memcpy(state, tick->previous, sizeof *state);
    if (state->epoch != told->epoch) {
        state->ticks = (demo_thread_figures){0};
        state->epoch = told->epoch;
    }
    int32_t jumps = state->scene.jumper.jumps;
    demo_got got[DEMO_GOT];
    es_input_queue_receive(&threads->queue, &threads->desk->feed.ring);
    int count = demo_tick_run(
            threads->desk, &state->scene, &tick->step, told->tick_rate, &told->now, got);
    demo_job_frame(&threads->desk->job);
    hand_over(state, threads->desk, got, count);
    state->ticks.jumps += state->scene.jumper.jumps - jumps;
    state->read_ns = demo_tick_read_ns(&tick->step, &told->now);
    count_tick(state, tick);
    burn(&threads->clock, told->update_cost_ns);
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
    if (demo_loop_is_locked(rule->name)) {
        made.kind = ES_EXCHANGE_LOCKED;
        made.lock = es_mutex_get(mutex);
    }
    return made;
}

bool demo_threads_fit(const demo_rule *rule, es_error *error)
{
    demo_threads *trial = calloc(1, sizeof *trial);
    bool fits = false;
    if (trial != NULL) {
        es_threaded_config made = config_of(rule, &trial->mutex);
        size_t size = es_threaded_memory_size(&made);
        size = size > 0 ? size : 1; /* refused: by name */
        trial->memory = malloc(size);
        fits = es_threaded_init(&trial->threaded, &made, trial->memory, size, error) == ES_OK;
        free(trial->memory);
    }
    free(trial);
    return fits;
}

static bool make_word(demo_threads *threads)
{
    const es_exchange_config config = {.state_size = sizeof(word)};
    size_t size = es_exchange_memory_size(&config);
    const demo_now nothing = {0};
    threads->word_memory = malloc(size);
    if (threads->word_memory == NULL
            || es_exchange_init(&threads->word, &config, threads->word_memory, size, NULL)
                       != ES_OK) {
        return false;
    }
    demo_threads_tell(threads, &nothing, 0);
    return true;
}

static bool make_queue(demo_threads *threads)
{
    size_t size = es_input_queue_size(DEMO_QUEUE);
    threads->queue_memory = malloc(size);
    return threads->queue_memory != NULL
           && es_input_queue_init(&threads->queue, DEMO_QUEUE, threads->queue_memory, size, NULL)
                      == ES_OK;
}

static bool make_roof(demo_threads *threads, const es_threaded_config *config)
{
    size_t size = es_threaded_memory_size(config);
    threads->memory = malloc(size);
    return threads->memory != NULL
           && es_threaded_init(&threads->threaded, config, threads->memory, size, NULL) == ES_OK;
}

/* The states' first one. */
static void put_world(demo_threads *threads, const demo_scene *scene, int64_t tick)
{
    void *state;
    es_threaded_tick_seek(&threads->threaded, tick, &state);
    demo_tick_state *first = state;
    *first = (demo_tick_state){.scene = *scene, .read_ns = INT64_MIN};
    es_rate rate = es_threaded_tick_rate(&threads->threaded);
    demo_scene_set_time(&first->scene, es_rate_events_to_ns(rate, tick));
    es_threaded_tick_end(&threads->threaded);
}

bool demo_threads_start(demo_threads *threads, const demo_rule *rule, const es_clock *clock,
        const demo_scene *scene, int64_t tick, demo_desk *desk)
{
    const es_threaded_callbacks callbacks = {.update = update};
    *threads = (demo_threads){.clock = *clock, .desk = desk};
    threads->has_mutex = es_mutex_init(&threads->mutex) == ES_OK;
    es_threaded_config made = config_of(rule, &threads->mutex);
    made.loop.clock = *clock;
    if (threads->has_mutex && make_roof(threads, &made) && make_word(threads)
            && make_queue(threads)) {
        put_world(threads, scene, tick);
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
        es_input_queue_receive(&threads->queue, &threads->desk->feed.ring);
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
    free(threads->word_memory);
    free(threads->queue_memory);
    *threads = (demo_threads){0};
}

/* --- from frame to frame ---------------------------------------------------------------------- */

void demo_threads_tell(demo_threads *threads, const demo_now *now, int64_t update_cost_ns)
{
    threads->words += 1;
    es_exchange_tick tick = {.index = threads->words};
    word *told = es_exchange_begin(&threads->word, NULL);
    es_rate tick_rate = es_threaded_tick_rate(&threads->threaded);
    *told = (word){*now, tick_rate, update_cost_ns, threads->epoch};
    es_exchange_publish(&threads->word, &tick);
}

void demo_threads_push(demo_threads *threads, const es_input_event *event, int64_t now_ns)
{
    es_input_queue_push(&threads->queue, event, now_ns);
}

void demo_threads_remeasure(demo_threads *threads)
{
    threads->epoch += 1;
}

const demo_tick_state *demo_threads_current(const demo_threads *threads)
{
    return threads->shown.current;
}

const demo_tick_state *demo_threads_newest(const demo_threads *threads)
{
    const es_exchange_view *view = threads->shown.view;
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
    es_blend_job job = {.layout = demo_way_layout(way),
            .ticks = ticks,
            .tick_count = (size_t)view->count,
            .out = out,
            .timed = true,
            .content_ns = threads->shown.frame.content_ns};
    es_blend_run(&job, NULL);
}

int64_t demo_threads_input_ns(const demo_threads *threads, bool newest)
{
    const es_threaded_frame *shown = &threads->shown;
    const demo_tick_state *newer = newest ? demo_threads_newest(threads) : shown->current;
    const demo_tick_state *older = newest ? newer : shown->previous;
    if (newer == NULL || newer->read_ns <= 0 || older->read_ns <= 0) {
        return INT64_MIN;
    }
    double back = newest || shown->frame.alpha >= 1.0 ? 0.0 : 1.0 - shown->frame.alpha;
    int64_t span_ns = es_ns_sub(newer->read_ns, older->read_ns);
    return es_ns_sub(newer->read_ns, (int64_t)(back * (double)span_ns));
}
