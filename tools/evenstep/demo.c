/* SPDX-License-Identifier: Zlib
 *
 * `evenstep demo`: a scene that shows judder, run by es_loop, with every setting under a key.
 *
 * Here: choosing a view, setting up, running until the end, and telling. demo_frame.c has the loop.
 */
#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "tool.h"

#include "demo.h"
#include "demo_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADLESS_DEFAULT_NS (5 * ES_NS_PER_S)

volatile sig_atomic_t demo_stop_signal;

/* The first time the loop ends as if q had been pressed; the second time it must be stuck. */
static void on_stop_signal(int number)
{
    if (demo_stop_signal != 0) {
        demo_terminal_restore();
        signal(number, SIG_DFL);
        raise(number);
    }
    demo_stop_signal = number;
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
    fprintf(stderr, "evenstep demo: %s%s%s: %s\n", what, name != NULL ? " " : "",
            name != NULL ? name : "", why);
    return TOOL_FAILED;
}

/* The world at tick 0. */
static bool init(demo_state *demo, const demo_options *options)
{
    demo->input.pointer = (demo_point){DEMO_WIDTH / 2.0, DEMO_HEIGHT / 2.0};
    demo->input.clock = demo->machine;
    demo->script = options->script;
    demo->side_count = 1;
    demo->set = options->set;
    for (int i = 0; i < DEMO_SIDES; ++i) {
        if (!demo_side_init(&demo->sides[i], &demo->clock)) {
            return false;
        }
    }
    demo_scene *scene = es_history_current(&demo->sides[0].history);
    if (demo->play != NULL) {
        *scene = demo->play->player.world;
    } else {
        demo_scene_init(scene, (uint32_t)options->seed);
    }
    return true;
}

/* Which clock is whose. */
static bool set_clocks(demo_state *demo, const demo_options *options)
{
    demo->is_virtual = options->is_virtual;
    if (options->is_virtual) {
        demo->machine = demo_virtual_clock(&demo->virtual_time);
    } else if (es_clock_system(&demo->machine) != ES_OK) {
        return false;
    }
    demo->clock = demo->loop_clock = demo->machine;
    if (demo->play != NULL && demo->play->schedule) {
        const es_clock at_once = {0};
        demo->loop_clock = demo_play_clock(
                demo->play, options->is_virtual ? &at_once : &demo->machine, options->pace);
        demo->clock = demo_play_clock_after(demo->play);
    }
    return true;
}

/* Shows the world once, so that the first frame need not pay for loading fonts and drivers. */
static void warm_up(demo_state *demo)
{
    demo_fill_hud(demo);
    if (demo_draw_picture(demo, &demo->canvas, demo->view.fit(&demo->view), true)) {
        demo->view.present(&demo->view, demo->canvas.image, demo->pictures);
        demo->pictures += 1;
    }
}

/* Runs until somebody quits or the time is up. false: it had to stop. */
static bool run(demo_state *demo, int64_t run_ns)
{
    if (!demo_start(demo)) {
        return false;
    }
    demo->begun_ns = demo->machine.now_ns(demo->machine.user);
    watch_stop_signals();
    warm_up(demo);
    demo_restart_meters(demo);
    demo_choose_job(demo, demo->set.job);
    int64_t now_ns = demo->clock.now_ns(demo->clock.user);
    int64_t end_ns = es_ns_add(now_ns, run_ns);
    if (demo->set.alternate != NULL) {
        demo_begin_turn(demo, 0);
    }
    while (!demo_has_ended(demo)) {
        if (!demo_run_frame(demo)) {
            return false;
        }
        demo_follow_display(demo);
        if (!demo_change(demo)) {
            return false;
        }
        demo_take_turns(demo);
        demo->quit |= run_ns >= 0 && demo->clock.now_ns(demo->clock.user) >= end_ns;
    }
    demo_measure(
            demo); /* a teller that is gone says so when it is asked: SDL may have noticed first */
    return true;
}

/* The last frame once more; as large as the world where the view was too small to read. */
static int save_screenshot(demo_state *demo, const char *path)
{
    demo_canvas canvas = {0};
    bool small = demo->view.text != NULL || demo->is_virtual;
    demo_fit fit = small ? demo_fit_make(DEMO_WIDTH, DEMO_HEIGHT, DEMO_HEIGHT) : demo->canvas.fit;
    bool drawn = demo_draw_picture(demo, &canvas, fit, demo->set.hud);
    errno = 0; /* cairo says little more than "cannot" */
    cairo_status_t status =
            drawn ? cairo_surface_write_to_png(canvas.image, path) : CAIRO_STATUS_NO_MEMORY;
    const char *why = errno != 0 ? strerror(errno) : cairo_status_to_string(status);
    demo_canvas_finish(&canvas);
    return status == CAIRO_STATUS_SUCCESS ? TOOL_OK : fail("cannot write", path, why);
}

/* Writes the files and prints the summary, which names the files that were written. */
static int tell(demo_state *demo, const demo_options *options, demo_run *told)
{
    int status = TOOL_OK;
    if (options->screenshot != NULL) {
        status = save_screenshot(demo, options->screenshot);
        told->screenshot = status == TOOL_OK ? options->screenshot : NULL;
    }
    if (options->report != NULL) {
        told->report = options->report;
        if (!demo_stats_write(demo->sides[0].stats, told, options->report)) {
            status = fail("cannot write", options->report, strerror(errno));
            told->report = NULL;
        }
    }
    if (options->report == NULL || strcmp(options->report, "-") != 0) {
        demo_stats_print(demo->sides[0].stats, told, stdout);
    }
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

static void finish(demo_state *demo)
{
    if (demo == NULL) {
        return;
    }
    demo_canvas_finish(&demo->canvas);
    for (int i = 0; i < DEMO_SIDES; ++i) {
        demo_side_finish(&demo->sides[i]);
    }
    demo_recorder_close(demo->recorder);
    demo_play_close(demo->play);
    free(demo);
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

static void tell_split(const demo_state *demo, demo_run *told)
{
    const demo_side *side = &demo->sides[1];
    if (demo->side_count > 1) {
        told->split = side->rule.name;
        told->split_show = demo_way_name_at((size_t)side->rule.way);
        told->split_blend = side->rule.way != DEMO_WAY_NONE;
        told->compare = side->stats;
    }
}

static void tell_turns(demo_state *demo, demo_run *told)
{
    demo_side *side = &demo->sides[0];
    if (demo->set.alternate == NULL) {
        return;
    }
    const char *names[DEMO_TURNS] = {demo->set.choice.loop, demo->set.alternate};
    for (int i = 0; i < DEMO_TURNS; ++i) {
        demo_stats_stop(&side->turns[i]);
        told->turns[i] = (demo_turn){names[i], &side->turns[i]};
    }
    told->turn_count = DEMO_TURNS;
    told->every_ns = demo->set.every_ns;
    side->stats = &side->turns[0];
}

/* Ends measuring; what ran is told while the view, whose words it has, is still open. Of two that
 * took turns it is the first, but for what is told of both. */
static demo_run stop(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_measure(&demo->sides[i], INT64_MAX, true); /* nobody waits any more */
    }
    demo_stats_stop(side->stats);
    for (int i = 0; i < DEMO_TURNS; ++i) {
        demo_delay_note(&side->log, &side->turns[i].delays);
    }
    demo->turn = 0;
    demo_rule rule = demo->set.alternate != NULL ? demo_first_rule(demo) : side->rule;
    demo_run told = {.view = demo->view.name,
            .loop = rule.name,
            .pace = demo_pace_name(rule.config.pace),
            .policy = es_catch_up_name(rule.config.catch_up),
            .show = demo_way_name_at((size_t)rule.way),
            .blend = rule.way != DEMO_WAY_NONE,
            .lead = rule.config.lead_ticks,
            .jump = demo_jump_name_at((size_t)demo->set.jump),
            .teller = demo->view.teller,
            .teller_ended = demo->view.teller_ended,
            .feedback = es_feedback_get_status(&side->feedback),
            .hidden_frames = demo->hidden_frames,
            .tick_rate = demo_side_tick_rate(side),
            .extra = demo_side_extra(side)};
    told.extra.playing = demo_play_look(demo->play);
    told.extra.presses_made = demo->play != NULL ? told.extra.presses_seen : demo->input.presses;
    told.extra.presses_waiting = side->threads.running ? 0 : demo_feed_waiting(&side->desk.feed);
    told.extra.events_lost += demo->input.dropped;
    if (side->threads.running) {
        told.exchange = demo_loop_is_locked(rule.name) ? "locked" : "wait-free";
    }
    snprintf(told.shows, sizeof told.shows, "%s", demo->view.shows);
    tell_split(demo, &told);
    tell_turns(demo, &told);
    return told;
}

/* What the display is thought to be, and who writes it down. */
static int prepare(demo_state *demo, const demo_options *options)
{
    char refresh[32] = "0";
    demo->refresh_ns = demo_believable_ns(demo->view.refresh_ns);
    if (demo->play != NULL && demo->play->schedule) {
        demo_player_tag(options->play, "refresh_ns", refresh, sizeof refresh);
        demo->refresh_ns = demo_believable_ns(strtoll(refresh, NULL, 10));
    }
    if (options->record == NULL) {
        return TOOL_OK;
    }
    snprintf(refresh, sizeof refresh, "%lld", (long long)demo->refresh_ns);
    demo_rule rule = demo_first_rule(demo);
    const demo_recorder_setup setup = {.path = options->record,
            .settings = options->settings,
            .view = demo->view.name,
            .refresh = refresh,
            .seed = (uint64_t)options->seed,
            .tick_rate = rule.config.tick_rate,
            .waits = options->is_virtual,
            .frames = options->record_frames && !demo_loop_is_threaded(rule.name)};
    demo->recorder = demo_recorder_open(&setup);
    if (demo->recorder == NULL) {
        return fail("cannot record into", options->record, strerror(errno));
    }
    demo->sides[0].desk.recorder = demo->recorder;
    demo->loop_clock = demo_recorder_clock(demo->recorder, &demo->machine);
    return TOOL_OK;
}

/* A recording, or playing one, that did not come to its end is told, and fails. */
static int check_recording(demo_state *demo, demo_run *told)
{
    const demo_playing *playing = &told->extra.playing;
    for (int i = 0; i < DEMO_SIDES; ++i) {
        demo_threads_join(&demo->sides[i].threads);
    }
    told->extra.recording = demo_recorder_close(demo->recorder);
    demo->recorder = NULL;
    demo->sides[0].desk.recorder = NULL;
    const demo_recording *recording = &told->extra.recording;
    if (demo_recording_problem(recording) != NULL) {
        return fail("recording ended early:", recording->path, demo_recording_problem(recording));
    }
    if (recording->counts.ticks_lost > 0) {
        return fail("recording left out ticks:", recording->path, "the disk was too slow");
    }
    if (playing->differs || playing->lost || playing->skipped || playing->uncompared) {
        fprintf(stderr, "evenstep demo: %s\n", playing->text);
        return TOOL_FAILED;
    }
    if (playing->reshaped) {
        fprintf(stderr,
                "evenstep demo: %s: %lld of %lld frames came again as recorded; %lld steps and "
                "readings were others\n",
                playing->path, (long long)playing->same, (long long)playing->frames,
                (long long)playing->strays);
        return TOOL_FAILED;
    }
    return TOOL_OK;
}

static int show(demo_state *demo, demo_options *options)
{
    if (open_view(demo, options) != TOOL_OK) {
        return TOOL_FAILED;
    }
    if (prepare(demo, options) != TOOL_OK) {
        demo->view.close(&demo->view);
        return TOOL_FAILED;
    }
    if (options->run_ns < 0 && demo->play == NULL && strcmp(demo->view.name, "headless") == 0) {
        options->run_ns = HEADLESS_DEFAULT_NS; /* nobody could press q */
    }
    bool good = run(demo, options->run_ns);
    demo_run told = stop(demo);
    demo->view.close(&demo->view);
    int checked = check_recording(demo, &told);
    int status = tell(demo, options, &told);
    if (!good) {
        return fail("had to stop", NULL, "the view is gone, or no memory or thread");
    }
    return checked != TOOL_OK ? checked : status;
}

/* Opens what is to be played: before any view is, so that what is wrong can be read. */
static int open_recording(demo_state *demo, const demo_options *options)
{
    bool good;
    if (options->play == NULL) {
        return TOOL_OK;
    }
    demo->play = demo_play_open(options->play, options->schedule, &good);
    if (!good) {
        fprintf(stderr, "evenstep demo: cannot play %s\n",
                demo->play != NULL ? demo->play->player.why : "anything: no memory");
        return TOOL_USAGE;
    }
    demo->play->until = options->until >= 0 ? options->until : INT64_MAX;
    return TOOL_OK;
}

static int run_demo(demo_state *demo, demo_options *options)
{
    int status = open_recording(demo, options);
    if (status != TOOL_OK) {
        return status;
    }
    if (!set_clocks(demo, options) || !init(demo, options)) {
        return fail("cannot start", NULL, "no memory or no clock");
    }
    return show(demo, options);
}

int tool_demo(int argc, char **argv)
{
    es_error error;
    static demo_options options; /* large: keys that are pressed by themselves */
    int status = demo_options_read(&options, argc, argv);
    if (status != TOOL_OK) {
        return status == TOOL_HELP_SHOWN ? TOOL_OK : status;
    }
    for (int way = 0; way < DEMO_WAYS; ++way) {
        if (es_layout_validate(demo_way_layout((demo_way)way), &error) != ES_OK) {
            return fail("the scene's layout is wrong", error.field, error.reason);
        }
    }
    demo_state *demo = calloc(1, sizeof *demo);
    status = demo != NULL ? run_demo(demo, &options) : fail("cannot start", NULL, "no memory");
    finish(demo);
    return status;
}
