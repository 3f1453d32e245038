/* SPDX-License-Identifier: Zlib
 *
 * The content of records. Right checksums show that the bytes are those that were written, not who
 * wrote them: so every length and every number is checked.
 */
#include "reader_parts.h"

static bool read_run(es__reader *reader, const unsigned char *at, es_replay_item *item)
{
    es_replay_run *run = &reader->run;
    *run = (es_replay_run){
            .config = {.tick_rate = {es__get_u32(at + 8), es__get_u32(at + 12)},
                    .seed = es__get_u64(at + 16),
                    .hashes = (es_record_hashes)es__record_hashes_number(es__get_u32(at + 40)),
                    .hash_every = es__get_i32(at + 48),
                    .snapshot_every = es__get_i32(at + 52)},
            .version = {es__get_u16(at), es__get_u16(at + 2), es__get_u16(at + 4)},
            .packed_size = es__get_u64(at + 24),
            .field_count = es__get_u32(at + 32),
            .hash_count = es__get_u32(at + 44),
            .self_test = {es__get_u64(at + 56), es__get_u64(at + 64)}};
    reader->tag_count = es__get_u32(at + 36);
    item->run = run;
    es_rate rate = run->config.tick_rate;
    bool varies = rate.numerator == 0 && rate.denominator == 0;
    return (varies || es__rate_is_valid(rate)) && run->packed_size > 0 && run->field_count > 0
           && run->field_count <= ES_RECORD_FIELDS_MAX && reader->tag_count <= ES_RECORD_TAGS_MAX
           && es__get_u32(at + 40) <= (uint32_t)ES_RECORD_HASH_GROUPS
           && run->hash_count <= run->field_count + 1 && run->config.hash_every >= 1;
}

/* Takes the name of a field or a tag. */
static bool read_name(
        es__reader *reader, const unsigned char *at, size_t size, es_replay_item *item)
{
    if (size == 0 || size > ES__RECORD_NAME_MAX || memchr(at, 0, size) != NULL) {
        return false;
    }
    memcpy(reader->name, at, size);
    reader->name[size] = '\0';
    reader->field.name = reader->name;
    item->field = &reader->field;
    return true;
}

static bool read_field(
        es__reader *reader, const unsigned char *at, size_t size, es_replay_item *item)
{
    uint32_t type = es__get_u32(at), name_size = es__get_u32(at + 20);
    uint64_t count = es__get_u64(at + 8);
    reader->field = (es_field){.type = (es_type)type,
            .group = es__get_i32(at + 4),
            .count = (size_t)count,
            .components = es__get_u32(at + 16)};
    return type >= 1 && type <= (uint32_t)ES_TYPE_U8 && count > 0 && reader->field.count == count
           && reader->field.components > 0 && name_size == size - ES__FIELD_SIZE
           && read_name(reader, at + ES__FIELD_SIZE, name_size, item);
}

static bool read_tag(es__reader *reader, const unsigned char *at, size_t size, es_replay_item *item)
{
    uint32_t name_size = es__get_u32(at), text_size = es__get_u32(at + 4);
    reader->field = (es_field){0};
    if (text_size > ES__RECORD_TEXT_MAX || (uint64_t)name_size + text_size != size - ES__TAG_SIZE) {
        return false;
    }
    item->bytes = at + ES__TAG_SIZE + name_size;
    item->size = text_size;
    return memchr(item->bytes, 0, text_size) == NULL
           && read_name(reader, at + ES__TAG_SIZE, name_size, item);
}

/* The rest of a record are bytes. */
static void take_bytes(es_replay_item *item, const unsigned char *at, size_t size, size_t head)
{
    item->bytes = at + head;
    item->size = size - head;
}

static bool is_part(const es_replay_item *item)
{
    return item->part <= item->total && item->size <= item->total - item->part;
}

static bool read_snapshot(const unsigned char *at, size_t size, es_replay_item *item)
{
    item->step.index = es__get_i64(at);
    item->step.time_ns = es__get_i64(at + 8);
    item->part = es__get_u64(at + 16);
    item->total = es__get_u64(at + 24);
    take_bytes(item, at, size, ES__SNAPSHOT_SIZE);
    return item->size > 0 && is_part(item);
}

static bool read_step(const unsigned char *at, size_t size, es_replay_item *item)
{
    es__get_step(at, &item->step);
    item->total = es__get_u32(at + 52);
    take_bytes(item, at, size, ES__STEP_SIZE);
    return is_part(item);
}

static bool read_input(const unsigned char *at, size_t size, es_replay_item *item)
{
    item->step.index = es__get_i64(at);
    item->part = es__get_u32(at + 8);
    item->total = es__get_u32(at + 12);
    take_bytes(item, at, size, ES__INPUT_SIZE);
    return item->size > 0 && item->part > 0 && is_part(item);
}

static bool read_hashes(const unsigned char *at, size_t size, es_replay_item *item)
{
    item->step.index = es__get_i64(at);
    take_bytes(item, at, size, ES__HASH_SIZE);
    item->count = item->size / 8;
    return item->size > 0 && item->size % 8 == 0;
}

static bool read_frame(es__reader *reader, const unsigned char *at, es_replay_item *item)
{
    es_report *frame = &reader->frame;
    memset(frame, 0, sizeof *frame);
    es__get_report(at, frame);
    item->frame = frame;
    int32_t source = (int32_t)frame->source;
    return (uint32_t)frame->frame.gap.kind <= (uint32_t)ES_GAP_UNKNOWN
           && source >= (int32_t)ES_SHOWN_PLANNED && source <= (int32_t)ES_SHOWN_VIRTUAL;
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

es__reader_readings es__reader_get_readings(const es_replay_item *item)
{
    const unsigned char *at = item->bytes;
    es__reader_readings readings = {.left = es__get_u16(at),
            .clock_has = es__get_u16(at + 2),
            .bytes = at + ES__READINGS_SIZE,
            .size = item->size - ES__READINGS_SIZE};
    for (int kind = 0; kind < ES__READING_KINDS; ++kind) {
        readings.last[kind] = es__get_i64(at + 4 + 8 * kind);
    }
    return readings;
}

static bool read_readings(const unsigned char *at, size_t size, es_replay_item *item)
{
    es__reading_kind kind;
    int64_t value_ns;
    take_bytes(item, at, size, 0);
    es__reader_readings readings = es__reader_get_readings(item);
    item->count = readings.left;
    while (es__reader_next_reading(&readings, &kind, &value_ns)) {
    }
    return readings.left == 0 && readings.size == 0;
}

static bool read_event(const unsigned char *at, size_t size, es_replay_item *item)
{
    item->step.index = es__get_i64(at);
    item->count = es__get_u32(at + 8);
    take_bytes(item, at, size, ES__EVENT_SIZE);
    return true;
}

static bool read_gap(const unsigned char *at, es_replay_item *item)
{
    int64_t last = es__get_i64(at + 8);
    item->step.index = es__get_i64(at);
    item->total = (uint64_t)last - (uint64_t)item->step.index + 1;
    item->count = es__get_u64(at + 16);
    return last >= item->step.index;
}

/* part: the offset of the index before it; 0: none. */
static bool read_end(es__reader *reader, const unsigned char *at, size_t size, es_replay_item *item)
{
    item->part = size >= ES__END_SIZE + 8 ? es__get_u64(at + ES__END_SIZE) : 0;
    reader->end = (es_record_status){.result = (es_result)es__get_i32(at + 32),
            .steps = es__get_u64(at + 8),
            .frames = es__get_u64(at + 16),
            .ticks_lost = es__get_u64(at + 24)};
    item->step.index = es__get_i64(at);
    item->end = &reader->end;
    return true;
}

static bool read_index(const unsigned char *at, size_t size, es_replay_item *item)
{
    item->total = es__get_u64(at);
    item->step.index = es__get_i64(at + 8);
    take_bytes(item, at, size, ES__INDEX_SIZE);
    item->count = item->size / ES__ENTRY_SIZE;
    return item->size % ES__ENTRY_SIZE == 0 && item->count <= ES__INDEX_MAX;
}

es__index_entry es__reader_get_entry(const es_replay_item *item, size_t number)
{
    const unsigned char *at = item->bytes + ES__ENTRY_SIZE * number;
    return (es__index_entry){es__get_i64(at), es__get_u64(at + 8), es__get_u32(at + 16)};
}

bool es__reader_get_copy(es__reader *reader, const es_replay_item *item, es_replay_item *original)
{
    *original = *item;
    if (item->kind != ES_RECORD_COPY || item->size < ES__COPY_SIZE) {
        return false;
    }
    uint32_t kind = es__get_u32(item->bytes);
    original->kind = (es_record_kind)kind;
    return (kind == ES_RECORD_RUN || kind == ES_RECORD_FIELD)
           && es__reader_content(
                   reader, item->bytes + ES__COPY_SIZE, item->size - ES__COPY_SIZE, original);
}

bool es__reader_content(
        es__reader *reader, const unsigned char *at, size_t size, es_replay_item *item)
{
    static const size_t least[] = {0, ES__RUN_SIZE, ES__FIELD_SIZE, ES__TAG_SIZE, ES__SNAPSHOT_SIZE,
            ES__STEP_SIZE, ES__INPUT_SIZE, ES__HASH_SIZE, ES__FRAME_SIZE, ES__READINGS_SIZE,
            ES__EVENT_SIZE, ES__GAP_SIZE, ES__END_SIZE};
    es_replay_item original;
    if ((size_t)item->kind < sizeof least / sizeof least[0] && size < least[item->kind]) {
        return false;
    }
    switch (item->kind) {
    case ES_RECORD_RUN:
        return read_run(reader, at, item);
    case ES_RECORD_FIELD:
        return read_field(reader, at, size, item);
    case ES_RECORD_TAG:
        return read_tag(reader, at, size, item);
    case ES_RECORD_SNAPSHOT:
        return read_snapshot(at, size, item);
    case ES_RECORD_STEP:
        return read_step(at, size, item);
    case ES_RECORD_INPUT:
        return read_input(at, size, item);
    case ES_RECORD_HASH:
        return read_hashes(at, size, item);
    case ES_RECORD_FRAME:
        return read_frame(reader, at, item);
    case ES_RECORD_READINGS:
        return read_readings(at, size, item);
    case ES_RECORD_EVENT:
        return read_event(at, size, item);
    case ES_RECORD_GAP:
        return read_gap(at, item);
    case ES_RECORD_END:
        return read_end(reader, at, size, item);
    case ES_RECORD_INDEX:
        return size >= ES__INDEX_SIZE && read_index(at, size, item);
    default:
        take_bytes(item, at, size, 0);
        return (int)item->kind > (int)ES_RECORD_COPY
               || es__reader_get_copy(reader, item, &original);
    }
}
