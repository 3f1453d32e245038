/* SPDX-License-Identifier: Zlib
 *
 * Loops of any configuration, whose public calls come in any order, on a clock that does anything.
 * Times of ticks, how many of them a frame has, its alpha and its account are computed here again,
 * with 128-bit numbers; calls out of order are refused, and change nothing.
 */
#include "../tests/manual_clock.h"
#include "fuzz_bytes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MANY = 40, FRAMES_MOST = 600, TIMES = 64 };

/* Beyond these, sums are cut to the range, and nothing adds up any more. */
#define FAR_NS (INT64_MAX / 16)

typedef enum phase { CLOSED, TICKING, PLANNED, DRAWING, SUBMITTED } phase;

typedef struct run {
    input in;
    es_manual_clock clock;
    es_loop *loop;
    es_loop_config config;
    phase phase;
    bool first_form, waited, host, hidden, opened_hidden, paused, left;
    bool changed;     /* since the last frame, by more than time */
    bool sought;      /* likewise: content may go back */
    bool known;       /* there is a frame before */
    int64_t first_ns; /* origin_of the first; a frame that was given up is one */
    int64_t speed[2]; /* numerator, denominator */
    int64_t stepping; /* single steps that are still to come */
    int64_t refresh_ns, cost_ns, host_ns;
    int64_t before_ns; /* intervals of configurations since the last frame */
    int frames;
    /* the ticks, and since when they have this rate */
    int64_t tick, tick_ns, first_tick, base_tick, base_ns, times_ns[TIMES];
    int32_t ticks; /* of this frame */
    int64_t covered_ns;
    es_frame frame, before;
} run;

/* --- configurations --------------------------------------------------------------------------- */

enum { FIXED = 1 << ES_STEP_FIXED, VARIABLE = 1 << ES_STEP_VARIABLE, ANY = 31 };
enum { AUTO = 1 << ES_PACE_AUTO, PACED = AUTO | 1 << ES_PACE_ADAPTIVE };

/* Its limits are those that evenstep.h names. */
typedef struct field {
    size_t at, size;
    bool real;
    int steps, paces; /* with which it has an effect */
    double least, most, usual[2];
} field;

#define FIELD(name)                                                                                \
    offsetof(es_loop_config, name), sizeof(((es_loop_config *)0)->name),                           \
            _Generic(((es_loop_config *)0)->name, double                                           \
                     : true, default                                                               \
                     : false)

static const field fields[] = {
        {FIELD(catch_up), FIXED | VARIABLE, ANY, 0, 4, {0, 4}},
        {FIELD(hold), ANY, AUTO, 0, 1, {0, 1}},
        {FIELD(low_latency), ANY, AUTO, 0, 1, {0, 1}},
        {FIELD(missed_max), ANY, AUTO, 0.0001, 0.5, {0.01, 0.1}},
        {FIELD(alpha_below_one), FIXED, ANY, 0, 1, {0, 1}},
        {FIELD(delay_ticks), FIXED, ANY, 0, 8, {0, 3}},
        {FIELD(lead_ticks), FIXED, ANY, -1, 4, {-1, 4}},
        {FIELD(ticks_max), FIXED, ANY, 1, 1e6, {1, 12}},
        {FIELD(speed_change_max), FIXED, AUTO, 0, 0.5, {0, 0.1}},
        {FIELD(catch_up_max_ns), FIXED, ANY, 1, 3600e9, {1, 2e9}},
        {FIELD(interval_ns), ANY, ANY, 1e4, 1e10, {1e6, 4e7}},
        {FIELD(interval_min_ns), ANY, PACED, 1e4, 1e10, {1e6, 4e7}},
        {FIELD(interval_max_ns), ANY, PACED, 1e4, 1e10, {5e7, 1.5e8}},
        {FIELD(gap_ns), ANY, ANY, 1e6, 9e18, {1e9, 5e9}},
        {FIELD(step_min_ns), VARIABLE, ANY, 1, 3600e9, {1, 1e7}},
        {FIELD(step_max_ns), VARIABLE, ANY, 1, 3600e9, {1e6, 1e9}},
        {FIELD(step_absurd_ns), VARIABLE, ANY, 1, 3600e9, {1, 1e7}},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static void set(es_loop_config *c, const field *f, double value)
{
    int64_t whole = f->real ? 0 : (int64_t)value;
    int32_t number = (int32_t)whole;
    bool flag = whole != 0;
    const void *from = f->real        ? (void *)&value
                       : f->size == 8 ? (void *)&whole
                       : f->size == 4 ? (void *)&number
                                      : &flag;
    memcpy((char *)c + f->at, from, f->size);
}

/* Never a default: where a field has no effect, that is accepted. */
static double any_value(const field *f, input *in)
{
    int64_t bits = any_from(in);
    double real;
    memcpy(&real, &bits, sizeof real);
    bits = f->size == 8 ? bits >> 10 | 3 : f->size == 4 ? (int32_t)bits : bits & 1;
    return f->real ? real : (double)bits;
}

static double likely_value(const field *f)
{
    double range = f->usual[1] - f->usual[0] + (f->real ? 0.0 : 1.0);
    double usual = f->usual[0] + range * (double)below(S) / 1e9;
    double limit = chance(2) ? f->least : f->most;
    return chance(10) ? limit : f->real && chance(2) ? usual : floor(usual);
}

/* Most are accepted. Returns whether each field is within its limits. */
static bool draw_config(const run *r, es_loop_config *c, input *in)
{
    static const es_rate slow = {1, 20000};
    bool within = true;
    *c = (es_loop_config){.clock = r->config.clock, .pace = (es_pace)below(5)};
    c->tick_rate = chance(20) ? slow : any_rate();
    c->step = chance(2) ? ES_STEP_FIXED : (es_step_kind)below(3);
    c->refresh =
            c->pace == ES_PACE_AUTO && chance(2) ? es_hz(50.0 + (double)below(200)) : c->refresh;
    for (const field *f = fields; f < fields + FIELDS; ++f) {
        bool works = (f->steps >> c->step & 1) != 0 && (f->paces >> c->pace & 1) != 0;
        double value = works && chance(4) ? likely_value(f) : 0.0;
        value = chance(500) ? any_value(f, in) : value;
        within = within && (value == 0.0 || (works && value >= f->least && value <= f->most));
        set(c, f, value);
    }
    if (chance(100)) {
        c->step = chance(2) ? (es_step_kind)(below(5) - 5) : (es_step_kind)(3 + below(5));
        within = false;
    }
    return within && (c->gap_ns == 0 || c->gap_ns > c->interval_max_ns)
           && c->delay_ticks * period_s_of(c->tick_rate) < 86400.001;
}

static int64_t interval_most(const es_loop_config *c)
{
    return c->interval_ns > c->interval_max_ns ? c->interval_ns : c->interval_max_ns;
}

static void take_config(run *r, const es_loop_config *config)
{
    if (!is_same_rate(config->tick_rate, r->config.tick_rate)) {
        r->base_tick = r->tick;
        r->base_ns = r->tick_ns;
    }
    r->before_ns += interval_most(&r->config);
    r->config = *config;
}

static bool ticks_run(const run *r)
{
    return (r->phase == TICKING && r->ticks > 0) || r->phase == PLANNED;
}

static void configure(run *r)
{
    es_loop_config config, before = es_loop_get_config(r->loop);
    bool within = draw_config(r, &config, &r->in);
    bool done = es_loop_configure(r->loop, &config);
    es_loop_config after = es_loop_get_config(r->loop);
    require(!done || (within && !ticks_run(r)));
    require(memcmp(done ? &config : &before, &after, sizeof after) == 0);
    if (done) {
        take_config(r, &config);
        r->changed = true;
    }
}

/* --- ticks ------------------------------------------------------------------------------------ */

static int64_t time_of(const run *r, int64_t tick)
{
    return tick > r->tick ? r->base_ns + exact_ns(r->config.tick_rate, tick - r->base_tick)
                          : r->times_ns[tick % TIMES];
}

static void take_step(run *r, const es_step *step)
{
    int64_t exact = time_of(r, r->tick + 1);
    bool uneven = r->config.step == ES_STEP_VARIABLE || r->config.catch_up == ES_CATCH_UP_STRETCH;
    require(step->index == r->tick + 1 && step->in_frame == r->ticks);
    require(step->dt_ns >= 0 && step->dt_s > 0.0 && isfinite(step->dt_s));
    if (r->config.step == ES_STEP_VARIABLE
            || (uneven
                    && (step->time_ns != exact
                            || step->dt_s != period_s_of(r->config.tick_rate)))) {
        require(fabs(step->dt_s - (double)step->dt_ns / 1e9) < 1e-9);
        r->base_tick = step->index;
        r->base_ns = step->time_ns;
    } else {
        require(step->time_ns == exact && step->dt_ns == exact - r->tick_ns);
        require(step->dt_s == period_s_of(r->config.tick_rate));
    }
    r->tick = step->index;
    r->tick_ns = step->time_ns;
    r->times_ns[r->tick % TIMES] = r->tick_ns;
    r->ticks += 1;
}

static void open_frame(run *r, bool first_form)
{
    int64_t covering = r->tick - r->config.lead_ticks;
    covering = covering > r->first_tick ? covering : r->first_tick;
    r->covered_ns = time_of(r, covering);
    r->ticks = 0;
    r->left = r->waited = false;
    r->opened_hidden = r->hidden;
    r->changed |= r->phase != CLOSED && r->phase != SUBMITTED; /* that frame is given up */
    r->first_form = first_form;
    r->phase = first_form ? DRAWING : TICKING;
}

static void run_tick(run *r)
{
    es_step step;
    if (es_loop_tick(r->loop, &step)) {
        require(r->phase == TICKING);
        take_step(r, &step);
        es_manual_clock_work(&r->clock, below(r->cost_ns / 2 + 1));
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
    int64_t first_ns = origin_of(f);
    require(r->known ? first_ns == r->first_ns : r->changed || first_ns == f->present_ns);
    r->first_ns = first_ns;
    require(a->frame_dropped_ns >= 0 && a->frame_stretched_ns >= 0 && a->debt_ns >= 0);
    require(a->debt_ns == 0 || r->config.catch_up == ES_CATCH_UP_SPREAD
            || r->config.step == ES_STEP_VARIABLE);
    require(f->gap.duration_ns >= 0 && (f->gap.kind != ES_GAP_NONE || f->gap.removed_ns == 0));
    if (!r->known || r->changed) {
        return;
    }
    check_shares(a, was);
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
        require(off >= -2 && off <= 2 && a->frame_slow_motion_ns == 0);
    }
}

/* As many ticks as content needs, and no more than the bounds allow. */
static void check_ticks(run *r)
{
    const es_frame *f = &r->frame;
    int64_t below_one = r->config.alpha_below_one;
    int64_t fast = r->speed[0] > r->speed[1] ? r->speed[0] / r->speed[1] + 1 : 1;
    require(r->config.ticks_max == 0 || f->ticks <= r->config.ticks_max);
    require(r->config.step == ES_STEP_FIXED || r->changed || r->before.ahead_ns > 0
            || f->ticks <= (r->config.step == ES_STEP_LOCKSTEP ? fast : 1));
    require(f->ticks == r->ticks && f->newest_tick == r->tick && f->newest_ns == r->tick_ns);
    require(f->current_ns == r->times_ns[f->current_tick % TIMES]);
    require(f->previous_ns == r->times_ns[f->previous_tick % TIMES]);
    require(f->previous_tick == f->current_tick - (f->current_tick > r->first_tick));
    if (r->config.step != ES_STEP_FIXED || r->changed || r->left) {
        return;
    }
    int64_t covering = r->tick - r->config.lead_ticks,
            off = r->config.delay_ticks > 0.0 ? below_one : 0;
    int64_t content_ns = f->content_ns + below_one;
    /* where a bound leaves a lead incomplete, content waits */
    bool waits = covering < r->first_tick || f->content_ns == r->before.content_ns;
    require(waits || time_of(r, covering) >= content_ns - off);
    /* stretched steps behind content may end beyond it */
    bool beyond = r->config.catch_up == ES_CATCH_UP_STRETCH && r->config.lead_ticks < 0;
    require(f->ticks == 0 || covering <= r->first_tick || beyond
            || time_of(r, covering - 1) < content_ns + off);
    if (r->config.catch_up_max_ns > 0 && r->known) {
        wide bound = r->config.catch_up_max_ns;
        bound = r->speed[0] > r->speed[1] ? bound * r->speed[0] / r->speed[1] : bound;
        bool stretched = r->config.catch_up == ES_CATCH_UP_STRETCH; /* up to four periods */
        bound += r->covered_ns + exact_ns(r->config.tick_rate, stretched ? 4 : 1)
                 + 1; /* to the end of a tick */
        require(f->content_ns <= bound || f->content_ns == r->before.content_ns);
    }
}

static void check_frame(run *r)
{
    const es_frame *f = &r->frame, *b = &r->before;
    bool stepped = r->paused && r->stepping > 0;
    r->changed |= stepped;
    r->stepping -= stepped && !(r->left && r->ticks == 0); /* the first es_loop_tick steps */
    require(f->visible == !r->opened_hidden);
    require(f->tick_s > 0.0 && isfinite(f->tick_s) && f->late_ns >= 0 && f->interval_ns >= 0);
    require(!r->known || r->sought || f->content_ns >= b->content_ns);
    require(!r->known || r->changed || !r->paused || f->content_ns == b->content_ns);
    check_account(r);
    check_ticks(r);
    check_alpha(f, r->config.alpha_below_one ? 2.5 : 0.0);
    bool past = r->config.lead_ticks < 0 && f->current_tick == f->newest_tick;
    require(f->alpha < 1.0 || !r->config.alpha_below_one || past);
    r->before = *f;
    r->known = true;
    r->changed = r->sought = false;
    r->frames += 1;
    r->before_ns = 0;
}

/* --- the calls -------------------------------------------------------------------------------- */

/* On a display present returns after the next refresh. */
static void present(run *r)
{
    int64_t took_ns = below(chance(300) ? 5 * S : 5 * MS);
    if (r->refresh_ns > 0 && !chance(100)) {
        took_ns = r->refresh_ns - (r->clock.now_ns % r->refresh_ns + r->refresh_ns) % r->refresh_ns;
    }
    r->clock.now_ns += took_ns;
}

/* No call waits for much longer than frames are apart: es_loop_next does so before it submits, and before the
 * next frame. A timer's frame may have been drawn before its start. Lockstep waits for a tick. */
static void check_wait(const run *r, int64_t from_ns)
{
    int64_t most_ns = interval_most(&r->config) + r->before_ns + 50 * MS;
    most_ns += r->before.interval_ns + r->frame.interval_ns;
    require(r->config.step == ES_STEP_LOCKSTEP || r->clock.now_ns - from_ns <= 2 * most_ns + S);
}

static void submit(run *r)
{
    int64_t from_ns = r->clock.now_ns;
    require(es_loop_submit(r->loop) == (r->phase == DRAWING));
    check_wait(r, from_ns);
    r->phase = r->phase == DRAWING ? SUBMITTED : r->phase;
}

static void end(run *r)
{
    bool drawn = r->phase == DRAWING || r->phase == SUBMITTED;
    require(es_loop_end(r->loop) == drawn);
    const es_report *report = es_loop_get_report(r->loop);
    require(!drawn || (report->frame.index == r->frame.index && report->series >= 0));
    r->phase = drawn ? CLOSED : r->phase;
    es_display display = es_loop_get_display(r->loop);
    require(r->config.step == ES_STEP_LOCKSTEP || r->changed
            || fabs(display.speed_change) <= r->config.speed_change_max);
    require(display.mode >= ES_DISPLAY_UNKNOWN && display.mode <= ES_DISPLAY_HOST);
    require(display.queue >= 0 && display.queue <= 5 && display.period_ns >= 0.0);
    require(display.mode != ES_DISPLAY_BLOCKS || display.period_ns > 0.0);
    require(es_loop_idle_ns(r->loop) >= 0);
}

static void wait_for_start(run *r)
{
    es_frame frame;
    bool ran = r->phase == TICKING || r->phase == PLANNED;
    bool again = r->phase == DRAWING && r->first_form && !r->waited;
    int64_t from_ns = r->clock.now_ns;
    require(es_loop_wait(r->loop, &frame) == (ran || again));
    check_wait(r, from_ns);
    r->waited = true;
    if (ran) {
        r->left = r->phase == TICKING;
        r->phase = DRAWING;
        r->frame = frame;
        check_frame(r);
    }
}

static void next(run *r)
{
    int64_t from_ns = r->clock.now_ns;
    open_frame(r, true);
    r->host_ns += r->host ? below(40 * MS) : 0;
    int64_t shown_ns = chance(3) ? ES_UNKNOWN_NS : r->host_ns + below(50 * MS);
    require(r->host ? es_loop_next_at(r->loop, r->host_ns, shown_ns, &r->frame)
                    : es_loop_next(r->loop, &r->frame));
    while (r->frame.surplus) {
        require(r->host && r->config.interval_ns > 0 && r->frame.ticks == 0);
        r->host_ns += 1 + below(40 * MS);
        require(es_loop_next_at(r->loop, r->host_ns, ES_UNKNOWN_NS, &r->frame));
    }
    check_wait(r, from_ns);
    require(es_frame_step(&r->frame, -1).dt_ns == 0);
    require(es_frame_step(&r->frame, r->frame.ticks).index == 0);
    for (int32_t i = 0; i < r->frame.ticks; ++i) {
        es_step step = es_frame_step(&r->frame, i);
        take_step(r, &step);
    }
    check_frame(r);
    es_manual_clock_work(&r->clock, r->frame.ticks * below(r->cost_ns / 2 + 1));
}

static void begin(run *r)
{
    if (r->host) {
        next(r);
        return;
    }
    int64_t from_ns = r->clock.now_ns;
    open_frame(r, false);
    require(es_loop_begin(r->loop));
    check_wait(r, from_ns);
}

/* A frame as the header shows it. */
static void run_frame(run *r)
{
    r->clock.wake_late_ns = below(200000);
    r->first_form ? next(r) : begin(r);
    while (r->phase == TICKING && !chance(300)) {
        run_tick(r);
    }
    if (!r->first_form || chance(4)) {
        wait_for_start(r);
    }
    es_manual_clock_work(&r->clock, below(r->cost_ns + 1));
    submit(r);
    present(r);
    if (!r->first_form || chance(2)) {
        end(r);
    }
}

static void seek(run *r)
{
    int64_t tick = r->base_tick + below(1000);
    bool done = es_loop_seek(r->loop, tick);
    require(done == !ticks_run(r));
    if (done) {
        r->tick_ns = r->base_ns + exact_ns(r->config.tick_rate, tick - r->base_tick);
        r->times_ns[tick % TIMES] = r->tick_ns;
        r->tick = r->first_tick = tick;
        r->changed = r->sought = true;
    }
}

static void set_speed(run *r)
{
    r->speed[0] = chance(3) ? 1 : below(chance(4) ? 400 : 9);
    r->speed[1] = r->speed[0] == 1 ? 1 : 1 + below(7);
    require(es_loop_set_speed(r->loop, (double)r->speed[0] / (double)r->speed[1]));
    require(!es_loop_set_speed(r->loop, -0.5) && !es_loop_set_speed(r->loop, (double)NAN));
    r->changed = true;
}

/* What a platform says of a frame, true or not. */
static void say_shown(run *r)
{
    es_present sample = {.frame = r->frame.index - below(40),
            .shown_ns = chance(8) ? any_from(&r->in) : r->clock.now_ns - below(20 * MS),
            .reported_ns = chance(2) ? 0 : r->clock.now_ns,
            .refresh_ns = chance(2) ? 0 : r->refresh_ns,
            .sequence = chance(2) ? 0 : (uint64_t)(r->clock.now_ns / (r->refresh_ns + 1)),
            .discarded = chance(10),
            .variable = chance(10)};
    es_loop_presented(r->loop, &sample);
    es_loop_acquired(r->loop);
}

static void say_targets(run *r)
{
    const es_targets targets = {.times = chance(2),
            .refreshes = chance(2),
            .deadline_ns = chance(4) ? any_from(&r->in) : below(20 * MS),
            .ahead_ns = chance(4) ? any_from(&r->in) : below(50 * MS)};
    es_loop_set_targets(r->loop, chance(8) ? NULL : &targets);
}

static void leap(run *r)
{
    r->clock.suspended_ns += chance(4) ? below(3600 * S) : 0;
    r->clock.now_ns +=
            chance(2) ? -below(chance(4) ? 10 * S : 30 * MS) : below(chance(4) ? 3600 * S : 2 * S);
}

static void switch_state(run *r)
{
    if (chance(2)) {
        r->hidden = !r->hidden;
        es_loop_set_visible(r->loop, !r->hidden);
    } else {
        r->paused = !r->paused;
        r->stepping = 0;
        es_loop_set_paused(r->loop, r->paused);
    }
    r->changed = true;
}

static void step_once(run *r)
{
    require(es_loop_tick_once(r->loop) == r->paused);
    r->stepping += r->paused;
}

static void resync(run *r)
{
    require(es_loop_resync(r->loop) == !ticks_run(r));
    r->changed = true;
}

static void start(run *r)
{
    es_loop_config config;
    bool within;
    fuzz_random = (uint64_t)byte_from(&r->in) << 8 | byte_from(&r->in);
    r->host = chance(4);
    r->first_form = chance(2);
    r->refresh_ns = chance(3) ? 0 : 4 * MS + below(20 * MS);
    r->cost_ns = below(10 * MS);
    r->clock.now_ns = r->host_ns = (below(INT64_MAX) - INT64_MAX / 2) >> (8 + below(50));
    r->config.clock = es_manual_clock_get(&r->clock);
    do {
        within = draw_config(r, &config, &r->in);
        r->loop = es_loop_create(&config);
        require(r->loop == NULL ? strncmp(es_get_error(), "es_loop_config.", 15) == 0 : within);
    } while (r->loop == NULL);
    take_config(r, &config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const calls[])(run *) = {leap, switch_state, set_speed, step_once, seek, resync,
            configure, say_shown, say_targets, submit, end, wait_for_start, run_tick, begin, next};
    static run r; /* large */
    bool near = true;
    r = (run){.in = {data, data + size}, .speed = {1, 1}, .config.tick_rate = {60, 1}};
    start(&r);
    while (near && r.in.data < r.in.end && r.frames < FRAMES_MOST) {
        uint8_t what = byte_from(&r.in);
        fuzz_random += what;
        if (what < 160) {
            r.first_form = what < 32 ? what % 2 == 0 : r.first_form;
            for (int i = what < 96 ? 1 : MANY; i > 0; --i) {
                run_frame(&r);
            }
        } else {
            calls[what % (sizeof calls / sizeof calls[0])](&r);
        }
        near = r.clock.now_ns > -FAR_NS && r.clock.now_ns < FAR_NS
               && r.frame.content_ns + r.frame.account.dropped_ns < FAR_NS;
    }
    es_loop_destroy(r.loop);
    return 0;
}
