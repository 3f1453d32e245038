/* SPDX-License-Identifier: Zlib
 *
 * replay_diff: what the two halves of `evenstep replay FILE --diff OTHER` share: finding
 * (replay_diff.c) and telling (replay_diff_tell.c).
 */
#ifndef EVENSTEP_REPLAY_DIFF_H
#define EVENSTEP_REPLAY_DIFF_H

#include "replay_units.h"

/* In the order in which they follow from each other. */
typedef enum replay_aspect {
    REPLAY_INPUT = 0,
    REPLAY_STEP,
    REPLAY_EVENT,
    REPLAY_HASH,
    REPLAY_STATE
} replay_aspect;

enum { REPLAY_ASPECTS = 5 };

/* The first tick in which an aspect differs; [0] is the one recording's, [1] the other's. */
typedef struct replay_first {
    uint64_t compared, differing; /* ticks */
    int64_t tick;                 /* the first of the differing */
    const char *what;             /* STEP: which of its values */
    uint64_t values[2];           /* INPUT: sizes, EVENT: counts; STEP: bits; HASH: hashes */
    bool at_known;                /* INPUT: whether the first byte that differs is known ... */
    uint64_t at;                  /* ... it; HASH: which hash */
    int bytes[2];                 /* INPUT: there; -1: it has ended */
    size_t hashes, hashes_all;    /* HASH: how many differ */
    replay_snapshot snapshots[2]; /* STATE */
} replay_first;

/* The first number that differs in two states. */
typedef struct replay_number {
    const replay_field *field; /* NULL: it was not looked for */
    uint64_t element;
    uint32_t component;
    uint64_t bits[2];
    uint64_t differing; /* numbers, of the whole state */
} replay_number;

typedef struct replay_difference {
    replay_file *files[2];
    replay_units units[2];
    bool same_layout, same_hashes; /* whether states, and hashes, can be compared */
    size_t header_differences;     /* that make it another run */
    replay_first first[REPLAY_ASPECTS];
    replay_number number;
    uint64_t both;
    uint64_t only[2];      /* ticks that only one of them has ... */
    int64_t only_first[2]; /* ... and the first of these */
} replay_difference;

/** Each difference of the headers; counts: it makes it another run. Texts are escaped. */
typedef void replay_tell_header(
        void *user, const char *what, const char *a, const char *b, bool counts);
/** Calls tell for each. False: out of memory. */
bool replay_compare_headers(replay_difference *d, replay_tell_header *tell, void *user);

/** The first tick that differs in anything. False: there is none. */
bool replay_first_tick(const replay_difference *d, int64_t *tick);

/** Whether nothing was found to differ. What is damaged or cut off may lack ticks: who knows? */
bool replay_is_same(const replay_difference *d);

void replay_tell_difference(const replay_difference *d, replay_out *out);

/** Whether something of one of them could not be compared because it is damaged or cut off. */
bool replay_is_partial(const replay_difference *d);

#endif
