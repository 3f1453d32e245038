/* SPDX-License-Identifier: Zlib
 *
 * machine: a simulated computer on which loops run: a clock, costs, sleeps, a screen.
 *
 * A loop under test calls, per frame:
 *
 *   lab_now          read the clock
 *   lab_poll         sample the input
 *   lab_tick         run one update
 *   lab_sleep_until  or lab_sleep, lab_wait_until
 *   lab_show         render, submit, present
 *
 * Two times: true time (of the display, what results are measured in) and the program's clock,
 * which is skewed, noisy and sometimes wrong. Loops see only the clock. It also has the thread's
 * CPU time, which counts updates, rendering, spinning and clock readings, not waiting.
 *
 * A loop may have a second thread (lab_worker), on a core of its own. It is stepped while time
 * passes for the first thread: while that one works, sleeps or is blocked in present.
 *
 * Nothing is allocated. A machine may not be used by two threads at once.
 */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H

#include "lab/display.h"
#include "lab/scenario.h"

#include "evenstep/clock.h"

/* What a frame shows, as its loop reports it. */
typedef struct lab_content {
    int64_t content_ns;     /* C: the simulated instant it shows, counted from the loop's start */
    double alpha;           /* between two ticks; 1: the newer as it is. For the input's age */
    int32_t ticks_back;     /* how many ticks the newer of the two is older than the newest */
    bool live;              /* simulated by this frame itself: its input is the one polled last */
    int64_t interval_ns;    /* intended since the frame before; 0: the loop has no intention */
    int64_t dropped_ns;     /* lost by this frame, as the loop reports it */
    int64_t slow_motion_ns; /* slow motion in this frame */
    int64_t stretched_ns;   /* by how much its steps were longer than a period */
    int64_t short_ns;       /* how much later its instant would be if all its ticks had run */
} lab_content;

/* One frame as it happened. True times. */
typedef struct lab_frame {
    int64_t index;
    int64_t begin_ns;    /* the loop began the frame */
    int64_t render_ns;   /* rendering began */
    int64_t submit_ns;   /* rendering was over */
    int64_t return_ns;   /* present returned */
    int64_t shown_ns;    /* D: it was seen */
    int64_t content_ns;  /* C */
    int64_t input_ns;    /* when the newest input in it was sampled, blended as the frame is */
    int64_t interval_ns; /* intended; 0: none */
    int64_t short_ns;    /* as in lab_content */
    double alpha;
    int32_t ticks;      /* run for it; by another thread: since the frame before */
    int32_t refreshes;  /* since the flip before; over 1: a refresh was missed. 0: not fixed */
    int64_t refresh_ns; /* fixed: the refresh period at its flip; else 0 */
    bool disturbed;     /* an incident or a change of the screen happened in it, or in a frame that
                           it replaces */
    bool reappears;     /* the window was hidden before it: nobody saw the step to it */
} lab_frame;

typedef enum lab_event_kind {
    LAB_EVENT_FRAME,       /* a frame begins */
    LAB_EVENT_POLL,        /* input is sampled */
    LAB_EVENT_UPDATE,      /* a tick begins; value: its time (end of the step) */
    LAB_EVENT_UPDATE_DONE, /* it is over; value: the same */
    LAB_EVENT_WAIT,        /* updates are done; the loop may wait from here on */
    LAB_EVENT_RENDER,      /* rendering begins; content is set; value: its instant */
    LAB_EVENT_SUBMIT,      /* rendering is over */
    LAB_EVENT_RETURN,      /* present has returned; record is set, complete */
    LAB_EVENT_FLIP         /* comes before RETURN; the frame is seen at time_ns, earlier or later */
} lab_event_kind;

typedef struct lab_event {
    lab_event_kind kind;
    int64_t frame;              /* number of the frame it belongs to */
    int64_t time_ns;            /* true time */
    int64_t value_ns;           /* see kind; else 0 */
    const lab_content *content; /* LAB_EVENT_RENDER; else NULL */
    const lab_frame *record;    /* LAB_EVENT_RETURN; else NULL */
} lab_event;

/* on_event may be NULL. */
typedef struct lab_observer {
    void (*on_event)(void *user, const lab_event *event);
    void *user;
} lab_observer;

/* Receives finished frames, without those that mailbox replaced. */
typedef struct lab_sink {
    void (*on_frame)(void *user, const lab_frame *frame);
    void *user;
} lab_sink;

typedef struct lab_machine_config {
    lab_display display;
    lab_scenario scenario;
    es_rate tick_rate;   /* costs in LAB_UNIT_TICK refer to it, and lab_tick's times; {0, 0}: 60 */
    int64_t duration_ns; /* of the run; 0: 60 s */
    int64_t warm_up_ns;  /* ramps, stalls and faults come after it */
    uint64_t seed;
    int64_t spin_ns; /* lab_wait_until spins this long before the deadline; 0: a bare sleep */
    lab_observer observer;
} lab_machine_config;

/* A feedback that is not reported yet. */
typedef struct lab_notice {
    int64_t frame;
    int64_t shown_ns; /* true time, as it will be reported */
    int64_t known_ns; /* true time from which on it can be reported */
    bool discarded;   /* reported as never seen */
} lab_notice;

/* A feedback that arrived. */
typedef struct lab_report {
    int64_t frame;    /* from 0 */
    int64_t shown_ns; /* on the program's clock */
    bool discarded;
} lab_report;

enum { LAB_NOTICES = 16, LAB_INPUTS = 16 };

/* A second thread, on a core of its own. It runs in steps. A step is one instant, at which the
 * thread is awake and its earlier work is done. */
typedef struct lab_worker {
    /* One step. In it lab_now, lab_work, lab_idle, lab_poll, lab_tick_begin and lab_tick_done
     * belong to this thread: they take time of its core, and the first thread does not wait for
     * them. Returns the clock time until which the thread sleeps (it wakes late). A time that has
     * passed (INT64_MIN): the next step comes when the work is over. INT64_MAX: there is none. */
    int64_t (*step)(void *user);
    void *user;
} lab_worker;

/* The state of one thread. */
typedef struct lab_core {
    uint64_t read_key;
    int64_t reads;
    int64_t reading_ns; /* the last reading: noise alone never makes it go back */
    int64_t cpu_ns;
    uint64_t sleep_key;
    int64_t sleeps;
} lab_core;

/* The running machine. Read it through the functions below. */
typedef struct lab_machine {
    lab_machine_config config;
    lab_screen screen;
    lab_pricer update;
    lab_pricer render;
    lab_pricer gpu;
    uint64_t wake_key;
    uint64_t feedback_key;
    uint64_t call_key;
    uint64_t preemption_key;
    int64_t now_ns; /* true time */
    lab_core first;
    /* the second thread */
    lab_worker worker;
    lab_core second;
    bool in_worker;         /* its step runs */
    int64_t worker_at_ns;   /* true time of its next step; INT64_MAX: none */
    int64_t worker_work_ns; /* in this step, so far */
    /* the clock */
    int64_t offset_ns; /* of faults that are over */
    int64_t suspended_ns;
    int64_t fault_at_ns; /* true time of the next fault; INT64_MAX: none is left */
    int64_t still_ns;    /* true time until which the clock stands still ... */
    int64_t stands_ns;   /* ... for so long in all */
    int32_t fault;       /* number of the next fault */
    /* the current frame */
    lab_frame frame;
    lab_content content;
    bool acquired;              /* the current frame has waited for room */
    int64_t disturbed_until_ns; /* by an incident of the second thread */
    bool was_hidden;            /* the frame before was never seen, as the window was hidden */
    int32_t changes_seen;       /* of the screen */
    struct {
        int32_t hits;
        int64_t last_frame;
    } incidents[LAB_INCIDENTS];
    /* the host's newest call */
    int64_t call_refresh;
    int64_t call_stamp_ns;    /* on the program's clock */
    int64_t call_expected_ns; /* likewise; 0: the host says nothing */
    /* the next preemption */
    int64_t taken_from_ns; /* INT64_MAX: none */
    int64_t taken_to_ns;
    int64_t preemptions;
    int64_t gpu_free_ns;
    /* input: when it was sampled, for the last ticks */
    int64_t polled_ns;
    int64_t tick_input_ns;        /* of the current tick */
    int64_t input_ns[LAB_INPUTS]; /* by tick modulo */
    int64_t ticks;                /* run in all; also the number of the newest */
    /* feedback, oldest first from notice_first */
    lab_notice notices[LAB_NOTICES];
    int64_t notice_first;
    int64_t notice_end;
    /* the frame before; a mailbox may still replace it */
    lab_frame last;
    bool has_last;
    lab_sink sink;
    int64_t period_ns; /* of refreshes, for costs */
    int64_t tick_period_ns;
    int64_t dropped_ns;
    int64_t slow_motion_ns;
    int64_t stretched_ns;
    int64_t waited_ns; /* in sleeps and in present */
} lab_machine;

/* Starts a machine at true time 0. Returns ES_ERR_INVALID and names the field in error (may be
 * NULL) when the configuration is refused. */
es_result lab_machine_init(lab_machine *machine, const lab_machine_config *config, es_error *error);

/* Sets the receiver of finished frames; the last one comes at lab_machine_finish. */
void lab_machine_set_sink(lab_machine *machine, lab_sink sink);

/* Passes the last frame to the sink. */
void lab_machine_finish(lab_machine *machine);

/* --- for loops -------------------------------------------------------------------------------- */

/* A frame begins; where a host calls, this waits for its call. lab_run calls it; a program that
 * drives a machine by itself must, too. */
void lab_frame_begin(lab_machine *machine);

/* The program's clock, in ns. Costs lab_clock_model.read_ns. */
int64_t lab_now(lab_machine *machine);

/* The time with which a simple loop begins a frame: the stamp of the host that called it, or the
 * clock. */
int64_t lab_frame_time(lab_machine *machine);

/* The host's call of this frame: its time stamp, and when it expects the frame to be seen (0: it
 * says nothing), on the program's clock. False: no host. */
bool lab_host_call(const lab_machine *machine, int64_t *stamp_ns, int64_t *expected_ns);

/* Samples the input: ticks from now on use it. */
void lab_poll(lab_machine *machine);

/* Runs one update. time_ns: the tick's simulated time, for the observer. */
void lab_tick(lab_machine *machine, int64_t time_ns);

/* Runs one update in two calls: for a second thread, whose tick ends at its next step. */
void lab_tick_begin(lab_machine *machine, int64_t time_ns);
void lab_tick_done(lab_machine *machine, int64_t time_ns);

/* Starts the second thread. A machine has one at most; its first step comes next. */
void lab_worker_start(lab_machine *machine, const lab_worker *worker);

/* Whether the second thread runs: for functions that both call. */
bool lab_is_worker(const lab_machine *machine);

/* Sleeps, and wakes late, as on an operating system. Returns at once for a time that has passed. */
void lab_sleep(lab_machine *machine, int64_t duration_ns);
void lab_sleep_until(lab_machine *machine, int64_t clock_ns);

/* Spins: counts as work, and ends exactly. */
void lab_spin_until(lab_machine *machine, int64_t clock_ns);

/* Sleeps until spin_ns before the deadline, then spins. */
void lab_wait_until(lab_machine *machine, int64_t clock_ns);

/* Reports to the observer that updates are over (LAB_EVENT_WAIT). */
void lab_wait_begins(lab_machine *machine);

/* Lets time pass: as work, or idle. */
void lab_work(lab_machine *machine, int64_t duration_ns);
void lab_idle(lab_machine *machine, int64_t duration_ns);

/* Renders, submits and presents a frame: lab_render, then lab_present. */
void lab_show(lab_machine *machine, const lab_content *content);

/* Renders: does the work of this frame. Returns at submit. */
void lab_render(lab_machine *machine, const lab_content *content);

/* Presents the rendered frame; returns when present does. */
void lab_present(lab_machine *machine);

/* The oldest feedback that has arrived and was not taken yet. False: none. */
bool lab_feedback_take(lab_machine *machine, lab_report *report);

/* The machine's clock for es_loop_config.clock: lab_now, lab_wait_until, suspended and CPU time. */
es_clock lab_clock(lab_machine *machine);

/* Whether the run's time is over. A loop without a limit of updates per frame checks it before each
 * update: else a frame whose updates never catch up would never end. */
bool lab_is_over(const lab_machine *machine);

/* --- what no program can know ----------------------------------------------------------------- */

/* True time. */
int64_t lab_true_ns(const lab_machine *machine);

/* When a frame rendered from now on will be seen: true time. Changes nothing. Not for a machine with
 * a second thread. */
int64_t lab_foresee_ns(const lab_machine *machine);

/* When it would be seen by typical costs, after work_ns more work: true time. Changes nothing. */
int64_t lab_expect_ns(const lab_machine *machine, int64_t work_ns);

/* The typical cost of a tick. */
int64_t lab_typical_update_ns(const lab_machine *machine);

#endif
