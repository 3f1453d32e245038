/* SPDX-License-Identifier: Zlib
 *
 * threads: work on several threads, of POSIX or of Windows. (C11's <threads.h> is missing in
 * mingw-w64, and breaks under the thread sanitizer.) threads.c is the only file of the lab that
 * knows the system.
 */
#ifndef LAB_THREADS_H
#define LAB_THREADS_H

enum { LAB_THREADS_MAX = 256 };

/* Runs work(user) on up to count threads at once, the caller's among them, and returns when all have
 * ended. What they wrote is seen then.
 *
 * count: clamped to 1 to LAB_THREADS_MAX.
 * Returns how many threads ran it: fewer if the system gave no more. */
int lab_threads_run(int count, void (*work)(void *user), void *user);

/* One lock for all threads of a program. Not to be locked twice by one thread. */
void lab_lock(void);
void lab_unlock(void);

#endif
