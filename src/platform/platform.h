/* SPDX-License-Identifier: Zlib
 *
 * The porting contract. One folder per platform implements it; the build compiles exactly one.
 * Nothing outside src/platform/ calls an operating system.
 *
 * Any thread may call any function. Only threads need set-up and tear-down.
 */
#ifndef ES_PLATFORM_H
#define ES_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "evenstep/evenstep.h"
#include "wait.h"

/* Whether this platform has a clock. If not, nothing below is ever called. */
bool es__platform_has_clock(void);

/* Monotonic time in ns, from an origin that does not change while the program runs. */
int64_t es__platform_now_ns(void);

/* One sleep to an absolute time, on the clock of es__platform_now_ns, as exact as the system can
 * without spinning. Settings changed for it are restored. It may end early (a signal, another
 * timer) and mostly ends late. now_ns: just read. False: did not sleep, too little time is left. */
bool es__platform_sleep_until(int64_t now_ns, int64_t wake_ns);

/* One pause instruction of the processor, or nothing. */
void es__platform_spin_pause(void);

/* The calling thread's es__wait; zero at first. */
es__wait *es__platform_thread_wait(void);

/* Waits until a time from from_ns to deadline_ns, and seldom longer: sleeps as es__wait does for the
 * deadline, and spins only where that ends before from_ns. In clock.c. */
void es__clock_wait(int64_t from_ns, int64_t deadline_ns);

/* As es_thread_set_realtime. */
es_result es__platform_real_time(bool on);

/* Total time the machine has slept, whether es__platform_now_ns counted it or not. */
int64_t es__platform_suspended_ns(void);

/* CPU time used by the calling thread. Coarse: it advances at the system's ticks, every few ms. */
int64_t es__platform_thread_cpu_ns(void);
#ifdef _WIN32
#define ES__THREAD_CPU_IS_COARSE true
#else
#define ES__THREAD_CPU_IS_COARSE false
#endif

/* A thread in this many bytes, at a multiple of 8, which it needs until it is joined. It calls
 * run(argument). False: there is none; do not join it. Other threads take asynchronous signals; the
 * stack is at least 1 MB. Joining waits until run has returned. */
enum { ES__PLATFORM_THREAD_SIZE = 64 };
bool es__platform_thread_start(void *thread, void (*run)(void *argument), void *argument);
void es__platform_thread_join(void *thread);

/* A file that is written from beginning to end, or read anywhere: by the C library, in file.c. */
typedef struct es__file {
    void *handle; /* FILE; NULL: closed */
    int failed;   /* errno of the first failure, es__file_close's too; of the last read; 0: none */
} es__file;

/* create: a new file, to write; one that is there is refused. */
bool es__file_open(es__file *file, const char *path, bool create);

/* The functions of an es_stream, whose user is the es__file. They fail with ES_ERR_IO. */
es_result es__file_write(void *user, const void *bytes, size_t size);
es_result es__file_read(void *user, uint64_t offset, void *bytes, size_t size, size_t *got);
void es__file_close(es__file *file);

/* Closes and removes a file that es__file_open has created at this path. Closed: does nothing. */
void es__file_discard(es__file *file, const char *path);

/* Why it failed, as strerror returns it; NULL: it did not. */
const char *es__file_reason(const es__file *file);

/* One line for people: which clock, how it sleeps. Static text. */
const char *es__platform_description(void);

#endif
