/* SPDX-License-Identifier: Zlib
 *
 * Opening: memory, the header, the program's field for each recorded one, and snapshots.
 */
#include "playback_parts.h"
#include "world/field.h"

enum { PLAYBACK_INPUT_MAX = 4096, PLAYBACK_ALIGNMENT = 64 };

/* --- memory --------------------------------------------------------------------------------- */

typedef struct parts {
    size_t fields, window, scratch, hashes, input; /* where each begins */
    size_t size;                                   /* 0: too large */
} parts;

static size_t playback_add(size_t at, size_t count, size_t size)
{
    size_t most = SIZE_MAX - PLAYBACK_ALIGNMENT;
    if (at > most || (size > 0 && count > (most - at) / size)) {
        return SIZE_MAX;
    }
    return (at + count * size + PLAYBACK_ALIGNMENT - 1) / PLAYBACK_ALIGNMENT * PLAYBACK_ALIGNMENT;
}

static parts parts_of(const es__playback_config *config)
{
    size_t input = config->input_max != 0 ? config->input_max : PLAYBACK_INPUT_MAX;
    parts p = {0};
    p.window = playback_add(p.fields, config->layout->field_count, sizeof(es_field));
    p.scratch = playback_add(p.window, ES_RECORD_SIZE_MAX, 1);
    p.hashes = playback_add(p.scratch, config->layout->state_size, 1);
    p.input = playback_add(p.hashes, config->layout->field_count + 1, 8);
    p.size = playback_add(p.input, input, 1);
    p.size = p.size > SIZE_MAX - PLAYBACK_ALIGNMENT
                     ? 0
                     : p.size + PLAYBACK_ALIGNMENT - 1; /* any address */
    return p;
}

size_t es__playback_memory_size(const es__playback_config *config)
{
    return parts_of(config).size;
}

static void divide(es__playback *play, const es__playback_config *config, void *memory)
{
    size_t skip =
            (PLAYBACK_ALIGNMENT - (uintptr_t)memory % PLAYBACK_ALIGNMENT) % PLAYBACK_ALIGNMENT;
    unsigned char *at = (unsigned char *)memory + skip;
    parts p = parts_of(config);
    *play = (es__playback){.config = *config,
            .fields = (void *)(at + p.fields),
            .scratch = at + p.scratch,
            .hashes = at + p.hashes,
            .input = at + p.input,
            .resume = {.tick = INT64_MAX}};
    play->config.input_max = config->input_max != 0 ? config->input_max : PLAYBACK_INPUT_MAX;
    memset(play->scratch, 0, config->layout->state_size);
}

/* --- the header ----------------------------------------------------------------------------- */

static es_result take_field(es__playback *play, const es_field *recorded, es__error *error)
{
    const es_field *mine = es__layout_find(play->config.layout, recorded->name);
    if (mine == NULL) {
        return es__refuse_as(error, ES_ERR_UNSUPPORTED, recorded->name,
                "is recorded, and the layout has no such field");
    }
    if (mine->type != recorded->type || es__components(mine) != recorded->components) {
        return es__refuse_as(error, ES_ERR_UNSUPPORTED, mine->name,
                "was recorded with another type or number of components");
    }
    if (mine->count != recorded->count) {
        return es__refuse_as(error, ES_ERR_UNSUPPORTED, mine->name,
                "was recorded for another number of objects");
    }
    if (es__layout_find(&play->layout, mine->name) != NULL) {
        return es__refuse_as(error, ES_ERR_DAMAGED, mine->name, "is recorded twice");
    }
    es_field *field = &play->fields[play->layout.field_count];
    *field = *mine;
    field->group = recorded->group; /* the recorded hashes are of these groups */
    play->layout.field_count += 1;
    return ES_OK;
}

/* The next record of the header, or of a copy of it. */
static es_result next_of_header(es__playback *play, bool copy, es_replay_item *item)
{
    es_replay_item original;
    es_result result = es__reader_next(&play->reader, item);
    while (result == ES_ERR_DAMAGED && item->count == 0 && item->damage != ES_DAMAGE_CUT) {
        result = es__reader_next(&play->reader, item); /* only the file's head is damaged */
    }
    if (result != ES_OK || !copy) {
        return result;
    }
    if (!es__reader_get_copy(&play->reader, item, &original)) {
        return ES_ERR_DAMAGED;
    }
    *item = original;
    return ES_OK;
}

/* The fields that follow the run. */
static es_result read_fields(es__playback *play, bool copy, es__error *error)
{
    es_replay_item item;
    play->layout = (es_layout){play->fields, 0, play->config.layout->state_size};
    for (uint32_t i = 0; i < play->run.field_count; ++i) {
        es_result result = next_of_header(play, copy, &item);
        if (result == ES_OK && item.kind != ES_RECORD_FIELD) {
            result = ES_ERR_DAMAGED;
        }
        if (result != ES_OK) {
            return es__refuse_as(error, result, "run", "is not followed by all of its fields");
        }
        result = take_field(play, item.field, error);
        if (result != ES_OK) {
            return result;
        }
    }
    if (play->run.packed_size != es__state_packed_size(&play->layout)
            || play->run.hash_count
                       != es__record_hash_count(&play->layout, play->run.config.hashes)) {
        return es__refuse_as(error, ES_ERR_DAMAGED, "run", "has other sizes than its fields");
    }
    return ES_OK;
}

/* The first whole copy of a damaged header. ES_ERR_STATE: there is none. */
static es_result read_copy(es__playback *play, es__error *error)
{
    es_replay_item item, original;
    es__reader_go(&play->reader, (es__reader_place){0, 0});
    for (;;) {
        es_result result = es__reader_next(&play->reader, &item);
        if (result == ES_ERR_DAMAGED) {
            continue;
        }
        if (result != ES_OK || item.kind == ES_RECORD_NONE) {
            return result != ES_OK ? es__refuse_as(error, result, "source", "cannot be read")
                                   : ES_ERR_STATE;
        }
        if (es__reader_get_copy(&play->reader, &item, &original)
                && original.kind == ES_RECORD_RUN) {
            play->run = *original.run;
            result = read_fields(play, true, error);
            if (result != ES_ERR_DAMAGED) {
                return result;
            }
        }
    }
}

static es_result read_header(es__playback *play, es__error *error)
{
    es_replay_item item;
    es_result result = next_of_header(play, false, &item);
    if (result == ES_OK && item.kind != ES_RECORD_RUN) {
        result = ES_ERR_DAMAGED;
    }
    if (result == ES_OK) {
        play->run = *item.run;
    }
    result = result == ES_OK ? read_fields(play, false, error)
                             : es__refuse_as(error, result, "run",
                                     "is not the first record, or cannot be read");
    if (result == ES_ERR_DAMAGED) {
        es__error of_copy;
        es_result copy = read_copy(play, &of_copy);
        if (copy != ES_OK && copy != ES_ERR_STATE) {
            return es__refuse_as(error, copy, of_copy.field, of_copy.reason);
        }
        result = copy == ES_OK ? ES_OK : ES_ERR_DAMAGED; /* error names what is wrong with the
                                                            header itself */
    }
    if (result != ES_OK) {
        return result;
    }
    es__state_self_test test = es__state_self_test_run();
    play->fit.arithmetic = test.arithmetic == play->run.self_test[0];
    play->fit.library = test.library == play->run.self_test[1];
    return ES_OK;
}

/* --- snapshots ------------------------------------------------------------------------------ */

es_result es__playback_snapshot(
        es__playback *play, es__reader_place place, void *state, es__reader_place *behind)
{
    uint64_t done = 0;
    int64_t tick = 0;
    es__reader_go(&play->reader, place);
    while (done < play->run.packed_size) {
        es_replay_item item;
        es_result result = es__reader_next(&play->reader, &item);
        if (result != ES_OK) {
            return result;
        }
        if (item.kind != ES_RECORD_SNAPSHOT || item.part != done
                || item.total != play->run.packed_size || (done > 0 && item.step.index != tick)) {
            return ES_ERR_DAMAGED;
        }
        tick = item.step.index;
        done += es__state_unpack(&play->layout, state, item.part, item.bytes, item.size);
    }
    *behind = es__reader_at(&play->reader);
    return ES_OK;
}

es__playback_scan es__playback_scan_from(es__reader_place place)
{
    return (es__playback_scan){.place = place, .done = UINT64_MAX};
}

/* Whether this part completes the open snapshot. */
static bool is_completed(const es__playback *play, es__playback_scan *scan,
        const es_replay_item *part, es__reader_place place)
{
    if (part->part == 0) {
        scan->open = (es__playback_mark){part->step.index, part->step.time_ns, place};
        scan->done = 0;
    }
    if (part->total != play->run.packed_size || part->part != scan->done
            || part->step.index != scan->open.tick || part->step.index == INT64_MAX) {
        scan->done = UINT64_MAX; /* none is open */
        return false;
    }
    scan->done += part->size;
    return scan->done == part->total;
}

es_result es__playback_scan_next(
        es__playback *play, es__playback_scan *scan, es__playback_mark *found)
{
    uint64_t header = 1 + (uint64_t)play->run.field_count + play->reader.tag_count;
    es__reader_go(&play->reader, scan->place);
    for (;;) {
        es_replay_item item;
        es__reader_place place = es__reader_at(&play->reader);
        es_result result = es__reader_next(&play->reader, &item);
        if (result == ES_OK && item.kind == ES_RECORD_NONE) {
            return ES_ERR_STATE;
        }
        if (result != ES_OK && result != ES_ERR_DAMAGED) {
            return result;
        }
        if (result == ES_OK && item.kind == ES_RECORD_SNAPSHOT) {
            if (is_completed(play, scan, &item, place)) {
                scan->place = es__reader_at(&play->reader);
                *found = scan->open;
                return ES_OK;
            }
            continue;
        }
        scan->done = UINT64_MAX;
        scan->hidden |= result == ES_OK ? item.kind == ES_RECORD_STEP
                                        : item.count > 0 && item.sequence + item.count > header;
    }
}

es_result es__playback_open(
        es__playback *play, const es__playback_config *config, void *memory, es__error *error)
{
    divide(play, config, memory);
    unsigned char *window = (unsigned char *)play->fields + parts_of(config).window;
    es_result result =
            es__reader_open(&play->reader, &config->stream, window, ES_RECORD_SIZE_MAX, error);
    if (result == ES_OK) {
        result = read_header(play, error);
    }
    if (result != ES_OK) {
        return result;
    }
    if (config->summary != NULL) {
        play->summary = *config->summary;
    } else {
        result = es__reader_outline(&play->reader, &play->summary);
    }
    es__playback_scan scan = es__playback_scan_from((es__reader_place){0, 0});
    if (result == ES_OK) {
        result = es__playback_scan_next(play, &scan, &play->first);
    }
    if (result == ES_ERR_STATE) {
        return es__refuse_as(error, ES_ERR_DAMAGED, "run", "is not followed by a whole snapshot");
    }
    if (result != ES_OK) {
        return es__refuse_as(error, result, "source", "cannot be read");
    }
    play->start_hidden = scan.hidden;
    play->tick = play->first.tick;
    return es__refuse_as(error, ES_OK, NULL, NULL);
}
