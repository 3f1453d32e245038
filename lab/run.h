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

/* {0} with a loop is a valid setup: 60 s at 60 Hz with no cost and no noise. */
typedef struct lab_setup {
    const lab_loop *loop;
    lab_scenario scenario;
    lab_display display;
    es_rate tick_rate; /* {0, 0}: 60 */
    uint64_t seed;
    int64_t duration_ns; /* simulated; 0: 60 s. No frame begins after it */
    int64_t warm_up_ns;  /* frames seen before this are not measured; below duration_ns */
    int64_t cap_ns;      /* a frame cap, as an interval; 0: none. Of our loops: interval_ns, also
                            instead of that of config. Of others: see lab_frame_begin */
    int64_t frames_max;  /* stops after this many frames; 0: 1 million is an error */
    const es_loop_config *config; /* this and the next five: see lab_loop_setup */
    bool without_targets; /* the program does not say that the screen obeys */
    es_target_use target_use;
    double missed_max;
    lab_form form;
    lab_calls calls;
    bool unblended;
    double speed_change_max;
    int64_t spin_ns;       /* see lab_machine_config */
    lab_observer observer; /* receives every event; {0}: none */
} lab_setup;

/* The distribution of an error, in ms. Percentiles are by nearest rank, as in es_meter. */
typedef struct lab_error {
    double mean_abs_ms;
    double bias_ms; /* mean, signed */
    double rms_ms;
    double median_ms; /* of |e| */
    double p99_ms;    /* of |e| */
    double max_ms;    /* of |e| */
} lab_error;

/* Measures of the frames seen after the warm-up. d: the time between the flips of two frames. T:
 * the interval that the loop intended, else the refresh period (variable refresh: the median d).
 *
 * Animation error is PresentMon's (MsAnimationError) over displayed frames:
 * (C_k - C_k-1) - (D_k - D_k-1). D is the true screen time. Above 0: content moved too far. */
typedef struct lab_measures {
    int64_t frames;      /* frames seen */
    double refresh_ms;   /* 100 % of lab_percent: the period of LAB_UNIT_REFRESH */
    double interval_ms;  /* mean d */
    double frames_per_s; /* frames seen, 1 / mean d */
    lab_error interval;  /* d - T */
    lab_error animation;
    double lost_ms;       /* time on D minus time on C, with the clock's skew */
    double drift_ms;      /* the largest change of D - C since the first measured frame */
    double pursuit_ms;    /* RMS distance of C from the best straight line over D, of all windows of
                            250 ms, one per frame: for an eye that follows the object */
    double jumps_per_min; /* frames with an |animation error| over 25 ms */
    double retina_arcmin; /* p99 of |animation error| at 20 degrees per second */
    double off_speed_share; /* of all windows of 250 ms, one per frame: content moved at less than
                                0.95 or more than 1.05 of its speed */
    double rate_changes_per_min; /* half seconds whose frame rate differs by over 10 %, and over one
                                    frame, from that of the half second before */
    double missed_share; /* refreshes that repeated a frame, of all; 0 without a fixed refresh */
    double planned_repeat_share; /* of all refreshes, repeats within the intended interval */
    double repeat_share;         /* frames that show the same instant as the one before */
    double short_share;          /* threaded loops: frames whose tick had not run yet */
    double ticks_mean;           /* per frame */
    int32_t ticks_min;
    int32_t ticks_max;
    double dropped_ms; /* as the loop reports it, in the whole run; so are the next two */
    double slow_motion_ms;
    double stretched_ms;
    double slow_share; /* frames at which content moved at less than 0.9 of its speed for 100 ms */
    /* The event is the run's last incident or change of the screen. 0 without an event. */
    double event_total_ms;     /* sum of |animation error| from its start to 5 s after its end */
    double event_settle_ms;    /* from its end until the first 2 s in which the median |animation
                                  error| of each half second is below 2 % of the refresh; 5000:
                                  not within 5 s */
    double event_off_speed_ms; /* of the 5 s after its end, the time at which content moved at less
                                  than 0.9 or more than 1.1 of its speed for 100 ms */
    double input_age_ms;       /* mean of screen time minus sampling time of the newest input */
    double input_age_p99_ms;
    double input_age_sd_ms; /* standard deviation */
    double cpu_share;       /* CPU time of all threads, as a share of the whole run */
} lab_measures;

/* The result of a run. Begin with {0}. The next run may use it again, with its memory. */
typedef struct lab_result {
    lab_frame *frames; /* each frame seen, also in the warm-up */
    size_t frame_count;
    size_t capacity; /* of frames */
    double *scratch; /* capacity values, for the measures */
    size_t measured; /* index of the first frame after the warm-up */
    lab_measures measures;
} lab_result;

/* 60 s with a warm-up of 2 s, scenario cheap, 60 Hz, queue 2, random phase, seed 1, a spin of
 * 200 us (the library's longest). The loop is NULL: set it. */
lab_setup lab_setup_default(void);

/* Checks the setup, runs the loop and measures it.
 *
 * Returns ES_OK. ES_ERR_INVALID: error (may be NULL) names the field. ES_ERR_UNSUPPORTED: the loop
 * cannot run on this display. ES_ERR_SPACE: out of memory. */
es_result lab_run(const lab_setup *setup, lab_result *result, lab_refusal *error);

/* Measures frames from first on. scratch: count doubles. refresh_ns: 100 %, and the interval of
 * frames without an intended one; 0: the median d. The totals that frames do not have (dropped,
 * slow motion, stretched, CPU) are 0. */
void lab_measure(const lab_frame *frames, size_t count, size_t first, int64_t refresh_ns,
        double *scratch, lab_measures *measures);

/* Adds the measures of an event, and slow_share. event_ns: true time of its start; INT64_MAX: none.
 * Content's speed leaves out the intervals before and after a disturbed frame. refresh_ns: 100 %;
 * 0: the mean d. */
void lab_measure_event(const lab_frame *frames, size_t count, size_t first, int64_t event_ns,
        int64_t refresh_ns, lab_measures *measures);

/* The start of the run's last incident or change of the screen; INT64_MAX: none. */
int64_t lab_event_ns(const lab_machine *machine);

/* ms as a share of the refresh period, in %. */
double lab_percent(const lab_measures *measures, double ms);

void lab_result_free(lab_result *result);

#endif
