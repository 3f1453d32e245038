/* SPDX-License-Identifier: Zlib
 *
 * The float self-test. Operands are volatile, so that the machine computes and not the compiler: a
 * recording says how the process that wrote it computed, with its rounding mode, its denormals, and
 * the flags that it was compiled with.
 */
#include "state_parts.h"

#include <math.h>

#include "base/common.h"
#include "state_numbers.h"

enum { ROUNDS = 64 };

static void add_f64(es__hash *hash, double value)
{
    unsigned char bytes[8];
    (void)es__put_u64(bytes, value != value ? 1 : es__bits_of(value)); /* all NaNs are equal */
    es__hash_add(hash, bytes, 8);
}

static void add_f32(es__hash *hash, float value)
{
    unsigned char bytes[4];
    uint32_t bits;
    memcpy(&bits, &value, 4);
    (void)es__put_u32(bytes, value != value ? 1 : bits);
    es__hash_add(hash, bytes, 4);
}

/* x * y + z in one expression: a fused multiply-add rounds it once instead of twice, and excess
 * precision not at all. */
static void add_products(es__hash *hash)
{
    volatile float x = 1.1F, y = 0.7F, z = -0.3F;
    volatile double a = 1.1, b = 0.7, c = -0.3;
    for (int i = 0; i < ROUNDS; ++i) {
        x = x * y + z;
        y = y / (x + 3.0F) - x * x;
        z = (float)((double)z * 1.0000001) + x;
        a = a * b + c;
        b = b / (a + 3.0) - a * a;
        c = c * 1.0000000001 + a;
        add_f32(hash, x);
        add_f32(hash, y);
        add_f32(hash, z);
        add_f64(hash, a);
        add_f64(hash, b);
        add_f64(hash, c);
        x = x > 4.0F || x < -4.0F ? 1.1F : x;
        y = y > 4.0F || y < -2.0F ? 0.7F : y;
        z = z > 4.0F || z < -4.0F ? -0.3F : z;
        a = a > 4.0 || a < -4.0 ? 1.1 : a;
        b = b > 4.0 || b < -2.0 ? 0.7 : b;
        c = c > 4.0 || c < -4.0 ? -0.3 : c;
    }
}

/* Denormals, which some modes round to 0; rounding to whole numbers; infinities and zeros. */
static void add_edges(es__hash *hash)
{
    volatile float tiny = 1.1754944e-38F, zero = 0.0F, big = 3.0e38F;
    volatile double small = 2.2250738585072014e-308, third = 1.0, minus = -0.0;
    for (int i = 0; i < 24; ++i) {
        tiny = tiny * 0.5F;
        small = small * 0.5;
        add_f32(hash, tiny);
        add_f64(hash, small);
    }
    third = third / 3.0;
    add_f64(hash, third);
    add_f32(hash, (float)third);
    add_f64(hash, sqrt(third));
    add_f64(hash, minus * third);
    add_f64(hash, 1.0 / minus);
    add_f32(hash, big * 10.0F);
    add_f32(hash, zero / zero);
    volatile int64_t wide = INT64_C(9007199254740993);
    add_f64(hash, (double)wide);
    add_f32(hash, (float)wide);
    for (int i = -20; i <= 20; ++i) {
        volatile double quarter = i / 4.0;
        add_f64(hash, (double)(int32_t)quarter);
        add_f64(hash, floor(quarter));
        add_f64(hash, fabs(quarter));
    }
}

static void add_library(es__hash *hash)
{
    for (int i = 1; i <= ROUNDS; ++i) {
        volatile double x = i * 0.37;
        add_f64(hash, sin(x));
        add_f64(hash, cos(x));
        add_f64(hash, tan(x));
        add_f64(hash, atan2(x, 3.0 - x));
        add_f64(hash, exp(-x));
        add_f64(hash, log(x));
        add_f64(hash, pow(x, 1.0 / 3.0));
    }
}

es__state_self_test es__state_self_test_run(void)
{
    es__state_self_test result;
    es__hash hash;
    es__hash_begin(&hash);
    add_products(&hash);
    add_edges(&hash);
    result.arithmetic = es__hash_value(&hash);
    es__hash_begin(&hash);
    add_library(&hash);
    result.library = es__hash_value(&hash);
    return result;
}
