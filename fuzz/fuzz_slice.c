/* SPDX-License-Identifier: Zlib
 *
 * Any slices, jobs, slots, frames and clocks: grants cover a job's items once and in order, a slot
 * ends, and what is due is done when its tick's slot is over. And any groups of rates at any base
 * tick: the list agrees with the newest ticks, times rise, and alpha is in range.
 */
#include "evenstep/schedule.h"

#include "fuzz_bytes.h"

#include "schedule/schedule_parts.h"

#include <stdlib.h>
#include <string.h>

enum { SLICES = 5, GROUPS = 4 };

/* Small mostly; anything at times. */
static int64_t number_from(input *in)
{
    uint8_t byte = byte_from(in);
    if (byte < 200) {
        return byte;
    }
    return (int64_t)(bits_from(in) >> byte % 8 * 8);
}

/* ---- slices ---- */

typedef struct checked {
    es_slices set;
    es__slice slices[SLICES];
    es_slice_config configs[SLICES];
    es_slice_job jobs[SLICES];
    bool running[SLICES];
    int64_t next[SLICES]; /* item */
    int64_t now_ns;
} checked;

static void take_grant(checked *c, input *in, const es_slice_grant *grant)
{
    int32_t i = grant->slice;
    require(i >= 0 && i < SLICES && c->running[i] && grant->items > 0);
    require(grant->first == (c->next[i] < INT32_MAX ? c->next[i] : INT32_MAX));
    uint8_t what = byte_from(in);
    c->now_ns = es__ns_add(c->now_ns, number_from(in));
    if (c->jobs[i].open) {
        bool all = grant->items == ES_SLICE_ALL;
        if (what % 4 == 0 || all) {
            int32_t ran = (int32_t)(what % (grant->items < 100 ? grant->items : 100));
            require(es__slices_finish(&c->set, i, grant->items) == ES_OK || all);
            require(es__slices_finish(&c->set, i, ran) != ES_OK);
            c->running[i] = false;
        }
    } else {
        require(c->next[i] + grant->items <= c->jobs[i].items);
        require(es__slices_finish(&c->set, i, 0) != ES_OK);
    }
    c->next[i] += grant->items;
    if (!c->jobs[i].open && c->next[i] == c->jobs[i].items) {
        c->running[i] = false;
    }
    require(!c->running[i] == es_slices_get_status(&c->set, i).done);
}

static void run_slot(checked *c, input *in, bool is_tick, int64_t tick)
{
    es_slice_grant grant;
    int left = 1000; /* with a clock that stands still items are granted one by one */
    while (left-- > 0 && es_slices_next(&c->set, c->now_ns, &grant)) {
        take_grant(c, in, &grant);
        c->now_ns = left < 900 ? es__ns_add(c->now_ns, 1000000) : c->now_ns;
    }
    require(left >= 0 || c->now_ns == INT64_MAX);
    for (int32_t i = 0; i < SLICES && is_tick && left >= 0; ++i) {
        bool due = c->running[i] && tick >= c->jobs[i].due_tick;
        require(!due);
    }
}

static void begin(checked *c, input *in)
{
    int32_t i = byte_from(in) % SLICES;
    es_slice_job job = {number_from(in), 0, 0, false};
    job.due_tick = es__ns_add(job.begin_tick, number_from(in));
    job.items = (int32_t)number_from(in);
    job.open = byte_from(in) % 4 == 0;
    es_result result = es__slices_begin(&c->set, i, &job);
    if (result == ES_OK) {
        require(!c->running[i]);
        c->jobs[i] = job;
        c->running[i] = true;
        c->next[i] = 0;
    } else {
        require(result == ES_ERR_INVALID || c->running[i]);
    }
}

static void act(checked *c, input *in)
{
    uint8_t what = byte_from(in);
    int64_t tick = number_from(in);
    es_frame frame = {0};
    switch (what % 5) {
    case 0:
    case 1:
        begin(c, in);
        break;
    case 2:
        es_slices_open_tick(&c->set, tick, c->now_ns, number_from(in));
        run_slot(c, in, true, tick);
        break;
    case 3:
        frame.newest_tick = tick;
        frame.previous_ns = number_from(in);
        frame.current_ns = number_from(in);
        frame.content_ns = number_from(in);
        frame.ahead_ns = number_from(in);
        es_slices_open_frame(&c->set, &frame, c->now_ns, number_from(in));
        run_slot(c, in, false, tick);
        break;
    default:
        es_slices_open_tick(&c->set, tick, c->now_ns, 0);
    }
}

static void fuzz_slices(input *in)
{
    static checked c;
    memset(&c, 0, sizeof c);
    for (int i = 0; i < SLICES; ++i) {
        uint8_t byte = byte_from(in);
        es_slice_config *config = &c.configs[i];
        config->method = (es_slice_method)(byte % 3);
        config->where = (es_slice_where)(byte / 3 % 2);
        config->late = (es_slice_late)(byte / 6 % 2);
        config->count = config->method == ES_SLICE_COUNT ? 1 + byte : 0;
    }
    require(es__slices_init(&c.set, c.slices, c.configs, SLICES, NULL) == ES_OK);
    c.now_ns = number_from(in);
    while (in->data < in->end) {
        act(&c, in);
    }
}

/* ---- groups ---- */

static void check_tick(const es_rates *rates, int64_t tick)
{
    es_rates_run run = {0};
    int64_t counts[GROUPS] = {0};
    int64_t before[GROUPS];
    for (int32_t g = 0; g < rates->count; ++g) {
        before[g] = es__rates_newest(rates, g, es__ns_sub(tick, 1));
        if (es__rates_newest(rates, g, tick) - before[g] > 2000) {
            return; /* many ticks of a group in one of the base */
        }
    }
    for (int32_t group = 0; es_rates_next(rates, tick, &run);) {
        require(run.group >= group && run.group < rates->count);
        group = run.group;
        counts[group] += 1;
        require(run.step.index == before[group] + counts[group]);
        require(run.step.in_frame == counts[group] - 1);
        require(run.step.dt_s > 0.0);
    }
    for (int32_t g = 0; g < rates->count; ++g) {
        require(es__rates_newest(rates, g, tick) == before[g] + counts[g]);
    }
}

static void check_frame(const es_rates *rates, input *in, int64_t tick)
{
    es_frame frame = {.newest_tick = tick};
    frame.previous_ns = number_from(in);
    frame.content_ns = number_from(in);
    frame.ticks = (int32_t)(byte_from(in) % 20);
    frame.current_tick = tick;
    frame.current_ns = frame.previous_ns; /* it knows of no base tick */
    for (int32_t g = 0; g < rates->count; ++g) {
        es_frame of;
        require(es_rates_frame(rates, g, &frame, &of));
        require(of.alpha > 0.0 && of.alpha <= 1.0);
        require(of.current_tick >= 0 && of.current_tick <= of.newest_tick);
        require(of.current_tick - of.previous_tick <= 1 && of.ahead_ns >= 0);
        bool known = of.current_ns < INT64_MAX && of.content_ns < INT64_MAX;
        if (known && of.previous_tick < of.current_tick && of.previous_ns < of.current_ns) {
            require(of.previous_ns < of.content_ns);
            require(of.content_ns <= of.current_ns || of.current_tick == of.newest_tick);
        }
    }
}

static es_rate rate_from(input *in)
{
    es_rate rate = {(uint32_t)number_from(in), (uint32_t)number_from(in)};
    return rate;
}

static void fuzz_rates(input *in)
{
    es_rate_group groups[GROUPS];
    memset(groups, 0, sizeof groups);
    for (int i = 0; i < GROUPS; ++i) {
        groups[i].period = (int32_t)number_from(in);
        groups[i].phase = (int32_t)number_from(in);
        groups[i].lead_ticks = (int32_t)(byte_from(in) % 8) - 1;
        groups[i].delay_ticks = (int32_t)(byte_from(in) % 9);
        groups[i].cost = number_from(in);
        if (groups[i].period <= 0) {
            groups[i].rate = rate_from(in);
        }
    }
    es_rates_config config = {groups, GROUPS, {0, 0}, byte_from(in) % 8 == 0};
    config.base = rate_from(in);
    for (int i = 0; i < GROUPS && config.spread; ++i) { /* or it takes too long */
        groups[i].period %= 12;
    }
    es_rates *rates = es_rates_create(&config);
    if (rates == NULL) {
        const es_rate_group simple = {
                .period = groups[0].period > 0 ? groups[0].period % 5 + 1 : 1};
        rates = es_rates_create(&(es_rates_config){&simple, 1, es_hz(60), false});
        require(rates != NULL);
    }
    while (in->data < in->end) {
        int64_t tick = number_from(in);
        if (byte_from(in) % 16 == 0) {
            es_rates_rebase(rates, tick, number_from(in), rate_from(in));
        }
        check_tick(rates, tick);
        check_frame(rates, in, tick);
    }
    es_rates_destroy(rates);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    if (byte_from(&in) % 2 == 0) {
        fuzz_slices(&in);
    } else {
        fuzz_rates(&in);
    }
    return 0;
}
