/* SPDX-License-Identifier: Zlib
 *
 * One grid of deadlines for all methods. It is absolute: deadline n is at n periods from the start
 * whatever happened before, so nothing drifts and no wait can push another one's deadline away.
 */
#define _GNU_SOURCE
#include "wait.h"

#include "lab/random.h"
#include "base/common.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

/* --- the load --------------------------------------------------------------------------------- */

/* Spinning processes, not threads: those compete with a game. They are not pinned to cores. */
typedef struct load {
    pid_t pids[WAIT_LOAD_MAX];
    size_t count;
} load;

/* Turns between two looks at whether the parent is still there, a fraction of a second: so the load
 * stays one of plain arithmetic. */
static const uint32_t turns = 100000000;

/* An orphan gets another parent, so it notices on any system; on Linux the kernel ends it first,
 * also if the parent is gone by then. */
static void spin(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
#endif
    while (getppid() == parent) {
        for (volatile uint32_t i = 0; i < turns; ++i) {
        }
    }
    _exit(0);
}

/* Ends all. False: one of them had ended before. */
static bool end_load(load *l)
{
    bool all_there = true;
    for (size_t i = 0; i < l->count; ++i) {
        bool there = waitpid(l->pids[i], NULL, WNOHANG) == 0;
        all_there = all_there && there;
        if (there) {
            kill(l->pids[i], SIGKILL);
            while (waitpid(l->pids[i], NULL, 0) < 0 && errno == EINTR) {
            }
        }
    }
    l->count = 0;
    return all_there;
}

/* They end with end_load, and when this process ends. False: see errno; none is left. */
static bool start_load(load *l, int32_t count)
{
    pid_t parent = getpid();
    l->count = 0;
    for (int32_t i = 0; i < count && i < WAIT_LOAD_MAX; ++i) {
        pid_t pid = fork();
        if (pid == 0) {
            spin(parent);
        }
        if (pid < 0) {
            int problem = errno;
            end_load(l);
            errno = problem;
            return false;
        }
        l->pids[l->count++] = pid;
    }
    return true;
}

/* --- the order of the methods ----------------------------------------------------------------- */

/* Rounds in which each method has one turn, in a random order per round. So the effects of one
 * method on the next (a warm core, a used share of the processor) are spread over all. */
typedef struct rotation {
    uint64_t key;
    uint64_t drawn;
    size_t count;
    size_t at; /* in order; count: the round is over */
    size_t order[WAIT_METHODS_MAX];
} rotation;

static void start_rotation(rotation *r, uint64_t seed, size_t count)
{
    *r = (rotation){.key = lab_random_key(seed, LAB_STREAM_PHASE), .count = count, .at = count};
    for (size_t i = 0; i < count; ++i) {
        r->order[i] = i;
    }
}

/* Source: Fisher and Yates' shuffle, as Durstenfeld has it (Algorithm 235, 1964). The remainder
 * favours small numbers by less than one in 2^60. */
static void shuffle(rotation *r)
{
    for (size_t left = r->count; left > 1; --left) {
        uint64_t bits = lab_random_bits(r->key, r->drawn++);
        size_t chosen = (size_t)(bits % left);
        size_t last = r->order[left - 1];
        r->order[left - 1] = r->order[chosen];
        r->order[chosen] = last;
    }
}

static size_t next_turn(rotation *r)
{
    if (r->at == r->count) {
        shuffle(r);
        r->at = 0;
    }
    return r->order[r->at++];
}

/* --- measuring -------------------------------------------------------------------------------- */

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
    wait_state state = {.clock = outcome->clock, .period_ns = es__rate_period_ns(plan->rate)};
    rotation turns_of;
    start_rotation(&turns_of, plan->seed, plan->method_count);
    int64_t first_ns = wait_now_ns(&state) + settle_ns;
    state.clock.wait_until(state.clock.user, first_ns);
    for (int64_t i = 1; i <= outcome->planned; ++i) {
        size_t turn = next_turn(&turns_of);
        int64_t since_ns = es_rate_time_ns(plan->rate, i);
        wait_sample sample = wait_once(&state, plan->methods[turn], first_ns + since_ns);
        if (stop_signal != 0) {
            outcome->interrupted = true; /* and what the signal disturbed does not count */
            return;
        }
        sample.method = (uint32_t)turn;
        outcome->samples.items[outcome->samples.count++] = sample; /* one per planned deadline */
        outcome->ran_ns = since_ns;
        if (!sample.missed) { /* or one miss would make the next */
            work(&state, plan->work_ns);
        }
    }
}

static void measure_with_priority(const wait_plan *plan, wait_outcome *outcome)
{
    outcome->real_time = plan->real_time && es_thread_set_realtime(true);
    if (plan->real_time && !outcome->real_time) {
        tool_fail(WAIT_COMMAND, "--real-time: refused; measured without it");
    }
    measure(plan, outcome);
    if (outcome->real_time) {
        es_thread_set_realtime(false);
    }
}

static int measure_beside_load(const wait_plan *plan, wait_outcome *outcome)
{
    load l;
    if (!start_load(&l, plan->load)) {
        return tool_fail(WAIT_COMMAND, "--load: cannot start a process: %s", strerror(errno));
    }
    stop_signal = 0;
    watch_stop_signals(true);
    measure_with_priority(plan, outcome);
    /* Ctrl-C also reaches the load, which ends by it */
    outcome->load_was_cut = !end_load(&l) && !outcome->interrupted;
    watch_stop_signals(false);
    return TOOL_OK;
}

/* --- figures ---------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static int64_t *wait_distances(const wait_outcome *outcome, size_t method, size_t *count)
{
    const wait_samples *samples = &outcome->samples;
    int64_t *distances = malloc((samples->count + 1) * sizeof *distances);
    size_t found = 0;
    if (distances == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < samples->count; ++i) {
        const wait_sample *sample = &samples->items[i];
        if (sample->method == method && !sample->missed) {
            distances[found++] = sample->late_ns < 0 ? -sample->late_ns : sample->late_ns;
        }
    }
    qsort(distances, found, sizeof *distances, compare);
    *count = found;
    return distances;
}

/* By nearest rank; 0 of none. */
static int64_t percentile(const int64_t *sorted, size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;
    return rank == 0 ? 0 : sorted[rank - 1];
}

/* False: out of memory. */
static bool find_figures(wait_outcome *outcome, size_t method)
{
    const wait_samples *samples = &outcome->samples;
    wait_figures f = {0};
    int64_t *distances = wait_distances(outcome, method, &f.count);
    if (distances == NULL) {
        return false;
    }
    f.p50_ns = percentile(distances, f.count, 50);
    f.p90_ns = percentile(distances, f.count, 90);
    f.p99_ns = percentile(distances, f.count, 99);
    f.max_ns = percentile(distances, f.count, 100);
    free(distances);
    for (size_t i = 0; i < samples->count; ++i) {
        const wait_sample *sample = &samples->items[i];
        if (sample->method != method) {
            continue;
        }
        if (sample->missed) {
            f.missed += 1;
            continue;
        }
        f.early += sample->late_ns < 0;
        f.earliest_ns = -sample->late_ns > f.earliest_ns ? -sample->late_ns : f.earliest_ns;
        f.wait_ns += sample->wait_ns;
        f.cpu_ns += sample->cpu_ns;
    }
    outcome->figures[method] = f;
    return true;
}

double wait_cpu_percent(const wait_figures *figures)
{
    return figures->wait_ns > 0 ? 100.0 * (double)figures->cpu_ns / (double)figures->wait_ns : 0.0;
}

/* --- all -------------------------------------------------------------------------------------- */

int wait_run(const wait_plan *plan, wait_outcome *outcome)
{
    *outcome = (wait_outcome){.plan = plan,
            .planned = es__rate_ns_to_events(plan->rate, plan->duration_ns),
            .slack_ns = wait_system_slack_ns()};
    wait_samples *samples = &outcome->samples;
    size_t size = ((size_t)outcome->planned + 1) * sizeof *samples->items;
    if (!es_clock_system(&outcome->clock)) {
        return tool_fail(WAIT_COMMAND, "this build has no clock");
    }
    samples->items = malloc(size);
    if (samples->items == NULL) {
        return tool_fail(WAIT_COMMAND, "out of memory");
    }
    memset(samples->items, 0xFF, size); /* so that no page is fetched during the run */
    int status = measure_beside_load(plan, outcome);
    for (size_t i = 0; i < plan->method_count && status == TOOL_OK; ++i) {
        if (!find_figures(outcome, i)) {
            status = tool_fail(WAIT_COMMAND, "out of memory");
        }
    }
    return status;
}

void wait_outcome_finish(wait_outcome *outcome)
{
    free(outcome->samples.items);
    outcome->samples = (wait_samples){0};
}
