/* SPDX-License-Identifier: Zlib
 *
 * How far each kind of blending and prediction is from motions that are formulas. Exit status 1: a
 * frame is beyond its bound of docs/notes/blending.md.
 *
 *   bench_blend_error [TICK_RATE [REFRESH]]    a table; 20 ticks and 240 frames per second
 *
 * The library runs in virtual time. Lengths are in m here, and printed in mm.
 */
#include "../tests/manual_clock.h"
#include "bench.h"

#include "world/field.h"

#include <math.h>

#define EVENT_NS INT64_C(2030000000) /* of the bounce and the stop: within a tick at most rates */

/* From FIRST_TICK on each kind has its ticks. */
enum { KEPT = ES_HISTORY_TICKS_MAX, FIRST_TICK = 4, SECONDS = 4, FRAMES_MAX = SECONDS * 1000 + 1 };

static const double pi = 3.14159265358979323846;
static const double gravity = 9.81;
static const double event = EVENT_NS / 1e9;
static const double silence[2] = {1.5, 2}; /* no tick between them reaches the history */
static const double rounding = 2e-8;       /* the bounds take ticks as even; times are whole ns */

/* --- motions ---------------------------------------------------------------------------------- */

typedef struct world {
    int64_t contact_ns;
    double at[2], velocity[2], acceleration[2];
} world;

typedef struct motion {
    const char *name, *title;
    void (*truth)(double t, world *w);
    double speed;         /* the largest within the run */
    double jump;          /* by how much the velocity changes at the event; 0: there is none */
    double second;        /* the largest second derivative of the position, without the jump */
    double third, fourth; /* and the next two */
    bool silent;
} motion;

static void put(world *w, double x, double y, double vx, double vy, double ax, double ay)
{
    world made = {0, {x, y}, {vx, vy}, {ax, ay}};
    *w = made;
}

static void circle(double t, world *w)
{
    double c = 10 * cos(t), s = 10 * sin(t);
    put(w, c, s, -s, c, -c, -s);
}

static void sine(double t, world *w)
{
    put(w, 0, 10 / pi * sin(pi * t), 0, 10 * cos(pi * t), 0, -10 * pi * sin(pi * t));
}

static void fall(double t, world *w)
{
    put(w, 5 * t, 10 * t - gravity / 2 * t * t, 5, 10 - gravity * t, 0, -gravity);
}

/* It meets the floor at 10 m/s, and leaves it so. */
static void bounce(double t, world *w)
{
    double after = t - event, up = after < 0 ? -10 : 10;
    put(w, 5 * t, up * after - gravity / 2 * after * after, 5, up - gravity * after, 0, -gravity);
}

static void stop(double t, world *w)
{
    put(w, 10 * (t < event ? t : event), 0, t < event ? 10 : 0, 0, 0, 0);
}

static const motion motions[] = {
        {"circle", "radius 10 m, 10 m/s", circle, 10, 0, 10, 10, 10, false},
        {"sine", "up and down in 2 s, at most 10 m/s", sine, 10, 0, 31.415926535897932,
                98.69604401089358, 310.0627668029982, false},
        {"fall", "thrown up at 10 m/s", fall, 29.7, 0, 9.81, 0, 0, false},
        {"bounce", "a ball meets the floor at 10 m/s", bounce, 11.2, 20, 9.81, 0, 0, false},
        {"stop", "from 10 m/s to 0 at once", stop, 10, 10, 0, 0, 0, false},
        {"silence", "the circle without ticks for 0.5 s", circle, 10, 0, 10, 10, 10, true}};

/* --- ways to show them ------------------------------------------------------------------------ */

typedef struct way {
    const char *name;
    es_blend_kind kind;
    int32_t ticks; /* that the history keeps */
    int32_t lead;  /* -1: the field is predicted */
    double delay;
    es_predict predict;
    es_correct correct;
    bool contact; /* the field has one */
} way;

static const way ways[] = {{"linear", ES_BLEND_LINEAR, 2, 0, 0, 0, 0, false},
        {"linear-delayed", ES_BLEND_LINEAR, 2, 0, 1, 0, 0, false},
        {"hermite", ES_BLEND_HERMITE, 2, 0, 0, 0, 0, false},
        {"catmull-rom", ES_BLEND_CATMULL_ROM, 4, 1, 0, 0, 0, false},
        {"monotone", ES_BLEND_MONOTONE, 4, 1, 0, 0, 0, false},
        {"blend", ES_BLEND_LINEAR, 3, -1, 0, ES_PREDICT_LINEAR, ES_CORRECT_BLEND, false},
        {"decay", ES_BLEND_LINEAR, KEPT, -1, 0, ES_PREDICT_LINEAR, ES_CORRECT_DECAY, false},
        {"snap", ES_BLEND_LINEAR, 2, -1, 0, ES_PREDICT_LINEAR, ES_CORRECT_SNAP, false},
        {"contact", ES_BLEND_LINEAR, 3, -1, 0, ES_PREDICT_LINEAR, ES_CORRECT_BLEND, true},
        {"ballistic", ES_BLEND_LINEAR, 3, -1, 0, ES_PREDICT_BALLISTIC, ES_CORRECT_BLEND, false}};

/* The default of max_ns, the ramp_ns of all predictions here, the default of decay_ns. */
static const double reach_max = 0.25;
static const double ramp = 0.25;
static const double decay = 0.1;

/* --- bounds: of a frame that shows instant c, from ticks at t[0], t[1], ..., newest first ----- */

typedef struct frame_of {
    const motion *motion;
    const way *way;
    double t[KEPT], c;
    size_t count;
} frame_of;

/* The part of a motion that a jump of 1 m/s at the event adds. */
static double hinge(double t)
{
    return t > event ? t - event : 0;
}

/* Between tick `newer` and the one before it. All kinds but monotone are linear in the positions:
 * the error is that of the smooth part and that of the hinge. */
static double pair_bound(const frame_of *f, size_t newer)
{
    const motion *m = f->motion;
    double from = f->t[newer + 1], to = f->t[newer], length = to - from;
    double u = (f->c - from) / length, product = (f->c - from) * (to - f->c);
    double before = hinge(from) - hinge(from - length), step = hinge(to) - hinge(from);
    double after = hinge(to + length) - hinge(to), start = step, end = step; /* tangents */
    double bound = m->second * product / 2;
    if (f->way->kind == ES_BLEND_HERMITE) {
        bound = m->fourth * product * product / 24;
        start = from >= event ? length : 0;
        end = to >= event ? length : 0;
    } else if (f->way->kind == ES_BLEND_CATMULL_ROM) {
        bound = m->fourth * product * product / 24 + m->third * length * product / 6;
        start = (before + step) / 2;
        end = (step + after) / 2;
    } else if (f->way->kind == ES_BLEND_MONOTONE) { /* by how much the slope changes at the ends */
        double bend = (1 - u) * fabs(step - before) + u * fabs(after - step);
        bound += m->second * product + m->jump * u * (1 - u) * bend;
    }
    double cubic =
            step * u * u * (3 - 2 * u) + start * u * (1 - u) * (1 - u) - end * u * u * (1 - u);
    return bound + m->jump * fabs(hinge(from) + cubic - hinge(f->c));
}

static double reach_of(double after)
{
    double over = after - reach_max < ramp ? after - reach_max : ramp;
    return over <= 0 ? after : reach_max + over - over * over / (2 * ramp);
}

/* Of a prediction that goes on for `reach` from a tick: Taylor's remainder, the hinge, and the
 * object's own motion during the rest of the time. */
static double reached_bound(const frame_of *f, double from, double c, double reach)
{
    const motion *m = f->motion;
    if (f->way->contact && m->jump > 0 && event > from && event - from < reach) {
        reach = event - from;
    }
    double bound = f->way->predict == ES_PREDICT_BALLISTIC ? m->third * reach * reach * reach / 6
                                                           : m->second * reach * reach / 2;
    return bound + (event > from ? m->jump * hinge(from + reach) : 0)
           + m->speed * (c - from - reach);
}

static double predicted_bound(const frame_of *f)
{
    const double *t = f->t;
    double since = f->c - t[0], bound = reached_bound(f, t[0], f->c, reach_of(since));
    if (f->way->correct == ES_CORRECT_DECAY) { /* what is left of each correction */
        for (size_t age = 0; age + 1 < f->count && f->c - t[age] < decay; ++age) {
            double reach = reach_of(t[age] - t[age + 1]);
            bound += (1 - (f->c - t[age]) / decay) * reached_bound(f, t[age + 1], t[age], reach);
        }
    } else if (f->way->correct == ES_CORRECT_BLEND) {
        double tick = f->count > 2 && t[1] - t[2] < t[0] - t[1] ? t[1] - t[2] : t[0] - t[1];
        double u = since / tick, reach = reach_of(t[0] - t[1]) + reach_of(since);
        bound = u < 1 ? (1 - u) * reached_bound(f, t[1], f->c, reach) + u * bound : bound;
    }
    return bound;
}

static double bound_of(frame_of *f, const es_history *history)
{
    size_t newer = 0;
    for (f->count = 0; f->count < KEPT; ++f->count) {
        if (es_history_tick(history, (int32_t)f->count) == NULL) {
            break;
        }
        f->t[f->count] = (double)es__history_time_ns(history, (int32_t)f->count) / 1e9;
    }
    if (f->c > f->t[0]) {
        return rounding + predicted_bound(f);
    }
    while (newer + 2 < f->count && f->c <= f->t[newer + 1]) {
        newer += 1;
    }
    return rounding + pair_bound(f, newer);
}

/* --- running ---------------------------------------------------------------------------------- */

typedef struct result {
    double largest, mean, bound, jump, delay_ms;
    size_t count;
    bool beyond; /* a frame is beyond its bound */
} result;

static world shown[FRAMES_MAX], true_at[FRAMES_MAX]; /* by frame */
static es_rate tick_rate, refresh;

static double distance(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* From the step to frame i to the nearest step of the true motion within some frames of it. */
static double jump_at(size_t i, size_t count, size_t within)
{
    const double *a = shown[i - 1].at, *b = shown[i].at;
    double least = HUGE_VAL;
    for (size_t k = i > within ? i - within : 1; k < count && k <= i + within; ++k) {
        const double *c = true_at[k - 1].at, *d = true_at[k].at;
        least = fmin(least, distance(b[0] - a[0] - d[0] + c[0], b[1] - a[1] - d[1] + c[1]));
    }
    return least;
}

static void measure(result *r, const double *at, const double *truth, double bound)
{
    double error = distance(at[0] - truth[0], at[1] - truth[1]);
    r->largest = fmax(r->largest, error);
    r->mean += error;
    r->bound = fmax(r->bound, bound);
    r->beyond = r->beyond || !(error <= bound); /* a NaN is */
    r->count += 1;
}

static es_loop *open_loop(const way *by, es_manual_clock *manual)
{
    es_loop_config config = {.tick_rate = tick_rate, .lead_ticks = by->lead};
    config.pace = ES_PACE_ADAPTIVE; /* evenly by interval_ns */
    config.interval_ns = es_rate_time_ns(refresh, 1);
    config.delay_ticks = by->delay;
    config.clock = es_manual_clock_get(manual);
    return es_loop_create(&config);
}

static void run_ticks(const motion *m, const es_frame *frame, es_history *history)
{
    for (int i = 0; i < frame->ticks; ++i) {
        es_step step = es_frame_step(frame, i);
        double t = (double)step.time_ns / 1e9;
        if (!m->silent || t <= silence[0] || t >= silence[1]) {
            world *w = es_history_push(history, &step);
            m->truth(t, w);
            w->contact_ns = m->jump > 0 && t < event ? EVENT_NS : 0;
        }
    }
}

static void run_frames(es_loop *loop, es_history *history, frame_of *f, result *r)
{
    es_field fields[] = {ES_FIELD(world, at, ES_BLEND_LINEAR),
            ES_FIELD(world, velocity, ES_BLEND_STEP), ES_FIELD(world, acceleration, ES_BLEND_STEP),
            ES_FIELD(world, contact_ns, ES_BLEND_STEP)};
    es_layout layout = ES_LAYOUT(world, fields);
    es_prediction prediction = {f->way->predict, f->way->correct, 0, (int64_t)(ramp * 1e9), 0};
    bool predicts = f->way->lead < 0;
    bool ballistic = f->way->predict == ES_PREDICT_BALLISTIC;
    es_frame frame;
    fields[0].blend = f->way->kind;
    fields[0].velocity = predicts || f->way->kind == ES_BLEND_HERMITE ? "velocity" : NULL;
    fields[0].acceleration = ballistic ? "acceleration" : NULL;
    fields[0].contact = f->way->contact ? "contact_ns" : NULL;
    fields[0].prediction = predicts ? &prediction : NULL;
    while (es_loop_next(loop, &frame) && frame.content_ns < SECONDS * ES_NS_PER_S) {
        world *view = &shown[r->count], *truth = &true_at[r->count];
        run_ticks(f->motion, &frame, history);
        if (!es_blend_frame(&layout, history, &frame, view)) {
            bench_fail(es_get_error());
        }
        f->c = (double)frame.content_ns / 1e9;
        f->motion->truth(f->c, truth);
        if (frame.previous_tick >= FIRST_TICK) {
            measure(r, view->at, truth->at, bound_of(f, history));
        }
        r->delay_ms = (double)frame.account.delay_ns / 1e6;
        es_loop_submit(loop);
    }
}

static result run(const motion *m, const way *by)
{
    es_manual_clock manual = {0};
    es_loop *loop = open_loop(by, &manual);
    es_history *history = es_history_create(sizeof(world), by->ticks);
    frame_of f = {.motion = m, .way = by};
    result r = {0};
    if (loop == NULL || history == NULL) {
        bench_fail(es_get_error());
    }
    m->truth(0, es_history_current(history));
    es_history_reset(history, 0, 0);
    run_frames(loop, history, &f, &r);
    size_t within = (size_t)(es_rate_time_ns(tick_rate, 1) / es_rate_time_ns(refresh, 1));
    for (size_t i = 1; i < r.count; ++i) {
        r.jump = fmax(r.jump, jump_at(i, r.count, within));
    }
    r.mean /= (double)r.count;
    es_history_destroy(history);
    es_loop_destroy(loop);
    return r;
}

/* --- the table -------------------------------------------------------------------------------- */

/* In mm, three digits; below rounding 0. */
static void print_mm(double metres)
{
    double mm = metres < 2 * rounding ? 0 : metres * 1e3;
    printf(mm < 1000 ? " %10.3g" : " %10.0f", mm);
}

static int print_table(void)
{
    int status = 0;
    printf("%-18s%11s%11s%11s%11s%11s\n", "", "largest mm", "mean mm", "bound mm", "jump mm",
            "delay ms");
    for (size_t i = 0; i < sizeof motions / sizeof motions[0]; ++i) {
        printf("%s: %s\n", motions[i].name, motions[i].title);
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
            if (motions[i].silent && ways[k].lead >= 0) {
                continue; /* the bounds between two ticks take ticks as even */
            }
            result r = run(&motions[i], &ways[k]);
            printf("  %-16s", ways[k].name);
            print_mm(r.largest);
            print_mm(r.mean);
            print_mm(r.bound);
            print_mm(r.jump);
            printf(" %10.4g%s\n", r.delay_ms, r.beyond ? " beyond its bound" : "");
            status = r.beyond ? 1 : status;
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    double ticks = argc > 1 ? strtod(argv[1], NULL) : 20;
    double drawn = argc > 2 ? strtod(argv[2], NULL) : 240;
    if (!(ticks >= 3 && ticks <= drawn && drawn <= 1000)) {
        fprintf(stderr, "usage: bench_blend_error [TICK_RATE [REFRESH]]; 3 to 1000 Hz\n");
        return 2;
    }
    tick_rate = es_hz(ticks);
    refresh = es_hz(drawn);
    return print_table();
}
