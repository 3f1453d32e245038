/* SPDX-License-Identifier: Zlib */
#include "view_screen.h"

#include "demo_view.h"

#include <SDL_syswm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef EVENSTEP_HAVE_X11_PRESENT
#include "adapters/x11_present.h"
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
#include "adapters/wayland_presentation.h"
#endif

enum { TIMEOUT_MS = 250, SAMPLES = 32, ON_THEIR_WAY = 1 };

/* A display that shows no frame for this long is asleep, or the window is hidden. */
#define SHOW_WAIT_NS INT64_C(100000000)

struct view_screen {
#ifdef EVENSTEP_HAVE_X11_PRESENT
    es_x11_present *x11;
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    es_wayland_presentation *wayland;
#endif
    const char *name;
    bool vsync;
    bool shows;
    es_present_sample samples[SAMPLES]; /* received, not returned yet */
    int first, count;
};

/* ---- opening ---- */

#ifdef EVENSTEP_HAVE_X11_PRESENT

static void open_x11(view_screen *screen, const SDL_SysWMinfo *info, char *why)
{
    es_x11_status status;
    screen->x11 = es_x11_present_open(DisplayString(info->info.x11.display),
            (uint32_t)info->info.x11.window, screen->shows ? ES_X11_SHOW : ES_X11_WATCH, &status);
    if (screen->x11 == NULL) {
        snprintf(why, DEMO_WHY_SIZE, "%s", es_x11_status_message(status));
        return;
    }
    es_x11_present_set_timeout(screen->x11, TIMEOUT_MS * INT64_C(1000000));
    screen->name = screen->shows ? "X11 Present, presented by the adapter" : "X11 Present";
}

#endif

#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION

static void open_wayland(view_screen *screen, const SDL_SysWMinfo *info, char *why)
{
    es_wayland_status status;
    if (screen->shows) {
        snprintf(why, DEMO_WHY_SIZE, "on Wayland only SDL can present");
        return;
    }
    screen->wayland = es_wayland_presentation_open(
            info->info.wl.display, info->info.wl.surface, TIMEOUT_MS, &status);
    if (screen->wayland == NULL) {
        snprintf(why, DEMO_WHY_SIZE, "%s", es_wayland_status_message(status));
        return;
    }
    screen->name = "Wayland presentation-time";
}

#endif

static void open_at(view_screen *screen, const SDL_SysWMinfo *info, char *why)
{
    (void)screen;
    snprintf(why, DEMO_WHY_SIZE, "nothing here reports screen times");
    switch (info->subsystem) {
#if defined(SDL_VIDEO_DRIVER_X11) && defined(EVENSTEP_HAVE_X11_PRESENT)
    case SDL_SYSWM_X11:
        open_x11(screen, info, why);
        break;
#endif
#if defined(SDL_VIDEO_DRIVER_WAYLAND) && defined(EVENSTEP_HAVE_WAYLAND_PRESENTATION)
    case SDL_SYSWM_WAYLAND:
        open_wayland(screen, info, why);
        break;
#endif
    default:
        break;
    }
}

view_screen *view_screen_open(SDL_Window *window, bool shows, bool vsync, char *why)
{
    SDL_SysWMinfo info;
    view_screen *screen = calloc(1, sizeof *screen);
    SDL_VERSION(&info.version);
    if (screen == NULL || !SDL_GetWindowWMInfo(window, &info)) {
        snprintf(why, DEMO_WHY_SIZE, "the window has no handle that is known");
        free(screen);
        return NULL;
    }
    screen->shows = shows;
    screen->vsync = vsync;
    open_at(screen, &info, why);
    if (screen->name == NULL) {
        view_screen_close(screen);
        return NULL;
    }
    return screen;
}

void view_screen_close(view_screen *screen)
{
    if (screen == NULL) {
        return;
    }
#ifdef EVENSTEP_HAVE_X11_PRESENT
    es_x11_present_close(screen->x11);
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    es_wayland_presentation_close(screen->wayland);
#endif
    free(screen);
}

const char *view_screen_name(const view_screen *screen)
{
    return screen->name;
}

const char *view_screen_ended(const view_screen *screen)
{
#ifdef EVENSTEP_HAVE_X11_PRESENT
    if (screen->x11 != NULL) {
        es_x11_status status = es_x11_present_look(screen->x11).status;
        return status != ES_X11_OK ? es_x11_status_message(status) : NULL;
    }
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    if (screen->wayland != NULL) {
        es_wayland_status status = es_wayland_presentation_look(screen->wayland).status;
        return status != ES_WAYLAND_OK ? es_wayland_status_message(status) : NULL;
    }
#endif
    (void)screen;
    return NULL;
}

bool view_screen_gone(SDL_Window *window)
{
#if defined(SDL_VIDEO_DRIVER_WAYLAND) && defined(EVENSTEP_HAVE_WAYLAND_PRESENTATION)
    SDL_SysWMinfo info;
    SDL_VERSION(&info.version);
    return SDL_GetWindowWMInfo(window, &info) && info.subsystem == SDL_SYSWM_WAYLAND
           && es_wayland_gone(info.info.wl.display);
#else
    (void)window;
    return false;
#endif
}

/* ---- reports ---- */

/* Receives reports, as far as there is room. */
static void take_samples(view_screen *screen)
{
    int kept = screen->count - screen->first;
    memmove(screen->samples, screen->samples + screen->first,
            (size_t)kept * sizeof screen->samples[0]);
    screen->first = 0;
    screen->count = kept;
#ifdef EVENSTEP_HAVE_X11_PRESENT
    if (screen->x11 != NULL) {
        screen->count += es_x11_present_poll(screen->x11, screen->samples + kept, SAMPLES - kept);
    }
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    if (screen->wayland != NULL) {
        screen->count += es_wayland_presentation_poll(
                screen->wayland, screen->samples + kept, SAMPLES - kept);
    }
#endif
}

bool view_screen_next(view_screen *screen, es_present_sample *sample)
{
    if (screen->first == screen->count) {
        take_samples(screen);
    }
    if (screen->first == screen->count) {
        return false;
    }
    *sample = screen->samples[screen->first];
    screen->first += 1;
    return true;
}

/* ---- frames ---- */

#ifdef EVENSTEP_HAVE_X11_PRESENT

static es_x11_status show_once(view_screen *screen, cairo_surface_t *image, int64_t frame)
{
    return es_x11_present_show(screen->x11, frame, cairo_image_surface_get_data(image),
            cairo_image_surface_get_width(image), cairo_image_surface_get_height(image),
            cairo_image_surface_get_stride(image), screen->vsync ? ES_X11_QUEUE : 0);
}

/* Waits for a report. The adapter does not wait while it has samples, so they are received first.
 * false: none came, or there is no room for more. */
static bool wait_x11(view_screen *screen)
{
    return screen->count < SAMPLES && es_x11_present_wait(screen->x11, SHOW_WAIT_NS);
}

static bool is_queue_full(view_screen *screen)
{
    take_samples(screen);
    return es_x11_present_look(screen->x11).on_their_way > ON_THEIR_WAY;
}

static bool show_x11(view_screen *screen, cairo_surface_t *image, int64_t frame)
{
    es_x11_status status = show_once(screen, image, frame);
    if (status == ES_X11_BUSY) {
        take_samples(screen);
        status = wait_x11(screen) ? show_once(screen, image, frame) : status;
    }
    while (screen->vsync && status == ES_X11_OK && is_queue_full(screen)) {
        if (!wait_x11(screen)) {
            break;
        }
    }
    return status == ES_X11_OK || status == ES_X11_BUSY;
}

#endif

bool view_screen_show(view_screen *screen, cairo_surface_t *image, int64_t frame)
{
#ifdef EVENSTEP_HAVE_X11_PRESENT
    return show_x11(screen, image, frame);
#else
    (void)screen;
    (void)image;
    (void)frame;
    return false;
#endif
}

void view_screen_before_swap(view_screen *screen, int64_t frame)
{
#ifdef EVENSTEP_HAVE_X11_PRESENT
    if (screen->x11 != NULL) {
        es_x11_present_note(screen->x11, frame);
    }
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    if (screen->wayland != NULL) {
        es_wayland_presentation_before_commit(screen->wayland, frame);
    }
#endif
    (void)screen;
    (void)frame;
}
