/* SPDX-License-Identifier: Zlib */

#include "evenstep/world.h"

#include "rule.h"

#include "choice.h"

#include "scene.h"

#include "lab/loop.h"

#include <stdio.h>
#include <string.h>

/* Loops without an interval of their own: the upper half decides when frames begin. */
static const struct {
    const char *name, *loop;
    bool blends;
} halves[] = {
        {"unblended", "decoupled", false},
        {"decoupled", "decoupled", true},
        {"max-frameskip", "max-frameskip", true},
        {"variable", "variable", true},
        {"lockstep", "lockstep", true},
};

enum { HALVES = sizeof halves / sizeof halves[0] };

/* --- names ------------------------------------------------------------------------------------ */

int demo_count_names(demo_name_at *name_at)
{
    int count = 0;
    while (name_at((size_t)count) != NULL) {
        ++count;
    }
    return count;
}

bool demo_find_name(const char *text, demo_name_at *name_at, int *index)
{
    int count = demo_count_names(name_at);
    for (*index = 0; *index < count; ++*index) {
        if (strcmp(name_at((size_t)*index), text) == 0) {
            return true;
        }
    }
    return false;
}

char *demo_list_names(char *buffer, size_t size, demo_name_at *name_at)
{
    size_t count = (size_t)demo_count_names(name_at), used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < count && used < size; ++i) {
        const char *separator = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        int written = snprintf(buffer + used, size - used, "%s%s", separator, name_at(i));
        used += written > 0 ? (size_t)written : 0;
    }
    return buffer;
}

static const char *const loops[] = {"auto", "low-latency", "adaptive", "lockstep", "variable",
        "decoupled", "max-frameskip", "threaded"};

enum { LOOPS = sizeof loops / sizeof loops[0], THREADED = LOOPS - 1 };

const char *demo_loop_name(size_t index)
{
    return index < LOOPS ? loops[index] : NULL;
}

bool demo_loop_is_threaded(int loop)
{
    return loop >= THREADED;
}

const char *demo_half_name(size_t index)
{
    return index < HALVES ? halves[index].name : NULL;
}

const char *demo_policy_name(size_t index)
{
    return choice_policy_name((int)index);
}

/* --- rules ------------------------------------------------------------------------------------ */

demo_choice demo_choice_none(void)
{
    return (demo_choice){.policy = -1, .delay_ticks = -1.0};
}

demo_rule demo_rule_make(const demo_choice *choice, int64_t refresh_ns)
{
    demo_rule rule = {.name = demo_loop_name((size_t)choice->loop),
            .threaded = demo_loop_is_threaded(choice->loop),
            .way = (demo_way)choice->way};
    es_loop_config *config = &rule.config;
    int32_t lead = demo_way_lead(rule.way);
    es_loop_preset(rule.name, config);
    config->lead_ticks = lead;
    if (rule.threaded) { /* auto, one tick behind; its lead begins at 1 */
        config->delay_ticks = 1.0;
        config->lead_ticks = lead > 0 ? lead + 1 : 1;
    }
    if (rate_is_valid(choice->tick_rate)) {
        config->tick_rate = choice->tick_rate;
    }
    if (choice->policy >= 0) {
        config->catch_up = (es_catch_up)choice->policy;
    }
    if (choice->delay_ticks >= 0.0) {
        config->delay_ticks = choice->delay_ticks;
    }
    if (choice->cap_ns > 0) {
        config->interval_ns = choice->cap_ns;
    }
    if (config->pace == ES_PACE_AUTO || config->pace == ES_PACE_PRESENT) {
        config->refresh = refresh_ns > 0 ? rate_make((uint64_t)ES_NS_PER_S, (uint64_t)refresh_ns)
                                         : config->refresh;
    } else if (config->pace == ES_PACE_ADAPTIVE && config->interval_ns == 0) {
        config->interval_ns = refresh_ns;
    }
    return rule;
}

demo_rule demo_rule_fit(const demo_choice *choice, int64_t refresh_ns)
{
    demo_choice own = *choice;
    demo_rule rule = demo_rule_make(choice, refresh_ns);
    if (rule.threaded && choice->policy >= 0) { /* it has a policy of its own */
        rule.config.catch_up = ES_CATCH_UP_DROP;
    }
    if (!lab_config_is_valid(&rule.config, NULL)) {
        own.policy = -1; /* valid with every loop */
        own.delay_ticks = -1.0;
        rule = demo_rule_make(&own, refresh_ns);
    }
    if (!lab_config_is_valid(&rule.config, NULL)) {
        rule.config.lead_ticks = 0; /* no fixed steps: there is nothing between ticks */
    }
    return rule;
}

demo_rule demo_rule_of_half(int half, const demo_choice *upper, es_rate tick_rate)
{
    demo_choice choice = demo_choice_none();
    choice.way = halves[half].blends ? upper->way : (int)DEMO_WAY_NONE;
    choice.tick_rate = tick_rate;
    demo_find_name(halves[half].loop, demo_loop_name, &choice.loop);
    return demo_rule_fit(&choice, 0);
}

/* --- layouts ---------------------------------------------------------------------------------- */

#define STILL(member)       ES_FIELD(demo_scene, member, ES_BLEND_STEP)
#define STILL_BALLS(member) ES_FIELD_OF_EACH(demo_scene, balls, member, ES_BLEND_STEP)

/* Which velocity a moving field names: none, the one after a bounce, or the mean at a bounce. */
#define UNSAID(onward, passing)  NULL
#define ONWARD(onward, passing)  onward
#define PASSING(onward, passing) passing

/* The same fields for each way.
 * kind: of moving fields; the wheel's angle has one that turns the short way round.
 * speeds: of UNSAID, ONWARD and PASSING; ends: ONWARD where a contact ends a prediction.
 * go, fall: the predictions of even and of accelerated motion. */
#define FIELDS(kind, speeds, ends, go, fall)                                                       \
    STILL(tick), STILL(scroll_speed), STILL(wheel_speed), STILL(marker_vx), STILL(marker_vy),      \
            STILL_BALLS(vx), STILL_BALLS(vy), STILL_BALLS(ay), STILL_BALLS(pass_vx),               \
            STILL_BALLS(pass_vy), STILL_BALLS(hit_x_ns), STILL_BALLS(hit_y_ns),                    \
            STILL(jumper.velocity), STILL(jumper.acceleration),                                    \
            ES_FIELD_OF_EACH(demo_scene, stars, speed, ES_BLEND_STEP),                             \
            ES_FIELD_OF_EACH(demo_scene, balls, glow, ES_BLEND_LINEAR),                            \
            ES_FIELD(demo_scene, scroll_x, kind,                                                   \
                    ES_WITH(velocity, speeds("scroll_speed", "scroll_speed")),                     \
                    ES_WITH(prediction, go)),                                                      \
            ES_FIELD(demo_scene, wheel_angle, ES_BLEND_ANGLE,                                      \
                    ES_WITH(velocity, speeds("wheel_speed", "wheel_speed")),                       \
                    ES_WITH(prediction, go)),                                                      \
            ES_FIELD(demo_scene, marker_x, kind,                                                   \
                    ES_WITH(velocity, speeds("marker_vx", "marker_vx")), ES_WITH(prediction, go)), \
            ES_FIELD(demo_scene, marker_y, kind,                                                   \
                    ES_WITH(velocity, speeds("marker_vy", "marker_vy")), ES_WITH(prediction, go)), \
            ES_FIELD_OF_EACH(demo_scene, balls, x, kind,                                           \
                    ES_WITH(velocity, speeds("balls.vx", "balls.pass_vx")),                        \
                    ES_WITH(contact, ends("balls.hit_x_ns", NULL)), ES_WITH(prediction, go)),      \
            ES_FIELD_OF_EACH(demo_scene, balls, y, kind,                                           \
                    ES_WITH(velocity, speeds("balls.vy", "balls.pass_vy")),                        \
                    ES_WITH(acceleration, ends("balls.ay", NULL)),                                 \
                    ES_WITH(contact, ends("balls.hit_y_ns", NULL)), ES_WITH(prediction, fall)),    \
            ES_FIELD_OF_EACH(demo_scene, stars, x, kind,                                           \
                    ES_WITH(velocity, speeds("stars.speed", "stars.speed")),                       \
                    ES_WITH(prediction, go)),                                                      \
            ES_FIELD(demo_scene, jumper.at, kind,                                                  \
                    ES_WITH(velocity, speeds("jumper.velocity", "jumper.velocity")),               \
                    ES_WITH(acceleration, ends("jumper.acceleration", NULL)),                      \
                    ES_WITH(prediction, fall))

static const es_prediction go = {.kind = ES_PREDICT_LINEAR};
static const es_prediction fall = {.kind = ES_PREDICT_BALLISTIC};

static const es_field straight_fields[] = {FIELDS(ES_BLEND_LINEAR, UNSAID, UNSAID, NULL, NULL)};
static const es_field hermite_fields[] = {FIELDS(ES_BLEND_HERMITE, PASSING, UNSAID, NULL, NULL)};
static const es_field catmull_rom_fields[] = {
        FIELDS(ES_BLEND_CATMULL_ROM, UNSAID, UNSAID, NULL, NULL)};
static const es_field monotone_fields[] = {FIELDS(ES_BLEND_MONOTONE, UNSAID, UNSAID, NULL, NULL)};
static const es_field ahead_fields[] = {FIELDS(ES_BLEND_LINEAR, ONWARD, ONWARD, &go, &fall)};

static const es_layout straight = ES_LAYOUT(demo_scene, straight_fields);
static const es_layout hermite = ES_LAYOUT(demo_scene, hermite_fields);
static const es_layout catmull_rom = ES_LAYOUT(demo_scene, catmull_rom_fields);
static const es_layout monotone = ES_LAYOUT(demo_scene, monotone_fields);
static const es_layout ahead = ES_LAYOUT(demo_scene, ahead_fields);

/* --- ways ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int32_t lead;
    const es_layout *layout;
} ways[DEMO_WAYS] = {
        {"interpolate", 0, &straight},
        {"hermite", 0, &hermite},
        {"catmull-rom", 1, &catmull_rom},
        {"monotone", 1, &monotone},
        {"extrapolate", -1, &ahead},
        {"none", 0, &straight},
};

const char *demo_way_name(size_t index)
{
    return index < DEMO_WAYS ? ways[index].name : NULL;
}

int32_t demo_way_lead(demo_way way)
{
    return ways[way].lead;
}

const es_layout *demo_way_layout(demo_way way)
{
    return ways[way].layout;
}
