/* CC0: copy freely.
 *
 * 02: Evenstep under an SDL2 window.
 *
 * You will see: a white bar that crosses the window evenly, simulated at 30 ticks per second and
 * drawn at every refresh. The grey bar below shows the newest tick only: it judders. Hold space to
 * pause; L toggles low latency, R loads the level anew. A number of seconds makes it end by itself.
 */
#include "evenstep/world.h"

#include <SDL.h>

#include <stdlib.h>

enum { WIDTH = 800, HEIGHT = 300 };

typedef struct world {
    float x; /* px, grows for ever; wrapped only when drawn, so that it never streaks back */
    float previous_x; /* one tick ago */
} world;

static void fill_bar(SDL_Renderer *renderer, float x, float y, Uint8 grey)
{
    SDL_FRect bar = {SDL_fmodf(x, WIDTH), y, 40.0F, 100.0F};
    SDL_SetRenderDrawColor(renderer, grey, grey, grey, 255);
    SDL_RenderFillRectF(renderer, &bar);
    bar.x -= WIDTH; /* what sticks out on the right comes in on the left */
    SDL_RenderFillRectF(renderer, &bar);
}

static void draw(SDL_Renderer *renderer, float seen_x, float newest_x)
{
    SDL_SetRenderDrawColor(renderer, 20, 24, 32, 255);
    SDL_RenderClear(renderer);
    fill_bar(renderer, seen_x, 30.0F, 255);
    fill_bar(renderer, newest_x, 170.0F, 110);
}

static bool poll(es_loop *loop, world *w)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        bool down = event.type == SDL_KEYDOWN;
        SDL_Keycode key = down || event.type == SDL_KEYUP ? event.key.keysym.sym : SDLK_UNKNOWN;
        if (event.type == SDL_QUIT || (down && key == SDLK_ESCAPE)) {
            return false;
        }
        if (key == SDLK_SPACE) {
            es_loop_set_paused(loop, down);
        } else if (down && key == SDLK_l) {
            es_loop_config config = es_loop_get_config(loop); /* as a settings menu would */
            config.low_latency = !config.low_latency;
            es_loop_configure(loop, &config);
        } else if (down && key == SDLK_r) {
            const world start = {0};
            *w = start;
            SDL_Delay(500);       /* as if from a disk ... */
            es_loop_resync(loop); /* ... which the game does not catch up */
        }
    }
    return true;
}

/* What the system announces, {0, 0} where it does not: a hint. */
static es_rate announced(SDL_Window *window)
{
    const es_rate unknown = {0, 0};
    SDL_DisplayMode mode;
    bool known = SDL_GetCurrentDisplayMode(SDL_GetWindowDisplayIndex(window), &mode) == 0;
    return known && mode.refresh_rate > 0 ? es_hz(mode.refresh_rate) : unknown;
}

static void run(SDL_Renderer *renderer, es_loop *loop, double seconds)
{
    world w = {0};
    es_frame frame;
    while (es_loop_next(loop, &frame) && poll(loop, &w)) {
        for (int i = 0; i < frame.ticks; ++i) {
            w.previous_x = w.x;
            w.x += (float)(400.0 * frame.tick_s);
        }
        draw(renderer, es_lerpf(w.previous_x, w.x, frame.alpha), w.x);
        es_loop_submit(loop);
        SDL_RenderPresent(renderer);
        if (seconds > 0.0 && SDL_GetTicks() >= seconds * 1000.0) {
            break;
        }
    }
}

int main(int argc, char **argv)
{
    SDL_Window *window = NULL;
    SDL_Renderer *renderer = NULL;
    es_loop_config config = {0};
    config.tick_rate = es_hz(30);
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1"); /* presents block: the display paces the loop */
    if (SDL_Init(SDL_INIT_VIDEO) != 0
            || SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &renderer) != 0) {
        SDL_Log("no window: %s", SDL_GetError());
        SDL_Quit();
        return 1;
    }
    SDL_SetWindowTitle(window, "Evenstep 02: blended above, not blended below");
    config.refresh = announced(window);
    es_loop *loop = es_loop_create(&config);
    if (loop == NULL) {
        SDL_Log("%s", es_get_error());
    } else {
        run(renderer, loop, argc > 1 ? atof(argv[1]) : 0.0);
        SDL_Log("refreshes: %.3f ms apart (0: none found)", es_loop_display(loop).period_ns / 1e6);
        const char *problem = es_loop_problem(loop);
        SDL_Log("problem: %s", problem != NULL ? problem : "none");
    }
    es_loop_destroy(loop);
    SDL_DestroyRenderer(renderer);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return 0;
}
