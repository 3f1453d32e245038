/* SPDX-License-Identifier: Zlib
 *
 * lock: mutual exclusion as three words that an engine can fill with its own lock, and the system's
 * mutex behind them for programs that have none:
 *
 *   es_mutex mutex;
 *   if (es_mutex_init(&mutex) == ES_OK) {
 *       config.lock = es_mutex_get(&mutex);
 *   }
 *
 * An exchange of kind ES_EXCHANGE_LOCKED needs one. There is no try, condition, timeout or
 * recursion. Nothing is allocated.
 */
#ifndef EVENSTEP_LOCK_H
#define EVENSTEP_LOCK_H

#include "evenstep/evenstep.h"

/* What was written before unlock is visible after the next lock. */
typedef struct es_lock {
    void *user;                 /* passed to both */
    void (*lock)(void *user);   /* returns when no other thread holds it */
    void (*unlock)(void *user); /* called by the thread that holds it */
} es_lock;

/* The system's mutex, in the caller's memory. It must not be copied or moved. */
typedef struct es_mutex {
    uint64_t opaque[8]; /* the largest, a POSIX mutex of macOS, has 64 bytes */
} es_mutex;

#ifdef __cplusplus
extern "C" {
#endif

/** Makes an unlocked mutex, before other threads use it. End it with es_mutex_destroy.
 *
 * mutex: must not be in use.
 * Errors: ES_ERR_INVALID: NULL. ES_ERR_UNSUPPORTED: the platform has no threads, or its system no
 *   more mutexes.
 */
ES_API es_result es_mutex_init(es_mutex *mutex);

/** Returns the mutex as an es_lock, valid as long as the mutex. Any thread may use it; none may
 * lock it twice. */
ES_API es_lock es_mutex_get(es_mutex *mutex);

/** Ends a mutex that no thread holds, waits for or uses any more. */
ES_API void es_mutex_destroy(es_mutex *mutex);

#ifdef __cplusplus
}
#endif

#endif
