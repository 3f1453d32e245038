/* SPDX-License-Identifier: Zlib
 *
 * exchange_mailbox.h, which the proofs compile, decides which slot is whose; here are the states in
 * the slots.
 *
 * In the caller's memory are the mailbox, then slots, each a state and behind it its tick and whether it
 * is done. Each is at a multiple of ES_EXCHANGE_LINE, so that only the mailbox's line is written by both
 * threads.
 */
#include "exchange.h"

#include <stddef.h>
#include <string.h>

#include "base/atomics.h"
#include "base/common.h"
#include "exchange_mailbox.h"

#define LINE ((size_t)ES_EXCHANGE_LINE)

/* Behind a state. */
typedef struct es__exchange_tail {
    es__exchange_tick tick;
    es__mailbox_word done; /* ES__SLOT_ */
} es__exchange_tail;

#if ATOMIC_INT_LOCK_FREE != 2
#error "the exchange is wait-free only where int is always lock-free"
#endif
_Static_assert(ES__CHAIN_TICKS_MAX == ES_EXCHANGE_TICKS_MAX, "the same limit");
_Static_assert(ES__MAILBOX_SLOTS_MAX <= ES__CHAIN_SLOT_MASK, "slots are four bits");
_Static_assert(sizeof(es__exchange_tail) <= ES__EXCHANGE_STATE_ALIGNMENT, "layout");

/* --- memory --------------------------------------------------------------------------------- */

static int32_t ticks_of(const es__exchange_config *config)
{
    return config->ticks != 0 ? config->ticks : ES__EXCHANGE_TICKS_MIN;
}

/* A state, and the 64 bytes behind it for its tick; 0: that does not fit size_t. */
static size_t stride_of(size_t state_size)
{
    size_t most = SIZE_MAX - ES__EXCHANGE_STATE_ALIGNMENT - (LINE - 1);
    size_t size = state_size + ES__EXCHANGE_STATE_ALIGNMENT;
    return state_size > most ? 0 : (size + LINE - 1) / LINE * LINE;
}

static unsigned slots_of(const es__exchange_config *config)
{
    return 2 * (unsigned)ticks_of(config) + 2;
}

/* With one LINE more than is used, for the alignment within the memory. */
size_t es__exchange_memory_size(const es__exchange_config *config)
{
    size_t stride = stride_of(config->state_size);
    unsigned slots = slots_of(config);
    size_t control = 2 * LINE; /* the mailbox's */
    if (stride == 0 || stride > (SIZE_MAX - control) / slots) {
        return 0;
    }
    return control + slots * stride;
}

static es__exchange_tail *slot_tail(const es__exchange *exchange, unsigned slot)
{
    unsigned char *end = exchange->slots + exchange->stride * (slot + (size_t)1);
    return (es__exchange_tail *)(void *)(end - ES__EXCHANGE_STATE_ALIGNMENT);
}

static void *slot_state(const es__exchange *exchange, unsigned slot)
{
    return exchange->slots + exchange->stride * slot;
}

/* Writes a newer chain into the view. */
static const es__exchange_view *show_chain(es__exchange *exchange, unsigned chain)
{
    es__exchange_view *view = &exchange->reader.view;
    unsigned count = es__chain_count(chain);
    view->number += 1;
    view->count = (int32_t)count;
    for (unsigned age = 0; age < ES_EXCHANGE_TICKS_MAX; ++age) {
        unsigned slot = es__chain_slot(chain, age < count ? age : count - 1);
        view->states[age] = slot_state(exchange, slot);
        view->ticks[age] = &slot_tail(exchange, slot)->tick;
    }
    return view;
}

static es__mailbox words_of(const es__exchange *exchange)
{
    return (es__mailbox){
            .offer = exchange->mailbox,
            .done = exchange->slots + exchange->stride - ES__EXCHANGE_STATE_ALIGNMENT
                    + offsetof(es__exchange_tail, done),
            .stride = exchange->stride,
            .slots = exchange->slot_count,
            .ticks = (unsigned)exchange->ticks,
    };
}

void es__exchange_init(es__exchange *exchange, const es__exchange_config *config, void *memory)
{
    size_t skip = (LINE - (uintptr_t)memory % LINE) % LINE;
    unsigned char *lines = (unsigned char *)memory + skip;
    memset(memory, 0, es__exchange_memory_size(config));
    *exchange = (es__exchange){
            .mailbox = lines,
            .slots = lines + LINE,
            .stride = stride_of(config->state_size),
            .slot_count = slots_of(config),
            .ticks = ticks_of(config),
    };
}

#if ES__ASSERTS
/* The slot that is written is neither the reader's nor one of the newest ticks, whose slots are apart. */
static void check_writer(const es__exchange *exchange)
{
    const es__exchange_writer *writer = &exchange->writer;
    unsigned set = es__chain_set(writer->chain);
    ES__ASSERT_IS(writer->slot, <, exchange->slot_count);
    ES__ASSERT_IS(es__count_bits(set), ==, es__chain_count(writer->chain));
    ES__ASSERT(((writer->held | set) >> writer->slot & 1) == 0, writer->slot, writer->held);
    ES__ASSERT_IS(es__offer_chain(writer->offer), ==, writer->chain);
}

/* Its ticks follow each other. */
static void check_view(const es__exchange *exchange, const es__exchange_view *view)
{
    ES__ASSERT_IN(view->count, 0, exchange->ticks);
    for (int32_t i = 0; i + 1 < view->count; ++i) {
        const es__exchange_tick *newer = view->ticks[i], *older = view->ticks[i + 1];
        ES__ASSERT_IS(newer->index, ==, older->index + 1);
        ES__ASSERT(newer->time_ns >= older->time_ns && newer->generation == older->generation, i);
    }
}
#endif

/* --- the writer ----------------------------------------------------------------------------- */

void *es__exchange_begin(es__exchange *exchange, const void **previous)
{
    es__exchange_writer *writer = &exchange->writer;
    if (!writer->begun) {
        es__mailbox words = words_of(exchange);
        es__mailbox_begin(&words, writer);
    }
    writer->begun = true;
    ES__CHECK(check_writer(exchange));
    if (previous != NULL) {
        const unsigned newest = es__chain_slot(writer->chain, 0);
        *previous = writer->published ? slot_state(exchange, newest) : NULL;
    }
    return slot_state(exchange, writer->slot);
}

es_result es__exchange_publish(es__exchange *exchange, const es__exchange_tick *tick)
{
    es__exchange_writer *writer = &exchange->writer;
    if (tick == NULL) {
        return ES_ERR_INVALID;
    }
    if (!writer->begun) {
        return ES_ERR_STATE;
    }
    bool continues = writer->published && tick->generation == writer->generation;
    bool follows = writer->index < INT64_MAX && tick->index == writer->index + 1
                   && tick->time_ns >= writer->time_ns;
    if (continues && !follows) {
        return ES_ERR_INVALID;
    }
    ES__CHECK(check_writer(exchange));
    slot_tail(exchange, writer->slot)->tick = *tick;
    writer->generation = tick->generation;
    writer->index = tick->index;
    writer->time_ns = tick->time_ns;
    writer->published = true;
    writer->begun = false;
    es__mailbox_publish(writer, &slot_tail(exchange, writer->slot)->done, continues);
    return ES_OK;
}

/* --- the reader ----------------------------------------------------------------------------- */

const es__exchange_view *es__exchange_acquire(es__exchange *exchange)
{
    es__exchange_reader *reader = &exchange->reader;
    es__mailbox words = words_of(exchange);
    es__mailbox_word *watched = es__mailbox_watched(&words, reader);
    if (ES_MAILBOX_LOAD(watched, memory_order_relaxed) == 0
            || !es__mailbox_acquire(&words, reader)) {
        return &reader->view;
    }
    const es__exchange_view *view = show_chain(exchange, reader->chain);
    ES__CHECK(check_view(exchange, view));
    return view;
}
