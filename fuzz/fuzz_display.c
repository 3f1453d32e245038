/* SPDX-License-Identifier: Zlib
 *
 * Frames in the order that the loop keeps, on displays of any kind and clocks that do anything;
 * feedback at any time, true or not. Content must never go back, the plan must add up, no wait may
 * be longer than a stall, and what the status says must be in its range.
 */
#include "fuzz_bytes.h"

#include "display/display.h"
#include "evenstep/evenstep.h"
#include "loop/loop_parts.h"

#include <stdlib.h>

enum { MANY = 40, FRAMES_MOST = 1500 };

/* Beyond these, sums are cut to the range, and nothing adds up any more. */
#define FAR_NS (INT64_MAX / 8)

typedef struct run {
    es__display display;
    es__display_config config;
    int64_t now_ns;
    int64_t period_ns; /* the display's */
    int32_t depth;     /* 0: nothing blocks */
    int64_t flip_ns;
    int64_t motion_ns;
    int frames;
} run;

static bool is_near(int64_t ns)
{
    return ns > -FAR_NS && ns < FAR_NS;
}

static void check(run *r, const es__display_plan *plan)
{
    es_display status = es__display_get_status(&r->display);
    bool near = is_near(r->now_ns) && is_near(plan->removed_ns) && is_near(plan->present_ns)
                && is_near(plan->motion_ns) && is_near(plan->reanchored_ns);
    int64_t sum_ns = plan->motion_ns + plan->offset_ns + plan->removed_ns + plan->reanchored_ns;
    require(!near || plan->present_ns == sum_ns);
    require(plan->motion_ns >= r->motion_ns);
    require(status.mode >= ES_DISPLAY_UNKNOWN && status.mode <= ES_DISPLAY_HOST);
    require(status.queue >= 0 && status.queue <= ES_DISPLAY_DISTANCES);
    require(r->display.hold >= 1);
    require(status.period_ns >= 0.0
            && (status.mode != ES_DISPLAY_BLOCKS || status.period_ns > 0.0));
    r->motion_ns = plan->motion_ns;
}

/* When present returns: when the frame that it waits for has flipped. */
static int64_t returned_ns(run *r, int64_t late_ns)
{
    if (r->depth == 0) {
        return r->now_ns;
    }
    int64_t next_ns = es__ns_add(r->flip_ns, r->period_ns);
    if (r->now_ns > next_ns
            || es__ns_sub(next_ns, r->now_ns) > 64 * r->period_ns) { /* or it leapt */
        next_ns = es__ns_add(r->now_ns, r->period_ns - (r->now_ns % r->period_ns));
    }
    r->flip_ns = next_ns;
    int64_t free_ns = es__ns_sub(next_ns, (r->depth - 1) * r->period_ns);
    return free_ns > r->now_ns ? es__ns_add(free_ns, late_ns) : r->now_ns;
}

static void run_frame(run *r, int64_t cost_ns, int64_t late_ns)
{
    es__display_plan plan;
    int64_t begin_ns = es__display_begin_ns(&r->display, r->now_ns, 0);
    require(begin_ns >= r->now_ns);
    r->now_ns = es__ns_sub(begin_ns, r->now_ns) < ES_NS_PER_S ? begin_ns : r->now_ns;
    es__display_open(&r->display, r->now_ns);
    int32_t ticks = (int32_t)(cost_ns & 3);
    int64_t first_ns = es__display_expect(&r->display, r->now_ns, ticks);
    r->now_ns = es__ns_add(r->now_ns, cost_ns / 4);
    require(es__display_expect(&r->display, r->now_ns, ticks) >= first_ns);
    es__display_close(&r->display, 16666667, &plan);
    check(r, &plan);
    es__display_work work = {ticks, cost_ns / 4, cost_ns - cost_ns / 4};
    r->now_ns = es__ns_add(r->now_ns, work.render_ns);
    if (plan.submit_ns > r->now_ns && es__ns_sub(plan.submit_ns, r->now_ns) < ES_NS_PER_S) {
        r->now_ns = plan.submit_ns;
    }
    es__display_submitted(&r->display, r->now_ns, &work);
    if (cost_ns % 3 == 0) {
        es__display_shown(&r->display, 1, es__ns_sub(r->flip_ns, r->period_ns));
    }
    r->now_ns = returned_ns(r, late_ns);
    es__display_returned(&r->display, r->now_ns);
    r->frames += 1;
}

/* As a display and a program do: more than a byte could say of each frame. */
static void run_many(run *r, input *in)
{
    int64_t cost_ns = r->period_ns / 32 * (byte_from(in) % 80);
    uint32_t mixed = byte_from(in), late = byte_from(in);
    uint8_t feedback = byte_from(in);
    for (int i = 0; i < MANY && r->frames < FRAMES_MOST; ++i) {
        mixed = mixed * 1664525 + 1013904223;
        int64_t uneven_ns = (int64_t)(mixed >> 8) % (cost_ns / 4 + 1);
        run_frame(r, es__ns_add(cost_ns, uneven_ns), (int64_t)(mixed >> 20) * late);
        if (feedback < 64) {
            es__display_shown(&r->display, 0, r->flip_ns);
        }
    }
}

static es__display_config config_from(input *in)
{
    es__display_config config = {0};
    uint8_t what = byte_from(in);
    config.refresh_ns = what % 2 == 0 ? (1 + byte_from(in)) * INT64_C(200000) : 0;
    config.interval_ns = what % 8 == 7 ? (1 + byte_from(in)) * INT64_C(1000000) : 0;
    config.tick_ns = (1 + byte_from(in)) * INT64_C(500000);
    config.low_latency = what / 16 % 4 == 3;
    return config;
}

static void run_other(run *r, input *in, uint8_t what)
{
    if (what < 200) {
        r->now_ns = es__ns_add(r->now_ns, (what - 170) * INT64_C(7000000)); /* it leaps */
    } else if (what < 210) {
        es__display_shown(&r->display, what - 200, es__ns_add(r->now_ns, any_from(in) / 1000));
    } else if (what < 222) {
        es__display_shown(&r->display, any_from(in), any_from(in));
    } else if (what < 230) {
        es__display_gap(&r->display, (what - 222) * INT64_C(300000000), what % 2 == 0);
    } else if (what < 240) {
        r->config = config_from(in);
        es__display_reconfigure(&r->display, &r->config);
    } else if (what < 250) {
        r->period_ns = (1 + byte_from(in) % 64) * INT64_C(654321);
        r->depth = what % 5;
    } else if (what < 253) {
        r->now_ns = any_from(in);
    } else {
        es__display_varies(&r->display);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    run r = {.motion_ns = INT64_MIN};
    r.config = config_from(&in);
    r.period_ns = (1 + byte_from(&in) % 64) * INT64_C(654321);
    r.depth = byte_from(&in) % 5;
    es__display_init(&r.display, &r.config);
    while (in.data < in.end && r.frames < FRAMES_MOST) {
        uint8_t what = byte_from(&in);
        if (what < 64) {
            run_frame(&r, what * INT64_C(500000), what % 4 * INT64_C(100000));
        } else if (what < 160) {
            run_many(&r, &in);
        } else {
            run_other(&r, &in, what);
        }
    }
    return 0;
}
