/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay --verify FOLDER` and `--merge`. Recordings are sorted by name; number n is of shard
 * n % N. The result of a recording is a file of its own, RESULTS/NAME.result, which is complete as soon
 * as it is there, so that workers need not know of each other, and none is doubled. Its line:
 *
 *   size TAB time TAB build of the program TAB the row of the table
 *
 * With the same size, time and build, the recording is not run again.
 */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE   200809L
#include "bulk.h"

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
    size_t at;  /* where the name begins in the path */
    char *kept; /* the file of its result; NULL: none is kept */
    uint64_t size;
    int64_t time_ns; /* of the last change */
    char *row;       /* of the table; NULL: none yet */
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
static int add(folder *files, char *path, size_t at, const struct stat *status)
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
    *added = (recording){.name = path != NULL ? replay_escape(path + at) : NULL,
            .path = path,
            .at = at,
            .size = (uint64_t)status->st_size,
            .time_ns = (int64_t)status->st_mtim.tv_sec * ES_NS_PER_S + status->st_mtim.tv_nsec};
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
            result = add(files, inner, at, &status);
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

static int list_recordings(folder *files, const char *path, const char *results)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return replay_failed_to_read(path, strerror(errno));
    }
    int result = S_ISDIR(status.st_mode) ? add_folder(files, path, strlen(path) + 1)
                                         : add(files, join(path, "", ""), 0, &status);
    if (result == TOOL_OK && files->count == 0) {
        return replay_failed(REPLAY_UNREADABLE, "no file *.esrec in '%s'", path);
    }
    for (size_t i = 0; result == TOOL_OK && results != NULL && i < files->count; ++i) {
        recording *each = &files->list[i];
        char *kept = join(results, "/", each->path + each->at);
        each->kept = kept != NULL ? join(kept, "", ".result") : NULL;
        free(kept);
        result = each->kept != NULL ? TOOL_OK : replay_out_of_memory();
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
        free(files->list[i].kept);
        free(files->list[i].row);
    }
    free(files->list);
}

/* --- results ---------------------------------------------------------------------------------- */

/* Sets the row from the file of the result. NULL: it is there; else why not. */
static const char *read_result(recording *each, const char *build)
{
    char *line = NULL, program[sizeof((replay_program *)0)->build];
    size_t room = 0;
    uint64_t size;
    int64_t time_ns;
    int row = 0;
    FILE *file = fopen(each->kept, "rb");
    ssize_t length = file != NULL ? getline(&line, &room, file) : -1;
    if (file != NULL) {
        fclose(file);
    }
    const char *why = NULL;
    if (file == NULL) {
        why = "there is none";
    } else if (length <= 0 || line[length - 1] != '\n'
               || sscanf(line, "%" SCNu64 "\t%" SCNd64 "\t%39[^\t]\t%n", &size, &time_ns, program,
                          &row)
                          != 3
               || row == 0 || strncmp(line + row, each->name, strlen(each->name)) != 0
               || line[(size_t)row + strlen(each->name)] != '\t') {
        why = "it is no result of this recording";
    } else if (size != each->size || time_ns != each->time_ns) {
        why = "the recording has changed since";
    } else if (strcmp(program, build) != 0) {
        why = "it is by another build of the program";
    } else {
        line[length - 1] = '\0';
        each->row = join(line + row, "", "");
    }
    free(line);
    return why;
}

/* Makes the folders of a file. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777); /* what fails here, opening the file says */
        *slash = '/';
    }
}

static int write_result(const recording *each, const char *build)
{
    char suffix[100] = ".", *temporary;
    (void)gethostname(suffix + 1, 64);
    snprintf(suffix + strlen(suffix), 24, ".%ld", (long)getpid());
    temporary = join(each->kept, "", suffix);
    if (temporary == NULL) {
        return replay_out_of_memory();
    }
    make_folders(temporary);
    FILE *file = fopen(temporary, "wb");
    bool written = file != NULL
                   && fprintf(file, "%" PRIu64 "\t%" PRId64 "\t%s\t%s\n", each->size, each->time_ns,
                              build, each->row)
                              > 0;
    written = file != NULL && fclose(file) == 0 && written && rename(temporary, each->kept) == 0;
    free(temporary);
    return written ? TOOL_OK
                   : replay_failed(REPLAY_UNREADABLE, "--results: cannot write '%s': %s",
                           each->kept, strerror(errno));
}

static bool is_good(const recording *each)
{
    const char *verdict = each->row + strlen(each->name);
    return strncmp(verdict, "\tequal\t", 7) == 0 || strncmp(verdict, "\tcut off\t", 9) == 0;
}

static int print_table(const folder *recordings)
{
    int status = TOOL_OK;
    printf("recording\tverdict\tticks\tcompared\thash\tdifference\n");
    for (size_t i = 0; i < recordings->count; ++i) {
        printf("%s\n", recordings->list[i].row);
        status = is_good(&recordings->list[i]) ? status : REPLAY_DIFFERS;
    }
    return status;
}

/* --- a worker ------------------------------------------------------------------------------- */

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
        return replay_failed(REPLAY_UNREADABLE, "cannot start a process: %s", strerror(errno));
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
        return replay_failed(
                REPLAY_UNREADABLE, "'%s': its run was killed (signal %d)", path, WTERMSIG(status));
    }
    if (!whole) {
        *verdict = (replay_verdict){.name = "crashed"};
        snprintf(verdict->why, sizeof verdict->why, "%s %d",
                WIFSIGNALED(status) ? "signal" : "the program ended the process with status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return TOOL_OK;
}

static int run_one(recording *each, const replay_program *program)
{
    replay_verdict verdict;
    int status = run_apart(each->path, program->calls, &verdict);
    if (status != TOOL_OK) {
        return status;
    }
    char *why = replay_escape(verdict.why), numbers[120];
    snprintf(numbers, sizeof numbers, "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%016" PRIx64 "\t",
            verdict.name, verdict.ticks, verdict.compared, verdict.hash);
    each->row = why != NULL ? join(each->name, numbers, why) : NULL;
    free(why);
    if (each->row == NULL) {
        return replay_out_of_memory();
    }
    return each->kept != NULL ? write_result(each, program->build) : TOOL_OK;
}

static int run_shard(const replay_bulk *bulk, const replay_program *program, folder *recordings)
{
    uint32_t count = bulk->count > 0 ? bulk->count : 1;
    uint64_t all = 0, before = 0, bad = 0;
    for (size_t i = bulk->shard; i < recordings->count; i += count) {
        recording *each = &recordings->list[i];
        if (each->kept != NULL && read_result(each, program->build) == NULL) {
            before += 1;
        }
        int status = each->row == NULL ? run_one(each, program) : TOOL_OK;
        if (status != TOOL_OK) {
            return status;
        }
        all += 1;
        bad += !is_good(each);
    }
    if (bulk->count == 0) {
        return print_table(recordings);
    }
    printf("shard %" PRIu32 "/%" PRIu32 ": %" PRIu64 " recordings, %" PRIu64
           " of them verified before; %" PRIu64 " not equal\n",
            bulk->shard, count, all, before, bad);
    return bad > 0 ? REPLAY_DIFFERS : TOOL_OK;
}

/* The rows of all; the first that is missing is named. */
static int merge(const replay_program *program, folder *recordings)
{
    const char *name = NULL, *reason = NULL;
    uint64_t missing = 0;
    for (size_t i = 0; i < recordings->count; ++i) {
        recording *each = &recordings->list[i];
        const char *why = read_result(each, program->build);
        if (why == NULL && each->row == NULL) {
            return replay_out_of_memory();
        }
        name = missing == 0 ? each->name : name;
        reason = missing == 0 ? why : reason;
        missing += why != NULL;
    }
    if (missing > 0) {
        return replay_failed(REPLAY_DAMAGED,
                "'%s' has no result: %s; %" PRIu64 " of %zu are missing", name, reason, missing,
                recordings->count);
    }
    return print_table(recordings);
}

int replay_verify_all(const replay_bulk *bulk)
{
    folder recordings = {0};
    replay_program program;
    int status = replay_program_load(&program, bulk->program);
    status = status == TOOL_OK ? list_recordings(&recordings, bulk->path, bulk->results) : status;
    if (status == TOOL_OK) {
        status =
                bulk->merge ? merge(&program, &recordings) : run_shard(bulk, &program, &recordings);
    }
    free_recordings(&recordings);
    return status;
}
