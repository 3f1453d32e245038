/* SPDX-License-Identifier: Zlib
 *
 * The batch: records are made where they lie, and go to the sink together.
 */
#ifndef ES_RECORD_BATCH_H
#define ES_RECORD_BATCH_H

#include "evenstep/record.h"

/* Makes room for a record, if need be by sending the batch, and opens it: its payload of this size
 * is to be written from *at on. size: at most ES_RECORD_PAYLOAD_MAX. An error: nothing is open. */
es_result es__batch_open(es_record *record, es_record_kind kind, size_t size, unsigned char **at);

/* Closes it with its checksum. */
void es__batch_close(es_record *record);

/* Offers the batch to the sink, in pieces that any sink for records has to take. ES_ERR_FULL: what
 * is left is still here. Other failures end the recording. */
es_result es__batch_send(es_record *record);

/* The run and its fields once more. In record_header.c. */
es_result es__record_copies(es_record *record);

#endif
