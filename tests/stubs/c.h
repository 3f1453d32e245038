/* SPDX-License-Identifier: Zlib  Functions of the C library that msvc.h and macos.h have in common. */
#ifndef STUB_C_H
#define STUB_C_H

#include <stddef.h>

double sqrt(double), log2(double), exp2(double), ldexp(double, int), fabs(double), floor(double);
double sin(double), cos(double), tan(double);
double atan2(double, double), exp(double), log(double), pow(double, double);
float sqrtf(float), fabsf(float);

void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t), *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *);
size_t strlen(const char *);
char *strerror(int);
void *malloc(size_t), *calloc(size_t, size_t), free(void *), abort(void);

typedef struct file_stub FILE;
int snprintf(char *, size_t, const char *, ...), fprintf(FILE *, const char *, ...);
FILE *fopen(const char *path, const char *mode);
int remove(const char *path);
int setvbuf(FILE *, char *, int mode, size_t), ferror(FILE *), fclose(FILE *);
size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
void clearerr(FILE *);

#endif
