/* SPDX-License-Identifier: Zlib
 *
 * Windows 7 and later. Nothing beyond kernel32 is linked: what only later versions have, or another
 * library, is looked up when it is first needed.
 *
 * The clock is QueryPerformanceCounter. It goes on while the machine sleeps (the documentation of
 * QueryPerformanceCounter says so), unlike Linux's and macOS' clocks: es__platform_suspended_ns
 * tells how much of it was sleep.
 *
 * A sleep is one wait for a timer:
 *   Windows 10 1803 and later   a high-resolution waitable timer: late by well under 1 ms
 *   before                      an ordinary one, at a period of 1 ms by winmm's timeBeginPeriod,
 *                               asked for with the first clock, and kept: late by up to 1 ms
 *   before, without winmm       an ordinary one: late by up to the system's tick, 15.6 ms
 *   where no timer is to be had Sleep, in whole ms rounded down, after the same timeBeginPeriod
 * The due time is relative, from the counter. An absolute one is a date: it follows the wall clock,
 * which people and time servers set. What a relative one loses is the moment between reading the
 * counter and setting the timer; it shows as lateness. From Windows 8 on relative timers leave out
 * time spent asleep, so a sleep that a suspend cuts in two ends late, as does the suspend.
 *
 * With ES_OLD_WINDOWS defined what came after Windows 8.1 is left out, so that the fallbacks can be
 * tested on a newer system.
 */
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0601 /* Windows 7 */
#endif
#include <windows.h>

#include "../platform.h"

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x00000002
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define PER_THREAD __declspec(thread)
#else
#define PER_THREAD _Thread_local
#endif

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/* Windows counts due times, CPU times and interrupt times in this unit. */
#define NS_PER_UNIT INT64_C(100)

typedef UINT(WINAPI *period_function)(UINT period_ms);
typedef VOID(WINAPI *interrupt_time_function)(PULONGLONG time);
typedef HANDLE(WINAPI *join_class_function)(LPCWSTR name, LPDWORD index);
typedef BOOL(WINAPI *leave_class_function)(HANDLE task);

/* What is found out once. */
typedef struct machine {
    int64_t frequency; /* of the counter, in Hz: 1e7 on most; up to 9.2e9 is exact below */
    DWORD timer_slot;  /* of fiber-local storage: the timer; FLS_OUT_OF_INDEXES: none */
    DWORD timer_flags; /* for CreateWaitableTimerExW */
    interrupt_time_function interrupt_time; /* both are NULL before Windows 10 */
    interrupt_time_function unbiased_time;
    bool is_short; /* the timers' period is 1 ms */
} machine;

/* The multimedia class scheduler's; both are NULL where there is no avrt.dll. */
typedef struct media_class {
    join_class_function join;
    leave_class_function leave;
} media_class;

/* What real_time puts back, and what waits have taught. */
typedef struct thread_state {
    es_wait wait;
    HANDLE task;  /* of the multimedia class scheduler; NULL: not in a class */
    int priority; /* before it was raised */
    bool is_raised;
} thread_state;

static machine windows_found;
static media_class media;
static PER_THREAD thread_state mine;

/* --- what is found out once ------------------------------------------------------------------- */

/* A function's address by way of an integer: C knows no cast from FARPROC to another type of
 * function that every compiler takes without a warning. NULL where there is none. */
static uintptr_t find_function(HMODULE library, const char *name)
{
    return library != NULL ? (uintptr_t)GetProcAddress(library, name) : 0;
}

/* From the system's own directory, whatever lies beside the program. The library stays loaded. */
static HMODULE load_system_library(const wchar_t *name)
{
    wchar_t path[MAX_PATH + 32];
    UINT length = GetSystemDirectoryW(path, MAX_PATH);
    if (length == 0 || length >= MAX_PATH) {
        return NULL;
    }
    path[length] = L'\\';
    for (length += 1; (path[length] = *name) != 0; ++length) {
        name += 1;
    }
    return LoadLibraryW(path);
}

static HANDLE create_timer(void)
{
    return CreateWaitableTimerExW(
            NULL, NULL, windows_found.timer_flags, SYNCHRONIZE | TIMER_MODIFY_STATE);
}

/* Each thread, or fiber, has a timer of its own from its first sleep on, which is closed when it
 * ends. A function of ours could be gone by then, if a game's code is in a DLL that it reloads; the
 * system's own cannot. It takes one argument by the same convention, and what it returns is not
 * looked at. A reload costs one of the process's slots, of which there are at least 128. */
static void find_slot(void)
{
    windows_found.timer_slot = FlsAlloc((PFLS_CALLBACK_FUNCTION)(uintptr_t)&CloseHandle);
}

/* For the rest of the program, which takes it back by ending: asked for and put back around each
 * sleep it would change the whole system's tick with every frame. 0: TIMERR_NOERROR. */
static bool shorten_period(void)
{
    HMODULE winmm = load_system_library(L"winmm.dll");
    period_function begin_ms = (period_function)find_function(winmm, "timeBeginPeriod");
    return begin_ms != NULL && begin_ms(1) == 0;
}

static void find_timer(void)
{
#ifndef ES_OLD_WINDOWS
    windows_found.timer_flags = CREATE_WAITABLE_TIMER_HIGH_RESOLUTION;
    HANDLE timer = create_timer();
    if (timer != NULL) {
        CloseHandle(timer);
        return;
    }
#endif
    windows_found.timer_flags = 0;
    windows_found.is_short = shorten_period();
}

static void find_interrupt_times(void)
{
#ifndef ES_OLD_WINDOWS
    HMODULE base = GetModuleHandleW(L"kernelbase.dll");
    windows_found.interrupt_time =
            (interrupt_time_function)find_function(base, "QueryInterruptTimePrecise");
    windows_found.unbiased_time =
            (interrupt_time_function)find_function(base, "QueryUnbiasedInterruptTimePrecise");
#endif
}

static BOOL CALLBACK find_out(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    LARGE_INTEGER frequency;
    (void)once;
    (void)parameter;
    (void)context;
    windows_found.frequency = QueryPerformanceFrequency(&frequency) ? frequency.QuadPart : 0;
    find_interrupt_times();
    return TRUE;
}

static BOOL CALLBACK find_out_timer(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once;
    (void)parameter;
    (void)context;
    find_timer();
    find_slot();
    return TRUE;
}

static BOOL CALLBACK find_out_class(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    HMODULE avrt = load_system_library(L"avrt.dll");
    (void)once;
    (void)parameter;
    (void)context;
    media.join = (join_class_function)find_function(avrt, "AvSetMmThreadCharacteristicsW");
    media.leave = (leave_class_function)find_function(avrt, "AvRevertMmThreadCharacteristics");
    return TRUE;
}

/* The first caller finds out, others wait for it; later it costs one read. */
static const machine *get_machine(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, find_out, NULL, NULL);
    return &windows_found;
}

/* What sleeps need is found out apart: a DLL that only looks at the time takes no slot. */
static const machine *get_sleeper(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, find_out_timer, NULL, NULL);
    return get_machine();
}

static const media_class *get_class(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, find_out_class, NULL, NULL);
    return &media;
}

/* --- the contract ----------------------------------------------------------------------------- */

bool es__platform_has_clock(void)
{
    return true;
}

/* Whole seconds and the rest apart: exact, rounded down, and without overflow for 292 years. */
int64_t es__platform_now_ns(void)
{
    const machine *m = get_machine();
    LARGE_INTEGER count;
    if (m->frequency <= 0 || !QueryPerformanceCounter(&count)) {
        return 0; /* neither happens from Windows XP on, says their documentation */
    }
    int64_t seconds = count.QuadPart / m->frequency;
    int64_t rest = count.QuadPart % m->frequency;
    return seconds * NS_PER_S + rest * NS_PER_S / m->frequency;
}

/* The timer of this thread. is_kept: it lives on; else the caller closes it. */
static HANDLE get_timer(const machine *m, bool *is_kept)
{
    *is_kept = m->timer_slot != FLS_OUT_OF_INDEXES;
    HANDLE timer = *is_kept ? FlsGetValue(m->timer_slot) : NULL;
    if (timer == NULL) {
        timer = create_timer();
        if (*is_kept && timer != NULL && !FlsSetValue(m->timer_slot, timer)) {
            *is_kept = false;
        }
    }
    return timer;
}

static bool sleep_by_timer(const machine *m, int64_t wake_ns)
{
    bool is_kept;
    HANDLE timer = get_timer(m, &is_kept);
    if (timer == NULL) {
        return false;
    }
    LARGE_INTEGER due;
    due.QuadPart = -((wake_ns - es__platform_now_ns()) / NS_PER_UNIT);
    bool slept = due.QuadPart >= 0; /* it is past already; a due time of 0 or more is a date */
    if (!slept && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE)) {
        slept = WaitForSingleObject(timer, INFINITE) == WAIT_OBJECT_0;
    }
    if (!is_kept) {
        CloseHandle(timer);
    }
    return slept;
}

static bool sleep_by_ms(int64_t wake_ns)
{
    int64_t ms = (wake_ns - es__platform_now_ns()) / NS_PER_MS;
    if (ms > 0) {
        Sleep(ms < 1000000 ? (DWORD)ms : 1000000);
    }
    return ms > 0;
}

bool es__platform_sleep_until(int64_t now_ns, int64_t wake_ns)
{
    if (wake_ns <= now_ns) {
        return false;
    }
    return sleep_by_timer(get_sleeper(), wake_ns) || sleep_by_ms(wake_ns);
}

void es__platform_spin_pause(void)
{
    YieldProcessor();
}

/* Ordinary timers end up to their period late, 1 ms, and the high-resolution ones by up to 0.73 ms,
 * as spin_sleep's authors measured (src/windows.rs, commit 38b0799): a margin must be able to cover
 * that. What is spun is still only what this thread's sleeps show to be needed. */
es_wait *es__platform_thread_wait(void)
{
    mine.wait.margin_max_ns = get_sleeper()->timer_flags != 0 ? NS_PER_MS : 2 * NS_PER_MS;
    return &mine.wait;
}

/* The multimedia class scheduler's "Games" stands before every ordinary thread, and leaves the
 * others a share of the processor, whatever the game does. Where that service does not run:
 * TIME_CRITICAL, the highest of the ordinary priorities, which leaves them nothing. */
static es_result raise(void)
{
    const media_class *games = get_class();
    DWORD index = 0;
    if (mine.task != NULL || mine.is_raised) {
        return ES_OK;
    }
    if (games->join != NULL && games->leave != NULL) {
        mine.task = games->join(L"Games", &index);
        if (mine.task != NULL) {
            return ES_OK;
        }
    }
    mine.priority = GetThreadPriority(GetCurrentThread());
    if (mine.priority == THREAD_PRIORITY_ERROR_RETURN
            || !SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL)) {
        return ES_ERR_REFUSED;
    }
    mine.is_raised = true;
    return ES_OK;
}

static es_result windows_put_back(void)
{
    if (mine.task != NULL) {
        if (!get_class()->leave(mine.task)) {
            return ES_ERR_REFUSED;
        }
        mine.task = NULL;
    }
    if (mine.is_raised) {
        if (!SetThreadPriority(GetCurrentThread(), mine.priority)) {
            return ES_ERR_REFUSED;
        }
        mine.is_raised = false;
    }
    return ES_OK;
}

es_result es__platform_real_time(bool on)
{
    return on ? raise() : windows_put_back();
}

/* Interrupt time counts sleep and hibernation, unbiased interrupt time does not; both count from
 * the start of the system. Before Windows 10 there is only what the last tick left of them, and
 * GetTickCount64 for the former: the difference is off by up to a tick, 15.6 ms, either way. */
int64_t es__platform_suspended_ns(void)
{
    const machine *m = get_machine();
    ULONGLONG all = 0, awake = 0;
    if (m->interrupt_time != NULL && m->unbiased_time != NULL) {
        m->unbiased_time(&awake);
        m->interrupt_time(&all);
    } else if (QueryUnbiasedInterruptTime(&awake)) {
        all = GetTickCount64() * (ULONGLONG)(NS_PER_MS / NS_PER_UNIT);
    }
    return all > awake ? (int64_t)(all - awake) * NS_PER_UNIT : 0;
}

/* Whole ticks of the system, 15.6 ms unless somebody asked for less, charged to the thread that
 * runs when one ends: a frame's work may lie between two. QueryThreadCycleTime is finer, but counts
 * cycles: how long one takes is nowhere said, and its documentation warns of taking them for time.
 */
int64_t es__platform_thread_cpu_ns(void)
{
    FILETIME created, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user)) {
        return 0;
    }
    uint64_t units = ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime)
                     + ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime);
    return (int64_t)units * NS_PER_UNIT;
}

bool es__platform_thread_cpu_is_coarse(void)
{
    return true;
}

/* A slim lock: since Windows Vista, needs no tear-down. */
bool es__platform_mutex_init(void *mutex)
{
    InitializeSRWLock(mutex);
    return true;
}

void es__platform_mutex_lock(void *mutex)
{
    AcquireSRWLockExclusive(mutex);
}

void es__platform_mutex_unlock(void *mutex)
{
    ReleaseSRWLockExclusive(mutex);
}

void es__platform_mutex_destroy(void *mutex)
{
    (void)mutex;
}

const char *es__platform_description(void)
{
    const machine *m = get_sleeper();
    if (m->timer_flags != 0) {
        return "QueryPerformanceCounter; sleeps by a high-resolution waitable timer";
    }
    return m->is_short ? "QueryPerformanceCounter; sleeps by a waitable timer, to 1 ms"
                       : "QueryPerformanceCounter; sleeps by a waitable timer, to 15.6 ms";
}
