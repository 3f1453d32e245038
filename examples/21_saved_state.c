/* CC0: copy freely.
 *
 * 21: save and load a state, and find state that the layout does not cover.
 *
 * You will see: a saved state that loads to the same bytes; that an update has no hidden state; and
 * the tick at which another one shows that it has. The figures are the same everywhere.
 */
#include "evenstep/replay.h"
#include "evenstep/world.h"

#include <stdio.h>
#include <string.h>

enum { TICKS = 120 };

typedef struct world {
    float height, speed; /* m, m/s */
    int32_t bounces;
} world;

static const es_field fields[] = {
        ES_FIELD(world, height, ES_BLEND_LINEAR),
        ES_FIELD(world, speed, ES_BLEND_LINEAR),
        ES_FIELD(world, bounces, ES_BLEND_STEP),
};
static const es_layout layout = ES_LAYOUT(world, fields);

static bool hides; /* the update uses a variable outside the state */

static int update(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    static float wind;
    world *w = state;
    float dt = (float)step->dt_s;
    (void)user, (void)input, (void)size;
    wind += hides ? dt : 0.0F;
    w->speed -= (9.81F + wind) * dt;
    w->height += w->speed * dt;
    if (w->height < 0.0F) {
        w->height = -w->height;
        w->speed = -w->speed;
        w->bounces += 1;
    }
    return 0;
}

static void run(world *w)
{
    es_synctest *test =
            es_synctest_create(&(es_synctest_config){.layout = &layout, .update = update});
    es_difference found = {.value_field = "nothing"};
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        es_step step = {.index = tick, .dt_s = 1.0 / 60};
        es_synctest_before(test, w, &step, NULL, 0);
        update(NULL, w, &step, NULL, 0);
        es_synctest_after(test, w); /* false: the second run gave another state */
    }
    es_synctest_get_difference(test, &found);
    printf("run twice, tick %d: %s differs\n", (int)found.tick, found.value_field);
    es_synctest_destroy(test);
}

int main(void)
{
    world w = {.height = 3.0F}, loaded = {0};
    unsigned char saved[sizeof w];
    run(&w);
    size_t size = es_state_pack(&layout, &w, saved, sizeof saved); /* the same bytes everywhere */
    bool same = es_state_unpack(&layout, &loaded, saved, size) && memcmp(&loaded, &w, size) == 0;
    printf("saved %d bytes, loaded %s\n", (int)size, same ? "the same state" : "another");
    hides = true;
    run(&w);
    return 0;
}
