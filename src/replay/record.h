/* SPDX-License-Identifier: Zlib
 *
 * Recording in the caller's memory, and a clock that records its answers.
 */
#ifndef ES_REPLAY_RECORD_H
#define ES_REPLAY_RECORD_H

#include "format.h"

/* The least memory of a recording: one record and the file's head. */
#define ES__RECORD_MEMORY_MIN (ES_RECORD_SIZE_MAX + 16)

/* es_record_config, and what is constant in it. If the sink returns ES_ERR_FULL and the batch is full,
 * too, ticks are left out, and the recording says which. */
typedef struct es__record_config {
    const es_layout *layout; /* outlives the recording */
    es_stream stream;        /* write is required */
    es_rate tick_rate;       /* ticks per second; {0, 0}: steps vary */
    uint64_t seed;
    const char *const *tags; /* name, text, ..., NULL; read by es__record_init only; NULL: none */
    es_record_hashes hashes;
    int32_t hash_every;     /* ticks from one hash to the next; 0: 1 */
    int32_t snapshot_every; /* ticks from one snapshot to the next; 0: 60 to 3600, by its size; below
                               0: only the first, and after gaps */
    int32_t flush_every;    /* ticks that the batch may hold; 0: 10 */
} es__record_config;

/* Totals since es__record_init. */
typedef struct es__record_counts {
    uint64_t bytes; /* that the sink has taken */
    uint64_t records;
    uint64_t steps, frames, snapshots, events;
    uint64_t ticks_lost;   /* left out, whole or in part */
    uint64_t records_lost; /* every record that was not written */
    uint64_t gaps;
    es_result failed; /* ES_OK, or why recording ended before es__record_end */
} es__record_counts;

typedef struct es__record {
    es__record_config config;
    es__record_counts counts;
    unsigned char *batch; /* batch_size bytes, the caller's */
    size_t batch_size;
    size_t batch_used;
    uint32_t sequence; /* of the next record */
    uint64_t packed_size;
    size_t hash_count;
    uint32_t tag_count;
    uint64_t arithmetic, library; /* es__state_self_test */
    int32_t ticks_held;           /* run since the last flush */
    int64_t start_tick;           /* snapshots count from here */
    int64_t tick;                 /* the last step's */
    int64_t tick_written;         /* the last of a step that is not left out; 0: none */
    uint64_t input_max;           /* bytes of the largest input */
    es__index_entry index[ES__INDEX_MAX];
    uint64_t index_offset;                /* of the last ES_RECORD_INDEX; 0: none */
    int64_t snapshot_tick;                /* the last's */
    uint64_t snapshot_size, snapshot_end; /* in bytes, with its index and copies */
    bool ticked;                          /* es__record_tick was called for it */
    bool started, ended;
    bool in_gap;
    int64_t gap_first, gap_last; /* ticks */
    uint64_t gap_records;
    uint32_t clock_has; /* ES__CLOCK_HAS_... */
    uint32_t readings;  /* in reading_bytes, of which they fill readings_used */
    size_t readings_used;
    int64_t reading_first[ES__READING_KINDS]; /* the value before the first in reading_bytes */
    int64_t reading_last[ES__READING_KINDS];  /* the newest value */
    unsigned char reading_bytes[1024];
} es__record;

/* Whether a configuration is valid. error: names the field that is refused, as es_layout_validate for
 * one of the layout; may be NULL. */
es_result es__record_check(const es__record_config *config, es__error *error);

/* Makes a recording by a valid configuration, and writes its header into the batch.
 * memory: the batch, at least ES__RECORD_MEMORY_MIN. Twice as much leaves room for ticks while a
 * snapshot waits. The stream gets ES_RECORD_SIZE_MAX bytes at most at once.
 * error: says that the stream failed. */
es_result es__record_init(es__record *record, const es__record_config *config, void *memory,
        size_t memory_size, es__error *error);

/* Writes the initial state. ES_ERR_STATE: started or ended before. ES_ERR_FULL ends the recording. */
es_result es__record_start(es__record *record, int64_t tick, int64_t time_ns, const void *state);

/* Before a tick. ES_ERR_FULL: no space; the tick is left out and counted. ES_ERR_STATE: not started,
 * ended, or not the next tick. The same for the functions below. */
es_result es__record_step(
        es__record *record, const es_step *step, const void *input, size_t input_size);

/* After a tick: hashes, and a snapshot if one is due or a gap ends. */
es_result es__record_tick(es__record *record, const es_step *step, const void *state);

es_result es__record_frame(es__record *record, const es_report *report);

/* size: at most ES__RECORD_PAYLOAD_MAX - 12. */
es_result es__record_event(es__record *record, uint32_t kind, const void *bytes, size_t size);

/* Sends the batch. ES_ERR_FULL: the batch keeps the rest. */
es_result es__record_flush(es__record *record);

/* Writes how it ended, and flushes; again after ES_ERR_FULL. ES_OK: the stream has everything, also
 * if recording stopped before with ES_ERR_FULL. ES_ERR_RANGE: the numbers of records ran out. */
es_result es__record_end(es__record *record);

es__record_counts es__record_counts_get(const es__record *record);

/* Says what the clock has (ES__CLOCK_HAS_..., added) whose readings follow. Here and below the
 * recording need not be started. */
es_result es__record_clock(es__record *record, uint32_t has);

/* Writes what a clock answered; a small buffer keeps it until it is full or the frame ends. */
es_result es__record_reading(es__record *record, es__reading_kind kind, int64_t value_ns);

/* --- tape.c: a clock that records its answers -------------------------------------------------- */

/* Set the first two fields; the others are private, and 0 at first. */
typedef struct es__tape_writer {
    es_clock clock;     /* answers */
    es__record *record; /* initialised before the first reading of the clock */
    es_result result;   /* of the first reading that could not be written; ES_OK: none */
    bool clock_written; /* the recording knows what the clock has */
} es__tape_writer;

/* A clock that answers as writer->clock and records the answers. writer: outlives it. */
es_clock es__tape_writer_clock(es__tape_writer *writer);

/* Between the clock's readings. Returns the value. */
int64_t es__tape_write_value(es__tape_writer *writer, int64_t value);

#endif
