/* SPDX-License-Identifier: Zlib */
#include "even.h"

#include "base/common.h"
#include "constants.h"

/* Mean difference of successive intervals, each raised to at least least_ns. */
static double unevenness_ns(const es__even *even, double least_ns)
{
    double sum_ns = 0.0, before_ns = 0.0;
    for (int32_t i = 0; i < ES_EVEN_FRAMES; ++i) {
        int64_t unheld_ns = even->unheld_ns[(even->frames + i) % ES_EVEN_FRAMES];
        double interval_ns = es__max_f64((double)unheld_ns, least_ns);
        double off_ns = i > 0 ? interval_ns - before_ns : 0.0;
        sum_ns += off_ns < 0.0 ? -off_ns : off_ns;
        before_ns = interval_ns;
    }
    return sum_ns / (ES_EVEN_FRAMES - 1);
}

static double cost_ns(const double *sorted, int32_t count, double least_ns)
{
    double sum_ns = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        sum_ns += es__max_f64(least_ns - sorted[i], 0.0);
    }
    return sum_ns / count;
}

/* The longest interval for which frames take at most even_cost more time in all. */
static double affordable_ns(const double *sorted, int32_t count)
{
    double more_ns = 0.0, below_ns = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        more_ns += ES__TUNE(even_cost) * sorted[i];
    }
    for (int32_t i = 0; i < count; ++i) {
        below_ns += sorted[i];
        double interval_ns = (more_ns + below_ns) / (i + 1);
        if (i + 1 == count || interval_ns <= sorted[i + 1]) {
            return interval_ns;
        }
    }
    return 0.0;
}

void es__even_waited(es__even *even, int64_t late_ns)
{
    even->late_ns += ((double)late_ns - even->late_ns) / ES_EVEN_FRAMES;
}

void es__even_note(es__even *even, int64_t unheld_ns, int64_t shortest_ns)
{
    double sorted[ES_EVEN_FRAMES];
    even->unheld_ns[even->frames % ES_EVEN_FRAMES] = es__max(unheld_ns, shortest_ns);
    even->frames += 1;
    if (even->frames < ES_EVEN_FRAMES || even->frames % (ES_EVEN_FRAMES / 4) != 0) {
        return;
    }
    even->frames = even->frames % ES_EVEN_FRAMES + ES_EVEN_FRAMES;
    for (int32_t i = 0; i < ES_EVEN_FRAMES; ++i) {
        sorted[i] = (double)even->unheld_ns[i];
    }
    es__sort(sorted, ES_EVEN_FRAMES);
    /* a stalled frame is no reason to hold others longer */
    double most_ns = 2.0 * sorted[ES_EVEN_FRAMES / 2];
    for (int32_t i = ES_EVEN_FRAMES / 2; i < ES_EVEN_FRAMES; ++i) {
        sorted[i] = es__min_f64(sorted[i], most_ns);
    }
    double interval_ns =
            es__min_f64(affordable_ns(sorted, ES_EVEN_FRAMES), sorted[ES_EVEN_FRAMES * 15 / 16]);
    double uneven_ns = unevenness_ns(even, 0.0);
    double gain_ns = uneven_ns - unevenness_ns(even, interval_ns) - even->late_ns;
    double least_ns =
            es__max_f64(ES__TUNE(even_gain) * cost_ns(sorted, ES_EVEN_FRAMES, interval_ns),
                    ES__TUNE(even_share) * uneven_ns);
    bool pays = interval_ns > (double)shortest_ns && gain_ns > least_ns;
    even->interval_ns = pays ? es__max((int64_t)(interval_ns - even->late_ns), shortest_ns) : 0;
    even->late_ns -= even->late_ns / ES__TUNE(even_forget);
}
