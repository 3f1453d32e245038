/* SPDX-License-Identifier: Zlib
 *
 * No threads: the program calls both sides (es_threads_tick_begin).
 */
#include "../platform.h"

bool es__platform_thread_start(void *thread, void (*run)(void *argument), void *argument)
{
    (void)thread;
    (void)run;
    (void)argument;
    return false;
}

void es__platform_thread_join(void *thread)
{
    (void)thread;
}
