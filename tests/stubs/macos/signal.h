/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_SIGNAL_H
#define STUB_SIGNAL_H

#include <stdint.h>

typedef uint32_t sigset_t;

enum {
    SIGILL = 4,
    SIGTRAP = 5,
    SIGABRT = 6,
    SIGFPE = 8,
    SIGBUS = 10,
    SIGSEGV = 11,
    SIGSYS = 12,
    SIGPROF = 27,
    SIG_BLOCK = 1,
    SIG_SETMASK = 3
};

int sigfillset(sigset_t *set);
int sigdelset(sigset_t *set, int number);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);

#endif
