/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay`: its options.
 */
#include "verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A tick, and whether it was given. */
typedef struct optional_tick {
    int64_t tick;
    bool given;
} optional_tick;

typedef struct replay_options {
    const char *path;
    bool inputs, snapshots, events, hashes, frames;
    optional_tick from, to;
    const char *diff;
    bool verify;
    bool json;
    const char *program;
} replay_options;

/* --- options ---------------------------------------------------------------------------------- */

/* One file. */
static bool parse_path(const char *text, void *target)
{
    const char **path = target;
    bool is_first = *path == NULL;
    *path = text;
    return is_first;
}

static bool parse_tick(const char *text, void *target)
{
    optional_tick *optional = target;
    char *end;
    const char *digits = *text == '-' ? text + 1 : text;
    if (*digits < '0' || *digits > '9') {
        return false;
    }
    errno = 0;
    *optional = (optional_tick){strtoll(text, &end, 10), true};
    return errno == 0 && *end == '\0';
}

static const char summary[] =
        "Prints the contents of a recording from any program, and checks that no data is missing\n"
        "or damaged. docs/notes/format.md describes the file format.\n\n"
        "exit status:\n"
        "  0  intact, or equal\n"
        "  1  --diff: the recordings differ\n"
        "     --verify: a tick differs, or cannot be run or compared\n"
        "  2  bad usage\n"
        "  3  damaged or cut off; the readable part was shown\n"
        "  4  not a recording, or it cannot be read, or the output cannot be written\n\n"
        "examples:\n"
        "  evenstep replay run.esrec\n"
        "  evenstep replay run.esrec --inputs --from 600 --to 660\n"
        "  evenstep replay run.esrec --events --json\n"
        "  evenstep replay mine.esrec --diff yours.esrec\n"
        "  evenstep replay matches --verify --program ./game.so";

static int parse_options(replay_options *o, int argc, char **argv)
{
    static const char tick[] = "a tick, a whole number";
    const tool_option options[] = {
            {"", "FILE", parse_path, &o->path, "one recording", NULL},
            {.help = "lists (any of them)"},
            {"inputs", NULL, NULL, &o->inputs, NULL, "the ticks that have input, and its bytes"},
            {"snapshots", NULL, NULL, &o->snapshots, NULL, "whole states: tick, place, size"},
            {"events", NULL, NULL, &o->events, NULL, "the records that the program added"},
            {"hashes", NULL, NULL, &o->hashes, NULL, "hashes of the state, tick by tick"},
            {"frames", NULL, NULL, &o->frames, NULL,
                    "frames: what each showed, when, and its work"},
            {"from", "TICK", parse_tick, &o->from, tick, "the first tick of the lists"},
            {"to", "TICK", parse_tick, &o->to, tick, "the last tick of the lists"},
            {.help = "compare"},
            {"diff", "OTHER", tool_parse_text, &o->diff, "a recording",
                    "find the first tick in which two recordings differ"},
            {.help = "run recordings again"},
            {"verify", NULL, NULL, &o->verify, NULL,
                    "compare all states with the recorded ones. FILE: also a folder"},
            {"program", "OBJECT", tool_parse_text, &o->program, "a shared object",
                    "the program that was recorded (adapters/verify.h)"},
            {.help = "output"},
            {"json", NULL, NULL, &o->json, NULL, "print JSON instead of text"},
    };
    return tool_options("replay", summary, options, sizeof options / sizeof options[0], argc, argv);
}

/* --- running ---------------------------------------------------------------------------------- */

static unsigned lists_of(const replay_options *o)
{
    return (o->inputs ? REPLAY_INPUTS : 0U) | (o->snapshots ? REPLAY_SNAPSHOTS : 0U)
           | (o->events ? REPLAY_EVENTS : 0U) | (o->hashes ? REPLAY_HASHES : 0U)
           | (o->frames ? REPLAY_FRAMES : 0U);
}

static replay_range range_of(const replay_options *o)
{
    return (replay_range){
            o->from.given ? o->from.tick : INT64_MIN, o->to.given ? o->to.tick : INT64_MAX};
}

static int check(const replay_options *o)
{
    const struct {
        const char *name;
        bool chosen;
    } jobs[] = {
            {"the lists", lists_of(o) != 0}, {"--diff", o->diff != NULL}, {"--verify", o->verify}};
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
    if ((o->from.given || o->to.given) && lists_of(o) == 0) {
        return tool_usage("replay",
                "%s is for the lists: --inputs, --snapshots, --events, --hashes, --frames",
                o->from.given ? "--from" : "--to");
    }
    if (range_of(o).from > range_of(o).to) {
        return tool_usage("replay", "--from is after --to");
    }
    if (o->verify != (o->program != NULL)) {
        return tool_usage("replay", "--verify and --program go together");
    }
    return o->verify && o->json ? tool_usage("replay", "--json: --verify prints a table") : TOOL_OK;
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
    replay_out out = {.json = o->json};
    int status = replay_open(&file, o->path);
    if (status == TOOL_OK) {
        status = o->diff != NULL    ? run_diff(o, &file, &out)
                 : lists_of(o) != 0 ? replay_lists(&file, &out, lists_of(o), range_of(o))
                                    : replay_report(&file, &out);
    }
    replay_close(&file);
    return out.failed ? replay_out_of_memory() : status;
}

int tool_replay(int argc, char **argv)
{
    replay_options o = {0};
    int status = parse_options(&o, argc, argv);
    status = status == TOOL_OK ? check(&o) : status;
    if (status != TOOL_OK) {
        return status;
    }
    status = o.verify ? replay_verify(o.path, o.program) : run(&o);
    return fflush(stdout) == 0 && !ferror(stdout) ? status : REPLAY_UNREADABLE; /* main says why */
}
