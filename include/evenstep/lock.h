/* SPDX-License-Identifier: Zlib
 *
 * lock: one thread at a time. A lock as three words, which an engine can fill with its own, and
 * the system's mutex behind them for programs that have none:
 *
 *   es_mutex mutex;
 *   if (es_mutex_init(&mutex) == ES_OK) {
 *       config.lock = es_mutex_get(&mutex);
 *   }
 *
 * Little here needs one: of the kit, an exchange of kind ES_EXCHANGE_LOCKED.
 *
 * Not for: more than mutual exclusion. There is no try, no condition, no timeout, no recursion.
 */
#ifndef EVENSTEP_LOCK_H
#define EVENSTEP_LOCK_H

#include "evenstep/base.h"

/* Some lock. What was written before unlock is seen after the next lock. */
typedef struct es_lock {
    void *user;                 /* handed to both */
    void (*lock)(void *user);   /* returns when no other thread has it */
    void (*unlock)(void *user); /* called by the thread that has it */
} es_lock;

/* The system's mutex, in the caller's memory. It must not be copied or moved. */
typedef struct es_mutex {
    uint64_t opaque[8]; /* the largest, of macOS' POSIX threads, has 64 bytes */
} es_mutex;

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a mutex, which nobody has.
 *
 * mutex: the caller's memory; not NULL; not one that is in use.
 * Returns: ES_OK, or an error and nothing to destroy.
 * Errors: ES_ERR_INVALID: NULL. ES_ERR_UNSUPPORTED: this platform has no threads, or its system has
 *   no mutex left.
 * Ownership: the caller destroys it with es_mutex_destroy. No memory is allocated.
 * Threads: one thread; others may use it from then on.
 */
ES_API es_result es_mutex_init(es_mutex *mutex);

/** A mutex as an es_lock.
 *
 * mutex: initialised.
 * Returns: a lock that is good as long as the mutex.
 * Errors: none.
 * Ownership: points to mutex.
 * Threads: any thread. lock and unlock: any thread; none locks what it already has.
 */
ES_API es_lock es_mutex_get(es_mutex *mutex);

/** Ends a mutex.
 *
 * mutex: initialised; nobody has it or waits for it.
 * Returns: nothing.
 * Errors: none.
 * Ownership: the memory is the caller's again.
 * Threads: one thread, when no other uses it any more.
 */
ES_API void es_mutex_destroy(es_mutex *mutex);

#ifdef __cplusplus
}
#endif

#endif
