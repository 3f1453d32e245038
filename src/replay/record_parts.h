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

#include "evenstep/reader.h"
#include "evenstep/record.h"
#include "state_numbers.h"

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
    ES__READINGS_SIZE = 4 + 8 * ES_READING_KINDS, /* and the readings */
    ES__READING_MAX = 11,                         /* bytes of one: its kind, and up to ten */
    ES__EVENT_SIZE = 12,                          /* and the event */
    ES__GAP_SIZE = 24,
    ES__END_SIZE = 40,
    ES__COPY_SIZE = 4,  /* and the payload of what it is a copy of */
    ES__COPY_EVERY = 16 /* snapshots from one copy of the run and its fields to the next */
};

/* CR LF, ^Z and LF show whether the file went through something that changes text. */
static const unsigned char es__magic[8] = {0x89, 'E', 'V', 'S', '\r', '\n', 0x1A, '\n'};

static inline uint64_t es__zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t es__unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ ((value & 1) != 0 ? UINT64_MAX : 0));
}

/* --- record_crc.c ----------------------------------------------------------------------------- */

/* CRC32C (Castagnoli) of all bytes so far: RFC 3720, 12.1 and appendix B.4. crc: of the bytes
 * before; 0 if there are none. */
uint32_t es__crc32c(uint32_t crc, const void *bytes, size_t size);

/* --- record_batch.c: records are made where they lie, and go to the sink together ------------- */

/* Opens a record, whose payload of this size, at most ES_RECORD_PAYLOAD_MAX, is then written from
 * *at on. Sends the batch if there is no space. An error: nothing is open. */
es_result es__batch_open(es_record *record, es_record_kind kind, size_t size, unsigned char **at);

/* Closes it with its checksum. */
void es__batch_close(es_record *record);

/* Offers the batch to the sink, ES_RECORD_SIZE_MAX bytes at most at once. ES_ERR_FULL: what is left
 * stays in the batch. Other failures end the recording. */
es_result es__batch_send(es_record *record);

/* --- record_header.c -------------------------------------------------------------------------- */

/* Writes the run and its fields once more. */
es_result es__record_copies(es_record *record);

/* --- record_hash.c: the hashes of a tick, in the order of the fields -------------------------- */

/* Whether there is a hash that this field is the first of. */
bool es__record_hash_begins(const es_layout *layout, es_record_hashes hashes, size_t field);

/* That hash. */
uint64_t es__record_hash(
        const es_layout *layout, es_record_hashes hashes, size_t field, const void *state);

/* How many there are. */
size_t es__record_hash_count(const es_layout *layout, es_record_hashes hashes);

/* --- record.c: readings of a clock, for tapes ------------------------------------------------- */

/* Says what the clock has (ES_CLOCK_HAS_..., added) whose readings follow. Errors as
 * es_record_event; ES_ERR_INVALID: a NULL, or other bits. The recording need not be started. */
es_result es__record_clock(es_record *record, uint32_t has);

/* Writes what a clock answered; a small buffer keeps it until it is full or the frame ends. Errors
 * as es_record_event. The recording need not be started. */
es_result es__record_reading(es_record *record, es_reading_kind kind, int64_t value_ns);

/* --- record_members.c: a step without its input, and the report of a frame -------------------- */

/* Each returns where the next member goes. */
unsigned char *es__put_step(unsigned char *at, const es_step *step);
unsigned char *es__put_report(unsigned char *at, const es_report *report);

void es__get_step(const unsigned char *at, es_step *step);
void es__get_report(const unsigned char *at, es_report *report);

/* --- reader_content.c ------------------------------------------------------------------------- */

/* Takes the next reading out. False: there is none left. */
bool es__reader_next_reading(
        es_reader_readings *readings, es_reading_kind *kind, int64_t *value_ns);

/* What an ES_RECORD_COPY is a copy of, as an item for es_reader_get_run or es_reader_get_field.
 * False: item is of another kind, or makes no sense. */
bool es__reader_get_copy(const es_reader_item *item, es_reader_item *original);

#endif
