/* SPDX-License-Identifier: Zlib */
#include "evenstep/bytes.h"

#include <string.h>

static es_result memory_take(void *user, const void *bytes, size_t size)
{
    es_memory_sink *sink = user;
    if (size > sink->size - sink->used) {
        return ES_ERR_SPACE;
    }
    if (size > 0) {
        memcpy(sink->bytes + sink->used, bytes, size);
    }
    sink->used += size;
    return ES_OK;
}

es_sink es_memory_sink_get(es_memory_sink *sink)
{
    return (es_sink){.user = sink, .write = memory_take};
}

static es_result memory_give(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    const es_memory_source *source = user;
    *got = 0;
    if (offset < source->size && size > 0) {
        size_t left = source->size - (size_t)offset;
        *got = size < left ? size : left;
        memcpy(bytes, source->bytes + (size_t)offset, *got);
    }
    return ES_OK;
}

es_source es_memory_source_get(const es_memory_source *source)
{
    return (es_source){.user = (void *)(uintptr_t)source, .read = memory_give};
}
