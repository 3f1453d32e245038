/* SPDX-License-Identifier: Zlib
 *
 * Two buckets per power of two, from 1 us on: bound i is 2, 3, 4, 6, 8, 12 ... times 500 ns.
 */
#include "schedule.h"

#include <stdarg.h>
#include <stdio.h>

#define UNIT_NS 500
#define BOUNDED (ES_HISTOGRAM_BUCKETS - 1)
#define MOST_NS es__histogram_bound_ns(BOUNDED - 1)

int64_t es__histogram_bound_ns(int32_t bucket)
{
    return UNIT_NS * (INT64_C(2) + bucket % 2) << bucket / 2;
}

/* The first bucket whose bound is not less. */
static int32_t bucket_of(int64_t ns)
{
    int64_t above = (ns - 1) / UNIT_NS; /* whole units less than ns */
    if (ns > MOST_NS || above < 2) {
        return above < 2 ? 0 : BOUNDED;
    }
    int32_t power = 1;
    while (above >> power > 1) {
        power += 1;
    }
    return 2 * power - 1 + (int32_t)(above >> (power - 1) & 1);
}

void es__histogram_add(es_histogram *histogram, int64_t ns)
{
    ns = es__max(ns, 0);
    ES__ASSERT(bucket_of(ns) == BOUNDED || ns <= es__histogram_bound_ns(bucket_of(ns)), ns);
    ES__ASSERT(bucket_of(ns) == 0 || ns > es__histogram_bound_ns(bucket_of(ns) - 1), ns);
    histogram->counts[bucket_of(ns)] += 1;
    histogram->sum_ns = es__ns_add(histogram->sum_ns, ns);
}

/* --- Prometheus text -------------------------------------------------------------------------- */

typedef struct histogram_text {
    char *buffer;
    size_t size, length;
} histogram_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
append(histogram_text *text, const char *format, ...)
{
    bool fits = text->length < text->size;
    va_list values;
    va_start(values, format);
    int length = vsnprintf(fits ? text->buffer + text->length : NULL,
            fits ? text->size - text->length : 0, format, values);
    va_end(values);
    text->length += length > 0 ? (size_t)length : 0;
}

/* Exact, without zeros at the end, and in every locale. */
static void append_seconds(histogram_text *text, int64_t ns)
{
    int64_t fraction = ns % ES_NS_PER_S;
    int digits = 9;
    for (; digits > 1 && fraction % 10 == 0; --digits) {
        fraction /= 10;
    }
    append(text, "%lld.%0*lld", (long long)(ns / ES_NS_PER_S), digits, (long long)fraction);
}

size_t es_histogram_print(const es_histogram *histogram, const char *name, const char *labels,
        char *buffer, size_t size)
{
    histogram_text text = {buffer, size, 0};
    uint64_t count = 0;
    bool labelled = labels != NULL && labels[0] != '\0';
    labels = labelled ? labels : "";
    for (int32_t i = 0; i < ES_HISTOGRAM_BUCKETS; ++i) {
        count += histogram->counts[i];
        append(&text, "%s_bucket{%s%sle=\"", name, labels, labelled ? "," : "");
        if (i < BOUNDED) {
            append_seconds(&text, es__histogram_bound_ns(i));
        } else {
            append(&text, "+Inf");
        }
        append(&text, "\"} %llu\n", (unsigned long long)count);
    }
    const char *open = labelled ? "{" : "", *close = labelled ? "}" : "";
    append(&text, "%s_sum%s%s%s ", name, open, labels, close);
    append_seconds(&text, histogram->sum_ns);
    append(&text, "\n%s_count%s%s%s %llu\n", name, open, labels, close, (unsigned long long)count);
    return text.length;
}
