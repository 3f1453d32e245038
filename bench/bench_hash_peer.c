/* SPDX-License-Identifier: Zlib
 *
 * The peer of bench_hash: xxHash's own XXH3, compiled for the machine that builds it, as
 * CMakeLists.txt says. That is the fastest there is of it: its library chooses narrower vectors.
 */
#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t bench_hash_peer(const void *bytes, size_t size);

uint64_t bench_hash_peer(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}
