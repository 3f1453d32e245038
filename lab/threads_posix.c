/* SPDX-License-Identifier: Zlib */
#include "lab/threads.h"

#include <pthread.h>
#include <stdlib.h>

struct lab_thread {
    pthread_t id;
    void (*work)(void *user);
    void *user;
};

struct lab_mutex {
    pthread_mutex_t lock;
};

static void *run(void *argument)
{
    const lab_thread *thread = argument;
    thread->work(thread->user);
    return NULL;
}

lab_thread *lab_thread_start(void (*work)(void *user), void *user)
{
    lab_thread *thread = malloc(sizeof *thread);
    if (thread != NULL) {
        thread->work = work;
        thread->user = user;
        if (pthread_create(&thread->id, NULL, run, thread) == 0) {
            return thread;
        }
        free(thread);
    }
    return NULL;
}

void lab_thread_join(lab_thread *thread)
{
    pthread_join(thread->id, NULL);
    free(thread);
}

lab_mutex *lab_mutex_create(void)
{
    lab_mutex *mutex = malloc(sizeof *mutex);
    if (mutex != NULL && pthread_mutex_init(&mutex->lock, NULL) != 0) {
        free(mutex);
        mutex = NULL;
    }
    return mutex;
}

void lab_mutex_lock(lab_mutex *mutex)
{
    pthread_mutex_lock(&mutex->lock);
}

void lab_mutex_unlock(lab_mutex *mutex)
{
    pthread_mutex_unlock(&mutex->lock);
}

void lab_mutex_free(lab_mutex *mutex)
{
    if (mutex != NULL) {
        pthread_mutex_destroy(&mutex->lock);
        free(mutex);
    }
}
