/* CC0: copy freely.
 *
 * 12: the frames of another machine again, each with its stutter, to find out where it is from.
 *
 * You will see: a game is recorded with what its clock and its sound card say, and played: the same frames,
 * to the nanosecond. By mistake its drawing writes to the world: the draw check names frame and field.
 */
#include "evenstep/follow.h"
#include "evenstep/replay.h"
#include "evenstep/world.h"

#include "virtual_clock.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES = 300, NOTE = 1 }; /* NOTE: a kind of event, the program's own */

typedef struct world {
    double x; /* m */
    int32_t sparks;
} world;

static const es_field fields[] = {
        ES_FIELD(world, x, ES_BLEND_STEP),
        ES_FIELD(world, sparks, ES_BLEND_STEP),
};
static const es_layout layout = ES_LAYOUT(world, fields);
static es_loop_config loop_config = {.tick_rate = {20, 1}, .pace = ES_PACE_ADAPTIVE};
static es_loop *loop;
static es_step step;
static es_frame frame;

static double draw(world *w, double alpha) /* the mistake: not a const world */
{
    return es_lerp(w->x - 0.2, w->x, alpha) + 0.1 * (w->sparks++ % 2);
}

/* Memory in place of a file. */
static unsigned char kept[400000];
static size_t kept_size;

static es_result write_kept(void *user, const void *bytes, size_t size)
{
    bool fits = size <= sizeof kept - kept_size;
    memcpy(kept + kept_size, bytes, fits ? size : 0);
    kept_size += fits ? size : 0;
    return (void)user, fits ? ES_OK : ES_ERR_SPACE;
}

static es_result read_kept(void *user, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    size_t left = offset < kept_size ? kept_size - (size_t)offset : 0;
    *got = size < left ? size : left;
    memcpy(bytes, kept + kept_size - left, *got);
    return (void)user, ES_OK;
}

/* A game records to a path: NULL if the file exists. */
static const es_record_config config = {
        .state_size = sizeof(world), .stream = {NULL, write_kept, read_kept}, .tick_rate = {20, 1}};

static void record_run(void)
{
    virtual_clock machine = {0};
    es_clock clock = virtual_clock_get(&machine);
    world w = {0};
    es_record *record = es_record_create(NULL, &config, &w);
    loop_config.clock = es_record_clock(record, &clock);
    loop = es_loop_create(&loop_config);
    es_follower *sound =
            es_follower_create(&(es_follower_config){.tape = es_record_value, .tape_user = record});
    for (int i = 0; i < FRAMES; ++i) {
        es_follower_add(sound, machine.now_ns / 1000 * 1001, machine.now_ns);
        es_loop_follow(loop, sound, 0);
        es_loop_next(loop, &frame);
        for (int k = 0; k < frame.ticks; ++k) {
            step = es_frame_step(&frame, k);
            es_record_input(record, &step, NULL, 0);
            w.x += 4 * step.dt_s;
            es_record_state(record, &step, &w);
        }
        draw(&w, frame.alpha);
        virtual_clock_work(&machine, (i == 200 ? 90 : 5) * ES_NS_PER_MS);
        es_loop_end(loop);
        es_record_frame(record, es_loop_get_report(loop));
    }
    es_record_event(record, NOTE, "stutters", 8); /* for `evenstep replay FILE --events` */
    es_follower_destroy(sound);
    es_record_destroy(record);
    es_loop_destroy(loop);
}

int main(void)
{
    record_run();
    es_synctest *test = es_synctest_create(&(es_synctest_config){.layout = &layout});
    es_report recorded;
    es_difference wrote = {.field = "nothing"};
    const void *input;
    size_t size;
    world w = {0};
    int same = 0;
    es_replay *replay = es_replay_open(NULL, &config, &w);
    loop_config.clock = es_replay_clock(replay, NULL);
    loop = es_loop_create(&loop_config);
    es_follower *sound =
            es_follower_create(&(es_follower_config){.tape = es_replay_value, .tape_user = replay});
    while (es_replay_next_frame(replay, &recorded)) {
        es_loop_follow(loop, sound, 0);
        es_loop_next(loop, &frame);
        for (int k = 0; k < frame.ticks && es_replay_next(replay, &step, &input, &size); ++k) {
            w.x += 4 * step.dt_s;
        }
        es_synctest_draw_before(test, &w);
        draw(&w, frame.alpha);
        es_synctest_draw_after(test, &w, frame.index);
        es_loop_end(loop);
        same += es_loop_get_report(loop)->frame.content_ns == recorded.frame.content_ns;
    }
    es_synctest_get_difference(test, &wrote);
    printf("%d of %d frames as recorded; drawing frame %d changed %s\n", same, FRAMES,
            (int)wrote.tick, wrote.field);
    es_follower_destroy(sound);
    es_replay_close(replay);
    es_loop_destroy(loop);
    es_synctest_destroy(test);
    return 0;
}
