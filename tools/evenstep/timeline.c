/* SPDX-License-Identifier: Zlib
 *
 * `evenstep timeline`: a loop with given costs on a manual clock, through the public calls.
 *
 * The notation: U5 runs the tick whose time is 5 ms, W16 waits for the frame that shows 16 ms, R16
 * renders it. Frame 0 starts at once, so it has no W.
 */
#include "tool.h"

#include "evenstep/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_COSTS_MAX = 64, FRAMES_MAX = 1000000 };

/* The render cost of one frame, in place of --render. */
typedef struct frame_cost {
    int64_t frame;
    int64_t cost_ns;
} frame_cost;

typedef struct frame_costs {
    frame_cost entries[FRAME_COSTS_MAX];
    size_t count;
} frame_costs;

typedef struct timeline {
    es_loop_config config;
    int64_t render_ns;
    int64_t update_ns;
    int64_t present_ns;
    int64_t until_ns;
    frame_costs exceptions;
    bool verbose;
    /* while it runs */
    es_manual_clock clock;
    es_loop loop;
    bool table; /* print rows; else the one line */
    bool first;
} timeline;

/* --- printing --------------------------------------------------------------------------------- */

static void print_word(timeline *line, char what, int64_t label_ns)
{
    char label[32];
    printf("%s%c%s", line->first ? "" : " ", what, tool_format_ms(label, label_ns));
    line->first = false;
}

static void print_row(char what, int64_t label_ns, int64_t actual_ns, const es_frame *frame)
{
    char label[32];
    char actual[32];
    char interval[32];
    char dropped[32];
    printf("%c%-12s %12s", what, tool_format_ms(label, label_ns),
            tool_format_ms(actual, actual_ns));
    if (frame != NULL) {
        printf(" %12s %10.6g %12s %12s", label, frame->alpha,
                tool_format_ms(interval, frame->interval_ns),
                tool_format_ms(dropped, frame->dropped_ns));
    }
    putchar('\n');
}

/* Events from --until on are left out. */
static void print_event(
        timeline *line, char what, int64_t label_ns, int64_t actual_ns, const es_frame *frame)
{
    if (actual_ns >= line->until_ns) {
        return;
    }
    if (line->table) {
        print_row(what, label_ns, actual_ns, frame);
    } else {
        print_word(line, what, label_ns);
    }
}

/* --- running ---------------------------------------------------------------------------------- */

static int64_t render_cost_ns(const timeline *line, int64_t frame)
{
    for (size_t i = line->exceptions.count; i > 0; --i) {
        if (line->exceptions.entries[i - 1].frame == frame) {
            return line->exceptions.entries[i - 1].cost_ns;
        }
    }
    return line->render_ns;
}

static void run_frame(timeline *line)
{
    es_step step;
    es_frame frame;
    es_loop_begin(&line->loop);
    while (es_loop_tick(&line->loop, &step)) {
        print_event(line, 'U', step.time_ns, line->clock.now_ns, NULL);
        es_manual_clock_work(&line->clock, line->update_ns);
    }
    int64_t wait_from_ns = line->clock.now_ns;
    es_loop_ready(&line->loop, &frame);
    if (frame.index > 0) {
        print_event(line, 'W', frame.content_ns, wait_from_ns, NULL);
    }
    print_event(line, 'R', frame.content_ns, line->clock.now_ns, &frame);
    es_manual_clock_work(&line->clock, render_cost_ns(line, frame.index));
    es_loop_submit(&line->loop);
    line->clock.now_ns = es_ns_add(line->clock.now_ns, line->present_ns);
    es_loop_end(&line->loop);
}

static int run(timeline *line, bool table)
{
    es_error error;
    es_manual_clock at_zero = {0};
    line->clock = at_zero;
    line->config.clock = es_manual_clock_get(&line->clock);
    line->first = true;
    line->table = table;
    if (es_loop_init(&line->loop, &line->config, &error) != ES_OK) {
        return tool_usage("timeline", "%s %s", tool_option_of(error.field), error.reason);
    }
    if (table) {
        printf("%-13s %12s %12s %10s %12s %12s\n", "event", "actual ms", "content ms", "alpha",
                "interval ms", "dropped ms");
    }
    int64_t frames = 0;
    while (line->clock.now_ns < line->until_ns && frames++ < FRAMES_MAX) {
        run_frame(line);
    }
    if (!table) {
        putchar('\n');
    }
    if (line->clock.now_ns < line->until_ns) {
        fprintf(stderr, "evenstep timeline: stopped after %d frames\n", FRAMES_MAX);
        return TOOL_FAILED;
    }
    return TOOL_OK;
}

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_loop(const char *text, void *target)
{
    (void)target;
    return strcmp(text, "adaptive") == 0;
}

static bool parse_period(const char *text, void *rate)
{
    int64_t period_ns;
    if (!tool_parse_duration(text, &period_ns)) {
        return false;
    }
    *(es_rate *)rate = es_rate_from_period_ns(period_ns);
    return es_rate_is_valid(*(es_rate *)rate);
}

static bool parse_ticks(const char *text, void *target)
{
    char *end;
    *(double *)target = strtod(text, &end);
    return end != text && *end == '\0';
}

/* "2:20ms" */
static bool parse_frame_cost(const char *text, void *target)
{
    frame_costs *costs = target;
    char number[16];
    int32_t frame;
    const char *colon = strchr(text, ':');
    if (colon == NULL || (size_t)(colon - text) >= sizeof number
            || costs->count == FRAME_COSTS_MAX) {
        return false;
    }
    memcpy(number, text, (size_t)(colon - text));
    number[colon - text] = '\0';
    frame_cost *entry = &costs->entries[costs->count];
    if (!tool_parse_count(number, &frame) || !tool_parse_duration(colon + 1, &entry->cost_ns)) {
        return false;
    }
    entry->frame = frame;
    costs->count += 1;
    return true;
}

static int parse_options(timeline *line, int argc, char **argv)
{
    static const char duration[] = "a duration such as 3ms, 250us or 1.5s";
    es_loop_config *config = &line->config;
    const tool_option options[] = {
            {"loop", "NAME", parse_loop, NULL, "adaptive (the only loop so far)",
                    "which loop: adaptive"},
            {"render", "DURATION", tool_parse_duration, &line->render_ns, duration,
                    "cost of rendering a frame (3ms)"},
            {"update", "DURATION", tool_parse_duration, &line->update_ns, duration,
                    "cost of one tick (1ms)"},
            {"present", "DURATION", tool_parse_duration, &line->present_ns, duration,
                    "how long presenting blocks (0)"},
            {"frame-cost", "N:DURATION", parse_frame_cost, &line->exceptions,
                    "a frame and its cost such as 2:20ms (at most 64)",
                    "rendering cost of frame N, counted from 0; may be repeated"},
            {"tick", "DURATION", parse_period, &config->tick_rate, duration,
                    "simulated time per tick (5ms)"},
            {"tick-rate", "RATE", tool_parse_rate, &config->tick_rate,
                    "a rate such as 60 or 60000/1001", "ticks per second, in place of --tick"},
            {"interval", "DURATION", tool_parse_duration, &config->interval_ns, duration,
                    "render interval to start with (1/60 s)"},
            {"interval-min", "DURATION", tool_parse_duration, &config->interval_min_ns, duration,
                    "it may shrink to this (the starting interval)"},
            {"interval-max", "DURATION", tool_parse_duration, &config->interval_max_ns, duration,
                    "it may grow to this (50ms, or the interval if that is more)"},
            {"max-ticks", "N", tool_parse_count, &config->ticks_max, "a number of ticks",
                    "most ticks per frame (enough for 100 ms)"},
            {"delay", "TICKS", parse_ticks, &config->delay_ticks, "a number of ticks, 0 to 8",
                    "how far the picture stays behind (0)"},
            {"until", "DURATION", tool_parse_duration, &line->until_ns, duration,
                    "leave out events from this actual time on (100ms)"},
            {"verbose", NULL, NULL, &line->verbose, NULL,
                    "a table too: actual time, alpha, interval, dropped time"},
    };
    return tool_options("timeline",
            "Prints what a loop does with given costs, on a virtual clock.\n"
            "U5 runs the tick whose time is 5 ms; W16 waits for, R16 renders the frame that shows "
            "16 ms.",
            options, sizeof options / sizeof options[0], argc, argv);
}

int tool_timeline(int argc, char **argv)
{
    timeline line = {0};
    line.render_ns = 3 * ES_NS_PER_MS;
    line.update_ns = ES_NS_PER_MS;
    line.until_ns = 100 * ES_NS_PER_MS;
    line.config.tick_rate = es_hz(200);
    int status = parse_options(&line, argc, argv);
    if (status != TOOL_OK) {
        return status == TOOL_HELP_SHOWN ? TOOL_OK : status;
    }
    status = run(&line, false);
    if (status == TOOL_OK && line.verbose) {
        status = run(&line, true);
    }
    return status;
}
