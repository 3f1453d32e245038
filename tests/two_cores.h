/* SPDX-License-Identifier: Zlib
 *
 * A core for each of two threads, if the process has two. Else both may take turns on one core for
 * as long as a short run takes.
 *
 * On Linux the file that includes this one defines _GNU_SOURCE first (pthread_setaffinity_np).
 */
#ifndef EVENSTEP_TESTS_TWO_CORES_H
#define EVENSTEP_TESTS_TWO_CORES_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static size_t two_cores[2];
static bool has_two_cores;

/* Once, before there are threads. */
static inline void two_cores_find(void)
{
#if defined(__linux__)
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) {
        return;
    }
    int found = 0;
    for (size_t core = 0; found < 2; ++core) {
        if (CPU_ISSET(core, &all)) {
            two_cores[found++] = core;
        }
    }
    has_two_cores = true;
#endif
}

/* The calling thread runs on this one: 0 or 1. */
static inline void two_cores_take(int which)
{
#if defined(__linux__)
    cpu_set_t one;
    CPU_ZERO(&one);
    if (has_two_cores) {
        CPU_SET(two_cores[which], &one);
        (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    }
#else
    (void)which;
#endif
}

/* For a thread that waits for the other one in a loop: sleeps now and then. Beside busy processes
 * sched_yield would cost a time slice of each. */
static inline void let_the_other(void)
{
    static _Thread_local unsigned calls;
    if (++calls % 256 == 0) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

#endif
