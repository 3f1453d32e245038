/* SPDX-License-Identifier: Zlib
 *
 * What the two kinds of exchange share: where things lie in the caller's memory.
 *
 *   mailbox | slots: each a state, and behind it its tick and whether it is done
 *
 * each from a multiple of ES_EXCHANGE_LINE on, so that no line is written by both threads but the
 * mailbox's. Who has just written a large state finds in the caches what it wrote last, and little
 * else: there is what a publish writes.
 */
#ifndef ES_EXCHANGE_PARTS_H
#define ES_EXCHANGE_PARTS_H

#include "evenstep/exchange.h"
#include "exchange_mailbox.h"

/* Written by both threads: the words by atomic operations, the others under the lock. */
typedef struct es__exchange_mailbox {
    es__mailbox_word offer;
    es__mailbox_word taken; /* how often the reader got something new; wraps */
    es__mailbox_word news;  /* locked: always 1, and what the reader watches */
    unsigned live;          /* locked: which copy has the newest ticks */
    unsigned count;         /* locked: of ticks in it */
    bool fresh;             /* locked: not taken yet */
} es__exchange_mailbox;

/* Behind a state. */
typedef struct es__exchange_tail {
    es_exchange_tick tick;
    es__mailbox_word done; /* ES__SLOT_ */
} es__exchange_tail;

static inline es__exchange_mailbox *es__mailbox_of(const es_exchange *exchange)
{
    return (es__exchange_mailbox *)exchange->mailbox;
}

static inline es__exchange_tail *es__slot_tail(const es_exchange *exchange, unsigned slot)
{
    unsigned char *end = exchange->slots + exchange->stride * (slot + (size_t)1);
    return (es__exchange_tail *)(void *)(end - ES_EXCHANGE_STATE_ALIGNMENT);
}

static inline es_exchange_tick *es__slot_tick(const es_exchange *exchange, unsigned slot)
{
    return &es__slot_tail(exchange, slot)->tick;
}

static inline void *es__slot_state(const es_exchange *exchange, unsigned slot)
{
    return exchange->slots + exchange->stride * slot;
}

/* Asks for a line to write, without waiting for it; says nothing to compilers that cannot. */
static inline void es__prefetch(const void *line)
{
#if defined(__GNUC__)
    __builtin_prefetch(line, 1);
#else
    (void)line;
#endif
}

/* Shows the reader a chain, which is a newer one. */
static inline const es_exchange_view *es__exchange_show(es_exchange *exchange, unsigned chain)
{
    es__exchange_mailbox *mailbox = es__mailbox_of(exchange);
    es_exchange_view *view = &exchange->reader.view;
    unsigned count = es__chain_count(chain);
    view->number += 1;
    view->count = (int32_t)count;
    for (unsigned age = 0; age < ES_EXCHANGE_TICKS_MAX; ++age) {
        unsigned slot = es__chain_slot(chain, age < count ? age : count - 1);
        view->states[age] = es__slot_state(exchange, slot);
        view->ticks[age] = es__slot_tick(exchange, slot);
    }
    ES_MAILBOX_STORE(&mailbox->taken, (unsigned)view->number, memory_order_relaxed);
    return view;
}

/* The locked kind (exchange_locked.c). The writer writes into a slot that only it knows. */
unsigned es__locked_slots(unsigned ticks);
unsigned es__locked_slot_to_write(const es_exchange *exchange);
const void *es__locked_newest(const es_exchange *exchange);
void es__locked_publish(es_exchange *exchange, bool continues);
const es_exchange_view *es__locked_acquire(es_exchange *exchange);

#endif
