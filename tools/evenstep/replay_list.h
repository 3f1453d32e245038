/* SPDX-License-Identifier: Zlib
 *
 * replay_list: one kind of record, one after the other. Each list is a walk of its own, so that
 * several stand one below the other; the first of them also adds up what is needed to say whether
 * the recording is intact.
 */
#ifndef EVENSTEP_REPLAY_LIST_H
#define EVENSTEP_REPLAY_LIST_H

#include "replay_sum.h"

/* The slowest frames. */
enum { REPLAY_WORST = 10 };

typedef struct replay_slow {
    es_frame_report report;
    replay_interval interval;
} replay_slow;

typedef struct replay_list {
    replay_out *out;
    const replay_header *header;
    replay_range range;
    replay_sum *sum;  /* NULL: it has been added up */
    uint64_t printed; /* records */
    int64_t tick;     /* of the last step */
    /* inputs */
    bool input_open;
    uint64_t input_done, input_total;
    /* snapshots */
    bool snapshot_open;
    es_reader_snapshot snapshot;
    uint64_t snapshot_done, snapshot_parts, snapshot_offset, snapshot_bytes;
    /* frames */
    bool has_origin;
    int64_t origin_ns;
    replay_pace pace;
    replay_slow worst[REPLAY_WORST]; /* the slowest first */
    size_t worst_count;
} replay_list;

bool replay_in_range(const replay_list *list, int64_t tick);

/** A line in place of what is damaged or was left out. */
void replay_list_hole(replay_list *list, const es_reader_item *item);

/* The schedule: replay_schedule.c. */
void replay_schedule_begin(replay_list *list);
void replay_schedule_item(replay_list *list, const es_reader_item *item);
void replay_schedule_end(replay_list *list);

#endif
