/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_PTHREAD_H
#define STUB_PTHREAD_H

#include <mach/thread_act.h>
#include <stddef.h>

typedef struct pthread_stub *pthread_t;
typedef struct pthread_once {
    long signature;
    char opaque[8];
} pthread_once_t;
#define PTHREAD_ONCE_INIT                                                                          \
    {                                                                                              \
        0x30B1BCBA,                                                                                \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

typedef enum qos_class { QOS_CLASS_UNSPECIFIED = 0, QOS_CLASS_DEFAULT = 0x15 } qos_class_t;

typedef struct pthread_attr {
    long signature;
    char opaque[56];
} pthread_attr_t;

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *bytes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *user),
        void *user);
int pthread_join(pthread_t thread, void **result);
int pthread_once(pthread_once_t *once, void (*function)(void));
pthread_t pthread_self(void);
mach_port_t pthread_mach_thread_np(pthread_t thread);
int pthread_get_qos_class_np(pthread_t thread, qos_class_t *qos_class, int *relative_priority);
int pthread_set_qos_class_self_np(qos_class_t qos_class, int relative_priority);

#endif
