/* SPDX-License-Identifier: Zlib
 *
 * The memory orders of the wait-free exchange, for Relacy: one writer and one reader in every order
 * and with every value that C's memory model lets an atomic operation see, and a report of each
 * access to a state that is not ordered with the other side's. scripts/proofs builds and runs it.
 *
 *   c++ -std=gnu++98 -I src -I include proofs/exchange_relacy.cpp     (Relacy's own standard)
 *
 * The mailbox is the library's: src/exchange_mailbox.h, compiled here with Relacy's atomics, so its
 * operations, their sequence and their memory orders are those that are shipped. What is around
 * them is that of src/exchange.c under the same names. -D ES_ORDER_PUBLISH=relaxed and the like are
 * mistakes that must be found.
 *
 * All executions are many: so with -D SWITCHES=N those in which the threads are switched up to N
 * times where neither has to be, with every value that can be seen; with -D RANDOM=N, N at random.
 *
 * Prints the number of executions; exits 1 where one is wrong.
 */
#include <relacy/relacy.hpp>

#include <cstdio>

#define ES_MAILBOX_WORD                         rl::atomic<unsigned>
#define ES_MAILBOX_ORDER(name)                  rl::mo_##name
#define ES_MAILBOX_LOAD(word, order)            (*(word))($).load(order)
#define ES_MAILBOX_STORE(word, value, order)    (*(word))($).store(value, order)
#define ES_MAILBOX_EXCHANGE(word, value, order) (*(word))($).exchange(value, order)
#define ES_MAILBOX_COMPARE(word, expected, value, order, failed)                                   \
    (*(word))($).compare_exchange_strong(*(expected), value, order, failed)
#include "exchange_mailbox.h"

#ifndef TICKS
#define TICKS 2
#endif
#ifndef PUBLISHES
#define PUBLISHES 5
#endif
#ifndef ACQUIRES
#define ACQUIRES 4
#endif
#define SLOTS (2 * TICKS + 2)

/* From this tick on it is another generation. */
#define NEW_GENERATION 3

struct exchange : rl::test_suite<exchange, 2> {
    es__mailbox_word offer;
    es__mailbox_word done[SLOTS];
    es__mailbox mailbox;

    /* es_exchange_tick, and a state of one number */
    rl::var<int> index[SLOTS];
    rl::var<int> generation[SLOTS];
    rl::var<int> state[SLOTS];

    /* es_exchange_init */
    void before()
    {
        mailbox.offer = &offer;
        mailbox.done = (unsigned char *)&done[0];
        mailbox.stride = sizeof done[0];
        mailbox.slots = SLOTS;
        mailbox.ticks = TICKS;
        offer($).store(0, rl::mo_relaxed);
        for (int slot = 0; slot < SLOTS; ++slot) {
            done[slot]($).store(0, rl::mo_relaxed);
            index[slot]($) = 0;
            generation[slot]($) = 0;
            state[slot]($) = 0;
        }
    }

    void thread(unsigned which)
    {
        if (which == 0) {
            write();
        } else {
            read();
        }
    }

    void write()
    {
        es_exchange_writer writer = {0};
        for (int tick = 1; tick <= PUBLISHES; ++tick) {
            int previous = 0;
            es__mailbox_begin(&mailbox, &writer); /* es_exchange_begin */
            RL_ASSERT(writer.slot < SLOTS);
            if (es__chain_count(writer.chain) > 0) {
                previous = state[es__chain_slot(writer.chain, 0)]($);
                RL_ASSERT(previous == 10 * (tick - 1));
            }
            state[writer.slot]($) = previous + 10;
            index[writer.slot]($) = tick; /* es_exchange_publish */
            generation[writer.slot]($) = tick >= NEW_GENERATION;
            es__mailbox_publish(&writer, es__mailbox_done(&mailbox, writer.slot),
                    tick != 1 && tick != NEW_GENERATION);
        }
    }

    /* es_exchange_acquire */
    bool acquire(es_exchange_reader *reader)
    {
        es__mailbox_word *watched = es__mailbox_watched(&mailbox, reader);
        return ES_MAILBOX_LOAD(watched, rl::mo_relaxed) != 0
               && es__mailbox_acquire(&mailbox, reader);
    }

    void read()
    {
        es_exchange_reader reader = {0};
        int newest = 0;
        for (int i = 0; i < ACQUIRES; ++i) {
            if (acquire(&reader)) {
                int next = index[es__chain_slot(reader.chain, 0)]($);
                RL_ASSERT(next > newest);
                newest = next;
            }
            look_at(reader.chain, newest);
        }
    }

    void look_at(unsigned chain, int newest)
    {
        int of = newest >= NEW_GENERATION;
        int known = of ? newest - NEW_GENERATION + 1 : newest;
        RL_ASSERT((int)es__chain_count(chain) == (known < TICKS ? known : TICKS));
        for (unsigned age = 0; age < es__chain_count(chain); ++age) {
            unsigned slot = es__chain_slot(chain, age);
            RL_ASSERT((int)index[slot]($) == newest - (int)age);
            RL_ASSERT((int)generation[slot]($) == of);
            RL_ASSERT((int)state[slot]($) == 10 * (newest - (int)age));
        }
    }
};

int main()
{
    rl::test_params params;
    params.iteration_count = 1000000000;
#if defined(SWITCHES)
    params.search_type = rl::fair_context_bound_scheduler_type;
    params.context_bound = SWITCHES;
    std::printf("up to %d switches of thread: ", SWITCHES);
#elif defined(RANDOM)
    params.search_type = rl::random_scheduler_type;
    params.iteration_count = RANDOM;
    std::printf("at random: ");
#else
    params.search_type = rl::fair_full_search_scheduler_type;
    std::printf("all: ");
#endif
    std::fflush(stdout);
    bool holds = rl::simulate<exchange>(params);
    std::printf("ticks %d, %d publishes, %d acquires: %s, %lld executions\n", TICKS, PUBLISHES,
            ACQUIRES, holds ? "holds" : "FAILS", (long long)params.stop_iteration);
    return holds ? 0 : 1;
}
