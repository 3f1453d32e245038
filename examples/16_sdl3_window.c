/* CC0: copy freely.
 *
 * 16: Evenstep under an SDL3 window, with SDL's main callbacks.
 *
 * You will see: a white bar that crosses the window evenly, simulated at 30 ticks per second and
 * drawn at every refresh. The grey bar below shows the newest tick only: it judders. Space turns
 * both around, in the tick of the key press. A number of seconds makes it end by itself.
 */
#define SDL_MAIN_USE_CALLBACKS 1
#include "es_sdl3.h"

#include <SDL3/SDL_main.h>

#include <stdlib.h>

#define WIDTH 800

typedef struct world {
    float x; /* px; wrapped only when drawn, so that the blend never streaks back */
    float speed;
} world;

static SDL_Window *window;
static SDL_Renderer *renderer;
static es_sdl3 es;
static world current, previous; /* previous: one tick ago */
static Uint64 end_ms;           /* 0: never */

static void fill_bar(float x, float y, Uint8 grey)
{
    float in_window = SDL_fmodf(SDL_fmodf(x, WIDTH) + WIDTH, WIDTH);
    SDL_FRect bar = {in_window, y, 40.0F, 100.0F};
    SDL_SetRenderDrawColor(renderer, grey, grey, grey, 255);
    SDL_RenderFillRect(renderer, &bar);
    bar.x -= WIDTH; /* what sticks out on the right comes in on the left */
    SDL_RenderFillRect(renderer, &bar);
}

SDL_AppResult SDL_AppInit(void **state, int argc, char **argv)
{
    (void)state;
    static es_loop_config config;
    config.tick_rate = es_hz(30);
    current.speed = 400.0F;
    previous = current;
    if (!SDL_Init(SDL_INIT_VIDEO)
            || !SDL_CreateWindowAndRenderer("Evenstep 16: blended above, not blended below", WIDTH,
                    300, 0, &window, &renderer)) {
        SDL_Log("no window: %s", SDL_GetError());
        return SDL_APP_FAILURE;
    }
    SDL_SetRenderVSync(renderer, 1); /* presents block: the display paces the loop */
    end_ms = argc > 1 ? (Uint64)(1000.0 * atof(argv[1])) : 0;
    if (es_sdl3_open(&es, window, &config)) {
        return SDL_APP_CONTINUE;
    }
    SDL_Log("%s", es_get_error());
    return SDL_APP_FAILURE;
}

SDL_AppResult SDL_AppEvent(void *state, SDL_Event *event)
{
    (void)state;
    es_sdl3_event(&es, event);
    return event->type == SDL_EVENT_QUIT ? SDL_APP_SUCCESS : SDL_APP_CONTINUE;
}

SDL_AppResult SDL_AppIterate(void *state)
{
    es_frame frame;
    char status[160];
    (void)state;
    es_sdl3_next(&es, &frame);
    for (int i = 0; i < frame.ticks; ++i) {
        es_step step = es_sdl3_step(&es, &frame, i);
        previous = current;
        if (es_input_pressed(es.input, SDL_SCANCODE_SPACE)) {
            current.speed = -current.speed;
        }
        current.x += current.speed * (float)step.dt_s;
    }
    if (frame.visible && !frame.surplus) {
        SDL_SetRenderDrawColor(renderer, 20, 24, 32, 255);
        SDL_RenderClear(renderer);
        fill_bar(es_lerpf(previous.x, current.x, frame.alpha), 30.0F, 255);
        fill_bar(current.x, 170.0F, 110);
        SDL_RenderDebugText(renderer, 8, 8, es_loop_status(es.loop, status, sizeof status));
        es_sdl3_submit(&es, &frame);
        SDL_RenderPresent(renderer);
    }
    es_sdl3_end(&es); /* waits for the next frame: events are fresh then */
    return end_ms > 0 && SDL_GetTicks() >= end_ms ? SDL_APP_SUCCESS : SDL_APP_CONTINUE;
}

void SDL_AppQuit(void *state, SDL_AppResult result)
{
    (void)state, (void)result;
    SDL_Log("refreshes: %.3f ms apart (0: none)", es_loop_get_display(es.loop).period_ns / 1e6);
    es_sdl3_close(&es);
    SDL_DestroyRenderer(renderer);
    SDL_DestroyWindow(window);
}
