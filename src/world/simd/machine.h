/* SPDX-License-Identifier: Zlib
 *
 * The instruction sets that the compiler can make functions for. The program finds out when it runs
 * whether the machine has them.
 */
#ifndef ES_SIMD_MACHINE_H
#define ES_SIMD_MACHINE_H

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define ES_SIMD_X86 1
#else
#define ES_SIMD_X86 0
#endif
/* AVX2. gcc for 64-bit Windows keeps its stack aligned to 16 bytes, and stores vectors of
 * 32 bytes there by aligned moves: a crash (GCC bug 54412). CMakeLists.txt lets the assembler
 * replace these moves and defines ES_UNALIGNED_MOVES. Without that these sets are left out. */
#if ES_SIMD_X86 && (!defined(_WIN64) || defined(__clang__) || defined(ES_UNALIGNED_MOVES))
#define ES_SIMD_AVX 1
#else
#define ES_SIMD_AVX 0
#endif
#if defined(__aarch64__) && defined(__GNUC__)
#define ES_SIMD_ARM 1
#else
#define ES_SIMD_ARM 0
#endif

/* gcc 12 forms fused multiply-adds in spite of -ffp-contract=off, where it vectorizes alternating
 * sums and differences (-O3 with FMA). */
#if defined(__GNUC__) && !defined(__clang__)
#define ES_NO_SLP __attribute__((optimize("no-tree-slp-vectorize")))
#else
#define ES_NO_SLP
#endif

/* Inner loops: each caller gets a copy with its own constants. */
#if defined(__GNUC__)
#define ES_INLINE inline __attribute__((always_inline))
#else
#define ES_INLINE inline
#endif

/* Before a loop of a constant count: unrolled. */
#if defined(__GNUC__)
#define ES_UNROLL _Pragma("GCC unroll 8")
#else
#define ES_UNROLL
#endif

#endif
