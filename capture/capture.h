/* SPDX-License-Identifier: Zlib
 *
 * capture: the frames of a real program, from a file that any tool has written.
 *
 * A reader streams: it holds a part of the file, and goes through it twice. The first pass checks all
 * rows, finds what the file has and, where it has several programs or swap chains, the one with the
 * most rows. The second pass returns that one's frames.
 *
 * Formats are rows of the tables in columns.c: PresentMon 1 and 2 (with --v1_metrics and
 * --v2_metrics, in both spellings, and of its window), FrameView, OCAT, CapFrameX (CSV and JSON),
 * MangoHud, Unreal's CSV profiler, Fraps, Android's framestats, es_trace, the Vulkan layer of
 * capture/layer, any CSV with a column of
 * frame times; the log of Metal's HUD; plain numbers in ms. docs/captures.md says what each has.
 *
 * CSV as RFC 4180 has it: quoted fields, doubled quotes, commas and line ends in quotes; a UTF-8 byte
 * order mark and CRLF are accepted. The header is the first line, of the first 1024, that names a
 * column of frame times. A reader depends on no locale.
 *
 * A row that cannot be read is left out, and its neighbours are not compared. If that happens to
 * more than a tenth of the rows, the capture is refused.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "evenstep/evenstep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lab_capture lab_capture;

typedef struct lab_capture_options {
    const char
            *column; /* of the frame times, in ms, letter case as in the header; NULL: by format */
    const char
            *process; /* rows of this program only (letter case aside); NULL: the one with most */
    const char *name; /* for error messages: the file's; NULL: the path */
} lab_capture_options;

/* Why a capture was refused: "game.csv:17: MsBetweenPresents: not a number: 'abc'". */
typedef struct lab_capture_error {
    char text[320];
    size_t line; /* from 1; 0: the file as a whole */
} lab_capture_error;

/* What the frames of a capture have: bits of lab_capture_info.has. */
enum {
    LAB_HAS_CPU_START = 1,
    LAB_HAS_PRESENT = 2,
    LAB_HAS_PRESENT_END = 4,
    LAB_HAS_GPU_START = 8,
    LAB_HAS_GPU_END = 16,
    LAB_HAS_GPU_BUSY = 32,
    LAB_HAS_SHOWN = 64,
    LAB_HAS_CONTENT = 128,
    LAB_HAS_LATE = 256,
    LAB_HAS_WORK = 512,
    LAB_HAS_CPU_TIME = 1024,
    LAB_HAS_BLOCKED = 2048
};

/* What content_ms is. */
typedef enum lab_capture_content {
    LAB_CAPTURE_CONTENT_NONE = 0, /* the file cannot show it */
    LAB_CAPTURE_CONTENT_CPU_START, /* when work on the frame began, as PresentMon assumes: a program that
                              shows a planned instant is measured wrongly */
    LAB_CAPTURE_CONTENT_TRUE       /* the simulated instant, as the program reported it */
} lab_capture_content;

/* What shown_ms is. */
typedef enum lab_capture_shown {
    LAB_CAPTURE_SHOWN_NONE = 0,       /* the file cannot show it */
    LAB_CAPTURE_SHOWN_PRESENT_RETURN, /* the call that presents returned: where it waited for the display, errors are an
                              upper bound */
    LAB_CAPTURE_SHOWN_REPORTED        /* the screen time, as the system reported it */
} lab_capture_shown;

/* What the first pass found. */
typedef struct lab_capture_info {
    const char *format;    /* such as "PresentMon 1"; static */
    char process[64];      /* the program of the rows, cut to fit; empty: not named */
    char column[64];       /* of the frame times; empty: plain numbers, or there is none */
    size_t header_line;    /* 0: there is none */
    size_t rows;           /* of data, of all programs */
    size_t used;           /* rows of the program and swap chain that is read */
    size_t unread;         /* rows left out so far, because they cannot be read, ... */
    lab_capture_error why; /* ... and what is wrong with the first */
    bool in_us;            /* the frame times are in us: an early MangoHud's */
    bool is_cut;           /* the last row was cut off, and is left out */
    bool is_composed;    /* the compositor shows nearly all frames: at refreshes of a fixed rate */
    bool allows_tearing; /* of nearly all frames, not composed: shown when the program presents */
    unsigned has;        /* LAB_HAS_... */
    lab_capture_content content;
    lab_capture_shown shown;
} lab_capture_info;

/* From input to the screen, as PresentMon 2 reports it for the frames that show an input. */
typedef enum lab_latency {
    LAB_LATENCY_CLICK,        /* from a click to the frame that shows it */
    LAB_LATENCY_INPUT,        /* from any input, of mouse or keyboard */
    LAB_LATENCY_INSTRUMENTED, /* from the input that the program reported */
    LAB_LATENCY_PC,           /* likewise, of programs with Reflex's markers */
    LAB_LATENCIES
} lab_latency;

/* One frame. Times are ms from the first frame on; NaN: not known, or did not happen. */
typedef struct lab_capture_frame {
    size_t line;           /* in the file; JSON: from 1, of all runs */
    int32_t series;        /* frames of one series can be compared */
    bool is_generated;     /* by a driver, between two frames of the program */
    double frame_ms;       /* the frame time that the file gives, else the distance of CPU starts */
    double cpu_start_ms;   /* work on it began */
    double present_ms;     /* the call that presents began ... */
    double present_end_ms; /* ... and returned */
    double gpu_start_ms;   /* the GPU began ... */
    double gpu_end_ms;     /* ... and ended; of it, it was busy for ... */
    double gpu_busy_ms;
    double shown_ms;   /* see lab_capture_shown; NaN: dropped, if the file has screen times */
    double content_ms; /* see lab_capture_content; from any origin */
    double step_ms;    /* since the frame shown before, as the file states it beside shown_ms */
    double late_ms;    /* es_trace: drawing began this much after its planned start */
    double work_ms;    /* es_trace: ticks and drawing, without time blocked */
    double cpu_ms;     /* evenstep capture: CPU time of the presenting thread, up to present, ... */
    double blocked_ms; /* ... and its time in calls that wait for images, fences or queues */
    double latency_ms[LAB_LATENCIES];
} lab_capture_frame;

/* Opens a capture and goes through it once. NULL: refused, see error. */
lab_capture *lab_capture_open(
        const char *path, const lab_capture_options *options, lab_capture_error *error);

/* The same for text in memory, which outlives the capture. */
lab_capture *lab_capture_open_text(const char *text, size_t size,
        const lab_capture_options *options, lab_capture_error *error);

void lab_capture_close(lab_capture *capture);

/* Control characters, which a terminal would obey, become ?. */
void lab_make_printable(char *text);

const lab_capture_info *lab_capture_get_info(const lab_capture *capture);

/* The next frame. ES_ERR_STATE: there are no more. ES_ERR_INVALID: refused, see error. */
es_result lab_capture_next(
        lab_capture *capture, lab_capture_frame *frame, lab_capture_error *error);

/* Refuses what was read as of a line (0: the file) with a reason. Returns ES_ERR_INVALID. */
es_result lab_capture_refuse(
        const lab_capture *capture, lab_capture_error *error, size_t line, const char *format, ...);

#endif
