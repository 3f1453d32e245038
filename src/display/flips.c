/* SPDX-License-Identifier: Zlib
 *
 * Which flip does a return of present tell of? With a queue of q frames, a present that queues and
 * then waits for room returns at the flip of the frame q - 1 before; one that waits first, at the
 * flip of the frame q before. Each distance from 0 to 4 is a hypothesis: a simulation of its own,
 * corrected by what the returns would mean. The one with the fewest wrong returns is used.
 */
#include "flips.h"

#include "base/common.h"
#include "constants.h"
#include "refresh.h"

static const es__flips *best_flips(const es__display *display)
{
    return &display->flips[display->distance];
}

static size_t flip_slot(const es__display *display, int64_t age)
{
    return (size_t)((uint64_t)(display->frames - 1 - age) % ES_DISPLAY_FRAMES);
}

int64_t es__flips_index(const es__display *display, int64_t age)
{
    return best_flips(display)->index[flip_slot(display, age)];
}

int64_t es__flips_hidden_ns(const es__display *display)
{
    return best_flips(display)->hidden_ns;
}

int64_t es__flips_ready_ns(const es__display *display, int64_t age)
{
    return best_flips(display)->ready_ns[flip_slot(display, age)];
}

/* When a frame is ready to flip: a GPU takes hidden_ns, after submit and after the frame before. */
static int64_t ready_after(const es__flips *flips, int64_t submit_ns, int64_t before_ns)
{
    return es__ns_add(es__max(submit_ns, before_ns), flips->hidden_ns);
}

int64_t es__flips_expect(const es__display *display, int64_t submit_ns)
{
    const es__flips *flips = best_flips(display);
    size_t before = flip_slot(display, 0);
    int64_t at_ns = ready_after(flips, submit_ns, flips->ready_ns[before]);
    return es__max(
            es__ns_add(flips->index[before], 1), es__refresh_after(&display->refresh, at_ns));
}

/* The platform shows no frame before its target. */
static int64_t target_index(const es__display *display, size_t at)
{
    int64_t target_ns = display->recent[at].target_ns;
    int64_t half_ns = es__to_ns(display->refresh.period_ns / 2.0);
    return target_ns != 0 ? es__refresh_after(&display->refresh, es__ns_sub(target_ns, half_ns))
                          : INT64_MIN;
}

void es__flips_passed(es__display *display, int64_t removed_ns, int64_t last, int64_t now_ns)
{
    int64_t refreshes =
            es__to_ns((double)removed_ns / es__max_f64(display->refresh.period_ns, 1.0));
    for (int32_t i = 0; i < ES_DISPLAY_DISTANCES; ++i) {
        es__flips *flips = &display->flips[i];
        for (int64_t age = 0; age < es__frames_kept(display); ++age) {
            size_t at = flip_slot(display, age);
            flips->index[at] = es__min(es__ns_add(flips->index[at], refreshes), last - age);
            flips->ready_ns[at] = es__min(flips->ready_ns[at], now_ns);
        }
    }
}

/* How frames are numbered. */
typedef enum flips_numbering {
    FLIPS_GO_ON,
    FLIPS_LATER /* no number becomes smaller */
} flips_numbering;

/* Numbers the frames from an age on, up to the newest. */
static void number_from(
        const es__display *display, es__flips *flips, int64_t age, flips_numbering how)
{
    for (int64_t i = age; i >= 0; --i) {
        size_t at = flip_slot(display, i);
        int64_t submit_ns = display->recent[at].submit_ns;
        bool first = i + 1 >= es__frames_kept(display);
        size_t before = flip_slot(display, i + 1);
        flips->ready_ns[at] =
                ready_after(flips, submit_ns, first ? submit_ns : flips->ready_ns[before]);
        int64_t index = es__refresh_after(&display->refresh, flips->ready_ns[at]);
        index = first ? index : es__max(index, es__ns_add(flips->index[before], 1));
        index = es__max(index, target_index(display, at));
        flips->index[at] = how == FLIPS_LATER ? es__max(index, flips->index[at]) : index;
    }
}

void es__flips_add(es__display *display, int64_t submit_ns)
{
    display->first_ns = display->frames == 0 ? submit_ns : display->first_ns;
    display->frames += 1;
    es__own_frame(display, 0)->submit_ns = submit_ns;
    es__own_frame(display, 0)->target_ns = display->target.target_ns;
    for (int32_t i = 0; i < ES_DISPLAY_DISTANCES && display->refresh.certain; ++i) {
        number_from(display, &display->flips[i], 0, FLIPS_GO_ON);
    }
}

/* The newest frame's earliest refresh, as each refresh shows at most one frame. Returns may fit a
 * shorter queue, too, but the first frames filled this one. INT64_MIN: readings began later, so
 * some frames may have had no refresh. */
static int64_t least_index(const es__display *display)
{
    bool from_start = display->refresh.recent_frame[0] <= ES_DISPLAY_DISTANCES;
    int64_t first = es__refresh_after(&display->refresh, display->first_ns);
    return from_start ? es__ns_add(first, display->frames - 1) : INT64_MIN;
}

/* Frames that were submitted at another rate are counted wrong. But of the newest frame it is known
 * how far its flip may be from the last return. */
static void limit(const es__display *display, es__flips *flips, int64_t most)
{
    int64_t newest = flips->index[flip_slot(display, 0)];
    int64_t by = es__min(es__max(newest, least_index(display)), most) - newest;
    for (int64_t i = 0; i < es__frames_kept(display); ++i) {
        flips->index[flip_slot(display, i)] += by;
    }
}

void es__flips_restart(es__display *display)
{
    bool known = display->returns >= ES_REFRESH_RECENT;
    int64_t ahead = known ? display->distance + (display->acquires ? 1 : 0) : ES_DISPLAY_QUEUES;
    for (int32_t i = 0; i < ES_DISPLAY_DISTANCES; ++i) {
        es__flips *flips = &display->flips[i];
        flips->hidden_ns = 0;
        flips->last_off = 0;
        flips->wrong = known ? flips->wrong : 0.0;
        number_from(display, flips, es__frames_kept(display) - 1, FLIPS_GO_ON);
        limit(display, flips, display->refresh.read_index + ahead);
    }
    display->lines = display->refresh.lines;
    display->returns = known ? display->returns : 0;
    display->unexplained = 0;
    display->doubted = false;
}

int32_t es__flips_queue(const es__display *display)
{
    return display->distance + 1;
}

/* The flip that ends the wait of the newest frame, by a distance; INT64_MIN: not known. */
static int64_t room_by(const es__display *display, int32_t distance)
{
    if (distance >= es__frames_kept(display)) {
        return INT64_MIN;
    }
    int64_t index = display->flips[distance].index[flip_slot(display, distance)];
    return es__refresh_time_ns(&display->refresh, index);
}

int64_t es__flips_room_ns(const es__display *display)
{
    return room_by(display, display->distance);
}

/* A frame flipped at a refresh, so it was ready after the refresh before, if that one was free, and
 * not after this one. Moves its ready time into these bounds, and learns what the GPU takes. */
static void learn_hidden(const es__display *display, es__flips *flips, int64_t age, int64_t refresh)
{
    size_t at = flip_slot(display, age);
    size_t before = flip_slot(display, age + 1);
    if (age + 1 >= es__frames_kept(display)) {
        return;
    }
    int64_t ready_ns = flips->ready_ns[at];
    int64_t margin_ns = es__to_ns(ES__TUNE(impossible) * display->refresh.period_ns);
    int64_t most_ns = es__refresh_time_ns(&display->refresh, refresh);
    int64_t least_ns = es__refresh_time_ns(&display->refresh, refresh - 1);
    bool was_free = flips->index[before] < refresh - 1 && target_index(display, at) < refresh;
    int64_t off_ns = ready_ns > most_ns                ? most_ns - margin_ns - ready_ns
                     : was_free && ready_ns < least_ns ? least_ns + margin_ns - ready_ns
                                                       : 0;
    double most = ES__TUNE(hidden_most) * display->refresh.period_ns;
    flips->ready_ns[at] = es__ns_add(flips->ready_ns[at], off_ns);
    flips->late += ((off_ns > 0 ? 1.0 : 0.0) - flips->late) * ES__TUNE(hidden_gain);
    bool often = off_ns <= 0 || flips->late > ES__TUNE(arc); /* a rare late flip is no GPU's */
    if ((double)off_ns < most && often) {                    /* else a stall */
        double hidden_ns = (double)flips->hidden_ns + ES__TUNE(hidden_gain) * (double)off_ns;
        flips->hidden_ns = es__to_ns(es__max_f64(es__min_f64(hidden_ns, most), 0.0));
    }
}

static void flipped(es__display *display, es__flips *flips, int64_t age, int64_t refresh)
{
    size_t at = flip_slot(display, age);
    learn_hidden(display, flips, age, refresh);
    if (refresh != flips->index[at]) {
        bool later = refresh > flips->index[at];
        flips->index[at] = refresh;
        if (age > 0) {
            number_from(display, flips, age - 1, later ? FLIPS_LATER : FLIPS_GO_ON);
        }
    }
}

/* A return is never early. It may be late: numbers become later only when that repeats. Feedback
 * knows the flips better. */
static double judge_distance(es__display *display, int32_t distance, int64_t refresh)
{
    es__flips *flips = &display->flips[distance];
    int64_t off = refresh - flips->index[flip_slot(display, distance)];
    bool believed = !display->feedback && (off <= 0 || flips->last_off > 0);
    flips->last_off = off;
    if (believed) {
        flipped(display, flips, distance, refresh);
    }
    return off != 0 ? 1.0 : 0.0;
}

static void choose_distance(es__display *display, int32_t count)
{
    int32_t chosen = display->distance;
    for (int32_t i = 0; i < count; ++i) {
        if (display->flips[i].wrong < display->flips[chosen].wrong - ES__TUNE(match_better)) {
            chosen = i;
        }
    }
    if (chosen != display->distance) {
        display->source = ES_FORECAST_NONE; /* numbers differ by a constant */
    }
    display->distance = chosen;
}

static void note_explained(es__display *display, bool explained, bool impossible)
{
    int32_t most = (int32_t)ES__TUNE(readings);
    int64_t now = display->unexplained + (impossible ? 2 : explained ? -1 : 1);
    display->unexplained = (int32_t)es__max(es__min(now, most), 0);
    display->doubted = display->unexplained > (display->doubted ? 0 : 1);
    if (now >= most && !explained && !display->feedback) {
        display->unexplained = 2;
        es__refresh_doubt(&display->refresh);
    }
}

bool es__flips_are_reported(const es__display *display)
{
    return display->feedback && display->seen >= ES__TUNE(readings);
}

/* No present returns before the flip that it waits for. */
static bool is_early(const es__display *display, int64_t at_ns)
{
    int64_t room_ns = es__flips_room_ns(display);
    double early_ns = (double)es__ns_sub(room_ns, at_ns);
    double most_ns = ES__TUNE(impossible) * display->refresh.period_ns
                     + 2.0 * es__refresh_error_ns(&display->refresh, at_ns);
    return room_ns != INT64_MIN && early_ns > most_ns;
}

bool es__flips_returned(es__display *display, int64_t refresh, int64_t at_ns)
{
    bool impossible = is_early(display, at_ns);
    double wrong[ES_DISPLAY_DISTANCES];
    double least = 1.0;
    int32_t count = (int32_t)es__min(ES_DISPLAY_DISTANCES, es__frames_kept(display));
    for (int32_t i = 0; i < count; ++i) {
        wrong[i] = judge_distance(display, i, refresh);
        least = es__min_f64(least, wrong[i]);
    }
    display->returns += display->returns < ES_REFRESH_RECENT;
    for (int32_t i = 0; i < count; ++i) { /* what all got wrong says nothing */
        display->flips[i].wrong += (wrong[i] - least - display->flips[i].wrong) / display->returns;
    }
    choose_distance(display, count);
    bool late = best_flips(display)->last_off > 0;
    bool reported = es__flips_are_reported(display);
    bool explained = reported || best_flips(display)->last_off <= 0;
    note_explained(display, explained, impossible && !reported);
    return late;
}

bool es__flips_is_possible(const es__display *display, int64_t now_ns)
{
    int64_t waiting = es__flips_index(display, 0) - es__refresh_before(&display->refresh, now_ns);
    return waiting <= ES_DISPLAY_QUEUES + display->hold;
}

/* A present that did not wait only speaks against distances: those whose flip was still to come. */
void es__flips_unblocked(es__display *display, int64_t now_ns)
{
    double early_ns = ES__TUNE(arc) * display->refresh.period_ns;
    bool wrong[ES_DISPLAY_DISTANCES], all = true;
    if ((double)display->returns < ES__TUNE(readings)) {
        return;
    }
    for (int32_t i = 0; i < ES_DISPLAY_DISTANCES; ++i) {
        int64_t at_ns = room_by(display, i);
        wrong[i] = at_ns != INT64_MIN && (double)es__ns_sub(at_ns, now_ns) > early_ns;
        all = all && wrong[i];
    }
    for (int32_t i = 0; i < ES_DISPLAY_DISTANCES && !all; ++i) {
        double more = wrong[i] ? 1.0 - display->flips[i].wrong : 0.0;
        display->flips[i].wrong += more / ES_REFRESH_RECENT;
    }
    if (wrong[display->distance]) {
        note_explained(display, false, false);
    }
}

void es__flips_shown(es__display *display, int64_t age, int64_t refresh)
{
    for (int32_t i = 0; i < ES_DISPLAY_DISTANCES; ++i) {
        flipped(display, &display->flips[i], age, refresh);
    }
    bool impossible = (display->refresh.contradictions & 1u) != 0;
    note_explained(display, !impossible, impossible);
}
