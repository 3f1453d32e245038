/* SPDX-License-Identifier: Zlib */
#include "threads.h"

#include "evenstep/threads.h"
#include "evenstep/world.h"

#include "lab/numbers.h"

#include <stdlib.h>
#include <string.h>

/* With --show extrapolate a late tick is predicted for this long. */
#define AHEAD_MOST_NS (100 * ES_NS_PER_MS)

static void take(demo_scene *scene, const es_input_event *event)
{
    if (event->kind == ES_INPUT_PRESS) {
        demo_scene_flash(scene, scene->pointer, event->stamp_ns);
    } else if (event->code == DEMO_AXIS_X) {
        scene->pointer.x = event->value;
    } else {
        scene->pointer.y = event->value;
    }
}

void demo_tick(demo_desk *desk, demo_scene *scene, const es_step *step)
{
    int32_t count = demo_input_take(desk->input, step, desk->events);
    for (int32_t i = 0; i < count; ++i) {
        take(scene, &desk->events[i]);
    }
    demo_scene_update(scene, step);
}

/* --- the thread of the ticks ------------------------------------------------------------------ */

static void burn(const es_clock *clock, int64_t cost_ns)
{
    int64_t until_ns = ns_add(clock->now_ns(clock->user), cost_ns);
    while (cost_ns > 0 && clock->now_ns(clock->user) < until_ns) {
    }
}

static void update(void *user, void *state, const void *previous, const es_step *step)
{
    demo_threads *threads = user;
    demo_tick_state *next = state;
    memcpy(next, previous, sizeof *next);
    demo_tick(threads->desk, &next->scene, step);
    burn(&threads->clock, atomic_load(&threads->update_cost_ns));
}

/* --- starting and ending ---------------------------------------------------------------------- */

static es_threads_config config_of(demo_threads *threads, const demo_rule *rule)
{
    return (es_threads_config){
            .state_size = sizeof(demo_tick_state),
            .state = &threads->last,
            .update = update,
            .user = threads,
            .lead_ticks = rule->config.lead_ticks,
            .ahead_max_ns = rule->way == DEMO_WAY_EXTRAPOLATE ? AHEAD_MOST_NS : 0,
    };
}

static bool start(demo_threads *threads, es_loop *loop)
{
    threads->threads = es_threads_start(loop, &threads->config);
    threads->view = (es_view){.count = 0};
    threads->running = threads->threads != NULL;
    return threads->running;
}

bool demo_threads_start(demo_threads *threads, const demo_rule *rule, es_loop *loop,
        const es_clock *clock, const demo_scene *scene, demo_desk *desk)
{
    memset(threads, 0, sizeof *threads);
    threads->clock = *clock;
    threads->desk = desk;
    threads->last.scene = *scene;
    threads->config = config_of(threads, rule);
    demo_threads_set(threads, 0);
    return start(threads, loop);
}

bool demo_threads_change(demo_threads *threads, const demo_rule *rule, es_loop *loop)
{
    es_threads_config made = config_of(threads, rule);
    if (made.lead_ticks == threads->config.lead_ticks
            && made.ahead_max_ns == threads->config.ahead_max_ns) {
        return true;
    }
    es_threads_stop(threads->threads, &threads->last);
    threads->config = made;
    return start(threads, loop);
}

void demo_threads_join(demo_threads *threads)
{
    if (threads->running && !threads->joined) {
        es_threads_stop(threads->threads, &threads->last);
        threads->joined = true;
    }
}

void demo_threads_stop(demo_threads *threads)
{
    demo_threads_join(threads);
    memset(threads, 0, sizeof *threads);
}

/* --- from frame to frame ---------------------------------------------------------------------- */

void demo_threads_set(demo_threads *threads, int64_t update_cost_ns)
{
    atomic_store(&threads->update_cost_ns, update_cost_ns);
}

const demo_tick_state *demo_threads_newest(const demo_threads *threads)
{
    if (!threads->running) {
        return NULL;
    }
    return threads->joined || threads->view.count == 0 ? &threads->last : threads->view.states[0];
}

demo_pair demo_threads_pair(const demo_threads *threads, const es_frame *frame)
{
    const es_view *view = &threads->view;
    return view->late_ns > 0                 ? DEMO_PAIR_CLAMPED
           : frame->ahead_ns > 0             ? DEMO_PAIR_EXTRAPOLATED
           : view->previous == view->current ? DEMO_PAIR_GAP
                                             : DEMO_PAIR_INTERPOLATED;
}

void demo_threads_blend(
        const demo_threads *threads, const es_frame *frame, demo_way way, demo_scene *out)
{
    const es_view *view = &threads->view;
    es_blend_tick ticks[ES_VIEW_TICKS];
    for (int32_t age = 0; age < view->count; ++age) {
        const demo_tick_state *state = view->states[age];
        ticks[age] = (es_blend_tick){&state->scene, view->times_ns[age]};
    }
    es_blend_ticks(demo_way_layout(way), ticks, (size_t)view->count, frame->content_ns, out);
}
