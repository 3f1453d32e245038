/* SPDX-License-Identifier: Zlib
 *
 * Options by table. getopt_long does the splitting; the table gives names, values and errors.
 */
#define _GNU_SOURCE
#include "tool.h"

#include "lab/numbers.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>

/* getopt_long returns FIRST + the index of an option; and 1 for an argument that is none. */
enum { OPTIONS_MAX = 48, FIRST = 2, HELP_INDEX = FIRST + OPTIONS_MAX };

static const char *program = "evenstep "; /* before the command's name */

void tool_standalone(void)
{
    program = "";
}

void tool_print(FILE *to, const char *format, va_list arguments)
{
    char text[4096];
    (void)vsnprintf(text, sizeof text, format, arguments);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; ++at) {
        bool is_control = (*at < ' ' && *at != '\n') || *at == 127;
        fprintf(to, is_control ? "\\x%02x" : "%c", *at);
    }
}

int tool_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s%s: ", program, command);
    tool_print(stderr, format, arguments);
    fprintf(stderr, "; see `%s%s --help`\n", program, command);
    va_end(arguments);
    return TOOL_USAGE;
}

int tool_fail(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s%s: ", program, command);
    tool_print(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return TOOL_FAILED;
}

/* Output that did not arrive is a failure, too: a full disk, a closed pipe. */
int tool_end(const char *name, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return status == TOOL_HELP_SHOWN ? TOOL_OK : status;
    }
    fprintf(stderr, "%s: cannot write to stdout: %s\n", name,
            errno != 0 ? strerror(errno) : "it is closed");
    return status == TOOL_OK || status == TOOL_HELP_SHOWN ? TOOL_FAILED : status;
}

static void print_row(const char *name, const char *value, const char *help)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", name, value != NULL ? " " : "",
            value != NULL ? value : "");
    printf("  %-26s %s\n", left, help);
}

static bool is_positional(const tool_option *option)
{
    return option->name != NULL && option->name[0] == '\0';
}

static bool is_optional(const tool_option *option)
{
    return option->value != NULL && option->value[0] == '[';
}

static void print_help(
        const char *command, const char *summary, const tool_option *options, size_t count)
{
    bool takes_file = count > 0 && is_positional(&options[0]);
    size_t first = takes_file ? 1 : 0;
    bool headed = count > first && options[first].name == NULL;
    printf("usage: %s%s%s%s [OPTION...]\n\n%s\n\n%s", program, command, takes_file ? " " : "",
            takes_file ? options[0].value : "", summary, headed ? "" : "options:\n");
    for (size_t i = first; i < count; ++i) {
        if (options[i].name == NULL) {
            printf("%s%s:\n", i > first ? "\n" : "", options[i].help);
        } else {
            print_row(options[i].name, options[i].value, options[i].help);
        }
    }
    print_row("help", NULL, "this text");
}

static int refuse_value(const char *command, const tool_option *option, const char *text)
{
    bool is_list = strncmp(option->expects, "known ", 6) == 0;
    return is_list ? tool_usage(
                   command, "--%s: unknown name in '%s'; %s", option->name, text, option->expects)
                   : tool_usage(command, "--%s: expected %s, got '%s'", option->name,
                           option->expects, text);
}

static int take(const char *command, const tool_option *option, const char *text)
{
    if (option->value == NULL) {
        *(bool *)option->target = true;
        return TOOL_OK;
    }
    if (strncmp(text, "--", 2) == 0) {
        return tool_usage(command, "--%s needs a value", option->name);
    }
    return option->parse(text, option->target) ? TOOL_OK : refuse_value(command, option, text);
}

static int take_file(const char *command, const tool_option *option, const char *text)
{
    return option->parse(text, option->target)
                   ? TOOL_OK
                   : tool_usage(command, "expected %s, not also '%s'", option->expects, text);
}

static void fill_table(struct option *table, const tool_option *options, size_t count)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; ++i) {
        if (options[i].name == NULL || is_positional(&options[i])) {
            continue;
        }
        table[filled].name = options[i].name;
        table[filled].has_arg = options[i].value == NULL   ? no_argument
                                : is_optional(&options[i]) ? optional_argument
                                                           : required_argument;
        table[filled].flag = NULL;
        table[filled].val = FIRST + (int)i;
        filled += 1;
    }
    table[filled].name = "help";
    table[filled].val = HELP_INDEX;
}

/* getopt refused: ":" a value is missing, "?" the option is unknown or has a value too many. */
static int refuse(const char *command, int problem, char **argv)
{
    const char *culprit = argv[optind - 1];
    if (optopt > HELP_INDEX || (optopt != 0 && culprit[0] != '-')) { /* within a cluster: -abc */
        culprit = argv[optind];
    }
    if (problem == ':') {
        return tool_usage(command, "%s needs a value", culprit);
    }
    return tool_usage(command, "unknown or ill-formed option '%s'", culprit);
}

int tool_options(const char *command, const char *summary, const tool_option *options,
        size_t option_count, int argc, char **argv)
{
    static char on_stdout[] = "-";
    struct option table[OPTIONS_MAX + 2] = {{0}};
    if (option_count > OPTIONS_MAX) {
        return TOOL_FAILED;
    }
    fill_table(table, options, option_count);
    optind = 1;
    opterr = 0;
    bool takes_file = option_count > 0 && is_positional(&options[0]);
    int found;
    while ((found = getopt_long(argc, argv, takes_file ? "-:" : "+:", table, NULL)) != -1) {
        if (found == HELP_INDEX) {
            print_help(command, summary, options, option_count);
            return TOOL_HELP_SHOWN;
        }
        if (found == '?' || found == ':') {
            return refuse(command, found, argv);
        }
        if (optarg == NULL && is_optional(&options[found - FIRST])) {
            bool given = argv[optind] != NULL && strncmp(argv[optind], "--", 2) != 0;
            optarg = given ? argv[optind++] : on_stdout;
        }
        int status = found == 1 ? take_file(command, &options[0], optarg)
                                : take(command, &options[found - FIRST], optarg);
        if (status != TOOL_OK) {
            return status;
        }
    }
    int status = TOOL_OK;
    for (; optind < argc && status == TOOL_OK; ++optind) { /* after "--" */
        status = takes_file ? take_file(command, &options[0], argv[optind])
                            : tool_usage(command, "unexpected argument '%s'", argv[optind]);
    }
    return status;
}

const char *tool_option_of(const char *field)
{
    static const struct {
        const char *field;
        const char *option;
    } names[] = {{"interval_ns", "--cap"}, {"delay_ticks", "--delay"}, {"tick_rate", "--tick-rate"},
            {"catch_up", "--policy"}, {"queue", "--queue"}, {"rate", "--refresh"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(names[i].field, field) == 0) {
            return names[i].option;
        }
    }
    return field;
}

void tool_append(char *text, size_t size, const char *separator, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", length > 0 ? separator : "");
    length = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* --- names ------------------------------------------------------------------------------------ */

static const char *name_of(const void *item)
{
    return *(const char *const *)item;
}

const void *tool_find(tool_at *at, const char *name)
{
    size_t i = 0;
    while (at(i) != NULL && strcmp(name_of(at(i)), name) != 0) {
        i += 1;
    }
    return at(i);
}

bool tool_choose(tool_at *at, const char *name, void *pointers, size_t *count)
{
    bool found = false;
    for (size_t i = 0; at(i) != NULL; ++i) {
        const void *item = at(i), *chosen = NULL;
        unsigned char *place = pointers; /* copied as bytes: the pointers have any type */
        if (name != NULL && strcmp(name_of(item), name) != 0) {
            continue;
        }
        for (size_t k = 0; k < *count && chosen != item; ++k, place += sizeof item) {
            memcpy(&chosen, place, sizeof item);
        }
        if (chosen != item) {
            memcpy(place, &item, sizeof item);
            *count += 1;
        }
        found = true;
    }
    return found;
}

char *tool_names(char *text, size_t size, const char *lead, tool_at *at)
{
    snprintf(text, size, "%s", lead);
    for (size_t i = 0; at(i) != NULL; ++i) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", name_of(at(i)));
    }
    return text;
}

/* --- values ----------------------------------------------------------------------------------- */

/* A decimal number with up to nine decimals: its whole part and its billionths. */
typedef struct decimal {
    int64_t whole;
    int64_t billionths;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* *rest is what follows the number. */
static bool parse_decimal(const char *text, decimal *value, const char **rest)
{
    const char *begin = text;
    decimal parsed = {0, 0};
    for (; is_digit(*text); ++text) {
        if (parsed.whole > (INT64_MAX - 9) / 10) {
            return false;
        }
        parsed.whole = parsed.whole * 10 + (*text - '0');
    }
    bool any = text > begin;
    if (*text == '.') {
        int64_t unit = ES_NS_PER_S / 10;
        for (++text; is_digit(*text); ++text, unit /= 10) {
            if (unit == 0 && *text != '0') {
                return false;
            }
            parsed.billionths += (*text - '0') * unit;
            any = true;
        }
    }
    *value = parsed;
    *rest = text;
    return any;
}

/* A duration that is no whole number of nanoseconds, or over 292 years, is refused. */
static bool scale(decimal value, int64_t unit_ns, int64_t *ns)
{
    int64_t per_ns = ES_NS_PER_S / unit_ns; /* billionths of the unit in one ns */
    if (value.whole > (INT64_MAX - unit_ns) / unit_ns || value.billionths % per_ns != 0) {
        return false;
    }
    *ns = value.whole * unit_ns + value.billionths / per_ns;
    return true;
}

static bool parse_with_unit(const char *text, const char *unit_when_none, int64_t *ns)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1}, {"us", ES_NS_PER_US}, {"ms", ES_NS_PER_MS}, {"s", ES_NS_PER_S}};
    const char *unit;
    decimal value;
    if (!parse_decimal(text, &value, &unit)) {
        return false;
    }
    if (*unit == '\0' && unit_when_none != NULL) {
        unit = unit_when_none;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        if (strcmp(unit, units[i].name) == 0) {
            return scale(value, units[i].ns, ns);
        }
    }
    return false;
}

bool tool_parse_duration(const char *text, void *int64_ns)
{
    return parse_with_unit(text, strcmp(text, "0") == 0 ? "s" : NULL, int64_ns);
}

bool tool_parse_seconds(const char *text, void *int64_ns)
{
    return parse_with_unit(text, "s", int64_ns);
}

const char tool_run_text[] = "seconds, 0.1 to 3600";

bool tool_parse_run(const char *text, void *int64_ns)
{
    return tool_parse_seconds(text, int64_ns) && *(int64_t *)int64_ns >= 100 * ES_NS_PER_MS
           && *(int64_t *)int64_ns <= 3600 * ES_NS_PER_S;
}

static bool parse_integer(const char *text, const char **rest, uint64_t *value)
{
    if (*text < '0' || *text > '9') {
        return false;
    }
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    *value = parsed;
    *rest = end;
    return errno == 0;
}

bool tool_parse_rate(const char *text, void *rate)
{
    uint64_t numerator;
    uint64_t denominator;
    const char *rest;
    es_rate parsed = {0, 0};
    decimal value;
    if (strchr(text, '/') != NULL) {
        if (parse_integer(text, &rest, &numerator) && *rest == '/'
                && parse_integer(rest + 1, &rest, &denominator) && *rest == '\0') {
            parsed = rate_make(numerator, denominator);
        }
    } else if (parse_decimal(text, &value, &rest) && *rest == '\0' && value.whole <= ES_NS_PER_S) {
        parsed = rate_make(
                (uint64_t)(value.whole * ES_NS_PER_S + value.billionths), (uint64_t)ES_NS_PER_S);
    }
    *(es_rate *)rate = parsed;
    return rate_is_valid(parsed);
}

bool tool_parse_count(const char *text, void *int32)
{
    uint64_t value;
    const char *rest;
    if (!parse_integer(text, &rest, &value) || *rest != '\0' || value > INT32_MAX) {
        return false;
    }
    *(int32_t *)int32 = (int32_t)value;
    return true;
}

bool tool_parse_seed(const char *text, void *uint64)
{
    const char *rest;
    return parse_integer(text, &rest, uint64) && *rest == '\0'
           && *(uint64_t *)uint64 <= (uint64_t)INT64_MAX; /* JSON's integers are signed */
}

bool tool_parse_positive(const char *text, void *real)
{
    decimal value;
    const char *rest;
    if (!parse_decimal(text, &value, &rest) || *rest != '\0' || value.whole > 1000000000) {
        return false;
    }
    *(double *)real = (double)value.whole + (double)value.billionths / 1e9;
    return *(double *)real > 0.0;
}

const char *tool_split(const char *text, const char *separator, char *head)
{
    const char *found = strstr(text, separator);
    if (found == NULL || found - text >= 64) {
        return NULL;
    }
    snprintf(head, 64, "%.*s", (int)(found - text), text);
    return found + strlen(separator);
}

bool tool_parse_list(const char *text, tool_parse *one, void *target)
{
    char item[128];
    for (;;) {
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof item) {
            return false;
        }
        memcpy(item, text, length);
        item[length] = '\0';
        if (!one(item, target)) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

bool tool_parse_text(const char *text, void *const_char_pointer)
{
    *(const char **)const_char_pointer = text;
    return *text != '\0';
}

char *tool_format_ms(char *buffer, int64_t ns)
{
    enum { BUFFER_SIZE = 32 };
    uint64_t size = ns < 0 ? (uint64_t)0 - (uint64_t)ns : (uint64_t)ns;
    snprintf(buffer, BUFFER_SIZE, "%s%llu.%06llu", ns < 0 ? "-" : "",
            (unsigned long long)(size / 1000000), (unsigned long long)(size % 1000000));
    char *end = buffer + strlen(buffer);
    while (end[-1] == '0') {
        *--end = '\0';
    }
    if (end[-1] == '.') {
        end[-1] = '\0';
    }
    return buffer;
}

char *tool_format_rate(char *buffer, es_rate rate)
{
    enum { BUFFER_SIZE = 32 };
    uint64_t millionths = (uint64_t)rate.numerator * 1000000;
    if (rate.denominator != 0 && millionths / 1000000 == rate.numerator
            && millionths % rate.denominator == 0
            && millionths / rate.denominator <= (uint64_t)INT64_MAX) {
        return tool_format_ms(buffer, (int64_t)(millionths / rate.denominator));
    }
    snprintf(buffer, BUFFER_SIZE, "%lu/%lu", (unsigned long)rate.numerator,
            (unsigned long)rate.denominator);
    return buffer;
}

/* --- files ------------------------------------------------------------------------------------ */

bool tool_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

size_t tool_count_stdout(const tool_file *files, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
        found += tool_is_stdout(files[i].path);
    }
    return found;
}

int tool_check_stdout(const char *command, const tool_file *files, size_t count)
{
    const char *taken = NULL;
    for (size_t i = 0; i < count; ++i) {
        if (tool_is_stdout(files[i].path) && taken != NULL) {
            return tool_usage(
                    command, "--%s - and --%s - cannot both be stdout", taken, files[i].option);
        }
        taken = tool_is_stdout(files[i].path) ? files[i].option : taken;
    }
    return TOOL_OK;
}

int tool_write_files(const char *command, const tool_file *files, size_t count, const void *user)
{
    for (size_t i = 0; i < count; ++i) {
        if (files[i].path != NULL && !files[i].write(user, files[i].path)) {
            return tool_failed_to_write(command, files[i].path);
        }
    }
    return TOOL_OK;
}

FILE *tool_open(const char *path)
{
    return tool_is_stdout(path) ? stdout : fopen(path, "w");
}

bool tool_close(FILE *file)
{
    bool written = fflush(file) == 0 && ferror(file) == 0;
    return (file == stdout || fclose(file) == 0) && written;
}

int tool_failed_to_write(const char *command, const char *path)
{
    return tool_fail(command, "cannot write '%s': %s", path, strerror(errno));
}
