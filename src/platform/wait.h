/* SPDX-License-Identifier: Zlib
 *
 * wait: how to meet a deadline: sleep for most of it, spin for the end.
 *
 * A sleep ends late by an amount that depends on the machine, its load and its power settings: a
 * few microseconds, a hundred, or milliseconds where all cores are busy. A spin ends in time and
 * uses the core. This module decides, from how late earlier sleeps ended, how long before a
 * deadline to wake: so that nineteen waits in twenty end in a short spin.
 *
 * Where other threads keep the cores busy, no short margin meets the delay of a long sleep. Then the
 * sleep is cut into naps towards its end: the delay comes at the first of them, while there is time.
 *
 * It neither sleeps nor spins nor reads a clock: es__clock_wait does, by it.
 */
#ifndef ES_WAIT_H
#define ES_WAIT_H

#include "evenstep/evenstep.h"

/* The longest spin before a deadline, unless margin_max_ns is set. At 60 waits per second 200 us
 * are 1.2 % of a core. Platforms allow what their timers need: this on Linux; 1 ms on Windows, 2 ms
 * before version 10.1803; 1.5 ms on macOS. */
#define ES_WAIT_MARGIN_MAX_NS ((int64_t)200000)

/* How many sleeps are remembered. */
enum { ES_WAIT_KEPT = 64 };

/* What one thread has learned of its sleeps. Zero-initialised it uses the longest margin at
 * first. */
typedef struct es__wait {
    int64_t margin_max_ns;         /* set at first by the platform; 0: ES_WAIT_MARGIN_MAX_NS */
    int64_t margin_ns;             /* of this wait: from the last sleep's end to the deadline */
    int64_t learned_ns;            /* the next margin */
    int64_t sleeps;                /* learned from, in total */
    int64_t longest_ns;            /* delay since sleeps are cut into naps */
    int64_t nap_ns;                /* of this wait: the length of a nap */
    int64_t worst_ns;              /* lateness of this wait's naps, without delays */
    int32_t napping;               /* waits for which sleeps are still cut; 0: they are not */
    bool was_late;                 /* a sleep of this wait was delayed by another thread */
    int32_t late_ns[ES_WAIT_KEPT]; /* how late the last sleeps ended: a ring */
} es__wait;

/* Begins a wait. Its margin is the third longest lateness of the last 64 sleeps (of fewer, in
 * proportion). Sleeps later than the longest margin are left out where there are more of them. The
 * margin is the longest one if they are half of all, and until eight sleeps are known. */
void es__wait_begin(es__wait *wait, int64_t now_ns, int64_t deadline_ns);

/* The time to sleep to. now_ns or earlier: do not sleep, spin to the deadline. Saturates.
 * A sleep that ends 0.5 ms later than the longest margin has waited for another thread. From then on,
 * until 256 waits had no such sleep, a wait is one sleep to twice the longest such delay before its
 * end, and naps: one for each ms of the wait, of 0.5 to 1 ms. If one of them was delayed, the last
 * one is spun. Source: our own; SDL 3's SDL_DelayPrecise always sleeps by 1 ms. Others use a fixed
 * margin or the worst of recent sleeps: docs/notes/waiting.md compares them. */
int64_t es__wait_next(const es__wait *wait, int64_t now_ns, int64_t deadline_ns);

/* Learns from a sleep that was to end at wake_ns and ended at woke_ns; earlier counts as in time. A
 * sleep that was interrupted is continued, not reported. */
void es__wait_woke(es__wait *wait, int64_t wake_ns, int64_t woke_ns);

#endif
