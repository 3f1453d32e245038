/* CC0: copy freely.
 *
 * 04: two threads: updates that take 30 ms, and frames that they do not disturb.
 *
 * You will see: a white bar that crosses the window evenly, at every refresh, although each of the
 * 30 updates per second keeps its thread busy for 30 of its 33 ms. Space pauses. At the end it
 * prints what was measured. Give a number of seconds to make it end by itself.
 */
#include "evenstep/evenstep.h"
#include "evenstep/world.h"
#include "evenstep/threaded.h"

#include <SDL.h>

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 800, HEIGHT = 300 };

typedef struct world {
    float x; /* px, grows for ever; wrapped only when drawn */
} world;

typedef struct app { /* what only the drawing thread touches */
    es_threaded threaded;
    SDL_Renderer *renderer;
    double seconds; /* 0: until it is closed */
    int frames;
    int held; /* frames that stood still, because their tick was late */
    int64_t last_ns, worst_ns;
} app;

/* The thread of the ticks. */
static int start(void *user, void *state)
{
    (void)user;
    *(world *)state = (world){0.0F};
    return 0;
}

static int update(void *user, const es_threaded_tick *tick)
{
    const world *previous = tick->previous;
    world *next = tick->state; /* to be written whole */
    (void)user;
    SDL_Delay(30); /* a lot of work */
    next->x = previous->x + 400.0F * (float)tick->step.dt_s;
    return 0; /* a negative number ends both sides with that error */
}

/* The thread that draws. */
static int input(void *user)
{
    app *a = user;
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        bool down = event.type == SDL_KEYDOWN;
        if (event.type == SDL_QUIT) {
            return 1; /* ends both sides */
        }
        if ((down || event.type == SDL_KEYUP) && event.key.keysym.sym == SDLK_SPACE) {
            es_threaded_pause(&a->threaded, down);
        }
    }
    return 0;
}

static int draw(void *user, const es_threaded_frame *shown)
{
    app *a = user;
    SDL_SetRenderDrawColor(a->renderer, 20, 24, 32, 255);
    SDL_RenderClear(a->renderer);
    if (shown->status != ES_THREADED_EMPTY) { /* the first state is there */
        const world *previous = shown->previous;
        const world *current = shown->current;
        float x = es_lerpf(previous->x, current->x, shown->frame.alpha);
        SDL_FRect bar = {x - (float)((int)x / WIDTH * WIDTH) - 40.0F, 100.0F, 40.0F, 100.0F};
        SDL_SetRenderDrawColor(a->renderer, 255, 255, 255, 255);
        SDL_RenderFillRectF(a->renderer, &bar);
    }
    a->held += shown->status == ES_THREADED_HELD;
    return 0;
}

static int present(void *user)
{
    return SDL_RenderPresent(((app *)user)->renderer), 0;
}

static int report(void *user, const es_report *report)
{
    app *a = user;
    if (a->frames++ > 10 && report->shown_ns - a->last_ns > a->worst_ns) { /* the window is open */
        a->worst_ns = report->shown_ns - a->last_ns;
    }
    a->last_ns = report->shown_ns;
    return a->seconds > 0.0 && SDL_GetTicks() >= a->seconds * 1000.0;
}

int main(int argc, char **argv)
{
    static app a;
    const es_threaded_callbacks calls = {start, update, input, draw, present, report};
    es_threaded_config config = {.loop.tick_rate = {30, 1}, .state_size = sizeof(world)};
    SDL_Window *window = NULL;
    a.seconds = argc > 1 ? atof(argv[1]) : 0.0;
    if (SDL_Init(SDL_INIT_VIDEO) != 0
            || SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &a.renderer) != 0) {
        SDL_Log("no window: %s", SDL_GetError());
        return 1;
    }
    size_t size = es_threaded_memory_size(&config);
    void *memory = malloc(size);
    int result = es_threaded_init(&a.threaded, &config, memory, size, NULL);
    result = result == ES_OK ? es_threaded_run(&a.threaded, &calls, &a) : result;
    printf("%d frames, %d of them held; the longest took %.1f ms; result %d\n", a.frames, a.held,
            (double)a.worst_ns / 1e6, result);
    free(memory);
    SDL_Quit(); /* and the window */
    return result == ES_OK ? 0 : 1;
}
