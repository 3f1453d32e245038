/* SPDX-License-Identifier: Zlib
 *
 * The memory orders of the wait-free exchange, for Relacy: one writer and one reader in every order
 * and with every value that C's memory model lets an atomic operation see, and a report of each
 * access to a state that is not ordered with the other side's. scripts/proofs builds and runs it.
 *
 *   c++ -std=gnu++98 -I src/threads -I include proofs/exchange_relacy.cpp     (Relacy's own standard)
 *   ./a.out PUBLISHES ACQUIRES [switches N | random N | all] [ORDER=WEAKER]
 *
 * The mailbox is the library's: src/threads/exchange_mailbox.h, compiled here with Relacy's
 * atomics, so its operations, their sequence and their memory orders are those that are shipped. The
 * code around them is that of src/threads/exchange.c under the same names. Compiled with -D WEAKENED the orders are the
 * same ones, and one can be another, as in PUBLISH=relaxed: a mistake that must be found.
 *
 * All executions are many: so with `switches' those in which the threads are switched up to N times
 * where neither has to be, with every value that can be seen; with `random', N at random.
 *
 * Prints the number of executions; exits 1 where one is wrong, 2 where it cannot be asked so.
 */
#include <relacy/relacy.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(WEAKENED)
namespace rl
{
memory_order mo_chosen_offer = mo_release, mo_chosen_learn = mo_acquire,
             mo_chosen_take = mo_acq_rel, mo_chosen_publish = mo_release,
             mo_chosen_see = mo_acquire;
}
#define ES_ORDER_OFFER   chosen_offer
#define ES_ORDER_LEARN   chosen_learn
#define ES_ORDER_TAKE    chosen_take
#define ES_ORDER_PUBLISH chosen_publish
#define ES_ORDER_SEE     chosen_see
#endif

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
#define SLOTS (2 * TICKS + 2)

/* From this tick on it is another generation. */
#define NEW_GENERATION 3

static int publishes;
static int acquires;

struct exchange : rl::test_suite<exchange, 2> {
    es__mailbox_word offer;
    es__mailbox_word done[SLOTS];
    es__mailbox mailbox;

    /* es__exchange_tick, and a state of one number */
    rl::var<int> index[SLOTS];
    rl::var<int> generation[SLOTS];
    rl::var<int> state[SLOTS];

    /* es__exchange_init */
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
        es__exchange_writer writer = {0};
        for (int tick = 1; tick <= publishes; ++tick) {
            int previous = 0;
            es__mailbox_begin(&mailbox, &writer); /* es__exchange_begin */
            RL_ASSERT(writer.slot < SLOTS);
            if (es__chain_count(writer.chain) > 0) {
                previous = state[es__chain_slot(writer.chain, 0)]($);
                RL_ASSERT(previous == 10 * (tick - 1));
            }
            state[writer.slot]($) = previous + 10;
            index[writer.slot]($) = tick; /* es__exchange_publish */
            generation[writer.slot]($) = tick >= NEW_GENERATION;
            es__mailbox_publish(&writer, es__mailbox_done(&mailbox, writer.slot),
                    tick != 1 && tick != NEW_GENERATION);
        }
    }

    /* es__exchange_acquire */
    bool acquire(es__exchange_reader *reader)
    {
        es__mailbox_word *watched = es__mailbox_watched(&mailbox, reader);
        return ES_MAILBOX_LOAD(watched, rl::mo_relaxed) != 0
               && es__mailbox_acquire(&mailbox, reader);
    }

    void read()
    {
        es__exchange_reader reader = {0};
        int newest = 0;
        for (int i = 0; i < acquires; ++i) {
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

/* ORDER=WEAKER; false: there is none of that name. */
static bool weaken(const char *text)
{
#if defined(WEAKENED)
    static const struct {
        const char *name;
        rl::memory_order *order;
    } orders[] = {{"OFFER", &rl::mo_chosen_offer}, {"LEARN", &rl::mo_chosen_learn},
            {"TAKE", &rl::mo_chosen_take}, {"PUBLISH", &rl::mo_chosen_publish},
            {"SEE", &rl::mo_chosen_see}};
    static const struct {
        const char *name;
        rl::memory_order order;
    } weaker[] = {
            {"relaxed", rl::mo_relaxed}, {"acquire", rl::mo_acquire}, {"release", rl::mo_release}};
    const char *sign = std::strchr(text, '=');
    for (int i = 0; i < 5 && sign != NULL; ++i) {
        size_t length = std::strlen(orders[i].name);
        bool is_this =
                length == (size_t)(sign - text) && std::strncmp(orders[i].name, text, length) == 0;
        for (int j = 0; is_this && j < 3; ++j) {
            if (std::strcmp(weaker[j].name, sign + 1) == 0) {
                *orders[i].order = weaker[j].order;
                return true;
            }
        }
    }
#else
    (void)text;
#endif
    return false;
}

static bool read_search(int count, char **arguments, rl::test_params *params)
{
    const char *search = count > 3 ? arguments[3] : "all";
    int most = count > 4 ? std::atoi(arguments[4]) : 0;
    params->iteration_count = 1000000000;
    if (std::strcmp(search, "switches") == 0) {
        params->search_type = rl::fair_context_bound_scheduler_type;
        params->context_bound = most;
        std::printf("up to %d switches of thread: ", most);
    } else if (std::strcmp(search, "random") == 0) {
        params->search_type = rl::random_scheduler_type;
        params->iteration_count = most;
        std::printf("at random: ");
    } else if (std::strcmp(search, "all") == 0) {
        params->search_type = rl::fair_full_search_scheduler_type;
        std::printf("all: ");
    } else {
        return false;
    }
    return count < 6 || weaken(arguments[5]);
}

int main(int count, char **arguments)
{
    rl::test_params params;
    publishes = count > 2 ? std::atoi(arguments[1]) : 0;
    acquires = count > 2 ? std::atoi(arguments[2]) : 0;
    if (publishes < 1 || acquires < 1 || !read_search(count, arguments, &params)) {
        std::fprintf(stderr, "exchange_relacy: no such search\n");
        return 2;
    }
    std::fflush(stdout);
    bool holds = rl::simulate<exchange>(params);
    std::printf("ticks %d, %d publishes, %d acquires: %s, %lld executions\n", TICKS, publishes,
            acquires, holds ? "holds" : "FAILS", (long long)params.stop_iteration);
    return holds ? 0 : 1;
}
