/* SPDX-License-Identifier: Zlib
 *
 * Rules on captures: their text, their figures, their verdicts. And what they promise, on
 * pairs from the lab and from resampled captures: over 500 with EVENSTEP_FULL, else a few.
 */
#include "test_support.h"

#include "capture/gate.h"
#include "lab/run.h"

static const double beyond = 0.005;

/* One frame. */
static bool add_steps(lab_steps *steps, double error_ms, double interval_ms, double frame_ms)
{
    return lab_steps_add(steps, LAB_METRIC_ANIMATION, error_ms)
           && lab_steps_add(steps, LAB_METRIC_INTERVAL, interval_ms)
           && lab_steps_add(steps, LAB_METRIC_FRAME, frame_ms);
}

/* --- text ------------------------------------------------------------------------------------- */

TEST(rules_are_read)
{
    static const struct {
        const char *text,
                *wanted; /* metric, percentile, compares, factor, has_limit, limit, unit */
    } cases[] = {
            {"animation.p99 < 0.5 refresh", "0 0.99 0 1 1 0.5 1"},
            {"interval.mean<1ms", "1 0 0 1 1 1 0"},
            {" frame.p99.9 <= 250 us ", "2 0.999 0 1 1 0.25 0"},
            {"repeats < 1 %", "3 0 0 1 1 0.01 2"},
            {"repeats < baseline", "3 0 1 1 0 0 0"},
            {"hitches < 5 ms/s", "4 0 0 1 1 0.005 3"},
            {"jumps<1.2/min", "5 0 0 1 1 2e-05 4"},
            {"frame.p50 < 1.1 * baseline", "2 0.5 1 1.1 0 0 0"},
            {"frame.mean < 2*baseline+3refreshes", "2 0 1 2 1 3 1"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_rule r;
        size_t at;
        const char *expected;
        char got[64];
        assert_true(lab_rule_parse(cases[i].text, &r, &at, &expected));
        snprintf(got, sizeof got, "%d %g %d %g %d %g %d", (int)r.metric, r.percentile, r.compares,
                r.factor, r.has_limit, r.limit, (int)r.unit);
        assert_string_equal(got, cases[i].wanted);
    }
}

/* --- figures ---------------------------------------------------------------------------------- */

static double uniform(uint64_t seed, uint64_t index)
{
    return lab_random_uniform(lab_random_key(seed, LAB_STREAM_MACHINE), index);
}

static lab_judgement judge(
        const char *text, const lab_steps *a, const lab_steps *b, size_t count, size_t rules)
{
    const lab_program candidate = {a, count}, baseline = {b, b != NULL ? count : 0};
    lab_rule rule;
    lab_judgement judgement;
    size_t at;
    const char *why;
    assert_true(lab_rule_parse(text, &rule, &at, &why));
    if (lab_gate_judge(&rule, beyond / (double)rules, &candidate, &baseline, &judgement, &why)
            != ES_OK) {
        print_error("%s: %s\n", text, why);
        fail();
    }
    return judgement;
}

/* count frames of a mean duration, each up to noise longer or shorter. */
static lab_steps frames_of(double mean_ms, double noise_ms, size_t count, uint64_t seed)
{
    lab_steps steps = {.refresh_ms = 1000.0 / 60.0, .intended_ms = 1000.0 / 60.0};
    for (size_t i = 0; i < count; ++i) {
        double noise = noise_ms * (2.0 * uniform(seed, i) - 1.0);
        assert_true(add_steps(&steps, noise, mean_ms + noise, mean_ms + noise));
    }
    return steps;
}

TEST(several_captures_count_by_their_differences)
{
    enum { RUNS = 3 };
    lab_steps runs[RUNS];
    for (size_t i = 0; i < RUNS; ++i) {
        runs[i] = frames_of(10.0 + (double)i, 0.0, 200, 1);
    }
    /* mean 11, standard deviation 1; t of 2 degrees of freedom at 0.995: 9.92484 */
    lab_judgement j = judge("frame.mean < 12 ms", runs, NULL, RUNS, 1);
    assert_near(j.candidate.value, 11.0, 1e-9);
    assert_near(j.candidate.low, 11.0 - 9.92484 / sqrt(3.0), 1e-4);
    assert_near(j.candidate.high, 11.0 + 9.92484 / sqrt(3.0), 1e-4);
    assert_int_equal(j.verdict, LAB_INCONCLUSIVE);
    for (size_t i = 0; i < RUNS; ++i) {
        lab_steps_free(&runs[i]);
    }
}

TEST(a_verdict_needs_evidence)
{
    lab_steps even = frames_of(16.667, 1.0, 3600, 1), worse = frames_of(16.667, 2.0, 3600, 2);
    lab_steps slow = frames_of(33.333, 2.0, 3600, 3), brief = frames_of(16.667, 1.0, 130, 4);
    slow.intended_ms = 1000.0 / 30.0;
    const struct {
        const char *rule;
        const lab_steps *candidate, *baseline;
        char verdict;
    } cases[] = {
            {"interval.mean < 1 ms", &even, &even, 'P'},
            {"interval.mean < 0.5 ms", &even, &even, 'I'},
            {"interval.mean < 0.4 ms", &even, &even, 'F'},
            {"interval.mean < baseline", &worse, &even, 'F'},
            {"interval.mean < baseline", &even, &worse, 'P'},
            {"interval.mean < baseline", &even, &even, 'P'},
            {"interval.mean < baseline + 0.1 ms", &even, &even, 'P'},
            {"interval.mean < baseline + 0.5 ms", &worse, &even, 'I'},
            {"interval.mean < 1.5 * baseline", &worse, &even, 'F'},
            {"interval.mean < 1.5 * baseline", &even, &even, 'P'},
            {"interval.mean < 2 * baseline", &worse, &even, 'I'},
            {"animation.p99 < 3 ms", &even, &even, 'P'},
            {"animation.p99 < 3 ms", &brief, &even, 'I'},
            {"animation.p99 < baseline", &even, &brief, 'I'}, /* finds nothing */
            /* even at half the rate: it repeats each frame once */
            {"repeats < baseline", &slow, &even, 'F'},
            {"repeats < 1 %", &slow, &slow, 'P'},
            {"hitches < baseline", &slow, &even, 'F'},
            {"hitches < 1 ms/s", &even, &even, 'I'},
            {"hitches < 4 ms/s", &even, &even, 'P'},
            {"jumps < 1 /min", &even, &even, 'I'},
            {"jumps < 20 /min", &even, &even, 'P'},
            {"interval.mean < baseline", &slow, &even, 'F'},
            {"interval.mean < baseline", &even, &slow, 'P'},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_judgement j = judge(cases[i].rule, cases[i].candidate, cases[i].baseline, 1, 1);
        char verdict = "PIF"[j.verdict];
        if (verdict != cases[i].verdict) {
            print_error("%s: %c, not %c\n", cases[i].rule, verdict, cases[i].verdict);
            fail();
        }
    }
    lab_steps_free(&even);
    lab_steps_free(&worse);
    lab_steps_free(&slow);
    lab_steps_free(&brief);
}

/* Hitches of different sizes count by their time; jumps by the time that frames were shown. */
TEST(rates_are_of_the_time)
{
    lab_steps steps = {.refresh_ms = 10.0, .intended_ms = 10.0};
    for (size_t i = 0; i < 1000; ++i) {
        double longer = i % 100 == 7 ? 10.0 : i % 100 == 50 ? 30.0 : i % 2 == 0 ? 4.0 : 0.0;
        assert_true(add_steps(&steps, -longer, 10.0 + longer, 10.0));
    }
    /* 10 of 10 ms and 10 of 30 ms, beside 490 times 4 ms, which are jitter */
    lab_judgement j = judge("hitches < 20 ms/s", &steps, NULL, 1, 1);
    assert_near(j.candidate.value, 400.0 / (10400.0 + 490.0 * 4.0), 1e-9);
    assert_true(j.candidate.low > 0.01 && j.candidate.high < 0.1);
    j = judge("jumps < 20 /min", &steps, NULL, 1, 1);
    assert_near(60000.0 * j.candidate.value, 10.0 / (12360.0 / 60000.0), 1e-9);
    for (size_t i = 0; i < 1000; ++i) {
        steps.values[LAB_METRIC_ANIMATION][i] = i == 500 ? 40.0 : 0.0;
    }
    j = judge("jumps < 1 /min", &steps, NULL, 1, 1); /* one alone proves no rate */
    assert_int_equal(j.verdict, LAB_INCONCLUSIVE);
    lab_steps_free(&steps);
}

/* --- promises --------------------------------------------------------------------------------- */

/* One kind of program: a loop in the lab, or a capture, of which blocks of 60 frames are drawn. */
typedef struct kind {
    const char *loop, *scenario; /* NULL: the capture of this path */
    es_rate refresh;
    int seconds, runs;
    const char *path;
} kind;

static const kind kinds[] = {
        {"auto", "cheap", {60, 1}, 60, 1, NULL},
        {"auto", "spikes", {60, 1}, 60, 1, NULL},
        {"auto", "heavy-tail", {60, 1}, 60, 1, NULL},
        {"auto", "90-105", {144, 1}, 60, 1, NULL},
        {"auto", "wake-vm", {60, 1}, 20, 1, NULL},
        {"gaffer", "spikes", {60, 1}, 60, 1, NULL},
        {"gaffer", "wake-vm", {60000, 1001}, 60, 1, NULL},
        {"gaffer", "wake-tail", {120, 1}, 60, 1, NULL},
        {"godot", "heavy-tail", {75, 1}, 60, 1, NULL},
        {"variable-dt", "wake-1.5", {144, 1}, 60, 1, NULL},
        {"auto", "ramp", {60, 1}, 20, 5, NULL},
        {"gaffer", "wake-vm", {60, 1}, 20, 5, NULL},
        {NULL, NULL, {0, 1}, 60, 1, TRACES "/01_presentmon_cur_presentbench_dwm60.csv"},
        {NULL, NULL, {0, 1}, 60, 1, TRACES "/03_presentmon_v1_farcrynewdawn.csv"},
        {NULL, NULL, {0, 1}, 60, 1, TRACES "/04_ocat_metroexodus_vrr.csv"},
        {NULL, NULL, {0, 1}, 60, 1, TRACES "/06_presentmon_v1_csgo_118fps_60hz.csv"},
};

static const char *const rules[] = {"animation.p99 < baseline", "animation.mean < baseline",
        "interval.mean < baseline", "frame.p95 < baseline", "repeats < baseline",
        "hitches < baseline"};

enum { RUNS = 5, REPEATS_RULE = 4 };

static lab_steps simulate(const kind *k, uint64_t seed)
{
    static lab_result result;
    lab_setup setup = lab_setup_default();
    lab_refusal error;
    lab_steps steps = {.refresh_ms = 1000.0 * k->refresh.denominator / k->refresh.numerator};
    steps.intended_ms = steps.refresh_ms;
    setup.loop = lab_loop_find(k->loop);
    setup.scenario = *lab_scenario_find(k->scenario);
    setup.display.rate = k->refresh;
    setup.seed = seed;
    setup.duration_ns = setup.warm_up_ns + k->seconds * ES_NS_PER_S;
    assert_int_equal(lab_run(&setup, &result, &error), ES_OK);
    for (size_t i = result.measured + 1; i < result.frame_count; ++i) {
        const lab_frame *f = &result.frames[i];
        double shown = (double)(f->shown_ns - f[-1].shown_ns) / 1e6;
        double moved = (double)(f->content_ns - f[-1].content_ns) / 1e6;
        double frame = (double)(f->begin_ns - f[-1].begin_ns) / 1e6;
        assert_true(add_steps(&steps, moved - shown, shown, frame));
    }
    return steps;
}

static lab_steps resample(const kind *k, const lab_steps *trace, uint64_t seed)
{
    enum { BLOCK = 60 };
    lab_steps steps = {.refresh_ms = trace->refresh_ms, .intended_ms = trace->intended_ms};
    double *const *values = trace->values, passed = 0.0;
    size_t last = trace->count[0]; /* screen times are the fewest */
    for (uint64_t draw = 0; passed < 1000.0 * k->seconds; ++draw) {
        size_t from = (size_t)(uniform(seed, draw) * (double)(last - BLOCK));
        for (size_t i = from; i < from + BLOCK; ++i) {
            assert_true(add_steps(&steps, values[0][i], values[1][i], values[2][i]));
            passed += values[1][i];
        }
    }
    return steps;
}

/* Makes it worse: noise on content times or on frame times; or this share of the frames misses a
 * refresh. */
static lab_steps worsen(const lab_steps *from, lab_metric metric, double amount, uint64_t seed)
{
    lab_steps out = {.refresh_ms = from->refresh_ms, .intended_ms = from->intended_ms};
    bool misses = lab_is_rate(metric) || metric == LAB_METRIC_INTERVAL;
    for (size_t i = 0; i < from->count[0]; ++i) {
        double u = uniform(seed, i + 1), jitter = amount * (u - uniform(seed, i));
        double longer = misses && u < amount ? from->intended_ms : 0.0;
        assert_true(add_steps(&out,
                from->values[0][i] + (metric == LAB_METRIC_ANIMATION ? jitter : 0.0),
                from->values[1][i] + longer,
                from->values[2][i] + (metric == LAB_METRIC_FRAME ? amount * u : 0.0)));
    }
    return out;
}

/* The figure of "METRIC < baseline". */
static double figure_of(const char *text, const lab_steps *steps)
{
    char alone[64];
    snprintf(alone, sizeof alone, "%.*s 1 %s", (int)(strchr(text, '<') + 1 - text), text,
            text[0] == 'r'   ? "%"
            : text[0] == 'h' ? "ms/s"
                             : "ms");
    return judge(alone, steps, NULL, 1, 1).candidate.value;
}

/* How much it takes to raise the figure of a long capture by that. */
static double amount_for(
        const char *text, lab_metric metric, const lab_steps *typical, double raise)
{
    double low = 0.0, high = lab_is_rate(metric) || metric == LAB_METRIC_INTERVAL ? 1.0 : 1000.0;
    double wanted = figure_of(text, typical) + raise;
    for (int i = 0; i < 20; ++i) {
        double middle = (low + high) / 2.0;
        lab_steps worse = worsen(typical, metric, middle, 99);
        bool enough = figure_of(text, &worse) >= wanted;
        low = enough ? low : middle;
        high = enough ? middle : high;
        lab_steps_free(&worse);
    }
    return high;
}

typedef struct tally {
    size_t pairs, false_fails, tried, found; /* tried: pairs with a smallest change */
    size_t rare, rare_found;                 /* one more missed refresh in 100 frames */
} tally;

typedef struct pair {
    const kind *kind;
    lab_steps a[RUNS], b[RUNS];
    size_t count, rules;
} pair;

static void judge_same(const pair *p, size_t chosen, const lab_steps *typical, tally *t)
{
    bool failed = false;
    double finds = INFINITY;
    for (size_t r = 0; r < p->rules; ++r) {
        lab_judgement j = judge(rules[r], p->b, p->a, p->count, p->rules);
        failed = failed || j.verdict == LAB_FAIL;
        finds = r == chosen ? j.finds : finds;
    }
    t->pairs += 1;
    t->false_fails += failed;
    if (isinf(finds)) {
        return;
    }
    lab_rule rule;
    size_t at;
    const char *why;
    lab_steps worse[RUNS];
    assert_true(lab_rule_parse(rules[chosen], &rule, &at, &why));
    double amount = amount_for(rules[chosen], rule.metric, typical, 1.5 * finds);
    for (size_t i = 0; i < p->count; ++i) {
        worse[i] = worsen(&p->b[i], rule.metric, amount, 1000 * t->pairs + i);
    }
    t->tried += 1;
    t->found += judge(rules[chosen], worse, p->a, p->count, p->rules).verdict == LAB_FAIL;
    for (size_t i = 0; i < p->count; ++i) {
        lab_steps_free(&worse[i]);
    }
}

/* Programs that miss at most 0.5 %, for 60 s. */
static void judge_missed(const pair *p, const lab_steps *typical, tally *t)
{
    if (p->kind->seconds < 60 || p->rules <= REPEATS_RULE
            || figure_of(rules[REPEATS_RULE], typical) > 0.005) {
        return;
    }
    lab_steps worse = worsen(&p->b[0], LAB_METRIC_REPEATS, 0.01, 7000 + t->pairs);
    t->rare += 1;
    t->rare_found += judge(rules[REPEATS_RULE], &worse, p->a, 1, p->rules).verdict == LAB_FAIL;
    lab_steps_free(&worse);
}

static void run_kind(const kind *k, size_t pairs, tally *t)
{
    lab_steps trace = {.refresh_ms = 0.0}, typical = {.refresh_ms = 0.0};
    static lab_figures figures;
    if (k->path != NULL) {
        lab_capture_error error;
        lab_capture *capture = lab_capture_open(k->path, NULL, &error);
        if (capture == NULL) {
            return; /* the captures are not here */
        }
        assert_int_equal(lab_capture_measure(capture, 0.0, &figures, &trace, &error), ES_OK);
        lab_capture_close(capture);
    }
    for (size_t n = 0; n < pairs; ++n) {
        pair p = {.kind = k, .count = (size_t)k->runs};
        for (size_t i = 0; i < 2 * p.count; ++i) {
            lab_steps *to = i % 2 == 0 ? &p.a[i / 2] : &p.b[i / 2];
            uint64_t seed = 100001 + 2 * n * p.count + i;
            *to = k->path != NULL ? resample(k, &trace, seed) : simulate(k, seed);
        }
        if (n == 0) {
            typical = k->path != NULL ? resample(k, &trace, 5000) : simulate(k, 5000);
        }
        p.rules = p.a[0].refresh_ms > 0.0 ? COUNT_OF(rules) : REPEATS_RULE;
        judge_same(&p, (n + (size_t)(k - kinds)) % p.rules, &typical, t);
        judge_missed(&p, &typical, t);
        for (size_t i = 0; i < p.count; ++i) {
            lab_steps_free(&p.a[i]);
            lab_steps_free(&p.b[i]);
        }
    }
    lab_steps_free(&trace);
    lab_steps_free(&typical);
}

TEST(few_false_fails_and_changes_are_found)
{
    tally all = {0};
    size_t pairs = test_is_full() ? 42 : TEST_SANITIZED ? 1 : 5;
    for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
        tally t = {0};
        run_kind(&kinds[i], pairs, &t);
        print_message("%-12s %-10s: %zu pairs, %zu false fails; %zu of %zu changes found; one more "
                      "missed refresh in 100: %zu of %zu\n",
                kinds[i].loop != NULL ? kinds[i].loop : strrchr(kinds[i].path, '/') + 1,
                kinds[i].loop != NULL ? kinds[i].scenario : "", t.pairs, t.false_fails, t.found,
                t.tried, t.rare_found, t.rare);
        all.pairs += t.pairs;
        all.false_fails += t.false_fails;
        all.tried += t.tried;
        all.found += t.found;
        all.rare += t.rare;
        all.rare_found += t.rare_found;
    }
    print_message("%zu pairs, %zu false fails; %zu of %zu changes found; missed refreshes %zu of "
                  "%zu\n",
            all.pairs, all.false_fails, all.found, all.tried, all.rare_found, all.rare);
    assert_true(100 * all.false_fails <= all.pairs);
    assert_true(10 * all.tried >= 7 * all.pairs);
    assert_true(10 * all.found >= 9 * all.tried);
    assert_true(100 * all.rare_found >= 95 * all.rare && all.rare > 0);
}
