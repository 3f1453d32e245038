/* SPDX-License-Identifier: Zlib */
#include "evenstep/input.h"

#include "demo.h"

#include "lab/loop.h"

#include <string.h>

enum { COSTS = 4, TICK_RATES = 10, DELAYS_MAX = 3 };

const lab_ratio demo_speeds[DEMO_SPEEDS] = {{1, 1}, {1, 2}, {1, 4}, {1, 10}};
static const int64_t render_costs_ms[COSTS] = {0, 5, 10, 20};
static const int64_t update_costs_ms[COSTS] = {0, 2, 10, 50}; /* 50: overload from 20/s on */
static const uint32_t tick_rates[TICK_RATES] = {5, 10, 20, 30, 50, 60, 100, 120, 144, 240};

#define SAME_REFRESH 10000 /* one part in this many is the same rate; 59.94 Hz is not 60 Hz */

/* --- the loops -------------------------------------------------------------------------------- */

static bool start_side(demo_state *demo, int index, const demo_rule *rule, bool paused)
{
    demo_side *side = &demo->sides[index];
    const demo_scene *scene = demo_side_newest(&demo->sides[0]);
    int64_t tick = demo->sides[0].frame.newest_tick;
    bool started = demo_side_restart(side, rule, scene, tick);
    demo_side_set_speed(side, demo_speeds[demo->set.speed]);
    demo_side_pause(side, paused);
    return started;
}

/* Both halves start from the same tick, so that they stay beside each other. */
bool demo_start(demo_state *demo)
{
    demo_rule rule = demo_rule_fit(&demo->set.choice, demo->refresh_ns);
    bool paused = demo->sides[0].paused;
    rule.config.clock = demo->clock;
    bool started = start_side(demo, 0, &rule, paused);
    demo->side_count = 1;
    if (demo->set.split >= 0) {
        es_rate rate = demo_side_tick_rate(&demo->sides[0]);
        rule = demo_rule_of_half(demo->set.split, &demo->set.choice, rate);
        rule.config.clock = demo->clock;
        started = start_side(demo, 1, &rule, paused) && started;
        demo->side_count = 2;
    }
    demo->restart = false;
    return started;
}

bool demo_change(demo_state *demo)
{
    demo_rule rule = demo_rule_fit(&demo->set.choice, demo->refresh_ns);
    bool splits = demo->set.split >= 0;
    if (!demo->restart) {
        return true;
    }
    demo->restart = false;
    demo->side_count = splits ? demo->side_count : 1;
    return (!splits && demo_side_change(&demo->sides[0], &rule)) || demo_start(demo);
}

bool demo_set_refresh(demo_state *demo, int64_t refresh_ns)
{
    int64_t off_ns = ns_sub(refresh_ns, demo->refresh_ns);
    int64_t same_ns = refresh_ns / SAME_REFRESH;
    if (refresh_ns < ES_NS_PER_MS || refresh_ns > ES_NS_PER_S
            || (off_ns <= same_ns && off_ns >= -same_ns)) {
        return false; /* not known for now, or not plausible, or the same */
    }
    demo->refresh_ns = refresh_ns;
    return true;
}

/* --- pause and speed -------------------------------------------------------------------------- */

double demo_world_y(const demo_state *demo, double y)
{
    return demo->side_count > 1 && y < DEMO_HALF ? y + DEMO_HALF : y;
}

/* To all worlds. During a pause motion would fill the ring; after it their pointer is set. */
void demo_push_event(demo_state *demo, es_input_event event)
{
    bool motion = event.kind == ES_INPUT_PLACE;
    if (motion && demo->sides[0].paused) {
        return;
    }
    if (motion && event.code == DEMO_AXIS_Y) {
        event.value = demo_world_y(demo, event.value);
    }
    for (int i = 0; i < demo->side_count; ++i) {
        es_input_push(demo->sides[i].desk.input, &event); /* it counts events that are lost */
    }
}

static void push_pointer(demo_state *demo)
{
    const demo_point at = demo->input.pointer;
    es_input_event event = {.stamp_ns = demo->input.now_ns, .kind = ES_INPUT_PLACE};
    event.code = DEMO_AXIS_X;
    event.value = at.x;
    demo_push_event(demo, event);
    event.code = DEMO_AXIS_Y;
    event.value = at.y;
    demo_push_event(demo, event);
}

void demo_set_paused(demo_state *demo, bool paused)
{
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_pause(&demo->sides[i], paused);
    }
    if (!paused) {
        push_pointer(demo);
        for (int i = 0; i < demo->side_count; ++i) { /* earlier events waited for the pause */
            es_input_frame(demo->sides[i].desk.input, NULL, demo->input.now_ns);
        }
    }
}

static void toggle_pause(demo_state *demo, char key)
{
    (void)key;
    demo_set_paused(demo, !demo->sides[0].paused);
}

static void step_once(demo_state *demo, char key)
{
    (void)key;
    demo_set_paused(demo, true);
    for (int i = 0; i < demo->side_count; ++i) {
        es_loop_tick_once(demo->sides[i].loop);
    }
}

static void set_speed(demo_state *demo, char key)
{
    (void)key;
    demo->set.speed = (demo->set.speed + 1) % DEMO_SPEEDS;
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_set_speed(&demo->sides[i], demo_speeds[demo->set.speed]);
    }
}

/* --- settings --------------------------------------------------------------------------------- */

static void remeasure(demo_state *demo, char key)
{
    (void)key;
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_remeasure(&demo->sides[i]);
    }
}

/* The next rate of the list, also from one that is not in it. */
static es_rate next_rate(es_rate rate, bool faster)
{
    es_rate next = rate;
    for (int i = 0; i < TICK_RATES; ++i) {
        uint64_t listed = (uint64_t)tick_rates[i] * rate.denominator;
        if (faster && listed > rate.numerator) {
            return es_hz(tick_rates[i]);
        }
        if (!faster && listed < rate.numerator) {
            next = es_hz(tick_rates[i]);
        }
    }
    return next;
}

static void set_rate(demo_state *demo, char key)
{
    demo_side *side = &demo->sides[0];
    es_rate rate = next_rate(demo_side_tick_rate(side), key != '-');
    demo->set.choice.tick_rate = rate;
    demo->restart |= demo->side_count > 1 || !demo_side_set_tick_rate(side, rate);
}

/* The next of a list, or with a capital letter the one before. */
static int next_of(int at, int count, char key)
{
    return (at + (key >= 'A' && key <= 'Z' ? count - 1 : 1)) % count;
}

static void set_loop(demo_state *demo, char key)
{
    demo_choice *choice = &demo->set.choice;
    do {
        choice->loop = next_of(choice->loop, demo_count_names(demo_loop_name), key);
    } while (demo->is_virtual && demo_loop_is_threaded(choice->loop));
    demo->restart = true;
}

/* The next policy that this loop accepts. */
static void set_policy(demo_state *demo, char key)
{
    const demo_rule *rule = &demo->sides[0].rule;
    es_loop_config config = rule->config;
    do {
        config.catch_up =
                (es_catch_up)next_of((int)config.catch_up, demo_count_names(demo_policy_name), key);
    } while (!lab_config_is_valid(&config, NULL));
    demo->set.choice.policy = rule->threaded ? -1 : (int)config.catch_up;
    demo->restart = true;
}

/* 0, 1, 2, 3 ticks; a loop that has none keeps its own. */
static void set_delay(demo_state *demo, char key)
{
    double *chosen = &demo->set.choice.delay_ticks;
    double delay = demo->restart ? *chosen : demo->sides[0].rule.config.delay_ticks;
    *chosen = next_of((int)delay, DELAYS_MAX + 1, key);
    demo->restart = true;
}

static void set_way(demo_state *demo, char key)
{
    int way = demo->set.choice.way;
    demo->set.choice.way = key != 'i'             ? next_of(way, DEMO_WAYS, key)
                           : way == DEMO_WAY_NONE ? (int)DEMO_WAY_INTERPOLATE
                                                  : (int)DEMO_WAY_NONE;
    demo->restart = true;
}

static void set_split(demo_state *demo, char key)
{
    int count = demo_count_names(demo_half_name) + 1; /* and none: -1 */
    demo->set.split = next_of(demo->set.split + 1, count, key) - 1;
    demo->restart = true;
}

static void set_cost(demo_state *demo, char key)
{
    bool frame = key == 'c';
    int64_t *cost_ns = frame ? &demo->set.render_cost_ns : &demo->set.update_cost_ns;
    const int64_t *costs_ms = frame ? render_costs_ms : update_costs_ms;
    int next = 0;
    while (next < COSTS && costs_ms[next] * ES_NS_PER_MS <= *cost_ns) {
        ++next;
    }
    *cost_ns = next < COSTS ? costs_ms[next] * ES_NS_PER_MS : 0;
}

static void toggle(demo_state *demo, char key)
{
    bool *which = key == 'h' ? &demo->set.panel : &demo->quit;
    *which = !*which;
}

/* --- keys ------------------------------------------------------------------------------------- */

void demo_press(demo_state *demo, char key)
{
    static const struct {
        const char *keys;
        void (*act)(demo_state *demo, char key);
    } actions[] = {{" ", toggle_pause}, {"n.", step_once}, {"s", set_speed}, {"+=-", set_rate},
            {"lL", set_loop}, {"p", set_policy}, {"d", set_delay},
            {"vV", set_split}, {"wWi", set_way}, {"cu", set_cost}, {"hq", toggle},
            {"r", remeasure}};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; ++i) {
        if (key != '\0' && strchr(actions[i].keys, key) != NULL) {
            actions[i].act(demo, key);
        }
    }
}
