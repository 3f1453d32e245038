/* SPDX-License-Identifier: Zlib
 *
 * input: gives each event to exactly one tick, in order.
 *
 * Every event has a stamp: when it happened. It goes to the first tick not yet run whose instant
 * (es_step.due_ns) is at or after the stamp. A press and a release within one frame are both seen,
 * whether the frame runs no tick, one or many. After a slow frame each tick that catches up gets
 * the events of its own time.
 *
 *   es_input_event memory[256];
 *   es_input_button buttons[2][512];
 *   es_input_axis axes[2][4];
 *   es_input_init(&input, memory, 256, NULL, NULL);
 *   es_input_state_init(&keys, buttons[0], 512, axes[0], 4);
 *   es_input_state_init(&newest, buttons[1], 512, axes[1], 4);
 *   ...
 *   es_loop_begin(&loop);
 *   while (poll(&event)) {                                  // adapters/input_*.h
 *       es_input_push(&input, &event, clock.now_ns(clock.user));
 *   }
 *   while (es_loop_tick(&loop, &step)) {
 *       es_input_tick(&input, &step, &keys, NULL);
 *       update(&current, &keys, step.dt_s);
 *   }
 *   es_loop_wait(&loop, &frame);
 *   es_input_peek(&input, &keys, &newest);                  // as of now, for the view only
 *
 * With a lead, ticks run before their frames are drawn, so an event can miss the tick of its time.
 * A later tick gets it, and es_input_taken.missed says so. docs/input.md has the delay by setting.
 *
 * Optional: a state (what is held, pressed, moved), a meter (delay from event to tick and to
 * screen), a clock (stamps of another clock), a queue (events polled by another thread). It does
 * not poll devices, map keys to actions or handle text. adapters/input_*.h fill in events.
 *
 * Defaults. Threads: one thread at a time per object; a queue has one pusher and one receiver.
 * Allocation: none; the caller gives the memory, which must outlive the object. Errors: es_result;
 * on an error nothing changes. ES_ERR_INVALID: a NULL or a value out of range, named in error
 * (which may be NULL) where there is one. Pointers must not be NULL unless the function says so,
 * and objects must be initialised. Functions that return no es_result do not check their pointers.
 */
#ifndef EVENSTEP_INPUT_H
#define EVENSTEP_INPUT_H

#include "evenstep/evenstep.h"

/* A device number that means all devices. */
#define ES_INPUT_ALL UINT16_MAX

/* How many past ticks es_input remembers to count the ticks that an event has missed. */
#define ES_INPUT_TICKS 8

/* What happened. */
typedef enum es_input_kind {
    ES_INPUT_PRESS = 0, /* button `code` went down; a repeat while it is down changes nothing */
    ES_INPUT_RELEASE,   /* button `code` went up */
    ES_INPUT_MOVE,      /* axis `code` moved by `value`: a mouse, a wheel */
    ES_INPUT_PLACE,     /* axis `code` is now at `value`: a stick, a pointer */
    ES_INPUT_RESET,     /* everything of the device is up: focus lost, device unplugged */
    ES_INPUT_LOST,      /* made by es_input where events were refused: everything is up */
    ES_INPUT_OTHER      /* the program's own; a state ignores it */
} es_input_kind;

/* One event: 32 bytes, so that it can cross threads and be written to a file as it is. */
typedef struct es_input_event {
    int64_t stamp_ns; /* when it happened, on the loop's clock */
    uint64_t user;    /* the program's own; returned unchanged */
    double value;     /* of MOVE and PLACE; whole numbers up to 2^53 add up exactly */
    uint16_t device;  /* the program's number for it; ES_INPUT_ALL only with RESET */
    uint16_t code;    /* the program's number for the button or the axis */
    es_input_kind kind;
} es_input_event;

/* {0} is the default. */
typedef struct es_input_config {
    bool soonest; /* ignore stamps: the first tick not yet run. With a delay this is up to that much
                     faster, and uneven (docs/input.md) */
} es_input_config;

/* One event as a tick has it. */
typedef struct es_input_taken {
    es_input_event event;
    int64_t tick;     /* es_step.index */
    int64_t due_ns;   /* es_step.due_ns: at or after the stamp, except as es_input_open says */
    int64_t begun_ns; /* es_step.begun_ns: when the tick ran */
    int32_t missed;   /* ticks at or after the stamp that had run already: 0 to ES_INPUT_TICKS */
} es_input_taken;

/* Events that wait for their tick. Fields marked "read" may be read, the others are private. */
typedef struct es_input {
    es_input_event *events;
    uint32_t capacity, head;
    uint32_t count; /* read: waiting events, an ES_INPUT_LOST among them */
    es_input_config config;
    int64_t tick; /* the open tick; -1: none */
    int64_t due_ns, begun_ns;
    int64_t limit_ns;                /* the open tick takes stamps up to this */
    int64_t overtaken_ns;            /* and stamps after this */
    int64_t dues_ns[ES_INPUT_TICKS]; /* due times of earlier ticks, the newest first */
    int32_t dues;                    /* how many of them are known */
    bool losing;                     /* the newest event is an ES_INPUT_LOST */
    int64_t pushed;                  /* read: accepted events */
    int64_t taken;                   /* read: events given to ticks, without ES_INPUT_LOST */
    int64_t lost;                    /* read: events refused because the ring was full */
    int64_t corrected; /* read: changed stamps: in the future, or before one of the same device */
    int64_t missed;    /* read: events that were too late for the tick of their time */
} es_input;

/* A button of a state. pressed and released differ by at most 1. */
typedef struct es_input_button {
    bool held;         /* after the tick's events */
    bool was_held;     /* before them */
    uint16_t pressed;  /* how often it went down in this tick */
    uint16_t released; /* how often it went up in this tick */
} es_input_button;

/* An axis of a state. */
typedef struct es_input_axis {
    double at;    /* the last PLACE and all MOVEs since */
    double moved; /* by how much `at` changed in this tick */
    bool rests;   /* set by the program: RESET and LOST move it to 0 (a stick) */
} es_input_axis;

/* What is held and what has moved, as of a tick. All fields may be read. Its arrays can be part of
 * a world and be recorded with it. */
typedef struct es_input_state {
    es_input_button *buttons;
    es_input_axis *axes;
    uint32_t button_count, axis_count;
    uint16_t device; /* only events of this device count; default ES_INPUT_ALL: of any device */
    bool edges;      /* anything was pressed, released or moved in this tick */
    int64_t tick;    /* es_step.index */
} es_input_state;

/* Delays of many events. Percentiles by nearest rank. */
typedef struct es_input_delay {
    double mean_ms, p50_ms, p95_ms, max_ms;
} es_input_delay;

/* One event on its way to the screen. Instants are on the loop's clock. */
typedef struct es_input_sample {
    int64_t stamp_ns, tick;
    int64_t from_ns;  /* simulated time: content after this shows a part of the tick */
    int64_t time_ns;  /* simulated time: content from this on shows all of the tick */
    int64_t due_ns;   /* the tick's instant */
    int64_t begun_ns; /* when the tick ran */
    int64_t shows_ns; /* the first frame with a part of it was seen; INT64_MIN: not yet */
    int64_t shown_ns; /* the first frame with all of it was seen; INT64_MIN: not yet */
} es_input_sample;

/* Measures how long events take to the screen. */
typedef struct es_input_meter {
    es_input_sample *samples;
    size_t capacity;
    size_t next;      /* where the next sample goes */
    size_t count;     /* read: samples kept, at most capacity */
    size_t waiting;   /* the newest of them that are not shown whole yet */
    int64_t since_ns; /* earlier stamps are not measured */
    int64_t events;   /* read: measured events in total, the unseen among them */
    int64_t missed;   /* read: of these, too late for the tick of their time */
    int64_t unseen;   /* read: of these, given up before a frame showed them */
} es_input_meter;

/* The delays of the samples kept, each from the stamp. */
typedef struct es_input_summary {
    size_t events;           /* samples that were shown whole; the figures are of these */
    es_input_delay to_due;   /* to the tick's instant */
    es_input_delay to_tick;  /* to when the tick ran */
    es_input_delay to_shows; /* to the first frame with a part of the tick */
    es_input_delay to_shown; /* to the first frame with all of the tick */
} es_input_summary;

/* How good a stamp is. */
typedef enum es_input_grade {
    ES_INPUT_RECEIVED = 0, /* no stamp: the time when the program received the event */
    ES_INPUT_GUESSED,      /* from another clock, estimated from few samples */
    ES_INPUT_ESTIMATED,    /* from another clock, estimated from enough samples */
    ES_INPUT_EXACT         /* from the loop's own clock */
} es_input_grade;

/* Describes a clock that stamps events. {0} but for unit_ns. */
typedef struct es_input_clock_config {
    int64_t unit_ns;       /* nanoseconds per count: 1 000 000 for milliseconds. 1 to 1 s */
    int64_t resolution_ns; /* stamps are rounded down to multiples of this; 0: unit_ns. Up to 1 s */
    int32_t bits;          /* stamps wrap after this many bits, 16 to 64; 0: 64 */
    bool same;             /* it is the loop's clock: nothing is estimated; unit_ns still counts */
} es_input_clock_config;

/* Converts the stamps of another clock. */
typedef struct es_input_clock {
    es_input_clock_config config;
    es_input_grade grade;             /* read */
    int64_t offset_ns;                /* read: the loop's clock less the other one */
    int64_t samples;                  /* read: samples that the offset is estimated from */
    int64_t leaps;                    /* read: how often the other clock was set */
    int64_t last_stamp, received_ns;  /* the newest stamp, unwrapped, in units; when it came */
    int64_t least_ns;                 /* least (received - stamp) of this window */
    int64_t before_ns;                /* the same of the window before; INT64_MAX: there was none */
    int64_t window_ns;                /* when this window began */
    int32_t in_window;                /* samples in this window */
    int32_t above;                    /* samples in a row far above the offset */
    int64_t above_ns, above_since_ns; /* the least of these; when the first was received */
} es_input_clock;

/* Carries events from the thread that polls to the thread of the ticks. All fields are private. */
typedef struct es_input_queue {
    void *pusher, *receiver;
    es_input_event *events;
    uint32_t capacity;
} es_input_queue;

#ifdef __cplusplus
extern "C" {
#endif

/* --- events and ticks ------------------------------------------------------------------------- */

/** Makes an es_input without events.
 *
 * events: room for capacity events, 2 to 1 000 000, one of them for an ES_INPUT_LOST. A mouse at
 *   8 kHz makes 400 in 50 ms.
 * config: NULL: the default.
 */
ES_API es_result es_input_init(es_input *input, es_input_event *events, uint32_t capacity,
        const es_input_config *config, es_error *error);

/** Adds an event, sorted by stamp, behind those with the same stamp.
 *
 * Devices may push in any order. Within one device the order of the calls counts: a stamp before
 * the device's last stamp is set to that one. The cost is one move per waiting event that is later.
 * event: copied. Its kind is not ES_INPUT_LOST; its value is finite.
 * now_ns: the loop's clock now; a later stamp is set to this.
 * Errors: ES_ERR_SPACE: the ring is full. One ES_INPUT_LOST then waits in place of all events that
 *   were refused, so a lost release leaves no button pressed. Query the devices and push what is
 *   really held.
 */
ES_API es_result es_input_push(es_input *input, const es_input_event *event, int64_t now_ns);

/** Opens a tick: es_input_next returns its events. Events of the tick before that were not taken
 * belong to this one.
 *
 * The tick's events are those with stamps up to due_ns. A stamp over 0.1 s after begun_ns shows
 * that the clock has stepped back since; the tick takes that event, too.
 * step: its index, due_ns and begun_ns count. NULL: no tick; all waiting events are returned, for a
 *   menu or to discard them. Push an ES_INPUT_RESET of all devices after it.
 */
ES_API void es_input_open(es_input *input, const es_step *step);

/** Takes the next event of the open tick; returns false when it has no more. Outside of a tick,
 * taken->tick is -1, and its due_ns and begun_ns are the stamp. */
ES_API bool es_input_next(es_input *input, es_input_taken *taken);

/** Opens a tick and takes all its events into a state and a meter. Returns their number.
 *
 * step: as for es_input_open; NULL: the state gets all waiting events, the meter none.
 * state, meter: may be NULL.
 */
ES_API int64_t es_input_tick(
        es_input *input, const es_step *step, es_input_state *state, es_input_meter *meter);

/** Writes the state as of now: the newest tick's, and the waiting events applied to it.
 *
 * For the view when drawing: a cursor, a camera direction. The simulation must not read it, because
 * a replay would not see the same.
 * newest: another state with as many buttons and axes. Its moved, pressed and released count since
 *   the newest tick.
 */
ES_API es_result es_input_peek(
        const es_input *input, const es_input_state *state, es_input_state *newest);

/** Makes a state with all buttons up and all axes at 0. The counts are up to 65 536; an array may
 * be NULL where its count is 0. Events with larger codes are ignored. */
ES_API es_result es_input_state_init(es_input_state *state, es_input_button *buttons,
        uint32_t button_count, es_input_axis *axes, uint32_t axis_count);

/* --- a meter ---------------------------------------------------------------------------------- */

/** Makes a meter without samples. When all capacity samples, at least 1, are used, the oldest are
 * overwritten. */
ES_API es_result es_input_meter_init(
        es_input_meter *meter, es_input_sample *samples, size_t capacity);

/** Adds an event that a tick has taken. es_input_tick does this itself.
 *
 * A tick before the last one (a seek back) gives up the samples that wait for a frame.
 * taken: from es_input_next. ES_INPUT_LOST and events outside of a tick are ignored.
 */
ES_API void es_input_meter_take(
        es_input_meter *meter, const es_input_taken *taken, const es_step *step);

/** Reports that a frame was seen. After a gap, events from before the frame are not measured.
 *
 * frame: in order. With late feedback (es_feedback_next), the frame of its report.
 * shown_ns: when it was seen, on the loop's clock: es_report.shown_ns, else
 *   frame->present_ns.
 */
ES_API void es_input_meter_frame(es_input_meter *meter, const es_frame *frame, int64_t shown_ns);

/** Ignores events stamped before stamp_ns, and gives up the samples that wait for a frame: after a
 * pause, or when a level was loaded. */
ES_API void es_input_meter_since(es_input_meter *meter, int64_t stamp_ns);

/** Computes the delays of the samples kept, in O(n log n).
 *
 * scratch: room for scratch_count numbers, at least meter->count.
 * summary: all 0 where no event was shown.
 * Errors: ES_ERR_SPACE: scratch is too small.
 */
ES_API es_result es_input_meter_summarise(const es_input_meter *meter, double *scratch,
        size_t scratch_count, es_input_summary *summary);

/* --- stamps of another clock ------------------------------------------------------------------ */

/** Makes a converter for the stamps of a clock. */
ES_API es_result es_input_clock_init(
        es_input_clock *clock, const es_input_clock_config *config, es_error *error);

/** Adds a reading of the other clock. Call it before the first event and about once a second, where
 * the clock can be read and events are rare.
 *
 * stamp: the other clock now.
 * now_ns: the loop's clock, read right after it.
 */
ES_API void es_input_clock_read(es_input_clock *clock, uint64_t stamp, int64_t now_ns);

/** Converts a stamp to the loop's clock. The result is never after received_ns.
 *
 * The offset is the least (received - stamp) of the last 5 to 10 s and at least 32 events per
 * window, because no event is received before it happened. It follows a drift of 50 ppm to within
 * 0.5 ms and the resolution. A clock set ahead by over 0.25 s is found at once, one set back after
 * eight events and 0.5 s. Half of the resolution is added, because stamps are rounded down.
 * stamp: as it came, in units.
 * received_ns: the loop's clock when the program received the event.
 * Source: the clock filter of the network time protocol (RFC 5905, 10): the sample with the least
 *   delay is the best.
 */
ES_API int64_t es_input_clock_convert(es_input_clock *clock, uint64_t stamp, int64_t received_ns);

/* --- events from another thread --------------------------------------------------------------- */

/** Returns the bytes that a queue needs; 0 unless capacity is a power of two from 2 to 65 536. */
ES_API size_t es_input_queue_size(uint32_t capacity);

/** Makes an empty queue, before its two threads use it.
 *
 * capacity: as for es_input_queue_size; one place is kept for an ES_INPUT_LOST.
 * memory: at any address; memory_size: at least es_input_queue_size(capacity).
 * Errors: ES_ERR_SPACE: memory_size is too small. After an error the queue cannot be used.
 */
ES_API es_result es_input_queue_init(es_input_queue *queue, uint32_t capacity, void *memory,
        size_t memory_size, es_error *error);

/** Pushes an event, with the arguments and errors of es_input_push. Wait-free.
 *
 * Threads: the pusher. Give each thread that polls a queue of its own; es_input sorts their events.
 * Source: Lamport's queue with one writer per index (src/input/input_queue.c).
 */
ES_API es_result es_input_queue_push(
        es_input_queue *queue, const es_input_event *event, int64_t now_ns);

/** Moves events from the queue to input until input is full. Returns how many it moved. Wait-free.
 *
 * Threads: the receiver, which is the thread of the ticks.
 */
ES_API uint32_t es_input_queue_receive(es_input_queue *queue, es_input *input);

#ifdef __cplusplus
}
#endif

#endif
