/* SPDX-License-Identifier: Zlib
 *
 * What recording, playing and the sync test need of states beyond the public functions. All layouts
 * are valid, and each state has layout->state_size bytes.
 */
#ifndef ES_STATE_PARTS_H
#define ES_STATE_PARTS_H

#include "evenstep/state.h"

/* Copies the fields of one state into another, which does not overlap it. What no field covers
 * stays. NaNs become the packed one. */
void es__state_copy(const es_layout *layout, void *to, const void *from);

/* Whether the packed states are equal. difference: filled; may be NULL. */
bool es__state_compare(const es_layout *layout, const void *state, const void *other,
        es_state_difference *difference);

/* The hash of the packed numbers of one field, with seed 0. */
uint64_t es__state_hash_field(const es_field *field, const void *state);

/* The hash of the hashes of a group's fields, as es_state_hash. */
uint64_t es__state_hash_group(const es_layout *layout, const void *state, int32_t group);

#endif
