/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay --verify` and `--seek`: recordings of the demo, which the command can run again,
 * because it has the demo's update.
 */
#include "replay_bulk.h"

#include "demo_player.h"
#include "lab/numbers.h"

#include <inttypes.h>
#include <stdlib.h>

bool replay_is_demo(const char *path)
{
    char program[64];
    return demo_player_tag(path, "program", program, sizeof program)
           && strcmp(program, DEMO_WORLD_PROGRAM) == 0;
}

static int64_t now_ns(void)
{
    es_clock clock;
    return es_clock_system(&clock) ? clock.now_ns(clock.user) : 0;
}

static int print_json(json_t *root)
{
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(root);
    return TOOL_OK;
}

/* --- verifying -------------------------------------------------------------------------------- */

static int verify(demo_player *player, bool json)
{
    int64_t begun_ns = now_ns();
    while (demo_player_tick(player)) {
        es_difference found;
        if (es_replay_get_difference(player->replay, &found) && found.value_field != NULL) {
            break; /* a snapshot after the difference gave the object and the values */
        }
    }
    bool same = !player->differed;
    bool whole = !player->lost && player->skipped == 0 && demo_player_is_compared(player);
    double seconds = (double)(now_ns() - begun_ns) / 1e9;
    const char *problem = !same ? player->difference : whole ? NULL : player->why;
    if (json) {
        (void)print_json(json_pack("{s:s, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:f, s:s?}", "file",
                player->path, "first_tick", (json_int_t)player->first_tick, "last_tick",
                (json_int_t)player->tick, "ticks", (json_int_t)player->ran, "compared",
                (json_int_t)player->compared, "equal", (int)same, "whole", (int)whole, "cut_off",
                (int)player->cut, "seconds", seconds, "problem", problem));
    } else if (problem == NULL) {
        printf("%s: %" PRIu64 " ticks run again, every hash equal, in %.3f s%s\n", player->path,
                player->ran, seconds, player->cut ? " (it was cut off there)" : "");
    }
    if (problem == NULL) {
        return TOOL_OK;
    }
    (void)tool_fail("replay", "%s", problem);
    return tool_fail("replay", "%" PRIu64 " ticks run again, %" PRIu64 " of them compared",
            player->ran, player->compared);
}

/* --- seeking ---------------------------------------------------------------------------------- */

/* A field's numbers, from its packed bytes. */
static json_t *field_json(const es_field *field, const unsigned char *bytes)
{
    json_t *list = json_array();
    unsigned size = ES_TYPE_SIZE(field->type);
    for (size_t i = 0; i < field->count * field->components; ++i, bytes += size) {
        uint64_t bits = 0;
        for (unsigned k = 0; k < size; ++k) {
            bits |= (uint64_t)bytes[k] << 8 * k;
        }
        json_array_append_new(list, replay_number_json(field->type, bits));
    }
    return list;
}

/* From the packed state, which is hashed, too. */
static json_t *fields_json(const demo_scene *world)
{
    const es_layout *layout = demo_world_layout();
    size_t size = es_state_pack(layout, world, NULL, 0), at = 0;
    unsigned char *packed = malloc(size);
    json_t *fields = json_object();
    if (packed == NULL) {
        return fields;
    }
    (void)es_state_pack(layout, world, packed, size);
    for (size_t i = 0; i < layout->field_count; ++i) {
        const es_field *field = &layout->fields[i];
        json_object_set_new(fields, field->name, field_json(field, packed + at));
        at += field->count * field->components * ES_TYPE_SIZE(field->type);
    }
    free(packed);
    return fields;
}

static int seek(demo_player *player, int64_t tick, replay_out *out)
{
    int64_t begun_ns = now_ns(), before = player->replayer.ticks;
    if (!demo_player_seek(player, tick)) {
        return tool_fail("replay", "%s", player->why);
    }
    double took_ms = ns_to_ms(now_ns() - begun_ns);
    int64_t ran = player->replayer.ticks - before;
    uint64_t hash = es_state_hash(demo_world_layout(), &player->world);
    json_t *fields = fields_json(&player->world);
    if (out->json) {
        return print_json(json_pack("{s:s, s:I, s:I, s:f, s:o, s:o}", "file", player->path, "tick",
                (json_int_t)tick, "ticks_run", (json_int_t)ran, "took_ms", took_ms, "hash",
                replay_hash_json(hash), "fields", fields));
    }
    printf("%s: tick %" PRId64 ", %" PRId64 " ticks after a snapshot, in %.3f ms; hash %016" PRIx64
           "\n",
            player->path, tick, ran, took_ms, hash);
    const char *name;
    json_t *values;
    json_object_foreach(fields, name, values)
    {
        printf("  %-22s ", name);
        replay_print_values(out, "", values);
    }
    json_decref(fields);
    return TOOL_OK;
}

/* --- the demo as a program -------------------------------------------------------------------- */

typedef struct demo_run {
    demo_scene world;
    demo_replayer replayer;
} demo_run;

static void *create_run(void)
{
    return calloc(1, sizeof(demo_run));
}

static int update_run(void *state, const es_step *step, const void *input, size_t size)
{
    return demo_world_update(&((demo_run *)state)->replayer, state, step, input, size);
}

static int load_run(void *state, int64_t tick)
{
    demo_world_loaded(&((demo_run *)state)->replayer, state, tick);
    return ((demo_run *)state)->replayer.unsound;
}

const es_verify *replay_demo_program(void)
{
    static es_verify demo = {
            ES_VERSION, DEMO_WORLD_PROGRAM, NULL, create_run, free, update_run, load_run};
    demo.layout = demo_world_layout();
    return &demo;
}

/* --- both ------------------------------------------------------------------------------------- */

static int play(const char *path, const int64_t *tick, replay_out *out)
{
    demo_player *player = calloc(1, sizeof *player);
    int status = REPLAY_DIFFERS;
    if (player == NULL) {
        return replay_out_of_memory();
    }
    if (!demo_player_open(player, path)) {
        (void)tool_fail("replay", "%s", player->why);
    } else {
        status = tick != NULL ? seek(player, *tick, out) : verify(player, out->json);
    }
    demo_player_close(player);
    free(player);
    return status;
}

int replay_verify(const char *path, replay_out *out)
{
    return play(path, NULL, out);
}

int replay_seek(const char *path, int64_t tick, replay_out *out)
{
    return play(path, &tick, out);
}
