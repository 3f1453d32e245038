/* SPDX-License-Identifier: Zlib
 *
 * es_loop_problem: each misuse and obstacle is reported, what goes away is no longer reported, and
 * healthy programs hear nothing.
 */
#include "test_screen.h"

#include "lab/machine.h"
#include "loop/loop_state.h"
#include "manual_clock.h"

/* --- one program at a time -------------------------------------------------------------------- */

/* What a program does otherwise than it should. */
typedef struct habits {
    bool stepped;
    bool no_wait;       /* stepped: es_loop_wait */
    bool no_submit;     /* es_loop_submit */
    bool ends;          /* first form: es_loop_end, too */
    bool no_end;        /* stepped: es_loop_end */
    bool end_first;     /* es_loop_end before present */
    bool present_first; /* present before es_loop_submit */
    bool two_threads;
    bool hidden;   /* the window: no frame is presented */
    bool acquires; /* no present waits, the next drawing does */
    bool says_acquired;
    bool sleeps;  /* drawing waits for other threads */
    bool reports; /* screen times, with the count of refreshes */
    bool swaps;   /* the platform keeps swap intervals */
    bool next_twice;
    bool two_loops; /* they draw in turn, the second for twice as long ... */
    bool offscreen; /* ... and does not present */
} habits;

typedef struct trial {
    const char *name;
    const char *says; /* in the text; NULL: no problem */
    habits habit;
    screen screen;
    int64_t tick_ns;
    int64_t draw_ns;
    es_loop_config config;
} trial;

typedef struct program {
    es_loop *loop;
    es_loop *second;
    es_manual_clock clock;
    screen screen;
    int64_t room_ns; /* the driver has a buffer */
    int64_t tick_ns;
    int64_t draw_ns;
} program;

static void start(program *p, const trial *row)
{
    es_loop_config config = row->config;
    memset(p, 0, sizeof *p);
    p->screen = row->screen;
    p->screen.random.state = 7;
    p->screen.rate = row->screen.rate.numerator > 0 ? row->screen.rate : es_hz(60);
    p->screen.depth += row->screen.depth == 0 ? 2 : 0;
    p->screen.call_ns += row->screen.call_ns == 0 ? 30 * US : 0;
    p->tick_ns = row->tick_ns;
    p->draw_ns = row->draw_ns;
    config.clock = es_manual_clock_get(&p->clock);
    p->loop = es_loop_create(&config);
    if (p->loop == NULL) {
        fail_msg("%s: %s", row->name, es_get_error());
    }
    p->second = row->habit.two_loops ? es_loop_create(&config) : NULL;
    es_loop_set_visible(p->loop, !row->habit.hidden);
    es_loop_set_targets(p->loop, &(es_targets){.refreshes = row->habit.swaps});
}

static void run_ticks(program *p, const habits *habit, es_frame *frame)
{
    es_step step;
    if (habit->two_threads) {
        const void *threads[] = {p, &p->clock};
        p->loop->thread = threads[p->loop->report.frame.index % 2];
    }
    if (habit->stepped) {
        es_loop_begin(p->loop);
        while (es_loop_tick(p->loop, &step)) {
            es_manual_clock_work(&p->clock, p->tick_ns);
        }
        if (!habit->no_wait) {
            es_loop_wait(p->loop, frame);
        }
        return;
    }
    for (int i = 0; i <= habit->next_twice; ++i) {
        assert_true(es_loop_next(p->loop, frame));
    }
    es_manual_clock_work(&p->clock, frame->ticks * p->tick_ns);
}

/* The frame that has flipped last, by the display's count of refreshes. */
static void report(program *p)
{
    int64_t frame = p->screen.frames - 1 - p->screen.depth;
    if (frame >= 0) {
        bool varies = p->screen.kind == SCREEN_VARIES;
        uint64_t sequence = (uint64_t)p->screen.indices[frame % SCREEN_FLIPS] + 1;
        es_present sample = {.frame = p->loop->report.frame.index - p->screen.depth,
                .shown_ns = screen_flip_ns(&p->screen, frame),
                .reported_ns = p->clock.now_ns,
                .sequence = varies ? 0 : sequence,
                .variable = varies};
        es_loop_presented(p->loop, &sample);
    }
}

static void present(program *p, const habits *habit)
{
    int64_t return_ns = screen_present(&p->screen, p->clock.now_ns);
    es_manual_clock_work(&p->clock, p->screen.call_ns);
    if (habit->reports) {
        report(p);
    }
    if (habit->acquires) {
        p->room_ns = return_ns;
    } else {
        p->clock.now_ns = es__max(p->clock.now_ns, return_ns);
    }
}

static void run_frame(program *p, const habits *habit)
{
    es_frame frame;
    run_ticks(p, habit, &frame);
    if (habit->hidden) {
        return;
    }
    p->clock.now_ns = es__max(p->clock.now_ns, p->room_ns);
    if (habit->says_acquired) {
        es_loop_acquired(p->loop);
    }
    es_manual_clock_work(&p->clock, habit->sleeps ? p->draw_ns / 8 : p->draw_ns);
    p->clock.now_ns += habit->sleeps ? p->draw_ns - p->draw_ns / 8 : 0;
    if (habit->present_first) {
        present(p, habit);
    }
    if (!habit->no_submit) {
        es_loop_submit(p->loop);
    }
    if (habit->end_first) {
        es_loop_end(p->loop);
    }
    if (!habit->present_first) {
        present(p, habit);
    }
    if (!habit->end_first && (habit->stepped ? !habit->no_end : habit->ends)) {
        es_loop_end(p->loop);
    }
    if (p->second != NULL) {
        assert_true(es_loop_next(p->second, &frame));
        es_manual_clock_work(&p->clock, 2 * p->draw_ns);
        es_loop_submit(p->second);
        if (!habit->offscreen) {
            present(p, habit);
        }
        es_loop_end(p->second);
        assert_null(es_loop_problem(p->second));
    }
}

static void run_for(program *p, const habits *habit, int64_t ns)
{
    int64_t until_ns = p->clock.now_ns + ns;
    while (p->clock.now_ns < until_ns) {
        run_frame(p, habit);
    }
}

#define NO_SUBMIT     "es_loop_submit was not called"
#define NO_END        "es_loop_end was not called"
#define NO_WAIT       "es_loop_wait was not called"
#define THREADS       "two threads"
#define EARLY_END     "after es_loop_end"
#define EARLY_PRESENT "before es_loop_submit"
#define FREE          "vsync"
#define NEXT_TWICE    "es_loop_next was called twice"
#define SLOW          "frames come at 60 per second, but config.refresh says 144 Hz"
#define UNKNOWN(ms)   "is the work of a frame (" ms " ms) longer than a refresh"
#define UNEVEN                                                                                     \
    "interval_ns asks for 60 frames per second, no whole part of 144 Hz: uneven without VRR"
#define CAP "interval_ns asks for 60 frames per second, but the work of a frame takes 21 ms"

#define AT(hz)           .screen.rate = {hz, 1}
#define SAYS(hz)         .config.refresh = {hz, 1}
#define PRESENT          .config.pace = ES_PACE_PRESENT
#define NO_VSYNC         .screen.kind = SCREEN_NONE
#define DRAWS(ms)        .draw_ns = (int64_t)((ms)*1e6)
#define TICKS(ms)        .tick_ns = (int64_t)((ms)*1e6)
#define COPIES(us, more) NO_VSYNC, .screen.call_ns = (us)*US, .screen.call_spread_ns = (more)*US
#define CAPPED(hz)       .config.interval_ns = ES_NS_PER_S / (hz)

static const trial rows[] = {
        {"healthy", NULL, {0}, DRAWS(5)},
        {"healthy, announced", NULL, {0}, DRAWS(2), AT(144), SAYS(144)},
        {"healthy, ends", NULL, {.ends = true}, DRAWS(2), AT(144)},
        {"healthy, stepped", NULL, {.stepped = true}, DRAWS(5)},
        {"healthy, pace present", NULL, {0}, DRAWS(5), PRESENT, SAYS(60)},
        {"healthy, low latency", NULL, {.ends = true}, DRAWS(5), .config.low_latency = true},
        {"no submit", NO_SUBMIT, {.no_submit = true}, DRAWS(5)},
        {"no submit, but end", NO_SUBMIT, {.no_submit = true, .ends = true}, DRAWS(5)},
        {"no submit, stepped", NO_SUBMIT, {.stepped = true, .no_submit = true}, DRAWS(5)},
        {"no submit, pace present", NO_SUBMIT, {.no_submit = true}, DRAWS(5), PRESENT},
        {"no submit, adaptive", NO_SUBMIT, {.no_submit = true}, DRAWS(5),
                .config.pace = ES_PACE_ADAPTIVE},
        {"neither submit nor end, stepped", NO_SUBMIT,
                {.stepped = true, .no_submit = true, .no_end = true}, DRAWS(5)},
        {"no wait", NO_WAIT, {.stepped = true, .no_wait = true}, DRAWS(5)},
        {"no wait, pace fixed", NO_WAIT, {.stepped = true, .no_wait = true}, DRAWS(5),
                .config.pace = ES_PACE_FIXED},
        {"no wait, pace present", NO_WAIT, {.stepped = true, .no_wait = true}, DRAWS(5), PRESENT},
        {"next twice", NEXT_TWICE, {.next_twice = true}, DRAWS(5)},
        {"next twice, pace present", NEXT_TWICE, {.next_twice = true}, DRAWS(5), PRESENT},
        {"a tick a minute", "tick_rate is 0.0167 per second: es_hz takes ticks per second", {0},
                DRAWS(5), .config.tick_rate = {1, 60}},
        {"a tick in two seconds, few frames", NULL, {0}, DRAWS(5), CAPPED(10),
                .config.tick_rate = {1, 2}},
        {"two loops", NULL, {.ends = true, .two_loops = true}, DRAWS(5), SAYS(60)},
        {"two loops, one off-screen", NULL, {.ends = true, .two_loops = true, .offscreen = true},
                DRAWS(5)},
        {"no end", NO_END, {.stepped = true, .no_end = true}, DRAWS(5)},
        {"no end, pace present", NO_END, {.stepped = true, .no_end = true}, DRAWS(5), PRESENT},
        {"end before present", EARLY_END, {.end_first = true}, DRAWS(5)},
        {"end before present, stepped", EARLY_END, {.stepped = true, .end_first = true}, DRAWS(5)},
        {"end before present, pace present", EARLY_END, {.end_first = true}, DRAWS(5), PRESENT},
        {"present before submit", EARLY_PRESENT, {.present_first = true}, DRAWS(5)},
        {"present before submit, ends", EARLY_PRESENT, {.present_first = true, .ends = true},
                DRAWS(5)},
        {"present before submit, stepped", EARLY_PRESENT, {.stepped = true, .present_first = true},
                DRAWS(5)},
        {"drivers wait for buffers", NULL, {.acquires = true}, DRAWS(5)},
        {"a program waits for buffers", NULL, {.acquires = true, .says_acquired = true}, DRAWS(2),
                TICKS(1), .screen.call_ns = 5 * US},
        {"drivers wait for buffers, 144 Hz", NULL, {.acquires = true}, DRAWS(1), AT(144),
                SAYS(144)},
        {"drawing waits for threads", NULL, {.sleeps = true}, DRAWS(12)},
        {"drawing waits for threads, too long", NULL, {.sleeps = true}, DRAWS(22)},
        {"no vsync", FREE, {0}, DRAWS(5), NO_VSYNC, SAYS(60)},
        {"no vsync, not announced", FREE, {0}, DRAWS(0.1), NO_VSYNC},
        {"no vsync, pace present", FREE, {0}, DRAWS(5), NO_VSYNC, PRESENT, SAYS(60)},
        {"no vsync, present copies", "frames come at 15", {0}, DRAWS(1), COPIES(5000, 1200),
                SAYS(60)},
        {"no vsync, present copies, not announced", "more than monitors refresh: is vsync on?", {0},
                DRAWS(0.1), COPIES(1100, 80)},
        {"no vsync, adaptive", NULL, {0}, DRAWS(5), NO_VSYNC, .config.pace = ES_PACE_ADAPTIVE},
        {"60 Hz, not 144", SLOW, {0}, DRAWS(2), SAYS(144)},
        {"60 Hz, not 144, stepped", SLOW, {.stepped = true}, DRAWS(2), SAYS(144)},
        {"60 Hz, not 144, much work", SLOW, {0}, DRAWS(14), SAYS(144)},
        {"144 Hz, not 60", "frames come at 144 per second, but config.refresh says 60 Hz", {0},
                DRAWS(2), AT(144), SAYS(60)},
        {"50 Hz, not 60", "frames come at 50 per second, but config.refresh says 60 Hz", {0},
                DRAWS(2), AT(50), SAYS(60)},
        {"a sleep of 16 ms, not 60 Hz",
                "frames come at 62.5 per second, but config.refresh says 60 Hz", {0}, DRAWS(2),
                .screen.rate = {125, 2}, .screen.depth = 1, .screen.late_ns = MS, SAYS(60)},
        {"59.94 Hz, not 60", NULL, {0}, DRAWS(2), .screen.rate = {60000, 1001}, SAYS(60)},
        {"61 Hz, not 60", NULL, {0}, DRAWS(2), AT(61), SAYS(60)},
        {"60 Hz, not 120", "frames come at 60 per second, but config.refresh says 120 Hz", {0},
                DRAWS(2), SAYS(120)},
        {"60 Hz, not 180", "frames come at 60 per second, but config.refresh says 180 Hz", {0},
                DRAWS(3), SAYS(180), .screen.depth = 1},
        {"30 Hz, not 60", "frames come at 30 per second, but config.refresh says 60 Hz", {0},
                DRAWS(3), AT(30), SAYS(60)},
        {"60 Hz, not 120, screen times", "frames come at 60 per second", {.reports = true},
                DRAWS(2), SAYS(120), .config.hold = ES_HOLD_NEVER},
        {"60 Hz, not 120, acquires", "frames come at 60 per second", {.acquires = true}, DRAWS(2),
                SAYS(120)},
        {"60 Hz, not 144, pace present", NULL, {0}, DRAWS(2), SAYS(144), PRESENT}, /* not known */
        {"a cap of 60 on 144 Hz", UNEVEN, {0}, DRAWS(2), AT(144), SAYS(144), CAPPED(60)},
        {"the same, all of the text", "or set swap intervals", {0}, DRAWS(2), AT(144), SAYS(144),
                CAPPED(60)},
        {"the same, not announced", NULL, {0}, DRAWS(2), AT(144), CAPPED(60)},
        {"the same, screen times", NULL, {.reports = true}, DRAWS(2), AT(144), SAYS(144),
                CAPPED(60)},
        {"the same, swap intervals", NULL, {.swaps = true}, DRAWS(2), AT(144), SAYS(144),
                CAPPED(60)},
        {"the same, the refresh varies", NULL, {.reports = true}, DRAWS(2), AT(144), SAYS(144),
                CAPPED(60), .screen.kind = SCREEN_VARIES},
        {"the same, pace present", NULL, {0}, DRAWS(2), AT(144), SAYS(144), CAPPED(60), PRESENT},
        {"a cap of 48 on 144 Hz", NULL, {0}, DRAWS(2), AT(144), SAYS(144), CAPPED(48)},
        {"a cap of 70 on 144 Hz", "asks for 70 frames per second, no whole part of 144 Hz", {0},
                DRAWS(2), AT(144), SAYS(144), CAPPED(70)},
        {"a cap of 71 on 144 Hz", NULL, {0}, DRAWS(2), AT(144), SAYS(144), CAPPED(71)},
        {"a cap of 138 on 144 Hz", NULL, {0}, DRAWS(2), AT(144), SAYS(144), CAPPED(138)},
        {"a cap of 30 on 60 Hz", NULL, {0}, DRAWS(2), SAYS(60), CAPPED(30)},
        {"a cap of 60 on 120 Hz", NULL, {0}, DRAWS(2), AT(120), SAYS(120), CAPPED(60)},
        {"a cap above the refresh", NULL, {0}, DRAWS(5), SAYS(60), PRESENT, CAPPED(500)},
        {"a cap that fits", NULL, {0}, DRAWS(20), CAPPED(30)},
        {"a cap that does not fit", CAP, {0}, DRAWS(21), AT(144), SAYS(144), CAPPED(60)},
        {"a cap that does not fit, pace fixed", CAP, {0}, DRAWS(21), CAPPED(60),
                .config.pace = ES_PACE_FIXED},
        {"an interval that adapts", NULL, {0}, DRAWS(21), CAPPED(60),
                .config.pace = ES_PACE_ADAPTIVE},
        {"dear frames", UNKNOWN("12"), {0}, DRAWS(12), AT(144), SAYS(144)},
        {"dear frames, not announced", UNKNOWN("9"), {0}, DRAWS(9), AT(144)},
        {"dear frames, 360 Hz", UNKNOWN("2.7"), {0}, DRAWS(2.7), AT(360), SAYS(360)},
        {"no vsync, not announced, fast", "never wait: is vsync off?", {0}, DRAWS(2.7), NO_VSYNC},
        {"no vsync, not announced, slow", UNKNOWN("5"), {0}, DRAWS(5), NO_VSYNC},
        /* as frames on a display of 72 Hz, unless the count of refreshes is known */
        {"dear frames for a GPU", "is the GPU's work longer than a refresh?", {0}, DRAWS(1),
                AT(144), SAYS(144), .screen.hidden_ns = 12 * MS},
        {"dear frames for a GPU, screen times", NULL, {.reports = true}, DRAWS(1), AT(144),
                SAYS(144), .screen.hidden_ns = 12 * MS},
        {"dear, uneven frames for a GPU", NULL, {0}, DRAWS(1), AT(144), SAYS(144),
                .screen.hidden_ns = 12 * MS, .screen.hidden_spread_ns = 3 * MS},
        {"lockstep", NULL, {0}, DRAWS(2), AT(144), SAYS(144), .config.step = ES_STEP_LOCKSTEP},
        {"the refresh varies", NULL, {0}, DRAWS(5), AT(144), SAYS(144),
                .screen.kind = SCREEN_VARIES},
        {"the refresh varies, a GPU's work", NULL, {0}, DRAWS(1), AT(144), SAYS(144),
                .screen.kind = SCREEN_VARIES, .screen.hidden_ns = 8 * MS,
                .screen.hidden_spread_ns = 80 * US},
        {"the refresh varies, more work", NULL, {0}, DRAWS(1), AT(144), SAYS(144),
                .screen.kind = SCREEN_VARIES, .screen.hidden_ns = 12 * MS,
                .screen.hidden_spread_ns = 300 * US},
        {"hidden", NULL, {.hidden = true}, DRAWS(5)},
        {"hidden, pace present", NULL, {.hidden = true}, DRAWS(5), PRESENT, SAYS(60),
                .config.interval_ns = 2 * MS},
        {"hidden, adaptive", NULL, {.hidden = true}, DRAWS(5), .config.pace = ES_PACE_ADAPTIVE},
        {"two threads", THREADS, {.two_threads = true}, DRAWS(5)},
        {"two threads, stepped", THREADS, {.stepped = true, .two_threads = true}, DRAWS(5)},
};

static void expect(const program *p, const trial *row, const char *says)
{
    const char *text = es_loop_problem(p->loop);
    if ((text == NULL) != (says == NULL) || (says != NULL && strstr(text, says) == NULL)) {
        fail_msg("%s at %d ms: \"%s\", not \"%s\"", row->name, (int)(p->clock.now_ns / MS),
                text != NULL ? text : "", says != NULL ? says : "");
    }
    char line[400];
    assert_non_null(
            strstr(es_loop_status(p->loop, line, sizeof line), says != NULL ? says : "no problem"));
}

TEST(each_problem_is_told)
{
    static program p;
    for_rows (i, rows) {
        const trial *row = &rows[i];
        start(&p, row);
        for (int64_t passed_ns = 0; passed_ns < 10 * S; passed_ns += S / 2) {
            if (passed_ns >= 5 * S || row->says == NULL) {
                expect(&p, row, row->says);
            }
            run_for(&p, &row->habit, S / 2);
        }
        es_loop_destroy(p.second);
        es_loop_destroy(p.loop);
    }
}

/* At 144 Hz a cap of 100 frames per second makes two refreshes of 13.9 ms: work of 12 ms fits. */
TEST(work_that_fits_the_refreshes_of_a_cap_is_no_problem)
{
    static program p;
    const habits habit = {0};
    const trial row = {"a cap of 1.44 refreshes", NULL, {0}, DRAWS(2), AT(144), SAYS(144)};
    start(&p, &row);
    run_for(&p, &habit, 5 * S);
    p.draw_ns = 12 * MS;
    es_loop_config config = es_loop_get_config(p.loop);
    config.interval_ns = 10 * MS;
    assert_true(es_loop_configure(p.loop, &config));
    for (int i = 0; i < 10; ++i) {
        run_for(&p, &habit, S / 2);
        expect(&p, &row, NULL);
    }
    es_loop_destroy(p.loop);
}

/* A problem that has ended is no longer reported: a second is judged, and reported for two. */
TEST(a_problem_that_is_over_is_forgotten)
{
    static program p;
    const habits none = {0}, good = {.ends = true};
    for_rows (i, rows) {
        const trial *row = &rows[i];
        bool has_habit = memcmp(&row->habit, &none, sizeof none) != 0;
        if (!has_habit || row->says == NULL || strstr(row->says, "frames come") != NULL) {
            continue;
        }
        start(&p, row);
        run_for(&p, &row->habit, 5 * S);
        run_for(&p, &good, 7 * S / 2);
        for (int k = 0; k < 20; ++k) {
            expect(&p, row, NULL);
            run_for(&p, &good, S / 4);
        }
        es_loop_destroy(p.loop);
    }
}

/* --- healthy programs on random machines of the lab ------------------------------------------- */

static double between(test_random *random, double low, double high)
{
    return low + (high - low) * (double)random_below(random, 1000001) / 1e6;
}

static lab_cost load_of(test_random *random, double most)
{
    double noise = between(random, 0.0, 0.1);
    double load = between(random, 0.05, most / (1.0 + noise));
    return (lab_cost){
            .base = load, .unit = LAB_UNIT_REFRESH, .low = 1.0 - noise, .high = 1.0 + noise};
}

/* Presents block; neither the CPU nor the GPU has more to do than 90 % of a refresh. With a queue of one
 * the GPU has the rest of that: it works while the CPU waits. */
static lab_machine_config draw_machine(test_random *random)
{
    static const es_rate rates[] = {{30, 1}, {50, 1}, {60000, 1001}, {60, 1}, {75, 1}, {90, 1},
            {100, 1}, {120, 1}, {144, 1}, {165, 1}, {240, 1}, {360, 1}};
    static const es_rate ticks[] = {{20, 1}, {30, 1}, {50, 1}, {60, 1}, {120, 1}};
    static const char *const wakes[] = {"cheap", "wake-0.5", "wake-vm"};
    lab_machine_config config = {0};
    config.display.rate = rates[random_below(random, COUNT_OF(rates))];
    config.display.phase_ns = -1;
    config.display.queue = 1 + (int32_t)random_below(random, 4);
    config.display.blocking = (lab_blocking)random_below(random, 3);
    config.display.unannounced = random_below(random, 2) == 0;
    config.scenario = lab_scenario_plain();
    config.scenario.wake = lab_scenario_find(wakes[random_below(random, COUNT_OF(wakes))])->wake;
    config.scenario.render = load_of(random, 0.8);
    config.scenario.update =
            (lab_cost){.base = between(random, 0.0, 0.08), .unit = LAB_UNIT_REFRESH};
    if (random_below(random, 2) == 0) {
        double cpu = config.display.queue == 1 ? config.scenario.render.base : 0.0;
        config.scenario.gpu = load_of(random, 0.9 - cpu);
    }
    config.tick_rate = ticks[random_below(random, COUNT_OF(ticks))];
    config.warm_up_ns = S;
    config.seed = random_u64(random);
    config.spin_ns = 200 * US;
    return config;
}

static void run_healthy_frame(lab_machine *machine, es_loop *loop, bool ends)
{
    es_frame frame;
    lab_content content = {0};
    lab_frame_begin(machine);
    assert_true(es_loop_next(loop, &frame));
    for (int32_t i = 0; i < frame.ticks; ++i) {
        lab_tick(machine, es_frame_step(&frame, i).time_ns);
    }
    content.content_ns = frame.content_ns;
    lab_render(machine, &content);
    es_loop_submit(loop);
    lab_work(machine, 20 * US); /* the call itself */
    lab_present(machine);
    if (ends) {
        es_loop_end(loop);
    }
}

TEST(healthy_programs_have_no_problem)
{
    static lab_machine machine;
    for (uint64_t n = 0; n < 1000; ++n) {
        test_random random = {.state = 1 + n * UINT64_C(0x9e3779b97f4a7c15)};
        lab_machine_config config = draw_machine(&random);
        config.duration_ns = n % 10 == 0 ? 8 * S : 5 * S;
        assert_int_equal(lab_machine_init(&machine, &config, NULL), ES_OK);
        es_loop_config ours = {.tick_rate = config.tick_rate, .clock = lab_clock(&machine)};
        ours.refresh = config.display.unannounced ? ours.refresh : config.display.rate;
        bool ends = random_below(&random, 2) == 0;
        ours.low_latency = random_below(&random, 4) == 0;
        bool is_capped = random_below(&random, 4) == 0;
        double refreshes = between(&random, 1.0, 4.0);
        refreshes = config.display.unannounced ? refreshes : floor(refreshes); /* no uneven cap */
        double cap = refreshes * (double)es__rate_period_ns(config.display.rate);
        ours.interval_ns = is_capped ? (int64_t)cap : 0;
        es_loop *loop = es_loop_create(&ours);
        assert_non_null(loop);
        while (!lab_is_over(&machine)) {
            run_healthy_frame(&machine, loop, ends);
            const char *text = es_loop_problem(loop);
            if (text != NULL) {
                fail_msg("run %d (%g Hz, queue %d, blocking %d, render %g, gpu %g) at %g s: %s\n",
                        (int)n,
                        (double)config.display.rate.numerator / config.display.rate.denominator,
                        (int)config.display.queue, (int)config.display.blocking,
                        config.scenario.render.base, config.scenario.gpu.base,
                        (double)lab_true_ns(&machine) / 1e9, text);
            }
        }
        es_loop_destroy(loop);
    }
}
