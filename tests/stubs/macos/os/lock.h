/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_OS_LOCK_H
#define STUB_OS_LOCK_H

#include <stdint.h>

typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;
#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

void os_unfair_lock_lock(os_unfair_lock_t lock);
void os_unfair_lock_unlock(os_unfair_lock_t lock);

#endif
