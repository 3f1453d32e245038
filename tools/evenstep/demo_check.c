/* SPDX-License-Identifier: Zlib
 *
 * Plays a recording of the demo's world without views, on any machine that has C17: for tests and
 * scripts/cross.
 *
 *   demo_check FILE               prints the last state's hash; 1: it differs, or is not there
 *   demo_check FILE --synctest    runs ticks twice; 1: there is hidden state
 *   demo_check FILE --hidden      adds hidden state to the update; 0: it is found
 *   demo_check FILE --change N    changes a field at tick N; 0: it is named
 */
#include "evenstep/replay.h"

#include "demo_player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 7, TICKS = 3 };

static demo_player player;
static demo_replayer second; /* the ticks that are run twice */
static int64_t hidden;       /* what no field covers, with --hidden */
static bool hides;

static int fail(const char *text)
{
    printf("demo_check: %s\n", text);
    return 1;
}

static int update(void *user, void *state, const es_step *step, const void *input, size_t size)
{
    demo_scene *scene = state;
    int result = demo_world_update(user, state, step, input, size);
    scene->wheel_angle += hides ? (double)++hidden * 1e-9 : 0.0;
    return result;
}

static es_synctest *make_test(void)
{
    const es_synctest_config config = {.layout = demo_world_layout(),
            .every = EVERY,
            .ticks = TICKS,
            .input_max = DEMO_INPUT_MAX,
            .user = &second,
            .update = update,
            .loaded = demo_world_loaded};
    return es_synctest_create(&config);
}

/* Each tick once by the player, and some of them once more by the test. */
static int run_twice(bool expected)
{
    es_synctest *test = make_test();
    es_difference found;
    if (test == NULL) {
        return fail(es_get_error());
    }
    while (player.has_next) {
        es_synctest_before(test, &player.world, &player.next, player.input, player.next_size);
        if (!demo_player_tick(&player)) {
            return fail(player.why);
        }
        (void)es_synctest_after(test, &player.world);
    }
    bool differs = es_synctest_get_difference(test, &found);
    es_synctest_destroy(test);
    if (differs) {
        printf("hidden state: tick %" PRId64 ", %s\n", found.tick, found.value_field);
    }
    if (second.ticks == 0) {
        return fail("no tick was run twice");
    }
    bool as_expected =
            differs == expected && (!expected || strcmp(found.value_field, "wheel_angle") == 0);
    return as_expected && !player.differed ? 0 : 1;
}

static int run_changed(int64_t tick)
{
    while (demo_player_tick(&player)) {
        if (player.tick == tick - 1) {
            player.world.balls[3].vx += 1.0F;
        }
    }
    char from[80];
    snprintf(from, sizeof from, "differs from tick %" PRId64 " on: group 1", tick) /* balls */;
    printf("%s\n", player.difference);
    return player.differed && strstr(player.difference, from) != NULL ? 0 : 1;
}

static int run_all(void)
{
    while (demo_player_tick(&player)) {
    }
    if (!demo_player_is_same(&player)) {
        return fail(player.difference);
    }
    if (player.lost || player.skipped > 0 || player.tick != player.last_tick
            || !demo_player_is_compared(&player)) {
        return fail(player.why);
    }
    if (!es_replay_get_status(player.replay).same_arithmetic) {
        return fail("this machine's arithmetic is another");
    }
    printf("ticks          %" PRIu64 "\n", player.compared);
    printf("total          %016" PRIx64 "\n", es_state_hash(demo_world_layout(), &player.world));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    if (!demo_player_open(&player, argv[1])) {
        return fail(player.why);
    }
    int status;
    if (argc > 3 && strcmp(argv[2], "--change") == 0) {
        status = run_changed(strtoll(argv[3], NULL, 10));
    } else if (argc > 2) {
        hides = strcmp(argv[2], "--hidden") == 0;
        status = run_twice(hides);
    } else {
        status = run_all();
    }
    demo_player_close(&player);
    return status;
}
