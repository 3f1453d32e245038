/* SPDX-License-Identifier: Zlib
 *
 * demo_world: the recorded form of the world: its state field by field, a tick's input byte by
 * byte, and the tick itself, which depends on nothing else.
 */
#ifndef DEMO_WORLD_H
#define DEMO_WORLD_H

#include "evenstep/input.h"
#include "evenstep/replay.h"
#include "evenstep/world.h"

#include "scene.h"

/* The tag "program" of the demo's recordings. */
#define DEMO_WORLD_PROGRAM "evenstep demo"

enum {
    DEMO_EVENTS_MAX = 2048,     /* of one tick */
    DEMO_INPUT_MAX = 128 * 1024 /* bytes of the input of one */
};

/* A tick's input, beside the world and the step. */
typedef struct demo_given {
    demo_jump jump;
    demo_job_mode job;
    bool apart;    /* groups tick at rates of their own */
    es_rate base;  /* the loop's tick rate */
    int64_t index; /* the loop's number of this tick: a restart may count back */
    int32_t items; /* of the job, run since the tick before */
    int32_t event_count;
    es_input_event events[DEMO_EVENTS_MAX]; /* places of the pointer, and clicks */
    const unsigned char *state;             /* the packed state that the tick goes on from in place
                                               of the one before: the loop was started anew; NULL */
    size_t state_size;
} demo_given;

/* Runs recorded ticks. {0} is valid. */
typedef struct demo_replayer {
    demo_haze haze;
    demo_given given; /* the last tick's */
    int64_t ticks;    /* run so far */
    bool unsound;     /* a state or an input was not valid */
} demo_replayer;

/** The state: all that a tick reads or writes. */
const es_layout *demo_world_layout(void);

/** After a state was read: sets what follows from its fields. false: it is not valid, and no tick
 * may run. */
bool demo_world_load(demo_scene *scene);

/** Runs a tick, after its job's items. step: the loop's; its index is not read. */
void demo_world_tick(demo_scene *scene, const es_step *step, const demo_given *given);

/** Writes a tick's input. Returns its bytes; 0: size is too small. */
size_t demo_given_write(const demo_given *given, unsigned char *bytes, size_t size);

/** Adds the packed state that the tick goes on from. Returns the bytes in total. */
size_t demo_given_add_state(
        unsigned char *bytes, size_t used, const unsigned char *state, size_t state_size);

/** Reads it. false: it is not valid. given->state points into bytes. */
bool demo_given_read(demo_given *given, const unsigned char *bytes, size_t size);

/* For es_synctest_config and demo_player; user is a demo_replayer, state a demo_scene. */
int demo_world_update(void *user, void *state, const es_step *step, const void *input, size_t size);
void demo_world_loaded(void *user, void *state, int64_t tick);

#endif
