/* SPDX-License-Identifier: Zlib
 *
 * demo_view: where the demo's frames go and its input comes from. Three views have one table of
 * functions: a window (SDL2), a terminal, and headless.
 *
 * A frame is a cairo image, the panel plain text and numbers (demo_panel), so that a terminal can
 * write as text what cairo draws elsewhere.
 */
#ifndef DEMO_VIEW_H
#define DEMO_VIEW_H

#include <cairo.h>

#include "input.h"
#include "scene.h"

enum {
    DEMO_LINES = 10,    /* of the panel */
    DEMO_HELP = 2,      /* lines about keys */
    DEMO_ERRORS = 112,  /* frames in a graph */
    DEMO_SIDES = 2,     /* one scene, or two halves */
    DEMO_WHY_SIZE = 160 /* characters of a reason */
};

/* A line of the panel. */
typedef struct demo_line {
    const char *label; /* static */
    char value[64];
    bool accent; /* worth noticing */
} demo_line;

/* A scene, or one of two halves. */
typedef struct demo_panel_side {
    char name[48];                 /* of its loop */
    char shows[48];                /* how it blends */
    char error[48];                /* the animation error in words */
    bool accent;                   /* it is worth noticing */
    double errors_ms[DEMO_ERRORS]; /* of the newest frames, oldest first */
    size_t error_count;
} demo_panel_side;

/* What is shown on top of a frame. */
typedef struct demo_panel {
    demo_line lines[DEMO_LINES];
    int line_count;
    const char *help[DEMO_HELP]; /* keys with their meaning, two spaces between */
    demo_panel_side sides[DEMO_SIDES];
    int side_count;
    double error_scale_ms; /* the range of the graphs, on both sides of 0 */
} demo_panel;

/* The world's place in a canvas: as large as fits, centred. */
typedef struct demo_fit {
    int width, height; /* the canvas, in pixels; at least 1 */
    int seen_height;   /* of the world, from its top, in its units: DEMO_HEIGHT, or less */
    double scale;      /* pixels per world unit */
    double x, y;       /* the world's origin, in pixels */
} demo_fit;

static inline demo_fit demo_fit_make(int width, int height, int seen_height)
{
    /* a minimised window may have no size at all */
    demo_fit fit = {.width = width > 1 ? width : 1, .height = height > 1 ? height : 1};
    double scale_x = (double)fit.width / DEMO_WIDTH;
    double scale_y = (double)fit.height / seen_height;
    fit.seen_height = seen_height;
    fit.scale = scale_x < scale_y ? scale_x : scale_y;
    fit.x = (fit.width - fit.scale * DEMO_WIDTH) / 2.0;
    fit.y = (fit.height - fit.scale * seen_height) / 2.0;
    return fit;
}

/** The place in the world under a pixel of the canvas. */
static inline demo_point demo_fit_world(demo_fit fit, double pixel_x, double pixel_y)
{
    return (demo_point){(pixel_x - fit.x) / fit.scale, (pixel_y - fit.y) / fit.scale};
}

/* Requests for a window. */
typedef struct demo_window_wishes {
    bool vsync;
    bool by_adapter;   /* X11's Present extension presents */
    int width, height; /* at first */
} demo_window_wishes;

/* A view. Every function but text and feedback is required. */
typedef struct demo_view {
    const char *name;   /* "window", "terminal", "headless" */
    const char *shows;  /* what present does, for people. Known after open */
    const char *driver; /* window system and graphics driver, for people; NULL: none */
    demo_window_wishes wishes;
    int64_t refresh_ns;     /* the display's announced period; 0: not known. open and poll set it */
    bool hidden;            /* the window is not visible. poll sets it */
    const char *reports_by; /* what reports screen times, for people; NULL: nothing does. Known
                               after open */
    const char *reports_ended; /* why it reports no more, for people; NULL: it goes on. feedback
                                  sets it */
    const es_targets *obeys;   /* what present does with targets; NULL: nothing. Known after open */
    const es_frame *timing;    /* of the next present; NULL: none is known */
    void *user;                /* the view's own, from open to close */
    const char *(*open)(struct demo_view *view); /* NULL, or why it failed */
    void (*poll)(struct demo_view *view, demo_input *input);
    demo_fit (*fit)(const struct demo_view *view); /* the canvas to draw on */
    /* Writes the panel as text in the next present; NULL: no panel. Call it before fit, which it
     * changes. NULL where the panel is drawn into the frame. */
    void (*text)(struct demo_view *view, const demo_panel *panel);
    /* Shows a frame, by its number from 0. false: the view is gone. */
    bool (*present)(struct demo_view *view, cairo_surface_t *image, int64_t frame);
    /* The next report of a screen time; NULL where reports_by is. */
    bool (*feedback)(struct demo_view *view, es_present *sample);
    void (*close)(struct demo_view *view); /* also after a failed open */
} demo_view;

demo_view demo_view_window(const demo_window_wishes *wishes);

/** The terminal on stdin and stdout, in true colour. */
demo_view demo_view_terminal(void);

/** No display: the pointer follows a fixed path and clicks now and then; frames are dropped. */
demo_view demo_view_headless(void);

/** Opens a view. false: it is closed again, and why, of DEMO_WHY_SIZE, has the reason. */
bool demo_view_open(demo_view *view, char *why);

/** Opens the first view that works: window, terminal, headless. Prints why others did not. */
demo_view demo_view_open_best(const demo_window_wishes *wishes);

/** Leaves the terminal as it was found. For signal handlers too; does nothing otherwise. */
void demo_terminal_restore(void);

#endif
