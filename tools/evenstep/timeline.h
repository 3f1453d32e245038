/* SPDX-License-Identifier: Zlib
 *
 * timeline: the events of a run of `evenstep timeline`, for its drawing.
 */
#ifndef EVENSTEP_TIMELINE_H
#define EVENSTEP_TIMELINE_H

#include "lab/machine.h"

typedef struct timeline_event {
    lab_event_kind kind;
    int64_t frame;
    int64_t time_ns;
    int64_t value_ns; /* updates: the tick's time; rendering, and waiting for it: content */
    bool named;       /* of a wait: its frame was rendered */
    /* of a rendering */
    double alpha;
    int64_t interval_ns;
    int64_t dropped_ns;
} timeline_event;

typedef struct timeline_log {
    timeline_event *events; /* in the order of the lab's reports: flips come early */
    size_t count;
    size_t capacity;
    bool out_of_memory;
} timeline_log;

/** Draws events from time 0 to until_ns: rows for rendering, updates, waiting, presenting, and the
 * screen.
 *
 * screen: NULL: none; a fixed refresh gets its ticks.
 * Returns false when the file could not be written, see errno. */
bool timeline_draw(const timeline_log *log, const char *loop_title, const lab_screen *screen,
        int64_t until_ns, const char *path);

/* The longest drawing. */
enum { TIMELINE_DRAW_MS_MAX = 2000 };

#endif
