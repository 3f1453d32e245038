/* SPDX-License-Identifier: Zlib
 *
 * The view without a display, for tests, servers, and screenshots. The pointer follows a fixed path
 * by counted frames.
 */
#include "view.h"

#include "lab/numbers.h"

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

/* Some instant since the last poll: share of it, in 1/16. */
static int64_t instant_in(const demo_input *input, int64_t share)
{
    int64_t since_ns = ns_sub(input->now_ns, input->before_ns);
    return ns_sub(input->now_ns, since_ns / 16 * share);
}

/* A motion in each frame, a click in every 40th, and three at once in every 120th. */
static void headless_poll(demo_view *view, demo_input *input)
{
    (void)view;
    int64_t frame = input->polls - 1;
    demo_point at = {DEMO_WIDTH * (0.30 + 0.32 * there_and_back(frame, 260)),
            DEMO_HEIGHT * (0.15 + 0.45 * there_and_back(frame, 170))};
    int clicks = input->polls % 40 != 10 ? 0 : input->polls % 120 == 50 ? 3 : 1;
    demo_input_move(input, at, instant_in(input, 10 + input->polls * 7 % 6));
    for (int i = 0; i < clicks; ++i) {
        demo_input_button(input, 0, true, instant_in(input, 9 - 3 * i));
        demo_input_button(input, 0, false, instant_in(input, 8 - 3 * i));
    }
}

static demo_fit headless_fit(const demo_view *view)
{
    (void)view;
    return demo_fit_make(DEMO_WIDTH, DEMO_HEIGHT, DEMO_HEIGHT);
}

static bool headless_present(demo_view *view, cairo_surface_t *image, int64_t number)
{
    (void)number;
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
