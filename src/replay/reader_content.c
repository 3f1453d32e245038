/* SPDX-License-Identifier: Zlib
 *
 * The content of records. Right checksums show that the bytes are those that were written, not who
 * wrote them: so every length and every number is checked.
 */
#include "reader_parts.h"
#include "record_parts.h"

static bool is_kind(const es__reader_item *item, es_record_kind kind, size_t least)
{
    return item->kind == kind && item->size >= least;
}

bool es__reader_get_run(const es__reader_item *item, es__reader_run *run)
{
    *run = (es__reader_run){0};
    if (!is_kind(item, ES_RECORD_RUN, ES__RUN_SIZE)) {
        return false;
    }
    const unsigned char *at = item->payload;
    es__reader_run read = {.format = ES_RECORD_FORMAT,
            .version = {es__get_u16(at), es__get_u16(at + 2), es__get_u16(at + 4)},
            .tick_rate = {es__get_u32(at + 8), es__get_u32(at + 12)},
            .seed = es__get_u64(at + 16),
            .packed_size = es__get_u64(at + 24),
            .field_count = es__get_u32(at + 32),
            .tag_count = es__get_u32(at + 36),
            .hashes = (es_record_hashes)es__get_u32(at + 40),
            .hash_count = es__get_u32(at + 44),
            .hash_every = es__get_i32(at + 48),
            .snapshot_every = es__get_i32(at + 52),
            .arithmetic = es__get_u64(at + 56),
            .library = es__get_u64(at + 64)};
    bool varies = read.tick_rate.numerator == 0 && read.tick_rate.denominator == 0;
    if ((!varies && !es_rate_is_valid(read.tick_rate)) || read.packed_size == 0
            || read.field_count == 0 || read.field_count > ES_RECORD_FIELDS_MAX
            || read.tag_count > ES_RECORD_TAGS_MAX
            || es__get_u32(at + 40) > (uint32_t)ES_RECORD_HASH_NONE
            || read.hash_count > read.field_count || read.hash_every < 1) {
        return false;
    }
    *run = read;
    return true;
}

bool es__reader_get_field(const es__reader_item *item, es__reader_field *field)
{
    *field = (es__reader_field){0};
    if (!is_kind(item, ES_RECORD_FIELD, ES__FIELD_SIZE)) {
        return false;
    }
    const unsigned char *at = item->payload;
    es__reader_field read = {.type = (es_type)es__get_u32(at),
            .group = es__get_i32(at + 4),
            .count = es__get_u64(at + 8),
            .components = es__get_u32(at + 16),
            .name = (const char *)at + ES__FIELD_SIZE,
            .name_size = es__get_u32(at + 20)};
    if (es__get_u32(at) < 1 || es__get_u32(at) > (uint32_t)ES_TYPE_U8 || read.count == 0
            || read.components == 0 || read.name_size == 0 || read.name_size > ES__RECORD_NAME_MAX
            || read.name_size != item->size - ES__FIELD_SIZE) {
        return false;
    }
    *field = read;
    return true;
}

bool es__reader_get_tag(const es__reader_item *item, es__reader_tag *tag)
{
    *tag = (es__reader_tag){0};
    if (!is_kind(item, ES_RECORD_TAG, ES__TAG_SIZE)) {
        return false;
    }
    const unsigned char *at = item->payload;
    es__reader_tag read = {.name = (const char *)at + ES__TAG_SIZE,
            .name_size = es__get_u32(at),
            .text_size = es__get_u32(at + 4)};
    if (read.name_size == 0 || read.name_size > ES__RECORD_NAME_MAX
            || read.text_size > ES__RECORD_TEXT_MAX
            || read.name_size + read.text_size != item->size - ES__TAG_SIZE) {
        return false;
    }
    read.text = read.name + read.name_size;
    *tag = read;
    return true;
}

bool es__reader_get_snapshot(const es__reader_item *item, es__reader_snapshot *snapshot)
{
    *snapshot = (es__reader_snapshot){0};
    if (!is_kind(item, ES_RECORD_SNAPSHOT, ES__SNAPSHOT_SIZE + 1)) {
        return false;
    }
    const unsigned char *at = item->payload;
    es__reader_snapshot read = {.tick = es__get_i64(at),
            .time_ns = es__get_i64(at + 8),
            .offset = es__get_u64(at + 16),
            .total = es__get_u64(at + 24),
            .bytes = at + ES__SNAPSHOT_SIZE,
            .size = item->size - ES__SNAPSHOT_SIZE};
    if (read.offset > read.total || read.size > read.total - read.offset) {
        return false;
    }
    *snapshot = read;
    return true;
}

static bool get_input(const es__reader_item *item, es__reader_step *step)
{
    const unsigned char *at = item->payload;
    if (item->size < ES__INPUT_SIZE + 1) {
        return false;
    }
    step->step.index = es__get_i64(at);
    step->offset = es__get_u32(at + 8);
    step->total = es__get_u32(at + 12);
    step->bytes = at + ES__INPUT_SIZE;
    step->size = item->size - ES__INPUT_SIZE;
    return step->offset > 0;
}

bool es__reader_get_step(const es__reader_item *item, es__reader_step *step)
{
    es__reader_step read = {0};
    *step = read;
    if (item->kind == ES_RECORD_INPUT) {
        if (!get_input(item, &read)) {
            return false;
        }
    } else if (is_kind(item, ES_RECORD_STEP, ES__STEP_SIZE)) {
        const unsigned char *at = item->payload;
        es__get_step(at, &read.step);
        read.total = es__get_u32(at + 52);
        read.bytes = at + ES__STEP_SIZE;
        read.size = item->size - ES__STEP_SIZE;
    } else {
        return false;
    }
    if (read.offset > read.total || read.size > read.total - read.offset) {
        return false;
    }
    *step = read;
    return true;
}

bool es__reader_get_hashes(const es__reader_item *item, es__reader_hashes *hashes)
{
    *hashes = (es__reader_hashes){0};
    if (!is_kind(item, ES_RECORD_HASH, ES__HASH_SIZE + 8)
            || (item->size - ES__HASH_SIZE) % 8 != 0) {
        return false;
    }
    hashes->tick = es__get_i64(item->payload);
    hashes->count = (item->size - ES__HASH_SIZE) / 8;
    hashes->bytes = item->payload + ES__HASH_SIZE;
    return true;
}

uint64_t es__reader_hash(const es__reader_hashes *hashes, size_t index)
{
    return index < hashes->count ? es__get_u64(hashes->bytes + 8 * index) : 0;
}

bool es__reader_get_frame(const es__reader_item *item, es_frame_report *report)
{
    memset(report, 0, sizeof *report);
    if (!is_kind(item, ES_RECORD_FRAME, ES__FRAME_SIZE)) {
        return false;
    }
    es__get_report(item->payload, report);
    int32_t source = (int32_t)report->source;
    if ((uint32_t)report->frame.gap.kind > (uint32_t)ES_GAP_UNKNOWN
            || source < (int32_t)ES_SHOWN_PLANNED || source > (int32_t)ES_SHOWN_VIRTUAL) {
        memset(report, 0, sizeof *report);
        return false;
    }
    return true;
}

bool es__reader_next_reading(
        es__reader_readings *readings, es__reading_kind *kind, int64_t *value_ns)
{
    uint64_t delta = 0;
    size_t used = 1;
    if (readings->left == 0 || readings->size < 2 || readings->bytes[0] >= ES__READING_KINDS) {
        return false;
    }
    for (unsigned shift = 0; shift < 64 && used < readings->size; shift += 7) {
        unsigned char byte = readings->bytes[used++];
        delta |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *kind = (es__reading_kind)readings->bytes[0];
            *value_ns = (int64_t)((uint64_t)readings->last[*kind] + (uint64_t)es__unzigzag(delta));
            readings->last[*kind] = *value_ns;
            readings->left -= 1;
            readings->bytes += used;
            readings->size -= used;
            return true;
        }
    }
    return false; /* longer than 64 bits, or cut off */
}

bool es__reader_get_readings(const es__reader_item *item, es__reader_readings *readings)
{
    *readings = (es__reader_readings){0};
    if (!is_kind(item, ES_RECORD_READINGS, ES__READINGS_SIZE)) {
        return false;
    }
    const unsigned char *at = item->payload;
    es__reader_readings read = {.left = es__get_u16(at),
            .clock_has = es__get_u16(at + 2),
            .bytes = at + ES__READINGS_SIZE,
            .size = item->size - ES__READINGS_SIZE};
    for (int kind = 0; kind < ES__READING_KINDS; ++kind) {
        read.last[kind] = es__get_i64(at + 4 + 8 * kind);
    }
    es__reader_readings tried = read;
    es__reading_kind kind;
    int64_t value_ns;
    while (es__reader_next_reading(&tried, &kind, &value_ns)) {
    }
    if (tried.left != 0 || tried.size != 0) {
        return false;
    }
    *readings = read;
    return true;
}

bool es__reader_get_event(const es__reader_item *item, es__reader_event *event)
{
    *event = (es__reader_event){0};
    if (!is_kind(item, ES_RECORD_EVENT, ES__EVENT_SIZE)) {
        return false;
    }
    event->tick = es__get_i64(item->payload);
    event->kind = es__get_u32(item->payload + 8);
    event->bytes = item->payload + ES__EVENT_SIZE;
    event->size = item->size - ES__EVENT_SIZE;
    return true;
}

bool es__reader_get_gap(const es__reader_item *item, es__reader_gap *gap)
{
    *gap = (es__reader_gap){0};
    if (!is_kind(item, ES_RECORD_GAP, ES__GAP_SIZE)) {
        return false;
    }
    es__reader_gap read = {.first_tick = es__get_i64(item->payload),
            .last_tick = es__get_i64(item->payload + 8),
            .records = es__get_u64(item->payload + 16)};
    if (read.last_tick < read.first_tick) {
        return false;
    }
    *gap = read;
    return true;
}

bool es__reader_get_end(const es__reader_item *item, es__reader_end *end)
{
    *end = (es__reader_end){0};
    if (!is_kind(item, ES_RECORD_END, ES__END_SIZE)) {
        return false;
    }
    const unsigned char *at = item->payload;
    int32_t result = es__get_i32(at + 32);
    *end = (es__reader_end){.tick = es__get_i64(at),
            .steps = es__get_u64(at + 8),
            .frames = es__get_u64(at + 16),
            .ticks_lost = es__get_u64(at + 24),
            .result = (es_result)result};
    return true;
}

bool es__reader_get_copy(const es__reader_item *item, es__reader_item *original)
{
    es__reader_run run;
    es__reader_field field;
    *original = (es__reader_item){0};
    if (!is_kind(item, ES_RECORD_COPY, ES__COPY_SIZE)) {
        return false;
    }
    es__reader_item read = *item;
    uint32_t kind = es__get_u32(item->payload);
    read.kind = kind < ES_RECORD_COPY ? (es_record_kind)kind : ES_RECORD_NONE;
    read.payload = item->payload + ES__COPY_SIZE;
    read.size = item->size - ES__COPY_SIZE;
    if (!es__reader_get_run(&read, &run) && !es__reader_get_field(&read, &field)) {
        return false;
    }
    *original = read;
    return true;
}
