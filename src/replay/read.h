/* SPDX-License-Identifier: Zlib
 *
 * Reads the records of a recording in the caller's memory, and names the parts that are damaged.
 *
 * Any bytes can be read: a length is used only if its checksum is right, nothing larger than a
 * record is read at once, and the time is in proportion to the bytes. Behind damage the reader goes
 * on with the next record that is whole and has a higher number. Bytes of an item point
 * into the caller's memory until the next call.
 */
#ifndef ES_REPLAY_READ_H
#define ES_REPLAY_READ_H

#include "format.h"

/* A place in a recording. */
typedef struct es__reader_place {
    uint64_t offset;
    uint32_t sequence; /* expected there */
} es__reader_place;

/* What is left of an ES_RECORD_READINGS. */
typedef struct es__reader_readings {
    uint32_t left;
    uint32_t clock_has; /* ES__CLOCK_HAS_... */
    int64_t last[ES__READING_KINDS];
    const unsigned char *bytes;
    size_t size;
} es__reader_readings;

/* Totals of a recording. es__reader_outline sets only those that are marked. */
typedef struct es__reader_summary {
    uint64_t records, bytes_good; /* whole records, and the end of the last of them */
    uint64_t bytes;               /* outline: the file's size */
    uint64_t steps, frames;       /* outline */
    uint64_t snapshots, hashes, events;
    uint64_t input_max;     /* outline: the largest input that the file has room for */
    es__reader_place index; /* outline: of the last ES_RECORD_INDEX; offset 0: none */
    uint64_t damages;       /* stretches of damage */
    es_replay_item first_damage;
    uint64_t gaps; /* ES_RECORD_GAP */
    int64_t first_tick;
    int64_t last_tick; /* outline: of the steps; 0 if there are none. If ticks at the end were left
                          out, end_tick is later */
    bool ended;        /* outline: there is an ES_RECORD_END, and these are set */
    es_record_status end;
    int64_t end_tick;
} es__reader_summary;

typedef struct es__reader {
    es_stream source;
    unsigned char *window; /* window_used bytes of the source from window_offset on */
    size_t window_size, window_used;
    uint64_t window_offset;
    es__reader_place place; /* where the next record is looked for */
    bool head_damaged;      /* the file's first bytes: records are looked for from byte 0 on */
    es_replay_run run;      /* items point to these four */
    es_report frame;
    es_record_status end;
    es_field field;
    char name[ES__RECORD_NAME_MAX + 1]; /* of the field */
    uint32_t tag_count;                 /* of the run */
} es__reader;

/* Checks the file's head, and goes to the first record.
 * memory: a window on the source, at least ES_RECORD_SIZE_MAX.
 * error: names the parameter that is refused, or "head" and what is wrong with it.
 * ES_ERR_DAMAGED: the head is wrong, and no record is whole in the first 1 MB. If one is, the head is
 * the first damage that es__reader_next reports. ES_ERR_UNSUPPORTED: another format. */
es_result es__reader_open(es__reader *reader, const es_stream *source, void *memory,
        size_t memory_size, es__error *error);

/* The next record. ES_ERR_DAMAGED: the damage before it. At the end the kind is ES_RECORD_NONE.
 * Records behind an ES_RECORD_END are ES_DAMAGE_REPEATED. */
es_result es__reader_next(es__reader *reader, es_replay_item *item);

/* Goes to a place that reader->place was; {0, 0}: the first record. */
void es__reader_go(es__reader *reader, es__reader_place place);

/* Adds up all records and damage, then goes to the first record. */
es_result es__reader_summarize(es__reader *reader, es__reader_summary *summary);

/* The same from the end and the index before it, in constant time; without them by all records. Damage
 * between them is not found. */
es_result es__reader_outline(es__reader *reader, es__reader_summary *summary);

/* One of the entries of an ES_RECORD_INDEX, of which item->count says how many there are. */
es__index_entry es__reader_get_entry(const es_replay_item *item, size_t number);

/* The readings of an ES_RECORD_READINGS. */
es__reader_readings es__reader_get_readings(const es_replay_item *item);

/* Takes the next reading out. False: there is none left, or it makes no sense. */
bool es__reader_next_reading(
        es__reader_readings *readings, es__reading_kind *kind, int64_t *value_ns);

/* What an ES_RECORD_COPY is a copy of. False: the item is of another kind, or makes no sense. */
bool es__reader_get_copy(es__reader *reader, const es_replay_item *item, es_replay_item *original);

#endif
