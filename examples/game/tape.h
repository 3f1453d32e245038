/* CC0: copy freely.
 *
 * Records the controls of each tick, and plays the last ten seconds from a saved world.
 */
#ifndef GAME_TAPE_H
#define GAME_TAPE_H

#include "evenstep/replay.h"
#include "world.h"

enum { TAPE_SECONDS = 10 };

typedef struct tape {
    unsigned char *bytes; /* the recording */
    size_t size, capacity;
    es_record *record;
    es_replay *replay;   /* not NULL: it plays */
    int32_t first, last; /* ticks of the world that it plays: after first, up to last */
} tape;

/* Begins a recording with this world, and ends another. */
bool tape_start(tape *t, const world *w);

/* A tick of the world that is recorded. tick: as of world_update. */
bool tape_update(tape *t, world *w, int32_t controls, int64_t tick);

/* Loads the world of ten seconds ago. tick: that of the loop. */
bool tape_play(tape *t, world *w, int64_t tick);

/* The next tick of it. False: it has ended, or differs from what was recorded: es_get_error. */
bool tape_next(tape *t, world *w, int64_t tick);

void tape_end(tape *t);

#endif
