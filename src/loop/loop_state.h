/* SPDX-License-Identifier: Zlib
 *
 * The memory of a loop, and of its parts.
 */
#ifndef ES_LOOP_STATE_H
#define ES_LOOP_STATE_H

#include "base/common.h"
#include "display/state.h"
#include "gap.h"

#define ES__TICKS_MAX 1000000 /* the largest ticks_max */
#define ES__LEAD_MAX  4       /* the largest lead_ticks; the smallest is -1 */

/* Which time is D (the expected screen time) where the display cannot be predicted. */
typedef enum es__aim {
    ES_AIM_START = 0, /* the start of drawing: the planned one, or now where that has passed */
    ES_AIM_BEGIN /* the begin of the frame: after a present that blocks, the steadiest reading */
} es__aim;

/* How many tick times are kept: a power of two, enough for the pair behind the longest lead. */
#define ES_TICKER_TIMES 8

/* The ticks (ticker.h). */
typedef struct es__ticker {
    int64_t index;          /* the newest tick */
    int64_t time_ns;        /* t(index) */
    int64_t previous_index; /* the tick before it; equal to index when there is none yet */
    int64_t previous_ns;    /* t(previous_index) */
    es_rate rate;           /* ticks per second */
    int32_t ticks;          /* ticks that have run since es__ticker_open */
    int32_t ticks_max;      /* a frame has at most this many */
    int32_t ticks_most;     /* the open frame has at most this many */
    int64_t base_index;     /* n0 */
    int64_t base_ns;        /* t(n0) */
    int64_t whole_ns;       /* whole nanoseconds of the period */
    uint32_t rest;          /* the period's rest, in 1/numerator ns */
    uint32_t carried;       /* the rest that t(index) has lost by rounding down */
    bool accumulator;       /* the accumulator's bracket: alpha in [0, 1) */
    int32_t delay_ticks;    /* accumulator: a delay of this many whole ticks */
    int64_t delay_ns;       /* accumulator: that delay as the content clock subtracts it */
    double period_s;        /* the period for the simulation's arithmetic */
    int64_t times_ns[ES_TICKER_TIMES]; /* t(n) at n modulo their number, up to the newest tick */
    int64_t first_index;               /* there is none before it: 0, or the target of a seek */
    int32_t lead; /* ticks beyond the bracket, -1 to ES__LEAD_MAX. After a smaller one no ticks run
                     until it fits; the pair stays */
    int32_t pair_back; /* the pair's newer tick, counted back from the newest */
} es__ticker;

/* The pacer's configuration; the loop fills in its defaults. */
typedef struct es__pacer_config {
    es_pace pace;
    es__aim aim;
    int64_t interval_ns;     /* the starting interval; 1 to interval_max_ns. Uncapped: expected, 0:
                                not known */
    int64_t interval_min_ns; /* adaptive: the floor; 1 to interval_ns */
    int64_t interval_max_ns; /* adaptive: the ceiling, but for es__pacer_set_load. Longer work is a
                                stall: it changes no interval */
    int64_t window_ns;       /* spare time must last this long before the interval shrinks: it
                                follows the tick period */
} es__pacer_config;

/* The plan of a frame (pacer.h). */
typedef struct es__pacer {
    es__pacer_config config;
    int64_t start_ns; /* the open plan */
    int64_t present_ns;
    bool host;
    bool started;
    int64_t last_start_ns;
    int64_t interval_ns; /* rule A1 from here on */
    int32_t stalls;      /* frames in a row whose work was mostly waiting */
    bool stalled;        /* this frame's was */
    int64_t window_elapsed_ns;
    int32_t window_frames;
    bool window_full;
    int64_t work_max_ns;       /* of the window that is being filled */
    int64_t work_max_last_ns;  /* of the full window before it */
    int64_t floor_max_ns;      /* as work_max_ns, of the work at the floor */
    int64_t floor_max_last_ns; /* as work_max_last_ns, of the work at the floor */
    int64_t load_ns;           /* interval that a lasting load needs; 0: none */
} es__pacer;

/* The content clock's configuration; the loop fills in its defaults. */
typedef struct es__content_config {
    int64_t delay_ns;     /* how far C stays behind D; at least 0 */
    int64_t frame_max_ns; /* policy wait: a frame counts as no longer than this; 0: no limit */
    bool spreads_debt;    /* policy spread: debt is made up at 1/4 of the time that passes, or less
                             where the machine cannot; else all of it by the next frame */
    bool slows;           /* policy slow; false: slow motion ends */
} es__content_config;

/* The content clock (content.h):
 * content = anchor_content + scale * slow * (present - anchor_present - excluded)
 *
 * Anchors and totals do not overflow: a frame adds at most what passed since the frame before, times
 * the speed, and es__count_ns stops them at ES__TIME_MAX. */
typedef struct es__content {
    es__content_config config;
    bool started;
    int64_t last_present_ns; /* the latest D so far: a host's may step back */
    int64_t last_content_ns;
    int64_t anchor_present_ns;
    int64_t anchor_content_ns;
    int64_t anchor_slowed_ns;
    int64_t anchor_slow_motion_ns;
    es__ratio scale;
    es__ratio slow;               /* policy slow: the speed; 1/1 at full speed */
    uint32_t slow_next;           /* after a frame that ran short, in 1/65536 */
    uint32_t slow_max;            /* the speed that the machine can sustain, in 1/65536 */
    uint32_t catch_up_share;      /* policy spread: how fast debt is made up, in 1/65536 */
    uint32_t catch_up_share_next; /* from the next frame on: ticks have run for this one */
    int32_t skipped;              /* frames since last_present_ns whose D was before it */
    int64_t since_short_ns;       /* since ticks last did not fit */
    bool paused;
    bool ran_short; /* this frame, under policy slow */
    bool resync;    /* the time since the last frame counts as at most resync_ns */
    int64_t resync_ns;
    bool reanchors; /* that time counts as exactly resync_ns; the rest is a lasting offset */
    bool counted;   /* the time since the last frame counts as counted_ns, whatever it was */
    int64_t counted_ns;
    int64_t debt_ns;       /* the frames before have left this much */
    int64_t frame_debt_ns; /* this frame adds this much */
    int64_t dropped_ns;    /* the total */
    int64_t seeked_ns;     /* the total */
    int64_t reanchored_ns; /* the total */
} es__content;

/* First form: frames that took longer than they simulated. */
typedef struct es__spiral {
    int64_t ticks;   /* the frame before had this many, if it took longer; else 0 */
    int64_t work_ns; /* the work of the frame before */
    int32_t most;    /* the next frame has at most this many ticks; 0: no limit */
    bool by_drawing; /* it does not become much shorter with fewer ticks */
} es__spiral;

/* Misuse and obstacles, the gravest first (loop_problem.c). */
typedef enum es__problem {
    ES__PROBLEM_THREADS,
    ES__PROBLEM_NO_WAIT,
    ES__PROBLEM_TICK_RATE,
    ES__PROBLEM_NEXT_TWICE,
    ES__PROBLEM_NO_SUBMIT,
    ES__PROBLEM_NO_END,
    ES__PROBLEM_EARLY_END,
    ES__PROBLEM_EARLY_PRESENT,
    ES__PROBLEM_FREE,
    ES__PROBLEM_FAST,
    ES__PROBLEM_TOO_FAST,
    ES__PROBLEM_SLOW,
    ES__PROBLEM_CAP,
    ES__PROBLEM_CAP_UNEVEN,
    ES__PROBLEM_UNKNOWN,
    ES__PROBLEMS
} es__problem;

typedef struct es__problems {
    int64_t since_ns; /* this second began then */
    int32_t frames;   /* its frames */
    int32_t presents; /* the frames among them that were presented */
    int32_t counts[ES__PROBLEMS];
    double numbers[ES__PROBLEMS][2]; /* the texts name these */
    int64_t work_ns;                 /* the work of the newest frame */
    int64_t outside_ns;              /* the time before it, since es_loop_end */
    bool alone;                      /* meanwhile no other loop of the thread began a frame */
    bool unsubmitted;                /* the newest frame was not submitted */
    int64_t returned_ns;             /* the newest present returned then */
    int32_t refreshes; /* it took this many announced refreshes since the one before */
    int32_t even;      /* this many frames in a row are too slow for no reason */
    int32_t unknown;   /* the display was unknown for this many seconds in a row */
    int64_t until_ns;  /* text is reported until then */
    char text[160];
} es__problems;

/* Where a frame stands. */
typedef enum es__loop_phase {
    ES_LOOP_CLOSED = 0, /* between frames */
    ES_LOOP_TICKING,    /* after begin: ticks run */
    ES_LOOP_PLANNED,    /* es_loop_tick has returned false: S, D and C are final */
    ES_LOOP_DRAWING,    /* after ready, or next: then the ticks run in this phase */
    ES_LOOP_SUBMITTED   /* after submit: presenting */
} es__loop_phase;

/* What a loop calls where its ticks run on another thread (src/threads). */
typedef struct es__loop_hooks {
    void (*before)(void *user);             /* a frame is going to be planned */
    void (*planned)(void *user);            /* its plan is final, and drawing begins */
    void (*speed)(void *user, bool paused); /* true: a pause began or ended; false: another speed */
    void (*rate)(void *user, es_rate rate); /* another tick rate is requested */
    void (*destroyed)(void *user);
} es__loop_hooks;

/* The configuration with its defaults, as the loop uses it. Where a field says that it follows others,
 * es__update_bound computes it again. */
typedef struct es__loop_rules {
    es_step_kind step;
    es_catch_up catch_up;
    double delay_ticks;
    int64_t gap_ns;          /* the gap filter judges a longer span */
    int64_t step_min_ns;     /* the shortest plausible variable step */
    int64_t step_max_ns;     /* the longest plausible variable step */
    int64_t step_absurd_ns;  /* this step replaces an implausible one */
    int64_t catch_up_max_ns; /* a frame may have this much debt */
    int64_t ticks_time_ns;   /* ticks that cost more than they simulate take this long per frame */
    int64_t floor_ticks;     /* a frame at the shortest interval has at most this many ticks */
    bool catch_up_max_auto;  /* catch_up_max_ns follows interval_max_ns and the tick rate */
    bool ticks_max_auto;     /* the bound on ticks follows the tick rate */
    bool interval_max_auto;  /* interval_max_ns follows the interval */
    bool uses_display;       /* display timing plans the frames: pace auto, but not in lockstep */
    bool watches_presents;   /* pace present: frames wait where presents never block */
} es__loop_rules;

/* What the program asked for. It is in force when no ticks are running. */
typedef struct es__loop_requests {
    bool paused;
    bool visible;         /* from the next frame on */
    bool idle;            /* the time to the next frame does not count */
    bool has_scale;       /* scale is not yet in force */
    es__ratio scale;      /* the speed of content */
    int32_t single_steps; /* the frames that are to make a single step while paused */
} es__loop_requests;

/* The open frame, or the one that was open last. es_loop_begin to es_loop_submit write it. */
typedef struct es__loop_frame {
    bool host;                /* a host called the program for it */
    bool uses_display;        /* display timing plans it */
    bool visible;             /* what es_loop_set_visible said, as in force */
    bool planned_first;       /* es_loop_next opened it: its ticks run after the plan is final */
    bool waited;              /* es_loop_wait was called after those ticks */
    bool acquired;            /* es_loop_acquired was called in it */
    bool acquire_ignored;     /* it was, but ticks may have run before it */
    bool stepped;             /* it makes a single step */
    bool drew_idle;           /* its drawing has waited for most of the frame */
    bool cpu_known;           /* the thread's CPU time was read when it began */
    int64_t begin_ns;         /* es_loop_begin returned */
    int64_t work_begin_ns;    /* its work began */
    int64_t draw_begin_ns;    /* es_loop_wait or es_loop_next returned, later by waits since */
    int64_t called_ns;        /* the last of next, wait, ready and acquired returned */
    int64_t submitted_ns;     /* es_loop_submit returned */
    int64_t before_ticks_ns;  /* the newest tick's time before this frame's ticks */
    int64_t first_covered_ns; /* what the ticks covered before them; catch-up policies may move it */
    double speed_change;      /* ticks that match refreshes change the speed by this */
    double match_rest;        /* the refreshes that content has not followed after it, within 3/4 */
    int64_t match_from_ns;    /* content before its ticks, which matches go on from */
} es__loop_frame;

/* The frame before. */
typedef struct es__loop_before {
    bool exists;       /* a frame has ended */
    bool waited;       /* es_loop_wait was called after the ticks that es_loop_next planned */
    bool cpu_known;    /* cpu_ns was read */
    bool ended;        /* the program called es_loop_end */
    int64_t cpu_ns;    /* the thread's CPU time when the frame began */
    int64_t ended_ns;  /* es_loop_end returned */
    int64_t span_ns;   /* its start came this long after the start before */
    double match_rest; /* the refreshes that content has not followed, within 3/4 */
} es__loop_before;

/* What frames cost, and what a lasting load needs. */
typedef struct es__loop_load {
    int64_t frame_ns;         /* the last frame's drawing, in the first form with its ticks */
    int64_t render_ns;        /* the last frame's drawing */
    int64_t render_before_ns; /* the drawing of the frame before that */
    int64_t tick_cost_ns;     /* a tick makes a frame's work longer by this: paces and policies */
    int64_t tick_before_ns;   /* the same in the frame with ticks before the last */
    es__work_cost works;      /* frames of the first form without es_loop_wait */
    es__work_cost tick_works; /* the ticks of frames of the first form with es_loop_wait */
    es__spiral spiral;
    int64_t interval_ns; /* policies slow and wait: a lasting load needs this interval; 0: none */
    int64_t seen_ns;     /* a frame last needed as much */
    int64_t since_ns;    /* the most that a frame has needed since then */
} es__loop_load;

/* Presents where display timing does not plan the frames. */
typedef struct es__loop_presents {
    bool never_block; /* as runs prove */
    es__present_free runs;
    int64_t interval_ns;   /* the distance of frames while presents never block */
    int64_t look_again_ns; /* presents are checked again from then on */
} es__loop_presents;

/* Totals, for the account. They stay in the range of times, as those of es__content. What the gap filter
 * removed may be any number, as a clock may leap by any: it is added and subtracted saturating. */
typedef struct es__loop_totals {
    int64_t stretched_ns;
    int64_t removed_first_ns;      /* the gap filter removed this before the first frame */
    int64_t dropped_before_ns;     /* the account's dropped_ns before this frame */
    int64_t slow_motion_before_ns; /* its slow_motion_ns before this frame */
    int64_t stretched_before_ns;   /* its stretched_ns before this frame */
    int64_t leapt_before_ns;       /* the clock's leaps that the display had found before it */
} es__loop_totals;

/* Lockstep: how far frames are apart. */
typedef struct es__loop_lockstep {
    double span_ns; /* the mean distance */
    int32_t spans;  /* the mean is of this many, up to 64 */
} es__loop_lockstep;

/* The loop. */
struct es_loop {
    es_loop_config config; /* as given, and changed since */
    es_clock clock;
    es__gap_filter gap;
    es__ticker ticker;
    es__pacer pacer;
    es__content content;
    es__display display;
    es__display_plan display_plan;
    es_report report; /* the open frame's */
    es_report last;   /* the report of the frame that ended last */
    es__loop_phase phase;
    es__loop_rules rules;
    es__loop_requests requests;
    es__loop_frame frame;
    es__loop_before before;
    es__loop_load load;
    es__loop_presents presents;
    es__cap cap; /* interval_ns as a frame cap, where presents pace or nothing does */
    es__loop_totals totals;
    es__loop_lockstep lockstep;
    es__problems problems;
    const es__loop_hooks *hooks; /* NULL: the loop's own ticks are the program's */
    void *hooks_user;
    const void *thread;  /* the thread that called es_loop_begin or es_loop_next last */
    bool initialised;    /* es__loop_init has succeeded */
    bool allocated;      /* es_loop_create has allocated it */
    bool started;        /* the gap filter has its first reading */
    bool series_started; /* the gap that waits to be reported has begun a series */
    bool display_lost;   /* frames flipped unseen, in a gap */
};

#endif
