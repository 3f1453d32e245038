/* SPDX-License-Identifier: Zlib */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE   200809L
#include "evenstep/bytes.h"
#include "evenstep/layout.h"
#include "evenstep/reader.h"
#include "evenstep/record.h"

#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WINDOW = 1 << 20, HEAD = 16 };

int replay_failed_to_read(const char *path, const char *why)
{
    (void)tool_fail("replay", "cannot read '%s': %s", path, why);
    return REPLAY_UNREADABLE;
}

int replay_out_of_memory(void)
{
    (void)tool_fail("replay", "out of memory");
    return REPLAY_UNREADABLE;
}

/* --- the file --------------------------------------------------------------------------------- */

/* The file's own bytes; a damaged head is replaced: all files of this format have the same one. */
static es_result read_mended(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    static const unsigned char head[HEAD] = {0x89, 'E', 'V', 'S', '\r', '\n', 0x1A, '\n',
            ES_RECORD_FORMAT, 0, 0, 0, 0xFF, 0xA8, 0xBB, 0xF5};
    replay_file *file = user;
    es_source source = es_record_file_source(&file->file);
    es_result result = source.read(source.user, offset, bytes, size, got);
    if (result == ES_OK && file->head_damaged && offset < HEAD) {
        size_t most = HEAD - (size_t)offset;
        memcpy(bytes, head + offset, *got < most ? *got : most);
    }
    return result;
}

static const char no_file[] = "it is no regular file, and reading goes back and forth";

static int check_kind(replay_file *file, const char *path)
{
    struct stat status;
    if (fstat(fileno(file->file.file), &status) != 0) {
        return replay_failed_to_read(path, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        return replay_failed_to_read(path, "it is a directory");
    }
    if (!S_ISREG(status.st_mode)) {
        return replay_failed_to_read(path, no_file);
    }
    if (status.st_size == 0) {
        (void)tool_fail("replay", "'%s' is not an Evenstep recording: it is empty", path);
        return REPLAY_UNREADABLE;
    }
    file->size = (uint64_t)status.st_size;
    return TOOL_OK;
}

/* Whether, with the right head, a run is the first record. */
static bool can_be_mended(replay_file *file, const es_source *source)
{
    es_reader_item item;
    file->head_damaged = file->size > HEAD;
    return file->head_damaged
           && es_reader_open(&file->reader, source, file->window, WINDOW, NULL) == ES_OK
           && es_reader_next(&file->reader, &item) == ES_OK && item.kind == ES_RECORD_RUN;
}

static int open_reader(replay_file *file, const char *path)
{
    es_error error = {NULL, NULL};
    es_source source = {file, read_mended};
    file->window = malloc(WINDOW);
    if (file->window == NULL) {
        return replay_out_of_memory();
    }
    es_result result = es_reader_open(&file->reader, &source, file->window, WINDOW, &error);
    if (result == ES_OK || (result == ES_ERR_DAMAGED && can_be_mended(file, &source))) {
        return TOOL_OK;
    }
    if (result == ES_ERR_DAMAGED || result == ES_ERR_UNSUPPORTED) {
        (void)tool_fail(
                "replay", "'%s' is not an Evenstep recording: its head %s", path, error.reason);
        return REPLAY_UNREADABLE;
    }
    return replay_failed_to_read(
            path, file->file.failed != 0 ? strerror(file->file.failed) : tool_result_text(result));
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
static bool set_text(
        replay_text *text, const char *name, size_t name_size, const char *bytes, size_t size)
{
    *text = (replay_text){copy(name, name_size), copy(bytes, size), name_size, size};
    return text->name != NULL && text->text != NULL;
}

static bool add_field(replay_header *header, const es_reader_item *item)
{
    es_reader_field field;
    char text[96];
    if (!es_reader_get_field(item, &field) || header->field_count == ES_RECORD_FIELDS_MAX) {
        return true;
    }
    snprintf(text, sizeof text, "%s x %" PRIu32 ", objects: %" PRIu64 ", group %" PRId32,
            replay_type_name(field.type), field.components, field.count, field.group);
    size_t at = header->field_count++;
    header->fields[at] =
            (replay_field){field.type, field.group, field.count, field.components, item->sequence};
    return set_text(&header->field_texts[at], field.name, field.name_size, text, strlen(text));
}

static bool add_tag(replay_header *header, const es_reader_item *item)
{
    es_reader_tag tag;
    if (!es_reader_get_tag(item, &tag) || header->tag_count == ES_RECORD_TAGS_MAX) {
        return true;
    }
    return set_text(
            &header->tags[header->tag_count++], tag.name, tag.name_size, tag.text, tag.text_size);
}

uint64_t replay_field_size(const replay_field *field)
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
        uint64_t size = replay_field_size(field);
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

static bool add_to_header(replay_file *file, const es_reader_item *item)
{
    replay_header *header = &file->header;
    if (item->kind == ES_RECORD_RUN && !header->has_run && item->sequence == 0) {
        header->has_run = es_reader_get_run(item, &header->run);
        header->run.format = file->reader.format;
    }
    return (item->kind != ES_RECORD_FIELD || add_field(header, item))
           && (item->kind != ES_RECORD_TAG || add_tag(header, item));
}

/* Up to the first record that belongs to no header. Damage is skipped. */
static int read_header(replay_file *file)
{
    replay_header *header = &file->header;
    es_reader_item item;
    int status = TOOL_OK;
    header->fields = calloc(ES_RECORD_FIELDS_MAX, sizeof *header->fields);
    header->field_texts = calloc(ES_RECORD_FIELDS_MAX, sizeof *header->field_texts);
    header->groups = calloc(ES_RECORD_FIELDS_MAX, sizeof *header->groups);
    header->tags = calloc(ES_RECORD_TAGS_MAX, sizeof *header->tags);
    if (header->fields == NULL || header->field_texts == NULL || header->groups == NULL
            || header->tags == NULL) {
        return replay_out_of_memory();
    }
    replay_rewind(file);
    while (replay_next(file, &item, &status)) {
        bool belongs = item.damage != ES_DAMAGE_NONE || item.kind == ES_RECORD_RUN
                       || item.kind == ES_RECORD_FIELD || item.kind == ES_RECORD_TAG;
        if (!belongs) {
            break;
        }
        if (!add_to_header(file, &item)) {
            return replay_out_of_memory();
        }
    }
    check_header(header);
    return status;
}

int replay_open(replay_file *file, const char *path)
{
    *file = (replay_file){.path = path};
    if (es_record_file_open(&file->file, path) != ES_OK) {
        bool is_pipe = file->file.failed == ESPIPE;
        return replay_failed_to_read(path, is_pipe ? no_file : strerror(file->file.failed));
    }
    int status = check_kind(file, path);
    if (status == TOOL_OK) {
        status = open_reader(file, path);
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
    free(file->window);
    if (file->file.file != NULL) {
        (void)es_record_file_close(&file->file);
    }
    *file = (replay_file){0};
}

char *replay_hash_name(const replay_header *header, size_t index)
{
    char text[REPLAY_NUMBER];
    bool by_field = header->is_whole && header->run.hashes == ES_RECORD_HASH_FIELDS;
    bool by_group = header->is_whole && header->run.hashes == ES_RECORD_HASH_GROUPS;
    if (by_field && index < header->field_count) {
        return replay_escape(header->field_texts[index].name, header->field_texts[index].name_size);
    }
    if (by_group && index < header->group_count) {
        snprintf(text, sizeof text, "group %ld", (long)header->groups[index]);
    } else if (header->has_run && header->run.hashes == ES_RECORD_HASH_WHOLE && index == 0) {
        snprintf(text, sizeof text, "state");
    } else {
        snprintf(text, sizeof text, "hash %zu", index);
    }
    return copy(text, strlen(text));
}

/* --- walking ---------------------------------------------------------------------------------- */

void replay_rewind(replay_file *file)
{
    file->at_head = file->head_damaged;
    es_reader_go(&file->reader, (es_reader_place){0, 0});
}

bool replay_next(replay_file *file, es_reader_item *item, int *status)
{
    if (file->at_head) {
        file->at_head = false;
        *item = (es_reader_item){.bytes = HEAD, .damage = ES_DAMAGE_HEAD};
        return true;
    }
    es_result result = es_reader_next(&file->reader, item);
    if (result != ES_OK && result != ES_ERR_DAMAGED) {
        *status = replay_failed_to_read(file->path,
                file->file.failed != 0 ? strerror(file->file.failed) : tool_result_text(result));
        return false;
    }
    return result == ES_ERR_DAMAGED || item->kind != ES_RECORD_NONE;
}
