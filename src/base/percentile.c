/* SPDX-License-Identifier: Zlib */
#include "percentile.h"

static void sift_down(double *heap, size_t root, size_t count)
{
    double moved = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) {
            child += 1;
        }
        if (heap[child] <= moved) {
            break;
        }
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

/* Heapsort: in place, and never quadratic. */
void es__sort(double *numbers, size_t count)
{
    for (size_t i = count / 2; i > 0; --i) {
        sift_down(numbers, i - 1, count);
    }
    for (size_t end = count; end > 1; --end) {
        double largest = numbers[0];
        numbers[0] = numbers[end - 1];
        sift_down(numbers, 0, end - 1);
        numbers[end - 1] = largest;
    }
}

double es__percentile(const double *sorted, size_t count, size_t permille)
{
    size_t rank = (count * permille + 999) / 1000;
    return sorted[rank > 0 ? rank - 1 : 0];
}
