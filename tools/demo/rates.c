/* SPDX-License-Identifier: Zlib */
#include "evenstep/schedule.h"

#include "lab/numbers.h"
#include "rates.h"

#include <math.h>

#define SPARK_HZ      120
#define SPARK_PER_S   0.9f /* of its life */
#define SPARK_SPEED   150.0f
#define SPARK_GRAVITY 320.0f
#define BIRD_HZ       10
#define BIRD_SPEED    95.0f
#define BIRD_TURN     2.2f /* per second: how eagerly one follows its decision */
#define FEAR          90.0f

/* Where birds fly: the sky between the wheel and the panel, and over them. */
#define SKY_LEFT   30.0f
#define SKY_RIGHT  640.0f
#define SKY_TOP    105.0f
#define SKY_BOTTOM 300.0f

/* Of all groups in one tick of the world; no valid rates need as many. */
#define RUNS_MAX 1000

/* In a slower world a tick has more of the sparks' ticks than the ring: they tick with it. */
#define SPARKS_APART_HZ 30

static const es_rate_group apart_groups[DEMO_GROUPS] = {
        {.rate = {SPARK_HZ, 1}},
        {.rate = {BIRD_HZ, 1}},
};
static const es_rate_group slow_groups[DEMO_GROUPS] = {
        {.period = 1},
        {.rate = {BIRD_HZ, 1}},
};

/* --- motion ----------------------------------------------------------------------------------- */

/* Sixteen directions, without sin and cos, which differ from machine to machine. */
static void spark_start(demo_spark *spark, float x, float y, int32_t number)
{
    static const float ways[8][2] = {{1.0f, 0.0f}, {0.71f, 0.71f}, {0.0f, 1.0f}, {-0.71f, 0.71f},
            {-1.0f, 0.0f}, {-0.71f, -0.71f}, {0.0f, -1.0f}, {0.71f, -0.71f}};
    const float *way = ways[number % 8];
    *spark = (demo_spark){x, y, SPARK_SPEED * way[0], SPARK_SPEED * way[1] - 60.0f, 1.0f};
}

static void run_sparks(demo_groups *groups, demo_spark *sparks, float dt_s)
{
    for (int i = 0; i < DEMO_SPARKS; ++i) {
        demo_spark *spark = &sparks[i];
        float life = spark->life - SPARK_PER_S * dt_s;
        spark->life = life > 0.0f ? life : 0.0f;
        spark->vy += SPARK_GRAVITY * dt_s;
        spark->x += spark->vx * dt_s;
        spark->y += (spark->vy - 0.5f * SPARK_GRAVITY * dt_s) * dt_s;
    }
    for (int32_t burst = 0; burst < groups->burst_count; ++burst) {
        for (int32_t i = 0; i < DEMO_BURST; ++i) {
            int32_t at = groups->next_spark++ % DEMO_SPARKS;
            spark_start(&sparks[at], groups->bursts[burst][0], groups->bursts[burst][1], i);
        }
    }
    groups->next_spark %= DEMO_SPARKS;
    groups->burst_count = 0;
}

/* Away from what it is afraid of, from others that are near, and from the edges of the sky. */
static void bird_decide(const demo_bird *birds, int self, float x, float y, float *wish)
{
    const demo_bird *bird = &birds[self];
    wish[0] = self % 2 == 0 ? 1.0f : -1.0f;
    wish[1] = 0.4f * (float)(self % 3 - 1);
    for (int i = -1; i < DEMO_BIRDS; ++i) {
        float dx = bird->x - (i < 0 ? x : birds[i].x);
        float dy = bird->y - (i < 0 ? y : birds[i].y);
        float reach = i < 0 ? FEAR : 0.4f * FEAR;
        float far = dx * dx + dy * dy;
        if (i != self && far < reach * reach) {
            float push = 3.0f * (1.0f - far / (reach * reach)) / (1.0f + sqrtf(far));
            wish[0] += push * dx;
            wish[1] += push * dy;
        }
    }
    float turn = (self % 2 == 0) == (bird->vx > 0.0f) ? 0.0f : 2.0f;
    wish[0] += bird->vx > 0.0f && self % 2 != 0 ? turn : 0.0f;
    wish[0] -= bird->vx < 0.0f && self % 2 == 0 ? turn : 0.0f;
    wish[0] += bird->x < SKY_LEFT ? 6.0f : bird->x > SKY_RIGHT ? -6.0f : 0.0f;
    wish[1] += bird->y < SKY_TOP ? 3.0f : bird->y > SKY_BOTTOM ? -3.0f : 0.0f;
}

static void run_birds(demo_bird *birds, const demo_bird *before, float dt_s, float x, float y)
{
    float share = BIRD_TURN * dt_s / (1.0f + BIRD_TURN * dt_s);
    for (int i = 0; i < DEMO_BIRDS; ++i) {
        float wish[2];
        demo_bird *bird = &birds[i];
        bird_decide(before, i, x, y, wish);
        float size = sqrtf(wish[0] * wish[0] + wish[1] * wish[1]) + 0.001f;
        bird->vx += (BIRD_SPEED * wish[0] / size - bird->vx) * share;
        bird->vy += (0.7f * BIRD_SPEED * wish[1] / size - bird->vy) * share;
        bird->x += bird->vx * dt_s;
        bird->y += bird->vy * dt_s;
    }
}

/* --- when ------------------------------------------------------------------------------------- */

static int slot_of(int64_t tick)
{
    return (int)(tick % DEMO_GROUP_TICKS);
}

/* A slot of a group's ring, by where its tick is. */
static int64_t *slot_at(demo_groups *groups, demo_group group, int at)
{
    return group == DEMO_GROUP_SPARKS ? &groups->sparks[at].tick : &groups->birds[at].tick;
}

/* Both slots begin with the tick. */
static void copy_slot(demo_groups *groups, demo_group group, int64_t from, int64_t tick)
{
    if (group == DEMO_GROUP_SPARKS) {
        groups->sparks[slot_of(tick)] = groups->sparks[slot_of(from)];
    } else {
        groups->birds[slot_of(tick)] = groups->birds[slot_of(from)];
    }
    *slot_at(groups, group, slot_of(tick)) = tick;
    groups->newest[group] = tick;
}

static void run_group(
        demo_groups *groups, demo_group group, int64_t tick, double dt_s, float x, float y)
{
    int before = slot_of(groups->newest[group]), now = slot_of(tick);
    copy_slot(groups, group, groups->newest[group], tick);
    if (group == DEMO_GROUP_SPARKS) {
        run_sparks(groups, groups->sparks[now].each, (float)dt_s);
    } else {
        run_birds(groups->birds[now].each, groups->birds[before].each, (float)dt_s, x, y);
    }
    groups->ran[group] += 1;
}

/* A group goes on from its newest state at another of its ticks. */
static void place_group(demo_groups *groups, demo_group group, int64_t tick)
{
    copy_slot(groups, group, groups->newest[group], tick);
    for (int i = 0; i < DEMO_GROUP_TICKS; ++i) {
        if (i != slot_of(tick)) {
            *slot_at(groups, group, i) = -1;
        }
    }
}

static void first_birds(demo_groups *groups)
{
    for (int i = 0; i < DEMO_BIRDS; ++i) {
        demo_bird *bird = &groups->birds[0].each[i];
        bird->x = SKY_LEFT + 80.0f * (float)(i + 1);
        bird->y = SKY_TOP + 26.0f * (float)((i * 3) % 7);
        bird->vx = i % 2 == 0 ? BIRD_SPEED : -BIRD_SPEED;
    }
}

static bool is_slow(es_rate base)
{
    return base.numerator < (uint64_t)SPARKS_APART_HZ * base.denominator;
}

static const es_rate_group *groups_of(es_rate base)
{
    return is_slow(base) ? slow_groups : apart_groups;
}

/* Created anew for each tick: it follows from the world, which may be a recording's. NULL: there are
 * no such rates. */
static es_rates *rates_of(const demo_groups *groups)
{
    const es_rates_config config = {groups_of(groups->base), DEMO_GROUPS, groups->base, false};
    es_rates *rates = es_rates_create(&config);
    if (groups->first_tick > 0) {
        es_rates_rebase(rates, groups->first_tick, groups->first_ns, groups->base);
    }
    return rates;
}

/* The loop was moved to another tick or has another tick rate, or the groups another rule. */
static void restart(demo_groups *groups, const es_step *step, es_rate base, bool apart)
{
    int64_t before = step->index - 1;
    if (!groups->started) {
        first_birds(groups);
    }
    groups->started = 1;
    groups->base = base;
    groups->first_tick = before;
    groups->first_ns = ns_sub(step->time_ns, step->dt_ns);
    es_rates *rates = apart ? rates_of(groups) : NULL;
    groups->apart = rates != NULL;
    for (int g = 0; g < DEMO_GROUPS; ++g) {
        int64_t newest = groups->apart ? es_rates_newest(rates, g, before, NULL) : before;
        place_group(groups, (demo_group)g, newest);
    }
    es_rates_destroy(rates);
}

static bool is_tick(int64_t tick)
{
    return tick >= 0 && tick < INT64_MAX / 2;
}

/* Checks all that a tick uses as a count or an index. */
bool demo_groups_is_valid(const demo_groups *groups)
{
    bool sound = groups->apart <= 1 && groups->started <= 1 && groups->burst_count >= 0
                 && groups->burst_count <= DEMO_BURSTS && groups->next_spark >= 0
                 && groups->next_spark < DEMO_SPARKS
                 && (!groups->started || rate_is_valid(groups->base));
    for (int g = 0; g < DEMO_GROUPS; ++g) {
        sound = sound && is_tick(groups->newest[g]) && is_tick(groups->ran[g]);
    }
    return sound;
}

void demo_groups_burst(demo_groups *groups, float x, float y)
{
    if (groups->burst_count < DEMO_BURSTS) {
        float *burst = groups->bursts[groups->burst_count++];
        burst[0] = x;
        burst[1] = y;
    }
}

void demo_groups_tick(
        demo_groups *groups, const es_step *step, es_rate base, bool apart, float x, float y)
{
    es_rates_run run = {0};
    bool same = groups->started && groups->base_tick == step->index - 1 && groups->apart == apart
                && groups->base.numerator == base.numerator
                && groups->base.denominator == base.denominator;
    if (!same) {
        restart(groups, step, base, apart);
    }
    groups->base_tick = step->index;
    if (!groups->apart) {
        run_group(groups, DEMO_GROUP_SPARKS, step->index, step->dt_s, x, y);
        run_group(groups, DEMO_GROUP_BIRDS, step->index, step->dt_s, x, y);
        return;
    }
    es_rates *rates = rates_of(groups);
    for (int runs = 0; runs < RUNS_MAX && es_rates_next(rates, step->index, &run); ++runs) {
        run_group(groups, (demo_group)run.group, run.step.index, run.step.dt_s, x, y);
    }
    es_rates_destroy(rates);
}
