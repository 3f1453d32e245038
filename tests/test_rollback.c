/* SPDX-License-Identifier: Zlib
 *
 * rollback: whatever comes late and however late, the states are those of the run in which every
 * input was known at once; and no more rests on guesses than was allowed.
 */
#include "evenstep/rollback.h"

#include "record_game.h"
#include "test_support.h"

enum { PLAYERS = 4, LAST = 400 };

static unsigned char memory[1 << 20];
static game straight[LAST + 1];
static unsigned char truth[LAST + 1][PLAYERS];

static void run_straight(test_random *random)
{
    game g;
    game_init(&g, 3);
    straight[0] = g;
    for (int p = 0; p < PLAYERS; ++p) {
        truth[0][p] = 0;
    }
    for (int64_t tick = 1; tick <= LAST; ++tick) {
        for (int p = 0; p < PLAYERS; ++p) { /* held for a while, as keys are */
            bool changes = random_below(random, 6) == 0;
            truth[tick][p] = changes ? (unsigned char)random_u64(random) : truth[tick - 1][p];
        }
        es_step step = game_step(tick);
        game_update(&g, &step, truth[tick], PLAYERS);
        straight[tick] = g;
    }
}

typedef struct peer {
    es_rollback rollback;
    game g;
    int64_t next[PLAYERS]; /* to be told */
    int64_t again, loads, guesses, runs_most;
} peer;

static void carry_out(peer *p, int64_t predict_max)
{
    es_rollback_request request;
    int64_t runs = 0;
    while (es_rollback_next(&p->rollback, &request)) {
        if (request.kind == ES_ROLLBACK_SAVE) {
            assert_int_equal((uintptr_t)request.saved % 64, 0);
            memcpy(request.saved, &p->g, sizeof p->g);
        } else if (request.kind == ES_ROLLBACK_LOAD) {
            memcpy(&p->g, request.saved, sizeof p->g);
            p->loads += 1;
        } else {
            es_step step = game_step(request.tick);
            game_update(&p->g, &step, request.inputs, PLAYERS);
            runs += 1;
            p->again += request.again;
            p->guesses += request.guessed != 0;
            for (int i = 0; i < PLAYERS; ++i) {
                bool known = request.tick < p->next[i];
                assert_int_equal(request.guessed >> i & 1, !known);
                if (known) {
                    assert_int_equal(request.inputs[i], truth[request.tick][i]);
                } else { /* the last that is known */
                    assert_int_equal(request.inputs[i], truth[p->next[i] - 1][i]);
                }
            }
        }
    }
    p->runs_most = runs > p->runs_most ? runs : p->runs_most;
    assert_true(runs <= predict_max + 1);
}

static void check_confirmed(peer *p)
{
    int64_t confirmed = es_rollback_confirmed(&p->rollback);
    const game *saved = es_rollback_saved(&p->rollback, confirmed);
    assert_true(confirmed <= es_rollback_tick(&p->rollback));
    if (saved != NULL) {
        assert_true(es_state_compare(&game_layout, saved, &straight[confirmed], NULL));
    }
}

static void late_inputs_come_to_the_straight_run(void **context)
{
    (void)context;
    test_random random = {77};
    int64_t loads = 0, waits = 0;
    for (int run = 0; run < 200 / TEST_SHARE; ++run) {
        static peer p;
        es_rollback_config config = {.players = PLAYERS,
                .input_size = 1,
                .state_size = sizeof(game),
                .predict_max = (int32_t)(1 + random_below(&random, 12)),
                .ahead_max = (int32_t)(1 + random_below(&random, 20))};
        int64_t late = random_below(&random, 15);
        run_straight(&random);
        memset(&p, 0, sizeof p);
        game_init(&p.g, 3);
        size_t size = es_rollback_memory_size(&config);
        assert_int_equal(es_rollback_init(&p.rollback, &config, memory + run, size, NULL), ES_OK);
        for (int i = 0; i < PLAYERS; ++i) {
            p.next[i] = 1;
        }
        carry_out(&p, 0);
        while (es_rollback_confirmed(&p.rollback) < LAST) {
            int64_t tick = es_rollback_tick(&p.rollback);
            for (int i = 0; i < PLAYERS; ++i) { /* player 0 is at this machine */
                int64_t upto = i == 0 ? tick + 1 : tick + 2 - random_below(&random, late + 3);
                for (; p.next[i] <= upto && p.next[i] <= LAST; ++p.next[i]) {
                    es_result result =
                            es_rollback_input(&p.rollback, i, p.next[i], &truth[p.next[i]][i]);
                    if (result == ES_ERR_FULL) {
                        assert_true(p.next[i] > tick + config.ahead_max);
                        break;
                    }
                    assert_int_equal(result, ES_OK);
                }
            }
            int64_t least = LAST;
            for (int i = 0; i < PLAYERS; ++i) {
                least = p.next[i] - 1 < least ? p.next[i] - 1 : least;
            }
            bool advance = tick < LAST;
            es_result result = es_rollback_begin(&p.rollback, advance);
            bool too_far = advance && tick + 1 - least > config.predict_max;
            assert_int_equal(result, too_far ? ES_ERR_FULL : ES_OK);
            waits += too_far;
            carry_out(&p, config.predict_max);
            assert_int_equal(es_rollback_tick(&p.rollback), tick + (advance && !too_far));
            check_confirmed(&p);
        }
        assert_true(es_state_compare(&game_layout, &p.g, &straight[LAST], NULL));
        loads += p.loads;
    }
    assert_true(loads > 1000 && waits > 1000); /* both did happen */
}

static void right_guesses_cost_nothing(void **context)
{
    (void)context;
    static peer p;
    es_rollback_config config = {.players = 2, .input_size = 1, .state_size = sizeof(game)};
    es_rollback_request request;
    unsigned char key = 0;
    assert_int_equal(es_rollback_init(&p.rollback, &config, memory, sizeof memory, NULL), ES_OK);
    assert_null(es_rollback_saved(&p.rollback, 0)); /* not yet; and inputs may come before that */
    for (int64_t tick = 1; tick <= 8; ++tick) {
        assert_int_equal(es_rollback_input(&p.rollback, 0, tick, &key), ES_OK);
        assert_int_equal(es_rollback_begin(&p.rollback, true), ES_OK);
        assert_int_equal(es_rollback_begin(&p.rollback, true), ES_ERR_STATE);
        assert_int_equal(es_rollback_input(&p.rollback, 0, tick + 1, &key), ES_ERR_STATE);
        if (tick == 1) {
            assert_true(es_rollback_next(&p.rollback, &request));
            assert_int_equal(request.kind, ES_ROLLBACK_SAVE);
            assert_int_equal(request.tick, 0);
            assert_true(es_rollback_next(&p.rollback, &request));
            assert_int_equal(request.kind, ES_ROLLBACK_ADVANCE);
        }
        while (es_rollback_next(&p.rollback, &request)) {
            assert_true(request.kind != ES_ROLLBACK_LOAD);
        }
    }
    assert_int_equal(es_rollback_confirmed(&p.rollback), 0);
    assert_int_equal(es_rollback_begin(&p.rollback, true), ES_ERR_FULL); /* 8 by default */
    assert_false(es_rollback_next(&p.rollback, &request));
    for (int64_t tick = 1; tick <= 8; ++tick) {
        assert_int_equal(es_rollback_input(&p.rollback, 1, tick, &key), ES_OK);
    }
    assert_int_equal(es_rollback_confirmed(&p.rollback), 8);
    assert_int_equal(es_rollback_begin(&p.rollback, false), ES_OK);
    assert_false(es_rollback_next(&p.rollback, &request)); /* nothing to make up for */
    assert_int_equal(es_rollback_input(&p.rollback, 0, 9, &key), ES_OK); /* both run on, ... */
    assert_int_equal(es_rollback_begin(&p.rollback, true), ES_OK);
    while (es_rollback_next(&p.rollback, &request)) {
    }
    key = 3; /* ... and a guess was wrong */
    assert_int_equal(es_rollback_input(&p.rollback, 1, 9, &key), ES_OK);
    assert_int_equal(es_rollback_confirmed(&p.rollback), 8);
    assert_int_equal(es_rollback_begin(&p.rollback, false), ES_OK);
    assert_true(es_rollback_next(&p.rollback, &request));
    assert_int_equal(request.kind, ES_ROLLBACK_LOAD);
    assert_int_equal(request.tick, 8);
    assert_true(es_rollback_next(&p.rollback, &request));
    assert_true(request.kind == ES_ROLLBACK_ADVANCE && request.again);
    assert_int_equal(request.inputs[1], 3);
    assert_true(es_rollback_next(&p.rollback, &request));
    assert_false(es_rollback_next(&p.rollback, &request));
    assert_int_equal(es_rollback_confirmed(&p.rollback), 9);
    key = 1;
    assert_int_equal(es_rollback_input(&p.rollback, 1, 10, &key), ES_OK);
    assert_int_equal(es_rollback_begin(&p.rollback, true), ES_OK);
    assert_true(es_rollback_next(&p.rollback, &request));
    assert_int_equal(request.kind, ES_ROLLBACK_ADVANCE);
    assert_int_equal(request.guessed, 1); /* the other one, this time */
    assert_int_equal(request.inputs[1], 1);
}

static void bad_arguments_are_named(void **context)
{
    (void)context;
    static es_rollback rollback;
    es_rollback_config good = {.players = 2, .input_size = 1, .state_size = 8}, bad = good;
    es_rollback_request request;
    es_error error;
    unsigned char key = 0;
#define REFUSED(name)                                                                              \
    assert_int_equal(es_rollback_memory_size(&bad), 0);                                            \
    assert_int_equal(                                                                              \
            es_rollback_init(&rollback, &bad, memory, sizeof memory, &error), ES_ERR_INVALID);     \
    assert_string_equal(error.field, name);                                                        \
    bad = good
    bad.players = 0;
    REFUSED("players");
    bad.players = 33;
    REFUSED("players");
    bad.input_size = 0;
    REFUSED("input_size");
    bad.state_size = 0;
    REFUSED("state_size");
    bad.predict_max = 121;
    REFUSED("predict_max");
    bad.ahead_max = -1;
    REFUSED("ahead_max");
    bad.state_size = SIZE_MAX / 2;
    assert_int_equal(es_rollback_memory_size(&bad), 0);
    assert_int_equal(
            es_rollback_init(&rollback, &good, memory, es_rollback_memory_size(&good) - 1, &error),
            ES_ERR_SPACE);
    assert_int_equal(es_rollback_init(&rollback, &good, memory, sizeof memory, &error), ES_OK);
    while (es_rollback_next(&rollback, &request)) {
    }
    assert_int_equal(es_rollback_input(&rollback, 2, 1, &key), ES_ERR_INVALID);
    assert_int_equal(es_rollback_input(&rollback, -1, 1, &key), ES_ERR_INVALID);
    assert_int_equal(es_rollback_input(&rollback, 0, 2, &key), ES_ERR_STATE);
    assert_int_equal(es_rollback_input(&rollback, 0, 1, &key), ES_OK);
    assert_int_equal(es_rollback_input(&rollback, 0, 1, &key), ES_ERR_STATE);
    for (int64_t tick = 2; tick <= 64; ++tick) { /* so far ahead, and no further */
        assert_int_equal(es_rollback_input(&rollback, 0, tick, &key), ES_OK);
    }
    assert_int_equal(es_rollback_input(&rollback, 0, 65, &key), ES_ERR_FULL);
    assert_null(es_rollback_saved(&rollback, 1));
    assert_non_null(es_rollback_saved(&rollback, 0));
    assert_null(es_rollback_saved(&rollback, -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(late_inputs_come_to_the_straight_run),
            cmocka_unit_test(right_guesses_cost_nothing),
            cmocka_unit_test(bad_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
