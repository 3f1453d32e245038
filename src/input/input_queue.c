/* SPDX-License-Identifier: Zlib
 *
 * A ring between two threads. Two counts say what is in it: only the pusher writes `pushed`, only
 * the receiver writes `received`. Neither thread ever waits.
 *
 *   pusher    writes an event, then pushed + 1 (release)
 *   receiver  reads pushed (acquire), then the event, then writes received + 1 (release)
 *   pusher    reads received (acquire): the place is free
 *
 * Source: Lamport's queue of one writer and one reader (1983).
 */
#include "evenstep/input.h"

#include "base/common.h"
#include "input_parts.h"

#include <stdatomic.h>
#include <string.h>

/* Bytes between what two threads write: two cache lines, which processors fetch in pairs. */
#define LINE ((size_t)128)

#define CAPACITY_MAX 65536U

/* scripts/stress weakens each order and expects the thread sanitizer to report it. */
#ifndef ES_ORDER_PUSHED
#define ES_ORDER_PUSHED release
#endif
#ifndef ES_ORDER_SEEN
#define ES_ORDER_SEEN acquire
#endif
#ifndef ES_ORDER_RECEIVED
#define ES_ORDER_RECEIVED release
#endif
#ifndef ES_ORDER_ROOM
#define ES_ORDER_ROOM acquire
#endif
#define ORDER(name)    memory_order_##name
#define ORDER_OF(name) ORDER(name)

/* What the pusher writes. Counts run on, modulo 2^32. */
typedef struct pusher_part {
    atomic_uint pushed;
    bool losing; /* the newest event in the ring is an ES_INPUT_LOST */
} pusher_part;

/* What the receiver writes. */
typedef struct receiver_part {
    atomic_uint received;
} receiver_part;

#if ATOMIC_INT_LOCK_FREE != 2
#error "the queue is wait-free only where int is always lock-free"
#endif
_Static_assert(sizeof(pusher_part) <= 128 && sizeof(receiver_part) <= 128, "a line each");

static bool is_capacity(uint32_t capacity)
{
    return capacity >= 2 && capacity <= CAPACITY_MAX && (capacity & (capacity - 1)) == 0;
}

/* With one LINE more than is used, for the alignment within the memory. */
size_t es_input_queue_size(uint32_t capacity)
{
    return is_capacity(capacity) ? 3 * LINE + capacity * sizeof(es_input_event) : 0;
}

es_result es_input_queue_init(
        es_input_queue *queue, uint32_t capacity, void *memory, size_t memory_size, es_error *error)
{
    if (queue == NULL || memory == NULL) {
        return es__refuse(error, queue == NULL ? "queue" : "memory", "is NULL");
    }
    if (!is_capacity(capacity)) {
        return es__refuse(error, "capacity", "is no power of two from 2 to 65 536");
    }
    if (memory_size < es_input_queue_size(capacity)) {
        return es__refuse_as(error, ES_ERR_SPACE, "memory_size", "is under es_input_queue_size");
    }
    size_t skip = (LINE - (uintptr_t)memory % LINE) % LINE;
    unsigned char *lines = (unsigned char *)memory + skip;
    memset(lines, 0, 2 * LINE);
    *queue = (es_input_queue){
            .pusher = lines,
            .receiver = lines + LINE,
            .events = (void *)(lines + 2 * LINE),
            .capacity = capacity,
    };
    pusher_part *pusher = queue->pusher;
    receiver_part *receiver = queue->receiver;
    atomic_init(&pusher->pushed, 0U);
    atomic_init(&receiver->received, 0U);
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

static void queue_append(es_input_queue *queue, unsigned pushed, const es_input_event *event)
{
    pusher_part *pusher = queue->pusher;
    queue->events[pushed & (queue->capacity - 1)] = *event;
    atomic_store_explicit(&pusher->pushed, pushed + 1, ORDER_OF(ES_ORDER_PUSHED));
}

es_result es_input_queue_push(es_input_queue *queue, const es_input_event *event, int64_t now_ns)
{
    if (queue == NULL || event == NULL || !es__input_is_valid(event)) {
        return ES_ERR_INVALID;
    }
    pusher_part *pusher = queue->pusher;
    unsigned pushed = atomic_load_explicit(&pusher->pushed, memory_order_relaxed);
    const receiver_part *receiver = queue->receiver;
    unsigned received = atomic_load_explicit(&receiver->received, ORDER_OF(ES_ORDER_ROOM));
    es_input_event fresh = *event;
    fresh.stamp_ns = es__min(fresh.stamp_ns, now_ns);
    if (queue->capacity - (pushed - received) >= 2) {
        queue_append(queue, pushed, &fresh);
        pusher->losing = false;
        return ES_OK;
    }
    if (!pusher->losing) { /* one place is free: an accepted event always leaves one */
        const es_input_event lost = {
                .stamp_ns = fresh.stamp_ns, .device = ES_INPUT_ALL, .kind = ES_INPUT_LOST};
        queue_append(queue, pushed, &lost);
        pusher->losing = true;
    }
    return ES_ERR_SPACE;
}

uint32_t es_input_queue_receive(es_input_queue *queue, es_input *input)
{
    const pusher_part *pusher = queue->pusher;
    receiver_part *receiver = queue->receiver;
    unsigned received = atomic_load_explicit(&receiver->received, memory_order_relaxed);
    unsigned first = received;
    unsigned pushed = atomic_load_explicit(&pusher->pushed, ORDER_OF(ES_ORDER_SEEN));
    while (received != pushed
            && es__input_put(input, &queue->events[received & (queue->capacity - 1)])) {
        received += 1;
    }
    atomic_store_explicit(&receiver->received, received, ORDER_OF(ES_ORDER_RECEIVED));
    return received - first;
}
