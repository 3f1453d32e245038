/* SPDX-License-Identifier: Zlib */
#include "lab/display.h"

#include "lab/random.h"

es_result lab_refuse(lab_refusal *error, const char *field, const char *reason)
{
    if (error != NULL) {
        error->field = field;
        error->reason = reason;
    }
    return ES_ERR_INVALID;
}

es_result lab_check(const lab_requirement *rules, size_t count, lab_refusal *error)
{
    for (size_t i = 0; i < count; ++i) {
        if (!rules[i].holds) {
            return lab_refuse(error, rules[i].field, rules[i].reason);
        }
    }
    return ES_OK;
}

/* --- configuration ---------------------------------------------------------------------------- */

static es_rate or_rate(es_rate rate, es_rate otherwise)
{
    return rate.numerator == 0 && rate.denominator == 0 ? otherwise : rate;
}

/* 1 Hz to 10 kHz: sums of periods stay far from the ends of int64. */
static bool is_refresh_rate(es_rate rate)
{
    int64_t period_ns = rate_period_ns(rate);
    return rate_is_valid(rate) && period_ns >= ES_NS_PER_S / 10000 && period_ns <= ES_NS_PER_S;
}

/* The rate after a change; {0, 0}: it is no rate. */
static es_rate changed_rate(es_rate rate, lab_ratio factor)
{
    if (factor.numerator == 0 && factor.denominator == 0) {
        return rate;
    }
    return rate_make((uint64_t)rate.numerator * factor.numerator,
            (uint64_t)rate.denominator * factor.denominator);
}

static es_result check_changes(const lab_display *d, lab_refusal *error)
{
    int64_t before_ns = 0;
    for (int i = 0; i < LAB_CHANGES && d->changes[i].at_ns != 0; ++i) {
        const lab_change *change = &d->changes[i];
        if (change->at_ns < before_ns || change->at_ns > 100000 * ES_NS_PER_S || change->hold_ns < 0
                || change->hold_ns > 100000 * ES_NS_PER_S || change->queue < 0
                || change->queue > LAB_QUEUE_MAX || change->delay < 0 || change->delay > 8) {
            return lab_refuse(
                    error, "changes", "times 0 to 100000 s in order, queue 0 to 4, delay 0 to 8");
        }
        if (d->refresh == LAB_REFRESH_NONE || change->mode < LAB_MODE_CONFIGURED
                || change->mode > LAB_MODE_HIDDEN
                || !is_refresh_rate(changed_rate(d->rate, change->factor))) {
            return lab_refuse(
                    error, "changes", "must be one of lab_mode, 1 to 10000 Hz, on a screen");
        }
        before_ns = change->at_ns;
    }
    return ES_OK;
}

static bool within(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

static es_result check(const lab_display *d, lab_refusal *error)
{
    static const char rate[] = "must be a rate of 1 to 10000 Hz";
    bool is_fixed = d->refresh == LAB_REFRESH_FIXED;
    const lab_requirement rules[] = {{within(d->refresh, LAB_REFRESH_FIXED, LAB_REFRESH_NONE),
                                             "refresh", "must be one of lab_refresh"},
            {within(d->swap, LAB_SWAP_FIFO, is_fixed ? LAB_SWAP_MAILBOX : LAB_SWAP_FIFO), "swap",
                    "must be one of lab_swap; mailbox needs a fixed refresh"},
            {within(d->queue, 1, LAB_QUEUE_MAX), "queue", "must be 1 to 4"},
            {within(d->blocking, LAB_BLOCK_AFTER_QUEUE, LAB_BLOCK_AT_ACQUIRE), "blocking",
                    "must be one of lab_blocking"},
            {within(d->latch_ns, 0, ES_NS_PER_S), "latch_ns", "must be 0 to 1 s"},
            {within(d->phase_ns, -1, ES_NS_PER_S), "phase_ns", "must be -1 to 1 s"},
            {within(d->grain_ns, 0, ES_NS_PER_S), "grain_ns", "must be 0 to 1 s"},
            {within(d->jitter_ns, 0, rate_period_ns(d->rate) / 2), "jitter_ns",
                    "must be 0 to half a period"},
            {d->leader.numerator == 0 || (is_fixed && is_refresh_rate(d->leader)), "leader",
                    "must be a rate of 1 to 10000 Hz, with a fixed refresh"},
            {d->late_share >= 0.0 && d->late_share <= 1.0, "late_share", "must be 0 to 1"},
            {within(d->present_ns, 0, 10 * ES_NS_PER_S), "present_ns", "must be 0 to 10 s"},
            {within(d->feedback, LAB_FEEDBACK_NONE, LAB_FEEDBACK_DISCARDS), "feedback",
                    "must be one of lab_feedback"},
            {within(d->targets, LAB_TARGETS_NONE, LAB_TARGETS_COUNTS)
                            && (d->targets == LAB_TARGETS_NONE
                                    || (d->swap == LAB_SWAP_FIFO && d->host == LAB_HOST_NONE)),
                    "targets", "must be one of lab_targets; not with mailbox, nor with a host"},
            {within(d->feedback_noise_ns, 0, ES_NS_PER_S), "feedback_noise_ns", "must be 0 to 1 s"},
            {within(d->feedback_late_frames, 0, 8), "feedback_late_frames", "must be 0 to 8"},
            {is_refresh_rate(d->rate), "rate", rate},
            {is_refresh_rate(d->announced), "announced", rate},
            {is_refresh_rate(d->nominal), "nominal", rate},
            {is_refresh_rate(d->rate_max), "rate_max", rate},
            {is_refresh_rate(d->rate_min)
                            && rate_period_ns(d->rate_min) >= rate_period_ns(d->rate_max),
                    "rate_min", "must be a rate of 1 Hz to rate_max"},
            {within(d->host, LAB_HOST_NONE, is_fixed ? LAB_HOST_LATE : LAB_HOST_NONE), "host",
                    "must be one of lab_host; it needs a fixed refresh"}};
    return lab_check(rules, sizeof rules / sizeof rules[0], error);
}

/* At least 1 Hz. */
static es_rate third_of(es_rate rate)
{
    bool is_slow = !rate_is_valid(rate) || rate_period_ns(rate) > ES_NS_PER_S / 3;
    return is_slow ? rate : rate_make(rate.numerator, (uint64_t)rate.denominator * 3);
}

es_result lab_display_resolve(const lab_display *display, lab_display *resolved, lab_refusal *error)
{
    lab_display d = *display;
    bool variable = d.refresh == LAB_REFRESH_VARIABLE;
    d.rate_max = or_rate(d.rate_max, variable ? es_hz(144) : or_rate(d.rate, es_hz(60)));
    d.rate = or_rate(d.rate, variable ? d.rate_max : es_hz(60));
    d.rate_min = or_rate(d.rate_min, variable ? es_hz(48) : third_of(d.rate));
    d.announced = or_rate(d.announced, variable ? d.rate_max : d.rate);
    d.nominal = or_rate(d.nominal, variable ? es_hz(90) : d.rate);
    d.queue = d.queue == 0 ? 2 : d.queue;
    es_result result = check(&d, error);
    if (result == ES_OK) {
        result = check_changes(&d, error);
    }
    if (result == ES_OK) {
        *resolved = d;
    }
    return result;
}

/* --- the running screen ----------------------------------------------------------------------- */

void lab_screen_init(lab_screen *screen, const lab_display *display, uint64_t late_key)
{
    lab_screen fresh = {0};
    fresh.config = *display;
    fresh.queue = display->queue;
    fresh.late_key = late_key;
    if (fresh.config.phase_ns < 0) {
        fresh.config.phase_ns = 0;
    }
    fresh.segments[0] = (lab_segment){0, fresh.config.phase_ns, display->rate};
    fresh.segment_count = 1;
    for (int i = 0; i < LAB_CHANGES && display->changes[i].at_ns != 0; ++i) {
        const lab_segment *last = &fresh.segments[fresh.segment_count - 1];
        es_rate rate = changed_rate(display->rate, display->changes[i].factor);
        if (rate.numerator == last->rate.numerator && rate.denominator == last->rate.denominator) {
            continue;
        }
        int64_t since_ns = display->changes[i].at_ns - last->at_ns;
        int64_t index = rate_ns_to_events(last->rate, since_ns > 0 ? since_ns : 0);
        lab_segment next = {
                last->index + index, last->at_ns + es_rate_time_ns(last->rate, index), rate};
        fresh.segments[fresh.segment_count++] = next;
    }
    for (int i = 0; i < LAB_QUEUE_MAX; ++i) {
        fresh.freed_ns[i] = INT64_MIN;
    }
    *screen = fresh;
}

/* Of the changes that have happened by then; NULL: none. */
static const lab_change *last_change(const lab_screen *screen, int64_t at_ns, int64_t *ends_ns)
{
    const lab_change *changes = screen->config.changes;
    const lab_change *last = NULL;
    int i = 0;
    for (; i < LAB_CHANGES && changes[i].at_ns != 0 && changes[i].at_ns <= at_ns; ++i) {
        last = &changes[i];
    }
    *ends_ns = i < LAB_CHANGES && changes[i].at_ns != 0 ? changes[i].at_ns : INT64_MAX;
    return last;
}

lab_mode lab_screen_mode(const lab_screen *screen, int64_t at_ns)
{
    int64_t ends_ns;
    const lab_change *last = last_change(screen, at_ns, &ends_ns);
    if (last != NULL && last->mode != LAB_MODE_CONFIGURED) {
        return last->mode;
    }
    return screen->config.refresh == LAB_REFRESH_VARIABLE ? LAB_MODE_VARIABLE : LAB_MODE_FIXED;
}

/* How late a refresh is, beside its exact time. */
static int64_t jitter_of(const lab_screen *screen, int64_t index)
{
    uint64_t number = (uint64_t)index * LAB_DRAWS + 1;
    double u = lab_random_uniform(screen->late_key, number);
    return (int64_t)(u * (double)screen->config.jitter_ns);
}

int64_t lab_screen_refresh_ns(const lab_screen *screen, int64_t index)
{
    int32_t i = screen->segment_count - 1;
    while (i > 0 && index <= screen->segments[i].index) {
        --i;
    }
    const lab_segment *segment = &screen->segments[i];
    int64_t at_ns = segment->at_ns + es_rate_time_ns(segment->rate, index - segment->index);
    int64_t grain_ns = screen->config.grain_ns;
    at_ns += screen->config.jitter_ns > 0 ? jitter_of(screen, index) : 0;
    if (grain_ns > 0) {
        int64_t over_ns = at_ns % grain_ns;
        at_ns += over_ns > 0 ? grain_ns - over_ns : -over_ns;
    }
    return at_ns;
}

static const lab_segment *segment_of(const lab_screen *screen, int64_t at_ns)
{
    int32_t i = screen->segment_count - 1;
    while (i > 0 && at_ns <= screen->segments[i].at_ns) {
        --i;
    }
    return &screen->segments[i];
}

int64_t lab_screen_next_refresh(const lab_screen *screen, int64_t at_ns, int64_t *index)
{
    int64_t latest_ns = screen->config.grain_ns + screen->config.jitter_ns;
    int64_t from_ns = latest_ns > 0 ? at_ns - latest_ns + 1 : at_ns;
    const lab_segment *segment = segment_of(screen, from_ns);
    int64_t k = segment->index + rate_ns_to_events(segment->rate, from_ns - segment->at_ns);
    int64_t refresh_ns = lab_screen_refresh_ns(screen, k);
    while (refresh_ns < at_ns) {
        k += 1;
        refresh_ns = lab_screen_refresh_ns(screen, k);
    }
    if (index != NULL) {
        *index = k;
    }
    return refresh_ns;
}

/* The depth of the queue at an instant, and the delay of a compositor. */
static int32_t queue_at(const lab_screen *screen, int64_t at_ns, int32_t *delay)
{
    int64_t ends_ns;
    const lab_change *last = last_change(screen, at_ns, &ends_ns);
    *delay = last != NULL ? last->delay : 0;
    return last != NULL && last->queue > 0 ? last->queue : screen->config.queue;
}

void lab_screen_aim(lab_screen *screen, int64_t target_ns, int32_t refreshes)
{
    screen->target_ns = target_ns;
    screen->target_refreshes = refreshes;
}

enum { DEADLINE_NS = 2000000, GRAIN_NS = 2000000, LATE_NS = 500000, LIE_NS = 20000000 };

/* The earliest flip that the screen allows the frame. */
static int64_t target_of(const lab_screen *screen, bool fixed)
{
    lab_targets targets = screen->config.targets;
    double u = lab_random_uniform(screen->late_key, (uint64_t)screen->frames);
    int64_t target_ns = screen->target_ns;
    target_ns -= fixed ? rate_period_ns(screen->config.rate) / 2 : 0;
    switch (screen->target_ns == 0 ? LAB_TARGETS_NONE : targets) {
    case LAB_TARGETS_EXACT:
    case LAB_TARGETS_DEADLINE:
        return target_ns;
    case LAB_TARGETS_LATE:
        return target_ns + (int64_t)(u * LATE_NS);
    case LAB_TARGETS_ROUNDED:
        return target_ns + GRAIN_NS - 1 - (target_ns + GRAIN_NS - 1) % GRAIN_NS;
    case LAB_TARGETS_LYING:
        return target_ns + (int64_t)(u * LIE_NS);
    default:
        return INT64_MIN;
    }
}

/* The earliest refresh for a frame that is ready by then. */
static int64_t first_refresh(const lab_screen *screen, int64_t ready_ns)
{
    const lab_display *config = &screen->config;
    lab_targets targets = config->targets;
    int64_t target_ns = target_of(screen, true), index;
    ready_ns += config->latch_ns + (targets == LAB_TARGETS_DEADLINE ? DEADLINE_NS : 0);
    lab_screen_next_refresh(screen, ready_ns > target_ns ? ready_ns : target_ns, &index);
    int64_t counted = screen->last_refresh + screen->target_refreshes;
    bool counts = targets == LAB_TARGETS_COUNTS && screen->any_seen && counted > index;
    return counts ? counted : index;
}

/* One refresh takes at most one frame. A compositor shows it later, but not with the one before. */
static int64_t fixed_flip(const lab_screen *screen, int64_t queued_ns, int64_t ready_ns,
        int64_t *index, int64_t *taken)
{
    const lab_display *config = &screen->config;
    int32_t delay;
    queue_at(screen, queued_ns, &delay);
    bool replaces = config->swap == LAB_SWAP_MAILBOX || config->host != LAB_HOST_NONE;
    *index = first_refresh(screen, ready_ns);
    if (config->host != LAB_HOST_NONE) {
        *index += config->queue - 1;
    }
    if (config->late_share > 0.0
            && lab_random_uniform(screen->late_key, (uint64_t)screen->frames)
                       < config->late_share) {
        *index += 1;
    }
    int64_t first = screen->any_seen ? screen->last_taken + !replaces : *index;
    *taken = *index > first ? *index : first; /* a GPU finishes in order */
    first = screen->any_seen ? screen->last_refresh + !replaces : *taken;
    *index = *taken + delay > first ? *taken + delay : first;
    return lab_screen_refresh_ns(screen, *index);
}

/* Repeats of the last frame happen 1/min apart; each keeps the panel busy for 1/max. */
static int64_t variable_flip(const lab_screen *screen, int64_t ready_ns)
{
    int64_t target_ns = target_of(screen, false);
    ready_ns += screen->config.targets == LAB_TARGETS_DEADLINE ? DEADLINE_NS : 0;
    ready_ns = ready_ns > target_ns ? ready_ns : target_ns;
    if (!screen->any_seen) {
        return ready_ns;
    }
    int64_t longest_ns = rate_period_ns(screen->config.rate_min);
    int64_t span_ns = ready_ns - screen->last_flip_ns;
    int64_t repeats = span_ns > 0 ? span_ns / longest_ns : 0;
    int64_t scan_ns = screen->last_flip_ns + repeats * longest_ns;
    int64_t free_ns = scan_ns + rate_period_ns(screen->config.rate_max);
    return ready_ns > free_ns ? ready_ns : free_ns;
}

int64_t lab_screen_room_ns(const lab_screen *screen)
{
    return screen->freed_ns[(screen->frames + LAB_QUEUE_MAX - screen->queue) % LAB_QUEUE_MAX];
}

/* refresh: the index of the flip; of another mode, of the last refresh before it. */
static lab_flip flip_of(
        const lab_screen *screen, int64_t queued_ns, int64_t ready_ns, int64_t *refresh)
{
    lab_flip flip = {0};
    const lab_display *config = &screen->config;
    if (config->refresh == LAB_REFRESH_NONE) {
        flip.shown_ns = ready_ns + config->present_ns;
        return flip;
    }
    switch (lab_screen_mode(screen, queued_ns)) {
    case LAB_MODE_HIDDEN:
        flip.shown_ns = ready_ns;
        flip.hidden = true;
        return flip;
    case LAB_MODE_FIXED:
        flip.shown_ns = fixed_flip(screen, queued_ns, ready_ns, refresh, &flip.taken);
        flip.refresh_ns = rate_period_ns(segment_of(screen, flip.shown_ns)->rate);
        flip.refreshes = screen->any_seen ? *refresh - screen->last_refresh : 0;
        flip.replaces = screen->any_seen && flip.refreshes == 0;
        return flip;
    case LAB_MODE_VARIABLE:
        flip.shown_ns = variable_flip(screen, ready_ns);
        break;
    default: /* unsynced */
        flip.shown_ns = ready_ns;
        if (screen->any_seen && ready_ns < screen->last_flip_ns) {
            flip.shown_ns = screen->last_flip_ns;
        }
    }
    lab_screen_next_refresh(screen, flip.shown_ns + 1, refresh);
    *refresh -= 1;
    flip.taken = *refresh;
    return flip;
}

lab_flip lab_screen_foresee(const lab_screen *screen, int64_t queued_ns, int64_t ready_ns)
{
    int64_t refresh;
    return flip_of(screen, queued_ns, ready_ns, &refresh);
}

/* When a frame leaves the queue. Where presents do not wait for flips, the GPU still works on
 * `queue` frames at most. A hidden frame keeps its place until hold_ns after
 * the frame before it left, or until the window is seen again. */
static int64_t freed_ns(
        const lab_screen *screen, int64_t queued_ns, int64_t ready_ns, const lab_flip *flip)
{
    if (!flip->hidden) {
        const lab_display *config = &screen->config;
        bool waits = config->swap == LAB_SWAP_FIFO && config->host == LAB_HOST_NONE
                     && config->refresh != LAB_REFRESH_NONE;
        bool fixed = lab_screen_mode(screen, queued_ns) == LAB_MODE_FIXED;
        int64_t taken_ns = fixed ? lab_screen_refresh_ns(screen, flip->taken) : flip->shown_ns;
        if (config->leader.numerator > 0 && waits) {
            int64_t index = rate_ns_to_events(config->leader, taken_ns);
            taken_ns = es_rate_time_ns(config->leader, index);
        }
        return waits ? taken_ns : ready_ns;
    }
    int64_t ends_ns;
    const lab_change *hide = last_change(screen, queued_ns, &ends_ns);
    int64_t before_ns = screen->freed_ns[(screen->frames + LAB_QUEUE_MAX - 1) % LAB_QUEUE_MAX];
    int64_t held_ns = (before_ns > queued_ns ? before_ns : queued_ns) + hide->hold_ns;
    held_ns = held_ns < ends_ns ? held_ns : ends_ns;
    return held_ns > ready_ns ? held_ns : ready_ns;
}

lab_flip lab_screen_present(lab_screen *screen, int64_t queued_ns, int64_t ready_ns)
{
    int64_t refresh = screen->last_refresh;
    lab_flip flip = flip_of(screen, queued_ns, ready_ns, &refresh);
    screen->freed_ns[screen->frames % LAB_QUEUE_MAX] = freed_ns(screen, queued_ns, ready_ns, &flip);
    if (!flip.hidden) {
        screen->last_refresh = refresh;
        screen->last_taken = flip.taken;
        screen->last_flip_ns = flip.shown_ns;
        screen->any_seen = true;
    }
    screen->frames += 1;
    lab_screen_aim(screen, 0, 1);
    int32_t delay;
    screen->queue = queue_at(screen, queued_ns, &delay);
    return flip;
}
