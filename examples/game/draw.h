/* CC0: copy freely.
 *
 * What a frame shows of the world. Nothing here changes the world.
 */
#ifndef GAME_DRAW_H
#define GAME_DRAW_H

#include "paint.h"
#include "world.h"

enum { PARTICLES = 256 };

typedef struct particle {
    int64_t born_ns; /* simulated time */
    float x, y, vx, vy, gravity, life_s, size;
    colour c;
} particle;

/* What drawing remembers from tick to tick. */
typedef struct view {
    es_track2 camera; /* the middle of the screen */
    int64_t jumped_ns, landed_ns;
    particle particles[PARTICLES];
    int next_particle;
    uint32_t random;
} view;

/* The view of a world that was loaded. */
void view_reset(view *v, const world *w, int64_t tick);

/* After each tick of the world: moves the camera, and starts particles where something happened. */
void view_tick(view *v, const world *w, const es_step *step);

void draw_world(paint *p, const view *v, const world *w, const es_frame *frame);
void draw_hud(paint *p, const world *w);

#endif
