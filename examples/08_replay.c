/* CC0: copy freely.
 *
 * 08: record a run, play it again, and see where a changed program parts from it.
 *
 * You will see: a recording; that it plays to the same states; a seek; and the same with a bouncing
 * that was changed a little, which names tick and field, and object and values of a snapshot. The
 * figures are the same everywhere. A real program's sink is a file (adapters/record_file.h).
 */
#include "evenstep/evenstep.h"

#include <inttypes.h>
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

static int update_call(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    update(state, step, input, *(const float *)user);
    return size == 1 ? 0 : -1;
}

static size_t record_run(unsigned char *file, size_t size)
{
    static unsigned char memory[ES_RECORD_MEMORY_MIN];
    static es_record record;
    static world w;
    es_memory_sink sink = {file, size, 0};
    es_record_tag tag = {"level", "3"};
    es_record_config config = {.layout = &layout, .tags = &tag, .tag_count = 1};
    config.sink = es_memory_sink_get(&sink);
    config.tick_rate = es_hz(60);
    config.hashes = ES_RECORD_HASH_FIELDS;
    config.snapshot_every = 100;
    es_record_init(&record, &config, memory, sizeof memory, NULL);
    for (int i = 0; i < BALLS; ++i) {
        w.balls[i].height = 2.0F + (float)i;
    }
    es_record_start(&record, 0, 0, &w);
    for (int64_t tick = 1; tick <= TICKS; ++tick) {
        es_step step = {.index = tick, .dt_s = es_rate_period_s(config.tick_rate)};
        unsigned char kicked = (unsigned char)(tick * 37 % 60); /* the player */
        es_record_step(&record, &step, &kicked, 1);
        es_record_flush(&record); /* if the update crashes, the file has the input of this tick */
        update(&w, &step, &kicked, 0.8F);
        es_record_tick(&record, &step, &w);
    }
    return es_record_end(&record) == ES_OK ? sink.used : 0; /* what failed is in the counts */
}

static void play_run(es_playback *play, const char *name)
{
    world w = {0};
    es_playback_start(play, &w);
    es_result result = es_playback_run(play, &w, INT64_MAX, true);
    const es_divergence *d = es_playback_divergence(play);
    printf("%s: %" PRId64 " ticks, %s\n", name, es_playback_tick(play),
            result == ES_OK ? "the same" : "another run");
    if (d->found) {
        const es_state_difference *at = &d->difference; /* of the first snapshot after it */
        printf("  from tick %" PRId64 " on: %s\n", d->tick, d->field->name);
        printf("  at tick %" PRId64 ": %s of ball %zu is %.4f, was %.4f\n", d->located_tick,
                at->field->name, at->element, at->values[0], at->values[1]);
    }
}

int main(void)
{
    static unsigned char file[200000], memory[150000];
    static es_playback play;
    float bounce = 0.8F;
    es_memory_source source = {file, record_run(file, sizeof file)};
    es_playback_config config = {
            es_memory_source_get(&source), &layout, 0, 0, &bounce, update_call, NULL};
    world w = {0};
    es_error error;
    printf("recorded: %zu bytes\n", source.size);
    if (es_playback_open(&play, &config, memory, sizeof memory, &error) != ES_OK) {
        printf("%s %s\n", error.field, error.reason);
        return 1;
    }
    play_run(&play, "played");
    es_playback_seek(&play, 317, &w);
    printf("seeked: at tick 317 ball 3 is %.4f m high\n", (double)w.balls[3].height);
    bounce = 0.8001F;
    play_run(&play, "changed");
    return 0;
}
