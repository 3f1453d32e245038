/* SPDX-License-Identifier: Zlib
 *
 * demo_input: the pointer and its clicks as time-stamped events, from the view that polls them to
 * the ticks they belong to.
 *
 * Not for: keys that change settings. Those are in force from the frame that polls them.
 */
#ifndef DEMO_INPUT_H
#define DEMO_INPUT_H

#include "evenstep/clock.h"
#include "evenstep/input.h"

#include "demo_scene.h"

enum {
    DEMO_KEYS_MAX = 16,  /* key presses taken in per frame */
    DEMO_EVENTS = 512,   /* and events: a mouse at 1 kHz has 200 in 100 ms, two for each motion */
    DEMO_RING = 2048,    /* that may wait for a tick */
    DEMO_GOT = 32,       /* that are measured of one tick, and handed over by a thread of ticks */
    DEMO_BUTTON_KEY = 3, /* after three of a mouse: the key that stands for a click */
    DEMO_AXIS_X = 0,
    DEMO_AXIS_Y = 1
};

#define DEMO_KEY_CLICK 'f'

/* What happened since the last poll. */
typedef struct demo_input {
    demo_point pointer; /* kept from poll to poll, in world units */
    char keys[DEMO_KEYS_MAX];
    size_t key_count;
    es_input_event events[DEMO_EVENTS]; /* what the pointer did, each with its time */
    size_t event_count;
    int64_t presses;   /* events that begin a click, so far ... */
    int64_t dropped;   /* ... and events that did not fit */
    es_clock clock;    /* the loop's */
    int64_t now_ns;    /* when this poll began, ... */
    int64_t before_ns; /* ... and the one before */
    int64_t polls;     /* so far */
    bool quit;         /* the window was closed, or there is no memory for another size */
} demo_input;

/** Begins a poll. */
void demo_input_begin(demo_input *input);

/** The pointer moved, at a time. */
void demo_input_move(demo_input *input, demo_point pointer, int64_t stamp_ns);

/** A button went down or up. */
void demo_input_button(demo_input *input, int button, bool down, int64_t stamp_ns);

/** A key was pressed; one of them clicks where the pointer is. */
void demo_input_key(demo_input *input, char key, int64_t stamp_ns);

/* What a tick has got, with the tick: for a meter. */
typedef struct demo_got {
    es_input_taken taken;
    es_step step;
} demo_got;

/* The events on their way to the ticks of one world. It belongs to the thread of the ticks. */
typedef struct demo_feed {
    es_input ring;
    es_input_event events[DEMO_RING];
} demo_feed;

/** Nothing has happened. */
void demo_feed_init(demo_feed *feed);

/** Takes an event in. */
void demo_feed_push(demo_feed *feed, const es_input_event *event, int64_t now_ns);

/** Gives a tick its events.
 *
 * events: DEMO_RING; receives those that the world looks at. Returns how many.
 * got: DEMO_GOT; filled with those that are worth measuring: clicks, and a motion once, not once
 * for each axis. *got_count: how many. */
int demo_feed_take(demo_feed *feed, const es_step *step, es_input_event *events, demo_got *got,
        int *got_count);

/** Clicks that no tick has had yet. */
int64_t demo_feed_waiting(const demo_feed *feed);

#endif
