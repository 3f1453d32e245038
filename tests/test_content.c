/* SPDX-License-Identifier: Zlib
 *
 * content: the clock by itself, where the tests of the loop do not get: shares of slow motion, what is
 * owed across a resync, counted frames; and the account.
 */
#include "test_support.h"

#include "loop/content.h"

static es_account account;

static es__content made(const es__content_config *config)
{
    es__content content;
    es__content_config none = {0};
    es__content_init(&content, config != NULL ? config : &none);
    memset(&account, 0, sizeof account);
    return content;
}

/* Plans and closes a frame seen then; the account must balance. */
static int64_t frame(es__content *content, int64_t present_ns)
{
    static int64_t first_ns;
    bool first = !content->started;
    int64_t shown_ns = es__content_at(content, present_ns);
    es__content_close(content, present_ns, shown_ns, &account);
    first_ns = first ? present_ns : first_ns;
    assert_int_equal(shown_ns, present_ns - first_ns - account.dropped_ns - account.slowed_ns
                                       - account.clamped_ns - account.delay_ns + account.seeked_ns);
    return shown_ns;
}

TEST(bad_scales_are_refused)
{
    es__content content = made(NULL);
    es__ratio none = {1, 0};
    es__ratio too_fast = {1001, 1};
    assert_int_equal(es__content_set_scale(&content, none), ES_ERR_INVALID);
    assert_int_equal(es__content_set_scale(&content, too_fast), ES_ERR_INVALID);
}

TEST(a_counted_frame_adds_its_count)
{
    es__content content = made(NULL);
    assert_int_equal(frame(&content, 5), 0);
    for (int64_t n = 1; n < 1000; ++n) {
        int64_t before_ns = es_rate_time_ns(es_hz(60), n - 1);
        int64_t exact_ns = es_rate_time_ns(es_hz(60), n);
        es__content_count(&content, exact_ns - before_ns);
        assert_int_equal(frame(&content, 5 + n * n * MS), exact_ns);
        assert_int_equal(account.slow_motion_ns, n * n * MS - exact_ns);
    }
    int64_t before_ns = content.last_content_ns;
    es__content_count(&content, 20 * MS);
    assert_int_equal(frame(&content, 2000 * S), before_ns + 20 * MS);
    es__content_resync(&content, 5 * MS); /* a level load: nobody's lag but 15 ms run ahead of it */
    int64_t slow_motion_ns = account.slow_motion_ns;
    es__content_count(&content, 20 * MS);
    assert_int_equal(frame(&content, 2003 * S), before_ns + 40 * MS);
    assert_int_equal(account.slow_motion_ns - slow_motion_ns, -15 * MS);
    assert_int_equal(frame(&content, 2004 * S), before_ns + 40 * MS + S); /* for one frame only */
    es__content_count_to(&content, before_ns + 2 * S); /* at another instant */
    es__content_count_time(&content);
    es__content_count_to(&content, before_ns + 3 * S);
    assert_int_equal(frame(&content, 2005 * S), before_ns + 3 * S);
}

TEST(what_is_owed_is_shown_later)
{
    es__content_config config = {.spreads_debt = true};
    es__content content = made(&config);
    frame(&content, 0);
    es__content_add_debt(&content, 100 * MS, 0, S);
    es__content_add_debt(&content, 100 * MS, -5, S);
    es__content_add_debt(&content, 100 * MS, 60 * MS, S);
    assert_int_equal(frame(&content, 100 * MS), 40 * MS);
    assert_int_equal(account.clamped_ns, 60 * MS);
    assert_int_equal(frame(&content, 180 * MS), 140 * MS); /* 80 and a quarter of them */
    assert_int_equal(account.clamped_ns, 40 * MS);
    assert_int_equal(frame(&content, 980 * MS), 980 * MS); /* and no more than was owed */
    assert_int_equal(account.clamped_ns, 0);
    assert_int_equal(account.dropped_ns, 0);
    es__content_add_debt(
            &content, 1000 * MS, 15 * MS, 10 * MS); /* more than may be owed is dropped */
    assert_int_equal(frame(&content, 1000 * MS), 985 * MS);
    assert_int_equal(account.dropped_ns, 5 * MS);
    assert_int_equal(account.clamped_ns, 10 * MS);
    es__content_add_debt(
            &content, 1004 * MS, 2 * MS, 10 * MS); /* with what is still owed from before */
    assert_int_equal(frame(&content, 1004 * MS), 988 * MS);
    assert_int_equal(account.dropped_ns, 6 * MS);
    config.spreads_debt = false;
    es__content_reconfigure(&content, &config);
    assert_int_equal(frame(&content, 1005 * MS), 989 * MS);
    assert_int_equal(account.dropped_ns, 16 * MS);
}

/* What fits at four times the speed is all of it at one, half of it at eight if that is known. */
TEST(slow_motion_is_of_the_speed)
{
    static const struct {
        es__ratio to;
        uint32_t share; /* of 65536 */
    } cases[] = {{{4, 1}, 15872}, {{8, 1}, 15872}, {{2, 1}, 31744}, {{3, 2}, 42325},
            {{1, 1}, 63488}, {{4294967, 4294967}, 63488}, {{1, 2}, 1}, {{1, 4294967295}, 1},
            {{0, 1}, 15872}};
    const es__ratio four = {4, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        es__content_config config = {.slows = true};
        es__content content = made(&config);
        assert_int_equal(es__content_set_scale(&content, four), ES_OK);
        frame(&content, 0);
        es__content_set_capacity(&content, MS, 4 * MS);
        es__content_slow(&content, 25 * MS, 75 * MS);
        frame(&content, 25 * MS);
        assert_int_equal(content.slow.numerator, 15872);
        assert_int_equal(es__content_set_scale(&content, cases[i].to), ES_OK);
        assert_int_equal(content.slow.numerator, cases[i].share);
        assert_int_equal(content.slow.denominator, cases[i].share == 1 ? 1 : 65536);
        assert_true(frame(&content, 50 * MS) >= 25 * MS); /* and the account is even */
        const es__ratio none = {0, 1};
        es__content_set_scale(&content, none); /* standing says nothing */
        es__content_set_scale(&content, four);
        assert_int_equal(content.slow.numerator, cases[i].share);
    }
}

TEST(slow_motion_has_a_lower_end)
{
    es__content_config config = {.slows = true};
    es__content content = made(&config);
    frame(&content, 0);
    es__content_set_capacity(&content, 1, INT64_MAX);
    es__content_slow(&content, 64 * MS, 64 * MS); /* nothing fits: never below 1/64 */
    int64_t shown_ns = frame(&content, 64 * MS);
    assert_int_equal(frame(&content, 128 * MS) - shown_ns, MS);
    config.slows = false; /* another policy: at once */
    es__content_reconfigure(&content, &config);
    assert_int_equal(frame(&content, 192 * MS) - shown_ns, 65 * MS);
}

TEST(a_resync_repays_no_debt_for_what_it_leaves_out)
{
    es__content_config config = {.spreads_debt = true};
    es__content content = made(&config);
    frame(&content, 0);
    es__content_add_debt(&content, 100 * MS, 60 * MS, S);
    frame(&content, 100 * MS);
    es__content_resync(&content, 16 * MS);
    assert_int_equal(frame(&content, 5 * S), 60 * MS); /* 40 + 16 + 4 */
    assert_int_equal(account.clamped_ns, 56 * MS);
    es__content_set_capacity(&content, 10 * MS, 10 * MS); /* no time to spare: nothing is repaid */
    assert_int_equal(frame(&content, 5 * S), 60 * MS);
    assert_int_equal(frame(&content, 5 * S + 100 * MS), 160 * MS);
    assert_int_equal(account.clamped_ns, 56 * MS);
    es__content_reconfigure(&content, &config); /* the same: kept */
    frame(&content, 5 * S + 110 * MS);
    assert_int_equal(account.clamped_ns, 56 * MS);
    es__content_seek(&content, 0, 16 * MS);
    frame(&content, 5 * S + 120 * MS);
    assert_int_equal(account.clamped_ns, 0);
}

/* A host's expected times may go back and forth: no time is made up or lost by that. */
TEST(a_present_that_steps_back_loses_nothing)
{
    es__content_config config = {.frame_max_ns = 20 * MS};
    es__content content = made(&config);
    frame(&content, 0);
    for (int64_t i = 1; i <= 100; ++i) {
        frame(&content, 16 * i * MS + (i % 2 == 0 ? 0 : 30 * MS));
    }
    assert_true(account.slow_motion_ns <= 31 * MS); /* the first step forward, once */
}
