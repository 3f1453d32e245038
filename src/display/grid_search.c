/* SPDX-License-Identifier: Zlib
 *
 * Wind the readings about a circle of one period: with the right period they lie in an arc as long
 * as they are late, and the rest is empty. With a wrong one they are anywhere. So the search goes
 * over all rates, in steps so small that the last reading moves by an eighth of a turn, and looks
 * for a large gap. Where there is one it numbers the readings and lays the line under them; and it
 * takes the line over which they scatter least, in periods. A grid twice as fine fits, too, but
 * over it they scatter twice as much.
 */
#include "grid_parts.h"

/* A rate is how much of a turn a nanosecond is, in parts of this. */
#define TURN 18446744073709551616.0 /* 2^64 */

/* From rate to rate, in turns of the last reading. */
#define STEP 0.12

/* Where readings scatter this widely, chance is near: then only one in so many may be later. */
#define WIDE 0.4
enum { FAR_OUT = 48 };

/* Low is what is over the line by less than so much of the readings' spread. */
#define LOW 0.35

/* Readings that scatter over less, in periods or else in time, are a grid after a dozen. The first
 * is what intervals add up to, a dozen of them, that are each one in a hundred uneven. */
#define STEADY        0.025
#define STEADY_FAST   0.045
#define STEADY_NS     120e3
#define STEADY_SURELY 0.004

/* Others are after so many, and so long or else so many. */
#define SCATTERED_NS 600e6
enum { SCATTERED_LEAST = 20, SCATTERED_SURELY = 64 };

/* What a search may do for one reading, in readings wound at some 1.3 ns each; and what it may
 * where nothing is wrong: then it also leaves it at one refresh for each interval. */
enum { WORK_MOST = 12000, WORK_ROUTINE = 300, WORK_OF_RATE = 8, WORK_OF_LINE = 50 };

/* The median interval between readings is one refresh, or two, three, four: so many stages, each of
 * the rates about one of these. More than one only among so few readings: it takes more of them
 * where they scatter widely, and nowhere else. */
#define ONE_LEAST  0.8
#define ONE_MOST   1.3
#define MORE_LEAST 0.9
#define MORE_MOST  1.1
enum { STAGES = 4, MORE_COUNT = 64 };

/* The mean interval may be so much longer than the median. */
#define UNEVEN 2.5

/* Where readings scatter less than this about one refresh for each, it is not two for five. */
#define SURELY_ONE 0.14

/* Chance gives a grid to n readings that spread over s periods in one of n * s^(n - 1) rates. */
static const struct {
    int32_t readings;
    double spread;
} chance[] = {{6, 0.01}, {8, 0.05}, {10, 0.1}, {13, 0.26}, {16, 0.33}, {20, 0.4}, {24, 0.47},
        {32, 0.56}, {48, 0.67}, {64, 0.73}, {96, 0.78}};

typedef struct search_window {
    int32_t n;
    int64_t first_ns;
    uint64_t after_ns[ES_GRID_WINDOW];
} search_window;

static int32_t most_of(const int8_t *counts, int32_t n, int32_t most)
{
    for (int32_t i = 0; i < n; ++i) {
        most = counts[i] > most ? counts[i] : most;
    }
    return most;
}

int32_t es_grid_beside(const es_grid_numbers *numbers)
{
    int32_t most = most_of(numbers->by_2, 2, 0);
    most = most_of(numbers->by_3, 3, most);
    most = most_of(numbers->by_5, 5, most);
    return numbers->count - most_of(numbers->by_7, 7, most);
}

static void open_window(const es_grid *grid, int64_t first, int32_t n, search_window *w)
{
    w->n = n;
    w->first_ns = es_grid_reading(grid, first);
    for (int32_t i = 0; i < n; ++i) {
        w->after_ns[i] = (uint64_t)es_ns_sub(es_grid_reading(grid, first + i), w->first_ns);
    }
}

static void search_sort(double *numbers, int32_t n)
{
    for (int32_t i = 1; i < n; ++i) {
        double number = numbers[i];
        int32_t k = i;
        for (; k > 0 && numbers[k - 1] > number; --k) {
            numbers[k] = numbers[k - 1];
        }
        numbers[k] = number;
    }
}

static double most_spread(int32_t n)
{
    double most = 0;
    for (size_t i = 0; i < sizeof chance / sizeof chance[0] && chance[i].readings <= n; ++i) {
        most = chance[i].spread;
    }
    return most;
}

/* ---- one line ---- */

/* How many of n readings are left out of account: the latest, one in twenty. */
enum { LEFT_OUT_MOST = (ES_GRID_WINDOW + 6) / 20 };

static int32_t search_left_out(int32_t n)
{
    return (n + 6) / 20;
}

/* The largest but so many, up to LEFT_OUT_MOST. */
static double high(const double *numbers, int32_t n, int32_t but)
{
    double top[LEFT_OUT_MOST + 1];
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (count <= but) {
            top[count++] = numbers[i];
        } else if (numbers[i] > top[but]) {
            top[but] = numbers[i];
        } else {
            continue;
        }
        for (int32_t k = count - 1; k > 0 && top[k] > top[k - 1]; --k) {
            double swapped = top[k];
            top[k] = top[k - 1];
            top[k - 1] = swapped;
        }
    }
    return top[count - 1];
}

static double roughness(const double *over, int32_t n)
{
    double mean = 0, square = 0, change = 0;
    for (int32_t i = 0; i < n; ++i) {
        mean += over[i] / n;
    }
    for (int32_t i = 0; i < n; ++i) {
        square += (over[i] - mean) * (over[i] - mean);
        if (i > 0) {
            change += (over[i] - over[i - 1]) * (over[i] - over[i - 1]);
        }
    }
    return square > 0 ? change / square : 2;
}

/* The line under the readings as numbered by this one, with refresh 0 at start_ns. What is within
 * `early` periods before a refresh counts as that refresh's; what is less than `least` over it is
 * left out. */
static es_grid_line lay_line(
        const search_window *w, double period_ns, double *start_ns, double early, double least)
{
    double index[ES_GRID_WINDOW], at_ns[ES_GRID_WINDOW];
    es_grid_line line = {.spread = 2};
    int32_t n = 0;
    for (int32_t i = 0; i < w->n; ++i) {
        double after_ns = (double)(int64_t)w->after_ns[i];
        double periods = (after_ns - *start_ns) / period_ns;
        double k = (double)es_grid_whole_below(periods + early);
        if ((n == 0 || k > index[n - 1]) && periods - k >= least) {
            index[n] = k;
            at_ns[n] = after_ns;
            n += 1;
        }
    }
    int32_t but = search_left_out(w->n) - (w->n - n);
    if (but < 0 || n < 3) {
        return line;
    }
    int32_t touched = es_grid_lower_line(index, at_ns, n, &line.period_ns);
    *start_ns = at_ns[touched] - index[touched] * line.period_ns;
    line.at_ns = es_ns_add(w->first_ns, (int64_t)at_ns[touched]);
    for (int32_t i = 0; i < n; ++i) {
        at_ns[i] -= *start_ns + index[i] * line.period_ns;
    }
    line.spread = high(at_ns, n, but) / line.period_ns;
    line.reach = high(at_ns, n, w->n / FAR_OUT) / line.period_ns;
    line.roughness = roughness(at_ns, n);
    line.low = 0;
    for (int32_t i = 0; i < n; ++i) {
        line.low += at_ns[i] < LOW * line.spread * line.period_ns;
    }
    es_grid_numbers numbers = {0};
    for (int32_t i = 0; i < n; ++i) {
        es_grid_count(&numbers, (int64_t)(index[i] - index[0]));
    }
    line.fine = es_grid_beside(&numbers) > search_left_out(w->n) + 1;
    return line;
}

/* Twice: the first line is still slanted, and may take an early reading for a late one. And again
 * where it lies under a few readings that are far below all others: they are so late that they seem
 * early. */
static es_grid_line refine(const search_window *w, double period_ns, double start_ns)
{
    es_grid_line line = lay_line(w, period_ns, &start_ns, 0, -1);
    if (line.spread < 1 && line.period_ns > 0) {
        line = lay_line(w, line.period_ns, &start_ns, (1 - line.spread) / 2, -1);
    }
    if (line.spread < 1 && line.low <= search_left_out(w->n) && line.period_ns > 0) {
        line = lay_line(w, line.period_ns, &start_ns, (1 - line.spread) / 2, LOW * line.spread);
    }
    return line;
}

bool es_grid_try_period(const es_grid *grid, int32_t count, double period_ns, es_grid_line *line)
{
    search_window w;
    double phase[ES_GRID_WINDOW];
    open_window(grid, grid->taken - count, count, &w);
    for (int32_t i = 0; i < w.n; ++i) {
        double periods = (double)(int64_t)w.after_ns[i] / period_ns;
        phase[i] = periods - (double)es_grid_whole_below(periods);
    }
    search_sort(phase, w.n);
    double gap = phase[0] + 1 - phase[w.n - 1], cut = phase[0] - gap / 2;
    for (int32_t i = 1; i < w.n; ++i) {
        if (phase[i] - phase[i - 1] > gap) {
            gap = phase[i] - phase[i - 1];
            cut = phase[i] - gap / 2;
        }
    }
    if (gap < 0.5) {
        return false;
    }
    *line = refine(&w, period_ns, cut * period_ns);
    return line->fine && line->spread < most_spread(count) && line->period_ns > 0.99 * period_ns
           && line->period_ns < 1.01 * period_ns;
}

bool es_grid_try_phase(const es_grid *grid, int32_t count, double period_ns, es_grid_line *line)
{
    search_window w;
    double phase[ES_GRID_WINDOW] = {0};
    int32_t first = 0, order[ES_GRID_WINDOW] = {0};
    open_window(grid, grid->taken - count, count, &w);
    for (int32_t i = 0; i < w.n; ++i) { /* sorted, and of which reading */
        double periods = (double)(int64_t)w.after_ns[i] / period_ns;
        double own = periods - (double)es_grid_whole_below(periods);
        int32_t k = i;
        for (; k > 0 && phase[k - 1] > own; --k) {
            phase[k] = phase[k - 1];
            order[k] = order[k - 1];
        }
        phase[k] = own;
        order[k] = i;
    }
    double gap = phase[0] + 1 - phase[w.n - 1];
    for (int32_t i = 1; i < w.n; ++i) {
        if (phase[i] - phase[i - 1] > gap) {
            gap = phase[i] - phase[i - 1];
            first = i;
        }
    }
    line->period_ns = period_ns;
    line->at_ns = es_grid_reading(grid, grid->taken - count + order[first]);
    line->spread = 1 - gap;
    line->roughness = 2;
    double by_chance = count;
    for (int32_t i = 1; i < count; ++i) {
        by_chance *= line->spread;
    }
    return by_chance < 1e-4;
}

double es_grid_spread(const es_grid *grid, int64_t first, int32_t count)
{
    double over[ES_GRID_WINDOW], lowest = 0;
    for (int32_t i = 0; i < count; ++i) {
        double periods = es_grid_periods(grid, es_grid_reading(grid, first + i));
        over[i] = periods - (double)es_grid_whole_below(periods + grid->early);
        lowest = es__min_f64(lowest, over[i]);
    }
    return high(over, count, search_left_out(count)) - lowest;
}

/* ---- all rates ---- */

void es_grid_search_begin(es_grid *grid, int32_t count)
{
    double spans_ns[ES_GRID_WINDOW];
    es_grid_search fresh = {.first = grid->taken - count, .count = count};
    for (int32_t i = 1; i < count; ++i) {
        spans_ns[i - 1] = (double)es_ns_sub(
                es_grid_reading(grid, fresh.first + i), es_grid_reading(grid, fresh.first + i - 1));
    }
    search_sort(spans_ns, count - 1);
    fresh.interval_ns = spans_ns[(count - 1) / 2];
    fresh.best.spread = 2;
    grid->search = fresh;
}

/* Starts a stage; without any rates there is nothing to do in it. */
static void enter_stage(es_grid_search *search, double span_ns)
{
    bool one = search->stage == 1;
    double least = (one ? ONE_LEAST : search->stage * MORE_LEAST) / search->interval_ns;
    double most = (one ? ONE_MOST : search->stage * MORE_MOST) / search->interval_ns;
    least = least > 1 / ES_GRID_PERIOD_MOST_NS ? least : 1 / ES_GRID_PERIOD_MOST_NS;
    most = most < 1 / ES_GRID_PERIOD_LEAST_NS ? most : 1 / ES_GRID_PERIOD_LEAST_NS;
    search->turn = 0;
    search->turn_end = 0;
    if (least < most && (one || search->count <= MORE_COUNT)) {
        search->turn = (uint64_t)(least * TURN);
        search->turn_end = (uint64_t)(most * TURN);
        search->turn_step = (uint64_t)(STEP / span_ns * TURN);
    }
}

static uint64_t search_rotate(uint64_t bits, int32_t by)
{
    return bits << by | bits >> (64 - by);
}

/* Which of 64 parts of the circle have a reading. The products wrap: what is left is the fraction
 * of a period. */
static uint64_t occupied(const search_window *w, uint64_t turn)
{
    uint64_t parts = 0;
    for (int32_t i = 0; i < w->n; ++i) {
        parts |= UINT64_C(1) << (w->after_ns[i] * turn >> 58);
    }
    return parts;
}

/* Whether so many parts in a row are empty. */
static bool has_gap(uint64_t empty, int32_t parts)
{
    for (int32_t known = 1; known < parts && empty != 0;) {
        int32_t more = parts - known < known ? parts - known : known;
        empty &= search_rotate(empty, more);
        known += more;
    }
    return empty != 0;
}

/* The middle of the largest gap, in periods. */
static double middle_of_gap(uint64_t empty)
{
    int32_t parts = 1, last = 0;
    while (last < 63 && (empty >> last & 1) == 0) {
        last += 1;
    }
    for (uint64_t ends = empty; parts < 64; ++parts) { /* of gaps of so many parts */
        ends &= search_rotate(empty, parts);
        if (ends == 0) {
            break;
        }
        for (last = 0; (ends >> last & 1) == 0; ++last) {
        }
    }
    return (last + 1 - parts / 2.0) / 64;
}

/* Parts that must be empty: readings still slant a little, and the parts are coarse. */
static int32_t parts_needed(int32_t n)
{
    int32_t parts = (int32_t)(64 * (1 - most_spread(n))) - 6;
    return parts > 3 ? parts : 3;
}

/* The least roughness. That of readings that pace themselves is about 15 / n, by chance twice that;
 * of a grid's 2, by chance less by 4 / sqrt(n). Where they wander over most of a period it cannot
 * fall below 1. */
static double least_roughness(int32_t n, double spread)
{
    if (n < 48 || spread < 0.3) {
        return n < 24 ? 0.5 : n < 32 ? 0.8 : 1.0;
    }
    return 1.4;
}

/* Whether so many readings may be of more than one refresh each, as this line has it. A reading
 * that is half a period late makes a grid of half the period, but it alone is on every other
 * refresh then. Where a grid was known, its last readings may still be among them. */
static bool may_be_finer(const es_grid *grid, const es_grid_line *line, int32_t n)
{
    bool known = grid->state == ES_GRID_LOCKED;
    return line->fine && line->spread < (n < 48 ? 0.35 : 0.5) && n >= (known ? 24 : 13);
}

/* Whether a line is to be believed. The more readings scatter, the more of them it takes, and the
 * longer; where that is more than a little, they must also be late each for itself. And it takes
 * more where grids proved none. */
static bool is_grid(const es_grid *grid, const es_grid_search *search, double span_ns)
{
    static const int32_t least[] = {13, 24, 48, 64, 96}; /* readings */
    const es_grid_line *line = &search->best;
    int32_t n = search->count;
    int32_t wary = grid->routine ? 0 : grid->wary;
    double s = line->spread;
    if ((s > WIDE ? line->reach : s) >= most_spread(n) || n < least[wary]
            || line->period_ns < ES_GRID_PERIOD_LEAST_NS
            || (search->best_stage > 1 && !may_be_finer(grid, line, n))) {
        return false;
    }
    bool steady = s < STEADY || (s < STEADY_FAST && s * line->period_ns < STEADY_NS);
    if (steady && wary < 2) {
        return s < STEADY_SURELY || line->roughness > 0.35;
    }
    double rougher = line->roughness - 2; /* by chance up to 6 / sqrt(n): readings that beat */
    if (s > SURELY_ONE && rougher > 0 && rougher * rougher * n > 36) {
        return false;
    }
    return n >= SCATTERED_LEAST && (span_ns > SCATTERED_NS || n >= SCATTERED_SURELY)
           && line->roughness > least_roughness(n, s);
}

/* One rate. Returns the work that it was. */
static int32_t try_rate(es_grid_search *search, const search_window *w)
{
    uint64_t empty = ~occupied(w, search->turn);
    int32_t work = w->n + WORK_OF_RATE;
    if (has_gap(empty, parts_needed(w->n))) {
        double period_ns = TURN / (double)search->turn;
        es_grid_line line = refine(w, period_ns, middle_of_gap(empty) * period_ns);
        work += WORK_OF_LINE * w->n;
        if (line.spread < search->best.spread) {
            search->best = line;
            search->best_stage = search->stage;
        }
    }
    return work;
}

es_grid_outcome es_grid_search_go_on(es_grid *grid)
{
    es_grid_search *search = &grid->search;
    search_window w;
    open_window(grid, search->first, search->count, &w);
    double span_ns = (double)(int64_t)w.after_ns[w.n - 1];
    if (search->first < grid->taken - ES_GRID_RECENT
            || span_ns > UNEVEN * w.n * search->interval_ns) {
        return ES_GRID_NONE;
    }
    int32_t most = grid->routine ? WORK_ROUTINE : WORK_MOST;
    for (int32_t work = 0; work < most;) {
        if (search->turn < search->turn_end) {
            work += try_rate(search, &w);
            search->turn += search->turn_step;
        } else if (search->stage == STAGES
                   || (search->stage == 1 && (grid->routine || search->best.spread < SURELY_ONE))) {
            return is_grid(grid, search, span_ns) ? ES_GRID_FOUND : ES_GRID_NONE;
        } else {
            search->stage += 1;
            enter_stage(search, span_ns);
        }
    }
    return ES_GRID_GOES_ON;
}

bool es_grid_is_even(const es_grid *grid, int32_t count)
{
    int32_t even = 0;
    int64_t last_ns = 0;
    int64_t first = grid->taken - count;
    for (int32_t i = 1; i < count; ++i) {
        int64_t span_ns =
                es_ns_sub(es_grid_reading(grid, first + i), es_grid_reading(grid, first + i - 1));
        int64_t change_ns = es_ns_sub(span_ns, last_ns);
        change_ns = change_ns < 0 ? -(change_ns + 1) : change_ns;
        even += i > 1 && change_ns < span_ns / 4;
        last_ns = span_ns;
    }
    return even * 5 > count * 4;
}
