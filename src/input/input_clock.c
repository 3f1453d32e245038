/* SPDX-License-Identifier: Zlib
 *
 * Stamps of another clock. received - stamp is the offset of the clocks and the time that the event
 * took, which is at least 0. So the least of many is the best. It is taken over two windows in
 * turn, so that old ones are forgotten as clocks drift.
 */
#include "evenstep/input.h"

#include "base/common.h"

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

/* With fewer samples the grade is ES_INPUT_GUESSED. */
#define SAMPLES_FEW 8

es_result es_input_clock_init(
        es_input_clock *clock, const es_input_clock_config *config, es_error *error)
{
    if (clock == NULL || config == NULL) {
        return es__refuse(error, clock == NULL ? "clock" : "config", "is NULL");
    }
    if (config->unit_ns < 1 || config->unit_ns > ES_NS_PER_S) {
        return es__refuse(error, "unit_ns", "is not 1 to 1 s");
    }
    if (config->resolution_ns < 0 || config->resolution_ns > ES_NS_PER_S) {
        return es__refuse(error, "resolution_ns", "is not 0 to 1 s");
    }
    if (config->bits != 0 && (config->bits < 16 || config->bits > 64)) {
        return es__refuse(error, "bits", "is neither 0 nor 16 to 64");
    }
    es_input_clock fresh = {.config = *config, .before_ns = INT64_MAX};
    fresh.grade = config->same ? ES_INPUT_EXACT : ES_INPUT_GUESSED;
    if (fresh.config.resolution_ns == 0) {
        fresh.config.resolution_ns = config->unit_ns;
    }
    if (fresh.config.bits == 0) {
        fresh.config.bits = 64;
    }
    *clock = fresh;
    return es__refuse_as(error, ES_OK, NULL, NULL);
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
static int64_t unwrap(const es_input_clock *clock, uint64_t stamp, int64_t received_ns)
{
    int32_t bits = clock->config.bits;
    if (bits == 64) {
        return stamp < INT64_MAX ? (int64_t)stamp : INT64_MAX;
    }
    if (clock->samples == 0) {
        return (int64_t)(stamp & ((UINT64_C(1) << bits) - 1));
    }
    int64_t passed = es__ns_sub(received_ns, clock->received_ns) / clock->config.unit_ns;
    int64_t expected = es__ns_add(clock->last_stamp, passed);
    return es__ns_add(expected, signed_bits(stamp - (uint64_t)expected, bits));
}

static int64_t stamp_to_ns(const es_input_clock *clock, int64_t stamp)
{
    int64_t unit_ns = clock->config.unit_ns;
    if (stamp > INT64_MAX / unit_ns) {
        return INT64_MAX;
    }
    return stamp < INT64_MIN / unit_ns ? INT64_MIN : stamp * unit_ns;
}

static void start_window(es_input_clock *clock, int64_t before_ns, int64_t apart_ns, int64_t now_ns)
{
    clock->before_ns = before_ns;
    clock->least_ns = apart_ns;
    clock->window_ns = now_ns;
    clock->in_window = 0;
}

/* Counts the sample. Returns whether the clock was set back. */
static bool has_leapt(es_input_clock *clock, int64_t apart_ns, int64_t now_ns)
{
    if (es__ns_sub(apart_ns, clock->offset_ns) <= LEAP_NS) {
        clock->above = 0;
        return false;
    }
    bool first = clock->above == 0;
    clock->above_ns = first ? apart_ns : es__min(clock->above_ns, apart_ns);
    clock->above_since_ns = first ? now_ns : clock->above_since_ns;
    clock->above += clock->above < LEAP_EVENTS;
    return clock->above == LEAP_EVENTS && es__ns_sub(now_ns, clock->above_since_ns) >= LEAP_FOR_NS;
}

/* The clocks may have drifted apart in a silence. */
static void allow_drift(es_input_clock *clock, int64_t now_ns)
{
    int64_t silence_ns = es__ns_sub(now_ns, clock->received_ns);
    if (silence_ns > WINDOW_NS && clock->samples > 0) {
        clock->least_ns = es__ns_add(clock->least_ns, silence_ns / DRIFT_SHARE);
        clock->before_ns = es__ns_add(clock->before_ns, silence_ns / DRIFT_SHARE);
    }
}

static void add_sample(es_input_clock *clock, int64_t apart_ns, int64_t now_ns)
{
    bool full = es__ns_sub(now_ns, clock->window_ns) >= WINDOW_NS;
    if (clock->samples == 0) {
        start_window(clock, INT64_MAX, apart_ns, now_ns);
    } else if (has_leapt(clock, apart_ns, now_ns)) {
        clock->leaps += 1;
        clock->above = 0;
        start_window(clock, INT64_MAX, clock->above_ns, now_ns);
    } else {
        clock->leaps += es__ns_sub(clock->offset_ns, apart_ns) > LEAP_NS && clock->samples > 1;
        if (full && clock->in_window >= WINDOW_EVENTS) {
            start_window(clock, clock->least_ns, apart_ns, now_ns);
        }
        clock->least_ns = es__min(clock->least_ns, apart_ns);
    }
}

/* worth: in events; a reading counts as a window of them. */
static void observe(es_input_clock *clock, int64_t apart_ns, int64_t now_ns, int32_t worth)
{
    allow_drift(clock, now_ns);
    add_sample(clock, apart_ns, now_ns);
    clock->in_window += clock->in_window < WINDOW_EVENTS ? worth : 0;
    clock->samples = es__ns_add(clock->samples, worth);
    clock->offset_ns = es__min(clock->least_ns, clock->before_ns);
    clock->grade = clock->samples < SAMPLES_FEW ? ES_INPUT_GUESSED : ES_INPUT_ESTIMATED;
}

/* Returns the unwrapped stamp in nanoseconds. */
static int64_t stamp_take(es_input_clock *clock, uint64_t stamp, int64_t now_ns, int32_t worth)
{
    int64_t unwrapped = unwrap(clock, stamp, now_ns);
    int64_t stamp_ns = stamp_to_ns(clock, unwrapped);
    if (!clock->config.same) {
        observe(clock, es__ns_sub(now_ns, stamp_ns), now_ns, worth);
    } else {
        clock->samples = es__ns_add(clock->samples, worth);
    }
    clock->last_stamp = unwrapped;
    clock->received_ns = now_ns;
    return stamp_ns;
}

void es_input_clock_read(es_input_clock *clock, uint64_t stamp, int64_t now_ns)
{
    stamp_take(clock, stamp, now_ns, WINDOW_EVENTS);
}

int64_t es_input_clock_convert(es_input_clock *clock, uint64_t stamp, int64_t received_ns)
{
    int64_t stamp_ns = stamp_take(clock, stamp, received_ns, 1);
    int64_t middle_ns = es__ns_add(stamp_ns, clock->config.resolution_ns / 2);
    return es__min(es__ns_add(middle_ns, clock->offset_ns), received_ns);
}
