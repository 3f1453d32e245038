/* SPDX-License-Identifier: Zlib
 *
 * Differences for the program: as a struct, and as the text of es_get_error.
 */
#ifndef ES_DIFFERENCE_PARTS_H
#define ES_DIFFERENCE_PARTS_H

#include "state_parts.h"

/* A difference of this tick. at: its values; NULL: none are known. */
es_difference es__difference_of(int64_t tick, const es__state_difference *at);

/* Sets es_get_error. second: what values[1] is. */
void es__difference_say(const char *function, const es_difference *found, const char *second);

#endif
