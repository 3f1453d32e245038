/* CC0: copy freely.
 *
 * Records the controls of each tick in memory, and plays the last ten seconds.
 */
#ifndef GAME_TAPE_H
#define GAME_TAPE_H

#include "evenstep/replay.h"
#include "world.h"

typedef struct tape {
    es_record *record;
    es_replay *replay;
    int32_t first, last; /* ticks of the world: it plays those after first, up to last */
    size_t size;
    unsigned char bytes[1 << 24]; /* half an hour at 60 ticks per second; then it starts anew */
} tape;

bool tape_start(tape *t, const world *w);
void tape_end(tape *t);

/* One tick of the game. tick: as of world_update. */
void tape_update(tape *t, world *w, int32_t controls, int64_t tick);

/* Loads the world of ten seconds ago. tick: of the loop. */
bool tape_play(tape *t, world *w, int64_t tick);

/* One tick of the replay. False: it has ended, or differs from what was recorded: es_get_error. */
bool tape_next(tape *t, world *w, int64_t tick);

#endif
