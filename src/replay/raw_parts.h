/* SPDX-License-Identifier: Zlib
 *
 * A state without a layout: one field of bytes.
 */
#ifndef ES_RAW_PARTS_H
#define ES_RAW_PARTS_H

#include "evenstep/layout.h"
#include "evenstep/replay.h"

typedef struct es__raw {
    es_field field;
    es_layout layout;
} es__raw;

/* The layout of a configuration: its own or that of its bytes. NULL: it has neither. */
static inline const es_layout *es__raw_layout(es__raw *raw, const es_record_config *config)
{
    if (config->layout != NULL || config->state_size == 0) {
        return config->layout;
    }
    raw->field = (es_field){.name = "state",
            .type = ES_TYPE_U8,
            .blend = ES_BLEND_STEP,
            .count = config->state_size,
            .components = 1,
            .stride = 1};
    raw->layout = (es_layout){&raw->field, 1, config->state_size};
    return &raw->layout;
}

#endif
