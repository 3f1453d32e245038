/* SPDX-License-Identifier: Zlib
 *
 * The configuration of a recording, its checks, and the records that describe it.
 */
#include "record_parts.h"
#include "state_parts.h"
#include "world/field.h"

enum { FLUSH_EVERY = 10 };

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
static es_result open_header(
        es__record *record, bool copy, es_record_kind kind, size_t size, unsigned char **at)
{
    if (!copy) {
        return es__batch_open(record, kind, size, at);
    }
    es_result result = es__batch_open(record, ES_RECORD_COPY, ES__COPY_SIZE + size, at);
    if (result == ES_OK) {
        *at = es__put_u32(*at, (uint32_t)kind);
    }
    return result;
}

static es_result put_run(es__record *record, bool copy)
{
    const es__record_config *config = &record->config;
    unsigned char *at;
    es_result result = open_header(record, copy, ES_RECORD_RUN, ES__RUN_SIZE, &at);
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
    (void)es__put_u64(at, record->library);
    es__batch_close(record);
    return ES_OK;
}

static es_result put_field(es__record *record, bool copy, const es_field *field)
{
    size_t name_size = strlen(field->name);
    unsigned char *at;
    es_result result = open_header(record, copy, ES_RECORD_FIELD, ES__FIELD_SIZE + name_size, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_u32(at, (uint32_t)field->type);
    at = es__put_i32(at, field->group);
    at = es__put_u64(at, field->count);
    at = es__put_u32(at, (uint32_t)(field->components != 0 ? field->components : 1));
    at = es__put_u32(at, (uint32_t)name_size);
    memcpy(at, field->name, name_size);
    es__batch_close(record);
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

es_result es__record_copies(es__record *record)
{
    return put_run_and_fields(record, true);
}

static es_result put_tag(es__record *record, const char *name, const char *text)
{
    size_t name_size = strlen(name), text_size = strlen(text);
    unsigned char *at;
    es_result result =
            es__batch_open(record, ES_RECORD_TAG, ES__TAG_SIZE + name_size + text_size, &at);
    if (result != ES_OK) {
        return result;
    }
    at = es__put_u32(at, (uint32_t)name_size);
    at = es__put_u32(at, (uint32_t)text_size);
    memcpy(at, name, name_size);
    memcpy(at + name_size, text, text_size);
    es__batch_close(record);
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
