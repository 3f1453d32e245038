/* CC0: copy freely.
 *
 * 18: Evenstep under sokol_app.h, which calls the program once per frame.
 *
 * You will see: a white bar that moves to and fro evenly, simulated at 30 ticks per second and
 * drawn at every refresh. The grey bar below shows the newest tick only: it judders. Space turns
 * both around, in the tick of the key press.
 */
#define SOKOL_IMPL /* and compile with -D SOKOL_GLCORE, or another of sokol's backends */
#include "sokol_app.h"
#include "sokol_gfx.h"
#include "sokol_glue.h"
#include "util/sokol_gl.h"

#include "es_sokol.h"

#include <stdio.h>

static es_sokol es;
static float x, previous_x, speed = 1.0F; /* in halves of the window; previous: one tick ago */

static void init(void)
{
    static sg_desc graphics;
    static sgl_desc_t shapes;
    static es_loop_config config;
    graphics.environment = sglue_environment();
    sg_setup(&graphics);
    sgl_setup(&shapes);
    config.tick_rate = es_hz(30);
    if (!es_sokol_open(&es, &config)) {
        puts(es_get_error());
        sapp_request_quit();
    }
}

static void draw(const float lefts[2])
{
    static sg_pass pass;
    pass.action.colors[0].load_action = SG_LOADACTION_CLEAR;
    pass.swapchain = sglue_swapchain();
    sgl_begin_quads();
    for (int i = 0; i < 2; ++i) {
        const float grey = i == 0 ? 1.0F : 0.4F;
        const float top = i == 0 ? 0.8F : -0.13F;
        sgl_c3f(grey, grey, grey);
        sgl_v2f(lefts[i], top);
        sgl_v2f(lefts[i] + 0.1F, top);
        sgl_v2f(lefts[i] + 0.1F, top - 0.67F);
        sgl_v2f(lefts[i], top - 0.67F);
    }
    sgl_end();
    sg_begin_pass(&pass);
    sgl_draw();
    sg_end_pass();
    sg_commit();
}

static void next_frame(void)
{
    es_frame frame;
    bool planned = es_sokol_next(&es, &frame);
    for (int i = 0; planned && i < frame.ticks; ++i) {
        es_step step = es_sokol_step(&es, &frame, i);
        bool beyond = speed > 0.0F ? x > 0.9F : x < -1.0F;
        speed = beyond || es_input_pressed(es.input, SAPP_KEYCODE_SPACE) ? -speed : speed;
        previous_x = x;
        x += speed * (float)step.dt_s;
    }
    if (planned && frame.visible) {
        const float lefts[2] = {es_lerpf(previous_x, x, frame.alpha), x};
        draw(lefts);
    }
    es_sokol_submit(&es); /* sokol presents after this callback */
}

static void handle(const sapp_event *event)
{
    es_sokol_event(&es, event);
}

static void cleanup(void)
{
    es_sokol_close(&es);
    sgl_shutdown(), sg_shutdown();
}

sapp_desc sokol_main(int argc, char *argv[])
{
    static sapp_desc program;
    (void)argc, (void)argv;
    program.init_cb = init;
    program.frame_cb = next_frame;
    program.event_cb = handle;
    program.cleanup_cb = cleanup;
    program.width = 800;
    program.height = 300;
    program.window_title = "Evenstep 18: blended above, not blended below";
    return program;
}
