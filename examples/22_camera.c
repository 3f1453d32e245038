/* CC0: copy freely.
 *
 * 22: a camera that follows a runner, and springs for all else that follows.
 *
 * You will see: how far left of the middle the screen shows a runner at 300 px/s, and by how much it
 * trembles there. Simulated displays wake the program 0 to 3 ms late. A share of the way per frame is
 * another camera on each. By the clock's time it trembles. es_camera is at the runner's instant.
 */
#include "evenstep/view.h"
#include "evenstep/world.h"
#include "virtual_clock.h"

#include <math.h>
#include <stdio.h>

enum { SHARE, CLOCK, CAMERA, KINDS };
typedef struct seen { /* of one kind of camera */
    double camera, least, most;
} seen;

static void show(seen *s, double runner, double camera, bool counts)
{
    s->camera = camera;
    s->least = counts ? fmin(s->least, camera - runner) : 1e9;
    s->most = counts ? fmax(s->most, camera - runner) : -1e9;
}

/* Presents block until the next refresh; the program wakes up after that. Returns the seconds in between. */
static double present(virtual_clock *clock, int hz)
{
    static uint32_t seed = 1;
    int64_t before_ns = clock->now_ns;
    clock->now_ns = es_rate_time_ns(es_hz(hz), clock->now_ns * hz / ES_NS_PER_S + 1);
    seed = seed * 1664525U + 1013904223U;
    clock->now_ns += (int64_t)(seed >> 10) % (3 * ES_NS_PER_MS);
    return (double)(clock->now_ns - before_ns) / 1e9;
}

static void run(int hz, seen all[KINDS])
{
    es_camera camera = {.spring = {.half_life_s = 0.1}, .zone = {0, 40, 0}};
    es_track1 runner = {0};
    virtual_clock clock = {0};
    es_loop *loop = es_loop_create(&(es_loop_config){.clock = virtual_clock_get(&clock)});
    es_frame frame;
    double dt_s = 0;
    es_track1_set(&runner, 0, 1000);
    for (int i = 0; i < 8 * hz && es_loop_next(loop, &frame); ++i) {
        for (int tick = 0; tick < frame.ticks; ++tick) {
            es_step step = es_frame_step(&frame, tick);
            const double at[3] = {1000 + 300 * step.dt_s * (double)step.index, 200};
            es_track1_set(&runner, step.index, at[0]);
            es_camera_follow(&camera, step.index, at, step.dt_s);
        }
        double x = es_track1_at(&runner, &frame), middle[3];
        es_camera_at(&camera, &frame, middle);
        show(&all[SHARE], x, es_lerp(all[SHARE].camera, x, 0.1), i > 4 * hz);
        show(&all[CLOCK], x, es_lerp(all[CLOCK].camera, x, 1 - exp(-8.4 * dt_s)), i > 4 * hz);
        show(&all[CAMERA], x, middle[0], i > 4 * hz);
        es_loop_submit(loop);
        dt_s = present(&clock, hz);
    }
    es_loop_destroy(loop);
}

int main(void)
{
    static const char *const names[] = {
            "a tenth per frame", "exp(-k dt) by the clock", "es_camera"};
    static const int rates[] = {30, 60, 144};
    for (int i = 0; i < 3; ++i) {
        seen all[KINDS] = {{0, 0, 0}};
        run(rates[i], all);
        for (int k = 0; k < KINDS; ++k) {
            printf("%3d Hz  %-23s %5.1f px, trembles by %.3f px\n", rates[i], names[k],
                    -(all[k].least + all[k].most) / 2, all[k].most - all[k].least);
        }
    }
    es_camera camera = {.spring = {.half_life_s = 0.1}};
    double here[3] = {0}, there[3] = {5000}, middle[3];
    es_camera_cut(&camera, 0, here);
    es_camera_shake(&camera, 6); /* a hit */
    es_camera_follow(&camera, 1, here, 1.0 / 60);
    es_camera_at(&camera, NULL, middle);
    printf("shaken by %.1f px; ", middle[0]);
    es_camera_cut(&camera, 2, there); /* a respawn */
    printf("after a respawn at 5000 it shows %.0f\n", camera.now.position[0]);
    /* a pointer, a turret and a head, after two seconds behind what turns by 1 rad per second */
    for (int follow = 0; follow <= 1; ++follow) {
        const es_spring spring = {.half_life_s = 0.1, .follow = follow};
        const double from = 0, to = 2, rest[4] = {0, 0, 0, 1}, turned[4] = {0, 0, sin(1), cos(1)};
        double x = 0, v = 0, angle = 0, speed = 0, head[4] = {0, 0, 0, 1}, spin[3] = {0};
        es_spring_follow(&spring, &x, &v, &from, &to, 1, 2);
        es_spring_follow_angle(&spring, &angle, &speed, from, to, 2);
        es_spring_follow_quat(&spring, head, spin, rest, turned, 2);
        printf("follow %d: behind by %.3f, %.3f and %.3f rad\n", follow, to - x, to - angle,
                to - 2 * atan2(head[2], head[3]));
    }
    return 0;
}
