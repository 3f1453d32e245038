/* SPDX-License-Identifier: Zlib
 *
 * No platform: the program brings its own clock, or a host gives the time of every frame.
 */
#include "../platform.h"

bool es__platform_has_clock(void)
{
    return false;
}

int64_t es__platform_now_ns(void)
{
    return 0;
}

bool es__platform_sleep_until(int64_t now_ns, int64_t wake_ns)
{
    (void)now_ns;
    (void)wake_ns;
    return false;
}

void es__platform_spin_pause(void)
{
}

es__wait *es__platform_thread_wait(void)
{
    return NULL;
}

es_result es__platform_real_time(bool on)
{
    (void)on;
    return ES_ERR_UNSUPPORTED;
}

int64_t es__platform_suspended_ns(void)
{
    return 0;
}

int64_t es__platform_thread_cpu_ns(void)
{
    return 0;
}

const char *es__platform_description(void)
{
    return "no platform: bring a clock of your own";
}
