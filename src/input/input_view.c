/* SPDX-License-Identifier: Zlib
 *
 * Where an axis was at an instant, between the events around it; which instant a frame can show.
 *
 * Source of the limits: Android's InputConsumer (RESAMPLE_MAX_DELTA, RESAMPLE_MAX_PREDICTION, half
 * of the last interval).
 */
#include "input.h"

#include <math.h>

#define MOTION_NS (20 * ES_NS_PER_MS) /* farther apart: the hand rested, a finger came down anew */
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

/* Two knots at or before the instant, INT64_MIN: long before, and one after it. Returns whether
 * there is one after it. */
static bool find_knots(const es__input_ring *ring, const es__axis *axis, int32_t code,
        int64_t instant_ns, knot knots[3])
{
    const int64_t since_ns = es__ns_sub(instant_ns, 2 * MOTION_NS);
    const es_input_event *event;
    int64_t i = 0, last_ns = INT64_MIN;
    bool has_after = false;
    es__axis seen = *axis;
    double at = axis->at;
    for (; (event = es__input_ring_event(ring, i - 1)) != NULL && event->stamp_ns >= since_ns;
            --i) {
        bool moves = is_motion(event) && event->code == code;
        at = moves ? es__from_bits((uint64_t)event->delay_ns) : at; /* es__input_ring_remember */
    }
    knots[0] = knots[1] = (knot){INT64_MIN, at};
    for (; (event = es__input_ring_event(ring, i)) != NULL; ++i) {
        const bool moves = is_motion(event) && event->code == code;
        if (i < 0 && moves) {
            at = es__from_bits((uint64_t)event->delay_ns);
        }
        at = i == 0 ? axis->at : at;
        const double after = moves || !is_motion(event) ? es__axis_after(&seen, at, event) : at;
        if (!moves && es__bits_of(after) == es__bits_of(at)) {
            continue;
        }
        seen.device = moves ? event->device : seen.device;
        last_ns = es__max(event->stamp_ns, last_ns); /* one may have come late */
        if (has_after && last_ns > knots[2].stamp_ns) {
            break;
        }
        has_after = last_ns > instant_ns;
        if (!has_after && last_ns > knots[1].stamp_ns) {
            knots[0] = knots[1];
        }
        knots[has_after ? 2 : 1] = (knot){last_ns, at = after};
    }
    if (!has_after) { /* resets that were taken: which device the axis had is not known */
        knots[1].at = i > 0 ? at : axis->at;
    }
    return has_after;
}

/* From a to b; 0: not in one motion. */
static double motion_ns(const knot *a, const knot *b)
{
    int64_t ns = es__ns_between(a->stamp_ns, b->stamp_ns);
    return ns <= MOTION_NS ? (double)ns : 0.0;
}

double es__axis_at(const es__input_ring *ring, const es__axis *axis, int32_t code,
        int64_t instant_ns, int64_t ahead_ns)
{
    knot k[3];
    const bool has_after = find_knots(ring, axis, code, instant_ns, k);
    const double since_ns = (double)es__ns_between(k[1].stamp_ns, instant_ns);
    const double length_ns = has_after ? motion_ns(&k[1], &k[2]) : motion_ns(&k[0], &k[1]);
    if (!(length_ns > 0)) {
        return k[1].at;
    }
    if (has_after) {
        return es_lerp(k[1].at, k[2].at, since_ns / length_ns);
    }
    /* as far as it may, then back: nothing came, so the hand rests */
    const double most_ns = es__min_f64(length_ns / 2, (double)es__min(ahead_ns, AHEAD_NS));
    const double reach_ns = es__max_f64(0.0, es__min_f64(since_ns, 2 * most_ns - since_ns));
    return k[1].at + (k[1].at - k[0].at) * (reach_ns / length_ns);
}

/* --- the instant of a frame ------------------------------------------------------------------- */

#define SHARE_PERMILLE 995 /* one frame in 200 shows an older place */
#define SETTLED_FRAMES 16  /* the percentile is found again so often */

/* The fixed time grows if it is LONGER_NS too short, and shrinks if it is SHORTER_NS too long: by
 * at most one part in SLEW of a frame. */
#define LONGER_NS  (ES_NS_PER_MS / 16)
#define SHORTER_NS (ES_NS_PER_MS / 2)
#define SLEW       64

static void add_frame(es__view *view, int64_t before_ns)
{
    double sorted[ES__VIEW_FRAMES];
    view->before_ns[view->count++ % ES__VIEW_FRAMES] = (double)before_ns;
    if (view->count <= SETTLED_FRAMES || view->count % SETTLED_FRAMES == 0) {
        const size_t count = (size_t)es__min(view->count, ES__VIEW_FRAMES);
        memcpy(sorted, view->before_ns, count * sizeof sorted[0]);
        es__sort(sorted, count);
        view->wanted_ns = es__percentile(sorted, count, SHARE_PERMILLE);
        view->held_ns = view->count <= SETTLED_FRAMES ? view->wanted_ns : view->held_ns;
    }
}

/* The tenth percentile of the time between two events, as devices leave out events: of the first ones, so that
 * a false stamp among them does not matter; then it follows slowly, for slow hands. */
static void add_between(es__view *view, double between_ns)
{
    double sorted[ES__VIEW_EVENTS];
    if (view->events == ES__VIEW_EVENTS) {
        view->usual_ns *= 1 + (between_ns < view->usual_ns ? -9.0 : 1.0) / 2048;
        return;
    }
    view->between_ns[view->events++] = between_ns;
    memcpy(sorted, view->between_ns, (size_t)view->events * sizeof sorted[0]);
    es__sort(sorted, (size_t)view->events);
    view->usual_ns = es__percentile(sorted, (size_t)view->events, 100);
}

/* An event later than all before. The first since a frame tells that the hand moved when that frame
 * polled: it knew the time up to the event before. For a slow hand the device leaves out events:
 * then up to two usual intervals before this one. */
static void take_motion(es__view *view, int64_t stamp_ns)
{
    const int64_t between_ns = es__ns_between(view->newest_ns, stamp_ns);
    if (between_ns <= MOTION_NS) {
        add_between(view, (double)between_ns);
        if (view->present_ns != INT64_MIN) {
            int64_t left_out_ns = es__ns_sub(stamp_ns, (int64_t)(2 * view->usual_ns));
            add_frame(
                    view, es__ns_between(es__max(view->newest_ns, left_out_ns), view->present_ns));
        }
    }
    view->newest_ns = stamp_ns;
    view->present_ns = INT64_MIN;
}

/* The fixed time, which follows what was measured. */
static int64_t before_present_ns(es__view *view, const es_frame *frame)
{
    const double off_ns = view->wanted_ns - view->held_ns;
    const double most_ns = frame->interval_ns > 0 ? (double)frame->interval_ns / SLEW : 1e18;
    if (off_ns > LONGER_NS || off_ns < -SHORTER_NS) {
        view->held_ns += es__max_f64(-most_ns, es__min_f64(most_ns, off_ns));
    }
    ES__ASSERT(view->usual_ns > 0, view->usual_ns);
    return (int64_t)view->held_ns;
}

int64_t es__view_instant(es__view *view, const es__input_ring *ring, const es_frame *frame)
{
    const es_input_event *event;
    int64_t i = (int64_t)ring->count;
    if (frame->gap.kind != ES_GAP_NONE || view->newest_ns > frame->present_ns) {
        view->newest_ns = INT64_MIN; /* the clock may have been set */
    }
    while ((event = es__input_ring_event(ring, i - 1)) != NULL
            && event->stamp_ns > view->newest_ns) {
        i -= 1;
    }
    for (; (event = es__input_ring_event(ring, i)) != NULL; ++i) {
        if (is_motion(event) && event->stamp_ns > view->newest_ns) {
            take_motion(view, event->stamp_ns);
        }
    }
    view->present_ns = frame->present_ns;
    int64_t instant_ns = es__min(frame->begun_ns, frame->present_ns);
    if (view->count > 0) {
        instant_ns = es__ns_sub(frame->present_ns, before_present_ns(view, frame));
    }
    /* a present that was predicted too late must not turn the view back */
    view->instant_ns = es__max(instant_ns, es__min(view->instant_ns, frame->present_ns));
    return view->instant_ns;
}
