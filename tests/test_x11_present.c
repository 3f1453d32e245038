/* SPDX-License-Identifier: Zlib
 *
 * The pure parts of the X11 adapter, and its refusals. No X server is needed.
 */
#include "test_support.h"

#include "adapters/x11_present.h"

static es_x11_serials serials;
static es_x11_slot slot;

static es_x11_owner owner_of(uint32_t serial)
{
    return es_x11_serials_match(&serials, serial, &slot);
}

#define PRESENTED(serial, number)                                                                  \
    do {                                                                                           \
        assert_int_equal(owner_of(serial), ES_X11_FRAME);                                          \
        assert_int_equal(slot.frame, number);                                                      \
    } while (0)
#define LATE(serial)    assert_int_equal(owner_of(serial), ES_X11_LATE)
#define FOREIGN(serial) assert_int_equal(owner_of(serial), ES_X11_FOREIGN)

/* ---- Serials whose start is known */

static void start_at(uint32_t base)
{
    serials = (es_x11_serials){.base = base, .anchored = true};
}

TEST(own_serials_find_their_frames)
{
    start_at(100);
    assert_int_equal(es_x11_serials_note(&serials, 7, 1000), 100);
    assert_int_equal(es_x11_serials_note(&serials, 9, 1001), 101);
    assert_int_equal(es_x11_serials_note(&serials, 20, 1002), 102);
    assert_int_equal(serials.open, 3);
    PRESENTED(101, 9); /* out of order: replaced frames are reported later */
    assert_int_equal(slot.noted_ns, 1001);
    PRESENTED(100, 7);
    PRESENTED(102, 20);
    assert_int_equal(serials.open, 0);
}

TEST(what_is_not_ours_is_left_alone)
{
    start_at(100);
    FOREIGN(100); /* before the first */
    es_x11_serials_note(&serials, 7, 1000);
    FOREIGN(99);
    PRESENTED(100, 7);
    FOREIGN(100); /* once only */
    FOREIGN(101);
    assert_int_equal(serials.open, 0);
    assert_true(serials.anchored);
    FOREIGN(UINT32_MAX); /* the third in a row */
    assert_false(serials.anchored);
}

TEST(serials_wrap)
{
    start_at(UINT32_MAX - 1);
    for (int64_t i = 0; i < 5; ++i) {
        assert_int_equal(es_x11_serials_note(&serials, i, 1000), (uint32_t)(UINT32_MAX - 1 + i));
    }
    for (uint32_t i = 0; i < 5; ++i) {
        PRESENTED(UINT32_MAX - 1 + i, i);
    }
}

TEST(a_full_ring_forgets_its_oldest)
{
    start_at(1);
    for (int64_t i = 0; i < ES_X11_SERIALS + 10; ++i) {
        es_x11_serials_note(&serials, i, 1000 + i);
    }
    assert_int_equal(serials.open, ES_X11_SERIALS);
    assert_int_equal(serials.forgotten, 10);
    FOREIGN(10); /* frame 9 */
    PRESENTED(11, 10);
    PRESENTED(ES_X11_SERIALS + 10, ES_X11_SERIALS + 9);
}

TEST(frames_without_an_answer_are_given_up)
{
    start_at(1);
    for (int64_t i = 0; i < 6; ++i) {
        es_x11_serials_note(&serials, i, 1000 * i);
    }
    PRESENTED(2, 1);
    assert_int_equal(es_x11_serials_expire(&serials, 3000), 2); /* 0 and 2; 1 was answered */
    assert_int_equal(serials.open, 3);
    assert_int_equal(serials.forgotten, 2);
    assert_int_equal(es_x11_serials_expire(&serials, 3000), 0);
    LATE(1);
    assert_int_equal(serials.open, 3);
    FOREIGN(1); /* once only */
    PRESENTED(4, 3);
    assert_int_equal(es_x11_serials_expire(&serials, INT64_MAX), 2);
    assert_int_equal(es_x11_serials_expire(&serials, INT64_MAX), 0);
    assert_int_equal(serials.forgotten, 4);
    assert_int_equal(serials.open, 0);
}

/* ---- Serials that are learned */

static bool learn(int least, int count, const uint32_t *seen)
{
    return es_x11_serials_learn(&serials, seen, count, least, false);
}

static void note_frames(int64_t first, int count)
{
    for (int i = 0; i < count; ++i) {
        es_x11_serials_note(&serials, first + i, 1000 * (first + i));
    }
}

TEST(a_watcher_learns_where_serials_start)
{
    serials = (es_x11_serials){0};
    assert_true(es_x11_serials_oldest_ns(&serials) == INT64_MAX);
    assert_false(learn(1, 1, (uint32_t[]){40})); /* nothing was noted yet */
    assert_int_equal(es_x11_serials_note(&serials, 7, 1000), 0);
    assert_int_equal(es_x11_serials_oldest_ns(&serials), 1000);
    FOREIGN(42); /* no anchor yet */
    assert_true(learn(1, 1, (uint32_t[]){42}));
    PRESENTED(42, 7);
    assert_int_equal(es_x11_serials_note(&serials, 8, 2000), 43);
    es_x11_serials_note(&serials, 9, 3000);
    PRESENTED(44, 9);
}

TEST(frames_in_flight_together_are_learned_together)
{
    serials = (es_x11_serials){0};
    note_frames(0, 3);
    /* the newest was seen; those it replaced are told later */
    assert_false(learn(3, 1, (uint32_t[]){12}));
    assert_false(learn(3, 2, (uint32_t[]){12, 10}));
    assert_false(learn(3, 3, (uint32_t[]){12, 10, 13})); /* a hole: 11 */
    assert_true(learn(3, 4, (uint32_t[]){12, 10, 13, 11}));
    PRESENTED(12, 2);
    PRESENTED(10, 0);
    serials = (es_x11_serials){0};
    note_frames(0, 3);
    assert_true(es_x11_serials_learn(&serials, (uint32_t[]){12, 15}, 2, 3, true)); /* forced */
    PRESENTED(12, 0);
    serials = (es_x11_serials){0};
    note_frames(0, 3);
    assert_true(learn(3, 3, (uint32_t[]){0, UINT32_MAX, 1})); /* they wrap */
    PRESENTED(1, 2);
}

TEST(a_wrong_start_is_learned_anew)
{
    serials = (es_x11_serials){0};
    note_frames(0, 1);
    assert_true(learn(1, 1, (uint32_t[]){10}));
    PRESENTED(10, 0);
    /* the driver starts over: its numbers now begin at 5000 */
    note_frames(1, 4);
    FOREIGN(5000);
    FOREIGN(5001);
    assert_true(serials.anchored);
    FOREIGN(5002);
    assert_false(serials.anchored);
    /* these three are the first of the new count */
    assert_false(learn(4, 3, (uint32_t[]){5000, 5001, 5002}));
    assert_true(learn(4, 4, (uint32_t[]){5000, 5001, 5002, 5003}));
    PRESENTED(5003, 4);
    PRESENTED(5000, 1);
}

TEST(late_answers_confirm_where_serials_start)
{
    serials = (es_x11_serials){0};
    note_frames(0, 1);
    assert_true(learn(1, 1, (uint32_t[]){10}));
    PRESENTED(10, 0);
    note_frames(1, 4);
    assert_int_equal(es_x11_serials_expire(&serials, INT64_MAX), 4); /* a server that slept */
    FOREIGN(9);
    FOREIGN(9);
    LATE(11);
    assert_int_equal(slot.frame, 1);
    LATE(12);
    LATE(14);
    assert_true(serials.anchored);
    assert_int_equal(serials.forgotten, 4);
    assert_int_equal(serials.open, 0);
    assert_int_equal(es_x11_serials_note(&serials, 5, 9000), 15);
    PRESENTED(15, 5);
    FOREIGN(14); /* once only */
}

TEST(an_expired_slot_is_used_again)
{
    start_at(1);
    note_frames(0, ES_X11_SERIALS);
    assert_int_equal(es_x11_serials_expire(&serials, INT64_MAX), ES_X11_SERIALS);
    note_frames(ES_X11_SERIALS, 2);
    assert_int_equal(serials.open, 2);
    assert_int_equal(serials.forgotten, ES_X11_SERIALS); /* each once */
    FOREIGN(2);
    LATE(3);
    PRESENTED(ES_X11_SERIALS + 1, ES_X11_SERIALS);
}

/* ---- Grades, periods */

TEST(present_never_claims_hardware)
{
    enum { COPY, FLIP, SKIP, SUBOPTIMAL };
    const int64_t hz60 = 16666667;
    assert_int_equal(es_x11_present_grade(FLIP, hz60, true, false), ES_PRESENT_VSYNC);
    assert_int_equal(es_x11_present_grade(FLIP, hz60, true, true), ES_PRESENT_SOFTWARE);
    assert_int_equal(es_x11_present_grade(FLIP, 0, true, false), ES_PRESENT_SOFTWARE);
    assert_int_equal(es_x11_present_grade(FLIP, hz60, false, false), ES_PRESENT_GUESSED);
    assert_int_equal(es_x11_present_grade(COPY, hz60, true, false), ES_PRESENT_SOFTWARE);
    assert_int_equal(es_x11_present_grade(SUBOPTIMAL, hz60, true, false), ES_PRESENT_SOFTWARE);
    assert_int_equal(es_x11_present_grade(COPY, 0, false, false), ES_PRESENT_GUESSED);
}

static es_present told(int64_t shown_ns, int64_t reported_ns, uint64_t sequence)
{
    return (es_present){.frame = 5,
            .shown_ns = shown_ns,
            .reported_ns = reported_ns,
            .refresh_ns = 16666667,
            .sequence = sequence,
            .grade = ES_PRESENT_VSYNC};
}

TEST(frames_that_wait_for_no_refresh_are_told_apart)
{
    uint64_t last = 0;
    /* at refreshes, 10 ms apart */
    es_present sample = told(20000000, 20100000, 2);
    assert_false(es_x11_present_at_once(&sample, 12000000, &last));
    assert_int_equal(sample.shown_ns, 20000000);
    assert_int_equal(sample.sequence, 2);
    assert_int_equal(sample.grade, ES_PRESENT_VSYNC);
    sample = told(30000000, 30100000, 3);
    assert_false(es_x11_present_at_once(&sample, 30000000, &last)); /* the same instant */
    assert_int_equal(sample.sequence, 3);
    /* at once: twice with the refresh of 30 ms, then with the next */
    static const struct {
        int64_t noted_ns, stamp_ns;
        uint64_t sequence;
    } rows[] = {{33000000, 30000000, 3}, {37000000, 30000000, 3}, {40000001, 40000000, 4}};
    for_rows (i, rows) {
        int64_t reported_ns = rows[i].noted_ns + 200000;
        sample = told(rows[i].stamp_ns, reported_ns, rows[i].sequence);
        assert_true(es_x11_present_at_once(&sample, rows[i].noted_ns, &last));
        assert_int_equal(sample.frame, 5);
        assert_int_equal(sample.shown_ns, reported_ns);
        assert_int_equal(sample.reported_ns, reported_ns);
        assert_int_equal(sample.sequence, 0);
        assert_int_equal(sample.grade, ES_PRESENT_GUESSED);
    }
}

TEST(a_count_is_told_once)
{
    uint64_t last = 0;
    es_present sample = told(20000000, 20100000, 2);
    assert_false(es_x11_present_at_once(&sample, 12000000, &last));
    sample = told(20000000, 20100000, 2);
    assert_false(es_x11_present_at_once(&sample, 13000000, &last));
    assert_int_equal(sample.shown_ns, 20000000); /* the time may be right */
    assert_int_equal(sample.sequence, 0);
    assert_int_equal(sample.grade, ES_PRESENT_VSYNC);
    /* one that was never shown has no time, and no part in this */
    sample = told(10000000, 20100000, 3);
    sample.discarded = true;
    assert_false(es_x11_present_at_once(&sample, 14000000, &last));
    assert_int_equal(sample.shown_ns, 10000000);
    assert_int_equal(sample.sequence, 3);
    sample = told(30000000, 30100000, 3);
    assert_false(es_x11_present_at_once(&sample, 21000000, &last));
    assert_int_equal(sample.sequence, 3);
}

/* Reports every second refresh of 10 ms, up to 1 ms late; then targets at a time and by a count. */
TEST(targets_are_counts_of_refreshes)
{
    const int64_t ms = 1000000;
    const int64_t rows[][4] = {/* ms after the newest, refreshes, announced ms; counts after it */
            {0, 1, 0, 0}, {0, 2, 0, 2}, {24, 1, 0, 2}, {26, 1, 0, 3}, {-99999, 1, 0, 1},
            {7000, 1, 0, 0}, {0, 2, 10, 2}, {0, 2, 7, 0} /* variable, up to 144 Hz */};
    es_x11_counts known = {0};
    for (int i = 1; i <= 12; ++i) {
        es_x11_counts_take(&known, 1000 + 2 * (uint64_t)i, 20 * i * ms + i % 2 * ms);
        assert_int_equal(es_x11_counts_target(&known, 0, 2, 0), i < 6 ? 0 : 1002 + 2 * i);
    }
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        es_x11_counts counts = {known.msc, 0, known.ust_ns, known.period_ns, known.steady};
        int64_t at_ns = rows[i][0] != 0 ? known.ust_ns + rows[i][0] * ms : 0;
        uint64_t to = es_x11_counts_target(&counts, at_ns, (int32_t)rows[i][1], rows[i][2] * ms);
        assert_int_equal(to, rows[i][3] != 0 ? known.msc + (uint64_t)rows[i][3] : 0);
    }
    assert_int_equal(es_x11_counts_target(&known, 0, 1, 0), known.msc + 3); /* 2 is not reported */
    int64_t ust_ns = known.ust_ns;
    es_x11_counts_take(&known, known.msc + 2, ust_ns + 29 * ms); /* one is late, the next is not */
    es_x11_counts_take(&known, known.msc + 2, ust_ns + 40 * ms);
    assert_int_equal(es_x11_counts_target(&known, ust_ns + 69 * ms, 1, 0), known.msc + 3);
    es_x11_counts_take(&known, known.msc + 1, ust_ns + 64 * ms); /* and again: it may vary */
    assert_int_equal(es_x11_counts_target(&known, 0, 3, 0), 0);
    known.steady = 8;
    es_x11_counts_take(&known, 7, known.ust_ns + 10 * ms); /* another output */
    assert_int_equal(es_x11_counts_target(&known, 0, 3, 0), 0);
}

TEST(modes_have_periods)
{
    /* 1080p60 and 720p50 by CEA-861: 2200 x 1125 at 148.5 MHz, 1980 x 750 at 74.25 MHz */
    assert_int_equal(es_x11_mode_period(148500000, 2200, 1125, false, false), 16666667);
    assert_int_equal(es_x11_mode_period(74250000, 1980, 750, false, false), 20000000);
    /* 1080i: 60 fields per second */
    assert_int_equal(es_x11_mode_period(74250000, 2200, 1125, false, true), 16666667);
    assert_int_equal(es_x11_mode_period(12587500, 400, 262, true, false), 16651440);
    assert_int_equal(es_x11_mode_period(0, 2200, 1125, false, false), 0);
    assert_int_equal(es_x11_mode_period(148500000, 0, 0, false, false), 0);
}

/* ---- Refusals */

TEST(what_cannot_be_opened_says_why)
{
    es_x11_status status = ES_X11_OK;
    assert_null(es_x11_present_open("/no/such/display:99", 1, &status));
    assert_int_equal(status, ES_X11_NO_SERVER);
    assert_null(es_x11_present_open("/no/such/display:99", 1, NULL));
    assert_null(es_x11_present_open("/no/such/display:99", 0, &status));
    assert_int_equal(status, ES_X11_INVALID);
    es_x11_present_close(NULL);
}

TEST(each_status_has_a_message)
{
    for (int i = ES_X11_OK; i <= ES_X11_INVALID; ++i) {
        const char *message = es_x11_status_message((es_x11_status)i);
        assert_string_not_equal(message, "unknown");
    }
    assert_string_equal(es_x11_status_message((es_x11_status)99), "unknown");
}
