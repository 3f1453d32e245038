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

struct es_meter {
    es__meter_sample *samples;
    double *scratch; /* capacity of them */
    size_t capacity;
    size_t next;          /* where the next sample goes */
    size_t count;         /* samples kept: at most capacity */
    es_smoothness totals; /* frames up to source */
};

#endif
