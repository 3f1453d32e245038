/* SPDX-License-Identifier: Zlib */
#include "evenstep/record.h"
#include "evenstep/state.h"

#include "demo_recorder.h"

#include "tool.h"

#include "adapters/record_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct demo_recorder {
    const char *path;
    es_record record;
    es_record_file file;
    int64_t tick;
    bool started;
    bool frames; /* are recorded */
    bool moved;  /* the next tick goes on from `state` */
    es_step step;
    unsigned char batch[ES_RECORD_MEMORY_MIN];
    unsigned char input[DEMO_INPUT_MAX];
    size_t state_size;
    unsigned char state[]; /* packed */
};

static es_result start_record(demo_recorder *recorder, const demo_recorder_setup *setup)
{
    const es_record_tag tags[] = {{"program", DEMO_WORLD_PROGRAM}, {"loop", setup->loop}};
    const es_record_config config = {.layout = demo_world_layout(),
            .sink = es_record_file_sink(&recorder->file),
            .tick_rate = setup->tick_rate,
            .seed = setup->seed,
            .tags = tags,
            .tag_count = sizeof tags / sizeof tags[0]};
    return es_record_init(
            &recorder->record, &config, recorder->batch, sizeof recorder->batch, NULL);
}

demo_recorder *demo_recorder_open(const demo_recorder_setup *setup)
{
    size_t state_size = (size_t)es_state_packed_size(demo_world_layout());
    demo_recorder *recorder = calloc(1, sizeof *recorder + state_size);
    if (recorder == NULL) {
        return NULL;
    }
    recorder->path = setup->path;
    recorder->frames = true;
    recorder->state_size = state_size;
    if (es_record_file_create(&recorder->file, setup->path) != ES_OK
            || start_record(recorder, setup) != ES_OK) {
        int problem = recorder->file.failed != 0 ? recorder->file.failed : EINVAL;
        es_record_file_close(&recorder->file);
        free(recorder);
        errno = problem;
        return NULL;
    }
    return recorder;
}

demo_recording demo_recorder_close(demo_recorder *recorder)
{
    if (recorder == NULL) {
        return (demo_recording){0};
    }
    es_record_end(&recorder->record);
    es_record_file_close(&recorder->file);
    demo_recording ended = demo_recorder_look(recorder);
    free(recorder);
    return ended;
}

demo_recording demo_recorder_look(const demo_recorder *recorder)
{
    if (recorder == NULL) {
        return (demo_recording){0};
    }
    demo_recording now = {
            .path = recorder->path, .counts = es_record_counts_get(&recorder->record)};
    if (recorder->file.failed != 0) {
        now.problem = strerror(recorder->file.failed);
    } else if (now.counts.failed != ES_OK) {
        now.problem = tool_result_text(now.counts.failed);
    }
    return now;
}

void demo_recorder_begin(
        demo_recorder *recorder, const demo_scene *scene, int64_t time_ns, bool threaded)
{
    if (recorder == NULL) {
        return;
    }
    recorder->frames = recorder->frames && !threaded;
    if (!recorder->started) {
        recorder->started = true;
        (void)es_record_start(&recorder->record, 0, time_ns, scene);
        return;
    }
    es_state_pack(demo_world_layout(), scene, 0, recorder->state, recorder->state_size);
    recorder->moved = true;
}

/* A call that fails ends the recording: demo_recorder_look has the reason, here and below. */
void demo_recorder_step(demo_recorder *recorder, const es_step *step, const demo_given *given)
{
    if (recorder == NULL) {
        return;
    }
    size_t size = demo_given_write(given, recorder->input, sizeof recorder->input);
    if (recorder->moved) {
        size = demo_given_add_state(recorder->input, size, recorder->state, recorder->state_size);
        recorder->moved = false;
    }
    recorder->tick += 1;
    recorder->step = *step;
    recorder->step.index = recorder->tick;
    (void)es_record_step(&recorder->record, &recorder->step, recorder->input, size);
}

void demo_recorder_tick(demo_recorder *recorder, const demo_scene *scene)
{
    if (recorder != NULL) {
        (void)es_record_tick(&recorder->record, &recorder->step, scene);
    }
}

void demo_recorder_frame(demo_recorder *recorder, const es_report *report)
{
    if (recorder != NULL && recorder->frames) {
        (void)es_record_frame(&recorder->record, report);
    }
}
