/* SPDX-License-Identifier: Zlib
 *
 * history: the last ticks of a state: current, previous, and as many more as the blending needs.
 *
 * Blending needs the state before and after the newest tick. Captured per frame that goes wrong as
 * soon as a frame runs two ticks or none; captured before each tick it cannot:
 *
 *   static _Alignas(64) unsigned char memory[ES_HISTORY_SIZE(world, 2)];
 *   es_history_init(&history, memory, sizeof memory, sizeof(world), 2);
 *   world_make(es_history_current(&history));           // the initial state
 *   es_history_reset(&history, 0, 0);                   // tick 0, at time 0: all that is known
 *   ...
 *   while (es_loop_tick(&loop, &step)) {
 *       world *w = es_history_push(&history, &step);   // previous = current
 *       world_update(w, step.dt_s);                    // current moves on
 *   }
 *
 * How many ticks: 2 for blends between two, 4 for splines, more for fields with a delay of their
 * own and for corrections that fade (es_prediction). One more for each of the loop's lead_ticks; 3
 * for a group with a rate of its own (es_rates_history_ticks). Programs that write a whole state at
 * every tick save the copy: es_history_next.
 *
 * An object that teleports, or appears in another's slot, must not streak across the picture. Where
 * the layout has a mark (ES_BLEND_MARK) the simulation counts it up and that is all. Without one,
 * es_history_snap says it. Where a whole world is moved (a floating origin), or an object goes on
 * through a portal, es_history_shift moves the past along, and its motion stays what it was. These
 * change the states that frames blend: call them in the update, between es_loop_tick and
 * es_loop_ready, not while drawing. A shift also changes the current state, so it is a part of the
 * simulation: for an exact replay it must follow from that, not from what was drawn.
 *
 * Not for: recording, or handing ticks to another thread.
 */
#ifndef EVENSTEP_HISTORY_H
#define EVENSTEP_HISTORY_H

#include "evenstep/frame.h"
#include "evenstep/layout.h"

/* How many ticks a history may keep. */
#define ES_HISTORY_TICKS_MIN 2
#define ES_HISTORY_TICKS_MAX 8

/* es_history_memory_size as a constant, for a type. */
#define ES_HISTORY_SIZE(state, ticks) ((size_t)(ticks) * ((sizeof(state) + 63) / 64 * 64))

/* Initialise with es_history_init; read nothing here, use the functions. */
typedef struct es_history {
    unsigned char *memory;
    size_t state_size;
    int32_t ticks;                         /* kept: slots in the memory */
    int32_t count;                         /* known of them; at least 1 */
    uint8_t slots[ES_HISTORY_TICKS_MAX];   /* by age: which slot has it; slots[0] is current */
    int64_t indices[ES_HISTORY_TICKS_MAX]; /* by age */
    int64_t times_ns[ES_HISTORY_TICKS_MAX];
} es_history;

#ifdef __cplusplus
extern "C" {
#endif

/** How much memory so many ticks of a state take.
 *
 * state_size: bytes of one state.
 * ticks: ES_HISTORY_TICKS_MIN to ES_HISTORY_TICKS_MAX.
 * Returns: bytes; 0 when that does not fit size_t, or ticks is out of range.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_history_memory_size(size_t state_size, int32_t ticks);

/** Starts a history at tick 0, time 0, with zeroed states.
 *
 * Write the initial state through es_history_current, then call es_history_reset.
 * history: the caller's; not NULL.
 * memory: memory_size bytes, aligned for the state (malloc's alignment is enough). All states lie
 *   in it, the first current one at its start, each at a multiple of 64 bytes from there.
 * memory_size: at least es_history_memory_size(state_size, ticks).
 * state_size: bytes of one state, at least 1.
 * ticks: how many to keep, the current one included; ES_HISTORY_TICKS_MIN to ES_HISTORY_TICKS_MAX.
 * Returns: ES_OK, or an error and an unchanged history.
 * Errors: ES_ERR_INVALID: a NULL, state_size 0, or ticks out of range. ES_ERR_SPACE: memory_size is
 *   too small.
 * Ownership: borrows memory until the history is no longer used; frees nothing.
 * Threads: one thread at a time per history.
 */
ES_API es_result es_history_init(
        es_history *history, void *memory, size_t memory_size, size_t state_size, int32_t ticks);

/** Captures: previous becomes a copy of current, which the caller then moves on by one tick.
 *
 * The oldest tick goes. As long as only this function is used, current stays where it is in memory.
 * history: initialised.
 * step: the step about to be run; its index and time become the current tick's. NULL counts the
 *   index up by one, and the time by as much as between the two newest ticks, by 0 where only one
 *   is known. So without any steps all times stay equal: enough for es_blend, not for es_blend_run.
 * Returns: the current state, to be updated in place.
 * Errors: none.
 * Ownership: points into the history's memory; valid until that goes.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_push(es_history *history, const es_step *step);

/** Makes room without a copy: current becomes previous where it lies, and the oldest tick's memory
 * is the new current.
 *
 * For programs that write every byte of a state at every tick, reading from previous.
 * history: initialised.
 * step: as for es_history_push.
 * Returns: the current state, at another address than before, to be written whole. Its bytes are
 *   those of the oldest tick, several ticks stale (or of no tick at all, at first): what is not
 *   written stays so.
 * Errors: none.
 * Ownership: points into the history's memory; valid until that goes.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_next(es_history *history, const es_step *step);

/** Forgets the past: the current state is the only tick known, and previous becomes a copy of it.
 *
 * After writing the initial state, after loading one, a seek, or a cut to another scene: nothing
 * will streak.
 * history: initialised.
 * tick: the index that the state has from now on.
 * time_ns: its simulated time.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per history.
 */
ES_API void es_history_reset(es_history *history, int64_t tick, int64_t time_ns);

/** The newest tick's state.
 *
 * history: initialised.
 * Returns: state_size bytes; at the same address until es_history_next.
 * Errors: none.
 * Ownership: points into the history's memory.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_current(const es_history *history);

/** The state of the tick before. While there is none, what current was at the last reset.
 *
 * history: initialised.
 * Returns: state_size bytes, apart from current's; at this address until the next push, next or
 *   reset.
 * Errors: none.
 * Ownership: points into the history's memory.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_previous(const es_history *history);

/** How many ticks are known.
 *
 * history: initialised.
 * Returns: 1 after a reset, one more with each push or next, up to what is kept.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per history.
 */
ES_API int32_t es_history_count(const es_history *history);

/** The state of one of the last ticks.
 *
 * history: initialised.
 * age: how many ticks before the newest: 0 is current, 1 previous.
 * Returns: state_size bytes; NULL when that tick is not known. Write to it only to move the past
 *   along with the present, as the shifts below do: a portal that also turns what goes through has
 *   to turn positions, rotations and velocities in each tick that is known.
 * Errors: none.
 * Ownership: points into the history's memory; this tick's until the next push, next or reset.
 * Threads: one thread at a time per history.
 */
ES_API void *es_history_tick(const es_history *history, int32_t age);

/** The simulated time of one of the last ticks.
 *
 * history: initialised.
 * age: how many ticks before the newest.
 * Returns: nanoseconds; beyond what is known, those of the oldest that is.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per history.
 */
ES_API int64_t es_history_time_ns(const es_history *history, int32_t age);

/** The index of one of the last ticks.
 *
 * history: initialised.
 * age: how many ticks before the newest.
 * Returns: the index; beyond what is known, that of the oldest that is.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per history.
 */
ES_API int64_t es_history_index(const es_history *history, int32_t age);

/** Whether this history is at a frame's newest tick, and holds the two that the frame blends.
 *
 * history: initialised.
 * frame: from es_loop_ready; not NULL.
 * Returns: false: a push was forgotten, or made twice, or fewer ticks are kept than lead_ticks or a
 *   rate group needs (es_rates_history_ticks); worth an assert.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per history.
 */
ES_API bool es_history_matches(const es_history *history, const es_frame *frame);

/** Ends an object's streak before it starts: a spawn or a teleport, in programs without a mark.
 *
 * Copies an element's numbers from the current state into all older ticks, as if the object had
 * always been there.
 * history: of states with this layout.
 * layout: valid.
 * name: of a field. Of a mark (ES_BLEND_MARK): every field of its group is meant.
 * element: which object.
 * Returns: ES_OK, or an error and unchanged states.
 * Errors: ES_ERR_INVALID: a NULL, a layout for states of another size, no field of that name, or
 *   element beyond its count.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per history.
 */
ES_API es_result es_history_snap(
        es_history *history, const es_layout *layout, const char *name, size_t element);

/** Moves an object, and its past with it: a portal that keeps momentum, without turning it.
 *
 * Adds to an element's components in all ticks, current included. What it moves by from tick to
 * tick stays the same up to rounding. The picture moves with the next frame: with a lead, so many
 * ticks before it shows the tick that called.
 * history: of states with this layout.
 * layout: valid.
 * name: of a field of floats or doubles.
 * element: which object.
 * delta: what to add, for each component; rounded once, after adding in double.
 * components: how many those are: the field's.
 * Returns: ES_OK, or an error and unchanged states.
 * Errors: ES_ERR_INVALID: a NULL, a layout for states of another size, no field of that name and
 *   number of components, one that is neither F32 nor F64, or element beyond its count.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per history.
 */
ES_API es_result es_history_shift(es_history *history, const es_layout *layout, const char *name,
        size_t element, const double *delta, size_t components);

/** Moves all objects of a field, and their past with them: a floating origin.
 *
 * history, layout, name, delta, components: as for es_history_shift.
 * Returns: ES_OK, or an error and unchanged states.
 * Errors: as for es_history_shift.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per history. Takes time in proportion to elements and ticks.
 */
ES_API es_result es_history_shift_all(es_history *history, const es_layout *layout,
        const char *name, const double *delta, size_t components);

#ifdef __cplusplus
}
#endif

#endif
