/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_STDLIB_H
#define STUB_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *memory);

_Noreturn void abort(void);

#endif
