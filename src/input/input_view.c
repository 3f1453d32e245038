/* SPDX-License-Identifier: Zlib
 *
 * Where an axis was at an instant, between the events around it, and which instant a frame can show.
 *
 * Sources: the limits of time are those of Android's resampling of touches (InputConsumer.cpp:
 * RESAMPLE_MAX_DELTA, RESAMPLE_MAX_PREDICTION, and half of the last interval).
 */
#include "input.h"

#include <math.h>

/* Events farther apart than this are no motion: the hand rested, or a finger came down anew. */
#define MOTION_NS (20 * ES_NS_PER_MS)
#define AHEAD_NS  (8 * ES_NS_PER_MS)

/* Where the axis is from an instant on. */
typedef struct knot {
    int64_t stamp_ns;
    double at;
} knot;

static bool is_motion(const es_input_event *event)
{
    return event->kind == ES_INPUT_MOVE || event->kind == ES_INPUT_PLACE;
}

/* The first event that counts: two of the axis at or before the instant, of which the time is known. */
static int64_t first_event(const es__input_ring *ring, int32_t code, int64_t instant_ns)
{
    const es_input_event *event;
    const int64_t since_ns = es__ns_sub(instant_ns, 2 * MOTION_NS);
    int64_t i = 0;
    for (int found = 0; found < 2 && (event = es__input_ring_event(ring, i - 1)) != NULL; --i) {
        if (event->stamp_ns < since_ns) {
            break;
        }
        found += is_motion(event) && event->code == code && event->stamp_ns <= instant_ns;
    }
    return i;
}

/* The last three places of the axis: two at or before the instant, one after it. Returns whether
 * there is one after it. */
static bool find_knots(const es__input_ring *ring, const es__axis *axis, int32_t code,
        int64_t instant_ns, knot knots[3])
{
    bool is_first = true, has_after = false;
    int64_t i = first_event(ring, code, instant_ns), last_ns = INT64_MIN;
    const es_input_event *event;
    double at = axis->at;
    knots[0] = knots[1] = knots[2] = (knot){INT64_MIN, at};
    for (; (event = es__input_ring_event(ring, i)) != NULL; ++i) {
        const bool moves = is_motion(event) && event->code == code;
        if (moves && is_first && i < 0) {
            at = es__from_bits((uint64_t)event->delay_ns); /* es__input_ring_remember */
            knots[0].at = knots[1].at = at;
        }
        const double after = moves || !is_motion(event) ? es__axis_after(axis, at, event) : at;
        if (!moves && es__bits_of(after) == es__bits_of(at)) {
            continue; /* of another axis */
        }
        is_first = false;
        last_ns = event->stamp_ns > last_ns ? event->stamp_ns : last_ns; /* one may come late */
        if (has_after && last_ns > knots[2].stamp_ns) {
            break;
        }
        if (last_ns > instant_ns) {
            has_after = true;
            knots[2] = (knot){last_ns, after};
        } else {
            knots[0] = last_ns > knots[1].stamp_ns ? knots[1] : knots[0];
            knots[1] = (knot){last_ns, after};
        }
        at = after;
    }
    return has_after;
}

/* From a to b, in ns; 0: not in one motion. */
static double motion_ns(const knot *a, const knot *b)
{
    int64_t ns = es__ns_between(a->stamp_ns, b->stamp_ns);
    return a->stamp_ns != INT64_MIN && ns <= MOTION_NS ? (double)ns : 0.0;
}

double es__axis_at(const es__input_ring *ring, const es__axis *axis, int32_t code,
        int64_t instant_ns, int64_t ahead_ns)
{
    knot knots[3];
    if (find_knots(ring, axis, code, instant_ns, knots)) {
        const double between_ns = motion_ns(&knots[1], &knots[2]);
        const double since_ns = (double)es__ns_between(knots[1].stamp_ns, instant_ns);
        return between_ns > 0 ? es_lerp(knots[1].at, knots[2].at, since_ns / between_ns)
                              : knots[1].at;
    }
    const double last_ns = motion_ns(&knots[0], &knots[1]);
    const double most_ns = fmin(last_ns / 2, (double)es__min(ahead_ns, AHEAD_NS));
    if (!(most_ns > 0)) {
        return knots[1].at;
    }
    /* as far as it may, then back: nothing came, so the hand rests */
    const double since_ns = (double)es__ns_between(knots[1].stamp_ns, instant_ns);
    const double reach_ns = fmax(0.0, fmin(since_ns, 2 * most_ns - since_ns));
    return knots[1].at + (knots[1].at - knots[0].at) * (reach_ns / last_ns);
}

/* --- the instant of a frame ------------------------------------------------------------------- */

/* The second longest of 256 frames: one frame in 200 shows an older place. */
#define SHARE_PERMILLE 995
#define SETTLED_FRAMES 16 /* it is found again so often */

/* The fixed time follows a change of over NEAR_NS, by at most one part in SLEW of a frame. */
#define NEAR_NS (ES_NS_PER_MS / 16)
#define SLEW    64

static void add_sample(es__view *view, int64_t before_ns)
{
    double sorted[ES__VIEW_FRAMES];
    view->before_ns[view->count % ES__VIEW_FRAMES] = (double)before_ns;
    view->count += 1;
    if (view->count > SETTLED_FRAMES && view->count % SETTLED_FRAMES != 0) {
        return;
    }
    const size_t count = (size_t)es__min(view->count, ES__VIEW_FRAMES);
    memcpy(sorted, view->before_ns, count * sizeof sorted[0]);
    es__sort(sorted, count);
    view->wanted_ns = es__percentile(sorted, count, SHARE_PERMILLE);
    if (view->count <= SETTLED_FRAMES) {
        view->held_ns = view->wanted_ns;
    }
}

/* Learns the tenth percentile of the time between two events: a hand that moves slowly makes the
 * device leave out reports. */
static void learn_usual(es__view *view, double between_ns)
{
    const double step_ns = view->usual_ns / 2048;
    view->usual_ns += between_ns < view->usual_ns ? -9 * step_ns : step_ns;
    view->usual_ns = view->usual_ns > 0 ? view->usual_ns : between_ns;
}

/* The events since the frame before. The first tells that the hand still moved when that frame
 * polled: the frame would have shown the time since the event before. */
static void take_events(es__view *view, const es__input_ring *ring)
{
    const es_input_event *event;
    int64_t i = (int64_t)ring->count;
    while ((event = es__input_ring_event(ring, i - 1)) != NULL
            && event->stamp_ns > view->newest_ns) {
        i -= 1;
    }
    for (; (event = es__input_ring_event(ring, i)) != NULL; ++i) {
        if (!is_motion(event) || event->stamp_ns <= view->newest_ns) {
            continue;
        }
        const int64_t between_ns = es__ns_between(view->newest_ns, event->stamp_ns);
        if (view->newest_ns != INT64_MIN && between_ns <= MOTION_NS) {
            learn_usual(view, (double)between_ns);
            int64_t from_ns = es__max(
                    view->newest_ns, es__ns_sub(event->stamp_ns, (int64_t)(2 * view->usual_ns)));
            if (view->waits) {
                add_sample(view, es__ns_between(from_ns, view->present_ns));
            }
        }
        view->newest_ns = event->stamp_ns;
        view->waits = false;
    }
}

int64_t es__view_instant(es__view *view, const es__input_ring *ring, const es_frame *frame)
{
    if (frame->gap.kind != ES_GAP_NONE || view->newest_ns > frame->present_ns) {
        view->newest_ns = INT64_MIN; /* the clock may have been set */
        view->waits = false;
    }
    take_events(view, ring);
    view->waits = view->newest_ns != INT64_MIN;
    view->present_ns = frame->present_ns;
    if (view->count == 0) {
        return es__min(frame->begun_ns, frame->present_ns);
    }
    const double most_ns = frame->interval_ns > 0 ? (double)frame->interval_ns / SLEW : HUGE_VAL;
    const double off_ns = view->wanted_ns - view->held_ns;
    if (fabs(off_ns) > NEAR_NS) {
        view->held_ns += fmax(-most_ns, fmin(most_ns, off_ns));
    }
    ES__ASSERT(view->count >= 1 && view->usual_ns > 0, view->usual_ns);
    return es__ns_sub(frame->present_ns, (int64_t)view->held_ns);
}
