/* SPDX-License-Identifier: Zlib
 *
 * bench: many loops on one thread (es_server), beside a sleeping thread per loop, in turns.
 *
 *   bench_server [--seconds S] [--rounds N] [--slack US]    default: 5, 5, the library's
 *
 * Lateness is from when a tick is due to when its update begins. CPU: of the process, in cores.
 * Each figure is the median of the rounds. The work of a tick is a loop of this length, not a wait.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "evenstep/schedule.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS_MAX = 99 };

typedef struct server_plan {
    const char *name;
    int32_t loops, slowest_hz, fastest_hz;
    int64_t work_ns;
    bool threads;
} server_plan;

typedef struct figures {
    double p50_us, p99_us, most_us, cores, per_second;
} figures;

static double seconds = 5.0, steps_per_ns;
static int64_t slack_ns;

/* --- work ------------------------------------------------------------------------------------- */

static uint64_t work_steps(uint64_t steps)
{
    uint64_t x = steps | 1;
    for (uint64_t i = 0; i < steps; ++i) {
        x = x * UINT64_C(6364136223846793005) + 1; /* each step needs the one before */
    }
    return x;
}

static volatile uint64_t sink;

static void work(int64_t ns)
{
    sink = work_steps((uint64_t)((double)ns * steps_per_ns));
}

static void calibrate(void)
{
    double best_ns = 1e18;
    for (int i = 0; i < 50; ++i) {
        int64_t begun_ns = bench_now_ns();
        sink = work_steps(1000000);
        double ns = (double)(bench_now_ns() - begun_ns);
        best_ns = ns < best_ns ? ns : best_ns;
    }
    steps_per_ns = 1000000.0 / best_ns;
}

static es_rate rate_of(const server_plan *plan, int32_t loop)
{
    int32_t rates = plan->fastest_hz - plan->slowest_hz + 1;
    return (es_rate){(uint32_t)(plan->slowest_hz + loop * 7 % rates), 1};
}

/* --- samples ---------------------------------------------------------------------------------- */

typedef struct sample_list {
    double *late_us;
    size_t count, most;
} sample_list;

static void add_sample(sample_list *samples, int64_t late_ns)
{
    if (samples->count < samples->most) {
        samples->late_us[samples->count++] = (double)late_ns / 1e3;
    }
}

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
           + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static size_t samples_of(es_rate rate)
{
    return (size_t)(rate.numerator * seconds * 1.2) + 10;
}

static figures summarise(sample_list *all, double cores)
{
    qsort(all->late_us, all->count, sizeof *all->late_us, bench_compare);
    figures result = {0};
    if (all->count > 0) {
        result.p50_us = all->late_us[all->count / 2];
        result.p99_us = all->late_us[all->count / 100 * 99];
        result.most_us = all->late_us[all->count - 1];
    }
    result.cores = cores;
    result.per_second = (double)all->count / seconds;
    return result;
}

/* --- a server --------------------------------------------------------------------------------- */

static figures run_server(const server_plan *plan)
{
    const es_server_config config = {.loops_max = plan->loops, .slack_ns = slack_ns};
    es_server *server = es_server_create(&config);
    sample_list all = {0};
    for (int32_t i = 0; i < plan->loops; ++i) {
        const es_server_loop loop = {.tick_rate = rate_of(plan, i)};
        if (es_server_add(server, &loop) < 0) {
            bench_fail(es_get_error());
        }
        all.most += samples_of(loop.tick_rate);
    }
    all.late_us = bench_alloc(all.most * sizeof *all.late_us);
    memset(all.late_us, 0, all.most * sizeof *all.late_us);
    es_server_tick tick;
    int64_t start_ns = bench_now_ns() + 300 * ES_NS_PER_MS; /* the first ticks are not counted */
    while (es_server_next(server, start_ns, &tick)) {
        work(plan->work_ns);
    }
    double before_s = cpu_s();
    int64_t end_ns = start_ns + (int64_t)(seconds * 1e9);
    while (es_server_next(server, end_ns, &tick)) {
        work(plan->work_ns);
        add_sample(&all, tick.late_ns);
    }
    figures result =
            summarise(&all, (cpu_s() - before_s) / ((double)(bench_now_ns() - start_ns) / 1e9));
    es_server_destroy(server);
    free(all.late_us);
    return result;
}

/* --- a thread per loop ------------------------------------------------------------------------ */

typedef struct sleeper {
    pthread_t thread;
    es_rate rate;
    int64_t work_ns, start_ns, end_ns;
    int64_t phase_ns;
    sample_list samples;
} sleeper;

static void *run_sleeper(void *argument)
{
    sleeper *self = argument;
    for (int64_t n = 0;; ++n) {
        int64_t due_ns = self->start_ns + self->phase_ns + es_rate_time_ns(self->rate, n);
        if (due_ns >= self->end_ns) {
            return NULL;
        }
        const struct timespec until = {due_ns / ES_NS_PER_S, (long)(due_ns % ES_NS_PER_S)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        add_sample(&self->samples, bench_now_ns() - due_ns);
        work(self->work_ns);
    }
}

static figures run_threads(const server_plan *plan)
{
    sleeper *sleepers = bench_alloc((size_t)plan->loops * sizeof *sleepers);
    sample_list all = {0};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    int64_t start_ns = bench_now_ns() + ES_NS_PER_S;
    for (int32_t i = 0; i < plan->loops; ++i) {
        sleeper *own = &sleepers[i];
        *own = (sleeper){.rate = rate_of(plan, i), .work_ns = plan->work_ns, .start_ns = start_ns};
        own->end_ns = start_ns + (int64_t)(seconds * 1e9);
        own->phase_ns = es_rate_time_ns(own->rate, 1) / 1000 * (i * 618 % 1000);
        own->samples.most = samples_of(own->rate);
        own->samples.late_us = bench_alloc(own->samples.most * sizeof(double));
        memset(own->samples.late_us, 0, own->samples.most * sizeof(double));
        all.most += own->samples.most;
        if (pthread_create(&own->thread, &attributes, run_sleeper, own) != 0) {
            bench_fail("no thread");
        }
    }
    if (bench_now_ns() > start_ns) {
        bench_fail("the threads took over a second to start");
    }
    es_wait_until(start_ns);
    double before_s = cpu_s();
    all.late_us = bench_alloc(all.most * sizeof *all.late_us);
    for (int32_t i = 0; i < plan->loops; ++i) {
        pthread_join(sleepers[i].thread, NULL);
    }
    double cores = (cpu_s() - before_s) / ((double)(bench_now_ns() - start_ns) / 1e9);
    for (int32_t i = 0; i < plan->loops; ++i) {
        sample_list *own = &sleepers[i].samples;
        memcpy(all.late_us + all.count, own->late_us, own->count * sizeof *own->late_us);
        all.count += own->count;
        free(own->late_us);
    }
    figures result = summarise(&all, cores);
    free(all.late_us);
    free(sleepers);
    return result;
}

/* --- the cost of the library alone -------------------------------------------------------------
 * */

static int64_t virtual_now_ns;

static int64_t read_virtual(void *user)
{
    (void)user;
    return virtual_now_ns;
}

static void wait_virtual(void *user, int64_t deadline_ns)
{
    (void)user;
    virtual_now_ns = deadline_ns;
}

static void print_cost(int32_t loops)
{
    const es_server_config config = {
            .loops_max = loops, .clock = {.now_ns = read_virtual, .wait_until = wait_virtual}};
    const server_plan plan = {"", loops, 20, 60, 0, false};
    es_server *server = es_server_create(&config);
    es_tick_histograms *histograms = calloc((size_t)loops, sizeof *histograms);
    es_server_tick tick;
    for (int32_t i = 0; i < loops; ++i) {
        const es_server_loop loop = {.tick_rate = rate_of(&plan, i), .histograms = &histograms[i]};
        es_server_add(server, &loop);
    }
    double begun_s = cpu_s();
    const int ticks = 2000000;
    for (int i = 0; i < ticks; ++i) {
        es_server_next(server, INT64_MAX, &tick);
    }
    printf("%d loops in virtual time: %.0f ns per tick with histograms\n", (int)loops,
            (cpu_s() - begun_s) / ticks * 1e9);
    es_server_destroy(server);
    free(histograms);
}

/* --- the table -------------------------------------------------------------------------------- */

static double median_of(const figures *rounds, int count, size_t offset)
{
    double values[ROUNDS_MAX];
    for (int i = 0; i < count; ++i) {
        memcpy(&values[i], (const char *)&rounds[i] + offset, sizeof values[i]);
    }
    return bench_median(values, (size_t)count);
}

static void print_row(const server_plan *plan, const figures *rounds, int count)
{
    printf("%-34s %9.0f %9.1f %9.1f %9.0f %7.3f\n", plan->name,
            median_of(rounds, count, offsetof(figures, per_second)),
            median_of(rounds, count, offsetof(figures, p50_us)),
            median_of(rounds, count, offsetof(figures, p99_us)),
            median_of(rounds, count, offsetof(figures, most_us)),
            median_of(rounds, count, offsetof(figures, cores)));
}

int main(int argc, char **argv)
{
    int rounds = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        double value = strtod(argv[i + 1], NULL);
        seconds = strcmp(argv[i], "--seconds") == 0 ? value : seconds;
        rounds = strcmp(argv[i], "--rounds") == 0 ? (int)value : rounds;
        slack_ns = strcmp(argv[i], "--slack") == 0 ? (int64_t)(value * 1e3) : slack_ns;
    }
    if (rounds < 1 || rounds > ROUNDS_MAX || !(seconds > 0.1) || seconds > 1000.0) {
        bench_fail("--rounds 1 to 99, --seconds 0.1 to 1000");
    }
    static const server_plan plans[] = {
            {"1 000 loops of 5 us: a server", 1000, 20, 128, 5000, false},
            {"1 000 loops of 5 us: 1 000 threads", 1000, 20, 128, 5000, true},
            {"10 000 loops of 1 us: a server", 10000, 20, 60, 1000, false}};
    enum { PLANS = sizeof plans / sizeof plans[0] };
    static figures all[PLANS][ROUNDS_MAX];
    calibrate();
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < PLANS; ++i) {
            all[i][round] = plans[i].threads ? run_threads(&plans[i]) : run_server(&plans[i]);
        }
    }
    print_cost(1000);
    print_cost(10000);
    printf("%-34s %9s %9s %9s %9s %7s\n", "lateness in us", "ticks/s", "median", "p99", "longest",
            "cores");
    for (int i = 0; i < PLANS; ++i) {
        print_row(&plans[i], all[i], rounds);
    }
    return 0;
}
