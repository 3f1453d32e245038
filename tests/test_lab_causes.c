/* SPDX-License-Identifier: Zlib
 *
 * Causes that are injected into programs on the lab's machine, and named from captures of these
 * programs. Thresholds were fixed on other seeds. EVENSTEP_FULL: 20 seeds of each case.
 */
#include "test_support.h"

#include "evenstep/measure.h"

#include "capture/measure.h"
#include "lab/machine.h"

/* --- programs --------------------------------------------------------------------------------- */

enum { FRAMES = 1500, TEXT = 256 * FRAMES };

/* Effects: 99th percentile of the animation error, in refreshes. */
static const double levels[] = {0.25, 0.5, 1.0};
enum { LEVELS = COUNT_OF(levels) };

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
    config.scenario.render =
            (lab_cost){.base = p->cpu, .unit = LAB_UNIT_REFRESH, .low = 0.95, .high = 1.05};
    config.scenario.gpu =
            (lab_cost){.base = p->gpu, .unit = LAB_UNIT_REFRESH, .low = 0.95, .high = 1.05};
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

/* The 99th percentile of the animation errors, in refreshes; their sum. */
static double error_of(const program *p, double *sum)
{
    static double errors[FRAMES];
    size_t n = 0;
    const times *last = NULL;
    *sum = 0.0;
    for (const times *t = run + 70; t < run + FRAMES; ++t) {
        if (t->dropped) {
            continue;
        }
        if (last != NULL) {
            int64_t error = (t->content - last->content) - (t->shown - last->shown);
            errors[n] = fabs((double)error) / 1e6 / p->refresh_ms;
            *sum += errors[n];
            n += 1;
        }
        last = t;
    }
    lab_sort(errors, n);
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
    p.plans = timer
              && (uniform(seed, 12, 0) < 0.5
                      || ((causes & 1U << LAB_CAUSE_WAKE) != 0
                              && p.display.refresh == LAB_REFRESH_VARIABLE));
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
    double low = 0.0, high = 8.0, size = 0.0, p99 = 0.0, sum;
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
        p99 = error_of(&alone, &sum);
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

static void write_trace(es_shown_source source)
{
    static const char path[] = "test_lab_causes.csv";
    remove(path);
    es_trace *trace = es_trace_create(path);
    assert_non_null(trace);
    for (size_t i = 0; i < FRAMES; ++i) {
        const times *t = &run[i];
        es_report report = {.submit_ns = t->present, .source = source};
        report.frame.begun_ns = t->start;
        report.frame.late_ns = t->draws > t->planned ? t->draws - t->planned : 0;
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
    void (*write)(void); /* NULL: by es_trace */
    unsigned tells;      /* causes */
    es_shown_source source;
} formats[] = {
        {"es_trace", NULL, BIT(WAKE) | BIT(CPU) | BIT(BEAT) | BIT(TICKS) | BIT(RATE),
                ES_SHOWN_FEEDBACK},
        {"PresentMon 2", write_pm2,
                BIT(CPU) | BIT(GPU) | BIT(PRESENT) | BIT(BEAT) | BIT(TICKS) | BIT(RATE), 0},
        {"PresentMon 1", write_pm1, BIT(CPU) | BIT(GPU) | BIT(PRESENT) | BIT(RATE), 0},
        {"es_trace, returns", NULL, BIT(WAKE) | BIT(CPU) | BIT(BEAT) | BIT(TICKS),
                ES_SHOWN_PRESENT_RETURN},
        {"MangoHud", write_mango_hud, 0, 0},
};

static void find_causes(const struct format *format, lab_figures *f)
{
    lab_capture_error error = {"", 0};
    text_size = 0;
    if (format->write != NULL) {
        format->write();
    } else {
        write_trace(format->source);
    }
    lab_capture *capture = lab_capture_open_text(text, text_size, NULL, &error);
    if (capture == NULL || lab_capture_measure(capture, 0.0, f, NULL, &error) != ES_OK) {
        fail_msg("%s: %s", format->name, error.text);
    }
    lab_capture_close(capture);
}

/* What a format can name of the causes. Where it has no planned starts, a late wake-up is time
 * between two presents. Where its own errors are small, there is nothing to name: screen times that
 * are returns of present, or content times that are CPU starts, do not show the effect. */
static unsigned expected_of(const struct format *format, unsigned causes, const lab_figures *f)
{
    double unit_ms = f->refresh_ms > 0.0 ? f->refresh_ms : f->intended_ms;
    unsigned out = causes & format->tells;
    if ((causes & BIT(WAKE)) != 0 && (format->tells & BIT(WAKE)) == 0) {
        out |= BIT(CPU) & format->tells;
    }
    return f->animation_error.p99_ms < 0.1 * unit_ms ? 0 : out;
}

/* --- cases ------------------------------------------------------------------------------------ */

static const char *const names[LAB_CAUSES] = {
        "wake", "cpu", "gpu", "present", "beat", "ticks", "rate"};

/* Whether the program errs by at least a tenth less without the cause. */
static bool matters(const program *p, lab_cause cause)
{
    program without = *p;
    double with_it, sum;
    run_program(p);
    error_of(p, &with_it);
    if (cause == LAB_CAUSE_BEAT || cause == LAB_CAUSE_TICKS) {
        without.tick_ms = 0.0;
    } else if (cause == LAB_CAUSE_RATE) {
        without.timer_ms = p->refresh_ms;
        without.display.swap = LAB_SWAP_FIFO;
    } else {
        without.delay_ms[cause] = 0.0;
    }
    run_program(&without);
    error_of(&without, &sum);
    return sum < 0.9 * with_it;
}

/* Runs a program with these causes, each of about its effect (0: any of the levels). Other seeds
 * until it has them. */
static void run_case(unsigned causes, double level, uint64_t seed)
{
    for (uint64_t attempt = 0; attempt < 200; ++attempt) {
        program p = draw_program(causes, seed * 1000 + attempt);
        bool ok = true;
        double sum;
        for (unsigned c = 0; c < LAB_CAUSES && ok; ++c) {
            double any = levels[(size_t)(LEVELS * uniform(p.seed, 13, c))];
            ok = (causes & 1U << c) == 0 || inject(&p, (lab_cause)c, level > 0.0 ? level : any);
        }
        for (unsigned c = 0; c < LAB_CAUSES && ok; ++c) {
            ok = (causes & 1U << c) == 0 || matters(&p, (lab_cause)c);
        }
        run_program(&p);
        if (ok && (causes != 0 || error_of(&p, &sum) < 0.1)) {
            return;
        }
    }
    fail_msg("no program for causes %x, seed %llu", causes, (unsigned long long)seed);
}

typedef struct tally {
    unsigned cases, right, one, both, wrong;
    unsigned named[LAB_CAUSES + 1];                 /* the last: none */
    unsigned moments, moments_right, moments_wrong; /* worst ones of one cause that is named */
} tally;

/* [injected; none; two][format] */
static tally tallies[LAB_CAUSES + 2][COUNT_OF(formats)];

static void take_capture(tally *t, const struct format *format, unsigned causes)
{
    lab_figures f;
    find_causes(format, &f);
    unsigned got = 0, want = expected_of(format, causes, &f);
    for (unsigned c = 0; c < LAB_CAUSES; ++c) {
        lab_finding finding = f.causes[c].finding;
        bool is_named = finding == LAB_IS_CAUSE;
        /* without a fixed refresh no rate misfits */
        bool tells = (format->tells & 1U << c) != 0 && (c != LAB_CAUSE_RATE || f.refresh_ms > 0.0);
        assert_int_equal(finding != LAB_CANNOT_TELL, tells);
        got |= is_named ? 1U << c : 0;
        t->named[c] += is_named;
    }
    t->named[LAB_CAUSES] += got == 0;
    t->cases += 1;
    t->right += got == want;
    t->wrong += (got & ~want) != 0;
    t->one += want == 0 || (got & want) != 0;
    t->both += (got & want) == want;
    bool is_one = want != 0 && (want & (want - 1)) == 0;
    for (size_t i = 0; i < f.worst_count && got == want && is_one; ++i) {
        const lab_moment *m = &f.worst[i];
        unsigned named = m->finding == LAB_IS_CAUSE ? 1U << m->cause : 0;
        t->moments += m->finding != LAB_CANNOT_TELL;
        t->moments_right += m->finding != LAB_CANNOT_TELL && named == want;
        t->moments_wrong += (named & ~want) != 0;
    }
}

static void take_case(size_t row, unsigned causes, double level, uint64_t seed)
{
    run_case(causes, level, seed);
    for (size_t i = 0; i < COUNT_OF(formats); ++i) {
        unsigned shown = causes & formats[i].tells;
        if (row <= LAB_CAUSES
                || (shown & (shown - 1)) != 0) { /* of two causes the file shows both */
            take_capture(&tallies[row][i], &formats[i], causes);
        }
    }
}

static void print_matrix(size_t format)
{
    printf("%-18s", formats[format].name);
    for (unsigned c = 0; c <= LAB_CAUSES; ++c) {
        printf("%8s", c < LAB_CAUSES ? names[c] : "none");
    }
    printf("%8s%15s\n", "right", "moments, wrong");
    for (size_t row = 0; row <= LAB_CAUSES; ++row) {
        const tally *t = &tallies[row][format];
        printf("%18s", row < LAB_CAUSES ? names[row] : "none");
        for (unsigned c = 0; c <= LAB_CAUSES; ++c) {
            printf("%8u", t->named[c]);
        }
        printf("%4u/%u%5u, %u/%u\n", t->right, t->cases, t->moments_right, t->moments_wrong,
                t->moments);
    }
    const tally *two = &tallies[LAB_CAUSES + 1][format];
    printf("of two causes: one in %u, both in %u, another in %u of %u\n", two->one, two->both,
            two->wrong, two->cases);
}

static void check_tallies(void)
{
    for (size_t i = 0; i < COUNT_OF(formats); ++i) {
        unsigned right = 0, cases = 0;
        const tally *none = &tallies[LAB_CAUSES][i], *two = &tallies[LAB_CAUSES + 1][i];
        for (size_t c = 0; c < LAB_CAUSES; ++c) {
            right += tallies[c][i].right;
            cases += tallies[c][i].cases;
        }
        print_matrix(i);
        unsigned moments = 0, moments_right = 0, moments_wrong = 0;
        for (size_t c = 0; c < LAB_CAUSES; ++c) {
            moments += tallies[c][i].moments;
            moments_right += tallies[c][i].moments_right;
            moments_wrong += tallies[c][i].moments_wrong;
        }
        assert_true(10 * moments_right >= 9 * moments && 100 * moments_wrong <= moments);
        assert_true(20 * (right + !test_is_full()) >= 19 * cases); /* quick: 7, one may fail */
        assert_true(100 * (none->cases - none->right) <= none->cases);
        assert_true(20 * two->one >= 19 * two->cases);
        assert_true(!test_is_full() || 5 * two->both >= 4 * two->cases); /* else too few */
    }
}

/* Quick: one seed, one level of each. */
TEST(injected_causes)
{
    const unsigned seeds = test_is_full() ? 20 : 1;
    const uint64_t first = 900000;
    for (unsigned n = 0; n < seeds * LEVELS * LAB_CAUSES; ++n) {
        unsigned cause = n % LAB_CAUSES, l = n / LAB_CAUSES % LEVELS;
        if (test_is_full() || l == cause % LEVELS) {
            take_case(cause, 1U << cause, levels[l], first + n);
            take_case(LAB_CAUSES, 0, 0.0, first + 10000 + n);
        }
        unsigned other = (cause + 1 + n / LAB_CAUSES / LEVELS % (LAB_CAUSES - 1)) % LAB_CAUSES;
        unsigned causes = 1U << cause | 1U << other;
        if ((test_is_full() || l == 2) && causes != (BIT(BEAT) | BIT(TICKS))) {
            take_case(LAB_CAUSES + 1, causes, 0.0, first + 20000 + n);
        }
    }
    check_tallies();
}
