/* CC0: copy freely.
 *
 * 20: recordings that a server runs again, to find those of changed programs.
 *
 * You will see: matches recorded in a folder, the first of them by a cheater. `evenstep replay --verify` with
 * this file as a shared object (20_verified_game.so) finds it. Arguments: folder, number of matches.
 */
#include "verify.h"

#include <math.h>
#include <stdlib.h>

enum { SHIPS = 8 };

typedef struct world {
    struct {
        float at[2], speed[2];
    } ships[SHIPS];
    int32_t score[SHIPS];
    uint32_t random;
} world;

static const es_field fields[] = {
        ES_FIELD_OF_EACH(world, ships, at, ES_BLEND_LINEAR),
        ES_FIELD_OF_EACH(world, ships, speed, ES_BLEND_LINEAR),
        ES_FIELD_ARRAY(world, score, ES_BLEND_STEP),
        ES_FIELD(world, random, ES_BLEND_STEP),
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* Input: a byte per ship, 0 to 3: where it accelerates. */
static int update(void *state, const es_step *step, const void *input, size_t size)
{
    world *w = state;
    const unsigned char *keys = input;
    float dt = (float)step->dt_s;
    if (size != SHIPS) {
        return 1; /* a forged recording may hold anything */
    }
    for (int i = 0; i < SHIPS; ++i) {
        w->ships[i].speed[keys[i] & 1] += (keys[i] & 2) != 0 ? dt : -dt;
        for (int k = 0; k < 2; ++k) {
            w->ships[i].at[k] += w->ships[i].speed[k] * dt;
            if (fabsf(w->ships[i].at[k]) > 5.0F) { /* the wall */
                w->ships[i].speed[k] = -w->ships[i].speed[k];
                w->score[i] -= 1;
            }
        }
        w->random = w->random * UINT32_C(1664525) + UINT32_C(1013904223);
        w->score[i] += w->random >> 28 == 0 ? 10 : 0; /* a coin */
    }
    return 0;
}

#if defined(VERIFIED_GAME_MODULE) /* the shared object */

static void *create(void)
{
    return calloc(1, sizeof(world));
}

const es_verify es_verify_program = {
        ES_VERSION, "20_verified_game", &layout, create, free, update, NULL};

#else /* the game */

#include "evenstep/replay.h"

#include <stdio.h>

enum { TICKS = 120, CHEATER = 1 };

static const char *const tags[] = {"program", "20_verified_game", NULL};
static const es_record_config config = {.layout = &layout, .tick_rate = {60, 1}, .tags = tags};

static bool record_match(const char *folder, int match)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%05d.esrec", folder, match);
    world w = {.random = (uint32_t)match};
    es_record *record = es_record_create(path, &config, &w);
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        es_step step = {.index = tick, .dt_s = 1.0 / 60};
        unsigned char keys[SHIPS];
        for (int i = 0; i < SHIPS; ++i) {
            keys[i] = (unsigned char)((tick * 7 + i * 5 + match) / 16 % 4); /* the players */
        }
        es_record_input(record, &step, keys, sizeof keys);
        update(&w, &step, keys, sizeof keys);
        if (match == CHEATER && tick == 60) {
            w.score[3] += 100; /* no input did this */
        }
        es_record_state(record, &step, &w);
    }
    if (record == NULL || es_record_destroy(record).result != ES_OK) {
        printf("%s\n", es_get_error());
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    int count = argc > 2 ? atoi(argv[2]) : 10;
    for (int match = 1; match <= count; ++match) {
        if (!record_match(folder, match)) {
            return 1;
        }
    }
    printf("%d matches; match %d has a cheater. Find it:\n"
           "evenstep replay --verify %s --program 20_verified_game.so\n",
            count, CHEATER, folder);
    return 0;
}

#endif
