/* SPDX-License-Identifier: Zlib
 *
 * Marks for functions that stay out of line. A compiler that takes them into the function that
 * calls them, as it does where there is but one, makes every frame save the registers that only
 * they use. ES_RARE: few frames need it. ES_APART: many do in some programs, and none in others.
 *
 * And for what is mostly called when no cache holds it: ES_LINE_OF_CODE begins where a line of the
 * cache does, so that it takes up as few as it can, each of which is waited for; ES_AS_A_RULE tells
 * the compiler which way a condition goes, so that what follows lies behind it.
 */
#ifndef ES_RARE_H
#define ES_RARE_H

#if defined(__GNUC__)
#define ES_RARE                 __attribute__((cold, noinline))
#define ES_APART                __attribute__((noinline))
#define ES_LINE_OF_CODE         __attribute__((aligned(64)))
#define ES_AS_A_RULE(condition) __builtin_expect(condition, 1)
#elif defined(_MSC_VER)
#define ES_RARE  __declspec(noinline)
#define ES_APART __declspec(noinline)
#define ES_LINE_OF_CODE
#define ES_AS_A_RULE(condition) (condition)
#else
#define ES_RARE
#define ES_APART
#define ES_LINE_OF_CODE
#define ES_AS_A_RULE(condition) (condition)
#endif

#endif
