/* SPDX-License-Identifier: Zlib
 *
 * The text of rules, and of /proc/stat.
 */
#include "capture/gate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- rules ------------------------------------------------------------------------------------ */

typedef struct rule_text {
    const char *at;
    const char *expected;
} rule_text;

static void skip_blanks(rule_text *t)
{
    t->at += strspn(t->at, " \t");
}

/* Takes a word or sign, if it comes next. */
static bool take(rule_text *t, const char *word)
{
    size_t size = strlen(word);
    skip_blanks(t);
    bool found =
            strncmp(t->at, word, size) == 0
            && !(isalnum((unsigned char)word[size - 1]) && isalnum((unsigned char)t->at[size]));
    t->at += found ? size : 0;
    return found;
}

/* A decimal number, not below 0. */
static bool take_number(rule_text *t, double *number)
{
    char *end;
    skip_blanks(t);
    if (!isdigit((unsigned char)t->at[0]) || tolower((unsigned char)t->at[1]) == 'x') {
        return false;
    }
    *number = strtod(t->at, &end);
    t->at = end;
    return *number < 1e9;
}

static bool expect(rule_text *t, const char *expected, bool found)
{
    t->expected = found || t->expected != NULL ? t->expected : expected;
    return found;
}

static bool take_metric(rule_text *t, lab_rule *rule)
{
    static const char *const names[] = {
            [LAB_METRIC_ANIMATION] = "animation.",
            [LAB_METRIC_INTERVAL] = "interval.",
            [LAB_METRIC_FRAME] = "frame.",
    };
    if (take(t, "repeats")) {
        rule->metric = LAB_METRIC_REPEATS;
        return true;
    }
    size_t name = 0;
    while (name < sizeof names / sizeof names[0] && !take(t, names[name])) {
        name += 1;
    }
    if (!expect(t, "repeats, or animation, interval or frame with .mean or .p99",
                name < sizeof names / sizeof names[0])) {
        return false;
    }
    rule->metric = (lab_metric)name;
    if (take(t, "mean")) {
        return true;
    }
    const char *from = t->at;
    double percent = 0.0;
    bool found = *t->at == 'p' && (t->at += 1, take_number(t, &percent)) && percent > 0.0
                 && percent < 100.0;
    t->at = found ? t->at : from;
    rule->percentile = percent / 100.0;
    return expect(t,
            "mean, or a percentile such as p99 or p99.9 (no statement about a maximum is "
            "certain)",
            found);
}

static bool take_limit(rule_text *t, lab_rule *rule)
{
    bool share = rule->metric == LAB_METRIC_REPEATS;
    rule->has_limit = true;
    rule->unit = share ? LAB_LIMIT_SHARE : LAB_LIMIT_MS;
    if (share) {
        rule->limit /= 100.0;
        return expect(t, "%", take(t, "%"));
    }
    if (take(t, "us")) {
        rule->limit /= 1000.0;
        return true;
    }
    if (take(t, "refreshes") || take(t, "refresh")) {
        rule->unit = LAB_LIMIT_REFRESH;
        return true;
    }
    return expect(t, "ms, us or refresh", take(t, "ms"));
}

/* After "<": a limit; or the baseline, with a factor before it or a limit after it. */
static bool take_bound(rule_text *t, lab_rule *rule)
{
    static const char expected[] = "a number, or baseline";
    double number = 0.0;
    rule->factor = 1.0;
    if (take_number(t, &number)) {
        if (!take(t, "*")) {
            rule->limit = number;
            return take_limit(t, rule);
        }
        rule->factor = number;
    }
    rule->compares = true;
    if (!expect(t, number > 0.0 ? "baseline" : expected, take(t, "baseline"))) {
        return false;
    }
    return !take(t, "+")
           || (expect(t, "a number", take_number(t, &rule->limit)) && take_limit(t, rule));
}

bool lab_rule_parse(const char *text, lab_rule *rule, size_t *at, const char **expected)
{
    static const lab_rule empty = {.text = NULL};
    rule_text t = {text, NULL};
    *rule = empty;
    rule->text = text;
    bool ok = take_metric(&t, rule) && expect(&t, "<", take(&t, "<=") || take(&t, "<"))
              && take_bound(&t, rule);
    skip_blanks(&t);
    ok = ok && expect(&t, "the end", *t.at == '\0');
    *at = (size_t)(t.at - text);
    *expected = t.expected;
    return ok;
}

/* --- the machine ------------------------------------------------------------------------------ */

/* In ticks of 10 ms, summed over all cores. */
typedef struct load_sample {
    double total, idle, steal, own;
    int cores;
    bool has_own;
} load_sample;

static const double ticks_per_second = 100.0; /* USER_HZ, as all architectures of Linux have it */
static const double steal_max = 0.02, others_max = 0.5, disturbed_max = 0.01;

/* "cpu  user nice system idle iowait irq softirq steal ...": guest times are within user. */
static bool parse_cpu(const char *line, load_sample *sample)
{
    double fields[8];
    char *end;
    for (size_t i = 0; i < 8; ++i, line = end) {
        fields[i] = strtod(line, &end);
        if (end == line || !(fields[i] >= 0.0)) {
            return false;
        }
        sample->total += fields[i];
    }
    sample->idle = fields[3] + fields[4];
    sample->steal = fields[7];
    return true;
}

/* "PID (name) S ...": utime and stime are fields 14 and 15. A name may have blanks and brackets. */
static bool parse_process(const char *line, load_sample *sample)
{
    const char *at = line + strcspn(line, "\n");
    while (at > line && *at != ')') {
        at -= 1;
    }
    for (int field = 2; field < 14 && *at != '\0' && *at != '\n'; ++field) {
        at += strcspn(at, " \n");
        at += *at == ' ';
    }
    char *end;
    double user = strtod(at, &end);
    double system = strtod(end, &end);
    sample->own += user + system;
    sample->has_own = true;
    return *at != '\0' && *at != '\n' && user >= 0.0 && system >= 0.0;
}

static bool add_span(lab_load *load, const load_sample *a, const load_sample *b)
{
    double wall = b->cores > 0 ? (b->total - a->total) / b->cores : 0.0;
    double steal = b->steal - a->steal;
    bool same = a->has_own && b->has_own && b->own >= a->own; /* of another run: less */
    double own = same ? b->own - a->own : NAN;
    double others = b->total - a->total - (b->idle - a->idle) - steal - own;
    if (wall < 0.0 || a->cores != b->cores) {
        return false;
    }
    bool disturbed = steal > steal_max * wall || others > others_max * (b->cores * wall - own);
    load->cores = b->cores;
    load->seconds += wall / ticks_per_second;
    load->steal += steal / ticks_per_second;
    load->known += isnan(own) ? 0.0 : wall / ticks_per_second;
    load->others += isnan(own) ? 0.0 : others / ticks_per_second;
    load->disturbed += disturbed ? wall / ticks_per_second : 0.0;
    return true;
}

bool lab_load_read(FILE *file, lab_load *load, size_t *line)
{
    static const lab_load none = {0};
    static const load_sample empty = {0};
    load_sample before = empty, sample = empty;
    char text[1024];
    bool begins = true; /* a line, not the rest of a long one */
    *load = none;
    *line = 0;
    while (fgets(text, sizeof text, file) != NULL) {
        bool ok = true;
        *line += begins ? 1 : 0;
        if (begins && strncmp(text, "cpu ", 4) == 0) {
            ok = load->samples < 2 || add_span(load, &before, &sample);
            before = sample;
            sample = empty;
            load->samples += 1;
            ok = ok && parse_cpu(text + 4, &sample);
        } else if (begins && strncmp(text, "cpu", 3) == 0) {
            sample.cores += 1;
        } else if (begins && isdigit((unsigned char)text[0])) {
            ok = parse_process(text, &sample);
        }
        if (!ok) {
            return false;
        }
        begins = strchr(text, '\n') != NULL;
    }
    *line = 0;
    if (load->samples < 2 || !add_span(load, &before, &sample) || load->seconds <= 0.0) {
        return false;
    }
    load->steal /= load->seconds;
    load->others = load->known > 0.0 ? load->others / load->known : NAN;
    load->disturbed /= load->seconds;
    return true;
}

bool lab_load_is_disturbed(const lab_load *load)
{
    return load->disturbed > disturbed_max;
}
