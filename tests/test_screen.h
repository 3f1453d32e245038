/* SPDX-License-Identifier: Zlib
 *
 * A small simulated display for tests of the loop: a queue of 1 to 4 frames on a fixed refresh, a
 * refresh that varies, or one that never blocks. Exact: a refresh is at phase + floor(k periods).
 * Independent of the lab's.
 */
#ifndef TEST_SCREEN_H
#define TEST_SCREEN_H

#include "test_support.h"

typedef enum screen_kind {
    SCREEN_FIFO = 0, /* a frame per refresh, in order; present blocks while the queue is full */
    SCREEN_VARIES,   /* a frame is seen when it is ready, at the shortest interval at most */
    SCREEN_MAILBOX,  /* a fixed refresh takes the newest frame; present never blocks */
    SCREEN_NONE      /* no refresh: seen when present returns */
} screen_kind;

enum { SCREEN_FLIPS = 64 };

typedef struct screen {
    screen_kind kind;
    es_rate rate; /* varies: the fastest */
    int64_t phase_ns;
    int32_t depth;            /* frames from present to the screen */
    int64_t hidden_ns;        /* a GPU works on each frame for so long after it was submitted, on
                               one at a time; mailbox: so long before a refresh it is too late */
    int64_t hidden_spread_ns; /* ... or up to so much longer, at random */
    int64_t call_ns;          /* what the call takes at least ... */
    int64_t call_spread_ns;   /* ... and up to this more, at random */
    int64_t late_ns;          /* a present that blocked returns up to this late, at random */
    test_random random;
    int64_t frames;
    int64_t gpu_free_ns;
    int64_t last_index;
    int64_t last_ns;
    int64_t flips_ns[SCREEN_FLIPS]; /* of the newest frames */
    int64_t indices[SCREEN_FLIPS];
    int64_t repeats; /* refreshes without a new frame */
} screen;

static inline int64_t screen_refresh_ns(const screen *s, int64_t index)
{
    return s->phase_ns + es_rate_time_ns(s->rate, index);
}

static inline int64_t screen_period_ns(const screen *s)
{
    return es__rate_period_ns(s->rate);
}

static inline int64_t screen_flip_ns(const screen *s, int64_t frame)
{
    return s->flips_ns[frame % SCREEN_FLIPS];
}

static inline int64_t screen_up_to(screen *s, int64_t most_ns)
{
    return most_ns > 0 ? random_below(&s->random, most_ns + 1) : 0;
}

/* The first refresh after an instant. */
static inline int64_t screen_after(const screen *s, int64_t at_ns)
{
    return es__rate_ns_to_events(s->rate, at_ns - s->phase_ns + 1);
}

/* A frame is submitted. Returns when present returns; screen_flip_ns tells when it is seen. */
static inline int64_t screen_present(screen *s, int64_t submit_ns)
{
    bool waits = s->kind != SCREEN_MAILBOX && s->gpu_free_ns > submit_ns;
    int64_t from_ns = waits ? s->gpu_free_ns : submit_ns;
    int64_t ready_ns = from_ns + s->hidden_ns + screen_up_to(s, s->hidden_spread_ns);
    int64_t return_ns = submit_ns + s->call_ns + screen_up_to(s, s->call_spread_ns);
    int64_t flip_ns = ready_ns;
    int64_t index = 0;
    s->gpu_free_ns = ready_ns;
    if (s->kind == SCREEN_NONE) {
        flip_ns = return_ns;
    } else if (s->kind == SCREEN_VARIES) {
        int64_t free_ns = s->last_ns + screen_period_ns(s);
        flip_ns = s->frames > 0 && free_ns > ready_ns ? free_ns : ready_ns;
    } else {
        int64_t least = s->last_index + (s->kind == SCREEN_FIFO ? 1 : 0);
        index = screen_after(s, ready_ns);
        index = s->frames > 0 && index < least ? least : index;
        flip_ns = screen_refresh_ns(s, index);
        s->repeats += s->frames > 0 && index > s->last_index + 1 ? index - s->last_index - 1 : 0;
    }
    s->flips_ns[s->frames % SCREEN_FLIPS] = flip_ns;
    s->indices[s->frames % SCREEN_FLIPS] = index;
    s->last_ns = flip_ns;
    s->last_index = index;
    s->frames += 1;
    int64_t waits_for = s->frames - s->depth;
    bool blocks = s->kind != SCREEN_MAILBOX && s->kind != SCREEN_NONE;
    if (blocks && waits_for >= 0 && screen_flip_ns(s, waits_for) > return_ns) {
        return_ns = screen_flip_ns(s, waits_for) + screen_up_to(s, s->late_ns);
    }
    return return_ns;
}

#endif
