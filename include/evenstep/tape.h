/* SPDX-License-Identifier: Zlib
 *
 * tape: a clock that records its answers, and a clock that gives these answers again. With them the
 * same frames come again, with every stutter.
 *
 *   es_tape_writer writer = {.clock = machine_clock, .record = &record};     // when recording
 *   config.clock = es_tape_writer_clock(&writer);
 *
 *   es_tape_player player = {.play = &play, .speed = {1, 1}};                // when playing
 *   config.clock = es_tape_player_clock(&player);
 *
 * A loop decides everything by what its clock answers: when frames start, how many ticks each runs,
 * what is caught up, dropped or slowed. Given the same answers it makes the same decisions, to the
 * nanosecond. What else reaches the loop has to come again, too: feedback of a display
 * (es_loop_presented) and calls that change the loop, as events of the recording or because the
 * same input causes them.
 *
 * Errors: `result` and `strays`. Threads: that of the recording or playback. Allocation: none.
 *
 * Not for: two threads on one clock (threaded.h), of which each would need a tape of its own.
 */
#ifndef EVENSTEP_TAPE_H
#define EVENSTEP_TAPE_H

#include "evenstep/playback.h"
#include "evenstep/record.h"

/* Set the first two fields; the others are private, and 0 at first. */
typedef struct es_tape_writer {
    es_clock clock;     /* answers */
    es_record *record;  /* initialised before the first reading of the clock */
    es_result result;   /* of the first reading that could not be written; ES_OK: none */
    bool clock_written; /* the recording knows what the clock has */
} es_tape_writer;

/* Set the first three fields; the others are 0 at first. */
typedef struct es_tape_player {
    es_playback *play; /* started */
    es_clock pace;     /* waits so that frames come at their own times; {0}: as fast as possible */
    es_ratio speed;    /* of the pace: {1, 2} is half as fast; a 0 in it: {1, 1} */
    bool ended;        /* no readings are left: from here on only waits advance the time */
    uint64_t strays;   /* calls of another function of the clock than recorded. Above 0: the program
                          does not do what it did when recording */
    int64_t last[ES_READING_KINDS];
    es_reading_kind next_kind; /* of the reading that is read ahead */
    int64_t next_ns;
    bool has_next, begun;
    int64_t first_ns, pace_first_ns;
} es_tape_player;

#ifdef __cplusplus
extern "C" {
#endif

/* A clock that answers as writer->clock, has the same functions, and records the answers. writer:
 * outlives the clock; not NULL. */
ES_API es_clock es_tape_writer_clock(es_tape_writer *writer);

/* A clock that answers what was recorded, with the functions of the recorded clock. Waits end at
 * once, or, with a pace, when the next recorded reading is due. After the last reading the time is
 * that of the latest deadline. player: outlives the clock; not NULL. */
ES_API es_clock es_tape_player_clock(es_tape_player *player);

#ifdef __cplusplus
}
#endif

#endif
