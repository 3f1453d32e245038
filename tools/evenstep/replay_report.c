/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay FILE`: what a recording is, how much it holds, and whether all of it is there.
 */
#include "replay_sum.h"

#include "evenstep/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 12, TEXT_AT = 2 + LABEL };

/* --- the header, as text ---------------------------------------------------------------------- */

/* "  label       " and what follows begins at column TEXT_AT. */
static void label(const replay_out *out, const char *text)
{
    fprintf(out->file, "  %s%-*s%s", replay_style_on(out, REPLAY_DIM), LABEL - 1, text,
            replay_style_on(out, REPLAY_PLAIN));
    fputc(' ', out->file);
}

static const char *hashes_text(es_record_hashes hashes)
{
    switch (hashes) {
    case ES_RECORD_HASH_GROUPS:
        return "per group";
    case ES_RECORD_HASH_WHOLE:
        return "whole state";
    case ES_RECORD_HASH_FIELDS:
        return "per field";
    default:
        return "none";
    }
}

static void print_every(const replay_out *out, int32_t every, const char *each)
{
    if (every == 1) {
        fprintf(out->file, "%s", each);
    } else {
        fprintf(out->file, "every %" PRId32 " ticks", every);
    }
}

/* What the machine that recorded makes of floats, and what this one does. */
static void print_fit(replay_out *out, const es_reader_run *run)
{
    es_state_self_test here = es_state_self_test_run();
    bool arithmetic = here.arithmetic == run->arithmetic, library = here.library == run->library;
    label(out, "floats");
    if (arithmetic && library) {
        fprintf(out->file, "as on this machine (arithmetic, and the C library's functions)\n");
        return;
    }
    fprintf(out->file, "%s", replay_style_on(out, REPLAY_WARN));
    if (!arithmetic) {
        fprintf(out->file, "%s computes otherwise than IEEE 754 asks: no exact replay\n",
                here.arithmetic == ES_SELF_TEST_ARITHMETIC ? "the machine that recorded"
                                                           : "this machine");
    } else {
        fprintf(out->file, "the same arithmetic; sin, pow and their like are others than here\n");
    }
    fprintf(out->file, "%s", replay_style_on(out, REPLAY_PLAIN));
}

static void print_run(replay_out *out, const replay_header *header)
{
    char text[REPLAY_NUMBER];
    const es_reader_run *run = &header->run;
    if (!header->has_run) {
        fprintf(out->file,
                "%s  The header's first record cannot be read: no rate, no seed, no settings.%s\n",
                replay_style_on(out, REPLAY_BAD), replay_style_on(out, REPLAY_PLAIN));
        return;
    }
    label(out, "written by");
    fprintf(out->file, "evenstep %lu.%lu.%lu, format %lu\n", (unsigned long)run->version[0],
            (unsigned long)run->version[1], (unsigned long)run->version[2],
            (unsigned long)run->format);
    label(out, "tick rate");
    if (run->tick_rate.numerator == 0) {
        fprintf(out->file, "none: steps vary\n");
    } else {
        fprintf(out->file, "%s Hz", tool_format_rate(text, run->tick_rate));
        if (strchr(text, '/') != NULL) {
            fprintf(out->file, " (%.6f)",
                    (double)run->tick_rate.numerator / (double)run->tick_rate.denominator);
        }
        fputc('\n', out->file);
    }
    label(out, "seed");
    fprintf(out->file, "%" PRIu64 "\n", run->seed);
    label(out, "hashes");
    fprintf(out->file, "%s", hashes_text(run->hashes));
    if (run->hashes != ES_RECORD_HASH_NONE) {
        fprintf(out->file, ": %lu at ", (unsigned long)run->hash_count);
        print_every(out, run->hash_every, "every tick");
    }
    fputc('\n', out->file);
    label(out, "snapshots");
    if (run->snapshot_every < 0) {
        fprintf(out->file, "of the start only\n");
    } else {
        fprintf(out->file, "at ");
        print_every(out, run->snapshot_every, "every tick");
        fputc('\n', out->file);
    }
    print_fit(out, run);
}

/* Texts begin at one column; below a name that is too long for that. */
static void print_tag(replay_out *out, const replay_tag *tag)
{
    char *name = replay_escape(tag->name, tag->name_size);
    size_t columns = 0;
    out->is_short = out->is_short || name == NULL;
    for (const char *at = name; at != NULL && *at != '\0'; ++at) {
        columns += ((unsigned char)*at & 0xC0) != 0x80;
    }
    fprintf(out->file, "  %s%s%s", replay_style_on(out, REPLAY_DIM), name != NULL ? name : "",
            replay_style_on(out, REPLAY_PLAIN));
    if (columns >= LABEL) {
        fprintf(out->file, "\n%*s", TEXT_AT, "");
    } else {
        fprintf(out->file, "%*s", (int)(LABEL - columns), "");
    }
    replay_put_text(out, tag->text, tag->text_size, TEXT_AT);
    fputc('\n', out->file);
    free(name);
}

static void print_tags(replay_out *out, const replay_header *header)
{
    if (header->tag_count > 0) {
        replay_heading(out, "tags");
    }
    for (size_t i = 0; i < header->tag_count; ++i) {
        print_tag(out, &header->tags[i]);
    }
}

static void print_layout(replay_out *out, const replay_header *header)
{
    char size[REPLAY_NUMBER], type[REPLAY_NUMBER];
    if (header->field_count == 0) {
        return;
    }
    replay_heading(out, "state: %zu field%s, %zu group%s, %s", header->field_count,
            header->field_count == 1 ? "" : "s", header->group_count,
            header->group_count == 1 ? "" : "s", replay_format_size(size, header->packed_size));
    fprintf(out->file, "%s    group   objects  type      field%s\n",
            replay_style_on(out, REPLAY_DIM), replay_style_on(out, REPLAY_PLAIN));
    for (size_t i = 0; i < header->field_count; ++i) {
        const replay_field *field = &header->fields[i];
        snprintf(type, sizeof type, field->components > 1 ? "%s x %lu" : "%s",
                replay_type_name(field->type), (unsigned long)field->components);
        fprintf(out->file, "  %7" PRId32 "  %8" PRIu64 "  %-8s  ", field->group, field->count,
                type);
        replay_put_text(out, field->name, field->name_size, 31);
        fputc('\n', out->file);
    }
    if (header->has_run && !header->is_whole) {
        fprintf(out->file, "%s  not all of it, or not as the header says%s\n",
                replay_style_on(out, REPLAY_BAD), replay_style_on(out, REPLAY_PLAIN));
    }
}

/* --- how much there is ------------------------------------------------------------------------ */

static void print_ticks(replay_out *out, const replay_sum *sum)
{
    char seconds[REPLAY_NUMBER];
    label(out, "ticks");
    if (sum->ticks == 0) {
        fprintf(out->file, "none\n");
        return;
    }
    /* ns to ms: seconds with three decimals */
    replay_format_ms(seconds, sum->simulated_ns / 1000);
    fprintf(out->file, "%" PRIu64 ", from %" PRId64 " to %" PRId64 "; %s s of simulated time\n",
            sum->ticks, sum->first_tick, sum->last_tick, seconds);
}

static void print_inputs(replay_out *out, const replay_sum *sum)
{
    char bytes[REPLAY_NUMBER], most[REPLAY_NUMBER];
    label(out, "inputs");
    if (sum->input_ticks == 0) {
        fprintf(out->file, "none\n");
        return;
    }
    fprintf(out->file, "%s, in %" PRIu64 " tick%s; the longest %s\n",
            replay_format_size(bytes, sum->input_bytes), sum->input_ticks,
            sum->input_ticks == 1 ? "" : "s", replay_format_size(most, sum->input_max));
}

static void print_frames(replay_out *out, const replay_sum *sum)
{
    char median[REPLAY_NUMBER], worst[REPLAY_NUMBER];
    label(out, "frames");
    fprintf(out->file, "%" PRIu64, sum->counts[ES_RECORD_FRAME]);
    if (sum->pace.count > 0 && !sum->pace.is_short) {
        fprintf(out->file, "; median interval %s ms, longest %s at frame %" PRId64,
                replay_format_ms(median, replay_pace_quantile(&sum->pace, 0.5)),
                replay_format_ms(worst, sum->worst_ns), sum->worst_frame);
    }
    fputc('\n', out->file);
}

static void print_snapshots(replay_out *out, const replay_sum *sum)
{
    label(out, "snapshots");
    fprintf(out->file, "%" PRIu64, sum->snapshots);
    if (sum->snapshots == 1) {
        fprintf(out->file, ", of tick %" PRId64, sum->first_snapshot_tick);
    } else if (sum->snapshots > 1) {
        fprintf(out->file, ", of ticks %" PRId64 " to %" PRId64, sum->first_snapshot_tick,
                sum->last_snapshot_tick);
    }
    if (sum->snapshots_cut > 0) {
        fprintf(out->file, "; %" PRIu64 " not whole", sum->snapshots_cut);
    }
    fputc('\n', out->file);
}

static void print_kinds(replay_out *out, const replay_sum *sum)
{
    fprintf(out->file, "\n%s  records         count         bytes   share    bytes/tick%s\n",
            replay_style_on(out, REPLAY_DIM), replay_style_on(out, REPLAY_PLAIN));
    for (size_t kind = ES_RECORD_RUN; kind <= REPLAY_KINDS; ++kind) {
        bool is_sum = kind == REPLAY_KINDS;
        const char *name = is_sum                 ? "all"
                           : kind == REPLAY_OTHER ? "other"
                                                  : es_record_kind_name((es_record_kind)kind);
        uint64_t count = is_sum ? sum->records : sum->counts[kind];
        uint64_t bytes = is_sum ? sum->records_bytes : sum->bytes[kind];
        if (count == 0) {
            continue;
        }
        fprintf(out->file, "  %-9s  %10" PRIu64 "  %12" PRIu64 "  %4.1f %%", name, count, bytes,
                100.0 * (double)bytes / (double)sum->records_bytes);
        if (sum->ticks > 0) {
            fprintf(out->file, "  %12.1f", (double)bytes / (double)sum->ticks);
        }
        fputc('\n', out->file);
    }
}

static void print_totals(replay_out *out, const replay_sum *sum)
{
    char size[REPLAY_NUMBER];
    replay_heading(out, "what is in it: %s", replay_format_size(size, sum->end_offset));
    print_ticks(out, sum);
    print_inputs(out, sum);
    print_frames(out, sum);
    print_snapshots(out, sum);
    label(out, "events");
    fprintf(out->file, "%" PRIu64 "\n", sum->counts[ES_RECORD_EVENT]);
    if (sum->readings > 0) {
        label(out, "readings");
        fprintf(out->file, "%" PRIu64 " of clocks\n", sum->readings);
    }
    if (sum->counts[ES_RECORD_GAP] > 0) {
        label(out, "left out");
        fprintf(out->file, "%" PRIu64 " tick%s, in %" PRIu64 " gap%s\n", sum->gap_ticks,
                sum->gap_ticks == 1 ? "" : "s", sum->counts[ES_RECORD_GAP],
                sum->counts[ES_RECORD_GAP] == 1 ? "" : "s");
    }
    print_kinds(out, sum);
}

/* --- whether all of it is there --------------------------------------------------------------- */

static void print_trouble(void *user, const replay_trouble *trouble)
{
    replay_out *out = user;
    fprintf(out->file, "  %12" PRIu64 "  %10" PRIu64, trouble->offset, trouble->bytes);
    if (trouble->sequence == UINT32_MAX) { /* behind the end there are no numbers */
        fprintf(out->file, "  %8s", "-");
    } else {
        fprintf(out->file, "  %8" PRIu32, trouble->sequence);
    }
    if (trouble->missing_known) {
        fprintf(out->file, "  %5" PRIu32, trouble->missing);
    } else {
        fprintf(out->file, "      ?");
    }
    fprintf(out->file, "  ");
    replay_put_text(out, trouble->what, strlen(trouble->what), 45);
    fputc('\n', out->file);
}

static void print_gap(void *user, const es_reader_gap *gap, uint64_t offset)
{
    replay_out *out = user;
    fprintf(out->file,
            "  %12" PRIu64 "  left out: ticks %" PRId64 " to %" PRId64 ", %" PRIu64 " records\n",
            offset, gap->first_tick, gap->last_tick, gap->records);
}

static void print_ending(replay_out *out, const replay_sum *sum)
{
    bool cut = replay_sum_is_cut(sum);
    replay_style style = cut ? REPLAY_BAD : sum->end.result != ES_OK ? REPLAY_WARN : REPLAY_GOOD;
    fprintf(out->file, "  %s", replay_style_on(out, style));
    if (cut) {
        fprintf(out->file, "cut off");
        if (sum->ticks > 0) {
            fprintf(out->file, " after tick %" PRId64, sum->last_tick);
        }
        fprintf(out->file, ": no end was written, or it is lost");
    } else if (sum->end.result != ES_OK) {
        fprintf(out->file, "ended early, at tick %" PRId64 ": %s (%s)", sum->end.tick,
                es_result_message(sum->end.result), es_result_name(sum->end.result));
    } else {
        fprintf(out->file, "ended properly, after tick %" PRId64, sum->end.tick);
    }
    fprintf(out->file, "%s\n", replay_style_on(out, REPLAY_PLAIN));
}

/* The second walk: there may be any number of damages, so they are not kept from the first. */
static bool visit(void *user, const es_reader_item *item)
{
    replay_sum_add(user, item);
    return true;
}

static int print_troubles(replay_file *file, replay_out *out, const replay_sum *sum)
{
    replay_sum again = {.header = &file->header, .user = out};
    int status = TOOL_OK;
    if (sum->damages + sum->contradictions > 0) {
        fprintf(out->file, "%s        offset       bytes    record   lost  what%s\n",
                replay_style_on(out, REPLAY_DIM), replay_style_on(out, REPLAY_PLAIN));
        again.tell = print_trouble;
        status = replay_walk(file, visit, &again, true);
        replay_sum_finish(&again);
        replay_pace_free(&again.pace);
    }
    if (status == TOOL_OK && sum->counts[ES_RECORD_GAP] > 0) {
        again = (replay_sum){.header = &file->header, .user = out, .tell_gap = print_gap};
        status = replay_walk(file, visit, &again, true);
        replay_pace_free(&again.pace);
    }
    return status;
}

static void print_counts(replay_out *out, const replay_sum *sum)
{
    char size[REPLAY_NUMBER];
    fprintf(out->file, "  %s", replay_style_on(out, REPLAY_BAD));
    if (sum->damages > 0) {
        fprintf(out->file, "%" PRIu64 " damaged place%s, %s; %s%" PRIu64 " record%s lost",
                sum->damages, sum->damages == 1 ? "" : "s",
                replay_format_size(size, sum->damaged_bytes),
                sum->missing_unknown ? "at least " : "", sum->missing,
                sum->missing == 1 ? "" : "s");
    }
    if (sum->contradictions > 0) {
        fprintf(out->file, "%s%" PRIu64 " contradiction%s", sum->damages > 0 ? "; " : "",
                sum->contradictions, sum->contradictions == 1 ? "" : "s");
    }
    fprintf(out->file, "%s\n", replay_style_on(out, REPLAY_PLAIN));
}

static int print_integrity(replay_file *file, replay_out *out, const replay_sum *sum)
{
    replay_heading(out, "is it whole?");
    if (sum->damages + sum->contradictions == 0) {
        fprintf(out->file, "  %sall records are sound%s\n", replay_style_on(out, REPLAY_GOOD),
                replay_style_on(out, REPLAY_PLAIN));
    } else {
        print_counts(out, sum);
    }
    print_ending(out, sum);
    return print_troubles(file, out, sum);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *run_json(const replay_header *header)
{
    const es_reader_run *run = &header->run;
    es_state_self_test here = es_state_self_test_run();
    char version[REPLAY_NUMBER], rate[REPLAY_NUMBER], seed[REPLAY_NUMBER];
    if (!header->has_run) {
        return json_null();
    }
    snprintf(version, sizeof version, "%" PRIu32 ".%" PRIu32 ".%" PRIu32, run->version[0],
            run->version[1], run->version[2]);
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    tool_format_rate(rate, run->tick_rate);
    json_t *object = json_pack("{s:I, s:s, s:o, s:s, s:o, s:s, s:I, s:I, s:I}", "format",
            (json_int_t)run->format, "version", version, "ticks_per_second",
            run->tick_rate.numerator != 0 ? json_string(rate) : json_null(), "seed", seed,
            "state_bytes", replay_json_count(run->packed_size), "hashes", hashes_text(run->hashes),
            "hashes_per_tick", (json_int_t)run->hash_count, "hash_every",
            (json_int_t)run->hash_every, "snapshot_every", (json_int_t)run->snapshot_every);
    json_object_set_new(object, "self_test",
            json_pack("{s:o, s:o, s:b, s:b}", "arithmetic", replay_json_hash(run->arithmetic),
                    "library", replay_json_hash(run->library), "same_arithmetic",
                    (int)(here.arithmetic == run->arithmetic), "same_library",
                    (int)(here.library == run->library)));
    return object;
}

void replay_begin(const replay_file *file, replay_out *out)
{
    const replay_header *header = &file->header;
    if (!out->json) {
        return;
    }
    json_t *what = json_object();
    replay_json_set_text(what, "file", file->path, strlen(file->path));
    json_object_set_new(what, "bytes", replay_json_count(file->size));
    replay_json_begin(out);
    replay_json_member(out, "replay", what);
    replay_json_member(out, "run", run_json(header));
    replay_json_list_begin(out, "tags");
    for (size_t i = 0; i < header->tag_count; ++i) {
        json_t *tag = json_object();
        replay_json_set_text(tag, "name", header->tags[i].name, header->tags[i].name_size);
        replay_json_set_text(tag, "text", header->tags[i].text, header->tags[i].text_size);
        replay_json_item(out, tag);
    }
    replay_json_list_end(out);
    replay_json_list_begin(out, "fields");
    for (size_t i = 0; i < header->field_count; ++i) {
        const replay_field *field = &header->fields[i];
        json_t *object = json_object();
        replay_json_set_text(object, "name", field->name, field->name_size);
        json_object_set_new(object, "type", json_string(replay_type_name(field->type)));
        json_object_set_new(object, "group", json_integer(field->group));
        json_object_set_new(object, "objects", replay_json_count(field->count));
        json_object_set_new(object, "components", json_integer(field->components));
        replay_json_item(out, object);
    }
    replay_json_list_end(out);
}

void replay_end(replay_out *out)
{
    if (out->json) {
        replay_json_end(out);
    }
}

static void trouble_item(void *user, const replay_trouble *trouble)
{
    replay_json_item(user, replay_trouble_json(trouble));
}

static void gap_item(void *user, const es_reader_gap *gap, uint64_t offset)
{
    replay_json_item(
            user, json_pack("{s:o, s:I, s:I, s:o}", "offset", replay_json_count(offset),
                          "first_tick", (json_int_t)gap->first_tick, "last_tick",
                          (json_int_t)gap->last_tick, "records", replay_json_count(gap->records)));
}

static int write_json(replay_file *file, replay_out *out, const replay_sum *sum)
{
    replay_sum again = {.header = &file->header, .user = out, .tell = trouble_item};
    int status = TOOL_OK;
    replay_begin(file, out);
    replay_sum_json(sum, out);
    replay_json_list_begin(out, "troubles");
    if (sum->damages + sum->contradictions > 0) {
        status = replay_walk(file, visit, &again, false);
        replay_sum_finish(&again);
        replay_pace_free(&again.pace);
    }
    replay_json_list_end(out);
    replay_json_list_begin(out, "gaps");
    if (status == TOOL_OK && sum->counts[ES_RECORD_GAP] > 0) {
        again = (replay_sum){.header = &file->header, .user = out, .tell_gap = gap_item};
        status = replay_walk(file, visit, &again, false);
        replay_pace_free(&again.pace);
    }
    replay_json_list_end(out);
    replay_end(out);
    return status;
}

static void print_title(const replay_file *file, replay_out *out, const replay_sum *sum)
{
    bool good = replay_sum_status(sum) == TOOL_OK;
    replay_style style = !good ? REPLAY_BAD : sum->end.result != ES_OK ? REPLAY_WARN : REPLAY_GOOD;
    fprintf(out->file, "%s%s%s: %s%s%s", replay_style_on(out, REPLAY_BOLD), file->path,
            replay_style_on(out, REPLAY_PLAIN), replay_style_on(out, style),
            replay_sum_verdict(sum), replay_style_on(out, REPLAY_PLAIN));
    if (sum->gap_ticks > 0) {
        fprintf(out->file, ", %" PRIu64 " tick%s left out", sum->gap_ticks,
                sum->gap_ticks == 1 ? "" : "s");
    }
    fprintf(out->file, "\n\n");
}

int replay_report(replay_file *file, replay_out *out)
{
    replay_sum sum = {.header = &file->header};
    int status = replay_walk(file, visit, &sum, false);
    replay_sum_finish(&sum);
    if (status == TOOL_OK && out->json) {
        status = write_json(file, out, &sum);
    } else if (status == TOOL_OK) {
        print_title(file, out, &sum);
        print_run(out, &file->header);
        print_tags(out, &file->header);
        print_layout(out, &file->header);
        print_totals(out, &sum);
        status = print_integrity(file, out, &sum);
    }
    if (status == TOOL_OK) {
        status = replay_sum_status(&sum);
    }
    replay_pace_free(&sum.pace);
    return status;
}
