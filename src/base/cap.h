/* SPDX-License-Identifier: Zlib
 *
 * cap: the slots of a frame cap. Frames begin at the slots of a grid. A late frame does not move the next
 * slot; one that is later than an interval starts a new grid. So in any second there are at most as many
 * frames as slots, and one more.
 */
#ifndef ES_CAP_H
#define ES_CAP_H

#include "base/common.h"

/* All zero: there was no frame. */
typedef struct es__cap {
    bool started;
    bool keeps; /* the last frames kept the grid: one waited for its slot, and none was too late */
    int64_t slot_ns; /* of the newest frame */
    int64_t call_ns; /* the newest call of a host */
} es__cap;

/* When the next frame may begin. */
static inline int64_t es__cap_next_ns(const es__cap *cap, int64_t interval_ns)
{
    return cap->started ? cap->slot_ns + interval_ns : INT64_MIN;
}

/* A frame begins at begin_ns. waited: for its slot. */
static inline void es__cap_begin(es__cap *cap, int64_t begin_ns, int64_t interval_ns, bool waited)
{
    int64_t slot_ns = es__cap_next_ns(cap, interval_ns);
    bool late = !cap->started || begin_ns - slot_ns > interval_ns;
    cap->keeps = !late && (waited || cap->keeps);
    cap->slot_ns = late ? begin_ns : slot_ns;
    cap->started = true;
    ES__ASSERT_IS(begin_ns - cap->slot_ns, <=, interval_ns);
}

/* A host calls at at_ns. Whether its frame is left out: the call after it is nearer to the next slot. */
static inline bool es__cap_skips(es__cap *cap, int64_t at_ns, int64_t interval_ns)
{
    int64_t apart_ns = es__min(es__ns_sub(at_ns, cap->call_ns), interval_ns);
    bool skips = cap->started && es__ns_add(at_ns, apart_ns / 2) < es__cap_next_ns(cap, interval_ns);
    cap->call_ns = at_ns;
    return skips;
}

#endif
