/* SPDX-License-Identifier: Zlib */
#include "evenstep/bytes.h"
#include "evenstep/playback.h"
#include "evenstep/reader.h"
#include "evenstep/record.h"
#include "evenstep/state.h"

#include "demo_player.h"

#include "tool.h"

#include "lab/numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --- tags ------------------------------------------------------------------------------------- */

static bool is_text(const char *text, size_t size, const char *wanted)
{
    return strlen(wanted) == size && memcmp(text, wanted, size) == 0;
}

/* Tags come before the first snapshot. */
static bool find_tag(es_reader *reader, const char *name, char *text, size_t size)
{
    es_reader_item item;
    es_reader_tag tag;
    for (;;) {
        es_result result = es_reader_next(reader, &item);
        if (result == ES_ERR_DAMAGED) {
            continue;
        }
        if (result != ES_OK || item.kind == ES_RECORD_NONE || item.kind == ES_RECORD_SNAPSHOT) {
            return false;
        }
        if (es_reader_get_tag(&item, &tag) && is_text(tag.name, tag.name_size, name)) {
            snprintf(text, size, "%.*s", (int)tag.text_size, tag.text);
            return true;
        }
    }
}

bool demo_player_tag(const char *path, const char *name, char *text, size_t size)
{
    es_record_file file;
    es_reader reader;
    unsigned char *window = malloc(ES_RECORD_SIZE_MAX);
    bool found = false;
    if (window != NULL && es_record_file_open(&file, path) == ES_OK) {
        es_source source = es_record_file_source(&file);
        found = es_reader_open(&reader, &source, window, ES_RECORD_SIZE_MAX, NULL) == ES_OK
                && find_tag(&reader, name, text, size);
        es_record_file_close(&file);
    }
    free(window);
    return found;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* With the first damage, where there is some: that explains the rest. */
static bool refuse_damaged(demo_player *player, const char *field, const char *reason)
{
    es_reader reader;
    es_reader_summary found = {0};
    if (es_reader_open(&reader, &player->config.source, player->memory, ES_RECORD_SIZE_MAX, NULL)
                    != ES_OK
            || es_reader_summarize(&reader, &found) != ES_OK || found.damages == 0) {
        return refuse(player, "%s %s", field, reason);
    }
    return refuse(player, "byte %" PRIu64 ": %s; %s %s", found.first_damage.offset,
            es_damage_name(found.first_damage.damage), field, reason);
}

/* Whether it is a recording of the demo, before it is asked whether it fits. */
static bool look_at_file(demo_player *player)
{
    es_reader reader;
    es_error error;
    char program[64];
    es_result result = es_reader_open(
            &reader, &player->config.source, player->memory, ES_RECORD_SIZE_MAX, &error);
    if (result != ES_OK) {
        return refuse(player, "byte 0: %s %s", error.field != NULL ? error.field : "the file",
                error.reason != NULL ? error.reason : tool_result_text(result));
    }
    if (!find_tag(&reader, "program", program, sizeof program)) {
        return refuse_damaged(player, "no recording of the demo:", "it names no program");
    }
    if (strcmp(program, DEMO_WORLD_PROGRAM) != 0) {
        return refuse(player, "a recording of '%s', not of the demo", program);
    }
    return true;
}

/* The first damage behind a tick's step; behind the file's head, if the tick is INT64_MIN. */
static bool find_damage(const demo_player *player, int64_t tick, es_reader_item *item)
{
    es_reader reader;
    es_reader_step step;
    unsigned char *window = malloc(ES_RECORD_SIZE_MAX);
    bool behind = tick == INT64_MIN, found = false;
    es_result result = window == NULL ? ES_ERR_SPACE
                                      : es_reader_open(&reader, &player->config.source, window,
                                              ES_RECORD_SIZE_MAX, NULL);
    while (result == ES_OK && !found) {
        result = es_reader_next(&reader, item);
        found = behind && result == ES_ERR_DAMAGED;
        if (result == ES_OK && item->kind == ES_RECORD_NONE) {
            break;
        }
        if (result == ES_OK && item->kind == ES_RECORD_STEP && es_reader_get_step(item, &step)) {
            behind = behind || step.step.index >= tick;
        }
        result = result == ES_ERR_DAMAGED ? ES_OK : result;
    }
    free(window);
    return found;
}

/* Refuses, and says where the damage behind a tick is. */
static void refuse_at(demo_player *player, int64_t tick, const char *what)
{
    es_reader_item item;
    if (find_damage(player, tick > player->first_tick ? tick : INT64_MIN, &item)) {
        refuse(player, "%s: byte %" PRIu64 ": %s", what, item.offset, es_damage_name(item.damage));
    } else {
        refuse(player, "%s: the recording leaves out ticks (its disk was too slow)", what);
    }
}

static bool open_play(demo_player *player)
{
    es_error error = {0};
    es_result result = es_playback_open(&player->play, &player->config, player->memory,
            es_playback_memory_size(&player->config), &error);
    if (result != ES_OK) {
        return refuse_damaged(player, error.field != NULL ? error.field : "the recording",
                error.reason != NULL ? error.reason : tool_result_text(result));
    }
    player->last_tick = es_playback_summary(&player->play).last_tick;
    return true;
}

static void read_ahead(demo_player *player)
{
    const void *input;
    char text[96];
    es_result result = es_playback_next(&player->play, &player->next, &input, &player->next_size);
    player->has_next = result == ES_OK;
    if (result == ES_OK) {
        memcpy(player->input, input, player->next_size);
        if (!demo_given_read(&player->ahead, player->input, player->next_size)) {
            player->ahead.base = (es_rate){0, 0}; /* the tick itself will be refused */
        }
        return;
    }
    es_reader_summary summary = es_playback_summary(&player->play);
    int64_t resume = es_playback_resume_tick(&player->play); /* where there is a state again */
    bool torn = resume == INT64_MAX && summary.first_damage.damage == ES_DAMAGE_CUT;
    player->cut = !summary.ended && (result == ES_ERR_STATE || torn);
    player->lost = result != ES_ERR_STATE && !player->cut;
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

/* The first state that is there. */
static es_result start(demo_player *player)
{
    char text[96];
    es_result result = es_playback_start(&player->play, &player->world);
    int64_t resume = es_playback_resume_tick(&player->play);
    if (result != ES_ERR_DAMAGED || resume == INT64_MAX) {
        return result;
    }
    snprintf(text, sizeof text, "what comes before tick %" PRId64 " cannot be played", resume);
    refuse_at(player, INT64_MIN, text);
    player->explained = true;
    player->skipped = 1;
    return es_playback_seek(&player->play, resume, &player->world);
}

bool demo_player_open(demo_player *player, const char *path)
{
    memset(player, 0, sizeof *player);
    player->path = path;
    player->config = (es_playback_config){.layout = demo_world_layout(),
            .input_max = DEMO_INPUT_MAX,
            .user = &player->replayer,
            .update = demo_world_update,
            .loaded = demo_world_loaded};
    player->memory = malloc(es_playback_memory_size(&player->config));
    if (player->memory == NULL) {
        return refuse(player, "no memory");
    }
    if (es_record_file_open(&player->file, path) != ES_OK) {
        bool is_pipe = player->file.failed == ESPIPE;
        return refuse(player, "%s",
                is_pipe ? "a pipe, and reading goes back and forth"
                        : strerror(player->file.failed));
    }
    player->config.source = es_record_file_source(&player->file);
    if (!look_at_file(player) || !open_play(player)) {
        return false;
    }
    es_result result = start(player);
    if (result != ES_OK || player->replayer.unsound) {
        return refuse(player, "%s",
                result != ES_OK ? tool_result_text(result) : "its first state is not valid");
    }
    player->tick = player->first_tick = es_playback_tick(&player->play);
    read_ahead(player);
    return true;
}

void demo_player_close(demo_player *player)
{
    if (player->file.file != NULL) {
        es_record_file_close(&player->file);
    }
    free(player->memory);
    player->memory = NULL;
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* Ticks that are not there are passed over, where a snapshot lets it go on behind them. */
static bool pass_over(demo_player *player)
{
    int64_t resume = es_playback_resume_tick(&player->play);
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
    uint64_t before = es_playback_progress_get(&player->play).compared;
    (void)es_playback_check(&player->play, &player->world); /* the divergence keeps the first */
    bool compared = es_playback_progress_get(&player->play).compared > before;
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

bool demo_player_seek(demo_player *player, int64_t tick)
{
    (void)demo_player_is_same(player); /* it is forgotten there */
    es_result result = es_playback_seek(&player->play, tick, &player->world);
    bool there = result == ES_OK && !player->replayer.unsound;
    player->tick = es_playback_tick(&player->play);
    player->cut = player->lost = false;
    if (!there && (tick < player->first_tick || tick > player->last_tick)) {
        refuse(player, "tick %" PRId64 " is not in it, it has %" PRId64 " to %" PRId64, tick,
                player->first_tick, player->last_tick);
    } else if (!there) {
        refuse(player, "cannot go to tick %" PRId64 ": %s", tick,
                !demo_player_is_same(player) ? "the run differs before it"
                                             : tool_result_text(result));
    }
    read_ahead(player);
    return there;
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

/* At the first tick that differs, as finely as is known of that tick. */
static const char *what_differs(const es_divergence *found)
{
    if (found->field != NULL) {
        return found->field->name;
    }
    return found->level == ES_RECORD_HASH_GROUPS ? demo_world_group(found->group) : "the state";
}

bool demo_player_is_same(demo_player *player)
{
    const es_divergence *found = es_playback_divergence(&player->play);
    char *text = player->difference;
    if (!found->found || (player->differed && !found->located)) {
        return !player->differed;
    }
    player->differed = true;
    int used = snprintf(text, DEMO_PLAYER_WHY,
            "%s: differs from tick %" PRId64 " on: ", player->path, found->tick);
    size_t left = DEMO_PLAYER_WHY - (size_t)used;
    if (used < 0 || (size_t)used >= DEMO_PLAYER_WHY) {
        return false;
    }
    used = snprintf(text + used, left, "%s", what_differs(found));
    if (found->located && used >= 0 && (size_t)used < left) {
        const es_state_difference *at = &found->difference;
        snprintf(text + strlen(text), left - (size_t)used,
                "; at tick %" PRId64 " %s of element %zu is %.17g, recorded was %.17g",
                found->located_tick, at->field->name, at->element, at->values[0], at->values[1]);
    }
    if (!es_playback_fit_get(&player->play).arithmetic) {
        size_t length = strlen(text);
        snprintf(text + length, DEMO_PLAYER_WHY - length,
                " (this machine's floats are not those of the one that recorded)");
    }
    return false;
}
