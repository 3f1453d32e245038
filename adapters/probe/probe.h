/* SPDX-License-Identifier: Zlib
 *
 * What the probe's two halves share: options, what is collected, how it is printed.
 */
#ifndef EVENSTEP_ADAPTERS_PROBE_H
#define EVENSTEP_ADAPTERS_PROBE_H


#include "evenstep/measure.h"

#include <stdio.h>

#define PROBE_KEPT 16384 /* samples kept: 68 s at 240 Hz */

typedef struct probe_options {
    const char *display;
    double seconds;
    uint64_t least; /* go on until so many frames are known, for a minute more at most */
    int timeout_ms;
    int width, height;
    bool watch;     /* x11: a second adapter watches what the first presents */
    bool silent;    /* x11: watch a window on which nobody presents */
    bool mailbox;   /* x11: do not queue; frames replace each other */
    bool resize;    /* x11: the window and the images change size all the time */
    bool destroy;   /* x11: destroy the window half way */
    double mode_hz; /* x11: half way, set a mode that announces this; 0: do not */
    bool restart;   /* x11: present by another adapter from half way, with serials of its own */
    int stop_pid;   /* stop this process, the server, after ten presented frames; 0: do not */
    int kill_pid;   /* kill it then */
} probe_options;

/* The samples, and the verdicts of `feedback` on them. */
typedef struct probe_log {
    es_present kept[PROBE_KEPT]; /* presented, in the order of arrival */
    int count;
    uint64_t presented, discarded, early; /* early: reported before it was seen */
    uint64_t grades[4];
    es_feedback *feedback;
    int64_t started_ns;
    bool signalled; /* the server was stopped or killed */
} probe_log;

/* CLOCK_MONOTONIC. */
int64_t probe_now_ns(void);

/* Starts a log. */
void probe_log_init(probe_log *log);

/* A frame was presented, drawn at drawn_ns. */
void probe_log_frame(probe_log *log, int64_t frame, int64_t drawn_ns);

/* The display said something. */
void probe_log_samples(probe_log *log, const es_present *samples, int count);

/* Whether the run goes on: until end_ns, or until frames are as many as wanted. */
bool probe_goes_on(const probe_options *options, uint64_t frames, int64_t end_ns);

/* Stops or kills the server as the options say, once, when ten frames were presented. A script that
 * did it after some time could be too early or too late. true: it was stopped just now. */
bool probe_signal_server(const probe_options *options, probe_log *log);

/* The period as delivered: the median, over pairs of frames half the run apart, of time by count of
 * refreshes; without a count, of the time between frames that follow each other. 0: unknown. */
int64_t probe_period_ns(probe_log *log, bool *by_sequence);

/* Prints the JSON members that both halves have, with a comma after each. */
void probe_log_print(probe_log *log);

/* The two halves; the exit status. 2: there is no such server, or it lacks the extension. */
int probe_x11(const probe_options *options);
int probe_wayland(const probe_options *options);
int probe_seat(const probe_options *options);

#endif
