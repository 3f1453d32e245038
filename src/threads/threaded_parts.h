/* SPDX-License-Identifier: Zlib
 *
 * What the two halves of the threaded roof tell each other, beside the states. Each post goes
 * through a wait-free exchange of its own: the reader has the newest one whole, or none.
 */
#ifndef ES_THREADED_PARTS_H
#define ES_THREADED_PARTS_H

#include "evenstep/threaded.h"

#include "base/common.h"

/* The render half's word on content time: at instant_ns it was content_ns, and it runs on; and what
 * it asks for. */
typedef struct es__render_post {
    int64_t instant_ns; /* on the clock */
    int64_t content_ns; /* without the limits of es__content_at: before the start it is negative */
    int64_t dropped_ns; /* of the tick half's total: what this has given way to */
    int64_t slow_motion_ns;  /* the same of what it withholds */
    int64_t span_max_ns;     /* the line goes on for so long */
    int64_t catch_up_max_ns; /* in real time; 0: by the tick rate */
    double delay_ticks;
    int64_t present_ns;  /* on the clock: content_ns is, or was to be, seen at ... */
    int64_t delay_ns;    /* ... and is behind by this */
    es_ratio scale;      /* with slow motion in it; 0/1 while paused, and before the start */
    es_ratio user_scale; /* without */
    es_rate rate;        /* asked for the last time ... */
    uint32_t rates;      /* ... and how often one was */
    uint32_t generation; /* of the ticks that this content is of */
    bool stop;
} es__render_post;

/* The tick half's word on its ticks. */
typedef struct es__ticks_post {
    int64_t dropped_ns;     /* in total */
    int64_t slow_motion_ns; /* the same, withheld because ticks cost more than they are worth */
    int64_t cost_ns;        /* what one costs; 0: not known */
    int64_t base_index;     /* ticks are counted from this one, at this rate */
    int64_t base_ns;
    es_rate rate;
    uint32_t generation;      /* of the newest tick, told before its state is handed over ... */
    uint32_t seek_generation; /* ... and the first since the last seek */
    int status;               /* what the callbacks on its thread ended with ... */
    bool ended;               /* ... if they have */
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

static inline int64_t es__smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The real time that content takes at this scale, which is not 0; rounded down. */
static inline int64_t es__real_ns(int64_t content_ns, es_ratio scale)
{
    const es_ratio real_per_content = {scale.denominator, scale.numerator};
    return es__ns_scale(content_ns, real_per_content);
}

static inline bool es__is_threaded(const es_threaded *threaded)
{
    return threaded != NULL && threaded->initialised;
}

/* The catch-up of loop.h is not the roof's: what it makes of a configuration. */
es_loop_config es__threaded_loop_of(const es_threaded_config *config);

/* Checks all fields. */
es_result es__threaded_check(const es_threaded_config *config, es_error *error);

/* Content goes on from what is on the screen: what it is past that is dropped. */
void es__return_to_picture(es_threaded *threaded);

/* The render half's post, of the line as it is. */
void es__post_content(es_threaded *threaded);

/* The line anew: from the picture on the screen, at this instant; nothing before counts. */
void es__restart_line(es_threaded *threaded, int64_t instant_ns);

/* The line by the frame that starts at this instant. anew: the frames before say nothing of it. */
void es__draw_line(es_threaded *threaded, int64_t instant_ns, bool anew);

/* The tick half's post, as it stands. */
void es__post_ticks(es_threaded *threaded);

/* Posts one value of size bytes; posts counts them. */
void es__post(es_exchange *exchange, int64_t *posts, const void *value, size_t size);

/* The newest value posted, or NULL. */
static inline const void *es__newest_post(es_exchange *exchange)
{
    return es_exchange_acquire(exchange)->states[0];
}

#endif
