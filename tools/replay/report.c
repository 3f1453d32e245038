/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay FILE`: the header, the totals and the damage of a recording.
 */
#include "sum.h"

#include <inttypes.h>

const char *replay_hashes_text(es_record_hashes hashes)
{
    static const char *const texts[] = {
            "whole state, with names", "whole state", "per field", "none", "per group"};
    return texts[hashes];
}

static json_t *run_json(const replay_file *file)
{
    const replay_header *header = &file->header;
    es_replay_status status = es_replay_get_status(file->replay);
    const es_replay_run *run = &header->run;
    const es_record_config *config = &run->config;
    char version[REPLAY_NUMBER], rate[REPLAY_NUMBER], seed[REPLAY_NUMBER];
    if (!header->has_run) {
        return json_null();
    }
    snprintf(version, sizeof version, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, run->version[0],
            run->version[1], run->version[2]);
    snprintf(seed, sizeof seed, "%" PRIu64, config->seed);
    tool_format_rate(rate, config->tick_rate);
    json_t *object = json_pack("{s:I, s:s, s:o, s:s, s:o, s:s, s:I, s:I, s:I}", "format",
            (json_int_t)ES_RECORD_FORMAT, "version", version, "ticks_per_second",
            config->tick_rate.numerator != 0 ? json_string(rate) : json_null(), "seed", seed,
            "state_bytes", tool_json_count(run->packed_size), "hashes",
            replay_hashes_text(config->hashes), "hashes_per_tick", (json_int_t)run->hash_count,
            "hash_every", (json_int_t)config->hash_every, "snapshot_every",
            (json_int_t)config->snapshot_every);
    json_object_set_new(object, "self_test",
            json_pack("{s:o, s:o, s:b, s:b}", "arithmetic", tool_json_hash(run->self_test[0]),
                    "library", tool_json_hash(run->self_test[1]), "same_arithmetic",
                    (int)status.same_arithmetic, "same_library", (int)status.same_library));
    return object;
}

static json_t *field_json(const replay_header *header, size_t i)
{
    const replay_field *field = &header->fields[i];
    json_t *object = json_object();
    tool_json_set_text(object, "name", header->field_texts[i].name);
    json_object_set_new(object, "type", json_string(replay_type_name(field->type)));
    json_object_set_new(object, "group", json_integer(field->group));
    json_object_set_new(object, "objects", tool_json_count(field->count));
    json_object_set_new(object, "components", tool_json_count(field->components));
    return object;
}

void replay_show_header(const replay_file *file, replay_out *out)
{
    const replay_header *header = &file->header;
    json_t *what = json_object(), *tags = json_array(), *fields = json_array();
    tool_json_set_text(what, "file", file->path);
    json_object_set_new(what, "bytes", tool_json_count(file->size));
    for (size_t i = 0; i < header->tag_count; ++i) {
        json_t *tag = json_object();
        tool_json_set_text(tag, "name", header->tags[i].name);
        tool_json_set_text(tag, "text", header->tags[i].text);
        json_array_append_new(tags, tag);
    }
    for (size_t i = 0; i < header->field_count; ++i) {
        json_array_append_new(fields, field_json(header, i));
    }
    replay_out_member(out, "replay", what);
    replay_out_member(out, "run", run_json(file));
    replay_out_member(out, "tags", tags);
    replay_out_member(out, "fields", fields);
}

/* There may be any number of these, so they are not kept from the first walk. */
static int show_rows(replay_file *file, replay_out *out, replay_rows rows, uint64_t count)
{
    static const char *const troubles[] = {"offset", "bytes", "record", "missing", "what", NULL};
    static const char *const gaps[] = {"offset", "first_tick", "last_tick", "records", NULL};
    bool is_gaps = rows == REPLAY_GAPS;
    replay_sum sum = {.header = &file->header, .out = out, .rows = rows};
    int status = TOOL_OK;
    if (count > 0 || out->json) {
        replay_list_begin(out, is_gaps ? "gaps" : "troubles", is_gaps ? gaps : troubles);
        status = count > 0 ? replay_sum_all(&sum, file) : TOOL_OK;
        replay_list_end(out);
    }
    return status;
}

int replay_report(replay_file *file, replay_out *out)
{
    replay_sum sum = {.header = &file->header};
    int status = replay_sum_all(&sum, file);
    if (status != TOOL_OK) {
        return status;
    }
    replay_note(out, "%s: %s", file->path, replay_sum_verdict(&sum));
    replay_out_begin(out);
    replay_show_header(file, out);
    replay_sum_show(&sum, out);
    status = show_rows(file, out, REPLAY_TROUBLES, sum.damages + sum.contradictions);
    if (status == TOOL_OK) {
        status = show_rows(file, out, REPLAY_GAPS, sum.counts[ES_RECORD_GAP]);
    }
    replay_out_end(out);
    return status == TOOL_OK ? replay_sum_status(&sum) : status;
}
