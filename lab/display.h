/* SPDX-License-Identifier: Zlib
 *
 * display: a virtual screen. It computes when a submitted frame flips, when present returns, and
 * what the platform reports about it.
 *
 * Times are true time: nanoseconds of the display's own clock, from 0. The program's clock differs
 * from it (machine.h).
 *
 * Fixed refresh: refresh k is at phase + k periods, exactly, also at 60000/1001 Hz. A frame flips
 * at the first refresh that is at least `latch` after it was ready, and after the flip of the frame
 * before it. Present of frame n returns when frame n - queue + 1 has flipped: queue 1 is double
 * buffering, 2 is what most platforms do (one frame may wait), 3 lets two wait.
 * With mailbox present never blocks, and a frame replaces one that still waits for the same
 * refresh.
 *
 * Variable refresh: a frame flips when it is ready, but at least 1/max after the flip before.
 * If none comes for 1/min, the panel repeats the last one, which takes 1/max. A frame that is ready
 * meanwhile flips after the repeat.
 */
#ifndef LAB_DISPLAY_H
#define LAB_DISPLAY_H

#include "evenstep/time.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum lab_refresh {
    LAB_REFRESH_FIXED = 0,
    LAB_REFRESH_VARIABLE,
    LAB_REFRESH_NONE /* no screen: present takes present_ns, and then the frame is seen */
} lab_refresh;

typedef enum lab_swap {
    LAB_SWAP_FIFO = 0, /* vsync: every frame is seen */
    LAB_SWAP_MAILBOX   /* the newest frame that is ready is seen */
} lab_swap;

/* The platform's reports of screen times (lab_feedback_take in machine.h). */
typedef enum lab_feedback {
    LAB_FEEDBACK_NONE = 0,
    LAB_FEEDBACK_EXACT, /* the true screen time, as soon as the frame has flipped */
    LAB_FEEDBACK_NOISY, /* exact plus noise, uniformly up to feedback_noise_ns early or late */
    LAB_FEEDBACK_LATE,  /* exact, once feedback_late_frames more have flipped */
    LAB_FEEDBACK_LYING, /* the time of the next refresh after submit, whenever the flip was */
    LAB_FEEDBACK_STOPS  /* exact, until true time feedback_stop_ns; from then on none */
} lab_feedback;

/* A screen. {0} is 60 Hz fixed, queue 2, no feedback. */
typedef struct lab_display {
    lab_refresh refresh;
    lab_swap swap;          /* fixed refresh only */
    es_rate rate;           /* fixed: refreshes per second; {0, 0}: 60 */
    es_rate announced;      /* the announced rate; {0, 0}: the true one (variable: rate_max) */
    bool unannounced;       /* no rate is announced */
    es_rate rate_after;     /* fixed: the rate changes to this, unannounced; {0, 0}: it stays */
    int64_t rate_change_ns; /* ... at the first refresh at or after this: the next one comes one new
                               period later */
    es_rate rate_min;       /* variable: self-refresh at this; {0, 0}: 48 */
    es_rate rate_max;       /* variable: no faster than this; {0, 0}: 144 */
    es_rate nominal;        /* the period of LAB_UNIT_REFRESH; {0, 0}: rate, 90 where the refresh is
                         variable */
    int32_t queue;          /* 1 to 3; 0: 2 */
    int64_t latch_ns;       /* fixed: a frame must be ready this long before its refresh; 0: none */
    int64_t phase_ns;   /* fixed: time of refresh 0; -1: a random part of a period, by the seed */
    int64_t present_ns; /* none: what present takes; 0: nothing */
    lab_feedback feedback;
    int64_t feedback_noise_ns;
    int32_t feedback_late_frames;
    int64_t feedback_stop_ns;
} lab_display;

/* The result of presenting one frame. */
typedef struct lab_flip {
    int64_t shown_ns;  /* when it flips */
    int64_t return_ns; /* when present could return; not after ready_ns if it does not block */
    int64_t refreshes; /* fixed: refreshes since the flip before; 1: none was missed. 0: the first
                          frame, or no fixed refresh */
    bool replaces;     /* mailbox: the frame before is never seen */
} lab_flip;

enum { LAB_QUEUE_MAX = 3 };

/* The running screen. */
typedef struct lab_screen {
    lab_display config;              /* with the defaults filled in */
    int64_t flips_ns[LAB_QUEUE_MAX]; /* of the frames before, by frame modulo */
    int64_t frames;
    int64_t last_refresh; /* refresh of the last flip */
    int64_t last_flip_ns;
    int64_t change_refresh; /* fixed: last refresh of the first rate; INT64_MAX: it stays */
    int64_t change_ns;      /* when that is */
    int64_t min_period_ns;  /* variable: 1/max */
    int64_t max_period_ns;  /* variable: 1/min */
} lab_screen;

/* Names the field and the reason in *error, unless error is NULL. Returns ES_ERR_INVALID. */
es_result lab_refuse(es_error *error, const char *field, const char *reason);

/* The defaults filled in, and checked: returns ES_ERR_INVALID and names the field in error (may be
 * NULL) when something is out of range. */
es_result lab_display_resolve(const lab_display *display, lab_display *resolved, es_error *error);

/* The period by which costs are measured, in ns. display: resolved. */
int64_t lab_display_period_ns(const lab_display *display);

/* Starts a screen. display: resolved; a phase of -1 counts as 0. */
void lab_screen_init(lab_screen *screen, const lab_display *display);

/* The result of a frame that is submitted at submit_ns and ready at ready_ns (later than submit
 * where a GPU works on it). Changes nothing. */
lab_flip lab_screen_foresee(const lab_screen *screen, int64_t submit_ns, int64_t ready_ns);

/* Presents it. Submit times must not go back. */
lab_flip lab_screen_present(lab_screen *screen, int64_t submit_ns, int64_t ready_ns);

/* Fixed refresh: the first refresh at or after an instant; its number in index if not NULL. */
int64_t lab_screen_next_refresh(const lab_screen *screen, int64_t at_ns, int64_t *index);

#endif
