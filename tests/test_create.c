/* SPDX-License-Identifier: Zlib
 *
 * create: making a loop, what is refused and how it is named, the problems that es_loop_problem tells,
 * hidden windows, and idle time.
 */
#include "evenstep/evenstep.h"

#include "manual_clock.h"
#include "test_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REFRESH_NS = 16666667, WORK_NS = 3000000, FRAMES = 400 };

/* --- rates ------------------------------------------------------------------------------------ */

TEST(rates_of_video_are_exact)
{
    static const struct {
        double hz;
        uint32_t numerator, denominator;
    } rows[] = {
            {60, 60, 1},
            {59.94, 60000, 1001},
            {29.97, 30000, 1001},
            {23.976, 24000, 1001},
            {119.88, 120000, 1001},
            {0.5, 1, 2},
            {12.5, 25, 2},
            {72.33, 7233, 100},
            {1e9, 1000000000, 1},
            {0, 0, 1},
            {-5, 0, 1},
            {1e12, 0, 1},
            {NAN, 0, 1},
            {INFINITY, 0, 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        es_rate rate = es_hz(rows[i].hz);
        assert_int_equal(rate.numerator, rows[i].numerator);
        assert_int_equal(rate.denominator, rows[i].denominator);
    }
}

/* --- what is refused -------------------------------------------------------------------------- */

static const uint32_t sizes[] = {ES_VERSION, sizeof(es_loop_config), sizeof(es_frame),
        sizeof(es_step), sizeof(es_report), sizeof(es_display)};

TEST(a_header_of_another_version_is_refused)
{
    for (size_t i = 0; i <= COUNT_OF(sizes); ++i) {
        uint32_t given[COUNT_OF(sizes)];
        memcpy(given, sizes, sizeof given);
        if (i < COUNT_OF(sizes)) {
            given[i] += i == 0 ? 1000 : 8;
        }
        es_loop *loop = es_loop_create_checked(NULL, NULL, 0, given);
        assert_int_equal(loop != NULL, i == COUNT_OF(sizes));
        assert_true(loop != NULL || strstr(es_get_error(), "of another version") != NULL);
        es_loop_destroy(loop);
    }
}

TEST(small_memory_is_refused)
{
    static _Alignas(16) unsigned char memory[ES_LOOP_BYTES + 16];
    const struct {
        void *memory;
        size_t size;
    } rows[] = {{NULL, sizeof memory}, {NULL, 0}, {memory, 0}, {memory, 100},
            {memory + 1, ES_LOOP_BYTES}};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        assert_false(es_loop_resync(NULL)); /* another text */
        assert_null(es_loop_create_in(rows[i].memory, rows[i].size, NULL));
        assert_string_equal(es_get_error(),
                "es_loop_create_in.memory: must have ES_LOOP_BYTES, aligned as memory of malloc");
    }
    es_loop *loop = es_loop_create_in(memory, ES_LOOP_BYTES, NULL);
    assert_ptr_equal(loop, memory);
    es_loop_destroy(loop);
}

TEST(a_refused_field_is_named)
{
    static const struct {
        es_rate tick_rate, refresh;
        const char *text;
    } rows[] = {
            {{50, 0}, {0, 0}, "tick_rate: has the denominator 0: write es_hz(50), not 50"},
            {{0, 0}, {144, 0}, "refresh: has the denominator 0: write es_hz(144), not 144"},
            {{0, 1}, {0, 0},
                    "tick_rate: must be a rate of at most 1 000 000 ticks per second, such as "
                    "es_hz(60)"},
            {{0, 0}, {1, 2}, "refresh: must be a rate from 1 Hz, such as es_hz(144)"},
    };
    es_loop_config config = {0};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        char text[160];
        config.tick_rate = rows[i].tick_rate;
        config.refresh = rows[i].refresh;
        (void)snprintf(text, sizeof text, "es_loop_config.%s", rows[i].text);
        assert_null(es_loop_create(&config));
        assert_string_equal(es_get_error(), text);
    }
    es_loop *loop = es_loop_create(NULL);
    config = (es_loop_config){.refresh = {60, 0}}; /* what C stores for 60 */
    assert_false(es_loop_configure(loop, &config));
    assert_non_null(strstr(es_get_error(), "es_loop_config.refresh"));
    assert_int_equal(es_loop_get_config(loop).refresh.numerator, 0);
    es_loop_destroy(loop);
}

static void refused(bool result, const char *text)
{
    assert_false(result);
    if (strstr(es_get_error(), text) != es_get_error()) {
        fail_msg("\"%s\", not \"%s\"", es_get_error(), text);
    }
}

static int64_t no_time(void *user)
{
    (void)user;
    return 0;
}

TEST(misuse_is_named)
{
    es_loop_config config = {.clock.now_ns = no_time};
    es_loop *loop = es_loop_create(&config);
    es_frame frame;
    es_step step;
    refused(es_loop_preset("speedy", &config), "es_loop_preset.name: ");
    refused(es_loop_next(loop, NULL), "es_loop_next: an argument");
    refused(es_loop_next(loop, &frame), "es_loop_next: this platform or clock cannot");
    refused(es_loop_next_at(loop, 0, 0, NULL), "es_loop_next_at: an argument");
    refused(es_loop_tick(loop, NULL), "es_loop_tick: an argument");
    refused(es_loop_tick(loop, &step), "es_loop_tick: the call is out of order");
    refused(es_loop_wait(loop, &frame), "es_loop_wait: the call is out of order");
    assert_true(es_loop_next_at(loop, 0, 0, &frame));
    refused(es_loop_tick(loop, &step), "es_loop_tick: the call is out of order");
    es_loop_destroy(loop);
}

TEST(no_loop_is_accepted_everywhere)
{
    es_frame frame;
    es_step step;
    es_present sample = {0};
    es_loop_destroy(NULL);
    refused(es_loop_next(NULL, &frame), "es_loop_next: an argument");
    refused(es_loop_next_at(NULL, 0, 0, &frame), "es_loop_next_at: an argument");
    refused(es_loop_begin(NULL), "es_loop_begin: ");
    refused(es_loop_tick(NULL, &step), "es_loop_tick: an argument");
    refused(es_loop_wait(NULL, &frame), "es_loop_wait: ");
    refused(es_loop_submit(NULL), "es_loop_submit: ");
    refused(es_loop_end(NULL), "es_loop_end: ");
    refused(es_loop_step_once(NULL), "es_loop_step_once: ");
    refused(es_loop_set_speed(NULL, 1.0), "es_loop_set_speed: ");
    refused(es_loop_resync(NULL), "es_loop_resync: ");
    refused(es_loop_seek(NULL, 1), "es_loop_seek: ");
    refused(es_loop_configure(NULL, NULL), "es_loop_config: ");
    es_loop_acquired(NULL);
    es_loop_presented(NULL, &sample);
    es_loop_set_paused(NULL, true);
    es_loop_set_visible(NULL, false);
    assert_null(es_loop_report(NULL));
    assert_null(es_loop_problem(NULL));
    assert_int_equal(es_loop_idle_ns(NULL), 0);
    assert_int_equal(es_loop_display(NULL).missed, 0);
    assert_int_equal(es_loop_get_config(NULL).ticks_max, 0);
}

/* --- problems --------------------------------------------------------------------------------- */

typedef enum mistake {
    NONE,
    NO_SUBMIT,
    NO_WAIT,
    NO_END,
    EARLY_END,
    EARLY_PRESENT,
    NO_VSYNC,
    TWO_THREADS,
    OTHER_DISPLAY
} mistake;

typedef struct game {
    es_manual_clock clock;
    es_loop *loop;
    mistake mistake;
    int64_t refresh_ns;
    int queue;           /* frames */
    int64_t flips_ns[4]; /* of the last frames, the newest first */
    int64_t work_ns;
    test_random random;
    int64_t late_ns; /* the thread wakes up to this late */
} game;

/* Queues a frame, and blocks until there is room for the next. */
static void present(game *g)
{
    int64_t from_ns = g->clock.now_ns > g->flips_ns[0] ? g->clock.now_ns : g->flips_ns[0];
    for (int i = 3; i > 0; --i) {
        g->flips_ns[i] = g->flips_ns[i - 1];
    }
    g->flips_ns[0] = (from_ns / g->refresh_ns + 1) * g->refresh_ns;
    int64_t room_ns = g->mistake == NO_VSYNC ? 0 : g->flips_ns[g->queue - 1];
    if (g->clock.now_ns < room_ns) {
        g->clock.now_ns = room_ns + random_below(&g->random, g->late_ns + 1);
    }
}

static void run_next(game *g)
{
    es_frame frame;
    assert_true(es_loop_next(g->loop, &frame));
    es_manual_clock_work(&g->clock, g->work_ns);
    if (g->mistake == EARLY_PRESENT) {
        present(g);
        es_loop_submit(g->loop);
        return;
    }
    if (g->mistake != NO_SUBMIT) {
        es_loop_submit(g->loop);
    }
    if (g->mistake == EARLY_END) {
        es_loop_end(g->loop);
    }
    present(g);
}

static void run_stepped(game *g)
{
    es_step step;
    assert_true(es_loop_begin(g->loop));
    while (es_loop_tick(g->loop, &step)) {
    }
    if (g->mistake != NO_WAIT) {
        es_loop_wait(g->loop, NULL);
        es_loop_submit(g->loop);
    }
    es_manual_clock_work(&g->clock, g->work_ns);
    present(g);
    if (g->mistake != NO_END && g->mistake != NO_WAIT) {
        es_loop_end(g->loop);
    }
}

static void start_with(game *g, mistake what, es_loop_config config)
{
    *g = (game){.mistake = what,
            .refresh_ns = REFRESH_NS,
            .queue = 2,
            .work_ns = WORK_NS,
            .random = {7}};
    config.clock = es_manual_clock_get(&g->clock);
    g->loop = es_loop_create(&config);
    assert_non_null(g->loop);
}

static void start(game *g, mistake what)
{
    es_loop_config config = {0};
    config.refresh = what == OTHER_DISPLAY ? es_hz(30)
                     : what == NO_VSYNC    ? es_hz(60)
                                           : config.refresh;
    start_with(g, what, config);
}

TEST(mistakes_are_told)
{
    static const struct {
        mistake what;
        bool stepped;
        const char *text; /* NULL: nothing is told */
    } rows[] = {
            {NONE, false, NULL},
            {NONE, true, NULL},
            {NO_SUBMIT, false, "es_loop_submit was not called"},
            {NO_WAIT, true, "es_loop_wait was not called"},
            {NO_END, true, "es_loop_end was not called"},
            {EARLY_END, false, "was it called before present?"},
            {EARLY_PRESENT, false, "was present called before es_loop_submit?"},
            {NO_VSYNC, false, "is vsync on?"},
            {OTHER_DISPLAY, false, "frames come at 60 per second, but config.refresh says 30 Hz"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        game g;
        start(&g, rows[i].what);
        for (int frame = 0; frame < FRAMES; ++frame) {
            (rows[i].stepped ? run_stepped : run_next)(&g);
        }
        const char *told = es_loop_problem(g.loop);
        bool right = rows[i].text == NULL ? told == NULL
                                          : told != NULL && strstr(told, rows[i].text) != NULL;
        if (!right) {
            fail_msg("row %zu: %s", i, told != NULL ? told : "nothing");
        }
        g.mistake = NONE; /* mended: silence after three seconds */
        g.refresh_ns = rows[i].what == OTHER_DISPLAY ? 2 * REFRESH_NS : g.refresh_ns;
        for (int frame = 0; frame < 10 * FRAMES; ++frame) {
            (rows[i].stepped ? run_stepped : run_next)(&g);
        }
        assert_null(es_loop_problem(g.loop));
        es_loop_destroy(g.loop);
    }
}

/* Vsync on, presents that block, work of 10 to 90 % of a refresh, wake-ups up to 1 ms late. */
TEST(healthy_runs_have_no_problem)
{
    static const int rates[] = {30, 60, 75, 90, 120, 144, 240, 360};
    test_random random = {7};
    for (int i = 0; i < 1000; ++i) {
        game g = {.queue = 1 + (int)random_below(&random, 3), .random = {random_u64(&random)}};
        es_rate rate = es_hz(rates[random_below(&random, COUNT_OF(rates))]);
        es_loop_config config = {.clock = es_manual_clock_get(&g.clock)};
        config.refresh = random_below(&random, 2) == 1 ? rate : config.refresh;
        config.low_latency = random_below(&random, 4) == 0;
        g.refresh_ns = es_rate_time_ns(rate, 1);
        g.work_ns = g.refresh_ns * (10 + random_below(&random, 81)) / 100;
        g.late_ns = random_below(&random, 2) * ES_NS_PER_MS;
        g.loop = es_loop_create(&config);
        while (g.clock.now_ns < 4 * ES_NS_PER_S) {
            run_next(&g);
            const char *told = es_loop_problem(g.loop);
            if (told != NULL) {
                fail_msg("run %d, %d Hz, queue %d, work %d us: %s", i, (int)rate.numerator, g.queue,
                        (int)(g.work_ns / 1000), told);
            }
        }
        es_loop_destroy(g.loop);
    }
}

/* --- hidden windows, idle time ---------------------------------------------------------------- */

TEST(hidden_frames_are_paced_and_content_goes_on)
{
    game g;
    es_frame frame, before = {0};
    start(&g, NONE);
    for (int i = 0; i < FRAMES; ++i) {
        run_next(&g);
    }
    es_loop_set_visible(g.loop, false);
    for (int i = 0; i < 120; ++i) {
        assert_true(es_loop_next(g.loop, &frame));
        assert_false(frame.visible);
        if (i > 2) {
            assert_in_range(
                    frame.start_ns - before.start_ns, REFRESH_NS - 200000, REFRESH_NS + 200000);
            assert_in_range(
                    frame.content_ns - before.content_ns, REFRESH_NS - 200000, REFRESH_NS + 200000);
        }
        before = frame;
    }
    es_loop_set_visible(g.loop, true);
    for (int i = 0; i < FRAMES; ++i) {
        assert_true(es_loop_next(g.loop, &frame));
        assert_true(frame.visible);
        int64_t step_ns = frame.content_ns - before.content_ns;
        assert_in_range(step_ns, 0, 4 * REFRESH_NS); /* no leap */
        assert_true(i < 60 || (step_ns > REFRESH_NS - 100000 && step_ns < REFRESH_NS + 100000));
        before = frame;
        es_manual_clock_work(&g.clock, g.work_ns);
        es_loop_submit(g.loop);
        present(&g);
    }
    es_loop_destroy(g.loop);
}

/* Nothing is presented while a window is hidden: that proves nothing of presents. */
TEST(hidden_frames_do_not_prove_that_presents_never_block)
{
    game g;
    es_frame frame;
    es_loop_config config = {
            .pace = ES_PACE_PRESENT, .refresh = {60, 1}, .interval_ns = 2 * ES_NS_PER_MS};
    start_with(&g, NONE, config);
    es_loop_set_visible(g.loop, false);
    for (int i = 0; i < FRAMES; ++i) {
        assert_true(es_loop_next(g.loop, &frame));
    }
    es_loop_set_visible(g.loop, true);
    for (int i = 0; i < FRAMES; ++i) {
        run_next(&g);
        assert_null(es_loop_problem(g.loop));
    }
    es_loop_destroy(g.loop);
}

TEST(idle_time_is_what_next_waits)
{
    static const struct {
        es_loop_config config;
        bool hidden;
    } rows[] = {
            {{.pace = ES_PACE_ADAPTIVE}, false},
            {{.pace = ES_PACE_FIXED}, false},
            {{.pace = ES_PACE_PRESENT, .refresh = {60, 1}}, false}, /* no present blocks */
            {{.pace = ES_PACE_AUTO}, true},
            {{.pace = ES_PACE_ADAPTIVE}, true},
            {{.pace = ES_PACE_PRESENT}, true},
            {{.pace = ES_PACE_UNCAPPED}, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        es_manual_clock clock = {0};
        es_loop_config config = rows[i].config;
        config.clock = es_manual_clock_get(&clock);
        es_loop *loop = es_loop_create(&config);
        es_frame frame;
        es_loop_set_visible(loop, !rows[i].hidden);
        for (int k = 0; k < 100; ++k) {
            int64_t before_ns = clock.now_ns, idle_ns = k > 0 ? es_loop_idle_ns(loop) : 0;
            assert_true(es_loop_next(loop, &frame));
            int64_t off_ns = clock.now_ns - before_ns - idle_ns;
            assert_true(k < 2 || (off_ns > -10000 && off_ns < 10000));
            assert_true(k < 20 || idle_ns > 10 * ES_NS_PER_MS);
            es_manual_clock_work(&clock, WORK_NS);
            es_loop_submit(loop);
            es_loop_end(loop);
        }
        es_loop_destroy(loop);
    }
}

TEST_MAIN("create", NULL)
