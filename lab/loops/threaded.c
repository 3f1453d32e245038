/* SPDX-License-Identifier: Zlib
 *
 * Our threaded loop: both halves of es_threaded, through its public calls. The first thread of the
 * machine draws; the second runs the ticks, and samples the input before each.
 *
 * With a lock (threaded-locked) a thread that publishes or acquires a state has the lock while it
 * copies lab_loop_setup.state_bytes, and the other waits. The model of a lock is simple: no thread
 * is preempted while it has the lock, a waiting thread goes on at once, and locking costs nothing.
 */
#include "evenstep/exchange.h"
#include "evenstep/lock.h"
#include "evenstep/threaded.h"

#include "lab/loops/loops.h"

/* Bytes copied per us: 10 GB/s. In bench_exchange (docs/notes/threads.md) 1 MB took 80 to 100 us. */
static const int64_t copied_per_us = 10000;

enum { MEMORY = 8192, TICKS = 4 };

typedef struct world {
    int64_t tick;
    int64_t time_ns;
} world;

typedef enum phase { STARTING, RESTING, UPDATING, COPYING } phase;

typedef struct threaded {
    es_threaded threaded;
    es_threaded_frame shown;
    lab_machine *machine;
    /* the thread of the ticks */
    phase phase;
    es_threaded_tick tick;
    int64_t newest;    /* tick that was published last */
    int64_t published; /* states, the first one included */
    /* the lock: true times */
    int64_t copy_ns; /* of one state; 0: nothing is copied */
    int64_t acquired;
    int64_t render_until_ns; /* the drawing thread has it until then */
    int64_t ticks_until_ns;  /* the thread of the ticks has it until then */
    unsigned char memory[MEMORY];
} threaded;

_Static_assert(sizeof(threaded) <= LAB_LOOP_STATE_MAX, "it fits into a run");

const es_loop *lab_threaded_engine(const void *state)
{
    const threaded *s = state;
    return &s->threaded.loop;
}

const es_threaded_frame *lab_threaded_shown(const void *state)
{
    const threaded *s = state;
    return &s->shown;
}

/* --- the lock --------------------------------------------------------------------------------- */

static int64_t copies(int64_t published)
{
    return published < TICKS ? published : TICKS;
}

/* The thread of the ticks has had it since its last step, which began to copy. */
static void take_lock(void *user)
{
    threaded *s = user;
    if (lab_is_worker(s->machine)) {
        return;
    }
    while (s->ticks_until_ns > lab_true_ns(s->machine)) {
        lab_idle(s->machine, s->ticks_until_ns - lab_true_ns(s->machine));
    }
    int64_t cost_ns = s->published > s->acquired ? copies(s->published) * s->copy_ns : 0;
    s->acquired = s->published;
    s->render_until_ns = lab_true_ns(s->machine) + cost_ns;
    lab_work(s->machine, cost_ns);
}

static void give_lock(void *user)
{
    (void)user; /* render_until_ns and ticks_until_ns say when it ends */
}

/* Whether the tick can be published now; else the thread waits for the lock, or copies, until its
 * next step. */
static bool has_copied(threaded *s)
{
    int64_t now_ns = lab_true_ns(s->machine);
    if (s->phase == COPYING || s->copy_ns == 0) {
        return true;
    }
    if (s->render_until_ns > now_ns) {
        lab_idle(s->machine, s->render_until_ns - now_ns);
        return false;
    }
    int64_t cost_ns = copies(s->published + 1) * s->copy_ns;
    s->phase = COPYING;
    s->ticks_until_ns = now_ns + cost_ns;
    lab_work(s->machine, cost_ns);
    return false;
}

/* --- the thread of the ticks ------------------------------------------------------------------ */

static void publish(threaded *s, void *state, int64_t tick, int64_t time_ns)
{
    *(world *)state = (world){tick, time_ns};
    es_threaded_tick_end(&s->threaded);
    s->newest = tick;
    s->published += 1;
    s->phase = RESTING;
}

static void start_world(threaded *s)
{
    void *state;
    es_threaded_tick_seek(&s->threaded, 0, &state);
    publish(s, state, 0, 0);
}

static void end_tick(threaded *s)
{
    const es_step *step = &s->tick.step;
    publish(s, s->tick.state, step->index, step->time_ns);
    lab_tick_done(s->machine, step->time_ns);
}

/* The longest sleep, as in es_threaded_start's thread. */
static int64_t look_ns(const threaded *s)
{
    int64_t half_ns = rate_period_ns(s->threaded.ticks.ticker.rate) / 2;
    half_ns = half_ns > ES_THREADED_LOOK_LEAST_NS ? half_ns : ES_THREADED_LOOK_LEAST_NS;
    return half_ns < ES_THREADED_LOOK_NS ? half_ns : ES_THREADED_LOOK_NS;
}

/* Starts the next tick (INT64_MIN), or returns until when to sleep. */
static int64_t next_tick(threaded *s)
{
    if (es_threaded_tick_begin(&s->threaded, &s->tick)) {
        s->phase = UPDATING;
        lab_poll(s->machine);
        lab_tick_begin(s->machine, s->tick.step.time_ns);
        return INT64_MIN;
    }
    int64_t due_ns = es_threaded_tick_due(&s->threaded);
    int64_t again_ns = ns_add(lab_now(s->machine), look_ns(s));
    return due_ns < again_ns ? due_ns : again_ns;
}

static int64_t step(void *user)
{
    threaded *s = user;
    if (s->phase == STARTING) {
        start_world(s);
    } else if (s->phase != RESTING) {
        if (!has_copied(s)) {
            return INT64_MIN;
        }
        end_tick(s);
    }
    return next_tick(s);
}

/* --- the thread that draws -------------------------------------------------------------------- */

/* A given configuration is a loop's (lab_loop_config), with the threaded loop's delay and lead. */
static es_threaded_config config_of(const lab_loop_setup *setup)
{
    es_threaded_config config = {.state_size = sizeof(world)};
    config.loop.tick_rate = setup->tick_rate;
    if (setup->config != NULL) {
        config.loop = *setup->config;
        config.delay_ticks =
                config.loop.delay_ticks == 0.0 ? ES_THREADED_NO_DELAY : config.loop.delay_ticks;
        config.lead_ticks = config.loop.lead_ticks;
        config.loop.delay_ticks = 0.0;
        config.loop.lead_ticks = 0;
        if (config.loop.tick_rate.numerator == 0 && config.loop.tick_rate.denominator == 0) {
            config.loop.tick_rate = setup->tick_rate;
        }
    }
    if (config.loop.pace == ES_PACE_AUTO && config.loop.refresh.numerator == 0) {
        config.loop.refresh = setup->refresh;
    }
    return config;
}

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    threaded *s = state;
    const lab_worker worker = {step, s};
    es_threaded_config config = config_of(setup);
    config.loop.clock = lab_clock(machine);
    config.kind = (es_exchange_kind)setup->loop->variant;
    config.lock = (es_lock){s, take_lock, give_lock};
    s->machine = machine;
    bool locked = config.kind == ES_EXCHANGE_LOCKED;
    s->copy_ns = locked ? setup->state_bytes * ES_NS_PER_US / copied_per_us : 0;
    es_result result = es_threaded_init(&s->threaded, &config, s->memory, sizeof s->memory, (es_error *)(void *)error);
    if (result == ES_OK) {
        lab_worker_start(machine, &worker);
    }
    return result;
}

static void report_presented(threaded *s, lab_machine *machine)
{
    lab_report report;
    while (lab_feedback_take(machine, &report)) {
        es_present sample = lab_sample_of(&report);
        es_threaded_presented(&s->threaded, &sample);
    }
}

static void frame(void *state, lab_machine *machine)
{
    threaded *s = state;
    const es_frame *planned = &s->shown.frame;
    report_presented(s, machine);
    es_threaded_begin(&s->threaded);
    lab_wait_begins(machine);
    es_threaded_ready(&s->threaded, &s->shown);
    lab_content content = {0};
    content.content_ns = planned->content_ns;
    content.alpha = planned->alpha;
    content.ticks_back = (int32_t)(s->newest - planned->current_tick);
    content.interval_ns = planned->interval_ns;
    content.dropped_ns = planned->account.frame_dropped_ns;
    content.slow_motion_ns = planned->account.frame_slow_motion_ns;
    content.stretched_ns = planned->account.frame_stretched_ns;
    content.short_ns = ns_sub(s->shown.wanted_ns, planned->content_ns);
    lab_render(machine, &content);
    es_threaded_submit(&s->threaded);
    lab_present(machine);
    es_threaded_end(&s->threaded);
}

const lab_loop lab_loop_threaded_free = {
        .name = "threaded",
        .title = "Evenstep, default loop, ticks on a thread of their own",
        .source = "Evenstep, es_threaded, one tick behind",
        .kind = LAB_LOOP_OURS,
        .needs = LAB_NEEDS_CORE,
        .variant = ES_EXCHANGE_WAIT_FREE,
        .state_size = sizeof(threaded),
        .start = start,
        .frame = frame,
};

const lab_loop lab_loop_threaded_locked = {
        .name = "threaded-locked",
        .title = "Evenstep, default loop, states copied under a lock",
        .source = "Evenstep, es_threaded with ES_EXCHANGE_LOCKED, states of 1 MB",
        .kind = LAB_LOOP_OURS,
        .needs = LAB_NEEDS_CORE,
        .variant = ES_EXCHANGE_LOCKED,
        .state_size = sizeof(threaded),
        .start = start,
        .frame = frame,
};
