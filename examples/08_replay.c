/* CC0: copy freely.
 *
 * 08: record a run, play it again, and see where a changed program parts from it.
 *
 * You will see: a recording; that it plays to the same states; a seek; and the same with a bouncing
 * that was changed a little, which names tick and field, and object and values of a snapshot. The
 * figures are the same everywhere.
 */
#include "evenstep/replay.h"
#include "evenstep/world.h"

#include <stdio.h>

enum { BALLS = 20, TICKS = 600 };

typedef struct world {
    struct {
        float height, speed; /* m, m/s */
    } balls[BALLS];
    int32_t kicks;
} world;

static const es_field fields[] = {
        ES_FIELD_OF_EACH(world, balls, height, ES_BLEND_LINEAR),
        ES_FIELD_OF_EACH(world, balls, speed, ES_BLEND_LINEAR),
        ES_FIELD(world, kicks, ES_BLEND_STEP),
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* One tick: its input is a byte, the ball that is kicked; bounce is what will be changed. */
static void update(world *w, const es_step *step, const unsigned char *kicked, float bounce)
{
    float dt = (float)step->dt_s;
    if (*kicked < BALLS) {
        w->balls[*kicked].speed += 5.0F;
        w->kicks += 1;
    }
    for (int i = 0; i < BALLS; ++i) {
        w->balls[i].speed -= 9.81F * dt;
        w->balls[i].height += w->balls[i].speed * dt;
        if (w->balls[i].height < 0.0F) {
            w->balls[i].height = 0.0F;
            w->balls[i].speed = -w->balls[i].speed * bounce;
        }
    }
}

static const char path[] = "08_replay.esrec";
static const char *const tags[] = {"level", "3", NULL};
static const es_record_config config = {.layout = &layout,
        .tick_rate = {60, 1},
        .tags = tags,
        .hashes = ES_RECORD_HASH_FIELDS,
        .snapshot_every = 100};

static void record_run(void)
{
    static world w;
    for (int i = 0; i < BALLS; ++i) {
        w.balls[i].height = 2.0F + (float)i;
    }
    remove(path); /* a file that is there is never written over */
    es_record *record = es_record_create(path, &config, &w);
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        es_step step = {.index = tick, .dt_s = 1.0 / 60};
        unsigned char kicked = (unsigned char)(tick * 37 % 60); /* the player */
        es_record_input(record, &step, &kicked, 1);
        es_record_flush(record); /* if the update crashes, the file has the input of this tick */
        update(&w, &step, &kicked, 0.8F);
        es_record_state(record, &step, &w);
        if (es_record_get_status(record).result != ES_OK) {
            break; /* the disk is full: the file has everything so far */
        }
    }
    printf("recorded: %d bytes\n", (int)es_record_destroy(record).bytes);
}

/* Up to a tick. */
static void run_on(es_replay *replay, world *w, float bounce, int64_t tick)
{
    es_step step;
    const void *input;
    size_t size;
    while (es_replay_get_status(replay).tick < tick
            && es_replay_next(replay, &step, &input, &size)) {
        update(w, &step, input, bounce);
        es_replay_check(replay, w);
    }
}

static void play_run(es_replay *replay, const char *name, float bounce)
{
    world w = {0};
    es_difference d;
    es_replay_seek(replay, INT64_MIN, &w); /* from the start */
    run_on(replay, &w, bounce, INT64_MAX);
    bool differs = es_replay_get_difference(replay, &d);
    printf("%s: %d ticks, %s\n", name, (int)es_replay_get_status(replay).tick,
            differs ? "another run" : "the same");
    if (differs) {
        printf("  from tick %d on: %s\n", (int)d.tick, d.field);
        printf("  at tick %d: %s of ball %d is %.4f, was %.4f\n", (int)d.value_tick, d.value_field,
                (int)d.object, d.values[0], d.values[1]);
    }
}

int main(void)
{
    world w = {0};
    record_run();
    es_replay *replay = es_replay_open(path, &config, &w);
    if (replay == NULL) {
        printf("%s\n", es_get_error());
        return 1;
    }
    play_run(replay, "played", 0.8F);
    es_replay_seek(replay, 317, &w); /* to the saved state of tick 300 */
    run_on(replay, &w, 0.8F, 317);
    printf("seeked: at tick 317 ball 3 is %.4f m high\n", (double)w.balls[3].height);
    play_run(replay, "changed", 0.8001F);
    es_replay_close(replay);
    return remove(path);
}
