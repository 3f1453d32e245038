/* CC0: copy freely.
 *
 * The rules of the game: no SDL, no clock, no float. The same controls from the same state give the
 * same world on every machine, which the replay relies on.
 */
#ifndef GAME_WORLD_H
#define GAME_WORLD_H

#include "evenstep/world.h"

enum {
    PIXEL = 256, /* positions are in 1/256 pixel, speeds in 1/256 pixel per second */
    TILE = 16 * PIXEL,
    COLUMNS = 240,
    ROWS = 24,
    ENEMIES = 32,
    NESTS = 4,
    EVENTS = 8,
    NONE = -1, /* the end of a list */
    HEARTS = 3,
    RUN_SPEED = 150 * PIXEL
};

/* The controls of a tick, as bits. */
enum { LEFT = 1, RIGHT = 2, JUMP = 4, JUMP_PRESSED = 8 };

enum { AIR, GROUND, BOARD, GEM, NEST, GATE };
enum { SLIME, BAT };
typedef enum outcome { PLAYING, LOST, WON } outcome;
typedef enum event_kind { JUMPED, LANDED, TOOK, STOMPED, SPAWNED, HURT, FINISHED } event_kind;

/* x: its middle. y: its feet. */
typedef struct body {
    int32_t x, y, vx, vy, grounded;
} body;

typedef struct player {
    body at;
    int32_t facing; /* -1, 1 */
    int32_t hearts;
    int32_t ledge, wish;    /* ticks in which a jump is still possible, and still wanted */
    int32_t hurt;           /* ticks in which nothing hurts it */
    int32_t safe_x, safe_y; /* where it stood last */
    es_track2 track;        /* where it is drawn */
} player;

typedef struct enemy {
    body at;
    int32_t kind;
    int32_t direction;      /* of a slime */
    int32_t home_x, home_y; /* of a bat */
    int32_t flat;           /* ticks until it is removed; 0: it lives */
    int32_t next;           /* in the list; NONE: the last */
    es_track2 track;
} enemy;

typedef struct nest {
    int32_t x, y, wait; /* ticks until it spawns a slime */
} nest;

typedef struct happening {
    event_kind kind;
    int32_t x, y;
} happening;

/* Links are numbers, not pointers: a copy of the bytes is a saved world. */
typedef struct world {
    int32_t rate; /* ticks per second */
    int32_t ticks;
    int32_t outcome;
    int32_t gems, gems_all;
    uint32_t random;
    player player;
    int32_t first, unused; /* enemies in the world, and free ones: two lists */
    enemy enemies[ENEMIES];
    nest nests[NESTS];
    uint8_t tiles[ROWS * COLUMNS];
    int32_t event_count; /* what happened in the last tick, for drawing: no state */
    happening events[EVENTS];
} world;

/* The fields that are state: all but tracks and events. */
extern const es_layout world_layout;

void world_load(world *w, int32_t rate);

/* One tick. tick: its number in the loop, for the tracks. */
void world_update(world *w, int32_t controls, int64_t tick);

/* All objects have jumped to where they are: a loaded world. */
void world_snap(world *w, int64_t tick);

int32_t world_tile(const world *w, int32_t column, int32_t row);
int32_t tile_of(int32_t position);

/* What a player without hands would press. */
int32_t bot_controls(const world *w);

#endif
