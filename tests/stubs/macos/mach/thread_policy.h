/* SPDX-License-Identifier: Zlib  See mach_time.h. */
#ifndef STUB_THREAD_POLICY_H
#define STUB_THREAD_POLICY_H

#include <stdint.h>

typedef int integer_t;
typedef unsigned natural_t;
typedef int boolean_t;
typedef natural_t mach_msg_type_number_t;
typedef natural_t thread_policy_flavor_t;
typedef integer_t *thread_policy_t;

#define THREAD_STANDARD_POLICY        1
#define THREAD_STANDARD_POLICY_COUNT  ((mach_msg_type_number_t)0)
#define THREAD_TIME_CONSTRAINT_POLICY 2
#define THREAD_TIME_CONSTRAINT_POLICY_COUNT                                                        \
    ((mach_msg_type_number_t)(sizeof(thread_time_constraint_policy_data_t) / sizeof(integer_t)))

typedef struct thread_standard_policy {
    natural_t no_data;
} thread_standard_policy_data_t;

typedef struct thread_time_constraint_policy {
    uint32_t period;
    uint32_t computation;
    uint32_t constraint;
    boolean_t preemptible;
} thread_time_constraint_policy_data_t;

#endif
