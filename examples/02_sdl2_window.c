/* CC0: copy freely.
 *
 * 02: Evenstep in an SDL2 window, by adapters/es_sdl2.h.
 *
 * You will see: a white bar that crosses the window evenly, simulated at 30 ticks per second. The
 * grey bar below shows the newest tick only: it judders. Space: they jump. R loads a level. P pauses:
 * the program then sleeps until an event comes. The title tells what is known. A number of seconds makes it end by itself.
 */
#include "es_sdl2.h"

enum { WIDTH = 800, HEIGHT = 300 };

typedef struct world {
    float x, y;  /* px; x grows for ever and is wrapped when drawn; y is above the ground */
    float rises; /* px per second */
} world;

static void update(world *w, float dt_s, bool jump)
{
    w->rises = jump && w->y <= 0.0F ? 300.0F : w->rises - 1000.0F * dt_s;
    w->y = SDL_max(w->y + w->rises * dt_s, 0.0F);
    w->x += 400.0F * dt_s;
}

static void draw_bar(SDL_Renderer *renderer, float x, float y, Uint8 grey)
{
    SDL_FRect bar = {SDL_fmodf(x, WIDTH), y, 40.0F, 80.0F};
    SDL_SetRenderDrawColor(renderer, grey, grey, grey, 255);
    SDL_RenderFillRectF(renderer, &bar);
    bar.x -= WIDTH; /* what sticks out on the right comes in on the left */
    SDL_RenderFillRectF(renderer, &bar);
}

static void run(SDL_Renderer *renderer, es_sdl2 *es, double seconds)
{
    world previous = {0}, current = {0};
    bool running = true, paused = false;
    char status[160];
    for (es_frame frame; running;) {
        if (paused && es_loop_idle(es->loop)) { /* the game does not see this time */
            SDL_WaitEvent(NULL);
        }
        running = es_sdl2_next(es, &frame); /* waits */
        SDL_Event event;
        while (SDL_PollEvent(&event)) {
            es_sdl2_event(es, &event);
            running = running && event.type != SDL_QUIT;
            if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_p && !event.key.repeat) {
                es_loop_set_paused(es->loop, paused = !paused);
            }
        }
        for (int i = 0; i < frame.ticks; ++i) {
            es_step step = es_sdl2_step(es, &frame, i);
            previous = current;
            update(&current, (float)step.dt_s, es_input_pressed(es->input, SDL_SCANCODE_SPACE) > 0);
            if (es_input_pressed(es->input, SDL_SCANCODE_R)) {
                SDL_Delay(500);           /* as if from a disk ... */
                es_loop_resync(es->loop); /* ... which the game does not catch up */
            }
        }
        if (frame.index % 60 == 0) {
            es_loop_status(es->loop, status, sizeof status);
            SDL_SetWindowTitle(SDL_RenderGetWindow(renderer), status);
        }
        if (frame.visible) {
            SDL_SetRenderDrawColor(renderer, 20, 24, 32, 255);
            SDL_RenderClear(renderer);
            draw_bar(renderer, es_lerpf(previous.x, current.x, frame.alpha),
                    60.0F - es_lerpf(previous.y, current.y, frame.alpha), 255);
            draw_bar(renderer, current.x, 210.0F - current.y, 110);
            es_sdl2_submit(es, &frame);
            SDL_RenderPresent(renderer); /* waits for the display */
        }
        running = running && (seconds <= 0.0 || SDL_GetTicks() < seconds * 1000.0);
    }
}

int main(int argc, char **argv)
{
    SDL_Window *window = NULL;
    SDL_Renderer *renderer = NULL;
    es_sdl2 es;
    int status = 1;
    es_loop_config config = {0};
    config.tick_rate = es_hz(30);
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1"); /* presents block: the display paces the loop */
    if (SDL_Init(SDL_INIT_VIDEO) != 0
            || SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &renderer) != 0) {
        SDL_Log("no window: %s", SDL_GetError());
    } else if (!es_sdl2_open(&es, window, &config)) {
        SDL_Log("%s", es_get_error());
    } else {
        run(renderer, &es, argc > 1 ? SDL_atof(argv[1]) : 0.0);
        es_display display = es_loop_get_display(es.loop);
        SDL_Log("refreshes: %.3f ms apart%s", display.period_ns / 1e6, display.feedback ? ", with screen times" : "");
        es_sdl2_close(&es);
        status = 0;
    }
    SDL_Quit();
    return status;
}
