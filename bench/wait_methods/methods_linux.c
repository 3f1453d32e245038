/* SPDX-License-Identifier: Zlib
 *
 * What the methods need of Linux. Elsewhere those that sleep absolutely are missing, and the
 * command says so.
 */
#define _GNU_SOURCE
#include "methods.h"

#ifdef __linux__

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

bool wait_system_has_absolute(void)
{
    return true;
}

/* A slack of 0 means the one that the thread was born with. Source: prctl(2), PR_SET_TIMERSLACK. */
void wait_system_sleep_until(int64_t wake_ns, wait_slack slack)
{
    struct timespec wake = {(time_t)(wake_ns / ES_NS_PER_S), (long)(wake_ns % ES_NS_PER_S)};
    if (slack == WAIT_SLACK_1NS) {
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {
    }
    if (slack == WAIT_SLACK_1NS) {
        prctl(PR_SET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
    }
}

int64_t wait_system_slack_ns(void)
{
    return prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
}

void wait_system_processor(char *text, size_t size)
{
    static const char key[] = "model name"; /* x86 has it, others mostly do not */
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    text[0] = '\0';
    while (file != NULL && text[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, key, sizeof key - 1) == 0 && value != NULL) {
            value += 1 + strspn(value + 1, " ");
            snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

#else

bool wait_system_has_absolute(void)
{
    return false;
}

void wait_system_sleep_until(int64_t wake_ns, wait_slack slack)
{
    (void)wake_ns;
    (void)slack;
}

int64_t wait_system_slack_ns(void)
{
    return -1;
}

void wait_system_processor(char *text, size_t size)
{
    if (size > 0) {
        text[0] = '\0';
    }
}

#endif
