/* SPDX-License-Identifier: Zlib
 *
 * capture_causes: why the frames of a capture were uneven.
 *
 * A model of the program follows the capture, frame by frame: the program waits for its planned
 * start, works, presents and is blocked; the GPU draws; the display shows the frame at a refresh.
 * Each stage has its measured duration, or its median. With the medians of all stages but one, the
 * errors that remain are the effect of that stage. With all medians, they are the effect of the
 * rate of the frames. Content times have a stage, too: how far they are from evenly moving content.
 */
#ifndef CAPTURE_CAUSES_H
#define CAPTURE_CAUSES_H

#include "capture/capture.h"

typedef enum lab_cause {
    LAB_CAUSE_WAKE,    /* a wait for the planned start ended late */
    LAB_CAUSE_CPU,     /* time between two presents, without waits that the file has */
    LAB_CAUSE_GPU,     /* time of the GPU after present, or after the frame before */
    LAB_CAUSE_PRESENT, /* present returned later than the display needed */
    LAB_CAUSE_BEAT,    /* whole ticks per frame, close to a whole number: some show one more */
    LAB_CAUSE_TICKS,   /* whole ticks per frame, without interpolation */
    LAB_CAUSE_RATE,    /* even frames, whose interval is no whole number of refreshes */
    LAB_CAUSES
} lab_cause;

typedef enum lab_finding {
    LAB_CANNOT_TELL = 0, /* the file does not have the columns, or too few frames */
    LAB_IS_NO_CAUSE,
    LAB_IS_CAUSE
} lab_finding;

enum { LAB_WORST = 5, LAB_CAUSE_LINES = 3, LAB_CAUSES_FRAMES = 65536 };

typedef struct lab_cause_figures {
    lab_finding finding;
    double share;      /* of the animation error, that it explains: 0 to 1 */
    double p99;        /* of the animation errors that it makes alone, in refreshes */
    double max;        /* likewise */
    size_t count;      /* frames to which it alone gives an error over 0.1 refreshes */
    double usual_ms;   /* median of its stage; ticks: a tick; rate: the interval between frames */
    double longest_ms; /* longest of its stage; ticks and rate: interval between frames shown */
    size_t lines[LAB_CAUSE_LINES]; /* where it errs most; 0: none */
} lab_cause_figures;

/* One of the worst moments. */
typedef struct lab_moment {
    size_t line;
    double at_ms;    /* since the first frame */
    double error_ms; /* its animation error; without content times its d */
    lab_finding finding;
    lab_cause cause; /* LAB_IS_CAUSE: what makes at least half of the error, and most */
    double cause_ms; /* the time of the cause's stage there; ticks: how far content moved; rate:
                          since the frame shown before */
} lab_moment;

typedef struct lab_causes lab_causes;

/* NULL: out of memory. */
lab_causes *lab_causes_create(void);
void lab_causes_destroy(lab_causes *causes);

/* Adds a frame. The first LAB_CAUSES_FRAMES of one series are kept. */
void lab_causes_add(lab_causes *causes, const lab_capture_frame *frame);

/* refresh_ms: 0: not known. unit_ms: 1 refresh in the figures. Finds the causes of up to LAB_WORST
 * moments, too. False: out of memory. */
bool lab_causes_find(lab_causes *causes, const lab_capture_info *info, double refresh_ms,
        double unit_ms, lab_cause_figures figures[LAB_CAUSES], lab_moment *moments, size_t count);

#endif
