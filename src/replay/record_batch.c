/* SPDX-License-Identifier: Zlib */
#include "record_parts.h"

#if ES__ASSERTS
/* A record as a reader finds it: head and whole have right checksums, and it lies within the batch. */
static void check_record(const es__record *record, const unsigned char *head, size_t size)
{
    ES__ASSERT_IS(es__get_u16(head), ==, ES__MARKER);
    ES__ASSERT_IS(head[3], ==, 0);
    ES__ASSERT_IS(head[2], !=, ES_RECORD_NONE);
    ES__ASSERT_IS(es__get_u32(head + 8), ==, record->sequence);
    ES__ASSERT_IS(es__get_u32(head + 4), <=, ES__RECORD_PAYLOAD_MAX);
    ES__ASSERT_IS(es__get_u32(head + 12), ==, es__crc32c(0, head, ES__RECORD_HEAD_SIZE - 4));
    ES__ASSERT_IS(es__get_u32(head + size), ==, es__crc32c(0, head, size));
    ES__ASSERT_IS(record->batch_used + size + 4, <=, record->batch_size);
}

/* What a batch counts: each record has been sent or waits. */
static void check_counts(const es__record *record)
{
    const es__record_counts *counts = &record->counts;
    ES__ASSERT_IS(
            counts->steps + counts->frames + counts->events + counts->gaps + counts->snapshots, <=,
            counts->records);
    ES__ASSERT_IS(record->batch_used, <=, record->batch_size);
    ES__ASSERT_IS(record->readings_used, <=, sizeof record->reading_bytes);
    ES__ASSERT(!record->in_gap || record->gap_first <= record->gap_last, "%lld",
            (long long)record->gap_first);
}
#endif

es_result es__batch_send(es__record *record)
{
    const es_stream *sink = &record->config.stream;
    es_result result = ES_OK;
    size_t sent = 0, some;
    ES__BEFORE(const uint64_t next = record->counts.bytes + record->batch_used);
    for (; sent < record->batch_used; sent += some) {
        some = record->batch_used - sent;
        some = some < ES_RECORD_SIZE_MAX ? some : ES_RECORD_SIZE_MAX;
        result = sink->write(sink->user, record->batch + sent, some);
        if (result != ES_OK) {
            break;
        }
    }
    record->counts.bytes += sent;
    record->batch_used -= sent;
    if (sent > 0 && record->batch_used > 0) {
        memmove(record->batch, record->batch + sent, record->batch_used);
    }
    if (result != ES_OK && result != ES_ERR_FULL) {
        record->counts.failed = result;
    }
    ES__CHECK(ES__ASSERT_IS(record->counts.bytes + record->batch_used, ==, next));
    ES__ASSERT(result != ES_OK || record->batch_used == 0, "%zu", record->batch_used);
    return result;
}

es_result es__batch_open(es__record *record, es_record_kind kind, size_t size, unsigned char **at)
{
    if (record->sequence == UINT32_MAX) { /* each record has a number of its own */
        record->counts.failed =
                record->counts.failed != ES_OK ? record->counts.failed : ES_ERR_RANGE;
        return ES_ERR_RANGE;
    }
    if (size + ES__RECORD_OVERHEAD > record->batch_size - record->batch_used) {
        es_result result = es__batch_send(record);
        bool fits = size + ES__RECORD_OVERHEAD <= record->batch_size - record->batch_used;
        if (result != ES_OK && !(result == ES_ERR_FULL && fits)) {
            return result;
        }
    }
    unsigned char *head = record->batch + record->batch_used, *next;
    ES__ASSERT(size <= ES__RECORD_PAYLOAD_MAX
                       && record->batch_used + size + ES__RECORD_OVERHEAD <= record->batch_size,
            "%zu behind %zu of %zu", size, record->batch_used, record->batch_size);
    next = es__put_u16(head, ES__MARKER);
    *next++ = (unsigned char)kind;
    *next++ = 0;
    next = es__put_u32(next, (uint32_t)size);
    next = es__put_u32(next, record->sequence);
    *at = es__put_u32(next, es__crc32c(0, head, ES__RECORD_HEAD_SIZE - 4));
    return ES_OK;
}

void es__batch_close(es__record *record)
{
    unsigned char *head = record->batch + record->batch_used;
    size_t size = ES__RECORD_HEAD_SIZE + es__get_u32(head + 4);
    (void)es__put_u32(head + size, es__crc32c(0, head, size));
    ES__CHECK(check_record(record, head, size));
    record->batch_used += size + 4;
    record->sequence += 1;
    record->counts.records += 1;
    ES__CHECK(check_counts(record));
}
