/* SPDX-License-Identifier: Zlib */
#include "evenstep/history.h"

#include <string.h>

/* Both states start on a cache line of their own, for the blend's sake. */
#define STATE_ALIGNMENT ((size_t)64)

/* The distance from one state to the other; 0 when it does not fit. */
static size_t slot_size(size_t state_size)
{
    if (state_size > SIZE_MAX / 2 - STATE_ALIGNMENT) {
        return 0;
    }
    return (state_size + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT;
}

size_t es_history_memory_size(size_t state_size)
{
    return 2 * slot_size(state_size);
}

es_result es_history_init(es_history *history, void *memory, size_t memory_size, size_t state_size)
{
    if (history == NULL || memory == NULL || state_size == 0) {
        return ES_ERR_INVALID;
    }
    size_t needed = es_history_memory_size(state_size);
    if (needed == 0 || memory_size < needed) {
        return ES_ERR_SPACE;
    }
    memset(memory, 0, needed);
    history->memory = memory;
    history->state_size = state_size;
    history->current_tick = 0;
    history->previous_tick = 0;
    return ES_OK;
}

void *es_history_current(const es_history *history)
{
    return history->memory;
}

void *es_history_previous(const es_history *history)
{
    return history->memory + slot_size(history->state_size);
}

static void copy_to_previous(es_history *history)
{
    memcpy(es_history_previous(history), es_history_current(history), history->state_size);
    history->previous_tick = history->current_tick;
}

void *es_history_push(es_history *history, const es_step *step)
{
    copy_to_previous(history);
    history->current_tick = step != NULL ? step->index : es_ns_add(history->current_tick, 1);
    return es_history_current(history);
}

void es_history_reset(es_history *history, int64_t tick)
{
    history->current_tick = tick;
    copy_to_previous(history);
}

bool es_history_matches(const es_history *history, const es_frame *frame)
{
    return history->current_tick == frame->current_tick
           && history->previous_tick == frame->previous_tick;
}
