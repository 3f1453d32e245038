/* SPDX-License-Identifier: Zlib
 *
 * _beginthreadex, not CreateThread: it readies the C library for the thread, whose callbacks use
 * it.
 */
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0601 /* Windows 7 */
#endif
#include <windows.h>
#undef near /* nothing, to windows.h: in the files to copy, our code comes after it */

#include "../platform.h"

#include <process.h>

typedef struct windows_thread {
    HANDLE handle;
    void (*run)(void *argument);
    void *argument;
} windows_thread;

_Static_assert(sizeof(windows_thread) <= ES__PLATFORM_THREAD_SIZE, "its bytes");

static unsigned __stdcall windows_run_thread(void *user)
{
    const windows_thread *thread = user;
    thread->run(thread->argument);
    return 0;
}

/* The stack has the program's default size: 1 MB unless its linker sets another. */
bool es__platform_thread_start(void *thread, void (*run)(void *argument), void *argument)
{
    windows_thread *made = thread;
    made->run = run;
    made->argument = argument;
    made->handle = (HANDLE)(uintptr_t)_beginthreadex(NULL, 0, windows_run_thread, made, 0, NULL);
    return made->handle != NULL;
}

void es__platform_thread_join(void *thread)
{
    windows_thread *made = thread;
    WaitForSingleObject(made->handle, INFINITE);
    CloseHandle(made->handle);
}
