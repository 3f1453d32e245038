/* SPDX-License-Identifier: Zlib
 *
 * A line through readings. Late readings lie below it: it is the side of their upper convex hull at the
 * middle of the time, as a line that no reading exceeds and whose distances to them add up to the least.
 * Readings that err both ways: least squares. Both work on the best or the mean of each span.
 */
#include "follow.h"

/* So many spans in a row contradict the line, before it begins anew with the last of them. */
#define RESET_SPANS 3

/* A span contradicts the line by more than this plus RESET_TIMES the spread of its errors. */
#define RESET_NS    2e6
#define RESET_TIMES 4.0

/* A late reading that is newer than the line by this is no noise: the other clock was set. */
#define SET_NS 20e6

/* So many readings in a row from before the newest span: our clock was set back, or one stamp was false. */
#define BACKWARD_MAX 8

/* An error of content is to go away in this time. */
#define FOLLOW_NS 250e6

/* The drift counts in full after this time. */
#define DRIFT_KNOWN_NS 6e9

void es__follower_init(es__follower *follower, const es_follower_config *config)
{
    double most = config->rate_error_max > 0 ? config->rate_error_max : 0.001;
    *follower = (es__follower){.noise = config->noise, .drift_max = most};
}

static double line_at(const es__line *line, double at_ns)
{
    return line->ahead_ns + line->drift * (at_ns - line->at_ns);
}

/* Limits a drift, and shrinks it while the readings cover little time. */
static double plausible(const es__follower *follower, double drift)
{
    const es__span *spans = follower->spans;
    double length_ns = spans[follower->count - 1].at_ns - spans[0].at_ns;
    drift *= es__min_f64(length_ns / DRIFT_KNOWN_NS, 1.0);
    return es__max_f64(es__min_f64(drift, follower->drift_max), -follower->drift_max);
}

/* --- late readings ---------------------------------------------------------------------------- */

static bool is_below(const es__span *a, const es__span *b, const es__span *c)
{
    return (b->ahead_ns - a->ahead_ns) * (c->at_ns - a->at_ns)
           <= (c->ahead_ns - a->ahead_ns) * (b->at_ns - a->at_ns);
}

/* The drift of the hull's side at the middle. Source: Andrew's monotone chain (1979). */
static double hull_drift(const es__follower *follower)
{
    const es__span *hull[ES__SPANS], *spans = follower->spans;
    int32_t count = 0;
    for (int32_t i = 0; i < follower->count; ++i) {
        while (count >= 2 && is_below(hull[count - 2], hull[count - 1], &spans[i])) {
            count -= 1;
        }
        hull[count++] = &spans[i];
    }
    double middle_ns = (spans[0].at_ns + spans[follower->count - 1].at_ns) / 2;
    int32_t end = 1;
    while (end < count - 1 && hull[end]->at_ns < middle_ns) {
        end += 1;
    }
    double apart_ns = count > 1 ? hull[end]->at_ns - hull[end - 1]->at_ns : 0;
    return apart_ns > 0 ? (hull[end]->ahead_ns - hull[end - 1]->ahead_ns) / apart_ns : 0;
}

static void fit_late(es__follower *follower)
{
    const es__span *spans = follower->spans, *last = &spans[follower->count - 1];
    es__line line = {last->at_ns, -1e300, plausible(follower, hull_drift(follower))};
    for (int32_t i = 0; i < follower->count; ++i) {
        double there_ns = spans[i].ahead_ns + line.drift * (line.at_ns - spans[i].at_ns);
        line.ahead_ns = es__max_f64(line.ahead_ns, there_ns);
    }
    follower->line = line;
}

/* --- readings that err both ways -------------------------------------------------------------- */

static void fit_both(es__follower *follower)
{
    double n = 0, at_ns = 0, ahead_ns = 0, squares = 0, products = 0;
    for (int32_t i = 0; i < follower->count; ++i) {
        const es__span *s = &follower->spans[i];
        n += s->count;
        at_ns += (s->at_ns - at_ns) * s->count / n;
        ahead_ns += (s->ahead_ns - ahead_ns) * s->count / n;
    }
    for (int32_t i = 0; i < follower->count; ++i) {
        const es__span *s = &follower->spans[i];
        squares += s->count * (s->at_ns - at_ns) * (s->at_ns - at_ns);
        products += s->count * (s->at_ns - at_ns) * (s->ahead_ns - ahead_ns);
    }
    double drift = plausible(follower, squares > 0 ? products / squares : 0);
    follower->line = (es__line){at_ns, ahead_ns, drift};
}

/* --- the line --------------------------------------------------------------------------------- */

static void fit(es__follower *follower)
{
    if (follower->noise == ES_FOLLOW_LATE) {
        fit_late(follower);
    } else {
        fit_both(follower);
    }
}

static double off_ns(const es__follower *follower, const es__span *span)
{
    double off_ns = span->ahead_ns - line_at(&follower->line, span->at_ns);
    return off_ns < 0 ? -off_ns : off_ns;
}

static void keep_last(es__follower *follower, int32_t count)
{
    memmove(follower->spans, &follower->spans[follower->count - count],
            (size_t)count * sizeof follower->spans[0]);
    follower->count = count;
}

/* A span is over. If the last ones contradict the line, it begins anew with those. */
static void judge(es__follower *follower)
{
    double off[ES__SPANS];
    int32_t old = follower->count - RESET_SPANS;
    double least_ns = 1e300;
    for (int32_t i = 0; i < follower->count; ++i) {
        off[i] = off_ns(follower, &follower->spans[i]);
        least_ns = i >= old ? es__min_f64(least_ns, off[i]) : least_ns;
    }
    if (old < RESET_SPANS) {
        return;
    }
    es__sort(off, (size_t)old);
    follower->error_ns = off[old / 2];
    double spread_ns =
            off[old * 3 / 4] - off[old / 4]; /* 0 where one false reading made the line */
    if (least_ns > RESET_NS + RESET_TIMES * spread_ns) {
        keep_last(follower, RESET_SPANS - 1); /* in the first one the clock may have changed */
        follower->restarts += 1;
        fit(follower);
    }
}

static void begin_span(es__follower *follower, int64_t begin_ns)
{
    if (follower->count == ES__SPANS) {
        keep_last(follower, ES__SPANS - 1);
    }
    follower->spans[follower->count++] = (es__span){.begin_ns = begin_ns};
}

void es__follower_forget(es__follower *follower)
{
    follower->started = false;
    follower->count = 0;
    follower->backward = 0;
    follower->error_ns = 0;
}

/* Whether the line goes on with this reading: clocks may be set. */
static bool goes_on(es__follower *follower, int64_t other_ns, int64_t read_ns)
{
    const es__span *last = &follower->spans[follower->count - 1];
    bool back = es__ns_between(last->begin_ns, read_ns) < 0;
    follower->backward = back ? follower->backward + 1 : 0;
    double off_ns = (double)es__ns_between(es__follower_other_ns(follower, read_ns), other_ns);
    bool newer = follower->noise == ES_FOLLOW_LATE && off_ns > SET_NS;
    bool silent = es__ns_between(follower->read_ns, read_ns) > ES__COAST_NS;
    bool elsewhere = silent && (off_ns > SET_NS || off_ns < -SET_NS); /* it stood meanwhile */
    return !newer && !elsewhere && follower->backward < BACKWARD_MAX;
}

static void join_span(es__follower *follower, int64_t read_ns, double at_ns, double ahead_ns)
{
    if (follower->count == 0
            || es__ns_between(follower->spans[follower->count - 1].begin_ns, read_ns)
                       >= ES__SPAN_NS) {
        if (follower->count > 0) {
            judge(follower);
        }
        begin_span(follower, read_ns);
    }
    es__span *span = &follower->spans[follower->count - 1];
    span->count += 1;
    if (follower->noise == ES_FOLLOW_BOTH) {
        span->at_ns += (at_ns - span->at_ns) / span->count;
        span->ahead_ns += (ahead_ns - span->ahead_ns) / span->count;
        fit(follower);
    } else if (span->count == 1 || ahead_ns > span->ahead_ns) {
        span->at_ns = at_ns;
        span->ahead_ns = ahead_ns;
        fit(follower);
    }
}

void es__follower_take(es__follower *follower, int64_t other_ns, int64_t read_ns)
{
    follower->readings += 1;
    if (follower->started && !goes_on(follower, other_ns, read_ns)) {
        es__follower_forget(follower);
        follower->restarts += 1;
    }
    if (!follower->started) {
        follower->started = true;
        follower->begun_ns = read_ns;
        follower->other_ns = other_ns;
    }
    if (follower->backward > 0) {
        return;
    }
    follower->read_ns = read_ns;
    double at_ns = (double)es__ns_between(follower->begun_ns, read_ns);
    double ahead_ns = (double)es__ns_between(follower->other_ns, other_ns) - at_ns;
    join_span(follower, read_ns, at_ns, ahead_ns);
}

int64_t es__follower_other_ns(const es__follower *follower, int64_t now_ns)
{
    int64_t passed_ns = es__ns_between(follower->begun_ns, now_ns);
    double ahead_ns = line_at(&follower->line, (double)passed_ns);
    return es__ns_add(follower->other_ns, passed_ns + (int64_t)ahead_ns);
}

double es__follow_change(double error_ns, double within_ns, double change_max)
{
    double change = error_ns / es__max_f64(FOLLOW_NS, within_ns);
    return es__max_f64(es__min_f64(change, change_max), -change_max);
}
