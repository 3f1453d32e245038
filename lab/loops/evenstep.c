/* SPDX-License-Identifier: Zlib
 *
 * Our loops: the library itself, through its public calls, on the machine's clock. Without feedback
 * the loop does not know when frames are seen.
 */
#include "lab/loops/loops.h"

/* lab_loop.variant: the usual form. Rule A1 and the older loops decide while their ticks run. */
enum { STEPPED_FORM = LAB_FORM_STEPPED, FIRST_FORM = LAB_FORM_FIRST };

typedef struct evenstep {
    es_loop *loop;
    es_loop *second; /* LAB_CALL_SECOND */
    _Alignas(16) unsigned char memory[2][ES_LOOP_BYTES];
    int64_t newest; /* tick that ran last */
    int64_t frames;
    lab_form form;
    lab_calls calls;
    bool unblended;
    int64_t tick_ns; /* unblended: the tick that the last frame showed ... */
    double seen_ns;  /* ... and the real time for which content has moved */
} evenstep;

void lab_fill_in(es_loop_config *config, const lab_loop_setup *setup, lab_machine *machine)
{
    bool is_known = setup->refresh.numerator > 0;
    bool presents = config->pace == ES_PACE_AUTO || config->pace == ES_PACE_PRESENT;
    if (setup->cap_ns > 0) {
        config->interval_ns = setup->cap_ns;
    } else if (config->pace == ES_PACE_ADAPTIVE && config->interval_ns == 0 && is_known) {
        /* not lockstep: with the display's interval the game would run at the display's speed */
        config->interval_ns = rate_period_ns(setup->refresh);
    }
    if (presents && config->refresh.numerator == 0) {
        config->refresh = setup->refresh;
    }
    if (config->tick_rate.numerator == 0 && config->tick_rate.denominator == 0) {
        config->tick_rate = setup->tick_rate;
    }
    config->clock = lab_clock(machine);
}

static es_result start(
        void *state, const lab_loop_setup *setup, lab_machine *machine, lab_refusal *error)
{
    evenstep *s = state;
    es_loop_config config;
    s->form = setup->form != LAB_FORM_USUAL ? setup->form : (lab_form)setup->loop->variant;
    if (setup->config != NULL) {
        config = *setup->config;
    } else {
        (void)es_loop_preset(setup->loop->name, &config);
        config.tick_rate = setup->tick_rate;
        config.missed_max = config.low_latency ? setup->missed_max : 0.0;
        config.targets = config.pace == ES_PACE_AUTO ? setup->target_use : ES_TARGET_BALANCED;
        s->unblended = setup->unblended && config.pace == ES_PACE_AUTO;
        config.speed_change_max = s->unblended ? setup->speed_change_max : 0.0;
    }
    lab_fill_in(&config, setup, machine);
    s->loop = es_loop_create_in(s->memory[0], sizeof s->memory[0], &config);
    s->calls = setup->calls;
    if (s->loop != NULL && setup->targets != LAB_TARGETS_NONE) {
        const es_targets targets = {.times = setup->targets != LAB_TARGETS_COUNTS,
                .refreshes = setup->targets == LAB_TARGETS_COUNTS};
        es_loop_set_targets(s->loop, &targets);
    }
    if (s->calls == LAB_CALL_SECOND) {
        s->second = es_loop_create_in(s->memory[1], sizeof s->memory[1], &config);
    }
    return s->loop != NULL ? ES_OK : lab_refuse_config(error);
}

void lab_pass_feedback(es_loop *loop, lab_machine *machine)
{
    lab_report report;
    while (lab_feedback_take(machine, &report)) {
        const es_present sample = {.frame = report.frame,
                .shown_ns = report.shown_ns,
                .discarded = report.discarded,
                .variable = report.variable,
                .grade = ES_PRESENT_VSYNC};
        es_loop_presented(loop, &sample);
    }
}

lab_content lab_content_of(const es_frame *planned, int64_t newest_tick)
{
    return (lab_content){.content_ns = planned->content_ns,
            .alpha = planned->alpha,
            .ticks_back = (int32_t)(newest_tick - planned->current_tick),
            .interval_ns = planned->interval_ns,
            .target_ns = planned->target_ns,
            .target_refreshes = planned->target_refreshes,
            .dropped_ns = planned->account.frame_dropped_ns,
            .slow_motion_ns = planned->account.frame_slow_motion_ns,
            .stretched_ns = planned->account.frame_stretched_ns};
}

/* A game that does not blend: its content moves by whole ticks, and passes a tick in the real time
 * that the reported speed makes of it. */
static void show_tick(evenstep *s, const es_frame *planned, lab_content *content)
{
    double speed = 1.0 + es_loop_get_display(s->loop).speed_change;
    content->repeats = planned->current_ns == s->tick_ns && s->frames > 1;
    s->seen_ns += (double)(planned->current_ns - s->tick_ns) / speed;
    s->tick_ns = planned->current_ns;
    content->content_ns = (int64_t)(s->seen_ns + 0.5);
    content->alpha = 1.0;
}

static void draw(evenstep *s, lab_machine *machine, const es_frame *planned)
{
    lab_content content = lab_content_of(planned, s->newest);
    content.engine = s->loop;
    content.planned = planned;
    if (s->unblended) {
        show_tick(s, planned, &content);
    }
    if (s->calls == LAB_CALL_ACQUIRED) {
        lab_acquire(machine);
        es_loop_acquired(s->loop);
    }
    lab_render(machine, &content);
    es_loop_submit(s->loop);
    lab_present(machine);
}

static void draw_second(es_loop *second, lab_machine *machine)
{
    es_frame planned;
    if (second != NULL) {
        es_loop_next(second, &planned);
        lab_work(machine, 9 * ES_NS_PER_MS);
        es_loop_submit(second);
        es_loop_end(second);
    }
}

/* Before a frame. */
static void make_calls(evenstep *s, lab_machine *machine)
{
    bool begins = s->frames == 300, ends = s->frames == 400;
    es_loop_config config;
    if (s->calls == LAB_CALL_STEP && s->frames > 300 && s->frames < 400) {
        es_loop_tick_once(s->loop);
    } else if ((s->calls == LAB_CALL_PAUSE || s->calls == LAB_CALL_STEP) && (begins || ends)) {
        es_loop_set_paused(s->loop, begins);
    } else if ((s->calls == LAB_CALL_SLOW || s->calls == LAB_CALL_FAST) && (begins || ends)) {
        es_loop_set_speed(s->loop, ends ? 1.0 : s->calls == LAB_CALL_SLOW ? 0.5 : 2.0);
    } else if (s->calls == LAB_CALL_HIDE && (begins || ends)) {
        es_loop_set_visible(s->loop, ends);
    } else if (s->calls == LAB_CALL_SEEK && begins) {
        es_loop_seek(s->loop, s->newest + 100);
    } else if (s->calls == LAB_CALL_RESYNC && begins) {
        es_loop_resync(s->loop);
    } else if (s->calls == LAB_CALL_IDLE) {
        lab_work(machine, es_loop_idle_ns(s->loop) / 2);
    } else if (s->calls == LAB_CALL_CONFIGURE && begins) {
        config = es_loop_get_config(s->loop);
        config.low_latency = config.pace == ES_PACE_AUTO && !config.low_latency;
        es_loop_configure(s->loop, &config);
    }
    s->frames += 1;
}

/* The host calls, until a call that no cap leaves out. False: no host. */
static bool next_in_host(evenstep *s, lab_machine *machine, es_frame *planned)
{
    int64_t stamp_ns, expected_ns;
    while (lab_host_call(machine, &stamp_ns, &expected_ns)) {
        expected_ns = expected_ns != 0 ? expected_ns : ES_UNKNOWN_NS;
        es_loop_next_at(s->loop, stamp_ns, expected_ns, planned);
        if (!planned->surplus) {
            return true;
        }
        lab_host_skip(machine);
    }
    return false;
}

/* The first form: es_loop_next, with es_loop_wait where asked, and a host's frames. */
static void frame_next(void *state, lab_machine *machine)
{
    evenstep *s = state;
    es_frame planned;
    lab_pass_feedback(s->loop, machine);
    if (!next_in_host(s, machine, &planned)) {
        es_loop_next(s->loop, &planned);
    }
    lab_poll(machine);
    for (int32_t i = 0; i < planned.ticks; ++i) {
        es_step step = es_frame_step(&planned, i);
        lab_tick(machine, step.time_ns);
        s->newest = step.index;
    }
    lab_wait_begins(machine);
    if (s->form == LAB_FORM_WAIT) {
        es_loop_wait(s->loop, &planned);
    }
    draw(s, machine, &planned);
    if (s->calls != LAB_CALL_NO_END) {
        es_loop_end(s->loop); /* so the report is complete before the next frame */
    }
}

/* The stepped form. */
static void frame_stepped(void *state, lab_machine *machine)
{
    evenstep *s = state;
    es_step step;
    es_frame planned;
    lab_pass_feedback(s->loop, machine);
    es_loop_begin(s->loop);
    lab_poll(machine);
    while (es_loop_tick(s->loop, &step)) {
        lab_tick(machine, step.time_ns);
        s->newest = step.index;
    }
    lab_wait_begins(machine);
    es_loop_wait(s->loop, &planned);
    draw(s, machine, &planned);
    es_loop_end(s->loop);
}

/* A host's frames are always of the first form. */
static void frame(void *state, lab_machine *machine)
{
    const evenstep *s = state;
    int64_t stamp_ns, expected_ns;
    bool hosted = lab_host_call(machine, &stamp_ns, &expected_ns);
    make_calls(state, machine);
    (hosted || s->form != LAB_FORM_STEPPED ? frame_next : frame_stepped)(state, machine);
    draw_second(s->second, machine);
}

/* A loop of the table per named configuration. */
#define OURS(symbol, label, form, takes, text)                                                     \
    const lab_loop lab_loop_##symbol = {label, text, "Evenstep, es_loop_preset(\"" label "\")",    \
            LAB_LOOP_OURS, takes, form, sizeof(evenstep), start, frame, NULL};

OURS(display_time, "auto", FIRST_FORM, LAB_TAKES_HOST, "Evenstep, default loop")
OURS(low_latency, "low-latency", FIRST_FORM, 0, "Evenstep, low latency: frames begin late")
OURS(adaptive, "adaptive", STEPPED_FORM, 0, "Evenstep, adaptive interval")
OURS(lockstep, "lockstep", STEPPED_FORM, 0, "Evenstep, one update per frame")
OURS(variable, "variable", STEPPED_FORM, LAB_TAKES_HOST, "Evenstep, variable step")
OURS(decoupled, "decoupled", STEPPED_FORM, LAB_TAKES_HOST,
        "Evenstep, fixed updates and free frames")
OURS(max_frameskip, "max-frameskip", STEPPED_FORM, 0, "Evenstep, at most N skipped frames")
