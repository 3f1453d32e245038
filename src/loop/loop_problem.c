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

/* Frames come at under this share of the announced rate, and work takes under that share of it. */
#define SLOW_SHARE 0.7
#define WORK_SHARE 0.5

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

/* The display announces a higher rate than frames have, and work is not the reason. */
static bool is_slow(const es_loop *loop, double seconds)
{
    es_rate refresh = loop->config.refresh;
    if (!es__rate_is_valid(refresh) || loop->config.interval_ns > 0 || !loop->visible) {
        return false;
    }
    double rate = (double)refresh.numerator / refresh.denominator;
    double work_s = (double)loop->problems.work_ns / (double)ES_NS_PER_S / loop->problems.frames;
    return loop->problems.frames < SLOW_SHARE * rate * seconds && work_s * rate < WORK_SHARE;
}

static void keep(es_problems *problems, int64_t now_ns, const char *text)
{
    (void)snprintf(problems->text, sizeof problems->text, "%s", text);
    problems->until_ns = es__ns_add(now_ns, REPORT_NS);
}

static void judge(es_loop *loop, int64_t now_ns, double seconds)
{
    es_problems *problems = &loop->problems;
    for (int32_t i = 0; i < ES__PROBLEMS; ++i) {
        if (2 * problems->counts[i] >= problems->frames) {
            keep(problems, now_ns, texts[i]);
            return;
        }
    }
    if (is_slow(loop, seconds)) {
        es_rate refresh = loop->config.refresh;
        (void)snprintf(problems->text, sizeof problems->text,
                "frames come at %.0f per second, and the display is announced with %.0f Hz",
                problems->frames / seconds, (double)refresh.numerator / refresh.denominator);
        problems->until_ns = es__ns_add(now_ns, REPORT_NS);
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
            judge(loop, now_ns, (double)since_ns / (double)ES_NS_PER_S);
        }
        problems->since_ns = now_ns;
        problems->frames = 0;
        problems->work_ns = 0;
        for (int32_t i = 0; i < ES__PROBLEMS; ++i) {
            problems->counts[i] = 0;
        }
    }
    problems->frames += 1;
    problems->work_ns = es__ns_add(problems->work_ns, loop->render_work_ns);
}

const char *es_loop_problem(const es_loop *loop)
{
    bool is_recent = loop != NULL && loop->gap.time_ns < loop->problems.until_ns;
    return is_recent ? loop->problems.text : NULL;
}
