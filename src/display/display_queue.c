/* SPDX-License-Identifier: Zlib
 *
 * At which refresh does each picture flip?
 *
 * A display with vsync takes one picture per refresh, in order: a picture flips at the first
 * refresh after it is ready and after the flip of the one before. Present returns when the picture
 * depth - 1 before has flipped. So the times of submit and return tell the flips, if the depth is
 * known; and which depth it is shows wherever a frame is late: all are reckoned side by side, and
 * what a depth cannot explain counts against it.
 */
#include "display_parts.h"

/* Readings this much before a refresh belong to it: the grid's edge is not known better. Of 8. */
#define EARLY_SHARE 8
#define VAGUE_SHARE 3

/* A reading that is off by more is no late wake-up, but a stall, or a clock that leapt. */
#define LEAP_NS (50 * ES_NS_PER_MS)

/* By its count of refreshes a display says that the clock has leapt: by more than this share of a
 * refresh and this time, as stamps may be late, and the next interval is as long as its count
 * again. More refreshes than COUNTED_MOST between two samples are not compared. */
#define COUNTED_SHARE    4
#define COUNTED_LEAST_NS (20 * ES_NS_PER_MS)
enum { COUNTED_MOST = 100 };

/* A frame cannot take less: present's call alone takes more. */
#define STILL_NS ES_NS_PER_US

/* It may take that many frames until two readings agree. */
#define SUSPECT_FRAMES 8

/* Nothing is suspected before so many readings in a row were where they should be. */
#define MATCHED_LEAST 8

/* So much speaks against a depth at most: it can be wrong for a while and right later. */
#define WRONG_MOST 6.0

/* Presents in a row that did not block although each should have. */
#define LOOSE_AFTER 12

#define SLIP_SHARE  6 /* of the period: less is lateness */
#define HIDDEN_MOST 4

/* When the refresh is put to the test, in frames since the lock. */
#define TEST_AFTER 24
#define TEST_EVERY 20
#define SEEN_SHARE 16
#define PASSES     2 /* the first one may only show how deep the queue is */

int64_t es__first_refresh(const es_display *display, int32_t depth, int64_t submit_ns)
{
    return es__index_at(display, es__when_ready(display, depth, submit_ns)) + 1;
}

/* Of a picture after one that flips at before. */
static int64_t flip_after(
        const es_display *display, int32_t depth, int64_t submit_ns, int64_t before)
{
    int64_t next = before + (display->is_loose ? 0 : 1);
    if (es__when_ready(display, depth, submit_ns) < es__time_of(display, next)) {
        return next; /* it waited for the one before */
    }
    return es__max(es__first_refresh(display, depth, submit_ns), next);
}

/* A flip became known: those after it follow. */
static void set_flip(es_display *display, int32_t depth, int64_t age, int64_t index)
{
    es__frame(display, age)->index[depth - 1] = index;
    for (int64_t later = age - 1; later >= 0; --later) {
        es_display_frame *frame = es__frame(display, later);
        index = flip_after(display, depth, frame->submit_ns, index);
        frame->index[depth - 1] = index;
    }
}

/* A present that blocked has returned: as if all went evenly before. */
static void align(es_display *display, int64_t now_ns)
{
    int64_t early_ns = es__period_ns(display) / EARLY_SHARE;
    int64_t refresh = es__index_at(display, es_ns_add(now_ns, early_ns));
    for (int32_t depth = 1; depth <= ES_DISPLAY_QUEUES; ++depth) {
        for (int64_t age = 0; age < ES_DISPLAY_FRAMES && age < display->frames; ++age) {
            es__frame(display, age)->index[depth - 1] = refresh + depth - 1 - age;
        }
    }
    display->starved = ES_DISPLAY_FRAMES;
    display->read_dry = ES_DISPLAY_FRAMES;
    display->tested = PASSES;
}

void es__queue_start(es_display *display, int64_t now_ns)
{
    align(display, now_ns);
    for (int32_t depth = 1; depth <= ES_DISPLAY_QUEUES; ++depth) {
        display->wrong[depth - 1] = depth == display->depth ? 0.0 : 0.25;
        display->hidden_ns[depth - 1] = 0;
        display->misfits[depth - 1] = 0;
    }
    display->suspected = false;
    display->phase_unknown = false;
    display->clock_wrong = false;
    display->early = 0;
    display->realign = 0;
    display->counted_leap_ns = 0;
    display->loose = 0;
    display->is_loose = display->replaces;
    display->matched = 0;
    display->refused = 0;
}

/* A display whose refresh varies, kept busy, refreshes as evenly as any: at its shortest. Only a
 * picture that comes late tells them apart. If none does by itself, one is handed in late: one
 * refresh is repeated, for once. */
bool es__tests_now(const es_display *display)
{
    bool is_calm = !display->suspected && !display->phase_unknown && !display->is_loose
                   && display->multiple == 1 && display->matched >= MATCHED_LEAST
                   && display->blocked_ns > ES__BLOCKED_NS && !display->grid.walks;
    return is_calm && display->locked_frames >= display->test_at;
}

/* When each depth has the newest picture flip. */
static void reckon_newest(es_display *display)
{
    es_display_frame *newest = es__frame(display, 0);
    const es_display_frame *before = es__frame(display, 1);
    int64_t step = display->is_loose ? 0 : 1;
    int64_t plain = es__first_refresh(display, 0, newest->submit_ns);
    for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
        bool is_plain = display->hidden_ns[i] == 0;
        int64_t first = is_plain ? plain : es__first_refresh(display, i + 1, newest->submit_ns);
        newest->index[i] = es__max(first, before->index[i] + step);
    }
}

/* The newest picture was ready before any depth has it flip, so it waits for the one before. */
static bool has_to_wait(const es_display *display, const int64_t *before, int64_t submit_ns)
{
    int64_t hidden = 0;
    int64_t first = before[0];
    for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
        hidden |= display->hidden_ns[i];
        first = es__min(first, before[i]);
    }
    return hidden == 0 && !display->is_loose && !display->suspected
           && submit_ns < es__time_of(display, first + 1);
}

void es__queue_submit(es_display *display)
{
    es_display_frame *newest = es__frame(display, 0);
    const es_display_frame *before = es__frame(display, 1);
    if (has_to_wait(display, before->index, newest->submit_ns)) {
        for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
            newest->index[i] = before->index[i] + 1;
        }
    } else {
        reckon_newest(display);
    }
    int32_t depth = display->depth;
    bool dry = newest->index[depth - 1] > before->index[depth - 1] + 1;
    if (es__is_testing(display)) {
        display->tests += 1;
        display->test_at = display->locked_frames + TEST_EVERY;
    }
    display->ran_dry += dry;
    display->read_dry = dry ? 0 : display->read_dry;
    display->dry_ns = dry ? newest->submit_ns : display->dry_ns;
    display->starved = dry ? 0 : display->starved + (display->starved < ES_DISPLAY_FRAMES ? 1 : 0);
}

/* The flips of the frames that were submitted since the one that present has waited for. */
static void recount(es_display *display)
{
    for (int32_t depth = 2; depth <= ES_DISPLAY_QUEUES && depth <= display->frames; ++depth) {
        int64_t age = depth - 1;
        set_flip(display, depth, age, es__frame(display, age)->index[depth - 1]);
    }
    display->starved = ES_DISPLAY_FRAMES;
    display->read_dry = ES_DISPLAY_FRAMES;
}

/* --- what the clock did ----------------------------------------------------------------------- */

static int64_t usual_late_ns(const es_display *display)
{
    return es__max(display->grid.late_ns, 0);
}

/* How far a reading may be off its refresh. */
static bool is_usual(const es_display *display, int64_t off_ns)
{
    int64_t early_ns = es__period_ns(display) / EARLY_SHARE;
    return off_ns >= -early_ns && off_ns <= es_ns_add(display->grid.spread_ns, early_ns / 2);
}

/* What is left beyond whole refreshes. */
static int64_t within_half(const es_display *display, int64_t off_ns)
{
    int64_t period_ns = es__period_ns(display);
    int64_t rest_ns = off_ns % period_ns;
    rest_ns -= rest_ns > period_ns / 2 ? period_ns : 0;
    return rest_ns + (rest_ns < -period_ns / 2 ? period_ns : 0);
}

/* So shortly after the queue ran dry that it shows in the readings. */
static bool is_dry(const es_display *display)
{
    return display->read_dry <= 2; /* the reading that shows it, and one that agrees */
}

static bool agrees(const es_display *display, int64_t off_ns)
{
    int64_t apart_ns = es_ns_sub(es_ns_sub(off_ns, usual_late_ns(display)), display->suspect_ns);
    int64_t near_ns = es__period_ns(display) / 32;
    if (is_dry(display)) {
        apart_ns = within_half(display, apart_ns); /* whole refreshes: the depth is not known yet */
    }
    return es__absolute(apart_ns) <= es_ns_add(near_ns, es__max(near_ns, display->grid.spread_ns));
}

/* Where the refresh varies, the picture that came late was seen when it came, and refreshes went
 * on from
 * there. If they went on from elsewhere, the refreshes are fixed and finer than was thought. */
static bool is_seen_at_once(const es_display *display, int64_t leap_ns)
{
    int64_t refresh_ns = es__time_of(display, es__index_at(display, display->dry_ns));
    int64_t phase_ns = es_ns_sub(display->dry_ns, refresh_ns);
    int64_t off_ns = es__absolute(within_half(display, es_ns_sub(leap_ns, phase_ns)));
    return off_ns < es__period_ns(display) / SEEN_SHARE + display->grid.spread_ns / 2;
}

static void remove_leap(es_display *display, int64_t removed_ns, int64_t leap_ns)
{
    display->removed_ns = es_ns_add(display->removed_ns, removed_ns);
    es_grid_shift(&display->grid, leap_ns);
}

/* Two readings in a row were off by as much. Time is removed only where a second source says that
 * the clock went wrong. */
static void confirm(es_display *display, int64_t now_ns)
{
    int64_t leap_ns = display->suspect_ns;
    bool slipped = is_dry(display);
    display->suspected = false;
    if (slipped) {
        leap_ns = within_half(display, leap_ns);
        display->slips += is_seen_at_once(display, leap_ns);
        display->varies = display->varies || display->slips >= ES__SLIPS_MOST;
        display->ran_dry = 0;
        es_grid_shift(&display->grid, leap_ns);
        align(display, now_ns);
    } else if (display->clock_wrong) {
        remove_leap(display, es_ns_sub(leap_ns, display->followed_ns), leap_ns);
    } else { /* the refreshes have moved, or were counted wrong */
        es_grid_shift(&display->grid, within_half(display, leap_ns));
        align(display, now_ns);
    }
    display->clock_wrong = false;
}

void es__queue_counted(es_display *display, int64_t shown_ns, uint64_t sequence)
{
    uint64_t passed = sequence - display->counted;
    int64_t since_ns = es_ns_sub(shown_ns, display->counted_ns);
    int64_t pending_ns = display->counted_leap_ns;
    bool compares = display->counted != 0 && passed > 0 && passed <= COUNTED_MOST
                    && display->mode == ES_DISPLAY_LOCKED && !display->grid.walks;
    display->counted = sequence;
    display->counted_ns = shown_ns;
    display->counted_frame = display->frames;
    display->counted_leap_ns = 0;
    if (!compares) {
        return;
    }
    int64_t leap_ns = es_ns_sub(since_ns, es__to_ns((double)passed * display->grid.period_ns));
    int64_t least_ns = es__max(es__period_ns(display) / COUNTED_SHARE, COUNTED_LEAST_NS);
    bool leapt = es__absolute(leap_ns) > least_ns;
    if (leapt && pending_ns == 0) {
        display->counted_leap_ns = leap_ns;
    } else if (!leapt && pending_ns != 0) {
        display->suspected = false;
        display->clock_wrong = false;
        remove_leap(display, pending_ns, pending_ns);
    }
}

/* What a present does that does not block is known well enough to go by. */
static bool is_sure(const es_display *display)
{
    return display->matched >= MATCHED_LEAST && display->loose == 0 && !is_dry(display);
}

/* It cannot have returned so early without blocking, nor taken no time at all. */
static bool is_impossible(const es_display *display, int64_t now_ns, int64_t off_ns)
{
    return off_ns < -es__period_ns(display) / 4
           || es_ns_sub(now_ns, display->returned_ns) < STILL_NS;
}

/* The queue ran dry, and the refreshes went on as before. */
static void note_fixed(es_display *display)
{
    if (display->locked_frames > MATCHED_LEAST && display->tested > 0) {
        display->tested -= 1;
        display->read_dry = ES_DISPLAY_FRAMES; /* one reading for each time */
        display->is_fixed = display->tested == 0;
        display->varies = display->varies && !display->is_fixed;
    }
}

/* The display counts its refreshes, and says soon what the clock did. */
static bool is_counted(const es_display *display)
{
    return display->counted != 0 && display->frames - display->counted_frame <= ES_DISPLAY_FRAMES;
}

static void suspect(es_display *display, int64_t off_ns, bool again, bool leapt)
{
    display->suspect_frames = again ? display->suspect_frames + 1 : 0;
    display->suspected = true;
    display->phase_unknown = false;
    display->suspect_ns = es_ns_sub(off_ns, usual_late_ns(display));
    display->followed_ns = again ? display->followed_ns : 0;
    if (leapt) {
        int64_t before_ns = es__time_of(display, display->index); /* when it was planned */
        recount(display);
        int64_t after_ns = es__time_of(display, es__newest_index(display));
        display->followed_ns = es_ns_sub(before_ns, after_ns);
    }
}

/* A reading that is odd, and what it may be, in this order. A clock that a second source says went
 * wrong. Refreshes that moved after the queue had run dry. A present that came back too early: with
 * another one of these the refreshes are not what they were taken for. One that came back much too
 * late: a stall, after which the queue is counted anew. */
static bool doubts_reading(es_display *display, int64_t off_ns, bool sure, bool dry, bool suspected)
{
    int64_t period_ns = es__period_ns(display);
    bool edge = is_usual(display, es_ns_add(off_ns, period_ns));
    bool early = off_ns < -period_ns / 4 && !edge;
    bool late = off_ns > LEAP_NS && display->depth > 1;
    /* that long in drawing, and then there was still something to wait for? */
    bool leapt = late && display->starved == 0;
    int64_t phase_ns = within_half(display, off_ns);
    bool moved = dry && !display->is_fed && off_ns <= LEAP_NS && !is_usual(display, phase_ns)
                 && !is_usual(display, es_ns_add(phase_ns, period_ns))
                 && es__absolute(phase_ns) * SLIP_SHARE > period_ns;
    bool asks = sure && (early || late) && is_counted(display);
    if (display->phase_unknown || suspected || asks || (sure && moved)) {
        suspect(display, off_ns, suspected, leapt);
        return true;
    }
    display->suspect_frames = 0;
    display->early += early && !dry && !display->is_loose && !display->is_fed;
    display->realign = sure && late ? 1 : 0;
    return sure && (leapt || (!dry && (early || late)));
}

/* True: nothing more can be told from this reading. */
static bool asks_for_clock(es_display *display, int64_t now_ns, int64_t due_ns, bool blocked)
{
    int64_t off_ns = es_ns_sub(now_ns, due_ns);
    if (display->frames < display->depth) {
        return false;
    }
    if (display->suspected && blocked && agrees(display, off_ns) && !is_counted(display)) {
        confirm(display, now_ns);
        return true;
    }
    bool stands = display->phase_unknown || display->early > 0
                  || (display->suspected && display->suspect_ns < 0);
    if (stands && !blocked && display->suspect_frames < SUSPECT_FRAMES) {
        display->suspect_frames += 1; /* a clock that stands still: nothing takes time */
        return true;
    }
    bool dry = is_dry(display);
    bool sure = display->matched >= MATCHED_LEAST;
    bool suspected = display->suspected && display->suspect_frames < SUSPECT_FRAMES;
    display->suspected = false;
    bool is_early = off_ns < -es__period_ns(display) / 4;
    if (blocked) {
        int32_t more = display->matched + (display->matched < MATCHED_LEAST ? 1 : 0);
        int32_t unusual = off_ns < 0 && !is_early ? display->matched : 0; /* early by a little */
        display->matched = is_usual(display, off_ns) ? more : unusual;
    }
    if (!blocked && !stands && is_sure(display) && is_impossible(display, now_ns, off_ns)) {
        display->phase_unknown = true;
        display->suspect_frames = 0;
        return true;
    }
    if (!blocked || is_usual(display, off_ns)) {
        display->phase_unknown = false;
        display->clock_wrong = false;
        display->early = 0;
        if (blocked && dry) {
            note_fixed(display);
        }
        return false;
    }
    return doubts_reading(display, off_ns, sure, dry, suspected);
}

/* After a stall: at the first present that waited for a refresh the queue is full again. */
static void realign(es_display *display, int64_t now_ns)
{
    int64_t early_ns = es__period_ns(display) / EARLY_SHARE;
    int64_t refresh = es__index_at(display, es_ns_add(now_ns, early_ns));
    bool fits = is_usual(display, es_ns_sub(now_ns, es__time_of(display, refresh)));
    if (fits) {
        align(display, now_ns);
    }
    bool goes_on = !fits && display->realign < SUSPECT_FRAMES;
    display->realign = goes_on ? display->realign + 1 : 0;
}

/* The same, at once where nothing was suspected before and nothing is odd now. */
static inline bool suspects_clock(es_display *display, int64_t now_ns, int64_t due_ns, bool blocked)
{
    int64_t off_ns = es_ns_sub(now_ns, due_ns);
    bool doubts = display->suspected || display->phase_unknown || display->early > 0;
    if (display->realign > 0 && blocked && !doubts) {
        realign(display, now_ns);
        return true;
    }
    bool is_odd = blocked ? !is_usual(display, off_ns)
                          : is_sure(display) && is_impossible(display, now_ns, off_ns);
    if (doubts || is_odd) {
        return asks_for_clock(display, now_ns, due_ns, blocked);
    }
    if (blocked && display->frames >= display->depth) {
        display->matched += display->matched < MATCHED_LEAST ? 1 : 0;
        if (is_dry(display)) {
            note_fixed(display);
        }
    }
    return false;
}

/* --- what present tells ----------------------------------------------------------------------- */

/* Seen later than it was ready for, twice in a row: something works on it unseen. */
static void note_hidden(es_display *display, int32_t depth, int64_t age, int64_t refresh)
{
    const es_display_frame *frame = es__frame(display, age);
    int64_t *hidden_ns = &display->hidden_ns[depth - 1];
    display->misfits[depth - 1] += 1;
    if (display->misfits[depth - 1] < 2) {
        return;
    }
    int64_t period_ns = es__period_ns(display);
    int64_t past_ns = es_ns_sub(es__time_of(display, refresh - 1), frame->submit_ns);
    if (past_ns > *hidden_ns) {
        *hidden_ns = es__min(es_ns_add(past_ns, period_ns / 8), HIDDEN_MOST * period_ns);
    }
}

static void note_sooner(es_display *display, int32_t depth, int64_t age, int64_t refresh)
{
    const es_display_frame *frame = es__frame(display, age);
    int64_t *hidden_ns = &display->hidden_ns[depth - 1];
    display->misfits[depth - 1] = 0;
    if (*hidden_ns == 0) {
        return;
    }
    int64_t most_ns = es_ns_sub(es__time_of(display, refresh), frame->submit_ns);
    if (*hidden_ns > most_ns) {
        *hidden_ns = es__max(es_ns_sub(most_ns, es__period_ns(display) / 8), 0);
    }
}

/* A return of present. */
typedef struct reading {
    int64_t at_ns;
    int64_t refresh; /* the last one before it */
    bool blocked;
    bool is_vague; /* which refresh it is, is not sure */
} reading;

/* What a depth expected of a picture was wrong. */
static void correct(es_display *display, int32_t depth, int64_t age, int64_t refresh, bool learns)
{
    bool later = refresh > es__frame(display, age)->index[depth - 1];
    if (later && learns) {
        note_hidden(display, depth, age, refresh);
    } else if (!later) {
        note_sooner(display, depth, age, refresh);
    }
    set_flip(display, depth, age, refresh);
}

static int64_t lateness_of(const es_display *display, const reading *now)
{
    return es_ns_sub(now->at_ns, es__time_of(display, now->refresh));
}

/* Compares what one depth expects of this return with what happened. Returns how wrong it was. */
static double display_queue_judge(es_display *display, int32_t depth, const reading *now)
{
    int64_t age = depth - 1;
    if (age >= display->frames) {
        return 0.0;
    }
    int64_t expected = es__frame(display, age)->index[depth - 1];
    int64_t off = now->refresh - expected;
    int64_t last_off = display->last_off[depth - 1];
    display->last_off[depth - 1] = off;
    if (off == 0) {
        display->misfits[depth - 1] = now->blocked ? 0 : display->misfits[depth - 1];
        return 0.0;
    }
    if (now->is_vague && off != last_off) {
        return 0.0; /* where lateness is as long as a refresh once is no evidence */
    }
    if (off > 0 && (!now->blocked || !is_usual(display, lateness_of(display, now)))) {
        return 0.0; /* woken late: it says nothing */
    }
    if (!display->is_fed) { /* which knows better */
        correct(display, depth, age, now->refresh, true);
    }
    return 1.0;
}

/* The depth that least speaks against. */
static void choose_depth(es_display *display, const double *wrong)
{
    double least = wrong[0];
    for (int32_t i = 1; i < ES_DISPLAY_QUEUES; ++i) {
        least = wrong[i] < least ? wrong[i] : least;
    }
    int32_t best = 0;
    for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
        double sum = display->wrong[i] + wrong[i] - least; /* what all got wrong says nothing */
        display->wrong[i] = sum < WRONG_MOST ? sum : WRONG_MOST;
        best = display->wrong[i] < display->wrong[best] ? i : best;
    }
    double least_wrong = display->wrong[best];
    for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
        display->wrong[i] -= least_wrong;
    }
    if (display->config.queue == 0 && display->wrong[display->depth - 1] > 0.2) {
        display->depth = best + 1;
    }
}

static void judge_each(es_display *display, int64_t now_ns, bool blocked)
{
    bool vague = display->grid.spread_ns > es__period_ns(display) / VAGUE_SHARE;
    const reading now = {now_ns, display->read_index, blocked, vague};
    double wrong[ES_DISPLAY_QUEUES];
    double most = 0.0;
    for (int32_t depth = 1; depth <= ES_DISPLAY_QUEUES; ++depth) {
        wrong[depth - 1] = display_queue_judge(display, depth, &now);
        most += wrong[depth - 1];
    }
    if (most > 0.0) {
        choose_depth(display, wrong);
    }
}

/* Whether all depths have this return come after this refresh. */
static inline bool agree_all(es_display *display, int64_t refresh)
{
    bool agree = display->frames >= ES_DISPLAY_QUEUES;
    for (int32_t depth = 1; depth <= ES_DISPLAY_QUEUES; ++depth) {
        agree = agree && es__frame(display, depth - 1)->index[depth - 1] == refresh;
    }
    return agree;
}

static inline void judge_all(es_display *display, int64_t now_ns, bool blocked)
{
    if (!agree_all(display, display->read_index)) {
        judge_each(display, now_ns, blocked);
        return;
    }
    for (int32_t i = 0; i < ES_DISPLAY_QUEUES; ++i) {
        display->last_off[i] = 0;
        display->misfits[i] = blocked ? 0 : display->misfits[i];
    }
}

/* ahead_ns: what was left to wait for when the picture was handed in. */
static void note_loose(es_display *display, int64_t ahead_ns, bool blocked)
{
    if (display->replaces) {
        display->is_loose = true;
    } else if (blocked) {
        display->loose = display->is_loose ? display->loose - 3 : 0;
        display->is_loose = display->is_loose && display->loose > 0;
    } else if (ahead_ns > es__period_ns(display) / EARLY_SHARE + ES__BLOCKED_NS) {
        display->loose += display->loose < 2 * LOOSE_AFTER ? 1 : 0;
        display->is_loose = display->loose >= LOOSE_AFTER;
    }
}

bool es__queue_return(es_display *display, int64_t now_ns, bool blocked)
{
    const es_display_frame *newest = es__frame(display, 0);
    display->read_dry += blocked && display->read_dry < ES_DISPLAY_FRAMES ? 1 : 0;
    int64_t waits_for = display->frames < display->depth
                                ? newest->index[0]
                                : es__frame(display, display->depth - 1)->index[display->depth - 1];
    int64_t due_ns = es__time_of(display, waits_for);
    if (suspects_clock(display, now_ns, due_ns, blocked)) {
        return false;
    }
    int64_t ahead_ns = es_ns_sub(due_ns, newest->submit_ns);
    note_loose(display, ahead_ns, blocked);
    bool unsure = !blocked && !display->is_fixed && display->starved <= display->depth + 2
                  && display->locked_frames < TEST_AFTER + ES__TESTS * TEST_EVERY;
    bool judges = !display->is_loose && !unsure; /* where it varies it could be there already */
    if (judges && es__asks_return(display)) {
        judge_all(display, now_ns, blocked);
    }
    bool fits = ahead_ns > 0 || is_usual(display, es_ns_sub(now_ns, due_ns));
    display->refused = fits ? 0 : display->refused + (blocked ? 1 : 0);
    return blocked && (fits || display->refused >= SUSPECT_FRAMES); /* the phase may be wrong */
}

bool es__queue_believes(es_display *display, int64_t age, int64_t shown_ns)
{
    int64_t index = es__frame(display, age)->index[display->depth - 1];
    int64_t off_ns = es_ns_sub(shown_ns, es__time_of(display, index));
    bool odd = display->suspected || display->phase_unknown || off_ns > LEAP_NS
               || off_ns < -es__period_ns(display) / 2;
    if (!odd || is_dry(display)) {
        display->odd -= display->odd > 0; /* forgotten slowly: on a quicker display some fit */
        return true;
    }
    display->odd += display->odd < SUSPECT_FRAMES;
    return display->odd >= SUSPECT_FRAMES; /* it is the reckoning that is wrong */
}

/* Seen later than was reckoned: a refresh went by without it. A display takes a picture some time
 * before it shows it. */
static void note_late(es_display *display, int64_t age, int64_t refreshes)
{
    display->missed += refreshes;
    es__lead_note(display, true);
    es__single_late(display, age);
}

/* Two pictures were ready for the same refresh, and both were seen: there is a queue. */
static bool has_waited(const es_display *display, int64_t age, int64_t refresh)
{
    es_display *d = (es_display *)(uintptr_t)display;
    if (age + 1 >= display->frames || age + 1 >= ES_DISPLAY_FRAMES
            || es__frame(d, age + 1)->discarded) {
        return false;
    }
    int64_t first = es__first_refresh(display, display->depth, es__frame(d, age)->submit_ns);
    int64_t before = es__first_refresh(display, display->depth, es__frame(d, age + 1)->submit_ns);
    return first == before && refresh > first;
}

/* It is told late more often than early. */
static int64_t refresh_shown(const es_display *display, int64_t expected, int64_t shown_ns)
{
    int64_t early_ns = es__period_ns(display) / 4;
    int64_t since_ns = es_ns_sub(es_ns_add(shown_ns, early_ns), es__time_of(display, expected));
    bool as_expected = since_ns >= 0 && since_ns < es__period_ns(display) - 1;
    return as_expected ? expected : es__index_at(display, es_ns_add(shown_ns, early_ns));
}

int64_t es__queue_shown(es_display *display, int64_t age, int64_t shown_ns)
{
    int64_t expected = es__frame(display, age)->index[display->depth - 1];
    int64_t refresh = refresh_shown(display, expected, shown_ns);
    int64_t off = refresh - expected;
    bool learns = !display->config.low_latency && !display->single; /* these begin earlier for it */
    if (off > 0) {
        note_late(display, age, off);
    }
    display->replaces = display->replaces && !has_waited(display, age, refresh);
    const es_display_frame *frame = es__frame(display, age);
    for (int32_t depth = 1; depth <= ES_DISPLAY_QUEUES; ++depth) {
        if (frame->index[depth - 1] != refresh) {
            correct(display, depth, age, refresh, learns);
        } else {
            display->misfits[depth - 1] = 0;
        }
    }
    return refresh;
}

/* Frames are paced, one for each refresh: two for one leave none for another. */
void es__queue_discarded(es_display *display, int64_t age)
{
    if (display->is_loose && display->locked_frames > age) {
        note_late(display, age, 1);
    }
}
