/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay`: what is in a recording, of any program.
 */
#include "replay.h"

#include "replay_demo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct replay_options {
    const char *path;
    bool inputs, schedule, snapshots, events, hashes;
    replay_range range;
    bool has_from, has_to;
    const char *diff;
    bool dumps, seeks, verify;
    int64_t dump, seek;
    bool json;
} replay_options;

/* --- options ---------------------------------------------------------------------------------- */

static bool parse_tick(const char *text, void *int64)
{
    char *end;
    const char *digits = *text == '-' ? text + 1 : text;
    if (*digits < '0' || *digits > '9') {
        return false;
    }
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *(int64_t *)int64 = value;
    return errno == 0 && *end == '\0';
}

/* A tick, and that one was given: the member behind it. */
typedef struct optional_tick {
    int64_t *tick;
    bool *given;
} optional_tick;

static bool parse_optional_tick(const char *text, void *target)
{
    const optional_tick *optional = target;
    *optional->given = true;
    return parse_tick(text, optional->tick);
}

static const char summary[] =
        "What is in a recording, of any program: what it is, how much it holds, whether all of it\n"
        "is there. docs/replay.md has the format.\n\n"
        "exit status: 0 intact, or the same; 1 --diff: they differ, --dump: no such snapshot;\n"
        "2 bad usage; 3 damaged or cut off (what can be read was shown); 4 no recording, or it\n"
        "cannot be read, or what was printed cannot be written. --verify, --seek: 1 where it\n"
        "differs, or where not all of it could be run and compared\n\n"
        "examples:\n"
        "  evenstep replay run.esrec\n"
        "  evenstep replay run.esrec --inputs --from 600 --to 660\n"
        "  evenstep replay run.esrec --schedule --json\n"
        "  evenstep replay mine.esrec --diff yours.esrec\n"
        "  evenstep replay run.esrec --dump 600";

enum { OPTION_COUNT = 16 };

typedef struct option_table {
    optional_tick from, to, dump, seek;
    tool_option options[OPTION_COUNT];
} option_table;

static void fill_table(option_table *table, replay_options *o)
{
    static const char tick[] = "a tick, a whole number";
    const tool_option options[OPTION_COUNT] = {
            {NULL, NULL, NULL, NULL, NULL, "lists, any of them"},
            {"inputs", NULL, NULL, &o->inputs, NULL, "the ticks that have input, and the bytes"},
            {"schedule", NULL, NULL, &o->schedule, NULL,
                    "the frames: when, what they show, how many ticks; the worst stutters"},
            {"snapshots", NULL, NULL, &o->snapshots, NULL, "whole states: tick, place, size"},
            {"events", NULL, NULL, &o->events, NULL, "the program's own records"},
            {"hashes", NULL, NULL, &o->hashes, NULL, "of the state, tick by tick"},
            {"from", "TICK", parse_optional_tick, &table->from, tick, "lists begin at this tick"},
            {"to", "TICK", parse_optional_tick, &table->to, tick, "and end with this one"},
            {NULL, NULL, NULL, NULL, NULL, "or one of these"},
            {"diff", "OTHER", tool_parse_text, &o->diff, "a recording",
                    "the first tick in which two recordings differ, and in what"},
            {"dump", "TICK", parse_optional_tick, &table->dump, tick,
                    "the state after a tick that there is a snapshot of"},
            {NULL, NULL, NULL, NULL, NULL, "for recordings of the demo: these run it again"},
            {"verify", NULL, NULL, &o->verify, NULL, "does it come to the same states?"},
            {"seek", "TICK", parse_optional_tick, &table->seek, tick, "the state after any tick"},
            {NULL, NULL, NULL, NULL, NULL, "how it is shown"},
            {"json", NULL, NULL, &o->json, NULL, "as JSON, on stdout"},
    };
    table->from = (optional_tick){&o->range.from, &o->has_from};
    table->to = (optional_tick){&o->range.to, &o->has_to};
    table->dump = (optional_tick){&o->dump, &o->dumps};
    table->seek = (optional_tick){&o->seek, &o->seeks};
    memcpy(table->options, options, sizeof options);
}

/* Whether this argument takes the next one as its value; options may be shortened. */
static bool takes_next(const tool_option *options, size_t count, const char *argument)
{
    size_t length = strlen(argument);
    if (length < 3 || strncmp(argument, "--", 2) != 0 || strchr(argument, '=') != NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (options[i].name != NULL && strncmp(options[i].name, argument + 2, length - 2) == 0) {
            return options[i].value != NULL;
        }
    }
    return false;
}

/* Takes the file out of argv: the one argument that is no option and no option's value. */
static int take_path(
        const option_table *table, size_t count, replay_options *o, int *argc, char **argv)
{
    int kept = 1;
    bool options_end = false;
    for (int i = 1; i < *argc; ++i) {
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0') {
            argv[kept++] = argv[i];
            if (takes_next(table->options, count, argv[i]) && i + 1 < *argc) {
                argv[kept++] = argv[++i];
            }
        } else if (o->path == NULL) {
            o->path = argv[i];
        } else {
            return tool_usage(
                    "replay", "one recording at a time, not '%s' and '%s'", o->path, argv[i]);
        }
    }
    *argc = kept;
    return TOOL_OK;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (strcmp(argv[i], "--help") == 0) {
            return true;
        }
    }
    return false;
}

/* --- what goes with what ---------------------------------------------------------------------- */

static unsigned lists_of(const replay_options *o)
{
    return (o->inputs ? REPLAY_INPUTS : 0U) | (o->schedule ? REPLAY_SCHEDULE : 0U)
           | (o->snapshots ? REPLAY_SNAPSHOTS : 0U) | (o->events ? REPLAY_EVENTS : 0U)
           | (o->hashes ? REPLAY_HASHES : 0U);
}

static int check(const replay_options *o)
{
    const struct {
        const char *name;
        bool chosen;
    } jobs[] = {{"the lists", lists_of(o) != 0}, {"--diff", o->diff != NULL}, {"--dump", o->dumps},
            {"--verify", o->verify}, {"--seek", o->seeks}};
    const char *chosen = NULL;
    if (o->path == NULL) {
        return tool_usage("replay", "no recording given");
    }
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; ++i) {
        if (jobs[i].chosen && chosen != NULL) {
            return tool_usage("replay", "%s and %s do not go together", chosen, jobs[i].name);
        }
        chosen = jobs[i].chosen ? jobs[i].name : chosen;
    }
    if ((o->has_from || o->has_to) && lists_of(o) == 0) {
        return tool_usage("replay",
                "%s is for the lists: --inputs, --schedule, --snapshots, "
                "--events, --hashes",
                o->has_from ? "--from" : "--to");
    }
    if (o->range.from > o->range.to) {
        return tool_usage("replay", "--from is after --to");
    }
    return TOOL_OK;
}

/* --- running ---------------------------------------------------------------------------------- */

static int run_demo(const replay_options *o)
{
    replay_file file;
    int status = replay_open(&file, o->path);
    replay_close(&file);
    if (status != TOOL_OK) {
        return status;
    }
    if (!replay_demo_is(o->path)) {
        return tool_usage("replay", "%s runs a program again, and '%s' is no recording of the demo",
                o->verify ? "--verify" : "--seek", o->path);
    }
    replay_demo_request request = {
            .path = o->path, .seeks = o->seeks, .seek_tick = o->seek, .json = o->json};
    return replay_demo(&request);
}

static int run_diff(const replay_options *o, replay_file *file, replay_out *out)
{
    replay_file other;
    int status = replay_open(&other, o->diff);
    if (status == TOOL_OK) {
        status = replay_diff(file, &other, out);
    }
    replay_close(&other);
    return status;
}

static int run(const replay_options *o)
{
    replay_file file;
    replay_out out;
    replay_out_init(&out, o->json);
    int status = replay_open(&file, o->path);
    if (status == TOOL_OK) {
        status = o->diff != NULL    ? run_diff(o, &file, &out)
                 : o->dumps         ? replay_dump(&file, &out, o->dump)
                 : lists_of(o) != 0 ? replay_lists(&file, &out, lists_of(o), o->range)
                                    : replay_report(&file, &out);
    }
    replay_close(&file);
    return out.is_short ? replay_out_of_memory() : status;
}

int tool_replay(int argc, char **argv)
{
    replay_options o = {.range = {INT64_MIN, INT64_MAX}};
    option_table table;
    fill_table(&table, &o);
    size_t count = OPTION_COUNT;
    if (asks_for_help(argc, argv)) {
        char *help[] = {argv[0], (char[]){"--help"}, NULL};
        (void)tool_options("replay FILE", summary, table.options, count, 2, help);
        return TOOL_OK;
    }
    int status = take_path(&table, count, &o, &argc, argv);
    if (status == TOOL_OK) {
        status = tool_options("replay", summary, table.options, count, argc, argv);
    }
    if (status == TOOL_OK) {
        status = check(&o);
    }
    if (status != TOOL_OK) {
        return status;
    }
    status = o.verify || o.seeks ? run_demo(&o) : run(&o);
    return fflush(stdout) == 0 && !ferror(stdout) ? status : REPLAY_UNREADABLE; /* main tells */
}
