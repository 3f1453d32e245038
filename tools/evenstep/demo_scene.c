/* SPDX-License-Identifier: Zlib */
#include "demo_scene.h"

#include <math.h>
#include <string.h>

#define TURN           6.283185307179586
#define STAR_SPEED     90.0 /* of the nearest star */
#define WHEEL_SPEED    1.1  /* radians per second */
#define MARKER_PULL    9.0  /* per second: how eagerly the ring follows the pointer */
#define GRAVITY        900.0f
#define GLOW_PER_S     3.0f
#define SEED_SCRAMBLER 2654435761u /* spreads small seeds over all 32 bits (golden ratio) */

#define BALL_FIELD(member, type, blend)                                                            \
    ES_FIELD_OF_EACH("balls." #member, demo_scene, balls, member, type, blend)
#define STAR_FIELD(member, type, blend)                                                            \
    ES_FIELD_OF_EACH("stars." #member, demo_scene, stars, member, type, blend)

static const es_field fields[] = {
        ES_FIELD("tick", demo_scene, tick, ES_TYPE_I64, ES_BLEND_STEP),
        ES_FIELD("scroll_x", demo_scene, scroll_x, ES_TYPE_F64, ES_BLEND_LINEAR),
        ES_FIELD("wheel_angle", demo_scene, wheel_angle, ES_TYPE_F64, ES_BLEND_ANGLE),
        ES_FIELD("marker_x", demo_scene, marker_x, ES_TYPE_F64, ES_BLEND_LINEAR),
        ES_FIELD("marker_y", demo_scene, marker_y, ES_TYPE_F64, ES_BLEND_LINEAR),
        BALL_FIELD(x, ES_TYPE_F32, ES_BLEND_LINEAR),
        BALL_FIELD(y, ES_TYPE_F32, ES_BLEND_LINEAR),
        BALL_FIELD(radius, ES_TYPE_F32, ES_BLEND_STEP),
        BALL_FIELD(glow, ES_TYPE_F32, ES_BLEND_LINEAR),
        BALL_FIELD(bounces, ES_TYPE_U32, ES_BLEND_STEP),
        STAR_FIELD(x, ES_TYPE_F64, ES_BLEND_LINEAR),
        STAR_FIELD(y, ES_TYPE_F32, ES_BLEND_STEP),
        STAR_FIELD(depth, ES_TYPE_F32, ES_BLEND_STEP),
};

static const es_layout layout = ES_LAYOUT(demo_scene, fields);

const es_layout *demo_scene_layout(void)
{
    return &layout;
}

/* xorshift32 (Marsaglia 2003): small, and the same everywhere, which rand() is not. */
static uint32_t random_next(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

static float random_between(uint32_t *state, float low, float high)
{
    return low + (high - low) * ((float)(random_next(state) >> 8) / 16777216.0f);
}

static demo_ball ball_make(uint32_t *random, int index)
{
    demo_ball ball = {0};
    float height = random_between(random, 110.0f, 330.0f);
    ball.radius = random_between(random, 9.0f, 20.0f);
    ball.launch = sqrtf(2.0f * GRAVITY * height); /* just reaches that height */
    ball.x = ((float)index + 0.5f) * ((float)DEMO_WIDTH / (float)DEMO_BALLS);
    ball.y = (float)DEMO_GROUND - ball.radius - random_between(random, 0.0f, height);
    ball.vx = random_between(random, 90.0f, 260.0f) * (index % 2 == 0 ? 1.0f : -1.0f);
    ball.bounces = (uint32_t)index;
    return ball;
}

static demo_star star_make(uint32_t *random)
{
    demo_star star = {0};
    star.x = (double)random_between(random, 0.0f, (float)DEMO_WIDTH);
    star.y = random_between(random, 0.0f, 330.0f);
    star.depth = random_between(random, 0.0f, 1.0f);
    return star;
}

void demo_scene_init(demo_scene *scene, uint32_t seed)
{
    uint32_t random = (seed + 1u) * SEED_SCRAMBLER;
    if (random == 0) {
        random = 1; /* the one state that xorshift never leaves */
    }
    memset(scene, 0, sizeof *scene);
    scene->marker_x = DEMO_WIDTH / 2.0;
    scene->marker_y = DEMO_HEIGHT / 2.0;
    for (int i = 0; i < DEMO_BALLS; ++i) {
        scene->balls[i] = ball_make(&random, i);
    }
    for (int i = 0; i < DEMO_STARS; ++i) {
        scene->stars[i] = star_make(&random);
    }
}

static void ball_hit(demo_ball *ball)
{
    ball->glow = 1.0f;
    ball->bounces++;
}

static void ball_bounce(demo_ball *ball)
{
    float floor_y = (float)DEMO_GROUND - ball->radius;
    float right_x = (float)DEMO_WIDTH - ball->radius;
    if (ball->y > floor_y && ball->vy > 0.0f) {
        ball->y = floor_y;
        ball->vy = -ball->launch; /* no energy is lost, whatever the tick rate */
        ball_hit(ball);
    }
    if (ball->x < ball->radius && ball->vx < 0.0f) {
        ball->x = ball->radius;
        ball->vx = -ball->vx;
        ball_hit(ball);
    } else if (ball->x > right_x && ball->vx > 0.0f) {
        ball->x = right_x;
        ball->vx = -ball->vx;
        ball_hit(ball);
    }
}

/* Constant acceleration without dependence on the step, which a variable one needs: in flight the
 * path is the same however it is cut up. */
static void ball_update(demo_ball *ball, float dt_s)
{
    float glow = ball->glow - GLOW_PER_S * dt_s;
    ball->glow = glow > 0.0f ? glow : 0.0f;
    ball->vy += GRAVITY * dt_s;
    ball->x += ball->vx * dt_s;
    ball->y += (ball->vy - 0.5f * GRAVITY * dt_s) * dt_s;
    ball_bounce(ball);
}

/* Eases towards the pointer. The implicit step is stable at 5 ticks per second too, and needs no
 * exp, which is not the same on every machine. */
static void marker_update(demo_scene *scene, double dt_s, demo_point pointer)
{
    double share = MARKER_PULL * dt_s / (1.0 + MARKER_PULL * dt_s);
    scene->marker_x += (pointer.x - scene->marker_x) * share;
    scene->marker_y += (pointer.y - scene->marker_y) * share;
}

void demo_scene_update(demo_scene *scene, double dt_s, demo_point pointer)
{
    scene->tick++;
    scene->scroll_x += DEMO_SPEED * dt_s;
    scene->wheel_angle += WHEEL_SPEED * dt_s;
    if (scene->wheel_angle >= TURN) {
        scene->wheel_angle -= TURN;
    }
    marker_update(scene, dt_s, pointer);
    for (int i = 0; i < DEMO_BALLS; ++i) {
        ball_update(&scene->balls[i], (float)dt_s);
    }
    for (int i = 0; i < DEMO_STARS; ++i) {
        demo_star *star = &scene->stars[i];
        star->x += STAR_SPEED * (0.15 + 0.85 * (double)star->depth) * dt_s;
    }
}
