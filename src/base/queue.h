/* SPDX-License-Identifier: Zlib
 *
 * A queue from one thread to another, for items of any size. Neither thread waits.
 */
#ifndef ES_QUEUE_H
#define ES_QUEUE_H

#include "common.h"

/* Bytes between what two threads write: two cache lines, which processors fetch in pairs. */
#define ES__LINE ((size_t)128)

typedef struct es__queue {
    void *pushed, *received; /* atomic counts, modulo 2^32, a line each */
    unsigned char *items;
    size_t item_size;
    uint32_t capacity; /* a power of two */
} es__queue;

/* The bytes that a queue needs, with one line more than is used, to align it in any memory. */
size_t es__queue_size(uint32_t capacity, size_t item_size);

/* memory: zeroed, es__queue_size. */
void es__queue_init(es__queue *queue, uint32_t capacity, size_t item_size, void *memory);

/* Appends an item. false: fewer than `room` places are free. Wait-free. */
bool es__queue_push(es__queue *queue, const void *item, uint32_t room);

/* The item behind the `after` oldest, or NULL; valid until es__queue_drop, which removes the `count`
 * oldest. Wait-free. */
const void *es__queue_item(const es__queue *queue, uint32_t after);
void es__queue_drop(es__queue *queue, uint32_t count);

#endif
