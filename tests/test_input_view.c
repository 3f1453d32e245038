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

static void place(es_input *input, uint16_t axis, double at, int64_t stamp_ns)
{
    const es_input_event event = {
            .kind = ES_INPUT_PLACE, .code = axis, .value = at, .stamp_ns = stamp_ns};
    assert_true(es_input_push(input, &event));
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
    is_at(input, 5 * MS, 0, 0);
    es_input_move(input, 0, 10, 100 * MS);
    es_input_move(input, 1, 99, 101 * MS);
    es_input_move(input, 0, 2, 104 * MS);
    es_input_move(input, 0, 2, 104 * MS); /* one instant */
    es_input_move(input, 0, -6, 108 * MS);
    for (int taken = 0; taken < 4; ++taken) { /* waiting, some taken, all taken: the same */
        row("taken %d", taken);
        is_at(input, 0, 0, 0);
        is_at(input, 99 * MS, 0, 0); /* nothing for long before: the hand rested */
        is_at(input, 100 * MS, 0, 10);
        is_at(input, 102 * MS, 0, 12);
        is_at(input, 104 * MS, 0, 14);
        is_at(input, 105 * MS, 0, 12.5);
        is_at(input, 108 * MS, 0, 8);
        is_at(input, 500 * MS, 0, 8);
        tick_at(input, (100 + 4 * taken) * MS);
    }
    place(input, 0, 50, 130 * MS); /* a finger comes down anew */
    is_at(input, 130 * MS - 1, 0, 8);
    is_at(input, 130 * MS, 0, 50);
    assert_true(es_input_at(input, -1, MS, 0) == 0 && es_input_at(input, 8, MS, 0) == 0);
    assert_true(es_input_at(NULL, 0, MS, 0) == 0 && es_input_view_ns(NULL, NULL) == 0);
    assert_true(es_input_view_ns(input, NULL) == 0);
    es_input_destroy(input);
}

TEST(it_goes_on_for_half_an_interval_and_at_most_8_ms)
{
    es_input *input = es_input_create(NULL);
    place(input, 0, 0, 100 * MS);
    is_at(input, 104 * MS, 8 * MS, 0); /* no speed yet */
    place(input, 0, 10, 110 * MS);
    is_at(input, 112 * MS, 0, 10);
    is_at(input, 112 * MS, -MS, 10);
    is_at(input, 112 * MS, 8 * MS, 12);
    is_at(input, 115 * MS, 8 * MS, 15);
    is_at(input, 113 * MS, 3 * MS, 13);
    is_at(input, 116 * MS, 8 * MS, 14); /* then back: nothing came */
    is_at(input, 120 * MS, 8 * MS, 10);
    is_at(input, 500 * MS, 8 * MS, 10);
    place(input, 0, 28, 128 * MS);
    is_at(input, 136 * MS, S, 36);
    is_at(input, 137 * MS, S, 35);
    es_input_destroy(input);
}

TEST(resets_loads_and_a_clock_that_steps_back_part_the_motion)
{
    es_input *input = es_input_create(&(es_input_config){.rests = 1});
    unsigned char saved[64];
    place(input, 0, 4, 100 * MS);
    es_input_push(input, &(es_input_event){.kind = ES_INPUT_RESET, .stamp_ns = 108 * MS});
    is_at(input, 104 * MS, 0, 2);
    is_at(input, 108 * MS, 0, 0);
    tick_at(input, 200 * MS);
    is_at(input, 108 * MS, 0, 0);
    place(input, 0, 7, ES_UNKNOWN_NS); /* at once */
    is_at(input, 108 * MS, 0, 7);
    tick_at(input, 210 * MS);
    size_t size = es_input_save(input, saved, sizeof saved);
    place(input, 0, 9, 220 * MS);
    tick_at(input, 230 * MS);
    assert_true(es_input_load(input, saved, size));
    is_at(input, 225 * MS, 0, 7);
    place(input, 0, 3, 40 * MS);
    tick_at(input, 50 * MS); /* the clock was set */
    place(input, 0, 5, 50 * MS);
    is_at(input, 45 * MS, 0, 4);
    es_input_destroy(input);
}

/* --- against a list --------------------------------------------------------------------------- */

enum { EVENTS = 20000 / TEST_SHARE, WAIT_MAX = 64 };

TEST(an_axis_is_where_a_list_of_all_events_has_it)
{
    static int64_t stamps_ns[EVENTS];
    static double places[EVENTS];
    es_input *input = es_input_create(&(es_input_config){.events = WAIT_MAX, .axes = 2});
    test_random random = {.state = 11};
    int64_t compared = 0, due_ns = 0;
    for (int i = 0; i < EVENTS; ++i) {
        int64_t apart_ns = chance(&random, 20) ? random_below(&random, 60 * MS) : MS;
        stamps_ns[i] = (i > 0 ? stamps_ns[i - 1] : 0) + random_below(&random, apart_ns);
        const double before = i > 0 ? places[i - 1] : 0;
        const double by = (double)random_below(&random, 101) - 50;
        places[i] = before + by;
        if (chance(&random, 2)) {
            es_input_move(input, 0, by, stamps_ns[i]);
        } else {
            place(input, 0, places[i], stamps_ns[i]);
        }
        if (chance(&random, 3)) {
            es_input_move(input, 1, 1, stamps_ns[i]);
        }
        if (chance(&random, 8) || i % 16 == 0) { /* a ring of 128 keeps over 40 of this axis */
            int64_t until_ns = stamps_ns[i] - random_below(&random, MS / 2);
            due_ns = until_ns > due_ns ? until_ns : due_ns;
            tick_at(input, due_ns);
        }
        int64_t instant_ns = stamps_ns[i] - random_below(&random, 4 * MS);
        int k = i;
        while (k >= 0 && stamps_ns[k] > instant_ns) {
            k -= 1;
        }
        if (k < 0 || i - k > 40) {
            continue;
        }
        int n = k + 1; /* the last of those at one instant */
        while (n < i && stamps_ns[n + 1] == stamps_ns[n]) {
            n += 1;
        }
        bool moves = n <= i && stamps_ns[n] - stamps_ns[k] <= 20 * MS;
        double t =
                moves ? (double)(instant_ns - stamps_ns[k]) / (double)(stamps_ns[n] - stamps_ns[k])
                      : 0;
        is_at(input, instant_ns, 0, es_lerp(places[k], places[moves ? n : k], t));
        compared += moves;
    }
    assert_true(compared > EVENTS / 2);
    es_input_destroy(input);
}

/* --- mouse look ------------------------------------------------------------------------------- */

enum { SECONDS = 40, SETTLED = 4 };

typedef struct look {
    int64_t mouse_hz, refresh_hz;
    int64_t frames_late_ns; /* frames begin up to this late; events come up to 3 ms late */
    double per_s;           /* how far the hand goes */
    bool slows;             /* for 4 s in 5, to 1/40; and the mouse reports whole numbers only */
    /* found: animation errors in ms, and how old the look is at the earliest begin of a frame */
    double objects_ms, look_ms, newest_ms, age_ms;
} look;

typedef struct mouse {
    es_input *input;
    test_random random;
    int64_t next, received_ns; /* the next report, and when it is received */
    double reported;
} mouse;

static void poll_mouse(mouse *m, const look *l, int64_t now_ns)
{
    while (m->received_ns <= now_ns) {
        const int64_t stamp_ns = m->next * S / l->mouse_hz;
        double s = (double)stamp_ns / 1e9, part_s = fmod(s, 5);
        double at = l->per_s * s;
        if (l->slows) {
            double slow_s = part_s > 1 ? part_s - 1 : 0;
            at = floor(l->per_s * (floor(s / 5) * 1.1 + part_s - slow_s * 39 / 40));
        }
        if (at > m->reported) {
            assert_true(es_input_move(m->input, 0, at - m->reported, stamp_ns));
        }
        m->reported = at;
        m->next += 1;
        int64_t comes_ns = m->next * S / l->mouse_hz + random_below(&m->random, 3 * MS + 1);
        m->received_ns = comes_ns > m->received_ns ? comes_ns : m->received_ns; /* in order */
    }
}

static void look_around(look *l)
{
    es_manual_clock time = {0};
    es_loop_config config = {.clock = es_manual_clock_get(&time)};
    es_loop *loop = es_loop_create(&config);
    mouse m = {.input = es_input_create(NULL), .random = {.state = 1}, .next = 1};
    es_frame frame;
    double last[4] = {0}, sums[3] = {0}, begun_ms = 1e9;
    int64_t frames = 0;
    while (time.now_ns < SECONDS * S && es_loop_next(loop, &frame)) {
        es_manual_clock_work(&time, random_below(&m.random, l->frames_late_ns + 1));
        poll_mouse(&m, l, time.now_ns);
        for (int i = 0; i < frame.ticks; ++i) {
            es_step step = es_frame_step(&frame, i);
            es_input_tick(m.input, &step);
        }
        const int64_t view_ns = es_input_view_ns(m.input, &frame);
        const double at = es_input_at(m.input, 0, view_ns, 0);
        const double newest = es_input_peek(m.input, 0);
        es_manual_clock_work(&time, 2 * MS);
        es_loop_submit(loop);
        int64_t refresh = time.now_ns * l->refresh_hz / S + 1;
        time.now_ns = es_rate_time_ns(es_hz((double)l->refresh_hz), refresh);
        es_loop_end(loop);
        const double now[4] = {(double)frame.content_ns / 1e6, at / l->per_s * 1e3,
                newest / l->per_s * 1e3, (double)time.now_ns / 1e6};
        for (int i = 0; i < 3 && time.now_ns > SETTLED * S; ++i) {
            sums[i] += fabs(now[i] - last[i] - (now[3] - last[3]));
        }
        if (time.now_ns > SETTLED * S) {
            begun_ms = fmin(begun_ms, (double)(frame.present_ns - frame.begun_ns) / 1e6);
        }
        l->age_ms = (double)(frame.present_ns - view_ns) / 1e6 - begun_ms;
        frames += time.now_ns > SETTLED * S;
        memcpy(last, now, sizeof last);
    }
    l->objects_ms = sums[0] / (double)frames;
    l->look_ms = sums[1] / (double)frames;
    l->newest_ms = sums[2] / (double)frames;
    es_input_destroy(m.input);
    es_loop_destroy(loop);
}

/* Prints the table of docs. */
TEST(mouse_look_is_as_even_as_the_objects)
{
    static const int64_t mice[] = {125, 500, 1000, 8000}, screens[] = {60, 144, 240};
    for_rows (i, mice)
        for_rows (k, screens)
            for (int late = 0; late < (k < 2 ? 2 : 1); ++late) {
                row("frames up to %d ms late", 3 * late);
                look l = {mice[i], screens[k], late * 3 * MS, 4000, false, 0, 0, 0, 0};
                look_around(&l);
                printf("mouse %4d Hz, screen %3d Hz, frames %d ms late: objects %.3f ms, view "
                       "%.3f, newest "
                       "%.3f; age %.2f ms\n",
                        (int)mice[i], (int)screens[k], 3 * late, l.objects_ms, l.look_ms,
                        l.newest_ms, l.age_ms);
                assert_at_most(l.look_ms, l.objects_ms + 0.02);
                assert_true(l.newest_ms > 0.3); /* what it is for */
                assert_at_most(l.age_ms, 1e3 / (double)mice[i] + 0.99 * 3);
            }
}

/* A count each 10 ms: the device leaves out reports, which must not make the view much older. */
TEST(a_slow_hand_has_no_older_view)
{
    look l = {1000, 60, 0, 4000, true, 0, 0, 0, 0};
    look_around(&l);
    assert_at_most(l.age_ms, 3 + 0.99 * 3);
    assert_true(l.age_ms > 3);
}
