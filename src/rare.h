/* SPDX-License-Identifier: Zlib
 *
 * A mark for functions that few frames need. A compiler that takes them into the function that
 * calls them, as it does where there is but one, makes every frame save the registers that only
 * they use.
 */
#ifndef ES_RARE_H
#define ES_RARE_H

#if defined(__GNUC__)
#define ES_RARE __attribute__((cold, noinline))
#elif defined(_MSC_VER)
#define ES_RARE __declspec(noinline)
#else
#define ES_RARE
#endif

#endif
