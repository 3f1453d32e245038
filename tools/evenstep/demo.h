/* SPDX-License-Identifier: Zlib
 *
 * demo: what the files of the running demo share: its state, and what each does with it.
 *
 *   demo.c         chooses a view, sets up, runs, tells
 *   demo_frame.c   one frame
 *   demo_keys.c    what keys do, and what the overlay says of them
 *   demo_change.c  another loop, while it runs
 *   demo_replay.c  a recording in place of the game
 *
 * Not for: the world (demo_scene), its loop (demo_side), or views (demo_view): none of these knows
 * of this.
 */
#ifndef DEMO_H
#define DEMO_H

#include "evenstep/evenstep.h"

#include "demo_draw.h"
#include "demo_options.h"
#include "demo_play.h"
#include "demo_side.h"
#include "demo_virtual.h"

#include <signal.h>

enum { DEMO_SPEEDS = 4 };

typedef struct demo_state {
    /* the game; in a split view the second side shows the same frames by another rule */
    demo_side sides[DEMO_SIDES];
    int side_count;
    /* around it */
    es_clock clock;      /* figures are taken by this one, ... */
    es_clock loop_clock; /* ... the first loop has this one, which may be recorded, ... */
    es_clock machine;    /* ... and work is done on this one */
    bool is_virtual;     /* time goes on by itself, and nothing is drawn */
    demo_virtual virtual_time;
    int64_t begun_ns;
    demo_recorder *recorder; /* NULL: nothing is recorded */
    demo_play *play;         /* NULL: nothing is played */
    demo_script script;
    bool hidden; /* nobody sees the view */
    demo_view view;
    demo_input input;
    demo_canvas canvas;
    demo_hud hud;
    int64_t pictures;      /* numbered so far */
    int64_t hidden_frames; /* run while nobody saw the view */
    bool was_hidden;       /* in the last frame */
    int64_t refresh_ns;    /* of the display, as it is announced */
    int turn;              /* of the two loops that take turns */
    int64_t turn_ends_ns;
    bool quit;
    bool restart; /* another loop is wanted, as soon as nothing would leap */
    demo_settings set;
} demo_state;

/* Set by the signals that ask to stop; the loop looks at it once per frame. */
extern volatile sig_atomic_t demo_stop_signal;

/* What demo_settings.speed chooses from. */
extern const es_ratio demo_speeds[DEMO_SPEEDS];

/* --- demo_keys.c ------------------------------------------------------------------------------ */

/** A key was pressed. */
void demo_press(demo_state *demo, char key);

/** The pointer did something: all worlds are told. */
void demo_push_event(demo_state *demo, es_input_event event);

/** Where a pointer in the picture is in the world: in a split view the upper half looks at the
 * lower end of it, too. */
double demo_world_y(const demo_state *demo, double y);

/** Pauses the loops, or lets them go on. */
void demo_set_paused(demo_state *demo, bool paused);

/** Has them run a tick, and pause. */
void demo_step_once(demo_state *demo);

/** Another speed: of demo_speeds. */
void demo_set_speed(demo_state *demo, int speed);

/** Begins all figures anew. */
void demo_restart_meters(demo_state *demo);

/** Chooses a job. */
void demo_choose_job(demo_state *demo, demo_job_mode mode);

/** What a side shows between ticks. */
demo_way demo_way_of(const demo_state *demo, int index);

/** How fast time is to go by. */
es_ratio demo_speed(const demo_settings *set);

/** Fills in DEMO_HUD_KEYS lines. */
void demo_show_keys(const demo_state *demo, demo_hud_line *line);

/* --- demo_frame.c ----------------------------------------------------------------------------- */

/** Runs a frame. false: there was no memory to draw in, or the view is gone. */
bool demo_run_frame(demo_state *demo);

/** Whether somebody wants it to end. */
bool demo_has_ended(const demo_state *demo);

/** Keeps the CPU busy. */
void demo_burn(demo_state *demo, int64_t cost_ns);

/** Shows the last picture again, with what the overlay says now. false: as demo_run_frame. */
bool demo_show_still(demo_state *demo);

/** Fills the overlay anew. */
void demo_fill_hud(demo_state *demo);

/** Draws what the sides show. false: no memory. */
bool demo_draw_picture(demo_state *demo, demo_canvas *canvas, demo_fit fit, bool with_hud);

/** Takes in what was told of pictures: of the last, and of those still waited for. */
void demo_measure(demo_state *demo);

/* --- demo_change.c ---------------------------------------------------------------------------- */

/** What is chosen, for the loop that sets the pace. */
demo_rule demo_first_rule(const demo_state *demo);

/** Starts the sides, from the tick that the picture shows. false: no memory, or no thread. */
bool demo_start(demo_state *demo);

/** Lets the world go on under what is chosen now, if that is to be. false: as demo_start. */
bool demo_change(demo_state *demo);

/** Lets one of two loops have its turn; and the other, when it is time. */
void demo_begin_turn(demo_state *demo, int turn);
void demo_take_turns(demo_state *demo);

/** What is told of the display, or 0 where that cannot be. */
int64_t demo_believable_ns(int64_t refresh_ns);

/** Looks whether the display is another. */
void demo_follow_display(demo_state *demo);

/* --- demo_replay.c ---------------------------------------------------------------------------- */

/** A key was pressed while a recording is played. */
void demo_replay_press(demo_state *demo, char key);

/** What came in this frame when it was recorded: before its ticks, and after it. */
void demo_replay_before(demo_state *demo);
void demo_replay_after(demo_state *demo);

/** Runs what a step of the loop is worth. */
void demo_replay_step(demo_state *demo, const es_step *step);

/** Before a frame: follows the recorded rate, and stands at the end. false: no frame is run, as
 * everything stands; *good is false where that cannot be shown. */
bool demo_replay_goes_on(demo_state *demo, bool *good);

/** Fills in DEMO_HUD_KEYS lines. */
void demo_replay_show_keys(const demo_state *demo, demo_hud_line *line);

#endif
