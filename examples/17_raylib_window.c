/* CC0: copy freely.
 *
 * 17: Evenstep in raylib's window.
 *
 * You will see: a white bar that crosses the window evenly, simulated at 30 ticks per second and
 * drawn at every refresh. The grey bar below shows the newest tick only: it judders. Space turns
 * both around, in the tick of the key press. A number of seconds makes it end by itself.
 */
#include "es_raylib.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 800

typedef struct world {
    float x; /* px; wrapped only when drawn, so that the blend never streaks back */
    float speed;
} world;

static void draw_bar(float x, float y, Color color)
{
    float in_window = fmodf(fmodf(x, WIDTH) + WIDTH, WIDTH);
    Vector2 at = {in_window, y};
    Vector2 size = {40.0F, 100.0F};
    DrawRectangleV(at, size, color);
    at.x -= WIDTH; /* what sticks out on the right comes in on the left */
    DrawRectangleV(at, size, color);
}

static void draw(float seen_x, float newest_x)
{
    const Color night = {20, 24, 32, 255};
    const Color white = {255, 255, 255, 255};
    const Color grey = {110, 110, 110, 255};
    ClearBackground(night);
    draw_bar(seen_x, 30.0F, white);
    draw_bar(newest_x, 170.0F, grey);
}

static void run(es_raylib *es, double seconds)
{
    world current = {0.0F, 400.0F};
    world previous = current; /* one tick ago */
    es_frame frame;
    char status[160];
    while (!WindowShouldClose() && es_raylib_next(es, &frame)) {
        es_raylib_poll(es);
        for (int i = 0; i < frame.ticks; ++i) {
            es_step step = es_raylib_step(es, &frame, i);
            previous = current;
            if (es_input_pressed(es->input, KEY_SPACE)) {
                current.speed = -current.speed;
            }
            current.x += current.speed * (float)step.dt_s;
        }
        if (frame.visible) {
            BeginDrawing();
            draw(es_lerpf(previous.x, current.x, frame.alpha), current.x);
            const Color grey = {110, 110, 110, 255};
            DrawText(es_loop_status(es->loop, status, sizeof status), 10, 10, 10, grey);
            es_raylib_submit(es);
            EndDrawing();
        }
        if (seconds > 0.0 && GetTime() >= seconds) {
            break;
        }
    }
}

int main(int argc, char **argv)
{
    es_raylib es;
    es_loop_config config;
    memset(&config, 0, sizeof config);
    config.tick_rate = es_hz(30);
    SetConfigFlags(FLAG_VSYNC_HINT); /* presents block: the display paces the loop */
    InitWindow(WIDTH, 300, "Evenstep 17: blended above, not blended below");
    if (!IsWindowReady()) {
        return 1;
    }
    if (es_raylib_open(&es, &config)) {
        run(&es, argc > 1 ? atof(argv[1]) : 0.0);
        TraceLog(LOG_INFO, "refreshes: %.3f ms apart (0: none found)",
                es_loop_get_display(es.loop).period_ns / 1e6);
        es_raylib_close(&es);
    } else {
        TraceLog(LOG_ERROR, "%s", es_get_error());
    }
    CloseWindow();
    return 0;
}
