/* SPDX-License-Identifier: Zlib
 *
 * All time passes through lab_advance, so faults of the clock happen when they are due, whatever the
 * program is doing.
 */
#include "lab/machine_time.h"

/* The instant at a share of the measured part of the run. */
int64_t lab_machine_at(const lab_machine *machine, double share)
{
    int64_t from_ns = machine->config.warm_up_ns;
    return from_ns + (int64_t)(share * (double)(machine->config.duration_ns - from_ns));
}

/* When the next fault is due; faults are in order of time. */
static void schedule_fault(lab_machine *machine)
{
    const lab_clock_model *clock = &machine->config.scenario.clock;
    machine->fault_at_ns = INT64_MAX;
    if (machine->fault < LAB_FAULTS && clock->faults[machine->fault].kind != LAB_FAULT_NONE) {
        machine->fault_at_ns = lab_machine_at(machine, clock->faults[machine->fault].at);
    }
}
/* --- time ------------------------------------------------------------------------------------- */

/* A span of true time as the clock's crystal counts it. In two parts, against overflow. */
static int64_t skewed(const lab_machine *machine, int64_t true_ns)
{
    int64_t ppm = machine->config.scenario.clock.skew_ppm;
    return true_ns + true_ns / 1000000 * ppm + true_ns % 1000000 * ppm / 1000000;
}

/* The reading at an instant that is not in the future of the last fault. */
int64_t lab_reading_at(const lab_machine *machine, int64_t true_ns)
{
    int64_t stood_ns = machine->still_ns - true_ns;
    stood_ns = stood_ns < machine->stands_ns ? stood_ns : machine->stands_ns;
    return skewed(machine, true_ns) + machine->offset_ns + (stood_ns > 0 ? stood_ns : 0);
}

/* The current thread's time: the second thread is ahead by the work of its step so far. */
int64_t lab_thread_ns(const lab_machine *machine)
{
    return machine->now_ns + (machine->in_worker ? machine->worker_work_ns : 0);
}

int64_t lab_reading_now(const lab_machine *machine)
{
    return lab_reading_at(machine, lab_thread_ns(machine));
}

static void strike_fault(lab_machine *machine)
{
    const lab_fault *fault = &machine->config.scenario.clock.faults[machine->fault];
    int64_t amount_ns = fault->amount_ns;
    switch (fault->kind) {
    case LAB_FAULT_JUMP:
        machine->offset_ns += amount_ns;
        break;
    case LAB_FAULT_BACK:
        machine->offset_ns -= amount_ns;
        machine->first.reading_ns -= amount_ns;
        machine->second.reading_ns -= amount_ns;
        break;
    case LAB_FAULT_STILL:
        /* as if the clock had gone back at once, and showed its old value until then */
        machine->offset_ns -= amount_ns;
        machine->still_ns = machine->fault_at_ns + amount_ns;
        machine->stands_ns = amount_ns;
        break;
    case LAB_FAULT_SUSPEND:
        machine->now_ns += amount_ns;
        machine->offset_ns -= amount_ns;
        machine->suspended_ns += amount_ns;
        if (machine->worker_at_ns < INT64_MAX) {
            machine->worker_at_ns += amount_ns;
        }
        break;
    case LAB_FAULT_NONE:
        break;
    }
    machine->fault += 1;
    schedule_fault(machine);
}

/* Moves to an instant that is not before now. Returns the time of suspensions on the way, by which
 * it is later then. */
static int64_t arrive(lab_machine *machine, int64_t at_ns)
{
    int64_t suspended_ns = machine->suspended_ns;
    machine->now_ns = at_ns;
    while (machine->now_ns >= machine->fault_at_ns) {
        strike_fault(machine);
    }
    return machine->suspended_ns - suspended_ns;
}

static void step_worker(lab_machine *machine);

/* Lets time pass for both threads. */
void lab_advance(lab_machine *machine, int64_t span_ns)
{
    int64_t to_ns = machine->now_ns + span_ns;
    while (machine->worker_at_ns <= to_ns) {
        to_ns += arrive(machine, machine->worker_at_ns);
        step_worker(machine);
    }
    arrive(machine, to_ns);
}

/* The state of the current thread. */
static lab_core *core_of(lab_machine *machine)
{
    return machine->in_worker ? &machine->second : &machine->first;
}

static void next_preemption(lab_machine *machine, int64_t from_ns)
{
    const lab_preemption *preemption = &machine->config.scenario.preemption;
    uint64_t draw = (uint64_t)machine->preemptions * LAB_DRAWS;
    double wait = preemption->is_even ? 1.0 : lab_random_exponential(machine->preemption_key, draw);
    double share = lab_random_uniform(machine->preemption_key, draw + 1);
    double span = (double)(preemption->high_ns - preemption->low_ns);
    machine->taken_from_ns = from_ns + (int64_t)((double)preemption->mean_ns * wait);
    machine->taken_to_ns = machine->taken_from_ns + preemption->low_ns + (int64_t)(span * share);
    machine->preemptions += 1;
}

void lab_time_start(lab_machine *machine)
{
    schedule_fault(machine);
    machine->taken_from_ns = INT64_MAX;
    if (machine->config.scenario.preemption.mean_ns > 0) {
        next_preemption(machine, 0);
    }
}

/* If another program has the first thread's processor, time passes until it is free. */
static void wait_for_processor(lab_machine *machine)
{
    while (machine->taken_from_ns <= machine->now_ns) {
        if (machine->taken_to_ns > machine->now_ns) {
            lab_advance(machine, machine->taken_to_ns - machine->now_ns);
        }
        next_preemption(machine, machine->taken_to_ns);
    }
}

static void work_on_first(lab_machine *machine, int64_t duration_ns)
{
    int64_t left_ns = duration_ns;
    while (left_ns > 0) {
        wait_for_processor(machine);
        int64_t free_ns = machine->taken_from_ns - machine->now_ns;
        int64_t span_ns = left_ns < free_ns ? left_ns : free_ns;
        lab_advance(machine, span_ns);
        left_ns -= span_ns;
    }
}

void lab_work(lab_machine *machine, int64_t duration_ns)
{
    if (duration_ns <= 0) {
        return;
    }
    core_of(machine)->cpu_ns += duration_ns;
    if (machine->in_worker) {
        machine->worker_work_ns += duration_ns;
    } else {
        work_on_first(machine, duration_ns);
    }
}

void lab_idle(lab_machine *machine, int64_t duration_ns)
{
    if (duration_ns <= 0) {
        return;
    }
    if (machine->in_worker) {
        machine->worker_work_ns += duration_ns;
    } else {
        machine->waited_ns += duration_ns;
        lab_advance(machine, duration_ns);
        wait_for_processor(machine);
    }
}

int64_t lab_now(lab_machine *machine)
{
    const lab_clock_model *clock = &machine->config.scenario.clock;
    lab_core *core = core_of(machine);
    lab_work(machine, clock->read_ns);
    int64_t reading_ns = lab_reading_now(machine);
    if (clock->noise_ns > 0) {
        double u = lab_random_uniform(core->read_key, (uint64_t)core->reads);
        reading_ns += (int64_t)((double)clock->noise_ns * u);
        core->reads += 1;
    }
    reading_ns -= clock->grain_ns > 0 ? reading_ns % clock->grain_ns : 0;
    if (reading_ns > core->reading_ns) {
        core->reading_ns = reading_ns;
    }
    return core->reading_ns;
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* The true time in which the clock advances by clock_ns; at least 1. */
static int64_t true_span_ns(const lab_machine *machine, int64_t clock_ns)
{
    int64_t skew_ns = skewed(machine, clock_ns) - clock_ns;
    return clock_ns - skew_ns > 1 ? clock_ns - skew_ns : 1;
}

int64_t lab_true_at(const lab_machine *machine, int64_t clock_ns)
{
    int64_t span_ns = clock_ns - lab_reading_now(machine);
    span_ns = span_ns > 0 ? true_span_ns(machine, span_ns) : span_ns;
    return clock_ns != 0 ? machine->now_ns + span_ns : 0;
}

/* Idle until the clock has reached a reading. It takes more than one turn only during a clock
 * fault. */
static void idle_until(lab_machine *machine, int64_t clock_ns)
{
    int64_t left_ns = clock_ns - lab_reading_now(machine);
    while (left_ns > 0) {
        lab_idle(machine, true_span_ns(machine, left_ns));
        left_ns = clock_ns - lab_reading_now(machine);
    }
}

void lab_sleep_until(lab_machine *machine, int64_t clock_ns)
{
    if (clock_ns <= lab_reading_now(machine)) {
        return;
    }
    lab_core *core = &machine->first;
    int64_t late_ns =
            lab_lateness_draw_ns(&machine->config.scenario.sleep, core->sleep_key, core->sleeps);
    core->sleeps += 1;
    idle_until(machine, clock_ns);
    lab_idle(machine, late_ns);
}

void lab_sleep(lab_machine *machine, int64_t duration_ns)
{
    lab_sleep_until(machine, ns_add(lab_reading_now(machine), duration_ns));
}

void lab_wait_until(lab_machine *machine, int64_t clock_ns)
{
    lab_sleep_until(machine, ns_sub(clock_ns, machine->config.spin_ns));
    lab_spin_until(machine, clock_ns);
}

/* Looks at the clock again when the processor comes back. */
void lab_spin_until(lab_machine *machine, int64_t clock_ns)
{
    int64_t left_ns = clock_ns - lab_reading_now(machine);
    while (left_ns > 0) {
        int64_t span_ns = true_span_ns(machine, left_ns);
        int64_t free_ns = machine->taken_from_ns - machine->now_ns;
        bool taken = !machine->in_worker && free_ns > 0 && free_ns < span_ns;
        lab_work(machine, taken ? free_ns : span_ns);
        if (taken) {
            wait_for_processor(machine);
        }
        left_ns = clock_ns - lab_reading_now(machine);
    }
}

bool lab_is_over(const lab_machine *machine)
{
    return machine->now_ns >= machine->config.duration_ns;
}

/* --- the second thread ------------------------------------------------------------------------ */

/* Where a scenario does not say how late the second thread wakes: as late as the first. */
static const lab_lateness *worker_lateness(const lab_machine *machine)
{
    const lab_scenario *scenario = &machine->config.scenario;
    bool own = scenario->worker_sleep.delays[0].share > 0.0;
    return own ? &scenario->worker_sleep : &scenario->sleep;
}

/* How long it sleeps in true time, for a span of the clock. */
static int64_t worker_sleep_ns(lab_machine *machine, int64_t left_ns)
{
    lab_core *core = &machine->second;
    int64_t late_ns = lab_lateness_draw_ns(worker_lateness(machine), core->sleep_key, core->sleeps);
    core->sleeps += 1;
    return true_span_ns(machine, left_ns) + late_ns;
}

static void step_worker(lab_machine *machine)
{
    machine->in_worker = true;
    machine->worker_work_ns = 0;
    int64_t until_ns = machine->worker.step(machine->worker.user);
    int64_t left_ns = ns_sub(until_ns, lab_reading_now(machine));
    machine->in_worker = false;
    if (until_ns == INT64_MAX) {
        machine->worker_at_ns = INT64_MAX;
        return;
    }
    int64_t span_ns =
            machine->worker_work_ns + (left_ns > 0 ? worker_sleep_ns(machine, left_ns) : 0);
    machine->worker_at_ns =
            machine->now_ns + (span_ns > 0 ? span_ns : 1); /* time always moves on */
}

void lab_worker_start(lab_machine *machine, const lab_worker *worker)
{
    machine->worker = *worker;
    machine->worker_at_ns = machine->now_ns;
}
