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

/* A display with under this share of the announced rate is another one than announced. */
#define SLOW_SHARE 0.7

/* A period is a whole multiple of the announced one if it is no further off, in announced ones. */
#define WHOLE_ERROR 0.05

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

/* The display's refreshes are known, and much slower than announced. Whole multiples tell nothing:
 * frames whose work does not fit one refresh, or a GPU's, come at these. */
static bool is_slow(const es_loop *loop)
{
    const es_refresh *refresh = &loop->display.refresh;
    double announced = refresh->period_ns * announced_hz(loop) / (double)ES_NS_PER_S;
    double off = announced - (double)(int64_t)(announced + 0.5);
    return loop->frame_follows && loop->display.mode == ES_DISPLAY_BLOCKS && refresh->certain
           && announced * SLOW_SHARE > 1.0 && (off > WHOLE_ERROR || -off > WHOLE_ERROR);
}

static void keep(es_loop *loop, int32_t problem)
{
    es_problems *problems = &loop->problems;
    if (problem == ES__PROBLEM_SLOW) {
        (void)snprintf(problems->text, sizeof problems->text,
                "frames come at %.0f per second, and the display is announced with %.0f Hz",
                (double)ES_NS_PER_S / loop->display.refresh.period_ns, announced_hz(loop));
    } else {
        (void)snprintf(problems->text, sizeof problems->text, "%s", texts[problem]);
    }
}

static void judge(es_loop *loop, int64_t now_ns)
{
    es_problems *problems = &loop->problems;
    for (int32_t i = 0; i < ES__PROBLEMS; ++i) {
        bool is_often = 2 * problems->counts[i] >= problems->frames;
        if (i == ES__PROBLEM_SLOW ? is_slow(loop) : is_often) {
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
}

const char *es_loop_problem(const es_loop *loop)
{
    bool is_recent = loop != NULL && loop->gap.time_ns < loop->problems.until_ns;
    return is_recent ? loop->problems.text : NULL;
}
