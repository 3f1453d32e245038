/* SPDX-License-Identifier: Zlib */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif

#include "capture/layer/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Widths in characters. SIGKILL ends a write between two pages (generic_perform_write in Linux's
 * mm/filemap.c). ROW divides the size of a page, so a row is written as a whole or not at all. A time
 * of 17 digits is 3 years after the machine started, a duration of 12 digits 1000 s. */
enum { ROW = 128, NAME = 15, PID = 7, CHAIN = 5, TIME = 17, DURATION = 12 };
enum { SHOWN_AT = NAME + PID + CHAIN + 3 * TIME + 6 };

static const char header[] =
        "Application,ProcessID,SwapChainAddress,start_ns,submit_ns,returned_ns,"
        "shown_ns,cpu_ns,blocked_ns";

static struct {
    pthread_mutex_t lock;
    pid_t pid; /* of the process that opened it */
    int fd;    /* negative: there is none */
    bool is_full;
    int64_t rows, chains;
    char name[NAME + 1]; /* of the program */
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

int64_t layer_clock_ns(int clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What does not fit is left empty. */
static char *put(char *at, int width, int64_t value)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%" PRId64, value);
    memset(at, ' ', (size_t)width);
    if (value >= 0 && size <= width) {
        memcpy(at + width - size, digits, (size_t)size);
    }
    at[width] = ',';
    return at + width + 1;
}

/* A size limit that is passed would kill the program (SIGXFSZ). */
static bool write_at(int64_t at, const char *text, size_t size)
{
    struct rlimit most;
    errno = EFBIG;
    bool fits = getrlimit(RLIMIT_FSIZE, &most) == 0
                && (most.rlim_cur == RLIM_INFINITY || (rlim_t)at + size <= most.rlim_cur);
    return fits && pwrite(file.fd, text, size, at) == (ssize_t)size;
}

/* /proc/self/comm, as a field of CSV. */
static void read_name(void)
{
    int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, file.name, NAME + 1) : 0;
    size = size > 0 ? size - 1 : 0; /* without the end of the line */
    for (char *c = file.name; c < file.name + size; ++c) {
        *c = *c < ' ' || *c > '~' || *c == ',' || *c == '"' ? '_' : *c;
    }
    memset(file.name + size, ' ', (size_t)(NAME - size));
    if (fd >= 0) {
        close(fd);
    }
}

static void create_file(const char *path)
{
    char text[ROW + 1];
    snprintf(text, sizeof text, "%-*s\n", ROW - 1, header);
    file.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.fd >= 0 && file.fd <= STDERR_FILENO) { /* what the program prints would go into it */
        int low = file.fd;
        file.fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(low);
    }
    file.is_full = file.fd < 0 || !write_at(0, text, ROW);
    if (file.is_full) {
        fprintf(stderr, "evenstep capture: %s: %s\n", path, strerror(errno));
    }
}

bool layer_log_is_wanted(void)
{
    const char *path = secure_getenv("EVENSTEP_CAPTURE");
    return path != NULL && *path != '\0';
}

bool layer_log_open(void)
{
    const char *path = secure_getenv("EVENSTEP_CAPTURE");
    char own[64];
    pthread_mutex_lock(&file.lock);
    if (file.pid != getpid() && layer_log_is_wanted()) {
        snprintf(own, sizeof own, "evenstep-capture-%ld.csv", (long)getpid());
        file.pid = getpid();
        file.rows = file.chains = 0;
        read_name();
        create_file(strcmp(path, "1") == 0 ? own : path);
    }
    bool is_open = file.pid == getpid() && !file.is_full;
    pthread_mutex_unlock(&file.lock);
    return is_open;
}

bool layer_log_is_own(void)
{
    return file.pid == getpid();
}

int64_t layer_log_chain(void)
{
    pthread_mutex_lock(&file.lock);
    int64_t number = ++file.chains;
    pthread_mutex_unlock(&file.lock);
    return number;
}

int64_t layer_log_row(const layer_row *row)
{
    char text[ROW];
    memcpy(text, file.name, NAME);
    text[NAME] = ',';
    char *at = put(text + NAME + 1, PID, file.pid);
    at = put(at, CHAIN, row->chain);
    at = put(at, TIME, row->start_ns);
    at = put(at, TIME, row->submit_ns);
    at = put(at, TIME, row->returned_ns);
    at = put(at, TIME, -1); /* shown_ns */
    at = put(at, DURATION, row->cpu_ns);
    at = put(at, DURATION, row->blocked_ns);
    at[-1] = '\n';
    int64_t number = -1;
    pthread_mutex_lock(
            &file.lock); /* also while it writes: a row is there only after those before */
    if (!file.is_full && layer_log_is_own()) {
        file.is_full = !write_at(ROW * (file.rows + 1), text, ROW);
        if (!file.is_full) {
            number = file.rows++;
        } else {
            fprintf(stderr, "evenstep capture: stopped: %s\n", strerror(errno));
            (void)!ftruncate(file.fd, ROW * (file.rows + 1)); /* else a part of a row stays */
        }
    }
    pthread_mutex_unlock(&file.lock);
    return number;
}

void layer_log_shown(int64_t row, int64_t shown_ns)
{
    char text[TIME + 1];
    put(text, TIME, shown_ns);
    if (row >= 0 && layer_log_is_own()) {
        (void)write_at(ROW * (row + 1) + SHOWN_AT, text, TIME);
    }
}
