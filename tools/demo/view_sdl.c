/* SPDX-License-Identifier: Zlib
 *
 * The window, by SDL2. A driver's word on vsync is not trusted: some say yes and return at once.
 */
#include "view.h"

#ifdef EVENSTEP_HAVE_SDL2

#include "adapters/es_sdl2.h"

#include <SDL.h>
#include <SDL_syswm.h>
#include <stdlib.h>
#include <string.h>

#ifdef EVENSTEP_HAVE_X11_PRESENT
#include "adapters/x11_present.h"
#include "x11_show.h"
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
#include "adapters/wayland_presentation.h"
#endif

/* --- reports of screen times: X11 Present, Wayland presentation-time -------------------------- */

enum { TIMEOUT_MS = 250, SAMPLES = 32 };

/* A display that shows no frame for this long is asleep, or the window is hidden. */
#define SHOW_WAIT_NS INT64_C(100000000)

typedef struct screen_times {
#ifdef EVENSTEP_HAVE_X11_PRESENT
    es_x11_present *x11;
    x11_show show;
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    es_wayland_presentation *wayland;
#endif
    const char *name;
    bool vsync;
    bool shows;
    es_present samples[SAMPLES]; /* received, not returned yet */
    int first, count;
} screen_times;

#ifdef EVENSTEP_HAVE_X11_PRESENT

static void open_x11(screen_times *screen, const SDL_SysWMinfo *info, char *why)
{
    es_x11_status status;
    const char *display = DisplayString(info->info.x11.display);
    uint32_t window = (uint32_t)info->info.x11.window;
    screen->x11 = es_x11_present_open(display, window, &status);
    if (screen->x11 == NULL) {
        snprintf(why, DEMO_WHY_SIZE, "%s", es_x11_status_message(status));
        return;
    }
    if (screen->shows && !x11_show_open(&screen->show, display, window)) {
        snprintf(why, DEMO_WHY_SIZE, "the window's pixels are not 24 bits");
        return;
    }
    es_x11_present_set_timeout(screen->x11, TIMEOUT_MS * INT64_C(1000000));
    es_x11_present_update_refresh(screen->x11);
    screen->name = screen->shows ? "X11 Present, presented by the demo" : "X11 Present";
}

#endif

#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION

static void open_wayland(screen_times *screen, const SDL_SysWMinfo *info, char *why)
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

static void screen_close(screen_times *screen)
{
    if (screen == NULL) {
        return;
    }
#ifdef EVENSTEP_HAVE_X11_PRESENT
    es_x11_present_close(screen->x11);
    if (screen->show.server != NULL) {
        x11_show_close(&screen->show);
    }
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    es_wayland_presentation_close(screen->wayland);
#endif
    free(screen);
}

static void open_at(screen_times *screen, const SDL_SysWMinfo *info, char *why)
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

static screen_times *screen_open(SDL_Window *window, bool shows, bool vsync, char *why)
{
    SDL_SysWMinfo info;
    screen_times *screen = calloc(1, sizeof *screen);
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
        screen_close(screen);
        return NULL;
    }
    return screen;
}

/* Sets the announced refresh period, and why no more reports come; NULL: they go on. */
static void screen_look(const screen_times *screen, int64_t *refresh_ns, const char **ended)
{
#ifdef EVENSTEP_HAVE_X11_PRESENT
    if (screen->x11 != NULL) {
        es_x11_status status = es_x11_present_look(screen->x11).status;
        *refresh_ns = es_x11_present_look(screen->x11).refresh_ns;
        *ended = status != ES_X11_OK ? es_x11_status_message(status) : NULL;
    }
#endif
#ifdef EVENSTEP_HAVE_WAYLAND_PRESENTATION
    if (screen->wayland != NULL) {
        es_wayland_status status = es_wayland_presentation_look(screen->wayland).status;
        *refresh_ns = es_wayland_presentation_look(screen->wayland).refresh_ns;
        *ended = status != ES_WAYLAND_OK ? es_wayland_status_message(status) : NULL;
    }
#endif
    (void)screen, (void)refresh_ns, (void)ended;
}

static bool screen_gone(SDL_Window *window)
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

/* Receives reports, as far as there is space. */
static void take_samples(screen_times *screen)
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

static bool screen_next(screen_times *screen, es_present *sample)
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

#ifdef EVENSTEP_HAVE_X11_PRESENT

static bool screen_show(
        screen_times *screen, cairo_surface_t *image, int64_t frame, const es_frame *timing)
{
    es_x11_present_note(screen->x11, frame);
    uint64_t target = timing != NULL ? es_x11_present_target(screen->x11, timing) : 0;
    bool shown = x11_show_image(&screen->show, cairo_image_surface_get_data(image),
            cairo_image_surface_get_width(image), cairo_image_surface_get_height(image),
            cairo_image_surface_get_stride(image), target);
    for (bool waits = screen->vsync && shown; waits;) { /* the queue is full */
        take_samples(screen); /* the adapter does not wait while it has some */
        waits = es_x11_present_look(screen->x11).on_their_way > 0 && screen->count < SAMPLES
                && es_x11_present_wait(screen->x11, SHOW_WAIT_NS);
    }
    return shown && es_x11_present_look(screen->x11).status == ES_X11_OK;
}

#else

static bool screen_show(
        screen_times *screen, cairo_surface_t *image, int64_t frame, const es_frame *timing)
{
    (void)screen, (void)image, (void)frame, (void)timing;
    return false;
}

#endif

static void screen_before_swap(screen_times *screen, int64_t frame)
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

/* --- the window ------------------------------------------------------------------------------- */

typedef struct window {
    SDL_Window *window;
    SDL_Renderer *renderer; /* NULL: the adapter presents */
    screen_times *screen;   /* NULL: nothing reports screen times */
    SDL_Texture *texture;
    int texture_width, texture_height;
    bool vsync;
    es_input *stamps; /* converts events' stamps to the loop's clock; NULL: not created yet */
} window;

/* SDL falls back on drivers without visible windows; those must be requested. */
static bool can_be_seen(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    return getenv("SDL_VIDEODRIVER") != NULL
           || (strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0
                   && strcmp(driver, "evdev") != 0);
}

/* The announced refresh: SDL2's, which is in whole Hz, or the adapter's. */
static void look_at_display(demo_view *view)
{
    const window *own = view->user;
    SDL_DisplayMode mode;
    int display = SDL_GetWindowDisplayIndex(own->window);
    int64_t refresh_ns = 0;
    bool known = SDL_GetCurrentDisplayMode(display, &mode) == 0 && mode.refresh_rate > 0;
    if (own->screen != NULL) {
        screen_look(own->screen, &refresh_ns, &view->reports_ended);
    }
    view->refresh_ns = refresh_ns > 0 ? refresh_ns : known ? ES_NS_PER_S / mode.refresh_rate : 0;
}

/* A screen time is a refresh: nothing is seen between two. */
static const es_targets by_count = {.times = true, .refreshes = true};

/* The renderer comes first: SDL2's OpenGL renderers replace the native window. */
static const char *open_screen(demo_view *view, window *own)
{
    static char why[DEMO_WHY_SIZE];
    if (!view->wishes.by_adapter) {
        Uint32 flags = own->vsync ? SDL_RENDERER_PRESENTVSYNC : 0;
        own->renderer = SDL_CreateRenderer(own->window, -1, flags);
    }
    if (!view->wishes.by_adapter && own->renderer == NULL) {
        return SDL_GetError();
    }
    own->screen = screen_open(own->window, view->wishes.by_adapter, own->vsync, why);
    if (view->wishes.by_adapter && own->screen == NULL) {
        return why;
    }
    view->reports_by = own->screen != NULL ? own->screen->name : NULL;
    view->obeys = view->wishes.by_adapter && own->vsync ? &by_count : NULL;
    return NULL;
}

/* SDL's version, the window system, the renderer; of OpenGL the driver's own name. */
static const char *driver_of(const window *own)
{
    static char text[DEMO_WHY_SIZE];
    const unsigned char *(*get_string)(unsigned int) = NULL; /* glGetString */
    SDL_RendererInfo info = {.name = "no renderer"};
    SDL_version linked;
    SDL_GetVersion(&linked);
    if (own->renderer != NULL && SDL_GetRendererInfo(own->renderer, &info) == 0
            && strncmp(info.name, "opengl", 6) == 0) {
        void *found = SDL_GL_GetProcAddress("glGetString");
        memcpy(&get_string, &found, sizeof found);
    }
    const unsigned char *device = get_string != NULL ? get_string(0x1F01) : NULL; /* GL_RENDERER */
    snprintf(text, sizeof text, "SDL %d.%d.%d on %s, %s%s%s", linked.major, linked.minor,
            linked.patch, SDL_GetCurrentVideoDriver(), info.name, device != NULL ? ": " : "",
            device != NULL ? (const char *)device : "");
    return text;
}

static const char *window_open(demo_view *view)
{
    window *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return "out of memory";
    }
    view->user = own;
    own->vsync = view->wishes.vsync;
#if defined(EVENSTEP_HAVE_WAYLAND_PRESENTATION) && !SDL_VERSION_ATLEAST(2, 30, 0)
    const char *driver = getenv("SDL_VIDEODRIVER");
    bool wayland = driver != NULL ? strcmp(driver, "wayland") == 0 : getenv("DISPLAY") == NULL;
    if (wayland && es_wayland_seat(NULL, TIMEOUT_MS) == ES_WAYLAND_SEAT_NONE) {
        return "this compositor has no seat: SDL2 before 2.30 would crash"; /* SDL issue 8898 */
    }
#endif
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* the demo has its own, for every view */
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        return SDL_GetError();
    }
    if (!can_be_seen()) {
        return "no display";
    }
    own->window = SDL_CreateWindow("Evenstep demo", SDL_WINDOWPOS_UNDEFINED,
            SDL_WINDOWPOS_UNDEFINED, view->wishes.width, view->wishes.height,
            SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (own->window == NULL) {
        return SDL_GetError();
    }
    const char *problem = open_screen(view, own);
    if (problem != NULL) {
        return problem;
    }
    view->shows = own->renderer == NULL ? "X11 Present"
                  : own->vsync          ? "SDL2 with vsync"
                                        : "SDL2 without vsync";
    view->driver = driver_of(own);
    look_at_display(view);
    return NULL;
}

static demo_fit window_fit(const demo_view *view)
{
    const window *own = view->user;
    int width = DEMO_WIDTH, height = DEMO_HEIGHT;
    if (own->renderer == NULL) {
        SDL_GetWindowSize(own->window, &width, &height); /* on X11 in pixels */
    } else if (SDL_GetRendererOutputSize(own->renderer, &width, &height) != 0) {
        width = DEMO_WIDTH; /* keep going: a lost display is noticed by present */
        height = DEMO_HEIGHT;
    }
    return demo_fit_make(width, height, DEMO_HEIGHT);
}

/* SDL reports the mouse in window units, which on a dense display are not pixels. */
static void take_mouse(const demo_view *view, int x, int y, demo_input *input, int64_t stamp_ns)
{
    const window *own = view->user;
    demo_fit fit = window_fit(view);
    int width, height;
    SDL_GetWindowSize(own->window, &width, &height);
    if (width > 0 && height > 0) {
        double at_x = (double)x * fit.width / width;
        double at_y = (double)y * fit.height / height;
        demo_input_move(input, demo_fit_world(fit, at_x, at_y), stamp_ns);
    }
}

/* Visibility, as far as SDL2 reports it: X11 without a window manager when it is unmapped, a window
 * manager when it is minimised; Wayland never, nor a window that others cover. */
static void take_window_event(demo_view *view, Uint8 event)
{
    switch (event) {
    case SDL_WINDOWEVENT_HIDDEN:
    case SDL_WINDOWEVENT_MINIMIZED:
        view->hidden = true;
        break;
    case SDL_WINDOWEVENT_SHOWN:
    case SDL_WINDOWEVENT_EXPOSED:
    case SDL_WINDOWEVENT_RESTORED:
    case SDL_WINDOWEVENT_MAXIMIZED:
        view->hidden = false;
        break;
    default:
        break;
    }
}

/* SDL's clock counts ms since SDL_Init. Reading it gives the offset without waiting for events. */
static void read_clock(window *own, const demo_input *input)
{
    const es_clock *clock = &input->clock;
    if (own->stamps == NULL) {
        es_input_config config = es_sdl2_input_config();
        own->stamps = es_input_create(&config);
    }
    es_input_stamp(own->stamps, SDL_GetTicks(), clock->now_ns(clock->user));
}

static void take_button(
        const demo_view *view, const SDL_MouseButtonEvent *event, demo_input *input, int64_t at_ns)
{
    if (event->button >= 1 && event->button < 1 + DEMO_BUTTONS) {
        take_mouse(view, event->x, event->y, input, at_ns);
        demo_input_button(input, event->button - 1, event->type == SDL_MOUSEBUTTONDOWN, at_ns);
    }
}

/* Any poll of SDL's events may find the connection broken. */
static bool next_event(const window *own, demo_input *input, SDL_Event *event)
{
    if (screen_gone(own->window)) {
        input->quit = true;
        return false;
    }
    return SDL_PollEvent(event) != 0;
}

static void window_poll(demo_view *view, demo_input *input)
{
    window *own = view->user;
    SDL_Event event;
    read_clock(own, input);
    while (next_event(own, input, &event)) {
        int64_t now_ns = input->clock.now_ns(input->clock.user);
        int64_t at_ns = es_input_stamp(own->stamps, event.common.timestamp, now_ns);
        switch (event.type) {
        case SDL_QUIT:
            input->quit = true;
            break;
        case SDL_KEYDOWN:
            if (event.key.keysym.sym == SDLK_ESCAPE) {
                demo_input_key(input, 'q');
            }
            break;
        case SDL_TEXTINPUT:
            demo_input_key(input, event.text.text[0]);
            break;
        case SDL_WINDOWEVENT:
            take_window_event(view, event.window.event);
            break;
        case SDL_MOUSEMOTION:
            take_mouse(view, event.motion.x, event.motion.y, input, at_ns);
            break;
        case SDL_MOUSEBUTTONDOWN:
        case SDL_MOUSEBUTTONUP:
            take_button(view, &event.button, input, at_ns);
            break;
        default:
            break;
        }
    }
    look_at_display(view);
}

static bool fit_texture(window *own, int width, int height)
{
    if (own->texture != NULL && own->texture_width == width && own->texture_height == height) {
        return true;
    }
    if (own->texture != NULL) {
        SDL_DestroyTexture(own->texture);
    }
    own->texture = SDL_CreateTexture(
            own->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING, width, height);
    own->texture_width = width;
    own->texture_height = height;
    return own->texture != NULL;
}

static bool window_present(demo_view *view, cairo_surface_t *image, int64_t frame)
{
    window *own = view->user;
    if (own->renderer == NULL) {
        return screen_show(own->screen, image, frame, view->timing);
    }
    if (!fit_texture(
                own, cairo_image_surface_get_width(image), cairo_image_surface_get_height(image))) {
        return false;
    }
    SDL_UpdateTexture(own->texture, NULL, cairo_image_surface_get_data(image),
            cairo_image_surface_get_stride(image));
    SDL_RenderCopy(own->renderer, own->texture, NULL, NULL);
    if (own->screen != NULL) {
        screen_before_swap(own->screen, frame);
    }
    SDL_RenderPresent(own->renderer);
    return true;
}

static bool window_feedback(demo_view *view, es_present *sample)
{
    const window *own = view->user;
    bool more = screen_next(own->screen, sample);
    look_at_display(view);
    return more;
}

static void window_close(demo_view *view)
{
    window *own = view->user;
    if (own == NULL) {
        return;
    }
    screen_close(own->screen);
    if (own->renderer != NULL) { /* with its texture */
        SDL_DestroyRenderer(own->renderer);
    }
    if (own->window != NULL) {
        SDL_DestroyWindow(own->window);
    }
    SDL_Quit();
    es_input_destroy(own->stamps);
    free(own);
    view->user = NULL;
}

demo_view demo_view_window(const demo_window_wishes *wishes)
{
    return (demo_view){
            .name = "window",
            .wishes = *wishes,
            .open = window_open,
            .poll = window_poll,
            .fit = window_fit,
            .present = window_present,
            .feedback = window_feedback,
            .close = window_close,
    };
}

#else

static const char *window_open(demo_view *view)
{
    (void)view;
    return "built without SDL2";
}

demo_view demo_view_window(const demo_window_wishes *wishes)
{
    demo_view view = demo_view_headless();
    (void)wishes;
    view.name = "window";
    view.open = window_open;
    return view;
}

#endif
