/* SPDX-License-Identifier: Zlib
 *
 * The format, as the writer and the reader share it: where things lie. docs/replay.md explains.
 *
 *   file     head (16)  record  record  ...
 *   head     89 45 56 53 0D 0A 1A 0A  format (2)  0 0  CRC of these 12 (4)
 *   record   E5 7E  kind (1)  0  size (4)  sequence (4)  CRC of these 12 (4)
 *            payload (size)  CRC of the 16 and the payload (4)
 */
#ifndef ES_RECORD_PARTS_H
#define ES_RECORD_PARTS_H

#include <string.h>

#include "evenstep/record.h"
#include "record_crc.h"
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
    ES__COPY_EVERY = 16 /* copies follow the first snapshot, and so manieth ones after it */
};

/* Without CR LF, ^Z and LF as they are the file went through something that changes text. */
static const unsigned char es__magic[8] = {0x89, 'E', 'V', 'S', '\r', '\n', 0x1A, '\n'};

static inline uint64_t es__zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t es__unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ ((value & 1) != 0 ? UINT64_MAX : 0));
}

#endif
