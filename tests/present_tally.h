/* SPDX-License-Identifier: Zlib
 *
 * What present_x11.c and present_wayland.c count, and print as JSON.
 */
#ifndef PRESENT_TALLY_H
#define PRESENT_TALLY_H

#include "evenstep/evenstep.h"

#include <inttypes.h>
#include <stdio.h>

/* Frames at most; those presented before something happens; how long that and the run may take. */
enum { FRAMES = 8192, FRAMES_BEFORE = 15, LIMIT_S = 60 };

typedef struct tally {
    int presented, discarded;
    int64_t age_ns;           /* the least from seen to reported */
    es_present first, last;   /* of those presented */
    int64_t shown_ns[FRAMES]; /* of each frame; 0: not presented */
} tally;

static inline void tally_add(tally *t, const es_present *samples, int count)
{
    for (int i = 0; i < count; ++i) {
        const es_present *sample = &samples[i];
        int64_t age_ns = sample->reported_ns - sample->shown_ns;
        if (sample->discarded) {
            t->discarded += 1;
            continue;
        }
        t->age_ns = t->presented == 0 || age_ns < t->age_ns ? age_ns : t->age_ns;
        t->first = t->presented == 0 ? *sample : t->first;
        t->last = *sample;
        t->presented += 1;
        t->shown_ns[sample->frame] = sample->shown_ns;
    }
}

/* The members that both programs print, with a comma after each. */
static inline void tally_print(
        const tally *t, const char *status, int frames, uint64_t unanswered, uint64_t lost)
{
    printf("{\"status\": \"%s\", \"frames\": %d, \"presented\": %d, \"discarded\": %d,\n"
           "\"unanswered\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"age_ns\": %" PRId64
           ",\n\"announced_first_ns\": %" PRId64 ", \"announced_ns\": %" PRId64 ",\n",
            status, frames, t->presented, t->discarded, unanswered, lost, t->age_ns,
            t->first.refresh_ns, t->last.refresh_ns);
}

#endif
