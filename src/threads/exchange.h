/* SPDX-License-Identifier: Zlib
 *
 * exchange: passes the newest ticks of a state from one writer to one reader, as adjacent ticks of one
 * run. It is wait-free: no thread ever waits for the other, and the writer writes each state where the
 * reader reads it.
 *
 * The reader may miss states. The writer calls begin and publish, the reader acquire; init comes before
 * both start. The caller gives the memory, which must outlive the exchange. Nothing changes on an error.
 * docs/notes/threads.md has the protocol.
 */
#ifndef ES_THREADS_EXCHANGE_H
#define ES_THREADS_EXCHANGE_H

#include "evenstep/evenstep.h"

/* How many ticks are passed together, at most. */
#define ES_EXCHANGE_TICKS_MAX 4

/* Bytes between what two threads write: two lines of most caches, which are fetched in pairs, and
 * one of Apple's. States are aligned to 64 bytes. */
#define ES_EXCHANGE_LINE 128

/* What the writer says about a state; the reader gets it with the state. */
typedef struct es__exchange_tick {
    int64_t index;   /* es_step.index; 0 for an initial state */
    int64_t time_ns; /* es_step.time_ns: simulated time at its end */
    es_rate rate;    /* ticks per second; {0, 0}: steps vary */
    uint32_t
            generation; /* of the world; a new number after a seek or a reset: no blending across */
} es__exchange_tick;

/* The newest ticks by age. states[0] is the newest, states[1] the tick before it in the same
 * generation, and so on. Beyond count both arrays repeat the oldest tick, so that two can always be
 * blended. All are NULL while count is 0. */
typedef struct es__exchange_view {
    int64_t number; /* how many times something new was acquired */
    int32_t count;  /* ticks: 1 at first and in a new generation, up to ES_EXCHANGE_TICKS_MAX */
    const void *states[ES_EXCHANGE_TICKS_MAX];
    const es__exchange_tick *ticks[ES_EXCHANGE_TICKS_MAX];
} es__exchange_view;

/* Written by the writer only. Slots and offers: src/threads/exchange_mailbox.h. */
typedef struct es__exchange_writer {
    uint32_t chain, offer, held, slot, done;
    uint32_t generation;    /* of the last tick */
    int64_t index, time_ns; /* of the last tick */
    bool published;         /* there is a last tick */
    bool begun;             /* a state is being written */
} es__exchange_writer;

/* Written by the reader only. */
typedef struct es__exchange_reader {
    uint32_t offer, done, chain;
    es__exchange_view view;
} es__exchange_reader;

/* All fields are private. It must not be moved. */
typedef struct es__exchange {
    void *mailbox; /* an atomic word that both threads write */
    unsigned char *slots;
    size_t stride; /* bytes from slot to slot */
    uint32_t slot_count;
    int32_t ticks;
    unsigned char before_writer[ES_EXCHANGE_LINE]; /* no cache line is written by two threads */
    es__exchange_writer writer;
    unsigned char before_reader[ES_EXCHANGE_LINE];
    es__exchange_reader reader;
    unsigned char after_reader[ES_EXCHANGE_LINE];
} es__exchange;

#define ES__EXCHANGE_TICKS_MIN       2 /* to blend between two; 4 for splines */
#define ES__EXCHANGE_STATE_ALIGNMENT 64

/* {0} but for state_size: an exchange of pairs. */
typedef struct es__exchange_config {
    size_t state_size; /* bytes of one state, at least 1 */
    int32_t ticks;     /* passed together: ES__EXCHANGE_TICKS_MIN to _MAX; 0: 2 */
} es__exchange_config;

/* The bytes that an exchange needs, at any address; 0: the size does not fit size_t. For H ticks:
 * 256 bytes and 2 H + 2 states, each with 64 bytes more and rounded up to a multiple of 128. */
size_t es__exchange_memory_size(const es__exchange_config *config);

/* An exchange without ticks; all states are zeroed. memory: es__exchange_memory_size(config). */
void es__exchange_init(es__exchange *exchange, const es__exchange_config *config, void *memory);

/* The place for the next state: state_size bytes to be written whole, which hold an older state or
 * zeros. It is the same place until es__exchange_publish. previous, which may be NULL, receives the
 * last published state, to read only until then, or NULL before the first. */
void *es__exchange_begin(es__exchange *exchange, const void **previous);

/* Passes the written state on as the newest tick. It must not be written to any more.
 * tick: copied. In the last tick's generation its index is the next one and its time_ns is not
 * before the last one's. A new generation begins with one tick.
 * ES_ERR_INVALID: NULL, or a tick that does not follow; the state can still be published.
 * ES_ERR_STATE: no es__exchange_begin since the last. */
es_result es__exchange_publish(es__exchange *exchange, const es__exchange_tick *tick);

/* The newest ticks, always in the same view. Without a newer one, the view is unchanged. The states
 * and ticks in it are the reader's until the next call, which gives them back. */
const es__exchange_view *es__exchange_acquire(es__exchange *exchange);

#endif
