/* CC0: copy freely.
 *
 * 01: the whole loop, without a window.
 *
 * You will see: a ball that falls and bounces, drawn as text 30 times a second for two seconds; it
 * is simulated at 20 ticks per second only, yet moves at every frame, because each frame blends the
 * last two ticks at the instant that the frame shows. At the end, how evenly the frames came.
 */
#include "evenstep/evenstep.h"

#include <stdio.h>

typedef struct world {
    double height; /* m */
    double speed;  /* m/s, upwards; not drawn, so in no field below */
} world;

/* What is blended between two ticks, and how. */
static const es_field fields[] = {
        ES_FIELD(world, height, ES_BLEND_LINEAR),
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* One tick of the simulation. Only this changes the world. */
static void update(world *w, double dt)
{
    w->speed -= 9.81 * dt;
    w->height += w->speed * dt;
    if (w->height < 0.0 && w->speed < 0.0) {
        w->height = -w->height;
        w->speed = -0.8 * w->speed;
    }
}

static void draw(const es_frame *frame, const world *seen)
{
    enum { WIDTH = 60 };
    char row[WIDTH + 1];
    int at = (int)(seen->height / 2.0 * (WIDTH - 1) + 0.5);
    for (int i = 0; i < WIDTH; ++i) {
        row[i] = i == at ? 'o' : ' ';
    }
    row[WIDTH] = '\0';
    printf("%5.0f ms |%s| tick %2lld, alpha %.2f\n", (double)frame->content_ns / 1e6, row,
            (long long)frame->current_tick, frame->alpha);
}

static bool run_frame(es_loop *loop, es_history *history)
{
    es_frame frame;
    if (!es_loop_next(loop, &frame)) { /* waits until the frame begins */
        return false;
    }
    for (int i = 0; i < frame.ticks; ++i) { /* 0, 1 or many ticks */
        es_step step = es_frame_step(&frame, i);
        update(es_history_push(history, &step), frame.tick_s);
    }
    world seen;
    es_blend(
            &layout, es_history_previous(history), es_history_current(history), frame.alpha, &seen);
    draw(&frame, &seen);
    es_loop_submit(loop); /* drawing is done */
    fflush(stdout);       /* stands for presenting */
    es_loop_end(loop);    /* optional: here, so that the report is complete */
    return true;
}

int main(void)
{
    static es_meter_sample samples[60];
    static double scratch[60];
    const world start = {1.9, 0.0};
    es_loop loop;
    es_history *history = es_history_create(sizeof(world), 2);
    es_meter meter;
    es_meter_summary summary;
    es_error error;

    es_loop_config config = es_loop_config_default();
    config.tick_rate = es_hz(20);
    config.pace = ES_PACE_ADAPTIVE; /* text has no display that it could follow */
    config.interval_ns = ES_NS_PER_S / 30;
    if (es_loop_init(&loop, &config, &error) != ES_OK) {
        fprintf(stderr, "%s %s\n", error.field, error.reason);
        return 1;
    }
    if (history == NULL || !es_layout_validate(&layout)) {
        fprintf(stderr, "%s\n", es_get_error());
        return 1;
    }
    *(world *)es_history_current(history) = start;
    es_history_reset(history, 0, 0); /* previous = current: tick 0, at time 0 */
    es_meter_init(&meter, samples, 60);
    es_clock_real_time(true); /* if the system allows it, waits end in time beside other programs */

    for (int i = 0; i < 60; ++i) {
        if (!run_frame(&loop, history)) {
            fprintf(stderr, "this clock cannot wait\n");
            return 1;
        }
        es_meter_add(&meter, es_loop_report(&loop));
    }
    es_meter_summarise(&meter, scratch, 60, &summary);
    printf("\n%lld frames, %lld ticks; interval error: mean %.3f ms, 99 %% under %.3f ms\n",
            (long long)meter.frames, (long long)meter.ticks, summary.interval.mean_abs_ms,
            summary.interval.p99_ms);
    es_history_destroy(history);
    return 0;
}
