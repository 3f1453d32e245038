/* SPDX-License-Identifier: Zlib
 *
 * A recording in place of the game: the loop requests ticks as in a game, and gets those recorded
 * for as much simulated time. Recorded pauses and speeds are left out.
 */

#include "demo.h"
#include "tool.h"

#include "lab/numbers.h"

#include <stdlib.h>
#include <string.h>

/* A step of a loop is never worth more ticks. */
enum { TICKS_MAX = 10000 };

demo_play *demo_play_open(const char *path, int *status)
{
    demo_play *play = calloc(1, sizeof *play);
    *status = TOOL_OK;
    if (play == NULL || !demo_player_open(&play->player, path)) {
        (void)tool_fail(
                "demo", "cannot play %s", play != NULL ? play->player.why : "anything: no memory");
        demo_play_close(play);
        *status = TOOL_FAILED;
        return NULL;
    }
    return play;
}

void demo_play_close(demo_play *play)
{
    if (play != NULL) {
        demo_player_close(&play->player);
        free(play);
    }
}

/* --- ticks ------------------------------------------------------------------------------------ */

static void run_ticks(demo_play *play, int64_t dt_ns)
{
    const demo_player *player = &play->player;
    play->debt_ns = ns_add(play->debt_ns, dt_ns);
    for (int i = 0; i < TICKS_MAX; ++i) {
        int64_t tick_ns = player->has_next ? player->next.dt_ns : 0;
        if (player->has_next && tick_ns / 2 > play->debt_ns) {
            return;
        }
        if (!demo_player_tick(&play->player)) {
            play->debt_ns = 0;
            return;
        }
        play->debt_ns = ns_sub(play->debt_ns, tick_ns);
    }
}

void demo_play_step(demo_state *demo, const es_step *step)
{
    demo_play *play = demo->play;
    const demo_given *given = &play->player.replayer.given;
    run_ticks(play, step->dt_ns); /* at the end the world stands */
    demo_side_take(&demo->sides[0], step, &play->player.world);
    demo->set.job = (int)given->job; /* for the panel: it was recorded */
    demo->input.pointer = play->player.world.pointer;
}

/* --- frames ----------------------------------------------------------------------------------- */

static bool is_over(const demo_player *player)
{
    return !player->has_next && player->resume_tick == INT64_MAX;
}

/* Headless it ends, as no key can go back. */
static void stop_at_end(demo_state *demo)
{
    if (strcmp(demo->view.name, "headless") == 0) {
        demo->quit = true;
    } else if (!demo_side_is_paused(&demo->sides[0])) {
        demo_set_paused(demo, true);
    }
}

/* Another length of ticks requests another rate of the loop, from the frame after. */
void demo_play_frame(demo_state *demo)
{
    es_rate rate = demo_player_rate(&demo->play->player);
    es_rate now = demo_side_tick_rate(&demo->sides[0]);
    if (is_over(&demo->play->player)) {
        stop_at_end(demo);
    }
    if (rate_is_valid(rate)
            && (rate.numerator != now.numerator || rate.denominator != now.denominator)) {
        demo_side_set_tick_rate(&demo->sides[0], rate);
    }
}

/* --- keys ------------------------------------------------------------------------------------- */

static void leap(demo_state *demo, bool back)
{
    demo_play *play = demo->play;
    demo_player *player = &play->player;
    int64_t dt_ns = player->next.dt_ns > 0 ? player->next.dt_ns : ES_NS_PER_S / 60;
    int64_t ticks = (ES_NS_PER_S + dt_ns / 2) / dt_ns;
    play->debt_ns = 0;
    int64_t before = player->tick - ticks;
    if (back) { /* the panel says so where it cannot */
        (void)demo_player_seek(player, before > player->first_tick ? before : player->first_tick);
    }
    for (; !back && ticks > 0 && demo_player_tick(player); --ticks) {
    }
    demo_side_go(&demo->sides[0], player->tick, &player->world);
}

void demo_play_press(demo_state *demo, char key)
{
    if (key == '[' || key == ']') {
        leap(demo, key == '[');
    } else if (key != '\0' && strchr("nswWidcuhrq. ", key) != NULL) {
        demo_press(demo, key);
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

int demo_play_check(const demo_play *play)
{
    const demo_player *player = play != NULL ? &play->player : NULL;
    if (player == NULL
            || (!player->differed && !player->lost && player->skipped == 0
                    && demo_player_is_compared(player))) {
        return TOOL_OK;
    }
    return tool_fail("demo", "%s", player->differed ? player->difference : player->why);
}
