/* SPDX-License-Identifier: Zlib */
#include "evenstep/replay.h"

#include "demo_recorder.h"

#include "tool.h"

#include <stdlib.h>

struct demo_recorder {
    const char *path;
    es_record *record;
    int64_t tick;
    bool started;
    bool frames; /* are recorded */
    bool moved;  /* the next tick goes on from `state` */
    es_step step;
    unsigned char input[DEMO_INPUT_MAX];
    size_t state_size;
    unsigned char state[]; /* packed */
};

demo_recorder *demo_recorder_open(const demo_recorder_setup *setup)
{
    const char *const tags[] = {"program", DEMO_WORLD_PROGRAM, "loop", setup->loop, NULL};
    const es_record_config config = {.layout = demo_world_layout(),
            .tick_rate = setup->tick_rate,
            .seed = setup->seed,
            .tags = tags};
    size_t state_size = es_state_pack(demo_world_layout(), setup->scene, NULL, 0);
    demo_recorder *recorder = calloc(1, sizeof *recorder + state_size);
    if (recorder == NULL) {
        return NULL;
    }
    recorder->path = setup->path;
    recorder->frames = true;
    recorder->state_size = state_size;
    recorder->record = es_record_create(setup->path, &config, setup->scene);
    if (recorder->record == NULL) {
        free(recorder);
        return NULL;
    }
    return recorder;
}

static demo_recording recording_of(const demo_recorder *recorder, es_record_status status)
{
    demo_recording now = {.path = recorder->path, .status = status};
    if (status.result != ES_OK) {
        snprintf(now.problem, sizeof now.problem, "%s", tool_error_reason());
    }
    return now;
}

demo_recording demo_recorder_close(demo_recorder *recorder)
{
    if (recorder == NULL) {
        return (demo_recording){0};
    }
    demo_recording ended = recording_of(recorder, es_record_destroy(recorder->record));
    free(recorder);
    return ended;
}

demo_recording demo_recorder_look(const demo_recorder *recorder)
{
    return recorder != NULL ? recording_of(recorder, es_record_get_status(recorder->record))
                            : (demo_recording){0};
}

void demo_recorder_begin(demo_recorder *recorder, const demo_scene *scene, bool threaded)
{
    if (recorder == NULL) {
        return;
    }
    recorder->frames = recorder->frames && !threaded;
    if (!recorder->started) {
        recorder->started = true;
        return;
    }
    (void)es_state_pack(demo_world_layout(), scene, recorder->state, recorder->state_size);
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
    (void)es_record_input(recorder->record, &recorder->step, recorder->input, size);
}

void demo_recorder_tick(demo_recorder *recorder, const demo_scene *scene)
{
    if (recorder != NULL) {
        (void)es_record_state(recorder->record, &recorder->step, scene);
    }
}

void demo_recorder_frame(demo_recorder *recorder, const es_report *report)
{
    if (recorder != NULL && recorder->frames) {
        (void)es_record_frame(recorder->record, report);
    }
}
