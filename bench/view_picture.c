/* SPDX-License-Identifier: Zlib
 *
 * Rows for the pictures of docs/view.md (scripts/pictures): one per frame at 60 Hz. Columns: the time in
 * seconds; how far a runner is drawn from the middle, by exp and the clock's time and by es_camera, in
 * pixels; how old the newest mouse position and es_input_at are when the frame is seen, in ms.
 *
 * The system wakes the program 0 to 3 ms late. Mouse: 1000 events per second, 0 to 3 ms late.
 */
#include "evenstep/input.h"
#include "evenstep/view.h"
#include "evenstep/world.h"
#include "examples/virtual_clock.h"

#include <math.h>
#include <stdio.h>

#define HZ     60
#define SPEED  300.0 /* of the runner: pixels per second */
#define FRAMES (6 * HZ)
#define SHOWN  (5 * HZ) /* from this frame on */

/* 0 to 3 ms. */
static int64_t late_ns(void)
{
    static uint32_t seed = 1;
    seed = seed * 1664525U + 1013904223U;
    return (int64_t)(seed >> 10) % (3 * ES_NS_PER_MS);
}

static void receive(es_input *input, int64_t now_ns)
{
    static int64_t moved_ns, due_ns;
    while (due_ns <= now_ns) { /* due_ns: when the system passes the next event on */
        es_input_move(input, 0, 1.0, moved_ns += ES_NS_PER_MS); /* an event per ms: counts are ms */
        due_ns = moved_ns + ES_NS_PER_MS + late_ns();
    }
}

int main(void)
{
    es_camera camera = {.spring = {.half_life_s = 0.126}};
    es_track1 runner = {0};
    virtual_clock clock = {0};
    es_loop *loop = es_loop_create(&(es_loop_config){.clock = virtual_clock_get(&clock)});
    es_input *input = es_input_create(NULL);
    double by_clock = 0, dt_s = 0;
    int64_t woken_ns = 0;
    es_track1_set(&runner, 0, 0);
    for (es_frame frame; es_loop_next(loop, &frame) && frame.index < FRAMES;) {
        receive(input, clock.now_ns);
        for (int i = 0; i < frame.ticks; ++i) {
            es_step step = es_frame_step(&frame, i);
            const double at[3] = {SPEED * step.dt_s * (double)step.index};
            es_input_tick(input, &step);
            es_track1_set(&runner, step.index, at[0]);
            es_camera_follow(&camera, step.index, at, step.dt_s);
        }
        double x = es_track1_at(&runner, &frame), middle[3];
        es_camera_at(&camera, &frame, middle);
        by_clock = es_lerp(by_clock, x, 1 - exp(-6.4 * dt_s));
        double newest = es_input_peek(input, 0);
        double even = es_input_at(input, 0, es_input_view_ns(input, &frame), 0);
        virtual_clock_work(&clock, ES_NS_PER_MS + late_ns() / 2);
        es_loop_submit(loop);
        int64_t shown_ns = es_rate_time_ns(es_hz(HZ), clock.now_ns * HZ / ES_NS_PER_S + 1);
        if (frame.index >= SHOWN) {
            double shown_ms = (double)shown_ns / 1e6;
            printf("%.4f %.3f %.3f %.4f %.4f\n", (double)(frame.index - SHOWN) / HZ, x - by_clock,
                    x - middle[0], shown_ms - newest, shown_ms - even);
        }
        clock.now_ns = shown_ns + late_ns();
        dt_s = (double)(clock.now_ns - woken_ns) / 1e9;
        woken_ns = clock.now_ns;
    }
    es_input_destroy(input);
    es_loop_destroy(loop);
    return 0;
}
