/* SPDX-License-Identifier: Zlib */
#include "lab/numbers.h"

#include <stdlib.h>
#include <string.h>

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* Source: Hoare's FIND (Algorithm 65, 1961), pivot: the median of three. */
double lab_select_nth(double *values, size_t count, size_t k)
{
    size_t low = 0;
    size_t high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (values[middle] < values[low]) {
            swap(&values[middle], &values[low]);
        }
        if (values[high] < values[low]) {
            swap(&values[high], &values[low]);
        }
        if (values[high] < values[middle]) {
            swap(&values[high], &values[middle]);
        }
        double pivot = values[middle];
        size_t i = low;
        size_t j = high;
        while (i <= j) {
            while (values[i] < pivot) {
                i += 1;
            }
            while (pivot < values[j]) {
                j -= 1;
            }
            if (i > j) {
                break;
            }
            swap(&values[i], &values[j]);
            i += 1;
            if (j == 0) {
                break;
            }
            j -= 1;
        }
        if (k <= j) {
            high = j;
        } else if (k >= i) {
            low = i;
        } else {
            break;
        }
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
