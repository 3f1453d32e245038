/* SPDX-License-Identifier: Zlib
 *
 * create: making a loop, what is refused and how it is named, and idle time.
 */
#include "manual_clock.h"
#include "test_support.h"

enum { WORK_NS = 3000000 };

/* --- rates ------------------------------------------------------------------------------------ */

TEST(rates_of_video_are_exact)
{
    static const struct {
        double hz;
        uint32_t numerator, denominator;
    } rows[] = {{60, 60, 1}, {59.94, 60000, 1001}, {29.97, 30000, 1001}, {23.976, 24000, 1001},
            {119.88, 120000, 1001}, {0.5, 1, 2}, {12.5, 25, 2}, {72.33, 7233, 100}, {999, 999, 1},
            {100000000.3, 700000002, 7}, {1e9, 1000000000, 1}, {0, 0, 1}, {-5, 0, 1}, {1e12, 0, 1},
            {NAN, 0, 1}, {INFINITY, 0, 1}};
    for_rows (i, rows) {
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
    for_rows (i, rows) {
        assert_false(es_loop_resync(NULL)); /* another text */
        assert_null(es_loop_create_in(rows[i].memory, rows[i].size, NULL));
        assert_string_equal(es_get_error(),
                "es_loop_create_in.memory: must have ES_LOOP_BYTES, aligned as memory of malloc");
    }
    assert_null(es_loop_create_in(memory, ES_LOOP_BYTES, &(es_loop_config){.gap_ns = 1}));
    assert_null(es_loop_create_checked(NULL, NULL, 0, NULL));
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
    for_rows (i, rows) {
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
    refused(es_loop_begin(loop), "es_loop_begin: this platform or clock cannot");
    refused(es_loop_next_at(loop, 0, 0, NULL), "es_loop_next_at: an argument");
    refused(es_loop_tick(loop, NULL), "es_loop_tick: an argument");
    refused(es_loop_tick(loop, &step), "es_loop_tick: the call is out of order");
    refused(es_loop_wait(loop, &frame), "es_loop_wait: the call is out of order");
    assert_true(es_loop_idle(loop)); /* before the first frame */
    assert_true(es_loop_next_at(loop, 0, 0, &frame));
    refused(es_loop_tick(loop, &step), "es_loop_tick: the call is out of order");
    es_loop_presented(loop, NULL);
    assert_true(es_loop_idle(loop));
    refused(es_loop_set_speed(loop, 1000.1), "es_loop_set_speed: an argument");
    es_loop_destroy(loop);
    loop = es_loop_create(NULL);
    assert_true(es_loop_next(loop, &frame) && es_loop_wait(loop, &frame));
    refused(es_loop_wait(loop, &frame), "es_loop_wait: the call is out of order");
    es_loop_destroy(loop);
    config = (es_loop_config){.pace = ES_PACE_ADAPTIVE, .interval_ns = MS};
    loop = es_loop_create(
            &config); /* without a display a frame after idle time is one interval on */
    assert_true(es_loop_next(loop, &frame) && es_loop_submit(loop) && es_loop_idle(loop));
    int64_t present_ns = frame.present_ns;
    assert_true(es_loop_next(loop, &frame));
    assert_in_range(frame.present_ns - present_ns, 0, S);
    config.interval_max_ns = 2 * MS;
    assert_true(es_loop_configure(loop, &config));
    assert_int_equal(es_loop_get_config(loop).interval_max_ns, 2 * MS);
    es_loop_destroy(loop);
    loop = es_loop_create(NULL);
    es_loop_set_paused(loop, true);
    assert_true(es_loop_tick_once(loop));
    assert_true(es_loop_begin(loop));
    assert_true(es_loop_tick(loop, &step));
    refused(es_loop_idle(loop), "es_loop_idle: the call is out of order");
    refused(es_loop_seek(loop, 5), "es_loop_seek: the call is out of order");
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
    refused(es_loop_tick_once(NULL), "es_loop_tick_once: ");
    refused(es_loop_set_speed(NULL, 1.0), "es_loop_set_speed: ");
    refused(es_loop_resync(NULL), "es_loop_resync: ");
    refused(es_loop_seek(NULL, 1), "es_loop_seek: ");
    refused(es_loop_idle(NULL), "es_loop_idle: ");
    refused(es_loop_configure(NULL, NULL), "es_loop_config: ");
    es_loop_acquired(NULL);
    es_loop_presented(NULL, &sample);
    es_loop_set_paused(NULL, true);
    es_loop_set_visible(NULL, false);
    assert_null(es_loop_get_report(NULL));
    assert_null(es_loop_problem(NULL));
    assert_int_equal(es_loop_idle_ns(NULL), 0);
    assert_int_equal(es_loop_get_display(NULL).missed, 0);
    assert_int_equal(es_loop_get_config(NULL).ticks_max, 0);
}

/* --- idle time -------------------------------------------------------------------------------- */

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
    for_rows (i, rows) {
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
