/* SPDX-License-Identifier: Zlib
 *
 * A file that is written from beginning to end, or read anywhere.
 */
#ifndef ES_FILE_H
#define ES_FILE_H

#include "evenstep/base.h"

typedef struct es__file {
    void *handle; /* FILE; NULL: closed */
    int failed;   /* errno of the first failure; 0: none */
} es__file;

/* Opens a file. create: a new one, to write; one that is there is refused. */
bool es__file_open(es__file *file, const char *path, bool create);

/* The functions of an es_stream; user: the es__file. They fail with ES_ERR_IO. */
es_result es__file_write(void *user, const void *bytes, size_t size);
es_result es__file_read(void *user, uint64_t offset, void *bytes, size_t size, size_t *got);

/* Closes a file, or one that is closed. Writing may fail only here: see failed. */
void es__file_close(es__file *file);

/* Why it failed, as strerror returns it; NULL: it did not. */
const char *es__file_reason(const es__file *file);

#endif
