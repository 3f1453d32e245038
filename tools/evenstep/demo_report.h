/* SPDX-License-Identifier: Zlib
 *
 * demo_report: what the demo measures, and how it tells: live figures, a summary, a JSON file.
 *
 * All figures come from es_frame_report through es_meter. Two meters: one over the whole run, and
 * one over the last two seconds, for the overlay.
 */
#ifndef DEMO_REPORT_H
#define DEMO_REPORT_H

#include "evenstep/clock.h"
#include "evenstep/feedback.h"
#include "evenstep/meter.h"
#include "evenstep/threaded.h"

#include "demo_delay.h"
#include "demo_extra.h"
#include "demo_seen.h"
#include "demo_view.h"

#include <stdio.h>
#include <time.h>

enum { DEMO_TURNS = 2 };    /* loops that may take turns */
enum { DEMO_RECENT = 512 }; /* frames looked back on: two seconds at up to 256 fps */

/* The first and the newest picture for which the platform told its count of refreshes. */
typedef struct demo_counted {
    int64_t first_ns, newest_ns;
    uint64_t first, newest; /* 0: none */
} demo_counted;

/* What the thread of the ticks tells of itself. */
typedef struct demo_thread_figures {
    int64_t ticks;
    int64_t late; /* begun over a period after it was due: no frame can have had it in time */
    int64_t late_ns_max;
    int64_t jumps; /* of the jumper, in ticks */
} demo_thread_figures;

enum { DEMO_THREADED_STATUSES = ES_THREADED_EMPTY + 1 };

typedef struct demo_stats {
    es_meter meter; /* the whole run */
    es_meter_sample *samples;
    es_clock clock;
    int64_t started_ns;
    clock_t cpu_started;
    double seconds;   /* what demo_stats_stop found: how long it ran, */
    double cpu_share; /* and the share of that spent on the CPU, by all threads */
    es_frame_report recent[DEMO_RECENT];      /* a ring */
    int64_t recent_frames;                    /* frames put into it, in all */
    es_meter_summary summary;                 /* of the last two seconds */
    int64_t summary_ns;                       /* when that was worked out */
    int64_t jumps;                            /* of the jumper, in ticks */
    int64_t streaks;                          /* pictures that had it between its two places */
    demo_thread_figures ticks;                /* where these have a thread of their own, ... */
    int64_t statuses[DEMO_THREADED_STATUSES]; /* ... pictures by where they come from */
    int64_t slow_motion_ns;                        /* totals that a meter does not keep */
    int64_t stretched_ns;
    demo_hud_bar bars[DEMO_HUD_BARS]; /* a ring that no restart empties: a change is to be seen */
    int64_t bar_count;                /* put into it, in all */
    int64_t shown_ns;                 /* of the last frame; 0: none yet */
    demo_seen seen;                   /* what was expected of the display */
    const es_feedback *feedback;      /* what tells how long a refresh takes, besides the loop */
    const demo_counted *counted;      /* and, over the whole run, the platform's count */
    demo_delays delays;               /* of input */
    demo_refreshes live_repeats;      /* of the last two seconds */
    double live_age_ms;               /* of the input in the newest picture */
} demo_stats;

/* One of the loops that took turns. */
typedef struct demo_turn {
    const char *loop;
    const demo_stats *stats;
} demo_turn;

/* What the summaries say besides the measurements. */
typedef struct demo_run {
    const char *view;
    char shows[96]; /* demo_view.shows, which goes with the view */
    const char *loop;
    const char *pace;
    const char *policy;
    const char *show; /* how it shows what is between ticks */
    bool blend;
    int32_t lead;
    const char *jump;         /* how the jumper jumped */
    const char *teller;       /* what tells screen times, or NULL */
    const char *teller_ended; /* why it told nothing more at the end, or NULL */
    es_feedback_status feedback;
    int64_t hidden_frames; /* run while nobody saw the view: in no figure */
    es_rate tick_rate;
    const char *exchange; /* how states cross to the thread that draws, or NULL: there is one */
    const char *split;    /* the loop in the lower half, or NULL */
    const char *split_show;
    bool split_blend;
    const demo_stats *compare; /* and how that did */
    demo_turn turns[DEMO_TURNS];
    int turn_count; /* 0: one loop ran all the time */
    int64_t every_ns;
    demo_extra extra;       /* input, job and groups */
    const char *screenshot; /* where it was written, or NULL */
    const char *report;     /* likewise */
} demo_run;

/** Starts measuring on this clock, with a feedback and a count that outlive it. false: no memory.
 * demo_stats_finish gives it back. */
bool demo_stats_init(demo_stats *stats, const es_clock *clock, const es_feedback *feedback,
        const demo_counted *counted);
void demo_stats_finish(demo_stats *stats);

/** Forgets everything measured and starts anew. */
void demo_stats_restart(demo_stats *stats);

/** How long it has been measuring. */
double demo_stats_seconds(const demo_stats *stats);

/** Takes in a frame whose screen time is settled. counts: false: it is seen in the graph only. */
void demo_stats_add(demo_stats *stats, const demo_picture *picture, bool counts);

/** How long a refresh of the display takes, as the server's screen times or the loop found; 0: not
 * known. */
double demo_stats_period_ns(const demo_stats *stats);

/** The same, by the platform's time and count over the whole run; 0: it does not count. */
double demo_counted_period_ns(const demo_counted *counted);

/** Ends measuring. What comes after, such as writing files, is in no figure. */
void demo_stats_stop(demo_stats *stats);

/** Events per second, for people. */
double demo_rate_hz(es_rate rate);

/** Sets a line of the overlay. key: NULL for a figure; key and label are static texts. */
void demo_hud_put(demo_hud_line *line, const char *key, const char *label, bool accent,
        const char *format, ...)
#if defined(__GNUC__)
        __attribute__((format(printf, 5, 6)))
#endif
        ;

/** The next line of the overlay's figures. */
demo_hud_line *demo_hud_figure(demo_hud *hud);

/** Fills one side of the overlay, but for its name and rule; hud's scales grow as it needs. */
void demo_stats_show_side(demo_stats *stats, demo_hud_side *side, demo_hud *hud);

/** Fills the figures of the overlay, after demo_stats_show_side. frame: the one being drawn; jumps:
 * something jumps. */
void demo_stats_show_figures(const demo_stats *stats, const es_frame *frame, bool jumps,
        const demo_extra *extra, demo_hud *hud);

/** Prints a dozen lines for people. After demo_stats_stop. */
void demo_stats_print(const demo_stats *stats, const demo_run *run, FILE *out);

/** Writes the JSON report, after demo_stats_stop; "-" is stdout. false: it could not, see errno. */
bool demo_stats_write(const demo_stats *stats, const demo_run *run, const char *path);

#endif
