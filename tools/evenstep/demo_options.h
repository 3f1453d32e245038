/* SPDX-License-Identifier: Zlib
 *
 * demo_options: the command line of the demo, and the settings that keys change later.
 */
#ifndef DEMO_OPTIONS_H
#define DEMO_OPTIONS_H

#include "demo_choice.h"
#include "demo_input.h"
#include "demo_view.h"

/* What keys change, and options begin with. */
typedef struct demo_settings {
    demo_choice choice;
    int split;              /* index of demo_half_name; -1: none */
    int job;                /* a demo_job_mode */
    int64_t render_cost_ns; /* besides the drawing itself */
    int64_t update_cost_ns; /* per tick, likewise */
    int speed;              /* index into the key's speeds; 0: full */
    bool panel;             /* is shown */
} demo_settings;

/* What the command line says. */
typedef struct demo_options {
    bool window, terminal, headless; /* one at most; none: the first that works */
    demo_window_wishes wishes;
    int64_t run_ns; /* -1: until q */
    int32_t seed;
    bool is_virtual;
    demo_script script;
    const char *record; /* file names, or NULL */
    const char *play;
    const char *report;
    const char *screenshot;
    demo_settings set;
} demo_options;

/** Reads and checks argv. Returns TOOL_OK, or what tool_options and tool_usage return. */
int demo_options_read(demo_options *options, int argc, char **argv);

#endif
