/* What the fragments with two sides of docs/porting.md leave out: the game of game.h, and a loop. */
#ifndef GUIDE_PORT_H
#define GUIDE_PORT_H

#include "evenstep/evenstep.h"

#include "game.h"

world previous = {0}, current = {0};
es_loop *loop;
es_frame frame;

static inline void SDL_Delay(unsigned ms)
{
    es_wait_until(es_now_ns() + ms * ES_NS_PER_MS);
}

static inline void guide_begin(void)
{
    loop = es_loop_create(NULL);
}

static inline void guide_end(void)
{
    es_loop_destroy(loop);
}

#endif
