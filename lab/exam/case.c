/* SPDX-License-Identifier: Zlib */
#include "lab/exam/exam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS ES_NS_PER_MS

/* --- genes ------------------------------------------------------------------------------------ */

enum { VALUES = 13 };

/* share: of random cases, those in which the gene is not plain. */
typedef struct gene {
    const char *name;
    double share;
    const char *values[VALUES];
} gene;

/* A table. Numbers are in the units of exam_setup. */
/* clang-format off */
static const gene genes[EXAM_GENES] = {
    [EXAM_LOOP] = {"loop", 0.3, {"auto", "low-latency", "adaptive", "variable", "decoupled", "lockstep", "max-frameskip"}},
    [EXAM_FORM] = {"form", 0.3, {"usual", "first", "wait", "stepped"}},
    [EXAM_STEP] = {"step", 0.15, {"fixed", "variable"}},
    [EXAM_TICKS] = {"ticks", 0.6, {"60", "10", "20", "30", "50", "120", "240"}},
    [EXAM_TICK_MS] = {"tick", 0.4, {"0.1", "0", "0.6", "2", "4", "8"}},
    [EXAM_CAP] = {"cap", 0.3, {"none", "24", "30", "40", "58", "60", "72", "100", "138"}},
    [EXAM_REFRESH] = {"refresh", 0.7, {"60", "50", "75", "90", "120", "144", "165", "240", "vrr", "vrr-240"}},
    [EXAM_KNOWS] = {"knows", 0.6, {"nothing", "rate", "feedback", "both", "wrong"}},
    [EXAM_QUEUE] = {"queue", 0.6, {"2", "1", "3", "4"}},
    [EXAM_ACCESS] = {"access", 0.5, {"after", "before", "acquire", "mailbox", "host", "host-1ms", "host-late"}},
    [EXAM_SCREEN] = {"screen", 0.3, {"exact", "jitter", "1ms", "late", "leader", "latch"}},
    [EXAM_CHANGE] = {"change", 0.3, {"none", "queue", "delay", "rates", "off-on", "hidden", "variable"}},
    [EXAM_WORK] = {"work", 0.8, {"25", "10", "50", "80", "95", "110", "120", "135", "150", "200"}},
    [EXAM_ON] = {"on", 0.25, {"cpu", "gpu"}},
    [EXAM_NOISE] = {"noise", 0.6, {"5", "0", "2", "20", "40"}},
    [EXAM_WAVE] = {"wave", 0.4, {"none", "ramp", "smooth", "sawtooth", "square", "wander", "alternate"}},
    [EXAM_TO] = {"to", 0.8, {"130", "30", "60", "90", "110", "200"}},
    [EXAM_PERIOD] = {"period", 0.8, {"3", "0.7", "1", "8", "20"}},
    [EXAM_TAIL] = {"tail", 0.2, {"none", "spikes", "pareto"}},
    [EXAM_PAUSES] = {"pauses", 0.2, {"none", "8-12", "50-100", "1-20"}},
    [EXAM_EVENT] = {"event", 0.3, {"none", "first-tick", "first-draw", "block-3", "block-0.8", "draw-0.3", "tick-1", "loading"}},
    [EXAM_LATE] = {"late", 0.6, {"0.04", "0", "0.3", "1", "3", "desktop", "idle", "busy"}},
    [EXAM_CLOCK] = {"clock", 0.2, {"exact", "1ms", "15.6ms", "jump", "still", "back", "suspend"}},
    [EXAM_FROM] = {"from", 0.3, {"2", "0"}},
    [EXAM_CATCH_UP] = {"catch_up", 0.2, {"drop", "slow", "spread", "stretch", "wait"}},
    [EXAM_SET] = {"set", 0.2, {"none", "ticks-2", "ticks-1000", "most-50", "lead", "lead-less", "delay", "below-one", "hold-never", "gap-0.3", "match", "interval-30"}},
    [EXAM_CALLS] = {"calls", 0.2, {"none", "no-end", "acquired", "idle", "second", "pause", "step", "slow", "fast", "hide", "seek", "resync", "configure"}},
    [EXAM_TIMES] = {"times", 0.5, {"exact", "noisy", "late", "wrong", "stops", "discards"}},
    [EXAM_TARGETS] = {"targets", 0.3, {"none", "exact", "late", "deadline", "rounded", "ignored", "lying", "counts"}},
};
/* clang-format on */

#include "lab/exam/recorded_table.inc.h"

static int value_count(int g)
{
    int count = 0;
    while (count < VALUES && genes[g].values[count] != NULL) {
        count += 1;
    }
    return count;
}

const char *exam_gene_name(int g)
{
    return g >= 0 && g < EXAM_GENES ? genes[g].name : NULL;
}

const char *exam_gene_value(int g, int value)
{
    return value >= 0 && value < value_count(g) ? genes[g].values[value] : NULL;
}

static const char *value_of(const exam_case *c, int g)
{
    return genes[g].values[c->genes[g]];
}

static bool has(const exam_case *c, int g, const char *value)
{
    return strcmp(value_of(c, g), value) == 0;
}

static double number_of(const exam_case *c, int g)
{
    return strtod(value_of(c, g), NULL);
}

static bool begins(const exam_case *c, int g, const char *head)
{
    return strncmp(value_of(c, g), head, strlen(head)) == 0;
}

/* --- what goes together ----------------------------------------------------------------------- */

static bool is_variable(const exam_case *c)
{
    return begins(c, EXAM_REFRESH, "vrr");
}

static bool is_host(const exam_case *c)
{
    return begins(c, EXAM_ACCESS, "host");
}

static void plain(exam_case *c, int g, bool meaningless)
{
    c->genes[g] = meaningless ? 0 : c->genes[g];
}

void exam_normalize(exam_case *c)
{
    bool vrr = is_variable(c);
    bool steps = has(c, EXAM_LOOP, "auto") || has(c, EXAM_LOOP, "low-latency");
    plain(c, EXAM_STEP, !steps);
    plain(c, EXAM_ACCESS, vrr && (is_host(c) || has(c, EXAM_ACCESS, "mailbox")));
    bool takes_host = has(c, EXAM_LOOP, "auto") || has(c, EXAM_LOOP, "variable")
                      || has(c, EXAM_LOOP, "decoupled");
    plain(c, EXAM_ACCESS, is_host(c) && !takes_host);
    bool replaces = is_host(c) || has(c, EXAM_ACCESS, "mailbox");
    plain(c, EXAM_FORM, is_host(c) || has(c, EXAM_FORM, steps ? "first" : "stepped"));
    plain(c, EXAM_WAVE, has(c, EXAM_TO, value_of(c, EXAM_WORK)));
    plain(c, EXAM_SCREEN, vrr);
    plain(c, EXAM_CHANGE, vrr && !has(c, EXAM_CHANGE, "queue") && !has(c, EXAM_CHANGE, "hidden"));
    plain(c, EXAM_CHANGE, replaces && has(c, EXAM_CHANGE, "queue"));
    plain(c, EXAM_CHANGE, has(c, EXAM_ACCESS, "mailbox") && has(c, EXAM_CHANGE, "variable"));
    plain(c, EXAM_SCREEN, replaces && has(c, EXAM_SCREEN, "leader"));
    plain(c, EXAM_KNOWS, vrr && has(c, EXAM_KNOWS, "wrong"));
    plain(c, EXAM_TO, has(c, EXAM_WAVE, "none"));
    plain(c, EXAM_TIMES, !has(c, EXAM_KNOWS, "feedback") && !has(c, EXAM_KNOWS, "both"));
    plain(c, EXAM_TARGETS, !steps || replaces);
    plain(c, EXAM_TARGETS, has(c, EXAM_TARGETS, "counts") && vrr);
    bool seen = has(c, EXAM_KNOWS, "feedback") || has(c, EXAM_KNOWS, "both");
    plain(c, EXAM_TARGETS, !has(c, EXAM_TARGETS, "counts") && !seen);
    plain(c, EXAM_CALLS, has(c, EXAM_CALLS, "acquired") && is_host(c));
    bool stepped = has(c, EXAM_FORM, "stepped") || (!steps && has(c, EXAM_FORM, "usual"));
    plain(c, EXAM_CALLS, has(c, EXAM_CALLS, "no-end") && stepped && !is_host(c));
    bool varies = has(c, EXAM_STEP, "variable") || has(c, EXAM_LOOP, "variable");
    bool lockstep = has(c, EXAM_LOOP, "lockstep");
    plain(c, EXAM_CATCH_UP, lockstep || (varies && !has(c, EXAM_CATCH_UP, "wait")));
    bool automatic = has(c, EXAM_SET, "match") || has(c, EXAM_SET, "hold-never");
    bool timing = has(c, EXAM_SET, "hold-never") || has(c, EXAM_SET, "gap-0.3")
                  || has(c, EXAM_SET, "interval-30");
    plain(c, EXAM_SET, automatic && !steps);
    bool fixed = !steps && !has(c, EXAM_LOOP, "adaptive");
    plain(c, EXAM_SET, has(c, EXAM_SET, "interval-30") && (fixed || !has(c, EXAM_CAP, "none")));
    plain(c, EXAM_SET, (varies || lockstep) && !timing);
    plain(c, EXAM_PERIOD, has(c, EXAM_WAVE, "none") || has(c, EXAM_WAVE, "alternate"));
    if (begins(c, EXAM_EVENT, "first")) {
        c->genes[EXAM_FROM] = 1;
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

static uint8_t draw_gene(int g, uint64_t key, uint64_t index)
{
    double u = lab_random_uniform(key, index);
    double share = genes[g].share;
    int others = value_count(g) - 1;
    return u < share ? (uint8_t)(1 + (int)(u / share * others)) : 0;
}

enum { DRAWS = 64 }; /* of a case: a new gene changes no other */

exam_case exam_draw(uint64_t seed, uint64_t index)
{
    uint64_t key = lab_random_key(seed, LAB_STREAM_MACHINE);
    exam_case c = {.seed = (uint32_t)lab_random_bits(key + 1, index)};
    for (int g = 0; g < EXAM_GENES; ++g) {
        c.genes[g] = draw_gene(g, key, index * DRAWS + (uint64_t)g);
    }
    exam_normalize(&c);
    return c;
}

exam_case exam_mutate(const exam_case *c, uint64_t key, uint64_t index)
{
    exam_case next = *c;
    uint64_t draw = index * 16;
    int changes = 1 + (int)(3.0 * lab_random_uniform(key, draw));
    for (int i = 1; i <= changes; ++i) {
        int g = (int)(EXAM_GENES * lab_random_uniform(key, draw + (uint64_t)i));
        double u = lab_random_uniform(key, draw + 8 + (uint64_t)i);
        next.genes[g] = (uint8_t)(u * value_count(g));
    }
    if (lab_random_uniform(key, draw + 7) < 0.2) {
        next.seed = (uint32_t)lab_random_bits(key + 1, index);
    }
    exam_normalize(&next);
    return next;
}

/* --- text ------------------------------------------------------------------------------------- */

char *exam_text(const exam_case *c, char *text)
{
    size_t used = 0;
    for (int g = 0; g < EXAM_GENES; ++g) {
        if (c->genes[g] != 0) {
            used += (size_t)snprintf(
                    text + used, EXAM_TEXT - used, "%s=%s ", genes[g].name, value_of(c, g));
        }
    }
    snprintf(text + used, EXAM_TEXT - used, "seed=%u", (unsigned)c->seed);
    return text;
}

/* A word: name=value. */
static bool parse_word(const char *word, size_t size, exam_case *c)
{
    if (size > 5 && size < 16 && strncmp(word, "seed=", 5) == 0) {
        char *end;
        unsigned long long seed = strtoull(word + 5, &end, 10);
        c->seed = (uint32_t)seed;
        return end == word + size && word[5] >= '0' && word[5] <= '9' && seed <= UINT32_MAX;
    }
    for (int g = 0; g < EXAM_GENES; ++g) {
        size_t length = strlen(genes[g].name);
        for (int v = 0; v < value_count(g); ++v) {
            const char *value = genes[g].values[v];
            if (size == length + 1 + strlen(value) && strncmp(word, genes[g].name, length) == 0
                    && word[length] == '='
                    && strncmp(word + length + 1, value, strlen(value)) == 0) {
                c->genes[g] = (uint8_t)v;
                return true;
            }
        }
    }
    return false;
}

bool exam_parse(const char *text, exam_case *c, const char **word)
{
    *c = (exam_case){.seed = 1};
    for (const char *at = text + strspn(text, " "); *at != '\0';) {
        size_t size = strcspn(at, " ");
        if (!parse_word(at, size, c)) {
            if (word != NULL) {
                *word = at;
            }
            return false;
        }
        at += size;
        at += strspn(at, " ");
    }
    exam_normalize(c);
    return true;
}

/* --- the machine ------------------------------------------------------------------------------ */

static void set_display(const exam_case *c, lab_display *d)
{
    static const lab_blocking blocking[] = {LAB_BLOCK_AFTER_QUEUE, LAB_BLOCK_BEFORE_QUEUE,
            LAB_BLOCK_AT_ACQUIRE, LAB_BLOCK_AFTER_QUEUE};
    static const lab_host hosts[] = {LAB_HOST_EXACT, LAB_HOST_1MS, LAB_HOST_LATE};
    int access = c->genes[EXAM_ACCESS];
    bool knows_rate = has(c, EXAM_KNOWS, "rate") || has(c, EXAM_KNOWS, "both");
    if (is_variable(c)) {
        d->refresh = LAB_REFRESH_VARIABLE;
        d->rate_max = es_hz(has(c, EXAM_REFRESH, "vrr-240") ? 240 : 144);
    } else {
        d->rate = es_hz(number_of(c, EXAM_REFRESH));
    }
    d->swap = has(c, EXAM_ACCESS, "mailbox") ? LAB_SWAP_MAILBOX : LAB_SWAP_FIFO;
    d->blocking = access < 4 ? blocking[access] : LAB_BLOCK_AFTER_QUEUE;
    d->host = access < 4 ? LAB_HOST_NONE : hosts[access - 4];
    d->queue = (int32_t)number_of(c, EXAM_QUEUE);
    d->unannounced = !knows_rate && !has(c, EXAM_KNOWS, "wrong");
    d->announced =
            has(c, EXAM_KNOWS, "wrong") ? es_hz(0.8 * number_of(c, EXAM_REFRESH)) : d->announced;
    d->feedback = has(c, EXAM_KNOWS, "feedback") || has(c, EXAM_KNOWS, "both") ? LAB_FEEDBACK_EXACT
                                                                               : LAB_FEEDBACK_NONE;
    if (d->feedback != LAB_FEEDBACK_NONE) {
        d->feedback = (lab_feedback)(LAB_FEEDBACK_EXACT + c->genes[EXAM_TIMES]);
        d->feedback_noise_ns = 300 * ES_NS_PER_US;
        d->feedback_late_frames = 2;
        d->feedback_stop_ns = 10 * ES_NS_PER_S;
    }
    d->jitter_ns = has(c, EXAM_SCREEN, "jitter") ? 300 * ES_NS_PER_US : 0;
    d->grain_ns = has(c, EXAM_SCREEN, "1ms") ? MS : 0;
    d->late_share = has(c, EXAM_SCREEN, "late") ? 0.01 : 0.0;
    d->leader =
            has(c, EXAM_SCREEN, "leader") ? es_hz(d->rate.numerator == 60 ? 75 : 60) : d->leader;
    d->latch_ns = has(c, EXAM_SCREEN, "latch") ? 2 * MS : 0;
    d->targets = (lab_targets)c->genes[EXAM_TARGETS];
}

static void set_change(const exam_case *c, lab_screen_change changes[LAB_CHANGES])
{
    static const char *const names[] = {"cheap", "queue-1-2", "compositor", "rate-steps",
            "vsync-off-on", "hidden-blocks", "variable-part"};
    const lab_scenario *scenario = lab_scenario_find(names[c->genes[EXAM_CHANGE]]);
    memcpy(changes, scenario->changes, sizeof scenario->changes);
}

static void set_event(const exam_case *c, lab_incident *incident)
{
    static const struct {
        const char *name;
        lab_incident incident;
    } known[] = {
            {"first-tick", {LAB_PLACE_TICK, 0.0, 1, 450 * MS, false}},
            {"first-draw", {LAB_PLACE_DRAW, 0.0, 1, 700 * MS, false}},
            {"block-3", {LAB_PLACE_RETURN, 0.3, 1, 3000 * MS, true}},
            {"block-0.8", {LAB_PLACE_RETURN, 0.3, 1, 800 * MS, true}},
            {"draw-0.3", {LAB_PLACE_DRAW, 0.3, 1, 300 * MS, false}},
            {"tick-1", {LAB_PLACE_TICK, 0.3, 1, 1000 * MS, false}},
            {"loading", {LAB_PLACE_DRAW, 0.3, 30, 100 * MS, false}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (has(c, EXAM_EVENT, known[i].name)) {
            *incident = known[i].incident;
        }
    }
}

static lab_cost work_of(const exam_case *c)
{
    double noise = number_of(c, EXAM_NOISE) / 100.0;
    lab_cost cost = {.base = number_of(c, EXAM_WORK) / 100.0,
            .unit = LAB_UNIT_REFRESH,
            .low = 1.0 - noise,
            .high = 1.0 + noise};
    if (!has(c, EXAM_WAVE, "none")) {
        cost.wave = (lab_wave)(c->genes[EXAM_WAVE] - 1);
        cost.wave_to = number_of(c, EXAM_TO) / number_of(c, EXAM_WORK);
        cost.wave_ns = (int64_t)(number_of(c, EXAM_PERIOD) * 1e9);
    }
    if (has(c, EXAM_TAIL, "spikes")) {
        cost.spike_share = 0.02;
        cost.spike_factor = 3.0;
    } else if (has(c, EXAM_TAIL, "pareto")) {
        cost.pareto_tail = 1.8;
        cost.max_ns = 100 * MS;
    }
    return cost;
}

static void set_lateness(const exam_case *c, lab_scenario *s)
{
    int64_t most_ns = (int64_t)(1e6 * number_of(c, EXAM_LATE));
    lab_lateness late = {.delays = {{1.0, 0, most_ns, 0}}};
    if (has(c, EXAM_LATE, "desktop")) {
        late = lab_scenario_find("wake-tail")->wake;
    } else if (has(c, EXAM_LATE, "idle") || has(c, EXAM_LATE, "busy")) {
        const int64_t *recorded = has(c, EXAM_LATE, "idle") ? recorded_idle_ns : recorded_busy_ns;
        late = (lab_lateness){.quantiles_ns = recorded, .quantile_count = RECORDED};
    }
    s->wake = late;
    s->sleep = late;
}

static void set_scenario(const exam_case *c, lab_scenario *s)
{
    static const char *const pauses[] = {"cheap", "pauses", "stalls", "preempted"};
    *s = lab_scenario_exact();
    s->name = "case";
    s->title = "a case of the exam";
    s->clock = (lab_clock_model){.skew_ppm = 30, .noise_ns = 100, .read_ns = 25};
    s->clock.grain_ns = (int64_t)(1e6 * number_of(c, EXAM_CLOCK)); /* of a word: 0 */
    if (c->genes[EXAM_CLOCK] > 2) {
        s->clock.faults[0] = (lab_fault){(lab_fault_kind)(c->genes[EXAM_CLOCK] - 2), 0.5, 100 * MS};
    }
    s->update = (lab_cost){.base = 1e6 * number_of(c, EXAM_TICK_MS), .low = 0.9, .high = 1.1};
    s->render = work_of(c);
    if (has(c, EXAM_ON, "gpu")) {
        s->gpu = s->render;
        s->render = (lab_cost){.base = 0.1, .unit = LAB_UNIT_REFRESH, .low = 0.9, .high = 1.1};
    }
    s->preemption = lab_scenario_find(pauses[c->genes[EXAM_PAUSES]])->preemption;
    s->from_start = has(c, EXAM_FROM, "0");
    set_lateness(c, s);
    set_change(c, s->changes);
    set_event(c, &s->incidents[0]);
}

/* The named configuration of the loop, or one with a setting instead of its own. */
static void configure(const exam_case *c, es_loop_config *config)
{
    static const es_loop_config settings[] = {{.hold = ES_HOLD_AUTO}, {.ticks_max = 2},
            {.ticks_max = 1000}, {.catch_up_max_ns = 50 * MS}, {.lead_ticks = 1},
            {.lead_ticks = -1}, {.delay_ticks = 1.0}, {.alpha_below_one = true},
            {.hold = ES_HOLD_NEVER}, {.gap_ns = 300 * MS}, {.speed_change_max = 0.05},
            {.interval_max_ns = 30 * MS}};
    es_loop_config named;
    (void)es_loop_preset(value_of(c, EXAM_LOOP), &named);
    *config = c->genes[EXAM_SET] != 0 ? settings[c->genes[EXAM_SET]] : named;
    config->pace = named.pace;
    config->low_latency = named.low_latency;
    config->step = has(c, EXAM_STEP, "variable") ? ES_STEP_VARIABLE : named.step;
    config->tick_rate = es_hz(number_of(c, EXAM_TICKS));
    config->catch_up = (es_catch_up)c->genes[EXAM_CATCH_UP];
}

lab_setup exam_setup(const exam_case *c, const char *loop)
{
    static _Thread_local es_loop_config config;
    lab_setup setup = lab_setup_default();
    setup.without_targets = loop != NULL && strcmp(loop, "no-targets") == 0;
    bool ours = loop == NULL || setup.without_targets;
    setup.loop = lab_loop_find(ours ? value_of(c, EXAM_LOOP) : loop);
    set_scenario(c, &setup.scenario);
    set_display(c, &setup.display);
    setup.tick_rate = es_hz(number_of(c, EXAM_TICKS));
    setup.seed = c->seed;
    setup.duration_ns = 20 * ES_NS_PER_S;
    setup.cap_ns = has(c, EXAM_CAP, "none") ? 0 : (int64_t)(1e9 / number_of(c, EXAM_CAP));
    setup.form = (lab_form)c->genes[EXAM_FORM];
    configure(c, &config);
    setup.config = &config;
    setup.calls = (lab_calls)c->genes[EXAM_CALLS];
    return setup;
}

/* --- judging by kind -------------------------------------------------------------------------- */

const char *const *exam_peers(const exam_case *c)
{
    static const char *const none[] = {NULL};
    static const char *const fixed[] = {"gaffer", "averaged", "glaiel", "godot", NULL};
    static const char *const aims[] = {"gaffer", "averaged", "glaiel", "godot", "no-targets", NULL};
    static const char *const host[] = {"gaffer", "averaged", NULL};
    static const char *const variable[] = {"variable-dt", "averaged-dt", NULL};
    static const char *const low[] = {"longest", "gaffer", NULL};
    bool slows = has(c, EXAM_CATCH_UP, "wait"); /* content is meant to lose time */
    bool alone = slows || has(c, EXAM_SET, "delay") || has(c, EXAM_SET, "match")
                 || c->genes[EXAM_CALLS] > LAB_CALL_ACQUIRED;
    if (alone) {
        return none;
    }
    if (has(c, EXAM_LOOP, "low-latency") && !has(c, EXAM_STEP, "variable")) {
        bool told = has(c, EXAM_KNOWS, "rate") || has(c, EXAM_KNOWS, "both");
        return told && !is_variable(c) ? low : low + 1;
    }
    if (!has(c, EXAM_LOOP, "auto")) {
        return none;
    }
    if (has(c, EXAM_STEP, "variable")) {
        return variable;
    }
    return is_host(c) ? host : has(c, EXAM_TARGETS, "none") ? fixed : aims;
}

/* A cap that is no whole part of an announced rate, and no screen times: uneven, and es_loop_problem says so. */
static bool has_uneven_cap(const exam_case *c, double refresh_hz)
{
    double cap_hz = number_of(c, EXAM_CAP);
    double parts = cap_hz > 0.0 ? refresh_hz / cap_hz : 1.0;
    double whole = (double)(int)(parts + 0.5), off = parts > whole ? parts - whole : whole - parts;
    return has(c, EXAM_KNOWS, "rate") && parts > 1.0 && off > 0.02 * whole;
}

bool exam_is_healthy(const exam_case *c)
{
    double refresh_hz = is_variable(c) ? 144.0 : number_of(c, EXAM_REFRESH);
    double ticks = number_of(c, EXAM_TICKS) / refresh_hz;
    double tick_percent =
            number_of(c, EXAM_TICK_MS) * (double)(int)(ticks + 1.0) * refresh_hz / 10.0;
    double most = number_of(c, EXAM_WORK);
    most = c->genes[EXAM_WAVE] > 0 && number_of(c, EXAM_TO) > most ? number_of(c, EXAM_TO) : most;
    most += has(c, EXAM_CALLS, "second") ? 9.0 * refresh_hz / 10.0 : 0.0;
    most *= 1.0 + number_of(c, EXAM_NOISE) / 100.0;
    static const int must_be_plain[] = {EXAM_LOOP, EXAM_CHANGE, EXAM_TAIL, EXAM_PAUSES, EXAM_EVENT,
            EXAM_CLOCK, EXAM_SET, EXAM_TIMES};
    bool is_plain = (c->genes[EXAM_CALLS] <= LAB_CALL_NO_END || has(c, EXAM_CALLS, "second"))
                    && !has(c, EXAM_KNOWS, "wrong") && !has(c, EXAM_LATE, "busy")
                    && !has(c, EXAM_SCREEN, "leader") && !has(c, EXAM_ACCESS, "mailbox")
                    && !has(c, EXAM_ACCESS, "acquire") && !is_host(c) && !is_variable(c)
                    && !has_uneven_cap(c, refresh_hz);
    for (size_t i = 0; i < sizeof must_be_plain / sizeof must_be_plain[0]; ++i) {
        is_plain = is_plain && c->genes[must_be_plain[i]] == 0;
    }
    return is_plain && most + tick_percent <= 80.0;
}
