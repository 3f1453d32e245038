/* CC0: copy freely. */
#include "paint.h"

enum { VERTICES = 16384, CORNERS = 24 };

static SDL_Vertex vertices[VERTICES];
static int indices[3 * VERTICES];
static int vertex_count, index_count;

static void flush(paint *p)
{
    if (index_count > 0) {
        SDL_RenderGeometry(p->renderer, NULL, vertices, vertex_count, indices, index_count);
    }
    vertex_count = index_count = 0;
}

void paint_begin(paint *p, SDL_Renderer *renderer)
{
    int w = 0, h = 0;
    SDL_GetRendererOutputSize(renderer, &w, &h);
    float scale = h > 0 ? (float)h / PAINT_HEIGHT : 1.0F;
    SDL_RenderSetScale(renderer, scale, scale);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    p->renderer = renderer;
    p->width = (float)w / scale;
    paint_origin(p, 0, 0);
}

/* Multiples of 1/64 stay exact in a float up to 262144. So where two tiles meet, both have the same
 * edge to the bit, and no gap opens between them at any fraction of a pixel. */
void paint_origin(paint *p, double left, double top)
{
    p->left = (float)(SDL_floor(left * 64.0 + 0.5) / 64.0);
    p->top = (float)(SDL_floor(top * 64.0 + 0.5) / 64.0);
}

void paint_end(paint *p)
{
    flush(p);
}

colour mix(colour a, colour b, float t)
{
    colour out = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        float from = (float)(a >> shift & 255U), to = (float)(b >> shift & 255U);
        out |= (colour)(from + (to - from) * t + 0.5F) << shift;
    }
    return out;
}

colour fade(colour c, float alpha)
{
    return (c & 0xFFFFFFU) | (colour)((float)(c >> 24) * alpha + 0.5F) << 24;
}

void paint_shape(paint *p, const SDL_FPoint *points, int count, colour top, colour bottom)
{
    float least = points[0].y, most = points[0].y;
    for (int i = 1; i < count; ++i) {
        least = SDL_min(least, points[i].y);
        most = SDL_max(most, points[i].y);
    }
    if (vertex_count + count > VERTICES) {
        flush(p);
    }
    for (int i = 0; i < count; ++i) {
        float t = top == bottom || most <= least ? 0 : (points[i].y - least) / (most - least);
        colour c = t > 0 ? mix(top, bottom, t) : top;
        SDL_Vertex *v = &vertices[vertex_count + i];
        const SDL_Color rgba = {(Uint8)(c >> 16), (Uint8)(c >> 8), (Uint8)c, (Uint8)(c >> 24)};
        v->position.x = points[i].x - p->left;
        v->position.y = points[i].y - p->top;
        v->color = rgba;
    }
    for (int i = 2; i < count; ++i) {
        indices[index_count++] = vertex_count;
        indices[index_count++] = vertex_count + i - 1;
        indices[index_count++] = vertex_count + i;
    }
    vertex_count += count;
}

void paint_rect(paint *p, float x, float y, float w, float h, colour top, colour bottom)
{
    const SDL_FPoint points[] = {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
    paint_shape(p, points, 4, top, bottom);
}

void paint_triangle(paint *p, float x, float y, float half, float h, colour c)
{
    const SDL_FPoint points[] = {{x - half, y}, {x + half, y}, {x, y - h}};
    paint_shape(p, points, 3, c, c);
}

void paint_ellipse(paint *p, float x, float y, float rx, float ry, colour top, colour bottom)
{
    SDL_FPoint points[CORNERS];
    for (int i = 0; i < CORNERS; ++i) {
        float angle = (float)i * 6.2831853F / CORNERS;
        points[i].x = x + rx * SDL_cosf(angle);
        points[i].y = y + ry * SDL_sinf(angle);
    }
    paint_shape(p, points, CORNERS, top, bottom);
}

/* --- text --------------------------------------------------------------------------------------- */

/* From ',' to 'Z', five columns each; bit 0 is the top row. */
static const char font[] =
        "\x00\x50\x30\x00\x00\x08\x08\x08\x08\x08\x00\x60\x60\x00\x00\x20\x10\x08\x04\x02"
        "\x3E\x51\x49\x45\x3E\x00\x42\x7F\x40\x00\x42\x61\x51\x49\x46\x21\x41\x45\x4B\x31"
        "\x18\x14\x12\x7F\x10\x27\x45\x45\x45\x39\x3C\x4A\x49\x49\x30\x01\x71\x09\x05\x03"
        "\x36\x49\x49\x49\x36\x06\x49\x49\x29\x1E\x00\x36\x36\x00\x00\x00\x56\x36\x00\x00"
        "\x08\x14\x22\x41\x00\x14\x14\x14\x14\x14\x00\x41\x22\x14\x08\x02\x01\x51\x09\x06"
        "\x32\x49\x79\x41\x3E\x7E\x11\x11\x11\x7E\x7F\x49\x49\x49\x36\x3E\x41\x41\x41\x22"
        "\x7F\x41\x41\x22\x1C\x7F\x49\x49\x49\x41\x7F\x09\x09\x09\x01\x3E\x41\x49\x49\x7A"
        "\x7F\x08\x08\x08\x7F\x00\x41\x7F\x41\x00\x20\x40\x41\x3F\x01\x7F\x08\x14\x22\x41"
        "\x7F\x40\x40\x40\x40\x7F\x02\x0C\x02\x7F\x7F\x04\x08\x10\x7F\x3E\x41\x41\x41\x3E"
        "\x7F\x09\x09\x09\x06\x3E\x41\x51\x21\x5E\x7F\x09\x19\x29\x46\x46\x49\x49\x49\x31"
        "\x01\x01\x7F\x01\x01\x3F\x40\x40\x40\x3F\x1F\x20\x40\x20\x1F\x3F\x40\x38\x40\x3F"
        "\x63\x14\x08\x14\x63\x07\x08\x70\x08\x07\x61\x51\x49\x45\x43";

static void paint_glyph(paint *p, float x, float y, float size, colour c, const char *columns)
{
    for (int column = 0; column < 5; ++column) {
        for (int row = 0; row < 7; ++row) {
            int from = row;
            while (row < 7 && (columns[column] >> row & 1) != 0) {
                ++row; /* dots one above the other are one shape */
            }
            if (row > from) {
                paint_rect(p, x + (float)column * size, y + (float)from * size, size,
                        (float)(row - from) * size, c, c);
            }
        }
    }
}

void paint_text(paint *p, float x, float y, float size, float align, colour c, const char *text)
{
    const colour shadow = fade(0xFF150F26U, (float)(c >> 24) / 255.0F);
    x = p->left + x - align * (6.0F * (float)SDL_strlen(text) - 1.0F) * size;
    y += p->top;
    for (; *text != '\0'; ++text, x += 6.0F * size) {
        if (*text >= ',' && *text <= 'Z') {
            const char *columns = &font[5 * (*text - ',')];
            paint_glyph(p, x + SDL_max(size / 2, 0.5F), y + SDL_max(size / 2, 0.5F), size, shadow,
                    columns);
            paint_glyph(p, x, y, size, c, columns);
        }
    }
}
