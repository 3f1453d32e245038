/* SPDX-License-Identifier: Zlib
 *
 * The moving picture. In each lane an object moves as the frames of one loop showed it, at their screen
 * times. An animated SVG (SMIL, https://www.w3.org/TR/SVG11/animate.html) with a key time per frame:
 * a browser on a display of the same rate shows what a player would have seen.
 */
#include "compare.h"

#include "svg.h"

static const char style[] = ".one{fill:#f08a24}.two{fill:#1f5f9e}\n"
                            "@media (prefers-color-scheme:dark){.two{fill:#79b8ff}}\n";

static const double width = 800.0;
static const double lane_height = 76.0;
static const double title_height = 30.0;
static const double size = 34.0;
static const double grid = 50.0;

enum { SECONDS = 3, CROSSINGS = 3 };

/* The object crosses the lane CROSSINGS times in SECONDS. */
static double place(const lab_frame *frame, const lab_frame *first)
{
    double passed_s = (double)(frame->content_ns - first->content_ns) / 1e9;
    double turns = passed_s * CROSSINGS / SECONDS;
    turns -= (double)(int64_t)turns;
    return (turns < 0.0 ? turns + 1.0 : turns) * (width + size) - size;
}

/* The frames seen in SECONDS after the warm-up, to which the list of places and times belongs. */
static void put_values(FILE *file, const lab_result *result, bool times)
{
    const lab_frame *first = &result->frames[result->measured];
    for (size_t i = result->measured; i < result->frame_count; ++i) {
        const lab_frame *frame = &result->frames[i];
        double at = (double)(frame->shown_ns - first->shown_ns) / 1e9 / SECONDS;
        if (at >= 1.0) {
            return;
        }
        fprintf(file, "%s%.*f", i > result->measured ? ";" : "", times ? 5 : 1,
                times ? at : place(frame, first));
    }
}

static void put_lane(svg *drawing, const compare_row *row, size_t index, double y)
{
    FILE *file = drawing->file;
    svg_text(drawing, "bold", 12.0, y + 18.0, "%s", row->loop->title);
    svg_text(drawing, "soft end", width - 12.0, y + 18.0, "animation error %.2f ms",
            row->result.measures.animation.mean_abs_ms);
    for (double x = grid; x < width; x += grid) {
        svg_line(drawing, "grid", x, y + title_height, x, y + lane_height);
    }
    svg_line(drawing, "line", 0.0, y + lane_height, width, y + lane_height);
    fprintf(file, "<rect class=\"%s\" x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" rx=\"5\">",
            index % 2 == 0 ? "one" : "two", y + lane_height - size, size, size);
    fprintf(file,
            "<animate attributeName=\"x\" calcMode=\"discrete\" dur=\"%ds\" "
            "repeatCount=\"indefinite\" values=\"",
            SECONDS);
    put_values(file, &row->result, false);
    fprintf(file, "\" keyTimes=\"");
    put_values(file, &row->result, true);
    fprintf(file, "\"/></rect>\n");
}

bool compare_move(const compare_rows *rows, const char *path)
{
    svg drawing = {0};
    double height = 12.0 + (lane_height + 12.0) * (double)rows->count;
    if (!svg_open(&drawing, path, width, height, "evenstep compare --moving", style)) {
        return false;
    }
    for (size_t i = 0; i < rows->count; ++i) {
        if (rows->items[i].ran) {
            put_lane(&drawing, &rows->items[i], i, (lane_height + 12.0) * (double)i);
        }
    }
    return svg_close(&drawing);
}
