/* SPDX-License-Identifier: Zlib
 *
 * The wait-free mailbox of the exchange, and nothing else: which slot is whose. The proofs compile
 * this very file: proofs/exchange.pml runs its arithmetic, proofs/exchange_relacy.cpp also its
 * atomic operations with their memory orders. So it is written in what C and C++98 have in common.
 *
 * A CHAIN is the newest ticks as a number: their slots by age, newest first, and how many there
 * are. An OFFER is a chain and one slot more, NEXT: where the tick after it is being written.
 *
 *   writer  begin    offers the newest chain and the slot that it is going to write
 *           publish  marks that slot as done: one plain store
 *   reader  acquire  takes the offer, if one lies there. Everything in it is the reader's until it
 *                    takes another. The newest tick is the offer's NEXT if that is done by now, and
 *                    else the first of its chain.
 *
 * What comes next is published by NEXT being done, or offered once it was seen to be done: so there
 * is always one word that stays 0 until there is something new, and the reader watches that.
 *
 * Only the reader empties the word that offers lie in. So a writer that finds its last offer gone
 * knows that the reader has that now, and let go of the one before. Else it replaces it; if the
 * reader takes it at that very moment the writer learns that, and puts the new one down, which
 * nobody can prevent any more. Either way it knows of every slot whose it can be: HELD is the offer
 * that the reader took last, H + 1 slots; the newest chain are H, and one is written: 2 H + 2.
 *
 * Beginning costs the writer a look at what the reader wrote. Publishing waits for nothing: what it
 * stores travels while it goes on, and lies behind the state, which it has just written. (Were the
 * slots handed over in the publish, as by a triple buffer, that would wait for the reader's cache;
 * and 2 H + 1 slots would do.)
 *
 * Source of the scheme for single values: triple buffering, as in crates triple_buffer and cubeb.
 * That a value can be published by a store, where the reader says first where it reads: Simpson,
 * Four-slot fully asynchronous communication mechanism, IEE Proceedings 137 E 1, 1990.
 */
#ifndef ES_EXCHANGE_MAILBOX_H
#define ES_EXCHANGE_MAILBOX_H

#include "evenstep/exchange.h"

/* The memory orders. Offer and take give and get both: the writer gives ticks and gets back slots
 * that the reader is done with, which it may find out by a look, too; the reader the other way
 * round. A slot that is done gives the state in it. */
#ifndef ES_ORDER_OFFER
#define ES_ORDER_OFFER release
#endif
#ifndef ES_ORDER_LEARN
#define ES_ORDER_LEARN acquire
#endif
#ifndef ES_ORDER_TAKE
#define ES_ORDER_TAKE acq_rel
#endif
#ifndef ES_ORDER_PUBLISH
#define ES_ORDER_PUBLISH release
#endif
#ifndef ES_ORDER_SEE
#define ES_ORDER_SEE acquire
#endif
/* A proof brings atomics of its own. */
#ifndef ES_MAILBOX_WORD
#include <stdatomic.h>
#define ES_MAILBOX_WORD                         atomic_uint
#define ES_MAILBOX_ORDER(name)                  memory_order_##name
#define ES_MAILBOX_LOAD(word, order)            atomic_load_explicit(word, order)
#define ES_MAILBOX_STORE(word, value, order)    atomic_store_explicit(word, value, order)
#define ES_MAILBOX_EXCHANGE(word, value, order) atomic_exchange_explicit(word, value, order)
#define ES_MAILBOX_COMPARE(word, expected, value, order, failed)                                   \
    atomic_compare_exchange_strong_explicit(word, expected, value, order, failed)
#endif
#define ES_MAILBOX_ORDER_OF(name) ES_MAILBOX_ORDER(name)

typedef ES_MAILBOX_WORD es__mailbox_word;

/* Four slots of four bits and their number: a chain. The next slot and a flag, or 0: an offer. */
enum {
    ES__CHAIN_TICKS_MAX = 4,
    ES__CHAIN_SLOT_BITS = 4,
    ES__CHAIN_SLOT_MASK = 15,
    ES__CHAIN_COUNT_SHIFT = 16,
    ES__CHAIN_COUNT_MASK = 7,
    ES__OFFER_NEXT_SHIFT = 20,
    ES__OFFER_MADE = 1 << 24,
    ES__MAILBOX_SLOTS_MAX = 2 * ES__CHAIN_TICKS_MAX + 2
};

/* How a slot that was offered as NEXT is. */
enum {
    ES__SLOT_WRITTEN = 0,   /* being written: the writer's */
    ES__SLOT_CONTINUES = 1, /* done: the tick after those of the chain */
    ES__SLOT_BEGINS = 2     /* done: the first of a new generation */
};

/* Where it is. The words are zero in the beginning: no offer, and nothing done. */
typedef struct es__mailbox {
    es__mailbox_word *offer; /* 0: taken */
    unsigned char *done;     /* slot 0's word, ES__SLOT_, as an address ... */
    size_t stride;           /* ... and how far it is to the next slot's */
    unsigned slots;
    unsigned ticks; /* handed over together */
} es__mailbox;

/* What only the writer knows, zero before the first publish, is in es_exchange_writer:
 *   chain   the newest, without what was published since es__mailbox_begin
 *   offer   the last one made
 *   held    slots that are the reader's, as far as is known: a bit each
 *   slot    the one to write
 *   done    how that is: ES__SLOT_
 *
 * and what only the reader knows, zero before the first acquire, in es_exchange_reader:
 *   offer   taken last
 *   done    how its NEXT was: ES__SLOT_
 *   chain   what is shown of both */

/* --- arithmetic ----------------------------------------------------------------------------- */

static inline unsigned es__chain_count(unsigned chain)
{
    return chain >> ES__CHAIN_COUNT_SHIFT & ES__CHAIN_COUNT_MASK;
}

/* age: under the count. */
static inline unsigned es__chain_slot(unsigned chain, unsigned age)
{
    return chain >> ES__CHAIN_SLOT_BITS * age & ES__CHAIN_SLOT_MASK;
}

/* One bit for each of its slots. */
static inline unsigned es__chain_set(unsigned chain)
{
    unsigned set = 0;
    for (unsigned age = 0; age < es__chain_count(chain); ++age) {
        set |= 1U << es__chain_slot(chain, age);
    }
    return set;
}

/* The chain with one tick more, at most this many in all: 1 leaves out all that were before. */
static inline unsigned es__chain_push(unsigned chain, unsigned slot, unsigned most)
{
    unsigned count = es__chain_count(chain) + 1 < most ? es__chain_count(chain) + 1 : most;
    unsigned slots =
            (chain << ES__CHAIN_SLOT_BITS | slot) & ((1U << ES__CHAIN_SLOT_BITS * count) - 1);
    return count << ES__CHAIN_COUNT_SHIFT | slots;
}

static inline unsigned es__offer_make(unsigned chain, unsigned next)
{
    return (unsigned)ES__OFFER_MADE | next << ES__OFFER_NEXT_SHIFT | chain;
}

static inline unsigned es__offer_chain(unsigned offer)
{
    return offer & ((1U << ES__OFFER_NEXT_SHIFT) - 1);
}

static inline unsigned es__offer_next(unsigned offer)
{
    return offer >> ES__OFFER_NEXT_SHIFT & ES__CHAIN_SLOT_MASK;
}

/* Nothing of none. */
static inline unsigned es__offer_set(unsigned offer)
{
    return offer == 0 ? 0 : es__chain_set(offer) | 1U << es__offer_next(offer);
}

/* What an offer shows, by how its next slot is. */
static inline unsigned es__offer_shows(unsigned offer, unsigned done, unsigned ticks)
{
    unsigned chain = es__offer_chain(offer);
    if (done == ES__SLOT_WRITTEN) {
        return chain;
    }
    return es__chain_push(chain, es__offer_next(offer), done == ES__SLOT_BEGINS ? 1 : ticks);
}

/* The first of so many slots that is not in the set; their number, if there is none. */
static inline unsigned es__free_slot(unsigned set, unsigned slots)
{
    unsigned slot = 0;
    while (slot < slots && (set >> slot & 1) != 0) {
        slot += 1;
    }
    return slot;
}

static inline es__mailbox_word *es__mailbox_done(const es__mailbox *mailbox, unsigned slot)
{
    return (es__mailbox_word *)(void *)(mailbox->done + mailbox->stride * slot);
}

/* The writer's next offer. taken: the reader has the last one. */
static inline unsigned es__mailbox_next(
        const es__mailbox *mailbox, es_exchange_writer *writer, int taken)
{
    if (taken) {
        writer->held = es__offer_set(writer->offer);
    }
    unsigned set = writer->held | es__chain_set(writer->chain);
    writer->slot = es__free_slot(set, mailbox->slots);
    return es__offer_make(writer->chain, writer->slot);
}

/* --- the writer ----------------------------------------------------------------------------- */

static inline int es__mailbox_is_taken(const es__mailbox *mailbox)
{
    return ES_MAILBOX_LOAD(mailbox->offer, ES_MAILBOX_ORDER_OF(ES_ORDER_LEARN)) == 0;
}

/* A slot is offered as one that is being written. */
static inline void es__mailbox_clear(const es__mailbox *mailbox, unsigned slot)
{
    es__mailbox_word *done = es__mailbox_done(mailbox, slot);
    ES_MAILBOX_STORE(done, (unsigned)ES__SLOT_WRITTEN, ES_MAILBOX_ORDER(relaxed));
}

/* Once the last one is taken: the reader leaves the word alone until there is another. */
static inline void es__mailbox_put(const es__mailbox *mailbox, unsigned offer)
{
    ES_MAILBOX_STORE(mailbox->offer, offer, ES_MAILBOX_ORDER_OF(ES_ORDER_OFFER));
}

/* False: the reader has taken the last one. */
static inline int es__mailbox_replace(const es__mailbox *mailbox, unsigned last, unsigned offer)
{
    return ES_MAILBOX_COMPARE(mailbox->offer, &last, offer, ES_MAILBOX_ORDER(acq_rel),
            ES_MAILBOX_ORDER_OF(ES_ORDER_LEARN));
}

/* What was published belongs to the chain from here on. (That could be done in the publish; but
 * there it is awaited.) */
static inline void es__mailbox_push(const es__mailbox *mailbox, es_exchange_writer *writer)
{
    if (writer->done != ES__SLOT_WRITTEN) {
        unsigned most = writer->done == ES__SLOT_BEGINS ? 1 : mailbox->ticks;
        writer->chain = es__chain_push(writer->chain, writer->slot, most);
        writer->done = ES__SLOT_WRITTEN;
    }
}

/* Finds writer->slot, and offers it with what was published. */
static inline void es__mailbox_begin(const es__mailbox *mailbox, es_exchange_writer *writer)
{
    es__mailbox_push(mailbox, writer);
    int taken = es__mailbox_is_taken(mailbox);
    unsigned offer = es__mailbox_next(mailbox, writer, taken);
    es__mailbox_clear(mailbox, writer->slot);
    if (!taken && !es__mailbox_replace(mailbox, writer->offer, offer)) {
        taken = 1;
        offer = es__mailbox_next(mailbox, writer, taken);
        es__mailbox_clear(mailbox, writer->slot);
    }
    if (taken) {
        es__mailbox_put(mailbox, offer);
    }
    writer->offer = offer;
}

/* The slot is the newest tick from here on. done: its word. */
static inline void es__mailbox_publish(
        es_exchange_writer *writer, es__mailbox_word *done, int continues)
{
    writer->done = continues ? ES__SLOT_CONTINUES : ES__SLOT_BEGINS;
    ES_MAILBOX_STORE(done, writer->done, ES_MAILBOX_ORDER_OF(ES_ORDER_PUBLISH));
}

/* --- the reader ----------------------------------------------------------------------------- */

/* The word that is 0 until there is something new. */
static inline es__mailbox_word *es__mailbox_watched(
        const es__mailbox *mailbox, const es_exchange_reader *reader)
{
    return reader->offer == 0 || reader->done != ES__SLOT_WRITTEN
                   ? mailbox->offer
                   : es__mailbox_done(mailbox, es__offer_next(reader->offer));
}

/* 0: there is none since the last one taken. (The look alone gives and gets nothing.) */
static inline unsigned es__mailbox_take(const es__mailbox *mailbox)
{
    if (ES_MAILBOX_LOAD(mailbox->offer, ES_MAILBOX_ORDER(relaxed)) == 0) {
        return 0;
    }
    return ES_MAILBOX_EXCHANGE(mailbox->offer, 0U, ES_MAILBOX_ORDER_OF(ES_ORDER_TAKE));
}

/* True: reader->chain is a newer one. (Where it is not, an offer was taken of which only NEXT is
 * new.) */
static inline int es__mailbox_acquire(const es__mailbox *mailbox, es_exchange_reader *reader)
{
    unsigned offer = es__mailbox_take(mailbox);
    unsigned shown = reader->chain;
    if (offer != 0) {
        reader->offer = offer;
    }
    if (reader->offer != 0) {
        es__mailbox_word *done = es__mailbox_done(mailbox, es__offer_next(reader->offer));
        reader->done = ES_MAILBOX_LOAD(done, ES_MAILBOX_ORDER_OF(ES_ORDER_SEE));
        reader->chain = es__offer_shows(reader->offer, reader->done, mailbox->ticks);
    }
    return reader->chain != shown;
}

#endif
