/* What the fragments of README.md and the guide leave out: the reader's own world and functions.
 * tests/readme.sh includes it before each fragment. A fragment runs for some frames. */
#include "evenstep/world.h"

#include <evenstep/evenstep.h>
#include <evenstep/world.h>

#include <stdio.h>

enum { GUIDE_FRAMES = 12 };

es_loop *loop;
es_frame frame;
bool running = true;
int guide_frames;

static inline bool poll_input(void)
{
    return ++guide_frames <= GUIDE_FRAMES;
}

static inline void handle_events(void)
{
    running = poll_input();
}

static inline void present(void)
{
#ifdef SDL_h_
    SDL_Event quit = {.type = SDL_QUIT};
    if (++guide_frames > GUIDE_FRAMES) {
        SDL_PushEvent(&quit);
    }
#endif
}

static inline double song_seconds(void)
{
    return 0.0;
}

static inline void think(int first, int items)
{
    printf("agents %d to %d\n", first, first + items - 1);
}

#ifndef GUIDE_OWN_WORLD
typedef struct world {
    float x, speed;
    double angle;
    float rotation[4];
} world;

world previous = {0, 0, 0, {0, 0, 0, 1}}, current = {0, 1, 0, {0, 0, 0, 1}};

#ifndef GUIDE_OWN_GAME
static inline void update(world *w, double dt)
{
    w->x += w->speed * (float)dt;
}
#else
static inline void update(double dt)
{
    current.x += current.speed * (float)dt;
}
#endif

static inline void save_previous_positions(void)
{
    previous = current;
}

static inline void draw(const world *from, const world *to, double alpha)
{
    if (from != NULL && to != NULL) {
        printf("x = %.3f\n", es_lerp((double)from->x, (double)to->x, alpha));
    }
}

static inline void draw_at(float x, double angle, const float rotation[4])
{
    printf("x = %.3f, %.3f, %.3f\n", (double)x, angle, (double)rotation[3]);
}

static inline void render(double alpha)
{
    draw(&previous, &current, alpha);
}
#endif

#ifdef SDL_h_
SDL_Window *window;
SDL_Renderer *renderer;
#endif

static inline void guide_begin(void)
{
    loop = es_loop_create(NULL);
#ifdef SDL_h_
    SDL_Init(SDL_INIT_VIDEO);
    SDL_CreateWindowAndRenderer(64, 64, 0, &window, &renderer);
#endif
}

static inline void guide_end(void)
{
#ifdef SDL_h_
    SDL_Quit();
#endif
    es_loop_destroy(loop);
}
