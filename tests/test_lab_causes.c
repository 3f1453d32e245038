/* SPDX-License-Identifier: Zlib
 *
 * Causes that are injected into programs on the lab's machine, and found in the captures of these
 * programs. EVENSTEP_FULL: all cases, and a confusion matrix. With a number as its argument: other
 * seeds.
 */
#include "test_support.h"

#include "evenstep/replay.h"

#include "lab/capture_measure.h"
#include "lab/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- programs --------------------------------------------------------------------------------- */

enum { FRAMES = 1500, TEXT = 256 * FRAMES };

/* Effects: 99th percentile of the animation error, in refreshes. */
static const double levels[] = {0.25, 0.5, 1.0};

typedef struct program {
    lab_display display;
    double refresh_ms;
    double timer_ms; /* frames begin so far apart; 0: present blocks */
    double tick_ms;  /* content is in whole ticks; 0: it is the instant at which drawing begins */
    double cpu, gpu; /* usual costs, in refreshes */
    double share;    /* of the frames with a delay */
    bool plans;      /* content is the instant at which drawing should begin */
    bool returns;    /* present is blocked after the frame is queued, not before */
    double delay_ms[LAB_CAUSES]; /* WAKE, CPU, GPU, PRESENT */
    uint64_t seed;
} program;

typedef struct times { /* ns */
    int64_t start, planned, draws, work, present, end, ready, shown, content;
    bool dropped;
} times;

static times run[FRAMES];

static double uniform(uint64_t seed, unsigned what, uint64_t n)
{
    return lab_random_uniform(lab_random_key(seed * 64 + what, LAB_STREAM_MACHINE), n);
}

static int64_t delay_of(const program *p, lab_cause cause, uint64_t frame)
{
    bool has = uniform(p->seed, 16 + (unsigned)cause, 2 * frame) < p->share;
    double size = 0.8 + 0.4 * uniform(p->seed, 16 + (unsigned)cause, 2 * frame + 1);
    return has ? (int64_t)(1e6 * p->delay_ms[cause] * size) : 0;
}

static void show_frame(lab_machine *m, const program *p, uint64_t n, times *t)
{
    lab_incident *incident = &m->config.scenario.incidents[0];
    lab_content content = {.content_ns = t->content, .alpha = 1.0};
    lab_render(m, &content);
    lab_work(m, delay_of(p, LAB_CAUSE_CPU, n));
    t->work = lab_true_ns(m) - t->draws;
    t->present = lab_true_ns(m);
    *incident = (lab_incident){p->returns ? LAB_PLACE_RETURN : LAB_PLACE_PRESENT, 0.0, INT32_MAX,
            delay_of(p, LAB_CAUSE_PRESENT, n), true};
    int64_t busy_ns = m->gpu_free_ns;
    int64_t delay_ns = delay_of(p, LAB_CAUSE_GPU, n);
    if (delay_ns > 0) { /* before this frame, which is the same */
        m->gpu_free_ns = (busy_ns > t->present ? busy_ns : t->present) + delay_ns;
    }
    lab_present(m);
    lab_work(m, 20 * ES_NS_PER_US);
    t->end = lab_true_ns(m);
    t->ready = m->gpu_free_ns;
    t->shown = m->frame.shown_ns;
}

static void run_program(const program *p)
{
    lab_machine m;
    lab_machine_config config = {.display = p->display, .seed = p->seed};
    config.scenario = lab_scenario_plain();
    config.scenario.update.base = 0.0;
    config.scenario.render = (lab_cost){
            .base = p->cpu, .unit = LAB_UNIT_REFRESH, .low = 0.95, .high = 1.05};
    config.scenario.gpu = (lab_cost){
            .base = p->gpu, .unit = LAB_UNIT_REFRESH, .low = 0.95, .high = 1.05};
    config.scenario.render_variable.base = 0.0;
    config.duration_ns = 1000 * ES_NS_PER_S;
    assert_int_equal(lab_machine_init(&m, &config, NULL), ES_OK);
    int64_t timer_ns = (int64_t)(1e6 * p->timer_ms), plan_ns = 0;
    for (uint64_t n = 0; n < FRAMES; ++n) {
        times *t = &run[n];
        *t = (times){0};
        lab_frame_begin(&m);
        t->start = lab_true_ns(&m);
        plan_ns = plan_ns + timer_ns > t->start ? plan_ns + timer_ns : t->start;
        if (timer_ns > 0 && plan_ns > t->start) {
            lab_sleep_until(&m, plan_ns + plan_ns / 1000000 * config.scenario.clock.skew_ppm);
            lab_idle(&m, delay_of(p, LAB_CAUSE_WAKE, n));
        }
        t->planned = plan_ns;
        t->draws = lab_true_ns(&m);
        t->content = p->plans ? plan_ns : t->draws;
        if (p->tick_ms > 0.0) {
            double ticks = floor((double)t->content / 1e6 / p->tick_ms);
            t->content = (int64_t)(ticks * p->tick_ms * 1e6);
        }
        show_frame(&m, p, n, t);
        run[n > 0 ? n - 1 : 0].dropped = n > 0 && run[n - 1].shown >= t->shown;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* In refreshes. */
static double sum_of_errors;
static double error_of(const program *p, double *max)
{
    static double errors[FRAMES];
    size_t n = 0;
    const times *last = NULL;
    for (size_t i = 0; i < FRAMES; ++i) {
        if (!run[i].dropped) {
            const times *t = &run[i];
            if (last != NULL && i > 70) {
                int64_t e = (t->content - last->content) - (t->shown - last->shown);
                errors[n++] = fabs((double)e) / 1e6 / p->refresh_ms;
            }
            last = t;
        }
    }
    qsort(errors, n, sizeof *errors, by_size);
    sum_of_errors = 0.0;
    for (size_t i = 0; i < n; ++i) {
        sum_of_errors += errors[i];
    }
    *max = errors[n - 1];
    return errors[n * 99 / 100];
}

/* --- injection -------------------------------------------------------------------------------- */

static double between(uint64_t seed, unsigned what, double low, double high)
{
    return low + (high - low) * uniform(seed, what, 0);
}

/* causes: bits. */
static program draw_program(unsigned causes, uint64_t seed)
{
    static const double rates[] = {60.0, 75.0, 100.0, 120.0, 144.0};
    program p = {.seed = seed};
    bool rate = (causes & 1U << LAB_CAUSE_RATE) != 0;
    bool timer = rate || (causes & 1U << LAB_CAUSE_WAKE) != 0 || uniform(seed, 1, 0) < 0.3;
    double hz = rates[(size_t)between(seed, 2, 0.0, COUNT_OF(rates))];
    p.refresh_ms = 1000.0 / hz;
    p.display = (lab_display){.rate = es_hz((uint32_t)hz), .phase_ns = -1};
    p.display.queue = (int32_t)between(seed, 3, 1.0, 4.0);
    p.display.blocking = uniform(seed, 4, 0) < 0.5 ? LAB_BLOCK_AFTER_QUEUE : LAB_BLOCK_BEFORE_QUEUE;
    p.cpu = between(seed, 5, 0.1, 0.5);
    p.gpu = between(seed, 6, 0.1, p.display.queue == 1 ? 0.8 - p.cpu : 0.5);
    p.share = between(seed, 7, 0.02, 0.05);
    p.returns = uniform(seed, 8, 0) < 0.5;
    p.timer_ms = timer ? p.refresh_ms : 0.0;
    if (rate) {
        p.timer_ms = p.refresh_ms * between(seed, 9, 0.2, 1.9);
        p.display.swap = p.timer_ms < p.refresh_ms ? LAB_SWAP_MAILBOX : LAB_SWAP_FIFO;
        p.cpu = fmin(p.cpu, 0.35 * p.timer_ms / p.refresh_ms);
        p.gpu = fmin(p.gpu, 0.35 * p.timer_ms / p.refresh_ms);
    } else if (timer && uniform(seed, 10, 0) < 0.7) {
        p.display = (lab_display){.refresh = LAB_REFRESH_VARIABLE, .queue = p.display.queue};
        p.display.rate_max = es_hz(240);
        p.display.rate_min = es_hz(10); /* no repeats by the panel */
        p.display.nominal = es_hz((uint32_t)hz);
    }
    p.plans = timer && (uniform(seed, 12, 0) < 0.5 || ((causes & 1U << LAB_CAUSE_WAKE) != 0 && p.display.refresh == LAB_REFRESH_VARIABLE));
    return p;
}

static void set_size(program *p, lab_cause cause, double level, double size)
{
    double part = 2.0 * uniform(p->seed, 11, 0) - 1.0;
    double off = 0.035 + 0.4 * fabs(part), slip = 0.012 + 0.008 * fabs(part);
    double whole = level < 0.4 ? 4.0 : level < 0.8 ? 2.0 : 1.0;
    if (cause == LAB_CAUSE_TICKS || cause == LAB_CAUSE_BEAT) {
        double by = (cause == LAB_CAUSE_TICKS ? off : slip) * (part < 0.0 ? -1.0 : 1.0);
        p->tick_ms = p->refresh_ms / (whole + by);
    } else if (cause != LAB_CAUSE_RATE) {
        p->delay_ms[cause] = size * p->refresh_ms;
    }
}

/* A program in which a cause has about the effect. False: this one cannot. */
static bool inject(program *p, lab_cause cause, double level)
{
    double low = 0.0, high = 8.0, size = 0.0, p99 = 0.0, max;
    for (int i = cause == LAB_CAUSE_RATE ? 0 : -1; i < 10; ++i) {
        program alone = draw_program(0, p->seed);
        alone.display = p->display;
        alone.timer_ms = p->timer_ms;
        if (cause != LAB_CAUSE_RATE && p->timer_ms > 0.0) {
            alone.timer_ms = p->refresh_ms;
            alone.display.swap = LAB_SWAP_FIFO;
        }
        alone.plans = p->plans;
        alone.cpu = p->cpu;
        alone.gpu = p->gpu;
        size = 0.5 * (low + high);
        if (i >= 0) {
            set_size(&alone, cause, level, size);
        }
        run_program(&alone);
        p99 = error_of(&alone, &max);
        if (i < 0 && p99 > 0.08) {
            return false;
        }
        if (i < 0) {
            continue;
        }
        if (fabs(p99 / level - 1.0) < 0.2) {
            set_size(p, cause, level, size);
            return true;
        }
        low = p99 < level ? size : low;
        high = p99 < level ? high : size;
    }
    return false;
}

/* --- captures --------------------------------------------------------------------------------- */

static char text[TEXT];
static size_t text_size;

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_size += (size_t)vsnprintf(text + text_size, TEXT - text_size, format, arguments);
    va_end(arguments);
}

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static void write_trace_of(es_shown_source source)
{
    static const char path[] = "test_lab_causes.csv";
    remove(path);
    es_trace *trace = es_trace_create(path);
    assert_non_null(trace);
    for (size_t i = 0; i < FRAMES; ++i) {
        const times *t = &run[i];
        es_report report = {.submit_ns = t->present, .source = source};
        report.frame.begun_ns = t->start;
        report.frame.late_ns = t->draws - t->planned;
        report.render_work_ns = t->work;
        report.shown_ns = source == ES_SHOWN_FEEDBACK ? t->shown : t->end;
        report.frame.content_ns = t->content;
        if (source != ES_SHOWN_FEEDBACK || !t->dropped) {
            assert_true(es_trace_frame(trace, &report));
        }
    }
    assert_true(es_trace_destroy(trace));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text_size = fread(text, 1, TEXT, file);
    fclose(file);
    remove(path);
}

static void write_trace(void)
{
    write_trace_of(ES_SHOWN_FEEDBACK);
}

static void write_trace_returns(void)
{
    write_trace_of(ES_SHOWN_PRESENT_RETURN);
}

static void write_pm1(void)
{
    const times *shown = &run[0];
    put("Application,Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,"
        "MsInPresentAPI,MsUntilRenderComplete,MsUntilDisplayed\n");
    for (size_t i = 0; i < FRAMES; ++i) {
        const times *t = &run[i];
        put("game.exe,%d,%.9f,%.6f,%.6f,%.6f,%.6f,%.6f\n", t->dropped, ms(t->present) / 1e3,
                ms(t->present - run[i > 0 ? i - 1 : 0].present),
                t->dropped ? 0.0 : ms(t->shown - shown->shown), ms(t->end - t->present),
                ms(t->ready - t->present), t->dropped ? 0.0 : ms(t->shown - t->present));
        shown = t->dropped ? shown : t;
    }
}

static void write_pm2(void)
{
    put("Application,FrameType,TimeInQPC,MsBetweenPresents,MsInPresentAPI,MsRenderPresentLatency,"
        "MsUntilDisplayed,CPUStartQPC,MsCPUBusy,MsBetweenSimulationStart,AnimationTime\n");
    for (size_t i = 1; i < FRAMES; ++i) {
        const times *t = &run[i], *before = &run[i - 1];
        put("game.exe,Application,%lld,%.4f,%.4f,%.4f,", (long long)t->present / 100,
                ms(t->present - before->present), ms(t->end - t->present),
                ms(t->ready - t->present));
        put(t->dropped ? "NA," : "%.4f,", ms(t->shown - t->present));
        put("%lld,%.4f,%.4f,%.4f\n", (long long)before->end / 100, ms(t->present - before->end),
                ms(t->content - before->content), ms(t->content));
    }
}

static void write_mango_hud(void)
{
    put("fps,frametime,elapsed\n");
    for (size_t i = 1; i < FRAMES; ++i) {
        double d = ms(run[i].present - run[i - 1].present);
        put("%.4f,%.4f,%lld\n", 1000.0 / d, d, (long long)(run[i].present - run[0].present));
    }
}

#define BIT(name) (1U << LAB_CAUSE_##name)
static const struct format {
    const char *name;
    void (*write)(void);
    unsigned tells; /* causes */
} formats[] = {
        {"es_trace", write_trace, BIT(WAKE) | BIT(CPU) | BIT(BEAT) | BIT(TICKS) | BIT(RATE)},
        {"PresentMon 2", write_pm2,
                BIT(CPU) | BIT(GPU) | BIT(PRESENT) | BIT(BEAT) | BIT(TICKS) | BIT(RATE)},
        {"PresentMon 1", write_pm1, BIT(CPU) | BIT(GPU) | BIT(PRESENT) | BIT(RATE)},
        {"es_trace, returns", write_trace_returns,
                BIT(WAKE) | BIT(CPU) | BIT(BEAT) | BIT(TICKS)},
        {"MangoHud", write_mango_hud, 0},
};

static void find_causes(const struct format *format, lab_figures *f)
{
    lab_capture_error error = {"", 0};
    text_size = 0;
    format->write();
    lab_capture *capture = lab_capture_open_text(text, text_size, NULL, &error);
    if (capture == NULL || lab_capture_measure(capture, 0.0, f, &error) != ES_OK) {
        fail_msg("%s: %s", format->name, error.text);
    }
    lab_capture_close(capture);
}

static unsigned claimed(const lab_figures *f)
{
    unsigned causes = 0;
    for (unsigned c = 0; c < LAB_CAUSES; ++c) {
        causes |= f->causes[c].finding == LAB_IS_CAUSE ? 1U << c : 0;
    }
    return causes;
}

/* What a format can name of the causes. Where it has no planned starts, a late wake-up is time
 * between two presents. */
static unsigned expected_of(const struct format *format, unsigned causes, const lab_figures *f)
{
    if (f != NULL && f->animation_error.p99_ms < 0.1 * (f->refresh_ms > 0.0 ? f->refresh_ms : f->intended_ms)) {
        return 0;
    }
    unsigned out = causes & format->tells;
    if ((causes & BIT(WAKE)) != 0 && (format->tells & BIT(WAKE)) == 0) {
        out |= BIT(CPU) & format->tells;
    }
    return out;
}

/* --- cases ------------------------------------------------------------------------------------ */

static const char *const names[LAB_CAUSES] = {
        "wake", "cpu", "gpu", "present", "beat", "ticks", "rate"};

static uint64_t first_seed = 1000;
static bool verbose;

/* Whether the program errs by at least a tenth less without the cause. */
static bool matters(const program *p, lab_cause cause)
{
    program without = *p;
    double max;
    run_program(p);
    error_of(p, &max);
    double with_it = sum_of_errors;
    if (cause == LAB_CAUSE_BEAT || cause == LAB_CAUSE_TICKS) {
        without.tick_ms = 0.0;
    } else if (cause == LAB_CAUSE_RATE) {
        without.timer_ms = p->refresh_ms;
        without.display.swap = LAB_SWAP_FIFO;
    } else {
        without.delay_ms[cause] = 0.0;
    }
    run_program(&without);
    error_of(&without, &max);
    return sum_of_errors < 0.9 * with_it;
}

/* A program with these causes; levels: one each. Other seeds until it has the effects. */
static bool make_case(unsigned causes, const double *level, uint64_t seed, program *p)
{
    for (uint64_t attempt = 0; attempt < 60; ++attempt) {
        *p = draw_program(causes, seed * 1000 + attempt);
        bool ok = true;
        for (unsigned c = 0; c < LAB_CAUSES && ok; ++c) {
            ok = (causes & 1U << c) == 0 || inject(p, (lab_cause)c, level[c]);
        }
        double max;
        for (unsigned c = 0; c < LAB_CAUSES && ok; ++c) {
            ok = (causes & 1U << c) == 0 || matters(p, (lab_cause)c);
        }
        run_program(p);
        double p99 = error_of(p, &max);
        if (ok && (causes != 0 || (p99 < 0.1 && max < 0.5))) {
            return true;
        }
    }
    return false;
}

static void explain(const program *p, const struct format *format, const lab_figures *f,
        unsigned causes)
{
    double max;
    printf("  seed %llu %s: want", (unsigned long long)p->seed, format->name);
    for (unsigned c = 0; c < LAB_CAUSES; ++c) {
        printf("%s%s", (causes & 1U << c) != 0 ? " " : "", (causes & 1U << c) != 0 ? names[c] : "");
    }
    printf("; p99 %.2f file %.2f, T %.2f (%.2f) timer %.2f tick %.2f refresh %d swap %d queue %d "
           "block %d cpu %.2f gpu %.2f ret %d:",
            error_of(p, &max), f->animation_error.p99_ms / p->refresh_ms, p->refresh_ms,
            f->refresh_ms, p->timer_ms, p->tick_ms, p->display.refresh, p->display.swap,
            p->display.queue, p->display.blocking, p->cpu, p->gpu, p->returns);
    for (unsigned c = 0; c < LAB_CAUSES; ++c) {
        printf(" %s%s %.2f/%.2f/%.2f", f->causes[c].finding == LAB_IS_CAUSE ? "*" : "", names[c],
                f->causes[c].share, f->causes[c].p99, f->causes[c].max);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (getenv("ONE")) {
        unsigned a = (unsigned)atoi(argv[1]);
        double level[LAB_CAUSES] = {1,1,1,1,1,1,1};
        level[0] = atof(argv[3]); for (int i = 1; i < 7; ++i) level[i] = level[0];
        program p = draw_program(a, (uint64_t)atoll(argv[2]));
        for (unsigned c = 0; c < LAB_CAUSES; ++c) if (a & 1u << c) printf("%d\n", inject(&p, c, level[c]));
        run_program(&p);
        lab_figures f;
        find_causes(&formats[atoi(argv[4])], &f);
        explain(&p, &formats[atoi(argv[4])], &f, a);
        return 0;
    }
    unsigned seeds = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
    first_seed = argc > 1 ? (uint64_t)atoi(argv[1]) : first_seed;
    verbose = argc > 3;
    for (size_t i = argc > 4 ? (size_t)atoi(argv[4]) : 0; i < (argc > 4 ? (size_t)atoi(argv[4]) + 1 : COUNT_OF(formats)); ++i) {
        unsigned right[LAB_CAUSES][3] = {0}, matrix[LAB_CAUSES + 1][LAB_CAUSES + 1] = {0};
        unsigned cases[LAB_CAUSES][3] = {0}, false_claims = 0, clean = 0;
        for (unsigned c = 0; c < LAB_CAUSES; ++c) {
            for (size_t l = 0; l < COUNT_OF(levels); ++l) {
                for (unsigned s = 0; s < seeds; ++s) {
                    double level[LAB_CAUSES];
                    program p;
                    lab_figures f;
                    level[c] = levels[l];
                    if (!make_case(1U << c, level, first_seed + s * 64 + c * 3 + l, &p)) {
                        printf("no case %s %.2f\n", names[c], levels[l]);
                        continue;
                    }
                    find_causes(&formats[i], &f);
                    unsigned got = claimed(&f), want = expected_of(&formats[i], 1U << c, &f);
                    cases[c][l] += 1;
                    right[c][l] += got == want;
                    for (unsigned k = 0; k < LAB_CAUSES; ++k) {
                        matrix[c][k] += (got & 1U << k) != 0;
                    }
                    matrix[c][LAB_CAUSES] += got == 0;
                    if (got != want && verbose) {
                        explain(&p, &formats[i], &f, 1U << c);
                    }
                }
            }
        }
        for (unsigned s = 0; s < 5 * seeds; ++s) {
            program p;
            lab_figures f;
            if (make_case(0, NULL, first_seed + 5000 + s, &p)) {
                find_causes(&formats[i], &f);
                clean += 1;
                false_claims += claimed(&f) != 0;
                if (claimed(&f) != 0 && verbose) {
                    explain(&p, &formats[i], &f, 0);
                }
            }
        }
        unsigned pairs = 0, one = 0, both = 0, third = 0;
        for (unsigned s = 0; s < 3 * seeds; ++s) {
            for (unsigned a = 0; a < LAB_CAUSES; ++a) {
                unsigned b = (a + 1 + (unsigned)(uniform(s, 60, a) * (LAB_CAUSES - 1))) % LAB_CAUSES;
                program p;
                lab_figures f;
                double level[LAB_CAUSES];
                unsigned causes = 1U << a | 1U << b;
                level[a] = levels[(size_t)(3.0 * uniform(s, 61, a))];
                level[b] = levels[(size_t)(3.0 * uniform(s, 62, a))];
                if (a == b || causes == (BIT(BEAT) | BIT(TICKS))
                        || (expected_of(&formats[i], causes, NULL) & (expected_of(&formats[i], causes, NULL) - 1)) == 0
                        || !make_case(causes, level, first_seed + 9000 + s * 8 + a, &p)) {
                    continue;
                }
                find_causes(&formats[i], &f);
                unsigned got = claimed(&f), want = expected_of(&formats[i], causes, &f);
                pairs += 1;
                one += (got & want) != 0;
                both += (got & want) == want;
                third += (got & ~want) != 0;
                if ((got != want) && verbose) {
                    explain(&p, &formats[i], &f, causes);
                }
            }
        }
        printf("%s\n%10s", formats[i].name, "");
        for (unsigned c = 0; c < LAB_CAUSES; ++c) {
            printf("%9s", names[c]);
        }
        printf("%9s  right at 0.25, 0.5, 1\n", "none");
        for (unsigned c = 0; c < LAB_CAUSES; ++c) {
            printf("%10s", names[c]);
            for (unsigned k = 0; k <= LAB_CAUSES; ++k) {
                printf("%9u", matrix[c][k]);
            }
            printf("  %u/%u %u/%u %u/%u\n", right[c][0], cases[c][0], right[c][1], cases[c][1],
                    right[c][2], cases[c][2]);
        }
        printf("clean: %u of %u; pairs %u: one %u both %u wrong %u\n", false_claims, clean, pairs,
                one, both, third);
        fflush(stdout);
    }
    return 0;
}
