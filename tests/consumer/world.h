/* SPDX-License-Identifier: Zlib
 *
 * The world of both consumers, in what C11 and C++17 share.
 */
#ifndef CONSUMER_WORLD_H
#define CONSUMER_WORLD_H

#include <evenstep/world.h>

#include <string.h>

enum { OBJECTS = 37, FRAMES = 120, TICKS_PER_S = 20 };

typedef struct world {
    float x[OBJECTS];
    float turn[4][OBJECTS];
} world;

static const es_field fields[] = {
        ES_FIELD_ARRAY(world, x, ES_BLEND_LINEAR),
        ES_FIELD_BY_HAND("turn", ES_TYPE_F32, ES_BLEND_ROTATION, ES_WITH(count, OBJECTS),
                ES_WITH(components, 4), ES_WITH(offset, offsetof(world, turn)),
                ES_WITH(stride, sizeof(float)), ES_WITH(component_stride, OBJECTS * sizeof(float))),
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* Small whole numbers, and quaternions that are what they are: the same on every machine. */
static void update(world *w, int64_t tick)
{
    static const float turns[3][4] = {{0, 0, 0, 1}, {0, 0, 0.6F, 0.8F}, {0.6F, 0, 0, 0.8F}};
    for (int i = 0; i < OBJECTS; ++i) {
        w->x[i] = (float)(3 * tick + i);
        for (int c = 0; c < 4; ++c) {
            w->turn[c][i] = turns[(tick + i) % 3][c];
        }
    }
}

/* FNV-1a of the numbers' bits, whatever the order of bytes. */
static uint64_t hash_of(uint64_t hash, const float *numbers, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (bits >> shift & 255)) * UINT64_C(1099511628211);
        }
    }
    return hash;
}

/* Whether the picture is where the world is at that instant. */
static bool is_right(const world *seen, int64_t content_ns)
{
    double ticks = (double)content_ns * TICKS_PER_S / 1e9;
    for (int i = 0; i < OBJECTS; ++i) {
        double error = (double)seen->x[i] - (3 * ticks + i);
        double square = 0;
        for (int c = 0; c < 4; ++c) {
            square += (double)seen->turn[c][i] * (double)seen->turn[c][i];
        }
        if (error > 1e-4 || error < -1e-4 || square > 1.00001 || square < 0.99999) {
            return false;
        }
    }
    return true;
}

/* The machine's own clock, where there is one: does it go on, and can it wait? */
static const char *system_clock(void)
{
    es_clock clock;
    if (!es_clock_system(&clock)) {
        return "none";
    }
    int64_t deadline_ns = clock.now_ns(clock.user) + ES_NS_PER_MS;
    clock.wait_until(clock.user, deadline_ns);
    return clock.now_ns(clock.user) >= deadline_ns ? "works" : "FAILS";
}

#endif
