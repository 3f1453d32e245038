/* CC0: copy freely.
 *
 * 05: input that is seen exactly once, at 20 ticks per second, under fast clicking.
 *
 * You will see: fast clicks, each held for 12 to 40 ms, in a game of 20 ticks per second drawn at
 * 60. Querying the button in each tick sees some of them; time-stamped events are all seen, each in
 * the tick of its own time. Then how long a click takes to the screen, by the lead and the delay.
 */
#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <stdio.h>

enum { FIRE = 0, BUTTONS = 1, SECONDS = 10, EVENTS = 64, SAMPLES = 512 };

typedef struct player { /* the fake finger */
    int64_t next_ns;
    uint32_t seed;
    int clicks, down, was_down; /* was: as of the last tick */
} player;

typedef struct game {
    es_manual_clock clock; /* simulated, so that every run shows the same */
    es_loop loop;
    es_input input;
    es_input_event events[EVENTS];
    es_input_state keys, newest; /* as of a tick; as of now, for drawing only */
    es_input_button buttons[BUTTONS], newest_buttons[BUTTONS];
    es_input_meter meter;
    es_input_sample samples[SAMPLES];
    player finger;
    int queried, shots,
            early; /* clicks by asking, by events; frames that drew one before its tick */
} game;

/* What a window system does: everything that has happened by now, with the time when it did. */
static void poll(game *g)
{
    player *p = &g->finger;
    while (p->next_ns <= g->clock.now_ns) {
        es_input_event event = {.stamp_ns = p->next_ns, .code = FIRE};
        p->seed = p->seed * 1664525U + 1013904223U;
        p->down = !p->down;
        p->clicks += p->down;
        event.kind = p->down ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
        p->next_ns += (p->down ? 12 : 30) * ES_NS_PER_MS + (p->seed >> 8) % (28 * ES_NS_PER_MS);
        if (es_input_push(&g->input, &event, g->clock.now_ns) != ES_OK) {
            printf("the ring is full\n"); /* all is released: push what is really held */
        }
    }
}

/* One tick: the state knows every edge of its time. */
static void update(game *g, const es_step *step)
{
    es_input_tick(&g->input, step, &g->keys, &g->meter);
    g->shots += g->buttons[FIRE].pressed; /* 0, 1 or more */
    g->queried += g->finger.down && !g->finger.was_down;
    g->finger.was_down = g->finger.down;
}

static void run_frame(game *g)
{
    es_step step;
    es_frame frame;
    es_loop_begin(&g->loop);
    poll(g);
    while (es_loop_tick(&g->loop, &step)) {
        update(g, &step);
    }
    es_loop_wait(&g->loop, &frame);
    es_input_peek(&g->input, &g->keys, &g->newest); /* no tick may read this */
    g->early += g->newest_buttons[FIRE].held != g->buttons[FIRE].held;
    es_manual_clock_work(&g->clock, 4 * ES_NS_PER_MS); /* drawing */
    es_loop_submit(&g->loop);
    int64_t next = rate_ns_to_events(es_hz(60), g->clock.now_ns + 1);
    g->clock.now_ns = es_rate_time_ns(es_hz(60), next); /* present, at a refresh */
    es_loop_end(&g->loop);
    es_input_meter_frame(&g->meter, &frame, es_loop_report(&g->loop)->shown_ns);
}

static void run(int32_t lead_ticks, double delay_ticks, bool soonest)
{
    static game g;
    static double scratch[SAMPLES];
    es_input_summary summary;
    es_loop_config config = {.clock = es_manual_clock_get(&g.clock), .tick_rate = {20, 1}};
    config.lead_ticks = lead_ticks;
    config.delay_ticks = delay_ticks;
    g = (game){.finger = {.next_ns = 100 * ES_NS_PER_MS, .seed = 7}};
    es_loop_init(&g.loop, &config, NULL);
    es_input_init(&g.input, g.events, EVENTS, &(es_input_config){soonest}, NULL);
    es_input_state_init(&g.keys, g.buttons, BUTTONS, NULL, 0);
    es_input_state_init(&g.newest, g.newest_buttons, BUTTONS, NULL, 0);
    es_input_meter_init(&g.meter, g.samples, SAMPLES);
    for (int second = 1; second <= SECONDS; ++second) {
        while (g.clock.now_ns < second * ES_NS_PER_S) {
            run_frame(&g);
        }
        if (lead_ticks == 0 && delay_ticks == 0.0) {
            printf("%2d s: %3d clicks, %3d by asking, %3d by events, %u waiting\n", second,
                    g.finger.clicks, g.queried, g.shots, g.input.count);
        }
    }
    es_input_meter_summarise(&g.meter, scratch, SAMPLES, &summary);
    printf("lead %2d, delay %.0f%s: a click begins to show after %.0f ms, shown after %.0f; %d "
           "early triggers\n",
            (int)lead_ticks, delay_ticks, soonest ? ", soonest tick" : "", summary.to_shows.mean_ms,
            summary.to_shown.mean_ms, g.early);
}

int main(void)
{
    run(0, 0.0, false);
    run(-1, 0.0, false);
    run(1, 0.0, false);
    run(0, 2.0, false);
    run(0, 2.0, true); /* sooner, but clicks are less evenly spaced */
    return 0;
}
