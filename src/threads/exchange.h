/* SPDX-License-Identifier: Zlib
 *
 * exchange: passes the newest ticks of a state to another thread.
 *
 * It serves one writer and one reader, who may miss states. The writer calls begin and publish, the
 * reader acquire; init comes before both start. The caller gives the memory, which must outlive the
 * exchange. Nothing changes on an error; ES_ERR_INVALID: a NULL or a value out of range.
 */
#ifndef ES_THREADS_EXCHANGE_H
#define ES_THREADS_EXCHANGE_H

#include "evenstep/exchange.h"

#define ES__EXCHANGE_TICKS_MIN       2 /* to blend between two; 4 for splines */
#define ES__EXCHANGE_STATE_ALIGNMENT 64

/* {0} but for state_size: a wait-free exchange of pairs. */
typedef struct es__exchange_config {
    size_t state_size; /* bytes of one state, at least 1 */
    int32_t ticks;     /* passed together: ES__EXCHANGE_TICKS_MIN to _MAX; 0: 2 */
    es_exchange_kind kind;
    es_lock lock; /* for ES_EXCHANGE_LOCKED: both functions */
} es__exchange_config;

/** Returns the bytes that an exchange needs, at any address; 0 if a field is out of range or the
 * size does not fit size_t.
 *
 * For H ticks: 256 bytes and 2 H + 2 states (locked: 3 H + 1), each with 64 bytes more and rounded
 * up to a multiple of 128.
 */
size_t es__exchange_memory_size(const es__exchange_config *config);

/** Makes an exchange without ticks; all states are zeroed.
 *
 * memory: at any address; memory_size: at least es__exchange_memory_size(config).
 * error: names the bad field or parameter; may be NULL.
 * Errors: ES_ERR_SPACE: memory_size is too small, or no memory could be large enough.
 */
es_result es__exchange_init(es_exchange *exchange, const es__exchange_config *config, void *memory,
        size_t memory_size, es_error *error);

/** Returns the place for the next state: state_size bytes to be written whole, which hold an older
 * state or zeros. It is the same place until es__exchange_publish.
 *
 * previous: receives the last published state, to read only, or NULL before the first; valid until
 *   es__exchange_publish. May be NULL.
 */
void *es__exchange_begin(es_exchange *exchange, const void **previous);

/** Passes the written state on as the newest tick. It must not be written to any more.
 *
 * Wait-free: a bounded number of instructions, whatever the reader does. Locked: holds the lock
 * while it copies config.ticks states.
 * tick: copied. In the last tick's generation its index is the next one and its time_ns is not
 *   before the last one's. A new generation begins with one tick.
 * Errors: ES_ERR_INVALID: NULL, or a tick that does not follow; the state can still be published.
 *   ES_ERR_STATE: no es__exchange_begin since the last.
 * Source: triple buffering, with a chain of slots in place of one (src/threads/exchange_mailbox.h).
 */
es_result es__exchange_publish(es_exchange *exchange, const es_exchange_tick *tick);

/** Returns the newest ticks, always in the same view. Without a newer one, the view is unchanged.
 *
 * The states and ticks in it are the reader's until the next call, which gives them back.
 * Wait-free: a bounded number of instructions, whatever the writer does. Locked: holds the lock
 * while it copies view->count states.
 */
const es_exchange_view *es__exchange_acquire(es_exchange *exchange);

#endif
