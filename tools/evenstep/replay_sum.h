/* SPDX-License-Identifier: Zlib
 *
 * replay_sum: adds up what a recording holds, and finds what is wrong with it: damage, as the
 * reader tells it, and records that are sound by themselves and contradict each other.
 */
#ifndef EVENSTEP_REPLAY_SUM_H
#define EVENSTEP_REPLAY_SUM_H

#include "replay.h"

enum { REPLAY_KINDS = ES_RECORD_END + 2, REPLAY_OTHER = ES_RECORD_END + 1 };

/* The times between frames. */
typedef struct replay_pace {
    int64_t *intervals_ns; /* count of them */
    size_t count, room;
    bool is_short; /* memory was */
    bool has_last;
    es_frame_report last;
} replay_pace;

/* Frames lie apart by what screens showed, if that was known for both, else by their beginnings. */
typedef struct replay_interval {
    bool known; /* there is a frame before, and none is missing between */
    bool shown; /* by screen times */
    int64_t ns;
} replay_interval;

/** The time from the frame before to this one; keeps it. */
replay_interval replay_pace_add(replay_pace *pace, const es_frame_report *report);
/** Records are missing here: what follows has no frame before it. */
void replay_pace_break(replay_pace *pace);
/** Sorts them: call it once, after the last. */
void replay_pace_sort(replay_pace *pace);
/** The smallest that is not below this share of them; sorted, and not empty. */
int64_t replay_pace_quantile(const replay_pace *pace, double share);
void replay_pace_free(replay_pace *pace);

typedef void replay_tell(void *user, const replay_trouble *trouble);
typedef void replay_tell_gap(void *user, const es_reader_gap *gap, uint64_t offset);

/* All zero but for header and what is to be told. */
typedef struct replay_sum {
    const replay_header *header;
    replay_tell *tell;         /* of each trouble; NULL: they are counted */
    replay_tell_gap *tell_gap; /* likewise */
    void *user;

    uint64_t counts[REPLAY_KINDS], bytes[REPLAY_KINDS]; /* by kind of record */
    uint64_t records, records_bytes;
    uint64_t end_offset; /* of what was read */
    uint64_t damages, damaged_bytes, missing;
    bool missing_unknown; /* more than that may be missing */
    bool cut_within;      /* the last bytes are the beginning of a record */
    uint64_t contradictions;
    uint64_t ticks, first_seen;
    int64_t first_tick, last_tick;
    int64_t simulated_ns, last_ns;
    uint64_t input_bytes, input_ticks, input_max;
    uint64_t snapshots, snapshots_cut;
    int64_t first_snapshot_tick, last_snapshot_tick;
    uint64_t readings, event_bytes;
    uint64_t gap_ticks;
    bool ended;
    es_reader_end end;
    replay_pace pace;
    int64_t worst_ns, worst_frame;

    /* between records */
    bool has_tick, may_skip; /* a damage or a gap was here since the last tick */
    bool input_open, snapshot_open;
    uint64_t input_done, input_total, snapshot_done;
    uint64_t input_offset;
    uint32_t input_sequence;
    es_reader_snapshot snapshot; /* the open one: tick, time, total */
    es_reader_gap gap;
} replay_sum;

/** Adds an item of a walk. */
void replay_sum_add(replay_sum *sum, const es_reader_item *item);

/** After the last. */
void replay_sum_finish(replay_sum *sum);

/** What an item of damage says, in words and numbers. */
void replay_describe_damage(const es_reader_item *item, replay_trouble *trouble);

/** Whether a recording was cut off: no end was written, or it is not there any more. */
bool replay_sum_is_cut(const replay_sum *sum);

/** TOOL_OK or REPLAY_DAMAGED. */
int replay_sum_status(const replay_sum *sum);

/** One line, if the recording is not intact: for what prints something else of it. */
void replay_sum_warn(const replay_sum *sum, replay_out *out);

/** The sum as members of the open JSON object: totals, integrity. */
void replay_sum_json(const replay_sum *sum, replay_out *out);

json_t *replay_trouble_json(const replay_trouble *trouble);

/** "damaged", "cut off", "ended early", "intact". */
const char *replay_sum_verdict(const replay_sum *sum);

#endif
