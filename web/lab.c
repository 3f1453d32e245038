/* SPDX-License-Identifier: Zlib
 *
 * `evenstep compare` of costs for web/lab.mjs: WebAssembly. One loop at a time; its texts and frames
 * stay until the next run.
 */
#include "choice.h"
#include "figure.h"
#include "lab/run.h"

#include <math.h>
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* Places in lab_settings, in the order of lab.mjs. Times in ms. */
enum { RENDER, UPDATE, SHARE, FACTOR, LATE, REFRESH, TICK_RATE, QUEUE, TARGETS, SEED, SECONDS, SETTINGS };

static double settings[SETTINGS];
static lab_result result;
static lab_refusal refusal;
static double *frames;

static int64_t ms_to_ns(double ms)
{
    return (int64_t)(ms * 1e6 + 0.5);
}

double *EXPORT(lab_settings)(void)
{
    return settings;
}

/* A loop's name (0), title (1) and kind (2); NULL past the last. */
const char *EXPORT(lab_word)(int32_t index, int32_t which)
{
    const lab_loop *loop = lab_loop_at((size_t)index);
    return loop == NULL ? NULL
           : which == 0 ? loop->name
           : which == 1 ? loop->title
                        : choice_kind_name(loop->kind);
}

/* Why the newest run failed. */
const char *EXPORT(lab_reason)(void)
{
    return refusal.reason;
}

/* Copies each frame seen: its screen time and its instant, in ms. */
static bool copy_frames(void)
{
    double *grown = realloc(frames, (result.frame_count + 1) * 2 * sizeof *frames);
    if (grown == NULL) {
        return false;
    }
    frames = grown;
    for (size_t i = 0; i < result.frame_count; ++i) {
        frames[2 * i] = ns_to_ms(result.frames[i].shown_ns);
        frames[2 * i + 1] = ns_to_ms(result.frames[i].content_ns);
    }
    return true;
}

/* Runs a loop. Returns the count of frames seen; 0: it cannot run so. */
int32_t EXPORT(lab_run_loop)(int32_t index)
{
    const program_costs program = {.render_ns = ms_to_ns(settings[RENDER]),
            .update_ns = ms_to_ns(settings[UPDATE]),
            .late_ns = ms_to_ns(settings[LATE]),
            .spikes = {settings[SHARE] / 100.0, settings[FACTOR]}};
    const refresh screen = {.rate = es_hz(settings[REFRESH])};
    lab_setup setup = lab_setup_default();
    setup.loop = lab_loop_at((size_t)index);
    setup.scenario = choice_costs(&program);
    choice_set_refresh(&setup.display, &screen);
    setup.display.queue = (int32_t)settings[QUEUE];
    bool targets = settings[TARGETS] != 0.0;
    bool reports = targets || (setup.loop->needs & LAB_NEEDS_FEEDBACK) != 0;
    setup.display.targets = targets ? LAB_TARGETS_EXACT : LAB_TARGETS_NONE;
    setup.display.feedback = reports ? LAB_FEEDBACK_EXACT : LAB_FEEDBACK_NONE;
    setup.tick_rate = es_hz(settings[TICK_RATE]);
    setup.seed = (uint64_t)settings[SEED];
    setup.duration_ns = ms_to_ns(settings[SECONDS] * 1e3);
    setup.warm_up_ns = choice_warm_up_ns(setup.duration_ns);
    refusal = (lab_refusal){"", "too slow for two frames"};
    bool ran = lab_run(&setup, &result, &refusal) == ES_OK && result.measures.frames >= 2
               && copy_frames();
    return ran ? (int32_t)result.frame_count : 0;
}

double *EXPORT(lab_frames)(void)
{
    return frames;
}

/* The first frame that is measured. */
int32_t EXPORT(lab_measured)(void)
{
    return (int32_t)result.measured;
}

/* The JSON key of a figure; NULL past the last. */
const char *EXPORT(lab_key)(int32_t index)
{
    const figure *f = figure_at((size_t)index);
    return f != NULL ? f->key : NULL;
}

/* A figure as in the command's JSON. NaN: null. */
double EXPORT(lab_figure)(int32_t index)
{
    return round(figure_value(figure_at((size_t)index), &result.measures, false) * 1e6) / 1e6;
}

/* A figure as in the command's table. */
const char *EXPORT(lab_text)(int32_t index)
{
    static char text[32];
    const figure *f = figure_at((size_t)index);
    figure_format(text, sizeof text, f, figure_value(f, &result.measures, false), false);
    return text;
}
