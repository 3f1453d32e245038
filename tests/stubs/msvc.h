/* SPDX-License-Identifier: Zlib
 *
 * What src/ uses of Microsoft's C library and of the Windows SDK, declared by their documentation:
 * tests/msvc.sh includes this file for each of their headers. It shows that calls fit, not that they work.
 */
#ifndef STUB_MSVC_H
#define STUB_MSVC_H

#include <c.h>

/* --- the C library ---------------------------------------------------------------------------- */

#define PRId64      "lld"
#define PRIu64      "llu"
#define FLT_MIN     1.175494351e-38F
#define FLT_MAX     3.402823466e+38F
#define DBL_MIN     2.2250738585072014e-308
#define DBL_MAX     1.7976931348623158e+308
#define INFINITY    ((float)(1e300 * 1e300))
#define NAN         (-(float)(INFINITY * 0.0F))
#define isfinite(x) (_fdclass(x) <= 0)
#define isnan(x)    (_fdclass(x) == 2)
#define signbit(x)  (_fdsign(x) != 0)
short _fdclass(double x);
int _fdsign(double x);
enum { SEEK_SET = 0, _IONBF = 4, EINTR = 4, EIO = 5 };
int *_errno(void);
#define errno (*_errno())
int vsnprintf(char *, size_t, const char *, char *), _fseeki64(FILE *, __int64, int from);
int _open(const char *path, int flags, ...), _close(int number);
FILE *_fdopen(int number, const char *mode), *__acrt_iob_func(unsigned);
#define stderr (__acrt_iob_func(2))
enum { _S_IREAD = 256, _S_IWRITE = 128, _O_WRONLY = 1, _O_CREAT = 0x100, _O_EXCL = 0x400 };
enum { _O_BINARY = 0x8000 };
size_t _beginthreadex(void *security, unsigned stack, unsigned(__stdcall *run)(void *),
        void *argument, unsigned flags, unsigned *id);

/* --- the compiler ----------------------------------------------------------------------------- */

long _InterlockedOr(long volatile *, long), _InterlockedExchange(long volatile *, long);
long _InterlockedCompareExchange(long volatile *, long, long);

/* --- windows.h -------------------------------------------------------------------------------- */

#define WINAPI             __stdcall
#define CALLBACK           __stdcall
#define VOID               void
#define TRUE               1
#define FALSE              0
#define MAX_PATH           260
#define INFINITE           0xFFFFFFFF
#define WAIT_OBJECT_0      0
#define FLS_OUT_OF_INDEXES 0xFFFFFFFF
#define SYNCHRONIZE        0x00100000L
#define TIMER_MODIFY_STATE 2
#define INIT_ONCE_STATIC_INIT                                                                      \
    {                                                                                              \
        0                                                                                          \
    }

#define THREAD_PRIORITY_ERROR_RETURN  0x7fffffff
#define THREAD_PRIORITY_TIME_CRITICAL 15

typedef int BOOL;
typedef unsigned int UINT;
typedef long LONG;
typedef unsigned long DWORD, *LPDWORD;
typedef unsigned __int64 ULONGLONG, *PULONGLONG;
typedef void *HANDLE, *PVOID, *LPVOID;
typedef struct module_stub *HMODULE;
typedef const wchar_t *LPCWSTR;
typedef __int64(WINAPI *FARPROC)();
typedef void(WINAPI *PFLS_CALLBACK_FUNCTION)(PVOID);
typedef struct once_stub {
    PVOID pointer;
} INIT_ONCE, *PINIT_ONCE;
typedef union large_integer_stub {
    __int64 QuadPart;
} LARGE_INTEGER;
typedef struct file_time_stub {
    DWORD dwLowDateTime, dwHighDateTime;
} FILETIME;

FARPROC WINAPI GetProcAddress(HMODULE module, const char *name);
UINT WINAPI GetSystemDirectoryW(wchar_t *path, UINT size);
HMODULE WINAPI LoadLibraryW(LPCWSTR name);
HMODULE WINAPI GetModuleHandleW(LPCWSTR name);
HANDLE WINAPI CreateWaitableTimerExW(void *security, LPCWSTR name, DWORD flags, DWORD access);
BOOL WINAPI SetWaitableTimer(
        HANDLE, const LARGE_INTEGER *due, LONG period, void *run, void *argument, BOOL);
DWORD WINAPI WaitForSingleObject(HANDLE handle, DWORD ms);
BOOL WINAPI CloseHandle(HANDLE handle);
DWORD WINAPI FlsAlloc(PFLS_CALLBACK_FUNCTION callback);
PVOID WINAPI FlsGetValue(DWORD slot);
BOOL WINAPI FlsSetValue(DWORD slot, PVOID value);
BOOL WINAPI InitOnceExecuteOnce(
        PINIT_ONCE, BOOL(WINAPI *)(PINIT_ONCE, PVOID, PVOID *), PVOID, LPVOID *);
BOOL WINAPI QueryPerformanceFrequency(LARGE_INTEGER *frequency);
BOOL WINAPI QueryPerformanceCounter(LARGE_INTEGER *count);
BOOL WINAPI QueryUnbiasedInterruptTime(PULONGLONG time);
ULONGLONG WINAPI GetTickCount64(void);
void WINAPI Sleep(DWORD ms);
void YieldProcessor(void);
HANDLE WINAPI GetCurrentThread(void);
int WINAPI GetThreadPriority(HANDLE thread);
BOOL WINAPI SetThreadPriority(HANDLE thread, int priority);
BOOL WINAPI GetThreadTimes(
        HANDLE, FILETIME *created, FILETIME *ended, FILETIME *kernel, FILETIME *user);

#endif
