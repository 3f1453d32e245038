/* SPDX-License-Identifier: Zlib
 *
 * ring: how do bytes leave a thread that must not wait? A bounded queue of bytes from one thread to
 * another, in the caller's memory, with a sink at each end.
 *
 *   es_ring_init(&ring, memory, sizeof memory);
 *   record_config.sink = es_ring_sink(&ring);     // the simulation writes into the ring ...
 *
 *   while (es_ring_pump(&ring, &file_sink, &moved) == ES_OK) {   // ... and a thread of the program
 *       if (moved == 0 && done) {                                 // empties it into a file
 *           break;
 *       }
 *       sleep_a_little();
 *   }
 *
 * Nothing is lost in silence. A full ring takes nothing and says ES_ERR_FULL. A sink that fails
 * stays failed, and the ring says so to the thread that writes.
 *
 * Not for: several writers or readers; waking the reader, which looks when it likes.
 */
#ifndef EVENSTEP_RING_H
#define EVENSTEP_RING_H

#include "evenstep/bytes.h"

/* What the two threads write lies this far apart. */
#define ES_RING_LINE 128

/* Memory beyond the bytes that a ring can hold, whatever its address. */
#define ES_RING_OVERHEAD (3 * ES_RING_LINE)

/* Initialise with es_ring_init; read nothing here. Does not change from then on: what does is in
 * the memory. */
typedef struct es_ring {
    void *control;        /* counts of both sides: only by atomic operations */
    unsigned char *bytes; /* size of them */
    size_t size;
} es_ring;

#ifdef __cplusplus
extern "C" {
#endif

/** Starts an empty ring.
 *
 * ring: the caller's; not NULL.
 * memory: at any address; what is beyond ES_RING_OVERHEAD holds bytes.
 * memory_size: at least ES_RING_OVERHEAD + 1, at most SIZE_MAX / 2. For a recording: at least
 *   ES_RING_OVERHEAD + ES_RECORD_SIZE_MAX; what the program writes while nobody pumps has to fit.
 * Returns: ES_OK, or an error and an unchanged ring.
 * Errors: ES_ERR_INVALID: a NULL, or memory_size is too large. ES_ERR_SPACE: it is too small.
 * Ownership: borrows memory until the ring is no longer used.
 * Threads: one thread, before the two sides start.
 */
ES_API es_result es_ring_init(es_ring *ring, void *memory, size_t memory_size);

/** The writer's: puts bytes into the ring, all or none.
 *
 * ring: initialised.
 * bytes: size of them.
 * size: any number.
 * Returns: ES_OK when all are in.
 * Errors: ES_ERR_FULL: they do not fit now; ES_ERR_SPACE: the ring is smaller than that; or what
 *   the reader's sink failed with: the ring takes nothing any more.
 * Ownership: copies them.
 * Threads: the writer's. Wait-free.
 */
ES_API es_result es_ring_write(es_ring *ring, const void *bytes, size_t size);

/** The reader's: moves what is in the ring into a sink.
 *
 * Moves what is there when it is called, not what comes meanwhile: so it ends.
 * ring: initialised.
 * sink: not NULL. Where it says ES_ERR_FULL, what is left stays in the ring. Flushed when all is
 *   moved, if it can be and something was.
 * moved: receives how many bytes the sink took; may be NULL.
 * Returns: ES_OK, also when there was nothing to move.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_FULL: from the sink. Or what the sink failed with, now or
 *   earlier: the ring stays failed, and the writer learns of it.
 * Ownership: keeps nothing.
 * Threads: the reader's.
 */
ES_API es_result es_ring_pump(es_ring *ring, const es_sink *sink, size_t *moved);

/** How many bytes are in the ring.
 *
 * ring: initialised.
 * Returns: as seen by whoever asks: the reader sees no more than there are, the writer no fewer.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: the writer's or the reader's.
 */
ES_API size_t es_ring_used(const es_ring *ring);

/** The writer's end as a sink.
 *
 * ring: initialised; outlives the sink.
 * Returns: a sink whose write is es_ring_write.
 * Errors: none.
 * Ownership: borrows ring.
 * Threads: the sink is the writer's.
 */
ES_API es_sink es_ring_sink(es_ring *ring);

#ifdef __cplusplus
}
#endif

#endif
