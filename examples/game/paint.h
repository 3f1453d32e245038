/* CC0: copy freely.
 *
 * Shapes and text, in one SDL_RenderGeometry. No files, no textures.
 */
#ifndef GAME_PAINT_H
#define GAME_PAINT_H

#include <SDL.h>

#include <stdint.h>

#define PAINT_HEIGHT 240.0F /* pixels of the game on the screen's height */

typedef uint32_t colour; /* 0xAARRGGBB */

typedef struct paint {
    SDL_Renderer *renderer;
    float width;     /* pixels of the game on the screen's width */
    float left, top; /* what the upper left corner shows; multiples of 1/64 */
} paint;

void paint_begin(paint *p, SDL_Renderer *renderer);
void paint_origin(paint *p, double left, double top);
void paint_end(paint *p);

colour mix(colour a, colour b, float t);
colour fade(colour c, float alpha);

/* A convex shape; its colour goes from top to bottom. */
void paint_shape(paint *p, const SDL_FPoint *points, int count, colour top, colour bottom);
void paint_rect(paint *p, float x, float y, float w, float h, colour top, colour bottom);
void paint_triangle(paint *p, float x, float y, float half, float h, colour c);
void paint_ellipse(paint *p, float x, float y, float rx, float ry, colour top, colour bottom);

/* Text in capitals; size: pixels per dot. align: 0 begins at x, 0.5 is centred there, 1 ends there. */
void paint_text(paint *p, float x, float y, float size, float align, colour c, const char *text);

#endif
