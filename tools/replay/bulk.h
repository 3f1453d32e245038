/* SPDX-License-Identifier: Zlib
 *
 * replay: recordings of a folder, verified by workers that share them, and the table of their results.
 */
#ifndef EVENSTEP_REPLAY_BULK_H
#define EVENSTEP_REPLAY_BULK_H

#include "adapters/verify.h"

#include "replay.h"

typedef struct replay_program {
    const es_verify *calls;
    char build[40]; /* tells it from other builds */
} replay_program;

typedef struct replay_verdict {
    char name[16]; /* equal, cut off, differs, incomplete, refused, crashed */
    uint64_t ticks, compared, hash;
    char why[512];
} replay_verdict;

typedef struct replay_bulk {
    const char *path;      /* a folder, or one recording */
    const char *results;   /* NULL: none are kept */
    const char *program;   /* NULL: the demo */
    uint32_t shard, count; /* which of how many; 0 of 0: all, and their table is printed */
    bool merge;            /* no run: the table of the results that are there */
} replay_bulk;

/** The demo as a program. */
const es_verify *replay_demo_program(void);

/** Loads a shared object; path NULL: the demo. Returns TOOL_OK, or a status after a message. */
int replay_program_load(replay_program *program, const char *path);

/** Runs a recording again, in this process. */
void replay_run_again(const char *path, const es_verify *program, replay_verdict *verdict);

/** Sets shard and count. text: "I/N"; "auto": as what started this worker says. */
int replay_find_shard(replay_bulk *bulk, const char *text);

/** Verifies, or merges. Returns the exit status. */
int replay_verify_all(const replay_bulk *bulk);

#endif
