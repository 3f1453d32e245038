/* SPDX-License-Identifier: Zlib
 *
 * The update thread: which tick is due when, by the line of content time that the render thread
 * posted.
 *
 *   C(now) = posted content + scale * (now - posted instant) - what was dropped since
 *
 * Tick n is due when C passes t(n - 1 - lead), a lead before a frame can need it. The line has no
 * end, unless the program wants one after gap_ns (stop_without_frames). A sleep of the machine is
 * taken out of it.
 */
#include "loop/ticker.h"
#include "threads.h"

#include <string.h>

#define BEHIND_MAX_NS (100 * ES_NS_PER_MS)

/* Fewer ticks than COSTS_LEAST say nothing. The last COSTS_RECENT decide whether ticks cost too
 * much; all that are remembered say how much time they need. A longer cost is no tick's, and
 * ES__THREADS_COSTS of them fit int64. */
#define COSTS_LEAST  3
#define COSTS_RECENT 8
#define COST_MOST_NS (3600 * ES_NS_PER_S)

/* Reads the clock, and learns whether it goes on while the machine sleeps: looks are about 10 ms
 * apart, or a tick. */
static int64_t look_at_clock(es_threads *threads)
{
    es__threads_ticks *ticks = &threads->ticks;
    const es_clock *clock = &ticks->clock;
    int64_t now_ns = clock->now_ns(clock->user);
    if (clock->suspended_ns != NULL) {
        int64_t suspended_ns = es__clamp_ns(clock->suspended_ns(clock->user));
        int64_t slept_ns = suspended_ns - ticks->suspended_ns;
        bool counts = slept_ns <= es__ns_between(ticks->looked_ns, now_ns);
        if (slept_ns >= ES__SUSPEND_MIN_NS && counts != ticks->counts_sleep) {
            ticks->counts_sleep = counts;
            es__post_ticks(threads);
        }
        ticks->suspended_ns = suspended_ns;
    }
    ticks->looked_ns = now_ns;
    return now_ns;
}

/* The line now; before any post since the last seek it stands before all ticks. */
static es__render_post read_line(es_threads *threads)
{
    const es__threads_ticks *ticks = &threads->ticks;
    const es__render_post *post = es__newest_post(&threads->from_render);
    if (!es__generation_reached(post->generation, ticks->generation)) {
        return (es__render_post){.instant_ns = INT64_MIN,
                .content_ns = -ES__TIME_MAX,
                .present_ns = INT64_MIN,
                .scale = {0, 1},
                .user_scale = {0, 1}};
    }
    int64_t suspended_ns = ticks->counts_sleep ? ticks->suspended_ns : 0;
    return es__line_after(post, ticks->dropped_ns, ticks->slow_motion_ns, suspended_ns);
}

/* The first nanosecond at which the line is at an instant of content, even if that is past. So a
 * due time stays the same, whatever is posted later. */
static int64_t reached_at(const es__render_post *line, int64_t content_ns)
{
    int64_t missing_ns = content_ns - line->content_ns;
    if (line->scale.numerator == 0) {
        return missing_ns <= 0 ? INT64_MIN : INT64_MAX;
    }
    int64_t span_ns = es__ns_unscale(-missing_ns, line->scale);
    span_ns = -span_ns; /* rounded up */
    ES__ASSERT(span_ns > line->span_max_ns || span_ns > INT64_MAX / 4 || span_ns < INT64_MIN / 4
                       || es__ns_scale(span_ns, line->scale) >= missing_ns,
            span_ns, missing_ns);
    return span_ns > line->span_max_ns ? INT64_MAX : es__ns_add(line->instant_ns, span_ns);
}

static int64_t due_on(const es__threads_ticks *ticks, const es__render_post *line)
{
    const es__ticker *ticker = &ticks->ticker;
    if (ticker->index - ticker->lead < ticker->first_index) {
        return INT64_MIN; /* the lead is run at once */
    }
    return reached_at(line, es__ticker_covered_ns(ticker) + 1);
}

/* Of the last ticks, at most this many, without one that cost over twice as much as any other: a
 * hitch. 0: too few. */
typedef struct recent_costs {
    int64_t mean_ns, most_ns;
} recent_costs;

static recent_costs recent_costs_of(const es__threads_ticks *ticks, int64_t most)
{
    int64_t count = es__min(ticks->costs, most);
    int64_t sum_ns = 0, most_ns = 0, next_ns = 0;
    for (int64_t i = 1; i <= count; ++i) {
        int64_t cost_ns = ticks->costs_ns[(ticks->costs - i) % ES__THREADS_COSTS];
        sum_ns += cost_ns;
        next_ns = es__max(next_ns, es__min(cost_ns, most_ns));
        most_ns = es__max(most_ns, cost_ns);
    }
    if (count < COSTS_LEAST) {
        return (recent_costs){0, 0};
    }
    bool hitch = most_ns / 2 > next_ns;
    recent_costs found = hitch ? (recent_costs){(sum_ns - most_ns) / (count - 1), next_ns}
                               : (recent_costs){sum_ns / count, most_ns};
    ES__ASSERT(found.mean_ns <= found.most_ns && found.mean_ns >= found.most_ns / count
                       && found.most_ns <= most_ns,
            found.mean_ns, found.most_ns);
    return found;
}

void es__post_ticks(es_threads *threads)
{
    es__threads_ticks *ticks = &threads->ticks;
    recent_costs all = recent_costs_of(ticks, ES__THREADS_COSTS);
    es__ticks_post post = {
            .dropped_ns = ticks->dropped_ns,
            .slow_motion_ns = ticks->slow_motion_ns,
            .cost_ns = es__max(ticks->cost_ns, all.mean_ns),
            .cost_most_ns = all.most_ns,
            .base_index = ticks->ticker.base_index,
            .base_ns = ticks->ticker.base_ns,
            .rate = ticks->ticker.rate,
            .generation = ticks->generation,
            .calls = ticks->calls_taken,
            .counts_sleep = ticks->counts_sleep,
    };
    es__post(&threads->from_ticks, &ticks->posts, &post, sizeof post);
}

/* Takes a requested tick rate, between two ticks. */
static void take_rate(es_threads *threads)
{
    es__threads_ticks *ticks = &threads->ticks;
    const es__render_post *post = es__newest_post(&threads->from_render);
    if (post->rates != ticks->rates_taken && !ticks->begun) {
        ticks->rates_taken = post->rates;
        es__ticker_set_rate(&ticks->ticker, post->rate);
        es__post_ticks(threads);
    }
}

/* Runs a call, between two ticks. */
static void take_call(es_threads *threads)
{
    es__threads_ticks *ticks = &threads->ticks;
    const es__render_post *post = es__newest_post(&threads->from_render);
    if (post->calls == ticks->calls_taken || ticks->begun) {
        return;
    }
    const void *newest;
    void *state = es__exchange_begin(&threads->states, &newest);
    int64_t tick = ticks->ticker.index;
    memcpy(state, newest, threads->config.state_size);
    ticks->calls_taken = post->calls;
    if (post->call(post->call_user, state, &tick)
            && es__tick_seek(threads, tick, &state) == ES_OK) {
        es__tick_end(threads);
    }
    es__post_ticks(threads);
}

int64_t es__tick_due(es_threads *threads)
{
    take_rate(threads);
    take_call(threads);
    look_at_clock(threads);
    es__render_post line = read_line(threads);
    return due_on(&threads->ticks, &line);
}

int64_t es__tick_look(const es_threads *threads, int64_t now_ns, int64_t due_ns)
{
    int64_t half_ns = es__rate_period_ns(threads->ticks.ticker.rate) / 2;
    int64_t look_ns = es__max(es__min(half_ns, ES__LOOK_NS), ES__LOOK_LEAST_NS);
    return es__min(due_ns, es__ns_add(now_ns, look_ns));
}

/* --- when there is too much ------------------------------------------------------------------- */

/* Where content is too far past the newest tick. If ticks cost more than their period, they can
 * never catch up: content is withheld, back to where this tick begins in time, and goes on as fast
 * as ticks can follow. Else what is beyond the limit is dropped. */
static void limit_behind(
        es_threads *threads, es__render_post *line, int64_t now_ns, es__tick *begun)
{
    es__threads_ticks *ticks = &threads->ticks;
    int64_t behind_ns = es__line_content_ns(line, now_ns) - ticks->ticker.time_ns;
    int64_t most_ns = es__max(BEHIND_MAX_NS, es__rate_span_ns(ticks->ticker.rate, 2));
    int64_t period_ns = es__rate_period_ns(ticks->ticker.rate);
    const es__ratio scale = line->user_scale;
    bool overloaded = scale.numerator > 0 && ticks->cost_ns > es__ns_unscale(period_ns, scale);
    if (scale.numerator > scale.denominator) { /* simulated time runs faster than real time */
        most_ns = es__ns_scale(most_ns, scale);
    }
    ticks->behind = behind_ns > 0 ? ticks->behind + 1 : 0;
    if (overloaded && (behind_ns > most_ns / 2 || ticks->behind >= COSTS_RECENT)) {
        int64_t lead_ns = ticks->ticker.time_ns - es__ticker_covered_ns(&ticks->ticker);
        begun->slow_motion_ns = behind_ns + lead_ns;
        es__count_ns(&ticks->slow_motion_ns, begun->slow_motion_ns);
    } else if (behind_ns > most_ns) {
        begun->dropped_ns = behind_ns - most_ns;
        es__count_ns(&ticks->dropped_ns, begun->dropped_ns);
    }
    if (begun->slow_motion_ns > 0 || begun->dropped_ns > 0) {
        es__post_ticks(threads);
    }
    ES__ASSERT_IS(es__line_content_ns(line, now_ns) - begun->slow_motion_ns - begun->dropped_ns, <=,
            ticks->ticker.time_ns + most_ns);
    ES__ASSERT_IS(es__line_content_ns(line, now_ns) - begun->slow_motion_ns - begun->dropped_ns, >=,
            es__min(es__line_content_ns(line, now_ns), es__ticker_covered_ns(&ticks->ticker)));
}

/* The render thread needs costs only in slow motion. */
static void note_cost(es_threads *threads, int64_t now_ns)
{
    es__threads_ticks *ticks = &threads->ticks;
    int64_t cost_ns = es__max(es__ns_between(ticks->begun_ns, now_ns), 1); /* 0: unknown */
    ticks->costs_ns[ticks->costs % ES__THREADS_COSTS] = es__min(cost_ns, COST_MOST_NS);
    ticks->costs += 1;
    ticks->cost_ns = recent_costs_of(ticks, COSTS_RECENT).mean_ns;
    if (ticks->slow_motion_ns > 0) {
        es__post_ticks(threads);
    }
}

/* --- the calls -------------------------------------------------------------------------------- */

/* Where the step is on the clock, as es_loop_tick says. */
static void stamp_tick(const es__render_post *line, int64_t now_ns, es_step *step)
{
    step->begun_ns = now_ns;
    if (line->scale.numerator == 0) { /* paused, or no frame yet: the tick is for now */
        step->due_ns = es__max(line->present_ns, now_ns);
        return;
    }
    int64_t there_ns = line->content_ns + line->delay_ns;
    int64_t ahead_ns = es__ns_unscale(step->time_ns - there_ns, line->scale);
    step->due_ns = es__ns_add(line->present_ns, ahead_ns);
}

bool es__tick_begin(es_threads *threads, es__tick *tick)
{
    es__threads_ticks *ticks = &threads->ticks;
    if (ticks->begun) {
        return false;
    }
    take_rate(threads);
    take_call(threads);
    int64_t now_ns = look_at_clock(threads);
    es__render_post line = read_line(threads);
    int64_t due_ns = due_on(ticks, &line);
    if (due_ns > now_ns) {
        return false;
    }
    es__tick begun = {.late_ns = due_ns == INT64_MIN ? 0 : es__ns_between(due_ns, now_ns)};
    limit_behind(threads, &line, now_ns, &begun);
    line.content_ns -= (begun.dropped_ns + begun.slow_motion_ns);
    es__ticker_open(&ticks->ticker);
    ticks->step_rate = ticks->ticker.rate;
    if (!es__ticker_next(&ticks->ticker, INT64_MAX, &begun.step)) {
        return false;
    }
    stamp_tick(&line, now_ns, &begun.step);
    begun.state = es__exchange_begin(&threads->states, &begun.previous);
    ES__ASSERT(begun.previous == NULL || begun.step.index == threads->states.writer.index + 1,
            begun.step.index, threads->states.writer.index);
    ticks->begun = true;
    ticks->begun_ns = now_ns;
    *tick = begun;
    return true;
}

es_result es__tick_end(es_threads *threads)
{
    es__threads_ticks *ticks = &threads->ticks;
    if (!ticks->begun) {
        return ES_ERR_STATE;
    }
    if (!ticks->seeking) {
        note_cost(threads, ticks->clock.now_ns(ticks->clock.user));
    }
    es__exchange_tick tick = {
            .index = ticks->ticker.index,
            .time_ns = ticks->ticker.time_ns,
            .rate = ticks->step_rate,
            .generation = ticks->generation,
    };
    es_result result = es__exchange_publish(&threads->states, &tick);
    ES__ASSERT(result == ES_OK, result, tick.index);
    ticks->begun = false;
    ticks->seeking = false;
    return result;
}

/* The post comes before the state, so that the render thread knows of the seek when it has it. */
es_result es__tick_seek(es_threads *threads, int64_t tick, void **state)
{
    es__threads_ticks *ticks = &threads->ticks;
    if (ticks->begun) {
        return ES_ERR_STATE;
    }
    es_result result = es__ticker_seek(&ticks->ticker, tick);
    if (result != ES_OK) {
        return result;
    }
    ticks->generation += 1;
    ticks->step_rate = ticks->ticker.rate;
    ticks->begun = true;
    ticks->seeking = true;
    *state = es__exchange_begin(&threads->states, NULL);
    es__post_ticks(threads);
    return ES_OK;
}
