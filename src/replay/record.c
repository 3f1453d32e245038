/* SPDX-License-Identifier: Zlib
 *
 * Recording: the batch, the header, when which records are written, gaps, and the end.
 */
#include "record.h"

#include "read.h"
#include "world/field.h"

/* Ticks, by default: that the batch may hold; and from one snapshot to the next, a second and a minute
 * of 60 ticks per second. */
enum { FLUSH_EVERY = 10 };
enum { SNAPSHOT_FIRST = 60, SNAPSHOT_LAST = 3600 };

/* --- the batch: records are made where they lie, and go to the sink together -------------------- */

static size_t batch_room(const es__record *record)
{
    return record->batch_size - record->batch_used;
}

/* Offers the batch to the sink, ES_RECORD_SIZE_MAX bytes at most at once. ES_ERR_FULL: what is left
 * stays in the batch. Other failures end the recording. */
static es_result send_batch(es__record *record)
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
    ES__ASSERT(sent == record->batch_used || result != ES_OK, sent, record->batch_used);
    ES__BEFORE(const size_t used = record->batch_used);
    record->counts.bytes += sent;
    record->batch_used -= sent;
    ES__CHECK(ES__ASSERT_IS(record->batch_used, ==, used - sent));
    if (sent > 0 && record->batch_used > 0) {
        memmove(record->batch, record->batch + sent, record->batch_used);
    }
    if (result != ES_OK && result != ES_ERR_FULL) {
        record->counts.failed = result;
    }
    return result;
}

/* Opens a record, whose payload of this size is then written from *at on. An error: nothing is open. */
static es_result open_record(
        es__record *record, es_record_kind kind, size_t size, unsigned char **at)
{
    if (record->sequence == UINT32_MAX) { /* each record has a number of its own */
        if (record->counts.failed == ES_OK) {
            record->counts.failed = ES_ERR_RANGE;
        }
        return ES_ERR_RANGE;
    }
    if (size + ES__RECORD_OVERHEAD > batch_room(record)) {
        es_result result = send_batch(record);
        bool fits = size + ES__RECORD_OVERHEAD <= batch_room(record);
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

#if ES__ASSERTS
static bool same_members(const char *a, const char *b, const es__member *m, size_t count)
{
    for (; count > 0 && memcmp(a + m->offset, b + m->offset, m->size) == 0; ++m) {
        count -= 1;
    }
    return count == 0;
}

static bool same_run(const es__record *record, const es_replay_run *run)
{
    const es__record_config *mine = &record->config;
    return es__is_same_rate(run->config.tick_rate, mine->tick_rate)
           && run->config.seed == mine->seed && run->config.hashes == mine->hashes
           && run->config.hash_every == mine->hash_every
           && run->config.snapshot_every == mine->snapshot_every
           && run->packed_size == record->packed_size && run->hash_count == record->hash_count
           && run->field_count == mine->layout->field_count
           && run->self_test[0] == record->arithmetic && run->self_test[1] == record->library;
}

static bool same_field(const es_field *a, const es_field *b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->group == b->group
           && a->count == b->count && a->components == es__components(b);
}

static bool same_readings(const es__record *record, const es_replay_item *item)
{
    es__reader_readings readings = es__reader_get_readings(item);
    es__reading_kind kind;
    int64_t value_ns;
    bool same = readings.left == record->readings && readings.clock_has == record->clock_has;
    while (es__reader_next_reading(&readings, &kind, &value_ns)) {
    }
    return same && memcmp(readings.last, record->reading_last, sizeof readings.last) == 0;
}

/* Its snapshots follow each other. */
static bool same_index(const es__record *record, const es_replay_item *item)
{
    es__index_entry entry, before = {INT64_MIN, 0, 0};
    bool same = item->total == record->input_max && item->step.index == record->tick_written;
    for (size_t i = 0; i < item->count; ++i, before = entry) {
        entry = es__reader_get_entry(item, i);
        same = same && entry.tick > before.tick && entry.offset > before.offset
               && entry.sequence > before.sequence && entry.sequence < record->sequence;
    }
    return same;
}

static bool same_end(const es__record *record, const es_replay_item *item)
{
    const es_record_status *end = item->end;
    return end->steps == record->counts.steps && end->frames == record->counts.frames
           && end->ticks_lost == record->counts.ticks_lost && end->result == record->counts.failed
           && item->part == record->index_offset;
}

/* Whether a reader found what was to be written. source: of a field, a step, a frame. */
static bool is_as_meant(const es__record *record, const es_replay_item *item, const void *source)
{
    switch (item->kind) {
    case ES_RECORD_RUN:
        return same_run(record, item->run);
    case ES_RECORD_FIELD:
        return same_field(item->field, source);
    case ES_RECORD_STEP:
        return same_members((const char *)&item->step, source, es__step_members, ES__STEP_MEMBERS);
    case ES_RECORD_FRAME:
        return same_members(
                (const char *)item->frame, source, es__report_members, ES__REPORT_MEMBERS);
    case ES_RECORD_READINGS:
        return same_readings(record, item);
    case ES_RECORD_INDEX:
        return same_index(record, item);
    case ES_RECORD_SNAPSHOT:
        return item->total == record->packed_size && item->step.index == record->tick;
    case ES_RECORD_HASH:
        return item->count == record->hash_count && item->step.index == record->tick;
    case ES_RECORD_GAP:
        return item->step.index == record->gap_first && item->count == record->gap_records
               && item->total == (uint64_t)(record->gap_last - record->gap_first) + 1;
    case ES_RECORD_END:
        return same_end(record, item) && item->step.index == record->tick;
    default:
        return item->kind == ES_RECORD_TAG || item->step.index == record->tick;
    }
}

/* The open record, as a reader finds it. A frame may be the program's own, and make no sense. */
static void check_record(es__record *record, size_t size, const void *source)
{
    unsigned char *head = record->batch + record->batch_used;
    es__reader reader = {.window = head, .window_size = size, .window_used = size};
    es_replay_item item, original;
    reader.place.sequence = record->sequence;
    es_result result = es__reader_next(&reader, &item);
    bool copied = es__reader_get_copy(&reader, &item, &original);
    ES__ASSERT_IS(item.length, ==, size);
    ES__ASSERT(head[2] == ES_RECORD_FRAME || result == ES_OK, result, head[2]);
    ES__ASSERT(result != ES_OK || is_as_meant(record, copied ? &original : &item, source), head[2]);
}
#endif

static void close_record(es__record *record, const void *source)
{
    (void)source; /* only a check needs it */
    unsigned char *head = record->batch + record->batch_used;
    size_t size = ES__RECORD_HEAD_SIZE + es__get_u32(head + 4);
    (void)es__put_u32(head + size, es__crc32c(0, head, size));
    ES__ASSERT_IS(size + 4, <=, batch_room(record));
    ES__CHECK(check_record(record, size + 4, source));
    record->batch_used += size + 4;
    record->sequence += 1;
    record->counts.records += 1;
}

static unsigned char *put_bytes(unsigned char *at, const void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(at, bytes, size);
    }
    return at + size;
}

/* --- configuration ------------------------------------------------------------------------------ */
/* tags: may be NULL. */
static size_t count_tags(const char *const *tags)
{
    size_t count = 0;
    while (tags != NULL && count <= ES_RECORD_TAGS_MAX && tags[2 * count] != NULL
            && tags[2 * count + 1] != NULL) {
        count += 1;
    }
    return count;
}

static const char *refused_tag(const char *const *tags)
{
    size_t count = count_tags(tags);
    if (count > ES_RECORD_TAGS_MAX) {
        return "are more than ES_RECORD_TAGS_MAX";
    }
    if (tags != NULL && tags[2 * count] != NULL) {
        return "end with a name without a text";
    }
    for (size_t i = 0; i < count; ++i) {
        if (tags[2 * i][0] == '\0' || strlen(tags[2 * i]) > ES__RECORD_NAME_MAX) {
            return "have a name that is empty or longer than 255 bytes";
        }
        if (strlen(tags[2 * i + 1]) > ES__RECORD_TEXT_MAX) {
            return "have a text that is longer than 4095 bytes";
        }
    }
    return NULL;
}

static es_result validate_layout(const es_layout *layout, es__error *error)
{
    if (layout == NULL) {
        return es__refuse(error, "layout", "is NULL");
    }
    if (layout->field_count > ES_RECORD_FIELDS_MAX) {
        return es__refuse(error, "layout", "has over ES_RECORD_FIELDS_MAX fields");
    }
    es_result result = es__layout_validate(layout, error);
    for (size_t i = 0; result == ES_OK && i < layout->field_count; ++i) {
        if (strlen(layout->fields[i].name) > ES__RECORD_NAME_MAX) {
            result = es__refuse(error, layout->fields[i].name, "has a name longer than 255 bytes");
        }
    }
    return result;
}

es_result es__record_check(const es__record_config *config, es__error *error)
{
    es_result result = validate_layout(config->layout, error);
    if (result != ES_OK) {
        return result;
    }
    bool varies = config->tick_rate.numerator == 0 && config->tick_rate.denominator == 0;
    if (!varies && !es__rate_is_valid(config->tick_rate)) {
        return es__refuse_rate(
                error, "tick_rate", config->tick_rate, "is neither {0, 0} nor a valid rate");
    }
    const char *tag = refused_tag(config->tags);
    const es__rule rules[] = {
            {config->stream.write == NULL, "stream", "has no function write"},
            {tag != NULL, "tags", tag},
            {(int)config->hashes < 0 || config->hashes > ES_RECORD_HASH_GROUPS, "hashes",
                    "is no es_record_hashes"},
            {config->hash_every < 0, "hash_every", "is below 0"},
            {config->flush_every < 0, "flush_every", "is below 0"},
    };
    es__refuse_as(error, ES_OK, NULL, NULL);
    return ES__REFUSE_BROKEN(error, rules);
}

/* --- the records of a header ------------------------------------------------------------------ */

/* Opens a record of the header, or a copy of it. */
static es_result open_in_header(
        es__record *record, bool copy, es_record_kind kind, size_t size, unsigned char **at)
{
    es_result result = copy ? open_record(record, ES_RECORD_COPY, ES__COPY_SIZE + size, at)
                            : open_record(record, kind, size, at);
    if (result == ES_OK && copy) {
        *at = es__put_u32(*at, (uint32_t)kind);
    }
    return result;
}

static es_result put_run(es__record *record, bool copy)
{
    const es__record_config *config = &record->config;
    unsigned char *at;
    es_result result = open_in_header(record, copy, ES_RECORD_RUN, ES__RUN_SIZE, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_u16(at, ES_VERSION_MAJOR);
    at = es__put_u16(at, ES_VERSION_MINOR);
    at = es__put_u16(at, ES_VERSION_PATCH);
    at = es__put_u16(at, 0);
    at = es__put_u32(at, config->tick_rate.numerator);
    at = es__put_u32(at, config->tick_rate.denominator);
    at = es__put_u64(at, config->seed);
    at = es__put_u64(at, record->packed_size);
    at = es__put_u32(at, (uint32_t)config->layout->field_count);
    at = es__put_u32(at, record->tag_count);
    at = es__put_u32(at, es__record_hashes_number((uint32_t)config->hashes));
    at = es__put_u32(at, (uint32_t)record->hash_count);
    at = es__put_i32(at, config->hash_every);
    at = es__put_i32(at, config->snapshot_every);
    at = es__put_u64(at, record->arithmetic);
    at = es__put_u64(at, record->library);
    close_record(record, NULL);
    return ES_OK;
}

static es_result put_field(es__record *record, bool copy, const es_field *field)
{
    size_t name_size = strlen(field->name);
    unsigned char *at;
    es_result result =
            open_in_header(record, copy, ES_RECORD_FIELD, ES__FIELD_SIZE + name_size, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_u32(at, (uint32_t)field->type);
    at = es__put_i32(at, field->group);
    at = es__put_u64(at, field->count);
    at = es__put_u32(at, (uint32_t)es__components(field));
    at = es__put_u32(at, (uint32_t)name_size);
    (void)put_bytes(at, field->name, name_size);
    close_record(record, field);
    return ES_OK;
}

static es_result put_run_and_fields(es__record *record, bool copy)
{
    es_result result = put_run(record, copy);
    for (size_t i = 0; result == ES_OK && i < record->config.layout->field_count; ++i) {
        result = put_field(record, copy, &record->config.layout->fields[i]);
    }
    return result;
}

static es_result put_tag(es__record *record, const char *name, const char *text)
{
    size_t name_size = strlen(name), text_size = strlen(text);
    unsigned char *at;
    es_result result =
            open_record(record, ES_RECORD_TAG, ES__TAG_SIZE + name_size + text_size, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_u32(at, (uint32_t)name_size);
    at = es__put_u32(at, (uint32_t)text_size);
    at = put_bytes(at, name, name_size);
    (void)put_bytes(at, text, text_size);
    close_record(record, NULL);
    return ES_OK;
}

static es_result put_header(es__record *record)
{
    unsigned char *head = record->batch, *at;
    memcpy(head, es__magic, sizeof es__magic);
    at = es__put_u16(head + sizeof es__magic, ES_RECORD_FORMAT);
    at = es__put_u16(at, 0);
    (void)es__put_u32(at, es__crc32c(0, head, ES__HEAD_SIZE - 4));
    record->batch_used = ES__HEAD_SIZE;
    es_result result = put_run_and_fields(record, false);
    for (size_t i = 0; result == ES_OK && i < record->tag_count; ++i) {
        result = put_tag(record, record->config.tags[2 * i], record->config.tags[2 * i + 1]);
    }
    return result;
}

es_result es__record_init(es__record *record, const es__record_config *config, void *memory,
        size_t memory_size, es__error *error)
{
    memset(record, 0, sizeof *record);
    record->config = *config;
    record->config.hash_every = config->hash_every != 0 ? config->hash_every : 1;
    record->config.flush_every = config->flush_every != 0 ? config->flush_every : FLUSH_EVERY;
    record->batch = memory;
    record->batch_size = memory_size;
    record->packed_size = es__state_packed_size(config->layout);
    record->hash_count = es__record_hash_count(config->layout, config->hashes);
    record->tag_count = (uint32_t)count_tags(config->tags);
    es__state_self_test test = es__state_self_test_run();
    record->arithmetic = test.arithmetic;
    record->library = test.library;
    es_result result = put_header(record);
    if (result != ES_OK) {
        record->counts.failed = result;
        return es__refuse_as(error, result, "stream", "does not take the header");
    }
    record->config.tags = NULL; /* the caller may free them */
    return ES_OK;
}

/* --- losses ------------------------------------------------------------------------------------- */

/* A record was not written. ES_ERR_FULL begins a gap, or before the start ends the recording. */
static es_result record_lose(es__record *record, es_result result)
{
    record->counts.records_lost += 1;
    if (result != ES_ERR_FULL) {
        return result; /* open_record or send_batch has set counts.failed */
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

/* Whether readings may be kept: also before the start. */
static es_result ready_to_read(const es__record *record)
{
    if (record->counts.failed != ES_OK) {
        return record->counts.failed;
    }
    return record->ended ? ES_ERR_STATE : ES_OK;
}

/* Whether a record may be written. */
static es_result ready(const es__record *record)
{
    es_result result = ready_to_read(record);
    return result == ES_OK && !record->started ? ES_ERR_STATE : result;
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
            open_record(record, ES_RECORD_INDEX, ES__INDEX_SIZE + count * ES__ENTRY_SIZE, &at);
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
    }
    close_record(record, NULL);
    return ES_OK;
}

static es_result put_parts(es__record *record, int64_t tick, int64_t time_ns, const void *state)
{
    uint64_t total = record->packed_size, most = ES__RECORD_PAYLOAD_MAX - ES__SNAPSHOT_SIZE;
    for (uint64_t offset = 0; offset < total; offset += most) {
        size_t some = (size_t)(total - offset < most ? total - offset : most);
        unsigned char *at;
        es_result result = open_record(record, ES_RECORD_SNAPSHOT, ES__SNAPSHOT_SIZE + some, &at);
        if (result != ES_OK) {
            return result;
        }
        at = es__put_i64(at, tick);
        at = es__put_i64(at, time_ns);
        at = es__put_u64(at, offset);
        at = es__put_u64(at, total);
        (void)es__state_pack(record->config.layout, state, offset, at, some);
        close_record(record, NULL);
    }
    return ES_OK;
}

static es_result put_snapshot(es__record *record, int64_t tick, int64_t time_ns, const void *state)
{
    uint32_t number = (uint32_t)record->counts.snapshots;
    es_result result = number > 0 ? put_index(record) : ES_OK;
    if (result != ES_OK) {
        return result;
    }
    es__index_entry entry = {tick, record->index_offset, record->sequence - 1};
    result = put_parts(record, tick, time_ns, state);
    if (result != ES_OK) {
        return result;
    }
    if (number > 0) {
        record->index[es__count_bits(number) - 1] = entry;
    }
    record->counts.snapshots += 1;
    result = number % ES__COPY_EVERY == 0 ? put_run_and_fields(record, true) : ES_OK;
    record->snapshot_tick = tick;
    record->snapshot_end = offset_of_next(record);
    record->snapshot_size = record->snapshot_end - (number > 0 ? entry.offset : 0);
    ES__ASSERT_IS(record->counts.snapshots, ==, number + UINT64_C(1));
    return result;
}

static es_result put_hashes(es__record *record, int64_t tick, const void *state)
{
    unsigned char *at;
    es_result result =
            open_record(record, ES_RECORD_HASH, ES__HASH_SIZE + 8 * record->hash_count, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_i64(at, tick);
    es__record_put_hashes(record->config.layout, record->config.hashes, state, at);
    close_record(record, NULL);
    return ES_OK;
}

/* The readings that were kept are written, or lost. */
static void forget_readings(es__record *record)
{
    memcpy(record->reading_first, record->reading_last, sizeof record->reading_first);
    record->readings = 0;
    record->readings_used = 0;
}

static es_result put_readings(es__record *record)
{
    unsigned char *at;
    if (record->in_gap || record->readings == 0) {
        return record->in_gap ? ES_ERR_FULL : ES_OK;
    }
    es_result result =
            open_record(record, ES_RECORD_READINGS, ES__READINGS_SIZE + record->readings_used, &at);
    if (result == ES_OK) {
        at = es__put_u16(at, record->readings);
        at = es__put_u16(at, record->clock_has);
        for (int kind = 0; kind < ES__READING_BASES; ++kind) {
            at = es__put_i64(at, record->reading_first[kind]);
        }
        at = put_bytes(at, record->reading_bytes, record->readings_used);
        close_record(record, NULL);
    }
    forget_readings(record);
    return result;
}

static es_result put_gap(es__record *record)
{
    unsigned char *at;
    es_result result = open_record(record, ES_RECORD_GAP, ES__GAP_SIZE, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_i64(at, record->gap_first);
    at = es__put_i64(at, record->gap_last);
    (void)es__put_u64(at, record->gap_records);
    close_record(record, NULL);
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

/* The input goes into one record, or into as many as it needs. */
es_result es__record_step(
        es__record *record, const es_step *step, const void *input, size_t input_size)
{
    unsigned char *at;
    size_t done, some, most = ES__RECORD_PAYLOAD_MAX - ES__STEP_SIZE;
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
    if (record->in_gap) {
        return record_lose(record, ES_ERR_FULL);
    }
    done = input_size < most ? input_size : most;
    result = open_record(record, ES_RECORD_STEP, ES__STEP_SIZE + done, &at);
    if (result == ES_OK) {
        at = es__put_members(at, step, es__step_members, ES__STEP_MEMBERS);
        at = es__put_u32(at, (uint32_t)input_size);
        (void)put_bytes(at, input, done);
        close_record(record, step);
        record->counts.steps += 1;
        record->tick_written = step->index;
        record->input_max = input_size > record->input_max ? input_size : record->input_max;
    }
    most = ES__RECORD_PAYLOAD_MAX - ES__INPUT_SIZE;
    for (; result == ES_OK && done < input_size; done += some) {
        some = input_size - done < most ? input_size - done : most;
        result = open_record(record, ES_RECORD_INPUT, ES__INPUT_SIZE + some, &at);
        if (result == ES_OK) {
            at = es__put_i64(at, step->index);
            at = es__put_u32(at, (uint32_t)done);
            at = es__put_u32(at, (uint32_t)input_size);
            at = put_bytes(at, (const unsigned char *)input + done, some);
            close_record(record, NULL);
        }
    }
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
    ES__ASSERT(ticks >= 0 && offset_of_next(record) >= record->snapshot_end, ticks);
    uint64_t bytes = offset_of_next(record) - record->snapshot_end;
    if (record->config.snapshot_every != 0) {
        return record_is_due(record, record->config.snapshot_every);
    }
    return ticks >= SNAPSHOT_LAST
           || (ticks >= SNAPSHOT_FIRST && bytes / 4 >= record->snapshot_size);
}

static void end_gap(es__record *record)
{
    record->counts.ticks_lost += (uint64_t)(record->gap_last - record->gap_first) + 1;
    record->in_gap = false;
}

/* A gap ends with the state to go on from. If only parts of the snapshot fit, the gap goes on, and
 * the reader finds the snapshot incomplete. */
static es_result go_on(es__record *record, const es_step *step, const void *state)
{
    es_result result = es__record_flush(record);
    if (result == ES_OK) {
        result = put_gap(record);
    }
    if (result == ES_OK) {
        result = put_snapshot(record, step->index, step->time_ns, state);
    }
    if (result != ES_OK) {
        return result;
    }
    record->counts.records_lost += record->readings > 0;
    forget_readings(record); /* those of the gap, whose frames are not there either */
    end_gap(record);
    return ES_OK;
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
        return go_on(record, step, state);
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
            record->tick);
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
    result = put_readings(record);
    if (result == ES_OK) {
        result = open_record(record, ES_RECORD_FRAME, ES__FRAME_SIZE, &at);
    }
    if (result != ES_OK) {
        return record_lose(record, result);
    }
    at = es__put_members(at, report, es__report_members, ES__REPORT_MEMBERS);
    close_record(record, report);
    record->counts.frames += 1;
    return ES_OK;
}

es_result es__record_reading(es__record *record, es__reading_kind kind, int64_t value_ns)
{
    es_result result = ready_to_read(record);
    if (result != ES_OK) {
        return result;
    }
    if (sizeof record->reading_bytes - record->readings_used < ES__READING_MAX) {
        result = put_readings(record);
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
    record->reading_last[kind] = kind < ES__READING_VALUE ? value_ns : 0;
    record->readings += 1;
    record->readings_used = (size_t)(at - record->reading_bytes);
    return ES_OK;
}

es_result es__record_clock(es__record *record, uint32_t has)
{
    es_result result = ready_to_read(record);
    if (result != ES_OK) {
        return result;
    }
    if (has != record->clock_has && record->readings > 0) {
        result = put_readings(record);
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
                            : open_record(record, ES_RECORD_EVENT, ES__EVENT_SIZE + size, &at);
    if (result != ES_OK) {
        return record_lose(record, result);
    }
    at = es__put_u32(es__put_i64(at, record->tick), kind);
    (void)put_bytes(at, bytes, size);
    close_record(record, NULL);
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
    es_result result = send_batch(record);
    record->ticks_held = result == ES_OK ? 0 : record->ticks_held;
    ES__ASSERT(record->ticks_held == 0 || record->batch_used > 0, record->ticks_held, result);
    return result;
}

static es_result put_end(es__record *record)
{
    unsigned char *at;
    es_result result = record->in_gap ? put_gap(record) : put_readings(record);
    if (result == ES_OK && record->in_gap) {
        end_gap(record);
    }
    if (result == ES_OK && record->counts.snapshots > 0) {
        result = put_index(record);
    }
    if (result == ES_OK) {
        result = open_record(record, ES_RECORD_END, ES__END_SIZE + 8, &at);
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
    close_record(record, NULL);
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
    return record->counts;
}
