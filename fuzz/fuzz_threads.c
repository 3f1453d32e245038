/* SPDX-License-Identifier: Zlib
 *
 * The ticks' thread and the loop's, stepped by hand: between any two calls of one the other goes on,
 * and time passes. Each state carries its number. What is published is kept here, too: a frame shows
 * states that were published, unchanged for as long as it lasts, and none is lost or comes twice.
 */
#include "evenstep/threads.h"

#include "../tests/manual_clock.h"
#include "fuzz_bytes.h"

#include <string.h>

enum { MANY = 20, FRAMES_MOST = 600, LOG = 4096 };

/* Of two cache lines at least: it can be half written. */
typedef struct world {
    int64_t tick, time_ns, serial; /* serial counts what was published, seeks too */
    int64_t words[6];              /* all are the serial */
} world;

typedef struct run {
    es_manual_clock clock;
    es_loop *loop;
    es_loop_config config;
    es_threads *threads;
    es_threads_config how;
    bool paused;
    int frames;
    /* the ticks */
    world log[LOG], newest; /* what was published; log by serial */
    es_step step;
    world *writing;          /* the state of the tick under way */
    int64_t to, seek_serial; /* where the next call seeks; what the last one published */
    int64_t base_serial;     /* the next step counts from it */
    bool called;             /* a call has not come back */
    bool rebased;            /* another rate was requested: the next step takes it */
    es_rate rate, base_rate; /* requested; of the ticks since base */
    int64_t base_tick, base_ns, off_ns;
    /* the frame */
    bool known; /* there is one */
    int64_t first_ns;
    es_frame frame, before;
    es_view view;
    world shown[ES_VIEW_TICKS];         /* copies of its states */
    int64_t shown_serial, sought_shown; /* the newest that was shown; the last seek that was */
    bool drawn;                         /* view is valid */
} run;

/* As it was published. */
static const world *logged(const run *r, int64_t serial)
{
    return &r->log[serial % LOG];
}

static bool is_same(const void *state, const world *other)
{
    return memcmp(state, other, sizeof *other) == 0;
}

/* The state after the newest. */
static world next_world(const run *r, int64_t tick, int64_t time_ns)
{
    int64_t n = r->newest.serial + 1;
    return (world){tick, time_ns, n, {n, n, n, n, n, n}};
}

static void publish(run *r, int64_t tick, int64_t time_ns)
{
    r->newest = next_world(r, tick, time_ns);
    r->log[r->newest.serial % LOG] = r->newest;
}

/* --- the ticks' thread ------------------------------------------------------------------------ */

static void end_tick(run *r)
{
    require(es_threads_tick_end(r->threads) == (r->writing != NULL));
    if (r->writing != NULL) {
        publish(r, r->step.index, r->step.time_ns);
    }
    r->writing = NULL;
}

/* Its time is base + floor(n * period), by numbers of 128 bits. */
static void check_step(run *r)
{
    const es_step *step = &r->step;
    world *newest = &r->newest;
    if (newest->time_ns < 0) { /* after a seek it is not known yet, nor what the floor left */
        newest->time_ns = step->time_ns - step->dt_ns;
    }
    if (r->rebased || newest->serial == r->base_serial) {
        r->off_ns = newest->serial == r->base_serial;
        r->rebased = false;
        r->base_tick = newest->tick;
        r->base_ns = newest->time_ns;
        r->base_rate = r->rate;
    }
    require(step->dt_s == period_s_of(r->base_rate));
    int64_t off_ns =
            step->time_ns - r->base_ns - exact_ns(r->base_rate, step->index - r->base_tick);
    require(off_ns >= 0 && off_ns <= r->off_ns);
    require(step->time_ns - step->dt_ns == newest->time_ns);
    require(step->begun_ns == r->clock.now_ns);
}

/* A tick begins exactly when it is due, and follows the newest state. */
static void begin_tick(run *r)
{
    const void *previous;
    void *state;
    int64_t due_ns = es_threads_tick_due(r->threads);
    require(due_ns <= r->clock.now_ns + 10 * MS);
    bool begun = es_threads_tick_begin(r->threads, &r->step, &state, &previous);
    if (r->writing != NULL) {
        require(!begun);
        return;
    }
    require(begun == (due_ns <= r->clock.now_ns));
    if (begun) {
        require(is_same(previous, logged(r, r->newest.serial)));
        require(r->step.index == r->newest.tick + 1 && r->step.dt_ns > 0 && r->step.dt_s > 0.0);
        check_step(r);
        r->writing = state;
        for (int i = 0; i < ES_VIEW_TICKS && r->drawn; ++i) {
            require(r->view.states[i] != state); /* nobody draws what is written */
        }
        *r->writing = next_world(r, r->step.index, r->step.time_ns);
    }
}

static bool on_call(void *user, void *state, int64_t *tick)
{
    run *r = user;
    require(*tick == r->newest.tick && is_same(state, logged(r, r->newest.serial)));
    require(r->called && r->writing == NULL);
    r->called = false;
    if (r->to < 0) {
        return false;
    }
    *tick = r->to;
    publish(r, r->to, -1);
    *(world *)state = r->newest;
    r->seek_serial = r->base_serial = r->newest.serial;
    return true;
}

/* The other thread goes on. */
static void let_ticks_run(run *r)
{
    if (r->threads != NULL && chance(3)) {
        if (r->writing != NULL || chance(8)) {
            end_tick(r);
        } else {
            begin_tick(r);
        }
    }
}

static void pass_until(void *user, int64_t to_ns)
{
    run *r = user;
    while (r->clock.now_ns < to_ns) {
        int64_t next_ns = r->clock.now_ns + 1 + below(4 * MS);
        let_ticks_run(r);
        es_manual_clock_work(&r->clock, (next_ns < to_ns ? next_ns : to_ns) - r->clock.now_ns);
    }
    let_ticks_run(r);
}

static void pass(run *r, int64_t most_ns)
{
    pass_until(r, r->clock.now_ns + below(most_ns));
}

static int64_t now(void *user)
{
    return ((run *)user)->clock.now_ns;
}

/* --- the frames ------------------------------------------------------------------------------- */

/* Its states were published, one after the other, and have not changed since. */
static void check_view(run *r)
{
    const es_view *v = &r->view;
    const es_frame *f = &r->frame;
    const world *newest = v->states[0], *current = v->current, *previous = v->previous;
    require(v->count >= 1 && v->count <= ES_VIEW_TICKS && v->late_ns >= 0);
    for (int i = 0; i < ES_VIEW_TICKS; ++i) {
        const world *state = v->states[i];
        require(is_same(state, logged(r, state->serial)));
        require(state->time_ns == v->times_ns[i] || state->time_ns < 0);
        require(state->serial == newest->serial - (i < v->count ? i : v->count - 1));
        r->shown[i] = *state;
    }
    /* the newest, unless a pause or a late frame keeps its pair */
    require(newest->serial == r->newest.serial || r->paused || f->late_ns > 0);
    require(!r->known || newest->serial >= r->shown_serial);
    require(current->tick == f->current_tick && previous->tick == f->previous_tick);
    require(current->serial - previous->serial == (previous != current));
    require(newest->tick == f->newest_tick && f->current_tick <= f->newest_tick);
    r->shown_serial = newest->serial;
}

static void check_frame(run *r)
{
    const es_frame *f = &r->frame, *b = &r->before;
    bool sought = r->seek_serial > r->sought_shown && r->seek_serial <= r->shown_serial;
    r->sought_shown = sought ? r->seek_serial : r->sought_shown;
    require(origin_of(f) == (r->known ? r->first_ns : f->present_ns));
    require((f->ticks == 0 || r->threads == NULL) && f->late_ns >= 0);
    require(!r->known || sought || f->content_ns >= b->content_ns);
    if (r->known) {
        check_shares(&f->account, &b->account);
    }
    check_alpha(f, 0.0);
    require(f->content_ns - f->newest_ns <= r->how.ahead_max_ns);
    /* what is ahead of content is of the lead, or late frames; else content has moved there */
    int64_t most_ns = S + exact_ns(r->rate, 12) + exact_ns(r->base_rate, 12);
    require(r->threads != NULL || f->newest_ns - f->content_ns < most_ns);
    require(f->previous_ns <= f->content_ns || f->previous_ns == f->current_ns);
    r->first_ns = origin_of(f);
    r->before = *f;
    r->known = true;
    r->frames += 1;
}

static void run_frame(run *r)
{
    es_step step;
    for (int i = 0; i < ES_VIEW_TICKS && r->drawn; ++i) {
        require(is_same(r->view.states[i], &r->shown[i]));
    }
    if (chance(2)) {
        require(es_loop_next(r->loop, &r->frame));
    } else {
        require(es_loop_begin(r->loop) && !es_loop_tick(r->loop, &step));
        pass(r, MS);
        require(es_loop_wait(r->loop, &r->frame));
    }
    r->drawn = es_threads_view(r->threads, &r->view);
    require(r->drawn);
    check_view(r);
    check_frame(r);
    pass(r, 6 * MS);
    require(es_loop_submit(r->loop));
    pass(r, chance(100) ? 3 * S : 12 * MS);
    require(es_loop_end(r->loop));
}

static void start(run *r)
{
    r->how.state_size = sizeof(world);
    r->how.state = logged(r, r->newest.serial);
    r->threads = es_threads_start(r->loop, &r->how);
    require(r->threads != NULL && es_threads_start(r->loop, &r->how) == NULL);
    require(!es_threads_view(r->threads, &r->view));
    r->drawn = false;
}

/* What the thread has run is the loop's own again, and back. */
static void restart(run *r)
{
    world state;
    es_threads_stop(r->threads, &state);
    require(is_same(&state, logged(r, r->newest.serial)));
    r->writing = NULL; /* left out */
    r->threads = NULL;
    r->called = false;
    require(es_loop_next(r->loop, &r->frame));
    for (int32_t i = 0; i < r->frame.ticks; ++i) {
        es_step step = es_frame_step(&r->frame, i);
        require(step.index == r->newest.tick + 1);
        publish(r, step.index, step.time_ns);
    }
    require(r->frame.newest_tick == r->newest.tick);
    /* what the floor left is not known here */
    r->base_serial = r->shown_serial = r->newest.serial;
    check_frame(r);
    require(es_loop_end(r->loop));
    start(r);
}

static void run_other(run *r, uint8_t what)
{
    static const double speeds[] = {1.0, 1.0 / 3.0, 3.0, 0.0, 1.5};
    switch (what % 8) {
    case 0:
        r->paused = !r->paused;
        es_loop_set_paused(r->loop, r->paused);
        break;
    case 1:
        require(es_loop_set_speed(r->loop, speeds[below(5)]));
        break;
    case 2:
        r->config.tick_rate = any_rate();
        r->rebased |= !is_same_rate(r->rate, r->config.tick_rate);
        r->rate = r->config.tick_rate;
        require(es_loop_configure(r->loop, &r->config));
        break;
    case 3:
        require(es_loop_tick_once(r->loop) == r->paused);
        break;
    case 4:
        if (!r->called) {
            r->to = below(200) - 60;
        }
        require(es_threads_call(r->threads, on_call, r) == !r->called);
        r->called = true;
        break;
    case 5:
        require(!es_loop_seek(r->loop, 5));
        require(es_loop_resync(r->loop));
        break;
    case 6:
        restart(r);
        break;
    default:
        pass(r, chance(4) ? 5 * S : 40 * MS);
        break;
    }
}

static void open_all(run *r, input *in)
{
    fuzz_random = (uint64_t)byte_from(in) << 8 | byte_from(in);
    r->config.tick_rate = r->rate = r->base_rate = any_rate();
    r->config.pace = (es_pace)below(5);
    r->config.interval_ns = r->config.pace <= ES_PACE_FIXED ? 2 * MS + below(30 * MS) : 0;
    r->config.delay_ticks = chance(8) ? 8.0 : (double)below(9) / 4.0;
    r->config.clock = (es_clock){.now_ns = now, .wait_until = pass_until, .user = r};
    r->loop = es_loop_create(&r->config);
    require(r->loop != NULL);
    r->how.lead_ticks = (int32_t)below(3);
    r->how.ahead_max_ns = chance(2) ? 0 : below(100 * MS);
    r->how.user = r;
    start(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static run r; /* large */
    input in = {data, data + size};
    r = (run){0};
    open_all(&r, &in);
    while (in.data < in.end && r.frames < FRAMES_MOST) {
        uint8_t what = byte_from(&in);
        fuzz_random += what;
        if (what < 160) {
            for (int i = 0; i < (what < 80 ? 1 : MANY); ++i) {
                run_frame(&r);
            }
        } else {
            run_other(&r, what);
        }
    }
    es_threads_stop(r.threads, NULL);
    es_loop_destroy(r.loop);
    return 0;
}
