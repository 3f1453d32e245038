/* SPDX-License-Identifier: Zlib
 *
 * The format, as the writer and the reader share it. docs/notes/format.md describes it.
 *
 *   file     head (16)  record  record  ...
 *   head     89 45 56 53 0D 0A 1A 0A  format (2)  0 0  CRC of these 12 (4)
 *   record   E5 7E  kind (1)  0  size (4)  sequence (4)  CRC of these 12 (4)
 *            payload (size)  CRC of the 16 and the payload (4)
 */
#ifndef ES_REPLAY_FORMAT_H
#define ES_REPLAY_FORMAT_H

#include "evenstep/replay.h"

#include "base/common.h"
#include "state.h"
#include "world/simd/machine.h"

/* The bytes of a record that surround its payload, of which there are at most ... */
#define ES__RECORD_OVERHEAD    ((size_t)20)
#define ES__RECORD_PAYLOAD_MAX (ES_RECORD_SIZE_MAX - ES__RECORD_OVERHEAD)

/* Bytes of a field's or a tag's name, and of a tag's text. */
#define ES__RECORD_NAME_MAX 255
#define ES__RECORD_TEXT_MAX 4095

/* The function of a clock that a reading comes from. */
typedef enum es__reading_kind {
    ES__READING_NOW = 0,
    ES__READING_SUSPENDED,
    ES__READING_CPU,
    ES__READING_VALUE /* no clock's: es_record_value. From format 2 on */
} es__reading_kind;

/* The first kinds are differences to the reading of that kind before; a record has the value before its
 * first. */
enum { ES__READING_BASES = 3, ES__READING_KINDS = 4 };

/* Which functions the recorded clock has, as bits: a loop acts otherwise without one. */
enum {
    ES__CLOCK_HAS_WAIT = 1,
    ES__CLOCK_HAS_SUSPENDED = 2,
    ES__CLOCK_HAS_CPU = 4,
    ES__CLOCK_CPU_IS_COARSE = 8
};

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
    ES__READINGS_SIZE = 4 + 8 * ES__READING_BASES, /* and the readings */
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

/* The members of a struct as they lie in a record, in one table for the writer and the reader. */
typedef struct es__member {
    size_t offset, size; /* 8 or 4 bytes */
} es__member;

#define ES__MEMBER_(type, name)                                                                    \
    {                                                                                              \
        offsetof(type, name), sizeof(((type *)0)->name)                                            \
    }
#define ES__STEP_(name)   ES__MEMBER_(es_step, name)
#define ES__FRAME_(name)  ES__MEMBER_(es_report, frame.name)
#define ES__REPORT_(name) ES__MEMBER_(es_report, name)

static const es__member es__step_members[] = {ES__STEP_(index), ES__STEP_(time_ns),
        ES__STEP_(dt_ns), ES__STEP_(dt_s), ES__STEP_(due_ns), ES__STEP_(begun_ns),
        ES__STEP_(in_frame)};

static const es__member es__report_members[] = {ES__FRAME_(index), ES__FRAME_(start_ns),
        ES__FRAME_(present_ns), ES__FRAME_(content_ns), ES__FRAME_(interval_ns),
        ES__FRAME_(previous_tick), ES__FRAME_(current_tick), ES__FRAME_(previous_ns),
        ES__FRAME_(current_ns), ES__FRAME_(newest_tick), ES__FRAME_(newest_ns),
        ES__FRAME_(ahead_ns), ES__FRAME_(alpha), ES__FRAME_(ticks), ES__FRAME_(gap.kind),
        ES__FRAME_(late_ns), ES__FRAME_(account.frame_dropped_ns),
        ES__FRAME_(account.frame_slow_motion_ns), ES__FRAME_(account.frame_stretched_ns),
        ES__FRAME_(account.debt_ns), ES__FRAME_(gap.duration_ns), ES__FRAME_(gap.removed_ns),
        ES__REPORT_(ready_ns), ES__REPORT_(submit_ns), ES__REPORT_(shown_ns), ES__REPORT_(source),
        ES__REPORT_(series), ES__REPORT_(update_work_ns), ES__REPORT_(render_work_ns)};

_Static_assert(sizeof(es_gap_kind) == 4 && sizeof(es_shown_source) == 4, "as recorded");

enum {
    ES__STEP_MEMBERS = sizeof es__step_members / sizeof es__step_members[0],
    ES__REPORT_MEMBERS = sizeof es__report_members / sizeof es__report_members[0]
};

/* Returns where the next member goes. Inline: with a table that the compiler knows these are moves. */
static ES_INLINE unsigned char *es__put_members(
        unsigned char *at, const void *from, const es__member *members, size_t count)
{
    for (const es__member *m = members; m < members + count; ++m) {
        uint32_t four = 0;
        uint64_t eight = 0;
        memcpy(m->size == 8 ? (void *)&eight : &four, (const char *)from + m->offset, m->size);
        at = m->size == 8 ? es__put_u64(at, eight) : es__put_u32(at, four);
    }
    return at;
}

static ES_INLINE void es__get_members(
        const unsigned char *at, void *to, const es__member *members, size_t count)
{
    for (const es__member *m = members; m < members + count; at += m->size, ++m) {
        uint32_t four = es__get_u32(at);
        uint64_t eight = m->size == 8 ? es__get_u64(at) : 0;
        memcpy((char *)to + m->offset, m->size == 8 ? (void *)&eight : &four, m->size);
    }
}

/* The hashes of a tick, 8 bytes each. How many there are: at most one more than fields. */
size_t es__record_hash_count(const es_layout *layout, es_record_hashes hashes);

/* Writes them. */
void es__record_put_hashes(
        const es_layout *layout, es_record_hashes hashes, const void *state, unsigned char *at);

/* The first field that differs, or of a group that does, by hashes that are not equal. NULL: not
 * known. */
const es_field *es__record_find_field(const es_layout *layout, es_record_hashes hashes,
        const unsigned char *a, const unsigned char *b);

#endif
