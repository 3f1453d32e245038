/* CC0: copy freely.
 *
 * 05: input that is seen exactly once, at 20 ticks per second, under fast clicking.
 *
 * You will see: fast clicks, each held for 12 to 40 ms, in a game of 20 ticks per second drawn at
 * 60. Asking whether the button is down in each tick sees some of them; es_input sees all, each in
 * the tick of its own time, or in the next one if that has run. Then the delays from a click to the
 * screen, and that the input which was saved with each tick gives the same game again.
 */
#include "evenstep/input.h"

#include "virtual_clock.h"

#include <stdio.h>

enum { FIRE, BUTTONS, TURN = 0, SAVED_MAX = 64 };
enum { SECONDS = 10, RATE = 20, TICKS = (SECONDS + 5) * RATE };

typedef struct world {
    int shots, ended; /* the button went down, went up */
    int heat;         /* ticks at whose end it was down */
    double angle;     /* of the camera */
} world;

/* One tick. */
static void update(world *w, const es_input *input)
{
    w->shots += es_input_pressed(input, FIRE); /* 0, 1 or more */
    w->ended += es_input_released(input, FIRE);
    w->heat += es_input_held(input, FIRE);
    w->angle += 0.1 * es_input_moved(input, TURN);
}

typedef struct player { /* stands for the window system: a finger and a mouse */
    int64_t next_ns;
    uint32_t seed;
    bool down;
    int clicks;
} player;

/* Everything that has happened by now, with the time when it did. */
static void poll_input(es_input *input, player *p, int64_t now_ns)
{
    while (p->next_ns <= now_ns) {
        p->down = !p->down;
        p->clicks += p->down;
        es_input_button(input, FIRE, p->down, p->next_ns);
        es_input_move(input, TURN, p->down ? 1.0 : 2.0, p->next_ns);
        p->seed = p->seed * 1664525U + 1013904223U;
        p->next_ns += (p->down ? 12 : 30) * ES_NS_PER_MS + (p->seed >> 8) % (28 * ES_NS_PER_MS);
    }
}

/* Another run: the saved input in place of the player. */
static bool plays_the_same(const world *w, unsigned char saved[][SAVED_MAX], const size_t *sizes)
{
    es_input *input = es_input_create(&(es_input_config){.buttons = BUTTONS});
    world again = {0};
    for (int tick = 0; tick < TICKS; ++tick) {
        es_input_load(input, saved[tick], sizes[tick]);
        update(&again, input);
    }
    es_input_destroy(input);
    return again.shots == w->shots && again.heat == w->heat && again.angle == w->angle;
}

int main(void)
{
    static unsigned char saved[TICKS][SAVED_MAX];
    static size_t sizes[TICKS];
    virtual_clock time = {0}; /* simulated, so that every run shows the same */
    es_loop_config config = {.clock = virtual_clock_get(&time), .tick_rate = {RATE, 1}};
    es_input *input = es_input_create(&(es_input_config){.buttons = BUTTONS, .measured = 512});
    player p = {.next_ns = 100 * ES_NS_PER_MS, .seed = 7};
    world w = {0};
    es_input_event event;
    int asked = 0, late = 0; /* late: their own tick had run */
    bool was_down = false;
    double view = 0.0;
    es_loop *loop = es_loop_create(&config);
    es_frame frame;
    if (input == NULL || loop == NULL) {
        printf("%s\n", es_get_error());
        return 1;
    }
    while (time.now_ns < SECONDS * ES_NS_PER_S && es_loop_next(loop, &frame)) {
        poll_input(input, &p, time.now_ns);
        for (int i = 0; i < frame.ticks; ++i) {
            es_step step = es_frame_step(&frame, i);
            es_input_tick(input, &step);
            update(&w, input);
            sizes[step.index - 1] = es_input_save(input, saved[step.index - 1], SAVED_MAX);
            while (es_input_next(input, &event)) {
                late += event.delay_ns >= step.dt_ns;
            }
            asked += p.down && !was_down;
            was_down = p.down;
        }
        /* the camera as of now, for drawing only */
        view = w.angle + 0.1 * (es_input_peek(input, TURN) - es_input_value(input, TURN));
        virtual_clock_work(&time, 4 * ES_NS_PER_MS); /* drawing */
        es_loop_submit(loop);
        int64_t refresh = time.now_ns * 60 / ES_NS_PER_S + 1;
        time.now_ns = es_rate_time_ns(es_hz(60), refresh); /* present, at a refresh */
        es_loop_end(loop);
        es_input_frame(input, &frame, es_loop_get_report(loop)->shown_ns);
    }
    es_input_status status = es_input_get_status(input);
    printf("%d s: %d clicks, %d by asking, %d by events\n", SECONDS, p.clicks, asked, w.shots);
    printf("%d releases; down at the end of %d ticks\n", w.ended, w.heat);
    printf("camera: %.1f as of the last tick, %.1f as of now\n", w.angle, view);
    printf("a tick has an event after %.0f ms; it begins to show after %.0f, is shown after %.0f\n",
            status.to_tick.mean_ms, status.to_shows.mean_ms, status.to_shown.mean_ms);
    printf("%d lost; %d came when their own tick had run\n", (int)status.lost, late);
    printf("the saved input: %s\n", plays_the_same(&w, saved, sizes) ? "the same game" : "ANOTHER");
    es_input_destroy(input);
    es_loop_destroy(loop);
    return 0;
}
