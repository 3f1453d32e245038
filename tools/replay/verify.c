/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay --verify`: each recording in a process of its own, sorted by name.
 */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE   200809L
#include "verify.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct recording {
    char *name; /* within the folder, escaped */
    char *path;
} recording;

typedef struct folder {
    recording *list;
    size_t count, room;
} folder;

/* The two texts in new memory; NULL: out of memory. */
static char *join(const char *path, const char *separator, const char *name)
{
    size_t size = strlen(path) + strlen(separator) + strlen(name) + 1;
    char *joined = malloc(size);
    if (joined != NULL) {
        snprintf(joined, size, "%s%s%s", path, separator, name);
    }
    return joined;
}

/* --- recordings of a folder ------------------------------------------------------------------- */

/* Takes path over; its name begins at a character. */
static int add(folder *files, char *path, size_t at)
{
    if (files->count == files->room) {
        size_t room = 2 * files->room + 64;
        recording *more = realloc(files->list, room * sizeof *more);
        if (more == NULL) {
            free(path);
            return replay_out_of_memory();
        }
        files->list = more;
        files->room = room;
    }
    recording *added = &files->list[files->count++];
    *added = (recording){.name = path != NULL ? tool_escape(path + at) : NULL, .path = path};
    return added->name != NULL ? TOOL_OK : replay_out_of_memory();
}

static bool is_recording(const char *name)
{
    size_t length = strlen(name);
    return length > 6 && strcmp(name + length - 6, ".esrec") == 0;
}

/* Of folders in it, too, but not of links to folders. */
static int add_folder(folder *files, const char *path, size_t at)
{
    int result = TOOL_OK;
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return replay_failed_to_read(path, strerror(errno));
    }
    for (struct dirent *entry; result == TOOL_OK && (entry = readdir(directory)) != NULL;) {
        struct stat status;
        bool is_dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        char *inner = join(path, "/", entry->d_name);
        if (inner == NULL) {
            result = replay_out_of_memory();
        } else if (!is_dots && lstat(inner, &status) == 0 && S_ISDIR(status.st_mode)) {
            result = add_folder(files, inner, at);
        } else if (is_recording(entry->d_name) && stat(inner, &status) == 0
                   && S_ISREG(status.st_mode)) {
            result = add(files, inner, at);
            continue;
        }
        free(inner);
    }
    closedir(directory);
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const recording *)a)->name, ((const recording *)b)->name);
}

static int list_recordings(folder *files, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return replay_failed_to_read(path, strerror(errno));
    }
    int result = S_ISDIR(status.st_mode) ? add_folder(files, path, strlen(path) + 1)
                                         : add(files, join(path, "", ""), 0);
    if (result == TOOL_OK && files->count == 0) {
        return replay_failed("no file *.esrec in '%s'", path);
    }
    if (result == TOOL_OK) {
        qsort(files->list, files->count, sizeof *files->list, by_name);
    }
    return result;
}

static void free_recordings(folder *files)
{
    for (size_t i = 0; i < files->count; ++i) {
        free(files->list[i].name);
        free(files->list[i].path);
    }
    free(files->list);
}

/* --- running ---------------------------------------------------------------------------------- */

/* Whether the signal comes from what the process did, not from another one. */
static bool is_crash(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL
           || signal == SIGABRT || signal == SIGTRAP || signal == SIGSYS || signal == SIGXCPU;
}

static bool read_verdict(int from, replay_verdict *verdict)
{
    size_t size = 0;
    ssize_t got;
    while ((got = read(from, (char *)verdict + size, sizeof *verdict - size)) > 0
            || (got < 0 && errno == EINTR)) {
        size += got > 0 ? (size_t)got : 0;
    }
    return size == sizeof *verdict;
}

/* In a process of its own: what crashes one run must not end the others. What the program prints
 * goes to stderr. */
static int run_apart(const char *path, const es_verify *program, replay_verdict *verdict)
{
    int ends[2], status = 0;
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) {
        return replay_failed("cannot start a process: %s", strerror(errno));
    }
    if (child == 0) {
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
        replay_run_again(path, program, verdict);
        _exit(write(ends[1], verdict, sizeof *verdict) != (ssize_t)sizeof *verdict);
    }
    close(ends[1]);
    bool whole = read_verdict(ends[0], verdict);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!whole && WIFSIGNALED(status) && !is_crash(WTERMSIG(status))) {
        return replay_failed("'%s': its run was killed (signal %d)", path, WTERMSIG(status));
    }
    if (!whole) {
        *verdict = (replay_verdict){.name = "crashed"};
        snprintf(verdict->why, sizeof verdict->why, "%s %d",
                WIFSIGNALED(status) ? "signal" : "the program ended the process with status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return TOOL_OK;
}

/* Runs one, and prints its row. *good: it is equal, as far as it goes. */
static int run_one(const recording *each, const es_verify *program, bool *good)
{
    replay_verdict verdict;
    int status = run_apart(each->path, program, &verdict);
    if (status != TOOL_OK) {
        return status;
    }
    char *why = tool_escape(verdict.why);
    if (why == NULL) {
        return replay_out_of_memory();
    }
    printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%016" PRIx64 "\t%s\n", each->name, verdict.name,
            verdict.ticks, verdict.compared, verdict.hash, why);
    free(why);
    *good = strcmp(verdict.name, "equal") == 0 || strcmp(verdict.name, "cut off") == 0;
    return TOOL_OK;
}

int replay_verify(const char *path, const char *object)
{
    folder recordings = {0};
    const es_verify *program = NULL;
    int status = replay_program_load(&program, object), result = TOOL_OK;
    status = status == TOOL_OK ? list_recordings(&recordings, path) : status;
    if (status == TOOL_OK) {
        printf("recording\tverdict\tticks\tcompared\thash\tdifference\n");
    }
    for (size_t i = 0; status == TOOL_OK && i < recordings.count; ++i) {
        bool good = true;
        (void)fflush(stdout); /* or the process of its own would print it, too */
        status = run_one(&recordings.list[i], program, &good);
        result = good ? result : REPLAY_DIFFERS;
    }
    free_recordings(&recordings);
    return status == TOOL_OK ? result : status;
}
