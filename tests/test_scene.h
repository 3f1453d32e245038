/* SPDX-License-Identifier: Zlib
 *
 * Room display against a simulated one (test_screen.h), driven as the loop drives it. What must
 * hold at every frame, whatever happens, is asserted here: the plan adds up to the nanosecond,
 * content never goes back, and what is recovered is bounded.
 */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "test_screen.h"

#include "display/display.h"

#include <inttypes.h>
#include <string.h>

#define US ES_NS_PER_US
#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

/* D may be off by that much. */
#define NEAR_NS (200 * US)

/* More than that is a stall. */
#define STALL_NS (190 * MS)

typedef struct scene {
    es_display display;
    es_display_config config;
    screen screen;
    screen_load load;
    test_random random;
    int64_t now_ns;
    int64_t start_ns;     /* of the frame before */
    int64_t wake_late_ns; /* waits end up to this late, at random */
    int64_t update_ns;
    int64_t extra_ns; /* the next frame costs this more */
    int64_t free_ns;  /* what paces frames where the display does not */
    bool fed;
    int64_t feedback_late; /* in frames */
    int64_t feedback_noise_ns;
    int64_t told;    /* frames */
    bool told_early; /* before present has returned */
    es_display_plan plan;
    bool any;
    int64_t flip_ns;        /* of the newest frame ... */
    int64_t off_ns;         /* ... and how far D was off it */
    int64_t near_ns;        /* by so much it may be; 0: NEAR_NS */
    int64_t shown_after_ns; /* from the flip before */
    int64_t moved_ns;       /* content, from the frame before */
    bool tested;            /* this frame was submitted late on purpose */
} scene;

static inline int64_t magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

/* A millihertz at a time: 59940 is 59.94 Hz. */
static inline void set_up(scene *s, int64_t millihertz, int32_t depth, int64_t cost_percent)
{
    memset(s, 0, sizeof *s);
    s->screen.rate = es_rate_make((uint64_t)millihertz, 1000);
    s->screen.depth = depth;
    s->screen.phase_ns = 3100 * US;
    s->screen.call_ns = 20 * US;
    s->screen.late_ns = 100 * US;
    s->screen.random.state = 77;
    s->random.state = 99;
    s->load.cost_ns = screen_period_ns(&s->screen) * cost_percent / 100;
    s->update_ns = s->load.cost_ns / 8;
    s->free_ns = 16666666;
}

static inline void set_seed(scene *s, int64_t seed)
{
    s->screen.random.state = 77 + (uint64_t)seed * 1234567;
    s->random.state = 99 + (uint64_t)seed * 7654321;
}

static inline void open_display(scene *s)
{
    assert_int_equal(es__display_init(&s->display, &s->config), ES_OK);
}

static inline int64_t woken(scene *s, int64_t until_ns)
{
    if (until_ns <= s->now_ns) {
        return s->now_ns;
    }
    return until_ns + (s->wake_late_ns > 0 ? random_below(&s->random, s->wake_late_ns + 1) : 0);
}

/* As the loop's follow_display. */
static inline void expect(scene *s)
{
    s->start_ns = s->start_ns > s->now_ns ? s->start_ns : s->now_ns;
    bool is_free = s->display.mode == ES_DISPLAY_FREE;
    es__display_expect(&s->display, is_free ? s->start_ns : s->now_ns);
    s->start_ns = is_free ? s->start_ns : s->now_ns;
}

static inline void check_plan(const scene *s, const es_display_plan *before)
{
    const es_display_plan *plan = &s->plan;
    assert_int_equal(plan->present_ns,
            plan->motion_ns + plan->offset_ns + plan->removed_ns + plan->reanchored_ns);
    if (!s->any) {
        return;
    }
    int64_t passes_ns = plan->motion_ns - before->motion_ns - plan->slewed_ns;
    assert_true(plan->motion_ns >= before->motion_ns);
    bool stalled = plan->offset_ns + plan->slewed_ns > STALL_NS; /* that is not recovered evenly */
    if (!stalled && 4 * magnitude(plan->slewed_ns) > passes_ns + 8) {
        fail_msg("at %" PRId64 " us: %" PRId64 " ns pass, %" PRId64 " ns are recovered; offset "
                 "%" PRId64 " us, before %" PRId64 " us; mode %d, multiple %d, suspected %d",
                s->now_ns / US, passes_ns, plan->slewed_ns, plan->offset_ns / US,
                before->offset_ns / US, s->display.mode, s->display.multiple, s->display.suspected);
    }
}

static inline void tell(scene *s)
{
    const screen *seen = &s->screen;
    while (s->told < seen->frames - s->feedback_late
            && screen_flip_ns(seen, s->told) <= s->now_ns) {
        int64_t age = seen->frames - 1 - s->told;
        if (seen->kind == SCREEN_MAILBOX && age > 0
                && screen_flip_ns(seen, s->told + 1) == screen_flip_ns(seen, s->told)) {
            es__display_discarded(&s->display, age);
            s->told += 1;
            continue;
        }
        int64_t noise_ns = s->feedback_noise_ns;
        int64_t off_ns = noise_ns > 0 ? random_below(&s->random, 2 * noise_ns + 1) - noise_ns : 0;
        es__display_shown(
                &s->display, seen->frames - 1 - s->told, screen_flip_ns(seen, s->told) + off_ns);
        s->told += 1;
    }
}

static inline void run_frame(scene *s)
{
    es_display *display = &s->display;
    es_display_plan before = s->plan;
    s->now_ns = woken(s, es__display_begin_ns(display, s->now_ns));
    s->start_ns += s->free_ns;
    es__display_open(display, s->now_ns);
    expect(s);
    s->now_ns += s->update_ns;
    expect(s);
    es__display_close(display, s->free_ns, &s->plan);
    s->now_ns = woken(s, s->start_ns);
    es_display_work work = {s->update_ns, 0};
    work.render_ns = screen_cost_ns(&s->load, &s->random) - s->update_ns + s->extra_ns;
    s->extra_ns = 0;
    s->now_ns += work.render_ns;
    s->tested = display->mode == ES_DISPLAY_LOCKED && display->multiple == 1 && !display->is_loose
                && s->plan.submit_ns > s->now_ns;
    s->now_ns = woken(s, s->plan.submit_ns);
    es__display_submitted(display, s->now_ns, &work);
    int64_t flip_before_ns = s->flip_ns;
    s->now_ns = screen_present(&s->screen, s->now_ns);
    s->flip_ns = screen_flip_ns(&s->screen, s->screen.frames - 1);
    if (s->fed && s->told_early) {
        tell(s);
    }
    es__display_returned(display, s->now_ns);
    if (s->fed && !s->told_early) {
        tell(s);
    }
    check_plan(s, &before);
    s->off_ns = s->plan.present_ns - s->flip_ns;
    s->shown_after_ns = s->flip_ns - flip_before_ns;
    s->moved_ns = s->plan.motion_ns - before.motion_ns;
    s->any = true;
}

static inline void run_until(scene *s, int64_t until_ns)
{
    while (s->now_ns < until_ns) {
        run_frame(s);
    }
}

/* What happened from now until an instant. */
typedef struct tally {
    int64_t frames;
    int64_t locked;
    int64_t off; /* frames whose D was off */
    int64_t off_most_ns;
    int64_t offset_most_ns;
    int64_t repeats;          /* refreshes without a new frame */
    int64_t changes;          /* of the multiple */
    int64_t changes_apart_ns; /* the least between two */
    bool varied;
} tally;

static inline tally count_until(scene *s, int64_t until_ns)
{
    tally sum = {0};
    int64_t repeats = s->screen.repeats;
    int64_t changed_ns = -1;
    sum.changes_apart_ns = INT64_MAX;
    while (s->now_ns < until_ns) {
        int32_t multiple = s->display.multiple;
        run_frame(s);
        sum.frames += 1;
        sum.varied = sum.varied || s->display.varies;
        if (s->display.mode == ES_DISPLAY_LOCKED) {
            int64_t off_ns = magnitude(s->off_ns);
            int64_t offset_ns = magnitude(s->plan.offset_ns + s->display.bias_ns);
            sum.locked += 1;
            sum.off += off_ns > (s->near_ns > 0 ? s->near_ns : NEAR_NS);
            sum.off_most_ns = off_ns > sum.off_most_ns ? off_ns : sum.off_most_ns;
            sum.offset_most_ns = offset_ns > sum.offset_most_ns ? offset_ns : sum.offset_most_ns;
        }
        if (s->display.multiple != multiple) {
            int64_t apart_ns = changed_ns >= 0 ? s->now_ns - changed_ns : INT64_MAX;
            sum.changes += 1;
            sum.changes_apart_ns =
                    apart_ns < sum.changes_apart_ns ? apart_ns : sum.changes_apart_ns;
            changed_ns = s->now_ns;
        }
    }
    sum.repeats = s->screen.repeats - repeats;
    return sum;
}

static inline es_display_status status_of(const scene *s)
{
    return es__display_get_status(&s->display, s->now_ns);
}

#endif
