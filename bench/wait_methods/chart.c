/* SPDX-License-Identifier: Zlib
 *
 * Where the waits of each method end: a row per method. On the left how the distances from the
 * deadline are spread, from 10 ns to 100 ms on a log scale; on the right what it cost, on another.
 */
#include "wait.h"

#include "svg.h"

#include <math.h>
#include <stdlib.h>

static const char style[] =
        ".ours{fill:#1f5f9e}.others{fill:#8b949e}.ref{fill:#b0620e}\n"
        ".p50{stroke:#1f2328;stroke-width:1.6}"
        ".p90{stroke:#1f2328;stroke-width:1.4;stroke-dasharray:3 2}\n"
        "@media (prefers-color-scheme:dark){.ours{fill:#79b8ff}.others{fill:#768390}"
        ".ref{fill:#e3a869}"
        ".p50,.p90{stroke:#e6edf3}}\n";

enum { DECADES = 7, BINS_PER_DECADE = 12, BINS = DECADES * BINS_PER_DECADE };

static const double least_ns = 10.0; /* the left end: less than a reading of the clock takes */
static const double left = 216.0;
static const double spread_width = 462.0;
static const double cpu_left = 884.0;
static const double cpu_width = 96.0;
static const double cpu_decades = 3.0; /* from 0.1 to 100 % */
static const double right = 1060.0;
static const double top = 116.0;
static const double row_height = 40.0;
static const double pane_height = 34.0;

typedef struct chart {
    svg drawing;
    const wait_plan *plan;
    const wait_outcome *outcome;
} chart;

static double place_of(double ns)
{
    double place = ns > least_ns ? log10(ns / least_ns) / DECADES : 0.0;
    return place < 1.0 ? place : 1.0;
}

static double x_of(double ns)
{
    return left + spread_width * place_of(ns);
}

static double cpu_x_of(double percent)
{
    double place = percent > 0.1 ? log10(percent / 0.1) / cpu_decades : 0.0;
    return cpu_left + cpu_width * (place < 1.0 ? place : 1.0);
}

/* "10 ns", "1 us", "100 ms" */
static void put_axis_label(chart *c, int decade, double y)
{
    static const char *labels[DECADES + 1] = {"10 ns", "100 ns", "1 \xc2\xb5s", "10 \xc2\xb5s",
            "100 \xc2\xb5s", "1 ms", "10 ms", "100 ms"};
    double x = left + spread_width * decade / DECADES;
    svg_text(&c->drawing, "small soft middle", x, y, "%s", labels[decade]);
}

static const char *class_of(const chart *c, size_t method)
{
    return c->plan->methods[method] == wait_method_at(0) ? "ours"
           : method == c->plan->reference                ? "ref"
                                                         : "others";
}

/* The height is the square root of the share, so that rare waits are visible, too. */
static void put_spread(chart *c, size_t method, const int64_t *sorted, size_t count, double y)
{
    size_t bins[BINS] = {0};
    for (size_t i = 0; i < count; ++i) {
        size_t bin = (size_t)(place_of((double)sorted[i]) * BINS);
        bins[bin < BINS ? bin : BINS - 1] += 1;
    }
    for (size_t i = 0; i < BINS; ++i) {
        double height = pane_height * sqrt((double)bins[i] / (double)count);
        if (bins[i] > 0) {
            svg_rect(&c->drawing, class_of(c, method), left + spread_width * (double)i / BINS,
                    y + pane_height - height, spread_width / BINS, height);
        }
    }
}

static void put_mark(chart *c, const char *classes, int64_t ns, double y)
{
    double x = x_of((double)ns);
    svg_line(&c->drawing, classes, x, y, x, y + pane_height);
}

static void put_numbers(chart *c, const wait_figures *f, double y)
{
    const int64_t values_ns[] = {f->p50_ns, f->p90_ns, f->p99_ns};
    for (int i = 0; i < 3; ++i) {
        char text[32];
        svg_text(&c->drawing, "end", left + spread_width + 56.0 + 62.0 * i, y, "%s",
                wait_format_us(text, sizeof text, values_ns[i]));
    }
}

static void put_cpu(chart *c, size_t method, double y)
{
    double percent = wait_cpu_percent(&c->outcome->figures[method]);
    svg_rect(&c->drawing, "pane", cpu_left, y, cpu_width, pane_height);
    svg_rect(&c->drawing, class_of(c, method), cpu_left, y + 10.0, cpu_x_of(percent) - cpu_left,
            pane_height - 20.0);
    svg_text(&c->drawing, "end", right - 18.0, y + 22.0, "%.*f %%", percent < 9.995 ? 2 : 1,
            percent);
}

static void put_grid(chart *c, double y)
{
    svg_rect(&c->drawing, "pane", left, y, spread_width, pane_height);
    for (int i = 1; i < DECADES; ++i) {
        double x = left + spread_width * i / DECADES;
        svg_line(&c->drawing, "grid", x, y, x, y + pane_height);
    }
}

static bool put_row(chart *c, size_t method, double y)
{
    const wait_figures *f = &c->outcome->figures[method];
    char early[48] = "";
    char missed[48] = "";
    size_t count;
    int64_t *sorted = wait_distances(c->outcome, method, &count);
    if (sorted == NULL) {
        return false;
    }
    if (f->early > 0) {
        snprintf(early, sizeof early, ", %zu early", f->early);
    }
    if (f->missed > 0) {
        snprintf(missed, sizeof missed, ", %zu missed", f->missed);
    }
    svg_text(&c->drawing, "end bold", left - 10.0, y + 15.0, "%s", c->plan->methods[method]->name);
    svg_text(&c->drawing, "small soft end", left - 10.0, y + 29.0, "n = %zu%s%s", count, early,
            missed);
    put_grid(c, y);
    if (count > 0) {
        put_spread(c, method, sorted, count, y);
        put_mark(c, "p50", f->p50_ns, y);
        put_mark(c, "p90", f->p90_ns, y);
        put_numbers(c, f, y + 22.0);
        put_cpu(c, method, y);
    }
    free(sorted);
    return true;
}

static void put_axes(chart *c, double y)
{
    static const char *shares[] = {"0.1", "1", "10", "100"};
    for (int i = 0; i <= DECADES; ++i) {
        put_axis_label(c, i, y);
    }
    for (int i = 0; i <= (int)cpu_decades; ++i) {
        svg_text(&c->drawing, "small soft middle", cpu_left + cpu_width * i / cpu_decades, y, "%s",
                shares[i]);
    }
}

static void put_head(chart *c)
{
    static const char *headings[] = {"p50 \xc2\xb5s", "p90 \xc2\xb5s", "p99 \xc2\xb5s"};
    char text[512];
    svg_text(&c->drawing, "big", 18.0, 30.0, "How far from its deadline a wait ends, and its cost");
    svg_text(&c->drawing, "small soft", 18.0, 49.0, "%s",
            wait_describe(c->outcome, text, sizeof text));
    svg_text(&c->drawing, "small soft", 18.0, 64.0, "%s",
            wait_describe_machine(c->outcome, text, sizeof text));
    svg_text(&c->drawing, "small soft", 18.0, 79.0, "%s", c->outcome->clock.description);
    for (int i = 0; i < 3; ++i) {
        svg_text(&c->drawing, "small bold end", left + spread_width + 56.0 + 62.0 * i, top - 8.0,
                "%s", headings[i]);
    }
    svg_text(&c->drawing, "small bold", left, top - 8.0,
            "share of the waits (height: its square root); line: p50, dashed: p90");
    svg_text(&c->drawing, "small bold", cpu_left, top - 8.0, "CPU %% (log)");
}

bool wait_draw(const void *user, const char *path)
{
    const wait_outcome *outcome = user;
    const wait_plan *plan = outcome->plan;
    chart c = {.plan = plan, .outcome = outcome};
    double bottom = top + row_height * (double)plan->method_count;
    if (!svg_open(&c.drawing, path, right, bottom + 34.0, "bench_wait_methods", style)) {
        return false;
    }
    bool good = true;
    put_head(&c);
    for (size_t i = 0; good && i < plan->method_count; ++i) {
        good = put_row(&c, i, top + row_height * (double)i);
    }
    put_axes(&c, bottom + 12.0);
    return svg_close(&c.drawing) && good;
}
