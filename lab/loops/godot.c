/* SPDX-License-Identifier: Zlib
 *
 * Godot 4's main timer. Time is read in whole microseconds at the start of a frame. A first filter
 * (the delta smoother) makes whole refreshes of the deltas, once it has estimated the refresh rate
 * as a whole number. A second one keeps the number of physics steps per frame near its typical
 * pattern and moves the process step accordingly; what it adds or takes is paid back.
 *
 * Written anew from reading; the names of what it does are in the comments, the order is kept, for
 * it matters. Its clock is monotonic: a step back, which would overflow its unsigned difference,
 * cannot reach it, so here its reading stands still instead.
 */
#include "lab/loops/loops.h"

enum {
    ESTIMATE_FRAMES = 60, /* deltas averaged for one estimate of the rate */
    CHECK_FRAMES = 64,    /* frames after which the rate is compared with the estimate */
    CONTROL_STEPS = 12,   /* frames back over which step counts are kept typical */
    STEPS_MAX = 8         /* physics steps per frame */
};

enum { RAW, PROCESS, PHYSICS }; /* variants */

/* The estimate of the refresh rate, and the smoothing by it. */
typedef struct smoother {
    int64_t leftover_us;
    int64_t refresh_us;
    int32_t fps;
    int32_t hits_at;
    int32_t hits_above;
    int32_t hits_below;
    int32_t hits_one_above;
    int32_t hits_one_below;
    bool complete;
    bool locked;
    int64_t sum_us; /* of the estimate in the making */
    int32_t readings;
    int64_t check_us; /* since the last check of the rate */
    int32_t check_count;
    bool unsteady;
} smoother;

typedef struct godot {
    es_rate rate;
    double step_s;
    double per_s; /* physics steps per second */
    double jitter_fix;
    bool smooth;
    bool interpolate;
    smoother smoother;
    int64_t last_us;
    bool started;
    double accum_s;
    double deficit_s;
    int32_t accumulated[CONTROL_STEPS]; /* steps done over the last i + 1 frames */
    int32_t typical[CONTROL_STEPS];     /* what that usually is: this, or one more */
    int64_t ticks;
    double content_s;
} godot;

/* --- the delta smoother ----------------------------------------------------------------------- */

static void restart_estimate(smoother *s, int32_t fps)
{
    s->fps = fps;
    s->hits_at = 0;
    s->hits_above = 0;
    s->hits_below = 0;
    s->hits_one_above = 0;
    s->hits_one_below = 0;
    s->complete = false;
}

static void hit_estimate(smoother *s)
{
    s->hits_at += 1;
    if (s->complete && s->hits_at == 20) {
        s->locked = true;
    } else if (!s->complete && s->hits_at > 2) {
        s->complete = true;
        s->refresh_us = 1000000 / s->fps;
    }
}

/* One frame less per second is accepted sooner than many: those are likely missed refreshes. */
static void lower_estimate(smoother *s, int32_t fps)
{
    if (fps == s->fps - 1) {
        s->hits_one_below += 1;
        if (s->hits_one_below > s->hits_at && s->hits_one_below > 2) {
            restart_estimate(s, s->fps - 1);
        }
        return;
    }
    s->hits_below += 1;
    bool established = s->complete && s->hits_at > 10;
    if (!established && s->hits_below / 8 > s->hits_at && s->hits_below > 2) {
        restart_estimate(s, s->fps - 1);
    }
}

static void raise_estimate(smoother *s, int32_t fps)
{
    if (fps == s->fps + 1) {
        s->hits_one_above += 1;
        if (s->hits_one_above > s->hits_at && s->hits_one_above > 1) {
            restart_estimate(s, s->fps + 1);
        }
        return;
    }
    s->hits_above += 1;
    if (s->hits_above > s->hits_at && s->hits_above > 1) {
        int32_t half = (fps - s->fps) / 2;
        restart_estimate(s, s->fps + (half > 1 ? half : 1));
    }
}

static void estimate_rate(smoother *s, int64_t delta_us)
{
    if (s->locked) {
        return;
    }
    s->sum_us += delta_us;
    s->readings += 1;
    if (s->readings < ESTIMATE_FRAMES) {
        return;
    }
    int64_t mean_us = s->sum_us / ESTIMATE_FRAMES;
    s->sum_us = 0;
    s->readings = 0;
    int32_t fps = (int32_t)(1000000.0 / (double)mean_us + 0.5);
    if (s->fps == 0) {
        if (fps < 50) {
            return;
        }
        s->fps = fps;
    }
    if (fps == s->fps) {
        hit_estimate(s);
    } else if (fps < s->fps) {
        lower_estimate(s, fps);
    } else {
        raise_estimate(s, fps);
    }
}

/* Checks at intervals whether the rate is still within 5 % of the estimate. */
static bool rate_is_steady(smoother *s, int64_t delta_us)
{
    s->check_us += delta_us;
    s->check_count += 1;
    if (s->check_count == CHECK_FRAMES) {
        int64_t mean_us = s->check_us / CHECK_FRAMES;
        if (s->complete && mean_us != 0) {
            double ratio = 1000000.0 / (double)mean_us / (double)s->fps;
            s->unsteady = !(ratio > 0.95 && ratio < 1.05);
        }
        s->check_us = 0;
        s->check_count = 0;
    }
    return !s->unsteady;
}

static int64_t smooth_delta(smoother *s, int64_t delta_us)
{
    if (delta_us > 1000000 || !rate_is_steady(s, delta_us) || delta_us < 1000) {
        return delta_us;
    }
    estimate_rate(s, delta_us);
    if (!s->complete) {
        return delta_us;
    }
    s->leftover_us += delta_us;
    int64_t units = s->leftover_us / s->refresh_us;
    units = units > 1 ? units : 1;
    s->leftover_us -= units * s->refresh_us;
    return units * s->refresh_us;
}

/* --- physics steps ---------------------------------------------------------------------------- */

static double clamped(double value, double low, double high)
{
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

/* floor, of a number that is small enough */
static int32_t whole(double value)
{
    double bounded = clamped(value, -1e9, 1e9);
    int32_t cut = (int32_t)bounded;
    return (double)cut > bounded ? cut - 1 : cut;
}

/* The bounds within which the number of steps is typical. Returns false when none is: the pattern
 * must be learned anew. */
static bool typical_bounds(const godot *g, int32_t *low, int32_t *high)
{
    *low = g->typical[0];
    *high = *low + 1;
    for (int i = 0; i < CONTROL_STEPS - 1; ++i) {
        int32_t left = g->typical[i + 1] - g->accumulated[i];
        if (left > *high || left + 1 < *low) {
            return false;
        }
        *low = left > *low ? left : *low;
        *high = left + 1 < *high ? left + 1 : *high;
    }
    return true;
}

static void remember_steps(godot *g, int32_t steps, bool learn)
{
    for (int i = CONTROL_STEPS - 2; i >= 0; --i) {
        g->accumulated[i + 1] = g->accumulated[i] + steps;
    }
    g->accumulated[0] = steps;
    for (int i = 0; learn && i < CONTROL_STEPS; ++i) {
        if (g->typical[i] > g->accumulated[i]) {
            g->typical[i] = g->accumulated[i];
        } else if (g->typical[i] < g->accumulated[i] - 1) {
            g->typical[i] = g->accumulated[i] - 1;
        }
    }
}

/* How many steps this frame takes; they are out of the accumulator afterwards. */
static int32_t choose_steps(godot *g)
{
    int32_t low;
    int32_t high;
    double due = g->accum_s * g->per_s;
    int32_t steps = whole(due);
    bool learn = !typical_bounds(g, &low, &high);
    if (steps < low) {
        int32_t most = whole(due + g->jitter_fix);
        learn = learn || most < low;
        steps = most < low ? most : low;
    } else if (steps > high) {
        int32_t least = whole(due - g->jitter_fix);
        learn = learn || least > high;
        steps = least > high ? least : high;
    }
    steps = steps > 0 ? steps : 0;
    g->accum_s -= (double)steps * g->step_s;
    remember_steps(g, steps, learn);
    return steps;
}

/* The mean of steps per frame that the pattern allows. Returns over how many frames it holds. */
static int average_steps(const godot *g, double *low, double *high)
{
    *low = (double)g->typical[0];
    *high = *low + 1.0;
    for (int i = 1; i < CONTROL_STEPS; ++i) {
        double least = (double)g->typical[i] / (double)(i + 1);
        if (least > *high) {
            return i;
        }
        *low = least > *low ? least : *low;
        double most = ((double)g->typical[i] + 1.0) / (double)(i + 1);
        if (most < *low) {
            return i;
        }
        *high = most < *high ? most : *high;
    }
    return CONTROL_STEPS;
}

/* What a frame is to do. */
typedef struct advance {
    double process_s;
    int32_t steps;
    double fraction;
} advance;

/* Three clamps of the process step, the least important first, then the books. */
static advance advance_checked(godot *g, double delta_s)
{
    /* float in the original */
    float least_s = (float)(delta_s / 8.0);
    least_s = least_s > 1e-6F ? least_s : 1e-6F;
    double wanted_s = delta_s + g->deficit_s;
    advance out = {wanted_s, 0, 0.0};
    g->accum_s += wanted_s;
    out.steps = choose_steps(g);
    double above_s = wanted_s - g->accum_s;

    double low;
    double high;
    if (average_steps(g, &low, &high) > 3) {
        out.process_s = clamped(out.process_s, low * g->step_s, high * g->step_s);
    }
    double deviation_s = g->jitter_fix * g->step_s;
    out.process_s = clamped(out.process_s, wanted_s - deviation_s, wanted_s + deviation_s);
    out.process_s = clamped(out.process_s, above_s, above_s + g->step_s);
    if (out.process_s < (double)least_s) {
        out.process_s = (double)least_s;
    }
    g->accum_s = out.process_s - above_s;
    if (g->accum_s > g->step_s) {
        int32_t extra = whole(g->accum_s * g->per_s);
        g->accum_s -= (double)extra * g->step_s;
        out.steps += extra;
    }
    g->deficit_s = wanted_s - out.process_s;
    out.fraction = g->accum_s / g->step_s;
    return out;
}

/* --- a frame ---------------------------------------------------------------------------------- */

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    godot *g = state;
    bool interpolate = setup->loop->variant == PHYSICS;
    (void)machine;
    (void)error;
    g->rate = setup->tick_rate;
    g->step_s = rate_period_s(setup->tick_rate);
    g->per_s = (double)setup->tick_rate.numerator / (double)setup->tick_rate.denominator;
    g->jitter_fix = interpolate ? 0.0 : 0.5;
    g->smooth = setup->loop->variant != RAW;
    g->interpolate = interpolate;
    for (int32_t i = 0; i < CONTROL_STEPS; ++i) {
        g->typical[i] = i;
        g->accumulated[i] = i;
    }
    return ES_OK;
}

static double read_delta_s(godot *g, lab_machine *machine)
{
    int64_t now_us = lab_now(machine) / ES_NS_PER_US;
    if (!g->started || now_us < g->last_us) {
        g->last_us = g->started ? g->last_us : now_us;
        now_us = g->last_us;
    }
    g->started = true;
    int64_t delta_us = now_us - g->last_us;
    g->last_us = now_us;
    return (double)(g->smooth ? smooth_delta(&g->smoother, delta_us) : delta_us) / 1000000.0;
}

static void frame(void *state, lab_machine *machine)
{
    godot *g = state;
    lab_content content = {0};
    advance now = advance_checked(g, read_delta_s(g, machine));
    if (now.steps > STEPS_MAX) {
        double lost_s = (double)(now.steps - STEPS_MAX) * g->step_s;
        now.process_s -= lost_s;
        now.steps = STEPS_MAX;
        content.dropped_ns = lab_ns_of_seconds(lost_s);
    }
    lab_poll(machine);
    for (int32_t i = 0; i < now.steps; ++i) {
        g->ticks += 1;
        lab_tick(machine, es_rate_time_ns(g->rate, g->ticks));
    }
    g->content_s += now.process_s;
    if (g->interpolate) {
        content.alpha = now.fraction;
        content.content_ns = es_rate_time_ns(g->rate, g->ticks - 1)
                             + lab_ns_of_seconds(now.fraction * g->step_s);
    } else {
        content.alpha = 1.0;
        content.live = true;
        content.content_ns = lab_ns_of_seconds(g->content_s);
    }
    lab_show(machine, &content);
}

const lab_loop lab_loop_godot_raw = {"godot-raw", "Godot, process step, delta smoothing off",
        "Godot main/main_timer_sync.cpp (005e054), jitter fix 0.5", LAB_LOOP_PEER, 0, RAW,
        sizeof(godot), start, frame, NULL};

const lab_loop lab_loop_godot = {"godot", "Godot, process step",
        "Godot main/main_timer_sync.cpp (005e054), jitter fix 0.5, smoothing on", LAB_LOOP_PEER, 0,
        PROCESS, sizeof(godot), start, frame, NULL};

const lab_loop lab_loop_godot_physics = {"godot-physics", "Godot, physics interpolation",
        "Godot main/main_timer_sync.cpp (005e054), jitter fix 0, smoothing on", LAB_LOOP_PEER, 0,
        PHYSICS, sizeof(godot), start, frame, NULL};
