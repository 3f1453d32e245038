/* SPDX-License-Identifier: Zlib
 *
 * Ticks that match refreshes (es_loop_config.speed_change_max). A tick is divided into as many parts
 * as it is shown for refreshes. A frame moves content by a part for each refresh that passes, to the
 * middle of a part. So the end of a tick lies between two refreshes, where no rounding reaches it.
 */
#include "base/common.h"
#include "loop.h"

/* The longest tick, in refreshes. */
#define PARTS_MAX 1000

/* Content follows the refreshes that the display's plan passes, except for what the plan recovers of
 * an offset by and by: that becomes a whole refresh when it is past 3/4. Half would be a limit that
 * the rounding of plans can cross in both directions. */
#define REST_MAX 0.75

static int64_t nearest_whole(double x)
{
    return (int64_t)(x < 0.0 ? x - 0.5 : x + 0.5);
}

/* The refresh period while it is certain; 0: content follows time. */
static double matched_refresh_ns(const es_loop *loop)
{
    const es__content *content = &loop->content;
    bool in_slow_motion = content->slow.numerator != content->slow.denominator;
    if (loop->config.speed_change_max == 0.0 || !loop->frame.uses_display || !content->started
            || content->paused || in_slow_motion || es__elapsed_real_ns(loop) < 0) {
        return 0.0;
    }
    es_display display = es__display_get_status(&loop->display);
    bool known = display.mode == ES_DISPLAY_BLOCKS || display.mode == ES_DISPLAY_HOST;
    return known ? display.period_ns : es__display_ticks_ns(&loop->display);
}

/* In how many refreshes a tick is shown; 0: they do not match. */
static int64_t parts_of_tick(const es_loop *loop, double refresh_ns, double *change)
{
    const es__ratio *scale = &loop->content.scale;
    double tick_ns = loop->ticker.period_s * 1e9 * scale->denominator;
    double wanted = tick_ns / (refresh_ns * scale->numerator);
    if (!(refresh_ns > 0.0 && wanted >= 0.5 && wanted < PARTS_MAX)) {
        return 0;
    }
    int64_t parts = nearest_whole(wanted);
    *change = wanted / (double)parts - 1.0;
    double size = *change < 0.0 ? -*change : *change;
    return size <= loop->config.speed_change_max ? parts : 0;
}

static int64_t refreshes_passed(es_loop *loop, double refresh_ns)
{
    double passed = (double)es__elapsed_real_ns(loop) / refresh_ns;
    int64_t refreshes = nearest_whole(passed);
    double rest = loop->before.match_rest + passed - (double)refreshes;
    int64_t more = rest > REST_MAX || rest < -REST_MAX ? nearest_whole(rest) : 0;
    loop->frame.match_rest = rest - (double)more;
    return refreshes + more;
}

/* The middle of the part that is `passed` parts after that of content_ns. A tick's end belongs to
 * its last part. */
static int64_t parts_later_ns(
        const es__ticker *ticker, int64_t content_ns, int64_t parts, int64_t passed)
{
    int64_t period_ns = es__rate_period_ns(ticker->rate);
    int64_t tick = ticker->base_index
                   + es__rate_ns_to_events(ticker->rate, content_ns - ticker->base_ns) - 1;
    int64_t since_ns = content_ns - es__ticker_time_ns(ticker, tick);
    int64_t part = es__min((since_ns * parts - 1) / period_ns, parts - 1) + passed;
    int64_t ticks = part / parts - (part % parts < 0 ? 1 : 0);
    part -= ticks * parts;
    ES__ASSERT(part >= 0 && part < parts && since_ns > 0 && since_ns <= period_ns + 1, part, parts);
    return es__ticker_time_ns(ticker, tick + ticks) + (2 * part + 1) * period_ns / (2 * parts);
}

void es__match_refreshes(es_loop *loop)
{
    double refresh_ns = matched_refresh_ns(loop);
    double change = 0.0;
    int64_t parts = parts_of_tick(loop, refresh_ns, &change);
    int64_t last_ns = es__content_last_due_ns(&loop->content);
    if (loop->ticker.ticks == 0) {
        loop->frame.match_from_ns = last_ns;
    }
    loop->frame.speed_change = parts > 0 ? change : 0.0;
    if (parts > 0) {
        int64_t passed = refreshes_passed(loop, refresh_ns);
        int64_t from_ns = loop->frame.match_from_ns; /* what was dropped since does not move it */
        int64_t to_ns = parts_later_ns(&loop->ticker, from_ns, parts, passed) + last_ns - from_ns;
        es__content_count_to(&loop->content, to_ns);
        ES__ASSERT(
                loop->frame.match_rest <= REST_MAX && loop->frame.match_rest >= -REST_MAX, change);
    } else {
        loop->frame.match_rest = 0.0;
        loop->content.counted = false;
    }
}
