/* SPDX-License-Identifier: Zlib
 *
 * Other clocks that lead: lines through readings, content that follows, snapshots of a server.
 */
#include "bench/follow_sim.h"
#include "evenstep/replay.h"
#include "frame_support.h"

/* --- sound ------------------------------------------------------------------------------------ */

TEST(content_is_where_the_sound_is)
{
    static const sim_sound cases[] = {
            {10, 5, 300, 60, .both = false},
            {20, 5, -300, 144, .both = false},
            {40, 5, 300, 60, .both = false},
            {40, 0, 0, 144, .both = false},
            {10, 5, -300, 144, .both = true},
            {20, 5, 300, 60, .both = true},
            {40, 5, -300, 60, .both = true},
            {10, 5, 300, 60, .underrun_ms = 1000},
            {40, 5, 300, 60, .underrun_ms = 50},
            {40, 5, -300, 60, .both = true, .underrun_ms = 300},
    };
    for_rows (i, cases) {
        const sim_sound *c = &cases[i];
        const sim_figures f = sim_sound_run(c, SIM_FOLLOW, 60, i);
        assert_at_most(f.p99_ms, 1.0);
        assert_at_most(f.speed_off, 0.0101 + fabs(c->drift_ppm) * 1e-6);
        assert_at_most(f.settled_s, 2.0);
        assert_at_most(f.error_ms, 0.01);
        assert_int_equal(f.back, 0);
        assert_true(f.last.account.reanchored_ns > (int64_t)(c->underrun_ms * 0.9e6));
        assert_true(sim_sound_run(c, SIM_SINCE, 35, i).error_ms > 0.5);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static int64_t other_at(es_follower *follower, int64_t now_ns)
{
    int64_t other_ns = INT64_MIN;
    assert_true(es_follower_at(follower, now_ns, &other_ns));
    return other_ns;
}

/* Readings of a clock that is 100 ppm fast, ten per second, `late_ns` old by turns. */
static void read_clock(es_follower *follower, int64_t from_ns, int64_t to_ns, int64_t behind_ns)
{
    for (int64_t at_ns = from_ns; at_ns < to_ns; at_ns += S / 10) {
        int64_t late_ns = at_ns / (S / 10) * 7 % 5 * MS;
        assert_true(es_follower_add(follower, at_ns - behind_ns - late_ns + at_ns / 10000, at_ns));
        es_follower_at(follower, at_ns, &late_ns);
    }
}

TEST(a_line_coasts_and_every_conclusion_can_be_withdrawn)
{
    es_follower *follower = es_follower_create(NULL);
    int64_t other_ns = 5;
    assert_false(es_follower_at(follower, S, &other_ns));
    assert_true(other_ns == 5 && es_follower_get_status(follower).rate == 1);
    read_clock(follower, 0, 20 * S, 0);
    assert_at_most(fabs(es_follower_get_status(follower).rate - 1.0001), 3e-6);
    assert_in_range(other_at(follower, 20 * S) - 20 * S - 2 * MS + MS, 0, 2 * MS);
    assert_in_range(other_at(follower, 620 * S) - 682 * S + 62 * S - 62 * MS + 4 * MS, 0, 8 * MS);
    /* a reading that is too new, alone: 0.75 s later it is forgotten; likewise an underrun */
    assert_true(es_follower_add(follower, 21 * S + 300 * MS, 20 * S));
    assert_in_range(other_at(follower, 20 * S) - 21 * S, 290 * MS, 310 * MS);
    read_clock(follower, 20 * S, 22 * S + S / 2, 0);
    assert_in_range(other_at(follower, 22 * S) - 22 * S, 0, 5 * MS);
    read_clock(follower, 23 * S, 26 * S, 70 * MS);
    assert_in_range(other_at(follower, 26 * S) - 26 * S, -70 * MS, -65 * MS);
    assert_in_range(es_follower_get_status(follower).restarts, 3, 4);
    es_follower_reset(follower);
    assert_false(es_follower_at(follower, S, &other_ns));
    read_clock(follower, 40 * S, 41 * S, 30 * S);
    assert_in_range(other_at(follower, 41 * S) - 11 * S, 0, 10 * MS);
    for (int i = 0; i < 64; ++i) {
        assert_true(es_follower_add(follower, 41 * S + i, 41 * S + i));
    }
    assert_false(es_follower_add(follower, 42 * S, 42 * S));
    es_follower_destroy(follower);
    /* our clock is set back, or one stamp is an hour late */
    follower = es_follower_create(NULL);
    read_clock(follower, 7200 * S, 7205 * S, 0);
    assert_true(es_follower_add(follower, 10800 * S, 10800 * S));
    read_clock(follower, 7205 * S, 7210 * S, 0);
    assert_near(other_at(follower, 7210 * S), 7210 * S, S);
    read_clock(follower, 100 * S, 105 * S, 0);
    assert_near(other_at(follower, 105 * S), 105 * S, S);
    assert_int_equal(es_follower_get_status(follower).restarts, 3);
    es_follower_destroy(follower);
}

/* Readings 0.25 s apart, late by this: the first, the second, the one at the middle of 6 s, the last, others. Of two
 * sides that meet at the middle the older one counts. */
TEST(a_line_is_the_side_of_the_hull_at_the_middle)
{
    static const struct {
        int64_t late_us[5];
        double gains_us; /* in how many seconds */
        double seconds;
    } rows[] = {{{0, 1500, 1500, 0, 1900}, 0, 1}, {{1000, 1900, 0, 1500, 1900}, 1000, 3},
            {{0, 1900, 1900, 600, 1900}, -600, 6}, {{300, 0, 1900, 0, 1900}, 0, 1}};
    for_rows (i, rows) {
        es_follower *follower = es_follower_create(NULL);
        for (int k = 0; k <= 24; ++k) {
            int which = k < 2 ? k : k == 12 ? 2 : k == 24 ? 3 : 4;
            int64_t at_ns = k * S / 4;
            assert_true(es_follower_add(follower, at_ns - rows[i].late_us[which] * US, at_ns));
        }
        other_at(follower, 6 * S);
        const es_follower_status status = es_follower_get_status(follower);
        assert_near(status.rate, 1 + rows[i].gains_us / rows[i].seconds * 1e-6, 1e-12);
        assert_int_equal(status.restarts, 0);
        es_follower_destroy(follower);
    }
}

/* Exact readings: 10 ms less are no noise. */
TEST(a_small_step_is_taken_where_nothing_is_late)
{
    es_follower *follower = es_follower_create(NULL);
    for (int64_t at_ns = 0; at_ns <= 8 * S; at_ns += S / 4) {
        assert_true(es_follower_add(follower, at_ns - (at_ns > 5 * S ? 10 * MS : 0), at_ns));
    }
    assert_near(other_at(follower, 8 * S), 7990 * MS, MS / 10);
    assert_int_equal(es_follower_get_status(follower).restarts, 1);
    es_follower_destroy(follower);
}

TEST(odd_readings_do_no_harm)
{
    static const int64_t odd[] = {0, 1, -1, INT64_MAX, INT64_MIN, S, -S, 3600 * S, INT64_MAX / 2};
    test_random source = {5};
    for (int i = 0; i < 2000 / TEST_SHARE; ++i) {
        es_follower *follower = es_follower_create(
                &(es_follower_config){.noise = (es_follow_noise)(i % 2), .rate_error_max = 0.1});
        for (int k = 0; k < 60; ++k) {
            int64_t other_ns = odd[random_below(&source, COUNT_OF(odd))] / (1 + k % 3);
            int64_t read_ns = odd[random_below(&source, COUNT_OF(odd))] / (1 + k % 5);
            es_follower_add(follower, other_ns, read_ns);
            assert_true(es_follower_at(follower, read_ns, &other_ns));
        }
        const es_follower_status status = es_follower_get_status(follower);
        assert_at_most(fabs(status.rate - 1), 0.1 + 1e-12);
        es_follower_destroy(follower);
    }
}

TEST(configurations_are_checked)
{
    static const struct {
        es_follower_config config;
        const char *field;
    } cases[] = {{{.noise = (es_follow_noise)2}, "noise"},
            {{.rate_error_max = 0.2}, "rate_error_max"},
            {{.rate_error_max = (double)NAN}, "rate_error_max"},
            {{.speed_change_max = 0.6}, "speed_change_max"}, {{.jump_ns = -1}, "jump_ns"},
            {{.speed_change_max = -0.1}, "speed_change_max"}};
    for_rows (i, cases) {
        assert_null(es_follower_create(&cases[i].config));
        assert_non_null(strstr(es_get_error(), cases[i].field));
    }
    static const struct {
        es_snapshots_config config;
        const char *field;
    } servers[] = {{{.state_size = 4}, "tick_rate"}, {{.tick_rate = {20, 1}}, "state_size"},
            {{.state_size = SIZE_MAX / 4, .tick_rate = {20, 1}}, "state_size"},
            {{.state_size = SIZE_MAX / 100, .tick_rate = {20, 1}}, "state_size"},
            {{.state_size = 4, .tick_rate = {20, 1}, .spare = 9}, "spare"},
            {{.state_size = 4, .tick_rate = {20, 1}, .spare = -2}, "spare"},
            {{.state_size = 4, .tick_rate = {20, 1}, .delay_ns = -1}, "delay_ns"},
            {{.state_size = 4, .tick_rate = {20, 1}, .delay_ns = 3 * S + 1}, "delay_ns"}};
    for_rows (i, servers) {
        assert_null(es_snapshots_create(&servers[i].config));
        assert_non_null(strstr(es_get_error(), servers[i].field));
    }
    int64_t ns = 0;
    es_frame frame = {0};
    assert_null(es_snapshots_create(NULL));
    assert_false(es_follower_add(NULL, 0, 0) || es_follower_at(NULL, 0, &ns));
    assert_false(es_snapshots_add(NULL, 0, NULL, 0) || es_snapshots_blend(NULL, NULL, &frame, &ns));
    assert_true(es_follower_get_status(NULL).rate == 1 && es_snapshots_get_status(NULL).speed == 1);
    es_follower_reset(NULL);
    es_follower_destroy(NULL);
    es_snapshots_destroy(NULL);
}

/* --- content ---------------------------------------------------------------------------------- */

/* The other clock is ahead of ours by this; 0: no readings. Returns how far content is ahead of the screen. */
static int64_t run_frames(
        es_loop *loop, virtual_clock *clock, es_follower *follower, int64_t ahead_ns, int frames)
{
    static es_frame frame;
    static int64_t first_ns;
    for (int i = 0; i < frames; ++i) {
        int64_t before_ns = frame.content_ns;
        if (ahead_ns != 0) {
            es_follower_add(follower, clock->now_ns + ahead_ns, clock->now_ns);
        }
        assert_true(es_loop_follow(loop, follower, 7 * MS));
        assert_true(es_loop_next(loop, &frame));
        first_ns = frame.index == 0 ? frame.present_ns : first_ns;
        assert_account_adds_up(&frame, first_ns);
        assert_true(frame.index == 0 || frame.content_ns >= before_ns);
        es_loop_submit(loop);
        clock->now_ns = es_rate_time_ns(es_hz(60), frame.index + 1);
    }
    return frame.content_ns - frame.present_ns;
}

TEST(content_jumps_runs_and_pauses)
{
    virtual_clock clock = {0};
    es_loop *loop = es_loop_create(&(es_loop_config){.clock = virtual_clock_get(&clock)});
    es_follower *follower = es_follower_create(NULL);
    run_frames(loop, &clock, follower, 0, 60); /* without a reading: as without the call */
    assert_near(run_frames(loop, &clock, follower, 0, 60), -S / 60, MS);
    run_frames(loop, &clock, follower, 2 * S, 60); /* 125 ms per frame */
    assert_near(run_frames(loop, &clock, follower, 2 * S, 1), 2 * S + 7 * MS, MS / 10);
    es_loop_set_paused(loop, true);
    assert_true(run_frames(loop, &clock, follower, 2 * S, 30) < 2 * S - 400 * MS);
    es_loop_set_paused(loop, false);
    run_frames(loop, &clock, follower, 2 * S, 60);
    assert_near(run_frames(loop, &clock, follower, 2 * S, 1), 2 * S + 7 * MS, MS / 10);
    assert_near(es_follower_get_status(follower).behind_ns, 0, MS);
    /* half a second back: content stands still until then */
    es_follower_reset(follower);
    run_frames(loop, &clock, follower, 3 * S / 2, 60);
    assert_near(run_frames(loop, &clock, follower, 3 * S / 2, 1), 3 * S / 2 + 7 * MS, MS / 10);
    /* the sound stops for a minute: after two seconds content stands, too, and goes on with it */
    int64_t stopped_ns = run_frames(loop, &clock, follower, 0, 60 * 60);
    assert_near(stopped_ns, 3 * S / 2 - 58 * S, 100 * MS);
    run_frames(loop, &clock, follower, 3 * S / 2 - 60 * S, 60 * 4);
    assert_near(run_frames(loop, &clock, follower, 3 * S / 2 - 60 * S, 1),
            3 * S / 2 - 60 * S + 7 * MS, MS / 10);
    /* a false reading, far back: afterwards content does not stand longer than it must */
    es_follower_reset(follower);
    run_frames(loop, &clock, follower, -600 * S, 2);
    run_frames(loop, &clock, follower, 3 * S / 2 - 60 * S, 90);
    assert_near(run_frames(loop, &clock, follower, 3 * S / 2 - 60 * S, 1),
            3 * S / 2 - 60 * S + 7 * MS, MS / 10);
    int64_t at_ns = run_frames(loop, &clock, NULL, 0, 60);
    assert_near(at_ns, run_frames(loop, &clock, NULL, 0, 600), MS / 100);
    es_step step;
    assert_true(es_loop_begin(loop));
    assert_true(es_loop_tick(loop, &step));
    assert_false(es_loop_follow(loop, follower, 0)); /* ticks are running */
    es_loop_destroy(loop);
    loop = es_loop_create(&(es_loop_config){.speed_change_max = 0.05});
    assert_false(es_loop_follow(loop, follower, 0));
    assert_non_null(strstr(es_get_error(), "speed_change_max"));
    assert_false(es_loop_follow(NULL, follower, 0));
    es_loop_destroy(loop);
    loop = es_loop_create(&(es_loop_config){.step = ES_STEP_VARIABLE});
    assert_false(es_loop_follow(loop, follower, 0));
    es_loop_destroy(loop);
    loop = es_loop_create(NULL);
    assert_true(es_loop_follow(loop, follower, 0)); /* before the first frame */
    es_loop_destroy(loop);
    es_follower_destroy(follower);
}

/* 600 frames that follow a clock. Recorded, or played again without one. */
static uint64_t run_recorded(es_clock clock, virtual_clock *time, es_follower *follower)
{
    es_loop *loop = es_loop_create(&(es_loop_config){.clock = clock});
    uint64_t sum = 0;
    test_random source = {9};
    for (es_frame frame = {0}; frame.index < 600 && es_loop_next(loop, &frame);) {
        sum = sum * 31 + (uint64_t)frame.content_ns;
        es_loop_submit(loop);
        if (time != NULL) {
            time->now_ns = es_rate_time_ns(es_hz(60), frame.index + 1)
                           + (int64_t)random_below(&source, 3000000);
            int64_t other_ns = time->now_ns + time->now_ns / 2000 - 30 * MS;
            es_follower_add(
                    follower, other_ns - (int64_t)random_below(&source, 9000000), time->now_ns);
        }
        assert_true(es_loop_follow(loop, follower, 0));
    }
    es_loop_destroy(loop);
    return sum;
}

TEST(a_recording_repeats_what_was_read)
{
    double world = 0;
    const es_record_config config = {.state_size = sizeof world};
    remove("follow.esrec");
    es_record *record = es_record_create("follow.esrec", &config, &world);
    virtual_clock time = {0};
    es_clock clock = virtual_clock_get(&time);
    es_follower *follower =
            es_follower_create(&(es_follower_config){.tape = es_record_value, .tape_user = record});
    es_loop_follow(NULL, follower, 0);
    assert_false(es_follower_at(follower, 0, &(int64_t){0})); /* recorded before the clock */
    uint64_t sum = run_recorded(es_record_clock(record, &clock), &time, follower);
    const es_follower_status status = es_follower_get_status(follower);
    es_follower_destroy(follower);
    assert_int_equal(es_record_destroy(record).result, ES_OK);

    es_replay *replay = es_replay_open("follow.esrec", &config, &world);
    follower =
            es_follower_create(&(es_follower_config){.tape = es_replay_value, .tape_user = replay});
    assert_false(es_follower_at(follower, 0, &(int64_t){0}));
    assert_true(run_recorded(es_replay_clock(replay, NULL), NULL, follower) == sum);
    const es_follower_status again = es_follower_get_status(follower);
    assert_memory_equal(&again, &status, sizeof status);
    assert_true(status.readings == 601 && es_replay_get_status(replay).strays == 0);
    es_follower_destroy(follower);
    es_replay_close(replay);
    assert_true(es_record_value(NULL, 7) == 7 && es_replay_value(NULL, 8) == 8);
    remove("follow.esrec");
}

TEST(the_sound_of_an_emulator_is_resampled_to_the_fill)
{
    assert_true(es_loop_sound_ratio(NULL, 0.5, 0.005) == 1);
    assert_true(es_loop_sound_ratio(NULL, 0, 0.005) == 1.005); /* empty: more samples */
    assert_true(es_loop_sound_ratio(NULL, 1, 0.005) == 0.995);
    assert_true(es_loop_sound_ratio(NULL, 7, 3) == 0.9);
    assert_true(es_loop_sound_ratio(NULL, -7, 0.005) == 1.005);
    assert_true(es_loop_sound_ratio(NULL, (double)NAN, 0.005) == 1.005);
    assert_true(es_loop_sound_ratio(NULL, (double)NAN, (double)NAN) == 1);
}

/* Refreshes too many or few: as few as can be, and none where the rates are within 1 %. */
TEST(an_emulator_repeats_and_drops_no_more_than_it_must)
{
    static const double displays[] = {50, 59.94, 60, 75, 120, 144, 0};
    for (size_t i = 0; i < 2 * COUNT_OF(displays); ++i) {
        double hz = displays[i / 2];
        const sim_console c = {
                i % 2 == 0 ? 59.7275 : 60.0988, hz > 0 ? hz : 144, hz <= 0, .retroarch = false};
        row("%g on %g Hz", c.rate, hz);
        const sim_played p = sim_console_run(&c, 60);
        bool matches = fabs(c.hz / c.rate / floor(c.hz / c.rate + 0.5) - 1) < 0.01;
        assert_near(p.off, matches ? 0 : p.least, 3);
        assert_true(p.empty == 0 && p.full == 0);
        assert_at_most(p.pitch, 0.005);
        assert_at_most(fabs(p.speed), matches ? 0.005 : 0.0003);
    }
}

/* --- snapshots -------------------------------------------------------------------------------- */

TEST(snapshots_move_evenly_over_a_bad_network)
{
    static const sim_net cases[] = {{10, 20, .05, 60, .spare = 0}, {10, 50, .05, 144, .spare = 0},
            {20, 20, .05, 60, .spare = 0}, {20, 50, .05, 60, .spare = 0},
            {30, 20, .05, 60, .spare = 0}, {60, 20, .05, 144, .spare = 0},
            {60, 50, .1, 60, .burst = 2}, {20, 0, 0, 60, .spare = 0},
            {20, 20, .05, 60, .detour_ms = -30}};
    for_rows (i, cases) {
        const sim_net *c = &cases[i];
        const sim_figures f = sim_net_run(c, SIM_FOLLOW, 60, i);
        assert_true(f.predicted == 0);
        assert_at_most(f.error_ms, 0.1);
        assert_at_most(f.speed_off, 0.06);
        assert_at_most(f.place, 0.02);
        assert_int_equal(f.back, 0);
        if (c->detour_ms == 0) { /* afterwards the delay falls slowly */
            assert_at_most(f.delay_ms, f.jitter_ms + 2000 / c->rate + 1);
        }
        assert_at_most(f.late, c->burst > 0 ? 0.02 : 0.005);
        assert_true(sim_net_run(c, SIM_FIXED, 20, i).error_ms > 5 * f.error_ms);
    }
    const sim_net detour = {20, 20, .05, 60, .detour_ms = 30}; /* it is jitter for 32 s */
    assert_at_most(sim_net_run(&detour, SIM_FOLLOW, 60, 1).error_ms, 0.1);
    const sim_net spare = {20, 20, .05, 60, .spare = -1};
    assert_in_range((int)(1000 * sim_net_run(&spare, SIM_FOLLOW, 60, 1).late), 20, 60);
}

enum { PLACES = 73 }; /* all the same: states do not overlap */

typedef struct client {
    es_snapshots *snapshots;
    es_frame frame;
    double at[PLACES];
} client;

static const es_prediction straight = {.kind = ES_PREDICT_LINEAR};
static const es_field client_fields[] = {{.name = "at",
        .type = ES_TYPE_F64,
        .blend = ES_BLEND_LINEAR,
        .count = 1,
        .components = PLACES,
        .prediction = &straight}};
static const es_layout client_layout = {client_fields, 1, PLACES * sizeof(double)};

static client client_create(void)
{
    return (client){.snapshots = es_snapshots_create(&(es_snapshots_config){
                            .state_size = client_layout.state_size, .tick_rate = {20, 1}})};
}

/* A frame at this time; each shown 10 ms after it began. Returns what it shows. */
static double show_at(client *c, int64_t now_ns)
{
    c->frame.begun_ns = now_ns;
    c->frame.present_ns = now_ns + 10 * MS;
    assert_true(es_snapshots_blend(c->snapshots, &client_layout, &c->frame, c->at));
    assert_memory_equal(&c->at[1], &c->at[0], sizeof c->at - sizeof c->at[0]);
    return c->at[0];
}

static bool add(client *c, int64_t tick, double at, int64_t now_ns)
{
    double state[PLACES];
    for (int i = 0; i < PLACES; ++i) {
        state[i] = at;
    }
    return es_snapshots_add(c->snapshots, tick, state, now_ns);
}

TEST(snapshots_come_in_any_order)
{
    client c = client_create();
    assert_false(es_snapshots_blend(c.snapshots, &client_layout, &c.frame, c.at));
    static const int order[] = {0, 2, 1, 1, 3, 2, 5, 4, 0};
    int kept = 0;
    for_rows (i, order) {
        kept += add(&c, order[i], order[i], 50 * MS * (int64_t)i);
    }
    assert_int_equal(kept, 6);
    es_snapshots_status status = es_snapshots_get_status(c.snapshots);
    assert_true(status.received == 6 && status.dropped == 3 && status.newest_tick == 5);
    for (int64_t now_ns = 400 * MS; now_ns < 500 * MS; now_ns += 10 * MS) {
        double at = show_at(&c, now_ns);
        status = es_snapshots_get_status(c.snapshots);
        assert_at_most(fabs(at - (double)status.content_ns / 50e6), 1e-9);
    }
    /* a server that begins anew: old ticks, until they are many */
    assert_true(add(&c, 1000, 0, S));
    for (int i = 0; i < 20; ++i) {
        assert_true(add(&c, i, i, S + 50 * MS * i) == (i >= 8));
    }
    assert_in_range(es_snapshots_get_status(c.snapshots).newest_tick, 19, 19);
    for (int i = 0; i < 15; ++i) { /* again, soon */
        assert_true(add(&c, 8 + i, i, 2 * S + 50 * MS * i) == (i >= 8));
    }
    assert_in_range(es_snapshots_get_status(c.snapshots).jitter_ns, 0, MS);
    assert_false(add(&c, -1, 0, S) || add(&c, INT64_MAX, 0, S));
    assert_true(add(&c, INT64_C(1) << 33, 0, 3 * S)); /* forged: it costs no time */
    show_at(&c, 3 * S);
    es_snapshots_destroy(c.snapshots);
}

/* The program stands for two seconds, then takes what has come meanwhile. */
TEST(a_hitch_is_no_jitter)
{
    client c = client_create();
    for (int64_t now_ns = 0; now_ns < 20 * S; now_ns += 10 * MS) {
        for (int64_t k = now_ns == 12 * S ? 40 : 1; now_ns % (50 * MS) == 0 && k > 0; --k) {
            int64_t tick = now_ns / (50 * MS) + 1 - k;
            (void)(now_ns > 10 * S && now_ns < 12 * S ? false
                                                      : add(&c, tick, (double)tick, now_ns));
        }
        if (now_ns > 0 && (now_ns < 10 * S || now_ns >= 12 * S)) {
            show_at(&c, now_ns);
        }
    }
    const es_snapshots_status status = es_snapshots_get_status(c.snapshots);
    assert_true(status.delay_ns < 101 * MS && status.jitter_ns < MS);
    assert_near(status.content_ns, 20 * S - 100 * MS, 20 * MS);
    es_snapshots_destroy(c.snapshots);
}

TEST(a_wrong_prediction_is_corrected_smoothly)
{
    client c = client_create();
    double before = 0, most = 0, at = 0;
    for (int64_t now_ns = 0; now_ns < 8 * S; now_ns += 5 * MS) {
        int64_t tick = now_ns / (50 * MS);
        bool silent = tick > 100 && tick < 104; /* the object turns meanwhile */
        if (now_ns % (50 * MS) == 0 && !silent) {
            add(&c, tick, tick <= 100 ? (double)tick : (double)(200 - tick), now_ns);
        }
        if (now_ns == 5240 * MS) { /* while that is corrected: another place of the turn */
            add(&c, 103, 97, now_ns);
        }
        before = at;
        at = now_ns > 0 ? show_at(&c, now_ns) : 0;
        most = now_ns > 2 * S ? fmax(most, fabs(at - before)) : 0;
    }
    const es_snapshots_status status = es_snapshots_get_status(c.snapshots);
    assert_in_range(status.predicted, 5, 40);
    assert_at_most(most, 0.55); /* 0.1 is its speed; at once it would be 8 */
    assert_at_most(fabs(at - (200 - (double)status.content_ns / 50e6)), 1e-9);
    es_snapshots_destroy(c.snapshots);
}

/* Tick 60 is 10 ticks aside and comes late, so its view fades in. Tick 50 comes 1.5 s late: the delay grows, and
 * content jumps back. There tick 60 is known. Later nothing is late: the delay falls by a twentieth per second. */
TEST(a_jump_back_ends_corrections_and_the_delay_falls_slowly)
{
    client c = client_create();
    es_snapshots_status status = {0};
    for (int64_t now_ns = 0; now_ns < 20 * S; now_ns += 5 * MS) {
        int64_t tick = now_ns / (50 * MS), before_ns = status.content_ns;
        if (now_ns % (50 * MS) == 0 && tick != 50 && tick != 60) {
            add(&c, tick, (double)tick, now_ns);
        }
        (void)(now_ns == 3085 * MS && add(&c, 60, 70, now_ns));
        (void)(now_ns == 4 * S && add(&c, 50, 50, now_ns));
        double at = now_ns > 0 ? show_at(&c, now_ns) : 0;
        status = es_snapshots_get_status(c.snapshots);
        double due = (double)status.content_ns / 50e6, aside = 10 * fmax(1 - fabs(due - 60), 0);
        bool fades = now_ns > 3 * S && now_ns < 3200 * MS;
        assert_true(now_ns < S || fades || fabs(at - due - aside) < 1e-9);
        double moved_ns = now_ns == 4 * S ? -1449e6 : 5e6 * status.speed;
        assert_true(now_ns < S || fabs((double)(status.content_ns - before_ns) - moved_ns) < 2e6);
        assert_true(now_ns < S || now_ns == 4 * S || fabs(status.speed - 1) < 0.0501);
    }
    assert_near(status.delay_ns, 818 * MS, 2 * MS);
    es_snapshots_destroy(c.snapshots);
}

/* --- what is rare ----------------------------------------------------------------------------- */

static int64_t never_ends(void *user, int64_t value)
{
    *(int *)user += 1;
    return value != 0 ? value : 1;
}

TEST(a_follower_has_its_own_limits)
{
    virtual_clock clock = {0};
    es_loop *loop = es_loop_create(&(es_loop_config){.clock = virtual_clock_get(&clock)});
    es_follower *follower =
            es_follower_create(&(es_follower_config){.speed_change_max = 0.1, .jump_ns = 5 * S});
    run_frames(loop, &clock, follower, 0, 60);
    int64_t before_ns = run_frames(loop, &clock, follower, 2 * S, 1);
    int64_t after_ns = run_frames(loop, &clock, follower, 2 * S, 60); /* at most 10 % faster */
    assert_in_range(after_ns - before_ns, 80 * MS, 105 * MS);
    es_follower_reset(follower); /* without a reading content runs as fast as time again */
    run_frames(loop, &clock, follower, 0, 2);
    before_ns = run_frames(loop, &clock, follower, 0, 1);
    assert_near(run_frames(loop, &clock, follower, 0, 60), before_ns, MS);
    es_follower_destroy(follower);
    es_loop_destroy(loop);
    /* a tape that always says that there is a reading: as many as can wait */
    int calls = 0;
    follower = es_follower_create(&(es_follower_config){.tape = never_ends, .tape_user = &calls});
    assert_true(es_follower_at(follower, S, &before_ns));
    assert_int_equal(calls, 3 * 64);
    es_follower_destroy(follower);
}

TEST(snapshots_may_have_a_fixed_delay_and_a_smaller_layout)
{
    const es_layout larger = {client_fields, 1, 2 * client_layout.state_size};
    client c = {.snapshots = es_snapshots_create(
                        &(es_snapshots_config){.state_size = client_layout.state_size,
                                .tick_rate = {20, 1},
                                .delay_ns = 200 * MS})};
    for (int tick = 0; tick < 40; ++tick) {
        assert_true(add(&c, tick, tick, 50 * MS * tick));
    }
    assert_near(show_at(&c, 50 * MS * 39), 39 - 4, 0.01);
    assert_false(es_snapshots_blend(c.snapshots, NULL, &c.frame, c.at));
    assert_false(es_snapshots_blend(c.snapshots, &larger, &c.frame, c.at));
    es_snapshots_destroy(c.snapshots);
    c.snapshots = es_snapshots_create(&(es_snapshots_config){
            .state_size = client_layout.state_size, .tick_rate = {20, 1}, .spare = 2});
    for (int tick = 0; tick < 40; ++tick) {
        assert_true(add(&c, tick, tick, 50 * MS * tick));
    }
    assert_near(show_at(&c, 50 * MS * 39), 39 - 3, 0.1);
    es_snapshots_destroy(c.snapshots);
}

/* Ticks 0 to 39 have come; the frame at 2.5 s shows a prediction. */
static client predicting(void)
{
    client c = client_create();
    for (int tick = 0; tick < 40; ++tick) {
        assert_true(add(&c, tick, tick, 50 * MS * tick));
    }
    for (int64_t now_ns = 1900 * MS; now_ns <= 2500 * MS; now_ns += 10 * MS) {
        show_at(&c, now_ns);
    }
    assert_true(es_snapshots_get_status(c.snapshots).predicted > 0);
    return c;
}

TEST(corrections_end_with_what_they_come_from)
{
    client c = predicting();
    for (int tick = 40; tick < 120; ++tick) { /* in a hitch: nothing of what was shown is left */
        assert_true(add(&c, tick, tick, 60 * S));
    }
    double at = show_at(&c, 2510 * MS);
    assert_near(at, 120 - 64, 1);
    es_snapshots_destroy(c.snapshots);
    c = predicting(); /* a correction per frame: those that fade are as many as can be kept */
    for (int k = 0; k < 20; ++k) {
        assert_true(add(&c, 40 + k % 2 + 2 * k, 0, 60 * S));
        at = show_at(&c, 2500 * MS + MS * (k + 1));
        assert_true(isfinite(at));
    }
    es_snapshots_destroy(c.snapshots);
    c = predicting(); /* the server's clock leaps ahead */
    assert_true(add(&c, 100, 100, 2510 * MS));
    show_at(&c, 2510 * MS);
    assert_near(es_snapshots_get_status(c.snapshots).content_ns, 100 * 50 * MS, 200 * MS);
    es_snapshots_destroy(c.snapshots);
    c = predicting(); /* it is set back, while a correction fades */
    int64_t before_ns = es_snapshots_get_status(c.snapshots).content_ns;
    for (int tick = 40; tick < 70; ++tick) { /* 100 ms each */
        assert_true(add(&c, tick, tick, 2510 * MS + 100 * MS * (tick - 39)));
        show_at(&c, 2510 * MS + 100 * MS * (tick - 39));
    }
    assert_true(es_snapshots_get_status(c.snapshots).content_ns < before_ns + 2 * S);
    es_snapshots_destroy(c.snapshots);
    c = predicting(); /* what needs the ticks' times is right at once */
    es_field delayed = client_fields[0];
    delayed.delay_ticks = 1;
    const es_layout late = {&delayed, 1, client_layout.state_size};
    for (int tick = 40; tick < 60; ++tick) {
        assert_true(add(&c, tick, tick, 60 * S));
    }
    c.frame.present_ns += MS;
    assert_true(es_snapshots_blend(c.snapshots, &late, &c.frame, c.at));
    assert_near(c.at[0], (double)es_snapshots_get_status(c.snapshots).content_ns / 50e6 - 1, 1e-6);
    es_snapshots_destroy(c.snapshots);
}
