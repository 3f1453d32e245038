/* SPDX-License-Identifier: Zlib */
#include "exam.h"

#include <stdio.h>
#include <string.h>

/* Draws that are judged together. */
typedef struct group {
    const exam *e;
    size_t first, end;
    const exam_subject *subject; /* of the first draw; where draws are random, of one like it */
} group;

static const exam_outcome *slots_of(const group *g, size_t draw)
{
    return &g->e->outcomes[draw * EXAM_SLOTS];
}

#define MEAN(g, slot, member) mean_of(g, slot, offsetof(exam_outcome, member))

/* Below 0: there are no runs. */
static double mean_of(const group *g, size_t slot, size_t member)
{
    double sum = 0.0;
    size_t runs = 0;
    for (size_t i = g->first; i < g->end; ++i) {
        const exam_outcome *outcome = &slots_of(g, i)[slot];
        float value;
        memcpy(&value, (const char *)outcome + member, sizeof value);
        sum += outcome->ran ? (double)value : 0.0;
        runs += outcome->ran;
    }
    return runs > 0 ? sum / (double)runs : -1.0;
}

static void count(exam_verdict *v, exam_condition condition, bool fails)
{
    v->failed[condition] += fails;
    v->of[condition] += 1;
}

/* --- never worse ------------------------------------------------------------------------------ */

/* Of a host: before its refresh is known. */
static size_t error_member(const group *g)
{
    return g->subject->point == 6 ? offsetof(exam_outcome, early) : offsetof(exam_outcome, error);
}

/* The peer with the least mean, of those that do not lose over 20 ms more. */
static size_t best_peer(const group *g)
{
    double lost_ms = MEAN(g, 0, lost_ms);
    double least = 0.0;
    size_t best = 0;
    for (size_t slot = 1; slot < EXAM_EXTRA; ++slot) {
        double error = mean_of(g, slot, error_member(g));
        bool counts = error >= 0.0 && MEAN(g, slot, lost_ms) <= lost_ms + 20.0;
        if (counts && (best == 0 || error < least)) {
            best = slot;
            least = error;
        }
    }
    return best;
}

static void judge_error(const group *g, size_t best, exam_verdict *v)
{
    bool in_ms = g->subject->is_event;
    const exam_draw *draw = &g->e->draws[g->first];
    double ours = mean_of(g, 0, error_member(g));
    double theirs = best > 0 ? mean_of(g, best, error_member(g)) : ours;
    double excess = ours - theirs;
    count(v, EXAM_WORSE, ours > 1.1 * theirs && excess > (in_ms ? 5.0 : 0.1));
    if (best > 0 && (!v->is_known || excess > v->most)) {
        char name[EXAM_TEXT];
        v->is_known = true;
        v->most = excess;
        snprintf(v->worst, sizeof v->worst, "%.60s: %.2f, %s %.2f",
                g->e->is_random ? "mean" : exam_name(g->e, draw, name), ours,
                exam_loop(g->e, draw, best), theirs);
    }
    for (size_t i = g->first; i < g->end; ++i) {
        const exam_outcome *slots = slots_of(g, i);
        float run[2] = {slots[0].error, slots[best].error};
        if (g->subject->point == 6) {
            run[0] = slots[0].early;
            run[1] = slots[best].early;
        }
        count(v, EXAM_RUNS, (double)run[0] > 2.0 * (double)run[1] + (in_ms ? 5.0 : 1.0));
    }
}

/* --- frame rate, age, repeats ----------------------------------------------------------------- */

/* Sums over the runs that are not held. While vsync is off, presents do not block: the bar is the
 * refresh at most. */
typedef struct rates {
    double ours, bar, free_ours, free_bar;
    double older_ms;
    size_t held;
} rates;

static rates sum_rates(const group *g, size_t slot)
{
    rates sum = {0};
    for (size_t i = g->first; i < g->end; ++i) {
        const exam_outcome *ours = &slots_of(g, i)[slot];
        const exam_outcome *theirs = &slots_of(g, i)[EXAM_ACCUMULATOR];
        double refresh_hz = 1000.0 / (double)ours->refresh_ms;
        double free_bar = (double)theirs->free_fps;
        if (!ours->ran || ours->held > 0.05f) {
            sum.held += 1;
            continue;
        }
        sum.ours += (double)ours->fps;
        sum.bar += (double)theirs->fps;
        sum.free_ours += (double)ours->free_fps;
        sum.free_bar += free_bar < refresh_hz ? free_bar : refresh_hz;
        sum.older_ms += (double)ours->age_ms - (double)theirs->age_ms - 1.0;
    }
    return sum;
}

static void judge_rates(const group *g, int row, exam_verdict *v)
{
    double share = g->subject->rate_share;
    rates sum = sum_rates(g, 0);
    bool slower = sum.ours < share * sum.bar || sum.free_ours < share * sum.free_bar;
    if (row == 4) { /* low latency may miss 1 % of the refreshes */
        rates low = sum_rates(g, EXAM_EXTRA);
        double repeats = MEAN(g, EXAM_ACCUMULATOR, missed);
        count(v, EXAM_REPEAT, MEAN(g, 0, missed) > repeats + 0.001);
        count(v, EXAM_LOW,
                low.ours < 0.98 * low.bar || MEAN(g, EXAM_EXTRA, missed) > repeats + 0.011);
    } else {
        count(v, EXAM_OLDER, sum.older_ms > 0.0);
    }
    count(v, EXAM_SLOWER, slower);
    v->failed[EXAM_HELD] += sum.held;
    v->of[EXAM_HELD] += g->end - g->first;
}

/* --- the rest --------------------------------------------------------------------------------- */

/* Point 3: within 0.1 % of the announced case. Point 6: at most 0.1 %. */
static void judge_known(const group *g, exam_verdict *v)
{
    bool compares = g->subject->point == 3;
    double sum = 0.0;
    size_t runs = 0;
    for (size_t i = g->first; i < g->end; ++i) {
        const exam_outcome *slots = slots_of(g, i);
        const exam_outcome *announced = &slots[EXAM_EXTRA];
        bool counts = slots[0].known >= 0.0f
                      && (!compares || (announced->ran && announced->known >= 0.0f));
        double bar = compares ? (double)announced->known : 0.0;
        sum += counts ? (double)slots[0].known - bar : 0.0;
        runs += counts;
    }
    count(v, EXAM_KNOWN, sum > 0.1 * (double)runs);
}

static void judge_events(const group *g, exam_verdict *v)
{
    for (size_t i = g->first; i < g->end; ++i) {
        const exam_outcome *ours = &slots_of(g, i)[0];
        float last_ms = ours->settle_limit_ms > 3000.0f ? ours->settle_limit_ms : 3000.0f;
        count(v, EXAM_LATE, ours->settle_ms > ours->settle_limit_ms);
        count(v, EXAM_NEVER, ours->settle_ms > last_ms);
        count(v, EXAM_SPEED, ours->off_speed_ms > 250.0f);
    }
}

size_t exam_judge(const exam *e, size_t first, size_t end, exam_verdict *v)
{
    group g = {e, first, end, &e->subjects[e->draws[first].subject]};
    int row = exam_row(e, &e->draws[first]);
    size_t best = best_peer(&g);
    v->groups += 1;
    if (row != 4) {
        judge_error(&g, best, v);
    }
    if (row != 6) {
        judge_rates(&g, row, v);
    }
    if (row == 3 || row == 6) {
        judge_known(&g, v);
    }
    if (row == 1 || (row == 0 && g.subject->is_event)) {
        judge_events(&g, v);
    }
    return best;
}

void exam_merge(exam_verdict *sum, const exam_verdict *v)
{
    sum->groups += v->groups;
    for (int i = 0; i < EXAM_CONDITIONS; ++i) {
        sum->failed[i] += v->failed[i];
        sum->of[i] += v->of[i];
    }
    if (v->is_known && (!sum->is_known || v->most > sum->most)) {
        sum->is_known = true;
        sum->most = v->most;
        memcpy(sum->worst, v->worst, sizeof sum->worst);
    }
}

bool exam_is_met(const exam_verdict *v)
{
    static const double allowed[EXAM_CONDITIONS] = {
            [EXAM_RUNS] = 0.001, [EXAM_LATE] = 0.01, [EXAM_HELD] = 1.0};
    bool met = true;
    for (int i = 0; i < EXAM_CONDITIONS; ++i) {
        met = met && (double)v->failed[i] <= allowed[i] * (double)v->of[i];
    }
    return met;
}
