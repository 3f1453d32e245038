/* SPDX-License-Identifier: Zlib
 *
 * record: writes down a run so that it can be played again exactly.
 *
 *   es_record record;
 *   es_record_config config = {0};
 *   config.layout = &layout;
 *   config.tick_rate = es_hz(60);
 *   config.sink = es_record_file_sink(&file);             // adapters/record_file.h; or a ring's
 *   es_record_init(&record, &config, memory, sizeof memory, NULL);
 *   es_record_start(&record, 0, 0, &world);               // the initial state
 *   ...
 *   while (es_loop_tick(&loop, &step)) {
 *       es_record_step(&record, &step, &buttons, sizeof buttons);  // the tick's input
 *       world_update(&world, &buttons, step.dt_s);
 *       es_record_tick(&record, &step, &world);                    // the state after it
 *   }
 *   ...
 *   es_record_end(&record);
 *
 * A recording is a row of records, each with two checksums, written in batches to a sink. If the
 * program is killed, the recording can be read up to the last whole record. The ticks in the batch
 * are lost then: at most flush_every.
 *
 * Every call reports what it could not write; es_record_counts has the totals. If the sink is full
 * (a ring that is not emptied fast enough), recording stops with ES_ERR_FULL. With
 * ES_RECORD_FULL_GAP it leaves out whole ticks. When there is space again, it writes which ticks
 * are missing, and a snapshot to continue from. A sink that fails ends the recording.
 *
 * docs/notes/format.md has the format, byte by byte. reader.h reads it, playback.h plays it.
 *
 * Errors: es_result; each function may also return what the sink failed with, which ends the
 * recording. Threads: one per recording. Allocation: none; the caller gives the memory.
 *
 * Not for: what is not in the layout's fields; compression.
 */
#ifndef EVENSTEP_RECORD_H
#define EVENSTEP_RECORD_H

#include "evenstep/bytes.h"
#include "evenstep/frame.h"
#include "evenstep/world.h"

/* The version of the format that this library writes and reads. */
#define ES_RECORD_FORMAT 1

/* The size of a record in bytes, and how many of them surround its payload. */
#define ES_RECORD_SIZE_MAX    ((size_t)65536)
#define ES_RECORD_OVERHEAD    ((size_t)20)
#define ES_RECORD_PAYLOAD_MAX (ES_RECORD_SIZE_MAX - ES_RECORD_OVERHEAD)

/* The least memory of a recording: one record and the file's head. */
#define ES_RECORD_MEMORY_MIN (ES_RECORD_SIZE_MAX + 16)

/* Limits of a header: bytes of a field's or a tag's name and of a tag's text, and counts. */
#define ES_RECORD_NAME_MAX   255
#define ES_RECORD_TEXT_MAX   4095
#define ES_RECORD_FIELDS_MAX 4096
#define ES_RECORD_TAGS_MAX   256

/* Kinds of records. A reader skips those from 128 on that it does not know. */
typedef enum es_record_kind {
    ES_RECORD_NONE = 0,
    ES_RECORD_RUN,       /* the first: versions, rate, seed, settings */
    ES_RECORD_FIELD,     /* one field of the state; the run says how many follow */
    ES_RECORD_TAG,       /* one tag of the user's; likewise */
    ES_RECORD_SNAPSHOT,  /* a part of a packed state; the last part completes it */
    ES_RECORD_STEP,      /* before a tick: its step and its input, or the input's first part */
    ES_RECORD_INPUT,     /* the next part of an input */
    ES_RECORD_HASH,      /* after a tick: the hashes of the state */
    ES_RECORD_FRAME,     /* after a frame: its report */
    ES_RECORD_READINGS,  /* the answers of a clock, in order */
    ES_RECORD_EVENT,     /* the program's own: a decision, a sample of feedback */
    ES_RECORD_GAP,       /* ticks that were not written */
    ES_RECORD_END,       /* the last: the recording was ended, not cut off */
    ES_RECORD_COPY = 128 /* of a RUN or a FIELD, in case that is damaged */
} es_record_kind;

/* How finely the state is hashed. */
typedef enum es_record_hashes {
    ES_RECORD_HASH_GROUPS = 0, /* one hash per group of fields */
    ES_RECORD_HASH_WHOLE,      /* one hash */
    ES_RECORD_HASH_FIELDS,     /* one hash per field */
    ES_RECORD_HASH_NONE
} es_record_hashes;

/* What happens when the sink returns ES_ERR_FULL and the batch is full, too. */
typedef enum es_record_full {
    ES_RECORD_FULL_STOP = 0, /* recording ends: every call returns ES_ERR_FULL from then on */
    ES_RECORD_FULL_GAP       /* ticks are left out, and the recording says which */
} es_record_full;

/* The function of a clock that a reading comes from. */
typedef enum es_reading_kind {
    ES_READING_NOW = 0,
    ES_READING_SUSPENDED,
    ES_READING_CPU
} es_reading_kind;

enum { ES_READING_KINDS = 3 };

/* Which functions the recorded clock has, as bits: a loop acts otherwise without one. */
enum {
    ES_CLOCK_HAS_WAIT = 1,
    ES_CLOCK_HAS_SUSPENDED = 2,
    ES_CLOCK_HAS_CPU = 4,
    ES_CLOCK_CPU_IS_COARSE = 8
};

/* A text of the user about the run: level, player, build. */
typedef struct es_record_tag {
    const char *name; /* 1 to ES_RECORD_NAME_MAX bytes */
    const char *text; /* up to ES_RECORD_TEXT_MAX bytes */
} es_record_tag;

/* {0} except for layout and sink is a sensible recording. */
typedef struct es_record_config {
    const es_layout *layout;   /* the state that the game depends on, which may have other fields
                                  than the layout for blending; outlives the recording */
    es_sink sink;              /* write is required */
    es_rate tick_rate;         /* ticks per second; {0, 0}: steps vary */
    uint64_t seed;             /* of the run's random numbers, for the program to read back */
    const es_record_tag *tags; /* tag_count of them, read by es_record_init only; NULL: none */
    size_t tag_count;
    es_record_hashes hashes;
    int32_t hash_every;     /* ticks from one hash to the next; 0: 1 */
    int32_t snapshot_every; /* ticks from one snapshot to the next; 0: 600; below 0: only the first,
                               and after gaps */
    int32_t flush_every;    /* ticks that the batch may hold; 0: 10 */
    es_record_full when_full;
} es_record_config;

/* Totals since es_record_init. */
typedef struct es_record_counts {
    uint64_t bytes; /* that the sink has taken */
    uint64_t held;  /* bytes in the batch */
    uint64_t records;
    uint64_t steps, frames, snapshots, events;
    uint64_t ticks_lost;   /* left out, whole or in part, with ES_RECORD_FULL_GAP */
    uint64_t records_lost; /* every record that was not written */
    uint64_t gaps;
    es_result failed; /* ES_OK, or why recording ended before es_record_end */
} es_record_counts;

/* Initialise with es_record_init; fields are private. */
typedef struct es_record {
    es_record_config config;
    es_record_counts counts;
    unsigned char *batch; /* batch_size bytes, the caller's */
    size_t batch_size;
    size_t batch_used;
    uint32_t sequence; /* of the next record */
    uint64_t packed_size;
    size_t hash_count;
    uint32_t tag_count;
    uint64_t arithmetic, library; /* es_state_self_test */
    int32_t ticks_held;           /* run since the last flush */
    int64_t start_tick;           /* snapshots count from here */
    int64_t tick;                 /* the last step's */
    bool ticked;                  /* es_record_tick was called for it */
    bool started, ended;
    bool in_gap;
    int64_t gap_first, gap_last; /* ticks */
    uint64_t gap_records;
    uint32_t clock_has; /* ES_CLOCK_HAS_... */
    uint32_t readings;  /* in reading_bytes, of which they fill readings_used */
    size_t readings_used;
    int64_t reading_first[ES_READING_KINDS]; /* the value before the first in reading_bytes */
    int64_t reading_last[ES_READING_KINDS];  /* the newest value */
    unsigned char reading_bytes[1024];
} es_record;

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a recording and writes its header into the batch. Runs the float self-test: some
 * microseconds.
 * config: copied; not NULL. It borrows layout and what sink points to.
 * memory: the batch; borrowed until es_record_end returns ES_OK or a failure.
 * memory_size: at least ES_RECORD_MEMORY_MIN. With ES_RECORD_FULL_GAP twice as much leaves room for
 * ticks while a snapshot waits. The sink gets ES_RECORD_SIZE_MAX bytes at most at once: a ring that
 * holds fewer ends the recording with ES_ERR_SPACE.
 * error: names the field or the parameter that is refused; may be NULL. For a field of the layout
 * as es_layout_validate.
 * Errors: ES_ERR_INVALID. ES_ERR_SPACE: memory_size. The recording is unusable then. */
ES_API es_result es_record_init(es_record *record, const es_record_config *config, void *memory,
        size_t memory_size, es_error *error);

/* Writes the state that the run starts from, as a snapshot.
 * tick, time_ns: of this state, 0 and 0 for an initial one. tick is below INT64_MAX.
 * Errors: ES_ERR_INVALID: a NULL, or tick. ES_ERR_STATE: it was started or ended before.
 * ES_ERR_FULL: no space, which ends the recording. */
ES_API es_result es_record_start(
        es_record *record, int64_t tick, int64_t time_ns, const void *state);

/* Before a tick's update: writes its step and its input.
 * step: of the next tick: index is that of the last one plus 1. Not NULL.
 * input: all that the update depends on except the state and the step; the byte order is the
 * program's affair. May be NULL if input_size is 0. input_size: at most 2^32 - 1.
 * Errors: ES_ERR_FULL: no space; the tick is left out and counted. ES_ERR_STATE: not started, ended,
 * or not the next tick; nothing is written. ES_ERR_INVALID: a NULL, or input_size. */
ES_API es_result es_record_step(
        es_record *record, const es_step *step, const void *input, size_t input_size);

/* After a tick's update: writes hashes, and a snapshot if one is due or a gap ends. A tick without
 * this call has neither. Takes time in proportion to the state: bench_record measures it.
 * step: as in the last call of es_record_step; not NULL.
 * Errors: as es_record_step; ES_ERR_STATE also for a second call for one tick. */
ES_API es_result es_record_tick(es_record *record, const es_step *step, const void *state);

/* After a frame: writes its report, as es_loop_report gives it. Errors: as es_record_step. */
ES_API es_result es_record_frame(es_record *record, const es_frame_report *report);

/* Writes something of the program's own that has to come back in the same tick: how much of a
 * sliced update ran, a platform's feedback, a changed setting. A reader finds it by its tick and
 * kind. kind: any number. bytes: may be NULL if size is 0. size: at most ES_RECORD_PAYLOAD_MAX -
 * 12. Errors: as es_record_step; ES_ERR_INVALID: a NULL, or size. */
ES_API es_result es_record_event(es_record *record, uint32_t kind, const void *bytes, size_t size);

/* Writes the batch to the sink now, and flushes the sink. Called after es_record_step it keeps the
 * input of a tick whose update crashes.
 * Errors: ES_ERR_FULL: the sink takes nothing now; the batch keeps the rest. */
ES_API es_result es_record_flush(es_record *record);

/* Ends the recording: writes how it ended, and flushes. May be called again after ES_ERR_FULL.
 * Returns ES_OK when the sink has everything, also if recording had stopped before with ES_ERR_FULL
 * (ES_RECORD_FULL_STOP): es_record_counts.failed and the recording say so.
 * Errors: ES_ERR_FULL: the sink takes nothing now. ES_ERR_RANGE: the numbers of records ran out. */
ES_API es_result es_record_end(es_record *record);

/* The totals so far. */
ES_API es_record_counts es_record_counts_get(const es_record *record);

#ifdef __cplusplus
}
#endif

#endif
