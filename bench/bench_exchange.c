/* SPDX-License-Identifier: Zlib
 *
 * The cost of passing states to another thread: the wait-free exchange and the locked one.
 *
 *   bench_exchange [--quick]
 *
 * First one thread: nanoseconds per call, the median and the least of blocks of calls. PUBLISH is of
 * several exchanges in which a state was begun before.
 *
 * Then two threads, on a core each if there are two: a producer at 60 Hz, 1 kHz or unpaced, and a
 * consumer at 144 Hz or unpaced. The kinds take turns in every cell, so that noise of the machine
 * falls on both alike. A tick of the producer goes as in exchange.h: wait for its time, BEGIN
 * (es_exchange_begin), write the state whole, which is not counted, PUBLISH (es_exchange_publish).
 * For the locked kind that includes the copies under the lock. ACQUIRE is es_exchange_acquire:
 * fresh, when there was something new (locked: with its copies), else clean. Each call is timed by
 * two readings of the clock, whose own time, printed first, is taken off; of a publish, what two
 * readings took just before it.
 *
 * TOUCH is one load of a word in a page of its own, timed in every other tick at the place of the
 * publish: the cost of a first access there. After a sleep or a large state no cache holds it.
 *
 * Goals for the wait-free kind: a publish at most 1 us (median) at every size, and both threads make
 * progress.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* pthread_setaffinity_np */
#endif
#include "evenstep/exchange.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/two_cores.h"

static const size_t sizes[] = {64, 1024, 1 << 20, 16 << 20};
static const char *const size_names[] = {"64 B", "1 kB", "1 MB", "16 MB"};
static const int producer_hz[] = {60, 1000, 0}; /* 0: unpaced */
static const int consumer_hz[] = {144, 0};
static const char *const kind_names[] = {"wait-free", "locked"};

/* At least that of most systems. */
#define PAGE ((size_t)4096)

enum { SIZES = 4, PRODUCERS = 3, CONSUMERS = 2, KINDS = 2 };

/* What two readings take: the median, set once. */
static int64_t clock_ns;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* From one reading to another, less what the readings took. */
static int64_t net_ns(int64_t begin_ns, int64_t end_ns)
{
    return end_ns - begin_ns > clock_ns ? end_ns - begin_ns - clock_ns : 0;
}

/* --- how long calls took -------------------------------------------------------------------- */

/* Counts by logarithm, 32 to an octave: 2 % wide. */
enum { PER_OCTAVE = 32, OCTAVES = 40, BINS = PER_OCTAVE * OCTAVES };

typedef struct times {
    int64_t bins[BINS];
    int64_t count;
    int64_t max_ns;
} times;

/* Exact below 32 ns; above, the leading six bits. */
static int bin_of(int64_t ns)
{
    int octave = 0;
    while (ns >> octave >= 2 * PER_OCTAVE && octave < OCTAVES - 2) {
        octave += 1;
    }
    int64_t bin = octave * PER_OCTAVE + (ns >> octave);
    return bin < BINS ? (int)bin : BINS - 1;
}

static double ns_of(int bin)
{
    int octave = bin / PER_OCTAVE - 1;
    return octave <= 0 ? bin : ((double)(bin - octave * PER_OCTAVE) + 0.5) * (double)(1 << octave);
}

static void add(times *t, int64_t ns)
{
    t->bins[bin_of(ns > 0 ? ns : 0)] += 1;
    t->count += 1;
    t->max_ns = ns > t->max_ns ? ns : t->max_ns;
}

static double quantile_us(const times *t, double q)
{
    int64_t left = (int64_t)(q * (double)t->count);
    for (int i = 0; i < BINS; ++i) {
        left -= t->bins[i];
        if (left < 0) {
            double ns = ns_of(i);
            return (ns < (double)t->max_ns ? ns : (double)t->max_ns) / 1000.0;
        }
    }
    return (double)t->max_ns / 1000.0;
}

static void print_times(const times *t)
{
    if (t->count == 0) {
        printf("  %8s %9s %9s", "-", "-", "-");
    } else {
        printf("  %8.3f %9.2f %9.1f", quantile_us(t, 0.5), quantile_us(t, 0.999),
                (double)t->max_ns / 1000.0);
    }
}

/* --- an exchange ---------------------------------------------------------------------------- */

typedef struct cell {
    size_t state_size;
    int producer_hz;
    int consumer_hz;
    es_exchange exchange;
    es_mutex mutex;
    void *memory;
    es_exchange_tick tick;
    atomic_bool quit;
    atomic_uint *touched; /* in a page of its own */
    times touch;
    times begin;
    times publish;
    times fresh;
    times clean;
    int64_t spent_ns;
} cell;

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "bench_exchange: %s\n", what);
    exit(1);
}

static void open_cell(cell *c, size_t state_size, int kind)
{
    es_exchange_config config = {.state_size = state_size, .kind = (es_exchange_kind)kind};
    size_t size = es_exchange_memory_size(&config);
    c->state_size = state_size;
    c->memory = malloc(size + 2 * PAGE);
    if (c->memory == NULL || es_mutex_init(&c->mutex) != ES_OK) {
        fail("no memory or no mutex");
    }
    config.lock = es_mutex_get(&c->mutex);
    if (es_exchange_init(&c->exchange, &config, c->memory, size, NULL) != ES_OK) {
        fail("es_exchange_init");
    }
    c->tick.index = 0;
    c->touched = (atomic_uint *)((unsigned char *)c->memory + size) + PAGE / sizeof(atomic_uint);
    atomic_init(c->touched, 0);
}

static void close_cell(cell *c)
{
    es_mutex_destroy(&c->mutex);
    free(c->memory);
}

static void publish(cell *c)
{
    c->tick.index += 1;
    if (es_exchange_publish(&c->exchange, &c->tick) != ES_OK) {
        fail("es_exchange_publish");
    }
}

/* --- one thread ----------------------------------------------------------------------------- */

enum { BLOCKS = 41 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void pair_block(cell *c, int64_t calls)
{
    for (int64_t i = 0; i < calls; ++i) {
        es_exchange_begin(&c->exchange, NULL);
        publish(c);
    }
}

static void both_block(cell *c, int64_t calls)
{
    for (int64_t i = 0; i < calls; ++i) {
        es_exchange_begin(&c->exchange, NULL);
        publish(c);
        if (es_exchange_acquire(&c->exchange)->ticks[0]->index != c->tick.index) {
            fail("not the newest tick");
        }
    }
}

static void acquire_once(cell *c)
{
    const es_exchange_view *view = es_exchange_acquire(&c->exchange);
    /* The compiler may believe neither that the view is not used nor that it stays the same. */
    __asm__ volatile("" : : "r"(view) : "memory");
}

/* Several calls to a turn of the loop, which else is most of what is measured: where its few
 * instructions lie decides whether a turn takes one cycle or three. */
static void clean_block(cell *c, int64_t calls)
{
    for (int64_t i = 0; i < calls; i += 8) {
        acquire_once(c);
        acquire_once(c);
        acquire_once(c);
        acquire_once(c);
        acquire_once(c);
        acquire_once(c);
        acquire_once(c);
        acquire_once(c);
    }
}

static void print_blocks(cell *c, void (*block)(cell *, int64_t), int64_t calls)
{
    double per_call[BLOCKS];
    block(c, calls);
    for (int i = 0; i < BLOCKS; ++i) {
        int64_t begin_ns = now_ns();
        block(c, calls);
        per_call[i] = (double)(now_ns() - begin_ns) / (double)calls;
    }
    qsort(per_call, BLOCKS, sizeof *per_call, compare);
    printf(" %12.2f %12.2f", per_call[BLOCKS / 2], per_call[0]);
}

/* Of so many exchanges, if they are not too large together. */
enum { ALONE = 8, ALONE_BYTES = 1 << 28 };

/* Publishing needs a state that was begun; so the calls of one block go to an exchange each. */
static void print_publish(int size, int kind, int64_t blocks)
{
    static cell c[ALONE];
    static double per_call[20000];
    int count = 1;
    while (count < ALONE && (size_t)(count + 1) * 8 * sizes[size] <= ALONE_BYTES) {
        count += 1;
    }
    for (int i = 0; i < count; ++i) {
        open_cell(&c[i], sizes[size], kind);
    }
    for (int64_t block = 0; block < blocks; ++block) {
        for (int i = 0; i < count; ++i) {
            es_exchange_begin(&c[i].exchange, NULL);
        }
        int64_t begin_ns = now_ns();
        for (int i = 0; i < count; ++i) {
            publish(&c[i]);
        }
        per_call[block] = (double)net_ns(begin_ns, now_ns()) / count;
    }
    qsort(per_call, (size_t)blocks, sizeof *per_call, compare);
    printf(" %12.2f %12.2f", per_call[blocks / 2], per_call[0]);
    for (int i = 0; i < count; ++i) {
        close_cell(&c[i]);
    }
}

static void measure_alone(int64_t speed)
{
    static cell c;
    printf("\none thread, ns per call: median, least\n%-7s %-9s %25s %25s %25s %25s\n", "state",
            "kind", "begin and publish", "publish", "begin, publish, acquire", "clean acquire");
    for (int size = 0; size < SIZES; ++size) {
        for (int kind = 0; kind < KINDS; ++kind) {
            int64_t calls = 20000;
            if (kind == ES_EXCHANGE_LOCKED && sizes[size] > 4096) {
                calls = size == SIZES - 1 ? 1 : 4; /* these copy */
            }
            calls = calls > speed ? calls / speed : 1;
            open_cell(&c, sizes[size], kind);
            printf("%-7s %-9s", size_names[size], kind_names[kind]);
            print_blocks(&c, pair_block, calls);
            print_publish(size, kind, calls > 4 ? calls : 4);
            print_blocks(&c, both_block, calls);
            print_blocks(&c, clean_block, 50000);
            printf("\n");
            fflush(stdout);
            close_cell(&c);
        }
    }
}

/* --- two threads ---------------------------------------------------------------------------- */

/* The next instant of a rate; unpaced there is nothing to wait for. */
static void wait_for(int64_t *next_ns, int hz)
{
    if (hz == 0) {
        return;
    }
    *next_ns += INT64_C(1000000000) / hz;
    int64_t left_ns = *next_ns - now_ns();
    if (left_ns < 0) {
        *next_ns -= left_ns; /* late: no catching up */
        return;
    }
    struct timespec span = {
            .tv_sec = (time_t)(left_ns / 1000000000), .tv_nsec = (long)(left_ns % 1000000000)};
    nanosleep(&span, NULL);
}

/* In every other tick the load is timed, and in the others the publish. */
static void publish_timed(cell *c)
{
    bool touches = c->tick.index % 2 != 0;
    (void)now_ns(); /* its own code is not to be fetched in the time measured */
    int64_t before_ns = now_ns();
    int64_t begin_ns = now_ns(); /* after a sleep readings take longer than usual */
    if (!touches) {
        publish(c);
        add(&c->publish, now_ns() - begin_ns - (begin_ns - before_ns));
    } else {
        (void)atomic_load_explicit(c->touched, memory_order_relaxed);
        add(&c->touch, now_ns() - begin_ns - (begin_ns - before_ns));
        publish(c);
    }
}

static void *produce(void *argument)
{
    cell *c = argument;
    two_cores_take(1);
    int64_t next_ns = now_ns();
    while (!atomic_load_explicit(&c->quit, memory_order_relaxed)) {
        (void)now_ns();
        int64_t begin_ns = now_ns();
        void *state = es_exchange_begin(&c->exchange, NULL);
        add(&c->begin, net_ns(begin_ns, now_ns()));
        memset(state, (int)(c->tick.index + 1) & 255, c->state_size);
        atomic_thread_fence(memory_order_seq_cst); /* what the state's stores take is not counted */
        publish_timed(c);
        wait_for(&next_ns, c->producer_hz);
    }
    return NULL;
}

static void look_at(const cell *c, const es_exchange_view *view)
{
    for (int32_t age = 0; age < view->count; ++age) {
        const unsigned char *state = view->states[age];
        unsigned char whole = (unsigned char)(view->ticks[age]->index & 255);
        for (size_t i = 0; i < 8; ++i) {
            if (state[(c->state_size - 1) / 7 * i] != whole) {
                fail("a torn state");
            }
        }
    }
}

static void consume(cell *c, int64_t until_ns)
{
    int64_t next_ns = now_ns();
    int64_t number = es_exchange_acquire(&c->exchange)->number;
    for (int64_t end_ns = 0; end_ns < until_ns;) {
        if (c->consumer_hz != 0) {
            (void)now_ns();
        }
        int64_t begin_ns = now_ns();
        const es_exchange_view *view = es_exchange_acquire(&c->exchange);
        end_ns = now_ns();
        if (view->number != number) {
            number = view->number;
            add(&c->fresh, net_ns(begin_ns, end_ns));
            look_at(c, view);
        } else {
            add(&c->clean, net_ns(begin_ns, end_ns));
        }
        wait_for(&next_ns, c->consumer_hz);
    }
}

static void run_cell(cell *c, int64_t span_ns)
{
    pthread_t producer;
    int64_t begin_ns = now_ns();
    atomic_store(&c->quit, false);
    if (pthread_create(&producer, NULL, produce, c) != 0) {
        fail("no thread");
    }
    two_cores_take(0);
    consume(c, begin_ns + span_ns);
    atomic_store(&c->quit, true);
    pthread_join(producer, NULL);
    c->spent_ns += now_ns() - begin_ns;
}

static void print_cell(const cell *c, int size, int kind)
{
    char from[16] = "flat";
    char to[16] = "flat";
    if (c->producer_hz != 0) {
        snprintf(from, sizeof from, "%d", c->producer_hz);
    }
    if (c->consumer_hz != 0) {
        snprintf(to, sizeof to, "%d", c->consumer_hz);
    }
    double seconds = (double)c->spent_ns / 1e9;
    printf("%-6s %4s > %-4s %-9s", size_names[size], from, to, kind_names[kind]);
    printf(" %6.3f %6.3f", quantile_us(&c->touch, 0.5), quantile_us(&c->begin, 0.5));
    print_times(&c->publish);
    print_times(&c->clean);
    print_times(&c->fresh);
    printf("  %9.0f %9.0f\n", (double)c->begin.count / seconds, (double)c->fresh.count / seconds);
    fflush(stdout);
}

/* The slowest median of a wait-free publish, in us. */
static double measure_two(int64_t span_ns, int rounds)
{
    static cell c[KINDS];
    double worst_us = 0;
    printf("\ntwo threads%s, us: median, 99.9 %%, most\n", has_two_cores ? " on a core each" : "");
    printf("%-6s %-11s %-9s %6s %6s  %28s  %28s  %28s  %9s %9s\n", "state", "Hz > Hz", "kind",
            "touch", "begin", "publish", "clean acquire", "fresh acquire", "publish/s", "fresh/s");
    for (int which = 0; which < SIZES * PRODUCERS * CONSUMERS; ++which) {
        int size = which / (PRODUCERS * CONSUMERS);
        memset(c, 0, sizeof c);
        for (int kind = 0; kind < KINDS; ++kind) {
            c[kind].producer_hz = producer_hz[which / CONSUMERS % PRODUCERS];
            c[kind].consumer_hz = consumer_hz[which % CONSUMERS];
            open_cell(&c[kind], sizes[size], kind);
        }
        int64_t more = c[0].producer_hz == 60 ? 4 : 1; /* as it has few publishes a second */
        for (int round = 0; round < rounds * KINDS; ++round) {
            run_cell(&c[round % KINDS], more * span_ns);
        }
        for (int kind = 0; kind < KINDS; ++kind) {
            print_cell(&c[kind], size, kind);
            close_cell(&c[kind]);
        }
        double median_us = quantile_us(&c[0].publish, 0.5);
        worst_us = median_us > worst_us ? median_us : worst_us;
    }
    return worst_us;
}

static void time_clock(void)
{
    static times t;
    for (int i = 0; i < 100000; ++i) {
        int64_t begin_ns = now_ns();
        add(&t, now_ns() - begin_ns);
    }
    clock_ns = (int64_t)(quantile_us(&t, 0.5) * 1000.0 + 0.5);
    printf("two readings of the clock, taken off every timed call: %d ns (median)\n",
            (int)clock_ns);
}

int main(int count, char **arguments)
{
    bool quick = count == 2 && strcmp(arguments[1], "--quick") == 0;
    if (count > 1 && !quick) {
        fprintf(stderr, "bench_exchange: cannot use %s: bench_exchange [--quick]\n", arguments[1]);
        return 2;
    }
    two_cores_find();
    time_clock();
    measure_alone(quick ? 10 : 1);
    double worst_us = measure_two(quick ? 60 * ES_NS_PER_MS : 600 * ES_NS_PER_MS, quick ? 1 : 2);
    printf("\nslowest median of a wait-free publish: %.3f us (goal: 1)\n", worst_us);
    return 0;
}
