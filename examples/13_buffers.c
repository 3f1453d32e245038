/* CC0: copy freely.
 *
 * 13: a driver that makes the program wait for a buffer, as Vulkan's vkAcquireNextImageKHR does.
 *
 * You will see: what Evenstep takes for the work of a frame, with and without es_loop_acquired.
 * Ticks cost 1 ms and drawing 3 ms. Without the call, waiting for the buffer counts as drawing.
 * es_loop_wait separates the ticks from the drawing. Time is virtual: the figures are the same
 * everywhere.
 */
#include "virtual_clock.h"

#include <stdio.h>

enum { FRAMES = 300, BUFFERS = 2 };

/* Each buffer is free again when its frame is on the screen. */
typedef struct driver {
    virtual_clock clock;
    int64_t refresh_ns;
    int64_t free_ns[BUFFERS]; /* of the last frames */
    int64_t last_flip_ns;
    int64_t frames;
} driver;

static void acquire(driver *d)
{
    int64_t free_ns = d->free_ns[d->frames % BUFFERS];
    if (d->clock.now_ns < free_ns) {
        d->clock.now_ns = free_ns; /* the thread sleeps in the driver */
    }
}

/* Never waits: the frame flips at the next refresh after the frame before. */
static void present(driver *d)
{
    int64_t from_ns = d->clock.now_ns > d->last_flip_ns ? d->clock.now_ns : d->last_flip_ns;
    d->last_flip_ns = (from_ns / d->refresh_ns + 1) * d->refresh_ns;
    d->free_ns[d->frames % BUFFERS] = d->last_flip_ns;
    d->frames += 1;
}

static void run_frame(driver *d, es_loop *loop, bool tells)
{
    es_frame frame;
    es_loop_next(loop, &frame);
    for (int i = 0; i < frame.ticks; ++i) {
        virtual_clock_work(&d->clock, ES_NS_PER_MS); /* an update */
    }
    es_loop_wait(loop, &frame); /* the ticks are over */
    acquire(d);
    if (tells) {
        es_loop_acquired(loop); /* the time since es_loop_wait was no work */
    }
    virtual_clock_work(&d->clock, 3 * ES_NS_PER_MS); /* drawing */
    es_loop_submit(loop);
    present(d);
    es_loop_end(loop);
}

static void measure(bool tells)
{
    driver d = {.refresh_ns = es_rate_time_ns(es_hz(60), 1)};
    es_loop_config config = {0};
    double ticks_ms = 0.0, drawing_ms = 0.0;
    config.clock = virtual_clock_get(&d.clock);
    config.clock.thread_cpu_ns = NULL; /* some systems do not tell it; it shows waits, too */
    config.hold = ES_HOLD_NEVER;       /* this program prefers more frames to even ones */
    es_loop *loop = es_loop_create(&config);
    if (loop == NULL) {
        return;
    }
    for (int i = 0; i < FRAMES; ++i) {
        run_frame(&d, loop, tells);
        ticks_ms += (double)es_loop_get_report(loop)->update_work_ns / 1e6;
        drawing_ms += (double)es_loop_get_report(loop)->render_work_ns / 1e6;
    }
    es_display display = es_loop_get_display(loop);
    printf("%s es_loop_acquired: ticks %.1f ms, drawing %4.1f ms per frame; refresh %.2f ms\n",
            tells ? "with   " : "without", ticks_ms / FRAMES, drawing_ms / FRAMES,
            display.period_ns / 1e6);
    es_loop_destroy(loop);
}

int main(void)
{
    measure(false);
    measure(true);
    return 0;
}
