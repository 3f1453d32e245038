/* CC0: copy freely. */
#include "draw.h"

enum { VERTICES = 16384, CORNERS = 32 };

static SDL_Renderer *target;
static SDL_Vertex vertices[VERTICES];
static int indices[3 * VERTICES], vertex_count, index_count;
static float left_edge, top_edge, middle, feet, wide = 1, high = 1;

void paint_end(void)
{
    SDL_RenderGeometry(target, NULL, vertices, vertex_count, indices, index_count);
    vertex_count = index_count = 0;
}

float paint_begin(SDL_Renderer *renderer)
{
    int w = 0, h = 0;
    SDL_GetRendererOutputSize(renderer, &w, &h);
    SDL_RenderSetScale(renderer, (float)h / SCREEN_HEIGHT, (float)h / SCREEN_HEIGHT);
    SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND);
    target = renderer;
    paint_origin(0, 0);
    return (float)w * SCREEN_HEIGHT / (float)h;
}

/* Multiples of 1/64 stay exact in a float up to 262144. So where two tiles meet, both have the same
 * edge to the bit, and no gap opens between them at any fraction of a pixel. */
void paint_origin(double left, double top)
{
    left_edge = (float)(SDL_floor(left * 64.0 + 0.5) / 64.0);
    top_edge = (float)(SDL_floor(top * 64.0 + 0.5) / 64.0);
}

void paint_squash(float x, float y, float how_wide, float how_high)
{
    middle = x;
    feet = y;
    wide = how_wide;
    high = how_high;
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
    return (c & 0xFFFFFFU) | (colour)(255.5F - (float)(255U - (c >> 24)) * alpha) << 24;
}

void paint_shape(const SDL_FPoint *points, int count, colour top, colour bottom)
{
    float least = points[0].y, most = points[0].y;
    for (int i = 1; i < count; ++i) {
        least = SDL_min(least, points[i].y);
        most = SDL_max(most, points[i].y);
    }
    if (vertex_count + count > VERTICES) {
        paint_end();
    }
    for (int i = 0; i < count; ++i) {
        float t = most > least ? (points[i].y - least) / (most - least) : 0;
        colour c = top == bottom ? top : mix(top, bottom, t);
        const SDL_Vertex made = {{middle + (points[i].x - middle) * wide - left_edge,
                                         feet + (points[i].y - feet) * high - top_edge},
                {(Uint8)(c >> 16), (Uint8)(c >> 8), (Uint8)c, (Uint8)(255U - (c >> 24))}, {0, 0}};
        vertices[vertex_count + i] = made;
    }
    for (int i = 2; i < count; ++i) { /* a fan */
        indices[index_count++] = vertex_count;
        indices[index_count++] = vertex_count + i - 1;
        indices[index_count++] = vertex_count + i;
    }
    vertex_count += count;
}

void paint_rect(float x, float y, float w, float h, colour top, colour bottom)
{
    const SDL_FPoint points[] = {{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}};
    paint_shape(points, 4, top, bottom);
}

void paint_kite(float x, float y, float half, float up, float down, colour top, colour bottom)
{
    const SDL_FPoint points[] = {{x, y - up}, {x + half, y}, {x, y + down}, {x - half, y}};
    paint_shape(points, 4, top, bottom);
}

void paint_ellipse(float x, float y, float rx, float ry, colour top, colour bottom)
{
    SDL_FPoint points[CORNERS + 2] = {{x, y}}; /* the middle; the first corner comes twice */
    for (int i = 0; i <= CORNERS; ++i) {
        float angle = (float)(i % CORNERS) * 6.2831853F / CORNERS;
        points[i + 1].x = x + rx * SDL_cosf(angle);
        points[i + 1].y = y + ry * SDL_sinf(angle);
    }
    paint_shape(points, CORNERS + 2, top, bottom);
}

void paint_glow(float x, float y, float radius, colour c)
{
    paint_ellipse(x, y, radius, radius, fade(c, 0), fade(c, 0));
    vertices[vertex_count - CORNERS - 2].color.a = (Uint8)(255U - (c >> 24));
}

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

void paint_text(float x, float y, float size, float align, colour c, const char *text)
{
    const colour shadow = fade(INK, 1.0F - (float)(c >> 24) / 255.0F);
    x += left_edge - align * (6.0F * (float)SDL_strlen(text) - 1.0F) * size;
    y += top_edge;
    for (; *text != '\0'; ++text, x += 6.0F * size) {
        for (int i = *text >= ',' && *text <= 'Z' ? 0 : 80; i < 80; ++i) { /* first the shadow */
            float away = i < 40 ? 0.6F * size : 0;
            float at = x + (float)(i % 5) * size, down = y + (float)(i / 5 % 8) * size;
            if (font[5 * (*text - ',') + i % 5] >> (i / 5 % 8) & 1) {
                colour of = i < 40 ? shadow : c;
                paint_rect(at + away, down + away, size, size, of, of);
            }
        }
    }
}
