/* SPDX-License-Identifier: Zlib
 *
 * Predictors by frame times keep to the sum of the frame times: content neither gains nor loses.
 * lag_ns is what is between the two, as after a longer frame that a mean spreads over later ones.
 */
#include "predict.h"

#include "base/common.h"
#include "constants.h"

#include <string.h>

static es__predictor *used(es__predict *predict)
{
    return &predict->by[predict->used];
}

static double absolute(double value)
{
    return value < 0.0 ? -value : value;
}

/* Cut to what sums of times stay far from overflow in. */
static int64_t cut_ns(double ns)
{
    return (int64_t)es__max_f64(es__min_f64(ns, 4e18), -4e18);
}

/* --- the open frame --------------------------------------------------------------------------- */

static double mean_interval_ns(const es__predict *predict, int64_t most, double first_ns)
{
    int64_t count = es__min(predict->intervals, most);
    double sum_ns = 0.0;
    for (int64_t i = 1; i <= count; ++i) {
        sum_ns += (double)predict->intervals_ns[(predict->intervals - i) % ES_DISPLAY_FRAMES];
    }
    return count > 0 ? sum_ns / (double)count : first_ns;
}

/* How far the sum of such means is behind that of the frame times, if it is 0 where these are equal. The sum
 * itself would keep what a change of load leaves: another mean would lead elsewhere for good. */
static double mean_lag_ns(const es__predict *predict, int64_t most)
{
    int64_t count = es__min(predict->intervals, most);
    double sum_ns = 0.0;
    for (int64_t i = 1; i <= count; ++i) {
        double interval_ns =
                (double)predict->intervals_ns[(predict->intervals - i) % ES_DISPLAY_FRAMES];
        sum_ns += interval_ns * ((double)(count + 1) / 2.0 - (double)i);
    }
    return count > 0 ? sum_ns / (double)count : 0.0;
}

/* Whole refreshes, and one more or less where the sum of the frame times differs by more than one:
 * as Godot's delta smoother does (main/main_timer_sync.cpp). */
static double whole_refreshes_ns(const es__predict *predict, double mean_ns, double known_ns)
{
    double lag_ns = predict->by[ES_PREDICT_WHOLE].lag_ns;
    double refreshes = (double)(int64_t)es__max_f64(mean_ns / known_ns + 0.5, 1.0);
    refreshes += lag_ns > known_ns ? 1.0 : lag_ns < -known_ns ? -1.0 : 0.0;
    return es__max_f64(refreshes * known_ns, mean_ns / 4.0);
}

/* One long first frame is a stall; two in a row are a load. While the queue fills, presents do not
 * wait yet. Content begins a part of a refresh late: if ticks have the rate of the refresh, a frame
 * then shows the end of a tick, not its begin, where input would be a tick older. */
static double start_interval_ns(
        es__predict *predict, double passed_ns, double first_ns, double known_ns)
{
    bool stalled_before = predict->stalled, fills = known_ns > 0.0 && passed_ns < known_ns;
    predict->stalled = passed_ns > ES__TUNE(stall) * es__max_f64(first_ns, ES_NS_PER_S / 60.0);
    bool once = predict->stalled && !stalled_before;
    double late_ns = predict->frames == 2 ? ES__TUNE(coast) * known_ns : 0.0;
    return once || fills ? first_ns - late_ns : passed_ns;
}

/* Over this mean, much shorter frames are another load. Below it, a queue that fills gives such frames, too. */
#define SLOW_MEAN_NS (50 * ES_NS_PER_MS)

/* True: content takes this frame time at once, and no mean has it, because a mean would spread it over later frames.
 * That is so over jump_ns, and for a first one far from the mean. A second one is another load: the means begin anew. */
static bool note_interval(es__predict *predict, int64_t passed_ns)
{
    double mean_ns = mean_interval_ns(predict, (int64_t)ES__TUNE(mean_long), (double)passed_ns);
    double interval_ns = (double)passed_ns, hitch = ES__TUNE(hitch);
    bool longer = predict->intervals >= ES_DISPLAY_QUEUES && interval_ns > hitch * mean_ns;
    bool shorter = mean_ns > (double)SLOW_MEAN_NS && interval_ns * hitch < mean_ns;
    bool again = predict->stalled;
    predict->stalled = interval_ns > ES__TUNE(jump_ns) || ((longer || shorter) && !again);
    if (predict->stalled) {
        return true;
    }
    predict->intervals = longer || shorter ? 0 : predict->intervals;
    predict->intervals_ns[predict->intervals % ES_DISPLAY_FRAMES] = passed_ns;
    predict->intervals += 1;
    return false;
}

void es__predict_begin(es__predict *predict, int64_t begin_ns, double first_ns, double known_ns)
{
    int64_t passed_ns = es__max(es__ns_sub(begin_ns, predict->begin_ns), 0);
    es__predictor *by = predict->by;
    bool first = predict->frames == 0;
    predict->frames += 1;
    predict->begin_ns = begin_ns;
    predict->is_planned = false;
    memset(predict->advances_ns[(predict->frames - 1) % ES_DISPLAY_FRAMES], 0,
            sizeof predict->advances_ns[0]); /* it may never be closed */
    bool stalled = !first && !predict->starts && note_interval(predict, passed_ns);
    bool starts = first || predict->starts;
    first_ns =
            starts ? start_interval_ns(predict, (double)passed_ns, first_ns, known_ns) : first_ns;
    double mean_ns = mean_interval_ns(predict, (int64_t)ES__TUNE(mean_long), first_ns);
    by[ES_PREDICT_LAST].advance_ns = starts ? first_ns : (double)passed_ns;
    /* LAST begins with this lag: a plan is not off by it */
    predict->based_ns -= predict->starts ? (double)passed_ns - first_ns : 0.0;
    by[ES_PREDICT_MEAN].advance_ns = mean_interval_ns(predict, ES_DISPLAY_QUEUES, first_ns);
    by[ES_PREDICT_MEAN_LONG].advance_ns = mean_ns;
    by[ES_PREDICT_WHOLE].advance_ns =
            known_ns > 0.0 ? whole_refreshes_ns(predict, mean_ns, known_ns) : mean_ns;
    for (int i = 0; i < ES_PREDICT_EXACT && stalled; ++i) {
        by[i].advance_ns = (double)passed_ns;
    }
    predict->content_lag_ns += first ? 0.0 : (double)passed_ns;
    for (int i = 0; i < ES_PREDICTORS; ++i) {
        by[i].lag_ns +=
                (first ? 0.0 : (double)passed_ns) - (i < ES_PREDICT_EXACT ? by[i].advance_ns : 0.0);
    }
    double last_ns = by[ES_PREDICT_LAST].lag_ns;
    by[ES_PREDICT_MEAN].lag_ns = last_ns + mean_lag_ns(predict, ES_DISPLAY_QUEUES);
    by[ES_PREDICT_MEAN_LONG].lag_ns = last_ns + mean_lag_ns(predict, (int64_t)ES__TUNE(mean_long));
    if (known_ns <= 0.0) {
        by[ES_PREDICT_WHOLE].lag_ns = by[ES_PREDICT_MEAN_LONG].lag_ns;
    }
}

void es__predict_plan(es__predict *predict, int64_t planned_ns, int64_t exact_ns, int64_t flips_ns)
{
    predict->is_planned = true;
    predict->planned_ns = (double)planned_ns;
    predict->by[ES_PREDICT_EXACT].advance_ns = (double)exact_ns;
    predict->by[ES_PREDICT_FLIPS].advance_ns = (double)flips_ns;
}

int64_t es__predict_advance_ns(const es__predict *predict)
{
    return cut_ns(predict->by[predict->used].advance_ns + 0.5);
}

/* How far content should be behind the sum of the frame times, after the open frame. EXACT and FLIPS
 * lead to the planned screen time. */
static double wanted_lag_ns(const es__predict *predict)
{
    return predict->used >= ES_PREDICT_EXACT
                   ? predict->by[ES_PREDICT_EXACT].lag_ns - predict->planned_ns
                   : predict->by[predict->used].lag_ns;
}

int64_t es__predict_slew_ns(const es__predict *predict)
{
    double advance_ns = (double)es__predict_advance_ns(predict);
    double late_ns = predict->content_lag_ns - advance_ns - wanted_lag_ns(predict);
    if (predict->starts) {
        return 0;
    }
    if (late_ns > ES__TUNE(jump_ns)) {
        return cut_ns(late_ns);
    }
    double free_ns = ES__TUNE(free_frames) * es__predict_mean_ns(predict);
    double most_ns = ES__TUNE(slew_max) * advance_ns;
    double over_ns = late_ns > free_ns    ? late_ns - free_ns
                     : late_ns < -free_ns ? late_ns + free_ns
                                          : 0.0;
    double part_ns = over_ns / ES_DISPLAY_FRAMES;
    return cut_ns(es__max_f64(es__min_f64(part_ns, most_ns), -most_ns));
}

void es__predict_close(es__predict *predict, int64_t advance_ns, bool starts)
{
    es__predictor *by = predict->by;
    predict->content_lag_ns -= (double)advance_ns;
    if (predict->is_planned) {
        by[ES_PREDICT_EXACT].lag_ns -= predict->planned_ns;
        double off_ns = by[ES_PREDICT_EXACT].lag_ns + predict->updated_ns - predict->based_ns
                        - by[ES_PREDICT_LAST].lag_ns;
        if (absolute(off_ns) > ES__TUNE(jump_ns)) { /* a false plan, now or before */
            by[ES_PREDICT_EXACT].lag_ns -= off_ns;
        }
    } else { /* a plan begins where content should be */
        by[ES_PREDICT_EXACT] = *used(predict);
        by[ES_PREDICT_FLIPS] = *used(predict);
        predict->based_ns = predict->updated_ns;
    }
    predict->based_ns = starts ? predict->updated_ns : predict->based_ns;
    for (int i = 0; i < ES_PREDICTORS; ++i) {
        predict->advances_ns[(predict->frames - 1) % ES_DISPLAY_FRAMES][i] = by[i].advance_ns;
        by[i].lag_ns = starts ? 0.0 : by[i].lag_ns;
    }
    predict->starts = starts;
    predict->content_lag_ns = starts ? 0.0 : predict->content_lag_ns;
}

int64_t es__predict_offset_ns(const es__predict *predict, int64_t advance_ns, bool planned)
{
    double lag_ns = planned ? predict->by[ES_PREDICT_EXACT].lag_ns - predict->planned_ns : 0.0;
    return cut_ns(predict->content_lag_ns - (double)advance_ns - lag_ns);
}

void es__predict_move(es__predict *predict, int64_t by_ns)
{
    predict->content_lag_ns -= (double)by_ns;
}

void es__predict_leap(es__predict *predict, int64_t by_ns)
{
    predict->seen_ns = es__ns_add(predict->seen_ns, by_ns);
    predict->content_lag_ns -= (double)by_ns;
    /* not of frame times: they have the leap, and content is to recover it. The loop drops a longer one */
    bool recovers = absolute((double)by_ns) <= ES__TUNE(jump_ns);
    for (int i = recovers ? ES_PREDICT_WHOLE : 0; i < ES_PREDICTORS; ++i) {
        predict->by[i].lag_ns -= (double)by_ns;
    }
}

/* --- the best predictor ----------------------------------------------------------------------- */

/* Another one must be better by a share, and by more than nobody sees. Where frames are planned,
 * equal errors speak for the plan. A mean that still has a stall to spread would count it twice. */
static void choose(es__predict *predict, double better)
{
    double equal_ns = ES__TUNE(equal) * es__predict_mean_ns(predict);
    double least_ns = better * used(predict)->error_ns - equal_ns;
    int32_t last = predict->allows_plans ? ES_PREDICT_FLIPS : ES_PREDICT_WHOLE;
    for (int32_t i = 0; i <= last; ++i) {
        double behind_ns = predict->by[i].lag_ns - predict->content_lag_ns;
        bool spreads = i < ES_PREDICT_EXACT && behind_ns > ES__TUNE(jump_ns);
        if (!spreads && predict->by[i].error_ns < least_ns) {
            predict->used = i;
            least_ns = predict->by[i].error_ns;
        }
    }
    if (predict->allows_plans
            && predict->by[ES_PREDICT_FLIPS].error_ns <= used(predict)->error_ns) {
        predict->used = ES_PREDICT_FLIPS;
    }
}

void es__predict_allow(es__predict *predict, bool plans)
{
    predict->allows_plans = plans;
    if (!plans && predict->used > ES_PREDICT_WHOLE) {
        predict->used = ES_PREDICT_LAST;
        choose(predict, 1.0);
    }
}

/* An eye that follows even motion sees how far content is off its line (the g-h filter of tracking
 * radars, with less than critical damping). */
static void judge_predictor(es__predictor *by, double off_ns)
{
    double off_line_ns = by->off_line_ns + off_ns - by->off_speed_ns;
    by->off_speed_ns += ES__TUNE(follow) / 2.0 * off_line_ns;
    by->off_line_ns = (1.0 - ES__TUNE(follow)) * off_line_ns;
    double error_ns = absolute(off_ns) + absolute(off_line_ns);
    by->error_ns += (error_ns - by->error_ns) / ES__TUNE(error_frames);
}

void es__predict_seen(es__predict *predict, int64_t age, int64_t seen_ns, es__seen_source source)
{
    int64_t frame = predict->frames - 1 - age;
    bool same = source == predict->seen_source;
    if (same && frame <= predict->seen_frame) {
        return;
    }
    int64_t first = predict->seen_frame + 1; /* frames between were discarded, or have no reading */
    bool kept = same && predict->frames - first <= ES_DISPLAY_FRAMES;
    double passed_ns = (double)es__ns_sub(seen_ns, predict->seen_ns);
    predict->seen_ns = seen_ns;
    predict->seen_frame = frame;
    predict->seen_source = source;
    if (!kept) {
        return;
    }
    for (int i = 0; i < ES_PREDICTORS; ++i) {
        double moved_ns = 0.0;
        for (int64_t k = first; k <= frame; ++k) {
            moved_ns += predict->advances_ns[k % ES_DISPLAY_FRAMES][i];
        }
        judge_predictor(&predict->by[i], moved_ns - passed_ns);
    }
    choose(predict, ES__TUNE(better));
}

void es__predict_restart(es__predict *predict)
{
    predict->used = ES_PREDICT_FLIPS;
}
