/* SPDX-License-Identifier: Zlib */
#include "record_batch.h"

#include "record_parts.h"

es_result es__batch_send(es_record *record)
{
    if (record->batch_used == 0) {
        return ES_OK;
    }
    const es_sink *sink = &record->config.sink;
    es_result result = sink->write(sink->user, record->batch, record->batch_used);
    if (result == ES_OK) {
        record->counts.bytes += record->batch_used;
        record->batch_used = 0;
    } else if (result != ES_ERR_FULL) {
        record->counts.failed = result;
    }
    return result;
}

es_result es__batch_open(es_record *record, es_record_kind kind, size_t size, unsigned char **at)
{
    if (record->sequence == UINT32_MAX) { /* months: each record is to have a number of its own */
        record->counts.failed = ES_ERR_RANGE;
        return ES_ERR_RANGE;
    }
    if (size + ES_RECORD_OVERHEAD > record->batch_size - record->batch_used) {
        es_result result = es__batch_send(record);
        if (result != ES_OK) {
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

void es__batch_close(es_record *record)
{
    unsigned char *head = record->batch + record->batch_used;
    size_t size = ES__RECORD_HEAD_SIZE + es__get_u32(head + 4);
    (void)es__put_u32(head + size, es__crc32c(0, head, size));
    record->batch_used += size + 4;
    record->sequence += 1;
    record->counts.records += 1;
}
