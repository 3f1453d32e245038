/* SPDX-License-Identifier: Zlib
 *
 * reader: what does a recording say, and which parts of it are damaged?
 *
 *   es_reader reader;
 *   es_reader_item item;
 *   es_result result = es_reader_open(&reader, &source, memory, sizeof memory, &error);
 *   while (result == ES_OK) {
 *       result = es_reader_next(&reader, &item);
 *       if (result == ES_ERR_DAMAGED) {
 *           printf("%s at byte %llu\n", es_damage_name(item.damage), item.offset);
 *           result = ES_OK; // it goes on behind the damage
 *       } else if (item.kind == ES_RECORD_NONE) {
 *           break; // the end
 *       } else if (item.kind == ES_RECORD_STEP) {
 *           es_reader_step step;
 *           es_reader_get_step(&item, &step);
 *       }
 *   }
 *
 * Any bytes at all can be read: no length is believed before its checksum fits, nothing larger than
 * a record is asked for, and the time is in proportion to the bytes. After damage it goes on with
 * the next record that is whole and has a higher number. Numbers are all that tells records of one
 * recording from those of another that was pasted into it.
 *
 * Not for: playing; playback.h does that on top of this.
 */
#ifndef EVENSTEP_READER_H
#define EVENSTEP_READER_H

#include "evenstep/bytes.h"
#include "evenstep/record.h"

/* What is wrong with a stretch of a recording. */
typedef enum es_damage {
    ES_DAMAGE_NONE = 0,
    ES_DAMAGE_CUT,      /* the file ends within a record: it was killed while it was written */
    ES_DAMAGE_HEAD,     /* no record begins here, or its head's checksum is wrong */
    ES_DAMAGE_PAYLOAD,  /* a record's second checksum is wrong */
    ES_DAMAGE_MISSING,  /* the records between two sequence numbers are not there */
    ES_DAMAGE_REPEATED, /* a record from before, once more */
    ES_DAMAGE_CONTENT   /* the checksums are right, and the content makes no sense */
} es_damage;

/* One record, or one stretch of damage. */
typedef struct es_reader_item {
    es_record_kind kind; /* ES_RECORD_NONE: the end, or damage */
    uint64_t offset;     /* of its first byte in the file */
    uint64_t bytes;      /* that it takes there; MISSING: 0 */
    uint32_t sequence;   /* its number. Damage: that of the first record that is missed */
    uint32_t missing;    /* damage: how many numbers are missed, as far as is known: 0 at the end */
    const unsigned char *payload; /* good until the next call for this reader */
    size_t size;
    es_damage damage;
} es_reader_item;

/* Where a reader is. */
typedef struct es_reader_place {
    uint64_t offset;
    uint32_t sequence; /* that is expected there */
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

/* ES_RECORD_FIELD. Texts are not ended by a 0, here and below. */
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

/* ES_RECORD_SNAPSHOT: `size` bytes of a packed state from `offset` on. */
typedef struct es_reader_snapshot {
    int64_t tick, time_ns;
    uint64_t offset, total;
    const unsigned char *bytes;
    size_t size;
} es_reader_snapshot;

/* ES_RECORD_STEP and ES_RECORD_INPUT: `size` bytes of the input from `offset` on. Of an
 * ES_RECORD_INPUT only step.index is set. */
typedef struct es_reader_step {
    es_step step;
    uint32_t offset, total;
    const unsigned char *bytes;
    size_t size;
} es_reader_step;

/* ES_RECORD_HASH: get each with es_reader_hash. */
typedef struct es_reader_hashes {
    int64_t tick;
    size_t count;
    const unsigned char *bytes;
} es_reader_hashes;

/* ES_RECORD_READINGS, one after the other by es_reader_next_reading. */
typedef struct es_reader_readings {
    uint32_t left;
    uint32_t clock_has; /* ES_CLOCK_HAS_... */
    int64_t last[ES_READING_KINDS];
    const unsigned char *bytes;
    size_t size;
} es_reader_readings;

/* ES_RECORD_EVENT. */
typedef struct es_reader_event {
    int64_t tick; /* the last whose step came before it */
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

/* All of a recording at a glance. */
typedef struct es_reader_summary {
    uint64_t records, bytes_good; /* whole records, and the end of the last of them */
    uint64_t bytes;               /* looked at: the file's size */
    uint64_t steps, frames, snapshots, hashes, events;
    uint64_t damages; /* stretches of damage ... */
    es_reader_item first_damage;
    uint64_t gaps;                 /* that the writer tells of */
    int64_t first_tick, last_tick; /* of the steps that are there; 0, 0 where there are none. Where
                                      ticks at the end were left out, end.tick is later */
    bool ended;                    /* there is an ES_RECORD_END ... */
    es_reader_end end;             /* ... and what it says */
} es_reader_summary;

/* Initialise with es_reader_open; read nothing here, use the functions. */
typedef struct es_reader {
    es_source source;
    unsigned char *window; /* bytes of the source, window_size at most ... */
    size_t window_size, window_used;
    uint64_t window_offset; /* ... from here on */
    es_reader_place place;
    uint32_t format;
    bool head_damaged; /* the file's first bytes: records are looked for from its start on */
} es_reader;

#ifdef __cplusplus
extern "C" {
#endif

/** What a kind of damage is, as half a sentence for a person.
 *
 * damage: any value.
 * Returns: text such as "the file ends within a record".
 * Errors: none.
 * Ownership: static text.
 * Threads: any thread.
 */
ES_API const char *es_damage_name(es_damage damage);

/** The name of a kind of record, in lower case.
 *
 * kind: any value.
 * Returns: text such as "snapshot"; "unknown" for a value that is none.
 * Errors: none.
 * Ownership: static text.
 * Threads: any thread.
 */
ES_API const char *es_record_kind_name(es_record_kind kind);

/** Opens a recording: checks the file's head, and stands before the first record.
 *
 * reader: the caller's; not NULL.
 * source: copied; not NULL.
 * memory: a window on the source: memory_size bytes.
 * memory_size: at least ES_RECORD_SIZE_MAX. More means fewer calls of the source.
 * error: names what is refused: a parameter, or "head" and what is wrong with it; may be NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_SPACE: memory_size. ES_ERR_DAMAGED: this is no recording:
 *   its first 16 bytes are not a recording's, and no record is whole in the first 1 MB (if one is,
 *   they are the first damage that es_reader_next tells of). ES_ERR_UNSUPPORTED: of a format that
 *   this library does not know. ES_ERR_IO, or what else the source fails with.
 * Ownership: borrows memory and what the source points to.
 * Threads: one thread at a time per reader.
 */
ES_API es_result es_reader_open(es_reader *reader, const es_source *source, void *memory,
        size_t memory_size, es_error *error);

/** The next record, or what is wrong before it.
 *
 * reader: opened.
 * item: filled; not NULL. At the end its kind is ES_RECORD_NONE and its damage ES_DAMAGE_NONE.
 *   Records behind an ES_RECORD_END are none of this recording: they are ES_DAMAGE_REPEATED.
 * Returns: ES_OK: a record, or the end.
 * Errors: ES_ERR_DAMAGED: item tells which bytes and records; the next call goes on behind them.
 *   Or what the source fails with.
 * Ownership: item->payload points into the reader's memory, until the next call.
 * Threads: one thread at a time per reader.
 */
ES_API es_result es_reader_next(es_reader *reader, es_reader_item *item);

/** Where the next record is looked for.
 *
 * reader: opened.
 * Returns: a place for es_reader_go.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per reader.
 */
ES_API es_reader_place es_reader_at(const es_reader *reader);

/** Goes to a place where the reader has been.
 *
 * reader: opened.
 * place: from es_reader_at of a reader of the same source; {0, 0}: the first record.
 * Returns: nothing.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per reader.
 */
ES_API void es_reader_go(es_reader *reader, es_reader_place place);

/** Reads all records from the first on, and adds up. Ends where it began: before the first.
 *
 * reader: opened.
 * summary: filled; not NULL.
 * Returns: ES_OK, also where there is damage: that is in the summary.
 * Errors: what the source fails with.
 * Ownership: summary->first_damage.payload is NULL.
 * Threads: one thread at a time per reader.
 */
ES_API es_result es_reader_summarize(es_reader *reader, es_reader_summary *summary);

/** The content of an ES_RECORD_RUN.
 *
 * item: from es_reader_next.
 * run: filled, but for format, which is the file's; not NULL.
 * Returns: false: it is of another kind, or makes no sense; then run is zeroed. es_reader_next
 *   gives only items that make sense.
 * Errors: none.
 * Ownership: texts and bytes of what these functions fill in point into the reader's memory, and
 *   are good as long as item->payload.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_run(const es_reader_item *item, es_reader_run *run);

/** The content of an ES_RECORD_FIELD.
 *
 * item: from es_reader_next.
 * field: filled; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_field(const es_reader_item *item, es_reader_field *field);

/** The content of an ES_RECORD_TAG.
 *
 * item: from es_reader_next.
 * tag: filled; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_tag(const es_reader_item *item, es_reader_tag *tag);

/** The content of an ES_RECORD_SNAPSHOT.
 *
 * item: from es_reader_next.
 * snapshot: filled; not NULL. Its offset and size are within its total.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_snapshot(const es_reader_item *item, es_reader_snapshot *snapshot);

/** The content of an ES_RECORD_STEP or an ES_RECORD_INPUT.
 *
 * item: from es_reader_next.
 * step: filled; not NULL. Its offset and size are within its total.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_step(const es_reader_item *item, es_reader_step *step);

/** The content of an ES_RECORD_HASH.
 *
 * item: from es_reader_next.
 * hashes: filled; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_hashes(const es_reader_item *item, es_reader_hashes *hashes);

/** One of a record's hashes.
 *
 * hashes: from es_reader_get_hashes.
 * index: below hashes->count.
 * Returns: the hash; 0 beyond.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per reader.
 */
ES_API uint64_t es_reader_hash(const es_reader_hashes *hashes, size_t index);

/** The content of an ES_RECORD_FRAME.
 *
 * item: from es_reader_next.
 * report: filled; not NULL. What a recording does not keep is 0: account, offset_ns, slewed_ns.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_frame(const es_reader_item *item, es_frame_report *report);

/** The content of an ES_RECORD_READINGS, to be taken out by es_reader_next_reading.
 *
 * item: from es_reader_next.
 * readings: filled; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_readings(const es_reader_item *item, es_reader_readings *readings);

/** Takes out the next reading.
 *
 * readings: from es_reader_get_readings.
 * kind: receives which function of a clock answered; not NULL.
 * value_ns: receives what; not NULL.
 * Returns: false: there is none left.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_next_reading(
        es_reader_readings *readings, es_reading_kind *kind, int64_t *value_ns);

/** The content of an ES_RECORD_EVENT.
 *
 * item: from es_reader_next.
 * event: filled; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_event(const es_reader_item *item, es_reader_event *event);

/** The content of an ES_RECORD_GAP.
 *
 * item: from es_reader_next.
 * gap: filled; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_gap(const es_reader_item *item, es_reader_gap *gap);

/** What an ES_RECORD_COPY is a copy of: as an item for es_reader_get_run or es_reader_get_field.
 *
 * item: from es_reader_next.
 * original: filled: its kind, payload and size; the rest is the copy's; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_copy(const es_reader_item *item, es_reader_item *original);

/** The content of an ES_RECORD_END.
 *
 * item: from es_reader_next.
 * end: filled; not NULL.
 * Returns: as es_reader_get_run.
 * Errors: none.
 * Ownership: as es_reader_get_run.
 * Threads: one thread at a time per reader.
 */
ES_API bool es_reader_get_end(const es_reader_item *item, es_reader_end *end);

#ifdef __cplusplus
}
#endif

#endif
