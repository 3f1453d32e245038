/* SPDX-License-Identifier: Zlib */
#include "common.h"

es_result es__refuse_as(es_error *error, es_result result, const char *field, const char *reason)
{
    if (error != NULL) {
        *error = (es_error){.field = field, .reason = reason};
    }
    return result;
}

es_result es__refuse(es_error *error, const char *field, const char *reason)
{
    return es__refuse_as(error, ES_ERR_INVALID, field, reason);
}

es_result es__refuse_broken(es_error *error, const es_rule *rules, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (rules[i].is_broken) {
            return es__refuse(error, rules[i].field, rules[i].reason);
        }
    }
    return ES_OK;
}

int es__count_bits(uint32_t word)
{
    int count = 0;
    for (; word != 0; word &= word - 1) {
        count += 1;
    }
    return count;
}

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
        ES__ASSERT(end == count || largest <= numbers[end], "%g after %g", numbers[end], largest);
    }
}

double es__percentile(const double *sorted, size_t count, size_t permille)
{
    size_t rank = (count * permille + 999) / 1000;
    ES__ASSERT_IS(rank, <=, count);
    ES__ASSERT_IS(count * permille, <=, rank * 1000);
    ES__ASSERT(
            count == 0 || sorted[0] <= sorted[count - 1], "%g, %g", sorted[0], sorted[count - 1]);
    return sorted[rank > 0 ? rank - 1 : 0];
}
