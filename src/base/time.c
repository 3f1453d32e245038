/* SPDX-License-Identifier: Zlib
 *
 * Exact conversions between events and nanoseconds in 64 bits.
 *
 * The product events * denominator * 1e9 needs up to 125 bits. Splitting by quotient and remainder
 * keeps every intermediate below 2^63, because the numerator is at most 1e9 < 2^30 and the
 * denominator at most 2^32 - 1. __int128 is missing on 32-bit targets and in ISO C.
 */
#include "time.h"

#define ES_NUMERATOR_MAX UINT32_C(1000000000)

#if ES__ASSERTS && defined(__SIZEOF_INT128__)
__extension__ typedef __int128 wide;

/* result is floor(product / divisor), or is not in the range of times. */
static void check_floor(wide product, wide divisor, int64_t result)
{
    wide rest = product - (wide)result * divisor;
    bool far = result >= ES__TIME_MAX || result <= -ES__TIME_MAX;
    ES__ASSERT(far || (rest >= 0 && rest < divisor), result, divisor);
}
#define ES__CHECK_FLOOR(a, b, c, divisor, result)                                                  \
    check_floor((wide)(a) * (b) * (c), divisor, result)
#else
#define ES__CHECK_FLOOR(a, b, c, divisor, result) ((void)0)
#endif

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

es_rate es__rate_make(uint64_t numerator, uint64_t denominator)
{
    es_rate rate = {0, 0};
    if (numerator == 0 || denominator == 0) {
        return rate;
    }
    uint64_t divisor = common_divisor(numerator, denominator);
    ES__ASSERT(numerator % divisor == 0 && denominator % divisor == 0, divisor);
    numerator /= divisor;
    denominator /= divisor;
    ES__ASSERT_IS(common_divisor(numerator, denominator), ==, 1);
    if (numerator <= ES_NUMERATOR_MAX && denominator <= UINT32_MAX) {
        rate.numerator = (uint32_t)numerator;
        rate.denominator = (uint32_t)denominator;
    }
    return rate;
}

#define DENOMINATOR_MAX 1000

/* The rates of video are whole rates by 1000/1001. They are written with two or three digits, so up to
 * this far off (SMPTE ST 12-1: 23.976, 29.97, 59.94, 119.88). */
#define VIDEO_DIGITS 0.0006

es__ratio es__nearest_ratio(double x)
{
    es__ratio best = {0, 1};
    double least = x;
    for (uint32_t denominator = 1; denominator <= DENOMINATOR_MAX && least > 0.0; ++denominator) {
        double numerator = (double)(uint64_t)(x * denominator + 0.5);
        double off = numerator / denominator - x;
        off = off < 0.0 ? -off : off;
        if (off < least && numerator <= (double)ES_NUMERATOR_MAX) {
            least = off;
            best.numerator = (uint32_t)numerator;
            best.denominator = denominator;
        }
    }
    /* at most half a step of the largest denominator whose numerator fits */
    ES__ASSERT(x > (double)ES_NUMERATOR_MAX || least <= 0.5 / DENOMINATOR_MAX
                       || least * (ES_NUMERATOR_MAX / x - 1.0) <= 0.5,
            x, least);
    return best;
}

es_rate es_hz(double hz)
{
    const es_rate refused = {0, 1};
    if (!(hz >= 0.001 && hz <= (double)ES_NUMERATOR_MAX)) {
        return refused;
    }
    double whole = (double)(uint64_t)(hz * 1.001 + 0.5);
    double off = whole / 1.001 - hz;
    bool video =
            hz < 1000.0 && off < VIDEO_DIGITS && -off < VIDEO_DIGITS && hz != (double)(uint64_t)hz;
    const es__ratio nearest = es__nearest_ratio(hz);
    return video ? es__rate_make((uint64_t)whole * 1000, 1001)
                 : (es_rate){nearest.numerator, nearest.denominator};
}

bool es__rate_is_valid(es_rate rate)
{
    return rate.numerator >= 1 && rate.numerator <= ES_NUMERATOR_MAX && rate.denominator >= 1;
}

int64_t es__rate_span_ns(es_rate rate, int64_t events)
{
    return es__clamp_ns(es_rate_time_ns(rate, events));
}

int64_t es__rate_period_ns(es_rate rate)
{
    return es__rate_span_ns(rate, 1);
}

double es__rate_period_s(es_rate rate)
{
    return es__rate_is_valid(rate) ? (double)rate.denominator / (double)rate.numerator : 0.0;
}

/* a * b for b > 0, saturating. */
static int64_t multiply(int64_t a, int64_t b)
{
    if (a > INT64_MAX / b) {
        return INT64_MAX;
    }
    if (a < INT64_MIN / b) {
        return INT64_MIN;
    }
    return a * b;
}

/* a * b + c for 0 <= c < b, saturating only if the sum does. For negative a the product is of a +
 * 1, so that it does not saturate before the sum. */
static int64_t multiply_add(int64_t a, int64_t b, int64_t c)
{
    if (b == 0) {
        return 0;
    }
    return a < 0 ? es__ns_add(multiply(a + 1, b), c - b) : es__ns_add(multiply(a, b), c);
}

/* *quotient = floor(a / b); returns the rest, in [0, b). b > 0. */
static int64_t divide_down(int64_t a, int64_t b, int64_t *quotient)
{
    int64_t down = a / b;
    int64_t rest = a % b;
    if (rest < 0) {
        down -= 1;
        rest += b;
    }
    *quotient = down;
    return rest;
}

int64_t es_rate_time_ns(es_rate rate, int64_t events)
{
    if (!es__rate_is_valid(rate)) {
        return 0;
    }
    const int64_t numerator = rate.numerator;
    const int64_t denominator = rate.denominator;
    /* events = a * numerator + b: a * denominator whole seconds, and b events more */
    int64_t a;
    int64_t b = divide_down(events, numerator, &a);
    /* b * denominator < 2^62: c whole seconds, and d / numerator of one */
    int64_t c = b * denominator / numerator;
    int64_t d = b * denominator % numerator;
    int64_t seconds = multiply_add(a, denominator, c);
    int64_t time_ns = multiply_add(seconds, ES_NS_PER_S, d * ES_NS_PER_S / numerator);
    ES__CHECK_FLOOR(events, denominator, ES_NS_PER_S, numerator, time_ns);
    return time_ns;
}

int64_t es__rate_ns_to_events(es_rate rate, int64_t ns)
{
    if (!es__rate_is_valid(rate)) {
        return 0;
    }
    const int64_t numerator = rate.numerator;
    const int64_t denominator = rate.denominator;
    const int64_t unit = denominator * ES_NS_PER_S;
    /* n >= ns * numerator / (denominator * 1e9), ns = seconds * 1e9 + fraction */
    int64_t seconds;
    int64_t fraction = divide_down(ns, ES_NS_PER_S, &seconds);
    /* |seconds| < 9.3e9 and numerator <= 1e9: the product can pass 2^63, so split once more */
    int64_t a;
    int64_t b = divide_down(seconds, denominator, &a);
    int64_t c = b * numerator / denominator;
    int64_t d = b * numerator % denominator;
    int64_t whole = multiply_add(a, numerator, c);
    /* rest / (denominator * 1e9) events: d * 1e9 < 4.3e18 and fraction * numerator < 1e18 */
    int64_t rest = d * ES_NS_PER_S + fraction * numerator;
    int64_t events = es__ns_add(whole, rest / unit + (rest % unit != 0 ? 1 : 0));
    ES__ASSERT(es__clamp_ns(ns) != ns
                       || (es_rate_time_ns(rate, events) >= ns
                               && es_rate_time_ns(rate, events - 1) < ns),
            events, ns);
    return events;
}

int64_t es__ns_scale(int64_t ns, es__ratio ratio)
{
    if (ratio.denominator == 0) {
        return 0;
    }
    int64_t whole;
    int64_t rest = divide_down(ns, ratio.denominator, &whole);
    /* rest and numerator are both below 2^32: unsigned, the product fits */
    uint64_t part = (uint64_t)rest * ratio.numerator / ratio.denominator;
    int64_t scaled_ns = es__clamp_ns(multiply_add(whole, ratio.numerator, (int64_t)part));
    ES__CHECK_FLOOR(ns, ratio.numerator, 1, ratio.denominator, scaled_ns);
    return scaled_ns;
}

double es__ns_to_ms(int64_t ns)
{
    return (double)ns / 1e6;
}
