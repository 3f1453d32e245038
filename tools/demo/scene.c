/* SPDX-License-Identifier: Zlib */
#include "scene.h"

#include "lab/numbers.h"

#include <math.h>
#include <string.h>

#define TURN           6.283185307179586
#define STAR_SPEED     90.0 /* of the nearest star */
#define WHEEL_SPEED    1.1  /* radians per second */
#define MARKER_PULL    9.0  /* per second: how eagerly the ring follows the pointer */
#define GRAVITY        900.0f
#define GLOW_PER_S     3.0f
#define CIRCLE_NS      ((int64_t)1200000000) /* the jumper's, once round; 6 ticks at 5 per second */
#define SEED_SCRAMBLER 2654435761u /* spreads small seeds over all 32 bits (golden ratio) */

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
    ball.ay = GRAVITY;
    ball.pass_vx = ball.vx;
    ball.bounces = (uint32_t)index;
    return ball;
}

static demo_star star_make(uint32_t *random)
{
    demo_star star = {0};
    star.x = (double)random_between(random, 0.0f, (float)DEMO_WIDTH);
    star.y = random_between(random, 0.0f, 330.0f);
    star.depth = random_between(random, 0.0f, 1.0f);
    star.speed = STAR_SPEED * (0.15 + 0.85 * (double)star.depth);
    return star;
}

/* The sine of the jumper's way round, so many quarters ahead: the same bits on every machine, by the
 * power series for a part of up to pi / 4. */
static double jumper_sine(int64_t age_ns, int64_t quarters)
{
    static const double factors[2][8] = {
            {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
                    -1.0 / 1307674368000, 1.0 / 355687428096000},
            {-1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                    -1.0 / 87178291200, 1.0 / 20922789888000}};
    const int64_t quarter_ns = CIRCLE_NS / 4;
    int64_t nearest = (age_ns + (quarter_ns - 1) / 2) / quarter_ns;
    double x = (double)(age_ns - nearest * quarter_ns) / (double)quarter_ns * (TURN / 4);
    quarters += nearest;
    double sum = 0;
    for (int i = 7; i >= 0; --i) {
        sum = x * x * (factors[quarters % 2][i] + sum);
    }
    double size = quarters % 2 == 0 ? x + x * sum : 1 + sum;
    return quarters % 4 < 2 ? size : 0 - size;
}

/* Two swings a quarter of a turn apart. */
static void jumper_move(demo_jumper *jumper, int64_t age_ns)
{
    const double per_s = TURN / ((double)CIRCLE_NS / 1e9);
    for (int i = 0; i < 2; ++i) {
        double way = DEMO_JUMPER_REACH * jumper_sine(age_ns, 1 - i);
        jumper->at[i] = (i == 0 ? DEMO_JUMPER_X : 0.0) + way;
        jumper->velocity[i] = DEMO_JUMPER_REACH * per_s * jumper_sine(age_ns, 2 - i);
        jumper->acceleration[i] = -per_s * per_s * way;
    }
}

void demo_scene_init(demo_scene *scene, uint32_t seed)
{
    uint32_t random = (seed + 1u) * SEED_SCRAMBLER;
    if (random == 0) {
        random = 1; /* the one state that xorshift never leaves */
    }
    memset(scene, 0, sizeof *scene);
    scene->scroll_speed = DEMO_SPEED;
    scene->wheel_speed = WHEEL_SPEED;
    scene->marker_x = DEMO_WIDTH / 2.0;
    scene->marker_y = DEMO_HEIGHT / 2.0;
    scene->pointer = (demo_point){DEMO_WIDTH / 2.0, DEMO_HEIGHT / 2.0};
    for (int i = 0; i < DEMO_BALLS; ++i) {
        scene->balls[i] = ball_make(&random, i);
    }
    for (int i = 0; i < DEMO_STARS; ++i) {
        scene->stars[i] = star_make(&random);
    }
    jumper_move(&scene->jumper, 0);
    demo_scene_set_time(scene, 0);
}

static void ball_hit(demo_ball *ball)
{
    ball->glow = 1.0f;
    ball->bounces++;
}

static float ball_floor(const demo_ball *ball)
{
    return (float)DEMO_GROUND - ball->radius;
}

static float ball_wall(const demo_ball *ball)
{
    return (float)DEMO_WIDTH - ball->radius;
}

static void ball_bounce(demo_ball *ball)
{
    float floor_y = ball_floor(ball);
    float right_x = ball_wall(ball);
    ball->pass_vx = ball->vx;
    ball->pass_vy = ball->vy;
    if (ball->y > floor_y && ball->vy > 0.0f) {
        ball->y = floor_y;
        ball->pass_vy = 0.5f * (ball->vy - ball->launch);
        ball->vy = -ball->launch; /* no energy is lost, whatever the tick rate */
        ball_hit(ball);
    }
    bool left = ball->x < ball->radius && ball->vx < 0.0f;
    if (left || (ball->x > right_x && ball->vx > 0.0f)) {
        ball->x = left ? ball->radius : right_x;
        ball->pass_vx = 0.0f;
        ball->vx = -ball->vx;
        ball_hit(ball);
    }
}

static int64_t whole_ns(double seconds)
{
    return seconds > -1e9 && seconds < 1e9 ? (int64_t)(seconds * 1e9) : 0;
}

/* When it will touch what it bounces off in the tick after. */
static void ball_foresee(demo_ball *ball, int64_t time_ns)
{
    double speed = (double)ball->vy;
    double fall = (double)(ball_floor(ball) - ball->y);
    double root = speed * speed + 2.0 * (double)ball->ay * fall;
    double hit_y_s = (sqrt(root > 0.0 ? root : 0.0) - speed) / (double)ball->ay;
    float way = ball->vx > 0.0f ? ball_wall(ball) - ball->x : ball->x - ball->radius;
    double hit_x_s = (double)way / fabs((double)ball->vx);
    ball->hit_x_ns = ns_add(time_ns, whole_ns(hit_x_s));
    ball->hit_y_ns = ns_add(time_ns, whole_ns(hit_y_s));
}

/* Constant acceleration without dependence on the step, which a variable one needs: in flight the
 * path is the same however it is cut up. */
static void ball_update(demo_ball *ball, float dt_s)
{
    float glow = ball->glow - GLOW_PER_S * dt_s;
    ball->glow = glow > 0.0f ? glow : 0.0f;
    ball->vy += ball->ay * dt_s;
    ball->x += ball->vx * dt_s;
    ball->y += (ball->vy - 0.5f * ball->ay * dt_s) * dt_s;
    ball_bounce(ball);
}

/* Eases towards the pointer. The implicit step is stable at 5 ticks per second too, and needs no
 * exp, which is not the same on every machine. Its velocity is that of the next tick, if the
 * pointer stays where it is. */
static void marker_update(demo_scene *scene, double dt_s)
{
    const demo_point pointer = scene->pointer;
    double share = MARKER_PULL * dt_s / (1.0 + MARKER_PULL * dt_s);
    scene->marker_x += (pointer.x - scene->marker_x) * share;
    scene->marker_y += (pointer.y - scene->marker_y) * share;
    scene->marker_vx = (pointer.x - scene->marker_x) * MARKER_PULL / (1.0 + MARKER_PULL * dt_s);
    scene->marker_vy = (pointer.y - scene->marker_y) * MARKER_PULL / (1.0 + MARKER_PULL * dt_s);
}

void demo_scene_set_time(demo_scene *scene, int64_t time_ns)
{
    for (int i = 0; i < DEMO_BALLS; ++i) {
        ball_foresee(&scene->balls[i], time_ns);
    }
}

void demo_scene_flash(demo_scene *scene, demo_point at, int64_t stamp_ns)
{
    const demo_flash *last = &scene->flashes[(scene->presses + DEMO_FLASHES - 1) % DEMO_FLASHES];
    bool again = last->stamp_ns != 0 && last->from_ns == scene->age_ns;
    scene->flashes[scene->presses % DEMO_FLASHES] = (demo_flash){.x = at.x,
            .y = at.y,
            .from_ns = scene->age_ns,
            .stamp_ns = stamp_ns,
            .before = again ? last->before + 1 : 0};
    scene->presses += 1;
}

void demo_scene_update(demo_scene *scene, const es_step *step)
{
    double dt_s = step->dt_s;
    scene->tick++;
    scene->age_ns = ns_add(scene->age_ns, step->dt_ns);
    scene->scroll_x += scene->scroll_speed * dt_s;
    scene->wheel_angle += scene->wheel_speed * dt_s;
    if (scene->wheel_angle >= TURN) {
        scene->wheel_angle -= TURN;
    }
    marker_update(scene, dt_s);
    for (int i = 0; i < DEMO_BALLS; ++i) {
        ball_update(&scene->balls[i], (float)dt_s);
    }
    demo_scene_set_time(scene, step->time_ns);
    for (int i = 0; i < DEMO_STARS; ++i) {
        scene->stars[i].x += scene->stars[i].speed * dt_s;
    }
    jumper_move(&scene->jumper, scene->age_ns);
}
