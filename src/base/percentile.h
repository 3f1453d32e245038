/* SPDX-License-Identifier: Zlib
 *
 * Percentiles, for the summaries of meter and of input. libc's qsort may allocate; this does not.
 */
#ifndef ES_PERCENTILE_H
#define ES_PERCENTILE_H

#include <stddef.h>

/* Sorts so many numbers, none of them NaN, in place; the smallest comes first. */
void es__sort(double *numbers, size_t count);

/* Nearest rank: of so many sorted numbers, at least 1, the smallest that has at least this share of
 * them at or below it. permille: 0 to 1000. */
double es__percentile(const double *sorted, size_t count, size_t permille);

#endif
