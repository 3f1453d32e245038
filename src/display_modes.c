/* SPDX-License-Identifier: Zlib
 *
 * What frames go by: trials for a display, a grid that was found, the announced refresh, or
 * nothing.
 */
#include "display_parts.h"

/* A trial lasts for so many frames, and longer while enough of them block: until a grid would have
 * been found among as many readings, or a queue be full that frames fill by a few percent each. */
#define TRY_LEAST     8
#define TRY_MOST      160
#define TRY_MOST_NS   (4 * ES_NS_PER_S)
#define TRY_AGAIN_NS  ES_NS_PER_S
#define TRY_PAUSE_MAX (64 * ES_NS_PER_S)

/* Frames that are on the mean within this part of the announced refresh keep to it. */
#define KEEPS_SHARE 20

/* A display refreshes no faster than that: with the queue full it would have blocked. */
#define FAST_NS (5 * ES_NS_PER_MS / 2)
#define FULL    (ES_DISPLAY_QUEUES + 1)

/* So many frames of a trial more to find out whether it is a display that keeps to no grid. */
#define ASK_MOST 96

#define TEST_AFTER   24
#define SAME_DISPLAY 0.002

/* A display whose refresh varies is as good as fixed while its queue is never empty. */
#define DRY_MOST 3

/* Of the assumed refreshes that a picture stays for, drawing may take so much. */
#define ASSUMED_FITS     0.93
#define ASSUMED_LEAST_NS ES_NS_PER_MS
#define ASSUMED_MOST_NS  (100 * ES_NS_PER_MS)

void es__start_trial(es_display *display, int64_t now_ns)
{
    display->mode = ES_DISPLAY_TRYING;
    display->tried = 0;
    display->tried_blocked = 0;
    display->run_in = 0;
    display->try_since_ns = now_ns;
    display->suspected = false; /* a suspicion is against a grid */
    display->asked = 0;
    es__pace_forget(display);
    es_grid_drop(&display->grid);
}

/* Nothing blocks, but the refresh is announced: pictures are handed in at whole multiples of it.
 * So they stay even, as long as they do not come just when it refreshes. */
static void assume(es_display *display, int64_t now_ns)
{
    display->mode = ES_DISPLAY_ASSUMED;
    display->probing = false;
    display->is_loose = false;
    display->suspected = false;
    display->phase_unknown = false;
    display->assumed_ns = es_ns_add(es__frame(display, 0)->submit_ns, es__period_ns(display) / 2);
    for (int64_t age = 0; age < ES_DISPLAY_FRAMES && age < display->frames; ++age) {
        for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
            es__frame(display, age)->index[i] = -age;
            display->hidden_ns[i] = 0;
        }
    }
    es__interval_start(display, now_ns);
    double refreshes = (double)display->render_ns / es__exact_period_ns(display) / ASSUMED_FITS;
    int64_t most = display->config.interval_max_ns / es__period_ns(display);
    if (display->kept_ns == 0) {
        display->multiple = (int32_t)es__most(es__least((int64_t)refreshes + 1, most), 1);
        display->kept_ns = display->multiple * es__period_ns(display);
        display->changed_ns = now_ns;
        display->ever_changed = true;
    }
}

static bool is_believable(int64_t refresh_ns)
{
    return refresh_ns >= ASSUMED_LEAST_NS && refresh_ns <= ASSUMED_MOST_NS;
}

void es__go_free(es_display *display, int64_t now_ns)
{
    display->mode = ES_DISPLAY_FREE;
    display->suspected = false;
    bool keeps = !display->varies && !display->walked;
    if (is_believable(display->config.refresh_ns) && keeps && display->frames > 0) {
        assume(display, now_ns);
    }
    display->try_again_ns = es_ns_add(now_ns, display->try_pause_ns);
    display->try_pause_ns = es__least(2 * display->try_pause_ns, TRY_PAUSE_MAX);
    display->render_max_ns = 0;
    display->render_max_last_ns = display->render_ns;
    display->render_window_ns = now_ns;
    display->free_render_ns = display->render_ns;
}

static void go_varying(es_display *display, int64_t now_ns)
{
    display->try_pause_ns = TRY_PAUSE_MAX;
    display->varies = true;
    es__go_free(display, now_ns);
}

void es__lock(es_display *display, int64_t now_ns)
{
    bool was_locked = display->mode == ES_DISPLAY_LOCKED;
    if (display->replaces && display->config.queue == 0) {
        display->depth = 1;
    } else if (!was_locked && display->config.queue == 0 && display->run_in < ES_DISPLAY_QUEUES) {
        display->depth = display->tried <= TRY_LEAST + ES_GRID_RECENT ? display->run_in + 1 : 2;
    }
    display->mode = ES_DISPLAY_LOCKED;
    display->walked = display->grid.walks;
    display->asked = 0;
    es__single_start(display, now_ns);
    display->try_pause_ns = ES__TRY_PAUSE_NS;
    double change = es__exact_period_ns(display) - display->tested_period_ns;
    if (change > SAME_DISPLAY * es__exact_period_ns(display)
            || change < -SAME_DISPLAY * es__exact_period_ns(display)) {
        display->tested_period_ns = es__exact_period_ns(display); /* another display */
        display->slips = 0;
        display->tests = 0;
        display->is_fixed = false;
    }
    display->is_not_coarse = display->coarse >= ES__COARSE_FRAMES
                             && display->tested_period_ns != es__exact_period_ns(display);
    display->coarse = 0;
    display->ran_dry = 0;
    display->locked_frames = 0;
    display->test_at = TEST_AFTER;
    display->probing = false;
    display->read_ns = now_ns;
    es__queue_start(display, now_ns);
    es__interval_start(display, now_ns);
}

/* Whether frames come as often as the display is said to refresh, no more and no less. */
bool es__keeps_to_announced(const es_display *display)
{
    int64_t announced_ns = display->config.refresh_ns;
    int64_t off_ns = es__absolute(es_ns_sub(display->span_ns, announced_ns));
    return announced_ns > 0 && off_ns < announced_ns / KEEPS_SHARE;
}

/* Whether the trial is over without a grid. */
static bool trial_has_failed(const es_display *display, int64_t now_ns)
{
    bool first = display->try_pause_ns == ES__TRY_PAUSE_NS;
    int64_t spent_ns = es_ns_sub(now_ns, display->try_since_ns);
    bool fast = spent_ns < (display->tried - FULL) * FAST_NS;
    bool blocks = display->tried_blocked * 4 >= display->tried;
    int64_t slow_ns = first ? TRY_MOST_NS : TRY_AGAIN_NS;
    if (es__keeps_to_announced(display) && spent_ns > ES_NS_PER_S / 2) {
        return false; /* as fast as the display is said to be: its queue may yet fill up */
    }
    return display->tried >= TRY_LEAST
           && ((fast && !blocks) || spent_ns > slow_ns || display->tried >= TRY_MOST);
}

/* Of a refresh that varies: its queue ran dry, or nearly; or it is no display at all but the
 * program's own pace, with a call that takes its time. */
static bool is_no_longer_even(const es_display *display)
{
    return display->ran_dry >= DRY_MOST || display->multiple > 1
           || display->blocked_mean_ns < es__period_ns(display) / 8;
}

/* Readings keep to no grid. Where it is a display that sets their pace they are followed at their
 * mean. To tell that frames are handed in unevenly: if they were not yet, they are now. (Where the
 * refresh varies it is a display, too; but it waits for the program.) */
static void ask_whose_pace(es_display *display, int64_t now_ns)
{
    es_display_whose whose = display->varies ? ES__PACE_OWN : es__whose_pace(display);
    if (whose == ES__PACE_DISPLAYS && es_grid_walk(&display->grid)) {
        es__lock(display, display->returned_ns);
    } else if (whose != ES__PACE_OWN && display->asked < ASK_MOST) {
        display->mode = ES_DISPLAY_TRYING;
        display->suspected = false;
        display->try_since_ns = display->asked == 0 ? now_ns : display->try_since_ns;
        display->asked += 1;
    } else {
        display->asked = 0;
        go_varying(display, now_ns);
    }
}

/* Nothing tells the refreshes of such a display any more once presents do not block. */
static void stop_walking(es_display *display, int64_t now_ns)
{
    if (!display->is_loose) {
        display->try_pause_ns = TRY_PAUSE_MAX; /* it would be too slow again */
    }
    es__go_free(display, now_ns);
}

void es__change_mode(es_display *display, int64_t now_ns)
{
    const es_grid *grid = &display->grid;
    if (display->mode == ES_DISPLAY_TRYING) {
        if (grid->state == ES_GRID_VARIES || display->asked > 0) {
            ask_whose_pace(display, now_ns);
        } else if (trial_has_failed(display, now_ns)) {
            es__go_free(display, now_ns);
        }
    } else if (display->mode != ES_DISPLAY_LOCKED) {
        bool lighter = display->render_ns < display->free_render_ns - display->free_render_ns / 4;
        if (lighter && !display->varies) {
            display->try_pause_ns = ES__TRY_PAUSE_NS; /* what did not block may now */
            display->try_again_ns = now_ns;
        }
        bool may = display->mode == ES_DISPLAY_FREE || display->multiple == 1 || lighter;
        if (may && now_ns >= display->try_again_ns && !display->is_fed) {
            es__start_trial(display, now_ns);
        }
    } else if (grid->state == ES_GRID_VARIES) {
        ask_whose_pace(display, now_ns);
    } else if (display->varies && (grid->walks || is_no_longer_even(display))) {
        go_varying(display, now_ns);
    } else if (grid->walks && (display->multiple > 1 || (display->is_loose && !display->is_fed))) {
        stop_walking(display, now_ns);
    } else if (grid->walks && es__whose_pace(display) == ES__PACE_OWN) {
        es__start_trial(display, now_ns);
    } else if (grid->state != ES_GRID_LOCKED || (display->is_loose && !display->is_fed)) {
        es__start_trial(display, now_ns);
    }
}
