/* SPDX-License-Identifier: Zlib
 *
 * The three paces; most of it is rule A1, "adaptive".
 *
 * Why its interval does not oscillate. It lengthens only when work exceeds it. It shrinks only
 * towards 6/5 of the largest work of a whole window, or to the floor if frames at the floor would
 * fit it (es__work.floor_ns counts the most ticks that such a frame can need). Suppose it shrank too
 * far because a window had no frame with one tick more. The next such frame lengthens it by more
 * than 6/5. At the longer interval such frames are no longer rare (at least one in five), so every
 * later window of eight frames has one, and the target stays above. tests/test_pacer.c searches
 * random costs for a counterexample.
 *
 * Where the loop bounds the ticks per frame, extra ticks may stay rare at any interval. The loop
 * knows their cost, and sets the interval that they need (es__pacer_set_load).
 */
#include "pacer.h"

#include "base/common.h"

/* The interval shrinks by at most 1/104 (0.96 %) per frame: neighbouring intervals stay within 1 %,
 * which is not visible, and 30 ms comes back to 16 ms in 66 frames. */
#define SHRINK_SHARE 104

/* A window holds at least this many frames, however long they are (see above). */
#define WINDOW_FRAMES_MIN 8

/* Frames in a row that may be late by waiting (preempted, blocked in a driver) before that is a
 * load. One is chance; three are how the program works, as with a main thread that waits for
 * workers. */
#define STALLS_MAX 2

/* 6/5 of the work, rounded up, so that work always fits what it asked for. */
static int64_t with_margin(int64_t work_ns)
{
    return work_ns + work_ns / 5 + (work_ns % 5 != 0 ? 1 : 0);
}

#if ES__ASSERTS
/* Rule A1 keeps the interval within its bounds, and at the work: a load's may be longer. */
static void check_pacer(const es__pacer *pacer)
{
    const es__pacer_config *config = &pacer->config;
    int64_t most_ns =
            es__max(es__max(config->interval_max_ns, pacer->load_ns), config->interval_ns);
    ES__ASSERT_IS(pacer->interval_ns, <=, most_ns);
    ES__ASSERT(config->pace != ES_PACE_ADAPTIVE || pacer->interval_ns >= config->interval_min_ns,
            pacer->interval_ns, config->interval_min_ns);
}
#endif

void es__pacer_init(es__pacer *pacer, const es__pacer_config *config)
{
    es__pacer fresh = {0};
    fresh.config = *config;
    if (config->pace == ES_PACE_AUTO) {
        fresh.config.pace = ES_PACE_ADAPTIVE;
    }
    fresh.interval_ns = config->interval_ns;
    *pacer = fresh;
}

/* --- the plan --------------------------------------------------------------------------------- */

void es__pacer_open(es__pacer *pacer, int64_t now_ns)
{
    bool waits = pacer->started && pacer->config.pace != ES_PACE_UNCAPPED;
    pacer->host = false;
    pacer->stalled = false;
    pacer->start_ns = waits ? pacer->last_start_ns + pacer->interval_ns : now_ns;
    pacer->start_ns = es__min(pacer->start_ns, ES__TIME_MAX);
    pacer->present_ns = pacer->config.aim == ES_AIM_BEGIN ? now_ns : pacer->start_ns;
}

void es__pacer_open_host(es__pacer *pacer, int64_t start_ns, int64_t present_ns)
{
    pacer->host = true;
    pacer->start_ns = start_ns;
    pacer->present_ns = present_ns;
}

/* A plan never becomes earlier: ticks may have run for it. */
static void move_start(es__pacer *pacer, int64_t start_ns)
{
    pacer->start_ns = es__max(pacer->start_ns, es__min(start_ns, ES__TIME_MAX));
}

/* Rule A1. */
static void lengthen(es__pacer *pacer, const es__work *work)
{
    int64_t work_ns = work->work_ns;
    bool waited = work->waited;
    if (work->floor_ns <= pacer->config.interval_min_ns) {
        return; /* the frame only catches up: at the floor its work fits */
    }
    pacer->stalled = waited && pacer->stalls < STALLS_MAX;
    int64_t most_ns = es__max(pacer->config.interval_max_ns, pacer->load_ns);
    if (!pacer->stalled && work_ns <= most_ns) {
        pacer->interval_ns = es__min(with_margin(work_ns), most_ns);
        ES__ASSERT_IS(pacer->interval_ns, >=, work_ns);
        move_start(pacer, pacer->last_start_ns + pacer->interval_ns);
    }
}

/* The fixed pace: a frame takes as many whole intervals as its work needs. Other time, such as a
 * present that blocked, costs no interval: then the display sets the pace. */
static void lose_intervals(es__pacer *pacer, int64_t work_ns)
{
    int64_t over_ns = work_ns % pacer->interval_ns;
    int64_t whole_ns = work_ns + (over_ns > 0 ? pacer->interval_ns - over_ns : 0);
    move_start(pacer, pacer->last_start_ns + whole_ns);
}

void es__pacer_replan(es__pacer *pacer, const es__work *work)
{
    if (!es__pacer_is_exceeded(pacer, work->work_ns)) {
        return;
    }
    if (pacer->config.pace == ES_PACE_ADAPTIVE) {
        lengthen(pacer, work);
    } else {
        lose_intervals(pacer, work->work_ns);
    }
}

void es__pacer_set_interval(es__pacer *pacer, int64_t interval_ns, int64_t interval_max_ns)
{
    pacer->config.interval_ns = interval_ns;
    pacer->config.interval_min_ns = interval_ns;
    pacer->config.interval_max_ns = interval_max_ns;
    pacer->interval_ns = interval_ns;
    pacer->load_ns = 0;
}

/* Remembers the largest work of the last one to two windows. */
static void remember_work(es__pacer *pacer, const es__work *work)
{
    /* work beyond interval_max_ns counts too: under lasting overload nothing may shrink */
    if (!pacer->stalled) {
        pacer->work_max_ns = es__max(pacer->work_max_ns, work->work_ns);
        pacer->floor_max_ns = es__max(pacer->floor_max_ns, work->floor_ns);
    }
    pacer->stalls = pacer->stalled ? pacer->stalls + 1 : 0;
    pacer->window_frames += 1;
    pacer->window_elapsed_ns += pacer->start_ns - pacer->last_start_ns;
    if (pacer->window_elapsed_ns >= pacer->config.window_ns
            && pacer->window_frames >= WINDOW_FRAMES_MIN) {
        pacer->window_full = true;
        pacer->work_max_last_ns = pacer->work_max_ns;
        pacer->floor_max_last_ns = pacer->floor_max_ns;
        pacer->work_max_ns = 0;
        pacer->floor_max_ns = 0;
        pacer->window_frames = 0;
        pacer->window_elapsed_ns = 0;
    }
}

/* 6/5 of the work, and at least the floor. Work that fits the floor goes back to it without the
 * margin. The work counts as a frame *at the floor* would have it: a longer frame needs more ticks,
 * and its work would keep the interval long for ever. */
static int64_t shrink_target(const es__pacer *pacer)
{
    int64_t work_ns = es__max(pacer->work_max_ns, pacer->work_max_last_ns);
    int64_t at_floor_ns = es__max(pacer->floor_max_ns, pacer->floor_max_last_ns);
    int64_t floor_ns = pacer->config.interval_min_ns;
    if (at_floor_ns <= floor_ns) {
        return floor_ns;
    }
    /* a load includes its rare long frames, which a window may miss */
    return es__max(pacer->load_ns > 0 ? pacer->load_ns : with_margin(work_ns), floor_ns);
}

static void shrink(es__pacer *pacer)
{
    bool grown = pacer->interval_ns > pacer->config.interval_max_ns;
    if (grown && pacer->interval_ns > pacer->load_ns) { /* the load has ended */
        pacer->interval_ns = es__max(pacer->load_ns, pacer->config.interval_min_ns);
    }
    int64_t target_ns = shrink_target(pacer);
    if (pacer->window_full && pacer->interval_ns > target_ns) {
        int64_t step_ns = es__max(pacer->interval_ns / SHRINK_SHARE, 1);
        pacer->interval_ns = es__max(pacer->interval_ns - step_ns, target_ns);
    }
}

void es__pacer_close(es__pacer *pacer, const es__work *work, es__plan *plan)
{
    plan->start_ns = pacer->start_ns;
    plan->present_ns = pacer->present_ns;
    plan->interval_ns = pacer->host ? 0 : pacer->interval_ns;
    ES__BEFORE(const int64_t before_ns = pacer->interval_ns);
    if (!pacer->host && pacer->started && pacer->config.pace == ES_PACE_ADAPTIVE) {
        remember_work(pacer, work);
        shrink(pacer);
        ES__CHECK(check_pacer(pacer));
        ES__CHECK(ES__ASSERT_IS(pacer->interval_ns, <=, before_ns));
    }
    ES__ASSERT(pacer->host || !pacer->started || pacer->config.pace == ES_PACE_UNCAPPED
                       || pacer->start_ns >= pacer->last_start_ns,
            pacer->start_ns, pacer->last_start_ns);
    pacer->started = true;
    pacer->last_start_ns = pacer->start_ns;
}
