/* SPDX-License-Identifier: Zlib
 *
 * svg: writes a drawing. Shapes have classes, and one style sheet at the top gives them colours for
 * light and dark surroundings.
 */
#ifndef EVENSTEP_SVG_H
#define EVENSTEP_SVG_H

#include "tool.h"

typedef struct svg {
    FILE *file;
    bool in_path; /* the open path has a point */
} svg;

/** Opens path ("-": stdout) and writes the head. False: see errno.
 *
 * title: for screen readers; style: more rules of the style sheet. Ready to use are the classes
 *   page (background), pane (behind a plot), grid, soft (text; big, small, bold, middle,
 *   end change it), line, thin. */
bool svg_open(svg *drawing, const char *path, double width, double height, const char *title,
        const char *style);

/** Writes the end; false: not all was written, see errno. */
bool svg_close(svg *drawing);

void svg_rect(svg *drawing, const char *classes, double x, double y, double width, double height);
void svg_line(svg *drawing, const char *classes, double x1, double y1, double x2, double y2);
void svg_circle(svg *drawing, const char *classes, double x, double y, double radius);

/* A path: begin, points, end. */
void svg_path_begin(svg *drawing, const char *classes);
void svg_point(svg *drawing, double x, double y);
void svg_path_end(svg *drawing);

/* Text as XML has it. */
void svg_escape(FILE *file, const char *text);

/* Text on a baseline; escaped. */
void svg_text(svg *drawing, const char *classes, double x, double y, const char *format, ...)
        TOOL_PRINTF(5, 6);

/* Text from bottom to top. */
void svg_text_up(svg *drawing, const char *classes, double x, double y, const char *text);

/* A group that is clipped to a rectangle. */
void svg_clip_begin(svg *drawing, double x, double y, double width, double height);
void svg_clip_end(svg *drawing);

#endif
