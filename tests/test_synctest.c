/* SPDX-License-Identifier: Zlib
 *
 * synctest: state outside the state is found; and a draw function that writes to the world is
 * reported, with frame, field, object, component and both values.
 */
#include "record_game.h"
#include "test_support.h"

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
static int failures;

static int update_failing(void *user, void *state, const es_step *step, const void *in, size_t size)
{
    (void)user, (void)step, (void)in, (void)size;
    ((game *)state)->score += 1;
    failures += 1;
    return 1;
}

/* A tick under the test: false: it found something. The state is as the update left it. */
static bool test_tick(es_synctest *test, const es_synctest_config *config, int64_t tick,
        const void *input, size_t size)
{
    es_step step = game_step(tick);
    es_synctest_before(test, &g, &step, input, size);
    (void)config->update(NULL, &g, &step, input, size);
    game before = g;
    bool same = es_synctest_after(test, &g);
    assert_memory_equal(&before, &g, sizeof g);
    return same;
}

static int64_t loads;

static void count_loaded(void *user, void *state, int64_t tick)
{
    assert_true(user == NULL && state == &g && tick >= 0);
    loads += 1;
}

TEST(hidden_state_is_found)
{
    for (int run = 0; run < 2; ++run) {
        es_synctest_config config = {
                .layout = &game_layout, .update = update_hidden, .every = 20, .ticks = 3};
        config.loaded = count_loaded;
        loads = 0;
        es_synctest *test = es_synctest_create(&config);
        es_difference found;
        with_hidden = run == 1;
        hidden = 0;
        game_init(&g, 5);
        for (int64_t tick = 1; tick <= 200; ++tick) {
            unsigned char input[4];
            bool same = test_tick(test, &config, tick, input, game_input(tick, input));
            assert_true(same || (with_hidden && tick % 20 == 2));
        }
        assert_in_range(loads, 10, 100);
        assert_int_equal(es_synctest_get_difference(test, &found), with_hidden);
        if (with_hidden) { /* the test that began at 200 is open */
            assert_int_equal(hidden, 200 + 9 * 3);
            assert_int_equal(found.tick, 22);
            assert_string_equal(found.value_field, "objects.at");
            assert_int_equal(found.object, 3);
            assert_true(found.values[0] != found.values[1]);
        }
        es_synctest_destroy(test);
    }
}

TEST(memory_that_no_field_covers_is_found)
{
    es_layout less = {game_fields, 5, sizeof(game)}; /* without random */
    es_synctest_config config = {.layout = &less, .every = 10, .update = update_uncovered};
    es_synctest *test = es_synctest_create(&config);
    int found = 0;
    game_init(&g, 5);
    for (int64_t tick = 1; tick <= 200; ++tick) {
        found += !test_tick(test, &config, tick, NULL, 0);
    }
    assert_true(found > 5);
    es_synctest_destroy(test);
}

TEST(a_sync_test_that_cannot_end_is_abandoned)
{
    es_synctest_config config = {.layout = &game_layout, .update = update_hidden, .every = 5};
    es_synctest *test = es_synctest_create(&config);
    unsigned char input[300] = {0};
    with_hidden = true;
    hidden = 0;
    game_init(&g, 5);
    for (int64_t tick = 1; tick <= 50; ++tick) { /* too large an input in every test */
        assert_true(test_tick(test, &config, tick, input, tick % 5 == 1 ? 300 : 1));
    }
    for (int64_t tick = 10; tick <= 50; tick += 5) { /* the second tick of each test is missing */
        assert_true(test_tick(test, &config, tick, NULL, 0));
    }
    assert_int_equal(hidden, 50 + 9);
    es_synctest_destroy(test);
    config.update = update_failing;
    failures = 0;
    test = es_synctest_create(&config);
    for (int64_t tick = 1; tick <= 50; ++tick) {
        assert_true(test_tick(test, &config, tick, NULL, 0));
    }
    assert_int_equal(failures, 50 + 9); /* the first tick of each test, and no more */
    es_synctest_destroy(test);
}

TEST(bad_sync_tests_are_named)
{
    static const es_layout vast = {game_fields, 5, SIZE_MAX - 8};
    const es_field twice[] = {game_fields[3], game_fields[3]};
    const es_layout bad = {twice, 2, sizeof(game)};
    const es_synctest_config good = {.layout = &game_layout, .update = update_hidden, .every = 5};
    struct {
        es_synctest_config config;
        const char *name;
    } cases[] = {{good, "ticks"}, {good, "input_max"}, {good, "every"}, {good, "layout"},
            {good, "score"}, {good, "layout"}, {good, "ticks"}};
    cases[0].config.ticks = 6;
    cases[1].config.input_max = SIZE_MAX;
    cases[2].config.every = -1;
    cases[3].config.layout = NULL;
    cases[4].config.layout = &bad;
    cases[5].config.layout = &vast;
    cases[6].config.ticks = cases[6].config.every = 65;
    for_rows (i, cases) {
        assert_null(es_synctest_create(&cases[i].config));
        assert_non_null(strstr(es_get_error(), "es_synctest_config."));
        assert_non_null(strstr(es_get_error(), cases[i].name));
    }
    assert_null(es_synctest_create(NULL));
    es_synctest_before(NULL, &g, NULL, NULL, 0);
    assert_true(es_synctest_after(NULL, &g));
    es_synctest_draw_before(NULL, &g);
    assert_true(es_synctest_draw_after(NULL, &g, 0));
    assert_false(es_synctest_get_difference(NULL, NULL));
    es_synctest_destroy(NULL);
}

/* --- the draw check --- */

enum { FRAME = 42 };

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
} rows[] = {
        {NOTHING, NULL, 0, 0, 0, 0},
        {BACK, NULL, 0, 0, 0, 0},
        {UNCOVERED, NULL, 0, 0, 0, 0},
        {BYTE, "objects.alive", 3, 0, 1, 0},
        {FLOAT, "objects.at", 4, 1, 0, 8},
        {MINUS_ZERO, "energy", 0, 0, 0, 0},
        {COUNT, "score", 0, 0, 1000, 1001},
        {TWO, "objects.at", 4, 1, 0, 8},
};

static es_synctest *create_draw_test(void)
{
    es_synctest *test = es_synctest_create(&(es_synctest_config){.layout = &covered});
    assert_non_null(test);
    return test;
}

TEST(a_draw_that_writes_is_reported)
{
    for_rows (i, rows) {
        es_synctest *test = create_draw_test();
        es_difference found;
        before_drawing();
        es_synctest_draw_before(test, &g);
        draw(rows[i].what);
        game after = g;
        assert_int_equal(es_synctest_draw_after(test, &g, FRAME), rows[i].field == NULL);
        assert_memory_equal(&g, &after, sizeof g);
        assert_int_equal(es_synctest_get_difference(test, &found), rows[i].field != NULL);
        if (rows[i].field != NULL) {
            assert_int_equal(found.tick, FRAME);
            assert_string_equal(found.value_field, rows[i].field);
            assert_int_equal(found.object, rows[i].element);
            assert_int_equal(found.component, rows[i].component);
            assert_true(found.values[0] == rows[i].before);
            assert_true(found.values[1] == rows[i].after);
            assert_non_null(strstr(es_get_error(), rows[i].field));
        }
        es_synctest_destroy(test);
    }
}

/* Updates may write, between frames; and the first finding is kept. */
TEST(only_drawing_is_checked)
{
    es_synctest *test = create_draw_test();
    es_difference found;
    before_drawing();
    g.energy = NAN; /* is equal to itself */
    for (int64_t frame = 0; frame < 30; ++frame) {
        bool writes = frame == 10 || frame == 20;
        g.score += 1; /* the update */
        es_step step = game_step(frame + 60);
        es_synctest_before(test, &g, &step, NULL, 0); /* without an update: nothing */
        assert_true(es_synctest_after(test, &g));
        es_synctest_draw_before(test, &g);
        draw(frame == 10 ? COUNT : frame == 20 ? FLOAT : NOTHING);
        assert_int_equal(es_synctest_draw_after(test, &g, frame), !writes);
        draw(FLOAT);
        assert_true(es_synctest_draw_after(test, &g, frame)); /* without a call before */
    }
    assert_true(es_synctest_get_difference(test, &found));
    assert_int_equal(found.tick, 10);
    assert_string_equal(found.value_field, "score");
    es_synctest_destroy(test);
}
