/* SPDX-License-Identifier: Zlib
 *
 * Histories: memory, errors, changes of the past, and everything in any order against plain arrays
 * of copies. Driven by a loop: test_rates_history.c.
 */
#include "places.h"
#include "world_support.h"

static _Alignas(64) unsigned char memory[16384];

/* --- memory ----------------------------------------------------------------------------------- */

TEST(states_take_whole_cache_lines)
{
    static const struct {
        size_t state_size;
        int32_t ticks;
        size_t expected;
    } cases[] = {{1, 2, 128}, {63, 2, 128}, {64, 2, 128}, {65, 2, 256}, {1000, 2, 2048},
            {1000, 3, 3072}, {65, 8, 1024}, {0, 2, 0}, {65, 1, 0}, {65, 9, 0}, {65, 0, 0},
            {65, -2, 0}};
    for_rows (i, cases) {
        assert_int_equal(
                es__history_memory_size(cases[i].state_size, cases[i].ticks), cases[i].expected);
    }
}

TEST(sizes_near_the_end_of_size_t_are_0_or_enough)
{
    for (int32_t ticks = ES_HISTORY_TICKS_MIN; ticks <= ES_HISTORY_TICKS_MAX; ++ticks) {
        size_t largest = SIZE_MAX / (size_t)ticks / 64 * 64;
        assert_int_equal(es__history_memory_size(SIZE_MAX, ticks), 0);
        assert_int_equal(es__history_memory_size(SIZE_MAX - 63, ticks), 0);
        for (size_t i = 0; i < 200; ++i) {
            assert_int_equal(es__history_memory_size(largest + 1 + i, ticks), 0);
            assert_int_equal(es__history_memory_size(SIZE_MAX - i, ticks), 0);
            size_t size = es__history_memory_size(largest - i, ticks);
            assert_true(size / (size_t)ticks >= largest - i);
        }
    }
}

/* All states: on cache lines of their own, inside the memory, apart, and zero. The memory has exactly
 * the requested size, so that the sanitizer sees a byte too many. */
static void check_slots(size_t state_size, int32_t ticks)
{
    size_t size = es__history_memory_size(state_size, ticks);
    unsigned char *block = test_alloc_64(size);
    unsigned char *seen[ES_HISTORY_TICKS_MAX];
    assert_non_null(block);
    memset(block, 0xEE, size);
    es_history history;
    es__history_init(&history, block, state_size, ticks);
    assert_ptr_equal(es_history_current(&history), block);
    for (int32_t i = 0; i < ticks; ++i) {
        seen[i] = es_history_current(&history);
        assert_true(seen[i] >= block && seen[i] + state_size <= block + size);
        assert_int_equal((uintptr_t)seen[i] % 64, 0);
        for (size_t k = 0; k < state_size; ++k) {
            assert_int_equal(seen[i][k], 0);
        }
        for (int32_t k = 0; k < i; ++k) {
            assert_true(seen[k] + state_size <= seen[i] || seen[i] + state_size <= seen[k]);
        }
        memset(seen[i], i + 1, state_size);
        es_history_next(&history, NULL);
    }
    /* the first again, and as it was left */
    assert_ptr_equal(es_history_current(&history), block);
    assert_int_equal(block[0], 1);
    assert_int_equal(block[state_size - 1], 1);
    test_free_64(block);
}

TEST(a_created_history_starts_at_tick_0)
{
    static const size_t sizes[] = {0, SIZE_MAX, SIZE_MAX / 2, 8, 8};
    static const int32_t ticks[] = {2, 2, 3, 1, 9};
    es_step step = {.index = 1, .time_ns = 50};
    es_frame frame = {.previous_tick = 0, .current_tick = 1, .newest_tick = 1};
    for_rows (i, sizes) {
        assert_null(es_history_create(sizes[i], ticks[i]));
        assert_non_null(strstr(es_get_error(), i < 3 ? "state_size" : "ticks"));
    }
    es_history *history = es_history_create(100, 8);
    unsigned char *current = es_history_current(history);
    assert_int_equal((uintptr_t)current % 64, 0);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(current[i], 0);
    }
    current[99] = 7;
    assert_ptr_equal(es_history_push(history, &step), current);
    assert_int_equal(((unsigned char *)es_history_previous(history))[99], 7);
    assert_true(es_history_matches(history, &frame));
    es_history_destroy(history);
}

TEST(nothing_is_no_history)
{
    es_step step = {.index = 1};
    es_frame frame = {0};
    es_history_destroy(NULL);
    es_history_reset(NULL, 0, 0);
    assert_null(es_history_push(NULL, &step));
    assert_null(es_history_next(NULL, &step));
    assert_null(es_history_current(NULL));
    assert_null(es_history_previous(NULL));
    assert_null(es_history_tick(NULL, 0));
    assert_false(es_history_matches(NULL, &frame));
    es_history *history = es_history_create(8, 2);
    assert_false(es_history_matches(history, NULL));
    es_layout other = {NULL, 0, 9};
    assert_false(es_blend_frame(&other, history, &frame, &step));
    es_history_destroy(history);
}

TEST(states_lie_apart_in_zeroed_memory)
{
    static const size_t sizes[] = {1, 4, 63, 64, 65, 127, 128, 129, 1000, 4096, 100001};
    for_rows (i, sizes) {
        for (int32_t ticks = ES_HISTORY_TICKS_MIN; ticks <= ES_HISTORY_TICKS_MAX; ++ticks) {
            check_slots(sizes[i], ticks);
        }
    }
    /* memory that is aligned for the state only: distances stay multiples of 64 */
    es_history history;
    es__history_init(&history, memory + 16, 65, 2);
    assert_ptr_equal(es_history_current(&history), memory + 16);
    assert_ptr_equal(es_history_previous(&history), memory + 16 + 128);
}

/* --- ticks ------------------------------------------------------------------------------------ */

TEST(at_the_end_of_time_it_stands)
{
    es_history history;
    es__history_init(&history, memory, 1, 3);
    es_history_reset(&history, INT64_MAX, INT64_MAX);
    es_history_push(&history, NULL);
    assert_int_equal(es__history_time_ns(&history, 0), INT64_MAX);
    assert_int_equal(es__history_index(&history, 0), INT64_MAX);
}

/* --- snap and shift --------------------------------------------------------------------------- */

enum { THINGS = 7 };

typedef struct thing {
    float at[3];
    uint8_t jumps;
    double mass;
} thing;

/* Structs, arrays, planes. */
typedef struct world {
    thing things[THINGS];
    double depth[THINGS];
    float spin[4][THINGS];
    int32_t score;
    double camera[2];
} world;

static const es_field world_fields[] = {
        {"at", ES_TYPE_F32, ES_BLEND_LINEAR, ES_PLACE_OF_EACH(world, things, at, ES_TYPE_F32),
                .group = 1},
        {"jumps", ES_TYPE_U8, ES_BLEND_MARK, ES_PLACE_OF_EACH(world, things, jumps, ES_TYPE_U8),
                .group = 1},
        {"depth", ES_TYPE_F64, ES_BLEND_LINEAR, ES_PLACE_ARRAY(world, depth, ES_TYPE_F64),
                .group = 1},
        {"spin", ES_TYPE_F32, ES_BLEND_ROTATION, ES_PLACE_PLANES(world, spin, ES_TYPE_F32),
                .group = 1},
        {"mass", ES_TYPE_F64, ES_BLEND_LINEAR, ES_PLACE_OF_EACH(world, things, mass, ES_TYPE_F64),
                .group = 0},
        ES_FIELD(world, score, ES_BLEND_STEP),
        ES_FIELD(world, camera, ES_BLEND_LINEAR),
};
enum { WORLD_FIELDS = sizeof world_fields / sizeof world_fields[0] };
static const es_layout world_layout = ES_LAYOUT(world, world_fields);

static float float_below(test_random *random, int64_t below)
{
    return (float)random_below(random, below) / 64.0F;
}

/* Every byte is written: the gaps between members differ from state to state, too. */
static void fill(test_random *random, world *w)
{
    memset(w, (int)random_below(random, 256), sizeof *w);
    for (size_t f = 0; f < WORLD_FIELDS; ++f) {
        const es_field *field = &world_fields[f];
        for (size_t i = 0; i < field->count * field->components; ++i) {
            size_t at = es__field_at(field, i / field->components, i % field->components);
            float number = float_below(random, 100000);
            double large = (double)float_below(random, 100000) * 1.0e6;
            if (field->type == ES_TYPE_F32) {
                memcpy((unsigned char *)w + at, &number, sizeof number);
            } else if (field->type == ES_TYPE_F64) {
                memcpy((unsigned char *)w + at, &large, sizeof large);
            }
        }
    }
}

static void init_worlds(es_history *history, int32_t ticks)
{
    es__history_init(history, memory, sizeof(world), ticks);
}

TEST(wrong_snaps_and_shifts_change_nothing)
{
    static const double delta[4] = {1, 1, 1, 1};
    es_layout other = world_layout;
    other.state_size += 8;
    es_history h;
    init_worlds(&h, 3);
    const struct {
        es_history *history;
        const es_layout *layout;
        const char *name;
        size_t element, components;
    } cases[] = {{NULL, &world_layout, "at", 0, 3}, {&h, NULL, "at", 0, 3},
            {&h, &other, "at", 0, 3}, {&h, &world_layout, NULL, 0, 3},
            {&h, &world_layout, "a", 0, 3}, {&h, &world_layout, "at", THINGS, 3},
            {&h, &world_layout, "at", THINGS + 1, 3}, {&h, &world_layout, "jumps", THINGS, 1},
            {&h, &world_layout, "camera", 1, 2},
            /* only shifts */
            {&h, &world_layout, "at", 0, 2}, {&h, &world_layout, "at", 0, 4},
            {&h, &world_layout, "jumps", 0, 1}, {&h, &world_layout, "score", 0, 1}};
    for_rows (i, cases) {
        if (i < 9) {
            assert_false(es_history_snap(
                    cases[i].history, cases[i].layout, cases[i].name, cases[i].element));
        }
        assert_false(es_history_shift(cases[i].history, cases[i].layout, cases[i].name,
                cases[i].element, delta, cases[i].components));
        if (i < 5 || i > 8) {
            assert_false(es_history_shift(cases[i].history, cases[i].layout, cases[i].name,
                    ES_ALL_ELEMENTS, delta, cases[i].components));
        }
    }
    assert_false(es_history_shift(&h, &world_layout, "at", 0, NULL, 3));
    static const unsigned char zeros[sizeof(world)];
    assert_memory_equal(es_history_current(&h), zeros, sizeof zeros);
    assert_memory_equal(es_history_previous(&h), zeros, sizeof zeros);
}

/* --- everything in any order ------------------------------------------------------------------ */

/* The history as plain copies, by age, also beyond count: next returns them. */
typedef struct model {
    int32_t ticks;
    int32_t count;
    world states[ES_HISTORY_TICKS_MAX];
    int64_t indices[ES_HISTORY_TICKS_MAX];
    int64_t times_ns[ES_HISTORY_TICKS_MAX];
} model;

static void model_grow_older(model *m, const es_step *step)
{
    int64_t length_ns = m->count > 1 ? m->times_ns[0] - m->times_ns[1] : 0;
    for (int32_t age = m->ticks - 1; age > 0; --age) {
        memcpy(&m->states[age], &m->states[age - 1], sizeof(world));
        m->indices[age] = m->indices[age - 1];
        m->times_ns[age] = m->times_ns[age - 1];
    }
    m->indices[0] = step != NULL ? step->index : m->indices[0] + 1;
    m->times_ns[0] = step != NULL ? step->time_ns : m->times_ns[0] + length_ns;
    m->count = m->count < m->ticks ? m->count + 1 : m->ticks;
}

/* States that a change of the past reaches. */
static int32_t model_older(const model *m)
{
    return m->count > 1 ? m->count : 2;
}

static void model_snap_group(model *m, const es_field *field, size_t element)
{
    for (size_t f = 0; f < WORLD_FIELDS; ++f) {
        const es_field *other = &world_fields[f];
        bool snaps =
                other == field || (field->blend == ES_BLEND_MARK && other->group == field->group);
        for (size_t c = 0; snaps && c < other->components; ++c) {
            size_t at = es__field_at(other, element, c);
            for (int32_t age = 1; age < model_older(m); ++age) {
                memcpy((unsigned char *)&m->states[age] + at, (unsigned char *)&m->states[0] + at,
                        ES_TYPE_SIZE(other->type));
            }
        }
    }
}

static void model_shift(model *m, const es_field *field, size_t element, const double *delta)
{
    for (size_t c = 0; c < field->components; ++c) {
        for (int32_t age = 0; age < model_older(m); ++age) {
            unsigned char *at = (unsigned char *)&m->states[age] + es__field_at(field, element, c);
            if (field->type == ES_TYPE_F32) {
                float *number = (float *)(void *)at;
                *number = (float)((double)*number + delta[c]);
            } else {
                *(double *)(void *)at += delta[c];
            }
        }
    }
}

static void check_model(const model *m, const es_history *h)
{
    assert_int_equal(h->count, m->count);
    assert_memory_equal(es_history_current(h), &m->states[0], sizeof(world));
    assert_memory_equal(es_history_previous(h), &m->states[1], sizeof(world));
    for (int32_t age = 0; age < m->count; ++age) {
        assert_memory_equal(es_history_tick(h, age), &m->states[age], sizeof(world));
        assert_int_equal(es__history_index(h, age), m->indices[age]);
        assert_int_equal(es__history_time_ns(h, age), m->times_ns[age]);
    }
    assert_null(es_history_tick(h, m->count));
    assert_null(es_history_tick(h, -1));
    assert_int_equal(es__history_index(h, -1), m->indices[0]);
    assert_int_equal(es__history_index(h, m->count), m->indices[m->count - 1]);
    /* frames whose pair it holds; before the oldest tick there is none, as before the first */
    for (int64_t pair = 0; pair < 3 * (m->count + 1); ++pair) {
        int64_t age = pair / 3, newest = m->indices[0], current = newest - age;
        bool oldest = age == m->count - 1;
        es_frame frame = {.current_tick = current, .newest_tick = newest};
        frame.previous_tick = current - pair % 3;
        assert_int_equal(
                es_history_matches(h, &frame), age < m->count && pair % 3 == (oldest ? 0 : 1));
        frame.newest_tick += 1;
        assert_false(es_history_matches(h, &frame));
    }
}

/* One random call of the kinds that make a tick, or forget all. */
static void tick_both(test_random *random, model *m, es_history *h)
{
    unsigned char *current = es_history_current(h);
    es_step given = {
            .index = m->indices[0] + 1, .time_ns = m->times_ns[0] + random_below(random, 100)};
    const es_step *step = random_below(random, 2) == 0 ? NULL : &given;
    int64_t call = random_below(random, 20);
    if (call == 0) {
        memcpy(&m->states[1], &m->states[0], sizeof(world));
        m->indices[0] = given.index + 100;
        m->times_ns[0] = given.time_ns;
        m->count = 1;
        es_history_reset(h, given.index + 100, given.time_ns);
    } else if (call < 10) {
        model_grow_older(m, step);
        assert_ptr_equal(es_history_push(h, step), current);
    } else {
        world oldest;
        memcpy(&oldest, &m->states[m->ticks - 1], sizeof oldest);
        model_grow_older(m, step);
        memcpy(&m->states[0], &oldest, sizeof oldest);
        const void *next = es_history_next(h, step);
        assert_ptr_equal(next, es_history_current(h));
        assert_ptr_equal(es_history_previous(h), current);
    }
}

static void change_past_of_both(test_random *random, model *m, es_history *h)
{
    const es_field *field = &world_fields[random_below(random, WORLD_FIELDS)];
    size_t element = (size_t)random_below(random, (int64_t)field->count);
    double delta[4];
    for (int i = 0; i < 4; ++i) {
        delta[i] = (double)float_below(random, 100000) / 3.0 - 200.0;
    }
    bool is_float = field->type == ES_TYPE_F32 || field->type == ES_TYPE_F64;
    int64_t call = random_below(random, 4);
    if (call == 0) {
        model_snap_group(m, field, element);
        assert_true(es_history_snap(h, &world_layout, field->name, element));
    } else if (call == 3) {
        for (size_t i = 0; i < field->count; ++i) {
            model_snap_group(m, field, i);
        }
        assert_true(es_history_snap(h, &world_layout, field->name, ES_ALL_ELEMENTS));
    } else if (call == 1) {
        if (is_float) {
            model_shift(m, field, element, delta);
        }
        assert_int_equal(
                es_history_shift(h, &world_layout, field->name, element, delta, field->components),
                is_float);
    } else {
        for (size_t i = 0; is_float && i < field->count; ++i) {
            model_shift(m, field, i, delta);
        }
        assert_int_equal(es_history_shift(h, &world_layout, field->name, ES_ALL_ELEMENTS, delta,
                                 field->components),
                is_float);
    }
}

TEST(any_order_of_calls_is_as_plain_copies)
{
    test_random random = {0xB5B6};
    static model m;
    es_history h;
    layout_of(world_fields, WORLD_FIELDS, sizeof(world));
    for (int32_t ticks = ES_HISTORY_TICKS_MIN; ticks <= ES_HISTORY_TICKS_MAX; ++ticks) {
        memset(&m, 0, sizeof m);
        m.ticks = ticks;
        m.count = 1;
        init_worlds(&h, ticks);
        for (int i = 0; i < 20000; ++i) {
            int64_t call = random_below(&random, 10);
            if (call < 5) {
                tick_both(&random, &m, &h);
            } else if (call < 7) {
                fill(&random, &m.states[0]);
                memcpy(es_history_current(&h), &m.states[0], sizeof(world));
            } else {
                change_past_of_both(&random, &m, &h);
            }
            check_model(&m, &h);
        }
    }
}
