/* SPDX-License-Identifier: Zlib */
#include "record_parts.h"

#include "state_parts.h"

static bool group_begins(const es_layout *layout, size_t field)
{
    for (size_t i = 0; i < field; ++i) {
        if (layout->fields[i].group == layout->fields[field].group) {
            return false;
        }
    }
    return true;
}

bool es__record_hash_begins(const es_layout *layout, es_record_hashes hashes, size_t field)
{
    switch (hashes) {
    case ES_RECORD_HASH_WHOLE:
        return field == 0;
    case ES_RECORD_HASH_GROUPS:
        return group_begins(layout, field);
    default:
        return hashes == ES_RECORD_HASH_FIELDS;
    }
}

uint64_t es__record_hash(
        const es_layout *layout, es_record_hashes hashes, size_t field, const void *state)
{
    switch (hashes) {
    case ES_RECORD_HASH_WHOLE:
        return es_state_hash(layout, state);
    case ES_RECORD_HASH_GROUPS:
        return es__state_hash_group(layout, state, layout->fields[field].group);
    default:
        return es__state_hash_field(&layout->fields[field], state);
    }
}

size_t es__record_hash_count(const es_layout *layout, es_record_hashes hashes)
{
    size_t count = 0;
    for (size_t i = 0; i < layout->field_count; ++i) {
        count += es__record_hash_begins(layout, hashes, i);
    }
    return count;
}
