/* SPDX-License-Identifier: Zlib
 *
 * Playing in the caller's memory, and a clock that answers what was recorded.
 */
#ifndef ES_REPLAY_PLAY_H
#define ES_REPLAY_PLAY_H

#include "read.h"

/* Required: source and layout. */
typedef struct es__playback_config {
    es_stream stream;                  /* the recording */
    const es_layout *layout;           /* the program's state, valid; outlives the playback */
    size_t input_max;                  /* the largest input of a tick, in bytes; 0: 4096 */
    const es__reader_summary *summary; /* or outline, of the recording; NULL: made by opening */
} es__playback_config;

/* Where a run first differed from its recording. */
typedef struct es__divergence {
    bool found;
    int64_t tick;           /* the first whose hashes differ */
    es_record_hashes level; /* NONE: found by a snapshot of a tick without hashes */
    int32_t group;          /* level GROUPS: the first that differs */
    const es_field *field;  /* the first that differs at `tick`, by its hashes (NAMES, FIELDS) or a
                               snapshot of the same tick; NULL: neither shows it */
    bool located;           /* a snapshot was compared: located_tick and difference are set */
    int64_t located_tick;   /* `tick`, or that of the first snapshot after it */
    /* At located_tick, where its field may be another. values[0] is the run's. */
    es__state_difference difference;
} es__divergence;

/* Whether program, machine and recording fit. */
typedef struct es__playback_fit {
    bool arithmetic, library; /* the self-test gives what it gave when recording */
} es__playback_fit;

/* A snapshot, for seeking. */
typedef struct es__playback_mark {
    int64_t tick, time_ns;
    es__reader_place place;
} es__playback_mark;

typedef struct es__playback {
    es__playback_config config;
    es__reader reader;
    es_replay_run run;
    es__reader_summary summary;
    es__playback_fit fit;
    es_layout layout; /* the recording's fields, as they lie in the program's state */
    es_field *fields;
    es__playback_mark first; /* the first whole snapshot */
    unsigned char *input;
    unsigned char *scratch; /* a state */
    unsigned char *hashes;  /* of a tick */
    es__reader_place ticks; /* the next step is looked for here; frames and tape likewise */
    es__reader_place frames;
    es__reader_place tape;
    uint32_t tape_taken; /* readings of the record at `tape` that were read */
    int64_t tick;        /* the state's */
    int64_t compared_tick;
    es__playback_mark resume; /* after damage */
    uint64_t
            compared; /* ticks, since the last start or seek; others have nothing to compare with */
    bool loaded;      /* there is a state */
    bool start_hidden; /* `first` is not the state that the recording starts from */
    es_result failed;  /* what the source failed with in a check or for a clock */
    es__divergence divergence;
} es__playback;

/* Bytes of memory for a playback; 0: they exceed size_t. */
size_t es__playback_memory_size(const es__playback_config *config);

/* Opens a recording; reads all of it only if it has no end with an index. Damage behind the header is
 * no error.
 * memory: es__playback_memory_size, at any address.
 * error: names "source", "head", "run", or a field that does not fit (a text that may lie in memory). ES_ERR_DAMAGED: no header or no whole snapshot is readable. ES_ERR_UNSUPPORTED:
 * another format, or fields that do not fit the layout. */
es_result es__playback_open(
        es__playback *play, const es__playback_config *config, void *memory, es__error *error);

/* Loads the initial state; ticks, frames and readings begin again. ES_ERR_DAMAGED: it is damaged;
 * resume is the first that is not. The state is unchanged then. */
es_result es__playback_start(es__playback *play, void *state);

/* ES_ERR_STATE: there are no more ticks, or nothing was loaded. ES_ERR_DAMAGED: see resume.
 * ES_ERR_SPACE: the input is larger than input_max. Nothing has moved then, nor if the stream fails. A
 * failure in a check or for a clock is returned here until the next start or seek. */
es_result es__playback_next(es__playback *play, es_step *step, const void **input, size_t *size);

/* Compares with the hashes, or without hashes with the snapshot of this tick. The first snapshot
 * behind the first difference locates it. If the stream fails: true, and next returns the failure. */
bool es__playback_check(es__playback *play, const void *state);

/* Loads the last whole snapshot that is not after this tick. ES_ERR_RANGE: there is none. */
es_result es__playback_seek(es__playback *play, int64_t tick, void *state);

/* The next recorded frame; ES_ERR_STATE: there is none. A seek does not go back. */
es_result es__playback_frame(es__playback *play, es_report *report);

/* The next reading of a clock; false: there is none, or the stream fails. In the order in which they were written: only
 * es__playback_start goes back to the first. */
bool es__playback_reading(es__playback *play, es__reading_kind *kind, int64_t *value_ns);

/* What the recorded clock had: ES__CLOCK_HAS_... of the first readings, added; 0 if there are none. */
uint32_t es__playback_clock_has(es__playback *play);

/* --- tape.c: a clock that gives the recorded answers ------------------------------------------ */

/* Set the first two fields; the others are 0 at first. */
typedef struct es__tape_player {
    es__playback *play; /* started */
    es_clock pace;      /* waits so that frames come at their own times; {0}: as fast as possible */
    bool ended;         /* no readings are left: from here on only waits advance the time */
    uint64_t strays;    /* readings of another kind than recorded */
    int64_t last[ES__READING_KINDS];
    es__reading_kind next_kind; /* of the reading that is read ahead */
    int64_t next_ns;
    bool has_next, begun;
    int64_t first_ns, pace_first_ns;
} es__tape_player;

/* A clock that answers what was recorded, with the functions of the recorded clock. Waits end at
 * once, or, with a pace, when the next recorded reading is due. After the last reading the time is
 * that of the latest deadline. player: outlives the clock. */
es_clock es__tape_player_clock(es__tape_player *player);

/* The value that was recorded here. */
int64_t es__tape_play_value(es__tape_player *player);

#endif
