/* SPDX-License-Identifier: Zlib
 *
 * Stamps of another clock. received - stamp is the offset of the clocks and the time that the event
 * took, which is at least 0. So the least of many is the best. It is taken over two windows in
 * turn, so that old ones are forgotten as clocks drift.
 */
#include "input.h"

#include <math.h>

/* A window ends when both have passed. */
#define WINDOW_NS     (5 * ES_NS_PER_S)
#define WINDOW_EVENTS 32

/* This many samples in a row this far above the offset over this time are no late events: the clock
 * was set back. A program that has stood still gets many late events at once. */
#define LEAP_NS     (250 * ES_NS_PER_MS)
#define LEAP_EVENTS 8
#define LEAP_FOR_NS (500 * ES_NS_PER_MS)

/* In a silence longer than a window the offset may drift by one part in DRIFT_SHARE: 50 ppm, as
 * ordinary clocks do. */
#define DRIFT_SHARE 20000

es_result es__stamps_init(es__stamps *stamps, const es_input_stamps *config, es__error *error)
{
    const es__rule rules[] = {
            {config->unit_ns < 0 || config->unit_ns > ES_NS_PER_S, "stamps.unit_ns",
                    "is not 0 to 1 s"},
            {config->resolution_ns < 0 || config->resolution_ns > ES_NS_PER_S,
                    "stamps.resolution_ns", "is not 0 to 1 s"},
            {config->bits != 0 && (config->bits < 16 || config->bits > 64), "stamps.bits",
                    "is neither 0 nor 16 to 64"},
    };
    if (ES__REFUSE_BROKEN(error, rules) != ES_OK) {
        return ES_ERR_INVALID;
    }
    es_input_stamps made = *config;
    made.unit_ns = config->unit_ns == 0 ? 1 : config->unit_ns;
    made.resolution_ns = config->resolution_ns == 0 ? made.unit_ns : config->resolution_ns;
    made.bits = config->bits == 0 ? 64 : config->bits;
    *stamps = (es__stamps){.config = made, .before_ns = INT64_MAX};
    return ES_OK;
}

/* The difference of two stamps, sign-extended from their bits. */
static int64_t signed_bits(uint64_t difference, int32_t bits)
{
    uint64_t most = UINT64_C(1) << (bits - 1);
    uint64_t mask = (most - 1) << 1 | 1;
    difference &= mask;
    return difference < most ? (int64_t)difference : -(int64_t)(mask - difference) - 1;
}

/* Of all values with these bits, the one nearest to what the clock should read by now. */
static int64_t unwrap(const es__stamps *stamps, uint64_t stamp, int64_t received_ns)
{
    int32_t bits = stamps->config.bits;
    if (bits == 64) {
        return stamp < INT64_MAX ? (int64_t)stamp : INT64_MAX;
    }
    int64_t unwrapped = (int64_t)(stamp & ((UINT64_C(1) << bits) - 1));
    if (stamps->samples > 0) {
        int64_t passed = es__ns_sub(received_ns, stamps->received_ns) / stamps->config.unit_ns;
        int64_t expected = es__ns_add(stamps->last_stamp, passed);
        unwrapped = es__ns_add(expected, signed_bits(stamp - (uint64_t)expected, bits));
        ES__ASSERT(fabs((double)unwrapped - (double)expected) <= ldexp(1.0, bits - 1), unwrapped);
    }
    ES__ASSERT(stamps->samples > 0 || unwrapped >> bits == 0, unwrapped);
    ES__ASSERT((((uint64_t)unwrapped - stamp) & ((UINT64_C(1) << bits) - 1)) == 0
                       || unwrapped == INT64_MAX || unwrapped == INT64_MIN,
            unwrapped, stamp);
    return unwrapped;
}

static int64_t stamp_to_ns(const es__stamps *stamps, int64_t stamp)
{
    int64_t unit_ns = stamps->config.unit_ns;
    if (stamp > INT64_MAX / unit_ns) {
        return INT64_MAX;
    }
    return stamp < INT64_MIN / unit_ns ? INT64_MIN : stamp * unit_ns;
}

static void start_window(es__stamps *stamps, int64_t before_ns, int64_t apart_ns, int64_t now_ns)
{
    stamps->before_ns = before_ns;
    stamps->least_ns = apart_ns;
    stamps->window_ns = now_ns;
    stamps->in_window = 0;
}

/* Counts the sample. Returns whether the clock was set back. */
static bool has_leapt(es__stamps *stamps, int64_t apart_ns, int64_t now_ns)
{
    if (es__ns_sub(apart_ns, stamps->offset_ns) <= LEAP_NS) {
        stamps->above = 0;
        return false;
    }
    bool first = stamps->above == 0;
    stamps->above_ns = first ? apart_ns : es__min(stamps->above_ns, apart_ns);
    stamps->above_since_ns = first ? now_ns : stamps->above_since_ns;
    stamps->above += stamps->above < LEAP_EVENTS;
    return stamps->above == LEAP_EVENTS
           && es__ns_sub(now_ns, stamps->above_since_ns) >= LEAP_FOR_NS;
}

static void add_sample(es__stamps *stamps, int64_t apart_ns, int64_t now_ns)
{
    bool full = es__ns_sub(now_ns, stamps->window_ns) >= WINDOW_NS;
    if (stamps->samples == 0) {
        start_window(stamps, INT64_MAX, apart_ns, now_ns);
    } else if (has_leapt(stamps, apart_ns, now_ns)) {
        stamps->leaps += 1;
        stamps->above = 0;
        start_window(stamps, INT64_MAX, stamps->above_ns, now_ns);
    } else {
        stamps->leaps += es__ns_sub(stamps->offset_ns, apart_ns) > LEAP_NS && stamps->samples > 1;
        if (full && stamps->in_window >= WINDOW_EVENTS) {
            start_window(stamps, stamps->least_ns, apart_ns, now_ns);
        }
        stamps->least_ns = es__min(stamps->least_ns, apart_ns);
    }
}

static void observe(es__stamps *stamps, int64_t apart_ns, int64_t now_ns)
{
    int64_t silence_ns = es__ns_sub(now_ns, stamps->received_ns);
    if (silence_ns > WINDOW_NS && stamps->samples > 0) { /* the clocks may have drifted apart */
        stamps->least_ns = es__ns_add(stamps->least_ns, silence_ns / DRIFT_SHARE);
        stamps->before_ns = es__ns_add(stamps->before_ns, silence_ns / DRIFT_SHARE);
    }
    add_sample(stamps, apart_ns, now_ns);
    stamps->in_window += stamps->in_window < WINDOW_EVENTS;
    stamps->offset_ns = es__min(stamps->least_ns, stamps->before_ns);
    ES__ASSERT_IS(stamps->offset_ns, <=, apart_ns);
    ES__ASSERT(stamps->samples > 0 || (stamps->least_ns == apart_ns && stamps->window_ns == now_ns),
            stamps->least_ns);
    ES__ASSERT_IS(stamps->least_ns, <=, apart_ns);
}

int64_t es__stamps_convert(es__stamps *stamps, uint64_t stamp, int64_t received_ns)
{
    int64_t unwrapped = unwrap(stamps, stamp, received_ns);
    int64_t stamp_ns = stamp_to_ns(stamps, unwrapped);
    if (stamps->config.other) {
        observe(stamps, es__ns_sub(received_ns, stamp_ns), received_ns);
    }
    stamps->samples = es__ns_add(stamps->samples, 1);
    stamps->last_stamp = unwrapped;
    stamps->received_ns = received_ns;
    int64_t middle_ns = es__ns_add(stamp_ns, stamps->config.resolution_ns / 2);
    ES__ASSERT(fabs((double)stamp_ns - (double)unwrapped * (double)stamps->config.unit_ns) < 2e3
                       || stamp_ns == INT64_MAX || stamp_ns == INT64_MIN,
            stamp_ns);
    return es__min(es__ns_add(middle_ns, stamps->offset_ns), received_ns);
}
