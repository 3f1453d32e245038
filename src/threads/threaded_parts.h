/* SPDX-License-Identifier: Zlib
 *
 * What the render thread and the update thread post to each other, beside the states. Each kind of
 * post has a wait-free exchange of its own: the reader has the newest one whole, or none.
 */
#ifndef ES_THREADED_PARTS_H
#define ES_THREADED_PARTS_H

#include "evenstep/threaded.h"

#include "base/common.h"
#include "exchange.h"

/* The render thread's post: the line of content time. At instant_ns content was content_ns. */
typedef struct es__render_post {
    int64_t instant_ns;     /* on the clock */
    int64_t content_ns;     /* without the limits of es__content_at: negative before the start */
    int64_t dropped_ns;     /* of the update thread's total, what content has yielded to */
    int64_t slow_motion_ns; /* the same of what it withholds */
    int64_t span_max_ns;    /* the line ends this long after instant_ns */
    int64_t present_ns;     /* on the clock: when content_ns is seen */
    int64_t delay_ns;       /* of content */
    es_ratio scale;         /* with slow motion; 0/1 while paused, and before the start */
    es_ratio user_scale;    /* without slow motion */
    es_rate rate;           /* the last one requested */
    uint32_t rates;         /* how many were requested */
    uint32_t generation;    /* of the ticks that this content is of */
    bool stop;              /* the update thread is to end */
} es__render_post;

/* The update thread's post, about its ticks. */
typedef struct es__ticks_post {
    int64_t dropped_ns;     /* in total */
    int64_t slow_motion_ns; /* in total: withheld because ticks cost more than their period */
    int64_t cost_ns;        /* of a tick; 0: unknown */
    int64_t base_index;     /* ticks are counted from this one, at this rate */
    int64_t base_ns;
    es_rate rate;
    uint32_t generation; /* of the newest tick; posted before its state */
    int status;          /* what the callbacks ended with */
    bool ended;          /* the thread */
} es__ticks_post;

/* Whether generation a is b or follows it. They are counted modulo 2^32. */
static inline bool es__generation_reached(uint32_t a, uint32_t b)
{
    return (uint32_t)(a - b) < UINT32_C(0x80000000);
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

/* The configuration of the render thread's loop. */
es_loop_config es__threaded_loop_of(const es_threaded_config *config);

/* Checks all fields. */
es_result es__threaded_check(const es_threaded_config *config, es_error *error);

/* es_threaded_start without the thread. */
es_result es__threaded_prepare(
        es_threaded *threaded, const es_threaded_callbacks *callbacks, void *user);

/* Drops what content is past the last frame. */
void es__return_to_shown(es_threaded *threaded);

/* Posts the line as it is. */
void es__post_content(es_threaded *threaded);

/* A new line, from the last frame's content at this instant. */
void es__restart_line(es_threaded *threaded, int64_t instant_ns);

/* The line of the frame that starts at this instant. anew: frames before it do not count. */
void es__draw_line(es_threaded *threaded, int64_t instant_ns, bool anew);

void es__post_ticks(es_threaded *threaded);

/* Posts one value of size bytes; posts counts them. */
void es__post(es_exchange *exchange, int64_t *posts, const void *value, size_t size);

/* The newest value posted, or NULL. */
static inline const void *es__newest_post(es_exchange *exchange)
{
    return es__exchange_acquire(exchange)->states[0];
}

#endif
