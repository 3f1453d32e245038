/* SPDX-License-Identifier: Zlib
 *
 * What the decisions of one frame cost, with all of the loop at work: from begin to end through the
 * public calls, on a display whose present blocks. Goal: 300 ns.
 *
 * The display is simulated once, and what the loop read from the clock is written down; the frames
 * that are measured read the same again, so they decide the same. What reading costs is measured
 * alone and taken off. Shown are the median and the least of the rounds, and the longest frame: the
 * largest of what each took at best, of all rounds, as a clock and a busy machine add to single
 * frames. There are many short rounds, so that on a busy machine one of them is not disturbed.
 */
#include "evenstep/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 101, LEARNED = 3000, FRAMES = 8000, READINGS_MOST = 12 * (LEARNED + FRAMES) };

/* Before the work is as much as it should be: with too much of it no queue fills, and so nothing
 * blocks. */
enum { LIGHT = 500 };

/* What a frame takes, as a share of a refresh; each time somewhat more or less. */
#define UPDATE_SHARE 0.06
#define SPREAD_SHARE 0.1

typedef struct conditions {
    const char *name;
    double hz;
    double work_share; /* of a refresh: update and drawing */
    int64_t wake_late_ns;
    int64_t queue; /* frames that wait; 0: nothing blocks */
    bool feedback; /* reports when the last frame was seen */
    es_loop_config config;
} conditions;

/* Written down by the simulation, and read again in each round: no round copies it, which would
 * leave it in another cache than where reading is measured alone. */
typedef struct diary {
    int64_t reported_ns[LEARNED + FRAMES]; /* when the frame before was seen */
    int64_t readings_ns[READINGS_MOST];    /* of the clock, all */
    int32_t readings;                      /* so many */
} diary;

typedef struct bench {
    conditions scene;
    diary *notes;
    es_loop loop;
    uint64_t random;
    int64_t now_ns;
    int64_t flip_ns[2]; /* of the newest frame, and of the frame before */
    int32_t next;       /* reading, where they are read again */
    int64_t frame;
    int64_t checksum; /* of the decisions */
} bench;

static es_clock stopwatch;

static int64_t stop_ns(void)
{
    return stopwatch.now_ns(stopwatch.user);
}

/* ---- the simulation ---- */

/* Numbers from 0 up to 1 that look random. */
static double some(bench *b)
{
    b->random = b->random * UINT64_C(6364136223846793005) + 1;
    return (double)(b->random >> 11) / 9007199254740992.0;
}

static int64_t write_reading(void *user)
{
    bench *b = user;
    diary *notes = b->notes;
    if (notes->readings == READINGS_MOST) {
        fprintf(stderr, "bench: %s: too many readings\n", b->scene.name);
        exit(1);
    }
    notes->readings_ns[notes->readings++] = b->now_ns;
    return b->now_ns;
}

static void wait_until(void *user, int64_t deadline_ns)
{
    bench *b = user;
    b->now_ns = deadline_ns > b->now_ns ? deadline_ns : b->now_ns;
    b->now_ns += (int64_t)(some(b) * (double)b->scene.wake_late_ns);
}

static int64_t read_again(void *user)
{
    bench *b = user;
    return b->notes->readings_ns[b->next++];
}

static void do_not_wait(void *user, int64_t deadline_ns)
{
    (void)user;
    (void)deadline_ns;
}

static void work(bench *b, double share)
{
    b->now_ns += (int64_t)((share + some(b) * share * SPREAD_SHARE) * 1e9 / b->scene.hz);
}

/* A frame flips at the first refresh after it is ready and after the frame before; present returns
 * when at most `queue` frames have not flipped. */
static void present(bench *b)
{
    double period_ns = 1e9 / b->scene.hz;
    b->now_ns += 20 * ES_NS_PER_US;
    int64_t before_ns = b->flip_ns[0];
    int64_t free_ns = b->scene.queue > 0 ? before_ns + (int64_t)(period_ns / 2) : b->now_ns;
    int64_t ready_ns = b->now_ns > free_ns ? b->now_ns : free_ns;
    double refresh = (double)((int64_t)((double)ready_ns / period_ns) + 1);
    b->flip_ns[1] = before_ns;
    b->flip_ns[0] = (int64_t)(refresh * period_ns);
    int64_t waits_for_ns = b->scene.queue == 1 ? b->flip_ns[0] : before_ns;
    if (b->scene.queue > 0 && waits_for_ns > b->now_ns) {
        b->now_ns = waits_for_ns + (int64_t)(some(b) * (double)b->scene.wake_late_ns);
    }
}

static void simulate(bench *b, int64_t frames)
{
    es_step step;
    es_frame frame;
    for (int64_t end = b->frame + frames; b->frame < end; ++b->frame) {
        work(b, 0.01); /* what the program does between frames */
        es_loop_begin(&b->loop);
        while (es_loop_tick(&b->loop, &step)) {
            work(b, UPDATE_SHARE);
        }
        es_loop_ready(&b->loop, &frame);
        work(b, (b->frame < LIGHT ? 0.5 : b->scene.work_share) - UPDATE_SHARE);
        es_loop_submit(&b->loop);
        present(b);
        es_loop_end(&b->loop);
        b->notes->reported_ns[b->frame] = b->flip_ns[1];
        if (b->scene.feedback && b->frame > 0) {
            es_present_sample sample = {.frame = b->frame - 1, .shown_ns = b->flip_ns[1]};
            es_loop_presented(&b->loop, &sample);
        }
        b->checksum += frame.content_ns + frame.present_ns;
    }
}

/* ---- the measurement ---- */

static void run_frame(bench *b)
{
    es_step step;
    es_frame frame;
    es_loop_begin(&b->loop);
    while (es_loop_tick(&b->loop, &step)) {
    }
    es_loop_ready(&b->loop, &frame);
    es_loop_submit(&b->loop);
    es_loop_end(&b->loop);
    if (b->scene.feedback) {
        es_present_sample sample = {
                .frame = b->frame - 1, .shown_ns = b->notes->reported_ns[b->frame]};
        es_loop_presented(&b->loop, &sample);
    }
    b->checksum += frame.content_ns + frame.present_ns;
    b->frame += 1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a frame's readings cost. */
static double measure_clock(bench *b)
{
    static const es_clock again = {.now_ns = read_again};
    const es_clock volatile *clock = &again; /* the calls stay calls */
    double least_ns = 1e9;
    int64_t sum = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        b->next = 0;
        int64_t begin_ns = stop_ns();
        while (b->next < b->notes->readings) {
            sum += clock->now_ns(b);
        }
        double took_ns = (double)(stop_ns() - begin_ns);
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    b->checksum += sum == 0; /* so that they are needed */
    return least_ns / (LEARNED + FRAMES);
}

static void measure_each(const bench *learned, bench *b, double *rounds)
{
    for (int round = 0; round < ROUNDS; ++round) {
        memcpy(b, learned, sizeof *b);
        int64_t begin_ns = stop_ns();
        while (b->frame < LEARNED + FRAMES) {
            run_frame(b);
        }
        rounds[round] = (double)(stop_ns() - begin_ns) / FRAMES;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
}

static double measure_longest(const bench *learned, bench *b)
{
    static int64_t best_ns[FRAMES];
    int64_t longest_ns = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        memcpy(b, learned, sizeof *b);
        for (int i = 0; i < FRAMES; ++i) {
            int64_t begin_ns = stop_ns();
            run_frame(b);
            int64_t took_ns = stop_ns() - begin_ns;
            best_ns[i] = round == 0 || took_ns < best_ns[i] ? took_ns : best_ns[i];
        }
    }
    for (int i = 0; i < FRAMES; ++i) {
        longest_ns = best_ns[i] > longest_ns ? best_ns[i] : longest_ns;
    }
    return (double)longest_ns;
}

/* ---- the scenes ---- */

static void start(bench *b, const conditions *scene, diary *notes)
{
    es_error error;
    es_loop_config config = scene->config;
    memset(b, 0, sizeof *b);
    notes->readings = 0;
    b->notes = notes;
    b->scene = *scene;
    b->now_ns = ES_NS_PER_S;
    config.clock.now_ns = write_reading;
    config.clock.wait_until = wait_until;
    config.clock.user = b;
    if (es_loop_init(&b->loop, &config, &error) != ES_OK) {
        fprintf(stderr, "bench: %s: %s %s\n", scene->name, error.field, error.reason);
        exit(1);
    }
}

static const char *describe(const bench *b, char *text, size_t size)
{
    static const char *const modes[] = {"trying", "free", "locked", "assumed"};
    es_display_status seen = es_loop_display(&b->loop);
    snprintf(text, size, "%s%s%s", b->scene.config.pace == ES_PACE_AUTO ? modes[seen.mode] : "-",
            seen.fed ? ", fed" : "", seen.multiple > 1 ? ", held" : "");
    return text;
}

static void measure(const conditions *scene)
{
    static bench whole, learned, b;
    static diary notes;
    double rounds[ROUNDS];
    char mode[32];
    start(&whole, scene, &notes);
    simulate(&whole, LEARNED);
    learned = whole;
    learned.next = notes.readings;
    simulate(&whole, FRAMES);
    learned.loop.clock.now_ns = read_again;
    learned.loop.clock.wait_until = do_not_wait;
    learned.loop.clock.user = &b;
    measure_each(&learned, &b, rounds);
    if (b.checksum != whole.checksum || b.next != notes.readings) {
        fprintf(stderr, "bench: %s: read again, it decides otherwise\n", scene->name);
        exit(1);
    }
    double longest_ns = measure_longest(&learned, &b);
    double clock_ns = measure_clock(&b);
    printf("  %-44s %7.1f %7.1f %8.0f  %s\n", scene->name, rounds[ROUNDS / 2] - clock_ns,
            rounds[0] - clock_ns, longest_ns - clock_ns, describe(&whole, mode, sizeof mode));
}

int main(void)
{
    enum { WAKE = 60000, LATE = 400000 }; /* ns that a wait ends late by, at most */
    static const conditions scenes[] = {
            {"adaptive, 60 Hz", 60, 0.5, WAKE, 2, false, {.pace = ES_PACE_ADAPTIVE}},
            {"auto, 60 on 60 Hz", 60, 0.5, WAKE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, 60 on 144 Hz", 144, 0.5, WAKE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, wakes late, up to 0.4 ms", 60, 0.5, LATE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, feedback", 60, 0.5, WAKE, 2, true, {.pace = ES_PACE_AUTO}},
            {"auto, low latency", 60, 0.5, WAKE, 1, false,
                    {.pace = ES_PACE_AUTO, .low_latency = true}},
            {"auto, work of 1.5 refreshes", 60, 1.5, WAKE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, nothing blocks", 60, 0.5, WAKE, 0, false,
                    {.pace = ES_PACE_AUTO, .refresh_ns = 16666667}},
    };
    if (es_clock_system(&stopwatch) != ES_OK) {
        fprintf(stderr, "bench: this platform has no clock\n");
        return 1;
    }
    printf("decisions, ns for a frame%30s%8s%9s\n", "median", "least", "longest");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        measure(&scenes[i]);
    }
    return 0;
}
