/* SPDX-License-Identifier: Zlib
 *
 * How late the readings of a locked grid are: their mean and how it varies, and by classes what
 * half of them are within, or nearly all.
 */
#include "grid_parts.h"

#include <string.h>

/* Readings that classes are of, before half of them are forgotten. */
enum { CLASSED = 256 };

/* Classes are a quarter of an octave each, from 512 ns up: a double's exponent and two bits. */
enum { CLASS_OF_FIRST = (1023 + 9) * 4 };

static int32_t class_of(double ns)
{
    uint64_t bits;
    memcpy(&bits, &ns, sizeof bits);
    int32_t number = ns > 0 ? (int32_t)(bits >> 50) - CLASS_OF_FIRST + 1 : 0;
    return number < 0 ? 0 : number >= ES_GRID_CLASSES ? ES_GRID_CLASSES - 1 : number;
}

static double class_begins_ns(int32_t number)
{
    uint64_t bits = (uint64_t)(number - 1 + CLASS_OF_FIRST) << 50;
    double ns;
    memcpy(&ns, &bits, sizeof ns);
    return number > 0 ? ns : 0;
}

static void forget_half(es_grid_lateness *late)
{
    late->classed = 0;
    for (int32_t i = 0; i < ES_GRID_CLASSES; ++i) {
        late->classes[i] /= 2;
        late->classed += late->classes[i];
    }
}

static void note_class(es_grid_lateness *late, double late_ns)
{
    late->classes[class_of(late_ns)] += 1;
    late->classed += 1;
    if (late->classed >= CLASSED) {
        forget_half(late);
    }
}

/* The variance lags by one reading: what is far off changes twice, there and back. */
void es_grid_lateness_add(es_grid_lateness *late, double late_ns)
{
    note_class(late, late_ns);
    double share = 1.0 / ES_GRID_NOTED;
    if (late->noted < ES_GRID_NOTED) {
        late->noted += 1;
        share = 1.0 / late->noted;
    }
    double change = late->noted > 1 ? late_ns - late->last_ns : 0;
    double off = late->noted > 1 ? late->last_ns - late->mean_ns : 0;
    late->mean_ns += (late_ns - late->mean_ns) * share;
    late->variance += (off * off - late->variance) * share;
    late->change += (change * change - late->change) * share;
    late->last_ns = late_ns;
}

/* What such shares of the newest readings are within; they rise. Of each class is asked no more
 * than whether it takes the sum there: nobody could foresee which are empty. */
static void quantiles(const es_grid_lateness *late, const double *shares, double *ns, int32_t n)
{
    int32_t below = 0;
    int32_t i = 0;
    for (int32_t next = 0; next < n && late->classed > 0; ++next) {
        double wanted = shares[next] * late->classed;
        int32_t least = (int32_t)wanted + ((int32_t)wanted < wanted ? 1 : 0);
        while (below + late->classes[i] < least) {
            below += late->classes[i++];
        }
        double part = (wanted - below) / late->classes[i];
        double begin_ns = class_begins_ns(i);
        ns[next] = begin_ns + (class_begins_ns(i + 1) - begin_ns) * part;
    }
}

void es_grid_lateness_sum_up(es_grid *grid)
{
    static const double shares[] = {0.5, 0.95, 0.98};
    es_grid_lateness *late = &grid->lateness;
    double ns[] = {0, 0, 0};
    quantiles(late, shares, ns, 3);
    grid->late_ns = es_grid_whole_below(ns[0]);
    grid->spread_ns = es_grid_whole_below(ns[1]);
    double usual = es__min_f64(ns[2] / grid->period_ns, 0.9);
    if (grid->readings > ES_GRID_YOUNG) { /* what is unusual may not make itself usual */
        usual = es__min_f64(usual, 1.1 * late->usual + 0.002);
    }
    late->usual = usual;
    grid->late_most_ns = es__min_f64(1.5 * usual + 0.02, ES_GRID_LATE) * grid->period_ns;
}
