/* SPDX-License-Identifier: Zlib
 *
 * What opening and playing share.
 */
#ifndef ES_PLAYBACK_PARTS_H
#define ES_PLAYBACK_PARTS_H

#include "evenstep/playback.h"

/* Reads the whole snapshot that begins at a place into a state of the recording's layout. behind:
 * receives the place after it. */
es_result es__playback_snapshot(
        es_playback *play, es_reader_place place, void *state, es_reader_place *behind);

/* A search for whole snapshots. */
typedef struct es__playback_scan {
    es_reader_place place;
    es_playback_mark open; /* the snapshot that is being read */
    uint64_t done;         /* bytes of it so far; UINT64_MAX: none is open */
    bool hidden;           /* damage may hide the start of the run */
} es__playback_scan;

/* A search from a place on. */
es__playback_scan es__playback_scan_from(es_reader_place place);

/* The next whole snapshot. ES_ERR_STATE: there is none. Else what the source fails with. */
es_result es__playback_scan_next(
        es_playback *play, es__playback_scan *scan, es_playback_mark *found);

/* The next reading of a clock; false: there is none. In the order in which they were written: only
 * es_playback_start goes back to the first. */
bool es__playback_reading(es_playback *play, es_reading_kind *kind, int64_t *value_ns);

/* What the recorded clock had: ES_CLOCK_HAS_... of the first readings, added; 0 if there are none. */
uint32_t es__playback_clock_has(es_playback *play);

#endif
