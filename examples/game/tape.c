/* CC0: copy freely. */
#include "tape.h"

#include <stdlib.h>
#include <string.h>

static es_result write_bytes(void *user, const void *bytes, size_t size)
{
    tape *t = user;
    if (t->size + size > t->capacity) {
        size_t capacity = 2 * t->capacity + size + 65536;
        unsigned char *grown = realloc(t->bytes, capacity);
        if (grown == NULL) {
            return ES_ERR_SPACE;
        }
        t->bytes = grown;
        t->capacity = capacity;
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return ES_OK;
}

static es_result read_bytes(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    const tape *t = user;
    *got = offset < t->size ? t->size - (size_t)offset : 0;
    *got = *got < size ? *got : size;
    memcpy(bytes, t->bytes + (*got > 0 ? offset : 0), *got);
    return ES_OK;
}

static es_record_config config_of(tape *t, const world *w)
{
    const es_record_config config = {.layout = &world_layout,
            .stream = {t, write_bytes, read_bytes},
            .tick_rate = {(uint32_t)w->rate, 1},
            .snapshot_every = TAPE_SECONDS * w->rate};
    return config;
}

bool tape_start(tape *t, const world *w)
{
    tape_end(t);
    const es_record_config config = config_of(t, w);
    t->record = es_record_create(NULL, &config, w);
    return t->record != NULL;
}

/* The recording counts the ticks of the world, which stands still in menus and replays. */
bool tape_update(tape *t, world *w, int32_t controls, int64_t tick)
{
    const es_rate rate = {(uint32_t)w->rate, 1};
    const es_step step = {.index = w->ticks + 1,
            .dt_s = 1.0 / w->rate,
            .time_ns = es_rate_time_ns(rate, w->ticks + 1)};
    const unsigned char byte = (unsigned char)controls;
    bool kept = es_record_input(t->record, &step, &byte, 1);
    world_update(w, controls, tick);
    return es_record_state(t->record, &step, w) && kept;
}

bool tape_play(tape *t, world *w, int64_t tick)
{
    const es_record_config config = config_of(t, w);
    es_replay_close(t->replay);
    t->replay = es_record_flush(t->record) ? es_replay_open(NULL, &config, w) : NULL;
    if (t->replay == NULL) {
        return false;
    }
    t->last = (int32_t)es_replay_status_get(t->replay).last_tick;
    t->first = t->last - TAPE_SECONDS * w->rate;
    t->first = t->first > 0 ? t->first : 0;
    bool same = es_replay_seek(t->replay, t->first, w); /* the saved world before it ... */
    while (same && w->ticks < t->first) {
        same = tape_next(t, w, tick); /* ... and the ticks from there on, in no time */
    }
    world_snap(w, tick);
    return same;
}

bool tape_next(tape *t, world *w, int64_t tick)
{
    es_step step;
    const void *input;
    size_t size;
    if (!es_replay_next(t->replay, &step, &input, &size) || size != 1) {
        return false;
    }
    world_update(w, *(const unsigned char *)input, tick);
    return es_replay_check(t->replay, w);
}

void tape_end(tape *t)
{
    es_replay_close(t->replay);
    es_record_destroy(t->record);
    free(t->bytes);
    memset(t, 0, sizeof *t);
}
