/* CC0: copy freely.
 *
 * 01: the whole loop, without a window.
 *
 * You will see: a ball that falls and bounces, drawn as text 30 times a second for two seconds. It is
 * simulated at 20 ticks per second, yet moves in every frame, which shows an instant between two ticks.
 */
#include "evenstep/evenstep.h"

#include <stdio.h>

typedef struct world {
    double height, speed; /* m, m/s upwards */
} world;

static void update(world *w, double dt)
{
    w->speed -= 9.81 * dt;
    w->height += w->speed * dt;
    if (w->height < 0.0 && w->speed < 0.0) { /* it bounces */
        w->height = -w->height;
        w->speed *= -0.8;
    }
}

int main(void)
{
    world previous = {1.9, 0.0}, current = previous;
    es_loop_config config = {0}; /* 0: the default of each setting */
    config.tick_rate = es_hz(20);
    config.interval_ns = ES_NS_PER_S / 30; /* a frame cap: text has no display to follow */
    es_loop *loop = es_loop_create(&config);
    es_frame frame;
    while (es_loop_next(loop, &frame) && frame.index < 60) { /* waits until the frame begins */
        for (int i = 0; i < frame.ticks; ++i) {              /* 0, 1 or more updates */
            previous = current;
            update(&current, frame.tick_s);
        }
        double height = es_lerp(previous.height, current.height, frame.alpha);
        printf("%5.0f ms |%*c alpha %.2f\n", (double)frame.content_ns / 1e6,
                (int)(30.0 * height) + 3, 'o', frame.alpha);
        es_loop_submit(loop); /* drawing is done */
        fflush(stdout);       /* stands for presenting */
    }
    es_loop_destroy(loop);
    return loop != NULL ? 0 : 1;
}
