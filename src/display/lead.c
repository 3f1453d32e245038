/* SPDX-License-Identifier: Zlib
 *
 * A frame begins at its refresh less the longest of the newest works of frames with no more ticks,
 * and less a margin. A work lasts from the scheduled begin to the submit, so late wake-ups count.
 * The margin is for all else that makes frames late: noise, a GPU, a compositor.
 */
#include "lead.h"

#include "base/common.h"
#include "constants.h"
#include "flips.h"
#include "refresh.h"

static int32_t kind_of(int32_t ticks)
{
    return (int32_t)es__min(ticks, ES_WORK_KINDS - 1);
}

/* Of the kinds up to last; 0: none was seen. More ticks never make a frame cheaper. */
static int64_t longest_ns(const es__lead *lead, int32_t last)
{
    int64_t most_ns = 0;
    for (int32_t i = 0; i <= last; ++i) {
        most_ns = es__max(most_ns, es__max(lead->longest_ns[i], lead->before_ns[i]));
    }
    return most_ns;
}

/* Without feedback, frames that begin just in time never wait, so nothing shows the refreshes. Now and then
 * frames begin at once until three presents have waited: these can refute the line. */
static bool probes_display(es__display *display, int64_t now_ns)
{
    es__lead *lead = &display->lead;
    double error_ns = es__refresh_error_ns(&display->refresh, now_ns);
    bool wrong = error_ns > ES__TUNE(coast) * display->refresh.period_ns / 2.0;
    bool old = (double)es__ns_sub(now_ns, display->refresh.read_ns) > ES__TUNE(lasting_ns);
    lead->probe = wrong || old ? (int32_t)ES__TUNE(reset) : lead->probe - (lead->probe > 0);
    return lead->probe > 0;
}

int64_t es__lead_ns(es__display *display, int64_t now_ns, int32_t ticks, bool probes)
{
    const es__lead *lead = &display->lead;
    bool known = display->feedback ? (double)display->returns >= ES__TUNE(readings)
                                   : display->refresh.taken == ES_REFRESH_RECENT;
    if (!known || (probes && probes_display(display, now_ns))) {
        return INT64_MAX;
    }
    int32_t kind = kind_of(ticks);
    int64_t margin_ns = es__to_ns(lead->margin_ns + lead->extra_ns);
    int64_t most_ns = es__ns_add(longest_ns(lead, ES_WORK_KINDS - 1), margin_ns);
    bool seen = lead->frames[kind] > 0;
    bool fits = (double)most_ns <= display->hold * display->refresh.period_ns;
    if (!seen || !fits) { /* a frame that does not fit needs a part of the refresh before its own */
        return most_ns;
    }
    return es__ns_add(longest_ns(lead, kind), margin_ns);
}

void es__lead_missed(es__display *display, int64_t age)
{
    es__lead *lead = &display->lead;
    double period_ns = display->refresh.period_ns;
    double margin_ns = es__frame(display, age)->margin_ns + ES__TUNE(impossible) * period_ns;
    lead->margin_ns = es__max_f64(lead->margin_ns, es__min_f64(margin_ns, period_ns));
    lead->extra_ns = ES__TUNE(arc) * period_ns; /* misses come in groups */
}

static void keep_longest(es__lead *lead, int32_t kind, int64_t work_ns)
{
    if (lead->frames[kind] == ES_WORK_FRAMES) {
        lead->before_ns[kind] = lead->longest_ns[kind];
        lead->longest_ns[kind] = 0;
        lead->frames[kind] = 0;
    }
    lead->longest_ns[kind] = es__max(lead->longest_ns[kind], work_ns);
    lead->frames[kind] += 1;
}

void es__lead_submitted(es__display *display, const es__display_work *work, bool missed)
{
    es__lead *lead = &display->lead;
    double period_ns = display->refresh.period_ns, step_ns = ES__TUNE(impossible) * period_ns;
    double share = display->config.missed_max;
    int64_t late_ns = es__max(es__ns_sub(display->begin_ns, display->due_ns), 0);
    int64_t work_ns = es__ns_add(late_ns, es__ns_add(work->update_ns, work->render_ns));
    bool stalled_before = lead->stalled;
    lead->stalled = (double)work_ns > (display->hold + 1) * period_ns;
    if (!lead->stalled || stalled_before) { /* no begin helps against a single stall */
        keep_longest(lead, kind_of(work->frame_ticks), work_ns);
    }
    es__own_frame(display, 0)->margin_ns = lead->margin_ns + lead->extra_ns;
    if (missed) {
        es__lead_missed(display, 0);
    } else { /* both balance where missed_max of the frames miss */
        double margin_ns = lead->margin_ns - step_ns * share / (1.0 - share);
        lead->margin_ns = es__max_f64(margin_ns, step_ns / 2.0);
        lead->extra_ns -= lead->extra_ns / ES__TUNE(error_frames);
    }
}
