/* SPDX-License-Identifier: Zlib
 *
 * A ring between two threads. Two counts say what is in it: only the pusher writes `pushed`, only
 * the receiver writes `received`. Neither thread ever waits.
 *
 *   pusher    writes an item, then pushed + 1 (release)
 *   receiver  reads pushed (acquire), then the item, then writes received + n (release)
 *   pusher    reads received (acquire): the place is free
 *
 * Source: Lamport's queue of one writer and one reader (1983).
 */
#include "queue.h"

#include "atomics.h"

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

#if ATOMIC_INT_LOCK_FREE != 2
#error "the queue is wait-free only where int is always lock-free"
#endif

size_t es__queue_size(uint32_t capacity, size_t item_size)
{
    return 3 * ES__LINE + capacity * item_size;
}

void es__queue_init(es__queue *queue, uint32_t capacity, size_t item_size, void *memory)
{
    size_t skip = (ES__LINE - (uintptr_t)memory % ES__LINE) % ES__LINE;
    unsigned char *lines = (unsigned char *)memory + skip;
    *queue = (es__queue){
            .pushed = lines,
            .received = lines + ES__LINE,
            .items = lines + 2 * ES__LINE,
            .item_size = item_size,
            .capacity = capacity,
    };
    atomic_init((atomic_uint *)queue->pushed, 0U);
    atomic_init((atomic_uint *)queue->received, 0U);
}

static void *item_at(const es__queue *queue, unsigned index)
{
    ES__ASSERT((queue->capacity & (queue->capacity - 1)) == 0, queue->capacity);
    return queue->items + (index & (queue->capacity - 1)) * queue->item_size;
}

bool es__queue_push(es__queue *queue, const void *item, uint32_t room)
{
    atomic_uint *own = queue->pushed;
    const atomic_uint *other = queue->received;
    unsigned pushed = atomic_load_explicit(own, memory_order_relaxed);
    unsigned received = atomic_load_explicit(other, ORDER_OF(ES_ORDER_ROOM));
    ES__ASSERT_IS((uint32_t)(pushed - received), <=, queue->capacity);
    if (queue->capacity - (pushed - received) < room) {
        return false;
    }
    memcpy(item_at(queue, pushed), item, queue->item_size);
    atomic_store_explicit(own, pushed + 1, ORDER_OF(ES_ORDER_PUSHED));
    return true;
}

const void *es__queue_item(const es__queue *queue, uint32_t after)
{
    const atomic_uint *other = queue->pushed, *own = queue->received;
    unsigned received = atomic_load_explicit(own, memory_order_relaxed);
    unsigned pushed = atomic_load_explicit(other, ORDER_OF(ES_ORDER_SEEN));
    ES__ASSERT_IS((uint32_t)(pushed - received), <=, queue->capacity);
    return pushed - received > after ? item_at(queue, received + after) : NULL;
}

void es__queue_drop(es__queue *queue, uint32_t count)
{
    atomic_uint *own = queue->received;
    unsigned received = atomic_load_explicit(own, memory_order_relaxed);
    atomic_store_explicit(own, received + count, ORDER_OF(ES_ORDER_RECEIVED));
}
