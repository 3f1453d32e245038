/* SPDX-License-Identifier: Zlib
 *
 * One frame of the demo: demo_run_frame has the calls that a game's own loop would have.
 */
#include "demo.h"

#define PANEL_WIDTH_MIN 480 /* px; in a smaller window it could not be read */

/* A sleep would be a different load: no CPU time, and no heat. */
static void burn(demo_state *demo, int64_t cost_ns)
{
    int64_t until_ns = es_ns_add(demo_now_ns(demo), cost_ns);
    demo->virtual_ns = es_ns_add(demo->virtual_ns, cost_ns);
    while (cost_ns > 0 && demo_stop_signal == 0 && demo_now_ns(demo) < until_ns) {
    }
}

bool demo_has_ended(const demo_state *demo)
{
    return demo->quit || demo->input.quit || demo_stop_signal != 0;
}

/* --- drawing ---------------------------------------------------------------------------------- */

bool demo_draw_frame(demo_state *demo, demo_canvas *canvas, demo_fit fit, bool with_panel)
{
    demo_point pointer = {demo->input.pointer.x, demo_world_y(demo, demo->input.pointer.y)};
    if (!demo_canvas_resize(canvas, fit)) {
        return false;
    }
    for (int i = 0; i < demo->side_count; ++i) {
        const demo_side *side = &demo->sides[i];
        const demo_look look = {.scene = side->shown, .trail = &side->trail, .pointer = pointer};
        demo_draw_scene(canvas, demo->side_count > 1 ? i : -1, &look);
    }
    if (with_panel) {
        demo_draw_panel(canvas, &demo->panel);
    }
    cairo_surface_flush(canvas->image);
    return true;
}

/* With the panel in the frame, or as text below it. */
static bool draw(demo_state *demo)
{
    demo_view *view = &demo->view;
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_look(&demo->sides[i]);
    }
    burn(demo, demo->set.render_cost_ns);
    demo_fill_panel(demo);
    if (view->text != NULL) {
        view->text(view, demo->set.panel ? &demo->panel : NULL);
    }
    demo_fit fit = view->fit(view);
    bool with_panel = demo->set.panel && view->text == NULL && fit.width >= PANEL_WIDTH_MIN;
    return demo->is_virtual || demo_draw_frame(demo, &demo->canvas, fit, with_panel);
}

/* --- input and ticks -------------------------------------------------------------------------- */

/* Keys act before this frame's ticks. */
static void poll_input(demo_state *demo)
{
    demo_input *input = &demo->input;
    demo_input_begin(input);
    demo->view.poll(&demo->view, input);
    demo_script_run(&demo->script, es_ns_sub(input->now_ns, demo->begun_ns), input);
    for (size_t i = 0; i < input->event_count; ++i) {
        demo_push_event(demo, input->events[i]);
    }
    for (size_t i = 0; i < input->key_count; ++i) {
        if (demo->play != NULL) {
            demo_play_press(demo, input->keys[i]);
        } else {
            demo_press(demo, input->keys[i]);
        }
    }
}

/* Runs the ticks of the frame, or sets what the other thread's read. */
static void run_ticks(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    const demo_job_mode job = (demo_job_mode)demo->set.job;
    es_step step;
    if (side->threads.running) {
        demo_threads_set(&side->threads, job, demo->set.update_cost_ns);
        return;
    }
    while (es_loop_tick(&side->loop, &step)) {
        if (demo->play != NULL) {
            demo_play_step(demo, &step);
        } else {
            demo_side_update(side, &step, job);
        }
        burn(demo, demo->set.update_cost_ns);
    }
}

/* The lower half. The upper loop sets the pace, so this one is a host's: its frame begins when
 * drawing does, as if the wait before had been the display's. Its ticks have no cost and no job. */
static void run_second(demo_state *demo)
{
    demo_side *side = &demo->sides[1];
    es_step step;
    es_loop_begin_host(&side->loop, demo_now_ns(demo), 0);
    while (es_loop_tick(&side->loop, &step)) {
        demo_side_update(side, &step, DEMO_JOB_OFF);
    }
    demo_side_ready(side);
}

/* --- after the frame -------------------------------------------------------------------------- */

void demo_measure_frames(demo_state *demo, bool waits)
{
    es_present_sample sample;
    int64_t now_ns = demo_now_ns(demo);
    bool reports = demo->view.reports_by != NULL;
    while (reports && demo->view.feedback(&demo->view, &sample)) {
        for (int i = 0; i < demo->side_count; ++i) {
            demo_side_feedback(&demo->sides[i], sample);
        }
    }
    for (int i = 0; i < demo->side_count; ++i) {
        demo_measure_settle(&demo->sides[i].measure, now_ns, reports && waits);
    }
}

/* Frames of a window that is not visible are not measured; reports of them are fetched. */
static void close_frame(demo_state *demo)
{
    const es_frame_report *report = demo_side_report(&demo->sides[0]);
    bool hidden = demo->view.hidden;
    if (!demo->sides[0].threads.running) {
        demo_recorder_frame(demo->recorder, report);
    }
    if (demo->side_count > 1) { /* both halves were shown in the same frame */
        es_loop_end_shown(&demo->sides[1].loop, report->shown_ns, report->source);
    }
    for (int i = 0; i < demo->side_count && !hidden; ++i) {
        demo->sides[i].measure.breaks += demo->was_hidden;
        demo_side_presented(&demo->sides[i], demo->frames);
    }
    demo->hidden_frames += hidden;
    demo->was_hidden = hidden;
    demo->frames += 1; /* hidden ones too: a late report must not be another frame's */
    demo_measure_frames(demo, true);
}

bool demo_run_frame(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    if (demo->play != NULL) {
        demo_play_frame(demo);
    }
    demo_side_begin(side);
    poll_input(demo);
    if (demo_has_ended(demo)) {
        return true; /* the loop drops this frame */
    }
    run_ticks(demo);
    demo_side_ready(side);
    if (demo->side_count > 1) {
        run_second(demo);
    }
    bool good = draw(demo);
    demo_side_submit(side);
    good = good && demo->view.present(&demo->view, demo->canvas.image, demo->frames);
    demo_side_end(side);
    close_frame(demo);
    return good;
}
