/* SPDX-License-Identifier: Zlib
 *
 * The simulated machine: faults of time, lateness, incidents, hosts, input, feedback. golden_lab.c has the
 * rest.
 */
#include "test_support.h"

#include "lab/run.h"

static lab_machine machine_of(const lab_machine_config *config)
{
    lab_machine machine;
    lab_refusal error;
    assert_int_equal(lab_machine_init(&machine, config, &error), ES_OK);
    return machine;
}

/* --- time ------------------------------------------------------------------------------------- */

/* Costs times 3 from 2 s on, until just before 4 s, of a run whose first second is not measured. */
TEST(a_surge_begins_and_ends)
{
    lab_cost cost = {.base = 1e6, .surge = 3.0, .surge_from = 0.25, .surge_to = 0.75};
    lab_scale scale = {16 * MS, 16 * MS, ES_NS_PER_S, 5 * ES_NS_PER_S, 1};
    lab_pricer pricer = lab_pricer_make(&cost, &scale, LAB_STREAM_RENDER);
    assert_int_equal(lab_pricer_draw_ns(&pricer, 7, 2 * ES_NS_PER_S - 1), 1 * MS);
    assert_int_equal(lab_pricer_draw_ns(&pricer, 7, 2 * ES_NS_PER_S), 3 * MS);
    assert_int_equal(lab_pricer_draw_ns(&pricer, 7, 4 * ES_NS_PER_S - 1), 3 * MS);
    assert_int_equal(lab_pricer_draw_ns(&pricer, 7, 4 * ES_NS_PER_S), 1 * MS);
    assert_int_equal(lab_pricer_typical_ns(&pricer, 3 * ES_NS_PER_S), 3 * MS);
    assert_int_equal(lab_pricer_typical_ns(&pricer, 0), 1 * MS);
}

static lab_machine faulty(lab_fault_kind kind, int64_t amount_ns)
{
    lab_machine_config config = {.scenario = lab_scenario_exact(), .duration_ns = ES_NS_PER_S};
    lab_fault fault = {kind, 0.5, amount_ns};
    config.scenario.clock.faults[0] = fault;
    return machine_of(&config);
}

TEST(faults)
{
    static const struct {
        lab_fault_kind kind;
        int64_t amount_ms, idle_ms, now_ms, true_ms;
    } cases[] = {{LAB_FAULT_JUMP, 100, 499, 499, 499}, {LAB_FAULT_JUMP, 100, 500, 600, 500},
            {LAB_FAULT_BACK, 60, 499, 499, 499}, {LAB_FAULT_BACK, 60, 501, 441, 501},
            {LAB_FAULT_SUSPEND, 30, 510, 510, 540}, {LAB_FAULT_STILL, 30, 510, 500, 510}};
    lab_machine m;
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        m = faulty(cases[i].kind, cases[i].amount_ms * MS);
        es_clock clock = lab_clock(&m);
        lab_idle(&m, cases[i].idle_ms * MS);
        assert_int_equal(lab_true_ns(&m), cases[i].true_ms * MS);
        assert_int_equal(clock.now_ns(clock.user), cases[i].now_ms * MS);
        int64_t suspended_ns = (cases[i].true_ms - cases[i].idle_ms) * MS;
        assert_int_equal(clock.suspended_ns(clock.user), suspended_ns);
    }
    lab_wait_until(&m, 501 * MS); /* while the clock stands still */
    assert_int_equal(lab_true_ns(&m), 531 * MS);
    assert_int_equal(lab_now(&m), 501 * MS);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Times in units of 1 ms, as they are drawn. */
TEST(lateness_is_a_sum_or_one_of)
{
    static const struct {
        lab_lateness late;
        int64_t low, high; /* the range of what is drawn */
        double mean;
    } cases[] = {
            {{.delays = {{1.0, 1 * MS, 1 * MS, 0}, {1.0, 2 * MS, 2 * MS, 0}}}, 3, 3, 3.0},
            {{.delays = {{0.5, 0, 2 * MS, 0}, {0.25, 4 * MS, 4 * MS, 0}}}, 0, 6, 1.5},
            {{.delays = {{1.0, 1 * MS, 1 * MS, 0}, {1.0, 2 * MS, 2 * MS, 0}}, .one_of = true}, 1, 1,
                    1.0},
            /* the last takes the rest */
            {{.delays = {{0.5, 1 * MS, 1 * MS, 0}, {0.1, 3 * MS, 5 * MS, 0}}, .one_of = true}, 1, 5,
                    2.5},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        double sum = 0.0;
        for (int64_t n = 0; n < 10000; ++n) {
            int64_t late_ns = lab_lateness_draw_ns(&cases[i].late, 5, n);
            assert_true(late_ns >= cases[i].low * MS && late_ns <= cases[i].high * MS);
            sum += es__ns_to_ms(late_ns);
        }
        assert_true(fabs(sum / 1e4 - cases[i].mean) < 0.06);
    }
}

/* --- preemption ------------------------------------------------------------------------------- */

/* A spin of 3 ms: if the processor is away for 5 of them, it ends when that comes back. */
TEST(a_preempted_spin_does_not_go_on)
{
    lab_machine m;
    lab_machine_config config = {0};
    int late = 0;
    config.scenario.preemption = (lab_preemption){20 * MS, 5 * MS, 5 * MS, false};
    assert_int_equal(lab_machine_init(&m, &config, NULL), ES_OK);
    for (int i = 0; i < 100; ++i) {
        int64_t from_ns = lab_true_ns(&m), cpu_ns = m.first.cpu_ns;
        lab_spin_until(&m, lab_now(&m) + 3 * MS);
        bool is_late = lab_true_ns(&m) - from_ns > 3 * MS;
        assert_true(is_late == (m.first.cpu_ns - cpu_ns < 3 * MS));
        late += is_late;
    }
    assert_true(late > 5 && late < 50);
}

/* Other programs run for a share of the time: work takes longer, but no more CPU time, and sleeps
 * end when the processor is free. */
TEST(preemption_takes_its_share)
{
    static const struct {
        lab_preemption preemption;
        double share, late_ms; /* expected; the lateness of a sleep at a random instant */
    } cases[] = {
            {{0, 2 * MS, 2 * MS, false}, 0.0, 0.0},
            {{5 * MS, 2 * MS, 2 * MS, false}, 2.0 / 7.0, 2.0 / 7.0},
            {{15 * MS, 0, 10 * MS, false}, 0.25, 0.25 * 10.0 / 3.0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_machine_config config = {.scenario = lab_scenario_exact()};
        config.scenario.preemption = cases[i].preemption;
        lab_machine m = machine_of(&config);
        for (int n = 0; n < 3000; ++n) {
            lab_work(&m, 17 * MS);
        }
        double share = 1.0 - 51e9 / (double)lab_true_ns(&m);
        double late_ms = 0.0;
        for (int n = 0; n < 3000; ++n) {
            int64_t until_ns = lab_true_ns(&m) + 97 * MS;
            lab_sleep_until(&m, until_ns);
            late_ms += es__ns_to_ms(lab_true_ns(&m) - until_ns) / 3000.0;
            assert_true(m.taken_from_ns > lab_true_ns(&m));
        }
        assert_int_equal(m.first.cpu_ns, 51 * ES_NS_PER_S);
        if (fabs(share - cases[i].share) > 0.01 || fabs(late_ms - cases[i].late_ms) > 0.1) {
            fail_msg("case %d: %.3f of the time, %.3f ms late", (int)i, share, late_ms);
        }
    }
}

/* --- incidents -------------------------------------------------------------------------------- */

/* 100 Hz, queue 2, two ticks of 0.5 ms, drawing of 2 ms. Undisturbed, frame 5 begins at 40, submits at
 * 43, flips at 60 and returns at 50. It takes 25 ms longer somewhere. In ms. */
TEST(incidents_take_time_at_their_place)
{
    static const struct {
        lab_incident incident;
        int64_t render, submit, shown, returned; /* of frame 5 */
        int64_t begin_8;                         /* frame 8 begins */
    } cases[] = {
            {{LAB_PLACE_TICK, 0.04, 3, 25 * MS, false}, 66, 68, 70, 68, 124},
            {{LAB_PLACE_TICK, 0.04, 0, 25 * MS, true}, 66, 68, 70, 68, 80},
            {{LAB_PLACE_DRAW, 0.04, 1, 25 * MS, false}, 41, 68, 70, 68, 80},
            {{LAB_PLACE_DRAW, 0.04, 1, 25 * MS, true}, 41, 68, 70, 68, 80},
            {{LAB_PLACE_PRESENT, 0.04, 1, 25 * MS, false}, 41, 43, 70, 68, 80},
            {{LAB_PLACE_PRESENT, 0.04, 1, 25 * MS, true}, 41, 43, 70, 68, 80},
            {{LAB_PLACE_RETURN, 0.04, 1, 25 * MS, false}, 41, 43, 60, 68, 80},
            {{LAB_PLACE_RETURN, 0.04, 1, 25 * MS, true}, 41, 43, 60, 68, 80},
            {{LAB_PLACE_DRAW, 0.03001, 1, 25 * MS, true}, 41, 68, 70, 68,
                    80}, /* between two begins */
            {{LAB_PLACE_DRAW, 0.04, 3, 25 * MS, false}, 41, 68, 70, 68, 124},
            {{LAB_PLACE_RETURN, 0.04, 3, 25 * MS, true}, 41, 43, 60, 68, 124},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_frame f[9];
        const lab_incident *incident = &cases[i].incident;
        lab_machine_config config = {.scenario = lab_scenario_exact(), .duration_ns = ES_NS_PER_S};
        config.scenario.update.base = 0.5e6;
        config.scenario.render.base = 2e6;
        config.scenario.incidents[0] = *incident;
        config.display.rate = es_hz(100);
        lab_machine m = machine_of(&config);
        int32_t disturbed = 0;
        for (int n = 0; n < 9; ++n) {
            lab_content content = {.alpha = 1.0};
            lab_frame_begin(&m);
            lab_tick(&m, 0);
            lab_tick(&m, 0);
            lab_show(&m, &content);
            f[n] = m.frame;
            disturbed += m.frame.disturbed;
            assert_int_equal(m.frame.disturbed, disturbed > 0 && n < 5 + disturbed);
        }
        int32_t frames = incident->frames > 0 ? incident->frames : 1;
        assert_int_equal(disturbed, frames);
        assert_int_equal(f[5].render_ns, cases[i].render * MS);
        assert_int_equal(f[5].submit_ns, cases[i].submit * MS);
        assert_int_equal(f[5].shown_ns, cases[i].shown * MS);
        assert_int_equal(f[5].return_ns, cases[i].returned * MS);
        assert_int_equal(f[8].begin_ns, cases[i].begin_8 * MS);
        assert_int_equal(m.first.cpu_ns, 27 * MS + (incident->idle ? 0 : frames * 25 * MS));
    }
}

/* --- a host ----------------------------------------------------------------------------------- */

enum { HOST_PHASE_NS = 543210, HOST_LATE_NS = 200000 };

static int64_t host_refresh_ns(int64_t index)
{
    return HOST_PHASE_NS + index * 10 * MS;
}

/* 100 Hz; calls come 0.2 ms after the refresh, frame n's after refresh n. Drawing takes 3 ms, in
 * frame 3 another time. */
typedef struct host_case {
    lab_host host;
    lab_place place; /* what happens to frame 3 */
    int32_t queue;
    int64_t latch_ms;
    int64_t cost_us;  /* of frame 3 */
    int64_t calls[3]; /* refreshes of frames 3 to 5: at which they are called ... */
    int64_t shown[3]; /* ... and seen */
    int64_t stamp_us; /* of frame 3, rounded down; LATE: the time of the call */
} host_case;

static void check_call(lab_machine *m, const host_case *c, int n, int64_t before_ns)
{
    int64_t stamp_ns, expected_ns;
    int64_t refresh_ns = host_refresh_ns(n < 3 ? n : c->calls[n - 3]);
    int64_t late_ns = m->frame.begin_ns - refresh_ns;
    assert_true(lab_host_call(m, &stamp_ns, &expected_ns));
    assert_int_equal(lab_frame_time(m), stamp_ns);
    assert_int_equal(expected_ns, refresh_ns + c->queue * 10 * MS);
    if (c->host == LAB_HOST_LATE) {
        assert_in_range(late_ns, 0, 3 * MS - 1);
        assert_int_equal(stamp_ns, m->frame.begin_ns);
        return;
    }
    bool at_once = n == 3 && c->place == LAB_PLACE_DOUBLE;
    assert_int_equal(late_ns, at_once ? before_ns - refresh_ns : HOST_LATE_NS);
    assert_true(n != 3 || stamp_ns / 1000 == c->stamp_us);
}

TEST(a_host_calls)
{
    static const host_case cases[] = {
            {LAB_HOST_EXACT, LAB_PLACE_NONE, 2, 0, 3000, {3, 4, 5}, {5, 6, 7}, 30543},
            {LAB_HOST_100US, LAB_PLACE_NONE, 2, 0, 3000, {3, 4, 5}, {5, 6, 7}, 30500},
            {LAB_HOST_1MS, LAB_PLACE_NONE, 2, 0, 3000, {3, 4, 5}, {5, 6, 7}, 30000},
            {LAB_HOST_LATE, LAB_PLACE_NONE, 2, 0, 3000, {3, 4, 5}, {5, 6, 7}, 0},
            {LAB_HOST_EXACT, LAB_PLACE_NONE, 1, 0, 3000, {3, 4, 5}, {4, 5, 6}, 30543},
            {LAB_HOST_EXACT, LAB_PLACE_NONE, 2, 7, 3000, {3, 4, 5}, {6, 7, 8}, 30543},
            {LAB_HOST_EXACT, LAB_PLACE_NONE, 2, 0, 9800, {3, 4, 5}, {5, 6, 7}, 30543},
            /* busy at refresh 4, or at 4 and 5: there is no call then */
            {LAB_HOST_EXACT, LAB_PLACE_NONE, 2, 0, 9801, {3, 5, 6}, {6, 7, 8}, 30543},
            {LAB_HOST_EXACT, LAB_PLACE_NONE, 2, 0, 25000, {3, 6, 7}, {7, 8, 9}, 30543},
            {LAB_HOST_EXACT, LAB_PLACE_SKIP, 2, 0, 3000, {4, 5, 6}, {6, 7, 8}, 40543},
            {LAB_HOST_1MS, LAB_PLACE_DOUBLE, 2, 0, 3000, {2, 3, 4}, {4, 5, 6}, 20000},
    };
    for (const host_case *c = cases; c < cases + COUNT_OF(cases); ++c) {
        lab_machine_config config = {.scenario = lab_scenario_exact(), .duration_ns = ES_NS_PER_S};
        lab_cost_at slow = {3, c->cost_us * 1000};
        config.scenario.render = (lab_cost){.base = 3e6, .at = &slow, .at_count = 1};
        config.scenario.wake.delays[0] = (lab_delay){1.0, HOST_LATE_NS, HOST_LATE_NS, 0};
        config.scenario.incidents[0] = (lab_incident){c->place, 0.0231, 1, 0, false};
        config.display = (lab_display){.rate = {100, 1},
                .queue = c->queue,
                .latch_ns = c->latch_ms * MS,
                .phase_ns = HOST_PHASE_NS,
                .host = c->host,
                .host_expects = true};
        lab_machine m = machine_of(&config);
        for (int n = 0; n < 6; ++n) {
            int64_t before_ns = lab_true_ns(&m);
            lab_content content = {.alpha = 1.0};
            lab_frame_begin(&m);
            check_call(&m, c, n, before_ns);
            lab_show(&m, &content);
            assert_int_equal(m.frame.return_ns, m.frame.submit_ns);
            assert_true(n < 3 || m.frame.shown_ns == host_refresh_ns(c->shown[n - 3]));
            assert_int_equal(m.frame.disturbed, n == 3 && c->place != LAB_PLACE_NONE);
        }
    }
}

/* A frame's work is 3 ms; that of frame 2 is 15, that of frame 4 is 27. Of a host's calls, which
 * come every 10 ms, those before a frame is due are ignored. A frame that is late by more than the
 * cap's interval begins a new grid. */
TEST(a_cap_holds_frames)
{
    static const struct {
        lab_host host;
        int64_t cap_ms, begin_ms[7];
    } cases[] = {
            {LAB_HOST_NONE, 0, {0, 3, 6, 21, 24, 51, 54}},
            {LAB_HOST_NONE, 10, {0, 10, 20, 35, 40, 67, 77}},
            {LAB_HOST_NONE, 100, {0, 100, 200, 300, 400, 500, 600}},
            {LAB_HOST_EXACT, 10, {0, 10, 20, 40, 50, 80, 90}},
            {LAB_HOST_EXACT, 25, {0, 30, 50, 80, 100, 130, 150}},
            {LAB_HOST_EXACT, 30, {0, 30, 60, 90, 120, 150, 180}},
    };
    static const lab_cost_at slow[] = {{2, 15 * MS}, {4, 27 * MS}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        lab_machine_config config = {
                .scenario = lab_scenario_exact(), .cap_ns = cases[i].cap_ms * MS};
        config.scenario.render = (lab_cost){.base = 3e6, .at = slow, .at_count = 2};
        config.display =
                (lab_display){.rate = {100, 1}, .host = cases[i].host, .refresh = LAB_REFRESH_NONE};
        if (cases[i].host != LAB_HOST_NONE) {
            config.display.refresh = LAB_REFRESH_FIXED;
        }
        lab_machine m = machine_of(&config);
        for (int n = 0; n < 7; ++n) {
            lab_content content = {.alpha = 1.0};
            lab_frame_begin(&m);
            assert_int_equal(m.frame.begin_ns, cases[i].begin_ms[n] * MS);
            lab_show(&m, &content);
        }
    }
}

/* --- input ------------------------------------------------------------------------------------ */

static int64_t input_age_ns(lab_machine *m, const lab_content *content)
{
    lab_render(m, content);
    lab_present(m);
    return m->last.shown_ns - m->last.input_ns;
}

TEST(input_is_as_old_as_what_is_shown)
{
    lab_machine_config config = {
            .scenario = lab_scenario_exact(), .display = {.refresh = LAB_REFRESH_NONE}};
    lab_machine m = machine_of(&config);
    for (int n = 0; n < 3; ++n) { /* tick n samples at 10 n */
        lab_frame_begin(&m);
        lab_poll(&m);
        lab_tick(&m, 0);
        lab_idle(&m, 10 * MS);
    }
    /* it is 30 now; ticks sampled at 0, 10, 20 */
    lab_content content = {.alpha = 1.0};
    assert_int_equal(input_age_ns(&m, &content), 10 * MS);
    content.alpha = 0.25;
    assert_int_equal(input_age_ns(&m, &content), 17500000);
    content.ticks_back = 1;
    assert_int_equal(input_age_ns(&m, &content), 27500000);
    lab_poll(&m);
    content.live = true;
    assert_int_equal(input_age_ns(&m, &content), 0);
}

/* --- feedback --------------------------------------------------------------------------------- */

/* Frames at 100 Hz with queue 1: frame n flips at 10 (n + 1) ms, when present returns. */
static lab_machine feedback_machine(lab_feedback kind)
{
    lab_machine_config config = {.scenario = lab_scenario_exact()};
    config.display.rate = es_hz(100);
    config.display.queue = 1;
    config.display.feedback = kind;
    config.display.feedback_noise_ns = MS;
    config.display.feedback_late_frames = 2;
    config.display.feedback_stop_ns = 35 * MS;
    return machine_of(&config);
}

static void show_one(lab_machine *m)
{
    lab_content content = {.alpha = 1.0};
    lab_frame_begin(m);
    lab_work(m, MS);
    lab_show(m, &content);
}

TEST(feedback_kinds)
{
    static const struct {
        lab_feedback kind;
        int64_t shown_ms[6]; /* what is reported after each frame; 0: nothing */
    } cases[] = {{LAB_FEEDBACK_NONE, {0}}, {LAB_FEEDBACK_EXACT, {10, 20, 30, 40, 50, 60}},
            {LAB_FEEDBACK_LATE, {0, 0, 10, 20, 30, 40}}, {LAB_FEEDBACK_STOPS, {10, 20, 30}}};
    lab_report report = {0};
    for (size_t i = 0; i < 6 * COUNT_OF(cases); ++i) {
        static lab_machine m;
        int64_t shown_ms = cases[i / 6].shown_ms[i % 6];
        m = i % 6 == 0 ? feedback_machine(cases[i / 6].kind) : m;
        show_one(&m);
        assert_int_equal(lab_feedback_take(&m, &report), shown_ms > 0);
        if (shown_ms > 0) {
            assert_int_equal(report.frame, shown_ms / 10 - 1);
            assert_int_equal(report.shown_ns, shown_ms * MS);
            assert_false(report.discarded || lab_feedback_take(&m, &report));
        }
    }
    lab_machine m = feedback_machine(LAB_FEEDBACK_NOISY);
    for (int n = 0; n < 100; ++n) {
        show_one(&m);
        assert_true(lab_feedback_take(&m, &report));
        int64_t off_ns = report.shown_ns - 10 * MS * (n + 1);
        assert_true(off_ns >= -MS && off_ns <= MS && off_ns != 0);
    }
}

/* Queue 2: the second picture flips at 20, but is said to have flipped at the first refresh after
 * its submit, at 10. */
TEST(feedback_that_lies)
{
    lab_report report = {0};
    lab_machine_config config = {.scenario = lab_scenario_exact()};
    config.display.rate = es_hz(100);
    config.display.feedback = LAB_FEEDBACK_WRONG;
    lab_machine m = machine_of(&config);
    show_one(&m);
    show_one(&m);
    lab_idle(&m, 50 * MS);
    assert_true(lab_feedback_take(&m, &report));
    assert_true(lab_feedback_take(&m, &report));
    assert_int_equal(m.last.shown_ns, 20 * MS);
    assert_int_equal(report.frame, 1);
    assert_int_equal(report.shown_ns, 10 * MS);
}

static void keep_seen(void *user, const lab_frame *frame)
{
    ((int64_t *)user)[frame->index] = frame->shown_ns;
}

/* Each frame has one report, in order: never seen, or seen when it was. Of those that were seen,
 * a tenth are reported as discarded. */
TEST(feedback_with_discards)
{
    static const lab_display displays[] = {
            {.queue = 2},
            {.swap = LAB_SWAP_MAILBOX},
            {.changes = {{.at_ns = ES_NS_PER_S, .mode = LAB_MODE_HIDDEN, .hold_ns = 20 * MS},
                     {.at_ns = 2 * ES_NS_PER_S}}},
    };
    for (size_t i = 0; i < COUNT_OF(displays); ++i) {
        lab_machine_config config = {.scenario = lab_scenario_exact(), .display = displays[i]};
        int64_t seen_ns[1000] = {0}, count = 0, seen = 0, discarded = 0;
        config.display.rate = es_hz(100);
        config.display.feedback = LAB_FEEDBACK_DISCARDS;
        lab_machine m = machine_of(&config);
        lab_machine_set_sink(&m, (lab_sink){keep_seen, seen_ns});
        for (int n = 0; n < 1000; ++n) {
            lab_report report;
            lab_idle(&m, 3 * MS);
            show_one(&m);
            while (lab_feedback_take(&m, &report)) {
                bool newest = report.frame == m.last.index; /* the sink has it later */
                int64_t shown_ns = newest ? m.last.shown_ns : seen_ns[report.frame];
                assert_int_equal(report.frame, count++);
                assert_true(report.discarded || report.shown_ns == shown_ns);
                assert_true(report.discarded || shown_ns <= lab_true_ns(&m));
                seen += shown_ns > 0;
                discarded += shown_ns > 0 && report.discarded;
            }
        }
        assert_in_range(count, 995, 1000);
        assert_in_range(seen, 350, i == 0 ? 1000 : 960);
        assert_in_range(discarded * 1000 / seen, 70, 130);
    }
}

/* --- a second thread -------------------------------------------------------------------------- */

/* A thread that does what is written down, step by step. */
typedef struct script {
    lab_machine *machine;
    int64_t work_ns[4];
    int64_t until_ns[4];
    int64_t at_ns[5]; /* true times of the steps */
    int64_t clock_ns[5];
    int steps;
} script;

static int64_t follow_script(void *user)
{
    script *s = user;
    assert_true(s->machine->in_worker);
    assert_true(s->steps < 5);
    s->at_ns[s->steps] = lab_true_ns(s->machine);
    s->clock_ns[s->steps] = lab_now(s->machine);
    int step = s->steps++;
    if (step == 4) {
        return INT64_MAX;
    }
    lab_work(s->machine, s->work_ns[step]);
    return s->until_ns[step];
}

TEST(faults_strike_both_threads)
{
    const struct {
        lab_fault_kind kind;
        int64_t at_ms[5];
    } cases[] = {
            {LAB_FAULT_JUMP, {0, 100, 490, 550, 610}}, /* awake at 550, when the clock says 650 */
            {LAB_FAULT_SUSPEND, {0, 100, 490, 650, 710}},
            {LAB_FAULT_STILL, {0, 100, 490, 550, 700}}, /* at 550 it says 500 */
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); ++i) {
        int64_t at_once_ns = i % 2 == 0 ? 900 * MS : 20 * MS; /* it is all the same */
        const int64_t *at_ms = cases[i / 2].at_ms;
        lab_machine m = faulty(cases[i / 2].kind, 100 * MS);
        script s = {.machine = &m,
                .work_ns = {100 * MS, 0, 0, 60 * MS},
                .until_ns = {INT64_MIN, 490 * MS, 550 * MS, 600 * MS}};
        lab_worker_start(&m, &(lab_worker){follow_script, &s});
        for (int64_t passed_ns = 0; passed_ns < 900 * MS; passed_ns += at_once_ns) {
            lab_idle(&m, at_once_ns);
        }
        for (int step = 0; step < 5; ++step) {
            assert_int_equal(s.at_ns[step], at_ms[step] * MS);
        }
        bool suspended = cases[i / 2].kind == LAB_FAULT_SUSPEND;
        assert_int_equal(lab_true_ns(&m), (suspended ? 1000 : 900) * MS);
    }
}

TEST(bad_fields_are_named)
{
    static const struct {
        lab_machine_config config;
        const char *field;
    } bad[] = {
            {{.tick_rate = {1, 0}}, "tick_rate"},
            {{.duration_ns = -1}, "duration_ns"},
            {{.duration_ns = 5, .warm_up_ns = 5}, "warm_up_ns"},
            {{.spin_ns = -1}, "spin_ns"},
            {{.cap_ns = -1}, "cap_ns"},
            {{.display = {.queue = 5}}, "queue"},
            {{.scenario = {.update = {.low = 2.0, .high = 1.0}}}, "update"},
            {{.scenario = {.render = {.base = -1.0}}}, "render"},
            {{.scenario = {.render_variable = {.base = -1.0}}}, "render_variable"},
            {{.scenario = {.gpu = {.trace_count = 1}}}, "gpu"},
            {{.scenario = {.wake = {.delays = {{1.5, 0, 0, 0}}}}}, "wake"},
            {{.scenario = {.sleep = {.delays = {{1.0, 2, 1, 0}}}}}, "sleep"},
            {{.scenario = {.worker_sleep = {.delays = {{1.0, -1, 1, 0}}}}}, "worker_sleep"},
            {{.scenario = {.clock = {.read_ns = -1}}}, "clock"},
            {{.scenario = {.preemption = {1, 2, 1, false}}}, "preemption"},
            {{.scenario = {.incidents = {{(lab_place)7, 0.0, 1, 1, false}}}}, "incidents"},
            {{.scenario = {.incidents = {{LAB_PLACE_DRAW, 1.5, 1, 1, false}}}}, "incidents"},
            {{.scenario = {.incidents = {{LAB_PLACE_DRAW, 0.5, -1, 1, false}}}}, "incidents"},
            {{.scenario = {.incidents = {{LAB_PLACE_DRAW, 0.5, 1, -1, false}}}}, "incidents"},
            {{.scenario = {.incidents = {{LAB_PLACE_DRAW, 0.5, 1, 1, false},
                                   {LAB_PLACE_TICK, 0.4, 1, 1, false}}}},
                    "incidents"},
            {{.scenario = {.changes = {{.at = 1.5}}}}, "changes"},
            {{.scenario = {.changes = {{.at = 0.5}, {.at = 0.4}}}}, "changes"},
            {{.scenario = {.changes = {{.at = 0.5, .change = {.factor = {1, 100}}}}}}, "changes"},
            {{.scenario = {.grain_ns = -1}}, "grain_ns"},
            {{.scenario = {.late_share = 1.5}}, "late_share"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        lab_machine machine;
        lab_refusal error = {0};
        assert_int_equal(lab_machine_init(&machine, &bad[i].config, &error), ES_ERR_INVALID);
        assert_string_equal(error.field, bad[i].field);
        assert_non_null(error.reason);
        assert_int_equal(lab_machine_init(&machine, &bad[i].config, NULL), ES_ERR_INVALID);
    }
}
