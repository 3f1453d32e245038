/* SPDX-License-Identifier: Zlib
 *
 * What frames go by: trials for a display, a grid that was found, the announced refresh, or
 * nothing.
 */
#include "display_parts.h"

/* The number of presents that blocked first tells the depth of the queue only where a grid was
 * found about as soon as it can be. */
#define TRY_LEAST 8

/* Frames that are on the mean within this part of the announced refresh keep to it. */
#define KEEPS_SHARE 20

/* So many frames of a trial more to find out whether it is a display that keeps to no grid. */
#define ASK_MOST 96

/* The refresh in force where presents do not block: the shorter of the announced one and the one
 * that was certain last; 0: there is none. */
static int64_t known_refresh_ns(const es_display *display)
{
    int64_t announced_ns = display->config.refresh_ns;
    int64_t certain_ns = (int64_t)(display->tested_period_ns + 0.5);
    if (announced_ns > 0 && certain_ns > 0) {
        return es__min(announced_ns, certain_ns);
    }
    return es__max(announced_ns, certain_ns);
}

#define TEST_AFTER   24
#define SAME_DISPLAY 0.002

/* A display whose refresh varies is as good as fixed while its queue is never empty. */
#define DRY_MOST 3

/* Of the assumed refreshes that a picture stays for, drawing may take so much. */
#define ASSUMED_FITS     0.93
#define ASSUMED_LEAST_NS ES_NS_PER_MS
#define ASSUMED_MOST_NS  (100 * ES_NS_PER_MS)

void es__start_trial(es_display *display)
{
    display->mode = ES_DISPLAY_TRYING;
    display->tried = 0;
    display->tried_blocked = 0;
    display->run_in = 0;
    display->suspected = false; /* a suspicion is against a grid */
    display->asked = 0;
    display->free.presents = 0;
    es__pace_forget(display);
    es_grid_drop(&display->grid);
}

/* Presents do not block, but the refresh is known: frames are submitted at whole multiples of it.
 * So they stay even, as long as they do not come just when it refreshes. After a trial the phase
 * stays as it was. */
static void assume(es_display *display, int64_t refresh_ns, int64_t now_ns)
{
    bool again = display->assumed_period_ns == refresh_ns;
    display->mode = ES_DISPLAY_ASSUMED;
    display->assumed_period_ns = refresh_ns;
    display->probing = false;
    display->is_loose = false;
    display->suspected = false;
    display->phase_unknown = false;
    int64_t newest_ns = es_ns_add(es__frame(display, 0)->submit_ns, refresh_ns / 2);
    int64_t off_ns = es_ns_sub(newest_ns, display->assumed_ns) % refresh_ns;
    display->assumed_ns = again ? es_ns_sub(newest_ns, off_ns) : newest_ns;
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
        display->multiple = (int32_t)es__max(es__min((int64_t)refreshes + 1, most), 1);
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
    int64_t refresh_ns = known_refresh_ns(display);
    display->mode = ES_DISPLAY_FREE;
    display->suspected = false;
    if (is_believable(refresh_ns) && !display->walked && display->frames > 0) {
        assume(display, refresh_ns, now_ns);
    }
    display->try_again_ns = es_ns_add(now_ns, ES__LOOK_AGAIN_NS);
    display->render_max_ns = 0;
    display->render_max_last_ns = display->render_ns;
    display->render_window_ns = now_ns;
}

/* Presents that returned at once before the first that blocked filled the queue, but for those that
 * the display took meanwhile: one for each refresh. */
static int32_t depth_by_run_in(const es_display *display)
{
    int64_t first = es_grid_index(&display->grid, display->run_from_ns);
    int64_t last = es_grid_index(&display->grid, display->run_to_ns);
    int64_t taken = es__max(last - first, 0);
    return (int32_t)es__max(display->run_in + 1 - taken, 1);
}

void es__lock(es_display *display, int64_t now_ns)
{
    bool was_locked = display->mode == ES_DISPLAY_LOCKED;
    if (display->replaces && display->config.queue == 0) {
        display->depth = 1;
    } else if (!was_locked && display->config.queue == 0 && display->run_in < ES_DISPLAY_QUEUES) {
        bool soon = display->tried <= TRY_LEAST + ES_GRID_RECENT;
        display->depth = soon ? depth_by_run_in(display) : 2;
    }
    display->mode = ES_DISPLAY_LOCKED;
    display->walked = display->grid.walks;
    display->asked = 0;
    es__single_start(display, now_ns);
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

/* Of a refresh that varies: its queue ran dry, or nearly; or it is no display at all but the
 * program's own pace, with a call that takes its time. */
static bool is_no_longer_even(const es_display *display)
{
    return display->ran_dry >= DRY_MOST || display->multiple > 1
           || display->blocked_mean_ns < es__period_ns(display) / 8;
}

/* Readings keep to no grid. Where it is a display that sets their pace they are followed at their
 * mean. To tell that frames are handed in unevenly: if they were not yet, they are now. (Where the
 * refresh varies it is a display, too; but it waits for the program.) Else it is looked for anew
 * after a while. */
static void ask_whose_pace(es_display *display, int64_t now_ns)
{
    es_display_whose whose = display->varies ? ES__PACE_OWN : es__whose_pace(display);
    if (whose == ES__PACE_DISPLAYS && es_grid_walk(&display->grid)) {
        es__lock(display, display->returned_ns);
    } else if (whose != ES__PACE_OWN && display->asked < ASK_MOST) {
        display->mode = ES_DISPLAY_TRYING;
        display->suspected = false;
        display->asked += 1;
    } else {
        es__start_trial(display);
        display->try_again_ns = es_ns_add(now_ns, ES__LOOK_AGAIN_NS);
    }
}

static void change_locked(es_display *display, int64_t now_ns)
{
    const es_grid *grid = &display->grid;
    bool unpaced = display->is_loose && !display->is_fed; /* nothing tells its refreshes any more */
    bool uneven = display->varies && (grid->walks || is_no_longer_even(display));
    bool walks_on =
            !grid->walks || (display->multiple == 1 && es__whose_pace(display) != ES__PACE_OWN);
    bool early = display->early >= ES__EARLY_MOST;
    if (grid->state == ES_GRID_VARIES) {
        ask_whose_pace(display, now_ns);
    } else if (grid->state != ES_GRID_LOCKED || early || unpaced || uneven || !walks_on) {
        display->varies = uneven;      /* else what spoke for it is gone */
        display->anchors_anew = early; /* content was ahead by refreshes that there are not */
        es__start_trial(display);
    }
}

void es__change_mode(es_display *display, int64_t now_ns)
{
    if (display->mode == ES_DISPLAY_LOCKED) {
        change_locked(display, now_ns);
    } else if (display->mode != ES_DISPLAY_TRYING) {
        if (now_ns >= display->try_again_ns) {
            es__start_trial(display);
        }
    } else if (display->grid.state == ES_GRID_VARIES || display->asked > 0) {
        ask_whose_pace(display, now_ns);
    } else if (es__free_is_proved(&display->free, known_refresh_ns(display))) {
        es__go_free(display, now_ns);
    }
}
