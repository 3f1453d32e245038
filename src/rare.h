/* SPDX-License-Identifier: Zlib
 *
 * Marks for functions that stay out of line. A compiler that takes them into the function that
 * calls them, as it does where there is but one, makes every frame save the registers that only
 * they use. ES_RARE: few frames need it. ES_APART: many do in some programs, and none in others.
 *
 * And for what is mostly called when no cache holds it: ES_LINE_OF_CODE begins where a line of the
 * cache does, so that it takes up as few as it can, each of which is waited for.
 */
#ifndef ES_RARE_H
#define ES_RARE_H

#if defined(__GNUC__)
#define ES_RARE         __attribute__((cold, noinline))
#define ES_APART        __attribute__((noinline))
#define ES_LINE_OF_CODE __attribute__((aligned(64)))
#elif defined(_MSC_VER)
#define ES_RARE  __declspec(noinline)
#define ES_APART __declspec(noinline)
#define ES_LINE_OF_CODE
#else
#define ES_RARE
#define ES_APART
#define ES_LINE_OF_CODE
#endif

#endif
