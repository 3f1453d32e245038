/* SPDX-License-Identifier: Zlib
 *
 * Rule A1, "adaptive", and the content clock.
 *
 * Why the interval does not hunt. It lengthens only when work exceeds it, and shrinks only towards
 * 6/5 of the largest work of a whole window, or to the floor if all of that fits the floor. Suppose
 * it shrank too far because a window happened to miss the frames with one tick more: the next such
 * frame lengthens it by more than 6/5, and at the longer interval frames with that many ticks are
 * no longer rare (at least one in five), so every later window of eight frames or more sees one and
 * the target stays above. tests/test_pacer.c searches random costs for a counterexample.
 */
#include "evenstep/pacer.h"

/* The interval shrinks by at most 1/104 (0.96 %) per frame: neighbouring intervals stay within 1 %,
 * which no eye sees, and 30 ms comes back to 16 ms in 66 frames. */
#define SHRINK_SHARE 104

/* A window holds at least this many frames, however long they are (see above). */
#define WINDOW_FRAMES_MIN 8

/* So many frames in a row may be late by waiting (preempted, blocked in a driver) before that is a
 * load: one is chance, three are how the program works, as with a main thread that waits for
 * workers. */
#define STALLS_MAX 2

#define SCALE_MAX 1000

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* 6/5 of the work, rounded up, so that work always fits what it asked for. */
static int64_t with_margin(int64_t work_ns)
{
    return es_ns_add(work_ns, work_ns / 5 + (work_ns % 5 != 0 ? 1 : 0));
}

es_result es_pacer_init(es_pacer *pacer, const es_pacer_config *config)
{
    if (pacer == NULL || config == NULL || config->interval_min_ns < 1
            || config->interval_ns < config->interval_min_ns
            || config->interval_max_ns < config->interval_ns || config->window_ns < 1
            || config->delay_ns < 0) {
        return ES_ERR_INVALID;
    }
    es_pacer fresh = {0};
    fresh.config = *config;
    fresh.scale.numerator = 1;
    fresh.scale.denominator = 1;
    fresh.interval_ns = config->interval_ns;
    *pacer = fresh;
    return ES_OK;
}

/* --- the content clock ------------------------------------------------------------------------ */

static bool runs_at_normal_speed(const es_pacer *pacer)
{
    return !pacer->paused && pacer->scale.numerator == pacer->scale.denominator;
}

/* Content time that passes in a span of real time. */
static int64_t scaled(const es_pacer *pacer, int64_t span_ns)
{
    if (runs_at_normal_speed(pacer)) {
        return span_ns;
    }
    return pacer->paused ? 0 : es_ns_scale(span_ns, pacer->scale);
}

/* What a resync leaves out: all but one interval of the time since the last frame. */
static int64_t left_out(const es_pacer *pacer, int64_t present_ns)
{
    if (!pacer->resync) {
        return 0;
    }
    int64_t span_ns = es_ns_sub(present_ns, pacer->last_present_ns);
    return span_ns > pacer->interval_ns ? span_ns - pacer->interval_ns : 0;
}

static int64_t since_anchor(const es_pacer *pacer, int64_t present_ns)
{
    if (!pacer->started) {
        return 0;
    }
    int64_t span_ns = es_ns_sub(present_ns, pacer->anchor_present_ns);
    return es_ns_sub(span_ns, left_out(pacer, present_ns));
}

/* The content clock's reading: without the delay, and not kept from going back. */
static int64_t clock_reading(const es_pacer *pacer, int64_t present_ns)
{
    return es_ns_add(pacer->anchor_content_ns, scaled(pacer, since_anchor(pacer, present_ns)));
}

static int64_t slowed_total(const es_pacer *pacer, int64_t present_ns)
{
    int64_t span_ns = since_anchor(pacer, present_ns);
    int64_t withheld_ns = es_ns_sub(span_ns, scaled(pacer, span_ns));
    withheld_ns = es_ns_add(withheld_ns, pacer->started ? left_out(pacer, present_ns) : 0);
    return es_ns_add(pacer->anchor_slowed_ns, withheld_ns);
}

/* Makes what the resync left out a part of the anchor, once the plan is final. */
static void finish_resync(es_pacer *pacer)
{
    int64_t left_out_ns = left_out(pacer, pacer->present_ns);
    pacer->anchor_present_ns = es_ns_add(pacer->anchor_present_ns, left_out_ns);
    pacer->anchor_slowed_ns = es_ns_add(pacer->anchor_slowed_ns, left_out_ns);
    pacer->resync = false;
}

void es_pacer_resync(es_pacer *pacer)
{
    pacer->resync = pacer->started;
}

/* Moves the anchor to the last frame, so that a new speed starts from what is on the screen. */
static void anchor_at_last_frame(es_pacer *pacer)
{
    if (!pacer->started) {
        return;
    }
    int64_t content_ns = clock_reading(pacer, pacer->last_present_ns);
    int64_t slowed_ns = slowed_total(pacer, pacer->last_present_ns);
    pacer->anchor_present_ns = pacer->last_present_ns;
    pacer->anchor_content_ns = content_ns;
    pacer->anchor_slowed_ns = slowed_ns;
}

int64_t es_pacer_content_ns(const es_pacer *pacer)
{
    int64_t reading_ns = clock_reading(pacer, pacer->present_ns);
    return larger(es_ns_sub(reading_ns, pacer->config.delay_ns), pacer->last_content_ns);
}

es_result es_pacer_set_scale(es_pacer *pacer, es_ratio scale)
{
    if (scale.denominator == 0 || scale.numerator / SCALE_MAX > scale.denominator
            || (scale.numerator / SCALE_MAX == scale.denominator
                    && scale.numerator % SCALE_MAX != 0)) {
        return ES_ERR_INVALID;
    }
    anchor_at_last_frame(pacer);
    pacer->scale = scale;
    return ES_OK;
}

void es_pacer_pause(es_pacer *pacer, bool paused)
{
    if (pacer->paused != paused) {
        anchor_at_last_frame(pacer);
        pacer->paused = paused;
    }
}

es_result es_pacer_retime(es_pacer *pacer, int64_t delay_ns, int64_t window_ns)
{
    if (delay_ns < 0 || window_ns < 1) {
        return ES_ERR_INVALID;
    }
    if (pacer->started) {
        int64_t more_ns = es_ns_sub(delay_ns, pacer->config.delay_ns);
        pacer->anchor_content_ns = es_ns_add(pacer->anchor_content_ns, more_ns);
        pacer->sought_ns = es_ns_add(pacer->sought_ns, more_ns);
    }
    pacer->config.delay_ns = delay_ns;
    pacer->config.window_ns = window_ns;
    return ES_OK;
}

void es_pacer_seek(es_pacer *pacer, int64_t content_ns)
{
    anchor_at_last_frame(pacer);
    /* the first frame is held at its start by the delay; later ones count from content + delay */
    int64_t reading_ns =
            pacer->started ? es_ns_add(content_ns, pacer->config.delay_ns) : content_ns;
    int64_t leap_ns = es_ns_sub(reading_ns, pacer->anchor_content_ns);
    pacer->anchor_content_ns = reading_ns;
    pacer->sought_ns = es_ns_add(pacer->sought_ns, leap_ns);
    pacer->last_content_ns = content_ns;
    es_pacer_resync(pacer);
}

/* --- the plan --------------------------------------------------------------------------------- */

void es_pacer_open(es_pacer *pacer, int64_t now_ns)
{
    pacer->host = false;
    pacer->stalled = false;
    pacer->frame_dropped_ns = 0;
    pacer->start_ns = pacer->started ? es_ns_add(pacer->last_start_ns, pacer->interval_ns) : now_ns;
    pacer->present_ns = pacer->start_ns;
}

void es_pacer_open_host(es_pacer *pacer, int64_t start_ns, int64_t present_ns)
{
    pacer->host = true;
    pacer->frame_dropped_ns = 0;
    pacer->start_ns = start_ns;
    pacer->present_ns = present_ns;
}

static void lengthen(es_pacer *pacer, int64_t work_ns)
{
    pacer->interval_ns = smaller(with_margin(work_ns), pacer->config.interval_max_ns);
    pacer->start_ns = es_ns_add(pacer->last_start_ns, pacer->interval_ns);
}

void es_pacer_replan(es_pacer *pacer, int64_t now_ns, int64_t work_ns, bool waited)
{
    if (pacer->host) {
        return;
    }
    if (es_pacer_is_exceeded(pacer, work_ns)) {
        pacer->stalled = waited && pacer->stalls < STALLS_MAX;
        if (!pacer->stalled && work_ns <= pacer->config.interval_max_ns) {
            lengthen(pacer, work_ns);
        }
    }
    pacer->start_ns = larger(pacer->start_ns, now_ns);
    pacer->present_ns = pacer->start_ns;
}

es_result es_pacer_set_interval(es_pacer *pacer, int64_t interval_ns, int64_t interval_max_ns)
{
    if (interval_ns < 1 || interval_max_ns < interval_ns) {
        return ES_ERR_INVALID;
    }
    pacer->config.interval_ns = interval_ns;
    pacer->config.interval_min_ns = interval_ns;
    pacer->config.interval_max_ns = interval_max_ns;
    pacer->interval_ns = interval_ns;
    return ES_OK;
}

void es_pacer_drop(es_pacer *pacer, int64_t owed_ns)
{
    if (owed_ns <= 0) {
        return;
    }
    pacer->anchor_content_ns = es_ns_sub(pacer->anchor_content_ns, owed_ns);
    pacer->frame_dropped_ns = es_ns_add(pacer->frame_dropped_ns, owed_ns);
    pacer->dropped_ns = es_ns_add(pacer->dropped_ns, owed_ns);
}

/* Remembers the largest work of the last one to two windows. */
static void note_work(es_pacer *pacer, int64_t work_ns)
{
    /* work beyond interval_max_ns counts too: under lasting overload nothing may shrink */
    if (!pacer->stalled) {
        pacer->work_max_ns = larger(pacer->work_max_ns, work_ns);
    }
    pacer->stalls = pacer->stalled ? pacer->stalls + 1 : 0;
    pacer->window_frames += 1;
    pacer->window_elapsed_ns =
            es_ns_add(pacer->window_elapsed_ns, es_ns_sub(pacer->start_ns, pacer->last_start_ns));
    if (pacer->window_elapsed_ns >= pacer->config.window_ns
            && pacer->window_frames >= WINDOW_FRAMES_MIN) {
        pacer->window_full = true;
        pacer->work_max_last_ns = pacer->work_max_ns;
        pacer->work_max_ns = 0;
        pacer->window_frames = 0;
        pacer->window_elapsed_ns = 0;
    }
}

/* 6/5 of the work, and no less than the floor. Work that fits the floor goes back to it, without
 * the margin: it was at home there before something else lengthened the interval. */
static int64_t shrink_target(const es_pacer *pacer)
{
    int64_t work_ns = larger(pacer->work_max_ns, pacer->work_max_last_ns);
    int64_t floor_ns = pacer->config.interval_min_ns;
    return work_ns <= floor_ns ? floor_ns : with_margin(work_ns);
}

static void shrink(es_pacer *pacer)
{
    int64_t target_ns = shrink_target(pacer);
    if (pacer->window_full && pacer->interval_ns > target_ns) {
        int64_t step_ns = larger(pacer->interval_ns / SHRINK_SHARE, 1);
        pacer->interval_ns = larger(pacer->interval_ns - step_ns, target_ns);
    }
}

static es_account account_of(const es_pacer *pacer, int64_t content_ns)
{
    int64_t due_ns = es_ns_sub(clock_reading(pacer, pacer->present_ns), pacer->config.delay_ns);
    es_account account = {0};
    account.dropped_ns = pacer->dropped_ns;
    account.slowed_ns = slowed_total(pacer, pacer->present_ns);
    account.held_ns = es_ns_sub(due_ns, content_ns);
    account.delay_ns = pacer->config.delay_ns;
    account.sought_ns = pacer->sought_ns;
    return account;
}

void es_pacer_close(es_pacer *pacer, int64_t work_ns, es_plan *plan)
{
    bool first = !pacer->started;
    if (first) {
        pacer->started = true;
        pacer->anchor_present_ns = pacer->present_ns;
    }
    plan->start_ns = pacer->start_ns;
    plan->present_ns = pacer->present_ns;
    plan->content_ns = es_pacer_content_ns(pacer);
    plan->interval_ns = pacer->host ? 0 : pacer->interval_ns;
    plan->dropped_ns = pacer->frame_dropped_ns;
    plan->account = account_of(pacer, plan->content_ns);
    if (!pacer->host && !first) {
        note_work(pacer, work_ns);
        shrink(pacer);
    }
    finish_resync(pacer);
    pacer->last_start_ns = pacer->start_ns;
    pacer->last_present_ns = pacer->present_ns;
    pacer->last_content_ns = plan->content_ns;
}
