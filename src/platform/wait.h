/* SPDX-License-Identifier: Zlib
 *
 * wait: how to meet a deadline: sleep for most of it, spin for the end.
 *
 * A sleep ends late by an amount that depends on the machine, its load and its power settings: a
 * few microseconds, a hundred, or milliseconds where all cores are busy. A spin ends in time and
 * uses the core. This module decides, from how late earlier sleeps ended, how long before a
 * deadline to wake: so that nineteen waits in twenty end in a short spin.
 *
 * It neither sleeps nor spins nor reads a clock. es__clock_system waits by it:
 *
 *   int64_t wake_ns = es__wait_plan(&wait, now(), deadline_ns);
 *   if (wake_ns > now()) {
 *       do {
 *           sleep_until(wake_ns); // a signal may interrupt it
 *       } while (now() < wake_ns);
 *       es__wait_woke(&wait, wake_ns, now());
 *   }
 *   for (int64_t at_ns = now(), next_ns; at_ns < deadline_ns; at_ns = next_ns) {
 *       next_ns = now();
 *       es__wait_spun(&wait, next_ns - at_ns);
 *   }
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
typedef struct es_wait {
    int64_t margin_max_ns;         /* set at first by the platform; 0: ES_WAIT_MARGIN_MAX_NS */
    int64_t margin_ns;             /* of the last plan: time from waking to the deadline */
    int64_t learned_ns;            /* the next margin, unless spinning is suspended */
    int64_t sleeps;                /* learned from, in total */
    int64_t spins;                 /* in total */
    int64_t preempted_spins;       /* of them, in which another thread took the core */
    int32_t sleeping_only;         /* waits still to be slept to the end, without a spin */
    bool spinning;                 /* a spin has begun since the last plan */
    bool preempted;                /* it was preempted */
    uint32_t recent_preempted;     /* a bit for each of the last 32 spins, the newest lowest */
    int32_t late_ns[ES_WAIT_KEPT]; /* how late the last sleeps ended: a ring */
} es_wait;

/* When to wake for a deadline: the time to sleep to. now_ns or earlier: do not sleep at all. Spin
 * from there to the deadline. The deadline itself: the core is contended, do not spin. The margin
 * is the third longest lateness of the last 64 sleeps (of fewer, in proportion). Sleeps later than
 * the longest margin are left out where there are more of them. The margin is the longest one if
 * they are half of all, and until eight sleeps are known. Saturates. Source: our own. Others use a
 * fixed margin or the worst of recent sleeps (spin_sleep, SDL 3's SDL_DelayPrecise):
 * docs/notes/waiting.md compares them. */
int64_t es__wait_plan(es_wait *wait, int64_t now_ns, int64_t deadline_ns);

/* Learns from a sleep that was to end at wake_ns and ended at woke_ns; earlier counts as in time. A
 * sleep that was interrupted is continued, not reported. */
void es__wait_woke(es_wait *wait, int64_t wake_ns, int64_t woke_ns);

/* Reports a turn of the spin: gap_ns since the reading of the clock before; over 500 us the spin
 * was preempted. The next plan learns from it, when there is time. A spinning thread uses up its
 * share of a contended core and then waits for its turn, so four preempted spins of the last 32 are
 * contention: the next 64 waits only sleep. Source: docs/notes/waiting.md. */
void es__wait_spun(es_wait *wait, int64_t gap_ns);

#endif
