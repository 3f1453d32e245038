/* SPDX-License-Identifier: Zlib
 *
 * The pure parts of the Wayland adapter, and its refusals. No compositor is needed.
 */
#define _GNU_SOURCE /* setenv, SOCK_CLOEXEC */

#include "test_support.h"

#include "adapters/wayland_presentation.h"

#include <sys/socket.h>
#include <unistd.h>
#include <wayland-client.h>

static int64_t error_ns;

TEST(the_middle_of_a_bracket_is_the_same_moment)
{
    /* at 1000 to 1010 here the other clock said 50; its 40 was 10 earlier */
    const es_clock_bracket one = {1000, 50, 1010};
    assert_int_equal(es_clock_convert(&one, 1, 40, &error_ns), 995);
    assert_int_equal(error_ns, 5);
    assert_int_equal(es_clock_convert(&one, 1, 50, NULL), 1005);
    assert_int_equal(es_clock_convert(&one, 1, 60, &error_ns), 1015); /* predicted */
    assert_int_equal(error_ns, 5);
}

TEST(the_tightest_bracket_counts)
{
    const es_clock_bracket tries[] = {
            {1000, 100, 3000}, /* interrupted */
            {4000, 2040, 4061}, {5000, 3010, 5021},
            {6000, 3500, 5999}, /* the clock went back: no bracket */
    };
    assert_int_equal(es_clock_convert(tries, 4, 3000, &error_ns), 5000);
    assert_int_equal(error_ns, 11); /* half of 21, rounded up */
    assert_int_equal(es_clock_convert(tries, 2, 2040, &error_ns), 4030);
    assert_int_equal(error_ns, 31);
}

TEST(the_error_grows_with_the_age)
{
    const es_clock_bracket one = {INT64_C(10000000000), INT64_C(7000000000), INT64_C(10000000040)};
    int64_t stamp_ns = INT64_C(6980000000); /* 20 ms ago */
    assert_int_equal(es_clock_convert(&one, 1, stamp_ns, &error_ns), INT64_C(9980000020));
    assert_int_equal(error_ns, 20 + 10000); /* 500 millionths of 20 ms */
    /* a wall clock in 2026, an hour ahead */
    const es_clock_bracket wall = {5000000000, INT64_C(1795000000000000000), 5000000000};
    assert_int_equal(es_clock_convert(&wall, 1, INT64_C(1795000003600000000), &error_ns),
            INT64_C(8600000000));
    assert_int_equal(error_ns, 1800000);
}

TEST(no_input_overflows)
{
    const es_clock_bracket back = {10, 0, 9};
    assert_int_equal(es_clock_convert(&back, 1, 123, &error_ns), 123);
    assert_int_equal(error_ns, INT64_MAX);
    const es_clock_bracket wide = {INT64_MIN, INT64_MAX, INT64_MAX};
    es_clock_convert(&wide, 1, INT64_MIN, &error_ns);
    assert_true(error_ns >= INT64_MAX / 2);
    const es_clock_bracket far = {INT64_MAX, INT64_MIN, INT64_MAX};
    assert_int_equal(es_clock_convert(&far, 1, INT64_MAX, &error_ns), INT64_MAX);
    const es_clock_bracket least = {INT64_MIN, INT64_MAX, INT64_MIN};
    assert_int_equal(es_clock_convert(&least, 1, INT64_MIN, &error_ns), INT64_MIN);
}

TEST(grades_follow_the_flags)
{
    enum { VSYNC = 1, CLOCK = 2, COMPLETION = 4, NO_COPY = 8 };
    static const struct {
        uint32_t flags;
        es_present_grade grade;
    } rows[] = {
            {0, ES_PRESENT_SOFTWARE},
            {NO_COPY, ES_PRESENT_SOFTWARE},
            {CLOCK | COMPLETION, ES_PRESENT_SOFTWARE}, /* not in step with the refresh */
            {VSYNC, ES_PRESENT_VSYNC},
            {VSYNC | CLOCK, ES_PRESENT_VSYNC},
            {VSYNC | COMPLETION | NO_COPY, ES_PRESENT_VSYNC},
            {VSYNC | CLOCK | COMPLETION, ES_PRESENT_HARDWARE},
            {VSYNC | CLOCK | COMPLETION | NO_COPY, ES_PRESENT_HARDWARE},
            {UINT32_MAX, ES_PRESENT_HARDWARE},
    };
    for_rows (i, rows) {
        assert_int_equal(es_wayland_grade(rows[i].flags, true), rows[i].grade);
        assert_int_equal(es_wayland_grade(rows[i].flags, false), ES_PRESENT_GUESSED);
    }
}

TEST(halves_make_a_whole)
{
    assert_true(es_wayland_join(0, 5) == 5);
    assert_true(es_wayland_join(1, 0) == UINT64_C(4294967296));
    assert_true(es_wayland_join(UINT32_MAX, UINT32_MAX) == UINT64_MAX);
}

TEST(the_compositor_is_asked_for_a_quarter_earlier_on_a_fixed_refresh_only)
{
    assert_int_equal(es_wayland_aim(100000, 16000, 0), 96000);
    assert_int_equal(es_wayland_aim(100000, 16000, 32000), 64000);
    assert_int_equal(es_wayland_aim(100000, 0, 0), 100000);
    assert_int_equal(es_wayland_aim(100000, 0, 250), 99750);
    assert_int_equal(es_wayland_aim(INT64_MIN + 1, 16000, 0), INT64_MIN);
}

/* The offset after count frames that are late by late_ns, less by for every second one. */
static int64_t learned(
        es_wayland_offset *o, int count, int64_t late_ns, int64_t less_ns, int64_t period_ns)
{
    for (int i = 0; i < count; ++i) {
        es_wayland_learn(o, i % 2 == 0 ? late_ns : late_ns - less_ns, period_ns);
    }
    return o->offset_ns;
}

TEST(a_constant_offset_is_learned_from_16_frames)
{
    enum { P = 16666666 };
    static const struct {
        int64_t late_ns, less_ns, period_ns, offset_ns;
    } rows[] = {
            {3 * MS, MS / 10, 0, 3 * MS},
            {3 * MS, 2 * MS, 0, 0}, /* not constant */
            {MS / 10, MS / 10, 0, MS / 10},
            {10 * MS, 0, 0, 10 * MS},
            {11 * MS, 0, 0, 0}, /* too long to be an offset */
            {-MS, 0, 0, 0},     /* frames are seen early: the compositor does not obey */
            {P / 4, P / 5, P, 0},
            {P / 4 + P, P / 5, P, P}, /* one refresh, not what is between two */
            {P / 4 + 2 * P, 0, P, 2 * P},
            {P / 4 + 3 * P, 0, P, 0},
            {P / 4 + P, P, P, 0},
            {INT64_MIN, 0, P, 0},
            {INT64_MAX, 0, P, 0},
            {INT64_MAX, INT64_MAX, 0, 0},
    };
    for_rows (i, rows) {
        es_wayland_offset o = {0};
        assert_int_equal(learned(&o, 15, rows[i].late_ns, rows[i].less_ns, rows[i].period_ns), 0);
        es_wayland_learn(&o, rows[i].late_ns, rows[i].period_ns);
        assert_int_equal(o.offset_ns, rows[i].offset_ns);
    }
}

TEST(an_offset_outlives_some_odd_frames_and_ends_with_its_display)
{
    es_wayland_offset o = {0};
    learned(&o, 1000, 3000000, 50000, 0);
    assert_int_equal(learned(&o, 5, 9000000, 0, 0), 3000000);
    assert_int_equal(learned(&o, 1000, 3000000, 50000, 0), 3000000);
    assert_int_equal(learned(&o, 1, 20000000, 0, 16666666), 0); /* another display */
    assert_int_equal(learned(&o, 15, 20833333, 0, 16666667), 16666667);
}

/* Frames that a slow GPU makes late by 3 ms are as late when they are asked for 3 ms earlier. */
TEST(an_offset_that_grows_as_it_is_subtracted_is_taken_back)
{
    es_wayland_offset o = {0};
    int used = 0;
    for (int i = 0; i < 1000; ++i) {
        es_wayland_learn(&o, 3000000 + o.offset_ns, 0);
        assert_true(o.offset_ns <= 3000000);
        used += o.offset_ns != 0;
    }
    assert_in_range(used, 1, 200);
}

TEST(a_library_that_may_time_the_surface_is_known_by_its_name)
{
    assert_true(es_wayland_owns("/usr/lib/x86_64-linux-gnu/libvulkan.so.1"));
    assert_true(es_wayland_owns("/usr/lib/libnvidia-egl-wayland2.so.1"));
    assert_false(es_wayland_owns("/usr/lib/libnvidia-egl-wayland.so.1"));
    assert_false(es_wayland_owns("/usr/lib/libEGL_mesa.so.0"));
    assert_false(es_wayland_owns(""));
}

TEST(what_cannot_be_opened_says_why)
{
    es_wayland_status status = ES_WAYLAND_OK;
    assert_null(es_wayland_presentation_open(NULL, NULL, 500, &status));
    assert_int_equal(status, ES_WAYLAND_INVALID);
    assert_null(es_wayland_presentation_open(NULL, NULL, 500, NULL));
    es_wayland_presentation_close(NULL);
}

TEST(where_there_is_no_compositor_there_is_no_seat)
{
    setenv("XDG_RUNTIME_DIR", "/no/such/directory", 1);
    unsetenv("WAYLAND_SOCKET");
    assert_int_equal(es_wayland_seat("wayland-99", 100), ES_WAYLAND_SEAT_NO_SERVER);
    assert_int_equal(es_wayland_seat(NULL, 0), ES_WAYLAND_SEAT_NO_SERVER);
    setenv("WAYLAND_SOCKET", "1", 1); /* must be left for the program's own connection */
    assert_int_equal(es_wayland_seat(NULL, 100), ES_WAYLAND_SEAT_NO_SERVER);
    assert_string_equal(getenv("WAYLAND_SOCKET"), "1");
    assert_int_equal(es_wayland_seat("wayland-99", 100), ES_WAYLAND_SEAT_NO_SERVER);
    assert_non_null(getenv("WAYLAND_SOCKET"));
    assert_string_equal(getenv("WAYLAND_SOCKET"), "1");
}

TEST(who_hangs_up_is_gone)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    struct wl_display *display = wl_display_connect_to_fd(ends[0]);
    assert_non_null(display);
    assert_false(es_wayland_gone(display));
    assert_true(es_wayland_gone(NULL));
    close(ends[1]);
    assert_int_equal(wl_display_dispatch(display), -1); /* only reading tells */
    assert_true(es_wayland_gone(display));
    wl_display_disconnect(display);
}

TEST(each_status_has_a_message)
{
    for (int i = ES_WAYLAND_OK; i <= ES_WAYLAND_OWNED; ++i) {
        const char *message = es_wayland_status_message((es_wayland_status)i);
        assert_string_not_equal(message, "unknown");
    }
    assert_string_equal(es_wayland_status_message((es_wayland_status)99), "unknown");
}
