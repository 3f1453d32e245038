/* SPDX-License-Identifier: Zlib
 *
 * The parts of an es_input: the queue between the threads (base/queue.h), waiting events in the
 * order of their stamps (input_ring.c), what is held (input_state.c, input_save.c), axes at an
 * instant (input_view.c), delays (input_meter.c), stamps of another clock (input_clock.c). input.c
 * joins them.
 */
#ifndef ES_INPUT_H
#define ES_INPUT_H

#include "evenstep/input.h"

#include "base/common.h"
#include "base/queue.h"

/* --- waiting events --------------------------------------------------------------------------- */

/* How many past ticks are remembered to count the ticks that an event has missed. */
#define ES__INPUT_TICKS 8

/* The stamp of an event without one: the earliest of all. */
#define ES__STAMP_NONE INT64_MIN

/* One event as a tick has it. */
typedef struct es__input_taken {
    es_input_event event;
    int32_t missed; /* ticks at or after the stamp that had run already: up to ES__INPUT_TICKS */
} es__input_taken;

typedef struct es__input_ring {
    es_input_event *events;
    uint32_t capacity, head;
    uint32_t count; /* waiting events, an ES_INPUT_LOST among them */
    uint32_t kept;  /* taken by the open tick: they lie before head */
    uint32_t past;  /* taken since the start, and not overwritten yet: they lie before head, too */
    bool is_open;   /* a tick, of this: */
    int64_t due_ns, begun_ns;
    int64_t limit_ns;                 /* it takes stamps up to this */
    int64_t overtaken_ns;             /* and stamps after this */
    int64_t dues_ns[ES__INPUT_TICKS]; /* due times of earlier ticks, the newest first */
    int32_t dues;                     /* how many of them are known */
} es__input_ring;

void es__input_ring_init(es__input_ring *ring, es_input_event *events, uint32_t capacity);

/* There is space. */
void es__input_ring_put(es__input_ring *ring, const es_input_event *event);

/* step NULL: all waiting events are taken. */
void es__input_ring_open(es__input_ring *ring, const es_step *step);

bool es__input_ring_next(es__input_ring *ring, es__input_taken *taken);

/* Event i: 0 is the earliest that waits, -1 the last that was taken; NULL beyond those that are
 * there. Valid until the next call. */
const es_input_event *es__input_ring_event(const es__input_ring *ring, int64_t i);

/* Where the axis of the last taken event was before it: kept, as bits, in the event's delay_ns. */
void es__input_ring_remember(es__input_ring *ring, double before);

/* From the stamp of such an event to the instant of the open tick. */
int64_t es__input_ring_delay(const es__input_ring *ring, const es_input_event *event);

/* --- what is held ----------------------------------------------------------------------------- */

/* pressed and released differ by at most 1. */
typedef struct es__button {
    bool held;
    uint16_t pressed, released; /* in this tick */
    uint16_t device;            /* the last that pressed it */
} es__button;

typedef struct es__axis {
    double at;
    double moved; /* in this tick */
    uint16_t device;
    bool rests;
} es__axis;

typedef struct es__state {
    es__button *buttons;
    es__axis *axes;
    int32_t button_count, axis_count;
    bool edges; /* anything was pressed, released or moved in this tick */
} es__state;

void es__state_begin(es__state *state); /* of a tick */

/* A press of a held button and a release of one that is up change nothing. */
void es__state_apply(es__state *state, const es_input_event *event);

/* The axis' value after an event of it or a reset. */
double es__axis_after(const es__axis *axis, double at, const es_input_event *event);

/* es_input_save and es_input_load. */
size_t es__state_save(const es__state *state, unsigned char *bytes, size_t size);
bool es__state_load(es__state *state, const unsigned char *bytes, size_t size);

/* --- an axis at an instant -------------------------------------------------------------------- */

/* es_input_at. axis: its state as of the last tick. */
double es__axis_at(const es__input_ring *ring, const es__axis *axis, int32_t code,
        int64_t instant_ns, int64_t ahead_ns);

enum { ES__VIEW_FRAMES = 256, ES__VIEW_EVENTS = 64 };

typedef struct es__view {
    /* From the newest event to when the frame is seen: frames while the hand moved, a ring. */
    double before_ns[ES__VIEW_FRAMES];
    int64_t count;                      /* of these, since the start */
    double between_ns[ES__VIEW_EVENTS]; /* from one event to the next, of the first ones */
    int64_t events;                     /* of these */
    double usual_ns;                    /* the device's event interval; 0: not known yet */
    double wanted_ns, held_ns;          /* the fixed time: as measured, as used */
    int64_t newest_ns;                  /* the newest stamp; INT64_MIN: none */
    int64_t present_ns; /* of the frame that saw nothing later; INT64_MIN: counted */
    int64_t instant_ns; /* of the frame before; INT64_MIN: none */
} es__view;

/* es_input_view_ns. */
int64_t es__view_instant(es__view *view, const es__input_ring *ring, const es_frame *frame);

/* --- delays ----------------------------------------------------------------------------------- */

/* One event on its way to the screen. Instants are on the loop's clock. */
typedef struct es__sample {
    int64_t stamp_ns, tick;
    int64_t from_ns;  /* simulated time: content after this shows a part of the tick */
    int64_t time_ns;  /* simulated time: content from this on shows all of the tick */
    int64_t begun_ns; /* when the tick ran */
    int64_t shows_ns; /* the first frame with a part of it was seen; INT64_MIN: not yet */
    int64_t shown_ns; /* the first frame with all of it was seen; INT64_MIN: not yet */
    bool missed;      /* a tick at or after the stamp had run already */
} es__sample;

typedef struct es__meter {
    es__sample *samples; /* a ring in the order of their ticks */
    double *scratch;     /* capacity numbers */
    size_t capacity;
    size_t next;      /* where the next sample goes */
    size_t count;     /* samples kept, at most capacity */
    size_t waiting;   /* the newest of them that are not shown whole yet */
    int64_t since_ns; /* earlier stamps are not measured */
    int64_t events, missed;
} es__meter;

void es__meter_init(
        es__meter *meter, es__sample *samples, double *scratch, size_t capacity, int64_t since_ns);

/* The sample of an event that a tick has taken; false: it is not measured. */
bool es__sample_make(es__sample *sample, const es__input_taken *taken, const es_step *step);

/* Adds a sample. One of a tick before the last one (a seek back) gives up those that wait. */
void es__meter_take(es__meter *meter, const es__sample *sample);

void es__meter_frame(es__meter *meter, const es_frame *frame, int64_t shown_ns);

/* Fills in all but lost. */
void es__meter_status(const es__meter *meter, es_input_status *status);

/* --- stamps of another clock ------------------------------------------------------------------ */

typedef struct es__stamps {
    es_input_stamps config;
    int64_t offset_ns;                /* the loop's clock less the other one */
    int64_t samples;                  /* that the offset is estimated from */
    int64_t leaps;                    /* how often the other clock was set */
    int64_t last_stamp, received_ns;  /* the newest stamp, unwrapped, in units; when it came */
    int64_t least_ns;                 /* least (received - stamp) of this window */
    int64_t before_ns;                /* the same of the window before; INT64_MAX: there was none */
    int64_t window_ns;                /* when this window began */
    int32_t in_window;                /* samples in this window */
    int32_t above;                    /* samples in a row far above the offset */
    int64_t above_ns, above_since_ns; /* the least of these; when the first was received */
} es__stamps;

es_result es__stamps_init(es__stamps *stamps, const es_input_stamps *config, es__error *error);
int64_t es__stamps_convert(es__stamps *stamps, uint64_t stamp, int64_t received_ns);

#endif
