/* SPDX-License-Identifier: Zlib
 *
 * Waiting events are a ring, sorted by stamp from head on. A new one moves from the end past all
 * that are later; usually none is.
 */
#include "input.h"

/* A stamp this long after the tick began shows that the clock has stepped back since. An event that
 * is stamped less than this after begun_ns may have been polled since: a later tick takes it. */
#define OVERTAKEN_NS (100 * ES_NS_PER_MS)

void es__input_ring_init(es__input_ring *ring, es_input_event *events, uint32_t capacity)
{
    *ring = (es__input_ring){
            .events = events,
            .capacity = capacity,
            .begun_ns = INT64_MAX,
            .limit_ns = INT64_MIN,
            .overtaken_ns = INT64_MAX,
    };
}

/* The i-th waiting event. */
static es_input_event *event_at(const es__input_ring *ring, uint32_t i)
{
    ES__ASSERT(i < ring->capacity && ring->head < ring->capacity, i, ring->capacity);
    uint32_t at = ring->head + i;
    return &ring->events[at < ring->capacity ? at : at - ring->capacity];
}

/* Frees the place behind all that are not later, and returns its index from the head. */
static uint32_t open_place(es__input_ring *ring, es_input_event *fresh)
{
    uint32_t i = ring->count;
    for (; i > 0; --i) {
        const es_input_event *before = event_at(ring, i - 1);
        if (before->stamp_ns <= fresh->stamp_ns) {
            return i;
        }
        /* events of one device keep their order; those of all devices keep theirs with any */
        if (before->device == fresh->device || before->device == ES_INPUT_ALL
                || fresh->device == ES_INPUT_ALL) {
            fresh->stamp_ns = before->stamp_ns;
            break;
        }
        *event_at(ring, i) = *before;
    }
    /* a changed stamp may now equal those of events that came first */
    while (i < ring->count && event_at(ring, i + 1)->stamp_ns <= fresh->stamp_ns) {
        *event_at(ring, i) = *event_at(ring, i + 1);
        i += 1;
    }
    return i;
}

void es__input_ring_put(es__input_ring *ring, const es_input_event *event)
{
    es_input_event fresh = *event;
    uint32_t i = open_place(ring, &fresh);
    *event_at(ring, i) = fresh;
    ring->count += 1;
    ring->past = (uint32_t)es__min(ring->past, ring->capacity - ring->count);
    ES__ASSERT_IS(ring->count + ring->kept, <=, ring->capacity);
    ES__ASSERT(i == 0 || event_at(ring, i - 1)->stamp_ns <= fresh.stamp_ns, i);
    ES__ASSERT(i + 1 == ring->count || event_at(ring, i + 1)->stamp_ns > fresh.stamp_ns, i);
}

/* --- taking ----------------------------------------------------------------------------------- */

void es__input_ring_open(es__input_ring *ring, const es_step *step)
{
    if (ring->is_open) { /* remember the tick that has run, to count those that an event has missed */
        memmove(&ring->dues_ns[1], &ring->dues_ns[0], sizeof ring->dues_ns - sizeof(int64_t));
        ring->dues_ns[0] = ring->due_ns;
        ring->dues += ring->dues < ES__INPUT_TICKS;
    }
    ring->kept = 0;
    ring->is_open = step != NULL;
    if (step == NULL) {
        ring->limit_ns = INT64_MAX;
        return;
    }
    if (step->begun_ns < ring->begun_ns) { /* the clock has stepped back: dues are not comparable */
        ring->dues = 0;
        ring->past = 0;
    }
    ring->due_ns = step->due_ns;
    ring->begun_ns = step->begun_ns;
    ring->limit_ns = step->due_ns;
    ring->overtaken_ns = es__ns_add(step->begun_ns, OVERTAKEN_NS);
}

static int32_t ticks_missed(const es__input_ring *ring, int64_t stamp_ns)
{
    int32_t missed = 0;
    while (missed < ring->dues && ring->dues_ns[missed] >= stamp_ns) {
        missed += 1;
    }
    return missed;
}

bool es__input_ring_next(es__input_ring *ring, es__input_taken *taken)
{
    if (ring->count == 0) {
        return false;
    }
    const es_input_event *event = event_at(ring, 0);
    bool counts = event->kind != ES_INPUT_LOST && event->stamp_ns != ES__STAMP_NONE;
    if (event->stamp_ns > ring->limit_ns && event->stamp_ns <= ring->overtaken_ns) {
        return false;
    }
    taken->event = *event;
    taken->missed = ring->is_open && counts ? ticks_missed(ring, event->stamp_ns) : 0;
    ring->head = ring->head + 1 < ring->capacity ? ring->head + 1 : 0;
    ring->count -= 1;
    ring->kept += 1;
    ring->past += 1;
    ES__ASSERT_IN(taken->missed, 0, ring->dues);
    return true;
}

/* --- looking ---------------------------------------------------------------------------------- */

const es_input_event *es__input_ring_event(const es__input_ring *ring, int64_t i)
{
    if (i < -(int64_t)ring->past || i >= (int64_t)ring->count) {
        return NULL;
    }
    return event_at(ring, i < 0 ? (uint32_t)(i + (int64_t)ring->capacity) : (uint32_t)i);
}

void es__input_ring_remember(es__input_ring *ring, double before)
{
    event_at(ring, ring->capacity - 1)->delay_ns = (int64_t)es__bits_of(before);
}

int64_t es__input_ring_delay(const es__input_ring *ring, const es_input_event *event)
{
    bool is_known = ring->is_open && event->stamp_ns != ES__STAMP_NONE;
    return is_known && event->stamp_ns < ring->due_ns
                   ? es__ns_between(event->stamp_ns, ring->due_ns)
                   : 0;
}
