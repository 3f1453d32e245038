/* SPDX-License-Identifier: Zlib
 *
 * The view without a display: for tests, servers, and screenshots. The pointer follows a fixed path
 * by counted frames, so that two runs draw the same pictures.
 *
 * It always opens, so the choice of the best view, which ends with it, is made here too.
 */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "demo_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_X_FRAMES 260 /* frames per round trip; without a common factor the path is long */
#define PATH_Y_FRAMES 170

static const char *headless_open(demo_view *view)
{
    view->shows = "nothing is shown: returns at once";
    return NULL;
}

/* From 0 to 1 and back again over `frames` frames. */
static double there_and_back(int64_t frame, int64_t frames)
{
    double share = (double)(frame % frames) / (double)frames;
    return share < 0.5 ? 2.0 * share : 2.0 - 2.0 * share;
}

/* Some instant since the last poll, as a hand would choose it: share of it, in 1/16. */
static int64_t instant_in(const demo_input *input, int64_t share)
{
    int64_t since_ns = es_ns_sub(input->now_ns, input->before_ns);
    return es_ns_sub(input->now_ns, since_ns / 16 * share);
}

/* A click in every 40th frame, and three at once in every 120th. */
static void click(demo_input *input)
{
    int clicks = input->polls % 40 != 10 ? 0 : input->polls % 120 == 50 ? 3 : 1;
    for (int i = 0; i < clicks; ++i) {
        demo_input_button(input, 0, true, instant_in(input, 9 - 3 * i));
        demo_input_button(input, 0, false, instant_in(input, 8 - 3 * i));
    }
}

static void headless_poll(demo_view *view, demo_input *input)
{
    (void)view;
    int64_t frame = input->polls - 1;
    demo_point at = {DEMO_WIDTH * (0.30 + 0.32 * there_and_back(frame, PATH_X_FRAMES)),
            DEMO_HEIGHT * (0.15 + 0.45 * there_and_back(frame, PATH_Y_FRAMES))};
    demo_input_move(input, at, instant_in(input, 10 + input->polls * 7 % 6));
    click(input);
}

static demo_fit headless_fit(const demo_view *view)
{
    (void)view;
    return demo_fit_make(DEMO_WIDTH, DEMO_HEIGHT, DEMO_HEIGHT);
}

static bool headless_present(demo_view *view, cairo_surface_t *image, int64_t picture)
{
    (void)picture;
    (void)view;
    (void)image;
    return true;
}

static void headless_close(demo_view *view)
{
    (void)view;
}

demo_view demo_view_headless(void)
{
    return (demo_view){
            .name = "headless",
            .open = headless_open,
            .poll = headless_poll,
            .fit = headless_fit,
            .present = headless_present,
            .close = headless_close,
    };
}

/* --- choosing a view -------------------------------------------------------------------------- */

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

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

demo_view demo_view_open_best(const demo_window_wishes *wishes)
{
    char why[DEMO_WHY_SIZE] = "no display";
    demo_view view = demo_view_window(wishes);
    if ((is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && demo_view_open(&view, why)) {
        return view;
    }
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        fprintf(stderr, "%s: using the terminal\n", why);
        view = demo_view_terminal();
        if (demo_view_open(&view, why)) {
            return view;
        }
        fprintf(stderr, "%s: running headless\n", why);
    } else {
        fprintf(stderr, "%s and no terminal: running headless\n", why);
    }
    view = demo_view_headless();
    demo_view_open(&view, why);
    return view;
}
