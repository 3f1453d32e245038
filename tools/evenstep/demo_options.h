/* SPDX-License-Identifier: Zlib
 *
 * demo_options: the command line of the demo, and the settings that keys change later on.
 */
#ifndef DEMO_OPTIONS_H
#define DEMO_OPTIONS_H

#include "demo_choice.h"
#include "demo_script.h"
#include "demo_show.h"
#include "demo_view.h"

/* What keys change, and options begin with. */
typedef struct demo_settings {
    demo_choice choice;
    const demo_half *split; /* what the lower half runs; NULL: the picture is one */
    int64_t render_cost_ns; /* besides what drawing really takes */
    int64_t update_cost_ns; /* per tick, likewise */
    int speed;              /* 0: full */
    es_ratio full_speed;    /* which is that: 1, or what was asked for */
    demo_way way;           /* never DEMO_WAY_NONE: what blend switches off, in the upper half */
    bool blend;
    demo_jump jump;
    demo_job_mode job;
    bool apart; /* groups tick at rates of their own */
    bool spikes;
    bool hud;
    bool rests;            /* draws nothing while the window is hidden */
    const char *alternate; /* a loop that takes turns with the chosen one; NULL: none */
    int64_t every_ns;      /* how long each turn is */
} demo_settings;

/* What the command line says. */
typedef struct demo_options {
    bool window, terminal, headless; /* one at most; none: the best there is */
    demo_window_wishes wishes;
    int64_t run_ns; /* -1: until somebody quits */
    int32_t seed;
    const char *record; /* file names, or NULL */
    bool record_frames; /* and not only ticks */
    const char *play;
    bool schedule; /* its frames, too, */
    es_ratio pace; /* so fast */
    int64_t until; /* a tick */
    bool is_virtual;
    demo_script script;
    char settings[2048]; /* what the command line says of how it runs; recorded */
    const char *report;  /* a file name, or NULL */
    const char *screenshot;
    demo_settings set;
} demo_options;

/** What the upper half shows, or the whole picture. */
demo_way demo_settings_way(const demo_settings *set);

/** Changes that. */
void demo_settings_set_way(demo_settings *set, demo_way way);

/** Reads and checks argv. Returns TOOL_OK, or what tool_options and tool_usage return. */
int demo_options_read(demo_options *options, int argc, char **argv);

#endif
