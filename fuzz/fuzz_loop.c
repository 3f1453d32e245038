/* SPDX-License-Identifier: Zlib
 *
 * Loops of any configuration, whose public calls come in any order, on a clock that does anything.
 * Times of ticks, how many of them a frame has, its alpha and its account are computed here again,
 * with 128-bit numbers; calls out of order are refused, and change nothing.
 */
#include "../tests/manual_clock.h"
#include "fuzz_bytes.h"

#include <math.h>
#include <string.h>

enum { MANY = 40, FRAMES_MOST = 600, TIMES = 64 };

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

/* Beyond these, sums are cut to the range, and nothing adds up any more. */
#define FAR_NS (INT64_MAX / 8)

__extension__ typedef __int128 wide;

typedef enum phase { CLOSED, TICKING, PLANNED, DRAWING, SUBMITTED } phase;

typedef struct run {
    es_manual_clock clock;
    uint64_t random;
    es_loop *loop;
    es_loop_config config;
    es_rate rate;
    phase phase;
    bool first_form, waited, host, hidden, paused, left, single;
    bool changed;     /* since the last frame, by more than time */
    bool sought;      /* likewise: content may go back */
    bool known;       /* there is a frame before */
    int64_t first_ns; /* present_ns of the first; a frame that was given up is one */
    int64_t speed[2]; /* numerator, denominator */
    int64_t stepping; /* single steps that are still to come */
    int64_t refresh_ns, cost_ns, host_ns;
    int frames;
    /* the ticks, and since when they have this rate */
    int64_t tick, tick_ns, first_tick, base_tick, base_ns, times_ns[TIMES];
    int32_t ticks; /* of this frame */
    int64_t ticks_cost_ns, before_tick, covered_ns;
    es_frame frame, before;
} run;

static int64_t below(run *r, int64_t limit)
{
    r->random = r->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return limit > 0 ? (int64_t)((r->random >> 16) % (uint64_t)limit) : 0;
}

static bool chance(run *r, int64_t one_in)
{
    return below(r, one_in) == 0;
}

/* --- configurations --------------------------------------------------------------------------- */

static es_rate any_rate(run *r)
{
    static const es_rate rates[] = {
            {60, 1}, {60000, 1001}, {5, 1}, {240, 1}, {1000, 1}, {999983, 7919}, {1, 3}, {0, 0}};
    return rates[below(r, 8)];
}

/* Accepted, whatever is drawn. */
static es_loop_config good_config(run *r)
{
    es_loop_config c = {.tick_rate = any_rate(r), .clock = r->config.clock};
    c.step = chance(r, 2) ? ES_STEP_FIXED : (es_step_kind)below(r, 3);
    c.pace = (es_pace)below(r, c.step == ES_STEP_LOCKSTEP ? 3 : 5);
    bool paced = c.pace == ES_PACE_AUTO || c.pace == ES_PACE_ADAPTIVE;
    if (paced || chance(r, 2)) {
        c.interval_ns = chance(r, 2) ? 0 : MS + below(r, 40 * MS);
        c.interval_max_ns = paced && chance(r, 4) ? 50 * MS + below(r, 100 * MS) : 0;
        c.gap_ns = chance(r, 4) ? S + below(r, 4 * S) : 0;
        c.gap_ns = c.step == ES_STEP_LOCKSTEP ? 0 : c.gap_ns;
        c.interval_max_ns = c.step == ES_STEP_LOCKSTEP ? 0 : c.interval_max_ns;
    }
    if (c.pace == ES_PACE_AUTO) {
        c.refresh = chance(r, 2) ? c.refresh : es_hz(50.0 + (double)below(r, 200));
        c.low_latency = chance(r, 3);
        c.missed_max = c.low_latency && chance(r, 2) ? 0.05 : 0.0;
        c.hold = chance(r, 2) ? ES_HOLD_AUTO : ES_HOLD_NEVER;
    }
    if (c.step == ES_STEP_VARIABLE) {
        c.catch_up = chance(r, 2) ? ES_CATCH_UP_DROP : ES_CATCH_UP_WAIT;
        c.step_max_ns = chance(r, 2) ? 0 : MS + below(r, S);
    } else if (c.step == ES_STEP_FIXED) {
        c.catch_up = chance(r, 2) ? ES_CATCH_UP_DROP : (es_catch_up)below(r, 5);
        c.ticks_max = chance(r, 2) ? 0 : (int32_t)below(r, 12);
        c.catch_up_max_ns = chance(r, 2) ? 0 : below(r, 2 * S);
        c.delay_ticks = chance(r, 2) ? (double)below(r, 3) : (double)below(r, 250) / 100.0;
        c.lead_ticks = chance(r, 2) ? 0 : (int32_t)below(r, 6) - 1;
        c.alpha_below_one = chance(r, 3);
        c.speed_change_max = c.pace == ES_PACE_AUTO && chance(r, 4) ? 0.05 : 0.0;
    }
    return c;
}

/* One field of a good configuration has any value. */
static es_loop_config any_config(run *r, input *in)
{
    es_loop_config c = good_config(r);
    int64_t value = any_from(in);
    int64_t *const times[] = {&c.catch_up_max_ns, &c.interval_ns, &c.interval_min_ns,
            &c.interval_max_ns, &c.gap_ns, &c.step_min_ns, &c.step_max_ns, &c.step_absurd_ns};
    double *const numbers[] = {&c.delay_ticks, &c.missed_max, &c.speed_change_max};
    int32_t *const counts[] = {&c.ticks_max, &c.lead_ticks};
    uint8_t what = byte_from(in) % 18;
    if (what < 8) {
        *times[what] = value;
    } else if (what < 11) {
        memcpy(numbers[what - 8], &value, sizeof value);
    } else if (what < 13) {
        *counts[what - 11] = (int32_t)(uint32_t)value;
    } else if (what < 15) {
        es_rate *rate = what == 13 ? &c.tick_rate : &c.refresh;
        *rate = (es_rate){(uint32_t)(value >> 32), (uint32_t)value};
    } else if (what == 15) {
        c.step = (es_step_kind)(value % 8 - 2);
    } else if (what == 16) {
        c.pace = (es_pace)(value % 8 - 2);
    } else {
        c.catch_up = (es_catch_up)(value % 8 - 2);
    }
    return c;
}

static bool within(int64_t value, int64_t least, int64_t most)
{
    return value == 0 || (value >= least && value <= most);
}

/* The limits that evenstep.h names. */
static bool is_within_limits(const es_loop_config *c)
{
    es_rate t = c->tick_rate, f = c->refresh;
    bool fixed = c->step == ES_STEP_FIXED;
    bool rates = (t.numerator == 0 && t.denominator == 0)
                 || (t.numerator > 0 && t.numerator <= 1000000000 && t.denominator > 0
                         && t.numerator / 1000000 <= t.denominator);
    rates = rates
            && ((f.numerator == 0 && f.denominator == 0)
                    || (f.numerator > 0 && f.denominator > 0 && f.numerator >= f.denominator));
    bool kinds = (unsigned)c->step <= ES_STEP_LOCKSTEP && (unsigned)c->pace <= ES_PACE_UNCAPPED
                 && (unsigned)c->catch_up <= ES_CATCH_UP_WAIT;
    bool numbers = c->delay_ticks >= 0.0 && c->delay_ticks <= 8.0 && c->speed_change_max >= 0.0
                   && c->speed_change_max <= 0.5 && c->lead_ticks >= -1 && c->lead_ticks <= 4
                   && (c->missed_max == 0.0 || (c->missed_max >= 0.0001 && c->missed_max <= 0.5));
    bool times = within(c->interval_ns, 10000, 10 * S) && within(c->interval_max_ns, 0, 10 * S)
                 && within(c->step_max_ns, 1, 3600 * S) && c->catch_up_max_ns >= 0
                 && within(c->gap_ns, c->interval_max_ns + 1, INT64_MAX)
                 && within(c->ticks_max, 1, 1000000);
    return rates && kinds && numbers && times
           && (fixed || (c->delay_ticks == 0.0 && c->ticks_max == 0 && c->lead_ticks == 0));
}

static void take_config(run *r, const es_loop_config *config)
{
    static const es_rate usual = {60, 1};
    es_rate rate = config->tick_rate.numerator > 0 ? config->tick_rate : usual;
    require(is_within_limits(config));
    if ((wide)rate.numerator * r->rate.denominator != (wide)r->rate.numerator * rate.denominator) {
        r->base_tick = r->tick;
        r->base_ns = r->tick_ns;
    }
    r->rate = rate;
    r->config = *config;
}

static bool ticks_run(const run *r)
{
    return (r->phase == TICKING && r->ticks > 0) || r->phase == PLANNED;
}

static void configure(run *r, const es_loop_config *config, bool good)
{
    es_loop_config before = es_loop_get_config(r->loop);
    bool done = es_loop_configure(r->loop, config);
    require(!done || !ticks_run(r));
    require(done || !good || ticks_run(r));
    es_loop_config after = es_loop_get_config(r->loop);
    require(memcmp(done ? config : &before, &after, sizeof after) == 0);
    if (done) {
        take_config(r, config);
        r->changed = true;
    }
}

/* --- ticks ------------------------------------------------------------------------------------ */

/* floor(events * period). */
static int64_t exact_ns(es_rate rate, int64_t events)
{
    wide product = (wide)events * rate.denominator * S;
    return (int64_t)(product / rate.numerator - (product % rate.numerator < 0));
}

static int64_t due_time_ns(const run *r, int64_t index)
{
    return r->base_ns + exact_ns(r->rate, index - r->base_tick);
}

/* The first tick that is not before this instant. */
static int64_t tick_at(const run *r, int64_t content_ns)
{
    if (content_ns > r->tick_ns) {
        wide part = (wide)(content_ns - r->base_ns) * r->rate.numerator;
        wide whole = (wide)r->rate.denominator * S;
        return r->base_tick + (int64_t)(part / whole + (part % whole > 0));
    }
    int64_t index = r->tick;
    while (index > r->first_tick && index > r->tick - TIMES + 1
            && r->times_ns[(index - 1) % TIMES] >= content_ns) {
        index -= 1;
    }
    return index;
}

static void take_step(run *r, const es_step *step)
{
    int64_t exact = due_time_ns(r, r->tick + 1);
    bool uneven = r->config.step == ES_STEP_VARIABLE || r->config.catch_up == ES_CATCH_UP_STRETCH;
    double period_s = (double)r->rate.denominator / (double)r->rate.numerator;
    require(step->index == r->tick + 1 && step->in_frame == r->ticks);
    require(step->dt_ns >= 0 && step->dt_s > 0.0 && isfinite(step->dt_s));
    if (uneven && (step->time_ns != exact || step->dt_s != period_s)) {
        require(fabs(step->dt_s - (double)step->dt_ns / 1e9) < 1e-9);
        r->base_tick = step->index;
        r->base_ns = step->time_ns;
    } else {
        require(step->time_ns == exact && step->dt_ns == exact - r->tick_ns);
        require(step->dt_s == period_s);
    }
    r->tick = step->index;
    r->tick_ns = step->time_ns;
    r->times_ns[r->tick % TIMES] = r->tick_ns;
    r->ticks += 1;
}

static void open_frame(run *r)
{
    int64_t covering = r->tick - r->config.lead_ticks;
    covering = covering > r->first_tick ? covering : r->first_tick;
    r->covered_ns = covering > r->tick ? due_time_ns(r, covering) : r->times_ns[covering % TIMES];
    r->before_tick = r->tick;
    r->ticks = 0;
    r->ticks_cost_ns = 0;
    r->left = false;
    r->single = false;
    r->waited = false;
}

/* While paused a requested step is in the frame's first call for a tick. */
static void take_single(run *r)
{
    bool single = r->paused && r->stepping > 0 && r->ticks == 0;
    r->stepping -= single;
    r->changed |= single;
    r->single |= single;
}

static void run_tick(run *r)
{
    es_step step;
    if (r->phase == TICKING) {
        take_single(r);
    }
    bool more = es_loop_tick(r->loop, &step);
    require(!more || r->phase == TICKING);
    if (more) {
        int64_t cost_ns = below(r, r->cost_ns / 2 + 1);
        take_step(r, &step);
        es_manual_clock_work(&r->clock, cost_ns);
        r->ticks_cost_ns += cost_ns;
    } else if (r->phase == TICKING) {
        r->phase = PLANNED;
    }
}

/* --- what holds for a frame ------------------------------------------------------------------- */

/* The account adds up, and each of its entries has a cause. */
static void check_account(run *r)
{
    const es_frame *f = &r->frame, *b = &r->before;
    const es_account *a = &f->account, *was = &b->account;
    wide first = (wide)f->present_ns - f->content_ns - a->dropped_ns - a->gaps_ns - a->slowed_ns
                 - a->clamped_ns - a->delay_ns - a->reanchored_ns + a->seeked_ns;
    require(r->known ? first == r->first_ns : r->changed || first == f->present_ns);
    r->first_ns = (int64_t)first;
    require(a->frame_dropped_ns >= 0 && a->frame_stretched_ns >= 0 && a->debt_ns >= 0);
    require(a->debt_ns == 0 || r->config.catch_up == ES_CATCH_UP_SPREAD
            || r->config.step == ES_STEP_VARIABLE);
    require(f->gap.duration_ns >= 0 && (f->gap.kind != ES_GAP_NONE || f->gap.removed_ns == 0));
    if (!r->known || r->changed) {
        return;
    }
    require(a->frame_dropped_ns == a->dropped_ns - was->dropped_ns);
    require(a->frame_slow_motion_ns == a->slow_motion_ns - was->slow_motion_ns);
    require(a->frame_stretched_ns == a->stretched_ns - was->stretched_ns);
    require(f->gap.removed_ns == a->gaps_ns - was->gaps_ns);
    require(a->seeked_ns == was->seeked_ns && a->delay_ns == was->delay_ns);
    require(a->frame_stretched_ns == 0 || r->config.catch_up == ES_CATCH_UP_STRETCH);
    bool even = r->config.step == ES_STEP_FIXED && r->config.speed_change_max == 0.0
                && r->config.catch_up != ES_CATCH_UP_SLOW && r->config.catch_up != ES_CATCH_UP_WAIT;
    if (even) { /* content runs at the speed that was set */
        wide real = (wide)f->present_ns - b->present_ns - a->gaps_ns + was->gaps_ns
                    - a->reanchored_ns + was->reanchored_ns - a->offset_ns + was->offset_ns;
        wide scaled = r->paused ? 0 : real * r->speed[0] / r->speed[1];
        wide off = a->slowed_ns - was->slowed_ns - (real - scaled);
        require(off >= -2 && off <= 2);
        require(a->slow_motion_ns == was->slow_motion_ns);
    }
}

/* As many ticks as content needs, and no more than the bounds allow. */
static void check_ticks(run *r)
{
    const es_frame *f = &r->frame;
    int64_t lead = r->config.lead_ticks;
    require(r->config.ticks_max == 0 || f->ticks <= r->config.ticks_max);
    int64_t fast = r->speed[0] > r->speed[1] ? r->speed[0] / r->speed[1] + 1 : 1;
    require(r->config.step == ES_STEP_FIXED || r->changed
            || f->ticks <= (r->config.step == ES_STEP_LOCKSTEP ? fast : 1));
    require(f->ticks == r->ticks && f->newest_tick == r->tick && f->newest_ns == r->tick_ns);
    require(f->current_ns == r->times_ns[f->current_tick % TIMES]);
    require(f->previous_ns == r->times_ns[f->previous_tick % TIMES]);
    require(f->previous_tick == f->current_tick - (f->current_tick > r->first_tick));
    require(f->ahead_ns == (f->content_ns > f->newest_ns ? f->content_ns - f->newest_ns : 0));
    if (r->config.step != ES_STEP_FIXED || r->changed || r->left) {
        return;
    }
    int64_t most = f->content_ns + r->config.alpha_below_one;
    int64_t off = r->config.alpha_below_one && r->config.delay_ticks > 0.0;
    int64_t least = tick_at(r, most - off) + lead;
    most = tick_at(r, most + off) + lead;
    /* where a bound leaves a lead incomplete, content waits */
    bool waits = r->tick - lead < r->first_tick || f->content_ns == r->before.content_ns;
    require(waits || r->tick >= (least > r->before_tick ? least : r->before_tick));
    require(r->tick <= (most > r->before_tick ? most : r->before_tick));
    if (r->config.catch_up_max_ns > 0 && r->known) {
        wide bound = r->config.catch_up_max_ns;
        bound = r->speed[0] > r->speed[1] ? bound * r->speed[0] / r->speed[1] : bound;
        bound += r->covered_ns + exact_ns(r->rate, 1) + 1; /* to the end of a tick */
        require(f->content_ns <= bound || f->content_ns == r->before.content_ns);
    }
}

static void check_alpha(const run *r)
{
    const es_frame *f = &r->frame;
    double whole = (double)(f->current_ns - f->previous_ns);
    double part = (double)(f->content_ns - f->previous_ns);
    double place = whole > 0.0 ? part / whole : part >= 0.0 ? 1.0 : 0.0;
    double least = r->config.alpha_below_one && whole > 0.0 ? 2.5 / whole : 1e-12;
    place = place > 1.0 ? 1.0 : place < 0.0 ? 0.0 : place;
    require(f->alpha >= 0.0 && f->alpha <= 1.0);
    require(fabs(f->alpha - place) <= least || whole == 0.0);
    require(f->alpha < 1.0 || !r->config.alpha_below_one || f->ahead_ns >= 0);
}

static void check_frame(run *r)
{
    const es_frame *f = &r->frame, *b = &r->before;
    require(f->visible == (!r->hidden));
    require(f->tick_s > 0.0 && isfinite(f->tick_s) && f->late_ns >= 0 && f->interval_ns >= 0);
    require(!r->known || r->sought || f->content_ns >= b->content_ns);
    require(!r->known || r->changed || !r->paused || f->content_ns == b->content_ns);
    require(!r->single || r->left || r->config.lead_ticks != 0
            || f->alpha == (r->config.alpha_below_one ? 0.0 : 1.0));
    check_account(r);
    check_ticks(r);
    check_alpha(r);
    r->before = *f;
    r->known = true;
    r->changed = false;
    r->sought = false;
    r->frames += 1;
}

/* --- the calls -------------------------------------------------------------------------------- */

/* On a display present returns after the next refresh. */
static void present(run *r)
{
    int64_t took_ns = below(r, chance(r, 300) ? 5 * S : 5 * MS);
    if (r->refresh_ns > 0 && !chance(r, 100)) {
        int64_t past_ns = r->clock.now_ns % r->refresh_ns;
        took_ns = r->refresh_ns - (past_ns < 0 ? past_ns + r->refresh_ns : past_ns);
    }
    r->clock.now_ns += took_ns;
}

static void submit(run *r)
{
    require(es_loop_submit(r->loop) == (r->phase == DRAWING));
    r->phase = r->phase == DRAWING ? SUBMITTED : r->phase;
}

static void end(run *r)
{
    bool drawn = r->phase == DRAWING || r->phase == SUBMITTED;
    require(es_loop_end(r->loop) == drawn);
    const es_report *report = es_loop_report(r->loop);
    if (drawn) {
        r->phase = CLOSED;
        require(report->frame.index == r->frame.index && report->series >= 0);
        require(report->update_work_ns >= 0 && report->render_work_ns >= 0);
        require(report->source == ES_SHOWN_PRESENT_RETURN);
    }
}

static void wait_for_start(run *r)
{
    es_frame frame;
    bool ran = r->phase == TICKING || r->phase == PLANNED;
    bool again = r->phase == DRAWING && r->first_form && !r->waited;
    require(es_loop_wait(r->loop, &frame) == (ran || again));
    r->waited = true;
    if (ran) {
        r->left = r->phase == TICKING;
        r->phase = DRAWING;
        r->frame = frame;
        check_frame(r);
    }
}

static void begin(run *r)
{
    r->changed |= r->phase == TICKING || r->phase == PLANNED; /* that frame is given up */
    require(es_loop_begin(r->loop));
    r->first_form = false;
    r->phase = TICKING;
    open_frame(r);
}

static void next(run *r)
{
    r->changed |= r->phase == TICKING || r->phase == PLANNED;
    open_frame(r);
    take_single(r);
    if (r->host) {
        bool unknown = chance(r, 3);
        r->host_ns += below(r, 40 * MS);
        require(es_loop_next_at(r->loop, r->host_ns,
                unknown ? ES_UNKNOWN_NS : r->host_ns + below(r, 50 * MS), &r->frame));
    } else {
        require(es_loop_next(r->loop, &r->frame));
    }
    r->first_form = true;
    r->phase = DRAWING;
    require(es_frame_step(&r->frame, -1).dt_ns == 0);
    require(es_frame_step(&r->frame, r->frame.ticks).index == 0);
    for (int32_t i = 0; i < r->frame.ticks; ++i) {
        es_step step = es_frame_step(&r->frame, i);
        take_step(r, &step);
    }
    check_frame(r);
    es_manual_clock_work(&r->clock, r->frame.ticks * below(r, r->cost_ns / 2 + 1));
}

static void look(run *r)
{
    es_display display = es_loop_display(r->loop);
    const char *problem = es_loop_problem(r->loop);
    require(display.mode >= ES_DISPLAY_UNKNOWN && display.mode <= ES_DISPLAY_HOST);
    require(display.period_ns >= 0.0 && isfinite(display.period_ns) && display.missed >= 0);
    require(display.queue >= 0 && display.queue <= 5);
    require(fabs(display.speed_change) <= r->config.speed_change_max);
    require(es_loop_idle_ns(r->loop) >= 0 && (problem == NULL || strlen(problem) > 0));
}

/* A frame as the header shows it. */
static void run_frame(run *r)
{
    r->clock.wake_late_ns = below(r, 200000);
    if (r->first_form || r->host) {
        next(r);
        if (chance(r, 4)) {
            wait_for_start(r);
        }
    } else {
        begin(r);
        while (r->phase == TICKING && !chance(r, 300)) {
            run_tick(r);
        }
        wait_for_start(r);
    }
    es_manual_clock_work(&r->clock, below(r, r->cost_ns + 1));
    submit(r);
    present(r);
    if (!r->first_form || r->host || chance(r, 2)) {
        end(r);
    }
}

static void seek(run *r)
{
    int64_t tick = r->base_tick + below(r, 1000000);
    bool done = es_loop_seek(r->loop, tick);
    require(done == !ticks_run(r));
    if (done) {
        r->tick_ns = due_time_ns(r, tick);
        r->tick = tick;
        r->first_tick = tick;
        r->times_ns[tick % TIMES] = r->tick_ns;
        r->changed = true;
        r->sought = true;
    }
}

static void set_speed(run *r)
{
    r->speed[0] = chance(r, 3) ? 1 : below(r, chance(r, 4) ? 400 : 9);
    r->speed[1] = r->speed[0] == 1 ? 1 : 1 + below(r, 7);
    require(es_loop_set_speed(r->loop, (double)r->speed[0] / (double)r->speed[1]));
    require(!es_loop_set_speed(r->loop, -0.5) && !es_loop_set_speed(r->loop, (double)NAN));
    r->changed = true;
}

static void tell(run *r, input *in)
{
    es_present sample = {.frame = r->frame.index - below(r, 40),
            .shown_ns = chance(r, 8) ? any_from(in) : r->clock.now_ns - below(r, 20 * MS),
            .reported_ns = chance(r, 2) ? 0 : r->clock.now_ns,
            .refresh_ns = chance(r, 2) ? 0 : r->refresh_ns,
            .sequence = chance(r, 2) ? 0 : (uint64_t)(r->clock.now_ns / (r->refresh_ns + 1)),
            .discarded = chance(r, 10),
            .variable = chance(r, 10)};
    es_loop_presented(r->loop, &sample);
}

/* Any of the calls, in order or not. */
static void run_other(run *r, input *in, uint8_t what)
{
    es_loop_config config;
    switch (what % 17) {
    case 0:
        r->clock.now_ns -= below(r, chance(r, 4) ? 10 * S : 30 * MS);
        break;
    case 1:
        r->clock.now_ns += below(r, chance(r, 4) ? 3600 * S : 2 * S);
        break;
    case 2:
        r->clock.suspended_ns += below(r, 3600 * S);
        break;
    case 3:
        r->paused = !r->paused;
        r->stepping = 0;
        es_loop_set_paused(r->loop, r->paused);
        r->changed = true;
        break;
    case 4:
        set_speed(r);
        break;
    case 5:
        require(es_loop_step_once(r->loop) == r->paused);
        r->stepping += r->paused;
        break;
    case 6:
        seek(r);
        break;
    case 7:
        require(es_loop_resync(r->loop) == !ticks_run(r));
        r->changed = true;
        break;
    case 8:
        r->hidden = !r->hidden;
        es_loop_set_visible(r->loop, !r->hidden);
        r->changed = true;
        break;
    case 9:
        config = good_config(r);
        configure(r, &config, true);
        break;
    case 10:
        config = any_config(r, in);
        configure(r, &config, false);
        break;
    case 11:
        tell(r, in);
        break;
    case 12:
        submit(r);
        break;
    case 13:
        end(r);
        break;
    case 14:
        wait_for_start(r);
        break;
    case 15:
        r->host ? next(r) : begin(r);
        break;
    default:
        run_tick(r);
        es_loop_acquired(r->loop);
        break;
    }
    look(r);
}

static bool start(run *r, input *in)
{
    r->random = (uint64_t)byte_from(in) << 8 | byte_from(in);
    r->host = chance(r, 4);
    r->first_form = chance(r, 2);
    r->refresh_ns = chance(r, 3) ? 0 : 4 * MS + below(r, 20 * MS);
    r->cost_ns = below(r, 10 * MS);
    r->clock.now_ns = (below(r, INT64_MAX) - INT64_MAX / 2) >> (8 + below(r, 50));
    r->host_ns = r->clock.now_ns;
    r->speed[0] = r->speed[1] = 1;
    r->rate = (es_rate){60, 1};
    r->config.clock = es_manual_clock_get(&r->clock);
    bool good = byte_from(in) < 224;
    es_loop_config config = good ? good_config(r) : any_config(r, in);
    r->loop = es_loop_create(&config);
    require(r->loop != NULL || (!good && strncmp(es_get_error(), "es_loop_config.", 15) == 0));
    if (r->loop != NULL) {
        take_config(r, &config);
    }
    return r->loop != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static run r; /* large */
    input in = {data, data + size};
    r = (run){0};
    bool near = start(&r, &in);
    while (near && in.data < in.end && r.frames < FRAMES_MOST) {
        uint8_t what = byte_from(&in);
        r.random += what;
        if (what < 32) {
            r.first_form = what % 2 == 0;
        } else if (what < 96) {
            run_frame(&r);
        } else if (what < 160) {
            for (int i = 0; i < MANY; ++i) {
                run_frame(&r);
            }
        } else {
            run_other(&r, &in, what);
        }
        near = r.clock.now_ns > -FAR_NS && r.clock.now_ns < FAR_NS;
        near = near && r.frame.content_ns < FAR_NS;
    }
    es_loop_destroy(r.loop);
    return 0;
}
