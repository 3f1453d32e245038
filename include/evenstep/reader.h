/* SPDX-License-Identifier: Zlib
 *
 * reader: reads the records of a recording, and names the parts that are damaged.
 *
 *   es_reader reader;
 *   es_reader_item item;
 *   es_result result = es_reader_open(&reader, &source, memory, sizeof memory, &error);
 *   while (result == ES_OK) {
 *       result = es_reader_next(&reader, &item);
 *       if (result == ES_ERR_DAMAGED) {
 *           printf("%s at byte %llu\n", es_damage_name(item.damage), item.offset);
 *           result = ES_OK; // the next call goes on behind the damage
 *       } else if (item.kind == ES_RECORD_NONE) {
 *           break; // the end
 *       } else if (item.kind == ES_RECORD_STEP) {
 *           es_reader_step step;
 *           es_reader_get_step(&item, &step);
 *       }
 *   }
 *
 * Any bytes can be read: a length is used only if its checksum is right, nothing larger than a
 * record is read at once, and the time is in proportion to the bytes. Behind damage the reader goes
 * on with the next record that is whole and has a higher number. Only these numbers distinguish the
 * records of a recording from those of another one that was pasted into it.
 *
 * Errors: es_result; functions that read may also return what the source failed with, and nothing
 * has moved then. Threads: one per reader. Allocation: none; the caller gives the memory, and texts
 * and bytes of a record point into it until the next call for the reader.
 *
 * Not for: playing; playback.h does that.
 */
#ifndef EVENSTEP_READER_H
#define EVENSTEP_READER_H

#include "evenstep/bytes.h"
#include "evenstep/record.h"

/* What is wrong with a stretch of a recording. */
typedef enum es_damage {
    ES_DAMAGE_NONE = 0,
    ES_DAMAGE_CUT,      /* the file ends within a record: the writer was killed */
    ES_DAMAGE_HEAD,     /* no record begins here, or its head's checksum is wrong */
    ES_DAMAGE_PAYLOAD,  /* a record's second checksum is wrong */
    ES_DAMAGE_MISSING,  /* the records between two sequence numbers are not there */
    ES_DAMAGE_REPEATED, /* an earlier record comes again */
    ES_DAMAGE_CONTENT   /* the checksums are right, and the content is out of range */
} es_damage;

/* One record, or one stretch of damage. */
typedef struct es_reader_item {
    es_record_kind kind; /* ES_RECORD_NONE: the end, or damage */
    uint64_t offset;     /* of its first byte in the file */
    uint64_t bytes;      /* its length there; MISSING: 0 */
    uint32_t sequence;   /* its number. Damage: that of the first missing record */
    uint32_t missing; /* damage: how many numbers are missing; 0 at the end, where it is unknown */
    const unsigned char *payload;
    size_t size;
    es_damage damage;
} es_reader_item;

/* A place in a recording. */
typedef struct es_reader_place {
    uint64_t offset;
    uint32_t sequence; /* expected there */
} es_reader_place;

/* ES_RECORD_RUN. */
typedef struct es_reader_run {
    uint32_t format;
    uint32_t version[3]; /* of the library that wrote it */
    es_rate tick_rate;   /* {0, 0}: steps vary */
    uint64_t seed;
    uint64_t packed_size;
    uint32_t field_count, tag_count;
    es_record_hashes hashes;
    uint32_t hash_count; /* per tick */
    int32_t hash_every, snapshot_every;
    uint64_t arithmetic, library; /* es_state_self_test of the machine that wrote it */
} es_reader_run;

/* ES_RECORD_FIELD. The texts of all records have a size instead of a terminating 0. */
typedef struct es_reader_field {
    es_type type;
    int32_t group;
    uint64_t count;
    uint32_t components;
    const char *name;
    size_t name_size;
} es_reader_field;

/* ES_RECORD_TAG. */
typedef struct es_reader_tag {
    const char *name, *text;
    size_t name_size, text_size;
} es_reader_tag;

/* ES_RECORD_SNAPSHOT: `size` bytes of a packed state from `offset` on, within `total`. */
typedef struct es_reader_snapshot {
    int64_t tick, time_ns;
    uint64_t offset, total;
    const unsigned char *bytes;
    size_t size;
} es_reader_snapshot;

/* ES_RECORD_STEP and ES_RECORD_INPUT: `size` bytes of the input from `offset` on, within `total`.
 * An ES_RECORD_INPUT sets only step.index of the step. */
typedef struct es_reader_step {
    es_step step;
    uint32_t offset, total;
    const unsigned char *bytes;
    size_t size;
} es_reader_step;

/* ES_RECORD_HASH. Get each hash with es_reader_hash. */
typedef struct es_reader_hashes {
    int64_t tick;
    size_t count;
    const unsigned char *bytes;
} es_reader_hashes;

/* ES_RECORD_READINGS. A tape plays them: tape.h. */
typedef struct es_reader_readings {
    uint32_t left;
    uint32_t clock_has; /* ES_CLOCK_HAS_... */
    int64_t last[ES_READING_KINDS];
    const unsigned char *bytes;
    size_t size;
} es_reader_readings;

/* ES_RECORD_EVENT. */
typedef struct es_reader_event {
    int64_t tick; /* of the last step before it */
    uint32_t kind;
    const unsigned char *bytes;
    size_t size;
} es_reader_event;

/* ES_RECORD_GAP. */
typedef struct es_reader_gap {
    int64_t first_tick, last_tick;
    uint64_t records; /* that were not written */
} es_reader_gap;

/* ES_RECORD_END. */
typedef struct es_reader_end {
    int64_t tick; /* the last */
    uint64_t steps, frames, ticks_lost;
    es_result result; /* ES_OK, or why recording stopped early */
} es_reader_end;

/* Totals of a recording. */
typedef struct es_reader_summary {
    uint64_t records, bytes_good; /* whole records, and the end of the last of them */
    uint64_t bytes;               /* the file's size */
    uint64_t steps, frames, snapshots, hashes, events;
    uint64_t damages; /* stretches of damage */
    es_reader_item first_damage;
    uint64_t gaps;                 /* ES_RECORD_GAP */
    int64_t first_tick, last_tick; /* of the steps; 0, 0 if there are none. If ticks at the end were
                                      left out, end.tick is later */
    bool ended;                    /* there is an ES_RECORD_END, and `end` is set */
    es_reader_end end;
} es_reader_summary;

/* Initialise with es_reader_open; fields are private. */
typedef struct es_reader {
    es_source source;
    unsigned char *window; /* window_used bytes of the source from window_offset on */
    size_t window_size, window_used;
    uint64_t window_offset;
    es_reader_place place;
    uint32_t format;
    bool head_damaged; /* the file's first bytes: records are looked for from byte 0 on */
} es_reader;

#ifdef __cplusplus
extern "C" {
#endif

/* A kind of damage as half a sentence: "the file ends within a record". Static; never NULL. */
ES_API const char *es_damage_name(es_damage damage);

/* The name of a kind of record, in lower case: "snapshot"; "unknown" if there is no such kind. */
ES_API const char *es_record_kind_name(es_record_kind kind);

/* Opens a recording: checks the file's head, and goes to the first record.
 * source: copied; not NULL. It borrows what user points to.
 * memory: a window on the source; borrowed. memory_size: at least ES_RECORD_SIZE_MAX; with more the
 * reader calls the source less often.
 * error: names the parameter that is refused, or "head" and what is wrong with it; may be NULL.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_SPACE: memory_size. ES_ERR_DAMAGED: no recording: the
 * first 16 bytes are not those of a recording, and no record is whole in the first 1 MB. If one
 * is, the 16 bytes are the first damage that es_reader_next reports. ES_ERR_UNSUPPORTED: another
 * format. */
ES_API es_result es_reader_open(es_reader *reader, const es_source *source, void *memory,
        size_t memory_size, es_error *error);

/* The next record, or the damage before it. At the end the kind is ES_RECORD_NONE and the damage
 * ES_DAMAGE_NONE. Records behind an ES_RECORD_END are ES_DAMAGE_REPEATED.
 * item: filled; not NULL.
 * Errors: ES_ERR_DAMAGED: item says which bytes and records; the next call goes on behind them. */
ES_API es_result es_reader_next(es_reader *reader, es_reader_item *item);

/* Where the next record is looked for; a place for es_reader_go. */
ES_API es_reader_place es_reader_at(const es_reader *reader);

/* Goes to a place that es_reader_at of a reader of the same source returned; {0, 0}: the first
 * record. */
ES_API void es_reader_go(es_reader *reader, es_reader_place place);

/* Reads all records and adds them up; damage is part of the sum. Then goes to the first record.
 * summary: filled; not NULL. Its first_damage.payload is NULL. */
ES_API es_result es_reader_summarize(es_reader *reader, es_reader_summary *summary);

/* The content of a record of the kind that the type of the second parameter names; neither is NULL.
 * False: the item is of another kind, or makes no sense; then the result is zeroed. es_reader_next
 * returns only items that make sense. */
ES_API bool es_reader_get_run(const es_reader_item *item, es_reader_run *run);
ES_API bool es_reader_get_field(const es_reader_item *item, es_reader_field *field);
ES_API bool es_reader_get_tag(const es_reader_item *item, es_reader_tag *tag);
ES_API bool es_reader_get_snapshot(const es_reader_item *item, es_reader_snapshot *snapshot);
ES_API bool es_reader_get_step(const es_reader_item *item, es_reader_step *step);
ES_API bool es_reader_get_hashes(const es_reader_item *item, es_reader_hashes *hashes);
ES_API bool es_reader_get_readings(const es_reader_item *item, es_reader_readings *readings);
ES_API bool es_reader_get_event(const es_reader_item *item, es_reader_event *event);
ES_API bool es_reader_get_gap(const es_reader_item *item, es_reader_gap *gap);
ES_API bool es_reader_get_end(const es_reader_item *item, es_reader_end *end);

/* The content of an ES_RECORD_FRAME, likewise. A recording does not have account, offset_ns and
 * slewed_ns: these are 0. */
ES_API bool es_reader_get_frame(const es_reader_item *item, es_report *report);

/* One of the hashes of es_reader_get_hashes; 0 if index is not below hashes->count. */
ES_API uint64_t es_reader_hash(const es_reader_hashes *hashes, size_t index);

#ifdef __cplusplus
}
#endif

#endif
