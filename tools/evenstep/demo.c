/* SPDX-License-Identifier: Zlib
 *
 * `evenstep demo`: a scene that shows judder, run by es_loop, with every setting under a key.
 *
 * run_frame is what a game's own loop would look like. Around it: keys, options, choosing a view.
 */
#define _POSIX_C_SOURCE 200809L /* sigaction */
#include "tool.h"

#include "evenstep/evenstep.h"

#include "demo_draw.h"
#include "demo_options.h"
#include "demo_side.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HUD_WIDTH_MIN       480 /* px; in a smaller window nobody could read it */
#define SPIKE_FRAMES        60
#define SPIKE_NS            (40 * ES_NS_PER_MS)
#define REST_NS             (10 * ES_NS_PER_MS)
#define SAME_REFRESH        10000 /* one part in so many is the same: 59.94 Hz is not 60 */
#define HEADLESS_DEFAULT_NS (5 * ES_NS_PER_S)

enum { SPEEDS = 4, COSTS = 4, TICK_RATES = 10, DELAYS_MAX = 3 };

static const es_ratio speeds[SPEEDS] = {{1, 1}, {1, 2}, {1, 4}, {1, 10}};
static const int64_t render_costs_ms[COSTS] = {0, 5, 10, 20};
static const int64_t update_costs_ms[COSTS] = {0, 2, 10, 50}; /* 50: overload from 20/s on */
static const uint32_t tick_rates[TICK_RATES] = {5, 10, 20, 30, 50, 60, 100, 120, 144, 240};

typedef struct demo_state {
    /* the game; in a split view the second side shows the same frames by another rule */
    demo_side sides[DEMO_SIDES];
    int side_count;
    /* around it */
    es_clock clock;
    demo_view view;
    demo_input input;
    demo_canvas canvas;
    demo_hud hud;
    int64_t pictures;      /* numbered so far */
    int64_t hidden_frames; /* run while nobody saw the view */
    bool was_hidden;       /* in the last frame */
    int64_t refresh_ns;    /* of the display, as it is announced */
    int turn;              /* of the two loops that take turns */
    int64_t turn_ends_ns;
    bool quit;
    bool restart; /* another loop is wanted, as soon as nothing would leap */
    demo_settings set;
} demo_state;

/* Set by the signals that ask to stop; the loop looks at it once per frame. */
static volatile sig_atomic_t stop_signal;

/* --- keys ------------------------------------------------------------------------------------- */

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
    demo->set.choice.loop = demo_choice_next_loop(demo->set.choice.loop, back);
    demo->set.choice.latency = DEMO_LATENCY_OWN; /* two loops differ in nothing else */
    demo->restart = true;
}

/* Only loops that follow the display have a choice; the others keep what was chosen for these. */
static void set_next_latency(demo_state *demo)
{
    bool low = demo->sides[0].rule.config.low_latency;
    if (demo->sides[0].rule.config.pace == ES_PACE_AUTO) {
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
static double world_y(const demo_state *demo, double y)
{
    return demo->side_count > 1 && y < DEMO_HALF ? y + DEMO_HALF : y;
}

/* To all worlds. While they stand their pointer does, or it would fill the ring; go_on tells where
 * it is then. */
static void push_event(demo_state *demo, es_input_event event)
{
    bool stands = demo_side_is_paused(&demo->sides[0]);
    if (event.kind == ES_INPUT_PLACE && stands) {
        return;
    }
    if (event.kind == ES_INPUT_PLACE && event.code == DEMO_AXIS_Y) {
        event.value = world_y(demo, event.value);
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
    push_event(demo, event);
    event.code = DEMO_AXIS_Y;
    event.value = at.y;
    push_event(demo, event);
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_forget_input(&demo->sides[i]);
    }
}

static void set_paused(demo_state *demo, bool paused)
{
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_pause(&demo->sides[i], paused);
    }
    if (!paused) {
        go_on(demo);
    }
}

/* Only a loop that is paused can be stepped. */
static void step_once(demo_state *demo)
{
    set_paused(demo, true);
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_step_once(&demo->sides[i]);
    }
}

static void set_speed(demo_state *demo, int speed)
{
    demo->set.speed = speed;
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_set_speed(&demo->sides[i], speeds[speed]);
    }
}

/* Both halves alike; but one that is there to show whole ticks goes on with that. */
static demo_way way_of(const demo_state *demo, int index)
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
        if (demo->sides[i].rule.way != way_of(demo, i)) {
            demo->restart |= !demo_side_set_way(&demo->sides[i], way_of(demo, i));
        }
    }
}

static void set_next_way(demo_state *demo, bool back)
{
    int way = (int)demo_settings_way(&demo->set) + (back ? DEMO_WAYS - 1 : 1);
    set_way(demo, (demo_way)(way % DEMO_WAYS));
}

static void restart_meters(demo_state *demo)
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
    restart_meters(demo);
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

static void set_job(demo_state *demo, demo_job_mode mode)
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
        set_job(demo, (demo_job_mode)((set->job + 1) % DEMO_JOB_MODES));
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

static void press(demo_state *demo, char key)
{
    demo_settings *set = &demo->set;
    switch (key) {
    case ' ':
        set_paused(demo, !demo_side_is_paused(&demo->sides[0]));
        break;
    case 'n':
    case '.':
        step_once(demo);
        break;
    case 's':
        set_speed(demo, (set->speed + 1) % SPEEDS);
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
        restart_meters(demo);
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

static void show_keys(const demo_state *demo, demo_hud_line *line)
{
    static const char *const speed_names[SPEEDS] = {"full", "1/2", "1/4", "1/10"};
    const demo_settings *set = &demo->set;
    const demo_side *side = &demo->sides[0];
    double hz = demo_rate_hz(demo_side_tick_rate(side));
    double render_ms = es_ns_to_ms(set->render_cost_ns);
    double update_ms = es_ns_to_ms(set->update_cost_ns);
    const char *split = set->split != NULL ? set->split->name : "off";
    const char *way = demo_way_name_at((size_t)demo_settings_way(set));
    const char *jump = demo_jump_name_at((size_t)set->jump);
    bool follows = side->rule.config.pace == ES_PACE_AUTO;
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

/* --- one frame -------------------------------------------------------------------------------- */

/* Keeps the CPU busy. Sleeping would be a load of another kind: it would not heat, nor be seen as
 * work by anything that looks at CPU time. */
static void burn(const es_clock *clock, int64_t cost_ns)
{
    int64_t until_ns = es_ns_add(clock->now_ns(clock->user), cost_ns);
    while (cost_ns > 0 && stop_signal == 0 && clock->now_ns(clock->user) < until_ns) {
    }
}

static demo_live live_of(const demo_side *side)
{
    return (demo_live){.flight = &side->flight,
            .flash_ms = side->flash_ms,
            .job_mode = side->job_mode,
            .job_share = demo_side_extra(side).job_share};
}

static bool draw_picture(demo_state *demo, demo_canvas *canvas, demo_fit fit, bool with_hud)
{
    demo_point pointer = {demo->input.pointer.x, world_y(demo, demo->input.pointer.y)};
    if (!demo_canvas_resize(canvas, fit)) {
        return false;
    }
    if (demo->side_count > 1) {
        for (int i = 0; i < demo->side_count; ++i) {
            const demo_side *side = &demo->sides[i];
            demo_live live = live_of(side);
            demo_draw_half(canvas, i, side->shown, &side->trail, &live, pointer);
        }
    } else {
        demo_live live = live_of(&demo->sides[0]);
        demo_draw_scene(canvas, demo->sides[0].shown, &demo->sides[0].trail, &live, pointer);
    }
    if (with_hud) {
        demo_draw_hud(canvas, &demo->hud);
    }
    demo_draw_flush(canvas);
    return true;
}

static void show_side(demo_side *side, bool split, demo_hud_side *out, demo_hud *hud)
{
    const es_loop_config *config = &side->rule.config;
    demo_way way = side->rule.way;
    const char *way_name = demo_way_name_at((size_t)way);
    bool plain = !split || way == DEMO_WAY_INTERPOLATE;
    snprintf(out->name, sizeof out->name, "%s%s%s", side->rule.name, plain ? "" : ", ",
            plain ? "" : way_name);
    if (way == DEMO_WAY_NONE) {
        snprintf(out->name, sizeof out->name, "%s without blending", side->rule.name);
    }
    snprintf(out->rule, sizeof out->rule, "pace %s, policy %s%s", demo_pace_name(config->pace),
            es_catch_up_name(config->catch_up), config->low_latency ? ", latency low" : "");
    int used = snprintf(
            out->shows, sizeof out->shows, "shows %s, lead %d", way_name, (int)config->lead_ticks);
    if (config->lead_ticks < 0) {
        snprintf(out->shows + used, sizeof out->shows - (size_t)used, ", %.0f ms ahead",
                es_ns_to_ms(side->frame.ahead_ns));
    }
    demo_stats_show_side(side->stats, out, hud);
}

static void fill_hud(demo_state *demo)
{
    demo_hud *hud = &demo->hud;
    hud->interval_scale_ms = 0.0;
    hud->error_scale_ms = 0.0;
    hud->side_count = demo->side_count;
    for (int i = 0; i < demo->side_count; ++i) {
        show_side(&demo->sides[i], demo->side_count > 1, &hud->sides[i], hud);
    }
    const demo_side *first = &demo->sides[0];
    demo_extra extra = demo_side_extra(first);
    demo_stats_show_figures(
            first->stats, &first->frame, demo->set.jump != DEMO_JUMP_OFF, &extra, hud);
    show_keys(demo, hud->keys);
}

static bool draw(demo_state *demo)
{
    demo_view *view = &demo->view;
    demo_fit fit = view->fit(view);
    bool hud_in_picture = demo->set.hud && view->text == NULL && fit.width >= HUD_WIDTH_MIN;
    int64_t index = demo->sides[0].frame.index;
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_look(&demo->sides[i]);
    }
    fill_hud(demo);
    if (view->text != NULL) {
        view->text(view, demo->set.hud ? &demo->hud : NULL);
    }
    bool spike = demo->set.spikes && index % SPIKE_FRAMES == SPIKE_FRAMES - 1;
    burn(&demo->clock, demo->set.render_cost_ns + (spike ? SPIKE_NS : 0));
    return draw_picture(demo, &demo->canvas, view->fit(view), hud_in_picture);
}

static void poll_input(demo_state *demo)
{
    demo_input_begin(&demo->input);
    demo->view.poll(&demo->view, &demo->input);
    for (size_t i = 0; i < demo->input.event_count; ++i) {
        push_event(demo, demo->input.events[i]);
    }
    for (size_t i = 0; i < demo->input.key_count; ++i) {
        press(demo, demo->input.keys[i]); /* before this frame's ticks, so in force for them */
    }
}

/* The job is the first world's: two would be two hitches. */
static demo_now what_ticks_see(const demo_state *demo, int index)
{
    return (demo_now){.read_ns = demo->input.now_ns,
            .jump = demo->set.jump,
            .job = index == 0 ? demo->set.job : DEMO_JOB_OFF,
            .apart = demo->set.apart};
}

static bool has_ended(const demo_state *demo)
{
    return demo->quit || demo->input.quit || stop_signal != 0;
}

/* The lower half's frame. The upper loop sets the pace, so this one is told when its frames begin:
 * when drawing does, as if the wait before had been the display's. Its ticks cost nothing. */
static void run_second(demo_state *demo)
{
    demo_side *side = &demo->sides[1];
    es_step step;
    demo_now now = what_ticks_see(demo, 1);
    es_loop_begin_host(&side->loop, demo->clock.now_ns(demo->clock.user), 0);
    while (es_loop_tick(&side->loop, &step)) {
        demo_side_update(side, &step, &now);
    }
    es_loop_ready(&side->loop, &side->frame);
}

/* Both halves are on the same picture, which was seen once. */
static void end_second(demo_state *demo)
{
    const es_frame_report *shown = demo_side_report(&demo->sides[0]);
    es_loop_end_shown(&demo->sides[1].loop, shown->shown_ns, shown->source);
}

/* A frame that nobody sees is not measured, and told to no side. */
static void pass_over(demo_state *demo)
{
    demo->hidden_frames += 1;
    demo->was_hidden = true;
    if (demo->set.rests && demo->sides[0].rule.config.pace == ES_PACE_UNCAPPED) {
        /* that would take one frame after the other, and neither drawing nor the display waits */
        const es_clock *clock = &demo->clock;
        clock->wait_until(clock->user, es_ns_add(clock->now_ns(clock->user), REST_NS));
    }
}

static void take_in(demo_state *demo)
{
    for (int i = 0; i < demo->side_count; ++i) {
        if (demo->was_hidden) {
            demo_side_break(&demo->sides[i]);
        }
        demo_side_presented(&demo->sides[i], demo->pictures);
    }
    demo->was_hidden = false;
}

/* What was told of this picture, and of those before it that are still waited for. Also while the
 * view is hidden: what nobody fetches keeps an adapter busy. */
static void measure(demo_state *demo)
{
    es_present_sample sample;
    bool told = demo->view.teller != NULL;
    while (told && demo->view.told(&demo->view, &sample)) {
        for (int i = 0; i < demo->side_count; ++i) {
            demo_side_told(&demo->sides[i], &sample);
        }
    }
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_measure(&demo->sides[i], demo->clock.now_ns(demo->clock.user), told);
    }
}

/* Draws and presents, or, where nobody would see it and that is wanted, does not. */
static bool show_frame(demo_state *demo)
{
    if (demo->view.hidden && demo->set.rests) {
        return true;
    }
    bool drawn = draw(demo);
    demo_side_submit(&demo->sides[0]);
    return drawn && demo->view.present(&demo->view, demo->canvas.image, demo->pictures);
}

/* A frame was shown, or was to be. */
static void close_frame(demo_state *demo)
{
    if (demo->side_count > 1) {
        end_second(demo);
    }
    if (demo->view.hidden) {
        pass_over(demo);
    } else {
        take_in(demo);
    }
    demo->pictures += 1; /* each has its own number: what is told late must not be another's */
    measure(demo);
}

/* The same as run_frame, but that the ticks are another thread's: it is told what they see. */
static bool run_threaded_frame(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    demo_threads *threads = &side->threads;
    if (es_threaded_begin(&threads->threaded) != ES_OK) {
        return false;
    }
    poll_input(demo);
    if (has_ended(demo)) {
        return true;
    }
    demo_now now = what_ticks_see(demo, 0);
    demo_threads_tell(threads, &now, demo->set.update_cost_ns);
    es_threaded_ready(&threads->threaded, &threads->shown);
    side->frame = threads->shown.frame;
    if (demo->side_count > 1) {
        run_second(demo);
    }
    bool good = show_frame(demo);
    es_threaded_end(&threads->threaded);
    close_frame(demo);
    return good;
}

/* false: there was no memory to draw in, or the view is gone. */
static bool run_frame(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    es_step step;
    if (side->threads.running) {
        return run_threaded_frame(demo);
    }
    es_loop_begin(&side->loop);
    poll_input(demo);
    if (has_ended(demo)) {
        return true; /* nobody waits for this frame: the loop gives it up */
    }
    demo_now now = what_ticks_see(demo, 0);
    while (es_loop_tick(&side->loop, &step)) {
        demo_side_update(side, &step, &now);
        burn(&demo->clock, demo->set.update_cost_ns);
    }
    demo_side_idle_before(side);
    es_loop_ready(&side->loop, &side->frame);
    if (demo->side_count > 1) {
        run_second(demo);
    }
    bool good = show_frame(demo);
    es_loop_end(&side->loop);
    close_frame(demo);
    demo_side_idle_after(side);
    return good;
}

/* --- another loop ----------------------------------------------------------------------------- */

/* What is chosen, for the loop that sets the pace. */
static demo_rule first_rule(const demo_state *demo)
{
    demo_choice choice = demo->set.choice;
    if (demo->turn > 0) {
        choice.loop = demo->set.alternate;
        choice.latency = DEMO_LATENCY_OWN;
    }
    demo_way way = way_of(demo, 0);
    choice.lead_ticks = demo_way_lead(way);
    return (demo_rule){.name = choice.loop,
            .config = demo_choice_fitting(&choice, demo->refresh_ns),
            .way = way};
}

/* And for the lower half, at the same tick rate. */
static demo_rule second_rule(const demo_state *demo)
{
    const demo_half *half = demo->set.split;
    demo_choice choice = demo_choice_none();
    choice.loop = half->loop;
    demo_way way = way_of(demo, 1);
    choice.tick_rate = demo_side_tick_rate(&demo->sides[0]);
    choice.lead_ticks = demo_way_lead(way);
    return (demo_rule){.name = half->loop, .config = demo_choice_fitting(&choice, 0), .way = way};
}

static bool restart_side(demo_state *demo, int index, demo_rule rule, int64_t tick, bool paused)
{
    demo_side *side = &demo->sides[index];
    bool started = demo_side_restart(side, &rule, demo_side_scene(&demo->sides[0]), tick);
    demo_side_set_speed(side, speeds[demo->set.speed]);
    demo_side_pause(side, paused);
    return started;
}

/* From the tick that the picture shows: at the very beginning, and for two halves, which must start
 * from the same tick to stay beside each other. false: no memory, or no thread to be had. */
static bool start(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    int64_t tick = side->frame.current_tick;
    bool paused = demo_side_is_paused(side);
    bool started = restart_side(demo, 0, first_rule(demo), tick, paused);
    if (demo->set.split != NULL) {
        restart_side(demo, 1, second_rule(demo), tick, paused);
        demo->side_count = 2;
    }
    demo->restart = false;
    return started;
}

/* The world goes on under what is chosen now. Where two halves start, or a thread, that waits for a
 * picture that shows a whole tick, so that nothing leaps. false: as start. */
static bool change(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    if (!demo->restart) {
        return true;
    }
    demo_rule rule = first_rule(demo);
    if (demo->set.split == NULL && demo_side_change(side, &rule)) {
        demo->restart = false;
        return true;
    }
    return !demo_side_is_at_tick(side) || start(demo);
}

/* Two loops, each with its own figures, from the instant on the screen. */
static void begin_turn(demo_state *demo, int turn)
{
    int64_t now_ns = demo->clock.now_ns(demo->clock.user);
    demo->turn = turn;
    demo->turn_ends_ns = es_ns_add(now_ns, demo->set.every_ns);
    demo_rule rule = first_rule(demo);
    demo_side_take_turn(&demo->sides[0], &rule, turn);
}

static void take_turns(demo_state *demo)
{
    int64_t now_ns = demo->clock.now_ns(demo->clock.user);
    if (demo->set.alternate != NULL && now_ns >= demo->turn_ends_ns) {
        begin_turn(demo, 1 - demo->turn);
    }
}

/* What is told of the display may be believed: no display that is seen is faster or slower. */
static int64_t believable_ns(int64_t refresh_ns)
{
    return refresh_ns >= ES_NS_PER_MS && refresh_ns <= ES_NS_PER_S ? refresh_ns : 0;
}

/* The window is on another display, or that has another mode. A moment in which nobody knows the
 * refresh changes nothing, nor does the same one told with other digits, nor one that the loop has
 * no use for: what is measured would start anew. */
static void follow_display(demo_state *demo)
{
    int64_t refresh_ns = believable_ns(demo->view.refresh_ns);
    int64_t off_ns = es_ns_sub(refresh_ns, demo->refresh_ns);
    if (refresh_ns > 0
            && (off_ns > refresh_ns / SAME_REFRESH || off_ns < -refresh_ns / SAME_REFRESH)) {
        demo->refresh_ns = refresh_ns;
        const es_loop_config *present = &demo->sides[0].rule.config;
        es_loop_config config = first_rule(demo).config;
        demo->restart |= config.interval_ns != present->interval_ns
                         || config.refresh_ns != present->refresh_ns;
    }
}

/* --- running ---------------------------------------------------------------------------------- */

/* The first time the loop ends as if q had been pressed; the second time it must be stuck. */
static void on_stop_signal(int number)
{
    if (stop_signal != 0) {
        demo_terminal_restore();
        signal(number, SIG_DFL);
        raise(number);
    }
    stop_signal = number;
}

static void watch_stop_signals(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_stop_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static int fail(const char *what, const char *name, const char *why)
{
    fprintf(stderr, "evenstep demo: %s%s%s: %s\n", what, name != NULL ? " " : "",
            name != NULL ? name : "", why);
    return TOOL_FAILED;
}

/* The world at tick 0. */
static bool init(demo_state *demo, const demo_options *options)
{
    demo->input.pointer = (demo_point){DEMO_WIDTH / 2.0, DEMO_HEIGHT / 2.0};
    demo->input.clock = demo->clock;
    demo->side_count = 1;
    demo->set = options->set;
    for (int i = 0; i < DEMO_SIDES; ++i) {
        if (!demo_side_init(&demo->sides[i], &demo->clock)) {
            return false;
        }
    }
    demo_scene_init(es_history_current(&demo->sides[0].history), (uint32_t)options->seed);
    return true;
}

/* Shows the world once, so that the first frame need not pay for loading fonts and drivers. */
static void warm_up(demo_state *demo)
{
    fill_hud(demo);
    if (draw_picture(demo, &demo->canvas, demo->view.fit(&demo->view), true)) {
        demo->view.present(&demo->view, demo->canvas.image, demo->pictures);
        demo->pictures += 1;
    }
}

/* Runs until somebody quits or the time is up. false: it had to stop. */
static bool run(demo_state *demo, int64_t run_ns)
{
    demo->refresh_ns = believable_ns(demo->view.refresh_ns);
    if (!start(demo)) {
        return false;
    }
    watch_stop_signals();
    warm_up(demo);
    restart_meters(demo);
    set_job(demo, demo->set.job);
    int64_t now_ns = demo->clock.now_ns(demo->clock.user);
    int64_t end_ns = es_ns_add(now_ns, run_ns);
    if (demo->set.alternate != NULL) {
        begin_turn(demo, 0);
    }
    while (!has_ended(demo)) {
        if (!run_frame(demo)) {
            return false;
        }
        follow_display(demo);
        if (!change(demo)) {
            return false;
        }
        take_turns(demo);
        demo->quit |= run_ns >= 0 && demo->clock.now_ns(demo->clock.user) >= end_ns;
    }
    measure(demo); /* a teller that is gone says so when it is asked: SDL may have noticed first */
    return true;
}

/* The last frame once more; as large as the world where the view was too small to read. */
static int save_screenshot(demo_state *demo, const char *path)
{
    demo_canvas canvas = {0};
    bool small = demo->view.text != NULL;
    demo_fit fit = small ? demo_fit_make(DEMO_WIDTH, DEMO_HEIGHT, DEMO_HEIGHT) : demo->canvas.fit;
    bool drawn = draw_picture(demo, &canvas, fit, demo->set.hud);
    errno = 0; /* cairo says little more than "cannot" */
    cairo_status_t status =
            drawn ? cairo_surface_write_to_png(canvas.image, path) : CAIRO_STATUS_NO_MEMORY;
    const char *why = errno != 0 ? strerror(errno) : cairo_status_to_string(status);
    demo_canvas_finish(&canvas);
    return status == CAIRO_STATUS_SUCCESS ? TOOL_OK : fail("cannot write", path, why);
}

/* Writes the files and prints the summary, which names the files that were written. */
static int tell(demo_state *demo, const demo_options *options, demo_run *told)
{
    int status = TOOL_OK;
    if (options->screenshot != NULL) {
        status = save_screenshot(demo, options->screenshot);
        told->screenshot = status == TOOL_OK ? options->screenshot : NULL;
    }
    if (options->report != NULL) {
        told->report = options->report;
        if (!demo_stats_write(demo->sides[0].stats, told, options->report)) {
            status = fail("cannot write", options->report, strerror(errno));
            told->report = NULL;
        }
    }
    if (options->report == NULL || strcmp(options->report, "-") != 0) {
        demo_stats_print(demo->sides[0].stats, told, stdout);
    }
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

static void finish(demo_state *demo)
{
    if (demo == NULL) {
        return;
    }
    demo_canvas_finish(&demo->canvas);
    for (int i = 0; i < DEMO_SIDES; ++i) {
        demo_side_finish(&demo->sides[i]);
    }
    free(demo);
}

static int open_view(demo_state *demo, const demo_options *options)
{
    char why[DEMO_WHY_SIZE];
    if (!options->window && !options->terminal && !options->headless) {
        demo->view = demo_view_open_best(&options->wishes);
        return TOOL_OK;
    }
    demo->view = options->window     ? demo_view_window(&options->wishes)
                 : options->terminal ? demo_view_terminal()
                                     : demo_view_headless();
    return demo_view_open(&demo->view, why) ? TOOL_OK
                                            : fail("cannot open the", demo->view.name, why);
}

static void tell_split(const demo_state *demo, demo_run *told)
{
    const demo_side *side = &demo->sides[1];
    if (demo->side_count > 1) {
        told->split = side->rule.name;
        told->split_show = demo_way_name_at((size_t)side->rule.way);
        told->split_blend = side->rule.way != DEMO_WAY_NONE;
        told->compare = side->stats;
    }
}

static void tell_turns(demo_state *demo, demo_run *told)
{
    demo_side *side = &demo->sides[0];
    if (demo->set.alternate == NULL) {
        return;
    }
    const char *names[DEMO_TURNS] = {demo->set.choice.loop, demo->set.alternate};
    for (int i = 0; i < DEMO_TURNS; ++i) {
        demo_stats_stop(&side->turns[i]);
        told->turns[i] = (demo_turn){names[i], &side->turns[i]};
    }
    told->turn_count = DEMO_TURNS;
    told->every_ns = demo->set.every_ns;
    side->stats = &side->turns[0];
}

/* Ends measuring; what ran is told while the view, whose words it has, is still open. Of two that
 * took turns it is the first, but for what is told of both. */
static demo_run stop(demo_state *demo)
{
    demo_side *side = &demo->sides[0];
    for (int i = 0; i < demo->side_count; ++i) {
        demo_side_measure(&demo->sides[i], INT64_MAX, true); /* nobody waits any more */
    }
    demo_stats_stop(side->stats);
    for (int i = 0; i < DEMO_TURNS; ++i) {
        demo_delay_note(&side->log, &side->turns[i].delays);
    }
    demo->turn = 0;
    demo_rule rule = demo->set.alternate != NULL ? first_rule(demo) : side->rule;
    demo_run told = {.view = demo->view.name,
            .loop = rule.name,
            .pace = demo_pace_name(rule.config.pace),
            .policy = es_catch_up_name(rule.config.catch_up),
            .show = demo_way_name_at((size_t)rule.way),
            .blend = rule.way != DEMO_WAY_NONE,
            .lead = rule.config.lead_ticks,
            .jump = demo_jump_name_at((size_t)demo->set.jump),
            .teller = demo->view.teller,
            .teller_ended = demo->view.teller_ended,
            .feedback = es_feedback_get_status(&side->feedback),
            .hidden_frames = demo->hidden_frames,
            .tick_rate = demo_side_tick_rate(side),
            .extra = demo_side_extra(side)};
    told.extra.presses_made = demo->input.presses;
    told.extra.presses_waiting = side->threads.running ? 0 : demo_feed_waiting(&side->desk.feed);
    told.extra.events_lost += demo->input.dropped;
    if (side->threads.running) {
        told.exchange = demo_loop_is_locked(rule.name) ? "locked" : "wait-free";
    }
    snprintf(told.shows, sizeof told.shows, "%s", demo->view.shows);
    tell_split(demo, &told);
    tell_turns(demo, &told);
    return told;
}

static int show(demo_state *demo, demo_options *options)
{
    if (open_view(demo, options) != TOOL_OK) {
        return TOOL_FAILED;
    }
    if (options->run_ns < 0 && strcmp(demo->view.name, "headless") == 0) {
        options->run_ns = HEADLESS_DEFAULT_NS; /* nobody could press q */
    }
    bool good = run(demo, options->run_ns);
    demo_run told = stop(demo);
    demo->view.close(&demo->view);
    int status = tell(demo, options, &told);
    return good ? status : fail("had to stop", NULL, "the view is gone, or no memory or thread");
}

int tool_demo(int argc, char **argv)
{
    es_error error;
    demo_options options;
    int status = demo_options_read(&options, argc, argv);
    if (status != TOOL_OK) {
        return status == TOOL_HELP_SHOWN ? TOOL_OK : status;
    }
    for (int way = 0; way < DEMO_WAYS; ++way) {
        if (es_layout_validate(demo_way_layout((demo_way)way), &error) != ES_OK) {
            return fail("the scene's layout is wrong", error.field, error.reason);
        }
    }
    demo_state *demo = calloc(1, sizeof *demo);
    bool ready = demo != NULL && es_clock_system(&demo->clock) == ES_OK && init(demo, &options);
    status = ready ? show(demo, &options) : fail("cannot start", NULL, "no memory or no clock");
    finish(demo);
    return status;
}
