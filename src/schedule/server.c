/* SPDX-License-Identifier: Zlib
 *
 * A heap of loops by the time at which each is to run. Divisions give the exact times of a tick, so
 * nothing is counted along.
 */
#include "platform/platform.h"
#include "schedule.h"

#include <math.h>

#define SLACK_MAX_NS     ES_NS_PER_S
#define SLACK_DEFAULT_NS (100 * ES_NS_PER_US)
#define CATCH_UP_NS      (250 * ES_NS_PER_MS)

/* Waits that leave the clock where it was, before it counts as standing still. */
#define WAIT_TRIES 4

/* A clock that goes on by more without any loop is wrong: no time has passed. */
#define LEAP_NS (20 * 365 * 86400 * ES_NS_PER_S)

/* CPU time is read 20 times a second. */
#define EVIDENCE_AGE_NS (50 * ES_NS_PER_MS)

/* 2^32 / golden ratio. Phases that follow each other at this distance leave gaps of at most three
 * lengths, the longest at most 2.62 times the shortest, however many there are (three-gap theorem,
 * Sos 1958). */
#define PHASE_STEP UINT32_C(2654435769)

_Static_assert(sizeof(es__server_loop) + sizeof(es__server_entry) + sizeof(int32_t) <= 160,
        "what schedule.h says");

/* --- the heap --------------------------------------------------------------------------------- */

static bool is_earlier(es__server_entry a, es__server_entry b)
{
    return a.key_ns != b.key_ns ? a.key_ns < b.key_ns : a.loop < b.loop;
}

static void place_entry(es_server *server, int32_t node, es__server_entry entry)
{
    server->heap[node] = entry;
    server->places[entry.loop] = node;
}

static void move_up(es_server *server, int32_t node, es__server_entry entry)
{
    for (int32_t parent; node > 0; node = parent) {
        parent = (node - 1) / 4;
        if (!is_earlier(entry, server->heap[parent])) {
            break;
        }
        place_entry(server, node, server->heap[parent]);
    }
    place_entry(server, node, entry);
}

static void move_down(es_server *server, int32_t node, es__server_entry entry)
{
    for (int32_t child; (child = 4 * node + 1) < server->count; node = child) {
        int32_t end = child + 4 < server->count ? child + 4 : server->count;
        for (int32_t i = child + 1; i < end; ++i) {
            child = is_earlier(server->heap[i], server->heap[child]) ? i : child;
        }
        if (!is_earlier(server->heap[child], entry)) {
            break;
        }
        place_entry(server, node, server->heap[child]);
    }
    place_entry(server, node, entry);
}

#if ES__ASSERTS
/* Near a node the earliest is on top, and each loop knows its place. */
static void check_heap(const es_server *server, int32_t node)
{
    for (int32_t i = node < server->count ? node : 0; i < server->count && i <= 4 * node + 4; ++i) {
        ES__ASSERT_IS(server->places[server->heap[i].loop], ==, i);
        ES__ASSERT(i == 0 || !is_earlier(server->heap[i], server->heap[(i - 1) / 4]), i);
    }
}
#endif

/* Adds a loop to the heap, or moves it there. */
static void set_key(es_server *server, int32_t loop, int64_t key_ns)
{
    int32_t node = server->places[loop];
    const es__server_entry entry = {key_ns, loop};
    if (node < 0) {
        node = server->count++;
        move_up(server, node, entry);
    } else if (is_earlier(entry, server->heap[node])) {
        move_up(server, node, entry);
    } else {
        move_down(server, node, entry);
    }
    ES__CHECK(check_heap(server, server->places[loop]));
}

/* Takes a loop out of the heap, if it is there. */
static void leave_heap(es_server *server, int32_t loop, int32_t why)
{
    int32_t node = server->places[loop];
    if (node >= 0) {
        const es__server_entry last = server->heap[--server->count];
        if (node < server->count) {
            server->places[last.loop] = node;
            set_key(server, last.loop, last.key_ns);
        }
    }
    server->places[loop] = why;
    ES__CHECK(check_heap(server, 0));
}

/* --- the clock -------------------------------------------------------------------------------- */

/* The filtered time. Until a tick is due a host may wait as long as it likes. */
static int64_t read_server_clock(es_server *server)
{
    es__gap_filter *gap = &server->gap;
    int64_t clock_ns = server->clock.now_ns(server->clock.user);
    int64_t expected_ns = LEAP_NS;
    if (server->count > 0) {
        expected_ns = es__max(server->heap[0].key_ns - gap->time_ns, 0);
    }
    if (es__gap_may_hide_sleep(gap, clock_ns, expected_ns)
            || !es__gap_filter_pass(gap, clock_ns, expected_ns)) {
        const es__gap_evidence evidence = es__gap_gather(&server->clock, true, false);
        es__gap_filter_judge(gap, clock_ns, server->count > 0 ? expected_ns : 0, &evidence);
    } else if (gap->time_ns - server->observed_ns >= EVIDENCE_AGE_NS) {
        const es__gap_evidence evidence = es__gap_gather(&server->clock, true, false);
        es__gap_filter_observe(gap, &evidence);
        server->observed_ns = gap->time_ns;
    }
    return gap->time_ns;
}

/* Waits to a filtered time. A clock that stands still is moved to it. */
static void wait_for_tick(es_server *server, int64_t time_ns, int64_t slack_ns)
{
    es__gap_filter *gap = &server->gap;
    int tries = 0;
    for (int64_t now_ns = gap->time_ns; now_ns < time_ns && tries < WAIT_TRIES;) {
        int64_t before_ns = now_ns;
        int64_t from_ns = es__gap_filter_to_clock(gap, time_ns);
        if (server->is_system) {
            es__clock_wait(from_ns, es__ns_add(from_ns, slack_ns));
        } else {
            server->clock.wait_until(server->clock.user, from_ns);
        }
        now_ns = read_server_clock(server);
        tries += now_ns == before_ns;
    }
    es__gap_filter_force(gap, time_ns);
}

/* --- a loop ----------------------------------------------------------------------------------- */

static int64_t slot_ns(const es__server_loop *loop, int64_t slot)
{
    return es__clamp_ns(loop->origin_ns + es__rate_span_ns(loop->rate, slot));
}

static void set_slot(es__server_loop *loop, int64_t slot)
{
    loop->slot = slot;
    loop->due_ns = slot_ns(loop, slot);
}

/* The first slot that is due at or after a time. */
static int64_t slot_at(const es__server_loop *loop, int64_t time_ns)
{
    int64_t slot = es__rate_ns_to_events(loop->rate, time_ns - loop->origin_ns);
    ES__ASSERT(slot_ns(loop, slot) >= time_ns && slot_ns(loop, slot - 1) < time_ns, slot, time_ns);
    return slot;
}

/* Ticks from the newest one on come at this rate, from a filtered time on. */
static void start_rate(es__server_loop *loop, es_rate rate, int64_t origin_ns)
{
    loop->rate = rate;
    loop->period_s = es__rate_period_s(rate);
    loop->base_tick = loop->tick;
    loop->base_ns = loop->time_ns;
    loop->origin_ns = origin_ns;
    set_slot(loop, 1);
}

static es__server_loop *find_loop(const es_server *server, int32_t loop, const char *where)
{
    if (server != NULL && loop >= 0 && loop < server->used
            && server->places[loop] != ES__SERVER_FREE) {
        return &server->loops[loop];
    }
    const es__error error = {"loop", "is none of the server's loops"};
    es__fail(ES_ERR_INVALID, where, &error);
    return NULL;
}

/* A tick that is too late takes the first slot that is not, or the last one before now. */
static int64_t drop_late(es__server_loop *loop, int64_t now_ns)
{
    int64_t before = loop->slot;
    if (now_ns - loop->due_ns > loop->catch_up_max_ns) {
        int64_t slot = slot_at(loop, now_ns - loop->catch_up_max_ns);
        slot -= slot_ns(loop, slot) > now_ns ? 1 : 0;
        set_slot(loop, slot);
    }
    ES__ASSERT(loop->slot >= before && loop->due_ns <= es__max(now_ns, slot_ns(loop, before)),
            loop->slot, before);
    ES__ASSERT(now_ns - loop->due_ns
                       <= es__max(loop->catch_up_max_ns, es__rate_period_ns(loop->rate) + 1),
            now_ns - loop->due_ns);
    loop->dropped += loop->slot - before;
    return loop->slot - before;
}

static void begin_tick(es_server *server, es_server_tick *out)
{
    const int32_t index = server->heap[0].loop;
    const int64_t now_ns = server->gap.time_ns;
    es__server_loop *loop = &server->loops[index];
    int64_t before_ns = loop->time_ns;
    out->loop = index;
    out->user = loop->user;
    out->dropped = drop_late(loop, now_ns);
    out->late_ns = now_ns - loop->due_ns;
    out->gap = es__gap_filter_take(&server->gap);
    loop->tick += 1;
    loop->time_ns = es__clamp_ns(
            loop->base_ns + es__rate_span_ns(loop->rate, loop->tick - loop->base_tick));
    out->step.index = loop->tick;
    out->step.time_ns = loop->time_ns;
    out->step.dt_s = loop->period_s;
    out->step.dt_ns = loop->time_ns - before_ns;
    out->step.in_frame = 0;
    out->step.due_ns = es__gap_filter_to_clock(&server->gap, loop->due_ns);
    out->step.begun_ns = server->gap.clock_ns;
    loop->late_ns = es__ns_add(loop->late_ns, out->late_ns);
    loop->late_max_ns = es__max(loop->late_max_ns, out->late_ns);
    set_slot(loop, loop->slot + 1);
    server->running = index;
    server->begun_ns = now_ns;
    ES__ASSERT(out->late_ns >= 0 && out->dropped >= 0 && out->step.dt_ns >= 0, out->late_ns);
    ES__ASSERT(fabs((double)out->step.dt_ns - 1e9 * out->step.dt_s)
                               <= 1.0 + 1e-6 * (double)out->step.dt_ns
                       || loop->time_ns == ES__TIME_MAX,
            out->step.dt_ns);
    ES__ASSERT(
            loop->late_max_ns >= out->late_ns && loop->late_ns >= loop->late_max_ns, out->late_ns);
}

static void end_tick(es_server *server)
{
    int32_t index = server->running;
    if (index >= 0) {
        es__server_loop *loop = &server->loops[index];
        int64_t now_ns = server->gap.time_ns;
        int64_t duration_ns = now_ns - server->begun_ns;
        loop->busy_ns = es__ns_add(loop->busy_ns, duration_ns);
        loop->busy_max_ns = es__max(loop->busy_max_ns, duration_ns);
        if (server->places[index] >= 0) {
            bool is_overloaded = (double)duration_ns > loop->period_s * (double)ES_NS_PER_S;
            set_key(server, index, is_overloaded ? es__max(loop->due_ns, now_ns) : loop->due_ns);
        }
    }
    server->running = -1;
}

/* --- the calls -------------------------------------------------------------------------------- */

bool es_server_next(es_server *server, int64_t until_ns, es_server_tick *tick)
{
    if (server == NULL) {
        return false;
    }
    const es__gap_filter *gap = &server->gap;
    read_server_clock(server);
    end_tick(server);
    for (;;) {
        int64_t end_ns = until_ns == INT64_MAX
                                 ? INT64_MAX
                                 : gap->time_ns + es__ns_between(gap->clock_ns, until_ns);
        int64_t next_ns = server->count > 0 ? server->heap[0].key_ns : INT64_MAX;
        if (server->count > 0 && next_ns <= end_ns && next_ns <= gap->time_ns) {
            begin_tick(server, tick);
            return true;
        }
        int64_t wait_ns = es__min(next_ns, end_ns);
        if (wait_ns == INT64_MAX || wait_ns <= gap->time_ns || server->clock.wait_until == NULL) {
            return false;
        }
        wait_for_tick(server, wait_ns, server->slack_ns);
        if (wait_ns != next_ns) {
            return false;
        }
    }
}

int64_t es_server_due_ns(const es_server *server)
{
    return server != NULL && server->count > 0
                   ? es__gap_filter_to_clock(&server->gap, server->heap[0].key_ns)
                   : INT64_MAX;
}

int32_t es_server_add(es_server *server, const es_server_loop *config)
{
    const es_server_loop none = {0};
    const es_server_loop *given = config != NULL ? config : &none;
    const es_rate rate = given->tick_rate.numerator != 0 || given->tick_rate.denominator != 0
                                 ? given->tick_rate
                                 : (es_rate){60, 1};
    es__error error = {"loops_max", "has been reached"};
    es_result result = ES_ERR_FULL;
    if (server == NULL) {
        return -1;
    }
    if (!es__rate_is_usable(rate)) {
        result = es__refuse_rate(
                &error, "tick_rate", rate, "must be over 0 and up to 1 000 000 per second");
    } else if (given->catch_up_max_ns < 0) {
        result = es__refuse(&error, "catch_up_max_ns", "must be 0 or more");
    } else if (server->free >= 0 || server->used < server->loops_max) {
        int32_t index = server->free >= 0 ? server->free : server->used++;
        es__server_loop *loop = &server->loops[index];
        server->free = index == server->free ? loop->next : server->free;
        *loop = (es__server_loop){.user = given->user};
        loop->catch_up_max_ns = given->catch_up_max_ns > 0
                                        ? es__min(given->catch_up_max_ns, ES__TIME_MAX)
                                        : CATCH_UP_NS;
        int64_t period_ns = es__rate_period_ns(rate);
        int64_t phase_ns = es__ns_scale(period_ns, (es__ratio){server->phase, UINT32_MAX});
        server->phase += PHASE_STEP;
        start_rate(loop, rate, read_server_clock(server) + phase_ns - period_ns);
        server->places[index] = ES__SERVER_PAUSED;
        set_key(server, index, loop->due_ns);
        return index;
    }
    es__fail(result, "es_server_loop", &error);
    return -1;
}

bool es_server_remove(es_server *server, int32_t loop)
{
    es__server_loop *removed = find_loop(server, loop, "es_server_remove");
    if (removed != NULL) {
        leave_heap(server, loop, ES__SERVER_FREE);
        removed->next = server->free;
        server->free = loop;
        server->running = server->running == loop ? -1 : server->running;
    }
    return removed != NULL;
}

bool es_server_set_paused(es_server *server, int32_t loop, bool paused)
{
    es__server_loop *changed = find_loop(server, loop, "es_server_set_paused");
    if (changed != NULL && paused) {
        leave_heap(server, loop, ES__SERVER_PAUSED);
    } else if (changed != NULL && server->places[loop] == ES__SERVER_PAUSED) {
        set_slot(changed, es__max(changed->slot, slot_at(changed, read_server_clock(server))));
        set_key(server, loop, changed->due_ns);
    }
    return changed != NULL;
}

bool es_server_set_rate(es_server *server, int32_t loop, es_rate rate)
{
    es__server_loop *changed = find_loop(server, loop, "es_server_set_rate");
    if (changed != NULL && !es__rate_is_usable(rate)) {
        es__error error;
        es__refuse_rate(&error, "rate", rate, "must be over 0 and up to 1 000 000 per second");
        return es__fail(ES_ERR_INVALID, "es_server_set_rate", &error) == ES_OK;
    }
    if (changed != NULL) {
        start_rate(changed, rate, slot_ns(changed, changed->slot - 1));
        if (server->places[loop] >= 0 && server->running != loop) {
            set_key(server, loop, changed->due_ns);
        }
    }
    return changed != NULL;
}

es_server_status es_server_get_status(const es_server *server, int32_t loop)
{
    es_server_status status = {0};
    const es__server_loop *found = find_loop(server, loop, "es_server_get_status");
    if (found != NULL) {
        status.tick_rate = found->rate;
        status.paused = server->places[loop] == ES__SERVER_PAUSED;
        status.tick = found->tick;
        status.time_ns = found->time_ns;
        status.dropped = found->dropped;
        status.late_ns = found->late_ns;
        status.late_max_ns = found->late_max_ns;
        status.busy_ns = found->busy_ns;
        status.busy_max_ns = found->busy_max_ns;
    }
    return status;
}

/* --- the object ------------------------------------------------------------------------------- */

static es_result check_server_config(const es_server_config *config, es__error *error)
{
    const es__rule rules[] = {
            {config->loops_max < 1 || config->loops_max > ES__SERVER_LOOPS_MAX, "loops_max",
                    "must be 1 to 1 000 000"},
            {config->slack_ns < 0 || config->slack_ns > SLACK_MAX_NS, "slack_ns",
                    "must be 0 to 1 s"},
            {config->gap_ns < 0, "gap_ns", "must be 0 or more"},
    };
    return ES__REFUSE_BROKEN(error, rules);
}

static void start_server(es_server *server, const es_server_config *config, es_clock system)
{
    server->loops_max = config->loops_max;
    server->running = server->free = -1;
    server->slack_ns = config->slack_ns > 0 ? config->slack_ns : SLACK_DEFAULT_NS;
    server->clock = config->clock.now_ns != NULL ? config->clock : system;
    server->is_system = system.now_ns != NULL && server->clock.wait_until == system.wait_until;
    const es__gap_evidence evidence = es__gap_gather(&server->clock, true, false);
    es__gap_filter_init(&server->gap, config->gap_ns > 0 ? config->gap_ns : ES_NS_PER_S,
            server->clock.now_ns(server->clock.user), &evidence);
}

es_server *es_server_create(const es_server_config *config)
{
    es__error error = {"config", "must not be NULL"};
    es_clock system = {0};
    bool has_clock = es_clock_system(&system) || (config != NULL && config->clock.now_ns != NULL);
    es_result result = config != NULL ? check_server_config(config, &error) : ES_ERR_INVALID;
    if (result == ES_OK && !has_clock) {
        result = es__refuse_as(
                &error, ES_ERR_UNSUPPORTED, "clock", "must be given: this platform has none");
    }
    if (result != ES_OK) {
        es__fail(result, "es_server_config", &error);
        return NULL;
    }
    size_t count = (size_t)config->loops_max;
    es_server *server = es__allocate(
            sizeof *server
            + count * (sizeof *server->loops + sizeof *server->heap + sizeof *server->places));
    if (server != NULL) {
        server->loops = (es__server_loop *)(server + 1);
        server->heap = (es__server_entry *)(server->loops + count);
        server->places = (int32_t *)(server->heap + count);
        start_server(server, config, system);
    }
    return server;
}

void es_server_destroy(es_server *server)
{
    es__free(server);
}
