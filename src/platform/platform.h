/* SPDX-License-Identifier: Zlib
 *
 * The whole porting contract: what a platform must provide. One folder per platform implements it;
 * the build compiles exactly one. Nothing outside src/platform/ calls an operating system.
 *
 * All functions may be called from any thread, and but for mutexes and threads need no set-up or
 * tear-down.
 */
#ifndef ES_PLATFORM_H
#define ES_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "evenstep/base.h"
#include "wait.h"

/* Whether this platform has a clock at all. If not, nothing below is ever called. */
bool es__platform_has_clock(void);

/* Monotonic time in ns, from an origin that does not change while the program runs. */
int64_t es__platform_now_ns(void);

/* One sleep to an absolute time, on the clock of es__platform_now_ns, as exact as the system can
 * without spinning: what it has to be told for that is put back afterwards. May end early (a
 * signal, another timer due at about that time) and, mostly, late.
 * now_ns: just read. False: nothing was slept, too little is left for it. */
bool es__platform_sleep_until(int64_t now_ns, int64_t wake_ns);

/* Tells the processor that the thread spins: one pause instruction, or nothing. */
void es__platform_spin_pause(void);

/* What the calling thread has learned about its waits: one for each thread, zero at first. */
es_wait *es__platform_thread_wait(void);

/* Puts the calling thread before all ordinary ones, or back to where it was.
 * ES_ERR_REFUSED: the system says no. ES_ERR_UNSUPPORTED: it cannot. */
es_result es__platform_real_time(bool on);

/* Total time the machine has slept, whether es__platform_now_ns counted it or not. */
int64_t es__platform_suspended_ns(void);

/* CPU time used by the calling thread. Coarse: counted at the system's ticks, of ms. */
int64_t es__platform_thread_cpu_ns(void);
bool es__platform_thread_cpu_is_coarse(void);

/* A mutex in this many bytes, at a multiple of 8. False: none is to be had, and what follows is
 * never called. */
enum { ES__PLATFORM_MUTEX_SIZE = 64 };
bool es__platform_mutex_init(void *mutex);
void es__platform_mutex_lock(void *mutex);
void es__platform_mutex_unlock(void *mutex);
void es__platform_mutex_destroy(void *mutex);

/* A thread in this many bytes, at a multiple of 8, which it needs until it was joined;
 * run(argument) is called on it. False: none is to be had, and it is not to be joined. Asynchronous
 * signals are the other threads'; its stack is no smaller than 1 MB. Joining waits until run has
 * returned. */
enum { ES__PLATFORM_THREAD_SIZE = 64 };
bool es__platform_thread_start(void *thread, void (*run)(void *argument), void *argument);
void es__platform_thread_join(void *thread);

/* One line for people: which clock, how it sleeps. Static text. */
const char *es__platform_description(void);

#endif
