/* SPDX-License-Identifier: Zlib
 *
 * demo_extra: what the overlay, the summary and the report say of input, of the job and of groups.
 */
#ifndef DEMO_EXTRA_H
#define DEMO_EXTRA_H

#include "demo_delay.h"
#include "demo_job.h"
#include "demo_play.h"
#include "demo_rates.h"
#include "demo_view.h"

/* The longest time from one picture to the next. */
typedef struct demo_worst {
    int64_t frames; /* looked at */
    int64_t ns;
} demo_worst;

typedef struct demo_extra {
    const demo_delay_log *log;
    bool threaded; /* ticks have a thread of their own */
    int64_t presses_made, presses_seen;
    int64_t presses_waiting; /* for a tick; not known of those on their way to another thread */
    int64_t events_lost;
    demo_job_mode mode;
    demo_job_figures job[DEMO_JOB_MODES];
    demo_worst worst[DEMO_JOB_MODES];
    double job_share;
    demo_recording recording;
    demo_playing playing;
    int32_t maps; /* results that were used */
    uint32_t first_sum;
    bool apart; /* groups tick at rates of their own */
    double game_hz, game_alpha;
    int64_t game_ticks;
    double group_hz[DEMO_GROUPS];
    double group_alphas[DEMO_GROUPS];
    int64_t group_ticks[DEMO_GROUPS];
} demo_extra;

/** Adds to the overlay's figures. */
void demo_extra_show(const demo_extra *extra, const demo_delays *delays, demo_hud *hud);

/** Adds to the summary, and to the report. */
void demo_extra_print(const demo_extra *extra, const demo_delays *delays, FILE *out);
void demo_extra_json(json_t *root, const demo_extra *extra, const demo_delays *delays);

#endif
