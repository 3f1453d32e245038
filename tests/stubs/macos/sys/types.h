/* SPDX-License-Identifier: Zlib  See ../mach/mach_time.h. */
#ifndef STUB_SYS_TYPES_H
#define STUB_SYS_TYPES_H

#include <stdint.h>

typedef int64_t off_t;

#endif
