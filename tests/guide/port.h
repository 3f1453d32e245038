/* What a change of docs/porting.md leaves out, where it is no program: the game of game.h, and a loop. */
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
