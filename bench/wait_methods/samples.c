/* SPDX-License-Identifier: Zlib */
#include "samples.h"

#include "lab/random.h"

#include <stdlib.h>
#include <string.h>

/* --- the order of the methods ----------------------------------------------------------------- */

void wait_rotation_init(wait_rotation *rotation, uint64_t seed, size_t count)
{
    rotation->key = lab_random_key(seed, LAB_STREAM_PHASE);
    rotation->drawn = 0;
    rotation->count = count;
    rotation->at = count;
    for (size_t i = 0; i < count; ++i) {
        rotation->order[i] = i;
    }
}

/* Source: Fisher and Yates' shuffle, as Durstenfeld has it (Algorithm 235, 1964). The remainder
 * favours small numbers by less than one in 2^60. */
static void shuffle(wait_rotation *rotation)
{
    for (size_t left = rotation->count; left > 1; --left) {
        uint64_t bits = lab_random_bits(rotation->key, rotation->drawn++);
        size_t chosen = (size_t)(bits % left);
        size_t last = rotation->order[left - 1];
        rotation->order[left - 1] = rotation->order[chosen];
        rotation->order[chosen] = last;
    }
}

size_t wait_rotation_next(wait_rotation *rotation)
{
    if (rotation->at == rotation->count) {
        shuffle(rotation);
        rotation->at = 0;
    }
    return rotation->order[rotation->at++];
}

/* --- samples ---------------------------------------------------------------------------------- */

bool wait_samples_init(wait_samples *samples, size_t capacity)
{
    samples->count = 0;
    samples->capacity = capacity;
    samples->items = malloc((capacity > 0 ? capacity : 1) * sizeof *samples->items);
    if (samples->items == NULL) {
        return false;
    }
    memset(samples->items, 0xFF, capacity * sizeof *samples->items);
    return true;
}

void wait_samples_finish(wait_samples *samples)
{
    free(samples->items);
    samples->items = NULL;
    samples->count = 0;
}

void wait_samples_add(wait_samples *samples, const wait_sample *sample)
{
    if (samples->count < samples->capacity) {
        samples->items[samples->count++] = *sample;
    }
}

/* --- figures ---------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

int64_t *wait_distances(const wait_samples *samples, size_t method, size_t *count)
{
    int64_t *distances = malloc((samples->count + 1) * sizeof *distances);
    size_t found = 0;
    if (distances == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < samples->count; ++i) {
        const wait_sample *sample = &samples->items[i];
        if (sample->method == method && !sample->missed) {
            distances[found++] = sample->late_ns < 0 ? -sample->late_ns : sample->late_ns;
        }
    }
    qsort(distances, found, sizeof *distances, compare);
    *count = found;
    return distances;
}

int64_t wait_percentile(const int64_t *sorted, size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;
    return rank == 0 ? 0 : sorted[rank - 1];
}

bool wait_figures_of(const wait_samples *samples, size_t method, wait_figures *figures)
{
    wait_figures f = {0};
    int64_t *distances = wait_distances(samples, method, &f.count);
    if (distances == NULL) {
        return false;
    }
    f.p50_ns = wait_percentile(distances, f.count, 50);
    f.p90_ns = wait_percentile(distances, f.count, 90);
    f.p99_ns = wait_percentile(distances, f.count, 99);
    f.max_ns = wait_percentile(distances, f.count, 100);
    free(distances);
    for (size_t i = 0; i < samples->count; ++i) {
        const wait_sample *sample = &samples->items[i];
        if (sample->method != method) {
            continue;
        }
        if (sample->missed) {
            f.missed += 1;
            continue;
        }
        f.early += sample->late_ns < 0;
        f.earliest_ns = -sample->late_ns > f.earliest_ns ? -sample->late_ns : f.earliest_ns;
        f.wait_ns += sample->wait_ns;
        f.cpu_ns += sample->cpu_ns;
    }
    *figures = f;
    return true;
}

double wait_cpu_percent(const wait_figures *figures)
{
    return figures->wait_ns > 0 ? 100.0 * (double)figures->cpu_ns / (double)figures->wait_ns : 0.0;
}
