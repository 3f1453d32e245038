/* SPDX-License-Identifier: Zlib
 *
 * Two threads exchange states as fast as each can. Every word of every acquired state is checked:
 * no state is torn, all are adjacent, none goes back.
 *
 *   exchange_stress [--divide N | --size BYTES --publishes N]
 *
 * By default the whole table below, with every number of publishes divided by N (1). Runs differ,
 * so a pass is no proof (those are in proofs/); the thread sanitizer proves that the accesses of a
 * run were ordered. Exits 1 on the first fault.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* pthread_setaffinity_np */
#endif
#include "evenstep/evenstep.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common.h"
#include "threads/exchange.h"
#include "two_cores.h"

typedef struct cell {
    size_t size;
    int64_t publishes;
    int32_t ticks;
} cell;

static const cell table[] = {
        {64, 100000000, 2},
        {64, 20000000, 3},
        {64, 20000000, 4},
        {1024, 10000000, 2},
        {1 << 20, 100000, 2},
        {16 << 20, 1000, 2},
};

/* One run, and what both threads share. */
typedef struct run {
    cell cell;
    es__exchange exchange;
    atomic_bool done;
    es__exchange_tick last; /* the last published: read by the reader when done */
    int64_t published;
    _Atomic int64_t acquired; /* by the reader; orders nothing */
} run;

_Noreturn static void fault(const run *r, const char *what, int64_t index)
{
    printf("FAULT: %zu bytes, %d ticks: %s at tick %" PRId64 "\n", r->cell.size, (int)r->cell.ticks,
            what, index);
    exit(1);
}

/* --- what a state holds --------------------------------------------------------------------- */

/* The finaliser of splitmix64: neighbouring numbers share nothing. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t key_of(const es__exchange_tick *tick)
{
    return mix((uint64_t)tick->index ^ mix(tick->generation));
}

#define WORD_STEP UINT64_C(0x9e3779b97f4a7c15)

static void fill(uint64_t *words, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count; ++i) {
        words[i] = key + i * WORD_STEP;
    }
}

/* All words: a tear shows wherever it is. */
static bool is_whole(const uint64_t *words, size_t count, uint64_t key)
{
    uint64_t differs = 0;
    for (size_t i = 0; i < count; ++i) {
        differs |= words[i] ^ (key + i * WORD_STEP);
    }
    return differs == 0;
}

/* --- the writer ----------------------------------------------------------------------------- */

/* A new generation now and then: after 64 to 1087 ticks, and anywhere. */
static void next_tick(es__exchange_tick *tick, int64_t *left)
{
    *left -= 1;
    tick->index += 1;
    tick->time_ns += 1000;
    if (*left <= 0) {
        uint64_t random = mix((uint64_t)tick->index + tick->generation);
        tick->generation += 1;
        tick->index = (int64_t)(random >> 20);
        tick->time_ns = -(int64_t)(random >> 30);
        *left = 64 + (int64_t)(random & 1023);
    }
}

/* Up to 20 times as often as asked, where the threads have hardly met because one had no core. */
static bool goes_on(const run *r, int64_t published)
{
    return published < r->cell.publishes
           || (atomic_load_explicit(&r->acquired, memory_order_relaxed) < r->cell.publishes / 1000
                   && published / 20 < r->cell.publishes);
}

static void *write_all(void *argument)
{
    run *r = argument;
    size_t words = r->cell.size / sizeof(uint64_t);
    es__exchange_tick tick = {.rate = es_hz(1000000)};
    int64_t left = 100;
    uint64_t key = 0;
    two_cores_take(1);
    for (int64_t n = 0; goes_on(r, n); ++n) {
        const void *previous;
        uint64_t *state = es__exchange_begin(&r->exchange, &previous);
        if (previous != NULL && !is_whole(previous, words < 16 ? words : 16, key)) {
            fault(r, "the writer's previous state is not what it published", tick.index);
        }
        next_tick(&tick, &left);
        key = key_of(&tick);
        fill(state, words, key);
        if (es__exchange_publish(&r->exchange, &tick) != ES_OK) {
            fault(r, "es__exchange_publish refuses", tick.index);
        }
        r->published += 1;
    }
    r->last = tick;
    atomic_store_explicit(&r->done, true, memory_order_release);
    return NULL;
}

/* --- the reader ----------------------------------------------------------------------------- */

static void check_ticks(const run *r, const es__exchange_view *view)
{
    const es__exchange_tick *newest = view->ticks[0];
    if (view->count < 1 || view->count > r->cell.ticks) {
        fault(r, "an impossible count", newest->index);
    }
    for (int32_t age = 0; age < view->count; ++age) {
        const es__exchange_tick *tick = view->ticks[age];
        if (tick->index != newest->index - age || tick->generation != newest->generation) {
            fault(r, "ticks that are not adjacent", newest->index);
        }
        if (tick->time_ns != newest->time_ns - 1000 * (int64_t)age
                || tick->rate.numerator != 1000000) {
            fault(r, "a torn es__exchange_tick", tick->index);
        }
        if (!is_whole(view->states[age], r->cell.size / sizeof(uint64_t), key_of(tick))) {
            fault(r, "a torn state", tick->index);
        }
    }
}

static bool is_newer(const es__exchange_tick *a, const es__exchange_tick *b)
{
    return a->generation != b->generation ? a->generation > b->generation : a->index > b->index;
}

typedef struct findings {
    int64_t fresh;
    int64_t clean;
    int64_t alone; /* fresh, with a count of 1 */
} findings;

/* Some views are checked again after a while, in which the writer could have written to them. */
static findings read_all(run *r, es__exchange *exchange)
{
    findings found = {0};
    es__exchange_tick newest = {.index = INT64_MIN};
    bool ends = false;
    while (!ends || found.clean == 0) {
        ends = atomic_load_explicit(&r->done, memory_order_acquire);
        const es__exchange_view *view = es__exchange_acquire(exchange);
        if (view->number == found.fresh) {
            found.clean += 1;
            if (view->count > 0 && (found.clean & 1023) == 0) {
                check_ticks(r, view);
            }
            continue;
        }
        found.fresh += 1;
        atomic_store_explicit(&r->acquired, found.fresh, memory_order_relaxed);
        found.alone += view->count == 1;
        if (view->number != found.fresh) {
            fault(r, "a view that was counted twice", view->ticks[0]->index);
        }
        if (found.fresh > 1 && !is_newer(view->ticks[0], &newest)) {
            fault(r, "a tick that is not newer", view->ticks[0]->index);
        }
        newest = *view->ticks[0];
        check_ticks(r, view);
        if ((found.fresh & 15) == 0) {
            check_ticks(r, view);
        }
    }
    if (newest.index != r->last.index || newest.generation != r->last.generation) {
        fault(r, "the last tick published was never seen; instead the reader is", newest.index);
    }
    return found;
}

/* --- a run ---------------------------------------------------------------------------------- */

static void start(run *r, void **memory)
{
    es__exchange_config config = {.state_size = r->cell.size, .ticks = r->cell.ticks};
    size_t size = es__exchange_memory_size(&config);
    *memory = malloc(size);
    if (*memory == NULL) {
        fault(r, "no memory", 0);
    }
    es__exchange_init(&r->exchange, &config, *memory);
    atomic_init(&r->done, false);
}

static void run_cell(const cell *what)
{
    static run r;
    es_clock clock;
    pthread_t writer;
    void *memory;
    memset(&r, 0, sizeof r);
    r.cell = *what;
    start(&r, &memory);
    if (!es_clock_system(&clock) || pthread_create(&writer, NULL, write_all, &r) != 0) {
        fault(&r, "no clock or no thread", 0);
    }
    int64_t begin_ns = clock.now_ns(clock.user);
    findings found = read_all(&r, &r.exchange);
    pthread_join(writer, NULL);
    double seconds = (double)(clock.now_ns(clock.user) - begin_ns) / 1e9;
    printf("%9zu B %d ticks: %10" PRId64 " published %9" PRId64 " acquired (%6" PRId64
           " alone) %10" PRId64 " clean %6.1f s\n",
            what->size, (int)what->ticks, r.published, found.fresh, found.alone, found.clean,
            seconds);
    fflush(stdout);
    free(memory);
}

/* --- the command line ----------------------------------------------------------------------- */

int main(int count, char **arguments)
{
    int64_t divide = 1, size = 0, publishes = 0;
    const struct {
        const char *name;
        int64_t *value;
    } options[] = {{"--divide", &divide}, {"--size", &size}, {"--publishes", &publishes}};
    bool understood = true;
    for (int i = 1; i < count; i += 2) {
        bool known = false;
        for (size_t k = 0; k < sizeof options / sizeof *options && i + 1 < count; ++k) {
            if (strcmp(arguments[i], options[k].name) == 0) {
                *options[k].value = strtoll(arguments[i + 1], NULL, 10);
                known = *options[k].value >= 1;
            }
        }
        understood = understood && known;
    }
    if (!understood || (size == 0) != (publishes == 0) || size % (int64_t)sizeof(uint64_t) != 0) {
        fprintf(stderr,
                "exchange_stress: [--divide N | --size BYTES --publishes N]: whole numbers, "
                "at least 1; BYTES a multiple of 8\n");
        return 2;
    }
    two_cores_find();
    two_cores_take(0);
    if (size > 0) {
        const cell one = {(size_t)size, publishes, 2};
        run_cell(&one);
        return 0;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        cell part = table[i];
        part.publishes = part.publishes / divide > 3 ? part.publishes / divide : 3;
        run_cell(&part);
    }
    return 0;
}
