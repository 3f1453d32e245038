/* SPDX-License-Identifier: Zlib
 *
 * history: the last ticks of a state: current, previous, and as many more as the blending needs.
 *
 * Blending needs the states before and after the newest tick. A copy of the previous state that is
 * made once per frame is wrong in frames with two ticks or none. So copy it before each tick:
 *
 *   static _Alignas(64) unsigned char memory[ES_HISTORY_SIZE(world, 2)];
 *   es_history_init(&history, memory, sizeof memory, sizeof(world), 2);
 *   world_make(es_history_current(&history));           // the initial state
 *   es_history_reset(&history, 0, 0);                   // tick 0, at time 0
 *   ...
 *   while (es_loop_tick(&loop, &step)) {
 *       world *w = es_history_push(&history, &step);   // previous = current
 *       world_update(w, step.dt_s);                    // current moves on
 *   }
 *
 * How many ticks: 2 for blends between two, 4 for splines, more for fields with a delay of their
 * own and for corrections that fade (es_prediction). One more for each of the loop's lead_ticks; 3
 * for a group with a rate of its own (es_rates_history_ticks).
 *
 * An object that teleports, or appears in another's slot, must not streak across the screen. Where
 * the layout has a mark (ES_BLEND_MARK), the simulation counts it up. Without one, es_history_snap
 * ends the streak. When a whole world is moved (a floating origin), or an object goes on through a
 * portal, es_history_shift moves the past along and keeps the motion. Call these in the update, not
 * while drawing. A shift also changes the current state, so for an exact replay it must follow from
 * the simulation, not from what was drawn.
 *
 * Threads: one thread at a time per history. Allocation: none; the caller gives the memory and keeps
 * it while the history is used. Pointers must not be NULL; returned ones point into that memory.
 * Errors: es_result; nothing changes on an error.
 */
#ifndef EVENSTEP_HISTORY_H
#define EVENSTEP_HISTORY_H

#include "evenstep/evenstep.h"
#include "evenstep/layout.h"

/* How many ticks a history may keep. */
#define ES_HISTORY_TICKS_MIN 2
#define ES_HISTORY_TICKS_MAX 8

/* es_history_memory_size as a constant, for a type. */
#define ES_HISTORY_SIZE(state, ticks) ((size_t)(ticks) * ((sizeof(state) + 63) / 64 * 64))

/* Initialise with es_history_init; use the functions, not the members. */
typedef struct es_history {
    unsigned char *memory;
    size_t state_size;
    int32_t ticks;                         /* slots in the memory */
    int32_t count;                         /* known ticks; at least 1 */
    uint8_t slots[ES_HISTORY_TICKS_MAX];   /* by age: the tick's slot; slots[0] is current */
    int64_t indices[ES_HISTORY_TICKS_MAX]; /* by age */
    int64_t times_ns[ES_HISTORY_TICKS_MAX];
} es_history;

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the bytes for this many ticks of a state.
 *
 * 0: the size does not fit size_t, or ticks is not ES_HISTORY_TICKS_MIN to ES_HISTORY_TICKS_MAX.
 */
ES_API size_t es_history_memory_size(size_t state_size, int32_t ticks);

/** Starts a history at tick 0, time 0, with zeroed states.
 *
 * Write the initial state through es_history_current, then call es_history_reset.
 * memory: aligned for the state (malloc's alignment is enough). The first current state lies at its
 *   start, all states at multiples of 64 bytes from there.
 * memory_size: at least es_history_memory_size(state_size, ticks), else ES_ERR_SPACE.
 * ticks: ES_HISTORY_TICKS_MIN to ES_HISTORY_TICKS_MAX, the current one included.
 */
ES_API es_result es_history_init(
        es_history *history, void *memory, size_t memory_size, size_t state_size, int32_t ticks);

/** Captures: previous becomes a copy of current, which the caller then updates by one tick.
 *
 * The oldest tick goes. Current keeps its address as long as only this function is used.
 * step: its index and time become the current tick's. NULL: the index counts up by one, the time
 *   goes on by as much as between the two newest ticks, 0 where only one is known. So without any
 *   steps all times stay equal: enough for es_blend, not for es_blend_run.
 * Returns the current state.
 */
ES_API void *es_history_push(es_history *history, const es_step *step);

/** As es_history_push, without the copy: for programs that write every byte of a state at every
 * tick, reading from previous.
 *
 * Returns the current state at another address than before: the memory of the oldest tick, whose
 * bytes are several ticks old.
 */
ES_API void *es_history_next(es_history *history, const es_step *step);

/** Forgets the past: the current state is the only known tick, and previous becomes a copy of it.
 *
 * After writing the initial state, after loading one, a seek, or a cut to another scene.
 * tick, time_ns: index and simulated time of the state from now on.
 */
ES_API void es_history_reset(es_history *history, int64_t tick, int64_t time_ns);

/** The newest tick's state. */
ES_API void *es_history_current(const es_history *history);

/** The state of the tick before; while there is none, what current was at the last reset. Valid
 * until the next push, next or reset. */
ES_API void *es_history_previous(const es_history *history);

/** The state of the tick `age` ticks before the newest; NULL if it is not known: a history knows one
 * tick after a reset, and at most as many as it keeps.
 *
 * Write to it only to move the past along with the present: a portal that also turns an object has
 * to turn positions, rotations and velocities in each known tick.
 */
ES_API void *es_history_tick(const es_history *history, int32_t age);

/** Whether this history is at a frame's newest tick, and holds the two that the frame blends.
 *
 * False, worth an assert: a push was forgotten or made twice, or fewer ticks are kept than
 * lead_ticks or a rate group needs (es_rates_history_ticks).
 */
ES_API bool es_history_matches(const es_history *history, const es_frame *frame);

/** Prevents an object's streak after a spawn or a teleport, in layouts without a mark: copies its
 * numbers from the current state into all older ticks.
 *
 * name: of a field. Of a mark (ES_BLEND_MARK): all fields of its group are copied.
 * element: the object.
 * ES_ERR_INVALID: a NULL, a layout for states of another size, no such field or element.
 */
ES_API es_result es_history_snap(
        es_history *history, const es_layout *layout, const char *name, size_t element);

/** Moves an object and its past: a portal that keeps momentum, without turning it.
 *
 * The distance between its ticks stays the same up to rounding. The screen shows the shift with the
 * next frame: with a lead, that is before it shows the tick that called.
 * name: of a field of floats or doubles.
 * delta: added to each component in all ticks; rounded once, after adding in double.
 * components: how many numbers delta has: as many as the field.
 * ES_ERR_INVALID: as es_history_snap, or another type or number of components.
 */
ES_API es_result es_history_shift(es_history *history, const es_layout *layout, const char *name,
        size_t element, const double *delta, size_t components);

/** Moves all objects of a field and their past, as es_history_shift does one: a floating origin. */
ES_API es_result es_history_shift_all(es_history *history, const es_layout *layout,
        const char *name, const double *delta, size_t components);

#ifdef __cplusplus
}
#endif

#endif
