/* SPDX-License-Identifier: Zlib
 *
 * `evenstep compare`: the same program and costs under several loops.
 */
#include "compare.h"

#include "figure.h"
#include "table.h"

#include <stdlib.h>

enum { JSON, SVG, FILES };

typedef struct compare {
    loop_choice loops;
    const lab_scenario *scenario; /* NULL: the costs below */
    program_costs program;        /* render_ns, update_ns: -1: not given */
    refresh screen;
    bool targets;    /* it reports screen times, and keeps targets */
    int policy;      /* es_catch_up; -1: each loop's own */
    lab_setup setup; /* the other options set its fields */
    figure_choice figures;
    tool_file files[FILES];
    /* while it runs */
    compare_rows rows;
} compare;

static const char default_loops[] = "fixed,variable-dt,gaffer,godot,decoupled,auto";

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_spikes(const char *text, void *target)
{
    spikes *s = target;
    char share[64];
    const char *factor = tool_split(text, "%x", share);
    bool valid = factor != NULL && tool_parse_positive(share, &s->share)
                 && tool_parse_positive(factor, &s->factor);
    s->share /= 100.0;
    return valid && s->share <= 1.0 && s->factor <= 1000.0;
}

static const char summary[] =
        "Runs the same program under several loops on a simulated display. Shows how smooth each "
        "loop\n"
        "is, and where a moving object is seen. The same seed gives the same numbers.\n\n"
        "examples:\n"
        "  evenstep compare --render 3ms --update 1ms --refresh 144 --spikes 2%x3 --seed 7\n"
        "  evenstep compare --loop fixed,auto --refresh 60 --svg strip.svg\n"
        "  evenstep compare --scenario stall --loop ours,gaffer --policy slow";

static int parse_options(compare *c, int argc, char **argv)
{
    static const char file[] = "a file; - is stdout";
    const tool_option options[] = {
            {.help = "the loops"},
            {"loop", "NAMES", choice_parse_loops, &c->loops, choice_loops_text(),
                    "a comma list; see `evenstep lab --list` (six typical loops)"},
            {"policy", "NAME", choice_parse_policy, &c->policy, choice_policy_text,
                    "of our loops, when updates cannot keep up (each loop's own)"},
            {"cap", "HZ", choice_parse_cap, &c->setup.cap_ns, choice_cap_text,
                    "most frames per second: interval_ns of ours, a sleep of others (none)"},
            {.help = "the program"},
            {"render", "DURATION", choice_parse_cost, &c->program.render_ns, choice_cost_text,
                    "cost of rendering a frame (3ms)"},
            {"update", "DURATION", choice_parse_cost, &c->program.update_ns, choice_cost_text,
                    "cost of one tick (1ms)"},
            {"spikes", "P%xF", parse_spikes, &c->program.spikes,
                    "a share and a factor such as 2%x3",
                    "P % of the frames take F times as long to render (none)"},
            {"late", "DURATION", choice_parse_cost, &c->program.late_ns, choice_cost_text,
                    "presents return up to this late (most less than 0.1ms)"},
            {"exact", NULL, NULL, &c->program.exact, NULL,
                    "an ideal machine: no late wake-ups, no clock noise"},
            {"scenario", "NAME", choice_parse_scenario, &c->scenario,
                    "known scenarios: see `evenstep lab --list`",
                    "a scenario of the lab, instead of the costs above"},
            {"tick-rate", "RATE", choice_parse_tick_rate, &c->setup.tick_rate,
                    choice_tick_rate_text, "ticks per second (60)"},
            {.help = "the display, and the run"},
            {"refresh", "RATE", choice_parse_refresh, &c->screen, choice_refresh_text,
                    "60, 59.94, 60000/1001, vrr, 48-144 (144)"},
            {"queue", "N", choice_parse_queue, &c->setup.display.queue, choice_queue_text,
                    "frames in its queue, 1 to 4; 1 is double buffering (2)"},
            {"targets", NULL, NULL, &c->targets, NULL,
                    "it reports screen times, and shows our frames at their targets"},
            {"seed", "N", tool_parse_seed, &c->setup.seed, "a number",
                    "selects the random numbers (1)"},
            {"seconds", "S", tool_parse_run, &c->setup.duration_ns, tool_run_text,
                    "simulated time; not measured: 2 s, at most a fifth (10)"},
            {.help = "what to show"},
            {"measure", "NAMES", figure_parse, &c->figures, figure_names(),
                    "measures by name, or all (six)"},
            {"json", "[FILE]", tool_parse_text, &c->files[JSON].path, file,
                    "all measures; - or nothing is stdout"},
            {"svg", "FILE", tool_parse_text, &c->files[SVG].path, file,
                    "a strip: where the object is seen, and where it should be"},
    };
    return tool_options(
            "compare", summary, options, sizeof options / sizeof options[0], argc, argv);
}

static bool has_ours(const loop_choice *loops)
{
    bool any = false;
    for (size_t i = 0; i < loops->count; ++i) {
        any = any || loops->items[i]->kind == LAB_LOOP_OURS;
    }
    return any;
}

static int check_together(compare *c)
{
    bool costs = c->program.render_ns >= 0 || c->program.spikes.share > 0.0;
    if (c->loops.count == 0) {
        choice_parse_loops(default_loops, &c->loops);
    }
    if (c->scenario != NULL
            && (costs || c->program.update_ns >= 0 || c->program.late_ns > 0 || c->program.exact)) {
        return tool_usage("compare", "--scenario has its own costs: it goes without --render, "
                                     "--update, --spikes, --late and --exact");
    }
    if (c->scenario != NULL && choice_needs_host(c->scenario)) {
        return tool_usage("compare", "--scenario %s needs a host: see `evenstep lab --host`",
                c->scenario->name);
    }
    if (c->policy >= 0 && !has_ours(&c->loops)) {
        return tool_usage("compare", "--policy is for our own loops, and none is in --loop");
    }
    return tool_check_stdout("compare", c->files, FILES);
}

/* --- running ---------------------------------------------------------------------------------- */

static void set_costs(const compare *c, lab_scenario *scenario)
{
    if (c->scenario != NULL) {
        *scenario = *c->scenario;
        return;
    }
    program_costs program = c->program;
    program.update_ns = program.update_ns >= 0 ? program.update_ns : ES_NS_PER_MS;
    program.render_ns = program.render_ns >= 0 ? program.render_ns : 3 * ES_NS_PER_MS;
    *scenario = choice_costs(&program);
}

static void make_setup(compare *c)
{
    lab_setup *setup = &c->setup;
    set_costs(c, &setup->scenario);
    choice_set_refresh(&setup->display, &c->screen);
    setup->warm_up_ns = setup->scenario.from_start ? 0 : choice_warm_up_ns(setup->duration_ns);
}

/* Runs one loop. Returns TOOL_OK also when it cannot run here: then why says so. */
static int run_one(compare *c, compare_row *row, lab_refusal *why)
{
    es_loop_config config;
    lab_refusal error;
    c->setup.loop = row->loop;
    c->setup.config = NULL;
    bool reports = c->targets || (row->loop->needs & LAB_NEEDS_FEEDBACK) != 0;
    c->setup.display.feedback = reports ? LAB_FEEDBACK_EXACT : LAB_FEEDBACK_NONE;
    c->setup.display.targets = c->targets ? LAB_TARGETS_EXACT : LAB_TARGETS_NONE;
    if (c->policy >= 0 && row->loop->kind == LAB_LOOP_OURS) {
        lab_loop_config(row->loop, &config);
        config.tick_rate = c->setup.tick_rate;
        config.catch_up = (es_catch_up)c->policy;
        c->setup.config = &config;
    }
    if (lab_run(&c->setup, &row->result, &error) != ES_OK) {
        if (c->setup.config != NULL && strcmp(error.field, "catch_up") == 0) {
            return tool_usage("compare", "--policy %s does not go with loop %s: %s",
                    choice_policy_name(c->policy), row->loop->name, error.reason);
        }
        *why = error;
    } else {
        row->ran = row->result.measures.frames >= 2;
    }
    return TOOL_OK;
}

static int run_all(compare *c)
{
    lab_refusal why = {"", "too slow for two frames, or too short a run"};
    bool any = false;
    for (size_t i = 0; i < c->loops.count; ++i) {
        compare_row *row = &c->rows.items[c->rows.count++];
        row->loop = c->loops.items[i];
        int status = run_one(c, row, &why);
        if (status != TOOL_OK) {
            return status;
        }
        any = any || row->ran;
    }
    if (!any) {
        return tool_fail("compare", "no loop has anything to show: %s%s%s",
                tool_option_of(why.field), why.field[0] != '\0' ? " " : "", why.reason);
    }
    return TOOL_OK;
}

/* --- showing ---------------------------------------------------------------------------------- */

static void describe(const compare *c, char *text, size_t size)
{
    char render[32];
    char update[32];
    char spike_text[64] = "";
    char ticks[32];
    char screen[96];
    const lab_scenario *scenario = &c->setup.scenario;
    tool_format_ms(render, (int64_t)scenario->render.base);
    tool_format_ms(update, (int64_t)scenario->update.base);
    if (c->program.spikes.share > 0.0) {
        snprintf(spike_text, sizeof spike_text, ", %g %% of the frames x %g",
                100.0 * c->program.spikes.share, c->program.spikes.factor);
    }
    char late[64] = "";
    if (c->program.late_ns > 0) {
        snprintf(
                late, sizeof late, ", presents up to %g ms late", (double)c->program.late_ns / 1e6);
    }
    char costs[256];
    if (c->scenario != NULL) {
        snprintf(costs, sizeof costs, "scenario %s", c->scenario->name);
    } else {
        snprintf(costs, sizeof costs, "render %s ms%s, update %s ms%s", render, spike_text, update,
                late);
    }
    snprintf(text, size, "%s; %s ticks/s; %s Hz, queue %d; seed %llu", costs,
            tool_format_rate(ticks, c->setup.tick_rate), choice_format_refresh(screen, &c->screen),
            (int)c->setup.display.queue, (unsigned long long)c->setup.seed);
    choice_add_cap(text, size, c->setup.cap_ns);
}

static int print_table(const compare *c)
{
    bool has_event = lab_scenario_has_event(&c->setup.scenario);
    char title[512];
    table t;
    if (!table_init(&t, c->figures.count, c->rows.count)) {
        return tool_fail("compare", "out of memory");
    }
    describe(c, title, sizeof title);
    printf("%s\n%g s, measured from %g s on; e: animation error, d-T: interval error\n\n", title,
            (double)c->setup.duration_ns / 1e9, (double)c->setup.warm_up_ns / 1e9);
    for (size_t column = 0; column < c->figures.count; ++column) {
        const figure *f = c->figures.items[column];
        const char *unit = figure_unit_name(f, false);
        char text[TABLE_CELL];
        snprintf(text, sizeof text, "%s%s%s", f->heading, unit[0] != '\0' ? " " : "", unit);
        table_set_column(&t, column, "", text);
        for (size_t row = 0; row < c->rows.count; ++row) {
            const lab_measures *measures = &c->rows.items[row].result.measures;
            figure_format(text, sizeof text, f, figure_value(f, measures, has_event), false);
            table_set(&t, row, column, "%s", c->rows.items[row].ran ? text : "-");
        }
    }
    for (size_t row = 0; row < c->rows.count; ++row) {
        table_set_row(&t, row, false, "%s", c->rows.items[row].loop->name);
    }
    table_print(&t, stdout);
    table_finish(&t);
    return TOOL_OK;
}

static json_t *costs_json(const compare *c)
{
    const lab_scenario *scenario = &c->setup.scenario;
    if (c->scenario != NULL) {
        return json_pack("{s:s}", "scenario", scenario->name);
    }
    json_t *object =
            json_pack("{s:o, s:o, s:o}", "render_ms", tool_json_number(scenario->render.base / 1e6),
                    "spike_share", tool_json_number(c->program.spikes.share), "spike_factor",
                    tool_json_number(c->program.spikes.factor));
    json_object_set_new(object, "update_ms", tool_json_number(scenario->update.base / 1e6));
    json_object_set_new(object, "late_ms", tool_json_number((double)c->program.late_ns / 1e6));
    json_object_set_new(object, "exact", json_boolean(c->program.exact));
    return object;
}

static json_t *setup_json(const compare *c)
{
    char ticks[96], screen[96];
    json_t *object = costs_json(c);
    if (c->policy >= 0) {
        const char *name = choice_policy_name(c->policy);
        json_object_set_new(object, "policy", json_string(name));
    }
    json_object_set_new(object, "cap_hz", choice_cap_json(c->setup.cap_ns));
    json_object_update_new(object,
            json_pack("{s:s, s:s, s:i, s:I, s:o, s:o}", "ticks_per_second",
                    tool_format_rate(ticks, c->setup.tick_rate), "refresh_hz",
                    choice_format_refresh(screen, &c->screen), "queue", (int)c->setup.display.queue,
                    "seed", (json_int_t)c->setup.seed, "seconds",
                    tool_json_number((double)c->setup.duration_ns / 1e9), "warm_up_seconds",
                    tool_json_number((double)c->setup.warm_up_ns / 1e9)));
    return object;
}

static json_t *row_json(const compare_row *row, bool has_event)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:b}", "loop", row->loop->name, "title",
            row->loop->title, "kind", choice_kind_name(row->loop->kind), "ran", row->ran);
    if (row->ran) {
        figure_add_run(object, &row->result.measures, has_event);
    }
    return object;
}

static bool write_json(const void *user, const char *path)
{
    const compare *c = user;
    json_t *rows = json_array();
    bool has_event = lab_scenario_has_event(&c->setup.scenario);
    for (size_t i = 0; i < c->rows.count; ++i) {
        json_array_append_new(rows, row_json(&c->rows.items[i], has_event));
    }
    return tool_json_write(json_pack("{s:o, s:o}", "compare", setup_json(c), "loops", rows), path);
}

static bool draw(const void *user, const char *path)
{
    const compare *c = user;
    const lab_setup *setup = &c->setup;
    lab_machine machine; /* at its start, for its refreshes */
    lab_machine_config config = {.display = setup->display,
            .scenario = setup->scenario,
            .duration_ns = setup->duration_ns,
            .warm_up_ns = setup->warm_up_ns,
            .seed = setup->seed};
    char title[512];
    describe(c, title, sizeof title);
    lab_machine_init(&machine, &config, NULL); /* a run has accepted it */
    return compare_draw(&c->rows, &machine.screen, title, path);
}

static int run(compare *c)
{
    make_setup(c);
    int status = run_all(c);
    if (status == TOOL_OK && tool_count_stdout(c->files, FILES) == 0) {
        status = print_table(c);
    }
    return status == TOOL_OK ? tool_write_files("compare", c->files, FILES, c) : status;
}

int tool_compare(int argc, char **argv)
{
    compare c = {.program = {.render_ns = -1, .update_ns = -1},
            .screen = {.rate = es_hz(144)},
            .policy = -1,
            .setup = lab_setup_default(),
            .files = {{"json", NULL, write_json}, {"svg", NULL, draw}}};
    c.setup.tick_rate = es_hz(60);
    c.setup.display.queue = 2;
    c.setup.duration_ns = 10 * ES_NS_PER_S;
    int status = parse_options(&c, argc, argv);
    if (c.figures.count == 0) {
        figure_parse("animation,animation-p99,pursuit,lost,missed,input-age", &c.figures);
    }
    status = status == TOOL_OK ? check_together(&c) : status;
    status = status == TOOL_OK ? run(&c) : status;
    for (size_t i = 0; i < c.rows.count; ++i) {
        lab_result_free(&c.rows.items[i].result);
    }
    return status;
}
