/* SPDX-License-Identifier: Zlib
 *
 * Our threaded loop: both sides of es_threads, through its public calls. The first thread of the
 * machine draws; the second runs the ticks, and samples the input before each.
 */
#include "lab/loops/loops.h"

#include "evenstep/threads.h"

typedef struct world {
    int64_t tick;
    int64_t time_ns;
} world;

typedef struct threaded {
    es_loop *loop;
    es_threads *threads;
    lab_machine *machine;
    /* the thread of the ticks */
    bool updating;
    es_step step; /* under way */
    void *state;
    int64_t newest; /* tick that was published last */
    _Alignas(16) unsigned char memory[ES_LOOP_BYTES];
} threaded;

_Static_assert(sizeof(threaded) <= LAB_LOOP_STATE_MAX, "it fits into a run");

/* --- the thread of the ticks ------------------------------------------------------------------ */

static void end_tick(threaded *s)
{
    *(world *)s->state = (world){s->step.index, s->step.time_ns};
    es_threads_tick_end(s->threads);
    s->newest = s->step.index;
    s->updating = false;
    lab_tick_done(s->machine, s->step.time_ns);
}

/* Starts the next tick (INT64_MIN), or returns until when to sleep. */
static int64_t next_tick(threaded *s)
{
    if (es_threads_tick_begin(s->threads, &s->step, &s->state, NULL)) {
        s->updating = true;
        lab_poll(s->machine);
        lab_tick_begin(s->machine, s->step.time_ns);
        return INT64_MIN;
    }
    return es_threads_tick_due(s->threads);
}

static int64_t step(void *user)
{
    threaded *s = user;
    if (s->updating) {
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
    es_loop_config config = {.delay_ticks = 1.0, .lead_ticks = 1};
    if (setup->config != NULL) {
        config = *setup->config;
    }
    const es_threads_config threads = {
            .state_size = sizeof(world), .lead_ticks = config.lead_ticks, .user = s};
    lab_fill_in(&config, setup, machine);
    config.lead_ticks = 0;
    s->machine = machine;
    s->loop = es_loop_create_in(s->memory, sizeof s->memory, &config);
    s->threads = s->loop != NULL ? es_threads_start(s->loop, &threads) : NULL;
    if (s->threads == NULL) {
        return lab_refuse_config(error);
    }
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

const lab_loop lab_loop_threaded = {"threaded",
        "Evenstep, default loop, ticks on a thread of their own",
        "Evenstep, es_threads, one tick behind", LAB_LOOP_OURS, LAB_NEEDS_CORE, 0, sizeof(threaded),
        start, frame, stop};
