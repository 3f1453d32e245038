/* SPDX-License-Identifier: Zlib
 *
 * The tick half: which tick is due when, by the line of content time that the render half posted.
 *
 *   C(now) = posted content + scale * (now - posted instant) - what was dropped since
 *
 * Tick n is due when C passes t(n - 1 - lead): a lead before a frame can ask for it. The line is
 * carried on for gap_ns at most: for longer nobody has drawn, and time is not the game's.
 */
#include "evenstep/threaded.h"

#include "loop_config.h"
#include "threaded_parts.h"

#define BEHIND_DEFAULT_NS (100 * ES_NS_PER_MS)

/* The line. It stands, before all ticks, where nothing was posted since the last seek. */
typedef struct content_line {
    int64_t instant_ns;
    int64_t content_ns;
    int64_t span_max_ns; /* it goes on for so long */
    es_ratio scale;
    int64_t present_ns; /* content_ns is seen at */
    int64_t delay_ns;
} content_line;

static content_line read_line(es_threaded *threaded)
{
    const es_threaded_ticks *ticks = &threaded->ticks;
    const es__render_post *post = es__newest_post(&threaded->from_render);
    if (post == NULL || !es__generation_reached(post->generation, ticks->seek_generation)) {
        return (content_line){INT64_MIN, INT64_MIN, 0, {0, 1}, INT64_MIN, 0};
    }
    int64_t given_ns = es_ns_sub(ticks->dropped_ns, post->dropped_ns);
    return (content_line){post->instant_ns, es_ns_sub(post->content_ns, given_ns), threaded->gap_ns,
            post->scale, post->present_ns, post->delay_ns};
}

static int64_t content_at(const content_line *line, int64_t now_ns)
{
    int64_t span_ns = es_ns_sub(now_ns, line->instant_ns);
    if (span_ns > line->span_max_ns) {
        span_ns = line->span_max_ns;
    }
    return es_ns_add(line->content_ns, es_ns_scale(span_ns, line->scale));
}

/* When the line gets to an instant of content, or got there: the first ns at which it is there. So
 * what is due stays due since then, whatever is posted later. */
static int64_t reached_at(const content_line *line, int64_t content_ns)
{
    int64_t missing_ns = es_ns_sub(content_ns, line->content_ns);
    if (line->scale.numerator == 0) {
        return missing_ns <= 0 ? INT64_MIN : INT64_MAX;
    }
    const es_ratio real_per_content = {line->scale.denominator, line->scale.numerator};
    int64_t span_ns = es_ns_scale(es_ns_sub(0, missing_ns), real_per_content);
    span_ns = es_ns_sub(0, span_ns); /* rounded up */
    return span_ns > line->span_max_ns ? INT64_MAX : es_ns_add(line->instant_ns, span_ns);
}

static int64_t due_on(const es_threaded_ticks *ticks, const content_line *line)
{
    const es_ticker *ticker = &ticks->ticker;
    if (!ticks->published) {
        return INT64_MAX;
    }
    if (ticker->index - ticker->lead < ticker->first_index) {
        return INT64_MIN; /* the lead is run at once */
    }
    return reached_at(line, es_ns_add(es_ticker_covered_ns(ticker), 1));
}

int64_t es_threaded_tick_due(es_threaded *threaded)
{
    if (threaded == NULL || !threaded->initialised) {
        return INT64_MAX;
    }
    content_line line = read_line(threaded);
    return due_on(&threaded->ticks, &line);
}

static void post_ticks(es_threaded *threaded)
{
    es_threaded_ticks *ticks = &threaded->ticks;
    es__ticks_post post = {
            .dropped_ns = ticks->dropped_ns,
            .base_index = ticks->ticker.base_index,
            .base_ns = ticks->ticker.base_ns,
            .rate = ticks->ticker.rate,
            .generation = ticks->generation,
            .seek_generation = ticks->seek_generation,
    };
    es__post(&threaded->from_ticks, &ticks->posts, &post, sizeof post);
}

/* In simulated time, which may run faster. */
static int64_t behind_max_ns(const es_threaded *threaded, es_ratio scale)
{
    int64_t most_ns = threaded->behind_max_ns;
    if (most_ns == 0) {
        int64_t two_ns = es_rate_events_to_ns(threaded->ticks.ticker.rate, 2);
        most_ns = es__larger(BEHIND_DEFAULT_NS, two_ns);
    }
    return scale.numerator > scale.denominator ? es_ns_scale(most_ns, scale) : most_ns;
}

/* The picture is at the newest tick and content is past it, by more than is made up. */
static int64_t limit_behind(es_threaded *threaded, content_line *line, int64_t now_ns)
{
    es_threaded_ticks *ticks = &threaded->ticks;
    int64_t behind_ns = es_ns_sub(content_at(line, now_ns), ticks->ticker.time_ns);
    int64_t over_ns = es_ns_sub(behind_ns, behind_max_ns(threaded, line->scale));
    if (over_ns <= 0) {
        return 0;
    }
    ticks->dropped_ns = es_ns_add(ticks->dropped_ns, over_ns);
    line->content_ns = es_ns_sub(line->content_ns, over_ns);
    post_ticks(threaded);
    return over_ns;
}

/* Where the step is on the clock: as es_loop_tick says. */
static void place_step(const content_line *line, int64_t now_ns, es_step *step)
{
    step->begun_ns = now_ns;
    if (line->scale.numerator == 0) { /* it stands, or no frame has been: the tick is for now */
        step->due_ns = es__larger(line->present_ns, now_ns);
        return;
    }
    const es_ratio real_per_content = {line->scale.denominator, line->scale.numerator};
    int64_t there_ns = es_ns_add(line->content_ns, line->delay_ns);
    int64_t ahead_ns = es_ns_scale(es_ns_sub(step->time_ns, there_ns), real_per_content);
    step->due_ns = es_ns_add(line->present_ns, ahead_ns);
}

bool es_threaded_tick_begin(es_threaded *threaded, es_threaded_tick *tick)
{
    if (threaded == NULL || tick == NULL || !threaded->initialised || threaded->ticks.begun
            || !threaded->ticks.published) {
        return false;
    }
    es_threaded_ticks *ticks = &threaded->ticks;
    content_line line = read_line(threaded);
    int64_t now_ns = ticks->clock.now_ns(ticks->clock.user);
    int64_t due_ns = due_on(ticks, &line);
    if (due_ns > now_ns) {
        return false;
    }
    es_threaded_tick begun = {.late_ns = due_ns == INT64_MIN ? 0 : es_ns_sub(now_ns, due_ns)};
    begun.dropped_ns = limit_behind(threaded, &line, now_ns);
    es_ticker_open(&ticks->ticker);
    ticks->step_rate = ticks->ticker.rate;
    if (!es_ticker_next(&ticks->ticker, INT64_MAX, &begun.step)) {
        return false;
    }
    place_step(&line, now_ns, &begun.step);
    begun.state = es_exchange_begin(&threaded->states, &begun.previous);
    ticks->begun = true;
    *tick = begun;
    return true;
}

es_result es_threaded_tick_end(es_threaded *threaded)
{
    if (threaded == NULL || !threaded->ticks.begun) {
        return ES_ERR_STATE;
    }
    es_threaded_ticks *ticks = &threaded->ticks;
    es_exchange_tick tick = {
            .index = ticks->ticker.index,
            .time_ns = ticks->ticker.time_ns,
            .produced_at_ns = ticks->clock.now_ns(ticks->clock.user),
            .rate = ticks->step_rate,
            .generation = ticks->generation,
    };
    es_result result = es_exchange_publish(&threaded->states, &tick);
    ticks->begun = false;
    ticks->published = true;
    return result;
}

/* As for a seek, the post comes before the state. */
es_result es_threaded_tick_cut(es_threaded *threaded)
{
    if (threaded == NULL || !threaded->ticks.begun) {
        return ES_ERR_STATE;
    }
    threaded->ticks.generation += 1;
    post_ticks(threaded);
    return ES_OK;
}

/* The post comes before the state, so who has the state knows that it was sought. */
es_result es_threaded_tick_seek(es_threaded *threaded, int64_t tick, void **state)
{
    if (threaded == NULL || !threaded->initialised || threaded->ticks.begun) {
        return ES_ERR_STATE;
    }
    if (state == NULL) {
        return ES_ERR_INVALID;
    }
    es_threaded_ticks *ticks = &threaded->ticks;
    es_result result = es_ticker_seek(&ticks->ticker, tick);
    if (result != ES_OK) {
        return result;
    }
    ticks->generation += 1;
    ticks->seek_generation = ticks->generation;
    ticks->step_rate = ticks->ticker.rate;
    ticks->begun = true;
    *state = es_exchange_begin(&threaded->states, NULL);
    post_ticks(threaded);
    return ES_OK;
}

es_result es_threaded_set_tick_rate(es_threaded *threaded, es_rate rate)
{
    if (threaded == NULL || !threaded->initialised || threaded->ticks.begun) {
        return ES_ERR_STATE;
    }
    es_ticker *ticker = &threaded->ticks.ticker;
    if (!es__tick_rate_is_allowed(rate) || !es__lead_is_allowed(rate, ticker->lead)
            || !es__delay_is_allowed(rate, threaded->delay_ticks)) {
        return ES_ERR_INVALID;
    }
    es_ticker_set_rate(ticker, rate);
    post_ticks(threaded);
    return ES_OK;
}
