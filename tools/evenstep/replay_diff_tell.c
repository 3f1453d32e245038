/* SPDX-License-Identifier: Zlib */
#include "replay_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 10 };

static const char *const aspects[] = {"input", "step", "events", "hashes", "state"};

static void label(const replay_out *out, const char *text)
{
    fprintf(out->file, "  %s%-*s%s", replay_style_on(out, REPLAY_DIM), LABEL, text,
            replay_style_on(out, REPLAY_PLAIN));
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_files(const replay_difference *d, replay_out *out)
{
    for (int i = 0; i < 2; ++i) {
        const replay_units *units = &d->units[i];
        const char *verdict = replay_sum_verdict(&units->sum);
        fprintf(out->file, "%s%c  %s%s  %" PRIu64 " ticks%s%s\n", replay_style_on(out, REPLAY_BOLD),
                "AB"[i], d -> files[i] -> path, replay_style_on(out, REPLAY_PLAIN), units -> ticks,
                strcmp(verdict, "intact") != 0 ? "; " : "",
                strcmp(verdict, "intact") != 0 ? verdict : "");
    }
}

typedef struct header_lines {
    replay_out *out;
    bool any;
    json_t *items; /* JSON: these instead */
} header_lines;

static void print_header_line(
        void *user, const char *what, const char *a, const char *b, bool counts)
{
    header_lines *lines = user;
    replay_out *out = lines->out;
    if (lines->items != NULL) {
        json_array_append_new(lines->items, json_pack("{s:s, s:s, s:s, s:b}", "what", what, "a", a,
                                                    "b", b, "another_run", (int)counts));
        return;
    }
    if (!lines->any) {
        replay_heading(out, "headers");
        lines->any = true;
    }
    fprintf(out->file, "  %s", replay_style_on(out, counts ? REPLAY_BAD : REPLAY_PLAIN));
    replay_put_escaped(out, what, 2);
    fprintf(out->file, "%s\n      A ", replay_style_on(out, REPLAY_PLAIN));
    replay_put_escaped(out, a, 8);
    fprintf(out->file, "\n      B ");
    replay_put_escaped(out, b, 8);
    fputc('\n', out->file);
}

static void print_input(replay_out *out, const replay_first *first)
{
    fprintf(out->file, "%" PRIu64 " and %" PRIu64 " bytes", first->values[0], first->values[1]);
    if (first->at_known && first->bytes[0] >= 0 && first->bytes[1] >= 0) {
        fprintf(out->file, "; byte %" PRIu64 " is %02x and %02x", first->at,
                (unsigned)first->bytes[0], (unsigned)first->bytes[1]);
    } else if (first->at_known && first->at > 0) {
        fprintf(out->file, "; the same in the first %" PRIu64, first->at);
    }
}

static void format_step_value(char *text, const replay_first *first, int which)
{
    bool real = strcmp(first->what, "dt_s") == 0;
    replay_format_number(text, real ? ES_TYPE_F64 : ES_TYPE_I64, first->values[which]);
}

static void print_hash(const replay_difference *d, replay_out *out, const replay_first *first)
{
    char *name = replay_hash_name(&d->files[0]->header, (size_t)first->at);
    fprintf(out->file, "%s: %016" PRIx64 " and %016" PRIx64, name != NULL ? name : "",
            first->values[0], first->values[1]);
    if (first->hashes_all > 1) {
        fprintf(out->file, " (%zu of %zu differ)", first->hashes, first->hashes_all);
    }
    free(name);
}

static void print_number(const replay_difference *d, replay_out *out)
{
    const replay_number *number = &d->number;
    char texts[2][REPLAY_NUMBER];
    for (int i = 0; i < 2; ++i) {
        replay_format_number(texts[i], number->field->type, number->bits[i]);
    }
    replay_put_text(out, number->field->name, number->field->name_size, 0);
    if (number->field->count > 1) {
        fprintf(out->file, " of object %" PRIu64, number->element);
    }
    if (number->field->components > 1) {
        fprintf(out->file, ", component %" PRIu32, number->component);
    }
    fprintf(out->file, ": %s and %s", texts[0], texts[1]);
    if (number->differing > 1) {
        fprintf(out->file, "; %" PRIu64 " numbers differ", number->differing);
    }
}

static void print_detail(const replay_difference *d, replay_out *out, replay_aspect aspect)
{
    const replay_first *first = &d->first[aspect];
    char texts[2][REPLAY_NUMBER];
    switch (aspect) {
    case REPLAY_INPUT:
        print_input(out, first);
        break;
    case REPLAY_STEP:
        format_step_value(texts[0], first, 0);
        format_step_value(texts[1], first, 1);
        fprintf(out->file, "%s is %s and %s", first->what, texts[0], texts[1]);
        break;
    case REPLAY_EVENT:
        fprintf(out->file, "%" PRIu64 " and %" PRIu64 "%s", first->values[0], first->values[1],
                first->values[0] == first->values[1] ? ", with other content" : "");
        break;
    case REPLAY_HASH:
        print_hash(d, out, first);
        break;
    case REPLAY_STATE:
        print_number(d, out);
        break;
    }
}

/* Why nothing was compared. */
static const char *why_not(const replay_difference *d, replay_aspect aspect)
{
    const replay_header *a = &d->files[0]->header, *b = &d->files[1]->header;
    bool of_fields = aspect == REPLAY_STATE || aspect == REPLAY_HASH;
    if (of_fields && !d->same_layout) {
        return a->is_whole && b->is_whole ? "not compared: the fields are not the same"
                                          : "not compared: not all fields are known";
    }
    if (aspect == REPLAY_HASH && a->run.hashes != b->run.hashes) {
        return "not compared: they are not of the same";
    }
    return aspect == REPLAY_STATE ? "no tick of which both have a snapshot"
           : aspect == REPLAY_EVENT || aspect == REPLAY_HASH ? "none"
                                                             : "no tick that both have";
}

static void print_aspect(const replay_difference *d, replay_out *out, replay_aspect aspect)
{
    const replay_first *first = &d->first[aspect];
    const char *unit = aspect == REPLAY_STATE ? "snapshot" : "tick";
    label(out, aspects[aspect]);
    if (first->compared == 0) {
        fprintf(out->file, "%s\n", why_not(d, aspect));
        return;
    }
    if (first->differing == 0) {
        fprintf(out->file, "%sthe same%s in %" PRIu64 " %s%s\n", replay_style_on(out, REPLAY_GOOD),
                replay_style_on(out, REPLAY_PLAIN), first->compared, unit,
                first->compared == 1 ? "" : "s");
        return;
    }
    fprintf(out->file, "%sdiffers%s in %" PRIu64 " of %" PRIu64 " %ss, from tick %" PRId64 " on\n",
            replay_style_on(out, REPLAY_BAD), replay_style_on(out, REPLAY_PLAIN), first->differing,
            first->compared, unit, first->tick);
    fprintf(out->file, "%*s", 2 + LABEL, "");
    print_detail(d, out, aspect);
    fputc('\n', out->file);
}

static void print_ticks(const replay_difference *d, replay_out *out)
{
    label(out, "ticks");
    fprintf(out->file, "%" PRIu64 " in both", d->both);
    for (int i = 0; i < 2; ++i) {
        if (d->only[i] > 0) {
            fprintf(out->file, "\n%*s%" PRIu64 " only in %c, from tick %" PRId64 " on", 2 + LABEL,
                    "", d->only[i], "AB"[i], d -> only_first[i]);
        }
    }
    fputc('\n', out->file);
}

static void print_verdict(const replay_difference *d, replay_out *out)
{
    int64_t tick;
    bool differ = replay_first_tick(d, &tick), partial = replay_is_partial(d);
    bool same = replay_is_same(d);
    fprintf(out->file, "\n%s",
            replay_style_on(out, !same     ? REPLAY_BAD
                                 : partial ? REPLAY_WARN
                                           : REPLAY_GOOD));
    if (differ) {
        fprintf(out->file, "The first tick that differs: %" PRId64 ".", tick);
    } else if (d->both == 0 && !same) {
        fprintf(out->file, "No tick is in both.");
    } else if (!same && (d->only[0] > 0 || d->only[1] > 0)) {
        fprintf(out->file, "The same in all ticks that both have%s; not all are in both.",
                d->header_differences > 0 ? ", with other headers" : "");
    } else if (d->header_differences > 0) {
        fprintf(out->file, "The same ticks, with other headers.");
    } else if (d->both == 0 && d->only[0] + d->only[1] == 0) {
        fprintf(out->file, "The same, and no tick is in either%s.",
                partial ? ", as far as both can be read" : "");
    } else {
        fprintf(out->file, "The same%s.", partial ? ", as far as both can be read" : "");
    }
    fprintf(out->file, "%s\n", replay_style_on(out, REPLAY_PLAIN));
    if (partial) {
        fprintf(out->file, "Not all of both can be read: evenstep replay FILE tells where.\n");
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *number_json(const replay_number *number)
{
    char texts[2][REPLAY_NUMBER];
    json_t *object = json_object();
    replay_json_set_text(object, "field", number->field->name, number->field->name_size);
    for (int i = 0; i < 2; ++i) {
        replay_format_number(texts[i], number->field->type, number->bits[i]);
    }
    json_object_set_new(object, "object", replay_json_count(number->element));
    json_object_set_new(object, "component", json_integer((json_int_t)number->component));
    json_object_set_new(object, "a", json_string(texts[0]));
    json_object_set_new(object, "b", json_string(texts[1]));
    json_object_set_new(object, "numbers", replay_json_count(number->differing));
    return object;
}

static json_t *detail_json(const replay_difference *d, replay_aspect aspect)
{
    const replay_first *first = &d->first[aspect];
    char texts[2][REPLAY_NUMBER];
    char *name;
    json_t *object;
    switch (aspect) {
    case REPLAY_STEP:
        format_step_value(texts[0], first, 0);
        format_step_value(texts[1], first, 1);
        return json_pack("{s:s, s:s, s:s}", "value", first->what, "a", texts[0], "b", texts[1]);
    case REPLAY_HASH:
        name = replay_hash_name(&d->files[0]->header, (size_t)first->at);
        object = json_pack("{s:s, s:o, s:o, s:I, s:I}", "of", name != NULL ? name : "", "a",
                replay_json_hash(first->values[0]), "b", replay_json_hash(first->values[1]),
                "hashes", (json_int_t)first->hashes, "hashes_all", (json_int_t)first->hashes_all);
        free(name);
        return object;
    case REPLAY_STATE:
        return number_json(&d->number);
    default:
        return json_pack("{s:o, s:o, s:o}", aspect == REPLAY_INPUT ? "bytes_a" : "a",
                replay_json_count(first->values[0]), aspect == REPLAY_INPUT ? "bytes_b" : "b",
                replay_json_count(first->values[1]), "same_bytes",
                aspect == REPLAY_INPUT && first->at_known ? replay_json_count(first->at)
                                                          : json_null());
    }
}

static void write_json(replay_difference *d, replay_out *out)
{
    int64_t tick = 0;
    header_lines lines = {.out = out, .items = json_array()};
    bool differ = replay_first_tick(d, &tick);
    (void)replay_compare_headers(d, print_header_line, &lines);
    json_t *root =
            json_pack("{s:b, s:o, s:b, s:o, s:o}", "same", (int)replay_is_same(d), "first_tick",
                    differ ? json_integer(tick) : json_null(), "partial", (int)replay_is_partial(d),
                    "headers", lines.items, "ticks_both", replay_json_count(d->both));
    for (int i = 0; i < 2; ++i) {
        json_object_set_new(
                root, i == 0 ? "ticks_only_a" : "ticks_only_b", replay_json_count(d->only[i]));
    }
    for (int i = 0; i < REPLAY_ASPECTS; ++i) {
        const replay_first *first = &d->first[i];
        json_t *object = json_pack("{s:o, s:o}", "compared", replay_json_count(first->compared),
                "differing", replay_json_count(first->differing));
        if (first->differing > 0) {
            json_object_set_new(object, "first_tick", json_integer(first->tick));
            json_object_set_new(object, "first", detail_json(d, (replay_aspect)i));
        }
        json_object_set_new(root, aspects[i], object);
    }
    json_t *other = json_object();
    replay_json_set_text(other, "file", d->files[1]->path, strlen(d->files[1]->path));
    json_object_set_new(root, "other", other);
    replay_begin(d->files[0], out);
    replay_json_member(out, "diff", root);
    replay_end(out);
}

void replay_tell_difference(const replay_difference *d, replay_out *out)
{
    replay_difference copy = *d;
    header_lines lines = {.out = out};
    if (out->json) {
        write_json(&copy, out);
        return;
    }
    print_files(d, out);
    (void)replay_compare_headers(&copy, print_header_line, &lines);
    print_verdict(d, out);
    fputc('\n', out->file);
    for (int i = 0; i < REPLAY_ASPECTS; ++i) {
        print_aspect(d, out, (replay_aspect)i);
    }
    print_ticks(d, out);
}
