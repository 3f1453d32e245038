/* SPDX-License-Identifier: Zlib
 *
 * `evenstep demo`: a scene that shows judder, run by es_loop, with every setting under a key.
 *
 * run_frame is what a game's own loop would look like. Around it: keys, options, choosing a view.
 */
#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "tool.h"

#include "evenstep/evenstep.h"

#include "demo_draw.h"
#include "demo_report.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HUD_WIDTH_MIN       480 /* px; in a smaller window nobody could read it */
#define SPIKE_FRAMES        60
#define SPIKE_NS            (40 * ES_NS_PER_MS)
#define HEADLESS_DEFAULT_NS (5 * ES_NS_PER_S)

enum { SPEEDS = 4, COSTS = 4, TICK_RATES = 10 };

static const es_ratio speeds[SPEEDS] = {{1, 1}, {1, 2}, {1, 4}, {1, 10}};
static const int64_t render_costs_ms[COSTS] = {0, 5, 10, 20};
static const int64_t update_costs_ms[COSTS] = {0, 1, 2, 5};
static const uint32_t tick_rates[TICK_RATES] = {5, 10, 20, 30, 50, 60, 100, 120, 144, 240};

/* What keys change, and options begin with. */
typedef struct settings {
    es_rate tick_rate;
    int64_t render_cost_ns; /* besides what drawing really takes */
    int64_t update_cost_ns; /* per tick, likewise */
    int speed;              /* an index into speeds */
    bool interpolate;
    bool spikes;
    bool hud;
} settings;

/* What the command line says. */
typedef struct demo_options {
    bool window, terminal, headless;
    bool vsync;
    bool no_interpolation;
    int64_t run_ns; /* -1: until somebody quits */
    int32_t seed;
    const char *report;
    const char *screenshot;
    es_loop_config loop;
    settings set;
} demo_options;

typedef struct demo_state {
    /* the game: a loop, the last two ticks of the world, and what is drawn between them */
    es_loop loop;
    es_history history;
    void *history_memory;
    demo_scene blended;
    const demo_scene *shown; /* what the last frame drew */
    /* around it */
    es_clock clock;
    demo_view view;
    demo_input input;
    demo_canvas canvas;
    demo_hud hud;
    demo_stats stats;
    bool quit;
    settings set;
} demo_state;

/* Set by the signals that ask to stop; the loop looks at it once per frame. */
static volatile sig_atomic_t stop_signal;

/* --- keys ------------------------------------------------------------------------------------- */

/* The next rate of the list above or below, also from one that is not in it. */
static es_rate next_rate(es_rate rate, bool faster)
{
    es_rate next = rate;
    for (int i = 0; i < TICK_RATES; ++i) {
        uint64_t listed = (uint64_t)tick_rates[i] * rate.denominator;
        if (faster && listed > rate.numerator) {
            return es_hz(tick_rates[i]);
        }
        if (!faster && listed < rate.numerator) {
            next = es_hz(tick_rates[i]);
        }
    }
    return next;
}

static void set_tick_rate(demo_state *demo, es_rate rate)
{
    if (es_loop_set_tick_rate(&demo->loop, rate) == ES_OK) {
        demo->set.tick_rate = rate;
    }
}

static int64_t next_cost_ns(const int64_t *costs_ms, int64_t cost_ns)
{
    for (int i = 0; i < COSTS; ++i) {
        if (costs_ms[i] * ES_NS_PER_MS > cost_ns) {
            return costs_ms[i] * ES_NS_PER_MS;
        }
    }
    return 0;
}

static void press(demo_state *demo, char key)
{
    switch (key) {
    case ' ':
        es_loop_pause(&demo->loop, !es_loop_is_paused(&demo->loop));
        break;
    case 'n':
    case '.':
        es_loop_pause(&demo->loop, true); /* only a loop that is paused can be stepped */
        es_loop_step_once(&demo->loop);
        break;
    case 's':
        demo->set.speed = (demo->set.speed + 1) % SPEEDS;
        es_loop_set_time_scale(&demo->loop, speeds[demo->set.speed]);
        break;
    case '+':
    case '=':
        set_tick_rate(demo, next_rate(demo->set.tick_rate, true));
        break;
    case '-':
        set_tick_rate(demo, next_rate(demo->set.tick_rate, false));
        break;
    case 'i':
        demo->set.interpolate = !demo->set.interpolate;
        break;
    case 'c':
        demo->set.render_cost_ns = next_cost_ns(render_costs_ms, demo->set.render_cost_ns);
        break;
    case 'u':
        demo->set.update_cost_ns = next_cost_ns(update_costs_ms, demo->set.update_cost_ns);
        break;
    case 'k':
        demo->set.spikes = !demo->set.spikes;
        break;
    case 'h':
        demo->set.hud = !demo->set.hud;
        break;
    case 'r':
        demo_stats_restart(&demo->stats);
        break;
    case 'q':
        demo->quit = true;
        break;
    default:
        break;
    }
}

static void put_switch(demo_hud_line *line, const char *key, const char *label, bool on, bool usual)
{
    demo_hud_put(line, key, label, on != usual, "%s", on ? "on" : "off");
}

static void show_keys(const demo_state *demo, demo_hud_line *line)
{
    static const char *const speed_names[SPEEDS] = {"full", "1/2", "1/4", "1/10"};
    const settings *set = &demo->set;
    long long tick = (long long)demo->shown->tick;
    double render_ms = es_ns_to_ms(set->render_cost_ns);
    double update_ms = es_ns_to_ms(set->update_cost_ns);
    put_switch(line++, "space", "pause", es_loop_is_paused(&demo->loop), false);
    demo_hud_put(line++, "n", "single step", false, "tick %lld", tick);
    demo_hud_put(line++, "s", "speed", set->speed != 0, "%s", speed_names[set->speed]);
    demo_hud_put(line++, "+ -", "tick rate", false, "%.4g /s", demo_rate_hz(set->tick_rate));
    put_switch(line++, "i", "interpolation", set->interpolate, true);
    put_switch(line++, "h", "this overlay", set->hud, true);
    demo_hud_put(line++, "c", "cost per frame", render_ms > 0.0, "%.4g ms", render_ms);
    demo_hud_put(line++, "u", "cost per tick", update_ms > 0.0, "%.4g ms", update_ms);
    put_switch(line++, "k", "40 ms spikes", set->spikes, false);
    demo_hud_put(line++, "r", "restart meter", false, "%.0f s", demo_stats_seconds(&demo->stats));
    demo_hud_put(line, "q", "quit", false, "or Esc");
}

/* --- one frame -------------------------------------------------------------------------------- */

/* Keeps the CPU busy. Sleeping would be a load of another kind: it would not heat, nor be seen as
 * work by anything that looks at CPU time. */
static void burn(const es_clock *clock, int64_t cost_ns)
{
    int64_t until_ns = es_ns_add(clock->now_ns(clock->user), cost_ns);
    while (cost_ns > 0 && clock->now_ns(clock->user) < until_ns) {
    }
}

/* What this frame shows: the world between its two ticks, or without blending the newer one. */
static const demo_scene *scene_at(demo_state *demo, double alpha)
{
    const demo_scene *current = es_history_current(&demo->history);
    if (!demo->set.interpolate) {
        return current;
    }
    es_blend(demo_scene_layout(), es_history_previous(&demo->history), current, alpha,
            &demo->blended);
    return &demo->blended;
}

static bool draw_picture(demo_state *demo, demo_canvas *canvas, demo_fit fit, bool with_hud)
{
    if (!demo_canvas_resize(canvas, fit)) {
        return false;
    }
    demo_draw_scene(canvas, demo->shown, demo->input.pointer);
    if (with_hud) {
        demo_draw_hud(canvas, &demo->hud);
    }
    demo_draw_flush(canvas);
    return true;
}

static bool draw(demo_state *demo, const es_frame *frame)
{
    demo_view *view = &demo->view;
    demo_fit fit = view->fit(view);
    bool hud_in_picture = demo->set.hud && view->text == NULL && fit.width >= HUD_WIDTH_MIN;
    demo->shown = scene_at(demo, frame->alpha);
    demo_stats_show(&demo->stats, frame, demo->set.tick_rate, &demo->hud);
    show_keys(demo, demo->hud.keys);
    if (view->text != NULL) {
        view->text(view, demo->set.hud ? &demo->hud : NULL);
    }
    bool spike = demo->set.spikes && frame->index % SPIKE_FRAMES == SPIKE_FRAMES - 1;
    burn(&demo->clock, demo->set.render_cost_ns + (spike ? SPIKE_NS : 0));
    return draw_picture(demo, &demo->canvas, view->fit(view), hud_in_picture);
}

static void poll_input(demo_state *demo)
{
    demo->input.key_count = 0;
    demo->view.poll(&demo->view, &demo->input);
    ++demo->input.polls;
    for (size_t i = 0; i < demo->input.key_count; ++i) {
        press(demo, demo->input.keys[i]); /* before this frame's ticks, so in force for them */
    }
}

static bool has_ended(const demo_state *demo)
{
    return demo->quit || demo->input.quit || stop_signal != 0;
}

/* false: there was no memory to draw in, or the view is gone. */
static bool run_frame(demo_state *demo)
{
    es_step step;
    es_frame frame;
    es_loop_begin(&demo->loop);
    poll_input(demo);
    if (has_ended(demo)) {
        return true; /* nobody waits for this frame: the loop gives it up */
    }
    while (es_loop_tick(&demo->loop, &step)) {
        demo_scene *scene = es_history_push(&demo->history, &step);
        demo_scene_update(scene, step.dt_s, demo->input.pointer);
        burn(&demo->clock, demo->set.update_cost_ns);
    }
    es_loop_ready(&demo->loop, &frame);
    assert(es_history_matches(&demo->history, &frame));
    bool drawn = draw(demo, &frame);
    es_loop_submit(&demo->loop);
    bool presented = drawn && demo->view.present(&demo->view, demo->canvas.image);
    es_loop_end(&demo->loop);
    demo_stats_add(&demo->stats, es_loop_report(&demo->loop));
    return presented;
}

/* --- running ---------------------------------------------------------------------------------- */

/* The first time the loop ends as if q had been pressed; the second time it must be stuck. */
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
    fprintf(stderr, "evenstep demo: %s%s%s: %s\n", what, name != NULL ? " " : "",
            name != NULL ? name : "", why);
    return TOOL_FAILED;
}

/* The world at tick 0, alone in its history. */
static bool init(demo_state *demo, const demo_options *options)
{
    size_t size = es_history_memory_size(sizeof(demo_scene));
    demo->history_memory = malloc(size);
    if (es_history_init(&demo->history, demo->history_memory, size, sizeof(demo_scene)) != ES_OK) {
        return false;
    }
    demo_scene_init(es_history_current(&demo->history), (uint32_t)options->seed);
    es_history_reset(&demo->history, 0);
    demo->shown = es_history_current(&demo->history);
    demo->input.pointer = (demo_point){DEMO_WIDTH / 2.0, DEMO_HEIGHT / 2.0};
    demo->set = options->set;
    demo->set.tick_rate = options->loop.tick_rate;
    demo->set.interpolate = !options->no_interpolation;
    demo->set.hud = true;
    return demo_stats_init(&demo->stats, &demo->clock);
}

/* Shows the world once, so that the first frame need not pay for loading fonts and drivers. */
static void warm_up(demo_state *demo)
{
    show_keys(demo, demo->hud.keys);
    for (int i = 0; i < DEMO_HUD_FIGURES; ++i) {
        demo_hud_put(&demo->hud.figures[i], NULL, "", false, "0123456789.");
    }
    if (draw_picture(demo, &demo->canvas, demo->view.fit(&demo->view), true)) {
        demo->view.present(&demo->view, demo->canvas.image);
    }
}

/* Runs until somebody quits or the time is up. false: it had to stop. */
static bool run(demo_state *demo, const es_loop_config *config, int64_t run_ns)
{
    es_loop_config own = *config;
    if (own.interval_ns == 0) {
        own.interval_ns = demo->view.refresh_ns; /* 0 where it is not known: the default */
    }
    es_loop_init(&demo->loop, &own, NULL); /* the configuration has been validated */
    watch_stop_signals();
    warm_up(demo);
    demo_stats_restart(&demo->stats);
    int64_t end_ns = es_ns_add(demo->clock.now_ns(demo->clock.user), run_ns);
    while (!has_ended(demo)) {
        if (!run_frame(demo)) {
            return false;
        }
        demo->quit |= run_ns >= 0 && demo->clock.now_ns(demo->clock.user) >= end_ns;
    }
    return true;
}

/* The last frame once more; as large as the world where the view was too small to read. */
static int save_screenshot(demo_state *demo, const char *path)
{
    demo_canvas canvas = {0};
    bool small = demo->view.text != NULL;
    demo_fit fit = small ? demo_fit_make(DEMO_WIDTH, DEMO_HEIGHT, DEMO_HEIGHT) : demo->canvas.fit;
    bool drawn = draw_picture(demo, &canvas, fit, demo->set.hud);
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
        if (!demo_stats_write(&demo->stats, told, options->report)) {
            status = fail("cannot write", options->report, strerror(errno));
            told->report = NULL;
        }
    }
    if (options->report == NULL || strcmp(options->report, "-") != 0) {
        demo_stats_print(&demo->stats, told, stdout);
    }
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

static bool parse_delay(const char *text, void *ticks)
{
    char *end;
    double value = strtod(text, &end);
    *(double *)ticks = value;
    return end != text && *end == '\0' && value >= 0.0 && value <= 8.0;
}

static int parse_options(demo_options *options, int argc, char **argv)
{
    static const char duration[] = "a duration such as 3ms, 250us or 1.5s";
    es_loop_config *loop = &options->loop;
    const tool_option table[] = {
            {"window", NULL, NULL, &options->window, NULL, "show it in a window"},
            {"terminal", NULL, NULL, &options->terminal, NULL, "show it in this terminal"},
            {"headless", NULL, NULL, &options->headless, NULL, "draw it and show it nowhere"},
            {"seconds", "S", tool_parse_seconds, &options->run_ns, "a time such as 5 or 500ms",
                    "stop after this long (headless: 5; else never)"},
            {"tick-rate", "RATE", tool_parse_rate, &loop->tick_rate,
                    "a rate such as 60 or 60000/1001", "ticks per second (60)"},
            {"interval", "DURATION", tool_parse_duration, &loop->interval_ns, duration,
                    "render interval to start with (the display's, else 1/60 s)"},
            {"delay", "TICKS", parse_delay, &loop->delay_ticks, "a number of ticks, 0 to 8",
                    "how far the picture stays behind (0)"},
            {"vsync", NULL, NULL, &options->vsync, NULL, "window: ask the display to pace it too"},
            {"no-interpolation", NULL, NULL, &options->no_interpolation, NULL,
                    "draw the newest tick as it is"},
            {"render-cost", "DURATION", tool_parse_duration, &options->set.render_cost_ns, duration,
                    "keep the CPU busy for this long per frame"},
            {"update-cost", "DURATION", tool_parse_duration, &options->set.update_cost_ns, duration,
                    "keep the CPU busy for this long per tick"},
            {"spikes", NULL, NULL, &options->set.spikes, NULL, "40 ms more in every 60th frame"},
            {"report", "FILE.json", tool_parse_text, &options->report, "a file name",
                    "write what was measured; - is stdout"},
            {"screenshot", "FILE.png", tool_parse_text, &options->screenshot, "a file name",
                    "write the last frame"},
            {"seed", "N", tool_parse_count, &options->seed, "a whole number from 0",
                    "another world (1)"},
    };
    return tool_options("demo",
            "Shows a scene in which judder is easy to see, with every setting under a key.\n"
            "Without --window, --terminal or --headless: the first of these that works.",
            table, sizeof table / sizeof table[0], argc, argv);
}

static int check_options(const demo_options *options)
{
    es_error error;
    if (options->window + options->terminal + options->headless > 1) {
        return tool_usage("demo", "choose one of --window, --terminal and --headless");
    }
    if (es_loop_config_validate(&options->loop, &error) != ES_OK) {
        return tool_usage("demo", "%s %s", tool_option_of(error.field), error.reason);
    }
    if (options->loop.interval_ns > ES_NS_PER_S) {
        return tool_usage("demo", "--interval must be at most 1s: nobody could press a key");
    }
    if (options->screenshot != NULL && strcmp(options->screenshot, "-") == 0) {
        return tool_usage("demo", "--screenshot takes the name of a file");
    }
    return TOOL_OK;
}

static void finish(demo_state *demo)
{
    if (demo == NULL) {
        return;
    }
    demo_canvas_finish(&demo->canvas);
    demo_stats_finish(&demo->stats);
    free(demo->history_memory);
    free(demo);
}

static int open_view(demo_state *demo, const demo_options *options)
{
    char why[DEMO_WHY_SIZE];
    if (!options->window && !options->terminal && !options->headless) {
        demo->view = demo_view_open_best(options->vsync);
        return TOOL_OK;
    }
    demo->view = options->window     ? demo_view_window(options->vsync)
                 : options->terminal ? demo_view_terminal()
                                     : demo_view_headless();
    return demo_view_open(&demo->view, why) ? TOOL_OK
                                            : fail("cannot open the", demo->view.name, why);
}

static int show(demo_state *demo, demo_options *options)
{
    if (open_view(demo, options) != TOOL_OK) {
        return TOOL_FAILED;
    }
    if (options->run_ns < 0 && strcmp(demo->view.name, "headless") == 0) {
        options->run_ns = HEADLESS_DEFAULT_NS; /* nobody could press q */
    }
    bool good = run(demo, &options->loop, options->run_ns);
    demo_stats_stop(&demo->stats);
    demo_run told = {.view = demo->view.name, .tick_rate = demo->set.tick_rate};
    snprintf(told.shows, sizeof told.shows, "%s", demo->view.shows);
    demo->view.close(&demo->view);
    int status = tell(demo, options, &told);
    return good ? status : fail("had to stop", NULL, "the view is gone, or out of memory");
}

int tool_demo(int argc, char **argv)
{
    es_error error;
    demo_options options = {.run_ns = -1, .seed = 1, .loop.tick_rate = es_hz(60)};
    int status = parse_options(&options, argc, argv);
    status = status == TOOL_OK ? check_options(&options) : status;
    if (status != TOOL_OK) {
        return status == TOOL_HELP_SHOWN ? TOOL_OK : status;
    }
    if (es_layout_validate(demo_scene_layout(), &error) != ES_OK) {
        return fail("the scene's layout is wrong", error.field, error.reason);
    }
    demo_state *demo = calloc(1, sizeof *demo);
    bool ready = demo != NULL && es_clock_system(&demo->clock) == ES_OK && init(demo, &options);
    status = ready ? show(demo, &options) : fail("cannot start", NULL, "no memory or no clock");
    finish(demo);
    return status;
}
