/* SPDX-License-Identifier: Zlib
 *
 * Misuse and obstacles. Each second, the gravest one that at least half of the frames had is kept for
 * es_loop_problem.
 */
#include "loop_parts.h"

#include <stdio.h>

/* How long a problem is reported after it was seen last. */
#define REPORT_NS (2 * ES_NS_PER_S)

/* Fewer frames per second tell nothing. */
#define FRAMES_LEAST 8

/* The period of the display that is announced is no further off, in announced ones. 59.94 Hz for 60 is
 * 0.1 %, a timer of whole milliseconds 4 %. */
#define PERIOD_ERROR 0.025

/* The same for a whole multiple. */
#define WHOLE_ERROR 0.05

/* Refreshes 64 apart that a clock places, by readings up to 1 ms late, scatter by 0.2 % of a period.
 * Where the refresh varies, a GPU whose frames differ by 1 % in all lets them wander by 2 %. */
#define WANDER_MOST 0.005

/* The call that presents takes longer, if only a little: a shorter time holds no such call. */
#define PRESENT_LEAST_NS (10 * ES_NS_PER_US)

static const char *const texts[ES__PROBLEMS] = {
        [ES__PROBLEM_THREADS] = "two threads use one loop: es_loop_next belongs to one thread",
        [ES__PROBLEM_NO_WAIT] = "es_loop_wait was not called after the ticks: content stands still",
        [ES__PROBLEM_NO_SUBMIT] =
                "es_loop_submit was not called: waiting for the display counts as work",
        [ES__PROBLEM_NO_END] = "es_loop_end was not called after present",
        [ES__PROBLEM_EARLY_END] =
                "much time passes after es_loop_end: was it called before present?",
        [ES__PROBLEM_EARLY_PRESENT] =
                "drawing waits for the display: was present called before es_loop_submit?",
        [ES__PROBLEM_FREE] = "presents never block: is vsync on? A timer paces the frames",
};

void es__problem_note(es_loop *loop, es_problem problem)
{
    loop->problems.counts[problem] += 1;
}

static double announced_hz(const es_loop *loop)
{
    es_rate refresh = loop->config.refresh;
    return es__rate_is_valid(refresh) ? (double)refresh.numerator / refresh.denominator : 0.0;
}

/* A clock places the refreshes, not the work of a GPU on a display that varies. */
static bool has_clock(const es_refresh *refresh)
{
    double square = 0.0;
    for (int32_t i = 1; i < refresh->low_count; ++i) {
        const es_refresh_low *low = &refresh->lows[i];
        double passed_ns = (double)es__ns_sub(low->at_ns, low[-1].at_ns);
        double off = passed_ns / refresh->period_ns - (double)(low->index - low[-1].index);
        square += off * off;
    }
    return refresh->group == ES_REFRESH_RECENT
           && square < WANDER_MOST * WANDER_MOST * (refresh->low_count - 1);
}

/* The display's refreshes are known, and not those that are announced. Whole multiples tell nothing:
 * frames whose work does not fit one refresh, or a GPU's, come at these. */
static bool is_another_display(const es_loop *loop)
{
    const es_refresh *refresh = &loop->display.refresh;
    double periods = refresh->period_ns * announced_hz(loop) / (double)ES_NS_PER_S;
    if (!loop->frame_follows || loop->display.mode != ES_DISPLAY_BLOCKS || periods == 0.0
            || !refresh->certain || refresh->taken < ES_REFRESH_RECENT) {
        return false;
    }
    double whole = es__max_f64((double)(int64_t)(periods + 0.5), 1.0);
    double most = whole > 1.0 ? WHOLE_ERROR : PERIOD_ERROR;
    bool shorter = periods < 1.0 - most; /* which no work explains */
    return shorter || ((periods - whole > most || whole - periods > most) && has_clock(refresh));
}

static void keep(es_loop *loop, int32_t problem)
{
    es_problems *problems = &loop->problems;
    if (problem == ES__PROBLEM_REFRESH) {
        (void)snprintf(problems->text, sizeof problems->text,
                "frames come at %.4g per second, but config.refresh says %.4g Hz",
                (double)ES_NS_PER_S / problems->period_ns, announced_hz(loop));
    } else {
        (void)snprintf(problems->text, sizeof problems->text, "%s", texts[problem]);
    }
}

static void judge(es_loop *loop, int64_t now_ns)
{
    es_problems *problems = &loop->problems;
    for (int32_t i = 0; i < ES__PROBLEMS; ++i) {
        if (2 * problems->counts[i] >= problems->frames) {
            keep(loop, i);
            problems->until_ns = es__ns_add(now_ns, REPORT_NS);
            return;
        }
    }
}

void es__problem_frame(es_loop *loop, int64_t now_ns)
{
    es_problems *problems = &loop->problems;
    int64_t since_ns = es__ns_sub(now_ns, problems->since_ns);
    if (problems->frames == 0) {
        problems->since_ns = now_ns;
    } else if (since_ns >= ES_NS_PER_S) {
        if (problems->frames >= FRAMES_LEAST) {
            judge(loop, now_ns);
        }
        problems->since_ns = now_ns;
        problems->frames = 0;
        for (int32_t i = 0; i < ES__PROBLEMS; ++i) {
            problems->counts[i] = 0;
        }
    }
    problems->frames += 1;
}

/* Drawing also waits where a driver has no buffer. Then a present comes after es_loop_submit. */
void es__problem_returned(es_loop *loop, int64_t now_ns)
{
    bool follows = loop->frame_follows;
    bool is_free = follows ? loop->display.mode == ES_DISPLAY_FREE : loop->is_free;
    int64_t took_ns = es__ns_sub(now_ns, loop->submitted_ns);
    if (loop->host || !loop->report.frame.visible) {
        return;
    }
    if (loop->drew_idle && took_ns < PRESENT_LEAST_NS) {
        es__problem_note(loop, ES__PROBLEM_EARLY_PRESENT);
    }
    if (is_free) {
        es__problem_note(loop, ES__PROBLEM_FREE);
    }
    if (is_another_display(loop)) {
        es__problem_note(loop, ES__PROBLEM_REFRESH);
        loop->problems.period_ns = loop->display.refresh.period_ns;
    }
}

const char *es_loop_problem(const es_loop *loop)
{
    bool is_recent = loop != NULL && loop->gap.time_ns < loop->problems.until_ns;
    return is_recent ? loop->problems.text : NULL;
}
