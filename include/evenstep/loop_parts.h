/* SPDX-License-Identifier: Zlib
 *
 * The memory of an es_loop, private: read nothing here. Only loop.h includes this header, so that a
 * program can place a loop where it likes.
 */
#ifndef EVENSTEP_LOOP_PARTS_H
#define EVENSTEP_LOOP_PARTS_H

#include "evenstep/clock.h"
#include "evenstep/display.h"
#include "evenstep/frame.h"

/* What other clocks say, to judge a long span by. */
typedef struct es_gap_evidence {
    int64_t suspended_ns;  /* total time the machine has slept */
    int64_t thread_cpu_ns; /* CPU time of this thread */
    bool has_suspended;    /* the platform knows suspended_ns */
    bool has_thread_cpu;   /* the platform knows thread_cpu_ns */
    bool in_present;       /* the span lies in the call that presents */
} es_gap_evidence;

/* The filter. Initialise with es__gap_filter_init; read only time_ns. */
typedef struct es_gap_filter {
    int64_t time_ns;       /* the filtered time: starts at 0, never goes back */
    int64_t clock_ns;      /* the last reading of the clock */
    int64_t threshold_ns;  /* a longer span is suspect */
    int64_t removed_ns;    /* total taken out, signed */
    int64_t longest_ns;    /* the longest gap in found */
    es_gap found;          /* since es__gap_filter_take */
    es_gap_evidence since; /* evidence at the last es__gap_filter_observe ... */
    int64_t since_ns;      /* ... and the time of that */
} es_gap_filter;

/* How many times are kept: a power of two, and enough for the pair behind the longest lead. */
#define ES_TICKER_TIMES 8

/* Initialise with es__ticker_init; the marked fields may be read. */
typedef struct es_ticker {
    int64_t index;          /* read: the newest tick */
    int64_t time_ns;        /* read: t(index) */
    int64_t previous_index; /* read: the tick before it; equal to index when there is none yet */
    int64_t previous_ns;    /* read: t(previous_index) */
    es_rate rate;           /* read: ticks per second */
    int32_t ticks;          /* read: run since es__ticker_open */
    int32_t ticks_max;      /* read: the bound per frame */
    int64_t base_index;     /* n0 */
    int64_t base_ns;        /* t(n0) */
    int64_t whole_ns;       /* the period: whole nanoseconds ... */
    uint32_t rest;          /* ... and a rest in 1/numerator of a nanosecond */
    uint32_t carried;       /* the rest that t(index) has lost by rounding down */
    bool due;               /* the accumulator's bracket */
    int32_t due_delay;    /* it looks this many ticks ahead of the newest: a delay of whole ticks */
    int64_t due_delay_ns; /* what the content clock subtracts for them */
    double period_s;      /* the period for the simulation's arithmetic */
    int64_t times_ns[ES_TICKER_TIMES]; /* t(n) at n modulo their number, up to the newest tick */
    int64_t first_index;               /* there is none before it: 0, or where a seek led */
    int32_t lead;                      /* read: ticks beyond the bracket */
    int32_t back;                      /* the pair's newer tick, counted back from the newest */
    bool plain;                        /* no lead, not due: t(newest) is what is asked */
} es_ticker;

/* What a pacer needs to know. The loop fills in its defaults. */
typedef struct es_pacer_config {
    es_pace pace;
    es_aim aim;
    int64_t interval_ns;     /* the starting interval; 1 to interval_max_ns. Uncapped: what to
                                expect, 0: unknown */
    int64_t interval_min_ns; /* adaptive: it never shrinks below this; 1 to interval_ns */
    int64_t interval_max_ns; /* nor grows beyond, except for es__pacer_set_load; longer work is a
                                stall: it changes no interval */
    int64_t window_ns;       /* spare time must last this long before it shrinks; at least 1 */
} es_pacer_config;

/* Initialise with es__pacer_init. Private. */
typedef struct es_pacer {
    es_pacer_config config;
    /* the plan in the making */
    int64_t start_ns;
    int64_t present_ns;
    bool host;
    /* the frame before */
    bool started;
    int64_t last_start_ns;
    /* rule A1 */
    int64_t interval_ns;
    int32_t stalls; /* frames in a row whose work was mostly waiting */
    bool stalled;   /* this frame's is */
    int64_t window_elapsed_ns;
    int32_t window_frames;
    bool window_full;
    int64_t work_max_ns;      /* of the window that is being filled */
    int64_t work_max_last_ns; /* of the full one before it */
    int64_t floor_max_ns;     /* the same of the work at the floor */
    int64_t floor_max_last_ns;
    int64_t load_ns; /* interval that a lasting load needs; 0: none */
} es_pacer;

/* What a content clock needs to know. The loop fills in its defaults. */
typedef struct es_content_config {
    int64_t delay_ns;     /* how far C stays behind D; at least 0 */
    int64_t frame_max_ns; /* policy wait: a frame counts as no longer than this; 0: no limit */
    bool repays_slowly;   /* policy spread: owed time is made up at 1/4 of the time that passes, or
                             less where the machine cannot; else all of it by the next frame */
    bool slows;           /* policy slow; false: slow motion ends */
    int64_t lockstep_ns;  /* a frame adds this, whatever time passed; 0: it adds the time */
} es_content_config;

/* Initialise with es__content_init. Private. */
typedef struct es_content {
    es_content_config config;
    /* the frame before */
    bool started;
    int64_t last_present_ns; /* the latest D so far: a host's may step back */
    int64_t last_content_ns;
    /* content = anchor_content + scale * slow * (present - anchor_present - left out) */
    int64_t anchor_present_ns;
    int64_t anchor_content_ns;
    int64_t anchor_slowed_ns;
    int64_t anchor_slow_motion_ns;
    es_ratio scale;
    es_ratio slow;       /* policy slow motion: 1/1 when all is well */
    uint32_t slow_next;  /* in 1/65536, after a frame that ran short */
    uint32_t slow_most;  /* what the machine can do: no slower than that, and recovers to it */
    uint32_t repay;      /* policy spread: how fast, in 1/65536 */
    uint32_t repay_next; /* from the next frame on: ticks have run for this one */
    int32_t skipped;     /* frames since last_present_ns whose D was before it */
    int64_t calm_ns;     /* since ticks last did not fit */
    bool paused;
    bool usual;        /* time passes as it is: nothing below or above this line is at work */
    bool ran_short;    /* this frame; for slow motion */
    bool resync;       /* the time since the last frame counts ... */
    int64_t resync_ns; /* ... as this, if it was longer */
    /* owed */
    int64_t debt_ns;       /* from the frames before */
    int64_t frame_debt_ns; /* by this frame */
    /* totals */
    int64_t dropped_ns;
    int64_t seeked_ns;
} es_content;

/* Where a frame stands. */
typedef enum es_loop_phase {
    ES_LOOP_CLOSED = 0, /* between frames */
    ES_LOOP_TICKING,    /* after begin: ticks run */
    ES_LOOP_PLANNED,    /* es_loop_tick has returned false: S, D and C are final */
    ES_LOOP_DRAWING,    /* after ready */
    ES_LOOP_SUBMITTED   /* after submit: presenting */
} es_loop_phase;

/* The loop. Private. */
typedef struct es_loop {
    es_clock clock;
    es_gap_filter gap;
    es_ticker ticker;
    es_pacer pacer;
    es_content content;
    es_display_plan display_plan;
    es_frame_report report;
    es_loop_phase phase;
    es_step_kind step;
    es_catch_up catch_up;
    bool initialised;
    bool started;
    bool host;
    bool follows;       /* the pace is auto ... */
    bool frame_follows; /* ... and was when the frame began, which is no host's */
    bool paused;        /* wanted; the pacer follows when no ticks are running */
    bool scale_changed; /* scale is wanted and not yet in force */
    es_ratio scale;
    bool ticks_max_auto;    /* the bound follows the tick rate */
    bool interval_max_auto; /* interval_max_ns follows the interval */
    bool waits_if_free;     /* the pace is auto, the aim begin: ... */
    bool is_free;           /* ... presents do not block, as these prove; frames are ... */
    es_present_free presents;
    int64_t free_interval_ns; /* ... so far apart ... */
    int64_t look_again_ns;    /* ... until then */
    int64_t begin_ns;
    int64_t submitted_ns;
    bool interval_auto;      /* lockstep: the interval follows the tick rate */
    bool catch_up_max_auto;  /* catch_up_max_ns is for ticks_max only */
    bool series_started;     /* for the gap that is waiting to be reported */
    bool last_valid;         /* a report is complete */
    int32_t steps_wanted;    /* single steps asked for while paused */
    int64_t ticks_time_ns;   /* no tick after this much time of a frame's ticks */
    int64_t catch_up_max_ns; /* what a frame may need or owe at once */
    int64_t stretched_ns;    /* in total */
    int64_t tick_cost_ns;    /* mean of the last frame with ticks ... */
    int64_t tick_before_ns;  /* ... and of the one before that */
    int64_t load_ns;         /* slow, wait: the interval that a lasting load needs; 0: none */
    int64_t load_seen_ns;    /* when a frame last needed as much ... */
    int64_t load_since_ns;   /* ... and the most that one has needed since then */
    int64_t floor_ticks;     /* most ticks of a frame at the shortest interval */
    int64_t first_tick_ns;   /* newest tick's time when the frame began */
    int64_t span_ns;         /* from the start before to the last one */
    bool stepped;            /* this frame makes a single step */
    int32_t stretch_max;
    int64_t step_min_ns; /* variable steps */
    int64_t step_max_ns;
    int64_t step_absurd_ns;
    int64_t dropped_before_ns; /* totals before this frame */
    int64_t slow_motion_before_ns;
    int64_t stretched_before_ns;
    int64_t leapt_before_ns;  /* of what the display found the clock to have leapt by */
    int64_t cpu_before_ns;    /* the thread's CPU time when the frame before began */
    int64_t removed_first_ns; /* taken out before the first frame: not in the account */
    int64_t gap_ns;           /* threshold */
    double delay_ticks;
    int64_t work_begin_ns;    /* begin returned (filtered time) */
    int64_t draw_begin_ns;    /* ready returned */
    int64_t render_work_ns;   /* ready to submit, of the frame before ... */
    int64_t render_before_ns; /* ... and of the one before that */
    es_frame_report last;
    es_display display;
    es_loop_config config; /* as given, and changed since */
} es_loop;

#endif
