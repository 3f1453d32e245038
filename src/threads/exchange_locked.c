/* SPDX-License-Identifier: Zlib
 *
 * Two copies of the newest states, and an index that says which is live. The writer fills the other
 * copy and moves the index; the reader copies the live one. With w = 1 - live:
 *
 *   previous[w] = current[live]; current[w] = the new state; live = w
 *
 * (previous[w] = current[w] would pair ticks n - 3 and n - 1.) All under one lock.
 *
 * Slots for H ticks: copy 0, copy 1 and the reader's copy, H each; one to write in.
 */
#include "exchange_layout.h"

#include <string.h>

unsigned es__locked_slots(unsigned ticks)
{
    return 3 * ticks + 1;
}

static unsigned copy_slot(const es__exchange *exchange, unsigned copy, unsigned age)
{
    return copy * (unsigned)exchange->ticks + age;
}

unsigned es__locked_slot_to_write(const es__exchange *exchange)
{
    return copy_slot(exchange, 3, 0);
}

/* For the writer. It needs no lock, because only the writer changes live and the copies. */
const void *es__locked_newest(const es__exchange *exchange)
{
    const es__exchange_mailbox *mailbox = es__mailbox_of(exchange);
    return es__slot_state(exchange, copy_slot(exchange, mailbox->live, 0));
}

static void copy_state(es__exchange *exchange, unsigned to, unsigned from)
{
    *es__slot_tick(exchange, to) = *es__slot_tick(exchange, from);
    memcpy(es__slot_state(exchange, to), es__slot_state(exchange, from), exchange->state_size);
}

void es__locked_publish(es__exchange *exchange, bool continues)
{
    es__exchange_mailbox *mailbox = es__mailbox_of(exchange);
    const es__lock *lock = &exchange->lock;
    lock->lock(lock->user);
    unsigned live = mailbox->live;
    unsigned other = 1 - live;
    unsigned most = continues ? (unsigned)exchange->ticks : 1;
    mailbox->count = mailbox->count + 1 < most ? mailbox->count + 1 : most;
    for (unsigned age = mailbox->count - 1; age > 0; --age) {
        copy_state(exchange, copy_slot(exchange, other, age), copy_slot(exchange, live, age - 1));
    }
    copy_state(exchange, copy_slot(exchange, other, 0), es__locked_slot_to_write(exchange));
    mailbox->live = other;
    mailbox->fresh = true;
    lock->unlock(lock->user);
}

const es__exchange_view *es__locked_acquire(es__exchange *exchange)
{
    es__exchange_mailbox *mailbox = es__mailbox_of(exchange);
    const es__lock *lock = &exchange->lock;
    unsigned chain = 0;
    lock->lock(lock->user);
    if (mailbox->fresh) {
        for (unsigned age = mailbox->count; age-- > 0;) {
            unsigned slot = copy_slot(exchange, 2, age);
            copy_state(exchange, slot, copy_slot(exchange, mailbox->live, age));
            chain = es__chain_push(chain, slot, (unsigned)exchange->ticks);
        }
        mailbox->fresh = false;
    }
    lock->unlock(lock->user);
    return chain != 0 ? es__exchange_show(exchange, chain) : &exchange->reader.view;
}
