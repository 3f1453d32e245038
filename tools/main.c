/* SPDX-License-Identifier: Zlib
 *
 * `evenstep`: finds the subcommand and runs it.
 */
#include "tool.h"

#include <stdlib.h>

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} subcommand;

static const subcommand subcommands[] = {
#ifdef EVENSTEP_HAVE_CAPTURE
        {"capture", tool_capture, "write the frames of a program that is not yours to a file"},
#endif
        {"compare", tool_compare,
                "run a program under several loops; show where an object is seen"},
        {"demo", tool_demo, "show smooth motion in a window, in a terminal, or without either"},
        {"gate", tool_gate, "pass or fail by rules on captures: for builds"},
        {"lab", tool_lab, "measure how smooth loops are, on simulated displays"},
        {"measure", tool_measure,
                "tell how smooth a real program was, from a capture of its frames"},
        {"replay", tool_replay, "show a recording, check it, compare it with another"},
        {"timeline", tool_timeline, "print what a loop does, event by event"},
};

static const size_t subcommand_count = sizeof(subcommands) / sizeof(subcommands[0]);

static void print_help(void)
{
    printf("usage: evenstep COMMAND [OPTION...]\n\n"
           "Smooth motion for games: when to update, when to draw, and which instant each frame "
           "shows.\n\n"
           "commands:\n");
    for (size_t i = 0; i < subcommand_count; ++i) {
        printf("  %-10s %s\n", subcommands[i].name, subcommands[i].help);
    }
    printf("\n`evenstep COMMAND --help` lists the options of a command.\n"
           "`evenstep --version` prints the version.\n");
}

/* what: with a name, or for no command at all with the names of all. */
static int refuse(const char *what, const char *name)
{
    char names[128] = "";
    for (size_t i = 0; name == NULL && i < subcommand_count; ++i) {
        tool_append(names, sizeof names, ", ", "%s", subcommands[i].name);
    }
    fprintf(stderr, "evenstep: %s%s%s%s; see `evenstep --help`\n", what, name != NULL ? " '" : " ",
            name != NULL ? name : names, name != NULL ? "'" : "");
    return TOOL_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        return refuse("no command given:", NULL);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("evenstep %s\n", tool_version());
        return TOOL_OK;
    }
    for (size_t i = 0; i < subcommand_count; ++i) {
        if (strcmp(argv[1], subcommands[i].name) == 0) {
            return subcommands[i].run(argc - 1, argv + 1);
        }
    }
    return refuse(argv[1][0] == '-' ? "unknown option" : "unknown command", argv[1]);
}

/* Of a debug build. */
static void report_bug(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "%s\nevenstep %s: this is a bug; please report it with the command line\n",
            message, tool_version());
    abort();
}

int main(int argc, char **argv)
{
    es_set_assert_handler(report_bug, NULL);
    return tool_end("evenstep", run(argc, argv));
}
