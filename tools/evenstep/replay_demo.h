/* SPDX-License-Identifier: Zlib
 *
 * replay_demo: what `evenstep replay` can do with the demo's own recordings, because it has the
 * demo's update: run them again.
 */
#ifndef EVENSTEP_REPLAY_DEMO_H
#define EVENSTEP_REPLAY_DEMO_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the recording is the demo's own: its tag "program" is "evenstep demo". */
bool replay_demo_is(const char *path);

typedef struct replay_demo_request {
    const char *path;
    bool seeks; /* to this tick; else all of it is verified */
    int64_t seek_tick;
    bool json;
} replay_demo_request;

/** Re-simulates. Returns: the exit status; prints to stdout and stderr. */
int replay_demo(const replay_demo_request *request);

#endif
