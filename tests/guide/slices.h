/* The guide's slices in idle time, in virtual time, on a display of $HZ with a queue of two frames. Drawing
 * and items take 89 % of the time; drawing alone takes $DRAW % of that. Prints the share of the refreshes
 * that show a new frame, in %. */
#include "examples/virtual_clock.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct world {
    float x;
} world;

static world previous, current;
static es_loop *loop;
static es_frame frame;
static virtual_clock at;
static double hz, share;                  /* of drawing in all work */
static int64_t flips[2], frames, counted; /* the last two frames' refreshes */

#define es_now_ns() at.now_ns

static inline void work(double ns)
{
    virtual_clock_work(&at, (int64_t)ns);
}

static inline void draw(const world *from, const world *to, double alpha)
{
    (void)from, (void)to, (void)alpha;
    work(share * 0.89e9 / hz);
}

static inline void think(int32_t first, int32_t items) /* 500 in 12 ticks of 60 per second */
{
    (void)first;
    work((1.0 - share) * 0.89e9 * items * 12 / 60 / 500);
}

static inline void present(void) /* waits until the frame before is seen */
{
    int64_t refresh = (int64_t)((double)at.now_ns * hz / 1e9) + 1;
    refresh = refresh > flips[1] ? refresh : flips[1] + 1;
    flips[0] = flips[1];
    flips[1] = refresh;
    frames += 1;
    virtual_clock_wait(&at, (int64_t)((double)flips[0] * 1e9 / hz) + 50000);
}

static inline bool poll_input(void) /* 20 s; the first five are not counted */
{
    counted = at.now_ns < 5 * ES_NS_PER_S ? frames : counted;
    return at.now_ns < 20 * ES_NS_PER_S;
}

static inline void guide_begin(void)
{
    es_loop_config config = {.clock = virtual_clock_get(&at)};
    hz = atof(getenv("HZ"));
    share = atof(getenv("DRAW")) / 100.0;
    at.now_ns = ES_NS_PER_S;
    loop = es_loop_create(&config);
}

static inline void guide_end(void)
{
    printf("%.1f\n", 100.0 * (double)(frames - counted) / (15.0 * hz));
    es_loop_destroy(loop);
}
