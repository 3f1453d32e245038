/* SPDX-License-Identifier: Zlib
 *
 * What the decisions of one frame cost when the loop paces itself by a display: from begin to end,
 * through the public calls. Goal: 1 us.
 *
 * Present blocks on a simulated display; the simulation's own 20 to 50 ns per frame are included.
 * Every round repeats the same frames.
 */
#include "bench.h"

#include "loop/loop.h"

/* LIGHT: the first frames have little work, since under too much of it no present ever blocks. */
enum { ROUNDS = 101, LEARNED = 3000, LIGHT = 500, FRAMES = 2000, SCENES = 8 };

/* Shares of a refresh; the actual time is up to a tenth longer. */
#define UPDATE_SHARE  0.06
#define BETWEEN_SHARE 0.01

typedef struct scene {
    const char *name;
    double hz;
    double work_share;    /* of a refresh: update and drawing */
    int64_t wake_late_ns; /* most */
    int64_t queue;        /* frames that wait; 0: nothing blocks */
    bool feedback;        /* reports when the last frame was seen */
    es_loop_config config;
} scene;

typedef struct bench {
    scene scene;
    es_loop loop;
    uint64_t seed;
    int64_t now_ns, frame;
    int64_t flip_ns[2]; /* of the newest frame, and of the frame before */
} bench;

/* --- the simulation --------------------------------------------------------------------------- */

static int64_t read_clock(void *user)
{
    const bench *b = user;
    return b->now_ns;
}

static void wait_until(void *user, int64_t deadline_ns)
{
    bench *b = user;
    b->now_ns = deadline_ns > b->now_ns ? deadline_ns : b->now_ns;
    b->now_ns += (int64_t)(bench_random(&b->seed) * (double)b->scene.wake_late_ns);
}

static void work(bench *b, double share)
{
    b->now_ns += (int64_t)(share * (1 + 0.1 * bench_random(&b->seed)) * 1e9 / b->scene.hz);
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
    b->flip_ns[1] = before_ns;
    b->flip_ns[0] = (int64_t)((double)((int64_t)((double)ready_ns / period_ns) + 1) * period_ns);
    int64_t waits_for_ns = b->scene.queue == 1 ? b->flip_ns[0] : before_ns;
    if (b->scene.queue > 0) {
        wait_until(b, waits_for_ns);
    }
}

static void run_frame(bench *b)
{
    es_step step;
    es_frame frame;
    work(b, BETWEEN_SHARE);
    es_loop_begin(&b->loop);
    while (es_loop_tick(&b->loop, &step)) {
        work(b, UPDATE_SHARE);
    }
    es_loop_wait(&b->loop, &frame);
    work(b, (b->frame < LIGHT ? 0.5 : b->scene.work_share) - UPDATE_SHARE);
    es_loop_submit(&b->loop);
    present(b);
    es_loop_end(&b->loop);
    if (b->scene.feedback && b->frame > 0) {
        es_present sample = {.frame = b->frame - 1, .shown_ns = b->flip_ns[1]};
        es_loop_presented(&b->loop, &sample);
    }
    b->frame += 1;
}

static void run_to(bench *b, int64_t frame)
{
    while (b->frame < frame) {
        run_frame(b);
    }
}

/* --- the measurement -------------------------------------------------------------------------- */

static bench learned[SCENES], running[SCENES];

static void start_again(void *user)
{
    bench *b = user;
    memcpy(b, &learned[b - running], sizeof *b); /* the loop's clock points at running */
}

static void run(void *user)
{
    run_to(user, LEARNED + FRAMES);
}

static void learn(int at, const scene *s)
{
    bench *b = &running[at];
    es_loop_config config = s->config;
    es__error error;
    b->scene = *s;
    b->now_ns = ES_NS_PER_S;
    config.clock = (es_clock){.now_ns = read_clock, .wait_until = wait_until, .user = b};
    if (es__loop_init(&b->loop, &config, &error) != ES_OK) {
        bench_fail(error.reason);
    }
    run_to(b, LEARNED);
    memcpy(&learned[at], b, sizeof *b);
}

int main(void)
{
    enum { WAKE = 60000, LATE = 400000 };
    static const scene scenes[SCENES] = {
            {"adaptive, 60 Hz", 60, 0.5, WAKE, 2, false, {.pace = ES_PACE_ADAPTIVE}},
            {"auto, 60 on 60 Hz", 60, 0.5, WAKE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, 60 on 144 Hz", 144, 0.5, WAKE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, wakes up to 0.4 ms late", 60, 0.5, LATE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, feedback", 60, 0.5, WAKE, 2, true, {.pace = ES_PACE_AUTO}},
            {"auto, low latency", 60, 0.5, WAKE, 1, false,
                    {.pace = ES_PACE_AUTO, .low_latency = true}},
            {"auto, work of 1.5 refreshes", 60, 1.5, WAKE, 2, false, {.pace = ES_PACE_AUTO}},
            {"auto, nothing blocks", 60, 0.5, WAKE, 0, false,
                    {.pace = ES_PACE_AUTO, .refresh = {60, 1}}},
    };
    bench_case cases[SCENES];
    (void)bench_now_ns(); /* fails here where there is no clock */
    for (int i = 0; i < SCENES; ++i) {
        learn(i, &scenes[i]);
        cases[i] = (bench_case){scenes[i].name, start_again, run, &running[i], FRAMES};
    }
    bench_table("frame, ns", cases, SCENES, ROUNDS);
    return 0;
}
