/* SPDX-License-Identifier: Zlib
 *
 * `evenstep timeline`: a loop with given costs on the lab's machine, event by event.
 *
 * The notation: U5 runs the tick whose time is 5 ms, W16 waits for the frame that shows 16 ms, R16
 * renders it. Frame 0 starts at once, so it has no W.
 */
#include "choice.h"
#include "svg.h"

#include <stdlib.h>

enum { FRAME_COSTS_MAX = 64, FRAMES_MAX = 1000000, DRAW_MS_MAX = 2000 };

typedef struct timeline_event {
    lab_event_kind kind;
    int64_t frame;
    int64_t time_ns;
    int64_t value_ns; /* updates: the tick's time; rendering, and waiting for it: content */
    bool named;       /* of a wait: its frame was rendered */
} timeline_event;

typedef struct timeline_log {
    timeline_event *events; /* in the order of the lab's reports: flips come early */
    size_t count;
    size_t capacity;
    bool out_of_memory;
} timeline_log;

typedef struct timeline {
    const lab_loop *loop;
    int64_t cap_ns; /* the interval of a frame cap; 0: none */
    es_rate tick_rate;
    int64_t render_ns;
    int64_t update_ns;
    int64_t until_ns;
    lab_cost_at exceptions[FRAME_COSTS_MAX];
    size_t exception_count;
    refresh screen; /* rate {0, 0} and not variable: none */
    const char *svg;
    /* while it runs */
    es_loop_config config;
    lab_machine machine;
    timeline_log log;
} timeline;

/* --- events ----------------------------------------------------------------------------------- */

static void on_event(void *user, const lab_event *event)
{
    timeline *line = user;
    timeline_log *log = &line->log;
    timeline_event kept = {.kind = event->kind,
            .frame = event->frame,
            .time_ns = event->time_ns,
            .value_ns = event->value_ns};
    bool renders = event->kind == LAB_EVENT_RENDER;
    if (line->svg == NULL && !renders && event->kind != LAB_EVENT_UPDATE
            && event->kind != LAB_EVENT_WAIT) {
        return;
    }
    /* a wait has the name of the frame that it waits for, which is known from here on */
    for (size_t i = log->count; renders && i > 0 && log->events[i - 1].kind != kept.kind; --i) {
        if (log->events[i - 1].kind == LAB_EVENT_WAIT) {
            log->events[i - 1].value_ns = event->value_ns;
            log->events[i - 1].named = true;
            log->events[i - 1].frame = event->frame;
        }
    }
    if (!lab_reserve(&log->events, &log->capacity, log->count, sizeof kept)) {
        log->out_of_memory = true;
        return;
    }
    log->events[log->count++] = kept;
}

/* 'U', 'W' or 'R'; 0: not printed. Frame 0 begins at once. */
static char letter_of(const timeline *line, const timeline_event *event)
{
    bool in_time = event->time_ns < line->until_ns;
    bool waits = event->kind == LAB_EVENT_WAIT && event->named && event->frame > 0;
    return !in_time                          ? '\0'
           : event->kind == LAB_EVENT_UPDATE ? 'U'
           : event->kind == LAB_EVENT_RENDER ? 'R'
           : waits                           ? 'W'
                                             : '\0';
}

static void print_line(const timeline *line)
{
    const char *space = "";
    for (size_t i = 0; i < line->log.count; ++i) {
        const timeline_event *event = &line->log.events[i];
        char label[32], letter = letter_of(line, event);
        if (letter != '\0') {
            printf("%s%c%s", space, letter, tool_format_ms(label, event->value_ns));
            space = " ";
        }
    }
    putchar('\n');
}

/* --- the drawing: a row per kind of event, time to the right ---------------------------------- */

static const char style[] =
        ".render{fill:#2f6fb3}.update{fill:#d98a00}.wait{fill:#d0d7de}.present{fill:#7b5ea7}\n"
        ".shown{fill:#128069}.shown2{fill:#4fb39c}.on{fill:#ffffff;font-size:11px}\n"
        ".on2{fill:#ffffff;font-size:9.5px}.dim{fill:#3d444d;font-size:11px}.dim2{fill:#3d444d;"
        "font-size:9.5px}\n"
        ".refresh{stroke:#c2410c;stroke-width:1.5}.way{stroke:#128069;stroke-width:1}\n"
        "@media (prefers-color-scheme:dark){.wait{fill:#444c56}"
        ".dim,.dim2{fill:#cdd9e5}.refresh{stroke:#f0883e}.way{stroke:#56d4b0}}\n";

enum { ROW_RENDER, ROW_UPDATES, ROW_WAIT, ROW_PRESENT, ROW_SCREEN, ROW_COUNT };

static const double left = 92.0;
static const double right = 24.0;
static const double top = 78.0;
static const double row_height = 28.0;
static const double row_pitch = 38.0;

typedef struct chart {
    svg drawing;
    const timeline_log *log;
    const lab_screen *screen;
    int64_t until_ns;
    double px_per_ms;
    int64_t shown_ns; /* of the last flip, and what it shows */
    int64_t shows_ns;
    int64_t flips;
} chart;

static double x_of(const chart *p, int64_t time_ns)
{
    int64_t clipped_ns = time_ns < p->until_ns ? time_ns : p->until_ns;
    return left + (double)clipped_ns / 1e6 * p->px_per_ms;
}

static double y_of(int row)
{
    return top + row_pitch * row;
}

/* To 0.01 ms. */
static char *format_label(char *buffer, int64_t ns)
{
    int64_t unit_ns = ES_NS_PER_MS / 100;
    int64_t half_ns = ns < 0 ? -unit_ns / 2 : unit_ns / 2;
    return tool_format_ms(buffer, (ns + half_ns) / unit_ns * unit_ns);
}

/* A label in a box: upright if it fits, else its number from bottom to top, else none. */
static void put_label(
        chart *p, const char *classes, char what, int64_t ns, double x, double width, int row)
{
    char number[32];
    char text[40];
    format_label(number, ns);
    snprintf(text, sizeof text, "%.1s%s", what != '\0' ? &what : "", number);
    double center = x + width / 2.0;
    char centred[32];
    snprintf(centred, sizeof centred, "%s middle", classes);
    if ((double)strlen(text) * 7.0 + 3.0 <= width) {
        svg_text(&p->drawing, centred, center, y_of(row) + row_height / 2.0 + 4.0, "%s", text);
    } else if (width >= 10.0 && (double)strlen(number) * 6.2 <= row_height) {
        snprintf(centred, sizeof centred, "%s2 middle", classes);
        svg_text_up(&p->drawing, centred, center + 3.5, y_of(row) + row_height / 2.0, number);
    }
}

static void put_box(chart *p, const char *classes, const char *label_class,
        const timeline_event *from, int64_t end_ns, char what, int row)
{
    double x = x_of(p, from->time_ns);
    double width = x_of(p, end_ns) - x;
    if (from->time_ns >= p->until_ns || width <= 0.0) {
        return;
    }
    /* a hair of space between boxes that touch */
    svg_rect(&p->drawing, classes, x, y_of(row), width > 2.0 ? width - 0.8 : width, row_height);
    if (what != '\0') {
        put_label(p, label_class, what, from->value_ns, x, width, row);
    }
}

static void put_frame_line(chart *p, const timeline_event *render)
{
    char content[32];
    double x = x_of(p, render->time_ns);
    if (render->time_ns >= p->until_ns) {
        return;
    }
    svg_line(&p->drawing, "thin", x, top - 14.0, x, y_of(ROW_COUNT) - 4.0);
    svg_text(&p->drawing, "small soft", x + 3.0, top - 8.0, "%s",
            format_label(content, render->value_ns));
}

/* --- the drawing's rows ----------------------------------------------------------------------- */

static void put_screen_box(chart *p, int64_t end_ns)
{
    timeline_event shown = {.time_ns = p->shown_ns, .value_ns = p->shows_ns};
    put_box(p, p->flips % 2 == 1 ? "shown" : "shown2", "on", &shown, end_ns, '\0', ROW_SCREEN);
    if (p->shown_ns < p->until_ns) {
        double x = x_of(p, p->shown_ns);
        put_label(p, "on", '\0', p->shows_ns, x, x_of(p, end_ns) - x, ROW_SCREEN);
    }
}

static void put_flip(chart *p, const timeline_event *flip, const timeline_event *render)
{
    if (p->flips > 0) {
        put_screen_box(p, flip->time_ns);
    }
    p->shown_ns = flip->time_ns;
    p->shows_ns = render->value_ns;
    p->flips += 1;
}

/* A frame's way from the end of its rendering to the screen. */
static void put_way(chart *p, const timeline_event *submit, const timeline_event *flip)
{
    if (flip->time_ns < p->until_ns && p->screen != NULL) {
        svg_line(&p->drawing, "way", x_of(p, submit->time_ns), y_of(ROW_RENDER) + row_height,
                x_of(p, flip->time_ns), y_of(ROW_SCREEN));
    }
}

/* Until the next update or rendering. */
static void put_wait(chart *p, size_t index)
{
    const timeline_event *wait = &p->log->events[index];
    const timeline_event *next = wait + 1, *end = p->log->events + p->log->count;
    while (next < end && next->kind != LAB_EVENT_RENDER && next->kind != LAB_EVENT_UPDATE) {
        next += 1;
    }
    put_box(p, "wait", "dim", wait, next < end ? next->time_ns : p->until_ns,
            wait->named ? 'W' : '\0', ROW_WAIT);
}

/* Below the boxes. */
static void put_lines(chart *p)
{
    timeline_event submit = {0};
    for (size_t i = 0; i < p->log->count; ++i) {
        const timeline_event *event = &p->log->events[i];
        if (event->kind == LAB_EVENT_RENDER) {
            put_frame_line(p, event);
        } else if (event->kind == LAB_EVENT_SUBMIT) {
            submit = *event;
        } else if (event->kind == LAB_EVENT_FLIP) {
            put_way(p, &submit, event);
        }
    }
}

static void put_rows(chart *p)
{
    timeline_event update = {0};
    timeline_event render = {0};
    timeline_event submit = {0};
    for (size_t i = 0; i < p->log->count; ++i) {
        const timeline_event *event = &p->log->events[i];
        switch (event->kind) {
        case LAB_EVENT_UPDATE:
            update = *event;
            break;
        case LAB_EVENT_UPDATE_DONE:
            put_box(p, "update", "on", &update, event->time_ns, 'U', ROW_UPDATES);
            break;
        case LAB_EVENT_WAIT:
            put_wait(p, i);
            break;
        case LAB_EVENT_RENDER:
            render = *event;
            break;
        case LAB_EVENT_SUBMIT:
            submit = *event;
            put_box(p, "render", "on", &render, event->time_ns, 'R', ROW_RENDER);
            break;
        case LAB_EVENT_FLIP:
            put_flip(p, event, &render);
            break;
        case LAB_EVENT_RETURN:
            put_box(p, "present", "on", &submit, event->time_ns, '\0', ROW_PRESENT);
            break;
        case LAB_EVENT_FRAME:
        case LAB_EVENT_POLL:
            break;
        }
    }
    if (p->flips > 0) {
        put_screen_box(p, p->until_ns);
    }
}

/* --- around the rows -------------------------------------------------------------------------- */

static void put_refreshes(chart *p)
{
    if (p->screen == NULL || p->screen->config.refresh != LAB_REFRESH_FIXED) {
        return;
    }
    double y = y_of(ROW_SCREEN);
    int64_t at_ns = lab_screen_next_refresh(p->screen, 0, NULL);
    while (at_ns < p->until_ns) {
        double x = x_of(p, at_ns);
        svg_line(&p->drawing, "refresh", x, y - 5.0, x, y + row_height + 5.0);
        at_ns = lab_screen_next_refresh(p->screen, at_ns + 1, NULL);
    }
}

static void put_axis(chart *p)
{
    static const int64_t steps_ms[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};
    size_t n = 0;
    while (n + 1 < sizeof steps_ms / sizeof steps_ms[0]
            && (double)steps_ms[n] * p->px_per_ms < 48.0) {
        n += 1;
    }
    double y = y_of(ROW_COUNT) + 4.0;
    svg_line(&p->drawing, "line", left, y, x_of(p, p->until_ns), y);
    for (int64_t ms = 0; ms * ES_NS_PER_MS <= p->until_ns; ms += steps_ms[n]) {
        double x = x_of(p, ms * ES_NS_PER_MS);
        svg_line(&p->drawing, "line", x, y, x, y + 5.0);
        svg_text(&p->drawing, "small soft middle", x, y + 18.0, "%lld", (long long)ms);
    }
    svg_text(&p->drawing, "small soft end", left - 12.0, y + 18.0, "time, ms");
}

static void put_names(chart *p)
{
    static const char *const names[ROW_COUNT] = {
            "render", "updates", "wait", "present", "on screen"};
    double width = x_of(p, p->until_ns) - left;
    for (int row = 0; row < ROW_COUNT; ++row) {
        svg_rect(&p->drawing, "pane", left, y_of(row), width, row_height);
        svg_text(&p->drawing, "end", left - 12.0, y_of(row) + row_height / 2.0 + 4.0, "%s",
                names[row]);
    }
    svg_text(&p->drawing, "small soft end", left - 12.0, top - 8.0, "shows, ms");
}

/* From time 0 to until_ns. screen: NULL: none; a fixed refresh gets its ticks. False: see errno. */
static bool draw(const timeline_log *log, const char *loop_title, const lab_screen *screen,
        int64_t until_ns, const char *path)
{
    chart p = {.log = log, .screen = screen, .until_ns = until_ns};
    double ms = (double)until_ns / 1e6;
    p.px_per_ms = ms > 0.0 ? 1000.0 / ms : 1.0;
    p.px_per_ms = p.px_per_ms > 40.0 ? 40.0 : p.px_per_ms < 12.0 ? 12.0 : p.px_per_ms;
    double width = left + ms * p.px_per_ms + right;
    width = width < 620.0 ? 620.0 : width;
    if (!svg_open(&p.drawing, path, width, y_of(ROW_COUNT) + 36.0, "evenstep timeline", style)) {
        return false;
    }
    svg_text(&p.drawing, "big", left, 28.0, "%s", loop_title);
    svg_text(&p.drawing, "small soft", left, 46.0,
            "U5: the update to 5 ms;  R16: rendering the world as it is at 16 ms;  on screen: "
            "the frame that is seen%s",
            screen != NULL && screen->config.refresh == LAB_REFRESH_FIXED
                    ? ", with the display's refreshes"
                    : "");
    put_names(&p);
    put_lines(&p);
    put_rows(&p);
    put_refreshes(&p);
    put_axis(&p);
    return svg_close(&p.drawing);
}

/* --- running ---------------------------------------------------------------------------------- */

static bool has_screen(const timeline *line)
{
    return line->screen.variable || line->screen.rate.numerator > 0;
}

static es_result start_machine(timeline *line, lab_refusal *error)
{
    lab_machine_config config = {0};
    config.scenario = lab_scenario_exact();
    config.scenario.update.base = (double)line->update_ns;
    config.scenario.render.base = (double)line->render_ns;
    config.scenario.render.at = line->exceptions;
    config.scenario.render.at_count = line->exception_count;
    if (has_screen(line)) {
        choice_set_refresh(&config.display, &line->screen);
    } else {
        config.display.refresh = LAB_REFRESH_NONE;
    }
    if ((line->loop->needs & LAB_NEEDS_FEEDBACK) != 0) {
        config.display.feedback = LAB_FEEDBACK_EXACT;
    }
    if (line->loop->kind != LAB_LOOP_OURS) {
        config.tick_rate = line->tick_rate; /* ours check it themselves, and name the option */
    }
    config.cap_ns = line->loop->kind != LAB_LOOP_OURS ? line->cap_ns : 0;
    config.observer.on_event = on_event;
    config.observer.user = line;
    return lab_machine_init(&line->machine, &config, error);
}

static es_result start_loop(timeline *line, void *state, lab_refusal *error)
{
    const lab_display *display = &line->machine.config.display;
    lab_loop_setup setup = {0};
    setup.tick_rate = line->tick_rate;
    setup.variable_refresh = display->refresh == LAB_REFRESH_VARIABLE;
    setup.targets = display->targets;
    if (has_screen(line)) {
        setup.refresh = display->announced;
    }
    setup.config = &line->config; /* only ours use it */
    return lab_loop_start(line->loop, state, &setup, &line->machine, error);
}

static int run_frames(timeline *line, void *state)
{
    int64_t frames = 0;
    while (lab_true_ns(&line->machine) < line->until_ns && frames++ < FRAMES_MAX) {
        lab_frame_begin(&line->machine);
        line->loop->frame(state, &line->machine);
    }
    if (!tool_is_stdout(line->svg)) {
        print_line(line);
    }
    if (line->log.out_of_memory) {
        return tool_fail("timeline", "out of memory");
    }
    if (lab_true_ns(&line->machine) < line->until_ns) {
        return tool_fail("timeline", "stopped after %d frames", FRAMES_MAX);
    }
    return TOOL_OK;
}

static int run(timeline *line)
{
    lab_refusal error;
    _Alignas(16) unsigned char state[LAB_LOOP_STATE_MAX] = {0};
    es_result result = start_machine(line, &error);
    if (result == ES_OK) {
        result = start_loop(line, state, &error);
    }
    int status = result == ES_OK ? run_frames(line, state) : TOOL_OK;
    lab_loop_stop(line->loop, state);
    if (result != ES_OK) {
        return tool_usage("timeline", "%s %s", tool_option_of(error.field), error.reason);
    }
    const lab_screen *screen = has_screen(line) ? &line->machine.screen : NULL;
    char title[160];
    snprintf(title, sizeof title, "%s", line->loop->title);
    choice_add_cap(title, sizeof title, line->cap_ns);
    if (status == TOOL_OK && line->svg != NULL
            && !draw(&line->log, title, screen, line->until_ns, line->svg)) {
        return tool_failed_to_write("timeline", line->svg);
    }
    return status;
}

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_period(const char *text, void *rate)
{
    int64_t period_ns;
    if (!tool_parse_duration(text, &period_ns)) {
        return false;
    }
    *(es_rate *)rate = rate_make((uint64_t)ES_NS_PER_S, (uint64_t)(period_ns));
    return rate_is_valid(*(es_rate *)rate) && period_ns >= ES_NS_PER_US;
}

/* "2:20ms" */
static bool parse_frame_cost(const char *text, void *target)
{
    timeline *line = target;
    char number[64];
    int32_t frame;
    const char *cost = tool_split(text, ":", number);
    if (cost == NULL || line->exception_count == FRAME_COSTS_MAX) {
        return false;
    }
    lab_cost_at *entry = &line->exceptions[line->exception_count];
    if (!tool_parse_count(number, &frame) || !choice_parse_cost(cost, &entry->cost_ns)) {
        return false;
    }
    entry->index = frame;
    line->exception_count += 1;
    return true;
}

static const char summary[] =
        "Prints what a loop does, event by event, with given costs, on a virtual clock.\n"
        "U5: an update runs the tick whose time is 5 ms. W16: the loop waits to render the frame\n"
        "that shows 16 ms. R16: it renders this frame.\n\n"
        "examples:\n"
        "  evenstep timeline --loop adaptive --cap 62.5 --tick 5ms --until 33ms\n"
        "  evenstep timeline --loop gaffer --refresh 60 --tick 20ms --svg gaffer.svg";

static int parse_options(timeline *line, int argc, char **argv)
{
    static const char duration[] = "a duration such as 3ms, 250us or 1.5s";
    const tool_option options[] = {
            {.help = "the loop"},
            {"loop", "NAME", choice_parse_loop, &line->loop, choice_loop_names(),
                    "which loop (auto); `evenstep lab --list` lists them"},
            {"tick", "DURATION", parse_period, &line->tick_rate, duration,
                    "simulated time per tick (5ms)"},
            {"cap", "HZ", choice_parse_cap, &line->cap_ns, choice_cap_text,
                    "most frames per second: interval_ns of ours, a sleep of others (none)"},
            {.help = "the program and its display"},
            {"render", "DURATION", choice_parse_cost, &line->render_ns, choice_cost_text,
                    "cost of rendering a frame (3ms)"},
            {"update", "DURATION", choice_parse_cost, &line->update_ns, choice_cost_text,
                    "cost of one tick (1ms)"},
            {"frame-cost", "N:DURATION", parse_frame_cost, line,
                    "a frame and its cost such as 2:20ms (at most 64)",
                    "rendering cost of frame N, counted from 0; may be repeated"},
            {"refresh", "RATE", choice_parse_refresh, &line->screen, choice_refresh_text,
                    "a display: 60, 59.94, vrr, 48-144 (none)"},
            {.help = "what to show"},
            {"until", "DURATION", tool_parse_duration, &line->until_ns, duration,
                    "the end of the run (100ms)"},
            {"svg", "FILE", tool_parse_text, &line->svg, "a file", "draw the events; - is stdout"},
    };
    return tool_options(
            "timeline", summary, options, sizeof options / sizeof options[0], argc, argv);
}

/* --- options together ------------------------------------------------------------------------- */

static void configure_ours(timeline *line)
{
    es_loop_config *config = &line->config;
    lab_loop_config(line->loop, config);
    config->tick_rate = line->tick_rate;
    config->interval_ns = line->cap_ns; /* 0 in each named loop */
}

static int check_together(timeline *line)
{
    const char *loop = line->loop->name;
    if ((line->loop->needs & LAB_NEEDS_FIXED) != 0 && line->screen.rate.numerator == 0) {
        return tool_usage("timeline", "loop %s needs a fixed --refresh", loop);
    }
    if (line->svg != NULL && line->until_ns > DRAW_MS_MAX * ES_NS_PER_MS) {
        return tool_usage(
                "timeline", "--svg: a drawing is at most %d ms long: give --until", DRAW_MS_MAX);
    }
    return TOOL_OK;
}

int tool_timeline(int argc, char **argv)
{
    timeline line = {.loop = lab_loop_find("auto"),
            .tick_rate = es_hz(200),
            .render_ns = 3 * ES_NS_PER_MS,
            .update_ns = ES_NS_PER_MS,
            .until_ns = 100 * ES_NS_PER_MS};
    int status = parse_options(&line, argc, argv);
    if (status == TOOL_OK) {
        status = check_together(&line);
    }
    if (status != TOOL_OK) {
        return status;
    }
    if (line.loop->kind == LAB_LOOP_OURS) {
        configure_ours(&line);
    }
    status = run(&line);
    free(line.log.events);
    return status;
}
