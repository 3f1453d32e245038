/* SPDX-License-Identifier: Zlib
 *
 * table: columns of numbers for a terminal of 100 columns. What is wider is continued below.
 */
#ifndef EVENSTEP_TABLE_H
#define EVENSTEP_TABLE_H

#include "tool.h"

enum { TABLE_WIDTH = 100, TABLE_CELL = 16, TABLE_TITLE = 48 };

typedef struct table_column {
    char group[TABLE_TITLE]; /* columns of one group stand together; empty: alone, no group line */
    char heading[TABLE_CELL];
    size_t width; /* of its cells and heading; kept by table_set */
} table_column;

typedef struct table_row {
    char title[TABLE_TITLE];
    bool is_section; /* a heading over the rows that follow; its cells are not printed */
} table_row;

typedef struct table {
    table_column *columns;
    table_row *rows;
    char (*cells)[TABLE_CELL]; /* row by row */
    size_t column_count;
    size_t row_count;
} table;

/** An empty table; false: out of memory. */
bool table_init(table *t, size_t columns, size_t rows);
void table_finish(table *t);

void table_set_column(table *t, size_t column, const char *group, const char *heading);
void table_set_row(table *t, size_t row, bool is_section, const char *format, ...)
        TOOL_PRINTF(4, 5);
void table_set(table *t, size_t row, size_t column, const char *format, ...) TOOL_PRINTF(4, 5);

/** Prints it, as often as groups have to be continued below. */
void table_print(const table *t, FILE *out);

#endif
