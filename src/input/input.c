/* SPDX-License-Identifier: Zlib
 *
 * Waiting events are a ring, sorted by stamp from head on. A new one moves from the end past all
 * that are later; usually none is.
 */
#include "evenstep/input.h"

#include "base/common.h"
#include "input_parts.h"

#include <float.h>
#include <string.h>

#define CAPACITY_MAX 1000000

/* The tick of events that are taken outside of any (es_input_open without a step). */
#define NO_TICK (-1)

/* A stamp this long after the tick began shows that the clock has stepped back since. An event that
 * is stamped less than this after begun_ns may have been polled since: a later tick takes it. */
#define OVERTAKEN_NS (100 * ES_NS_PER_MS)

es_result es_input_init(es_input *input, es_input_event *events, uint32_t capacity,
        const es_input_config *config, es_error *error)
{
    const es_input_config none = {0};
    if (input == NULL || events == NULL) {
        return es__refuse(error, input == NULL ? "input" : "events", "is NULL");
    }
    if (capacity < 2 || capacity > CAPACITY_MAX) {
        return es__refuse(error, "capacity", "is not 2 to 1 000 000");
    }
    *input = (es_input){
            .events = events,
            .capacity = capacity,
            .config = config != NULL ? *config : none,
            .tick = NO_TICK,
            .begun_ns = INT64_MAX,
            .limit_ns = INT64_MIN,
            .overtaken_ns = INT64_MAX,
    };
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

/* --- pushing ---------------------------------------------------------------------------------- */

bool es__input_is_valid(const es_input_event *event)
{
    uint32_t kind = (uint32_t)event->kind;
    /* not isfinite: mingw's macro converts a double to a float in a branch that is never taken */
    bool is_finite = event->value >= -DBL_MAX && event->value <= DBL_MAX;
    if (kind > ES_INPUT_OTHER || kind == ES_INPUT_LOST || !is_finite) {
        return false;
    }
    return event->device != ES_INPUT_ALL || kind == ES_INPUT_RESET;
}

/* The i-th waiting event. */
static es_input_event *event_at(const es_input *input, uint32_t i)
{
    uint32_t at = input->head + i;
    return &input->events[at < input->capacity ? at : at - input->capacity];
}

/* Events of one device keep their order; those of all devices keep theirs with any. */
static bool keeps_back(const es_input_event *before, const es_input_event *event)
{
    return before->device == event->device || before->device == ES_INPUT_ALL
           || event->device == ES_INPUT_ALL;
}

/* Frees the place behind all that are not later, and returns its index from the head. */
static uint32_t input_make_room(es_input *input, es_input_event *fresh)
{
    uint32_t i = input->count;
    for (; i > 0; --i) {
        const es_input_event *before = event_at(input, i - 1);
        if (before->stamp_ns <= fresh->stamp_ns) {
            return i;
        }
        if (keeps_back(before, fresh)) {
            fresh->stamp_ns = before->stamp_ns;
            input->corrected += 1;
            break;
        }
        *event_at(input, i) = *before;
    }
    /* a changed stamp may now equal those of events that came first */
    while (i < input->count && event_at(input, i + 1)->stamp_ns <= fresh->stamp_ns) {
        *event_at(input, i) = *event_at(input, i + 1);
        i += 1;
    }
    return i;
}

/* There is space. */
static void insert(es_input *input, const es_input_event *event)
{
    es_input_event fresh = *event;
    uint32_t i = input_make_room(input, &fresh);
    *event_at(input, i) = fresh;
    input->count += 1;
}

/* No event can have happened after now_ns: where one is stamped later, the clock has stepped
 * back. */
static void pull_back(es_input *input, int64_t now_ns)
{
    for (uint32_t i = input->count; i > 0; --i) {
        es_input_event *event = event_at(input, i - 1);
        if (event->stamp_ns <= now_ns) {
            break;
        }
        event->stamp_ns = now_ns;
        input->corrected += 1;
    }
}

/* Refuses an event. The last place is kept for the ES_INPUT_LOST that says so. */
static void input_lose(es_input *input, int64_t stamp_ns)
{
    const es_input_event lost = {
            .stamp_ns = stamp_ns, .device = ES_INPUT_ALL, .kind = ES_INPUT_LOST};
    if (!input->losing) {
        insert(input, &lost);
        input->losing = true;
    }
    input->lost += 1;
}

es_result es_input_push(es_input *input, const es_input_event *event, int64_t now_ns)
{
    if (input == NULL || event == NULL || !es__input_is_valid(event)) {
        return ES_ERR_INVALID;
    }
    es_input_event fresh = *event;
    if (fresh.stamp_ns > now_ns) {
        fresh.stamp_ns = now_ns;
        input->corrected += 1;
    }
    pull_back(input, now_ns);
    if (input->count + 1 >= input->capacity) {
        input_lose(input, fresh.stamp_ns);
        return ES_ERR_SPACE;
    }
    return es__input_put(input, &fresh) ? ES_OK : ES_ERR_SPACE;
}

/* The event was checked when it was pushed. A queue's ES_INPUT_LOST may not count as an event. */
bool es__input_put(es_input *input, const es_input_event *event)
{
    if (input->count + 1 >= input->capacity) {
        return false;
    }
    insert(input, event);
    input->losing = event->kind == ES_INPUT_LOST;
    input->pushed += event->kind != ES_INPUT_LOST;
    return true;
}

/* --- taking ----------------------------------------------------------------------------------- */

/* Remembers the tick that has run, to count the ticks that an event has missed. */
static void remember_tick(es_input *input)
{
    if (input->tick == NO_TICK) {
        return;
    }
    memmove(&input->dues_ns[1], &input->dues_ns[0], sizeof input->dues_ns - sizeof(int64_t));
    input->dues_ns[0] = input->due_ns;
    input->dues += input->dues < ES_INPUT_TICKS;
}

void es_input_open(es_input *input, const es_step *step)
{
    remember_tick(input);
    if (step == NULL) {
        input->limit_ns = INT64_MAX;
        input->tick = NO_TICK;
        return;
    }
    if (step->begun_ns
            < input->begun_ns) { /* the clock has stepped back: dues are not comparable */
        input->dues = 0;
    }
    input->tick = step->index;
    input->due_ns = step->due_ns;
    input->begun_ns = step->begun_ns;
    input->limit_ns = input->config.soonest ? INT64_MAX : step->due_ns;
    input->overtaken_ns = es__ns_add(step->begun_ns, OVERTAKEN_NS);
}

static int32_t ticks_missed(const es_input *input, int64_t stamp_ns)
{
    int32_t missed = 0;
    while (missed < input->dues && input->dues_ns[missed] >= stamp_ns) {
        missed += 1;
    }
    return missed;
}

/* Takes the earliest waiting event. */
static void input_take(es_input *input, const es_input_event *event, es_input_taken *taken)
{
    bool of_tick = input->tick != NO_TICK;
    bool is_event = event->kind != ES_INPUT_LOST;
    taken->event = *event;
    taken->tick = input->tick;
    taken->due_ns = of_tick ? input->due_ns : event->stamp_ns;
    taken->begun_ns = of_tick ? input->begun_ns : event->stamp_ns;
    taken->missed = of_tick && is_event ? ticks_missed(input, event->stamp_ns) : 0;
    input->head = input->head + 1 < input->capacity ? input->head + 1 : 0;
    input->count -= 1;
    input->taken += is_event;
    input->missed += taken->missed > 0;
}

bool es_input_next(es_input *input, es_input_taken *taken)
{
    if (input->count == 0) {
        return false;
    }
    const es_input_event *event = event_at(input, 0);
    bool is_due = event->stamp_ns <= input->limit_ns || event->stamp_ns > input->overtaken_ns;
    if (is_due) {
        input_take(input, event, taken);
    }
    return is_due;
}

int64_t es_input_tick(
        es_input *input, const es_step *step, es_input_state *state, es_input_meter *meter)
{
    es_input_taken taken;
    int64_t count = 0;
    if (state != NULL) {
        es__input_state_begin(state, step != NULL ? step->index : NO_TICK);
    }
    es_input_open(input, step);
    while (es_input_next(input, &taken)) {
        if (state != NULL) {
            es__input_state_apply(state, &taken.event);
        }
        if (meter != NULL && step != NULL) {
            es_input_meter_take(meter, &taken, step);
        }
        count += 1;
    }
    return count;
}

/* --- looking ---------------------------------------------------------------------------------- */

const es_input_event *es__input_pending(const es_input *input, uint32_t index)
{
    return index < input->count ? event_at(input, index) : NULL;
}

es_result es_input_peek(const es_input *input, const es_input_state *state, es_input_state *newest)
{
    if (input == NULL || state == newest || es__input_state_copy(newest, state) != ES_OK) {
        return ES_ERR_INVALID;
    }
    es__input_state_begin(newest, state->tick);
    for (uint32_t i = 0; i < input->count; ++i) {
        es__input_state_apply(newest, es__input_pending(input, i));
    }
    return ES_OK;
}
