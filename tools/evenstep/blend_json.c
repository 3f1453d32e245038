/* SPDX-License-Identifier: Zlib */
#include "blend.h"

#include "figure.h"

#include <errno.h>
#include <stdlib.h>

bool blend_write_text(char *text, const char *path)
{
    FILE *file = text != NULL ? tool_open(path) : NULL;
    if (text == NULL) {
        errno = ENOMEM; /* jansson says only NULL */
    }
    if (file != NULL) {
        fprintf(file, "%s\n", text);
    }
    free(text);
    return file != NULL && tool_close(file);
}

static json_t *result_json(const blend_result *result)
{
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "motion",
            result->motion->name, "way", result->way->name, "frames",
            (json_int_t)result->frame_count, "largest_mm", figure_json(result->largest * 1e3),
            "mean_mm", figure_json(result->mean * 1e3), "bound_mm",
            figure_json(result->bound * 1e3), "jump_mm", figure_json(result->jump * 1e3),
            "delay_ms", figure_json(result->delay_ms), "within", (int)result->within);
}

bool blend_write_json(const blend_results *results, const blend_setup *setup, const char *path)
{
    char ticks[32];
    char frames[32];
    json_t *motions = json_array();
    json_t *ways = json_array();
    json_t *items = json_array();
    for (size_t i = 0; i < results->motion_count; ++i) {
        const blend_motion *motion = results->motions[i];
        json_array_append_new(motions,
                json_pack("{s:s, s:s, s:o}", "name", motion->name, "title", motion->title, "speed",
                        figure_json(blend_motion_speed(motion, setup->duration_ns))));
    }
    for (size_t i = 0; i < results->way_count; ++i) {
        json_array_append_new(ways, json_pack("{s:s, s:s}", "name", results->ways[i]->name, "title",
                                            results->ways[i]->title));
    }
    for (size_t i = 0; i < results->motion_count * results->way_count; ++i) {
        json_array_append_new(items, result_json(&results->items[i]));
    }
    json_t *root = json_pack("{s:{s:s, s:s, s:o}, s:o, s:o, s:o}", "blend", "ticks_per_second",
            tool_format_rate(ticks, setup->tick_rate), "frames_per_second",
            tool_format_rate(frames, setup->refresh), "seconds",
            figure_json((double)setup->duration_ns / 1e9), "motions", motions, "ways", ways,
            "results", items);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(root);
    return blend_write_text(text, path);
}
