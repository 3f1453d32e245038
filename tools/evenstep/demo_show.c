/* SPDX-License-Identifier: Zlib */
#include "demo_choice.h"
#include "demo_scene.h"

/* --- layouts ---------------------------------------------------------------------------------- */

#define F32 ES_TYPE_F32
#define F64 ES_TYPE_F64

#define STILL(member, type) ES_FIELD(#member, demo_scene, member, type, ES_BLEND_STEP)
#define STILL_BALLS(member, type)                                                                  \
    ES_FIELD_OF_EACH("balls." #member, demo_scene, balls, member, type, ES_BLEND_STEP)

/* Which velocity a moving field names: none, the one after a bounce, or the mean at a bounce. */
#define UNSAID(onward, passing)  NULL
#define ONWARD(onward, passing)  onward
#define PASSING(onward, passing) passing

#define BALL(member, type) ES_PLACE_OF_EACH(demo_scene, balls, member, type)
#define STAR(member, type) ES_PLACE_OF_EACH(demo_scene, stars, member, type)
#define ONCE(member, type) ES_PLACE(demo_scene, member, type)

/* The same fields for each way.
 * kind: of moving fields; the wheel's angle has one that turns the short way round.
 * speeds, ends: UNSAID, ONWARD or PASSING, for velocities; ONWARD where a contact ends a prediction.
 * go, fall: the predictions of even and of accelerated motion. */
#define FIELDS(kind, speeds, ends, go, fall)                                                       \
    STILL(scroll_speed, F64), STILL(wheel_speed, F64), STILL(marker_vx, F64),                      \
            STILL(marker_vy, F64), STILL_BALLS(vx, F32), STILL_BALLS(vy, F32),                     \
            STILL_BALLS(ay, F32), STILL_BALLS(pass_vx, F32), STILL_BALLS(pass_vy, F32),            \
            STILL_BALLS(hit_x_ns, ES_TYPE_I64), STILL_BALLS(hit_y_ns, ES_TYPE_I64),                \
            STILL(jumper.velocity, F64), STILL(jumper.acceleration, F64),                          \
            ES_FIELD_OF_EACH("stars.speed", demo_scene, stars, speed, F64, ES_BLEND_STEP),         \
            ES_FIELD_OF_EACH("balls.glow", demo_scene, balls, glow, F32, ES_BLEND_LINEAR),         \
            {"scroll_x", F64, kind, ONCE(scroll_x, F64),                                           \
                    .velocity = speeds("scroll_speed", "scroll_speed"), .prediction = go},         \
            {"wheel_angle", F64, ES_BLEND_ANGLE, ONCE(wheel_angle, F64),                           \
                    .velocity = speeds("wheel_speed", "wheel_speed"), .prediction = go},           \
            {"marker_x", F64, kind, ONCE(marker_x, F64),                                           \
                    .velocity = speeds("marker_vx", "marker_vx"), .prediction = go},               \
            {"marker_y", F64, kind, ONCE(marker_y, F64),                                           \
                    .velocity = speeds("marker_vy", "marker_vy"), .prediction = go},               \
            {"balls.x", F32, kind, BALL(x, F32), .velocity = speeds("balls.vx", "balls.pass_vx"),  \
                    .contact = ends("balls.hit_x_ns", NULL), .prediction = go},                    \
            {"balls.y", F32, kind, BALL(y, F32), .velocity = speeds("balls.vy", "balls.pass_vy"),  \
                    .acceleration = ends("balls.ay", NULL),                                        \
                    .contact = ends("balls.hit_y_ns", NULL), .prediction = fall},                  \
            {"stars.x", F64, kind, STAR(x, F64), .velocity = speeds("stars.speed", "stars.speed"), \
                    .prediction = go},                                                             \
            {"jumper.at", F64, kind, ONCE(jumper.at, F64), .group = DEMO_GROUP_JUMPER,             \
                    .velocity = speeds("jumper.velocity", "jumper.velocity"),                      \
                    .acceleration = ends("jumper.acceleration", NULL), .prediction = fall},        \
    {                                                                                              \
        "jumper.mark", ES_TYPE_U32, ES_BLEND_MARK, ONCE(jumper.mark, ES_TYPE_U32),                 \
                .group = DEMO_GROUP_JUMPER                                                         \
    }

enum { DEMO_GROUP_JUMPER = 1 };

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
