/* SPDX-License-Identifier: Zlib
 *
 * rollback: which ticks have to run again, now that a late input has come?
 *
 * Each player's machine runs on with guesses of what the others press: the last it knows of each.
 * When the truth comes and was another, the state from before is loaded and the ticks since are run
 * again. Who does what is told as requests, to be carried out in order:
 *
 *   es_rollback_input(&rollback, me, rollback_tick + 1, &buttons);   // known at once
 *   ... es_rollback_input(&rollback, other, tick, bytes) for each that has arrived ...
 *   if (es_rollback_begin(&rollback, true) == ES_ERR_FULL) {
 *       // too far ahead of the others: late inputs were made up for, no new tick runs: wait
 *   }
 *   while (es_rollback_next(&rollback, &request)) {
 *       switch (request.kind) {
 *       case ES_ROLLBACK_SAVE:    memcpy(request.saved, &world, sizeof world);  break;
 *       case ES_ROLLBACK_LOAD:    memcpy(&world, request.saved, sizeof world);  break;
 *       case ES_ROLLBACK_ADVANCE: world_update(&world, request.inputs, dt_s);   break;
 *       }
 *   }
 *
 * The states are the helper's memory, as large as the program says. At most predict_max ticks rest
 * on a guess, so a frame never runs more than predict_max + 1 ticks.
 *
 * Compare hashes with the other machines for ticks up to es_rollback_confirmed only: what rests on
 * a guess differs without being wrong.
 *
 * Not for: sending anything, or keeping clocks of machines together.
 */
#ifndef EVENSTEP_ROLLBACK_H
#define EVENSTEP_ROLLBACK_H

#include "evenstep/base.h"

#define ES_ROLLBACK_PLAYERS_MAX 32
#define ES_ROLLBACK_PREDICT_MAX 120

/* {0} but for players, input_size and state_size predicts up to 8 ticks. */
typedef struct es_rollback_config {
    int32_t players;     /* 1 to ES_ROLLBACK_PLAYERS_MAX */
    size_t input_size;   /* bytes of one player's input of one tick, at least 1 */
    size_t state_size;   /* bytes of a saved state, at least 1 */
    int32_t predict_max; /* ticks that may rest on guesses; 0: 8. Up to ES_ROLLBACK_PREDICT_MAX */
    int32_t ahead_max;   /* how many ticks ahead of the newest inputs are kept; 0: 64. Up to 1024 */
} es_rollback_config;

/* What is to be done. */
typedef enum es_rollback_kind {
    ES_ROLLBACK_SAVE = 1, /* the state, which is that after `tick`, goes to `saved` */
    ES_ROLLBACK_LOAD,     /* the state after `tick` comes from `saved` */
    ES_ROLLBACK_ADVANCE   /* run `tick` with `inputs` */
} es_rollback_kind;

/* One request. */
typedef struct es_rollback_request {
    es_rollback_kind kind;
    int64_t tick;
    void *saved;                 /* state_size bytes, at a multiple of 64 */
    const unsigned char *inputs; /* ADVANCE: input_size bytes of each player, one after the other */
    uint32_t guessed;            /* ADVANCE: bit p: player p's input is a guess */
    bool again;                  /* ADVANCE: this tick has run before: no sounds, no sparks */
} es_rollback_request;

/* Initialise with es_rollback_init; read nothing here, use the functions. */
typedef struct es_rollback {
    es_rollback_config config;
    unsigned char *states; /* state_slots of them, state_stride apart */
    size_t state_stride;
    int32_t state_slots;
    unsigned char *known; /* inputs that have come, input_slots ticks of all players ... */
    unsigned char *used;  /* ... and those that ticks were run with */
    unsigned char *last;  /* the last that has come of each player */
    int32_t input_slots;
    int64_t tick;                          /* of the state, when all requests are done */
    int64_t come[ES_ROLLBACK_PLAYERS_MAX]; /* by player: the last tick whose input has come */
    int64_t first_wrong; /* the first tick that ran on a wrong guess; INT64_MAX: none */
    int64_t next, end;   /* ticks to run: from next to end */
    bool load, save;     /* requests before that */
} es_rollback;

#ifdef __cplusplus
extern "C" {
#endif

/** How much memory it takes: predict_max + 2 states, and inputs.
 *
 * config: not NULL.
 * Returns: bytes; 0 when that does not fit size_t, or a field is out of its range.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_rollback_memory_size(const es_rollback_config *config);

/** Starts at tick 0. The first request is to save its state: at once, or after es_rollback_begin.
 *
 * rollback: the caller's; not NULL.
 * config: copied; not NULL.
 * memory: at any address.
 * memory_size: at least es_rollback_memory_size(config).
 * error: names the field, or the parameter, when it is refused; may be NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE.
 * Ownership: borrows memory.
 * Threads: one thread at a time per rollback.
 */
ES_API es_result es_rollback_init(es_rollback *rollback, const es_rollback_config *config,
        void *memory, size_t memory_size, es_error *error);

/** A player's input has come, from this machine or another.
 *
 * rollback: initialised; no requests are open.
 * player: from 0.
 * tick: the one that it is for: each player's come in order, from tick 1.
 * input: input_size bytes.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL, or no such player. ES_ERR_STATE: not that player's next tick, or
 *   requests are open. ES_ERR_FULL: further ahead than ahead_max: offer it again later.
 * Ownership: copies.
 * Threads: one thread at a time per rollback.
 */
ES_API es_result es_rollback_input(
        es_rollback *rollback, int32_t player, int64_t tick, const void *input);

/** Opens the requests: make up for wrong guesses, then, if wanted, run one tick more.
 *
 * rollback: initialised; no requests are open.
 * advance: true: run the next tick.
 * Returns: ES_OK.
 * Errors: ES_ERR_FULL: more than predict_max ticks would rest on guesses: no new tick runs, the
 *   requests that make up for wrong guesses are open all the same. ES_ERR_STATE: requests are open.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per rollback.
 */
ES_API es_result es_rollback_begin(es_rollback *rollback, bool advance);

/** The next request.
 *
 * rollback: initialised.
 * request: filled; not NULL. Carry it out before the next call.
 * Returns: false: there is none left.
 * Errors: none.
 * Ownership: what it points to is in the rollback's memory; inputs until the next call.
 * Threads: one thread at a time per rollback.
 */
ES_API bool es_rollback_next(es_rollback *rollback, es_rollback_request *request);

/** The tick of the state, once all requests are carried out.
 *
 * rollback: initialised.
 * Returns: from 0.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per rollback.
 */
ES_API int64_t es_rollback_tick(const es_rollback *rollback);

/** Up to which tick nothing rests on a guess: its state is final.
 *
 * rollback: initialised.
 * Returns: from 0 to es_rollback_tick.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per rollback.
 */
ES_API int64_t es_rollback_confirmed(const es_rollback *rollback);

/** A saved state.
 *
 * rollback: initialised; no requests are open.
 * tick: from es_rollback_tick down to predict_max + 1 before it.
 * Returns: state_size bytes; NULL where it is not there.
 * Errors: none.
 * Ownership: in the rollback's memory, until the next es_rollback_begin.
 * Threads: one thread at a time per rollback.
 */
ES_API const void *es_rollback_saved(const es_rollback *rollback, int64_t tick);

#ifdef __cplusplus
}
#endif

#endif
