/* SPDX-License-Identifier: Zlib
 *
 * bytes: where do bytes go, and where do they come from? A sink and a source, as callbacks, and
 * both for a block of memory.
 *
 *   es_memory_sink taken = {memory, sizeof memory, 0};
 *   config.sink = es_memory_sink_get(&taken);
 *   ...
 *   es_memory_source read = {memory, taken.used};
 *   es_source source = es_memory_source_get(&read);
 *
 * For files there is adapters/record_file.h; between threads, ring.h.
 */
#ifndef EVENSTEP_BYTES_H
#define EVENSTEP_BYTES_H

#include "evenstep/base.h"

/* Takes bytes, one block after the other. */
typedef struct es_sink {
    void *user; /* handed to each function */
    /* ES_OK: all are taken. ES_ERR_FULL: none is, and the same may be offered again later. Anything
     * else: it has failed for good, and some of them may have been taken. Required. */
    es_result (*write)(void *user, const void *bytes, size_t size);
    /* Hands on what it has kept back, as far as a flush of a file does. NULL: it keeps nothing. */
    es_result (*flush)(void *user);
} es_sink;

/* Gives bytes from any place. */
typedef struct es_source {
    void *user; /* handed to the function */
    /* Fills in size bytes from offset on, and says how many there were: fewer only at the end. 0
     * and a result other than ES_OK: reading failed. Required. */
    es_result (*read)(void *user, uint64_t offset, void *bytes, size_t size, size_t *got);
} es_source;

/* A sink that is a block of memory. Full it fails: it will have no more room later. */
typedef struct es_memory_sink {
    unsigned char *bytes; /* size of them; the caller's */
    size_t size;
    size_t used; /* taken so far */
} es_memory_sink;

/* A source that is a block of memory. */
typedef struct es_memory_source {
    const unsigned char *bytes; /* size of them; the caller's */
    size_t size;
} es_memory_source;

#ifdef __cplusplus
extern "C" {
#endif

/** A sink that fills a block of memory. What does not fit as a whole fails with ES_ERR_SPACE.
 *
 * sink: outlives the returned sink; not NULL.
 * Returns: the sink.
 * Errors: none.
 * Ownership: borrows sink and its bytes.
 * Threads: one thread at a time.
 */
ES_API es_sink es_memory_sink_get(es_memory_sink *sink);

/** A source that reads a block of memory.
 *
 * source: outlives the returned source; not NULL.
 * Returns: the source.
 * Errors: none.
 * Ownership: borrows source and its bytes.
 * Threads: any thread, while nobody writes to the bytes.
 */
ES_API es_source es_memory_source_get(const es_memory_source *source);

#ifdef __cplusplus
}
#endif

#endif
