/* SPDX-License-Identifier: Zlib
 *
 * input: which tick gets which event, what is held, delays, stamps of other clocks, and the queue;
 * each case by hand. test_input_random.c has a million events against a naive model.
 */
#include "evenstep/input.h"

#include "input/input_parts.h"

#include <math.h>
#include <string.h>

#include "test_support.h"
#include "base/common.h"

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

enum { ROOM = 16 };

typedef struct scene {
    es_input input;
    es_input_event memory[ROOM];
    es_input_state keys;
    es_input_button buttons[8];
    es_input_axis axes[3];
    es_step step;
} scene;

static void start_with(scene *s, uint32_t capacity, const es_input_config *config)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(es_input_init(&s->input, s->memory, capacity, config, NULL), ES_OK);
    assert_int_equal(es_input_state_init(&s->keys, s->buttons, 8, s->axes, 3), ES_OK);
}

static void start(scene *s)
{
    start_with(s, ROOM, NULL);
}

static es_input_event event_of(es_input_kind kind, uint16_t code, int64_t stamp_ns)
{
    return (es_input_event){.stamp_ns = stamp_ns, .kind = kind, .code = code, .device = 1};
}

static es_result push(scene *s, es_input_kind kind, uint16_t code, int64_t stamp_ns)
{
    es_input_event event = event_of(kind, code, stamp_ns);
    return es_input_push(&s->input, &event, 1000 * S);
}

/* Numbered events, which these tests tell apart by es_input_event.user. */
static void push_from(scene *s, uint16_t device, int64_t stamp_ns, uint64_t user)
{
    es_input_event event = event_of(ES_INPUT_OTHER, 0, stamp_ns);
    event.device = device;
    event.user = user;
    assert_int_equal(es_input_push(&s->input, &event, 1000 * S), ES_OK);
}

static void push_reset(scene *s, int64_t stamp_ns, uint64_t user)
{
    es_input_event reset = {
            .stamp_ns = stamp_ns, .kind = ES_INPUT_RESET, .device = ES_INPUT_ALL, .user = user};
    assert_int_equal(es_input_push(&s->input, &reset, S), ES_OK);
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

static int64_t tick(scene *s, int64_t due_ns)
{
    return es_input_tick(&s->input, next_step(s, due_ns), &s->keys, NULL);
}

/* A tick that runs at begun_ns; returns how many events it took. */
static int64_t tick_at(scene *s, int64_t due_ns, int64_t begun_ns)
{
    next_step(s, due_ns);
    s->step.begun_ns = begun_ns;
    return es_input_tick(&s->input, &s->step, NULL, NULL);
}

/* Which events wait, by their numbers, which are digits. */
static void check_waiting(const scene *s, const char *users)
{
    uint32_t count = (uint32_t)strlen(users);
    assert_int_equal(s->input.count, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(es__input_pending(&s->input, i)->user, users[i] - '0');
    }
    assert_null(es__input_pending(&s->input, count));
}

/* Which events the open tick has. */
static void check_taken(scene *s, const char *users)
{
    es_input_taken taken;
    for (; *users != '\0'; ++users) {
        assert_true(es_input_next(&s->input, &taken));
        assert_int_equal(taken.event.user, *users - '0');
    }
    assert_false(es_input_next(&s->input, &taken));
}

static void check_tick(scene *s, int64_t due_ns, const char *users)
{
    es_input_open(&s->input, next_step(s, due_ns));
    check_taken(s, users);
}

static void check_button(const scene *s, int code, bool held, int pressed, int released)
{
    const es_input_button *button = &s->buttons[code];
    assert_int_equal(button->held, held);
    assert_int_equal(button->pressed, pressed);
    assert_int_equal(button->released, released);
    assert_int_equal(button->was_held, held - pressed + released);
}

/* --- which tick ------------------------------------------------------------------------------- */

TEST(an_event_belongs_to_its_own_tick)
{
    scene s;
    es_input_taken taken;
    start(&s);
    for (uint64_t i = 0; i < 5; ++i) {
        push_from(&s, 1, (int64_t)i * 10 * MS, i); /* 0, 10, 20, 30, 40 ms */
    }
    check_taken(&s, ""); /* none before a tick */
    es_input_open(&s.input, next_step(&s, 10 * MS));
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.tick, 1);
    assert_int_equal(taken.due_ns, 10 * MS);
    assert_int_equal(taken.begun_ns, 1000 * S);
    check_taken(&s, "1"); /* at the tick's very instant: its own */
    check_tick(&s, 20 * MS - 1, "");
    es_input_open(&s.input, next_step(&s, 30 * MS));
    assert_true(es_input_next(&s.input, &taken));
    check_tick(&s, 40 * MS, "34"); /* and what the tick before has left */
    assert_int_equal(s.input.count, 0);
    assert_int_equal(s.input.taken, 5);
    assert_int_equal(s.input.missed, 1);
}

TEST(events_that_come_too_late_count_the_ticks_they_missed)
{
    scene s;
    es_input_taken taken;
    start(&s);
    for (int i = 1; i <= 12; ++i) {
        tick(&s, i * 10 * MS);
    }
    push_from(&s, 1, 120 * MS, 0); /* tick 12's very instant */
    push_from(&s, 2, 110 * MS + 1, 1);
    push_from(&s, 3, 85 * MS, 2); /* missed 9, 10, 11, 12 */
    push_from(&s, 4, 1 * MS, 3);  /* missed all; ES_INPUT_TICKS are known */
    push_from(&s, 5, 120 * MS + 1, 4);
    check_waiting(&s, "32104");
    es_input_open(&s.input, next_step(&s, 130 * MS));
    const int64_t missed[] = {ES_INPUT_TICKS, 4, 1, 1, 0};
    for (int i = 0; i < 5; ++i) {
        assert_true(es_input_next(&s.input, &taken));
        assert_int_equal(taken.missed, missed[i]);
        assert_int_equal(taken.tick, 13);
    }
    assert_int_equal(s.input.missed, 4);
}

/* Devices may push in any order; within one the order of the calls counts. */
TEST(events_wait_in_the_order_of_their_stamps)
{
    static const struct {
        const char *waiting;
        struct {
            uint16_t device;
            int64_t stamp_ms;
        } pushes[5];
        int64_t corrected;
    } cases[] = {
            {"41230", {{1, 30}, {2, 10}, {3, 20}, {2, 20}, {4, 5}}, 0},  /* equal: in turn */
            {"01432", {{1, 20}, {2, 20}, {3, 30}, {2, 25}, {1, 10}}, 1}, /* 10 becomes 20 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        scene s;
        start(&s);
        for (uint64_t k = 0; k < 5; ++k) {
            push_from(&s, cases[i].pushes[k].device, cases[i].pushes[k].stamp_ms * MS, k);
        }
        check_waiting(&s, cases[i].waiting);
        assert_int_equal(s.input.corrected, cases[i].corrected);
        if (cases[i].corrected > 0) {
            assert_int_equal(es__input_pending(&s.input, 2)->stamp_ns, 20 * MS);
        }
    }
}

TEST(stamps_follow_a_clock_that_steps_back)
{
    scene s;
    es_input_taken taken;
    es_input_event event = event_of(ES_INPUT_OTHER, 0, 100 * S);
    start(&s);
    tick(&s, 99 * S);
    tick(&s, 100 * S);
    assert_int_equal(es_input_push(&s.input, &event, 100 * S), ES_OK);
    next_step(&s, 91 * S); /* the event is 10 s ahead of the clock: the tick takes it */
    s.step.begun_ns = 90 * S;
    es_input_open(&s.input, &s.step);
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.missed, 0); /* the ticks before are not comparable */
    start(&s);
    assert_int_equal(es_input_push(&s.input, &event, 100 * S), ES_OK);
    assert_int_equal(es_input_push(&s.input, &event, 90 * S), ES_OK); /* both become 90 s */
    assert_int_equal(es__input_pending(&s.input, 0)->stamp_ns, 90 * S);
    assert_int_equal(es__input_pending(&s.input, 1)->stamp_ns, 90 * S);
    event.stamp_ns = 90 * S; /* needs no correction, and neither do those before it */
    assert_int_equal(es_input_push(&s.input, &event, 90 * S), ES_OK);
    assert_int_equal(s.input.corrected, 2);
}

/* Events polled by another thread, or between es_loop_tick and es_input_tick: one that happened
 * after the tick began is not its own, although its stamp is later than begun_ns. */
TEST(an_event_polled_after_the_tick_began_waits)
{
    scene s;
    start(&s);
    push_from(&s, 1, 80 * MS, 1);
    push_from(&s, 1, 101 * MS, 2);
    assert_int_equal(tick_at(&s, 80 * MS, 100 * MS), 1); /* 20 ms behind the clock: a delay */
    assert_int_equal(tick_at(&s, 100 * MS, 120 * MS), 0);
    assert_int_equal(tick_at(&s, 120 * MS, 140 * MS), 1);
    push_from(&s, 1, 240 * MS, 3); /* the clock has stepped back, by 100 ms */
    assert_int_equal(tick_at(&s, 120 * MS, 140 * MS), 0);
    assert_int_equal(tick_at(&s, 120 * MS, 140 * MS - 1), 1);
}

TEST(all_waiting_events_can_be_taken_outside_of_a_tick)
{
    scene s;
    es_input_taken taken;
    start(&s);
    tick(&s, 10 * MS);
    push_from(&s, 1, 1 * MS, 0);
    push_from(&s, 2, 900 * S, 1);
    es_input_open(&s.input, NULL);
    for (uint64_t i = 0; i < 2; ++i) {
        assert_true(es_input_next(&s.input, &taken));
        assert_int_equal(taken.event.user, i);
        assert_int_equal(taken.tick, -1);
        assert_int_equal(taken.due_ns, taken.event.stamp_ns);
        assert_int_equal(taken.begun_ns, taken.event.stamp_ns);
        assert_int_equal(taken.missed, 0);
    }
    push_from(&s, 1, 5 * MS, 2);
    es_input_open(&s.input, next_step(&s, 20 * MS));
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.missed, 1); /* the tick before is still known, once */
}

/* --- overflow --------------------------------------------------------------------------------- */

/* Nothing is overwritten; one ES_INPUT_LOST stands for each row of refused events. */
TEST(a_full_ring_refuses)
{
    scene s;
    es_input_taken taken;
    start_with(&s, 4, NULL);
    for (int round = 1; round <= 3; ++round) {
        for (uint64_t i = 0; i < 3; ++i) {
            push_from(&s, 1, (int64_t)i, i);
        }
        for (int i = 0; i < 5; ++i) {
            assert_int_equal(push(&s, ES_INPUT_PRESS, 1, 3 + i), ES_ERR_SPACE);
        }
        assert_int_equal(s.input.lost, 5 * round);
        assert_int_equal(s.input.count, 4);
        es_input_open(&s.input, next_step(&s, S));
        for (uint64_t i = 0; i < 4; ++i) {
            assert_true(es_input_next(&s.input, &taken));
            assert_int_equal(taken.event.kind, i < 3 ? ES_INPUT_OTHER : ES_INPUT_LOST);
            assert_int_equal(i < 3 ? taken.event.user : (uint64_t)taken.event.stamp_ns, i);
        }
        assert_false(es_input_next(&s.input, &taken));
        assert_int_equal(s.input.taken, 3 * round);
        assert_int_equal(s.input.pushed, 3 * round);
    }
}

TEST(a_refused_release_leaves_nothing_pressed)
{
    scene s;
    start_with(&s, 3, NULL);
    assert_int_equal(push(&s, ES_INPUT_PRESS, 1, 1), ES_OK);
    assert_int_equal(push(&s, ES_INPUT_PRESS, 2, 2), ES_OK);
    assert_int_equal(push(&s, ES_INPUT_RELEASE, 1, 3), ES_ERR_SPACE);
    tick(&s, S);
    check_button(&s, 1, false, 1, 1);
    check_button(&s, 2, false, 1, 1); /* the program queries what is held, and pushes that */
    assert_int_equal(push(&s, ES_INPUT_PRESS, 2, 4), ES_OK);
    tick(&s, 2 * S);
    check_button(&s, 2, true, 1, 0);
}

/* A menu took the events of a pause: a RESET after them releases what the game thinks is held. */
TEST(a_menu_takes_the_events_of_a_pause)
{
    scene s;
    es_input_button menu_buttons[8];
    es_input_state menu;
    start(&s);
    assert_int_equal(es_input_state_init(&menu, menu_buttons, 8, NULL, 0), ES_OK);
    push(&s, ES_INPUT_PRESS, 3, 10 * MS);
    push(&s, ES_INPUT_PRESS, 4, 10 * MS);
    tick(&s, 20 * MS);
    push(&s, ES_INPUT_RELEASE, 3, 30 * MS);
    assert_int_equal(es_input_tick(&s.input, NULL, &menu, NULL), 1);
    assert_true(s.buttons[3].held && s.buttons[4].held);
    push_reset(&s, 50 * MS, 0);
    push(&s, ES_INPUT_PRESS, 4, 50 * MS); /* the program knows that it is held */
    tick(&s, 60 * MS);
    check_button(&s, 3, false, 0, 1);
    check_button(&s, 4, true, 1, 1);
}

/* --- a state ---------------------------------------------------------------------------------- */

TEST(every_edge_is_seen)
{
    scene s;
    start(&s);
    push(&s, ES_INPUT_PRESS, 1, 1 * MS);
    push(&s, ES_INPUT_RELEASE, 1, 2 * MS);
    push(&s, ES_INPUT_PRESS, 1, 3 * MS);
    push(&s, ES_INPUT_PRESS, 2, 4 * MS);
    push(&s, ES_INPUT_RELEASE, 2, 5 * MS);
    tick(&s, 10 * MS);
    assert_true(s.keys.edges);
    assert_int_equal(s.keys.tick, 1);
    check_button(&s, 1, true, 2, 1);
    check_button(&s, 2, false, 1, 1);
    push(&s, ES_INPUT_PRESS, 1, 21 * MS); /* the key repeats */
    push(&s, ES_INPUT_RELEASE, 3, 22 * MS);
    push(&s, ES_INPUT_PRESS, 8, 0); /* codes that the state does not have */
    push(&s, ES_INPUT_PRESS, UINT16_MAX, 0);
    push(&s, ES_INPUT_MOVE, 3, 0);
    push(&s, ES_INPUT_OTHER, 1, 0);
    assert_int_equal(tick(&s, 30 * MS), 6);
    assert_false(s.keys.edges);
    check_button(&s, 1, true, 0, 0);
    check_button(&s, 3, false, 0, 0);
}

TEST(edges_are_counted_up_to_65535)
{
    scene s;
    start(&s);
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 0);
    es_input_event release = event_of(ES_INPUT_RELEASE, 1, 0);
    for (int i = 0; i < 70000; ++i) {
        es__input_state_apply(&s.keys, &press);
        es__input_state_apply(&s.keys, &release);
    }
    check_button(&s, 1, false, UINT16_MAX, UINT16_MAX);
}

static void move(scene *s, es_input_kind kind, uint16_t axis, double value)
{
    es_input_event event = event_of(kind, axis, 0);
    event.value = value;
    assert_int_equal(es_input_push(&s->input, &event, S), ES_OK);
}

static void check_axis(const scene *s, int axis, double at, double moved)
{
    assert_true(s->axes[axis].at == at && s->axes[axis].moved == moved);
}

TEST(axes_add_up)
{
    scene s;
    start(&s);
    move(&s, ES_INPUT_MOVE, 0, 3.0);
    move(&s, ES_INPUT_MOVE, 0, -1.0);
    move(&s, ES_INPUT_PLACE, 1, 0.5);
    move(&s, ES_INPUT_PLACE, 1, 0.75);
    tick(&s, S);
    check_axis(&s, 0, 2.0, 2.0);
    check_axis(&s, 1, 0.75, 0.75);
    move(&s, ES_INPUT_MOVE, 0, 5.0);
    move(&s, ES_INPUT_PLACE, 1, 0.25);
    tick(&s, 2 * S);
    check_axis(&s, 0, 7.0, 5.0);
    check_axis(&s, 1, 0.25, -0.5);
    tick(&s, 3 * S);
    check_axis(&s, 0, 7.0, 0.0);
}

TEST(a_reset_releases_buttons_and_axes_that_rest)
{
    scene s;
    start(&s);
    s.axes[1].rests = true;
    push(&s, ES_INPUT_PRESS, 1, 0);
    push(&s, ES_INPUT_PRESS, 2, 0);
    move(&s, ES_INPUT_PLACE, 1, 1.0);
    move(&s, ES_INPUT_PLACE, 2, 1.0);
    tick(&s, S);
    push_reset(&s, 0, 0);
    tick(&s, 2 * S);
    check_button(&s, 1, false, 0, 1);
    check_button(&s, 2, false, 0, 1);
    check_button(&s, 3, false, 0, 0);
    check_axis(&s, 1, 0.0, -1.0);
    check_axis(&s, 2, 1.0, 0.0);
}

TEST(a_state_can_be_of_one_device)
{
    static const struct {
        es_input_kind kind;
        uint16_t device;
        bool held;
    } cases[] = {{ES_INPUT_PRESS, 1, false}, {ES_INPUT_PRESS, 2, true}, {ES_INPUT_RESET, 1, true},
            {ES_INPUT_RESET, 2, false}, {ES_INPUT_PRESS, 2, true},
            {ES_INPUT_RESET, ES_INPUT_ALL, false}};
    scene s;
    start(&s);
    s.keys.device = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        es_input_event event = event_of(cases[i].kind, 1, 0);
        event.device = cases[i].device;
        es__input_state_apply(&s.keys, &event);
        assert_int_equal(s.buttons[1].held, cases[i].held);
    }
}

TEST(the_view_sees_events_that_still_wait)
{
    scene s, view;
    start(&s);
    start(&view);
    push(&s, ES_INPUT_PRESS, 1, 0);
    move(&s, ES_INPUT_MOVE, 0, 4.0);
    tick(&s, S);
    move(&s, ES_INPUT_MOVE, 0, 1.5);
    push(&s, ES_INPUT_PRESS, 2, 0);
    assert_int_equal(es_input_peek(&s.input, &s.keys, &view.keys), ES_OK);
    check_button(&view, 1, true, 0, 0); /* the tick has had that press */
    check_button(&view, 2, true, 1, 0);
    check_axis(&view, 0, 5.5, 1.5);
    check_button(&s, 2, false, 0, 0); /* and nothing was taken */
    check_axis(&s, 0, 4.0, 4.0);
    assert_int_equal(tick(&s, 2 * S), 2);
    assert_int_equal(es_input_peek(&s.input, &s.keys, &s.keys), ES_ERR_INVALID);
    assert_int_equal(es_input_peek(NULL, &s.keys, &view.keys), ES_ERR_INVALID);
    assert_int_equal(es_input_peek(&s.input, NULL, &view.keys), ES_ERR_INVALID);
    assert_int_equal(es_input_peek(&s.input, &s.keys, NULL), ES_ERR_INVALID);
    view.keys.button_count = 7;
    assert_int_equal(es_input_peek(&s.input, &s.keys, &view.keys), ES_ERR_INVALID);
    view.keys.button_count = 8;
    view.keys.axis_count = 2;
    assert_int_equal(es_input_peek(&s.input, &s.keys, &view.keys), ES_ERR_INVALID);
}

/* --- a meter ---------------------------------------------------------------------------------- */

typedef struct metered {
    scene s;
    es_input_meter meter;
    es_input_sample samples[4];
    double scratch[4];
    es_input_summary summary;
} metered;

static void start_meter(metered *m, size_t capacity)
{
    memset(m, 0, sizeof *m);
    start(&m->s);
    assert_int_equal(es_input_meter_init(&m->meter, m->samples, capacity), ES_OK);
}

/* Tick n has time n * 20 ms, is due at n * 20 ms + 100, and runs 5 ms before that. */
static void metered_tick(metered *m)
{
    const es_step *step = next_step(&m->s, (m->s.step.index + 1) * 20 * MS + 100 * MS);
    m->s.step.begun_ns = step->due_ns - 5 * MS;
    es_input_tick(&m->s.input, &m->s.step, NULL, &m->meter);
}

/* Returns how many samples were shown whole by then. */
static size_t metered_frame(metered *m, int64_t content_ns, int64_t shown_ns)
{
    es_frame frame = {.content_ns = content_ns, .newest_tick = m->s.step.index};
    es_input_meter_frame(&m->meter, &frame, shown_ns);
    assert_int_equal(es_input_meter_summarise(&m->meter, m->scratch, 4, &m->summary), ES_OK);
    return m->summary.events;
}

TEST(a_meter_says_how_long_an_event_takes)
{
    metered m;
    start_meter(&m, 4);
    push(&m.s, ES_INPUT_PRESS, 1, 107 * MS);
    metered_tick(&m);                                            /* due at 120, ran at 115 */
    es_frame before = {.content_ns = 50 * MS, .newest_tick = 0}; /* content ahead of its ticks */
    es_input_meter_frame(&m.meter, &before, 110 * MS);
    assert_int_equal(metered_frame(&m, 0, 116 * MS), 0); /* nothing of tick 1 yet */
    assert_int_equal(m.meter.waiting, 1);
    assert_int_equal(metered_frame(&m, 1, 130 * MS), 0); /* a part of it */
    assert_int_equal(metered_frame(&m, 20 * MS - 1, 140 * MS), 0);
    metered_frame(&m, 20 * MS, 150 * MS);
    assert_int_equal(metered_frame(&m, 30 * MS, 160 * MS), 1);
    assert_true(m.summary.to_due.mean_ms == 13.0);
    assert_true(m.summary.to_tick.mean_ms == 8.0);
    assert_true(m.summary.to_shows.mean_ms == 23.0);
    assert_true(m.summary.to_shown.mean_ms == 43.0);
    assert_int_equal(m.meter.waiting, 0);
    assert_int_equal(m.meter.missed, 0);
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
    assert_true(m.summary.to_due.max_ms == 39.0);
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
    assert_int_equal(m.meter.unseen, 3);
    m.s.step.index = -1; /* a seek back */
    push(&m.s, ES_INPUT_OTHER, 0, 99 * MS);
    metered_tick(&m);
    assert_int_equal(m.meter.unseen, 5);
    es_frame gap = {.content_ns = S, .newest_tick = 9, .start_ns = 500 * MS};
    gap.gap.kind = ES_GAP_STOPPED;
    es_input_meter_frame(&m.meter, &gap, S);
    assert_int_equal(m.meter.unseen, 6);
    push(&m.s, ES_INPUT_OTHER, 0, 500 * MS - 1); /* from before the gap */
    push(&m.s, ES_INPUT_OTHER, 0, 500 * MS);
    es_input_tick(&m.s.input, next_step(&m.s, 600 * MS), NULL, &m.meter);
    assert_int_equal(m.meter.events, 7);
    assert_int_equal(metered_frame(&m, S, S), 1);
}

TEST(only_events_of_ticks_are_measured)
{
    metered m;
    start_meter(&m, 4);
    m.s.input.capacity = 2;
    for (int round = 0; round < 2; ++round) {
        push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
        assert_int_equal(push(&m.s, ES_INPUT_OTHER, 0, 101 * MS), ES_ERR_SPACE);
        if (round == 0) {
            es_input_tick(&m.s.input, NULL, NULL, &m.meter); /* outside of a tick */
            assert_int_equal(m.meter.events, 0);
        }
    }
    metered_tick(&m); /* an event, and ES_INPUT_LOST */
    assert_int_equal(m.meter.events, 1);
    assert_int_equal(es_input_meter_init(&m.meter, NULL, 4), ES_ERR_INVALID);
    assert_int_equal(es_input_meter_init(&m.meter, m.samples, 0), ES_ERR_INVALID);
    assert_int_equal(es_input_meter_init(NULL, m.samples, 4), ES_ERR_INVALID);
    assert_int_equal(es_input_meter_summarise(&m.meter, m.scratch, 0, &m.summary), ES_ERR_SPACE);
    assert_int_equal(es_input_meter_summarise(&m.meter, NULL, 4, &m.summary), ES_ERR_INVALID);
    assert_int_equal(es_input_meter_summarise(&m.meter, m.scratch, 4, NULL), ES_ERR_INVALID);
    assert_int_equal(es_input_meter_summarise(NULL, m.scratch, 4, &m.summary), ES_ERR_INVALID);
}

/* --- stamps of another clock ------------------------------------------------------------------ */

static es_input_clock clock_of(int64_t unit_ns, int32_t bits)
{
    es_input_clock clock;
    es_input_clock_config config = {.unit_ns = unit_ns, .bits = bits};
    assert_int_equal(es_input_clock_init(&clock, &config, NULL), ES_OK);
    return clock;
}

#define POLL_NS 16666667

/* Events of a clock in ms that is apart_ns behind and runs ppm slow, polled at 60 Hz: the mean and
 * the largest error of the second half, in ns. */
typedef struct errors {
    double mean_ns;
    int64_t most_ns;
} errors;

static errors convert_many(es_input_clock *clock, int64_t apart_ns, int64_t ppm, uint64_t mask)
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
        int64_t ns = es_input_clock_convert(clock, stamp, received_ns);
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
    es_input_clock clock = clock_of(MS, 32);
    assert_int_equal(clock.grade, ES_INPUT_GUESSED);
    errors off = convert_many(&clock, 3 * S + 123456, 0, UINT32_MAX);
    assert_int_equal(clock.grade, ES_INPUT_ESTIMATED);
    assert_int_equal(clock.leaps, 0);
    assert_true(off.most_ns < 1100000);
    assert_true(fabs(off.mean_ns) < 300000.0);
}

TEST(a_clock_that_drifts_is_followed)
{
    for (int64_t ppm = -50; ppm <= 50; ppm += 100) {
        es_input_clock clock = clock_of(MS, 32);
        errors off = convert_many(&clock, 3 * S, ppm, UINT32_MAX);
        assert_true(off.most_ns < 1300000);
        assert_int_equal(clock.leaps, 0);
    }
}

/* An hour without an event at 50 ppm is 180 ms: found with the first event after it. */
TEST(a_clock_that_drifts_in_silence_is_followed)
{
    for (int64_t ppm = -50; ppm <= 50; ppm += 50) {
        es_input_clock clock = clock_of(1000, 64);
        int64_t at_ns = 100 * S;
        for (int i = 0; i < 1000; ++i) {
            at_ns += i == 510 ? 3600 * S : 20 * MS;
            int64_t other_ns = at_ns - 3 * S - (at_ns / 1000000) * ppm;
            int64_t late_ns = 1 * MS + i % 7 * 2 * MS;
            int64_t ns =
                    es_input_clock_convert(&clock, (uint64_t)(other_ns / 1000), at_ns + late_ns);
            int64_t off_ns = ns - at_ns;
            assert_true(ns <= at_ns + late_ns);
            assert_true(i < 14 || (off_ns > -MS && off_ns < (i < 517 && i >= 510 ? 14 : 2) * MS));
        }
        assert_int_equal(clock.leaps, 0);
    }
}

TEST(stamps_may_wrap)
{
    es_input_clock clock = clock_of(MS, 32);
    int64_t base_ns = 50 * S;
    uint64_t first = UINT32_MAX - 5;
    for (uint64_t i = 0; i < 12; ++i) { /* wraps */
        int64_t at_ns = base_ns + (int64_t)i * MS;
        assert_int_equal(es_input_clock_convert(&clock, (first + i) & UINT32_MAX, at_ns + 500000),
                at_ns + 500000);
    }
    /* an event from before the wrap that comes after it */
    assert_int_equal(
            es_input_clock_convert(&clock, UINT32_MAX - 5, base_ns + 20 * MS), base_ns + MS);
    /* 30 days later: the time of receipt says that it has wrapped again */
    int64_t days_ns = INT64_C(30) * 24 * 3600 * S;
    uint64_t later = (first + 30 * 24 * 3600 * 1000ULL) & UINT32_MAX;
    assert_int_equal(es_input_clock_convert(&clock, later, base_ns + days_ns + 500000),
            base_ns + days_ns + 500000);
    assert_int_equal(clock.leaps, 0);
    clock = clock_of(MS, 16);
    convert_many(&clock, 0, 0, UINT16_MAX);
    assert_int_equal(clock.leaps, 0);
}

TEST(a_clock_that_is_set_is_found_out)
{
    es_input_clock clock = clock_of(1000, 64);
    int64_t now_ns = 100 * S;
    int64_t other_ns = 5000 * S;
    for (int i = 0; i < 20; ++i, now_ns += 100 * MS, other_ns += 100 * MS) {
        es_input_clock_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
    }
    other_ns += 3600 * S; /* set ahead: found at once */
    int64_t ns = es_input_clock_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
    assert_int_equal(ns, now_ns);
    assert_int_equal(clock.leaps, 1);
    other_ns -= 7200 * S; /* set back: eight events and half a second */
    int converted = 0;
    for (int i = 0; i < 20; ++i, now_ns += 100 * MS, other_ns += 100 * MS) {
        ns = es_input_clock_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
        assert_true(ns <= now_ns);
        converted += ns > now_ns - MS;
    }
    assert_int_equal(converted, 13);
    assert_int_equal(clock.leaps, 2);
}

/* A program that stood still for 2 s gets 50 events at once. */
TEST(a_stall_is_no_leap)
{
    es_input_clock clock = clock_of(1000, 64);
    for (int64_t i = 0; i < 50; ++i) {
        es_input_clock_convert(&clock, (uint64_t)(i * 10000), i * 10 * MS + 1000);
    }
    for (int64_t i = 50; i < 100; ++i) {
        int64_t ns = es_input_clock_convert(&clock, (uint64_t)(i * 10000), 3 * S);
        assert_int_equal(ns, i * 10 * MS + 1000 + 500);
    }
    assert_int_equal(clock.leaps, 0);
}

/* Every second event is late, for longer than a leap takes to be found. */
TEST(late_events_are_no_leap)
{
    es_input_clock clock = clock_of(1000, 64);
    for (int64_t i = 0; i < 60; ++i) {
        int64_t late_ns = i % 2 == 0 ? 0 : 300 * MS;
        es_input_clock_convert(&clock, (uint64_t)(i * 400000), i * 400 * MS + late_ns);
    }
    assert_int_equal(clock.leaps, 0);
}

TEST(a_clock_can_be_read)
{
    es_input_clock clock = clock_of(MS, 32);
    es_input_clock_read(&clock, 2000, 7 * S);
    assert_int_equal(clock.grade, ES_INPUT_ESTIMATED);
    assert_int_equal(clock.offset_ns, 5 * S);
    /* the first event is placed, although it was received late */
    assert_int_equal(
            es_input_clock_convert(&clock, 2100, 7 * S + 116 * MS), 7 * S + 100 * MS + 500000);
    /* read once a second, a drift of 1 ms per s is followed */
    for (int64_t i = 1; i <= 60; ++i) {
        es_input_clock_read(&clock, (uint64_t)(2000 + i * 999), 7 * S + i * S);
    }
    assert_true(clock.offset_ns >= 5 * S + 50 * MS);
    assert_true(clock.offset_ns <= 5 * S + 60 * MS);
}

TEST(the_loops_own_clock_is_exact)
{
    es_input_clock clock;
    es_input_clock_config config = {.unit_ns = 1000, .same = true};
    assert_int_equal(es_input_clock_init(&clock, &config, NULL), ES_OK);
    assert_int_equal(clock.grade, ES_INPUT_EXACT);
    assert_int_equal(es_input_clock_convert(&clock, 5000000, 6 * S), 5 * S + 500);
    assert_int_equal(es_input_clock_convert(&clock, 7000000, 6 * S), 6 * S);
    assert_int_equal(clock.offset_ns, 0);
    assert_int_equal(clock.grade, ES_INPUT_EXACT);
    assert_int_equal(es_input_clock_convert(&clock, UINT64_MAX, 6 * S), 6 * S);
}

TEST(bad_clocks_are_refused)
{
    es_input_clock clock;
    es_error error;
    const struct {
        es_input_clock_config config;
        const char *field;
    } cases[] = {
            {{.unit_ns = 0}, "unit_ns"},
            {{.unit_ns = S + 1}, "unit_ns"},
            {{.unit_ns = 1, .resolution_ns = -1}, "resolution_ns"},
            {{.unit_ns = 1, .resolution_ns = S + 1}, "resolution_ns"},
            {{.unit_ns = 1, .bits = 15}, "bits"},
            {{.unit_ns = 1, .bits = 65}, "bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(es_input_clock_init(&clock, &cases[i].config, &error), ES_ERR_INVALID);
        assert_string_equal(error.field, cases[i].field);
        assert_non_null(error.reason);
    }
    assert_int_equal(es_input_clock_init(NULL, &cases[0].config, NULL), ES_ERR_INVALID);
    assert_int_equal(es_input_clock_init(&clock, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "config");
}

/* --- the queue -------------------------------------------------------------------------------- */

enum { QUEUE_BYTES = 3 * 128 + 8 * sizeof(es_input_event) };

static _Alignas(128) unsigned char queue_memory[QUEUE_BYTES + 1];

static es_input_queue queue_of(uint32_t capacity, size_t at)
{
    es_input_queue queue;
    size_t size = es_input_queue_size(capacity);
    assert_int_equal(es_input_queue_init(&queue, capacity, queue_memory + at, size, NULL), ES_OK);
    return queue;
}

TEST(a_full_queue_refuses)
{
    scene s;
    es_input_taken taken;
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 5);
    start(&s);
    es_input_queue queue = queue_of(4, 1); /* at any address */
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 8; ++i) {
            assert_int_equal(es_input_queue_push(&queue, &press, S), i < 3 ? ES_OK : ES_ERR_SPACE);
        }
        assert_int_equal(es_input_queue_receive(&queue, &s.input), 4);
        es_input_open(&s.input, next_step(&s, S));
        for (int i = 0; i < 4; ++i) {
            assert_true(es_input_next(&s.input, &taken));
            assert_int_equal(taken.event.kind, i < 3 ? ES_INPUT_PRESS : ES_INPUT_LOST);
            assert_int_equal(taken.event.stamp_ns, 5);
        }
        assert_false(es_input_next(&s.input, &taken));
    }
}

TEST(a_ring_that_has_the_queues_lost_event_adds_no_other)
{
    scene s;
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 5);
    start_with(&s, 3, NULL);
    es_input_queue queue = queue_of(2, 0);
    assert_int_equal(es_input_queue_push(&queue, &press, S), ES_OK);
    assert_int_equal(es_input_queue_push(&queue, &press, S), ES_ERR_SPACE);
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 2);
    assert_int_equal(push(&s, ES_INPUT_PRESS, 1, 6), ES_ERR_SPACE);
    assert_int_equal(s.input.count, 2);
    assert_int_equal(es__input_pending(&s.input, 1)->kind, ES_INPUT_LOST);
}

TEST(events_stay_in_the_queue_while_the_ring_is_full)
{
    scene s;
    start_with(&s, 4, NULL);
    es_input_queue queue = queue_of(8, 0);
    for (int i = 0; i < 5; ++i) {
        es_input_event event = event_of(ES_INPUT_OTHER, 0, 2 * S);
        assert_int_equal(es_input_queue_push(&queue, &event, S), ES_OK);
    }
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 3);
    assert_int_equal(es__input_pending(&s.input, 0)->stamp_ns, S); /* not after it was pushed */
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 0);
    assert_int_equal(s.input.lost, 0);
    tick(&s, 3 * S);
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 2);
}

TEST(bad_queues_are_refused)
{
    es_input_queue queue;
    size_t needed = es_input_queue_size(8);
    const struct {
        es_input_queue *queue;
        void *memory;
        size_t size;
        uint32_t capacity;
        es_result result;
        const char *field;
    } cases[] = {
            {&queue, queue_memory, 1 << 20, 0, ES_ERR_INVALID, "capacity"},
            {&queue, queue_memory, 1 << 20, 1, ES_ERR_INVALID, "capacity"},
            {&queue, queue_memory, 1 << 20, 3, ES_ERR_INVALID, "capacity"},
            {&queue, queue_memory, 1 << 20, 12, ES_ERR_INVALID, "capacity"},
            {&queue, queue_memory, 1 << 30, 131072, ES_ERR_INVALID, "capacity"},
            {&queue, queue_memory, needed - 1, 8, ES_ERR_SPACE, "memory_size"},
            {&queue, NULL, needed, 8, ES_ERR_INVALID, "memory"},
            {NULL, queue_memory, needed, 8, ES_ERR_INVALID, "queue"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        es_error error;
        assert_int_equal(es_input_queue_init(cases[i].queue, cases[i].capacity, cases[i].memory,
                                 cases[i].size, &error),
                cases[i].result);
        assert_string_equal(error.field, cases[i].field);
        assert_int_equal(es_input_queue_size(cases[i].capacity) == 0, cases[i].capacity != 8);
    }
    assert_int_equal(es_input_queue_size(8), QUEUE_BYTES);
    assert_true(es_input_queue_size(65536) > 65536 * sizeof(es_input_event));
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
    scene s;
    start(&s);
    es_input_queue queue = queue_of(8, 0);
    es_input_event event = event_of(ES_INPUT_MOVE, 0, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        event.kind = bad[i].kind;
        event.device = bad[i].device;
        event.value = bad[i].value;
        assert_int_equal(es_input_push(&s.input, &event, S), ES_ERR_INVALID);
        assert_int_equal(es_input_queue_push(&queue, &event, S), ES_ERR_INVALID);
    }
    event = event_of(ES_INPUT_MOVE, 0, 0);
    assert_int_equal(es_input_push(NULL, &event, S), ES_ERR_INVALID);
    assert_int_equal(es_input_push(&s.input, NULL, S), ES_ERR_INVALID);
    assert_int_equal(es_input_queue_push(NULL, &event, S), ES_ERR_INVALID);
    assert_int_equal(es_input_queue_push(&queue, NULL, S), ES_ERR_INVALID);
    assert_int_equal(s.input.count, 0);
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 0);
}

TEST(bad_rings_and_states_are_refused)
{
    scene s;
    es_error error;
    start(&s);
    assert_int_equal(es_input_init(NULL, s.memory, 4, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "input");
    assert_int_equal(es_input_init(&s.input, NULL, 4, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "events");
    assert_int_equal(es_input_init(&s.input, s.memory, 1, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "capacity");
    assert_int_equal(es_input_init(&s.input, s.memory, 1000001, NULL, NULL), ES_ERR_INVALID);
    assert_int_equal(es_input_init(&s.input, s.memory, 4, NULL, &error), ES_OK);
    assert_null(error.field);
    es_input_state *keys = &s.keys;
    assert_int_equal(es_input_state_init(NULL, NULL, 0, NULL, 0), ES_ERR_INVALID);
    assert_int_equal(es_input_state_init(keys, NULL, 1, NULL, 0), ES_ERR_INVALID);
    assert_int_equal(es_input_state_init(keys, NULL, 0, NULL, 1), ES_ERR_INVALID);
    assert_int_equal(es_input_state_init(keys, s.buttons, 65537, NULL, 0), ES_ERR_INVALID);
    assert_int_equal(es_input_state_init(keys, NULL, 0, s.axes, 65537), ES_ERR_INVALID);
    assert_int_equal(es_input_state_init(keys, NULL, 0, NULL, 0), ES_OK);
    tick(&s, S);
}

TEST_MAIN("input", NULL)
