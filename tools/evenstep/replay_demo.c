/* SPDX-License-Identifier: Zlib */
#include "replay_demo.h"

#include "evenstep/clock.h"

#include "demo_player.h"
#include "progress.h"
#include "tool.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6 }; /* numbers of a field, as text; all of them as JSON */

bool replay_demo_is(const char *path)
{
    char program[64];
    return demo_player_tag(path, "program", program, sizeof program)
           && strcmp(program, DEMO_WORLD_PROGRAM) == 0;
}

static int64_t now_ns(void)
{
    es_clock clock;
    return es_clock_system(&clock) == ES_OK ? clock.now_ns(clock.user) : 0;
}

/* --- verifying -------------------------------------------------------------------------------- */

/* How it came out. */
typedef struct verdict {
    bool same, whole;
    double seconds;
    const char *text; /* what is wrong; NULL: nothing */
} verdict;

/* To the end; where it differs, on to the next snapshot, which tells the object and the values. */
static void run_all(demo_player *player)
{
    progress bar;
    progress_begin(&bar, "verifying");
    size_t count = (size_t)(player->last_tick - player->first_tick);
    while (demo_player_tick(player)) {
        progress_show(&bar, (size_t)(player->tick - player->first_tick), count);
        if (player->differed && es_playback_divergence(&player->play)->located) {
            break;
        }
    }
    progress_end(&bar);
}

static int tell_verdict(const demo_player *player, const verdict *found, bool json)
{
    if (json) {
        json_t *root = json_pack("{s:s, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:f}", "file",
                player->path, "first_tick", (json_int_t)player->first_tick, "last_tick",
                (json_int_t)player->tick, "ticks", (json_int_t)player->ran, "compared",
                (json_int_t)player->compared, "equal", found->same, "whole", found->whole,
                "cut_off", player->cut, "seconds", found->seconds);
        json_object_set_new(
                root, "problem", found->text != NULL ? json_string(found->text) : json_null());
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(root);
    } else if (found->text == NULL) {
        printf("%s: %" PRIu64 " ticks run again, every hash equal, in %.3f s%s\n", player->path,
                player->ran, found->seconds, player->cut ? " (it was cut off there)" : "");
    }
    if (found->text != NULL) {
        fprintf(stderr, "evenstep replay: %s\n", found->text);
        fprintf(stderr,
                "evenstep replay: %" PRIu64 " ticks run again, %" PRIu64 " of them compared\n",
                player->ran, player->compared);
    }
    return found->same && found->whole ? TOOL_OK : TOOL_FAILED;
}

static int verify(demo_player *player, bool json)
{
    int64_t begun_ns = now_ns();
    run_all(player);
    verdict found = {.same = !player->differed,
            .whole = !player->lost && player->skipped == 0 && demo_player_is_compared(player),
            .seconds = (double)(now_ns() - begun_ns) / 1e9};
    found.text = !found.same ? player->difference : found.whole ? NULL : player->why;
    return tell_verdict(player, &found, json);
}

/* --- seeking ---------------------------------------------------------------------------------- */

static uint64_t word(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    return value;
}

/* A packed number. */
static json_t *number(es_type type, const unsigned char *bytes)
{
    uint32_t low = (uint32_t)word(bytes, type == ES_TYPE_U8 ? 1 : 4);
    uint64_t bits = type == ES_TYPE_F64 || type == ES_TYPE_I64 ? word(bytes, 8) : 0;
    double real;
    float half;
    switch (type) {
    case ES_TYPE_F64:
        memcpy(&real, &bits, sizeof real);
        return json_real(real);
    case ES_TYPE_F32:
        memcpy(&half, &low, sizeof half);
        return json_real((double)half);
    case ES_TYPE_I32:
        return json_integer((int32_t)low);
    case ES_TYPE_I64:
        return json_integer((int64_t)bits);
    default:
        return json_integer((json_int_t)low);
    }
}

static void print_number(const json_t *value)
{
    if (json_is_null(value)) {
        printf(" not finite");
    } else if (json_is_real(value)) {
        printf(" %.9g", json_real_value(value));
    } else {
        printf(" %" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
}

/* A field's numbers; NULL: one that JSON has none for, as not a number, becomes null. */
static json_t *field_json(const es_field *field, const unsigned char *bytes)
{
    size_t count = field->count * field->components, size = ES_TYPE_SIZE(field->type);
    json_t *list = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_t *value = number(field->type, bytes + i * size);
        json_array_append_new(list, value != NULL ? value : json_null());
    }
    return list;
}

static void print_field(const es_field *field, const json_t *list)
{
    size_t count = json_array_size(list);
    printf("  %-24s", field->name);
    for (size_t i = 0; i < count && i < SHOWN; ++i) {
        print_number(json_array_get(list, i));
    }
    if (count > SHOWN) {
        printf(" ... (%zu)", count);
    }
    putchar('\n');
}

/* By the packed state: so that what is shown is what is hashed. */
static json_t *fields_json(const demo_scene *world, bool prints)
{
    const es_layout *layout = demo_world_layout();
    size_t size = (size_t)es_state_packed_size(layout), at = 0;
    unsigned char *packed = malloc(size);
    json_t *fields = json_object();
    if (packed == NULL) {
        return fields;
    }
    es_state_pack(layout, world, 0, packed, size);
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        json_t *list = field_json(field, packed + at);
        at += field->count * field->components * ES_TYPE_SIZE(field->type);
        if (prints) {
            print_field(field, list);
        }
        json_object_set_new(fields, field->name, list);
    }
    free(packed);
    return fields;
}

static int seek(demo_player *player, int64_t tick, bool json)
{
    int64_t begun_ns = now_ns();
    int64_t before = player->replayer.ticks;
    if (!demo_player_seek(player, tick)) {
        fprintf(stderr, "evenstep replay: %s\n", player->why);
        return TOOL_FAILED;
    }
    double took_ms = es_ns_to_ms(now_ns() - begun_ns);
    int64_t ran = player->replayer.ticks - before;
    uint64_t hash = es_state_hash(demo_world_layout(), &player->world);
    if (!json) {
        printf("%s: tick %" PRId64 ", %" PRId64
               " ticks after a snapshot, in %.3f ms; hash %016" PRIx64 "\n",
                player->path, tick, ran, took_ms, hash);
    }
    json_t *fields = fields_json(&player->world, !json);
    if (json) {
        char text[17];
        snprintf(text, sizeof text, "%016" PRIx64, hash);
        json_t *root = json_pack("{s:s, s:I, s:I, s:f, s:s, s:O}", "file", player->path, "tick",
                (json_int_t)tick, "ticks_run", (json_int_t)ran, "took_ms", took_ms, "hash", text,
                "fields", fields);
        json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        putchar('\n');
        json_decref(root);
    }
    json_decref(fields);
    return TOOL_OK;
}

/* --- the request ------------------------------------------------------------------------------ */

int replay_demo(const replay_demo_request *request)
{
    demo_player *player = calloc(1, sizeof *player);
    int status = TOOL_USAGE;
    if (player == NULL) {
        fprintf(stderr, "evenstep replay: no memory\n");
        return status;
    }
    if (!demo_player_open(player, request->path)) {
        fprintf(stderr, "evenstep replay: %s\n", player->why);
    } else {
        status = request->seeks ? seek(player, request->seek_tick, request->json)
                                : verify(player, request->json);
    }
    demo_player_close(player);
    free(player);
    return status;
}
