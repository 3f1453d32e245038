/* CC0: copy freely.
 *
 * A whole game on Evenstep and SDL2: run and jump to the gate, and take what shines.
 *
 * You will see: motion as even at 20 ticks per second as at 60, although positions are whole numbers;
 * B shows it without blending. Arrows move, space jumps, P pauses.
 *
 *     world.c   the rules              tape.c    the recording, and the last ten seconds of it
 *     draw.c    what a frame shows     paint.c   shapes and text
 */
#include "draw.h"
#include "tape.h"

#include "../virtual_clock.h"
#include "es_sdl2.h"
#include "evenstep/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum screen { TITLE, GAME, PAUSED, OVER, REPLAY, REPLAYED } screen;
typedef enum action { END, START, GO_ON, SHOW, RATE, BLEND, BACK, QUIT } action;

/* How far the player's drawn position is from even motion, in time: while it runs at full speed, its
 * position divided by the speed is the instant that the frame shows. */
typedef struct gauge {
    es_meter *drawn, *newest; /* blended, and the newest tick alone */
    int64_t index;            /* of the frame; below 0: the player does not run evenly */
    int64_t drawn_ns, newest_ns;
    int32_t series;
    int32_t even_ticks;
} gauge;

typedef struct game {
    double seconds; /* 0: no end */
    bool play, is_virtual, running, blended;
    int32_t rate;
    const char *screenshot;
    virtual_clock clock;
    SDL_Window *window;
    SDL_Renderer *renderer;
    es_sdl2 es;
    screen screen;
    int choice;
    int32_t bot;        /* its controls in the last tick */
    world live, played; /* the game, and the replay */
    tape tape;
    view view;
    paint paint;
    gauge gauge;
    int64_t ticks, frames;
} game;

static const action menus[][5] = {[TITLE] = {START, RATE, BLEND, QUIT},
        [PAUSED] = {GO_ON, SHOW, BLEND, BACK},
        [OVER] = {SHOW, START, BACK},
        [REPLAYED] = {GO_ON, SHOW, BACK},
        [GAME] = {END},
        [REPLAY] = {END}};

/* --- screens ------------------------------------------------------------------------------------ */

static const world *shown_world(const game *g)
{
    return g->screen == REPLAY || g->screen == REPLAYED ? &g->played : &g->live;
}

/* Content stands still in menus. Frames go on. */
static void set_screen(game *g, screen next)
{
    const es_input_event up = {
            .kind = ES_INPUT_RESET, .device = ES_INPUT_ALL, .stamp_ns = ES_UNKNOWN_NS};
    g->screen = next;
    g->choice = 0;
    g->bot = 0;
    g->gauge.even_ticks = 0;
    es_input_push(g->es.input, &up); /* what was pressed for a menu is not for the game */
    es_loop_set_paused(g->es.loop, menus[next][0] != END);
}

static void start_game(game *g, int64_t tick)
{
    es_loop_config config = es_loop_get_config(g->es.loop);
    config.tick_rate = es_hz(g->rate);
    es_loop_configure(g->es.loop, &config);
    world_load(&g->live, g->rate);
    world_snap(&g->live, tick);
    view_reset(&g->view, &g->live, tick);
    if (!tape_start(&g->tape, &g->live)) {
        SDL_Log("no recording: %s", es_get_error());
    }
    set_screen(g, GAME);
    es_loop_resync(g->es.loop); /* the game does not catch up the time of the load */
}

static void start_replay(game *g, int64_t tick)
{
    g->played = g->live;
    if (tape_play(&g->tape, &g->played, tick)) {
        view_reset(&g->view, &g->played, tick);
        set_screen(g, REPLAY);
    } else {
        SDL_Log("no replay: %s", es_get_error());
    }
}

/* The replay has ended. Its world must be that of the game, to the bit. */
static void report_replay(const game *g)
{
    bool same = es_state_hash(&world_layout, &g->played) == es_state_hash(&world_layout, &g->live);
    printf("replay: %d ticks, %s\n", (int)(g->played.ticks - g->tape.first),
            same ? "the same world" : es_get_error());
}

static void act(game *g, action what, int64_t tick)
{
    static const int32_t rates[] = {60, 120, 20, 30, 60};
    int i = 0;
    switch (what) {
    case START:
        start_game(g, tick);
        break;
    case GO_ON:
        world_snap(&g->live, tick);
        view_reset(&g->view, &g->live, tick);
        set_screen(g, g->live.outcome == PLAYING ? GAME : OVER);
        break;
    case SHOW:
        start_replay(g, tick);
        break;
    case RATE:
        while (i < 3 && rates[i] != g->rate) {
            ++i;
        }
        g->rate = rates[i + 1];
        break;
    case BLEND:
        g->blended = !g->blended;
        break;
    case BACK:
        set_screen(g, TITLE);
        break;
    case QUIT:
        g->running = false;
        break;
    case END:
        break;
    }
}

/* --- input -------------------------------------------------------------------------------------- */

/* By event: whether one of two keys went down in this tick. */
static bool pressed(const game *g, int32_t key, int32_t other)
{
    return es_input_pressed(g->es.input, key) > 0 || es_input_pressed(g->es.input, other) > 0;
}

static bool held(const game *g, int32_t key, int32_t other)
{
    return es_input_held(g->es.input, key) || es_input_held(g->es.input, other);
}

static int32_t read_controls(const game *g)
{
    return (held(g, SDL_SCANCODE_LEFT, SDL_SCANCODE_A) ? LEFT : 0)
           | (held(g, SDL_SCANCODE_RIGHT, SDL_SCANCODE_D) ? RIGHT : 0)
           | (held(g, SDL_SCANCODE_SPACE, SDL_SCANCODE_UP) ? JUMP : 0)
           | (pressed(g, SDL_SCANCODE_SPACE, SDL_SCANCODE_UP) ? JUMP_PRESSED : 0);
}

/* The automatic player has keys like any other. */
static void push_bot(game *g)
{
    int32_t now = bot_controls(&g->live), changed = now ^ g->bot;
    if (changed & RIGHT) {
        es_input_button(g->es.input, SDL_SCANCODE_RIGHT, (now & RIGHT) != 0, ES_UNKNOWN_NS);
    }
    if (changed & JUMP) {
        es_input_button(g->es.input, SDL_SCANCODE_SPACE, (now & JUMP) != 0, ES_UNKNOWN_NS);
    }
    g->bot = now;
}

static void poll_events(game *g)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        es_sdl2_event(&g->es, &event);
        if (event.type == SDL_QUIT) {
            g->running = false;
        }
    }
}

/* No tick runs while content stands still, so the menu takes the events itself. */
static void run_menu(game *g, int64_t tick)
{
    int count = 0;
    while (menus[g->screen][count] != END) {
        ++count;
    }
    es_input_tick(g->es.input, NULL);
    if (pressed(g, SDL_SCANCODE_DOWN, SDL_SCANCODE_S)) {
        g->choice = (g->choice + 1) % count;
    }
    if (pressed(g, SDL_SCANCODE_UP, SDL_SCANCODE_W)) {
        g->choice = (g->choice + count - 1) % count;
    }
    if (g->play) { /* it plays, shows the replay, and starts again */
        act(g, g->screen == OVER ? SHOW : START, tick);
    } else if (pressed(g, SDL_SCANCODE_RETURN, SDL_SCANCODE_SPACE)) {
        act(g, menus[g->screen][g->choice], tick);
    } else if (g->screen == PAUSED && pressed(g, SDL_SCANCODE_P, SDL_SCANCODE_ESCAPE)) {
        act(g, GO_ON, tick);
    }
}

/* --- ticks -------------------------------------------------------------------------------------- */

static void run_tick(game *g, const es_frame *frame, int i)
{
    es_step step = es_sdl2_step(&g->es, frame, i);
    bool stops = pressed(g, SDL_SCANCODE_P, SDL_SCANCODE_ESCAPE);
    g->ticks += 1;
    if (pressed(g, SDL_SCANCODE_B, SDL_SCANCODE_B)) {
        g->blended = !g->blended;
    }
    if (g->screen == GAME) {
        const body before = g->live.player.at;
        tape_update(&g->tape, &g->live, read_controls(g), step.index);
        view_tick(&g->view, &g->live, &step);
        bool even = abs(g->live.player.at.x - before.x) == RUN_SPEED / g->live.rate
                    && before.vx == g->live.player.at.vx;
        g->gauge.series += !even;
        g->gauge.even_ticks = even ? g->gauge.even_ticks + 1 : 0;
        if (g->live.outcome != PLAYING || stops) {
            set_screen(g, stops ? PAUSED : OVER);
        }
    } else if (g->screen == REPLAY) {
        bool more = tape_next(&g->tape, &g->played, step.index);
        view_tick(&g->view, &g->played, &step);
        if (!more || g->played.ticks >= g->tape.last || stops) {
            report_replay(g);
            set_screen(g, REPLAYED);
        }
    }
}

/* --- how even the motion was -------------------------------------------------------------------- */

static void gauge_begin(gauge *m, const game *g, const es_frame *frame)
{
    const es_track2 *track = &g->live.player.track;
    double per_ns = (g->live.player.at.vx < 0 ? -1e9 : 1e9) * PIXEL / RUN_SPEED;
    m->index = g->screen == GAME && m->even_ticks > 0 ? frame->index : -1;
    m->drawn_ns = (int64_t)(es_track2_at(track, frame).x * per_ns);
    m->newest_ns = (int64_t)(track->current.x * per_ns);
}

static void gauge_end(gauge *m, const es_report *report)
{
    if (report != NULL && report->frame.index == m->index) {
        es_report of_player = *report;
        of_player.series = m->series + report->series;
        of_player.frame.content_ns = m->drawn_ns;
        es_meter_add(m->drawn, &of_player);
        of_player.frame.content_ns = m->newest_ns;
        es_meter_add(m->newest, &of_player);
    }
}

/* --- frames ------------------------------------------------------------------------------------- */

static void draw_menu(game *g, double now_s)
{
    static const char *const titles[] = {[TITLE] = "DUSK RUN",
            [PAUSED] = "PAUSED",
            [OVER] = "GAME OVER",
            [REPLAYED] = "REPLAYED"};
    char text[48];
    float middle = g->paint.width / 2;
    bool won = g->screen == OVER && g->live.outcome == WON;
    paint_rect(&g->paint, 0, 0, g->paint.width, PAINT_HEIGHT, 0x8C1A1330U, 0xC81A1330U);
    paint_text(&g->paint, middle, 52, g->screen == TITLE ? 6 : 4, 0.5F, 0xFFFFD54FU,
            won ? "YOU WON" : titles[g->screen]);
    for (int i = 0; menus[g->screen][i] != END; ++i) {
        static const char *const names[] = {[START] = "PLAY",
                [GO_ON] = "GO ON",
                [SHOW] = "LAST TEN SECONDS",
                [BACK] = "TITLE",
                [QUIT] = "QUIT"};
        action what = menus[g->screen][i];
        bool chosen = i == g->choice;
        if (what == RATE) {
            snprintf(text, sizeof text, "%d TICKS PER SECOND", (int)g->rate);
        } else {
            snprintf(text, sizeof text, "%s",
                    what != BLEND ? names[what]
                    : g->blended  ? "BLENDING ON"
                                  : "BLENDING OFF");
        }
        float y = 122.0F + 20.0F * (float)i, size = chosen ? 2.0F : 1.5F;
        paint_text(&g->paint, middle, y - 3.5F * size, size, 0.5F,
                chosen ? 0xFFFFF3DBU : 0xFFB9A3C9U, text);
        if (chosen) {
            float away = 14.0F + 6.0F * (float)strlen(text) + 2.0F * (float)SDL_sin(now_s * 5.0);
            paint_text(&g->paint, middle - away, y - 7, 2, 0.5F, 0xFF2FC4BEU, ">");
            paint_text(&g->paint, middle + away, y - 7, 2, 0.5F, 0xFF2FC4BEU, "<");
        }
    }
    paint_text(&g->paint, middle, 222, 1, 0.5F, 0xFFB9A3C9U,
            "ARROWS MOVE, SPACE JUMPS, P PAUSES, B BLENDS");
}

static void draw_replay_bars(game *g)
{
    float w = g->paint.width, part = (float)(g->played.ticks - g->tape.first)
                                     / (float)SDL_max(g->tape.last - g->tape.first, 1);
    paint_rect(&g->paint, 0, 0, w, 24, 0xFF150F26U, 0xFF150F26U);
    paint_rect(&g->paint, 0, PAINT_HEIGHT - 24, w, 24, 0xFF150F26U, 0xFF150F26U);
    paint_ellipse(&g->paint, 16, 12, 4, 4, 0xFFFF5F6DU, 0xFFFF5F6DU);
    paint_text(&g->paint, 26, 8.5F, 1, 0, 0xFFFFF3DBU, "REPLAY");
    paint_rect(&g->paint, 80, 11, w - 96, 2, 0xFF4A3B63U, 0xFF4A3B63U);
    paint_rect(&g->paint, 80, 11, (w - 96) * part, 2, 0xFFFF5F6DU, 0xFFFF5F6DU);
}

static void draw_frame(game *g, const es_frame *frame)
{
    es_frame seen = *frame;
    char text[32];
    if (!g->blended) { /* the newest tick alone, as a game without Evenstep shows it */
        seen.alpha = 1;
        seen.content_ns = frame->current_ns;
    }
    paint_begin(&g->paint, g->renderer);
    draw_world(&g->paint, &g->view, shown_world(g), &seen);
    if (g->screen == REPLAY) {
        draw_replay_bars(g);
    } else if (g->screen == GAME) {
        draw_hud(&g->paint, &g->live);
    } else {
        draw_menu(g, (double)frame->present_ns / 1e9);
    }
    snprintf(text, sizeof text, "%d TICKS/S%s", (int)shown_world(g)->rate,
            g->blended ? "" : ", NOT BLENDED");
    paint_text(&g->paint, g->paint.width - 12, 226, 1, 1, 0xA0FFF3DBU, text);
    paint_end(&g->paint);
}

static void save_screenshot(const game *g)
{
    int w = 0, h = 0;
    SDL_GetRendererOutputSize(g->renderer, &w, &h);
    SDL_Surface *s = SDL_CreateRGBSurfaceWithFormat(0, w, h, 32, SDL_PIXELFORMAT_ARGB8888);
    if (s == NULL
            || SDL_RenderReadPixels(g->renderer, NULL, s->format->format, s->pixels, s->pitch) != 0
            || SDL_SaveBMP(s, g->screenshot) != 0) {
        SDL_Log("%s: %s", g->screenshot, SDL_GetError());
    }
    SDL_FreeSurface(s);
}

static void run(game *g)
{
    es_frame frame;
    int64_t end_ns = INT64_MAX;
    while (g->running && es_sdl2_next(&g->es, &frame)) {
        gauge_end(&g->gauge, es_loop_report(g->es.loop));
        poll_events(g);
        if (g->frames++ == 0 && g->seconds > 0) {
            end_ns = frame.present_ns + (int64_t)(g->seconds * 1e9);
        }
        if (menus[g->screen][0] != END && frame.ticks == 0) {
            run_menu(g, frame.newest_tick);
        } else if (g->play && g->screen == GAME) {
            push_bot(g);
        }
        for (int i = 0; i < frame.ticks; ++i) {
            run_tick(g, &frame, i);
        }
        g->running = g->running && frame.present_ns < end_ns;
        if (!frame.visible) { /* minimised: no one can play */
            if (g->screen == GAME) {
                set_screen(g, PAUSED);
            }
            continue;
        }
        gauge_begin(&g->gauge, g, &frame);
        draw_frame(g, &frame);
        if (!g->running && g->screenshot != NULL) {
            save_screenshot(g);
        }
        es_sdl2_submit(&g->es, &frame);
        SDL_RenderPresent(g->renderer);
    }
}

/* --- the program -------------------------------------------------------------------------------- */

static bool read_options(game *g, int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--play") == 0) {
            g->play = true;
        } else if (strcmp(argv[i], "--virtual") == 0) {
            g->is_virtual = true;
        } else if (strcmp(argv[i], "--seconds") == 0) {
            g->seconds = atof(value);
            ++i;
        } else if (strcmp(argv[i], "--tick-rate") == 0) {
            g->rate = atoi(value);
            ++i;
        } else if (strcmp(argv[i], "--screenshot") == 0) {
            g->screenshot = value;
            ++i;
        } else {
            return false;
        }
    }
    return g->rate >= 10 && g->rate <= 240;
}

static bool open_game(game *g)
{
    es_loop_config config = {.tick_rate = es_hz(g->rate)};
    if (g->is_virtual) { /* as fast as possible, and always the same */
        config.clock = virtual_clock_get(&g->clock);
    }
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, g->is_virtual ? "0" : "1");
    SDL_GL_SetAttribute(SDL_GL_MULTISAMPLEBUFFERS, 1); /* edges at fractions of a pixel */
    SDL_GL_SetAttribute(SDL_GL_MULTISAMPLESAMPLES, 4);
    if (SDL_Init(SDL_INIT_VIDEO) != 0
            || SDL_CreateWindowAndRenderer(
                       1280, 720, SDL_WINDOW_RESIZABLE, &g->window, &g->renderer)
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
    g->running = true;
    start_game(g, 0);
    if (!g->play) {
        set_screen(g, TITLE);
    }
    return true;
}

static void report(game *g)
{
    const char *problem = es_loop_problem(g->es.loop);
    g->played = g->live;
    bool same = tape_play(&g->tape, &g->played, 0);
    while (same && g->played.ticks < g->tape.last) {
        same = tape_next(&g->tape, &g->played, 0);
    }
    report_replay(g);
    printf("ticks: %d, frames: %d\n", (int)g->ticks, (int)g->frames);
    printf("smoothness: the drawn player errs by %.3f ms, unblended by %.3f ms\n",
            es_meter_smoothness(g->gauge.drawn).animation.mean_abs_ms,
            es_meter_smoothness(g->gauge.newest).animation.mean_abs_ms);
    printf("problem: %s\n", problem != NULL ? problem : "none");
}

int main(int argc, char **argv)
{
    static game g = {.blended = true, .rate = 60};
    bool opened = false;
    if (!read_options(&g, argc, argv)) {
        fprintf(stderr,
                "usage: evenstep_game [--play] [--seconds N] [--tick-rate 10..240] [--virtual] "
                "[--screenshot FILE.bmp]\n");
        return 2;
    }
    if ((opened = open_game(&g))) {
        run(&g);
        report(&g);
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
