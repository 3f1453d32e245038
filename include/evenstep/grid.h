/* SPDX-License-Identifier: Zlib
 *
 * grid: on which instants does a display refresh, as far as readings that are late can tell?
 *
 * A present that blocks returns after a refresh: a few microseconds after it, or a millisecond, but
 * never before. So the refreshes lie along the lower edge of such readings. This room finds that
 * edge, without being told the rate (10 to 1000 per second): first roughly, from a dozen readings,
 * then ever finer, to a few millionths of the period after ten seconds. It says how sure it is, and
 * when there is no such edge: on a display whose refresh varies, or where readings have nothing to
 * do with one.
 *
 *   es_grid_add(&grid, returned_ns);                            after each present that blocked
 *   if (grid.state == ES_GRID_LOCKED) {
 *       int64_t next_ns = es_grid_time_ns(&grid, es_grid_index(&grid, now_ns) + 1);
 *   }
 *
 * Refreshes may go by without a reading, one or many. What no reading can tell:
 *   - how late the earliest are. The grid lies where readings begin: what all of them are late by
 *     is not in it, nor in what it says of its error.
 *   - a finer grid than the readings'. A program that presents on every second refresh, and always
 *     did, sees a display of half the rate. Where readings once were on the refreshes between, the
 *     finer grid stays; also when the display changes to a part of its rate, on the same instants,
 *     which does no harm.
 *   - over a short span, whether a program paces itself: with intervals that are each 60 us uneven
 *     it passes for a grid, at times for a second or two, until that adds up.
 * Some displays set the timer for a refresh when the one before is over: headless compositors do.
 * What is late by a little stays so, and that adds up: there is no grid, and nothing in readings
 * tells such a display from a program that paces itself. Who knows that it is one says so
 * (es_grid_walk): then the refreshes are followed at their mean interval.
 *
 * Values in, decisions out: it reads no clock. One of the parts that display time is made of;
 * before 1.0 it may change in any minor version.
 */
#ifndef EVENSTEP_GRID_H
#define EVENSTEP_GRID_H

#include "evenstep/base.h"

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
    ES_GRID_WALK_LEAST = 32, /* readings that es_grid_walk asks for */
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

/* The grid, some 2.3 kB. Initialise with es_grid_init; read the first fields, the rest is its own.
 * It holds no resource and may be copied. */
typedef struct es_grid {
    es_grid_state state;
    bool walks;           /* locked by es_grid_walk: period_ns is a mean */
    double period_ns;     /* between two refreshes; 0 unless locked, as all up to uncertain_ppm */
    int64_t readings;     /* taken in since the lock */
    int64_t late_ns;      /* how late readings usually are: the median of the newest 128 to 256 */
    int64_t spread_ns;    /* what 95 in 100 of them are within; both to a tenth or so */
    double uncertain_ppm; /* how far off period_ns may be, as es_grid_uncertain_ns */
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
    double known_ns;  /* what it may be a whole multiple of (es_grid_hide) ... */
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

#ifdef __cplusplus
extern "C" {
#endif

/** Starts a search.
 *
 * grid: the caller's memory; not NULL.
 * config: NULL or all zero for the defaults.
 * Returns: ES_OK.
 * Errors: ES_ERR_INVALID: grid is NULL, or announced_ns is below 0.
 * Ownership: config is copied.
 * Threads: one per grid.
 */
ES_API es_result es_grid_init(es_grid *grid, const es_grid_config *config);

/** Takes in a reading: a time at, or shortly after, a refresh.
 *
 * A lock takes 13 readings where they scatter over a few hundredths of a period; where they scatter
 * more, 20 of them and 0.6 s, or 64; up to three quarters of a period, 96. It stays as long as
 * readings keep to it. Where they do not the newest are searched for another grid, or the lock is
 * lost; after some 0.3 s, or 0.5 to 1 s where they scatter widely. A rate that is near the old one
 * is found when it parts from it: 59.94 after 60 Hz after 0.7 s, with readings up to 0.1 ms late.
 *
 * After a pause without readings the lock stays where the time extrapolated fits; else only the
 * phase is found anew, from five readings or more. es_grid_uncertain_ns says how far it carries.
 * grid: initialised.
 * at_ns: on a clock that does not leap (or see es_grid_shift). One that is not after the last is
 *   passed over; eight in a row that rise are a clock that was set back.
 * Returns: nothing; see grid->state.
 * Errors: none; any times will do.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 * Source: our own. That the lower edge of one-sided delays tells a clock's rate is known from
 *   network time (S. Moon, P. Skelly, D. Towsley, "Estimation and Removal of Clock Skew from
 *   Network Delay Measurements", INFOCOM 1999).
 */
ES_API void es_grid_add(es_grid *grid, int64_t at_ns);

/** Says that these readings are a display's all the same.
 *
 * For where the state is ES_GRID_VARIES because what intervals are off by adds up. The caller must
 * know from elsewhere that a display sets their pace: say, because they do not follow the uneven
 * times at which the program hands pictures in. Then it is locked, and walks is set: period_ns is
 * the mean of the last 256 intervals or so, the phase that of the newest three readings, and
 * es_grid_uncertain_ns grows with the root of the refreshes from there. After 256 readings, 512 and
 * so on, a fixed grid is searched for, and takes its place. When intervals are no longer like each
 * other, the lock is lost.
 * grid: initialised.
 * Returns: whether it is locked. false: the state is another one; there are fewer readings than
 *   ES_GRID_WALK_LEAST; more than one interval in four is over a quarter off a whole number of
 *   their median; or the others are off by over 3.5 % of it on the mean.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API bool es_grid_walk(es_grid *grid);

/** Says which refreshes readings cannot show.
 *
 * Readings that are all on every second refresh, or third, seem to be of a display that is so slow.
 * So it is where pictures take longer than a refresh to make, or are held for several on purpose. A
 * grid of which every refresh has its reading is taken for a finer one, of 1/2 to 1/8 of its
 * period, where readings could not have come a refresh of that sooner, and it is known: as it is,
 * as half of what is known (3, 5 or 7 of them are the one found), or as announced (es_grid_config).
 * grid: initialised.
 * known_ns: a refresh that the display had before, to half a percent; 0: none is known.
 * hidden_ns: what pictures take, or are held for; readings come no closer, however fast the display
 *   is. 0: each refresh can have its reading, and a grid is what it seems.
 * Returns: nothing.
 * Errors: none; what is below 0 is taken for 0.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API void es_grid_hide(es_grid *grid, int64_t known_ns, int64_t hidden_ns);

/** The number of the last refresh at or before an instant.
 *
 * grid: initialised.
 * at_ns: on the same clock.
 * Returns: its number, from any origin that stays while locks does; 0 where the grid is not locked.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API int64_t es_grid_index(const es_grid *grid, int64_t at_ns);

/** When a refresh is.
 *
 * grid: initialised.
 * index: as es_grid_index counts.
 * Returns: its time, rounded up: es_grid_index gives the same index for it. 0 where the grid is not
 *   locked.
 * Errors: none; times that do not fit are cut to the range.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API int64_t es_grid_time_ns(const es_grid *grid, int64_t index);

/** How far off a refresh may be from what is told of it.
 *
 * The noise of the phase and the period's error times the distance from the readings: in 99 of 100
 * cases it was further from the truth than the time told, in simulation, and in half of them ten
 * times as far. Half a period while the lock is in doubt.
 * grid: initialised.
 * at_ns: about when; before or after the readings.
 * Returns: nanoseconds; 0 where the grid is not locked.
 * Errors: none; what does not fit is cut to the range.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API int64_t es_grid_uncertain_ns(const es_grid *grid, int64_t at_ns);

/** Moves all the past, where the caller found out that the clock leapt. A lock stays.
 *
 * grid: initialised.
 * by_ns: later by this, or earlier if below 0. Times that would not fit are cut to the range.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API void es_grid_shift(es_grid *grid, int64_t by_ns);

/** A locked grid, where the caller knows better: from now on what is said here goes, until the next
 * reading, from which on readings count again. For pictures that are handed in by a line of their
 * own, so that readings would only repeat that. es_grid_uncertain_ns comes of what readings were
 * scattered over before.
 *
 * grid: initialised. It is left alone unless it is locked and does not walk.
 * index, at_ns: a refresh by its number, and when it is; not before the newest reading.
 * period_ns: of refreshes; 1e6 to 100e6, else the grid is left alone.
 * Returns: true when it was taken; false when the grid was left alone.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API bool es_grid_steer(es_grid *grid, int64_t index, int64_t at_ns, double period_ns);

/** Forgets the lock and all readings. The period is tried first by the next search.
 *
 * grid: initialised.
 * Returns: nothing.
 * Errors: none.
 * Ownership: keeps nothing.
 * Threads: one per grid.
 */
ES_API void es_grid_drop(es_grid *grid);

#ifdef __cplusplus
}
#endif

#endif
