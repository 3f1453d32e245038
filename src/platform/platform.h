/* SPDX-License-Identifier: Zlib
 *
 * The whole porting contract: what a platform must provide. One folder per platform implements it;
 * the build compiles exactly one. Nothing outside src/platform/ calls an operating system.
 *
 * All functions may be called from any thread, and need no set-up or tear-down.
 */
#ifndef ES_PLATFORM_H
#define ES_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this platform has a clock at all. If not, nothing below is ever called. */
bool es__platform_has_clock(void);

/* Monotonic time in ns, from an origin that does not change while the program runs. */
int64_t es__platform_now_ns(void);

/* Returns when es__platform_now_ns() >= deadline_ns, whatever signals arrive. */
void es__platform_wait_until(int64_t deadline_ns);

/* Total time the machine has slept, whether es__platform_now_ns counted it or not. */
int64_t es__platform_suspended_ns(void);

/* CPU time used by the calling thread. */
int64_t es__platform_thread_cpu_ns(void);

/* One line for people: which clock, how it waits. Static text. */
const char *es__platform_description(void);

#endif
