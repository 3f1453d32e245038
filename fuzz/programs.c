/* SPDX-License-Identifier: Zlib
 *
 * Runs a fuzz target with fixed random inputs, as any compiler can: run_NAME [INPUTS [SEED]].
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

int main(int argc, char **argv)
{
    static uint8_t input[256];
    long inputs = argc > 1 ? atol(argv[1]) : 200;
    uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    if (LLVMFuzzerInitialize != NULL) {
        (void)LLVMFuzzerInitialize(&argc, &argv);
    }
    for (long i = 0; i < inputs; ++i) {
        size_t size = 0;
        do { /* splitmix64 */
            uint64_t bits = random += UINT64_C(0x9E3779B97F4A7C15);
            bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
            bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
            input[size++] = (uint8_t)(bits >> 56);
        } while (size < 16 + random % 200 && size < sizeof input);
        (void)LLVMFuzzerTestOneInput(input, size);
    }
    return 0;
}
