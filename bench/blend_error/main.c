/* SPDX-License-Identifier: Zlib
 *
 * `bench_blend_error`: measures how far a blended frame is from the true motion.
 */
#include "blend.h"

#include "table.h"

#include <stdlib.h>
#include <string.h>

typedef struct blend {
    blend_setup setup;
    blend_results results;
    bool rotation;
    bool kinds;
    const char *json;
    const char *svg;
    const char *strip;
} blend;

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_motion(const char *text, void *results)
{
    blend_results *r = results;
    const blend_motion *found = NULL;
    bool is_new = true;
    for (size_t i = 0; blend_motion_at(i) != NULL; ++i) {
        found = strcmp(blend_motion_at(i)->name, text) == 0 ? blend_motion_at(i) : found;
    }
    for (size_t k = 0; k < r->motion_count; ++k) {
        is_new = is_new && r->motions[k] != found;
    }
    if (found != NULL && is_new) {
        r->motions[r->motion_count++] = found;
    }
    return found != NULL;
}

static bool parse_way(const char *text, void *results)
{
    blend_results *r = results;
    const blend_way *found = NULL;
    bool is_new = true;
    for (size_t i = 0; blend_way_at(i) != NULL; ++i) {
        found = strcmp(blend_way_at(i)->name, text) == 0 ? blend_way_at(i) : found;
    }
    for (size_t k = 0; k < r->way_count; ++k) {
        is_new = is_new && r->ways[k] != found;
    }
    if (found != NULL && is_new) {
        r->ways[r->way_count++] = found;
    }
    return found != NULL;
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
    int64_t period_ns = es_rate_period_ns(parsed);
    return period_ns >= ES_NS_PER_MS && period_ns <= ES_NS_PER_S;
}

static bool parse_run(const char *text, void *int64_ns)
{
    return tool_parse_seconds(text, int64_ns) && *(int64_t *)int64_ns >= ES_NS_PER_S
           && *(int64_t *)int64_ns <= BLEND_SECONDS_MAX * ES_NS_PER_S;
}

static const char *motion_names(void)
{
    static char text[256];
    snprintf(text, sizeof text, "motions out of: %s", blend_motion_at(0)->name);
    for (size_t i = 1; blend_motion_at(i) != NULL; ++i) {
        tool_append(text, sizeof text, ", ", blend_motion_at(i)->name);
    }
    return text;
}

static const char *way_names(void)
{
    static char text[320];
    snprintf(text, sizeof text, "ways out of: %s", blend_way_at(0)->name);
    for (size_t i = 1; blend_way_at(i) != NULL; ++i) {
        tool_append(text, sizeof text, ", ", blend_way_at(i)->name);
    }
    return text;
}

static const char summary[] =
        "Measures how far blended frames are from the true motion. Runs the library on a manual "
        "clock\n"
        "over motions that are formulas, and compares each frame with the formula. Exit status 1:\n"
        "a frame is further off than its bound in docs/blending.md.\n\n"
        "examples:\n"
        "  bench_blend_error --motion bounce,stop\n"
        "  bench_blend_error --motion circle --show interpolate,hermite --svg error.svg\n"
        "  bench_blend_error --motion circle --tick-rate 5 --refresh 60 --strip strip.svg";

static int parse_options(blend *b, int argc, char **argv)
{
    static const char file[] = "a file; - is stdout";
    static const char hertz[] = "a rate, 1 to 1000";
    const tool_option options[] = {
            {NULL, NULL, NULL, NULL, NULL, "the motions, and the ways to show them"},
            {"motion", "NAMES", parse_motions, &b->results, motion_names(),
                    "a comma list: line, circle, bounce, ... (all)"},
            {"show", "NAMES", parse_ways, &b->results, way_names(),
                    "a comma list of ways: interpolate, hermite, ... (all)"},
            {"tick-rate", "RATE", parse_hertz, &b->setup.tick_rate, hertz, "ticks per second (20)"},
            {"refresh", "RATE", parse_hertz, &b->setup.refresh, hertz, "frames per second (240)"},
            {"seconds", "S", parse_run, &b->setup.duration_ns, "seconds, 1 to 10",
                    "simulated time (2)"},
            {NULL, NULL, NULL, NULL, NULL, "other tables"},
            {"rotation", NULL, NULL, &b->rotation, NULL,
                    "rotations: the error in degrees; --svg draws it over alpha"},
            {"kinds", NULL, NULL, &b->kinds, NULL,
                    "no table: --svg draws a curve of each kind through the same ticks"},
            {NULL, NULL, NULL, NULL, NULL, "what to write"},
            {"json", "FILE", tool_parse_text, &b->json, file,
                    "the figures; - (or nothing, at the end of the line) is stdout"},
            {"svg", "FILE", tool_parse_text, &b->svg, file,
                    "the error over time, and its bound; a row per motion"},
            {"strip", "FILE", tool_parse_text, &b->strip, file,
                    "where the object is in each frame, as under a stroboscope"},
    };
    return tool_options(
            BLEND_COMMAND, summary, options, sizeof options / sizeof options[0], argc, argv);
}

/* All motions, if none was chosen, and all ways. */
static void choose_all(blend_results *r)
{
    bool motions = r->motion_count == 0, ways = r->way_count == 0;
    for (size_t i = 0; motions && blend_motion_at(i) != NULL; ++i) {
        r->motions[r->motion_count++] = blend_motion_at(i);
    }
    for (size_t i = 0; ways && blend_way_at(i) != NULL; ++i) {
        r->ways[r->way_count++] = blend_way_at(i);
    }
}

static int check_together(blend *b)
{
    bool other = b->rotation || b->kinds;
    if (b->rotation && b->kinds) {
        return tool_usage(BLEND_COMMAND, "--rotation and --kinds are two tables: choose one");
    }
    if (other && (b->results.motion_count > 0 || b->results.way_count > 0 || b->strip != NULL)) {
        return tool_usage(BLEND_COMMAND, "--motion, --show and --strip do not go with %s",
                b->rotation ? "--rotation" : "--kinds");
    }
    if (b->kinds && b->json != NULL) {
        return tool_usage(BLEND_COMMAND, "--kinds has no figures: it goes without --json");
    }
    if (b->kinds && b->svg == NULL) {
        return tool_usage(BLEND_COMMAND, "--kinds is a drawing: give --svg");
    }
    if (es_rate_period_ns(b->setup.refresh) > es_rate_period_ns(b->setup.tick_rate)) {
        return tool_usage(BLEND_COMMAND, "--refresh must be at least --tick-rate");
    }
    choose_all(&b->results);
    const tool_file files[] = {{"json", b->json}, {"svg", b->svg}, {"strip", b->strip}};
    return tool_check_stdout(BLEND_COMMAND, files, 3);
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
    table_set(t, row, column, text);
}

static void describe(const blend *b, char *text, size_t size)
{
    char ticks[32];
    char frames[32];
    snprintf(text, size, "%s ticks/s, drawn at %s frames/s, %g s; objects move at about 10 m/s",
            tool_format_rate(ticks, b->setup.tick_rate), tool_format_rate(frames, b->setup.refresh),
            (double)b->setup.duration_ns / 1e9);
}

static void fill_rows(const blend_results *results, table *t)
{
    char text[TABLE_CELL];
    char title[TABLE_TITLE];
    for (size_t m = 0, row = 0; m < results->motion_count; ++m) {
        const blend_motion *motion = results->motions[m];
        snprintf(title, sizeof title, "%s: %s", motion->name, motion->title);
        table_set_row(t, row++, title, true);
        for (size_t w = 0; w < results->way_count; ++w, ++row) {
            const blend_result *result = &results->items[m * results->way_count + w];
            snprintf(title, sizeof title, "  %s", result->way->name);
            table_set_row(t, row, title, false);
            set_mm(t, row, 0, result->largest);
            set_mm(t, row, 1, result->mean);
            set_mm(t, row, 2, result->bound);
            set_mm(t, row, 3, result->jump);
            snprintf(text, sizeof text, "%.4g", result->delay_ms);
            table_set(t, row, 4, text);
        }
    }
}

static int print_table(const blend *b)
{
    const blend_results *results = &b->results;
    char title[160];
    table t;
    if (!table_init(&t, 5, results->motion_count * (results->way_count + 1))) {
        return tool_fail(BLEND_COMMAND, "out of memory");
    }
    describe(b, title, sizeof title);
    printf("%s\n\n"
           "largest  distance of the shown position from the true one at the same content time\n"
           "bound    the most it can be (docs/blending.md)\n"
           "jump     the largest step between two frames, less the nearest that the truth makes "
           "then\n"
           "delay    how long ago the shown instant was\n\n",
            title);
    table_set_column(&t, 0, "", "largest mm");
    table_set_column(&t, 1, "", "mean mm");
    table_set_column(&t, 2, "", "bound mm");
    table_set_column(&t, 3, "", "jump mm");
    table_set_column(&t, 4, "", "delay ms");
    fill_rows(results, &t);
    table_print(&t, stdout);
    table_finish(&t);
    return TOOL_OK;
}

static int check_bounds(const blend_results *results)
{
    int status = TOOL_OK;
    for (size_t i = 0; i < results->motion_count * results->way_count; ++i) {
        const blend_result *result = &results->items[i];
        if (!result->within) {
            tool_fail(BLEND_COMMAND, "%s, %s: beyond its bound from %.4f s on",
                    result->motion->name, result->way->name, (double)result->beyond_ns / 1e9);
            status = TOOL_FAILED;
        }
    }
    return status;
}

static int show(const blend *b)
{
    char title[160];
    int status = TOOL_OK;
    describe(b, title, sizeof title);
    if (!tool_is_stdout(b->json) && !tool_is_stdout(b->svg) && !tool_is_stdout(b->strip)) {
        status = print_table(b);
    }
    if (status == TOOL_OK && b->json != NULL
            && !blend_write_json(&b->results, &b->setup, b->json)) {
        return tool_failed_to_write(BLEND_COMMAND, b->json);
    }
    if (status == TOOL_OK && b->svg != NULL && !blend_draw(&b->results, &b->setup, title, b->svg)) {
        return tool_failed_to_write(BLEND_COMMAND, b->svg);
    }
    if (status == TOOL_OK && b->strip != NULL
            && !blend_draw_strip(&b->results, &b->setup, title, b->strip)) {
        return tool_failed_to_write(BLEND_COMMAND, b->strip);
    }
    return status == TOOL_OK ? check_bounds(&b->results) : status;
}

static int run_all(blend *b)
{
    blend_results *r = &b->results;
    int status = TOOL_OK;
    r->items = calloc(r->motion_count * r->way_count, sizeof *r->items);
    if (r->items == NULL) {
        return tool_fail(BLEND_COMMAND, "out of memory");
    }
    for (size_t m = 0; m < r->motion_count && status == TOOL_OK; ++m) {
        for (size_t w = 0; w < r->way_count && status == TOOL_OK; ++w) {
            blend_result *result = &r->items[m * r->way_count + w];
            status =
                    blend_run(&b->setup, r->motions[m], r->ways[w], result) ? TOOL_OK : TOOL_FAILED;
        }
    }
    if (status == TOOL_OK) {
        status = show(b);
    }
    for (size_t i = 0; i < r->motion_count * r->way_count; ++i) {
        blend_result_free(&r->items[i]);
    }
    free(r->items);
    return status;
}

static int run(int argc, char **argv)
{
    blend b = {.setup = {es_hz(20), es_hz(240), 2 * ES_NS_PER_S}};
    tool_json_to_stdout(argc, argv);
    int status = parse_options(&b, argc, argv);
    if (status == TOOL_OK) {
        status = check_together(&b);
    }
    if (status != TOOL_OK) {
        return status == TOOL_HELP_SHOWN ? TOOL_OK : status;
    }
    if (b.rotation) {
        return blend_rotation(b.svg, b.json);
    }
    return b.kinds ? blend_kinds(b.svg) : run_all(&b);
}

int main(int argc, char **argv)
{
    tool_standalone();
    return tool_end(BLEND_COMMAND, run(argc, argv));
}
