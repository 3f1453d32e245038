/* SPDX-License-Identifier: Zlib
 *
 * What it costs to hand states to another thread: the wait-free exchange beside the locked one.
 *
 * A producer and a consumer, each with its own rate. The producer begins a state, writes it whole,
 * which is not timed, and publishes it. The locked kind copies under its lock. An acquire is timed
 * where it brings a new state. The time that the two readings of the clock take is subtracted. Goal
 * for the wait-free kind: a publish takes at most 0.2 us (median) at every size.
 */

#include "bench.h"

#include "threads/exchange.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { SIZES = 3, KINDS = 2, RATES = 3, ROUNDS = 2, KEPT = 1 << 16 };

static const size_t sizes[SIZES] = {64, 1 << 20, 16 << 20};
static const char *const size_names[SIZES] = {"64 B", "1 MB", "16 MB"};
static const char *const kind_names[KINDS] = {"wait-free", "locked"};

/* producer, consumer: per second; 0: without pauses */
static const struct {
    const char *name;
    int producer, consumer;
} rates[RATES] = {{"60, 144", 60, 144}, {"1000, 144", 1000, 144}, {"no pauses", 0, 0}};

static double clock_ns;

/* The newest KEPT times. */
typedef struct times {
    double ns[KEPT];
    size_t count;
} times;

typedef struct cell {
    size_t state_size;
    es_exchange exchange;
    pthread_mutex_t mutex;
    void *memory;
    es_exchange_tick tick;
    int producer_hz;
    atomic_bool quit;
    times publish, acquire;
    double seconds;
    uint64_t sum; /* so that states are read */
} cell;

static void add(times *t, int64_t begun_ns)
{
    double ns = (double)(bench_now_ns() - begun_ns) - clock_ns;
    t->ns[t->count % KEPT] = ns > 0 ? ns : 0;
    t->count += 1;
}

static void lock_mutex(void *user)
{
    (void)pthread_mutex_lock(user);
}

static void unlock_mutex(void *user)
{
    (void)pthread_mutex_unlock(user);
}

static void open_cell(cell *c, int size, int kind)
{
    es__exchange_config config = {.state_size = sizes[size], .kind = (es_exchange_kind)kind};
    size_t bytes = es__exchange_memory_size(&config);
    *c = (cell){.state_size = sizes[size], .memory = bench_alloc(bytes)};
    if (pthread_mutex_init(&c->mutex, NULL) != 0) {
        bench_fail("no mutex");
    }
    config.lock = (es_lock){&c->mutex, lock_mutex, unlock_mutex};
    es__exchange_init(&c->exchange, &config, c->memory);
}

static void close_cell(cell *c)
{
    pthread_mutex_destroy(&c->mutex);
    free(c->memory);
}

/* Until the next instant of a rate; late instants are not caught up. */
static void wait_for(int64_t *next_ns, int hz)
{
    if (hz == 0) {
        return;
    }
    *next_ns += ES_NS_PER_S / hz;
    int64_t left_ns = *next_ns - bench_now_ns();
    if (left_ns < 0) {
        *next_ns -= left_ns;
        return;
    }
    struct timespec span = {
            .tv_sec = (time_t)(left_ns / ES_NS_PER_S), .tv_nsec = (long)(left_ns % ES_NS_PER_S)};
    nanosleep(&span, NULL);
}

static void *produce(void *argument)
{
    cell *c = argument;
    int64_t next_ns = bench_now_ns();
    while (!atomic_load_explicit(&c->quit, memory_order_relaxed)) {
        void *state = es__exchange_begin(&c->exchange, NULL);
        c->tick.index += 1;
        memset(state, (int)c->tick.index & 255, c->state_size);
        atomic_thread_fence(memory_order_seq_cst); /* the stores of the state are not timed */
        (void)bench_now_ns();                      /* after a sleep its code is not in the cache */
        int64_t begun_ns = bench_now_ns();
        es_result result = es__exchange_publish(&c->exchange, &c->tick);
        add(&c->publish, begun_ns);
        if (result != ES_OK) {
            bench_fail("es__exchange_publish");
        }
        wait_for(&next_ns, c->producer_hz);
    }
    return NULL;
}

static void run_cell(cell *c, int which, int64_t span_ns)
{
    pthread_t producer;
    int64_t start_ns = bench_now_ns(), next_ns = start_ns, number = 0;
    c->producer_hz = rates[which].producer;
    atomic_store(&c->quit, false);
    if (pthread_create(&producer, NULL, produce, c) != 0) {
        bench_fail("no thread");
    }
    while (bench_now_ns() < start_ns + span_ns) {
        int64_t begun_ns = bench_now_ns();
        const es_exchange_view *view = es__exchange_acquire(&c->exchange);
        if (view->number != number) {
            add(&c->acquire, begun_ns);
            number = view->number;
            c->sum += ((const unsigned char *)view->states[0])[c->state_size / 2];
        }
        wait_for(&next_ns, rates[which].consumer);
    }
    atomic_store(&c->quit, true);
    pthread_join(producer, NULL);
    c->seconds += (double)(bench_now_ns() - start_ns) / 1e9;
}

static void print_times(times *t, double seconds)
{
    size_t kept = t->count < KEPT ? t->count : KEPT;
    double median_us = bench_median(t->ns, kept) / 1e3; /* sorts them */
    printf("  %9.2f %9.1f %9.0f", median_us, kept > 0 ? t->ns[kept * 99 / 100] / 1e3 : 0,
            (double)t->count / seconds);
}

static void measure_two(void)
{
    static cell c[KINDS];
    printf("two threads, us: median, 99 %%; calls per second\n%-6s %-10s %-10s  %29s  %29s\n",
            "state", "rates, Hz", "kind", "publish", "acquire");
    for (int i = 0; i < SIZES * RATES; ++i) {
        int size = i / RATES, which = i % RATES;
        for (int kind = 0; kind < KINDS; ++kind) {
            open_cell(&c[kind], size, kind);
        }
        for (int round = 0; round < ROUNDS * KINDS; ++round) { /* a producer of 60 Hz has few */
            run_cell(&c[round % KINDS], which, (which == 0 ? 2000 : 500) * ES_NS_PER_MS);
        }
        for (int kind = 0; kind < KINDS; ++kind) {
            printf("%-6s %-10s %-10s", size_names[size], rates[which].name, kind_names[kind]);
            print_times(&c[kind].publish, c[kind].seconds);
            print_times(&c[kind].acquire, c[kind].seconds);
            printf("\n");
            close_cell(&c[kind]);
        }
        fflush(stdout);
    }
}

int main(void)
{
    clock_ns = bench_clock_cost_ns();
    measure_two();
    return 0;
}
