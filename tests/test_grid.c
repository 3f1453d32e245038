/* SPDX-License-Identifier: Zlib
 *
 * grid: refreshes are found and followed on simulated displays whose readings come late, with missing
 * refreshes, pauses, other rates and faults of the clock; not found where there are none. Time is
 * virtual, and every test runs over many seeds.
 */
#include "test_support.h"

#include "display/grid.h"
#include "evenstep/time.h"

#include <math.h>
#include <string.h>

#define MS ES_NS_PER_MS
#define S  ES_NS_PER_S

static const double rates_hz[] = {23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60, 72, 75, 85, 90, 100,
        119.88, 120, 143.98, 144, 165, 180, 200, 240, 300, 360};

enum { RATES = sizeof rates_hz / sizeof rates_hz[0], SEEDS = TEST_SANITIZED ? 2 : 10 };

/* ---- a display and a program ---- */

/* How late readings are. */
typedef enum lateness {
    EVENLY, /* anywhere up to late_ns */
    USUAL,  /* 20 us and 20 us more on average; one in 500 up to 0.5 ms more */
    HEAVY   /* a virtual machine: 50 us and 35 more; 1 % up to 0.5 ms, 0.25 % many ms more */
} lateness;

typedef struct source {
    test_random random;
    double period_ns;
    double phase_ns;
    lateness late;
    int64_t late_ns;
    int64_t index;      /* of the refresh read last */
    int64_t last_ns;    /* the last reading */
    int missed_in_1000; /* refreshes without a reading, by chance ... */
    const int *steps; /* ... or else refreshes from reading to reading, over and over, up to a 0 */
    int step;
} source;

static test_random seeded(uint64_t seed)
{
    test_random random = {seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    for (int i = 0; i < 8; ++i) {
        random_u64(&random);
    }
    return random;
}

static source start(double rate_hz, lateness late, int64_t late_ns, uint64_t seed)
{
    source s = {.random = seeded(seed),
            .period_ns = 1e9 / rate_hz,
            .late = late,
            .late_ns = late_ns,
            .missed_in_1000 = 10};
    s.phase_ns = (double)(S + random_below(&s.random, S));
    return s;
}

/* From 0 up to 1. */
static double chance(test_random *random)
{
    return (double)(random_u64(random) >> 11) / 9007199254740992.0;
}

static double waiting(test_random *random, double mean)
{
    return -log(1 - chance(random)) * mean;
}

static double some_lateness(source *s)
{
    double late_ns = 0;
    switch (s->late) {
    case EVENLY:
        return chance(&s->random) * (double)s->late_ns;
    case USUAL:
        late_ns = 20e3 + waiting(&s->random, 20e3);
        return late_ns + (chance(&s->random) < 0.002 ? chance(&s->random) * 0.5e6 : 0);
    case HEAVY:
        late_ns = 50e3 + waiting(&s->random, 35e3);
        late_ns += chance(&s->random) < 0.01 ? 0.1e6 + chance(&s->random) * 0.4e6 : 0;
        return late_ns + (chance(&s->random) < 0.0025 ? 1e6 + waiting(&s->random, 5e6) : 0);
    }
    return 0;
}

/* The earliest that a reading of this refresh can be. */
static double edge_ns(const source *s, int64_t index)
{
    double least_ns = s->late == USUAL ? 20e3 : s->late == HEAVY ? 50e3 : 0;
    return s->phase_ns + (double)index * s->period_ns + least_ns;
}

/* The scale of errors of the edge. */
static double jitter_ns(const source *s)
{
    return s->late == EVENLY ? (double)s->late_ns : s->late == USUAL ? 60e3 : 120e3;
}

static int64_t read_next(source *s)
{
    if (s->steps != NULL) {
        s->step = s->steps[s->step] == 0 ? 0 : s->step;
        s->index += s->steps[s->step++];
    } else {
        do {
            s->index += 1;
        } while (random_below(&s->random, 1000) < s->missed_in_1000);
    }
    double at_ns = s->phase_ns + (double)s->index * s->period_ns + some_lateness(s);
    while (at_ns > s->phase_ns + (double)(s->index + 1) * s->period_ns) {
        s->index += 1; /* late by more than a refresh: some were missed */
    }
    s->last_ns = (int64_t)ceil(at_ns) > s->last_ns ? (int64_t)ceil(at_ns) : s->last_ns + 1;
    return s->last_ns;
}

/* Since the first refresh. */
static double seconds(const source *s)
{
    return (double)s->index * s->period_ns / 1e9;
}

static void add_until(es_grid *grid, source *s, double until_s)
{
    while (seconds(s) < until_s) {
        es__grid_add(grid, read_next(s));
    }
}

/* A new grid after the readings up to then. */
static es_grid found(source *s, double until_s)
{
    es_grid grid;
    assert_int_equal(es__grid_init(&grid, NULL), ES_OK);
    add_until(&grid, s, until_s);
    return grid;
}

/* As a program pauses: the display goes on. */
static void pause_for(source *s, double pause_s)
{
    s->index += (int64_t)(pause_s * 1e9 / s->period_ns);
}

/* The same program on another display, from now on. */
static source go_over(const source *s, double rate_hz, double phase)
{
    source t = *s;
    t.period_ns = 1e9 / rate_hz;
    t.phase_ns = s->phase_ns + (double)s->index * s->period_ns + phase * t.period_ns;
    t.index = 0;
    return t;
}

/* ---- what is checked ---- */

static double off_ppm(const es_grid *grid, const source *s)
{
    return fabs(grid->period_ns / s->period_ns - 1) * 1e6;
}

/* The error of a predicted refresh, from half a period early to half a period late. */
static double off_ns(const es_grid *grid, const source *s, int64_t index)
{
    double true_ns = edge_ns(s, index);
    int64_t predicted = es__grid_index(grid, (int64_t)(true_ns + s->period_ns / 2));
    return (double)es__grid_time_ns(grid, predicted) - true_ns;
}

typedef struct demands {
    double locked_s; /* locked from then on */
    int64_t locks;   /* most locks until then; 0: one */
    double ppm_2_s;  /* from 2 s on; 0: any */
    double ppm_10_s; /* from 10 s on */
    double until_s;
} demands;

static void check_reading(const es_grid *grid, const source *s, const demands *d)
{
    double now_s = seconds(s);
    if (now_s >= d->locked_s
            && (grid->state != ES_GRID_LOCKED || grid->locks > (d->locks > 0 ? d->locks : 1))) {
        fail_msg("%g Hz: state %d, %d locks at %g s", 1e9 / s->period_ns, (int)grid->state,
                (int)grid->locks, now_s);
    }
    double most_ppm = now_s > 10 ? d->ppm_10_s : now_s > 2 ? d->ppm_2_s : 0;
    if (most_ppm > 0 && off_ppm(grid, s) > most_ppm) {
        fail_msg("%g Hz: %g ppm off at %g s", 1e9 / s->period_ns, off_ppm(grid, s), now_s);
    }
    if (now_s > 10) {
        double part = off_ns(grid, s, s->index + 1) / jitter_ns(s);
        double early_most = fmax(0.05, 2.5 * s->period_ns / 1e9); /* ten seconds are few readings */
        if (part < -early_most || part > 0.2) {
            fail_msg("%g Hz: the next refresh is predicted %g of the jitter late at %g s",
                    1e9 / s->period_ns, part, now_s);
        }
    }
}

/* ---- a fixed refresh ---- */

static void check_rate(
        double rate_hz, lateness late, int64_t late_ns, uint64_t seed, const demands *d)
{
    source s = start(rate_hz, late, late_ns, seed);
    es_grid grid = found(&s, 0);
    while (seconds(&s) < d->until_s) {
        es__grid_add(&grid, read_next(&s));
        check_reading(&grid, &s, d);
    }
}

TEST(every_rate_is_found_within_a_second)
{
    static const double fast_hz[] = {60, 120, 144, 165, 200, 240};
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        for (int i = 0; i < RATES; ++i) {
            /* 240 readings are ten seconds at 24 Hz */
            double ppm = rates_hz[i] < 40 ? 30 : 20;
            const demands d = {.locked_s = 1, .ppm_10_s = ppm, .until_s = seed == 1 ? 60 : 20};
            check_rate(rates_hz[i], EVENLY, 3 * MS / 2, 100 * seed + (uint64_t)i, &d);
            /* on a virtual machine some readings are late by many refreshes, and the first lock may
             * be wrong */
            const demands h = {.locked_s = 2, .locks = 2, .ppm_10_s = 25, .until_s = 30};
            check_rate(rates_hz[i], HEAVY, 0, 100 * seed + (uint64_t)i, &h);
        }
        for (int i = 0; i < 6; ++i) { /* up to 3 ms late, 72 % of a refresh at 240 Hz */
            double ppm = fast_hz[i] > 60 ? 20 : 40;
            const demands d = {.locked_s = 1.5, .ppm_10_s = ppm, .until_s = 20};
            check_rate(fast_hz[i], EVENLY, 3 * MS, 100 * seed + (uint64_t)i, &d);
        }
    }
}

/* The usual case: locked after 13 readings, but where one of them is late by far. */
TEST(steady_readings_give_it_at_once)
{
    int at_once = 0;
    for (int i = 0; i < RATES; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            const demands d = {.locked_s = 1, .ppm_2_s = 20, .ppm_10_s = 1, .until_s = 20};
            source s = start(rates_hz[i], USUAL, 0, 100 * seed + (uint64_t)i);
            es_grid grid = found(&s, 0);
            for (int readings = 0; readings < 13; ++readings) {
                assert_int_not_equal(grid.state, ES_GRID_LOCKED);
                es__grid_add(&grid, read_next(&s));
            }
            at_once += grid.state == ES_GRID_LOCKED;
            while (seconds(&s) < d.until_s) {
                es__grid_add(&grid, read_next(&s));
                check_reading(&grid, &s, &d);
            }
        }
    }
    assert_true(at_once > RATES * SEEDS * 92 / 100);
}

TEST(exact_readings_give_it_exactly)
{
    for (int i = 0; i < RATES; ++i) {
        source s = start(rates_hz[i], EVENLY, 0, 1);
        es_grid grid = found(&s, 20);
        assert_true(off_ppm(&grid, &s) < 0.001);
        assert_true(fabs(off_ns(&grid, &s, s.index)) < 3);
        assert_int_equal(grid.locks, 1);
    }
}

/* ---- refreshes without readings ---- */

static const int overloaded[] = {1, 1, 2, 1, 2, 0}, half[] = {2, 2, 1, 0}, slow[] = {2, 3, 0};

static void check_missing(source s)
{
    es_grid grid = found(&s, 0);
    while (seconds(&s) < 12) {
        es__grid_add(&grid, read_next(&s));
        if (seconds(&s) > 1.5 && (grid.state != ES_GRID_LOCKED || grid.locks != 1)) {
            fail_msg("%g Hz, %d/1000 missed, late %d: state %d, %d locks at %g s",
                    1e9 / s.period_ns, s.missed_in_1000, (int)s.late, (int)grid.state,
                    (int)grid.locks, seconds(&s));
        }
    }
    assert_true(off_ppm(&grid, &s) <= 20);
}

TEST(refreshes_without_readings_do_not_matter)
{
    static const double hz[] = {60, 75, 120, 144, 240};
    for (int i = 0; i < 5; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            for (int missed = 100; missed <= 500; missed += 100) {
                source s = start(hz[i], EVENLY, MS / 2, seed);
                s.missed_in_1000 = missed;
                check_missing(s);
            }
            const int *const steps[] = {overloaded, half, slow};
            for (int k = 0; k < 3; ++k) {
                source s = start(hz[i], seed % 2 == 0 ? USUAL : EVENLY, MS / 2, seed);
                s.steps = steps[k];
                check_missing(s);
            }
        }
    }
}

/* ---- other displays ---- */

typedef struct change {
    double noticed_s, found_s; /* -1: never */
} change;

/* Another rate is noticed when the lock is lost, or another takes its place; and found when the
 * period and the next refresh are right, and stay so. */
static change go_over_to(es_grid *grid, source *t, double ppm)
{
    change c = {-1, -1};
    int64_t locks = grid->locks;
    while (seconds(t) < 4) {
        es__grid_add(grid, read_next(t));
        bool locked = grid->state == ES_GRID_LOCKED;
        if (c.noticed_s < 0 && (!locked || grid->locks != locks)) {
            c.noticed_s = seconds(t);
        }
        bool right = locked && off_ppm(grid, t) < ppm
                     && fabs(off_ns(grid, t, t->index + 1)) < 0.05 * t->period_ns;
        c.found_s = !right ? -1 : c.found_s < 0 ? seconds(t) : c.found_s;
    }
    return c;
}

TEST(another_rate_is_noticed_within_a_second)
{
    static const double changes_hz[][2] = {{60, 59.94}, {59.94, 60}, {60, 50}, {50, 60}, {144, 60},
            {60, 144}, {60, 120}, {24, 60}, {60, 75}, {75, 60}, {165, 144}, {240, 144}, {120, 144},
            {60, 72}, {48, 60}, {60, 48}, {60, 240}, {30, 25}, {120, 119.88}};
    for (size_t i = 0; i < sizeof changes_hz / sizeof changes_hz[0]; ++i) {
        for (uint64_t seed = 1; seed <= 2 * SEEDS; ++seed) {
            source s = start(changes_hz[i][0], seed % 4 < 2 ? USUAL : EVENLY, MS / 10, seed);
            es_grid grid = found(&s, 7 + (double)seed / 4);
            assert_int_equal(grid.locks, 1);
            double phase = seed % 2 == 0 ? 1 : 1 + chance(&s.random);
            source t = go_over(&s, changes_hz[i][1], phase);
            double apart_ppm = fabs(changes_hz[i][0] / changes_hz[i][1] - 1) * 1e6;
            change c = go_over_to(&grid, &t, fmin(apart_ppm / 2, 5000));
            if (c.noticed_s < 0 || c.noticed_s > 1.05 || c.found_s < 0 || c.found_s > 2.05) {
                fail_msg("%g to %g Hz, seed %d: noticed after %g s, found after %g s",
                        changes_hz[i][0], changes_hz[i][1], (int)seed, c.noticed_s, c.found_s);
            }
        }
    }
}

/* A display of the same rate and another phase, at once or after a pause; or of another rate, after a
 * pause. */
TEST(another_display_is_noticed)
{
    static const struct {
        double pause_s, phase;
        double from_hz, to_hz; /* 0: the same */
    } rows[] = {{0, 0.15, 60, 0}, {0, 0.3, 144, 0}, {0, 0.5, 60, 0}, {0, 0.7, 144, 0},
            {0, 0.85, 60, 0}, {2, 0.1, 144, 0}, {7, 0.4, 60, 0}, {12, 0.9, 144, 0},
            {1.5, 0.3, 60, 144}, {1.5, 0.8, 60, 50}};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            source s = start(rows[i].from_hz, USUAL, 0, seed);
            es_grid grid = found(&s, 10);
            pause_for(&s, rows[i].pause_s);
            bool other = rows[i].to_hz > 0;
            source t = go_over(&s, other ? rows[i].to_hz : rows[i].from_hz, 1 + rows[i].phase);
            change c = go_over_to(&grid, &t, 1000);
            assert_true(c.noticed_s >= 0 && c.noticed_s < 1);
            assert_true(c.found_s >= 0 && c.found_s < (other ? 2 : 1.5));
        }
    }
}

/* A small step stays within the lock, and is followed: all readings later by a little, then earlier
 * again, as when a program's way of presenting changes. */
TEST(a_small_step_is_followed)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        source s = start(seed % 2 == 0 ? 60 : 144, USUAL, 0, seed);
        es_grid grid = found(&s, 10);
        s.phase_ns += 400e3;
        add_until(&grid, &s, 12);
        assert_true(fabs(off_ns(&grid, &s, s.index + 1)) < 60e3);
        s.phase_ns -= 400e3;
        add_until(&grid, &s, 14);
        assert_true(fabs(off_ns(&grid, &s, s.index + 1)) < 60e3);
        assert_int_equal(grid.state, ES_GRID_LOCKED);
        assert_int_equal(grid.locks, 1);
    }
}

/* A machine under load: for half a second of every four readings are up to many milliseconds late,
 * one here and there in time. */
TEST(a_load_does_not_lose_it)
{
    for (uint64_t seed = 1; seed <= 2 * SEEDS; ++seed) {
        source s = start(60, USUAL, 0, seed);
        es_grid grid = found(&s, 0);
        int lost = 0;
        while (seconds(&s) < 30) {
            double more_ns = fmod(seconds(&s) + 1, 4) < 0.5 ? waiting(&s.random, 2e6) : 0;
            es__grid_add(&grid, read_next(&s) + (int64_t)fmin(more_ns, 16e6));
            lost += seconds(&s) > 1 && grid.state != ES_GRID_LOCKED;
        }
        assert_int_equal(lost, 0);
        assert_int_equal(grid.locks, 1);
        assert_true(off_ppm(&grid, &s) < 2);
    }
}

/* ---- pauses ---- */

TEST(pauses_keep_the_lock_where_the_phase_still_fits)
{
    static const double pauses_s[] = {0.1, 0.3, 1, 3, 10, 30, 60}, hz[] = {24, 60, 144, 240};
    for (int i = 0; i < 4 * 7; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            source s = start(hz[i % 4], seed % 2 == 0 ? USUAL : EVENLY, MS / 2, seed);
            es_grid grid = found(&s, 12);
            int64_t index = es__grid_index(&grid, (int64_t)(edge_ns(&s, s.index) + 1e6)) - s.index;
            pause_for(&s, pauses_s[i / 4]);
            double now_s = seconds(&s);
            /* within its own error it never lets go */
            while (seconds(&s) < now_s + 1) {
                es__grid_add(&grid, read_next(&s));
                assert_int_equal(grid.state, ES_GRID_LOCKED);
            }
            assert_int_equal(grid.locks, 1);
            assert_true(off_ppm(&grid, &s) < 20);
            /* as well as the readings of a second tell */
            double part = fabs(off_ns(&grid, &s, s.index)) / jitter_ns(&s);
            assert_true(part < 0.2 + 6 / hz[i % 4]);
            int64_t now = es__grid_index(&grid, (int64_t)(edge_ns(&s, s.index) + 1e6)) - s.index;
            assert_int_equal(now, index);
        }
    }
}

/* The lock was young, so that nobody knows the phase after a minute: but the period, and it takes
 * fewer readings than it did. */
TEST(after_a_long_pause_the_period_is_known)
{
    for (uint64_t seed = 1; seed <= 2 * SEEDS; ++seed) {
        source s = start(seed % 2 == 0 ? 60 : 144, EVENLY, 3 * MS / 2, seed);
        es_grid grid = found(&s, 1);
        assert_int_equal(grid.state, ES_GRID_LOCKED);
        pause_for(&s, 60);
        es__grid_add(&grid, read_next(&s));
        assert_int_equal(grid.state, ES_GRID_SEARCHING);
        for (int readings = 2; readings <= 13; ++readings) {
            es__grid_add(&grid, read_next(&s));
        }
        assert_int_equal(grid.state, ES_GRID_LOCKED);
        assert_int_equal(grid.locks, 2);
        assert_true(off_ppm(&grid, &s) < 3000);
        add_until(&grid, &s, 75);
        assert_true(off_ppm(&grid, &s) < 30);
        assert_int_equal(grid.locks, 2);
    }
}

/* ---- no grid ---- */

typedef double next_span(test_random *random, double now_ns);

static double about_105_hz(test_random *random, double now_ns)
{
    (void)now_ns;
    return 9.5e6 + chance(random) * 2e6;
}

static double wandering(test_random *random, double now_ns)
{
    (void)random;
    return 13.89e6 + 6.94e6 * sin(now_ns / 1.1e9);
}

static double wandering_slowly(test_random *random, double now_ns)
{
    (void)random;
    return 13.89e6 + 6.94e6 * sin(now_ns / 2.7e9);
}

static double about_60_hz(test_random *random, double now_ns)
{
    (void)now_ns;
    return 1e9 / 60 * (0.98 + chance(random) * 0.04);
}

static double about_144_hz(test_random *random, double now_ns)
{
    (void)now_ns;
    return 1e9 / 144 * (0.98 + chance(random) * 0.04);
}

static double timer(test_random *random, double now_ns)
{
    (void)now_ns;
    return 16.6e6 + waiting(random, 60e3);
}

static double any(test_random *random, double now_ns)
{
    (void)now_ns;
    return 1e6 + chance(random) * 30e6;
}

static double free_running(test_random *random, double now_ns)
{
    (void)now_ns;
    return 0.35e6 + waiting(random, 0.1e6);
}

/* Shares of the time from 2 s to 30 s, in percent. */
typedef struct shares {
    double locked, varies;
} shares;

static shares watch(next_span *span, int64_t announced_ns, bool late)
{
    const es_grid_config config = {.announced_ns = announced_ns};
    shares sum = {0, 0};
    double total_ns = 0;
    for (uint64_t seed = 1; seed <= 2 * SEEDS; ++seed) {
        source s = start(60, USUAL, 0, seed);
        es_grid grid;
        es__grid_init(&grid, &config);
        for (double at_ns = 0; at_ns < 30e9;) {
            double span_ns = span(&s.random, at_ns);
            at_ns += span_ns;
            es__grid_add(&grid, S + (int64_t)(at_ns + (late ? some_lateness(&s) : 0)));
            if (at_ns > 2e9) {
                total_ns += span_ns;
                sum.locked += grid.state == ES_GRID_LOCKED ? span_ns : 0;
                sum.varies += grid.state == ES_GRID_VARIES ? span_ns : 0;
            }
        }
    }
    sum.locked *= 100 / total_ns;
    sum.varies *= 100 / total_ns;
    return sum;
}

/* A variable refresh; a program that paces itself, whose timer is even over a short span; chance. */
TEST(where_there_are_no_refreshes_none_are_found)
{
    static const struct {
        next_span *span;
        int64_t announced_ns;
        bool late;
        double locked_most, varies_least, varies_most;
    } rows[] = {{about_105_hz, 0, false, 2, 95, 100}, {about_105_hz, 0, true, 2, 95, 100},
            {wandering, 0, false, 2, 95, 100}, {wandering, 0, true, 2, 95, 100},
            {wandering_slowly, 0, false, 2, 95, 100}, {wandering_slowly, 0, true, 2, 95, 100},
            {about_60_hz, 16666667, false, 2, 95, 100}, {about_60_hz, 16666667, true, 2, 95, 100},
            {about_144_hz, 0, false, 2, 95, 100}, {about_144_hz, 0, true, 2, 95, 100},
            {timer, 0, false, 3, 95, 100}, {any, 0, false, 1, 0, 1},
            {free_running, 0, false, 1, 0, 100}};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        shares found = watch(rows[i].span, rows[i].announced_ns, rows[i].late);
        if (found.locked > rows[i].locked_most || found.varies < rows[i].varies_least
                || found.varies > rows[i].varies_most) {
            fail_msg("row %d: locked %g %%, varies %g %% of the time", (int)i, found.locked,
                    found.varies);
        }
    }
}

/* The refresh becomes variable, or the program no longer waits for it; and it comes back. */
TEST(a_lock_is_lost_when_there_is_no_grid_any_more)
{
    next_span *const kinds[] = {about_105_hz, any, wandering, about_60_hz};
    for (int i = 0; i < 4; ++i) {
        double locked_ns = 0;
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            source s = start(90, USUAL, 0, seed);
            es_grid grid = found(&s, 10);
            double begin_ns = (double)s.last_ns, at_ns = begin_ns;
            while (at_ns < begin_ns + 10e9) {
                double span_ns = kinds[i](&s.random, at_ns);
                at_ns += span_ns;
                es__grid_add(&grid, (int64_t)at_ns);
                locked_ns += grid.state == ES_GRID_LOCKED ? span_ns : 0;
            }
            s.index = (int64_t)((at_ns - s.phase_ns) / s.period_ns) + 1;
            add_until(&grid, &s, seconds(&s) + 2.5);
            assert_int_equal(grid.state, ES_GRID_LOCKED);
            assert_true(off_ppm(&grid, &s) < 100);
        }
        assert_true(locked_ns < (i < 2 ? 1e9 : 2.5e9) * SEEDS); /* of 10 s each */
    }
}

/* ---- refreshes that walk ---- */

/* A timer that is set anew after each refresh: what one is late by, all after it are. */
typedef struct walker {
    test_random random;
    double least_ns, more_ns; /* from refresh to refresh, evenly */
    double late_ns;           /* readings, up to this */
    int missed_in_1000;
    double at_ns; /* of the newest refresh */
} walker;

static walker walk(double least_ns, double more_ns, double late_ns, uint64_t seed)
{
    walker w = {.random = seeded(seed), .least_ns = least_ns, .more_ns = more_ns};
    w.late_ns = late_ns;
    w.at_ns = 1e9 * (1 + chance(&w.random));
    return w;
}

static double mean_ns(const walker *w)
{
    return w->least_ns + w->more_ns / 2;
}

/* Returns the reading. */
static int64_t walk_next(walker *w)
{
    do {
        w->at_ns += w->least_ns + chance(&w->random) * w->more_ns;
    } while (random_below(&w->random, 1000) < w->missed_in_1000);
    return (int64_t)ceil(w->at_ns + chance(&w->random) * w->late_ns);
}

/* As a caller that knows that it is a display. */
static void add_walking(es_grid *grid, int64_t at_ns)
{
    es__grid_add(grid, at_ns);
    if (grid->state == ES_GRID_VARIES) {
        es__grid_walk(grid);
    }
}

static void walk_until(es_grid *grid, walker *w, double until_s)
{
    while (w->at_ns < until_s * 1e9) {
        add_walking(grid, walk_next(w));
    }
}

typedef struct walk_sum {
    int frames, locked, near, sure, aimed;
    double period_ns, missed_by_ns;
} walk_sum;

/* The predicted next refresh against the true one. */
static void watch_walk(es_grid *grid, walker *w, walk_sum *sum)
{
    int64_t reported_ns = 0, error_ns = 0, reading_ns = 0;
    bool walks = grid->state == ES_GRID_LOCKED && grid->walks && w->missed_in_1000 == 0;
    if (walks) {
        int64_t index = es__grid_index(grid, (int64_t)(w->at_ns + mean_ns(w) / 4)) + 1;
        reported_ns = es__grid_time_ns(grid, index);
        error_ns = es__grid_uncertain_ns(grid, reported_ns);
    }
    reading_ns = walk_next(w);
    if (walks) {
        double off = fabs((double)reported_ns - w->at_ns);
        sum->aimed += 1;
        sum->sure += off <= (double)error_ns;
        sum->missed_by_ns += off;
    }
    add_walking(grid, reading_ns);
    bool locked = grid->state == ES_GRID_LOCKED;
    sum->frames += 1;
    sum->locked += locked;
    sum->near += locked && fabs(grid->period_ns / mean_ns(w) - 1) < 0.005;
    sum->period_ns += locked ? grid->period_ns : 0;
}

static const struct {
    double least_ns, more_ns, late_ns;
    int missed_in_1000;
} walks[] = {{16e6, 0.4e6, 0, 0}, {6e6, 0.5e6, 0, 0}, {16e6, 0.4e6, 0.2e6, 0},
        {6.05e6, 0.3e6, 0.2e6, 0}, {8e6, 0.3e6, 0.1e6, 100}, {4e6, 0.2e6, 0.05e6, 0},
        {32e6, 1e6, 0.3e6, 20}};

enum { WALKS = sizeof walks / sizeof walks[0] };

/* From 6 s on, for 99 % of the time: locked, the period within half a percent, the next refresh within
 * its predicted error. */
TEST(a_walk_is_followed_at_its_mean)
{
    for (int i = 0; i < WALKS; ++i) {
        walk_sum sum = {0};
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            walker w = walk(walks[i].least_ns, walks[i].more_ns, walks[i].late_ns, seed);
            w.missed_in_1000 = walks[i].missed_in_1000;
            es_grid grid;
            es__grid_init(&grid, NULL);
            walk_until(&grid, &w, 6);
            while (w.at_ns < 60e9) {
                watch_walk(&grid, &w, &sum);
            }
        }
        double mean = walks[i].least_ns + walks[i].more_ns / 2;
        double off = fabs(sum.period_ns / sum.locked / mean - 1);
        double most_ns = walks[i].more_ns / 2 + walks[i].late_ns;
        if (sum.locked < 0.99 * sum.frames || sum.near < 0.98 * sum.frames || off > 0.001
                || sum.sure < 0.99 * sum.aimed || sum.missed_by_ns > most_ns * sum.aimed) {
            fail_msg("walk %d: %d frames, %d locked, %d near, off %g; %d of %d sure, by %g us", i,
                    sum.frames, sum.locked, sum.near, off, sum.sure, sum.aimed,
                    sum.missed_by_ns / sum.aimed / 1e3);
        }
    }
}

/* Readings alone do not show a display that drifts: the caller must say so. */
TEST(a_walk_is_no_grid_unless_it_is_said)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        for (int i = 0; i < 2; ++i) {
            walker w = walk(walks[i].least_ns, walks[i].more_ns, 0, seed);
            es_grid grid;
            int locked = 0, frames = 0;
            es__grid_init(&grid, NULL);
            assert_false(es__grid_walk(&grid));
            while (w.at_ns < 30e9) {
                es__grid_add(&grid, walk_next(&w));
                frames += 1;
                locked += grid.state == ES_GRID_LOCKED;
                assert_false(grid.walks);
            }
            assert_true(locked < frames / 10);
        }
        source s = start(60, USUAL, 0, seed);
        es_grid grid;
        es__grid_init(&grid, NULL);
        add_until(&grid, &s, 2);
        es_grid before = grid;
        assert_true(es__grid_walk(&grid)); /* it has a better one */
        assert_memory_equal(&grid, &before, sizeof grid);
    }
}

/* One reading, or two, that are late do not move it. Three do, as after a refresh that was late. */
TEST(one_late_reading_does_not_move_a_walk)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        walker w = walk(16e6, 0.3e6, 0, seed);
        es_grid grid;
        es__grid_init(&grid, NULL);
        walk_until(&grid, &w, 10);
        assert_true(grid.walks);
        for (int late = 1; late <= 3; ++late) {
            for (int i = 0; i < late; ++i) {
                add_walking(&grid, walk_next(&w) + 3 * MS);
            }
            int64_t expected_ns =
                    es__grid_time_ns(&grid, es__grid_index(&grid, (int64_t)w.at_ns + 8 * MS));
            bool moved = fabs((double)expected_ns - w.at_ns - 3e6) < 0.6e6;
            assert_true(moved ? late == 3 : fabs((double)expected_ns - w.at_ns) < 0.6e6);
            walk_until(&grid, &w, w.at_ns / 1e9 + 1);
        }
        assert_true(fabs(grid.period_ns / mean_ns(&w) - 1) < 0.005);
    }
}

/* Another display: a fixed one takes the place of the walk, at the same rate as at another. */
TEST(a_walk_ends_where_a_fixed_grid_begins)
{
    static const double hz[] = {61.73, 60, 50, 75, 144};
    for (int i = 0; i < 5; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            walker w = walk(16e6, 0.4e6, 0, seed);
            es_grid grid;
            es__grid_init(&grid, NULL);
            walk_until(&grid, &w, 6);
            assert_true(grid.walks);
            source s = start(hz[i], USUAL, 0, seed);
            s.phase_ns = w.at_ns;
            double fixed_s = 0;
            while (seconds(&s) < 40) {
                add_walking(&grid, read_next(&s));
                bool fixed = grid.state == ES_GRID_LOCKED && !grid.walks;
                fixed_s = !fixed ? 0 : fixed_s > 0 ? fixed_s : seconds(&s);
            }
            double most_s = i < 2 ? 18 : 2.5; /* where the mean still fits, nothing is in haste */
            if (fixed_s <= 0 || fixed_s > most_s || off_ppm(&grid, &s) > 2) {
                fail_msg("%g Hz, seed %d: fixed after %g s", hz[i], (int)seed, fixed_s);
            }
        }
    }
}

/* Its phase is lost after a pause, but neither its rate nor the order of numbers. */
TEST(a_walk_goes_on_after_a_pause)
{
    static const double pauses_s[] = {0.1, 0.3, 1, 10, 100};
    for (int i = 0; i < 5; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            walker w = walk(6e6, 0.5e6, 0.1e6, seed);
            es_grid grid;
            es__grid_init(&grid, NULL);
            walk_until(&grid, &w, 6);
            assert_true(grid.walks);
            int64_t last = grid.last_index, locks = grid.locks;
            double refreshes = floor(pauses_s[i] * 1e9 / mean_ns(&w));
            w.at_ns += refreshes * mean_ns(&w) + chance(&w.random) * mean_ns(&w);
            for (int k = 0; k < 100; ++k) {
                add_walking(&grid, walk_next(&w));
                assert_int_equal(grid.state, ES_GRID_LOCKED);
                assert_true(grid.last_index > last);
                last = k > 0 ? grid.last_index : last;
                assert_true(fabs(grid.period_ns / mean_ns(&w) - 1) < 0.01);
            }
            assert_true(grid.locks == locks + (i > 1) || i == 1);
            int64_t at_ns = grid.anchor.at_ns;
            es__grid_shift(&grid, 7 * S);
            assert_int_equal(es__grid_time_ns(&grid, grid.anchor.index), at_ns + 7 * S);
            assert_int_equal(es__grid_index(&grid, at_ns + 7 * S), grid.anchor.index);
            es__grid_drop(&grid);
            assert_false(grid.walks);
            assert_int_equal(grid.state, ES_GRID_SEARCHING);
        }
    }
}

/* ---- announcements ---- */

typedef struct trial {
    int64_t locks;
    double locked_s; /* on the right rate, and it stays so */
    double ppm;      /* in the end */
} trial;

static trial try_announced(source s, double announced_hz)
{
    trial t = {.locked_s = 1e9};
    es_grid grid;
    es_grid_config config = {0};
    if (announced_hz > 0) {
        config.announced_ns = (int64_t)(1e9 / announced_hz + 0.5);
    }
    es__grid_init(&grid, &config);
    while (seconds(&s) < 12) {
        es__grid_add(&grid, read_next(&s));
        bool right = grid.state == ES_GRID_LOCKED && off_ppm(&grid, &s) < 5000;
        t.locked_s = !right ? 1e9 : t.locked_s > 1e8 ? seconds(&s) : t.locked_s;
    }
    t.locks = grid.locks;
    t.ppm = off_ppm(&grid, &s);
    return t;
}

TEST(a_lying_announcement_costs_nothing)
{
    static const double true_hz[] = {40, 60, 62, 75, 59.94, 120, 30, 50, 144};
    static const double announced_hz[] = {60, 120, 59.94, 30, 75, 1000, 1e9, 1};
    for (int i = 0; i < 9; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            source s = start(true_hz[i], seed % 2 == 0 ? USUAL : EVENLY, MS, seed);
            trial unknown = try_announced(s, 0);
            for (int k = 0; k < 8; ++k) {
                trial announced = try_announced(s, announced_hz[k]);
                assert_int_equal(announced.locks, unknown.locks);
                assert_true(announced.locked_s <= unknown.locked_s);
                assert_true(announced.ppm < 20);
            }
            if (s.late == USUAL) { /* a true one helps */
                trial announced = try_announced(s, true_hz[i]);
                assert_true(announced.locked_s < 0.7 * unknown.locked_s);
                assert_int_equal(announced.locks, unknown.locks);
            }
        }
    }
}

/* ---- how sure it is ---- */

typedef struct sureness {
    int cases, within;
    double ratios[20000];
} sureness;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The predicted error of a refresh this much later than the newest reading. */
static void ask_how_sure(const es_grid *grid, source s, double later_s, sureness *sure)
{
    pause_for(&s, later_s);
    double true_ns = edge_ns(&s, s.index);
    double error_ns = (double)es__grid_uncertain_ns(grid, (int64_t)true_ns);
    if (error_ns < s.period_ns / 3) {
        double off = fabs(off_ns(grid, &s, s.index));
        sure->ratios[sure->cases] = error_ns / (off + 1);
        sure->cases += 1;
        sure->within += off <= error_ns;
    }
}

TEST(it_knows_how_far_off_it_may_be)
{
    static const double ages_s[] = {1, 1.5, 2, 5, 10, 20}, later_s[] = {0, 0.02, 0.3, 3, 30};
    static const double hz[] = {24, 60, 144, 240};
    static const int64_t late_ns[] = {0, MS / 10, 3 * MS / 2};
    static sureness sure, by_later[5];
    for (int i = 0; i < 4 * 3; ++i) {
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            source s = start(hz[i % 4], i / 4 == 0 ? USUAL : EVENLY, late_ns[i / 4], seed);
            es_grid grid = found(&s, 0);
            for (int age = 0; age < 6; ++age) {
                add_until(&grid, &s, ages_s[age]);
                for (int k = 0; k < 5; ++k) {
                    ask_how_sure(&grid, s, later_s[k], k < 3 ? &sure : &by_later[k]);
                }
            }
            assert_true(grid.uncertain_ppm >= off_ppm(&grid, &s) || seed > 2);
        }
    }
    sureness *const all[] = {&sure, &by_later[3], &by_later[4]};
    for (int i = 0; i < 3; ++i) {
        qsort(all[i]->ratios, (size_t)all[i]->cases, sizeof(double), compare);
        double within = 100.0 * all[i]->within / all[i]->cases;
        double ratio = all[i]->ratios[all[i]->cases / 2];
        if (all[i]->cases < 1000 || within < 99 || ratio > 20) {
            fail_msg("%d: %d cases, %g %% within, %g times", i, all[i]->cases, within, ratio);
        }
    }
}

/* ---- what the caller reports ---- */

TEST(all_the_past_is_moved)
{
    static const int64_t by_ns[] = {1, -1, 7 * S + 12345, -3600 * S, INT64_C(1) << 60};
    for (int i = 0; i < 5; ++i) {
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            source s = start(60, USUAL, 0, seed);
            es_grid grid = found(&s, seed % 3 == 0 ? 0.1 : 9); /* searching, or locked */
            es_grid moved = grid;
            es__grid_shift(&moved, by_ns[i]);
            for (int k = 0; k < 1000; ++k) {
                int64_t at_ns = read_next(&s);
                es__grid_add(&grid, at_ns);
                es__grid_add(&moved, at_ns + by_ns[i]);
                assert_int_equal(moved.state, grid.state);
                assert_int_equal(moved.locks, grid.locks);
                assert_true(fabs(moved.period_ns - grid.period_ns) < 1e-6);
                int64_t index = es__grid_index(&grid, at_ns);
                assert_int_equal(es__grid_index(&moved, at_ns + by_ns[i]), index);
                if (grid.state == ES_GRID_LOCKED) {
                    assert_int_equal(es__grid_time_ns(&moved, index),
                            es__grid_time_ns(&grid, index) + by_ns[i]);
                }
            }
            assert_int_equal(grid.locks, 1);
        }
    }
}

/* The caller's refreshes replace the grid, exactly; readings go on from there and correct it. */
TEST(it_can_be_steered)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        source s = start(75, EVENLY, MS, seed);
        es_grid grid = found(&s, 0);
        assert_false(es__grid_steer(&grid, 5, 7 * S, s.period_ns));
        assert_int_equal(grid.state, ES_GRID_SEARCHING);
        add_until(&grid, &s, 5);
        const es_grid before = grid;
        assert_false(es__grid_steer(&grid, 5, 7 * S, 0.9e6));
        assert_false(es__grid_steer(&grid, 5, 7 * S, 101e6));
        assert_false(es__grid_steer(&grid, 5, 7 * S, NAN));
        assert_memory_equal(&grid, &before, sizeof grid);
        double period_ns = s.period_ns * (1 + 3e-4);
        int64_t index = es__grid_index(&grid, s.last_ns);
        int64_t at_ns = es__grid_time_ns(&grid, index);
        for (int i = 1; i <= 40; ++i) { /* without readings, which is no pause */
            int64_t line_ns = at_ns + (int64_t)(i * period_ns);
            assert_true(es__grid_steer(&grid, index + i, line_ns, period_ns));
            assert_int_equal(es__grid_time_ns(&grid, index + i), line_ns);
            assert_int_equal(es__grid_index(&grid, line_ns), index + i);
            assert_true(fabs(grid.period_ns - period_ns) < 1e-6);
            assert_in_range(es__grid_uncertain_ns(&grid, line_ns), 1, MS);
            int64_t later_ns = es__grid_uncertain_ns(&grid, line_ns + 100 * S);
            assert_true(later_ns > es__grid_uncertain_ns(&grid, line_ns) + MS);
        }
        int64_t shifted_ns = es__grid_time_ns(&grid, index) + 3 * MS;
        es__grid_shift(&grid, 3 * MS);
        assert_int_equal(es__grid_time_ns(&grid, index), shifted_ns);
        es__grid_shift(&grid, -3 * MS);
        s.index += 40;
        for (int i = 0; i < 1500; ++i) {
            es__grid_add(&grid, read_next(&s));
            assert_int_equal(grid.state, ES_GRID_LOCKED);
            assert_int_equal(grid.locks, before.locks);
            assert_true(off_ppm(&grid, &s) < 1000);
        }
        assert_true(off_ppm(&grid, &s) < 100);
        assert_true(fabs(off_ns(&grid, &s, s.index)) < 0.3 * MS);
    }
}

/* After minutes of steering, later readings count and earlier ones do not. */
TEST(what_is_steered_is_not_lost_again)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        source s = start(75, EVENLY, MS, seed);
        es_grid grid = found(&s, 5);
        const int64_t locks = grid.locks;
        source t = go_over(&s, 75 * (1 + 2e-4), 0);
        int64_t index = es__grid_index(&grid, (int64_t)edge_ns(&t, 0));
        for (t.index = 0; t.index < 75 * 60; ++t.index) { /* and is nearly a refresh off by then */
            int64_t middle_ns = (int64_t)edge_ns(&t, t.index) + MS / 2;
            assert_true(es__grid_steer(&grid, index + t.index, middle_ns, t.period_ns));
        }
        for (int i = 0; i < 300; ++i) {
            es__grid_add(&grid, read_next(&t));
            assert_int_equal(grid.state, ES_GRID_LOCKED);
            assert_int_equal(grid.locks, locks);
            assert_int_equal(
                    es__grid_index(&grid, (int64_t)edge_ns(&t, t.index) + 2 * MS), index + t.index);
            assert_true(off_ppm(&grid, &t) < 300);
            assert_true(fabs(off_ns(&grid, &t, t.index)) < 0.7 * MS);
        }
    }
}

TEST(a_lock_is_dropped_and_the_period_tried_first)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        source s = start(60, USUAL, 0, seed);
        es_grid grid = found(&s, 0);
        es__grid_drop(&grid);
        add_until(&grid, &s, 5);
        assert_int_equal(grid.state, ES_GRID_LOCKED);
        es__grid_drop(&grid);
        assert_int_equal(grid.state, ES_GRID_SEARCHING);
        assert_true(grid.period_ns == 0);
        assert_int_equal(grid.readings, 0);
        assert_int_equal(es__grid_index(&grid, s.last_ns), 0);
        assert_int_equal(es__grid_time_ns(&grid, 5), 0);
        assert_int_equal(es__grid_uncertain_ns(&grid, s.last_ns), 0);
        source t = go_over(&s, 60, 1.5);
        for (int readings = 0; readings < 9; ++readings) {
            es__grid_add(&grid, read_next(&t));
        }
        assert_int_equal(grid.state, ES_GRID_LOCKED);
        assert_int_equal(grid.locks, 2);
        add_until(&grid, &t, 5);
        assert_true(off_ppm(&grid, &t) < 5);
        assert_int_equal(grid.locks, 2);
    }
}

/* Without a report that the clock was set back. */
TEST(a_clock_that_was_set_back_is_accepted_after_eight_readings)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        source s = start(60, USUAL, 0, seed);
        es_grid grid = found(&s, 10);
        es_grid before = grid;
        es__grid_add(&grid, s.last_ns);
        es__grid_add(&grid, s.last_ns - 1);
        es__grid_add(&grid, 5);
        before.backward = grid.backward;
        before.backward_ns = grid.backward_ns;
        assert_memory_equal(&grid, &before, sizeof grid); /* those are passed over */
        source t = go_over(&s, 60, 1.37);
        t.phase_ns -= 3600e9;
        t.last_ns = INT64_MIN;
        add_until(&grid, &t, 0.5);
        assert_int_equal(grid.state, ES_GRID_LOCKED);
        assert_int_equal(grid.locks, 2);
        assert_true(fabs(off_ns(&grid, &t, t.index)) < 30e3);
        assert_true(off_ppm(&grid, &t) < 5);
    }
}

/* ---- numbers ---- */

TEST(indices_and_times_go_together)
{
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        source s = start(rates_hz[seed % RATES], USUAL, 0, seed);
        es_grid grid = found(&s, 5);
        int64_t now = es__grid_index(&grid, s.last_ns);
        assert_true(es__grid_time_ns(&grid, now) <= s.last_ns);
        assert_true(es__grid_time_ns(&grid, now + 1) > s.last_ns);
        for (int i = 0; i < 2000; ++i) {
            int64_t index = now + random_below(&s.random, 2000000) - 1000000;
            int64_t at_ns = es__grid_time_ns(&grid, index);
            assert_int_equal(es__grid_index(&grid, at_ns), index);
            assert_int_equal(es__grid_index(&grid, at_ns - 1), index - 1);
        }
        assert_int_equal(es__grid_time_ns(&grid, INT64_MAX), INT64_MAX);
        assert_int_equal(es__grid_time_ns(&grid, INT64_MIN), INT64_MIN);
        assert_true(es__grid_index(&grid, INT64_MAX) > now);
        assert_true(es__grid_index(&grid, INT64_MIN) < now);
        assert_true(es__grid_uncertain_ns(&grid, INT64_MAX) > 0);
        assert_true(es__grid_uncertain_ns(&grid, INT64_MIN) > 0);
    }
}

/* After years of uptime, and 20 minutes of running, times are as exact. */
TEST(it_does_not_wear_out)
{
    for (int i = 0; i < 2; ++i) {
        source s = start(143.98, USUAL, 0, 3);
        es_grid grid = found(&s, 0);
        int64_t uptime_ns = i == 0 ? INT64_C(9000000000000000000) : -INT64_C(9000000000000000000);
        while (seconds(&s) < 1200) {
            es__grid_add(&grid, read_next(&s) + uptime_ns);
            if (seconds(&s) > 10 && s.index % 1024 == 0) {
                double off = off_ppm(&grid, &s);
                assert_true(off < 0.5);
            }
        }
        assert_int_equal(grid.locks, 1);
        int64_t edge = (int64_t)edge_ns(&s, s.index);
        int64_t index = es__grid_index(&grid, edge + 1000000 + uptime_ns);
        assert_true(fabs((double)(es__grid_time_ns(&grid, index) - uptime_ns - edge)) < 5e3);
    }
}

static void check_sane(const es_grid *grid)
{
    bool locked = grid->state == ES_GRID_LOCKED;
    assert_true(locked || grid->state == ES_GRID_SEARCHING || grid->state == ES_GRID_VARIES);
    assert_true(locked ? grid->period_ns > 0 && grid->period_ns < 1e9 : grid->period_ns == 0);
    assert_true(grid->late_ns >= 0 && grid->spread_ns >= grid->late_ns);
    assert_true(grid->uncertain_ppm >= 0);
}

/* Any times: equal, backward, huge; also while locked. */
TEST(nonsense_does_no_harm)
{
    for (uint64_t seed = 1; seed <= 40 * SEEDS; ++seed) {
        source s = start(rates_hz[seed % RATES], EVENLY, MS, seed);
        es_grid grid;
        const es_grid_config config = {.announced_ns = random_magnitude(&s.random) & INT64_MAX};
        es__grid_init(&grid, &config);
        for (int i = 0; i < 600; ++i) {
            int64_t at_ns = read_next(&s);
            switch (random_below(&s.random, seed % 2 == 0 ? 12 : 400)) {
            case 0:
                at_ns = (int64_t)random_u64(&s.random);
                break;
            case 1:
                at_ns -= random_magnitude(&s.random) & INT64_MAX;
                break;
            case 2:
                at_ns = seed % 3 == 0 ? INT64_MAX : INT64_MIN;
                break;
            case 3:
                es__grid_shift(&grid, (int64_t)random_u64(&s.random));
                break;
            case 4:
                pause_for(&s, (double)random_below(&s.random, 20));
                break;
            case 5:
                es__grid_drop(&grid);
                break;
            case 6:
                es__grid_walk(&grid);
                break;
            case 7:
                es__grid_steer(&grid, (int64_t)random_u64(&s.random),
                        (int64_t)random_u64(&s.random),
                        random_below(&s.random, 3) == 0 ? -1.0 : s.period_ns);
                break;
            default:
                break;
            }
            es__grid_add(&grid, at_ns);
            check_sane(&grid);
            es__grid_time_ns(&grid, (int64_t)random_u64(&s.random));
            es__grid_index(&grid, (int64_t)random_u64(&s.random));
            es__grid_uncertain_ns(&grid, (int64_t)random_u64(&s.random));
        }
    }
}

TEST(bad_arguments_are_refused)
{
    es_grid grid;
    const es_grid_config bad = {.announced_ns = -1};
    assert_int_equal(es__grid_init(NULL, NULL), ES_ERR_INVALID);
    assert_int_equal(es__grid_init(&grid, &bad), ES_ERR_INVALID);
    assert_int_equal(es__grid_init(&grid, NULL), ES_OK);
    assert_int_equal(grid.state, ES_GRID_SEARCHING);
    assert_int_equal(es__grid_index(&grid, 5), 0);
    assert_int_equal(es__grid_time_ns(&grid, 5), 0);
    assert_int_equal(es__grid_uncertain_ns(&grid, 5), 0);
    assert_true(sizeof grid < 4096);
}

TEST_MAIN("grid", NULL)
