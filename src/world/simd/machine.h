/* SPDX-License-Identifier: Zlib
 *
 * Which instruction sets the compiler can make functions for. Whether the machine has them is asked
 * when the program runs.
 */
#ifndef ES_SIMD_MACHINE_H
#define ES_SIMD_MACHINE_H

/* On the file's own functions: what they are compiled for, whatever the command line says. */
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define ES_SIMD_X86 1
#else
#define ES_SIMD_X86 0
#endif
/* The wider ones. gcc for 64-bit Windows keeps its stack aligned to 16 bytes, and stores vectors of
 * 32 and 64 there by instructions that want them aligned: a crash (GCC bug 54412). The assembler
 * can make those others; CMakeLists.txt asks it to, and says so here. Else they are left out. */
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

/* Inner loops, of which each caller has a copy with its own constants. */
#if defined(__GNUC__)
#define ES_INLINE inline __attribute__((always_inline))
#else
#define ES_INLINE inline
#endif

/* Before a loop: its rounds one after the other, as far as they are known. */
#if defined(__GNUC__)
#define ES_UNROLL _Pragma("GCC unroll 8")
#else
#define ES_UNROLL
#endif

#endif
