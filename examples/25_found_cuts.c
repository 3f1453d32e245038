/* CC0: copy freely.
 *
 * 25: jumps that are found by themselves, in a port that only sees positions.
 *
 * You will see: at 20 ticks per second, a walk, a knock-back, a short teleport and a number that gets
 * another object; and how many frames show each on its way, where only the first two have one.
 */
#include "evenstep/world.h"

#include "virtual_clock.h"

#include <math.h>
#include <stdio.h>

enum { WALKS, KNOCKED_BACK, TELEPORTS, REUSED, OBJECTS, AT = 30 };

typedef struct world {
    float x[OBJECTS];
    uint8_t jumps[OBJECTS]; /* counted up by the port */
} world;

static const es_field fields[] = {
        ES_FIELD_ARRAY(world, x, ES_BLEND_LINEAR, ES_WITH(group, 1)),
        ES_FIELD_ARRAY(world, jumps, ES_BLEND_MARK, ES_WITH(group, 1)),
};
static const es_layout layout = ES_LAYOUT(world, fields);

static void old_update(world *w, int64_t tick) /* of the game that is ported */
{
    for (int i = 0; i < OBJECTS; ++i) {
        w->x[i] += 1;
    }
    w->x[KNOCKED_BACK] -= tick < AT ? 0 : (float)(10 * pow(0.8, (double)(tick - AT)));
    w->x[TELEPORTS] -= tick == AT ? 10 : 0;
    w->x[REUSED] = tick == AT ? 700 : w->x[REUSED];
}

static void mark_jumps(es_history *history, float *usual)
{
    static const es_jumps rule = {.shortest = 5}; /* of this group */
    world *newest = es_history_tick(history, 0), *judged = es_history_tick(history, 1);
    const world *before = es_history_tick(history, 2);
    for (int i = 0; before != NULL && i < OBJECTS; ++i) {
        double way = fabs((double)(judged->x[i] - before->x[i]));
        double next_way = fabs((double)(newest->x[i] - judged->x[i]));
        if (es_jumped(&rule, &usual[i], way, next_way)) {
            judged->jumps[i] += 1;
            newest->jumps[i] += 1;
        }
    }
}

int main(void)
{
    static const char *const names[] = {"walks", "knocked back", "teleports", "reused"};
    virtual_clock time = {0};
    es_loop_config config = {.clock = virtual_clock_get(&time),
            .tick_rate = {20, 1},
            .pace = ES_PACE_ADAPTIVE,
            .lead_ticks = 1}; /* a tick more, which tells what follows */
    es_loop *loop = es_loop_create(&config);
    es_history *history = es_history_create(sizeof(world), 3);
    float usual[OBJECTS] = {0};
    int between[OBJECTS] = {0};
    world seen;
    for (es_frame frame = {0}; frame.current_tick <= AT && es_loop_next(loop, &frame);) {
        for (int k = 0; k < frame.ticks; ++k) {
            es_step step = es_frame_step(&frame, k);
            old_update(es_history_push(history, &step), step.index);
            mark_jumps(history, usual);
        }
        es_blend_frame(&layout, history, &frame, &seen);
        const world *a = es_history_tick(history, 2), *b = es_history_tick(history, 1);
        for (int i = 0; frame.current_tick == AT && i < OBJECTS; ++i) {
            between[i] += seen.x[i] != a->x[i] && seen.x[i] != b->x[i];
        }
        es_loop_submit(loop);
        es_loop_end(loop);
    }
    for (int i = 0; i < OBJECTS; ++i) {
        printf("%-12s %d frames on the way\n", names[i], between[i]);
    }
    es_history_destroy(history);
    es_loop_destroy(loop);
    return 0;
}
