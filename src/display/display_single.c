/* SPDX-License-Identifier: Zlib
 *
 * Does one picture wait, in place of a queue of them? And when is one handed in that is held back?
 *
 * A queue bears work that takes longer than a refresh, now and then. Where none comes near one it
 * only makes old what is seen: by a refresh for each picture that waits. Android's Swappy leaves
 * its pipelining off there, by default (docs/pacing.md). Here, with feedback, which tells of each
 * late picture: after a time without anything that one waiting picture could not have borne they
 * are handed in one at a time. What comes late all the same ends that; the next time must be
 * four times as long, unless this one lasted.
 *
 * Where a server shows pictures by a timer, when one is seen follows from when it was handed in, to
 * the millisecond (Xvfb). The grid comes of the former; were it to say the latter, it would follow
 * itself, and leave the refreshes. So pictures that are held back are handed in by a line of their
 * own, and content goes by it, too. Feedback moves the line slowly, and sooner by what they are far
 * apart: a loop of the second order that is damped by 0.7. The grid is told of the line, in place
 * of feedback.
 */
#include "display_parts.h"

/* Without anything late for so long it begins: at first, and at most; where something was late,
 * so many times as long as the last time. */
#define CALM_FIRST_NS (ES_NS_PER_S / 4)
#define CALM_MOST_NS  (512 * ES_NS_PER_S)
enum { LONGER = 4 };

/* Of the first so many pictures one is late that was handed in in time: a GPU needs longer. */
enum { FIRST_FRAMES = 8 };

/* After so long without anything late what came before counts no more. */
#define FORGETS_NS (60 * ES_NS_PER_S)

/* Of a refresh: work is typically that part at most, for it to begin; a frame that takes more than
 * such a part, or is handed in later by such a part, one waiting picture might not bear. */
#define TYPICAL 0.5
#define MOST    0.75
#define LATE    0.25

/* The line is moved by such a part of what feedback is off it, and of what it is off by more than
 * such a part of a refresh; its period by half the square of that. It ends where feedback is off by
 * such a part on the mean of some sixteen, and begins where it is no more than this. After a gap
 * readings are asked first: it begins at so much, which takes fifteen of them to fade. */
#define MOVED      (1.0 / 128)
#define MOVED_OVER (1.0 / 32)
#define OVER       (1.0 / 16)
#define OFF_ENDS   0.15
#define OFF_BEGINS 0.1
#define OFF_GAP    0.25
#define OFF_MEAN   (1.0 / 16)

/* Frames are handed in half a refresh ahead, but for one that waits, and where feedback was uneven:
 * that may be a server that refreshes by a timer. Xvfb's count is the time by the period, rounded:
 * half a period before a refresh it has begun, and what is handed in then is shown at the next one,
 * or is not. So it is about three quarters. */
#define AHEAD       0.5
#define AHEAD_LEAST 0.625
#define AHEAD_RANGE 0.25

/* Where feedback is uneven from picture to picture, by so much of a refresh on the mean of some 32,
 * they are handed in a little earlier from then on, by a part of the refresh that is no simple part
 * of a millisecond: of the range above, so much. */
#define UNEVEN      0.01
#define UNEVEN_MEAN (1.0 / 32)
#define ANOTHER     0.118

static bool may_be(const es_display *display)
{
    bool known = display->mode == ES_DISPLAY_LOCKED && display->is_fed && !display->grid.walks
                 && !display->suspected && !display->phase_unknown;
    bool queued = (display->depth > 1 || display->is_loose) && display->multiple == 1
                  && !display->replaces && display->hidden_ns[display->depth - 1] == 0;
    return known && queued && !display->varies && !display->config.low_latency;
}

static bool single_is_quick(const es_display *display)
{
    int64_t typical_ns = es_ns_add(display->render_ns, display->update_mean_ns);
    double most = display->single ? MOST : TYPICAL;
    return (double)typical_ns <= most * es__exact_period_ns(display);
}

/* One more frame without anything against it. */
static bool is_calm(const es_display *display)
{
    double period_ns = es__exact_period_ns(display);
    bool short_enough = (double)display->work_ns <= MOST * period_ns;
    return short_enough && single_is_quick(display) && display->line_off <= OFF_BEGINS;
}

static void begin_anew(es_display *display, int64_t now_ns)
{
    display->single = false;
    display->single_since_ns = now_ns;
}

void es__single_start(es_display *display, int64_t now_ns)
{
    begin_anew(display, now_ns);
    display->line_index = INT64_MIN;
    display->line_early = false;
}

static int64_t newest_ns(es_display *display)
{
    return display->frames > 0 ? es__frame(display, 0)->submit_ns : 0;
}

void es__single_gap(es_display *display)
{
    begin_anew(display, newest_ns(display));
    display->line_index = INT64_MIN;
    display->line_off = OFF_GAP;
}

/* It ends, and the next time must be longer. */
static void end(es_display *display)
{
    int64_t now_ns = newest_ns(display);
    if (display->single) {
        int64_t lasted_ns = es_ns_sub(now_ns, display->single_since_ns);
        int64_t wanted_ns = es__min(LONGER * display->single_wanted_ns, CALM_MOST_NS);
        display->single_wanted_ns = lasted_ns < FORGETS_NS ? wanted_ns : CALM_FIRST_NS;
    }
    begin_anew(display, now_ns);
}

void es__single_late(es_display *display, int64_t age)
{
    int64_t submit_ns = es__frame(display, age)->submit_ns;
    int64_t after_ns = es_ns_sub(submit_ns, display->single_since_ns);
    int64_t first_ns = FIRST_FRAMES * es__period_ns(display);
    bool at_once = display->single && after_ns > 0 && after_ns < first_ns;
    end(display);
    display->single_wanted_ns = at_once ? CALM_MOST_NS : display->single_wanted_ns;
}

static void note_fed(es_display *display, int64_t now_ns)
{
    double late_ns = (double)es_ns_sub(now_ns, display->plan.submit_ns);
    bool is_late = late_ns > LATE * es__exact_period_ns(display);
    if (!may_be(display)) {
        begin_anew(display, now_ns);
    } else if (display->single && (is_late || !single_is_quick(display))) {
        end(display);
    } else if (!display->single && !is_calm(display)) {
        begin_anew(display, now_ns);
    } else if (!display->single) {
        display->single_wanted_ns = es__max(display->single_wanted_ns, CALM_FIRST_NS);
        int64_t calm_ns = es_ns_sub(now_ns, display->single_since_ns);
        display->single = calm_ns >= display->single_wanted_ns;
        display->single_since_ns = display->single ? now_ns : display->single_since_ns;
    }
}

void es__single_note(es_display *display, int64_t now_ns)
{
    if (display->is_fed) {
        note_fed(display, now_ns);
    } else if (display->single) {
        begin_anew(display, now_ns);
    }
}

int64_t es__line_time(es_display *display, int64_t grid_ns)
{
    double passed = (double)display->index - (double)display->line_index;
    double step_ns = passed * display->line_period_ns + display->line_part_ns;
    int64_t whole_ns = es__to_ns(step_ns);
    int64_t line_ns = es_ns_add(display->line_ns, whole_ns);
    if (display->line_off > OFF_BEGINS && display->line_index == INT64_MIN) {
        return grid_ns;
    }
    double most_ns = 0.5 * es__exact_period_ns(display);
    double off_ns = (double)es_ns_sub(line_ns, grid_ns);
    if (display->line_index == INT64_MIN || off_ns > most_ns || off_ns < -most_ns) {
        line_ns = grid_ns;
        step_ns = (double)whole_ns;
        display->line_period_ns = es__exact_period_ns(display);
    }
    display->line_ns = line_ns;
    display->line_part_ns = step_ns - (double)whole_ns;
    display->line_index = display->index;
    return line_ns;
}

int64_t es__line_ahead(const es_display *display)
{
    bool early = display->single || display->line_early;
    double part = early ? AHEAD_LEAST + AHEAD_RANGE * display->line_phase : AHEAD;
    return (int64_t)(part * es__exact_period_ns(display));
}

/* A timer's whole milliseconds jump to and fro where it is nearly one of them. */
static void keep_off_edges(es_display *display, double off)
{
    double change = off - display->line_last_off;
    display->line_last_off = off;
    display->line_uneven += ((change < 0 ? -change : change) - display->line_uneven) * UNEVEN_MEAN;
    if (display->line_uneven > UNEVEN) {
        display->line_early = true;
        display->line_uneven = 0.0;
        display->line_phase += ANOTHER;
        display->line_phase -= display->line_phase >= 1.0 ? 1.0 : 0.0;
    }
}

static void single_move(es_display *display, double off_ns)
{
    double most_ns = OVER * display->line_period_ns;
    double over_ns = off_ns > most_ns ? off_ns - most_ns : 0.0;
    over_ns = off_ns < -most_ns ? off_ns + most_ns : over_ns;
    display->line_part_ns += MOVED * off_ns + MOVED_OVER * over_ns;
    display->line_period_ns +=
            0.5 * MOVED * MOVED * off_ns + 0.5 * MOVED_OVER * MOVED_OVER * over_ns;
}

bool es__line_takes(es_display *display, int64_t age, int64_t shown_ns)
{
    bool begun = display->line_index != INT64_MIN;
    double period_ns = begun ? display->line_period_ns : es__exact_period_ns(display);
    int64_t index = es__frame(display, age)->index[display->depth - 1];
    int64_t from_ns = begun ? display->line_ns : es__time_of(display, index);
    double since = begun ? (double)(index - display->line_index) : 0.0;
    double off_ns = (double)es_ns_sub(shown_ns, from_ns) - since * period_ns;
    double off = off_ns / period_ns;
    int64_t late = es__to_ns(off); /* by whole refreshes */
    off -= (double)late;
    off_ns = off * period_ns;
    display->line_off += ((off < 0 ? -off : off) - display->line_off) * OFF_MEAN;
    if (begun && display->line_off > OFF_ENDS) {
        end(display); /* another rate shows where a queue is full */
    }
    if (!begun || display->line_off > OFF_ENDS) {
        display->line_index = INT64_MIN;
        return false;
    }
    keep_off_edges(display, off);
    single_move(display, off_ns);
    int64_t line_ns = es_ns_sub(shown_ns, es__to_ns(off_ns));
    int64_t seen = es_ns_add(index, late);
    return es_grid_steer(&display->grid, seen, line_ns, display->line_period_ns);
}
