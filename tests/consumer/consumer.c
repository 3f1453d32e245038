/* SPDX-License-Identifier: Zlib
 *
 * A program of somebody else's, for tests/package.sh and tests/amalgamation.sh: two seconds of a
 * small world on a manual clock, kept in a history and blended. Prints one line, which is the same
 * however the library was got, and by a C11 or a C++17 compiler, which both take this file; fails if a
 * picture is not where the world's motion says, or the library linked is not that of the header.
 */
#include "evenstep/world.h"
#include <evenstep/evenstep.h>

#include <stdio.h>
#include <string.h>

/* --- a world ------------------------------------------------------------------------------------ */

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

/* --- a program -------------------------------------------------------------------------------- */

/* A clock that only the program moves. */
static int64_t now(void *user)
{
    return *(int64_t *)user;
}

static void wait_until(void *user, int64_t deadline_ns)
{
    int64_t *time_ns = (int64_t *)user;
    *time_ns = *time_ns < deadline_ns ? deadline_ns : *time_ns;
}

int main(void)
{
    static world seen;
    int64_t time_ns = 0;
    es_history *history = es_history_create(sizeof(world), 2);
    es_loop_config config;
    memset(&config, 0, sizeof config);
    config.tick_rate = es_hz(TICKS_PER_S);
    config.clock.now_ns = now;
    config.clock.wait_until = wait_until;
    config.clock.user = &time_ns;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", ES_VERSION_MAJOR, ES_VERSION_MINOR,
            ES_VERSION_PATCH);
    int linked = es_version();
    es_loop *loop = es_loop_create(&config);
    if (linked != ES_VERSION || !es_layout_validate(&layout) || loop == NULL || history == NULL) {
        fprintf(stderr, "%d: header %s, cannot begin: %s\n", linked, version, es_get_error());
        return 1;
    }
    update((world *)es_history_current(history), 0);
    es_history_reset(history, 0, 0);

    uint64_t hash = UINT64_C(14695981039346656037);
    int ticks = 0;
    for (int frames = 0; frames < FRAMES; ++frames) {
        es_step step;
        es_frame frame;
        es_loop_begin(loop);
        while (es_loop_tick(loop, &step)) {
            update((world *)es_history_push(history, &step), step.index);
            ++ticks;
        }
        es_loop_wait(loop, &frame);
        if (!es_blend_frame(&layout, history, &frame, &seen)
                || !is_right(&seen, frame.content_ns)) {
            fprintf(stderr, "frame %d is wrong\n", frames);
            return 1;
        }
        hash = hash_of(hash, seen.x, OBJECTS);
        hash = hash_of(hash, seen.turn[0], (size_t)4 * OBJECTS);
        es_loop_submit(loop);
        es_loop_end(loop);
    }
    printf("%s: %d frames, %d ticks, pictures %08lx%08lx, clock %s\n", version, FRAMES, ticks,
            (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffff), system_clock());
    es_history_destroy(history);
    es_loop_destroy(loop);
    return 0;
}
