/* SPDX-License-Identifier: Zlib
 *
 * Reads the records of a recording in the caller's memory, and names the parts that are damaged.
 *
 * Any bytes can be read: a length is used only if its checksum is right, nothing larger than a
 * record is read at once, and the time is in proportion to the bytes. Behind damage the reader goes
 * on with the next record that is whole and has a higher number. Texts and bytes of an item point
 * into the caller's memory until the next call.
 */
#ifndef ES_READER_PARTS_H
#define ES_READER_PARTS_H

#include "record_parts.h"

/* One record, or one stretch of damage. */
typedef struct es__reader_item {
    es_record_kind kind; /* ES_RECORD_NONE: the end, or damage */
    uint64_t offset;     /* of its first byte in the file */
    uint64_t bytes;      /* its length there; MISSING: 0 */
    uint32_t sequence;   /* its number. Damage: that of the first missing record */
    uint32_t missing; /* damage: how many numbers are missing; 0 at the end, where it is unknown */
    const unsigned char *payload;
    size_t size;
    es_damage damage;
} es__reader_item;

/* A place in a recording. */
typedef struct es__reader_place {
    uint64_t offset;
    uint32_t sequence; /* expected there */
} es__reader_place;

/* ES_RECORD_RUN. */
typedef struct es__reader_run {
    uint32_t format;
    uint32_t version[3]; /* of the library that wrote it */
    es_rate tick_rate;   /* {0, 0}: steps vary */
    uint64_t seed;
    uint64_t packed_size;
    uint32_t field_count, tag_count;
    es_record_hashes hashes;
    uint32_t hash_count; /* per tick */
    int32_t hash_every, snapshot_every;
    uint64_t arithmetic, library; /* es__state_self_test of the machine that wrote it */
} es__reader_run;

/* ES_RECORD_FIELD. The texts of all records have a size instead of a terminating 0. */
typedef struct es__reader_field {
    es_type type;
    int32_t group;
    uint64_t count;
    uint32_t components;
    const char *name;
    size_t name_size;
} es__reader_field;

/* ES_RECORD_TAG. */
typedef struct es__reader_tag {
    const char *name, *text;
    size_t name_size, text_size;
} es__reader_tag;

/* ES_RECORD_SNAPSHOT: `size` bytes of a packed state from `offset` on, within `total`. */
typedef struct es__reader_snapshot {
    int64_t tick, time_ns;
    uint64_t offset, total;
    const unsigned char *bytes;
    size_t size;
} es__reader_snapshot;

/* ES_RECORD_STEP and ES_RECORD_INPUT: `size` bytes of the input from `offset` on, within `total`.
 * An ES_RECORD_INPUT sets only step.index of the step. */
typedef struct es__reader_step {
    es_step step;
    uint32_t offset, total;
    const unsigned char *bytes;
    size_t size;
} es__reader_step;

/* ES_RECORD_HASH. Get each hash with es__reader_hash. */
typedef struct es__reader_hashes {
    int64_t tick;
    size_t count;
    const unsigned char *bytes;
} es__reader_hashes;

/* ES_RECORD_READINGS. A tape plays them: tape.h. */
typedef struct es__reader_readings {
    uint32_t left;
    uint32_t clock_has; /* ES__CLOCK_HAS_... */
    int64_t last[ES__READING_KINDS];
    const unsigned char *bytes;
    size_t size;
} es__reader_readings;

/* ES_RECORD_EVENT. */
typedef struct es__reader_event {
    int64_t tick; /* of the last step before it */
    uint32_t kind;
    const unsigned char *bytes;
    size_t size;
} es__reader_event;

/* ES_RECORD_GAP. */
typedef struct es__reader_gap {
    int64_t first_tick, last_tick;
    uint64_t records; /* that were not written */
} es__reader_gap;

/* ES_RECORD_END. */
typedef struct es__reader_end {
    int64_t tick; /* the last */
    uint64_t steps, frames, ticks_lost;
    es_result result; /* ES_OK, or why recording stopped early */
} es__reader_end;

/* Totals of a recording. */
typedef struct es__reader_summary {
    uint64_t records, bytes_good; /* whole records, and the end of the last of them */
    uint64_t bytes;               /* the file's size */
    uint64_t steps, frames, snapshots, hashes, events;
    uint64_t input_max; /* the largest input that the file has room for */
    uint64_t damages;   /* stretches of damage */
    es__reader_item first_damage;
    uint64_t gaps;                 /* ES_RECORD_GAP */
    int64_t first_tick, last_tick; /* of the steps; 0, 0 if there are none. If ticks at the end were
                                      left out, end.tick is later */
    bool ended;                    /* there is an ES_RECORD_END, and `end` is set */
    es__reader_end end;
} es__reader_summary;

/* Initialise with es__reader_open; fields are private. */
typedef struct es__reader {
    es_stream source;
    unsigned char *window; /* window_used bytes of the source from window_offset on */
    size_t window_size, window_used;
    uint64_t window_offset;
    es__reader_place place;
    uint32_t format;
    bool head_damaged; /* the file's first bytes: records are looked for from byte 0 on */
} es__reader;

/* Opens a recording: checks the file's head, and goes to the first record.
 * source: copied; not NULL. It borrows what user points to.
 * memory: a window on the source; borrowed. memory_size: at least ES_RECORD_SIZE_MAX; with more the
 * reader calls the source less often.
 * error: names the parameter that is refused, or "head" and what is wrong with it; may be NULL.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_SPACE: memory_size. ES_ERR_DAMAGED: no recording: the
 * first 16 bytes are not those of a recording, and no record is whole in the first 1 MB. If one
 * is, the 16 bytes are the first damage that es__reader_next reports. ES_ERR_UNSUPPORTED: another
 * format. */
es_result es__reader_open(es__reader *reader, const es_stream *source, void *memory,
        size_t memory_size, es_error *error);

/* The next record, or the damage before it. At the end the kind is ES_RECORD_NONE and the damage
 * ES_DAMAGE_NONE. Records behind an ES_RECORD_END are ES_DAMAGE_REPEATED.
 * item: filled; not NULL.
 * Errors: ES_ERR_DAMAGED: item says which bytes and records; the next call goes on behind them. */
es_result es__reader_next(es__reader *reader, es__reader_item *item);

/* Where the next record is looked for; a place for es__reader_go. */
es__reader_place es__reader_at(const es__reader *reader);

/* Goes to a place that es__reader_at of a reader of the same source returned; {0, 0}: the first
 * record. */
void es__reader_go(es__reader *reader, es__reader_place place);

/* Reads all records and adds them up; damage is part of the sum. Then goes to the first record.
 * summary: filled; not NULL. Its first_damage.payload is NULL. */
es_result es__reader_summarize(es__reader *reader, es__reader_summary *summary);

/* The content of a record of the kind that the type of the second parameter names; neither is NULL.
 * False: the item is of another kind, or makes no sense; then the result is zeroed. es__reader_next
 * returns only items that make sense. */
bool es__reader_get_run(const es__reader_item *item, es__reader_run *run);
bool es__reader_get_field(const es__reader_item *item, es__reader_field *field);
bool es__reader_get_tag(const es__reader_item *item, es__reader_tag *tag);
bool es__reader_get_snapshot(const es__reader_item *item, es__reader_snapshot *snapshot);
bool es__reader_get_step(const es__reader_item *item, es__reader_step *step);
bool es__reader_get_hashes(const es__reader_item *item, es__reader_hashes *hashes);
bool es__reader_get_readings(const es__reader_item *item, es__reader_readings *readings);
bool es__reader_get_event(const es__reader_item *item, es__reader_event *event);
bool es__reader_get_gap(const es__reader_item *item, es__reader_gap *gap);
bool es__reader_get_end(const es__reader_item *item, es__reader_end *end);

/* The content of an ES_RECORD_FRAME, likewise. A recording does not have account, offset_ns and
 * slewed_ns: these are 0. */
bool es__reader_get_frame(const es__reader_item *item, es_frame_report *report);

/* One of the hashes of es__reader_get_hashes; 0 if index is not below hashes->count. */
uint64_t es__reader_hash(const es__reader_hashes *hashes, size_t index);

/* --- reader_content.c ------------------------------------------------------------------------- */

/* Takes the next reading out. False: there is none left. */
bool es__reader_next_reading(
        es__reader_readings *readings, es__reading_kind *kind, int64_t *value_ns);

/* What an ES_RECORD_COPY is a copy of, as an item for es__reader_get_run or es__reader_get_field.
 * False: item is of another kind, or makes no sense. */
bool es__reader_get_copy(const es__reader_item *item, es__reader_item *original);

#endif
