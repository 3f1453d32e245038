/* SPDX-License-Identifier: Zlib  See mach/mach_time.h. */
#ifndef STUB_MATH_H
#define STUB_MATH_H

double sqrt(double x);
float sqrtf(float x);
double fabs(double x);
float fabsf(float x);
double floor(double x);
double sin(double x);
double cos(double x);
double tan(double x);
double atan2(double y, double x);
double exp(double x);
double log(double x);
double log2(double x);
double exp2(double x);
double ldexp(double x, int exponent);
double pow(double x, double y);

#define NAN         __builtin_nanf("")
#define signbit(x)  __builtin_signbit(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnan(x)    __builtin_isnan(x)

#endif
