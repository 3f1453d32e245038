/* SPDX-License-Identifier: Zlib
 *
 * One grid of deadlines for all methods. It is absolute: deadline n is at n periods from the start
 * whatever happened before, so nothing drifts and no wait can push another one's deadline away.
 */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include "load.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* From the start of the load to the grid's: for all processes to run. */
static const int64_t settle_ns = 100 * ES_NS_PER_MS;

/* Set by a signal; checked after each wait. */
static volatile sig_atomic_t stop_signal;

static void on_stop_signal(int number)
{
    stop_signal = number;
}

/* The second time they do what they always do. The wait that they arrive in goes on. */
static void watch_stop_signals(bool on)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {0};
    action.sa_handler = on ? on_stop_signal : SIG_DFL;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        struct sigaction before;
        /* signals that were ignored, as by nohup, stay ignored */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

static int64_t cpu_now_ns(const es_clock *clock)
{
    return clock->thread_cpu_ns != NULL ? clock->thread_cpu_ns(clock->user) : 0;
}

static void work(const wait_state *state, int64_t work_ns)
{
    int64_t end_ns = wait_now_ns(state) + work_ns;
    while (work_ns > 0 && wait_now_ns(state) < end_ns) {
    }
}

static wait_sample wait_once(wait_state *state, const wait_method *method, int64_t deadline_ns)
{
    wait_sample sample = {0};
    /* a copy: where the clock's functions are must not have to be fetched after the deadline, which
     * would count for methods that do not look there while they spin */
    const es_clock clock = state->clock;
    int64_t cpu_ns = cpu_now_ns(&clock);
    int64_t start_ns = clock.now_ns(clock.user);
    if (start_ns >= deadline_ns) {
        sample.missed = true;
        return sample;
    }
    method->wait(state, deadline_ns);
    int64_t end_ns = clock.now_ns(clock.user);
    sample.cpu_ns = cpu_now_ns(&clock) - cpu_ns;
    sample.wait_ns = end_ns - start_ns;
    sample.late_ns = end_ns - deadline_ns;
    return sample;
}

static void measure(const wait_plan *plan, wait_outcome *outcome)
{
    wait_state state = {.clock = outcome->clock, .period_ns = es_rate_period_ns(plan->rate)};
    wait_rotation rotation;
    wait_rotation_init(&rotation, plan->seed, plan->method_count);
    int64_t first_ns = wait_now_ns(&state) + settle_ns;
    state.clock.wait_until(state.clock.user, first_ns);
    for (int64_t i = 1; i <= outcome->planned; ++i) {
        size_t turn = wait_rotation_next(&rotation);
        int64_t since_ns = es_rate_events_to_ns(plan->rate, i);
        wait_sample sample = wait_once(&state, plan->methods[turn], first_ns + since_ns);
        if (stop_signal != 0) {
            outcome->interrupted = true; /* and what the signal disturbed does not count */
            return;
        }
        sample.method = (uint32_t)turn;
        wait_samples_add(&outcome->samples, &sample);
        outcome->ran_ns = since_ns;
        if (!sample.missed) { /* or one miss would make the next */
            work(&state, plan->work_ns);
        }
    }
}

static void measure_with_priority(const wait_plan *plan, wait_outcome *outcome)
{
    outcome->real_time = plan->real_time && es_clock_real_time(true) == ES_OK;
    if (plan->real_time && !outcome->real_time) {
        tool_fail(WAIT_COMMAND, "--real-time: refused; measured without it");
    }
    measure(plan, outcome);
    if (outcome->real_time) {
        es_clock_real_time(false);
    }
}

static int measure_beside_load(const wait_plan *plan, wait_outcome *outcome)
{
    wait_load load;
    if (!wait_load_start(&load, plan->load)) {
        return tool_fail(WAIT_COMMAND, "--load: cannot start a process: %s", strerror(errno));
    }
    stop_signal = 0;
    watch_stop_signals(true);
    measure_with_priority(plan, outcome);
    /* Ctrl-C also reaches the load, which ends by it */
    outcome->load_was_cut = !wait_load_end(&load) && !outcome->interrupted;
    watch_stop_signals(false);
    return TOOL_OK;
}

int64_t wait_plan_size(const wait_plan *plan)
{
    return es_rate_ns_to_events(plan->rate, plan->duration_ns);
}

int wait_run(const wait_plan *plan, wait_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->planned = wait_plan_size(plan);
    outcome->slack_ns = wait_system_slack_ns();
    if (es_clock_system(&outcome->clock) != ES_OK) {
        return tool_fail(WAIT_COMMAND, "this build has no clock");
    }
    if (!wait_samples_init(&outcome->samples, (size_t)outcome->planned)) {
        return tool_fail(WAIT_COMMAND, "out of memory");
    }
    int status = measure_beside_load(plan, outcome);
    for (size_t i = 0; i < plan->method_count && status == TOOL_OK; ++i) {
        if (!wait_figures_of(&outcome->samples, i, &outcome->figures[i])) {
            status = tool_fail(WAIT_COMMAND, "out of memory");
        }
    }
    return status;
}

void wait_outcome_finish(wait_outcome *outcome)
{
    wait_samples_finish(&outcome->samples);
}
