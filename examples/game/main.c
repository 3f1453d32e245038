/* CC0: copy freely.
 *
 * A whole game on Evenstep and SDL2: run and jump to the gate, and take what shines.
 *
 * You will see: motion as even at 20 ticks per second (--tick-rate 20) as at 60, although positions
 * are whole numbers. B turns blending off, to compare. Arrows move, space jumps, P pauses.
 *
 * world.c has the rules, draw.c what a frame shows, and paint.c shapes and text.
 */
#include "draw.h"

#include "../virtual_clock.h"
#include "es_sdl2.h"
#include "evenstep/measure.h"
#include "evenstep/replay.h"

#include <stdio.h>
#include <stdlib.h>

enum { RATE_MAX = 240 }; /* ticks per second */
typedef enum screen { TITLE, GAME, REPLAY, PAUSED, OVER } screen;

/* NULL: no menu. */
static const char *const titles[] = {"DUSK RUN", NULL, NULL, "PAUSED", "GAME OVER"};

typedef struct game {
    bool play, running, unblended;
    int32_t rate;
    virtual_clock clock;
    SDL_Window *window;
    SDL_Renderer *renderer;
    es_sdl2 es;
    screen screen;
    world live, played;              /* played: the replay's */
    world saved[2];                  /* each ten seconds, in turns */
    uint8_t controls[20 * RATE_MAX]; /* of the ticks since the older one */
    int32_t first;                   /* tick of the world at which the replay began */
    view view;
    bool even; /* the player ran at full speed in the last tick */
    int32_t series;
    es_meter *drawn, *newest; /* its drawn position, and that of the newest tick alone */
    char message[64];         /* of the last replay */
} game;

/* Content stands still in menus, and frames go on. */
static void set_screen(game *g, screen next)
{
    es_loop_set_paused(g->es.loop, titles[next] != NULL);
    g->screen = next;
    g->even = false;
    g->series += 1;
}

static void start_game(game *g, int64_t tick)
{
    world_load(&g->live, g->rate);
    world_snap(&g->live, tick);
    view_reset(&g->view, &g->live, tick);
    g->saved[0] = g->live;
    es_loop_resync(g->es.loop); /* the game does not catch up the time of the load */
    set_screen(g, GAME);
}

static void play_tick(game *g, int64_t tick)
{
    world_update(&g->played, g->controls[g->played.ticks % (20 * g->rate)], tick);
}

/* The last ten seconds: from the saved world before them on. */
static void start_replay(game *g, int64_t tick)
{
    int32_t span = 10 * g->rate;
    g->first = SDL_max(0, g->live.ticks - span);
    g->played = g->saved[g->first / span % 2];
    while (g->played.ticks < g->first) {
        play_tick(g, tick); /* not drawn */
    }
    world_snap(&g->played, tick);
    view_reset(&g->view, &g->played, tick);
    set_screen(g, REPLAY);
}

/* The replay must have ended in the very world of the game. */
static void end_replay(game *g, int64_t tick)
{
    bool same = es_state_hash(&world_layout, &g->played) == es_state_hash(&world_layout, &g->live);
    snprintf(g->message, sizeof g->message, "REPLAY: %d TICKS, %s WORLD",
            (int)(g->played.ticks - g->first), same ? "THE SAME" : "ANOTHER");
    puts(g->message);
    world_snap(&g->live, tick);
    view_reset(&g->view, &g->live, tick);
    set_screen(g, g->live.outcome == PLAYING ? PAUSED : OVER);
}

static int32_t read_controls(const game *g)
{
    const es_input *input = g->es.input;
    if (g->play) {
        return bot_controls(&g->live);
    }
    return (es_input_held(input, SDL_SCANCODE_LEFT) ? LEFT : 0)
           | (es_input_held(input, SDL_SCANCODE_RIGHT) ? RIGHT : 0)
           | (es_input_held(input, SDL_SCANCODE_SPACE) ? JUMP : 0)
           | (es_input_pressed(input, SDL_SCANCODE_SPACE) > 0 ? JUMP_PRESSED : 0);
}

/* No tick runs in a menu, so it takes the events itself. */
static void run_menu(game *g, int64_t tick)
{
    const es_input *input = g->es.input;
    es_input_tick(g->es.input, NULL);
    if (es_input_pressed(input, SDL_SCANCODE_Q)) {
        g->running = false;
    } else if (g->screen != TITLE
               && (es_input_pressed(input, SDL_SCANCODE_R) || (g->play && g->message[0] == '\0'))) {
        start_replay(g, tick);
    } else if (es_input_pressed(input, SDL_SCANCODE_SPACE) || g->play) {
        g->message[0] = '\0';
        if (g->screen == PAUSED) {
            set_screen(g, GAME);
        } else {
            start_game(g, tick);
        }
    }
}

static void run_tick(game *g, const es_frame *frame, int i)
{
    es_step step = es_sdl2_step(&g->es, frame, i); /* the input is that of this tick */
    bool stops = es_input_pressed(g->es.input, SDL_SCANCODE_P) > 0;
    g->unblended ^= es_input_pressed(g->es.input, SDL_SCANCODE_B) > 0;
    if (g->screen == GAME) {
        int32_t before = g->live.player.vx;
        uint8_t *controls = &g->controls[g->live.ticks % (20 * g->rate)];
        *controls = (uint8_t)read_controls(g);
        world_update(&g->live, *controls, step.index);
        if (g->live.ticks % (10 * g->rate) == 0) {
            g->saved[g->live.ticks / (10 * g->rate) % 2] = g->live;
        }
        view_tick(&g->view, &g->live, &step);
        g->even = before == g->live.player.vx && abs(before) == RUN_SPEED;
        g->series += !g->even;
        if (stops || g->live.outcome != PLAYING) {
            set_screen(g, stops ? PAUSED : OVER);
        }
    } else if (g->screen == REPLAY) {
        play_tick(g, step.index);
        view_tick(&g->view, &g->played, &step);
        if (g->played.ticks == g->live.ticks) {
            end_replay(g, step.index);
        }
    }
}

static void draw_frame(game *g, const es_frame *frame)
{
    const world *w = g->screen == REPLAY ? &g->played : &g->live;
    float width = paint_begin(g->renderer), middle = width / 2;
    g->view.camera.half_view[0] = (double)middle;
    draw_world(&g->view, w, frame, width);
    if (g->screen == GAME) {
        draw_hud(w);
        paint_text(width - 12, 226, 1, 1, fade(CREAM, 0.7F), g->unblended ? "NOT BLENDED" : "");
    } else if (g->screen == REPLAY) {
        float part = (float)(w->ticks - g->first) / (float)(g->live.ticks - g->first);
        paint_rect(0, 0, width, 22, INK, INK);
        paint_rect(0, SCREEN_HEIGHT - 22, width, 30, INK, INK);
        paint_rect(70, 10, (width - 84) * part, 2, CORAL, CORAL);
        paint_text(14, 8, 1, 0, CREAM, "REPLAY");
    } else {
        paint_rect(0, 0, width, SCREEN_HEIGHT, fade(INK, 0.4F), fade(INK, 0.85F));
        paint_text(middle, 66, 6, 0.5F, GOLD, w->outcome == WON ? "YOU WON" : titles[g->screen]);
        paint_text(middle, 128, 2, 0.5F, CREAM, "SPACE: PLAY");
        paint_text(middle, 152, 1.5F, 0.5F, DUST,
                g->screen == TITLE ? "Q: QUIT" : "R: LAST TEN SECONDS   Q: QUIT");
        paint_text(middle, 222, 1, 0.5F, TEAL,
                g->message[0] != '\0' ? g->message
                                      : "ARROWS MOVE, SPACE JUMPS, P PAUSES, B BLENDS");
    }
    paint_end();
}

/* At full speed the position divided by the speed is the instant that the frame showed. */
static void measure(game *g, const es_report *report)
{
    if (report != NULL && g->even) {
        double ns = 1e9 * g->live.facing * PIXEL / RUN_SPEED;
        es_report of_player = *report;
        of_player.series += g->series;
        of_player.frame.content_ns = (int64_t)(ns * es_track2_at(&g->live.track, &report->frame).x);
        es_meter_add(g->drawn, &of_player);
        of_player.frame.content_ns = (int64_t)(ns * g->live.track.current.x);
        es_meter_add(g->newest, &of_player);
    }
}

static void save_screenshot(SDL_Renderer *renderer, const char *path)
{
    int w = 0, h = 0;
    SDL_GetRendererOutputSize(renderer, &w, &h);
    SDL_Surface *s = SDL_CreateRGBSurfaceWithFormat(0, w, h, 32, SDL_PIXELFORMAT_ARGB8888);
    if (s == NULL || SDL_RenderReadPixels(renderer, NULL, 0, s->pixels, s->pitch) != 0
            || SDL_SaveBMP(s, path) != 0) {
        SDL_Log("%s: %s", path, SDL_GetError());
    }
    SDL_FreeSurface(s);
}

static void run(game *g, int64_t seconds, const char *screenshot)
{
    es_frame frame;
    int64_t begin_ns = -1;
    while (g->running && es_sdl2_next(&g->es, &frame)) {
        measure(g, es_loop_get_report(g->es.loop));
        begin_ns = begin_ns < 0 ? frame.present_ns : begin_ns;
        for (SDL_Event event; SDL_PollEvent(&event) != 0;) {
            es_sdl2_event(&g->es, &event);
            g->running &= event.type != SDL_QUIT;
        }
        if (titles[g->screen] != NULL && frame.ticks == 0) {
            run_menu(g, frame.newest_tick);
        }
        for (int i = 0; i < frame.ticks; ++i) {
            run_tick(g, &frame, i);
        }
        if (g->unblended) { /* the newest tick, as without Evenstep */
            frame.alpha = 1;
            frame.content_ns = frame.current_ns;
        }
        if (frame.visible) {
            draw_frame(g, &frame);
            es_sdl2_submit(&g->es, &frame);
            SDL_RenderPresent(g->renderer);
        } else if (g->screen == GAME) {
            set_screen(g, PAUSED); /* minimised */
        }
        g->running &= seconds <= 0 || frame.present_ns - begin_ns < seconds * ES_NS_PER_S;
    }
    if (screenshot != NULL) {
        draw_frame(g, &frame);
        save_screenshot(g->renderer, screenshot);
    }
}

static bool open_game(game *g, int height, bool is_virtual)
{
    es_loop_config config = {.tick_rate = {(uint32_t)g->rate, 1}};
    if (is_virtual) { /* as fast as possible, and always the same */
        config.clock = virtual_clock_get(&g->clock);
        config.pace = ES_PACE_FIXED;
    }
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, is_virtual ? "0" : "1");
    SDL_GL_SetAttribute(SDL_GL_MULTISAMPLEBUFFERS, 1); /* edges at fractions of a pixel */
    SDL_GL_SetAttribute(SDL_GL_MULTISAMPLESAMPLES, 4);
    if (SDL_Init(SDL_INIT_VIDEO) != 0
            || SDL_CreateWindowAndRenderer(
                       height * 16 / 9, height, SDL_WINDOW_RESIZABLE, &g->window, &g->renderer)
                       != 0) {
        SDL_Log("no window: %s", SDL_GetError());
        return false;
    }
    SDL_SetWindowTitle(g->window, "Evenstep: Dusk Run");
    g->drawn = es_meter_create(65536);
    g->newest = es_meter_create(65536);
    if (!es_sdl2_open(&g->es, g->window, &config)) {
        SDL_Log("%s", es_get_error());
        return false;
    }
    start_game(g, 0);
    set_screen(g, g->play ? GAME : TITLE);
    return true;
}

static void print_report(game *g)
{
    const char *problem = es_loop_problem(g->es.loop);
    start_replay(g, 0); /* of the last ten seconds, not drawn */
    while (g->played.ticks < g->live.ticks) {
        play_tick(g, 0);
    }
    end_replay(g, 0);
    printf("smoothness: the drawn player errs by %.3f ms, the newest tick by %.3f ms\n",
            es_meter_smoothness(g->drawn).animation.mean_abs_ms,
            es_meter_smoothness(g->newest).animation.mean_abs_ms);
    printf("problem: %s\n", problem != NULL ? problem : "none");
}

/* What follows a name. */
static const char *option(char **argv, const char *name, const char *otherwise)
{
    while (*argv != NULL && SDL_strcmp(*argv, name) != 0) {
        ++argv;
    }
    return *argv != NULL && argv[1] != NULL ? argv[1] : *argv != NULL ? "" : otherwise;
}

/* --play: an automatic player. --seconds N: then it ends. --tick-rate N: 10 to 240. --virtual: see
 * open_game. --height N: of the window. --screenshot FILE.bmp: at the end. */
int main(int argc, char **argv)
{
    static game g = {.running = true};
    (void)argc;
    g.play = option(argv, "--play", NULL) != NULL;
    g.rate = SDL_clamp(atoi(option(argv, "--tick-rate", "60")), 10, RATE_MAX);
    bool opened = open_game(
            &g, atoi(option(argv, "--height", "720")), option(argv, "--virtual", NULL) != NULL);
    if (opened) {
        run(&g, atoi(option(argv, "--seconds", "0")), option(argv, "--screenshot", NULL));
        print_report(&g);
    }
    es_meter_destroy(g.drawn);
    es_meter_destroy(g.newest);
    es_sdl2_close(&g.es);
    SDL_DestroyRenderer(g.renderer);
    SDL_DestroyWindow(g.window);
    SDL_Quit();
    return opened ? 0 : 1;
}
