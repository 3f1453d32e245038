/* SPDX-License-Identifier: Zlib
 *
 * rule: which loop the demo runs: names and settings to an es_loop_config.
 */
#ifndef DEMO_RULE_H
#define DEMO_RULE_H

#include "evenstep/evenstep.h"
#include "evenstep/world.h"

/* How the world is shown between ticks. */
typedef enum demo_way {
    DEMO_WAY_INTERPOLATE = 0, /* along the straight line from tick to tick */
    DEMO_WAY_HERMITE,         /* the cubic with the simulated velocities */
    DEMO_WAY_CATMULL_ROM,     /* the cubic through four ticks */
    DEMO_WAY_MONOTONE,        /* the same, kept between its two ticks */
    DEMO_WAY_EXTRAPOLATE,     /* on from the newest tick, which is before the frame */
    DEMO_WAY_NONE,            /* the newest tick as it is */
    DEMO_WAYS
} demo_way;

enum { DEMO_TICKS = 4 }; /* a history keeps: splines look at four */

/** The name, for --show; NULL past the last. */
const char *demo_way_name(size_t index);

/** How many ticks beyond the frame's it needs: es_loop_config.lead_ticks. */
int32_t demo_way_lead(demo_way way);

/** How the world is blended; of DEMO_WAY_NONE, which does not, what it would be without that. */
const es_layout *demo_way_layout(demo_way way);

/* What was requested; the rest is the named loop's own. */
typedef struct demo_choice {
    int loop;           /* index of demo_loop_name */
    int policy;         /* an es_catch_up; -1: the loop's own */
    int way;            /* a demo_way */
    es_rate tick_rate;  /* {0, 0}: the loop's own */
    double delay_ticks; /* below 0: the loop's own */
    int64_t cap_ns;     /* least time between frames; 0: the loop's own */
} demo_choice;

/* What a side runs. */
typedef struct demo_rule {
    const char *name; /* static */
    bool threaded;    /* ticks have a thread of their own */
    es_loop_config config;
    demo_way way;
} demo_rule;

/* Names by index; NULL past the last. */
typedef const char *demo_name_at(size_t index);
demo_name_at demo_loop_name; /* the library's loops, then the threaded one */
demo_name_at demo_half_name; /* loops for the lower half of a split view */
demo_name_at demo_policy_name;

int demo_count_names(demo_name_at *name_at);

/** Finds a name's index. false: the list has no such name. */
bool demo_find_name(const char *text, demo_name_at *name_at, int *index);

/** Writes "a, b or c". Returns buffer. */
char *demo_list_names(char *buffer, size_t size, demo_name_at *name_at);

/** Nothing requested: the default loop. */
demo_choice demo_choice_none(void);

/** Whether the loop of this index has ticks on a thread of their own. */
bool demo_loop_is_threaded(int loop);

/** The rule that was requested, unchecked. refresh_ns: announced by the display; 0: not known. */
demo_rule demo_rule_make(const demo_choice *choice, int64_t refresh_ns);

/** The same without the requests that this loop refuses. */
demo_rule demo_rule_fit(const demo_choice *choice, int64_t refresh_ns);

/** The rule of a lower half. upper: the choice for the upper half; tick_rate: of both. */
demo_rule demo_rule_of_half(int half, const demo_choice *upper, es_rate tick_rate);

#endif
