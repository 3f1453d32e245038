/* SPDX-License-Identifier: Zlib
 *
 * progress: a bar on stderr, where that is a terminal.
 */
#ifndef EVENSTEP_PROGRESS_H
#define EVENSTEP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress {
    const char *what;
    bool visible;
    int64_t started_ns;
    int64_t drawn_ns;
} progress;

void progress_begin(progress *bar, const char *what);

/** Draws it anew, ten times a second at most. */
void progress_show(progress *bar, size_t done, size_t count);

/** Takes it away. */
void progress_end(progress *bar);

#endif
