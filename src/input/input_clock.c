/* SPDX-License-Identifier: Zlib
 *
 * Stamps of another clock. received - stamp is what the two are apart, and how long the event took:
 * never less than nothing. So the least of many is the best, over two windows in turn: what was
 * least long ago is forgotten, as clocks drift.
 */
#include "evenstep/input.h"

#include "base/common.h"
#include "input_parts.h"

/* A window ends when both have passed. */
#define WINDOW_NS     (5 * ES_NS_PER_S)
#define WINDOW_EVENTS 32

/* So many samples in a row that are so far above the offset, over so long a time, are no late
 * events: the clock was set back. A program that has stood still gets many late ones at once. */
#define LEAP_NS     (250 * ES_NS_PER_MS)
#define LEAP_EVENTS 8
#define LEAP_FOR_NS (500 * ES_NS_PER_MS)

/* After a silence longer than a window, what was learned before it may be off by one part in so
 * many of the silence: ordinary clocks drift by 50 ppm. */
#define DRIFT_SHARE 20000

/* Fewer samples are a guess. */
#define SAMPLES_FEW 8

static const char *stamp_refused_field(const es_input_clock_config *config, const char **reason)
{
    if (config->unit_ns < 1 || config->unit_ns > ES_NS_PER_S) {
        *reason = "is not 1 to 1 s";
        return "unit_ns";
    }
    if (config->resolution_ns < 0 || config->resolution_ns > ES_NS_PER_S) {
        *reason = "is not 0 to 1 s";
        return "resolution_ns";
    }
    if (config->bits != 0 && (config->bits < 16 || config->bits > 64)) {
        *reason = "is neither 0 nor 16 to 64";
        return "bits";
    }
    return NULL;
}

es_result es_input_clock_init(
        es_input_clock *clock, const es_input_clock_config *config, es_error *error)
{
    const char *reason = NULL;
    if (clock == NULL || config == NULL) {
        const char *name = clock == NULL ? "clock" : "config";
        return es__refuse(error, name, "is NULL");
    }
    const char *field = stamp_refused_field(config, &reason);
    if (field != NULL) {
        return es__refuse(error, field, reason);
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

/* The difference of two stamps, as a number of the bits that they have. */
static int64_t signed_bits(uint64_t difference, int32_t bits)
{
    uint64_t most = UINT64_C(1) << (bits - 1);
    uint64_t mask = (most - 1) << 1 | 1;
    difference &= mask;
    return difference < most ? (int64_t)difference : -(int64_t)(mask - difference) - 1;
}

/* Of all that look like this stamp, the one nearest to where the clock should be by now. */
static int64_t unwrap(const es_input_clock *clock, uint64_t stamp, int64_t received_ns)
{
    int32_t bits = clock->config.bits;
    if (bits == 64) {
        return stamp < INT64_MAX ? (int64_t)stamp : INT64_MAX;
    }
    if (clock->samples == 0) {
        return (int64_t)(stamp & ((UINT64_C(1) << bits) - 1));
    }
    int64_t passed = es_ns_sub(received_ns, clock->received_ns) / clock->config.unit_ns;
    int64_t expected = es_ns_add(clock->last_stamp, passed);
    return es_ns_add(expected, signed_bits(stamp - (uint64_t)expected, bits));
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

/* Whether the clock was set back. Notes the sample. */
static bool has_leapt(es_input_clock *clock, int64_t apart_ns, int64_t now_ns)
{
    if (es_ns_sub(apart_ns, clock->offset_ns) <= LEAP_NS) {
        clock->above = 0;
        return false;
    }
    bool first = clock->above == 0;
    clock->above_ns = first ? apart_ns : es__min(clock->above_ns, apart_ns);
    clock->above_since_ns = first ? now_ns : clock->above_since_ns;
    clock->above += clock->above < LEAP_EVENTS;
    return clock->above == LEAP_EVENTS && es_ns_sub(now_ns, clock->above_since_ns) >= LEAP_FOR_NS;
}

/* While nothing came the clocks may have drifted apart. */
static void forget_some(es_input_clock *clock, int64_t now_ns)
{
    int64_t silence_ns = es_ns_sub(now_ns, clock->received_ns);
    if (silence_ns > WINDOW_NS && clock->samples > 0) {
        clock->least_ns = es_ns_add(clock->least_ns, silence_ns / DRIFT_SHARE);
        clock->before_ns = es_ns_add(clock->before_ns, silence_ns / DRIFT_SHARE);
    }
}

/* What the clocks seem to be apart, by one more sample. */
static void note_apart(es_input_clock *clock, int64_t apart_ns, int64_t now_ns)
{
    bool full = es_ns_sub(now_ns, clock->window_ns) >= WINDOW_NS;
    if (clock->samples == 0) {
        start_window(clock, INT64_MAX, apart_ns, now_ns);
    } else if (has_leapt(clock, apart_ns, now_ns)) {
        clock->leaps += 1;
        clock->above = 0;
        start_window(clock, INT64_MAX, clock->above_ns, now_ns);
    } else {
        clock->leaps += es_ns_sub(clock->offset_ns, apart_ns) > LEAP_NS && clock->samples > 1;
        if (full && clock->in_window >= WINDOW_EVENTS) {
            start_window(clock, clock->least_ns, apart_ns, now_ns);
        }
        clock->least_ns = es__min(clock->least_ns, apart_ns);
    }
}

/* A reading is worth as much as a window of events. */
static void observe(es_input_clock *clock, int64_t apart_ns, int64_t now_ns, int32_t worth)
{
    forget_some(clock, now_ns);
    note_apart(clock, apart_ns, now_ns);
    clock->in_window += clock->in_window < WINDOW_EVENTS ? worth : 0;
    clock->samples = es_ns_add(clock->samples, worth);
    clock->offset_ns = es__min(clock->least_ns, clock->before_ns);
    clock->grade = clock->samples < SAMPLES_FEW ? ES_INPUT_GUESSED : ES_INPUT_ESTIMATED;
}

/* Returns the stamp in ns, unwrapped. */
static int64_t stamp_take(es_input_clock *clock, uint64_t stamp, int64_t now_ns, int32_t worth)
{
    int64_t unwrapped = unwrap(clock, stamp, now_ns);
    int64_t stamp_ns = stamp_to_ns(clock, unwrapped);
    if (!clock->config.same) {
        observe(clock, es_ns_sub(now_ns, stamp_ns), now_ns, worth);
    } else {
        clock->samples = es_ns_add(clock->samples, worth);
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
    int64_t middle_ns = es_ns_add(stamp_ns, clock->config.resolution_ns / 2);
    return es__min(es_ns_add(middle_ns, clock->offset_ns), received_ns);
}
