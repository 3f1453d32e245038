/* SPDX-License-Identifier: Zlib
 *
 * tool: option tables, values as text, and files, for the subcommands of `evenstep` and for
 * programs of bench/. Exit statuses: 0 done, 1 failed, 2 bad usage (one line on stderr).
 */
#ifndef EVENSTEP_TOOL_H
#define EVENSTEP_TOOL_H

#include "evenstep/evenstep.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* tool_end turns TOOL_HELP_SHOWN into TOOL_OK. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_HELP_SHOWN = -1 };

/* Turns an option's text into a value at target; false: the text is no such value. */
typedef bool tool_parse(const char *text, void *target);

/* One option; or, where name is NULL, a heading (help) for the options that follow. Where the first
 * option's name is empty, it takes the arguments that are no options. */
typedef struct tool_option {
    const char *name;  /* without the dashes */
    const char *value; /* the value's name in --help; "[FILE]": "-" where no value follows; NULL: a
                            flag, target is a bool */
    tool_parse *parse; /* for a flag NULL */
    void *target;      /* where the value goes */
    const char *expects; /* "a duration such as 3ms" or "known loops: ..."; NULL for a flag */
    const char *help;    /* one line */
} tool_option;

/** For a program of its own: messages begin with the command alone, not with "evenstep COMMAND". */
void tool_standalone(void);

/** Reads argv by a table; argv[0] is the command.
 * Options are `--name value` or `--name=value`, in any order; `--help` prints the table.
 * Returns TOOL_OK; TOOL_USAGE after printing an error; TOOL_HELP_SHOWN after printing help. */
int tool_options(const char *command, const char *summary, const tool_option *options,
        size_t option_count, int argc, char **argv);

#if defined(__GNUC__)
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_PRINTF(text, first)
#endif

/** Prints "evenstep COMMAND: message" and a hint at --help, on stderr. Returns TOOL_USAGE. */
int tool_usage(const char *command, const char *format, ...) TOOL_PRINTF(2, 3);

/** vfprintf, with controls as \x1b: names of files reach a terminal. At most 4095 bytes. */
void tool_print(FILE *to, const char *format, va_list arguments);

/** Prints "evenstep COMMAND: message" on stderr. Returns TOOL_FAILED. */
int tool_fail(const char *command, const char *format, ...) TOOL_PRINTF(2, 3);

/** es_get_error without the function and the field that it begins with. */
static inline const char *tool_error_reason(void)
{
    const char *reason = strstr(es_get_error(), ": ");
    return reason != NULL ? reason + 2 : es_get_error();
}

/** The exit status of a program: TOOL_FAILED, with a message, if stdout was not written. */
int tool_end(const char *program, int status);

/** Appends to a text in a buffer of this size; after other text with the separator. */
void tool_append(char *text, size_t size, const char *separator, const char *format, ...)
        TOOL_PRINTF(4, 5);

/** The option that sets a field of es_loop_config, such as "--cap" for "interval_ns";
 * the field itself where no option does. */
const char *tool_option_of(const char *field);

/* Parsers for tool_option. */
bool tool_parse_duration(const char *text, void *int64_ns); /* 3ms, 250us, 1.5s, 40ns; >= 0 */
bool tool_parse_seconds(const char *text, void *int64_ns);  /* as above, and plain 5 is seconds */
bool tool_parse_run(const char *text, void *int64_ns);      /* tool_run_text */
bool tool_parse_rate(const char *text, void *rate);         /* 60, 59.94, 60000/1001 */
bool tool_parse_count(const char *text, void *int32);       /* 0 to INT32_MAX */
bool tool_parse_seed(const char *text, void *uint64);
bool tool_parse_positive(const char *text, void *real);           /* 1000, 0.5 */
bool tool_parse_text(const char *text, void *const_char_pointer); /* any text that is not empty */

/* The items of a table, by index; NULL past the last. Each item begins with its name. */
typedef const void *tool_at(size_t index);

/** An item by name; NULL: there is none. */
const void *tool_find(tool_at *at, const char *name);

/** Adds a pointer to the item of that name, or to all items (name: NULL), to an array of pointers
 * that is large enough for the table. An item is added once. False: there is no such item. */
bool tool_choose(tool_at *at, const char *name, void *pointers, size_t *count);

/** Writes "lead", and the names with commas between them. Returns text. */
char *tool_names(char *text, size_t size, const char *lead, tool_at *at);

/** Copies what is before the separator to head, of 64 characters. Returns what follows it; NULL:
 * there is no separator, or too much before it. */
const char *tool_split(const char *text, const char *separator, char *head);

/** Parses each item of "a,b,c" with `one`; false at the first that fails or is empty. */
bool tool_parse_list(const char *text, tool_parse *one, void *target);

/** Writes a duration in ms: 16, 0.2, 32.4; at most six decimals, no trailing zeros.
 * Returns buffer, which holds at least 32 characters. */
char *tool_format_ms(char *buffer, int64_t ns);

/** Writes a rate: 60, 59.94, 60000/1001. Returns buffer, as above. */
char *tool_format_rate(char *buffer, es_rate rate);

/* The values of tool_parse_run, for tool_option.expects. */
extern const char tool_run_text[];

/* A file that a command may write. */
typedef struct tool_file {
    const char *option;                                /* such as "json" */
    const char *path;                                  /* NULL: not requested */
    bool (*write)(const void *user, const char *path); /* false: see errno */
} tool_file;

/** How many of them are stdout. */
size_t tool_count_stdout(const tool_file *files, size_t count);

/** Returns TOOL_USAGE, with a message, if more than one of them is stdout; else TOOL_OK. */
int tool_check_stdout(const char *command, const tool_file *files, size_t count);

/** Writes all that were requested. Returns TOOL_OK, or TOOL_FAILED after a message. */
int tool_write_files(const char *command, const tool_file *files, size_t count, const void *user);

/** Whether a path, which may be NULL, is "-". */
bool tool_is_stdout(const char *path);

/** Opens a file for writing; "-" is stdout. NULL: see errno. */
FILE *tool_open(const char *path);

/** Closes it, unless it is stdout; false: not all was written, see errno. */
bool tool_close(FILE *file);

/** Prints "evenstep COMMAND: cannot write 'PATH': why" from errno. Returns TOOL_FAILED. */
int tool_failed_to_write(const char *command, const char *path);

/** The library's version, such as "0.3.0". */
const char *tool_version(void);

/** The name of a result, such as "ES_ERR_IO", and what it means. */
const char *tool_result_name(es_result result);
const char *tool_result_text(es_result result);

/* The subcommands of `evenstep`. */
int tool_compare(int argc, char **argv);
int tool_demo(int argc, char **argv);
int tool_gate(int argc, char **argv);
int tool_lab(int argc, char **argv);
int tool_capture(int argc, char **argv);
int tool_measure(int argc, char **argv);
int tool_replay(int argc, char **argv);
int tool_timeline(int argc, char **argv);

#endif
