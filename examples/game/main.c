/* CC0: copy freely.
 *
 * A whole game on Evenstep and SDL2: run and jump to the gate, and take what shines.
 *
 * You will see: motion as even at 20 ticks per second (--tick-rate 20) as at 60, although positions
 * are whole numbers. B turns blending off, to compare. Arrows move, space jumps, P pauses.
 *
 *     world.c   the rules            tape.c    the recording, and its last ten seconds
 *     draw.c    what a frame shows   paint.c   shapes and text
 */
#include "draw.h"

#include "../virtual_clock.h"
#include "es_sdl2.h"
#include "evenstep/measure.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum screen { TITLE, GAME, REPLAY, PAUSED, OVER } screen;

/* NULL: no menu. */
static const char *const titles[] = {
        [TITLE] = "DUSK RUN", [PAUSED] = "PAUSED", [OVER] = "GAME OVER", [REPLAY] = NULL};

/* How even the player's drawn motion is: while it runs at full speed, position / speed is the instant
 * that the frame shows. */
typedef struct gauge {
    es_meter *drawn, *newest; /* blended; the newest tick alone */
    int64_t drawn_ns, newest_ns;
    bool even;
    int32_t series; /* of ticks at full speed */
} gauge;

typedef struct game {
    bool play, running, unblended;
    int32_t rate;
    virtual_clock clock;
    SDL_Window *window;
    SDL_Renderer *renderer;
    es_sdl2 es;
    screen screen;
    int32_t bot;        /* its controls */
    world live, played; /* played: the replay's */
    tape tape;
    view view;
    gauge gauge;
    char message[64]; /* of the last replay */
} game;

/* --- screens ------------------------------------------------------------------------------------ */

/* Content stands still in menus, and frames go on. */
static void set_screen(game *g, screen next)
{
    const es_input_event up = {
            .kind = ES_INPUT_RESET, .device = ES_INPUT_ALL, .stamp_ns = ES_UNKNOWN_NS};
    es_input_push(g->es.input, &up); /* what is pressed in a menu is not for the game */
    es_loop_set_paused(g->es.loop, titles[next] != NULL);
    g->screen = next;
    g->gauge.even = false;
    g->gauge.series += 1;
}

static void start_game(game *g, int64_t tick)
{
    world_load(&g->live, g->rate);
    world_snap(&g->live, tick);
    view_reset(&g->view, &g->live, tick);
    if (!tape_start(&g->tape, &g->live)) {
        SDL_Log("no recording: %s", es_get_error());
    }
    es_loop_resync(g->es.loop); /* the game does not catch up the time of the load */
    set_screen(g, GAME);
}

static void start_replay(game *g, int64_t tick)
{
    g->played = g->live;
    if (tape_play(&g->tape, &g->played, tick)) {
        view_reset(&g->view, &g->played, tick);
        set_screen(g, REPLAY);
    }
}

/* The replay must have ended in the very world of the game. */
static void end_replay(game *g, int64_t tick)
{
    bool same = es_state_hash(&world_layout, &g->played) == es_state_hash(&world_layout, &g->live);
    snprintf(g->message, sizeof g->message, "REPLAY: %d TICKS, %s WORLD",
            (int)(g->played.ticks - g->tape.first), same ? "THE SAME" : "ANOTHER");
    puts(g->message);
    world_snap(&g->live, tick);
    view_reset(&g->view, &g->live, tick);
    set_screen(g, g->live.outcome == PLAYING ? PAUSED : OVER);
}

/* --- input -------------------------------------------------------------------------------------- */

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
        tape_update(&g->tape, &g->live, read_controls(g), step.index);
        view_tick(&g->view, &g->live, &step);
        g->gauge.even = before == g->live.player.vx && abs(before) == RUN_SPEED;
        g->gauge.series += !g->gauge.even;
        if (stops || g->live.outcome != PLAYING) {
            set_screen(g, stops ? PAUSED : OVER);
        }
    } else if (g->screen == REPLAY) {
        bool more = tape_next(&g->tape, &g->played, step.index);
        view_tick(&g->view, &g->played, &step);
        if (!more || stops || g->played.ticks == g->tape.last) {
            end_replay(g, step.index);
        }
    }
}

/* --- frames ------------------------------------------------------------------------------------- */

static void draw_bar(float y, float width, float part)
{
    paint_rect(0, y, width, 22, INK, INK);
    paint_rect(70, y + 10, (width - 84) * part, 2, CORAL, CORAL);
}

static void draw_frame(game *g, const es_frame *frame)
{
    const tape *t = &g->tape;
    const world *w = g->screen == REPLAY ? &g->played : &g->live;
    float width = paint_begin(g->renderer), middle = width / 2;
    draw_world(&g->view, w, frame, width);
    if (g->screen == GAME) {
        draw_hud(w, width);
        paint_text(width - 12, 226, 1, 1, 0xA0FFF3DBU, g->unblended ? "NOT BLENDED" : "");
    } else if (g->screen == REPLAY) {
        draw_bar(0, width, (float)(w->ticks - t->first) / (float)(t->last - t->first));
        draw_bar(SCREEN_HEIGHT - 22, width, 0);
        paint_text(14, 8, 1, 0, CREAM, "REPLAY");
    } else {
        bool won = g->screen == OVER && w->outcome == WON;
        paint_rect(0, 0, width, SCREEN_HEIGHT, 0x701A1330U, 0xD01A1330U);
        paint_text(middle, 66, 6, 0.5F, GOLD, won ? "YOU WON" : titles[g->screen]);
        paint_text(middle, 128, 2, 0.5F, CREAM, "SPACE: PLAY");
        paint_text(middle, 152, 1.5F, 0.5F, DUST,
                g->screen == TITLE ? "Q: QUIT" : "R: LAST TEN SECONDS   Q: QUIT");
        paint_text(middle, 222, 1, 0.5F, TEAL,
                g->message[0] != '\0' ? g->message
                                      : "ARROWS MOVE, SPACE JUMPS, P PAUSES, B BLENDS");
    }
    paint_end();
}

/* How even the motion of the drawn player is. */
static void gauge_begin(gauge *m, const world *w, const es_frame *frame)
{
    double ns = (w->player.vx < 0 ? -1e9 : 1e9) * PIXEL / RUN_SPEED;
    m->drawn_ns = (int64_t)(ns * es_track2_at(&w->track, frame).x);
    m->newest_ns = (int64_t)(ns * w->track.current.x);
}

static void gauge_end(const gauge *m, const es_report *report)
{
    if (report != NULL && m->even) {
        es_report of_player = *report;
        of_player.series += m->series;
        of_player.frame.content_ns = m->drawn_ns;
        es_meter_add(m->drawn, &of_player);
        of_player.frame.content_ns = m->newest_ns;
        es_meter_add(m->newest, &of_player);
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

static void poll_events(game *g)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        es_sdl2_event(&g->es, &event);
        g->running = g->running && event.type != SDL_QUIT;
    }
}

static void run(game *g, double seconds, const char *screenshot)
{
    es_frame frame;
    int64_t begin_ns = -1;
    while (g->running && es_sdl2_next(&g->es, &frame)) {
        gauge_end(&g->gauge, es_loop_report(g->es.loop));
        begin_ns = begin_ns < 0 ? frame.present_ns : begin_ns;
        poll_events(g);
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
        gauge_begin(&g->gauge, &g->live, &frame);
        if (frame.visible) {
            draw_frame(g, &frame);
            es_sdl2_submit(&g->es, &frame);
            SDL_RenderPresent(g->renderer);
        } else if (g->screen == GAME) {
            set_screen(g, PAUSED); /* minimised */
        }
        g->running = g->running
                     && (seconds <= 0 || (double)(frame.present_ns - begin_ns) < seconds * 1e9);
    }
    if (screenshot != NULL) {
        draw_frame(g, &frame);
        save_screenshot(g->renderer, screenshot);
    }
}

/* --- the program -------------------------------------------------------------------------------- */

static bool open_game(game *g, int height, bool is_virtual)
{
    es_loop_config config = {.tick_rate = {(uint32_t)g->rate, 1}};
    if (is_virtual) { /* as fast as possible, and always the same */
        config.clock = virtual_clock_get(&g->clock);
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
    g->gauge.drawn = es_meter_create(65536);
    g->gauge.newest = es_meter_create(65536);
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
    while (g->screen == REPLAY && tape_next(&g->tape, &g->played, 0)) {
    }
    end_replay(g, 0);
    printf("smoothness: the drawn player errs by %.3f ms, the newest tick by %.3f ms\n",
            es_meter_smoothness(g->gauge.drawn).animation.mean_abs_ms,
            es_meter_smoothness(g->gauge.newest).animation.mean_abs_ms);
    printf("problem: %s\n", problem != NULL ? problem : "none");
}

static const char *option(char **argv, const char *name)
{
    for (; *argv != NULL; ++argv) {
        if (SDL_strcmp(*argv, name) == 0) {
            return argv[1] != NULL ? argv[1] : "";
        }
    }
    return NULL;
}

/* --play: an automatic player. --seconds N. --tick-rate N: 10 to 240. --virtual: see open_game.
 * --height N: of the window. --screenshot FILE.bmp: at the end. */
int main(int argc, char **argv)
{
    static game g = {.running = true};
    const char *seconds = option(argv, "--seconds"), *rate = option(argv, "--tick-rate");
    const char *height = option(argv, "--height");
    (void)argc;
    g.play = option(argv, "--play") != NULL;
    g.rate = rate != NULL ? SDL_clamp(atoi(rate), 10, 240) : 60;
    bool opened = open_game(&g, height != NULL ? SDL_clamp(atoi(height), 120, 4320) : 720,
            option(argv, "--virtual") != NULL);
    if (opened) {
        run(&g, seconds != NULL ? atof(seconds) : 0, option(argv, "--screenshot"));
        print_report(&g);
    }
    tape_end(&g.tape);
    es_meter_destroy(g.gauge.drawn);
    es_meter_destroy(g.gauge.newest);
    es_sdl2_close(&g.es);
    SDL_DestroyRenderer(g.renderer);
    SDL_DestroyWindow(g.window);
    SDL_Quit();
    return opened ? 0 : 1;
}
