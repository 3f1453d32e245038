/* SPDX-License-Identifier: Zlib */
#include "svg.h"

static const char common_style[] =
        "text{font-family:'DejaVu Sans',Verdana,sans-serif;font-size:12px;fill:#1f2328}\n"
        ".big{font-size:17px;font-weight:bold}.small{font-size:10.5px}.bold{font-weight:bold}\n"
        ".middle{text-anchor:middle}.end{text-anchor:end}\n"
        ".page{fill:#ffffff}.soft{fill:#59636e}\n"
        ".pane{fill:#f6f8fa}.grid{stroke:#e4e8ec;stroke-width:1}\n"
        ".line{stroke:#8b949e;stroke-width:1;fill:none}\n"
        ".thin{stroke:#d8dee4;stroke-width:1;fill:none}\n";

static const char dark_style[] = "@media (prefers-color-scheme:dark){\n"
                                 "text{fill:#e6edf3}.page{fill:#0d1117}.soft{fill:#9da7b3}\n"
                                 ".pane{fill:#161b22}.grid{stroke:#262c34}\n"
                                 ".line{stroke:#768390}.thin{stroke:#2d333b}\n"
                                 "}\n";

void svg_escape(FILE *file, const char *text)
{
    static const char special[] = "&<>\"";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (; *text != '\0'; ++text) {
        const char *found = strchr(special, *text);
        if (found != NULL) {
            fputs(names[found - special], file);
        } else { /* control characters are not XML */
            fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
        }
    }
}

bool svg_open(svg *drawing, const char *path, double width, double height, const char *title,
        const char *style)
{
    FILE *file = tool_open(path);
    drawing->file = file;
    if (file == NULL) {
        return false;
    }
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" ",
            width, height);
    fprintf(file, "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>", width, height);
    svg_escape(file, title);
    fprintf(file, "</title>\n<style>\n%s%s%s</style>\n", common_style, dark_style, style);
    svg_rect(drawing, "page", 0, 0, width, height);
    return true;
}

bool svg_close(svg *drawing)
{
    fputs("</svg>\n", drawing->file);
    return tool_close(drawing->file);
}

void svg_rect(svg *drawing, const char *classes, double x, double y, double width, double height)
{
    fprintf(drawing->file,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", classes,
            x, y, width, height);
}

void svg_line(svg *drawing, const char *classes, double x1, double y1, double x2, double y2)
{
    fprintf(drawing->file, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n",
            classes, x1, y1, x2, y2);
}

void svg_circle(svg *drawing, const char *classes, double x, double y, double radius)
{
    fprintf(drawing->file, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", classes,
            x, y, radius);
}

void svg_path_begin(svg *drawing, const char *classes)
{
    fprintf(drawing->file, "<path class=\"%s\" d=\"", classes);
    drawing->in_path = false;
}

void svg_point(svg *drawing, double x, double y)
{
    fprintf(drawing->file, "%c%.2f %.2f", drawing->in_path ? 'L' : 'M', x, y);
    drawing->in_path = true;
}

void svg_path_end(svg *drawing)
{
    fputs("\"/>\n", drawing->file);
}

void svg_text(svg *drawing, const char *classes, double x, double y, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(drawing->file, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\">", classes, x, y);
    svg_escape(drawing->file, text);
    fputs("</text>\n", drawing->file);
}

void svg_text_up(svg *drawing, const char *classes, double x, double y, const char *text)
{
    fprintf(drawing->file, "<text class=\"%s\" transform=\"translate(%.2f %.2f) rotate(-90)\">",
            classes, x, y);
    svg_escape(drawing->file, text);
    fputs("</text>\n", drawing->file);
}

void svg_clip_begin(svg *drawing, double x, double y, double width, double height)
{
    /* an inner drawing clips by itself; its viewBox keeps the outer coordinates */
    fprintf(drawing->file,
            "<svg x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "viewBox=\"%.2f %.2f %.2f %.2f\">\n",
            x, y, width, height, x, y, width, height);
}

void svg_clip_end(svg *drawing)
{
    fputs("</svg>\n", drawing->file);
}
