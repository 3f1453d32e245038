/* SPDX-License-Identifier: Zlib
 *
 * `evenstep gate`: whether captures keep rules, for builds that pass or fail by it.
 */
#include "json.h"
#include "tool.h"

#include "capture/gate.h"

#include <math.h>
#include <stdlib.h>

enum { CAPTURES = 64, RULES = 16, GATE_INCONCLUSIVE = 3, GATE_UNREADABLE = 4 };

static const double certainty = 0.995;

/* The captures of one program. */
typedef struct program {
    const char *paths[CAPTURES];
    size_t count;
    lab_steps steps[CAPTURES];
} program;

typedef struct gate {
    program candidate, baseline;
    const char *texts[RULES];
    lab_rule rules[RULES];
    lab_judgement judgements[RULES];
    size_t count;
    const char *column, *process;
    es_rate refresh;
    tool_file files[2];
} gate;

/* --- words ------------------------------------------------------------------------------------ */

static const char *const verdicts[] = {"pass", "inconclusive", "fail"};

/* What a rule's figures are written in. */
static const char *unit_of(const lab_rule *rule)
{
    static const char *const rates[] = {"%", "ms/s", "/min"};
    return lab_is_rate(rule->metric)         ? rates[rule->metric - LAB_METRIC_REPEATS]
           : rule->unit == LAB_LIMIT_REFRESH ? "refresh"
                                             : "ms";
}

/* Rounded to 0.0001 of it. */
static double in_unit(const gate *g, const lab_rule *rule, double value)
{
    static const double rates[] = {1.0 / 100.0, 1.0 / 1000.0, 1.0 / 60000.0};
    double unit = lab_is_rate(rule->metric)         ? rates[rule->metric - LAB_METRIC_REPEATS]
                  : rule->unit == LAB_LIMIT_REFRESH ? g->candidate.steps[0].refresh_ms
                                                    : 1.0;
    return round(value / unit * 1e4) / 1e4;
}

/* The reason for a verdict, on one line: "0.512 (0.48 to 0.55) ms, ...". Returns text. */
static const char *reason_of(const gate *g, size_t index, char *text, size_t size)
{
    const lab_rule *rule = &g->rules[index];
    const lab_judgement *j = &g->judgements[index];
    const lab_estimate *const sides[] = {&j->candidate, &j->baseline};
    text[0] = '\0';
    for (size_t i = 0; i < (rule->compares ? 2 : 1); ++i) {
        tool_append(text, size, ", baseline ", "%.3g (%.3g to %.3g)",
                in_unit(g, rule, sides[i]->value), in_unit(g, rule, sides[i]->low),
                in_unit(g, rule, sides[i]->high));
    }
    char finds[64];
    snprintf(finds, sizeof finds, "would have found %.3g more", in_unit(g, rule, j->finds));
    tool_append(text, size, " ", "%s; %s", unit_of(rule),
            isfinite(j->finds) ? finds : "would have found nothing");
    if (j->verdict == LAB_INCONCLUSIVE) {
        tool_append(text, size, "; ", "%s", j->why);
    }
    return text;
}

/* The first rule with the gravest verdict, which is that of all. */
static size_t deciding(const gate *g)
{
    size_t first = 0;
    for (size_t i = 1; i < g->count; ++i) {
        first = g->judgements[i].verdict > g->judgements[first].verdict ? i : first;
    }
    return first;
}

static void print_text(const gate *g)
{
    char text[512];
    size_t first = deciding(g);
    printf("%s: %s: %s\n", verdicts[g->judgements[first].verdict], g->texts[first],
            reason_of(g, first, text, sizeof text));
    for (size_t i = 0; g->count > 1 && i < g->count; ++i) {
        printf("  %-13s %s: %s\n", verdicts[g->judgements[i].verdict], g->texts[i],
                reason_of(g, i, text, sizeof text));
    }
    if (g->baseline.count > 0 && (g->candidate.count == 1 || g->baseline.count == 1)) {
        printf("One capture does not show how much starts of the program differ: give five of "
               "each.\n");
    }
}

/* --- JSON and JUnit --------------------------------------------------------------------------- */

static json_t *number(const gate *g, const lab_rule *rule, double value)
{
    return isfinite(value) ? tool_json_rounded(in_unit(g, rule, value), 4) : json_null();
}

static json_t *json_estimate(const gate *g, const lab_rule *rule, const lab_estimate *e)
{
    return json_pack("{so so so}", "value", number(g, rule, e->value), "low",
            number(g, rule, e->low), "high", number(g, rule, e->high));
}

static bool write_json(const void *user, const char *path)
{
    const gate *g = user;
    char text[512];
    size_t first = deciding(g);
    json_t *rules = json_array();
    for (size_t i = 0; i < g->count; ++i) {
        const lab_rule *rule = &g->rules[i];
        const lab_judgement *j = &g->judgements[i];
        json_array_append_new(rules,
                json_pack("{ss ss ss ss so so so so}", "rule", g->texts[i], "verdict",
                        verdicts[j->verdict], "reason", reason_of(g, i, text, sizeof text), "unit",
                        unit_of(rule), "candidate", json_estimate(g, rule, &j->candidate),
                        "baseline",
                        rule->compares ? json_estimate(g, rule, &j->baseline) : json_null(),
                        "limit", number(g, rule, j->limit), "finds", number(g, rule, j->finds)));
    }
    return tool_json_write(
            json_pack("{ss ss so}", "verdict", verdicts[g->judgements[first].verdict], "rule",
                    g->texts[first], "rules", rules),
            path);
}

/* A test case per rule; inconclusive ones are skipped. Of the characters that XML reserves, a rule
 * has one "<" only, and a reason none. */
static bool write_junit(const void *user, const char *path)
{
    static const char *const elements[] = {"system-out>", "skipped>", "failure>"};
    const gate *g = user;
    size_t counts[3] = {0};
    char text[512];
    FILE *out = tool_open(path);
    if (out == NULL) {
        return false;
    }
    for (size_t i = 0; i < g->count; ++i) {
        counts[g->judgements[i].verdict] += 1;
    }
    fprintf(out,
            "<testsuite name=\"evenstep gate\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
            g->count, counts[LAB_FAIL], counts[LAB_INCONCLUSIVE]);
    for (size_t i = 0; i < g->count; ++i) {
        const char *rule = g->texts[i], *limit = strchr(rule, '<');
        const char *element = elements[g->judgements[i].verdict];
        fprintf(out,
                "  <testcase classname=\"evenstep.gate\" "
                "name=\"%.*s&lt;%s\"><%s%s</%s</testcase>\n",
                (int)(limit - rule), rule, limit + 1, element, reason_of(g, i, text, sizeof text),
                element);
    }
    fprintf(out, "</testsuite>\n");
    return tool_close(out);
}

/* --- running ---------------------------------------------------------------------------------- */

/* A capture that is given twice would make chance look like certainty. */
static bool parse_capture(const char *text, void *target)
{
    program *p = target;
    bool fits = p->count < CAPTURES && text[0] != '\0';
    for (size_t i = 0; i < p->count; ++i) {
        fits = fits && strcmp(text, p->paths[i]) != 0;
    }
    if (fits) {
        p->paths[p->count] = text;
        p->count += 1;
    }
    return fits;
}

static bool parse_rule(const char *text, void *target)
{
    gate *g = target;
    bool fits = g->count < RULES;
    if (fits) {
        g->texts[g->count] = text;
        g->count += 1;
    }
    return fits;
}

static int parse_options(gate *g, int argc, char **argv)
{
    static const char summary[] =
            "Checks captures against rules. Exit status: 0 pass, 1 fail, 2 bad usage, 3 "
            "inconclusive, 4 a capture\ncannot be read or cannot show what a rule needs.\n\n"
            "rules:\n"
            "  animation.p99 < 0.5 refresh   also interval and frame; mean, p50, p99.9; ms, us\n"
            "  repeats < 1 %                 refreshes that showed the frame before again\n"
            "  hitches < 5 ms/s              time that frames were shown longer than intended\n"
            "  jumps < 1 /min                animation errors over 25 ms\n"
            "  repeats < baseline            not worse, as far as the captures can show\n"
            "  repeats < baseline + 0.5 %    shown to be less than that worse\n"
            "  frame.mean < 1.1 * baseline   likewise";
    const tool_option options[] = {
            {"", "FILE", parse_capture, &g->candidate, "a capture, each once, at most 64", NULL},
            {"rule", "RULE", parse_rule, g, "at most 16 rules", "a rule; may be repeated"},
            {"baseline", "FILE", parse_capture, &g->baseline, "a capture, each once, at most 64",
                    "a capture to compare with; may be repeated"},
            {"process", "NAME", tool_parse_text, &g->process, "a program's name",
                    "the program (the one with the most rows)"},
            {"column", "NAME", tool_parse_text, &g->column, "a column's name",
                    "the column of the frame times, in ms (by format)"},
            {"refresh", "RATE", tool_parse_rate, &g->refresh, "a rate such as 59.94",
                    "the refresh rate of the display (found in the capture)"},
            {"json", "[FILE]", tool_parse_text, &g->files[0].path, "a file; - is stdout",
                    "write the verdicts as JSON"},
            {"junit", "FILE", tool_parse_text, &g->files[1].path, "a file; - is stdout",
                    "write them as JUnit's XML"},
    };
    int status =
            tool_options("gate", summary, options, sizeof options / sizeof options[0], argc, argv);
    if (status == TOOL_OK && g->candidate.count == 0) {
        status = tool_usage("gate", "no capture given");
    }
    if (status == TOOL_OK && g->count == 0) {
        status = tool_usage("gate", "no --rule given");
    }
    return status == TOOL_OK ? tool_check_stdout("gate", g->files, 2) : status;
}

static int parse_rules(gate *g)
{
    for (size_t i = 0; i < g->count; ++i) {
        size_t at;
        const char *expected;
        if (!lab_rule_parse(g->texts[i], &g->rules[i], &at, &expected)) {
            return tool_usage("gate", "--rule '%s': character %zu, at '%s': expected %s",
                    g->texts[i], at + 1, g->texts[i] + at, expected);
        }
        if (g->rules[i].compares && g->baseline.count == 0) {
            return tool_usage("gate", "--rule '%s': no --baseline given", g->texts[i]);
        }
    }
    return TOOL_OK;
}

static int fail(const char *what, const char *why)
{
    tool_fail("gate", "%s: %s", what, why);
    return GATE_UNREADABLE;
}

static int read_capture(const gate *g, const char *path, lab_steps *steps)
{
    static lab_figures figures; /* large */
    lab_capture_options options = {g->column, g->process, NULL};
    lab_capture_error error = {"", 0};
    double refresh_ms =
            g->refresh.numerator > 0 ? 1000.0 * g->refresh.denominator / g->refresh.numerator : 0.0;
    lab_capture *capture = lab_capture_open(path, &options, &error);
    bool ok = capture != NULL
              && lab_capture_measure(capture, refresh_ms, &figures, steps, &error) == ES_OK;
    const lab_capture_info *info = ok ? lab_capture_get_info(capture) : NULL;
    if (!ok) {
        tool_fail("gate", "%s", error.text);
    } else if (info->unread > 0) {
        tool_fail("gate", "rows left out: %zu; the first: %s", info->unread, info->why.text);
    }
    lab_capture_close(capture);
    return ok ? TOOL_OK : GATE_UNREADABLE;
}

static int read_program(const gate *g, program *p)
{
    int status = TOOL_OK;
    for (size_t i = 0; status == TOOL_OK && i < p->count; ++i) {
        status = read_capture(g, p->paths[i], &p->steps[i]);
    }
    return status;
}

static int judge(gate *g)
{
    const lab_program candidate = {g->candidate.steps, g->candidate.count};
    const lab_program baseline = {g->baseline.steps, g->baseline.count};
    for (size_t i = 0; i < g->count; ++i) {
        const char *why;
        if (lab_gate_judge(&g->rules[i], (1.0 - certainty) / (double)g->count, &candidate,
                    &baseline, &g->judgements[i], &why)
                != ES_OK) {
            return fail(g->texts[i], why);
        }
    }
    return TOOL_OK;
}

static int report(const gate *g)
{
    static const int statuses[] = {TOOL_OK, GATE_INCONCLUSIVE, TOOL_FAILED};
    if (tool_count_stdout(g->files, 2) == 0) {
        print_text(g);
    }
    int status = tool_write_files("gate", g->files, 2, g);
    return status == TOOL_OK ? statuses[g->judgements[deciding(g)].verdict] : GATE_UNREADABLE;
}

int tool_gate(int argc, char **argv)
{
    static gate g = {
            .files = {{"json", NULL, write_json}, {"junit", NULL, write_junit}}}; /* large */
    int status = parse_options(&g, argc, argv);
    status = status == TOOL_OK ? parse_rules(&g) : status;
    status = status == TOOL_OK ? read_program(&g, &g.candidate) : status;
    status = status == TOOL_OK ? read_program(&g, &g.baseline) : status;
    status = status == TOOL_OK ? judge(&g) : status;
    status = status == TOOL_OK ? report(&g) : status;
    for (size_t i = 0; i < CAPTURES; ++i) {
        lab_steps_free(&g.candidate.steps[i]);
        lab_steps_free(&g.baseline.steps[i]);
    }
    return status;
}
