/* SPDX-License-Identifier: Zlib */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE   200809L

#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

int replay_failed_to_read(const char *path, const char *why)
{
    return replay_failed("cannot read '%s': %s", path, why);
}

int replay_out_of_memory(void)
{
    return replay_failed("out of memory");
}

/* --- the file --------------------------------------------------------------------------------- */

/* Before it is opened: opening a pipe waits for a writer. */
static int check_kind(replay_file *file, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return replay_failed_to_read(path, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return replay_failed_to_read(path, "it is a directory");
    }
    if (!S_ISREG(status.st_mode)) {
        return replay_failed_to_read(
                path, "it is no regular file, and reading goes back and forth");
    }
    if (status.st_size == 0) {
        return replay_failed("'%s' is not an Evenstep recording: it is empty", path);
    }
    file->size = (uint64_t)status.st_size;
    return TOOL_OK;
}

static int open_file(replay_file *file, const char *path)
{
    file->replay = es_replay_open(path, NULL, NULL);
    if (file->replay != NULL) {
        return TOOL_OK;
    }
    const char *head = strstr(es_get_error(), ".head: ");
    if (head != NULL) {
        return replay_failed(
                "'%s' is not an Evenstep recording: its head %s", path, tool_error_reason());
    }
    return replay_failed_to_read(path, tool_error_reason());
}

/* --- the header ------------------------------------------------------------------------------- */

static char *copy(const char *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (text != NULL) {
        memcpy(text, bytes, size);
        text[size] = '\0';
    }
    return text;
}

/* False: out of memory. */
static bool set_text(replay_text *text, const char *name, const char *bytes, size_t size)
{
    *text = (replay_text){copy(name, strlen(name)), copy(bytes, size)};
    return text->name != NULL && text->text != NULL;
}

static bool add_field(replay_header *header, const es_replay_item *item)
{
    char text[96];
    const es_field *field = item->field;
    if (header->field_count == ES_RECORD_FIELDS_MAX) {
        return true;
    }
    snprintf(text, sizeof text, "%s x %zu, objects: %zu, group %" PRId32,
            replay_type_name(field->type), field->components, field->count, field->group);
    size_t at = header->field_count++;
    header->fields[at] = (replay_field){
            field->type, field->group, field->count, field->components, item->sequence};
    return set_text(&header->field_texts[at], field->name, text, strlen(text));
}

static bool add_tag(replay_header *header, const es_replay_item *item)
{
    return header->tag_count == ES_RECORD_TAGS_MAX
           || set_text(&header->tags[header->tag_count++], item->field->name,
                   (const char *)item->bytes, item->size);
}

static uint64_t field_size(const replay_field *field)
{
    uint64_t number = (uint64_t)ES_TYPE_SIZE(field->type) * field->components;
    return field->count > UINT64_MAX / number ? 0 : field->count * number;
}

static void add_group(replay_header *header, int32_t group)
{
    for (size_t i = 0; i < header->group_count; ++i) {
        if (header->groups[i] == group) {
            return;
        }
    }
    header->groups[header->group_count++] = group;
}

/* Whether all fields are here, in their places, and as large as the run says. */
static void check_header(replay_header *header)
{
    bool in_place = true, fits = true;
    for (size_t i = 0; i < header->field_count; ++i) {
        const replay_field *field = &header->fields[i];
        uint64_t size = field_size(field);
        fits = fits && size > 0 && size <= UINT64_MAX - header->packed_size;
        header->packed_size += fits ? size : 0;
        in_place = in_place && field->sequence == i + 1;
        add_group(header, field->group);
    }
    header->packed_size = fits ? header->packed_size : 0;
    header->is_whole = header->has_run && in_place && fits
                       && header->field_count == header->run.field_count
                       && header->packed_size == header->run.packed_size;
}

static bool add_to_header(replay_header *header, const es_replay_item *item)
{
    if (item->kind == ES_RECORD_RUN && !header->has_run && item->sequence == 0) {
        header->has_run = true;
        header->run = *item->run;
    }
    return (item->kind != ES_RECORD_FIELD || add_field(header, item))
           && (item->kind != ES_RECORD_TAG || add_tag(header, item));
}

/* Up to the first record that belongs to no header. Damage is skipped. */
static int read_header(replay_file *file)
{
    replay_header *header = &file->header;
    es_replay_item item;
    int status = TOOL_OK;
    header->fields = calloc(ES_RECORD_FIELDS_MAX, sizeof *header->fields);
    header->field_texts = calloc(ES_RECORD_FIELDS_MAX, sizeof *header->field_texts);
    header->groups = calloc(ES_RECORD_FIELDS_MAX, sizeof *header->groups);
    header->tags = calloc(ES_RECORD_TAGS_MAX, sizeof *header->tags);
    if (header->fields == NULL || header->field_texts == NULL || header->groups == NULL
            || header->tags == NULL) {
        return replay_out_of_memory();
    }
    es_replay_seek_item(file->replay, NULL);
    while (replay_next(file, &item, &status)) {
        bool belongs = item.damage != ES_DAMAGE_NONE || item.kind == ES_RECORD_RUN
                       || item.kind == ES_RECORD_FIELD || item.kind == ES_RECORD_TAG;
        if (!belongs) {
            break;
        }
        if (!add_to_header(header, &item)) {
            return replay_out_of_memory();
        }
    }
    check_header(header);
    return status;
}

int replay_open(replay_file *file, const char *path)
{
    *file = (replay_file){.path = path};
    int status = check_kind(file, path);
    if (status == TOOL_OK) {
        status = open_file(file, path);
    }
    return status == TOOL_OK ? read_header(file) : status;
}

static void free_texts(replay_text *texts, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        free(texts[i].name);
        free(texts[i].text);
    }
    free(texts);
}

void replay_close(replay_file *file)
{
    replay_header *header = &file->header;
    free_texts(header->field_texts, header->field_count);
    free_texts(header->tags, header->tag_count);
    free(header->fields);
    free(header->groups);
    es_replay_close(file->replay);
    *file = (replay_file){0};
}

/* In a word of ES_RECORD_HASH_NAMES: the lowest field with a bit that differs. */
static size_t named_field(const replay_header *header, size_t word, uint64_t differing)
{
    size_t bits = header->field_count < 8 ? 64 / header->field_count : 8, field = 8 * word;
    for (; differing << (64 - bits) == 0; differing >>= bits) {
        field += 1;
    }
    return field;
}

char *replay_hash_name(const replay_header *header, size_t index, uint64_t differing)
{
    char text[REPLAY_NUMBER];
    es_record_hashes hashes = header->has_run ? header->run.config.hashes : ES_RECORD_HASH_NONE;
    bool is_state = hashes == ES_RECORD_HASH_WHOLE || hashes == ES_RECORD_HASH_NAMES;
    size_t field = index;
    if (hashes == ES_RECORD_HASH_NAMES && index > 0 && differing != 0 && header->is_whole) {
        field = named_field(header, index - 1, differing);
        hashes = ES_RECORD_HASH_FIELDS;
    }
    if (hashes == ES_RECORD_HASH_FIELDS && header->is_whole && field < header->field_count) {
        return tool_escape(header->field_texts[field].name);
    }
    if (hashes == ES_RECORD_HASH_GROUPS && header->is_whole && index < header->group_count) {
        snprintf(text, sizeof text, "group %ld", (long)header->groups[index]);
    } else if (is_state && index == 0) {
        snprintf(text, sizeof text, "state");
    } else {
        snprintf(text, sizeof text, "hash %zu", index);
    }
    return copy(text, strlen(text));
}

/* --- walking ---------------------------------------------------------------------------------- */

bool replay_next(replay_file *file, es_replay_item *item, int *status)
{
    bool there = es_replay_next_item(file->replay, item);
    if (!there && es_replay_get_status(file->replay).result != ES_ERR_STATE) {
        *status = replay_failed_to_read(file->path, tool_error_reason());
    }
    return there;
}

uint64_t replay_hash_at(const es_replay_item *item, uint64_t index)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < 8; ++i) {
        hash |= (uint64_t)item->bytes[8 * index + i] << 8 * i;
    }
    return hash;
}

int64_t replay_gap_end(const es_replay_item *item)
{
    return (int64_t)((uint64_t)item->step.index + item->total - 1);
}
