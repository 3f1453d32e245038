/* SPDX-License-Identifier: Zlib
 *
 * input: gives each event to exactly one tick, in order.
 *
 * Every event has a stamp: when it happened, in ns on the loop's clock. It goes to the first tick
 * not yet run whose instant (es_step.due_ns) is at or after the stamp. A press and a release within
 * one frame are both seen, whether the frame runs no tick, one or many. After a slow frame each
 * tick that catches up gets the events of its own time.
 *
 *   es_input *input = es_input_create(NULL);                 // adapters/es_*.h do all of this
 *   while (es_loop_next(loop, &frame)) {
 *       while (SDL_PollEvent(&event)) {
 *           if (event.type == SDL_KEYDOWN || event.type == SDL_KEYUP) {
 *               bool down = event.type == SDL_KEYDOWN;
 *               es_input_button(input, event.key.keysym.scancode, down, es_now_ns());
 *           }
 *       }
 *       for (int i = 0; i < frame.ticks; ++i) {
 *           es_step step = es_frame_step(&frame, i);
 *           es_input_tick(input, &step);
 *           jump(es_input_pressed(input, SDL_SCANCODE_SPACE));
 *       }
 *   }
 *
 * es_now_ns() is when the program polled. es_input_at needs the event's own time: es_input_stamp.
 *
 * For each further player make another es_input, and push by es_input_event.device. It does not
 * poll devices, map keys to actions or handle text.
 *
 * Defaults. Threads: one thread may push, convert stamps and measure, another may run the ticks;
 * neither waits for the other. "Pushing thread" marks the functions of the first. Allocation: only
 * es_input_create. Errors: false or NULL, then nothing has changed, and es_get_error tells why. A
 * NULL input: the function does nothing and returns 0.
 */
#ifndef EVENSTEP_INPUT_H
#define EVENSTEP_INPUT_H

#include "evenstep/evenstep.h"

typedef struct es_input es_input;
typedef struct es_input_config es_input_config; /* these structs: below the functions */
typedef struct es_input_event es_input_event;

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an es_input without events. config: NULL: the default. */
ES_API es_input *es_input_create(const es_input_config *config);
ES_API void es_input_destroy(es_input *input);

/* --- pushing thread --------------------------------------------------------------------------- */

/* Adds an event. Pushing thread.
 *
 * Devices may push in any order. Within one device the order of the calls counts: a stamp before
 * that of a waiting event of the device is set to that one.
 * Returns: false also when too many events wait. Then one ES_INPUT_LOST takes the place of all that
 *   are refused, so a lost release leaves no button down. Query the devices and push what is held.
 */
ES_API bool es_input_push(es_input *input, const es_input_event *event);

/* Adds a PRESS or a RELEASE of device 0. Pushing thread. */
ES_API bool es_input_button(es_input *input, int32_t code, bool down, int64_t stamp_ns);

/* Adds a MOVE of device 0. Pushing thread. */
ES_API bool es_input_move(es_input *input, int32_t axis, double by, int64_t stamp_ns);

/* Converts a stamp of config.stamps to the loop's clock. Pushing thread.
 *
 * The offset is the least (now - stamp) of the last 5 to 10 s, because no event is received before
 * it happened. It follows a drift of 50 ppm to within 0.5 ms and the resolution. A clock set ahead
 * by over 0.25 s is found at once, one set back after eight events and 0.5 s. Half of the
 * resolution is added. Where the other clock can be read, convert its reading once a frame.
 * now_ns: the loop's clock when the program received the event. The result is never later.
 * Source: the clock filter of the network time protocol (RFC 5905, 10): the sample with the least
 *   delay is the best.
 */
ES_API int64_t es_input_stamp(es_input *input, uint64_t stamp, int64_t now_ns);

/* Reports that a frame was seen, in order, to measure delays. Pushing thread. After a gap, events
 * from before the frame are not measured.
 *
 * frame: NULL: forgets all figures, and ignores events stamped before shown_ns: after a pause.
 * shown_ns: when it was seen: es_report.shown_ns, else frame->present_ns.
 */
ES_API void es_input_frame(es_input *input, const es_frame *frame, int64_t shown_ns);

/* --- thread of the ticks ---------------------------------------------------------------------- */

/* Takes a tick's events: what follows is as of this tick. A stamp over 0.1 s after begun_ns shows
 * that the clock was set since, so the tick takes that event, too.
 *
 * step: NULL: no tick; takes all waiting events, for a menu in a pause. What is held stays held.
 * Returns: how many events.
 */
ES_API int32_t es_input_tick(es_input *input, const es_step *step);

/* Fills event with the tick's next event, in order; false: there are no more. */
ES_API bool es_input_next(es_input *input, es_input_event *event);

/* Returns how often the button went down in this tick. */
ES_API int32_t es_input_pressed(const es_input *input, int32_t code);

/* Returns how often the button went up in this tick. */
ES_API int32_t es_input_released(const es_input *input, int32_t code);

/* Returns whether the button is down at the end of this tick. */
ES_API bool es_input_held(const es_input *input, int32_t code);

/* Returns where the axis is: the last PLACE and all MOVEs since. */
ES_API double es_input_value(const es_input *input, int32_t axis);

/* Returns by how much the axis changed in this tick. */
ES_API double es_input_moved(const es_input *input, int32_t axis);

/* Returns the axis as of now, waiting events included: for a cursor or a camera direction when
 * drawing. It is the newest, but uneven: frames poll at uneven times before they are seen, and
 * events come late. No tick may read it, because a replay would not see the same. */
ES_API double es_input_peek(es_input *input, int32_t axis);

/* Returns the axis at an instant, on the straight line between the events around it, also waiting
 * ones. Not for ticks either: a tick that needs what a frame showed gets it as recorded input
 * (examples/24_mouse_look.c). Events over 20 ms apart are no motion: the earlier value holds.
 *
 * instant_ns: on the loop's clock, as es_input_view_ns. Long past: the oldest value that is kept;
 *   about as many events are kept as may wait. After the newest event: its value.
 * input NULL, no such axis: 0.
 * ahead_ns: how far after that it goes on at the speed of the last two, at most 8 ms and half the
 *   time between them, then back; 0: not at all. For touch, with an instant so much later.
 * Source of the limits: Android's InputConsumer.
 */
ES_API double es_input_at(es_input *input, int32_t axis, int64_t instant_ns, int64_t ahead_ns);

/* Returns the newest instant that frames can show evenly by es_input_at: a fixed time before
 * present_ns. Once per frame, after polling.
 *
 * That time is measured: the 99.5th percentile, over the last 256 frames while the hand moved, of
 * the time from the newest event to present_ns. It is about what a frame takes to the screen, one
 * event interval and the lateness of events. Changes are spread: 1/64 of each frame. Until something
 * has moved: when the frame began. Where present_ns goes back, the instant stays, up to present_ns.
 * input or frame NULL: 0.
 */
ES_API int64_t es_input_view_ns(es_input *input, const es_frame *frame);

/* Writes what is down and has moved as of this tick, for a recording or the network, without
 * ES_INPUT_OTHER. Returns the bytes that it needs; over size: they are not complete. */
ES_API size_t es_input_save(const es_input *input, void *bytes, size_t size);

/* Puts saved bytes in place of this tick's input. false: they do not fit this es_input. */
ES_API bool es_input_load(es_input *input, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

/* A device number that means all devices. */
#define ES_INPUT_ALL UINT16_MAX

/* What happened. */
typedef enum es_input_kind {
    ES_INPUT_PRESS = 0, /* button `code` went down; a repeat while it is down changes nothing */
    ES_INPUT_RELEASE,   /* button `code` went up */
    ES_INPUT_MOVE,      /* axis `code` moved by `value`: a mouse, a wheel */
    ES_INPUT_PLACE,     /* axis `code` is now at `value`: a stick, a pointer */
    ES_INPUT_RESET,     /* everything of the device is up: focus lost, device unplugged */
    ES_INPUT_LOST,      /* made by es_input where events were refused: everything is up */
    ES_INPUT_OTHER      /* the program's own, for es_input_next; changes no button and no axis */
} es_input_kind;

/* One event. */
typedef struct es_input_event {
    int64_t stamp_ns; /* when it happened; ES_UNKNOWN_NS: the next tick gets it */
    uint64_t user;    /* the program's own; returned unchanged */
    double value;     /* of MOVE and PLACE; whole numbers up to 2^53 add up exactly */
    uint16_t device;  /* the program's number for it; ES_INPUT_ALL only with RESET */
    uint16_t code;    /* the program's number for the button or the axis */
    es_input_kind kind;
    int64_t delay_ns; /* set by es_input_next: the tick's es_step.due_ns less stamp_ns, at least 0: below
                         the ticks' period if the tick is the event's own, else the tick had run
                         already. 0 without a stamp or a tick. es_input_push ignores it */
} es_input_event;

/* The clock that stamps events, for es_input_stamp. {0}: the loop's clock, in ns. */
typedef struct es_input_stamps {
    int64_t unit_ns;       /* nanoseconds per count, up to 1 s; 0: 1 */
    int64_t resolution_ns; /* stamps are rounded down to multiples of this, up to 1 s; 0: unit_ns */
    int32_t bits;          /* stamps wrap after this many bits, 16 to 64; 0: 64 */
    bool other; /* not the loop's clock: the offset is estimated from when events are received */
} es_input_stamps;

typedef struct es_input_config {
    int32_t buttons;  /* codes from 0, up to 65 535; others are ignored. 0: 512 */
    int32_t axes;     /* the same of axes. 0: 8 */
    int32_t events;   /* that can wait, up to 65 535. 0: 4096. A mouse at 8 kHz: 4000 in 250 ms */
    int32_t measured; /* events whose delays es_input_status tells, up to 65 535. 0: none */
    uint64_t rests;   /* bit n: RESET and LOST move axis n to 0 (a stick) */
    es_input_stamps stamps;
} es_input_config;

/* Delays of many events. Percentiles by nearest rank. */
typedef struct es_input_delay {
    double mean_ms, p50_ms, p95_ms, max_ms;
} es_input_delay;

typedef struct es_input_status {
    int64_t lost;   /* events refused because too many waited, since es_input_create */
    int64_t events; /* events measured ... */
    int64_t missed; /* ... of these, the tick of their time had run already */
    /* The delays of the newest events that were shown whole, from their stamps. */
    int64_t shown;           /* how many; 0: the delays are 0 */
    es_input_delay to_tick;  /* to when the tick ran */
    es_input_delay to_shows; /* to the first frame with a part of the tick */
    es_input_delay to_shown; /* to the first frame with all of the tick */
} es_input_status;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns counts and delays, in O(n log n) of config.measured. Pushing thread. */
ES_API es_input_status es_input_get_status(es_input *input);

#ifdef __cplusplus
}
#endif

#endif
