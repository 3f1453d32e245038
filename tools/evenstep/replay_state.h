/* SPDX-License-Identifier: Zlib
 *
 * replay_state: the numbers of a snapshot, one after the other, straight from the file: a state of
 * any size takes no memory.
 */
#ifndef EVENSTEP_REPLAY_STATE_H
#define EVENSTEP_REPLAY_STATE_H

#include "evenstep/state.h"
#include "replay.h"

/* A whole snapshot. */
typedef struct replay_snapshot {
    int64_t tick, time_ns;
    uint64_t offset; /* of its first record */
    uint64_t hash;   /* of its packed bytes */
    es_reader_place place;
} replay_snapshot;

/* Finds whole snapshots among the items of a walk. */
typedef struct replay_snapshots {
    uint64_t total; /* bytes of a packed state: others are none */
    bool open;
    uint64_t done;
    replay_snapshot now;
    es_hash *hash; /* NULL: it is not wanted */
} replay_snapshots;

/** Takes the next item. True: a snapshot is whole, in now. */
bool replay_snapshots_add(replay_snapshots *s, const es_reader_item *item);

typedef struct replay_numbers {
    replay_file *file;
    const unsigned char *at;
    size_t left; /* of the record at hand */
} replay_numbers;

/** Begins with a snapshot's first number: moves the file's reader. */
void replay_numbers_begin(
        replay_numbers *numbers, replay_file *file, const replay_snapshot *snapshot);

/** The next number as packed. False: it cannot be read any more. */
bool replay_numbers_next(replay_numbers *numbers, es_type type, uint64_t *bits);

#endif
