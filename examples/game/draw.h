/* CC0: copy freely.
 *
 * draw.c: what a frame shows of the world, which it does not change. paint.c: shapes and text by
 * SDL_RenderGeometry, without files and textures. Units are pixels of the game.
 */
#ifndef GAME_DRAW_H
#define GAME_DRAW_H

#include "evenstep/view.h"
#include "world.h"

#include <SDL.h>

#define SCREEN_HEIGHT 240.0F

/* 0xRRGGBB; the highest byte is transparency. The palette: a warm sky behind a cool land. */
typedef uint32_t colour;
enum { INK = 0x1A1330, CREAM = 0xFFF3DB, DUST = 0xB9A3C9, TEAL = 0x2FC4BE, GOLD = 0xFFD54F };
enum { SKY_TOP = 0x241F4A, SKY_MIDDLE = 0x8A4680, SKY_LOW = 0xFFAE7A, SUN = 0xFFE7B8 };
enum { DIRT = 0x5A3A5E, DEEP = 0x1F1834, GRASS = 0x5FD08A, LEAF = 0x2C8C70, LIGHT = 0xFFC58A };
enum { WOOD = 0x6A3D45, AMBER = 0xF08A3C, CORAL = 0xFF5F6D };

typedef struct particle {
    int64_t born_ns; /* simulated time */
    float x, y, vx, vy;
    colour c;
} particle;

/* What drawing keeps from tick to tick. */
typedef struct view {
    es_camera camera;
    int64_t happened_ns[KINDS]; /* when each kind was last */
    particle particles[256];
    int next_particle;
} view;

/* The world was loaded. */
void view_reset(view *v, const world *w, int64_t tick);

/* After each tick of the world: moves the camera, and starts particles where something happened. */
void view_tick(view *v, const world *w, const es_step *step);

void draw_world(const view *v, const world *w, const es_frame *frame, float width);
void draw_hud(const world *w);

/* Returns the width of the screen. */
float paint_begin(SDL_Renderer *renderer);
void paint_end(void);
void paint_origin(double left, double top); /* what the upper left corner shows */

/* Shapes from now on are drawn wider and higher by this factor, about this place. */
void paint_squash(float x, float y, float wide, float high);

/* A convex shape whose colour goes from top to bottom. */
void paint_shape(const SDL_FPoint *points, int count, colour top, colour bottom);
void paint_rect(float x, float y, float w, float h, colour top, colour bottom);
void paint_kite(float x, float y, float half, float up, float down, colour top, colour bottom);
void paint_ellipse(float x, float y, float rx, float ry, colour top, colour bottom);
void paint_glow(float x, float y, float radius, colour c);

/* Capitals; size: pixels per dot. align: 0 begins at x, 0.5 is centred there, 1 ends there. */
void paint_text(float x, float y, float size, float align, colour c, const char *text);

colour mix(colour a, colour b, float t);
colour fade(colour c, float alpha);

#endif
