/* SPDX-License-Identifier: Zlib
 *
 * Any order of calls with any values. Every accepted event is taken once, within one device in the
 * order of the calls. Refused events are counted and leave nothing held. Edges alternate. No
 * converted stamp is after its receipt. Only events that a tick took are measured. Loaded bytes are
 * what saving gives again.
 */
#include "fuzz_bytes.h"

#include "evenstep/input.h"
#include "base/common.h"

#include <stdlib.h>
#include <string.h>

enum { BUTTONS = 4, AXES = 2, DEVICES = 3, SAVED = 11 * BUTTONS + 21 * AXES };

typedef struct checked {
    es_input *input;
    bool held[BUTTONS]; /* as of the tick before */
    int64_t now_ns;
    es_step step;
    uint64_t number;
    int64_t accepted, refused, taken;
    uint64_t last[DEVICES]; /* the last that was taken */
} checked;

static void push(checked *c, input *in)
{
    uint8_t what = byte_from(in);
    es_input_event event = {.stamp_ns = time_from(in, c->now_ns), .user = ++c->number};
    event.kind = (es_input_kind)(what % 8);
    event.device = what >= 248 ? ES_INPUT_ALL : what / 8 % DEVICES;
    event.code = byte_from(in) % 6;
    event.value = what == 100 ? 1e308 * 1e10 : (double)byte_from(in) - 100.0;
    bool all = event.device == ES_INPUT_ALL && event.kind != ES_INPUT_RESET;
    bool good = event.kind < ES_INPUT_LOST || event.kind == ES_INPUT_OTHER;
    good = good && !all && event.value < 1e300;
    bool accepted = es_input_push(c->input, &event);
    require(good || !accepted);
    c->accepted += accepted;
    c->refused += good && !accepted;
    require(es_input_get_status(c->input).lost == c->refused);
}

static void push_code(checked *c, input *in)
{
    uint8_t what = byte_from(in);
    int32_t code = (int32_t)byte_from(in) - 2;
    int64_t lost = c->refused;
    bool accepted = what % 2 == 0
                            ? es_input_button(c->input, code, what % 4 == 0, ES_UNKNOWN_NS)
                            : es_input_move(c->input, code, what - 100.0, time_from(in, c->now_ns));
    c->refused = es_input_get_status(c->input).lost;
    require(accepted || code < 0 || c->refused == lost + 1);
    c->accepted += accepted;
}

static void check_buttons(checked *c)
{
    for (int32_t i = 0; i < BUTTONS; ++i) {
        bool held = es_input_held(c->input, i);
        require(held - c->held[i]
                == es_input_pressed(c->input, i) - es_input_released(c->input, i));
        c->held[i] = held;
    }
}

static void take(checked *c, const es_step *step)
{
    es_input_event event;
    int32_t count = es_input_tick(c->input, step);
    bool lost = false;
    for (; es_input_next(c->input, &event); --count) {
        lost = event.kind == ES_INPUT_LOST;
        c->taken += !lost;
        if (event.user > 0 && event.device < DEVICES) {
            require(event.user > c->last[event.device]);
            c->last[event.device] = event.user;
        }
    }
    require(count == 0);
    check_buttons(c);
    for (int32_t i = 0; i < BUTTONS; ++i) {
        require(!lost || !es_input_held(c->input, i));
    }
    require(step != NULL || c->taken == c->accepted);
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
    memset(&frame, 0, sizeof frame);
    frame.content_ns = time_from(in, c->step.time_ns);
    frame.newest_tick = c->step.index;
    frame.start_ns = c->now_ns;
    uint8_t what = byte_from(in);
    frame.gap.kind = what >= 250 ? ES_GAP_STOPPED : ES_GAP_NONE;
    es_input_frame(c->input, what == 249 ? NULL : &frame, time_from(in, c->now_ns));
    es_input_status status = es_input_get_status(c->input);
    require(status.shown <= 5 && status.to_shown.p50_ms <= status.to_shown.max_ms);
    require(status.missed <= status.events);
    require(status.events <= c->taken);
}

static void convert(checked *c, input *in)
{
    int64_t received_ns = time_from(in, c->now_ns);
    uint64_t stamp = (uint64_t)time_from(in, c->now_ns) / 1000;
    require(es_input_stamp(c->input, stamp, received_ns) <= received_ns);
}

static void save_and_load(checked *c, input *in)
{
    unsigned char bytes[SAVED], again[SAVED];
    size_t size = es_input_save(c->input, bytes, sizeof bytes);
    require(size <= SAVED);
    for (int damage = byte_from(in) % 4; damage > 0 && size > 0; --damage) {
        bytes[byte_from(in) % size] = byte_from(in);
    }
    if (es_input_load(c->input, bytes, size)) {
        require(es_input_save(c->input, again, sizeof again) == size);
        require(memcmp(bytes, again, size) == 0);
    }
    for (int32_t i = 0; i < BUTTONS; ++i) {
        c->held[i] = es_input_held(c->input, i);
    }
}

static void peek(checked *c, input *in)
{
    int32_t axis = (int32_t)byte_from(in) % 4 - 1;
    double at = es_input_peek(c->input, axis);
    require(at == es_input_peek(c->input, axis));
}

static void start(checked *c, input *in)
{
    uint8_t what = byte_from(in);
    es_input_config config = {.buttons = BUTTONS, .axes = AXES, .measured = 5};
    config.events = 1 + what % 9;
    config.rests = what;
    config.stamps.unit_ns = 1000;
    config.stamps.bits = what % 3 == 0 ? 16 : what % 3 == 1 ? 32 : 64;
    config.stamps.other = what % 8 != 7;
    memset(c, 0, sizeof *c);
    c->now_ns = time_from(in, 0);
    c->input = es_input_create(&config);
    require(c->input != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const calls[])(checked *, input *) = {
            push, push, push_code, save_and_load, tick, see, convert, peek};
    static checked c;
    input in = {data, data + size};
    start(&c, &in);
    while (in.data < in.end) {
        uint8_t what = byte_from(&in);
        c.now_ns = what >= 224 ? time_from(&in, c.now_ns)
                               : es__ns_add(c.now_ns, what % 4 * INT64_C(2500000));
        calls[what / 4 % 8](&c, &in);
    }
    take(&c, NULL);
    es_input_destroy(c.input);
    return 0;
}
