/* SPDX-License-Identifier: Zlib */
#include "exam.h"
#include "base/common.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Slots of all draws. Ours run after the peers: flips in whole ms set a bar by them. */
typedef struct pass {
    const exam *e;
    size_t first_slot;
    size_t slots;
} pass;

static atomic_bool failed;

static const exam_draw *draw_at(const pass *p, size_t index)
{
    return &p->e->draws[index / p->slots];
}

static lab_setup setup_at(void *user, size_t index)
{
    const pass *p = user;
    return exam_setup(p->e, draw_at(p, index), p->first_slot + index % p->slots);
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
    return lab_percent(&result->measures, part.animation.mean_abs_ms);
}

/* The first frame seen 1 s after 16 presents have blocked. */
static size_t first_known(const lab_result *result, const lab_setup *setup)
{
    enum { BLOCKED = 16 };
    const lab_cost *render = &setup->scenario.render;
    double factor = render->high > 0.0 ? render->high : 1.0;
    double work_ns = 1e6 * result->measures.refresh_ms * render->base * factor;
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

/* Frame rate and age with vsync, and the frame rate without. */
static void split_rate(const lab_result *result, const lab_setup *setup, exam_outcome *kept)
{
    const lab_screen_change *changes = setup->scenario.changes;
    double span_ns = (double)(setup->duration_ns - setup->warm_up_ns);
    int64_t from_ns = setup->warm_up_ns + (int64_t)(changes[0].at * span_ns);
    int64_t to_ns = setup->warm_up_ns + (int64_t)(changes[1].at * span_ns);
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

/* --- settling --------------------------------------------------------------------------------- */

/* 1 s or 60 frames. */
static double settle_limit_ms(const lab_result *result)
{
    size_t count = result->frame_count;
    int64_t refresh_ns = count > 0 ? result->frames[count - 1].refresh_ns : 0;
    double frame_ms = refresh_ns > 0 ? es__ns_to_ms(refresh_ns) : result->measures.interval_ms;
    return 60.0 * frame_ms > 1000.0 ? 60.0 * frame_ms : 1000.0;
}

/* That of the peer with the least error. */
static double best_median_ms(const exam_outcome *slots)
{
    const exam_outcome *best = &slots[1];
    for (const exam_outcome *peer = &slots[2]; peer < &slots[EXAM_EXTRA]; ++peer) {
        best = peer->ran && peer->error < best->error ? peer : best;
    }
    return best->ran ? (double)best->median : 0.0;
}

/* Flips in whole ms: the limit is that of the best peer + 2 % of a refresh. */
static double settle_in_whole_ms(
        const lab_result *result, const lab_setup *setup, const exam_outcome *slots)
{
    lab_machine machine;
    lab_measures measures = {0};
    lab_machine_config config = {.display = setup->display,
            .scenario = setup->scenario,
            .tick_rate = setup->tick_rate,
            .duration_ns = setup->duration_ns,
            .warm_up_ns = setup->scenario.from_start ? 0 : setup->warm_up_ns,
            .seed = setup->seed};
    double limit_ms = 0.02 * result->measures.refresh_ms + best_median_ms(slots);
    if (lab_machine_init(&machine, &config, NULL) == ES_OK) {
        lab_measure_event(result->frames, result->frame_count, result->measured,
                lab_event_ns(&machine), (int64_t)(limit_ms / 0.02 * 1e6), &measures);
    }
    return measures.event_settle_ms;
}

/* --- all runs --------------------------------------------------------------------------------- */

static exam_outcome outcome_of(
        const exam_subject *subject, const lab_setup *setup, const lab_result *result)
{
    const lab_measures *m = &result->measures;
    exam_outcome kept = {.ran = true, .known = -1.0f, .early = -1.0f};
    double percent = lab_percent(m, m->animation.mean_abs_ms);
    kept.error = (float)(subject->is_event ? m->event_total_ms : percent);
    kept.median = (float)m->animation.median_ms;
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
        kept.early = (float)error_of(result, 0, result->measured);
    }
    return kept;
}

static void keep(void *user, size_t index, es_result status, const lab_result *result)
{
    const pass *p = user;
    const exam_draw *draw = draw_at(p, index);
    size_t slot = p->first_slot + index % p->slots;
    exam_outcome *slots = &p->e->outcomes[index / p->slots * EXAM_SLOTS];
    if (exam_loop(p->e, draw, slot) == NULL) {
        return;
    }
    if (status != ES_OK) {
        atomic_store(&failed, true);
        return;
    }
    lab_setup setup = exam_setup(p->e, draw, slot);
    slots[slot] = outcome_of(&p->e->subjects[draw->subject], &setup, result);
    if (slot == 0 && p->e->subjects[draw->subject].screen == EXAM_WHOLE_MS) {
        slots[slot].settle_ms = (float)settle_in_whole_ms(result, &setup, slots);
    }
}

static bool on_progress(void *user, size_t done, size_t count)
{
    const pass *p = user;
    if (done % 5000 == 0 && isatty(STDERR_FILENO) == 1) {
        fprintf(stderr, "\r%s: %.0f %%\033[K\r", p->first_slot > 0 ? "peers" : "ours",
                100.0 * (double)done / (double)count);
    }
    return !atomic_load(&failed);
}

bool exam_run(exam *e)
{
    pass passes[] = {{e, 1, EXAM_SLOTS - 1}, {e, 0, 1}};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool done = true;
    for (size_t i = 0; i < 2 && done; ++i) {
        lab_runs runs = {&passes[i], e->draw_count * passes[i].slots, setup_at, keep};
        es_result result = lab_runs_run(&runs, cores < 1 ? 1 : (int)cores, on_progress, &passes[i]);
        done = result == ES_OK && !atomic_load(&failed);
    }
    return done;
}
