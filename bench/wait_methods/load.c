/* SPDX-License-Identifier: Zlib */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Turns between two looks at whether the parent is still there, a fraction of a second: so the load
 * stays one of plain arithmetic. */
static const uint32_t turns = 100000000;

/* An orphan gets another parent, so it notices on any system; on Linux the kernel ends it first,
 * also if the parent is gone by then. */
static void spin(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
#endif
    while (getppid() == parent) {
        for (volatile uint32_t i = 0; i < turns; ++i) {
        }
    }
    _exit(0);
}

bool wait_load_start(wait_load *load, int32_t count)
{
    pid_t parent = getpid();
    load->count = 0;
    for (int32_t i = 0; i < count && i < WAIT_LOAD_MAX; ++i) {
        pid_t pid = fork();
        if (pid == 0) {
            spin(parent);
        }
        if (pid < 0) {
            int problem = errno;
            wait_load_end(load);
            errno = problem;
            return false;
        }
        load->pids[load->count++] = pid;
    }
    return true;
}

bool wait_load_end(wait_load *load)
{
    bool all_there = true;
    for (size_t i = 0; i < load->count; ++i) {
        bool there = waitpid(load->pids[i], NULL, WNOHANG) == 0;
        all_there = all_there && there;
        if (there) {
            kill(load->pids[i], SIGKILL);
            while (waitpid(load->pids[i], NULL, 0) < 0 && errno == EINTR) {
            }
        }
    }
    load->count = 0;
    return all_there;
}
