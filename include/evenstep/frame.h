/* SPDX-License-Identifier: Zlib
 *
 * frame: the plain values that modules exchange. No functions (loop.h: es_frame_step).
 *
 *   tick      one simulation step. The initial state is tick 0, at time 0.
 *   frame     one rendered frame. The first is frame 0.
 *   start     (S) when drawing begins, on the loop's clock.
 *   present   (D) when the frame is expected to be seen. Without a display to predict, D = S.
 *   content   (C) the simulated instant that the frame shows.
 *   alpha     the position of content C between previous_tick (0) and current_tick (1).
 *             Range: 0 < alpha <= 1; with alpha_below_one: 0 <= alpha < 1.
 *   lead      how many ticks the loop runs beyond the two ticks around content C. -1: it has not
 *             run the newer of these two yet.
 */
#ifndef EVENSTEP_FRAME_H
#define EVENSTEP_FRAME_H

#include "evenstep/time.h"

/* One simulation step that the program must now run: from time_ns - dt_ns to time_ns. */
typedef struct es_step {
    int64_t index;    /* the tick that this step makes: 1, 2, 3, ... */
    int64_t time_ns;  /* simulated time at its end: floor(index * period), counted from the last
                         change of the tick rate. Exact */
    int64_t dt_ns;    /* time_ns less that of the tick before; varies by 1 ns. For game clocks */
    double dt_s;      /* the period in seconds, the same at every tick: for physics */
    int32_t in_frame; /* 0 for the first tick of a frame, then 1, 2, ... */
    int64_t due_ns;   /* when content reaches this tick, on the loop's clock, ignoring delay_ticks.
                         Events with stamps up to due_ns belong to this tick. Single step: the
                         frame's expected screen time */
    int64_t begun_ns; /* when the loop returned the step (es_frame_step: the frame), on its clock;
                         in a host frame, when the frame began */
} es_step;

/* The cause of a gap: a time span that the loop leaves out, for example a suspend. The loop reports
 * it and runs no ticks for it. */
typedef enum es_gap_kind {
    ES_GAP_NONE = 0,
    ES_GAP_SUSPENDED,   /* the machine slept */
    ES_GAP_BLOCKED,     /* present did not return: a hidden or minimised window */
    ES_GAP_STOPPED,     /* the thread did not run: a debugger, SIGSTOP, a modal dialog */
    ES_GAP_CLOCK_BACK,  /* the clock stepped back */
    ES_GAP_CLOCK_JUMP,  /* the clock leapt, and other clocks did not */
    ES_GAP_CLOCK_STILL, /* the clock stood still while the loop waited */
    ES_GAP_UNKNOWN      /* too long for a frame, and the clock cannot tell why */
} es_gap_kind;

/* The gaps since the frame before. */
typedef struct es_gap {
    es_gap_kind kind;    /* of the longest gap; ES_GAP_NONE: there was no gap */
    int64_t duration_ns; /* how long they lasted in all; at least 0 */
    int64_t removed_ns;  /* how much time the loop removed. Negative if the clock stepped back. 0
                            for a suspend during which the clock stood still (CLOCK_MONOTONIC on
                            Linux) */
} es_gap;

/* Where time went since the first frame. For every frame, to the nanosecond:
 *   content = (present - first present)
 *             - dropped - gaps - slowed - clamped - delay - reanchored + seeked */
typedef struct es_account {
    int64_t dropped_ns; /* lost at once: over the bound, left unrun, or an implausible step */
    int64_t gaps_ns;    /* taken out as gaps; signed */
    int64_t slowed_ns;  /* by how much pause, time scale, es_loop_resync and slow motion put content
                           behind real time. Negative: content ran faster than real time */
    int64_t slow_motion_ns; /* the part of slowed_ns from slow motion and lockstep; signed */
    int64_t clamped_ns;     /* this frame only, signed. Positive: content is late, because of debt
                               (spread) or because ticks are missing. Negative: content is early,
                               because it must not go back, or delay_ticks has not passed yet */
    int64_t delay_ns;       /* the configured delay, in force for this frame */
    int64_t reanchored_ns;  /* lasting offset of content to the screen, signed: the first frames,
                               another source of screen times, content over 100 ms ahead */
    int64_t seeked_ns;      /* by seeks, single steps and changes of the delay; signed */
    int64_t stretched_ns;   /* by how much steps were longer than their period; not in the sum */
} es_account;

/* Everything needed to draw one frame. */
typedef struct es_frame {
    int64_t index;         /* 0, 1, 2, ... */
    int64_t start_ns;      /* S, on the loop's clock */
    int64_t present_ns;    /* D, on the loop's clock */
    int64_t content_ns;    /* C, simulated time; goes back only by a seek */
    int64_t interval_ns;   /* intended distance from the frame before; 0: not known */
    int64_t previous_tick; /* the pair of ticks to blend, by index ... */
    int64_t current_tick;
    int64_t previous_ns; /* ... and by simulated time */
    int64_t current_ns;
    double alpha;        /* blend weight: 0 shows previous_tick, 1 shows current_tick. With
                            lead_ticks = -1 always 1 (or 0) if no tick after content_ns has run */
    int64_t newest_tick; /* the last tick run: current_tick, or later with a positive lead */
    int64_t newest_ns;   /* its simulated time */
    int64_t ahead_ns;   /* how far C lies past the newest tick, for extrapolation. With lead_ticks =
                           -1: up to one tick period. Otherwise 0, except for a short time after the
                           lead, the tick rate or the configuration changed */
    int32_t ticks;      /* ticks run for this frame */
    int64_t late_ns;    /* drawing began this much after S, without gaps; at least 0 */
    int64_t dropped_ns; /* of this frame, as in account */
    int64_t slow_motion_ns; /* of this frame, as in account */
    int64_t stretched_ns;   /* of this frame, as in account */
    int64_t debt_ns;        /* still to be made up (spread) */
    int64_t offset_ns;  /* how far content is behind present_ns; signed. Causes: a frame was shown
                           later than planned, or the loop improved its refresh estimate. Part of
                           account.clamped_ns */
    int64_t slewed_ns;  /* by how much offset_ns shrank in this frame; signed, at most a quarter of
                           the time that passed */
    es_gap gap;         /* since the frame before */
    es_account account; /* totals up to this frame; clamped_ns and delay_ns are of this frame */
    /* How long the frame's updates are, and for es_frame_step. */
    double tick_s;   /* length of each update in seconds: the period; a variable or stretched step
                          if the frame has such steps */
    int64_t step_ns; /* 0: updates are one period long; else their length: variable or stretched */
    es_rate tick_rate; /* ticks per second */
    int64_t base_tick; /* simulated time is counted from this tick ... */
    int64_t base_ns;   /* ... which ended then */
    int64_t due_ns;    /* of the newest tick, as in es_step */
    int64_t begun_ns;  /* es_loop_begin or es_loop_next returned; a host's frame: its start */
    double speed;      /* of content: 1 normal, 0 paused */
} es_frame;

/* How a screen time is known. */
typedef enum es_shown_source {
    ES_SHOWN_PLANNED = -1,       /* planned, not measured (a host, no clock): not for statistics */
    ES_SHOWN_PRESENT_RETURN = 0, /* present returned: queued or shown */
    ES_SHOWN_FEEDBACK = 1,       /* the platform reported it */
    ES_SHOWN_VIRTUAL = 2         /* a simulated display: exact */
} es_shown_source;

/* One complete frame, after es_loop_end. */
typedef struct es_frame_report {
    es_frame frame;
    /* These are on the loop's clock; frame.start_ns of a host frame may be on another. */
    int64_t ready_ns;       /* drawing began. Without es_loop_wait: es_loop_next returned */
    int64_t submit_ns;      /* drawing ended */
    int64_t shown_ns;       /* when it was seen, as well as is known */
    es_shown_source source; /* how shown_ns is known */
    int64_t update_work_ns; /* spent on this frame's ticks; 0 after es_loop_next, if the program did
                               not call es_loop_wait */
    int64_t render_work_ns; /* ready to submit: blocking in present is not work. After es_loop_next
                               without es_loop_wait one sum: ticks and drawing */
    int32_t series; /* changes after each gap. Compare screen times of two frames only if their
                       series is equal */
} es_frame_report;

/* How good a platform's screen time is. */
typedef enum es_present_grade {
    ES_PRESENT_GUESSED = 0,  /* the time at which the answer arrived */
    ES_PRESENT_SOFTWARE = 1, /* stamped by a compositor or server */
    ES_PRESENT_VSYNC = 2,    /* as SOFTWARE, and synchronised to vblank */
    ES_PRESENT_HARDWARE = 3  /* stamped by the display hardware */
} es_present_grade;

/* What a platform reports about one frame, on the loop's clock: adapters convert. */
typedef struct es_present_sample {
    int64_t frame;       /* es_frame.index */
    int64_t shown_ns;    /* when it was seen; not read if discarded */
    int64_t reported_ns; /* when the adapter received it, by its own reading of the clock */
    int64_t refresh_ns;  /* the announced refresh period; 0: not announced, or variable */
    uint64_t sequence;   /* the display's count of refreshes; 0: none */
    es_present_grade grade;
    bool discarded; /* it was never shown */
    bool varies; /* variable refresh rate (VRR): a refresh lasts until the next frame flips, but at
                    least refresh_ns (0.5 ms if refresh_ns is 0) */
} es_present_sample;

#endif
