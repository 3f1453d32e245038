/* SPDX-License-Identifier: Zlib */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool demo_view_open(demo_view *view, char *why)
{
    const char *problem = view->open(view);
    if (problem == NULL) {
        return true;
    }
    snprintf(why, DEMO_WHY_SIZE, "%s", problem); /* closing may take the text with it */
    view->close(view);
    return false;
}

demo_view demo_view_open_best(const demo_window_wishes *wishes)
{
    char why[DEMO_WHY_SIZE] = "no display";
    demo_view view = demo_view_window(wishes);
    bool display = getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
    if (display && demo_view_open(&view, why)) {
        return view;
    }
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        fprintf(stderr, "%s: using the terminal\n", why);
        view = demo_view_terminal();
        if (demo_view_open(&view, why)) {
            return view;
        }
    }
    fprintf(stderr, "%s: running headless\n", why);
    view = demo_view_headless();
    demo_view_open(&view, why);
    return view;
}
