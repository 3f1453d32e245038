/* SPDX-License-Identifier: Zlib
 *
 * Finding records in any bytes. A record's head has its length and a checksum of its own: the
 * length is used only if that is right. Behind damage the next whole record is looked for byte by
 * byte. What a sound head spans is skipped as a whole, so that each byte is read a bounded number
 * of times.
 */
#include "reader_parts.h"

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
            "%llu of %zu", (unsigned long long)skip, reader->window_used);
    *bytes = reader->window + skip;
    *got = reader->window_used - (size_t)skip;
    return ES_OK;
}

static es_result check_head(const unsigned char *head, size_t got, es_error *error)
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
    if (es__get_u16(head + 8) != ES_RECORD_FORMAT) {
        return es__refuse_as(
                error, ES_ERR_UNSUPPORTED, "head", "is of a format that is not known here");
    }
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

static es_result any_record(es__reader *reader, bool *found);

es_result es__reader_open(es__reader *reader, const es_stream *source, void *memory,
        size_t memory_size, es_error *error)
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

es__reader_place es__reader_at(const es__reader *reader)
{
    return reader->place;
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
    ES__ASSERT(from <= to && damage != ES_DAMAGE_NONE, "%llu to %llu", (unsigned long long)from,
            (unsigned long long)to);
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
            "%llu, %zu", (unsigned long long)item->offset, size);
    if (!es__reader_content(reader, payload, size, item)) {
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
        ES__ASSERT(summary->bytes_good <= summary->bytes || result != ES_OK, "%llu",
                (unsigned long long)summary->bytes);
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

static bool has_byte(const es_stream *source, uint64_t offset)
{
    unsigned char byte;
    size_t got;
    return source->read(source->user, offset, &byte, 1, &got) == ES_OK && got > 0;
}

/* The size of the source: by a byte twice as far each time, then by halving. */
static uint64_t find_size(const es_stream *source)
{
    uint64_t low = 0, high = 1; /* `low` bytes are there, `high` bytes are not */
    while (high <= INT64_MAX && has_byte(source, high - 1)) {
        low = high;
        high *= 2;
    }
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        bool is_there = has_byte(source, middle - 1);
        low = is_there ? middle : low;
        high = is_there ? high : middle;
    }
    ES__ASSERT(low + 1 == high && (low == 0 || has_byte(source, low - 1)) && !has_byte(source, low),
            "%llu", (unsigned long long)low);
    return low;
}

/* Whether a whole record of this kind, whose content makes sense, is there. */
static bool read_at(es__reader *reader, uint64_t offset, es_record_kind kind, es_replay_item *item)
{
    const unsigned char *payload;
    reader_found what;
    return find_at(reader, offset, item, &payload, &what) == ES_OK && what == FOUND_RECORD
           && item->kind == kind
           && es__reader_content(reader, payload, (size_t)item->length - ES__RECORD_OVERHEAD, item);
}

es_result es__reader_outline(es__reader *reader, es__reader_summary *summary)
{
    es_replay_item end, index;
    uint64_t bytes = find_size(&reader->source), size = ES__RECORD_OVERHEAD + ES__END_SIZE + 8;
    if (reader->head_damaged || bytes < size || !read_at(reader, bytes - size, ES_RECORD_END, &end)
            || !read_at(reader, end.part, ES_RECORD_INDEX, &index)
            || index.offset + index.length != end.offset || index.sequence + 1 != end.sequence) {
        return es__reader_summarize(reader, summary);
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
