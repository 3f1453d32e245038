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
 * There are two times. True time is the display's; results are measured in it. The program's clock
 * is skewed, noisy and sometimes wrong. Loops see only the clock and the thread's CPU time, which
 * counts updates, rendering, spinning and clock readings, not waiting.
 *
 * A loop may have a second thread (lab_worker), on a core of its own. Its steps run while the first
 * thread works, sleeps or is blocked in present.
 *
 * Nothing is allocated. A machine may not be used by two threads at once.
 */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H

#include "lab/display.h"
#include "lab/scenario.h"

#include "lab/numbers.h"

/* What a frame shows, as its loop reports it. */
typedef struct lab_content {
    int64_t content_ns;     /* C: the simulated instant it shows, counted from the loop's start */
    double alpha;           /* between two ticks; 1: the newer one. For the input's age */
    int32_t ticks_back;     /* ticks from the newer of the two to the newest tick */
    bool live;              /* simulated in this frame: its input is the newest that was polled */
    int64_t interval_ns;    /* intended time since the frame before; 0: none is intended */
    int64_t dropped_ns;     /* dropped in this frame, as the loop reports it; so are the next two */
    int64_t slow_motion_ns; /* content time lost in slow motion */
    int64_t stretched_ns;   /* by how much its steps were longer than a period */
    int64_t short_ns;       /* threaded: content time that is missing because a tick had not run */
    const es_loop *engine;  /* ours, on one thread; else NULL, as is the next */
    const es_frame *planned;
    int64_t target_ns; /* when it asks to be seen, on the program's clock; 0: at once */
    int32_t target_refreshes;
    bool repeats; /* it shows the tick of the frame before, which a screen could do by itself: it is not measured */
    bool has_problem; /* an older version reports one; of ours the engine tells */
} lab_content;

/* One finished frame. True times. */
typedef struct lab_frame {
    int64_t index;
    int64_t begin_ns;    /* the loop began the frame */
    int64_t render_ns;   /* rendering began */
    int64_t submit_ns;   /* rendering was over */
    int64_t return_ns;   /* present returned */
    int64_t shown_ns;    /* D: it was seen */
    int64_t content_ns;  /* C */
    int64_t input_ns;    /* sampling time of its newest input, blended like the two ticks */
    int64_t interval_ns; /* intended; 0: none */
    int64_t short_ns;    /* as in lab_content */
    double alpha;
    int32_t ticks;      /* run for this frame; on a second thread: since the frame before */
    int32_t refreshes;  /* see lab_flip */
    int64_t refresh_ns; /* likewise */
    bool disturbed;     /* an incident or a change of the screen happened in this frame, or in one
                           that it replaces */
    bool reappears;     /* the window was hidden before it: nobody saw the step to it */
} lab_frame;

typedef enum lab_event_kind {
    LAB_EVENT_FRAME,       /* a frame begins */
    LAB_EVENT_POLL,        /* input is sampled */
    LAB_EVENT_UPDATE,      /* a tick begins; value: its time (end of the step) */
    LAB_EVENT_UPDATE_DONE, /* the tick ends; value: its time */
    LAB_EVENT_WAIT,        /* updates are done; the loop may wait from here on */
    LAB_EVENT_RENDER,      /* rendering begins; content is set; value: content_ns */
    LAB_EVENT_SUBMIT,      /* rendering ends */
    LAB_EVENT_RETURN,      /* present has returned; record is complete */
    LAB_EVENT_FLIP         /* the frame is seen at time_ns; reported before RETURN, even if later */
} lab_event_kind;

typedef struct lab_event {
    lab_event_kind kind;
    int64_t frame;              /* number of the frame it belongs to */
    int64_t time_ns;            /* true time */
    int64_t value_ns;           /* see lab_event_kind; else 0 */
    const lab_content *content; /* LAB_EVENT_RENDER; else NULL */
    const lab_frame *record;    /* LAB_EVENT_RETURN; else NULL */
} lab_event;

/* on_event may be NULL. */
typedef struct lab_observer {
    void (*on_event)(void *user, const lab_event *event);
    void *user;
} lab_observer;

/* Receives finished frames that were seen. */
typedef struct lab_sink {
    void (*on_frame)(void *user, const lab_frame *frame);
    void *user;
} lab_sink;

typedef struct lab_machine_config {
    lab_display display;
    lab_scenario scenario;
    es_rate tick_rate;   /* of LAB_UNIT_TICK; {0, 0}: 60 */
    int64_t duration_ns; /* of the run; 0: 60 s */
    int64_t warm_up_ns;  /* ramps, incidents and faults come after it */
    uint64_t seed;
    int64_t spin_ns; /* lab_wait_until spins this long before the deadline; 0: it only sleeps */
    int64_t cap_ns;  /* the interval to which lab_frame_begin holds frames; 0: no cap */
    lab_observer observer;
} lab_machine_config;

/* A report of a screen time that the loop has not taken yet. */
typedef struct lab_notice {
    int64_t frame;
    int64_t shown_ns; /* true time, with the error of the feedback */
    int64_t known_ns; /* true time from which on the loop can take it */
    bool discarded;   /* reported as never seen */
} lab_notice;

/* The same, as the loop takes it. */
typedef struct lab_report {
    int64_t frame;    /* number, from 0 */
    int64_t shown_ns; /* on the program's clock */
    bool discarded;
    bool variable; /* as Wayland says of a variable refresh */
} lab_report;

enum { LAB_NOTICES = 16, LAB_INPUTS = 16 };

/* A second thread, on a core of its own. It runs in steps. A step begins when the thread is awake
 * and the work of the step before is done. */
typedef struct lab_worker {
    /* One step. In it lab_now, lab_work, lab_idle, lab_poll, lab_tick_begin and lab_tick_done take
     * time of this thread's core, and the first thread does not wait for them. Returns the clock
     * time until which the thread sleeps (it wakes late). INT64_MIN, or a time that has passed: the
     * next step begins when the work is done. INT64_MAX: there is no next step. */
    int64_t (*step)(void *user);
    void *user;
} lab_worker;

/* The state of one thread. */
typedef struct lab_core {
    uint64_t read_key;
    int64_t reads;
    int64_t reading_ns; /* the last reading: noise never makes the clock go back */
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
    bool in_worker;         /* a step runs */
    int64_t worker_at_ns;   /* true time of its next step; INT64_MAX: none */
    int64_t worker_work_ns; /* work in this step so far */
    /* the clock */
    int64_t offset_ns; /* sum of the faults so far */
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
    int64_t calls;            /* so far */
    int64_t call_stamp_ns;    /* on the program's clock */
    int64_t call_expected_ns; /* expected flip, on the program's clock; 0: none */
    /* the next preemption */
    int64_t taken_from_ns; /* INT64_MAX: none */
    int64_t taken_to_ns;
    int64_t preemptions;
    int64_t gpu_free_ns;
    int64_t cap_due_ns; /* when the frame was due, on the program's clock */
    /* when input was sampled */
    int64_t polled_ns;
    int64_t tick_input_ns;        /* for the current tick */
    int64_t input_ns[LAB_INPUTS]; /* for tick n, at n % LAB_INPUTS */
    int64_t ticks;                /* total; also the number of the newest tick */
    /* feedback: from notice_first, the oldest, to notice_end - 1 */
    lab_notice notices[LAB_NOTICES];
    int64_t notice_first;
    int64_t notice_end;
    /* the frame before; a mailbox may still replace it */
    lab_frame last;
    bool has_last;
    lab_sink sink;
    int64_t period_ns; /* of LAB_UNIT_REFRESH */
    int64_t tick_period_ns;
    int64_t dropped_ns;
    int64_t slow_motion_ns;
    int64_t stretched_ns;
    int64_t waited_ns; /* in sleeps and in present */
} lab_machine;

/* Starts a machine at true time 0. If the configuration is invalid, returns ES_ERR_INVALID and
 * names the field in error (may be NULL). */
es_result lab_machine_init(
        lab_machine *machine, const lab_machine_config *config, lab_refusal *error);

/* Sets the receiver of finished frames. lab_machine_finish passes the last one to it. */
void lab_machine_set_sink(lab_machine *machine, lab_sink sink);

/* Passes the last frame to the sink. */
void lab_machine_finish(lab_machine *machine);

/* --- for loops -------------------------------------------------------------------------------- */

/* Begins a frame. If there is a host, waits for its call. lab_run calls this function; a program
 * without lab_run must call it, too.
 *
 * With a cap it does what a loop of ten lines does: it sleeps until the frame is due, one cap_ns
 * after the frame before was due, or now if that was over one cap_ns ago. In a host it ignores each
 * call whose time stamp is before that instant. */
void lab_frame_begin(lab_machine *machine);

/* The program's clock, in ns. Costs lab_clock_model.read_ns. */
int64_t lab_now(lab_machine *machine);

/* The time with which a simple loop begins a frame: the host's time stamp, or without a host the
 * clock. */
int64_t lab_frame_time(lab_machine *machine);

/* The host's call of this frame, on the program's clock: its time stamp, and when the host expects
 * the frame to be seen (0: it does not say). False: no host. */
bool lab_host_call(const lab_machine *machine, int64_t *stamp_ns, int64_t *expected_ns);

/* The program does nothing in this call of the host: waits for the next one. */
void lab_host_skip(lab_machine *machine);

/* Samples the input: ticks from now on use it. */
void lab_poll(lab_machine *machine);

/* Runs one update. time_ns: the tick's simulated time, for the observer only. */
void lab_tick(lab_machine *machine, int64_t time_ns);

/* The two halves of lab_tick, for a second thread: a tick ends in the thread's next step. */
void lab_tick_begin(lab_machine *machine, int64_t time_ns);
void lab_tick_done(lab_machine *machine, int64_t time_ns);

/* Starts the second thread, at most once. Its first step begins now. */
void lab_worker_start(lab_machine *machine, const lab_worker *worker);

/* Sleeps, and wakes late, as on an operating system. Returns at once if the time has passed. */
void lab_sleep(lab_machine *machine, int64_t duration_ns);
void lab_sleep_until(lab_machine *machine, int64_t clock_ns);

/* Spins: counts as work, and ends exactly at the deadline. */
void lab_spin_until(lab_machine *machine, int64_t clock_ns);

/* Sleeps until spin_ns before the deadline, then spins. */
void lab_wait_until(lab_machine *machine, int64_t clock_ns);

/* Reports to the observer that updates are over (LAB_EVENT_WAIT). */
void lab_wait_begins(lab_machine *machine);

/* Lets time pass: with CPU time, or without. */
void lab_work(lab_machine *machine, int64_t duration_ns);
void lab_idle(lab_machine *machine, int64_t duration_ns);

/* Renders, submits and presents a frame: lab_render, then lab_present. */
void lab_show(lab_machine *machine, const lab_content *content);

/* Does the rendering work of this frame, until submit. */
void lab_render(lab_machine *machine, const lab_content *content);

/* Waits as the first drawing call does, which lab_render makes, else. */
void lab_acquire(lab_machine *machine);

/* Presents the rendered frame. */
void lab_present(lab_machine *machine);

/* Takes the oldest report of a screen time. False: there is none yet. */
bool lab_feedback_take(lab_machine *machine, lab_report *report);

/* The machine's clock for es_loop_config.clock: lab_now, lab_wait_until, suspended and CPU time. */
es_clock lab_clock(lab_machine *machine);

/* Whether the run's time is over. A loop without a limit of updates per frame checks this before
 * each update: else it never ends where an update costs more than its period. */
bool lab_is_over(const lab_machine *machine);

/* --- for references only: no program can know this -------------------------------------------- */

/* True time. */
int64_t lab_true_ns(const lab_machine *machine);

/* When a frame whose rendering begins now will be seen: true time. Changes nothing. Not for a
 * machine with a second thread. */
int64_t lab_foresee_ns(const lab_machine *machine);

/* The same with typical costs, after work_ns more work. */
int64_t lab_expect_ns(const lab_machine *machine, int64_t work_ns);

#endif
