/* SPDX-License-Identifier: Zlib
 *
 * verify: runs recordings again by a program's own update (adapters/verify.h).
 */
#ifndef EVENSTEP_REPLAY_VERIFY_H
#define EVENSTEP_REPLAY_VERIFY_H

#include "adapters/verify.h"

#include "replay.h"

typedef struct replay_verdict {
    char name[16]; /* equal, cut off, differs, incomplete, refused, crashed */
    uint64_t ticks, compared, hash;
    char why[512];
} replay_verdict;

/** Loads a shared object. Returns TOOL_OK, or a status after a message. */
int replay_program_load(const es_verify **program, const char *path);

/** Runs a recording again, in this process. */
void replay_run_again(const char *path, const es_verify *program, replay_verdict *verdict);

/** Runs a recording, or all of a folder, by the program of a shared object, and prints a table.
 * Returns the exit status. */
int replay_verify(const char *path, const char *object);

#endif
