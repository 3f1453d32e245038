/* SPDX-License-Identifier: Zlib */
#include "demo_side.h"

#include "evenstep/blend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool demo_side_init(demo_side *side, const es_clock *clock)
{
    size_t size = es_history_memory_size(sizeof(demo_scene), 2);
    side->history_memory = malloc(size);
    if (es_history_init(&side->history, side->history_memory, size, sizeof(demo_scene), 2)
            != ES_OK) {
        return false;
    }
    side->shown = es_history_current(&side->history);
    return demo_stats_init(&side->stats, clock);
}

void demo_side_finish(demo_side *side)
{
    demo_stats_finish(&side->stats);
    free(side->history_memory);
    side->history_memory = NULL;
}

void demo_side_restart(
        demo_side *side, const demo_rule *rule, const demo_scene *scene, int64_t tick)
{
    demo_scene *current = es_history_current(&side->history);
    if (scene != current) {
        *current = *scene;
    }
    es_loop_init(&side->loop, &rule->config, NULL);
    es_loop_seek(&side->loop, tick);
    es_history_reset(
            &side->history, tick, es_rate_events_to_ns(es_loop_tick_rate(&side->loop), tick));
    side->rule = *rule;
    side->shown = current;
    side->trail.count = 0;
    side->settled = false;
    side->moved_ns = 0;
    demo_stats_restart(&side->stats);
}

void demo_side_change(demo_side *side, const demo_rule *rule)
{
    es_loop_reconfigure(&side->loop, &rule->config, NULL);
    side->rule = *rule;
    side->moved_ns = 0;
    demo_stats_restart(&side->stats);
}

bool demo_side_is_at_tick(const demo_side *side)
{
    int64_t next_ns = es_ns_add(side->content_ns, side->moved_ns);
    next_ns = es_ns_add(next_ns, side->moved_ns / 8); /* frames are not that even */
    return !side->rule.blend || side->moved_ns <= 0 || next_ns >= side->frame.current_ns;
}

void demo_side_update(demo_side *side, const es_step *step, demo_point pointer)
{
    demo_scene *scene = es_history_push(&side->history, step);
    demo_scene_update(scene, step->dt_s, pointer);
}

static void extend_trail(demo_trail *trail, double scroll_x)
{
    memmove(trail->scroll_x + 1, trail->scroll_x, sizeof trail->scroll_x - sizeof scroll_x);
    trail->scroll_x[0] = scroll_x;
    trail->count += trail->count < DEMO_TRAIL;
}

void demo_side_look(demo_side *side)
{
    const demo_scene *current = es_history_current(&side->history);
    assert(es_history_matches(&side->history, &side->frame));
    side->shown = current;
    if (side->rule.blend) {
        es_blend(demo_scene_layout(), es_history_previous(&side->history), current,
                side->frame.alpha, &side->blended);
        side->shown = &side->blended;
    }
    extend_trail(&side->trail, side->shown->scroll_x);
}

void demo_side_measure(demo_side *side)
{
    es_frame_report seen = *es_loop_report(&side->loop);
    if (!side->rule.blend) {
        seen.frame.content_ns = seen.frame.current_ns; /* what was really shown */
    }
    /* what is before its start is held until the delay has passed; 1 ns is rounding */
    side->settled = side->settled || seen.frame.account.held_ns >= -1;
    side->moved_ns = es_ns_sub(side->frame.content_ns, side->content_ns);
    side->content_ns = side->frame.content_ns;
    demo_stats_add(&side->stats, &seen, side->settled);
}

bool demo_side_set_policy(demo_side *side, es_catch_up policy)
{
    if (es_loop_set_catch_up(&side->loop, policy) != ES_OK) {
        return false;
    }
    side->rule.config.catch_up = policy;
    demo_stats_restart(&side->stats);
    return true;
}

void demo_side_set_blend(demo_side *side, bool blend)
{
    side->rule.blend = blend;
    demo_stats_restart(&side->stats);
}
