/* SPDX-License-Identifier: Zlib
 *
 * x11_watch: when the windows of other programs were seen, as the X server says it. The Present extension tells
 * every client that asks for a window's completions, and the program notices nothing.
 */
#ifndef EVENSTEP_X11_WATCH_H
#define EVENSTEP_X11_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct x11_watch x11_watch;

/* Of the server that DISPLAY names. rows: gets the header, and a row per completion. name: in the rows. NULL: *why. */
x11_watch *x11_watch_open(FILE *rows, const char *name, const char **why);
void x11_watch_close(x11_watch *watch);

/* From now on all windows that are made. Rows of those that never present do not come. */
bool x11_watch_new_windows(x11_watch *watch);

/* One window and those in it: a number such as 0x1400003, or the text that its title has. False: there is none. */
bool x11_watch_window(x11_watch *watch, const char *title);

/* For poll. */
int x11_watch_file(const x11_watch *watch);

/* Takes what has come. False: the window, or the server, is gone. */
bool x11_watch_take(x11_watch *watch);

uint64_t x11_watch_rows(const x11_watch *watch);

#endif
