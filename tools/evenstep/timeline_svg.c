/* SPDX-License-Identifier: Zlib
 *
 * The drawing of a timeline: one row per kind of event, time to the right.
 */
#include "timeline.h"

#include "svg.h"
#include "tool.h"

#include <string.h>

static const char style[] =
        ".render{fill:#2f6fb3}.update{fill:#d98a00}.wait{fill:#d0d7de}.present{fill:#7b5ea7}\n"
        ".shown{fill:#128069}.shown2{fill:#4fb39c}.on{fill:#ffffff;font-size:11px}\n"
        ".on2{fill:#ffffff;font-size:9.5px}.dim{fill:#3d444d;font-size:11px}.dim2{fill:#3d444d;"
        "font-size:9.5px}\n"
        ".refresh{stroke:#c2410c;stroke-width:1.5}.way{stroke:#128069;stroke-width:1}\n"
        ".row{fill:#f6f8fa}\n"
        "@media (prefers-color-scheme:dark){.row{fill:#161b22}.wait{fill:#444c56}"
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

/* --- rows ------------------------------------------------------------------------------------- */

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

/* --- around them ------------------------------------------------------------------------------ */

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
        svg_rect(&p->drawing, "row", left, y_of(row), width, row_height);
        svg_text(&p->drawing, "end", left - 12.0, y_of(row) + row_height / 2.0 + 4.0, "%s",
                names[row]);
    }
    svg_text(&p->drawing, "small soft end", left - 12.0, top - 8.0, "shows, ms");
}

bool timeline_draw(const timeline_log *log, const char *loop_title, const lab_screen *screen,
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
