/* SPDX-License-Identifier: Zlib */
#include "lab/numbers.h"

#include <stdlib.h>
#include <string.h>

/* Source: Hoare's FIND (Algorithm 65, 1961), pivot: the middle one. */
double lab_select_nth(double *values, size_t count, size_t k)
{
    int64_t low = 0, high = (int64_t)count - 1, nth = (int64_t)k;
    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) {
                i += 1;
            }
            while (pivot < values[j]) {
                j -= 1;
            }
            if (i <= j) {
                const double left = values[i];
                values[i++] = values[j];
                values[j--] = left;
            }
        }
        if (j < nth && nth < i) {
            break;
        }
        low = nth >= i ? i : low;
        high = nth <= j ? j : high;
    }
    return values[k];
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void lab_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
}

bool lab_reserve(void *array, size_t *capacity, size_t count, size_t item_size)
{
    size_t wanted = *capacity > 0 ? 2 * *capacity : 64;
    void *items;
    if (count < *capacity) {
        return true;
    }
    memcpy(&items, array, sizeof items);
    items = realloc(items, wanted * item_size);
    if (items != NULL) {
        memcpy(array, &items, sizeof items);
        *capacity = wanted;
    }
    return items != NULL;
}
