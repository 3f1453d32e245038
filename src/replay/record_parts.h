/* SPDX-License-Identifier: Zlib
 *
 * The format, as the writer and the reader share it, and what their files offer each other.
 * docs/notes/format.md describes the format.
 *
 *   file     head (16)  record  record  ...
 *   head     89 45 56 53 0D 0A 1A 0A  format (2)  0 0  CRC of these 12 (4)
 *   record   E5 7E  kind (1)  0  size (4)  sequence (4)  CRC of these 12 (4)
 *            payload (size)  CRC of the 16 and the payload (4)
 */
#ifndef ES_RECORD_PARTS_H
#define ES_RECORD_PARTS_H

#include <string.h>

#include "evenstep/replay.h"

#include "base/common.h"
#include "evenstep/world.h"
#include "state_numbers.h"

/* The bytes of a record that surround its payload, of which there are at most ... */
#define ES__RECORD_OVERHEAD    ((size_t)20)
#define ES__RECORD_PAYLOAD_MAX (ES_RECORD_SIZE_MAX - ES__RECORD_OVERHEAD)

/* The least memory of a recording: one record and the file's head. */
#define ES__RECORD_MEMORY_MIN (ES_RECORD_SIZE_MAX + 16)

/* Bytes of a field's or a tag's name, and of a tag's text. */
#define ES__RECORD_NAME_MAX 255
#define ES__RECORD_TEXT_MAX 4095

/* The function of a clock that a reading comes from. */
typedef enum es__reading_kind {
    ES__READING_NOW = 0,
    ES__READING_SUSPENDED,
    ES__READING_CPU
} es__reading_kind;

enum { ES__READING_KINDS = 3 };

/* Which functions the recorded clock has, as bits: a loop acts otherwise without one. */
enum {
    ES__CLOCK_HAS_WAIT = 1,
    ES__CLOCK_HAS_SUSPENDED = 2,
    ES__CLOCK_HAS_CPU = 4,
    ES__CLOCK_CPU_IS_COARSE = 8
};

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
    uint64_t held;  /* bytes in the batch */
    uint64_t records;
    uint64_t steps, frames, snapshots, events;
    uint64_t ticks_lost;   /* left out, whole or in part */
    uint64_t records_lost; /* every record that was not written */
    uint64_t gaps;
    es_result failed; /* ES_OK, or why recording ended before es__record_end */
} es__record_counts;

/* Where a snapshot is: its ES_RECORD_INDEX, which it follows. */
typedef struct es__index_entry {
    int64_t tick;
    uint64_t offset;
    uint32_t sequence;
} es__index_entry;

/* Snapshots are counted from 0. An index before number n + 1 has the numbers that n becomes as its
 * lowest bits are cleared, one after the other, without 0: for 13 these are 8, 12, 13. So each search
 * needs at most as many indices as the number of snapshots has bits. */
enum { ES__INDEX_MAX = 32 };

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

/* --- the format --- */

enum {
    ES__HEAD_SIZE = 16,
    ES__RECORD_HEAD_SIZE = 16,
    ES__MARKER = 0x7EE5,
    ES__RUN_SIZE = 72,
    ES__FIELD_SIZE = 24,    /* and the name */
    ES__TAG_SIZE = 8,       /* and name and text */
    ES__SNAPSHOT_SIZE = 32, /* and a part of the packed state */
    ES__STEP_SIZE = 56,     /* and the first part of the input */
    ES__INPUT_SIZE = 16,    /* and the next part of it */
    ES__HASH_SIZE = 8,      /* and the hashes */
    ES__FRAME_SIZE = 216,
    ES__READINGS_SIZE = 4 + 8 * ES__READING_KINDS, /* and the readings */
    ES__READING_MAX = 11,                          /* bytes of one: its kind, and up to ten */
    ES__EVENT_SIZE = 12,                           /* and the event */
    ES__GAP_SIZE = 24,
    ES__END_SIZE = 40,   /* and the offset of the index before it, 8; not in version 0.1 */
    ES__INDEX_SIZE = 16, /* and the entries */
    ES__ENTRY_SIZE = 20,
    ES__COPY_SIZE = 4,  /* and the payload of what it is a copy of */
    ES__COPY_EVERY = 16 /* snapshots from one copy of the run and its fields to the next */
};

/* CR LF, ^Z and LF show whether the file went through something that changes text. */
static const unsigned char es__magic[8] = {0x89, 'E', 'V', 'S', '\r', '\n', 0x1A, '\n'};

/* es_record_hashes as a number of the file, and back: there 0 is per group, as in version 0.1. */
static inline uint32_t es__record_hashes_number(uint32_t hashes)
{
    return hashes % 4 == 0 ? hashes ^ 4 : hashes;
}

static inline uint64_t es__zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t es__unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ ((value & 1) != 0 ? UINT64_MAX : 0));
}

/* --- recording, in the caller's memory --- */

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

/* --- record_crc.c ----------------------------------------------------------------------------- */

/* CRC32C (Castagnoli) of all bytes so far: RFC 3720, 12.1 and appendix B.4. crc: of the bytes
 * before; 0 if there are none. */
uint32_t es__crc32c(uint32_t crc, const void *bytes, size_t size);

/* --- record_batch.c: records are made where they lie, and go to the sink together ------------- */

/* Opens a record, whose payload of this size is then written from *at on. Sends the batch if there
 * is no space. An error: nothing is open. */
es_result es__batch_open(es__record *record, es_record_kind kind, size_t size, unsigned char **at);

void es__batch_close(es__record *record);

/* Offers the batch to the sink, ES_RECORD_SIZE_MAX bytes at most at once. ES_ERR_FULL: what is left
 * stays in the batch. Other failures end the recording. */
es_result es__batch_send(es__record *record);

/* --- record_header.c -------------------------------------------------------------------------- */

/* Writes the run and its fields once more. */
es_result es__record_copies(es__record *record);

/* --- record_hash.c: the hashes of a tick, 8 bytes each ----------------------------------------- */

/* How many there are: at most one more than fields. */
size_t es__record_hash_count(const es_layout *layout, es_record_hashes hashes);

/* Writes them. */
void es__record_put_hashes(
        const es_layout *layout, es_record_hashes hashes, const void *state, unsigned char *at);

/* The first field that differs, or of a group that does, by hashes that are not equal. NULL: not
 * known. */
const es_field *es__record_find_field(const es_layout *layout, es_record_hashes hashes,
        const unsigned char *a, const unsigned char *b);

/* --- record.c: readings of a clock, for tapes ------------------------------------------------- */

/* Says what the clock has (ES__CLOCK_HAS_..., added) whose readings follow. Here and below the
 * recording need not be started. */
es_result es__record_clock(es__record *record, uint32_t has);

/* Writes what a clock answered; a small buffer keeps it until it is full or the frame ends. */
es_result es__record_reading(es__record *record, es__reading_kind kind, int64_t value_ns);

/* --- record_members.c: a step without its input, and the report of a frame -------------------- */

/* Each returns where the next member goes. */
unsigned char *es__put_step(unsigned char *at, const es_step *step);
unsigned char *es__put_report(unsigned char *at, const es_report *report);

void es__get_step(const unsigned char *at, es_step *step);
void es__get_report(const unsigned char *at, es_report *report);

#endif
