/* SPDX-License-Identifier: Zlib
 *
 * assert: what must hold inside the library, checked while it runs where ES_ASSERTIONS is 1: CMake sets that
 * for Debug and Sanitizer. An assertion states an invariant, never what a caller may pass: misuse is refused
 * before it. Else nothing is evaluated and no code is generated.
 */
#ifndef ES_ASSERT_H
#define ES_ASSERT_H

#include <stdint.h>

#if defined(ES_ASSERTIONS) && ES_ASSERTIONS
#define ES__ASSERTS 1 /* around functions that only assertions need */
#else
#define ES__ASSERTS 0
#endif

/* Calls the handler of es_set_assert_handler with the expression and its values. */
#if defined(__GNUC__) && !defined(__MINGW32__) /* whose check is of another C library */
__attribute__((format(printf, 4, 5)))
#endif
void es__assert_failed(
        const char *file, int line, const char *expression, const char *format, ...);

/* ES__ASSERT(holds, a, b): any expression; a and b are numbers to print, b may be left out.
 * ES__ASSERT_IS(a, <=, b) and ES__ASSERT_IN(a, least, most): whole numbers, which are printed.
 * ES__BEFORE(declaration) keeps what ES__CHECK(call), a function that asserts, needs. */
#define ES__ASSERT(holds, ...) ES__ASSERT_TWO(holds, __VA_ARGS__, 0, 0)
#if ES__ASSERTS
#define ES__FAILED(...) es__assert_failed(__FILE__, __LINE__, __VA_ARGS__)
#define ES__ASSERT_TWO(holds, a, b, ...)                                                           \
    ((holds) ? (void)0 : ES__FAILED(#holds, "%.17g, %.17g", (double)(a), (double)(b)))
#define ES__ASSERT_IS(a, is, b)                                                                    \
    ((int64_t)(a)is(int64_t)(b)                                                                    \
                    ? (void)0                                                                      \
                    : ES__FAILED(#a " " #is " " #b, "%lld, %lld", (long long)(a), (long long)(b)))
#define ES__ASSERT_IN(a, least, most) (ES__ASSERT_IS(a, >=, least), ES__ASSERT_IS(a, <=, most))
#define ES__BEFORE(declaration)       declaration
#define ES__CHECK(call)               call
#else
#define ES__ASSERT_TWO(holds, a, b, ...)                                                           \
    ((void)sizeof((holds) ? 1 : 0), (void)sizeof((double)(a)), (void)sizeof((double)(b)))
#define ES__ASSERT_IS(a, relation, b) ((void)sizeof((int64_t)(a)relation(int64_t)(b)))
#define ES__ASSERT_IN(a, least, most)                                                              \
    ((void)sizeof((int64_t)(a) + (int64_t)(least) + (int64_t)(most)))
#define ES__BEFORE(declaration) ((void)0)
#define ES__CHECK(call)         ((void)0)
#endif

#endif
