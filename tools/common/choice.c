/* SPDX-License-Identifier: Zlib */
#include "choice.h"

#include <stdlib.h>

const char choice_refresh_text[] =
        "a rate of 1 to 10000 Hz such as 60, 59.94 or 60000/1001, vrr, or a range such as 48-144";
const char choice_tick_rate_text[] = "a rate of 0.1 to 1000000 per second such as 60";
const char choice_queue_text[] = "a queue depth, 1 to 4";
const char choice_cost_text[] = "a duration such as 3ms, 250us or 1.5s; at most 1000s";
const char choice_delay_text[] = "a number of ticks, 0 to 8";
const char choice_cap_text[] = "a rate of 0.1 to 10000 per second such as 30 or 59.94";
const char choice_policy_text[] = "drop, slow, spread, stretch or wait";
const char choice_scenarios_text[] =
        "known scenarios: all, standard, transitions, loads, work, systems, "
        "exam, calls, and names: see `evenstep lab --list`";

/* --- names ------------------------------------------------------------------------------------ */

static const void *loop_at(size_t index)
{
    return lab_loop_at(index);
}

const char *choice_loop_names(void)
{
    static char text[1024];
    return tool_names(text, sizeof text, "known loops: ", loop_at);
}

const char *choice_loops_text(void)
{
    static char text[1200];
    return tool_names(text, sizeof text, "known loops: all, ours, peers, references, ", loop_at);
}

const char *choice_kind_name(lab_loop_kind kind)
{
    static const char *const names[] = {"ours", "peers", "references"};
    return names[kind];
}

/* Adds an item to a list of CHOICE_MAX, unless an item of the same bytes is there. False: the list
 * is full. */
static bool add_once(void *items, size_t *count, const void *item, size_t size)
{
    for (size_t i = 0; i < *count; ++i) {
        if (memcmp((char *)items + i * size, item, size) == 0) {
            return true;
        }
    }
    if (*count == CHOICE_MAX) {
        return false;
    }
    memcpy((char *)items + *count * size, item, size);
    *count += 1;
    return true;
}

/* --- loops and scenarios ---------------------------------------------------------------------- */

static bool parse_loop_item(const char *text, void *loops)
{
    loop_choice *list = loops;
    bool any = false;
    for (size_t i = 0; lab_loop_at(i) != NULL; ++i) {
        const lab_loop *loop = lab_loop_at(i);
        if (strcmp(text, "all") == 0 || strcmp(text, loop->name) == 0
                || strcmp(text, choice_kind_name(loop->kind)) == 0) {
            any = tool_choose(loop_at, loop->name, list->items, &list->count);
        }
    }
    return any;
}

bool choice_parse_loops(const char *text, void *loops)
{
    return tool_parse_list(text, parse_loop_item, loops);
}

bool choice_parse_loop(const char *text, void *const_lab_loop)
{
    const lab_loop *found = lab_loop_find(text);
    *(const lab_loop **)const_lab_loop = found;
    return found != NULL;
}

static void add_scenario(scenario_choice *scenarios, const lab_scenario *scenario)
{
    for (size_t i = 0; i < scenarios->count; ++i) {
        if (strcmp(scenarios->items[i].name, scenario->name) == 0) {
            return;
        }
    }
    if (scenarios->count < CHOICE_MAX) {
        scenarios->items[scenarios->count++] = *scenario;
    }
}

static bool parse_scenario_item(const char *text, void *scenarios)
{
    const lab_scenario_group *group;
    bool any = false;
    for (size_t i = 0; (group = lab_scenario_group_at(i)) != NULL; ++i) {
        bool whole = strcmp(text, "all") == 0 || strcmp(text, group->name) == 0;
        for (size_t k = 0; k < group->count; ++k) {
            if (whole || strcmp(text, group->scenarios[k].name) == 0) {
                add_scenario(scenarios, &group->scenarios[k]);
                any = true;
            }
        }
    }
    return any;
}

bool choice_parse_scenarios(const char *text, void *scenarios)
{
    return tool_parse_list(text, parse_scenario_item, scenarios);
}

bool choice_needs_host(const lab_scenario *scenario)
{
    lab_place place = scenario->incidents[0].place;
    return place == LAB_PLACE_SKIP || place == LAB_PLACE_DOUBLE;
}

bool choice_parse_scenario(const char *text, void *const_lab_scenario)
{
    const lab_scenario *found = lab_scenario_find(text);
    *(const lab_scenario **)const_lab_scenario = found;
    return found != NULL;
}

/* --- rates ------------------------------------------------------------------------------------ */

/* The bounds of lab_display_resolve. */
static bool parse_refresh_rate(const char *text, es_rate *rate)
{
    if (!tool_parse_rate(text, rate)) {
        return false;
    }
    int64_t period_ns = rate_period_ns(*rate);
    return period_ns >= ES_NS_PER_S / 10000 && period_ns <= ES_NS_PER_S;
}

bool choice_parse_refresh(const char *text, void *one_refresh)
{
    refresh parsed;
    char low[64];
    const char *high = tool_split(strcmp(text, "vrr") == 0 ? "48-144" : text, "-", low);
    memset(&parsed, 0, sizeof parsed); /* its padding, too: add_once compares bytes */
    parsed.variable = high != NULL;
    bool valid = high == NULL ? parse_refresh_rate(text, &parsed.rate)
                              : parse_refresh_rate(low, &parsed.min)
                                        && parse_refresh_rate(high, &parsed.max)
                                        && rate_period_ns(parsed.min) >= rate_period_ns(parsed.max);
    memcpy(one_refresh, &parsed, sizeof parsed);
    return valid;
}

static bool parse_refresh_item(const char *text, void *refreshes)
{
    refresh_choice *list = refreshes;
    refresh parsed;
    return choice_parse_refresh(text, &parsed)
           && add_once(list->items, &list->count, &parsed, sizeof parsed);
}

bool choice_parse_refreshes(const char *text, void *refreshes)
{
    return tool_parse_list(text, parse_refresh_item, refreshes);
}

char *choice_format_refresh(char *buffer, const refresh *chosen)
{
    enum { BUFFER_SIZE = 80 };
    char low[32];
    char high[32];
    if (!chosen->variable) {
        return tool_format_rate(buffer, chosen->rate);
    }
    snprintf(buffer, BUFFER_SIZE, "%s-%s", tool_format_rate(low, chosen->min),
            tool_format_rate(high, chosen->max));
    return buffer;
}

void choice_set_refresh(lab_display *display, const refresh *chosen)
{
    display->refresh = chosen->variable ? LAB_REFRESH_VARIABLE : LAB_REFRESH_FIXED;
    display->rate = chosen->rate;
    display->rate_min = chosen->min;
    display->rate_max = chosen->max;
    display->announced = display->nominal = (es_rate){0, 0}; /* derived */
}

/* The bounds of lab_machine_init. */
bool choice_parse_tick_rate(const char *text, void *rate)
{
    if (!tool_parse_rate(text, rate)) {
        return false;
    }
    int64_t period_ns = rate_period_ns(*(es_rate *)rate);
    return period_ns >= ES_NS_PER_US && period_ns <= 10 * ES_NS_PER_S;
}

static bool parse_tick_rate_item(const char *text, void *rates)
{
    rate_choice *list = rates;
    es_rate parsed;
    return choice_parse_tick_rate(text, &parsed)
           && add_once(list->items, &list->count, &parsed, sizeof parsed);
}

bool choice_parse_tick_rates(const char *text, void *rates)
{
    return tool_parse_list(text, parse_tick_rate_item, rates);
}

/* The bound of lab_scenario_validate. */
bool choice_parse_cost(const char *text, void *int64_ns)
{
    return tool_parse_duration(text, int64_ns) && *(int64_t *)int64_ns <= 1000 * ES_NS_PER_S;
}

bool choice_parse_delay(const char *text, void *real)
{
    char *end;
    double ticks = strtod(text, &end);
    *(double *)real = ticks;
    return end != text && *end == '\0' && ticks >= 0.0 && ticks <= 8.0;
}

bool choice_parse_cap(const char *text, void *int64_interval_ns)
{
    es_rate rate;
    int64_t period_ns = tool_parse_rate(text, &rate) ? rate_period_ns(rate) : 0;
    *(int64_t *)int64_interval_ns = period_ns;
    return period_ns >= ES_NS_PER_S / 10000 && period_ns <= 10 * ES_NS_PER_S;
}

void choice_add_cap(char *text, size_t size, int64_t cap_ns)
{
    if (cap_ns > 0) {
        tool_append(text, size, "", "; cap %.5g fps", 1e9 / (double)cap_ns);
    }
}

json_t *choice_cap_json(int64_t cap_ns)
{
    return cap_ns > 0 ? tool_json_rounded(1e9 / (double)cap_ns, 3) : json_null();
}

/* --- small numbers and names ------------------------------------------------------------------ */

bool choice_parse_queue(const char *text, void *int32)
{
    return tool_parse_count(text, int32) && *(int32_t *)int32 >= 1
           && *(int32_t *)int32 <= LAB_QUEUE_MAX;
}

static bool parse_queue_item(const char *text, void *queues)
{
    queue_choice *list = queues;
    int32_t parsed;
    return choice_parse_queue(text, &parsed)
           && add_once(list->items, &list->count, &parsed, sizeof parsed);
}

bool choice_parse_queues(const char *text, void *queues)
{
    return tool_parse_list(text, parse_queue_item, queues);
}

static bool parse_name_item(const char *text, void *choice)
{
    name_choice *list = choice;
    int32_t found = 0;
    while (list->names[found] != NULL && strcmp(list->names[found], text) != 0) {
        found += 1;
    }
    return list->names[found] != NULL && add_once(list->items, &list->count, &found, sizeof found);
}

bool choice_parse_names(const char *text, void *choice)
{
    return tool_parse_list(text, parse_name_item, choice);
}

lab_scenario choice_costs(const program_costs *program)
{
    lab_scenario scenario = program->exact ? lab_scenario_exact() : lab_scenario_plain();
    scenario.update = scenario.render = scenario.render_variable = (lab_cost){0};
    scenario.update.base = (double)program->update_ns;
    scenario.render.base = (double)program->render_ns;
    scenario.render.spike_share = program->spikes.share;
    scenario.render.spike_factor = program->spikes.factor;
    if (program->late_ns > 0) {
        scenario.wake = (lab_lateness){.delays = {{1.0, 0, program->late_ns, 0}}};
    }
    return scenario;
}

int64_t choice_warm_up_ns(int64_t duration_ns)
{
    int64_t fifth_ns = duration_ns / 5;
    return fifth_ns < 2 * ES_NS_PER_S ? fifth_ns : 2 * ES_NS_PER_S;
}

const char *choice_policy_name(int policy)
{
    static const char *const names[] = {
            [ES_CATCH_UP_DROP] = "drop",
            [ES_CATCH_UP_SLOW] = "slow",
            [ES_CATCH_UP_SPREAD] = "spread",
            [ES_CATCH_UP_STRETCH] = "stretch",
            [ES_CATCH_UP_WAIT] = "wait",
    };
    return policy >= 0 && policy <= ES_CATCH_UP_WAIT ? names[policy] : NULL;
}

bool choice_parse_policy(const char *text, void *es_catch_up_or_minus_one)
{
    for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
        if (strcmp(text, choice_policy_name(policy)) == 0) {
            *(int *)es_catch_up_or_minus_one = policy;
            return true;
        }
    }
    return false;
}

/* --- captures --------------------------------------------------------------------------------- */
