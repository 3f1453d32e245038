/* SPDX-License-Identifier: Zlib
 *
 * One frame of the demo: demo_run_frame is what a game's own loop would look like.
 */
#include "demo.h"

#include <stdio.h>

#define HUD_WIDTH_MIN 480 /* px; in a smaller window nobody could read it */
#define SPIKE_FRAMES  60
#define SPIKE_NS      (40 * ES_NS_PER_MS)
#define REST_NS       (10 * ES_NS_PER_MS)

/* Sleeping would be a load of another kind: it would not heat, nor be seen as work by anything that
 * looks at CPU time. */
void demo_burn(demo_state *demo, int64_t cost_ns)
{
    const es_clock *clock = &demo->machine;
    if (demo->play != NULL && demo->play->schedule) {
        return; /* it takes as long as it did */
    }
    if (demo->is_virtual) {
        demo_virtual_spend(&demo->virtual_time, cost_ns);
        return;
    }
    int64_t until_ns = es_ns_add(clock->now_ns(clock->user), cost_ns);
    while (cost_ns > 0 && demo_stop_signal == 0 && clock->now_ns(clock->user) < until_ns) {
    }
}

static demo_live live_of(const demo_side *side)
{
    return (demo_live){.flight = &side->flight,
            .flash_ms = side->flash_ms,
            .job_mode = side->job_mode,
            .job_share = demo_side_extra(side).job_share};
}

bool demo_draw_picture(demo_state *demo, demo_canvas *canvas, demo_fit fit, bool with_hud)
{
    demo_point pointer = {demo->input.pointer.x, demo_world_y(demo, demo->input.pointer.y)};
    if (!demo_canvas_resize(canvas, fit)) {
        return false;
    }
    if (demo->side_count > 1) {
        for (int i = 0; i < demo->side_count; ++i) {
            const demo_side *side = &demo->sides[i];
            demo_live live = live_of(side);
            demo_draw_half(canvas, i, side->shown, &side->trail, &live, pointer);
        }
    } else {
        demo_live live = live_of(&demo->sides[0]);
        demo_draw_scene(canvas, demo->sides[0].shown, &demo->sides[0].trail, &live, pointer);
    }
    if (with_hud) {
        demo_draw_hud(canvas, &demo->hud);
    }
    demo_draw_flush(canvas);
    return true;
}

static void show_side(demo_side *side, bool split, demo_hud_side *out, demo_hud *hud)
{
    const es_loop_config *config = &side->rule.config;
    demo_way way = side->rule.way;
    const char *way_name = demo_way_name_at((size_t)way);
    bool plain = !split || way == DEMO_WAY_INTERPOLATE;
    snprintf(out->name, sizeof out->name, "%s%s%s", side->rule.name, plain ? "" : ", ",
            plain ? "" : way_name);
    if (way == DEMO_WAY_NONE) {
        snprintf(out->name, sizeof out->name, "%s without blending", side->rule.name);
    }
    snprintf(out->rule, sizeof out->rule, "pace %s, policy %s%s", demo_pace_name(config->pace),
            es_catch_up_name(config->catch_up), config->low_latency ? ", latency low" : "");
    int used = snprintf(
            out->shows, sizeof out->shows, "shows %s, lead %d", way_name, (int)config->lead_ticks);
    if (config->lead_ticks < 0) {
        snprintf(out->shows + used, sizeof out->shows - (size_t)used, ", %.0f ms ahead",
                es_ns_to_ms(side->frame.ahead_ns));
    }
    demo_stats_show_side(side->stats, out, hud);
}

void demo_fill_hud(demo_state *demo)
{
    demo_hud *hud = &demo->hud;
    hud->interval_scale_ms = 0.0;
    hud->error_scale_ms = 0.0;
    hud->side_count = demo->side_count;
    for (int i = 0; i < demo->side_count; ++i) {
        show_side(&demo->sides[i], demo->side_count > 1, &hud->sides[i], hud);
    }
    const demo_side *first = &demo->sides[0];
    demo_extra extra = demo_side_extra(first);
    extra.playing = demo_play_look(demo->play);
    demo_stats_show_figures(
            first->stats, &first->frame, demo->set.jump != DEMO_JUMP_OFF, &extra, hud);
    if (demo->play != NULL) {
        demo_replay_show_keys(demo, hud->keys);
    } else {
        demo_show_keys(demo, hud->keys);
    }
}

/* The overlay, in the picture or as text. */
static bool draw_all(demo_state *demo)
{
    demo_view *view = &demo->view;
    demo_fit fit = view->fit(view);
    bool hud_in_picture = demo->set.hud && view->text == NULL && fit.width >= HUD_WIDTH_MIN;
    return demo->is_virtual
           || demo_draw_picture(demo, &demo->canvas, view->fit(view), hud_in_picture);
}

static void show_text(demo_state *demo)
{
    demo_view *view = &demo->view;
    demo_fill_hud(demo);
    if (view->text != NULL) {
        view->text(view, demo->set.hud ? &demo->hud : NULL);
    }
}

bool demo_show_still(demo_state *demo)
{
    show_text(demo);
    bool drawn = draw_all(demo);
    bool shown = drawn && demo->view.present(&demo->view, demo->canvas.image, demo->pictures);
    demo->pictures += 1;
    return shown;
}

static bool draw(demo_state *demo)
{
    int64_t index = demo->sides[0].frame.index;
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_draw_begin(&demo->sides[i]);
        demo_side_look(&demo->sides[i]);
    }
    show_text(demo);
    bool spike = demo->set.spikes && index % SPIKE_FRAMES == SPIKE_FRAMES - 1;
    demo_burn(demo, demo->set.render_cost_ns + (spike ? SPIKE_NS : 0));
    bool drawn = draw_all(demo);
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_draw_end(&demo->sides[i]);
    }
    return drawn;
}

static void see_hidden(demo_state *demo)
{
    if (demo->view.hidden != demo->hidden) {
        demo->hidden = demo->view.hidden;
        demo_recorder_note(demo->recorder,
                (demo_note){.kind = DEMO_NOTE_HIDDEN, .value = demo->hidden ? 1 : 0});
    }
}

static void poll_input(demo_state *demo)
{
    demo_input_begin(&demo->input);
    demo->view.poll(&demo->view, &demo->input);
    demo_script_run(&demo->script, es_ns_sub(demo->input.now_ns, demo->begun_ns), &demo->input);
    if (demo->play != NULL) {
        demo_replay_before(demo);
        return;
    }
    see_hidden(demo);
    for (size_t i = 0; i < demo->input.event_count; ++i) {
        demo_push_event(demo, demo->input.events[i]);
    }
    for (size_t i = 0; i < demo->input.key_count; ++i) {
        demo_recorder_note(
                demo->recorder, (demo_note){.kind = DEMO_NOTE_KEY, .value = demo->input.keys[i]});
        demo_press(demo, demo->input.keys[i]); /* before this frame's ticks, so in force for them */
    }
}

/* The job is the first world's: two would be two hitches. */
static demo_now what_ticks_see(const demo_state *demo, int index)
{
    return (demo_now){.read_ns = demo->input.now_ns,
            .jump = demo->set.jump,
            .job = index == 0 ? demo->set.job : DEMO_JOB_OFF,
            .apart = demo->set.apart};
}

bool demo_has_ended(const demo_state *demo)
{
    return demo->quit || demo->input.quit || demo_stop_signal != 0;
}

/* The lower half's frame. The upper loop sets the pace, so this one is told when its frames begin:
 * when drawing does, as if the wait before had been the display's. Its ticks cost nothing. */
static void run_second(demo_state *demo)
{
    demo_side *side = &demo->sides[1];
    es_step step;
    demo_now now = what_ticks_see(demo, 1);
    es_loop_begin_host(&side->loop, demo->clock.now_ns(demo->clock.user), 0);
    while (es_loop_tick(&side->loop, &step)) {
        demo_side_update(side, &step, &now);
    }
    es_loop_ready(&side->loop, &side->frame);
}

/* Both halves are on the same picture, which was seen once. */
static void end_second(demo_state *demo)
{
    const es_frame_report *shown = demo_side_report(&demo->sides[0]);
    es_loop_end_shown(&demo->sides[1].loop, shown->shown_ns, shown->source);
}

/* A frame that nobody sees is not measured, and told to no side. */
static void pass_over(demo_state *demo)
{
    demo->hidden_frames += 1;
    demo->was_hidden = true;
    const es_loop_config *config = &demo->sides[0].rule.config;
    bool starts_at_once = config->pace == ES_PACE_UNCAPPED || config->aim == ES_AIM_BEGIN;
    if (demo->set.rests && starts_at_once) {
        /* that would take one frame after the other, and neither drawing nor the display waits */
        const es_clock *clock = &demo->clock;
        clock->wait_until(clock->user, es_ns_add(clock->now_ns(clock->user), REST_NS));
    }
}

static void take_in(demo_state *demo)
{
    for (int i = 0; i < demo->side_count; ++i) {
        if (demo->was_hidden) {
            demo_side_break(&demo->sides[i]);
        }
        demo_side_presented(&demo->sides[i], demo->pictures);
    }
    demo->was_hidden = false;
}

/* What was told of this picture, and of those before it that are still waited for. Also while the
 * view is hidden: what nobody fetches keeps an adapter busy. */
void demo_measure(demo_state *demo)
{
    es_present_sample sample;
    bool again = demo->play != NULL && demo->play->schedule; /* then it is told as it was */
    bool told = demo->view.teller != NULL;
    while (told && demo->view.told(&demo->view, &sample)) {
        for (int i = 0; i < demo->side_count && !again; ++i) {
            demo_side_told(&demo->sides[i], &sample);
        }
    }
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_measure(&demo->sides[i], demo->clock.now_ns(demo->clock.user), told && !again);
    }
    if (again) {
        demo_replay_after(demo);
    }
}

/* Draws and presents, or, where nobody would see it and that is wanted, does not. */
static bool show_frame(demo_state *demo)
{
    if (demo->hidden && demo->set.rests) {
        return true;
    }
    bool drawn = draw(demo);
    demo_side_submit(&demo->sides[0]);
    return drawn && demo->view.present(&demo->view, demo->canvas.image, demo->pictures);
}

/* A frame was shown, or was to be. */
static void close_frame(demo_state *demo)
{
    if (!demo->sides[0].threads.running) {
        demo_recorder_frame(demo->recorder, demo_side_report(&demo->sides[0]));
    }
    if (demo->play != NULL && demo->play->schedule) {
        demo_play_frame(demo->play, demo_side_report(&demo->sides[0]));
    }
    if (demo->side_count > 1) {
        end_second(demo);
    }
    if (demo->hidden) {
        pass_over(demo);
    } else {
        take_in(demo);
    }
    demo->pictures += 1; /* each has its own number: what is told late must not be another's */
    demo_measure(demo);
}

/* The same as run_frame, but that the ticks are another thread's: it is told what they see. */
static bool run_threaded_frame(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    demo_threads *threads = &side->threads;
    if (es_threaded_begin(&threads->threaded) != ES_OK) {
        return false;
    }
    poll_input(demo);
    if (demo_has_ended(demo)) {
        return true;
    }
    demo_now now = what_ticks_see(demo, 0);
    demo_threads_tell(threads, &now, demo->set.update_cost_ns);
    es_threaded_ready(&threads->threaded, &threads->shown);
    side->frame = threads->shown.frame;
    if (demo->side_count > 1) {
        run_second(demo);
    }
    bool good = show_frame(demo);
    es_threaded_end(&threads->threaded);
    close_frame(demo);
    return good;
}

/* false: there was no memory to draw in, or the view is gone. */
bool demo_run_frame(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    es_step step;
    bool shown = true;
    if (side->threads.running) {
        return run_threaded_frame(demo);
    }
    if (demo->play != NULL && !demo_replay_goes_on(demo, &shown)) {
        return shown;
    }
    es_loop_begin(&side->loop);
    poll_input(demo);
    if (demo_has_ended(demo)) {
        return true; /* nobody waits for this frame: the loop gives it up */
    }
    demo_now now = what_ticks_see(demo, 0);
    bool works = demo->play == NULL || demo->play->schedule; /* else what ran was recorded */
    while (es_loop_tick(&side->loop, &step)) {
        if (demo->play != NULL) {
            demo_replay_step(demo, &step);
        } else {
            demo_side_update(side, &step, &now);
        }
        demo_burn(demo, demo->set.update_cost_ns);
    }
    if (works) {
        demo_side_idle_before(side);
    }
    es_loop_ready(&side->loop, &side->frame);
    if (demo->side_count > 1) {
        run_second(demo);
    }
    bool good = show_frame(demo);
    es_loop_end(&side->loop);
    close_frame(demo);
    if (works) {
        demo_side_idle_after(side);
    }
    return good;
}
