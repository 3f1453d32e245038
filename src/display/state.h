/* SPDX-License-Identifier: Zlib
 *
 * The memory of display timing, which an es_loop holds.
 */
#ifndef ES_DISPLAY_STATE_H
#define ES_DISPLAY_STATE_H

#include "base/cap.h"
#include "base/work_cost.h"

enum {
    ES_DISPLAY_QUEUES = 4,    /* deepest queue that is distinguished */
    ES_DISPLAY_DISTANCES = 5, /* from a frame to the frame whose flip ends its wait: 0 to 4, as
                                 present may wait before it queues */
    ES_DISPLAY_FRAMES = 16,   /* remembered: older feedback is ignored */
    ES_EVEN_FRAMES = 32,
    ES_TARGET_FRAMES = 64,  /* whose lateness is remembered */
    ES_HOLD_WINDOWS = 32,   /* the most that a change of the hold needs */
    ES_REFRESH_RECENT = 64, /* readings that are kept */
    ES_REFRESH_LOWS = 16    /* points of the envelope */
};

typedef struct es__display_config {
    int64_t refresh_ns;      /* announced period; 0: unknown */
    int64_t interval_ns;     /* a frame cap: least distance of frames; 0: none */
    int64_t interval_max_ns; /* no longer hold than that; 0: 50 ms */
    int64_t tick_ns;         /* one tick; 0: steps are not fixed */
    bool low_latency;        /* frames begin just in time for their refresh */
    bool hold_never;         /* no frame is held on purpose for a second refresh */
    double missed_max;       /* low latency: share of frames that may be late; 0: 0.002 */
    es_target_use target_use;
} es__display_config;

/* The decisions for one frame. */
typedef struct es__display_plan {
    int64_t present_ns;  /* D: when it is expected to be seen */
    int64_t motion_ns;   /* what the content clock takes for it: D, less offset_ns, removed_ns and
                              reanchored_ns */
    int64_t submit_ns;   /* not to be presented before; not after now: at once */
    int64_t interval_ns; /* intended since the frame before; 0: not known */
    int64_t target_ns;   /* asked of the platform; 0: none */
    int32_t target_refreshes;
    int64_t offset_ns;     /* how far motion_ns is behind D, without what is lasting */
    int64_t slewed_ns;     /* how much of it this frame corrected; signed */
    int64_t removed_ns;    /* in total: what the clock was off by, as a second source said */
    int64_t reanchored_ns; /* in total: the lasting offset of content to the screen */
} es__display_plan;

/* Presents in a row that returned at once, up to 64: do they prove that none waits for a refresh? */
typedef struct es__present_free {
    int32_t presents;
    int64_t since_ns; /* return of the first ... */
    int64_t span_ns;  /* ... and from it to the last */
} es__present_free;

/* The earliest of a group of readings: a point of the lower envelope. */
typedef struct es__refresh_low {
    int64_t index;
    int64_t at_ns;
} es__refresh_low;

/* The refresh estimate: refresh number index is at at_ns, and so on every period_ns. */
typedef struct es__refresh {
    bool certain;
    bool hosted; /* readings are a host's calls: one for each refresh */
    bool capped; /* the frames keep the grid of a cap, and so do readings: only a known period counts */
    bool multiple; /* frames may have taken several refreshes each: the period is not remembered */
    double period_ns; /* while certain */
    double known_ns;  /* announced, or of the last line that lasted; 0: none */
    int32_t taken;    /* readings on this line, up to ES_REFRESH_RECENT */
    int64_t index;
    int64_t at_ns;
    double error_ns;    /* of at_ns ... */
    double drift_ns;    /* ... and of the period */
    int64_t read_index; /* of the newest reading */
    int64_t read_ns;
    int32_t lines; /* how often one was found */
    int32_t recent;
    int64_t recent_ns[ES_REFRESH_RECENT];
    int64_t recent_frame[ES_REFRESH_RECENT]; /* that waited */
    uint32_t contradictions; /* a bit for each of the last readings, the newest lowest */
    uint32_t late;           /* later than late_share of a refresh */
    double late_share;       /* in refreshes */
    double latest;           /* the latest reading on this line, in refreshes */
    double fixed; /* sum of votes for a fixed refresh, -6 to 6; below 0: for a variable one */
    int32_t low_count;
    int32_t group;       /* readings per low */
    int32_t grouped;     /* in the group that is being filled ... */
    es__refresh_low low; /* ... its earliest ... */
    double sum_ns;       /* ... and the sum of its distances to the line */
    es__refresh_low lows[ES_REFRESH_LOWS];
} es__refresh;

/* A frame as it was submitted. */
typedef struct es__display_frame {
    int64_t submit_ns;
    double margin_ns;          /* low latency: with which it began */
    int64_t ready_ns, flip_ns; /* if the refresh is variable */
    int64_t expected_ns;       /* planned ready time */
    int64_t target_ns;         /* 0: none */
    int64_t planned_ns;        /* D */
    int64_t lag_ns;            /* from its flip without targets to its target */
    int32_t target_slot;       /* of es__target.late_ns */
} es__display_frame;

/* At which refresh each frame flips, if present returns at the flip of the frame DISTANCE before. */
typedef struct es__flips {
    int64_t index[ES_DISPLAY_FRAMES];
    int64_t ready_ns[ES_DISPLAY_FRAMES];
    int64_t hidden_ns; /* from submit, or from the frame before, until a frame is ready */
    int64_t last_off;  /* of the newest return, in refreshes */
    double late;       /* share of the newest frames that were ready later than expected */
    double wrong;      /* share of returns that it did not explain */
} es__flips;

/* Frames of a second, or of a quarter of one: they decide a hold. */
typedef struct es__hold_window {
    int64_t since_ns;
    int32_t frames;
    int64_t refreshes; /* taken by them */
    double work_ns;
    int32_t too_long;         /* frames whose work does not fit the hold ... */
    int32_t too_long_shorter; /* ... or one refresh less */
} es__hold_window;

/* Even times on a variable refresh (even.h). */
typedef struct es__even {
    int32_t frames;
    int64_t unheld_ns[ES_EVEN_FRAMES];
    double late_ns;      /* mean, of waits for it */
    int64_t interval_ns; /* from present to present at least; 0: none pays */
} es__even;

/* The newest frame, if the refresh is variable (variable.h). */
typedef struct es__variable {
    int64_t ready_ns;
    int64_t flip_ns;
    int64_t hidden_ns; /* what a GPU takes for a frame */
} es__variable;

/* Targets (target.h). */
typedef struct es__target {
    bool on;
    int32_t since;                  /* frames since it is on or off */
    int32_t after;                  /* times ES__TUNE(error_frames): when it is tried again */
    int32_t erring;                 /* frames in a row for which content errs more than without */
    int32_t probes;                 /* frames since the first probe; 0: it is on, or off */
    double error_ns;                /* the most of content lately, when it was off */
    double kept;                    /* share of the newest frames that were ready in time */
    double interval_ns;             /* of frames, mean ... */
    double off_interval_ns;         /* ... when it was off */
    int64_t expected_ns, target_ns; /* the open frame: planned submit; target, or 0 */
    int32_t frames;
    int64_t late_ns[ES_TARGET_FRAMES]; /* ready so much after the planned submit */
    double least_ns, most_ns;          /* of slack */
    double credit_ns;                  /* by which frames may be delayed */
    int64_t delayed_ns;                /* the frame that follows was */
    int64_t free_ns;                   /* flip of the newest frame, without targets */
} es__target;

/* What tells D. */
typedef enum es__forecast_source {
    ES_FORECAST_NONE = 0,
    ES_FORECAST_SMOOTHED, /* frame times */
    ES_FORECAST_TIMER,    /* the start of a frame that a timer paces */
    ES_FORECAST_VARIABLE, /* the flip before, on a variable refresh */
    ES_FORECAST_REFRESH   /* the refresh estimate */
} es__forecast_source;

/* What content follows at a frame. */
typedef struct es__display_forecast {
    es__forecast_source source;
    int64_t present_ns; /* D */
    int64_t index;      /* refresh */
    int64_t advance_ns; /* of content since the frame before */
    int64_t ready_ns;   /* planned submit, where targets can be planned */
    int64_t target_ns;  /* 0: none */
} es__display_forecast;

/* How content moves from frame to frame (predict.h). */
enum {
    ES_PREDICT_LAST = 0,  /* by the last frame time */
    ES_PREDICT_MEAN,      /* by the mean of a few */
    ES_PREDICT_MEAN_LONG, /* by the mean of more */
    ES_PREDICT_WHOLE,     /* by whole refreshes, where the period is known */
    ES_PREDICT_EXACT,     /* from planned screen time to planned screen time */
    ES_PREDICT_FLIPS,     /* from the flip of the frame before to the planned screen time */
    ES_PREDICTORS
};

typedef struct es__predictor {
    double advance_ns; /* at the open frame */
    double lag_ns;     /* the sum of the frame times less that of the advances */
    double off_line_ns,
            off_speed_ns; /* content so moved is off even motion, and drifts per frame */
    double error_ns; /* mean |advance - time between both frames on the screen| + |off_line_ns| */
} es__predictor;

/* What tells when a frame was seen. */
typedef enum es__seen_source {
    ES_SEEN_BY_RETURN = 0, /* of present: nothing better is known */
    ES_SEEN_BY_REFRESH,    /* the refresh at which it flips */
    ES_SEEN_BY_FEEDBACK
} es__seen_source;

typedef struct es__predict {
    es__predictor by[ES_PREDICTORS];
    int32_t used;
    bool allows_plans;
    bool is_planned;   /* the open frame */
    double updated_ns; /* from the open frame's begin to its forecast */
    double based_ns;   /* the same of the frame where lags began */
    double planned_ns; /* of a planned frame: its screen time less that of the frame before */
    bool starts;       /* the frame before was one of the first: content is where it should be */
    bool stalled;      /* it was long */
    double content_lag_ns; /* as es__predictor.lag_ns */
    int64_t frames, begin_ns;
    int64_t intervals;
    int64_t intervals_ns[ES_DISPLAY_FRAMES];
    double advances_ns[ES_DISPLAY_FRAMES][ES_PREDICTORS];
    int64_t seen_frame, seen_ns; /* the newest */
    es__seen_source seen_source;
} es__predict;

/* Low latency: the longest works, by the ticks of a frame. */
typedef struct es__lead {
    int64_t longest_ns[ES_WORK_KINDS]; /* of the newest frames ... */
    int64_t before_ns[ES_WORK_KINDS];  /* ... and of ES_WORK_FRAMES before them */
    int32_t frames[ES_WORK_KINDS];     /* the newest */
    double margin_ns;                  /* from the end of that work to the refresh ... */
    double extra_ns;                   /* ... and so much more for a while after a miss */
    bool stalled;                      /* the newest frame took over a refresh too long */
    int32_t probe;                     /* frames that still begin at once, for readings */
} es__lead;

typedef struct es__display {
    es_display_mode mode;
    es__display_config config;
    es_targets targets; /* what the platform does */
    es__refresh refresh;
    /* frames */
    int64_t frames; /* submitted */
    es__display_frame recent[ES_DISPLAY_FRAMES];
    int32_t lines;      /* as of refresh, when the frames were numbered */
    int32_t waits_line; /* of this line (refresh.lines) ... */
    int32_t waits;      /* ... waits that ended at refreshes, less others: 0 to 8 */
    es__flips flips[ES_DISPLAY_DISTANCES];
    int32_t distance;    /* of them, the one that is used */
    int64_t first_ns;    /* submit of the first frame */
    int64_t starts_at;   /* frames when the queue was empty, and no refresh certain */
    int32_t returns;     /* that they were judged by */
    int32_t unexplained; /* returns, less those explained since; an impossible one counts 2 */
    bool doubted;        /* more than one: content does not follow the refreshes, until it is 0 */
    int32_t unblocked;   /* presents in a row that did not wait */
    bool free_is_off; /* since the last wait a flip of a variable refresh was far from the line */
    bool acquires;    /* the newest wait was for a buffer, in drawing */
    bool waited;      /* this frame waited for a buffer */
    bool feedback;
    int64_t feedback_frame; /* newest that was reported; -1: none */
    int64_t shown_frames;   /* reported as seen */
    int32_t seen;           /* of them, in a row as many refreshes apart as they are held ... */
    int64_t seen_frame, seen_flip; /* ... the newest */
    int32_t waited_line;           /* on this line (refresh.lines) ... */
    int64_t waited_most_ns;        /* ... the longest time from a submit to its flip */
    es__present_free free;
    int64_t look_again_ns;
    /* costs */
    es__work_cost renders; /* drawing; in the first form with ticks */
    int32_t ticks;         /* of the open plan, where they are part of renders */
    es__predict predict;
    es__even even;
    es__variable variable;
    es__target target;
    /* frame cap, hold, low latency */
    es__cap cap;
    int64_t whole_tick_ns; /* frames show ticks unblended: real time of one; 0: they are blended */
    int64_t cap_late_ns;   /* the most that frames began after their slots, lately */
    bool cap_waited;       /* the open frame waited for its slot ... */
    bool cap_known;        /* ... or for its refresh */
    int32_t hold;          /* refreshes per frame */
    es__hold_window window;
    es__hold_window short_window; /* a quarter of a second */
    int64_t held_ns;              /* when the hold changed last; 0: never */
    int32_t longer_windows;       /* windows in a row in which work does not fit ... */
    int32_t longer_after;         /* ... and how many of them make the hold longer */
    int32_t shorter_windows;      /* short windows in a row in which it fits a shorter one ... */
    int32_t shorter_after;        /* ... and how many of them make it shorter */
    int64_t update_ns;            /* ticks that are not part of renders: expected */
    int64_t due_ns;               /* when the open frame was to begin */
    es__lead lead;
    /* a host */
    double late_calls;       /* share of its calls */
    int64_t due_index;       /* refresh of its next call, if the work is what delays it */
    int64_t call_index;      /* refresh of the call for the newest frame */
    bool varies;             /* feedback says that the refresh is variable */
    uint64_t first_sequence; /* count of refreshes from which their period is learned */
    int64_t first_sequence_ns;
    uint64_t sequence; /* newest count of refreshes, 0: none ... */
    int64_t sequence_ns;
    int32_t counted_line; /* of this line (refresh.lines), from this count on: its own rate */
    uint64_t counted_from;
    int64_t counted_from_ns;
    /* the plan */
    es__forecast_source source; /* of the last frame's plan */
    bool started;               /* a plan was closed before */
    int64_t begin_ns, last_start_ns;
    int64_t start_ns;
    es__display_forecast forecast;
    es__display_plan plan;
    int64_t motion_ns;  /* of the plan closed last */
    int64_t removed_ns; /* total: leaps of the clock that the count of refreshes showed */
    int64_t planned_index, planned_ns; /* of the plan closed last */
    int64_t missed;
} es__display;

#endif
