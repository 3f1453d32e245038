/* SPDX-License-Identifier: Zlib */
#include "figure.h"

#include <math.h>

#define AT(member) offsetof(lab_measures, member)

/* A table. */
/* clang-format off */
static const figure figures[] = {
    {"animation", "animation_ms", "|e|", "animation error, mean size", FIGURE_ERROR, FIGURE_MEAN,
     true, AT(animation.mean_abs_ms), false},
    {"animation-bias", "animation_bias_ms", "e bias", "animation error, mean with its sign",
     FIGURE_ERROR, FIGURE_MEAN_SIZE, true, AT(animation.bias_ms), false},
    {"animation-rms", "animation_rms_ms", "e rms", "animation error, root of the mean square",
     FIGURE_ERROR, FIGURE_MEAN, true, AT(animation.rms_ms), false},
    {"animation-median", "animation_median_ms", "e med", "animation error, median of its size",
     FIGURE_ERROR, FIGURE_MEAN, true, AT(animation.median_ms), false},
    {"animation-p99", "animation_p99_ms", "e p99",
     "animation error, 99th percentile of its size", FIGURE_ERROR, FIGURE_MEAN, true,
     AT(animation.p99_ms), false},
    {"animation-max", "animation_max_ms", "e max", "animation error, largest", FIGURE_ERROR,
     FIGURE_LARGEST, true, AT(animation.max_ms), false},
    {"interval", "interval_error_ms", "|d-T|", "interval error, mean size", FIGURE_ERROR,
     FIGURE_MEAN, true, AT(interval.mean_abs_ms), false},
    {"interval-rms", "interval_error_rms_ms", "d-T rms",
     "interval error, root of the mean square", FIGURE_ERROR, FIGURE_MEAN, true,
     AT(interval.rms_ms), false},
    {"interval-median", "interval_error_median_ms", "d-T med",
     "interval error, median of its size", FIGURE_ERROR, FIGURE_MEAN, true,
     AT(interval.median_ms), false},
    {"interval-p99", "interval_error_p99_ms", "d-T p99",
     "interval error, 99th percentile of its size", FIGURE_ERROR, FIGURE_MEAN, true,
     AT(interval.p99_ms), false},
    {"interval-max", "interval_error_max_ms", "d-T max", "interval error, largest", FIGURE_ERROR,
     FIGURE_LARGEST, true, AT(interval.max_ms), false},
    {"pursuit", "pursuit_ms", "pursuit", "pursuit error: for an eye that follows the object",
     FIGURE_ERROR, FIGURE_MEAN, true, AT(pursuit_ms), false},
    {"jumps", "jumps_per_minute", "jumps", "animation errors over 25 ms, per minute", FIGURE_COUNT,
     FIGURE_MEAN, true, AT(jumps_per_min), false},
    {"off-speed", "off_speed_share", "off 5 %",
     "windows of 250 ms in which motion was over 5 % too slow or too fast", FIGURE_SHARE,
     FIGURE_MEAN, true, AT(off_speed_share), false},
    {"retina", "retina_arcmin", "arcmin",
     "shift on the retina at 20 degrees per second, 99th percentile, in arc minutes", FIGURE_COUNT,
     FIGURE_MEAN, true, AT(retina_arcmin), false},
    {"rate-changes", "rate_changes_per_minute", "changes",
     "half seconds with over 10 % more or fewer frames, per minute", FIGURE_COUNT, FIGURE_MEAN,
     true, AT(rate_changes_per_min), false},
    {"lost", "lost_ms", "lost", "lost time: screen time minus content time, over the run",
     FIGURE_MS, FIGURE_MEAN_SIZE, true, AT(lost_ms), false},
    {"drift", "drift_ms", "drift", "drift: the largest change of screen time minus content time",
     FIGURE_MS, FIGURE_MEAN, true, AT(drift_ms), false},
    {"dropped", "dropped_ms", "dropped", "time dropped, as the loop reports it", FIGURE_MS,
     FIGURE_MEAN, true, AT(dropped_ms), false},
    {"slow-motion", "slow_motion_ms", "slow", "slow motion, as the loop reports it", FIGURE_MS,
     FIGURE_MEAN_SIZE, true, AT(slow_motion_ms), false},
    {"stretched", "stretched_ms", "stretch",
     "time gained by longer steps, as the loop reports it", FIGURE_MS, FIGURE_MEAN, true,
     AT(stretched_ms), false},
    {"missed", "missed_share", "missed", "refreshes that repeated a frame", FIGURE_SHARE,
     FIGURE_MEAN, true, AT(missed_share), false},
    {"planned-repeats", "planned_repeat_share", "planned",
     "refreshes that repeated a frame, as the loop intended", FIGURE_SHARE,
     FIGURE_MEAN, false, AT(planned_repeat_share), false},
    {"repeats", "repeat_share", "repeats", "frames that show the same instant as the one before",
     FIGURE_SHARE, FIGURE_MEAN, true, AT(repeat_share), false},
    {"short", "short_share", "short", "threaded loops: frames whose tick had not run yet",
     FIGURE_SHARE, FIGURE_MEAN, true, AT(short_share), false},
    {"input-age", "input_age_ms", "input", "age of the newest input in a frame when it is seen",
     FIGURE_MS, FIGURE_MEAN, true, AT(input_age_ms), false},
    {"input-age-p99", "input_age_p99_ms", "inp p99", "age of the newest input, 99th percentile",
     FIGURE_MS, FIGURE_MEAN, true, AT(input_age_p99_ms), false},
    {"input-age-sd", "input_age_sd_ms", "inp sd", "age of the newest input, standard deviation",
     FIGURE_MS, FIGURE_MEAN, true, AT(input_age_sd_ms), false},
    {"cpu", "cpu_share", "CPU", "CPU time, as a share of the run", FIGURE_SHARE, FIGURE_MEAN,
     true, AT(cpu_share), false},
    {"period", "period_ms", "d", "mean time from one frame to the next", FIGURE_MS, FIGURE_MEAN,
     false, AT(interval_ms), false},
    {"fps", "frames_per_second", "fps", "frames seen per second", FIGURE_COUNT,
     FIGURE_MEAN, false, AT(frames_per_s), false},
    {"ticks", "ticks_mean", "ticks", "ticks per frame, mean", FIGURE_COUNT, FIGURE_MEAN, false,
     AT(ticks_mean), false},
    {"ticks-min", "ticks_min", "t min", "ticks per frame, smallest", FIGURE_COUNT, FIGURE_SMALLEST,
     false, AT(ticks_min), true},
    {"ticks-max", "ticks_max", "t max", "ticks per frame, largest", FIGURE_COUNT, FIGURE_LARGEST,
     false, AT(ticks_max), true},
    {"slow-share", "slow_share", "too slow", "frames at which motion was over 10 % too slow",
     FIGURE_SHARE, FIGURE_MEAN, true, AT(slow_share), false},
    {"event-total", "event_total_ms", "event", "sum of animation errors until 5 s after an event",
     FIGURE_MS, FIGURE_MEAN_OF_EVENTS, true, AT(event_total_ms), false},
    {"event-settle", "event_settle_ms", "settle", "time from an event's end until motion is smooth",
     FIGURE_MS, FIGURE_MEAN_OF_EVENTS, true, AT(event_settle_ms), false},
    {"event-off-speed", "event_off_speed_ms", "off",
     "of the 5 s after an event, the time over 10 % too slow or too fast", FIGURE_MS,
     FIGURE_MEAN_OF_EVENTS, true, AT(event_off_speed_ms), false},
};
/* clang-format on */

enum { COUNT = sizeof figures / sizeof figures[0] };

_Static_assert((int)COUNT <= (int)FIGURES_MAX, "figure_sums has a place for each");

/* --- by name ---------------------------------------------------------------------------------- */

const void *figure_at(size_t index)
{
    return index < COUNT ? &figures[index] : NULL;
}

const figure *figure_find(const char *name)
{
    return tool_find(figure_at, name);
}

const char *figure_names(void)
{
    static char text[1024];
    tool_names(text, sizeof text, "", figure_at);
    tool_append(text, sizeof text, ", ", "or all");
    return text;
}

static bool parse_item(const char *text, void *chosen)
{
    figure_choice *list = chosen;
    bool all = strcmp(text, "all") == 0;
    return tool_choose(figure_at, all ? NULL : text, list->items, &list->count);
}

bool figure_parse(const char *text, void *chosen)
{
    return tool_parse_list(text, parse_item, chosen);
}

/* --- numbers ---------------------------------------------------------------------------------- */

double figure_value(const figure *f, const lab_measures *measures, bool has_event)
{
    const char *at = (const char *)measures + f->offset;
    if (f->mean == FIGURE_MEAN_OF_EVENTS && !has_event) {
        return NAN;
    }
    if (f->is_count) {
        int32_t count;
        memcpy(&count, at, sizeof count);
        return (double)count;
    }
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool is_mean(const figure *f)
{
    return f->mean != FIGURE_LARGEST && f->mean != FIGURE_SMALLEST;
}

static void add(double *sum, const figure *f, double value, bool first)
{
    bool replaces = first || (f->mean == FIGURE_LARGEST ? value > *sum : value < *sum);
    if (is_mean(f)) {
        *sum += f->mean == FIGURE_MEAN_SIZE ? fabs(value) : value;
    } else if (replaces) {
        *sum = value;
    }
}

void figure_sums_add(figure_sums *sums, const lab_measures *measures, bool has_event)
{
    bool first = sums->runs == 0;
    for (size_t i = 0; i < COUNT; ++i) {
        double value = figure_value(&figures[i], measures, has_event);
        if (!isnan(value)) {
            add(&sums->plain[i], &figures[i], value, first);
            add(&sums->percent[i], &figures[i], lab_percent(measures, value), first);
        }
    }
    if (first) {
        sums->first = *measures;
    }
    sums->runs += 1;
    sums->events += has_event;
}

double figure_of_sums(const figure_sums *sums, const figure *f, bool percent)
{
    bool in_percent = percent && f->unit == FIGURE_ERROR;
    size_t runs = f->mean == FIGURE_MEAN_OF_EVENTS ? sums->events : sums->runs;
    if (sums->runs == 1) { /* with its sign */
        double value = figure_value(f, &sums->first, sums->events == 1);
        return in_percent ? lab_percent(&sums->first, value) : value;
    }
    double value = (in_percent ? sums->percent : sums->plain)[f - figures];
    return is_mean(f) ? value / (double)runs : value;
}

const char *figure_unit_name(const figure *f, bool percent)
{
    static const char *const names[] = {"ms", "ms", "%", ""};
    return f->unit == FIGURE_ERROR && percent ? "%" : names[f->unit];
}

/* About three digits: what people compare. */
void figure_format(char *text, size_t size, const figure *f, double value, bool percent)
{
    double shown = f->unit == FIGURE_SHARE ? 100.0 * value : value;
    double magnitude = fabs(shown);
    int decimals = f->is_count ? 0 : magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
    double least = 0.005; /* smaller is 0, without a sign */
    if (f->unit == FIGURE_ERROR && !percent && magnitude < 0.9995) {
        decimals = 3;
        least = 0.0005;
    }
    snprintf(text, size, "%.*f", decimals, magnitude < least ? 0.0 : shown);
    if (isnan(value)) {
        snprintf(text, size, "-");
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

void figure_add_json(json_t *object, const figure_sums *sums)
{
    for (size_t i = 0; i < COUNT; ++i) {
        const figure *f = &figures[i];
        double value = figure_of_sums(sums, f, false);
        json_t *number = f->is_count ? json_integer((json_int_t)value) : tool_json_number(value);
        json_object_set_new(object, f->key, number);
        if (f->unit == FIGURE_ERROR) {
            char key[64];
            snprintf(key, sizeof key, "%.*s_percent", (int)strlen(f->key) - 3, f->key);
            json_object_set_new(object, key, tool_json_rounded(figure_of_sums(sums, f, true), 4));
        }
    }
}

void figure_add_run(json_t *object, const lab_measures *measures, bool has_event)
{
    figure_sums one = {0};
    figure_sums_add(&one, measures, has_event);
    json_object_set_new(object, "frames", json_integer(measures->frames));
    json_object_set_new(object, "refresh_ms", tool_json_number(measures->refresh_ms));
    figure_add_json(object, &one);
}
