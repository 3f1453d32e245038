/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay FILE --dump TICK`: the state at a tick, where there is a snapshot of it.
 */
#include "replay_demo.h"
#include "replay_state.h"
#include "replay_sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where the wanted one is, or those beside it. */
typedef struct search {
    replay_snapshots snapshots;
    int64_t tick;
    bool found, has_before, has_after;
    replay_snapshot at;
    int64_t before, after;
    replay_sum sum; /* for the exit status */
} search;

static bool look(void *user, const es_reader_item *item)
{
    search *s = user;
    replay_sum_add(&s->sum, item);
    if (!replay_snapshots_add(&s->snapshots, item)) {
        return true;
    }
    const replay_snapshot *now = &s->snapshots.now;
    if (now->tick == s->tick && !s->found) {
        s->found = true;
        s->at = *now;
    } else if (now->tick < s->tick && (!s->has_before || now->tick > s->before)) {
        s->has_before = true;
        s->before = now->tick;
    } else if (now->tick > s->tick && (!s->has_after || now->tick < s->after)) {
        s->has_after = true;
        s->after = now->tick;
    }
    return true;
}

/* --- what is not there ------------------------------------------------------------------------ */

static int tell_nearest(const replay_file *file, const search *s)
{
    fprintf(stderr, "evenstep replay: '%s' has no snapshot of tick %" PRId64, file->path, s->tick);
    if (s->has_before || s->has_after) {
        fprintf(stderr, "; the nearest %s of", s->has_before && s->has_after ? "are" : "is");
    } else {
        fprintf(stderr, ", nor of any other");
    }
    if (s->has_before) {
        fprintf(stderr, " tick %" PRId64, s->before);
    }
    if (s->has_after) {
        fprintf(stderr, "%s tick %" PRId64, s->has_before ? " and" : "", s->after);
    }
    if (replay_demo_is(file->path)) {
        fprintf(stderr, "; --seek %" PRId64 " runs the demo up to it", s->tick);
    }
    fprintf(stderr, "\n");
    return REPLAY_DIFFERS;
}

static int tell_layout(const replay_file *file)
{
    fprintf(stderr,
            "evenstep replay: the header of '%s' does not say which fields a state has: it is "
            "damaged\n",
            file->path);
    return REPLAY_DAMAGED;
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_field_title(replay_out *out, const replay_field *field)
{
    fprintf(out->file, "\n%s", replay_style_on(out, REPLAY_BOLD));
    replay_put_text(out, field->name, field->name_size, 0);
    fprintf(out->file, "%s%s  %s", replay_style_on(out, REPLAY_PLAIN),
            replay_style_on(out, REPLAY_DIM), replay_type_name(field->type));
    if (field->components > 1) {
        fprintf(out->file, " x %" PRIu32, field->components);
    }
    if (field->count > 1) {
        fprintf(out->file, ", %" PRIu64 " objects", field->count);
    }
    fprintf(out->file, ", group %" PRId32 "%s\n", field->group, replay_style_on(out, REPLAY_PLAIN));
}

static bool print_field(replay_out *out, const replay_field *field, replay_numbers *numbers)
{
    char text[REPLAY_NUMBER];
    print_field_title(out, field);
    for (uint64_t element = 0; element < field->count; ++element) {
        size_t column = 12;
        if (field->count > 1) {
            snprintf(text, sizeof text, "[%" PRIu64 "]", element);
            fprintf(out->file, "%10s", text);
        } else {
            fprintf(out->file, "%10s", "");
        }
        for (uint32_t component = 0; component < field->components; ++component) {
            uint64_t bits;
            if (!replay_numbers_next(numbers, field->type, &bits)) {
                return false;
            }
            replay_format_number(text, field->type, bits);
            size_t width = 2 + (field->components > 1 ? 14 : strlen(text));
            if (component > 0 && column + width > out->width) {
                fprintf(out->file, "\n%10s", "");
                column = 12;
            }
            fprintf(out->file, "%*s", (int)width, text);
            column += width;
        }
        fputc('\n', out->file);
    }
    return true;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static bool write_field(replay_out *out, const replay_field *field, replay_numbers *numbers)
{
    char text[REPLAY_NUMBER];
    json_t *name = json_object();
    replay_json_set_text(name, "name", field->name, field->name_size);
    char *named = json_dumps(name, JSON_ENSURE_ASCII);
    json_decref(name);
    out->is_short = out->is_short || named == NULL;
    replay_json_next(out);
    fprintf(out->file, "%.*s", named != NULL ? (int)strlen(named) - 1 : 12,
            named != NULL ? named : "{\"name\": null");
    free(named);
    fprintf(out->file,
            ", \"type\": \"%s\", \"group\": %" PRId32 ", \"objects\": %" PRIu64
            ", \"components\": %" PRIu32 ", \"values\": [",
            replay_type_name(field->type), field->group, field->count, field->components);
    for (uint64_t element = 0; element < field->count; ++element) {
        fprintf(out->file, "%s%s", element > 0 ? ", " : "", field->components > 1 ? "[" : "");
        for (uint32_t component = 0; component < field->components; ++component) {
            uint64_t bits;
            if (!replay_numbers_next(numbers, field->type, &bits)) {
                return false;
            }
            fprintf(out->file, "%s%s", component > 0 ? ", " : "",
                    replay_format_json_number(text, field->type, bits));
        }
        fprintf(out->file, "%s", field->components > 1 ? "]" : "");
    }
    fprintf(out->file, "]}");
    return true;
}

/* --- both ------------------------------------------------------------------------------------- */

static int print_state(replay_file *file, replay_out *out, const replay_snapshot *snapshot)
{
    const replay_header *header = &file->header;
    char ms[REPLAY_NUMBER], size[REPLAY_NUMBER];
    replay_numbers numbers;
    if (out->json) {
        replay_begin(file, out);
        replay_json_member(out, "snapshot",
                json_pack("{s:I, s:I, s:o, s:o}", "tick", (json_int_t)snapshot->tick, "time_ns",
                        (json_int_t)snapshot->time_ns, "offset",
                        replay_json_count(snapshot->offset), "bytes",
                        replay_json_count(header->packed_size)));
        replay_json_list_begin(out, "state");
    } else {
        fprintf(out->file,
                "%s%s%s: tick %" PRId64 ", at %s ms; the snapshot at byte %" PRIu64 ", %s\n",
                replay_style_on(out, REPLAY_BOLD), file->path, replay_style_on(out, REPLAY_PLAIN),
                snapshot->tick, replay_format_ms(ms, snapshot->time_ns), snapshot->offset,
                replay_format_size(size, header->packed_size));
    }
    replay_bar_begin(file, true);
    replay_numbers_begin(&numbers, file, snapshot);
    bool read = true;
    for (size_t i = 0; read && i < header->field_count; ++i) {
        read = out->json ? write_field(out, &header->fields[i], &numbers)
                         : print_field(out, &header->fields[i], &numbers);
    }
    replay_bar_end(file);
    if (out->json) {
        replay_json_list_end(out);
        replay_end(out);
    }
    return read ? TOOL_OK : replay_failed_to_read(file->path, "it has changed meanwhile");
}

int replay_dump(replay_file *file, replay_out *out, int64_t tick)
{
    search s = {.snapshots = {.total = file->header.packed_size},
            .tick = tick,
            .sum = {.header = &file->header}};
    if (!file->header.is_whole) {
        return tell_layout(file);
    }
    int status = replay_walk(file, look, &s, false);
    replay_sum_finish(&s.sum);
    replay_pace_free(&s.sum.pace);
    if (status == TOOL_OK && !s.found) {
        return tell_nearest(file, &s);
    }
    if (status == TOOL_OK) {
        status = print_state(file, out, &s.at);
    }
    if (status == TOOL_OK) {
        replay_sum_warn(&s.sum, out);
        status = replay_sum_status(&s.sum);
    }
    return status;
}
