/* SPDX-License-Identifier: Zlib  See mach_time.h. */
#ifndef STUB_THREAD_ACT_H
#define STUB_THREAD_ACT_H

#include <mach/mach_time.h>
#include <mach/thread_policy.h>

typedef natural_t mach_port_t;
typedef mach_port_t thread_act_t;

kern_return_t thread_policy_set(thread_act_t thread, thread_policy_flavor_t flavor,
        thread_policy_t policy_info, mach_msg_type_number_t policy_infoCnt);

#endif
