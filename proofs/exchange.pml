/* SPDX-License-Identifier: Zlib
 *
 * The protocol of the wait-free exchange, for Spin: every interleaving of one writer and one reader
 * that go on for ever, each at any speed. scripts/proofs runs it.
 *
 *   TICKS  how many are handed over together (H)
 *   SLOTS  how many slots there are; 2 H + 2 in src/threads/exchange.c
 *
 * What is the library's: all arithmetic, which is src/threads/exchange_mailbox.h, compiled into the checker
 * (es__mailbox_push, es__mailbox_next, es__offer_shows), and the order of the steps, which is that
 * of es__mailbox_begin, es__mailbox_publish, es__exchange_acquire and es__mailbox_acquire. What is the model's: a slot is
 * written between two steps; the reader reads what it has at any time from one acquire to the next;
 * and each operation on a word is one step. Spin knows no memory orders: those are
 * exchange_relacy.cpp's.
 *
 * A run of ticks has no end here. In the place of numbers each slot has its RANK: how many of the
 * slots that still matter were published after it. That are those which the reader may have or
 * take, and the newest; what is in the others nobody will look at, and they are all alike (NONE).
 * And each has its LINK: whether the slot of the next rank is the tick before it. So the states are
 * finite in number and Spin visits them all: no bound on how often anybody publishes or acquires.
 *
 * Nor does it matter which of the free slots is written next: es__free_slot has to choose one. So
 * each time when one was chosen all slots are renamed, in the order of their ranks.
 *
 * Shown, by the assertions:
 *   free       there always is a slot to write
 *   exclusion  no slot is written while the reader may look at it
 *   adjacency  what is acquired is a tick and those just before it, in one generation: as many as
 *              are wanted, or as there were (and stays so, as nobody writes there)
 *   forward    what is acquired as new is newer than what was acquired before
 *   fresh      what is had after an acquire is at least as new as what was newest when it began;
 *              where the word watched says that there is nothing new, that is the newest
 *   no end     neither side is ever stuck: Spin reports states in which nothing can happen
 *
 * Each MUTATE_ is a mistake that must be found.
 */
#ifndef TICKS
#define TICKS 2
#endif
#ifndef SLOTS
#define SLOTS (2 * TICKS + 2)
#endif

#define NONE SLOTS

/* the link of a slot to the one of the next rank */
#define LOST   0 /* it was another tick; the one before is overwritten */
#define JOINED 1 /* the tick before */
#define FIRST  2 /* the tick begins a generation */

c_decl {
\#include "base/atomics.h"
\#include "exchange_mailbox.h"
}

/* the words of es__mailbox */
int offer;
byte done[SLOTS];

/* es__exchange_writer */
int chain;
int offered;
int held;
byte slot;
byte how;

/* es__exchange_reader */
int had;
byte was; /* its done */
int view; /* its chain */

/* steps of the writer */
int next;
bool taken;

/* steps of the reader */
bool acquiring; /* what it had is given back: it looks at no state */
int took;
bool silent;   /* the word watched is 0 */
bool newest;   /* what is had is */
bool adjacent; /* what is shown is */
bool forward;  /* it is new enough */

/* what nobody looks at but the assertions */
byte rank[SLOTS] = NONE;
byte link[SLOTS];
bool excluded;
int stale; /* a bit for each slot that is too old for the acquire that goes on */
int stale_too; /* and also too old if it is shown as new */

c_code {
    /* Gives those that matter their ranks, without gaps, and makes all others alike. */
    static void forget(unsigned matter)
    {
        for (int s = 0; s < SLOTS; ++s) {
            if ((matter >> s & 1) == 0 || now.rank[s] == NONE) {
                for (int t = 0; t < SLOTS; ++t) { /* the one that came next loses it */
                    if (now.rank[s] != NONE && now.rank[t] + 1 == now.rank[s]
                            && now.link[t] == JOINED) {
                        now.link[t] = LOST;
                    }
                }
                for (int t = 0; t < SLOTS; ++t) {
                    now.rank[t] -= now.rank[s] != NONE && now.rank[t] != NONE
                                   && now.rank[t] > now.rank[s];
                }
                now.rank[s] = NONE;
                now.link[s] = LOST;
                now.stale &= ~(1 << s);
                now.stale_too &= ~(1 << s);
            }
        }
    }
}

c_code {
    static uchar name[SLOTS];

    static unsigned named_set(unsigned set)
    {
        unsigned named = 0;
        for (unsigned s = 0; s < SLOTS; ++s) {
            named |= (set >> s & 1) << name[s];
        }
        return named;
    }

    static unsigned named_chain(unsigned chain)
    {
        unsigned named = 0;
        for (unsigned age = es__chain_count(chain); age-- > 0;) {
            named = es__chain_push(named, name[es__chain_slot(chain, age)], TICKS);
        }
        return named;
    }

    static unsigned named_offer(unsigned offer)
    {
        return offer == 0 ? 0 : es__offer_make(named_chain(es__offer_chain(offer)),
                                        name[es__offer_next(offer)]);
    }

    static void rename_array(uchar *array)
    {
        uchar named[SLOTS];
        for (int s = 0; s < SLOTS; ++s) {
            named[name[s]] = array[s];
        }
        memcpy(array, named, SLOTS);
    }

    /* Those that matter by rank, the one to write, the others. */
    static void give_names(void)
    {
        uchar next = 0;
        for (int s = 0; s < SLOTS; ++s) {
            next += now.rank[s] != NONE;
        }
        uchar slot = next;
        next += 1;
        for (int s = 0; s < SLOTS; ++s) {
            name[s] = s == now.slot ? slot : now.rank[s] != NONE ? now.rank[s] : next++;
        }
    }

    static void rename_slots(void)
    {
        give_names();
        now.offer = (int)named_offer((unsigned)now.offer);
        now.offered = (int)named_offer((unsigned)now.offered);
        now.had = (int)named_offer((unsigned)now.had);
        now.took = (int)named_offer((unsigned)now.took);
        now.chain = (int)named_chain((unsigned)now.chain);
        now.view = (int)named_chain((unsigned)now.view);
        now.held = (int)named_set((unsigned)now.held);
        now.stale = (int)named_set((unsigned)now.stale);
        now.stale_too = (int)named_set((unsigned)now.stale_too);
        now.slot = name[now.slot];
        rename_array(&now.done[0]);
        rename_array(&now.rank[0]);
        rename_array(&now.link[0]);
    }
}

inline prepare()
{
    c_code {
        es__exchange_writer writer = {0};
        writer.chain = (uint32_t)now.chain;
        writer.offer = (uint32_t)now.offered;
        writer.held = (uint32_t)now.held;
        writer.slot = now.slot;
        writer.done = now.how;
        es__mailbox mailbox = {0};
        mailbox.ticks = TICKS;
        mailbox.slots = SLOTS;
        es__mailbox_push(&mailbox, &writer);
        now.next = (int)es__mailbox_next(&mailbox, &writer, now.taken);
        now.chain = (int)writer.chain;
        now.held = (int)writer.held;
        now.slot = (uchar)writer.slot;
        now.how = (uchar)writer.done;
    };
    assert(slot < SLOTS); /* free */
    done[slot] = 0        /* es__mailbox_clear */
}

/* What is written is nothing that the reader has, but the NEXT of the very offer that says so. */
inline check_exclusion()
{
    c_code {
        unsigned had = (unsigned)now.had;
        unsigned set = had != (unsigned)now.offered ? es__offer_set(had)
                                                    : es__chain_set(es__offer_chain(had));
        set |= now.acquiring ? 0 : es__chain_set((unsigned)now.view);
        now.excluded = (uchar)((set >> now.slot & 1) == 0);
    };
    assert(excluded);
    excluded = false
}

/* What is offered and what is held is what the reader may have. Nobody else's matters. From here on
 * the slot is written. */
inline settle()
{
    offered = next;
    c_code {
        forget((unsigned)now.held | es__chain_set((unsigned)now.chain));
        for (unsigned s = 0; s < SLOTS; ++s) { /* only a NEXT is looked at */
            int is_next = s == now.slot || now.had != 0 && s == es__offer_next((unsigned)now.had);
            now.done[s] = is_next ? now.done[s] : 0;
        }
        rename_slots();
    };
    next = 0;
    taken = false;
    check_exclusion()
}

inline finish()
{
    check_exclusion();
#ifdef MUTATE_FORGET_GENERATION
    done[slot] = 1;
#else
    done[slot] = how;
#endif
    c_code {
        for (int s = 0; s < SLOTS; ++s) {
            now.rank[s] += now.rank[s] != NONE;
        }
        now.rank[now.slot] = 0;
        now.link[now.slot] = now.how == 2 ? FIRST : JOINED;
        now.stale &= ~(1 << now.slot);
        now.stale_too &= ~(1 << now.slot);
    }
}

active proctype writer()
{
    do
    :: true ->
        /* es__mailbox_begin */
        d_step {
            taken = (offer == 0); /* es__mailbox_is_taken */
#ifdef MUTATE_BLIND
            taken = false;
            offered = offer;
#endif
#ifdef MUTATE_HASTY
            taken = true;
#endif
            prepare()
        }
        if
        :: taken
        :: else ->
#ifdef MUTATE_SPLIT_REPLACE
            d_step { taken = (offer != offered) }
#endif
            d_step { /* es__mailbox_replace */
                if
#ifdef MUTATE_SPLIT_REPLACE
                :: !taken -> offer = next; settle()
                :: else
#else
                :: offer == offered -> offer = next; settle()
#ifdef MUTATE_BLIND
                :: else -> offer = next; settle()
#else
                :: else -> taken = true
#endif
#endif
                fi
            }
            if
            :: !taken -> goto begun
            :: else -> d_step { prepare() }
            fi
        fi;
        d_step { /* es__mailbox_put */
            offer = next;
            settle()
        }
begun:
        /* es__mailbox_publish: a tick of the same generation, or of another. Until here the slot is
         * written. */
        if
        :: d_step { chain != 0 -> how = 1; finish() }
        :: d_step { how = 2; finish() }
        fi;
    od
}

/* es__mailbox_watched: whether that word is 0, in `silent'. */
inline look()
{
    c_code {
        unsigned next = es__offer_next((unsigned)now.had);
#ifdef MUTATE_WATCH_OFFER
        int at_offer = 1;
#else
        int at_offer = now.had == 0 || now.was != 0;
#endif
        now.silent = (uchar)(at_offer ? now.offer == 0 : now.done[next] == 0);
    }
}

/* Whether what is had is the newest, in `newest'. */
inline check_newest()
{
    c_code {
        now.newest = (uchar)(now.view != 0);
        for (int s = 0; s < SLOTS && now.view == 0; ++s) {
            now.newest = (uchar)(now.newest || now.rank[s] != NONE);
        }
        now.newest = (uchar)(now.view == 0 ? !now.newest
                                   : now.rank[es__chain_slot((unsigned)now.view, 0)] == 0);
    }
}

/* Too old to be had after this acquire: older than the newest when it began. And to be shown as
 * new: what is had already, or older. */
inline mark_stale()
{
    c_code {
        now.stale = 0;
        now.stale_too = 0;
        unsigned first = es__chain_slot((unsigned)now.view, 0);
        for (int s = 0; s < SLOTS; ++s) {
            int is_ranked = now.rank[s] != NONE;
            if (is_ranked && now.rank[s] > 0) {
                now.stale |= 1 << s;
            }
            if (is_ranked && now.view != 0 && now.rank[s] >= now.rank[first]) {
                now.stale_too |= 1 << s;
            }
        }
    }
}

/* Every slot of the view in its place: whether that is so, in `adjacent'; also while there is nothing. */
inline check_view()
{
    c_code {
        unsigned chain = (unsigned)now.view;
        unsigned count = es__chain_count(chain);
        int good = count <= TICKS && (count > 0 || chain == 0);
        for (unsigned age = 0; age < count; ++age) {
            unsigned s = es__chain_slot(chain, age);
            good = good && s < SLOTS && now.rank[s] != NONE;
            if (good && age + 1 < count) {
                unsigned before = es__chain_slot(chain, age + 1);
                good = now.link[s] == JOINED && now.rank[before] == now.rank[s] + 1;
            } else if (good) {
                good = count == TICKS || now.link[s] == FIRST;
            }
        }
        now.adjacent = (uchar)good;
    }
}

active proctype reader()
{
    do
    :: true ->
        /* es__exchange_acquire looks at the word watched */
        d_step {
            look();
            if
            :: silent -> check_newest(); assert(newest) /* fresh */
            :: else -> mark_stale(); acquiring = true
            fi;
            silent = false;
            newest = false
        };
        if
        :: !acquiring
        :: else ->
            /* es__mailbox_acquire */
#ifdef MUTATE_SPLIT_TAKE
            took = offer;
#endif
            d_step { /* es__mailbox_take: the look at it before takes nothing */
#ifndef MUTATE_SPLIT_TAKE
                took = offer;
#endif
                offer = 0;
                if
                :: took != 0 -> had = took
                :: else
                fi;
                took = 0
            };
            d_step { /* what NEXT is, and what follows from it */
                c_code {
                    unsigned had = (unsigned)now.had;
                    now.was = had != 0 ? now.done[es__offer_next(had)] : 0;
                    now.took = (int)(had != 0 ? es__offer_shows(had, now.was, TICKS) : 0);
                };
                if
                :: took != view -> stale = stale | stale_too
                :: else
                fi;
                view = took;
                took = 0;
                acquiring = false;
                check_view();
                assert(adjacent);
                c_code {
                    now.forward = (uchar)(now.view == 0
                                       || (now.stale >> es__chain_slot((unsigned)now.view, 0) & 1) == 0);
                };
                assert(forward); /* and fresh */
                adjacent = false;
                forward = false;
                stale = 0;
                stale_too = 0
            }
        fi
    od
}
