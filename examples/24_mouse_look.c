/* CC0: copy freely.
 *
 * 24: mouse look that is as even as the world, and shots that hit what was drawn.
 *
 * You will see: a player who shoots when the drawn cross is on the drawn target. A tick's input has
 * what was drawn at the click's stamp: all shots hit, and give the same game again. Events are late.
 */
#include "evenstep/input.h"
#include "evenstep/world.h"

#include "virtual_clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TURN = 0, FIRE = 0, RATE = 20, TICKS = 600, DRAWN = 64, SHOTS = 8 };

typedef struct world {
    double angle; /* of the target, in degrees */
    int hits;
} world;

typedef struct look { /* what a frame showed */
    int64_t shown_ns, tick;
    double alpha, yaw;
} look;

static bool is_on_target(const es_history *game, int64_t tick, const look *seen)
{
    const world *b = es_history_tick(game, (int32_t)(tick - seen->tick));
    const world *a = es_history_tick(game, (int32_t)(tick - seen->tick + 1));
    return a != NULL && b != NULL /* else too old, or forged */
           && fabs(es_lerp(a->angle, b->angle, seen->alpha) - seen->yaw) < 0.5;
}

/* A tick. shots: its recorded input, which is all that it reads; shown_ns 0: none. */
static void update(es_history *game, const es_step *step, const look *shots)
{
    world *w = es_history_push(game, step);
    w->angle += (step->index % 10 < 5 ? 70.0 : -10.0) / RATE; /* to and fro */
    for (int i = 0; i < SHOTS; ++i) {
        w->hits += shots[i].shown_ns > 0 && is_on_target(game, step->index, &shots[i]);
    }
}

int main(void)
{
    static look recorded[TICKS + 64][SHOTS], drawn[DRAWN];
    virtual_clock time = {0}; /* simulated, so that every run shows the same */
    es_loop_config config = {.clock = virtual_clock_get(&time), .tick_rate = {RATE, 1}};
    es_loop *loop = es_loop_create(&config);
    es_input *input = es_input_create(NULL);
    es_history *game = es_history_create(sizeof(world), 8);
    es_history *again = es_history_create(sizeof(world), 8);
    int64_t tick = 0, moved_ns = 0, shots = 0, by_newest = 0;
    for (es_frame frame; tick < TICKS && es_loop_next(loop, &frame);) {
        while (moved_ns + (2 + frame.index * 7 % 4) * ES_NS_PER_MS <= time.now_ns) { /* 500 Hz */
            es_input_move(input, TURN, 0.06, moved_ns += 2 * ES_NS_PER_MS);
        }
        for (int i = 0, n = 0; i < frame.ticks; ++i, n = 0) {
            es_step step = es_frame_step(&frame, i);
            es_input_tick(input, &step);
            look newest = {0, tick, 1, es_input_value(input, TURN)};
            tick = step.index;
            for (es_input_event event; n < SHOTS && es_input_next(input, &event);) {
                int64_t k = frame.index - 1; /* of the frame on the screen at the click */
                for (; k > 0 && drawn[k % DRAWN].shown_ns > event.stamp_ns; --k) {
                }
                if (event.kind == ES_INPUT_PRESS) {
                    recorded[tick][n++] = drawn[k % DRAWN];
                    by_newest += is_on_target(game, tick - 1, &newest);
                }
            }
            update(game, &step, recorded[tick]);
            shots += n;
        }
        double yaw = es_input_at(input, TURN, es_input_view_ns(input, &frame), 0);
        look *now = &drawn[frame.index % DRAWN];
        *now = (look){0, frame.current_tick, frame.alpha, yaw};
        virtual_clock_work(&time, (1 + frame.index % 3) * ES_NS_PER_MS); /* drawing */
        es_loop_submit(loop);
        time.now_ns = es_rate_time_ns(es_hz(144), time.now_ns * 144 / ES_NS_PER_S + 1);
        es_loop_end(loop); /* present has returned at a refresh */
        now->shown_ns = es_loop_get_report(loop)->shown_ns;
        bool fires = is_on_target(game, frame.newest_tick, now); /* the player, after 2 ms */
        es_input_button(input, FIRE, fires, now->shown_ns + 2 * ES_NS_PER_MS);
    }
    for (es_step step = {.index = 1}; step.index <= tick; ++step.index) {
        update(again, &step, recorded[step.index]);
    }
    const world *w = es_history_current(game);
    printf("%d shots: %d hit what was drawn, %d the newest tick; again: %s\n", (int)shots, w->hits,
            (int)by_newest, memcmp(w, es_history_current(again), sizeof *w) ? "ANOTHER" : "same");
    es_history_destroy(game);
    es_history_destroy(again);
    es_input_destroy(input);
    es_loop_destroy(loop);
    return 0;
}
