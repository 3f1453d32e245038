/* SPDX-License-Identifier: Zlib */
#include "target.h"

#include "base/common.h"
#include "constants.h"
#include "flips.h"
#include "predict.h"
#include "refresh.h"

/* Times ES__TUNE(error_frames): the longest time to the next trial. */
#define TARGET_AFTER_MAX 256
#define TRIAL_BACKOFF    8

/* Frames over which the largest error without targets is forgotten. */
#define TARGET_FORGET 1024.0

/* Each fourth frame is a probe: screen times come later. */
#define PROBE_EVERY 4
#define PROBES      8

/* es__target.kept before the first probe: two that are not kept end the trial. */
#define KEPT_AT_FIRST 0.75

/* What a setting may cost. */
typedef struct target_price {
    double kept; /* share of frames that are ready at their target */
    double rate; /* share of the frame rate */
    double age;  /* refreshes */
} target_price;

static const target_price *target_price_of(const es__display *display)
{
    static const target_price prices[] = {[ES_TARGET_BALANCED] = {0.98, 0.02, 1.0},
            [ES_TARGET_SMOOTH] = {1.0, 0.05, 2.0},
            [ES_TARGET_EARLY] = {0.75, 0.01, 0.25}};
    return &prices[display->config.target_use];
}

static double target_refresh_ns(const es__display *display)
{
    const es__refresh *refresh = &display->refresh;
    return refresh->certain && !display->varies ? refresh->period_ns : refresh->known_ns;
}

void es__target_reset(es__display *display)
{
    display->target = (es__target){.after = 1, .credit_ns = (double)ES_NS_PER_S};
}

bool es__target_is_on(const es__display *display)
{
    const es__target *target = &display->target;
    bool reported =
            display->feedback && display->frames - display->feedback_frame <= ES_DISPLAY_FRAMES;
    bool asks = target->on || (target->probes > 0 && display->frames % PROBE_EVERY == 0);
    bool known = display->varies || !display->refresh.multiple;
    return asks && known && reported && display->targets.times && display->mode != ES_DISPLAY_FREE
           && display->mode != ES_DISPLAY_HOST;
}

bool es__target_is_exact(const es__display *display)
{
    double error_ns = es__predict_error_ns(&display->predict);
    return es__target_is_on(display)
           && error_ns < ES__TUNE(impossible) * target_refresh_ns(display);
}

/* How far from its target a frame that is kept may be seen. */
static double target_tolerance_ns(const es__display *display)
{
    return display->varies ? 2.5 * ES__TUNE(blocked_ns) : display->refresh.period_ns / 2.0;
}

int64_t es__target_slack_ns(const es__display *display)
{
    const es__target *target = &display->target;
    double full_ns = ES__TUNE(target_credit) * es__predict_mean_ns(&display->predict);
    double share = es__max_f64(es__min_f64(target->credit_ns / full_ns, 1.0), 0.0);
    double slack_ns = target->least_ns + share * (target->most_ns - target->least_ns);
    if (!target->on) { /* a probe: other frames have no slack, so that it would make times uneven */
        slack_ns = es__min_f64(slack_ns, 2.0 * target_tolerance_ns(display));
    }
    return es__to_ns(slack_ns) + display->targets.deadline_ns;
}

void es__target_planned(es__display *display, int64_t expected_ns, int64_t target_ns)
{
    display->target.expected_ns = expected_ns;
    display->target.target_ns = target_ns;
}

/* The range of slack: from the earliest frames on, to the quantile that the price allows. */
static void find_slack(es__display *display)
{
    es__target *target = &display->target;
    const target_price *price = target_price_of(display);
    double sorted[ES_TARGET_FRAMES];
    for (int32_t i = 0; i < ES_TARGET_FRAMES; ++i) {
        sorted[i] = (double)target->late_ns[i];
    }
    es__sort(sorted, ES_TARGET_FRAMES);
    double most_ns = sorted[(int32_t)(price->kept * (ES_TARGET_FRAMES - 1))];
    double middle_ns = sorted[ES_TARGET_FRAMES / 2];
    target->least_ns = sorted[0];
    target->most_ns = es__min_f64(most_ns, middle_ns + price->age * target_refresh_ns(display));
}

/* When the frame would flip without targets, if it is ready then. */
static int64_t free_flip_ns(const es__display *display, int64_t ready_ns)
{
    int64_t before_ns = display->target.free_ns;
    double period_ns = target_refresh_ns(display);
    if (display->varies) {
        return es__max(ready_ns, es__ns_add(before_ns, es__to_ns(period_ns)));
    }
    int64_t after_ns = es__ns_add(before_ns, es__to_ns((display->hold - 0.5) * period_ns));
    int64_t index = es__refresh_after(&display->refresh, es__max(ready_ns, after_ns));
    return es__refresh_time_ns(&display->refresh, index);
}

/* Presents that waited for targets delayed the frame: by so much it flips later. */
static void pay_for_slack(es__display *display, int64_t ready_ns)
{
    es__target *target = &display->target;
    int64_t free_ns = free_flip_ns(display, ready_ns);
    int64_t cost_ns =
            es__ns_sub(free_ns, free_flip_ns(display, es__ns_sub(ready_ns, target->delayed_ns)));
    double passed_ns = es__min_f64((double)es__ns_sub(free_ns, target->free_ns), 1e9);
    double full_ns = ES__TUNE(target_credit) * es__predict_mean_ns(&display->predict);
    double credit_ns =
            target->credit_ns + target_price_of(display)->rate * passed_ns - (double)cost_ns;
    target->credit_ns = es__max_f64(es__min_f64(credit_ns, full_ns), -full_ns);
    target->free_ns = free_ns;
    target->delayed_ns = 0;
}

void es__target_submitted(es__display *display, int64_t now_ns)
{
    es__target *target = &display->target;
    es__display_frame *frame = es__own_frame(display, 0);
    frame->expected_ns = target->expected_ns;
    frame->planned_ns = display->planned_ns;
    if (!display->targets.times || target->expected_ns == 0) {
        return;
    }
    int64_t ready_ns = display->varies ? frame->ready_ns : now_ns;
    target->late_ns[target->frames % ES_TARGET_FRAMES] = es__ns_sub(ready_ns, target->expected_ns);
    frame->target_slot = target->frames % ES_TARGET_FRAMES;
    target->frames += 1;
    double mean_ns = es__predict_mean_ns(&display->predict);
    double off_ns = mean_ns - target->interval_ns;
    target->interval_ns += target->frames > 1 ? off_ns / ES_TARGET_FRAMES : off_ns;
    if (target->frames % (ES_TARGET_FRAMES / 8) == 0 && target->frames >= ES_TARGET_FRAMES) {
        target->frames = target->frames % ES_TARGET_FRAMES + ES_TARGET_FRAMES;
        find_slack(display);
    }
    pay_for_slack(display, ready_ns);
    frame->lag_ns = es__max(es__ns_sub(frame->target_ns, target->free_ns), 0);
}

void es__target_waited(es__display *display, int64_t from_ns, int64_t to_ns, bool for_newest)
{
    int64_t early_ns = (int64_t)ES__TUNE(blocked_ns);
    int64_t most = es__min(es__frames_kept(display), ES_DISPLAY_DISTANCES);
    for (int64_t age = 0; age < most; ++age) {
        const es__display_frame *frame = es__frame(display, age);
        if (for_newest || es__ns_sub(frame->target_ns, to_ns) < early_ns) {
            display->target.delayed_ns = es__min(frame->lag_ns, es__ns_sub(to_ns, from_ns));
            return;
        }
    }
}

/* A target is kept if the frame is seen then, or later because it was not ready. */
static void note_target_kept(es__display *display, int64_t age, double off_ns)
{
    const es__display_frame *frame = es__frame(display, age);
    es__target *target = &display->target;
    int64_t ready_ns = display->varies ? frame->ready_ns : es__flips_ready_ns(display, age);
    double tolerance_ns = target_tolerance_ns(display);
    double least_ns =
            display->varies ? tolerance_ns : ES__TUNE(impossible) * target_refresh_ns(display);
    bool ready = (double)es__ns_sub(frame->target_ns, ready_ns) > least_ns;
    if (off_ns < -tolerance_ns || ready) {
        bool kept = off_ns <= tolerance_ns && off_ns >= -tolerance_ns;
        target->kept += ((kept ? 1.0 : 0.0) - target->kept) / ES__TUNE(readings_known);
    }
}

/* A frame that was seen later than planned was ready too late, as where a GPU was slow. */
static void note_target_late(es__display *display, const es__display_frame *frame, int64_t shown_ns)
{
    es__target *target = &display->target;
    double late_ns = (double)es__ns_sub(shown_ns, frame->planned_ns);
    if (late_ns > (display->varies ? ES__TUNE(blocked_ns) : target_tolerance_ns(display))) {
        double most_ns = ES__TUNE(impossible) * target_refresh_ns(display);
        late_ns = display->varies ? late_ns : most_ns; /* a refresh hides the rest */
        int64_t planned_ns = es__ns_sub(frame->planned_ns, frame->expected_ns);
        int64_t *noted_ns = &target->late_ns[frame->target_slot];
        *noted_ns = es__max(*noted_ns, es__ns_add(planned_ns, es__to_ns(late_ns)));
    }
}

static void set_targets_on(es__target *target, bool on)
{
    target->on = on;
    target->since = 0;
    target->probes = 0;
}

/* Before all frames have targets, every fourth has one, until it is known whether the platform keeps them. */
static void probe_targets(es__target *target)
{
    if (target->probes == 0) {
        target->kept = KEPT_AT_FIRST;
    }
    target->probes += 1;
    if (target->probes > PROBES * PROBE_EVERY) {
        set_targets_on(target, true);
    }
}

/* Targets stay while content errs less than without. Each trial in vain multiplies the time to the next by
 * TRIAL_BACKOFF. A platform that does not keep targets is tried again much later. */
static void judge_targets(es__display *display)
{
    es__target *target = &display->target;
    double error_ns = es__predict_error_ns(&display->predict);
    double equal_ns = ES__TUNE(equal) * es__predict_mean_ns(&display->predict);
    double more = 1.0 + 2.0 * target_price_of(display)->rate;
    int32_t trial = (int32_t)ES__TUNE(error_frames);
    bool is_long = target->since > 2 * trial;
    bool errs = error_ns > (is_long ? 1.0 : 2.0) * target->error_ns + equal_ns;
    bool hides =
            display->varies ? display->variable.hidden_ns > 0 : es__flips_hidden_ns(display) > 0;
    bool slows = hides && is_long && target->interval_ns > more * target->off_interval_ns;
    bool is_new = target->since < 8 * trial;
    target->erring = errs ? target->erring + 1 : 0;
    target->since += target->since < INT32_MAX;
    if (target->kept < ES__TUNE(similar) && (target->on || target->probes > 0)) {
        target->after = target->on && !is_new ? TARGET_AFTER_MAX / 8 : TARGET_AFTER_MAX;
        set_targets_on(target, false);
    } else if (!target->on) {
        double kept_ns = target->error_ns - target->error_ns / TARGET_FORGET;
        target->error_ns = target->since > trial ? es__max_f64(kept_ns, error_ns) : error_ns;
        target->off_interval_ns = target->interval_ns;
        if (target->since >= trial * target->after && target->frames >= ES_TARGET_FRAMES) {
            probe_targets(target);
        }
    } else if (slows || target->erring > (is_long ? 4 * trial : 0)) {
        target->after =
                is_new ? (int32_t)es__min(TRIAL_BACKOFF * target->after, TARGET_AFTER_MAX) : 1;
        set_targets_on(target, false);
    }
}

void es__target_shown(es__display *display, int64_t age, int64_t shown_ns)
{
    if (!display->targets.times) {
        return;
    }
    const es__display_frame *frame = es__frame(display, age);
    double off_ns = (double)es__ns_sub(shown_ns, frame->target_ns);
    if (frame->target_ns != 0) {
        note_target_kept(display, age, off_ns);
        note_target_late(display, frame, shown_ns);
    }
    judge_targets(display);
}
