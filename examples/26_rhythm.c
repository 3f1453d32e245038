/* CC0: copy freely.
 *
 * 26: the picture follows the sound. A bar meets the line when a click is heard.
 *
 * You will see: a bar that crosses the window twice per second, and how far it was from the sound. Space tells
 * how far from the beat it was pressed. Left and right move the bar by 5 ms, for loudspeakers with a delay. P
 * pauses. A number of seconds makes it end by itself.
 */
#include "es_sdl2.h"
#include "evenstep/follow.h"

enum { WIDTH = 800, HEIGHT = 200, RATE = 48000, BEAT = RATE / 2 };

typedef struct song {
    es_follower *follower;
    int64_t asked, offset_ns; /* samples that SDL has asked for */
    bool paused;
} song;

/* SDL's thread. The block before this one is being heard now. */
static void play(void *user, Uint8 *bytes, int size)
{
    song *s = user;
    float *samples = (float *)(void *)bytes;
    int count = size / (int)sizeof *samples;
    es_follower_add(s->follower, (s->asked - count) * ES_NS_PER_S / RATE, es_now_ns());
    for (int i = 0; i < count; ++i) {
        int64_t beat = (s->asked + i) % BEAT; /* a click of 20 ms */
        samples[i] = beat < RATE / 50 ? 0.3F * SDL_sinf((float)beat * 0.13F) : 0.0F;
    }
    s->asked += count;
}

static void draw(SDL_Renderer *renderer, int64_t content_ns)
{
    const double beats = (double)content_ns * RATE / BEAT / ES_NS_PER_S;
    const double way = beats + 0.5 - SDL_floor(beats + 0.5); /* in the middle at each beat */
    const SDL_FRect bar = {(float)(way * WIDTH) - 5.0F, 60.0F, 10.0F, 80.0F};
    const SDL_FRect line = {WIDTH / 2.0F - 1.0F, 0.0F, 2.0F, HEIGHT};
    SDL_SetRenderDrawColor(renderer, 20, 24, 32, 255);
    SDL_RenderClear(renderer);
    SDL_SetRenderDrawColor(renderer, 255, 255, 255, 255);
    SDL_RenderFillRectF(renderer, &line);
    SDL_RenderFillRectF(renderer, &bar);
}

static void press(es_loop *loop, song *s, SDL_Keycode key)
{
    int64_t heard_ns = 0;
    s->offset_ns += ((key == SDLK_RIGHT) - (key == SDLK_LEFT)) * 5 * ES_NS_PER_MS;
    if (key == SDLK_SPACE && es_follower_at(s->follower, es_now_ns(), &heard_ns)) {
        int64_t beat_ns = BEAT * ES_NS_PER_S / RATE, off_ns = (heard_ns + beat_ns / 2) % beat_ns;
        SDL_Log("%+.0f ms", (double)(off_ns - beat_ns / 2) / 1e6);
    } else if (key == SDLK_p) {
        SDL_PauseAudio(s->paused = !s->paused);
        es_loop_set_paused(loop, s->paused);
        es_follower_reset(s->follower); /* the sound's clock stands */
    }
}

static void run(SDL_Renderer *renderer, es_sdl2 *es, song *s, double seconds)
{
    es_frame frame;
    SDL_Event event;
    for (bool running = true; running;) {
        es_loop_follow(es->loop, s->follower, s->offset_ns);
        running = es_sdl2_next(es, &frame);
        while (SDL_PollEvent(&event)) {
            es_sdl2_event(es, &event);
            running = running && event.type != SDL_QUIT;
            press(es->loop, s, event.type == SDL_KEYDOWN ? event.key.keysym.sym : 0);
        }
        for (int i = 0; i < frame.ticks; ++i) {
            (void)es_sdl2_step(es, &frame, i);
        }
        if (frame.visible) {
            draw(renderer, frame.content_ns);
            es_sdl2_submit(es, &frame);
            SDL_RenderPresent(renderer);
        }
        running = running && (seconds <= 0 || SDL_GetTicks() < seconds * 1000);
    }
    const es_follower_status status = es_follower_get_status(s->follower);
    SDL_Log("%d readings of the sound card, %.0f ppm fast; the picture is %.2f ms off",
            (int)status.readings, (status.rate - 1) * 1e6, (double)status.behind_ns / 1e6);
}

int main(int argc, char **argv)
{
    song s = {.follower = es_follower_create(NULL)};
    SDL_Window *window = NULL;
    SDL_Renderer *renderer = NULL;
    es_sdl2 es;
    SDL_AudioSpec wanted = {.freq = RATE,
            .format = AUDIO_F32SYS,
            .channels = 1,
            .samples = 512,
            .callback = play,
            .userdata = &s};
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1");
    int status = SDL_Init(SDL_INIT_VIDEO | SDL_INIT_AUDIO) != 0
                 || SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &renderer) != 0
                 || SDL_OpenAudio(&wanted, NULL) != 0;
    if (status != 0 || !es_sdl2_open(&es, window, NULL)) {
        SDL_Log("%s; %s", SDL_GetError(), es_get_error());
        return 1;
    }
    SDL_PauseAudio(0);
    run(renderer, &es, &s, argc > 1 ? SDL_atof(argv[1]) : 0.0);
    SDL_CloseAudio(); /* before the follower */
    es_sdl2_close(&es);
    es_follower_destroy(s.follower);
    SDL_Quit();
    return 0;
}
