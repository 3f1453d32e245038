/* SPDX-License-Identifier: Zlib
 *
 * replay_units: a recording tick by tick, for two recordings to be compared side by side.
 */
#ifndef EVENSTEP_REPLAY_UNITS_H
#define EVENSTEP_REPLAY_UNITS_H

#include "evenstep/state.h"
#include "replay_sum.h"

/* All records of one tick. Or, where no step is recorded, a state alone: the start of the run, or
 * what follows a gap. */
typedef struct replay_unit {
    int64_t tick;
    bool has_step;
    bool has_hole; /* damaged or left out in part: a missing record is no difference */
    es_step step;
    uint64_t input_size, input_done; /* as recorded, and as far as it is here */
    unsigned char *input;            /* its first input_kept bytes */
    size_t input_kept;
    uint64_t input_hash;
    uint64_t events, events_hash;
    uint64_t *hashes; /* hash_count of them */
    size_t hash_count;
    bool has_snapshot;     /* a whole one: */
    es_reader_place place; /* of its first record */
    uint64_t state_hash;   /* of its packed bytes */
} replay_unit;

typedef struct replay_units {
    replay_file *file;
    replay_unit now;
    es_hash input_hash, events_hash, state_hash;
    es_reader_place snapshot_place; /* of the last that began */
    uint64_t snapshots;             /* whole ones so far */
    bool has_tick;
    int64_t last_tick;
    uint64_t ticks; /* with a step, so far */
    replay_sum sum; /* of all that was read: whether it is intact */
    int status;     /* TOOL_OK, or why there is no more */
} replay_units;

/** False: out of memory. replay_units_end is to be called in any case. */
bool replay_units_begin(replay_units *units, replay_file *file);
void replay_units_end(replay_units *units);

/** The next tick, in now. False: there is none; see status. */
bool replay_units_next(replay_units *units);

/* The numbers of a snapshot, read from the file one after the other. */
typedef struct replay_numbers {
    replay_file *file;
    const unsigned char *at;
    size_t left; /* of the current record */
} replay_numbers;

/** Goes to a snapshot's first number: moves the file's reader. */
void replay_numbers_begin(replay_numbers *numbers, replay_file *file, es_reader_place place);

/** The next number as packed. False: it cannot be read any more. */
bool replay_numbers_next(replay_numbers *numbers, es_type type, uint64_t *bits);

#endif
