/* SPDX-License-Identifier: Zlib
 *
 * replay: an opened recording, its header, and walks over its records. A recording is read from its
 * beginning to its end through a window, whatever its length; every answer is one or a few walks.
 */
#ifndef REPLAY_COMMAND_H
#define REPLAY_COMMAND_H

#include "evenstep/replay.h"

#include "out.h"
#include "tool.h"

/* Exit statuses, beside 0 (intact, or equal) and TOOL_USAGE (2). */
enum {
    REPLAY_DIFFERS = 1,   /* --diff: the recordings differ */
    REPLAY_DAMAGED = 3,   /* damaged, or cut off; what can be read was shown */
    REPLAY_UNREADABLE = 4 /* no recording, or it cannot be read */
};

/* A tag; or a field's name and description. */
typedef struct replay_text {
    char *name, *text;
} replay_text;

typedef struct replay_field {
    es_type type;
    int32_t group;
    uint64_t count, components;
    uint32_t sequence;
} replay_field;

/* The readable part of a header. */
typedef struct replay_header {
    bool has_run;
    es_replay_run run;
    replay_field *fields;
    replay_text *field_texts; /* of each field */
    size_t field_count;
    replay_text *tags;
    size_t tag_count;
    int32_t *groups; /* in the order in which the fields first name them */
    size_t group_count;
    bool is_whole;        /* the run and all its fields are here, and their sizes agree */
    uint64_t packed_size; /* of all fields; 0: it overflows */
} replay_header;

typedef struct replay_file {
    const char *path;
    es_replay *replay;
    uint64_t size; /* when it was opened */
    replay_header header;
} replay_file;

/** Opens a recording and reads its header. Returns TOOL_OK, or REPLAY_UNREADABLE after an error
 * message. replay_close is to be called in any case. */
int replay_open(replay_file *file, const char *path);
void replay_close(replay_file *file);

/** The next record or stretch of damage (item->damage). False: the end, or an error, which was
 * printed; then *status is REPLAY_UNREADABLE. */
bool replay_next(replay_file *file, es_replay_item *item, int *status);

/** tool_fail("replay", ...), of the status REPLAY_UNREADABLE. */
#define replay_failed(...) (tool_fail("replay", __VA_ARGS__), REPLAY_UNREADABLE)

/** Prints "evenstep replay: cannot read 'PATH': why". Returns REPLAY_UNREADABLE. */
int replay_failed_to_read(const char *path, const char *why);
int replay_out_of_memory(void);

/** How finely a recording's ticks are hashed. */
const char *replay_hashes_text(es_record_hashes hashes);

/** What a hash of a tick covers: "group 2", a field's name, "state"; of bits of several fields the
 * first in which `differing` has one; 0: "hash 3". The caller frees it; NULL: out of memory. */
char *replay_hash_name(const replay_header *header, size_t index, uint64_t differing);

/** The file, and what its header says, as members of the output: replay, run, tags, fields. */
void replay_show_header(const replay_file *file, replay_out *out);

/** One of the hashes of an ES_RECORD_HASH. */
uint64_t replay_hash_at(const es_replay_item *item, uint64_t index);

/** The last tick of an ES_RECORD_GAP. */
int64_t replay_gap_end(const es_replay_item *item);

/* --- the jobs; each returns the exit status --------------------------------------------------- */

enum {
    REPLAY_INPUTS = 1,
    REPLAY_SNAPSHOTS = 2,
    REPLAY_EVENTS = 4,
    REPLAY_HASHES = 8,
    REPLAY_FRAMES = 16
};

typedef struct replay_range {
    int64_t from, to; /* ticks */
} replay_range;

int replay_report(replay_file *file, replay_out *out);
int replay_lists(replay_file *file, replay_out *out, unsigned lists, replay_range range);
int replay_diff(replay_file *a, replay_file *b, replay_out *out);

#endif
