/* SPDX-License-Identifier: Zlib
 *
 * What clock_macos.c needs of Apple's headers, declared anew from their documentation, so that a
 * compiler without Apple's SDK can check it (tests/macos.sh). No program is built with these.
 */
#ifndef STUB_MACH_TIME_H
#define STUB_MACH_TIME_H

#include <stdint.h>

typedef int kern_return_t;
#define KERN_SUCCESS 0

typedef struct mach_timebase_info {
    uint32_t numer;
    uint32_t denom;
} mach_timebase_info_data_t;
typedef struct mach_timebase_info *mach_timebase_info_t;

kern_return_t mach_timebase_info(mach_timebase_info_t info);
uint64_t mach_absolute_time(void);
uint64_t mach_continuous_time(void);
kern_return_t mach_wait_until(uint64_t deadline);

#endif
