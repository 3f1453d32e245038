/* SPDX-License-Identifier: Zlib
 *
 * present_probe: presents frames through an adapter, in a window of its own, and prints what the
 * display said about them. For the tests, and for finding out what a system tells.
 */
#define _POSIX_C_SOURCE 200809L

#include "evenstep/measure.h"

#include "probe.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t probe_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void probe_log_init(probe_log *log)
{
    *log = (probe_log){.started_ns = probe_now_ns()};
    log->feedback = es_feedback_create();
}

/* The probe has no meter: the reports only keep the feedback module going. */
static void settle(probe_log *log, int64_t now_ns)
{
    es_report report;
    while (es_feedback_next(log->feedback, now_ns, &report)) {
    }
}

void probe_log_frame(probe_log *log, int64_t frame, int64_t drawn_ns)
{
    int64_t now_ns = probe_now_ns();
    es_report report = {.frame = {.index = frame, .start_ns = drawn_ns},
            .ready_ns = drawn_ns,
            .submit_ns = drawn_ns,
            .shown_ns = now_ns};
    es_feedback_presented(log->feedback, &report);
    settle(log, now_ns);
}

void probe_log_samples(probe_log *log, const es_present *samples, int count)
{
    for (int i = 0; i < count; ++i) {
        const es_present *sample = &samples[i];
        es_feedback_reported(log->feedback, sample);
        if (sample->discarded) {
            log->discarded += 1;
            continue;
        }
        log->presented += 1;
        log->early += sample->shown_ns > sample->reported_ns;
        log->grades[sample->grade] += 1;
        if (log->count < PROBE_KEPT) {
            log->kept[log->count++] = *sample;
        }
    }
    settle(log, probe_now_ns());
}

bool probe_goes_on(const probe_options *options, uint64_t frames, int64_t end_ns)
{
    int64_t more_ns = frames < options->least ? INT64_C(60000000000) : 0;
    return probe_now_ns() < end_ns + more_ns;
}

bool probe_signal_server(const probe_options *options, probe_log *log)
{
    if (log->signalled || log->presented < 10) {
        return false;
    }
    log->signalled = true;
    if (options->kill_pid > 0) {
        (void)kill(options->kill_pid, SIGKILL);
    }
    return options->stop_pid > 0 && kill(options->stop_pid, SIGSTOP) == 0;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return count == 0 ? 0.0 : (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

int64_t probe_period_ns(probe_log *log, bool *by_sequence)
{
    static double values[PROBE_KEPT];
    int found = 0;
    int counted = 0;
    for (int i = 0; i < log->count; ++i) {
        counted += log->kept[i].sequence != 0;
    }
    *by_sequence = counted > log->count / 2; /* single samples may lack it */
    int step = *by_sequence ? log->count / 2 : 1;
    for (int i = 0; step > 0 && i + step < log->count; ++i) {
        const es_present *a = &log->kept[i];
        const es_present *b = &log->kept[i + step];
        double time = (double)(b->shown_ns - a->shown_ns);
        if (*by_sequence && a->sequence != 0 && b->sequence > a->sequence) {
            values[found++] = time / (double)(b->sequence - a->sequence);
        } else if (!*by_sequence && b->frame == a->frame + 1) {
            values[found++] = time;
        }
    }
    return (int64_t)median(values, found);
}

static int64_t median_delay_ns(const probe_log *log)
{
    static double values[PROBE_KEPT];
    for (int i = 0; i < log->count; ++i) {
        values[i] = (double)(log->kept[i].reported_ns - log->kept[i].shown_ns);
    }
    return (int64_t)median(values, log->count);
}

static void print_verdicts(const es_feedback_status *status)
{
    printf("\"verdicts\": {");
    for (int i = 0; i < ES_FEEDBACK_VERDICTS; ++i) {
        printf("%s\"%s\": %" PRId64, i > 0 ? ", " : "",
                es_feedback_verdict_text((es_feedback_verdict)i), status->verdicts[i]);
    }
    printf("},\n");
}

void probe_log_print(probe_log *log)
{
    bool by_sequence;
    int64_t period_ns = probe_period_ns(log, &by_sequence);
    int64_t announced_ns = log->count > 0 ? log->kept[log->count - 1].refresh_ns : 0;
    es_feedback_status status = es_feedback_get_status(log->feedback);
    printf("  \"presented\": %" PRIu64 ",\n  \"discarded\": %" PRIu64 ",\n", log->presented,
            log->discarded);
    printf("  \"period_ns\": %" PRId64 ",\n  \"period_by\": \"%s\",\n", period_ns,
            by_sequence ? "sequence" : "intervals");
    printf("  \"announced_ns\": %" PRId64 ",\n", announced_ns);
    printf("  \"grades\": {\"guessed\": %" PRIu64 ", \"software\": %" PRIu64 ", \"vsync\": %" PRIu64
           ", \"hardware\": %" PRIu64 "},\n",
            log->grades[ES_PRESENT_GUESSED], log->grades[ES_PRESENT_SOFTWARE],
            log->grades[ES_PRESENT_VSYNC], log->grades[ES_PRESENT_HARDWARE]);
    printf("  \"told_after_ns\": %" PRId64 ",\n  \"told_early\": %" PRIu64 ",\n",
            median_delay_ns(log), log->early);
    printf("  \"feedback\": \"%s\",\n  \"feedback_period_ns\": %" PRId64 ",\n",
            es_feedback_state_name(status.state), status.period_ns);
    printf("  \"announced_wrong\": %s,\n  ", status.announced_wrong ? "true" : "false");
    print_verdicts(&status);
    printf("  \"seconds\": %.3f,\n", (double)(probe_now_ns() - log->started_ns) / 1e9);
}

static int usage(void)
{
    fprintf(stderr,
            "usage: present_probe x11 [--display NAME] [--seconds S] [--frames N] [--timeout MS]\n"
            "           [--size WxH] [--watch | --silent] [--mailbox] [--resize] [--destroy]\n"
            "           [--restart] [--mode HZ] [--stop PID | --kill PID]\n"
            "       present_probe wayland [--display NAME] [--seconds S] [--frames N]\n"
            "           [--timeout MS]"
            " [--size WxH] [--stop PID | --kill PID]\n"
            "       present_probe seat [--display NAME] [--timeout MS]\n");
    return 1;
}

static bool read_number(const char *text, double low, double high, double *value)
{
    char *rest;
    *value = strtod(text, &rest);
    return rest != text && *rest == '\0' && *value >= low && *value <= high;
}

static bool read_size(const char *text, probe_options *options)
{
    char more;
    return sscanf(text, "%dx%d%c", &options->width, &options->height, &more) == 2
           && options->width >= 1 && options->width <= 4096 && options->height >= 1
           && options->height <= 4096;
}

/* Options with a value. */
static bool read_pair(probe_options *options, const char *name, const char *text)
{
    double value = 0.0;
    if (text == NULL) {
        return false;
    }
    if (strcmp(name, "--display") == 0) {
        options->display = text;
        return true;
    }
    if (strcmp(name, "--seconds") == 0) {
        return read_number(text, 0.1, 60.0, &options->seconds);
    }
    if (strcmp(name, "--frames") == 0 && read_number(text, 1.0, 10000.0, &value)) {
        options->least = (uint64_t)value;
        return true;
    }
    if (strcmp(name, "--mode") == 0) {
        return read_number(text, 1.0, 1000.0, &options->mode_hz);
    }
    if (strcmp(name, "--timeout") == 0 && read_number(text, 1.0, 60000.0, &value)) {
        options->timeout_ms = (int)value;
        return true;
    }
    if (strcmp(name, "--stop") == 0 && read_number(text, 2.0, 4194304.0, &value)) {
        options->stop_pid = (int)value;
        return true;
    }
    if (strcmp(name, "--kill") == 0 && read_number(text, 2.0, 4194304.0, &value)) {
        options->kill_pid = (int)value;
        return true;
    }
    return strcmp(name, "--size") == 0 && read_size(text, options);
}

static bool read_options(probe_options *options, char **words)
{
    for (; *words != NULL; ++words) {
        struct {
            const char *name;
            bool *flag;
        } flags[] = {
                {"--watch", &options->watch},
                {"--silent", &options->silent},
                {"--mailbox", &options->mailbox},
                {"--resize", &options->resize},
                {"--destroy", &options->destroy},
                {"--restart", &options->restart},
        };
        bool taken = false;
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
            if (strcmp(*words, flags[i].name) == 0) {
                *flags[i].flag = taken = true;
            }
        }
        if (!taken) {
            if (!read_pair(options, words[0], words[1])) {
                fprintf(stderr, "present_probe: bad option or value: %s\n", *words);
                return false;
            }
            words += 1;
        }
    }
    return true;
}

#ifndef EVENSTEP_HAVE_X11_PRESENT
int probe_x11(const probe_options *options)
{
    (void)options;
    fprintf(stderr, "present_probe: built without X11\n");
    return 2;
}
#endif

#ifndef EVENSTEP_HAVE_WAYLAND_PRESENTATION
int probe_wayland(const probe_options *options)
{
    (void)options;
    fprintf(stderr, "present_probe: built without Wayland\n");
    return 2;
}

int probe_seat(const probe_options *options)
{
    return probe_wayland(options);
}
#endif

int main(int argc, char **argv)
{
    probe_options options = {.seconds = 2.0, .timeout_ms = 500, .width = 320, .height = 200};
    if (argc < 2) {
        return usage();
    }
    if (!read_options(&options, argv + 2)) {
        return usage();
    }
    if (strcmp(argv[1], "x11") == 0) {
        return probe_x11(&options);
    }
    if (strcmp(argv[1], "wayland") == 0) {
        return probe_wayland(&options);
    }
    return strcmp(argv[1], "seat") == 0 ? probe_seat(&options) : usage();
}
