/* SPDX-License-Identifier: Zlib
 *
 * Our threaded loop: both sides of es_threads, through its public calls. The first thread of the
 * machine draws; the second runs the ticks, and samples the input before each.
 *
 * With a lock (threaded-locked) a thread that publishes or acquires a state has the lock while it
 * copies its 1 MB, and the other waits. The model of a lock is simple: no thread
 * is preempted while it has the lock, a waiting thread goes on at once, and locking costs nothing.
 */
#include "lab/loops/loops.h"

/* Of 1 MB: 10 GB/s. In bench_exchange (docs/notes/threads.md) it took 80 to 100 us. */
static const int64_t copy_ns = 100 * ES_NS_PER_US;

enum { LOCKED = 1 }; /* lab_loop.variant */

typedef struct world {
    int64_t tick;
    int64_t time_ns;
} world;

typedef enum phase { RESTING, UPDATING, COPYING } phase;

typedef struct threaded {
    es_loop *loop;
    es_threads *threads;
    lab_machine *machine;
    /* the thread of the ticks */
    phase phase;
    es_step step; /* under way */
    void *state;
    int64_t newest;    /* tick that was published last */
    int64_t published; /* states, the first one included */
    /* the lock: true times */
    int64_t copy_ns; /* of one state; 0: nothing is copied */
    int64_t acquired;
    int64_t render_until_ns; /* the drawing thread has it until then */
    int64_t ticks_until_ns;  /* the thread of the ticks has it until then */
    _Alignas(16) unsigned char memory[ES_LOOP_BYTES];
} threaded;

_Static_assert(sizeof(threaded) <= LAB_LOOP_STATE_MAX, "it fits into a run");

const es_loop *lab_threaded_engine(const void *state)
{
    const threaded *s = state;
    return s->loop;
}

const es_threads *lab_threaded_threads(const void *state)
{
    const threaded *s = state;
    return s->threads;
}

/* --- the lock --------------------------------------------------------------------------------- */

static int64_t copies(int64_t published)
{
    return published < ES_VIEW_TICKS ? published : ES_VIEW_TICKS;
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

static void end_tick(threaded *s)
{
    *(world *)s->state = (world){s->step.index, s->step.time_ns};
    es_threads_tick_end(s->threads);
    s->newest = s->step.index;
    s->published += 1;
    s->phase = RESTING;
    lab_tick_done(s->machine, s->step.time_ns);
}

/* Starts the next tick (INT64_MIN), or returns until when to sleep. */
static int64_t next_tick(threaded *s)
{
    if (es_threads_tick_begin(s->threads, &s->step, &s->state, NULL)) {
        s->phase = UPDATING;
        lab_poll(s->machine);
        lab_tick_begin(s->machine, s->step.time_ns);
        return INT64_MIN;
    }
    return es_threads_tick_due(s->threads);
}

static int64_t step(void *user)
{
    threaded *s = user;
    if (s->phase != RESTING) {
        if (!has_copied(s)) {
            return INT64_MIN;
        }
        end_tick(s);
    }
    return next_tick(s);
}

/* --- the thread that draws -------------------------------------------------------------------- */

/* lead_ticks of the configuration is that of the threads. */
static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    threaded *s = state;
    const lab_worker worker = {step, s};
    bool locked = setup->loop->variant == LOCKED;
    es_loop_config config = {.delay_ticks = 1.0, .lead_ticks = 1};
    if (setup->config != NULL) {
        config = *setup->config;
    }
    const es_threads_config threads = {.state_size = sizeof(world),
            .lead_ticks = config.lead_ticks,
            .user = s,
            .lock = locked ? take_lock : NULL,
            .unlock = locked ? give_lock : NULL};
    lab_fill_in(&config, setup, machine);
    config.lead_ticks = 0;
    s->machine = machine;
    s->published = 1;
    s->acquired = 1;
    s->loop = es_loop_create_in(s->memory, sizeof s->memory, &config);
    s->threads = s->loop != NULL ? es_threads_start(s->loop, &threads) : NULL;
    if (s->threads == NULL) {
        return lab_refuse_config(error);
    }
    s->copy_ns = locked ? copy_ns : 0;
    lab_worker_start(machine, &worker);
    return ES_OK;
}

static void stop(void *state)
{
    threaded *s = state;
    es_threads_stop(s->threads, NULL);
}

static void frame(void *state, lab_machine *machine)
{
    threaded *s = state;
    es_frame planned;
    es_view view;
    lab_pass_feedback(s->loop, machine);
    es_loop_begin(s->loop);
    lab_wait_begins(machine);
    es_loop_wait(s->loop, &planned);
    es_threads_view(s->threads, &view);
    lab_content content = lab_content_of(&planned, s->newest);
    content.short_ns = view.late_ns;
    lab_render(machine, &content);
    es_loop_submit(s->loop);
    lab_present(machine);
    es_loop_end(s->loop);
}

const lab_loop lab_loop_threaded_free = {"threaded",
        "Evenstep, default loop, ticks on a thread of their own",
        "Evenstep, es_threads, one tick behind", LAB_LOOP_OURS, LAB_NEEDS_CORE, 0, sizeof(threaded),
        start, frame, stop};

const lab_loop lab_loop_threaded_locked = {"threaded-locked",
        "Evenstep, default loop, states copied under a lock",
        "Evenstep, es_threads with a lock, states of 1 MB", LAB_LOOP_OURS, LAB_NEEDS_CORE, LOCKED,
        sizeof(threaded), start, frame, stop};
