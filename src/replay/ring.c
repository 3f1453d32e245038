/* SPDX-License-Identifier: Zlib
 *
 * Two counts of bytes, each written by one side alone; the bytes in the ring are those between
 * them. They stay below twice the ring's size. So a full ring differs from an empty one, and the
 * size need not be a power of two, as it would if they wrapped with size_t.
 *
 * Source: the queue of one producer and one consumer, Lamport 1977, with acquire and release
 * instead of sequential consistency.
 */
#include "record.h"

#include <string.h>

#include "base/assert.h"
#include "base/atomics.h"

/* The writer releases the bytes that it wrote, and the reader acquires them; the reader releases
 * the space that it has read, and the writer acquires it before it writes there again.
 * scripts/stress weakens each order, and the thread sanitizer finds it. */
#ifndef ES_ORDER_RING_GIVE
#define ES_ORDER_RING_GIVE memory_order_release
#endif
#ifndef ES_ORDER_RING_TAKE
#define ES_ORDER_RING_TAKE memory_order_acquire
#endif
#ifndef ES_ORDER_RING_FREE
#define ES_ORDER_RING_FREE memory_order_release
#endif
#ifndef ES_ORDER_RING_ROOM
#define ES_ORDER_RING_ROOM memory_order_acquire
#endif

/* The distance in bytes between the counts that the two threads write. */
#define RING_LINE 128

typedef struct es__ring_control {
    atomic_size_t written; /* by the writer */
    unsigned char apart[RING_LINE - sizeof(atomic_size_t)];
    atomic_size_t read; /* by the reader */
    atomic_int failed;  /* by the reader: an es_result. Relaxed: no data depends on it */
} es__ring_control;

_Static_assert(
        sizeof(es__ring_control) <= 2 * RING_LINE && ES__RING_OVERHEAD == 3 * RING_LINE, "layout");

static es__ring_control *control_of(const es__ring *ring)
{
    return ring->control;
}

void es__ring_init(es__ring *ring, void *memory, size_t memory_size)
{
    size_t skip = (RING_LINE - (uintptr_t)memory % RING_LINE) % RING_LINE;
    unsigned char *lines = (unsigned char *)memory + skip;
    *ring = (es__ring){.control = lines,
            .bytes = lines + 2 * RING_LINE,
            .size = memory_size - ES__RING_OVERHEAD};
    es__ring_control *control = control_of(ring);
    atomic_init(&control->written, 0);
    atomic_init(&control->read, 0);
    atomic_init(&control->failed, ES_OK);
}

/* Continues at the front when it reaches the end. */
static void copy_in(const es__ring *ring, size_t count, const unsigned char *bytes, size_t size)
{
    size_t at = count % ring->size;
    size_t first = size < ring->size - at ? size : ring->size - at;
    ES__ASSERT(at + first <= ring->size && size - first <= at, at, size);
    memcpy(ring->bytes + at, bytes, first);
    memcpy(ring->bytes, bytes + first, size - first);
}

static size_t advanced(const es__ring *ring, size_t count, size_t by)
{
    size_t limit = 2 * ring->size;
    ES__ASSERT(by <= ring->size && count < limit, count, by);
    return by < limit - count ? count + by : by - (limit - count);
}

static size_t between(const es__ring *ring, size_t read, size_t written)
{
    ES__ASSERT(read < 2 * ring->size && written < 2 * ring->size, read, written);
    return written >= read ? written - read : 2 * ring->size - read + written;
}

static es_result write_ring(void *user, const void *bytes, size_t size)
{
    const es__ring *ring = user;
    es__ring_control *control = control_of(ring);
    int failed = atomic_load_explicit(&control->failed, memory_order_relaxed);
    if (failed != ES_OK) {
        return (es_result)failed;
    }
    if (size > ring->size) {
        return ES_ERR_SPACE;
    }
    size_t written = atomic_load_explicit(&control->written, memory_order_relaxed);
    size_t read = atomic_load_explicit(&control->read, ES_ORDER_RING_ROOM);
    if (size > ring->size - between(ring, read, written)) {
        return ES_ERR_FULL;
    }
    if (size > 0) {
        ES__ASSERT_IS(between(ring, read, advanced(ring, written, size)), ==,
                between(ring, read, written) + size);
        copy_in(ring, written, bytes, size);
        atomic_store_explicit(&control->written, advanced(ring, written, size), ES_ORDER_RING_GIVE);
    }
    return ES_OK;
}

/* Moves up to the end of the ring at most. */
static es_result pump_some(es__ring *ring, const es_stream *sink, size_t left, size_t *some)
{
    es__ring_control *control = control_of(ring);
    size_t read = atomic_load_explicit(&control->read, memory_order_relaxed);
    size_t at = read % ring->size;
    *some = left < ring->size - at ? left : ring->size - at;
    ES__ASSERT(*some >= 1 && at + *some <= ring->size, *some, at);
    es_result result = sink->write(sink->user, ring->bytes + at, *some);
    if (result == ES_OK) {
        atomic_store_explicit(&control->read, advanced(ring, read, *some), ES_ORDER_RING_FREE);
    } else if (result != ES_ERR_FULL) {
        atomic_store_explicit(&control->failed, (int)result, memory_order_relaxed);
    }
    return result;
}

es_result es__ring_pump(es__ring *ring, const es_stream *sink, size_t *moved)
{
    size_t done = 0;
    es__ring_control *control = control_of(ring);
    es_result result = (es_result)atomic_load_explicit(&control->failed, memory_order_relaxed);
    size_t written = atomic_load_explicit(&control->written, ES_ORDER_RING_TAKE);
    size_t left =
            between(ring, atomic_load_explicit(&control->read, memory_order_relaxed), written);
    while (result == ES_OK && left > 0) {
        size_t some;
        result = pump_some(ring, sink, left, &some);
        done += result == ES_OK ? some : 0;
        left -= result == ES_OK ? some : 0;
    }
    if (moved != NULL) {
        *moved = done;
    }
    return result;
}

es_stream es__ring_sink(es__ring *ring)
{
    return (es_stream){.user = ring, .write = write_ring};
}
