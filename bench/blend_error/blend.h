/* SPDX-License-Identifier: Zlib
 *
 * blend: motions whose truth is a formula, the ways in which a frame can show them, and the bounds
 * of their errors.
 *
 * Lengths are in metres here, and printed in mm. The plane is enough: x to the right, y up.
 */
#ifndef BENCH_BLEND_H
#define BENCH_BLEND_H

#include "evenstep/world.h"

#include "tool.h"
#include "world/blend_parts.h"

#define BLEND_COMMAND "bench_blend_error"

typedef struct blend_vec {
    double x, y;
} blend_vec;

/* The truth at an instant. At a jump: after it. */
typedef struct blend_truth {
    blend_vec at, velocity, acceleration;
} blend_truth;

/* An instant at which speed or place changes at once. */
typedef struct blend_jump {
    int64_t at_ns;
    double speed; /* by how much the velocity changes, m/s */
    double place; /* by how much the place does, m */
} blend_jump;

enum { BLEND_JUMPS_MAX = 16, BLEND_SECONDS_MAX = 10, BLEND_WAYS_MAX = 16, BLEND_MOTIONS_MAX = 16 };

typedef struct blend_motion {
    const char *name;
    const char *title;
    blend_truth (*truth)(int64_t time_ns);
    int64_t first_ns;    /* of its first jump; 0: none */
    int64_t every_ns;    /* the time to the next one; 0: there is one only */
    double speed_jump;   /* m/s */
    double place_jump;   /* m */
    bool contact;        /* the simulation knows its jumps beforehand */
    bool silent;         /* no news between blend_silence_ns */
    double acceleration; /* the largest, jumps left out; m/s^2 */
    double jerk;         /* of the third derivative, m/s^3 */
    double fourth;       /* of the fourth, m/s^4 */
} blend_motion;

/* News stop after the tick at the first, and come again with the tick at the second or after it. */
extern const int64_t blend_silence_ns[2];

typedef struct blend_way {
    const char *name;
    const char *title;
    es_blend_kind kind;
    int32_t lead;
    double delay;
    int32_t ticks; /* that the history keeps */
    bool velocity; /* the field has one */
    bool contact;  /* and a contact, where the motion has */
    bool predicts;
    es_prediction prediction;
} blend_way;

/* A blend_motion, and a blend_way, by index. */
tool_at blend_motion_at, blend_way_at;

/** The jumps until then, oldest first; the count. */
size_t blend_motion_jumps(const blend_motion *motion, int64_t until_ns, blend_jump *jumps);

/** The next jump after an instant; 0: none. */
int64_t blend_motion_next_jump(const blend_motion *motion, int64_t after_ns);

/** The largest speed until then, m/s. */
double blend_motion_speed(const blend_motion *motion, int64_t until_ns);

/* One frame of a run. */
typedef struct blend_frame {
    int64_t content_ns;
    blend_vec shown, truth;
    double bound; /* m: the documented one */
} blend_frame;

typedef struct blend_setup {
    es_rate tick_rate, refresh;
    int64_t duration_ns;
} blend_setup;

/* The result of a run, in m. */
typedef struct blend_result {
    const blend_motion *motion;
    const blend_way *way;
    blend_frame *frames;
    size_t frame_count;
    double largest;
    double mean;
    double jump;  /* the largest step between frames, less the nearest that the truth makes then */
    double bound; /* the largest */
    double delay_ms;
    bool within;       /* no frame is beyond its bound */
    int64_t beyond_ns; /* the first that is */
} blend_result;

/** Runs a loop over a motion. False: out of memory, or a layout is refused (says so on stderr). */
bool blend_run(const blend_setup *setup, const blend_motion *motion, const blend_way *way,
        blend_result *result);
void blend_result_free(blend_result *result);

double blend_distance(blend_vec a, blend_vec b);
double blend_error(const blend_frame *frame);

/** How far from the truth a way may be at an instant, with these ticks known; m. */
double blend_bound(const blend_motion *motion, const blend_way *way, double speed,
        const es_history *history, int64_t content_ns);

/** The part of a run to draw: around its event. */
void blend_window(
        const blend_setup *setup, const blend_motion *motion, int64_t *from_ns, int64_t *until_ns);

typedef struct blend_results {
    blend_setup setup;
    char title[160];     /* the setup, one line */
    blend_result *items; /* by motion, then by way */
    const blend_motion *motions[BLEND_MOTIONS_MAX];
    const blend_way *ways[BLEND_WAYS_MAX];
    size_t motion_count, way_count;
} blend_results;

/** Draws a blend_results. False: see errno. */
bool blend_draw(const void *user, const char *path);

/** Draws a curve of each kind; the exit status. */
int blend_kinds(const char *svg_path);

/** Writes mm: "12.3", "0.0042", "0". */
void blend_format_mm(char *text, size_t size, double metres);

/** Writes a length with its unit: "12.3 mm", "4.2 um". */
void blend_format_length(char *text, size_t size, double metres);

#endif
