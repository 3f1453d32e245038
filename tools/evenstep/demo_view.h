/* SPDX-License-Identifier: Zlib
 *
 * demo_view: where the demo's pictures go and its input comes from. Three views stand behind one
 * table of functions: a window (SDL2), a terminal, and headless.
 *
 * What is shown meets here as plain values: the picture as a cairo image, the words and figures as
 * a demo_hud, so that a terminal can write as text what cairo draws elsewhere.
 */
#ifndef DEMO_VIEW_H
#define DEMO_VIEW_H

#include "evenstep/feedback.h"

#include <cairo.h>

#include "demo_input.h"
#include "demo_scene.h"

enum {
    DEMO_HUD_FIGURES = 32, /* at most */
    DEMO_HUD_KEYS = 20,
    DEMO_HUD_BARS = 112, /* frames in the graphs */
    DEMO_SIDES = 2,      /* the picture, or its two halves */
    DEMO_WHY_SIZE = 160  /* characters of a reason */
};

/* One line of the overlay: a measured figure, or a key and what it is set to. */
typedef struct demo_hud_line {
    const char *key;   /* what is printed on the keycap; NULL for a figure */
    const char *label; /* static; NULL: the line is empty */
    char value[40];
    bool accent; /* worth noticing: not at its neutral setting */
} demo_hud_line;

/* One frame in the graphs. */
typedef struct demo_hud_bar {
    double interval_ms; /* from the frame before to this one, as measured */
    double intended_ms; /* and as intended: the line in the graph; 0: not known */
    double error_ms;    /* animation error, signed; 0 where the two cannot be compared */
} demo_hud_bar;

/* What the overlay says of the picture, or of one of its halves. */
typedef struct demo_hud_side {
    char name[48];                    /* of what it runs under */
    char rule[48];                    /* how that works: pace and policy */
    char shows[48];                   /* what it shows between ticks, and with which lead */
    char error[48];                   /* the animation error in words */
    bool accent;                      /* it is one to notice */
    demo_hud_bar bars[DEMO_HUD_BARS]; /* the newest frames, oldest first */
    size_t bar_count;
} demo_hud_side;

/* What the overlay says. */
typedef struct demo_hud {
    demo_hud_line figures[DEMO_HUD_FIGURES];
    int figure_count;
    demo_hud_line keys[DEMO_HUD_KEYS];
    demo_hud_side sides[DEMO_SIDES];
    int side_count;           /* 2: the picture is split, the second is below */
    double interval_scale_ms; /* the graphs reach this far, the same for both sides */
    double error_scale_ms;    /* to both sides of 0 */
    double alpha;             /* of this frame, for the small bar */
} demo_hud;

/* How the world lies in a canvas: as large as fits, centred. */
typedef struct demo_fit {
    int width, height; /* the canvas, in pixels; at least 1 */
    int seen_height;   /* of the world, from its top: DEMO_HEIGHT, or less */
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

/* What is asked of a window; nothing else looks at it. */
typedef struct demo_window_wishes {
    bool vsync;        /* the display is asked to hold back present */
    bool by_adapter;   /* X11's Present extension presents: also where nothing else waits for it */
    int width, height; /* to begin with */
} demo_window_wishes;

/* A view. Every function but text and told is required. */
typedef struct demo_view {
    const char *name;  /* "window", "terminal", "headless" */
    const char *shows; /* what present does, for people: does it wait? Known after open */
    demo_window_wishes wishes;
    int64_t refresh_ns; /* the display's interval, known after open; 0: not known. poll may change
                           it: another monitor, another mode */
    bool hidden;        /* nobody sees it now: poll finds out */
    const char *teller; /* what tells screen times, for people; NULL: nothing. Known after open */
    const char *teller_ended; /* why it will tell nothing more, for people; NULL: it goes on. told
                                 finds out */
    void *user;               /* the view's own, from open to close */
    const char *(*open)(struct demo_view *view); /* NULL when all is well, else why not */
    void (*poll)(struct demo_view *view, demo_input *input);
    demo_fit (*fit)(const struct demo_view *view); /* the canvas to draw on now */
    /* Writes the overlay as text in the next present, NULL: no overlay. Call it before fit,
     * which it changes. NULL where the overlay is part of the picture. */
    void (*text)(struct demo_view *view, const demo_hud *hud);
    /* Shows the picture-th picture, from 0. false: the view is gone. */
    bool (*present)(struct demo_view *view, cairo_surface_t *image, int64_t picture);
    /* The next thing that was told of a picture's screen time; NULL where teller is. */
    bool (*told)(struct demo_view *view, es_present_sample *sample);
    void (*close)(struct demo_view *view); /* also after a failed open */
} demo_view;

/** A window. */
demo_view demo_view_window(const demo_window_wishes *wishes);

/** The terminal on stdin and stdout, in true colour. */
demo_view demo_view_terminal(void);

/** No display: the pointer follows a fixed path and clicks now and then, and the pictures are drawn
 * and dropped. */
demo_view demo_view_headless(void);

/** Opens a view. false: it is closed again, and why, of DEMO_WHY_SIZE, says what was wrong. */
bool demo_view_open(demo_view *view, char *why);

/** Opens the best view there is: window, terminal, headless. Says on stderr what it passed over. */
demo_view demo_view_open_best(const demo_window_wishes *wishes);

/** Leaves the terminal as it was found. For signal handlers too; does nothing otherwise. */
void demo_terminal_restore(void);

#endif
