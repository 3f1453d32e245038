/* SPDX-License-Identifier: Zlib
 *
 * How long does an event take to the screen? The loops of the lab on a virtual display, with events
 * at random times.
 *
 * Prints tables (Markdown) for 60 and 20 ticks per second at 60 Hz, with a queue of 2. Exits 1
 * where es_input and the count here, from the frames, do not agree.
 *
 * Other people's loops have no stamps: the next tick takes what was polled.
 */
#include "lab/run.h"

#include "evenstep/input.h"
#include "loop/loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS_MAX = 20000, RATE = 200 };

/* An event on its way, as counted from the frames. */
typedef struct traced {
    int64_t at_ns;
    int64_t tick; /* the tick that took it; 0: none yet */
    int64_t shows_ns;
    int64_t shown_ns;
} traced;

/* A row of the table. */
typedef struct setting {
    const char *title;
    const char *loop;   /* of the library; of the lab for theirs */
    bool theirs;        /* another library's loop */
    double delay_ticks; /* below 0: the loop's own */
    int32_t lead_ticks;
} setting;

typedef struct trial {
    setting what;
    es_rate tick_rate;
    lab_machine *machine;
    /* events */
    traced events[EVENTS_MAX];
    size_t count;
    size_t polled;
    size_t first_open;
    int64_t ticks;
    double position; /* of the frame in the making: newer tick - 1 + alpha */
    bool live;
    int64_t flip_ns;
    /* the library's loop */
    es_loop loop;
    es_input *input;
    double scratch[EVENTS_MAX];
} trial;

static trial t;

static const int64_t warm_up_ns = 12 * ES_NS_PER_S;

/* --- counted from the frames ------------------------------------------------------------------ */

static void events_at_random(uint64_t seed, int64_t until_ns)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    int64_t at_ns = 0;
    while (t.count < EVENTS_MAX) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        at_ns += (int64_t)(random >> 33) % (2 * ES_NS_PER_S / RATE);
        if (at_ns >= until_ns) {
            return;
        }
        t.events[t.count++] = (traced){at_ns, 0, INT64_MIN, INT64_MIN};
    }
}

/* The events of all ticks up to the frame's are seen. */
static void see(void)
{
    for (size_t i = t.first_open; i < t.polled; ++i) {
        traced *event = &t.events[i];
        bool in_tick = event->tick > 0;
        if (!t.live && (!in_tick || t.position <= (double)(event->tick - 1))) {
            break;
        }
        event->shows_ns = event->shows_ns != INT64_MIN ? event->shows_ns : t.flip_ns;
        if (t.live || t.position >= (double)event->tick) {
            event->shown_ns = t.flip_ns;
            t.first_open = i + 1;
        }
    }
}

static void observe(void *user, const lab_event *event)
{
    (void)user;
    switch (event->kind) {
    case LAB_EVENT_POLL:
        while (t.polled < t.count && t.events[t.polled].at_ns <= event->time_ns) {
            t.polled += 1;
        }
        break;
    case LAB_EVENT_UPDATE:
        t.ticks += 1;
        for (size_t i = t.polled; t.what.theirs && i > 0 && t.events[i - 1].tick == 0; --i) {
            t.events[i - 1].tick = t.ticks;
        }
        break;
    case LAB_EVENT_RENDER:
        t.position = (double)(t.ticks - event->content->ticks_back) - 1.0 + event->content->alpha;
        t.live = event->content->live;
        break;
    case LAB_EVENT_FLIP:
        t.flip_ns = event->time_ns;
        see();
        break;
    default:
        break;
    }
}

/* --- the library's loop, with es_input -------------------------------------------------------- */

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    es_loop_config config;
    (void)state;
    t.machine = machine;
    if (!es_loop_preset(t.what.loop, &config)) {
        return ES_ERR_INVALID;
    }
    config.tick_rate = setup->tick_rate;
    if (config.step == ES_STEP_FIXED) {
        config.delay_ticks = t.what.delay_ticks < 0.0 ? config.delay_ticks : t.what.delay_ticks;
        config.lead_ticks = t.what.lead_ticks;
    }
    if (config.pace == ES_PACE_AUTO) {
        config.refresh = setup->refresh;
    }
    if (config.pace == ES_PACE_ADAPTIVE || config.step == ES_STEP_LOCKSTEP) {
        config.interval_ns = es__rate_period_ns(setup->refresh);
    }
    config.clock = lab_clock(machine);
    t.input = es_input_create(&(es_input_config){.measured = EVENTS_MAX});
    es_input_frame(t.input, NULL, warm_up_ns);
    es__error refused;
    es_result result = es__loop_init(&t.loop, &config, &refused);
    return result == ES_OK ? ES_OK : lab_refuse(error, refused.field, refused.reason);
}

static void frame(void *state, lab_machine *machine)
{
    es_frame planned;
    es_step step;
    es_input_event event;
    (void)state;
    es_loop_begin(&t.loop);
    size_t from = t.polled;
    lab_poll(machine);
    for (size_t i = from; i < t.polled; ++i) {
        event = (es_input_event){.stamp_ns = t.events[i].at_ns, .kind = ES_INPUT_OTHER, .user = i};
        es_input_push(t.input, &event);
    }
    while (es_loop_tick(&t.loop, &step)) {
        es_input_tick(t.input, &step);
        while (es_input_next(t.input, &event)) {
            t.events[event.user].tick = step.index;
        }
        lab_tick(machine, step.time_ns);
    }
    lab_wait_begins(machine);
    es_loop_wait(&t.loop, &planned);
    lab_content content = {.content_ns = planned.content_ns, .alpha = planned.alpha};
    content.ticks_back = (int32_t)(planned.newest_tick - planned.current_tick);
    content.interval_ns = planned.interval_ns;
    content.alpha += planned.ahead_ns > 0 /* extrapolated */
                             ? (double)planned.ahead_ns / 1e9 / es__rate_period_s(t.tick_rate)
                             : 0.0;
    lab_render(machine, &content);
    es_loop_submit(&t.loop);
    lab_present(machine);
    es_loop_end(&t.loop);
    es_input_frame(t.input, &planned, t.flip_ns);
}

static const lab_loop ours = {.name = "ours",
        .title = "Evenstep with es_input",
        .source = "",
        .start = start,
        .frame = frame};

/* --- the table -------------------------------------------------------------------------------- */

typedef struct counted {
    struct {
        double shows_ms;
        double shown_ms;
    } mean;
    double p95_ms; /* of shown */
} counted;

static counted count_delays(void)
{
    counted out = {{0.0, 0.0}, 0.0};
    size_t count = 0;
    for (size_t i = 0; i < t.count; ++i) {
        const traced *event = &t.events[i];
        if (event->at_ns >= warm_up_ns && event->shown_ns != INT64_MIN) {
            out.mean.shows_ms += es__ns_to_ms(event->shows_ns - event->at_ns);
            t.scratch[count] = es__ns_to_ms(event->shown_ns - event->at_ns);
            out.mean.shown_ms += t.scratch[count++];
        }
    }
    if (count > 0) {
        es__sort(t.scratch, count);
        out.mean.shows_ms /= (double)count;
        out.mean.shown_ms /= (double)count;
        out.p95_ms = t.scratch[(count * 95 + 99) / 100 - 1];
    }
    return out;
}

/* Whether the meter agrees with the count. */
static bool print_row(const counted *found)
{
    printf("| %s | %.1f | %.1f | %.1f |", t.what.title, found->mean.shows_ms, found->mean.shown_ms,
            found->p95_ms);
    if (t.what.theirs) {
        printf(" |\n");
        return true;
    }
    es_input_status summary = es_input_get_status(t.input);
    bool metered = fabs(summary.to_shows.mean_ms - found->mean.shows_ms) < 0.001
                   && fabs(summary.to_shown.mean_ms - found->mean.shown_ms) < 0.001
                   && fabs(summary.to_shown.p95_ms - found->p95_ms) < 0.001;
    printf(" %.0f %% |%s\n",
            100.0 * (double)summary.missed / (double)(summary.events > 0 ? summary.events : 1),
            metered ? "" : " THE METER DIFFERS");
    return metered;
}

enum { HZ = 60, QUEUE = 2, SEED = 1 };

static bool run_setting(const setting *what, int ticks)
{
    lab_result result = {0};
    lab_refusal error = {0};
    lab_setup setup = lab_setup_default();
    setup.warm_up_ns = warm_up_ns;
    memset(&t, 0, sizeof t);
    t.what = *what;
    t.tick_rate = es_hz((uint32_t)ticks);
    setup.loop = what->theirs ? lab_loop_find(what->loop) : &ours;
    setup.display.rate = es_hz(HZ);
    setup.display.queue = QUEUE;
    setup.tick_rate = t.tick_rate;
    setup.seed = SEED;
    setup.observer = (lab_observer){observe, NULL};
    setup.scenario.clock = (lab_clock_model){.read_ns = 25}; /* stamps are of true time */
    events_at_random(setup.seed, setup.duration_ns - ES_NS_PER_S);
    if (lab_run(&setup, &result, &error) != ES_OK) {
        printf("| %s | %s %s | | | |\n", what->title, error.field, error.reason);
        return false;
    }
    counted found = count_delays();
    lab_result_free(&result);
    bool good = print_row(&found);
    es_input_destroy(t.input);
    return good;
}

static bool print_table(int ticks)
{
    static const setting settings[] = {
            {"auto (delay 0, lead 0)", "auto", false, -1.0, 0},
            {"auto, lead 1", "auto", false, -1.0, 1},
            {"auto, lead 2", "auto", false, -1.0, 2},
            {"auto, lead -1", "auto", false, -1.0, -1},
            {"auto, delay 1", "auto", false, 1.0, 0},
            {"auto, delay 3", "auto", false, 3.0, 0},
            {"low-latency", "low-latency", false, -1.0, 0},
            {"low-latency, lead 1", "low-latency", false, -1.0, 1},
            {"low-latency, lead 2", "low-latency", false, -1.0, 2},
            {"low-latency, lead -1", "low-latency", false, -1.0, -1},
            {"low-latency, delay 1", "low-latency", false, 1.0, 0},
            {"adaptive", "adaptive", false, -1.0, 0},
            {"decoupled (delay 1)", "decoupled", false, -1.0, 0},
            {"max-frameskip", "max-frameskip", false, -1.0, 0},
            {"lockstep", "lockstep", false, -1.0, 0},
            {"variable", "variable", false, -1.0, 0},
            {"Gaffer", "gaffer", true, 0.0, 0},
            {"Glaiel", "glaiel", true, 0.0, 0},
            {"Godot, physics interpolated", "godot-physics", true, 0.0, 0},
            {"XNA", "xna", true, 0.0, 0},
            {"variable step", "variable-dt", true, 0.0, 0},
    };
    bool good = true;
    printf("%d ticks per second at %d Hz, queue %d; ms:\n\n", ticks, HZ, QUEUE);
    printf("| loop | shows | shown | 95 %% shown | missed its tick |\n");
    printf("|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
        good = run_setting(&settings[i], ticks) && good;
    }
    printf("\n");
    return good;
}

int main(void)
{
    bool good = print_table(60);
    good = print_table(20) && good;
    return good ? 0 : 1;
}
