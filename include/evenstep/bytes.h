/* SPDX-License-Identifier: Zlib
 *
 * bytes: a sink takes bytes, a source gives them. Both are callbacks; here are those for a block of
 * memory.
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

#include "evenstep/evenstep.h"

/* Takes bytes, one block after the other. */
typedef struct es_sink {
    void *user; /* passed to each function */
    /* ES_OK: took all bytes. ES_ERR_FULL: took none; the caller may offer them again later. Any
     * other result: the sink failed for good, and may have taken some. Required. */
    es_result (*write)(void *user, const void *bytes, size_t size);
    /* Passes on what the sink has buffered, as far as a flush of a file does. NULL: no buffer. */
    es_result (*flush)(void *user);
} es_sink;

/* Gives bytes from any place. */
typedef struct es_source {
    void *user; /* passed to the function */
    /* Reads size bytes from offset on; *got: how many there were, fewer only at the end. A failure:
     * *got is 0, and any result but ES_OK. Required. */
    es_result (*read)(void *user, uint64_t offset, void *bytes, size_t size, size_t *got);
} es_source;

/* A sink in a block of memory. A write that does not fit as a whole fails: ES_ERR_SPACE. */
typedef struct es_memory_sink {
    unsigned char *bytes; /* size of them; the caller's */
    size_t size;
    size_t used; /* taken so far */
} es_memory_sink;

/* A source in a block of memory. */
typedef struct es_memory_source {
    const unsigned char *bytes; /* size of them; the caller's */
    size_t size;
} es_memory_source;

#ifdef __cplusplus
extern "C" {
#endif

/* A sink that fills the block of memory. sink: not NULL; outlives the result. */
ES_API es_sink es_memory_sink_get(es_memory_sink *sink);

/* A source that reads the block of memory. source: not NULL; outlives the result. */
ES_API es_source es_memory_source_get(const es_memory_source *source);

#ifdef __cplusplus
}
#endif

#endif
