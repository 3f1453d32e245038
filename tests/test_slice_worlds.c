/* SPDX-License-Identifier: Zlib
 *
 * slice, in worlds: sliced in every way they are the unsliced one, byte for byte.
 */
#include "slice_support.h"

/* --- worlds ----------------------------------------------------------------------------------- */

enum { JOBS = 4, FIELD = 32, ITEMS_MOST = 64 };

/* Jobs read a copy of the field. Their results are used at their tick, and are no part of the world
 * before it. */
typedef struct world {
    uint32_t field[FIELD];
    uint32_t decided[JOBS][ITEMS_MOST];
    uint32_t found; /* by the last job, of unknown length */
} world;

typedef struct thinking {
    uint32_t copy[FIELD];
    uint32_t results[ITEMS_MOST];
    uint32_t walk;
} thinking;

static const int32_t job_items[JOBS] = {60, 13, 1, 20};
static const int64_t job_ticks[JOBS] = {12, 7, 5, 30};

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t x = a * UINT32_C(2654435761) + b;
    x ^= x >> 15;
    x *= UINT32_C(2246822519);
    return x ^ x >> 13;
}

static void update_world(world *w, int64_t tick)
{
    for (uint32_t i = 0; i < FIELD; ++i) {
        uint32_t own = w->decided[i % 3][i] + w->found;
        w->field[i] = mix(w->field[i] + own, w->field[(i + 1) % FIELD] ^ (uint32_t)tick);
    }
}

/* Returns false when a job of unknown length has found what it looked for. */
static bool think(thinking *t, int32_t job, int32_t item)
{
    if (job == JOBS - 1) {
        t->walk = mix(t->walk, t->copy[t->walk % FIELD]);
        return t->walk % 29 != 0;
    }
    for (uint32_t i = 0; i < 4; ++i) {
        uint32_t at = ((uint32_t)item + i * 7) % FIELD;
        t->results[item] = mix(t->results[item], t->copy[at] + (uint32_t)job);
    }
    return true;
}

static void begin_thinking(thinking *t, const world *w, int32_t job)
{
    memset(t, 0, sizeof *t);
    memcpy(t->copy, w->field, sizeof t->copy);
    t->walk = mix(t->copy[0], (uint32_t)job);
}

static void use_result(world *w, const thinking *t, int32_t job)
{
    if (job == JOBS - 1) {
        w->found = t->walk;
    } else {
        memcpy(w->decided[job], t->results, sizeof t->results);
    }
}

/* Without slices: at its tick all of a job at once, from what there was when it began. */
static void unsliced(world *w, thinking *t, int64_t tick)
{
    for (int32_t j = 0; j < JOBS; ++j) {
        if (tick % job_ticks[j] != 0) {
            continue;
        }
        if (tick > 0) {
            int32_t item = 0;
            while ((j == JOBS - 1 || item < job_items[j]) && think(&t[j], j, item)) {
                item += 1;
            }
            use_result(w, &t[j], j);
        }
        begin_thinking(&t[j], w, j);
    }
    if (tick > 0) {
        update_world(w, tick);
    }
}

typedef struct sliced {
    world world;
    thinking thoughts[JOBS];
    es_slices set;
    es__slice slices[JOBS];
    int64_t now_ns;
    test_random random;
    bool in_place; /* items write into the world at once */
} sliced;

static void run_grant(sliced *s, const es_slice_grant *grant)
{
    int32_t j = grant->slice, item = 0;
    bool more = true;
    while (more && item < grant->items) {
        int32_t number = grant->first + item;
        more = think(&s->thoughts[j], j, number);
        if (s->in_place) { /* not the same as unsliced */
            uint32_t *cell = &s->world.field[((uint32_t)number + (uint32_t)j) % FIELD];
            *cell = mix(*cell, s->thoughts[j].results[number % ITEMS_MOST] ^ s->thoughts[j].walk);
        }
        item += 1;
        s->now_ns += 500 + random_below(&s->random, 40 * US);
        s->now_ns += random_below(&s->random, 500) == 0 ? random_below(&s->random, 20 * MS) : 0;
    }
    if (!more) {
        assert_true(es_slices_finish(&s->set, j, item));
    }
}

static void run_open_slot(sliced *s)
{
    es_slice_grant grant;
    while (es_slices_next(&s->set, s->now_ns, &grant)) {
        run_grant(s, &grant);
    }
}

/* After the slot of a tick: results are used, jobs begin, the world moves on. */
static void end_tick(sliced *s, int64_t tick)
{
    for (int32_t j = 0; j < JOBS; ++j) {
        if (tick % job_ticks[j] == 0) {
            if (tick > 0) {
                assert_true(is_done(&s->set, j));
                use_result(&s->world, &s->thoughts[j], j);
            }
            begin_thinking(&s->thoughts[j], &s->world, j);
            es_slice_job job = {tick, tick + job_ticks[j], job_items[j], j == JOBS - 1};
            assert_true(es_slices_begin(&s->set, j, &job));
        }
    }
    if (tick > 0) {
        update_world(&s->world, tick);
    }
}

static void start_sliced(sliced *s, const es_slice_config *configs, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->random.state = seed;
    assert_int_equal(es__slices_init(&s->set, s->slices, configs, JOBS, NULL), ES_OK);
    end_tick(s, 0);
}

/* frames_per_10: how many frames there are for ten ticks. */
static void run_some_frames(sliced *s, int64_t tick, int64_t frames_per_10)
{
    int64_t frames = (tick + 1) * frames_per_10 / 10 - tick * frames_per_10 / 10;
    for (int64_t i = 0; i < frames; ++i) {
        es_frame frame = frame_at(tick, random_below(&s->random, 1001), 1000);
        int64_t budget_ns = random_below(&s->random, 400 * US) - 50 * US;
        es_slices_open_frame(&s->set, &frame, s->now_ns, budget_ns);
        run_open_slot(s);
    }
}

/* Every method, in ticks and frames, forced at once or evenly; slow and fast frames; and mixed. */
TEST(sliced_and_unsliced_worlds_are_the_same)
{
    enum { TICKS = 10000 };
    const int64_t frames_per_10[] = {10, 60, 24, 3, 0};
    test_random random = {17};
    for (int way = 0; way < 12 * 5 + 30; way += way < 60 && TEST_SANITIZED ? 3 : 1) {
        static sliced s;
        static world reference;
        static thinking thoughts[JOBS];
        es_slice_config configs[JOBS];
        for (int32_t j = 0; j < JOBS; ++j) {
            int kind = way < 12 * 5 ? way / 5 : (int)random_below(&random, 12); /* later: mixed */
            configs[j] = (es_slice_config){.method = (es_slice_method)(kind % 3),
                    .where = (es_slice_where)(kind / 3 % 2),
                    .late = (es_slice_late)(kind / 6)};
            configs[j].count = configs[j].method == ES_SLICE_COUNT ? 1 + kind % 4 : 0;
        }
        memset(&reference, 0, sizeof reference);
        memset(thoughts, 0, sizeof thoughts);
        start_sliced(&s, configs, 100 + (uint64_t)way);
        unsliced(&reference, thoughts, 0);
        for (int64_t tick = 1; tick <= TICKS; ++tick) {
            run_some_frames(&s, tick - 1, frames_per_10[way % 5]);
            es_slices_open_tick(&s.set, tick, s.now_ns, random_below(&s.random, 300 * US));
            run_open_slot(&s);
            end_tick(&s, tick);
            unsliced(&reference, thoughts, tick);
            assert_memory_equal(&s.world, &reference, sizeof reference);
        }
        for (int32_t j = 0; j < JOBS; ++j) {
            slice_figures status = figures_of(&s.set, j);
            int64_t jobs = TICKS / job_ticks[j];
            assert_in_range(status.jobs, jobs, jobs + 1); /* the last may be done early */
            assert_int_equal(status.missed, 0);
        }
    }
}

/* Items that write into the world: by share or count in ticks it does not matter what the machine
 * does, how many frames there are, or what else shares the set. */
TEST(counted_slices_do_not_depend_on_the_machine)
{
    enum { TICKS = 10000 };
    static sliced runs[2];
    for (int way = 0; way < 4; ++way) {
        es_slice_config configs[JOBS] = {{0}, {.method = ES_SLICE_COUNT, .count = 2 + way}, {0},
                {.method = ES_SLICE_COUNT, .count = 1}};
        start_sliced(&runs[0], configs, 5);
        start_sliced(&runs[1], configs, 6);
        runs[0].in_place = runs[1].in_place = true;
        for (int64_t tick = 1; tick <= TICKS; ++tick) {
            for (int i = 0; i < 2; ++i) {
                sliced *s = &runs[i];
                run_some_frames(s, tick - 1, i == 0 ? 60 : 7);
                es_slices_open_tick(&s->set, tick, s->now_ns, i * way * MS);
                run_open_slot(s);
                end_tick(s, tick);
            }
            assert_memory_equal(&runs[0].world, &runs[1].world, sizeof runs[0].world);
        }
    }
}
