/* SPDX-License-Identifier: Zlib
 *
 * history: the last two ticks of a state, previous and current.
 *
 * Blending needs the state before and after the newest tick. Captured per frame that goes wrong as
 * soon as a frame runs two ticks or none; captured before each tick it cannot:
 *
 *   static _Alignas(64) unsigned char memory[ES_HISTORY_SIZE(world)];
 *   es_history_init(&history, memory, sizeof memory, sizeof(world));
 *   world_make(es_history_current(&history));           // the initial state
 *   es_history_reset(&history, 0);                      // previous = current, tick 0
 *   ...
 *   while (es_loop_tick(&loop, &step)) {
 *       world *w = es_history_push(&history, &step);   // previous = current
 *       world_update(w, step.dt_s);                    // current moves on
 *   }
 *
 * Not for: keeping more than two ticks (a later version), or recording.
 */
#ifndef EVENSTEP_HISTORY_H
#define EVENSTEP_HISTORY_H

#include "evenstep/frame.h"

/* es_history_memory_size as a constant, for a type. */
#define ES_HISTORY_SIZE(state) (2 * ((sizeof(state) + 63) / 64 * 64))

/* Initialise with es_history_init; read nothing here, use the functions. */
typedef struct es_history {
    unsigned char *memory;
    size_t state_size;
    int64_t current_tick;
    int64_t previous_tick;
} es_history;

#ifdef __cplusplus
extern "C" {
#endif

/** How much memory two ticks of a state take.
 *
 * state_size: bytes of one state.
 * Returns: bytes; 0 when that does not fit size_t.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_history_memory_size(size_t state_size);

/** Starts a history at tick 0 with zeroed states.
 *
 * Write the initial state through es_history_current, then call es_history_reset.
 * history: the caller's; not NULL.
 * memory: memory_size bytes, aligned for the state (malloc's alignment is enough). Both states lie
 *   in it, current first, each at a multiple of 64 bytes from its start.
 * memory_size: at least es_history_memory_size(state_size).
 * state_size: bytes of one state, at least 1.
 * Returns: ES_OK, or an error and an unchanged history.
 * Errors: ES_ERR_INVALID: a NULL, or state_size 0. ES_ERR_SPACE: memory_size is too small.
 * Ownership: borrows memory until the history is no longer used; frees nothing.
 * Threads: one thread at a time per history.
 */
ES_API es_result es_history_init(
        es_history *history, void *memory, size_t memory_size, size_t state_size);

/** Captures: previous becomes a copy of current, which the caller then moves on by one tick.
 *
 * history: initialised.
 * step: the step about to be run; its index becomes the current tick's. NULL counts one up.
 * Returns: the current state, to be updated in place.
 * Errors: none.
 * Ownership: points into the history's memory; valid until that goes.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_push(es_history *history, const es_step *step);

/** Forgets the past: previous becomes a copy of current.
 *
 * After loading a state, a seek, or a cut to another scene: nothing will streak.
 * history: initialised.
 * tick: the index that the state has from now on.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per history.
 */
ES_API void es_history_reset(es_history *history, int64_t tick);

/** The newest tick's state.
 *
 * history: initialised.
 * Returns: state_size bytes; the same address for the life of the history.
 * Errors: none.
 * Ownership: points into the history's memory.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_current(const es_history *history);

/** The state of the tick before. Equal to the current one until the first push.
 *
 * history: initialised.
 * Returns: state_size bytes; the same address for the life of the history. Writable, to move the
 *   past along with the present (a floating origin).
 * Errors: none.
 * Ownership: points into the history's memory.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_previous(const es_history *history);

/** Whether this history holds the two ticks that a frame blends.
 *
 * history: initialised.
 * frame: from es_loop_ready; not NULL.
 * Returns: false: a push was forgotten, or made twice; worth an assert.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per history.
 */
ES_API bool es_history_matches(const es_history *history, const es_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
