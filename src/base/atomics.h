/* SPDX-License-Identifier: Zlib
 *
 * C11's atomic operations. Microsoft's compiler has them only from Visual Studio 2022 17.5 on, with a
 * switch: there they are its Interlocked functions, which are as strong as seq_cst or stronger. Their
 * values may be signed: assign them to a variable of the word's type.
 */
#ifndef ES_ATOMICS_H
#define ES_ATOMICS_H

#if defined(_MSC_VER) && !defined(__clang__)
#define ES_ATOMICS_INTERLOCKED
#include <intrin.h>
#endif

#ifndef ES_ATOMICS_INTERLOCKED
#include <stdatomic.h>
#else
typedef volatile unsigned atomic_uint;

#define ATOMIC_INT_LOCK_FREE 2
enum { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel };

#define ES_INTERLOCKED(name, word, ...)                                                            \
    name((volatile es__long *)(volatile void *)(word), __VA_ARGS__)
#ifdef __clang__ /* only a test comes here: its Interlocked functions take 32 bits everywhere */
typedef int es__long;
#else
typedef long es__long;
#endif

#define atomic_init(word, value)          ((void)(*(word) = (value)))
#define atomic_load_explicit(word, order) (ES_INTERLOCKED(_InterlockedOr, word, 0))
#define atomic_store_explicit(word, value, order)                                                  \
    ((void)ES_INTERLOCKED(_InterlockedExchange, word, (value)))
#define atomic_exchange_explicit(word, value, order)                                               \
    ((unsigned)ES_INTERLOCKED(_InterlockedExchange, word, (value)))
#define atomic_compare_exchange_strong_explicit(word, expected, value, order, failed)              \
    es__compare_exchange(word, expected, value)

static inline int es__compare_exchange(atomic_uint *word, unsigned *expected, unsigned value)
{
    unsigned before = (unsigned)_InterlockedCompareExchange(
            (volatile es__long *)word, (es__long)value, (es__long)*expected);
    int done = before == *expected;
    *expected = before;
    return done;
}
#endif

#endif
