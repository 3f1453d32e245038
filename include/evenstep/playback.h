/* SPDX-License-Identifier: Zlib
 *
 * playback: is this run the same as the one that was recorded? And, if not, where do they part?
 *
 *   es_playback_open(&play, &config, memory, es_playback_memory_size(&config), &error);
 *   es_playback_start(&play, &world);                       // the recorded initial state
 *   while (es_playback_next(&play, &step, &input, &size) == ES_OK) {
 *       world_update(&world, input, step.dt_s);             // the program's own update, unchanged
 *       if (!es_playback_check(&play, &world)) {
 *           report(es_playback_divergence(&play));          // the tick, and the group or field
 *       }
 *   }
 *
 * With config.update the same is done by es_playback_run; and es_playback_seek takes any tick from
 * the last snapshot before it and runs on from there.
 *
 * The recorded fields are found in the program's layout by their names. So the state may lie in
 * memory in another way than when it was recorded, and may have got new fields; these keep what the
 * caller put there. A field that is gone, or has another type or count, is refused and named.
 *
 * Speed is the caller's, and may change at any time: call it more often or less. For the frames'
 * own times there is tape.h.
 *
 * Not for: damage that hides ticks: es_playback_next says so, and from which tick it can go on.
 */
#ifndef EVENSTEP_PLAYBACK_H
#define EVENSTEP_PLAYBACK_H

#include "evenstep/reader.h"
#include "evenstep/state.h"

/* What an es_playback_config with update runs on. */
typedef struct es_playback_config {
    es_source source;        /* the recording */
    const es_layout *layout; /* the program's state, valid; outlives the playback */
    size_t input_max;        /* the largest input of a tick, in bytes; 0: 4096 */
    size_t snapshots_max;    /* how many snapshots are remembered for seeking; 0: 256. If there are
                                more, every second, fourth ... of them; at least 2 */
    void *user;              /* handed to the functions */
    /* One tick of the program: state moves on by step with this input. 0: go on. Above 0: stop
     * behind this tick, which was run and is compared. Below 0: it was not run and state is as
     * before; going on begins with the same tick. Both end es_playback_run and es_playback_seek.
     * NULL: neither can be called. */
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
                              snapshot of the same tick; NULL: neither tells it */
    size_t hashes;          /* how many of that tick's hashes differ */
    uint64_t computed, recorded;    /* the first of them */
    bool located;                   /* a snapshot was there to compare with ... */
    int64_t located_tick;           /* ... of this tick: `tick`, or the first snapshot after it */
    es_state_difference difference; /* at located_tick, where its field may be another than `field`.
                                       values[0] is the run's, values[1] the recording's */
} es_divergence;

/* How the program and the recording fit together. */
typedef struct es_playback_fit {
    bool arithmetic;   /* this machine's float self-test gives what it gave when recording */
    bool library;      /* and so do the functions of the C library */
    size_t fields_new; /* of the layout, which the recording does not have */
} es_playback_fit;

/* How much of a run was played, and how sure that is. Counted from es_playback_start, or from the
 * snapshot that es_playback_seek began with. */
typedef struct es_playback_progress {
    uint64_t ticks;    /* that es_playback_next gave */
    uint64_t compared; /* of these: whose hashes or snapshot es_playback_check compared. Where that
                          is fewer, hashes are rarer than ticks, or damaged */
    uint64_t holes;    /* stretches of damage that were passed over between two ticks, or behind the
                          last: hashes, events or frames may be missing there, but no tick */
} es_playback_progress;

/* A snapshot, for seeking. */
typedef struct es_playback_mark {
    int64_t tick, time_ns;
    es_reader_place place;
} es_playback_mark;

/* Initialise with es_playback_open; read nothing here, use the functions. */
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
    es_reader_place ticks;  /* the next step is looked for here ... */
    es_reader_place events; /* ... and so on */
    es_reader_place frames;
    es_reader_place tape;
    uint32_t tape_taken; /* readings of the record at `tape` that are read already */
    int64_t tick;        /* the state's */
    int64_t compared_tick;
    es_playback_mark resume; /* after damage */
    es_playback_progress progress;
    bool loaded;       /* a state is there */
    bool start_hidden; /* the first mark is not the state that the recording starts from */
    es_result failed;  /* what the source failed with */
    es_divergence divergence;
} es_playback;

#ifdef __cplusplus
extern "C" {
#endif

/** How much memory playing takes.
 *
 * config: not NULL; only layout, input_max and snapshots_max are looked at.
 * Returns: bytes: a window of ES_RECORD_SIZE_MAX, a state, an input, and the marks; 0 when that
 *   does not fit size_t, or a field is out of its range.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_playback_memory_size(const es_playback_config *config);

/** Opens a recording for playing, and reads all of it once.
 *
 * play: the caller's; not NULL.
 * config: copied; not NULL.
 * memory: at any address.
 * memory_size: at least es_playback_memory_size(config).
 * error: names what is refused: a parameter, a field of config, "head", "run", or the name of a
 *   field of the layout that does not fit; may be NULL.
 * Returns: ES_OK, also where later parts are damaged: see es_playback_summary.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE; ES_ERR_DAMAGED: no header or no whole snapshot is readable;
 *   ES_ERR_UNSUPPORTED: another format, or fields that do not fit the layout. Or what the source
 *   fails with.
 * Ownership: borrows memory, config->layout, and what source and user point to. error->field may
 *   lie in memory: the name of a recorded field that the layout does not have.
 * Threads: one thread at a time per playback.
 */
ES_API es_result es_playback_open(es_playback *play, const es_playback_config *config, void *memory,
        size_t memory_size, es_error *error);

/** What the header says. Its format is filled in.
 *
 * play: opened.
 * Returns: a copy.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API es_reader_run es_playback_run_info(const es_playback *play);

/** How much is there, and what is damaged.
 *
 * play: opened.
 * Returns: a copy.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API es_reader_summary es_playback_summary(const es_playback *play);

/** How the program and the recording fit together.
 *
 * play: opened.
 * Returns: a copy. A difference of arithmetic makes a divergence likely; it is no error.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API es_playback_fit es_playback_fit_get(const es_playback *play);

/** Loads the state that the recording starts from, and begins: ticks, events, frames, readings.
 *
 * play: opened.
 * state: the layout's state_size bytes. Only what the recorded fields cover is written.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_DAMAGED: that state is damaged; es_playback_resume_tick is
 *   the tick of the first one that is not. Or what the source fails with. The state is unchanged.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per playback.
 */
ES_API es_result es_playback_start(es_playback *play, void *state);

/** The next tick: its step and its input. The caller runs it, then calls es_playback_check.
 *
 * play: started, or sought.
 * step: filled; not NULL.
 * input: receives where the input lies; not NULL.
 * size: receives its bytes; not NULL.
 * Returns: ES_OK: run it.
 * Errors: ES_ERR_STATE: the recording has no more ticks, or nothing was loaded. ES_ERR_DAMAGED: the
 *   tick, or its input, is not there; es_playback_resume_tick says where it goes on. ES_ERR_SPACE:
 *   the input is larger than input_max. Or what the source fails with, here or since it was started
 *   or sought. Then nothing has moved.
 * Ownership: input points into the playback's memory, until the next call.
 * Threads: one thread at a time per playback.
 */
ES_API es_result es_playback_next(
        es_playback *play, es_step *step, const void **input, size_t *size);

/** After the update of the last tick: is its state the recorded one?
 *
 * play: es_playback_next has given a tick.
 * state: after the update.
 * Returns: true where the hashes are equal, or, without hashes of this tick, its snapshot; and
 *   where there is neither, or both are damaged: es_playback_progress counts what was compared.
 *   After the first difference, of every tick the truth; the divergence stays that of the first,
 *   and gets located at the first snapshot from there on that differs.
 * Errors: none; where the source fails it returns true, and es_playback_next tells of it.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per playback.
 */
ES_API bool es_playback_check(es_playback *play, const void *state);

/** Where the run first differed since es_playback_start or the last es_playback_seek.
 *
 * play: opened.
 * Returns: the divergence; found is false where there is none.
 * Errors: none.
 * Ownership: points into the playback; its field into the playback's memory.
 * Threads: one thread at a time per playback.
 */
ES_API const es_divergence *es_playback_divergence(const es_playback *play);

/** How much was played, and compared.
 *
 * play: opened.
 * Returns: a copy.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API es_playback_progress es_playback_progress_get(const es_playback *play);

/** Runs ticks through config.update, and checks each.
 *
 * play: started, or sought.
 * state: as it is after the last tick.
 * tick: the last to be run, none where it is past already; INT64_MAX: all there are.
 * past_divergence: true: a difference does not end it, so that it may be located.
 * Returns: ES_OK: the tick is reached, or with INT64_MAX the end.
 * Errors: ES_ERR_RANGE: the runs differ: es_playback_divergence. ES_ERR_REFUSED: update said
 *   to stop. Else as es_playback_next. The state is that of es_playback_tick.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per playback; update is called in it.
 */
ES_API es_result es_playback_run(
        es_playback *play, void *state, int64_t tick, bool past_divergence);

/** Goes to any tick: loads the last snapshot that is not after it, and runs on from there.
 *
 * play: opened.
 * tick: from that of the first snapshot to the last recorded; by update where it is no snapshot's.
 * state: the layout's state_size bytes.
 * Returns: ES_OK: the state is that after this tick.
 * Errors: ES_ERR_INVALID: a NULL, or no update where one is needed. ES_ERR_RANGE: before the first
 *   snapshot, or the runs differ. ES_ERR_STATE: after the last tick, or INT64_MAX. ES_ERR_DAMAGED:
 *   it is hidden by damage. ES_ERR_REFUSED: update said to stop. Then the state is that of
 *   es_playback_tick, if a snapshot was loaded.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per playback; update is called in it.
 */
ES_API es_result es_playback_seek(es_playback *play, int64_t tick, void *state);

/** The tick of the state, as far as playing knows.
 *
 * play: opened.
 * Returns: the tick that was loaded, or that es_playback_next gave last.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API int64_t es_playback_tick(const es_playback *play);

/** Where to go on after damage or a gap.
 *
 * play: es_playback_next, es_playback_start or es_playback_seek has returned ES_ERR_DAMAGED.
 * Returns: the tick of the next snapshot, for es_playback_seek; INT64_MAX: there is none.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API int64_t es_playback_resume_tick(const es_playback *play);

/** The next event of this kind and this tick.
 *
 * play: started, or sought.
 * tick: that the event was recorded with: the last whose step came before it. Events are taken in
 *   the order in which they were written: those of earlier ticks, and of other kinds in this tick,
 *   are passed over and do not come again.
 * kind: the program's number.
 * event: filled; not NULL.
 * Returns: true: there is one.
 * Errors: none.
 * Ownership: event->bytes points into the playback's memory, until the next call.
 * Threads: one thread at a time per playback.
 */
ES_API bool es_playback_event(
        es_playback *play, int64_t tick, uint32_t kind, es_reader_event *event);

/** The next recorded frame. From the beginning: es_playback_start goes back there, a seek does not
 * move it.
 *
 * play: started.
 * report: filled; not NULL. As es_reader_get_frame.
 * Returns: true: there is one.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API bool es_playback_frame(es_playback *play, es_frame_report *report);

/** What the clock had that was recorded.
 *
 * play: opened.
 * Returns: ES_CLOCK_HAS_... of the first readings, added; 0 where there are none.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API uint32_t es_playback_clock_has(es_playback *play);

/** The next reading of a clock. From the beginning, as es_playback_frame.
 *
 * play: started.
 * kind: receives which function of a clock answered; not NULL.
 * value_ns: receives what; not NULL.
 * Returns: true: there is one.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per playback.
 */
ES_API bool es_playback_reading(es_playback *play, es_reading_kind *kind, int64_t *value_ns);

#ifdef __cplusplus
}
#endif

#endif
