/* SPDX-License-Identifier: Zlib
 *
 * Streams in a block of memory.
 */
#ifndef MEMORY_BYTES_H
#define MEMORY_BYTES_H

#include "evenstep/replay.h"

#include <string.h>

/* Takes bytes. A write that does not fit as a whole fails: ES_ERR_SPACE. */
typedef struct memory_sink {
    unsigned char *bytes; /* size of them */
    size_t size;
    size_t used; /* taken so far */
} memory_sink;

/* Gives bytes. */
typedef struct memory_source {
    const unsigned char *bytes; /* size of them */
    size_t size;
} memory_source;

static inline es_result memory_take(void *user, const void *bytes, size_t size)
{
    memory_sink *sink = user;
    if (size > sink->size - sink->used) {
        return ES_ERR_SPACE;
    }
    if (size > 0) {
        memcpy(sink->bytes + sink->used, bytes, size);
    }
    sink->used += size;
    return ES_OK;
}

static inline es_stream memory_sink_get(memory_sink *sink)
{
    return (es_stream){.user = sink, .write = memory_take};
}

static inline es_result memory_give(
        void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    const memory_source *source = user;
    *got = 0;
    if (offset < source->size && size > 0) {
        size_t left = source->size - (size_t)offset;
        *got = size < left ? size : left;
        memcpy(bytes, source->bytes + (size_t)offset, *got);
    }
    return ES_OK;
}

static inline es_stream memory_source_get(const memory_source *source)
{
    return (es_stream){.user = (void *)(uintptr_t)source, .read = memory_give};
}

#endif
