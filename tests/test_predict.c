/* SPDX-License-Identifier: Zlib
 *
 * After the newest tick delays and corrections never run back. test_blend.c compares predictions with
 * blend_reference.h.
 */
#include "places.h"
#include "world_support.h"

/* One number at a content time, from the ticks of an array of states; the newest: at `newest`. */
static double seen_at(const es_field *field, const double *states, const int64_t *times_ns,
        size_t newest, size_t count, int64_t content_ns)
{
    es_blend_tick ticks[ES_HISTORY_TICKS_MAX];
    double seen = 0;
    es_layout layout = layout_of(field, 1, sizeof(double));
    const es__blend_job job = {
            &layout, ticks, count, &seen, .timed = true, .content_ns = content_ns};
    for (size_t age = 0; age < count; ++age) {
        ticks[age].state = &states[newest - age];
        ticks[age].time_ns = times_ns[newest - age];
    }
    run_job(&job);
    return seen;
}

/* A field a tick behind the others, however long the ticks are. */
TEST(a_delay_in_uneven_ticks_never_runs_back)
{
    static const int64_t times[] = {0, 50, 100, 150, 300, 350, 420, 421, 1000};
    static const double states[] = {0, 50, 100, 150, 300, 350, 420, 421, 1000};
    const es_field field = {
            "at", ES_TYPE_F64, ES_BLEND_LINEAR, 1, 1, 0, sizeof(double), .delay_ticks = 1};
    double before = -1;
    size_t newest = 3;
    for (int64_t content = 100; content <= 1000; ++content) {
        newest += times[newest] < content;
        double seen = seen_at(&field, states, times, newest, 4, content);
        assert_true(seen >= before);
        before = seen;
    }
    assert_true(fabs(before - 421) < 1e-9);
}

/* Eight ticks at 240 per second are 33 ms: a correction fades evenly while they are kept. */
TEST(a_correction_fades_while_its_ticks_are_kept)
{
    enum { KEPT = 8, TICK = 1000 };
    static const es_prediction decay = {.kind = ES_PREDICT_LINEAR, .correct = ES_CORRECT_DECAY};
    const es_field field = {
            "at", ES_TYPE_F64, ES_BLEND_LINEAR, 1, 1, 0, sizeof(double), .prediction = &decay};
    double states[40], before = NAN;
    int64_t times[40];
    for (int i = 0; i < 40; ++i) {
        states[i] = i < 20 ? i : 20; /* it stops */
        times[i] = (int64_t)i * TICK;
    }
    for (int64_t content = 12 * TICK + 1; content < 39 * TICK; content += TICK / 8) {
        double seen = seen_at(&field, states, times, (size_t)(content - 1) / TICK, KEPT, content);
        assert_false(fabs(seen - before) > 0.2); /* moving it makes 0.125 */
        before = seen;
    }
    assert_true(fabs(before - 20) < 1e-9);
}
