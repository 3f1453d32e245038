/* SPDX-License-Identifier: Zlib */
#include "lab/display.h"

es_result lab_refuse(es_error *error, const char *field, const char *reason)
{
    if (error != NULL) {
        error->field = field;
        error->reason = reason;
    }
    return ES_ERR_INVALID;
}

/* --- configuration ---------------------------------------------------------------------------- */

static es_rate or_rate(es_rate rate, es_rate otherwise)
{
    return rate.numerator == 0 && rate.denominator == 0 ? otherwise : rate;
}

/* 1 Hz to 10 kHz: sums of periods stay far from the ends of int64. */
static bool is_refresh_rate(es_rate rate)
{
    int64_t period_ns = es_rate_period_ns(rate);
    return es_rate_is_valid(rate) && period_ns >= ES_NS_PER_S / 10000 && period_ns <= ES_NS_PER_S;
}

static es_result check_rates(const lab_display *d, es_error *error)
{
    static const char reason[] = "must be a rate of 1 to 10000 Hz";
    if (!is_refresh_rate(d->rate)) {
        return lab_refuse(error, "rate", reason);
    }
    if (!is_refresh_rate(d->announced)) {
        return lab_refuse(error, "announced", reason);
    }
    if (!is_refresh_rate(d->nominal)) {
        return lab_refuse(error, "nominal", reason);
    }
    if (!is_refresh_rate(d->rate_max)) {
        return lab_refuse(error, "rate_max", reason);
    }
    if (!is_refresh_rate(d->rate_min)
            || es_rate_period_ns(d->rate_min) < es_rate_period_ns(d->rate_max)) {
        return lab_refuse(error, "rate_min", "must be a rate of 1 Hz to rate_max");
    }
    return ES_OK;
}

static es_result check_change(const lab_display *d, es_error *error)
{
    if (d->rate_after.numerator == 0 && d->rate_after.denominator == 0) {
        return ES_OK;
    }
    if (d->refresh != LAB_REFRESH_FIXED || !is_refresh_rate(d->rate_after)) {
        return lab_refuse(error, "rate_after", "must be 1 to 10000 Hz, and the refresh fixed");
    }
    if (d->rate_change_ns < 0 || d->rate_change_ns > 100000 * ES_NS_PER_S) {
        return lab_refuse(error, "rate_change_ns", "must be 0 to 100000 s");
    }
    return ES_OK;
}

static es_result check(const lab_display *d, es_error *error)
{
    if (d->refresh < LAB_REFRESH_FIXED || d->refresh > LAB_REFRESH_NONE) {
        return lab_refuse(error, "refresh", "must be one of lab_refresh");
    }
    if (d->swap < LAB_SWAP_FIFO || d->swap > LAB_SWAP_MAILBOX
            || (d->swap == LAB_SWAP_MAILBOX && d->refresh != LAB_REFRESH_FIXED)) {
        return lab_refuse(error, "swap", "must be one of lab_swap; mailbox needs a fixed refresh");
    }
    if (d->queue < 1 || d->queue > LAB_QUEUE_MAX) {
        return lab_refuse(error, "queue", "must be 1 to 3");
    }
    if (d->latch_ns < 0 || d->latch_ns > ES_NS_PER_S) {
        return lab_refuse(error, "latch_ns", "must be 0 to 1 s");
    }
    if (d->phase_ns < -1 || d->phase_ns > ES_NS_PER_S) {
        return lab_refuse(error, "phase_ns", "must be -1 to 1 s");
    }
    if (d->present_ns < 0 || d->present_ns > 10 * ES_NS_PER_S) {
        return lab_refuse(error, "present_ns", "must be 0 to 10 s");
    }
    if (d->feedback < LAB_FEEDBACK_NONE || d->feedback > LAB_FEEDBACK_STOPS) {
        return lab_refuse(error, "feedback", "must be one of lab_feedback");
    }
    if (d->feedback_noise_ns < 0 || d->feedback_noise_ns > ES_NS_PER_S) {
        return lab_refuse(error, "feedback_noise_ns", "must be 0 to 1 s");
    }
    if (d->feedback_late_frames < 0 || d->feedback_late_frames > 8) {
        return lab_refuse(error, "feedback_late_frames", "must be 0 to 8");
    }
    return check_rates(d, error);
}

es_result lab_display_resolve(const lab_display *display, lab_display *resolved, es_error *error)
{
    lab_display d = *display;
    bool variable = d.refresh == LAB_REFRESH_VARIABLE;
    d.rate = or_rate(d.rate, es_hz(60));
    d.rate_min = or_rate(d.rate_min, es_hz(48));
    d.rate_max = or_rate(d.rate_max, es_hz(144));
    d.announced = or_rate(d.announced, variable ? d.rate_max : d.rate);
    d.nominal = or_rate(d.nominal, variable ? es_hz(90) : d.rate);
    d.queue = d.queue == 0 ? 2 : d.queue;
    es_result result = check(&d, error);
    if (result == ES_OK) {
        result = check_change(&d, error);
    }
    if (result == ES_OK) {
        *resolved = d;
    }
    return result;
}

int64_t lab_display_period_ns(const lab_display *display)
{
    return es_rate_period_ns(display->nominal);
}

/* --- the running screen ----------------------------------------------------------------------- */

void lab_screen_init(lab_screen *screen, const lab_display *display)
{
    lab_screen fresh = {0};
    fresh.config = *display;
    if (fresh.config.phase_ns < 0) {
        fresh.config.phase_ns = 0;
    }
    fresh.min_period_ns = es_rate_period_ns(display->rate_max);
    fresh.max_period_ns = es_rate_period_ns(display->rate_min);
    fresh.last_refresh = INT64_MIN;
    fresh.change_refresh = INT64_MAX;
    if (display->rate_after.numerator > 0) {
        int64_t index;
        fresh.change_ns = lab_screen_next_refresh(&fresh, display->rate_change_ns, &index);
        fresh.change_refresh = index;
    }
    *screen = fresh;
}

static int64_t refresh_time(const lab_screen *screen, int64_t index)
{
    if (index > screen->change_refresh) {
        int64_t after = index - screen->change_refresh;
        return screen->change_ns + es_rate_events_to_ns(screen->config.rate_after, after);
    }
    return screen->config.phase_ns + es_rate_events_to_ns(screen->config.rate, index);
}

int64_t lab_screen_next_refresh(const lab_screen *screen, int64_t at_ns, int64_t *index)
{
    int64_t k = es_rate_ns_to_events(screen->config.rate, at_ns - screen->config.phase_ns);
    if (k > screen->change_refresh) {
        int64_t since_ns = at_ns - screen->change_ns;
        k = screen->change_refresh + es_rate_ns_to_events(screen->config.rate_after, since_ns);
    }
    if (index != NULL) {
        *index = k;
    }
    return refresh_time(screen, k);
}

static int64_t fixed_flip(const lab_screen *screen, int64_t ready_ns, int64_t *index)
{
    int64_t latched_ns = ready_ns + screen->config.latch_ns;
    bool after_last = screen->frames > 0;
    if (screen->config.swap == LAB_SWAP_FIFO && after_last && latched_ns <= screen->last_flip_ns) {
        *index = screen->last_refresh + 1;
        return refresh_time(screen, *index);
    }
    int64_t flip_ns = lab_screen_next_refresh(screen, latched_ns, index);
    if (after_last && *index < screen->last_refresh) {
        *index = screen->last_refresh; /* mailbox: a GPU that finishes in order */
        flip_ns = screen->last_flip_ns;
    }
    return flip_ns;
}

/* Repeats of the last frame happen 1/min apart; each keeps the panel busy for 1/max. */
static int64_t variable_flip(const lab_screen *screen, int64_t ready_ns)
{
    if (screen->frames == 0) {
        return ready_ns;
    }
    int64_t span_ns = ready_ns - screen->last_flip_ns;
    int64_t repeats = span_ns > 0 ? span_ns / screen->max_period_ns : 0;
    int64_t scan_ns = screen->last_flip_ns + repeats * screen->max_period_ns;
    int64_t free_ns = scan_ns + screen->min_period_ns;
    return ready_ns > free_ns ? ready_ns : free_ns;
}

lab_flip lab_screen_foresee(const lab_screen *screen, int64_t submit_ns, int64_t ready_ns)
{
    lab_flip flip = {0};
    const lab_display *config = &screen->config;
    if (config->refresh == LAB_REFRESH_NONE) {
        flip.shown_ns = ready_ns + config->present_ns;
        flip.return_ns = submit_ns + config->present_ns;
        return flip;
    }
    if (config->refresh == LAB_REFRESH_FIXED) {
        int64_t index;
        flip.shown_ns = fixed_flip(screen, ready_ns, &index);
        flip.refreshes = screen->frames > 0 ? index - screen->last_refresh : 0;
        flip.replaces = screen->frames > 0 && flip.refreshes == 0;
    } else {
        flip.shown_ns = variable_flip(screen, ready_ns);
    }
    /* frame n waits for the flip of n - queue + 1: its own with queue 1 */
    int64_t waits_for = screen->frames - config->queue + 1;
    flip.return_ns = submit_ns;
    if (config->swap == LAB_SWAP_FIFO && waits_for >= 0) {
        int64_t flipped_ns = waits_for == screen->frames
                                     ? flip.shown_ns
                                     : screen->flips_ns[waits_for % LAB_QUEUE_MAX];
        flip.return_ns = flipped_ns > submit_ns ? flipped_ns : submit_ns;
    }
    return flip;
}

lab_flip lab_screen_present(lab_screen *screen, int64_t submit_ns, int64_t ready_ns)
{
    lab_flip flip = lab_screen_foresee(screen, submit_ns, ready_ns);
    if (screen->config.refresh == LAB_REFRESH_FIXED) {
        if (screen->frames > 0) {
            screen->last_refresh += flip.refreshes;
        } else {
            lab_screen_next_refresh(screen, flip.shown_ns, &screen->last_refresh);
        }
    }
    screen->flips_ns[screen->frames % LAB_QUEUE_MAX] = flip.shown_ns;
    screen->last_flip_ns = flip.shown_ns;
    screen->frames += 1;
    return flip;
}
