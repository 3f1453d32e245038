/* SPDX-License-Identifier: Zlib
 *
 * The virtual screen against flip times worked out by hand: what test_lab_model.c does not simulate.
 * In ms, refresh 10 ms unless said.
 */
#include "test_support.h"

#include "lab/display.h"

static lab_screen screen_of(lab_display display)
{
    lab_display resolved;
    lab_screen screen;
    lab_refusal error;
    assert_int_equal(lab_display_resolve(&display, &resolved, &error), ES_OK);
    lab_screen_init(&screen, &resolved, 1);
    return screen;
}

/* When present returns where it waits after it has queued the frame. */
static int64_t return_ns(const lab_screen *screen, int64_t queued_ns)
{
    int64_t room_ns = lab_screen_room_ns(screen);
    return room_ns > queued_ns ? room_ns : queued_ns;
}

enum { HIDDEN = -1 };

/* One frame: submitted at, expected flip (or HIDDEN) and return, all in ms. */
static void check(lab_screen *screen, int64_t submit, int64_t shown, int64_t returned)
{
    lab_flip foreseen = lab_screen_foresee(screen, submit * MS, submit * MS);
    lab_flip flip = lab_screen_present(screen, submit * MS, submit * MS);
    assert_int_equal(flip.hidden ? HIDDEN : flip.shown_ns, shown == HIDDEN ? shown : shown * MS);
    assert_int_equal(foreseen.shown_ns, flip.shown_ns);
    assert_int_equal(return_ns(screen, submit * MS), returned * MS);
}

/* Refresh n of 60000/1001 Hz is at floor(n * 1001e9 / 60000) ns: after a million of them still. */
TEST(fractional_refresh_is_exact)
{
    lab_display display = {.rate = {60000, 1001}, .queue = 1};
    lab_screen screen = screen_of(display);
    int64_t now_ns = 0;
    for (int64_t n = 1; n <= 1000000; ++n) {
        lab_flip flip = lab_screen_present(&screen, now_ns + 1, now_ns + 1);
        /* 1001e9 / 60000 = 16683333 + 1/3 */
        assert_int_equal(flip.shown_ns, n * 16683333 + n / 3);
        now_ns = return_ns(&screen, now_ns + 1);
    }
    assert_int_equal(now_ns, INT64_C(16683333333333));
}

/* 100 Hz until the refresh at 50, from there on 40 Hz: 75, 100 ... */
TEST(the_rate_changes)
{
    lab_display display = {
            .rate = {100, 1}, .queue = 1, .changes = {{.at_ns = 41 * MS, .factor = {2, 5}}}};
    lab_screen screen = screen_of(display);
    int64_t index;
    check(&screen, 31, 40, 40);
    check(&screen, 42, 50, 50); /* the last of the old ones */
    check(&screen, 51, 75, 75);
    check(&screen, 75, 100, 100);
    assert_int_equal(lab_screen_next_refresh(&screen, 50 * MS, &index), 50 * MS);
    assert_int_equal(index, 5);
    assert_int_equal(lab_screen_refresh_ns(&screen, 5), 50 * MS);
    assert_int_equal(lab_screen_refresh_ns(&screen, 6), 75 * MS);
    assert_int_equal(lab_screen_next_refresh(&screen, 50 * MS + 1, &index), 75 * MS);
    assert_int_equal(index, 6);
    assert_int_equal(lab_screen_next_refresh(&screen, 1050 * MS, &index), 1050 * MS);
    assert_int_equal(index, 45);
    assert_int_equal(lab_screen_present(&screen, 130 * MS, 130 * MS).refreshes, 2);
}

/* What each frame's queueing leads to, in ms: when it is seen, and when there is room for the next. */
TEST(frames_are_shown_and_return)
{
    static const struct {
        lab_display display; /* 100 Hz */
        struct {
            int64_t ready, shown, returned;
        } frames[6];
    } cases[] = {
            /* the machine lets 4 ms pass in present */
            {{.refresh = LAB_REFRESH_NONE, .present_ns = 4 * MS}, {{3, 7, 3}, {20, 24, 20}}},
            /* 40 Hz between the refreshes of 50 and 125 */
            {{.queue = 1, .changes = {{.at_ns = 41 * MS, .factor = {2, 5}}, {.at_ns = 120 * MS}}},
                    {{31, 40, 40}, {42, 50, 50}, {51, 75, 75}, {76, 100, 100}, {101, 125, 125},
                            {126, 135, 135}}},
            /* unsynced, but no frame overtakes another */
            {{.queue = 2,
                     .changes = {{.at_ns = 6 * MS, .mode = LAB_MODE_UNSYNCED}, {.at_ns = 55 * MS}}},
                    {{3, 10, 3}, {5, 20, 10}, {11, 20, 20}, {27, 27, 27}, {52, 52, 52},
                            {57, 60, 57}}},
            {{.queue = 1,
                     .changes = {{.at_ns = 25 * MS, .mode = LAB_MODE_HIDDEN, .hold_ns = 100 * MS},
                             {.at_ns = 350 * MS}}},
                    {{3, 10, 10}, {27, HIDDEN, 127}, {127, HIDDEN, 227}, {300, HIDDEN, 350},
                            {351, 360, 360}}},
            {{.queue = 1, .changes = {{.at_ns = 25 * MS, .mode = LAB_MODE_HIDDEN}}},
                    {{12, 20, 20}, {24, 30, 30}, {31, HIDDEN, 31}, {32, HIDDEN, 32}}},
            /* each hidden frame stays 30 ms after the one before it has left */
            {{.queue = 2,
                     .changes = {{.at_ns = 4 * MS, .mode = LAB_MODE_HIDDEN, .hold_ns = 30 * MS}}},
                    {{3, 10, 3}, {5, HIDDEN, 10}, {11, HIDDEN, 40}, {41, HIDDEN, 70}}},
            /* variable from 25 on, 10 to 30 ms; fixed again at 100 */
            {{.queue = 1,
                     .changes = {{.at_ns = 25 * MS, .mode = LAB_MODE_VARIABLE},
                             {.at_ns = 100 * MS, .mode = LAB_MODE_FIXED}}},
                    {{12, 20, 20}, {27, 30, 30}, {45, 45, 45}, {77, 85, 85}, {101, 110, 110}}},
            {{.refresh = LAB_REFRESH_VARIABLE,
                     .rate_max = {200, 1},
                     .queue = 1,
                     .changes = {{.at_ns = 25 * MS, .mode = LAB_MODE_FIXED}}},
                    {{12, 12, 12}, {14, 17, 17}, {28, 30, 30}, {31, 40, 40}}},
            {{.queue = 1, .grain_ns = 3 * MS}, /* 0, 12, 21, 30, 42 ... */
                    {{11, 12, 12}, {12, 21, 21}, {22, 30, 30}, {31, 42, 42}, {43, 51, 51}}},
            {{.queue = 1, .late_share = 1.0}, {{3, 20, 20}, {21, 40, 40}, {40, 50, 50}}},
            /* two refreshes after the call, the newer of two for one refresh; nothing waits */
            {{.queue = 2, .host = LAB_HOST_EXACT},
                    {{3, 20, 3}, {12, 30, 12}, {15, 30, 15}, {38, 50, 38}}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_display display = cases[i].display;
        display.rate = es_hz(100);
        lab_screen screen = screen_of(display);
        for (size_t k = 0; k < COUNT_OF(cases[i].frames) && cases[i].frames[k].ready > 0; ++k) {
            check(&screen, cases[i].frames[k].ready, cases[i].frames[k].shown,
                    cases[i].frames[k].returned);
        }
    }
}

/* Each flip is late or not by itself, with the given probability, by the key. */
TEST(some_flips_come_late)
{
    lab_display display = {.rate = {100, 1}, .queue = 1, .late_share = 0.25};
    lab_screen screen = screen_of(display), other = screen;
    other.late_key += 1;
    int late = 0, differ = 0;
    for (int64_t n = 1; n <= 10000; ++n) {
        int64_t at_ns = n * 100 * MS - MS;
        lab_flip flip = lab_screen_present(&screen, at_ns, at_ns);
        assert_true(flip.shown_ns == at_ns + MS || flip.shown_ns == at_ns + 11 * MS);
        late += flip.shown_ns > at_ns + MS;
        differ += lab_screen_present(&other, at_ns, at_ns).shown_ns != flip.shown_ns;
    }
    assert_in_range(late, 2300, 2700);
    assert_in_range(differ, 3500, 4000);
}

TEST(bad_fields_are_named)
{
    const struct {
        lab_display display;
        const char *field;
    } bad[] = {
            {{.queue = 5}, "queue"},
            {{.queue = -1}, "queue"},
            {{.rate = {60, 0}}, "rate"},
            {{.rate = {20000, 1}}, "rate"},
            {{.announced = {1, 2}}, "announced"},
            {{.nominal = {0, 1}}, "nominal"},
            {{.rate_max = {0, 1}}, "rate_max"},
            {{.rate_min = {150, 1}}, "rate_min"},
            {{.latch_ns = -1}, "latch_ns"},
            {{.phase_ns = -2}, "phase_ns"},
            {{.present_ns = -1}, "present_ns"},
            {{.feedback = (lab_feedback)9}, "feedback"},
            {{.feedback_noise_ns = -1}, "feedback_noise_ns"},
            {{.feedback_late_frames = 9}, "feedback_late_frames"},
            {{.refresh = (lab_refresh)3}, "refresh"},
            {{.refresh = LAB_REFRESH_VARIABLE, .swap = LAB_SWAP_MAILBOX}, "swap"},
            {{.changes = {{.at_ns = 1, .factor = {60, 0}}}}, "changes"},
            {{.changes = {{.at_ns = 1, .factor = {1, 61}}}}, "changes"},
            {{.changes = {{.at_ns = -1}}}, "changes"},
            {{.changes = {{.at_ns = 2}, {.at_ns = 1}}}, "changes"},
            {{.changes = {{.at_ns = 1, .hold_ns = -1}}}, "changes"},
            {{.changes = {{.at_ns = 1, .mode = (lab_mode)5}}}, "changes"},
            {{.refresh = LAB_REFRESH_NONE, .changes = {{.at_ns = 1}}}, "changes"},
            {{.blocking = (lab_blocking)3}, "blocking"},
            {{.grain_ns = -1}, "grain_ns"},
            {{.late_share = 1.1}, "late_share"},
            {{.host = (lab_host)5}, "host"},
            {{.refresh = LAB_REFRESH_VARIABLE, .host = LAB_HOST_EXACT}, "host"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        lab_display resolved = {.queue = 77};
        lab_refusal error;
        assert_int_equal(lab_display_resolve(&bad[i].display, &resolved, &error), ES_ERR_INVALID);
        assert_string_equal(error.field, bad[i].field);
        assert_non_null(error.reason);
        assert_int_equal(resolved.queue, 77);
    }
}
