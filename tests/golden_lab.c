/* SPDX-License-Identifier: Zlib
 *
 * The lab's results are the same on every machine: runs every loop in every standard scenario on a
 * few screens, and 200 cases of the exam. Hashes every measure, bit for bit. Public headers
 * and C17 only, no framework.
 *
 *   golden_lab      a hash per loop and the total; exits 1 where that is not the expected one
 *
 * It shows that the engine, too, does the same everywhere: eight of the loops are ours. A change of
 * a loop, a scenario or a measure changes the total on purpose: then put the new one here, from one
 * machine, and see that all others agree.
 */
#include "lab/exam/exam.h"
#include "lab/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 200 };

#define EXPECTED_TOTAL UINT64_C(0x5fecb3562f1f1ea2)

static void hash_u64(uint64_t *hash, uint64_t value)
{
    for (int i = 0; i < 8; ++i) {
        *hash = (*hash ^ (value >> (8 * i) & 255)) * UINT64_C(1099511628211);
    }
}

static void hash_number(uint64_t *hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash_u64(hash, bits);
}

static void hash_error(uint64_t *hash, const lab_error *e)
{
    hash_number(hash, e->mean_abs_ms);
    hash_number(hash, e->bias_ms);
    hash_number(hash, e->rms_ms);
    hash_number(hash, e->median_ms);
    hash_number(hash, e->p99_ms);
    hash_number(hash, e->max_ms);
}

static void hash_run(uint64_t *hash, es_result status, const lab_measures *m)
{
    const double numbers[] = {m->refresh_ms, m->interval_ms, m->lost_ms, m->drift_ms, m->pursuit_ms,
            m->missed_share, m->repeat_share, m->ticks_mean, m->dropped_ms, m->slow_motion_ms,
            m->stretched_ms, m->input_age_ms, m->input_age_p99_ms, m->cpu_share};
    hash_u64(hash, (uint64_t)status);
    hash_u64(hash, (uint64_t)m->frames);
    hash_u64(hash, (uint64_t)m->ticks_min);
    hash_u64(hash, (uint64_t)m->ticks_max);
    hash_error(hash, &m->interval);
    hash_error(hash, &m->animation);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        hash_number(hash, numbers[i]);
    }
}

/* --- random cases ----------------------------------------------------------------------------- */

static bool keep_case(void *user, uint64_t index, const exam_found *found)
{
    uint64_t *hash = user;
    const exam_verdict *v = &found->verdict;
    hash_u64(hash, index);
    hash_number(hash, v->margin);
    hash_number(hash, v->broken_by);
    for (int i = 0; i < EXAM_MEASURES; ++i) {
        hash_number(hash, v->ours[i]);
        hash_number(hash, v->peers[i]);
    }
    return true;
}

static uint64_t hash_random_cases(int jobs)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    es_result result =
            exam_random(1, 0, CASES, EXAM_INVARIANTS | EXAM_NEVER_WORSE, jobs, keep_case, &hash);
    return result == ES_OK ? hash : 0;
}

int main(void)
{
    static const es_rate refresh_rates[] = {{60000, 1001}, {144, 1}};
    static const es_rate tick_rates[] = {{20, 1}, {60, 1}};
    static const int32_t queues[] = {1, 3};
    lab_sweep grid = lab_sweep_default();
    grid.refresh_rates = refresh_rates;
    grid.refresh_count = 2;
    grid.tick_rates = tick_rates;
    grid.tick_count = 2;
    grid.queues = queues;
    grid.queue_count = 2;
    grid.base.duration_ns = 4 * ES_NS_PER_S;
    grid.base.warm_up_ns = 1 * ES_NS_PER_S;
    size_t count = lab_sweep_count(&grid);
    lab_cell *cells = calloc(count, sizeof *cells);
    if (cells == NULL || lab_sweep_run(&grid, 2, cells, NULL, NULL) != ES_OK) {
        printf("out of memory\n");
        return 1;
    }
    uint64_t total = UINT64_C(14695981039346656037);
    for (size_t loop = 0, at = 0; loop < grid.loop_count; ++loop) {
        uint64_t hash = UINT64_C(14695981039346656037);
        for (; at < count && cells[at].loop == loop; ++at) {
            hash_run(&hash, cells[at].status, &cells[at].measures);
        }
        printf("%-20s %016" PRIx64 "\n", grid.loops[loop]->name, hash);
        hash_u64(&total, hash);
    }
    free(cells);
    uint64_t random = hash_random_cases(1);
    if (hash_random_cases(4) != random) {
        printf("random cases depend on the number of jobs\n");
        return 1;
    }
    printf("%-20s %016" PRIx64 "\n", "random cases", random);
    hash_u64(&total, random);
    printf("%-20s %016" PRIx64 " of %zu runs\n", "total", total, count);
    if (total != EXPECTED_TOTAL) {
        printf("%-20s %016" PRIx64 "\n", "expected", EXPECTED_TOTAL);
        return 1;
    }
    return 0;
}
