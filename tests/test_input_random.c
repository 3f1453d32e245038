/* SPDX-License-Identifier: Zlib
 *
 * A million events through each of many loops: every named loop with every catch-up policy that it
 * has; random leads, delays, rates, costs, pauses, speeds, gaps, clocks that step, seeks and frames
 * that a host owns. Events of four devices come at random times, in order and out of it, polled
 * before, between and after ticks, into rings that are large or too small.
 *
 * A plain model runs beside it: a list of all waiting events, searched from end to end. Without the
 * model: no tick that ran between an event's push and its own was due at or after the stamp.
 */
#include "input/input_parts.h"

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include "test_support.h"
#include "manual_clock.h"
#include "loop/loop_parts.h"

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

enum {
    EVENTS = 1000000 / TEST_SHARE, /* at least, for each policy of each loop */
    EVENTS_PER_RUN = 25000,
    ROOM = 300,
    BUTTONS = 6,
    AXES = 2,
    DEVICES = 4,
    TICKS_KEPT = 65536
};

/* Waiting events in the order in which they came. */
typedef struct model {
    es_input_event list[ROOM];
    uint32_t count;
    uint32_t capacity;
    bool losing;
    int64_t latest_ns; /* no stamp in the list is later */
    bool soonest;
    /* the state */
    bool held[BUTTONS];
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
    es_input input;
    es_input_event memory[ROOM];
    es_input_state keys;
    es_input_button buttons[BUTTONS];
    es_input_axis axes[AXES];
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

static bool chance(chaos *c, int64_t one_in)
{
    return random_below(&c->random, one_in) == 0;
}

/* --- the model -------------------------------------------------------------------------------- */

static void model_add(model *m, const es_input_event *event)
{
    es_input_event fresh = *event;
    for (uint32_t i = 0; i < m->count; ++i) {
        const es_input_event *other = &m->list[i];
        bool blocks = other->device == fresh.device || other->device == ES_INPUT_ALL
                      || fresh.device == ES_INPUT_ALL;
        if (blocks && other->stamp_ns > fresh.stamp_ns) {
            fresh.stamp_ns = other->stamp_ns;
        }
    }
    m->list[m->count++] = fresh;
    m->latest_ns = fresh.stamp_ns > m->latest_ns ? fresh.stamp_ns : m->latest_ns;
}

/* To one instant, in the order that they had. */
static void model_pull_back(model *m, int64_t most_ns)
{
    if (m->latest_ns <= most_ns) {
        return;
    }
    m->latest_ns = most_ns;
    for (uint32_t i = 1; i < m->count; ++i) {
        for (uint32_t k = i; k > 0 && m->list[k - 1].stamp_ns > m->list[k].stamp_ns; --k) {
            es_input_event later = m->list[k - 1];
            m->list[k - 1] = m->list[k];
            m->list[k] = later;
        }
    }
    for (uint32_t i = 0; i < m->count; ++i) {
        m->list[i].stamp_ns = m->list[i].stamp_ns > most_ns ? most_ns : m->list[i].stamp_ns;
    }
}

static bool model_push(model *m, const es_input_event *event, int64_t now_ns)
{
    es_input_event fresh = *event;
    fresh.stamp_ns = fresh.stamp_ns > now_ns ? now_ns : fresh.stamp_ns;
    model_pull_back(m, now_ns);
    if (m->count + 1 >= m->capacity) {
        const es_input_event lost = {
                .stamp_ns = fresh.stamp_ns, .device = ES_INPUT_ALL, .kind = ES_INPUT_LOST};
        if (!m->losing) {
            model_add(m, &lost);
        }
        m->losing = true;
        return false;
    }
    model_add(m, &fresh);
    m->losing = false;
    return true;
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
    return m->soonest || least_ns <= step->due_ns || overtaken ? found : -1;
}

static void model_turn(model *m, int button, bool held)
{
    if (m->held[button] != held) {
        m->held[button] = held;
        *(held ? &m->pressed[button] : &m->released[button]) += 1;
    }
}

static void model_apply(model *m, const es_input_event *event)
{
    switch (event->kind) {
    case ES_INPUT_PRESS:
    case ES_INPUT_RELEASE:
        model_turn(m, event->code, event->kind == ES_INPUT_PRESS);
        break;
    case ES_INPUT_MOVE:
        m->at[event->code] += event->value;
        m->moved[event->code] += event->value;
        break;
    case ES_INPUT_PLACE:
        m->moved[event->code] += event->value - m->at[event->code];
        m->at[event->code] = event->value;
        break;
    case ES_INPUT_RESET:
    case ES_INPUT_LOST:
        for (int i = 0; i < BUTTONS; ++i) {
            model_turn(m, i, false);
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
    event.kind = chance(c, 500) ? ES_INPUT_RESET : kinds[random_below(&c->random, 7)];
    event.device = (uint16_t)random_below(&c->random, DEVICES);
    bool axis = event.kind == ES_INPUT_MOVE || event.kind == ES_INPUT_PLACE;
    event.code = (uint16_t)random_below(&c->random, axis ? AXES : BUTTONS);
    event.value = (double)(random_below(&c->random, 200) - 100);
    if (event.kind == ES_INPUT_RESET && chance(c, 2)) {
        event.device = ES_INPUT_ALL;
    }
    return event;
}

static int64_t now_ns(const chaos *c)
{
    return c->host ? c->host_ns : c->clock.now_ns;
}

static void push(chaos *c, int64_t stamp_ns)
{
    es_input_event event = random_event(c, stamp_ns);
    bool accepted = es_input_push(&c->input, &event, now_ns(c)) == ES_OK;
    assert_int_equal(accepted, model_push(&c->model, &event, now_ns(c)));
    assert_int_equal(c->input.count, c->model.count);
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
        if (chance(c, 10)) {
            stamp_ns -= random_below(&c->random, chance(c, 10) ? S : 30 * MS);
        } else if (chance(c, 20)) {
            stamp_ns += random_below(&c->random, 100 * MS);
        }
        push(c, stamp_ns);
    }
    c->polled_ns = now_ns(c);
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* No tick between its push and its own was due at or after the stamp. */
static void check_first(chaos *c, const es_input_taken *taken, const es_step *step)
{
    uint64_t who = taken->event.user;
    assert_true(who < c->events && !c->known[who].taken); /* exactly once */
    c->known[who].taken = true;
    if (c->model.soonest || c->known[who].gone) {
        return;
    }
    assert_true(taken->event.stamp_ns <= step->due_ns);
    int64_t first = c->known[who].ticks;
    first = first > c->ticks - TICKS_KEPT ? first : c->ticks - TICKS_KEPT;
    for (int64_t tick = first; tick < c->ticks; ++tick) {
        assert_true(c->dues_ns[tick % TICKS_KEPT] < taken->event.stamp_ns);
    }
}

static void take_events(chaos *c, const es_step *step)
{
    es_input_taken taken;
    int64_t found;
    es_input_open(&c->input, step);
    es__input_state_begin(&c->keys, step->index);
    memset(c->model.pressed, 0, sizeof c->model.pressed);
    memset(c->model.released, 0, sizeof c->model.released);
    memset(c->model.moved, 0, sizeof c->model.moved);
    while (es_input_next(&c->input, &taken)) {
        found = model_find(&c->model, step);
        assert_true(found >= 0);
        const es_input_event *expected = &c->model.list[found];
        assert_int_equal(taken.event.kind, expected->kind);
        assert_int_equal(taken.event.user, expected->user);
        assert_int_equal(taken.event.stamp_ns, expected->stamp_ns);
        assert_int_equal(taken.tick, step->index);
        if (taken.event.kind != ES_INPUT_LOST) {
            check_first(c, &taken, step);
        }
        es__input_state_apply(&c->keys, &taken.event);
        model_apply(&c->model, expected);
        c->model.count -= 1;
        memmove(&c->model.list[found], &c->model.list[found + 1],
                (c->model.count - (uint32_t)found) * sizeof c->model.list[0]);
    }
    assert_true(model_find(&c->model, step) < 0);
    c->dues_ns[c->ticks % TICKS_KEPT] = step->due_ns;
    c->ticks += 1;
}

static void check_state(const chaos *c)
{
    for (int i = 0; i < BUTTONS; ++i) {
        const es_input_button *button = &c->buttons[i];
        assert_int_equal(button->held, c->model.held[i]);
        assert_int_equal(button->pressed, c->model.pressed[i]);
        assert_int_equal(button->released, c->model.released[i]);
        assert_int_equal(button->held - button->was_held, button->pressed - button->released);
    }
    for (int i = 0; i < AXES; ++i) {
        assert_true(c->axes[i].at == c->model.at[i]);
        assert_true(c->axes[i].moved == c->model.moved[i]);
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
        config->ticks_max = chance(c, 2) ? 0 : 1 + (int32_t)random_below(&c->random, 8);
    }
    c->clock.now_ns = random_magnitude(&c->random) / 4;
    c->host = chance(c, 4);
    c->host_ns = random_magnitude(&c->random) / 4;
    c->cost_ns = random_below(&c->random, 8 * MS);
    c->refresh_ns = chance(c, 4) ? 0 : 4 * MS + random_below(&c->random, 20 * MS);
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
    es_input_config config = {.soonest = chance(c, 8)};
    c->model.capacity = chance(c, 4) ? 2 + (uint32_t)random_below(&c->random, 10) : ROOM;
    c->model.soonest = config.soonest;
    c->model.latest_ns = INT64_MIN;
    c->polled_ns = now_ns(c);
    assert_int_equal(es_input_init(&c->input, c->memory, c->model.capacity, &config, NULL), ES_OK);
    assert_int_equal(es_input_state_init(&c->keys, c->buttons, BUTTONS, c->axes, AXES), ES_OK);
    return true;
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
        es_ratio scale = {(uint32_t)random_below(&c->random, 9), 1 + (uint32_t)chance(c, 2) * 3};
        assert_int_equal(es__loop_set_scale(&c->loop, scale), ES_OK);
        break;
    }
    case 4:
        assert_int_equal(es__loop_set_tick_rate(&c->loop, random_rate(c)), ES_OK);
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
        es_loop_step_once(&c->loop);
        break;
    }
}

static void run_frame(chaos *c)
{
    es_step step;
    if (chance(c, 60)) {
        disturb(c);
    }
    if (c->host) {
        c->host_ns += random_below(&c->random, 40 * MS);
        assert_true(es__loop_begin_host(&c->loop, c->host_ns,
                chance(c, 2) ? 0 : c->host_ns + random_below(&c->random, 50 * MS)));
    } else {
        assert_true(es_loop_begin(&c->loop));
    }
    poll(c, chance(c, 30) ? 80 : 6);
    while (es_loop_tick(&c->loop, &step)) {
        if (chance(c, 10)) { /* a thread that polls after the tick has begun */
            c->clock.now_ns += c->host ? 0 : random_below(&c->random, MS);
            poll(c, 2);
        }
        take_events(c, &step);
        check_state(c);
        es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns / 2 + 1));
        if (chance(c, 5)) {
            poll(c, 3); /* a thread that polls in between */
        }
    }
    assert_true(es_loop_wait(&c->loop, NULL));
    es_manual_clock_work(&c->clock, random_below(&c->random, c->cost_ns + 1));
    es_loop_submit(&c->loop);
    int64_t took_ns = random_below(&c->random, chance(c, 100) ? 300 * MS : 5 * MS);
    if (c->refresh_ns > 0) {
        int64_t past_ns = c->clock.now_ns % c->refresh_ns;
        took_ns = c->refresh_ns - (past_ns < 0 ? past_ns + c->refresh_ns : past_ns);
    }
    c->clock.now_ns += took_ns;
    assert_true(es_loop_end(&c->loop));
}

/* A tick due at the end of time takes what is left. */
static void finish(chaos *c)
{
    const es_step last = {.index = INT64_MAX, .due_ns = INT64_MAX, .begun_ns = now_ns(c)};
    take_events(c, &last);
    check_state(c);
    assert_int_equal(c->input.count, 0);
    for (uint64_t i = 0; i < c->events; ++i) {
        assert_true(c->known[i].taken);
    }
    assert_int_equal(c->input.pushed + c->refused, (int64_t)c->events);
    assert_int_equal(c->input.lost, c->refused);
    assert_int_equal(c->input.taken, c->input.pushed);
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

TEST_MAIN("input_random", NULL)
