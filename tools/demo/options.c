/* SPDX-License-Identifier: Zlib */
#include "demo.h"

#include "choice.h"
#include "tool.h"

#include "lab/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

/* An option whose value is one of a list of names. */
typedef struct named {
    demo_name_at *names;
    int *index;
    char list[160]; /* "a, b or c" */
} named;

enum { LOOP, POLICY, SPLIT, SHOW, NAMED };

static bool parse_name(const char *text, void *option)
{
    const named *own = option;
    return demo_find_name(text, own->names, own->index);
}

static void list_names(named *options, demo_settings *set)
{
    demo_choice *choice = &set->choice;
    const named all[NAMED] = {[LOOP] = {demo_loop_name, &choice->loop, ""},
            [POLICY] = {demo_policy_name, &choice->policy, ""},
            [SPLIT] = {demo_half_name, &set->split, ""},
            [SHOW] = {demo_way_name, &choice->way, ""}};
    for (int i = 0; i < NAMED; ++i) {
        options[i] = all[i];
        demo_list_names(options[i].list, sizeof options[i].list, all[i].names);
    }
}

/* --- the table -------------------------------------------------------------------------------- */

static const char summary[] =
        "Shows a scene in which judder is easy to see, with every setting under a key.\n"
        "Without --window, --terminal or --headless: the first of these that works.\n"
        "\n"
        "--loop: auto finds the display's refreshes, and each frame shows the instant at which\n"
        "it will be seen; low-latency also begins frames just in time. The others are loops of\n"
        "games: adaptive, lockstep, variable, decoupled, max-frameskip. threaded runs\n"
        "its ticks on a second thread; it has no --policy.\n"
        "--show: how a frame between two ticks is made: interpolate, hermite, catmull-rom,\n"
        "monotone, extrapolate, or the newest tick as it is (none). Try --tick-rate 5.\n"
        "--split: the upper half runs --loop; the lower half shows the same frames by another\n"
        "rule. At the foot of each pole: its places in the last 12 frames.\n"
        "\n"
        "keys: space pause, n single step, s speed, + - tick rate, l L loop, p policy,\n"
        "w W what is shown, i none and back, d delay, v V split view,\n"
        "c cost per frame, u cost per tick, h panel, r restart the figures, q or Esc quit";

static int parse(demo_options *options, int argc, char **argv)
{
    static const char duration[] = "a duration such as 3ms, 250us or 1.5s";
    demo_settings *set = &options->set;
    demo_choice *choice = &set->choice;
    named own[NAMED];
    list_names(own, set);
    const tool_option rows[] = {
            {"loop", "NAME", parse_name, &own[LOOP], own[LOOP].list, own[LOOP].list},
            {"policy", "NAME", parse_name, &own[POLICY], own[POLICY].list,
                    "when the machine is too slow: drop, slow, spread, stretch, wait"},
            {"split", "NAME", parse_name, &own[SPLIT], own[SPLIT].list,
                    "below the same frames by another rule: see above"},
            {"show", "NAME", parse_name, &own[SHOW], own[SHOW].list, own[SHOW].list},
            {"tick-rate", "RATE", tool_parse_rate, &choice->tick_rate,
                    "a rate such as 60 or 60000/1001", "ticks per second (60; max-frameskip: 50)"},
            {"cap", "HZ", choice_parse_cap, &choice->cap_ns, choice_cap_text,
                    "most frames per second (the loop's own)"},
            {"delay", "TICKS", choice_parse_delay, &choice->delay_ticks, choice_delay_text,
                    "how far frames stay behind (0; decoupled, threaded: 1)"},
            {"render-cost", "DURATION", tool_parse_duration, &set->render_cost_ns, duration,
                    "keep the CPU busy for this long per frame"},
            {"update-cost", "DURATION", tool_parse_duration, &set->update_cost_ns, duration,
                    "keep the CPU busy for this long per tick"},
            {"window", NULL, NULL, &options->window, NULL, "show it in a window"},
            {"terminal", NULL, NULL, &options->terminal, NULL, "show it in this terminal"},
            {"headless", NULL, NULL, &options->headless, NULL, "draw it and show it nowhere"},
            {"vsync", NULL, NULL, &options->wishes.vsync, NULL, "window: present with vsync"},
            {"x11-present", NULL, NULL, &options->wishes.by_adapter, NULL,
                    "window: present by X11's Present extension, which reports screen times"},
            {"seconds", "S", tool_parse_seconds, &options->run_ns, "a time such as 5 or 500ms",
                    "stop after this long (headless: 5; else never)"},
            {"virtual", NULL, NULL, &options->is_virtual, NULL,
                    "headless: on a clock that does not wait; nothing is drawn"},
            {"keys", "S:KEY,...", demo_script_parse, &options->script,
                    "times and keys such as 2:i,3.5:space,4:+", "press these keys at these times"},
            {"seed", "N", tool_parse_count, &options->seed, "a whole number from 0",
                    "another world (1)"},
            {"trace", "FILE", tool_parse_text, &options->trace, "a file name",
                    "write a capture for `evenstep measure`, into a new file"},
            {"report", "[FILE]", tool_parse_text, &options->report, "a file name",
                    "write the figures: FILE.json as JSON, else as text to paste; no FILE: stdout"},
            {"screenshot", "FILE.png", tool_parse_text, &options->screenshot, "a file name",
                    "write the last frame"},
    };
    return tool_options("demo", summary, rows, sizeof rows / sizeof rows[0], argc, argv);
}

/* --- checks ----------------------------------------------------------------------------------- */

static int check_threads(const demo_options *options, const demo_rule *rule)
{
    const demo_settings *set = &options->set;
    if (!rule->threaded) {
        return TOOL_OK;
    }
    if (options->is_virtual) {
        return tool_usage("demo", "--virtual has one thread: not with loop %s", rule->name);
    }
    if (set->choice.policy >= 0) {
        return tool_usage("demo", "--policy is no setting of loop %s", rule->name);
    }
    return TOOL_OK;
}

static int check_run(const demo_options *options)
{
    const demo_settings *set = &options->set;
    if (options->window + options->terminal + options->headless > 1) {
        return tool_usage("demo", "choose one of --window, --terminal and --headless");
    }
    if (options->wishes.by_adapter && (options->terminal || options->headless)) {
        return tool_usage("demo", "--x11-present needs a window");
    }
    if (options->is_virtual && !options->headless) {
        return tool_usage("demo", "--virtual goes with --headless");
    }
    if (set->render_cost_ns > ES_NS_PER_S || set->update_cost_ns > ES_NS_PER_S) {
        return tool_usage("demo", "--render-cost and --update-cost must be at most 1s");
    }
    if (options->screenshot != NULL && strcmp(options->screenshot, "-") == 0) {
        return tool_usage("demo", "--screenshot takes the name of a file");
    }
    return TOOL_OK;
}

static int check_loop(const demo_choice *choice, const demo_rule *rule)
{
    lab_refusal error;
    es_loop_config config = rule->config;
    config.lead_ticks = 0;
    if (!lab_config_is_valid(&config, &error)) {
        return tool_usage("demo", "%s %s", tool_option_of(error.field), error.reason);
    }
    if (!lab_config_is_valid(&rule->config, &error)) {
        return tool_usage("demo", "--show %s needs a loop of fixed steps",
                demo_way_name((size_t)choice->way));
    }
    return TOOL_OK;
}

static int check(const demo_options *options)
{
    demo_rule rule = demo_rule_make(&options->set.choice, 0);
    int status = check_run(options);
    status = status == TOOL_OK ? check_loop(&options->set.choice, &rule) : status;
    return status == TOOL_OK ? check_threads(options, &rule) : status;
}

int demo_options_read(demo_options *options, int argc, char **argv)
{
    *options = (demo_options){.run_ns = -1, .seed = 1};
    options->wishes.width = DEMO_WIDTH;
    options->wishes.height = DEMO_HEIGHT;
    options->set = (demo_settings){.choice = demo_choice_none(), .split = -1, .panel = true};
    int status = parse(options, argc, argv);
    return status == TOOL_OK ? check(options) : status;
}
