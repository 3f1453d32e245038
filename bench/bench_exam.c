/* SPDX-License-Identifier: Zlib
 *
 * The exam of display timing: random programs on random machines, and a search for the worst.
 * docs/lab.md explains it.
 *
 *   bench_exam                 a table: each kind of machine on which a loop may fail, ours and peers
 *   bench_exam CASE            one case, such as "cap=30 refresh=144 work=110 seed=7", with all loops
 *   bench_exam --random N      N random cases; prints those that fail
 *   bench_exam --search S      searches for the worst for S seconds per judge, and shrinks what it finds
 *
 *   --seed N       selects the random cases (1)
 *   --jobs N       threads (cores). Results do not depend on it
 *   --resume FILE  --random: adds each thousand cases to FILE; goes on after those that are there
 *   --invariants   --random: without peers, 5 times as fast
 *   --against FILE --random: stops at the first failure that is not the next one in FILE, which an unchanged
 *                  library has written; without FILE writes it
 *
 * Exits 0, or 1 where an invariant breaks or a case differs. tests/test_exam.c compares with the known failures.
 */
#include "lab/exam/exam.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char program[] = "bench_exam";

typedef struct options {
    const char *text;
    int32_t random, search_s, jobs;
    uint64_t seed;
    bool invariants;
    const char *resume, *against;
} options;

/* --- the table -------------------------------------------------------------------------------- */

/* The number in brackets is that of a finding: docs/notes/exam.md. */
typedef struct row {
    const char *name;
    const char *text;
} row;

/* A table. */
/* clang-format off */
static const row rows[] = {
    {"cap 30 on 60 Hz [1]", "cap=30 late=0.3"},
    {"cap 30 on 60 Hz, presents 3 ms late [1]", "cap=30 late=3"},
    {"cap 60 on 120 Hz [1]", "cap=60 refresh=120"},
    {"cap 30, work of 20 ms [2]", "cap=30 work=120"},
    {"cap 138 on VRR [3]", "cap=138 refresh=vrr work=10"},
    {"cap 60 on VRR [3]", "cap=60 refresh=vrr work=10"},
    {"cap 60 on 144 Hz [4]", "cap=60 refresh=144 knows=rate"},
    {"cap 30 in a host [4]", "cap=30 access=host"},
    {"variable step, updates of 4 ms [5]", "step=variable form=first tick=4 noise=40 cap=60 refresh=144"},
    {"slow first update [6]", "event=first-tick"},
    {"a stall of 0.3 s [7]", "event=draw-0.3 from=0"},
    {"30 slow frames, ticks of 4 ms [7]", "event=loading from=0 tick=4"},
    {"110 % of 144 Hz [9]", "refresh=144 work=110 from=0"},
    {"120 % of 144 Hz [9]", "refresh=144 work=120 from=0"},
    {"135 % of 120 Hz [9]", "refresh=120 work=135 from=0"},
    {"150 % of 120 Hz [9]", "refresh=120 work=150 from=0"},
    {"sawtooth load [10]", "work=50 wave=sawtooth to=130"},
    {"queue of 1 and 2 in turn [10]", "change=queue work=80"},
    {"stalls of 50 to 100 ms [10]", "pauses=50-100"},
    {"VRR, at times at its highest rate [11]", "refresh=vrr work=50 noise=40 queue=3"},
    {"VRR, waves of 4 to 22 ms [11]", "refresh=vrr work=50 wave=smooth to=200"},
    {"VRR, below the floor [11]", "refresh=vrr work=200"},
    {"load waves of 60 to 130 % [12]", "work=50 wave=smooth to=130 period=8"},
    {"the same with feedback [12]", "work=50 wave=smooth to=130 period=8 knows=feedback"},
    {"120 %, feedback [12]", "work=120 knows=feedback"},
    {"low latency, light [13]", "loop=low-latency knows=both"},
    {"low latency, 30 ticks of 2 ms at 144 Hz [13]", "loop=low-latency knows=both ticks=30 tick=2 refresh=144"},
    {"low latency, 4 and 20 ms in turn [13]", "loop=low-latency knows=both wave=alternate to=110"},
    {"start [14]", "from=0"},
    {"rates in steps [14]", "change=rates"},
    {"host, 57 to 133 % [15]", "access=host work=95 noise=40"},
    {"host, 110 %, late stamps [15]", "access=host-late work=110 noise=20"},
    {"1 % late refreshes, feedback [16]", "screen=late knows=feedback work=95"},
    {"clock of 1 ms [16]", "clock=1ms"},
    {"clock of 15.6 ms [16]", "clock=15.6ms"},
    {"VRR, even load [18]", "refresh=vrr work=95 noise=20"},
    {"VRR, ramp [18]", "refresh=vrr work=50 wave=ramp to=130 period=20"},
    {"vsync off and on, queue of 1 [19]", "change=off-on queue=1 late=3"},
    {"busy machine, mailbox [20]", "access=mailbox late=busy"},
    {"present blocks for 3 s [21]", "event=block-3"},
    {"a compositor adds a refresh", "change=delay"},
    {"refreshes up to 0.3 ms late", "screen=jitter"},
    {"presents follow another display", "screen=leader"},
    {"wandering load", "work=50 wave=wander"},
    {"4 and 20 ms in turn", "wave=alternate to=110"},
    {"pauses of 8 to 12 ms each 0.7 s", "pauses=8-12"},
    {"240 ticks of 2 ms", "ticks=240 tick=2"},
    {"240 ticks of 8 ms, stretched [8]", "ticks=240 tick=8 catch_up=stretch"},
    {"a second loop draws off-screen for 9 ms [17]", "calls=second"},
    {"host, 120 %, GPU", "access=host work=120 on=gpu"},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

enum { MEASURES = 7, LOOPS = 2 };

/* frames: all, and those at which the loop reports a problem. */
static void count_problem(void *user, const lab_event *event)
{
    int64_t *frames = user;
    if (event->kind == LAB_EVENT_RENDER) {
        const lab_content *c = event->content;
        frames[0] += 1;
        frames[1] += c->has_problem || (c->engine != NULL && es_loop_problem(c->engine) != NULL);
    }
}

/* False: there is no such loop, or it cannot run. */
static bool measure(
        const exam_case *c, const char *loop, lab_result *result, double values[MEASURES])
{
    int64_t frames[2] = {0};
    lab_setup setup = exam_setup(c, loop);
    setup.observer = (lab_observer){count_problem, frames};
    if (setup.loop == NULL || lab_run(&setup, result, NULL) != ES_OK) {
        return false;
    }
    const lab_measures *m = &result->measures;
    double told = 100.0 * (double)frames[1] / (double)frames[0];
    memcpy(values,
            (double[]){m->animation.mean_abs_ms, m->pursuit_ms, m->jumps_per_min, m->frames_per_s,
                    m->input_age_ms, m->lost_ms, told},
            MEASURES * sizeof *values);
    return true;
}

/* The peer with the least error + pursuit. */
static bool measure_best(const exam_case *c, lab_result *result, double values[MEASURES])
{
    double next[MEASURES];
    bool found = false;
    for (const char *const *peer = exam_peers(c); *peer != NULL; ++peer) {
        if (measure(c, *peer, result, next)
                && (!found || next[0] + next[1] < values[0] + values[1])) {
            memcpy(values, next, sizeof next);
            found = true;
        }
    }
    return found;
}

/* Of each row ours, and the best peer. */
static int print_table(void)
{
    static const int digits[MEASURES] = {2, 2, 0, 1, 0, 0, 0};
    lab_result result = {0};
    printf("ms; jumps: errors over 25 ms per minute; age: of input; lost: of the run; "
           "told: share of the frames with a problem, in %%\n\n"
           "| ours / best peer | error | pursuit | jumps | fps | age | lost | told | |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < ROWS; ++i) {
        exam_case c;
        exam_verdict verdict;
        double values[LOOPS][MEASURES];
        if (!exam_parse(rows[i].text, &c, NULL)
                || exam_run(&c, EXAM_INVARIANTS | EXAM_NEVER_WORSE, &result, &verdict) != ES_OK) {
            return tool_fail(program, "row %zu: %s", i, rows[i].text);
        }
        bool has[LOOPS] = {
                measure(&c, NULL, &result, values[0]), measure_best(&c, &result, values[1])};
        printf("| %s: `%s` |", rows[i].name, rows[i].text);
        for (int k = 0; k < MEASURES; ++k) {
            for (int loop = 0; loop < (k < MEASURES - 1 ? LOOPS : LOOPS - 1); ++loop) {
                const char *between = loop > 0 ? "/ " : "";
                printf(has[loop] ? " %s%.*f" : " %s-", between, digits[k], values[loop][k]);
            }
            printf(" |");
        }
        char line[EXAM_LINE];
        printf("%s |\n", strchr(exam_line(&c, &verdict, line), '|') + 1);
    }
    lab_result_free(&result);
    return TOOL_OK;
}

/* --- one case --------------------------------------------------------------------------------- */

static void print_loop(const exam_case *c, const char *loop, lab_result *result)
{
    double v[MEASURES];
    if ((loop == NULL || lab_loop_find(loop) != NULL) && measure(c, loop, result, v)) {
        printf("  %-14s%8.3f %8.3f %6.1f %7.2f %6.1f %6.0f %5.0f\n",
                loop != NULL ? loop : exam_gene_value(EXAM_LOOP, c->genes[EXAM_LOOP]), v[0], v[1],
                v[2], v[3], v[4], v[5], v[6]);
    }
}

static int print_case(const char *text)
{
    exam_case c;
    exam_verdict verdict;
    lab_result result = {0};
    char words[EXAM_TEXT];
    const char *word = "";
    if (!exam_parse(text, &c, &word)) {
        int status = tool_usage(program, "'%.40s' is none of these genes and values", word);
        for (int g = 0; g < EXAM_GENES; ++g) {
            fprintf(stderr, "  %s=", exam_gene_name(g));
            for (int v = 0; exam_gene_value(g, v) != NULL; ++v) {
                fprintf(stderr, "%s%s", v > 0 ? "|" : "", exam_gene_value(g, v));
            }
            fprintf(stderr, "\n");
        }
        return status;
    }
    if (exam_run(&c, EXAM_INVARIANTS | EXAM_NEVER_WORSE, &result, &verdict) != ES_OK) {
        return tool_fail(program, "this loop cannot run there");
    }
    printf("%s\n%s\n  %-14s%8s %8s %6s %7s %6s %6s %5s\n", exam_text(&c, words),
            exam_words(&verdict, (char[EXAM_TEXT]){0}), "", "error", "pursuit", "jumps", "fps",
            "age", "lost", "told");
    print_loop(&c, NULL, &result);
    for (const char *const *peer = exam_peers(&c); *peer != NULL; ++peer) {
        print_loop(&c, *peer, &result);
    }
    static const char *const bounds[] = {"causal", "just-in-time", "oracle"};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i) {
        print_loop(&c, bounds[i], &result);
    }
    lab_result_free(&result);
    return TOOL_OK;
}

/* --- random cases ----------------------------------------------------------------------------- */

typedef struct random_run {
    FILE *out, *resume, *against;
    uint64_t cases, frames, broken, worse;
    double sums[EXAM_MEASURES]; /* of ours */
} random_run;

/* Whether the next failure of an unchanged library is the same. */
static bool is_as_before(FILE *against, const char *line, uint64_t number)
{
    char before[EXAM_LINE + 1] = "#";
    while (before[0] == '#' && fgets(before, sizeof before, against) != NULL) {
    }
    before[strcspn(before, "\n")] = '\0';
    bool same = strcmp(before, line) == 0;
    if (!same) {
        fprintf(stderr, "not %s\n%s: case %llu\n", before, line, (unsigned long long)number);
    }
    return same;
}

static bool keep(void *user, uint64_t index, const exam_found *found)
{
    random_run *r = user;
    const exam_verdict *v = &found->verdict;
    char line[EXAM_LINE];
    r->cases += 1;
    r->frames += (uint64_t)v->frames;
    r->broken += v->broken != NULL;
    r->worse += v->broken == NULL && v->peer != NULL;
    for (int i = 0; i < EXAM_MEASURES; ++i) {
        r->sums[i] += v->ours[i];
    }
    if (v->broken != NULL || v->peer != NULL) {
        exam_line(&found->what, v, line);
        if (r->against != NULL) {
            return is_as_before(r->against, line, r->cases);
        }
        fprintf(r->out, "%s\n", line);
    }
    if (r->resume != NULL && (index + 1) % 1000 == 0) {
        fprintf(r->resume, "# %llu cases\n", (unsigned long long)(index + 1));
        fflush(r->resume);
    }
    return true;
}

/* The last "# N cases" of a file, and 0 without one: what follows that line runs again. */
static uint64_t resume_at(const char *path)
{
    FILE *file = fopen(path, "r+");
    char line[EXAM_TEXT];
    unsigned long long cases = 0;
    long end = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "# %llu cases", &cases) == 1) {
            end = ftell(file);
        }
    }
    if (file != NULL && (ftruncate(fileno(file), end) != 0 || fclose(file) != 0)) {
        return 0;
    }
    return cases;
}

static int run_random(const options *o)
{
    random_run r = {.out = stdout};
    uint64_t from = 0;
    const char *path = o->resume != NULL ? o->resume : o->against;
    r.against = o->against != NULL ? fopen(o->against, "r") : NULL;
    if (path != NULL && r.against == NULL) {
        from = resume_at(path);
        r.resume = fopen(path, "a");
        if (r.resume == NULL) {
            return tool_failed_to_write(program, path);
        }
        r.out = r.resume;
    }
    unsigned judges = o->invariants ? EXAM_INVARIANTS : EXAM_INVARIANTS | EXAM_NEVER_WORSE;
    es_result status = exam_random(o->seed, from, (uint64_t)o->random, judges, o->jobs, keep, &r);
    if (r.against != NULL) {
        fclose(r.against);
        return status == ES_OK ? TOOL_OK : TOOL_FAILED;
    }
    if (r.resume != NULL && fclose(r.resume) != 0) {
        return tool_failed_to_write(program, path);
    }
    if (status != ES_OK) {
        exam_case c = exam_draw(o->seed, from + r.cases);
        char text[EXAM_TEXT];
        return tool_fail(program, "memory is full, or this cannot run: %s", exam_text(&c, text));
    }
    fprintf(stderr, "%llu cases, %llu frames: %llu break an invariant, in %llu a peer is better\n",
            (unsigned long long)r.cases, (unsigned long long)r.frames, (unsigned long long)r.broken,
            (unsigned long long)r.worse);
    fprintf(stderr, "means:");
    for (int i = 0; i < EXAM_MEASURES && from == 0; ++i) {
        fprintf(stderr, " %.4f", r.sums[i] / (double)r.cases);
    }
    fprintf(stderr, "\n");
    return r.broken > 0 && o->against == NULL ? TOOL_FAILED : TOOL_OK;
}

/* --- the search ------------------------------------------------------------------------------- */

static bool has_time(void *user, int round)
{
    const time_t *end = user;
    (void)round;
    return time(NULL) < *end;
}

static int run_search(const options *o)
{
    static const exam_judge judges[] = {EXAM_INVARIANTS, EXAM_NEVER_WORSE};
    size_t found = 0;
    for (int k = 0; k < 2; ++k) {
        exam_found worst[EXAM_WORST];
        time_t end = time(NULL) + o->search_s;
        size_t count = exam_search(o->seed, judges[k], o->jobs, has_time, &end, worst);
        for (size_t i = 0; i < count; ++i) {
            char line[EXAM_LINE], words[EXAM_TEXT];
            printf("%s\n#   %s\n", exam_line(&worst[i].what, &worst[i].verdict, line),
                    exam_words(&worst[i].verdict, words));
        }
        found += k == 0 ? count : 0;
    }
    return found > 0 ? TOOL_FAILED : TOOL_OK;
}

int main(int argc, char **argv)
{
    options o = {.jobs = (int32_t)sysconf(_SC_NPROCESSORS_ONLN), .seed = 1};
    const tool_option table[] = {
            {"", "CASE", tool_parse_text, &o.text, "a case",
                    "a line of genes: runs it with all loops"},
            {"random", "N", tool_parse_count, &o.random, "a count", "N random cases"},
            {"search", "S", tool_parse_count, &o.search_s, "seconds",
                    "searches for the worst cases"},
            {"seed", "N", tool_parse_seed, &o.seed, "a number", "selects random cases (1)"},
            {"jobs", "N", tool_parse_count, &o.jobs, "a count", "threads (cores)"},
            {"invariants", NULL, NULL, &o.invariants, NULL, "--random: without peers"},
            {"resume", "FILE", tool_parse_text, &o.resume, "a file",
                    "--random: adds to it, goes on"},
            {"against", "FILE", tool_parse_text, &o.against, "a file",
                    "--random: stops where a case differs"},
    };
    tool_standalone();
    int status = tool_options(program, "bench_exam [OPTION...] [CASE]", table,
            sizeof table / sizeof table[0], argc, argv);
    if (status == TOOL_OK) {
        status = o.text != NULL   ? print_case(o.text)
                 : o.random > 0   ? run_random(&o)
                 : o.search_s > 0 ? run_search(&o)
                                  : print_table();
    }
    return tool_end(program, status);
}
