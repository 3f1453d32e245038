/* SPDX-License-Identifier: Zlib
 *
 * exchange: how states of an es_threaded cross from the thread of the ticks to the one that draws,
 * as adjacent ticks of one run. Two kinds:
 *   wait-free  the default. No thread ever waits for the other, and no state is copied: the writer
 *              writes each state where the reader reads it. The reader's ticks stay valid until its
 *              next frame. For H ticks it takes the memory of 2 H + 2 states.
 *   locked     two copies of the H newest states, an index of the live one, and a lock held while
 *              copying: for comparison.
 *
 * The reader may miss states. docs/notes/threads.md has the protocol.
 */
#ifndef EVENSTEP_EXCHANGE_H
#define EVENSTEP_EXCHANGE_H

#include "evenstep/evenstep.h"
#include "evenstep/lock.h"

/* How many ticks are passed together, at most. */
#define ES_EXCHANGE_TICKS_MAX 4

/* Bytes between what two threads write: two lines of most caches, which are fetched in pairs, and
 * one of Apple's. States are aligned to 64 bytes. */
#define ES_EXCHANGE_LINE 128

typedef enum es_exchange_kind {
    ES_EXCHANGE_WAIT_FREE = 0,
    ES_EXCHANGE_LOCKED = 1
} es_exchange_kind;

/* What the writer says about a state; the reader gets it with the state. */
typedef struct es_exchange_tick {
    int64_t index;   /* es_step.index; 0 for an initial state */
    int64_t time_ns; /* es_step.time_ns: simulated time at its end */
    es_rate rate;    /* ticks per second; {0, 0}: steps vary */
    uint32_t
            generation; /* of the world; a new number after a seek or a reset: no blending across */
} es_exchange_tick;

/* The newest ticks by age. states[0] is the newest, states[1] the tick before it in the same
 * generation, and so on. Beyond count both arrays repeat the oldest tick, so that two can always be
 * blended. All are NULL while count is 0. */
typedef struct es_exchange_view {
    int64_t number; /* how many times something new was acquired */
    int32_t count;  /* ticks: 1 at first and in a new generation, up to ES_EXCHANGE_TICKS_MAX */
    const void *states[ES_EXCHANGE_TICKS_MAX];
    const es_exchange_tick *ticks[ES_EXCHANGE_TICKS_MAX];
} es_exchange_view;

/* Written by the writer only. Slots and offers: src/threads/exchange_mailbox.h. */
typedef struct es_exchange_writer {
    uint32_t chain, offer, held, slot, done;
    uint32_t generation;    /* of the last tick */
    int64_t index, time_ns; /* of the last tick */
    bool published;         /* there is a last tick */
    bool begun;             /* a state is being written */
} es_exchange_writer;

/* Written by the reader only. */
typedef struct es_exchange_reader {
    uint32_t offer, done, chain;
    es_exchange_view view;
} es_exchange_reader;

/* All fields are private. It must not be moved. */
typedef struct es_exchange {
    void *mailbox; /* written by both threads */
    unsigned char *slots;
    size_t stride; /* bytes from slot to slot */
    uint32_t slot_count;
    int32_t ticks;
    es_exchange_kind kind;
    size_t state_size;
    es_lock lock;
    unsigned char before_writer[ES_EXCHANGE_LINE]; /* no cache line is written by two threads */
    es_exchange_writer writer;
    unsigned char before_reader[ES_EXCHANGE_LINE];
    es_exchange_reader reader;
    unsigned char after_reader[ES_EXCHANGE_LINE];
} es_exchange;

#endif
