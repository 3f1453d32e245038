/* SPDX-License-Identifier: Zlib
 *
 * replay: what the parts of `evenstep replay` share: an opened recording, its header, walks over
 * its records. A recording is read from its beginning to its end, a window of it at a time,
 * however long it is; every answer is one such walk, or a few.
 */
#ifndef EVENSTEP_REPLAY_H
#define EVENSTEP_REPLAY_H

#include "adapters/record_file.h"
#include "evenstep/reader.h"
#include "progress.h"
#include "replay_text.h"
#include "tool.h"

/* Exit statuses, beside 0 (intact, or the same) and TOOL_USAGE (2). */
enum {
    REPLAY_DIFFERS = 1,   /* --diff: they differ. --dump: there is no such snapshot */
    REPLAY_DAMAGED = 3,   /* damaged, or cut off; what can be read was shown */
    REPLAY_UNREADABLE = 4 /* no recording, or it cannot be read */
};

typedef struct replay_field {
    char *name; /* name_size bytes, as recorded, and a 0 */
    size_t name_size;
    es_type type;
    int32_t group;
    uint64_t count;
    uint32_t components;
    uint32_t sequence;
} replay_field;

typedef struct replay_tag {
    char *name, *text; /* and a 0 each */
    size_t name_size, text_size;
} replay_tag;

/* What can be read of a header. */
typedef struct replay_header {
    bool has_run;
    es_reader_run run;
    replay_field *fields;
    size_t field_count;
    replay_tag *tags;
    size_t tag_count;
    int32_t *groups; /* in the order in which the fields first name them */
    size_t group_count;
    bool is_whole;        /* the run and all its fields, and their sizes agree ... */
    uint64_t packed_size; /* ... with this one; 0: the fields' sizes overflow */
} replay_header;

typedef struct replay_file {
    const char *path;
    es_record_file file;
    es_reader reader;
    void *window;
    uint64_t size;     /* when it was opened */
    bool head_damaged; /* its first 16 bytes; reading goes on as if they were sound */
    replay_header header;
    progress bar;
} replay_file;

/* What is wrong in one place. */
typedef struct replay_trouble {
    uint64_t offset, bytes;
    uint32_t sequence, missing;
    bool missing_known; /* whether `missing` is all that is lost there */
    const char *kind;   /* one word */
    char what[120];     /* half a sentence */
} replay_trouble;

/** Opens, and reads the header. Returns TOOL_OK, or REPLAY_UNREADABLE after saying why. */
int replay_open(replay_file *file, const char *path);
void replay_close(replay_file *file);

/** Called with each record, and with each stretch of damage (item->damage). False: enough. */
typedef bool replay_visit(void *user, const es_reader_item *item);

/** Walks over the whole recording. With quiet without a bar: a terminal that is printed to.
 * Returns TOOL_OK, or REPLAY_UNREADABLE after saying why. */
int replay_walk(replay_file *file, replay_visit *visit, void *user, bool quiet);

/** The same as a reader: the next item from where the reader is. False: the end, or it cannot be
 * read, which was said. */
bool replay_next(replay_file *file, es_reader_item *item, int *status);

/** A bar, where the file is long enough to need one. */
void replay_bar_begin(replay_file *file, bool quiet);
void replay_bar_show(replay_file *file);
void replay_bar_end(replay_file *file);

/** Prints "evenstep replay: cannot read 'PATH': why". Returns REPLAY_UNREADABLE. */
int replay_failed_to_read(const char *path, const char *why);
int replay_out_of_memory(void);

/** What a hash of a tick is of: "group 2", a field's name, "state". Memory of the caller's to
 * free; NULL: there is none. */
char *replay_hash_name(const replay_header *header, size_t index);

/** The bytes of a packed field; 0: more than 64 bits hold. */
uint64_t replay_field_size(const replay_field *field);

/* --- the parts -------------------------------------------------------------------------------- */

/* Which records are listed, and which of their ticks. */
enum {
    REPLAY_INPUTS = 1,
    REPLAY_SCHEDULE = 2,
    REPLAY_SNAPSHOTS = 4,
    REPLAY_EVENTS = 8,
    REPLAY_HASHES = 16
};

typedef struct replay_range {
    int64_t from, to;
} replay_range;

/** With JSON: begins the object, with what the file is and what its header says. */
void replay_begin(const replay_file *file, replay_out *out);
/** And ends it. */
void replay_end(replay_out *out);

int replay_report(replay_file *file, replay_out *out);
int replay_lists(replay_file *file, replay_out *out, unsigned lists, replay_range range);
int replay_dump(replay_file *file, replay_out *out, int64_t tick);
int replay_diff(replay_file *a, replay_file *b, replay_out *out);

#endif
