/* SPDX-License-Identifier: Zlib
 *
 * demo_choice: which loop the demo runs: names and settings to an es_loop_config.
 *
 * What options and keys ask for is kept apart from what a loop brings along, so that it holds for
 * the next loop too.
 */
#ifndef DEMO_CHOICE_H
#define DEMO_CHOICE_H

#include "evenstep/loop.h"

/* When frames begin, where the loop follows the display. */
typedef enum demo_latency {
    DEMO_LATENCY_OWN = -1,   /* as the loop has it */
    DEMO_LATENCY_SMOOTH = 0, /* as soon as they may: the queue protects from spikes */
    DEMO_LATENCY_LOW = 1     /* just in time */
} demo_latency;

/* What was asked for. The rest is the named loop's own. */
typedef struct demo_choice {
    const char *loop;    /* static, as demo_loop_name_at tells it */
    int policy;          /* an es_catch_up; below 0: the loop's own */
    es_rate tick_rate;   /* {0, 0}: the loop's own */
    int64_t interval_ns; /* 0: the display's where the loop sets the pace, or the loop's own */
    double delay_ticks;  /* below 0: the loop's own */
    int32_t ticks_max;   /* 0: the loop's own */
    demo_latency latency;
    double missed_max;  /* 0: the loop's own */
    int32_t queue;      /* 0: found out */
    int64_t refresh_ns; /* taken for what the display announces; 0: what it does announce */
    int32_t lead_ticks; /* what the way of showing needs; 0 where the loop has none. A threaded loop
                           has one tick more */
} demo_choice;

/* What can run in the lower half of a split view, where the upper one sets the pace. */
typedef struct demo_half {
    const char *name; /* for --split */
    const char *loop;
    bool blend; /* false: it shows its newest tick as it is */
} demo_half;

/** The loops there are: those of the library by name, and the threaded ones. */
const char *demo_loop_name_at(size_t index);

/** Whether the loop of this name runs its ticks on a thread of their own; and with a lock. */
bool demo_loop_is_threaded(const char *name);
bool demo_loop_is_locked(const char *name);

/** Nothing asked for: the default loop. */
demo_choice demo_choice_none(void);

/** The configuration that was asked for, unchecked. refresh_ns: as the display announces it, if
 * that is to be believed; 0: not known. */
es_loop_config demo_choice_config(const demo_choice *choice, int64_t refresh_ns);

/** The same, without what makes no sense for this loop: for keys, after another loop. */
es_loop_config demo_choice_fitting(const demo_choice *choice, int64_t refresh_ns);

/** The loop after or before one of this name, in a ring. */
const char *demo_choice_next_loop(const char *name, bool back);

/** The halves there are; NULL past the last. */
const demo_half *demo_half_at(size_t index);

/** The half after or before, in a ring that has none (NULL) as well. */
const demo_half *demo_half_next(const demo_half *half, bool back);

const char *demo_pace_name(es_pace pace);

/** Whether the named loop follows the display, so that there is a latency to choose. */
bool demo_choice_follows(const demo_choice *choice);
bool demo_config_follows(const es_loop_config *config);

/* Names by index, for lists; NULL past the last. es_loop_config_name is one, too. */
typedef const char *demo_name_at(size_t index);
demo_name_at demo_policy_name_at;
demo_name_at demo_half_name_at;
demo_name_at demo_latency_name_at;

size_t demo_count_names(demo_name_at *name_at);

/** Writes "a, b or c". Returns buffer. */
char *demo_list_names(char *buffer, size_t size, demo_name_at *name_at);

/* Parsers for tool_option. */
bool demo_parse_loop(const char *text, void *const_char_pointer);
bool demo_parse_latency(const char *text, void *demo_latency_pointer);
bool demo_parse_policy(const char *text, void *int_policy);
bool demo_parse_half(const char *text, void *const_demo_half_pointer);
bool demo_parse_way(const char *text, void *demo_way_pointer);
bool demo_parse_jump(const char *text, void *demo_jump_pointer);
bool demo_parse_job(const char *text, void *demo_job_mode_pointer);
bool demo_parse_switch(const char *text, void *bool_pointer); /* on or off */

#endif
