/* SPDX-License-Identifier: Zlib */
#include "demo_options.h"

#include "demo_player.h"
#include "demo_threads.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SIZE = 160 };

demo_way demo_settings_way(const demo_settings *set)
{
    return set->blend ? set->way : DEMO_WAY_NONE;
}

void demo_settings_set_way(demo_settings *set, demo_way way)
{
    set->blend = way != DEMO_WAY_NONE;
    set->way = set->blend ? way : set->way;
}

static bool parse_delay(const char *text, void *ticks)
{
    char *end;
    double value = strtod(text, &end);
    *(double *)ticks = value;
    return end != text && *end == '\0' && value >= 0.0 && value <= 8.0;
}

static bool parse_size(const char *text, void *wishes)
{
    demo_window_wishes *wished = wishes;
    char more;
    return sscanf(text, "%5dx%5d%c", &wished->width, &wished->height, &more) == 2
           && wished->width > 0 && wished->width <= 16384 && wished->height > 0
           && wished->height <= 16384;
}

/* Of all refreshes. */
static bool parse_share(const char *text, void *share)
{
    char *end;
    double value = strtod(text, &end);
    *(double *)share = value;
    return end != text && *end == '\0' && value >= 0.0001 && value <= 0.5;
}

/* A refresh rate, into its period in ns. */
static bool parse_refresh(const char *text, void *period_ns)
{
    es_rate rate;
    bool valid = tool_parse_rate(text, &rate) && es_rate_period_ns(rate) > 0;
    *(int64_t *)period_ns = valid ? es_rate_period_ns(rate) : 0;
    return valid;
}

/* 2, 0.5, 1/4: up to 16 times as fast, down to a 64th. */
static bool parse_speed(const char *text, void *ratio)
{
    es_rate rate;
    bool valid = tool_parse_rate(text, &rate) && rate.numerator <= 16 * (uint64_t)rate.denominator
                 && 64 * (uint64_t)rate.numerator >= rate.denominator
                 && rate.denominator <= 1000000;
    *(es_ratio *)ratio = (es_ratio){rate.numerator, rate.denominator};
    return valid;
}

static bool parse_tick(const char *text, void *tick)
{
    int32_t count;
    bool valid = tool_parse_count(text, &count);
    *(int64_t *)tick = valid ? count : 0;
    return valid;
}

static const char summary[] =
        "Shows a scene in which judder is easy to see, with every setting under a key.\n"
        "Without --window, --terminal or --headless: the first of these that works.\n"
        "\n"
        "--loop: auto, the default, finds the display's refreshes and shows in each picture the\n"
        "instant at which it will be seen; low-latency does so and begins frames as late as it\n"
        "may. The others are what games use: adaptive blends to the instant at which a picture\n"
        "is begun; lockstep runs one tick per picture; variable one of the time that passed;\n"
        "decoupled the ticks that are due, blended one tick behind; max-frameskip the same, at\n"
        "most 10 a picture. threaded is auto, one tick behind, with its ticks on a thread of\n"
        "their own, which hands states over without a lock; threaded-locked with one. They have\n"
        "no --policy, --max-ticks, --alternate or --teleport portal, and --show extrapolate\n"
        "predicts only where a tick is late.\n"
        "\n"
        "--alternate lets another loop take turns with --loop, and the summary compares them: the\n"
        "same world, display and minute. The first second of each turn is in no figure.\n"
        "\n"
        "--split divides the picture: above runs --loop, which sets the pace, and below in the\n"
        "same pictures unblended (decoupled, showing its newest tick as it is), decoupled,\n"
        "max-frameskip, variable or lockstep. Both are measured against the same screen times:\n"
        "same pictures, two rules for what they show. The costs are the upper half's. At the foot\n"
        "of each pole: where it was in the last 12 pictures, a row for each.\n"
        "\n"
        "--show is what a picture between ticks is made of: the straight line between two\n"
        "(interpolate), a cubic with their velocities (hermite) or through four (catmull-rom;\n"
        "monotone, which stays between its two), what the newest, which is older than the\n"
        "picture, predicts (extrapolate), or the newest as it is (none). A ball circles;\n"
        "the dots are where the last pictures had it. --teleport has it jump: marked and\n"
        "portal are what the library offers for that, unmarked streaks (red dots).\n"
        "Try --tick-rate 5.\n"
        "\n"
        "A click, or f, makes a ring in the tick that it belongs to, with the time that it took "
        "to\n"
        "the picture; all figures of input are by setting (loop, latency, lead, delay).\n"
        "--job begins some 50 ms of work every second: once runs it all in a tick, sliced in\n"
        "idle time. --rates on: sparks tick at 120 per second, birds at 10, else with the game.\n"
        "\n"
        "--record writes down what goes into the run, to be played again by --play: the same "
        "ticks,\n"
        "checked by their hashes, in frames of this machine and without pauses; or with "
        "--schedule\n"
        "in the frames that were recorded, each stutter in its place. If the demo is killed, all "
        "but\n"
        "its last ten ticks or so are in the file. evenstep replay says what is in it.\n"
        "keys while playing: space pause, n single step (with --schedule a frame), [ and ] 1 s "
        "back\n"
        "and on (not with --schedule), s speed, w, i, c, u, k, h, r and q as below\n"
        "\n"
        "keys: space pause, n single step, s speed, + and - tick rate, l and L another loop,\n"
        "a latency, p policy, v and V split view, w and W what is shown, i nothing but whole\n"
        "ticks and back, t teleport, c and u cost per frame and per tick, k spikes, f click,\n"
        "d delay, j job, g rates, h overlay, r restart the meter, q or Esc quit";

/* What options say, and settings do not keep as it is said. */
typedef struct asked {
    demo_way way;
    bool no_interpolation; /* a flag can only set */
} asked;

/* What options can be, in words. */
typedef struct names {
    char loops[NAMES_SIZE], policies[NAMES_SIZE], halves[NAMES_SIZE], ways[NAMES_SIZE];
    char jumps[NAMES_SIZE], jobs[NAMES_SIZE];
} names;

static void list_names(names *listed)
{
    demo_list_names(listed->loops, NAMES_SIZE, demo_loop_name_at);
    demo_list_names(listed->policies, NAMES_SIZE, demo_policy_name_at);
    demo_list_names(listed->halves, NAMES_SIZE, demo_half_name_at);
    demo_list_names(listed->ways, NAMES_SIZE, demo_way_name_at);
    demo_list_names(listed->jumps, NAMES_SIZE, demo_jump_name_at);
    demo_list_names(listed->jobs, NAMES_SIZE, demo_job_name_at);
}

enum { OPTIONS_MAX = 48 };

typedef struct option_table {
    tool_option options[OPTIONS_MAX];
    size_t count;
    names listed;
} option_table;

static void add(option_table *table, const tool_option *options, size_t count)
{
    memcpy(table->options + table->count, options, count * sizeof *options);
    table->count += count;
}

static const char duration[] = "a duration such as 3ms, 250us or 1.5s";

static void add_loop(option_table *table, demo_options *options, asked *said)
{
    demo_settings *set = &options->set;
    demo_choice *choice = &set->choice;
    const names *listed = &table->listed;
    const tool_option rows[] = {
            {"window", NULL, NULL, &options->window, NULL, "show it in a window"},
            {"terminal", NULL, NULL, &options->terminal, NULL, "show it in this terminal"},
            {"headless", NULL, NULL, &options->headless, NULL, "draw it and show it nowhere"},
            {"seconds", "S", tool_parse_seconds, &options->run_ns, "a time such as 5 or 500ms",
                    "stop after this long (headless: 5; else never)"},
            {"loop", "NAME", demo_parse_loop, &choice->loop, listed->loops, listed->loops},
            {"latency", "NAME", demo_parse_latency, &choice->latency, "smooth or low",
                    "auto: low begins frames just in time: younger input, less protection"},
            {"missed-max", "SHARE", parse_share, &choice->missed_max, "0.0001 to 0.5",
                    "low latency: this share of refreshes may repeat a picture (0.01)"},
            {"queue", "N", tool_parse_count, &choice->queue, "a whole number",
                    "auto: pictures that present lets wait, 1 to 4 (found out)"},
            {"refresh", "RATE", parse_refresh, &choice->refresh_ns, "a rate such as 60 or 59.94",
                    "auto: take this for what the display announces, true or not"},
            {"alternate", "NAME", demo_parse_loop, &set->alternate, listed->loops,
                    "a loop that takes turns with --loop"},
            {"every", "S", tool_parse_seconds, &set->every_ns, "a time such as 5 or 2500ms",
                    "how long each turn is (5)"},
            {"policy", "NAME", demo_parse_policy, &choice->policy, listed->policies,
                    "when the machine is too slow: drop, slow, spread, stretch, wait"},
            {"split", "NAME", demo_parse_half, &set->split, listed->halves,
                    "below the same pictures by another rule: see above"},
            {"show", "NAME", demo_parse_way, &said->way, listed->ways, listed->ways},
            {"teleport", "NAME", demo_parse_jump, &set->jump, listed->jumps,
                    "a ball jumps twice a second: off, marked, unmarked, portal"},
            {"job", "NAME", demo_parse_job, &set->job, listed->jobs,
                    "50 ms of work every second: off, once (at once), sliced"},
            {"rates", "on|off", demo_parse_switch, &set->apart, "on or off",
                    "sparks and birds tick at 120 and 10 per second (off: with the game)"},
            {"tick-rate", "RATE", tool_parse_rate, &choice->tick_rate,
                    "a rate such as 60 or 60000/1001", "ticks per second (60; max-frameskip: 50)"},
            {"interval", "DURATION", tool_parse_duration, &choice->interval_ns, duration,
                    "render interval to start with (the display's, else 1/60 s)"},
            {"delay", "TICKS", parse_delay, &choice->delay_ticks, "a number of ticks, 0 to 8",
                    "how far the picture stays behind (0; decoupled, threaded: 1)"},
            {"max-ticks", "N", tool_parse_count, &choice->ticks_max, "a whole number",
                    "most ticks per frame (as many as 100 ms need; max-frameskip: 10)"},
    };
    add(table, rows, sizeof rows / sizeof rows[0]);
}

static void add_work(option_table *table, demo_options *options, asked *said)
{
    demo_settings *set = &options->set;
    const tool_option rows[] = {
            {"vsync", NULL, NULL, &options->wishes.vsync, NULL,
                    "window: ask the display to pace it too"},
            {"size", "WxH", parse_size, &options->wishes, "a size in pixels such as 960x540",
                    "window: how large it is to begin with (960x540)"},
            {"no-interpolation", NULL, NULL, &said->no_interpolation, NULL, "--show none"},
            {"render-cost", "DURATION", tool_parse_duration, &set->render_cost_ns, duration,
                    "keep the CPU busy for this long per frame"},
            {"update-cost", "DURATION", tool_parse_duration, &set->update_cost_ns, duration,
                    "keep the CPU busy for this long per tick"},
            {"x11-present", NULL, NULL, &options->wishes.by_adapter, NULL,
                    "window: shown by X11's Present extension, which tells screen times"},
            {"rest", NULL, NULL, &set->rests, NULL,
                    "window: draw nothing while it is hidden or minimised"},
            {"spikes", NULL, NULL, &set->spikes, NULL, "40 ms more in every 60th frame"},
    };
    add(table, rows, sizeof rows / sizeof rows[0]);
}

static void add_files(option_table *table, demo_options *options)
{
    demo_settings *set = &options->set;
    const tool_option rows[] = {
            {"record", "FILE", tool_parse_text, &options->record, "a file name",
                    "write down the run; not over a file that is there"},
            {"record-frames", "on|off", demo_parse_switch, &options->record_frames, "on or off",
                    "frames and the clock, too, for --schedule (on; threaded: never)"},
            {"play", "FILE", tool_parse_text, &options->play, "a file name",
                    "play a run that was recorded"},
            {"schedule", NULL, NULL, &options->schedule, NULL, "play: in the recorded frames"},
            {"until", "TICK", parse_tick, &options->until, "a whole number from 0",
                    "play: stop after this tick"},
            {"speed", "RATIO", parse_speed, &set->full_speed, "a ratio such as 0.5, 1/4 or 2",
                    "how fast the world goes, or is played (1)"},
            {"keys", "S:KEY,...", demo_script_parse, &options->script,
                    "times and keys such as 2:t,3.5:space,4:+", "press these keys by itself"},
            {"virtual", NULL, NULL, &options->is_virtual, NULL,
                    "headless: time goes on by itself, as fast as it can; nothing is drawn"},
            {"report", "FILE.json", tool_parse_text, &options->report, "a file name",
                    "write what was measured; - is stdout"},
            {"screenshot", "FILE.png", tool_parse_text, &options->screenshot, "a file name",
                    "write the last frame"},
            {"seed", "N", tool_parse_count, &options->seed, "a whole number from 0",
                    "another world (1)"},
    };
    add(table, rows, sizeof rows / sizeof rows[0]);
}

static int parse(demo_options *options, asked *said, int argc, char **argv)
{
    option_table table = {.count = 0};
    list_names(&table.listed);
    add_loop(&table, options, said);
    add_work(&table, options, said);
    add_files(&table, options);
    return tool_options("demo", summary, table.options, table.count, argc, argv);
}

#define EVERY_NS       (5 * ES_NS_PER_S)
#define EVERY_LEAST_NS (2 * ES_NS_PER_S) /* the first second is left out */

static int check_threads(const demo_options *options)
{
    es_error error;
    const demo_settings *set = &options->set;
    bool alternates = set->alternate != NULL && demo_loop_is_threaded(set->alternate);
    bool threaded = demo_loop_is_threaded(set->choice.loop);
    demo_rule rule = {set->choice.loop, demo_choice_config(&set->choice, 0), set->way};
    if (alternates || (threaded && set->alternate != NULL)) {
        return tool_usage("demo", "loop threaded takes no turns: it goes without --alternate");
    }
    if (threaded && set->jump == DEMO_JUMP_PORTAL) {
        return tool_usage("demo", "--teleport portal changes ticks that are past: not with loop %s",
                rule.name);
    }
    if (threaded && !demo_threads_fit(&rule, &error)) {
        return tool_usage(
                "demo", "%s is no setting of loop %s", tool_option_of(error.field), rule.name);
    }
    return TOOL_OK;
}

static int check_turns(const demo_settings *set)
{
    if (set->alternate == NULL) {
        return TOOL_OK;
    }
    if (set->split != NULL) {
        return tool_usage("demo", "choose one of --alternate and --split");
    }
    if (set->every_ns < EVERY_LEAST_NS) {
        return tool_usage("demo", "--every must be at least 2s: the first of it is left out");
    }
    return TOOL_OK;
}

static int check_recording(const demo_options *options)
{
    bool plays = options->play != NULL;
    const demo_settings *set = &options->set;
    if (plays && options->record != NULL) {
        return tool_usage("demo", "choose one of --record and --play");
    }
    if (!plays && (options->schedule || options->until >= 0)) {
        return tool_usage("demo", "--schedule and --until go with --play");
    }
    if (options->is_virtual && !options->headless) {
        return tool_usage("demo", "--virtual goes with --headless");
    }
    bool threaded = demo_loop_is_threaded(set->choice.loop);
    if (options->is_virtual && threaded) {
        return tool_usage("demo", "--virtual has one thread: not with loop %s", set->choice.loop);
    }
    if (plays && threaded) {
        return tool_usage("demo", "--play has one thread: not with loop %s", set->choice.loop);
    }
    if (plays && !options->schedule && (set->split != NULL || set->alternate != NULL)) {
        return tool_usage("demo", "--play goes without --split and --alternate");
    }
    return TOOL_OK;
}

static int check_rest(const demo_options *options)
{
    const demo_choice *choice = &options->set.choice;
    if (choice->interval_ns > ES_NS_PER_S) {
        return tool_usage("demo", "--interval must be at most 1s: nobody could press a key");
    }
    if (options->set.render_cost_ns > ES_NS_PER_S || options->set.update_cost_ns > ES_NS_PER_S) {
        return tool_usage("demo", "--render-cost and --update-cost must be at most 1s");
    }
    if (options->screenshot != NULL && strcmp(options->screenshot, "-") == 0) {
        return tool_usage("demo", "--screenshot takes the name of a file");
    }
    int status = check_recording(options);
    return status == TOOL_OK ? check_turns(&options->set) : status;
}

static int check(const demo_options *options)
{
    es_error error;
    const demo_choice *choice = &options->set.choice;
    demo_choice shown = *choice;
    es_loop_config config = demo_choice_config(choice, 0);
    if (options->window + options->terminal + options->headless > 1) {
        return tool_usage("demo", "choose one of --window, --terminal and --headless");
    }
    if ((options->wishes.by_adapter || options->set.rests)
            && (options->terminal || options->headless)) {
        return tool_usage("demo", "--x11-present and --rest need a window");
    }
    if (choice->latency == DEMO_LATENCY_LOW && !demo_choice_follows(choice)) {
        return tool_usage("demo", "--latency low needs a loop that follows the display: auto");
    }
    if (es_loop_config_validate(&config, &error) != ES_OK) {
        return tool_usage("demo", "%s %s", tool_option_of(error.field), error.reason);
    }
    shown.lead_ticks = demo_way_lead(demo_settings_way(&options->set));
    config = demo_choice_config(&shown, 0);
    if (es_loop_config_validate(&config, &error) != ES_OK) {
        return tool_usage("demo", "--show %s needs a loop of fixed steps",
                demo_way_name_at((size_t)options->set.way));
    }
    int status = check_threads(options);
    return status == TOOL_OK ? check_rest(options) : status;
}

static void set_defaults(demo_options *options)
{
    *options = (demo_options){.run_ns = -1, .seed = 1, .until = -1, .record_frames = true};
    options->wishes.width = DEMO_WIDTH;
    options->wishes.height = DEMO_HEIGHT;
    options->set.choice = demo_choice_none();
    options->set.full_speed = (es_ratio){1, 1};
    options->set.hud = true;
    options->set.every_ns = EVERY_NS;
}

/* --- what is recorded of them ----------------------------------------------------------------- */

/* Options that say where to and from, not how it runs. */
static bool is_left_out(const char *name, size_t size, bool *has_value)
{
    static const char *const flags[] = {
            "window", "terminal", "headless", "vsync", "x11-present", "schedule", "virtual"};
    static const char *const valued[] = {"seconds", "size", "report", "screenshot", "record",
            "record-frames", "play", "until", "keys"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
        if (strlen(flags[i]) == size && memcmp(flags[i], name, size) == 0) {
            *has_value = false;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof valued / sizeof valued[0]; ++i) {
        if (strlen(valued[i]) == size && memcmp(valued[i], name, size) == 0) {
            *has_value = name[size] != '=';
            return true;
        }
    }
    return false;
}

/* What is left has no spaces in it: names, numbers, rates. */
static void keep_settings(demo_options *options, int argc, char **argv)
{
    size_t used = 0;
    for (int i = 1; i < argc && used < sizeof options->settings; ++i) {
        bool has_value;
        const char *name = argv[i] + (strncmp(argv[i], "--", 2) == 0 ? 2 : 0);
        if (name != argv[i] && is_left_out(name, strcspn(name, "="), &has_value)) {
            i += has_value ? 1 : 0;
            continue;
        }
        int more = snprintf(options->settings + used, sizeof options->settings - used, "%s%s",
                used > 0 ? " " : "", argv[i]);
        used += more > 0 ? (size_t)more : 0;
    }
}

enum { WORDS_MAX = 128 };

/* The settings of a recording, as if they had been said first. */
static int parse_recorded(demo_options *options, asked *said)
{
    char text[sizeof options->settings], *words[WORDS_MAX] = {"demo"};
    int count = 1;
    if (!demo_player_tag(options->play, "settings", text, sizeof text)) {
        return TOOL_OK; /* whoever opens it will say what is wrong */
    }
    for (char *word = strtok(text, " "); word != NULL && count < WORDS_MAX;
            word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    return parse(options, said, count, words);
}

int demo_options_read(demo_options *options, int argc, char **argv)
{
    asked said = {.way = DEMO_WAY_INTERPOLATE};
    set_defaults(options);
    int status = parse(options, &said, argc, argv);
    if (status == TOOL_OK && options->play != NULL && options->schedule) {
        demo_options given = *options;
        set_defaults(options);
        said = (asked){.way = DEMO_WAY_INTERPOLATE};
        options->play = given.play;
        status = parse_recorded(options, &said);
        es_ratio recorded = options->set.full_speed;
        status = status == TOOL_OK ? parse(options, &said, argc, argv) : status;
        options->pace = given.set.full_speed; /* of the frames; the world in them has its own */
        options->set.full_speed = recorded;
    }
    keep_settings(options, argc, argv);
    demo_settings_set_way(&options->set, said.way);
    if (said.no_interpolation) {
        demo_settings_set_way(&options->set, DEMO_WAY_NONE);
    }
    return status == TOOL_OK ? check(options) : status;
}
