/* SPDX-License-Identifier: Zlib
 *
 * input: which events belong to which tick?
 *
 * Every event has a stamp: when it happened. It goes, exactly once and in order, to the first tick
 * not yet run that stands for an instant (es_step.due_ns) at or after the stamp. So a press and a
 * release within one frame are both seen, in the tick or ticks that they belong to, whether the
 * frame runs none, one or many; and after a slow frame the ticks that make up for it get the events
 * of their own times, not all the first.
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
 *   es_loop_ready(&loop, &frame);
 *   es_input_peek(&input, &keys, &newest);                  // for the view only: as of now
 *
 * Where the simulation leads (it runs a tick before the picture of it is due), an event can come
 * too late for the tick of its own time; then a later one gets it, and es_input_taken.missed says
 * so. docs/input.md has the price, by setting, and the formula.
 *
 * Parts that can be left out: a state (what is held, pressed, moved), a meter (how long from event
 * to tick and to picture), a clock (stamps of another clock), a queue (events polled by another
 * thread than that of the ticks).
 *
 * Not for: polling devices, mapping keys to actions, text. adapters/input_*.h fill in events.
 */
#ifndef EVENSTEP_INPUT_H
#define EVENSTEP_INPUT_H

#include "evenstep/frame.h"

/* In place of a device: all of them. */
#define ES_INPUT_ALL UINT16_MAX

/* How many past ticks the ring remembers, to tell how many of them an event came too late for. */
#define ES_INPUT_TICKS 8

/* So many buttons may change in a tick; if more do, the next one has to look at all of them. */
#define ES_INPUT_TURNED 32

/* What happened. */
typedef enum es_input_kind {
    ES_INPUT_PRESS = 0, /* button `code` went down. Repeats of a key that is held change nothing */
    ES_INPUT_RELEASE,   /* and up */
    ES_INPUT_MOVE,      /* axis `code` moved by `value`: a mouse, a wheel */
    ES_INPUT_PLACE,     /* axis `code` is now at `value`: a stick, a pointer */
    ES_INPUT_RESET, /* the device, or ES_INPUT_ALL, has let go of everything: the window lost the
                           focus, the device was unplugged */
    ES_INPUT_LOST,  /* made by the ring where events were refused: nothing is known to be held */
    ES_INPUT_OTHER  /* the program's own; a state does not look at it */
} es_input_kind;

/* One event: 32 bytes. A fixed size, so that a ring of them needs no more memory than it says, and
 * can be moved between threads and written to a file as it is; what does not fit goes to where user
 * points or counts. */
typedef struct es_input_event {
    int64_t stamp_ns; /* when it happened, on the loop's clock */
    uint64_t user;    /* the program's own: handed out as it came in */
    double value;     /* of MOVE and PLACE; whole numbers up to 2^53 add up exactly */
    uint16_t device;  /* the program's number for it; not ES_INPUT_ALL but for RESET */
    uint16_t code;    /* the program's number for the button or the axis */
    es_input_kind kind;
} es_input_event;

/* {0} is the default. Copied by es_input_init. */
typedef struct es_input_config {
    int64_t future_max_ns; /* a stamp may be so long after the instant of es_input_push, for events
                              that are made ahead of time; one further ahead counts as this. 0: no
                              event is stamped later than it was received. Up to 1 h */
    bool soonest; /* whatever the stamp: the first tick not yet run, as where input has no stamps.
                     With a delay younger by up to that, and uneven: see docs/input.md */
} es_input_config;

/* One event as a tick has it. */
typedef struct es_input_taken {
    es_input_event event;
    int64_t tick;     /* es_step.index */
    int64_t due_ns;   /* es_step.due_ns: at or after the stamp, but for what es_input_open says */
    int64_t begun_ns; /* es_step.begun_ns: when it really ran */
    int32_t missed;   /* so many ticks at or after the stamp had run already: 0, none; at most
                         ES_INPUT_TICKS */
} es_input_taken;

/* The ring. Initialise with es_input_init; the marked fields may be read. */
typedef struct es_input {
    es_input_event *events;
    uint32_t capacity;
    uint32_t head;
    uint32_t count; /* read: events that no tick has had yet, an ES_INPUT_LOST among them */
    es_input_config config;
    int64_t tick; /* that is open; -1: none ... */
    int64_t due_ns;
    int64_t begun_ns;
    int64_t limit_ns;                /* ... its events are those up to this ... */
    int64_t overtaken_ns;            /* ... and those after this */
    int64_t dues_ns[ES_INPUT_TICKS]; /* of the ticks before, the newest first */
    int32_t dues;                    /* how many are known */
    bool losing;                     /* the newest in the ring says that events were lost */
    int64_t pushed;                  /* read: events accepted */
    int64_t taken;                   /* read: events handed out, ES_INPUT_LOST left out */
    int64_t lost;                    /* read: events refused, because the ring was full */
    int64_t corrected; /* read: stamps changed: ahead of time, before one of the same device */
    int64_t missed;    /* read: events that came too late for the tick of their time */
} es_input;

/* A button of a state. */
typedef struct es_input_button {
    bool held;         /* after the tick's events */
    bool was_held;     /* before them */
    uint16_t pressed;  /* how often it went down in this tick ... */
    uint16_t released; /* ... and up. They differ by one at most */
} es_input_button;

/* An axis of a state. */
typedef struct es_input_axis {
    double at;    /* where it is: what PLACE said, or all MOVEs together */
    double moved; /* by how much that changed in this tick */
    bool rests;   /* the program sets it: a stick, which RESET and LOST put back to 0 */
} es_input_axis;

/* What is held and what has moved, as of a tick. In the caller's memory, so it can be part of a
 * world and be recorded with it. Initialise with es_input_state_init; all may be read. */
typedef struct es_input_state {
    es_input_button *buttons;
    es_input_axis *axes;
    uint32_t button_count;
    uint32_t axis_count;
    uint16_t device; /* only events of this device count; ES_INPUT_ALL, the default: of any */
    bool edges;      /* anything was pressed, released or moved in this tick */
    int64_t tick;    /* es_step.index */
    uint16_t turned[ES_INPUT_TURNED]; /* buttons whose edges the next tick clears ... */
    uint32_t turned_count;            /* ... more than there is room for: all */
} es_input_state;

/* A span of time over many events, in ms. Percentiles are by nearest rank. */
typedef struct es_input_delay {
    double mean_ms;
    double p50_ms;
    double p95_ms;
    double max_ms;
} es_input_delay;

/* One event on its way to the screen. */
typedef struct es_input_sample {
    int64_t stamp_ns;
    int64_t tick;
    int64_t from_ns;  /* simulated time: pictures past this have some of the tick in them ... */
    int64_t time_ns;  /* ... and from this on all of it */
    int64_t due_ns;   /* instants, on the loop's clock: the tick stands for */
    int64_t begun_ns; /* the tick ran */
    int64_t shows_ns; /* the first picture that has some of it was seen; INT64_MIN: not yet */
    int64_t shown_ns; /* the first that has all of it was seen; INT64_MIN: not yet */
} es_input_sample;

/* How long events take to the screen. Initialise with es_input_meter_init; the totals may be read.
 */
typedef struct es_input_meter {
    es_input_sample *samples;
    size_t capacity;
    size_t next;      /* where the next sample goes */
    size_t count;     /* read: samples kept: at most capacity */
    size_t waiting;   /* the newest so many are not shown whole yet */
    int64_t since_ns; /* earlier stamps are not measured */
    int64_t events;   /* read: events measured in all, those of unseen too */
    int64_t missed;   /* read: of these, came too late for the tick of their time */
    int64_t unseen;   /* read: of these, given up before a picture showed them */
} es_input_meter;

/* What became of the samples kept, as far as it is known. */
typedef struct es_input_summary {
    size_t events;           /* with a picture that shows all of them; the figures are of these */
    es_input_delay to_due;   /* from stamp to the instant that the tick stands for */
    es_input_delay to_tick;  /* from stamp to when the tick ran */
    es_input_delay to_shows; /* from stamp to the first picture that has some of it */
    es_input_delay to_shown; /* from stamp to the first picture that has all of it */
} es_input_summary;

/* How good a stamp is. */
typedef enum es_input_grade {
    ES_INPUT_RECEIVED = 0, /* nobody stamped it: it is when the program learned of it */
    ES_INPUT_GUESSED,      /* another clock's, of which little is known yet */
    ES_INPUT_ESTIMATED,    /* another clock's, by what came from it so far */
    ES_INPUT_EXACT         /* of a clock that is known to be the loop's */
} es_input_grade;

/* What a clock that stamps events is. {0} but for unit_ns. Copied by es_input_clock_init. */
typedef struct es_input_clock_config {
    int64_t unit_ns;       /* what a stamp counts in: 1 000 000 for milliseconds. 1 to 1 s */
    int64_t resolution_ns; /* stamps are whole multiples of this, rounded down; 0: unit_ns. A
                              browser counts in finer units than it tells. Up to 1 s */
    int32_t bits;          /* stamps wrap after so many bits; 0: 64. 16 to 64 */
    bool same;             /* it is the loop's clock: nothing is estimated. unit_ns still counts */
} es_input_clock_config;

/* Initialise with es_input_clock_init; the marked fields may be read. */
typedef struct es_input_clock {
    es_input_clock_config config;
    es_input_grade grade;   /* read */
    int64_t offset_ns;      /* read: the loop's clock less the other one's */
    int64_t samples;        /* read: that it is known from */
    int64_t leaps;          /* read: how often the other clock was found to have been set */
    int64_t last_stamp;     /* the newest, unwrapped, in units ... */
    int64_t received_ns;    /* ... and when that was received */
    int64_t least_ns;       /* least (received - stamp) of this window ... */
    int64_t before_ns;      /* ... and of the window before; INT64_MAX: there was none */
    int64_t window_ns;      /* when this window began */
    int32_t in_window;      /* samples in it */
    int32_t above;          /* samples in a row that were far above the offset ... */
    int64_t above_ns;       /* ... the least of these ... */
    int64_t above_since_ns; /* ... and when the first was received */
} es_input_clock;

/* Events from another thread: one that pushes, one that receives. Initialise with
 * es_input_queue_init; read nothing here. What changes is in the memory. */
typedef struct es_input_queue {
    void *pusher;
    void *receiver;
    es_input_event *events;
    uint32_t capacity;
} es_input_queue;

#ifdef __cplusplus
extern "C" {
#endif

/* --- the ring --------------------------------------------------------------------------------- */

/** Makes an empty ring.
 *
 * input: the caller's memory, any content; not NULL.
 * events: room for capacity of them; not NULL. All but one can be waiting; the last is for
 *   ES_INPUT_LOST. A mouse at 8 kHz fills 400 in 50 ms.
 * capacity: 2 to 1 000 000.
 * config: copied; NULL: the default.
 * error: names the field, or the parameter, when it is refused; may be NULL.
 * Returns: ES_OK, or an error and an unchanged ring.
 * Errors: ES_ERR_INVALID: a NULL, or out of range.
 * Ownership: borrows events until the ring is no longer used.
 * Threads: one thread at a time per ring.
 */
ES_API es_result es_input_init(es_input *input, es_input_event *events, uint32_t capacity,
        const es_input_config *config, es_error *error);

/** Puts an event where it belongs by its stamp: behind all that are not later.
 *
 * Stamps of different devices may come in any order, as long as no tick has had what is later. Of
 * one device the order is that of the calls: a stamp before the last one of it counts as that.
 * When the ring is full the event is refused, and in its place the ring holds one ES_INPUT_LOST,
 * which lets go of everything that is held: so a release that was refused leaves nothing pressed,
 * and one whose press was refused changes nothing. Ask the devices then what is really held, and
 * push that. It takes a few instructions where stamps come in order, and one move for each event
 * that is later.
 * input: initialised.
 * event: copied; not NULL.
 * now_ns: the loop's clock now: no event is later (but see future_max_ns).
 * Returns: ES_OK, or an error and the event not taken.
 * Errors: ES_ERR_SPACE: full; counted in es_input.lost. ES_ERR_INVALID: a NULL, a kind that is none
 *   or ES_INPUT_LOST, a device that is ES_INPUT_ALL (but for RESET), or a value that is no finite
 *   number.
 * Ownership: keeps a copy.
 * Threads: one thread at a time per ring.
 */
ES_API es_result es_input_push(es_input *input, const es_input_event *event, int64_t now_ns);

/** Says that a tick now runs: es_input_next hands out its events. What was not handed out of the
 * tick before goes to this one.
 *
 * Its events are those up to due_ns. One that is stamped more than 0.1 s later than the clock shows
 * (begun_ns, and future_max_ns) was overtaken by a clock that has stepped back: it is the tick's,
 * too.
 * input: initialised.
 * step: from es_loop_tick, or by hand (index, due_ns, begun_ns are looked at); NULL: no tick, all
 *   events that wait are handed out: for a menu, or to throw them away. The game's states do not
 *   see them: push a RESET of all after it, then what is held.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ring.
 */
ES_API void es_input_open(es_input *input, const es_step *step);

/** The next event of the tick that is open.
 *
 * input: initialised.
 * taken: filled when the answer is true; not NULL. Of no tick: tick is -1, due_ns and begun_ns are
 *   the stamp.
 * Returns: true: this event is the tick's, and no other tick's. False: it has no more.
 * Errors: none.
 * Ownership: a copy.
 * Threads: one thread at a time per ring.
 */
ES_API bool es_input_next(es_input *input, es_input_taken *taken);

/** es_input_open and all of es_input_next in one: into a state and a meter.
 *
 * input: initialised.
 * step: as for es_input_open; NULL: this state gets all that wait, the meter nothing.
 * state: as of this tick afterwards; may be NULL.
 * meter: may be NULL.
 * Returns: how many events the tick has.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ring.
 */
ES_API int64_t es_input_tick(
        es_input *input, const es_step *step, es_input_state *state, es_input_meter *meter);

/** An event that no tick has had yet, without taking it.
 *
 * input: initialised.
 * index: from 0, the earliest, to input->count - 1.
 * Returns: the event; NULL beyond the last.
 * Errors: none.
 * Ownership: points into the ring; good until the next call for it.
 * Threads: one thread at a time per ring.
 */
ES_API const es_input_event *es_input_pending(const es_input *input, uint32_t index);

/** The newest state, with the events that no tick has had yet: for the view when drawing, a cursor,
 * the direction of a camera. The simulation must not read it: another run would not see the same.
 *
 * input: initialised.
 * state: as of the newest tick; not NULL.
 * newest: filled: `at` and `held` as of now, `moved`, `pressed` and `released` since that tick.
 *   Another state, with as many buttons and axes; not NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL, the same state twice, or another number of buttons or axes.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per ring and state.
 */
ES_API es_result es_input_peek(
        const es_input *input, const es_input_state *state, es_input_state *newest);

/* --- a state ---------------------------------------------------------------------------------- */

/** Makes a state in which nothing is held and all axes are at 0.
 *
 * state: the caller's memory; not NULL.
 * buttons: button_count of them; may be NULL when that is 0. Codes from there on are passed over.
 * button_count: up to 65 536.
 * axes: axis_count of them; may be NULL when that is 0.
 * axis_count: up to 65 536.
 * Returns: ES_OK, or an error and an unchanged state.
 * Errors: ES_ERR_INVALID: a NULL, or out of range.
 * Ownership: borrows both arrays until the state is no longer used.
 * Threads: one thread at a time per state.
 */
ES_API es_result es_input_state_init(es_input_state *state, es_input_button *buttons,
        uint32_t button_count, es_input_axis *axes, uint32_t axis_count);

/** Begins a tick: nothing is pressed, released or moved in it yet. es_input_tick does it itself.
 *
 * state: initialised.
 * tick: es_step.index.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per state.
 */
ES_API void es_input_state_begin(es_input_state *state, int64_t tick);

/** Takes an event in. es_input_tick does it itself.
 *
 * A press of what is held and a release of what is not change nothing. RESET lets go of all buttons
 * and of the axes that rest, where it is of the state's device or either is of all; LOST, too.
 * state: initialised.
 * event: not NULL.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per state.
 */
ES_API void es_input_state_apply(es_input_state *state, const es_input_event *event);

/** Copies what a state says into another one's memory.
 *
 * to: initialised, with as many buttons and axes; not NULL.
 * from: initialised; not NULL.
 * Returns: ES_OK, or an error and an unchanged state.
 * Errors: ES_ERR_INVALID: a NULL, or another number of buttons or axes.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per state.
 */
ES_API es_result es_input_state_copy(es_input_state *to, const es_input_state *from);

/* --- a meter ---------------------------------------------------------------------------------- */

/** Starts a meter with no samples.
 *
 * meter: the caller's memory; not NULL.
 * samples: capacity of them; not NULL. When full, the oldest give way.
 * capacity: at least 1.
 * Returns: ES_OK, or an error and an unchanged meter.
 * Errors: ES_ERR_INVALID: a NULL, or a capacity of 0.
 * Ownership: borrows samples until the meter is no longer used.
 * Threads: one thread at a time per meter.
 */
ES_API es_result es_input_meter_init(
        es_input_meter *meter, es_input_sample *samples, size_t capacity);

/** Takes an event in that a tick has got. es_input_tick does it itself.
 *
 * A tick number before the last one's (a seek back) gives up what waits for a picture.
 * meter: initialised.
 * taken: from es_input_next; not NULL. ES_INPUT_LOST, and what went to no tick, is passed over.
 * step: the tick; not NULL.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per meter.
 */
ES_API void es_input_meter_take(
        es_input_meter *meter, const es_input_taken *taken, const es_step *step);

/** Says that a picture was seen: the events in it are on the screen.
 *
 * A frame after a gap begins anew: what happened before it is not measured.
 * meter: initialised.
 * frame: in order; not NULL. Of a late answer (es_feedback_next) the frame of its report.
 * shown_ns: when it was seen, on the loop's clock: es_frame_report.shown_ns; where nothing better
 *   is known, or a host owns the frames, frame->present_ns.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per meter.
 */
ES_API void es_input_meter_frame(es_input_meter *meter, const es_frame *frame, int64_t shown_ns);

/** Leaves earlier events out: the game was paused, or a level was loaded.
 *
 * meter: initialised.
 * stamp_ns: events before it are not measured, and those that wait for a picture are given up.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per meter.
 */
ES_API void es_input_meter_since(es_input_meter *meter, int64_t stamp_ns);

/** Works out how long events took.
 *
 * meter: initialised.
 * It takes time proportional to n log n of the samples kept.
 * scratch: room for sorting; not NULL.
 * scratch_count: numbers that fit; at least meter->count.
 * summary: filled; all 0 where no event has been shown; not NULL.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_SPACE: scratch is too small.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per meter.
 */
ES_API es_result es_input_meter_summarise(const es_input_meter *meter, double *scratch,
        size_t scratch_count, es_input_summary *summary);

/* --- stamps of another clock ------------------------------------------------------------------ */

/** Prepares for the stamps of a clock.
 *
 * clock: the caller's memory; not NULL.
 * config: copied; not NULL.
 * error: names the field, or the parameter, when it is refused; may be NULL.
 * Returns: ES_OK, or an error and an unchanged clock.
 * Errors: ES_ERR_INVALID: a NULL, or a field out of its range.
 * Ownership: keeps nothing of the caller's.
 * Threads: one thread at a time per clock.
 */
ES_API es_result es_input_clock_init(
        es_input_clock *clock, const es_input_clock_config *config, es_error *error);

/** A reading of the other clock, at an instant of the loop's: for clocks that can be read, before
 * the first event and once a second or so. Not needed where events come often.
 *
 * clock: initialised.
 * stamp: the other clock now.
 * now_ns: the loop's clock, read right after it.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 */
ES_API void es_input_clock_read(es_input_clock *clock, uint64_t stamp, int64_t now_ns);

/** When an event happened, on the loop's clock.
 *
 * An event is never received before it happened, so of all (received - stamp) the least is nearest
 * to what the clocks are apart. It is taken over the last 5 to 10 s (and at least 32 events each):
 * so a clock that drifts is followed, at 50 ppm to within 0.5 ms and the resolution; what was known
 * before a silence counts as older by 50 ppm of that. One that was set by more than
 * 0.25 s is found out at once if it was set ahead, else after eight events and 0.5 s. A stamp was
 * rounded down, so half of its resolution is added.
 * clock: initialised.
 * stamp: of the event, as it came; of the bits that it has.
 * received_ns: the loop's clock when the program got it.
 * Returns: an instant, never after received_ns.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per clock.
 * Source: the lower envelope of one-way delays, as in clock filters of network time protocols
 *   (RFC 5905, 10: the sample of least delay is the best).
 */
ES_API int64_t es_input_clock_convert(es_input_clock *clock, uint64_t stamp, int64_t received_ns);

/* --- events from another thread --------------------------------------------------------------- */

/** How much memory a queue needs.
 *
 * capacity: events, a power of two from 2 to 65 536.
 * Returns: bytes; 0 for another capacity.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_input_queue_size(uint32_t capacity);

/** Makes an empty queue.
 *
 * queue: the caller's; not NULL.
 * capacity: as for es_input_queue_size. All but one can be waiting.
 * memory: at any address; not NULL.
 * memory_size: at least es_input_queue_size(capacity).
 * error: names the parameter when it is refused; may be NULL.
 * Returns: ES_OK, or an error and an unusable queue.
 * Errors: ES_ERR_INVALID: a NULL, or a capacity out of range or no power of two. ES_ERR_SPACE:
 *   memory_size is too small.
 * Ownership: borrows memory until neither side uses the queue any more.
 * Threads: one thread, before the two sides start.
 */
ES_API es_result es_input_queue_init(es_input_queue *queue, uint32_t capacity, void *memory,
        size_t memory_size, es_error *error);

/** The pusher's: hands an event over. When the queue is full, as es_input_push: the event is
 * refused, and one ES_INPUT_LOST is in its place.
 *
 * queue: initialised.
 * event: copied; not NULL.
 * now_ns: the loop's clock now: an event that is later counts as this.
 * Returns: ES_OK, or an error and the event not taken.
 * Errors: ES_ERR_SPACE: full. ES_ERR_INVALID: as es_input_push.
 * Ownership: keeps a copy.
 * Threads: the pusher's. Wait-free. Several threads that poll have a queue each; the ring sorts.
 * Source: a ring with one writer of each index, as is common: src/input_queue.c.
 */
ES_API es_result es_input_queue_push(
        es_input_queue *queue, const es_input_event *event, int64_t now_ns);

/** The receiver's: moves what has come into a ring, as far as that has room.
 *
 * queue: initialised.
 * input: the receiver's ring; not NULL. What does not fit stays in the queue.
 * Returns: how many events were moved.
 * Errors: none; 0 for a NULL.
 * Ownership: keeps nothing.
 * Threads: the receiver's. Wait-free: at most a queue full of events.
 */
ES_API uint32_t es_input_queue_receive(es_input_queue *queue, es_input *input);

/** The receiver's: how many events the queue has refused.
 *
 * queue: initialised.
 * Returns: in total, as the pusher said last; counted modulo 2^32.
 * Errors: none; 0 for NULL.
 * Ownership: a plain value.
 * Threads: either side's.
 */
ES_API uint32_t es_input_queue_lost(const es_input_queue *queue);

#ifdef __cplusplus
}
#endif

#endif
