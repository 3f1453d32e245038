/* SPDX-License-Identifier: Zlib
 *
 * Two million events through ticks as loops have them: none or many per frame, due ahead of the clock
 * (a lead) or behind it (a delay), of any rate, after pauses, gaps, clocks that step and seeks. When the
 * ticks of each loop are due: test_due.c. Events of four devices come at random times, in order and out of
 * it, polled before, between and after ticks, into rings that are large or too small.
 *
 * A plain model runs beside it: a list of all waiting events, searched from end to end. Without the
 * model: no tick that ran between an event's push and its own was due at or after the stamp. Frames are
 * shown whenever they end: only accepted events are measured, and no more than there is room for.
 */
#include "evenstep/input.h"

#include "test_support.h"

enum {
    RUNS = 80 / TEST_SHARE,
    EVENTS_PER_RUN = 25000,
    ROOM = 512,
    MEASURED = 5,
    BUTTONS = 6,
    AXES = 2,
    RESTS = 1, /* this axis */
    DEVICES = 4,
    TICKS_KEPT = 65536
};

/* Waiting events in the order in which they came; the last `queued` of them since the last tick. */
typedef struct model {
    es_input_event list[ROOM];
    uint32_t count, queued;
    uint32_t capacity; /* of these */
    bool losing;
    /* the state */
    bool held[BUTTONS];
    uint16_t button_device[BUTTONS], axis_device[AXES];
    int32_t pressed[BUTTONS];
    int32_t released[BUTTONS];
    double at[AXES];
    double moved[AXES];
} model;

typedef struct chaos {
    test_random random;
    int64_t now_ns, polled_ns;
    es_step step;
    int64_t offset_ns; /* ticks are due so much after they run: below 0 with a delay */
    /* under test */
    es_input *input;
    model model;
    uint64_t events; /* pushed, or tried to */
    int64_t ticks;
    int64_t refused;
    /* checked without the model */
    int64_t dues_ns[TICKS_KEPT];
    struct {
        int64_t ticks; /* run before it was pushed */
        bool gone;     /* not compared with stamps: the clock has been set since */
        bool taken;
    } known[EVENTS_PER_RUN + 1000];
} chaos;

/* --- the model -------------------------------------------------------------------------------- */

static bool model_push(model *m, const es_input_event *event)
{
    if (m->count + m->queued + 1 >= m->capacity) {
        const es_input_event lost = {
                .stamp_ns = event->stamp_ns, .device = ES_INPUT_ALL, .kind = ES_INPUT_LOST};
        if (!m->losing && m->count + m->queued < m->capacity) {
            m->list[m->count + m->queued++] = lost;
            m->losing = true;
        }
        return false;
    }
    m->list[m->count + m->queued++] = *event;
    m->losing = false;
    return true;
}

/* Moves events from the queue to those that are sorted. */
static void model_receive(model *m)
{
    for (; m->queued > 0; --m->queued) {
        es_input_event *fresh = &m->list[m->count];
        for (uint32_t i = 0; i < m->count; ++i) {
            const es_input_event *other = &m->list[i];
            bool blocks = other->device == fresh->device || other->device == ES_INPUT_ALL
                          || fresh->device == ES_INPUT_ALL;
            if (blocks && other->stamp_ns > fresh->stamp_ns) {
                fresh->stamp_ns = other->stamp_ns;
            }
        }
        m->count += 1;
    }
}

/* The earliest event, of equals the one that came first; -1: the tick has none. */
static int64_t model_find(const model *m, const es_step *step)
{
    int64_t found = -1;
    int64_t least_ns = INT64_MAX;
    for (uint32_t i = 0; i < m->count; ++i) {
        if (found < 0 || m->list[i].stamp_ns < least_ns) {
            found = i;
            least_ns = m->list[i].stamp_ns;
        }
    }
    bool overtaken = least_ns > step->begun_ns + 100 * MS;
    return least_ns <= step->due_ns || overtaken ? found : -1;
}

static void model_turn(model *m, int button, bool held)
{
    if (m->held[button] != held) {
        m->held[button] = held;
        *(held ? &m->pressed[button] : &m->released[button]) += 1;
    }
}

static void model_place(model *m, int axis, double at)
{
    m->moved[axis] += at - m->at[axis];
    m->at[axis] = at;
}

static bool is_of(const es_input_event *reset, uint16_t device)
{
    return reset->device == ES_INPUT_ALL || reset->device == device;
}

static void model_apply(model *m, const es_input_event *event)
{
    int code = event->code;
    switch (event->kind) {
    case ES_INPUT_PRESS:
    case ES_INPUT_RELEASE:
        if (code < BUTTONS) {
            bool press = event->kind == ES_INPUT_PRESS;
            model_turn(m, code, press);
            m->button_device[code] = press ? event->device : m->button_device[code];
        }
        break;
    case ES_INPUT_MOVE:
    case ES_INPUT_PLACE:
        if (code < AXES) {
            bool moves = event->kind == ES_INPUT_MOVE;
            model_place(m, code, moves ? m->at[code] + event->value : event->value);
            m->axis_device[code] = event->device;
        }
        break;
    case ES_INPUT_RESET:
    case ES_INPUT_LOST:
        for (int i = 0; i < BUTTONS; ++i) {
            if (is_of(event, m->button_device[i])) {
                model_turn(m, i, false);
            }
        }
        if (is_of(event, m->axis_device[RESTS])) {
            model_place(m, RESTS, 0.0);
        }
        break;
    case ES_INPUT_OTHER:
        break;
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static es_input_event random_event(chaos *c, int64_t stamp_ns)
{
    static const es_input_kind kinds[] = {ES_INPUT_PRESS, ES_INPUT_RELEASE, ES_INPUT_PRESS,
            ES_INPUT_RELEASE, ES_INPUT_MOVE, ES_INPUT_PLACE, ES_INPUT_OTHER};
    es_input_event event = {.stamp_ns = stamp_ns, .user = c->events};
    event.kind = chance(&c->random, 500) ? ES_INPUT_RESET : kinds[random_below(&c->random, 7)];
    event.device = (uint16_t)random_below(&c->random, DEVICES);
    bool axis = event.kind == ES_INPUT_MOVE || event.kind == ES_INPUT_PLACE;
    event.code = (uint16_t)random_below(&c->random, 1 + (axis ? AXES : BUTTONS)); /* one more */
    event.value = (double)(random_below(&c->random, 200) - 100);
    if (event.kind == ES_INPUT_RESET && chance(&c->random, 2)) {
        event.device = ES_INPUT_ALL;
    }
    return event;
}

static void push(chaos *c, int64_t stamp_ns)
{
    es_input_event event = random_event(c, stamp_ns);
    bool gone = false; /* behind one that waits from before the clock was set: may get its stamp */
    for (uint32_t i = 0; i < c->model.count + c->model.queued; ++i) {
        gone = gone || c->known[c->model.list[i].user].gone;
    }
    c->known[c->events].gone = gone;
    bool accepted = es_input_push(c->input, &event);
    assert_int_equal(accepted, model_push(&c->model, &event));
    assert_true(accepted || strstr(es_get_error(), "too many") != NULL);
    c->known[c->events].ticks = c->ticks;
    c->known[c->events].taken = !accepted;
    c->refused += !accepted;
    c->events += 1;
}

/* Events since the last poll, mostly in order; some are earlier, some in the future. */
static void poll(chaos *c, int64_t most)
{
    int64_t span_ns = c->now_ns - c->polled_ns;
    int64_t at_ns = c->polled_ns;
    int64_t count = random_below(&c->random, most + 1);
    span_ns = span_ns > 0 && span_ns < 2 * S ? span_ns : 10 * MS;
    for (int64_t i = 0; i < count; ++i) {
        at_ns += random_below(&c->random, 2 * span_ns / count + 2);
        int64_t stamp_ns = at_ns < c->now_ns ? at_ns : c->now_ns;
        if (chance(&c->random, 10)) {
            stamp_ns -= random_below(&c->random, chance(&c->random, 10) ? S : 30 * MS);
        } else if (chance(&c->random, 20)) {
            stamp_ns += random_below(&c->random, 90 * MS);
        }
        push(c, stamp_ns);
    }
    c->polled_ns = c->now_ns;
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* No tick between its push and its own was due at or after the stamp. */
static void check_first(chaos *c, const es_input_event *event, const es_step *step)
{
    uint64_t who = event->user;
    assert_true(who < c->events && !c->known[who].taken); /* exactly once */
    c->known[who].taken = true;
    if (c->known[who].gone) {
        return;
    }
    assert_true(event->stamp_ns <= step->due_ns);
    int64_t first = c->known[who].ticks;
    first = first > c->ticks - TICKS_KEPT ? first : c->ticks - TICKS_KEPT;
    for (int64_t tick = first; tick < c->ticks; ++tick) {
        assert_true(c->dues_ns[tick % TICKS_KEPT] < event->stamp_ns);
    }
}

static void take_events(chaos *c, const es_step *step)
{
    es_input_event event;
    int64_t found;
    es_input_tick(c->input, step);
    model_receive(&c->model);
    memset(c->model.pressed, 0, sizeof c->model.pressed);
    memset(c->model.released, 0, sizeof c->model.released);
    memset(c->model.moved, 0, sizeof c->model.moved);
    while (es_input_next(c->input, &event)) {
        found = model_find(&c->model, step);
        assert_true(found >= 0);
        const es_input_event *expected = &c->model.list[found];
        assert_int_equal(event.kind, expected->kind);
        assert_int_equal(event.user, expected->user);
        assert_int_equal(event.stamp_ns, expected->stamp_ns);
        if (event.kind != ES_INPUT_LOST) {
            check_first(c, &event, step);
        }
        model_apply(&c->model, expected);
        c->model.count -= 1;
        memmove(&c->model.list[found], &c->model.list[found + 1],
                (c->model.count + c->model.queued - (uint32_t)found) * sizeof c->model.list[0]);
    }
    assert_true(model_find(&c->model, step) < 0);
    c->dues_ns[c->ticks % TICKS_KEPT] = step->due_ns;
    c->ticks += 1;
}

static void check_state(const chaos *c)
{
    for (int i = 0; i < BUTTONS; ++i) {
        assert_int_equal(es_input_held(c->input, i), c->model.held[i]);
        assert_int_equal(es_input_pressed(c->input, i), c->model.pressed[i]);
        assert_int_equal(es_input_released(c->input, i), c->model.released[i]);
    }
    for (int i = 0; i < AXES; ++i) {
        assert_true(es_input_value(c->input, i) == c->model.at[i]);
        assert_true(es_input_moved(c->input, i) == c->model.moved[i]);
        assert_true(es_input_at(c->input, i, INT64_MAX, 0) == es_input_peek(c->input, i));
        assert_true(fabs(es_input_at(c->input, i, c->now_ns - 5 * MS, 8 * MS)) < 1e9);
    }
}

/* --- frames and ticks ------------------------------------------------------------------------- */

static void start(chaos *c, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    c->random.state = 1 + seed * UINT64_C(0x9e3779b97f4a7c15);
    c->now_ns = c->polled_ns = random_magnitude(&c->random) / 4;
    c->step.dt_ns = MS + random_below(&c->random, chance(&c->random, 4) ? 200 * MS : 30 * MS);
    c->offset_ns = random_below(&c->random, 6 * c->step.dt_ns) - 3 * c->step.dt_ns;
    c->step.due_ns = c->now_ns + c->offset_ns;
    c->model.capacity = chance(&c->random, 4) ? UINT32_C(2) << random_below(&c->random, 4) : ROOM;
    c->input = es_input_create(&(es_input_config){.buttons = BUTTONS,
            .axes = AXES,
            .rests = 1 << RESTS,
            .events = (int32_t)c->model.capacity,
            .measured = MEASURED});
    assert_non_null(c->input);
}

static void disturb(chaos *c)
{
    switch (random_below(&c->random, 4)) {
    case 0:
        c->now_ns -= random_below(&c->random, 10 * S);
        c->step.due_ns = c->now_ns + c->offset_ns;
        for (uint64_t i = 0; i < c->events; ++i) {
            c->known[i].gone = true; /* waiting stamps are of the clock before */
        }
        break;
    case 1:
        c->now_ns += random_below(&c->random, 3600 * S);
        break;
    case 2:
        c->step.dt_ns = MS + random_below(&c->random, 30 * MS);
        break;
    default:
        c->step.index = random_below(&c->random, 1000000);
        c->step.time_ns = c->step.index * c->step.dt_ns;
        break;
    }
}

static void run_frame(chaos *c)
{
    if (chance(&c->random, 60)) {
        disturb(c);
    }
    poll(c, chance(&c->random, 30) ? 80 : 6);
    if (c->step.due_ns < c->now_ns + c->offset_ns - 250 * MS) { /* dropped, or a gap */
        c->step.due_ns = c->now_ns + c->offset_ns;
    }
    while (c->step.due_ns < c->now_ns + c->offset_ns) {
        c->step.index += 1;
        c->step.time_ns += c->step.dt_ns;
        c->step.due_ns += c->step.dt_ns;
        c->step.begun_ns = c->now_ns;
        if (chance(&c->random, 10)) { /* a thread that polls after the tick has begun */
            c->now_ns += random_below(&c->random, MS);
            poll(c, 2);
        }
        take_events(c, &c->step);
        check_state(c);
        c->now_ns += random_below(&c->random, MS);
        if (chance(&c->random, 5)) {
            poll(c, 3); /* a thread that polls in between */
        }
    }
    c->now_ns += random_below(&c->random, (chance(&c->random, 100) ? 300 : 20) * MS);
    /* the frame is seen now; in one of 100 cases none is */
    es_frame frame = {.start_ns = c->now_ns, .newest_tick = c->step.index};
    frame.content_ns = c->step.time_ns - random_below(&c->random, 2 * c->step.dt_ns);
    es_input_frame(c->input, chance(&c->random, 100) ? NULL : &frame, c->now_ns);
    es_input_status status = es_input_get_status(c->input);
    assert_true(status.shown <= MEASURED && status.to_shown.p50_ms <= status.to_shown.max_ms);
    assert_true(status.missed <= status.events);
    assert_true(status.events <= (int64_t)c->events - c->refused);
}

TEST(every_event_goes_once_and_in_order_to_its_tick)
{
    static chaos c;
    for (uint64_t seed = 0; seed < RUNS; ++seed) {
        row("seed %d", (int)seed);
        start(&c, seed);
        while (c.events < EVENTS_PER_RUN) {
            run_frame(&c);
        }
        /* a tick due at the end of time takes what is left */
        const es_step last = {.index = INT64_MAX, .due_ns = INT64_MAX, .begun_ns = c.now_ns};
        take_events(&c, &last);
        check_state(&c);
        assert_int_equal(c.model.count + c.model.queued, 0);
        for (uint64_t i = 0; i < c.events; ++i) {
            assert_true(c.known[i].taken);
        }
        assert_int_equal(es_input_get_status(c.input).lost, c.refused);
        es_input_destroy(c.input);
    }
}
