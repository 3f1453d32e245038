/* SPDX-License-Identifier: Zlib */
#include "demo_tick.h"

int demo_tick_run(demo_desk *desk, demo_scene *scene, const es_step *step, es_rate base,
        const demo_now *now, demo_got *got)
{
    int got_count;
    demo_given *given = &desk->given;
    given->jump = now->jump;
    given->job = now->job;
    given->apart = now->apart;
    given->base = base;
    given->index = step->index;
    given->event_count = demo_feed_take(&desk->feed, step, given->events, got, &got_count);
    demo_job_slot(&desk->job, &scene->task, &scene->map, now->job, step);
    given->items = desk->job.items;
    desk->job.items = 0;
    demo_recorder_step(desk->recorder, step, given);
    demo_world_tick(scene, step, given);
    demo_recorder_tick(desk->recorder, scene);
    return got_count;
}

int64_t demo_tick_read_ns(const es_step *step, const demo_now *now)
{
    return now->read_ns < step->due_ns ? now->read_ns : step->due_ns;
}
