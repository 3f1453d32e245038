/* SPDX-License-Identifier: Zlib
 *
 * One line gives the reading: anchor + scale * slow * (time since the anchor - what is left out).
 * What changes the speed moves the anchor to the last frame first, so the new speed starts from
 * what is on the screen. What is left out of one frame's time (a resync, lockstep) becomes
 * part of the anchor when that frame is closed.
 */
#include "evenstep/content.h"

#include "base/common.h"
#include "content_parts.h"

#define SCALE_MAX 1000

/* Policy spread: content runs 1/4 faster at most while it makes up for what it owes. A second is
 * made up in four; an eighth would take as long again, a half looks like fast forward. */
#define REPAY_MOST (SLOW_ONE / 4)

/* Policy slow: the speed in 1/65536, never below 1/64. After a shortage it is set 1/32 below what
 * just fitted, so that the next frame does not stand at the bound's edge. */
#define SLOW_ONE    65536
#define SLOW_LEAST  (SLOW_ONE / 64)
#define SLOW_MARGIN 32

/* And it recovers by under 1 % per frame, once nothing has been short for so long. */
#define RECOVER_SHARE 104
#define CALM_NS       ES_NS_PER_S

/* So many frames may be seen before the one before them. */
#define SKIPPED_MAX 4

/* What one frame's time leaves out. */
typedef struct content_left_out {
    int64_t wanted_ns; /* by a resync */
    int64_t lag_ns; /* by lockstep, or lockstep wait; negative when lockstep runs ahead of time */
} content_left_out;

static bool content_config_is_valid(const es_content_config *config)
{
    return config->delay_ns >= 0 && config->frame_max_ns >= 0 && config->lockstep_ns >= 0;
}

es_result es_content_init(es_content *content, const es_content_config *config)
{
    const es_ratio one = {1, 1};
    if (content == NULL || config == NULL || !content_config_is_valid(config)) {
        return ES_ERR_INVALID;
    }
    es_content fresh = {0};
    fresh.config = *config;
    fresh.scale = one;
    fresh.slow = one;
    fresh.slow_most = SLOW_ONE;
    fresh.repay = REPAY_MOST;
    fresh.repay_next = REPAY_MOST;
    *content = fresh;
    return ES_OK;
}

/* --- the reading ------------------------------------------------------------------------------ */

static bool is_one(es_ratio ratio)
{
    return ratio.numerator == ratio.denominator;
}

/* Content time that the user wants in a span of time. */
static int64_t scaled_by_user(const es_content *content, int64_t span_ns)
{
    if (content->paused) {
        return 0;
    }
    return is_one(content->scale) ? span_ns : es_ns_scale(span_ns, content->scale);
}

/* Content time that there is in a span of time. */
static int64_t content_scaled(const es_content *content, int64_t span_ns)
{
    int64_t wanted_ns = scaled_by_user(content, span_ns);
    return is_one(content->slow) ? wanted_ns : es_ns_scale(wanted_ns, content->slow);
}

static bool is_in_lockstep(const es_content *content)
{
    return content->config.lockstep_ns != 0;
}

/* Policy wait: a host's D that stepped back left its frame's share unused. */
static int64_t frames_max_ns(const es_content *content)
{
    int64_t most_ns = content->config.frame_max_ns;
    return content->skipped == 0 ? most_ns : es_ns_add(most_ns, most_ns * content->skipped);
}

static content_left_out left_out_at(const es_content *content, int64_t present_ns)
{
    content_left_out out = {0, 0};
    int64_t most_ns = frames_max_ns(content);
    bool usual = !content->resync && most_ns == 0 && !is_in_lockstep(content);
    if (usual || !content->started) {
        return out;
    }
    int64_t span_ns = es_ns_sub(present_ns, content->last_present_ns);
    if (content->resync && (span_ns > content->resync_ns || span_ns < 0)) {
        out.wanted_ns = es_ns_sub(span_ns, content->resync_ns);
        span_ns = content->resync_ns;
    }
    if (is_in_lockstep(content)) {
        out.lag_ns = es_ns_sub(span_ns, content->config.lockstep_ns);
    } else if (most_ns > 0 && span_ns > most_ns) {
        out.lag_ns = span_ns - most_ns;
    }
    return out;
}

/* Time since the anchor that counts. */
static int64_t since_anchor(const es_content *content, int64_t present_ns, content_left_out out)
{
    if (!content->started) {
        return 0;
    }
    int64_t span_ns = es_ns_sub(present_ns, content->anchor_present_ns);
    return es_ns_sub(span_ns, es_ns_add(out.wanted_ns, out.lag_ns));
}

static int64_t reading_with(const es_content *content, int64_t present_ns, content_left_out out)
{
    int64_t since_ns = since_anchor(content, present_ns, out);
    return es_ns_add(content->anchor_content_ns, content_scaled(content, since_ns));
}

static int64_t reading_at(const es_content *content, int64_t present_ns)
{
    return reading_with(content, present_ns, left_out_at(content, present_ns));
}

/* What is still owed of the debt from the frames before. */
static int64_t debt_at(const es_content *content, int64_t present_ns)
{
    if (content->debt_ns == 0 || !content->config.repays_slowly) {
        return 0;
    }
    content_left_out out = left_out_at(content, present_ns);
    int64_t span_ns = es_ns_sub(present_ns, content->last_present_ns);
    span_ns = es_ns_sub(span_ns, es_ns_add(out.wanted_ns, out.lag_ns));
    es_ratio share = {content->repay, SLOW_ONE};
    int64_t repaid_ns = es__max(es_ns_scale(content_scaled(content, span_ns), share), 0);
    return es__max(es_ns_sub(content->debt_ns, repaid_ns), 0);
}

int64_t es_content_due_at(const es_content *content, int64_t present_ns)
{
    if (content->usual) {
        return es__content_usual_due_ns(content, present_ns);
    }
    int64_t owed_ns = content->frame_owed_ns;
    if (content->debt_ns != 0) {
        owed_ns = es_ns_add(owed_ns, debt_at(content, present_ns));
    }
    int64_t due_ns = es_ns_sub(reading_at(content, present_ns), content->config.delay_ns);
    return es_ns_sub(due_ns, owed_ns);
}

int64_t es_content_at(const es_content *content, int64_t present_ns)
{
    return es__max(es_content_due_at(content, present_ns), content->last_content_ns);
}

static int64_t unscaled(int64_t ns, es_ratio ratio)
{
    const es_ratio inverse = {ratio.denominator, ratio.numerator};
    return is_one(ratio) ? ns : es_ns_scale(ns, inverse);
}

int64_t es_content_instant_ns(const es_content *content, int64_t present_ns, int64_t content_ns)
{
    if (content->paused || content->scale.numerator == 0) {
        return present_ns;
    }
    int64_t there_ns = es_ns_add(es_content_due_at(content, present_ns), content->config.delay_ns);
    int64_t ahead_ns = es_ns_sub(content_ns, there_ns);
    return es_ns_add(present_ns, unscaled(unscaled(ahead_ns, content->slow), content->scale));
}

/* --- the account ------------------------------------------------------------------------------ */

static int64_t slowed_at(const es_content *content, int64_t present_ns, content_left_out out)
{
    if (!content->started) {
        return content->anchor_slowed_ns;
    }
    int64_t span_ns = es_ns_sub(present_ns, content->anchor_present_ns);
    int64_t counted_ns = content_scaled(content, since_anchor(content, present_ns, out));
    return es_ns_add(content->anchor_slowed_ns, es_ns_sub(span_ns, counted_ns));
}

static int64_t lagged_at(const es_content *content, int64_t present_ns, content_left_out out)
{
    int64_t since_ns = since_anchor(content, present_ns, out);
    int64_t wanted_ns = scaled_by_user(content, es_ns_add(since_ns, out.lag_ns));
    int64_t lag_ns = es_ns_sub(wanted_ns, content_scaled(content, since_ns));
    return es_ns_add(content->anchor_lagged_ns, lag_ns);
}

/* Nearly every frame of nearly every program: time passes as it is. Asked for each tick, so it is
 * worked out when something changes. */
static void update_usual(es_content *content)
{
    bool whole_frames =
            !content->resync && content->config.frame_max_ns == 0 && !is_in_lockstep(content);
    bool at_full_speed = !content->paused && is_one(content->scale) && is_one(content->slow);
    content->usual = content->started && whole_frames && at_full_speed && content->debt_ns == 0;
}

static void anchor_at_last_frame(es_content *content)
{
    const content_left_out nothing = {0, 0}; /* what it left out is in the anchor already */
    if (!content->started) {
        return;
    }
    int64_t at_ns = content->last_present_ns;
    int64_t slowed_ns = slowed_at(content, at_ns, nothing);
    int64_t lagged_ns = lagged_at(content, at_ns, nothing);
    int64_t passed_ns = content_scaled(content, es_ns_sub(at_ns, content->anchor_present_ns));
    content->anchor_content_ns = es_ns_add(content->anchor_content_ns, passed_ns);
    content->anchor_present_ns = at_ns;
    content->anchor_slowed_ns = slowed_ns;
    content->anchor_lagged_ns = lagged_ns;
}

static void content_fill_account(const es_content *content, int64_t present_ns, int64_t shown_ns,
        content_left_out out, es_account *account)
{
    int64_t reading_ns = reading_with(content, present_ns, out);
    int64_t due_ns = es_ns_sub(reading_ns, content->config.delay_ns);
    es_account fresh = {0};
    fresh.dropped_ns = content->dropped_ns;
    fresh.slowed_ns = slowed_at(content, present_ns, out);
    fresh.lagged_ns = lagged_at(content, present_ns, out);
    fresh.held_ns = es_ns_sub(due_ns, shown_ns);
    fresh.delay_ns = content->config.delay_ns;
    fresh.sought_ns = content->sought_ns;
    *account = fresh;
}

/* --- giving way ------------------------------------------------------------------------------- */

void es_content_drop(es_content *content, int64_t owed_ns)
{
    if (owed_ns <= 0) {
        return;
    }
    content->anchor_content_ns = es_ns_sub(content->anchor_content_ns, owed_ns);
    content->dropped_ns = es_ns_add(content->dropped_ns, owed_ns);
}

void es_content_lag(es_content *content, int64_t lag_ns)
{
    content->anchor_content_ns = es_ns_sub(content->anchor_content_ns, lag_ns);
    content->anchor_slowed_ns = es_ns_add(content->anchor_slowed_ns, lag_ns);
    content->anchor_lagged_ns = es_ns_add(content->anchor_lagged_ns, lag_ns);
}

void es_content_owe(es_content *content, int64_t present_ns, int64_t owed_ns, int64_t most_ns)
{
    if (owed_ns <= 0) {
        return;
    }
    content->usual = false;
    content->frame_owed_ns = es_ns_add(content->frame_owed_ns, owed_ns);
    int64_t total_ns = es_ns_add(content->frame_owed_ns, debt_at(content, present_ns));
    int64_t over_ns = es_ns_sub(total_ns, most_ns);
    if (over_ns > 0) {
        int64_t from_debt_ns = es__max(es_ns_sub(over_ns, content->frame_owed_ns), 0);
        content->frame_owed_ns = es__max(es_ns_sub(content->frame_owed_ns, over_ns), 0);
        content->debt_ns = es_ns_sub(content->debt_ns, from_debt_ns);
        es_content_drop(content, over_ns);
    }
}

/* value * part / whole for 0 <= part <= whole, value up to 65536: both are shortened to 31 bits. */
static uint32_t share_of(uint32_t value, int64_t part, int64_t whole)
{
    while (whole > INT32_MAX) {
        whole /= 2;
        part /= 2;
    }
    return whole > 0 && part > 0 ? (uint32_t)((int64_t)value * part / whole) : 0;
}

static uint32_t slow_share(const es_content *content)
{
    return is_one(content->slow) ? SLOW_ONE : content->slow.numerator;
}

static void set_slow(es_content *content, uint32_t share)
{
    const es_ratio one = {1, 1};
    es_ratio slow = {share > SLOW_LEAST ? share : SLOW_LEAST, SLOW_ONE};
    anchor_at_last_frame(content);
    content->slow = share >= SLOW_ONE ? one : slow;
}

void es_content_slow(es_content *content, int64_t present_ns, int64_t owed_ns)
{
    if (owed_ns <= 0) {
        return;
    }
    int64_t wanted_ns = es_ns_sub(es_content_at(content, present_ns), content->last_content_ns);
    uint32_t before = content->ran_short ? content->slow_next : slow_share(content);
    uint32_t fits = share_of(before, es_ns_sub(wanted_ns, owed_ns), wanted_ns);
    fits -= fits / SLOW_MARGIN;
    content->slow_next = fits > content->slow_most ? fits : content->slow_most;
    content->slow_next = content->slow_next < before ? content->slow_next : before;
    content->ran_short = true;
    es_content_lag(content, owed_ns);
}

void es_content_slow_at_once(es_content *content)
{
    if (content->ran_short) {
        set_slow(content, content->slow_next);
        content->ran_short = false;
        content->calm_ns = 0;
        update_usual(content);
    }
}

void es_content_ease(es_content *content, int64_t ticks_ns, int64_t work_ns)
{
    bool fits = ticks_ns >= work_ns;
    uint32_t most = fits ? SLOW_ONE : share_of(SLOW_ONE, ticks_ns, work_ns);
    uint32_t spare = fits ? share_of(SLOW_ONE, ticks_ns - work_ns, ticks_ns) : 0;
    content->slow_most = fits ? SLOW_ONE : most - most / SLOW_MARGIN;
    content->repay_next = spare / 2 < REPAY_MOST ? spare / 2 : REPAY_MOST;
}

void es__content_slow_down(es_content *content)
{
    if (!content->ran_short && !is_one(content->slow) && slow_share(content) > content->slow_most) {
        content->slow_next = content->slow_most;
        content->ran_short = true;
    }
}

/* A frame is closed and is now the last one. */
static void update_slow(es_content *content, int64_t span_ns)
{
    if (!content->ran_short && (is_one(content->slow) || content->paused)) {
        return;
    }
    uint32_t share = slow_share(content);
    content->calm_ns = content->ran_short ? 0 : es_ns_add(content->calm_ns, span_ns);
    if (content->ran_short) {
        set_slow(content, content->slow_next);
    } else if (share < content->slow_most && content->calm_ns >= CALM_NS) {
        uint32_t more = share + share / RECOVER_SHARE + 1;
        set_slow(content, more < content->slow_most ? more : content->slow_most);
    }
    content->ran_short = false;
}

static void fill_usual_account(
        const es_content *content, int64_t present_ns, int64_t shown_ns, es_account *account)
{
    int64_t since_ns = es_ns_sub(present_ns, content->anchor_present_ns);
    int64_t reading_ns = es_ns_add(content->anchor_content_ns, since_ns);
    account->dropped_ns = content->dropped_ns;
    account->gaps_ns = 0;
    account->reanchored_ns = 0;
    account->slowed_ns = content->anchor_slowed_ns;
    account->lagged_ns = content->anchor_lagged_ns;
    account->held_ns = es_ns_sub(es_ns_sub(reading_ns, content->config.delay_ns), shown_ns);
    account->delay_ns = content->config.delay_ns;
    account->sought_ns = content->sought_ns;
    account->stretched_ns = 0;
}

/* What this frame left out becomes a part of the anchor. */
static void move_anchor(es_content *content, content_left_out out)
{
    int64_t left_ns = es_ns_add(out.wanted_ns, out.lag_ns);
    content->anchor_present_ns = es_ns_add(content->anchor_present_ns, left_ns);
    content->anchor_slowed_ns = es_ns_add(content->anchor_slowed_ns, left_ns);
    content->anchor_lagged_ns =
            es_ns_add(content->anchor_lagged_ns, scaled_by_user(content, out.lag_ns));
}

static void close_unusual(
        es_content *content, int64_t present_ns, int64_t shown_ns, es_account *account)
{
    bool first = !content->started;
    content_left_out out = left_out_at(content, present_ns);
    if (first) {
        content->started = true;
        content->anchor_present_ns = present_ns;
        content->last_present_ns = present_ns;
    }
    content_fill_account(content, present_ns, shown_ns, out, account);
    int64_t kept_ns = es_ns_add(debt_at(content, present_ns), content->frame_owed_ns);
    content->debt_ns = content->config.repays_slowly ? kept_ns : 0;
    content->resync = false;
    move_anchor(content, out);
}

void es_content_close(
        es_content *content, int64_t present_ns, int64_t shown_ns, es_account *account)
{
    bool usual = content->usual && !content->ran_short;
    if (usual) {
        fill_usual_account(content, present_ns, shown_ns, account);
    } else {
        close_unusual(content, present_ns, shown_ns, account);
    }
    int64_t span_ns = es_ns_sub(present_ns, content->last_present_ns);
    content->frame_owed_ns = 0;
    content->repay = content->repay_next;
    if (present_ns >= content->last_present_ns) {
        content->last_present_ns = present_ns;
        content->skipped = 0;
    } else if (content->skipped < SKIPPED_MAX) {
        content->skipped += 1;
    }
    content->last_content_ns = shown_ns;
    if (!usual) {
        update_slow(content, span_ns);
        update_usual(content);
    }
}

/* --- changes on the way ----------------------------------------------------------------------- */

void es_content_set_lockstep(es_content *content, int64_t period_ns)
{
    if (content->config.lockstep_ns > 0 && period_ns > 0) {
        content->config.lockstep_ns = period_ns;
    }
}

void es_content_resync(es_content *content, int64_t interval_ns)
{
    content->resync = content->started;
    content->resync_ns = interval_ns;
    update_usual(content);
}

/* What fits is so much content per real time. Of less that is asked for it is a larger part. */
static void keep_real_speed(es_content *content, es_ratio scale)
{
    const es_ratio real_per_content = {scale.denominator, scale.numerator};
    int64_t share = slow_share(content);
    int64_t fits = es_ns_scale(share * SLOW_ONE, content->scale);
    fits = es_ns_scale(fits, real_per_content) / SLOW_ONE;
    if (fits > share) {
        set_slow(content, fits < SLOW_ONE ? (uint32_t)fits : SLOW_ONE);
    }
}

es_result es_content_set_scale(es_content *content, es_ratio scale)
{
    if (scale.denominator == 0 || scale.numerator / SCALE_MAX > scale.denominator
            || (scale.numerator / SCALE_MAX == scale.denominator
                    && scale.numerator % SCALE_MAX != 0)) {
        return ES_ERR_INVALID;
    }
    anchor_at_last_frame(content);
    keep_real_speed(content, scale);
    content->scale = scale;
    update_usual(content);
    return ES_OK;
}

void es_content_pause(es_content *content, bool paused)
{
    if (content->paused != paused) {
        anchor_at_last_frame(content);
        content->paused = paused;
        update_usual(content);
    }
}

es_result es_content_reconfigure(es_content *content, const es_content_config *config)
{
    if (content == NULL || config == NULL || !content_config_is_valid(config)) {
        return ES_ERR_INVALID;
    }
    if (!config->repays_slowly) {
        es_content_drop(content, content->debt_ns);
        content->debt_ns = 0;
    }
    if (!config->slows) {
        set_slow(content, SLOW_ONE);
    }
    if (content->started) {
        int64_t more_ns = es_ns_sub(config->delay_ns, content->config.delay_ns);
        content->anchor_content_ns = es_ns_add(content->anchor_content_ns, more_ns);
        content->sought_ns = es_ns_add(content->sought_ns, more_ns);
    }
    content->config = *config;
    update_usual(content);
    return ES_OK;
}

/* Makes the reading at the last frame what shows content_ns. */
static void leap_to(es_content *content, int64_t content_ns)
{
    anchor_at_last_frame(content);
    /* the first frame is held at its start by the delay; later ones count from content + delay */
    int64_t reading_ns =
            content->started ? es_ns_add(content_ns, content->config.delay_ns) : content_ns;
    int64_t leap_ns = es_ns_sub(reading_ns, content->anchor_content_ns);
    content->anchor_content_ns = reading_ns;
    content->sought_ns = es_ns_add(content->sought_ns, leap_ns);
    content->debt_ns = 0;
}

void es_content_seek(es_content *content, int64_t content_ns, int64_t interval_ns)
{
    leap_to(content, content_ns);
    content->last_content_ns = content_ns;
    es_content_resync(content, interval_ns);
}

void es_content_step(es_content *content, int64_t content_ns)
{
    leap_to(content, content_ns);
    update_usual(content);
}

void es_content_shown(es_content *content, int64_t shown_ns)
{
    content->last_content_ns = shown_ns;
}

void es_content_place(es_content *content, int64_t content_ns)
{
    leap_to(content, content_ns);
    content->last_content_ns = content_ns;
    update_usual(content);
}
