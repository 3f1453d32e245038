/* SPDX-License-Identifier: Zlib
 *
 * demo_seen: what the loop expected of the display, and what the display did: how far pictures were
 * seen from when they were expected, how old the input in them was, what was won back, and what the
 * loop knows of the refreshes.
 *
 * Not for: animation and interval errors. Those are es_meter's (demo_report).
 */
#ifndef DEMO_SEEN_H
#define DEMO_SEEN_H

#include "evenstep/display.h"
#include "evenstep/frame.h"
#include "evenstep/meter.h"

enum { DEMO_SEEN_RECENT = 512 }; /* pictures looked back on: a second at up to 512 fps */

/* How something is spread, in ms; all 0 where there is nothing. */
typedef struct demo_spread {
    size_t count;
    double bias;               /* mean, with its sign */
    double mean;               /* of sizes, as are ... */
    double p50, p90, p99, max; /* ... these, by nearest rank */
} demo_spread;

/* A picture and its screen time, settled. */
typedef struct demo_picture {
    const es_frame_report *report;
    int64_t input_ns; /* when the input in it was read; INT64_MIN: there is none yet */
    uint64_t count;   /* of refreshes, at the one that showed it, as the platform told; 0: none */
} demo_picture;

/* How far a picture moved, and the display went on, from the one before. */
typedef struct demo_moved {
    float content_ms;
    float shown_ms;    /* by the platform's time ... */
    int32_t refreshes; /* ... and by its count */
} demo_moved;

/* How many refreshes went by, told from screen times. */
typedef struct demo_refreshes {
    double period_ns; /* as delivered: time by count; 0: not known */
    int64_t count;
    int64_t repeated; /* of these, showed the picture of the one before again */
} demo_refreshes;

typedef struct demo_seen {
    float *off_ms; /* measured less expected, of the whole run: rings */
    float *age_ms;
    demo_moved *moved;                         /* where the platform counts refreshes */
    int64_t off_count, age_count, moved_count; /* put into them, in all */
    es_meter_sample last;                      /* of the picture before; series as in the meter */
    uint64_t last_refresh;                     /* its count; 0: none */
    int64_t recent_ns[DEMO_SEEN_RECENT];
    float recent_ms[DEMO_SEEN_RECENT]; /* off_ms, with when they were seen */
    int64_t recent_count;
    demo_spread live;         /* off_ms of the last second */
    es_shown_source source;   /* the weakest of all */
    int64_t won_back_ns;      /* sum of what each frame slewed, as sizes */
    int64_t offset_most_ns;   /* the largest size */
    bool follows;             /* the loop follows the display; then ... */
    bool low_latency;         /* ... with this setting, ... */
    es_display_status status; /* ... and knew this of it last */
    int64_t began_ns;         /* when the loop took over */
    bool has_locked;          /* since then */
    int64_t locks;            /* how often it took over and locked, */
    int64_t lock_ns;          /* how long that took in all, */
    int64_t lock_most_ns;     /* and at most */
    int64_t frames;           /* looked at the display after, ... */
    int64_t locked_frames;    /* ... and of them those that were locked, ... */
    double periods_ns;        /* ... with the sum of the periods found */
} demo_seen;

/** Makes room. false: no memory. demo_seen_finish gives it back. */
bool demo_seen_init(demo_seen *seen);
void demo_seen_finish(demo_seen *seen);

/** Forgets what was measured. */
void demo_seen_restart(demo_seen *seen);

/** A loop takes over, at a time. */
void demo_seen_begin(demo_seen *seen, int64_t now_ns);

/** What the loop knows after a frame. status: NULL where it does not follow the display. */
void demo_seen_display(
        demo_seen *seen, const es_display_status *status, bool low_latency, int64_t now_ns);

/** The frame after which that was known is in the figures. */
void demo_seen_count(demo_seen *seen);

/** Takes in a picture, and what the meter made of it. */
void demo_seen_add(demo_seen *seen, const demo_picture *picture, const es_meter_sample *sample);

/** Works out `live` anew. */
void demo_seen_refresh(demo_seen *seen);

/** Over the whole run: measured less expected, and the age of input. */
demo_spread demo_seen_off(const demo_seen *seen);
demo_spread demo_seen_age(const demo_seen *seen);

/** Animation errors against refreshes as they were counted, each lasting period_ns: without what
 * the platform's own times are off by. Nothing where it does not count. */
demo_spread demo_seen_counted(const demo_seen *seen, double period_ns);

/** And what its times are off by: from picture to picture, against the same count. A picture that
 * moves perfectly evenly has these for animation errors. */
demo_spread demo_seen_stamps(const demo_seen *seen, double period_ns);

/** The refresh period as the loop found it, the mean over its locked frames; 0: never locked. */
double demo_seen_found_ns(const demo_seen *seen);

/** The state of the display in plain words, such as "locked by screen times". */
const char *demo_seen_state(const demo_seen *seen);

/** The sizes of the animation errors of a meter. */
demo_spread demo_animation_spread(const es_meter *meter);

/** Counts refreshes between pictures. period_ns: one refresh; 0: the median time between two
 * pictures is taken for it, which is right where most are up for one. */
demo_refreshes demo_count_refreshes(const es_meter *meter, double period_ns);

#endif
