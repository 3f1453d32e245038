/* CC0: copy freely.
 *
 * 04: two threads: updates that take 30 ms, and frames that they do not disturb.
 *
 * You will see: a white bar that crosses the window evenly, at every refresh, although each of the
 * 30 updates per second keeps its thread busy for 30 of its 33 ms. Space pauses, R starts anew. At
 * the end it prints what was measured. Give a number of seconds to make it end by itself.
 */
#include "evenstep/threads.h"
#include "evenstep/world.h"

#include <SDL.h>

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 800, HEIGHT = 300 };

typedef struct world {
    float x; /* px, grows for ever; wrapped only when drawn */
} world;

/* The thread of the ticks: one tick. The state must be written whole. */
static void update(void *user, void *state, const void *previous, const es_step *step)
{
    (void)user;
    SDL_Delay(30); /* a lot of work */
    ((world *)state)->x = ((const world *)previous)->x + 400.0F * (float)step->dt_s;
}

/* The thread of the ticks, between two of them. */
static bool start_anew(void *user, void *state, int64_t *tick)
{
    (void)user;
    ((world *)state)->x = 0.0F;
    *tick = 0;
    return true; /* the game goes on from there */
}

/* False: the window was closed. */
static bool input(es_loop *loop, es_threads *threads)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        bool down = event.type == SDL_KEYDOWN;
        if (event.type == SDL_QUIT) {
            return false;
        }
        if ((down || event.type == SDL_KEYUP) && event.key.keysym.sym == SDLK_SPACE) {
            es_loop_set_paused(loop, down);
        } else if (down && event.key.keysym.sym == SDLK_r) {
            es_threads_call(threads, start_anew, NULL);
        }
    }
    return true;
}

static void draw(SDL_Renderer *renderer, const es_view *view, double alpha)
{
    const world *previous = view->previous;
    const world *current = view->current;
    float x = es_lerpf(previous->x, current->x, alpha);
    SDL_FRect bar = {x - (float)((int)x / WIDTH * WIDTH) - 40.0F, 100.0F, 40.0F, 100.0F};
    SDL_SetRenderDrawColor(renderer, 20, 24, 32, 255);
    SDL_RenderClear(renderer);
    SDL_SetRenderDrawColor(renderer, 255, 255, 255, 255);
    SDL_RenderFillRectF(renderer, &bar);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.0; /* 0: until it is closed */
    int frames = 0, held = 0;                        /* held: stood still, as their tick was late */
    int64_t last_ns = 0, worst_ns = 0;
    const world first = {0.0F};
    const es_loop_config config = {.tick_rate = {30, 1}};
    const es_threads_config threaded = {.state_size = sizeof(world),
            .state = &first,
            .update = update,
            .stop_without_frames = true}; /* the bar waits while the window is hidden */
    SDL_Window *window = NULL;
    SDL_Renderer *renderer = NULL;
    es_frame frame;
    es_view view;
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1");
    if (SDL_Init(SDL_INIT_VIDEO) != 0
            || SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &renderer) != 0) {
        SDL_Log("no window: %s", SDL_GetError());
        return 1;
    }
    es_loop *loop = es_loop_create(&config);
    es_threads *threads = es_threads_start(loop, &threaded);
    if (threads == NULL) {
        SDL_Log("no threads: %s", es_get_error());
        return 1;
    }
    while (es_loop_next(loop, &frame) && input(loop, threads)) {
        const es_report *report = es_loop_get_report(loop); /* of the frame before */
        if (report != NULL && frames > 10 && report->shown_ns - last_ns > worst_ns) {
            worst_ns = report->shown_ns - last_ns; /* the window is open since a while */
        }
        last_ns = report != NULL ? report->shown_ns : 0;
        if (seconds > 0.0 && SDL_GetTicks() >= seconds * 1000.0) {
            break;
        }
        es_threads_view(threads, &view);
        draw(renderer, &view, frame.alpha);
        es_loop_submit(loop);
        SDL_RenderPresent(renderer);
        held += view.late_ns > 0;
        frames += 1;
    }
    printf("%d frames, %d of them held; the longest took %.1f ms\n", frames, held,
            (double)worst_ns / 1e6);
    es_threads_stop(threads, NULL);
    es_loop_destroy(loop);
    SDL_Quit(); /* and the window */
    return 0;
}
