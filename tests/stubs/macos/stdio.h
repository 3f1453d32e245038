/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_STDIO_H
#define STUB_STDIO_H

#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct file_stub FILE;

enum { SEEK_SET = 0, _IONBF = 2 };

int snprintf(char *restrict text, size_t size, const char *restrict format, ...);
int vsnprintf(char *restrict text, size_t size, const char *restrict format, va_list values);
FILE *fopen(const char *restrict path, const char *restrict mode);
int setvbuf(FILE *restrict file, char *restrict buffer, int mode, size_t size);
size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict file);
size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict file);
int fseeko(FILE *file, off_t offset, int from);
void clearerr(FILE *file);
int ferror(FILE *file);
int fclose(FILE *file);

extern FILE *__stderrp;
#define stderr __stderrp
int fprintf(FILE *file, const char *format, ...);

#endif
