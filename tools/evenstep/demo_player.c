/* SPDX-License-Identifier: Zlib */
#define _POSIX_C_SOURCE 200809L /* S_ISFIFO */
#include "evenstep/replay.h"

#include "demo_player.h"
#include "lab/numbers.h"
#include "tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

__attribute__((format(printf, 2, 3))) static bool refuse(
        demo_player *player, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(player->why, sizeof player->why, "%.200s: ", player->path);
    va_start(arguments, format);
    vsnprintf(player->why + used, sizeof player->why - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* es_get_error without the function that it begins with. */
static const char *reason(void)
{
    const char *text = strstr(es_get_error(), ": ");
    return text != NULL ? text + 2 : es_get_error();
}

/* --- tags ------------------------------------------------------------------------------------- */

/* Tags come before the first snapshot. */
static bool find_tag(
        es_replay *records, const char *name, char *text, size_t size, uint32_t *version)
{
    es_replay_item item;
    while (es_replay_next_item(records, &item) && item.kind != ES_RECORD_SNAPSHOT) {
        if (item.run != NULL) {
            memcpy(version, item.run->version, sizeof item.run->version);
        }
        if (item.kind == ES_RECORD_TAG && strcmp(item.field->name, name) == 0) {
            snprintf(text, size, "%.*s", (int)item.size, (const char *)item.bytes);
            return true;
        }
    }
    return false;
}

/* Opening a pipe waits for a writer. */
static bool is_pipe(const char *path)
{
#if defined(S_ISFIFO)
    struct stat status;
    return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
#else
    (void)path;
    return false;
#endif
}

bool demo_player_tag(const char *path, const char *name, char *text, size_t size)
{
    es_replay *records = is_pipe(path) ? NULL : es_replay_open(path, NULL, NULL);
    uint32_t version[3];
    bool found = find_tag(records, name, text, size, version);
    es_replay_close(records);
    return found;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* The first damage behind a tick's step; behind the file's head, if the tick is INT64_MIN. */
static bool find_damage(const demo_player *player, int64_t tick, es_replay_item *item)
{
    es_replay *records = es_replay_open(player->path, NULL, NULL);
    bool behind = tick == INT64_MIN, found = false;
    while (!found && es_replay_next_item(records, item)) {
        found = behind && item->damage != ES_DAMAGE_NONE;
        behind = behind || (item->kind == ES_RECORD_STEP && item->step.index >= tick);
    }
    es_replay_close(records);
    return found;
}

/* With the first damage, where there is some: that explains the rest. */
static bool refuse_damaged(demo_player *player, const char *text)
{
    es_replay_item item;
    if (find_damage(player, INT64_MIN, &item)) {
        return refuse(
                player, "byte %" PRIu64 ": %s; %s", item.offset, es_damage_name(item.damage), text);
    }
    return refuse(player, "%s", text);
}

/* Whether it is a recording of the demo, before it is asked whether it fits. */
static bool look_at_file(demo_player *player)
{
    char program[64];
    if (is_pipe(player->path)) {
        return refuse(player, "a pipe, and reading goes back and forth");
    }
    es_replay *records = es_replay_open(player->path, NULL, NULL);
    if (records == NULL) {
        bool head = strstr(es_get_error(), ".head: ") != NULL;
        return refuse(player, "%s%s", head ? "byte 0: head " : "", reason());
    }
    bool found = find_tag(records, "program", program, sizeof program, player->version);
    es_replay_close(records);
    if (!found) {
        return refuse_damaged(player, "no recording of the demo: it names no program");
    }
    if (strcmp(program, DEMO_WORLD_PROGRAM) != 0) {
        return refuse(player, "a recording of '%s', not of the demo", program);
    }
    return true;
}

/* Refuses, and says where the damage behind a tick is. */
static void refuse_at(demo_player *player, int64_t tick, const char *what)
{
    es_replay_item item;
    if (find_damage(player, tick > player->first_tick ? tick : INT64_MIN, &item)) {
        refuse(player, "%s: byte %" PRIu64 ": %s", what, item.offset, es_damage_name(item.damage));
    } else {
        refuse(player, "%s: the recording leaves out ticks (its disk was too slow)", what);
    }
}

/* The last bytes are the beginning of a record. */
static bool is_torn(const demo_player *player)
{
    es_replay_item item;
    return find_damage(player, INT64_MIN, &item) && item.damage == ES_DAMAGE_CUT;
}

static void read_ahead(demo_player *player)
{
    const void *input;
    char text[96];
    player->has_next = es_replay_next(player->replay, &player->next, &input, &player->next_size)
                       && player->next_size <= sizeof player->input;
    if (player->has_next) {
        memcpy(player->input, input, player->next_size);
        if (!demo_given_read(&player->ahead, player->input, player->next_size)) {
            player->ahead.base = (es_rate){0, 0}; /* the tick itself will be refused */
        }
        return;
    }
    es_replay_status status = es_replay_get_status(player->replay);
    int64_t resume = player->resume_tick = status.resume_tick;
    bool ends = status.result == ES_ERR_STATE;
    player->cut = !status.ended && (ends || (resume == INT64_MAX && is_torn(player)));
    player->lost = !ends && !player->cut;
    if (player->lost && !player->explained) { /* that is worse than a tick without hashes */
        player->explained = true;
        snprintf(text, sizeof text, "ticks %" PRId64 " to %" PRId64 " are not there",
                player->tick + 1, resume);
        if (resume == INT64_MAX) {
            snprintf(text, sizeof text, "ticks %" PRId64 " to the last are not there",
                    player->tick + 1);
        }
        refuse_at(player, player->tick, text);
    }
}

/* The first state that is there. False: it is not sound. */
static bool start(demo_player *player)
{
    char text[96];
    es_replay_status status = es_replay_get_status(player->replay);
    player->tick = player->first_tick = status.tick;
    player->last_tick = status.last_tick;
    if (status.result == ES_ERR_DAMAGED) {
        snprintf(text, sizeof text, "what comes before tick %" PRId64 " cannot be played",
                status.resume_tick);
        refuse_at(player, INT64_MIN, text);
        player->explained = true;
        player->skipped = 1;
        (void)es_replay_seek(player->replay, status.resume_tick, &player->world);
        player->tick = player->first_tick = status.resume_tick;
    }
    demo_world_loaded(&player->replayer, &player->world, player->tick);
    return !player->replayer.unsound;
}

bool demo_player_open(demo_player *player, const char *path)
{
    const es_record_config config = {.layout = demo_world_layout()};
    memset(player, 0, sizeof *player);
    player->path = path;
    player->resume_tick = INT64_MAX;
    if (!look_at_file(player)) {
        return false;
    }
    player->replay = es_replay_open(path, &config, &player->world);
    if (player->replay == NULL) {
        const uint32_t *v = player->version;
        char text[256];
        snprintf(text, sizeof text,
                "%.160s; recorded by Evenstep %" PRIu32 ".%" PRIu32 ".%" PRIu32
                ": play it with that version",
                es_get_error(), v[0], v[1], v[2]);
        uint32_t version = v[0] * 1000000 + v[1] * 1000 + v[2];
        if (version == ES_VERSION || version == 0) { /* 0: damaged */
            snprintf(text, sizeof text, "%s", es_get_error());
        }
        return refuse_damaged(player, text);
    }
    if (!start(player)) {
        return refuse(player, "its first state is not valid");
    }
    read_ahead(player);
    return true;
}

void demo_player_close(demo_player *player)
{
    es_replay_close(player->replay);
    player->replay = NULL;
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* Ticks that are not there are passed over, where a snapshot lets it go on behind them. */
static bool pass_over(demo_player *player)
{
    int64_t resume = player->resume_tick;
    if (!player->lost || resume == INT64_MAX) {
        return false;
    }
    uint64_t skipped = player->skipped + 1;
    bool there = demo_player_seek(player, resume);
    player->skipped = skipped;
    return there;
}

bool demo_player_tick(demo_player *player)
{
    if (!player->has_next && !pass_over(player)) {
        return false;
    }
    if (!player->has_next
            || demo_world_update(&player->replayer, &player->world, &player->next, player->input,
                       player->next_size)
                       != 0) {
        player->lost = player->lost
                       || !refuse(player, "the input of tick %" PRId64 " is not valid",
                               player->next.index);
        player->has_next = false;
        return false;
    }
    player->tick = player->next.index;
    player->ran += 1;
    uint64_t before = es_replay_get_status(player->replay).compared;
    (void)es_replay_check(player->replay, &player->world); /* the difference stays the first */
    bool compared = es_replay_get_status(player->replay).compared > before;
    player->compared += compared;
    (void)demo_player_is_same(player);
    read_ahead(player);
    if (!compared && !player->cut && player->why[0] == '\0') {
        char text[64];
        snprintf(text, sizeof text, "tick %" PRId64 " cannot be compared", player->tick);
        refuse_at(player, player->tick, text);
    }
    return true;
}

bool demo_player_is_compared(const demo_player *player)
{
    return player->compared == player->ran || (player->cut && player->compared + 1 == player->ran);
}

/* From a saved state to a tick. NULL: it is there; else why not. */
static const char *run_to(demo_player *player, int64_t tick)
{
    const void *input;
    size_t size;
    es_step step;
    while (player->tick < tick) {
        if (!es_replay_next(player->replay, &step, &input, &size)) {
            return tool_result_text(es_replay_get_status(player->replay).result);
        }
        if (demo_world_update(&player->replayer, &player->world, &step, input, size) != 0) {
            return "the input of a tick before it is not valid";
        }
        player->tick = step.index;
        if (!es_replay_check(player->replay, &player->world)) {
            return "the run differs before it";
        }
    }
    return NULL;
}

bool demo_player_seek(demo_player *player, int64_t tick)
{
    const char *why = NULL;
    (void)demo_player_is_same(player); /* it is forgotten there */
    if (tick <= player->last_tick && es_replay_seek(player->replay, tick, &player->world)) {
        player->tick = es_replay_get_status(player->replay).tick;
        demo_world_loaded(&player->replayer, &player->world, player->tick);
        why = run_to(player, tick);
    } else {
        why = reason();
    }
    player->cut = player->lost = false;
    if (why != NULL && (tick < player->first_tick || tick > player->last_tick)) {
        refuse(player, "tick %" PRId64 " is not in it, it has %" PRId64 " to %" PRId64, tick,
                player->first_tick, player->last_tick);
    } else if (why != NULL) {
        (void)demo_player_is_same(player);
        refuse(player, "cannot go to tick %" PRId64 ": %s", tick, why);
    }
    read_ahead(player);
    return why == NULL;
}

es_rate demo_player_rate(const demo_player *player)
{
    es_rate base = player->ahead.base;
    if (!player->has_next || !rate_is_valid(base)) {
        return (es_rate){0, 0};
    }
    double periods = player->next.dt_s * (double)base.numerator / (double)base.denominator;
    return fabs(periods - 1.0) < 1e-6 ? base : (es_rate){0, 0};
}

bool demo_player_difference(const es_replay *replay, char *text, size_t size)
{
    es_difference found;
    char what[80] = "the state", values[200] = "";
    if (!es_replay_get_difference(replay, &found)) {
        return false;
    }
    if (found.field != NULL) {
        snprintf(what, sizeof what, "%s", found.field);
    } else if (found.group >= 0) {
        snprintf(what, sizeof what, "group %" PRId32, found.group);
    }
    if (found.value_field != NULL) {
        snprintf(values, sizeof values,
                "; at tick %" PRId64 " %s of element %zu is %.17g, recorded was %.17g",
                found.value_tick, found.value_field, found.object, found.values[0],
                found.values[1]);
    }
    snprintf(text, size, "from tick %" PRId64 " on: %s%s%s", found.tick, what, values,
            es_replay_get_status(replay).same_arithmetic
                    ? ""
                    : " (this machine's floats are not those of the one that recorded)");
    return true;
}

bool demo_player_is_same(demo_player *player)
{
    es_difference found;
    char *text = player->difference;
    if (es_replay_get_difference(player->replay, &found)
            && (!player->differed || found.value_field != NULL)) {
        player->differed = true;
        snprintf(text, DEMO_PLAYER_WHY, "%.200s: differs ", player->path);
        size_t used = strlen(text);
        (void)demo_player_difference(player->replay, text + used, DEMO_PLAYER_WHY - used);
    }
    return !player->differed;
}
