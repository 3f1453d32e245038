/* SPDX-License-Identifier: Zlib */
#include "demo.h"

enum { COSTS = 4, TICK_RATES = 10, DELAYS_MAX = 3 };

const es_ratio demo_speeds[DEMO_SPEEDS] = {{1, 1}, {1, 2}, {1, 4}, {1, 10}};
static const int64_t render_costs_ms[COSTS] = {0, 5, 10, 20};
static const int64_t update_costs_ms[COSTS] = {0, 2, 10, 50}; /* 50: overload from 20/s on */
static const uint32_t tick_rates[TICK_RATES] = {5, 10, 20, 30, 50, 60, 100, 120, 144, 240};

/* The next rate of the list above or below, also from one that is not in it. */
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

/* The two worlds of a split view start anew together, so that they stay beside each other. */
static void set_tick_rate(demo_state *demo, bool faster)
{
    demo_side *side = &demo->sides[0];
    bool chosen = demo->restart && es_rate_is_valid(demo->set.choice.tick_rate);
    es_rate rate =
            next_rate(chosen ? demo->set.choice.tick_rate : demo_side_tick_rate(side), faster);
    demo->set.choice.tick_rate = rate;
    demo->restart |= demo->side_count > 1 || !demo_side_set_tick_rate(side, rate);
}

/* The next policy that the present loop has; the last one tried is its own. */
static void set_next_policy(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    size_t count = demo_count_names(demo_policy_name_at);
    for (size_t i = 1; i <= count; ++i) {
        size_t policy = (side->rule.config.catch_up + i) % count;
        if (demo_side_set_policy(side, (es_catch_up)policy)) {
            demo->set.choice.policy = (int)policy;
            return;
        }
    }
}

static void set_loop(demo_state *demo, bool back)
{
    do {
        demo->set.choice.loop = demo_choice_next_loop(demo->set.choice.loop, back);
    } while (demo->is_virtual && demo_loop_is_threaded(demo->set.choice.loop));
    demo->set.choice.latency = DEMO_LATENCY_OWN; /* two loops differ in nothing else */
    demo->restart = true;
}

/* Only loops that follow the display have a choice; the others keep what was chosen for these. */
static void set_next_latency(demo_state *demo)
{
    bool low = demo->sides[0].rule.config.low_latency;
    if (demo_config_follows(&demo->sides[0].rule.config)) {
        demo->set.choice.latency = low ? DEMO_LATENCY_SMOOTH : DEMO_LATENCY_LOW;
        demo->restart = true;
    }
}

static void set_split(demo_state *demo, bool back)
{
    if (demo->set.alternate != NULL) {
        return; /* a picture at a time */
    }
    demo->set.split = demo_half_next(demo->set.split, back);
    demo->restart |= demo->set.split != NULL;
    demo->side_count = demo->set.split == NULL ? 1 : demo->side_count;
}

/* In a split view the upper half looks at the lower end of the world, too. */
double demo_world_y(const demo_state *demo, double y)
{
    return demo->side_count > 1 && y < DEMO_HALF ? y + DEMO_HALF : y;
}

/* To all worlds. While they stand their pointer does, or it would fill the ring; go_on tells where
 * it is then. */
void demo_push_event(demo_state *demo, es_input_event event)
{
    bool stands = demo_side_is_paused(&demo->sides[0]);
    if (demo->play != NULL) {
        return; /* what ticks are given was recorded */
    }
    if (event.kind == ES_INPUT_PLACE && stands) {
        return;
    }
    if (event.kind == ES_INPUT_PLACE && event.code == DEMO_AXIS_Y) {
        event.value = demo_world_y(demo, event.value);
    }
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_push(&demo->sides[i], &event, demo->input.now_ns);
    }
}

/* What happened while the worlds stood took as long as that: it is not measured. */
static void go_on(demo_state *demo)
{
    const demo_point at = demo->input.pointer;
    es_input_event event = {.stamp_ns = demo->input.now_ns, .kind = ES_INPUT_PLACE};
    event.code = DEMO_AXIS_X;
    event.value = at.x;
    demo_push_event(demo, event);
    event.code = DEMO_AXIS_Y;
    event.value = at.y;
    demo_push_event(demo, event);
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_forget_input(&demo->sides[i]);
    }
}

void demo_set_paused(demo_state *demo, bool paused)
{
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_pause(&demo->sides[i], paused);
    }
    if (!paused) {
        go_on(demo);
    }
}

/* Only a loop that is paused can be stepped. */
void demo_step_once(demo_state *demo)
{
    demo_set_paused(demo, true);
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_step_once(&demo->sides[i]);
    }
}

void demo_set_speed(demo_state *demo, int speed)
{
    demo->set.speed = speed;
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_set_speed(&demo->sides[i], demo_speed(&demo->set));
    }
}

/* Both halves alike; but one that is there to show whole ticks goes on with that. */
demo_way demo_way_of(const demo_state *demo, int index)
{
    if (index == 0) {
        return demo_settings_way(&demo->set);
    }
    return demo->set.split->blend ? demo->set.way : DEMO_WAY_NONE;
}

static void set_way(demo_state *demo, demo_way way)
{
    demo_settings_set_way(&demo->set, way);
    for (int i = 0; i < demo->side_count; ++i) {
        if (demo->sides[i].rule.way != demo_way_of(demo, i)) {
            demo->restart |= !demo_side_set_way(&demo->sides[i], demo_way_of(demo, i));
        }
    }
}

static void set_next_way(demo_state *demo, bool back)
{
    int way = (int)demo_settings_way(&demo->set) + (back ? DEMO_WAYS - 1 : 1);
    set_way(demo, (demo_way)(way % DEMO_WAYS));
}

void demo_restart_meters(demo_state *demo)
{
    if (demo->set.alternate != NULL) {
        demo_stats_restart(&demo->sides[0].turns[1 - demo->turn]);
    }
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_remeasure(&demo->sides[i]);
    }
}

static void set_next_jump(demo_state *demo)
{
    demo->set.jump = (demo_jump)((demo->set.jump + 1) % DEMO_JUMPS);
    if (demo->set.jump == DEMO_JUMP_PORTAL && demo->sides[0].threads.running) {
        demo->set.jump = DEMO_JUMP_OFF; /* nobody can change ticks that another thread may read */
    }
    demo_restart_meters(demo);
}

/* 0, 1, 2, 3 ticks; a loop that has none keeps its own. */
static void set_next_delay(demo_state *demo)
{
    bool chosen = demo->restart && demo->set.choice.delay_ticks >= 0.0;
    int delay =
            (int)(chosen ? demo->set.choice.delay_ticks : demo->sides[0].rule.config.delay_ticks);
    demo->set.choice.delay_ticks = delay < DELAYS_MAX ? delay + 1 : 0;
    demo->restart = true;
}

void demo_choose_job(demo_state *demo, demo_job_mode mode)
{
    demo->set.job = mode;
    demo_side_set_job(&demo->sides[0], mode);
}

static int64_t next_cost_ns(const int64_t *costs_ms, int64_t cost_ns)
{
    for (int i = 0; i < COSTS; ++i) {
        if (costs_ms[i] * ES_NS_PER_MS > cost_ns) {
            return costs_ms[i] * ES_NS_PER_MS;
        }
    }
    return 0;
}

/* What there is to do, and when. */
static void press_work(demo_state *demo, char key)
{
    demo_settings *set = &demo->set;
    switch (key) {
    case 'd':
        set_next_delay(demo);
        break;
    case 'j':
        demo_choose_job(demo, (demo_job_mode)((set->job + 1) % DEMO_JOB_MODES));
        break;
    case 'g':
        set->apart = !set->apart;
        break;
    case 'c':
        set->render_cost_ns = next_cost_ns(render_costs_ms, set->render_cost_ns);
        break;
    case 'u':
        set->update_cost_ns = next_cost_ns(update_costs_ms, set->update_cost_ns);
        break;
    case 'k':
        set->spikes = !set->spikes;
        break;
    default:
        break;
    }
}

void demo_press(demo_state *demo, char key)
{
    demo_settings *set = &demo->set;
    switch (key) {
    case ' ':
        demo_set_paused(demo, !demo_side_is_paused(&demo->sides[0]));
        break;
    case 'n':
    case '.':
        demo_step_once(demo);
        break;
    case 's':
        demo_set_speed(demo, (set->speed + 1) % DEMO_SPEEDS);
        break;
    case '+':
    case '=':
        set_tick_rate(demo, true);
        break;
    case '-':
        set_tick_rate(demo, false);
        break;
    case 'l':
    case 'L':
        set_loop(demo, key == 'L');
        break;
    case 'a':
        set_next_latency(demo);
        break;
    case 'p':
        set_next_policy(demo);
        break;
    case 'v':
    case 'V':
        set_split(demo, key == 'V');
        break;
    case 'w':
    case 'W':
        set_next_way(demo, key == 'W');
        break;
    case 'i':
        set_way(demo, set->blend ? DEMO_WAY_NONE : set->way);
        break;
    case 't':
        set_next_jump(demo);
        break;
    case 'h':
        set->hud = !set->hud;
        break;
    case 'r':
        demo_restart_meters(demo);
        break;
    case 'q':
        demo->quit = true;
        break;
    default:
        press_work(demo, key);
        break;
    }
}

static void put_switch(demo_hud_line *line, const char *key, const char *label, bool on, bool usual)
{
    demo_hud_put(line, key, label, on != usual, "%s", on ? "on" : "off");
}

es_ratio demo_speed(const demo_settings *set)
{
    es_ratio speed = demo_speeds[set->speed];
    return (es_ratio){speed.numerator * set->full_speed.numerator,
            speed.denominator * set->full_speed.denominator};
}

void demo_show_keys(const demo_state *demo, demo_hud_line *line)
{
    static const char *const speed_names[DEMO_SPEEDS] = {"full", "1/2", "1/4", "1/10"};
    const demo_settings *set = &demo->set;
    const demo_side *side = &demo->sides[0];
    double hz = demo_rate_hz(demo_side_tick_rate(side));
    double render_ms = es_ns_to_ms(set->render_cost_ns);
    double update_ms = es_ns_to_ms(set->update_cost_ns);
    const char *split = set->split != NULL ? set->split->name : "off";
    const char *way = demo_way_name_at((size_t)demo_settings_way(set));
    const char *jump = demo_jump_name_at((size_t)set->jump);
    bool follows = demo_config_follows(&side->rule.config);
    const char *latency = side->rule.config.low_latency ? "low" : "smooth";
    /* the upper row, then the lower */
    put_switch(line++, "space", "pause", demo_side_is_paused(side), false);
    demo_hud_put(line++, "l L", "loop", false, "%s", side->rule.name);
    demo_hud_put(line++, "w W", "shows", demo_settings_way(set) != DEMO_WAY_INTERPOLATE, "%s", way);
    demo_hud_put(
            line++, "a", "latency", side->rule.config.low_latency, "%s", follows ? latency : "-");
    demo_hud_put(line++, "p", "policy", false, "%s", es_catch_up_name(side->rule.config.catch_up));
    demo_hud_put(line++, "+ -", "tick rate", false, "%.4g /s", hz);
    put_switch(line++, "i", "blend", set->blend, true);
    demo_hud_put(
            line++, "j", "job", set->job != DEMO_JOB_OFF, "%s", demo_job_name_at((size_t)set->job));
    put_switch(line++, "g", "rates", set->apart, false);
    demo_hud_put(line++, "q", "quit", false, "or Esc");
    demo_hud_put(line++, "n", "step", false, "tick %lld", (long long)side->shown->tick);
    demo_hud_put(line++, "v V", "split", set->split != NULL, "%s", split);
    demo_hud_put(line++, "c u", "cost, ms", render_ms > 0.0 || update_ms > 0.0, "%.4g, %.4g/tick",
            render_ms, update_ms);
    demo_hud_put(line++, "s", "speed", set->speed != 0, "%s", speed_names[set->speed]);
    demo_hud_put(line++, "t", "teleport", set->jump != DEMO_JUMP_OFF, "%s", jump);
    put_switch(line++, "k", "spikes", set->spikes, false);
    demo_hud_put(line++, "d", "delay", side->rule.config.delay_ticks > 0.0, "%.4g",
            side->rule.config.delay_ticks);
    demo_hud_put(line++, "f", "click", false, "here");
    put_switch(line++, "h", "text", set->hud, true);
    demo_hud_put(line, "r", "meter", false, "%.0f s", demo_stats_seconds(side->stats));
}
