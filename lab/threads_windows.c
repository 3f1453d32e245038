/* SPDX-License-Identifier: Zlib
 *
 * _beginthreadex, not CreateThread: it readies the C library for the thread, which calls it.
 */
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0601 /* Windows 7 */
#endif
#include <windows.h>

#include "lab/threads.h"

#include <process.h>
#include <stdint.h>
#include <stdlib.h>

struct lab_thread {
    HANDLE handle;
    void (*work)(void *user);
    void *user;
};

struct lab_mutex {
    SRWLOCK lock;
};

static unsigned __stdcall run(void *argument)
{
    const lab_thread *thread = argument;
    thread->work(thread->user);
    return 0;
}

lab_thread *lab_thread_start(void (*work)(void *user), void *user)
{
    lab_thread *thread = malloc(sizeof *thread);
    if (thread != NULL) {
        thread->work = work;
        thread->user = user;
        thread->handle = (HANDLE)(uintptr_t)_beginthreadex(NULL, 0, run, thread, 0, NULL);
        if (thread->handle != NULL) {
            return thread;
        }
        free(thread);
    }
    return NULL;
}

void lab_thread_join(lab_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    free(thread);
}

lab_mutex *lab_mutex_create(void)
{
    lab_mutex *mutex = malloc(sizeof *mutex);
    if (mutex != NULL) {
        InitializeSRWLock(&mutex->lock);
    }
    return mutex;
}

void lab_mutex_lock(lab_mutex *mutex)
{
    AcquireSRWLockExclusive(&mutex->lock);
}

void lab_mutex_unlock(lab_mutex *mutex)
{
    ReleaseSRWLockExclusive(&mutex->lock);
}

void lab_mutex_free(lab_mutex *mutex)
{
    free(mutex);
}
