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

typedef struct ball {
    double height; /* m */
    double speed;  /* m/s, upwards */
} ball;

/* One tick of the simulation. Only this changes the world. */
static void update(ball *b, double dt)
{
    b->speed -= 9.81 * dt;
    b->height += b->speed * dt;
    if (b->height < 0.0 && b->speed < 0.0) {
        b->height = -b->height;
        b->speed = -0.8 * b->speed;
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

int main(void)
{
    static es_meter_sample samples[256];
    static double scratch[256];
    es_loop loop;
    es_meter meter;
    es_error error;
    ball previous = {1.9, 0.0};
    ball current = previous;

    es_loop_config config = es_loop_config_default();
    config.tick_rate = es_hz(20);
    config.interval_ns = ES_NS_PER_S / 30;
    if (es_loop_init(&loop, &config, &error) != ES_OK) {
        fprintf(stderr, "%s %s\n", error.field, error.reason);
        return 1;
    }
    es_meter_init(&meter, samples, 256);

    for (int i = 0; i < 60; ++i) {
        es_step step;
        es_frame frame;
        if (es_loop_begin(&loop) != ES_OK) {
            fprintf(stderr, "this clock cannot wait\n");
            return 1;
        }
        while (es_loop_tick(&loop, &step)) { /* 0, 1 or many ticks */
            previous = current;
            update(&current, step.dt_s);
        }
        es_loop_ready(&loop, &frame); /* waits until the frame starts */
        draw(&frame, es_lerp_f64(previous.height, current.height, frame.alpha));
        es_loop_submit(&loop);
        fflush(stdout); /* stands for presenting */
        es_loop_end(&loop);
        es_meter_add(&meter, es_loop_report(&loop));
    }

    es_meter_summary summary;
    es_meter_summarise(&meter, scratch, 256, &summary);
    printf("\n%lld frames, %lld ticks; interval error: mean %.3f ms, 99 %% under %.3f ms\n",
            (long long)meter.frames, (long long)meter.ticks, summary.interval.mean_abs_ms,
            summary.interval.p99_ms);
    return 0;
}
