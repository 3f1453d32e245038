/* SPDX-License-Identifier: Zlib
 *
 * demo_delay: how long input takes to its tick and to the picture, live and by setting.
 */
#ifndef DEMO_DELAY_H
#define DEMO_DELAY_H

#include "evenstep/input.h"

#include "demo_input.h"

#include <jansson.h>
#include <stdio.h>

enum {
    DEMO_DELAYS = 1024,  /* the newest events that figures are of */
    DEMO_SETTINGS = 12,  /* that are remembered */
    DEMO_DELAY_LOST = -1 /* as a delay in ms: not known */
};

/* Under what it was measured. */
typedef struct demo_setting {
    const char *loop; /* static, as is ... */
    const char *show; /* ... the way of showing */
    bool low_latency;
    int32_t lead_ticks;
    double delay_ticks;
} demo_setting;

typedef struct demo_delays {
    es_input_meter meter;
    es_input_sample *samples;
    double *scratch;
    demo_setting setting;  /* since the restart */
    es_input_summary live; /* as of the last refresh */
} demo_delays;

/* What was found under one setting. */
typedef struct demo_delay_entry {
    demo_setting setting;
    es_input_summary summary;
    int64_t events, missed;
} demo_delay_entry;

/* The settings so far, oldest first. */
typedef struct demo_delay_log {
    demo_delay_entry entries[DEMO_SETTINGS];
    int count;
} demo_delay_log;

/** Makes room. false: no memory. demo_delays_finish gives it back. */
bool demo_delays_init(demo_delays *delays);
void demo_delays_finish(demo_delays *delays);

/** Forgets what was measured; what happened before now_ns is not. */
void demo_delays_restart(demo_delays *delays, int64_t now_ns);

/** Leaves out what happened before, and waits no longer for pictures of it. */
void demo_delays_since(demo_delays *delays, int64_t now_ns);

/** A tick got events. */
void demo_delays_take(demo_delays *delays, const demo_got *got, int count);

/** A picture was seen. */
void demo_delays_frame(demo_delays *delays, const es_frame *frame, int64_t shown_ns);

/** Works out `live` anew. */
void demo_delays_refresh(demo_delays *delays);

/** How long the click of a stamp took to the first picture of it, in ms; DEMO_DELAY_LOST: it is not
 * known yet, or no more. */
double demo_delays_of(const demo_delays *delays, int64_t stamp_ns);

/** Writes what was found so far under its setting, in place of what is there of the same one. */
void demo_delay_note(demo_delay_log *log, demo_delays *delays);

/** A setting in words, such as "auto, latency low, lead 0, delay 0". */
const char *demo_setting_text(const demo_setting *setting, char *text, size_t size);

/** The summary's lines and the report's members. log: all settings, this one noted. */
void demo_delays_print(const demo_delays *delays, const demo_delay_log *log, FILE *out);
json_t *demo_delays_json(const demo_delays *delays);
json_t *demo_delay_log_json(const demo_delay_log *log);

#endif
