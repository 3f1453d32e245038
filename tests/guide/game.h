/* The game of docs/porting.md, which tests/readme.sh compiles with the loops of both sides. It moves at
 * 1000 px/s and draws a line of text. Presents block until the next refresh, at 500 Hz. */
#ifndef GUIDE_GAME_H
#define GUIDE_GAME_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

typedef struct world {
    double x;
} world;

static inline void update(world *w, double dt)
{
    w->x += 1000.0 * dt;
}

static inline void draw(const world *from, const world *to, double alpha)
{
    printf("%.3f\n", from->x + alpha * (to->x - from->x));
}

static inline double seconds(void) /* since the first call */
{
    static time_t first;
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    first = first != 0 ? first : now.tv_sec;
    return (double)(now.tv_sec - first) + 1e-9 * (double)now.tv_nsec;
}

static inline bool poll_input(void) /* for 0.3 s */
{
    static double begin;
    begin = begin > 0 ? begin : seconds();
    return seconds() < begin + 0.3;
}

static inline void present(void)
{
    double refresh = (double)(long long)(seconds() * 500.0);
    while ((double)(long long)(seconds() * 500.0) <= refresh) {
    }
}

#endif
