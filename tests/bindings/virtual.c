/* SPDX-License-Identifier: Zlib
 *
 * A preload for unmodified interpreters: a virtual clock, sleeps that end exactly, and presents that block until a
 * simulated refresh. For tests of pygame and LOVE (tests/bindings.sh).
 *
 *   VIRTUAL_HZ      refreshes per second
 *   VIRTUAL_LATE    the system wakes the main thread up to so many ns late after a sleep or a present
 *   VIRTUAL_WORK    drawing takes so many ns
 *   VIRTUAL_LOG     a file: when each frame is seen, in ns
 *
 * The time is that of the main thread: it passes by sleeps, presents, work, and a little by each reading. Sleeps of
 * other threads are real.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS        INT64_C(1000000000)
#define START_NS  (1000 * NS)
#define READ_NS   200  /* each reading of the clock */
#define REAL_WAIT 1000 /* us: of other threads */

static int64_t now_ns = START_NS, work_ns;
static uint32_t seed = 1;
static FILE *seen;

static int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) : otherwise;
}

static int is_main(void)
{
    return syscall(SYS_gettid) == getpid();
}

static void wake(void)
{
    int64_t late_ns = setting("VIRTUAL_LATE", 0);
    seed = seed * 1664525U + 1013904223U;
    now_ns += late_ns > 0 ? (int64_t)(seed >> 8) % late_ns : 0;
}

static int sleep_until(int64_t until_ns)
{
    if (!is_main()) {
        struct timeval wait = {0, REAL_WAIT};
        return (int)syscall(SYS_select, 0, NULL, NULL, NULL, &wait);
    }
    if (until_ns > now_ns) {
        now_ns = until_ns;
        wake();
    }
    return 0;
}

static int64_t ns_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * NS + t->tv_nsec;
}

static void present(void)
{
    int64_t hz = setting("VIRTUAL_HZ", 60);
    now_ns += setting("VIRTUAL_WORK", 2000000);
    work_ns += setting("VIRTUAL_WORK", 2000000);
    int64_t index = (int64_t)(((__int128)(now_ns - START_NS) * hz) / NS) + 1;
    now_ns = START_NS + (int64_t)(((__int128)index * NS + hz - 1) / hz);
    if (seen == NULL && getenv("VIRTUAL_LOG") != NULL) {
        seen = fopen(getenv("VIRTUAL_LOG"), "w");
    }
    if (seen != NULL) {
        fprintf(seen, "%lld\n", (long long)(now_ns - START_NS));
        fflush(seen);
    }
    wake();
}

/* --- the C library ---------------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int64_t ns = clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID ? work_ns : now_ns;
    if (is_main() && ns == now_ns) {
        now_ns += READ_NS;
    }
    *out = (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
    return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    *out = (struct timeval){.tv_sec = now_ns / NS, .tv_usec = now_ns % NS / 1000};
    return 0;
}

int nanosleep(const struct timespec *length, struct timespec *left)
{
    (void)left;
    return sleep_until(now_ns + ns_of(length));
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *length, struct timespec *left)
{
    (void)clock, (void)left;
    return sleep_until((flags & TIMER_ABSTIME) != 0 ? ns_of(length) : now_ns + ns_of(length));
}

int usleep(useconds_t us)
{
    return sleep_until(now_ns + (int64_t)us * 1000);
}

/* --- SDL 2 ------------------------------------------------------------------------------------ */

/* An interpreter's module may have loaded it for itself alone, where RTLD_NEXT does not look. */
static void *real(const char *name)
{
    void *library = dlopen("libSDL2-2.0.so.0", RTLD_LAZY);
    void *function = library != NULL ? dlsym(library, name) : NULL;
    if (function == NULL) {
        fprintf(stderr, "virtual: SDL 2 has no %s\n", name);
        abort();
    }
    return function;
}

void SDL_RenderPresent(void *renderer)
{
    ((void (*)(void *))real("SDL_RenderPresent"))(renderer);
    present();
}

void SDL_GL_SwapWindow(void *window)
{
    ((void (*)(void *))real("SDL_GL_SwapWindow"))(window);
    present();
}

int SDL_UpdateWindowSurface(void *window)
{
    int result = ((int (*)(void *))real("SDL_UpdateWindowSurface"))(window);
    present();
    return result;
}
