/* SPDX-License-Identifier: Zlib */
#include "table.h"

#include <stdlib.h>

static const size_t gap = 1;       /* between columns */
static const size_t group_gap = 3; /* between groups */

#define HEADINGS SIZE_MAX

bool table_init(table *t, size_t columns, size_t rows)
{
    *t = (table){.columns = calloc(columns, sizeof *t->columns),
            .rows = calloc(rows, sizeof *t->rows),
            .cells = calloc(columns * rows, sizeof *t->cells),
            .column_count = columns,
            .row_count = rows};
    if (t->columns == NULL || t->rows == NULL || t->cells == NULL) {
        table_finish(t);
        return false;
    }
    return true;
}

void table_finish(table *t)
{
    free(t->columns);
    free(t->rows);
    free(t->cells);
    *t = (table){0};
}

/* --- filling ---------------------------------------------------------------------------------- */

static void widen(table_column *column, const char *text)
{
    size_t length = strlen(text);
    column->width = length > column->width ? length : column->width;
}

void table_set_column(table *t, size_t column, const char *group, const char *heading)
{
    table_column *c = &t->columns[column];
    snprintf(c->group, sizeof c->group, "%s", group);
    snprintf(c->heading, sizeof c->heading, "%s", heading);
    widen(c, c->heading);
}

void table_set_row(table *t, size_t row, bool is_section, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->rows[row].title, sizeof t->rows[row].title, format, arguments);
    va_end(arguments);
    t->rows[row].is_section = is_section;
}

void table_set(table *t, size_t row, size_t column, const char *format, ...)
{
    char *cell = t->cells[row * t->column_count + column];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, TABLE_CELL, format, arguments);
    va_end(arguments);
    widen(&t->columns[column], cell);
}

/* --- printing --------------------------------------------------------------------------------- */

static size_t title_width(const table *t)
{
    size_t width = 0;
    for (size_t i = 0; i < t->row_count; ++i) {
        size_t length = strlen(t->rows[i].title);
        width = length > width ? length : width;
    }
    return width;
}

/* One past the last column of the group that starts here. */
static size_t group_end(const table *t, size_t first)
{
    size_t end = first + 1;
    while (end < t->column_count && t->columns[first].group[0] != '\0'
            && strcmp(t->columns[end].group, t->columns[first].group) == 0) {
        end += 1;
    }
    return end;
}

static size_t cells_width(const table *t, size_t first, size_t end)
{
    size_t width = (end - first - 1) * gap;
    for (size_t i = first; i < end; ++i) {
        width += t->columns[i].width;
    }
    return width;
}

static size_t group_width(const table *t, size_t first, size_t end)
{
    size_t cells = cells_width(t, first, end);
    size_t heading = strlen(t->columns[first].group);
    return heading > cells ? heading : cells;
}

/* One past the last column that fits beside the titles; at least one group. */
static size_t part_end(const table *t, size_t first)
{
    size_t width = title_width(t);
    size_t end = first;
    while (end < t->column_count) {
        size_t next = group_end(t, end);
        width += group_gap + group_width(t, end, next);
        if (width > TABLE_WIDTH && end > first) {
            break;
        }
        end = next;
    }
    return end;
}

enum { LINE = 1024 };

/* Without the spaces at its end. */
static void print_trimmed(const char *line, FILE *out)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') {
        length -= 1;
    }
    fprintf(out, "%.*s\n", (int)length, line);
}

static void add_text(char line[LINE], size_t width, const char *text)
{
    size_t length = strlen(line);
    snprintf(line + length, LINE - length, "%*s", (int)width, text);
}

static void print_groups(const table *t, size_t first, size_t end, FILE *out)
{
    char line[LINE] = "";
    add_text(line, title_width(t), "");
    for (size_t i = first; i < end; i = group_end(t, i)) {
        add_text(line, group_gap + group_width(t, i, group_end(t, i)), t->columns[i].group);
    }
    print_trimmed(line, out);
}

/* row: its number, or HEADINGS. */
static void print_line(const table *t, size_t row, size_t first, size_t end, FILE *out)
{
    char line[LINE];
    bool headings = row == HEADINGS;
    snprintf(line, sizeof line, "%-*s", (int)title_width(t), headings ? "" : t->rows[row].title);
    for (size_t i = first; i < end;) {
        size_t next = group_end(t, i);
        add_text(line, group_gap + group_width(t, i, next) - cells_width(t, i, next), "");
        for (; i < next; ++i) {
            add_text(line, t->columns[i].width,
                    headings ? t->columns[i].heading : t->cells[row * t->column_count + i]);
            add_text(line, i + 1 < next ? gap : 0, "");
        }
    }
    print_trimmed(line, out);
}

void table_print(const table *t, FILE *out)
{
    for (size_t first = 0; first < t->column_count;) {
        size_t end = part_end(t, first);
        if (first > 0) {
            fputc('\n', out);
        }
        if (t->columns[first].group[0] != '\0') {
            print_groups(t, first, end, out);
        }
        print_line(t, HEADINGS, first, end, out);
        for (size_t row = 0; row < t->row_count; ++row) {
            if (t->rows[row].is_section) {
                fprintf(out, "%s\n", t->rows[row].title);
            } else {
                print_line(t, row, first, end, out);
            }
        }
        first = end;
    }
}
