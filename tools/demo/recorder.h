/* SPDX-License-Identifier: Zlib
 *
 * demo_recorder: records the demo's ticks, and its frames while they share a thread with the ticks.
 * demo_player reads the recording.
 */
#ifndef DEMO_RECORDER_H
#define DEMO_RECORDER_H

#include "evenstep/replay.h"

#include "world.h"

/* What is recorded with a run. */
typedef struct demo_recorder_setup {
    const char *path;
    const char *loop;
    uint64_t seed;
    es_rate tick_rate;
    const demo_scene *scene; /* that the run starts from */
} demo_recorder_setup;

/* How it goes. */
typedef struct demo_recording {
    const char *path; /* NULL: the run is not recorded */
    es_record_status status;
    char problem[128]; /* why it ended early; empty: it did not */
} demo_recording;

typedef struct demo_recorder demo_recorder;

/** Opens the file, which must be a new one. NULL: es_get_error has the reason. */
demo_recorder *demo_recorder_open(const demo_recorder_setup *setup);

/** Ends the recording. Returns its final state. NULL is accepted, here and below. */
demo_recording demo_recorder_close(demo_recorder *recorder);

/** A loop was started from this world: the first one from setup.scene, others from any tick. */
void demo_recorder_begin(demo_recorder *recorder, const demo_scene *scene, bool threaded);

/** Before a tick, and after it. */
void demo_recorder_step(demo_recorder *recorder, const es_step *step, const demo_given *given);
void demo_recorder_tick(demo_recorder *recorder, const demo_scene *scene);

/** After a frame. */
void demo_recorder_frame(demo_recorder *recorder, const es_report *report);

/** How it goes; by the thread of the ticks. */
demo_recording demo_recorder_look(const demo_recorder *recorder);

#endif
