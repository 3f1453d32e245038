/* SPDX-License-Identifier: Zlib
 *
 * ring: a bounded queue of bytes from a thread that must not wait to another one, in the caller's
 * memory, with a sink at each end.
 *
 *   es_ring_init(&ring, memory, sizeof memory);
 *   record_config.sink = es_ring_sink(&ring);     // the simulation writes into the ring
 *
 *   while (es_ring_pump(&ring, &file_sink, &moved) == ES_OK) {   // another thread empties it
 *       if (moved == 0 && done) {
 *           break;
 *       }
 *       sleep_a_little();
 *   }
 *
 * Errors: es_result. A full ring takes nothing and returns ES_ERR_FULL. A sink that fails stays
 * failed, and the ring returns its result to the writer. Threads: one writer, one reader; both are
 * wait-free. Allocation: none.
 *
 * Not for: several writers or readers; waking the reader.
 */
#ifndef EVENSTEP_RING_H
#define EVENSTEP_RING_H

#include "evenstep/bytes.h"

/* Memory beyond the bytes that a ring can hold, at any address. */
#define ES_RING_OVERHEAD 384

/* Initialise with es_ring_init; fields are private. Constant from then on. */
typedef struct es_ring {
    void *control;        /* counts of both sides, accessed by atomic operations */
    unsigned char *bytes; /* size of them */
    size_t size;
} es_ring;

#ifdef __cplusplus
extern "C" {
#endif

/* Starts an empty ring, before the two threads use it.
 * memory: at any address; borrowed. memory_size: ES_RING_OVERHEAD + 1 to SIZE_MAX / 2; for a
 * recording at least ES_RING_OVERHEAD + ES_RECORD_SIZE_MAX, and room for what the program writes
 * between two pumps.
 * Errors: ES_ERR_INVALID: a NULL, or memory_size is too large. ES_ERR_SPACE: it is too small. */
ES_API es_result es_ring_init(es_ring *ring, void *memory, size_t memory_size);

/* The reader's: moves the bytes that are in the ring now into a sink.
 * sink: not NULL. Flushed after the last byte, if there was any.
 * moved: receives how many bytes the sink took; may be NULL.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_FULL: the sink is full; the rest stays in the ring. Or
 * what the sink failed with, now or earlier. */
ES_API es_result es_ring_pump(es_ring *ring, const es_sink *sink, size_t *moved);

/* The writer's end as a sink, which takes all bytes of a write or none. ring: outlives the sink.
 * Its errors: ES_ERR_FULL: the bytes do not fit now. ES_ERR_SPACE: the ring is smaller than that.
 * Or what the reader's sink failed with. */
ES_API es_sink es_ring_sink(es_ring *ring);

#ifdef __cplusplus
}
#endif

#endif
