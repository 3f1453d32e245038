/* SPDX-License-Identifier: Zlib
 *
 * What the handles share: differences, as a struct and as the text of es_get_error; and the layout
 * of a state without one.
 */
#ifndef ES_DIFFERENCE_PARTS_H
#define ES_DIFFERENCE_PARTS_H

#include "evenstep/world.h"

#include "state_parts.h"

/* A difference of this tick. at: its values; NULL: none are known. */
es_difference es__difference_of(int64_t tick, const es__state_difference *at);

/* Sets es_get_error. second: what values[1] is. */
void es__difference_say(const char *function, const es_difference *found, const char *second);

/* A state without a layout: one field of bytes. */
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
