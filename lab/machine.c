/* SPDX-License-Identifier: Zlib */
#include "lab/machine_time.h"

/* --- setting up ------------------------------------------------------------------------------- */

static bool outside(int64_t ns, int64_t least_ns, int64_t most_ns)
{
    return ns < least_ns || ns > most_ns;
}

static es_result check(const lab_machine_config *config, lab_refusal *error)
{
    lab_refusal ignored;
    lab_refusal *out = error != NULL ? error : &ignored;
    int64_t tick_ns = rate_period_ns(config->tick_rate);
    out->reason = "out of range";
    out->field = !rate_is_valid(config->tick_rate) || outside(tick_ns, 1000, 10 * ES_NS_PER_S)
                         ? "tick_rate"
                 : outside(config->duration_ns, 1, 100000 * ES_NS_PER_S)   ? "duration_ns"
                 : outside(config->warm_up_ns, 0, config->duration_ns - 1) ? "warm_up_ns"
                 : outside(config->spin_ns, 0, ES_NS_PER_S)                ? "spin_ns"
                 : outside(config->cap_ns, 0, 10 * ES_NS_PER_S)            ? "cap_ns"
                                                                           : NULL;
    return out->field != NULL ? ES_ERR_INVALID : lab_scenario_validate(&config->scenario, out);
}

static void prepare_costs(lab_machine *machine)
{
    const lab_scenario *scenario = &machine->config.scenario;
    lab_scale scale = {machine->period_ns, machine->tick_period_ns, machine->config.warm_up_ns,
            machine->config.duration_ns, machine->config.seed};
    const lab_cost *render = &scenario->render;
    if (machine->config.display.refresh == LAB_REFRESH_VARIABLE
            && scenario->render_variable.base > 0.0) {
        render = &scenario->render_variable;
    }
    machine->update = lab_pricer_make(&scenario->update, &scale, LAB_STREAM_UPDATE);
    machine->render = lab_pricer_make(render, &scale, LAB_STREAM_RENDER);
    machine->gpu = lab_pricer_make(&scenario->gpu, &scale, LAB_STREAM_GPU);
    machine->wake_key = lab_random_key(scale.seed, LAB_STREAM_WAKE);
    machine->first.sleep_key = lab_random_key(scale.seed, LAB_STREAM_SLEEP);
    machine->first.read_key = lab_random_key(scale.seed, LAB_STREAM_READ);
    machine->second.sleep_key = lab_random_key(scale.seed, LAB_STREAM_WORKER_SLEEP);
    machine->second.read_key = lab_random_key(scale.seed, LAB_STREAM_WORKER_READ);
    machine->feedback_key = lab_random_key(scale.seed, LAB_STREAM_FEEDBACK);
    machine->call_key = lab_random_key(scale.seed, LAB_STREAM_CALL);
    machine->preemption_key = lab_random_key(scale.seed, LAB_STREAM_PREEMPTION);
}

/* The scenario's part of the display. The scenario is valid. */
static void add_scenario(const lab_machine *machine, lab_display *display)
{
    const lab_scenario *scenario = &machine->config.scenario;
    display->grain_ns = display->grain_ns > 0 ? display->grain_ns : scenario->grain_ns;
    display->late_share = display->late_share > 0.0 ? display->late_share : scenario->late_share;
    for (int i = 0; i < LAB_CHANGES && scenario->changes[i].at > 0.0; ++i) {
        display->changes[i] = scenario->changes[i].change;
        display->changes[i].at_ns = lab_machine_at(machine, scenario->changes[i].at);
    }
}

static void prepare(lab_machine *machine)
{
    lab_display *display = &machine->config.display;
    uint64_t seed = machine->config.seed;
    if (display->phase_ns < 0) {
        uint64_t key = lab_random_key(seed, LAB_STREAM_PHASE);
        double period = (double)rate_period_ns(display->rate);
        display->phase_ns = (int64_t)(period * lab_random_uniform(key, 0));
    }
    lab_screen_init(&machine->screen, display, lab_random_key(seed, LAB_STREAM_LATE_FLIP));
    machine->period_ns = rate_period_ns(display->nominal);
    machine->tick_period_ns = rate_period_ns(machine->config.tick_rate);
    machine->frame.index = -1;
    machine->call_refresh = INT64_MIN;
    machine->cap_due_ns = -machine->config.cap_ns; /* the first frame is due at once */
    machine->worker_at_ns = INT64_MAX;
    prepare_costs(machine);
    lab_time_start(machine);
}

es_result lab_machine_init(
        lab_machine *machine, const lab_machine_config *config, lab_refusal *error)
{
    lab_machine fresh = {0};
    fresh.config = *config;
    lab_machine_config *c = &fresh.config;
    if (c->tick_rate.numerator == 0 && c->tick_rate.denominator == 0) {
        c->tick_rate = es_hz(60);
    }
    c->duration_ns = c->duration_ns == 0 ? 60 * ES_NS_PER_S : c->duration_ns;
    es_result result = check(c, error);
    if (result == ES_OK) {
        lab_display display = config->display;
        add_scenario(&fresh, &display);
        result = lab_display_resolve(&display, &c->display, error);
    }
    if (result != ES_OK) {
        return result;
    }
    prepare(&fresh);
    *machine = fresh;
    return ES_OK;
}

void lab_machine_set_sink(lab_machine *machine, lab_sink sink)
{
    machine->sink = sink;
}

void lab_machine_finish(lab_machine *machine)
{
    if (machine->has_last && machine->sink.on_frame != NULL) {
        machine->sink.on_frame(machine->sink.user, &machine->last);
    }
    machine->has_last = false;
}

static void notify(lab_machine *machine, lab_event_kind kind, int64_t time_ns, int64_t value_ns)
{
    if (machine->config.observer.on_event == NULL) {
        return;
    }
    lab_event event = {kind, machine->frame.index, time_ns, value_ns, NULL, NULL};
    event.content = kind == LAB_EVENT_RENDER ? &machine->content : NULL;
    event.record = kind == LAB_EVENT_RETURN ? &machine->frame : NULL;
    machine->config.observer.on_event(machine->config.observer.user, &event);
}

void lab_wait_begins(lab_machine *machine)
{
    notify(machine, LAB_EVENT_WAIT, machine->now_ns, 0);
}

/* --- one frame -------------------------------------------------------------------------------- */

/* What happens to the current frame at a place, and how long it takes. */
static int64_t strike_incidents(lab_machine *machine, lab_place place, bool *idle)
{
    int64_t sum_ns = 0;
    for (int i = 0; i < LAB_INCIDENTS; ++i) {
        const lab_incident *incident = &machine->config.scenario.incidents[i];
        int32_t frames = incident->frames > 0 ? incident->frames : 1;
        if (incident->place != place || machine->incidents[i].hits >= frames
                || (machine->incidents[i].hits > 0
                        && machine->incidents[i].last_frame == machine->frame.index)
                || machine->frame.begin_ns < lab_machine_at(machine, incident->at)) {
            continue;
        }
        machine->incidents[i].hits += 1;
        machine->incidents[i].last_frame = machine->frame.index;
        machine->frame.disturbed = true;
        if (machine->in_worker) {
            machine->disturbed_until_ns = lab_thread_ns(machine) + incident->ns;
        }
        sum_ns += incident->ns;
        *idle = incident->idle;
    }
    return sum_ns;
}

static void pass_incidents(lab_machine *machine, lab_place place)
{
    bool idle = false;
    int64_t ns = strike_incidents(machine, place, &idle);
    if (idle) {
        lab_idle(machine, ns);
    } else {
        lab_work(machine, ns);
    }
}

static bool is_struck(lab_machine *machine, lab_place place)
{
    bool disturbed = machine->frame.disturbed;
    bool idle;
    machine->frame.disturbed = false;
    strike_incidents(machine, place, &idle);
    bool struck = machine->frame.disturbed;
    machine->frame.disturbed = struck || disturbed;
    return struck;
}

/* A refresh that passes while the program is busy has no call. */
static void wait_for_call(lab_machine *machine)
{
    const lab_display *display = &machine->config.display;
    int64_t index = machine->call_refresh;
    uint64_t draw = (uint64_t)machine->calls * LAB_DRAWS;
    double latest_ns = 0.9 * (double)machine->period_ns; /* of LAB_HOST_LATE */
    latest_ns = latest_ns < 3e6 ? latest_ns : 3e6;
    if (!is_struck(machine, LAB_PLACE_DOUBLE) || index == INT64_MIN) {
        int64_t room_ns = lab_screen_room_ns(&machine->screen);
        int64_t from_ns = room_ns > machine->now_ns ? room_ns : machine->now_ns;
        lab_screen_next_refresh(&machine->screen, from_ns, &index);
        index = index > machine->call_refresh ? index : machine->call_refresh + 1;
        index += is_struck(machine, LAB_PLACE_SKIP);
        int64_t call_ns = lab_screen_refresh_ns(&machine->screen, index);
        call_ns += display->host == LAB_HOST_LATE
                           ? (int64_t)(latest_ns * lab_random_uniform(machine->call_key, draw))
                           : lab_lateness_draw_ns(&machine->config.scenario.wake, machine->wake_key,
                                   machine->calls);
        lab_idle(machine, call_ns - machine->now_ns);
    }
    machine->call_refresh = index;
    machine->calls += 1;
    int64_t refresh_ns = lab_screen_refresh_ns(&machine->screen, index);
    int64_t grain_ns = display->host == LAB_HOST_100US ? ES_NS_PER_MS / 10
                       : display->host == LAB_HOST_1MS ? ES_NS_PER_MS
                                                       : 1;
    int64_t stamp_ns = display->host == LAB_HOST_LATE ? lab_reading_now(machine)
                                                      : lab_reading_at(machine, refresh_ns);
    machine->call_stamp_ns = stamp_ns / grain_ns * grain_ns;
    machine->call_expected_ns = 0;
    if (display->host_expects && lab_screen_mode(&machine->screen, refresh_ns) == LAB_MODE_FIXED) {
        machine->call_expected_ns = lab_reading_at(
                machine, lab_screen_refresh_ns(&machine->screen, index + display->queue));
    }
}

/* Waits until the frame is called, and due by the cap. */
static void wait_for_frame(lab_machine *machine)
{
    int64_t cap_ns = machine->config.cap_ns;
    int64_t due_ns = machine->cap_due_ns + cap_ns;
    bool hosted = machine->config.display.host != LAB_HOST_NONE;
    if (hosted) {
        do {
            wait_for_call(machine);
        } while (cap_ns > 0 && machine->call_stamp_ns < due_ns);
    }
    if (cap_ns > 0) {
        int64_t now_ns = lab_frame_time(machine);
        machine->cap_due_ns = now_ns - due_ns > cap_ns ? now_ns : due_ns;
    }
    if (cap_ns > 0 && !hosted) {
        lab_wait_begins(machine);
        lab_sleep_until(machine, machine->cap_due_ns);
    }
    machine->frame.begin_ns = machine->now_ns;
}

void lab_frame_begin(lab_machine *machine)
{
    lab_frame fresh = {0};
    bool presented = machine->has_last && machine->last.index == machine->frame.index;
    fresh.ticks = presented ? machine->frame.ticks - machine->last.ticks : 0; /* run after it */
    fresh.index = machine->frame.index + 1;
    fresh.begin_ns = machine->now_ns;
    /* by what came after its present, or while the window was hidden */
    fresh.disturbed = machine->frame.disturbed && !(presented && machine->last.disturbed);
    fresh.disturbed = fresh.disturbed || machine->now_ns < machine->disturbed_until_ns;
    machine->frame = fresh;
    machine->acquired = false;
    wait_for_frame(machine);
    lab_advance(machine, 0); /* the second thread may just have been started */
    notify(machine, LAB_EVENT_FRAME, machine->now_ns, 0);
}

void lab_host_skip(lab_machine *machine)
{
    wait_for_call(machine);
    machine->frame.begin_ns = machine->now_ns;
}

bool lab_host_call(const lab_machine *machine, int64_t *stamp_ns, int64_t *expected_ns)
{
    *stamp_ns = machine->call_stamp_ns;
    *expected_ns = machine->call_expected_ns;
    return machine->config.display.host != LAB_HOST_NONE;
}

int64_t lab_frame_time(lab_machine *machine)
{
    int64_t stamp_ns, expected_ns;
    return lab_host_call(machine, &stamp_ns, &expected_ns) ? stamp_ns : lab_now(machine);
}

void lab_poll(lab_machine *machine)
{
    machine->polled_ns = lab_thread_ns(machine);
    notify(machine, LAB_EVENT_POLL, machine->polled_ns, 0);
}

void lab_tick_begin(lab_machine *machine, int64_t time_ns)
{
    int64_t now_ns = lab_thread_ns(machine);
    notify(machine, LAB_EVENT_UPDATE, now_ns, time_ns);
    machine->tick_input_ns = machine->polled_ns;
    pass_incidents(machine, LAB_PLACE_TICK);
    lab_work(machine, lab_pricer_draw_ns(&machine->update, machine->ticks, now_ns));
}

void lab_tick_done(lab_machine *machine, int64_t time_ns)
{
    machine->ticks += 1;
    machine->input_ns[machine->ticks % LAB_INPUTS] = machine->tick_input_ns;
    machine->frame.ticks += 1;
    notify(machine, LAB_EVENT_UPDATE_DONE, lab_thread_ns(machine), time_ns);
}

void lab_tick(lab_machine *machine, int64_t time_ns)
{
    lab_tick_begin(machine, time_ns);
    lab_tick_done(machine, time_ns);
}

/* When the input in a frame was sampled: between its two ticks, by the frame's alpha. */
static int64_t input_of(const lab_machine *machine, const lab_content *content)
{
    if (content->live) {
        return machine->polled_ns;
    }
    int64_t newer = machine->ticks - content->ticks_back;
    int64_t newer_ns = newer > 0 ? machine->input_ns[newer % LAB_INPUTS] : 0;
    int64_t older_ns = newer > 1 ? machine->input_ns[(newer - 1) % LAB_INPUTS] : 0;
    double alpha = content->alpha < 1.0 ? content->alpha : 1.0;
    double back = alpha > 0.0 ? 1.0 - alpha : 1.0;
    return newer_ns - (int64_t)(back * (double)(newer_ns - older_ns));
}

static void wait_for_room(lab_machine *machine)
{
    int64_t wait_ns = ns_sub(lab_screen_room_ns(&machine->screen), machine->now_ns);
    if (wait_ns > 0) {
        lab_idle(machine, wait_ns);
        lab_idle(machine, lab_lateness_draw_ns(&machine->config.scenario.wake, machine->wake_key,
                                  machine->frame.index));
    }
}

/* The first drawing call of a frame. */
void lab_acquire(lab_machine *machine)
{
    if (machine->config.display.blocking == LAB_BLOCK_AT_ACQUIRE && !machine->acquired) {
        wait_for_room(machine);
    }
    machine->acquired = true;
}

void lab_render(lab_machine *machine, const lab_content *content)
{
    lab_frame *frame = &machine->frame;
    machine->content = *content;
    frame->render_ns = machine->now_ns;
    frame->content_ns = content->content_ns;
    frame->alpha = content->alpha;
    frame->interval_ns = content->interval_ns > 0 ? content->interval_ns : machine->config.cap_ns;
    frame->short_ns = content->short_ns;
    frame->input_ns = input_of(machine, content);
    machine->dropped_ns += content->dropped_ns;
    machine->slow_motion_ns += content->slow_motion_ns;
    machine->stretched_ns += content->stretched_ns;
    notify(machine, LAB_EVENT_RENDER, machine->now_ns, content->content_ns);
    lab_acquire(machine);
    lab_work(machine, lab_pricer_draw_ns(&machine->render, frame->index, machine->now_ns));
    pass_incidents(machine, LAB_PLACE_DRAW);
    frame->submit_ns = machine->now_ns;
    notify(machine, LAB_EVENT_SUBMIT, machine->now_ns, 0);
}

/* When the GPU is done with a frame submitted at submit_ns. */
static int64_t gpu_ready(const lab_machine *machine, int64_t submit_ns)
{
    if (machine->gpu.base_ns == 0.0 && machine->gpu.cost.trace_count == 0
            && machine->gpu.cost.at_count == 0) {
        return submit_ns;
    }
    int64_t free_ns = machine->gpu_free_ns > submit_ns ? machine->gpu_free_ns : submit_ns;
    return free_ns + lab_pricer_draw_ns(&machine->gpu, machine->frame.index, free_ns);
}

static void note_feedback(lab_machine *machine, const lab_flip *flip);

static void note_changes(lab_machine *machine)
{
    const lab_change *changes = machine->config.display.changes;
    while (machine->changes_seen < LAB_CHANGES && changes[machine->changes_seen].at_ns != 0
            && changes[machine->changes_seen].at_ns <= machine->now_ns) {
        machine->changes_seen += 1;
        machine->frame.disturbed = true;
    }
}

/* Passes frames on to the sink: a frame that is never seen is not passed on. */
static void keep_shown(lab_machine *machine, const lab_flip *flip)
{
    if (flip->hidden) {
        machine->was_hidden = true;
        return;
    }
    if (machine->content.repeats && machine->has_last) {
        machine->last.disturbed = machine->last.disturbed || machine->frame.disturbed;
        return;
    }
    machine->frame.reappears = machine->was_hidden;
    machine->was_hidden = false;
    if (flip->replaces) {
        machine->frame.reappears = machine->frame.reappears || machine->last.reappears;
        machine->frame.refreshes = machine->last.refreshes;
        machine->frame.disturbed = machine->frame.disturbed || machine->last.disturbed;
    } else {
        lab_machine_finish(machine);
    }
    machine->last = machine->frame;
    machine->has_last = true;
}

void lab_present(lab_machine *machine)
{
    lab_frame *frame = &machine->frame;
    const lab_display *display = &machine->config.display;
    frame->submit_ns = machine->now_ns; /* a loop may have waited since */
    int64_t ready_ns = gpu_ready(machine, frame->submit_ns);
    pass_incidents(machine, LAB_PLACE_PRESENT);
    if (display->blocking == LAB_BLOCK_BEFORE_QUEUE) {
        wait_for_room(machine);
    }
    note_changes(machine);
    if (machine->content.target_ns != 0 || machine->content.target_refreshes > 1) {
        lab_screen_aim(&machine->screen, lab_true_at(machine, machine->content.target_ns),
                machine->content.target_refreshes);
    }
    machine->gpu_free_ns = ready_ns;
    ready_ns = ready_ns > machine->now_ns ? ready_ns : machine->now_ns;
    lab_flip flip = lab_screen_present(&machine->screen, machine->now_ns, ready_ns);
    frame->shown_ns = flip.shown_ns;
    frame->refreshes = (int32_t)flip.refreshes;
    frame->refresh_ns = flip.refresh_ns;
    pass_incidents(machine, LAB_PLACE_RETURN);
    if (display->refresh == LAB_REFRESH_NONE) {
        lab_idle(machine, display->present_ns);
        frame->shown_ns = machine->now_ns;
        flip.shown_ns = machine->now_ns;
    } else if (display->blocking == LAB_BLOCK_AFTER_QUEUE && display->host == LAB_HOST_NONE) {
        wait_for_room(machine);
    }
    frame->return_ns = machine->now_ns;
    note_feedback(machine, &flip);
    keep_shown(machine, &flip);
    if (!flip.hidden) {
        notify(machine, LAB_EVENT_FLIP, frame->shown_ns, 0);
    }
    notify(machine, LAB_EVENT_RETURN, machine->now_ns, 0);
}

void lab_show(lab_machine *machine, const lab_content *content)
{
    lab_render(machine, content);
    lab_present(machine);
}

/* --- feedback --------------------------------------------------------------------------------- */

static int64_t feedback_value(lab_machine *machine, int64_t shown_ns)
{
    const lab_display *display = &machine->config.display;
    if (display->feedback == LAB_FEEDBACK_WRONG && display->refresh == LAB_REFRESH_FIXED) {
        return lab_screen_next_refresh(&machine->screen, machine->frame.submit_ns, NULL);
    }
    if (display->feedback == LAB_FEEDBACK_WRONG) {
        return machine->frame.submit_ns;
    }
    if (display->feedback == LAB_FEEDBACK_NOISY) {
        uint64_t index = (uint64_t)machine->frame.index;
        double u = lab_random_uniform(machine->feedback_key, index);
        return shown_ns + (int64_t)((2.0 * u - 1.0) * (double)display->feedback_noise_ns);
    }
    return shown_ns;
}

static bool is_discarded(lab_machine *machine, const lab_flip *flip)
{
    if (machine->config.display.feedback != LAB_FEEDBACK_DISCARDS) {
        return false;
    }
    uint64_t index = (uint64_t)machine->frame.index;
    return flip->hidden || lab_random_uniform(machine->feedback_key, index) < 0.1;
}

static void forget_replaced(lab_machine *machine)
{
    if (machine->notice_end == machine->notice_first) {
        return;
    }
    if (machine->config.display.feedback == LAB_FEEDBACK_DISCARDS) {
        machine->notices[(machine->notice_end - 1) % LAB_NOTICES].discarded = true;
    } else {
        machine->notice_end -= 1;
    }
}

/* Keeps the platform's report of this frame; it is known once the frame has flipped. */
static void note_feedback(lab_machine *machine, const lab_flip *flip)
{
    const lab_display *display = &machine->config.display;
    bool discarded = is_discarded(machine, flip);
    if (display->feedback == LAB_FEEDBACK_NONE || (flip->hidden && !discarded)
            || (display->feedback == LAB_FEEDBACK_STOPS
                    && flip->shown_ns >= display->feedback_stop_ns)) {
        return;
    }
    if (flip->replaces) {
        forget_replaced(machine);
    }
    int64_t late = display->feedback == LAB_FEEDBACK_LATE ? display->feedback_late_frames : 0;
    lab_notice notice = {
            machine->frame.index, feedback_value(machine, flip->shown_ns), INT64_MAX, discarded};
    machine->notices[machine->notice_end % LAB_NOTICES] = notice;
    machine->notice_end += 1;
    if (machine->notice_end - machine->notice_first > LAB_NOTICES) {
        machine->notice_first += 1;
    }
    int64_t known = machine->notice_end - 1 - late;
    if (known >= machine->notice_first) {
        machine->notices[known % LAB_NOTICES].known_ns = flip->shown_ns;
    }
}

bool lab_feedback_take(lab_machine *machine, lab_report *report)
{
    if (machine->notice_first == machine->notice_end) {
        return false;
    }
    const lab_notice *oldest = &machine->notices[machine->notice_first % LAB_NOTICES];
    if (oldest->known_ns > machine->now_ns) {
        return false;
    }
    machine->notice_first += 1;
    *report = (lab_report){oldest->frame, lab_reading_at(machine, oldest->shown_ns),
            oldest->discarded, machine->config.display.refresh == LAB_REFRESH_VARIABLE};
    return true;
}

/* --- the clock of the library ----------------------------------------------------------------- */

static int64_t clock_now(void *user)
{
    return lab_now(user);
}

static void clock_wait_until(void *user, int64_t deadline_ns)
{
    lab_wait_until(user, deadline_ns);
}

static int64_t clock_suspended(void *user)
{
    const lab_machine *machine = user;
    return machine->suspended_ns;
}

static int64_t clock_thread_cpu(void *user)
{
    const lab_machine *machine = user;
    return machine->in_worker ? machine->second.cpu_ns : machine->first.cpu_ns;
}

es_clock lab_clock(lab_machine *machine)
{
    return (es_clock){clock_now, clock_wait_until, clock_suspended, clock_thread_cpu, machine,
            "the lab's simulated clock", false};
}

/* --- what no program can know ----------------------------------------------------------------- */

int64_t lab_true_ns(const lab_machine *machine)
{
    return machine->now_ns;
}

int64_t lab_foresee_ns(const lab_machine *machine)
{
    lab_machine twin = *machine;
    twin.config.observer.on_event = NULL;
    twin.sink = (lab_sink){NULL, NULL};
    lab_show(&twin, &machine->content);
    return twin.frame.shown_ns;
}

int64_t lab_expect_ns(const lab_machine *machine, int64_t work_ns)
{
    lab_blocking blocking = machine->config.display.blocking;
    int64_t room_ns = lab_screen_room_ns(&machine->screen);
    int64_t start_ns = machine->now_ns + work_ns;
    start_ns = blocking == LAB_BLOCK_AT_ACQUIRE && room_ns > start_ns ? room_ns : start_ns;
    int64_t submit_ns = start_ns + lab_pricer_typical_ns(&machine->render, machine->now_ns);
    int64_t gpu_ns = lab_pricer_typical_ns(&machine->gpu, machine->now_ns);
    int64_t ready_ns = submit_ns;
    if (gpu_ns > 0) {
        ready_ns = (machine->gpu_free_ns > submit_ns ? machine->gpu_free_ns : submit_ns) + gpu_ns;
    }
    if (blocking == LAB_BLOCK_BEFORE_QUEUE && room_ns > submit_ns) {
        submit_ns = room_ns;
        ready_ns = ready_ns > room_ns ? ready_ns : room_ns;
    }
    return lab_screen_foresee(&machine->screen, submit_ns, ready_ns).shown_ns;
}
