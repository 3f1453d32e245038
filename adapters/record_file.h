/* SPDX-License-Identifier: Zlib
 *
 * A recording in a file, by the C library's <stdio.h>: the sink that a recording or a ring is
 * emptied into, and the source that it is read from. Copy both files, or link
 * evenstep::record_file.
 *
 * What the sink's write has returned ES_OK for is with the operating system: nothing is kept back.
 * So it survives the program, however that ends. A machine that loses power may still lose the last
 * seconds, as nothing here waits for a disk. A write may wait for the disk, though: what must not
 * wait writes into a ring (ring.h).
 */
#ifndef EVENSTEP_ADAPTERS_RECORD_FILE_H
#define EVENSTEP_ADAPTERS_RECORD_FILE_H

#include "evenstep/bytes.h"
#include "evenstep/evenstep.h"
#include "evenstep/record.h"

#include <stdio.h>

/* A file. Zero it, or leave it to the functions that open. */
typedef struct es_record_file {
    FILE *file;     /* NULL: closed */
    uint64_t bytes; /* written */
    int failed;     /* errno of the first failure; 0: none */
} es_record_file;

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a new file to record into. One that is there is not touched.
 * file: the caller's; not NULL.
 * path: as fopen takes it; not NULL.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_REFUSED: there is such a file. ES_ERR_IO: it cannot be
 * made; file->failed says why.
 * Ownership: es_record_file_close frees what it holds. */
es_result es_record_file_create(es_record_file *file, const char *path);

/* Opens a file to read.
 * file: the caller's; not NULL.
 * path: as fopen takes it; not NULL.
 * Errors: ES_ERR_INVALID: a NULL. ES_ERR_IO: it cannot be opened; file->failed says why (ESPIPE: a
 * pipe, which does not support seeking). */
es_result es_record_file_open(es_record_file *file, const char *path);

/* The file as a sink.
 * file: opened by es_record_file_create; outlives the sink.
 * Returns a sink that fails with ES_ERR_IO, for good: file->failed is errno (ENOSPC: the disk is
 * full).
 * Ownership: borrows file. */
es_sink es_record_file_sink(es_record_file *file);

/* The file as a source.
 * file: opened by es_record_file_open; outlives the source.
 * Returns a source that fails with ES_ERR_IO.
 * Ownership: borrows file. */
es_source es_record_file_source(es_record_file *file);

/* Closes a file. One that is closed stays so.
 * file: not NULL.
 * Returns ES_OK when all that was written is with the operating system.
 * Errors: ES_ERR_IO: it is not: what failed now, or earlier.
 * Ownership: nothing is held any more. */
es_result es_record_file_close(es_record_file *file);

#ifdef __cplusplus
}
#endif

#endif
