/* SPDX-License-Identifier: Zlib
 *
 * The text of rules.
 */
#include "capture/gate.h"

#include <ctype.h>
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
    static const char *const rates[] = {"repeats", "hitches", "jumps"};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
        if (take(t, rates[i])) {
            rule->metric = (lab_metric)(LAB_METRIC_REPEATS + i);
            return true;
        }
    }
    size_t name = 0;
    while (name < sizeof names / sizeof names[0] && !take(t, names[name])) {
        name += 1;
    }
    if (!expect(t, "repeats, hitches, jumps, or animation, interval or frame with .mean or .p99",
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
    static const struct {
        const char *sign;
        double share;
    } rates[] = {{"%", 100.0}, {"ms/s", 1000.0}, {"/min", 60000.0}};
    rule->has_limit = true;
    rule->unit = LAB_LIMIT_MS;
    if (lab_is_rate(rule->metric)) {
        size_t i = rule->metric - LAB_METRIC_REPEATS;
        rule->unit = (lab_limit_unit)(LAB_LIMIT_SHARE + i);
        rule->limit /= rates[i].share;
        return expect(t, rates[i].sign, take(t, rates[i].sign));
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
    rule_text t = {text, NULL};
    *rule = (lab_rule){.text = NULL};
    rule->text = text;
    bool ok = take_metric(&t, rule) && expect(&t, "<", take(&t, "<=") || take(&t, "<"))
              && take_bound(&t, rule);
    skip_blanks(&t);
    ok = ok && expect(&t, "the end", *t.at == '\0');
    *at = (size_t)(t.at - text);
    *expected = t.expected;
    return ok;
}
