/* SPDX-License-Identifier: Zlib
 *
 * `bench_blend_error`: measures how far a blended frame is from the true motion.
 */
#include "blend.h"

#include "json.h"
#include "table.h"
#include "base/common.h"

#include <stdlib.h>

enum { JSON, SVG, FILES };

typedef struct blend {
    blend_results results;
    bool kinds;
    tool_file files[FILES];
} blend;

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_motion(const char *text, void *results)
{
    blend_results *r = results;
    return tool_choose(blend_motion_at, text, r->motions, &r->motion_count);
}

static bool parse_way(const char *text, void *results)
{
    blend_results *r = results;
    return tool_choose(blend_way_at, text, r->ways, &r->way_count);
}

static bool parse_motions(const char *text, void *results)
{
    return tool_parse_list(text, parse_motion, results);
}

static bool parse_ways(const char *text, void *results)
{
    return tool_parse_list(text, parse_way, results);
}

static bool parse_hertz(const char *text, void *rate)
{
    es_rate parsed;
    if (!tool_parse_rate(text, &parsed)) {
        return false;
    }
    *(es_rate *)rate = parsed;
    int64_t period_ns = es__rate_period_ns(parsed);
    return period_ns >= ES_NS_PER_MS && period_ns <= ES_NS_PER_S;
}

static bool parse_run(const char *text, void *int64_ns)
{
    return tool_parse_seconds(text, int64_ns) && *(int64_t *)int64_ns >= ES_NS_PER_S
           && *(int64_t *)int64_ns <= BLEND_SECONDS_MAX * ES_NS_PER_S;
}

static const char summary[] =
        "Measures how far blended frames are from the true motion. Runs the library on a manual "
        "clock\n"
        "over motions that are formulas, and compares each frame with the formula. Exit status 1:\n"
        "a frame is further off than its bound in docs/blending.md.\n\n"
        "examples:\n"
        "  bench_blend_error --motion bounce,stop\n"
        "  bench_blend_error --motion circle --show interpolate,hermite --svg error.svg";

static int parse_options(blend *b, int argc, char **argv)
{
    static const char file[] = "a file; - is stdout";
    static const char hertz[] = "a rate, 1 to 1000";
    char motions[256], ways[320];
    blend_results *r = &b->results;
    tool_names(motions, sizeof motions, "known motions: ", blend_motion_at);
    tool_names(ways, sizeof ways, "known ways: ", blend_way_at);
    const tool_option options[] = {
            {.help = "the motions, and the ways to show them"},
            {"motion", "NAMES", parse_motions, r, motions,
                    "a comma list: line, circle, bounce, ... (all)"},
            {"show", "NAMES", parse_ways, r, ways,
                    "a comma list of ways: interpolate, hermite, ... (all)"},
            {"tick-rate", "RATE", parse_hertz, &r->setup.tick_rate, hertz, "ticks per second (20)"},
            {"refresh", "RATE", parse_hertz, &r->setup.refresh, hertz, "frames per second (240)"},
            {"seconds", "S", parse_run, &r->setup.duration_ns, "seconds, 1 to 10",
                    "simulated time (2)"},
            {.help = "what to write"},
            {"kinds", NULL, NULL, &b->kinds, NULL,
                    "no table: --svg draws a curve of each kind through the same ticks"},
            {"json", "FILE", tool_parse_text, &b->files[JSON].path, file,
                    "the figures; - (or nothing, at the end of the line) is stdout"},
            {"svg", "FILE", tool_parse_text, &b->files[SVG].path, file,
                    "the error over time, and its bound; a row per motion"},
    };
    return tool_options(
            BLEND_COMMAND, summary, options, sizeof options / sizeof options[0], argc, argv);
}

static int check_together(blend *b)
{
    blend_results *r = &b->results;
    if (b->kinds && (r->motion_count > 0 || r->way_count > 0)) {
        return tool_usage(BLEND_COMMAND, "--motion and --show do not go with --kinds");
    }
    if (b->kinds && b->files[JSON].path != NULL) {
        return tool_usage(BLEND_COMMAND, "--kinds has no figures: it goes without --json");
    }
    if (b->kinds && b->files[SVG].path == NULL) {
        return tool_usage(BLEND_COMMAND, "--kinds is a drawing: give --svg");
    }
    if (es__rate_period_ns(r->setup.refresh) > es__rate_period_ns(r->setup.tick_rate)) {
        return tool_usage(BLEND_COMMAND, "--refresh must be at least --tick-rate");
    }
    if (r->motion_count == 0) {
        tool_choose(blend_motion_at, NULL, r->motions, &r->motion_count);
    }
    if (r->way_count == 0) {
        tool_choose(blend_way_at, NULL, r->ways, &r->way_count);
    }
    return tool_check_stdout(BLEND_COMMAND, b->files, FILES);
}

/* --- showing ---------------------------------------------------------------------------------- */

/* Three digits, of small values two. */
void blend_format_mm(char *text, size_t size, double metres)
{
    double mm = metres * 1e3;
    int decimals = mm >= 99.95      ? 0
                   : mm >= 9.995    ? 1
                   : mm >= 0.9995   ? 2
                   : mm >= 0.00995  ? 3
                   : mm >= 0.000995 ? 4
                                    : 5;
    bool nothing = mm < 0.00001;
    snprintf(text, size, "%.*f", nothing ? 0 : decimals, nothing ? 0.0 : mm);
}

void blend_format_length(char *text, size_t size, double metres)
{
    char number[32];
    bool small = metres < 0.0000995 && metres >= 1e-8;
    blend_format_mm(number, sizeof number, small ? metres * 1e3 : metres);
    snprintf(text, size, "%s %s", number, small ? "\xc2\xb5m" : "mm");
}

static void set_mm(table *t, size_t row, size_t column, double metres)
{
    char text[TABLE_CELL];
    blend_format_mm(text, sizeof text, metres);
    table_set(t, row, column, "%s", text);
}

static void describe(blend_results *r)
{
    char ticks[32];
    char frames[32];
    snprintf(r->title, sizeof r->title,
            "%s ticks/s, drawn at %s frames/s, %g s; objects move at about 10 m/s",
            tool_format_rate(ticks, r->setup.tick_rate), tool_format_rate(frames, r->setup.refresh),
            (double)r->setup.duration_ns / 1e9);
}

static void fill_rows(const blend_results *r, table *t)
{
    for (size_t m = 0, row = 0; m < r->motion_count; ++m) {
        table_set_row(t, row++, true, "%s: %s", r->motions[m]->name, r->motions[m]->title);
        for (size_t w = 0; w < r->way_count; ++w, ++row) {
            const blend_result *result = &r->items[m * r->way_count + w];
            table_set_row(t, row, false, "  %s", result->way->name);
            set_mm(t, row, 0, result->largest);
            set_mm(t, row, 1, result->mean);
            set_mm(t, row, 2, result->bound);
            set_mm(t, row, 3, result->jump);
            table_set(t, row, 4, "%.4g", result->delay_ms);
        }
    }
}

static int print_table(const blend_results *r)
{
    static const char *const headings[] = {
            "largest mm", "mean mm", "bound mm", "jump mm", "delay ms"};
    table t;
    if (!table_init(&t, 5, r->motion_count * (r->way_count + 1))) {
        return tool_fail(BLEND_COMMAND, "out of memory");
    }
    printf("%s\n\n"
           "largest  distance of the shown position from the true one at the same content time\n"
           "bound    the most it can be (docs/blending.md)\n"
           "jump     the largest step between two frames, less the nearest that the truth makes "
           "then\n"
           "delay    how long ago the shown instant was\n\n",
            r->title);
    for (size_t i = 0; i < 5; ++i) {
        table_set_column(&t, i, "", headings[i]);
    }
    fill_rows(r, &t);
    table_print(&t, stdout);
    table_finish(&t);
    return TOOL_OK;
}

static json_t *result_json(const blend_result *result)
{
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "motion",
            result->motion->name, "way", result->way->name, "frames",
            (json_int_t)result->frame_count, "largest_mm", tool_json_number(result->largest * 1e3),
            "mean_mm", tool_json_number(result->mean * 1e3), "bound_mm",
            tool_json_number(result->bound * 1e3), "jump_mm", tool_json_number(result->jump * 1e3),
            "delay_ms", tool_json_number(result->delay_ms), "within", (int)result->within);
}

static bool write_json(const void *user, const char *path)
{
    const blend_results *r = user;
    char ticks[32];
    char frames[32];
    json_t *motions = json_array(), *ways = json_array(), *items = json_array();
    for (size_t i = 0; i < r->motion_count; ++i) {
        const blend_motion *motion = r->motions[i];
        json_array_append_new(motions,
                json_pack("{s:s, s:s, s:o}", "name", motion->name, "title", motion->title, "speed",
                        tool_json_number(blend_motion_speed(motion, r->setup.duration_ns))));
    }
    for (size_t i = 0; i < r->way_count; ++i) {
        json_array_append_new(ways,
                json_pack("{s:s, s:s}", "name", r->ways[i]->name, "title", r->ways[i]->title));
    }
    for (size_t i = 0; i < r->motion_count * r->way_count; ++i) {
        json_array_append_new(items, result_json(&r->items[i]));
    }
    json_t *root = json_pack("{s:{s:s, s:s, s:o}, s:o, s:o, s:o}", "blend", "ticks_per_second",
            tool_format_rate(ticks, r->setup.tick_rate), "frames_per_second",
            tool_format_rate(frames, r->setup.refresh), "seconds",
            tool_json_number((double)r->setup.duration_ns / 1e9), "motions", motions, "ways", ways,
            "results", items);
    return tool_json_write(root, path);
}

/* Prints the motions and ways that are beyond their bounds. */
static int check_bounds(const blend_results *r)
{
    int status = TOOL_OK;
    for (size_t i = 0; i < r->motion_count * r->way_count; ++i) {
        const blend_result *result = &r->items[i];
        if (!result->within) {
            status = tool_fail(BLEND_COMMAND, "%s, %s: beyond its bound from %.4f s on",
                    result->motion->name, result->way->name, (double)result->beyond_ns / 1e9);
        }
    }
    return status;
}

static int run_all(blend *b)
{
    blend_results *r = &b->results;
    size_t count = r->motion_count * r->way_count;
    int status = TOOL_OK;
    r->items = calloc(count, sizeof *r->items);
    if (r->items == NULL) {
        return tool_fail(BLEND_COMMAND, "out of memory");
    }
    describe(r);
    for (size_t i = 0; i < count && status == TOOL_OK; ++i) {
        bool ran = blend_run(
                &r->setup, r->motions[i / r->way_count], r->ways[i % r->way_count], &r->items[i]);
        status = ran ? TOOL_OK : TOOL_FAILED;
    }
    if (status == TOOL_OK && tool_count_stdout(b->files, FILES) == 0) {
        status = print_table(r);
    }
    if (status == TOOL_OK) {
        status = tool_write_files(BLEND_COMMAND, b->files, FILES, r);
    }
    status = status == TOOL_OK ? check_bounds(r) : status;
    for (size_t i = 0; i < count; ++i) {
        blend_result_free(&r->items[i]);
    }
    free(r->items);
    return status;
}

static int run(int argc, char **argv)
{
    blend b = {.results.setup = {es_hz(20), es_hz(240), 2 * ES_NS_PER_S},
            .files = {{"json", NULL, write_json}, {"svg", NULL, blend_draw}}};
    tool_json_to_stdout(argc, argv);
    int status = parse_options(&b, argc, argv);
    status = status == TOOL_OK ? check_together(&b) : status;
    if (status != TOOL_OK) {
        return status;
    }
    return b.kinds ? blend_kinds(b.files[SVG].path) : run_all(&b);
}

int main(int argc, char **argv)
{
    tool_standalone();
    return tool_end(BLEND_COMMAND, run(argc, argv));
}
