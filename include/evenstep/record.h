/* SPDX-License-Identifier: Zlib
 *
 * record: how is a run written down, so that it can be played again exactly?
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
 *       es_record_step(&record, &step, &buttons, sizeof buttons);  // what this tick is given ...
 *       world_update(&world, &buttons, step.dt_s);
 *       es_record_tick(&record, &step, &world);                    // ... and what it came to
 *   }
 *   ...
 *   es_record_end(&record);
 *
 * A recording is a row of records, each with two checksums, written in batches to a sink. It can be
 * read up to the last whole record whenever the program is killed: nothing is patched afterwards.
 * What a batch still holds is lost then: flush_every says how many ticks that may be.
 *
 * Nothing is lost in silence. Every call returns what became of its record, and the counts tell the
 * sum. Where the sink is full for the moment (a ring that nobody empties fast enough), recording
 * stops with ES_ERR_FULL; or, with ES_RECORD_FULL_GAP, leaves out whole ticks, and once there is
 * room again writes down which, and a snapshot to go on from. A sink that fails ends the recording.
 *
 * docs/replay.md has the format, byte by byte. reader.h reads it, playback.h plays it.
 *
 * Not for: what is not in the layout's fields; several threads at once; compressing.
 */
#ifndef EVENSTEP_RECORD_H
#define EVENSTEP_RECORD_H

#include "evenstep/bytes.h"
#include "evenstep/frame.h"
#include "evenstep/layout.h"

/* The version of the format that this library writes and reads. */
#define ES_RECORD_FORMAT 1

/* A record has at most so many bytes, 20 of them around its payload. */
#define ES_RECORD_SIZE_MAX    ((size_t)65536)
#define ES_RECORD_OVERHEAD    ((size_t)20)
#define ES_RECORD_PAYLOAD_MAX (ES_RECORD_SIZE_MAX - ES_RECORD_OVERHEAD)

/* The least memory of a recording: a record and the file's head. */
#define ES_RECORD_MEMORY_MIN (ES_RECORD_SIZE_MAX + 16)

/* Limits of a header: names of fields and of tags, in bytes, the text of a tag, and how many. */
#define ES_RECORD_NAME_MAX   255
#define ES_RECORD_TEXT_MAX   4095
#define ES_RECORD_FIELDS_MAX 4096
#define ES_RECORD_TAGS_MAX   256

/* What a record is. Kinds from 128 on can be left out by a reader that does not know them. */
typedef enum es_record_kind {
    ES_RECORD_NONE = 0,
    ES_RECORD_RUN,      /* the first: versions, rate, seed, settings */
    ES_RECORD_FIELD,    /* one field of the state; as many as the run says, then ... */
    ES_RECORD_TAG,      /* ... one tag of the user's; likewise */
    ES_RECORD_SNAPSHOT, /* a part of a packed state; the last part completes it */
    ES_RECORD_STEP,  /* a tick is about to run: its step and its input, or the first part of it */
    ES_RECORD_INPUT, /* the next part of an input */
    ES_RECORD_HASH,  /* a tick has run: the hashes of the state */
    ES_RECORD_FRAME, /* a frame is over */
    ES_RECORD_READINGS,  /* what a clock answered, in order */
    ES_RECORD_EVENT,     /* the program's own: a decision, a sample of feedback */
    ES_RECORD_GAP,       /* ticks that are missing here */
    ES_RECORD_END,       /* the last: the recording was ended, not cut off */
    ES_RECORD_COPY = 128 /* of a RUN or a FIELD, for where that is damaged */
} es_record_kind;

/* How finely the state is hashed. */
typedef enum es_record_hashes {
    ES_RECORD_HASH_GROUPS = 0, /* one hash per group of fields */
    ES_RECORD_HASH_WHOLE,      /* one hash */
    ES_RECORD_HASH_FIELDS,     /* one hash per field */
    ES_RECORD_HASH_NONE
} es_record_hashes;

/* What happens when the sink says ES_ERR_FULL and the batch is full, too. */
typedef enum es_record_full {
    ES_RECORD_FULL_STOP = 0, /* recording ends: every call returns ES_ERR_FULL from then on */
    ES_RECORD_FULL_GAP       /* ticks are left out, and the recording says which */
} es_record_full;

/* Which of a clock's functions answered. */
typedef enum es_reading_kind {
    ES_READING_NOW = 0,
    ES_READING_SUSPENDED,
    ES_READING_CPU
} es_reading_kind;

enum { ES_READING_KINDS = 3 };

/* What the clock that is read has, as bits: a loop does other things where it cannot ask. */
enum {
    ES_CLOCK_HAS_WAIT = 1,
    ES_CLOCK_HAS_SUSPENDED = 2,
    ES_CLOCK_HAS_CPU = 4,
    ES_CLOCK_CPU_IS_COARSE = 8
};

/* Something that the user says about the run: level, player, build. */
typedef struct es_record_tag {
    const char *name; /* 1 to ES_RECORD_NAME_MAX bytes */
    const char *text; /* up to ES_RECORD_TEXT_MAX bytes */
} es_record_tag;

/* {0} but for layout and sink is a sensible recording. Copied by es_record_init. */
typedef struct es_record_config {
    const es_layout *layout;   /* the state; outlives the recording. It may have other fields than
                                  the one that frames are blended by: what the game depends on */
    es_sink sink;              /* where bytes go; write is required */
    es_rate tick_rate;         /* ticks per second; {0, 0}: steps vary */
    uint64_t seed;             /* of the run's random numbers, for the program to take up again */
    const es_record_tag *tags; /* tag_count of them, read by es_record_init only; NULL: none */
    size_t tag_count;
    es_record_hashes hashes;
    int32_t hash_every;     /* a hash at every so manieth tick; 0: 1 */
    int32_t snapshot_every; /* a snapshot at every so manieth tick; 0: 600; below 0: only the first,
                               and after gaps */
    int32_t flush_every;    /* the batch goes to the sink at least every so many ticks; 0: 10 */
    es_record_full when_full;
} es_record_config;

/* What became of everything so far. */
typedef struct es_record_counts {
    uint64_t bytes; /* that the sink has taken ... */
    uint64_t held;  /* ... and that wait in the batch */
    uint64_t records;
    uint64_t steps, frames, snapshots, events;
    uint64_t ticks_lost;   /* left out, whole or in part, with ES_RECORD_FULL_GAP */
    uint64_t records_lost; /* everything that was not written, of these ticks and else */
    uint64_t gaps;
    es_result failed; /* ES_OK, or why recording has ended before its end */
} es_record_counts;

/* Initialise with es_record_init; read nothing here, use the functions. */
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
    uint32_t readings;  /* in the buffer: `used` bytes */
    size_t readings_used;
    int64_t reading_first[ES_READING_KINDS]; /* the value before the first in the buffer ... */
    int64_t reading_last[ES_READING_KINDS];  /* ... and the newest */
    unsigned char reading_bytes[1024];
} es_record;

#ifdef __cplusplus
extern "C" {
#endif

/** Checks a configuration.
 *
 * config: not NULL.
 * error: filled with the field's name and the reason, or with NULLs; may be NULL. For a field of
 *   the layout: what es_layout_validate says.
 * Returns: ES_OK when es_record_init would accept it.
 * Errors: ES_ERR_INVALID.
 * Ownership: keeps nothing.
 * Threads: any thread.
 */
ES_API es_result es_record_config_validate(const es_record_config *config, es_error *error);

/** Makes a recording and writes its header into the batch.
 *
 * record: the caller's memory; not NULL.
 * config: copied; not NULL.
 * memory: the batch: memory_size bytes.
 * memory_size: at least ES_RECORD_MEMORY_MIN. With ES_RECORD_FULL_GAP twice as much leaves room
 *   for ticks while a snapshot waits. The sink is given ES_RECORD_SIZE_MAX bytes at most at once: a
 *   ring holds at least as many, or the first larger batch ends the recording with ES_ERR_SPACE.
 * error: names the field, or the parameter, when it is refused; may be NULL.
 * Returns: ES_OK, or an error and an unusable recording.
 * Errors: ES_ERR_INVALID, ES_ERR_SPACE: memory_size; or what the sink says to a long header.
 * Ownership: borrows memory, config->layout and what config->sink points to. Allocates nothing.
 * Threads: any thread; from then on one at a time. It runs the float self-test: some microseconds.
 */
ES_API es_result es_record_init(es_record *record, const es_record_config *config, void *memory,
        size_t memory_size, es_error *error);

/** Writes the state that the run starts from, as a snapshot.
 *
 * record: initialised, not started.
 * tick, time_ns: of this state: 0, 0 for an initial one. tick is below INT64_MAX.
 * state: the layout's state_size bytes.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL, or tick. ES_ERR_STATE: it has been started or ended. Else as
 *   es_record_step, but without a start there is no recording: ES_ERR_FULL ends it.
 * Ownership: keeps nothing.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_start(
        es_record *record, int64_t tick, int64_t time_ns, const void *state);

/** Before a tick's update: writes its step and what it is given.
 *
 * record: started.
 * step: the tick that is about to run; its index is the last one's plus one. Not NULL.
 * input: input_size opaque bytes, all that the update depends on beside the state and the step;
 *   their order of bytes is the program's own affair. May be NULL where input_size is 0.
 * input_size: up to 2^32 - 1.
 * Returns: ES_OK: it is in the batch, or on its way to the sink.
 * Errors: ES_ERR_FULL: no room: it is left out, and counted. ES_ERR_STATE: not started, or ended,
 *   or not the next tick: nothing is written. ES_ERR_INVALID: a NULL, or too large an input. Or
 *   what the sink failed with: recording has ended.
 * Ownership: copies.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_step(
        es_record *record, const es_step *step, const void *input, size_t input_size);

/** After a tick's update: writes hashes, and a snapshot where one is due; after a gap, goes on.
 *
 * record: started; the last call of es_record_step was for this tick. A tick without this call has
 *   no hash and no snapshot, and a gap goes on over it.
 * step: that tick; not NULL.
 * state: after the update.
 * Returns: ES_OK.
 * Errors: as es_record_step; ES_ERR_STATE also for a second call for one tick.
 * Ownership: keeps nothing.
 * Threads: one thread at a time. Takes time in proportion to the state: bench_record measures it.
 */
ES_API es_result es_record_tick(es_record *record, const es_step *step, const void *state);

/** After a frame: writes its plain values, so that it can be shown again as it was.
 *
 * record: started.
 * report: of the frame; not NULL. What es_loop_end gave.
 * Returns: ES_OK.
 * Errors: as es_record_step.
 * Ownership: copies.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_frame(es_record *record, const es_frame_report *report);

/** Writes what a clock answered. With these a loop makes the same decisions again: tape.h.
 *
 * record: initialised.
 * kind: which function.
 * value_ns: what it answered.
 * Returns: ES_OK.
 * Errors: as es_record_step.
 * Ownership: a plain value. Kept in a small buffer until it is full or the frame is over.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_reading(es_record *record, es_reading_kind kind, int64_t value_ns);

/** Says what the clock has whose readings follow.
 *
 * record: initialised.
 * has: ES_CLOCK_HAS_... and the like, added.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL, or bits that are none of these. Else as es_record_step: readings
 *   of a clock that had something else are written first.
 * Ownership: a plain value.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_clock(es_record *record, uint32_t has);

/** Writes something of the program's own that has to come back in the same place: how much of a
 * sliced update ran, what a platform's feedback said, a setting that was changed.
 *
 * record: started.
 * kind: any number, the program's.
 * bytes: size of them; may be NULL where size is 0.
 * size: up to ES_RECORD_PAYLOAD_MAX - 12.
 * Returns: ES_OK.
 * Errors: as es_record_step; ES_ERR_INVALID also for too large a size.
 * Ownership: copies.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_event(es_record *record, uint32_t kind, const void *bytes, size_t size);

/** Hands the batch to the sink now, and has the sink hand it on.
 *
 * record: initialised.
 * Returns: ES_OK when all is handed on.
 * Errors: ES_ERR_FULL: the sink takes nothing now; the batch keeps it. Or what the sink failed
 *   with.
 * Ownership: keeps nothing.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_flush(es_record *record);

/** Ends the recording: writes how it ended, and hands all to the sink.
 *
 * record: initialised. May be called again while it returns ES_ERR_FULL.
 * Returns: ES_OK when all is with the sink, also of a recording that had stopped before with
 *   ES_ERR_FULL (ES_RECORD_FULL_STOP): es_record_counts.failed says so, and so does the recording.
 * Errors: ES_ERR_FULL: the sink takes nothing now. Or what recording ended with before: what the
 *   sink failed with; ES_ERR_RANGE: no more numbers for records.
 * Ownership: the memory is the caller's again, after ES_OK or a failure.
 * Threads: one thread at a time.
 */
ES_API es_result es_record_end(es_record *record);

/** What became of everything so far.
 *
 * record: initialised.
 * Returns: a copy.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time.
 */
ES_API es_record_counts es_record_counts_get(const es_record *record);

#ifdef __cplusplus
}
#endif

#endif
