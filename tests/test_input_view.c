/* SPDX-License-Identifier: Zlib
 *
 * input: axes at an instant. By hand; against a plain list of all events; mouse look on a simulated
 * screen, with events that come up to 3 ms late and frames that begin late.
 */
#include "evenstep/input.h"

#include "manual_clock.h"
#include "test_support.h"

static void tick_at(es_input *input, int64_t due_ns)
{
    es_input_tick(input, &(es_step){.due_ns = due_ns, .begun_ns = due_ns});
}

static void push(es_input *input, es_input_kind kind, double value, int64_t stamp_ns)
{
    assert_true(es_input_push(
            input, &(es_input_event){.kind = kind, .value = value, .stamp_ns = stamp_ns}));
}

static void is_at(es_input *input, int64_t instant_ns, int64_t ahead_ns, double at)
{
    row("at %lld us, ahead %lld us", (long long)(instant_ns / US), (long long)(ahead_ns / US));
    assert_at_most(fabs(es_input_at(input, 0, instant_ns, ahead_ns) - at), 1e-9);
}

/* --- by hand ---------------------------------------------------------------------------------- */

TEST(an_axis_is_between_the_events_around_an_instant)
{
    es_input *input = es_input_create(NULL);
    es_input_move(input, 0, 10, 100 * MS);
    es_input_move(input, 1, 99, 101 * MS);
    es_input_move(input, 8, 99, 102 * MS); /* no such axis */
    es_input_move(input, 0, 2, 104 * MS);
    es_input_move(input, 0, 2, 104 * MS); /* one instant */
    es_input_move(input, 0, -6, 108 * MS);
    for (int taken = 0; taken < 4; ++taken) { /* waiting, some taken, all taken: the same */
        row("taken %d", taken);
        is_at(input, 99 * MS, 0, 0); /* nothing for long before: the hand rested */
        is_at(input, 100 * MS, 0, 10);
        is_at(input, 102 * MS, 0, 12);
        is_at(input, 105 * MS, 0, 12.5);
        is_at(input, 500 * MS, 0, 8);
        assert_true(es_input_at(input, 8, 500 * MS, 0) == 0);
        tick_at(input, (100 + 4 * taken) * MS);
    }
    push(input, ES_INPUT_PLACE, 50, 130 * MS); /* a finger comes down anew */
    is_at(input, 130 * MS, 0, 50);
    assert_true(es_input_at(input, -1, MS, 0) == 0 && es_input_at(input, 8, MS, 0) == 0);
    assert_true(es_input_at(NULL, 0, MS, 0) == 0 && es_input_view_ns(NULL, NULL) == 0);
    es_input_destroy(input);
}

TEST(it_goes_on_for_half_an_interval_and_at_most_8_ms)
{
    es_input *input = es_input_create(NULL);
    push(input, ES_INPUT_PLACE, 0, 100 * MS);
    is_at(input, 104 * MS, 8 * MS, 0);        /* no speed yet */
    push(input, ES_INPUT_PLACE, 7, 110 * MS); /* one instant */
    push(input, ES_INPUT_PLACE, 10, 110 * MS);
    is_at(input, 112 * MS, -MS, 10);
    is_at(input, 114 * MS, 3 * MS, 12); /* back already */
    is_at(input, 115 * MS, 8 * MS, 15);
    is_at(input, 116 * MS, 8 * MS, 14); /* then back: nothing came */
    push(input, ES_INPUT_PLACE, 28, 128 * MS);
    is_at(input, 137 * MS, S, 35);
    es_input_destroy(input);
}

TEST(resets_loads_and_a_clock_that_steps_back_part_the_motion)
{
    es_input *input = es_input_create(&(es_input_config){.rests = 1});
    unsigned char saved[64];
    push(input, ES_INPUT_PLACE, 4, 100 * MS);
    push(input, ES_INPUT_RESET, 0, 108 * MS);
    is_at(input, 104 * MS, 0, 2);
    tick_at(input, 200 * MS);
    is_at(input, 108 * MS, 0, 0);
    push(input, ES_INPUT_PLACE, 7, ES_UNKNOWN_NS); /* at once */
    is_at(input, 108 * MS, 0, 7);
    tick_at(input, 210 * MS);
    size_t size = es_input_save(input, saved, sizeof saved);
    push(input, ES_INPUT_PLACE, 9, 220 * MS);
    tick_at(input, 230 * MS);
    assert_true(es_input_load(input, saved, size));
    is_at(input, 225 * MS, 0, 7);
    push(input, ES_INPUT_PLACE, 3, 40 * MS);
    tick_at(input, 50 * MS); /* the clock was set */
    push(input, ES_INPUT_PLACE, 5, 50 * MS);
    is_at(input, 45 * MS, 0, 4);
    push(input, ES_INPUT_PLACE, 11, 290 * MS);
    tick_at(input, 300 * MS);
    push(input, ES_INPUT_PLACE, 1, 100 * MS);
    tick_at(input, 110 * MS); /* it was set again: what came before is over */
    push(input, ES_INPUT_PLACE, 3, 110 * MS);
    is_at(input, 105 * MS, 0, 2);
    es_input_destroy(input);
}

/* --- against a list --------------------------------------------------------------------------- */

enum { EVENTS = 20000 / TEST_SHARE };

TEST(an_axis_is_where_a_list_of_all_events_has_it)
{
    static int64_t stamps_ns[EVENTS + 1];
    static double places[EVENTS + 1];
    es_input *input = es_input_create(&(es_input_config){.events = 64});
    test_random random = {.state = 11};
    int64_t compared = 0;
    for (int i = 1; i <= EVENTS; ++i) {
        const double by = (double)random_below(&random, 101) - 50;
        stamps_ns[i] = stamps_ns[i - 1] + random_below(&random, chance(&random, 20) ? 60 * MS : MS);
        places[i] = places[i - 1] + by;
        const es_input_kind kind = chance(&random, 2) ? ES_INPUT_MOVE : ES_INPUT_PLACE;
        push(input, kind, kind == ES_INPUT_MOVE ? by : places[i], stamps_ns[i]);
        if (i % 16 == 0) { /* the ring keeps 64 events at least */
            tick_at(input, stamps_ns[i - random_below(&random, 16)]);
        }
        const int64_t instant_ns = stamps_ns[i] - random_below(&random, 4 * MS);
        int k = i, n = i; /* the last at or before the instant; the last of those after */
        while (k > 0 && stamps_ns[k] > instant_ns) {
            n = stamps_ns[k] < stamps_ns[n] ? k : n;
            k -= 1;
        }
        const int64_t apart_ns = stamps_ns[n] - stamps_ns[k];
        const bool moves = k > 0 && k < n && apart_ns <= 20 * MS;
        const double t = moves ? (double)(instant_ns - stamps_ns[k]) / (double)apart_ns : 0;
        is_at(input, instant_ns, 0, es_lerp(places[k], places[n], t));
        compared += moves;
    }
    assert_true(compared > EVENTS / 2);
    es_input_destroy(input);
}

/* --- mouse look ------------------------------------------------------------------------------- */

enum { SECONDS = 40, SETTLED = 4, PER_S = 4000 };

typedef struct look {
    int64_t mouse_hz, screen_hz;
    int64_t frames_late_ns; /* they begin up to this late; events come up to 3 ms late */
    bool slows; /* the hand, for 4 s in 5, to 1/40; and the mouse reports whole numbers only */
    /* the mouse */
    es_input *input;
    test_random random;
    int64_t next, received_ns; /* the next report, and when it is received */
    double reported;
    /* found: animation errors in ms of objects, of the view, of the newest position; and how old the view
     * is at the earliest begin of a frame */
    double errors_ms[3], age_ms;
} look;

static void poll_mouse(look *l, int64_t now_ns)
{
    while (l->received_ns <= now_ns) {
        const int64_t stamp_ns = l->next * S / l->mouse_hz;
        const double s = (double)stamp_ns / 1e9, slow_s = fmax(fmod(s, 5) - 1, 0);
        double at = PER_S * s;
        if (l->slows) {
            at = floor(PER_S * (floor(s / 5) * 1.1 + fmod(s, 5) - slow_s * 39 / 40));
        }
        if (at > l->reported) {
            assert_true(es_input_move(l->input, 0, at - l->reported, stamp_ns));
        }
        l->reported = at;
        l->next += 1;
        int64_t comes_ns = l->next * S / l->mouse_hz + random_below(&l->random, 3 * MS + 1);
        l->received_ns = comes_ns > l->received_ns ? comes_ns : l->received_ns; /* in order */
    }
}

static void look_around(look *l)
{
    es_manual_clock time = {0};
    es_loop_config config = {.clock = es_manual_clock_get(&time)};
    es_loop *loop = es_loop_create(&config);
    es_frame frame;
    double last[4] = {0}, begun_ms = 1e9, frames = (SECONDS - SETTLED) * (double)l->screen_hz;
    l->input = es_input_create(NULL);
    l->random.state = 1;
    while (time.now_ns < SECONDS * S && es_loop_next(loop, &frame)) {
        es_manual_clock_work(&time, random_below(&l->random, l->frames_late_ns + 1));
        poll_mouse(l, time.now_ns);
        for (int i = 0; i < frame.ticks; ++i) {
            es_step step = es_frame_step(&frame, i);
            es_input_tick(l->input, &step);
        }
        const int64_t view_ns = es_input_view_ns(l->input, &frame);
        double now[4] = {(double)frame.content_ns / 1e6,
                es_input_at(l->input, 0, view_ns, 0) / PER_S * 1e3,
                es_input_peek(l->input, 0) / PER_S * 1e3};
        es_manual_clock_work(&time, 2 * MS);
        es_loop_submit(loop);
        int64_t refresh = time.now_ns * l->screen_hz / S + 1;
        time.now_ns = es_rate_time_ns(es_hz((double)l->screen_hz), refresh);
        es_loop_end(loop);
        now[3] = (double)time.now_ns / 1e6;
        if (time.now_ns > SETTLED * S) {
            for (int i = 0; i < 3; ++i) {
                l->errors_ms[i] += fabs(now[i] - last[i] - (now[3] - last[3])) / frames;
            }
            begun_ms = fmin(begun_ms, (double)(frame.present_ns - frame.begun_ns) / 1e6);
            l->age_ms = (double)(frame.present_ns - view_ns) / 1e6 - begun_ms;
        }
        memcpy(last, now, sizeof last);
    }
    es_input_destroy(l->input);
    es_loop_destroy(loop);
}

TEST(mouse_look_is_as_even_as_the_objects)
{
    static const int64_t mice[] = {125, 500, 1000, 8000}, screens[] = {60, 144, 240};
    for_rows (i, mice)
        for_rows (k, screens)
            for (int late_ms = 0; late_ms <= (k < 2 ? 3 : 0); late_ms += 3) {
                row("frames up to %d ms late", late_ms);
                look l = {.mouse_hz = mice[i],
                        .screen_hz = screens[k],
                        .frames_late_ns = late_ms * MS};
                look_around(&l);
                printf("mouse %d Hz, screen %d Hz, frames %d ms late: %.3f ms, newest %.3f, age "
                       "%.2f\n",
                        (int)l.mouse_hz, (int)l.screen_hz, late_ms, l.errors_ms[1], l.errors_ms[2],
                        l.age_ms);
                assert_at_most(l.errors_ms[1], l.errors_ms[0] + 0.02);
                assert_true(l.errors_ms[2] > 0.3); /* what it is for */
                assert_at_most(l.age_ms, 1e3 / (double)mice[i] + 0.99 * 3);
            }
}

/* SDL's simulated vsync lets a present return 13 ms early: the next present_ns is earlier, too. */
TEST(the_view_does_not_turn_back)
{
    es_input *input = es_input_create(NULL);
    int64_t last_ns = INT64_MIN;
    for (int64_t i = 0; i < 200; ++i) {
        es_frame frame = {.begun_ns = i * 16 * MS, .interval_ns = 16 * MS};
        frame.present_ns = (i + 1) * 16 * MS + (i % 60 == 50 ? 16 * MS : 0);
        for (int64_t k = 0; k < 4; ++k) {
            es_input_move(input, 0, 1, (i * 16 + (k - 3) * 4) * MS);
        }
        const int64_t view_ns = es_input_view_ns(input, &frame);
        tick_at(input, frame.begun_ns);
        assert_true(view_ns >= last_ns && view_ns <= frame.present_ns);
        last_ns = view_ns;
    }
    es_frame set_back = {.present_ns = MS};
    assert_true(es_input_view_ns(input, &set_back) <= MS); /* the clock was set */
    es_frame stopped = {.present_ns = 2 * MS, .gap.kind = ES_GAP_STOPPED};
    es_input_button(input, 0, true, MS); /* no motion */
    assert_true(es_input_view_ns(input, &stopped) <= 2 * MS);
    es_input_destroy(input);
}

/* The first stamp is a guess of es_input_stamp: it may be almost an interval late. */
TEST(a_first_stamp_that_is_late_is_forgotten)
{
    es_input *input = es_input_create(NULL);
    int64_t sent = 0, view_ns = 0, newest_ns = 0;
    for (int64_t i = 0; i < 200; ++i) {
        const int64_t now_ns = i * S / 60;
        const es_frame frame = {
                .begun_ns = now_ns, .present_ns = now_ns, .interval_ns = S / 60, .index = i};
        for (; sent * 8 * MS <= now_ns; ++sent) {
            newest_ns = sent * 8 * MS + (sent == 0 ? 15 * MS / 2 : 0);
            es_input_move(input, 0, 1, newest_ns);
        }
        view_ns = es_input_view_ns(input, &frame);
        tick_at(input, now_ns);
        assert_true(i < 100 || now_ns - view_ns > 7 * MS);
    }
    es_input_destroy(input);
}

/* A count each 10 ms: the device leaves out reports, which must not make the view much older. */
TEST(a_slow_hand_has_no_older_view)
{
    look l = {.mouse_hz = 1000, .screen_hz = 60, .slows = true};
    look_around(&l);
    assert_near(l.age_ms, 11.0 / 3, 0.2); /* two intervals, and how late events come */
}
