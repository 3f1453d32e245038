/* SPDX-License-Identifier: Zlib
 *
 * What opening and playing share.
 */
#ifndef ES_PLAYBACK_PARTS_H
#define ES_PLAYBACK_PARTS_H

#include "evenstep/playback.h"

/* Reads the whole snapshot that begins at a place into a state of the recording's layout. Then
 * *behind is the place after it. */
es_result es__playback_snapshot(
        es_playback *play, es_reader_place place, void *state, es_reader_place *behind);

/* A search for whole snapshots. */
typedef struct es__playback_scan {
    es_reader_place place;
    es_playback_mark open; /* the snapshot whose parts come ... */
    uint64_t done;         /* ... and how much of it did; UINT64_MAX: none */
    bool hidden;           /* the start of the run may have been before what was found */
} es__playback_scan;

/* A search from a place on. */
es__playback_scan es__playback_scan_from(es_reader_place place);

/* The next whole snapshot. ES_ERR_STATE: there is none. Else what the source fails with. */
es_result es__playback_scan_next(
        es_playback *play, es__playback_scan *scan, es_playback_mark *found);

/* The next reading of a clock; false: there is none. In the order in which they were written: only
 * es_playback_start goes back to the first. */
bool es__playback_reading(es_playback *play, es_reading_kind *kind, int64_t *value_ns);

#endif
