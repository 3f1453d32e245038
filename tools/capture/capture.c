/* SPDX-License-Identifier: Zlib
 *
 * `evenstep capture`: the frames of a program that is not ours, to a file for `evenstep measure`. Linux.
 *
 * Vulkan: a layer within the program (capture/layer) writes when work on a frame began, when it was presented, and,
 * where the driver or Wayland says it, when it was seen. X11: the server says when any window's pictures were seen;
 * these rows go to a second file if the layer has written, too.
 */
#define _GNU_SOURCE
#include "tool.h"
#include "x11_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LAYER "VK_LAYER_EVENSTEP_capture"

enum { ARGUMENTS = 256, LOOK_MS = 100, END_TRIES = 50 };

typedef struct capture_options {
    const char *program[ARGUMENTS + 1]; /* and its arguments, NULL */
    size_t count;
    const char *output, *window;
    int64_t seconds_ns;
} capture_options;

typedef struct capture {
    const capture_options *options;
    char path[PATH_MAX], x11_path[PATH_MAX];
    FILE *x11_rows;
    x11_watch *watch; /* NULL: no X server */
    const char *why;  /* there is none */
    pid_t child;      /* 0: has ended, or there is none */
    int status, signals;
} capture;

static bool parse_program(const char *text, void *options)
{
    capture_options *o = options;
    bool fits = o->count < ARGUMENTS;
    if (fits) {
        o->program[o->count++] = text;
    }
    return fits;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* --- the Vulkan layer ------------------------------------------------------------------------- */

/* Puts a text before what a variable of lists has. */
static void prepend(const char *name, const char *text)
{
    char all[2 * PATH_MAX];
    const char *old = getenv(name);
    snprintf(all, sizeof all, "%s%s%s", text, old != NULL && old[0] != '\0' ? ":" : "",
            old != NULL ? old : "");
    setenv(name, all, 1);
}

/* In the child. The layer is beside this program: in the build's folder, or where it was installed. */
static void enable_layer(const char *path)
{
    static const char *const folders[] = {"capture/layer", "../share/vulkan/implicit_layer.d"};
    char self[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size < 0) {
        return;
    }
    self[size] = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        int before = (int)(base_name(self) - self);
        snprintf(folder, sizeof folder, "%.*s%s", before, self, folders[i]);
        int length = snprintf(file, sizeof file, "%s/VkLayer_evenstep_capture.json", folder);
        if (length < (int)sizeof file && access(file, R_OK) == 0) {
            prepend("VK_ADD_LAYER_PATH", folder);
            prepend("VK_INSTANCE_LAYERS", LAYER);
            setenv("EVENSTEP_CAPTURE", path, 1);
            return;
        }
    }
}

/* --- the program ------------------------------------------------------------------------------ */

static bool start_program(capture *c)
{
    c->child = fork();
    if (c->child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        enable_layer(c->path);
        execvp(c->options->program[0], (char *const *)c->options->program);
        fprintf(stderr, "evenstep capture: cannot run '%s': %s\n", c->options->program[0], strerror(errno));
        _exit(127);
    }
    return c->child > 0;
}

static void reap(capture *c)
{
    if (c->child > 0 && waitpid(c->child, &c->status, WNOHANG) == c->child) {
        c->child = 0;
    }
}

/* The terminal sends SIGINT to the program, too; others are passed on. False: there is no program to end. */
static bool take_signal(capture *c)
{
    struct signalfd_siginfo info;
    if (read(c->signals, &info, sizeof info) == (ssize_t)sizeof info && info.ssi_signo != SIGCHLD) {
        if (c->child > 0 && info.ssi_signo == SIGTERM) {
            kill(c->child, SIGTERM);
        }
        return c->child > 0;
    }
    return true;
}

/* Until the program, the window or the time ends. */
static void watch_all(capture *c)
{
    int64_t end_ns = c->options->seconds_ns > 0 ? es_now_ns() + c->options->seconds_ns : INT64_MAX;
    bool watches = c->watch != NULL;
    bool runs = true;
    while (runs && es_now_ns() < end_ns && (c->child > 0 || c->options->window != NULL)) {
        struct pollfd files[2] = {{.fd = c->signals, .events = POLLIN},
                {.fd = watches ? x11_watch_file(c->watch) : -1, .events = POLLIN}};
        (void)poll(files, 2, LOOK_MS);
        runs = files[0].revents == 0 || take_signal(c);
        if (watches && !x11_watch_take(c->watch)) {
            watches = false;
            runs = c->options->window == NULL;
        }
        reap(c);
    }
    for (int i = 0; c->child > 0; ++i) { /* the time is over */
        kill(c->child, i < END_TRIES ? SIGTERM : SIGKILL);
        (void)poll(NULL, 0, LOOK_MS);
        reap(c);
    }
    if (watches) {
        (void)x11_watch_take(c->watch);
    }
}

/* --- the files -------------------------------------------------------------------------------- */

/* A file of this name must not be there: nothing is overwritten. */
static int open_files(capture *c)
{
    const capture_options *o = c->options;
    char stamp[32], name[64];
    time_t now = time(NULL);
    struct tm local;
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    snprintf(name, sizeof name, "%.40s", o->count > 0 ? base_name(o->program[0]) : "window");
    int length = o->output != NULL ? snprintf(c->path, sizeof c->path, "%s", o->output)
                                   : snprintf(c->path, sizeof c->path, "%s-%s.csv", name, stamp);
    if (length >= (int)sizeof c->path - 8) {
        return tool_usage("capture", "--output: is too long");
    }
    if (access(c->path, F_OK) == 0) {
        return tool_fail("capture", "'%s' is there already", c->path);
    }
    /* the program may change its folder */
    char absolute[PATH_MAX];
    if (c->path[0] != '/' && getcwd(absolute, sizeof absolute) != NULL) {
        tool_append(absolute, sizeof absolute, "/", "%s", c->path);
        snprintf(c->path, sizeof c->path, "%s", absolute);
    }
    snprintf(c->x11_path, sizeof c->x11_path, "%.*s.x11", (int)sizeof c->x11_path - 8, c->path);
    int file = open(c->x11_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    c->x11_rows = file >= 0 ? fdopen(file, "w") : NULL;
    if (c->x11_rows == NULL) {
        return tool_failed_to_write("capture", c->x11_path);
    }
    setvbuf(c->x11_rows, NULL, _IOLBF, 0); /* whole rows, whatever ends this program */
    c->watch = x11_watch_open(c->x11_rows, name, &c->why);
    return TOOL_OK;
}

/* Rows in a file, without the header. */
static uint64_t count_rows(const char *path)
{
    FILE *file = fopen(path, "r");
    uint64_t lines = 0;
    for (int c; file != NULL && (c = getc(file)) != EOF;) {
        lines += c == '\n';
    }
    if (file != NULL) {
        fclose(file);
    }
    return lines > 0 ? lines - 1 : 0;
}

static int report(capture *c, int status)
{
    uint64_t seen = c->watch != NULL ? x11_watch_rows(c->watch) : 0;
    uint64_t rows = count_rows(c->path);
    x11_watch_close(c->watch);
    if (fclose(c->x11_rows) != 0) {
        return tool_failed_to_write("capture", c->x11_path);
    }
    if (seen == 0) {
        (void)unlink(c->x11_path);
    } else if (rows == 0) {
        (void)unlink(c->path);
        if (rename(c->x11_path, c->path) != 0) {
            return tool_failed_to_write("capture", c->path);
        }
    }
    if (rows + seen == 0 && status != TOOL_OK) {
        return status;
    }
    if (rows + seen == 0) {
        return tool_fail("capture", "no frames: no Vulkan program was seen, and %s",
                c->why != NULL ? c->why : "no window presented through X11's Present");
    }
    fprintf(stderr, "evenstep capture: %llu frames in %s\n", (unsigned long long)(rows > 0 ? rows : seen), c->path);
    if (rows > 0 && seen > 0) {
        fprintf(stderr, "evenstep capture: %llu screen times of X11 in %s\n", (unsigned long long)seen,
                c->x11_path);
    }
    return TOOL_OK;
}

/* --- running ---------------------------------------------------------------------------------- */

static int parse_options(capture_options *o, int argc, char **argv)
{
    static const char summary[] =
            "Writes the frames of a program that is not yours to a file, which `evenstep measure` reads.\n"
            "Vulkan programs on X11 and Wayland; any program's windows on X11.\n\n"
            "examples:\n"
            "  evenstep capture -- ./game --fullscreen\n"
            "  evenstep capture --output game.csv -- vkcube\n"
            "  evenstep capture --window Quake --seconds 30";
    const tool_option options[] = {
            {"", "PROGRAM...", parse_program, o, "a program and at most 255 arguments, after --", NULL},
            {"output", "FILE", tool_parse_text, &o->output, "a file", "where to (PROGRAM-DATE-TIME.csv)"},
            {"window", "TITLE", tool_parse_text, &o->window, "a title or a number such as 0x1400003",
                    "a window of X11 whose title has this, until it closes"},
            {"seconds", "TIME", tool_parse_seconds, &o->seconds_ns, "a time such as 30",
                    "end after this long; the program gets SIGTERM"},
    };
    return tool_options(
            "capture", summary, options, sizeof options / sizeof options[0], argc, argv);
}

static int run(capture *c)
{
    const capture_options *o = c->options;
    if (o->window != NULL && (c->watch == NULL || !x11_watch_window(c->watch, o->window))) {
        return tool_fail("capture", "--window: %s", c->watch == NULL ? c->why : "there is no such window");
    }
    if (o->window == NULL && c->watch != NULL && !x11_watch_new_windows(c->watch)) {
        return tool_fail("capture", "the X server does not answer");
    }
    if (o->window == NULL && !start_program(c)) {
        return tool_fail("capture", "cannot run '%s': %s", o->program[0], strerror(errno));
    }
    watch_all(c);
    return TOOL_OK;
}

int tool_capture(int argc, char **argv)
{
    static capture_options options;
    static capture c = {.options = &options};
    int status = parse_options(&options, argc, argv);
    if (status == TOOL_OK && (options.count > 0) == (options.window != NULL)) {
        status = tool_usage("capture", "give a program after --, or --window");
    }
    if (status != TOOL_OK || (status = open_files(&c)) != TOOL_OK) {
        return status;
    }
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGTERM);
    sigprocmask(SIG_BLOCK, &taken, NULL);
    c.signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    status = report(&c, run(&c));
    if (status == TOOL_OK && (WIFSIGNALED(c.status) || WEXITSTATUS(c.status) == 127)) {
        fprintf(stderr, "evenstep capture: the program ended by %s %d\n", WIFSIGNALED(c.status) ? "signal" : "status",
                WIFSIGNALED(c.status) ? WTERMSIG(c.status) : 127);
    }
    return status;
}
