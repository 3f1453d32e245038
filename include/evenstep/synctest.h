/* SPDX-License-Identifier: Zlib
 *
 * synctest: finds state outside the state, and draw functions that write to it.
 *
 * The sync test runs some ticks twice: from the same state with the same input, which has to give
 * the same state. If it does not, the update depends on something else: a static variable, memory
 * that was never set, an order that differs from run to run. A recording would not play; the test
 * finds it while the game is made.
 *
 *   while (es_loop_tick(&loop, &step)) {
 *       es_synctest_before(&test, &world, &step, &input, sizeof input);
 *       world_update(&world, &input, step.dt_s);
 *       if (!es_synctest_after(&test, &world)) {
 *           report(es_synctest_finding_get(&test)); // ticks, field, object, both values
 *       }
 *   }
 *
 * Before the second run only what the layout's fields cover is put back. So the test also finds
 * other memory of the state that the update depends on.
 *
 * A draw function that writes to the world makes the run depend on the frames, so on the machine.
 * The draw check keeps the world's fields before drawing, and compares them after it.
 *
 *   es_draw_check_before(&check, &world);
 *   draw(&world, frame.alpha);
 *   if (!es_draw_check_after(&check, &world, frame.index)) {
 *       report(es_draw_check_finding_get(&check)); // frame, field, object, both values
 *   }
 *
 * Errors: es_result, and the name of what is refused. Threads: one per test or check, which also
 * calls config.update. Allocation: none; the caller gives the memory, which is borrowed.
 *
 * Not for: games that are shipped. A tested tick costs two, and two copies of the state; a checked
 * frame costs a copy and a comparison of the state.
 */
#ifndef EVENSTEP_SYNCTEST_H
#define EVENSTEP_SYNCTEST_H

#include "evenstep/evenstep.h"
#include "evenstep/state.h"

#define ES_SYNCTEST_TICKS_MAX 64

/* {0} except for layout and update tests 2 of every 60 ticks. */
typedef struct es_synctest_config {
    const es_layout *layout; /* of the state; outlives the test */
    int32_t every;           /* ticks from the start of a test to that of the next; 0: 60 */
    int32_t ticks;           /* of a test; 0: 2. At most ES_SYNCTEST_TICKS_MAX and every */
    size_t input_max;        /* the largest input of a tick, in bytes; 0: 256 */
    void *user;              /* passed to the functions */
    /* One tick of the program, the same that it runs itself. Any result but 0 abandons the test. */
    int (*update)(void *user, void *state, const es_step *step, const void *input, size_t size);
    /* The state was replaced by that of this tick: rebuild what is derived from it. May be NULL. */
    void (*loaded)(void *user, void *state, int64_t tick);
} es_synctest_config;

/* The first test that failed. */
typedef struct es_synctest_finding {
    bool found;
    int64_t first_tick, tick;       /* the first and the last tick that were run twice */
    es_state_difference difference; /* values[0] is the first run's, values[1] the second's */
} es_synctest_finding;

/* Initialise with es_synctest_init; fields are private. */
typedef struct es_synctest {
    es_synctest_config config;
    unsigned char *saved, *after; /* states */
    unsigned char *inputs;        /* of `ticks` ticks */
    size_t sizes[ES_SYNCTEST_TICKS_MAX];
    es_step steps[ES_SYNCTEST_TICKS_MAX];
    int32_t kept; /* ticks since the state was saved; -1: no test is under way */
    uint64_t tests;
    es_synctest_finding finding;
} es_synctest;

/* The first frame whose draw function wrote to the state. */
typedef struct es_draw_finding {
    bool found;
    int64_t frame;                  /* as passed to es_draw_check_after */
    es_state_difference difference; /* values[0] is that before drawing, values[1] that after */
} es_draw_finding;

/* The memory of a draw check beyond layout->state_size, at any address. */
#define ES_DRAW_CHECK_OVERHEAD ((size_t)63)

/* Initialise with es_draw_check_init; fields are private. */
typedef struct es_draw_check {
    const es_layout *layout;
    unsigned char *before; /* a state */
    bool open;             /* `before` is that of this frame */
    es_draw_finding finding;
} es_draw_check;

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of memory that a test takes: two states and the inputs. 0 if that exceeds size_t, or a
 * field is out of its range. config: not NULL; its functions do not matter. */
ES_API size_t es_synctest_memory_size(const es_synctest_config *config);

/* Makes a test.
 * config: copied; not NULL. memory: at any address. memory_size: at least
 * es_synctest_memory_size(config). error: may be NULL.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE. */
ES_API es_result es_synctest_init(es_synctest *test, const es_synctest_config *config, void *memory,
        size_t memory_size, es_error *error);

/* Before a tick's update: keeps what the second run needs.
 * input: may be NULL if size is 0. size: more than input_max abandons the test; the next one begins
 * when it is due. */
ES_API void es_synctest_before(
        es_synctest *test, const void *state, const es_step *step, const void *input, size_t size);

/* After a tick's update: after the test's last tick, runs its ticks again and compares. False: the
 * second run gave another state. Afterwards the state is as it was, byte by byte. */
ES_API bool es_synctest_after(es_synctest *test, void *state);

/* The first finding; `found` is false if there is none. Points into the test. */
ES_API const es_synctest_finding *es_synctest_finding_get(const es_synctest *test);

/* How many tests were completed. */
ES_API uint64_t es_synctest_count(const es_synctest *test);

/* Makes a draw check.
 * layout: of the state; outlives the check. What no field covers is not compared.
 * memory_size: at least layout->state_size + ES_DRAW_CHECK_OVERHEAD. error: may be NULL.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE. */
ES_API es_result es_draw_check_init(es_draw_check *check, const es_layout *layout, void *memory,
        size_t memory_size, es_error *error);

/* Before a frame is drawn, after its last update: keeps the state's fields. */
ES_API void es_draw_check_before(es_draw_check *check, const void *state);

/* After a frame was drawn: compares. False: drawing changed a field. Without es_draw_check_before
 * for this frame it returns true.
 * frame: any number that identifies the frame, such as es_frame.index. */
ES_API bool es_draw_check_after(es_draw_check *check, const void *state, int64_t frame);

/* The first finding; `found` is false if there is none. Points into the check. */
ES_API const es_draw_finding *es_draw_check_finding_get(const es_draw_check *check);

#ifdef __cplusplus
}
#endif

#endif
