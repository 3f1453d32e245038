/* SPDX-License-Identifier: Zlib
 *
 * `evenstep demo`: a scene that shows judder, run by es_loop, with every setting under a key.
 *
 * Here: opening a view, setting up, frames, and ending.
 */
#define _POSIX_C_SOURCE 200809L /* sigaction */

#include "evenstep/world.h"

#include "demo.h"

#include "tool.h"

#include "lab/numbers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PANEL_WIDTH_MIN     480 /* px; in a smaller window it could not be read */
#define HEADLESS_DEFAULT_NS (5 * ES_NS_PER_S)

static volatile sig_atomic_t stop_signal;

/* The first signal ends the loop as q does; at the second one it must be stuck. */
static void on_stop_signal(int number)
{
    if (stop_signal != 0) {
        demo_terminal_restore();
        signal(number, SIG_DFL);
        raise(number);
    }
    stop_signal = number;
}

static void watch_stop_signals(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_stop_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static int fail(const char *what, const char *name, const char *why)
{
    return tool_fail(
            "demo", "%s%s%s: %s", what, name != NULL ? " " : "", name != NULL ? name : "", why);
}

/* --- one frame -------------------------------------------------------------------------------- */

/* A sleep would be a different load: no CPU time, and no heat. */
static void burn(demo_state *demo, int64_t cost_ns)
{
    int64_t until_ns = ns_add(demo_now_ns(demo), cost_ns);
    demo->virtual_ns = ns_add(demo->virtual_ns, cost_ns);
    while (cost_ns > 0 && stop_signal == 0 && demo_now_ns(demo) < until_ns) {
    }
}

static bool has_ended(const demo_state *demo)
{
    return demo->quit || demo->input.quit || stop_signal != 0;
}

/* --- drawing ---------------------------------------------------------------------------------- */

static bool draw_frame(demo_state *demo, demo_canvas *canvas, demo_fit fit, bool with_panel)
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
    return demo->is_virtual || draw_frame(demo, &demo->canvas, fit, with_panel);
}

/* --- input and ticks -------------------------------------------------------------------------- */

/* Keys act before this frame's ticks. */
static void poll_input(demo_state *demo)
{
    demo_input *input = &demo->input;
    demo_input_begin(input);
    demo->view.poll(&demo->view, input);
    demo_script_run(&demo->script, ns_sub(input->now_ns, demo->begun_ns), input);
    for (size_t i = 0; i < input->event_count; ++i) {
        demo_push_event(demo, input->events[i]);
    }
    for (size_t i = 0; i < input->key_count; ++i) {
        demo_press(demo, input->keys[i]);
    }
}

/* Runs the ticks of the frame, or sets what the other thread's read. */
static void run_ticks(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    es_step step;
    if (side->threads.running) {
        demo_threads_set(&side->threads, demo->set.update_cost_ns);
        return;
    }
    while (es_loop_tick(side->loop, &step)) {
        demo_side_update(side, &step);
        burn(demo, demo->set.update_cost_ns);
    }
}

/* The lower half. The upper loop sets the pace, so this one is a host's: its frame begins when
 * drawing does, as if the wait before had been the display's. Its ticks have no cost. */
static void run_second(demo_state *demo)
{
    demo_side *side = &demo->sides[1];
    es_loop_next_at(side->loop, demo_now_ns(demo), ES_UNKNOWN_NS, &side->frame);
    for (int32_t i = 0; i < side->frame.ticks; ++i) {
        es_step step = es_frame_step(&side->frame, i);
        demo_side_update(side, &step);
    }
}

/* --- after the frame -------------------------------------------------------------------------- */

static void measure_frames(demo_state *demo, bool waits)
{
    es_present sample;
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
    const es_report *report = es_loop_get_report(demo->sides[0].loop);
    bool hidden = demo->view.hidden;
    es_loop_set_visible(demo->sides[0].loop, !hidden);
    if (demo->side_count > 1) { /* both halves were shown in the same frame */
        es_loop_end(demo->sides[1].loop);
    }
    for (int i = 0; i < demo->side_count && !hidden; ++i) {
        demo->sides[i].measure.breaks += demo->was_hidden;
        demo_side_presented(&demo->sides[i], demo->frames, report);
    }
    demo->hidden_frames += hidden;
    demo->was_hidden = hidden;
    demo->frames += 1; /* hidden ones too: a late report must not be another frame's */
    measure_frames(demo, true);
}

/* The calls that a game's own loop has. false: no memory to draw in, or the view is gone. */
static bool run_frame(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    es_loop_begin(side->loop);
    poll_input(demo);
    if (has_ended(demo)) {
        return true; /* the loop drops this frame */
    }
    run_ticks(demo);
    demo_side_ready(side);
    if (demo->side_count > 1) {
        run_second(demo);
    }
    bool good = draw(demo);
    es_loop_set_targets(side->loop, demo->view.obeys);
    es_loop_submit(side->loop);
    demo->view.timing = demo->view.obeys != NULL ? &side->frame : NULL;
    good = good && demo->view.present(&demo->view, demo->canvas.image, demo->frames);
    demo_side_end(side);
    close_frame(demo);
    return good;
}

/* --- setting up ------------------------------------------------------------------------------- */

#define READ_NS (5 * ES_NS_PER_US) /* a reading of the virtual clock takes this long */

static int64_t read_virtual(void *user)
{
    int64_t *now_ns = user;
    return *now_ns = ns_add(*now_ns, READ_NS);
}

static void wait_virtual(void *user, int64_t deadline_ns)
{
    int64_t *now_ns = user;
    *now_ns = deadline_ns > *now_ns ? deadline_ns : *now_ns;
}

static bool init(demo_state *demo, const demo_options *options)
{
    demo->is_virtual = options->is_virtual;
    if (options->is_virtual) {
        demo->virtual_ns = ES_NS_PER_S; /* no reading is 0 */
        demo->clock = (es_clock){.now_ns = read_virtual,
                .wait_until = wait_virtual,
                .user = &demo->virtual_ns,
                .description = "virtual: waits take no time"};
    } else if (!es_clock_system(&demo->clock)) {
        return false;
    }
    demo->input.pointer = (demo_point){DEMO_WIDTH / 2.0, DEMO_HEIGHT / 2.0};
    demo->input.clock = demo->clock;
    demo->script = options->script;
    demo->side_count = 1;
    demo->set = options->set;
    for (int i = 0; i < DEMO_SIDES; ++i) {
        if (!demo_side_init(&demo->sides[i], &demo->clock)) {
            return false;
        }
    }
    demo_scene_init(es_history_current(demo->sides[0].history), (uint32_t)options->seed);
    return true;
}

static int open_view(demo_state *demo, const demo_options *options)
{
    char why[DEMO_WHY_SIZE];
    if (!options->window && !options->terminal && !options->headless) {
        demo->view = demo_view_open_best(&options->wishes);
        return TOOL_OK;
    }
    demo->view = options->window     ? demo_view_window(&options->wishes)
                 : options->terminal ? demo_view_terminal()
                                     : demo_view_headless();
    return demo_view_open(&demo->view, why) ? TOOL_OK
                                            : fail("cannot open the", demo->view.name, why);
}

static int open_trace(demo_state *demo, const char *path)
{
    es_trace **trace = &demo->sides[0].measure.trace;
    *trace = path != NULL ? es_trace_create(path) : NULL;
    return path == NULL || *trace != NULL
                   ? TOOL_OK
                   : fail("--trace: cannot write", path, tool_error_reason());
}

/* --- running ---------------------------------------------------------------------------------- */

/* Shows the world once: loading of fonts and drivers is then not in the first frame. */
static void warm_up(demo_state *demo)
{
    demo_fill_panel(demo);
    if (draw_frame(demo, &demo->canvas, demo->view.fit(&demo->view), true)) {
        demo->view.present(&demo->view, demo->canvas.image, demo->frames);
        demo->frames += 1;
    }
}

/* Runs until q, a signal or the end of its time. false: it had to stop. */
static bool run(demo_state *demo, int64_t run_ns)
{
    demo_set_refresh(demo, demo->view.refresh_ns);
    if (!demo_start(demo)) {
        return false;
    }
    demo->begun_ns = demo_now_ns(demo);
    watch_stop_signals();
    warm_up(demo);
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_remeasure(&demo->sides[i]);
    }
    int64_t end_ns = ns_add(demo_now_ns(demo), run_ns);
    while (!has_ended(demo)) {
        if (!run_frame(demo)) {
            return false;
        }
        demo->restart |= demo_set_refresh(demo, demo->view.refresh_ns);
        if (!demo_change(demo)) {
            return false;
        }
        demo->quit |= run_ns >= 0 && demo_now_ns(demo) >= end_ns;
    }
    measure_frames(demo, false); /* also asks the view whether its reports have ended */
    return true;
}

/* --- ending ----------------------------------------------------------------------------------- */

static int close_trace(demo_state *demo, const char *path)
{
    bool wrote = path == NULL || es_trace_destroy(demo->sides[0].measure.trace);
    demo->sides[0].measure.trace = NULL;
    return wrote ? TOOL_OK : fail("--trace: cannot write", path, tool_error_reason());
}

/* The last frame once more; as large as the world where the view was too small to read. */
static int save_screenshot(demo_state *demo, const char *path)
{
    demo_canvas canvas = {0};
    bool small = demo->view.text != NULL || demo->is_virtual;
    demo_fit fit = small ? demo_fit_make(DEMO_WIDTH, DEMO_HEIGHT, DEMO_HEIGHT) : demo->canvas.fit;
    bool drawn = draw_frame(demo, &canvas, fit, demo->set.panel);
    errno = 0; /* cairo says little more than "cannot" */
    cairo_status_t status =
            drawn ? cairo_surface_write_to_png(canvas.image, path) : CAIRO_STATUS_NO_MEMORY;
    const char *why = errno != 0 ? strerror(errno) : cairo_status_to_string(status);
    demo_canvas_finish(&canvas);
    return status == CAIRO_STATUS_SUCCESS ? TOOL_OK : fail("--screenshot: cannot write", path, why);
}

static int write_files(demo_state *demo, demo_options *options)
{
    int status = TOOL_OK;
    bool on_stdout = tool_is_stdout(options->report);
    if (options->screenshot != NULL) {
        status = save_screenshot(demo, options->screenshot);
        options->screenshot = status == TOOL_OK ? options->screenshot : NULL;
    }
    if (options->report != NULL && !demo_write_report(demo, options->report)) {
        status = fail("--report: cannot write", options->report, strerror(errno));
        options->report = NULL;
    }
    if (!on_stdout) {
        demo_print(stdout, demo, options);
    }
    return status;
}

/* Ticks have ended; the view's words are needed until it is closed. */
static int end(demo_state *demo, demo_options *options, bool good)
{
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_join(&demo->sides[i]);
        demo_measure_stop(&demo->sides[i].measure);
    }
    int traced = close_trace(demo, options->trace);
    int status = write_files(demo, options);
    if (!good) {
        return fail("had to stop", NULL, "the view is gone, or no memory or thread");
    }
    return traced != TOOL_OK ? traced : status;
}

/* Xlib calls exit where its server is gone. The report is written all the same. */
static struct {
    demo_state *demo; /* NULL: it does not run */
    demo_options *options;
} running;

static void end_at_exit(void)
{
    if (running.demo != NULL) {
        demo_terminal_restore();
        end(running.demo, running.options, false);
    }
}

static int show(demo_state *demo, demo_options *options)
{
    int status = open_view(demo, options);
    if (status != TOOL_OK) {
        return status;
    }
    status = open_trace(demo, options->trace);
    if (status == TOOL_OK) {
        if (options->run_ns < 0 && strcmp(demo->view.name, "headless") == 0) {
            options->run_ns = HEADLESS_DEFAULT_NS; /* there is no q */
        }
        atexit(end_at_exit);
        running.demo = demo;
        running.options = options;
        bool good = run(demo, options->run_ns);
        running.demo = NULL;
        demo_terminal_restore();
        status = end(demo, options, good);
    }
    demo->view.close(&demo->view);
    return status;
}

static void finish(demo_state *demo)
{
    demo_canvas_finish(&demo->canvas);
    for (int i = 0; i < DEMO_SIDES; ++i) {
        demo_side_finish(&demo->sides[i]);
    }
    es_trace_destroy(demo->sides[0].measure.trace);
    free(demo);
}

int tool_demo(int argc, char **argv)
{
    static demo_options options; /* too large for the stack: --keys */
    int status = demo_options_read(&options, argc, argv);
    if (status != TOOL_OK) {
        return status == TOOL_HELP_SHOWN ? TOOL_OK : status;
    }
    demo_state *demo = calloc(1, sizeof *demo);
    if (demo == NULL) {
        return fail("cannot start", NULL, "no memory");
    }
    status = init(demo, &options) ? show(demo, &options)
                                  : fail("cannot start", NULL, "no memory or no clock");
    finish(demo);
    return status;
}
