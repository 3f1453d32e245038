/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_MATH_H
#define STUB_MATH_H

double sqrt(double x);
float sqrtf(float x);
double fabs(double x);
float fabsf(float x);
double floor(double x);

#define signbit(x) __builtin_signbit(x)

#endif
