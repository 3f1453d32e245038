/* SPDX-License-Identifier: Zlib
 *
 * What the two halves of the threaded roof tell each other, beside the states. Each post goes
 * through a wait-free exchange of its own: the reader has the newest one whole, or none.
 */
#ifndef ES_THREADED_PARTS_H
#define ES_THREADED_PARTS_H

#include "evenstep/threaded.h"

/* The render half's word on content time: at instant_ns it was content_ns, and it runs on. */
typedef struct es__render_post {
    int64_t instant_ns;  /* on the clock */
    int64_t content_ns;  /* without the limits of es_content_at: before the start it is negative */
    int64_t dropped_ns;  /* of the tick half's total: what this has given way to */
    int64_t present_ns;  /* on the clock: content_ns is, or was to be, seen at ... */
    int64_t delay_ns;    /* ... and is behind by this */
    es_ratio scale;      /* 0/1 while paused */
    uint32_t generation; /* of the ticks that this content is of */
} es__render_post;

/* The tick half's word on its ticks. */
typedef struct es__ticks_post {
    int64_t dropped_ns; /* in total */
    int64_t base_index; /* ticks are counted from this one, at this rate */
    int64_t base_ns;
    es_rate rate;
    uint32_t generation;      /* of the newest tick, told before its state is handed over ... */
    uint32_t seek_generation; /* ... and the first since the last seek */
} es__ticks_post;

/* Whether generation a is b or follows it. They are counted modulo 2^32. */
static inline bool es__generation_reached(uint32_t a, uint32_t b)
{
    return (uint32_t)(a - b) < UINT32_C(0x80000000);
}

static inline int64_t es__larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Posts one value of size bytes; posts counts them. */
void es__post(es_exchange *exchange, int64_t *posts, const void *value, size_t size);

/* The newest value posted, or NULL. */
static inline const void *es__newest_post(es_exchange *exchange)
{
    return es_exchange_acquire(exchange)->states[0];
}

#endif
