/* SPDX-License-Identifier: Zlib
 *
 * wait: how to meet a deadline: sleep for most of it, spin for the end.
 *
 * A sleeper wakes late, by an amount that depends on the machine, its load and its power settings:
 * a few microseconds on one, a hundred on another, milliseconds where all cores are taken. A spin
 * ends in time and burns the core. This room decides, from how late earlier sleeps ended, how long
 * before a deadline to wake: so that nineteen waits in twenty end in a short spin,
 * and no earlier.
 *
 * It neither sleeps nor spins nor reads a clock: values in, decisions out. es_clock_system waits by
 * it; so can a clock of your own:
 *
 *   int64_t wake_ns = es__wait_plan(&wait, now(), deadline_ns);
 *   if (wake_ns > now()) {
 *       do {
 *           sleep_until(wake_ns); // a signal may cut it
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

#include "evenstep/base.h"

/* The longest spin before a deadline, unless margin_max_ns says another. At 60 waits per second
 * 200 us are 1.2 % of a core. es_clock_system keeps an es_wait per thread, out of reach. It allows
 * what a platform's timers are known to need: this on Linux; 1 ms on Windows, 2 ms before 10.1803;
 * 1.5 ms on macOS. For another longest spin wrap a clock of your own round an es_wait. */
#define ES_WAIT_MARGIN_MAX_NS ((int64_t)200000)

/* How many sleeps are remembered. */
enum { ES_WAIT_KEPT = 64 };

/* What one thread has learned of its sleeps. Zero-initialised it knows nothing and is careful: the
 * longest margin. The totals are there to be read; change nothing but margin_max_ns. */
typedef struct es_wait {
    int64_t margin_max_ns;         /* yours to set, at first; 0: ES_WAIT_MARGIN_MAX_NS */
    int64_t margin_ns;             /* of the last plan: wakes so long before its deadline */
    int64_t learned_ns;            /* what it will be, if nothing speaks against a spin */
    int64_t sleeps;                /* learned from, in total */
    int64_t spins;                 /* in total ... */
    int64_t stolen_spins;          /* ... and those in which something else took the core */
    int32_t sleeping_only;         /* waits still to be slept to the end, without a spin */
    bool spinning;                 /* a spin has begun since the last plan ... */
    bool stolen;                   /* ... and was stolen */
    uint32_t recent_stolen;        /* a bit for each of the last 32 spins, the newest lowest */
    int32_t late_ns[ES_WAIT_KEPT]; /* how late the last sleeps ended: a ring */
} es_wait;

/* When to wake for a deadline. The margin is the third longest lateness of the last 64 sleeps (as
 * many in proportion of fewer). Sleeps later than the longest margin, which none meets, are passed
 * over where there are more of them; if they are half of all, and until eight sleeps are known, it
 * is the longest.
 * wait: what this thread has learned; not NULL.
 * now_ns: the time now.
 * deadline_ns: when to go on, on the same clock.
 * Returns the time to sleep to; now_ns or earlier: too close, do not sleep at all. From there to
 * the deadline spin; the deadline itself where the core is contended, so that nothing is left to
 * spin.
 * Errors: Times that do not fit are cut to the range.
 * Source: our own; a fixed margin and the worst of recent sleeps are what others use (spin_sleep,
 * SDL 3's SDL_DelayPrecise): docs/waiting.md has them side by side. */
int64_t es__wait_plan(es_wait *wait, int64_t now_ns, int64_t deadline_ns);

/* Learns from a sleep.
 * wait: as in es__wait_plan; not NULL.
 * wake_ns: when it was to end, from es__wait_plan.
 * woke_ns: when it did. Earlier than wake_ns counts as in time; do not hand in a sleep that was
 * cut short, go on with it. */
void es__wait_woke(es_wait *wait, int64_t wake_ns, int64_t woke_ns);

/* Hands in a turn of the spin; the next plan learns from it, when there is time for that. Spinning
 * is given up for a while where the core is taken away too often: a spinning thread uses up its
 * share of a contended core, and is then sent to the end of the queue. One spin in eight that was
 * stolen, of the last 32, is taken for contention; the next 64 waits are slept only.
 * wait: as in es__wait_plan; not NULL.
 * gap_ns: the time since the reading of the clock before this one. Over 500 us: stolen.
 * Source: schedulers charge a thread for what it spins: docs/waiting.md, "How to read it". */
void es__wait_spun(es_wait *wait, int64_t gap_ns);

#endif
