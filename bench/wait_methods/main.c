/* SPDX-License-Identifier: Zlib
 *
 * `bench_wait_methods`: how late each way to wait ends on this machine, and what it costs.
 *
 * Each method runs alone, in blocks that alternate, each block in a process of its own. So no method
 * changes another one's figures, and what it learns it learns within them. Deadline n is n periods
 * after the block's start, whatever happened before.
 */
#define _GNU_SOURCE
#include "wait.h"

#include "table.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/common.h"

enum { BLOCKS_MAX = 100, NEIGHBOURS_MAX = 64, FIGURES = 7 };

/* A neighbour copies this much, more than caches hold. */
static const size_t copied_size = (size_t)32 << 20;

/* From the start of the neighbours to the first block: for all to run. */
static const int64_t settle_ns = 200 * ES_NS_PER_MS;

typedef struct plan {
    const wait_method *methods[WAIT_METHODS_MAX];
    size_t method_count;
    es_rate rate;
    int64_t block_ns;
    int32_t blocks, load, copies;
    bool own_sessions;
} plan;

/* Of a block: us from the deadline, late or early; then % of deadlines and of time. */
typedef struct figures {
    double values[FIGURES]; /* p50, p90, p99, longest, early, missed, CPU */
} figures;

/* --- neighbours ------------------------------------------------------------------------------- */

static void spin_for_ever(void)
{
    for (volatile uint32_t i = 0; i < 100000000; ++i) {
    }
}

static void copy_for_ever(void)
{
    static char *from, *to;
    from = from != NULL ? from : calloc(copied_size, 1);
    to = to != NULL ? to : calloc(copied_size, 1);
    if (from == NULL || to == NULL) {
        _exit(TOOL_FAILED);
    }
    memcpy(to, from, copied_size);
    from[0] = (char)(to[0] + 1); /* or it would be left out */
}

/* As fork. On Linux the kernel ends the child with this process. */
static pid_t start_child(const plan *p)
{
    pid_t child = fork();
    if (child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
#endif
        if (p->own_sessions) {
            setsid();
        }
    }
    return child;
}

static pid_t start_neighbour(const plan *p, void (*work)(void))
{
    pid_t parent = getpid(), child = start_child(p);
    if (child == 0) {
        while (getppid() == parent) { /* an orphan gets another parent */
            work();
        }
        _exit(0);
    }
    return child;
}

static bool start_neighbours(const plan *p, pid_t *children, int32_t *count)
{
    for (int32_t i = 0; i < p->load + p->copies; ++i) {
        children[i] = start_neighbour(p, i < p->load ? spin_for_ever : copy_for_ever);
        if (children[i] < 0) {
            return false;
        }
        *count += 1;
    }
    return true;
}

static void end_neighbours(const pid_t *children, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
}

/* --- a block ---------------------------------------------------------------------------------- */

static int64_t cpu_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * ES_NS_PER_S + now.tv_nsec;
}

static bool measure(const plan *p, const wait_method *method, figures *out)
{
    int64_t planned = es__rate_ns_to_events(p->rate, p->block_ns), cpu_ns = 0, waited_ns = 0;
    double *off_us = malloc((size_t)planned * sizeof *off_us), early = 0.0;
    size_t count = 0;
    if (off_us == NULL) {
        return false;
    }
    memset(off_us, 0xFF, (size_t)planned * sizeof *off_us); /* so that no page is fetched later */
    int64_t first_ns = es_now_ns();
    for (int64_t i = 1; i <= planned; ++i) {
        int64_t deadline_ns = first_ns + es_rate_time_ns(p->rate, i);
        int64_t used_ns = cpu_now_ns(), begun_ns = es_now_ns();
        if (begun_ns < deadline_ns) {
            method->wait(deadline_ns);
            int64_t ended_ns = es_now_ns();
            cpu_ns += cpu_now_ns() - used_ns;
            waited_ns += ended_ns - begun_ns;
            early += ended_ns < deadline_ns;
            off_us[count++] = (double)llabs(ended_ns - deadline_ns) / 1e3;
        }
    }
    es__sort(off_us, count);
    for (size_t i = 0; i < 4 && count > 0; ++i) {
        static const size_t permille[] = {500, 900, 990, 1000};
        out->values[i] = es__percentile(off_us, count, permille[i]);
    }
    out->values[4] = 100.0 * early / (double)planned;
    out->values[5] = 100.0 * (double)(planned - (int64_t)count) / (double)planned;
    out->values[6] = waited_ns > 0 ? 100.0 * (double)cpu_ns / (double)waited_ns : 0.0;
    free(off_us);
    return true;
}

/* In a process of its own: a thread keeps what its waits have taught. */
static bool run_block(const plan *p, const wait_method *method, figures *out)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0) {
        return false;
    }
    pid_t child = start_child(p);
    if (child == 0) {
        figures result = {{0}};
        bool good = measure(p, method, &result)
                    && write(ends[1], &result, sizeof result) == (ssize_t)sizeof result;
        _exit(good ? 0 : TOOL_FAILED);
    }
    close(ends[1]);
    bool good = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && good;
}

/* --- all blocks ------------------------------------------------------------------------------- */

static void print_results(const plan *p, figures (*blocks)[WAIT_METHODS_MAX], table *t)
{
    static const char *const headings[] = {
            "p50", "p90", "p99", "longest", "early", "missed", "CPU"};
    for (size_t i = 0; i < FIGURES; ++i) {
        table_set_column(t, i, i < 4 ? "us off" : "%", headings[i]);
    }
    for (size_t m = 0; m < p->method_count; ++m) {
        table_set_row(t, m, false, "%s", p->methods[m]->name);
        for (size_t i = 0; i < FIGURES; ++i) {
            double values[BLOCKS_MAX];
            for (int32_t b = 0; b < p->blocks; ++b) {
                values[b] = blocks[b][m].values[i];
            }
            es__sort(values, (size_t)p->blocks);
            table_set(t, m, i, "%.2f", es__percentile(values, (size_t)p->blocks, 500));
        }
    }
    char rate[32];
    printf("%s Hz; %d spinning and %d copying processes, %s; medians of %d blocks of %.4g s\n",
            tool_format_rate(rate, p->rate), (int)p->load, (int)p->copies,
            p->own_sessions ? "sessions of their own" : "one session", (int)p->blocks,
            (double)p->block_ns / 1e9);
    printf("us off   how far from its deadline a wait ended, late or early\n"
           "early    waits that ended before their deadline\n"
           "missed   deadlines that were past before the wait could begin; in no other figure\n"
           "CPU      CPU time of the thread, of the time it waited\n\n");
    table_print(t, stdout);
}

static bool run_blocks(const plan *p, figures (*blocks)[WAIT_METHODS_MAX])
{
    pid_t children[2 * NEIGHBOURS_MAX];
    int32_t count = 0;
    bool good = start_neighbours(p, children, &count);
    es_wait_until(es_now_ns() + settle_ns);
    for (int32_t b = 0; b < p->blocks && good; ++b) {
        for (size_t i = 0; i < p->method_count && good; ++i) {
            size_t m = (i + (size_t)b) % p->method_count; /* each is the first one in turn */
            good = run_block(p, p->methods[m], &blocks[b][m]);
        }
    }
    end_neighbours(children, count);
    return good;
}

static int run_plan(const plan *p)
{
    static figures blocks[BLOCKS_MAX][WAIT_METHODS_MAX];
    table t;
    if (!run_blocks(p, blocks)) {
        return tool_fail(WAIT_COMMAND, "cannot run a process: %s", strerror(errno));
    }
    if (!table_init(&t, FIGURES, p->method_count)) {
        return tool_fail(WAIT_COMMAND, "out of memory");
    }
    print_results(p, blocks, &t);
    table_finish(&t);
    return TOOL_OK;
}

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_method(const char *text, void *target)
{
    plan *p = target;
    return tool_choose(wait_method_at, text, p->methods, &p->method_count);
}

static bool parse_methods(const char *text, void *target)
{
    return tool_parse_list(text, parse_method, target);
}

static bool parse_rate(const char *text, void *rate)
{
    const es_rate *r = rate;
    return tool_parse_rate(text, rate) && r->numerator >= r->denominator
           && r->numerator <= UINT64_C(1000) * r->denominator;
}

static bool parse_blocks(const char *text, void *int32)
{
    const int32_t *blocks = int32;
    return tool_parse_count(text, int32) && *blocks >= 1 && *blocks <= BLOCKS_MAX;
}

static bool parse_neighbours(const char *text, void *int32)
{
    return tool_parse_count(text, int32) && *(int32_t *)int32 <= NEIGHBOURS_MAX;
}

static int parse_options(plan *p, int argc, char **argv)
{
    static const char summary[] =
            "Waits for deadlines on this machine. Measures how far from its deadline each wait "
            "ends,\n"
            "and its CPU time. Waits take real time, and other programs disturb them: compare "
            "figures\n"
            "of one run only.\n\n"
            "examples:\n"
            "  bench_wait_methods --rate 144 --seconds 5\n"
            "  bench_wait_methods --method evenstep,sdl3 --load 2 --own-sessions";
    char names[440];
    tool_names(names, sizeof names, "known methods: ", wait_method_at);
    const tool_option options[] = {
            {"method", "NAMES", parse_methods, p, names, "methods by name (all)"},
            {"rate", "HZ", parse_rate, &p->rate, "a rate from 1 to 1000, such as 59.94",
                    "deadlines per second (60)"},
            {"seconds", "S", tool_parse_run, &p->block_ns, tool_run_text, "of a block (5)"},
            {"blocks", "N", parse_blocks, &p->blocks, "a number from 1 to 100",
                    "of each method, in turn (10)"},
            {"load", "N", parse_neighbours, &p->load, "a number of processes, 0 to 64",
                    "spinning processes beside it (0)"},
            {"copies", "N", parse_neighbours, &p->copies, "a number of processes, 0 to 64",
                    "processes that copy memory beside it (0)"},
            {"own-sessions", NULL, NULL, &p->own_sessions, NULL,
                    "a session for each process: Linux gives each the same share of the cores"},
    };
    return tool_options(
            WAIT_COMMAND, summary, options, sizeof options / sizeof options[0], argc, argv);
}

static int run(int argc, char **argv)
{
    plan p = {.rate = {60, 1}, .block_ns = 5 * ES_NS_PER_S, .blocks = 10};
    int status = parse_options(&p, argc, argv);
    if (status != TOOL_OK) {
        return status;
    }
    if (p.method_count == 0) {
        parse_method(NULL, &p); /* all */
    }
    return run_plan(&p);
}

int main(int argc, char **argv)
{
    tool_standalone();
    return tool_end(WAIT_COMMAND, run(argc, argv));
}
