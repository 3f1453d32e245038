/* SPDX-License-Identifier: Zlib
 *
 * gap: every kind told apart, what is removed, and that time never goes back.
 */
#include "test_support.h"

#include "loop/gap.h"

static es__gap_evidence evidence_at(int64_t suspended_ns, int64_t cpu_ns)
{
    es__gap_evidence evidence = {0};
    evidence.suspended_ns = suspended_ns;
    evidence.thread_cpu_ns = cpu_ns;
    evidence.has_suspended = true;
    evidence.has_thread_cpu = true;
    return evidence;
}

static es__gap_filter started_at(int64_t clock_ns)
{
    es__gap_filter filter;
    es__gap_evidence evidence = evidence_at(0, 0);
    es__gap_filter_init(&filter, S, clock_ns, &evidence);
    return filter;
}

/* A span of an hour, judged by this evidence. */
static es_gap_kind judged(es__gap_filter *filter, int64_t span_ns, es__gap_evidence evidence)
{
    int64_t clock_ns = filter->clock_ns + span_ns;
    assert_false(es__gap_filter_pass(filter, clock_ns, 0));
    return es__gap_filter_judge(filter, clock_ns, 0, &evidence);
}

TEST(frames_pass)
{
    es__gap_filter filter = started_at(5 * S);
    assert_int_equal(filter.time_ns, 0);
    assert_true(es__gap_filter_pass(&filter, 5 * S, 0));
    assert_true(es__gap_filter_pass(&filter, 5 * S + 16 * MS, 0));
    assert_int_equal(filter.time_ns, 16 * MS);
    assert_true(es__gap_filter_pass(&filter, 6 * S + 16 * MS, 0)); /* exactly the threshold */
    assert_false(es__gap_filter_pass(&filter, 7 * S + 16 * MS + 1, 0));
    assert_true(es__gap_filter_pass(&filter, 7 * S + 16 * MS + 1, 1)); /* a wait was meant */
    assert_int_equal(es__gap_filter_take(&filter).kind, ES_GAP_NONE);
    assert_int_equal(es__gap_filter_to_clock(&filter, filter.time_ns + 3), filter.clock_ns + 3);
}

TEST(kinds_are_told_apart)
{
    es__gap_filter filter = started_at(0);
    assert_int_equal(judged(&filter, 3600 * S, evidence_at(3600 * S, 2 * MS)), ES_GAP_SUSPENDED);
    assert_int_equal(judged(&filter, 3600 * S, evidence_at(3600 * S, 4 * MS)), ES_GAP_STOPPED);
    assert_int_equal(judged(&filter, 3600 * S, evidence_at(0, 6 * MS)), ES_GAP_CLOCK_JUMP);
    es__gap_evidence blocked = evidence_at(0, 8 * MS);
    blocked.in_present = true;
    assert_int_equal(judged(&filter, 3600 * S, blocked), ES_GAP_BLOCKED);
    es__gap_evidence nothing = {0};
    assert_int_equal(judged(&filter, 3600 * S, nothing), ES_GAP_UNKNOWN);
    assert_int_equal(judged(&filter, -5 * MS, nothing), ES_GAP_CLOCK_BACK);
    assert_int_equal(filter.time_ns, 0);
    es_gap found = es__gap_filter_take(&filter);
    assert_int_equal(found.duration_ns, 5 * 3600 * S + 5 * MS);
    assert_int_equal(found.removed_ns, 5 * 3600 * S - 5 * MS);
    assert_int_equal(filter.removed_ns, found.removed_ns);
    assert_int_equal(es__gap_filter_take(&filter).kind, ES_GAP_NONE);
    filter = started_at(0); /* half of the span is enough for a sleep */
    assert_int_equal(judged(&filter, 10 * S, evidence_at(5 * S, 0)), ES_GAP_SUSPENDED);
    assert_int_equal(judged(&filter, 10 * S, evidence_at(10 * S - 1, 0)), ES_GAP_STOPPED);
}

TEST(the_longest_names_the_sum)
{
    es__gap_filter filter = started_at(0);
    es__gap_evidence nothing = {0};
    judged(&filter, -3 * S, nothing);
    judged(&filter, 5 * S, nothing);
    judged(&filter, -4 * S, nothing);
    es_gap found = es__gap_filter_take(&filter);
    assert_int_equal(found.kind, ES_GAP_UNKNOWN);
    assert_int_equal(found.duration_ns, 12 * S);
    assert_int_equal(found.removed_ns, -2 * S);
}

TEST(a_still_clock_can_be_moved)
{
    es__gap_filter filter = started_at(0);
    assert_false(es__gap_filter_force(&filter, 16 * MS)); /* a coarse clock */
    assert_false(es__gap_filter_force(&filter, 3 * MS));
    assert_int_equal(filter.time_ns, 16 * MS);
    assert_int_equal(es__gap_filter_to_clock(&filter, 20 * MS), 20 * MS);
    assert_true(es__gap_filter_pass(&filter, 10 * MS, 0));
    assert_int_equal(filter.time_ns, 16 * MS);
    assert_true(es__gap_filter_pass(&filter, 20 * MS, 0));
    assert_int_equal(filter.time_ns, 20 * MS);
    assert_int_equal(es__gap_filter_take(&filter).kind, ES_GAP_NONE);
    assert_true(es__gap_filter_force(&filter, 45 * MS));
    assert_int_equal(filter.time_ns, 45 * MS);
    es_gap found = es__gap_filter_take(&filter);
    assert_int_equal(found.kind, ES_GAP_CLOCK_STILL);
    assert_int_equal(found.removed_ns, -25 * MS);
}

TEST(random_readings_never_go_back_or_leap)
{
    es__gap_filter filter = started_at(0);
    es__gap_evidence nothing = {0};
    test_random random = {17};
    for (int i = 0; i < 1000000; ++i) {
        int64_t before_ns = filter.time_ns;
        int64_t clock_ns = (int64_t)random_u64(&random);
        if (i % 3 == 0) {
            clock_ns = es__ns_add(filter.clock_ns, random_below(&random, S));
        } else if (i % 7 == 0) {
            clock_ns = i % 2 == 0 ? INT64_MAX : INT64_MIN;
        }
        if (!es__gap_filter_pass(&filter, clock_ns, 0)) {
            es__gap_filter_judge(&filter, clock_ns, 0, &nothing);
        }
        assert_true(filter.time_ns >= before_ns);
        assert_true(filter.time_ns - before_ns <= S);
        if (clock_ns >= filter.clock_ns) {
            assert_int_equal(filter.clock_ns, clock_ns);
        } else {
            assert_true(filter.clock_ns - clock_ns < MS); /* noise: it stands still */
        }
    }
}
