/* SPDX-License-Identifier: Zlib
 *
 * exchange: hand the newest adjacent ticks of a state to another thread.
 *
 * One thread runs ticks, another draws, each at a rate of its own. The one that draws blends two
 * states, and these must be ticks next to each other, in one run of the simulation: the latest
 * state and whatever was the latest a frame ago are not.
 *
 *   es_exchange_config config = {0};
 *   config.state_size = sizeof(world);
 *   es_exchange_init(&exchange, &config, memory, es_exchange_memory_size(&config), NULL);
 *
 *   // the thread of the ticks                     // the thread that draws
 *   const void *last;                              view = es_exchange_acquire(&exchange);
 *   world *next = es_exchange_begin(&exchange,     if (view->count > 0) {
 *           &last);                                    draw(mix(view->states[1], view->states[0],
 *   world_update(next, last, step.dt_s);                       alpha(view->ticks[1]->time_ns,
 *   tick.index = step.index;                                       view->ticks[0]->time_ns)));
 *   tick.time_ns = step.time_ns;                   }
 *   es_exchange_publish(&exchange, &tick);
 *
 * Two kinds behind the same calls:
 *   wait-free  the default. Neither side ever waits for the other, at any speed of either, and no
 *              state is copied: the writer writes each where the reader will read it. The reader's
 *              ticks are its own until it acquires again, however long that takes. What it costs:
 *              the slot to write holds what was written there some ticks ago, so every state is
 *              written whole; and memory for 2 H + 2 states, where H ticks are handed over.
 *   locked     what is done without it: two copies, each of the H newest states, an index that says
 *              which is live, and a lock that is held while copying. Here to be measured against.
 *
 * docs/threads.md has the protocol and its proofs.
 *
 * Not for: several readers or writers; every state in turn (a reader gets the newest, and misses
 * those in between); a queue of events.
 */
#ifndef EVENSTEP_EXCHANGE_H
#define EVENSTEP_EXCHANGE_H

#include "evenstep/lock.h"
#include "evenstep/time.h"

/* How many ticks can be handed over together: 2 to blend between two, 4 for splines. */
#define ES_EXCHANGE_TICKS_MIN 2
#define ES_EXCHANGE_TICKS_MAX 4

/* What two threads write lies this far apart: two lines of most caches, which are fetched in
 * pairs, and one of Apple's. States are aligned to ES_EXCHANGE_STATE_ALIGNMENT. */
#define ES_EXCHANGE_LINE            128
#define ES_EXCHANGE_STATE_ALIGNMENT 64

/* es_exchange_memory_size as a constant, for a type, wait-free. */
#define ES_EXCHANGE_SIZE(state, ticks)                                                             \
    ((size_t)ES_EXCHANGE_LINE * 2                                                                  \
            + (size_t)(2 * (ticks) + 2) * ((sizeof(state) + 64 + 127) / 128 * 128))

/* How the two sides keep out of each other's way. */
typedef enum es_exchange_kind {
    ES_EXCHANGE_WAIT_FREE = 0, /* six slots and a few atomic words, for a pair */
    ES_EXCHANGE_LOCKED = 1     /* two copies and a lock */
} es_exchange_kind;

/* {0} but for state_size is a wait-free exchange of pairs. Copied by es_exchange_init. */
typedef struct es_exchange_config {
    size_t state_size;     /* bytes of one state, at least 1 */
    int32_t ticks;         /* handed over together; 0: 2; ES_EXCHANGE_TICKS_MIN to _MAX */
    es_exchange_kind kind; /* 0: ES_EXCHANGE_WAIT_FREE */
    es_lock lock;          /* for ES_EXCHANGE_LOCKED: both functions; else it is not looked at */
} es_exchange_config;

/* What a state says about itself. The program fills it in and the reader gets it with the state. */
typedef struct es_exchange_tick {
    int64_t index;          /* of the tick: es_step.index; 0 for an initial state */
    int64_t time_ns;        /* simulated time at its end: es_step.time_ns */
    int64_t produced_at_ns; /* when it was made, on whatever clock the program reads; 0 is fine */
    es_rate rate;           /* exact ticks per second; {0, 0}: steps vary */
    uint32_t generation;    /* of the world: another number than the tick before has it says that
                               nothing is to be blended across: a teleport, a seek, a reset */
} es_exchange_tick;

/* What the reader has: the newest ticks by age. states[0] is the newest, states[1] the tick before
 * it, in the same generation, and so on. Beyond count both arrays repeat the oldest tick known, so
 * that two of them can always be blended; all are NULL while count is 0. */
typedef struct es_exchange_view {
    int64_t number; /* how many times something new was acquired; 0: nothing was published yet */
    int32_t count; /* ticks known: 1 at the beginning and in a new generation, up to config.ticks */
    const void *states[ES_EXCHANGE_TICKS_MAX];
    const es_exchange_tick *ticks[ES_EXCHANGE_TICKS_MAX];
} es_exchange_view;

/* The writer's own, in the exchange: whatever lies somewhere else the writer would have to wait for
 * after a large state, which has driven it out of the caches. Nothing to be read here. */
typedef struct es_exchange_writer {
    uint32_t chain; /* which slot is whose: src/exchange_mailbox.h */
    uint32_t offer;
    uint32_t held;
    uint32_t slot;
    int64_t taken; /* what es_exchange_taken says, as far as seen */
    /* Of the exchange a publish reads the next 32 bytes and nothing else. */
    uint32_t stage;      /* anything published yet; a state being written; what is special */
    uint32_t generation; /* of the last tick ... */
    int64_t index;       /* ... its index, and from the begin on the one that follows ... */
    int64_t time_ns;     /* ... and its time */
    void *tail;          /* behind the state that is being written */
    uint32_t done;
} es_exchange_writer;

/* The reader's own. */
typedef struct es_exchange_reader {
    const uint32_t *watched; /* 0 until there is something new; only by atomic operations */
    uint32_t offer;          /* which slot is whose: src/exchange_mailbox.h */
    uint32_t done;
    uint32_t chain;
    es_exchange_view view;
} es_exchange_reader;

/* Initialise with es_exchange_init; read nothing here, use the functions. Stays where it was
 * initialised. What both sides read does not change from then on, and what one of them writes keeps
 * its distance from all else. */
typedef struct es_exchange {
    void *mailbox; /* which both sides write */
    unsigned char *slots;
    size_t stride; /* from slot to slot, bytes */
    uint32_t slot_count;
    int32_t ticks;
    es_exchange_kind kind;
    size_t state_size;
    es_lock lock;
    unsigned char distance[ES_EXCHANGE_LINE];
    es_exchange_writer writer;
    unsigned char distance_too[ES_EXCHANGE_LINE];
    es_exchange_reader reader;
    unsigned char beyond[ES_EXCHANGE_LINE];
} es_exchange;

#ifdef __cplusplus
extern "C" {
#endif

/** How much memory an exchange takes.
 *
 * For H ticks: wait-free 2 H + 2 states, locked 3 H + 1, each with 64 bytes more (its
 * es_exchange_tick's), rounded up to a multiple of 128; and 256 bytes. What aligns them within any
 * memory is included.
 * config: not NULL; its lock is not looked at.
 * Returns: bytes; 0 when that does not fit size_t, or a field is out of its range.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: any thread.
 */
ES_API size_t es_exchange_memory_size(const es_exchange_config *config);

/** Starts an exchange in which nothing is published yet, all states zeroed.
 *
 * exchange: the caller's; not NULL.
 * config: not NULL.
 * memory: at any address: states in it lie at multiples of ES_EXCHANGE_STATE_ALIGNMENT.
 * memory_size: its bytes: at least es_exchange_memory_size(config).
 * error: names the field, or the parameter, when it is refused; may be NULL.
 * Returns: ES_OK, or an error and an unchanged exchange and memory.
 * Errors: ES_ERR_INVALID: a NULL or a field out of its range. ES_ERR_SPACE: memory_size is too
 *   small, or no memory could be large enough.
 * Ownership: borrows memory, and what config.lock points to, until the exchange is no longer used;
 *   frees nothing.
 * Threads: one thread, before the two sides start.
 */
ES_API es_result es_exchange_init(es_exchange *exchange, const es_exchange_config *config,
        void *memory, size_t memory_size, es_error *error);

/** The writer's: a place for the next state, and the last one to make it from.
 *
 * exchange: initialised.
 * previous: receives the state that was published last, or NULL before the first; not to be written
 *   to. May be NULL.
 * Returns: state_size bytes, to be written whole: in them is some older state, or zeros. The same
 *   place until es_exchange_publish. Wait-free, it is where the reader will read it.
 * Errors: none.
 * Ownership: points into the exchange's memory; both pointers are good until es_exchange_publish.
 * Threads: the writer's.
 */
ES_API void *es_exchange_begin(es_exchange *exchange, const void **previous);

/** The writer's: es_exchange_publish as a function to be called, for other languages.
 *
 * exchange: initialised.
 * tick: as for es_exchange_publish.
 * Returns: as es_exchange_publish.
 * Errors: as es_exchange_publish.
 * Ownership: as for es_exchange_publish.
 * Threads: as for es_exchange_publish.
 */
ES_API es_result es_exchange_publish_call(es_exchange *exchange, const es_exchange_tick *tick);

/** The writer's: hands over the state that was written, as the newest tick.
 *
 * It continues the ticks before it if it is of their generation. A new generation begins with one
 * tick: the reader sees it alone, or at the latest with those after it.
 * exchange: initialised.
 * tick: whose state it is; not NULL. Within a generation its index is the last one's plus one, and
 *   its time_ns not before the last one's.
 * Returns: ES_OK, or an error and nothing handed over: the state can still be published.
 * Errors: ES_ERR_INVALID: tick is NULL or no successor: a tick was left out or came twice, or a
 *   leap has no generation of its own. ES_ERR_STATE: no es_exchange_begin since the last.
 * Ownership: keeps a copy of tick. The state is no longer to be written to; it can be read, as
 *   previous of the next es_exchange_begin.
 * Threads: the writer's. Wait-free: a bounded number of instructions, whatever the reader does and
 *   however large a state is. Locked: holds the lock while it copies config.ticks states.
 * Source: triple buffering, with a chain of slots in the place of one, and offered before the
 *   publish (src/exchange_mailbox.h).
 */
static inline es_result es_exchange_publish(es_exchange *exchange, const es_exchange_tick *tick)
{
#if defined(__GNUC__) /* after a large state both have to be fetched: what it reads, and its code */
    __builtin_prefetch(&exchange->writer.stage, 1);
#endif
    return es_exchange_publish_call(exchange, tick);
}

/** The writer's: how many of the published states have been the reader's newest.
 *
 * exchange: initialised.
 * Returns: as many as the reader's es_exchange_view.number says, or did a moment ago. Less than was
 *   published by as many as were replaced before the reader came.
 * Errors: none.
 * Ownership: a plain value.
 * Threads: the writer's.
 */
ES_API int64_t es_exchange_taken(const es_exchange *exchange);

/** The reader's: es_exchange_acquire as a function to be called, for other languages.
 *
 * exchange: initialised.
 * Returns: as es_exchange_acquire.
 * Errors: none.
 * Ownership: as for es_exchange_acquire.
 * Threads: as for es_exchange_acquire.
 */
ES_API const es_exchange_view *es_exchange_acquire_call(es_exchange *exchange);

/** The reader's: the newest ticks.
 *
 * What was acquired before is given back if there is something new, and else returned again: then
 * number is the same.
 * exchange: initialised.
 * Returns: the ticks, not NULL; count is 0 before the first publish.
 * Errors: none.
 * Ownership: points into the exchange; the view is always the same one. Its states and ticks, in
 *   the exchange's memory, are the reader's until the next acquire, and nobody writes to them.
 * Threads: the reader's. Wait-free: a bounded number of instructions, whatever the writer does; two
 *   loads where there is nothing new. Locked: holds the lock while it copies view->count states.
 * Source: as for es_exchange_publish.
 */
static inline const es_exchange_view *es_exchange_acquire(es_exchange *exchange)
{
#if defined(__GNUC__) /* clang, too; others look in the call */
    if (__builtin_expect(__atomic_load_n(exchange->reader.watched, __ATOMIC_RELAXED) == 0, 1)) {
        return &exchange->reader.view;
    }
#endif
    return es_exchange_acquire_call(exchange);
}

#ifdef __cplusplus
}
#endif

#endif
