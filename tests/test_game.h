/* SPDX-License-Identifier: Zlib
 *
 * The game that the loop's tests drive: a loop under a manual clock, the costs of its frames, and what
 * must hold in every frame.
 */
#ifndef TEST_GAME_H
#define TEST_GAME_H

#include "frame_support.h"

#include "manual_clock.h"

enum { GAME_STEPS = 64 };

typedef struct game {
    es_loop_config config;
    es_manual_clock clock;
    es_loop loop;
    es_frame frame;               /* the last one */
    es_frame before;              /* the one before that */
    es_step steps[GAME_STEPS];    /* of the last frame; the newest is kept where there are more */
    es_step step;                 /* the newest of all */
    int64_t times_ns[GAME_STEPS]; /* of the newest ticks, by index */
    int32_t ticks;                /* of the last frame */
    int64_t began_ns;             /* the clock as es_loop_begin returned */
    int64_t update_ns;            /* cost of a tick */
    int64_t light_update_ns;      /* of every tenth tick; 0: as the others */
    int64_t render_ns;
    int64_t present_ns; /* how long present blocks ... */
    int64_t vsync_ns;   /* ... and then until the next multiple of this; 0: no longer */
    int64_t first_present_ns;
} game;

/* A game with the configuration of this loop; NULL: the default. */
static inline void start_game(game *g, const char *name)
{
    memset(g, 0, sizeof *g);
    if (name != NULL) {
        assert_true(es_loop_preset(name, &g->config));
    }
}

static inline void open_game(game *g)
{
    es__error error;
    g->config.clock = es_manual_clock_get(&g->clock);
    if (es__loop_init(&g->loop, &g->config, &error) != ES_OK) {
        fail_msg("%s %s", error.field, error.reason);
    }
}

/* Both, at this tick rate (0: the loop's own) and with this drawing. */
static inline void open_loop(game *g, const char *name, uint32_t tick_hz, int64_t render_ns)
{
    start_game(g, name);
    g->config.tick_rate = tick_hz > 0 ? es_hz(tick_hz) : g->config.tick_rate;
    g->render_ns = render_ns;
    open_game(g);
}

/* Another render interval, as a settings menu would set it. */
static inline es_result set_interval(es_loop *loop, int64_t interval_ns)
{
    es_loop_config config = es_loop_get_config(loop);
    config.interval_ns = interval_ns;
    config.interval_min_ns = 0;
    return es__loop_reconfigure(loop, &config, NULL);
}

/* Another lead or catch-up policy, likewise. */
static inline es_result set_lead(es_loop *loop, int32_t lead_ticks)
{
    es_loop_config config = es_loop_get_config(loop);
    config.lead_ticks = lead_ticks;
    return es__loop_reconfigure(loop, &config, NULL);
}

static inline es_result set_catch_up(es_loop *loop, es_catch_up policy)
{
    es_loop_config config = es_loop_get_config(loop);
    config.catch_up = policy;
    return es__loop_reconfigure(loop, &config, NULL);
}

/* A tick has run; by hand or by run_ticks. */
static inline void note_step(game *g, const es_step *step)
{
    g->steps[g->ticks < GAME_STEPS ? g->ticks : GAME_STEPS - 1] = *step;
    g->step = *step;
    g->times_ns[step->index % GAME_STEPS] = step->time_ns;
    g->ticks += 1;
}

static inline void run_ticks(game *g)
{
    es_step step;
    g->ticks = 0;
    while (es_loop_tick(&g->loop, &step)) {
        assert_true(g->loop.host || step.begun_ns == g->clock.now_ns);
        note_step(g, &step);
        bool light = g->light_update_ns > 0 && step.index % 10 == 0;
        es_manual_clock_work(&g->clock, light ? g->light_update_ns : g->update_ns);
    }
}

static inline void draw_frame(game *g)
{
    g->before = g->frame;
    assert_true(es_loop_wait(&g->loop, &g->frame));
    assert_int_equal(g->frame.ticks, g->ticks);
    if (g->frame.index == 0) {
        g->first_present_ns = g->frame.present_ns;
    }
    assert_account_adds_up(&g->frame, g->first_present_ns);
    es_manual_clock_work(&g->clock, g->render_ns);
}

static inline void present_frame(game *g)
{
    assert_true(es_loop_submit(&g->loop));
    g->clock.now_ns += g->present_ns;
    if (g->vsync_ns > 0) {
        g->clock.now_ns += g->vsync_ns - g->clock.now_ns % g->vsync_ns;
    }
    assert_true(es_loop_end(&g->loop));
}

static inline void run_frame(game *g)
{
    assert_true(es_loop_begin(&g->loop));
    g->began_ns = g->clock.now_ns;
    run_ticks(g);
    draw_frame(g);
    present_frame(g);
}

static inline void run_frames(game *g, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        run_frame(g);
    }
}

/* One frame whose drawing takes this long. */
static inline void run_frame_of(game *g, int64_t render_ns)
{
    int64_t usual_ns = g->render_ns;
    g->render_ns = render_ns;
    run_frame(g);
    g->render_ns = usual_ns;
}

static inline void run_until(game *g, int64_t until_ns)
{
    while (g->clock.now_ns < until_ns) {
        run_frame(g);
    }
}

/* A frame that a host owns. expected_ns: when it will be seen; 0: not known. */
static inline void run_host_frame(game *g, int64_t now_ns, int64_t expected_ns)
{
    assert_true(es__loop_begin_host(&g->loop, now_ns, expected_ns));
    run_ticks(g);
    draw_frame(g);
    present_frame(g);
}

/* From the start before to the last one. */
static inline int64_t span_of(const game *g)
{
    return g->frame.start_ns - g->before.start_ns;
}

/* From the content before to the last one. */
static inline int64_t advance_of(const game *g)
{
    return g->frame.content_ns - g->before.content_ns;
}

static inline double speed_of(const game *g)
{
    return (double)advance_of(g) / (double)(g->frame.present_ns - g->before.present_ns);
}

#endif
