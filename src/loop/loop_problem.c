/* SPDX-License-Identifier: Zlib
 *
 * Misuse and obstacles. Each second, the gravest one that at least half of the frames had is kept for
 * es_loop_problem.
 */
#include "display/constants.h"
#include "display/hold.h"
#include "loop.h"

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

/* Readings that a clock places, up to 1 ms late, scatter by 0.2 % of a period where each is the earliest
 * of 64. A GPU whose frames differ by 1 % in all wanders by 0.3 % a frame, where the refresh varies: 64
 * frames later by 2 %. */
#define WANDER_MOST 0.000625 /* per square root of a frame */

/* So many frames in a row take the same number of refreshes. A GPU's uneven work changes that. */
#define FRAMES_EVEN 16

/* Work that leaves a tenth of a refresh does not miss it. */
#define WORK_FITS 0.9

/* More presents than refreshes that a second may have: what fills a queue. */
#define PRESENTS_MORE (ES_DISPLAY_QUEUES + 2)

/* No monitor is faster (2026). */
#define REFRESH_MOST_HZ 750.0

/* Seconds in a row for which the display is unknown. */
#define UNKNOWN_LEAST 4

/* Work that is shorter fits the refreshes of most monitors, up to 240 Hz. */
#define WORK_SHORT_NS (4 * ES_NS_PER_MS)

/* At least so many frames per second are a game's. */
#define GAME_FRAMES 20

/* The call that presents takes longer, if only a little: a shorter time holds no such call. */
#define PRESENT_LEAST_NS (10 * ES_NS_PER_US)

/* Formats of up to two numbers. */
static const char *const texts[ES__PROBLEMS] = {
        [ES__PROBLEM_THREADS] = "two threads use one loop: es_loop_next belongs to one thread",
        [ES__PROBLEM_NO_WAIT] = "es_loop_wait was not called after the ticks: content stands still",
        [ES__PROBLEM_TICK_RATE] = "tick_rate is %.3g per second: es_hz takes ticks per second",
        [ES__PROBLEM_NEXT_TWICE] =
                "es_loop_next was called twice: call es_loop_submit and present in between",
        [ES__PROBLEM_NO_SUBMIT] =
                "es_loop_submit was not called: waiting for the display counts as work",
        [ES__PROBLEM_NO_END] = "es_loop_end was not called after present",
        [ES__PROBLEM_EARLY_END] =
                "much time passes after es_loop_end: was it called before present?",
        [ES__PROBLEM_EARLY_PRESENT] =
                "drawing waits for the display: was present called before es_loop_submit?",
        [ES__PROBLEM_FREE] = "presents never block: is vsync on? A timer paces the frames",
        [ES__PROBLEM_FAST] = "frames come at %.4g per second, but config.refresh says %.4g Hz: "
                             "is vsync on, or is the window on another monitor?",
        [ES__PROBLEM_TOO_FAST] =
                "frames come at %.4g per second, more than monitors refresh: is vsync on?",
        [ES__PROBLEM_SLOW] =
                "frames come at %.4g per second, but config.refresh says %.4g Hz: is the "
                "window on another monitor, or is the GPU's work longer than a refresh?",
        [ES__PROBLEM_CAP] = "interval_ns asks for %.4g frames per second, but the work of a frame "
                            "takes %.3g ms",
        [ES__PROBLEM_CAP_UNEVEN] =
                "interval_ns asks for %.4g frames per second, no whole part of %.4g Hz: uneven "
                "without VRR. Take 1/2 or 1/3, report screen times, or set swap intervals",
        [ES__PROBLEM_UNKNOWN] =
                "the display stays unknown, as presents never wait: is the work of a "
                "frame (%.3g ms) longer than a refresh, or is vsync off?",
};

/* The last one where the work is short: its number is 0. */
static const char *const text_unknown_short =
        "the display stays unknown, as presents never wait: is vsync off?";

void es__problem_note(es_loop *loop, es__problem problem)
{
    ES__ASSERT_IS(problem, <, ES__PROBLEMS);
    loop->problems.counts[problem] += 1;
}

/* The same with the numbers of its text. */
static void note_numbers(es_loop *loop, es__problem problem, double first, double second)
{
    loop->problems.numbers[problem][0] = first;
    loop->problems.numbers[problem][1] = second;
    es__problem_note(loop, problem);
}

static double per_second(double period_ns)
{
    return (double)ES_NS_PER_S / period_ns;
}

static double rate_hz(es_rate rate)
{
    return es__rate_is_valid(rate) ? (double)rate.numerator / rate.denominator : 0.0;
}

static double announced_hz(const es_loop *loop)
{
    return rate_hz(loop->config.refresh);
}

/* --- rates ------------------------------------------------------------------------------------ */

/* A clock places the refreshes, not the work of a GPU on a display that varies. */
static bool has_clock(const es__refresh *refresh)
{
    double square = 0.0;
    for (int32_t i = 1; i < refresh->low_count; ++i) {
        const es__refresh_low *low = &refresh->lows[i];
        double passed_ns = (double)(low->at_ns - low[-1].at_ns);
        double off = passed_ns / refresh->period_ns - (double)(low->index - low[-1].index);
        square += off * off;
    }
    return refresh->low_count >= ES_REFRESH_LOWS / 2
           && square < WANDER_MOST * WANDER_MOST * refresh->group * (refresh->low_count - 1);
}

/* Frames take the same number of announced refreshes, more than one. Neither a cap, nor their work, nor
 * what runs after es_loop_end explains it. */
static bool skips_refreshes(es_loop *loop, int64_t now_ns)
{
    es__problems *problems = &loop->problems;
    double announced = announced_hz(loop) / (double)ES_NS_PER_S; /* per ns */
    double took = (double)(now_ns - problems->returned_ns) * announced;
    int32_t refreshes = (int32_t)es__min_f64(took + 0.5, INT32_MAX);
    bool even = refreshes == problems->refreshes && refreshes > 1 && loop->config.interval_ns == 0
                && (loop->display.unblocked == 0 || loop->display.acquires)
                && (double)(problems->work_ns + problems->outside_ns) * announced < WORK_FITS;
    problems->returned_ns = now_ns;
    problems->refreshes = refreshes;
    problems->even = even ? problems->even + 1 : 0;
    return problems->even >= FRAMES_EVEN;
}

/* The display's own count of refreshes says that they come as announced: a GPU skips some. */
static bool is_counted(const es__display *display, double announced_ns)
{
    double counted = (double)(display->sequence - display->counted_from);
    double span_ns = (double)(display->sequence_ns - display->counted_from_ns);
    return counted >= FRAMES_EVEN && span_ns < 1.5 * counted * announced_ns;
}

/* The frames keep refreshes that are known, and not those that are announced. Returns their distance;
 * 0: they keep those. At a whole multiple also frames come whose work does not fit. */
static double other_period_ns(es_loop *loop, int64_t now_ns)
{
    const es__refresh *refresh = &loop->display.refresh;
    double announced_ns = (double)es__rate_period_ns(loop->config.refresh);
    bool skips = skips_refreshes(loop, now_ns);
    if (!loop->frame.uses_display || loop->display.mode != ES_DISPLAY_BLOCKS || announced_ns == 0.0
            || !refresh->certain || refresh->taken < ES_REFRESH_RECENT) {
        return 0.0;
    }
    double periods = refresh->period_ns / announced_ns;
    double whole = es__max_f64((double)(int64_t)(periods + 0.5), 1.0);
    double most = whole > 1.0 ? WHOLE_ERROR : PERIOD_ERROR;
    if (periods < 1.0 - most) { /* which no work explains */
        return refresh->period_ns;
    }
    bool other = periods - whole > most || whole - periods > most;
    if (!(other || (skips && !is_counted(&loop->display, announced_ns))) || !has_clock(refresh)) {
        return 0.0;
    }
    return other ? refresh->period_ns : loop->problems.refreshes * announced_ns;
}

/* More presents than the refreshes of this second could show: they do not wait. */
static void find_fast(es_loop *loop, int64_t since_ns)
{
    es__problems *problems = &loop->problems;
    double hz = announced_hz(loop) > 0.0 ? announced_hz(loop) : REFRESH_MOST_HZ;
    double most = (1.0 + PERIOD_ERROR) * hz * (double)since_ns / (double)ES_NS_PER_S;
    if ((loop->frame.uses_display || loop->rules.watches_presents)
            && problems->presents - PRESENTS_MORE > most) {
        es__problem problem = announced_hz(loop) > 0.0 ? ES__PROBLEM_FAST : ES__PROBLEM_TOO_FAST;
        note_numbers(loop, problem, per_second((double)since_ns / problems->presents), hz);
        problems->counts[problem] = problems->frames;
    }
}

/* --- a second --------------------------------------------------------------------------------- */

static bool is_lasting(es__problems *problems, int32_t problem)
{
    bool seen = 2 * problems->counts[problem] >= problems->frames;
    if (problem == ES__PROBLEM_UNKNOWN) {
        problems->unknown = seen ? problems->unknown + (problems->unknown < UNKNOWN_LEAST) : 0;
        seen = problems->unknown == UNKNOWN_LEAST;
    }
    return seen;
}

static void judge(es_loop *loop, int64_t now_ns)
{
    es__problems *problems = &loop->problems;
    for (int32_t i = 0; i < ES__PROBLEMS; ++i) {
        if (is_lasting(problems, i)) {
            const double *numbers = problems->numbers[i];
            const char *text = texts[i];
            if (i == ES__PROBLEM_UNKNOWN && numbers[0] == 0.0) {
                text = text_unknown_short;
            }
            (void)snprintf(problems->text, sizeof problems->text, text, numbers[0], numbers[1]);
            problems->until_ns = now_ns + REPORT_NS;
            return;
        }
    }
}

void es__problem_frame(es_loop *loop, int64_t now_ns)
{
    es__problems *problems = &loop->problems;
    int64_t since_ns = now_ns - problems->since_ns;
    if (problems->frames == 0) {
        problems->since_ns = now_ns;
    } else if (since_ns >= ES_NS_PER_S) {
        if (loop->rules.step != ES_STEP_VARIABLE && rate_hz(loop->ticker.rate) < 1.0
                && problems->frames >= GAME_FRAMES) {
            note_numbers(loop, ES__PROBLEM_TICK_RATE, rate_hz(loop->ticker.rate), 0.0);
            problems->counts[ES__PROBLEM_TICK_RATE] = problems->frames;
        }
        find_fast(loop, since_ns);
        if (problems->frames >= FRAMES_LEAST) {
            judge(loop, now_ns);
        }
        problems->since_ns = now_ns;
        problems->frames = 0;
        problems->presents = 0;
        for (int32_t i = 0; i < ES__PROBLEMS; ++i) {
            problems->counts[i] = 0;
        }
    }
    problems->frames += 1;
    ES__ASSERT_IN(problems->presents, 0, problems->frames);
}

/* --- a frame ---------------------------------------------------------------------------------- */

/* The program called es_loop_end, and then half of the frame passed. Another loop of the thread may have
 * used that time. */
void es__problem_begun(es_loop *loop)
{
    int64_t since_ns = loop->gap.time_ns - loop->before.ended_ns;
    int64_t frame_ns = loop->gap.time_ns - loop->frame.begin_ns;
    bool presents = loop->frame.uses_display || loop->rules.watches_presents;
    bool alone = !es__thread_turns_to(loop);
    loop->problems.alone = alone;
    loop->problems.outside_ns = since_ns;
    if (loop->before.ended && presents && alone && loop->last.frame.visible
            && since_ns > frame_ns / 2) {
        es__problem_note(loop, ES__PROBLEM_EARLY_END);
    }
    loop->before.ended = false;
}

/* Presents never wait, so the display stays unknown: the work fits no refresh, or a timer keeps a cap that
 * is no whole number of refreshes. */
static void note_unknown(es_loop *loop, int64_t work_ns)
{
    const es__display *display = &loop->display;
    int64_t asked_ns = loop->config.interval_ns;
    int64_t refresh_ns = es__rate_period_ns(loop->config.refresh);
    if (!loop->frame.uses_display || display->mode != ES_DISPLAY_UNKNOWN || display->varies
            || !loop->problems.alone || display->unblocked == 0 || display->acquires) {
        return;
    }
    if (work_ns > asked_ns && (double)work_ns > ES__TUNE(fits) * (double)refresh_ns) {
        bool is_short = refresh_ns == 0 && work_ns < WORK_SHORT_NS;
        double work_ms = (double)work_ns / (double)ES_NS_PER_MS;
        note_numbers(loop, ES__PROBLEM_UNKNOWN, is_short ? 0.0 : work_ms, 0.0);
    }
    if (!display->feedback && !display->targets.refreshes
            && es__cap_is_uneven((double)asked_ns, (double)refresh_ns)) {
        note_numbers(
                loop, ES__PROBLEM_CAP_UNEVEN, per_second((double)asked_ns), announced_hz(loop));
    }
}

/* Work that fits neither a frame cap nor what the display makes of it. */
static void note_work(es_loop *loop)
{
    const es__display *display = &loop->display;
    es__problems *problems = &loop->problems;
    int64_t work_ns = loop->report.update_work_ns + loop->report.render_work_ns;
    int64_t asked_ns = loop->config.interval_ns;
    int64_t refresh_ns = es__rate_period_ns(loop->config.refresh);
    int64_t most_ns = es__max(asked_ns, refresh_ns);
    bool follows = loop->frame.uses_display;
    bool keeps = loop->config.pace != ES_PACE_ADAPTIVE && asked_ns > 0;
    if (follows && display->mode == ES_DISPLAY_BLOCKS) {
        double held_ns = es__wanted_hold(display) * display->refresh.period_ns;
        most_ns = es__max(most_ns, (int64_t)held_ns);
    }
    double work_ms = (double)work_ns / (double)ES_NS_PER_MS;
    problems->work_ns = work_ns;
    if (keeps && work_ns > most_ns) {
        note_numbers(loop, ES__PROBLEM_CAP, per_second((double)asked_ns), work_ms);
    }
    note_unknown(loop, work_ns);
}

/* Drawing also waits where a driver has no buffer. Then a present comes after es_loop_submit. */
void es__problem_returned(es_loop *loop, int64_t now_ns, bool submitted)
{
    es__problems *problems = &loop->problems;
    bool follows = loop->frame.uses_display;
    bool is_free = follows ? loop->display.mode == ES_DISPLAY_FREE : loop->presents.never_block;
    int64_t took_ns = es__ns_between(loop->frame.submitted_ns, now_ns);
    if (loop->frame.host || !loop->report.frame.visible) {
        return;
    }
    if (submitted == problems->unsubmitted) {
        es__problem_note(loop, ES__PROBLEM_NEXT_TWICE);
    }
    problems->unsubmitted = !submitted;
    if (!submitted) {
        es__problem_note(loop, ES__PROBLEM_NO_SUBMIT);
        return;
    }
    problems->presents += 1;
    if (loop->frame.drew_idle && took_ns < PRESENT_LEAST_NS) {
        es__problem_note(loop, ES__PROBLEM_EARLY_PRESENT);
    }
    if (is_free) {
        es__problem_note(loop, ES__PROBLEM_FREE);
    }
    note_work(loop);
    double period_ns = other_period_ns(loop, now_ns);
    if (period_ns > 0.0) {
        bool fast = per_second(period_ns) > announced_hz(loop);
        note_numbers(loop, fast ? ES__PROBLEM_FAST : ES__PROBLEM_SLOW, per_second(period_ns),
                announced_hz(loop));
    }
}

const char *es_loop_problem(const es_loop *loop)
{
    bool is_recent = loop != NULL && loop->gap.time_ns < loop->problems.until_ns;
    return is_recent ? loop->problems.text : NULL;
}
