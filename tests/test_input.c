/* SPDX-License-Identifier: Zlib
 *
 * input: which tick gets which event, what is held, how long it took, stamps of other clocks, and
 * the queue; each by hand. tests/test_input_random.c has a million events against a naive model.
 */
#include "evenstep/input.h"

#include <math.h>
#include <string.h>

#include "test_support.h"

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

/* The user word says which it is. */
static void push_from(scene *s, uint16_t device, int64_t stamp_ns, uint64_t user)
{
    es_input_event event = event_of(ES_INPUT_OTHER, 0, stamp_ns);
    event.device = device;
    event.user = user;
    assert_int_equal(es_input_push(&s->input, &event, 1000 * S), ES_OK);
}

/* The next tick stands for this instant. It runs when all stamps of these tests are past. */
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

/* --- which tick ------------------------------------------------------------------------------- */

static void test_an_event_is_its_own_ticks(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    start(&s);
    for (uint64_t i = 0; i < 4; ++i) {
        push_from(&s, 1, (int64_t)i * 10 * MS, i); /* 0, 10, 20, 30 ms */
    }
    es_input_open(&s.input, next_step(&s, 10 * MS));
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.event.user, 0);
    assert_int_equal(taken.tick, 1);
    assert_int_equal(taken.due_ns, 10 * MS);
    assert_int_equal(taken.begun_ns, 1000 * S);
    assert_true(es_input_next(&s.input, &taken)); /* at the tick's very instant: its own */
    assert_int_equal(taken.event.user, 1);
    assert_false(es_input_next(&s.input, &taken));
    es_input_open(&s.input, next_step(&s, 20 * MS - 1));
    assert_false(es_input_next(&s.input, &taken));
    es_input_open(&s.input, next_step(&s, 40 * MS));
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.event.user, 2);
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.event.user, 3);
    assert_false(es_input_next(&s.input, &taken));
    assert_int_equal(s.input.count, 0);
    assert_int_equal(s.input.taken, 4);
    assert_int_equal(s.input.missed, 0);
}

static void test_nothing_is_handed_out_before_a_tick(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    start(&s);
    push_from(&s, 1, 0, 1);
    assert_false(es_input_next(&s.input, &taken));
    assert_int_equal(s.input.count, 1);
}

static void test_what_a_tick_leaves_is_the_next_ones(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    start(&s);
    push_from(&s, 1, 1 * MS, 1);
    push_from(&s, 1, 2 * MS, 2);
    es_input_open(&s.input, next_step(&s, 10 * MS));
    assert_true(es_input_next(&s.input, &taken));
    es_input_open(&s.input, next_step(&s, 20 * MS));
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.event.user, 2);
    assert_int_equal(taken.tick, 2);
}

static void test_too_late_for_its_tick(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    start(&s);
    for (int i = 1; i <= 12; ++i) {
        tick(&s, i * 10 * MS);
    }
    push_from(&s, 1, 120 * MS, 0); /* the twelfth's very instant */
    push_from(&s, 2, 110 * MS + 1, 1);
    push_from(&s, 3, 85 * MS, 2); /* missed 9, 10, 11, 12 */
    push_from(&s, 4, 1 * MS, 3);  /* all, but only so many are known */
    push_from(&s, 5, 120 * MS + 1, 4);
    es_input_open(&s.input, next_step(&s, 130 * MS));
    const int64_t missed[] = {ES_INPUT_TICKS, 4, 1, 1, 0};
    const uint64_t who[] = {3, 2, 1, 0, 4};
    for (int i = 0; i < 5; ++i) {
        assert_true(es_input_next(&s.input, &taken));
        assert_int_equal(taken.event.user, who[i]);
        assert_int_equal(taken.missed, missed[i]);
        assert_int_equal(taken.tick, 13);
    }
    assert_int_equal(s.input.missed, 4);
}

static void test_stamps_of_devices_come_in_any_order(void **state)
{
    (void)state;
    scene s;
    start(&s);
    push_from(&s, 1, 30 * MS, 0);
    push_from(&s, 2, 10 * MS, 1);
    push_from(&s, 3, 20 * MS, 2);
    push_from(&s, 2, 20 * MS, 3); /* equal: behind the one that came first */
    push_from(&s, 4, 5 * MS, 4);
    const uint64_t order[] = {4, 1, 2, 3, 0};
    for (uint32_t i = 0; i < 5; ++i) {
        assert_int_equal(es_input_pending(&s.input, i)->user, order[i]);
    }
    assert_null(es_input_pending(&s.input, 5));
    assert_int_equal(s.input.corrected, 0);
}

static void test_a_device_keeps_its_order(void **state)
{
    (void)state;
    scene s;
    start(&s);
    push_from(&s, 1, 20 * MS, 0);
    push_from(&s, 2, 20 * MS, 1);
    push_from(&s, 3, 30 * MS, 2);
    push_from(&s, 1, 10 * MS, 3); /* counts as 20 ms, and is behind both of those */
    const uint64_t order[] = {0, 1, 3, 2};
    for (uint32_t i = 0; i < 4; ++i) {
        assert_int_equal(es_input_pending(&s.input, i)->user, order[i]);
    }
    assert_int_equal(es_input_pending(&s.input, 2)->stamp_ns, 20 * MS);
    assert_int_equal(s.input.corrected, 1);
}

/* What lets go of everything stays between what came before it and after it. */
static void test_nothing_passes_a_reset(void **state)
{
    (void)state;
    scene s;
    es_input_event reset = {
            .stamp_ns = 20 * MS, .kind = ES_INPUT_RESET, .device = ES_INPUT_ALL, .user = 1};
    start(&s);
    push_from(&s, 1, 30 * MS, 0);
    assert_int_equal(es_input_push(&s.input, &reset, S), ES_OK);
    push_from(&s, 2, 10 * MS, 2);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(es_input_pending(&s.input, i)->user, i);
        assert_int_equal(es_input_pending(&s.input, i)->stamp_ns, 30 * MS);
    }
    assert_int_equal(s.input.corrected, 2);
}

static void test_the_ring_goes_round(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    start_with(&s, 5, NULL);
    uint64_t out = 0;
    for (uint64_t i = 0; i < 100; i += 3) {
        push_from(&s, 1, (int64_t)i * MS + 2, i + 2);
        push_from(&s, 2, (int64_t)i * MS, i);
        push_from(&s, 3, (int64_t)i * MS + 1, i + 1);
        es_input_open(&s.input, next_step(&s, (int64_t)i * MS + 2));
        while (es_input_next(&s.input, &taken)) {
            assert_int_equal(taken.event.user, out++);
        }
    }
    assert_int_equal(out, 102);
}

static void test_stamps_ahead_of_time(void **state)
{
    (void)state;
    scene s;
    es_input_config config = {.future_max_ns = 50 * MS};
    es_input_event event = event_of(ES_INPUT_OTHER, 0, 70 * MS);
    es_input_taken taken;
    start(&s);
    assert_int_equal(es_input_push(&s.input, &event, 60 * MS), ES_OK);
    assert_int_equal(es_input_pending(&s.input, 0)->stamp_ns, 60 * MS);
    assert_int_equal(s.input.corrected, 1);
    start_with(&s, ROOM, &config);
    assert_int_equal(es_input_push(&s.input, &event, 30 * MS), ES_OK);
    assert_int_equal(es_input_pending(&s.input, 0)->stamp_ns, 70 * MS);
    event.stamp_ns = 90 * MS;
    assert_int_equal(es_input_push(&s.input, &event, 30 * MS), ES_OK);
    assert_int_equal(es_input_pending(&s.input, 1)->stamp_ns, 80 * MS);
    next_step(&s, 70 * MS - 1);
    s.step.begun_ns = 30 * MS;
    es_input_open(&s.input, &s.step);
    assert_false(es_input_next(&s.input, &taken)); /* it waits */
    next_step(&s, 70 * MS);
    s.step.begun_ns = 40 * MS;
    es_input_open(&s.input, &s.step);
    assert_true(es_input_next(&s.input, &taken));
    assert_false(es_input_next(&s.input, &taken));
}

static void test_the_soonest_tick(void **state)
{
    (void)state;
    scene s;
    es_input_config config = {.soonest = true};
    start_with(&s, ROOM, &config);
    push_from(&s, 1, 70 * MS, 0);
    assert_int_equal(tick(&s, 10 * MS), 1);
}

static void test_a_clock_that_steps_back(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    es_input_event event = event_of(ES_INPUT_OTHER, 0, 100 * S);
    start(&s);
    tick(&s, 99 * S);
    tick(&s, 100 * S);
    assert_int_equal(es_input_push(&s.input, &event, 100 * S), ES_OK);
    next_step(&s, 91 * S); /* nothing new was pushed: 10 s ahead of the clock, it is the tick's */
    s.step.begun_ns = 90 * S;
    es_input_open(&s.input, &s.step);
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.missed, 0); /* the ticks before are of another time */

    start(&s);
    assert_int_equal(es_input_push(&s.input, &event, 100 * S), ES_OK);
    event.stamp_ns = 90 * S - 1;
    assert_int_equal(es_input_push(&s.input, &event, 90 * S), ES_OK);
    assert_int_equal(es_input_pending(&s.input, 0)->stamp_ns, 90 * S);
    assert_int_equal(es_input_pending(&s.input, 1)->stamp_ns, 90 * S);
}

/* Polled by another thread, or between es_loop_tick and es_input_tick: what happened after the tick
 * began is not its own, although its stamp is later than begun_ns. */
static void test_polled_after_the_tick_began(void **state)
{
    (void)state;
    scene s;
    start(&s);
    next_step(&s, 80 * MS); /* 20 ms behind the clock, as with a delay */
    s.step.begun_ns = 100 * MS;
    push_from(&s, 1, 80 * MS, 1);
    push_from(&s, 1, 101 * MS, 2);
    assert_int_equal(es_input_tick(&s.input, &s.step, NULL, NULL), 1);
    next_step(&s, 100 * MS);
    s.step.begun_ns = 120 * MS;
    assert_int_equal(es_input_tick(&s.input, &s.step, NULL, NULL), 0);
    next_step(&s, 120 * MS);
    s.step.begun_ns = 140 * MS;
    assert_int_equal(es_input_tick(&s.input, &s.step, NULL, NULL), 1);
    push_from(&s, 1, 240 * MS, 3); /* the clock has stepped back: but not by more than 100 ms */
    assert_int_equal(es_input_tick(&s.input, &s.step, NULL, NULL), 0);
    s.step.begun_ns -= 1;
    assert_int_equal(es_input_tick(&s.input, &s.step, NULL, NULL), 1);
}

static void test_all_that_waits(void **state)
{
    (void)state;
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

static void test_a_full_ring_refuses(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    start_with(&s, 4, NULL);
    for (uint64_t i = 0; i < 3; ++i) {
        push_from(&s, 1, (int64_t)i, i);
    }
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(push(&s, ES_INPUT_PRESS, 1, 3 + i), ES_ERR_SPACE);
    }
    assert_int_equal(s.input.lost, 5);
    assert_int_equal(s.input.count, 4);
    es_input_open(&s.input, next_step(&s, S));
    for (uint64_t i = 0; i < 3; ++i) { /* nothing was overwritten */
        assert_true(es_input_next(&s.input, &taken));
        assert_int_equal(taken.event.user, i);
    }
    assert_true(es_input_next(&s.input, &taken));
    assert_int_equal(taken.event.kind, ES_INPUT_LOST);
    assert_int_equal(taken.event.stamp_ns, 3);
    assert_false(es_input_next(&s.input, &taken));
    assert_int_equal(s.input.taken, 3);
    assert_int_equal(s.input.pushed, 3);
}

static void test_what_was_lost_is_said_once_each_time(void **state)
{
    (void)state;
    scene s;
    es_input_taken taken;
    start_with(&s, 4, NULL);
    int lost = 0;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 10; ++i) {
            push(&s, ES_INPUT_PRESS, 1, round);
        }
        es_input_open(&s.input, next_step(&s, S));
        while (es_input_next(&s.input, &taken)) {
            lost += taken.event.kind == ES_INPUT_LOST;
        }
        assert_int_equal(lost, round + 1);
    }
    assert_int_equal(s.input.lost, 21);
}

static void test_a_release_that_was_refused(void **state)
{
    (void)state;
    scene s;
    start_with(&s, 3, NULL);
    assert_int_equal(push(&s, ES_INPUT_PRESS, 1, 1), ES_OK);
    assert_int_equal(push(&s, ES_INPUT_PRESS, 2, 2), ES_OK);
    assert_int_equal(push(&s, ES_INPUT_RELEASE, 1, 3), ES_ERR_SPACE);
    tick(&s, S);
    assert_false(s.buttons[1].held);
    assert_int_equal(s.buttons[1].pressed, 1);
    assert_int_equal(s.buttons[1].released, 1);
    assert_false(s.buttons[2].held); /* nor is what may still be held: the program asks, and says */
    assert_int_equal(push(&s, ES_INPUT_PRESS, 2, 4), ES_OK);
    tick(&s, 2 * S);
    assert_true(s.buttons[2].held);
}

static void test_a_press_that_was_refused(void **state)
{
    (void)state;
    scene s;
    start_with(&s, 3, NULL);
    push(&s, ES_INPUT_MOVE, 0, 1);
    push(&s, ES_INPUT_MOVE, 0, 2);
    assert_int_equal(push(&s, ES_INPUT_PRESS, 1, 3), ES_ERR_SPACE);
    tick(&s, S);
    assert_int_equal(push(&s, ES_INPUT_RELEASE, 1, 4), ES_OK);
    tick(&s, 2 * S);
    assert_false(s.buttons[1].held);
    assert_int_equal(s.buttons[1].released, 0); /* no release without a press */
    assert_int_equal(s.buttons[1].pressed, 0);
}

/* Events of a pause went to a menu: a RESET behind them lets go of what the game thinks is held. */
static void test_a_menu_takes_the_events_of_a_pause(void **state)
{
    (void)state;
    scene s;
    es_input_button menu_buttons[8];
    es_input_state menu;
    es_input_event reset = {.kind = ES_INPUT_RESET, .device = ES_INPUT_ALL, .stamp_ns = 50 * MS};
    start(&s);
    assert_int_equal(es_input_state_init(&menu, menu_buttons, 8, NULL, 0), ES_OK);
    push(&s, ES_INPUT_PRESS, 3, 10 * MS);
    push(&s, ES_INPUT_PRESS, 4, 10 * MS);
    tick(&s, 20 * MS);
    push(&s, ES_INPUT_RELEASE, 3, 30 * MS);
    es_input_tick(&s.input, NULL, &menu, NULL);
    assert_true(s.buttons[3].held && s.buttons[4].held);
    assert_int_equal(es_input_push(&s.input, &reset, 50 * MS), ES_OK);
    push(&s, ES_INPUT_PRESS, 4, 50 * MS); /* which the program knows to be held */
    tick(&s, 60 * MS);
    assert_true(!s.buttons[3].held && s.buttons[3].released == 1);
    assert_true(s.buttons[4].held && s.buttons[4].released == 1 && s.buttons[4].pressed == 1);
}

/* --- a state ---------------------------------------------------------------------------------- */

static void test_every_edge_is_seen(void **state)
{
    (void)state;
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
    assert_true(s.buttons[1].held && !s.buttons[1].was_held);
    assert_int_equal(s.buttons[1].pressed, 2);
    assert_int_equal(s.buttons[1].released, 1);
    assert_false(s.buttons[2].held);
    assert_int_equal(s.buttons[2].pressed, 1);
    assert_int_equal(s.buttons[2].released, 1);
    tick(&s, 20 * MS);
    assert_false(s.keys.edges);
    assert_true(s.buttons[1].held && s.buttons[1].was_held);
    assert_int_equal(s.buttons[1].pressed, 0);
    assert_int_equal(s.buttons[1].released, 0);
    push(&s, ES_INPUT_PRESS, 1, 21 * MS); /* the key repeats */
    push(&s, ES_INPUT_RELEASE, 3, 22 * MS);
    tick(&s, 30 * MS);
    assert_false(s.keys.edges);
    assert_int_equal(s.buttons[1].pressed, 0);
    assert_int_equal(s.buttons[3].released, 0);
}

static void test_so_many_edges_at_most(void **state)
{
    (void)state;
    scene s;
    start(&s);
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 0);
    es_input_event release = event_of(ES_INPUT_RELEASE, 1, 0);
    for (int i = 0; i < 70000; ++i) {
        es_input_state_apply(&s.keys, &press);
        es_input_state_apply(&s.keys, &release);
    }
    assert_int_equal(s.buttons[1].pressed, UINT16_MAX);
    assert_int_equal(s.buttons[1].released, UINT16_MAX);
}

/* More buttons than are noted one by one. */
static void test_many_buttons_at_once(void **state)
{
    (void)state;
    enum { MANY = 2 * ES_INPUT_TURNED };
    es_input_state keys;
    es_input_button buttons[MANY];
    es_input_event event = event_of(ES_INPUT_PRESS, 0, 0);
    for (uint16_t count = ES_INPUT_TURNED - 1; count <= ES_INPUT_TURNED + 2; ++count) {
        assert_int_equal(es_input_state_init(&keys, buttons, MANY, NULL, 0), ES_OK);
        for (uint16_t i = 0; i < count; ++i) {
            event.code = (uint16_t)(MANY - 1 - i);
            es_input_state_apply(&keys, &event);
        }
        es_input_state_begin(&keys, 1);
        for (uint16_t i = 0; i < MANY; ++i) {
            assert_int_equal(buttons[i].held, i >= MANY - count);
            assert_int_equal(buttons[i].was_held, buttons[i].held);
            assert_int_equal(buttons[i].pressed, 0);
        }
    }
}

static void move(scene *s, es_input_kind kind, uint16_t axis, double value)
{
    es_input_event event = event_of(kind, axis, 0);
    event.value = value;
    assert_int_equal(es_input_push(&s->input, &event, S), ES_OK);
}

static void test_axes_add_up(void **state)
{
    (void)state;
    scene s;
    start(&s);
    move(&s, ES_INPUT_MOVE, 0, 3.0);
    move(&s, ES_INPUT_MOVE, 0, -1.0);
    move(&s, ES_INPUT_PLACE, 1, 0.5);
    move(&s, ES_INPUT_PLACE, 1, 0.75);
    tick(&s, S);
    assert_true(s.axes[0].at == 2.0 && s.axes[0].moved == 2.0);
    assert_true(s.axes[1].at == 0.75 && s.axes[1].moved == 0.75);
    move(&s, ES_INPUT_MOVE, 0, 5.0);
    move(&s, ES_INPUT_PLACE, 1, 0.25);
    tick(&s, 2 * S);
    assert_true(s.axes[0].at == 7.0 && s.axes[0].moved == 5.0);
    assert_true(s.axes[1].at == 0.25 && s.axes[1].moved == -0.5);
    tick(&s, 3 * S);
    assert_true(s.axes[0].at == 7.0 && s.axes[0].moved == 0.0);
}

static void test_letting_go(void **state)
{
    (void)state;
    scene s;
    es_input_event reset = {.kind = ES_INPUT_RESET, .device = ES_INPUT_ALL};
    start(&s);
    s.axes[1].rests = true;
    push(&s, ES_INPUT_PRESS, 1, 0);
    push(&s, ES_INPUT_PRESS, 2, 0);
    move(&s, ES_INPUT_PLACE, 1, 1.0);
    move(&s, ES_INPUT_PLACE, 2, 1.0);
    tick(&s, S);
    assert_int_equal(es_input_push(&s.input, &reset, S), ES_OK);
    tick(&s, 2 * S);
    for (int i = 1; i <= 2; ++i) {
        assert_false(s.buttons[i].held);
        assert_true(s.buttons[i].was_held);
        assert_int_equal(s.buttons[i].released, 1);
    }
    assert_int_equal(s.buttons[3].released, 0);
    assert_true(s.axes[1].at == 0.0 && s.axes[1].moved == -1.0);
    assert_true(s.axes[2].at == 1.0 && s.axes[2].moved == 0.0);
}

static void test_a_state_of_one_device(void **state)
{
    (void)state;
    scene s;
    start(&s);
    s.keys.device = 2;
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 0);
    es_input_event reset = event_of(ES_INPUT_RESET, 0, 0);
    es_input_state_apply(&s.keys, &press); /* of device 1 */
    assert_false(s.buttons[1].held);
    press.device = 2;
    es_input_state_apply(&s.keys, &press);
    assert_true(s.buttons[1].held);
    es_input_state_apply(&s.keys, &reset); /* of device 1 */
    assert_true(s.buttons[1].held);
    reset.device = 2;
    es_input_state_apply(&s.keys, &reset);
    assert_false(s.buttons[1].held);
    es_input_state_apply(&s.keys, &press);
    reset.device = ES_INPUT_ALL;
    es_input_state_apply(&s.keys, &reset);
    assert_false(s.buttons[1].held);
}

static void test_codes_beyond_the_state(void **state)
{
    (void)state;
    scene s;
    start(&s);
    push(&s, ES_INPUT_PRESS, 8, 0);
    push(&s, ES_INPUT_PRESS, UINT16_MAX, 0);
    push(&s, ES_INPUT_MOVE, 3, 0);
    push(&s, ES_INPUT_OTHER, 1, 0);
    assert_int_equal(tick(&s, S), 4);
    assert_false(s.keys.edges);
}

static void test_the_view_sees_what_no_tick_has(void **state)
{
    (void)state;
    scene s;
    es_input_state newest;
    es_input_button buttons[8];
    es_input_axis axes[3];
    start(&s);
    assert_int_equal(es_input_state_init(&newest, buttons, 8, axes, 3), ES_OK);
    push(&s, ES_INPUT_PRESS, 1, 0);
    move(&s, ES_INPUT_MOVE, 0, 4.0);
    tick(&s, S);
    move(&s, ES_INPUT_MOVE, 0, 1.5);
    push(&s, ES_INPUT_PRESS, 2, 0);
    assert_int_equal(es_input_peek(&s.input, &s.keys, &newest), ES_OK);
    assert_true(buttons[1].held && buttons[2].held);
    assert_int_equal(buttons[1].pressed, 0); /* the tick has had that */
    assert_int_equal(buttons[2].pressed, 1);
    assert_true(axes[0].at == 5.5 && axes[0].moved == 1.5);
    assert_false(s.buttons[2].held); /* and nothing was consumed */
    assert_int_equal(s.input.count, 2);
    assert_true(s.axes[0].at == 4.0);
    assert_int_equal(tick(&s, 2 * S), 2);
    newest.button_count = 7;
    assert_int_equal(es_input_peek(&s.input, &s.keys, &newest), ES_ERR_INVALID);
    assert_int_equal(es_input_peek(&s.input, &s.keys, &s.keys), ES_ERR_INVALID);
    assert_int_equal(es_input_peek(NULL, &s.keys, &newest), ES_ERR_INVALID);
    assert_int_equal(es_input_peek(&s.input, NULL, &newest), ES_ERR_INVALID);
    assert_int_equal(es_input_peek(&s.input, &s.keys, NULL), ES_ERR_INVALID);
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

/* Tick n has time n * 20 ms, stands for n * 20 ms + 100, and runs 5 ms before that. */
static void metered_tick(metered *m)
{
    const es_step *step = next_step(&m->s, (m->s.step.index + 1) * 20 * MS + 100 * MS);
    m->s.step.begun_ns = step->due_ns - 5 * MS;
    es_input_tick(&m->s.input, &m->s.step, NULL, &m->meter);
}

static void metered_frame(metered *m, int64_t content_ns, int64_t shown_ns)
{
    es_frame frame = {.content_ns = content_ns, .newest_tick = m->s.step.index};
    es_input_meter_frame(&m->meter, &frame, shown_ns);
}

static void summarise(metered *m)
{
    assert_int_equal(es_input_meter_summarise(&m->meter, m->scratch, 4, &m->summary), ES_OK);
}

static void test_how_long_an_event_takes(void **state)
{
    (void)state;
    metered m;
    start_meter(&m, 4);
    push(&m.s, ES_INPUT_PRESS, 1, 107 * MS);
    metered_tick(&m); /* for 120, ran at 115 */
    metered_frame(&m, 0, 116 * MS);
    summarise(&m);
    assert_int_equal(m.summary.events, 0); /* C = 0: nothing of tick 1 yet */
    metered_frame(&m, 1, 130 * MS);
    summarise(&m);
    assert_int_equal(m.summary.events, 0); /* some of it */
    metered_frame(&m, 19 * MS, 140 * MS);
    metered_frame(&m, 20 * MS, 150 * MS);
    metered_frame(&m, 30 * MS, 160 * MS);
    summarise(&m);
    assert_int_equal(m.summary.events, 1);
    assert_true(m.summary.to_due.mean_ms == 13.0);
    assert_true(m.summary.to_tick.mean_ms == 8.0);
    assert_true(m.summary.to_shows.mean_ms == 23.0);
    assert_true(m.summary.to_shown.mean_ms == 43.0);
    assert_int_equal(m.meter.waiting, 0);
    assert_int_equal(m.meter.missed, 0);
}

static void test_a_tick_that_no_picture_knows(void **state)
{
    (void)state;
    metered m;
    start_meter(&m, 4);
    push(&m.s, ES_INPUT_PRESS, 1, 107 * MS);
    metered_tick(&m);
    es_frame frame = {.content_ns = 50 * MS, .newest_tick = 0}; /* it runs ahead of its ticks */
    es_input_meter_frame(&m.meter, &frame, 130 * MS);
    summarise(&m);
    assert_int_equal(m.summary.events, 0);
    metered_frame(&m, 50 * MS, 140 * MS);
    summarise(&m);
    assert_true(m.summary.to_shows.max_ms == 33.0 && m.summary.to_shown.max_ms == 33.0);
}

static void test_percentiles_of_delays(void **state)
{
    (void)state;
    metered m;
    start_meter(&m, 4);
    const int64_t stamps_ms[] = {200, 101, 110, 119, 104}; /* the first is forgotten */
    push(&m.s, ES_INPUT_OTHER, 0, stamps_ms[0] - 100 * MS);
    metered_tick(&m);
    for (int i = 1; i < 5; ++i) {
        es_input_event event = event_of(ES_INPUT_OTHER, 0, stamps_ms[i] * MS);
        event.device = (uint16_t)i;
        assert_int_equal(es_input_push(&m.s.input, &event, S), ES_OK);
    }
    metered_frame(&m, 20 * MS, 150 * MS);
    metered_tick(&m); /* for 140 */
    metered_frame(&m, 40 * MS, 160 * MS);
    summarise(&m);
    assert_int_equal(m.summary.events, 4);
    assert_int_equal(m.meter.events, 5);
    assert_true(fabs(m.summary.to_shown.mean_ms - (59 + 50 + 41 + 56) / 4.0) < 1e-12);
    assert_true(m.summary.to_shown.p50_ms == 50.0); /* of 41 50 56 59, the second */
    assert_true(m.summary.to_shown.p95_ms == 59.0);
    assert_true(m.summary.to_shown.max_ms == 59.0);
    assert_true(m.summary.to_due.max_ms == 39.0);
    assert_int_equal(m.meter.missed, 4); /* tick 1 stands for 120 */
}

static void test_what_is_never_shown(void **state)
{
    (void)state;
    metered m;
    start_meter(&m, 2);
    for (int i = 0; i < 5; ++i) {
        push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    }
    metered_tick(&m);
    assert_int_equal(m.meter.unseen, 3);
    m.s.step.index = -1; /* sought back */
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
    metered_frame(&m, S, S);
    summarise(&m);
    assert_int_equal(m.summary.events, 1);
}

static void test_what_is_not_measured(void **state)
{
    (void)state;
    metered m;
    start_meter(&m, 4);
    m.s.input.capacity = 2;
    push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    assert_int_equal(m.s.input.lost, 1);
    es_input_tick(&m.s.input, NULL, NULL, &m.meter); /* no tick */
    assert_int_equal(m.meter.events, 0);
    push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    push(&m.s, ES_INPUT_OTHER, 0, 101 * MS);
    metered_tick(&m); /* an event, and the word that another is lost */
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

/* Events of a clock in ms that is `apart_ns` behind and runs `ppm` slow, polled at 60 Hz: the
 * mean and the largest error of the second half, in ns. */
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

static void test_a_clock_in_milliseconds(void **state)
{
    (void)state;
    es_input_clock clock = clock_of(MS, 32);
    assert_int_equal(clock.grade, ES_INPUT_GUESSED);
    errors off = convert_many(&clock, 3 * S + 123456, 0, UINT32_MAX);
    assert_int_equal(clock.grade, ES_INPUT_ESTIMATED);
    assert_int_equal(clock.leaps, 0);
    assert_true(off.most_ns < 1100000);
    assert_true(fabs(off.mean_ns) < 300000.0);
}

static void test_a_clock_that_drifts(void **state)
{
    (void)state;
    for (int64_t ppm = -50; ppm <= 50; ppm += 100) {
        es_input_clock clock = clock_of(MS, 32);
        errors off = convert_many(&clock, 3 * S, ppm, UINT32_MAX);
        assert_true(off.most_ns < 1300000);
        assert_int_equal(clock.leaps, 0);
    }
}

/* An hour without an event, at 50 ppm 180 ms: forgotten with the first event after it. */
static void test_a_clock_that_drifts_in_silence(void **state)
{
    (void)state;
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

static void test_stamps_that_wrap(void **state)
{
    (void)state;
    es_input_clock clock = clock_of(MS, 32);
    int64_t base_ns = 50 * S;
    uint64_t first = UINT32_MAX - 5;
    for (uint64_t i = 0; i < 12; ++i) { /* wraps on the way */
        int64_t at_ns = base_ns + (int64_t)i * MS;
        assert_int_equal(es_input_clock_convert(&clock, (first + i) & UINT32_MAX, at_ns + 500000),
                at_ns + 500000);
    }
    /* an event from before the wrap that comes after it */
    assert_int_equal(
            es_input_clock_convert(&clock, UINT32_MAX - 5, base_ns + 20 * MS), base_ns + MS);
    /* 30 days later: by when it comes, it is another round */
    int64_t days_ns = INT64_C(30) * 24 * 3600 * S;
    uint64_t later = (first + 30 * 24 * 3600 * 1000ULL) & UINT32_MAX;
    assert_int_equal(es_input_clock_convert(&clock, later, base_ns + days_ns + 500000),
            base_ns + days_ns + 500000);
    assert_int_equal(clock.leaps, 0);
    clock = clock_of(MS, 16);
    convert_many(&clock, 0, 0, UINT16_MAX);
    assert_int_equal(clock.leaps, 0);
}

static void test_a_clock_that_is_set(void **state)
{
    (void)state;
    es_input_clock clock = clock_of(1000, 64);
    int64_t now_ns = 100 * S;
    int64_t other_ns = 5000 * S;
    for (int i = 0; i < 20; ++i, now_ns += 100 * MS, other_ns += 100 * MS) {
        es_input_clock_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
    }
    other_ns += 3600 * S; /* ahead: known at once */
    int64_t ns = es_input_clock_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
    assert_int_equal(ns, now_ns);
    assert_int_equal(clock.leaps, 1);
    other_ns -= 7200 * S; /* back: eight events and half a second */
    int told = 0;
    for (int i = 0; i < 20; ++i, now_ns += 100 * MS, other_ns += 100 * MS) {
        ns = es_input_clock_convert(&clock, (uint64_t)(other_ns / 1000), now_ns);
        assert_true(ns <= now_ns);
        told += ns > now_ns - MS;
    }
    assert_int_equal(told, 13);
    assert_int_equal(clock.leaps, 2);
}

/* A program that stood still for 2 s gets 50 events at once: no clock was set. */
static void test_a_stall_is_no_leap(void **state)
{
    (void)state;
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

/* One event in two is late, for longer than a leap takes to be found. */
static void test_late_events_are_no_leap(void **state)
{
    (void)state;
    es_input_clock clock = clock_of(1000, 64);
    for (int64_t i = 0; i < 60; ++i) {
        int64_t late_ns = i % 2 == 0 ? 0 : 300 * MS;
        es_input_clock_convert(&clock, (uint64_t)(i * 400000), i * 400 * MS + late_ns);
    }
    assert_int_equal(clock.leaps, 0);
}

static void test_a_clock_that_can_be_read(void **state)
{
    (void)state;
    es_input_clock clock = clock_of(MS, 32);
    es_input_clock_read(&clock, 2000, 7 * S);
    assert_int_equal(clock.grade, ES_INPUT_ESTIMATED);
    assert_int_equal(clock.offset_ns, 5 * S);
    /* the first event of all is placed, although it was received late */
    assert_int_equal(
            es_input_clock_convert(&clock, 2100, 7 * S + 116 * MS), 7 * S + 100 * MS + 500000);
    /* read once a second, it is followed where it drifts away: 1 ms per s */
    for (int64_t i = 1; i <= 60; ++i) {
        es_input_clock_read(&clock, (uint64_t)(2000 + i * 999), 7 * S + i * S);
    }
    assert_true(clock.offset_ns >= 5 * S + 50 * MS);
    assert_true(clock.offset_ns <= 5 * S + 60 * MS);
}

static void test_the_same_clock(void **state)
{
    (void)state;
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

static void test_clocks_that_are_refused(void **state)
{
    (void)state;
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

static void test_events_come_through_a_queue(void **state)
{
    (void)state;
    static unsigned char memory[3 * 128 + 8 * sizeof(es_input_event) + 1];
    scene s;
    es_input_queue queue;
    es_input_taken taken;
    start(&s);
    assert_int_equal(sizeof memory - 1, es_input_queue_size(8));
    assert_int_equal(
            es_input_queue_init(&queue, 8, memory + 1, es_input_queue_size(8), NULL), ES_OK);
    uint64_t in = 0;
    uint64_t out = 0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 7; ++i) {
            es_input_event event = event_of(ES_INPUT_OTHER, 0, (int64_t)in);
            event.user = in++;
            assert_int_equal(es_input_queue_push(&queue, &event, S), ES_OK);
        }
        assert_int_equal(es_input_queue_receive(&queue, &s.input), 7);
        assert_int_equal(es_input_queue_receive(&queue, &s.input), 0);
        es_input_open(&s.input, next_step(&s, (int64_t)in));
        while (es_input_next(&s.input, &taken)) {
            assert_int_equal(taken.event.user, out++);
        }
    }
    assert_int_equal(out, in);
    assert_int_equal(es_input_queue_lost(&queue), 0);
    assert_int_equal(s.input.pushed, (int64_t)in);
}

static void test_a_full_queue_refuses(void **state)
{
    (void)state;
    static _Alignas(128) unsigned char memory[3 * 128 + 4 * sizeof(es_input_event)];
    scene s;
    es_input_queue queue;
    es_input_taken taken;
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 5);
    start(&s);
    assert_int_equal(es_input_queue_init(&queue, 4, memory, sizeof memory, NULL), ES_OK);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(es_input_queue_push(&queue, &press, S), ES_OK);
        }
        for (int i = 0; i < 5; ++i) {
            assert_int_equal(es_input_queue_push(&queue, &press, S), ES_ERR_SPACE);
        }
        assert_int_equal(es_input_queue_lost(&queue), 5 * (round + 1));
        assert_int_equal(es_input_queue_receive(&queue, &s.input), 4);
        es_input_open(&s.input, next_step(&s, S));
        for (int i = 0; i < 4; ++i) {
            assert_true(es_input_next(&s.input, &taken));
            assert_int_equal(taken.event.kind, i < 3 ? ES_INPUT_PRESS : ES_INPUT_LOST);
        }
        assert_false(es_input_next(&s.input, &taken));
    }
}

/* The ring that got the word does not say it again. */
static void test_the_word_of_a_queue_is_enough(void **state)
{
    (void)state;
    static _Alignas(128) unsigned char memory[3 * 128 + 2 * sizeof(es_input_event)];
    scene s;
    es_input_queue queue;
    es_input_event press = event_of(ES_INPUT_PRESS, 1, 5);
    start_with(&s, 3, NULL);
    assert_int_equal(es_input_queue_init(&queue, 2, memory, sizeof memory, NULL), ES_OK);
    assert_int_equal(es_input_queue_push(&queue, &press, S), ES_OK);
    assert_int_equal(es_input_queue_push(&queue, &press, S), ES_ERR_SPACE);
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 2);
    assert_int_equal(push(&s, ES_INPUT_PRESS, 1, 6), ES_ERR_SPACE);
    assert_int_equal(s.input.count, 2);
    assert_int_equal(es_input_pending(&s.input, 1)->kind, ES_INPUT_LOST);
}

/* What the ring has no room for stays in the queue. */
static void test_a_queue_waits_for_the_ring(void **state)
{
    (void)state;
    static _Alignas(128) unsigned char memory[3 * 128 + 8 * sizeof(es_input_event)];
    scene s;
    es_input_queue queue;
    start_with(&s, 4, NULL);
    assert_int_equal(es_input_queue_init(&queue, 8, memory, sizeof memory, NULL), ES_OK);
    for (int i = 0; i < 5; ++i) {
        es_input_event event = event_of(ES_INPUT_OTHER, 0, 2 * S);
        assert_int_equal(es_input_queue_push(&queue, &event, S), ES_OK);
    }
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 3);
    assert_int_equal(es_input_pending(&s.input, 0)->stamp_ns, S); /* not after it was pushed */
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 0);
    assert_int_equal(s.input.lost, 0);
    tick(&s, 3 * S);
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 2);
    assert_int_equal(es_input_queue_receive(NULL, &s.input), 0);
    assert_int_equal(es_input_queue_receive(&queue, NULL), 0);
    assert_int_equal(es_input_queue_lost(NULL), 0);
}

static void test_queues_that_are_refused(void **state)
{
    (void)state;
    static unsigned char memory[4096];
    es_input_queue queue;
    es_error error;
    const uint32_t bad[] = {0, 1, 3, 12, 131072};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(es_input_queue_size(bad[i]), 0);
        assert_int_equal(
                es_input_queue_init(&queue, bad[i], memory, sizeof memory, &error), ES_ERR_INVALID);
        assert_string_equal(error.field, "capacity");
    }
    assert_int_equal(es_input_queue_init(&queue, 8, memory, es_input_queue_size(8) - 1, &error),
            ES_ERR_SPACE);
    assert_string_equal(error.field, "memory_size");
    assert_int_equal(es_input_queue_init(&queue, 8, NULL, 4096, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "memory");
    assert_int_equal(es_input_queue_init(NULL, 8, memory, 4096, &error), ES_ERR_INVALID);
    assert_true(es_input_queue_size(65536) > 65536 * sizeof(es_input_event));
}

/* --- what is refused -------------------------------------------------------------------------- */

static void test_events_that_are_refused(void **state)
{
    (void)state;
    scene s;
    start(&s);
    static _Alignas(128) unsigned char memory[3 * 128 + 8 * sizeof(es_input_event)];
    es_input_queue queue;
    assert_int_equal(es_input_queue_init(&queue, 8, memory, sizeof memory, NULL), ES_OK);
    es_input_event bad[6];
    for (int i = 0; i < 6; ++i) {
        bad[i] = event_of(ES_INPUT_MOVE, 0, 0);
    }
    bad[0].kind = ES_INPUT_LOST;
    bad[1].kind = (es_input_kind)99;
    bad[2].device = ES_INPUT_ALL;
    bad[3].value = NAN;
    bad[4].value = INFINITY;
    bad[5].value = -INFINITY;
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(es_input_push(&s.input, &bad[i], S), ES_ERR_INVALID);
        assert_int_equal(es_input_queue_push(&queue, &bad[i], S), ES_ERR_INVALID);
    }
    assert_int_equal(es_input_push(NULL, &bad[0], S), ES_ERR_INVALID);
    assert_int_equal(es_input_push(&s.input, NULL, S), ES_ERR_INVALID);
    assert_int_equal(es_input_queue_push(NULL, &bad[0], S), ES_ERR_INVALID);
    assert_int_equal(es_input_queue_push(&queue, NULL, S), ES_ERR_INVALID);
    assert_int_equal(s.input.count, 0);
    assert_int_equal(es_input_queue_receive(&queue, &s.input), 0);
}

static void test_rings_and_states_that_are_refused(void **state)
{
    (void)state;
    scene s;
    es_error error;
    start(&s);
    es_input_config config = {.future_max_ns = -1};
    assert_int_equal(es_input_init(NULL, s.memory, 4, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "input");
    assert_int_equal(es_input_init(&s.input, NULL, 4, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "events");
    assert_int_equal(es_input_init(&s.input, s.memory, 1, NULL, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "capacity");
    assert_int_equal(es_input_init(&s.input, s.memory, 1000001, NULL, &error), ES_ERR_INVALID);
    assert_int_equal(es_input_init(&s.input, s.memory, 4, &config, &error), ES_ERR_INVALID);
    assert_string_equal(error.field, "future_max_ns");
    config.future_max_ns = 3600 * S + 1;
    assert_int_equal(es_input_init(&s.input, s.memory, 4, &config, NULL), ES_ERR_INVALID);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_an_event_is_its_own_ticks),
            cmocka_unit_test(test_nothing_is_handed_out_before_a_tick),
            cmocka_unit_test(test_what_a_tick_leaves_is_the_next_ones),
            cmocka_unit_test(test_too_late_for_its_tick),
            cmocka_unit_test(test_stamps_of_devices_come_in_any_order),
            cmocka_unit_test(test_a_device_keeps_its_order),
            cmocka_unit_test(test_nothing_passes_a_reset),
            cmocka_unit_test(test_the_ring_goes_round),
            cmocka_unit_test(test_stamps_ahead_of_time),
            cmocka_unit_test(test_the_soonest_tick),
            cmocka_unit_test(test_a_clock_that_steps_back),
            cmocka_unit_test(test_polled_after_the_tick_began),
            cmocka_unit_test(test_all_that_waits),
            cmocka_unit_test(test_a_menu_takes_the_events_of_a_pause),
            cmocka_unit_test(test_a_full_ring_refuses),
            cmocka_unit_test(test_what_was_lost_is_said_once_each_time),
            cmocka_unit_test(test_a_release_that_was_refused),
            cmocka_unit_test(test_a_press_that_was_refused),
            cmocka_unit_test(test_every_edge_is_seen),
            cmocka_unit_test(test_so_many_edges_at_most),
            cmocka_unit_test(test_many_buttons_at_once),
            cmocka_unit_test(test_axes_add_up),
            cmocka_unit_test(test_letting_go),
            cmocka_unit_test(test_a_state_of_one_device),
            cmocka_unit_test(test_codes_beyond_the_state),
            cmocka_unit_test(test_the_view_sees_what_no_tick_has),
            cmocka_unit_test(test_how_long_an_event_takes),
            cmocka_unit_test(test_a_tick_that_no_picture_knows),
            cmocka_unit_test(test_percentiles_of_delays),
            cmocka_unit_test(test_what_is_never_shown),
            cmocka_unit_test(test_what_is_not_measured),
            cmocka_unit_test(test_a_clock_in_milliseconds),
            cmocka_unit_test(test_a_clock_that_drifts),
            cmocka_unit_test(test_a_clock_that_drifts_in_silence),
            cmocka_unit_test(test_stamps_that_wrap),
            cmocka_unit_test(test_a_clock_that_is_set),
            cmocka_unit_test(test_a_stall_is_no_leap),
            cmocka_unit_test(test_late_events_are_no_leap),
            cmocka_unit_test(test_a_clock_that_can_be_read),
            cmocka_unit_test(test_the_same_clock),
            cmocka_unit_test(test_clocks_that_are_refused),
            cmocka_unit_test(test_events_come_through_a_queue),
            cmocka_unit_test(test_a_full_queue_refuses),
            cmocka_unit_test(test_the_word_of_a_queue_is_enough),
            cmocka_unit_test(test_a_queue_waits_for_the_ring),
            cmocka_unit_test(test_queues_that_are_refused),
            cmocka_unit_test(test_events_that_are_refused),
            cmocka_unit_test(test_rings_and_states_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
