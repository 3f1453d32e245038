/* SPDX-License-Identifier: Zlib
 *
 * synctest: state outside the state is found; and a draw function that writes to the world is
 * reported, with frame, field, object, component and both values.
 */
#include "replay/synctest_parts.h"

#include <math.h>

#include "record_game.h"
#include "test_support.h"

static unsigned char memory[GAME_MEMORY];
static game g;

/* --- the sync test --- */

static int hidden; /* beside the state, and it matters */
static bool with_hidden;

static int update_hidden(
        void *user, void *state, const es_step *step, const void *input, size_t size)
{
    game *updated = state;
    (void)user;
    game_update(updated, step, input, size);
    if (with_hidden) {
        hidden += 1;
        updated->objects[3].speed[0] += (float)(hidden % 5);
    }
    return 0;
}

/* Depends on `random`, which the layout of its test does not cover. */
static int update_uncovered(
        void *user, void *state, const es_step *step, const void *in, size_t size)
{
    game *updated = state;
    (void)user;
    game_update(updated, step, in, size);
    updated->score += updated->random % 3 == 0;
    updated->random += 1;
    return 0;
}

/* Changes the state, and abandons the test. */
static int update_failing(void *user, void *state, const es_step *step, const void *in, size_t size)
{
    (void)user, (void)step, (void)in, (void)size;
    ((game *)state)->score += 1;
    return 1;
}

/* A tick under the test: false: it found something. The state is as the update left it. */
static bool test_tick(es_synctest *test, int64_t tick, const void *input, size_t size)
{
    es_step step = game_step(tick);
    es_synctest_before(test, &g, &step, input, size);
    (void)test->config.update(NULL, &g, &step, input, size);
    game before = g;
    bool same = es_synctest_after(test, &g);
    assert_memory_equal(&before, &g, sizeof g);
    return same;
}

TEST(hidden_state_is_found)
{
    es_synctest test;
    for (int run = 0; run < 2; ++run) {
        es_synctest_config config = {
                .layout = &game_layout, .update = update_hidden, .every = 20, .ticks = 3};
        size_t size = es_synctest_memory_size(&config);
        with_hidden = run == 1;
        hidden = 0;
        game_init(&g, 5);
        assert_int_equal(es_synctest_init(&test, &config, memory, size, NULL), ES_OK);
        for (int64_t tick = 1; tick <= 200; ++tick) {
            unsigned char input[4];
            bool same = test_tick(&test, tick, input, game_input(tick, input));
            assert_true(same || (with_hidden && tick % 20 == 2));
        }
        const es_synctest_finding *found = es_synctest_finding_get(&test);
        assert_int_equal(found->found, with_hidden);
        assert_int_equal(es_synctest_count(&test), 9); /* the one that began at 200 is open */
        if (with_hidden) {
            assert_int_equal(found->first_tick, 20);
            assert_int_equal(found->tick, 22);
            assert_string_equal(found->difference.field->name, "objects.at");
            assert_int_equal(found->difference.element, 3);
            assert_true(found->difference.values[0] != found->difference.values[1]);
        }
    }
}

TEST(memory_that_no_field_covers_is_found)
{
    es_synctest test;
    es_layout less = {game_fields, 5, sizeof(game)}; /* without random */
    es_synctest_config config = {.layout = &less, .every = 10, .update = update_uncovered};
    int found = 0;
    game_init(&g, 5);
    assert_int_equal(es_synctest_init(&test, &config, memory, sizeof memory, NULL), ES_OK);
    for (int64_t tick = 1; tick <= 200; ++tick) {
        found += !test_tick(&test, tick, NULL, 0);
    }
    assert_true(found > 5);
}

TEST(a_sync_test_that_cannot_end_is_abandoned)
{
    es_synctest test;
    es_synctest_config config = {.layout = &game_layout, .update = update_hidden, .every = 5};
    unsigned char input[300] = {0};
    size_t size = es_synctest_memory_size(&config);
    with_hidden = false;
    game_init(&g, 5);
    assert_int_equal(es_synctest_init(&test, &config, memory + 3, size, NULL), ES_OK);
    for (int64_t tick = 1; tick <= 50; ++tick) { /* too large an input in every test */
        assert_true(test_tick(&test, tick, input, tick % 5 == 1 ? 300 : 1));
    }
    for (int64_t tick = 10; tick <= 50; tick += 5) { /* the second tick of each test is missing */
        assert_true(test_tick(&test, tick, NULL, 0));
    }
    assert_int_equal(es_synctest_count(&test), 0);
    config.update = update_failing;
    assert_int_equal(es_synctest_init(&test, &config, memory, sizeof memory, NULL), ES_OK);
    for (int64_t tick = 1; tick <= 50; ++tick) {
        assert_true(test_tick(&test, tick, NULL, 0));
    }
    assert_int_equal(es_synctest_count(&test), 0);
}

TEST(bad_sync_tests_are_named)
{
    es_synctest test;
    const es_synctest_config good = {.layout = &game_layout, .update = update_hidden, .every = 5};
    struct {
        es_synctest_config config;
        const char *name;
    } cases[] = {{good, "ticks"}, {good, "update"}, {good, "every"}, {good, "layout"}};
    es_error error;
    size_t size = es_synctest_memory_size(&good);
    cases[0].config.ticks = 6;
    cases[1].config.update = NULL;
    cases[2].config.every = -1;
    cases[3].config.layout = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        es_result result = es_synctest_init(&test, &cases[i].config, memory, sizeof memory, &error);
        assert_int_equal(result, ES_ERR_INVALID);
        assert_string_equal(error.field, cases[i].name);
        assert_int_equal(es_synctest_memory_size(&cases[i].config), i == 1 ? size : 0);
    }
    assert_int_equal(es_synctest_init(&test, &good, memory, size - 1, &error), ES_ERR_SPACE);
    assert_string_equal(error.field, "memory_size");
}

/* --- the draw check --- */

enum { FRAME = 42, SIZE = sizeof(game) + ES__DRAW_CHECK_OVERHEAD };

static const es_layout covered = {game_fields, 5, sizeof(game)}; /* without random */

/* What draw functions write. */
typedef enum drawing { NOTHING, BACK, UNCOVERED, BYTE, FLOAT, MINUS_ZERO, COUNT, TWO } drawing;

static void draw(drawing what)
{
    switch (what) {
    case UNCOVERED:
        g.random += 1;
        memset((unsigned char *)&g.objects[2] + 1, 0x5A, 1); /* padding */
        break;
    case BYTE:
        g.objects[3].alive = 0;
        break;
    case FLOAT:
        g.objects[4].at[1] += 8.0F;
        break;
    case MINUS_ZERO:
        g.energy = -g.energy;
        break;
    case COUNT:
        g.score += 1;
        break;
    case TWO:
        draw(COUNT);
        draw(FLOAT);
        break;
    default:
        g.score += what == BACK;
        g.score -= what == BACK;
        break;
    }
}

static void before_drawing(void)
{
    game_init(&g, 5);
    g.energy = 0.0;
    g.score = 1000;
}

static const struct {
    drawing what;
    const char *field; /* NULL: it changes nothing that is compared */
    size_t element, component;
    double before, after;
    uint64_t differences;
} rows[] = {
        {NOTHING, NULL, 0, 0, 0, 0, 0},
        {BACK, NULL, 0, 0, 0, 0, 0},
        {UNCOVERED, NULL, 0, 0, 0, 0, 0},
        {BYTE, "objects.alive", 3, 0, 1, 0, 1},
        {FLOAT, "objects.at", 4, 1, 0, 8, 1},
        {MINUS_ZERO, "energy", 0, 0, 0, 0, 1},
        {COUNT, "score", 0, 0, 1000, 1001, 1},
        {TWO, "objects.at", 4, 1, 0, 8, 2},
};

TEST(a_draw_that_writes_is_reported)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        es_draw_check check;
        es_error error;
        unsigned char *at = memory + i * 7 % 64; /* at any address, exactly as much as it needs */
        before_drawing();
        assert_int_equal(es_draw_check_init(&check, &covered, at, SIZE, &error), ES_OK);
        assert_null(error.field);
        es_draw_check_before(&check, &g);
        draw(rows[i].what);
        game after = g;
        assert_int_equal(es_draw_check_after(&check, &g, FRAME), rows[i].field == NULL);
        assert_memory_equal(&g, &after, sizeof g);
        const es_draw_finding *found = es_draw_check_finding_get(&check);
        assert_int_equal(found->found, rows[i].field != NULL);
        if (found->found) {
            assert_int_equal(found->frame, FRAME);
            assert_string_equal(found->difference.field->name, rows[i].field);
            assert_int_equal(found->difference.element, rows[i].element);
            assert_int_equal(found->difference.component, rows[i].component);
            assert_true(found->difference.values[0] == rows[i].before);
            assert_true(found->difference.values[1] == rows[i].after);
            assert_int_equal(found->difference.differences, rows[i].differences);
        }
    }
}

/* Updates may write, between frames; and the first finding is kept. */
TEST(only_drawing_is_checked)
{
    es_draw_check check;
    before_drawing();
    g.energy = NAN; /* is equal to itself */
    assert_int_equal(es_draw_check_init(&check, &covered, memory, SIZE, NULL), ES_OK);
    for (int64_t frame = 0; frame < 30; ++frame) {
        bool writes = frame == 10 || frame == 20;
        g.score += 1; /* the update */
        es_draw_check_before(&check, &g);
        draw(frame == 10 ? COUNT : frame == 20 ? FLOAT : NOTHING);
        assert_int_equal(es_draw_check_after(&check, &g, frame), !writes);
        draw(FLOAT);
        assert_true(es_draw_check_after(&check, &g, frame)); /* without a call before */
    }
    assert_int_equal(es_draw_check_finding_get(&check)->frame, 10);
    assert_string_equal(es_draw_check_finding_get(&check)->difference.field->name, "score");
}

TEST(bad_draw_checks_are_named)
{
    static const es_layout vast = {game_fields, 5, SIZE_MAX - 8};
    const es_field twice[] = {game_fields[3], game_fields[3]};
    const es_layout bad = {twice, 2, sizeof(game)};
    es_draw_check check;
    const struct {
        es_draw_check *check;
        const es_layout *layout;
        void *memory;
        size_t size;
        es_result result;
        const char *field;
    } cases[] = {{NULL, &covered, memory, SIZE, ES_ERR_INVALID, "check"},
            {&check, NULL, memory, SIZE, ES_ERR_INVALID, "layout"},
            {&check, &covered, NULL, SIZE, ES_ERR_INVALID, "memory"},
            {&check, &bad, memory, SIZE, ES_ERR_INVALID, "score"},
            {&check, &covered, memory, SIZE - 1, ES_ERR_SPACE, "memory_size"},
            {&check, &covered, memory, 62, ES_ERR_SPACE, "memory_size"},
            {&check, &vast, memory, SIZE_MAX, ES_ERR_SPACE, "memory_size"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        es_error error;
        es_result result = es_draw_check_init(
                cases[i].check, cases[i].layout, cases[i].memory, cases[i].size, &error);
        assert_int_equal(result, cases[i].result);
        assert_string_equal(error.field, cases[i].field);
    }
}

TEST_MAIN("synctest", NULL)
