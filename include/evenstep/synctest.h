/* SPDX-License-Identifier: Zlib
 *
 * synctest: is everything that the simulation depends on in its state? And does only the update
 * change it?
 *
 * Every so many ticks it runs a few of them twice: from the same state with the same input, which
 * has to come to the same state. If it does not, there is something else that the update depends
 * on: a static variable, memory that was never set, an order that differs from run to run. A
 * recording would not play; here it is found while the game is made.
 *
 *   while (es_loop_tick(&loop, &step)) {
 *       es_synctest_before(&test, &world, &step, &input, sizeof input);
 *       world_update(&world, &input, step.dt_s);
 *       if (!es_synctest_after(&test, &world)) {
 *           report(es_synctest_finding_get(&test)); // the tick, the field, the object, both values
 *       }
 *   }
 *
 * Only what the layout's fields cover is put back before the second run: so what else lies in the
 * state's memory and matters is found, too.
 *
 * Drawing never changes the world; only an update does. A draw function that does write to it makes
 * the run depend on the frames, so on the machine. es_draw_check finds that: it keeps the world's
 * fields before drawing, and compares them after it.
 *
 *   es_draw_check_before(&check, &world);
 *   draw(&world, frame.alpha);
 *   if (!es_draw_check_after(&check, &world, frame.index)) {
 *       report(es_draw_check_finding_get(&check)); // the frame, the field, the object, both values
 *   }
 *
 * Not for: games that are shipped: each tested tick costs two, and two copies of the state. A
 * checked frame costs a copy and a comparison of the state.
 */
#ifndef EVENSTEP_SYNCTEST_H
#define EVENSTEP_SYNCTEST_H

#include "evenstep/frame.h"
#include "evenstep/state.h"

#define ES_SYNCTEST_TICKS_MAX 64

/* {0} but for layout and update tests 2 of every 60 ticks. */
typedef struct es_synctest_config {
    const es_layout *layout; /* of the state; outlives the test */
    int32_t every;           /* a test begins at every so manieth tick; 0: 60 */
    int32_t ticks;           /* that are run twice; 0: 2. Up to ES_SYNCTEST_TICKS_MAX and every */
    size_t input_max;        /* the largest input of a tick, in bytes; 0: 256 */
    void *user;              /* handed to the functions */
    /* One tick of the program, the same that it runs itself. 0; anything else gives the test up. */
    int (*update)(void *user, void *state, const es_step *step, const void *input, size_t size);
    /* The state was put back, or forth again: rebuild what is derived from it. May be NULL. */
    void (*loaded)(void *user, void *state, int64_t tick);
} es_synctest_config;

/* What was found. */
typedef struct es_synctest_finding {
    bool found;
    int64_t first_tick, tick;       /* the ticks from the one to the other were run twice */
    es_state_difference difference; /* values[0] is the first run's, values[1] the second's */
} es_synctest_finding;

/* Initialise with es_synctest_init; read nothing here. */
typedef struct es_synctest {
    es_synctest_config config;
    unsigned char *saved, *after; /* states */
    unsigned char *inputs;        /* of `ticks` ticks */
    size_t sizes[ES_SYNCTEST_TICKS_MAX];
    es_step steps[ES_SYNCTEST_TICKS_MAX];
    int32_t kept; /* ticks since the state was saved; -1: none was */
    uint64_t tests;
    es_synctest_finding finding;
} es_synctest;

/* What a draw function changed. */
typedef struct es_draw_finding {
    bool found;
    int64_t frame;                  /* as es_draw_check_after was given it */
    es_state_difference difference; /* values[0] is that before drawing, values[1] that after */
} es_draw_finding;

/* Initialise with es_draw_check_init; read nothing here. */
typedef struct es_draw_check {
    const es_layout *layout;
    unsigned char *before; /* a state */
    bool open;             /* before holds this frame's */
    es_draw_finding finding;
} es_draw_check;

#ifdef __cplusplus
extern "C" {
#endif

/** How much memory a test takes: two states and the inputs.
 *
 * config: not NULL; its functions are not looked at.
 * Returns: bytes; 0 when that does not fit size_t, or a field is out of its range.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_synctest_memory_size(const es_synctest_config *config);

/** Makes a test.
 *
 * test: the caller's; not NULL.
 * config: copied; not NULL.
 * memory: at any address.
 * memory_size: at least es_synctest_memory_size(config).
 * error: names the field, or the parameter, when it is refused; may be NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE.
 * Ownership: borrows memory and the layout.
 * Threads: one thread at a time per test.
 */
ES_API es_result es_synctest_init(es_synctest *test, const es_synctest_config *config, void *memory,
        size_t memory_size, es_error *error);

/** Before a tick's update: keeps what the second run needs.
 *
 * test: initialised.
 * state: before the update.
 * step: the tick; not NULL.
 * input: size bytes; may be NULL where size is 0.
 * size: more than input_max gives this test up: the next one begins when it is due.
 * Returns: nothing.
 * Errors: none.
 * Ownership: copies.
 * Threads: one thread at a time per test.
 */
ES_API void es_synctest_before(
        es_synctest *test, const void *state, const es_step *step, const void *input, size_t size);

/** After a tick's update: when enough are kept, runs them again and compares.
 *
 * test: es_synctest_before was called for this tick.
 * state: after the update. Is changed meanwhile; afterwards it is as it was, byte by byte.
 * Returns: false when the second run came to another state. The first finding stays.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per test; update is called in it.
 */
ES_API bool es_synctest_after(es_synctest *test, void *state);

/** What was found first.
 *
 * test: initialised.
 * Returns: the finding; found is false where there is none.
 * Errors: none.
 * Ownership: points into the test.
 * Threads: one thread at a time per test.
 */
ES_API const es_synctest_finding *es_synctest_finding_get(const es_synctest *test);

/** How many tests were completed.
 *
 * test: initialised.
 * Returns: tests, not ticks.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per test.
 */
ES_API uint64_t es_synctest_count(const es_synctest *test);

/** How much memory a draw check takes: one state.
 *
 * layout: valid; not NULL.
 * Returns: bytes; 0 when that does not fit size_t, or layout is NULL.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_draw_check_memory_size(const es_layout *layout);

/** Makes a draw check.
 *
 * check: the caller's; not NULL.
 * layout: of the state that drawing must not change; outlives the check. What no field covers is
 *   not compared.
 * memory: at any address.
 * memory_size: at least es_draw_check_memory_size(layout).
 * error: names the parameter, or the layout's field, when it is refused; may be NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE.
 * Ownership: borrows memory and the layout.
 * Threads: one thread at a time per check.
 */
ES_API es_result es_draw_check_init(es_draw_check *check, const es_layout *layout, void *memory,
        size_t memory_size, es_error *error);

/** Before a frame is drawn: keeps the state's fields.
 *
 * check: initialised.
 * state: layout->state_size bytes. Call it after the frame's last update, before blending.
 * Returns: nothing.
 * Errors: none.
 * Ownership: copies.
 * Threads: one thread at a time per check, while nobody else writes to the state.
 */
ES_API void es_draw_check_before(es_draw_check *check, const void *state);

/** After a frame was drawn: compares. Changes nothing in the state.
 *
 * check: es_draw_check_before was called for this frame; without it there is nothing to compare.
 * state: the same.
 * frame: any number to know the frame by: es_frame.index.
 * Returns: false when a field of the state has changed. The first finding stays.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: as es_draw_check_before.
 */
ES_API bool es_draw_check_after(es_draw_check *check, const void *state, int64_t frame);

/** What a draw function changed first.
 *
 * check: initialised.
 * Returns: the finding; found is false where there is none.
 * Errors: none.
 * Ownership: points into the check; its field into the layout.
 * Threads: one thread at a time per check.
 */
ES_API const es_draw_finding *es_draw_check_finding_get(const es_draw_check *check);

#ifdef __cplusplus
}
#endif

#endif
