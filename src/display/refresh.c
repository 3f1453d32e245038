/* SPDX-License-Identifier: Zlib */
#include "refresh.h"

#include "base/common.h"
#include "constants.h"

#include <math.h>

/* --- the line --------------------------------------------------------------------------------- */

/* Rounded down; cut to a range that sums stay far from overflow in. */
static int64_t whole_below(double value)
{
    if (!(value < 4e18)) {
        return INT64_MAX / 2;
    }
    if (value < -4e18) {
        return INT64_MIN / 2;
    }
    int64_t cut = (int64_t)value;
    return (double)cut > value ? cut - 1 : cut;
}

void es__refresh_init(es__refresh *refresh, int64_t announced_ns)
{
    *refresh = (es__refresh){.known_ns = (double)announced_ns};
}

int64_t es__refresh_time_ns(const es__refresh *refresh, int64_t index)
{
    double since_ns = (double)es__ns_sub(index, refresh->index) * refresh->period_ns;
    return es__ns_add(refresh->at_ns, whole_below(since_ns + 0.5));
}

/* Refreshes since refresh->at_ns. */
static double refreshes_at(const es__refresh *refresh, int64_t at_ns)
{
    return (double)es__ns_sub(at_ns, refresh->at_ns) / refresh->period_ns;
}

int64_t es__refresh_before(const es__refresh *refresh, int64_t at_ns)
{
    return es__ns_add(refresh->index, whole_below(refreshes_at(refresh, at_ns)));
}

int64_t es__refresh_after(const es__refresh *refresh, int64_t at_ns)
{
    return es__ns_sub(refresh->index, whole_below(-refreshes_at(refresh, at_ns)));
}

double es__refresh_error_ns(const es__refresh *refresh, int64_t at_ns)
{
    double passed = (double)es__ns_sub(at_ns, refresh->read_ns) / refresh->period_ns;
    return refresh->error_ns + refresh->drift_ns * es__max_f64(passed, 0.0);
}

bool es__refresh_is_certain(const es__refresh *refresh, int64_t at_ns)
{
    return refresh->certain
           && es__refresh_error_ns(refresh, at_ns) < ES__TUNE(coast) * refresh->period_ns;
}

void es__refresh_shift(es__refresh *refresh, int64_t by_ns)
{
    refresh->at_ns = es__ns_add(refresh->at_ns, by_ns);
    refresh->read_ns = es__ns_add(refresh->read_ns, by_ns);
    refresh->low.at_ns = es__ns_add(refresh->low.at_ns, by_ns);
    for (int32_t i = 0; i < ES_REFRESH_RECENT; ++i) {
        refresh->recent_ns[i] = es__ns_add(refresh->recent_ns[i], by_ns);
    }
    for (int32_t i = 0; i < refresh->low_count; ++i) {
        refresh->lows[i].at_ns = es__ns_add(refresh->lows[i].at_ns, by_ns);
    }
}

void es__refresh_lose_phase(es__refresh *refresh)
{
    refresh->certain = false;
    refresh->recent = 0;
}

static bool differs(double a_ns, double b_ns, double share)
{
    return a_ns - b_ns > share * a_ns || b_ns - a_ns > share * a_ns;
}

void es__refresh_announce(es__refresh *refresh, int64_t announced_ns)
{
    double share = ES__TUNE(equal) / 10.0; /* 59.94 Hz is not 60 */
    if (announced_ns > 0 && differs((double)announced_ns, refresh->period_ns, share)) {
        es__refresh_lose_phase(refresh);
    }
    refresh->known_ns =
            announced_ns > 0 || !refresh->certain ? (double)announced_ns : refresh->known_ns;
}

/* --- the envelope ----------------------------------------------------------------------------- */

/* Least squares through the lows. */
static void lay_line(es__refresh *refresh)
{
    int32_t n = refresh->low_count;
    const es__refresh_low *newest = &refresh->lows[n - 1];
    double mean_k = 0.0, mean_t = 0.0, kk = 0.0, kt = 0.0, square = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        mean_k += (double)(refresh->lows[i].index - newest->index) / n;
        mean_t += (double)es__ns_sub(refresh->lows[i].at_ns, newest->at_ns) / n;
    }
    for (int32_t i = 0; i < n; ++i) {
        double k = (double)(refresh->lows[i].index - newest->index) - mean_k;
        double t = (double)es__ns_sub(refresh->lows[i].at_ns, newest->at_ns) - mean_t;
        kk += k * k;
        kt += k * t;
    }
    if (!(kk > 0.0 && kt > 0.0)) {
        return;
    }
    double period_ns = kt / kk;
    for (int32_t i = 0; i < n; ++i) {
        double k = (double)(refresh->lows[i].index - newest->index) - mean_k;
        double t = (double)es__ns_sub(refresh->lows[i].at_ns, newest->at_ns) - mean_t;
        square += (t - period_ns * k) * (t - period_ns * k);
    }
    refresh->period_ns = period_ns;
    refresh->index = newest->index;
    refresh->at_ns = es__ns_add(newest->at_ns, whole_below(mean_t - period_ns * mean_k + 0.5));
    if (n > 2) {
        double variance = square / (n - 2);
        refresh->error_ns = sqrt(variance);
        refresh->drift_ns = sqrt(variance / kk);
    }
}

/* Two neighbours become one, the lower above the line. */
static void merge_lows(es__refresh *refresh)
{
    for (int32_t i = 0; i < ES_REFRESH_LOWS / 2; ++i) {
        const es__refresh_low *a = &refresh->lows[2 * i];
        const es__refresh_low *b = a + 1;
        int64_t above_a = es__ns_sub(a->at_ns, es__refresh_time_ns(refresh, a->index));
        int64_t above_b = es__ns_sub(b->at_ns, es__refresh_time_ns(refresh, b->index));
        refresh->lows[i] = above_b < above_a ? *b : *a;
    }
    refresh->low_count = ES_REFRESH_LOWS / 2;
    refresh->group *= 2;
}

static void drop_oldest_low(es__refresh *refresh)
{
    for (int32_t i = 1; i < ES_REFRESH_LOWS; ++i) {
        refresh->lows[i - 1] = refresh->lows[i];
    }
    refresh->low_count = ES_REFRESH_LOWS - 1;
}

static void add_low(es__refresh *refresh, const es__refresh_low *low)
{
    if (refresh->low_count == ES_REFRESH_LOWS && refresh->group < ES_REFRESH_RECENT) {
        merge_lows(refresh);
    } else if (refresh->low_count == ES_REFRESH_LOWS) {
        drop_oldest_low(refresh);
    }
    refresh->lows[refresh->low_count] = *low;
    refresh->low_count += 1;
    if (refresh->low_count > 1) {
        lay_line(refresh);
    }
}

static void add_to_group(es__refresh *refresh, int64_t index, int64_t above_ns, bool exact)
{
    int64_t low_ns =
            es__ns_sub(refresh->low.at_ns, es__refresh_time_ns(refresh, refresh->low.index));
    if (refresh->grouped == 0 || above_ns < low_ns) {
        refresh->low.index = index;
        refresh->low.at_ns = es__ns_add(es__refresh_time_ns(refresh, index), above_ns);
    }
    refresh->sum_ns = (refresh->grouped == 0 ? 0.0 : refresh->sum_ns) + (double)above_ns;
    refresh->grouped += 1;
    if (refresh->grouped >= refresh->group) {
        es__refresh_low low = refresh->low;
        if (exact) {
            int64_t mean_ns = whole_below(refresh->sum_ns / refresh->grouped + 0.5);
            low.at_ns = es__ns_add(es__refresh_time_ns(refresh, low.index), mean_ns);
        }
        refresh->grouped = 0;
        add_low(refresh, &low);
    }
}

/* --- finding a line --------------------------------------------------------------------------- */

/* The newest readings, counted from the oldest of them, and a line under them. */
typedef struct refresh_fit {
    int32_t count;
    double t[ES_REFRESH_RECENT];
    double frame[ES_REFRESH_RECENT];
    double k[ES_REFRESH_RECENT];
    double period_ns;
    double first_ns; /* of the line at t = 0 */
    double error;    /* of the period, as a share */
    double late;     /* the latest reading that is on time, in refreshes ... */
    double latest;   /* ... and of all */
} refresh_fit;

static int64_t reading_back(const es__refresh *refresh, int32_t back)
{
    return refresh->recent_ns[(refresh->recent - 1 - back) % ES_REFRESH_RECENT];
}

static int64_t frame_back(const es__refresh *refresh, int32_t back)
{
    return refresh->recent_frame[(refresh->recent - 1 - back) % ES_REFRESH_RECENT];
}

/* Frames from the reading before; at least 1. */
static double frames_to(const refresh_fit *fit, int32_t i)
{
    return es__max_f64(fit->frame[i] - fit->frame[i - 1], 1.0);
}

static double lower_quartile(const refresh_fit *fit)
{
    double sorted[ES_REFRESH_RECENT];
    for (int32_t i = 1; i < fit->count; ++i) {
        sorted[i - 1] = (fit->t[i] - fit->t[i - 1]) / frames_to(fit, i);
    }
    es__sort(sorted, (size_t)fit->count - 1);
    return sorted[(fit->count - 1) / 4];
}

/* Numbers the refreshes by a period. each: one for each frame. */
static void number_refreshes(refresh_fit *fit, double period_ns, bool each)
{
    for (int32_t i = 1; i < fit->count; ++i) {
        double steps = (double)whole_below((fit->t[i] - fit->t[i - 1]) / period_ns + 0.5);
        fit->k[i] = fit->k[i - 1] + (each ? frames_to(fit, i) : es__max_f64(steps, 1.0));
    }
}

static void least_squares(refresh_fit *fit)
{
    double mean_k = 0.0, mean_t = 0.0, kk = 0.0, kt = 0.0;
    for (int32_t i = 0; i < fit->count; ++i) {
        mean_k += fit->k[i] / fit->count;
        mean_t += fit->t[i] / fit->count;
    }
    for (int32_t i = 0; i < fit->count; ++i) {
        kk += (fit->k[i] - mean_k) * (fit->k[i] - mean_k);
        kt += (fit->k[i] - mean_k) * (fit->t[i] - mean_t);
    }
    fit->period_ns = kt / kk;
    fit->error = kk;
}

static int32_t on_time_of(const refresh_fit *fit)
{
    int32_t on_time = (int32_t)(ES__TUNE(on_time) * fit->count + 1.0);
    return on_time < fit->count ? on_time : fit->count;
}

/* Whether readings at random times would hardly lie so close to the line. The first ones lie on any line:
 * one on that of a known period, else two. */
static bool is_no_chance(const refresh_fit *fit, bool known)
{
    double chance = fit->count;
    for (int32_t i = known ? 1 : 2; i < on_time_of(fit); ++i) {
        chance *= fit->late;
    }
    return fit->late < 1.0 && chance < ES__TUNE(chance);
}

/* Lays the line below the readings. */
static void lay_below(refresh_fit *fit, double period_ns)
{
    double sorted[ES_REFRESH_RECENT];
    for (int32_t i = 0; i < fit->count; ++i) {
        sorted[i] = fit->t[i] - fit->k[i] * period_ns;
    }
    es__sort(sorted, (size_t)fit->count);
    int32_t on_time = on_time_of(fit);
    double square = 0.0;
    for (int32_t i = 0; i < on_time; ++i) {
        square += (sorted[i] - sorted[0]) * (sorted[i] - sorted[0]);
    }
    fit->late = (sorted[on_time - 1] - sorted[0]) / period_ns;
    fit->latest = (sorted[fit->count - 1] - sorted[0]) / period_ns;
    fit->period_ns = period_ns;
    fit->first_ns = sorted[0];
    fit->error = sqrt(square / (on_time * fit->error)) / period_ns;
}

static void take_readings(const es__refresh *refresh, int32_t count, refresh_fit *fit)
{
    fit->count = count;
    fit->k[0] = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        int64_t from_ns = reading_back(refresh, count - 1);
        fit->t[i] = (double)es__ns_sub(reading_back(refresh, count - 1 - i), from_ns);
        fit->frame[i] = (double)frame_back(refresh, count - 1 - i);
    }
}

/* each: every frame took one refresh, which lateness of most of a refresh does not hide. */
static bool fit_line(refresh_fit *fit, double known_ns, bool each)
{
    double guess_ns = known_ns > 0.0 ? known_ns : lower_quartile(fit);
    if (!(guess_ns > 0.0)) {
        return false;
    }
    number_refreshes(fit, guess_ns, each);
    least_squares(fit);
    if (!(fit->period_ns >= ES__TUNE(free_ns))) { /* faster frames wait for no refresh */
        return false;
    }
    if (known_ns == 0.0 && !each) {
        number_refreshes(fit, fit->period_ns, each);
        least_squares(fit);
    }
    lay_below(fit, known_ns > 0.0 ? known_ns : fit->period_ns);
    return true;
}

static bool find_line(const es__refresh *refresh, int32_t count, double known_ns, refresh_fit *fit)
{
    take_readings(refresh, count, fit);
    if (known_ns > 0.0) {
        return fit_line(fit, known_ns, false) && is_no_chance(fit, true);
    }
    bool found = (fit_line(fit, 0.0, true) && is_no_chance(fit, false))
                 || (fit_line(fit, 0.0, false) && is_no_chance(fit, false));
    return found && fit->error < ES__TUNE(equal);
}

/* The line of a fit, from here on. */
static void take_line(es__refresh *refresh, const refresh_fit *fit)
{
    int32_t n = fit->count;
    int64_t from_ns = reading_back(refresh, n - 1);
    refresh->certain = true;
    refresh->lines += 1;
    refresh->period_ns = fit->period_ns;
    refresh->index = refresh->read_index + 1;
    refresh->at_ns = es__ns_add(from_ns, whole_below(fit->first_ns + 0.5));
    refresh->error_ns = fit->error * fit->period_ns * n;
    refresh->drift_ns = fit->error * fit->period_ns;
    refresh->late_share = es__max_f64(ES__TUNE(arc), ES__TUNE(late_more) * fit->late);
    refresh->latest = fit->latest;
    refresh->taken = 0;
    refresh->low_count = 0;
    refresh->group = ES_REFRESH_RECENT / 8;
    refresh->grouped = 0;
    refresh->contradictions = 0;
    refresh->late = 0;
    int64_t first = refresh->index;
    for (int32_t i = 0; i < n; ++i) {
        int64_t index = first + (int64_t)fit->k[i];
        int64_t at_ns = reading_back(refresh, n - 1 - i);
        int64_t above_ns = es__ns_sub(at_ns, es__refresh_time_ns(refresh, index));
        add_to_group(refresh, index, above_ns, false);
        refresh->read_index = index;
    }
}

/* Looks for a line under the newest readings: few if the period is known, else as many as tell it
 * well enough. */
static bool search(es__refresh *refresh)
{
    refresh_fit fit;
    int32_t known = (int32_t)ES__TUNE(readings_known);
    if (refresh->known_ns > 0.0 && refresh->recent >= known
            && find_line(refresh, known, refresh->known_ns, &fit)) {
        take_line(refresh, &fit);
        return true;
    }
    for (int32_t count = (int32_t)ES__TUNE(readings);
            count <= ES_REFRESH_RECENT && count <= refresh->recent && !refresh->capped;
            count *= 2) {
        if (find_line(refresh, count, 0.0, &fit)) {
            double off = fit.period_ns - refresh->known_ns;
            double error_ns = 2.0 * fit.error * fit.period_ns;
            if (off < error_ns && -off < error_ns) {
                fit.first_ns += fit.k[count - 1] * off / 2.0;
                fit.period_ns = refresh->known_ns;
            }
            take_line(refresh, &fit);
            return true;
        }
    }
    return false;
}

/* --- readings --------------------------------------------------------------------------------- */

static void remember_reading(es__refresh *refresh, int64_t at_ns, int64_t frame)
{
    bool pauses = (double)es__ns_sub(at_ns, refresh->read_ns) > ES__TUNE(pause_ns);
    if (refresh->recent > 0 && (pauses || frame < frame_back(refresh, 0))) {
        refresh->recent = 0; /* after a pause, or numbered another way */
    }
    refresh->recent_ns[refresh->recent % ES_REFRESH_RECENT] = at_ns;
    refresh->recent_frame[refresh->recent % ES_REFRESH_RECENT] = frame;
    refresh->recent += 1;
    if (refresh->recent == 2 * ES_REFRESH_RECENT) {
        refresh->recent = ES_REFRESH_RECENT;
    }
    refresh->read_ns = at_ns;
}

static int32_t newest_bits(uint32_t bits, int32_t count)
{
    return es__count_bits(bits & ((1u << count) - 1u));
}

/* Compares a reading with the line, early and late by up to what is possible. Returns whether the
 * line is of use for it. */
static bool judge_reading_by_line(
        es__refresh *refresh, int64_t index, double above, double early, double late)
{
    bool impossible = index <= refresh->read_index || above < -early || above > late;
    refresh->contradictions = refresh->contradictions << 1 | (impossible ? 1u : 0u);
    refresh->late = refresh->late << 1 | (above > refresh->late_share || impossible ? 1u : 0u);
    refresh->read_index = es__max(index, refresh->read_index);
    return newest_bits(refresh->contradictions, (int32_t)ES__TUNE(readings)) < ES__TUNE(reset);
}

/* So much before a refresh a reading belongs to it. A host calls once for each, so the time in which
 * no call has come is shared between the latest ones and those that are still earlier. */
static double early_of(const es__refresh *refresh, bool exact)
{
    if (refresh->hosted) {
        return es__max_f64(1.0 - refresh->latest, ES__TUNE(impossible)) / 2.0;
    }
    return exact ? 0.5 : ES__TUNE(arc);
}

static void read_on_line(es__refresh *refresh, int64_t at_ns, int64_t frame, bool exact)
{
    double early = early_of(refresh, exact);
    int64_t index = es__ns_add(refresh->index, whole_below(refreshes_at(refresh, at_ns) + early));
    int64_t above_ns = es__ns_sub(at_ns, es__refresh_time_ns(refresh, index));
    double above = (double)above_ns / refresh->period_ns;
    double possible =
            exact ? ES__TUNE(arc)
                  : ES__TUNE(impossible)
                            + 2.0 * es__refresh_error_ns(refresh, at_ns) / refresh->period_ns;
    if (!judge_reading_by_line(refresh, index, above, possible, exact ? possible : 1.0)) {
        refresh->certain = false;
        refresh->recent = 1;
        refresh->recent_ns[0] = at_ns;
        refresh->recent_frame[0] = frame;
        return;
    }
    if (above < -possible && !exact && !refresh->hosted) {
        return; /* it may be the refresh before, and very late */
    }
    if (above_ns < 0 && !exact) {
        refresh->at_ns = es__ns_add(refresh->at_ns, above_ns);
        above_ns = 0;
    }
    refresh->latest = es__max_f64(refresh->latest, above);
    refresh->taken += refresh->taken < ES_REFRESH_RECENT;
    bool lasts = refresh->taken == ES_REFRESH_RECENT && refresh->contradictions == 0;
    if (lasts && !refresh->multiple) {
        refresh->known_ns = refresh->period_ns;
    }
    add_to_group(refresh, index, above_ns, exact);
}

/* Another line may lie below the newest readings: as many as least, or more. The few may be late
 * alike, or of a coarse clock: only another period counts. */
static void look_for_another(es__refresh *refresh, int32_t least)
{
    refresh_fit fit;
    int32_t most = (int32_t)ES__TUNE(readings);
    bool found = false;
    for (int32_t n = least; n <= most && n <= refresh->recent && !refresh->capped && !found;
            n *= 2) {
        found = find_line(refresh, n, 0.0, &fit)
                && (n == most || differs(fit.period_ns, refresh->period_ns, ES__TUNE(impossible)));
    }
    double most_ns =
            (ES__TUNE(stall) + 0.5) * refresh->known_ns; /* else frames are long, not refreshes */
    if (found && (refresh->known_ns == 0.0 || fit.period_ns < most_ns)) {
        take_line(refresh, &fit);
    }
}

void es__refresh_doubt(es__refresh *refresh)
{
    look_for_another(refresh, (int32_t)ES__TUNE(readings));
}

/* From an instant to the nearest refresh of a line, in refreshes. */
static double from_nearest(double refreshes)
{
    return refreshes - (double)whole_below(refreshes + 0.5);
}

void es__refresh_read(es__refresh *refresh, int64_t at_ns, int64_t frame, bool exact)
{
    if (refresh->recent > 0 && at_ns <= refresh->read_ns) {
        return;
    }
    bool certain = es__refresh_is_certain(refresh, at_ns);
    remember_reading(refresh, at_ns, frame);
    refresh->certain = certain;
    if (!certain) {
        search(refresh);
        return;
    }
    read_on_line(refresh, at_ns, frame, exact);
    int32_t least = (int32_t)ES__TUNE(readings);
    if (refresh->certain && newest_bits(refresh->late, least) >= ES__TUNE(reset)) {
        look_for_another(refresh, (int32_t)ES__TUNE(readings_known));
    }
}

bool es__refresh_is_off(const es__refresh *refresh, int64_t at_ns)
{
    double off = from_nearest(refreshes_at(refresh, at_ns));
    return off > ES__TUNE(arc) || -off > ES__TUNE(arc);
}

void es__refresh_vote(es__refresh *refresh, int64_t at_ns, int64_t free_ns, double slack_ns)
{
    double error_ns = 2.0 * es__refresh_error_ns(refresh, at_ns) + slack_ns;
    double early = ES__TUNE(fixed_error) + error_ns / refresh->period_ns;
    double late = es__min_f64(refresh->latest, ES__TUNE(arc)) + early;
    double by_line = from_nearest(refreshes_at(refresh, at_ns));
    double by_free = from_nearest((double)es__ns_sub(at_ns, free_ns) / refresh->period_ns);
    bool on_line = by_line > -early && by_line < late;
    bool on_free = by_free > -early && by_free < late;
    double most = ES__TUNE(readings);
    double vote = on_line == on_free ? 0.0 : on_line ? 1.0 : -2.0;
    refresh->fixed = es__max_f64(es__min_f64(refresh->fixed + vote, most), -most);
}
