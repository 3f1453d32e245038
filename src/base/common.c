/* SPDX-License-Identifier: Zlib */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

int es_version(void)
{
    return ES_VERSION;
}

const char *es__result_message(es_result result)
{
    static const char *const messages[] = {
            [-ES_OK] = "success",
            [-ES_ERR_INVALID] = "an argument or a configuration field is out of its range",
            [-ES_ERR_STATE] = "the call is out of order",
            [-ES_ERR_RANGE] = "the result does not fit the range of the type",
            [-ES_ERR_UNSUPPORTED] = "this platform or clock cannot do that",
            [-ES_ERR_SPACE] = "the caller's memory is too small",
            [-ES_ERR_REFUSED] = "the system does not allow it",
            [-ES_ERR_FULL] = "there is no space at the moment",
            [-ES_ERR_IO] = "reading or writing failed",
            [-ES_ERR_DAMAGED] = "the bytes are not those that were written",
            [-ES_ERR_DIFFERS] = "two runs that should be equal differ",
    };
    bool known = result <= ES_OK && result >= ES_ERR_DIFFERS;
    return known ? messages[-result] : "not a result of this library";
}

/* --- errors of a thread ----------------------------------------------------------------------- */

static ES_PER_THREAD char error_text[256] = "no call of this thread has failed";

const char *es_get_error(void)
{
    return error_text;
}

const void *es__this_thread(void)
{
    return error_text;
}

bool es__thread_turns_to(const void *object)
{
    static ES_PER_THREAD const void *used;
    bool turns = used != NULL && used != object;
    used = object;
    return turns;
}

es_result es__fail(es_result result, const char *where, const es__error *error)
{
    bool named = error != NULL && error->field != NULL;
    const char *reason =
            error != NULL && error->reason != NULL ? error->reason : es__result_message(result);
    (void)snprintf(error_text, sizeof error_text, "%s%s%s: %s", where, named ? "." : "",
            named ? error->field : "", reason);
    return result;
}

es_result es__refuse_rate(es__error *error, const char *field, es_rate rate, const char *reason)
{
    static ES_PER_THREAD char text[80];
    if (rate.numerator > 0 && rate.denominator == 0) {
        unsigned long hz = rate.numerator;
        (void)snprintf(
                text, sizeof text, "has the denominator 0: write es_hz(%lu), not %lu", hz, hz);
        reason = text;
    }
    return es__refuse(error, field, reason);
}

es_result es__refuse_as(es__error *error, es_result result, const char *field, const char *reason)
{
    if (error != NULL) {
        *error = (es__error){.field = field, .reason = reason};
    }
    return result;
}

es_result es__refuse(es__error *error, const char *field, const char *reason)
{
    return es__refuse_as(error, ES_ERR_INVALID, field, reason);
}

es_result es__refuse_broken(es__error *error, const es__rule *rules, size_t count)
{
    ES__ASSERT_IS(count, >=, 1);
    for (size_t i = 0; i < count; ++i) {
        if (rules[i].is_broken) {
            return es__refuse(error, rules[i].field, rules[i].reason);
        }
    }
    return ES_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

void *es__allocate(size_t size)
{
    unsigned char *block =
            size <= SIZE_MAX - 2 * ES__ALIGNMENT ? calloc(1, size + 2 * ES__ALIGNMENT) : NULL;
    if (block == NULL) {
        (void)snprintf(error_text, sizeof error_text, "out of memory");
        return NULL;
    }
    size_t skipped = ES__ALIGNMENT - (uintptr_t)block % ES__ALIGNMENT;
    block[skipped - 1] = (unsigned char)skipped; /* for es__free */
    return block + skipped;
}

void es__free(void *memory)
{
    unsigned char *start = memory;
    if (start != NULL) {
        free(start - start[-1]);
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

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
        ES__ASSERT(end == count || largest <= numbers[end], numbers[end], largest);
    }
}

double es__percentile(const double *sorted, size_t count, size_t permille)
{
    size_t rank = (count * permille + 999) / 1000;
    ES__ASSERT_IS(count * permille, <=, rank * 1000);
    return sorted[rank > 0 ? rank - 1 : 0];
}
