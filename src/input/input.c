/* SPDX-License-Identifier: Zlib
 *
 * An es_input is two halves, one per thread, and two queues between them: events go from the
 * pushing thread to the ticks, measured events go back.
 */
#include "input.h"

#include <float.h>

#define COUNT_MAX 65535

struct es_input {
    es__queue events, measured;
    bool measures;
    struct {         /* of the pushing thread */
        bool losing; /* the newest event in the queue is an ES_INPUT_LOST */
        int64_t lost;
        es__stamps stamps;
        es__meter meter;
    } push;
    unsigned char apart[ES__LINE];
    struct { /* of the ticks */
        es__input_ring ring;
        es__state state;
        es__view view;
        uint32_t told; /* events of this tick that es_input_next has returned */
    } tick;
};

/* --- creation --------------------------------------------------------------------------------- */

/* What a configuration needs. */
typedef struct input_plan {
    es_input_config config;
    uint32_t events, samples; /* powers of two; samples: 0 for none */
    es__stamps stamps;
} input_plan;

static es_result check_count(
        int32_t *count, int32_t least, int32_t otherwise, const char *field, es__error *error)
{
    *count = *count == 0 ? otherwise : *count;
    if (*count < least || *count > COUNT_MAX) {
        return es__refuse(error, field, "is not 0 to 65 535");
    }
    return ES_OK;
}

/* At least count, and with that power of two at least 2. */
static uint32_t power_of_two(int32_t count)
{
    uint32_t power = 2;
    while (power < (uint32_t)count) {
        power *= 2;
    }
    return power;
}

static es_result plan_input(input_plan *plan, const es_input_config *config, es__error *error)
{
    es_input_config *made = &plan->config;
    *made = config != NULL ? *config : (es_input_config){0};
    if (check_count(&made->buttons, 1, 512, "buttons", error) != ES_OK
            || check_count(&made->axes, 1, 8, "axes", error) != ES_OK
            || check_count(&made->events, 1, 4096, "events", error) != ES_OK
            || check_count(&made->measured, 0, 0, "measured", error) != ES_OK
            || es__stamps_init(&plan->stamps, &made->stamps, error) != ES_OK) {
        return ES_ERR_INVALID;
    }
    plan->events = power_of_two(made->events);
    plan->samples = made->measured > 0 ? power_of_two(made->measured) : 0;
    return ES_OK;
}

/* Returns the place of `size` bytes in the block, on a line of their own; NULL: only counts. */
static void *place_in_block(unsigned char *block, size_t *used, size_t size)
{
    size_t at = (*used + ES__LINE - 1) / ES__LINE * ES__LINE;
    *used = at + size;
    return block != NULL ? block + at : NULL;
}

/* Lays out the block of an input, or with NULL returns its size. */
static size_t lay_out(es_input *input, const input_plan *plan)
{
    unsigned char *block = (unsigned char *)input;
    const es_input_config *config = &plan->config;
    size_t used = sizeof(es_input), capacity = (size_t)config->measured;
    void *events =
            place_in_block(block, &used, es__queue_size(plan->events, sizeof(es_input_event)));
    void *measured =
            place_in_block(block, &used, es__queue_size(plan->samples, sizeof(es__sample)));
    void *ring = place_in_block(block, &used, 2 * plan->events * sizeof(es_input_event));
    void *buttons = place_in_block(block, &used, (size_t)config->buttons * sizeof(es__button));
    void *axes = place_in_block(block, &used, (size_t)config->axes * sizeof(es__axis));
    void *samples = place_in_block(block, &used, capacity * sizeof(es__sample));
    void *scratch = place_in_block(block, &used, capacity * sizeof(double));
    if (input != NULL) {
        es__queue_init(&input->events, plan->events, sizeof(es_input_event), events);
        es__queue_init(&input->measured, plan->samples, sizeof(es__sample), measured);
        es__input_ring_init(&input->tick.ring, ring, 2 * plan->events);
        es__meter_init(&input->push.meter, samples, scratch, capacity, INT64_MIN);
        input->tick.state = (es__state){.buttons = buttons,
                .axes = axes,
                .button_count = config->buttons,
                .axis_count = config->axes};
        input->tick.view.newest_ns = input->tick.view.instant_ns = INT64_MIN;
    }
    return used;
}

es_input *es_input_create(const es_input_config *config)
{
    input_plan plan;
    es__error error = {0};
    es_result result = plan_input(&plan, config, &error);
    if (result != ES_OK) {
        es__fail(result, "es_input_config", &error);
        return NULL;
    }
    es_input *input = es__allocate(lay_out(NULL, &plan));
    if (input != NULL) {
        size_t used = lay_out(input, &plan);
        ES__ASSERT_IS(used, ==, lay_out(NULL, &plan));
        (void)used;
        input->measures = plan.samples > 0;
        input->push.stamps = plan.stamps;
        for (int32_t i = 0; i < plan.config.axes && i < 64; ++i) {
            input->tick.state.axes[i].rests = (plan.config.rests >> i & 1) != 0;
        }
    }
    return input;
}

void es_input_destroy(es_input *input)
{
    es__free(input);
}

/* --- the pushing thread ----------------------------------------------------------------------- */

static bool is_valid(const es_input_event *event)
{
    uint32_t kind = (uint32_t)event->kind;
    /* not isfinite: mingw's macro converts a double to a float in a branch that is never taken */
    bool is_finite = event->value >= -DBL_MAX && event->value <= DBL_MAX;
    return kind <= ES_INPUT_OTHER && kind != ES_INPUT_LOST && is_finite
           && (event->device != ES_INPUT_ALL || kind == ES_INPUT_RESET);
}

bool es_input_push(es_input *input, const es_input_event *event)
{
    if (input == NULL || event == NULL || !is_valid(event)) {
        return es__fail(ES_ERR_INVALID, "es_input_push", NULL) == ES_OK;
    }
    es_input_event fresh = *event;
    fresh.stamp_ns = event->stamp_ns == ES_UNKNOWN_NS ? ES__STAMP_NONE : event->stamp_ns;
    if (es__queue_push(&input->events, &fresh, 2)) { /* the last place is for an ES_INPUT_LOST */
        input->push.losing = false;
        return true;
    }
    if (!input->push.losing) {
        const es_input_event lost = {
                .stamp_ns = fresh.stamp_ns, .device = ES_INPUT_ALL, .kind = ES_INPUT_LOST};
        input->push.losing = es__queue_push(&input->events, &lost, 1);
    }
    input->push.lost += 1;
    const es__error error = {"events", "are too few: too many wait for a tick"};
    return es__fail(ES_ERR_FULL, "es_input_config", &error) == ES_OK;
}

/* Codes that no button has are ignored, as those of events are. */
static bool push_code(es_input *input, es_input_event event, int32_t code)
{
    event.code = (uint16_t)code;
    return code >= 0 && code <= (int32_t)UINT16_MAX && es_input_push(input, &event);
}

bool es_input_button(es_input *input, int32_t code, bool down, int64_t stamp_ns)
{
    es_input_kind kind = down ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
    return push_code(input, (es_input_event){.stamp_ns = stamp_ns, .kind = kind}, code);
}

bool es_input_move(es_input *input, int32_t axis, double by, int64_t stamp_ns)
{
    const es_input_event event = {.stamp_ns = stamp_ns, .value = by, .kind = ES_INPUT_MOVE};
    return push_code(input, event, axis);
}

int64_t es_input_stamp(es_input *input, uint64_t stamp, int64_t now_ns)
{
    return input != NULL ? es__stamps_convert(&input->push.stamps, stamp, now_ns) : now_ns;
}

static void receive_measured(es_input *input)
{
    const es__sample *sample;
    while ((sample = es__queue_item(&input->measured, 0)) != NULL) {
        es__meter_take(&input->push.meter, sample);
        es__queue_drop(&input->measured, 1);
    }
}

void es_input_frame(es_input *input, const es_frame *frame, int64_t shown_ns)
{
    if (input == NULL || !input->measures) {
        return;
    }
    es__meter *meter = &input->push.meter;
    receive_measured(input);
    if (frame != NULL) {
        es__meter_frame(meter, frame, shown_ns);
    } else {
        es__meter_init(meter, meter->samples, meter->scratch, meter->capacity, shown_ns);
    }
}

es_input_status es_input_get_status(es_input *input)
{
    es_input_status status = {0};
    if (input != NULL) {
        receive_measured(input);
        es__meter_status(&input->push.meter, &status);
        status.lost = input->push.lost;
    }
    return status;
}

/* --- the thread of the ticks ------------------------------------------------------------------ */

/* An event keeps its place in the queue until a tick takes it. So the ring, which is twice as long,
 * always has space for all that wait and for the events of the last tick. */
static void receive_events(es_input *input)
{
    es__input_ring *ring = &input->tick.ring;
    const es_input_event *event;
    while ((event = es__queue_item(&input->events, ring->count)) != NULL) {
        es__input_ring_put(ring, event);
    }
}

int32_t es_input_tick(es_input *input, const es_step *step)
{
    es__input_taken taken;
    es__sample sample;
    int32_t count = 0;
    if (input == NULL) {
        return 0;
    }
    es__input_ring_open(&input->tick.ring, step);
    receive_events(input);
    es__state_begin(&input->tick.state);
    input->tick.told = 0;
    for (; es__input_ring_next(&input->tick.ring, &taken); ++count) {
        if (taken.event.code < input->tick.state.axis_count) {
            es__input_ring_remember(&input->tick.ring, input->tick.state.axes[taken.event.code].at);
        }
        es__state_apply(&input->tick.state, &taken.event);
        if (input->measures && step != NULL && es__sample_make(&sample, &taken, step)) {
            es__queue_push(&input->measured, &sample, 1); /* full: nobody reads them */
        }
    }
    es__queue_drop(&input->events, (uint32_t)count);
    ES__ASSERT_IS(count, ==, input->tick.ring.kept);
    return count;
}

bool es_input_next(es_input *input, es_input_event *event)
{
    if (input == NULL || event == NULL || input->tick.told >= input->tick.ring.kept) {
        return false;
    }
    const es__input_ring *ring = &input->tick.ring;
    int64_t i = (int64_t)input->tick.told - (int64_t)ring->kept;
    const es_input_event *kept = es__input_ring_event(ring, i);
    *event = *kept;
    event->delay_ns = es__input_ring_delay(ring, kept);
    event->stamp_ns = kept->stamp_ns == ES__STAMP_NONE ? ES_UNKNOWN_NS : kept->stamp_ns;
    input->tick.told += 1;
    return true;
}

static const es__button *button_of(const es_input *input, int32_t code)
{
    static const es__button none = {0};
    return input != NULL && code >= 0 && code < input->tick.state.button_count
                   ? &input->tick.state.buttons[code]
                   : &none;
}

static const es__axis *axis_of(const es_input *input, int32_t axis)
{
    static const es__axis none = {0};
    return input != NULL && axis >= 0 && axis < input->tick.state.axis_count
                   ? &input->tick.state.axes[axis]
                   : &none;
}

int32_t es_input_pressed(const es_input *input, int32_t code)
{
    return button_of(input, code)->pressed;
}

int32_t es_input_released(const es_input *input, int32_t code)
{
    return button_of(input, code)->released;
}

bool es_input_held(const es_input *input, int32_t code)
{
    return button_of(input, code)->held;
}

double es_input_value(const es_input *input, int32_t axis)
{
    return axis_of(input, axis)->at;
}

double es_input_moved(const es_input *input, int32_t axis)
{
    return axis_of(input, axis)->moved;
}

double es_input_peek(es_input *input, int32_t axis)
{
    es__axis seen = *axis_of(input, axis);
    const es_input_event *event;
    if (input == NULL) {
        return 0.0;
    }
    receive_events(input);
    for (int64_t i = 0; (event = es__input_ring_event(&input->tick.ring, i)) != NULL; ++i) {
        bool moves = event->kind == ES_INPUT_MOVE || event->kind == ES_INPUT_PLACE;
        if (!moves || event->code == axis) {
            seen.at = es__axis_after(&seen, seen.at, event);
            seen.device = moves ? event->device : seen.device;
        }
    }
    double at = axis >= 0 && axis < input->tick.state.axis_count ? seen.at : 0.0;
    ES__ASSERT(input->tick.ring.count > 0
                       || es__bits_of(at) == es__bits_of(es_input_value(input, axis)),
            at);
    return at;
}

double es_input_at(es_input *input, int32_t axis, int64_t instant_ns, int64_t ahead_ns)
{
    if (input == NULL || axis < 0 || axis >= input->tick.state.axis_count) {
        return 0.0;
    }
    receive_events(input);
    return es__axis_at(&input->tick.ring, axis_of(input, axis), axis, instant_ns, ahead_ns);
}

int64_t es_input_view_ns(es_input *input, const es_frame *frame)
{
    if (input == NULL || frame == NULL) {
        return 0;
    }
    receive_events(input);
    return es__view_instant(&input->tick.view, &input->tick.ring, frame);
}

size_t es_input_save(const es_input *input, void *bytes, size_t size)
{
    return input != NULL ? es__state_save(&input->tick.state, bytes, size) : 0;
}

bool es_input_load(es_input *input, const void *bytes, size_t size)
{
    if (input == NULL || !es__state_load(&input->tick.state, bytes, size)) {
        const es__error error = {"bytes", "are not from an es_input like this"};
        es__fail(ES_ERR_DAMAGED, "es_input_load", &error);
        return false;
    }
    input->tick.told = UINT32_MAX;
    input->tick.ring.past = 0; /* those events led to another state */
    return true;
}
