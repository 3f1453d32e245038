/* SPDX-License-Identifier: Zlib
 *
 * tape: can the same frames come again, with every stutter? A clock that writes down what it
 * answers, and one that answers so again.
 *
 *   es_tape_writer writer = {.clock = machine_clock, .record = &record};     // when recording
 *   config.clock = es_tape_writer_clock(&writer);
 *
 *   es_tape_player player = {.play = &play, .speed = {1, 1}};                // when playing
 *   config.clock = es_tape_player_clock(&player);
 *
 * A loop decides everything by what its clock answers: when frames start, how many ticks each runs,
 * what is caught up, dropped or slowed. Given the same answers it makes the same decisions, to the
 * nanosecond. So the program needs no change but for its clock. What else reaches the loop has to
 * come again, too: feedback of a display (es_loop_presented) and calls that change the loop, as events
 * of the recording or because the same input makes them.
 *
 * Not for: two threads on one clock (threaded.h): there each would need a tape of its own.
 */
#ifndef EVENSTEP_TAPE_H
#define EVENSTEP_TAPE_H

#include "evenstep/playback.h"
#include "evenstep/record.h"

/* Fill in the first two; the rest is its own, zero at first. */
typedef struct es_tape_writer {
    es_clock clock;    /* the one that answers */
    es_record *record; /* started, or at least initialised, before the clock is first asked */
    es_result result;  /* of the first reading that could not be written; ES_OK: none */
    bool told;         /* the recording knows what the clock has */
} es_tape_writer;

/* Fill in the first three; the rest is its own, zero at first. */
typedef struct es_tape_player {
    es_playback *play; /* started */
    es_clock pace;   /* waits so that the frames come at their own times; {0}: as fast as can be */
    es_ratio speed;  /* of the pace: {1, 2} is half as fast; a 0 in it: {1, 1} */
    bool ended;      /* the tape has no more readings: time goes on by what is waited for */
    uint64_t strays; /* answers that were not those recorded: another function was asked. 0, or
                          the program does not do what it did when recording */
    int64_t last[ES_READING_KINDS];
    es_reading_kind next_kind; /* the reading that is read ahead */
    int64_t next_ns;
    bool has_next, begun;
    int64_t first_ns, pace_first_ns;
} es_tape_player;

#ifdef __cplusplus
extern "C" {
#endif

/** A clock that answers as another does, and records what that was.
 *
 * writer: filled in; outlives the clock; not NULL.
 * Returns: the clock; it has the functions that writer->clock has.
 * Errors: none here; writer->result tells of readings that could not be written.
 * Ownership: borrows writer.
 * Threads: one thread at a time, the recording's.
 */
ES_API es_clock es_tape_writer_clock(es_tape_writer *writer);

/** A clock that answers what was recorded.
 *
 * Waits end at once, or, with a pace, when the next recorded reading is due. After the last reading
 * its time is that of the latest deadline.
 * player: filled in; outlives the clock; not NULL.
 * Returns: the clock, with the functions that the recorded one had.
 * Errors: none here; player->strays counts.
 * Ownership: borrows player, and reads from player->play.
 * Threads: one thread at a time, the playback's.
 */
ES_API es_clock es_tape_player_clock(es_tape_player *player);

#ifdef __cplusplus
}
#endif

#endif
