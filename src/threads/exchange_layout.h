/* SPDX-License-Identifier: Zlib
 *
 * Where things lie in the caller's memory: the mailbox, then slots, each a state and behind it its tick
 * and whether it is done. Each is at a multiple of ES_EXCHANGE_LINE, so that only the mailbox's line is
 * written by both threads.
 */
#ifndef ES_EXCHANGE_LAYOUT_H
#define ES_EXCHANGE_LAYOUT_H

#include "base/atomics.h"
#include "exchange.h"
#include "exchange_mailbox.h"

/* Written by both threads, by atomic operations. */
typedef struct es__exchange_mailbox {
    es__mailbox_word offer;
} es__exchange_mailbox;

/* Behind a state. */
typedef struct es__exchange_tail {
    es__exchange_tick tick;
    es__mailbox_word done; /* ES__SLOT_ */
} es__exchange_tail;

static inline es__exchange_mailbox *es__mailbox_of(const es__exchange *exchange)
{
    return (es__exchange_mailbox *)exchange->mailbox;
}

static inline es__exchange_tail *es__slot_tail(const es__exchange *exchange, unsigned slot)
{
    unsigned char *end = exchange->slots + exchange->stride * (slot + (size_t)1);
    return (es__exchange_tail *)(void *)(end - ES__EXCHANGE_STATE_ALIGNMENT);
}

static inline es__exchange_tick *es__slot_tick(const es__exchange *exchange, unsigned slot)
{
    return &es__slot_tail(exchange, slot)->tick;
}

static inline void *es__slot_state(const es__exchange *exchange, unsigned slot)
{
    return exchange->slots + exchange->stride * slot;
}

/* Writes a newer chain into the view. */
static inline const es__exchange_view *es__exchange_show(es__exchange *exchange, unsigned chain)
{
    es__exchange_view *view = &exchange->reader.view;
    unsigned count = es__chain_count(chain);
    view->number += 1;
    view->count = (int32_t)count;
    for (unsigned age = 0; age < ES_EXCHANGE_TICKS_MAX; ++age) {
        unsigned slot = es__chain_slot(chain, age < count ? age : count - 1);
        view->states[age] = es__slot_state(exchange, slot);
        view->ticks[age] = es__slot_tick(exchange, slot);
    }
    return view;
}

#endif
