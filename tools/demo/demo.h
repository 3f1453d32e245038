/* SPDX-License-Identifier: Zlib
 *
 * demo: the state of the running demo, for the files that share it:
 *
 *   demo.c    opens a view, sets up, runs frames, ends
 *   keys.c    keys and the changes they make
 *   report.c  the figures: panel, text, JSON
 */
#ifndef DEMO_H
#define DEMO_H

#include "evenstep/input.h"

#include "input.h"
#include "rule.h"
#include "side.h"
#include "view.h"

#include "lab/numbers.h"

#include <stdio.h>

/* What keys change, and options begin with. */
typedef struct demo_settings {
    demo_choice choice;
    int split;              /* index of demo_half_name; -1: none */
    int64_t render_cost_ns; /* besides the drawing itself */
    int64_t update_cost_ns; /* per tick, likewise */
    int speed;              /* index into the key's speeds; 0: full */
    bool panel;             /* is shown */
} demo_settings;

typedef struct demo_options {
    bool window, terminal, headless; /* one at most; none: the first that works */
    demo_window_wishes wishes;
    int64_t run_ns; /* -1: until q */
    int32_t seed;
    bool is_virtual;
    demo_script script;
    const char *trace; /* file names, or NULL */
    const char *report;
    const char *screenshot;
    demo_settings set;
} demo_options;

typedef struct demo_state {
    demo_side sides[DEMO_SIDES]; /* the second shows the same frames by another rule */
    int side_count;
    demo_settings set;
    es_clock clock;
    bool is_virtual; /* the clock goes on by itself, and nothing is drawn */
    int64_t virtual_ns;
    int64_t begun_ns;
    demo_script script;
    demo_view view;
    demo_input input;
    demo_canvas canvas;
    demo_panel panel;
    int64_t frames;        /* numbered so far */
    int64_t hidden_frames; /* run while the window was not visible */
    bool was_hidden;       /* in the last frame */
    int64_t refresh_ns;    /* of the display, as announced */
    bool quit;
    bool restart; /* settings changed: the loops are changed after this frame */
} demo_state;

enum { DEMO_SPEEDS = 4 };

/* What demo_settings.speed chooses from. */
extern const lab_ratio demo_speeds[DEMO_SPEEDS];

static inline int64_t demo_now_ns(const demo_state *demo)
{
    return demo->clock.now_ns(demo->clock.user);
}

/** options.c: reads and checks argv. Returns TOOL_OK, or what tool_options and tool_usage
 * return. */
int demo_options_read(demo_options *options, int argc, char **argv);

/* --- keys.c ----------------------------------------------------------------------------------- */

void demo_press(demo_state *demo, char key);
void demo_push_event(demo_state *demo, es_input_event event);

/** The place in the world of a pointer in the frame: in a split view the upper half looks at the
 * lower end of the world, too. */
double demo_world_y(const demo_state *demo, double y);

void demo_set_paused(demo_state *demo, bool paused);

/** Starts the sides, from the tick that the frame shows. false: no memory, or no thread. */
bool demo_start(demo_state *demo);

/** Puts changed settings into force. false: as demo_start. */
bool demo_change(demo_state *demo);

/** Sets the display's announced period. Returns whether it has changed. */
bool demo_set_refresh(demo_state *demo, int64_t refresh_ns);

/* --- report.c --------------------------------------------------------------------------------- */

void demo_fill_panel(demo_state *demo);

/** Prints the summary, and the names of files that were written. options is NULL: a report of at most
 * 30 lines, to paste into a message. */
void demo_print(FILE *file, const demo_state *demo, const demo_options *options);

/** Writes the report: FILE.json as JSON, else as text; "-" is stdout. false: it could not, see errno. */
bool demo_write_report(demo_state *demo, const char *path);

#endif
