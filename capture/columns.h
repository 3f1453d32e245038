/* SPDX-License-Identifier: Zlib
 *
 * columns: the formats, and what their columns mean.
 */
#ifndef CAPTURE_COLUMNS_H
#define CAPTURE_COLUMNS_H

#include "capture/input.h"

/* What a column holds. AT: a time of the file's clock; the others are durations or no times. */
typedef enum lab_quantity {
    LAB_Q_NONE,
    LAB_Q_PROCESS,
    LAB_Q_PID,
    LAB_Q_CHAIN,      /* the swap chain's address */
    LAB_Q_KIND,       /* "Application", or what generated the frame */
    LAB_Q_MODE,       /* how the system shows frames: "Composed: Flip" */
    LAB_Q_TEARING,    /* 1: allowed; up to here, texts */
    LAB_Q_DROPPED,    /* 1: never shown */
    LAB_Q_FPS,        /* MangoHud: shows the unit of its frame times */
    LAB_Q_SERIES,     /* es_trace: changes after a gap */
    LAB_Q_FRAME,      /* since the frame before */
    LAB_Q_FRAME_NEXT, /* from this frame's CPU start to the next one's */
    LAB_Q_PRESENT_AT,
    LAB_Q_CPU_AT,
    LAB_Q_END_AT, /* present returned */
    LAB_Q_SHOWN_AT,
    LAB_Q_PLANNED_AT, /* the refresh at which the system wanted the frame to begin */
    LAB_Q_CONTENT_AT, /* on a clock of its own */
    LAB_Q_CPU_BUSY,   /* CPU start to present */
    LAB_Q_IN_PRESENT,
    LAB_Q_UNTIL_SHOWN,   /* from present on */
    LAB_Q_SHOWN_LATENCY, /* from the CPU start on */
    LAB_Q_BETWEEN_SHOWN, /* since the frame shown before */
    LAB_Q_UNTIL_GPU,     /* from present to the GPU's start; may be negative */
    LAB_Q_GPU_LATENCY,   /* from the CPU start to it */
    LAB_Q_UNTIL_GPU_END, /* from present on; may be negative */
    LAB_Q_GPU_TIME,      /* from the GPU's start to its end */
    LAB_Q_GPU_BUSY,
    LAB_Q_SIMULATION, /* between simulation starts, which the program reported */
    LAB_Q_SIMULATION_AT,
    LAB_Q_LATE,
    LAB_Q_WORK,
    LAB_Q_CPU_TIME, /* that the presenting thread used from the CPU start to present */
    LAB_Q_BLOCKED,  /* of it, waited in calls that wait for images, fences or queues */
    LAB_Q_CLICK_LATENCY, /* from input to the screen, in the order of lab_latency */
    LAB_Q_INPUT_LATENCY,
    LAB_Q_INSTRUMENTED_LATENCY,
    LAB_Q_PC_LATENCY,
    LAB_Q_COUNT
} lab_quantity;

bool lab_is_absolute(lab_quantity q); /* a time of some clock */

/* A column of a file. */
typedef struct lab_column {
    const char *name; /* letter case aside */
    lab_quantity quantity;
    int exponent;     /* the unit is ms * 10^exponent */
    unsigned formats; /* the families of formats in which it means this */
} lab_column;

/* What a file with some columns is. */
typedef struct lab_format {
    const char *title;
    unsigned family;
    const char *needs[2]; /* columns, letter case aside; the second may be NULL */
} lab_format;

enum {
    LAB_FAMILY_PRESENT_MON = 1,
    LAB_FAMILY_V2 = 2,
    LAB_FAMILY_MANGO_HUD = 4,
    LAB_FAMILY_TRACE = 8,
    LAB_FAMILY_OTHER = 16,
    LAB_FAMILY_FRAPS = 32,
    LAB_FAMILY_UNREAL = 64,
    LAB_FAMILY_ANDROID = 128,
    LAB_FAMILY_METAL = 256,
    LAB_FAMILY_LAYER = 512,                                 /* capture/layer */
    LAB_FAMILY_STAMPS = LAB_FAMILY_TRACE | LAB_FAMILY_LAYER /* times of one clock; "": not known */
};

/* The first format all of whose columns are among the names; NULL: none. */
const lab_format *lab_format_of(const lab_slice *names, size_t count);

/* What a column means in a family of formats; NULL: nothing. */
const lab_column *lab_column_of(lab_slice name, unsigned family);

/* What frames have (LAB_HAS_...), by the quantities that rows have, as bits. */
unsigned lab_frame_has(uint64_t quantities);

#endif
