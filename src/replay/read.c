/* SPDX-License-Identifier: Zlib
 *
 * Reading. Right checksums show that the bytes are those that were written, not who wrote them: so every
 * length and every number of a record's content is checked.
 *
 * Finding records in any bytes. A record's head has its length and a checksum of its own: the
 * length is used only if that is right. Behind damage the next whole record is looked for byte by
 * byte. What a sound head spans is skipped as a whole, so that each byte is read a bounded number
 * of times.
 */
#include "read.h"

const char *es_damage_name(es_damage damage)
{
    static const char *const names[] = {
            [ES_DAMAGE_NONE] = "no damage",
            [ES_DAMAGE_CUT] = "the file ends within a record",
            [ES_DAMAGE_HEAD] = "no record begins here, or its head is damaged",
            [ES_DAMAGE_PAYLOAD] = "the content of a record is damaged",
            [ES_DAMAGE_MISSING] = "records are missing",
            [ES_DAMAGE_REPEATED] = "a record comes again",
            [ES_DAMAGE_CONTENT] = "a record's content makes no sense",
    };
    return (unsigned)damage < sizeof names / sizeof names[0] ? names[damage] : "unknown damage";
}

/* --- the content of records -------------------------------------------------------------------- */

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

static bool is_part(const es_replay_item *item)
{
    return item->part <= item->total && item->size <= item->total - item->part;
}

static bool read_frame(es__reader *reader, const unsigned char *at, es_replay_item *item)
{
    es_report *frame = &reader->frame;
    memset(frame, 0, sizeof *frame);
    es__get_members(at, frame, es__report_members, ES__REPORT_MEMBERS);
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
            readings->last[*kind] = *kind < ES__READING_VALUE ? *value_ns : 0;
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
    for (int kind = 0; kind < ES__READING_BASES; ++kind) {
        readings.last[kind] = es__get_i64(at + 4 + 8 * kind);
    }
    return readings;
}

static bool read_readings(const unsigned char *at, size_t size, es_replay_item *item)
{
    es__reading_kind kind;
    int64_t value_ns;
    item->bytes = at;
    item->size = size;
    es__reader_readings readings = es__reader_get_readings(item);
    item->count = readings.left;
    while (es__reader_next_reading(&readings, &kind, &value_ns)) {
    }
    return readings.left == 0 && readings.size == 0;
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

es__index_entry es__reader_get_entry(const es_replay_item *item, size_t number)
{
    const unsigned char *at = item->bytes + ES__ENTRY_SIZE * number;
    return (es__index_entry){es__get_i64(at), es__get_u64(at + 8), es__get_u32(at + 16)};
}

static bool read_content(
        es__reader *reader, const unsigned char *at, size_t size, es_replay_item *item);

bool es__reader_get_copy(es__reader *reader, const es_replay_item *item, es_replay_item *original)
{
    *original = *item;
    if (item->kind != ES_RECORD_COPY || item->size < ES__COPY_SIZE) {
        return false;
    }
    uint32_t kind = es__get_u32(item->bytes);
    original->kind = (es_record_kind)kind;
    return (kind == ES_RECORD_RUN || kind == ES_RECORD_FIELD)
           && read_content(
                   reader, item->bytes + ES__COPY_SIZE, item->size - ES__COPY_SIZE, original);
}

/* The kinds that end with bytes. head: how many of their own they begin with. */
static bool read_with_bytes(
        es__reader *reader, const unsigned char *at, size_t head, es_replay_item *item)
{
    es_replay_item original;
    item->bytes = at + head;
    item->size -= head;
    item->step.index = head >= 8 ? es__get_i64(at) : 0;
    switch (item->kind) {
    case ES_RECORD_SNAPSHOT:
        item->step.time_ns = es__get_i64(at + 8);
        item->part = es__get_u64(at + 16);
        item->total = es__get_u64(at + 24);
        return item->size > 0 && is_part(item);
    case ES_RECORD_STEP:
        es__get_members(at, &item->step, es__step_members, ES__STEP_MEMBERS);
        item->total = es__get_u32(at + 52);
        return is_part(item);
    case ES_RECORD_INPUT:
        item->part = es__get_u32(at + 8);
        item->total = es__get_u32(at + 12);
        return item->size > 0 && item->part > 0 && is_part(item);
    case ES_RECORD_HASH:
        item->count = item->size / 8;
        return item->size > 0 && item->size % 8 == 0;
    case ES_RECORD_EVENT:
        item->count = es__get_u32(at + 8);
        return true;
    case ES_RECORD_INDEX:
        item->total = es__get_u64(at);
        item->step.index = es__get_i64(at + 8);
        item->count = item->size / ES__ENTRY_SIZE;
        return item->size % ES__ENTRY_SIZE == 0 && item->count <= ES__INDEX_MAX;
    default:
        return (int)item->kind > (int)ES_RECORD_COPY
               || es__reader_get_copy(reader, item, &original);
    }
}

/* The content of a record whose kind the item has. False: it makes no sense. */
static bool read_content(
        es__reader *reader, const unsigned char *at, size_t size, es_replay_item *item)
{
    static const size_t heads[] = {0, ES__RUN_SIZE, ES__FIELD_SIZE, ES__TAG_SIZE, ES__SNAPSHOT_SIZE,
            ES__STEP_SIZE, ES__INPUT_SIZE, ES__HASH_SIZE, ES__FRAME_SIZE, ES__READINGS_SIZE,
            ES__EVENT_SIZE, ES__GAP_SIZE, ES__END_SIZE};
    size_t head = item->kind == ES_RECORD_INDEX ? ES__INDEX_SIZE : 0;
    if ((size_t)item->kind < sizeof heads / sizeof heads[0]) {
        head = heads[item->kind];
    }
    if (size < head) {
        return false;
    }
    switch (item->kind) {
    case ES_RECORD_RUN:
        return read_run(reader, at, item);
    case ES_RECORD_FIELD:
        return read_field(reader, at, size, item);
    case ES_RECORD_TAG:
        return read_tag(reader, at, size, item);
    case ES_RECORD_FRAME:
        return read_frame(reader, at, item);
    case ES_RECORD_READINGS:
        return read_readings(at, size, item);
    case ES_RECORD_GAP:
        return read_gap(at, item);
    case ES_RECORD_END:
        return read_end(reader, at, size, item);
    default:
        item->size = size;
        return read_with_bytes(reader, at, head, item);
    }
}

/* --- the window ----------------------------------------------------------------------------- */

/* The bytes from offset on; *got: how many, at least `size` unless the source has fewer. */
static es_result reader_look(
        es__reader *reader, uint64_t offset, size_t size, const unsigned char **bytes, size_t *got)
{
    uint64_t skip = offset - reader->window_offset;
    bool inside = offset >= reader->window_offset && skip <= reader->window_used
                  && size <= reader->window_used - skip;
    if (!inside) {
        size_t filled = 0;
        reader->window_used = 0;
        reader->window_offset = offset;
        es_result result = reader->source.read(
                reader->source.user, offset, reader->window, reader->window_size, &filled);
        if (result != ES_OK) {
            *got = 0;
            return result;
        }
        reader->window_used = filled < reader->window_size ? filled : reader->window_size;
        skip = 0;
    }
    ES__ASSERT(skip <= reader->window_used && reader->window_used <= reader->window_size
                       && reader->window_offset + skip == offset,
            skip, reader->window_used);
    *bytes = reader->window + skip;
    *got = reader->window_used - (size_t)skip;
    return ES_OK;
}

static es_result check_head(const unsigned char *head, size_t got, es__error *error)
{
    if (got < sizeof es__magic || memcmp(head, es__magic, sizeof es__magic) != 0) {
        return es__refuse_as(
                error, ES_ERR_DAMAGED, "head", "does not start with the signature of a recording");
    }
    if (got < ES__HEAD_SIZE) {
        return es__refuse_as(error, ES_ERR_DAMAGED, "head", "is cut off");
    }
    if (es__get_u32(head + 12) != es__crc32c(0, head, ES__HEAD_SIZE - 4)) {
        return es__refuse_as(error, ES_ERR_DAMAGED, "head", "is damaged");
    }
    uint32_t format = es__get_u16(head + 8);
    if (format < 1 || format > ES_RECORD_FORMAT) {
        return es__refuse_as(
                error, ES_ERR_UNSUPPORTED, "head", "is of a format that is not known here");
    }
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

static es_result any_record(es__reader *reader, bool *found);

es_result es__reader_open(es__reader *reader, const es_stream *source, void *memory,
        size_t memory_size, es__error *error)
{
    if (source->read == NULL) {
        return es__refuse(error, "source", "is NULL");
    }
    *reader = (es__reader){.source = *source, .window = memory, .window_size = memory_size};
    const unsigned char *head;
    size_t got;
    es_result result = reader_look(reader, 0, ES__HEAD_SIZE, &head, &got);
    if (result != ES_OK) {
        return es__refuse_as(error, result, "source", "cannot be read");
    }
    result = check_head(head, got, error);
    if (result == ES_ERR_DAMAGED) { /* the rest may be readable */
        es_result looked = any_record(reader, &reader->head_damaged);
        if (looked != ES_OK) {
            return es__refuse_as(error, looked, "source", "cannot be read");
        }
        result = reader->head_damaged ? es__refuse_as(error, ES_OK, NULL, NULL) : result;
    }
    es__reader_go(reader, (es__reader_place){0, 0});
    return result;
}

void es__reader_go(es__reader *reader, es__reader_place place)
{
    reader->place = place;
    if (place.offset < ES__HEAD_SIZE) {
        reader->place = (es__reader_place){reader->head_damaged ? 0 : ES__HEAD_SIZE, 0};
    }
}

/* --- records -------------------------------------------------------------------------------- */

typedef enum reader_found {
    FOUND_RECORD,  /* whole; the item is filled */
    FOUND_END,     /* nothing: the source ends here */
    FOUND_CUT,     /* the beginning of one: the source ends within it */
    FOUND_NOTHING, /* no head of a record */
    FOUND_BROKEN   /* a sound head before a damaged payload; item->length is the length of both */
} reader_found;

static bool is_head(const unsigned char *head)
{
    return es__get_u16(head) == ES__MARKER && head[3] == 0
           && es__get_u32(head + 12) == es__crc32c(0, head, ES__RECORD_HEAD_SIZE - 4)
           && es__get_u32(head + 4) <= ES__RECORD_PAYLOAD_MAX;
}

/* payload: receives the content of a whole record. */
static es_result find_at(es__reader *reader, uint64_t offset, es_replay_item *item,
        const unsigned char **payload, reader_found *what)
{
    const unsigned char *head;
    size_t got;
    *what = FOUND_END;
    *item = (es_replay_item){.offset = offset};
    es_result result = reader_look(reader, offset, ES__RECORD_HEAD_SIZE, &head, &got);
    if (result != ES_OK || got == 0) {
        return result;
    }
    if (got < ES__RECORD_HEAD_SIZE) {
        *what = FOUND_CUT;
        item->length = got;
        return ES_OK;
    }
    if (!is_head(head)) {
        *what = FOUND_NOTHING;
        return ES_OK;
    }
    size_t size = es__get_u32(head + 4), whole = ES__RECORD_HEAD_SIZE + size;
    item->length = whole + 4;
    result = reader_look(reader, offset, whole + 4, &head, &got);
    if (result != ES_OK) {
        return result;
    }
    if (got < whole + 4) {
        *what = FOUND_CUT;
        item->length = got;
        return ES_OK;
    }
    item->kind = (es_record_kind)head[2];
    item->sequence = es__get_u32(head + 8);
    *payload = head + ES__RECORD_HEAD_SIZE;
    *what = es__get_u32(head + whole) == es__crc32c(0, head, whole) ? FOUND_RECORD : FOUND_BROKEN;
    return ES_OK;
}

/* Reports a stretch of damage. */
static es_result damaged(es_replay_item *item, es_damage damage, uint64_t from, uint64_t to,
        uint32_t sequence, uint32_t missing)
{
    *item = (es_replay_item){.offset = from,
            .length = to - from,
            .sequence = sequence,
            .count = missing,
            .damage = damage};
    return ES_ERR_DAMAGED;
}

/* The offset of the next byte that may begin a marker, or the end of the window. */
static uint64_t next_marker(es__reader *reader, uint64_t offset)
{
    const unsigned char *bytes, *marker;
    size_t got;
    if (reader_look(reader, offset, ES__RECORD_HEAD_SIZE, &bytes, &got) != ES_OK || got == 0) {
        return offset;
    }
    marker = memchr(bytes, ES__MARKER & 255, got);
    return offset + (marker != NULL ? (size_t)(marker - bytes) : got);
}

/* Looks for the next whole record with a number that is due, or the end, behind damage of at least
 * `skip` bytes. If the source fails nothing has moved. */
static es_result resync(es__reader *reader, es_replay_item *item, es_damage damage, uint64_t skip)
{
    uint64_t from = reader->place.offset, offset = from + skip;
    uint32_t expected = reader->place.sequence;
    for (;;) {
        const unsigned char *payload;
        reader_found what;
        offset = next_marker(reader, offset);
        es_result result = find_at(reader, offset, item, &payload, &what);
        if (result != ES_OK) {
            return result;
        }
        if (what == FOUND_RECORD && item->sequence >= expected) {
            uint32_t missing = item->sequence - expected;
            reader->place = (es__reader_place){offset, item->sequence};
            return damaged(item, damage, from, offset, expected, missing);
        }
        if (what == FOUND_END) {
            reader->place.offset = offset;
            return damaged(item, damage, from, offset, expected, 0);
        }
        /* What seems cut off may be a head within damage, so it is not skipped as a whole. */
        offset += what == FOUND_NOTHING || what == FOUND_CUT ? 1 : item->length;
    }
}

/* Whether there is a whole record near the beginning. Of a file of another kind no more is read. */
static es_result any_record(es__reader *reader, bool *there)
{
    enum { NEAR = 1 << 20 };
    es_replay_item item;
    const unsigned char *payload;
    reader_found what = FOUND_NOTHING;
    es_result result = ES_OK;
    for (uint64_t offset = 0; offset < NEAR && what != FOUND_RECORD; ++offset) {
        offset = next_marker(reader, offset);
        result = find_at(reader, offset, &item, &payload, &what);
        if (result != ES_OK || what == FOUND_END) {
            break;
        }
    }
    *there = what == FOUND_RECORD;
    return result;
}

es_result es__reader_next(es__reader *reader, es_replay_item *item)
{
    const unsigned char *payload;
    reader_found what;
    uint64_t offset = reader->place.offset;
    uint32_t expected = reader->place.sequence;
    es_result result = find_at(reader, offset, item, &payload, &what);
    if (result != ES_OK) {
        return result;
    }
    switch (what) {
    case FOUND_END:
        return ES_OK;
    case FOUND_CUT:
        reader->place.offset += item->length;
        return damaged(item, ES_DAMAGE_CUT, offset, offset + item->length, expected, 0);
    case FOUND_NOTHING:
        return resync(reader, item, ES_DAMAGE_HEAD, 1);
    case FOUND_BROKEN:
        return resync(reader, item, ES_DAMAGE_PAYLOAD, item->length);
    default:
        break;
    }
    if (item->sequence > expected) {
        reader->place.sequence = item->sequence;
        return damaged(
                item, ES_DAMAGE_MISSING, offset, offset, expected, item->sequence - expected);
    }
    reader->place.offset += item->length;
    if (item->sequence < expected) {
        return damaged(item, ES_DAMAGE_REPEATED, offset, offset + item->length, item->sequence, 0);
    }
    /* behind the end no number is due */
    reader->place.sequence = item->kind == ES_RECORD_END ? UINT32_MAX : expected + 1;
    size_t size = (size_t)item->length - ES__RECORD_OVERHEAD;
    ES__ASSERT(item->length >= ES__RECORD_OVERHEAD && size <= ES__RECORD_PAYLOAD_MAX
                       && item->offset + item->length == reader->place.offset
                       && item->sequence == expected,
            item->offset, size);
    if (!read_content(reader, payload, size, item)) {
        return damaged(item, ES_DAMAGE_CONTENT, offset, offset + item->length, expected, 1);
    }
    return ES_OK;
}

/* --- the sum -------------------------------------------------------------------------------- */

static void sum_record(es__reader_summary *summary, const es_replay_item *item)
{
    summary->records += 1;
    summary->bytes_good = item->offset + item->length;
    if (item->kind == ES_RECORD_STEP) {
        summary->first_tick = summary->steps == 0 ? item->step.index : summary->first_tick;
        summary->last_tick = item->step.index;
        summary->steps += 1;
        summary->input_max = item->total > summary->input_max ? item->total : summary->input_max;
    }
    if (item->kind == ES_RECORD_END) {
        summary->ended = true;
        summary->end = *item->end;
        summary->end_tick = item->step.index;
    }
    if (item->kind == ES_RECORD_INDEX) {
        summary->index = (es__reader_place){item->offset, item->sequence};
    }
    summary->snapshots +=
            item->kind == ES_RECORD_SNAPSHOT && item->part + item->size == item->total;
    summary->frames += item->kind == ES_RECORD_FRAME;
    summary->hashes += item->kind == ES_RECORD_HASH;
    summary->events += item->kind == ES_RECORD_EVENT;
    summary->gaps += item->kind == ES_RECORD_GAP;
}

es_result es__reader_summarize(es__reader *reader, es__reader_summary *summary)
{
    es_replay_item item;
    memset(summary, 0, sizeof *summary);
    es__reader_go(reader, (es__reader_place){0, 0});
    for (;;) {
        es_result result = es__reader_next(reader, &item);
        summary->bytes = item.offset + item.length;
        if (result == ES_ERR_DAMAGED) {
            summary->first_damage = summary->damages == 0 ? item : summary->first_damage;
            summary->damages += 1;
        } else if (result != ES_OK || item.kind == ES_RECORD_NONE) {
            summary->input_max =
                    summary->input_max < summary->bytes ? summary->input_max : summary->bytes;
            es__reader_go(reader, (es__reader_place){0, 0});
            return result;
        } else {
            sum_record(summary, &item);
        }
    }
}

/* --- the outline ------------------------------------------------------------------------------ */

static es_result has_byte(const es_stream *source, uint64_t offset, bool *is_there)
{
    unsigned char byte;
    size_t got = 0;
    es_result result = source->read(source->user, offset, &byte, 1, &got);
    *is_there = result == ES_OK && got > 0;
    return result;
}

/* The size of the source: by a byte twice as far each time, then by halving. A source that fails has
 * none, and one that grows meanwhile has any of its sizes. */
static es_result find_size(const es_stream *source, uint64_t *size)
{
    uint64_t low = 0, high = 1; /* `low` bytes are there, `high` bytes are not */
    bool is_there = true;
    es_result result = ES_OK;
    while (result == ES_OK && is_there && high <= INT64_MAX) {
        result = has_byte(source, high - 1, &is_there);
        low = is_there ? high : low;
        high = is_there ? high * 2 : high;
    }
    while (result == ES_OK && low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        result = has_byte(source, middle - 1, &is_there);
        low = is_there ? middle : low;
        high = is_there ? high : middle;
    }
    ES__ASSERT(result != ES_OK || low + 1 == high, low, high);
    *size = low;
    return result;
}

/* A whole record of this kind, whose content makes sense. ES_ERR_DAMAGED: there is none. */
static es_result read_at(
        es__reader *reader, uint64_t offset, es_record_kind kind, es_replay_item *item)
{
    const unsigned char *payload;
    reader_found what;
    es_result result = find_at(reader, offset, item, &payload, &what);
    if (result != ES_OK) {
        return result;
    }
    bool is_whole = what == FOUND_RECORD && item->kind == kind
                    && read_content(
                            reader, payload, (size_t)item->length - ES__RECORD_OVERHEAD, item);
    return is_whole ? ES_OK : ES_ERR_DAMAGED;
}

/* The end, and the index before it. ES_ERR_DAMAGED: they are not there. */
static es_result read_ends(
        es__reader *reader, uint64_t bytes, es_replay_item *end, es_replay_item *index)
{
    uint64_t size = ES__RECORD_OVERHEAD + ES__END_SIZE + 8;
    if (reader->head_damaged || bytes < size) {
        return ES_ERR_DAMAGED;
    }
    es_result result = read_at(reader, bytes - size, ES_RECORD_END, end);
    if (result == ES_OK) {
        result = read_at(reader, end->part, ES_RECORD_INDEX, index);
    }
    bool fits = result == ES_OK && index->offset + index->length == end->offset
                && index->sequence + 1 == end->sequence;
    return result != ES_OK || fits ? result : ES_ERR_DAMAGED;
}

es_result es__reader_outline(es__reader *reader, es__reader_summary *summary)
{
    es_replay_item end, index;
    uint64_t bytes;
    es_result result = find_size(&reader->source, &bytes);
    if (result == ES_OK) {
        result = read_ends(reader, bytes, &end, &index);
    }
    if (result != ES_OK) {
        return result == ES_ERR_DAMAGED ? es__reader_summarize(reader, summary) : result;
    }
    *summary = (es__reader_summary){.bytes = bytes,
            .steps = reader->end.steps,
            .frames = reader->end.frames,
            .input_max = index.total < bytes ? index.total : bytes,
            .index = {index.offset, index.sequence},
            .last_tick = index.step.index,
            .ended = true,
            .end = reader->end,
            .end_tick = end.step.index};
    return ES_OK;
}
