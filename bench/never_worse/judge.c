/* SPDX-License-Identifier: Zlib */
#include "exam.h"

#include <stdio.h>
#include <string.h>

/* Draws that are judged together. */
typedef struct group {
    const exam *e;
    size_t first, count;
    const exam_subject *subject; /* of the first draw */
} group;

static const exam_outcome *at(const group *g, size_t i, size_t slot)
{
    return &g->e->outcomes[(g->first + i) * EXAM_SLOTS + slot];
}

static const exam_subject *subject_at(const group *g, size_t i)
{
    return &g->e->subjects[g->e->cells[g->e->draws[g->first + i].cell].subject];
}

static double value_of(const exam_outcome *outcome, size_t member)
{
    float value;
    memcpy(&value, (const char *)outcome + member, sizeof value);
    return (double)value;
}

#define MEAN(g, slot, member) mean_of(g, slot, offsetof(exam_outcome, member))

static double mean_of(const group *g, size_t slot, size_t member)
{
    double sum = 0.0;
    size_t runs = 0;
    for (size_t i = 0; i < g->count; ++i) {
        sum += at(g, i, slot)->ran ? value_of(at(g, i, slot), member) : 0.0;
        runs += at(g, i, slot)->ran;
    }
    return runs > 0 ? sum / (double)runs : -1.0;
}

static bool is_in_ms(const group *g)
{
    return g->subject->is_event;
}

/* --- never worse ------------------------------------------------------------------------------ */

/* The peer with the least mean, of those that do not lose over 20 ms more. */
static size_t best_peer(const group *g)
{
    double lost_ms = MEAN(g, 0, lost_ms);
    size_t best = 0;
    for (size_t slot = 1; slot < EXAM_EXTRA; ++slot) {
        double error = MEAN(g, slot, error);
        if (error >= 0.0 && MEAN(g, slot, lost_ms) <= lost_ms + 20.0
                && (best == 0 || error < MEAN(g, best, error))) {
            best = slot;
        }
    }
    return best;
}

static void judge_error(const group *g, size_t best, exam_verdict *v)
{
    double ours = MEAN(g, 0, error);
    double theirs = MEAN(g, best, error);
    bool worse = ours > 1.1 * theirs && ours - theirs > (is_in_ms(g) ? 5.0 : 0.1);
    v->worse += worse;
    if (v->worst[0] == '\0' || ours - theirs > v->most) {
        const exam_draw *draw = &g->e->draws[g->first];
        const exam_cell *cell = &g->e->cells[draw->cell];
        v->most = ours - theirs;
        snprintf(v->worst, sizeof v->worst, "%s/%s: %.2f, %s %.2f", exam_access_name(cell->access),
                exam_knowledge_name(cell->knows), ours, exam_loop(g->e, draw, best), theirs);
    }
    for (size_t i = 0; i < g->count; ++i) {
        double peer = at(g, i, best)->ran ? (double)at(g, i, best)->error : 1e9;
        v->runs_worse += (double)at(g, i, 0)->error > 2.0 * peer + (is_in_ms(g) ? 5.0 : 1.0);
    }
}

/* --- frame rate, age, repeats ----------------------------------------------------------------- */

/* Sums over the runs that are not held. */
typedef struct rates {
    double ours, theirs, free_ours, free_bar, age, age_bar;
} rates;

static rates sum_rates(const group *g, size_t slot, exam_verdict *v)
{
    rates sum = {0};
    for (size_t i = 0; i < g->count; ++i) {
        const exam_outcome *ours = at(g, i, slot);
        const exam_outcome *theirs = at(g, i, EXAM_ACCUMULATOR);
        double nominal = 1000.0 / (double)ours->refresh_ms;
        if (ours->held > 0.05f) {
            v->held += slot == 0;
            continue;
        }
        sum.ours += (double)ours->fps;
        sum.theirs += (double)theirs->fps;
        sum.age += (double)ours->age_ms - (double)theirs->age_ms - 1.0;
        sum.free_ours += (double)ours->free_fps;
        sum.free_bar += (double)theirs->free_fps < nominal ? (double)theirs->free_fps : nominal;
    }
    return sum;
}

/* Work below the shortest refresh is a fixed display. */
static double rate_share(const group *g)
{
    bool free = g->subject->point == 5 && g->subject->load_max > 0.6;
    return free ? 0.95 : 0.99;
}

static void judge_rates(const group *g, exam_verdict *v)
{
    double share = rate_share(g);
    rates sum = sum_rates(g, 0, v);
    bool slower = sum.ours < share * sum.theirs;
    slower = slower || (g->subject->is_free && sum.free_ours < share * sum.free_bar);
    double repeats = MEAN(g, EXAM_ACCUMULATOR, missed);
    bool more_repeats = MEAN(g, 0, missed) > repeats + 0.001;
    if (g->subject->point == 4) { /* low latency may miss 1 % of the refreshes */
        rates low = sum_rates(g, EXAM_EXTRA, v);
        slower = slower || low.ours < 0.98 * low.theirs;
        more_repeats = more_repeats || MEAN(g, EXAM_EXTRA, missed) > repeats + 0.011;
        v->repeats += more_repeats;
    }
    v->slower += slower;
    v->older += sum.age > 0.0;
}

/* --- the rest --------------------------------------------------------------------------------- */

/* Point 3: within 0.1 % of the announced case. Point 6: at most 0.1 %. */
static void judge_known(const group *g, exam_verdict *v)
{
    double sum = 0.0;
    size_t runs = 0;
    bool compares = g->subject->point == 3;
    for (size_t i = 0; i < g->count; ++i) {
        double ours = (double)at(g, i, 0)->known;
        const exam_outcome *announced = at(g, i, EXAM_EXTRA);
        bool counts = ours >= 0.0 && (!compares || (announced->ran && announced->known >= 0.0f));
        sum += counts ? ours - (compares ? (double)announced->known : 0.0) : 0.0;
        runs += counts;
    }
    v->unknown += runs > 0 && sum > 0.1 * (double)runs;
}

static void judge_events(const group *g, exam_verdict *v)
{
    for (size_t i = 0; i < g->count; ++i) {
        const exam_outcome *ours = at(g, i, 0);
        double limit_ms = (double)ours->settle_limit_ms;
        double last_ms = limit_ms > 3000.0 ? limit_ms : 3000.0;
        v->events += subject_at(g, i)->is_event;
        v->late += (double)ours->settle_ms > limit_ms;
        v->never += (double)ours->settle_ms > last_ms;
        v->off_speed += ours->off_speed_ms > 250.0f;
    }
}

void exam_judge(const exam *e, size_t first, size_t count, exam_verdict *verdict, size_t *best)
{
    group g = {e, first, count, NULL};
    *best = 0;
    if (count == 0) {
        return;
    }
    g.subject = subject_at(&g, 0);
    verdict->cells += 1;
    verdict->runs += count;
    *best = best_peer(&g);
    if (*best > 0) {
        judge_error(&g, *best, verdict);
    }
    judge_rates(&g, verdict);
    judge_known(&g, verdict);
    judge_events(&g, verdict);
}

bool exam_is_met(const exam_verdict *v, int point)
{
    unsigned conditions = exam_conditions(point);
    double runs = (double)v->runs;
    bool failed = ((conditions & EXAM_WORSE) != 0 && v->worse > 0)
                  || ((conditions & EXAM_RUNS) != 0 && (double)v->runs_worse > 0.001 * runs)
                  || ((conditions & EXAM_SLOWER) != 0 && v->slower > 0)
                  || ((conditions & EXAM_OLDER) != 0 && v->older > 0)
                  || ((conditions & EXAM_KNOWN) != 0 && v->unknown > 0)
                  || ((conditions & EXAM_REPEATS) != 0 && v->repeats > 0)
                  || ((conditions & EXAM_SETTLE) != 0
                          && ((double)v->late > 0.01 * (double)v->events || v->never > 0))
                  || ((conditions & EXAM_SPEED) != 0 && v->off_speed > 0);
    return !failed;
}
