/* SPDX-License-Identifier: Zlib */
#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0601 /* Windows 7 */
#endif
#include <windows.h>

#include <process.h>
#include <stdint.h>
#else
#include <pthread.h>
#endif

#include "lab/threads.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct job {
    void (*work)(void *user);
    void *user;
} job;

/* --- the system ------------------------------------------------------------------------------- */

#ifdef _WIN32

typedef HANDLE thread;

static SRWLOCK lock = SRWLOCK_INIT;

static unsigned __stdcall run(void *argument)
{
    const job *one = argument;
    one->work(one->user);
    return 0;
}

/* _beginthreadex, not CreateThread: it readies the C library for the thread, which calls it. */
static bool start(thread *made, job *one)
{
    *made = (HANDLE)(uintptr_t)_beginthreadex(NULL, 0, run, one, 0, NULL);
    return *made != NULL;
}

static void join(thread made)
{
    WaitForSingleObject(made, INFINITE);
    CloseHandle(made);
}

void lab_lock(void)
{
    AcquireSRWLockExclusive(&lock);
}

void lab_unlock(void)
{
    ReleaseSRWLockExclusive(&lock);
}

#else

typedef pthread_t thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    const job *one = argument;
    one->work(one->user);
    return NULL;
}

static bool start(thread *made, job *one)
{
    return pthread_create(made, NULL, run, one) == 0;
}

static void join(thread made)
{
    pthread_join(made, NULL);
}

void lab_lock(void)
{
    pthread_mutex_lock(&lock);
}

void lab_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

#endif

/* --- all threads ------------------------------------------------------------------------------ */

int lab_threads_run(int count, void (*work)(void *user), void *user)
{
    thread threads[LAB_THREADS_MAX];
    job one = {work, user};
    int wanted = count < LAB_THREADS_MAX ? count : LAB_THREADS_MAX;
    int started = 0;
    while (started < wanted - 1 && start(&threads[started], &one)) {
        started += 1;
    }
    work(user);
    for (int i = 0; i < started; ++i) {
        join(threads[i]);
    }
    return started + 1;
}
