/* SPDX-License-Identifier: Zlib
 *
 * cap: interval_ns is a frame cap on each display and host, whatever is known of the refreshes. In a host, where
 * they are known, frames come at whole refreshes, without errors. Loads, and how even motion is beside other loops
 * with that cap: the exam (gene cap, test_exam.c).
 */
#include "lab/run.h"
#include "test_support.h"

/* Whole refreshes may exceed a cap by 2 %, and a cap up to 5 % below the refresh rate means every one. */
#define OVER_WHOLE 1.02
#define NEAR       0.95

static lab_measures run(double hz, int32_t cap, lab_host host, size_t known)
{
    lab_result result = {0};
    lab_setup setup = lab_setup_default();
    setup.loop = lab_loop_find("auto");
    setup.scenario = lab_scenario_exact();
    setup.scenario.render = (lab_cost){.base = 1e9 / cap * 0.02};
    setup.display.refresh = hz > 0.0 ? LAB_REFRESH_FIXED : LAB_REFRESH_VARIABLE;
    setup.display.rate = hz > 0.0 ? es_hz(hz) : setup.display.rate;
    setup.display.queue = host != LAB_HOST_NONE ? 1 : 1 + (int32_t)(known % 3);
    setup.display.unannounced = known % 2 == 0;
    setup.display.feedback = known / 2 % 2 == 0 ? LAB_FEEDBACK_NONE : LAB_FEEDBACK_EXACT;
    setup.display.host = host;
    setup.cap_ns = ES_NS_PER_S / cap;
    setup.duration_ns = 12 * ES_NS_PER_S;
    assert_int_equal(lab_run(&setup, &result, NULL), ES_OK);
    lab_measures measures = result.measures;
    lab_result_free(&result);
    return measures;
}

TEST(a_cap_holds)
{
    static const double rates[] = {0, 50, 59.94, 60, 75, 100, 120, 144, 165, 240};
    static const int32_t caps[] = {24, 30, 40, 48, 50, 58, 60, 72, 90, 100, 117, 120, 138};
    for (size_t i = 0; i < COUNT_OF(rates) * COUNT_OF(caps); ++i) {
        double hz = rates[i / COUNT_OF(caps)];
        int32_t cap = caps[i % COUNT_OF(caps)];
        row("%g Hz, cap %d", hz, (int)cap);
        if (hz > 0.0 && cap > hz) {
            continue;
        }
        int refreshes = cap >= NEAR * hz ? 1 : (int)(hz / cap / OVER_WHOLE) + 1; /* whole ones */
        double whole = hz > 0.0 ? hz / refreshes : cap, more = fmax(1.005 * cap, 1.001 * whole);
        for (size_t known = 0; known < 12; ++known) {
            row("known %d", (int)known);
            lab_measures m = run(hz, cap, LAB_HOST_NONE, known);
            assert_at_most(m.frames_per_s, more);
            assert_at_most(fmin(0.985 * cap, 0.999 * whole), m.frames_per_s);
        }
        for (int host = LAB_HOST_EXACT; host <= LAB_HOST_1MS && hz > 0.0; ++host) {
            row("host %d", host);
            lab_measures m = run(hz, cap, (lab_host)host, 0);
            assert_at_most(m.animation.mean_abs_ms, 0.05);
            assert_at_most(fabs(m.frames_per_s - whole), 0.001 * whole);
        }
    }
}
