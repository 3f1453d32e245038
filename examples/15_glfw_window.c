/* CC0: copy freely.
 *
 * 15: Evenstep in a GLFW window, by adapters/es_glfw.h; drawn by OpenGL.
 *
 * You will see: a white bar that crosses the window evenly, simulated at 30 ticks per second and
 * drawn at every refresh. The grey bar below shows the newest tick only: it judders. Space makes
 * them jump. Minimise the window: the bars go on, and nothing is drawn. A number of seconds makes it
 * end by itself.
 */
#include "es_glfw.h"
#include "evenstep/world.h"
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 800, HEIGHT = 300 };

typedef struct world {
    es_pose2 at;    /* px; y above the ground */
    double rises;   /* px per second */
    es_track2 seen; /* where it was in the last two ticks */
} world;

static void update(world *w, const es_step *step, bool jump)
{
    w->rises = jump && w->at.y <= 0 ? 300 : w->rises - 1000 * step->dt_s;
    w->at.y = w->at.y + w->rises * step->dt_s > 0 ? w->at.y + w->rises * step->dt_s : 0;
    w->at.x += 400 * step->dt_s;
    if (w->at.x >= WIDTH) {
        w->at.x -= WIDTH + 40;
        es_track2_shift(&w->seen, (es_pose2){-(WIDTH + 40), 0, 0}); /* so it never streaks back */
    }
    es_track2_set(&w->seen, step->index, w->at);
}

static void fill(double x, double y, int width, int height, float grey)
{
    glScissor((int)(x + 1000.5) - 1000, (int)(y + 0.5), width, height); /* the nearest pixel */
    glClearColor(grey, grey, grey, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void run(GLFWwindow *window, es_glfw *es, double seconds)
{
    world w = {.at = {.x = 100}};
    es_frame frame;
    char status[160];
    es_track2_set(&w.seen, 0, w.at); /* frame 0 has no tick */
    glEnable(GL_SCISSOR_TEST);
    while (!glfwWindowShouldClose(window) && es_glfw_next(es, &frame)) { /* waits */
        es_glfw_poll(es);
        for (int i = 0; i < frame.ticks; ++i) {
            es_step step = es_glfw_step(es, &frame, i);
            update(&w, &step, es_input_pressed(es->input, GLFW_KEY_SPACE) > 0);
        }
        if (frame.index % 60 == 0) {
            glfwSetWindowTitle(window, es_loop_status(es->loop, status, sizeof status));
        }
        if (frame.visible) {
            int width, height;
            glfwGetFramebufferSize(window, &width, &height);
            fill(0, 0, width, height, 0.1F);
            es_pose2 at = es_track2_at(&w.seen, &frame);
            fill(at.x, 160 + at.y, 40, 80, 1);
            fill(w.at.x, 10 + w.at.y, 40, 80, 0.4F);
            es_glfw_submit(es, &frame);
            glfwSwapBuffers(window); /* waits for the display */
        }
        glfwSetWindowShouldClose(
                window, glfwWindowShouldClose(window) || (seconds > 0 && glfwGetTime() >= seconds));
    }
}

int main(int argc, char **argv)
{
    es_glfw es;
    int status = 1;
    es_loop_config config = {0};
    config.tick_rate = es_hz(30);
    glfwInit();
    GLFWwindow *window = glfwCreateWindow(WIDTH, HEIGHT, "Evenstep 15: blended above", NULL, NULL);
    if (window == NULL) {
        fprintf(stderr, "no window\n");
    } else {
        glfwMakeContextCurrent(window);
        es_thread_set_realtime(true); /* if allowed: waits end in time beside other programs */
        if (!es_glfw_open(&es, window, &config)) {
            fprintf(stderr, "%s\n", es_get_error());
        } else {
            es_glfw_vsync(&es, true); /* swaps block: the display paces the loop */
            run(window, &es, argc > 1 ? atof(argv[1]) : 0.0);
            printf("refreshes: %.3f ms apart (0: not known)\n",
                    es_loop_get_display(es.loop).period_ns / 1e6);
            es_glfw_close(&es);
            status = 0;
        }
    }
    glfwTerminate();
    return status;
}
