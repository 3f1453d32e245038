/* SPDX-License-Identifier: Zlib */
#include "lab/draw.h"

#include <stdarg.h>
#include <stdio.h>

#define MS ES_NS_PER_MS

/* One machine's random numbers, in the order in which they are drawn. */
typedef struct dice {
    uint64_t key;
    uint64_t next;
} dice;

enum { NUMBERS_PER_MACHINE = 64 };

static double share(dice *d)
{
    return lab_random_uniform(d->key, d->next++);
}

static double between(dice *d, double low, double high)
{
    return low + (high - low) * share(d);
}

static size_t pick(dice *d, size_t count)
{
    return (size_t)(share(d) * (double)count);
}

static bool one_in(dice *d, double count)
{
    return share(d) * count < 1.0;
}

/* --- the display ------------------------------------------------------------------------------ */

static const es_rate rates[] = {{30, 1}, {50, 1}, {60000, 1001}, {60, 1}, {75, 1}, {90, 1},
        {100, 1}, {120, 1}, {144, 1}, {165, 1}, {180, 1}, {240, 1}, {280, 1}, {360, 1}};

static const uint32_t ranges[][2] = {{48, 144}, {40, 60}, {48, 240}, {30, 165}};

static void draw_refresh(dice *d, lab_display *display)
{
    size_t rate = pick(d, sizeof rates / sizeof rates[0]);
    size_t range = pick(d, sizeof ranges / sizeof ranges[0]);
    display->rate = rates[rate];
    if (one_in(d, 7.0)) {
        display->refresh = LAB_REFRESH_VARIABLE;
        display->rate_min = es_hz(ranges[range][0]);
        display->rate_max = es_hz(ranges[range][1]);
        display->nominal = display->rate_max;
    } else if (one_in(d, 10.0)) {
        display->swap = LAB_SWAP_MAILBOX;
    }
}

static void draw_display(dice *d, lab_display *display)
{
    static const lab_feedback feedbacks[] = {LAB_FEEDBACK_EXACT, LAB_FEEDBACK_NOISY,
            LAB_FEEDBACK_LATE, LAB_FEEDBACK_STOPS, LAB_FEEDBACK_DISCARDS};
    draw_refresh(d, display);
    double period_ns = (double)rate_period_ns(display->rate);
    display->phase_ns = -1;
    display->queue = (int32_t)(1 + pick(d, LAB_QUEUE_MAX));
    display->blocking = (lab_blocking)pick(d, 3);
    if (display->refresh == LAB_REFRESH_FIXED) {
        bool coarse = one_in(d, 8.0) && period_ns > 8e6; /* a timer in place of a display */
        display->latch_ns = (int64_t)(one_in(d, 2.0) ? between(d, 0.0, 0.2) * period_ns : 0.0);
        display->grain_ns = coarse ? MS : 0;
        display->late_share = one_in(d, 10.0) ? between(d, 0.002, 0.02) : 0.0;
    }
    display->unannounced = one_in(d, 2.0);
    if (one_in(d, 2.0)) {
        display->feedback = feedbacks[pick(d, sizeof feedbacks / sizeof feedbacks[0])];
        display->feedback_noise_ns = (int64_t)between(d, 0.0, 0.3e6);
        display->feedback_late_frames = (int32_t)(1 + pick(d, 3));
        display->feedback_stop_ns = (int64_t)between(d, 5e9, 25e9);
    }
}

/* --- costs ------------------------------------------------------------------------------------ */

static void draw_render(dice *d, lab_cost *render, const lab_cost *captures, size_t count)
{
    static const char *const families[] = {"cheap", "90-105", "spikes", "ramp", "heavy-tail"};
    enum { FAMILIES = sizeof families / sizeof families[0] };
    double load = between(d, 0.1, 1.15);
    size_t family = pick(d, 2 * FAMILIES + (count > 0 ? 4 : 0));
    size_t capture = pick(d, count);
    if (family < FAMILIES) {
        *render = lab_scenario_find(families[family])->render;
    } else if (family < 2 * FAMILIES) {
        double noise = between(d, 0.0, 0.1);
        *render = (lab_cost){
                .base = load, .unit = LAB_UNIT_REFRESH, .low = 1.0 - noise, .high = 1.0 + noise};
    } else {
        *render = captures[capture];
    }
}

static void draw_incident(dice *d, lab_scenario *scenario)
{
    lab_incident *incident = &scenario->incidents[0];
    incident->place = (lab_place)(LAB_PLACE_TICK + pick(d, 4));
    incident->at = between(d, 0.1, 0.7);
    incident->ns = (int64_t)(20e6 * lab_exp(between(d, 0.0, lab_log(50.0))));
    incident->idle = one_in(d, 2.0);
    if (one_in(d, 3.0)) {
        scenario->from_start = true;
        incident->place = LAB_PLACE_DRAW;
        incident->at = 0.0;
        incident->frames = one_in(d, 2.0) ? 1 : (int32_t)(10 + pick(d, 50));
        incident->ns = incident->frames > 1 ? (int64_t)between(d, 20e6, 60e6) : incident->ns;
    }
}

static void draw_scenario(
        dice *d, lab_scenario *scenario, const lab_cost *captures, size_t capture_count)
{
    static const char *const lateness[] = {"cheap", "wake-0.5", "wake-1.5", "wake-vm", "wake-tail"};
    enum { LATENESS = sizeof lateness / sizeof lateness[0] };
    *scenario = lab_scenario_plain();
    scenario->name = "random";
    scenario->title = "a random machine";
    scenario->wake = lab_scenario_find(lateness[pick(d, LATENESS)])->wake;
    draw_render(d, &scenario->render, captures, capture_count);
    scenario->render_variable = (lab_cost){0};
    double gpu = between(d, 0.1, 1.0);
    if (one_in(d, 2.0) && scenario->render.trace_count == 0) { /* a capture has its GPU's time */
        scenario->gpu =
                (lab_cost){.base = gpu, .unit = LAB_UNIT_REFRESH, .low = 0.95, .high = 1.05};
    }
    if (one_in(d, 10.0)) {
        scenario->preemption = (lab_preemption){500 * MS, 1 * MS, 20 * MS};
    }
    if (one_in(d, 3.0)) {
        draw_incident(d, scenario);
    }
}

lab_setup lab_draw(uint64_t seed, int64_t n, const lab_cost *captures, size_t capture_count)
{
    static const uint32_t ticks[] = {20, 30, 50, 60, 100, 120, 128};
    lab_setup setup = lab_setup_default();
    lab_display plain = {0};
    dice d = {lab_random_key(seed, LAB_STREAM_MACHINE), (uint64_t)n * NUMBERS_PER_MACHINE};
    setup.display = plain;
    setup.duration_ns = 30 * ES_NS_PER_S;
    setup.warm_up_ns = 2 * ES_NS_PER_S;
    setup.tick_rate = es_hz(ticks[pick(&d, sizeof ticks / sizeof ticks[0])]);
    setup.seed = lab_random_bits(d.key, d.next++);
    draw_display(&d, &setup.display);
    draw_scenario(&d, &setup.scenario, captures, capture_count);
    return setup;
}

/* --- in words --------------------------------------------------------------------------------- */

typedef struct words {
    char *text;
    size_t used;
} words;

static void say(words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(w->text + w->used, LAB_DRAW_TEXT - w->used, format, arguments);
    va_end(arguments);
    size_t room = LAB_DRAW_TEXT - w->used - 1;
    w->used += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room;
}

static double hz(es_rate rate)
{
    return (double)rate.numerator / (double)rate.denominator;
}

static void describe_display(words *w, const lab_display *display)
{
    static const char *const blocking[] = {
            "present blocks after queueing", "present blocks, then queues", "drawing blocks"};
    static const char *const feedback[] = {
            "none", "exact", "noisy", "late", "wrong", "stopping", "with discards"};
    if (display->refresh == LAB_REFRESH_VARIABLE) {
        say(w, "%g-%g Hz", hz(display->rate_min), hz(display->rate_max));
    } else {
        say(w, "%g Hz", hz(display->rate));
    }
    if (display->swap == LAB_SWAP_MAILBOX) {
        say(w, ", mailbox");
    } else {
        say(w, ", queue %d, %s", (int)display->queue, blocking[display->blocking]);
    }
    say(w, "%s, feedback %s", display->unannounced ? ", not announced" : "",
            feedback[display->feedback]);
    say(w, "%s", display->grain_ns > 0 ? ", flips at 1 ms" : "");
    say(w, "%s", display->late_share > 0.0 ? ", late flips" : "");
}

char *lab_draw_describe(const lab_setup *setup, char *text)
{
    static const char *const places[] = {"", "update", "drawing", "present before queueing",
            "present after queueing", "call left out", "call doubled"};
    words w = {text, 0};
    const lab_scenario *scenario = &setup->scenario;
    const lab_cost *render = &scenario->render;
    const lab_incident *incident = &scenario->incidents[0];
    text[0] = '\0';
    describe_display(&w, &setup->display);
    if (render->trace_count > 0) {
        say(&w, "; capture");
    } else {
        double factor = render->high > 0.0 ? 0.5 * (render->low + render->high) : 1.0;
        say(&w, "; CPU %.0f %%%s%s%s", 100.0 * render->base * factor,
                render->ramp_to > 0.0 ? " ramp" : "", render->pareto_tail > 0.0 ? " tail" : "",
                render->spike_share > 0.0 ? " spikes" : "");
    }
    if (scenario->gpu.base > 0.0) {
        say(&w, ", GPU %.0f %%", 100.0 * scenario->gpu.base);
    }
    say(&w, "; %g ticks/s", hz(setup->tick_rate));
    say(&w, "%s", scenario->preemption.mean_ns > 0 ? ", preempted" : "");
    if (incident->place != LAB_PLACE_NONE) {
        say(&w, "; %s %.0f ms longer, %d times", places[incident->place], ns_to_ms(incident->ns),
                incident->frames > 0 ? (int)incident->frames : 1);
    }
    return text;
}
