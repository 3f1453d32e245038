/* SPDX-License-Identifier: Zlib */
#include "blend.h"

#include "json.h"

static json_t *result_json(const blend_result *result)
{
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "motion",
            result->motion->name, "way", result->way->name, "frames",
            (json_int_t)result->frame_count, "largest_mm", tool_json_number(result->largest * 1e3),
            "mean_mm", tool_json_number(result->mean * 1e3), "bound_mm",
            tool_json_number(result->bound * 1e3), "jump_mm", tool_json_number(result->jump * 1e3),
            "delay_ms", tool_json_number(result->delay_ms), "within", (int)result->within);
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
                        tool_json_number(blend_motion_speed(motion, setup->duration_ns))));
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
            tool_json_number((double)setup->duration_ns / 1e9), "motions", motions, "ways", ways,
            "results", items);
    return tool_json_write(root, path);
}
