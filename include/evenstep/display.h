/* SPDX-License-Identifier: Zlib
 *
 * display: what a loop knows of the display (es_loop_display).
 */
#ifndef EVENSTEP_DISPLAY_H
#define EVENSTEP_DISPLAY_H

#include "evenstep/time.h"

/* What frames go by. */
typedef enum es_display_mode {
    ES_DISPLAY_TRYING = 0, /* at once, one after the other: do presents block? */
    ES_DISPLAY_FREE = 1,   /* presents do not block: somebody else's pace */
    ES_DISPLAY_LOCKED = 2, /* a grid */
    ES_DISPLAY_ASSUMED = 3 /* presents do not block: the known refresh is kept to, not its phase */
} es_display_mode;

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

/* Private from here on: the memory of the display timing, which an es_loop holds. */

/* Whether there is a grid. */
typedef enum es_grid_state {
    ES_GRID_SEARCHING = 0, /* too few readings, or they do not fit one */
    ES_GRID_LOCKED = 1,    /* known: the functions below answer */
    ES_GRID_VARIES = 2     /* readings follow each other evenly, and keep to no grid: a refresh that
                              varies, or a program that paces itself. It goes on looking */
} es_grid_state;

/* What a grid is searched with. {0} is the default. */
typedef struct es_grid_config {
    int64_t announced_ns; /* the period as announced: tried first, believed if it fits, and then the
                             first lock takes half as many readings; 0: unknown */
} es_grid_config;

enum {
    ES_GRID_RECENT = 128,    /* readings that are kept */
    ES_GRID_WINDOW = 96,     /* of them, as many as a search looks at */
    ES_GRID_EDGE = 32,       /* points that the edge is drawn under */
    ES_GRID_WALK_LEAST = 32, /* readings that es__grid_walk asks for */
    ES_GRID_CLASSES = 72     /* of lateness, four to an octave */
};

/* A refresh, by the earliest reading for it. */
typedef struct es_grid_point {
    int64_t index;
    int64_t at_ns;
} es_grid_point;

/* How many refreshes have which rest when their number is divided by 2, 3, 5 or 7. */
typedef struct es_grid_numbers {
    int32_t count;
    int8_t by_2[2];
    int8_t by_3[3];
    int8_t by_5[5];
    int8_t by_7[7];
} es_grid_numbers;

/* A line under some readings. */
typedef struct es_grid_line {
    double period_ns;
    int64_t at_ns;    /* a refresh that it goes through */
    double spread;    /* of the readings over it, in periods: all but one in twenty ... */
    double reach;     /* ... and all but one in 48 */
    double roughness; /* 2: each is late for itself; towards 0: what they are late by adds up */
    int32_t low;      /* readings that are nearly on it */
    bool fine;        /* not all but a few are on every second refresh, third, fifth or seventh */
} es_grid_line;

/* A search that is under way. */
typedef struct es_grid_search {
    int64_t first; /* the number of its first reading */
    int32_t count; /* of its readings; 0: none is under way */
    int32_t stage; /* so many refreshes for each interval, about */
    uint64_t turn; /* the rate tried next, in parts of 2^64 of a period per nanosecond ... */
    uint64_t turn_step;
    uint64_t turn_end;
    double interval_ns; /* the readings' median */
    es_grid_line best;
    int32_t best_stage;
} es_grid_search;

/* How late readings are, by class and by what becomes of it from one to the next. */
typedef struct es_grid_lateness {
    uint16_t classes[ES_GRID_CLASSES];
    int32_t classed; /* readings in them */
    int32_t noted;   /* readings that the rest is of, up to 64 */
    double mean_ns;
    double variance; /* ns squared, and that of the changes from reading to reading */
    double change;
    double last_ns;
    double usual; /* what 98 of 100 are within, in periods */
} es_grid_lateness;

/* Refreshes that walk: intervals from one to the next. */
typedef struct es_grid_walking {
    double variance;  /* of an interval, ns squared */
    double refreshes; /* that the mean is of, up to 256 */
    double odd;       /* share of the last dozen intervals that are none */
    int32_t next;     /* readings before a fixed grid is searched for ... */
    int32_t wait;     /* ... and after that */
} es_grid_walking;

/* The grid, some 2.3 kB. Initialise with es__grid_init; read the first fields, the rest is its own.
 * It holds no resource and may be copied. */
typedef struct es_grid {
    es_grid_state state;
    bool walks;           /* locked by es__grid_walk: period_ns is a mean */
    double period_ns;     /* between two refreshes; 0 unless locked, as all up to uncertain_ppm */
    int64_t readings;     /* taken in since the lock */
    int64_t late_ns;      /* how late readings usually are: the median of the newest 128 to 256 */
    int64_t spread_ns;    /* what 95 in 100 of them are within; both to a tenth or so */
    double uncertain_ppm; /* how far off period_ns may be, as es__grid_uncertain_ns */
    int64_t locks;        /* how often a grid was found, or the phase of a known one anew */
    es_grid_config config;
    /* readings */
    int64_t taken;       /* in all */
    int32_t usable;      /* of the newest, for a search */
    int32_t unbroken;    /* of the newest, without a pause between */
    int32_t backward;    /* in a row before the newest, and each after the last ... */
    int64_t backward_ns; /* ... which was this */
    /* locked: refresh number anchor.index is at anchor.at_ns */
    es_grid_point anchor;
    int64_t last_index;  /* of the newest reading */
    double early;        /* readings may be so early, in periods ... */
    double early_ns;     /* ... but are not believed beyond this ... */
    double late_most_ns; /* ... nor usual beyond that */
    es_grid_lateness lateness;
    /* doubts */
    int32_t doubt;           /* 0: none; else how many readings a search is to look at, at least */
    int64_t doubt_ns;        /* since when */
    bool routine;            /* for no reason but that little would give one */
    int32_t calm;            /* readings before it may be doubted again for being late */
    int32_t lifted;          /* readings in a row that are far over the edge */
    double odd;              /* share of the last dozen readings that are unusual ... */
    double odd_early;        /* ... that are early ... */
    double impossible;       /* ... and of the last fifty that no grid allows */
    es_grid_numbers numbers; /* of up to 32 readings */
    bool fine;               /* enough of them once were where a coarser grid has none */
    /* the edge: the earliest reading of each so many refreshes */
    int32_t edge_count;
    int64_t edge_share;     /* refreshes for each point */
    int64_t edge_end;       /* index that the next one ends before */
    es_grid_point earliest; /* so far, for the next one */
    bool has_earliest;
    bool replaying;         /* the readings that a lock was found in; the line is laid after them */
    double edge_error_ns;   /* how far off the line may be in the middle of the edge ... */
    double edge_error_rate; /* ... and so much more per nanosecond from there */
    int64_t edge_middle_ns;
    int32_t settling;      /* readings since the phase was regained; 0: long ago */
    int64_t settled_index; /* refreshes before it belong to the time before */
    double regained_ns;    /* how far off it may have been then */
    double lowest_ns;      /* no reading since was less over the edge */
    /* searching */
    int32_t attempts; /* searches since readings were last discarded */
    int32_t rest;     /* readings before the next search */
    int32_t wary;     /* the more grids proved none soon after, the more a search asks for */
    int32_t changed;  /* readings that a lock of long standing may still be among */
    double guess_ns;  /* the period to try first; 0: none */
    double known_ns;  /* what it may be a whole multiple of (es__grid_hide) ... */
    bool steered;     /* by the caller; readings scattered over such a part of a period before */
    double steered_over;
    double hidden_ns; /* ... and how close readings may come */
    int32_t hides;    /* so many refreshes were one of those found; 1: it is as it was found */
    bool regaining;   /* after a pause: the period is known, the edge is kept, the phase is asked */
    int64_t kept_spread_ns; /* of before the pause */
    es_grid_walking walk;
    /* what is large, after what each reading asks for (es_loop) */
    es_grid_search search;
    int64_t recent_ns[ES_GRID_RECENT]; /* reading number n is at n % ES_GRID_RECENT */
    es_grid_point edge[ES_GRID_EDGE];  /* oldest first */
} es_grid;

/* How a display is dealt with. {0} is the default. */
typedef struct es_display_config {
    int64_t refresh_ns;      /* the refresh as announced: a guess to begin with; 0: unknown */
    int64_t interval_ns;     /* wanted between two pictures: the nearest whole number of refreshes
                                is kept; 0: each refresh */
    int64_t interval_max_ns; /* no more refreshes than that are held; 0: 50 ms */
    int64_t tick_ns;         /* what es__display_phase refers to; 0: nothing */
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

/* The room. Initialise with es__display_init; read mode, grid and es__display_get_status. It
 * holds no resource and may be copied. */
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

#endif
