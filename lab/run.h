/* SPDX-License-Identifier: Zlib
 *
 * run: runs one loop in one scenario on one screen with one seed, and measures it.
 *
 *   lab_setup setup = lab_setup_default();
 *   setup.loop = lab_loop_find("gaffer");
 *   setup.scenario = *lab_scenario_find("spikes");
 *   lab_result result = {0};
 *   if (lab_run(&setup, &result, &error) == ES_OK) {
 *       printf("%.3f ms\n", result.measures.animation.mean_abs_ms);
 *   }
 *   lab_result_free(&result);
 *
 * The same setup gives the same bytes, on every machine.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "lab/loop.h"

/* {0} but for the loop is a valid setup: 60 s at 60 Hz with no cost and no noise. */
typedef struct lab_setup {
    const lab_loop *loop;
    lab_scenario scenario;
    lab_display display;
    es_rate tick_rate; /* {0, 0}: 60 */
    uint64_t seed;
    int64_t duration_ns; /* simulated; 0: 60 s. Ends with the first frame that begins after it */
    int64_t warm_up_ns;  /* frames shown before this are not measured; below duration_ns */
    int64_t frames_max;  /* stop after this many frames; 0: at 1 million, an error */
    const es_loop_config *config; /* ours, see lab_loop_setup */
    bool match_display;
    double missed_max;
    int64_t state_bytes;   /* of the world, for a loop that copies it; 0: LAB_STATE_BYTES */
    int64_t spin_ns;       /* of lab_wait_until; see lab_machine_config */
    lab_observer observer; /* receives every event; {0}: none */
} lab_setup;

/* An error's distribution, in ms; percentiles by nearest rank, as in es_meter. */
typedef struct lab_error {
    double mean_abs_ms;
    double bias_ms; /* mean, signed */
    double rms_ms;
    double median_ms; /* of |e| */
    double p99_ms;    /* of |e| */
    double max_ms;    /* of |e| */
} lab_error;

/* Measures over the frames shown after the warm-up. d: from one frame's screen time to the next
 * one's; T: the interval that the loop intended, else the refresh period (variable refresh: the
 * median d).
 *
 * Animation error is PresentMon's (MsAnimationError) over displayed frames:
 * (C_k - C_k-1) - (D_k - D_k-1), D being the true screen time. Positive: moved too far. */
typedef struct lab_measures {
    int64_t frames;      /* frames seen */
    double refresh_ms;   /* 100 % of lab_percent: the period of LAB_UNIT_REFRESH */
    double interval_ms;  /* mean d */
    double frames_per_s; /* seen: one per mean d */
    lab_error interval;  /* d - T */
    lab_error animation;
    double lost_ms;      /* D span - C span, including the clock's skew */
    double drift_ms;     /* the largest |D - C| less that of the first frame measured */
    double pursuit_ms;   /* RMS distance of C from the best straight line over D, in a window of
                            250 ms that slides frame by frame: the error seen by an eye that follows
                            */
    double missed_share; /* refreshes that repeated a frame, of all; 0 without a fixed refresh */
    double planned_repeat_share; /* those of them within the intended interval, of all refreshes */
    double repeat_share;         /* frames that show the same instant as the one before */
    double short_share;          /* frames whose tick had not run yet: threaded loops */
    double ticks_mean;           /* per frame */
    int32_t ticks_min;
    int32_t ticks_max;
    double dropped_ms; /* as the loop reports it, over the whole run; so are the next two */
    double slow_motion_ms;
    double stretched_ms;
    double slow_share; /* frames at which content moved at less than 0.9 of its speed for 100 ms */
    /* After the run's last incident or change of the screen, if it has one: */
    double event_total_ms;     /* sum of |animation error| from its start to 5 s after its end */
    double event_settle_ms;    /* from its end until the first 2 s in which the median |animation
                                  error| of each half second is below 2 % of the refresh; 5000:
                                  not within 5 s */
    double event_off_speed_ms; /* of the 5 s after its end, how long content moved at less than
                                  0.9 or more than 1.1 of its speed for 100 ms */
    double input_age_ms;       /* mean, screen time less the newest input in the frame */
    double input_age_p99_ms;
    double cpu_share; /* work and spinning, of the time, by all threads; whole run */
} lab_measures;

/* The result of a run. {0} at first; a next run may use it again, with its memory. */
typedef struct lab_result {
    lab_frame *frames; /* every displayed frame, warm-up included */
    size_t frame_count;
    size_t capacity; /* of frames */
    double *scratch; /* capacity of them, for the measures */
    size_t measured; /* frames[measured] is the first after the warm-up */
    lab_measures measures;
} lab_result;

/* 60 s of which 2 s are warm-up, scenario cheap, 60 Hz, queue 2, random phase, seed 1, interval of
 * the display, a spin of 200 us, the library's longest. The loop is NULL: set it. */
lab_setup lab_setup_default(void);

/* Checks, runs, measures.
 *
 * Returns ES_OK. ES_ERR_INVALID: error (may be NULL) names the field. ES_ERR_UNSUPPORTED: the loop
 * cannot run on this display. ES_ERR_SPACE: out of memory. */
es_result lab_run(const lab_setup *setup, lab_result *result, es_error *error);

/* Measures frames again, from first on. scratch: count doubles. refresh_ns: 100 %, and the intended
 * interval of frames that have none; 0: the median d. Totals that frames do not have (dropped, slow
 * motion, stretched, CPU) are 0. */
void lab_measure(const lab_frame *frames, size_t count, size_t first, int64_t refresh_ns,
        double *scratch, lab_measures *measures);

/* The measures after an event, and slow_share. event_ns: true time of its start; INT64_MAX: none.
 * The pairs of frames beside a disturbed one do not count as content's speed. refresh_ns: 0: the
 * mean d. */
void lab_measure_event(const lab_frame *frames, size_t count, size_t first, int64_t event_ns,
        int64_t refresh_ns, lab_measures *measures);

/* The start of the run's last incident or change of the screen; INT64_MAX: it has none. */
int64_t lab_event_ns(const lab_machine *machine);

/* ms as a share of the refresh period, in %. */
double lab_percent(const lab_measures *measures, double ms);

void lab_result_free(lab_result *result);

#endif
