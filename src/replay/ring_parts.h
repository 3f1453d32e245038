/* SPDX-License-Identifier: Zlib
 *
 * A bounded queue of bytes from one thread to another, in the caller's memory, with a stream at each
 * end. A full ring takes nothing: ES_ERR_FULL. A sink that fails stays failed, and the ring returns
 * its result to the writer. One writer and one reader, both wait-free.
 */
#ifndef ES_RING_PARTS_H
#define ES_RING_PARTS_H

#include "evenstep/replay.h"

/* Memory beyond the bytes that a ring can hold, at any address. */
#define ES__RING_OVERHEAD 384

/* Initialise with es__ring_init; fields are private. Constant from then on. */
typedef struct es__ring {
    void *control;        /* counts of both sides, accessed by atomic operations */
    unsigned char *bytes; /* size of them */
    size_t size;
} es__ring;

/* Starts an empty ring, before the two threads use it.
 * memory: at any address; borrowed. memory_size: ES__RING_OVERHEAD + 1 to SIZE_MAX / 2; for a
 * recording at least ES__RING_OVERHEAD + ES_RECORD_SIZE_MAX, and room for what the program writes
 * between two pumps. */
void es__ring_init(es__ring *ring, void *memory, size_t memory_size);

/* The reader's: moves the bytes that are in the ring now into a sink.
 * moved: receives how many bytes the sink took; may be NULL.
 * Errors: ES_ERR_FULL: the sink is full; the rest stays in the ring. Or what the sink failed with,
 * now or earlier. */
es_result es__ring_pump(es__ring *ring, const es_stream *sink, size_t *moved);

/* The writer's end as a sink, which takes all bytes of a write or none. ring: outlives the sink.
 * Its errors: ES_ERR_FULL: the bytes do not fit now. ES_ERR_SPACE: the ring is smaller than that.
 * Or what the reader's sink failed with. */
es_stream es__ring_sink(es__ring *ring);

#endif
