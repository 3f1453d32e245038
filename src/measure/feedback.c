/* SPDX-License-Identifier: Zlib */
#include "feedback.h"

#define TIMEOUT_NS          INT64_C(250000000)
#define FUTURE_TOLERANCE_NS INT64_C(20000000) /* some compositors predict screen times */
#define EARLY_TOLERANCE_NS  INT64_C(500000)   /* converted clocks are not exact */
#define PERIOD_MIN_NS       INT64_C(500000)   /* no display refreshes 2000 times a second */

enum {
    INTERVALS_MIN = 8, /* before a period is known */
    WRONG_MAX = 8,     /* contradictions among the last 32 samples, before samples are distrusted */
    ACCEPTED_MIN = 16, /* samples in a row before they are trusted again */
    MISSING_MAX = 8,   /* frames in a row without an answer, before frames stop waiting */
    FORGET_AFTER = 4,  /* mismatches in a row: the display is another one now */
    SLACK = 64         /* of refreshes counted, because periods are known to a percent or so */
};

/* ---- frames ---- */

/* The number-th frame presented, from 0; NULL if it is not kept. */
static es_feedback_frame *kept_frame(es_feedback *feedback, int64_t number)
{
    if (number < 0 || number >= feedback->presented
            || number < feedback->presented - ES_FEEDBACK_FRAMES) {
        return NULL;
    }
    ES__ASSERT(feedback->settled <= feedback->presented
                       && feedback->presented - feedback->settled <= ES_FEEDBACK_FRAMES,
            "%lld of %lld", (long long)feedback->settled, (long long)feedback->presented);
    return &feedback->frames[number % ES_FEEDBACK_FRAMES];
}

static es_feedback_frame *frame_by_index(es_feedback *feedback, int64_t index)
{
    for (int64_t back = 1; back <= ES_FEEDBACK_FRAMES; ++back) {
        es_feedback_frame *frame = kept_frame(feedback, feedback->presented - back);
        if (frame == NULL || frame->report.frame.index == index) {
            return frame;
        }
    }
    return NULL;
}

static void skip_frame(es_feedback *feedback)
{
    feedback->settled += 1;
    feedback->skipped_frame = true;
}

es_feedback *es_feedback_create(void)
{
    es_feedback *feedback = es__allocate(sizeof *feedback);
    if (feedback != NULL) {
        feedback->timeout_ns = TIMEOUT_NS;
    }
    return feedback;
}

void es_feedback_destroy(es_feedback *feedback)
{
    es__free(feedback);
}

bool es_feedback_presented(es_feedback *feedback, const es_report *report)
{
    if (feedback == NULL || report == NULL) {
        return es__fail(ES_ERR_INVALID, "es_feedback_presented", NULL) == ES_OK;
    }
    const es_feedback_frame *last = kept_frame(feedback, feedback->presented - 1);
    if (last != NULL && report->frame.index <= last->report.frame.index) {
        return es__fail(ES_ERR_INVALID, "es_feedback_presented", NULL) == ES_OK;
    }
    if (feedback->presented - feedback->settled == ES_FEEDBACK_FRAMES) {
        skip_frame(feedback); /* its place is needed */
    }
    es_feedback_frame *frame = &feedback->frames[feedback->presented % ES_FEEDBACK_FRAMES];
    memset(frame, 0, sizeof *frame);
    frame->report = *report;
    feedback->presented += 1;
    return true;
}

/* ---- intervals ---- */

static int64_t median_ns(double *numbers, int n)
{
    if (n < INTERVALS_MIN) {
        return 0;
    }
    ES__ASSERT_IS(n, <=, ES_FEEDBACK_KEPT);
    es__sort(numbers, (size_t)n);
    return numbers[n / 2] < 9e18 ? (int64_t)(numbers[n / 2] + 0.5) : 0;
}

/* How many periods are within 1/part of period_ns. The median of a few periods may be wrong, but
 * then few others agree with it; so with a variable refresh. */
static int agreeing(const double *periods, int n, int64_t period_ns, int part)
{
    int near = 0;
    for (int i = 0; i < n; ++i) {
        double off_ns = periods[i] - (double)period_ns;
        double most_ns = (double)period_ns / part;
        near += off_ns < most_ns && off_ns > -most_ns;
    }
    ES__ASSERT(near >= 0 && near <= n && n <= ES_FEEDBACK_KEPT, "%d of %d", near, n);
    return near;
}

/* Refresh periods by their count, between frames `apart` places from each other. Order and skipped
 * frames do not matter: the count includes them. */
static int counted_periods(const es_feedback *feedback, int32_t apart, double *periods)
{
    int n = 0;
    for (int32_t i = apart; i < feedback->seen_count; ++i) {
        const es_feedback_seen *a = &feedback->seen[i - apart], *b = &feedback->seen[i];
        if (a->sequence != 0 && b->sequence > a->sequence) {
            periods[n] = (double)es__ns_sub(b->shown_ns, a->shown_ns)
                         / (double)(b->sequence - a->sequence);
            n += 1;
        }
    }
    return n;
}

/* From neighbouring frames at first. From frames half the history apart, where uneven software
 * stamps matter less, as soon as these periods agree with one another and nearly with the former.
 * sure: NULL, or set to whether most intervals agree. */
static int64_t counted_period(const es_feedback *feedback, bool *sure)
{
    double periods[ES_FEEDBACK_KEPT];
    int n = counted_periods(feedback, 1, periods);
    int64_t period_ns = median_ns(periods, n);
    bool agree = 2 * agreeing(periods, n, period_ns, 20) > n;
    n = counted_periods(feedback, feedback->seen_count / 2, periods);
    int64_t longer_ns = feedback->seen_count / 2 > 1 ? median_ns(periods, n) : 0;
    int64_t off_ns = es__ns_sub(longer_ns, period_ns);
    if (longer_ns > 0 && off_ns < period_ns / 4 && off_ns > -period_ns / 4
            && 4 * agreeing(periods, n, longer_ns, 50) > 3 * n) {
        period_ns = longer_ns;
        agree = true;
    }
    if (sure != NULL) {
        *sure = agree;
    }
    return period_ns >= PERIOD_MIN_NS ? period_ns : 0;
}

/* neighbours: only intervals between a frame and the next. */
static int plain_intervals(const es_feedback *feedback, bool neighbours, double *intervals)
{
    int n = 0;
    for (int32_t i = 1; i < feedback->seen_count; ++i) {
        const es_feedback_seen *a = &feedback->seen[i - 1], *b = &feedback->seen[i];
        if (!neighbours || b->frame - 1 == a->frame) {
            intervals[n] = (double)es__ns_sub(b->shown_ns, a->shown_ns);
            n += 1;
        }
    }
    return n;
}

/* Divides intervals by their whole multiple of a period; removes those that are not within a tenth
 * of one. Returns how many are left. */
static int by_multiples(double *intervals, int n, int64_t period_ns)
{
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        double times = intervals[i] / (double)period_ns;
        double whole = (double)(int64_t)(times < 1e9 ? times + 0.5 : 0);
        double rest = times - whole;
        if (whole > 0 && rest < 0.1 && rest > -0.1) {
            intervals[kept] = intervals[i] / whole;
            kept += 1;
        }
    }
    return kept;
}

/* Whether most samples announced the last one's period, and it is plausible. */
static bool steadily_announced(const es_feedback *feedback)
{
    int32_t same = 0;
    for (int32_t i = 0; i < feedback->seen_count; ++i) {
        int64_t off_ns = es__ns_sub(feedback->seen[i].refresh_ns, feedback->announced_ns);
        int64_t most_ns = feedback->announced_ns / 20;
        same += off_ns <= most_ns && off_ns >= -most_ns;
    }
    return feedback->announced_ns >= PERIOD_MIN_NS && 2 * same > feedback->seen_count;
}

static void find_period(const es_feedback *feedback, es_feedback_status *status)
{
    double intervals[ES_FEEDBACK_KEPT];
    int64_t announced_ns = feedback->announced_ns;
    status->period_ns = counted_period(feedback, &status->period_sure);
    if (status->period_ns > 0) {
        int64_t off_ns = es__ns_sub(status->period_ns, announced_ns);
        off_ns = off_ns < 0 ? -off_ns : off_ns;
        status->announced_wrong = announced_ns > 0 && off_ns > announced_ns / 20;
        return;
    }
    status->period_sure = false;
    int n = plain_intervals(feedback, false, intervals);
    if (n >= INTERVALS_MIN && announced_ns > 0) {
        int kept = steadily_announced(feedback) ? by_multiples(intervals, n, announced_ns) : 0;
        status->announced_wrong = 2 * kept < n;
        status->period_ns = status->announced_wrong ? 0 : median_ns(intervals, kept);
        status->period_sure = status->period_ns > 0;
    }
    if (status->period_ns == 0) {
        n = plain_intervals(feedback, true, intervals);
        status->period_ns = median_ns(intervals, n);
    }
}

es_feedback_status es_feedback_get_status(const es_feedback *feedback)
{
    es_feedback_status status = {0};
    if (feedback == NULL) {
        return status;
    }
    status.state = feedback->state;
    memcpy(status.verdicts, feedback->verdicts, sizeof status.verdicts);
    for (int32_t i = 0; i < feedback->seen_count; ++i) {
        es_present_grade grade = feedback->seen[i].grade;
        status.grade = i == 0 || grade < status.grade ? grade : status.grade;
    }
    find_period(feedback, &status);
    if (feedback->varies) {
        status.period_sure = false;
        status.announced_wrong = false;
    }
    return status;
}

/* ---- verdicts ---- */

/* A frame's place among those seen: the number of earlier ones. */
static int32_t place_among_seen(const es_feedback *feedback, int64_t frame)
{
    int32_t place = feedback->seen_count;
    while (place > 0 && feedback->seen[place - 1].frame > frame) {
        place -= 1;
    }
    return place;
}

/* The refresh period at this sample; the shortest if it varies; 0: not known. */
static int64_t refresh_of(const es_feedback *feedback, const es_feedback_seen *seen)
{
    if (seen->sequence == 0) {
        return 0;
    }
    if (seen->varies) {
        return seen->refresh_ns > PERIOD_MIN_NS ? seen->refresh_ns : PERIOD_MIN_NS;
    }
    return counted_period(feedback, NULL);
}

/* a was seen before b. The count must rise, by about as many refreshes as fit in the time between;
 * if they vary, by no more than fit. After a long pause that is not known to half a refresh. */
static bool counts_agree(
        const es_feedback_seen *a, const es_feedback_seen *b, int64_t period_ns, bool varies)
{
    if (a->sequence == 0 || b->sequence == 0) {
        return true;
    }
    if (b->sequence <= a->sequence) {
        return false;
    }
    double refreshes = (double)(b->sequence - a->sequence);
    double off_ns = (double)es__ns_sub(b->shown_ns, a->shown_ns) - refreshes * (double)period_ns;
    double most_ns = (0.5 + refreshes / SLACK) * (double)period_ns;
    return period_ns == 0 || ((varies || off_ns < most_ns) && off_ns > -most_ns);
}

/* Of two frames that follow each other. */
static es_feedback_verdict judge_pair(
        const es_feedback_seen *a, const es_feedback_seen *b, int64_t period_ns, bool varies)
{
    if (b->shown_ns <= a->shown_ns) {
        return ES_FEEDBACK_ORDER;
    }
    return counts_agree(a, b, period_ns, varies) ? ES_FEEDBACK_TAKEN : ES_FEEDBACK_SEQUENCE;
}

static es_feedback_verdict judge_neighbours(
        const es_feedback *feedback, const es_feedback_seen *seen)
{
    const es_feedback_seen *after = feedback->seen + place_among_seen(feedback, seen->frame);
    int64_t period_ns = refresh_of(feedback, seen);
    es_feedback_verdict verdict = ES_FEEDBACK_TAKEN;
    if (after > feedback->seen) {
        verdict = judge_pair(after - 1, seen, period_ns, seen->varies);
    }
    if (verdict == ES_FEEDBACK_TAKEN && after < feedback->seen + feedback->seen_count) {
        verdict = judge_pair(seen, after, period_ns, seen->varies);
    }
    return verdict;
}

static es_feedback_seen seen_of(const es_present *sample)
{
    bool known = sample->grade >= ES_PRESENT_GUESSED && sample->grade <= ES_PRESENT_HARDWARE;
    return (es_feedback_seen){.frame = sample->frame,
            .shown_ns = sample->shown_ns,
            .refresh_ns = sample->refresh_ns,
            .sequence = sample->sequence,
            .grade = known ? sample->grade : ES_PRESENT_GUESSED,
            .varies = sample->variable};
}

static es_feedback_verdict feedback_judge(
        const es_feedback *feedback, const es_feedback_frame *frame, const es_present *sample)
{
    if (frame == NULL) {
        return ES_FEEDBACK_UNKNOWN;
    }
    if (frame->reported || frame->discarded) {
        return ES_FEEDBACK_REPEATED;
    }
    if (sample->discarded) {
        return ES_FEEDBACK_DISCARDED;
    }
    if (sample->shown_ns < es__ns_sub(frame->report.submit_ns, EARLY_TOLERANCE_NS)) {
        return ES_FEEDBACK_EARLY;
    }
    if (sample->shown_ns > es__ns_add(sample->reported_ns, FUTURE_TOLERANCE_NS)) {
        return ES_FEEDBACK_FUTURE;
    }
    es_feedback_seen seen = seen_of(sample);
    return judge_neighbours(feedback, &seen);
}

/* ---- samples ---- */

static void feedback_remember(es_feedback *feedback, const es_present *sample)
{
    int32_t place = place_among_seen(feedback, sample->frame);
    es_feedback_seen *seen = feedback->seen;
    if (feedback->seen_count == ES_FEEDBACK_KEPT) {
        if (place == 0) {
            return; /* not possible: at most 16 of the 32 seen are of frames still kept */
        }
        memmove(&seen[0], &seen[1], sizeof seen[0] * (size_t)(place - 1));
        place -= 1;
    } else {
        memmove(&seen[place + 1], &seen[place],
                sizeof seen[0] * (size_t)(feedback->seen_count - place));
        feedback->seen_count += 1;
    }
    seen[place] = seen_of(sample);
}

/* An answer after the time-out is true, but frames cannot wait for such answers. */
static void accept_sample(es_feedback *feedback, bool in_time)
{
    feedback->recent_wrong <<= 1;
    feedback->mismatches_in_a_row = 0;
    feedback->accepted_in_a_row += feedback->accepted_in_a_row < ACCEPTED_MIN ? 1 : 0;
    feedback->accepted_in_a_row = in_time ? feedback->accepted_in_a_row : 0;
    if (feedback->state == ES_FEEDBACK_LISTENING || feedback->accepted_in_a_row == ACCEPTED_MIN) {
        feedback->state = ES_FEEDBACK_TRUSTED;
    }
}

static void reject_sample(es_feedback *feedback, es_feedback_verdict verdict)
{
    feedback->recent_wrong = feedback->recent_wrong << 1 | 1U;
    feedback->accepted_in_a_row = 0;
    if (es__count_bits(feedback->recent_wrong) > WRONG_MAX) {
        feedback->state = ES_FEEDBACK_DISTRUSTED;
    }
    bool mismatch = verdict == ES_FEEDBACK_ORDER || verdict == ES_FEEDBACK_SEQUENCE;
    feedback->mismatches_in_a_row += mismatch ? 1 : 0;
    if (feedback->mismatches_in_a_row >= FORGET_AFTER) {
        feedback->seen_count = 0; /* another monitor, another mode: nothing to compare with */
        feedback->mismatches_in_a_row = 0;
    }
}

/* Of a frame that was reported already. */
static bool is_same_answer(const es_feedback_frame *frame, const es_present *sample)
{
    if (frame->discarded || sample->discarded) {
        return frame->discarded && sample->discarded;
    }
    return frame->shown_ns == sample->shown_ns && frame->sequence == sample->sequence;
}

static void feedback_take(es_feedback *feedback, es_feedback_frame *frame, const es_present *sample)
{
    int64_t took_ns = es__ns_sub(sample->reported_ns, frame->report.shown_ns);
    frame->reported = true;
    frame->shown_ns = sample->shown_ns;
    frame->sequence = sample->sequence;
    feedback->announced_ns = sample->refresh_ns > 0 ? sample->refresh_ns : 0;
    feedback->varies = sample->variable;
    feedback_remember(feedback, sample);
    accept_sample(feedback, took_ns < feedback->timeout_ns);
}

/* Not an equal repeat, nor that a frame no longer kept was discarded: where hundreds of frames are
 * presented in a refresh, that is reported when the refresh is over. */
static bool counts_as_wrong(
        es_feedback_verdict verdict, const es_feedback_frame *frame, const es_present *sample)
{
    if (verdict == ES_FEEDBACK_REPEATED) {
        return !is_same_answer(frame, sample);
    }
    return verdict != ES_FEEDBACK_UNKNOWN || !sample->discarded;
}

es_feedback_verdict es_feedback_reported(es_feedback *feedback, const es_present *sample)
{
    if (feedback == NULL || sample == NULL) {
        return ES_FEEDBACK_UNKNOWN;
    }
    es_feedback_frame *frame = frame_by_index(feedback, sample->frame);
    es_feedback_verdict verdict = feedback_judge(feedback, frame, sample);
    feedback->verdicts[verdict] += 1;
    if (verdict == ES_FEEDBACK_TAKEN) {
        feedback_take(feedback, frame, sample);
    } else if (verdict == ES_FEEDBACK_DISCARDED) {
        frame->discarded = true;
    } else if (counts_as_wrong(verdict, frame, sample)) {
        reject_sample(feedback, verdict);
    }
    return verdict;
}

/* ---- settled reports ---- */

/* Whether no interval may be measured from the last report returned to this one. */
static bool starts_series(const es_feedback *feedback, const es_report *report)
{
    bool goes_back =
            report->source == ES_SHOWN_FEEDBACK
            && report->shown_ns <= feedback->returned_shown_ns; /* another display's times */
    return feedback->skipped_frame || report->source != feedback->returned_source || goes_back
           || report->series != feedback->returned_series;
}

static void feedback_return(
        es_feedback *feedback, const es_feedback_frame *frame, bool reported, es_report *report)
{
    *report = frame->report;
    if (reported) {
        report->shown_ns = frame->shown_ns;
        report->source = ES_SHOWN_FEEDBACK;
    }
    if (!feedback->any_returned) {
        feedback->series = report->series;
    } else if (starts_series(feedback, report)) {
        feedback->series = (int32_t)((uint32_t)feedback->series + 1); /* may wrap */
    }
    feedback->returned_series = report->series;
    feedback->returned_source = report->source;
    feedback->returned_shown_ns = report->shown_ns;
    feedback->any_returned = true;
    feedback->skipped_frame = false;
    feedback->missing_in_a_row = 0;
    feedback->settled += 1;
    report->series = feedback->series;
}

static void time_out(es_feedback *feedback)
{
    feedback->timed_out += 1;
    feedback->missing_in_a_row += 1;
    if (feedback->state == ES_FEEDBACK_LISTENING || feedback->missing_in_a_row >= MISSING_MAX) {
        feedback->state = ES_FEEDBACK_SILENT;
        feedback->accepted_in_a_row = 0;
        return; /* this frame takes the return of present */
    }
    skip_frame(feedback);
}

/* Bounded by frames too: 16 frames may take less than the time-out, and the clock may step back. */
static bool may_wait(const es_feedback *feedback, const es_feedback_frame *frame, int64_t now_ns)
{
    return now_ns != INT64_MAX && feedback->presented - feedback->settled < ES_FEEDBACK_FRAMES
           && es__ns_sub(now_ns, frame->report.shown_ns) < feedback->timeout_ns;
}

bool es_feedback_next(es_feedback *feedback, int64_t now_ns, es_report *report)
{
    while (feedback != NULL && feedback->settled < feedback->presented) {
        const es_feedback_frame *frame = &feedback->frames[feedback->settled % ES_FEEDBACK_FRAMES];
        bool waits =
                feedback->state == ES_FEEDBACK_TRUSTED || feedback->state == ES_FEEDBACK_LISTENING;
        if (!waits || frame->reported) {
            feedback_return(feedback, frame, waits, report);
            return true;
        }
        if (frame->discarded) {
            feedback->missing_in_a_row = 0;
            feedback->settled += 1; /* its neighbours followed each other on the screen */
        } else if (may_wait(feedback, frame, now_ns)) {
            return false;
        } else {
            time_out(feedback);
        }
    }
    return false;
}

/* ---- texts ---- */

const char *es_feedback_state_name(es_feedback_state state)
{
    static const char *const names[] = {"listening", "trusted", "silent", "distrusted"};
    bool known = state >= ES_FEEDBACK_LISTENING && state <= ES_FEEDBACK_DISTRUSTED;
    return known ? names[state] : "unknown";
}
