/* SPDX-License-Identifier: Zlib
 *
 * The wait-free mailbox of the exchange, and nothing else: which slot is whose. The proofs compile
 * this very file: proofs/exchange.pml runs its arithmetic, proofs/exchange_relacy.cpp also its
 * atomic operations with their memory orders. So it is written in what C and C++98 have in common.
 *
 * A CHAIN is the newest ticks as a number: their slots by age, newest first, and how many there
 * are. One word holds the newest chain and a flag, FRESH: set while the reader has not taken it.
 *
 *   writer  fills a slot that is nobody's; word <- new chain, FRESH; looks at what was there
 *   reader  if FRESH: word <- 0; the chain that was there is the reader's until it takes another
 *
 * If the writer finds FRESH, the reader has not come since: what it had it still has. If not, it
 * has taken the last chain, and let go of the one before. So the writer knows of every slot whose
 * it can be: `held` is what the reader took last, `published` lies in the mailbox or has been taken
 * since. Each has up to H slots, one more is written: 2 H + 1, and a free one is always there.
 * In the beginning the word and the writer's part are 0: a chain without slots, in the mailbox and
 * with the reader. That is so, and the first publish finds it.
 *
 * Source of the scheme for single values: triple buffering, as in crates triple_buffer and cubeb.
 */
#ifndef ES_EXCHANGE_MAILBOX_H
#define ES_EXCHANGE_MAILBOX_H

/* The memory orders. Publish and take both give and get: the writer gives the state that it wrote
 * and gets back slots that the reader is done with; the reader the other way round. Looking at the
 * flag gives and gets nothing: what follows it does. */
#ifndef ES_ORDER_PUBLISH
#define ES_ORDER_PUBLISH acq_rel
#endif
#ifndef ES_ORDER_TAKE
#define ES_ORDER_TAKE acq_rel
#endif
#ifndef ES_ORDER_LOOK
#define ES_ORDER_LOOK relaxed
#endif

/* A proof brings atomics of its own. */
#ifndef ES_MAILBOX_WORD
#include <stdatomic.h>
#define ES_MAILBOX_WORD                         atomic_uint
#define ES_MAILBOX_ORDER(name)                  memory_order_##name
#define ES_MAILBOX_LOAD(word, order)            atomic_load_explicit(word, order)
#define ES_MAILBOX_EXCHANGE(word, value, order) atomic_exchange_explicit(word, value, order)
#endif
#define ES_MAILBOX_ORDER_OF(name) ES_MAILBOX_ORDER(name)

typedef ES_MAILBOX_WORD es__mailbox_word;

/* Four slots of four bits, their number, the flag. */
enum {
    ES__CHAIN_TICKS_MAX = 4,
    ES__CHAIN_SLOT_BITS = 4,
    ES__CHAIN_SLOT_MASK = 15,
    ES__CHAIN_COUNT_SHIFT = 16,
    ES__CHAIN_COUNT_MASK = 7,
    ES__CHAIN_FRESH = 1 << 20
};

/* What only the writer knows. Zero, before the first publish. */
typedef struct es__mailbox_writer {
    unsigned published; /* the newest chain: in the mailbox, or taken since */
    unsigned held;      /* what the reader took last, as far as is known */
    unsigned slot;      /* in neither: the one to write */
} es__mailbox_writer;

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

/* The first of so many slots that is not in the set; their number, if there is none. */
static inline unsigned es__free_slot(unsigned set, unsigned slots)
{
    unsigned slot = 0;
    while (slot < slots && (set >> slot & 1) != 0) {
        slot += 1;
    }
    return slot;
}

/* After a publish: what was in the word tells what the reader did. True: it had taken the chain
 * that was published before. */
static inline int es__mailbox_settle(
        es__mailbox_writer *writer, unsigned chain, unsigned before, unsigned slots)
{
    int taken = (before & ES__CHAIN_FRESH) == 0;
    if (taken) {
        writer->held = writer->published;
    }
    writer->published = chain;
    writer->slot = es__free_slot(es__chain_set(writer->held) | es__chain_set(chain), slots);
    return taken;
}

/* The three operations on the word. Publish: returns what was there. */
static inline unsigned es__mailbox_publish(es__mailbox_word *word, unsigned chain)
{
    return ES_MAILBOX_EXCHANGE(
            word, chain | ES__CHAIN_FRESH, ES_MAILBOX_ORDER_OF(ES_ORDER_PUBLISH));
}

static inline int es__mailbox_is_fresh(es__mailbox_word *word)
{
    return (ES_MAILBOX_LOAD(word, ES_MAILBOX_ORDER_OF(ES_ORDER_LOOK)) & ES__CHAIN_FRESH) != 0;
}

/* The reader's, and only when fresh: the newest chain. */
static inline unsigned es__mailbox_take(es__mailbox_word *word)
{
    return ES_MAILBOX_EXCHANGE(word, 0U, ES_MAILBOX_ORDER_OF(ES_ORDER_TAKE))
           & ~(unsigned)ES__CHAIN_FRESH;
}

#endif
