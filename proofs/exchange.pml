/* SPDX-License-Identifier: Zlib
 *
 * The protocol of the wait-free exchange, for Spin: every interleaving of one writer and one reader
 * that go on for ever, each at any speed. scripts/proofs runs it.
 *
 *   TICKS  how many are handed over together (H)
 *   SLOTS  how many slots there are; 2 H + 1 in src/exchange.c
 *
 * What is the library's: all arithmetic, which is src/exchange_mailbox.h, compiled into the checker
 * (es__chain_push, es__mailbox_settle ...), and the order of the steps, which is that of
 * es_exchange_begin, es_exchange_publish and es_exchange_acquire. What is the model's: a slot is
 * written between two steps; the reader reads what it has at any time from one take to the next; and
 * the two exchanges of the mailbox's word are one step each. Spin knows no memory orders: those are
 * exchange_relacy.cpp's.
 *
 * A run of ticks has no end here. In the place of numbers, each slot has its AGE: how many ticks it
 * is behind the newest one published, where all from TICKS on are the same to everybody (OLD), and
 * so is what belongs to an earlier generation. So the states are finite in number and Spin visits
 * them all: no bound on how often anybody publishes or acquires.
 *
 * Shown, by the assertions:
 *   free       there always is a slot to write
 *   exclusion  no slot is written while it is the reader's, and none that is written becomes that
 *   adjacency  what is taken is the newest tick and those just before it, in one generation (and
 *              stays so, as nobody writes there)
 *   forward    what is taken is newer than what was taken before
 *   fresh      where nothing is to be taken the reader has the newest
 *   no end     neither side is ever stuck: Spin reports states in which nothing can happen
 *
 * Each MUTATE_ is a mistake that must be found.
 */
#ifndef TICKS
#define TICKS 2
#endif
#ifndef SLOTS
#define SLOTS (2 * TICKS + 1)
#endif

#define OLD         TICKS
#define UNPUBLISHED (TICKS + 1) /* being written, or written and not handed over */

c_decl {
\#include "exchange_mailbox.h"
}

/* es__exchange_mailbox.word */
int word;

/* es__mailbox_writer */
int published;
int held;
int slot;

/* es_exchange_view: a slot in the place of each state */
byte view_count;
byte view_slots[TICKS];
int view_set; /* the same slots as bits: the reader reads any of them, at any time */

/* steps of the writer */
int chain;
int before;
bool continues;
bool taken;

/* what nobody looks at but the assertions */
byte age[SLOTS];
bool writing; /* slot */

#ifdef MUTATE_SPLIT_TAKE
int seen;
#endif

/* for loops within one step */
byte i;
byte s;

#define FRESH(value) ((value) & 1048576)

inline settle()
{
    c_code {
        es__mailbox_writer writer;
        writer.published = (unsigned)now.published;
        writer.held = (unsigned)now.held;
        writer.slot = (unsigned)now.slot;
        now.taken = (uchar)es__mailbox_settle(
                &writer, (unsigned)now.chain, (unsigned)now.before, SLOTS);
        now.published = (int)writer.published;
        now.held = (int)writer.held;
        now.slot = (int)writer.slot;
    }
}

/* With the exchange of a publish: the slot is now the newest tick, and all others are older. */
inline grow_older()
{
    for (i : 0 .. SLOTS - 1) {
        if
        :: i == slot -> age[i] = 0
        :: i != slot && continues && age[i] < OLD -> age[i] = age[i] + 1
        :: else -> age[i] = OLD
        fi
    }
    i = 0
}

active proctype writer()
{
    do
    :: true ->
        /* es_exchange_begin: the slot is written from here on */
        d_step {
            assert(slot < SLOTS);               /* free */
            assert((view_set & 1 << slot) == 0); /* exclusion */
            writing = true;
            age[slot] = UNPUBLISHED
        }
        /* until here */
        d_step {
            assert((view_set & 1 << slot) == 0);
            writing = false
        }
        /* es_exchange_publish: a tick of the same generation, or of another */
        if
        :: continues = true
        :: continues = false
        fi;
        c_code {
            unsigned most = now.continues ? TICKS : 1;
            now.chain = (int)es__chain_push((unsigned)now.published, (unsigned)now.slot, most);
        }
#ifdef MUTATE_SPLIT_PUBLISH
        before = word;
#endif
        d_step { /* es__mailbox_publish */
#ifndef MUTATE_SPLIT_PUBLISH
            before = word;
#endif
            c_code { now.word = now.chain | ES__CHAIN_FRESH; }
            grow_older()
        }
        d_step { /* es__mailbox_settle */
#ifdef MUTATE_BLIND
            c_code { now.before |= ES__CHAIN_FRESH; }
#endif
#ifdef MUTATE_HASTY
            c_code { now.before &= ~ES__CHAIN_FRESH; }
#endif
            settle();
            /* what only one process looks at is forgotten, or it would multiply the states */
            chain = 0;
            before = 0;
            taken = 0;
            continues = false
        }
    od
}

inline take()
{
    c_code {
        unsigned taken = (unsigned)now.word & ~(unsigned)ES__CHAIN_FRESH;
#ifdef MUTATE_SPLIT_TAKE
        taken = (unsigned)now.seen & ~(unsigned)ES__CHAIN_FRESH;
        now.seen = 0;
#endif
        now.word = 0;
        now.view_count = (uchar)es__chain_count(taken);
        for (unsigned a = 0; a < TICKS; ++a) {
            now.view_slots[a] = (uchar)es__chain_slot(taken, a); /* 0 from view_count on */
        }
        now.view_set = (int)es__chain_set(taken);
    }
}

active proctype reader()
{
    do
    :: true ->
        /* es_exchange_acquire: es__mailbox_is_fresh. (It looks, and the function that it then
         * calls looks again. Only the reader takes the flag away, so once is enough here.) */
        if
        :: FRESH(word) ->
#ifdef MUTATE_SPLIT_TAKE
            seen = word;
#endif
            d_step { /* es__mailbox_take */
                s = view_slots[0];
                assert(view_count == 0 || (age[s] > 0 && age[s] != UNPUBLISHED)); /* forward */
                take();
                assert(view_count > 0 && view_count <= TICKS);
                i = 0;
                do
                :: i < view_count ->
                    s = view_slots[i];
                    assert(s < SLOTS && !(writing && s == slot)); /* exclusion */
                    assert(age[s] == i); /* adjacency: 0 is the newest of all */
                    i = i + 1
                :: else -> break
                od;
                i = 0;
                s = 0
            }
        :: else ->
            d_step {
                s = view_slots[0];
                assert(FRESH(word) || view_count == 0 || age[s] == 0); /* fresh */
                s = 0
            }
        fi;
    od
}
