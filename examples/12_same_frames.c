/* CC0: copy freely.
 *
 * 12: the frames of another machine again, each with its stutter, to find out where it is from.
 *
 * You will see: a game is recorded with what its clock says, and played: the same frames, to the
 * nanosecond. By mistake its drawing writes to the world: the draw check names frame and field.
 */
#include "evenstep/evenstep.h"

#include <stdio.h>

enum { FRAMES = 300, NOTE = 1 }; /* NOTE: a kind of event, the program's own */

typedef struct world {
    double x[2]; /* m, in the tick before and now */
    int32_t sparks;
} world;

static const es_field fields[] = {
        ES_FIELD(world, x, ES_BLEND_STEP),
        ES_FIELD(world, sparks, ES_BLEND_STEP),
};
static const es_layout layout = ES_LAYOUT(world, fields);
static es_loop_config loop_config = {.tick_rate = {20, 1}, .pace = ES_PACE_ADAPTIVE};
static es_loop loop;
static es_step step;
static es_frame frame;

static void update(world *w, double dt)
{
    w->x[0] = w->x[1];
    w->x[1] += 4 * dt;
}

static double draw(world *w, double alpha) /* the mistake: not a const world */
{
    return es_lerp(w->x[0], w->x[1], alpha) + 0.1 * (w->sparks++ % 2);
}

static void record_run(es_sink disk)
{
    static unsigned char memory[ES_RECORD_MEMORY_MIN], queue[ES_RING_OVERHEAD + 200000];
    static es_record record;
    es_manual_clock machine = {0};
    es_tape_writer tape = {.clock = es_manual_clock_get(&machine), .record = &record};
    es_record_config config = {.layout = &layout, .tick_rate = loop_config.tick_rate};
    es_ring ring;
    world w = {0};
    es_ring_init(&ring, queue, sizeof queue);
    config.sink = es_ring_sink(&ring); /* so that no tick waits for a disk */
    loop_config.clock = es_tape_writer_clock(&tape);
    es_loop_init(&loop, &loop_config, NULL);
    es_record_init(&record, &config, memory, sizeof memory, NULL);
    es_record_start(&record, 0, 0, &w);
    for (int i = 0; i < FRAMES; ++i) {
        es_loop_begin(&loop);
        while (es_loop_tick(&loop, &step)) {
            es_record_step(&record, &step, NULL, 0);
            update(&w, step.dt_s);
            es_record_tick(&record, &step, &w);
        }
        es_loop_ready(&loop, &frame);
        draw(&w, frame.alpha);
        es_manual_clock_work(&machine, (i == 200 ? 90 : 5) * ES_NS_PER_MS);
        es_loop_end(&loop);
        es_record_frame(&record, es_loop_report(&loop));
        es_ring_pump(&ring, &disk, NULL); /* or on a thread of its own */
    }
    es_record_event(&record, NOTE, "stutters", 8); /* for `evenstep replay FILE --events` */
    es_record_end(&record);
    es_ring_pump(&ring, &disk, NULL);
}

static void play_run(es_playback *play)
{
    static unsigned char memory[sizeof(world) + ES_DRAW_CHECK_OVERHEAD];
    es_tape_player tape = {.play = play};
    es_draw_check check;
    es_frame_report recorded;
    const void *input;
    size_t size;
    world w = {0};
    int same = 0;
    es_playback_start(play, &w);
    es_draw_check_init(&check, &layout, memory, sizeof memory, NULL);
    loop_config.clock = es_tape_player_clock(&tape);
    es_loop_init(&loop, &loop_config, NULL);
    while (es_playback_frame(play, &recorded)) {
        es_loop_begin(&loop);
        while (es_loop_tick(&loop, &step)) {
            es_playback_next(play, &step, &input, &size);
            update(&w, step.dt_s);
        }
        es_loop_ready(&loop, &frame);
        es_draw_check_before(&check, &w);
        draw(&w, frame.alpha);
        es_draw_check_after(&check, &w, frame.index);
        es_loop_end(&loop);
        same += es_loop_report(&loop)->shown_ns == recorded.shown_ns;
    }
    const es_draw_finding *wrote = es_draw_check_finding_get(&check);
    printf("%d of %d frames as recorded; drawing frame %d changed %s\n", same, FRAMES,
            (int)wrote->frame, wrote->found ? wrote->difference.field->name : "nothing");
}

int main(void)
{
    static unsigned char file[400000], memory[200000];
    static es_playback play;
    es_memory_sink sink = {file, sizeof file, 0}; /* a game: adapters/record_file.h */
    record_run(es_memory_sink_get(&sink));
    es_memory_source source = {file, sink.used};
    es_playback_config config = {.source = es_memory_source_get(&source), .layout = &layout};
    if (es_playback_open(&play, &config, memory, sizeof memory, NULL) != ES_OK) {
        return 1;
    }
    play_run(&play);
    return 0;
}
