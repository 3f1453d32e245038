/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay`: its options.
 */
#include "bulk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

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
    bool verify, merge;
    optional_tick seek;
    bool json;
    const char *program, *results, *shard;
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
        "     --verify, --seek, --merge: a tick differs, or cannot be run or compared\n"
        "  2  bad usage\n"
        "  3  damaged or cut off; the readable part was shown\n"
        "     --merge: results are missing\n"
        "  4  not a recording, or it cannot be read, or the output cannot be written\n\n"
        "examples:\n"
        "  evenstep replay run.esrec\n"
        "  evenstep replay run.esrec --inputs --from 600 --to 660\n"
        "  evenstep replay run.esrec --events --json\n"
        "  evenstep replay mine.esrec --diff yours.esrec\n"
        "  evenstep replay matches --verify --program ./game.so --shard 2/8 --results results";

static int parse_options(replay_options *o, int argc, char **argv)
{
    static const char tick[] = "a tick, a whole number", shard[] = "I/N, or auto";
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
                    "what was recorded (adapters/verify.h); default: the demo"},
            {"results", "FOLDER", tool_parse_text, &o->results, "a folder",
                    "keep results; recordings that have one are not run again"},
            {"shard", "I/N", tool_parse_text, &o->shard, shard,
                    "verify each Nth, from I (0 to N - 1); auto: as Slurm, MPI, Kubernetes say"},
            {"merge", NULL, NULL, &o->merge, NULL,
                    "print the results of all recordings of a folder"},
            {"seek", "TICK", parse_tick, &o->seek, tick,
                    "of the demo's recording: show the state after this tick"},
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

static bool is_bulk(const replay_options *o)
{
    struct stat status;
    return o->merge || o->program != NULL || o->results != NULL || o->shard != NULL
           || (o->verify && stat(o->path, &status) == 0 && S_ISDIR(status.st_mode));
}

static int check_bulk(const replay_options *o)
{
    if (is_bulk(o) && !o->verify && !o->merge) {
        return tool_usage(
                "replay", "--program, --results and --shard are for --verify and --merge");
    }
    if (is_bulk(o) && o->json) {
        return tool_usage("replay", "--json: results of folders and programs are a table");
    }
    if (o->merge && o->shard != NULL) {
        return tool_usage("replay", "--merge and --shard do not go together");
    }
    if (o->results == NULL && (o->merge || o->shard != NULL)) {
        return tool_usage("replay", "%s needs --results", o->merge ? "--merge" : "--shard");
    }
    return TOOL_OK;
}

static int check(const replay_options *o)
{
    const struct {
        const char *name;
        bool chosen;
    } jobs[] = {{"the lists", lists_of(o) != 0}, {"--diff", o->diff != NULL},
            {"--verify", o->verify}, {"--merge", o->merge}, {"--seek", o->seek.given}};
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
    return check_bulk(o);
}

static int run_demo(const replay_options *o, const replay_file *file, replay_out *out)
{
    const uint32_t *version = file->header.run.version; /* zeros: not readable */
    if (!replay_is_demo(o->path)) {
        return replay_failed(REPLAY_DIFFERS,
                "'%s' is not a recording of the demo (Evenstep %" PRIu32 ".%" PRIu32 ".%" PRIu32
                " wrote it): %s",
                o->path, version[0], version[1], version[2],
                o->verify ? "name its program by --program" : "--seek runs the demo alone");
    }
    return o->verify ? replay_verify(o->path, out) : replay_seek(o->path, o->seek.tick, out);
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

static int run_bulk(const replay_options *o)
{
    replay_bulk bulk = {
            .path = o->path, .results = o->results, .program = o->program, .merge = o->merge};
    int status = o->shard != NULL ? replay_find_shard(&bulk, o->shard) : TOOL_OK;
    return status == TOOL_OK ? replay_verify_all(&bulk) : status;
}

static int run(const replay_options *o)
{
    replay_file file;
    replay_out out = {.json = o->json};
    int status = replay_open(&file, o->path);
    if (status == TOOL_OK) {
        status = o->diff != NULL              ? run_diff(o, &file, &out)
                 : o->verify || o->seek.given ? run_demo(o, &file, &out)
                 : lists_of(o) != 0           ? replay_lists(&file, &out, lists_of(o), range_of(o))
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
    status = is_bulk(&o) ? run_bulk(&o) : run(&o);
    return fflush(stdout) == 0 && !ferror(stdout) ? status : REPLAY_UNREADABLE; /* main says why */
}
