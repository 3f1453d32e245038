/* SPDX-License-Identifier: Zlib
 *
 * The wait-free kind, and what both have in common. Whose slot is whose is decided in
 * exchange_mailbox.h, which the proofs compile; here are the states that lie in the slots.
 */
#include "evenstep/exchange.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/common.h"
#include "exchange_parts.h"

#define LINE ((size_t)ES_EXCHANGE_LINE)

#if ATOMIC_INT_LOCK_FREE != 2
#error "the exchange is wait-free only where int is always lock-free"
#endif
_Static_assert(sizeof(es__mailbox_word) == sizeof(uint32_t), "es_exchange_acquire looks at it");
_Static_assert(ES__CHAIN_TICKS_MAX == ES_EXCHANGE_TICKS_MAX, "one limit, twice");
_Static_assert(ES__MAILBOX_SLOTS_MAX <= ES__CHAIN_SLOT_MASK, "slots are four bits");
_Static_assert(sizeof(es__exchange_mailbox) <= ES_EXCHANGE_LINE, "layout");
_Static_assert(sizeof(es__exchange_tail) <= ES_EXCHANGE_STATE_ALIGNMENT, "layout");
_Static_assert(sizeof(es_exchange_writer) <= 64, "one line, or two");
_Static_assert(3 * ES_EXCHANGE_TICKS_MAX <= ES__CHAIN_SLOT_MASK, "locked slots in a chain");

/* --- memory --------------------------------------------------------------------------------- */

static int32_t ticks_of(const es_exchange_config *config)
{
    return config->ticks != 0 ? config->ticks : ES_EXCHANGE_TICKS_MIN;
}

static const char *exchange_refused_field(const es_exchange_config *config, const char **reason)
{
    int32_t ticks = ticks_of(config);
    if (config->state_size == 0) {
        *reason = "is 0: a state has at least 1 byte";
        return "state_size";
    }
    if (ticks < ES_EXCHANGE_TICKS_MIN || ticks > ES_EXCHANGE_TICKS_MAX) {
        *reason = "is neither 0 nor 2 to 4";
        return "ticks";
    }
    if (config->kind != ES_EXCHANGE_WAIT_FREE && config->kind != ES_EXCHANGE_LOCKED) {
        *reason = "is no es_exchange_kind";
        return "kind";
    }
    return NULL;
}

/* The 64 bytes behind a state are its tick's. And so states of whole pages do not all begin at the
 * same place of a page, where processors take a load from one for a load of what was just stored in
 * the other. */
static size_t stride_of(size_t state_size)
{
    size_t most = SIZE_MAX - ES_EXCHANGE_STATE_ALIGNMENT - (LINE - 1);
    size_t size = state_size + ES_EXCHANGE_STATE_ALIGNMENT;
    return state_size > most ? 0 : (size + LINE - 1) / LINE * LINE;
}

static unsigned slots_of(const es_exchange_config *config)
{
    unsigned ticks = (unsigned)ticks_of(config);
    return config->kind == ES_EXCHANGE_LOCKED ? es__locked_slots(ticks) : 2 * ticks + 2;
}

/* One line more than is used: the first multiple of LINE in the memory may lie so far in. */
size_t es_exchange_memory_size(const es_exchange_config *config)
{
    const char *reason;
    if (exchange_refused_field(config, &reason) != NULL) {
        return 0;
    }
    size_t stride = stride_of(config->state_size);
    unsigned slots = slots_of(config);
    size_t control = 2 * LINE; /* the mailbox's */
    if (stride == 0 || stride > (SIZE_MAX - control) / slots) {
        return 0;
    }
    return control + slots * stride;
}

static es_result check(const es_exchange *exchange, const es_exchange_config *config,
        const void *memory, size_t memory_size, es_error *error)
{
    const char *reason = NULL;
    if (exchange == NULL || config == NULL || memory == NULL) {
        const char *name = exchange == NULL ? "exchange" : config == NULL ? "config" : "memory";
        return es__refuse(error, name, "is NULL");
    }
    const char *field = exchange_refused_field(config, &reason);
    if (field != NULL) {
        return es__refuse(error, field, reason);
    }
    if (config->kind == ES_EXCHANGE_LOCKED
            && (config->lock.lock == NULL || config->lock.unlock == NULL)) {
        return es__refuse(error, "lock", "has not both functions, and kind is locked");
    }
    size_t needed = es_exchange_memory_size(config);
    if (needed == 0) {
        return es__refuse_as(error, ES_ERR_SPACE, "state_size", "is more than memory can hold");
    }
    if (memory_size < needed) {
        return es__refuse_as(
                error, ES_ERR_SPACE, "memory_size", "is under es_exchange_memory_size");
    }
    return es__refuse_as(error, ES_OK, NULL, NULL);
}

static bool is_locked(const es_exchange *exchange)
{
    return exchange->kind == ES_EXCHANGE_LOCKED;
}

/* Where whose slot is whose is decided. */
static es__mailbox words_of(const es_exchange *exchange)
{
    es__mailbox words = {
            .offer = &es__mailbox_of(exchange)->offer,
            .done = (unsigned char *)&es__slot_tail(exchange, 0)->done,
            .stride = exchange->stride,
            .slots = exchange->slot_count,
            .ticks = (unsigned)exchange->ticks,
    };
    return words;
}

static void watch(es_exchange *exchange, es__mailbox_word *word)
{
    exchange->reader.watched = (const uint32_t *)(const void *)word;
}

es_result es_exchange_init(es_exchange *exchange, const es_exchange_config *config, void *memory,
        size_t memory_size, es_error *error)
{
    es_result result = check(exchange, config, memory, memory_size, error);
    if (result != ES_OK) {
        return result;
    }
    size_t skip = (LINE - (uintptr_t)memory % LINE) % LINE;
    unsigned char *lines = (unsigned char *)memory + skip;
    memset(memory, 0, es_exchange_memory_size(config));
    *exchange = (es_exchange){
            .mailbox = lines,
            .slots = lines + LINE,
            .stride = stride_of(config->state_size),
            .slot_count = slots_of(config),
            .ticks = ticks_of(config),
            .kind = config->kind,
            .state_size = config->state_size,
            .lock = config->lock,
    };
    es__exchange_mailbox *mailbox = es__mailbox_of(exchange);
    atomic_init(&mailbox->news, 1U);
    watch(exchange, is_locked(exchange) ? &mailbox->news : &mailbox->offer);
    return ES_OK;
}

/* --- the writer ----------------------------------------------------------------------------- */

/* es_exchange_writer.stage: bits. LAST: no index follows on that of the last tick. */
enum { PUBLISHED = 1, BEGUN = 2, LOCKED = 4, LAST = 8 };

/* What was published last. */
static const void *exchange_newest(const es_exchange *exchange)
{
    const es_exchange_writer *writer = &exchange->writer;
    if ((writer->stage & PUBLISHED) == 0) {
        return NULL;
    }
    return is_locked(exchange) ? es__locked_newest(exchange)
                               : es__slot_state(exchange, es__chain_slot(writer->chain, 0));
}

static uint32_t taken_since(const es_exchange *exchange)
{
    es__exchange_mailbox *mailbox = es__mailbox_of(exchange);
    uint32_t taken = ES_MAILBOX_LOAD(&mailbox->taken, memory_order_relaxed);
    return taken - (uint32_t)exchange->writer.taken;
}

static void begin(es_exchange *exchange)
{
    es_exchange_writer *writer = &exchange->writer;
    if (is_locked(exchange)) {
        writer->slot = es__locked_slot_to_write(exchange);
    } else {
        es__mailbox words = words_of(exchange);
        es__mailbox_begin(&words, writer);
    }
    writer->tail = es__slot_tail(exchange, writer->slot);
    es__prefetch(writer->tail); /* while the state is written */
    writer->taken += taken_since(exchange);
    writer->index = (int64_t)((uint64_t)writer->index + 1); /* here, where nothing waits for it */
    writer->stage |= is_locked(exchange) ? BEGUN | LOCKED : BEGUN;
    writer->stage |= writer->index == INT64_MIN ? LAST : 0;
}

void *es_exchange_begin(es_exchange *exchange, const void **previous)
{
    if ((exchange->writer.stage & BEGUN) == 0) {
        begin(exchange);
    }
    if (previous != NULL) {
        *previous = exchange_newest(exchange);
    }
    return es__slot_state(exchange, exchange->writer.slot);
}

/* Whatever is not the next tick of a wait-free exchange. */
static es_result publish_other(es_exchange *exchange, const es_exchange_tick *tick)
{
    es_exchange_writer *writer = &exchange->writer;
    uint32_t stage = writer->stage;
    if (tick == NULL) {
        return ES_ERR_INVALID;
    }
    if ((stage & BEGUN) == 0) {
        return ES_ERR_STATE;
    }
    bool continues = (stage & PUBLISHED) != 0 && tick->generation == writer->generation;
    bool follows = tick->index == writer->index && tick->time_ns >= writer->time_ns;
    if (continues && (!follows || (stage & LAST) != 0)) {
        return ES_ERR_INVALID;
    }
    es__exchange_tail *tail = writer->tail;
    tail->tick = *tick;
    writer->generation = tick->generation;
    writer->index = tick->index;
    writer->time_ns = tick->time_ns;
    writer->stage = PUBLISHED;
    if ((stage & LOCKED) != 0) {
        es__locked_publish(exchange, continues);
    } else {
        es__mailbox_publish(writer, &tail->done, continues);
    }
    return ES_OK;
}

/* After a large state or a sleep each line that this reads is awaited, of code as well. So the next
 * tick, which nearly every one is, takes 32 bytes of the exchange, asked for before the call, and
 * two lines of code, and its conditions are as few branches as can be: after a sleep they are
 * guessed wrong. */
es_result es_exchange_publish_call(es_exchange *exchange, const es_exchange_tick *tick)
{
    es_exchange_writer *writer = &exchange->writer;
    if (tick != NULL) {
        uint64_t differs = (writer->stage ^ (PUBLISHED | BEGUN))
                           | (writer->generation ^ tick->generation)
                           | ((uint64_t)writer->index ^ (uint64_t)tick->index);
        if (differs == 0 && tick->time_ns >= writer->time_ns) {
            es__exchange_tail *tail = writer->tail;
            tail->tick = *tick;
            writer->time_ns = tick->time_ns;
            writer->stage = PUBLISHED;
            es__mailbox_publish(writer, &tail->done, true);
            return ES_OK;
        }
    }
    return publish_other(exchange, tick);
}

int64_t es_exchange_taken(const es_exchange *exchange)
{
    return exchange->writer.taken + taken_since(exchange);
}

/* --- the reader ----------------------------------------------------------------------------- */

const es_exchange_view *es_exchange_acquire_call(es_exchange *exchange)
{
    if (is_locked(exchange)) {
        return es__locked_acquire(exchange);
    }
    es__mailbox words = words_of(exchange);
    bool is_newer = es__mailbox_acquire(&words, &exchange->reader);
    watch(exchange, es__mailbox_watched(&words, &exchange->reader));
    return is_newer ? es__exchange_show(exchange, exchange->reader.chain) : &exchange->reader.view;
}
