/* SPDX-License-Identifier: Zlib
 *
 * When which records are written, gaps, and the end. record_batch.c makes records of bytes and
 * sends them to the sink; record_header.c writes the header.
 */
#include "record_parts.h"

#include "state_parts.h"

/* Ticks from one snapshot to the next, by default: a second and a minute of 60 ticks per second. */
enum { SNAPSHOT_FIRST = 60, SNAPSHOT_LAST = 3600 };

/* A record was not written. ES_ERR_FULL begins a gap, or before the start ends the recording. */
static es_result record_lose(es__record *record, es_result result)
{
    record->counts.records_lost += 1;
    if (result != ES_ERR_FULL) {
        return result; /* es__batch_send has set counts.failed */
    }
    if (!record->started) {
        record->counts.failed = ES_ERR_FULL;
        return ES_ERR_FULL;
    }
    if (!record->in_gap) {
        record->in_gap = true;
        record->gap_first = record->tick;
        record->gap_records = 0;
    }
    record->gap_last = record->tick;
    record->gap_records += 1;
    return ES_ERR_FULL;
}

/* Whether a record may be written. */
static es_result ready(const es__record *record)
{
    if (record->counts.failed != ES_OK) {
        return record->counts.failed;
    }
    return record->started && !record->ended ? ES_OK : ES_ERR_STATE;
}

/* --- pieces --------------------------------------------------------------------------------- */

/* Of the next record. */
static uint64_t offset_of_next(const es__record *record)
{
    return record->counts.bytes + record->batch_used;
}

static es_result put_index(es__record *record)
{
    size_t count = (size_t)es__count_bits((uint32_t)record->counts.snapshots - 1);
    unsigned char *at;
    es_result result =
            es__batch_open(record, ES_RECORD_INDEX, ES__INDEX_SIZE + count * ES__ENTRY_SIZE, &at);
    if (result != ES_OK) {
        return result;
    }
    record->index_offset = offset_of_next(record);
    at = es__put_u64(at, record->input_max);
    at = es__put_i64(at, record->tick_written);
    for (const es__index_entry *entry = record->index; entry < record->index + count; ++entry) {
        at = es__put_i64(at, entry->tick);
        at = es__put_u64(at, entry->offset);
        at = es__put_u32(at, entry->sequence);
        ES__ASSERT(entry->offset < record->index_offset && entry->sequence < record->sequence,
                "%llu", (unsigned long long)entry->offset);
    }
    ES__ASSERT(count <= ES__INDEX_MAX
                       && at
                                  == record->batch + record->batch_used + ES__RECORD_HEAD_SIZE
                                             + ES__INDEX_SIZE + count * ES__ENTRY_SIZE,
            "%zu entries", count);
    es__batch_close(record);
    return ES_OK;
}

static es_result put_parts(es__record *record, int64_t tick, int64_t time_ns, const void *state)
{
    uint64_t total = record->packed_size;
    for (uint64_t offset = 0; offset < total;) {
        uint64_t most = ES__RECORD_PAYLOAD_MAX - ES__SNAPSHOT_SIZE;
        size_t some = (size_t)(total - offset < most ? total - offset : most);
        unsigned char *at;
        es_result result =
                es__batch_open(record, ES_RECORD_SNAPSHOT, ES__SNAPSHOT_SIZE + some, &at);
        if (result != ES_OK) {
            return result;
        }
        at = es__put_i64(at, tick);
        at = es__put_i64(at, time_ns);
        at = es__put_u64(at, offset);
        at = es__put_u64(at, total);
        size_t packed = es__state_pack(record->config.layout, state, offset, at, some);
        ES__ASSERT(packed == some, "%zu of %zu", packed, some);
        (void)packed;
        es__batch_close(record);
        offset += some;
    }
    return ES_OK;
}

static es_result put_snapshot(es__record *record, int64_t tick, int64_t time_ns, const void *state)
{
    uint32_t number = (uint32_t)record->counts.snapshots;
    es_result result = number > 0 ? put_index(record) : ES_OK;
    es__index_entry entry = {tick, record->index_offset, record->sequence - 1};
    result = result == ES_OK ? put_parts(record, tick, time_ns, state) : result;
    if (result != ES_OK) {
        return result;
    }
    if (number > 0) {
        record->index[es__count_bits(number) - 1] = entry;
    }
    record->counts.snapshots += 1;
    result = number % ES__COPY_EVERY == 0 ? es__record_copies(record) : ES_OK;
    record->snapshot_tick = tick;
    record->snapshot_end = offset_of_next(record);
    record->snapshot_size = record->snapshot_end - (number > 0 ? entry.offset : 0);
    ES__ASSERT(record->snapshot_size >= record->packed_size, "%llu",
            (unsigned long long)record->snapshot_size);
    ES__ASSERT_IS(record->counts.snapshots, ==, number + UINT64_C(1));
    return result;
}

static es_result put_hashes(es__record *record, int64_t tick, const void *state)
{
    unsigned char *at;
    es_result result =
            es__batch_open(record, ES_RECORD_HASH, ES__HASH_SIZE + 8 * record->hash_count, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_i64(at, tick);
    es__record_put_hashes(record->config.layout, record->config.hashes, state, at);
    es__batch_close(record);
    return ES_OK;
}

static es_result put_readings(es__record *record)
{
    unsigned char *at;
    if (record->readings == 0) {
        return ES_OK;
    }
    es_result result = es__batch_open(
            record, ES_RECORD_READINGS, ES__READINGS_SIZE + record->readings_used, &at);
    if (result == ES_OK) {
        at = es__put_u16(at, record->readings);
        at = es__put_u16(at, record->clock_has);
        for (int kind = 0; kind < ES__READING_KINDS; ++kind) {
            at = es__put_i64(at, record->reading_first[kind]);
        }
        ES__ASSERT(record->readings_used >= 2 * (size_t)record->readings
                           && record->readings_used <= ES__READING_MAX * (size_t)record->readings,
                "%zu bytes of %d", record->readings_used, (int)record->readings);
        memcpy(at, record->reading_bytes, record->readings_used);
        es__batch_close(record);
    }
    memcpy(record->reading_first, record->reading_last, sizeof record->reading_first);
    record->readings = 0;
    record->readings_used = 0;
    return result;
}

static es_result put_gap(es__record *record)
{
    unsigned char *at;
    es_result result = es__batch_open(record, ES_RECORD_GAP, ES__GAP_SIZE, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_i64(at, record->gap_first);
    at = es__put_i64(at, record->gap_last);
    (void)es__put_u64(at, record->gap_records);
    es__batch_close(record);
    record->counts.gaps += 1;
    return ES_OK;
}

/* --- a run ---------------------------------------------------------------------------------- */

es_result es__record_start(es__record *record, int64_t tick, int64_t time_ns, const void *state)
{
    if (record->counts.failed != ES_OK) {
        return record->counts.failed;
    }
    if (record->started || record->ended) {
        return ES_ERR_STATE;
    }
    record->start_tick = tick;
    record->tick = tick;
    record->ticked = true;
    es_result result = put_snapshot(record, tick, time_ns, state);
    if (result != ES_OK) {
        return record_lose(record, result);
    }
    record->started = true;
    return es__record_flush(record) == ES_OK ? ES_OK : record->counts.failed;
}

static es_result put_step(
        es__record *record, const es_step *step, const unsigned char *input, size_t size)
{
    size_t most = ES__RECORD_PAYLOAD_MAX - ES__STEP_SIZE;
    size_t some = size < most ? size : most, offset = some;
    unsigned char *at;
    es_result result = es__batch_open(record, ES_RECORD_STEP, ES__STEP_SIZE + some, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_step(at, step);
    at = es__put_u32(at, (uint32_t)size);
    if (some > 0) {
        memcpy(at, input, some);
    }
    es__batch_close(record);
    ES__ASSERT(record->counts.steps == 0 || step->index > record->tick_written, "%lld after %lld",
            (long long)step->index, (long long)record->tick_written);
    record->counts.steps += 1;
    record->tick_written = step->index;
    record->input_max = size > record->input_max ? size : record->input_max;
    most = ES__RECORD_PAYLOAD_MAX - ES__INPUT_SIZE;
    for (; offset < size; offset += some) {
        some = size - offset < most ? size - offset : most;
        ES__ASSERT(some >= 1 && some <= most, "%zu of %zu", some, size);
        result = es__batch_open(record, ES_RECORD_INPUT, ES__INPUT_SIZE + some, &at);
        if (result != ES_OK) {
            return result;
        }
        at = es__put_i64(at, step->index);
        at = es__put_u32(at, (uint32_t)offset);
        at = es__put_u32(at, (uint32_t)size);
        memcpy(at, input + offset, some);
        es__batch_close(record);
    }
    return ES_OK;
}

es_result es__record_step(
        es__record *record, const es_step *step, const void *input, size_t input_size)
{
    if (step == NULL || (input == NULL && input_size > 0) || input_size > UINT32_MAX) {
        return ES_ERR_INVALID;
    }
    es_result result = ready(record);
    if (result != ES_OK) {
        return result;
    }
    if (record->tick == INT64_MAX || step->index != record->tick + 1) {
        return ES_ERR_STATE;
    }
    record->tick = step->index;
    record->ticked = false;
    result = record->in_gap ? ES_ERR_FULL : put_step(record, step, input, input_size);
    return result == ES_OK ? ES_OK : record_lose(record, result);
}

/* every: below 0: never. */
static bool record_is_due(const es__record *record, int32_t every)
{
    return every > 0 && (record->tick - record->start_tick) % every == 0;
}

/* By default snapshots take at most a fifth of the file: but one a minute, so that seeking takes
 * little time; and not more than one a second, so that they take little time themselves. */
static bool snapshot_is_due(const es__record *record)
{
    int64_t ticks = record->tick - record->snapshot_tick;
    ES__ASSERT(
            ticks >= 0 && offset_of_next(record) >= record->snapshot_end, "%lld", (long long)ticks);
    uint64_t bytes = offset_of_next(record) - record->snapshot_end;
    if (record->config.snapshot_every != 0) {
        return record_is_due(record, record->config.snapshot_every);
    }
    return ticks >= SNAPSHOT_LAST
           || (ticks >= SNAPSHOT_FIRST && bytes / 4 >= record->snapshot_size);
}

/* A gap ends with the state to go on from. If only parts of the snapshot fit, the gap goes on, and
 * the reader finds the snapshot incomplete. */
static es_result end_gap(es__record *record, const es_step *step, const void *state)
{
    es_result result = es__record_flush(record);
    if (result == ES_OK) {
        result = put_gap(record);
    }
    if (result == ES_OK) {
        result = put_snapshot(record, step->index, step->time_ns, state);
    }
    if (result == ES_OK) {
        record->counts.ticks_lost += (uint64_t)(record->gap_last - record->gap_first) + 1;
        record->in_gap = false;
        record->counts.records_lost += record->readings > 0;
        record->readings = 0; /* those of the gap, whose frames are not there either */
        record->readings_used = 0;
        memcpy(record->reading_first, record->reading_last, sizeof record->reading_first);
    }
    return result;
}

es_result es__record_tick(es__record *record, const es_step *step, const void *state)
{
    if (step == NULL || state == NULL) {
        return ES_ERR_INVALID;
    }
    es_result result = ready(record);
    if (result != ES_OK) {
        return result;
    }
    if (step->index != record->tick || record->ticked) {
        return ES_ERR_STATE;
    }
    record->ticked = true;
    if (record->in_gap) {
        return end_gap(record, step, state);
    }
    if (record->hash_count > 0 && record_is_due(record, record->config.hash_every)) {
        result = put_hashes(record, step->index, state);
    }
    if (result == ES_OK && snapshot_is_due(record)) {
        result = put_snapshot(record, step->index, step->time_ns, state);
    }
    if (result != ES_OK) {
        return record_lose(record, result);
    }
    ES__ASSERT(record->counts.steps > 0 && record->tick_written == record->tick && !record->in_gap,
            "%lld", (long long)record->tick);
    record->ticks_held += 1;
    if (record->ticks_held >= record->config.flush_every) {
        result = es__record_flush(record);
    }
    return result == ES_ERR_FULL ? ES_OK : result; /* full: the batch keeps it */
}

/* --- frames, readings, events --------------------------------------------------------------- */

es_result es__record_frame(es__record *record, const es_report *report)
{
    unsigned char *at;
    if (report == NULL) {
        return ES_ERR_INVALID;
    }
    es_result result = ready(record);
    if (result != ES_OK) {
        return result;
    }
    result = record->in_gap ? ES_ERR_FULL : put_readings(record);
    if (result == ES_OK) {
        result = es__batch_open(record, ES_RECORD_FRAME, ES__FRAME_SIZE, &at);
    }
    if (result != ES_OK) {
        return record_lose(record, result);
    }
    (void)es__put_report(at, report);
    es__batch_close(record);
    record->counts.frames += 1;
    return ES_OK;
}

es_result es__record_reading(es__record *record, es__reading_kind kind, int64_t value_ns)
{
    es_result result = ES_OK;
    if (record->counts.failed != ES_OK || record->ended) {
        return record->counts.failed != ES_OK ? record->counts.failed : ES_ERR_STATE;
    }
    if (sizeof record->reading_bytes - record->readings_used < ES__READING_MAX) {
        result = record->in_gap ? ES_ERR_FULL : put_readings(record);
        if (result != ES_OK) {
            return record_lose(record, result);
        }
    }
    unsigned char *at = record->reading_bytes + record->readings_used;
    uint64_t last = (uint64_t)record->reading_last[kind];
    uint64_t delta = es__zigzag((int64_t)((uint64_t)value_ns - last));
    *at++ = (unsigned char)kind;
    for (; delta >= 128; delta >>= 7) {
        *at++ = (unsigned char)(delta | 128);
    }
    *at++ = (unsigned char)delta;
    record->reading_last[kind] = value_ns;
    record->readings += 1;
    ES__ASSERT(at - record->reading_bytes > (ptrdiff_t)record->readings_used + 1
                       && at <= record->reading_bytes + sizeof record->reading_bytes,
            "%zu", record->readings_used);
    record->readings_used = (size_t)(at - record->reading_bytes);
    return ES_OK;
}

es_result es__record_clock(es__record *record, uint32_t has)
{
    es_result result = ES_OK;
    if (record->counts.failed != ES_OK || record->ended) {
        return record->counts.failed != ES_OK ? record->counts.failed : ES_ERR_STATE;
    }
    if (has != record->clock_has && record->readings > 0) {
        result = record->in_gap ? ES_ERR_FULL : put_readings(record);
    }
    record->clock_has = has;
    return result == ES_OK ? ES_OK : record_lose(record, result);
}

es_result es__record_event(es__record *record, uint32_t kind, const void *bytes, size_t size)
{
    unsigned char *at;
    if ((bytes == NULL && size > 0) || size > ES__RECORD_PAYLOAD_MAX - ES__EVENT_SIZE) {
        return ES_ERR_INVALID;
    }
    es_result result = ready(record);
    if (result != ES_OK) {
        return result;
    }
    result = record->in_gap ? ES_ERR_FULL
                            : es__batch_open(record, ES_RECORD_EVENT, ES__EVENT_SIZE + size, &at);
    if (result != ES_OK) {
        return record_lose(record, result);
    }
    at = es__put_i64(at, record->tick);
    at = es__put_u32(at, kind);
    if (size > 0) {
        memcpy(at, bytes, size);
    }
    es__batch_close(record);
    record->counts.events += 1;
    return ES_OK;
}

/* --- the end -------------------------------------------------------------------------------- */

/* If recording ended for another reason, the batch is still sent. */
static bool sink_failed(const es__record *record)
{
    es_result failed = record->counts.failed;
    return failed != ES_OK && failed != ES_ERR_FULL && failed != ES_ERR_RANGE;
}

es_result es__record_flush(es__record *record)
{
    if (sink_failed(record)) {
        return record->counts.failed;
    }
    es_result result = es__batch_send(record);
    record->ticks_held = result == ES_OK ? 0 : record->ticks_held;
    ES__ASSERT(record->ticks_held == 0 || record->batch_used > 0 || result != ES_OK, "%d",
            (int)record->ticks_held);
    return result;
}

static es_result put_open_gap(es__record *record)
{
    es_result result = put_gap(record);
    if (result == ES_OK) {
        record->counts.ticks_lost += (uint64_t)(record->gap_last - record->gap_first) + 1;
        record->in_gap = false;
    }
    return result;
}

static es_result put_end(es__record *record)
{
    unsigned char *at;
    es_result result = record->in_gap ? put_open_gap(record) : put_readings(record);
    if (result == ES_OK && record->counts.snapshots > 0) {
        result = put_index(record);
    }
    if (result == ES_OK) {
        result = es__batch_open(record, ES_RECORD_END, ES__END_SIZE + 8, &at);
    }
    if (result != ES_OK) {
        return result;
    }
    at = es__put_i64(at, record->tick);
    at = es__put_u64(at, record->counts.steps);
    at = es__put_u64(at, record->counts.frames);
    at = es__put_u64(at, record->counts.ticks_lost);
    at = es__put_i32(at, (int32_t)record->counts.failed);
    at = es__put_u32(at, 0);
    (void)es__put_u64(at, record->index_offset);
    es__batch_close(record);
    return ES_OK;
}

es_result es__record_end(es__record *record)
{
    if (sink_failed(record)) {
        record->ended = true;
        return record->counts.failed;
    }
    if (!record->ended) {
        es_result result = put_end(record);
        if (result != ES_OK && result != ES_ERR_RANGE) {
            return result;
        }
        record->ended = true;
    }
    es_result result = es__record_flush(record);
    return result == ES_OK && record->counts.failed == ES_ERR_RANGE ? ES_ERR_RANGE : result;
}

es__record_counts es__record_counts_get(const es__record *record)
{
    es__record_counts counts = record->counts;
    counts.held = record->batch_used;
    return counts;
}
