/* SPDX-License-Identifier: Zlib */
#include "record_parts.h"

es_result es__batch_send(es__record *record)
{
    const es_stream *sink = &record->config.stream;
    es_result result = ES_OK;
    size_t sent = 0, some;
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
    record->batch_used += size + 4;
    record->sequence += 1;
    record->counts.records += 1;
}
