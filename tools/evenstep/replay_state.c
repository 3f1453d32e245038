/* SPDX-License-Identifier: Zlib */
#include "replay_state.h"

bool replay_snapshots_add(replay_snapshots *s, const es_reader_item *item)
{
    es_reader_snapshot part;
    if (item->damage != ES_DAMAGE_NONE || !es_reader_get_snapshot(item, &part)
            || part.total != s->total) {
        s->open = false;
        return false;
    }
    if (part.offset == 0) {
        s->open = true;
        s->done = 0;
        s->now = (replay_snapshot){.tick = part.tick,
                .time_ns = part.time_ns,
                .offset = item->offset,
                .place = {item->offset, item->sequence}};
        if (s->hash != NULL) {
            es_hash_begin(s->hash, 0);
        }
    }
    if (!s->open || part.offset != s->done || part.tick != s->now.tick) {
        s->open = false;
        return false;
    }
    s->done += part.size;
    if (s->hash != NULL) {
        es_hash_add(s->hash, part.bytes, part.size);
    }
    if (s->done < s->total) {
        return false;
    }
    s->open = false;
    s->now.hash = s->hash != NULL ? es_hash_value(s->hash) : 0;
    return true;
}

void replay_numbers_begin(
        replay_numbers *numbers, replay_file *file, const replay_snapshot *snapshot)
{
    *numbers = (replay_numbers){.file = file};
    es_reader_go(&file->reader, snapshot->place);
}

static bool next_part(replay_numbers *numbers)
{
    es_reader_item item;
    es_reader_snapshot part;
    if (es_reader_next(&numbers->file->reader, &item) != ES_OK
            || !es_reader_get_snapshot(&item, &part)) {
        return false;
    }
    replay_bar_show(numbers->file);
    numbers->at = part.bytes;
    numbers->left = part.size;
    return true;
}

bool replay_numbers_next(replay_numbers *numbers, es_type type, uint64_t *bits)
{
    *bits = 0;
    for (unsigned i = 0; i < ES_TYPE_SIZE(type); ++i) { /* records end anywhere in a number */
        if (numbers->left == 0 && !next_part(numbers)) {
            return false;
        }
        *bits |= (uint64_t)*numbers->at++ << (8 * i);
        numbers->left -= 1;
    }
    return true;
}
