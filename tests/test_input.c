/* SPDX-License-Identifier: Zlib
 *
 * input: delays, stamps of other clocks, the queue, saving; by hand. Which tick gets which event,
 * and what is held: test_input_random.c, a million events against a naive model.
 */
#include "input/input.h"

#include "test_support.h"

enum { ROOM = 16 };

typedef struct scene {
    es__input_ring ring;
    es_input_event memory[ROOM];
    es__state keys;
    es__button buttons[8];
    es__axis axes[3];
    es_step step;
} scene;

static void start(scene *s)
{
    memset(s, 0, sizeof *s);
    es__input_ring_init(&s->ring, s->memory, ROOM);
    s->keys = (es__state){s->buttons, s->axes, 8, 3, false};
}

static es_input_event event_of(es_input_kind kind, uint16_t code, int64_t stamp_ns)
{
    return (es_input_event){.stamp_ns = stamp_ns, .kind = kind, .code = code, .device = 1};
}

static void push(scene *s, es_input_kind kind, uint16_t code, int64_t stamp_ns)
{
    es_input_event event = event_of(kind, code, stamp_ns);
    es__input_ring_put(&s->ring, &event);
}

/* Numbered events, which these tests tell apart by es_input_event.user. */
static void push_from(scene *s, uint16_t device, int64_t stamp_ns, uint64_t user)
{
    es_input_event event = event_of(ES_INPUT_OTHER, 0, stamp_ns);
    event.device = device;
    event.user = user;
    es__input_ring_put(&s->ring, &event);
}

/* Runs when all stamps of these tests are past. */
static const es_step *next_step(scene *s, int64_t due_ns)
{
    s->step.index += 1;
    s->step.due_ns = due_ns;
    s->step.begun_ns = 1000 * S;
    s->step.time_ns += 20 * MS;
    s->step.dt_ns = 20 * MS;
    return &s->step;
}

/* Takes a tick's events into the state and a meter, which may be NULL. */
static int64_t take(scene *s, const es_step *step, es__meter *meter)
{
    es__input_taken taken;
    es__sample sample;
    int64_t count = 0;
    es__input_ring_open(&s->ring, step);
    es__state_begin(&s->keys);
    for (; es__input_ring_next(&s->ring, &taken); ++count) {
        es__state_apply(&s->keys, &taken.event);
        if (meter != NULL && step != NULL && es__sample_make(&sample, &taken, step)) {
            es__meter_take(meter, &sample);
        }
    }
    return count;
}

static int64_t tick(scene *s, int64_t due_ns)
{
    return take(s, next_step(s, due_ns), NULL);
}

/* --- which tick ------------------------------------------------------------------------------- */

TEST(events_that_come_too_late_count_the_ticks_they_missed)
{
    scene s;
    es__input_taken taken;
    start(&s);
    for (int i = 1; i <= 12; ++i) {
        tick(&s, i * 10 * MS);
    }
    push_from(&s, 1, 120 * MS, 0); /* tick 12's very instant */
    push_from(&s, 2, 110 * MS + 1, 1);
    push_from(&s, 3, 85 * MS, 2); /* missed 9, 10, 11, 12 */
    push_from(&s, 4, 1 * MS, 3);  /* missed all; ES__INPUT_TICKS are known */
    push_from(&s, 5, 120 * MS + 1, 4);
    es__input_ring_open(&s.ring, next_step(&s, 130 * MS));
    const int64_t missed[] = {ES__INPUT_TICKS, 4, 1, 1, 0};
    for (int i = 0; i < 5; ++i) {
        assert_true(es__input_ring_next(&s.ring, &taken));
        assert_int_equal(taken.missed, missed[i]);
    }
}

TEST(events_follow_a_clock_that_steps_back)
{
    scene s;
    es__input_taken taken;
    start(&s);
    tick(&s, 99 * S);
    tick(&s, 100 * S);
    push(&s, ES_INPUT_OTHER, 0, 100 * S);
    push(&s, ES_INPUT_OTHER, 0, 90 * S); /* behind the one before: 100 s */
    next_step(&s, 91 * S); /* the events are 10 s ahead of the clock: the tick takes them */
    s.step.begun_ns = 90 * S;
    es__input_ring_open(&s.ring, &s.step);
    for (int i = 0; i < 2; ++i) {
        assert_true(es__input_ring_next(&s.ring, &taken));
        assert_int_equal(taken.missed, 0); /* the ticks before are not comparable */
        assert_int_equal(taken.event.stamp_ns, 100 * S);
    }
}

/* --- a state ---------------------------------------------------------------------------------- */

TEST(edges_are_counted_up_to_65535)
{
    scene s;
    start(&s);
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 0);
    es_input_event release = event_of(ES_INPUT_RELEASE, 1, 0);
    for (int i = 0; i < 70000; ++i) {
        es__state_apply(&s.keys, &press);
        es__state_apply(&s.keys, &release);
    }
    assert_int_equal(s.buttons[1].pressed, UINT16_MAX);
    assert_int_equal(s.buttons[1].released, UINT16_MAX);
}

/* --- a meter ---------------------------------------------------------------------------------- */

typedef struct metered {
    scene s;
    es__meter meter;
    es__sample samples[4];
    double scratch[4];
    es_input_status summary;
} metered;

static void start_meter(metered *m, size_t capacity)
{
    memset(m, 0, sizeof *m);
    start(&m->s);
    es__meter_init(&m->meter, m->samples, m->scratch, capacity, INT64_MIN);
}

/* Tick n has time n * 20 ms, is due at n * 20 ms + 100, and runs 5 ms before that. */
static void metered_tick(metered *m)
{
    const es_step *step = next_step(&m->s, (m->s.step.index + 1) * 20 * MS + 100 * MS);
    m->s.step.begun_ns = step->due_ns - 5 * MS;
    take(&m->s, &m->s.step, &m->meter);
}

/* Returns how many samples were shown whole by then. */
static int64_t metered_frame(metered *m, int64_t content_ns, int64_t shown_ns)
{
    es_frame frame = {.content_ns = content_ns, .newest_tick = m->s.step.index};
    es__meter_frame(&m->meter, &frame, shown_ns);
    es__meter_status(&m->meter, &m->summary);
    return m->summary.shown;
}

TEST(percentiles_of_delays)
{
    metered m;
    start_meter(&m, 4);
    const int64_t stamps_ms[] = {100, 101, 110, 119, 104}; /* the first is overwritten */
    push(&m.s, ES_INPUT_OTHER, 0, stamps_ms[0] * MS);
    metered_tick(&m);
    for (int i = 1; i < 5; ++i) {
        push_from(&m.s, (uint16_t)i, stamps_ms[i] * MS, 0);
    }
    metered_frame(&m, 20 * MS, 150 * MS);
    metered_tick(&m); /* due at 140 */
    assert_int_equal(metered_frame(&m, 40 * MS, 160 * MS), 4);
    assert_int_equal(m.meter.events, 5);
    assert_true(fabs(m.summary.to_shown.mean_ms - (59 + 50 + 41 + 56) / 4.0) < 1e-12);
    assert_true(m.summary.to_shown.p50_ms == 50.0); /* of 41 50 56 59, the second */
    assert_true(m.summary.to_shown.p95_ms == 59.0);
    assert_true(m.summary.to_shown.max_ms == 59.0);
    assert_int_equal(m.meter.missed, 4); /* tick 1 was due at 120 */
}

TEST(samples_that_no_frame_shows_are_given_up)
{
    metered m;
    start_meter(&m, 2);
    for (int i = 0; i < 5; ++i) {
        push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    }
    metered_tick(&m);
    assert_int_equal(m.meter.waiting, 2);
    m.s.step.index = -1; /* a seek back */
    push(&m.s, ES_INPUT_OTHER, 0, 99 * MS);
    metered_tick(&m);
    assert_int_equal(m.meter.waiting, 1);
    es_frame gap = {.content_ns = S, .newest_tick = 9, .start_ns = 500 * MS};
    gap.gap.kind = ES_GAP_STOPPED;
    es__meter_frame(&m.meter, &gap, S);
    assert_int_equal(m.meter.waiting, 0);
    push(&m.s, ES_INPUT_OTHER, 0, 500 * MS - 1); /* from before the gap */
    push(&m.s, ES_INPUT_OTHER, 0, 500 * MS);
    take(&m.s, next_step(&m.s, 600 * MS), &m.meter);
    assert_int_equal(m.meter.events, 7);
    assert_int_equal(metered_frame(&m, S, S), 1);
}

TEST(only_events_of_ticks_are_measured)
{
    metered m;
    es_input_event lost = event_of(ES_INPUT_LOST, 0, 101 * MS);
    start_meter(&m, 4);
    push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    take(&m.s, NULL, &m.meter); /* outside of a tick */
    assert_int_equal(m.meter.events, 0);
    push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    es__input_ring_put(&m.s.ring, &lost);
    push_from(&m.s, 2, ES__STAMP_NONE, 0);
    metered_tick(&m);
    assert_int_equal(m.meter.events, 1);
}

/* --- stamps of another clock ------------------------------------------------------------------ */

static es__stamps clock_of(int64_t unit_ns, int32_t bits)
{
    es__stamps clock;
    es_input_stamps config = {.unit_ns = unit_ns, .bits = bits, .other = true};
    assert_int_equal(es__stamps_init(&clock, &config, NULL), ES_OK);
    return clock;
}

#define POLL_NS 16666667

/* Events of a clock in ms that is apart_ns behind and runs ppm slow, polled at 60 Hz: the mean and
 * the largest error of the second half, in ns. */
typedef struct errors {
    double mean_ns;
    int64_t most_ns;
} errors;

static errors convert_many(es__stamps *clock, int64_t apart_ns, int64_t ppm, uint64_t mask)
{
    errors out = {0.0, 0};
    test_random random = {77};
    int64_t at_ns = 10 * S;
    enum { EVENTS = 8000 };
    for (int i = 0; i < EVENTS; ++i) {
        at_ns += random_below(&random, 20 * MS);
        int64_t other_ns = at_ns - apart_ns - (at_ns / 1000000) * ppm;
        uint64_t stamp = (uint64_t)(other_ns / MS) & mask;
        int64_t received_ns = (at_ns / POLL_NS + 1) * POLL_NS;
        int64_t ns = es__stamps_convert(clock, stamp, received_ns);
        assert_true(ns <= received_ns);
        int64_t off_ns = ns - at_ns;
        if (i >= EVENTS / 2) {
            out.mean_ns += (double)off_ns / (EVENTS / 2.0);
            off_ns = off_ns < 0 ? -off_ns : off_ns;
            out.most_ns = off_ns > out.most_ns ? off_ns : out.most_ns;
        }
    }
    return out;
}

TEST(a_clock_in_milliseconds_is_followed)
{
    for (int64_t ppm = -50; ppm <= 50; ppm += 50) {
        es__stamps clock = clock_of(MS, 32);
        errors off = convert_many(&clock, 3 * S + 123456, ppm, UINT32_MAX);
        assert_int_equal(clock.leaps, 0);
        assert_true(off.most_ns < (ppm == 0 ? 1100000 : 1300000));
        assert_true(ppm != 0 || fabs(off.mean_ns) < 300000.0);
    }
}

/* An hour without an event at 50 ppm is 180 ms: found with the first event after it. */
TEST(a_clock_that_drifts_in_silence_is_followed)
{
    for (int64_t ppm = -50; ppm <= 50; ppm += 50) {
        es__stamps clock = clock_of(1000, 64);
        int64_t at_ns = 100 * S;
        for (int i = 0; i < 1000; ++i) {
            at_ns += i == 510 ? 3600 * S : 20 * MS;
            int64_t other_ns = at_ns - 3 * S - (at_ns / 1000000) * ppm;
            int64_t late_ns = 1 * MS + i % 7 * 2 * MS;
            int64_t ns = es__stamps_convert(&clock, (uint64_t)(other_ns / 1000), at_ns + late_ns);
            int64_t off_ns = ns - at_ns;
            assert_true(ns <= at_ns + late_ns);
            assert_true(i < 14 || (off_ns > -MS && off_ns < (i < 517 && i >= 510 ? 14 : 2) * MS));
        }
        assert_int_equal(clock.leaps, 0);
    }
}

TEST(stamps_may_wrap)
{
    es__stamps clock = clock_of(MS, 32);
    int64_t base_ns = 50 * S;
    uint64_t first = UINT32_MAX - 5;
    for (uint64_t i = 0; i < 12; ++i) { /* wraps */
        int64_t at_ns = base_ns + (int64_t)i * MS;
        assert_int_equal(es__stamps_convert(&clock, (first + i) & UINT32_MAX, at_ns + 500000),
                at_ns + 500000);
    }
    /* an event from before the wrap that comes after it */
    assert_int_equal(es__stamps_convert(&clock, UINT32_MAX - 5, base_ns + 20 * MS), base_ns + MS);
    /* 30 days later: the time of receipt says that it has wrapped again */
    int64_t days_ns = INT64_C(30) * 24 * 3600 * S;
    uint64_t later = (first + 30 * 24 * 3600 * 1000ULL) & UINT32_MAX;
    assert_int_equal(es__stamps_convert(&clock, later, base_ns + days_ns + 500000),
            base_ns + days_ns + 500000);
    assert_int_equal(clock.leaps, 0);
    clock = clock_of(MS, 16);
    convert_many(&clock, 0, 0, UINT16_MAX);
    assert_int_equal(clock.leaps, 0);
}

TEST(a_clock_that_is_set_is_found_out)
{
    es__stamps clock = clock_of(1000, 64);
    int64_t now_ns = 100 * S;
    int64_t other_ns = 5000 * S;
    for (int i = 0; i < 20; ++i, now_ns += 100 * MS, other_ns += 100 * MS) {
        es__stamps_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
    }
    other_ns += 3600 * S; /* set ahead: found at once */
    int64_t ns = es__stamps_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
    assert_int_equal(ns, now_ns);
    assert_int_equal(clock.leaps, 1);
    other_ns -= 7200 * S; /* set back: eight events and half a second */
    int converted = 0;
    for (int i = 0; i < 20; ++i, now_ns += 100 * MS, other_ns += 100 * MS) {
        ns = es__stamps_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
        assert_true(ns <= now_ns);
        converted += ns > now_ns - MS;
    }
    assert_int_equal(converted, 13);
    assert_int_equal(clock.leaps, 2);
}

/* A program that stood still for 2 s gets 50 events at once. Every second event is late, for longer than a leap
 * takes to be found. */
TEST(stalls_and_late_events_are_no_leap)
{
    es__stamps clock = clock_of(1000, 64);
    for (int64_t i = 0; i < 50; ++i) {
        es__stamps_convert(&clock, (uint64_t)(i * 10000), i * 10 * MS + 1000);
    }
    for (int64_t i = 50; i < 100; ++i) {
        int64_t ns = es__stamps_convert(&clock, (uint64_t)(i * 10000), 3 * S);
        assert_int_equal(ns, i * 10 * MS + 1000 + 500);
    }
    assert_int_equal(clock.leaps, 0);
    clock = clock_of(1000, 64);
    for (int64_t i = 0; i < 60; ++i) {
        int64_t late_ns = i % 2 == 0 ? 0 : 300 * MS;
        es__stamps_convert(&clock, (uint64_t)(i * 400000), i * 400 * MS + late_ns);
    }
    assert_int_equal(clock.leaps, 0);
}

/* Its reading is a stamp without a delay. */
TEST(a_clock_can_be_read)
{
    es__stamps clock = clock_of(MS, 32);
    es__stamps_convert(&clock, 2000, 7 * S);
    assert_int_equal(clock.offset_ns, 5 * S);
    /* the first event is placed, although it was received late */
    assert_int_equal(es__stamps_convert(&clock, 2100, 7 * S + 116 * MS), 7 * S + 100 * MS + 500000);
    /* read 60 times a second, a drift of 1 ms per s is followed */
    for (int64_t i = 1; i <= 3600; ++i) {
        es__stamps_convert(&clock, (uint64_t)(2000 + i * 999 / 60), 7 * S + i * S / 60);
    }
    assert_true(clock.offset_ns >= 5 * S + 50 * MS);
    assert_true(clock.offset_ns <= 5 * S + 60 * MS);
}

TEST(the_loops_own_clock_is_exact)
{
    es__stamps clock;
    es_input_stamps config = {.unit_ns = 1000};
    assert_int_equal(es__stamps_init(&clock, &config, NULL), ES_OK);
    assert_int_equal(es__stamps_convert(&clock, 5000000, 6 * S), 5 * S + 500);
    assert_int_equal(es__stamps_convert(&clock, 7000000, 6 * S), 6 * S);
    assert_int_equal(clock.offset_ns, 0);
    assert_int_equal(es__stamps_convert(&clock, UINT64_MAX, 6 * S), 6 * S);
    config = (es_input_stamps){0};
    assert_int_equal(es__stamps_init(&clock, &config, NULL), ES_OK);
    assert_int_equal(es__stamps_convert(&clock, 5, 6), 5);
}

/* --- the queue -------------------------------------------------------------------------------- */

TEST(a_full_queue_refuses)
{
    static unsigned char memory[3 * 128 + 4 * sizeof(int) + 1];
    es__queue queue;
    assert_int_equal(es__queue_size(4, sizeof(int)) + 1, sizeof memory);
    es__queue_init(&queue, 4, sizeof(int), memory + 1); /* at any address */
    assert_null(es__queue_item(&queue, 0));
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 5; ++i) {
            assert_int_equal(es__queue_push(&queue, &i, 2), i < 3);
        }
        assert_true(es__queue_push(&queue, &(int){9}, 1));
        assert_false(es__queue_push(&queue, &(int){9}, 1));
        for (int i = 0; i < 4; ++i) {
            assert_int_equal(*(const int *)es__queue_item(&queue, (uint32_t)i), i < 3 ? i : 9);
        }
        assert_null(es__queue_item(&queue, 4));
        es__queue_drop(&queue, 1);
        assert_int_equal(*(const int *)es__queue_item(&queue, 0), 1);
        es__queue_drop(&queue, 3);
        assert_null(es__queue_item(&queue, 0));
    }
}

/* --- an es_input ------------------------------------------------------------------------------ */

static es_input *created(es_input_config config)
{
    es_input *input = es_input_create(&config);
    assert_non_null(input);
    return input;
}

static es_step step_at(int64_t index, int64_t due_ns)
{
    return (es_step){.index = index,
            .due_ns = due_ns,
            .begun_ns = due_ns,
            .time_ns = index * 20 * MS,
            .dt_ns = 20 * MS};
}

static void input_tick(es_input *input, int64_t index, int64_t due_ns, int32_t count)
{
    es_step step = step_at(index, due_ns);
    assert_int_equal(es_input_tick(input, &step), count);
}

/* Of the default 512 buttons; test_input_random.c has what ticks see. */
TEST(a_press_is_seen_by_one_tick)
{
    es_input *input = created((es_input_config){0});
    assert_true(es_input_button(input, 512, true, 5 * MS)); /* no such button: only an event */
    assert_true(es_input_button(input, 511, true, 10 * MS));
    assert_true(es_input_button(input, 511, false, 12 * MS));
    assert_false(es_input_button(input, -1, true, 5 * MS));
    assert_false(es_input_button(input, 65536, true, 5 * MS));
    input_tick(input, 1, 20 * MS, 3);
    assert_true(es_input_pressed(input, 511) == 1 && es_input_released(input, 511) == 1);
    assert_true(es_input_pressed(input, 512) == 0 && es_input_pressed(input, -1) == 0);
    input_tick(input, 2, 40 * MS, 0);
    assert_int_equal(es_input_pressed(input, 511), 0);
    es_input_destroy(input);
}

TEST(an_event_without_a_stamp_goes_to_the_next_tick)
{
    es_input *input = created((es_input_config){.measured = 4});
    es_input_event event;
    input_tick(input, 1, 20 * MS, 0);
    es_input_button(input, 1, true, ES_UNKNOWN_NS);
    input_tick(input, 2, 40 * MS, 1);
    assert_true(es_input_next(input, &event));
    assert_true(event.stamp_ns == ES_UNKNOWN_NS && event.delay_ns == 0);
    assert_int_equal(es_input_get_status(input).events, 0);
    es_input_destroy(input);
}

TEST(the_delay_to_the_tick_is_reported_per_event)
{
    static const struct {
        int64_t stamp_ms; /* pushed before this tick */
        int64_t due_ms;   /* 0: no tick, as in a menu */
        int64_t delay_ms;
    } rows[] = {{15, 20, 5}, {19, 40, 21} /* its own tick has run */, {60, 60, 0},
            {400, 80, 0} /* the clock was set back */, {90, 0, 0}};
    es_input *input = created((es_input_config){0});
    for_rows (i, rows) {
        const es_input_event press = {.stamp_ns = rows[i].stamp_ms * MS, .delay_ns = 7};
        es_input_event event;
        es_step step = step_at((int64_t)i + 1, rows[i].due_ms * MS);
        assert_true(es_input_push(input, &press));
        assert_int_equal(es_input_tick(input, rows[i].due_ms > 0 ? &step : NULL), 1);
        assert_true(es_input_next(input, &event));
        assert_int_equal(event.delay_ns, rows[i].delay_ms * MS);
    }
    es_input_destroy(input);
}

TEST(the_view_sees_events_that_still_wait)
{
    es_input *input = created((es_input_config){.axes = 3, .rests = 2});
    es_input_event reset = {.stamp_ns = S, .device = ES_INPUT_ALL, .kind = ES_INPUT_RESET};
    es_input_event place = {.stamp_ns = S, .value = 0.5, .code = 1, .kind = ES_INPUT_PLACE};
    es_input_move(input, 0, 4.0, 1);
    es_input_push(input, &(es_input_event){.value = 1.0, .code = 1, .kind = ES_INPUT_PLACE});
    input_tick(input, 1, S - 1, 2);
    es_input_move(input, 0, 1.5, S);
    es_input_push(input, &place);
    assert_true(es_input_peek(input, 0) == 5.5 && es_input_peek(input, 1) == 0.5);
    es_input_push(input, &reset);
    assert_true(es_input_peek(input, 0) == 5.5 && es_input_peek(input, 1) == 0.0);
    assert_true(es_input_value(input, 0) == 4.0 && es_input_moved(input, 0) == 4.0);
    assert_true(es_input_value(input, 1) == 1.0); /* and nothing was taken */
    assert_true(es_input_peek(input, 3) == 0.0 && es_input_peek(input, -1) == 0.0);
    input_tick(input, 2, 2 * S, 3);
    assert_true(es_input_value(input, 0) == 5.5 && es_input_moved(input, 0) == 1.5);
    assert_true(es_input_value(input, 1) == 0.0 && es_input_moved(input, 1) == -1.0);
    es_input_destroy(input);
}

TEST(delays_are_measured)
{
    es_input *input = created((es_input_config){.measured = 3});
    es_frame frame = {.content_ns = 20 * MS, .newest_tick = 1};
    es_input_button(input, 0, true, 10 * MS);
    es_input_move(input, 0, 1.0, 14 * MS);
    input_tick(input, 1, 20 * MS, 2);
    frame.content_ns = 10 * MS; /* a part of the tick */
    es_input_frame(input, &frame, 30 * MS);
    frame.content_ns = 20 * MS;
    es_input_frame(input, &frame, 40 * MS);
    es_input_status status = es_input_get_status(input);
    assert_true(status.to_shows.max_ms == 20.0 && status.to_shows.mean_ms == 18.0);
    assert_true(status.shown == 2 && status.events == 2 && status.missed == 0);
    assert_true(status.to_shown.max_ms == 30.0 && status.to_tick.p50_ms == 6.0);
    es_input_button(input, 0, false, 15 * MS); /* too late for tick 1 */
    es_input_button(input, 0, false, 39 * MS);
    input_tick(input, 2, 40 * MS, 2);
    assert_int_equal(es_input_get_status(input).missed, 1);
    es_input_frame(input, NULL, 39 * MS);
    status = es_input_get_status(input);
    assert_true(status.events == 0 && status.shown == 0 && status.to_shown.max_ms == 0.0);
    es_input_destroy(input);
}

TEST(a_percentile_is_a_sample)
{
    es_input *input = created((es_input_config){.measured = 64});
    for (int i = 1; i <= 59; ++i) {
        es_input_button(input, 0, i % 2 == 1, i * MS);
    }
    input_tick(input, 3, 60 * MS, 59);
    es_input_frame(input, &(es_frame){.content_ns = 60 * MS, .newest_tick = 3}, 100 * MS);
    es_input_delay delay = es_input_get_status(input).to_shown; /* 41 to 99 */
    assert_true(delay.p50_ms == 70.0 && delay.p95_ms == 97.0 && delay.max_ms == 99.0);
    es_input_destroy(input);
}

/* --- saving ----------------------------------------------------------------------------------- */

TEST(a_ticks_input_can_be_saved_and_loaded)
{
    es_input_config config = {.buttons = 8, .axes = 8};
    es_input *input = created(config), *copy = created(config);
    unsigned char bytes[256];
    test_random random = {5};
    for (int64_t tick = 1; tick < 500; ++tick) {
        int32_t count = (int32_t)random_below(&random, 4);
        for (int32_t i = 0; i < count; ++i) {
            es_input_event event = {.stamp_ns = tick, .value = (double)random_below(&random, 9)};
            event.kind = (es_input_kind)random_below(&random, 5);
            event.code = (uint16_t)random_below(&random, 8);
            event.device = (uint16_t)random_below(&random, 2);
            es_input_push(input, &event);
        }
        input_tick(input, tick, tick, count);
        size_t size = es_input_save(input, bytes, sizeof bytes);
        assert_in_range(size, 0, sizeof bytes);
        assert_int_equal(es_input_save(input, NULL, sizeof bytes), size);
        assert_true(es_input_load(copy, bytes, size));
        for (int32_t i = 0; i < 8; ++i) {
            assert_int_equal(es_input_held(input, i), es_input_held(copy, i));
            assert_int_equal(es_input_pressed(input, i), es_input_pressed(copy, i));
            assert_int_equal(es_input_released(input, i), es_input_released(copy, i));
            assert_true(es_input_value(input, i) == es_input_value(copy, i));
            assert_true(es_input_moved(input, i) == es_input_moved(copy, i));
        }
        assert_false(es_input_next(copy, &(es_input_event){0}));
    }
    es_input_destroy(copy);
    es_input_destroy(input);
}

/* Any bytes are refused, or loaded; then saving gives the same bytes. */
TEST(damaged_bytes_are_refused)
{
    es_input_config config = {.buttons = 8, .axes = 8};
    es_input *input = created(config);
    unsigned char good[200], bytes[200], again[200];
    test_random random = {6};
    es_input_button(input, 3, true, 0);
    es_input_move(input, 2, 1.5, 0);
    input_tick(input, 1, S, 2);
    size_t size = es_input_save(input, good, sizeof good);
    assert_int_equal(size, 11 + 21);
    int loaded = 0;
    for (int i = 0; i < 20000; ++i) {
        memcpy(bytes, good, size);
        bytes[random_below(&random, (int64_t)size)] = (unsigned char)random_below(&random, 256);
        assert_true(es_input_load(input, good, size));
        bool is_sound = es_input_load(input, bytes, size);
        assert_int_equal(es_input_save(input, again, sizeof again), size);
        assert_true(memcmp(again, is_sound ? bytes : good, size) == 0);
        loaded += is_sound;
    }
    assert_in_range(loaded, 5000, 19999);
    assert_false(es_input_load(input, good, size - 1));
    memcpy(bytes, good + 11, 21);
    memcpy(bytes + 21, good, 11);
    assert_false(es_input_load(input, bytes, size)); /* a button after an axis */
    assert_true(es_input_load(input, NULL, 0));      /* nothing is down */
    assert_false(es_input_held(input, 3));
    assert_false(es_input_load(input, NULL, size));
    es_input_destroy(input);
}

/* --- bad input -------------------------------------------------------------------------------- */

TEST(bad_events_are_refused)
{
    static const struct {
        es_input_kind kind;
        uint16_t device;
        double value;
    } bad[] = {{ES_INPUT_LOST, 1, 0.0}, {(es_input_kind)99, 1, 0.0},
            {ES_INPUT_MOVE, ES_INPUT_ALL, 0.0}, {ES_INPUT_MOVE, 1, (double)NAN},
            {ES_INPUT_MOVE, 1, (double)INFINITY}, {ES_INPUT_MOVE, 1, -(double)INFINITY}};
    es_input *input = created((es_input_config){0});
    es_input_event event = event_of(ES_INPUT_MOVE, 0, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        event.kind = bad[i].kind;
        event.device = bad[i].device;
        event.value = bad[i].value;
        assert_false(es_input_push(input, &event));
    }
    assert_false(es_input_push(input, NULL));
    assert_int_equal(es_input_tick(input, NULL), 0);
    es_input_destroy(input);
}

TEST(bad_configurations_are_refused)
{
    static const struct {
        es_input_config config;
        const char *field;
    } cases[] = {
            {{.buttons = -1}, "es_input_config.buttons"},
            {{.axes = 65536}, "es_input_config.axes"},
            {{.events = -1}, "es_input_config.events"},
            {{.measured = 65536}, "es_input_config.measured"},
            {{.stamps.unit_ns = -1}, "es_input_config.stamps.unit_ns"},
            {{.stamps.unit_ns = S + 1}, "es_input_config.stamps.unit_ns"},
            {{.stamps.resolution_ns = -1}, "es_input_config.stamps.resolution_ns"},
            {{.stamps.resolution_ns = S + 1}, "es_input_config.stamps.resolution_ns"},
            {{.stamps.bits = 15}, "es_input_config.stamps.bits"},
            {{.stamps.bits = 65}, "es_input_config.stamps.bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_null(es_input_create(&cases[i].config));
        assert_memory_equal(es_get_error(), cases[i].field, strlen(cases[i].field));
    }
    es_input *input = es_input_create(NULL);
    assert_non_null(input);
    for (int i = 0; i < 4000; ++i) { /* a mouse at 8 kHz, two axes, 250 ms */
        assert_true(es_input_move(input, i % 2, 1.0, i));
    }
    es_input_destroy(input);
    input = created((es_input_config){1, 1, 1, 1, 1, {0}});
    assert_true(es_input_button(input, 0, true, 0));
    assert_false(es_input_button(input, 0, false, 0));
    es_input_destroy(input);
}

TEST(without_an_input_nothing_happens)
{
    const es_step step = step_at(1, S);
    es_frame frame = {0};
    es_input_destroy(NULL);
    assert_false(es_input_button(NULL, 0, true, 0) || es_input_move(NULL, 0, 1.0, 0));
    assert_int_equal(es_input_stamp(NULL, 5, 7), 7);
    es_input_frame(NULL, &frame, 0);
    assert_int_equal(es_input_get_status(NULL).lost, 0);
    assert_int_equal(es_input_tick(NULL, &step), 0);
    assert_false(es_input_next(NULL, &(es_input_event){0}) || es_input_held(NULL, 0));
    assert_true(es_input_pressed(NULL, 0) == 0 && es_input_released(NULL, 0) == 0);
    assert_true(es_input_value(NULL, 0) == 0.0 && es_input_moved(NULL, 0) == 0.0);
    assert_true(es_input_peek(NULL, 0) == 0.0 && es_input_save(NULL, NULL, 0) == 0);
    assert_false(es_input_load(NULL, NULL, 0));
    es_input *input = created((es_input_config){.axes = 70, .rests = UINT64_MAX});
    es_input_frame(input, &frame, 0); /* nothing is measured */
    assert_int_equal(es_input_get_status(input).events, 0);
    assert_false(es_input_next(input, NULL));
    assert_true(es_input_view_ns(input, NULL) == 0 && es_input_view_ns(NULL, &frame) == 0);
    es_input_move(input, 63, 1, 0);
    es_input_move(input, 64, 1, 0);
    assert_true(es_input_push(input, &(es_input_event){.kind = ES_INPUT_RESET, .stamp_ns = 1}));
    assert_int_equal(es_input_tick(input, &step), 3); /* there is a bit for axes 0 to 63 */
    assert_true(es_input_value(input, 63) == 0 && es_input_value(input, 64) == 1);
    es_input_destroy(input);
}

TEST(input_that_no_step_takes_is_not_measured)
{
    es_input *input = created((es_input_config){.measured = 4});
    es_input_button(input, 0, true, 0);
    assert_int_equal(es_input_tick(input, NULL), 1);
    es_input_frame(input, NULL, 0);
    assert_true(es_input_held(input, 0) && es_input_get_status(input).events == 0);
    es_input_destroy(input);
}

/* What no input saves: an axis at rest, numbers that are none, codes out of order. */
TEST(bytes_that_nothing_saves_are_refused)
{
    static const struct {
        double at, moved;
        int16_t codes[2];
        bool good;
    } rows[] = {{1, 0, {0, 1}, true}, {0, 1, {0, 1}, true}, {0, 0, {0, 1}, false},
            {(double)INFINITY, 0, {0, 1}, false}, {-(double)INFINITY, 0, {0, 1}, false},
            {1, (double)INFINITY, {0, 1}, false}, {1, -(double)INFINITY, {0, 1}, false},
            {1, 0, {1, 0}, false}, {1, 0, {1, 1}, false}};
    es_input *input = created((es_input_config){.axes = 2});
    for_rows (i, rows) {
        unsigned char bytes[42] = {0};
        for (int k = 0; k < 2; ++k) {
            unsigned char *at = bytes + 21 * k;
            at[0] = 1;
            at[1] = (unsigned char)rows[i].codes[k];
            for (int n = 0; n < 8; ++n) {
                at[5 + n] = (unsigned char)(es__bits_of(rows[i].at) >> 8 * n);
                at[13 + n] = (unsigned char)(es__bits_of(rows[i].moved) >> 8 * n);
            }
        }
        assert_int_equal(es_input_load(input, bytes, sizeof bytes), rows[i].good);
    }
    es_input_destroy(input);
}

TEST(stamps_of_any_size_are_converted)
{
    es_input *input = created(
            (es_input_config){.stamps = {.unit_ns = S, .resolution_ns = S / 2, .bits = 63}});
    assert_int_equal(es_input_stamp(input, 0, S), S / 4);
    assert_true(es_input_stamp(input, UINT64_C(3) << 61, S) < INT64_MIN / 2); /* before 0 */
    assert_true(es_input_stamp(input, UINT64_C(1) << 61, INT64_MAX) > INT64_MAX / 2);
    es_input_destroy(input);
}
