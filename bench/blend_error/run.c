/* SPDX-License-Identifier: Zlib
 *
 * Running the library: a loop on a manual clock, a history, and es_blend_frame for each frame.
 */
#include "blend.h"

#include "../tests/manual_clock.h"
#include "evenstep/evenstep.h"
#include "evenstep/world.h"
#include "loop/loop_parts.h"
#include "world/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the ways --------------------------------------------------------------------------------- */

/* As the Source engine: in full for 0.25 s, then slowing for as long. */
#define PREDICT(kind, correct)                                                                     \
    {                                                                                              \
        kind, correct, 0, ES_PREDICT_MAX_NS, 0                                                     \
    }

/* A table. */
/* clang-format off */
static const blend_way ways[] = {
    {.name = "interpolate", .title = "on the line between two ticks, no delay",
     .kind = ES_BLEND_LINEAR, .ticks = 2},
    {.name = "interpolate-behind", .title = "the same, one tick behind", .kind = ES_BLEND_LINEAR,
     .delay = 1, .ticks = 2},
    {.name = "hermite", .title = "the cubic with the velocities of two ticks",
     .kind = ES_BLEND_HERMITE, .velocity = true, .ticks = 2},
    {.name = "catmull-rom", .title = "the cubic through four ticks, lead 1",
     .kind = ES_BLEND_CATMULL_ROM, .lead = 1, .ticks = 4},
    {.name = "monotone", .title = "the cubic that never overshoots, lead 1",
     .kind = ES_BLEND_MONOTONE, .lead = 1, .ticks = 4},
    {.name = "extrapolate", .title = "predicted by velocity, corrections blended",
     .kind = ES_BLEND_LINEAR, .lead = -1, .ticks = 3, .velocity = true, .predicts = true,
     .prediction = PREDICT(ES_PREDICT_LINEAR, ES_CORRECT_BLEND)},
    {.name = "extrapolate-ballistic", .title = "predicted by velocity and acceleration",
     .kind = ES_BLEND_LINEAR, .lead = -1, .ticks = 3, .velocity = true, .predicts = true,
     .prediction = PREDICT(ES_PREDICT_BALLISTIC, ES_CORRECT_BLEND)},
    {.name = "extrapolate-decay", .title = "by velocity, corrections fade in 0.1 s",
     .kind = ES_BLEND_LINEAR, .lead = -1, .ticks = ES_HISTORY_TICKS_MAX, .velocity = true,
     .predicts = true, .prediction = PREDICT(ES_PREDICT_LINEAR, ES_CORRECT_DECAY)},
    {.name = "extrapolate-snap", .title = "by velocity, corrected at once",
     .kind = ES_BLEND_LINEAR, .lead = -1, .ticks = 2, .velocity = true, .predicts = true,
     .prediction = PREDICT(ES_PREDICT_LINEAR, ES_CORRECT_SNAP)},
    {.name = "extrapolate-contact", .title = "as extrapolate, up to a known contact",
     .kind = ES_BLEND_LINEAR, .lead = -1, .ticks = 3, .velocity = true, .contact = true,
     .predicts = true, .prediction = PREDICT(ES_PREDICT_LINEAR, ES_CORRECT_BLEND)},
    {.name = "step", .title = "the newest tick, no blending", .kind = ES_BLEND_STEP, .ticks = 2},
};
/* clang-format on */

const void *blend_way_at(size_t index)
{
    return index < sizeof ways / sizeof ways[0] ? &ways[index] : NULL;
}

/* --- the simulation --------------------------------------------------------------------------- */

typedef struct world {
    int64_t contact_ns;
    double at[2];
    double velocity[2];
    double acceleration[2];
    uint32_t jumps;
} world;

typedef struct runner {
    const blend_setup *setup;
    const blend_motion *motion;
    const blend_way *way;
    blend_result *result;
    es_field fields[5];
    es_layout layout;
    es_manual_clock manual;
    es_loop loop;
    es_history history;
    double speed;
    _Alignas(64) unsigned char memory[ES_HISTORY_SIZE(world, ES_HISTORY_TICKS_MAX)];
} runner;

static void write_world(const blend_motion *motion, int64_t time_ns, world *w)
{
    blend_truth truth = motion->truth(time_ns);
    blend_jump jumps[BLEND_JUMPS_MAX];
    w->contact_ns = motion->contact ? blend_motion_next_jump(motion, time_ns) : 0;
    w->at[0] = truth.at.x;
    w->at[1] = truth.at.y;
    w->velocity[0] = truth.velocity.x;
    w->velocity[1] = truth.velocity.y;
    w->acceleration[0] = truth.acceleration.x;
    w->acceleration[1] = truth.acceleration.y;
    w->jumps = 0;
    if (motion->place_jump > 0) {
        w->jumps = (uint32_t)blend_motion_jumps(motion, time_ns, jumps);
    }
}

static void update(runner *r, const es_step *step)
{
    write_world(r->motion, step->time_ns, es_history_push(&r->history, step));
}

/* --- the frames ------------------------------------------------------------------------------- */

static void make_layout(runner *r)
{
    const blend_way *way = r->way;
    const es_field fields[] = {ES_FIELD(world, at, ES_BLEND_LINEAR, ES_WITH(group, 1)),
            ES_FIELD(world, velocity, ES_BLEND_STEP, ES_WITH(group, 1)),
            ES_FIELD(world, acceleration, ES_BLEND_STEP, ES_WITH(group, 1)),
            ES_FIELD(world, contact_ns, ES_BLEND_STEP, ES_WITH(group, 1)),
            ES_FIELD(world, jumps, ES_BLEND_MARK, ES_WITH(group, 1))};
    memcpy(r->fields, fields, sizeof fields);
    r->fields[0].blend = way->kind;
    r->fields[0].velocity = way->velocity ? "velocity" : NULL;
    r->fields[0].acceleration =
            way->prediction.kind == ES_PREDICT_BALLISTIC ? "acceleration" : NULL;
    r->fields[0].contact = way->contact ? "contact_ns" : NULL;
    r->fields[0].prediction = way->predicts ? &way->prediction : NULL;
    r->layout = (es_layout){r->fields, sizeof fields / sizeof fields[0], sizeof(world)};
}

static bool start(runner *r)
{
    es_error error;
    es_loop_config config = (es_loop_config){0};
    config.pace = ES_PACE_ADAPTIVE; /* blending is shown, not pacing */
    make_layout(r);
    if (es__layout_validate(&r->layout, &error) != ES_OK) {
        tool_fail(BLEND_COMMAND, "layout: %s: %s", error.field, error.reason);
        return false;
    }
    config.clock = es_manual_clock_get(&r->manual);
    config.tick_rate = r->setup->tick_rate;
    config.interval_ns = es__rate_period_ns(r->setup->refresh);
    config.lead_ticks = r->way->lead;
    config.delay_ticks = r->way->delay;
    if (es__loop_init(&r->loop, &config, &error) != ES_OK) {
        tool_fail(BLEND_COMMAND, "loop: %s: %s", error.field, error.reason);
        return false;
    }
    es__history_init(&r->history, r->memory, sizeof r->memory, sizeof(world), r->way->ticks);
    world *w = es_history_current(&r->history);
    write_world(r->motion, 0, w);
    es_history_reset(&r->history, 0, 0);
    return true;
}

static bool has_news(const blend_motion *motion, int64_t time_ns)
{
    return !motion->silent || time_ns <= blend_silence_ns[0] || time_ns >= blend_silence_ns[1];
}

static void look(runner *r, const es_frame *frame, blend_frame *out)
{
    world view = {0};
    es_blend_frame(&r->layout, &r->history, frame, &view);
    out->content_ns = frame->content_ns;
    out->shown.x = view.at[0];
    out->shown.y = view.at[1];
    out->truth = r->motion->truth(frame->content_ns).at;
    out->bound = blend_bound(r->motion, r->way, r->speed, &r->history, frame->content_ns);
}

static void run_frame(runner *r, blend_frame *out)
{
    es_step step;
    es_frame frame;
    es_loop_begin(&r->loop);
    while (es_loop_tick(&r->loop, &step)) {
        if (has_news(r->motion, step.time_ns)) {
            update(r, &step);
        }
    }
    es_loop_wait(&r->loop, &frame);
    look(r, &frame, out);
    r->result->delay_ms = (double)frame.account.delay_ns / 1e6;
    es_loop_submit(&r->loop);
    es_loop_end(&r->loop);
}

/* --- the result ------------------------------------------------------------------------------- */

double blend_distance(blend_vec a, blend_vec b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

double blend_error(const blend_frame *frame)
{
    return blend_distance(frame->shown, frame->truth);
}

static blend_vec less(blend_vec a, blend_vec b)
{
    blend_vec v = {a.x - b.x, a.y - b.y};
    return v;
}

/* How far frame i's step is from every step that the truth makes within a tick of it. */
static double jump_at(const blend_result *result, size_t i, int64_t period_ns)
{
    const blend_frame *f = result->frames;
    blend_vec shown = less(f[i].shown, f[i - 1].shown);
    double least = HUGE_VAL;
    for (int way = -1; way <= 1; way += 2) {
        for (size_t k = i; k >= 1 && k < result->frame_count; k += (size_t)way) {
            int64_t apart_ns = f[k].content_ns - f[i].content_ns;
            if (apart_ns > period_ns || apart_ns < -period_ns) {
                break;
            }
            double off = blend_distance(shown, less(f[k].truth, f[k - 1].truth));
            least = off < least ? off : least;
        }
    }
    return least;
}

static void measure(const runner *r)
{
    blend_result *result = r->result;
    int64_t period_ns = es__rate_period_ns(r->setup->tick_rate);
    double sum = 0;
    result->within = true;
    for (size_t i = 0; i < result->frame_count; ++i) {
        const blend_frame *frame = &result->frames[i];
        double error = blend_error(frame);
        double jump = i > 0 ? jump_at(result, i, period_ns) : 0;
        sum += error;
        result->largest = error > result->largest ? error : result->largest;
        result->jump = jump > result->jump ? jump : result->jump;
        result->bound = frame->bound > result->bound ? frame->bound : result->bound;
        if (!(error <= frame->bound) && result->within) { /* a NaN is beyond */
            result->within = false;
            result->beyond_ns = frame->content_ns;
        }
    }
    result->mean = sum / (double)result->frame_count;
}

bool blend_run(const blend_setup *setup, const blend_motion *motion, const blend_way *way,
        blend_result *result)
{
    blend_result fresh = {.motion = motion, .way = way};
    runner r = {.setup = setup, .motion = motion, .way = way, .result = &fresh};
    int64_t interval_ns = es__rate_period_ns(setup->refresh);
    size_t count = (size_t)(setup->duration_ns / interval_ns) + 1;
    r.speed = blend_motion_speed(motion, setup->duration_ns);
    fresh.frames = calloc(count, sizeof *fresh.frames);
    if (fresh.frames == NULL) {
        tool_fail(BLEND_COMMAND, "out of memory");
        return false;
    }
    if (!start(&r)) {
        free(fresh.frames);
        return false;
    }
    for (; fresh.frame_count < count; ++fresh.frame_count) {
        run_frame(&r, &fresh.frames[fresh.frame_count]);
    }
    measure(&r);
    *result = fresh;
    return true;
}

void blend_result_free(blend_result *result)
{
    free(result->frames);
    result->frames = NULL;
}
