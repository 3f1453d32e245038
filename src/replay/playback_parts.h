/* SPDX-License-Identifier: Zlib
 *
 * Playing in the caller's memory: state, steps, checks, and what opening and playing share.
 */
#ifndef ES_PLAYBACK_PARTS_H
#define ES_PLAYBACK_PARTS_H

#include "reader_parts.h"
#include "state_parts.h"

/* Required: source and layout. */
typedef struct es__playback_config {
    es_stream stream;                  /* the recording */
    const es_layout *layout;           /* the program's state, valid; outlives the playback */
    size_t input_max;                  /* the largest input of a tick, in bytes; 0: 4096 */
    const es__reader_summary *summary; /* of the recording; NULL: es__playback_open makes it */
    size_t snapshots_max; /* how many snapshots are remembered for seeking; 0: 256. If there are
                                more: every second, fourth ... of them. At least 2 */
} es__playback_config;

/* Where a run first differed from its recording. */
typedef struct es__divergence {
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
    es__state_difference
            difference; /* at located_tick, where its field may be another than `field`.
                                       values[0] is the run's, values[1] the recording's */
} es__divergence;

/* Whether program, machine and recording fit. */
typedef struct es__playback_fit {
    bool arithmetic;   /* the float self-test gives what it gave when recording; false: a divergence
                          is likely */
    bool library;      /* the functions of the C library give what they gave */
    size_t fields_new; /* of the layout, which the recording does not have */
} es__playback_fit;

/* How much was played and compared since es__playback_start, or since the snapshot that
 * es__playback_seek loaded. */
typedef struct es__playback_progress {
    uint64_t ticks;    /* from es__playback_next */
    uint64_t compared; /* ticks whose hashes or snapshot es__playback_check compared. Others have
                          none, or damaged ones */
    uint64_t holes;    /* stretches of damage between two ticks or behind the last: hashes, events
                          or frames may be missing there, but no tick */
} es__playback_progress;

/* A snapshot, for seeking. */
typedef struct es__playback_mark {
    int64_t tick, time_ns;
    es__reader_place place;
} es__playback_mark;

/* Initialise with es__playback_open; fields are private. */
typedef struct es__playback {
    es__playback_config config;
    es__reader reader;
    es_replay_run run;
    es__reader_summary summary;
    es__playback_fit fit;
    es_layout layout; /* the recording's fields, as they lie in the program's state */
    es_field *fields;
    es__playback_mark *marks;
    size_t mark_count, mark_every, marks_seen;
    unsigned char *input;
    unsigned char *scratch; /* a state */
    es__reader_place ticks; /* the next step is looked for here; frames and tape likewise */
    es__reader_place frames;
    es__reader_place tape;
    uint32_t tape_taken; /* readings of the record at `tape` that were read */
    int64_t tick;        /* the state's */
    int64_t compared_tick;
    es__playback_mark resume; /* after damage */
    es__playback_progress progress;
    bool loaded;       /* there is a state */
    bool start_hidden; /* the first mark is not the state that the recording starts from */
    es_result failed;  /* what the source failed with */
    es__divergence divergence;
} es__playback;

/* The bytes of memory that playing takes: a window of ES_RECORD_SIZE_MAX, a state, an input, and
 * the marks. 0 if that exceeds size_t, or a field is out of its range.
 * config: not NULL; only layout, input_max and snapshots_max matter. */
size_t es__playback_memory_size(const es__playback_config *config);

/* Opens a recording for playing, and reads all of it once. Damage behind the header is no error:
 * see es__playback_summary.
 * config: copied; not NULL. It borrows layout and what source and user point to.
 * memory: at any address; borrowed. memory_size: at least es__playback_memory_size(config).
 * error: names a parameter, a field of config, "head", "run", or a field of the layout or the
 * recording that does not fit (a text that may lie in memory); may be NULL.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE. ES_ERR_DAMAGED: no header or no whole snapshot is readable.
 * ES_ERR_UNSUPPORTED: another format, or fields that do not fit the layout. */
es_result es__playback_open(es__playback *play, const es__playback_config *config, void *memory,
        size_t memory_size, es_error *error);

/* What the recording has, and what is damaged. */
es__reader_summary es__playback_summary(const es__playback *play);

/* Whether program, machine and recording fit. */
es__playback_fit es__playback_fit_get(const es__playback *play);

/* Loads the state that the recording starts from; ticks, frames and readings begin again. Writes
 * only what the recorded fields cover.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_DAMAGED: that state is damaged; es__playback_resume_tick is
 * the tick of the first one that is not. The state is unchanged then. */
es_result es__playback_start(es__playback *play, void *state);

/* The next tick: its step and its input. The caller runs it, then calls es__playback_check.
 * step, input, size: filled; not NULL. *input is good until the next call for this playback.
 * Errors: ES_ERR_STATE: there are no more ticks, or nothing was loaded. ES_ERR_DAMAGED: the tick,
 * or its input, is damaged; es__playback_resume_tick says where to go on. ES_ERR_SPACE: the input is
 * larger than input_max. Nothing has moved then. A failure of the source stays until the next
 * es__playback_start or es__playback_seek. */
es_result es__playback_next(es__playback *play, es_step *step, const void **input, size_t *size);

/* After the update of the last tick: compares its state with the recorded hashes, or, without
 * hashes of this tick, with its snapshot. True: equal, or there is nothing to compare with, which
 * es__playback_progress does not count. The divergence stays that of the first difference; the first
 * snapshot from there on that differs locates it. If the source fails, the result is true and
 * es__playback_next returns the failure. */
bool es__playback_check(es__playback *play, const void *state);

/* The first difference since es__playback_start or the last es__playback_seek; `found` is false if
 * there is none. Points into the playback. */
const es__divergence *es__playback_divergence(const es__playback *play);

/* How much was played and compared. */
es__playback_progress es__playback_progress_get(const es__playback *play);

/* Loads the last whole snapshot that is not after this tick.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_RANGE: before the first one. ES_ERR_DAMAGED: it has become
 * damaged. The state is unchanged then. */
es_result es__playback_seek(es__playback *play, int64_t tick, void *state);

/* The tick of the state: the one that was loaded, or that es__playback_next gave last. */
int64_t es__playback_tick(const es__playback *play);

/* After ES_ERR_DAMAGED: the tick of the next snapshot, for es__playback_seek; INT64_MAX: none. */
int64_t es__playback_resume_tick(const es__playback *play);

/* The next recorded frame, as es__reader_get_frame; false: there is none. es__playback_start goes
 * back to the first one, a seek does not. report: filled; not NULL. */
bool es__playback_frame(es__playback *play, es_frame_report *report);

/* Reads the whole snapshot that begins at a place into a state of the recording's layout. behind:
 * receives the place after it. */
es_result es__playback_snapshot(
        es__playback *play, es__reader_place place, void *state, es__reader_place *behind);

/* A search for whole snapshots. */
typedef struct es__playback_scan {
    es__reader_place place;
    es__playback_mark open; /* the snapshot that is being read */
    uint64_t done;          /* bytes of it so far; UINT64_MAX: none is open */
    bool hidden;            /* damage may hide the start of the run */
} es__playback_scan;

/* A search from a place on. */
es__playback_scan es__playback_scan_from(es__reader_place place);

/* The next whole snapshot. ES_ERR_STATE: there is none. Else what the source fails with. */
es_result es__playback_scan_next(
        es__playback *play, es__playback_scan *scan, es__playback_mark *found);

/* The next reading of a clock; false: there is none. In the order in which they were written: only
 * es__playback_start goes back to the first. */
bool es__playback_reading(es__playback *play, es__reading_kind *kind, int64_t *value_ns);

/* What the recorded clock had: ES__CLOCK_HAS_... of the first readings, added; 0 if there are none. */
uint32_t es__playback_clock_has(es__playback *play);

#endif
