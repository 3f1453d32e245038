/* SPDX-License-Identifier: Zlib */
#include "demo.h"

#define SAME_REFRESH 10000 /* one part in so many is the same: 59.94 Hz is not 60 */

/* What is chosen, for the loop that sets the pace. */
demo_rule demo_first_rule(const demo_state *demo)
{
    demo_choice choice = demo->set.choice;
    if (demo->turn > 0) {
        choice.loop = demo->set.alternate;
        choice.latency = DEMO_LATENCY_OWN;
    }
    demo_way way = demo_way_of(demo, 0);
    choice.lead_ticks = demo_way_lead(way);
    demo_rule rule = {.name = choice.loop,
            .config = demo_choice_fitting(&choice, demo->refresh_ns),
            .way = way};
    rule.config.clock = demo->loop_clock;
    return rule;
}

/* And for the lower half, at the same tick rate. */
static demo_rule second_rule(const demo_state *demo)
{
    const demo_half *half = demo->set.split;
    demo_choice choice = demo_choice_none();
    choice.loop = half->loop;
    demo_way way = demo_way_of(demo, 1);
    choice.tick_rate = demo_side_tick_rate(&demo->sides[0]);
    choice.lead_ticks = demo_way_lead(way);
    demo_rule rule = {.name = half->loop, .config = demo_choice_fitting(&choice, 0), .way = way};
    rule.config.clock = demo->clock;
    return rule;
}

static bool restart_side(
        demo_state *demo, int index, demo_rule rule, demo_point pointer, bool paused)
{
    demo_side *side = &demo->sides[index];
    int64_t tick = demo->sides[0].frame.current_tick;
    bool started = demo_side_restart(side, &rule, demo_side_scene(&demo->sides[0]), tick, pointer);
    demo_side_set_speed(side, demo_speed(&demo->set));
    demo_side_pause(side, paused);
    return started;
}

/* From the tick that the picture shows: at the very beginning, and for two halves, which must start
 * from the same tick to stay beside each other. false: no memory, or no thread to be had. */
bool demo_start(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    demo_point pointer = demo_side_pointer(side);
    bool paused = demo_side_is_paused(side);
    demo_rule rule = demo_first_rule(demo);
    if (demo_loop_is_threaded(rule.name) && demo->play != NULL) {
        demo->play->threaded = true; /* no frames are recorded from here on */
        demo->restart = false;
        return true;
    }
    if (demo_loop_is_threaded(rule.name)) {
        demo_recorder_note(demo->recorder, (demo_note){.kind = DEMO_NOTE_THREADS});
    }
    bool started = restart_side(demo, 0, rule, pointer, paused);
    if (demo->set.split != NULL) {
        restart_side(demo, 1, second_rule(demo), pointer, paused);
        demo->side_count = 2;
    }
    demo->restart = false;
    return started;
}

/* The world goes on under what is chosen now. Where two halves start, or a thread, that waits for a
 * picture that shows a whole tick, so that nothing leaps. false: as start. */
bool demo_change(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    if (!demo->restart) {
        return true;
    }
    demo_rule rule = demo_first_rule(demo);
    if (demo->set.split == NULL && demo_side_change(side, &rule)) {
        demo->restart = false;
        return true;
    }
    return !demo_side_is_at_tick(side) || demo_start(demo);
}

/* Two loops, each with its own figures, from the instant on the screen. */
void demo_begin_turn(demo_state *demo, int turn)
{
    int64_t now_ns = demo->clock.now_ns(demo->clock.user);
    demo->turn = turn;
    demo->turn_ends_ns = es_ns_add(now_ns, demo->set.every_ns);
    demo_rule rule = demo_first_rule(demo);
    demo_side_take_turn(&demo->sides[0], &rule, turn);
}

void demo_take_turns(demo_state *demo)
{
    demo_note note = {.kind = DEMO_NOTE_TURN};
    if (demo->play != NULL && demo->play->schedule) {
        if (demo_play_note(demo->play, DEMO_NOTE_TURN, DEMO_NOTE_TURN, &note)) {
            demo_begin_turn(demo, 1 - demo->turn);
        }
        return;
    }
    int64_t now_ns = demo->clock.now_ns(demo->clock.user);
    if (demo->set.alternate != NULL && now_ns >= demo->turn_ends_ns) {
        demo_recorder_note(demo->recorder, note);
        demo_begin_turn(demo, 1 - demo->turn);
    }
}

/* What is told of the display may be believed: no display that is seen is faster or slower. */
int64_t demo_believable_ns(int64_t refresh_ns)
{
    return refresh_ns >= ES_NS_PER_MS && refresh_ns <= ES_NS_PER_S ? refresh_ns : 0;
}

/* The window is on another display, or that has another mode. A moment in which nobody knows the
 * refresh changes nothing, nor does the same one told with other digits, nor one that the loop has
 * no use for: what is measured would start anew. */
void demo_follow_display(demo_state *demo)
{
    demo_note note = {.kind = DEMO_NOTE_REFRESH};
    int64_t refresh_ns = demo_believable_ns(demo->view.refresh_ns);
    if (demo->play != NULL && demo->play->schedule) {
        bool told = demo_play_note(demo->play, DEMO_NOTE_REFRESH, DEMO_NOTE_REFRESH, &note);
        refresh_ns = told ? note.value : 0;
    }
    int64_t off_ns = es_ns_sub(refresh_ns, demo->refresh_ns);
    if (refresh_ns > 0
            && (off_ns > refresh_ns / SAME_REFRESH || off_ns < -refresh_ns / SAME_REFRESH)) {
        demo->refresh_ns = refresh_ns;
        note.value = refresh_ns;
        demo_recorder_note(demo->recorder, note);
        const es_loop_config *present = &demo->sides[0].rule.config;
        es_loop_config config = demo_first_rule(demo).config;
        demo->restart |= config.interval_ns != present->interval_ns
                         || config.refresh_ns != present->refresh_ns;
    }
}
