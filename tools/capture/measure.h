/* SPDX-License-Identifier: Zlib
 *
 * measure: what `evenstep measure` found in a capture, in words (words.c), as a page (page.c) and as a
 * trace of events (events.c).
 */
#ifndef EVENSTEP_MEASURE_TOOL_H
#define EVENSTEP_MEASURE_TOOL_H

#include "tool.h"

#include "capture/measure.h"

typedef struct measured {
    char name[512]; /* the path, in UTF-8 */
    const char *path;
    lab_capture_options options;
    lab_capture_info info;
    lab_figures figures;
    double speed; /* of the motion for angles, in degrees per second */
} measured;

enum { SENTENCE = 512 };

extern const char *const measure_content_names[], *const measure_refresh_names[];
extern const char *const measure_latency_names[LAB_LATENCIES];

typedef struct measure_cause {
    const char *name, *title, *change, *seen;
    bool turns;
    const char *at; /* in a frame */
} measure_cause;
extern const measure_cause measure_causes[LAB_CAUSES];

const char *measure_shown_name(const measured *m);
const char *measure_title(const measured *m, size_t cause);
size_t measure_main_cause(const lab_figures *f);           /* LAB_CAUSES: none */
bool measure_is_display(const lab_figures *f);             /* unit is a refresh, for certain */
double measure_unit_ms(const lab_figures *f);              /* errors are compared with it */
size_t measure_grade(double p99_ms, const lab_figures *f); /* 0: smooth, to 3 */
const char *measure_hitch_grade(const lab_figures *f);     /* Apple's */
double measure_arc_minutes(const measured *m, double ms);  /* on the retina */
double measure_jumps_per_minute(const lab_figures *f);

/* Sentences, of up to SENTENCE characters. Return text. */
const char *measure_say_motion(const measured *m, char *text);
const char *measure_say_frames(const measured *m, char *text);
const char *measure_say_main_cause(const measured *m, char *text); /* there is one */
const char *measure_say_seen(const measured *m, size_t cause, char *text);
const char *measure_say_moment(const measured *m, const lab_moment *w, char *text); /* its cause */

/* The frames once more, with what they are measured by. */
typedef struct measure_walk {
    lab_capture *capture;
    lab_capture_frame frame, before, shown, moved; /* before: the one shown before this one */
    size_t number, before_number, shown_number;    /* from 1; before_number 0: none to compare */
    double interval_ms, error_ms;                  /* NaN: none */
    bool is_seen, has_moved;
} measure_walk;

/* False: there are no more. */
bool measure_next(measure_walk *w);

/* Write files; user: const measured *. False: see errno. */
bool measure_write_page(const void *user, const char *path);
bool measure_write_events(const void *user, const char *path);

#endif
