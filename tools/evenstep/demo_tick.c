/* SPDX-License-Identifier: Zlib */
#include "demo_tick.h"

#include <math.h>

/* Whether the step is one of this rate. A step of another length has none; and the rate may have
 * been changed by another thread, for the ticks to come. */
static bool is_of_rate(const es_step *step, es_rate base)
{
    double periods = step->dt_s * (double)base.numerator / (double)base.denominator;
    return fabs(periods - 1.0) < 1e-6;
}

int demo_tick_run(demo_desk *desk, demo_scene *scene, const es_step *step, es_rate base,
        const demo_now *now, demo_got *got)
{
    int count = demo_feed_tick(&desk->feed, step, scene, got);
    demo_point pointer = demo_feed_pointer(&desk->feed);
    demo_scene_update(scene, step, pointer, now->jump);
    demo_groups_tick(&scene->groups, step, base, now->apart && is_of_rate(step, base),
            (float)pointer.x, (float)pointer.y);
    demo_job_tick(&desk->job, &scene->map, now->job, step);
    return count;
}

int64_t demo_tick_read_ns(const es_step *step, const demo_now *now)
{
    return now->read_ns < step->due_ns ? now->read_ns : step->due_ns;
}
