/* SPDX-License-Identifier: Zlib
 *
 * slice: shares that end exactly at their tick, counts, budgets, deadlines, and several slices that
 * share one budget.
 */
#include "slice_support.h"

TEST(bad_configurations_are_refused)
{
    static const struct {
        es_slice_config config;
        const char *field;
    } bad[] = {
            {{.method = (es_slice_method)3}, "method"},
            {{.method = ES_SLICE_BUDGET, .where = (es_slice_where)2}, "where"},
            {{.method = ES_SLICE_BUDGET, .late = (es_slice_late)2}, "late"},
            {{.method = ES_SLICE_BUDGET, .count = 1}, "count"},
            {{.method = ES_SLICE_COUNT, .count = 0}, "count"},
            {{.method = ES_SLICE_COUNT, .count = ES__SLICE_ITEMS_MAX + 1}, "count"},
    };
    es_slices set;
    es__slice slices[2];
    es__error error;
    for_rows (i, bad) {
        es_slice_config configs[2] = {{0}, bad[i].config};
        assert_int_equal(es__slices_init(&set, slices, configs, 2, &error), ES_ERR_INVALID);
        assert_string_equal(error.field, bad[i].field);
        assert_non_null(error.reason);
        assert_int_equal(es__slices_init(&set, slices, configs, 2, NULL), ES_ERR_INVALID);
        assert_int_equal(es__slices_init(&set, slices, configs, 1, &error), ES_OK);
        assert_null(error.field);
    }
    assert_int_equal(es__slices_init(&set, slices, NULL, 1, &error), ES_ERR_INVALID);
}

TEST(bad_jobs_are_refused)
{
    const es_slice_job bad[] = {job_of(5, 6, 0), job_of(5, 6, ES__SLICE_ITEMS_MAX + 1),
            job_of(6, 6, 1), job_of(0, ES__SLICE_TICKS_MAX + 1, 1),
            job_of(INT64_MIN, INT64_MAX, 1)};
    const es_slice_job good = job_of(INT64_MAX - 1, INT64_MAX, ES__SLICE_ITEMS_MAX);
    es_slices set;
    es__slice slices[1];
    start_set(&set, slices, (es_slice_config){0});
    for_rows (i, bad) {
        assert_false(es_slices_begin(&set, 0, &bad[i]));
    }
    assert_false(es_slices_begin(&set, 1, &good));
    assert_false(es_slices_begin(&set, -1, &good));
    assert_false(es_slices_begin(&set, 0, NULL));
    assert_true(es_slices_begin(&set, 0, &good));
    assert_false(es_slices_begin(&set, 0, &good));
    assert_false(is_done(&set, 0));
    assert_int_equal(figures_of(&set, 1).jobs, 0);
    assert_false(is_done(&set, 1));
}

/* Runs the open slot, without a clock; returns the items of one slice. */
static int32_t run_slot(es_slices *set, int32_t slice, bool *forced)
{
    es_slice_grant grant;
    int32_t items = 0;
    while (es_slices_next(set, 0, &grant)) {
        items += grant.slice == slice ? grant.items : 0;
        if (forced != NULL && grant.slice == slice) {
            *forced = *forced || set->last_forced;
        }
    }
    assert_false(es_slices_next(set, 0, &grant));
    return items;
}

TEST(shares_are_even_and_exact)
{
    test_random random = {5};
    for (int round = 0; round < 3000; ++round) {
        es_slices set;
        es__slice slices[1];
        int64_t begin = random_below(&random, 1000) - 500;
        int64_t ticks = 1 + random_below(&random, 40);
        int32_t items = 1 + (int32_t)random_below(&random, round % 3 == 0 ? 10 : 100000);
        int64_t done = 0;
        bool forced = false;
        start_set(&set, slices, (es_slice_config){0});
        begin_job(&set, 0, job_of(begin, begin + ticks, items));
        for (int64_t k = 0; k <= ticks; ++k) {
            es_slices_open_tick(&set, begin + k, 0, 0);
            done += run_slot(&set, 0, &forced);
            assert_int_equal(done, items * k / ticks);
            assert_int_equal(is_done(&set, 0), done == items);
            assert_int_equal(figures_of(&set, 0).items, done);
            assert_int_equal(figures_of(&set, 0).running, done < items);
            assert_int_equal(figures_of(&set, 0).left, items - done);
        }
        slice_figures status = figures_of(&set, 0);
        assert_false(forced);
        assert_int_equal(status.forced_items + status.forced_jobs + status.missed, 0);
        assert_int_equal(status.jobs, 1);
        assert_true(status.most <= items / ticks + 1);
        assert_true(status.most >= items / ticks);
    }
}

TEST(the_largest_shares_do_not_overflow)
{
    es_slices set;
    es__slice slices[1];
    test_random random = {7};
    start_set(&set, slices, (es_slice_config){0});
    begin_job(&set, 0, job_of(0, ES__SLICE_TICKS_MAX, ES__SLICE_ITEMS_MAX));
    int64_t tick = 0;
    int64_t done = 0;
    while (tick < ES__SLICE_TICKS_MAX - 1) {
        tick += 1 + random_below(&random, 10000000);
        tick = tick < ES__SLICE_TICKS_MAX ? tick : ES__SLICE_TICKS_MAX - 1;
        es_slices_open_tick(&set, tick, 0, 0);
        done += run_slot(&set, 0, NULL);
        assert_int_equal(done, tick);
    }
    es_slices_open_tick(&set, ES__SLICE_TICKS_MAX + 5, 0, 0);
    assert_int_equal(run_slot(&set, 0, NULL), 1);
    assert_true(is_done(&set, 0));
}

/* Any number of frames per tick, or of ticks per frame, and a frame rate that changes. */
TEST(shares_by_frames_are_done_by_their_tick)
{
    test_random random = {11};
    for (int round = 0; round < 2000; ++round) {
        es_slices set;
        es__slice slices[1];
        int64_t ticks = 1 + random_below(&random, 20);
        int32_t items = 1 + (int32_t)random_below(&random, 500);
        int64_t done = 0;
        int64_t at = 0; /* in thousandths of a tick */
        int64_t before = 0;
        int64_t tick = 0;
        bool forced = false;
        start_set(&set, slices, (es_slice_config){.where = ES_SLICE_FRAMES});
        begin_job(&set, 0, job_of(0, ticks, items));
        while (tick < ticks) {
            at += 1 + random_below(&random, round % 2 == 0 ? 300 : 4000);
            for (; tick < ticks && at > (tick + 1) * 1000; ++tick) {
                es_slices_open_tick(&set, tick + 1, 0, 0);
                int32_t ran = run_slot(&set, 0, &forced);
                assert_int_equal(ran, tick + 1 == ticks ? items - done : 0);
                done += ran;
            }
            if (tick < ticks) {
                es_frame frame = frame_at(tick, at - tick * 1000, 1000);
                es_slices_open_frame(&set, &frame, 0, 0);
                int32_t ran = run_slot(&set, 0, &forced);
                done += ran;
                int64_t exact = items * at; /* in thousandths of a tick's share */
                assert_true(done * ticks * 1000 <= exact + ticks * 1000);
                assert_true((done + 1) * ticks * 1000 > exact - 1);
                assert_true(ran <= items * (at - before) / (ticks * 1000) + 2);
                before = at;
            }
        }
        assert_int_equal(done, items);
        assert_false(forced);
    }
}

TEST(counts_force_what_is_left)
{
    test_random random = {13};
    for (int round = 0; round < 2000; ++round) {
        es_slices set;
        es__slice slices[1];
        es_slice_job job = job_of(100, 101 + random_below(&random, 12), 1);
        int64_t slots = job.due_tick - job.begin_tick;
        job.items = 1 + (int32_t)random_below(&random, 200);
        int32_t count = 1 + (int32_t)random_below(&random, 40);
        start_set(&set, slices,
                (es_slice_config){.method = ES_SLICE_COUNT,
                        .late = (es_slice_late)(round % 2),
                        .count = count});
        begin_job(&set, 0, job);
        int64_t left = job.items;
        for (int64_t tick = 101; tick <= job.due_tick; ++tick) {
            bool forced = false;
            int64_t ran = count < left ? count : left;
            es_slices_open_tick(&set, tick, 0, 1);
            bool forces = tick == job.due_tick && left > ran;
            assert_int_equal(run_slot(&set, 0, &forced), forces ? left : ran);
            assert_int_equal(forced, forces);
            left -= forces ? left : ran;
        }
        slice_figures status = figures_of(&set, 0);
        int64_t over = job.items - slots * count;
        assert_int_equal(status.forced_items, over > 0 ? over : 0);
        assert_int_equal(status.forced_jobs, over > 0);
        assert_int_equal(status.missed, 0);
        assert_int_equal(status.jobs, 1);
        assert_true(is_done(&set, 0));
    }
}

/* --- budgets: items that take time on a clock of their own ------------------------------------ */

typedef struct bench {
    es_slices set;
    es__slice slices[8];
    int64_t now_ns;
    int64_t cost_ns[8];
    int32_t ran[8]; /* of the last slot */
    int32_t grants;
    int64_t took_ns; /* the last slot */
    bool forced;
} bench;

static void start_bench(bench *b, const es_slice_config *configs, int32_t count)
{
    memset(b, 0, sizeof *b);
    b->now_ns = 1000 * MS;
    assert_int_equal(es__slices_init(&b->set, b->slices, configs, count, NULL), ES_OK);
}

/* One slice by budget, whose items cost this, with work for all time. */
static void start_endless(bench *b, int64_t cost_ns)
{
    es_slice_config config = by_budget(ES_SLICE_FORCE);
    start_bench(b, &config, 1);
    b->cost_ns[0] = cost_ns;
    begin_job(&b->set, 0, job_of(0, 100000, ES__SLICE_ITEMS_MAX));
}

static void run_budget(bench *b, int64_t tick, int64_t budget_ns)
{
    es_slice_grant grant;
    int64_t begin_ns = b->now_ns;
    memset(b->ran, 0, sizeof b->ran);
    b->grants = 0;
    b->forced = false;
    es_slices_open_tick(&b->set, tick, b->now_ns, budget_ns);
    while (es_slices_next(&b->set, b->now_ns, &grant)) {
        assert_true(grant.items > 0);
        b->ran[grant.slice] += grant.items;
        b->grants += 1;
        b->forced = b->forced || b->set.last_forced;
        b->now_ns += grant.items * b->cost_ns[grant.slice];
    }
    b->took_ns = b->now_ns - begin_ns;
}

TEST(a_budget_is_used_and_kept)
{
    const int64_t costs_ns[] = {3, 100, 7 * US, 300 * US, 990 * US};
    for_rows (i, costs_ns) {
        bench b;
        start_endless(&b, costs_ns[i]);
        for (int64_t tick = 1; tick < 60; ++tick) {
            run_budget(&b, tick, 2 * MS);
            assert_true(b.took_ns <= 2 * MS);
            assert_true(b.grants <= 40);
            if (tick >= 30) { /* the cost is known */
                assert_true(b.took_ns + b.cost_ns[0] + 2 * MS / 20 > 2 * MS);
                int64_t off_ns = figures_of(&b.set, 0).cost_ns - b.cost_ns[0];
                assert_in_range(off_ns + 1, 0, 1 + b.cost_ns[0] / 100);
                assert_true(b.grants <= 20);
            }
            assert_false(b.forced);
        }
        run_budget(&b, 60, 0);
        assert_int_equal(b.ran[0], 0);
        run_budget(&b, 61, -5);
        assert_int_equal(b.ran[0], 0);
    }
}

/* A stall while items run is not their cost; but items that cost more are noticed. */
TEST(one_stall_teaches_little)
{
    bench b;
    start_endless(&b, 10 * US);
    for (int64_t tick = 1; tick < 50; ++tick) {
        run_budget(&b, tick, MS);
    }
    es_slice_grant grant;
    es_slices_open_tick(&b.set, 50, b.now_ns, MS);
    assert_true(es_slices_next(&b.set, b.now_ns, &grant));
    b.now_ns += 40 * MS; /* the thread did not run */
    assert_false(es_slices_next(&b.set, b.now_ns, &grant));
    assert_in_range(figures_of(&b.set, 0).cost_ns, 10 * US, 14 * US);
    for (int64_t tick = 51; tick < 56; ++tick) {
        run_budget(&b, tick, MS);
        assert_true(b.ran[0] > 10);
    }
    b.cost_ns[0] = 100 * US;
    int64_t worst_ns = 0;
    for (int64_t tick = 56; tick < 70; ++tick) {
        run_budget(&b, tick, MS);
        worst_ns = tick > 57 && b.took_ns > worst_ns ? b.took_ns : worst_ns;
    }
    assert_true(worst_ns <= MS);
    assert_in_range(figures_of(&b.set, 0).cost_ns, 80 * US, 105 * US);
    es_slices_open_tick(&b.set, 70, b.now_ns, MS); /* and a clock that goes back teaches nothing */
    int64_t cost_ns = figures_of(&b.set, 0).cost_ns;
    assert_true(es_slices_next(&b.set, b.now_ns, &grant));
    b.now_ns -= 5 * MS;
    assert_true(es_slices_next(&b.set, b.now_ns, &grant));
    assert_int_equal(figures_of(&b.set, 0).cost_ns, cost_ns);
    b.now_ns += grant.items * 100 * US; /* nor are its items counted with the next */
    es_slices_next(&b.set, b.now_ns, &grant);
    assert_in_range(figures_of(&b.set, 0).cost_ns, cost_ns, 100 * US);
}

/* A clock too coarse for a few items measures them together. */
TEST(items_that_take_no_time_are_measured_with_the_next)
{
    bench b;
    es_slice_grant grant;
    start_endless(&b, 0);
    es_slices_open_tick(&b.set, 1, 0, MS);
    for (int i = 0; i < 4; ++i) {
        assert_true(es_slices_next(&b.set, 0, &grant));
        assert_int_equal(grant.items, 1);
    }
    es_slices_next(&b.set, 40 * US, &grant);
    assert_int_equal(figures_of(&b.set, 0).cost_ns, 10 * US);
}

/* What is left at its tick runs, however long it takes, and is reported. */
TEST(deadlines_are_kept)
{
    for (int late = ES_SLICE_FORCE; late <= ES_SLICE_EVEN; ++late) {
        bench b;
        es_slice_config config = by_budget((es_slice_late)late);
        int32_t done = 0;
        int32_t over = 0;
        int32_t most = 0;
        start_bench(&b, &config, 1);
        b.cost_ns[0] = 100 * US;
        begin_job(&b.set, 0, job_of(0, 10, 200)); /* 20 ms of work; there is time for 10 */
        for (int64_t tick = 1; tick <= 10; ++tick) {
            run_budget(&b, tick, MS);
            done += b.ran[0];
            over += b.forced;
            most = b.ran[0] > most ? b.ran[0] : most;
            if (late == ES_SLICE_EVEN) {
                assert_true(done >= 20 * tick && done <= 20 * tick + 1);
            } else if (tick < 10) {
                assert_true(b.ran[0] <= 10);
            }
        }
        slice_figures status = figures_of(&b.set, 0);
        assert_int_equal(status.most, most);
        assert_int_equal(status.missed, 0);
        assert_true(is_done(&b.set, 0));
        assert_int_equal(done, 200);
        assert_int_equal(status.forced_jobs, 1);
        assert_in_range(status.forced_items, 100, 135);
        assert_int_equal(over > 1, late == ES_SLICE_EVEN);
        assert_true(late == ES_SLICE_EVEN ? most <= 21 : most > 90);
    }
}

/* A slot that was skipped, or left before it was done, is reported; the next one forces. */
TEST(a_missed_deadline_is_reported_and_forced)
{
    bench b;
    es_slice_grant grant;
    es_slice_config config = by_budget(ES_SLICE_FORCE);
    start_bench(&b, &config, 1);
    begin_job(&b.set, 0, job_of(0, 10, 200));
    es_slices_open_tick(&b.set, 10, 0, 0); /* never asked */
    es_slices_open_tick(&b.set, 15, 0, 0);
    assert_int_equal(figures_of(&b.set, 0).missed, 1);
    assert_true(es_slices_next(&b.set, 0, &grant));
    assert_int_equal(grant.items, 200);
    assert_true(b.set.last_forced);
    assert_false(es_slices_next(&b.set, 0, &grant));
    assert_true(is_done(&b.set, 0));
    assert_int_equal(figures_of(&b.set, 0).missed, 1);
}

/* First counts, then even shares by priority, then the rest. */
TEST(slices_share_a_budget_by_priority)
{
    bench b;
    es_slice_config configs[4] = {by_budget(ES_SLICE_FORCE), by_budget(ES_SLICE_FORCE),
            by_budget(ES_SLICE_FORCE), {.method = ES_SLICE_COUNT, .count = 5}};
    start_bench(&b, configs, 4);
    for (int32_t i = 0; i < 4; ++i) {
        b.cost_ns[i] = 20 * US; /* 10, 20, 10 items at each tick */
        begin_job(&b.set, i, job_of(0, 1000, i == 1 ? 20000 : 10000));
    }
    for (int64_t tick = 1; tick < 30; ++tick) { /* what is left goes to the first */
        run_budget(&b, tick, 2 * MS);
        assert_int_equal(b.ran[3], 5);
    }
    assert_in_range(b.ran[0] + b.ran[1] + b.ran[2], 94, 95);
    assert_true(b.ran[0] >= 60);
    assert_in_range(b.ran[1], 19, 21);
    assert_in_range(b.ran[2], 9, 11);
    /* the first is far ahead by now, so a short slot goes to the others' paces */
    run_budget(&b, 30, 700 * US);
    assert_int_equal(b.ran[3], 5);
    assert_in_range(b.ran[1], 19, 21);
    assert_in_range(b.ran[2], 8, 11);
    assert_true(b.ran[0] <= 3);
    run_budget(&b, 31, 420 * US);
    assert_in_range(b.ran[1], 14, 16);
    assert_int_equal(b.ran[0] + b.ran[2], 0);
}

/* The first one's even share takes all time. Slots without time do not count. */
TEST(a_budget_that_gets_no_time_has_an_item_after_16_slots)
{
    bench b;
    es_slice_config configs[2] = {by_budget(ES_SLICE_FORCE), by_budget(ES_SLICE_EVEN)};
    start_bench(&b, configs, 2);
    b.cost_ns[0] = 20 * US;
    b.cost_ns[1] = 2 * MS;
    begin_job(&b.set, 0, job_of(0, 100000, ES__SLICE_ITEMS_MAX));
    begin_job(&b.set, 1, job_of(0, 100000, 1000));
    int64_t waited = -1; /* its cost is not known yet */
    for (int64_t tick = 1; tick < 90; ++tick) {
        run_budget(&b, tick, 0);
        run_budget(&b, tick, MS);
        assert_true(b.ran[1] <= 1);
        assert_int_equal(b.ran[1] == 1, waited < 0 ? b.ran[1] == 1 : waited == 16);
        waited = b.ran[1] == 1 ? 0 : waited + (waited >= 0);
        assert_int_equal(figures_of(&b.set, 1).waited, waited > 0 ? waited : 0);
    }
    assert_in_range(figures_of(&b.set, 1).items, 5, 6);
}

/* Where no other slice can take time, its even share and the work ahead are one grant. Not where
 * another needs its share first, nor where being behind would be forced. */
TEST(a_single_budget_needs_one_grant)
{
    bench b;
    es_slice_config configs[2] = {by_budget(ES_SLICE_FORCE), by_budget(ES_SLICE_FORCE)};
    for (int32_t running = 1; running <= 3; ++running) {
        configs[0].late = running < 3 ? ES_SLICE_FORCE : ES_SLICE_EVEN;
        start_bench(&b, configs, 2);
        b.cost_ns[0] = b.cost_ns[1] = US;
        for (int64_t tick = 0; tick < 3; ++tick) { /* in the last, what items cost is known */
            es_slice_job job = job_of(tick, tick + 10, 100);
            begin_job(&b.set, 0, job);
            if (running == 2) {
                begin_job(&b.set, 1, job);
            }
            run_budget(&b, tick + 1, 2 * MS);
            assert_int_equal(b.ran[0], 100);
            assert_int_equal(b.ran[1], running == 2 ? 100 : 0);
            assert_false(b.forced);
        }
        assert_int_equal(b.grants, running == 1 ? 1 : running == 2 ? 4 : 2);
    }
}

/* --- jobs of unknown length ------------------------------------------------------------------- */

/* 40 items in 4 ticks, as a guess. */
static const es_slice_job open_job = {0, 4, 40, true};

static void check_next(es_slices *set, int32_t first, int32_t items, bool forced)
{
    es_slice_grant grant;
    assert_true(es_slices_next(set, 0, &grant));
    assert_int_equal(grant.first, first);
    assert_int_equal(grant.items, items);
    assert_int_equal(set->last_forced, forced);
}

TEST(a_job_of_unknown_length_may_end_early)
{
    es_slices set;
    es__slice slices[1];
    es_slice_grant grant;
    start_set(&set, slices, (es_slice_config){0});
    assert_false(es_slices_finish(&set, 0, 0));
    begin_job(&set, 0, open_job);
    es_slices_open_tick(&set, 1, 0, 0);
    check_next(&set, 0, 10, false);
    assert_false(es_slices_finish(&set, 0, 11));
    assert_false(es_slices_finish(&set, 0, -1));
    assert_false(es_slices_finish(&set, 1, 0));
    assert_true(es_slices_finish(&set, 0, 7));
    assert_int_equal(figures_of(&set, 0).items, 7);
    assert_int_equal(figures_of(&set, 0).left, 0);
    assert_true(is_done(&set, 0));
    assert_false(es_slices_next(&set, 0, &grant));
    assert_int_equal(figures_of(&set, 0).most, 7);
    assert_false(es_slices_finish(&set, 0, 0)); /* it has ended */
    begin_job(&set, 0, job_of(0, 4, 40));       /* one of known length may not */
    assert_false(es_slices_finish(&set, 0, 0));
}

/* Longer than guessed: at its tick all the rest runs. */
TEST(a_job_of_unknown_length_ends_at_its_tick)
{
    es_slices set;
    es__slice slices[1];
    es_slice_grant grant;
    start_set(&set, slices, (es_slice_config){0});
    begin_job(&set, 0, open_job);
    for (int32_t tick = 1; tick <= 4; ++tick) {
        es_slices_open_tick(&set, tick, 0, 0);
        check_next(&set, 10 * (tick - 1), 10, false);
        assert_int_equal(figures_of(&set, 0).left, tick < 4 ? 40 - 10 * tick : 1);
    }
    check_next(&set, 40, ES_SLICE_ALL, true);
    assert_true(es_slices_finish(&set, 0, 123));
    assert_false(es_slices_next(&set, 0, &grant));
    slice_figures status = figures_of(&set, 0);
    assert_int_equal(status.items, 163);
    assert_int_equal(status.forced_items, 123);
    assert_int_equal(status.forced_jobs, 1);
    assert_int_equal(status.most, 133);
    begin_job(&set, 0, open_job);
    es_slices_open_tick(&set, 9, 0, 0);
    check_next(&set, 0, 40, false);
    check_next(&set, 40, ES_SLICE_ALL, true);
    assert_false(is_done(&set, 0));
    assert_false(es_slices_next(&set, 0, &grant)); /* needs no finish */
    assert_true(is_done(&set, 0));
    assert_int_equal(figures_of(&set, 0).jobs, 2);
    assert_int_equal(figures_of(&set, 0).missed, 0);
    begin_job(&set, 0, open_job);
    es_slices_open_tick(&set, 9, 0, 0);
    check_next(&set, 0, 40, false);
    check_next(&set, 40, ES_SLICE_ALL, true);
    assert_true(es_slices_finish(&set, 0, 5));
    begin_job(&set, 0, open_job); /* after a finish, at once */
    assert_false(es_slices_next(&set, 0, &grant));
    assert_false(is_done(&set, 0));
}

TEST(open_jobs_by_budget_go_past_their_guess)
{
    bench b;
    es_slice_config config = by_budget(ES_SLICE_FORCE);
    start_bench(&b, &config, 1);
    b.cost_ns[0] = 10 * US;
    begin_job(&b.set, 0, (es_slice_job){0, 1000, 10, true});
    for (int64_t tick = 1; tick < 20; ++tick) {
        run_budget(&b, tick, MS);
    }
    assert_in_range(b.ran[0], 95, 100);
    assert_true(es_slices_finish(&b.set, 0, 0));
    assert_true(figures_of(&b.set, 0).items > 1000);
    run_budget(&b, 20, MS);
    assert_int_equal(b.ran[0], 0);
}

/* --- anything --------------------------------------------------------------------------------- */

enum { ANY = 5 };

typedef struct any_calls {
    test_random random;
    es_slices set;
    es__slice slices[ANY];
    es_slice_job jobs[ANY];
    bool running[ANY];
    int64_t next[ANY]; /* item */
    int64_t now_ns;
} any_calls;

/* Small mostly, and of either sign. */
static int64_t any_number(any_calls *a)
{
    bool large = random_below(&a->random, 5) == 0;
    int64_t number = large ? random_magnitude(&a->random) : random_below(&a->random, 200);
    return random_below(&a->random, 10) == 0 ? -number : number;
}

static void begin_any(any_calls *a)
{
    int32_t i = (int32_t)random_below(&a->random, ANY);
    es_slice_job job = job_of(any_number(a), 0, (int32_t)any_number(a));
    job.due_tick = es__ns_add(job.begin_tick, any_number(a));
    job.open = random_below(&a->random, 4) == 0;
    if (es_slices_begin(&a->set, i, &job)) {
        assert_false(a->running[i]);
        a->jobs[i] = job;
        a->running[i] = true;
        a->next[i] = 0;
    } else {
        assert_true(strstr(es_get_error(), "out of order") == NULL || a->running[i]);
    }
}

static void take_any(any_calls *a, const es_slice_grant *grant)
{
    int32_t i = grant->slice;
    assert_in_range(i, 0, ANY - 1);
    assert_true(a->running[i] && grant->items > 0);
    assert_int_equal(grant->first, a->next[i] < INT32_MAX ? a->next[i] : INT32_MAX);
    a->next[i] += grant->items;
    bool finish = grant->items == ES_SLICE_ALL || random_below(&a->random, 4) == 0;
    if (!a->jobs[i].open) {
        assert_true(a->next[i] <= a->jobs[i].items);
        assert_false(es_slices_finish(&a->set, i, 0));
        a->running[i] = a->next[i] < a->jobs[i].items;
    } else if (finish) {
        assert_true(es_slices_finish(&a->set, i, grant->items));
        a->running[i] = false;
    }
    assert_int_equal(is_done(&a->set, i), !a->running[i]);
}

static void open_any(any_calls *a, bool is_tick, int64_t tick)
{
    if (is_tick) {
        es_slices_open_tick(&a->set, tick, a->now_ns, any_number(a));
        return;
    }
    es_frame frame = {.newest_tick = tick, .previous_ns = any_number(a)};
    frame.current_ns = any_number(a);
    frame.content_ns = any_number(a);
    frame.ahead_ns = any_number(a);
    es_slices_open_frame(&a->set, &frame, a->now_ns, any_number(a));
}

/* Items come once and in order, a slot ends, and what is due is done when its tick's slot is over. */
TEST(any_calls_keep_to_items_and_deadlines)
{
    for (uint64_t run = 1; run <= 2000 / TEST_SHARE; ++run) {
        static any_calls a;
        es_slice_config configs[ANY];
        memset(&a, 0, sizeof a);
        a.random.state = run * UINT64_C(0x9e3779b97f4a7c15);
        for (uint64_t i = 0; i < ANY; ++i) {
            configs[i] = (es_slice_config){.method = (es_slice_method)((run + i) % 3),
                    .where = (es_slice_where)((run / 3 + i) % 2),
                    .late = (es_slice_late)(run / 6 % 2)};
            configs[i].count = configs[i].method == ES_SLICE_COUNT ? 1 + (int32_t)run % 200 : 0;
        }
        assert_int_equal(es__slices_init(&a.set, a.slices, configs, ANY, NULL), ES_OK);
        for (int call = 0; call < 100; ++call) {
            begin_any(&a);
            bool is_tick = random_below(&a.random, 2) == 0;
            int64_t tick = any_number(&a);
            es_slice_grant grant;
            int grants = 0; /* with a clock that stands still items are granted one by one */
            for (open_any(&a, is_tick, tick); es_slices_next(&a.set, a.now_ns, &grant); ++grants) {
                take_any(&a, &grant);
                a.now_ns = es__ns_add(a.now_ns, grants < 100 ? any_number(&a) : MS);
                if (grants == 1000 || a.now_ns == INT64_MAX) {
                    a.now_ns = 0;
                    is_tick = false;
                    break;
                }
            }
            assert_true(grants < 1000);
            for (int32_t i = 0; i < ANY; ++i) {
                assert_false(is_tick && a.running[i] && tick >= a.jobs[i].due_tick);
            }
        }
    }
}

/* --- the object ------------------------------------------------------------------------------- */

TEST(a_set_can_be_created)
{
    const es_slice_config configs[2] = {{0}, {.method = ES_SLICE_COUNT, .count = 3}};
    const es_slice_config bad = {.count = 1};
    const es_slice_job job = job_of(0, 4, 10);
    assert_null(es_slices_create(&bad, 1));
    assert_string_equal(es_get_error(), "es_slice_config.count: is for slices by count only");
    assert_null(es_slices_create(configs, 0));
    assert_null(es_slices_create(configs, ES__SLICES_MAX + 1));
    assert_null(es_slices_create(NULL, 1));
    es_slices *set = es_slices_create(configs, 2);
    assert_non_null(set);
    assert_true(es_slices_begin(set, 0, &job) && es_slices_begin(set, 1, &job));
    assert_int_equal(run_slot(set, 0, NULL), 0); /* before the first tick */
    es_slices_open_tick(set, 4, 0, 0);
    assert_int_equal(run_slot(set, 1, NULL), 10);
    assert_true(is_done(set, 0) && is_done(set, 1) && !is_done(set, 2));
    assert_int_equal(es_slices_get_status(set, 1).forced, 7); /* beyond its count */
    es_slices_destroy(set);
}

TEST(without_a_set_nothing_happens)
{
    const es_slice_job job = job_of(0, 4, 10);
    es_frame frame = {0};
    es_slices_destroy(NULL);
    es_slices_open_tick(NULL, 1, 0, 0);
    es_slices_open_frame(NULL, &frame, 0, 0);
    assert_false(es_slices_next(NULL, 0, &(es_slice_grant){0}) || is_done(NULL, 0));
    assert_false(es_slices_begin(NULL, 0, &job) || es_slices_finish(NULL, 0, 0));
}
