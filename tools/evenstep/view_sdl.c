/* SPDX-License-Identifier: Zlib
 *
 * The window, by SDL2. A driver's word on vsync is not trusted: some say yes and return at once.
 */
#include "demo_view.h"

#ifdef EVENSTEP_HAVE_SDL2

#include "view_screen.h"

#include "adapters/input_sdl2.h"

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_EVERY_NS ES_NS_PER_S

typedef struct window {
    SDL_Window *window;
    SDL_Renderer *renderer; /* NULL: the adapter presents */
    view_screen *screen;    /* NULL: nothing reports screen times */
    SDL_Texture *texture;
    int texture_width, texture_height;
    bool vsync;
    es_input_clock clock; /* events' stamps, on the loop's clock */
    int64_t read_ns;      /* when SDL's was read last */
    char shows[96];
} window;

static void describe(window *own)
{
    SDL_RendererInfo info = {.name = "X11 Present"};
    if (own->renderer != NULL) {
        SDL_GetRendererInfo(own->renderer, &info);
    }
    bool granted = own->renderer == NULL || (info.flags & SDL_RENDERER_PRESENTVSYNC) != 0;
    snprintf(own->shows, sizeof own->shows, "%s, %s", info.name,
            !own->vsync ? "no vsync requested"
            : granted   ? "vsync"
                        : "vsync requested, not granted");
}

/* SDL falls back on drivers without visible windows; those must be requested. */
static bool can_be_seen(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    return getenv("SDL_VIDEODRIVER") != NULL
           || (strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0
                   && strcmp(driver, "evdev") != 0);
}

/* SDL2 knows whole Hz; 0 on virtual displays. */
static int64_t refresh_of(const window *own)
{
    SDL_DisplayMode mode;
    int display = SDL_GetWindowDisplayIndex(own->window);
    bool known = SDL_GetCurrentDisplayMode(display, &mode) == 0 && mode.refresh_rate > 0;
    return known ? INT64_C(1000000000) / mode.refresh_rate : 0;
}

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
    own->screen = view_screen_open(own->window, view->wishes.by_adapter, own->vsync, why);
    if (view->wishes.by_adapter && own->screen == NULL) {
        return why;
    }
    view->reports_by = own->screen != NULL ? view_screen_name(own->screen) : NULL;
    return NULL;
}

static const char *window_open(demo_view *view)
{
    window *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return "out of memory";
    }
    view->user = own;
    own->vsync = view->wishes.vsync;
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
    describe(own);
    view->shows = own->shows;
    view->refresh_ns = refresh_of(own);
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
    view->refresh_ns = refresh_of(view->user); /* it may be on another display */
}

/* SDL's clock counts ms since SDL_Init. Reading it gives the offset without waiting for events. */
static void read_clock(window *own, const demo_input *input)
{
    const es_clock *clock = &input->clock;
    if (own->read_ns == 0) {
        es_input_clock_config config = es_input_sdl2_clock();
        es_input_clock_init(&own->clock, &config, NULL);
    }
    if (own->read_ns == 0 || es_ns_sub(input->now_ns, own->read_ns) > CLOCK_EVERY_NS) {
        es_input_clock_read(&own->clock, SDL_GetTicks(), clock->now_ns(clock->user));
        own->read_ns = input->now_ns;
    }
}

static void take_button(
        const demo_view *view, const SDL_MouseButtonEvent *event, demo_input *input, int64_t at_ns)
{
    if (event->button >= 1 && event->button < 1 + DEMO_BUTTON_KEY) {
        take_mouse(view, event->x, event->y, input, at_ns);
        demo_input_button(input, event->button - 1, event->type == SDL_MOUSEBUTTONDOWN, at_ns);
    }
}

/* Any poll of SDL's events may find the connection broken. */
static bool next_event(const window *own, demo_input *input, SDL_Event *event)
{
    if (view_screen_gone(own->window)) {
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
        int64_t at_ns = es_input_clock_convert(&own->clock, event.common.timestamp, now_ns);
        switch (event.type) {
        case SDL_QUIT:
            input->quit = true;
            break;
        case SDL_KEYDOWN:
            if (event.key.keysym.sym == SDLK_ESCAPE) {
                demo_input_key(input, 'q', at_ns);
            }
            break;
        case SDL_TEXTINPUT:
            demo_input_key(input, event.text.text[0], at_ns);
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
        return view_screen_show(own->screen, image, frame);
    }
    if (!fit_texture(
                own, cairo_image_surface_get_width(image), cairo_image_surface_get_height(image))) {
        return false;
    }
    SDL_UpdateTexture(own->texture, NULL, cairo_image_surface_get_data(image),
            cairo_image_surface_get_stride(image));
    SDL_RenderCopy(own->renderer, own->texture, NULL, NULL);
    if (own->screen != NULL) {
        view_screen_before_swap(own->screen, frame);
    }
    SDL_RenderPresent(own->renderer);
    return true;
}

static bool window_feedback(demo_view *view, es_present_sample *sample)
{
    const window *own = view->user;
    bool more = view_screen_next(own->screen, sample);
    view->reports_ended = view_screen_ended(own->screen);
    return more;
}

static void window_close(demo_view *view)
{
    window *own = view->user;
    if (own == NULL) {
        return;
    }
    view_screen_close(own->screen);
    if (own->renderer != NULL) { /* with its texture */
        SDL_DestroyRenderer(own->renderer);
    }
    if (own->window != NULL) {
        SDL_DestroyWindow(own->window);
    }
    SDL_Quit();
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
