/* CC0: copy freely. */
#include "world.h"

#include <string.h>

static es_result write_bytes(void *user, const void *bytes, size_t size)
{
    tape *t = user;
    if (size > sizeof t->bytes - t->size) {
        return ES_ERR_SPACE; /* which ends the recording */
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return ES_OK;
}

static es_result read_bytes(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    const tape *t = user;
    size_t rest = offset < t->size ? t->size - (size_t)offset : 0;
    *got = size < rest ? size : rest;
    memcpy(bytes, t->bytes + (rest > 0 ? offset : 0), *got);
    return ES_OK;
}

static es_record_config config_of(tape *t, const world *w)
{
    const es_record_config config = {.layout = &world_layout,
            .stream = {t, write_bytes, read_bytes},
            .tick_rate = {(uint32_t)w->rate, 1},
            .start_tick = w->ticks};
    return config;
}

bool tape_start(tape *t, const world *w)
{
    const es_record_config config = config_of(t, w);
    tape_end(t);
    t->record = es_record_create(NULL, &config, w);
    return t->record != NULL;
}

void tape_end(tape *t)
{
    es_replay_close(t->replay);
    es_record_destroy(t->record);
    t->replay = NULL;
    t->record = NULL;
    t->size = 0;
}

/* The recording counts the ticks of the world, which stands still in menus and replays. */
void tape_update(tape *t, world *w, int32_t controls, int64_t tick)
{
    const unsigned char byte = (unsigned char)controls;
    const es_rate rate = {(uint32_t)w->rate, 1};
    const es_step step = {.index = w->ticks + 1, .time_ns = es_rate_time_ns(rate, w->ticks + 1)};
    bool kept = es_record_input(t->record, &step, &byte, 1);
    world_update(w, controls, tick);
    if (!kept || !es_record_state(t->record, &step, w)) {
        tape_start(t, w);
    }
}

bool tape_next(tape *t, world *w, int64_t tick)
{
    es_step step;
    const void *input;
    size_t size;
    if (!es_replay_next(t->replay, &step, &input, &size)) {
        return false;
    }
    world_update(w, *(const unsigned char *)input, tick);
    return es_replay_check(t->replay, w);
}

bool tape_play(tape *t, world *w, int64_t tick)
{
    const es_record_config config = config_of(t, w);
    es_record_flush(t->record);
    es_replay_close(t->replay);
    t->replay = es_replay_open(NULL, &config, w);
    t->last = (int32_t)es_replay_status_get(t->replay).last_tick;
    t->first = t->last - 10 * w->rate;
    bool same = es_replay_seek(t->replay, t->first, w)      /* the saved world before it, ... */
                || es_replay_seek(t->replay, INT64_MIN, w); /* or the first, if that is newer */
    while (same && w->ticks < t->first) {
        same = tape_next(t, w, tick); /* not drawn */
    }
    t->first = w->ticks;
    world_snap(w, tick);
    return same;
}
