/* SPDX-License-Identifier: Zlib
 *
 * What src/ uses of Apple's headers, declared by their documentation: tests/macos.sh includes this file for each of
 * them. No program is built with it.
 */
#ifndef STUB_MACOS_H
#define STUB_MACOS_H

#include <c.h>
#include <stdarg.h>
#include <stdint.h>

#define NAN         __builtin_nanf("")
#define signbit(x)  __builtin_signbit(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnan(x)    __builtin_isnan(x)

typedef int64_t off_t;
enum { SEEK_SET = 0, _IONBF = 2, EINTR = 4, EIO = 5 };
int *__error(void);
#define errno (*__error())
extern FILE *__stderrp;
#define stderr __stderrp
int vsnprintf(char *, size_t, const char *, va_list), fseeko(FILE *, off_t, int from);

/* --- time and locks --------------------------------------------------------------------------- */

enum { KERN_SUCCESS = 0 };
typedef int kern_return_t;
typedef struct mach_timebase_info {
    uint32_t numer, denom;
} mach_timebase_info_data_t;
typedef enum clockid { CLOCK_THREAD_CPUTIME_ID = 16 } clockid_t;
typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock;
#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

kern_return_t mach_timebase_info(mach_timebase_info_data_t *info);
uint64_t mach_absolute_time(void);
uint64_t mach_continuous_time(void);
kern_return_t mach_wait_until(uint64_t deadline);
uint64_t clock_gettime_nsec_np(clockid_t clock_id);
void os_unfair_lock_lock(os_unfair_lock *lock);
void os_unfair_lock_unlock(os_unfair_lock *lock);

/* --- threads and signals ---------------------------------------------------------------------- */

typedef int integer_t, boolean_t, *thread_policy_t;
typedef unsigned natural_t, mach_msg_type_number_t, thread_policy_flavor_t, mach_port_t;
typedef struct thread_standard_policy {
    natural_t no_data;
} thread_standard_policy_data_t;
typedef struct thread_time_constraint_policy {
    uint32_t period, computation, constraint;
    boolean_t preemptible;
} thread_time_constraint_policy_data_t;
#define THREAD_STANDARD_POLICY        1
#define THREAD_STANDARD_POLICY_COUNT  ((mach_msg_type_number_t)0)
#define THREAD_TIME_CONSTRAINT_POLICY 2
#define THREAD_TIME_CONSTRAINT_POLICY_COUNT                                                        \
    ((mach_msg_type_number_t)(sizeof(thread_time_constraint_policy_data_t) / sizeof(integer_t)))

typedef struct pthread_stub *pthread_t;
typedef struct pthread_once {
    long signature;
    char opaque[8];
} pthread_once_t;
typedef struct pthread_attr {
    long signature;
    char opaque[56];
} pthread_attr_t;
typedef enum qos_class { QOS_CLASS_UNSPECIFIED = 0, QOS_CLASS_DEFAULT = 0x15 } qos_class_t;
typedef uint32_t sigset_t;
#define PTHREAD_ONCE_INIT {0x30B1BCBA, {0}}

enum { SIGILL = 4, SIGTRAP, SIGABRT, SIGFPE = 8, SIGBUS = 10, SIGSEGV, SIGSYS, SIGPROF = 27 };
enum { SIG_BLOCK = 1, SIG_SETMASK = 3 };

kern_return_t thread_policy_set(mach_port_t thread, thread_policy_flavor_t, thread_policy_t, mach_msg_type_number_t);
int pthread_attr_init(pthread_attr_t *), pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_getstacksize(const pthread_attr_t *, size_t *), pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*run)(void *user), void *user);
int pthread_join(pthread_t, void **result), pthread_once(pthread_once_t *, void (*function)(void));
pthread_t pthread_self(void);
mach_port_t pthread_mach_thread_np(pthread_t);
int pthread_get_qos_class_np(pthread_t, qos_class_t *, int *priority), pthread_set_qos_class_self_np(qos_class_t, int priority);
int sigfillset(sigset_t *), sigdelset(sigset_t *, int number), pthread_sigmask(int how, const sigset_t *set, sigset_t *before);

#endif
