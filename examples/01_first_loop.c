/* CC0: copy freely.
 *
 * 01: the whole loop, without a window.
 *
 * You will see: a ball that falls and bounces, drawn as text 30 times a second for two seconds; it
 * is simulated at 20 ticks per second only, yet moves at every frame, because each frame blends the
 * last two ticks at the instant that the frame shows. At the end, how evenly the frames came.
 */
#include "evenstep/world.h"
#include "evenstep/measure.h"

#include <stdio.h>

typedef struct world {
    double height; /* m */
    double speed;  /* m/s, upwards; not drawn */
} world;

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

static void draw(const es_frame *frame, double height)
{
    enum { WIDTH = 60 };
    char row[WIDTH + 1];
    int at = (int)(height / 2.0 * (WIDTH - 1) + 0.5);
    for (int i = 0; i < WIDTH; ++i) {
        row[i] = i == at ? 'o' : ' ';
    }
    row[WIDTH] = '\0';
    printf("%5.0f ms |%s| tick %2lld, alpha %.2f\n", (double)frame->content_ns / 1e6, row,
            (long long)frame->current_tick, frame->alpha);
}

static void run(es_loop *loop, es_meter *meter)
{
    world previous = {1.9, 0.0}, current = previous;
    es_frame frame;
    while (es_loop_next(loop, &frame) && frame.index < 60) { /* waits until the frame begins */
        for (int i = 0; i < frame.ticks; ++i) {              /* 0, 1 or many ticks */
            previous = current;
            update(&current, frame.tick_s);
        }
        draw(&frame, es_lerp(previous.height, current.height, frame.alpha));
        es_loop_submit(loop); /* drawing is done */
        fflush(stdout);       /* stands for presenting */
        es_loop_end(loop);    /* optional: here, so that the report is complete */
        es_meter_add(meter, es_loop_get_report(loop));
    }
}

int main(void)
{
    es_loop_config config = {0};
    config.tick_rate = es_hz(20);
    config.pace = ES_PACE_ADAPTIVE; /* text has no display that it could follow */
    config.interval_ns = ES_NS_PER_S / 30;
    es_loop *loop = es_loop_create(&config);
    es_meter *meter = es_meter_create(60);
    if (loop == NULL || meter == NULL) {
        fprintf(stderr, "%s\n", es_get_error());
        return 1;
    }
    es_thread_set_realtime(true); /* if the system allows it, waits end in time beside other programs */
    run(loop, meter);
    es_smoothness seen = es_meter_smoothness(meter);
    printf("\n%lld frames, %lld ticks; interval error: mean %.3f ms, 99 %% under %.3f ms\n",
            (long long)seen.frames, (long long)seen.ticks, seen.interval.mean_abs_ms,
            seen.interval.p99_ms);
    es_meter_destroy(meter);
    es_loop_destroy(loop);
    return 0;
}
