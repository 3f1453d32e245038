/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_TIME_H
#define STUB_TIME_H

#include <stdint.h>

typedef enum clockid { CLOCK_THREAD_CPUTIME_ID = 16 } clockid_t;

uint64_t clock_gettime_nsec_np(clockid_t clock_id);

#endif
