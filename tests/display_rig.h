/* SPDX-License-Identifier: Zlib
 *
 * A game of display timing alone (src/display/display.h) on a simulated display, in virtual time.
 */
#ifndef DISPLAY_RIG_H
#define DISPLAY_RIG_H

#include "test_screen.h"

#include "display/display.h"

/* A game on a display: each frame works for work_ns and presents. Times that the module reads are
 * now_ns - gone_ns; all of the rig are the display's own. */
typedef struct rig {
    es__display display;
    es__display_config config;
    screen screen;
    int64_t period_ns; /* of the screen */
    int64_t now_ns, gone_ns;
    int64_t work_ns;
    int64_t late_ns;       /* the next present returns so much later; negative: earlier */
    int32_t reports;       /* feedback tells so often of each frame that was seen ... */
    bool counts;           /* ... with the count of refreshes ... */
    int64_t told;          /* ... frames so far ... */
    int64_t told_error_ns; /* ... late by up to so much */
    /* the last frame */
    int64_t begin_ns, flip_ns;
    es__display_plan plan;
    int64_t moved_ns; /* content */
    int64_t off_ns;   /* D, from the flip; never negative */
    bool smoothed;    /* D is the begin: frame times tell it */
    es_display status;
} rig;

static inline void set_up(rig *r, int64_t millihertz, int32_t depth, int64_t work_percent)
{
    *r = (rig){0};
    r->screen.rate = es__rate_make((uint64_t)millihertz, 1000);
    r->screen.depth = depth;
    r->screen.phase_ns = 3100 * US;
    r->screen.call_ns = 20 * US;
    r->screen.random.state = 77;
    r->period_ns = screen_period_ns(&r->screen);
    r->work_ns = r->period_ns * work_percent / 100;
}

static inline void start(rig *r)
{
    es__display_init(&r->display, &r->config);
}

/* What was seen by now. A mailbox replaces frames: of those with one flip the newest is seen. */
static inline void tell(rig *r)
{
    int64_t newest = r->screen.frames - 1;
    while (r->reports > 0 && r->told <= newest
            && screen_flip_ns(&r->screen, r->told) <= r->now_ns) {
        int64_t shown_ns = screen_flip_ns(&r->screen, r->told);
        bool seen = r->told == newest || screen_flip_ns(&r->screen, r->told + 1) > shown_ns;
        shown_ns += screen_up_to(&r->screen, r->told_error_ns) - r->gone_ns;
        if (seen && r->counts) {
            uint64_t count = (uint64_t)r->screen.indices[r->told % SCREEN_FLIPS] + 1;
            es__display_counted(&r->display, newest - r->told, shown_ns, count);
        }
        for (int32_t i = 0; seen && i < r->reports; ++i) {
            es__display_shown(&r->display, newest - r->told, shown_ns);
        }
        r->told += 1;
    }
}

static inline void plan_frame(rig *r)
{
    int64_t motion_ns = r->plan.motion_ns;
    es__display_expect(&r->display, r->begin_ns - r->gone_ns, 0);
    es__display_close(&r->display, 0, &r->plan);
    r->moved_ns = r->plan.motion_ns - motion_ns;
    r->smoothed = r->plan.present_ns == r->begin_ns - r->gone_ns;
    assert_true(r->moved_ns >= 0);
}

static inline void note_frame(rig *r, int64_t flip_ns)
{
    int64_t off_ns = r->plan.present_ns + r->gone_ns - flip_ns;
    r->flip_ns = flip_ns;
    r->off_ns = off_ns < 0 ? -off_ns : off_ns;
    r->status = es__display_get_status(&r->display);
}

static inline void wait_until(rig *r, int64_t until_ns)
{
    r->now_ns = until_ns > r->now_ns ? until_ns : r->now_ns;
}

/* A timer keeps 60 frames per second where presents do not block. */
static inline void run_frame(rig *r)
{
    es__display_work work = {0, 0, r->work_ns};
    int64_t begin_ns = es__display_begin_ns(&r->display, r->now_ns - r->gone_ns, 0) + r->gone_ns;
    assert_true(begin_ns >= r->now_ns);
    wait_until(r, begin_ns);
    wait_until(r, r->display.mode == ES_DISPLAY_FREE ? r->begin_ns + S / 60 : 0);
    r->begin_ns = r->now_ns;
    es__display_open(&r->display, r->begin_ns - r->gone_ns);
    plan_frame(r);
    r->now_ns += r->work_ns;
    wait_until(r, r->plan.submit_ns == INT64_MIN ? 0 : r->plan.submit_ns + r->gone_ns);
    es__display_submitted(&r->display, r->now_ns - r->gone_ns, &work);
    r->now_ns = screen_present(&r->screen, r->now_ns) + r->late_ns;
    r->late_ns = 0;
    es__display_returned(&r->display, r->now_ns - r->gone_ns);
    tell(r);
    note_frame(r, screen_flip_ns(&r->screen, r->screen.frames - 1));
}

static inline void run_for(rig *r, int64_t for_ns)
{
    int64_t until_ns = r->now_ns + for_ns;
    while (r->now_ns < until_ns) {
        run_frame(r);
    }
}

static inline void start_and_settle(rig *r)
{
    start(r);
    run_for(r, 2 * S);
}

/* Frames until the mode is that; 1000: never. */
static inline int32_t frames_until(rig *r, es_display_mode mode)
{
    int32_t frames = 0;
    while (frames < 1000 && (r->status.mode != mode || frames == 0)) {
        run_frame(r);
        frames += 1;
    }
    return frames;
}

static inline void expect_near(double a, double b, double most, int line)
{
    if (!(a - b <= most && b - a <= most)) {
        fail_msg("line %d: %.9g is not within %.9g of %.9g", line, a, most, b);
    }
}
#define assert_near(a, b, most) expect_near((double)(a), (double)(b), (double)(most), __LINE__)

#endif
