/* SPDX-License-Identifier: Zlib
 *
 * Windows 7 and later. Only kernel32 is linked: functions of later versions and of other libraries
 * are looked up when they are first needed.
 *
 * The clock is QueryPerformanceCounter. As its documentation says, it goes on while the machine
 * sleeps, unlike Linux's and macOS' clocks: es__platform_suspended_ns is the time asleep.
 *
 * A sleep is one wait for a timer:
 *   Windows 10 1803 and later   a high-resolution waitable timer: late by well under 1 ms
 *   before                      an ordinary one, at a period of 1 ms by winmm's timeBeginPeriod,
 *                               requested before the first sleep and kept: late by up to 1 ms
 *   before, without winmm       an ordinary one: late by up to the system's tick, 15.6 ms
 *   without a timer             Sleep, in whole ms rounded down, after the same timeBeginPeriod
 * The due time is relative, from the counter. An absolute one is a date, which follows the wall
 * clock. A relative one is late by the time between reading the counter and setting the timer. From
 * Windows 8 on relative timers do not count time asleep, so a sleep that a suspend interrupts ends
 * late.
 *
 * ES_OLD_WINDOWS leaves out functions newer than Windows 8.1, so that the fallbacks can be tested
 * on a newer system.
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
#include "base/common.h"

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 0x00000002
#endif

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/* Windows counts due times, CPU times and interrupt times in this unit. */
#define NS_PER_UNIT INT64_C(100)

typedef UINT(WINAPI *period_function)(UINT period_ms);
typedef VOID(WINAPI *interrupt_time_function)(PULONGLONG time);
typedef HANDLE(WINAPI *join_class_function)(LPCWSTR name, LPDWORD index);
typedef BOOL(WINAPI *leave_class_function)(HANDLE task);

/* Found at the first use. */
typedef struct machine {
    int64_t frequency; /* of the counter, in Hz: 1e7 on most; up to 9.2e9 is exact below */
    DWORD timer_slot;  /* of fiber-local storage: the timer; FLS_OUT_OF_INDEXES: none */
    DWORD timer_flags; /* for CreateWaitableTimerExW */
    interrupt_time_function interrupt_time; /* both are NULL before Windows 10 */
    interrupt_time_function unbiased_time;
    bool is_short; /* the timers' period is 1 ms */
} machine;

/* The multimedia class scheduler's functions; NULL without avrt.dll. */
typedef struct media_class {
    join_class_function join;
    leave_class_function leave;
} media_class;

/* The state before es_thread_set_realtime, to restore, and what waits have taught. */
typedef struct thread_state {
    es__wait wait;
    HANDLE task;  /* of the multimedia class scheduler; NULL: not in a class */
    int priority; /* before it was raised */
    bool is_raised;
} thread_state;

static machine windows_found;
static media_class media;
static ES_PER_THREAD thread_state mine;

/* --- found at the first use ------------------------------------------------------------------- */

/* A function's address as an integer, because no cast from FARPROC to another function type is free
 * of warnings on every compiler. 0: there is none. */
static uintptr_t find_function(HMODULE library, const char *name)
{
    return library != NULL ? (uintptr_t)GetProcAddress(library, name) : 0;
}

/* From the system's directory, not the program's. The library stays loaded. */
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

/* Each thread, or fiber, has its own timer from its first sleep on, which CloseHandle closes when
 * the thread ends. A function of this file could be unloaded by then, if a game reloads its code as
 * a DLL. CloseHandle takes one argument by the same convention, and its result is ignored. A reload
 * costs one of the process's slots, of which there are at least 128. */
static void find_slot(void)
{
    windows_found.timer_slot = FlsAlloc((PFLS_CALLBACK_FUNCTION)(uintptr_t)&CloseHandle);
}

/* Stays until the program ends: around each sleep it would change the whole system's tick in every
 * frame. 0: TIMERR_NOERROR. */
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

/* The first caller runs find_out, others wait for it. */
static const machine *get_machine(void)
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, find_out, NULL, NULL);
    return &windows_found;
}

/* Separate, so that a DLL that only reads the time takes no slot. */
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

/* Whole seconds and the rest are converted apart: exact, rounded down, no overflow for 292
 * years. */
int64_t es__platform_now_ns(void)
{
    const machine *m = get_machine();
    LARGE_INTEGER count;
    if (m->frequency <= 0 || !QueryPerformanceCounter(&count)) {
        return 0; /* neither happens from Windows XP on, by their documentation */
    }
    int64_t seconds = count.QuadPart / m->frequency;
    int64_t rest = count.QuadPart % m->frequency;
    return seconds * NS_PER_S + rest * NS_PER_S / m->frequency;
}

/* The timer of this thread. is_kept false: the caller closes it. */
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
    bool slept = due.QuadPart >= 0; /* it has passed; a due time of 0 or more would be a date */
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

/* Ordinary timers end up to their period of 1 ms late, high-resolution ones up to 0.73 ms by
 * spin_sleep's measurements (src/windows.rs, commit 38b0799). The longest margin must cover that;
 * the margin itself follows this thread's sleeps. */
es__wait *es__platform_thread_wait(void)
{
    mine.wait.margin_max_ns = get_sleeper()->timer_flags != 0 ? NS_PER_MS : 2 * NS_PER_MS;
    return &mine.wait;
}

/* The multimedia class "Games" has priority over every ordinary thread and still leaves those a
 * share of the processor. Without that service: TIME_CRITICAL, the highest ordinary priority, which
 * leaves them nothing. */
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

static es_result windows_restore(void)
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
    return on ? raise() : windows_restore();
}

/* Interrupt time counts sleep and hibernation, unbiased interrupt time does not; both count from
 * the start of the system. Before Windows 10 they are only known at the last tick, and
 * GetTickCount64 stands for the former: the difference is off by up to a tick, 15.6 ms, either
 * way. */
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

/* Whole ticks of the system, 15.6 ms by default, charged to the thread that runs when one ends: a
 * frame's work may lie between two. QueryThreadCycleTime is finer, but its documentation warns of
 * taking cycles for time. */
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

const char *es__platform_description(void)
{
    const machine *m = get_sleeper();
    if (m->timer_flags != 0) {
        return "QueryPerformanceCounter; sleeps by a high-resolution waitable timer";
    }
    return m->is_short ? "QueryPerformanceCounter; sleeps by a waitable timer, to 1 ms"
                       : "QueryPerformanceCounter; sleeps by a waitable timer, to 15.6 ms";
}
