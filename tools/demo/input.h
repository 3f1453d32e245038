/* SPDX-License-Identifier: Zlib
 *
 * demo_input: the pointer and its clicks as time-stamped events, from the view that polls them to
 * the ticks they belong to; and keys, also those that a script presses.
 */
#ifndef DEMO_INPUT_H
#define DEMO_INPUT_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include "scene.h"

enum {
    DEMO_KEYS_MAX = 16,     /* key presses per frame */
    DEMO_EVENTS = 512,      /* events per frame: a mouse at 1 kHz has 200 in 100 ms, two a motion */
    DEMO_RING = 2048,       /* events that may wait for a tick */
    DEMO_SCRIPT_KEYS = 128, /* in --keys */
    DEMO_BUTTONS = 3,       /* of a mouse */
    DEMO_AXIS_X = 0,
    DEMO_AXIS_Y = 1
};

/* What happened since the last poll. */
typedef struct demo_input {
    demo_point pointer; /* kept from poll to poll, in world units */
    char keys[DEMO_KEYS_MAX];
    size_t key_count;
    es_input_event events[DEMO_EVENTS]; /* of the pointer, each with its time */
    size_t event_count;
    int64_t presses;   /* events that begin a click, so far */
    int64_t dropped;   /* events that did not fit, so far */
    es_clock clock;    /* the loop's */
    int64_t now_ns;    /* when this poll began, */
    int64_t before_ns; /* and the one before */
    int64_t polls;     /* so far */
    bool quit;         /* the window was closed, or no memory is left for another size */
} demo_input;

/** Begins a poll. */
void demo_input_begin(demo_input *input);

void demo_input_move(demo_input *input, demo_point pointer, int64_t stamp_ns);
void demo_input_button(demo_input *input, int button, bool down, int64_t stamp_ns);

/** A key was pressed. */
void demo_input_key(demo_input *input, char key);

/* Keys of --keys, by time. */
typedef struct demo_script {
    struct {
        int64_t at_ns; /* since the run began */
        char key;
    } keys[DEMO_SCRIPT_KEYS];
    size_t count, next;
} demo_script;

/** Reads "2:i,3.5:space,4:+": seconds and keys, for tool_option. */
bool demo_script_parse(const char *text, void *demo_script_pointer);

/** Presses what is due. */
void demo_script_run(demo_script *script, int64_t since_begin_ns, demo_input *input);

/** Takes a tick's events. events: DEMO_RING; receives those that the world takes. Returns how many.
 */
int demo_input_take(es_input *input, const es_step *step, es_input_event *events);

#endif
