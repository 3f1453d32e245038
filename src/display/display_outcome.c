/* SPDX-License-Identifier: Zlib
 *
 * What came of a frame: what it cost, when it was handed in, when present returned, when it was
 * seen; and what happened to the clock.
 */
#include "display_parts.h"

#define SPAN_MEAN    32
#define BLOCKED_MEAN 16
#define UPDATE_MEAN  16

/* Free: what nearly every frame can keep. */
#define WINDOW_NS      (5 * ES_NS_PER_S)
#define WINDOW_LATE_NS ES_NS_PER_S

/* More frames of a trial are not counted. */
enum { TRIED_MOST = 1000 };

#define UNFED_AFTER    40
#define SHOWN_EARLY_NS (2 * ES_NS_PER_MS)
#define SHOWN_AHEAD_NS (50 * ES_NS_PER_MS)
#define REPLACED_NS    (50 * ES_NS_PER_MS)

/* One of the first few: into its place among those before. */
static void sort_in(int64_t *sorted, int64_t count, int64_t render_ns)
{
    int64_t at = count;
    for (; at > 0 && sorted[at - 1] > render_ns; --at) {
        sorted[at] = sorted[at - 1];
    }
    sorted[at] = render_ns;
}

/* The oldest goes and the newest comes, each wherever it is: as nobody could foresee where, all
 * places are gone through, without a branch. */
static inline void replace(int64_t *sorted, int64_t oldest_ns, int64_t newest_ns)
{
    int64_t below_ns = INT64_MIN;
    for (int32_t i = 0; i < ES_DISPLAY_RENDERS - 1; ++i) {
        int64_t kept_ns = sorted[i + (sorted[i] >= oldest_ns)];
        sorted[i] = es__max(below_ns, es__min(kept_ns, newest_ns));
        below_ns = kept_ns;
    }
    sorted[ES_DISPLAY_RENDERS - 1] = es__max(below_ns, newest_ns);
}

/* The median of the last few: kept in order. */
static int64_t typical_render_ns(es_display *display, int64_t render_ns)
{
    int64_t *sorted = display->sorted_ns;
    int64_t *oldest_ns = &display->renders_ns[display->render];
    if (display->renders == ES_DISPLAY_RENDERS) {
        replace(sorted, *oldest_ns, render_ns);
    } else {
        sort_in(sorted, display->renders, render_ns);
        display->renders += 1;
    }
    *oldest_ns = render_ns;
    display->render = display->render == ES_DISPLAY_RENDERS - 1 ? 0 : display->render + 1;
    return sorted[display->renders / 2];
}

/* What a frame cost, and the most of late. */
static void outcome_note_work(es_display *display, int64_t now_ns, const es_display_work *work)
{
    display->render_ns = typical_render_ns(display, work->render_ns);
    display->newest_render_ns[1] = display->newest_render_ns[0];
    display->newest_render_ns[0] = work->render_ns;
    int64_t work_ns = es_ns_add(work->update_ns, work->render_ns);
    display->work_ns = work_ns;
    display->update_ns = work->update_ns;
    display->submitted_interval_ns = display->plan.interval_ns;
    int64_t more_ns = es_ns_sub(work->update_ns, display->update_mean_ns) / UPDATE_MEAN;
    display->update_mean_ns = es_ns_add(display->update_mean_ns, more_ns);
    bool locked = es__is_on_grid(display);
    int64_t most_ns = locked ? 3 * es__period_ns(display) * display->multiple : INT64_MAX;
    int64_t spent_ns = locked ? work_ns : work->render_ns;
    if (spent_ns < most_ns) {
        display->render_max_ns = es__max(display->render_max_ns, spent_ns);
    }
    int64_t window_ns = display->config.low_latency ? WINDOW_LATE_NS : WINDOW_NS;
    if (es_ns_sub(now_ns, display->render_window_ns) >= window_ns) {
        display->render_max_last_ns = display->render_max_ns;
        display->render_max_ns = 0;
        display->render_window_ns = now_ns;
    }
    display->work_high_ns = es__max(display->render_max_ns, display->render_max_last_ns);
}

void es_display_submitted(es_display *display, int64_t now_ns, const es_display_work *work)
{
    int64_t before = display->frames > 0 ? es__newest_index(display) : 0;
    bool any = display->frames > 0;
    display->frames += 1;
    display->moved = true;
    display->base_motion_ns = display->last_motion_ns;
    display->base_offset_ns = display->plan.offset_ns;
    es__frame(display, 0)->begin_ns = display->begin_ns;
    es__frame(display, 0)->submit_ns = now_ns;
    es__frame(display, 0)->discarded = false;
    int64_t span_ns = es_ns_sub(now_ns, es__frame(display, any ? 1 : 0)->submit_ns);
    display->span_ns =
            display->span_ns == 0
                    ? span_ns
                    : es_ns_add(display->span_ns, es_ns_sub(span_ns, display->span_ns) / SPAN_MEAN);
    display->last_shown_ns = es__max(now_ns, display->plan.submit_ns);
    if (es__is_on_grid(display) && any) {
        es__queue_submit(display);
        display->locked_frames += 1;
        es__interval_note(display, now_ns, work, display->index, before);
        if (display->config.low_latency) {
            es__lead_note(display, es__newest_index(display) > before + display->multiple);
        }
    }
    outcome_note_work(display, now_ns, work);
    es__single_note(display, now_ns);
}

/* Without a queue the refreshes before a picture is done are in no reading, nor are, with one or
 * without, those for which it is held. With a queue readings come as often as pictures are done, on
 * the mean. And where quick frames skipped refreshes, too, they are not there: that was asked. */
static int64_t hidden_ns(const es_display *display)
{
    bool locked = display->mode == ES_DISPLAY_LOCKED;
    int32_t depth = locked || display->config.queue > 0 ? display->depth : display->run_in + 1;
    if (display->coarse >= ES__COARSE_FRAMES) {
        return 0;
    }
    if (locked && display->multiple > 1) {
        return display->multiple * es__period_ns(display);
    }
    return depth == 1 ? es_ns_add(display->render_ns, display->update_mean_ns) : 0;
}

static void read_refresh(es_display *display, int64_t at_ns)
{
    es_grid_hide(&display->grid, (int64_t)display->tested_period_ns, hidden_ns(display));
    es_grid_add(&display->grid, at_ns);
}

static void return_unlocked(es_display *display, int64_t now_ns, bool blocked)
{
    if (display->mode != ES_DISPLAY_TRYING) {
        return;
    }
    es__free_note(&display->free, now_ns, blocked);
    bool looks = now_ns >= display->try_again_ns && display->tried < TRIED_MOST;
    display->tried += looks;
    display->tried_blocked += blocked;
    bool fills = display->tried_blocked == (blocked ? 1 : 0); /* none blocked before */
    if (fills) {
        int64_t submit_ns = es__frame(display, 0)->submit_ns;
        display->run_from_ns = display->run_in == 0 ? submit_ns : display->run_from_ns;
        display->run_to_ns = submit_ns;
        display->run_in += !blocked && display->run_in < TRIED_MOST;
    }
    if (blocked && !display->is_fed && now_ns >= display->try_again_ns) {
        read_refresh(display, now_ns);
        if (display->grid.state == ES_GRID_LOCKED) {
            es__lock(display, now_ns);
        }
    }
}

static bool outcome_is_quick(const es_display *display)
{
    int64_t held_ns = display->multiple * es__period_ns(display);
    return display->work_ns < held_ns * 3 / 4;
}

/* Quick frames are never shown at the next refresh, and nobody holds them: what refreshes is the
 * display, at another rate than before. Asked once of each. waited: present did, for a refresh. */
static bool is_coarser(es_display *display, int64_t passed, bool waited)
{
    bool skips = waited && passed > display->multiple && outcome_is_quick(display);
    display->coarse = skips && !display->is_not_coarse ? display->coarse + 1 : 0;
    return display->coarse >= ES__COARSE_FRAMES;
}

void es_display_returned(es_display *display, int64_t now_ns)
{
    display->blocked_ns = es_ns_sub(now_ns, es__frame(display, 0)->submit_ns);
    bool blocked = display->blocked_ns > ES__BLOCKED_NS;
    int64_t more_ns = es_ns_sub(display->blocked_ns, display->blocked_mean_ns) / BLOCKED_MEAN;
    display->blocked_mean_ns = es_ns_add(display->blocked_mean_ns, more_ns);
    int64_t locks = display->grid.locks;
    if (display->is_fed && display->frames - 1 - display->fed_frame > UNFED_AFTER) {
        display->is_fed = false;
        display->replaces = false;
    }
    display->probe_frames += 1;
    es__pace_note(display, now_ns, blocked);
    if (display->mode == ES_DISPLAY_LOCKED && es__asks_return(display)) {
        int64_t at_ns = es_ns_add(now_ns, es__early_ns(display));
        int64_t before = display->read_index, next = before + display->multiple;
        display->read_index = es_grid_index_near(&display->grid, at_ns, next);
        if (!display->is_fed && is_coarser(display, display->read_index - before, blocked)) {
            es__start_trial(display);
        }
    }
    if (display->mode != ES_DISPLAY_LOCKED) {
        return_unlocked(display, now_ns, blocked);
    } else if (es__queue_return(display, now_ns, blocked) && !display->is_fed) {
        read_refresh(display, now_ns);
        display->read_ns = now_ns;
        display->probe_readings += 1;
        if (display->grid.state == ES_GRID_LOCKED && display->grid.locks != locks) {
            es__lock(display, now_ns);
        }
    }
    display->returned_ns = now_ns;
}

/* No picture is seen before it was handed in, nor is it told of that long before it is seen: such
 * times are of another clock, or nonsense. */
static bool is_possible(es_display *display, int64_t age, int64_t shown_ns)
{
    const es_display_frame *newest = es__frame(display, 0);
    int64_t earliest_ns = es_ns_sub(es__frame(display, age)->submit_ns, SHOWN_EARLY_NS);
    int64_t latest_ns = es_ns_add(newest->submit_ns, es__max(display->blocked_ns, 0));
    return shown_ns >= earliest_ns && shown_ns <= es_ns_add(latest_ns, SHOWN_AHEAD_NS);
}

/* Of two pictures so close together one was seen: the newer took the place of the older. */
static void note_replaced(es_display *display, int64_t shown_ns)
{
    bool at_once = es_ns_sub(shown_ns, display->discarded_ns) < REPLACED_NS;
    if (!display->discards || !at_once) {
        display->discards = false;
        return;
    }
    display->discards = false;
    display->replaces = true;
    if (display->mode == ES_DISPLAY_TRYING) {
        es__go_free(display, es__frame(display, 0)->submit_ns);
    }
}

void es_display_counted(es_display *display, int64_t age, int64_t shown_ns, uint64_t sequence)
{
    bool known = age >= 0 && age < ES_DISPLAY_FRAMES && age < display->frames;
    if (known && sequence != 0 && is_possible(display, age, shown_ns)) {
        es__queue_counted(display, shown_ns, sequence);
    }
}

void es_display_shown(es_display *display, int64_t age, int64_t shown_ns)
{
    int64_t frame = display->frames - 1 - age;
    int64_t locks = display->grid.locks;
    if (age < 0 || age >= ES_DISPLAY_FRAMES || frame <= display->fed_frame || frame < 0) {
        return;
    }
    if (!is_possible(display, age, shown_ns)) {
        return;
    }
    bool waited = frame == display->fed_frame + 1 && display->blocked_ns > ES__BLOCKED_NS;
    display->fed_frame = frame;
    note_replaced(display, shown_ns);
    if (display->mode == ES_DISPLAY_LOCKED && display->is_fed
            && !es__queue_believes(display, age, shown_ns)) {
        return;
    }
    if (!display->is_fed) {
        display->is_fed = true;
        es_grid_drop(&display->grid);
        if (display->mode == ES_DISPLAY_LOCKED) {
            es__start_trial(display);
        }
    }
    if (display->mode != ES_DISPLAY_LOCKED || !es__line_takes(display, age, shown_ns)) {
        read_refresh(display, shown_ns);
    }
    if (display->grid.state != ES_GRID_LOCKED) {
        if (display->mode == ES_DISPLAY_LOCKED) { /* in mid-frame, too: nothing reckons without */
            es__change_mode(display, shown_ns);
        }
        return;
    }
    if (display->mode != ES_DISPLAY_LOCKED || display->grid.locks != locks) {
        es__lock(display, shown_ns);
    }
    display->read_ns = shown_ns;
    int64_t before = display->seen_index;
    display->seen_index = es__queue_shown(display, age, shown_ns);
    if (is_coarser(display, es_ns_sub(display->seen_index, before), waited)) {
        es__start_trial(display);
    }
}

void es_display_discarded(es_display *display, int64_t age)
{
    int64_t frame = display->frames - 1 - age;
    if (age < 0 || age >= ES_DISPLAY_FRAMES || frame <= display->fed_frame || frame < 0) {
        return;
    }
    display->fed_frame = frame;
    if (!display->discards) {
        display->discarded_ns = es__frame(display, age)->submit_ns;
    }
    display->discards = true;
    es__frame(display, age)->discarded = true;
    if (display->replaces && display->mode == ES_DISPLAY_LOCKED) {
        es__queue_discarded(display, age);
    }
}

void es_display_varies(es_display *display)
{
    display->varies = true;
    display->is_fixed = false;
}

void es_display_gap(es_display *display, int64_t removed_ns, bool clock_wrong)
{
    if (!clock_wrong) {
        int64_t cut_ns = es_ns_sub(0, removed_ns);
        es_grid_shift(&display->grid, cut_ns);
        display->last_shown_ns = es_ns_add(display->last_shown_ns, cut_ns);
        display->restart = display->moved;
    }
    if (clock_wrong || display->mode != ES_DISPLAY_LOCKED) {
        display->phase_unknown = true;
        display->suspect_frames = 0;
        display->read_ns = es_ns_sub(display->read_ns, ES__PROBE_AFTER_NS); /* ask soon */
    }
    display->suspected = false;
    display->clock_wrong = clock_wrong;
    display->early = 0;
    display->realign = 0;
    display->counted = 0; /* its count went on */
    display->counted_leap_ns = 0;
    display->free.presents = 0;
    es__single_gap(display);
}
