/* SPDX-License-Identifier: Zlib
 *
 * demo_virtual: a clock that goes on by what is waited for, and a little by every reading, by
 * chance: a minute of the headless demo in as little time as it takes, the same in every run.
 */
#ifndef DEMO_VIRTUAL_H
#define DEMO_VIRTUAL_H

#include "evenstep/clock.h"

typedef struct demo_virtual {
    int64_t now_ns;
    uint32_t random; /* not 0 */
} demo_virtual;

/** The clock. own: borrowed; filled in anew. */
es_clock demo_virtual_clock(demo_virtual *own);

/** Lets time pass. */
void demo_virtual_spend(demo_virtual *own, int64_t ns);

#endif
