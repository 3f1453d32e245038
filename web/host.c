/* SPDX-License-Identifier: Zlib
 *
 * The library for web/evenstep.mjs: an instance of the module holds one loop. Numbers cross as
 * doubles, so that no BigInt is needed; times are ms on the page's clock, performance.now().
 * Several results lie in host_values.
 */
#include "evenstep/evenstep.h"
#include "evenstep/measure.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { SAMPLES = 1024 }; /* that the figures are of: 17 s at 60 Hz */

static es_loop_config config;
static es_loop *loop;
static es_meter *meter;
static es_frame frame;
static int64_t now_ns; /* as the caller passed it last */
static int64_t stamp_ns;
static int64_t before_ns; /* when the frame before was expected to be seen; 0: not to be compared */
static int64_t missed;
static double values[8];

/* Up to 285 years, which the library refuses where it can be set. */
static int64_t to_ns(double ms)
{
    return ms > -9e12 && ms < 9e12 ? (int64_t)(ms * 1e6 + 0.5) : INT64_MAX;
}

static double to_ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static int64_t read_now(void *user)
{
    (void)user;
    return now_ns;
}

double *EXPORT(host_values)(void)
{
    return values;
}

const char *EXPORT(host_error)(void)
{
    return es_get_error();
}

/* A setting, before host_create. field: its place in the table of evenstep.mjs. */
void EXPORT(host_set)(int32_t field, double value)
{
    switch (field) {
    case 0:
        config.tick_rate = es_hz(value);
        break;
    case 1:
        config.step = (es_step_kind)value;
        break;
    case 2:
        config.catch_up = (es_catch_up)value;
        break;
    case 3:
        config.catch_up_max_ns = to_ns(value * 1e3);
        break;
    case 4:
        config.interval_ns = to_ns(value * 1e3);
        break;
    default:
        config.speed_change_max = value;
        break;
    }
}

/* One loop at a time: one that is there ends. */
bool EXPORT(host_create)(void)
{
    config.clock.now_ns = read_now;
    es_loop_destroy(loop);
    es_meter_destroy(meter);
    loop = es_loop_create(&config);
    meter = loop != NULL ? es_meter_create(SAMPLES) : NULL;
    config = (es_loop_config){ 0 };
    before_ns = missed = 0;
    return meter != NULL;
}

/* For web/library.mjs. */
es_loop *EXPORT(host_loop)(void)
{
    return loop;
}

es_frame *EXPORT(host_frame)(void)
{
    return &frame;
}

/* Counts the refreshes between two frames that had none. */
static void count_missed(void)
{
    double period_ns = es_loop_get_display(loop).period_ns;
    if (period_ns > 0.0 && before_ns != 0 && frame.gap.kind == ES_GAP_NONE) {
        double passed = (double)(frame.present_ns - before_ns) / period_ns;
        missed += passed > 1.5 ? (int64_t)(passed - 0.5) : 0;
    }
    before_ns = frame.present_ns;
}

/* Returns the frame's ticks; -1: a call over the frame cap. performance.now() does not step back: a stamp that is a little earlier
 * than the one before is wrong, and no time passes. */
int32_t EXPORT(host_next)(double stamp_ms, double now_ms)
{
    int64_t back_ns = stamp_ns - to_ns(stamp_ms);
    now_ns = to_ns(now_ms);
    stamp_ns = back_ns > 0 && back_ns < ES_NS_PER_S ? stamp_ns : to_ns(stamp_ms);
    if (!es_loop_next_at(loop, stamp_ns, ES_UNKNOWN_NS, &frame)) {
        return 0;
    }
    if (frame.surplus) { /* its refresh is not missed */
        before_ns += before_ns != 0 ? (int64_t)es_loop_get_display(loop).period_ns : 0;
        return -1;
    }
    count_missed();
    values[0] = frame.tick_s;
    values[1] = frame.alpha;
    values[2] = (double)frame.index;
    values[3] = (double)frame.newest_tick;
    values[4] = (double)frame.content_ns / 1e9;
    values[5] = to_ms(frame.present_ns);
    return frame.ticks;
}

/* Drawing is done. The frame's stamp stands for its screen time, up to a constant. */
void EXPORT(host_end)(double now_ms)
{
    now_ns = to_ns(now_ms);
    es_loop_submit(loop);
    es_loop_end(loop);
    if (es_loop_get_report(loop) != NULL) {
        es_report report = *es_loop_get_report(loop);
        report.shown_ns = stamp_ns;
        es_meter_add(meter, &report);
    }
}

void EXPORT(host_pause)(bool paused)
{
    es_loop_set_paused(loop, paused);
}

bool EXPORT(host_speed)(double speed)
{
    return es_loop_set_speed(loop, speed);
}

void EXPORT(host_resync)(void)
{
    es_loop_resync(loop);
    before_ns = 0;
}

void EXPORT(host_figures)(void)
{
    es_smoothness smooth = es_meter_smoothness(meter);
    double period_ns = es_loop_get_display(loop).period_ns;
    values[0] = period_ns > 0.0 ? 1e9 / period_ns : 0.0;
    values[1] = (double)smooth.frames;
    values[2] = (double)smooth.ticks;
    values[3] = (double)missed;
    values[4] = to_ms(smooth.dropped_ns);
    values[5] = smooth.animation.mean_abs_ms;
    values[6] = smooth.animation.p99_ms;
    values[7] = smooth.animation.max_ms;
}

/* --- what would be imports -------------------------------------------------------------------- */

/* snprintf of wasi-libc names stderr, though it does not write there. These replace the functions of
 * stderr that call the system. */
size_t __stdio_write(void *file, const unsigned char *from, size_t size)
{
    (void)file, (void)from;
    return size;
}

int64_t __stdio_seek(void *file, int64_t by, int from)
{
    (void)file, (void)by, (void)from;
    return 0;
}

int __stdio_close(void *file)
{
    (void)file;
    return 0;
}
