/* SPDX-License-Identifier: Zlib */
#include "demo_virtual.h"

#define BEGIN_NS  ES_NS_PER_S        /* no reading is 0, which stands for none in places */
#define READ_NS   (2 * ES_NS_PER_US) /* that a reading takes at least, ... */
#define READ_MORE 8191U              /* ... and so much more, in ns, by chance, as a mask */
#define LATE_MASK 0x1FFFFU           /* how late a wait ends, in ns, likewise: 131 us */

/* xorshift32 (Marsaglia 2003) */
static uint32_t next(demo_virtual *own)
{
    own->random ^= own->random << 13;
    own->random ^= own->random >> 17;
    own->random ^= own->random << 5;
    return own->random;
}

static int64_t read_now(void *user)
{
    demo_virtual *own = user;
    own->now_ns = es_ns_add(own->now_ns, READ_NS + (int64_t)(next(own) & READ_MORE));
    return own->now_ns;
}

static void wait_until(void *user, int64_t deadline_ns)
{
    demo_virtual *own = user;
    if (deadline_ns > own->now_ns) {
        own->now_ns = es_ns_add(deadline_ns, (int64_t)(next(own) & LATE_MASK));
    }
}

es_clock demo_virtual_clock(demo_virtual *own)
{
    *own = (demo_virtual){.now_ns = BEGIN_NS, .random = 1};
    return (es_clock){.now_ns = read_now,
            .wait_until = wait_until,
            .user = own,
            .description = "virtual: as fast as it can"};
}

void demo_virtual_spend(demo_virtual *own, int64_t ns)
{
    own->now_ns = es_ns_add(own->now_ns, ns > 0 ? ns : 0);
}
