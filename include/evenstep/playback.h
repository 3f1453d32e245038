/* SPDX-License-Identifier: Zlib
 *
 * playback: runs a recording again, and says whether the run is the recorded one. If it is not: the
 * first tick that differs, and the field.
 *
 *   es_playback_open(&play, &config, memory, es_playback_memory_size(&config), &error);
 *   es_playback_start(&play, &world);                       // the recorded initial state
 *   while (es_playback_next(&play, &step, &input, &size) == ES_OK) {
 *       world_update(&world, input, step.dt_s);             // the program's own update, unchanged
 *       if (!es_playback_check(&play, &world)) {
 *           report(es_playback_divergence(&play));
 *       }
 *   }
 *
 * es_playback_run does the same with config.update. es_playback_seek goes to any tick: it loads the
 * last snapshot before it and runs on from there.
 *
 * The recorded fields are found in the program's layout by their names. So the state may lie in
 * memory in another way than when it was recorded, and may have new fields, which keep what the
 * caller put there. A field that is gone, or has another type or count, is refused and named.
 *
 * The caller chooses the speed: it calls es_playback_next more often or less. For the frames' own
 * times there is tape.h.
 *
 * Errors: es_result; functions that read may also return what the source failed with. Threads: one
 * per playback, which also calls config.update. Allocation: none; the caller gives the memory.
 *
 * Not for: playing across damage that hides ticks: es_playback_next reports it, and
 * es_playback_resume_tick the tick to go on from.
 */
#ifndef EVENSTEP_PLAYBACK_H
#define EVENSTEP_PLAYBACK_H

#include "evenstep/reader.h"
#include "evenstep/state.h"

/* Required: source and layout. */
typedef struct es_playback_config {
    es_source source;        /* the recording */
    const es_layout *layout; /* the program's state, valid; outlives the playback */
    size_t input_max;        /* the largest input of a tick, in bytes; 0: 4096 */
    size_t snapshots_max;    /* how many snapshots are remembered for seeking; 0: 256. If there are
                                more: every second, fourth ... of them. At least 2 */
    void *user;              /* passed to the functions */
    /* One tick of the program: advances state by step with this input. 0: go on. Above 0: stop
     * after this tick, which is compared. Below 0: stop; the tick was not run, state is as before,
     * and going on begins with the same tick. NULL: es_playback_run is refused, and
     * es_playback_seek goes only to ticks of snapshots. */
    int (*update)(void *user, void *state, const es_step *step, const void *input, size_t size);
    /* The state was replaced by that of this tick: rebuild what is derived from it. May be NULL. */
    void (*loaded)(void *user, void *state, int64_t tick);
} es_playback_config;

/* Where a run first differed from its recording. */
typedef struct es_divergence {
    bool found;
    int64_t tick;           /* the first whose hashes differ */
    es_record_hashes level; /* NONE: found by a snapshot of a tick without hashes */
    int32_t group;          /* level GROUPS: the first that differs */
    const es_field *field;  /* the first that differs at `tick`, by its hashes (level FIELDS) or a
                               snapshot of the same tick; NULL: neither shows it */
    size_t hashes;          /* how many of that tick's hashes differ */
    uint64_t computed, recorded; /* the first of them */
    bool located;                /* a snapshot was compared: located_tick and difference are set */
    int64_t located_tick;        /* `tick`, or that of the first snapshot after it */
    es_state_difference difference; /* at located_tick, where its field may be another than `field`.
                                       values[0] is the run's, values[1] the recording's */
} es_divergence;

/* Whether program, machine and recording fit. */
typedef struct es_playback_fit {
    bool arithmetic;   /* the float self-test gives what it gave when recording; false: a divergence
                          is likely */
    bool library;      /* the functions of the C library give what they gave */
    size_t fields_new; /* of the layout, which the recording does not have */
} es_playback_fit;

/* How much was played and compared since es_playback_start, or since the snapshot that
 * es_playback_seek loaded. */
typedef struct es_playback_progress {
    uint64_t ticks;    /* from es_playback_next */
    uint64_t compared; /* ticks whose hashes or snapshot es_playback_check compared. Others have
                          none, or damaged ones */
    uint64_t holes;    /* stretches of damage between two ticks or behind the last: hashes, events
                          or frames may be missing there, but no tick */
} es_playback_progress;

/* A snapshot, for seeking. */
typedef struct es_playback_mark {
    int64_t tick, time_ns;
    es_reader_place place;
} es_playback_mark;

/* Initialise with es_playback_open; fields are private. */
typedef struct es_playback {
    es_playback_config config;
    es_reader reader;
    es_reader_run run;
    es_reader_summary summary;
    es_playback_fit fit;
    es_layout layout; /* the recording's fields, as they lie in the program's state */
    es_field *fields;
    es_playback_mark *marks;
    size_t mark_count, mark_every, marks_seen;
    unsigned char *input;
    unsigned char *scratch; /* a state */
    es_reader_place ticks;  /* the next step is looked for here; frames and tape likewise */
    es_reader_place frames;
    es_reader_place tape;
    uint32_t tape_taken; /* readings of the record at `tape` that were read */
    int64_t tick;        /* the state's */
    int64_t compared_tick;
    es_playback_mark resume; /* after damage */
    es_playback_progress progress;
    bool loaded;       /* there is a state */
    bool start_hidden; /* the first mark is not the state that the recording starts from */
    es_result failed;  /* what the source failed with */
    es_divergence divergence;
} es_playback;

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of memory that playing takes: a window of ES_RECORD_SIZE_MAX, a state, an input, and
 * the marks. 0 if that exceeds size_t, or a field is out of its range.
 * config: not NULL; only layout, input_max and snapshots_max matter. */
ES_API size_t es_playback_memory_size(const es_playback_config *config);

/* Opens a recording for playing, and reads all of it once. Damage behind the header is no error:
 * see es_playback_summary.
 * config: copied; not NULL. It borrows layout and what source and user point to.
 * memory: at any address; borrowed. memory_size: at least es_playback_memory_size(config).
 * error: names a parameter, a field of config, "head", "run", or a field of the layout or the
 * recording that does not fit (a text that may lie in memory); may be NULL.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE. ES_ERR_DAMAGED: no header or no whole snapshot is readable.
 * ES_ERR_UNSUPPORTED: another format, or fields that do not fit the layout. */
ES_API es_result es_playback_open(es_playback *play, const es_playback_config *config, void *memory,
        size_t memory_size, es_error *error);

/* What the recording has, and what is damaged. */
ES_API es_reader_summary es_playback_summary(const es_playback *play);

/* Whether program, machine and recording fit. */
ES_API es_playback_fit es_playback_fit_get(const es_playback *play);

/* Loads the state that the recording starts from; ticks, frames and readings begin again. Writes
 * only what the recorded fields cover.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_DAMAGED: that state is damaged; es_playback_resume_tick is
 * the tick of the first one that is not. The state is unchanged then. */
ES_API es_result es_playback_start(es_playback *play, void *state);

/* The next tick: its step and its input. The caller runs it, then calls es_playback_check.
 * step, input, size: filled; not NULL. *input is good until the next call for this playback.
 * Errors: ES_ERR_STATE: there are no more ticks, or nothing was loaded. ES_ERR_DAMAGED: the tick,
 * or its input, is damaged; es_playback_resume_tick says where to go on. ES_ERR_SPACE: the input is
 * larger than input_max. Nothing has moved then. A failure of the source stays until the next
 * es_playback_start or es_playback_seek. */
ES_API es_result es_playback_next(
        es_playback *play, es_step *step, const void **input, size_t *size);

/* After the update of the last tick: compares its state with the recorded hashes, or, without
 * hashes of this tick, with its snapshot. True: equal, or there is nothing to compare with, which
 * es_playback_progress does not count. The divergence stays that of the first difference; the first
 * snapshot from there on that differs locates it. If the source fails, the result is true and
 * es_playback_next returns the failure. */
ES_API bool es_playback_check(es_playback *play, const void *state);

/* The first difference since es_playback_start or the last es_playback_seek; `found` is false if
 * there is none. Points into the playback. */
ES_API const es_divergence *es_playback_divergence(const es_playback *play);

/* How much was played and compared. */
ES_API es_playback_progress es_playback_progress_get(const es_playback *play);

/* Runs ticks through config.update, and checks each.
 * state: as it is after the last tick. tick: the last to run; INT64_MAX: all.
 * past_divergence: true: a difference does not end the run, so that it may be located.
 * Errors: ES_ERR_RANGE: the runs differ: es_playback_divergence. ES_ERR_REFUSED: update stopped it.
 * ES_ERR_INVALID: a NULL, or no update. Else as es_playback_next. The state is that of
 * es_playback_tick. */
ES_API es_result es_playback_run(
        es_playback *play, void *state, int64_t tick, bool past_divergence);

/* Goes to a tick: loads the last snapshot that is not after it, and runs on from there with update.
 * tick: from that of the first snapshot to the last recorded.
 * Errors: ES_ERR_INVALID: a NULL, or no update and no snapshot of this tick. ES_ERR_RANGE: before
 * the first snapshot, or the runs differ. ES_ERR_STATE: after the last tick, or INT64_MAX.
 * ES_ERR_DAMAGED: damage hides the tick. ES_ERR_REFUSED: update stopped it. If a snapshot was
 * loaded by then, the state is that of es_playback_tick. */
ES_API es_result es_playback_seek(es_playback *play, int64_t tick, void *state);

/* The tick of the state: the one that was loaded, or that es_playback_next gave last. */
ES_API int64_t es_playback_tick(const es_playback *play);

/* After ES_ERR_DAMAGED: the tick of the next snapshot, for es_playback_seek; INT64_MAX: none. */
ES_API int64_t es_playback_resume_tick(const es_playback *play);

/* The next recorded frame, as es_reader_get_frame; false: there is none. es_playback_start goes
 * back to the first one, a seek does not. report: filled; not NULL. */
ES_API bool es_playback_frame(es_playback *play, es_report *report);

#ifdef __cplusplus
}
#endif

#endif
