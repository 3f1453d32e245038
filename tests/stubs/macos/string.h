/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_STRING_H
#define STUB_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);
char *strerror(int number);
void *memchr(const void *memory, int byte, size_t size);

#endif
