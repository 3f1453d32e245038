/* SPDX-License-Identifier: Zlib
 *
 * How many refreshes is a picture held, and how early must a frame begin?
 *
 * On a grid only whole multiples are even. With a queue the mean work decides what can be held,
 * without one nearly every frame must fit. The interval lengthens when too many pictures come late,
 * and shrinks when for a while all that was spent would have fitted the shorter one: decided by
 * cost, never by the intervals measured, which waiting fills up (the fault that Swappy's authors
 * name in theirs). At most one change in two seconds, and where a shorter one failed at once, it is
 * tried again only after twice the time.
 */
#include "display_parts.h"

#define SPAN_NS        (200 * ES_NS_PER_MS)
#define CHANGE_NS      (2 * ES_NS_PER_S)
#define SETTLES_NS     (3 * ES_NS_PER_S)
#define CALM_MOST_NS   (120 * ES_NS_PER_S)
#define SPANS_LENGTHEN 5 /* a second */
#define SPANS_RECENT   2
#define RECENT_FRAMES  8
#define ROUNDS_UP      0.9
#define SAME_SHARE     16 /* intervals that differ by less are the same */

/* More pictures late than one in seven of a second's, and at least so many. */
#define MISSED_SHARE 7
#define MISSED_LEAST 5

/* The mean work may be that much of the interval, in hundredths; to shrink, that much of the
 * shorter one. */
#define FITS_PERCENT    98
#define EXCEEDS_PERCENT 102 /* cannot be kept, however few pictures were late yet */
#define EXCEEDS_FOR_NS  8e8
#define HIDDEN_LEAST    1.15 /* intervals: what is held then costs less than what is missed */
#define WORK_MOST       8    /* intervals: more is a stall, no load */
#define SHRINKS_PERCENT 95

/* Without a queue one frame in so many may be too long for the shorter interval. */
#define TOO_LONG_SHARE 50

/* Refreshes and ticks are in step if they meet again after this many of the shorter ones. */
#define BEAT_MOST     5.5
#define BEAT_EXACT    1e-4
#define BEAT_EVERY_NS (5 * ES_NS_PER_S)

/* Low latency: what is kept ready beyond the work. */
#define LATE_OF_MISSED    0.8 /* some are missed for other reasons */
#define MARGIN_SHARE      16
#define MARGIN_STEP_SHARE 4

static void clear_spans(es_display *display, int64_t now_ns)
{
    const es_display_span none = {0};
    for (int32_t i = 0; i < ES_DISPLAY_SPANS; ++i) {
        display->spans[i] = none;
    }
    display->span = 0;
    display->span_since_ns = now_ns;
}

/* At least one; also where the grid was just lost, and its period with it. */
static int64_t whole_of(int64_t interval_ns, double period_ns)
{
    if (!(period_ns > 0.0)) {
        return 1;
    }
    double refreshes = (double)interval_ns / period_ns + 0.5;
    return refreshes < 1.0 ? 1 : refreshes > 1e6 ? 1000000 : (int64_t)refreshes;
}

/* The greatest time of which both are whole multiples, to a ten-thousandth: the phases that occur
 * are so far apart. Euclid's algorithm. */
static void find_beat(es_display *display)
{
    double longer = es__exact_period_ns(display) * display->multiple;
    double shorter = (double)display->config.tick_ns;
    double least = (longer < shorter ? longer : shorter) / BEAT_MOST;
    double exact = shorter * BEAT_EXACT;
    while (shorter > exact) {
        double rest = longer - shorter * (double)(int64_t)(longer / shorter + 0.5);
        longer = shorter;
        shorter = rest < 0 ? -rest : rest;
    }
    display->beat_ns = longer > least && shorter >= 0 && exact > 0 ? (int64_t)longer : 0;
    display->bias_wanted_ns = display->beat_ns > 0 ? display->bias_wanted_ns : 0;
    display->rests = 0;
}

static int64_t most_held(const es_display *display)
{
    return whole_of(display->config.interval_max_ns, es__exact_period_ns(display));
}

static bool is_whole_of(int64_t interval_ns, double period_ns)
{
    double off = (double)interval_ns / period_ns - (double)whole_of(interval_ns, period_ns);
    return off * SAME_SHARE < 1.0 && off * SAME_SHARE > -1.0;
}

/* As many refreshes as frames took of late, on the mean: no more are held before work that does not
 * fit has been seen on this display. */
static int64_t taken_of_late(const es_display *display)
{
    int64_t age = es__min(display->frames, RECENT_FRAMES + 1) - 1;
    if (age < 1 || !(es__exact_period_ns(display) > 0.0)) {
        return INT64_MAX;
    }
    es_display *d = (es_display *)(uintptr_t)display;
    int64_t span_ns = es_ns_sub(es__frame(d, 0)->begin_ns, es__frame(d, age)->begin_ns);
    double refreshes = (double)span_ns / (double)age / es__exact_period_ns(display);
    return es__max((int64_t)(refreshes + ROUNDS_UP), 1);
}

/* What was kept; and where the grid before was a coarser one of this, its interval. What was chosen
 * last on a display of another rate may have come of that: pictures seemed late. */
static int64_t first_multiple(const es_display *display, int64_t now_ns)
{
    double period_ns = es__exact_period_ns(display);
    int64_t interval_ns = display->kept_ns > 0 ? display->kept_ns : display->held_ns;
    bool is_whole = is_whole_of(interval_ns, period_ns);
    bool is_new = es_ns_sub(now_ns, display->changed_ns) < CHANGE_NS && display->ever_changed;
    if (interval_ns == 0 || (!is_whole && (display->kept_ns == 0 || is_new))) {
        return es__max(display->grid.hides, 1); /* as frames came */
    }
    return es__min(whole_of(interval_ns, period_ns), taken_of_late(display));
}

/* Another interval than on the last grid is a change as any other. */
static void note_start(es_display *display, int64_t now_ns)
{
    int64_t interval_ns = display->multiple * es__period_ns(display);
    int64_t off_ns = es__absolute(interval_ns - display->held_ns);
    if (display->held_ns > 0 && off_ns > interval_ns / SAME_SHARE) {
        display->changed_ns = now_ns;
        display->ever_changed = true;
    }
    display->held_ns = interval_ns;
}

void es__interval_start(es_display *display, int64_t now_ns)
{
    display->multiple_min = 1;
    display->multiple = (int32_t)es__min(first_multiple(display, now_ns), most_held(display));
    note_start(display, now_ns);
    display->settled = false;
    display->calm_ns = CHANGE_NS;
    display->locked_ns = now_ns;
    display->bias_wanted_ns = 0;
    display->beat_since_ns = now_ns;
    find_beat(display);
    clear_spans(display, now_ns);
}

static es_display_span sum_of(const es_display *display, int32_t spans)
{
    es_display_span sum = {0};
    for (int32_t i = 0; i < spans; ++i) {
        int32_t at = (display->span + ES_DISPLAY_SPANS - i) % ES_DISPLAY_SPANS;
        const es_display_span *span = &display->spans[at];
        sum.frames += span->frames;
        sum.missed += span->missed;
        sum.too_long += span->too_long;
        sum.refreshes += span->refreshes;
        sum.work_ns += span->work_ns;
        sum.most_ns = es__max(sum.most_ns, span->most_ns);
    }
    return sum;
}

static void change(es_display *display, int64_t now_ns, int32_t multiple)
{
    bool longer = multiple > display->multiple;
    int64_t since_ns = es_ns_sub(now_ns, display->changed_ns);
    if (longer && display->ever_changed && since_ns < 2 * display->calm_ns) {
        display->calm_ns = es__min(2 * display->calm_ns, CALM_MOST_NS); /* it shrank in vain */
    } else if (longer) {
        display->calm_ns = CHANGE_NS;
    }
    display->multiple = multiple;
    display->kept_ns = multiple * es__period_ns(display);
    display->held_ns = display->kept_ns;
    display->changed_ns = now_ns;
    display->ever_changed = true;
    find_beat(display);
    clear_spans(display, now_ns);
}

/* No queue helps where there is none, and none where frames begin late. */
static bool has_queue(const es_display *display)
{
    return display->depth > 1 && !display->config.low_latency;
}

static void consider_lengthening(es_display *display, int64_t now_ns)
{
    const es_display_span sum = sum_of(display, SPANS_LENGTHEN);
    double period_ns = es__exact_period_ns(display);
    double interval_ns = period_ns * display->multiple;
    if (display->coarse > 2) {
        return; /* it may be another rate: that shows in some frames */
    }
    double work_ns = (double)sum.work_ns / sum.frames;
    double for_ns = sum.frames * interval_ns;
    bool cannot = work_ns * 100 > interval_ns * EXCEEDS_PERCENT && for_ns > EXCEEDS_FOR_NS;
    if (!cannot && (sum.missed < MISSED_LEAST || sum.missed * MISSED_SHARE < sum.frames)) {
        return;
    }
    double taken_ns = (double)sum.refreshes * period_ns / sum.frames;
    bool known = display->hidden_ns[display->depth - 1] > 0 || display->is_fed;
    bool slow = taken_ns > HIDDEN_LEAST * interval_ns;
    bool hidden = known && slow; /* work that the program does not see */
    bool fits = work_ns * 100 < interval_ns * FITS_PERCENT;
    if (fits && !(has_queue(display) ? hidden : slow)) {
        return;
    }
    double need_ns = hidden && taken_ns > work_ns ? taken_ns : work_ns;
    int64_t multiple = (int64_t)(need_ns * 100 / FITS_PERCENT / period_ns) + 1;
    multiple = es__max(multiple, display->multiple + 1);
    multiple = es__min(multiple, most_held(display)); /* nothing longer is held */
    if (multiple > display->multiple) {
        change(display, now_ns, (int32_t)multiple);
    }
}

/* The interval that such work fits. */
static int64_t enough_for(const es_display *display, double need_ns)
{
    int64_t enough = (int64_t)(need_ns * 100 / SHRINKS_PERCENT / es__exact_period_ns(display)) + 1;
    enough = es__min(enough, display->multiple - 1);
    return es__max(enough, display->multiple_min);
}

/* The mean work of late would fit an interval that is shorter by a refresh. */
static bool fits_shorter(const es_display *display)
{
    double shorter_ns = es__exact_period_ns(display) * (display->multiple - 1);
    int64_t work_ns = 0;
    int32_t frames = 0;
    for (int32_t i = 0; i < ES_DISPLAY_SPANS; ++i) {
        work_ns += display->spans[i].work_ns;
        frames += display->spans[i].frames;
    }
    return frames > 0 && (double)work_ns * 100 <= shorter_ns * SHRINKS_PERCENT * frames;
}

/* While the load still falls, where it leads to is waited for: the change after this one would
 * have to wait for two seconds. */
static void consider_shrinking(es_display *display, int64_t now_ns)
{
    const es_display_span sum = sum_of(display, ES_DISPLAY_SPANS);
    if (!has_queue(display) && sum.too_long * TOO_LONG_SHARE > sum.frames) {
        return;
    }
    double need_ns = has_queue(display) ? (double)sum.work_ns / sum.frames : (double)sum.most_ns;
    int64_t enough = enough_for(display, need_ns);
    const es_display_span recent = sum_of(display, SPANS_RECENT);
    bool falls = has_queue(display) && recent.frames > 0
                 && enough_for(display, (double)recent.work_ns / recent.frames) < enough;
    if (!falls) {
        change(display, now_ns, (int32_t)enough);
    }
}

/* The period is known well enough to do without readings for a while: the interval that is wanted
 * is kept from now on. */
static void interval_settle(es_display *display, int64_t now_ns)
{
    display->settled = true;
    int64_t least = whole_of(display->config.interval_ns, es__exact_period_ns(display));
    display->multiple_min = (int32_t)least;
    if (display->multiple < display->multiple_min) {
        change(display, now_ns, display->multiple_min);
    }
}

/* Whether such work would have fitted one refresh less. */
static void note_shorter(const es_display *display, es_display_span *span, int64_t work_ns)
{
    double shorter_ns = es__exact_period_ns(display) * (display->multiple - 1);
    span->too_long += (double)work_ns * 100 > shorter_ns * SHRINKS_PERCENT;
    span->most_ns = es__max(span->most_ns, work_ns);
}

void es__interval_note(es_display *display, int64_t now_ns, const es_display_work *work,
        int64_t planned, int64_t before)
{
    if (es_ns_sub(now_ns, display->span_since_ns) >= SPAN_NS) {
        const es_display_span none = {0};
        display->span = (display->span + 1) % ES_DISPLAY_SPANS;
        display->spans[display->span] = none;
        display->span_since_ns = now_ns;
    }
    bool calm = !display->ever_changed || es_ns_sub(now_ns, display->changed_ns) >= CHANGE_NS;
    if (!display->settled && calm && es_ns_sub(now_ns, display->locked_ns) >= SETTLES_NS) {
        interval_settle(display, now_ns);
    }
    if (es_ns_sub(now_ns, display->beat_since_ns) >= BEAT_EVERY_NS) {
        display->beat_since_ns = now_ns; /* the period is known better by now */
        find_beat(display);
    }
    es_display_span *span = &display->spans[display->span];
    int64_t work_ns = es_ns_add(work->update_ns, work->render_ns);
    double interval_ns = es__exact_period_ns(display) * display->multiple;
    int64_t index = es__newest_index(display);
    bool missed = index > before + display->multiple && !display->probing;
    bool may_hide = !display->config.low_latency
                    && (display->is_fed || display->hidden_ns[display->depth - 1] > 0);
    if (!may_hide) { /* else something that the program does not see may have made it late */
        missed = missed && (double)work_ns * 100 > interval_ns * SHRINKS_PERCENT;
    }
    span->frames += 1;
    span->missed += missed;
    span->refreshes += index - before;
    span->work_ns += es__min(work_ns, (int64_t)(WORK_MOST * interval_ns)); /* more: a stall */
    display->refreshes += index - before;
    display->missed += es__max(index - planned, 0);
    bool may_shrink = display->multiple > display->multiple_min;
    if (may_shrink) { /* spans of a longer interval: it begins with empty ones */
        note_shorter(display, span, work_ns);
    }
    int64_t since_ns = es_ns_sub(now_ns, display->changed_ns);
    if (missed && (!display->ever_changed || since_ns >= CHANGE_NS)) {
        consider_lengthening(display, now_ns);
    } else if (may_shrink && since_ns >= display->calm_ns && fits_shorter(display)) {
        consider_shrinking(display, now_ns);
    }
}

/* A late frame widens the margin, each other narrows it a little: at rest the wanted share is
 * late. */
void es__lead_note(es_display *display, bool late)
{
    if (!display->config.low_latency) {
        return;
    }
    double period_ns = es__exact_period_ns(display);
    double least_ns = period_ns / MARGIN_SHARE;
    double step_ns = period_ns / MARGIN_STEP_SHARE;
    double share = LATE_OF_MISSED * display->config.missed_max;
    double margin_ns = (double)display->lead_ns + (late ? step_ns : -step_ns * share / (1 - share));
    margin_ns = margin_ns < least_ns ? least_ns : margin_ns;
    margin_ns = margin_ns > 2 * period_ns ? 2 * period_ns : margin_ns;
    display->lead_ns = (int64_t)margin_ns;
}
