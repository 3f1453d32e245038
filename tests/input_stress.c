/* SPDX-License-Identifier: Zlib
 *
 * One thread pushes events as fast as it can, another takes them in ticks. Every accepted
 * event arrives once, whole and in order, and one ES_INPUT_LOST stands for each row of refused
 * ones.
 *
 *   input_stress [DIVIDE]
 *
 * 2e6 events through queues of 64 to 65535, 1e5 through queues of 2 and 4; divided by DIVIDE, default 1. What
 * threads do to each other differs from run to run, so a pass is no proof; under the thread
 * sanitizer it is one that the accesses it met were ordered. Exits 1 on the first fault.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* pthread_setaffinity_np */
#endif
#include "evenstep/input.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "two_cores.h"

#define WORD_STEP UINT64_C(0x9e3779b97f4a7c15)

typedef struct run {
    es_input *input;
    int32_t capacity;
    int64_t events;
    bool again; /* the pusher tries each event until it is accepted */
    atomic_bool done;
    int64_t accepted; /* the pusher's, read when it is done, */
    int64_t refused;  /* and so is this */
} run;

_Noreturn static void fault(const char *what, int64_t a, int64_t b)
{
    printf("FAULT: %s: %" PRId64 " and %" PRId64 "\n", what, a, b);
    exit(1);
}

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
    run *r = argument;
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

static void check(const es_input_event *event, int64_t *last, int64_t *received, int64_t *lost)
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

static void receive_all(run *r)
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
            check(&event, &last, &received, &lost);
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

int main(int count, char **arguments)
{
    static run r;
    int64_t divide = count > 1 ? strtoll(arguments[1], NULL, 10) : 1;
    if (divide < 1) {
        return 2;
    }
    two_cores_find();
    two_cores_take(0);
    const int32_t capacities[] = {2, 4, 64, 1024, 65535};
    for (size_t i = 0; i < 2 * sizeof capacities / sizeof *capacities; ++i) {
        pthread_t pusher;
        memset(&r, 0, sizeof r);
        r.again = i % 2 == 0;
        r.events = (capacities[i / 2] < 64 ? 100000 : 2000000) / divide;
        r.capacity = capacities[i / 2];
        r.input = es_input_create(&(es_input_config){.events = r.capacity, .measured = 256});
        if (r.input == NULL || pthread_create(&pusher, NULL, push_all, &r) != 0) {
            fault("no queue or no thread", 0, 0);
        }
        receive_all(&r);
        pthread_join(pusher, NULL);
        es_input_status status = es_input_get_status(r.input);
        if (status.lost != r.refused || status.events < 1 || status.events > r.accepted) {
            fault("measured and lost", status.events, status.lost);
        }
        es_input_destroy(r.input);
    }
    return 0;
}
