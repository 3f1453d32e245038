/* SPDX-License-Identifier: Zlib
 *
 * The memory of a meter.
 */
#ifndef ES_METER_H
#define ES_METER_H

#include "evenstep/measure.h"

#include "base/common.h"

typedef struct es__meter_sample {
    es_meter_sample shown;
    int64_t intended_ns; /* T: intended interval to the frame before; 0: not known */
} es__meter_sample;

enum {
    ES_METER_RECENT = 64
}; /* samples that a report can still be of: 1 000 frames per second, 60 ms late */

typedef struct es__meter_recent {
    int64_t frame; /* es_frame.index */
    int64_t submit_ns;
    uint64_t sequence; /* as reported; 0: none */
} es__meter_recent;

struct es_meter {
    es__meter_sample *samples;
    double *scratch; /* capacity of them */
    size_t capacity;
    size_t next;                              /* where the next sample goes */
    size_t count;                             /* samples kept: at most capacity */
    es__meter_recent recent[ES_METER_RECENT]; /* of the newest samples: a ring that ends at added */
    size_t recent_count;
    size_t added;         /* samples, without those of discarded frames */
    es_smoothness totals; /* frames up to source */
};

#endif
