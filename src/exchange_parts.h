/* SPDX-License-Identifier: Zlib
 *
 * What the two kinds of exchange share: where things lie in the caller's memory.
 *
 *   mailbox | reader | slots: each a state, and behind it its tick
 *
 * each from a multiple of ES_EXCHANGE_LINE on, so that no line is written by both threads but the
 * mailbox's. Who has just written a large state finds in the caches what it wrote last, and little
 * else: there the tick is. The rest is in one page.
 */
#ifndef ES_EXCHANGE_PARTS_H
#define ES_EXCHANGE_PARTS_H

#include "evenstep/exchange.h"
#include "exchange_mailbox.h"

/* Written by both threads: the words by atomic operations, the others under the lock. */
typedef struct es__exchange_mailbox {
    es__mailbox words;
    es__mailbox_word taken; /* how often the reader got something new; wraps */
    unsigned live;          /* locked: which copy has the newest ticks */
    unsigned count;         /* locked: of ticks in it */
    bool fresh;             /* locked: not taken yet */
} es__exchange_mailbox;

typedef struct es__exchange_reader {
    es__mailbox_reader mailbox; /* its first word is the one that es_exchange_acquire looks at */
    es_exchange_view view;
} es__exchange_reader;

/* Mailbox, reader. */
enum { ES__EXCHANGE_LINES = 2 };

static inline es__exchange_mailbox *es__mailbox_of(const es_exchange *exchange)
{
    return (es__exchange_mailbox *)(void *)exchange->newest;
}

static inline es__exchange_reader *es__reader_of(const es_exchange *exchange)
{
    return (es__exchange_reader *)(void *)(exchange->newest + ES_EXCHANGE_SEEN);
}

static inline es_exchange_tick *es__slot_tick(const es_exchange *exchange, unsigned slot)
{
    unsigned char *end = exchange->slots + exchange->stride * (slot + (size_t)1);
    return (es_exchange_tick *)(void *)(end - ES_EXCHANGE_STATE_ALIGNMENT);
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
    es_exchange_view *view = exchange->view;
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
