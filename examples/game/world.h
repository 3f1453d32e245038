/* CC0: copy freely.
 *
 * The rules of the game: no SDL, no clock, no float. The same controls from the same state make the
 * same world on every machine, which the replay relies on.
 */
#ifndef GAME_WORLD_H
#define GAME_WORLD_H

#include "evenstep/world.h"

/* Positions are in 1/256 pixel, speeds in 1/256 pixel per second. */
enum { PIXEL = 256, TILE = 16 * PIXEL, RUN_SPEED = 150 * PIXEL };
enum { COLUMNS = 240, ROWS = 24, ENEMIES = 32, HEARTS = 3 };
enum { NONE = -1 };                                       /* the end of a list */
enum { LEFT = 1, RIGHT = 2, JUMP = 4, JUMP_PRESSED = 8 }; /* controls of a tick */
enum { AIR, GROUND, BOARD, GEM, GATE };                   /* tiles */
enum { JUMPED, LANDED, TOOK, STOMPED, HURT, KINDS };      /* happenings */
enum { PLAYING, LOST, WON };                              /* outcomes */

typedef struct body {
    int32_t x, y, vx, vy, grounded; /* x: the middle; y: the feet */
} body;

typedef struct enemy {
    body at;
    int32_t direction; /* -1, 1 */
    int32_t flat;      /* above 0: ticks until it is removed */
    int32_t next;      /* in its list */
    es_track2 track;   /* where it is drawn */
} enemy;

typedef struct happening {
    int32_t kind, x, y;
} happening;

typedef struct world {
    int32_t rate; /* ticks per second */
    int32_t ticks, outcome, gems, gems_all;
    body player;
    int32_t facing, hearts;
    int32_t hurt; /* ticks in which nothing hurts the player */
    int32_t safe_x, safe_y;
    int32_t seen;          /* columns whose enemies are spawned */
    int32_t first, unused; /* two lists of enemies: those in the world, and free ones */
    enemy enemies[ENEMIES];
    uint8_t tiles[ROWS * COLUMNS];
    /* no state, only for drawing */
    es_track2 track; /* of the player */
    int32_t event_count;
    happening events[8]; /* of the last tick */
} world;

extern const es_layout world_layout; /* of the state */

void world_load(world *w, int32_t rate);

/* One tick. tick: its number in the loop, for the tracks. */
void world_update(world *w, int32_t controls, int64_t tick);

/* The world was loaded: no object is drawn on its way there. */
void world_snap(world *w, int64_t tick);

int32_t world_tile(const world *w, int32_t column, int32_t row);

/* Controls of an automatic player. */
int32_t bot_controls(const world *w);

#endif
