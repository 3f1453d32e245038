/* SPDX-License-Identifier: Zlib
 *
 * Runs the tests of all files in the program.
 *
 *   unit                runs all
 *   unit NAME...        those of tests/test_NAME.c, or the tests of that name; * in a name is any text
 *   unit FILE/NAME...   the tests of that name in that file
 *   unit --list         prints FILE/NAME of each
 *
 * Exits 1 if one fails, 2 if there is none of a name. A test that fails prints its row (test_support.h).
 */
#include "test_support.h"

test_group *test_groups;

/* --- rows ----------------------------------------------------------------------------------------- */

static struct {
    const char *table; /* or NULL: text */
    size_t index;
    char text[160];
} rows[8];
static size_t row_count; /* may be more */
static char setting[160];

size_t test_row_count(void)
{
    return row_count;
}

void test_row_end(size_t *count)
{
    row_count = *count;
}

bool test_row_is(size_t before, const char *table, size_t index)
{
    row_count = before + 1;
    if (before < COUNT_OF(rows)) {
        rows[before].table = table;
        rows[before].index = index;
    }
    return true;
}

size_t test_row_begin(const char *format, ...)
{
    size_t before = row_count++;
    va_list arguments;
    va_start(arguments, format);
    if (before < COUNT_OF(rows)) {
        rows[before].table = NULL;
        vsnprintf(rows[before].text, sizeof rows[before].text, format, arguments);
    }
    va_end(arguments);
    return before;
}

void test_setting(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(setting, sizeof setting, format, arguments);
    va_end(arguments);
}

static void print_rows(const char *test)
{
    fflush(stdout);
    fprintf(stderr, "%s: stopped at %s", test, setting);
    for (size_t i = 0; i < row_count && i < COUNT_OF(rows); ++i) {
        if (rows[i].table != NULL) {
            fprintf(stderr, " %s[%zu]", rows[i].table, rows[i].index);
        } else {
            fprintf(stderr, " %s", rows[i].text);
        }
    }
    fputc('\n', stderr);
}

/* --- one test ------------------------------------------------------------------------------------- */

static const struct CMUnitTest *running;
static bool ended;

static int before_test(void **state)
{
    running = *state;
    *state = running->initial_state;
    ended = false;
    row_count = 0;
    setting[0] = '\0';
    return running->setup_func != NULL ? running->setup_func(state) : 0;
}

static void run_one(void **state)
{
    running->test_func(state);
    ended = true;
}

/* A failed assertion leaves the test by longjmp: its rows are still there. */
static int after_test(void **state)
{
    if (!ended && (row_count > 0 || setting[0] != '\0')) {
        print_rows(running->name);
    }
    return running->teardown_func != NULL ? running->teardown_func(state) : 0;
}

/* --- which ---------------------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *text, const char *end)
{
    if (*pattern == '*') {
        return matches(pattern + 1, text, end) || (text < end && matches(pattern, text + 1, end));
    }
    if (*pattern == '\0') {
        return text == end;
    }
    return text < end && *pattern == *text && matches(pattern + 1, text + 1, end);
}

/* FILE/NAME */
static void full_name(const test_group *group, const struct CMUnitTest *test, char name[256])
{
    const char *file = group->file;
    for (const char *at = file; *at != '\0'; ++at) {
        file = *at == '/' || *at == '\\' ? at + 1 : file;
    }
    file += strncmp(file, "test_", 5) == 0 ? 5 : 0;
    snprintf(name, 256, "%.*s/%s", (int)strcspn(file, "."), file, test->name);
}

static bool is_meant(const char *pattern, const char *name)
{
    const char *slash = strchr(name, '/');
    const char *end = slash + strlen(slash);
    return matches(pattern, name, end) || matches(pattern, name, slash)
           || matches(pattern, slash + 1, end);
}

static bool is_chosen(const char *name, int count, char **patterns)
{
    for (int i = 0; i < count; ++i) {
        if (is_meant(patterns[i], name)) {
            return true;
        }
    }
    return count == 0;
}

static int run_group(const test_group *group, int count, char **patterns)
{
    struct CMUnitTest list[TESTS_MAX];
    char name[256];
    size_t chosen = 0;
    memset(list, 0, sizeof list);
    for (size_t i = 0; i < group->count; ++i) {
        const struct CMUnitTest *test = &group->list[i];
        full_name(group, test, name);
        if (is_chosen(name, count, patterns)) {
            list[chosen++] = (struct CMUnitTest){
                    test->name, run_one, before_test, after_test, (void *)(uintptr_t)test};
        }
    }
    return chosen > 0 ? cmocka_run_group_tests_name(group->file, list, group->setup, NULL) : 0;
}

/* Prints each test if pattern is NULL, else counts those of that name. */
static int find(const char *pattern)
{
    char name[256];
    int found = 0;
    for (const test_group *group = test_groups; group != NULL; group = group->next) {
        for (size_t i = 0; i < group->count; ++i) {
            full_name(group, &group->list[i], name);
            found += pattern == NULL ? puts(name) < 0 : is_meant(pattern, name);
        }
    }
    return found;
}

int main(int count, char **arguments)
{
    int failed = 0;
    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        return find(NULL) != 0;
    }
    for (int i = 1; i < count; ++i) {
        if (find(arguments[i]) == 0) {
            fprintf(stderr, "%s: there is no test '%s' here; --list prints all\n", arguments[0],
                    arguments[i]);
            return 2;
        }
    }
    for (const test_group *group = test_groups; group != NULL; group = group->next) {
        failed += run_group(group, count - 1, arguments + 1) != 0;
    }
    return failed > 0;
}
