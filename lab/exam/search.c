/* SPDX-License-Identifier: Zlib
 *
 * Cases run in batches. A batch is planned before it runs and kept in its order, so results do not
 * depend on the threads.
 */
#include "lab/exam/exam.h"
#include "lab/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, PARENTS = 16 };

/* Shared by the threads. next: under lab_lock. */
typedef struct batch {
    exam_found items[BATCH];
    bool failed[BATCH];
    size_t count, next;
    unsigned judges;
    double floor; /* what scores more is shrunk */
} batch;

static double score_of(const exam_found *found, exam_judge judge)
{
    const exam_verdict *v = &found->verdict;
    return judge == EXAM_INVARIANTS ? v->broken_by : v->margin;
}

static void work(void *user)
{
    batch *b = user;
    lab_result result = {0};
    for (;;) {
        lab_lock();
        size_t i = b->next++;
        lab_unlock();
        if (i >= b->count) {
            break;
        }
        exam_found *found = &b->items[i];
        b->failed[i] = exam_run(&found->what, b->judges, &result, &found->verdict) != ES_OK;
        if (!b->failed[i] && score_of(found, (exam_judge)b->judges) >= b->floor) {
            *found = exam_shrink(found, b->judges);
        }
    }
    lab_result_free(&result);
}

static void run_batch(batch *b, int jobs)
{
    b->next = 0;
    lab_threads_run(jobs, work, b);
}

es_result exam_random(uint64_t seed, uint64_t from, uint64_t to, unsigned judges, int jobs,
        exam_keep keep, void *user)
{
    batch *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return ES_ERR_SPACE;
    }
    bool goes_on = true, ran = true;
    b->judges = judges;
    b->floor = INFINITY;
    for (uint64_t at = from; at < to && goes_on; at += b->count) {
        b->count = to - at < BATCH ? (size_t)(to - at) : BATCH;
        for (size_t i = 0; i < b->count; ++i) {
            b->items[i].what = exam_draw(seed, at + i);
        }
        run_batch(b, jobs);
        for (size_t i = 0; i < b->count && goes_on; ++i) {
            ran = ran && !b->failed[i];
            goes_on = ran && keep(user, at + i, &b->items[i]);
        }
    }
    free(b);
    return !ran ? ES_ERR_INVALID : goes_on ? ES_OK : ES_ERR_STATE;
}

/* The first of these genes that a case needs, with its value; 0: it needs none. */
static int trouble_of(const exam_case *c)
{
    static const int genes[] = {EXAM_CLOCK, EXAM_CHANGE, EXAM_EVENT, EXAM_PAUSES, EXAM_TAIL,
            EXAM_LATE, EXAM_SCREEN, EXAM_CAP, EXAM_WAVE, EXAM_STEP, EXAM_LOOP, EXAM_ACCESS,
            EXAM_REFRESH, EXAM_KNOWS, EXAM_QUEUE, EXAM_TICKS, EXAM_FORM};
    for (size_t i = 0; i < sizeof genes / sizeof genes[0]; ++i) {
        if (c->genes[genes[i]] != 0) {
            return genes[i] * 256 + c->genes[genes[i]];
        }
    }
    return 0;
}

/* Whether two shrunk cases show one fault: they fail alike, by the same trouble. */
static bool is_like(const exam_found *a, const exam_found *b, exam_judge judge)
{
    bool same_fault = judge == EXAM_INVARIANTS ? a->verdict.broken == b->verdict.broken
                                               : a->verdict.measure == b->verdict.measure;
    return same_fault && trouble_of(&a->what) == trouble_of(&b->what);
}

/* Puts a case in its place, unless a worse one like it is there. count: of the list, at most most. */
static size_t insert(
        exam_found *list, size_t count, size_t most, const exam_found *found, exam_judge judge)
{
    double score = score_of(found, judge);
    for (size_t i = 0; i < count; ++i) {
        if (is_like(&list[i], found, judge)) {
            if (score_of(&list[i], judge) >= score) {
                return count;
            }
            memmove(&list[i], &list[i + 1], (count - i - 1) * sizeof *list);
            count -= 1;
            i -= 1;
        }
    }
    size_t place = count;
    while (place > 0 && score_of(&list[place - 1], judge) < score) {
        place -= 1;
    }
    if (place == most) {
        return count;
    }
    count += count < most;
    memmove(&list[place + 1], &list[place], (count - place - 1) * sizeof *list);
    list[place] = *found;
    return count;
}

/* --- the worst -------------------------------------------------------------------------------- */

/* A quarter of each round is drawn anew; the rest are children of the worst. Failures are shrunk at
 * once, so that those of one kind are known as alike. */
size_t exam_search(uint64_t seed, exam_judge judge, int jobs,
        bool (*goes_on)(void *user, int round), void *user, exam_found worst[EXAM_WORST])
{
    exam_found parents[PARENTS];
    size_t count = 0;
    uint64_t key = lab_random_key(seed, LAB_STREAM_PHASE);
    batch *b = calloc(1, sizeof *b);
    for (int round = 0; b != NULL && goes_on(user, round); ++round) {
        b->judges = judge;
        b->count = BATCH;
        b->floor = count == PARENTS ? fmax(score_of(&parents[PARENTS - 1], judge), 1.0) : 1.0;
        for (size_t i = 0; i < BATCH; ++i) {
            uint64_t number = (uint64_t)round * BATCH + i;
            bool is_new = count == 0 || i % 4 == 0;
            double u = lab_random_uniform(key, 2 * number);
            const exam_case *parent = is_new ? NULL : &parents[(size_t)(u * (double)count)].what;
            b->items[i].what =
                    is_new ? exam_draw(seed, number) : exam_mutate(parent, key + 1, number);
        }
        run_batch(b, jobs);
        for (size_t i = 0; i < BATCH; ++i) {
            if (!b->failed[i]) {
                count = insert(parents, count, PARENTS, &b->items[i], judge);
            }
        }
    }
    free(b);
    size_t kept = 0;
    for (; kept < count && kept < EXAM_WORST && score_of(&parents[kept], judge) >= 1.0; ++kept) {
        worst[kept] = parents[kept];
    }
    return kept;
}

/* Whether it fails as before: the same invariant or measure, by half as much at least. */
static bool fails_alike(const exam_found *simple, const exam_found *found)
{
    const exam_verdict *s = &simple->verdict, *f = &found->verdict;
    if (f->broken != NULL) {
        return s->broken == f->broken && s->broken_by >= 0.5 * f->broken_by;
    }
    return s->broken == NULL && s->peer != NULL && s->measure == f->measure
           && s->is_bound == f->is_bound && s->margin >= 0.5 * f->margin;
}

exam_found exam_shrink(const exam_found *found, unsigned judges)
{
    lab_result result = {0};
    exam_found best = *found;
    for (bool changed = true; changed;) {
        changed = false;
        for (int g = 0; g < EXAM_GENES; ++g) {
            exam_found simple = best;
            simple.what.genes[g] = 0;
            exam_normalize(&simple.what);
            bool differs = memcmp(simple.what.genes, best.what.genes, EXAM_GENES) != 0;
            if (differs && exam_run(&simple.what, judges, &result, &simple.verdict) == ES_OK
                    && fails_alike(&simple, found)) {
                best = simple;
                changed = true;
            }
        }
    }
    lab_result_free(&result);
    return best;
}
