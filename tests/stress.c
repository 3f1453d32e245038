/* SPDX-License-Identifier: Zlib
 *
 * Two threads, as fast as each can.
 *
 *   stress exchange [DIVIDE [ROWS]]   they exchange states, by the first ROWS of `table`, default all. Every word
 *                                     of every acquired state is checked: no state is torn, all are adjacent,
 *                                     none goes back
 *   stress input [DIVIDE]             one pushes events, the other takes them in ticks. Every accepted event
 *                                     arrives once, whole and in order, and one ES_INPUT_LOST stands for each row
 *                                     of refused ones. 2e6 events through queues of 64 to 65535, 1e5 through
 *                                     queues of 2 and 4
 *
 * Numbers are divided by DIVIDE, default 1. Runs differ, so a pass is no proof (those are in proofs/); the thread
 * sanitizer (scripts/stress) proves that the accesses of a run were ordered. Exits 1 on the first fault.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* pthread_setaffinity_np */
#endif
#include "evenstep/input.h"

#include "threads/exchange.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORD_STEP UINT64_C(0x9e3779b97f4a7c15)

_Noreturn static void fault(const char *what, int64_t a, int64_t b)
{
    printf("FAULT: %s: %" PRId64 ", %" PRId64 "\n", what, a, b);
    exit(1);
}

/* --- threads ---------------------------------------------------------------------------------------- */

/* A core for each of two threads, if the process has two. Else both may take turns on one core for
 * as long as a short run takes. */
static size_t two_cores[2];
static bool has_two_cores;

/* Once, before there are threads. */
static void two_cores_find(void)
{
#if defined(__linux__)
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) {
        return;
    }
    int found = 0;
    for (size_t core = 0; found < 2; ++core) {
        if (CPU_ISSET(core, &all)) {
            two_cores[found++] = core;
        }
    }
    has_two_cores = true;
#endif
}

/* The calling thread runs on this one: 0 or 1. */
static void two_cores_take(int which)
{
#if defined(__linux__)
    cpu_set_t one;
    CPU_ZERO(&one);
    if (has_two_cores) {
        CPU_SET(two_cores[which], &one);
        (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    }
#else
    (void)which;
#endif
}

/* For a thread that waits for the other one in a loop: sleeps now and then. Beside busy processes
 * sched_yield would cost a time slice of each. */
static void let_the_other(void)
{
    static _Thread_local unsigned calls;
    if (++calls % 256 == 0) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

static void start(pthread_t *thread, void *(*function)(void *), void *argument)
{
    if (pthread_create(thread, NULL, function, argument) != 0) {
        fault("no thread", 0, 0);
    }
}

/* --- exchange --------------------------------------------------------------------------------------- */

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
typedef struct exchange_run {
    cell cell;
    es__exchange exchange;
    atomic_bool done;
    es__exchange_tick last; /* the last published: read by the reader when done */
    int64_t published;
    _Atomic int64_t acquired; /* by the reader; orders nothing */
} exchange_run;

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

/* All words: a tear shows wherever it is. */
static bool is_whole(const uint64_t *words, size_t count, uint64_t key)
{
    uint64_t differs = 0;
    for (size_t i = 0; i < count; ++i) {
        differs |= words[i] ^ (key + i * WORD_STEP);
    }
    return differs == 0;
}

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
static bool goes_on(const exchange_run *r, int64_t published)
{
    return published < r->cell.publishes
           || (atomic_load_explicit(&r->acquired, memory_order_relaxed) < r->cell.publishes / 1000
                   && published / 20 < r->cell.publishes);
}

static void *write_states(void *argument)
{
    exchange_run *r = argument;
    size_t words = r->cell.size / sizeof(uint64_t);
    es__exchange_tick tick = {.rate = es_hz(1000000)};
    int64_t left = 100;
    uint64_t key = 0;
    two_cores_take(1);
    for (int64_t n = 0; goes_on(r, n); ++n) {
        const void *previous;
        uint64_t *state = es__exchange_begin(&r->exchange, &previous);
        if (previous != NULL && !is_whole(previous, words < 16 ? words : 16, key)) {
            fault("the writer's previous state is not what it published", (int64_t)r->cell.size,
                    tick.index);
        }
        next_tick(&tick, &left);
        key = key_of(&tick);
        for (size_t i = 0; i < words; ++i) {
            state[i] = key + i * WORD_STEP;
        }
        if (es__exchange_publish(&r->exchange, &tick) != ES_OK) {
            fault("es__exchange_publish refuses", (int64_t)r->cell.size, tick.index);
        }
        r->published += 1;
    }
    r->last = tick;
    atomic_store_explicit(&r->done, true, memory_order_release);
    return NULL;
}

static void check_ticks(const exchange_run *r, const es__exchange_view *view)
{
    const es__exchange_tick *newest = view->ticks[0];
    if (view->count < 1 || view->count > r->cell.ticks) {
        fault("an impossible count", (int64_t)r->cell.size, newest->index);
    }
    for (int32_t age = 0; age < view->count; ++age) {
        const es__exchange_tick *tick = view->ticks[age];
        if (tick->index != newest->index - age || tick->generation != newest->generation) {
            fault("ticks that are not adjacent", (int64_t)r->cell.size, newest->index);
        }
        if (tick->time_ns != newest->time_ns - 1000 * (int64_t)age
                || tick->rate.numerator != 1000000) {
            fault("a torn es__exchange_tick", (int64_t)r->cell.size, tick->index);
        }
        if (!is_whole(view->states[age], r->cell.size / sizeof(uint64_t), key_of(tick))) {
            fault("a torn state", (int64_t)r->cell.size, tick->index);
        }
    }
}

typedef struct findings {
    int64_t fresh;
    int64_t clean;
    int64_t alone; /* fresh, with a count of 1 */
} findings;

/* Some views are checked again after a while, in which the writer could have written to them. */
static findings read_states(exchange_run *r, es__exchange *exchange)
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
            fault("a view that was counted twice", (int64_t)r->cell.size, view->ticks[0]->index);
        }
        const es__exchange_tick *tick = view->ticks[0];
        bool newer = tick->generation != newest.generation ? tick->generation > newest.generation
                                                           : tick->index > newest.index;
        if (found.fresh > 1 && !newer) {
            fault("a tick that is not newer", (int64_t)r->cell.size, view->ticks[0]->index);
        }
        newest = *view->ticks[0];
        check_ticks(r, view);
        if ((found.fresh & 15) == 0) {
            check_ticks(r, view);
        }
    }
    if (newest.index != r->last.index || newest.generation != r->last.generation) {
        fault("the last tick published was never seen; instead the reader is",
                (int64_t)r->cell.size, newest.index);
    }
    return found;
}

static void run_cell(const cell *what)
{
    static exchange_run r;
    pthread_t writer;
    es__exchange_config config = {.state_size = what->size, .ticks = what->ticks};
    void *memory = malloc(es__exchange_memory_size(&config));
    if (memory == NULL) {
        fault("no memory", (int64_t)what->size, 0);
    }
    memset(&r, 0, sizeof r);
    r.cell = *what;
    es__exchange_init(&r.exchange, &config, memory);
    atomic_init(&r.done, false);
    start(&writer, write_states, &r);
    findings found = read_states(&r, &r.exchange);
    pthread_join(writer, NULL);
    printf("%9zu B %d ticks: %10" PRId64 " published %9" PRId64 " acquired (%6" PRId64
           " alone) %10" PRId64 " clean\n",
            what->size, (int)what->ticks, r.published, found.fresh, found.alone, found.clean);
    fflush(stdout);
    free(memory);
}

/* --- input ------------------------------------------------------------------------------------------ */

typedef struct input_run {
    es_input *input;
    int32_t capacity;
    int64_t events;
    bool again; /* the pusher tries each event until it is accepted */
    atomic_bool done;
    int64_t accepted; /* the pusher's, read when it is done, */
    int64_t refused;  /* and so is this */
} input_run;

/* Every field says which event it is. */
static es_input_event event_number(int64_t n)
{
    return (es_input_event){
            .stamp_ns = n,
            .user = (uint64_t)n * WORD_STEP,
            .value = (double)n,
            .device = (uint16_t)(n % 1000),
            .code = (uint16_t)(n % 60000),
            .kind = n % 2 == 0 ? ES_INPUT_PRESS : ES_INPUT_MOVE,
    };
}

static void *push_all(void *argument)
{
    input_run *r = argument;
    const es_frame seen = {.content_ns = INT64_MAX, .newest_tick = INT64_MAX};
    two_cores_take(1);
    for (int64_t n = 0; n < r->events; ++n) {
        es_input_event event = event_number(n);
        bool accepted = es_input_push(r->input, &event);
        while (!accepted && r->again) {
            r->refused += 1;
            let_the_other();
            accepted = es_input_push(r->input, &event);
        }
        r->accepted += accepted;
        if (n % 64 == 0) { /* delays come back from the thread of the ticks */
            es_input_frame(r->input, &seen, n);
        }
        r->refused += !accepted;
    }
    atomic_store_explicit(&r->done, true, memory_order_release);
    return NULL;
}

static void check_event(
        const es_input_event *event, int64_t *last, int64_t *received, int64_t *lost)
{
    if (event->kind == ES_INPUT_LOST) {
        *lost += 1;
        return;
    }
    es_input_event expected = event_number(event->stamp_ns);
    if (event->stamp_ns <= *last) {
        fault("not in order", event->stamp_ns, *last);
    }
    if (event->user != expected.user || event->value != expected.value
            || event->device != expected.device || event->code != expected.code
            || event->kind != expected.kind) {
        fault("a torn event", event->stamp_ns, (int64_t)event->user);
    }
    *last = event->stamp_ns;
    *received += 1;
}

static void receive_all(input_run *r)
{
    es_input_event event;
    es_step step = {.due_ns = INT64_MAX, .begun_ns = INT64_MAX};
    int64_t last = -1;
    int64_t received = 0;
    int64_t lost = 0;
    bool ends = false;
    for (;;) {
        ends = atomic_load_explicit(&r->done, memory_order_acquire);
        step.index += 1;
        int32_t moved = es_input_tick(r->input, &step);
        while (es_input_next(r->input, &event)) {
            check_event(&event, &last, &received, &lost);
        }
        if (moved == 0 && ends) {
            break;
        }
        if (moved == 0) { /* on one core the pusher would wait for this thread's time to end */
            let_the_other();
        }
    }
    if (received != r->accepted) {
        fault("accepted and received", r->accepted, received);
    }
    if ((lost > 0) != (r->refused > 0) || lost > r->refused) {
        fault("ES_INPUT_LOST and refused", lost, r->refused);
    }
    printf("queue of %5" PRId32 ": %9" PRId64 " pushed %9" PRId64 " received %9" PRId64
           " refused, %" PRId64 " ES_INPUT_LOST\n",
            r->capacity, r->events, received, r->refused, lost);
}

static void stress_input(int64_t divide)
{
    static input_run r;
    const int32_t capacities[] = {2, 4, 64, 1024, 65535};
    for (size_t i = 0; i < 2 * sizeof capacities / sizeof *capacities; ++i) {
        pthread_t pusher;
        memset(&r, 0, sizeof r);
        r.again = i % 2 == 0;
        r.events = (capacities[i / 2] < 64 ? 100000 : 2000000) / divide;
        r.capacity = capacities[i / 2];
        r.input = es_input_create(&(es_input_config){.events = r.capacity, .measured = 256});
        if (r.input == NULL) {
            fault("no queue", 0, 0);
        }
        start(&pusher, push_all, &r);
        receive_all(&r);
        pthread_join(pusher, NULL);
        es_input_status status = es_input_get_status(r.input);
        if (status.lost != r.refused || status.events < 1 || status.events > r.accepted) {
            fault("measured and lost", status.events, status.lost);
        }
        es_input_destroy(r.input);
    }
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    int64_t divide = count > 2 ? strtoll(arguments[2], NULL, 10) : 1;
    two_cores_find();
    two_cores_take(0);
    if (divide >= 1 && strcmp(what, "exchange") == 0) {
        size_t rows = count > 3 ? (size_t)strtoull(arguments[3], NULL, 10) : SIZE_MAX;
        for (size_t i = 0; i < sizeof table / sizeof *table && i < rows; ++i) {
            cell part = table[i];
            part.publishes = part.publishes / divide > 3 ? part.publishes / divide : 3;
            run_cell(&part);
        }
    } else if (divide >= 1 && strcmp(what, "input") == 0) {
        stress_input(divide);
    } else {
        return 2;
    }
    return 0;
}
