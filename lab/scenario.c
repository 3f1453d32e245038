/* SPDX-License-Identifier: Zlib */
#include "lab/scenario.h"

lab_scenario lab_scenario_exact(void)
{
    return (lab_scenario){.name = "exact", .title = "no cost, no noise"};
}

bool lab_scenario_has_event(const lab_scenario *scenario)
{
    return scenario->incidents[0].place != LAB_PLACE_NONE || scenario->changes[0].at > 0.0
           || scenario->render.surge > 0.0;
}

void lab_scenario_set_tick_cost(lab_scenario *scenario, double percent)
{
    scenario->update =
            (lab_cost){.base = percent / 100.0, .unit = LAB_UNIT_REFRESH, .low = 0.8, .high = 1.2};
}

/* --- validation ------------------------------------------------------------------------------- */

/* No single cost or delay is longer: sums over a run stay far from the ends of int64. */
#define LONGEST_NS (1000 * ES_NS_PER_S)

static bool within(int64_t ns)
{
    return ns >= 0 && ns <= LONGEST_NS;
}

/* Written so that NaN fails. */
static bool between(double value, double low, double high)
{
    return value >= low && value <= high;
}

static bool cost_is_valid(const lab_cost *cost)
{
    bool unit = cost->unit >= LAB_UNIT_NS && cost->unit <= LAB_UNIT_TICK;
    double base_max = cost->unit == LAB_UNIT_NS ? (double)LONGEST_NS : 1000.0;
    bool tail = cost->pareto_tail == 0.0 || between(cost->pareto_tail, 0.1, 1e6);
    bool spike = between(cost->spike_share, 0.0, 1.0) && between(cost->spike_factor, 0.0, 1e6);
    bool valid = unit && tail && spike && between(cost->base, 0.0, base_max)
                 && between(cost->low, 0.0, 1000.0) && between(cost->high, cost->low, 1000.0)
                 && between(cost->wave_to, 0.0, 1000.0) && cost->wave >= LAB_WAVE_RAMP
                 && cost->wave <= LAB_WAVE_ALTERNATE && within(cost->wave_ns)
                 && between(cost->surge, 0.0, 1000.0) && between(cost->surge_from, 0.0, 1.0)
                 && between(cost->surge_to, 0.0, 1.0) && within(cost->base_max_ns)
                 && within(cost->max_ns) && (cost->trace_count == 0 || cost->trace_ns != NULL)
                 && (cost->at_count == 0 || cost->at != NULL);
    for (size_t i = 0; valid && i < cost->trace_count; ++i) {
        valid = within(cost->trace_ns[i]);
    }
    for (size_t i = 0; valid && i < cost->at_count; ++i) {
        valid = within(cost->at[i].cost_ns);
    }
    return valid;
}

static bool lateness_is_valid(const lab_lateness *lateness)
{
    if (lateness->quantiles_ns != NULL && lateness->quantile_count < 2) {
        return false;
    }
    for (int i = 0; i < LAB_DELAYS; ++i) {
        const lab_delay *delay = &lateness->delays[i];
        if (!between(delay->share, 0.0, 1.0) || !within(delay->low_ns) || !within(delay->high_ns)
                || delay->high_ns < delay->low_ns || !within(delay->mean_ns)) {
            return false;
        }
    }
    return true;
}

static bool clock_is_valid(const lab_clock_model *clock)
{
    double before = 0.0;
    for (int i = 0; i < LAB_FAULTS && clock->faults[i].kind != LAB_FAULT_NONE; ++i) {
        const lab_fault *fault = &clock->faults[i];
        if (fault->kind < LAB_FAULT_NONE || fault->kind > LAB_FAULT_SUSPEND
                || !between(fault->at, before, 1.0) || !within(fault->amount_ns)) {
            return false;
        }
        before = fault->at;
    }
    return clock->skew_ppm >= -100000 && clock->skew_ppm <= 100000 && clock->noise_ns >= 0
           && clock->noise_ns <= ES_NS_PER_MS && clock->read_ns >= 0
           && clock->read_ns <= ES_NS_PER_MS && clock->grain_ns >= 0
           && clock->grain_ns <= ES_NS_PER_S;
}

static bool incidents_are_valid(const lab_scenario *scenario)
{
    double before = 0.0;
    for (int i = 0; i < LAB_INCIDENTS && scenario->incidents[i].place != LAB_PLACE_NONE; ++i) {
        const lab_incident *incident = &scenario->incidents[i];
        if (incident->place < LAB_PLACE_NONE || incident->place > LAB_PLACE_DOUBLE
                || !between(incident->at, before, 1.0) || incident->frames < 0
                || !within(incident->ns)) {
            return false;
        }
        before = incident->at;
    }
    return true;
}

static bool changes_are_valid(const lab_scenario *scenario)
{
    double before = 0.0;
    for (int i = 0; i < LAB_CHANGES && scenario->changes[i].at != 0.0; ++i) {
        if (!between(scenario->changes[i].at, before, 1.0)) {
            return false;
        }
        before = scenario->changes[i].at;
    }
    return true;
}

es_result lab_scenario_validate(const lab_scenario *scenario, lab_refusal *error)
{
    static const char cost[] = "a number is out of its range, or an array is missing";
    static const char late[] = "shares must be 0 to 1, times 0 to 1000 s, low at most high";
    static const char order[] = "shares 0 to 1 in order, times 0 to 1000 s";
    const lab_preemption *preemption = &scenario->preemption;
    bool rare = preemption->mean_ns == 0 || preemption->mean_ns >= ES_NS_PER_MS;
    const lab_requirement rules[] = {{cost_is_valid(&scenario->update), "update", cost},
            {cost_is_valid(&scenario->render), "render", cost},
            {cost_is_valid(&scenario->render_variable), "render_variable", cost},
            {cost_is_valid(&scenario->gpu), "gpu", cost},
            {lateness_is_valid(&scenario->wake), "wake", late},
            {lateness_is_valid(&scenario->sleep), "sleep", late},
            {lateness_is_valid(&scenario->worker_sleep), "worker_sleep", late},
            {clock_is_valid(&scenario->clock), "clock",
                    "skew up to 10 %, noise and reading up to 1 ms, grain up to 1 s, faults in "
                    "order"},
            {incidents_are_valid(scenario), "incidents", order},
            {changes_are_valid(scenario), "changes", "shares 0 to 1 in order"},
            {rare && within(preemption->mean_ns) && preemption->low_ns >= 0
                            && preemption->high_ns >= preemption->low_ns
                            && preemption->high_ns <= 10 * ES_NS_PER_S,
                    "preemption", "mean 1 ms to 1000 s, low to high up to 10 s"}};
    return lab_check(rules, sizeof rules / sizeof rules[0], error);
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* The median by bisection: no memory is needed. The trace is not empty. */
static int64_t median_of(const int64_t *values, size_t count)
{
    int64_t low = 0;
    int64_t high = LONGEST_NS;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        size_t at_most = 0;
        for (size_t i = 0; i < count; ++i) {
            at_most += values[i] <= middle;
        }
        if (at_most * 2 >= count) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Where in the measured part of the run an instant is. */
static double share_at(const lab_pricer *pricer, int64_t at_ns)
{
    return (double)(at_ns - pricer->from_ns) / (double)(pricer->to_ns - pricer->from_ns);
}

static double surge_at(const lab_pricer *pricer, int64_t at_ns)
{
    double share = share_at(pricer, at_ns);
    bool is_on = share >= pricer->cost.surge_from && share < pricer->cost.surge_to;
    return is_on ? pricer->cost.surge : 1.0;
}

/* One random value per half period, and a straight line between two. */
static double wander_at(const lab_pricer *pricer, double periods)
{
    uint64_t key = pricer->key ^ (uint64_t)LAB_WAVE_WANDER;
    uint64_t half = (uint64_t)(2.0 * periods);
    double passed = 2.0 * periods - (double)half;
    double from = lab_random_uniform(key, half);
    return from + passed * (lab_random_uniform(key, half + 1) - from);
}

/* How far the wave is from 1, towards wave_to: 0 to 1. index: of the frame or tick. */
static double wave_level(const lab_pricer *pricer, int64_t index, int64_t at_ns)
{
    const lab_cost *cost = &pricer->cost;
    double periods = share_at(pricer, at_ns);
    if (cost->wave == LAB_WAVE_ALTERNATE) {
        return (double)(index % 2);
    }
    if (cost->wave_ns > 0) {
        periods = (double)(at_ns - pricer->from_ns) / (double)cost->wave_ns;
    } else if (periods > 1.0) {
        return 0.0;
    }
    if (periods < 0.0) {
        return 0.0;
    }
    double share = periods - (double)(int64_t)periods;
    double up = share < 0.5 ? 2.0 * share : 2.0 * (1.0 - share);
    switch (cost->wave) {
    case LAB_WAVE_SMOOTH:
        return up < 0.5 ? 2.0 * up * up : 1.0 - 2.0 * (1.0 - up) * (1.0 - up);
    case LAB_WAVE_SAWTOOTH:
        return share;
    case LAB_WAVE_SQUARE:
        return share < 0.5 ? 0.0 : 1.0;
    case LAB_WAVE_WANDER:
        return wander_at(pricer, periods);
    default:
        return up;
    }
}

static double wave_at(const lab_pricer *pricer, int64_t index, int64_t at_ns)
{
    return 1.0 + (pricer->cost.wave_to - 1.0) * wave_level(pricer, index, at_ns);
}

static int64_t rounded(double ns, int64_t max_ns)
{
    double limit = (double)(max_ns > 0 ? max_ns : LONGEST_NS);
    return (int64_t)((ns < limit ? ns : limit) + 0.5);
}

/* Waves and surges aside: they depend on the instant. */
static double typical(const lab_pricer *pricer)
{
    const lab_cost *cost = &pricer->cost;
    double ns = pricer->base_ns;
    if (cost->trace_count > 0) {
        ns = (double)median_of(cost->trace_ns, cost->trace_count);
    }
    ns *= 0.5 * (cost->low + cost->high);
    if (cost->pareto_tail > 0.0) {
        ns *= lab_exp(lab_log(2.0) / cost->pareto_tail);
    }
    return ns;
}

lab_pricer lab_pricer_make(const lab_cost *cost, const lab_scale *scale, lab_stream stream)
{
    lab_pricer pricer = {0};
    pricer.cost = *cost;
    pricer.from_ns = scale->from_ns;
    pricer.to_ns = scale->to_ns;
    pricer.key = lab_random_key(scale->seed, stream);
    pricer.base_ns = cost->base;
    if (cost->unit == LAB_UNIT_REFRESH) {
        pricer.base_ns *= (double)scale->refresh_ns;
    } else if (cost->unit == LAB_UNIT_TICK) {
        pricer.base_ns *= (double)scale->tick_ns;
    }
    if (cost->base_max_ns > 0 && pricer.base_ns > (double)cost->base_max_ns) {
        pricer.base_ns = (double)cost->base_max_ns;
    }
    if (pricer.cost.low == 0.0 && pricer.cost.high == 0.0) {
        pricer.cost.low = 1.0;
        pricer.cost.high = 1.0;
    }
    pricer.typical_ns = typical(&pricer);
    return pricer;
}

int64_t lab_pricer_draw_ns(const lab_pricer *pricer, int64_t index, int64_t at_ns)
{
    const lab_cost *cost = &pricer->cost;
    for (size_t i = cost->at_count; i > 0; --i) {
        if (cost->at[i - 1].index == index) {
            return cost->at[i - 1].cost_ns;
        }
    }
    double ns = pricer->base_ns;
    if (cost->trace_count > 0) {
        ns = (double)cost->trace_ns[(uint64_t)index % cost->trace_count];
    }
    uint64_t draw = (uint64_t)index * LAB_DRAWS;
    if (cost->high > cost->low) {
        double u = lab_random_uniform(pricer->key, draw);
        ns *= cost->low + (cost->high - cost->low) * u;
    } else {
        ns *= cost->low;
    }
    if (cost->wave_to > 0.0) {
        ns *= wave_at(pricer, index, at_ns);
    }
    if (cost->surge > 0.0) {
        ns *= surge_at(pricer, at_ns);
    }
    if (cost->pareto_tail > 0.0) {
        ns *= lab_random_pareto(pricer->key, draw + 1, cost->pareto_tail);
    }
    if (cost->spike_share > 0.0 && lab_random_uniform(pricer->key, draw + 2) < cost->spike_share) {
        ns *= cost->spike_factor;
    }
    return rounded(ns, cost->max_ns);
}

int64_t lab_pricer_typical_ns(const lab_pricer *pricer, int64_t at_ns)
{
    double ns = pricer->typical_ns;
    if (pricer->cost.wave_to > 0.0) {
        ns *= wave_at(pricer, 0, at_ns);
    }
    if (pricer->cost.surge > 0.0) {
        ns *= surge_at(pricer, at_ns);
    }
    return rounded(ns, pricer->cost.max_ns);
}

/* u: uniform in [0, 1), decides how long the uniform part is. */
static double delay_ns(const lab_delay *delay, double u, uint64_t key, uint64_t draw)
{
    double ns = 0.0;
    if (delay->high_ns > delay->low_ns) {
        ns = (double)(delay->high_ns - delay->low_ns) * u;
    }
    ns += (double)delay->low_ns;
    if (delay->mean_ns > 0) {
        ns += (double)delay->mean_ns * lab_random_exponential(key, draw);
    }
    return ns;
}

static double one_delay_ns(const lab_lateness *lateness, uint64_t key, uint64_t draw)
{
    const lab_delay *delay = lateness->delays;
    const lab_delay *end = delay + LAB_DELAYS;
    double u = lab_random_uniform(key, draw);
    double rest = 1.0;
    while (delay + 1 < end && delay[1].share > 0.0 && u >= delay->share) {
        u -= delay->share;
        rest -= delay->share;
        ++delay;
    }
    bool is_last = delay + 1 == end || delay[1].share <= 0.0;
    return delay_ns(delay, u / (is_last ? rest : delay->share), key, draw + 1);
}

/* Between two recorded quantiles. */
static int64_t recorded_ns(const lab_lateness *lateness, double u)
{
    double place = u * (double)(lateness->quantile_count - 1);
    size_t below = (size_t)place;
    double low = (double)lateness->quantiles_ns[below];
    double high = (double)lateness->quantiles_ns[below + 1];
    return (int64_t)(low + (place - (double)below) * (high - low) + 0.5);
}

int64_t lab_lateness_draw_ns(const lab_lateness *lateness, uint64_t key, int64_t index)
{
    double ns = 0.0;
    uint64_t draw = (uint64_t)index * LAB_DRAWS;
    if (lateness->quantiles_ns != NULL) {
        return recorded_ns(lateness, lab_random_uniform(key, draw));
    }
    if (lateness->one_of) {
        return (int64_t)(one_delay_ns(lateness, key, draw) + 0.5);
    }
    for (int i = 0; i < LAB_DELAYS && lateness->delays[i].share > 0.0; ++i, draw += 2) {
        const lab_delay *delay = &lateness->delays[i];
        double u = 0.0;
        if (delay->share < 1.0 || delay->high_ns > delay->low_ns) {
            u = lab_random_uniform(key, draw);
        }
        if (u < delay->share) {
            ns += delay_ns(delay, u / delay->share, key, draw + 1);
        }
    }
    return (int64_t)(ns + 0.5);
}
