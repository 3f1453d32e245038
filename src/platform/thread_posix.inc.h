/* SPDX-License-Identifier: Zlib
 *
 * Threads of POSIX: a system's thread_NAME.c defines the feature macros and includes this.
 */
#include "platform.h"

#include <pthread.h>
#include <signal.h>

/* 128 KB otherwise with musl, 512 KB on macOS. */
#define STACK_MIN ((size_t)1 << 20)

typedef struct posix_thread {
    pthread_t id;
    void (*run)(void *argument);
    void *argument;
} posix_thread;

_Static_assert(
        sizeof(posix_thread) <= ES__PLATFORM_THREAD_SIZE, "ES__PLATFORM_THREAD_SIZE holds it");

static void *posix_run_thread(void *user)
{
    const posix_thread *thread = user;
    thread->run(thread->argument);
    return NULL;
}

/* Signals that a thread causes itself, and a profiler's, stay unblocked. */
static void fill_blocked(sigset_t *blocked)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigfillset(blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
        sigdelset(blocked, own[i]);
    }
}

/* A new thread inherits the blocked signals of the thread that creates it. */
bool es__platform_thread_start(void *thread, void (*run)(void *argument), void *argument)
{
    posix_thread *made = thread;
    pthread_attr_t attributes;
    sigset_t blocked, before;
    size_t stack = 0;
    made->run = run;
    made->argument = argument;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < STACK_MIN) {
        pthread_attr_setstacksize(&attributes, STACK_MIN);
    }
    fill_blocked(&blocked);
    bool masked = pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0;
    bool started = pthread_create(&made->id, &attributes, posix_run_thread, made) == 0;
    if (masked) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return started;
}

void es__platform_thread_join(void *thread)
{
    pthread_join(((const posix_thread *)thread)->id, NULL);
}
