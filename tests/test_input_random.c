/* SPDX-License-Identifier: Zlib
 *
 * A million events through each of many loops: every named loop with every catch-up policy that it
 * has; random leads, delays, rates, costs, pauses, speeds, gaps, clocks that step, seeks and frames
 * that a host owns. Events of four devices come at random times, in order and out of it, polled
 * before, between and after ticks, into rings that are large or too small.
 *
 * A plain model runs beside it: a list of all waiting events, searched from end to end. Without the
 * model: no tick that ran between an event's push and its own was due at or after the stamp. Frames are
 * shown whenever they end: only accepted events are measured, and no more than there is room for.
 */
#include "evenstep/input.h"

#include "frame_support.h"
#include "manual_clock.h"

enum {
    EVENTS = 1000000 / TEST_SHARE, /* at least, for each policy of each loop */
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
    es_manual_clock clock;
    es_loop loop;
    es_loop_config config;
    bool host;
    int64_t host_ns;
    int64_t cost_ns;
    int64_t refresh_ns;
    int64_t polled_ns;
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

static int64_t now_ns(const chaos *c)
{
    return c->host ? c->host_ns : c->clock.now_ns;
}

/* Whether an event waits from before the clock was set: those behind it may get its stamp. */
static bool old_waits(const chaos *c)
{
    for (uint32_t i = 0; i < c->model.count + c->model.queued; ++i) {
        if (c->known[c->model.list[i].user].gone) {
            return true;
        }
    }
    return false;
}

static void push(chaos *c, int64_t stamp_ns)
{
    es_input_event event = random_event(c, stamp_ns);
    c->known[c->events].gone = old_waits(c);
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
    int64_t span_ns = now_ns(c) - c->polled_ns;
    int64_t at_ns = c->polled_ns;
    int64_t count = random_below(&c->random, most + 1);
    span_ns = span_ns > 0 && span_ns < 2 * S ? span_ns : 10 * MS;
    for (int64_t i = 0; i < count; ++i) {
        at_ns += random_below(&c->random, 2 * span_ns / count + 2);
        int64_t stamp_ns = at_ns < now_ns(c) ? at_ns : now_ns(c);
        if (chance(&c->random, 10)) {
            stamp_ns -= random_below(&c->random, chance(&c->random, 10) ? S : 30 * MS);
        } else if (chance(&c->random, 20)) {
            stamp_ns += random_below(&c->random, 90 * MS);
        }
        push(c, stamp_ns);
    }
    c->polled_ns = now_ns(c);
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
    }
}

/* --- the loop --------------------------------------------------------------------------------- */

static es_rate random_rate(chaos *c)
{
    const es_rate rates[] = {es_hz(60), es__rate_make(60000, 1001), es_hz(5), es_hz(20), es_hz(240),
            es_hz(1000), es__rate_make(999983, 7919)};
    return rates[random_below(&c->random, 7)];
}

static bool start_loop(chaos *c, const char *name, es_catch_up policy)
{
    es_loop_config *config = &c->config;
    assert_true(es_loop_preset(name, config));
    config->catch_up = policy;
    config->tick_rate = random_rate(c);
    if (config->step == ES_STEP_FIXED) {
        config->lead_ticks = (int32_t)random_below(&c->random, 6) - 1;
        config->delay_ticks = (double)random_below(&c->random, 13) / 4.0;
        config->ticks_max = chance(&c->random, 2) ? 0 : 1 + (int32_t)random_below(&c->random, 8);
    }
    c->clock.now_ns = random_magnitude(&c->random) / 4;
    c->host = chance(&c->random, 4);
    c->host_ns = random_magnitude(&c->random) / 4;
    c->cost_ns = random_below(&c->random, 8 * MS);
    c->refresh_ns = chance(&c->random, 4) ? 0 : 4 * MS + random_below(&c->random, 20 * MS);
    config->clock = es_manual_clock_get(&c->clock);
    return es__loop_init(&c->loop, config, NULL) == ES_OK;
}

static bool start(chaos *c, uint64_t seed, const char *name, es_catch_up policy)
{
    memset(c, 0, sizeof *c);
    c->random.state = 1 + seed * UINT64_C(0x9e3779b97f4a7c15);
    if (!start_loop(c, name, policy)) {
        return false;
    }
    c->model.capacity = chance(&c->random, 4) ? UINT32_C(2) << random_below(&c->random, 4) : ROOM;
    c->polled_ns = now_ns(c);
    c->input = es_input_create(&(es_input_config){.buttons = BUTTONS,
            .axes = AXES,
            .rests = 1 << RESTS,
            .events = (int32_t)c->model.capacity,
            .measured = MEASURED});
    return c->input != NULL;
}

/* Waiting stamps are of the clock before. */
static void clock_is_set(chaos *c)
{
    for (uint64_t i = 0; i < c->events; ++i) {
        c->known[i].gone = true;
    }
}

static void disturb(chaos *c)
{
    int64_t *clock_ns = c->host ? &c->host_ns : &c->clock.now_ns;
    switch (random_below(&c->random, 8)) {
    case 0:
        *clock_ns -= random_below(&c->random, 10 * S);
        clock_is_set(c);
        break;
    case 1:
        *clock_ns += random_below(&c->random, 3600 * S);
        break;
    case 2:
        es_loop_set_paused(&c->loop, !es__loop_is_paused(&c->loop));
        break;
    case 3: {
        es__ratio scale = {
                (uint32_t)random_below(&c->random, 9), 1 + (uint32_t)chance(&c->random, 2) * 3};
        assert_int_equal(es__loop_set_scale(&c->loop, scale), ES_OK);
        break;
    }
    case 4:
        assert_int_equal(set_tick_rate(&c->loop, random_rate(c)), ES_OK);
        break;
    case 5:
        assert_true(es_loop_seek(&c->loop, random_below(&c->random, 1000000)));
        break;
    case 6: {
        es_loop_config config = es_loop_get_config(&c->loop);
        config.lead_ticks = (int32_t)random_below(&c->random, 6) - 1;
        es__loop_reconfigure(&c->loop, &config, NULL);
        break;
    }
    default:
        es_loop_set_paused(&c->loop, true);
        es_loop_tick_once(&c->loop);
        break;
    }
}

/* The loop's frame is seen now; in one of 100 cases none is. */
static void see(chaos *c, const es_frame *frame)
{
    es_input_frame(c->input, chance(&c->random, 100) ? NULL : frame, now_ns(c));
    es_input_status status = es_input_get_status(c->input);
    assert_true(status.shown <= MEASURED && status.to_shown.p50_ms <= status.to_shown.max_ms);
    assert_true(status.missed <= status.events);
    assert_true(status.events <= (int64_t)c->events - c->refused);
}

static void run_frame(chaos *c)
{
    es_step step;
    es_frame frame;
    if (chance(&c->random, 60)) {
        disturb(c);
    }
    if (c->host) {
        c->host_ns += random_below(&c->random, 40 * MS);
        assert_true(es__loop_begin_host(&c->loop, c->host_ns,
                chance(&c->random, 2) ? 0 : c->host_ns + random_below(&c->random, 50 * MS)));
    } else {
        assert_true(es_loop_begin(&c->loop));
    }
    poll(c, chance(&c->random, 30) ? 80 : 6);
    while (es_loop_tick(&c->loop, &step)) {
        if (chance(&c->random, 10)) { /* a thread that polls after the tick has begun */
            c->clock.now_ns += c->host ? 0 : random_below(&c->random, MS);
            poll(c, 2);
        }
        take_events(c, &step);
        check_state(c);
        es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns / 2 + 1));
        if (chance(&c->random, 5)) {
            poll(c, 3); /* a thread that polls in between */
        }
    }
    assert_true(es_loop_wait(&c->loop, &frame));
    es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns + 1));
    es_loop_submit(&c->loop);
    int64_t took_ns = random_below(&c->random, chance(&c->random, 100) ? 300 * MS : 5 * MS);
    if (c->refresh_ns > 0) {
        int64_t past_ns = c->clock.now_ns % c->refresh_ns;
        took_ns = c->refresh_ns - (past_ns < 0 ? past_ns + c->refresh_ns : past_ns);
    }
    c->clock.now_ns += took_ns;
    assert_true(es_loop_end(&c->loop));
    see(c, &frame);
}

/* A tick due at the end of time takes what is left. */
static void finish(chaos *c)
{
    const es_step last = {.index = INT64_MAX, .due_ns = INT64_MAX, .begun_ns = now_ns(c)};
    take_events(c, &last);
    check_state(c);
    assert_int_equal(c->model.count + c->model.queued, 0);
    for (uint64_t i = 0; i < c->events; ++i) {
        assert_true(c->known[i].taken);
    }
    assert_int_equal(es_input_get_status(c->input).lost, c->refused);
    es_input_destroy(c->input);
}

static uint64_t run(chaos *c, uint64_t seed, const char *name, es_catch_up policy)
{
    if (!start(c, seed, name, policy)) {
        return 0;
    }
    while (c->events < EVENTS_PER_RUN) {
        run_frame(c);
    }
    finish(c);
    return c->events;
}

TEST(every_event_goes_once_and_in_order_to_its_tick)
{
    static chaos c;
    uint64_t seed = 0;
    for (size_t n = 0; loop_name(n) != NULL; ++n) {
        for (int policy = ES_CATCH_UP_DROP; policy <= ES_CATCH_UP_WAIT; ++policy) {
            const char *name = loop_name(n);
            uint64_t events = 0;
            for (uint64_t more = 1; events < EVENTS && more > 0; events += more) {
                more = run(&c, seed++, name, (es_catch_up)policy);
            }
            print_message("%s, %s: %llu events\n", name, catch_up_name((es_catch_up)policy),
                    (unsigned long long)events);
            assert_true(events >= EVENTS || policy != ES_CATCH_UP_DROP);
        }
    }
}
