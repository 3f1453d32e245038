/* SPDX-License-Identifier: Zlib */
#include "side.h"

#include "evenstep/input.h"
#include "evenstep/threads.h"
#include "evenstep/world.h"

#include "lab/numbers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool demo_side_init(demo_side *side, const es_clock *clock)
{
    side->history = es_history_create(sizeof(demo_scene), DEMO_TICKS);
    if (side->history == NULL) {
        return false;
    }
    side->shown = es_history_current(side->history);
    const es_input_config config = {.events = DEMO_RING, .measured = DEMO_DELAYS};
    side->desk.input = es_input_create(&config);
    return side->desk.input != NULL && demo_measure_init(&side->measure, clock, side->desk.input);
}

void demo_side_join(demo_side *side)
{
    if (side->threads.running && side->shown != &side->blended) {
        side->blended = *side->shown; /* the states end with the thread */
        side->shown = &side->blended;
    }
    demo_threads_join(&side->threads);
}

void demo_side_finish(demo_side *side)
{
    demo_threads_stop(&side->threads);
    es_meter_destroy(side->measure.meter);
    es_loop_destroy(side->loop);
    es_input_destroy(side->desk.input);
    es_history_destroy(side->history);
}

/* The lead of a threaded rule is that of its threads. */
static es_loop_config config_of(const demo_rule *rule)
{
    es_loop_config config = rule->config;
    config.lead_ticks = rule->threaded ? 0 : config.lead_ticks;
    return config;
}

/* --- its loop --------------------------------------------------------------------------------- */

void demo_side_ready(demo_side *side)
{
    es_loop_wait(side->loop, &side->frame);
    if (side->threads.running) {
        es_threads_view(side->threads.threads, &side->threads.view);
    }
}

void demo_side_end(demo_side *side)
{
    es_loop_end(side->loop);
    const es_frame *frame = &es_loop_get_report(side->loop)->frame;
    side->first_ns = frame->index == 0 ? frame->present_ns : side->first_ns;
}

void demo_side_pause(demo_side *side, bool paused)
{
    es_loop_set_paused(side->loop, paused);
    side->paused = paused;
}

void demo_side_set_speed(demo_side *side, lab_ratio speed)
{
    es_loop_set_speed(side->loop, (double)speed.numerator / speed.denominator);
}

es_rate demo_side_tick_rate(const demo_side *side)
{
    es_rate rate = es_loop_get_config(side->loop).tick_rate;
    return rate_is_valid(rate) ? rate : es_hz(60);
}

bool demo_side_set_tick_rate(demo_side *side, es_rate rate)
{
    es_loop_config config = es_loop_get_config(side->loop);
    config.tick_rate = rate;
    return es_loop_configure(side->loop, &config);
}

/* --- starting and changing -------------------------------------------------------------------- */

const demo_scene *demo_side_newest(const demo_side *side)
{
    const demo_tick_state *state = demo_threads_newest(&side->threads);
    return state != NULL ? &state->scene : es_history_current(side->history);
}

void demo_side_remeasure(demo_side *side)
{
    demo_measure_restart(&side->measure);
    memset(side->pairs, 0, sizeof side->pairs);
}

bool demo_side_restart(
        demo_side *side, const demo_rule *rule, const demo_scene *scene, int64_t tick)
{
    demo_scene *current = es_history_current(side->history);
    if (scene != current) {
        *current = *scene;
    }
    demo_threads_stop(&side->threads);
    es_loop_destroy(side->loop);
    es_loop_config config = config_of(rule);
    side->loop = es_loop_create(&config);
    side->paused = false;
    es_loop_seek(side->loop, tick);
    int64_t time_ns = es_rate_time_ns(demo_side_tick_rate(side), tick);
    demo_scene_set_time(current, time_ns);
    es_history_reset(side->history, tick, time_ns);
    side->rule = *rule;
    side->shown = current;
    side->trail = (demo_trail){.count = 0};
    demo_measure_new_loop(&side->measure);
    bool started = !rule->threaded
                   || demo_threads_start(&side->threads, rule, side->loop, &side->measure.clock,
                           current, &side->desk);
    demo_side_remeasure(side);
    return started;
}

bool demo_side_change(demo_side *side, const demo_rule *rule)
{
    if (rule->threaded != side->rule.threaded) {
        return false;
    }
    es_loop_config config = config_of(rule);
    bool changed = es_loop_configure(side->loop, &config)
                   && (!rule->threaded || demo_threads_change(&side->threads, rule, side->loop));
    if (changed) {
        side->rule = *rule;
        demo_side_remeasure(side);
    }
    return changed;
}

/* --- ticks ------------------------------------------------------------------------------------ */

void demo_side_update(demo_side *side, const es_step *step)
{
    demo_scene *scene = es_history_push(side->history, step);
    demo_tick(&side->desk, scene, step);
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void extend_trail(demo_side *side)
{
    demo_trail *trail = &side->trail;
    memmove(trail->scroll_x + 1, trail->scroll_x, sizeof trail->scroll_x - sizeof(double));
    trail->scroll_x[0] = side->shown->scroll_x;
    trail->count += trail->count < DEMO_TRAIL;
}

void demo_side_look(demo_side *side)
{
    const demo_scene *newest = demo_side_newest(side);
    side->shown = newest;
    if (side->rule.way != DEMO_WAY_NONE) {
        side->blended = *newest; /* for the fields that no layout covers */
        side->shown = &side->blended;
    }
    if (side->rule.way != DEMO_WAY_NONE && side->threads.running) {
        demo_threads_blend(&side->threads, &side->frame, side->rule.way, &side->blended);
    } else if (side->rule.way != DEMO_WAY_NONE) {
        assert(es_history_matches(side->history, &side->frame));
        es_blend_frame(
                demo_way_layout(side->rule.way), side->history, &side->frame, &side->blended);
    }
    /* clicks are shown at the frame's own time; no layout covers them */
    side->blended.age_ns =
            ns_sub(newest->age_ns, ns_sub(side->frame.newest_ns, side->frame.content_ns));
    extend_trail(side);
}

/* --- after a frame ---------------------------------------------------------------------------- */

void demo_side_presented(demo_side *side, int64_t frame, const es_report *shown)
{
    demo_measure *measure = &side->measure;
    es_report seen = *es_loop_get_report(side->loop);
    seen.shown_ns = shown->shown_ns;
    seen.source = shown->source;
    measure->follows = side->rule.config.pace == ES_PACE_AUTO;
    measure->display = es_loop_get_display(side->loop);
    if (side->rule.way == DEMO_WAY_NONE) {
        seen.frame.content_ns = seen.frame.newest_ns; /* what was really shown */
    }
    /* the first frame has the tick that the thread was started with: no gap */
    if (demo_measure_presented(measure, &seen, frame) && side->threads.running
            && seen.frame.index > 0) {
        side->pairs[demo_threads_pair(&side->threads, &side->frame)] += 1;
    }
}

void demo_side_feedback(demo_side *side, es_present sample)
{
    if (demo_measure_feedback(&side->measure, &sample)) {
        es_loop_presented(side->loop, &sample);
    }
}
