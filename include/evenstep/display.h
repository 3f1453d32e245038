/* SPDX-License-Identifier: Zlib
 *
 * display: when will the frame that is being planned be seen, and which instant should it show?
 *
 * From four times per frame (opened, submitted, present returned, and where the platform tells it,
 * seen) this room works out the display's refreshes (grid.h), how many pictures wait in the queue
 * before it, the refresh that the frame will reach, how many refreshes each picture should stay,
 * and the instant for the content clock. That instant moves with the refreshes, not with the
 * program's own times: it is even where the screen is even. What a missed refresh puts it off by is
 * won back slowly, by a slew that is bounded and told.
 *
 *   es_display_open(&display, es_display_begin_ns(&display, now_ns));   after waiting for that
 *   es_display_expect(&display, now_ns);         as often as wanted: the plan follows the time
 *   es_display_close(&display, &plan);           plan.motion_ns is what to show
 *   es_display_submitted(&display, now_ns, &work);    drawn; hand it in, not before plan.submit_ns
 *   es_display_returned(&display, now_ns);       present has returned
 *
 * Where feedback tells, and work is quick, one picture waits in place of as many as the queue
 * holds: input is younger by the others. What comes late ends that for a while.
 *
 * Modes. Trying: frames come as fast as they can, and content follows smoothed frame times, as a
 * simple loop does; meanwhile it looks whether presents block. Locked: they do, or feedback tells,
 * and there is a grid. Free and assumed: presents provably do not block. Then rule A1 says when
 * frames start, or they are submitted at multiples of the refresh that is known; every 3 s a short
 * trial asks whether presents block again. Not to know is no reason to wait.
 *
 * Content that is more than 100 ms ahead of the screen goes on at normal speed from where it is
 * (reanchored_ns). Time is removed as a fault of the clock only on the word of a second source.
 *
 * Values in, decisions out: it reads no clock. Times are those of es_gap_filter. One of the parts
 * that the loop is made of; before 1.0 it may change in any minor version.
 */
#ifndef EVENSTEP_DISPLAY_H
#define EVENSTEP_DISPLAY_H

#include "evenstep/grid.h"

/* What frames go by. */
typedef enum es_display_mode {
    ES_DISPLAY_TRYING = 0, /* at once, one after the other: do presents block? */
    ES_DISPLAY_FREE = 1,   /* presents do not block: somebody else's pace */
    ES_DISPLAY_LOCKED = 2, /* a grid */
    ES_DISPLAY_ASSUMED = 3 /* presents do not block: the known refresh is kept to, not its phase */
} es_display_mode;

/* How a display is dealt with. {0} is the default. */
typedef struct es_display_config {
    int64_t refresh_ns;      /* the refresh as announced: a guess to begin with; 0: unknown */
    int64_t interval_ns;     /* wanted between two pictures: the nearest whole number of refreshes
                                is kept; 0: each refresh */
    int64_t interval_max_ns; /* no more refreshes than that are held; 0: 50 ms */
    int64_t tick_ns;         /* what es_display_phase refers to; 0: nothing */
    int32_t queue;           /* pictures from submit to the screen, as present counts: 1 to
                                ES_DISPLAY_QUEUES; 0: found out */
    bool low_latency;        /* frames begin late: just in time for their refresh */
    double missed_max;       /* low latency: this share of refreshes may be missed for it; 0: 0.01.
                                0.0001 to 0.5 */
} es_display_config;

/* The decisions for one frame. */
typedef struct es_display_plan {
    int64_t present_ns;    /* D: when it is expected to be seen */
    int64_t motion_ns;     /* what the content clock takes for it: D, less offset_ns, removed_ns and
                            reanchored_ns */
    int64_t submit_ns;     /* not to be presented before; not after now: at once */
    int64_t interval_ns;   /* intended since the frame before; 0: not known */
    int64_t offset_ns;     /* how far motion_ns is behind on account of missed refreshes */
    int64_t slewed_ns;     /* how much of it this frame corrected; signed */
    int64_t removed_ns;    /* in total: what the clock was off by, as a second source said */
    int64_t reanchored_ns; /* in total: content that was ahead of the screen, by over 100 ms or
                              after a lock that was wrong, stays ahead by this; 0 or below */
    bool held;             /* more refreshes than one are held on purpose */
} es_display_plan;

/* What a frame cost. */
typedef struct es_display_work {
    int64_t update_ns; /* its ticks */
    int64_t render_ns; /* drawing, until it was ready to be submitted */
} es_display_work;

enum {
    ES_DISPLAY_QUEUES = 4,  /* deepest queue that is told apart */
    ES_DISPLAY_FRAMES = 16, /* remembered: feedback may come as late */
    ES_DISPLAY_RENDERS = 9, /* their median is the typical one */
    ES_DISPLAY_SPANS = 8    /* of 0.2 s: what the interval is decided by */
};

/* Presents in a row that returned at once: whether they prove that presents do not block. */
typedef struct es_present_free {
    int32_t presents;
    int64_t since_ns; /* return of the first ... */
    int64_t span_ns;  /* ... and from it to the last */
} es_present_free;

/* A frame as it was submitted, and the refresh at which it flips, for each depth of the queue. */
typedef struct es_display_frame {
    int64_t begin_ns;
    int64_t submit_ns;
    int64_t index[ES_DISPLAY_QUEUES];
    bool discarded; /* as feedback tells */
} es_display_frame;

/* What happened in a span of frames. */
typedef struct es_display_span {
    int32_t frames;
    int32_t missed;    /* frames that came later than planned */
    int32_t too_long;  /* frames whose work would not have fitted one refresh less */
    int64_t refreshes; /* that passed */
    int64_t work_ns;
    int64_t most_ns; /* work of one frame */
} es_display_span;

/* How what passes from return to return, y, follows what passes from return to submit, x. */
typedef struct es_display_pace {
    double frames;     /* that the rest is of, newer ones more */
    double x_ns, y_ns; /* means */
    double xx, xy, yy; /* sums of squares about them */
    double blocked;    /* share of presents */
    int32_t presents;  /* of which that share is, up to 32 */
    int32_t odd;       /* frames in a row that are not like the mean */
    bool blocks;       /* the last present did */
} es_display_pace;

/* The room. Initialise with es_display_init; read mode, grid and es_display_get_status. It holds no
 * resource and may be copied. */
typedef struct es_display {
    es_display_mode mode;
    es_display_config config;
    int64_t frames; /* submitted */
    es_display_frame recent[ES_DISPLAY_FRAMES];
    /* trying */
    int32_t tried; /* frames */
    int32_t tried_blocked;
    int32_t run_in;      /* presents that returned at once before the first that blocked */
    int64_t run_from_ns; /* submit of the first of them, and of the one that blocked */
    int64_t run_to_ns;
    int64_t blocked_ns;  /* what the last present took ... */
    int64_t returned_ns; /* ... and when it returned */
    int64_t blocked_mean_ns;
    int64_t span_ns;    /* mean, between two submits */
    int64_t assumed_ns; /* of refresh 0, where they are assumed */
    int64_t assumed_period_ns;
    int64_t try_again_ns;
    es_present_free free;
    es_display_pace pace;
    int32_t asked; /* frames since it was asked whether it is a display that keeps to no grid */
    bool walked;   /* it was one */
    /* the queue */
    int32_t depth;                        /* believed */
    double wrong[ES_DISPLAY_QUEUES];      /* how much speaks against each depth */
    int64_t hidden_ns[ES_DISPLAY_QUEUES]; /* from submit to ready, where a GPU works on it */
    int64_t last_off[ES_DISPLAY_QUEUES];  /* refreshes that the last reading was off by */
    int32_t misfits[ES_DISPLAY_QUEUES];   /* in a row: seen later than submitted for */
    int32_t loose;     /* presents in a row that should have blocked and did not */
    bool is_loose;     /* present does not block: frames are paced */
    int64_t fed_frame; /* newest frame that feedback told of; -1: none */
    bool is_fed;       /* feedback tells the refreshes */
    bool replaces;     /* feedback told of pictures that were replaced: only the newest is seen */
    bool discards;     /* the newest that it told of was ... */
    int64_t discarded_ns; /* ... and when the first of these in a row was handed in */
    /* the clock's leaps */
    bool suspected;
    bool phase_unknown;
    int64_t suspect_ns;
    int64_t followed_ns; /* of it: content took it for time that passed */
    int32_t suspect_frames;
    int32_t odd;           /* feedback in a row that was not believed */
    int32_t matched;       /* readings in a row that were where they should be */
    bool clock_wrong;      /* as a second source says: what it is off by may be removed */
    int32_t early;         /* presents in a row that came back before their refresh */
    int32_t realign;       /* after a stall: presents since; 0: none */
    uint64_t counted;      /* refreshes, by the display's own count; 0: it has none ... */
    int64_t counted_ns;    /* ... at this time ... */
    int64_t counted_frame; /* ... and frame */
    int64_t counted_leap_ns;
    int64_t removed_ns;
    bool is_fixed;           /* after the queue ran dry refreshes went on as before */
    int32_t tested;          /* times that are still to be seen */
    int32_t tests;           /* late pictures so far ... */
    int64_t test_at;         /* ... and the next one */
    double tested_period_ns; /* of the display that this was found out of */
    int64_t locked_frames;   /* since the lock */
    int32_t starved;         /* frames since the queue ran dry ... */
    int64_t dry_ns;          /* when the picture came that it had waited for */
    int32_t read_dry;        /* ... and readings */
    int32_t refused;         /* readings in a row that no frame could have had */
    int32_t slips;           /* phase moved after the queue ran dry: a refresh that varies */
    bool varies;
    int32_t ran_dry; /* how often the queue did, since the lock or a slip */
    /* the plan */
    int64_t index; /* refresh that the open frame is planned for */
    es_display_plan plan;
    int64_t begin_ns; /* of the open frame */
    int64_t start_ns; /* drawing starts */
    bool opened;
    bool moved;             /* a frame was planned before */
    bool anchors_anew;      /* the open one may not be ahead of the screen */
    bool restart;           /* the next one goes on as if one interval had passed */
    int64_t reanchored_ns;  /* of the plan closed last ... */
    int64_t last_motion_ns; /* ... and its content */
    int64_t base_motion_ns; /* of the frame submitted last ... */
    int64_t base_offset_ns; /* ... and what was left then */
    int64_t last_shown_ns;  /* free: when the frame before was handed in, as far as it shows */
    int64_t last_index;     /* locked: the refresh the frame before was planned for */
    int64_t render_max_ns;
    int64_t render_max_last_ns;
    int64_t render_window_ns;
    /* the phase of content against ticks */
    int64_t beat_ns;        /* by so much the phases differ that occur; 0: too many */
    int64_t bias_ns;        /* content is ahead by this for it ... */
    int64_t bias_wanted_ns; /* ... and will be by this */
    int64_t beat_since_ns;
    int64_t rest_ns; /* the least of late */
    int32_t rests;
    /* cost */
    int64_t renders_ns[ES_DISPLAY_RENDERS]; /* the last ...*/
    int64_t sorted_ns[ES_DISPLAY_RENDERS];  /* ... in order */
    int64_t render_ns;                      /* typical */
    int64_t newest_render_ns[2];            /* of the newest frame, and of the one before */
    int32_t renders;                        /* so many ... */
    int32_t render;                         /* ... and the next one goes here, for the oldest */
    int64_t lead_ns;                        /* low latency, holding: from begin to the refresh */
    int64_t work_ns;                        /* the newest frame's ... */
    int64_t update_ns;                      /* ... its ticks' share ... */
    int64_t submitted_interval_ns;          /* ... and the interval that was planned for it */
    int64_t update_mean_ns;
    int64_t work_high_ns; /* what nearly no frame exceeds */
    bool probing;
    int32_t probe_frames;
    int32_t probe_readings;
    int64_t read_index; /* refresh of the newest return */
    int32_t coarse;     /* returns in a row that came over a refresh after the one before */
    int64_t seen_index; /* the refresh that feedback told of last */
    bool is_not_coarse; /* that was asked, and is so without another rate */
    int64_t read_ns;    /* newest reading of the grid */
    /* one picture waiting, in place of a queue */
    bool single;
    int64_t single_since_ns;  /* or without anything late since */
    int64_t single_wanted_ns; /* after so long without it begins */
    /* held back, with feedback: refreshes as frames are handed in for them */
    int64_t line_ns;     /* of that, ... */
    double line_part_ns; /* ... and this, ... */
    int64_t line_index;  /* ... which has this number; INT64_MIN: none yet */
    double line_period_ns;
    double line_off;      /* of a refresh, mean, that feedback is off it */
    double line_last_off; /* the newest, and earlier or later ... */
    double line_uneven;   /* ... mean change from one to the next */
    double line_phase;    /* 0 to 1: latest to earliest in the time for it they are handed in */
    bool line_early;      /* uneven where handed in half a refresh ahead */
    /* the interval */
    int32_t multiple; /* refreshes per picture */
    int32_t multiple_min;
    int64_t kept_ns; /* the interval, also while it is tried anew; 0: none was kept */
    int64_t held_ns; /* the interval on the last grid, kept or not */
    bool settled;    /* the wanted interval is kept */
    int64_t locked_ns;
    es_display_span spans[ES_DISPLAY_SPANS];
    int32_t span;
    int64_t span_since_ns;
    int64_t changed_ns; /* the interval */
    int64_t calm_ns;    /* must have passed before it shrinks */
    bool ever_changed;
    int64_t missed;    /* refreshes that repeated a picture, in total, against the plan */
    int64_t refreshes; /* in total */
    es_grid grid;
} es_display;

/* What is known. */
typedef struct es_display_status {
    es_display_mode mode;
    double period_ns;     /* of refreshes, as found or assumed; 0: no grid */
    int64_t uncertain_ns; /* how far off the next refresh may be */
    int32_t queue;        /* believed depth; 0: not known */
    int32_t multiple;     /* refreshes per picture that are held */
    bool varies;          /* a refresh that varies was recognised */
    bool fed;             /* feedback tells */
    bool paced;           /* present does not block: frames are paced */
    bool replaces;        /* as feedback tells: a newer picture replaces one that waits */
    int64_t hidden_ns;    /* from submit until a picture is ready, beyond what the program sees */
    int64_t work_ns;      /* typical drawing */
    int64_t refreshes;    /* since the first lock ... */
    int64_t missed;       /* ... and of them those that repeated a picture against the plan */
    int64_t locks;        /* how often a grid was found */
    bool walks;           /* refreshes come at this period on the mean, and keep to no grid */
    bool single;          /* one picture waits, in place of as many as the queue holds */
} es_display_status;

#ifdef __cplusplus
extern "C" {
#endif

/** Starts with a trial.
 *
 * display: the caller's memory; not NULL.
 * config: copied; NULL or all zero: the default.
 * Returns: ES_OK, or an error and an unchanged display.
 * Errors: ES_ERR_INVALID: display is NULL, or a field out of its range.
 * Ownership: keeps nothing of the caller's.
 * Threads: one thread at a time per display.
 */
ES_API es_result es_display_init(es_display *display, const es_display_config *config);

/** Changes what it was made with; what is known of the display stays.
 *
 * display: initialised; no frame open.
 * config: as for es_display_init; not NULL.
 * Returns: ES_OK, or an error and no change.
 * Errors: ES_ERR_INVALID: a field out of its range.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API es_result es_display_reconfigure(es_display *display, const es_display_config *config);

/** When the next frame should begin: before its input is read.
 *
 * display: initialised; the frame before has returned.
 * now_ns: the time.
 * Returns: an instant; now_ns where there is nothing to wait for.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API int64_t es_display_begin_ns(es_display *display, int64_t now_ns);

/** Opens the plan of a frame.
 *
 * display: initialised.
 * now_ns: the time.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_open(es_display *display, int64_t now_ns);

/** Plans, or plans anew, as the time goes.
 *
 * display: a plan is open.
 * start_ns: when drawing starts at the earliest; not before that of the call before.
 * Returns: what the content clock should take for the time at which the frame is seen: never
 *   earlier than in the call before.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API int64_t es_display_expect(es_display *display, int64_t start_ns);

/** Ends planning.
 *
 * display: a plan is open.
 * interval_ns: free: the interval of whoever sets the pace; 0: not known.
 * plan: filled; not NULL.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_close(es_display *display, int64_t interval_ns, es_display_plan *plan);

/** Tells how old the newest tick in the picture is: how far content is from it.
 *
 * Where refreshes and ticks are in step (60 on 60, 144 on 48), this stays the same for minutes: at
 * worst a picture that shows almost none of the tick that was just run for it. So content is moved,
 * by half a tick at most, to just before the tick: the youngest input, and away from the edge where
 * a frame has no tick and the next one two.
 * display: a plan was closed.
 * rest_ns: simulated time from the picture's instant to its newer tick; below 0: it says nothing
 *   now, as content does not run with the time.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_phase(es_display *display, int64_t rest_ns);

/** The frame is handed in.
 *
 * display: a plan was closed.
 * now_ns: the time, after waiting for the plan's submit_ns.
 * work: what it cost; not NULL.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_submitted(es_display *display, int64_t now_ns, const es_display_work *work);

/** Present has returned.
 *
 * display: a frame was submitted.
 * now_ns: the time.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_returned(es_display *display, int64_t now_ns);

/** The platform said when a frame was seen.
 *
 * display: initialised.
 * age: how many frames before the one submitted last: 0: that one. Over ES_DISPLAY_FRAMES - 1: of
 *   no use.
 * shown_ns: when.
 * Returns: nothing.
 * Errors: none: what cannot be true changes nothing for long.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_shown(es_display *display, int64_t age, int64_t shown_ns);

/** The display's own count of refreshes when a frame was seen: tells a clock that leapt from a slow
 * frame. A display that stands still, and counts nothing meanwhile, looks like a leap. Call it
 * before es_display_shown.
 *
 * display: initialised.
 * age, shown_ns: as for es_display_shown; a time that is not possible counts for nothing.
 * sequence: refreshes so far; 0: not known. One that goes back begins anew.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_counted(
        es_display *display, int64_t age, int64_t shown_ns, uint64_t sequence);

/** The platform said that a frame was never seen.
 *
 * If the next one is at once, it took its place: this display has no queue, and present does not
 * block, however long it takes. From then on frames are paced, one for each refresh, half a refresh
 * ahead of it. Otherwise the window was hidden, which says nothing.
 * display: initialised.
 * age: as for es_display_shown.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_discarded(es_display *display, int64_t age);

/** The platform said that its refresh varies: a picture is seen when it is ready.
 *
 * display: initialised.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_varies(es_display *display);

/** Time was taken out, or the clock went wrong: see es_gap.
 *
 * display: initialised.
 * removed_ns: taken out of the time.
 * clock_wrong: it was the clock, as a second source says; false: time that passed for the display,
 *   too.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API void es_display_gap(es_display *display, int64_t removed_ns, bool clock_wrong);

/** What is known of the display.
 *
 * display: initialised.
 * now_ns: the time.
 * Returns: a plain value.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one thread at a time per display.
 */
ES_API es_display_status es_display_get_status(const es_display *display, int64_t now_ns);

#ifdef __cplusplus
}
#endif

#endif
