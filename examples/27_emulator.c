/* CC0: copy freely.
 *
 * 27: an emulator. Each frame of the console is shown for whole refreshes, and the sound keeps up.
 *
 * A CHIP-8 with a frame rate of its own draws a dot that beeps at the walls. Where the display's rate is
 * within 1 % of the console's, the console runs at the display's, and its sound is resampled.
 *   27_emulator [SECONDS [RATE]]    RATE: 59.7275 (Game Boy) by default, 60.0988 (SNES)
 *
 * You will see: the dot, and at the end how many of the console's frames were never shown, how many frames
 * showed nothing new, how often the sound ran out, and its pitch.
 */
#include "es_sdl2.h"
#include "evenstep/follow.h"

enum { WIDTH = 64, HEIGHT = 32, SAMPLES_PER_S = 48000, BUFFER = 4096, PER_FRAME = 11 };

/* --- the console ------------------------------------------------------------------------------ */

typedef struct console {
    Uint8 memory[4096], v[16], screen[HEIGHT][WIDTH], delay, sound;
    Uint16 pc, i, stack[16];
    int depth;
} console;

static const Uint8 program[] = {0x60, 1, 0x61, 14, 0x62, 1, 0xa2, 0x40,    /* x, y, dx; the dot */
        0xd0, 0x14, 0x63, 1, 0xf3, 0x15, 0xf3, 0x07, 0x33, 0, 0x12, 0x0e,  /* draw, wait a frame */
        0xd0, 0x14, 0x80, 0x24, 0x40, 56, 0x22, 0x28, 0x40, 0, 0x22, 0x30, /* move; at a wall */
        0x12, 0x08, 0, 0, 0, 0, 0, 0, 0x62, 255, 0x64, 6, 0xf4, 0x18, 0, 0xee, /* turn, beep */
        0x62, 1, 0x64, 6, 0xf4, 0x18, 0, 0xee, 0, 0, 0, 0, 0, 0, 0, 0, 0x3c, 0x7e, 0x7e, 0x3c};

static void draw_sprite(console *c, int x, int y, int rows)
{
    for (int row = 0; row < rows; ++row) {
        for (int bit = 0; bit < 8; ++bit) {
            Uint8 on = c->memory[(c->i + row) & 4095] >> (7 - bit) & 1;
            c->screen[(y + row) % HEIGHT][(x + bit) % WIDTH] ^= on;
        }
    }
}

/* The instructions that the program uses. */
static void run_instruction(console *c)
{
    Uint8 high = c->memory[c->pc & 4095], low = c->memory[(c->pc + 1) & 4095];
    Uint8 *x = &c->v[high & 15], y = c->v[low >> 4];
    Uint16 address = (Uint16)((high & 15) << 8 | low);
    c->pc = (Uint16)(c->pc + 2);
    switch (high >> 4) {
    case 0x0:
        c->pc = low == 0xee && c->depth > 0 ? c->stack[--c->depth] : c->pc;
        break;
    case 0x1:
        c->pc = address;
        break;
    case 0x2:
        c->stack[c->depth] = c->pc;
        c->depth = (c->depth + 1) & 15;
        c->pc = address;
        break;
    case 0x3:
        c->pc = (Uint16)(c->pc + (*x == low ? 2 : 0));
        break;
    case 0x4:
        c->pc = (Uint16)(c->pc + (*x != low ? 2 : 0));
        break;
    case 0x6:
        *x = low;
        break;
    case 0x8:
        *x = (Uint8)(*x + y);
        break;
    case 0xa:
        c->i = address;
        break;
    case 0xd:
        draw_sprite(c, *x, y, low & 15);
        break;
    case 0xf:
        *x = low == 0x07 ? c->delay : *x;
        c->delay = low == 0x15 ? *x : c->delay;
        c->sound = low == 0x18 ? *x : c->sound;
        break;
    default:
        break;
    }
}

static void run_frame(console *c)
{
    c->delay = (Uint8)(c->delay - (c->delay > 0));
    c->sound = (Uint8)(c->sound - (c->sound > 0));
    for (int n = 0; n < PER_FRAME; ++n) {
        run_instruction(c);
    }
}

/* --- its sound -------------------------------------------------------------------------------- */

typedef struct sound {
    SDL_AudioDeviceID device;
    double rate;         /* of the console's frames */
    double phase, place; /* of the beep; of the next sample, in samples of the console */
    double fill, ratio;  /* of the buffer, a mean; samples made per sample of the console */
    int empty;
} sound;

/* The console's samples of a frame, in as many as keep the buffer half full. */
static void play_frame(sound *s, const console *c, const es_loop *loop)
{
    float samples[8192];
    int count = 0;
    double queued = SDL_GetQueuedAudioSize(s->device) / (double)sizeof samples[0];
    s->empty += queued == 0;
    s->fill += (queued / BUFFER - s->fill) / 32;
    s->ratio = es_loop_sound_ratio(loop, s->fill, 0.005);
    for (s->place += SAMPLES_PER_S / s->rate; s->place > 0 && count < 8192; ++count) {
        s->place -= 1 / s->ratio;
        s->phase += 440 / s->ratio / SAMPLES_PER_S;
        s->phase -= SDL_floor(s->phase);
        samples[count] = c->sound == 0 ? 0.0F : s->phase < 0.5 ? 0.1F : -0.1F;
    }
    if (queued < BUFFER) { /* else after a stall: this is dropped */
        SDL_QueueAudio(s->device, samples, (Uint32)(count * (int)sizeof samples[0]));
    }
}

/* --- frames ----------------------------------------------------------------------------------- */

static void draw(SDL_Renderer *renderer, const console *c)
{
    SDL_SetRenderDrawColor(renderer, 20, 24, 32, 255);
    SDL_RenderClear(renderer);
    SDL_SetRenderDrawColor(renderer, 255, 255, 255, 255);
    for (int y = 0; y < HEIGHT; ++y) {
        for (int x = 0; x < WIDTH; ++x) {
            const SDL_Rect pixel = {x * 10, y * 10, 10, 10};
            if (c->screen[y][x]) {
                SDL_RenderFillRect(renderer, &pixel);
            }
        }
    }
}

static void run(SDL_Renderer *renderer, es_sdl2 *es, sound *s, double seconds)
{
    static console c = {.pc = 0x200};
    SDL_memcpy(c.memory + c.pc, program, sizeof program);
    int repeats = 0, skipped = 0;
    SDL_Event event;
    es_frame frame;
    for (bool running = true; running;) {
        running = es_sdl2_next(es, &frame);
        while (SDL_PollEvent(&event)) {
            es_sdl2_event(es, &event);
            running = running && event.type != SDL_QUIT;
        }
        for (int i = 0; i < frame.ticks; ++i) {
            (void)es_sdl2_step(es, &frame, i);
            run_frame(&c);
            play_frame(s, &c, es->loop);
        }
        skipped += frame.ticks > 1 ? frame.ticks - 1 : 0;
        repeats += frame.ticks == 0;
        draw(renderer, &c);
        es_sdl2_submit(es, &frame);
        SDL_RenderPresent(renderer);
        running = running && (seconds <= 0 || SDL_GetTicks() < seconds * 1000);
    }
    SDL_Log("%d console frames not shown, %d frames with nothing new, sound empty %d times, pitch "
            "%+.2f %%",
            skipped, repeats, s->empty, 100 / s->ratio - 100);
}

int main(int argc, char **argv)
{
    sound s = {.rate = argc > 2 ? SDL_atof(argv[2]) : 59.7275, .fill = 0.5, .ratio = 1};
    es_loop_config config = {.tick_rate = es_hz(s.rate), .speed_change_max = 0.01};
    const SDL_AudioSpec wanted = {
            .freq = SAMPLES_PER_S, .format = AUDIO_F32SYS, .channels = 1, .samples = 512};
    static const float silence[BUFFER / 2];
    SDL_Window *window = NULL;
    SDL_Renderer *renderer = NULL;
    es_sdl2 es;
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1");
    bool opens = SDL_Init(SDL_INIT_VIDEO | SDL_INIT_AUDIO) == 0
                 && SDL_CreateWindowAndRenderer(640, 320, 0, &window, &renderer) == 0
                 && (s.device = SDL_OpenAudioDevice(NULL, 0, &wanted, NULL, 0)) != 0;
    if (!opens || !es_sdl2_open(&es, window, &config)) {
        SDL_Log("%s; %s", SDL_GetError(), es_get_error());
        return 1;
    }
    SDL_QueueAudio(s.device, silence, sizeof silence);
    SDL_PauseAudioDevice(s.device, 0);
    run(renderer, &es, &s, argc > 1 ? SDL_atof(argv[1]) : 0.0);
    SDL_CloseAudioDevice(s.device);
    es_sdl2_close(&es);
    SDL_Quit();
    return 0;
}
