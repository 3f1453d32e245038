/* SPDX-License-Identifier: Zlib
 *
 * The memory orders of the wait-free exchange, for Relacy: one writer and one reader in every order
 * and with every value that C's memory model lets an atomic operation see, and a report of each
 * access to a state that is not ordered with the other side's. scripts/proofs builds and runs it.
 *
 *   c++ -std=gnu++98 -I src proofs/exchange_relacy.cpp     (Relacy's own standard)
 *
 * The mailbox is the library's: src/exchange_mailbox.h, compiled here with Relacy's atomics, so its
 * operations and their memory orders are those that are shipped. What is around them is that of
 * src/exchange.c under the same names. -D ES_ORDER_PUBLISH=relaxed and the like are mistakes that
 * must be found.
 *
 * Prints the number of executions; exits 1 where one is wrong.
 */
#include <relacy/relacy.hpp>

#include <cstdio>

#define ES_MAILBOX_WORD                         rl::atomic<unsigned>
#define ES_MAILBOX_ORDER(name)                  rl::mo_##name
#define ES_MAILBOX_LOAD(word, order)            (*(word))($).load(order)
#define ES_MAILBOX_EXCHANGE(word, value, order) (*(word))($).exchange(value, order)
#include "exchange_mailbox.h"

#ifndef TICKS
#define TICKS 2
#endif
#ifndef PUBLISHES
#define PUBLISHES 7
#endif
#ifndef ACQUIRES
#define ACQUIRES 7
#endif
#define SLOTS (2 * TICKS + 1)

/* From this tick on it is another generation. */
#define NEW_GENERATION 3

struct exchange : rl::test_suite<exchange, 2> {
    es__mailbox_word word;

    /* es_exchange_tick, and a state of one number */
    rl::var<int> index[SLOTS];
    rl::var<int> generation[SLOTS];
    rl::var<int> state[SLOTS];

    /* es_exchange_init */
    void before()
    {
        word($).store(0, rl::mo_relaxed);
        for (int slot = 0; slot < SLOTS; ++slot) {
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
        es__mailbox_writer writer = {0, 0, 0};
        for (int tick = 1; tick <= PUBLISHES; ++tick) {
            bool continues = tick != NEW_GENERATION;
            int previous = 0;
            if (es__chain_count(writer.published) > 0) { /* es_exchange_begin */
                previous = state[es__chain_slot(writer.published, 0)]($);
                RL_ASSERT(previous == 10 * (tick - 1));
            }
            state[writer.slot]($) = previous + 10;
            index[writer.slot]($) = tick; /* es_exchange_publish */
            generation[writer.slot]($) = tick >= NEW_GENERATION;
            unsigned most = continues ? TICKS : 1;
            unsigned chain = es__chain_push(writer.published, writer.slot, most);
            unsigned before = es__mailbox_publish(&word, chain);
            es__mailbox_settle(&writer, chain, before, SLOTS);
            RL_ASSERT(writer.slot < SLOTS);
        }
    }

    void read()
    {
        unsigned view = 0;
        int newest = 0;
        for (int i = 0; i < ACQUIRES; ++i) {
            if (es__mailbox_is_fresh(&word)) {
                view = es__mailbox_take(&word);
                RL_ASSERT(es__chain_count(view) > 0);
                int next = index[es__chain_slot(view, 0)]($);
                RL_ASSERT(next > newest);
                newest = next;
            }
            look_at(view, newest);
        }
    }

    void look_at(unsigned view, int newest)
    {
        int of = newest >= NEW_GENERATION;
        int known = of ? newest - NEW_GENERATION + 1 : newest;
        RL_ASSERT((int)es__chain_count(view) == (known < TICKS ? known : TICKS));
        for (unsigned age = 0; age < es__chain_count(view); ++age) {
            unsigned slot = es__chain_slot(view, age);
            RL_ASSERT((int)index[slot]($) == newest - (int)age);
            RL_ASSERT((int)generation[slot]($) == of);
            RL_ASSERT((int)state[slot]($) == 10 * (newest - (int)age));
        }
    }
};

int main()
{
    rl::test_params params;
    params.search_type = rl::fair_full_search_scheduler_type;
    params.iteration_count = 1000000000;
    bool holds = rl::simulate<exchange>(params);
    std::printf("ticks %d, %d publishes, %d acquires: %s, %lld executions\n", TICKS, PUBLISHES,
            ACQUIRES, holds ? "holds" : "FAILS", (long long)params.stop_iteration);
    return holds ? 0 : 1;
}
