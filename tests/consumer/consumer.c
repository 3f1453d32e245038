/* SPDX-License-Identifier: Zlib
 *
 * A program of somebody else's, for tests/package.sh and tests/amalgamation.sh: two seconds of a
 * small world on a manual clock, kept in a history and blended. Prints one line, which is the same
 * however the library was got, from C (C11 or later) and from C++; fails if a picture is not where
 * the world's motion says, or the library linked is not that of the header.
 */
#include "evenstep/world.h"
#include "world.h"

#include <evenstep/evenstep.h>

#include <stdio.h>

/* A clock that only the program moves. */
static int64_t now(void *user)
{
    return *(int64_t *)user;
}

static void wait_until(void *user, int64_t deadline_ns)
{
    int64_t *time_ns = user;
    *time_ns = *time_ns < deadline_ns ? deadline_ns : *time_ns;
}

int main(void)
{
    static world seen;
    int64_t time_ns = 0;
    es_history *history = es_history_create(sizeof(world), 2);
    es_loop_config config = {0};
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
            update(es_history_push(history, &step), step.index);
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
