/* SPDX-License-Identifier: Zlib
 *
 * A window by an adapter, for tests/adapters.sh: ADAPTER_SDL2 or ADAPTER_GLFW is defined.
 *
 *   adapter_window SECONDS      100 ticks per second; the space bar is what is counted
 *
 * Prints a row after each 20 ms, of what has been so far, at the end the last one:
 *   ms ticks, the most in a frame since the row before, frames drawn, frames not visible, presses and
 *   releases of the space bar, width and height of the window, refresh announced (Hz),
 *   display mode and refresh (us)
 */
#if defined(ADAPTER_SDL2)
#include "adapters/es_sdl2.h"
#define ES(verb) es_sdl2_##verb
#elif defined(ADAPTER_GLFW)
#include "adapters/es_glfw.h"
#define ES(verb) es_glfw_##verb
#endif

#include <stdio.h>
#include <stdlib.h>

typedef struct counts {
    int64_t begun_ns, printed_ns;
    int ticks, most, drawn, unseen, presses, releases, width, height;
} counts;

#if defined(ADAPTER_SDL2)

typedef es_sdl2 adapter;
static SDL_Window *window;
static SDL_Renderer *renderer;
enum { SPACE = SDL_SCANCODE_SPACE };

static bool open_window(adapter *es, const es_loop_config *config)
{
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1");
    return SDL_Init(SDL_INIT_VIDEO) == 0
           && SDL_CreateWindowAndRenderer(320, 200, SDL_WINDOW_RESIZABLE, &window, &renderer) == 0
           && es_sdl2_open(es, window, config);
}

static bool read_events(adapter *es)
{
    bool running = true;
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        es_sdl2_event(es, &event);
        running = running && event.type != SDL_QUIT;
    }
    return running;
}

static void draw(int shade, counts *seen)
{
    SDL_GetWindowSize(window, &seen->width, &seen->height);
    SDL_SetRenderDrawColor(renderer, (Uint8)shade, 255, 255, 255);
    SDL_RenderClear(renderer);
}

static void present(void)
{
    SDL_RenderPresent(renderer);
}

static void close_window(void)
{
    SDL_Quit();
}

#else

typedef es_glfw adapter;
static GLFWwindow *window;
enum { SPACE = GLFW_KEY_SPACE };

static bool open_window(adapter *es, const es_loop_config *config)
{
    if (glfwInit() == GLFW_TRUE) {
        window = glfwCreateWindow(320, 200, "adapter_window", NULL, NULL);
    }
    if (window == NULL) {
        return false;
    }
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    return es_glfw_open(es, window, config);
}

static bool read_events(adapter *es)
{
    es_glfw_poll(es);
    return !glfwWindowShouldClose(window);
}

static void draw(int shade, counts *seen)
{
    glfwGetWindowSize(window, &seen->width, &seen->height);
    glClearColor((float)shade / 255.0F, 1.0F, 1.0F, 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void present(void)
{
    glfwSwapBuffers(window);
}

static void close_window(void)
{
    glfwTerminate();
}

#endif

static void print(adapter *es, counts *seen, int64_t now_ns)
{
    es_display display = es_loop_get_display(es->loop);
    printf("%d %d %d %d %d %d %d %d %d %u %d %.0f\n",
            (int)((now_ns - seen->begun_ns) / ES_NS_PER_MS), seen->ticks, seen->most, seen->drawn,
            seen->unseen, seen->presses, seen->releases, seen->width, seen->height,
            (unsigned)es_loop_get_config(es->loop).refresh.numerator, (int)display.mode,
            display.period_ns / 1e3);
    fflush(stdout);
    seen->printed_ns = now_ns;
    seen->most = 0;
}

static void run(adapter *es, double seconds)
{
    counts seen = {0};
    es_frame frame;
    seen.begun_ns = es_now_ns();
    for (int64_t now_ns = seen.begun_ns; (double)(now_ns - seen.begun_ns) < seconds * 1e9;
            now_ns = es_now_ns()) {
        if (!ES(next)(es, &frame) || !read_events(es)) {
            break;
        }
        for (int i = 0; i < frame.ticks; ++i) {
            ES(step)(es, &frame, i);
            seen.presses += es_input_pressed(es->input, SPACE);
            seen.releases += es_input_released(es->input, SPACE);
        }
        seen.ticks += frame.ticks;
        seen.most = frame.ticks > seen.most ? frame.ticks : seen.most;
        if (frame.visible) {
            draw(seen.ticks % 256, &seen);
            ES(submit)(es, &frame);
            present();
            seen.drawn += 1;
        } else {
            seen.unseen += 1;
        }
        if (now_ns - seen.printed_ns >= 20 * ES_NS_PER_MS) {
            print(es, &seen, now_ns);
        }
    }
    print(es, &seen, es_now_ns());
}

int main(int argc, char **argv)
{
    adapter es;
    es_loop_config config = {0};
    config.tick_rate = es_hz(100);
    if (!open_window(&es, &config)) {
        fprintf(stderr, "no window\n");
        return 1;
    }
    run(&es, argc > 1 ? atof(argv[1]) : 1.0);
    ES(close)(&es);
    close_window();
    return 0;
}
