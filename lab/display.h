/* SPDX-License-Identifier: Zlib
 *
 * display: a virtual screen. It computes when a submitted frame flips, and when the queue has room
 * for the next one.
 *
 * Times are true time: nanoseconds of the display's own clock, from 0. The program's clock differs
 * from it (machine.h).
 *
 * Fixed refresh: refresh k is at phase + k periods, exactly, also at 60000/1001 Hz. With a grain,
 * its time is rounded up to a multiple of the grain. A frame flips at the first refresh that is at
 * least `latch` after it was ready, and after the flip of the frame before. With mailbox it
 * replaces the frame that is queued for the same refresh.
 *
 * Variable refresh: a frame flips when it is ready, but at least 1/max after the flip before.
 * If no frame comes for 1/min, the panel repeats the last one, which takes 1/max. A frame that is
 * ready during a repeat flips after it.
 *
 * Queue: at most `queue` frames are queued and have not flipped. There is room for frame n when
 * frame n - queue has flipped. 1 is double buffering, 2 is usual. lab_blocking selects the call
 * that waits for room. With mailbox a frame leaves the queue when the GPU has finished it, so a
 * call waits only while the GPU is `queue` frames behind.
 *
 * Targets: a frame may ask for a time or a count of refreshes (lab_screen_aim). lab_targets says what
 * the screen does with them. A frame keeps its place in the queue until it flips.
 *
 * Host: an engine, a browser or a compositor calls the program once per refresh, unless the GPU is
 * `queue` frames behind. Presents return at once. A frame flips `queue` refreshes after its call,
 * or later if it is not ready in time. If two frames flip at one refresh, only the newer is seen.
 */
#ifndef LAB_DISPLAY_H
#define LAB_DISPLAY_H

#include "lab/numbers.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum lab_refresh {
    LAB_REFRESH_FIXED = 0,
    LAB_REFRESH_VARIABLE,
    LAB_REFRESH_NONE /* no screen: present takes present_ns; the frame is seen at its end */
} lab_refresh;

typedef enum lab_swap {
    LAB_SWAP_FIFO = 0, /* vsync: every frame is seen */
    LAB_SWAP_MAILBOX   /* the newest frame that is ready is seen */
} lab_swap;

/* Which call waits until the queue has room. */
typedef enum lab_blocking {
    LAB_BLOCK_AFTER_QUEUE = 0, /* present queues the frame, then waits for room for the next one */
    LAB_BLOCK_BEFORE_QUEUE,    /* present waits for room, then queues the frame */
    LAB_BLOCK_AT_ACQUIRE       /* present queues and returns; the first drawing call of the next
                                  frame, or its acquisition of a buffer, waits for room */
} lab_blocking;

/* The time stamp that a host passes to the program with each call, on the program's clock. */
typedef enum lab_host {
    LAB_HOST_NONE = 0, /* the program owns its loop */
    LAB_HOST_EXACT,    /* the refresh's time */
    LAB_HOST_100US,    /* the refresh's time, rounded down to 0.1 ms */
    LAB_HOST_1MS,      /* the refresh's time, rounded down to 1 ms */
    LAB_HOST_LATE      /* the time of the call, which is up to 3 ms, but at most 0.9
                            periods, after the refresh */
} lab_host;

/* The screen's behaviour from an instant on. */
typedef enum lab_mode {
    LAB_MODE_CONFIGURED = 0, /* lab_display.refresh */
    LAB_MODE_FIXED,
    LAB_MODE_VARIABLE,
    LAB_MODE_UNSYNCED, /* vsync off: a frame is seen as soon as it is ready */
    LAB_MODE_HIDDEN    /* frames are not seen; each leaves the queue hold_ns after the frame before
                          it has left, or when the window is seen again */
} lab_mode;

/* A change of the screen. It replaces the change before it, also the rate. */
typedef struct lab_change {
    int64_t at_ns; /* fixed refresh: the rate changes at the first refresh at or after this, and the
                      next refresh comes one new period later */
    lab_mode mode;
    lab_ratio factor; /* times lab_display.rate; {0, 0}: 1 */
    int64_t hold_ns;
    int32_t queue; /* depth of the queue; 0: that of lab_display */
    int32_t delay; /* fixed: a compositor takes a frame at a refresh, and shows it so many later */
} lab_change;

enum { LAB_QUEUE_MAX = 4, LAB_CHANGES = 3 };

/* The platform's reports of screen times (lab_feedback_take in machine.h). */
typedef enum lab_feedback {
    LAB_FEEDBACK_NONE = 0,
    LAB_FEEDBACK_EXACT,   /* the true screen time, as soon as the frame has flipped */
    LAB_FEEDBACK_NOISY,   /* exact plus noise, uniformly up to feedback_noise_ns early or late */
    LAB_FEEDBACK_LATE,    /* exact, when feedback_late_frames more frames have flipped */
    LAB_FEEDBACK_WRONG,   /* the time of the next refresh after submit, not of the flip */
    LAB_FEEDBACK_STOPS,   /* exact, until true time feedback_stop_ns; from then on none */
    LAB_FEEDBACK_DISCARDS /* exact, but 10 % of the seen frames, by the seed, and all unseen frames
                             are reported as discarded */
} lab_feedback;

/* What the screen does with targets. Fixed refresh: the refresh nearest to the time. */
typedef enum lab_targets {
    LAB_TARGETS_NONE = 0,
    LAB_TARGETS_EXACT,    /* not before the time */
    LAB_TARGETS_LATE,     /* up to 0.5 ms after it, by the seed */
    LAB_TARGETS_DEADLINE, /* a frame must be ready 2 ms before it flips */
    LAB_TARGETS_ROUNDED,  /* not before the next whole 2 ms */
    LAB_TARGETS_IGNORED,  /* the platform says that it keeps them, and does not */
    LAB_TARGETS_LYING,    /* up to 20 ms after it, by the seed */
    LAB_TARGETS_COUNTS /* a swap interval: so many refreshes after the frame before; fixed only */
} lab_targets;

/* A screen. {0} is 60 Hz fixed, queue 2, no feedback. */
typedef struct lab_display {
    lab_refresh refresh;
    lab_swap swap;         /* fixed refresh only */
    es_rate rate;          /* fixed: refreshes per second; {0, 0}: 60, variable: rate_max */
    es_rate announced;     /* the announced rate; {0, 0}: the true one (variable: rate_max) */
    bool unannounced;      /* no rate is announced */
    es_rate rate_min;      /* variable: slowest refresh; {0, 0}: 48, fixed: a third of rate */
    es_rate rate_max;      /* variable: fastest refresh; {0, 0}: 144, fixed: rate */
    es_rate nominal;       /* the period of LAB_UNIT_REFRESH; {0, 0}: rate, 90 where the refresh is
                         variable */
    int32_t queue;         /* 1 to 4; 0: 2 */
    lab_blocking blocking; /* 0 if a host calls */
    int64_t latch_ns;      /* fixed: a frame must be ready this long before its refresh; 0: none */
    int64_t phase_ns;   /* fixed: time of refresh 0; -1: a random part of a period, by the seed */
    int64_t grain_ns;   /* fixed: refresh times are rounded up to this; 0: exact */
    int64_t jitter_ns;  /* fixed: each refresh comes up to this later, by the seed */
    es_rate leader;     /* fixed: frames leave the queue at refreshes of another display, with this
                           rate; {0, 0}: at those of this one */
    double late_share;  /* fixed: this share of the flips comes one refresh late, by the seed */
    int64_t present_ns; /* no screen: duration of a present */
    lab_host host;      /* fixed refresh only */
    bool host_expects;  /* the host says when a frame that is ready in time will be seen */
    lab_feedback feedback;
    int64_t feedback_noise_ns;
    int32_t feedback_late_frames;
    int64_t feedback_stop_ns;
    lab_targets targets;
    lab_change changes[LAB_CHANGES]; /* in order of time; at_ns 0 ends the list */
} lab_display;

/* The result of presenting one frame. */
typedef struct lab_flip {
    int64_t shown_ns;   /* when it flips */
    int64_t refreshes;  /* fixed: refreshes since the flip before; 1: none was missed; 0: the first
                           frame, or no fixed refresh */
    int64_t refresh_ns; /* fixed: the refresh period at the flip; else 0 */
    int64_t taken;      /* fixed: the refresh at which it leaves the queue */
    bool replaces;      /* mailbox, host: the frame before this one is never seen */
    bool hidden;        /* this frame is never seen */
} lab_flip;

/* Refreshes at one rate, from refresh number index on, which is at at_ns. */
typedef struct lab_segment {
    int64_t index;
    int64_t at_ns;
    es_rate rate;
} lab_segment;

/* The running screen. */
typedef struct lab_screen {
    lab_display config; /* with the defaults filled in */
    uint64_t late_key;  /* random numbers of late_share and jitter_ns */
    lab_segment segments[LAB_CHANGES + 1];
    int32_t segment_count;
    int32_t queue;                   /* depth since the last present */
    int64_t freed_ns[LAB_QUEUE_MAX]; /* frame n leaves the queue, at n % LAB_QUEUE_MAX */
    int64_t frames;
    int64_t last_refresh; /* index of the last refresh up to the last flip */
    int64_t last_taken;   /* fixed: index of the last refresh that took a frame */
    int64_t last_flip_ns;
    bool any_seen;     /* a frame has flipped */
    int64_t target_ns; /* of the next frame, true time; 0: none */
    int32_t target_refreshes;
} lab_screen;

/* Names the field and the reason in *error, unless error is NULL. Returns ES_ERR_INVALID. */
es_result lab_refuse(lab_refusal *error, const char *field, const char *reason);

/* What a field must be, and whether it is. */
typedef struct lab_requirement {
    bool holds;
    const char *field;
    const char *reason;
} lab_requirement;

/* Refuses by the first rule that does not hold. */
es_result lab_check(const lab_requirement *rules, size_t count, lab_refusal *error);

/* Fills in the defaults and checks. If a value is out of range, returns ES_ERR_INVALID and names
 * the field in error (may be NULL). */
es_result lab_display_resolve(
        const lab_display *display, lab_display *resolved, lab_refusal *error);

/* Starts a screen. display: resolved; a phase of -1 counts as 0. late_key: see lab_screen. */
void lab_screen_init(lab_screen *screen, const lab_display *display, uint64_t late_key);

/* The screen's behaviour at an instant; never LAB_MODE_CONFIGURED. */
lab_mode lab_screen_mode(const lab_screen *screen, int64_t at_ns);

/* The target of the next frame. target_ns: true time; 0: none. refreshes: from 1. */
void lab_screen_aim(lab_screen *screen, int64_t target_ns, int32_t refreshes);

/* When the queue has room for the next frame; INT64_MIN: it always had room. */
int64_t lab_screen_room_ns(const lab_screen *screen);

/* The result of a frame that is queued at queued_ns and that the GPU finishes at ready_ns. Changes
 * nothing. */
lab_flip lab_screen_foresee(const lab_screen *screen, int64_t queued_ns, int64_t ready_ns);

/* Queues such a frame. Times must not go back. */
lab_flip lab_screen_present(lab_screen *screen, int64_t queued_ns, int64_t ready_ns);

/* Fixed refresh: when the first one at or after an instant comes. index (or NULL): its number. */
int64_t lab_screen_next_refresh(const lab_screen *screen, int64_t at_ns, int64_t *index);

/* Fixed refresh: the time of refresh number index. */
int64_t lab_screen_refresh_ns(const lab_screen *screen, int64_t index);

#endif
