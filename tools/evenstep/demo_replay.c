/* SPDX-License-Identifier: Zlib
 *
 * A recording in place of the game: what the frame, the keys and the overlay do differently.
 */
#include "demo.h"

#include <string.h>

#define STAND_NS (ES_NS_PER_S / 60) /* from picture to picture while everything stands */

/* --- ticks ------------------------------------------------------------------------------------ */

static demo_played played(const demo_play *play)
{
    const demo_player *player = &play->player;
    return (demo_played){.world = &player->world,
            .time_ns = player->time_ns,
            .index = player->world.groups.base_tick,
            .portal = play->portal};
}

/* What ticks are given is what keys chose then: the overlay says it. */
static void show_settings(demo_state *demo)
{
    const demo_given *given = &demo->play->player.replayer.given;
    demo->set.jump = given->jump;
    demo->set.job = given->job;
    demo->set.apart = given->apart;
}

/* The other half of a split view is a world of its own, which was not recorded: it gets the same
 * events, a little later. */
static void tell_second(demo_state *demo)
{
    const demo_given *given = &demo->play->player.replayer.given;
    for (int32_t i = 0; demo->side_count > 1 && i < given->event_count; ++i) {
        demo_side_push(&demo->sides[1], &given->events[i], given->events[i].stamp_ns);
    }
}

void demo_replay_step(demo_state *demo, const es_step *step)
{
    demo_play *play = demo->play;
    demo_side *side = &demo->sides[0];
    const demo_given *ahead = &play->player.ahead;
    int32_t items = 0, recorded = 0;
    if (play->schedule && play->player.has_next) {
        recorded = ahead->items;
        items = demo_side_slot(side, step, ahead->job);
    }
    play->strays += items != recorded;
    (void)demo_play_step(play, step); /* at the end the world stands */
    demo_played now = played(play);
    demo_side_take(side, step, &now);
    show_settings(demo);
    tell_second(demo);
    demo->input.pointer = play->player.world.pointer;
}

/* --- what came between ticks ------------------------------------------------------------------ */

static void press_recorded(demo_state *demo, const demo_note *note)
{
    if (note->kind == DEMO_NOTE_HIDDEN) {
        demo->hidden = note->value != 0;
    } else {
        demo_press(demo, (char)note->value);
    }
}

/* The player's own keys first; then, as scheduled, those that were pressed then. */
void demo_replay_before(demo_state *demo)
{
    demo_note note;
    demo_play *play = demo->play;
    for (size_t i = 0; i < demo->input.key_count; ++i) {
        demo_replay_press(demo, demo->input.keys[i]);
    }
    if (!play->schedule) {
        demo->hidden = demo->view.hidden;
        return;
    }
    while (demo_play_note(play, DEMO_NOTE_KEY, DEMO_NOTE_KEY, &note)
            || demo_play_note(play, DEMO_NOTE_HIDDEN, DEMO_NOTE_HIDDEN, &note)) {
        press_recorded(demo, &note);
    }
}

void demo_replay_after(demo_state *demo)
{
    demo_note note;
    while (demo_play_note(demo->play, DEMO_NOTE_TOLD, DEMO_NOTE_TOLD, &note)) {
        demo_side_tell(&demo->sides[0], &note.sample);
    }
}

/* --- keys ------------------------------------------------------------------------------------- */

static void leap(demo_state *demo, bool back)
{
    demo_play_leap(demo->play, back);
    demo_played there = played(demo->play);
    demo_side_go(&demo->sides[0], demo->play->player.tick, &there);
}

static bool is_for_frames(char key)
{
    return key != '\0' && strchr("nswWicukhrq. ", key) != NULL;
}

static bool is_for_schedule(char key)
{
    return key == 'h' || key == 'r' || key == 'q';
}

static void press_schedule(demo_state *demo, char key)
{
    demo_play *play = demo->play;
    if (key == ' ') {
        demo_play_stand(play, !play->standing);
    } else if (key == 'n' || key == '.') {
        demo_play_stand(play, true);
        play->step = true;
    } else if (is_for_schedule(key)) {
        demo_press(demo, key);
    } else {
        play->says = "not with --schedule";
    }
}

void demo_replay_press(demo_state *demo, char key)
{
    demo->play->says = NULL;
    if (demo->play->schedule) {
        press_schedule(demo, key);
    } else if (key == '[' || key == ']') {
        leap(demo, key == '[');
    } else if (is_for_frames(key)) {
        demo_press(demo, key);
    } else {
        demo->play->says = "was recorded";
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Where nobody could go back, it ends. */
static void stand_at_end(demo_state *demo)
{
    if (strcmp(demo->view.name, "headless") == 0) {
        demo->quit = true;
    } else if (demo->play->schedule) {
        demo_play_stand(demo->play, true);
        demo->play->step = false;
    } else if (!demo_side_is_paused(&demo->sides[0])) {
        demo_set_paused(demo, true);
    }
}

/* The same picture again, and keys. */
static bool show_standing(demo_state *demo)
{
    const es_clock *clock = &demo->machine;
    demo_input_begin(&demo->input);
    demo->view.poll(&demo->view, &demo->input);
    for (size_t i = 0; i < demo->input.key_count; ++i) {
        demo_replay_press(demo, demo->input.keys[i]);
    }
    demo->input.pointer = demo->play->player.world.pointer;
    bool good = demo_has_ended(demo) || demo_show_still(demo);
    clock->wait_until(clock->user, es_ns_add(demo->input.now_ns, STAND_NS));
    return good;
}

/* Ticks of another length come with another rate of the loop, from the frame after. */
static void follow_rate(demo_state *demo)
{
    es_rate rate = demo_player_rate(&demo->play->player);
    es_rate now = demo_side_tick_rate(&demo->sides[0]);
    if (es_rate_is_valid(rate)
            && (rate.numerator != now.numerator || rate.denominator != now.denominator)) {
        demo_side_set_tick_rate(&demo->sides[0], rate);
    }
}

bool demo_replay_goes_on(demo_state *demo, bool *good)
{
    demo_play *play = demo->play;
    *good = true;
    if (demo_play_is_over(play)) {
        stand_at_end(demo);
    }
    if (!play->schedule) {
        follow_rate(demo);
        return true;
    }
    if (play->standing && !play->step) {
        *good = show_standing(demo);
        return false;
    }
    play->step = false;
    return true;
}

/* --- the overlay ------------------------------------------------------------------------------ */

static void put_recorded(demo_state const *demo, demo_hud_line *lines)
{
    const demo_settings *set = &demo->set;
    double hz = demo_rate_hz(demo_side_tick_rate(&demo->sides[0]));
    demo_hud_put(&lines[5], NULL, "tick rate", false, "%.4g /s", hz);
    demo_hud_put(&lines[7], NULL, "job", false, "%s", demo_job_name_at((size_t)set->job));
    demo_hud_put(&lines[8], NULL, "rates", false, "%s", set->apart ? "on" : "off");
    demo_hud_put(&lines[14], NULL, "teleport", false, "%s", demo_jump_name_at((size_t)set->jump));
}

void demo_replay_show_keys(const demo_state *demo, demo_hud_line *lines)
{
    const demo_play *play = demo->play;
    const demo_settings *set = &demo->set;
    es_ratio speed = demo_speed(set);
    bool stands = play->schedule ? play->standing : demo_side_is_paused(&demo->sides[0]);
    const char *way = demo_way_name_at((size_t)demo_settings_way(set));
    const char *word = demo_play_is_over(play) ? "the end" : stands ? "on" : "off";
    memset(lines, 0, DEMO_HUD_KEYS * sizeof *lines);
    demo_hud_put(&lines[0], "space", "pause", stands, "%s", word);
    demo_hud_put(&lines[9], "q", "quit", false, "or Esc");
    demo_hud_put(&lines[10], "n", "step", false, "%s", play->schedule ? "a frame" : "a tick");
    demo_hud_put(&lines[18], "h", "text", !set->hud, "%s", set->hud ? "on" : "off");
    demo_hud_put(
            &lines[19], "r", "meter", false, "%.0f s", demo_stats_seconds(demo->sides[0].stats));
    put_recorded(demo, lines);
    if (play->says != NULL) {
        demo_hud_put(&lines[11], NULL, "last key", true, "%s", play->says);
    }
    if (play->schedule) {
        demo_hud_put(&lines[1], NULL, "playing", false, "as scheduled");
        return;
    }
    demo_hud_put(&lines[1], "[ ]", "1 s back, on", false, "%s", "");
    demo_hud_put(&lines[2], "w W", "shows", false, "%s", way);
    demo_hud_put(&lines[4], "s", "speed", speed.numerator != speed.denominator, "%.3g",
            (double)speed.numerator / (double)speed.denominator);
    demo_hud_put(&lines[6], "i", "blend", !set->blend, "%s", set->blend ? "on" : "off");
    demo_hud_put(&lines[12], "c u", "cost, ms", set->render_cost_ns > 0 || set->update_cost_ns > 0,
            "%.4g, %.4g/tick", es_ns_to_ms(set->render_cost_ns), es_ns_to_ms(set->update_cost_ns));
    demo_hud_put(&lines[15], "k", "spikes", set->spikes, "%s", set->spikes ? "on" : "off");
}
