/* SPDX-License-Identifier: Zlib
 *
 * follow: a line through readings of another clock (follower.c), the handle, and content that follows it (follow.c),
 * snapshots of a server (snapshots.c).
 */
#ifndef ES_FOLLOW_H
#define ES_FOLLOW_H

#include "evenstep/follow.h"

#include "base/common.h"
#include "base/queue.h"

/* Readings are joined over this time. */
#define ES__SPAN_NS (ES_NS_PER_S / 4)
/* So many of these are remembered: 32 s. Crystals keep their rate; what else changes begins anew. */
#define ES__SPANS 128

/* Without a reading for so long, the other clock stands. */
#define ES__COAST_NS (2 * ES_NS_PER_S)

/* What the readings of a span say; times are counted from the line's start. */
typedef struct es__span {
    int64_t begin_ns;
    double at_ns, ahead_ns; /* other - at: of the newest (late) or the mean (both) */
    double count;
} es__span;

/* A line: at `at_ns` the other clock is ahead of ours by ahead_ns, and gains by `drift` ns per ns. */
typedef struct es__line {
    double at_ns, ahead_ns, drift;
} es__line;

typedef struct es__follower {
    es_follow_noise noise;
    double drift_max;
    bool started;
    int64_t begun_ns, other_ns; /* what times count from, on both clocks */
    int64_t read_ns;            /* of the newest reading */
    int32_t backward;           /* readings in a row before the newest span */
    es__span spans[ES__SPANS];
    int32_t count; /* of spans, the oldest first */
    es__line line;
    double error_ns;
    int64_t readings, restarts;
} es__follower;

void es__follower_init(es__follower *follower, const es_follower_config *config);

/* Takes a reading into the line. */
void es__follower_take(es__follower *follower, int64_t other_ns, int64_t read_ns);

/* What the other clock shows at an instant of ours. There was a reading. */
int64_t es__follower_other_ns(const es__follower *follower, int64_t now_ns);

/* The change of speed by which an error goes away in 0.25 s, or in this time if it is longer. */
double es__follow_change(double error_ns, double within_ns, double change_max);

/* As if there had been no reading. */
void es__follower_forget(es__follower *follower);

#endif
