/* SPDX-License-Identifier: Zlib
 *
 * What the figures of a capture mean, as sentences for the text and the page.
 */
#include "measure.h"

#include <math.h>

/* Presents do not wait in most frames: their returns say nothing of the display. */
static bool is_blind(const measured *m)
{
    return m->info.shown == LAB_CAPTURE_SHOWN_PRESENT_RETURN
           && 2 * m->figures.waits <= m->figures.frames;
}

const char *measure_shown_name(const measured *m)
{
    static const char *const names[] = {
            [LAB_CAPTURE_SHOWN_NONE] = "none: the file has frame times only",
            [LAB_CAPTURE_SHOWN_PRESENT_RETURN] =
                    "the return of present, which waited: errors are an upper bound",
            [LAB_CAPTURE_SHOWN_REPORTED] = "as the system reported them",
    };
    return is_blind(m) ? "the return of present, which did not wait: what was seen is not known"
                       : names[m->info.shown];
}

const char *const measure_content_names[] = {
        [LAB_CAPTURE_CONTENT_NONE] = "none: the file cannot show animation errors",
        [LAB_CAPTURE_CONTENT_CPU_START] =
                "CPU start: a program that shows another instant is measured wrongly",
        [LAB_CAPTURE_CONTENT_TRUE] = "as the program reported it",
};

const char *const measure_refresh_names[] = {
        [LAB_CAPTURE_REFRESH_UNKNOWN] = "not found, or it varies",
        [LAB_CAPTURE_REFRESH_GIVEN] = "given",
        [LAB_CAPTURE_REFRESH_SCREEN] = "found in screen times",
        [LAB_CAPTURE_REFRESH_EVEN] = ("a whole multiple of it, or variable: nearly all frames were "
                                      "shown equally long; --refresh sets it"),
        [LAB_CAPTURE_REFRESH_COMPOSED] =
                "or a whole multiple of it: nearly all frames were shown equally long",
        [LAB_CAPTURE_REFRESH_TEARING] =
                "or variable: the program allows tearing; --refresh sets it",
        [LAB_CAPTURE_REFRESH_FRAMES] = "found in frame times: a frame limiter looks the same",
};

/* Names, what to change, and what the cause is seen by: the longest and the usual time of its stage;
 * where it turns, the usual one and the interval between frames shown, for ticks in ticks. */
const measure_cause measure_causes[LAB_CAUSES] = {
        [LAB_CAUSE_WAKE] = {"late-wake", "late wake-ups",
                "wait with a finer timer, or spin before the planned start",
                "up to %.3g ms late, usually %.3g", false, "%.3g ms late"},
        [LAB_CAUSE_CPU] = {"long-cpu", "long CPU",
                "spread the work of long frames, or move it to another thread",
                "up to %.3g ms, usually %.3g", false, "%.3g ms"},
        [LAB_CAUSE_GPU] = {"long-gpu", "long GPU", "draw less in long frames",
                "up to %.3g ms, usually %.3g", false, "%.3g ms"},
        [LAB_CAUSE_PRESENT] = {"present-blocked", "present blocked",
                "take content times from the display, not from a clock",
                "up to %.3g ms longer than the display needed, usually %.3g", false,
                "%.3g ms longer"},
        [LAB_CAUSE_BEAT] = {"beat", "beat of ticks and refreshes",
                "interpolate between ticks, or run ticks at the pace of the refreshes",
                "content moves by whole ticks of %.4g ms, %.3g per frame", true,
                "content moved by %.3g ms"},
        [LAB_CAUSE_TICKS] = {"no-interpolation", "missing interpolation",
                "interpolate between ticks",
                "content moves by whole ticks of %.4g ms, %.3g per frame", true,
                "content moved by %.3g ms"},
        [LAB_CAUSE_RATE] = {"rate", "a rate that does not fit the display",
                "pace frames at whole numbers of refreshes",
                "frames come every %.4g ms, and are shown every %.4g", true,
                "shown %.3g ms after the last"},
};

const char *const measure_latency_names[LAB_LATENCIES] = {
        "click to photon", "input to photon", "instrumented", "PC latency"};

/* Without planned starts, waits are CPU time. */
const char *measure_title(const measured *m, size_t cause)
{
    bool timed = (m->info.has & (LAB_HAS_LATE | LAB_HAS_CPU_TIME)) != 0;
    return cause == LAB_CAUSE_CPU && !timed ? "long CPU or late wake-ups"
                                            : measure_causes[cause].title;
}

/* The one that explains most; LAB_CAUSES: none. */
size_t measure_main_cause(const lab_figures *f)
{
    size_t most = LAB_CAUSES;
    for (size_t c = 0; c < LAB_CAUSES; ++c) {
        bool is_cause = f->causes[c].finding == LAB_IS_CAUSE;
        if (is_cause && (most == LAB_CAUSES || f->causes[c].share > f->causes[most].share)) {
            most = c;
        }
    }
    return most;
}

/* The refresh period, or T where it is not known: errors are compared with it. */
double measure_unit_ms(const lab_figures *f)
{
    return f->refresh_ms > 0.0 ? f->refresh_ms : f->intended_ms;
}

/* Whether that is a refresh for certain. */
bool measure_is_display(const lab_figures *f)
{
    return f->refresh == LAB_CAPTURE_REFRESH_GIVEN || f->refresh == LAB_CAPTURE_REFRESH_SCREEN;
}

/* The grade of an error's 99th percentile. */
size_t measure_grade(double p99_ms, const lab_figures *f)
{
    double share = p99_ms / measure_unit_ms(f);
    return share < 0.1 ? 0 : share < 0.25 ? 1 : share < 0.5 ? 2 : 3;
}

/* Without what the rounding of numbers makes. */
static double above_noise(double ms)
{
    return ms < 1e-6 ? 0.0 : ms;
}

const char *measure_hitch_grade(const lab_figures *f)
{
    double ms_per_s = 1000.0 * f->hitch_ratio;
    return ms_per_s < 5.0 ? "good" : ms_per_s < 10.0 ? "a warning" : "critical";
}

double measure_arc_minutes(const measured *m, double ms)
{
    return 60.0 * m->speed * ms / 1000.0;
}

double measure_jumps_per_minute(const lab_figures *f)
{
    return f->seconds > 0.0 ? 60.0 * (double)f->jumps / f->seconds : 0.0;
}

const char *measure_say_frames(const measured *m, char *text)
{
    static const char *const frames[] = {"evenly", "nearly evenly", "unevenly", "very unevenly"};
    const lab_figures *f = &m->figures;
    const lab_spread *i = &f->interval_error;
    char repeats[96] = "";
    if (f->refreshes > 0 && measure_is_display(f)) {
        snprintf(repeats, sizeof repeats, ", and %zu of %zu refreshes repeated a frame", f->repeats,
                f->refreshes);
    }
    snprintf(text, SENTENCE,
            "Frames %s %s: 99 %% of the intervals are within %.3g ms of %.4g ms%s.",
            m->info.shown == LAB_CAPTURE_SHOWN_NONE || is_blind(m) ? "came" : "were shown",
            frames[measure_grade(i->p99_ms, f)], above_noise(i->p99_ms), f->intended_ms, repeats);
    return text;
}

const char *measure_say_motion(const measured *m, char *text)
{
    static const char *const motion[] = {
            "was smooth", "was nearly smooth", "was uneven", "was very uneven"};
    const lab_figures *f = &m->figures;
    const lab_spread *a = &f->animation_error;
    if (a->count > 0) {
        snprintf(text, SENTENCE,
                "Motion %s%s: 99 %% of the animation errors are at most %.3g ms, %.0f %% of %s of "
                "%.4g ms.",
                motion[measure_grade(a->p99_ms, f)],
                is_blind(m) ? ", if frames were seen when presents returned" : "",
                above_noise(a->p99_ms), 100.0 * a->p99_ms / measure_unit_ms(f),
                measure_is_display(f) ? "a refresh" : "the usual interval", measure_unit_ms(f));
    } else {
        snprintf(text, SENTENCE,
                "Whether motion was smooth cannot be measured: the file has no %s times.",
                m->info.shown == LAB_CAPTURE_SHOWN_NONE ? "screen" : "content");
    }
    return text;
}

const char *measure_say_main_cause(const measured *m, char *text)
{
    size_t cause = measure_main_cause(&m->figures);
    snprintf(text, SENTENCE, "Main cause: %s, %.0f %% of the error; %s.", measure_title(m, cause),
            100.0 * m->figures.causes[cause].share, measure_causes[cause].change);
    return text;
}

const char *measure_say_seen(const measured *m, size_t cause, char *text)
{
    const lab_cause_figures *c = &m->figures.causes[cause];
    double shown = cause == LAB_CAUSE_RATE ? c->longest_ms : c->longest_ms / c->usual_ms;
    bool turns = measure_causes[cause].turns;
    snprintf(text, SENTENCE, measure_causes[cause].seen, turns ? c->usual_ms : c->longest_ms,
            turns ? shown : c->usual_ms);
    return text;
}

const char *measure_say_moment(const measured *m, const lab_moment *w, char *text)
{
    char at[96], usual[48];
    if (w->finding != LAB_IS_CAUSE) {
        snprintf(text, SENTENCE, w->finding == LAB_CANNOT_TELL ? "cannot tell" : "no cause found");
        return text;
    }
    snprintf(at, sizeof at, measure_causes[w->cause].at, w->cause_ms);
    snprintf(usual, sizeof usual, ", usually %.3g", m->figures.causes[w->cause].usual_ms);
    snprintf(text, SENTENCE, "%s, %s%s", measure_title(m, w->cause), at,
            measure_causes[w->cause].turns ? "" : usual);
    return text;
}
