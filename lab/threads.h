/* SPDX-License-Identifier: Zlib
 *
 * threads: threads and mutexes of POSIX or of Windows. (C11's <threads.h> is missing in
 * mingw-w64, and breaks under the thread sanitizer.) threads_posix.c and threads_windows.c are the
 * only files of the lab that know the system; the build compiles one.
 */
#ifndef LAB_THREADS_H
#define LAB_THREADS_H

typedef struct lab_thread lab_thread;
typedef struct lab_mutex lab_mutex;

/* Runs work(user) on a new thread, which lab_thread_join must end, once. NULL: no memory, or no
 * thread. */
lab_thread *lab_thread_start(void (*work)(void *user), void *user);

/* Returns when the thread's work has; all that it wrote is seen. */
void lab_thread_join(lab_thread *thread);

/* Not locked; NULL: out of memory. */
lab_mutex *lab_mutex_create(void);

/* Not to be locked twice by one thread. */
void lab_mutex_lock(lab_mutex *mutex);
void lab_mutex_unlock(lab_mutex *mutex);

/* Not while locked; NULL is fine. */
void lab_mutex_free(lab_mutex *mutex);

#endif
