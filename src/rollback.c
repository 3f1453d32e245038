/* SPDX-License-Identifier: Zlib
 *
 * Requests in the place of callbacks, and the guess that the last input goes on: as GGPO (Cannon
 * 2009) and ggrs have it.
 */
#include "evenstep/rollback.h"

#include <string.h>

enum { PREDICT = 8, AHEAD = 64, AHEAD_MAX = 1024, ALIGNMENT = 64 };

static es_result refuse(es_error *error, es_result result, const char *field, const char *reason)
{
    if (error != NULL) {
        *error = (es_error){.field = field, .reason = reason};
    }
    return result;
}

static es_rollback_config filled(const es_rollback_config *config)
{
    es_rollback_config full = *config;
    full.predict_max = full.predict_max != 0 ? full.predict_max : PREDICT;
    full.ahead_max = full.ahead_max != 0 ? full.ahead_max : AHEAD;
    return full;
}

static const char *refused_field(const es_rollback_config *full, const char **reason)
{
    if (full->players < 1 || full->players > ES_ROLLBACK_PLAYERS_MAX) {
        *reason = "is not 1 to ES_ROLLBACK_PLAYERS_MAX";
        return "players";
    }
    if (full->input_size == 0) {
        *reason = "is 0";
        return "input_size";
    }
    if (full->state_size == 0) {
        *reason = "is 0";
        return "state_size";
    }
    if (full->predict_max < 1 || full->predict_max > ES_ROLLBACK_PREDICT_MAX) {
        *reason = "is not 0 to ES_ROLLBACK_PREDICT_MAX";
        return "predict_max";
    }
    if (full->ahead_max < 1 || full->ahead_max > AHEAD_MAX) {
        *reason = "is not 0 to 1024";
        return "ahead_max";
    }
    return NULL;
}

static size_t rounded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* States: before the first guess, of each guessed tick, and of the new one. */
static int32_t state_slots(const es_rollback_config *full)
{
    return full->predict_max + 2;
}

/* Inputs: of the ticks that may run again, and of those ahead. */
static int32_t input_slots(const es_rollback_config *full)
{
    return full->predict_max + full->ahead_max + 2;
}

size_t es_rollback_memory_size(const es_rollback_config *config)
{
    const char *reason;
    if (config == NULL) {
        return 0;
    }
    es_rollback_config full = filled(config);
    if (refused_field(&full, &reason) != NULL) {
        return 0;
    }
    size_t most = SIZE_MAX / 4 - 2 * ALIGNMENT, players = (size_t)full.players;
    size_t rows = 2 * (size_t)input_slots(&full) + 1, slots = (size_t)state_slots(&full);
    if (full.state_size > most / slots - ALIGNMENT || full.input_size > most / (rows * players)) {
        return 0;
    }
    return slots * rounded(full.state_size) + rows * players * full.input_size + ALIGNMENT - 1;
}

es_result es_rollback_init(es_rollback *rollback, const es_rollback_config *config, void *memory,
        size_t memory_size, es_error *error)
{
    const char *reason;
    if (rollback == NULL || config == NULL || memory == NULL) {
        const char *name = rollback == NULL ? "rollback" : config == NULL ? "config" : "memory";
        return refuse(error, ES_ERR_INVALID, name, "is NULL");
    }
    es_rollback_config full = filled(config);
    const char *field = refused_field(&full, &reason);
    if (field != NULL) {
        return refuse(error, ES_ERR_INVALID, field, reason);
    }
    size_t needed = es_rollback_memory_size(config);
    if (needed == 0) {
        return refuse(error, ES_ERR_SPACE, "config", "wants more memory than there can be");
    }
    if (memory_size < needed) {
        return refuse(error, ES_ERR_SPACE, "memory_size", "is under es_rollback_memory_size");
    }
    unsigned char *at = memory;
    memset(memory, 0, needed);
    memset(rollback, 0, sizeof *rollback);
    at += (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
    size_t row = (size_t)full.players * full.input_size;
    rollback->config = full;
    rollback->states = at;
    rollback->state_stride = rounded(full.state_size);
    rollback->state_slots = state_slots(&full);
    rollback->input_slots = input_slots(&full);
    rollback->known = at + (size_t)rollback->state_slots * rollback->state_stride;
    rollback->used = rollback->known + (size_t)rollback->input_slots * row;
    rollback->last = rollback->used + (size_t)rollback->input_slots * row;
    rollback->first_wrong = INT64_MAX;
    rollback->next = 1;
    rollback->end = 0;
    rollback->save = true;
    return refuse(error, ES_OK, NULL, NULL);
}

static unsigned char *state_of(const es_rollback *rollback, int64_t tick)
{
    return rollback->states + (size_t)(tick % rollback->state_slots) * rollback->state_stride;
}

static size_t input_at(const es_rollback *rollback, int64_t tick, int32_t player)
{
    size_t slot = (size_t)(tick % rollback->input_slots);
    return (slot * (size_t)rollback->config.players + (size_t)player) * rollback->config.input_size;
}

/* The last tick of which every player's input has come. */
static int64_t all_come(const es_rollback *rollback)
{
    int64_t least = INT64_MAX;
    for (int32_t i = 0; i < rollback->config.players; ++i) {
        least = rollback->come[i] < least ? rollback->come[i] : least;
    }
    return least;
}

/* The first save waits without standing in the way: inputs may come before it. */
static bool is_open(const es_rollback *rollback)
{
    return rollback->load || rollback->next <= rollback->end
           || (rollback->save && rollback->tick > 0);
}

es_result es_rollback_input(es_rollback *rollback, int32_t player, int64_t tick, const void *input)
{
    if (rollback == NULL || input == NULL || player < 0 || player >= rollback->config.players) {
        return ES_ERR_INVALID;
    }
    if (is_open(rollback) || tick != rollback->come[player] + 1) {
        return ES_ERR_STATE;
    }
    if (tick > rollback->tick + rollback->config.ahead_max) {
        return ES_ERR_FULL;
    }
    size_t size = rollback->config.input_size, at = input_at(rollback, tick, player);
    memcpy(rollback->known + at, input, size);
    memcpy(rollback->last + (size_t)player * size, input, size);
    rollback->come[player] = tick;
    bool wrong = tick <= rollback->tick && memcmp(rollback->used + at, input, size) != 0;
    if (wrong && tick < rollback->first_wrong) {
        rollback->first_wrong = tick;
    }
    return ES_OK;
}

es_result es_rollback_begin(es_rollback *rollback, bool advance)
{
    if (is_open(rollback)) {
        return ES_ERR_STATE;
    }
    bool allowed = rollback->tick + 1 - all_come(rollback) <= rollback->config.predict_max;
    rollback->load = rollback->first_wrong <= rollback->tick;
    rollback->next = rollback->load ? rollback->first_wrong : rollback->tick + 1;
    rollback->end = rollback->tick + (advance && allowed);
    return advance && !allowed ? ES_ERR_FULL : ES_OK;
}

static void choose_inputs(es_rollback *rollback, int64_t tick, es_rollback_request *request)
{
    size_t size = rollback->config.input_size;
    for (int32_t i = 0; i < rollback->config.players; ++i) {
        size_t at = input_at(rollback, tick, i);
        bool known = tick <= rollback->come[i];
        memcpy(rollback->used + at,
                known ? rollback->known + at : rollback->last + (size_t)i * size, size);
        request->guessed |= known ? 0U : 1U << i;
    }
    request->inputs = rollback->used + input_at(rollback, tick, 0);
}

bool es_rollback_next(es_rollback *rollback, es_rollback_request *request)
{
    *request = (es_rollback_request){0};
    if (rollback->load) {
        rollback->load = false;
        request->kind = ES_ROLLBACK_LOAD;
        request->tick = rollback->next - 1;
    } else if (rollback->save) {
        rollback->save = false;
        request->kind = ES_ROLLBACK_SAVE;
        request->tick = rollback->next - 1;
    } else if (rollback->next <= rollback->end) {
        request->kind = ES_ROLLBACK_ADVANCE;
        request->tick = rollback->next;
        request->again = rollback->next <= rollback->tick;
        choose_inputs(rollback, rollback->next, request);
        rollback->tick = rollback->next > rollback->tick ? rollback->next : rollback->tick;
        rollback->next += 1;
        rollback->save = true;
        rollback->first_wrong = INT64_MAX;
        return true;
    } else {
        return false;
    }
    request->saved = state_of(rollback, request->tick);
    return true;
}

int64_t es_rollback_tick(const es_rollback *rollback)
{
    return rollback->tick;
}

int64_t es_rollback_confirmed(const es_rollback *rollback)
{
    int64_t come = all_come(rollback);
    int64_t confirmed = come < rollback->tick ? come : rollback->tick;
    return rollback->first_wrong <= confirmed ? rollback->first_wrong - 1 : confirmed;
}

const void *es_rollback_saved(const es_rollback *rollback, int64_t tick)
{
    bool there = tick >= 0 && tick <= rollback->tick && !is_open(rollback) && !rollback->save
                 && tick > rollback->tick - rollback->state_slots;
    return there ? state_of(rollback, tick) : NULL;
}
