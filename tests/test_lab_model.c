/* SPDX-License-Identifier: Zlib
 *
 * The lab's display against a second simulation, which shares no algorithm with it: it keeps a list
 * of queued frames and goes from refresh to refresh. Flips and returns of random frames must agree
 * exactly, for each of the three calls that can wait for room.
 */
#include "test_support.h"

#include "lab/machine.h"

enum { RUNS = 1000, FRAMES = 100 };

static const int64_t never = INT64_MIN;

/* A random display, and what each frame costs. */
typedef struct plan {
    lab_display display;
    lab_lateness wake;
    uint64_t seed;
    int64_t tick_ns[FRAMES];
    int64_t draw_ns[FRAMES];
    int64_t gpu_ns[FRAMES];
} plan;

/* --- the second simulation -------------------------------------------------------------------- */

/* Frames from head to tail are queued. Those before have flipped, or were replaced. */
typedef struct model {
    const plan *plan;
    int64_t now_ns;
    int64_t gpu_free_ns;
    int64_t refresh; /* the next one; fixed refresh */
    int64_t scan_ns; /* when the panel began its newest frame; variable refresh */
    int64_t head;
    int64_t tail;
    int64_t shown; /* refresh of the newest flip, -1 before; fixed refresh */
    int64_t queue; /* depth since the last present */
    int64_t ready_ns[FRAMES];
    int64_t delay[FRAMES]; /* refreshes by which a compositor shows it later */
    int64_t freed_ns[FRAMES];
    int64_t flip_ns[FRAMES];
    int64_t return_ns[FRAMES];
} model;

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* It leaves the queue at at_ns. */
static void flip_head(model *m, int64_t at_ns, int64_t flip_ns)
{
    m->freed_ns[m->head] = at_ns;
    m->flip_ns[m->head] = flip_ns;
    m->head += 1;
}

static int64_t refresh_ns(const model *m, int64_t refresh)
{
    const lab_display *display = &m->plan->display;
    return display->phase_ns
           + refresh * ES_NS_PER_S * display->rate.denominator / display->rate.numerator;
}

/* One refresh. One at until_ns itself is left if it has no frame yet, or may get a newer one. */
static bool step_fixed(model *m, int64_t until_ns)
{
    const lab_display *display = &m->plan->display;
    bool newest = display->swap == LAB_SWAP_MAILBOX;
    int64_t at_ns = refresh_ns(m, m->refresh);
    int64_t latest_ns = at_ns - display->latch_ns;
    bool ready = m->head < m->tail && m->ready_ns[m->head] <= latest_ns;
    if (at_ns > until_ns || (at_ns == until_ns && (newest || !ready))) {
        return false;
    }
    while (newest && m->head + 1 < m->tail && m->ready_ns[m->head + 1] <= latest_ns) {
        flip_head(m, at_ns, never);
    }
    if (ready) { /* a compositor shows it later, but not with the frame before */
        int64_t shown = m->refresh + m->delay[m->head];
        m->shown = shown > m->shown ? shown : m->shown + 1;
        flip_head(m, at_ns, refresh_ns(m, m->shown));
    }
    m->refresh += 1;
    return true;
}

/* One frame, new or repeated. The panel repeats the last one unless the next is ready before. */
static bool step_variable(model *m, int64_t until_ns)
{
    const lab_display *display = &m->plan->display;
    if (m->head == m->tail) {
        return false;
    }
    int64_t at_ns = m->ready_ns[m->head];
    if (m->head > 0) {
        int64_t repeat_ns = m->scan_ns + es__rate_period_ns(display->rate_min);
        if (at_ns >= repeat_ns) {
            m->scan_ns = repeat_ns;
            return true;
        }
        at_ns = longer(at_ns, m->scan_ns + es__rate_period_ns(display->rate_max));
    }
    if (at_ns > until_ns) {
        return false;
    }
    m->scan_ns = at_ns;
    flip_head(m, at_ns, at_ns);
    return true;
}

static bool step(model *m, int64_t until_ns)
{
    bool variable = m->plan->display.refresh == LAB_REFRESH_VARIABLE;
    return variable ? step_variable(m, until_ns) : step_fixed(m, until_ns);
}

/* Frames on which the GPU still works. */
static int64_t unfinished(const model *m)
{
    int64_t count = 0;
    while (count < m->tail && m->ready_ns[m->tail - 1 - count] > m->now_ns) {
        ++count;
    }
    return count;
}

/* With mailbox only the GPU blocks. */
static void wait_for_room(model *m, int64_t frame)
{
    const plan *p = m->plan;
    bool mailbox = p->display.swap == LAB_SWAP_MAILBOX;
    while (step(m, m->now_ns)) {
    }
    if ((mailbox ? unfinished(m) : m->tail - m->head) < m->queue) {
        return;
    }
    while (!mailbox && m->tail - m->head >= m->queue) {
        step(m, INT64_MAX);
    }
    uint64_t key = lab_random_key(p->seed, LAB_STREAM_WAKE);
    m->now_ns = mailbox ? m->ready_ns[m->tail - m->queue] : m->freed_ns[m->tail - m->queue];
    m->now_ns += lab_lateness_draw_ns(&p->wake, key, frame);
}

static void queue_frame(model *m)
{
    while (step(m, m->now_ns)) {
    }
    const lab_change *change = &m->plan->display.changes[0];
    bool changed = change->at_ns > 0 && change->at_ns <= m->now_ns;
    m->ready_ns[m->tail] = longer(m->gpu_free_ns, m->now_ns);
    m->delay[m->tail] = changed ? change->delay : 0;
    m->queue = changed && change->queue > 0 ? change->queue : m->plan->display.queue;
    m->tail += 1;
}

static void run_model(model *m, const plan *p)
{
    lab_blocking blocking = p->display.blocking;
    *m = (model){.plan = p, .shown = -1, .queue = p->display.queue};
    for (int64_t frame = 0; frame < FRAMES; ++frame) {
        m->now_ns += p->tick_ns[frame];
        if (blocking == LAB_BLOCK_AT_ACQUIRE) {
            wait_for_room(m, frame);
        }
        m->now_ns += p->draw_ns[frame];
        m->gpu_free_ns = longer(m->gpu_free_ns, m->now_ns) + p->gpu_ns[frame];
        if (blocking == LAB_BLOCK_BEFORE_QUEUE) {
            wait_for_room(m, frame);
        }
        queue_frame(m);
        if (blocking == LAB_BLOCK_AFTER_QUEUE) {
            wait_for_room(m, frame);
        }
        m->return_ns[frame] = m->now_ns;
    }
    while (m->head < m->tail) {
        step(m, INT64_MAX);
    }
}

/* --- the lab ---------------------------------------------------------------------------------- */

static void keep_flip(void *user, const lab_frame *frame)
{
    ((int64_t *)user)[frame->index] = frame->shown_ns;
}

static void run_lab(const plan *p, int64_t *flip_ns, int64_t *return_ns)
{
    lab_machine m;
    lab_machine_config config = {.display = p->display, .seed = p->seed};
    lab_sink sink = {keep_flip, flip_ns};
    config.scenario.wake = p->wake;
    config.scenario.update = (lab_cost){.trace_ns = p->tick_ns, .trace_count = FRAMES};
    config.scenario.render = (lab_cost){.trace_ns = p->draw_ns, .trace_count = FRAMES};
    config.scenario.gpu = (lab_cost){.trace_ns = p->gpu_ns, .trace_count = FRAMES};
    assert_int_equal(lab_machine_init(&m, &config, NULL), ES_OK);
    lab_machine_set_sink(&m, sink);
    for (int64_t frame = 0; frame < FRAMES; ++frame) {
        lab_content content = {.alpha = 1.0};
        flip_ns[frame] = never;
        lab_frame_begin(&m);
        lab_tick(&m, 0);
        lab_render(&m, &content);
        lab_present(&m);
        return_ns[frame] = m.frame.return_ns;
    }
    lab_machine_finish(&m);
}

/* --- random plans ----------------------------------------------------------------------------- */

static void draw_costs(test_random *random, int64_t *costs, int64_t load_ns, int64_t unit_ns)
{
    for (int i = 0; i < FRAMES; ++i) {
        int64_t most_ns = random_below(random, 30) == 0 ? 8 * load_ns : 2 * load_ns;
        costs[i] = random_below(random, most_ns + 1) / unit_ns * unit_ns;
    }
}

/* Half of them in whole milliseconds: then much happens at the same instant. */
static plan draw_plan(test_random *random)
{
    static const es_rate whole[] = {{50, 1}, {100, 1}, {125, 1}, {250, 1}};
    static const es_rate any[] = {{60, 1}, {60000, 1001}, {144, 1}, {240, 1}};
    static plan p;
    bool coarse = random_below(random, 2) == 0;
    int64_t unit_ns = coarse ? MS : 1;
    p.display = (lab_display){.rate = (coarse ? whole : any)[random_below(random, 4)]};
    p.display.queue = (int32_t)(1 + random_below(random, LAB_QUEUE_MAX));
    p.display.blocking = (lab_blocking)random_below(random, 3);
    int64_t refresh_ns = es__rate_period_ns(p.display.rate);
    int64_t kind = random_below(random, 5);
    p.display.refresh = kind == 0 ? LAB_REFRESH_VARIABLE : LAB_REFRESH_FIXED;
    p.display.swap = kind == 1 ? LAB_SWAP_MAILBOX : LAB_SWAP_FIFO;
    p.display.rate_max = p.display.rate;
    p.display.rate_min = p.display.rate;
    p.display.rate_min.denominator *= (uint32_t)(1 + random_below(random, 3));
    p.display.phase_ns = random_below(random, refresh_ns) / unit_ns * unit_ns;
    if (kind > 0 && random_below(random, 2) == 0) {
        p.display.latch_ns = random_below(random, refresh_ns) / unit_ns * unit_ns;
    }
    if (kind != 1 && random_below(random, 2) == 0) {
        int64_t at_ns = (1 + random_below(random, FRAMES)) * refresh_ns / unit_ns * unit_ns;
        p.display.changes[0] = (lab_change){.at_ns = at_ns,
                .queue = (int32_t)random_below(random, LAB_QUEUE_MAX + 1),
                .delay = kind > 1 ? (int32_t)random_below(random, 2) : 0};
    }
    p.wake = (lab_lateness){0};
    if (random_below(random, 2) == 0) {
        p.wake.delays[0] = (lab_delay){0.9, MS, coarse ? MS : 2 * MS, 0};
        p.wake.delays[1] = (lab_delay){0.05, coarse ? 9 * MS : 0, 9 * MS, 0};
    }
    p.seed = random_u64(random);
    draw_costs(random, p.tick_ns, random_below(random, refresh_ns), unit_ns);
    draw_costs(random, p.draw_ns, random_below(random, refresh_ns), unit_ns);
    draw_costs(random, p.gpu_ns, random_below(random, 2) * refresh_ns * 2 / 3, unit_ns);
    return p;
}

TEST(flips_and_returns_agree)
{
    test_random random = {20};
    int64_t waits = 0, flips = 0;
    for (int run = 0; run < RUNS; ++run) {
        static model m;
        int64_t flip_ns[FRAMES], return_ns[FRAMES];
        plan p = draw_plan(&random);
        run_model(&m, &p);
        run_lab(&p, flip_ns, return_ns);
        for (int i = 0; i < FRAMES; ++i) {
            if (flip_ns[i] != m.flip_ns[i] || return_ns[i] != m.return_ns[i]) {
                fail_msg("run %d, queue %d, blocking %d, frame %d: %lld, %lld; expected %lld, %lld",
                        run, (int)p.display.queue, (int)p.display.blocking, i,
                        (long long)flip_ns[i], (long long)return_ns[i], (long long)m.flip_ns[i],
                        (long long)m.return_ns[i]);
            }
            flips += flip_ns[i] != never;
            waits += i > 0 && flip_ns[i] > return_ns[i];
        }
    }
    assert_true(flips > RUNS * FRAMES * 8 / 10);
    assert_true(waits > RUNS * FRAMES / 4); /* or the queues were never full */
}
