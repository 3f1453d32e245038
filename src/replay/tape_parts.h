/* SPDX-License-Identifier: Zlib
 *
 * A clock that records its answers, and a clock that gives these answers again.
 */
#ifndef ES_TAPE_PARTS_H
#define ES_TAPE_PARTS_H

#include "playback_parts.h"

/* Set the first two fields; the others are private, and 0 at first. */
typedef struct es__tape_writer {
    es_clock clock;     /* answers */
    es__record *record; /* initialised before the first reading of the clock */
    es_result result;   /* of the first reading that could not be written; ES_OK: none */
    bool clock_written; /* the recording knows what the clock has */
} es__tape_writer;

/* Set the first two fields; the others are 0 at first. */
typedef struct es__tape_player {
    es__playback *play; /* started */
    es_clock pace;      /* waits so that frames come at their own times; {0}: as fast as possible */
    bool ended;         /* no readings are left: from here on only waits advance the time */
    uint64_t strays; /* calls of another function of the clock than recorded. Above 0: the program
                          does not do what it did when recording */
    int64_t last[ES__READING_KINDS];
    es__reading_kind next_kind; /* of the reading that is read ahead */
    int64_t next_ns;
    bool has_next, begun;
    int64_t first_ns, pace_first_ns;
} es__tape_player;

/* A clock that answers as writer->clock, has the same functions, and records the answers. writer:
 * outlives the clock; not NULL. */
es_clock es__tape_writer_clock(es__tape_writer *writer);

/* A clock that answers what was recorded, with the functions of the recorded clock. Waits end at
 * once, or, with a pace, when the next recorded reading is due. After the last reading the time is
 * that of the latest deadline. player: outlives the clock; not NULL. */
es_clock es__tape_player_clock(es__tape_player *player);

#endif
