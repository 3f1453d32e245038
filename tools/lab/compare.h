/* SPDX-License-Identifier: Zlib
 *
 * compare: the same program under several loops: its table and its drawing.
 */
#ifndef EVENSTEP_COMPARE_H
#define EVENSTEP_COMPARE_H

#include "choice.h"

#include "lab/run.h"

/* One loop and its result. */
typedef struct compare_row {
    const lab_loop *loop;
    lab_result result;
    bool ran; /* false: it cannot run on this display, or showed less than two frames */
} compare_row;

typedef struct compare_rows {
    compare_row items[CHOICE_MAX];
    size_t count;
} compare_rows;

/** Draws the strip: where an object is seen, against where it should be, at the most unusual moment.
 * screen: at its start; title: what ran. False: the file could not be written, see errno. */
bool compare_draw(
        const compare_rows *rows, const lab_screen *screen, const char *title, const char *path);

#endif
