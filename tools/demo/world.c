/* SPDX-License-Identifier: Zlib */
#include "evenstep/world.h"
#include "evenstep/input.h"
#include "evenstep/replay.h"

#include "world.h"

#include "lab/numbers.h"

#include <math.h>
#include <string.h>

/* --- the state -------------------------------------------------------------------------------- */

/* What belongs together, for hashes and for differences. */
enum { REST = 0, BALLS, STARS, FLASHES, SPARKS, BIRDS, MAP };

#define ONE(member) ES_FIELD(demo_scene, member, ES_BLEND_STEP, ES_WITH(group, REST))
#define EACH(array, member, in)                                                                    \
    ES_FIELD_OF_EACH(demo_scene, array, member, ES_BLEND_STEP, ES_WITH(group, in))
#define CELLS(array) ES_FIELD_ARRAY(demo_scene, array, ES_BLEND_STEP, ES_WITH(group, MAP))

/* The same for members that are called otherwise in recordings. */
#define NAMED_FROM(name, type, first, many, step, ...)                                             \
    ES_FIELD_BY_HAND(name, type, ES_BLEND_STEP, ES_WITH(count, many), ES_WITH(components, 1),      \
            ES_WITH(offset, offsetof(demo_scene, first)), ES_WITH(stride, step), __VA_ARGS__)
#define NAMED(name, member, type)                                                                  \
    NAMED_FROM(name, type, member, 1, sizeof(((demo_scene *)0)->member), ES_WITH(group, REST))
#define NAMED_EACH(name, array, member, type)                                                      \
    NAMED_FROM(name, type, array[0].member,                                                        \
            sizeof(((demo_scene *)0)->array) / sizeof(((demo_scene *)0)->array[0]),                \
            sizeof(((demo_scene *)0)->array[0]), ES_WITH(group, REST))
#define NAMED_CELLS(name, array, type)                                                             \
    NAMED_FROM(name, type, array,                                                                  \
            sizeof(((demo_scene *)0)->array) / sizeof(((demo_scene *)0)->array[0]),                \
            sizeof(((demo_scene *)0)->array[0]), ES_WITH(group, MAP))
/* A number of each spark, or bird, of each tick that is kept. */
#define OF_KEPT(name, array, many, number, type, in)                                               \
    NAMED_FROM(name, type, array[0].each[0].number, (size_t)DEMO_GROUP_TICKS *(many),              \
            sizeof(((demo_scene *)0)->array[0].each[0]), ES_WITH(tile, many),                      \
            ES_WITH(tile_stride, sizeof(((demo_scene *)0)->array[0])), ES_WITH(group, in))

static const es_field fields[] = {
        ONE(tick),
        ONE(age_ns),
        ONE(scroll_x),
        ONE(scroll_speed),
        ONE(wheel_angle),
        ONE(wheel_speed),
        ONE(marker_x),
        ONE(marker_y),
        ONE(marker_vx),
        ONE(marker_vy),
        ONE(pointer.x),
        ONE(pointer.y),
        ONE(jumper.at),
        ONE(jumper.velocity),
        ONE(jumper.acceleration),
        ONE(jumper.mark),
        ONE(jumper.place),
        ONE(jumper.jump),
        ONE(jumper.jumps),
        ONE(jumper.portal),
        ONE(presses),
        EACH(balls, x, BALLS),
        EACH(balls, y, BALLS),
        EACH(balls, vx, BALLS),
        EACH(balls, vy, BALLS),
        EACH(balls, ay, BALLS),
        EACH(balls, pass_vx, BALLS),
        EACH(balls, pass_vy, BALLS),
        EACH(balls, hit_x_ns, BALLS),
        EACH(balls, hit_y_ns, BALLS),
        EACH(balls, launch, BALLS),
        EACH(balls, radius, BALLS),
        EACH(balls, glow, BALLS),
        EACH(balls, bounces, BALLS),
        EACH(stars, x, STARS),
        EACH(stars, speed, STARS),
        EACH(stars, y, STARS),
        EACH(stars, depth, STARS),
        EACH(flashes, x, FLASHES),
        EACH(flashes, y, FLASHES),
        EACH(flashes, from_ns, FLASHES),
        EACH(flashes, stamp_ns, FLASHES),
        EACH(flashes, before, FLASHES),
        ONE(groups.apart),
        ONE(groups.started),
        ONE(groups.base.numerator),
        ONE(groups.base.denominator),
        ONE(groups.first_tick),
        ONE(groups.first_ns),
        ONE(groups.base_tick),
        ONE(groups.newest),
        ONE(groups.ran),
        ES_FIELD_BY_HAND("groups.bursts", ES_TYPE_F32, ES_BLEND_STEP, ES_WITH(count, 1),
                ES_WITH(components, sizeof(((demo_scene *)0)->groups.bursts) / sizeof(float)),
                ES_WITH(offset, offsetof(demo_scene, groups.bursts)),
                ES_WITH(stride, sizeof(((demo_scene *)0)->groups.bursts)), ES_WITH(group, REST)),
        ONE(groups.burst_count),
        ONE(groups.next_spark),
        NAMED_EACH("sparks.tick", groups.sparks, tick, ES_TYPE_I64),
        OF_KEPT("sparks.x", groups.sparks, DEMO_SPARKS, x, ES_TYPE_F32, SPARKS),
        OF_KEPT("sparks.y", groups.sparks, DEMO_SPARKS, y, ES_TYPE_F32, SPARKS),
        OF_KEPT("sparks.vx", groups.sparks, DEMO_SPARKS, vx, ES_TYPE_F32, SPARKS),
        OF_KEPT("sparks.vy", groups.sparks, DEMO_SPARKS, vy, ES_TYPE_F32, SPARKS),
        OF_KEPT("sparks.life", groups.sparks, DEMO_SPARKS, life, ES_TYPE_F32, SPARKS),
        NAMED_EACH("birds.tick", groups.birds, tick, ES_TYPE_I64),
        OF_KEPT("birds.x", groups.birds, DEMO_BIRDS, x, ES_TYPE_F32, BIRDS),
        OF_KEPT("birds.y", groups.birds, DEMO_BIRDS, y, ES_TYPE_F32, BIRDS),
        OF_KEPT("birds.vx", groups.birds, DEMO_BIRDS, vx, ES_TYPE_F32, BIRDS),
        OF_KEPT("birds.vy", groups.birds, DEMO_BIRDS, vy, ES_TYPE_F32, BIRDS),
        ONE(map.version),
        ONE(map.first_sum),
        CELLS(map.haze),
        CELLS(map.seen),
        NAMED("job.tick", task.tick, ES_TYPE_I64),
        NAMED("job.begin_tick", task.begin_tick, ES_TYPE_I64),
        NAMED("job.due_tick", task.due_tick, ES_TYPE_I64),
        NAMED("job.mode", task.mode, ES_TYPE_I32),
        NAMED("job.done", task.done, ES_TYPE_I32),
        NAMED_CELLS("job.light", task.light, ES_TYPE_U32),
};

const es_layout *demo_world_layout(void)
{
    static const es_layout layout = ES_LAYOUT(demo_scene, fields);
    return &layout;
}

static bool is_count(int64_t count)
{
    return count >= 0 && count < INT64_MAX / 2;
}

bool demo_world_load(demo_scene *scene)
{
    const demo_jumper *jumper = &scene->jumper;
    const demo_task *task = &scene->task;
    bool sound = is_count(scene->tick) && is_count(scene->presses) && is_count(scene->age_ns)
                 && jumper->jumps >= 0 && jumper->jumps < INT32_MAX / 2;
    sound = sound && scene->map.version >= 0 && scene->map.version < INT32_MAX / 2;
    sound = sound && task->done >= 0 && task->done <= DEMO_MAP_CELLS;
    for (int i = 0; i < DEMO_FLASHES; ++i) {
        sound = sound && scene->flashes[i].before >= 0 && scene->flashes[i].before < INT32_MAX / 2;
    }
    return demo_groups_is_valid(&scene->groups) && sound;
}

/* --- a tick ----------------------------------------------------------------------------------- */

/* Whether the step is one of this rate. A step of another length has none; and the rate may have
 * been changed by another thread, for the ticks to come. */
static bool is_of_rate(const es_step *step, es_rate base)
{
    double periods = step->dt_s * (double)base.numerator / (double)base.denominator;
    return fabs(periods - 1.0) < 1e-6;
}

static void take(demo_scene *scene, const es_input_event *event)
{
    if (event->kind == ES_INPUT_PRESS) {
        demo_scene_flash(scene, scene->pointer, event->stamp_ns);
    } else if (event->code == 0) {
        scene->pointer.x = event->value;
    } else {
        scene->pointer.y = event->value;
    }
}

void demo_world_tick(demo_scene *scene, const es_step *step, const demo_given *given)
{
    es_step own = *step;
    own.index = given->index;
    for (int32_t i = 0; i < given->event_count; ++i) {
        take(scene, &given->events[i]);
    }
    demo_scene_update(scene, &own, given->jump);
    demo_groups_tick(&scene->groups, &own, given->base,
            given->apart && is_of_rate(&own, given->base), (float)scene->pointer.x,
            (float)scene->pointer.y);
    demo_task_tick(&scene->task, &scene->map, given->job, &own);
}

/* --- what it is given, in bytes --------------------------------------------------------------- */

/* Lowest bytes first:
 *   u8 flags (1 groups apart, 2 a state follows), u8 jump, u8 job, u8 0
 *   u32 items, u32 and u32 base rate, i64 index, u32 events
 *   of each event: u8 kind, u8 code, u16 0, i64 stamp_ns, f64 value
 *   the packed state, to the end */
enum { HEAD = 28, EVENT = 20, APART = 1, STATE = 2 };

static void put(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= (uint64_t)at[i] << 8 * i;
    }
    return value;
}

static void put_event(unsigned char *at, const es_input_event *event)
{
    uint64_t bits;
    memcpy(&bits, &event->value, sizeof bits);
    put(at, (uint64_t)event->kind, 1);
    put(at + 1, event->code, 1);
    put(at + 2, 0, 2);
    put(at + 4, (uint64_t)event->stamp_ns, 8);
    put(at + 12, bits, 8);
}

/* What the pointer's place may be: it goes into floats. */
static bool is_place(double value)
{
    return value > -1e9 && value < 1e9;
}

static bool get_event(const unsigned char *at, es_input_event *event)
{
    uint64_t bits = get(at + 12, 8);
    *event = (es_input_event){.kind = (es_input_kind)at[0], .code = at[1]};
    event->stamp_ns = (int64_t)get(at + 4, 8);
    memcpy(&event->value, &bits, sizeof bits);
    return event->kind == ES_INPUT_PRESS
           || (event->kind == ES_INPUT_PLACE && event->code <= 1 && is_place(event->value));
}

size_t demo_given_write(const demo_given *given, unsigned char *bytes, size_t size)
{
    size_t events = (size_t)given->event_count * EVENT;
    if (size < HEAD + events) {
        return 0;
    }
    put(bytes, given->apart ? APART : 0, 1);
    put(bytes + 1, (uint64_t)given->jump, 1);
    put(bytes + 2, (uint64_t)given->job, 1);
    put(bytes + 3, 0, 1);
    put(bytes + 4, (uint64_t)given->items, 4);
    put(bytes + 8, given->base.numerator, 4);
    put(bytes + 12, given->base.denominator, 4);
    put(bytes + 16, (uint64_t)given->index, 8);
    put(bytes + 24, (uint64_t)given->event_count, 4);
    for (int32_t i = 0; i < given->event_count; ++i) {
        put_event(bytes + HEAD + (size_t)i * EVENT, &given->events[i]);
    }
    return HEAD + events;
}

size_t demo_given_add_state(
        unsigned char *bytes, size_t used, const unsigned char *state, size_t state_size)
{
    if (used == 0 || state_size > DEMO_INPUT_MAX - used) {
        return 0;
    }
    bytes[0] |= STATE;
    memcpy(bytes + used, state, state_size);
    return used + state_size;
}

bool demo_given_read(demo_given *given, const unsigned char *bytes, size_t size)
{
    if (size < HEAD) {
        return false;
    }
    uint64_t items = get(bytes + 4, 4), events = get(bytes + 24, 4);
    given->apart = (bytes[0] & APART) != 0;
    given->jump = (demo_jump)bytes[1];
    given->job = (demo_job_mode)bytes[2];
    given->base.numerator = (uint32_t)get(bytes + 8, 4);
    given->base.denominator = (uint32_t)get(bytes + 12, 4);
    given->index = (int64_t)get(bytes + 16, 8);
    if (bytes[1] >= DEMO_JUMPS || bytes[2] >= DEMO_JOB_MODES || !rate_is_valid(given->base)
            || given->index < 1 || given->index >= INT64_MAX / 4 || events > DEMO_EVENTS_MAX
            || items > 2 * DEMO_MAP_CELLS || size < HEAD + (size_t)events * EVENT) {
        return false;
    }
    size_t used = HEAD + (size_t)events * EVENT;
    given->items = (int32_t)items;
    given->event_count = (int32_t)events;
    given->state = (bytes[0] & STATE) != 0 ? bytes + used : NULL;
    given->state_size = size - used;
    bool sound = given->state != NULL || size == used;
    for (uint64_t i = 0; sound && i < events; ++i) {
        sound = get_event(bytes + HEAD + i * EVENT, &given->events[i]);
    }
    return sound;
}

/* --- recorded ticks --------------------------------------------------------------------------- */

/* No loop takes longer steps, or goes on for longer. */
static bool is_step(const es_step *step)
{
    const int64_t most_ns = 1000 * ES_NS_PER_S;
    return step->dt_s >= 0.0 && step->dt_s <= 1000.0 && step->dt_ns >= 0 && step->dt_ns <= most_ns
           && is_count(step->time_ns);
}

static bool go_on_from(demo_scene *scene, const demo_given *given)
{
    return es_state_unpack(demo_world_layout(), scene, given->state, given->state_size)
           && demo_world_load(scene);
}

int demo_world_update(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    demo_replayer *replayer = user;
    demo_given *given = &replayer->given;
    demo_scene *scene = state;
    if (replayer->unsound || !is_step(step) || !demo_given_read(given, input, size)
            || (given->state != NULL && !go_on_from(scene, given))) {
        replayer->unsound = true;
        return -1;
    }
    demo_task_run(&scene->task, &replayer->haze, &scene->map, given->items);
    demo_world_tick(scene, step, given);
    replayer->ticks += 1;
    return 0;
}

void demo_world_loaded(void *user, void *state, int64_t tick)
{
    demo_replayer *replayer = user;
    (void)tick;
    replayer->unsound = !demo_world_load(state);
}
