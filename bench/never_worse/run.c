/* SPDX-License-Identifier: Zlib */
#include "exam.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_bool failed;

static const exam_draw *draw_at(const exam *e, size_t index)
{
    return &e->draws[index / EXAM_SLOTS];
}

static lab_setup setup_at(void *user, size_t index)
{
    const exam *e = user;
    return exam_setup(e, draw_at(e, index), index % EXAM_SLOTS);
}

/* --- parts of a run --------------------------------------------------------------------------- */

/* The mean |animation error| of some frames, in % of a refresh; below 0: there are not enough. */
static double error_of(const lab_result *result, size_t first, size_t end)
{
    lab_measures part;
    if (end < first + 3) {
        return -1.0;
    }
    lab_measure(&result->frames[first], end - first, 0, 0, result->scratch, &part);
    return 100.0 * part.animation.mean_abs_ms / result->measures.refresh_ms;
}

/* The first frame seen 1 s after 16 presents have blocked. */
static size_t first_known(const lab_result *result, const lab_setup *setup)
{
    enum { BLOCKED = 16 };
    const lab_cost *render = &setup->scenario.render;
    double work_ns = render->base * 1e6 * result->measures.refresh_ms
                     * (render->high > 0.0 ? render->high : 1.0);
    int blocked = 0;
    int64_t from_ns = INT64_MAX;
    size_t i = 0;
    for (; i < result->frame_count && result->frames[i].shown_ns < from_ns; ++i) {
        const lab_frame *frame = &result->frames[i];
        blocked += (double)(frame->return_ns - frame->render_ns) > work_ns + 200e3;
        if (blocked == BLOCKED && from_ns == INT64_MAX) {
            from_ns = frame->return_ns + ES_NS_PER_S;
        }
    }
    return i;
}

/* Frame rate and age without the time in which vsync is off. That part has a frame rate of its
 * own. */
static void split_rate(const lab_result *result, const lab_setup *setup, exam_outcome *kept)
{
    const lab_screen_change *changes = setup->scenario.changes;
    int64_t span_ns = setup->duration_ns - setup->warm_up_ns;
    int64_t from_ns = setup->warm_up_ns + (int64_t)(changes[0].at * (double)span_ns);
    int64_t to_ns = setup->warm_up_ns + (int64_t)(changes[1].at * (double)span_ns);
    double passed_ns[2] = {0.0, 0.0}, frames[2] = {0.0, 0.0}, age_ns = 0.0;
    for (size_t i = result->measured + 1; i < result->frame_count; ++i) {
        const lab_frame *frame = &result->frames[i];
        bool free = frame->shown_ns >= from_ns && frame->shown_ns < to_ns;
        passed_ns[free] += (double)(frame[0].shown_ns - frame[-1].shown_ns);
        frames[free] += 1.0;
        age_ns += free ? 0.0 : (double)(frame->shown_ns - frame->input_ns);
    }
    if (passed_ns[0] > 0.0 && passed_ns[1] > 0.0) {
        kept->fps = (float)(1e9 * frames[0] / passed_ns[0]);
        kept->free_fps = (float)(1e9 * frames[1] / passed_ns[1]);
        kept->age_ms = (float)(age_ns / frames[0] / 1e6);
    }
}

/* 1 s or 60 frames. */
static double settle_limit_ms(const lab_result *result)
{
    int64_t refresh_ns =
            result->frame_count > 0 ? result->frames[result->frame_count - 1].refresh_ns : 0;
    double frame_ms = refresh_ns > 0 ? es_ns_to_ms(refresh_ns) : result->measures.interval_ms;
    return 60.0 * frame_ms > 1000.0 ? 60.0 * frame_ms : 1000.0;
}

/* --- all runs --------------------------------------------------------------------------------- */

static exam_outcome outcome_of(
        const exam_subject *subject, const lab_setup *setup, const lab_result *result)
{
    const lab_measures *m = &result->measures;
    exam_outcome kept = {.ran = true, .known = -1.0f};
    double percent = lab_percent(m, m->animation.mean_abs_ms);
    kept.error = (float)(subject->is_event ? m->event_total_ms : percent);
    kept.lost_ms = (float)(m->lost_ms < 0.0 ? -m->lost_ms : m->lost_ms);
    kept.fps = (float)m->frames_per_s;
    kept.age_ms = (float)m->input_age_ms;
    kept.missed = (float)m->missed_share;
    kept.held = (float)m->planned_repeat_share;
    kept.refresh_ms = (float)m->refresh_ms;
    kept.settle_ms = (float)m->event_settle_ms;
    kept.settle_limit_ms = (float)settle_limit_ms(result);
    kept.off_speed_ms = (float)m->event_off_speed_ms;
    if (subject->is_free) {
        split_rate(result, setup, &kept);
    }
    if (subject->point == 3) {
        kept.known = (float)error_of(result, first_known(result, setup), result->frame_count);
    } else if (subject->point == 6) {
        kept.known = (float)percent;
        kept.error = (float)error_of(result, 0, result->measured);
    }
    return kept;
}

static void keep(void *user, size_t index, es_result status, const lab_result *result)
{
    const exam *e = user;
    const exam_draw *draw = draw_at(e, index);
    if (exam_loop(e, draw, index % EXAM_SLOTS) == NULL) {
        return;
    }
    if (status != ES_OK) {
        atomic_store(&failed, true);
        return;
    }
    lab_setup setup = exam_setup(e, draw, index % EXAM_SLOTS);
    e->outcomes[index] = outcome_of(&e->subjects[e->cells[draw->cell].subject], &setup, result);
}

static bool on_progress(void *user, size_t done, size_t count)
{
    (void)user;
    if (done % 5000 == 0 && isatty(STDERR_FILENO) == 1) {
        fprintf(stderr, "\r%.0f %%\033[K%s", 100.0 * (double)done / (double)count,
                done == count ? "\n" : "");
    }
    return !atomic_load(&failed);
}

bool exam_run(exam *e)
{
    lab_runs runs = {e, e->draw_count * EXAM_SLOTS, setup_at, keep};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return lab_runs_run(&runs, cores < 1 ? 1 : (int)cores, on_progress, NULL) == ES_OK
           && !atomic_load(&failed);
}
