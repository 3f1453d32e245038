/* SPDX-License-Identifier: Zlib
 *
 * replay_sum: the totals of a recording, and its damage: what the reader reports, and records that
 * are intact but contradict each other.
 */
#ifndef REPLAY_SUM_H
#define REPLAY_SUM_H

#include "evenstep/replay.h"

#include "replay.h"

enum { REPLAY_KINDS = ES_RECORD_END + 2, REPLAY_OTHER = ES_RECORD_END + 1 };

/* Rows that a walk prints while it adds up. */
typedef enum replay_rows { REPLAY_NO_ROWS = 0, REPLAY_TROUBLES, REPLAY_GAPS } replay_rows;

/* Initialise all to zero but header, and out where rows are printed. */
typedef struct replay_sum {
    const replay_header *header;
    replay_out *out;
    replay_rows rows;

    uint64_t counts[REPLAY_KINDS], bytes[REPLAY_KINDS]; /* by kind of record */
    uint64_t records;
    uint64_t damages, damaged_bytes, missing;
    bool cut_within; /* the last bytes are the beginning of a record */
    uint64_t contradictions;
    uint64_t ticks;
    int64_t first_tick, last_tick;
    int64_t simulated_ns;
    uint64_t input_bytes, input_ticks, input_max;
    uint64_t snapshots, snapshots_cut;
    uint64_t readings;
    uint64_t gap_ticks;
    bool ended;
    int64_t end_tick;
    es_record_status end;

    /* between records */
    bool has_tick, may_skip; /* damage or a gap was here since the last tick */
    bool input_open, snapshot_open;
    es_replay_item input; /* the open one's first record ... */
    uint64_t input_done, input_offset;
    uint32_t input_sequence;
    es_replay_item snapshot; /* ... and the open snapshot's last one */
    uint64_t snapshot_done;
    int64_t gap_first, gap_last;
} replay_sum;

/** Adds an item of a walk. */
void replay_sum_add(replay_sum *sum, const es_replay_item *item);

/** After the last item. */
void replay_sum_finish(replay_sum *sum);

/** Walks over the whole recording and adds up. Returns TOOL_OK, or REPLAY_UNREADABLE. */
int replay_sum_all(replay_sum *sum, replay_file *file);

/** TOOL_OK or REPLAY_DAMAGED. */
int replay_sum_status(const replay_sum *sum);

/** "damaged", "cut off", "ended early", "intact". */
const char *replay_sum_verdict(const replay_sum *sum);

/** The members `totals` and `integrity`. */
void replay_sum_show(const replay_sum *sum, replay_out *out);

/** What an item of damage says, for a line between others. */
const char *replay_damage_text(const es_replay_item *item);

#endif
