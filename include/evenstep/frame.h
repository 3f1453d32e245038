/* SPDX-License-Identifier: Zlib
 *
 * frame: the plain values in which the rooms meet. No functions live here.
 *
 * The core hands these out; the kit (history, blend, meter) and your program take them in. Neither
 * side needs the other's header, so any part can be used without the rest.
 *
 * The words, used the same way everywhere:
 *   tick      one simulation step. The initial state is tick 0, at time 0.
 *   frame     one rendered picture. The first is frame 0.
 *   start     (S) when drawing begins, on the loop's clock.
 *   present   (D) when the frame is expected to be seen. Without a display to predict, D = S.
 *   content   (C) the simulated instant that the frame shows.
 *   alpha     where C lies between its two ticks: 0 < alpha <= 1, or 0 <= alpha < 1 where the loop
 *             is set so (alpha_below_one).
 *   lead      how many ticks run beyond the two that C lies between; -1: one fewer, so that the
 *             newest tick lies at C or before it.
 */
#ifndef EVENSTEP_FRAME_H
#define EVENSTEP_FRAME_H

#include "evenstep/time.h"

/* One simulation step that the program must now run: from time_ns - dt_ns to time_ns. */
typedef struct es_step {
    int64_t index;    /* the tick that this step makes: 1, 2, 3, ... */
    int64_t time_ns;  /* simulated time at the end of the step: exactly floor(index * period),
                         counted from the last change of the tick rate */
    int64_t dt_ns;    /* time_ns less the previous tick's: differs by 1 ns where the period is
                         no whole number of nanoseconds. For clocks, not for physics. */
    double dt_s;      /* the period in seconds, the same at every tick: for physics */
    int32_t in_frame; /* 0 for the first tick of a frame, then 1, 2, ... */
    int64_t due_ns;   /* the instant, on the loop's clock, that the tick stands for: content, a
                         delay left aside, is there then. Events up to it are the tick's. While
                         content stands (a single step): when the frame is seen. A ticker on its
                         own says 0 ... */
    int64_t begun_ns; /* ... and here, too: when the loop handed the step out, on the same clock; in
                         a host's frame, when that began */
} es_step;

/* Why time passed that the program did not live through. Gaps are reported, never caught up. */
typedef enum es_gap_kind {
    ES_GAP_NONE = 0,
    ES_GAP_SUSPENDED,   /* the machine slept */
    ES_GAP_BLOCKED,     /* the call that presents did not return: a hidden or minimised window */
    ES_GAP_STOPPED,     /* this thread hardly ran: a debugger, SIGSTOP, a modal dialog */
    ES_GAP_CLOCK_BACK,  /* the clock stepped back */
    ES_GAP_CLOCK_JUMP,  /* the clock leapt, although other clocks did not */
    ES_GAP_CLOCK_STILL, /* the clock stood still while the loop waited */
    ES_GAP_UNKNOWN      /* too long for a frame, and the clock cannot tell why */
} es_gap_kind;

/* What was found since the frame before. */
typedef struct es_gap {
    es_gap_kind kind;    /* of the longest gap; ES_GAP_NONE: none */
    int64_t duration_ns; /* how long they lasted in all; at least 0 */
    int64_t removed_ns;  /* how much of the clock's reading was taken out of the loop's time;
                            negative after a step back. A suspend that the clock did not count
                            has a duration and removes nothing. */
} es_gap;

/* Where time went, in total since the first frame. For every frame, to the nanosecond:
 *   content = (present - first present)
 *             - dropped - gaps - slowed - held - delay - reanchored + sought */
typedef struct es_account {
    int64_t dropped_ns; /* lost at once: over the bound, left unrun by the program, or an absurd
    step */
    int64_t gaps_ns;    /* taken out as gaps; signed */
    int64_t slowed_ns; /* withheld: by pause, time scale and resync, and slow_motion_ns; negative when
                           time ran faster */
    int64_t slow_motion_ns; /* the part of slowed_ns that nobody asked for: slow motion and lockstep when
                           the machine cannot keep up; signed, as lockstep may run fast */
    int64_t clamped_ns; /* this frame only, signed. Above 0: what is owed (policy spread), or content
                           that waits for its ticks; below 0: content kept from going back, or, with
                           a delay, not yet begun */
    int64_t delay_ns;   /* the configured delay, in force for this frame */
    int64_t reanchored_ns; /* display time: content was ahead of the screen, by more than 100 ms or
                              after a lock that was wrong, and went on at normal speed from there;
                              0 or below */
    int64_t seeked_ns;     /* leapt by seeks, single steps and changes of the delay; signed */
    int64_t stretched_ns;  /* by how much steps were longer than their period. Not in the equation:
                             it is simulated time, in longer steps */
} es_account;

/* Everything needed to draw one frame. */
typedef struct es_frame {
    int64_t index;         /* 0, 1, 2, ... */
    int64_t start_ns;      /* S, on the loop's clock */
    int64_t present_ns;    /* D, on the loop's clock */
    int64_t content_ns;    /* C, simulated time; never goes back except by a seek */
    int64_t interval_ns;   /* intended from the frame before to this one; 0: not
                              known (uncapped), or the host decides */
    int64_t previous_tick; /* the pair of ticks to blend, by index ... */
    int64_t current_tick;
    int64_t previous_ns; /* ... and by simulated time */
    int64_t current_ns;
    double alpha;        /* blend: 0 shows previous, 1 shows current; always 0 < alpha <= 1, or with
                            alpha_below_one 0 <= alpha < 1; with a lead of -1 it is 1 in both where
                            the newest tick is not past C */
    int64_t newest_tick; /* the tick that ran last: current_tick, or later with a lead over 0 ... */
    int64_t newest_ns;   /* ... and its simulated time */
    int64_t ahead_ns;    /* how far C lies past the newest tick, for extrapolation: content_ns -
                            newest_ns, at least 0. With a lead of -1 a period at most, else 0;
                            more only while content stands and waits, where the lead, the rate or
                            the loop has changed and the bound cut off the ticks for that */
    int32_t ticks;       /* ticks run for this frame */
    int64_t late_ns;     /* drawing began this much after S, gaps left out; at least 0 */
    int64_t dropped_ns;  /* by this frame, as in account */
    int64_t slow_motion_ns;
    int64_t stretched_ns;
    int64_t debt_ns;   /* still to be made up (policy spread) */
    int64_t offset_ns; /* display time: how far content stays behind present_ns because a picture
                          came later than it was planned for, or its display became known better;
                          signed. Part of account.clamped_ns, and won back slowly ... */
    int64_t slewed_ns; /* ... by so much in this frame; signed, at most a quarter of the time that
                          passes */
    es_gap gap;        /* found since the frame before */
    es_account
            account; /* totals up to and including this frame; clamped_ns and delay_ns are this frame's
            */
} es_frame;

/* What a screen time was taken from. A report always says which. */
typedef enum es_shown_source {
    ES_SHOWN_PLANNED = -1,       /* nobody measured it (a host, no clock): not for statistics */
    ES_SHOWN_PRESENT_RETURN = 0, /* the call that presents returned: queued or shown */
    ES_SHOWN_FEEDBACK = 1,       /* the platform said when it was shown */
    ES_SHOWN_VIRTUAL = 2         /* a simulated display: exact */
} es_shown_source;

/* What became of one frame, complete after es_loop_end. */
typedef struct es_frame_report {
    es_frame frame;
    /* These three are on the loop's own clock, which in a host's frame may have another origin than
     * frame.start_ns. */
    int64_t ready_ns;       /* drawing began */
    int64_t submit_ns;      /* drawing ended */
    int64_t shown_ns;       /* when it was seen, as well as is known */
    es_shown_source source; /* how shown_ns is known */
    int64_t update_work_ns; /* spent on this frame's ticks */
    int64_t render_work_ns; /* ready to submit: what blocks in present is no work */
    int32_t series;         /* changes after each gap: only screen times of one series compare */
} es_frame_report;

/* What a screen time is worth. */
typedef enum es_present_grade {
    ES_PRESENT_GUESSED = 0,  /* taken when the answer came */
    ES_PRESENT_SOFTWARE = 1, /* stamped by the compositor or the server, when it thinks it was */
    ES_PRESENT_VSYNC = 2,    /* and it was in step with the display's refresh */
    ES_PRESENT_HARDWARE = 3  /* stamped by the display hardware */
} es_present_grade;

/* What a platform says about one presented frame, on the loop's clock: adapters convert. */
typedef struct es_present_sample {
    int64_t frame;       /* es_frame.index of the frame */
    int64_t shown_ns;    /* when it was seen */
    int64_t reported_ns; /* when the adapter learned it: a reading of its own, not the platform's */
    int64_t refresh_ns;  /* the display's period as announced; 0: not announced, or it varies */
    uint64_t sequence;   /* the display's own count of refreshes; 0: none */
    es_present_grade grade;
    bool discarded; /* it was never shown; shown_ns is not read */
    bool varies;    /* a refresh lasts until the next picture (VRR): one count may take any time
                       from refresh_ns, or 0.5 ms where that is 0, upwards */
} es_present_sample;

#endif
