/* CC0: copy freely.
 *
 * 07: physics at 120 ticks per second, an AI at 12.5: each with a history and an alpha of its own.
 *
 * You will see: which groups tick at each base tick: a phase keeps two dear ones apart. Then how far a
 * guard that the AI turns is drawn from the truth: by its newest tick, by physics' alpha, by its own.
 */
#include "evenstep/schedule.h"
#include "evenstep/world.h"

#include "virtual_clock.h"

#include <math.h>
#include <stdio.h>

enum { PHYSICS, GAME, PATHS, CROWD, AI, GROUPS, BASE = 120, FRAMES = 600 };

/* 120, 60, 10, 10 and 12.5 per second. Paths run when their span is over, drawn one tick behind. */
static const es_rate_group groups[GROUPS] = {{.period = 1}, {.period = 2},
        {.period = 12, .phase = 6, .lead_ticks = -1, .delay_ticks = 1}, {.period = 12},
        {.rate = {25, 2}}};

typedef struct body {
    double x, speed; /* of a guard: its angle */
} body;

static const es_field fields[] = {ES_FIELD(body, x, ES_BLEND_LINEAR)};
static const es_layout layout = ES_LAYOUT(body, fields);

static double true_angle(int64_t time_ns)
{
    return sin((double)time_ns / 1e9 * 4.0);
}

static void print_groups(const es_rates *rates)
{
    printf("groups per base tick");
    for (int64_t tick = 25; tick < 37; ++tick) {
        char ticking[GROUPS + 1] = "";
        es_rates_run run = {0};
        for (int i = 0; es_rates_next(rates, tick, &run); ++i) {
            ticking[i] = "PGpcA"[run.group];
        }
        printf(" %s", ticking);
    }
    printf("\n");
}

typedef struct world {
    es_rates *rates;
    es_history *balls, *guards;
} world;

/* One base tick: what is due of each group, in the order of their declaration. */
static void update(world *w, int64_t base_tick)
{
    es_rates_run run = {0};
    while (es_rates_next(w->rates, base_tick, &run)) {
        if (run.group == PHYSICS) {
            body *b = es_history_push(w->balls, &run.step);
            double before = -b->x; /* a spring: its pull changes as x moves, between the calls */
            es_motion_verlet_position(&b->x, b->speed, before, run.step.dt_s);
            es_motion_verlet_speed(&b->speed, before, -b->x, run.step.dt_s);
        } else if (run.group == AI) {
            ((body *)es_history_push(w->guards, &run.step))->x = true_angle(run.step.time_ns);
        }
    }
}

static double off(double angle, const es_frame *frame)
{
    return fabs(angle - true_angle(frame->content_ns));
}

int main(void)
{
    static world w;
    int64_t time_ns;
    virtual_clock time = {0};
    es_loop_config config = {
            .tick_rate = {BASE, 1}, .pace = ES_PACE_ADAPTIVE, .interval_ns = ES_NS_PER_S / 75};
    double newest = 0, by_physics = 0, by_own = 0;
    w.rates = es_rates_create(&(es_rates_config){groups, GROUPS, es_hz(BASE)});
    print_groups(w.rates);
    config.clock = virtual_clock_get(&time);
    es_loop *loop = es_loop_create(&config);
    w.balls = es_history_create(sizeof(body), 2);
    w.guards = es_history_create(sizeof(body), es_rates_history_ticks(w.rates, AI, 0)); /* 3 */
    ((body *)es_history_current(w.balls))->x = 1.0;
    es_rates_newest(w.rates, AI, 0, &time_ns); /* of tick 0: not 0 where a group has a phase */
    es_history_reset(w.guards, 0, time_ns);
    for (int i = 0; i < FRAMES; ++i) {
        es_frame frame, of_ai;
        es_loop_next(loop, &frame);
        for (int k = 0; k < frame.ticks; ++k) {
            es_step step = es_frame_step(&frame, k);
            update(&w, step.index);
        }
        es_rates_frame(w.rates, AI, &frame, &of_ai); /* its own pair and alpha */
        const body *from = es_history_previous(w.guards), *to = es_history_current(w.guards);
        body seen = {99, 0};
        es_blend_frame(&layout, w.guards, &of_ai, &seen); /* refused with 2: 99 would stay */
        newest = fmax(newest, off(to->x, &frame));
        by_physics = fmax(by_physics, off(es_lerp(from->x, to->x, frame.alpha), &frame));
        by_own = fmax(by_own, off(seen.x, &frame));
        virtual_clock_work(&time, 3 * ES_NS_PER_MS);
        es_loop_submit(loop);
        es_loop_end(loop);
    }
    printf("drawn off by: newest tick %.3f, alpha of physics %.3f, its own %.3f rad\n", newest,
            by_physics, by_own);
    es_rates_rebase(w.rates, 8 * BASE, 8 * ES_NS_PER_S, es_hz(60)); /* the loop's new tick rate */
    int64_t n = es_rates_newest(w.rates, AI, 1020, NULL) - es_rates_newest(w.rates, AI, 960, NULL);
    printf("AI at 60 base ticks: %d per second\n", (int)n);
    es_history_destroy(w.balls);
    es_history_destroy(w.guards);
    es_rates_destroy(w.rates);
    es_loop_destroy(loop);
    return 0;
}
