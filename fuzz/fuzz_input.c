/* SPDX-License-Identifier: Zlib
 *
 * Any order of calls with any values. Waiting events are sorted and within the ring. Every accepted
 * event is taken once, within one device in the order of the calls. Refused events are counted and
 * leave nothing held. Edges alternate. No converted stamp is after its receipt. The meter measures
 * only events that a tick took.
 */
#include "evenstep/input.h"

#include "fuzz_bytes.h"

#include "input/input_parts.h"
#include "base/common.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 12, BUTTONS = 4, AXES = 2, DEVICES = 3, QUEUE = 4 };

typedef struct checked {
    es_input input;
    es_input_event ring[ROOM];
    es_input_state state, newest;
    es_input_button buttons[BUTTONS], newest_buttons[BUTTONS];
    es_input_axis axes[AXES], newest_axes[AXES];
    es_input_meter meter;
    es_input_sample samples[5];
    es_input_clock clock;
    es_input_queue queue;
    unsigned char memory[3 * 128 + QUEUE * sizeof(es_input_event)];
    int64_t now_ns;
    es_step step;
    uint64_t number;
    int64_t accepted, refused, queued, came;
    uint64_t last[DEVICES]; /* the last that was taken, not through the queue */
} checked;

static es_input_event event_from(checked *c, input *in)
{
    uint8_t what = byte_from(in);
    es_input_event event = {.stamp_ns = time_from(in, c->now_ns), .user = ++c->number};
    event.kind = (es_input_kind)(what % 8);
    event.device = what >= 248 ? ES_INPUT_ALL : what / 8 % DEVICES;
    event.code = byte_from(in) % 6;
    event.value = what == 100 ? 1e308 * 1e10 : (double)byte_from(in) - 100.0;
    return event;
}

static void check_ring(const checked *c)
{
    int64_t before_ns = INT64_MIN;
    require(c->input.count <= c->input.capacity);
    for (uint32_t i = 0; i < c->input.count; ++i) {
        const es_input_event *event = es__input_pending(&c->input, i);
        require(event->stamp_ns >= before_ns);
        before_ns = event->stamp_ns;
    }
    require(es__input_pending(&c->input, c->input.count) == NULL);
    require(c->input.taken + (int64_t)c->input.count >= c->input.pushed);
    require(c->input.pushed == c->accepted + c->came);
    require(c->input.lost == c->refused);
}

static void push(checked *c, input *in)
{
    es_input_event event = event_from(c, in);
    bool all = event.device == ES_INPUT_ALL && event.kind != ES_INPUT_RESET;
    bool good = event.kind < ES_INPUT_LOST || event.kind == ES_INPUT_OTHER;
    good = good && !all && event.value < 1e300;
    es_result result = es_input_push(&c->input, &event, c->now_ns);
    require((result == ES_ERR_INVALID) == !good);
    c->accepted += result == ES_OK;
    c->refused += result == ES_ERR_SPACE;
}

/* Numbers of the queue have their highest bit set: they need not be in order with others. */
static void push_queue(checked *c, input *in)
{
    es_input_event event = event_from(c, in);
    event.user |= UINT64_C(1) << 63;
    es_result result = es_input_queue_push(&c->queue, &event, c->now_ns);
    c->queued += result == ES_OK;
}

static void receive(checked *c)
{
    int64_t before = c->input.pushed;
    uint32_t count = c->input.count;
    uint32_t moved = es_input_queue_receive(&c->queue, &c->input);
    require(c->input.count == count + moved);
    require(c->input.pushed - before <= (int64_t)moved);
    c->came += c->input.pushed - before;
    require(c->came <= c->queued);
}

static void check_state(const checked *c)
{
    for (int i = 0; i < BUTTONS; ++i) {
        const es_input_button *button = &c->buttons[i];
        require(button->held - button->was_held == button->pressed - button->released);
    }
}

static void take(checked *c, const es_step *step)
{
    es_input_taken taken;
    int64_t measured = c->meter.events;
    int64_t count = 0;
    es_input_open(&c->input, step);
    es__input_state_begin(&c->state, 1);
    while (es_input_next(&c->input, &taken)) {
        es__input_state_apply(&c->state, &taken.event);
        if (taken.event.kind == ES_INPUT_LOST) {
            for (int i = 0; i < BUTTONS; ++i) {
                require(!c->buttons[i].held);
            }
            continue;
        }
        bool own = taken.event.user >> 63 == 0 && taken.event.device < DEVICES;
        if (own) {
            require(taken.event.user > c->last[taken.event.device]);
            c->last[taken.event.device] = taken.event.user;
        }
        require(taken.missed >= 0 && taken.missed <= ES_INPUT_TICKS);
        if (step != NULL) {
            es_input_meter_take(&c->meter, &taken, step);
            count += 1;
        }
    }
    require(step != NULL || c->input.count == 0);
    require(c->meter.events <= measured + count);
    check_state(c);
}

static void tick(checked *c, input *in)
{
    c->step.index = byte_from(in) >= 250 ? 1 : c->step.index + 1;
    c->step.due_ns = time_from(in, c->now_ns);
    c->step.begun_ns = c->now_ns;
    c->step.dt_ns = 10000000;
    c->step.time_ns = es__ns_add(c->step.time_ns, c->step.dt_ns);
    take(c, &c->step);
}

static void see(checked *c, input *in)
{
    es_frame frame;
    es_input_summary summary;
    double scratch[5];
    memset(&frame, 0, sizeof frame);
    frame.content_ns = time_from(in, c->step.time_ns);
    frame.newest_tick = c->step.index;
    frame.start_ns = c->now_ns;
    frame.gap.kind = byte_from(in) >= 250 ? ES_GAP_STOPPED : ES_GAP_NONE;
    es_input_meter_frame(&c->meter, &frame, time_from(in, c->now_ns));
    require(es_input_meter_summarise(&c->meter, scratch, 5, &summary) == ES_OK);
    require(summary.events <= 5 && summary.to_shown.p50_ms <= summary.to_shown.max_ms);
    require(c->meter.waiting <= c->meter.count && c->meter.unseen <= c->meter.events);
}

static void convert(checked *c, input *in)
{
    int64_t received_ns = time_from(in, c->now_ns);
    uint64_t stamp = (uint64_t)time_from(in, c->now_ns) / 1000;
    if (byte_from(in) >= 240) {
        es_input_clock_read(&c->clock, stamp, received_ns);
    }
    require(es_input_clock_convert(&c->clock, stamp, received_ns) <= received_ns);
    require(c->clock.grade >= ES_INPUT_GUESSED && c->clock.grade <= ES_INPUT_EXACT);
}

static void start(checked *c, input *in)
{
    uint8_t what = byte_from(in);
    es_input_config config = {what % 16 == 15};
    es_input_clock_config clock = {1000, 0, what % 3 == 0 ? 16 : what % 3 == 1 ? 32 : 64, false};
    memset(c, 0, sizeof *c);
    clock.same = what % 8 == 7;
    c->now_ns = time_from(in, 0);
    require(es_input_init(&c->input, c->ring, 2 + what % (ROOM - 1), &config, NULL) == ES_OK);
    require(es_input_state_init(&c->state, c->buttons, BUTTONS, c->axes, AXES) == ES_OK);
    require(es_input_state_init(&c->newest, c->newest_buttons, BUTTONS, c->newest_axes, AXES)
            == ES_OK);
    require(es_input_meter_init(&c->meter, c->samples, 5) == ES_OK);
    require(es_input_clock_init(&c->clock, &clock, NULL) == ES_OK);
    require(es_input_queue_init(&c->queue, QUEUE, c->memory, sizeof c->memory, NULL) == ES_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static checked c;
    input in = {data, data + size};
    start(&c, &in);
    while (in.data < in.end) {
        uint8_t what = byte_from(&in);
        c.now_ns = what >= 224 ? time_from(&in, c.now_ns)
                               : es__ns_add(c.now_ns, what % 4 * INT64_C(2500000));
        switch (what / 4 % 8) {
        case 0:
        case 1:
            push(&c, &in);
            break;
        case 2:
            push_queue(&c, &in);
            break;
        case 3:
            receive(&c);
            break;
        case 4:
            tick(&c, &in);
            break;
        case 5:
            see(&c, &in);
            break;
        case 6:
            convert(&c, &in);
            break;
        default:
            require(es_input_peek(&c.input, &c.state, &c.newest) == ES_OK);
        }
        check_ring(&c);
    }
    for (int i = 0; i <= QUEUE; ++i) { /* a ring may hold no more than one */
        take(&c, NULL);
        receive(&c);
    }
    take(&c, NULL);
    require(c.input.taken == c.input.pushed);
    require(c.input.pushed == c.accepted + c.queued);
    return 0;
}
