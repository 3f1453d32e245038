/* SPDX-License-Identifier: Zlib
 *
 * load: processes that keep cores busy while something is measured.
 *
 * Processes, not threads: that is what competes with a game. They are not pinned, so the system
 * spreads them over its cores and moves them as it would others.
 */
#ifndef BENCH_WAIT_LOAD_H
#define BENCH_WAIT_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WAIT_LOAD_MAX = 64 };

typedef struct wait_load {
    pid_t pids[WAIT_LOAD_MAX];
    size_t count;
} wait_load;

/** Starts `count` spinning processes, at most WAIT_LOAD_MAX. They end with wait_load_end, and if
 * this process ends without it, however it does. False: see errno; none is left. */
bool wait_load_start(wait_load *load, int32_t count);

/** Ends them all. False: one of them had ended before. */
bool wait_load_end(wait_load *load);

#endif
