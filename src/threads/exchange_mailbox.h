/* SPDX-License-Identifier: Zlib
 *
 * The wait-free mailbox of the exchange: which slot belongs to whom. The proofs compile this file:
 * proofs/exchange.pml runs its arithmetic, proofs/exchange_relacy.cpp also its atomic operations
 * with their memory orders. So it is written in the common subset of C and C++98.
 *
 * A CHAIN is the newest ticks as a number: their slots by age, newest first, and their count. An
 * OFFER is a chain and one more slot, NEXT: where the tick after it is being written. HELD are the slots
 * of the offer that the reader took last. docs/notes/threads.md has the protocol, and why 2 H + 2 slots
 * do for H ticks. If publish exchanged the slots, as in a triple buffer, it would wait for the reader's
 * cache.
 *
 * Source of the scheme for single values: triple buffering, as in the crates triple_buffer and
 * cubeb. Publishing by a store, after the reader said where it reads: Simpson, Four-slot fully
 * asynchronous communication mechanism, IEE Proceedings 137 E 1, 1990.
 */
#ifndef ES_EXCHANGE_MAILBOX_H
#define ES_EXCHANGE_MAILBOX_H

#include "exchange.h"

/* The memory orders. Offer and take both release and acquire: the writer passes ticks and gets
 * slots back, which it may also learn by a load; the reader the other way round. A slot that is
 * done passes the state in it. */
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
/* Of base/atomics.h; the proofs define their own. */
#ifndef ES_MAILBOX_WORD
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

/* A chain: four slots of four bits, and their count. An offer: a chain, NEXT, and a flag; 0:
 * none. */
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

/* The state of a slot that was offered as NEXT. */
enum {
    ES__SLOT_WRITTEN = 0,   /* being written */
    ES__SLOT_CONTINUES = 1, /* done: the tick after those of the chain */
    ES__SLOT_BEGINS = 2     /* done: the first of a new generation */
};

/* Where the words are. They are 0 at first: no offer, and nothing done. */
typedef struct es__mailbox {
    es__mailbox_word *offer; /* 0: taken */
    unsigned char *done;     /* the address of slot 0's word, ES__SLOT_ */
    size_t stride;           /* bytes to the next slot's word */
    unsigned slots;
    unsigned ticks; /* passed together */
} es__mailbox;

/* What only the writer knows, 0 before the first publish, is in es__exchange_writer:
 *   chain   the newest ticks, without what was published since es__mailbox_begin
 *   offer   the last one made
 *   held    slots that the reader may hold: a bit each
 *   slot    the one to write
 *   done    its state: ES__SLOT_
 *
 * What only the reader knows, 0 before the first acquire, is in es__exchange_reader:
 *   offer   the last one taken
 *   done    the state of its NEXT: ES__SLOT_
 *   chain   the ticks in the view */

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

/* The chain with one more tick, and at most this many in all. */
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

/* 0 of no offer. */
static inline unsigned es__offer_set(unsigned offer)
{
    return offer == 0 ? 0 : es__chain_set(offer) | 1U << es__offer_next(offer);
}

/* The chain that an offer shows, by the state of its NEXT. */
static inline unsigned es__offer_shows(unsigned offer, unsigned done, unsigned ticks)
{
    unsigned chain = es__offer_chain(offer);
    if (done == ES__SLOT_WRITTEN) {
        return chain;
    }
    return es__chain_push(chain, es__offer_next(offer), done == ES__SLOT_BEGINS ? 1 : ticks);
}

/* The first slot that is not in the set; the number of slots, if there is none. */
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
        const es__mailbox *mailbox, es__exchange_writer *writer, int taken)
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

static inline void es__mailbox_clear(const es__mailbox *mailbox, unsigned slot)
{
    es__mailbox_word *done = es__mailbox_done(mailbox, slot);
    ES_MAILBOX_STORE(done, (unsigned)ES__SLOT_WRITTEN, ES_MAILBOX_ORDER(relaxed));
}

/* After the last offer was taken: the reader does not write the word until there is another. */
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

/* Adds the last published slot to the chain. */
static inline void es__mailbox_push(const es__mailbox *mailbox, es__exchange_writer *writer)
{
    if (writer->done != ES__SLOT_WRITTEN) {
        unsigned most = writer->done == ES__SLOT_BEGINS ? 1 : mailbox->ticks;
        writer->chain = es__chain_push(writer->chain, writer->slot, most);
        writer->done = ES__SLOT_WRITTEN;
    }
}

/* Chooses writer->slot, and offers it with what was published. */
static inline void es__mailbox_begin(const es__mailbox *mailbox, es__exchange_writer *writer)
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

/* Makes the slot the newest tick. done: its word. */
static inline void es__mailbox_publish(
        es__exchange_writer *writer, es__mailbox_word *done, int continues)
{
    writer->done = continues ? ES__SLOT_CONTINUES : ES__SLOT_BEGINS;
    ES_MAILBOX_STORE(done, writer->done, ES_MAILBOX_ORDER_OF(ES_ORDER_PUBLISH));
}

/* --- the reader ----------------------------------------------------------------------------- */

/* The word that is 0 until there is something new. */
static inline es__mailbox_word *es__mailbox_watched(
        const es__mailbox *mailbox, const es__exchange_reader *reader)
{
    return reader->offer == 0 || reader->done != ES__SLOT_WRITTEN
                   ? mailbox->offer
                   : es__mailbox_done(mailbox, es__offer_next(reader->offer));
}

/* The offer; 0: there is none since the last one taken. The load alone orders nothing. */
static inline unsigned es__mailbox_take(const es__mailbox *mailbox)
{
    if (ES_MAILBOX_LOAD(mailbox->offer, ES_MAILBOX_ORDER(relaxed)) == 0) {
        return 0;
    }
    return ES_MAILBOX_EXCHANGE(mailbox->offer, 0U, ES_MAILBOX_ORDER_OF(ES_ORDER_TAKE));
}

/* Returns whether reader->chain is newer. It is not if only the offer's NEXT is new. */
static inline int es__mailbox_acquire(const es__mailbox *mailbox, es__exchange_reader *reader)
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
