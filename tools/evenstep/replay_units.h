/* SPDX-License-Identifier: Zlib
 *
 * replay_units: a recording tick by tick: all that is said of one tick in one piece, for two
 * recordings to be gone through side by side.
 */
#ifndef EVENSTEP_REPLAY_UNITS_H
#define EVENSTEP_REPLAY_UNITS_H

#include "replay_state.h"
#include "replay_sum.h"

/* One tick; or, where no step is recorded, a state alone: the start, or what follows a gap. */
typedef struct replay_unit {
    int64_t tick;
    bool has_step;
    bool has_hole; /* something of it is damaged or was left out: what is not there says nothing */
    es_step step;
    uint64_t input_size;  /* as recorded ... */
    uint64_t input_done;  /* ... and as much of it as is here */
    unsigned char *input; /* its first bytes: input_kept of them */
    size_t input_kept;
    uint64_t input_hash;
    uint64_t events;
    uint64_t events_hash;
    uint64_t *hashes; /* hash_count of them; 0: none of this tick */
    size_t hash_count;
    bool has_snapshot; /* a whole one */
    replay_snapshot snapshot;
} replay_unit;

typedef struct replay_units {
    replay_file *file;
    replay_unit now;
    replay_snapshots snapshots;
    es_hash snapshot_hash, input_hash, events_hash;
    bool has_pending; /* an item that begins the next unit was read already */
    es_reader_item pending;
    bool has_tick;
    int64_t last_tick;
    uint64_t ticks; /* with a step, so far */
    replay_sum sum; /* of all that was read: whether it is intact */
    int status;     /* TOOL_OK, or why there is no more */
} replay_units;

/** False: out of memory. */
bool replay_units_begin(replay_units *units, replay_file *file);
void replay_units_end(replay_units *units);

/** The next tick, in now. False: there is none; see status. */
bool replay_units_next(replay_units *units);

#endif
