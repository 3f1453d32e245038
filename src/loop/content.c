/* SPDX-License-Identifier: Zlib
 *
 * A linear function gives the reading: anchor + scale * slow * (time since the anchor - excluded).
 * A change of speed moves the anchor to the last frame first, so the new speed starts from the
 * instant on the screen. Time excluded from one frame (a resync, a count, policy wait) becomes
 * part of the anchor when that frame is closed.
 */
#include "content.h"

#include "base/common.h"

#define SCALE_MAX 1000

/* Policy spread: content runs at most 1/4 faster while there is debt. A second is made up in four;
 * 1/8 would take twice as long, 1/2 looks like fast forward. */
#define CATCH_UP_SHARE_MAX (SLOW_ONE / 4)

/* Policy slow: the speed in 1/65536, at least 1/64. After a shortage it is 1/32 below the speed
 * that would just have fitted, so that the next frame is not at the bound's edge. */
#define SLOW_ONE    65536
#define SLOW_MIN    (SLOW_ONE / 64)
#define SLOW_MARGIN 32

/* It recovers by 1/104 (0.96 %) per frame, after this long without a shortage. */
#define RECOVER_SHARE    104
#define RECOVER_AFTER_NS ES_NS_PER_S

/* A host may report up to this many frames out of order. */
#define SKIPPED_MAX 4

/* Time excluded from one frame. */
typedef struct content_excluded {
    int64_t resync_ns;
    int64_t slow_motion_ns; /* by a count or policy wait; negative: content runs ahead of time */
} content_excluded;

void es__content_init(es__content *content, const es__content_config *config)
{
    const es__ratio one = {1, 1};
    es__content fresh = {0};
    fresh.config = *config;
    fresh.scale = one;
    fresh.slow = one;
    fresh.slow_max = SLOW_ONE;
    fresh.catch_up_share = CATCH_UP_SHARE_MAX;
    fresh.catch_up_share_next = CATCH_UP_SHARE_MAX;
    *content = fresh;
}

/* --- the reading ------------------------------------------------------------------------------ */

static bool is_one(es__ratio ratio)
{
    return ratio.numerator == ratio.denominator;
}

/* Content time in a span of real time, at the user's speed. */
static int64_t scaled_by_user(const es__content *content, int64_t span_ns)
{
    if (content->paused) {
        return 0;
    }
    return is_one(content->scale) ? span_ns : es__ns_scale(span_ns, content->scale);
}

/* Content time in a span of real time, in slow motion too. */
static int64_t content_scaled(const es__content *content, int64_t span_ns)
{
    int64_t wanted_ns = scaled_by_user(content, span_ns);
    return is_one(content->slow) ? wanted_ns : es__ns_scale(wanted_ns, content->slow);
}

/* Policy wait: the limit, and that of frames whose D stepped back and that used none of it. */
static int64_t frames_max_ns(const es__content *content)
{
    int64_t most_ns = content->config.frame_max_ns;
    return content->skipped == 0 ? most_ns : most_ns + most_ns * content->skipped;
}

static content_excluded excluded_at(const es__content *content, int64_t present_ns)
{
    content_excluded out = {0, 0};
    int64_t most_ns = frames_max_ns(content);
    if (!content->started) {
        return out;
    }
    int64_t span_ns = present_ns - content->last_present_ns;
    if (content->resync && (content->reanchors || span_ns > content->resync_ns || span_ns < 0)) {
        out.resync_ns = es__clamp_ns(span_ns - content->resync_ns);
        span_ns = content->resync_ns;
    }
    if (content->counted) {
        out.slow_motion_ns = es__clamp_ns(span_ns - content->counted_ns);
    } else if (most_ns > 0 && span_ns > most_ns) {
        out.slow_motion_ns = span_ns - most_ns;
    }
    return out;
}

/* Time since the anchor, without the excluded time. */
static int64_t since_anchor(const es__content *content, int64_t present_ns, content_excluded out)
{
    if (!content->started) {
        return 0;
    }
    int64_t span_ns = present_ns - content->anchor_present_ns;
    return span_ns - out.resync_ns - out.slow_motion_ns;
}

static int64_t reading_with(const es__content *content, int64_t present_ns, content_excluded out)
{
    int64_t since_ns = since_anchor(content, present_ns, out);
    return es__clamp_ns(content->anchor_content_ns + content_scaled(content, since_ns));
}

static int64_t reading_at(const es__content *content, int64_t present_ns)
{
    return reading_with(content, present_ns, excluded_at(content, present_ns));
}

/* What is left at this instant of the debt from the frames before. */
static int64_t debt_at(const es__content *content, int64_t present_ns)
{
    if (!content->config.spreads_debt) {
        return 0;
    }
    content_excluded out = excluded_at(content, present_ns);
    int64_t span_ns = present_ns - content->last_present_ns;
    span_ns -= out.resync_ns + out.slow_motion_ns;
    es__ratio share = {content->catch_up_share, SLOW_ONE};
    int64_t repaid_ns = es__max(es__ns_scale(content_scaled(content, span_ns), share), 0);
    return es__max(content->debt_ns - repaid_ns, 0);
}

int64_t es__content_unclamped_at(const es__content *content, int64_t present_ns)
{
    int64_t debt_ns = content->frame_debt_ns + debt_at(content, present_ns);
    return reading_at(content, present_ns) - content->config.delay_ns - debt_ns;
}

int64_t es__content_at(const es__content *content, int64_t present_ns)
{
    return es__max(es__content_unclamped_at(content, present_ns), content->last_content_ns);
}

int64_t es__content_instant_ns(const es__content *content, int64_t present_ns, int64_t content_ns)
{
    if (content->paused || content->scale.numerator == 0) {
        return present_ns;
    }
    int64_t there_ns = es__content_unclamped_at(content, present_ns) + content->config.delay_ns;
    int64_t ahead_ns = content_ns - there_ns;
    return present_ns + es__ns_unscale(es__ns_unscale(ahead_ns, content->slow), content->scale);
}

/* --- the account ------------------------------------------------------------------------------ */

static int64_t slowed_at(const es__content *content, int64_t present_ns, content_excluded out)
{
    if (!content->started) {
        return content->anchor_slowed_ns;
    }
    int64_t span_ns = present_ns - content->anchor_present_ns;
    int64_t counted_ns = content_scaled(content, since_anchor(content, present_ns, out));
    return content->anchor_slowed_ns + span_ns - counted_ns;
}

static int64_t slow_motion_at(const es__content *content, int64_t present_ns, content_excluded out)
{
    int64_t since_ns = since_anchor(content, present_ns, out);
    int64_t wanted_ns = scaled_by_user(content, since_ns + out.slow_motion_ns);
    return content->anchor_slow_motion_ns + wanted_ns - content_scaled(content, since_ns);
}

static void anchor_at_last_frame(es__content *content)
{
    const content_excluded nothing = {0, 0}; /* the anchor holds it already */
    if (!content->started) {
        return;
    }
    int64_t at_ns = content->last_present_ns;
    int64_t slowed_ns = slowed_at(content, at_ns, nothing);
    int64_t slow_motion_ns = slow_motion_at(content, at_ns, nothing);
    int64_t passed_ns = content_scaled(content, at_ns - content->anchor_present_ns);
    es__count_ns(&content->anchor_content_ns, passed_ns);
    content->anchor_present_ns = at_ns;
    content->anchor_slowed_ns = slowed_ns;
    content->anchor_slow_motion_ns = slow_motion_ns;
}

static void content_fill_account(const es__content *content, int64_t present_ns, int64_t shown_ns,
        content_excluded out, es_account *account)
{
    int64_t reading_ns = reading_with(content, present_ns, out);
    int64_t due_ns = reading_ns - content->config.delay_ns;
    int64_t lasting_ns = content->reanchors ? out.resync_ns : 0;
    *account = (es_account){.dropped_ns = content->dropped_ns,
            .slowed_ns = slowed_at(content, present_ns, out) - lasting_ns,
            .reanchored_ns = content->reanchored_ns + lasting_ns,
            .slow_motion_ns = slow_motion_at(content, present_ns, out),
            .clamped_ns = due_ns - shown_ns,
            .delay_ns = content->config.delay_ns,
            .seeked_ns = content->seeked_ns};
}

/* --- catching up
 * ------------------------------------------------------------------------------- */

void es__content_drop(es__content *content, int64_t debt_ns)
{
    if (debt_ns <= 0) {
        return;
    }
    es__count_ns(&content->anchor_content_ns, -debt_ns);
    es__count_ns(&content->dropped_ns, debt_ns);
}

void es__content_slow_by(es__content *content, int64_t slow_motion_ns)
{
    es__count_ns(&content->anchor_content_ns, -slow_motion_ns);
    es__count_ns(&content->anchor_slowed_ns, slow_motion_ns);
    es__count_ns(&content->anchor_slow_motion_ns, slow_motion_ns);
}

void es__content_add_debt(
        es__content *content, int64_t present_ns, int64_t debt_ns, int64_t most_ns)
{
    if (debt_ns <= 0) {
        return;
    }
    es__count_ns(&content->frame_debt_ns, debt_ns);
    int64_t over_ns = content->frame_debt_ns + debt_at(content, present_ns) - most_ns;
    if (over_ns > 0) {
        int64_t from_debt_ns = es__max(over_ns - content->frame_debt_ns, 0);
        content->frame_debt_ns = es__max(content->frame_debt_ns - over_ns, 0);
        content->debt_ns -= from_debt_ns;
        es__content_drop(content, over_ns);
    }
}

/* value * part / whole for 0 <= part <= whole, value up to 65536. Both are shortened to 31 bits. */
static uint32_t share_of(uint32_t value, int64_t part, int64_t whole)
{
    while (whole > INT32_MAX) {
        whole /= 2;
        part /= 2;
    }
    return whole > 0 && part > 0 ? (uint32_t)((int64_t)value * part / whole) : 0;
}

static uint32_t slow_share(const es__content *content)
{
    return is_one(content->slow) ? SLOW_ONE : content->slow.numerator;
}

static void set_slow(es__content *content, uint32_t share)
{
    const es__ratio one = {1, 1};
    es__ratio slow = {share > SLOW_MIN ? share : SLOW_MIN, SLOW_ONE};
    anchor_at_last_frame(content);
    content->slow = share >= SLOW_ONE ? one : slow;
}

void es__content_slow(es__content *content, int64_t present_ns, int64_t debt_ns)
{
    if (debt_ns <= 0) {
        return;
    }
    int64_t wanted_ns = es__content_at(content, present_ns) - content->last_content_ns;
    uint32_t before = content->ran_short ? content->slow_next : slow_share(content);
    uint32_t fits = share_of(before, wanted_ns - debt_ns, wanted_ns);
    fits -= fits / SLOW_MARGIN;
    content->slow_next = fits > content->slow_max ? fits : content->slow_max;
    content->slow_next = content->slow_next < before ? content->slow_next : before;
    content->ran_short = true;
    es__content_slow_by(content, debt_ns);
}

void es__content_apply_slow(es__content *content)
{
    if (content->ran_short) {
        set_slow(content, content->slow_next);
        content->ran_short = false;
        content->since_short_ns = 0;
    }
}

void es__content_set_capacity(es__content *content, int64_t ticks_ns, int64_t work_ns)
{
    bool fits = ticks_ns >= work_ns;
    uint32_t most = fits ? SLOW_ONE : share_of(SLOW_ONE, ticks_ns, work_ns);
    uint32_t spare = fits ? share_of(SLOW_ONE, ticks_ns - work_ns, ticks_ns) : 0;
    content->slow_max = fits ? SLOW_ONE : most - most / SLOW_MARGIN;
    content->catch_up_share_next = spare / 2 < CATCH_UP_SHARE_MAX ? spare / 2 : CATCH_UP_SHARE_MAX;
}

void es__content_slow_to_capacity(es__content *content)
{
    if (!content->ran_short && !is_one(content->slow) && slow_share(content) > content->slow_max) {
        content->slow_next = content->slow_max;
        content->ran_short = true;
    }
}

/* A frame is closed and is now the last one. */
static void update_slow(es__content *content, int64_t span_ns)
{
    if (!content->ran_short && (is_one(content->slow) || content->paused)) {
        return;
    }
    uint32_t share = slow_share(content);
    es__count_ns(&content->since_short_ns, span_ns);
    if (content->ran_short) {
        content->since_short_ns = 0;
        set_slow(content, content->slow_next);
    } else if (share < content->slow_max && content->since_short_ns >= RECOVER_AFTER_NS) {
        uint32_t more = share + share / RECOVER_SHARE + 1;
        set_slow(content, more < content->slow_max ? more : content->slow_max);
    }
    content->ran_short = false;
}

/* Time excluded from this frame becomes part of the anchor. */
static void move_anchor(es__content *content, content_excluded out)
{
    int64_t left_ns = out.resync_ns + out.slow_motion_ns;
    int64_t slowed_ns = content->reanchors ? out.slow_motion_ns : left_ns;
    es__count_ns(&content->anchor_present_ns, left_ns);
    es__count_ns(&content->anchor_slowed_ns, slowed_ns);
    es__count_ns(&content->reanchored_ns, left_ns - slowed_ns);
    es__count_ns(&content->anchor_slow_motion_ns, scaled_by_user(content, out.slow_motion_ns));
}

void es__content_close(
        es__content *content, int64_t present_ns, int64_t shown_ns, es_account *account)
{
    content_excluded out = excluded_at(content, present_ns);
    if (!content->started) {
        content->started = true;
        content->anchor_present_ns = present_ns;
        content->last_present_ns = present_ns;
    }
    content_fill_account(content, present_ns, shown_ns, out, account);
    int64_t kept_ns = debt_at(content, present_ns) + content->frame_debt_ns;
    content->debt_ns = content->config.spreads_debt ? es__clamp_ns(kept_ns) : 0;
    content->frame_debt_ns = 0;
    move_anchor(content, out);
    bool moves = content->counted || content->reanchors; /* these need no time */
    content->resync = false;
    content->reanchors = false;
    int64_t span_ns = present_ns - content->last_present_ns;
    content->catch_up_share = content->catch_up_share_next;
    if (present_ns >= content->last_present_ns || moves) {
        content->last_present_ns = present_ns;
        content->skipped = 0;
    } else if (content->skipped < SKIPPED_MAX) {
        content->skipped += 1;
    }
    content->counted = false;
    content->last_content_ns = shown_ns;
    update_slow(content, span_ns);
}

/* --- changes ---------------------------------------------------------------------------------- */

void es__content_count(es__content *content, int64_t counted_ns)
{
    content->counted = true;
    content->counted_ns = counted_ns;
}

int64_t es__content_last_due_ns(const es__content *content)
{
    int64_t passed_ns = content->last_present_ns - content->anchor_present_ns;
    return content->anchor_content_ns + content_scaled(content, passed_ns)
           - content->config.delay_ns;
}

void es__content_count_to(es__content *content, int64_t content_ns)
{
    int64_t ahead_ns = content_ns - es__content_last_due_ns(content);
    es__content_count(content, es__ns_unscale(ahead_ns, content->scale));
}

void es__content_resync(es__content *content, int64_t interval_ns)
{
    content->resync = content->started;
    content->resync_ns = interval_ns;
}

void es__content_reanchor(es__content *content, int64_t interval_ns)
{
    es__content_resync(content, interval_ns);
    content->reanchors = content->started;
}

/* The sustainable speed is fixed in real time, so it is a larger share of a lower requested
 * speed. */
static void keep_real_speed(es__content *content, es__ratio scale)
{
    int64_t share = slow_share(content);
    int64_t fits = es__ns_scale(share * SLOW_ONE, content->scale);
    fits = es__ns_unscale(fits, scale) / SLOW_ONE;
    if (fits > share) {
        set_slow(content, fits < SLOW_ONE ? (uint32_t)fits : SLOW_ONE);
    }
}

es_result es__content_set_scale(es__content *content, es__ratio scale)
{
    if (scale.denominator == 0 || scale.numerator / SCALE_MAX > scale.denominator
            || (scale.numerator / SCALE_MAX == scale.denominator
                    && scale.numerator % SCALE_MAX != 0)) {
        return ES_ERR_INVALID;
    }
    anchor_at_last_frame(content);
    keep_real_speed(content, scale);
    content->scale = scale;
    return ES_OK;
}

void es__content_pause(es__content *content, bool paused)
{
    if (content->paused != paused) {
        anchor_at_last_frame(content);
        content->paused = paused;
    }
}

void es__content_reconfigure(es__content *content, const es__content_config *config)
{
    if (!config->spreads_debt) {
        es__content_drop(content, content->debt_ns);
        content->debt_ns = 0;
    }
    if (!config->slows) {
        set_slow(content, SLOW_ONE);
    }
    if (content->started) {
        int64_t more_ns = config->delay_ns - content->config.delay_ns;
        int64_t stands_ns = content->last_content_ns - es__content_last_due_ns(content);
        if (more_ns < 0 && stands_ns > 0) { /* within the first delay, which ends now */
            more_ns = es__min(more_ns + stands_ns, 0);
        }
        es__count_ns(&content->anchor_content_ns, more_ns);
        es__count_ns(&content->seeked_ns, more_ns);
    }
    content->config = *config;
}

void es__content_step(es__content *content, int64_t content_ns)
{
    anchor_at_last_frame(content);
    /* the delay clamps the first frame to its start; later ones count from content + delay */
    int64_t reading_ns = content->started ? content_ns + content->config.delay_ns : content_ns;
    int64_t leap_ns = reading_ns - content->anchor_content_ns;
    content->anchor_content_ns = reading_ns;
    es__count_ns(&content->seeked_ns, leap_ns);
    content->debt_ns = 0;
}

void es__content_jump(es__content *content, int64_t span_ns)
{
    es__count_ns(&content->anchor_content_ns, span_ns);
    es__count_ns(&content->reanchored_ns, -span_ns);
}

void es__content_seek(es__content *content, int64_t content_ns, int64_t interval_ns)
{
    es__content_place(content, content_ns);
    es__content_resync(content, interval_ns);
}

void es__content_place(es__content *content, int64_t content_ns)
{
    es__content_step(content, content_ns);
    content->last_content_ns = content_ns;
}
